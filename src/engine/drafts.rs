//! Words of the model while they come, and the rounds that are under way.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::broadcast;

use super::Engine;
use crate::{
    base::ids::SessionId,
    model::{session::Platform, usage::Usage},
    ports::llm::{
        Sink,
        chat::{Message, Part, Request},
    },
    session::{Speech, topics},
};

/// Words of the model while it speaks, for those who look on; nothing is lost with them, since the whole text is
/// posted when it is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// In which session.
    pub session: SessionId,
    /// The last event that the model knew: names the message that is being written.
    pub knew: u64,
    /// All words so far; empty where it began anew, and where it is over: posted by then, or nothing came of it.
    pub text: Arc<str>,
}

/// Drafts that a slow listener may fall behind; older ones mean nothing by then.
const DRAFTS_KEPT: usize = 64;

/// Shortest growth of a draft that is told, in bytes: a message is edited some times, not for each word.
const DRAFT_STEP: usize = 24;

/// Shortest growth of a long draft, as a part of it: all of it is told each time, so that the work stays in proportion
/// to its length.
const DRAFT_SHARE: usize = 32;

/// Tells of words as they come, and knows those of each message that is being written.
#[derive(Debug)]
pub(super) struct Drafts {
    told: broadcast::Sender<Draft>,
    now: Mutex<HashMap<SessionId, Draft>>,
    /// Rounds that are under way: what the model knew, and about how many tokens it was sent.
    asked: Mutex<HashMap<SessionId, (u64, u64)>>,
}

impl Default for Drafts {
    fn default() -> Self {
        Self {
            told: broadcast::Sender::new(DRAFTS_KEPT),
            now: Mutex::default(),
            asked: Mutex::default(),
        }
    }
}

impl Drafts {
    fn of(&self, session: SessionId) -> Option<Draft> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).get(&session).cloned()
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<SessionId, (u64, u64)>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, draft: Draft) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if draft.text.is_empty() {
            now.remove(&draft.session);
        } else {
            now.insert(draft.session, draft.clone());
        }
        drop(now);
        // Nobody looking on is no failure.
        _ = self.told.send(draft);
    }
}

/// Tells the words of one round, which is under way for as long as this lives.
pub(super) struct DraftSink<'a> {
    drafts: &'a Drafts,
    session: SessionId,
    knew: u64,
    text: String,
    told: usize,
    /// How much of the text those who look on have, in bytes.
    shown: usize,
    /// Topics that must not be asked about: words are shown up to those of a question about one.
    never: &'a [String],
}

impl<'a> DraftSink<'a> {
    pub(super) fn begin(
        drafts: &'a Drafts,
        (session, knew): (SessionId, u64),
        request: &Request,
        never: &'a [String],
    ) -> Self {
        drafts.asked().insert(session, (knew, tokens_of(request)));
        Self { drafts, session, knew, text: String::new(), told: 0, shown: 0, never }
    }

    fn tell(&mut self) {
        // Nothing is taken back that was shown: what is wrong with the sentence, the whole message tells.
        let shown = topics::showable(self.never, &self.text).max(self.shown);
        let (session, knew) = (self.session, self.knew);
        let is_news = self.shown != shown;
        self.told = self.text.len();
        self.shown = shown;
        if is_news {
            let text = Arc::from(&self.text[..shown]);
            self.drafts.tell(Draft { session, knew, text });
        }
    }

    /// Begins anew, or is over.
    fn clear(&mut self) {
        self.text.clear();
        (self.told, self.shown) = (0, 0);
        let (session, knew) = (self.session, self.knew);
        self.drafts.tell(Draft { session, knew, text: Arc::from("") });
    }
}

impl Drop for DraftSink<'_> {
    fn drop(&mut self) {
        self.drafts.asked().remove(&self.session);
        if self.shown > 0 {
            self.clear();
        }
    }
}

impl Sink for DraftSink<'_> {
    fn words(&mut self, words: &str) {
        self.text.push_str(words);
        if self.text.len() - self.told >= DRAFT_STEP.max(self.told / DRAFT_SHARE) {
            self.tell();
        }
    }

    fn restart(&mut self) -> bool {
        self.clear();
        true
    }
}

impl Engine {
    /// Hears the model's words while it speaks.
    pub fn drafts(&self) -> broadcast::Receiver<Draft> {
        self.inner.drafts.told.subscribe()
    }

    /// What the model has said so far of the message that it is writing in a session, if it is.
    pub fn draft(&self, session: SessionId) -> Option<Draft> {
        self.inner.drafts.of(session)
    }

    /// The round of the model that is under way in a session, with what the participant sees of it by now: nothing in
    /// Discord, where words are posted whole.
    pub(super) fn speech(&self, session: SessionId, platform: Platform) -> Option<Speech> {
        let (knew, input) = self.inner.drafts.asked().get(&session).copied()?;
        let draft = self.draft(session).filter(|draft| draft.knew == knew);
        let text = draft.map(|draft| draft.text.to_string()).unwrap_or_default();
        let output = tokens_in(&text);
        let text = if platform == Platform::Discord { String::new() } else { text };
        let usage = Usage { input, output, calls: 1, ..Usage::default() };
        Some(Speech { knew, text, usage })
    }

    /// Whether the model is being asked in a session.
    pub(crate) fn is_asking_model(&self, session: SessionId) -> bool {
        self.inner.drafts.asked().contains_key(&session)
    }
}

/// About how many tokens a request has, where the provider does not say.
fn tokens_of(request: &Request) -> u64 {
    let words = |message: &Message| match message {
        Message::System(text) | Message::Tool { content: text, .. } => tokens_in(text),
        Message::User(parts) => parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => tokens_in(text),
                Part::Image { .. } | Part::File { .. } => 0,
            })
            .sum(),
        Message::Assistant { text, calls, .. } => {
            tokens_in(text) + calls.iter().map(|call| tokens_in(&call.raw)).sum::<u64>()
        }
    };
    request.messages.iter().map(words).sum()
}

/// A token for every four bytes of a text.
fn tokens_in(text: &str) -> u64 {
    u64::try_from(text.len() / 4).unwrap_or(u64::MAX)
}
