//! What people order: the commands, the panel, the buttons of the staff's thread, a first word to the bot.

mod begin;
mod copy;
mod invite;
mod own;
mod rating;
mod reading;
mod registered;
mod slash;

use super::{
    handler::{ReplyTarget, UpdateContext, offer, participant},
    inbound::{Ack, Action, Actor, Command as Given, Message, NotTaken},
    staff_thread, texts,
};
use crate::{
    base::ids::SessionId,
    chat::{
        commands::decide::{no_session, startable},
        form::{StaffAction, overview, words},
        message_index::Role,
        profile::Reading,
        transcript::Opening,
    },
    engine::InboundKind,
    model::{
        session::{Head, Platform},
        transcript::Audience,
        ui::Control,
        wait::Wait,
    },
    session::{Command, Responder},
};

use self::slash::Asker;

pub(super) use self::{
    begin::{begin_for, begin_on_join},
    rating::explained,
    registered::keep_registered,
    slash::typed,
};

/// One's own conversation that is meant.
async fn mine(arrival: &UpdateContext<'_>, by: &Actor) -> Result<Option<Head>, NotTaken> {
    let mine = arrival.conversations(&arrival.person(by)).await.map_err(|_| NotTaken)?;
    Ok(overview::newest(&mine, Platform::Discord))
}

/// A file that was handed in by a command, for apps without a form for it.
async fn upload(
    arrival: &UpdateContext<'_>,
    command: &Given,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(file) = command.files.get("file") else {
        return Ok(arrival.say(ear, words::NO_ANSWER));
    };
    let Some(head) = mine(arrival, &command.by).await? else {
        return Ok(arrival.say(ear, texts::NO_UPLOAD));
    };
    let look = match arrival.engine.look(head.id).await {
        Ok(look) => look,
        Err(error) => return Ok(arrival.say(ear, &words::of_error(&error))),
    };
    let asked = look.state.pending().find_map(|wait| match &wait.prompt.control {
        Control::Upload(upload) => Some((wait, upload)),
        _ => None,
    });
    let offered = match asked {
        Some((_, upload)) => offer(upload, file),
        None => Ok(super::files::offer(file)),
    };
    let file = match offered {
        Ok(file) => file,
        Err(complaint) => return Ok(arrival.say(ear, &complaint)),
    };
    let from = participant(&head, &command.by);
    let wait = asked.map(|(wait, _): (&Wait, _)| wait.id);
    let what = InboundKind::Offered { wait, files: vec![file], text: None };
    arrival.receive(head.id, (from, what), ear, None).await
}

/// The words of a message that somebody wrote themselves, as the answer to the open question.
async fn used(
    arrival: &UpdateContext<'_>,
    message: Message,
    by: &Actor,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    if message.by.user != by.user {
        return Ok(arrival.say(ear, "Choose a message that you wrote yourself."));
    }
    let there = arrival.app.rooms.of(&message.channel).await.map_err(|_| NotTaken)?;
    let session = match there {
        Some((session, Role::Conversation)) => Some(session),
        Some((_, Role::Staff | Role::Request(_))) | None => {
            mine(arrival, by).await?.map(|head| head.id)
        }
    };
    match session {
        Some(session) => arrival.heard(session, Message { by: by.clone(), ..message }).await,
        None => Ok(arrival.say(ear, &no_session(&Asker { arrival, by }))),
    }
}

async fn shown(arrival: &UpdateContext<'_>, session: SessionId, ear: &ReplyTarget) -> Ack {
    match arrival.engine.look(session).await {
        Ok(look) => arrival.show(ear, staff_thread::one(&look)),
        Err(error) => arrival.say(ear, &words::of_error(&error)),
    }
}

/// A button that belongs to no question.
pub(super) async fn pressed(arrival: &UpdateContext<'_>, action: Action) -> Result<Ack, NotTaken> {
    let ear = ReplyTarget { user: action.by.user.clone(), channel: action.at.channel.clone() };
    let id = action.element.as_str();
    if let Some(opening) = Opening::parse(id) {
        return reading::read(arrival, opening, &action, &ear).await;
    }
    if let Some(reading) = Reading::parse(id) {
        return reading::open(arrival, reading, &action, &ear).await;
    }
    if let Some(id) = id.strip_prefix(texts::START) {
        return begin::pressed(arrival, id, &action.by, &ear).await;
    }
    if let Some(id) = id.strip_prefix(invite::INVITE) {
        return invite::pressed(arrival, id, &action, &ear).await;
    }
    for (prefix, is_good) in [(texts::GOOD, true), (texts::BAD, false)] {
        if let Some(id) = id.strip_prefix(prefix) {
            return rating::rated(arrival, (id, is_good), &action, &ear).await;
        }
    }
    if let Some(id) = id.strip_prefix(texts::HELP) {
        return Ok(match own_session(arrival, id, &action.by, &ear).await? {
            Ok((session, _)) => help(arrival, session, &ear).await?,
            Err(refused) => refused,
        });
    }
    if let Some(id) = id.strip_prefix(texts::COPY) {
        return Ok(match own_session(arrival, id, &action.by, &ear).await? {
            Ok((session, _)) => {
                copy::hand_out(arrival, (session, Audience::Participant), &action.by.user)
            }
            Err(refused) => refused,
        });
    }
    if let Some((command, id)) = command_of(id) {
        return match own_session(arrival, id, &action.by, &ear).await? {
            Ok((session, from)) => {
                arrival.receive(session, (from, InboundKind::Command(command)), &ear, None).await
            }
            Err(refused) => Ok(refused),
        };
    }
    if let Some(id) = id.strip_prefix(texts::SHOW) {
        let Some(session) = SessionId::from_short(id) else { return Ok(arrival.quiet.clone()) };
        return match reader(arrival, session, &action.by, &ear).await? {
            Ok(_) => Ok(shown(arrival, session, &ear).await),
            Err(refused) => Ok(refused),
        };
    }
    ordered(arrival, &action, &ear).await
}

