//! Who asked for a conversation, and is told when it reaches nobody.
//!
//! That they are to be told is noted before the message that did not arrive leaves the outbox, and the note goes once they
//! were told. If the process dies in between, [`tell_unfinished`] tells them.
//!
//! ```text
//! slack/asked/ses_…    U0GRACE/C0GENERAL/slack:…   who asked last, where, and by which event; gone with the conversation
//! slack/told/ses_…     1                           they were told; gone with it as well
//! slack/untold/ses_…   1                           they are to be told
//! ```

use std::sync::Arc;

use serde_json::json;

use super::{
    api::Method,
    app::App,
    blocks::{section, to_json},
};
use crate::{
    base::ids::SessionId,
    chat::announcements,
    engine, messages,
    model::{
        posted::{Item, Posted, Reader},
        session::Place,
    },
    store::{self, Note},
};

/// Begins the keys of notes of whom is to be told.
const UNTOLD: &str = "slack/untold/";

/// Remembers who asked for a conversation and where, durable with its session and gone with it; `event` is the key of the
/// event by which they did. Whoever asks again is told again.
pub(super) async fn remember(
    app: &App,
    session: SessionId,
    (user, channel): (&str, &str),
    event: &str,
) {
    let note = |key: String, value: Option<String>| Note { key, session: Some(session), value };
    let asked = format!("{user}/{channel}/{event}");
    let kept = app.store.note(note(key(session), Some(asked))).await;
    let untold = app.store.note(note(told(session), None)).await;
    if let Err(error) = kept.and(untold) {
        tracing::warn!(session.id = %session, %error, "who asked for a conversation is not kept");
    }
}

/// Tells whoever asked for it if a conversation has reached nobody before they were remembered.
pub(super) async fn look(app: &App, session: SessionId) {
    let Ok(view) = app.engine().view(session).await else { return };
    if view.state.is_out_of_reach {
        keep(app, session).await;
        tell(app, &view.state.place, session).await;
    }
}

/// Keeps that whoever asked for a conversation is to be told that it reaches nobody, unless they were told. Durable when it
/// returns, if the store takes it.
pub(super) async fn keep(app: &App, session: SessionId) {
    let kept = match asked(app, session).await {
        Ok(Some(_)) => app.store.note(untold(session, true)).await,
        Ok(None) => return,
        Err(error) => Err(error),
    };
    if let Err(error) = kept {
        tracing::warn!(session.id = %session, %error, "whoever asked for a conversation that reaches nobody may not be told");
    }
}

/// Tells whoever asked for a conversation that it reaches nobody, and how to go on; once. Where nobody knows whether they
/// were told, they are told when the program starts again.
pub(super) async fn tell(app: &App, place: &Place, session: SessionId) {
    let Ok(asked) = asked(app, session).await else { return };
    if let Some(asked) = asked {
        let key = format!("{} {asked}", told(session));
        app.deduplicator.say(&key, tell_them(app, place, session, &asked)).await;
    } else if let Err(error) = app.store.note(untold(session, false)).await {
        tracing::warn!(session.id = %session, %error, "the note that somebody is to be told stays");
    }
}

/// Tells those whom an earlier process was about to tell: asked for until it can be read or the engine closes.
pub(super) async fn tell_unfinished(app: &Arc<App>) {
    let notes = loop {
        match app.store.notes(UNTOLD).await {
            Ok(notes) => break notes,
            Err(error) => tracing::error!(%error, "who is still to be told could not be read"),
        }
        if !announcements::pause(app.engine()).await {
            return;
        }
    };
    let to = Arc::clone(app);
    app.afterwards.spawn_whole(async move {
        for note in notes {
            let Some(session) = note.key.strip_prefix(UNTOLD).and_then(|id| id.parse().ok()) else {
                continue;
            };
            match to.engine().view(session).await {
                Ok(view) => tell(&to, &view.state.place, session).await,
                Err(engine::Error::NoSession) => {
                    // Erased since then.
                    _ = to.store.note(untold(session, false)).await;
                }
                Err(error) => {
                    tracing::warn!(session.id = %session, %error, "whoever asked for it could not be told");
                }
            }
        }
    });
}

/// Who asked for a conversation, where they have not been told that it reaches nobody.
async fn asked(app: &App, session: SessionId) -> Result<Option<String>, store::Error> {
    let asked = app.store.noted(&key(session)).await?.and_then(|note| note.value);
    if asked.is_none() || app.store.noted(&told(session)).await?.is_some() {
        return Ok(None);
    }
    Ok(asked)
}

/// Whether it was said, or never can be.
async fn tell_them(app: &App, place: &Place, session: SessionId, asked: &str) -> bool {
    let mut parts = asked.splitn(3, '/');
    let (user, channel) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let own = user == place.channel;
    let text = if own {
        messages::slack::OPEN_YOUR_MESSAGES.to_owned()
    } else {
        messages::slack::not_reached(&place.channel)
    };
    let mut body = json!({ "text": text, "blocks": to_json(&[section(text.as_str())]) });
    // Who cannot be written to reads it where they asked.
    let method = if own {
        body["user"] = user.into();
        body["channel"] = channel.into();
        Method::PostEphemeral
    } else {
        body["channel"] = user.into();
        Method::PostMessage
    };
    match app.api.call(&place.workspace, method, &body).await {
        Ok(answer) => {
            if let (Some(channel), Some(ts)) = (answer["channel"].as_str(), answer["ts"].as_str()) {
                let item = Item::Message { at: format!("{channel}/{ts}") };
                let posted = Posted { item, reader: Reader::Staff(String::new()) };
                app.post_log.note_or_tell(session, &[posted]).await;
            }
        }
        // A failure is told in the log by the call; staff are told as well.
        Err(failure) if failure.code().is_none() => return false,
        Err(_) => {}
    }
    let (key, value) = (told(session), Some("1".to_owned()));
    let noted = app.store.note(Note { key, session: Some(session), value }).await;
    let over = app.store.note(untold(session, false)).await;
    if let Err(error) = noted.and(over) {
        tracing::warn!(session.id = %session, %error, "whoever asked for a conversation may be told again");
    }
    true
}

fn key(session: SessionId) -> String {
    format!("slack/asked/{session}")
}

fn told(session: SessionId) -> String {
    format!("slack/told/{session}")
}

/// The note that somebody is to be told, or what takes it away. It names no person, and is found without its session.
fn untold(session: SessionId, is_kept: bool) -> Note {
    let value = is_kept.then(|| "1".to_owned());
    Note { key: format!("{UNTOLD}{session}"), session: None, value }
}
