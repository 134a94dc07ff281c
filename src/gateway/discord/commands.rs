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
async fn mine(update: &UpdateContext<'_>, by: &Actor) -> Result<Option<Head>, NotTaken> {
    let mine = update.conversations(&update.person(by)).await.map_err(|_| NotTaken)?;
    Ok(overview::newest(&mine, Platform::Discord))
}

/// A file that was handed in by a command, for apps without a form for it.
async fn upload(
    update: &UpdateContext<'_>,
    command: &Given,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(file) = command.files.get("file") else {
        return Ok(update.say(reply_target, words::NO_ANSWER));
    };
    let Some(head) = mine(update, &command.by).await? else {
        return Ok(update.say(reply_target, texts::NO_UPLOAD));
    };
    let look = match update.engine.look(head.id).await {
        Ok(look) => look,
        Err(error) => return Ok(update.say(reply_target, &words::of_error(&error))),
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
        Err(complaint) => return Ok(update.say(reply_target, &complaint)),
    };
    let from = participant(&head, &command.by);
    let wait = asked.map(|(wait, _): (&Wait, _)| wait.id);
    let what = InboundKind::Offered { wait, files: vec![file], text: None };
    update.receive(head.id, (from, what), reply_target, None).await
}

/// The words of a message that somebody wrote themselves, as the answer to the open question.
async fn used(
    update: &UpdateContext<'_>,
    message: Message,
    by: &Actor,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    if message.by.user != by.user {
        return Ok(update.say(reply_target, "Choose a message that you wrote yourself."));
    }
    let there = update.app.rooms.of(&message.channel).await.map_err(|_| NotTaken)?;
    let session = match there {
        Some((session, Role::Conversation)) => Some(session),
        Some((_, Role::Staff | Role::Request(_))) | None => {
            mine(update, by).await?.map(|head| head.id)
        }
    };
    match session {
        Some(session) => update.heard(session, Message { by: by.clone(), ..message }).await,
        None => Ok(update.say(reply_target, &no_session(&Asker { update, by }))),
    }
}

async fn shown(update: &UpdateContext<'_>, session: SessionId, reply_target: &ReplyTarget) -> Ack {
    match update.engine.look(session).await {
        Ok(look) => update.show(reply_target, staff_thread::one(&look)),
        Err(error) => update.say(reply_target, &words::of_error(&error)),
    }
}

/// A button that belongs to no question.
pub(super) async fn pressed(update: &UpdateContext<'_>, action: Action) -> Result<Ack, NotTaken> {
    let reply_target =
        ReplyTarget { user: action.by.user.clone(), channel: action.at.channel.clone() };
    let id = action.element.as_str();
    if let Some(opening) = Opening::parse(id) {
        return reading::read(update, opening, &action, &reply_target).await;
    }
    if let Some(reading) = Reading::parse(id) {
        return reading::open(update, reading, &action, &reply_target).await;
    }
    if let Some(id) = id.strip_prefix(texts::START) {
        return begin::pressed(update, id, &action.by, &reply_target).await;
    }
    if let Some(id) = id.strip_prefix(invite::INVITE) {
        return invite::pressed(update, id, &action, &reply_target).await;
    }
    for (prefix, is_good) in [(texts::GOOD, true), (texts::BAD, false)] {
        if let Some(id) = id.strip_prefix(prefix) {
            return rating::rated(update, (id, is_good), &action, &reply_target).await;
        }
    }
    if let Some(id) = id.strip_prefix(texts::HELP) {
        return Ok(match own_session(update, id, &action.by, &reply_target).await? {
            Ok((session, _)) => help(update, session, &reply_target).await?,
            Err(refused) => refused,
        });
    }
    if let Some(id) = id.strip_prefix(texts::COPY) {
        return Ok(match own_session(update, id, &action.by, &reply_target).await? {
            Ok((session, _)) => {
                copy::hand_out(update, (session, Audience::Participant), &action.by.user)
            }
            Err(refused) => refused,
        });
    }
    if let Some((command, id)) = command_of(id) {
        return match own_session(update, id, &action.by, &reply_target).await? {
            Ok((session, from)) => {
                update
                    .receive(session, (from, InboundKind::Command(command)), &reply_target, None)
                    .await
            }
            Err(refused) => Ok(refused),
        };
    }
    if let Some(id) = id.strip_prefix(texts::SHOW) {
        let Some(session) = SessionId::from_short(id) else { return Ok(update.quiet.clone()) };
        return match reader(update, session, &action.by, &reply_target).await? {
            Ok(_) => Ok(shown(update, session, &reply_target).await),
            Err(refused) => Ok(refused),
        };
    }
    ordered(update, &action, &reply_target).await
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
    update: &UpdateContext<'_>,
    action: &Action,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let id = action.element.as_str();
    let ends = id.strip_prefix(texts::END).and_then(SessionId::from_short);
    let order = ends.map(|session| (StaffAction::End, session)).or_else(|| StaffAction::parse(id));
    let Some((order, session)) = order else { return Ok(update.tell(reply_target, texts::GONE)) };
    let from = match reader(update, session, &action.by, reply_target).await? {
        Ok(from) => from,
        Err(refused) => return Ok(refused),
    };
    if order == StaffAction::End && ends.is_none() {
        return Ok(update.show(reply_target, texts::sure_to_end(session)));
    }
    update.receive(session, (from, InboundKind::Command(order.command())), reply_target, None).await
}

