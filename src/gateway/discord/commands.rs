//! What people order: the commands, the panel, the buttons of the staff's thread, a first word to the bot.

mod begin;
mod own;
mod reading;
mod registered;

use std::sync::Arc;

use super::{
    inbound::{Ack, Action, Actor, Command as Ordered, Message, NotTaken, Target},
    inbox::{Arrival, Ear, offer, participant},
    manifest::{ONBOARD, OVERRIDE, PRIVACY, REVIEW, REVIEW_USER, UPLOAD, USE_AS_ANSWER},
    mirror, people, texts,
};
use crate::{
    chat::transcript::Opening,
    engine::What,
    form::{Order, glance, words},
    ids::SessionId,
    interview::{Command, Responder},
    model::{
        posted::{Item, Posted, Reader},
        session::{Head, Platform},
        transcript::Audience,
        ui::Control,
        wait::Wait,
    },
    threads::Role,
};

use self::{
    begin::{chosen, startable, started},
    own::own,
};

pub(super) use self::begin::{begin_for, begin_on_join};

pub(super) use self::registered::keep_registered;

/// Conversations that are counted for the overview.
const COUNTED: usize = 1_000;

/// A command, with what was given with it.
pub(super) async fn typed(arrival: &Arrival<'_>, command: Ordered) -> Result<Ack, NotTaken> {
    let ear = Ear { user: command.by.user.clone(), channel: command.at.channel.clone() };
    if arrival.guild.is_none() {
        return Ok(arrival.say(&ear, texts::IN_A_SERVER));
    }
    let path: Vec<&str> = command.path.iter().map(String::as_str).collect();
    match path.as_slice() {
        [ONBOARD, "panel"] => Ok(begin::panel(arrival, &command, &ear)),
        [ONBOARD, "start"] => {
            let flow = chosen(arrival.engine, command.options.get("flow"));
            started(arrival, flow, &command.by, &ear).await
        }
        [ONBOARD, "status"] => status(arrival, &command.by, &ear).await,
        [ONBOARD, "cancel"] => own(arrival, &command.by, &ear, Command::Stop).await,
        [ONBOARD, "resume"] => own(arrival, &command.by, &ear, Command::Resume).await,
        [PRIVACY, "export"] => own(arrival, &command.by, &ear, Command::Export).await,
        [PRIVACY, "delete"] => own(arrival, &command.by, &ear, Command::Delete).await,
        [UPLOAD] => upload(arrival, &command, &ear).await,
        [REVIEW] => review(arrival, command.options.get("member"), &command.by, &ear).await,
        [REVIEW_USER] => {
            let whom = match &command.target {
                Some(Target::User(user)) => Some(user),
                Some(Target::Message(_)) | None => None,
            };
            review(arrival, whom, &command.by, &ear).await
        }
        [OVERRIDE] => advance(arrival, &command, &ear).await,
        [USE_AS_ANSWER] => match command.target {
            Some(Target::Message(message)) => used(arrival, *message, &command.by, &ear).await,
            Some(Target::User(_)) | None => Ok(arrival.say(&ear, words::NO_ANSWER)),
        },
        _ => Ok(arrival.say(&ear, texts::GONE)),
    }
}

/// One's own conversation that is meant, or what to say instead.
async fn mine(arrival: &Arrival<'_>, by: &Actor) -> Result<Option<Head>, NotTaken> {
    let mine = arrival.conversations(&arrival.person(by)).await.map_err(|_| NotTaken)?;
    Ok(glance::newest(&mine, Platform::Discord))
}

/// There is no conversation to talk about.
const NO_SESSION: &str = "There is no conversation yet. Begin one with `/onboard start`.";

/// One's own progress.
async fn status(arrival: &Arrival<'_>, by: &Actor, ear: &Ear) -> Result<Ack, NotTaken> {
    let Some(head) = mine(arrival, by).await? else {
        return Ok(arrival.say(ear, NO_SESSION));
    };
    match arrival.engine.look(head.id).await {
        Ok(look) => {
            let app = Arc::clone(arrival.app);
            Ok(arrival.say_later(async move {
                let link = own::link(&app, &look).await;
                mirror::own(&look, link.as_deref())
            }))
        }
        Err(error) => Ok(arrival.say(ear, &words::of_error(&error))),
    }
}

/// A file that was handed in by a command, for apps without a form for it.
async fn upload(arrival: &Arrival<'_>, command: &Ordered, ear: &Ear) -> Result<Ack, NotTaken> {
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
    let what = What::Offered { wait, files: vec![file], text: None };
    arrival.receive(head.id, (from, what), ear, None).await
}

/// The words of a message that somebody wrote themselves, as the answer to the open question.
async fn used(
    arrival: &Arrival<'_>,
    message: Message,
    by: &Actor,
    ear: &Ear,
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
        None => Ok(arrival.say(ear, NO_SESSION)),
    }
}

