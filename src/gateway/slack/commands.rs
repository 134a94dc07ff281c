//! What people order: /onboard, the shortcut, the buttons of Home and of the staff's thread, a first word to the bot.

mod begin;
mod matching;
mod overview;
mod reading;

use std::sync::Arc;

use serde_json::json;

use super::{
    agent::FEEDBACK,
    api::Method,
    app::App,
    blocks::{Button, actions, drawn, note, section},
    files::Upload,
    home::{SHOW, START},
    inbound::{Ack, Action, Actor, Command as Typed, Message, NotTaken},
    inbox::{Arrival, Ear, ear_of},
    inviter, limits, people,
    render::{Message as Post, text::escape},
    texts,
};
use crate::{
    chat::{receipt, transcript::Opening},
    engine::{Beginning, Error, Inbound, Receipt, What},
    flows::LoadedFlow,
    form::{Order, glance, typed, words},
    ids::SessionId,
    interview::{Command, Responder},
    model::{
        flow::SlackPlace,
        posted::{Item, Posted, Reader},
        session::{Head, Platform},
        transcript::Audience,
    },
    threads::Spot,
};

use self::{
    begin::{Begun, begin, begin_at, chooser, invited, place_of},
    overview::{card_of, of_one, overview},
};

pub(super) use self::begin::startable;

/// Buttons under the preview of an invitation.
const INVITE: &str = "invite.send.";
const NO_INVITE: &str = "invite.cancel";

/// The command, with what stands after it.
pub(super) async fn typed(arrival: &Arrival<'_>, typed: Typed) -> Ack {
    let mut words = typed.text.split_whitespace();
    let verb = words.next().unwrap_or("start").to_lowercase();
    let rest: Vec<&str> = words.collect();
    let whom = rest.first().and_then(|word| mentioned(word));
    let order = Ordered { arrival, typed: &typed, whom, rest: &rest };
    let said = match verb.as_str() {
        "start" => order.start("start", startable(arrival.engine)).await,
        "match" => order.matching().await,
        "invite" => return order.invite().await,
        "status" if whom.is_none() => return order.status().await,
        "status" | "show" => return order.show().await,
        "advance" => order.advance().await,
        "pause" => order.own_or_staff(Command::Stop, Command::TakeOver).await,
        "resume" => order.own_or_staff(Command::Resume, Command::HandBack).await,
        "cancel" | "stop" | "end" => {
            let reason = order.reason();
            order.own_or_staff(Command::Stop, Command::End { reason }).await
        }
        "export" => order.export().await,
        "delete" => order.own(Command::Delete).await,
        "human" => order.own(Command::Human).await,
        _ => texts::help(&typed.name),
    };
    told(said)
}

fn told(text: impl Into<String>) -> Ack {
    Ack::Ephemeral { text: text.into(), blocks: Vec::new() }
}

/// The same in the answer to a press, which may be delivered again.
async fn told_once(arrival: &Arrival<'_>, text: String) -> Ack {
    match arrival.app.once.claim_answer(&arrival.key).await {
        Ok(false) => Ack::Empty,
        // What cannot be noted is said all the same.
        Ok(true) | Err(_) => told(text),
    }
}

/// `<@U01|ada>` or `<@U01>`.
fn mentioned(word: &str) -> Option<&str> {
    let inner = word.strip_prefix("<@")?.strip_suffix('>')?;
    let user = inner.split('|').next().unwrap_or(inner);
    user.chars().all(|c| c.is_ascii_alphanumeric()).then_some(user)
}

/// A command with who is meant.
struct Ordered<'a> {
    arrival: &'a Arrival<'a>,
    typed: &'a Typed,
    whom: Option<&'a str>,
    rest: &'a [&'a str],
}

