//! What people order: /onboard, the shortcut, the buttons of Home and of the staff's thread, a first word to the bot.

mod begin;
mod overview;
mod rating;
mod reading;
mod slash;

use std::sync::Arc;

use serde_json::json;

use super::{
    agent::FEEDBACK,
    api::Method,
    app::App,
    files::Upload,
    handler::{ReplyTarget, UpdateContext, ear_of, whisper},
    home::{SHOW, START},
    inbound::{Ack, Action, Actor, Message, NotTaken},
    people,
    render::Message as Post,
    texts,
};
use crate::{
    base::ids::SessionId,
    chat::{
        commands::decide::startable,
        form::{StaffAction, typed, words},
        profile::Reading,
        transcript::Opening,
    },
    engine::{Beginning, Error, InboundKind},
    model::{
        flow::SlackPlace,
        posted::{Item, Posted, Reader},
        session::Platform,
        transcript::Audience,
    },
    session::{Command, Responder, typed::asks_for_person},
};

use self::{
    begin::{INVITE, NO_INVITE, begin, begin_at, chooser, invited, place_of},
    overview::card_of,
};

pub(super) use self::{
    rating::{asked_about, explained},
    slash::typed,
};

fn told(text: impl Into<String>) -> Ack {
    Ack::Ephemeral { text: text.into(), blocks: Vec::new() }
}

