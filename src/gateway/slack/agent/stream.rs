//! One message of the model while it is written: opened, continued, ended, and made whole where something went wrong.
//!
//! Each has a record in the store, written before Slack is asked to open it ([`Kept`]): while it is open, whoever finds
//! the record closes the message; once it has ended, the record says which post it has become.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::plan::{self, Plan};
use crate::{
    base::ids::{EffectId, SessionId},
    chat::refusal::Class,
    engine::context_window::posts_of_model,
    gateway::slack::{
        api::{Api, Failure, Method},
        delivery, limits,
        render::{Message, safe},
    },
    model::transcript::{Event, Recorded},
    session::State,
    store::{self, Note, Store},
};

/// Messages of a thread that are looked through for a stream and what stands below it.
const LOOK_BACK: u32 = 100;

/// How far Slack's clock may be behind.
const SKEW: TimeDelta = TimeDelta::minutes(5);

/// Where a conversation stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Spot {
    pub(super) team: String,
    pub(super) channel: String,
    pub(super) thread: String,
    /// Who is written to; channels want to know.
    pub(super) user: String,
    /// The organisation instead of the workspace, where it installed the app.
    pub(super) recipient_team: String,
}

/// A stream as a note keeps it, so that what a crash leaves behind is found again.
///
/// ```json
/// { "spot": { … }, "knew": 12, "messages": ["1690.0001"], "begins": "", "became": "eff_…" }
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) spot: Spot,
    /// What the model knew when it wrote the words; where there are none yet, how far the session had come.
    pub(super) knew: u64,
    /// The messages that it has come to so far; empty while the first is being opened.
    pub(super) messages: Vec<String>,
    /// What the first begins with, while it is open; empty where it shows a plan and no words yet.
    pub(super) begins: String,
    /// A moment before it was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<DateTime<Utc>>,
    /// The post that it has become; `None` while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) became: Option<EffectId>,
}

/// What Slack shows of a stream.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The name that its newest message has been given with its last words.
    pub(super) name: Option<String>,
    /// Something may stand below it.
    pub(super) has_below: bool,
    /// A person has written below it.
    pub(super) is_answered: bool,
}

/// A message that is being written.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) kept: Kept,
    /// What is shown by now, in all messages.
    shown: String,
    /// Where the newest message begins in it.
    from: usize,
    opened_at: Instant,
    /// When it last grew.
    pub(super) grew_at: Instant,
    /// What is shown may not be what was said: it is written anew at the end.
    is_torn: bool,
    /// The tasks that stand above the words.
    pub(super) plan: Plan,
    /// Something else has been said below it before there were words: they do not come here.
    pub(super) is_passed: bool,
}

/// What a message is opened with.
#[derive(Debug)]
pub(super) struct Opening<'a> {
    pub(super) spot: Spot,
    /// What the model knew when it wrote the words; where there are none yet, how far the session has come.
    pub(super) knew: u64,
    /// A moment before.
    pub(super) since: DateTime<Utc>,
    pub(super) plan: Plan,
    /// The first words; empty if they are still to come.
    pub(super) text: &'a str,
}

/// How the keys of these notes begin.
pub(super) const KEY: &str = "slack/stream/";

/// A note's key.
pub(super) fn key(session: SessionId) -> String {
    format!("{KEY}{session}")
}

/// Saves or removes the note of a session's stream.
pub(super) async fn keep(
    store: &dyn Store,
    session: SessionId,
    kept: Option<&Kept>,
) -> Result<(), store::Error> {
    let value = kept.and_then(|kept| serde_json::to_string(kept).ok());
    store.note(Note { key: key(session), session: Some(session), value }).await
}