impl Ordered<'_> {
    async fn start(&self, verb: &str, flows: Vec<Arc<LoadedFlow>>) -> String {
        let wanted = self.rest.first().copied().unwrap_or_default();
        let flow = match flows.as_slice() {
            [] => return words::NO_FLOWS.to_owned(),
            [only] if wanted.is_empty() => only,
            several => {
                if let Some(flow) = several.iter().find(|flow| flow.flow.id == wanted) {
                    flow
                } else {
                    let names: Vec<String> = several
                        .iter()
                        .map(|f| format!("`{} {verb} {}`", self.typed.name, f.flow.id))
                        .collect();
                    return format!("There is more than one: {}", names.join(", "));
                }
            }
        };
        let channel = Some(self.typed.channel.as_str());
        match begin(self.arrival, flow, &self.typed.by, channel).await {
            Ok(Begun { session, direct: true }) => {
                let (user, channel) = (&self.typed.by.user, &self.typed.channel);
                inviter::remember(self.arrival.app, session, (user, channel)).await;
                inviter::look(self.arrival.app, session).await;
                texts::WROTE_TO_YOU.to_owned()
            }
            Ok(_) => words::DONE.to_owned(),
            Err(error) => words::of_error(&error),
        }
    }

    async fn invite(&self) -> Ack {
        let from = match self.arrival.responder(&self.typed.by).await {
            Ok(from) => from,
            Err(unchecked) => return told(unchecked.to_string()),
        };
        if !from.staff {
            return told(words::FOR_STAFF);
        }
        let Some(user) = self.whom else {
            return told(format!("Say whom: `{} invite @person`.", self.typed.name));
        };
        let mut flows = startable(self.arrival.engine);
        flows.retain(|flow| flow.flow.start.slack.as_ref().is_some_and(|start| start.invite));
        if let Some(wanted) = self.rest.get(1) {
            flows.retain(|flow| flow.flow.id == *wanted);
        }
        if flows.is_empty() {
            return told("There is no such interview to invite to.");
        }
        let mut buttons: Vec<_> = flows
            .iter()
            .take(limits::ACTIONS_ELEMENTS - 1)
            .map(|flow| {
                let label = match flows.len() {
                    1 => "Send".to_owned(),
                    _ => format!("Send {}", flow.flow.title),
                };
                let button = Button::new(format!("{INVITE}{}", flow.flow.id), label);
                button.value(user).primary().build()
            })
            .collect();
        buttons.push(Button::new(NO_INVITE.to_owned(), "Cancel").build());
        let titles: Vec<String> =
            flows.iter().map(|flow| format!("*{}*", escape(&flow.flow.title))).collect();
        let text = format!("Invite <@{user}> to {}?", titles.join(" or "));
        let mut blocks = vec![
            section(text.as_str()),
            note(
                "They get a message that says what it is and that you talk to an AI; nothing begins before they agree.",
            ),
        ];
        blocks.extend(actions(buttons));
        Ack::Ephemeral { text, blocks: drawn(&blocks) }
    }

    /// One's own progress; for staff how everybody is (BEHAVIOUR J5).
    async fn status(&self) -> Ack {
        match self.arrival.responder(&self.typed.by).await {
            Ok(from) if from.staff => overview(self.arrival).await,
            Ok(_) | Err(_) => match self.mine().await {
                Ok(Some(head)) => match self.arrival.engine.look(head.id).await {
                    Ok(look) => told(of_one(&look)),
                    Err(error) => told(words::of_error(&error)),
                },
                Ok(None) => told(words::NO_SESSION),
                Err(words) => told(words),
            },
        }
    }

    async fn show(&self) -> Ack {
        let head = match self.theirs().await {
            Ok((head, _)) => head,
            Err(words) => return told(words),
        };
        match self.arrival.engine.look(head.id).await {
            Ok(look) => card_of(&look),
            Err(error) => told(words::of_error(&error)),
        }
    }

    /// What a decider orders goes through at once, with the reason in the audit trail (BEHAVIOUR J3.8).
    async fn advance(&self) -> String {
        let reason = self.reason();
        if self.whom.is_none() {
            return self.own(Command::Advance { reason }).await;
        }
        match self.theirs().await {
            Ok((head, from)) => self.order(head.id, from, Command::Advance { reason }).await,
            Err(words) => words,
        }
    }

    async fn own_or_staff(&self, own: Command, staff: Command) -> String {
        if self.whom.is_none() {
            return self.own(own).await;
        }
        match self.theirs().await {
            Ok((head, from)) => self.order(head.id, from, staff).await,
            Err(words) => words,
        }
    }

    async fn own(&self, command: Command) -> String {
        match self.mine().await {
            Ok(Some(head)) => {
                let from = self.arrival.participant(&self.typed.by, head.name.as_deref()).await;
                self.order(head.id, from, command).await
            }
            Ok(None) => words::NO_SESSION.to_owned(),
            Err(words) => words,
        }
    }

    /// One's own copy comes into the conversation; one of somebody else's, for staff, comes to whoever asked.
    async fn export(&self) -> String {
        if self.whom.is_none() {
            return self.own(Command::Export).await;
        }
        let (head, from) = match self.theirs().await {
            Ok(found) => found,
            Err(words) => return words,
        };
        let noted = self
            .arrival
            .engine
            .note_reading(head.id, "session_exported", &from.person.to_string())
            .await;
        if let Err(error) = noted {
            return words::of_error(&error);
        }
        let to = CopyFor { user: self.typed.by.user.clone(), thread: None };
        hand_out(self.arrival, head.id, Audience::Staff, to);
        words::ON_ITS_WAY.to_owned()
    }

    async fn order(&self, session: SessionId, from: Responder, command: Command) -> String {
        let me = from.person.clone();
        let key = self.arrival.key.clone();
        let inbound = Inbound { key, session, from, what: What::Command(command) };
        match self.arrival.engine.receive(inbound).await {
            Ok(Receipt::Erased { receipt, is_under_way }) => {
                receipt::erased(&receipt, is_under_way)
            }
            Ok(receipt) => match words::of_receipt(&receipt, None, &me) {
                Some(words) => texts::sentence(&words),
                None => words::DONE.to_owned(),
            },
            Err(error) => words::of_error(&error),
        }
    }

    /// What stands after `reason:`, or after the person.
    fn reason(&self) -> String {
        let rest = self.rest.iter().skip(usize::from(self.whom.is_some()));
        let text = rest.copied().collect::<Vec<_>>().join(" ");
        let bare = text.strip_prefix("reason:").unwrap_or(&text).trim();
        bare.to_owned()
    }

    async fn mine(&self) -> Result<Option<Head>, String> {
        let person = people::person_id(self.arrival.team(), &self.typed.by.user);
        let mine = self.arrival.conversations(&person).await;
        let mine = mine.map_err(|error| words::of_error(&Error::Store(error)))?;
        Ok(glance::newest(&mine, Platform::Slack))
    }

    /// The conversation of the person who is named, for staff alone.
    async fn theirs(&self) -> Result<(Head, Responder), String> {
        let from =
            self.arrival.responder(&self.typed.by).await.map_err(|error| error.to_string())?;
        if !from.staff {
            return Err(words::FOR_STAFF.to_owned());
        }
        let Some(user) = self.whom else {
            return Err(format!("Say whom: `{} show @person`.", self.typed.name));
        };
        let person = people::person_id(self.arrival.team(), user);
        let found = self.arrival.conversations(&person).await;
        let found = found.map_err(|error| words::of_error(&Error::Store(error)))?;
        glance::newest(&found, Platform::Slack)
            .map(|head| (head, from))
            .ok_or_else(|| words::NONE_OF_THEIRS.to_owned())
    }
}

