//! What was written while nobody listened. Slack delivers an event again for some minutes only, so after a start, and
//! where no socket was open for longer, three things are read once: each conversation that goes on or ended lately, the
//! threads in which a team writes about it, and what people without a conversation wrote to the bot.
//!
//! Each message is taken as if it had just been delivered, under the key that names it by channel and time: one that was
//! taken before, or comes by itself meanwhile, is recognised. Best effort: a channel that the bot may not read is left
//! alone, and only as many places are read as one outage should ask for.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use tokio::{sync::oneshot, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    api::{Failure, Method},
    app::App,
    handler::SlackInbox,
    inbound::{Inbox as _, Incoming},
    limits, parse, people,
};
use crate::{
    base::telemetry::link::Link,
    chat::{
        catch_up::{last_read_message, team_threads, to_read},
        message_index::MessageRef,
    },
    engine::{Engine, Look},
    model::session::{Head, Platform},
    store::Find,
};

/// Times that one question is put off because Slack asks to wait.
const PUT_OFF_MAX: usize = 20;

/// What was not acknowledged Slack delivers again for longer than this: after a shorter outage nothing has to be read.
const REDELIVERED: TimeDelta = TimeDelta::minutes(3);

/// Pause before a question that was not answered clearly is asked once more.
const UNCLEAR_PAUSE: Duration = Duration::from_secs(1);

/// How often everything is read where some of it could not be, and the pause between.
const READINGS: usize = 3;
const AGAIN: Duration = Duration::from_secs(30);

/// How often it is noted that the bot listens.
const NOTED: Duration = Duration::from_mins(1);

/// Reads what was written before the start, then what was written in each longer outage, until `shutdown`.
pub(super) async fn keep_up(app: &Arc<App>, link: &Link, shutdown: &CancellationToken) {
    let keeping = async {
        let mut installed = app.api.installations().installed();
        while app.api.installations().teams().is_empty() {
            _ = installed.recv().await;
        }
        read_until_done(app, shutdown).await;
        loop {
            tokio::select! {
                () = listen(app, link) => {}
                // A workspace that comes back was not listened to.
                _ = installed.recv() => {}
            }
            link.up().await;
            if was_deaf(app).await {
                read_until_done(app, shutdown).await;
            }
        }
    };
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = keeping => {}
    }
}

/// Notes that the bot listens, for as long as it does.
async fn listen(app: &App, link: &Link) {
    loop {
        let noting = async {
            sleep(NOTED).await;
            note(app, app.clock.now()).await;
        };
        tokio::select! {
            () = link.down() => return,
            () = noting => {}
        }
    }
}

/// Whether events may be lost that nobody delivers again.
async fn was_deaf(app: &App) -> bool {
    let now = app.clock.now();
    for team in app.api.installations().teams() {
        if !matches!(app.last_read.last(&team).await, Ok(Some(last)) if now - last <= REDELIVERED) {
            return true;
        }
    }
    false
}

async fn note(app: &App, at: DateTime<Utc>) {
    for team in app.api.installations().teams() {
        if let Err(error) = app.last_read.note(&team, at).await {
            tracing::debug!(%error, "when messages were read last could not be noted");
        }
    }
}

/// Reads, again after a pause where Slack could not be asked; until all of it was seen, nothing counts as read.
async fn read_until_done(app: &Arc<App>, shutdown: &CancellationToken) {
    let mut left = READINGS;
    while left > 0 {
        match read(app, shutdown).await {
            Some(Done::All) => return,
            // As long as nobody answers, nothing was tried.
            Some(Done::Nothing) => {}
            Some(Done::Some) | None => left -= 1,
        }
        sleep(AGAIN).await;
    }
    tracing::warn!("could not read everything that was written while nobody was listening");
    note(app, app.clock.now()).await;
}

/// Looks through everything that may have been missed.
async fn read(app: &Arc<App>, shutdown: &CancellationToken) -> Option<Done> {
    let (done, read) = oneshot::channel();
    let (app, stop) = (Arc::clone(app), shutdown.clone());
    let within = Arc::clone(&app);
    within.afterwards.spawn_whole(async move {
        tokio::select! {
            () = stop.cancelled() => {}
            seen = read_all(&app) => {
                _ = done.send(seen);
            }
        }
    });
    read.await.ok()
}

/// How much was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    All,
    Some,
    /// Slack cannot be asked just now.
    Nothing,
}

