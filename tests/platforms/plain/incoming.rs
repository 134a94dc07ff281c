//! What people do in the chat, to the engine.

use std::{future::pending, sync::Arc};

use anteroom::{
    base::ids::SessionId,
    chat::{
        Deduplicator,
        commands::{
            Entry, Order, Verb,
            decide::{Choice, Commands, invited, ordered},
            parse,
        },
        form::{complaints, overview},
        handler::{
            self, ButtonId, Buttons, Handed, Messages, NotSaved, Questions, ReplyTarget, Start,
            Update, Used, Wanted, Written,
        },
        message_index::{MessageRef, Role},
        profile,
        transcript::{self, Opened, Opening},
    },
    engine::{Engine, Look},
    flow::LoadedFlow,
    messages::Text,
    model::{
        artifact::Offer,
        session::{Head, PersonId},
        transcript::Audience,
        ui::Offered,
    },
    session::Responder,
};
use async_trait::async_trait;

use super::{
    app::{App, WORKSPACE, person, place_of, private},
    chat::{BOT, Card},
    draw,
};

/// Begins every command.
const COMMAND: &str = "!onboard";

/// Something that somebody did: by whom, with which message or in which room.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) by: String,
    pub(crate) at: MessageRef,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    /// Words, under a message or not, and files.
    Wrote(String, Option<String>, Vec<Offer>),
    /// A choice by its id, with what was filled in.
    Chose(String, Vec<(String, String)>),
    /// How a message reads now; none where it is gone.
    Changed(Option<String>),
}

/// What is answered at once, for one person alone.
type Ack = Option<Card>;

/// One event on its way in.
pub(crate) struct Incoming<'a> {
    pub(crate) app: &'a Arc<App>,
    pub(crate) key: &'a str,
    pub(crate) event: &'a Event,
}

impl Incoming<'_> {
    pub(crate) async fn take(&self) -> Result<Ack, NotSaved> {
        match &self.event.what {
            What::Wrote(text, ..) if text.starts_with('!') => self.typed(text).await,
            What::Wrote(..) => handler::wrote(self, self.event).await,
            What::Chose(id, _) => handler::chosen(self, id, self.event).await,
            What::Changed(text) => handler::changed(self, self.event, None, text.clone()).await,
        }
    }

    /// A command: `!onboard invite @ada`.
    async fn typed(&self, text: &str) -> Result<Ack, NotSaved> {
        let mentioned = |word: &str| word.strip_prefix('@').map(str::to_owned);
        let is_flow = |id: &str| self.app.startable().iter().any(|flow| flow.flow.id == id);
        let order = text.strip_prefix(COMMAND).and_then(|it| parse(it, mentioned, is_flow));
        ordered(self, &order.unwrap_or(Order::of(Verb::Help)), self.event).await
    }
}

/// Which interview?
fn chooser(flows: &[Arc<LoadedFlow>]) -> Card {
    let start = |flow: &Arc<LoadedFlow>| (ButtonId::start(&flow.flow.id), flow.flow.title.clone());
    Card::words("Hello! What would you like to begin?").choosing(flows.iter().map(start))
}

#[async_trait]
impl Update for Incoming<'_> {
    type Actor = String;
    type Ack = Ack;

    fn engine(&self) -> &Engine {
        &self.app.engine
    }

    fn key(&self) -> &str {
        self.key
    }

    fn deduplicator(&self) -> &Deduplicator {
        &self.app.deduplicator
    }

    fn tell(&self, to: &ReplyTarget, text: &str) -> Ack {
        self.app.told.may_tell(WORKSPACE, &to.user).then(|| Card::words(text))
    }

    fn say(&self, _to: &ReplyTarget, text: &str) -> Ack {
        Some(Card::words(text))
    }

    fn write(&self, text: &Text) -> String {
        text.to_string()
    }

    fn person(&self, by: &String) -> PersonId {
        person(by)
    }

    async fn known(&self, _head: &Head, by: &String) -> Responder {
        self.app.known(by)
    }

    async fn rights(&self, by: &String) -> Result<Responder, String> {
        Ok(self.app.rights_of(by))
    }
}

#[async_trait]
impl Messages for Incoming<'_> {
    type Message = Event;

    fn written(&self, event: &Event) -> Written<String> {
        let (text, files) = match &event.what {
            What::Wrote(text, _, files) => (text.clone(), files.iter().cloned().map(Ok).collect()),
            What::Chose(..) | What::Changed(_) => Default::default(),
        };
        let (by, source) = (event.by.clone(), event.at.name());
        Written { by, to: self.target(event), source, text, has_voice: false, files }
    }

    /// The one of a private room; elsewhere by the message under which it stands.
    async fn conversation_of(&self, event: &Event) -> Result<Option<(SessionId, Role)>, NotSaved> {
        if let What::Wrote(_, Some(under), _) = &event.what {
            let head = MessageRef { message: under.clone(), ..event.at.clone() };
            return Ok(self.app.index.of(WORKSPACE, &head).await?);
        }
        let Some(user) = event.at.channel.strip_prefix('@') else { return Ok(None) };
        let own = handler::newest(&self.app.engine, person(user)).await?;
        Ok(own.map(|head| (head.id, Role::Conversation)))
    }

    async fn approached(&self, event: &Event) -> Result<Ack, NotSaved> {
        let room = private(&event.by);
        // Noted: delivered again, it is no answer to what is asked by then.
        if event.at.channel == room && self.app.deduplicator.claim_answer(self.key).await? {
            let card = chooser(&self.app.startable());
            _ = self.app.chat().post((&room, None), (BOT, self.key), card);
        }
        Ok(None)
    }
}