/// How somebody is, or everybody (BEHAVIOUR J5); for staff alone.
async fn review(
    arrival: &Arrival<'_>,
    whom: Option<&String>,
    by: &Actor,
    ear: &Ear,
) -> Result<Ack, NotTaken> {
    let from = arrival.responder(by);
    if !from.staff {
        return Ok(arrival.tell(ear, words::FOR_STAFF));
    }
    let Some(user) = whom else {
        let heads = match arrival.engine.sessions(COUNTED).await {
            Ok(heads) => heads,
            Err(error) => return Ok(arrival.say(ear, &words::of_error(&error))),
        };
        let of_here = |head: &Head| glance::is_of(head, Platform::Discord, arrival.guild());
        let heads: Vec<Head> = heads.into_iter().filter(of_here).collect();
        return Ok(arrival.show(ear, mirror::overview(&heads, arrival.app.clock.now())));
    };
    match theirs(arrival, user).await? {
        Some(head) => Ok(shown(arrival, head.id, ear).await),
        None => Ok(arrival.say(ear, words::NONE_OF_THEIRS)),
    }
}

async fn theirs(arrival: &Arrival<'_>, user: &str) -> Result<Option<Head>, NotTaken> {
    let person = people::person_id(arrival.guild(), user);
    let found = arrival.conversations(&person).await.map_err(|_| NotTaken)?;
    Ok(glance::newest(&found, Platform::Discord))
}

async fn shown(arrival: &Arrival<'_>, session: SessionId, ear: &Ear) -> Ack {
    match arrival.engine.look(session).await {
        Ok(look) => arrival.show(ear, mirror::one(&look)),
        Err(error) => arrival.say(ear, &words::of_error(&error)),
    }
}

/// What a decider orders goes through at once, with the reason in the audit trail (BEHAVIOUR J3.8).
async fn advance(arrival: &Arrival<'_>, command: &Ordered, ear: &Ear) -> Result<Ack, NotTaken> {
    let from = arrival.responder(&command.by);
    if !from.staff {
        return Ok(arrival.tell(ear, words::FOR_STAFF));
    }
    let Some(user) = command.options.get("member") else {
        return Ok(arrival.say(ear, words::NONE_OF_THEIRS));
    };
    let Some(head) = theirs(arrival, user).await? else {
        return Ok(arrival.say(ear, words::NONE_OF_THEIRS));
    };
    let reason = command.options.get("reason").cloned().unwrap_or_default();
    let what = What::Command(Command::Advance { reason });
    arrival.receive(head.id, (from, what), ear, None).await
}

/// A button that belongs to no question.
pub(super) async fn pressed(arrival: &Arrival<'_>, action: Action) -> Result<Ack, NotTaken> {
    let ear = Ear { user: action.by.user.clone(), channel: action.at.channel.clone() };
    let id = action.element.as_str();
    if let Some(opening) = Opening::parse(id) {
        return reading::read(arrival, opening, &action, &ear).await;
    }
    if let Some(id) = id.strip_prefix(texts::START) {
        let flow = startable(arrival.engine).into_iter().find(|flow| flow.flow.id == id);
        return started(arrival, flow.into_iter().collect(), &action.by, &ear).await;
    }
    if let Some(id) = id.strip_prefix(texts::HELP) {
        return Ok(match own_session(arrival, id, &action, &ear).await? {
            Ok((session, _)) => help(arrival, session, &ear).await?,
            Err(refused) => refused,
        });
    }
    if let Some(id) = id.strip_prefix(texts::COPY) {
        return Ok(match own_session(arrival, id, &action, &ear).await? {
            Ok((session, _)) => hand_out(arrival, session, &action.by.user),
            Err(refused) => refused,
        });
    }
    if let Some(id) = id.strip_prefix(texts::DELETE) {
        return match own_session(arrival, id, &action, &ear).await? {
            Ok((session, from)) => {
                arrival.receive(session, (from, What::Command(Command::Delete)), &ear, None).await
            }
            Err(refused) => Ok(refused),
        };
    }
    if let Some((offered, id)) = texts::parse_offer(id) {
        return match own_session(arrival, id, &action, &ear).await? {
            Ok((session, from)) => {
                let what = What::Command(Command::from(offered));
                arrival.receive(session, (from, what), &ear, None).await
            }
            Err(refused) => Ok(refused),
        };
    }
    if let Some(id) = id.strip_prefix(texts::SHOW) {
        let Some(session) = SessionId::from_short(id) else { return Ok(arrival.quiet.clone()) };
        return match about(arrival, session, &action.by, &ear).await? {
            Ok(_) => Ok(shown(arrival, session, &ear).await),
            Err(refused) => Ok(refused),
        };
    }
    let ends = id.strip_prefix(texts::END).and_then(SessionId::from_short);
    let order = ends.map(|session| (Order::End, session)).or_else(|| Order::parse(id));
    let Some((order, session)) = order else { return Ok(arrival.tell(&ear, texts::GONE)) };
    let from = match about(arrival, session, &action.by, &ear).await? {
        Ok(from) => from,
        Err(refused) => return Ok(refused),
    };
    if order == Order::End && ends.is_none() {
        return Ok(arrival.show(&ear, texts::sure_to_end(session)));
    }
    arrival.receive(session, (from, What::Command(order.command())), &ear, None).await
}

