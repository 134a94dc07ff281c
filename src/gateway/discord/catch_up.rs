//! What was written while nobody listened. Discord sends again what a session missed; where a session is over — too long
//! away, or ended by Discord — each conversation that goes on is read once, from what was heard last.
//!
//! Each message is taken as if it had just been dispatched, under the key that names it: one that was taken before, or
//! comes by itself meanwhile, is recognised. Best effort: a thread that the bot may not read is left alone, and only as
//! many conversations are read as one start should ask for.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    api::{Failure, Near},
    app::App,
    inbound::{Inbox as _, Incoming},
    inbox::DiscordInbox,
    limits, parse,
    send::snowflake,
};
use crate::{
    chat::catch_up::{going_on, heard_last},
    engine::Engine,
    model::session::{Head, Platform},
};

/// Times that one question is put off because Discord asks to wait.
const PUT_OFF_MAX: usize = 20;

/// Where a session that was begun stands: Discord divides servers among the sessions of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Its number.
    pub shard: u64,
    /// Of so many.
    pub of: u64,
}

impl Share {
    /// Whether messages of a place come over this session; those of direct conversations come over the first.
    fn has(self, guild: &str, is_thread: bool) -> bool {
        let guild = guild.parse::<u64>().unwrap_or(0);
        let home = if is_thread { (guild >> 22) % self.of.max(1) } else { 0 };
        home == self.shard
    }
}

/// Reads every conversation of the session that goes on, the newest first; ends early where the program is to stop.
pub(super) async fn catch_up(app: Arc<App>, share: Share) {
    let Some(engine) = app.engine() else { return };
    let reading = async {
        let mut taken = 0;
        for head in going_on(&*app.store, Platform::Discord, limits::CATCH_UP_SESSIONS).await {
            match read(&app, engine, &head, share).await {
                Ok(count) => taken += count,
                Err(Missed) => {
                    tracing::warn!(session.id = %head.id, "what was written meanwhile could not be read");
                }
            }
        }
        taken
    };
    let taken = tokio::select! {
        () = app.stopping() => 0,
        taken = reading => taken,
    };
    if taken > 0 {
        tracing::info!(messages = taken, "looked through what was written while nobody listened");
    }
}

/// Discord did not say.
struct Missed;

/// Takes what was written in one conversation since it was heard from; how many messages.
async fn read(app: &Arc<App>, engine: &Engine, head: &Head, share: Share) -> Result<usize, Missed> {
    let is_thread = app.rooms.is_thread(head.id, &head.place).await;
    if !share.has(&head.place.workspace, is_thread) {
        return Ok(0);
    }
    let Some(room) = app.rooms.known(head.id).await.map_err(|_| Missed)? else { return Ok(0) };
    let look = engine.look(head.id).await.map_err(|_| Missed)?;
    let mut messages = ask(app, &room, &heard_last(&look, &room, snowflake)).await?;
    // The newest come first.
    messages.reverse();
    let me = app.me().await.map_err(|_| Missed)?.to_owned();
    let mut taken = 0;
    for mut message in messages {
        if is_thread {
            message["guild_id"] = json!(head.place.workspace);
        }
        let envelope = parse::event("MESSAGE_CREATE", &message, &me);
        if matches!(envelope.what, Incoming::Message(_)) {
            DiscordInbox(Arc::clone(app)).take(envelope).await.map_err(|_| Missed)?;
            taken += 1;
        }
    }
    Ok(taken)
}

/// The messages after one, a page of them; nothing where the bot may not look.
async fn ask(app: &App, room: &str, after: &str) -> Result<Vec<Value>, Missed> {
    for _ in 0..PUT_OFF_MAX {
        match app.api.messages(room, Near::After(after), limits::CATCH_UP_MESSAGES).await {
            Ok(messages) => return Ok(messages),
            Err(Failure::Refused { .. }) => return Ok(Vec::new()),
            Err(Failure::BadToken) => return Err(Missed),
            Err(Failure::Unclear { .. }) => sleep(Duration::from_secs(1)).await,
            Err(Failure::Later { after }) => sleep(after).await,
        }
    }
    Err(Missed)
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn every_place_belongs_to_one_session() {
        let guild = (7_u64 << 22).to_string();
        let of = |shard| Share { shard, of: 4 };
        let homes =
            |is_thread| (0..4).filter(|n| of(*n).has(&guild, is_thread)).collect::<Vec<_>>();
        assert_eq!(homes(true), [3]);
        assert_eq!(homes(false), [0]);
        assert!(Share { shard: 0, of: 0 }.has("direct", true));
    }
}