/// The global shortcut.
pub(super) async fn shortcut(arrival: &Arrival<'_>, by: &Actor) -> Ack {
    let ear = Ear { user: by.user.clone(), channel: by.user.clone(), thread: None };
    match startable(arrival.engine).as_slice() {
        [] => arrival.tell(&ear, words::NO_FLOWS),
        [only] => {
            if let Err(error) = begin(arrival, only, by, None).await {
                arrival.tell(&ear, &words::of_error(&error));
            }
        }
        several => arrival.greet(&ear, chooser(several)),
    }
    Ack::Empty
}

/// Somebody writes to the bot, or mentions it, where there is no conversation.
pub(super) async fn approached(arrival: &Arrival<'_>, message: &Message) -> Result<Ack, NotTaken> {
    let thread = message.thread.clone().unwrap_or_else(|| message.ts.clone());
    let ear = Ear {
        user: message.by.user.clone(),
        channel: message.channel.clone(),
        thread: Some(thread),
    };
    let flows = startable(arrival.engine);
    let words = Some(message.text.as_str()).filter(|text| !typed::is_bare_start(text));
    let wants_to_start = message.is_mention || typed::is_start(&message.text);
    match flows.as_slice() {
        [] => arrival.greet(&ear, Post { text: words::NO_FLOWS.to_owned(), blocks: Vec::new() }),
        [only] if wants_to_start => {
            let begun = if message.is_mention && place_of(only) == SlackPlace::ChannelThread {
                let beginning = Beginning { words, ..Beginning::default() };
                let at = (message.channel.as_str(), ear.thread.clone());
                begin_at(arrival, only, &message.by, at, beginning).await
            } else {
                begin(arrival, only, &message.by, Some(&message.channel)).await
            };
            match begun {
                Ok(begun) => {
                    if begun.direct && !message.is_direct {
                        arrival.tell(&ear, texts::WROTE_TO_YOU);
                    }
                }
                Err(error) if words::may_pass(&error) => return Err(NotTaken),
                Err(error) => arrival.tell(&ear, &words::of_error(&error)),
            }
        }
        several => arrival.greet(&ear, chooser(several)),
    }
    Ok(Ack::Empty)
}