impl Stream {
    /// Opens a stream. What is noted before makes sure that a crash leaves nothing unknown.
    pub(super) async fn open(
        (api, store, session): (&Api, &dyn Store, SessionId),
        Opening { spot, knew, since, plan, text }: Opening<'_>,
    ) -> Result<Self, Failure> {
        let later = Failure::Later { after: limits::STREAM_PACE };
        let shown = clip(text).to_owned();
        let begins = begins(&shown);
        let since = Some(since);
        let mut kept = Kept { spot, knew, messages: Vec::new(), begins, since, became: None };
        keep(store, session, Some(&kept)).await.map_err(|_| later)?;
        let mut chunks = plan.chunks();
        if !shown.is_empty() {
            chunks.push(json!({ "type": "markdown_text", "text": shown }));
        }
        match start(api, &kept.spot, chunks).await {
            Ok(ts) => {
                kept.messages.push(ts);
                // A crash before this is noted is one of those that the first words are noted for.
                _ = keep(store, session, Some(&kept)).await;
                let now = Instant::now();
                Ok(Self {
                    kept,
                    shown,
                    from: 0,
                    opened_at: now,
                    grew_at: now,
                    is_torn: false,
                    plan,
                    is_passed: false,
                })
            }
            Err(Failure::Unclear { why }) => Err(Failure::Unclear { why }),
            Err(failure) => {
                _ = keep(store, session, None).await;
                Err(failure)
            }
        }
    }

    /// Shows how the tasks of a plan stand now, if that is not what is shown.
    pub(super) async fn show(&mut self, api: &Api, plan: Plan) -> Result<(), Failure> {
        let chunks = plan.since(&self.plan);
        if chunks.is_empty() {
            return Ok(());
        }
        let body =
            json!({ "channel": self.kept.spot.channel, "ts": self.newest(), "chunks": chunks });
        api.call(&self.kept.spot.team, Method::AppendStream, &body).await?;
        self.plan = plan;
        self.grew_at = Instant::now();
        Ok(())
    }

    /// Takes in the first words below a plan, of the model that knew so much. The record has them first: whoever closes the
    /// message must know that there is something to read in it.
    pub(super) async fn take_words(
        &mut self,
        (store, session): (&dyn Store, SessionId),
        (knew, text): (u64, &str),
    ) -> Result<(), Failure> {
        let kept = Kept { knew, begins: begins(text), ..self.kept.clone() };
        let later = Failure::Later { after: limits::STREAM_PACE };
        keep(store, session, Some(&kept)).await.map_err(|_| later)?;
        self.kept = kept;
        Ok(())
    }

    /// Whether Slack is about to end it by itself.
    pub(super) fn is_old(&self) -> bool {
        self.opened_at.elapsed() >= limits::STREAM_ROLL
    }

    /// Shows more of the words.
    pub(super) async fn grow(
        &mut self,
        (api, store, session): (&Api, &dyn Store, SessionId),
        words: &str,
    ) {
        let text = safe::begun(words);
        if self.is_torn || !text.starts_with(&self.shown) {
            self.is_torn = true;
            return;
        }
        let more = clip(&text[self.shown.len()..]).to_owned();
        if more.trim().is_empty() {
            return;
        }
        if self.is_old() || self.shown.len() - self.from + more.len() > limits::STREAM_TEXT {
            self.roll((api, store, session), &more).await;
            return;
        }
        let body = json!({ "channel": self.kept.spot.channel, "ts": self.newest(), "markdown_text": more });
        match api.call(&self.kept.spot.team, Method::AppendStream, &body).await {
            Ok(_) => self.took(&more),
            Err(Failure::Later { .. } | Failure::Unreachable) => {}
            // It died: what it did not take goes into the next one.
            Err(Failure::Refused { .. }) => self.roll((api, store, session), &more).await,
            Err(Failure::Unclear { .. } | Failure::TokenRejected | Failure::NotInstalled) => {
                self.is_torn = true;
            }
        }
    }

