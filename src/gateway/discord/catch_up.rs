//! What was written while nobody listened. Discord sends again what a session missed; where a session is over — too long
//! away, or ended by Discord — each conversation that goes on, or ended lately, is read once, from the last message that was read.
//!
//! Each message is taken as if it had just been dispatched, under the key that names it: one that was taken before, or
//! comes by itself meanwhile, is recognised. Best effort: a thread that the bot may not read is left alone, and only as
//! many conversations are read as one start should ask for.

use std::{collections::BTreeSet, time::Duration};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    api::{Failure, Near},
    app::App,
    inbound::{Inbox, Incoming, Share},
    limits, parse,
    send::snowflake,
};
use crate::{
    chat::{
        catch_up::{last_read_message, team_threads, to_read},
        form::words,
    },
    engine::Engine,
    model::session::{Head, Platform},
};

/// Times that one question is put off because Discord asks to wait.
const PUT_OFF_MAX: usize = 20;

/// How often everything is read where some of it could not be, and the pause between.
const READINGS: usize = 3;
const AGAIN: Duration = Duration::from_secs(30);

/// Reads every conversation of the session that somebody may have written in, the newest first, what a team wrote about it, and who called the
/// bot in a channel without having one; ends early where the program is to stop. What was read is noted once all of it
/// was seen. What is read goes to `inbox`.
pub(super) async fn catch_up(
    (app, inbox): (&App, &dyn Inbox),
    share: Share,
    since: Option<DateTime<Utc>>,
) {
    let engine = app.engine();
    let reader = Reader { app, inbox, engine, share, since };
    tokio::select! {
        () = app.stopping() => {}
        () = reader.until_done() => {}
    }
}

/// Discord did not say.
struct Missed;

struct Reader<'a> {
    app: &'a App,
    /// Takes what is read.
    inbox: &'a dyn Inbox,
    engine: &'a Engine,
    share: Share,
    /// When the bot last listened; `None` if it never has.
    since: Option<DateTime<Utc>>,
}