/// A button that belongs to no question.
pub(super) async fn pressed(arrival: &Arrival<'_>, action: Action) -> Result<Ack, NotTaken> {
    let ear = ear_of(&action);
    if action.element == FEEDBACK {
        return thanked(arrival, &action, &ear).await;
    }
    if let Some(opening) = Opening::parse(&action.element) {
        return reading::read(arrival, opening, &action, &ear).await;
    }
    if let Some(id) = action.element.strip_prefix(SHOW) {
        return shown(arrival, id, &action, &ear).await;
    }
    if let Some(id) = action.element.strip_prefix(texts::COPY) {
        return own_copy(arrival, id, &action, &ear).await;
    }
    if let Some(id) = action.element.strip_prefix(texts::DELETE) {
        return match own_session(arrival, id, &action, &ear).await? {
            Some((session, from)) => {
                arrival.receive(session, (from, What::Command(Command::Delete)), &ear, None).await
            }
            None => Ok(Ack::Empty),
        };
    }
    if let Some((offered, id)) = texts::parse_offer(&action.element) {
        return match own_session(arrival, id, &action, &ear).await? {
            Some((session, from)) => {
                let what = What::Command(Command::from(offered));
                arrival.receive(session, (from, what), &ear, None).await
            }
            None => Ok(Ack::Empty),
        };
    }
    if let Some((order, session)) = Order::parse(&action.element) {
        return ordered(arrival, (order, session), &action, &ear).await;
    }
    if let Some(id) = action.element.strip_prefix(START) {
        let Some(flow) = startable(arrival.engine).into_iter().find(|flow| flow.flow.id == id)
        else {
            arrival.tell(&ear, words::NO_FLOWS);
            return Ok(Ack::Empty);
        };
        match begin(arrival, &flow, &action.by, None).await {
            Ok(_) if action.message.is_some() => arrival.tell(&ear, texts::WROTE_TO_YOU),
            Ok(_) => {}
            Err(error) => arrival.tell(&ear, &words::of_error(&error)),
        }
        return Ok(Ack::Empty);
    }
    if let Some(id) = action.element.strip_prefix(INVITE) {
        let said = invited(arrival, id, &action).await;
        return Ok(told_once(arrival, said).await);
    }
    if action.element == NO_INVITE {
        return Ok(told_once(arrival, words::NOT_SENT.to_owned()).await);
    }
    Ok(Ack::Empty)
}

/// The session of a button, if it is that of the one who pressed it.
async fn own_session(
    arrival: &Arrival<'_>,
    id: &str,
    action: &Action,
    ear: &Ear,
) -> Result<Option<(SessionId, Responder)>, NotTaken> {
    let Some(session) = SessionId::from_short(id) else { return Ok(None) };
    let person = people::person_id(arrival.team(), &action.by.user);
    let mine = arrival.conversations(&person).await.map_err(|_| NotTaken)?;
    let Some(head) = mine.into_iter().find(|head| head.id == session) else {
        if let Ok(Some(report)) = arrival.engine.erasure_report(session).await {
            arrival.show_receipt(ear, &report);
            return Ok(None);
        }
        let is_gone = matches!(arrival.engine.look(session).await, Err(Error::NoSession));
        arrival.tell(ear, if is_gone { words::NO_CONVERSATION } else { words::NOT_YOURS });
        return Ok(None);
    };
    Ok(Some((session, arrival.participant(&action.by, head.name.as_deref()).await)))
}

/// Hands the participant a copy of everything, directly, wherever the conversation stands.
async fn own_copy(
    arrival: &Arrival<'_>,
    id: &str,
    action: &Action,
    ear: &Ear,
) -> Result<Ack, NotTaken> {
    if let Some((session, _)) = own_session(arrival, id, action, ear).await? {
        let thread = action.thread.clone().filter(|_| ear.channel.starts_with('D'));
        let to = CopyFor { user: action.by.user.clone(), thread };
        hand_out(arrival, session, Audience::Participant, to);
        arrival.tell(ear, words::ON_ITS_WAY);
    }
    Ok(Ack::Empty)
}

/// Whom a copy is for.
struct CopyFor {
    user: String,
    /// Where in their conversation with the bot.
    thread: Option<String>,
}

