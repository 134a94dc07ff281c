//! A message with a button that stops the model, where it has been at work for a while: one for a turn, and gone with its
//! end.
//!
//! Best effort, like the sign that the bot is writing. What a process leaves behind is found by the note that it kept, and
//! deleted when the next one begins. A message that Discord does not let the bot delete loses its button and says what
//! was; where that is refused, too, its button still answers what is true.

use std::{collections::HashSet, sync::Arc};

use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    api::{Code, Failure, Near},
    app::App,
    limits,
    render::Message,
    send, texts,
};
use crate::{
    base::ids::{EffectId, SessionId},
    chat::{activity::Activity, handler::ButtonId, message_index::MessageRef, refusal::Class},
    engine::{Changed, Engine, Look},
    model::{
        posted::{Item, Posted, Reader},
        session::Platform,
    },
    store::{Find, Note},
};

/// Follows the engine until `shutdown`; does nothing where no model leads.
pub(super) async fn keep_offering(app: &Arc<App>, shutdown: CancellationToken) {
    let engine = app.engine();
    if engine.parts().models.interview.is_none() {
        return;
    }
    let mut watched = engine.watch();
    let mut busy = HashSet::new();
    let mut jobs: JoinSet<SessionId> = JoinSet::new();
    let left = tokio::select! {
        () = shutdown.cancelled() => return,
        left = left(app, engine) => left,
    };
    for session in left {
        busy.insert(session);
        let app = Arc::clone(app);
        jobs.spawn(async move {
            remove_noted(&app, session).await;
            session
        });
    }
    loop {
        let session = tokio::select! {
            () = shutdown.cancelled() => return,
            changed = watched.recv() => match changed {
                Ok(changed) => changed.session,
                // Who falls behind sees the next change.
                Err(RecvError::Lagged(_)) => continue,
                Err(RecvError::Closed) => return,
            },
            Some(done) = jobs.join_next(), if !jobs.is_empty() => match done {
                Ok(session) => {
                    busy.remove(&session);
                    if !engine.is_asking_model(session) {
                        continue;
                    }
                    session
                }
                Err(error) => {
                    tracing::error!(%error, "a button that stops the model could not be offered");
                    continue;
                }
            },
        };
        if busy.len() < limits::TYPING_SESSIONS && busy.insert(session) {
            let (app, engine) = (Arc::clone(app), engine.clone());
            jobs.spawn(async move {
                offer(&app, &engine, session).await;
                session
            });
        }
    }
}

/// Offers the button while the model is at work in a session, once it has been for a while.
async fn offer(app: &App, engine: &Engine, session: SessionId) {
    let changes = engine.watch();
    sleep(limits::STOP_AFTER).await;
    let Some(look) = at_work(engine, session).await else { return };
    let is_here = look.loaded.head.place.platform == Platform::Discord;
    if !is_here || look.loaded.head.parent.is_some() || !engine.is_asking_model(session) {
        return;
    }
    let Ok(Some(room)) = app.rooms.known(session).await else { return };
    // Of an earlier turn, where it could not be removed then.
    remove_noted(app, session).await;
    if !engine.is_asking_model(session) || keep(app, session, Some(&room)).await.is_err() {
        return;
    }
    let nonce = send::nonce(EffectId::mint(app.ids.as_ref()), 0);
    let Ok(message) = app.api.post(&room, &nonce, shown(session).body().json()).await else {
        // It may stand there all the same.
        return remove(app, session, &room).await;
    };
    // It has taken the other sign away.
    app.work_indicators.changed(session);
    let at = MessageRef { channel: room, message };
    _ = keep(app, session, Some(&at.name())).await;
    app.post_log.note_or_tell(session, &[posted(&at)]).await;
    until_done(engine, session, changes).await;
    remove(app, session, &at.name()).await;
}

/// Resolves when it is not the model's turn any more.
async fn until_done(engine: &Engine, session: SessionId, mut watched: Receiver<Changed>) {
    while at_work(engine, session).await.is_some() {
        let news = async {
            loop {
                match watched.recv().await {
                    Ok(changed) if changed.session != session => {}
                    _ => return,
                }
            }
        };
        // A change that was missed is seen a while later.
        _ = timeout(limits::TYPING_AGAIN, news).await;
    }
}

/// A session where it is the bot's turn.
async fn at_work(engine: &Engine, session: SessionId) -> Option<Look> {
    let look = engine.look(session).await.ok()?;
    (Activity::of(&look) == Activity::Processing).then_some(look)
}