/// The same in the answer to a press, which may be delivered again.
async fn told_once(arrival: &UpdateContext<'_>, text: String) -> Ack {
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

/// The global shortcut.
pub(super) async fn shortcut(arrival: &UpdateContext<'_>, by: &Actor) -> Ack {
    let ear = ReplyTarget { user: by.user.clone(), channel: by.user.clone(), thread: None };
    match startable(arrival.library(), Platform::Slack).as_slice() {
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
pub(super) async fn approached(
    arrival: &UpdateContext<'_>,
    message: &Message,
) -> Result<Ack, NotTaken> {
    let thread = message.thread.clone().unwrap_or_else(|| message.ts.clone());
    let ear = ReplyTarget {
        user: message.by.user.clone(),
        channel: message.channel.clone(),
        thread: Some(thread),
    };
    let flows = startable(arrival.library(), Platform::Slack);
    let words = Some(message.text.as_str()).filter(|text| !typed::is_bare_start(text));
    let wants_to_start = message.is_mention || typed::is_start(&message.text);
    if message.is_direct && asks_for_person(&message.text) {
        return begin::for_person(arrival, &flows, message, &ear).await;
    }
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
pub(super) async fn pressed(arrival: &UpdateContext<'_>, action: Action) -> Result<Ack, NotTaken> {
    let ear = ear_of(&action);
    if action.element == FEEDBACK {
        return rating::rated(arrival, &action, &ear).await;
    }
    if let Some(opening) = Opening::parse(&action.element) {
        return reading::read(arrival, opening, &action, &ear).await;
    }
    match Reading::parse(&action.element) {
        // Slack's form holds all of it.
        Some(Reading::Profile(session, _)) => {
            return reading::profile(arrival, session, &action, &ear).await;
        }
        Some(Reading::Resume(session)) => {
            return reading::resume(arrival, session, &action, &ear).await;
        }
        None => {}
    }
    if let Some(id) = action.element.strip_prefix(SHOW) {
        return shown(arrival, id, &action, &ear).await;
    }
    if let Some(id) = action.element.strip_prefix(texts::COPY) {
        return own_copy(arrival, id, &action, &ear).await;
    }
    if let Some(id) = action.element.strip_prefix(texts::HELP) {
        if let Some((session, _)) = own_session(arrival, id, &action, &ear).await? {
            arrival.whisper(&ear, texts::help(session));
        }
        return Ok(Ack::Empty);
    }
    if let Some((command, id)) = command_of(&action.element) {
        return match own_session(arrival, id, &action, &ear).await? {
            Some((session, from)) => {
                arrival.receive(session, (from, InboundKind::Command(command)), &ear, None).await
            }
            None => Ok(Ack::Empty),
        };
    }
    if let Some((order, session)) = StaffAction::parse(&action.element) {
        return ordered(arrival, (order, session), &action, &ear).await;
    }
    if let Some(id) = action.element.strip_prefix(START) {
        return Ok(begin::pressed(arrival, id, &action, &ear).await);
    }
    if let Some(id) = action.element.strip_prefix(INVITE) {
        return Ok(match invited(arrival, id, &action).await {
            Ok(text) => Ack::Replaced { text },
            Err(why) => told_once(arrival, why).await,
        });
    }
    if action.element == NO_INVITE {
        return Ok(Ack::Replaced { text: words::NOT_SENT.to_owned() });
    }
    Ok(Ack::Empty)
}

/// The command that a button gives, and in which session.
fn command_of(id: &str) -> Option<(Command, &str)> {
    if let Some(session) = id.strip_prefix(texts::DELETE) {
        return Some((Command::Delete, session));
    }
    let (offered, session) = texts::parse_offer(id)?;
    Some((Command::from(offered), session))
}

/// The session of a button, if it is that of the one who pressed it.
async fn own_session(
    arrival: &UpdateContext<'_>,
    id: &str,
    action: &Action,
    ear: &ReplyTarget,
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
    arrival: &UpdateContext<'_>,
    id: &str,
    action: &Action,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    if let Some((session, _)) = own_session(arrival, id, action, ear).await? {
        let thread = action.thread.clone().filter(|_| ear.channel.starts_with('D'));
        let to = CopyFor { thread, ear: ear.clone() };
        hand_out(arrival, session, Audience::Participant, to);
        arrival.tell(ear, words::ON_ITS_WAY);
    }
    Ok(Ack::Empty)
}

/// Whom a copy is for.
struct CopyFor {
    /// Who, and where they read that it did not arrive.
    ear: ReplyTarget,
    /// Where in their conversation with the bot.
    thread: Option<String>,
}

/// Puts a copy into somebody's conversation with the bot, after the acknowledgement; once, however often it was ordered
/// by the same event.
fn hand_out(arrival: &UpdateContext<'_>, session: SessionId, reader: Audience, to: CopyFor) {
    let (app, team) = (Arc::clone(arrival.app), arrival.team().to_owned());
    let key = format!("{} copy", arrival.key);
    arrival.app.afterwards.spawn(async move {
        let copying = hand_over(&app, &team, (session, reader), &to);
        app.once.say(&key, Box::pin(or_tell(&app, &team, &to.ear, copying))).await;
    });
}

/// Whether something has arrived. Where it has not, whoever was told that it is on its way is told that as well.
async fn or_tell(
    app: &App,
    team: &str,
    ear: &ReplyTarget,
    sending: impl Future<Output = bool>,
) -> bool {
    let has_arrived = sending.await;
    if !has_arrived {
        whisper(app, team, ear, words::COULD_NOT_SEND).await;
    }
    has_arrived
}

/// Whether it has arrived.
async fn hand_over(
    app: &App,
    team: &str,
    (session, reader): (SessionId, Audience),
    to: &CopyFor,
) -> bool {
    let Some(engine) = app.engine() else { return false };
    let Ok(gathered) = engine.gather(session).await else { return false };
    let Ok(bytes) = engine.bundle(&gathered, reader).await else { return false };
    let name = gathered.archive_name();
    put(app, team, (session, reader), to, (&name, bytes)).await
}

/// Puts a file into somebody's conversation with the bot; whether it has arrived.
async fn put(
    app: &App,
    team: &str,
    (session, reader): (SessionId, Audience),
    CopyFor { ear, thread }: &CopyFor,
    (name, bytes): (&str, Vec<u8>),
) -> bool {
    let body = json!({ "users": ear.user });
    let Ok(opened) = app.api.call(team, Method::OpenConversation, body).await else {
        return false;
    };
    let Some(channel) = opened["channel"]["id"].as_str() else { return false };
    let upload = Upload { name, title: name, words: "", bytes };
    let id = match app.files.send(team, (channel, thread.as_deref()), upload).await {
        Ok(id) => id,
        Err(failure) => {
            tracing::warn!(?failure, "a file could not be handed out");
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

/// One conversation of the overview, for staff.
async fn shown(
    arrival: &UpdateContext<'_>,
    id: &str,
    action: &Action,
    ear: &ReplyTarget,
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
    arrival: &UpdateContext<'_>,
    (order, session): (StaffAction, SessionId),
    action: &Action,
    ear: &ReplyTarget,
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
    arrival.receive(session, (from, InboundKind::Command(order.command())), ear, None).await
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