    /// Ends the newest message and goes on in another one.
    async fn roll(&mut self, (api, store, session): (&Api, &dyn Store, SessionId), more: &str) {
        self.stop(api, json!({})).await.ok();
        let chunks = vec![json!({ "type": "markdown_text", "text": more })];
        match start(api, &self.kept.spot, chunks).await {
            Ok(ts) => {
                self.kept.messages.push(ts);
                self.from = self.shown.len();
                self.opened_at = Instant::now();
                self.took(more);
                _ = keep(store, session, Some(&self.kept)).await;
            }
            Err(_) => self.is_torn = true,
        }
    }

    fn took(&mut self, more: &str) {
        self.shown.push_str(more);
        self.grew_at = Instant::now();
    }

    fn newest(&self) -> &str {
        self.kept.messages.last().map_or("", String::as_str)
    }

    /// Whether all that is shown is a beginning of `text`.
    pub(super) fn begins(&self, text: &str) -> bool {
        !self.is_torn && text.starts_with(self.shown.trim_end())
    }

    /// Whether the newest message has room for the rest of `text`.
    pub(super) fn holds(&self, text: &str) -> bool {
        text.len().saturating_sub(self.from) <= limits::STREAM_TEXT
    }

    /// Ends it with all of `text`. [`Failure::Refused`]: it is over already, and must be written anew.
    pub(super) async fn end(&mut self, api: &Api, text: &str, more: Value) -> Result<(), Failure> {
        let rest = text.get(self.shown.len()..).unwrap_or_default();
        let mut body = more;
        if !rest.is_empty() {
            body["markdown_text"] = json!(rest);
        }
        // If this is cancelled before the answer comes, nobody knows what Slack shows.
        self.is_torn = true;
        self.stop(api, body).await
    }

    /// Takes no more words, for nobody knows when its post will come: it is written anew then.
    pub(super) async fn rest(&mut self, api: &Api) {
        if !self.is_torn {
            self.is_torn = true;
            self.stop(api, json!({})).await.ok();
        }
    }

    async fn stop(&self, api: &Api, mut body: Value) -> Result<(), Failure> {
        body["channel"] = json!(self.kept.spot.channel);
        body["ts"] = json!(self.newest());
        api.call(&self.kept.spot.team, Method::StopStream, &body).await.map(|_| ())
    }
}

async fn start(api: &Api, spot: &Spot, chunks: Vec<Value>) -> Result<String, Failure> {
    let mut body = json!({
        "channel": spot.channel,
        "thread_ts": spot.thread,
        "task_display_mode": "plan",
        "chunks": chunks,
    });
    if !spot.channel.starts_with('D') {
        body["recipient_user_id"] = json!(spot.user);
        body["recipient_team_id"] = json!(spot.recipient_team);
    }
    let answer = api.call(&spot.team, Method::StartStream, &body).await?;
    let ts = answer["ts"].as_str().map(str::to_owned);
    ts.ok_or_else(|| Failure::Unclear { why: "the stream has no name".to_owned() })
}

impl Kept {
    /// Whether its message shows a plan and no words yet.
    pub(super) const fn is_plan(&self) -> bool {
        self.begins.is_empty() && self.became.is_none()
    }

    /// Looks for the message that was opened right before a crash.
    pub(super) async fn find(&mut self, api: &Api) -> Result<(), Failure> {
        if self.messages.is_empty() {
            self.messages.extend(self.look(api).await?);
        }
        Ok(())
    }

    /// Ends the stream, if it has not ended by itself.
    pub(super) async fn halt(&self, api: &Api) -> Result<(), Failure> {
        self.halt_with(api, json!({})).await
    }

    /// Ends it with the last of its plan. [`Failure::Refused`]: it was over already, and shows something else.
    pub(super) async fn complete(&self, api: &Api, chunks: Vec<Value>) -> Result<(), Failure> {
        let (channel, ts) = (&self.spot.channel, self.messages.last());
        let mut body = json!({ "channel": channel, "ts": ts });
        if !chunks.is_empty() {
            body["chunks"] = json!(chunks);
        }
        api.call(&self.spot.team, Method::StopStream, &body).await.map(drop)
    }