#[async_trait]
impl Buttons for Incoming<'_> {
    type Act = Event;

    fn actor<'a>(&self, event: &'a Event) -> &'a String {
        &event.by
    }

    fn target(&self, event: &Event) -> ReplyTarget {
        let Event { by, at, .. } = event;
        ReplyTarget { user: by.clone(), channel: at.channel.clone(), thread: None }
    }

    async fn begin(&self, start: Start<'_>, event: &Event) -> Result<Ack, NotSaved> {
        let Start { flow, invited, beginning } = start;
        let user = invited.unwrap_or(&event.by);
        let (from, at) = (self.app.known(user), (place_of(user), self.key));
        match self.app.engine.start_with(&flow.flow.id, &from, at, beginning).await {
            Ok(_) => Ok(invited.map(|user| Card::words(format!("{user} is invited.")))),
            Err(error) => self.failed(&error, event).await,
        }
    }

    async fn help(&self, head: &Head, _event: &Event) -> Ack {
        let offers = Offered::HELP.map(|offered| ButtonId::offer(offered, head.id));
        Some(Card::words("What works here:").choosing(offers))
    }

    async fn hand_out(&self, wanted: Wanted, event: &Event) -> Ack {
        let (app, key) = (Arc::clone(self.app), self.key.to_owned());
        let room = private(&event.by);
        self.app.afterwards.spawn_longer(Wanted::LIMIT, async move {
            let put = async |name: String, bytes| {
                if app.chat().is_stuck {
                    return pending().await;
                }
                let card = Card::words(format!("Here it is: {name}"));
                app.chat().files.insert(name, bytes);
                app.chat().post((&room, None), (BOT, &key), card).ok()
            };
            let handed = wanted.hand_over(&app.engine, (&app.deduplicator, &key), put).await;
            if handed == Handed::Failed {
                let card = Card::words("That didn't work.");
                app.chat().post((&room, None), (BOT, &format!("{key} failed")), card).ok();
            }
        });
        None
    }

    fn show_one(&self, look: Look, reader: Audience, _event: &Event) -> Ack {
        Some(draw::standing(&look, reader == Audience::Staff))
    }

    fn show_transcript(&self, _opening: Opening, opened: &Opened, _event: &Event) -> Ack {
        let told = transcript::told(&opened.entries).into_iter();
        let lines = told.map(|entry| format!("\n{}: {}", entry.who, entry.text));
        Some(Card::words(lines.fold(opened.title.clone(), |text, line| text + &line)))
    }

    fn show_profile(&self, look: &Look, _page: Option<usize>, _event: &Event) -> Ack {
        let cards = profile::cards(&look.state).into_iter();
        let cards: Vec<String> = cards.map(|(it, _)| draw::card(it, Some(look)).0).collect();
        Some(Card::words(cards.join("\n")))
    }
}

#[async_trait]
impl Questions for Incoming<'_> {
    async fn control(&self, used: Used, event: &Event) -> Result<Ack, NotSaved> {
        let What::Chose(_, blanks) = &event.what else { return Ok(None) };
        let reply = draw::reply(&used.wait, &used.element.action, blanks)
            .map_err(|errors| complaints(&used.wait.prompt.control, &errors).join("\n"));
        handler::answered(self, &used, reply, event).await
    }

    async fn other(&self, event: &Event) -> Result<Ack, NotSaved> {
        Ok(self.answer("That can't be chosen any more.", event).await)
    }
}

#[async_trait]
impl Commands for Incoming<'_> {
    fn usage(&self, entry: &Entry) -> Option<String> {
        entry.typed(COMMAND)
    }

    fn invitable(&self, _by: &String) -> Vec<Arc<LoadedFlow>> {
        self.app.startable()
    }

    /// Nobody is asked whether they are sure.
    async fn choose(&self, choice: Choice<'_>, event: &Event) -> Result<Ack, NotSaved> {
        match choice {
            Choice::Invite(user, [only]) => invited(self, (user, &only.flow.id), event).await,
            Choice::Begin(flows) | Choice::Invite(_, flows) => Ok(Some(chooser(flows))),
        }
    }

    fn show_all(&self, heads: &[Head], _event: &Event) -> Ack {
        let all = overview::Overview::of(heads, self.app.engine.parts().clock.now());
        let rows = all.rows.iter().map(|row| (ButtonId::show(row.head.id), row.person));
        Some(Card::words(all.counts).choosing(rows))
    }
}
