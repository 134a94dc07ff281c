//! Effects to the chat, and what an erasure takes away there.

use std::sync::Arc;

use anteroom::{
    chat::{
        NotFetched, Trail, WorkIndicators, card_lookup,
        delivery::{self, Courier, Undelivered},
        handler::ButtonId,
        message_index::{Mark, MessageIndex, MessageRef, Role},
        profile, receipt,
        refusal::{self, Class},
        removal::Remover,
    },
    engine::{self, Engine, Gateway, Inbound, InboundKind, Look},
    model::{
        artifact::Offer,
        effect::{Act, Delivery, Effect, Handout, Recipient, Rendering},
        posted::{Item, Posted, Reader, Removal},
        report::Count,
        session::{PersonId, Place, Platform},
        team::Team,
        ui::Offered,
        wait::Wait,
    },
};
use async_trait::async_trait;

use super::{
    app::{App, PLATFORM, ROOMS, WORKSPACE, private},
    chat::{BOT, Card, Refused},
    draw,
};

/// The chat as the engine sees it.
#[derive(Debug)]
pub(crate) struct PlainGateway(pub(crate) Arc<App>);

#[async_trait]
impl Gateway for PlainGateway {
    fn platform(&self) -> Platform {
        PLATFORM
    }

    async fn deliver(&self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        let sender = Sender { app: &self.0, effect, trail: Trail::default() };
        let now = self.0.engine.parts().clock.now();
        let delivery = match delivery::deliver(&sender, shown).await {
            Ok(message) => Delivery::delivered(message),
            Err(undelivered) => undelivered.outcome(now, |refused| {
                sender.tell_of_loss(refused);
                refusal::outcome(refused.0, &sender.why(&refused), effect, now)
            }),
        };
        self.0.post_log.close(effect, delivery, &sender.trail).await
    }

    async fn team(&self, _place: &Place) -> Team {
        let state = self.0.chat();
        let deciders = state.members.iter().filter(|(_, member)| member.decides);
        let deciders = deciders.map(|(id, _)| id.clone()).collect();
        Team { deciders: [(ROOMS[0].0.to_owned(), deciders)].into(), ..Team::default() }
    }
}

/// Delivers one effect.
struct Sender<'a> {
    app: &'a App,
    effect: &'a Effect,
    trail: Trail,
}

type Delivered<T> = delivery::Delivered<T, Refused>;

/// A room, and the message there under which something stands.
type Target = (String, Option<String>);

impl Sender<'_> {
    async fn look(&self) -> Delivered<Look> {
        Ok(self.app.engine.look(self.effect.session).await?)
    }

    /// Posts what an effect says where it goes.
    async fn put(&self, card: Card) -> Delivered<Option<String>> {
        let target = self.target().await?;
        Ok(Some(self.post(&target, &self.effect.id.to_string(), card)?.name()))
    }

    fn post(&self, (room, under): &Target, key: &str, card: Card) -> Delivered<MessageRef> {
        let at = self.app.chat().post((room, under.as_deref()), (BOT, key), card)?;
        self.trail.add(self.posted(&at, room.starts_with('#') && under.is_none()));
        Ok(at)
    }

    fn posted(&self, at: &MessageRef, is_head: bool) -> Posted {
        let reader = match &self.effect.to {
            Recipient::Channel { alias } => Reader::Staff(alias.clone()),
            Recipient::Person { .. } => Reader::Staff(String::new()),
            Recipient::Participant | Recipient::Webhook { .. } => Reader::Participant,
        };
        let at = at.name();
        Posted { item: if is_head { Item::Head { at } } else { Item::Message { at } }, reader }
    }

    async fn target(&self) -> Delivered<Target> {
        let Recipient::Channel { alias } = &self.effect.to else { return Ok((self.room()?, None)) };
        let (room, look, index) = (self.channel(alias)?, self.look().await?, &self.app.index);
        let store = &*self.app.engine.parts().store;
        let open = card_lookup::open_request(store, &look.state, alias, &room).await?;
        if let Some(card) = open.filter(|_| !self.effect.is_of_hand_over()) {
            return Ok((room, Some(card.message)));
        }
        let (session, mark) = (self.effect.session, Mark::Staff(&room));
        if let Some(head) = index.marked(session, mark).await? {
            return Ok((room, Some(head.message)));
        }
        let (card, key) = (draw::standing(&look, true), format!("head {session}"));
        let head = self.post(&(room.clone(), None), &key, card)?;
        index.belongs(session, (WORKSPACE, &head), Role::Staff).await?;
        index.mark(session, mark, &head).await?;
        Ok((room, Some(head.message)))
    }

    /// The room of whom it is for.
    fn room(&self) -> Delivered<String> {
        match &self.effect.to {
            Recipient::Participant => Ok(self.effect.place.channel.clone()),
            Recipient::Person { user } => Ok(private(user)),
            Recipient::Channel { alias } => self.channel(alias),
            Recipient::Webhook { .. } => Err(Undelivered::NotApplicable),
        }
    }

    /// Nothing reaches the participant any more: the conversation pauses.
    fn tell_of_loss(&self, refused: Refused) {
        let Class::PersonUnreachable(why) = refused.0 else { return };
        if self.effect.to == Recipient::Participant {
            let (engine, session) = (self.app.engine.clone(), self.effect.session);
            let (key, from) = (format!("lost {}", self.effect.id), self.app.known(""));
            let inbound =
                Inbound { key, session, from, what: InboundKind::Lost { why: why.to_owned() } };
            self.app.afterwards.spawn(async move { drop(engine.receive(inbound).await) });
        }
    }
}

