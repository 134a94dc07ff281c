//! How messages look.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::watch, time::timeout};

use crate::base::recent::Recent;

/// Messages whose look is remembered.
const KEPT: u64 = 10_000;

/// Longest wait for what an answer to an interaction comes to: no platform takes one after three seconds.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// What messages look like that this process has drawn, by their names; an edit that changes nothing need not leave.
/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct RenderCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    digests: Recent<String, String>,
    /// Messages that an answer to an interaction draws just now.
    answers: Mutex<HashMap<String, watch::Receiver<()>>>,
}

impl RenderCache {
    /// Nothing is known.
    pub fn new() -> Self {
        let digests = Recent::new(KEPT);
        Self(Arc::new(Inner { digests, answers: Mutex::default() }))
    }

    /// Whether a message looks so already, as far as this process has drawn it.
    pub fn is(&self, message: &str, digest: &str) -> bool {
        self.0.digests.get(message).is_some_and(|drawn| drawn == digest)
    }

    /// Remembers how a message looks.
    pub fn note(&self, message: String, digest: String) {
        self.0.digests.insert(message, digest, 1);
    }

    /// Somebody else has drawn a message: how it looks is not known any more.
    pub fn forget(&self, message: &str) {
        self.0.digests.remove(message);
    }

    /// The answer to an interaction is to draw a message; `None` if another answer does so just now.
    pub fn answer(&self, message: &str) -> Option<Drawing> {
        let mut answers = self.answers();
        if answers.contains_key(message) {
            return None;
        }
        let (over, watched) = watch::channel(());
        answers.insert(message.to_owned(), watched);
        let (drawn, message) = (self.clone(), message.to_owned());
        Some(Drawing { drawn, message, digest: None, _over: over })
    }

    /// Resolves when no answer to an interaction draws the message.
    pub async fn settled(&self, message: &str) {
        let Some(mut watched) = self.answers().get(message).cloned() else { return };
        let over = async { while watched.changed().await.is_ok() {} };
        // Whoever draws it then draws it as it is by then.
        _ = timeout(ANSWER_MAX, over).await;
    }

    fn answers(&self) -> MutexGuard<'_, HashMap<String, watch::Receiver<()>>> {
        self.0.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for RenderCache {
    fn default() -> Self {
        Self::new()
    }
}

/// A message that the answer to an interaction draws. Edits of it wait until this is gone; unless the platform has
/// [taken](Self::taken) the answer by then, the message still looks as before.
#[derive(Debug)]
pub struct Drawing {
    drawn: RenderCache,
    message: String,
    digest: Option<String>,
    /// Closed with it.
    _over: watch::Sender<()>,
}

impl Drawing {
    /// How the message will look.
    #[must_use]
    pub fn looking(mut self, digest: String) -> Self {
        self.digest = Some(digest);
        self
    }

    /// The platform has taken the answer.
    pub fn taken(&self) {
        if let Some(digest) = self.digest.clone() {
            self.drawn.note(self.message.clone(), digest);
        }
    }
}

impl PartialEq for Drawing {
    fn eq(&self, other: &Self) -> bool {
        (&self.message, &self.digest) == (&other.message, &other.digest)
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        self.drawn.answers().remove(&self.message);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::{ANSWER_MAX, RenderCache};

    #[tokio::test(start_paused = true)]
    async fn edit_waits_for_an_answer_under_way_and_counts_it_only_once_taken() {
        let drawn = RenderCache::new();
        assert!(drawn.settled("1/2").now_or_never().is_some());
        let answer = drawn.answer("1/2").unwrap().looking("new".to_owned());
        assert!(drawn.answer("1/2").is_none(), "one answer at a time");
        let mut edit = Box::pin(drawn.settled("1/2"));
        assert!(edit.as_mut().now_or_never().is_none());
        answer.taken();
        drop(answer);
        assert!(edit.now_or_never().is_some());
        assert!(drawn.is("1/2", "new"));
    }

    #[test]
    fn answer_that_was_not_taken_leaves_nothing_known() {
        let drawn = RenderCache::new();
        drop(drawn.answer("1/2").unwrap().looking("new".to_owned()));
        assert!(!drawn.is("1/2", "new"));
        assert!(drawn.settled("1/2").now_or_never().is_some());
        assert!(drawn.answer("1/2").is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn edit_waits_for_an_answer_no_longer_than_a_platform_takes_one() {
        let drawn = RenderCache::new();
        let _answer = drawn.answer("1/2").unwrap();
        let began = tokio::time::Instant::now();
        drawn.settled("1/2").await;
        assert_eq!(began.elapsed(), ANSWER_MAX);
    }
}