/// The command that a button gives, and in which session.
fn command_of(id: &str) -> Option<(Command, &str)> {
    if let Some(session) = id.strip_prefix(texts::DELETE) {
        return Some((Command::Delete, session));
    }
    if let Some(session) = id.strip_prefix(texts::INTERRUPT) {
        return Some((Command::Interrupt, session));
    }
    let (offered, session) = texts::parse_offer(id)?;
    Some((Command::from(offered), session))
}

/// A button of the staff's thread.
async fn ordered(
    arrival: &UpdateContext<'_>,
    action: &Action,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let id = action.element.as_str();
    let ends = id.strip_prefix(texts::END).and_then(SessionId::from_short);
    let order = ends.map(|session| (StaffAction::End, session)).or_else(|| StaffAction::parse(id));
    let Some((order, session)) = order else { return Ok(arrival.tell(ear, texts::GONE)) };
    let from = match reader(arrival, session, &action.by, ear).await? {
        Ok(from) => from,
        Err(refused) => return Ok(refused),
    };
    if order == StaffAction::End && ends.is_none() {
        return Ok(arrival.show(ear, texts::sure_to_end(session)));
    }
    arrival.receive(session, (from, InboundKind::Command(order.command())), ear, None).await
}

/// What works in a conversation.
async fn help(
    arrival: &UpdateContext<'_>,
    session: SessionId,
    ear: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(head) = arrival.head(session).await.map_err(|_| NotTaken)? else {
        return Ok(arrival.tell(ear, words::NO_CONVERSATION));
    };
    let hears = arrival.app.hears(session, &head.place).await;
    Ok(arrival.show(ear, texts::help(texts::HELP_TITLE, session, hears)))
}

/// Somebody of the staff of a conversation, or the refusal.
async fn reader(
    arrival: &UpdateContext<'_>,
    session: SessionId,
    by: &Actor,
    ear: &ReplyTarget,
) -> Result<Result<Responder, Ack>, NotTaken> {
    let Some(head) = arrival.head(session).await.map_err(|_| NotTaken)? else {
        return Ok(Err(arrival.tell(ear, words::NO_CONVERSATION)));
    };
    let from = arrival.responder_at(&head, by);
    Ok(if from.staff { Ok(from) } else { Err(arrival.tell(ear, words::FOR_STAFF)) })
}

/// The session of a button, if it is that of the one who pressed it.
async fn own_session(
    arrival: &UpdateContext<'_>,
    id: &str,
    by: &Actor,
    ear: &ReplyTarget,
) -> Result<Result<(SessionId, Responder), Ack>, NotTaken> {
    let head = match SessionId::from_short(id) {
        Some(session) => arrival.head(session).await.map_err(|_| NotTaken)?,
        None => None,
    };
    let Some(head) = head else {
        return Ok(Err(arrival.tell(ear, words::NO_CONVERSATION)));
    };
    if head.participant.user != by.user {
        return Ok(Err(arrival.tell(ear, words::NOT_YOURS)));
    }
    Ok(Ok((head.id, participant(&head, by))))
}

/// Somebody writes to the bot, or mentions it, where there is no conversation.
pub(super) fn approached(arrival: &UpdateContext<'_>, message: &Message) -> Ack {
    let ear = ReplyTarget { user: message.by.user.clone(), channel: message.channel.clone() };
    if arrival.guild.is_none() {
        return arrival.greet(&ear, texts::words(texts::BEGIN_IN_THE_SERVER));
    }
    match startable(arrival.library(), Platform::Discord).as_slice() {
        [] => arrival.greet(&ear, texts::words(words::NO_FLOWS)),
        flows => arrival.greet(&ear, begin::chooser(flows)),
    }
}