/// Sessions in which a process before this one has left a message.
async fn left(app: &App, engine: &Engine) -> Vec<SessionId> {
    let store = &engine.parts().store;
    let newest = store.find(Find::newest(limits::CATCH_UP_SESSIONS)).await.unwrap_or_default();
    let mut left = Vec::new();
    for head in newest.iter().filter(|head| head.place.platform == Platform::Discord) {
        if noted(app, head.id).await.is_some() {
            left.push(head.id);
        }
    }
    left
}

/// Removes the message that a note tells of.
async fn remove_noted(app: &App, session: SessionId) {
    if let Some(at) = noted(app, session).await {
        remove(app, session, &at).await;
    }
}

/// Removes the message at a [`MessageRef`], or somewhere in a room; while Discord cannot be reached, again and again. What is
/// refused is left to the next process, or to the next turn that takes long.
async fn remove(app: &App, session: SessionId, at: &str) {
    while let Err(failure) = try_to_remove(app, session, at).await {
        let after = match failure.class() {
            Class::Later { after } => after,
            _ if failure.code().is_some() => {
                tracing::warn!(session.id = %session, %failure, "a button that stops the model stays");
                return;
            }
            _ => limits::TYPING_AGAIN,
        };
        sleep(after).await;
    }
    _ = keep(app, session, None).await;
}

async fn try_to_remove(app: &App, session: SessionId, at: &str) -> Result<(), Failure> {
    let found = match MessageRef::parse(at) {
        Some(spot) => vec![spot],
        None => look_for(app, session, at).await?,
    };
    for spot in found {
        if !delete(app, &spot).await? {
            app.post_log.note_or_tell(session, &[posted(&spot)]).await;
        }
    }
    Ok(())
}

/// The messages with this button among the newest of a room.
async fn look_for(app: &App, session: SessionId, room: &str) -> Result<Vec<MessageRef>, Failure> {
    let messages = match app.api.messages(room, Near::Latest, limits::CATCH_UP_MESSAGES).await {
        Err(failure) if failure.class() == Class::PlaceGone => return Ok(Vec::new()),
        messages => messages?,
    };
    let button = button_of(session);
    let with_button =
        messages.iter().filter(|message| message["components"].to_string().contains(&button));
    let ids = with_button.filter_map(|message| message["id"].as_str());
    Ok(ids.map(|id| MessageRef { channel: room.to_owned(), message: id.to_owned() }).collect())
}

/// Whether a message is gone; if not, it has no button any more.
async fn delete(app: &App, at: &MessageRef) -> Result<bool, Failure> {
    let (room, message) = (at.channel.as_str(), at.message.as_str());
    let mut deleted = app.api.delete(room, message).await;
    if deleted.as_ref().is_err_and(|failure| failure.is(Code::Archived)) {
        app.api.unarchive(room).await?;
        deleted = app.api.delete(room, message).await;
    }
    let is_gone =
        |failure: &Failure| matches!(failure.class(), Class::MessageGone | Class::PlaceGone);
    match deleted {
        Ok(()) => Ok(true),
        Err(failure) if is_gone(&failure) => Ok(true),
        Err(failure) if matches!(failure.class(), Class::Later { .. }) => Err(failure),
        Err(failure) if failure.code().is_some() => {
            app.api.edit(room, message, texts::worked().body().json()).await.map(|()| false)
        }
        Err(failure) => Err(failure),
    }
}

fn posted(at: &MessageRef) -> Posted {
    Posted { item: Item::Message { at: at.name() }, reader: Reader::Participant }
}

fn key(session: SessionId) -> String {
    format!("discord/working/{session}")
}

/// Where the message stands that a note tells of: `room/message`, or `room` where its name is not known.
async fn noted(app: &App, session: SessionId) -> Option<String> {
    app.store.noted(&key(session)).await.ok().flatten()?.value
}

/// Notes where the message stands, or that there is none.
async fn keep(app: &App, session: SessionId, at: Option<&str>) -> Result<(), crate::store::Error> {
    let note = Note { key: key(session), session: Some(session), value: at.map(str::to_owned) };
    app.store.note(note).await
}

fn button_of(session: SessionId) -> String {
    ButtonId::interrupt(session)
}

fn shown(session: SessionId) -> Message {
    texts::working(button_of(session))
}