/// What works in a conversation.
async fn help(
    update: &UpdateContext<'_>,
    session: SessionId,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotTaken> {
    let Some(head) = update.head(session).await.map_err(|_| NotTaken)? else {
        return Ok(update.tell(reply_target, words::NO_CONVERSATION));
    };
    let hears = update.app.hears(session, &head.place).await;
    Ok(update.show(reply_target, texts::help(texts::HELP_TITLE, session, hears)))
}

/// Somebody of the staff of a conversation, or the refusal.
async fn reader(
    update: &UpdateContext<'_>,
    session: SessionId,
    by: &Actor,
    reply_target: &ReplyTarget,
) -> Result<Result<Responder, Ack>, NotTaken> {
    let Some(head) = update.head(session).await.map_err(|_| NotTaken)? else {
        return Ok(Err(update.tell(reply_target, words::NO_CONVERSATION)));
    };
    let from = update.responder_at(&head, by);
    Ok(if from.staff { Ok(from) } else { Err(update.tell(reply_target, words::FOR_STAFF)) })
}

/// The session of a button, if it is that of the one who pressed it.
async fn own_session(
    update: &UpdateContext<'_>,
    id: &str,
    by: &Actor,
    reply_target: &ReplyTarget,
) -> Result<Result<(SessionId, Responder), Ack>, NotTaken> {
    let head = match SessionId::from_short(id) {
        Some(session) => update.head(session).await.map_err(|_| NotTaken)?,
        None => None,
    };
    let Some(head) = head else {
        return Ok(Err(update.tell(reply_target, words::NO_CONVERSATION)));
    };
    if head.participant.user != by.user {
        return Ok(Err(update.tell(reply_target, words::NOT_YOURS)));
    }
    Ok(Ok((head.id, participant(&head, by))))
}

/// Somebody writes to the bot, or mentions it, where there is no conversation.
pub(super) fn approached(update: &UpdateContext<'_>, message: &Message) -> Ack {
    let reply_target =
        ReplyTarget { user: message.by.user.clone(), channel: message.channel.clone() };
    if update.guild.is_none() {
        return update.greet(&reply_target, texts::words(texts::BEGIN_IN_THE_SERVER));
    }
    match startable(update.library(), Platform::Discord).as_slice() {
        [] => update.greet(&reply_target, texts::words(words::NO_FLOWS)),
        flows => update.greet(&reply_target, begin::chooser(flows)),
    }
}
