//! What was entered for a question and is not sent yet: a form closes before it can complain, and a question may take
//! several. Kept beside the question in the store, so that neither a restart nor another device loses it.
//!
//! ```text
//! discord/draft/AZ…   { "revision": 0, "draft": { "typed": { "text": ["Hello"] } } }
//! ```

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    chat::form::Draft,
    model::wait::Wait,
    store::{self, Note, Store},
};

/// Knows what was entered. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Drafts(Arc<dyn Store>);

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    revision: u32,
    draft: Draft,
}

impl Drafts {
    /// Those in a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    /// What was entered for a question so far; nothing for an earlier revision of it, or one that is settled.
    pub async fn of(&self, wait: &Wait) -> Result<Draft, store::Error> {
        if !wait.status.is_pending() {
            return Ok(Draft::default());
        }
        let note = self.0.noted(&key(wait)).await?;
        let kept = note.and_then(|note| serde_json::from_str::<Kept>(&note.value?).ok());
        let kept = kept.filter(|kept| kept.revision == wait.revision);
        Ok(kept.map(|kept| kept.draft).unwrap_or_default())
    }

    /// Keeps it; durable when it returns.
    pub async fn keep(&self, wait: &Wait, draft: &Draft) -> Result<(), store::Error> {
        let kept = Kept { revision: wait.revision, draft: draft.clone() };
        let value = serde_json::to_string(&kept).ok();
        self.0.note(Note { key: key(wait), session: Some(wait.session), value }).await
    }

    /// The question is settled.
    pub async fn drop(&self, wait: &Wait) -> Result<(), store::Error> {
        self.0.note(Note { key: key(wait), session: Some(wait.session), value: None }).await
    }
}

fn key(wait: &Wait) -> String {
    format!("discord/draft/{}", wait.id.short())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::form::Draft;

    #[test]
    fn what_was_kept_reads_back() {
        let mut draft = Draft::default();
        draft.enter("text", vec!["Hello".to_owned()]);
        let kept = serde_json::to_string(&Kept { revision: 3, draft: draft.clone() }).unwrap();
        insta::assert_snapshot!(kept, @r#"{"revision":3,"draft":{"typed":{"text":["Hello"]}}}"#);
        let read: Kept = serde_json::from_str(&kept).unwrap();
        assert_eq!((read.revision, read.draft), (3, draft));
    }
}