/// What works in a conversation.
async fn help(arrival: &Arrival<'_>, session: SessionId, ear: &Ear) -> Result<Ack, NotTaken> {
    let Some(head) = arrival.head(session).await.map_err(|_| NotTaken)? else {
        return Ok(arrival.tell(ear, words::NO_CONVERSATION));
    };
    let hears = arrival.app.hears(session, &head.place).await;
    Ok(arrival.show(ear, texts::help(texts::HELP_TITLE, session, hears)))
}

/// Somebody of the staff of a conversation, or the refusal.
async fn about(
    arrival: &Arrival<'_>,
    session: SessionId,
    by: &Actor,
    ear: &Ear,
) -> Result<Result<Responder, Ack>, NotTaken> {
    let Some(head) = arrival.head(session).await.map_err(|_| NotTaken)? else {
        return Ok(Err(arrival.tell(ear, words::NO_CONVERSATION)));
    };
    let from = arrival.responder_at(&head, by);
    Ok(if from.staff { Ok(from) } else { Err(arrival.tell(ear, words::FOR_STAFF)) })
}

/// The session of a button, if it is that of the one who pressed it.
async fn own_session(
    arrival: &Arrival<'_>,
    id: &str,
    action: &Action,
    ear: &Ear,
) -> Result<Result<(SessionId, Responder), Ack>, NotTaken> {
    let head = match SessionId::from_short(id) {
        Some(session) => arrival.head(session).await.map_err(|_| NotTaken)?,
        None => None,
    };
    let Some(head) = head else {
        return Ok(Err(arrival.tell(ear, words::NO_CONVERSATION)));
    };
    if head.participant.user != action.by.user {
        return Ok(Err(arrival.tell(ear, words::NOT_YOURS)));
    }
    Ok(Ok((head.id, participant(&head, &action.by))))
}

/// Puts a copy into somebody's direct messages; where they take none, into their thread, which nobody else of the
/// members sees.
fn hand_out(arrival: &Arrival<'_>, session: SessionId, user: &str) -> Ack {
    let (app, user) = (Arc::clone(arrival.app), user.to_owned());
    let nonce = super::send::nonce(crate::ids::EffectId::mint(app.ids.as_ref()), 0);
    arrival.say_later(async move {
        let Some(engine) = app.engine() else { return NO_COPY.to_owned() };
        let Ok(gathered) = engine.gather(session).await else { return NO_COPY.to_owned() };
        let Ok(bytes) = engine.bundle(&gathered, Audience::Participant).await else {
            return NO_COPY.to_owned();
        };
        let name = format!("anteroom-{session}.zip");
        let body = texts::words("A copy of everything.").body(0);
        let mut places: Vec<String> = app.api.open_direct(&user).await.into_iter().collect();
        places.extend(app.rooms.known(session).await.ok().flatten());
        for (index, place) in places.iter().enumerate() {
            let file = (name.as_str(), bytes.clone());
            if let Ok(message) = app.api.post_file(place, &nonce, body.clone(), file).await {
                let item = Item::Message { at: format!("{place}/{message}") };
                let posted = Posted { item, reader: Reader::Participant };
                app.ledger.note_or_tell(session, &[posted]).await;
                let here = if index == 0 { "your direct messages" } else { "your thread" };
                return format!("Sent. You find it in {here}.");
            }
        }
        NO_COPY.to_owned()
    })
}

const NO_COPY: &str = "I could not send it just now. Please try again.";

/// Somebody writes to the bot, or mentions it, where there is no conversation.
pub(super) fn approached(arrival: &Arrival<'_>, message: &Message) -> Ack {
    let ear = Ear { user: message.by.user.clone(), channel: message.channel.clone() };
    if arrival.guild.is_none() {
        let hello = "Hello. I begin in the server: press Start there, or type `/onboard start`.";
        return arrival.greet(&ear, texts::words(hello));
    }
    match startable(arrival.engine).as_slice() {
        [] => arrival.greet(&ear, texts::words(words::NO_FLOWS)),
        flows => arrival.greet(&ear, begin::chooser(flows)),
    }
}