async fn read_all(app: &Arc<App>) -> Done {
    let engine = app.engine();
    let began = app.clock.now();
    let mut reader = Reader { app, engine, since: BTreeMap::new(), taken: 0 };
    let teams = app.api.installations().teams();
    for team in &teams {
        let last = app.last_read.last(team).await.unwrap_or_default();
        reader.since.extend(last.map(|last| (team.clone(), last)));
    }
    let mut done = Done::All;
    let bounds = (limits::CATCH_UP_SESSIONS, began);
    let heads = to_read(&*app.store, Platform::Slack, bounds).await;
    let heads = heads.unwrap_or_else(|error| {
        done = Done::Some;
        tracing::warn!(%error, "where people wrote meanwhile could not be read");
        Vec::new()
    });
    for head in heads.iter().filter(|head| teams.contains(&head.place.workspace)) {
        match reader.conversation(head).await {
            Ok(()) => {}
            Err(Missed::Away) => return Done::Nothing,
            Err(Missed::This) => {
                done = Done::Some;
                tracing::warn!(session.id = %head.id, "what was written meanwhile could not be read");
            }
        }
    }
    for (team, since) in reader.since.clone() {
        match reader.first_words(&team, since).await {
            Ok(()) => {}
            Err(Missed::Away) => return Done::Nothing,
            Err(Missed::This) => {
                done = Done::Some;
                tracing::warn!(slack.team = team, "first messages of people could not be read");
            }
        }
    }
    if reader.taken > 0 {
        let messages = reader.taken;
        tracing::info!(messages, "read what was written while nobody was listening");
    }
    if done == Done::All {
        note(app, began).await;
    }
    done
}

/// Why something was not read.
enum Missed {
    /// Slack cannot be asked just now.
    Away,
    /// This could not be read, or not be kept.
    This,
}

impl From<crate::store::Error> for Missed {
    fn from(_: crate::store::Error) -> Self {
        Self::This
    }
}

struct Reader<'a> {
    app: &'a Arc<App>,
    engine: &'a Engine,
    /// When the bot last listened, by workspace.
    since: BTreeMap<String, DateTime<Utc>>,
    taken: usize,
}