    /// Ends it in the middle of what was to be said, and shows that there was more to come.
    pub(super) async fn break_off(&self, api: &Api) -> Result<(), Failure> {
        // What was shown ends with a space.
        self.halt_with(api, json!({ "markdown_text": "…" })).await
    }

    async fn halt_with(&self, api: &Api, mut body: Value) -> Result<(), Failure> {
        let Some(newest) = self.messages.last() else { return Ok(()) };
        body["channel"] = json!(self.spot.channel);
        body["ts"] = json!(newest);
        match api.call(&self.spot.team, Method::StopStream, &body).await {
            Ok(_) | Err(Failure::Refused { .. } | Failure::Unclear { .. }) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// What Slack shows of it. Where the bot may not look, something may stand below.
    pub(super) async fn see(&self, api: &Api) -> Result<Seen, Failure> {
        let unknown = Seen { has_below: true, ..Seen::default() };
        let (Some(first), Some(newest)) = (self.messages.first(), self.messages.last()) else {
            return Ok(unknown);
        };
        let Some(messages) = self.thread(api, Some(first)).await? else { return Ok(unknown) };
        let bot = self.bot(api);
        let mut seen = Seen::default();
        for message in &messages {
            let ts = message["ts"].as_str().unwrap_or_default();
            if ts == newest {
                seen.name = delivery::name_of(message).map(str::to_owned);
            }
            if ts > newest.as_str() {
                seen.has_below = true;
                seen.is_answered |= message["user"].as_str() != bot.as_deref();
            }
        }
        Ok(seen)
    }

    /// The thread from a message on; `None` if the bot may not look.
    async fn thread(&self, api: &Api, from: Option<&str>) -> Result<Option<Vec<Value>>, Failure> {
        let mut body = json!({
            "channel": self.spot.channel,
            "ts": self.spot.thread,
            "limit": LOOK_BACK,
            "inclusive": true,
            "include_all_metadata": true,
        });
        if let Some(from) = from {
            body["oldest"] = json!(from);
        }
        match api.call(&self.spot.team, Method::Replies, &body).await {
            Ok(mut answer) => Ok(match answer["messages"].take() {
                Value::Array(messages) => Some(messages),
                _ => None,
            }),
            Err(Failure::Refused { .. }) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    fn bot(&self, api: &Api) -> Option<String> {
        api.installations().installation(&self.spot.team).map(|found| found.bot_user)
    }

    /// Makes the message say what was said, whatever it says now, and calls it so. None where there is no such message,
    /// or it cannot hold all of it: then nothing of it is left.
    pub(super) async fn rewrite(
        &mut self,
        api: &Api,
        (message, name): (Option<Message>, &str),
    ) -> Result<Option<String>, Failure> {
        let Some(newest) = self.messages.pop() else { return Ok(None) };
        for earlier in std::mem::take(&mut self.messages) {
            delete(api, &self.spot, &earlier).await;
        }
        self.messages.push(newest.clone());
        if let Some(message) = message {
            match self.draw(api, &message, name).await {
                Ok(()) => return Ok(Some(newest)),
                Err(Failure::Refused { .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
        delete(api, &self.spot, &newest).await;
        self.messages.clear();
        Ok(None)
    }

    /// Draws the newest message as `message`.
    pub(super) async fn draw(
        &self,
        api: &Api,
        Message { text, blocks }: &Message,
        name: &str,
    ) -> Result<(), Failure> {
        let metadata = delivery::metadata(name);
        let newest = self.messages.last();
        let body = json!({
            "channel": self.spot.channel, "ts": newest, "text": text, "blocks": blocks, "metadata": metadata,
        });
        api.call(&self.spot.team, Method::UpdateMessage, &body).await.map(drop)
    }

    /// Takes away what nobody said in the end; the messages that Slack does not give back.
    pub(super) async fn discard(&self, api: &Api) -> Result<Vec<String>, Failure> {
        self.halt(api).await?;
        let mut left = Vec::new();
        for message in &self.messages {
            if !delete(api, &self.spot, message).await {
                left.push(message.clone());
            }
        }
        Ok(left)
    }

    /// The message that was opened right before a crash, by the words it begins with, or by its tasks.
    async fn look(&self, api: &Api) -> Result<Option<String>, Failure> {
        let since = self.since.map(|since| format!("{}.000000", (since - SKEW).timestamp()));
        let Some(messages) = self.thread(api, since.as_deref()).await? else { return Ok(None) };
        let bot = self.bot(api);
        let is_it = |message: &&Value| {
            message["user"].as_str() == bot.as_deref()
                && delivery::name_of(message).is_none()
                && self.looks_like(message)
        };
        let found = messages.iter().rev().find(is_it);
        Ok(found.and_then(|message| message["ts"].as_str()).map(str::to_owned))
    }

    fn looks_like(&self, message: &Value) -> bool {
        if !self.is_plan() {
            return message["text"].as_str().is_some_and(|text| text.starts_with(&self.begins));
        }
        let prefix = plan::prefix(self.knew);
        let is_task =
            |task: &Value| task["task_id"].as_str().is_some_and(|id| id.starts_with(&prefix));
        let mut blocks = message["blocks"].as_array().into_iter().flatten();
        blocks.any(|block| block["tasks"].as_array().is_some_and(|tasks| tasks.iter().any(is_task)))
    }
}

/// What a message is found by that begins with these words.
fn begins(text: &str) -> String {
    clip(text).chars().take(40).collect()
}

/// Deletes a message; whether it is gone. If not, half of it stays, and the whole one comes below.
async fn delete(api: &Api, spot: &Spot, ts: &str) -> bool {
    let body = json!({ "channel": spot.channel, "ts": ts });
    let deleted = api.call(&spot.team, Method::DeleteMessage, &body).await;
    deleted.map_or_else(|failure| failure.class() == Class::MessageGone, |_| true)
}

/// What has become of words that the model does not write any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// They are posted with this effect.
    Posted(EffectId),
    /// They are posted later, or not.
    Held,
    /// The model has said something else in the end.
    Dropped,
    /// The answer was of no use, and the model was asked again at once.
    SaidAgain,
    /// The model was cut off.
    Interrupted,
}

/// What has become of the words that the model wrote knowing so much.
pub(super) fn fate(events: &[Recorded], state: &State, knew: u64) -> Fate {
    let thought =
        events.iter().enumerate().rev().find_map(|(at, recorded)| match &*recorded.event {
            Event::Thought(thought) if thought.knew == knew => Some((at, thought)),
            _ => None,
        });
    let Some((at, thought)) = thought else {
        let is_said_again =
            events.iter().rev().take_while(|recorded| recorded.seq > knew).any(|recorded| {
                match &*recorded.event {
                    Event::ThinkingFailed { again_at, .. } => *again_at == Some(recorded.at),
                    _ => false,
                }
            });
        return if is_said_again { Fate::SaidAgain } else { Fate::Interrupted };
    };
    let words = thought.text.trim();
    if words.is_empty() {
        return Fate::Dropped;
    }
    let posts = posts_of_model(events);
    let posted = events[at..].iter().find_map(|recorded| match &*recorded.event {
        Event::Posted { effect, .. } if posts.get(&recorded.seq) == Some(&knew) => Some(*effect),
        _ => None,
    });
    match posted {
        Some(effect) => Fate::Posted(effect),
        None if state.model_turn.unsaid.contains(words) || state.model_turn.held == words => {
            Fate::Held
        }
        None => Fate::Dropped,
    }
}

/// What goes at once.
fn clip(text: &str) -> &str {
    let mut end = text.len().min(limits::STREAM_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