#[async_trait]
impl Courier for Sender<'_> {
    type Failure = Refused;
    type Message = Card;

    fn effect(&self) -> &Effect {
        self.effect
    }

    fn engine(&self) -> &Engine {
        &self.app.engine
    }

    fn index(&self) -> &MessageIndex {
        &self.app.index
    }

    fn work_indicators(&self) -> &WorkIndicators {
        &self.app.work_indicators
    }

    fn channel(&self, alias: &str) -> Delivered<String> {
        let room = ROOMS.iter().find(|(known, _)| *known == alias);
        let room = room.map(|(_, room)| (*room).to_owned());
        room.ok_or_else(|| Undelivered::Never(format!("there is no room for `{alias}`")))
    }

    async fn card_channel(&self) -> Delivered<Option<String>> {
        let is_theirs = self.effect.to == Recipient::Participant;
        if is_theirs { Ok(None) } else { self.room().map(Some) }
    }

    async fn draw(&self, wait: &Wait) -> Delivered<Card> {
        match self.app.engine.look(wait.session).await {
            Ok(look) => Ok(draw::card(wait, Some(&look))),
            Err(engine::Error::NoSession) => Ok(draw::card(wait, None)),
            Err(error) => Err(error.into()),
        }
    }

    async fn post_card(&self, card: &Card) -> Delivered<Option<MessageRef>> {
        let Act::Show { wait } = &self.effect.act else { return Ok(None) };
        let key = format!("{wait} {}", self.effect.id);
        self.post(&(self.room()?, None), &key, card.clone()).map(Some)
    }

    async fn edit_card(&self, at: &MessageRef, card: &Card) -> Delivered<bool> {
        match self.app.chat().change(at, Some(card.clone())) {
            Err(Refused(Class::MessageGone | Class::Uneditable, _)) => Ok(false),
            changed => Ok(changed.map(|()| true)?),
        }
    }

    async fn earlier_card(&self, wait: &Wait) -> Delivered<Option<MessageRef>> {
        let (room, wait) = (self.room()?, wait.id.to_string());
        Ok(self.app.chat().keyed(&room, |key| key.starts_with(&wait)))
    }

    async fn belongs(&self, wait: &Wait, at: &MessageRef) -> Delivered<()> {
        if self.effect.to == Recipient::Participant {
            return Ok(());
        }
        let role = Role::Request(wait.id);
        Ok(self.app.index.belongs(wait.session, (WORKSPACE, at), role).await?)
    }

    async fn post_decision(
        &self,
        card: MessageRef,
        decided: &str,
        (_, by_name): (&PersonId, &str),
    ) -> Delivered<Option<MessageRef>> {
        let line = Card::words(format!("{decided} by {by_name}"));
        let key = format!("{} decided", self.effect.id);
        self.post(&(card.channel, Some(card.message)), &key, line).map(Some)
    }

    async fn say(
        &self,
        text: &str,
        offers: &[Offered],
        transcript: bool,
    ) -> Delivered<Option<String>> {
        let offer = |it: &Offered| ButtonId::offer(*it, self.effect.session);
        let about = if transcript { profile::buttons(&self.look().await?.state) } else { vec![] };
        self.put(Card::words(text).choosing(offers.iter().map(offer).chain(about))).await
    }

    async fn relay(&self, name: &str, text: &str) -> Delivered<Option<String>> {
        self.put(Card::words(format!("{name} writes: {text}"))).await
    }

    async fn progress(&self, text: &str) -> Delivered<Option<String>> {
        let (session, card) = (self.effect.session, Card::words(text));
        let known = self.app.index.marked(session, Mark::Progress).await?;
        if let Some(at) = known
            && self.edit_card(&at, &card).await?
        {
            return Ok(Some(at.name()));
        }
        let at = self.post(&(self.room()?, None), &format!("progress {session}"), card)?;
        self.app.index.mark(session, Mark::Progress, &at).await?;
        Ok(Some(at.name()))
    }

    async fn export(&self, closing: Option<&str>) -> Delivered<Option<String>> {
        let copy = [(ButtonId::copy(self.effect.session), "Download")];
        self.put(Card::words(closing.unwrap_or("Your copy is ready.")).choosing(copy)).await
    }

    async fn hand(&self, what: &Handout, text: &str) -> Delivered<Option<String>> {
        let file = match what {
            Handout::Link { url, .. } => {
                return self.put(Card::words(format!("{text} {url}"))).await;
            }
            Handout::File { file } => file,
        };
        let read = self.app.engine.parts().artifacts.read(self.effect.session, file).await;
        let Some(bytes) = read.map_err(|_| Undelivered::Later)? else {
            return self.put(Card::words("That file is not stored any more.")).await;
        };
        self.app.chat().files.insert(file.filename.clone(), bytes);
        self.put(Card::words(format!("{text} {}", file.filename))).await
    }

    async fn erase(&self) -> Delivered<Option<String>> {
        let Act::Remove { what } = &self.effect.act else {
            return self.put(Card::words(receipt::text(&self.report().await?))).await;
        };
        let posted = match what {
            Removal::Thing { posted, .. } => posted.clone(),
            Removal::Trace { effect, .. } => {
                let (room, effect) = (self.room()?, effect.to_string());
                let at = self.app.chat().keyed(&room, |key| key.contains(&effect));
                let Some(at) = at else { return Ok(None) };
                self.posted(&at, false)
            }
        };
        let at = match &posted.item {
            Item::Message { at } | Item::Head { at } => MessageRef::parse(at),
            Item::File { .. } | Item::Room { .. } | Item::Unreadable => None,
        };
        let at = at.ok_or(Undelivered::NotApplicable)?;
        match self.written_under(&at) {
            0 => self.take_message(&at, &posted).await?,
            messages => {
                let theirs = Count { messages, ..Count::default() };
                self.blank_head(&at, (&posted, theirs)).await?;
            }
        }
        Ok(None)
    }

    async fn fetch_file(&self, file: &Offer) -> Result<Vec<u8>, NotFetched> {
        let mut chat = self.app.chat();
        chat.downloads.pop().map_or_else(|| Ok(chat.files[&file.id].clone()), Err)
    }

    async fn say_refused(&self, why: &str) -> Delivered<Option<String>> {
        self.put(Card::words(why)).await
    }
}

impl Sender<'_> {
    /// How many messages of others stand under one.
    fn written_under(&self, head: &MessageRef) -> usize {
        let state = self.app.chat();
        let there = state.messages.iter().filter(|it| it.at.channel == head.channel);
        there.filter(|it| it.under.as_ref() == Some(&head.message) && it.by != BOT).count()
    }
}

#[async_trait]
impl Remover for Sender<'_> {
    fn class_of(&self, refused: &Refused) -> Class {
        refused.0
    }

    fn why(&self, refused: &Refused) -> String {
        format!("the chat says: {:?}", refused.0)
    }

    async fn delete(&self, at: &MessageRef) -> Result<(), Refused> {
        self.app.chat().change(at, None)
    }

    async fn overwrite(&self, at: &MessageRef) -> Result<(), Refused> {
        self.app.chat().change(at, Some(Card::words("This conversation was erased.")))
    }
}