/// Puts a copy into somebody's conversation with the bot, after the acknowledgement; once, however often it was ordered
/// by the same event.
fn hand_out(arrival: &Arrival<'_>, session: SessionId, reader: Audience, to: CopyFor) {
    let (app, team) = (Arc::clone(arrival.app), arrival.team().to_owned());
    let key = format!("{} copy", arrival.key);
    arrival.app.afterwards.spawn(async move {
        let copying = Box::pin(hand_over(&app, &team, (session, reader), to));
        app.once.say(&key, copying).await;
    });
}

/// Whether it has arrived.
async fn hand_over(
    app: &App,
    team: &str,
    (session, reader): (SessionId, Audience),
    CopyFor { user, thread }: CopyFor,
) -> bool {
    let Some(engine) = app.engine() else { return false };
    let Ok(gathered) = engine.gather(session).await else { return false };
    let Ok(bytes) = engine.bundle(&gathered, reader).await else { return false };
    let body = json!({ "users": user });
    let Ok(opened) = app.api.call(team, Method::OpenConversation, body).await else {
        return false;
    };
    let Some(channel) = opened["channel"]["id"].as_str() else { return false };
    let name = format!("anteroom-{session}.zip");
    let upload = Upload { name: &name, title: &name, words: "", bytes };
    let id = match app.files.send(team, (channel, thread.as_deref()), upload).await {
        Ok(id) => id,
        Err(failure) => {
            tracing::warn!(?failure, "a copy could not be handed out");
            return false;
        }
    };
    let reader = match reader {
        Audience::Participant => Reader::Participant,
        Audience::Staff => Reader::Staff(String::new()),
    };
    let posted = Posted { item: Item::File { id }, reader };
    app.ledger.note_or_tell(session, &[posted]).await;
    true
}

/// How an answer was.
async fn thanked(arrival: &Arrival<'_>, action: &Action, ear: &Ear) -> Result<Ack, NotTaken> {
    let (Some((channel, ts)), Some(thread)) = (&action.message, &action.thread) else {
        return Ok(Ack::Empty);
    };
    let root = Spot { channel: channel.clone(), message: thread.clone() };
    let found = arrival.app.threads.of(arrival.team(), &root).await.map_err(|_| NotTaken)?;
    if let Some((session, _)) = found {
        let message = Spot { channel: channel.clone(), message: ts.clone() }.name();
        let words = arrival.app.agent.feedback(session, &message, &action.value).await;
        arrival.tell(ear, words);
    }
    Ok(Ack::Empty)
}

/// One conversation of the overview, for staff.
async fn shown(
    arrival: &Arrival<'_>,
    id: &str,
    action: &Action,
    ear: &Ear,
) -> Result<Ack, NotTaken> {
    let Some(session) = SessionId::from_short(id) else { return Ok(Ack::Empty) };
    match arrival.responder_about(session, &action.by).await {
        Ok(from) if from.staff => {}
        Ok(_) => {
            arrival.tell(ear, words::FOR_STAFF);
            return Ok(Ack::Empty);
        }
        Err(unchecked) => {
            arrival.tell(ear, &unchecked.to_string());
            return Ok(Ack::Empty);
        }
    }
    match arrival.engine.look(session).await {
        Ok(look) => {
            if let Ack::Ephemeral { text, blocks } = card_of(&look) {
                if action.view.is_some() {
                    arrival.show_over("Conversation", &blocks, action, ear.clone());
                } else {
                    arrival.whisper(ear, Post { text, blocks });
                }
            }
        }
        Err(error) => arrival.tell(ear, &words::of_error(&error)),
    }
    Ok(Ack::Empty)
}

async fn ordered(
    arrival: &Arrival<'_>,
    (order, session): (Order, SessionId),
    action: &Action,
    ear: &Ear,
) -> Result<Ack, NotTaken> {
    let from = match arrival.responder_about(session, &action.by).await {
        Ok(from) => from,
        Err(unchecked) => {
            arrival.tell(ear, &unchecked.to_string());
            return Ok(Ack::Empty);
        }
    };
    if !from.staff {
        arrival.tell(ear, words::FOR_STAFF);
        return Ok(Ack::Empty);
    }
    arrival.receive(session, (from, What::Command(order.command())), ear, None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_names_a_user_and_nothing_else() {
        assert_eq!(mentioned("<@U01|ada>"), Some("U01"));
        assert_eq!(mentioned("<@W0AZ>"), Some("W0AZ"));
        assert_eq!(mentioned("@ada"), None);
        assert_eq!(mentioned("<@U01 or 1=1>"), None);
        assert_eq!(mentioned("<!channel>"), None);
    }
}
