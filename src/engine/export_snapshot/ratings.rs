//! What participants say of the model's answers, kept in a note of their session: it goes with that one's erasure.

use tokio::sync::Mutex;

use crate::{
    base::ids::SessionId,
    engine::Engine,
    model::rating::Rating,
    store::{Error, Note, Store},
};

/// Answers of one session that are remembered with what was said of them; the oldest go first.
const RATINGS_MAX: usize = 500;

/// Longest reason, in characters.
const REASON_MAX: usize = 2_000;

/// How much of an answer is kept beside what was said of it, in characters.
const ABOUT_MAX: usize = 160;

/// A list is read and written by one at a time.
static TURN: Mutex<()> = Mutex::const_new(());

impl Engine {
    /// Keeps what was said of an answer in place of what was said of it before; whether it is anything new. A reason stays
    /// until another one is given, or the answer was good after all.
    pub async fn rate(&self, session: SessionId, new: Rating) -> Result<bool, Error> {
        let store = self.inner.parts.store.as_ref();
        let _one_at_a_time = TURN.lock().await;
        let mut ratings = ratings(store, session).await?;
        let old = ratings.iter().position(|rating| rating.message == new.message);
        let old = old.map(|at| ratings.remove(at));
        let reason = new.reason.map(|reason| clip(reason.trim(), REASON_MAX));
        let reason = reason.filter(|reason| !reason.is_empty());
        let new = Rating {
            reason: reason
                .or_else(|| old.as_ref().and_then(|old| old.reason.clone()))
                .filter(|_| !new.is_good),
            about: match &old {
                Some(old) if new.about.is_empty() => old.about.clone(),
                _ => clip(&one_line(&new.about), ABOUT_MAX),
            },
            at: self.inner.parts.clock.now(),
            ..new
        };
        let is_new = old.is_none_or(|old| old.is_good != new.is_good || old.reason != new.reason);
        ratings.push(new);
        let excess = ratings.len().saturating_sub(RATINGS_MAX);
        let value = serde_json::to_string(&ratings[excess..]).ok();
        store.note(Note { key: key(session), session: Some(session), value }).await?;
        Ok(is_new)
    }

    /// What was said of a session's answers, the last one last.
    pub async fn ratings(&self, session: SessionId) -> Result<Vec<Rating>, Error> {
        ratings(self.inner.parts.store.as_ref(), session).await
    }
}

/// What was said of a session's answers, the last one last.
pub(super) async fn ratings(store: &dyn Store, session: SessionId) -> Result<Vec<Rating>, Error> {
    let value = store.noted(&key(session)).await?.and_then(|note| note.value);
    let ratings = value.and_then(|value| serde_json::from_str(&value).ok());
    Ok(ratings.unwrap_or_default())
}

fn key(session: SessionId) -> String {
    format!("ratings/{session}")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn clip(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
