//! What a store holds and cannot read: lists leave it out, and so say what they have left out.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::Error;

/// Most that is remembered; who has lost that much needs no longer list.
const KNOWN_MAX: usize = 1000;

/// Something stored that cannot be read.
///
/// ```json
/// { "what": "session `ses_…`", "why": "it is damaged (it is not what was sealed)" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// What it is, without personal data.
    pub what: String,
    /// Why, and what to do about it after `hint:`.
    pub why: String,
}

/// What has been found so far.
#[derive(Debug, Default)]
pub(crate) struct Found(Mutex<BTreeMap<String, String>>);

impl Found {
    /// Remembers what an error says cannot be read; whether that is news. Other errors are of no account.
    pub(crate) fn note(&self, error: &Error) -> bool {
        let Error::Unreadable { what, why } = error else { return false };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = known.len() < KNOWN_MAX && !known.contains_key(what);
        if is_news {
            known.insert(what.clone(), why.clone());
        }
        is_news
    }

    /// Forgets everything, before all is read anew.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// All of it, in order.
    pub(crate) fn all(&self) -> Vec<Unreadable> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let one =
            |(what, why): (&String, &String)| Unreadable { what: what.clone(), why: why.clone() };
        known.iter().map(one).collect()
    }
}