impl Reader<'_> {
    /// Reads, again after a pause where some of it could not be; until then nothing counts as read.
    async fn until_done(&self) {
        for left in (0..READINGS).rev() {
            let began = self.app.clock.now();
            let (taken, missed) = self.everything().await;
            if taken > 0 {
                tracing::info!(
                    messages = taken,
                    "read what was written while nobody was listening"
                );
            }
            if missed == 0 || left == 0 {
                self.app.listening.caught_up(missed == 0, began).await;
                return;
            }
            sleep(AGAIN).await;
        }
    }

    /// How many messages were taken, and how many places could not be read.
    async fn everything(&self) -> (usize, usize) {
        let (mut taken, mut missed) = (0, 0);
        let bounds = (limits::CATCH_UP_SESSIONS, self.app.clock.now());
        let heads = to_read(&*self.app.store, Platform::Discord, bounds).await;
        let heads = heads.unwrap_or_else(|error| {
            missed += 1;
            tracing::warn!(%error, "where people wrote meanwhile could not be read");
            Vec::new()
        });
        for head in heads {
            if let Ok(count) = self.conversation(&head).await {
                taken += count;
            } else {
                missed += 1;
                tracing::warn!(session.id = %head.id, "what was written meanwhile could not be read");
            }
        }
        if let Ok(count) = self.first_words().await {
            taken += count;
        } else {
            missed += 1;
            tracing::warn!("who called the bot meanwhile could not be read");
        }
        (taken, missed)
    }

    /// Takes what was written in one conversation since it was read last, and by a team about it.
    async fn conversation(&self, head: &Head) -> Result<usize, Missed> {
        let app = self.app;
        let look = match self.engine.look(head.id).await {
            Ok(look) => look,
            Err(error) if words::may_pass(&error) => return Err(Missed),
            Err(error) => {
                tracing::warn!(session.id = %head.id, %error, "a conversation cannot be read");
                return Ok(0);
            }
        };
        let guild = &head.place.workspace;
        let mut taken = 0;
        let is_thread = app.rooms.is_thread(head.id, &head.place).await;
        if self.share.has(guild, is_thread)
            && let Some(room) = app.rooms.known(head.id).await.map_err(|_| Missed)?
        {
            let after = last_read_message(&look, (&room, self.since), snowflake);
            let messages = ask(app, &room, &after).await?;
            taken += self.take(messages, is_thread.then_some(guild)).await?;
        }
        if !self.share.has(guild, true) {
            return Ok(taken);
        }
        let channels = app.settings.of(Platform::Discord, guild).discord_channels();
        let channels: Vec<String> = channels.values().cloned().collect();
        let since = self.since.unwrap_or(head.created_at).max(head.created_at);
        let threads = team_threads(&app.threads, &*app.store, &look, &channels).await;
        for root in threads.map_err(|_| Missed)? {
            // A thread has the id of its message.
            let mut messages = ask(app, &root.message, &snowflake(since)).await?;
            for message in &mut messages {
                // A list of messages does not say who may decide what.
                let Some(user) = message["author"]["id"].as_str().map(str::to_owned) else {
                    continue;
                };
                if let Ok(member) = app.api.member(guild, &user).await {
                    message["member"] = member;
                }
            }
            taken += self.take(messages, Some(guild)).await?;
        }
        Ok(taken)
    }

    /// Takes what the bot was called with in a channel of the configuration, where it has not answered since. Discord lists
    /// no direct conversations to a bot, so those that nobody has begun here cannot be looked through.
    async fn first_words(&self) -> Result<usize, Missed> {
        let Some(since) = self.since else { return Ok(0) };
        let me = self.app.me().await.map_err(|_| Missed)?.to_owned();
        let mut taken = 0;
        for channel in self.channels().collect::<BTreeSet<_>>() {
            let messages = ask(self.app, channel, &snowflake(since)).await?;
            let is_mine = |message: &&Value| message["author"]["id"] == me.as_str();
            // The newest come first.
            let open: Vec<Value> =
                messages.iter().take_while(|one| !is_mine(one)).cloned().collect();
            let calls = |message: &Value| {
                let mut mentions = message["mentions"].as_array().into_iter().flatten();
                mentions.any(|user| user["id"] == me.as_str())
            };
            let open: Vec<Value> = open.into_iter().filter(calls).collect();
            if open.is_empty() {
                continue;
            }
            let Ok(about) = self.app.api.channel(channel).await else { continue };
            let guild = about["guild_id"].as_str().unwrap_or_default().to_owned();
            if self.share.has(&guild, true) {
                taken += self.take(open, Some(&guild)).await?;
            }
        }
        Ok(taken)
    }

    fn channels(&self) -> impl Iterator<Item = &String> {
        self.app.settings.everywhere().flat_map(|configured| configured.discord_channels().values())
    }

    /// Takes messages, the newest of which come first, as if each had just been dispatched.
    async fn take(
        &self,
        mut messages: Vec<Value>,
        guild: Option<&String>,
    ) -> Result<usize, Missed> {
        messages.reverse();
        let me = self.app.me().await.map_err(|_| Missed)?.to_owned();
        let mut taken = 0;
        for mut message in messages {
            if let Some(guild) = guild {
                message["guild_id"] = json!(guild);
            }
            let envelope = parse::event("MESSAGE_CREATE", &message, &me);
            if matches!(envelope.what, Incoming::Message(_)) {
                self.inbox.take(envelope).await.map_err(|_| Missed)?;
                taken += 1;
            }
        }
        Ok(taken)
    }
}

/// The messages after one, a page of them; nothing where the bot may not look.
async fn ask(app: &App, room: &str, after: &str) -> Result<Vec<Value>, Missed> {
    for _ in 0..PUT_OFF_MAX {
        match app.api.messages(room, Near::After(after), limits::CATCH_UP_MESSAGES).await {
            Ok(messages) => return Ok(messages),
            Err(Failure::Refused { .. }) => return Ok(Vec::new()),
            Err(Failure::BadToken) => return Err(Missed),
            Err(Failure::Unclear { .. } | Failure::Unreachable) => {
                sleep(Duration::from_secs(1)).await;
            }
            Err(Failure::Later { after }) => sleep(after).await,
        }
    }
    Err(Missed)
}
