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
    handler::{ReplyTarget, UpdateContext, post_ephemeral, reply_target_of},
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
async fn told_once(update: &UpdateContext<'_>, text: String) -> Ack {
    match update.app.deduplicator.claim_answer(&update.key).await {
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
pub(super) async fn shortcut(update: &UpdateContext<'_>, by: &Actor) -> Ack {
    let reply_target =
        ReplyTarget { user: by.user.clone(), channel: by.user.clone(), thread: None };
    match startable(update.library(), Platform::Slack).as_slice() {
        [] => update.tell(&reply_target, words::NO_FLOWS),
        [only] => {
            if let Err(error) = begin(update, only, by, None).await {
                update.tell(&reply_target, &words::of_error(&error));
            }
        }
        several => update.greet(&reply_target, chooser(several)),
    }
    Ack::Empty
}

/// Somebody writes to the bot, or mentions it, where there is no conversation.
pub(super) async fn approached(
    update: &UpdateContext<'_>,
    message: &Message,
) -> Result<Ack, NotTaken> {
    let thread = message.thread.clone().unwrap_or_else(|| message.ts.clone());
    let reply_target = ReplyTarget {
        user: message.by.user.clone(),
        channel: message.channel.clone(),
        thread: Some(thread),
    };
    let flows = startable(update.library(), Platform::Slack);
    let words = Some(message.text.as_str()).filter(|text| !typed::is_bare_start(text));
    let wants_to_start = message.is_mention || typed::is_start(&message.text);
    if message.is_direct && asks_for_person(&message.text) {
        return begin::for_person(update, &flows, message, &reply_target).await;
    }
    match flows.as_slice() {
        [] => update
            .greet(&reply_target, Post { text: words::NO_FLOWS.to_owned(), blocks: Vec::new() }),
        [only] if wants_to_start => {
            let begun = if message.is_mention && place_of(only) == SlackPlace::ChannelThread {
                let beginning = Beginning { words, ..Beginning::default() };
                let at = (message.channel.as_str(), reply_target.thread.clone());
                begin_at(update, only, &message.by, at, beginning).await
            } else {
                begin(update, only, &message.by, Some(&message.channel)).await
            };
            match begun {
                Ok(begun) => {
                    if begun.direct && !message.is_direct {
                        update.tell(&reply_target, texts::WROTE_TO_YOU);
                    }
                }
                Err(error) if words::may_pass(&error) => return Err(NotTaken),
                Err(error) => update.tell(&reply_target, &words::of_error(&error)),
            }
        }
        several => update.greet(&reply_target, chooser(several)),
    }
    Ok(Ack::Empty)
}

/// A button that belongs to no question.
pub(super) async fn pressed(update: &UpdateContext<'_>, action: Action) -> Result<Ack, NotTaken> {
    let reply_target = reply_target_of(&action);
    if action.element == FEEDBACK {
        return rating::rated(update, &action, &reply_target).await;
    }
    if let Some(opening) = Opening::parse(&action.element) {
        return reading::read(update, opening, &action, &reply_target).await;
    }
    match Reading::parse(&action.element) {
        // Slack's form holds all of it.
        Some(Reading::Profile(session, _)) => {
            return reading::profile(update, session, &action, &reply_target).await;
        }
        Some(Reading::Resume(session)) => {
            return reading::resume(update, session, &action, &reply_target).await;
        }
        None => {}
    }
    if let Some(id) = action.element.strip_prefix(SHOW) {
        return shown(update, id, &action, &reply_target).await;
    }
    if let Some(id) = action.element.strip_prefix(texts::COPY) {
        return own_copy(update, id, &action, &reply_target).await;
    }
    if let Some(id) = action.element.strip_prefix(texts::HELP) {
        if let Some((session, _)) = own_session(update, id, &action, &reply_target).await? {
            update.post_ephemeral(&reply_target, texts::help(session));
        }
        return Ok(Ack::Empty);
    }
    if let Some((command, id)) = command_of(&action.element) {
        return match own_session(update, id, &action, &reply_target).await? {
            Some((session, from)) => {
                update
                    .receive(session, (from, InboundKind::Command(command)), &reply_target, None)
                    .await
            }
            None => Ok(Ack::Empty),
        };
    }
    if let Some((order, session)) = StaffAction::parse(&action.element) {
        return ordered(update, (order, session), &action, &reply_target).await;
    }
    if let Some(id) = action.element.strip_prefix(START) {
        return Ok(begin::pressed(update, id, &action, &reply_target).await);
    }
    if let Some(id) = action.element.strip_prefix(INVITE) {
        return Ok(match invited(update, id, &action).await {
            Ok(text) => Ack::Replaced { text },
            Err(why) => told_once(update, why).await,
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
    update: &UpdateContext<'_>,
    id: &str,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Option<(SessionId, Responder)>, NotTaken> {
    let Some(session) = SessionId::from_short(id) else { return Ok(None) };
    let person = people::person_id(update.team(), &action.by.user);
    let mine = update.conversations(&person).await.map_err(|_| NotTaken)?;
    let Some(head) = mine.into_iter().find(|head| head.id == session) else {
        if let Ok(Some(report)) = update.engine.erasure_report(session).await {
            update.show_receipt(reply_target, &report);
            return Ok(None);
        }
        let is_gone = matches!(update.engine.look(session).await, Err(Error::NoSession));
        update.tell(reply_target, if is_gone { words::NO_CONVERSATION } else { words::NOT_YOURS });
        return Ok(None);
    };
    Ok(Some((session, update.participant(&action.by, head.name.as_deref()).await)))
}

/// Hands the participant a copy of everything, directly, wherever the conversation stands.
async fn own_copy(
    update: &UpdateContext<'_>,
    id: &str,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    if let Some((session, _)) = own_session(update, id, action, reply_target).await? {
        let thread = action.thread.clone().filter(|_| reply_target.channel.starts_with('D'));
        let to = CopyFor { thread, reply_target: reply_target.clone() };
        hand_out(update, session, Audience::Participant, to);
        update.tell(reply_target, words::ON_ITS_WAY);
    }
    Ok(Ack::Empty)
}

/// Whom a copy is for.
struct CopyFor {
    /// Who, and where they read that it did not arrive.
    reply_target: ReplyTarget,
    /// Where in their conversation with the bot.
    thread: Option<String>,
}

/// Puts a copy into somebody's conversation with the bot, after the acknowledgement; once, however often it was ordered
/// by the same event.
fn hand_out(update: &UpdateContext<'_>, session: SessionId, reader: Audience, to: CopyFor) {
    let (app, team) = (Arc::clone(update.app), update.team().to_owned());
    let key = format!("{} copy", update.key);
    update.app.afterwards.spawn(async move {
        let copying = hand_over(&app, &team, (session, reader), &to);
        app.deduplicator.say(&key, Box::pin(or_tell(&app, &team, &to.reply_target, copying))).await;
    });
}

/// Whether something has arrived. Where it has not, whoever was told that it is on its way is told that as well.
async fn or_tell(
    app: &App,
    team: &str,
    reply_target: &ReplyTarget,
    sending: impl Future<Output = bool>,
) -> bool {
    let has_arrived = sending.await;
    if !has_arrived {
        post_ephemeral(app, team, reply_target, words::COULD_NOT_SEND).await;
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
    CopyFor { reply_target, thread }: &CopyFor,
    (name, bytes): (&str, Vec<u8>),
) -> bool {
    let body = json!({ "users": reply_target.user });
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
    app.post_log.note_or_tell(session, &[posted]).await;
    true
}

/// One conversation of the overview, for staff.
async fn shown(
    update: &UpdateContext<'_>,
    id: &str,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(session) = SessionId::from_short(id) else { return Ok(Ack::Empty) };
    match update.responder_about(session, &action.by).await {
        Ok(from) if from.staff => {}
        Ok(_) => {
            update.tell(reply_target, words::FOR_STAFF);
            return Ok(Ack::Empty);
        }
        Err(unchecked) => {
            update.tell(reply_target, &unchecked.to_string());
            return Ok(Ack::Empty);
        }
    }
    match update.engine.look(session).await {
        Ok(look) => {
            if let Ack::Ephemeral { text, blocks } = card_of(&look) {
                if action.view.is_some() {
                    update.show_over("Conversation", &blocks, action, reply_target.clone());
                } else {
                    update.post_ephemeral(reply_target, Post { text, blocks });
                }
            }
        }
        Err(error) => update.tell(reply_target, &words::of_error(&error)),
    }
    Ok(Ack::Empty)
}

async fn ordered(
    update: &UpdateContext<'_>,
    (order, session): (StaffAction, SessionId),
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let from = match update.responder_about(session, &action.by).await {
        Ok(from) => from,
        Err(unchecked) => {
            update.tell(reply_target, &unchecked.to_string());
            return Ok(Ack::Empty);
        }
    };
    if !from.staff {
        update.tell(reply_target, words::FOR_STAFF);
        return Ok(Ack::Empty);
    }
    update.receive(session, (from, InboundKind::Command(order.command())), reply_target, None).await
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