impl Reader<'_> {
    /// What was written in a conversation since it was read last, and by a team about it.
    async fn conversation(&mut self, head: &Head) -> Result<(), Missed> {
        let look = match self.engine.look(head.id).await {
            Ok(look) => look,
            Err(error) => {
                tracing::warn!(session.id = %head.id, %error, "a conversation cannot be read");
                return Ok(());
            }
        };
        let place = &head.place;
        if let Some(root) = self.app.threads.root(head.id, place).await? {
            let listened = self.since.get(&place.workspace).copied();
            let since = last_read_message(&look, (&root.channel, listened), stamp);
            let mut messages = self.replies(&place.workspace, &root, &since).await?;
            if root.channel.starts_with('D') {
                // What is written beside the thread belongs to the conversation as well.
                messages.extend(self.history(&place.workspace, &root.channel, &since).await?);
            }
            self.take_all(&place.workspace, &root.channel, messages, &since).await?;
        }
        self.team(&look).await
    }

    /// What a team wrote about a conversation.
    async fn team(&mut self, look: &Look) -> Result<(), Missed> {
        let (head, app) = (&look.loaded.head, Arc::clone(self.app));
        let team = &head.place.workspace;
        let channels = app.settings.of(Platform::Slack, team).slack_channels();
        let channels: Vec<String> = channels.values().cloned().collect();
        let since = self.since.get(team).copied().unwrap_or(head.created_at).max(head.created_at);
        let since = stamp(since);
        for root in team_threads(&app.threads, &*app.store, look, &channels).await? {
            let messages = self.replies(team, &root, &since).await?;
            self.take_all(team, &root.channel, messages, &since).await?;
        }
        Ok(())
    }

    /// What people wrote to the bot, or mentioned it with, who have no conversation there.
    async fn first_words(&mut self, team: &str, since: DateTime<Utc>) -> Result<(), Missed> {
        let since = stamp(since);
        for place in self.places(team).await? {
            let Some(channel) = place["id"].as_str() else { continue };
            let user = place["user"].as_str().unwrap_or_default();
            // It was read with the conversation.
            if place["is_im"] == true && self.talks_directly(team, user).await? {
                continue;
            }
            let messages = self.history(team, channel, &since).await?;
            let bot = self.bot(team);
            let open = messages.into_iter().filter(|message| !is_answered(message, &bot)).collect();
            self.take_all(team, channel, open, &since).await?;
        }
        Ok(())
    }

    async fn talks_directly(&self, team: &str, user: &str) -> Result<bool, Missed> {
        let person = people::person_id(team, user);
        let theirs = self.app.store.find(Find::Person(person)).await?;
        Ok(theirs.iter().any(|head| people::is_direct(&head.place) && !head.status.is_over()))
    }

    /// Takes messages in their order, each once. In a channel, what nobody said to the bot is nothing to it.
    async fn take_all(
        &mut self,
        team: &str,
        channel: &str,
        mut messages: Vec<Value>,
        since: &str,
    ) -> Result<(), Missed> {
        messages.sort_by(|one, other| one["ts"].as_str().cmp(&other["ts"].as_str()));
        messages.dedup_by(|one, other| one["ts"] == other["ts"]);
        for message in messages.iter().filter(|message| message["ts"].as_str() > Some(since)) {
            let envelope = parse::event(&self.delivered(team, channel, message));
            if matches!(envelope.what, Incoming::Message(_)) {
                SlackInbox(Arc::clone(self.app)).take(envelope).await.map_err(|_| Missed::This)?;
                self.taken += 1;
            }
        }
        Ok(())
    }

    /// A message as the event that told of it would have been.
    fn delivered(&self, team: &str, channel: &str, message: &Value) -> Value {
        let mut event = message.clone();
        event["type"] = json!("message");
        event["channel"] = json!(channel);
        event["channel_type"] = json!(if channel.starts_with('D') { "im" } else { "channel" });
        let authorization = json!({ "is_bot": true, "user_id": self.bot(team) });
        json!({ "team_id": team, "authorizations": [authorization], "event": event })
    }

    fn bot(&self, team: &str) -> String {
        let installed = self.app.api.installations().installation(team);
        installed.map(|found| found.bot_user).unwrap_or_default()
    }

    async fn replies(
        &self,
        team: &str,
        root: &MessageRef,
        since: &str,
    ) -> Result<Vec<Value>, Missed> {
        let mut asked = asked(&root.channel, since);
        asked["ts"] = json!(root.message);
        self.ask(team, Method::Replies, asked, "messages").await
    }

    async fn history(&self, team: &str, channel: &str, since: &str) -> Result<Vec<Value>, Missed> {
        self.ask(team, Method::History, asked(channel, since), "messages").await
    }

    /// The conversations that the bot is in, those that changed last first.
    async fn places(&self, team: &str) -> Result<Vec<Value>, Missed> {
        let asked = json!({
            "types": "im,public_channel,private_channel",
            "exclude_archived": true,
            "limit": limits::PLACES_PAGE,
            "team_id": team,
        });
        let mut places = self.ask(team, Method::UserConversations, asked, "channels").await?;
        places.sort_by_key(|place| std::cmp::Reverse(place["updated"].as_u64()));
        if places.len() > limits::CATCH_UP_PLACES {
            let left_out = places.len() - limits::CATCH_UP_PLACES;
            tracing::warn!(
                left_out,
                "not every conversation was looked through for first messages"
            );
            places.truncate(limits::CATCH_UP_PLACES);
        }
        Ok(places)
    }

    /// All of a list that Slack hands out in pages; nothing where the bot may not look.
    async fn ask(
        &self,
        team: &str,
        method: Method,
        mut body: Value,
        list: &str,
    ) -> Result<Vec<Value>, Missed> {
        let mut found = Vec::new();
        for _ in 0..limits::CATCH_UP_PAGES {
            let Some(mut answer) = self.ask_page(team, method, &body).await? else { break };
            let next = answer["response_metadata"]["next_cursor"].take();
            if let Value::Array(page) = answer[list].take() {
                found.extend(page);
            }
            if next.as_str().is_none_or(str::is_empty) {
                break;
            }
            body["cursor"] = next;
        }
        Ok(found)
    }

    async fn ask_page(
        &self,
        team: &str,
        method: Method,
        body: &Value,
    ) -> Result<Option<Value>, Missed> {
        for _ in 0..PUT_OFF_MAX {
            match self.app.api.call(team, method, body).await {
                Ok(answer) => return Ok(Some(answer)),
                Err(Failure::Refused { .. } | Failure::NotInstalled) => return Ok(None),
                Err(Failure::TokenRejected | Failure::Unreachable) => return Err(Missed::Away),
                Err(failure) => sleep(failure.wait().unwrap_or(UNCLEAR_PAUSE)).await,
            }
        }
        Err(Missed::This)
    }
}

/// Whether the bot has written under a message.
fn is_answered(message: &Value, bot: &str) -> bool {
    let mut users = message["reply_users"].as_array().into_iter().flatten();
    users.any(|user| user == bot)
}

fn asked(channel: &str, since: &str) -> Value {
    json!({ "channel": channel, "oldest": since, "limit": limits::CATCH_UP_MESSAGES })
}

fn stamp(at: DateTime<Utc>) -> String {
    format!("{}.{:06}", at.timestamp(), at.timestamp_subsec_micros())
}
