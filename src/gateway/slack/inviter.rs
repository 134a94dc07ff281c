//! Who asked for a conversation, and is told when it reaches nobody.

use serde_json::json;

use super::{
    api::Method,
    app::App,
    blocks::{section, to_json},
};
use crate::{
    base::ids::SessionId,
    engine::Engine,
    messages,
    model::{
        posted::{Item, Posted, Reader},
        session::Place,
    },
    store::Note,
};

/// Remembers who asked for a conversation and where, durable with its session and gone with it. Whoever asks again is
/// told again.
pub(super) async fn remember(app: &App, session: SessionId, (user, channel): (&str, &str)) {
    let note = |key: String, value: Option<String>| Note { key, session: Some(session), value };
    let kept = app.store.note(note(key(session), Some(format!("{user}/{channel}")))).await;
    let untold = app.store.note(note(told(session), None)).await;
    if let Err(error) = kept.and(untold) {
        tracing::warn!(session.id = %session, %error, "who asked for a conversation is not kept");
    }
}

/// Tells whoever asked for it if a conversation has reached nobody before they were remembered.
pub(super) async fn look(app: &App, session: SessionId) {
    if let Some(place) = lost(app.engine(), session).await {
        told_of_loss(app, &place, session).await;
    }
}

/// Where the participant of a session that reaches nobody would be written to.
async fn lost(engine: &Engine, session: SessionId) -> Option<Place> {
    let state = engine.view(session).await.ok()?.state;
    state.is_out_of_reach.then(|| state.place.clone())
}

/// Tells whoever asked for a conversation that it reaches nobody, and how to go on; once.
pub(super) async fn told_of_loss(app: &App, place: &Place, session: SessionId) {
    let noted = app.store.noted(&key(session)).await;
    let Some(asked) = noted.ok().flatten().and_then(|note| note.value) else { return };
    let Some((user, channel)) = asked.split_once('/') else { return };
    let is_told = app.store.noted(&told(session)).await.is_ok_and(|note| note.is_none());
    let note = Note { key: told(session), session: Some(session), value: Some("1".to_owned()) };
    if !is_told || app.store.note(note).await.is_err() {
        return;
    }
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
    // A failure is told in the log by the call; staff are told as well.
    let Ok(answer) = app.api.call(&place.workspace, method, &body).await else { return };
    if let (Some(channel), Some(ts)) = (answer["channel"].as_str(), answer["ts"].as_str()) {
        let item = Item::Message { at: format!("{channel}/{ts}") };
        let posted = Posted { item, reader: Reader::Staff(String::new()) };
        app.post_log.note_or_tell(session, &[posted]).await;
    }
}

fn key(session: SessionId) -> String {
    format!("slack/asked/{session}")
}

fn told(session: SessionId) -> String {
    format!("slack/told/{session}")
}
