//! One message of the model while it is written: opened, continued, ended, and made whole where something went wrong.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::safe::safe;
use crate::{
    gateway::slack::{
        api::{Api, Failure, Method},
        limits,
        render::Message,
    },
    ids::{EffectId, SessionId},
    model::transcript::{Event, Recorded},
    store::{self, Note, Store},
};

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
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) spot: Spot,
    pub(super) knew: u64,
    /// The messages that it has come to so far; none yet where the first is just being opened.
    pub(super) messages: Vec<String>,
    /// What the first begins with.
    pub(super) begins: String,
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
}

/// A note's key.
pub(super) fn key(session: SessionId) -> String {
    format!("slack/stream/{session}")
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
        (spot, knew): (Spot, u64),
        text: &str,
        done: &[(&str, bool)],
        title: &str,
    ) -> Result<Self, Failure> {
        let later = Failure::Later { after: limits::STREAM_PACE };
        let shown = clip(text).to_owned();
        let begins = shown.chars().take(40).collect();
        let mut kept = Kept { spot, knew, messages: Vec::new(), begins };
        keep(store, session, Some(&kept)).await.map_err(|_| later)?;
        let mut chunks = Vec::new();
        if !done.is_empty() {
            chunks.push(json!({ "type": "plan_update", "title": title }));
            for (n, (words, is_ok)) in done.iter().enumerate() {
                let status = if *is_ok { "complete" } else { "error" };
                chunks.push(json!({ "type": "task_update", "id": format!("t{n}"), "title": words, "status": status }));
            }
        }
        chunks.push(json!({ "type": "markdown_text", "text": shown }));
        match start(api, &kept.spot, chunks).await {
            Ok(ts) => {
                kept.messages.push(ts);
                // A crash before this is noted is one of those that the first words are noted for.
                _ = keep(store, session, Some(&kept)).await;
                let now = Instant::now();
                Ok(Self { kept, shown, from: 0, opened_at: now, grew_at: now, is_torn: false })
            }
            Err(Failure::Unclear { why }) => Err(Failure::Unclear { why }),
            Err(failure) => {
                _ = keep(store, session, None).await;
                Err(failure)
            }
        }
    }

    /// Shows more of the words.
    pub(super) async fn grow(
        &mut self,
        (api, store, session): (&Api, &dyn Store, SessionId),
        words: &str,
    ) {
        let text = safe(words, false);
        if self.is_torn || !text.starts_with(&self.shown) {
            self.is_torn = true;
            return;
        }
        let more = clip(&text[self.shown.len()..]).to_owned();
        if more.trim().is_empty() {
            return;
        }
        let is_old = self.opened_at.elapsed() >= limits::STREAM_ROLL;
        if is_old || self.shown.len() - self.from + more.len() > limits::STREAM_TEXT {
            self.roll((api, store, session), &more).await;
            return;
        }
        let body = json!({ "channel": self.kept.spot.channel, "ts": self.newest(), "markdown_text": more });
        match api.call(&self.kept.spot.team, Method::AppendStream, body).await {
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
        let ended = self.stop(api, body).await;
        // Whether it has ended or not, writing it anew is right then.
        self.is_torn |= matches!(ended, Err(Failure::Unclear { .. }));
        ended
    }

    async fn stop(&self, api: &Api, mut body: Value) -> Result<(), Failure> {
        body["channel"] = json!(self.kept.spot.channel);
        body["ts"] = json!(self.newest());
        api.call(&self.kept.spot.team, Method::StopStream, body).await.map(|_| ())
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
    let answer = api.call(&spot.team, Method::StartStream, body).await?;
    let ts = answer["ts"].as_str().map(str::to_owned);
    ts.ok_or_else(|| Failure::Unclear { why: "the stream has no name".to_owned() })
}

impl Kept {
    /// Looks for the message that was opened right before a crash.
    pub(super) async fn find(&mut self, api: &Api) -> Result<(), Failure> {
        if self.messages.is_empty() {
            self.messages.extend(self.look(api).await?);
        }
        Ok(())
    }

    /// Ends the stream, if it has not ended by itself.
    pub(super) async fn halt(&self, api: &Api) -> Result<(), Failure> {
        let Some(newest) = self.messages.last() else { return Ok(()) };
        let body = json!({ "channel": self.spot.channel, "ts": newest });
        match api.call(&self.spot.team, Method::StopStream, body).await {
            Ok(_) | Err(Failure::Refused { .. } | Failure::Unclear { .. }) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Makes the message say what was said, whatever it says now: after a crash, or where the stream broke off. None
    /// where there is no such message, or it cannot hold all of it: then nothing of it is left.
    pub(super) async fn rewrite(
        &mut self,
        api: &Api,
        message: Option<Message>,
    ) -> Result<Option<String>, Failure> {
        let Some(newest) = self.messages.pop() else { return Ok(None) };
        for earlier in std::mem::take(&mut self.messages) {
            delete(api, &self.spot, &earlier).await;
        }
        self.messages.push(newest.clone());
        if let Some(Message { text, blocks }) = message {
            let body = json!({ "channel": self.spot.channel, "ts": newest, "text": text, "blocks": blocks });
            match api.call(&self.spot.team, Method::UpdateMessage, body).await {
                Ok(_) => return Ok(Some(newest)),
                Err(Failure::Refused { .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
        delete(api, &self.spot, &newest).await;
        self.messages.clear();
        Ok(None)
    }

    /// Takes away what nobody said in the end.
    pub(super) async fn discard(mut self, api: &Api) {
        self.halt(api).await.ok();
        for message in std::mem::take(&mut self.messages) {
            delete(api, &self.spot, &message).await;
        }
    }

    /// The message that was opened right before a crash, by the words it begins with.
    async fn look(&self, api: &Api) -> Result<Option<String>, Failure> {
        let body = json!({ "channel": self.spot.channel, "ts": self.spot.thread, "limit": 50 });
        let answer = match api.call(&self.spot.team, Method::Replies, body).await {
            Ok(answer) => answer,
            Err(Failure::Refused { .. }) => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let bot = api.tenants().installation(&self.spot.team).map(|found| found.bot_user);
        let messages = answer["messages"].as_array().into_iter().flatten();
        let is_it = |message: &&Value| {
            let text = message["text"].as_str().unwrap_or_default();
            message["user"].as_str() == bot.as_deref()
                && !self.begins.is_empty()
                && text.starts_with(&self.begins)
        };
        let found = messages.rev().find(is_it);
        Ok(found.and_then(|message| message["ts"].as_str()).map(str::to_owned))
    }
}

async fn delete(api: &Api, spot: &Spot, ts: &str) {
    let body = json!({ "channel": spot.channel, "ts": ts });
    // It may be gone by now; if not, half a message stays, and the whole one comes below it.
    api.call(&spot.team, Method::DeleteMessage, body).await.ok();
}

/// Whether the post of an effect stands before the words of the model that knew so much: then these are another post's.
pub(super) fn is_earlier(events: &[Recorded], effect: EffectId, knew: u64) -> bool {
    let seq_of = |is_it: &dyn Fn(&Event) -> bool| {
        events.iter().rev().find(|recorded| is_it(&recorded.event)).map(|recorded| recorded.seq)
    };
    let posted =
        seq_of(&|event| matches!(event, Event::Posted { effect: id, .. } if *id == effect));
    let said = seq_of(&|event| matches!(event, Event::Thought(thought) if thought.knew == knew));
    // What it said was dropped: the next post takes its place.
    posted.is_some_and(|posted| said.map_or(posted <= knew, |said| posted < said))
}

/// What goes at once.
fn clip(text: &str) -> &str {
    let mut end = text.len().min(limits::STREAM_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
