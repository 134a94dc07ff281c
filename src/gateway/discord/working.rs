//! A message with a button that stops the model, where it has been at work for a while: one for a turn, and gone with its
//! end.
//!
//! Best effort, like the sign that the bot is writing. What a process leaves behind is found by the note that it kept, and
//! deleted when the next one begins.

use std::{collections::HashSet, sync::Arc};

use serde_json::Value;
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{api::Near, app::App, limits, render::Message, send, texts};
use crate::{
    chat::standing::Standing,
    engine::{Changed, Engine, Look},
    ids::{EffectId, SessionId},
    model::{
        posted::{Item, Posted, Reader},
        session::Platform,
    },
    store::{Find, Note},
};

/// Follows the engine until `shutdown`; does nothing where no model leads.
pub(super) async fn keep_offering(app: &Arc<App>, shutdown: CancellationToken) {
    let Some(engine) = app.engine().filter(|engine| engine.parts().models.interview.is_some())
    else {
        return;
    };
    let mut watched = engine.watch();
    let mut busy = HashSet::new();
    let mut jobs: JoinSet<SessionId> = JoinSet::new();
    tokio::select! {
        () = shutdown.cancelled() => return,
        () = remove_left(app, engine) => {}
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
    if keep(app, session, Some(&room)).await.is_err() {
        return;
    }
    let nonce = send::nonce(EffectId::mint(app.ids.as_ref()), 0);
    let Ok(message) = app.api.post(&room, &nonce, shown(session).body(0)).await else {
        // It may stand there all the same.
        return remove(app, session, &room).await;
    };
    // It has taken the other sign away.
    app.signs.changed(session);
    let at = format!("{room}/{message}");
    let posted = Posted { item: Item::Message { at }, reader: Reader::Participant };
    app.ledger.note_or_tell(session, &[posted]).await;
    until_done(engine, session, changes).await;
    if app.api.delete(&room, &message).await.is_ok() {
        _ = keep(app, session, None).await;
    } else {
        remove(app, session, &room).await;
    }
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
    (Standing::of(&look) == Standing::Processing).then_some(look)
}

/// Removes what a process before this one has left standing.
async fn remove_left(app: &App, engine: &Engine) {
    let store = &engine.parts().store;
    let newest = store.find(Find::Newest(limits::CATCH_UP_SESSIONS)).await.unwrap_or_default();
    for head in newest.iter().filter(|head| head.place.platform == Platform::Discord) {
        let note = store.noted(&key(head.id)).await.ok().flatten();
        if let Some(room) = note.and_then(|note| note.value) {
            remove(app, head.id, &room).await;
        }
    }
}

/// Deletes the message wherever it stands among the newest of a room.
async fn remove(app: &App, session: SessionId, room: &str) {
    let Ok(messages) = app.api.messages(room, Near::Latest, limits::CATCH_UP_MESSAGES).await else {
        return;
    };
    let button = button_of(session);
    let is_it = |message: &&Value| message["components"].to_string().contains(&button);
    for message in messages.iter().filter(is_it) {
        if let Some(id) = message["id"].as_str()
            && app.api.delete(room, id).await.is_err()
        {
            return;
        }
    }
    _ = keep(app, session, None).await;
}

fn key(session: SessionId) -> String {
    format!("discord/working/{session}")
}

/// Notes in which room the message stands, or that there is none.
async fn keep(
    app: &App,
    session: SessionId,
    room: Option<&str>,
) -> Result<(), crate::store::Error> {
    let note = Note { key: key(session), session: Some(session), value: room.map(str::to_owned) };
    app.store.note(note).await
}

fn button_of(session: SessionId) -> String {
    format!("{}{}", texts::INTERRUPT, session.short())
}

fn shown(session: SessionId) -> Message {
    texts::working(button_of(session))
}
