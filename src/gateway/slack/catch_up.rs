//! What was written while nobody listened: Slack delivers an event again for some minutes only, so after a start each
//! conversation that goes on is read once, from what was heard last.
//!
//! Each message is taken as if it had just been delivered, under the key that names it by channel and time: one that was
//! taken before, or comes by itself meanwhile, is recognised. Best effort: a channel that the bot may not read is left
//! alone, and only as many conversations are read as one start should ask for.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    api::{Failure, Method},
    app::App,
    inbound::{Inbox as _, Incoming},
    inbox::SlackInbox,
    limits, parse,
};
use crate::{
    chat::catch_up::{going_on, heard_last},
    engine::Engine,
    ids::SessionId,
    model::session::Platform,
    threads::{Mark, Spot},
};

/// Times that one question is put off because Slack asks to wait.
const PUT_OFF_MAX: usize = 20;

/// Reads every conversation that goes on, the newest first.
pub(super) async fn catch_up(app: Arc<App>) {
    let Some(engine) = app.engine() else { return };
    let mut taken = 0;
    for head in going_on(&*app.store, Platform::Slack, limits::CATCH_UP_SESSIONS).await {
        match read(&app, engine, head.id).await {
            Ok(count) => taken += count,
            Err(Missed) => {
                tracing::warn!(session.id = %head.id, "what was written meanwhile could not be read");
            }
        }
    }
    if taken > 0 {
        tracing::info!(messages = taken, "looked through what was written while nobody listened");
    }
}

/// Slack did not say.
struct Missed;

/// Takes what was written in one conversation since it was heard from; how many messages.
async fn read(app: &Arc<App>, engine: &Engine, session: SessionId) -> Result<usize, Missed> {
    let look = engine.look(session).await.map_err(|_| Missed)?;
    let place = &look.loaded.head.place;
    let root = match &place.thread {
        Some(thread) => Some(Spot { channel: place.channel.clone(), message: thread.clone() }),
        None => app.threads.marked(session, Mark::Root).await.map_err(|_| Missed)?,
    };
    let Some(root) = root else { return Ok(0) };
    let (team, since) = (&place.workspace, heard_last(&look, &root.channel, stamp));
    let asked =
        json!({ "channel": root.channel, "oldest": since, "limit": limits::CATCH_UP_MESSAGES });
    let mut in_thread = asked.clone();
    in_thread["ts"] = json!(root.message);
    let mut messages = ask(app, team, Method::Replies, in_thread).await?;
    if root.channel.starts_with('D') {
        // What is written beside the thread belongs to the conversation as well.
        messages.extend(ask(app, team, Method::History, asked).await?);
    }
    messages.sort_by(|one, other| one["ts"].as_str().cmp(&other["ts"].as_str()));
    messages.dedup_by(|one, other| one["ts"] == other["ts"]);
    let mut taken = 0;
    for message in messages.iter().filter(|message| message["ts"].as_str() > Some(since.as_str())) {
        let envelope = parse::event(&delivered(app, team, &root.channel, message));
        if matches!(envelope.what, Incoming::Message(_)) {
            SlackInbox(Arc::clone(app)).take(envelope).await.map_err(|_| Missed)?;
            taken += 1;
        }
    }
    Ok(taken)
}

/// A message as the event that told of it would have been.
fn delivered(app: &App, team: &str, channel: &str, message: &Value) -> Value {
    let installed = app.api.tenants().installation(team);
    let bot = installed.map(|found| found.bot_user).unwrap_or_default();
    let mut event = message.clone();
    event["type"] = json!("message");
    event["channel"] = json!(channel);
    event["channel_type"] = json!(if channel.starts_with('D') { "im" } else { "channel" });
    json!({ "team_id": team, "authorizations": [{ "is_bot": true, "user_id": bot }], "event": event })
}

fn stamp(at: DateTime<Utc>) -> String {
    format!("{}.{:06}", at.timestamp(), at.timestamp_subsec_micros())
}

/// The messages of an answer, one page of them; nothing where the bot may not look.
async fn ask(app: &App, team: &str, method: Method, body: Value) -> Result<Vec<Value>, Missed> {
    for _ in 0..PUT_OFF_MAX {
        match app.api.call(team, method, body.clone()).await {
            Ok(answer) => return Ok(answer["messages"].as_array().cloned().unwrap_or_default()),
            Err(Failure::Refused { .. } | Failure::NotInstalled) => return Ok(Vec::new()),
            Err(Failure::Unclear { .. }) => sleep(Duration::from_secs(1)).await,
            Err(Failure::Later { after }) => sleep(after).await,
        }
    }
    Err(Missed)
}
