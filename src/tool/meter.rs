//! What a tool that asks a model by itself has spent.

use std::sync::{Mutex, PoisonError};

use crate::model::usage::Usage;

/// Counts while a tool runs. What was counted stands even if the tool fails afterwards.
#[derive(Debug, Default)]
pub struct Meter(Mutex<Usage>);

impl Meter {
    /// One more call of a model, with what it cost.
    pub fn add(&self, usage: Usage) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all += Usage { calls: 1, ..usage };
    }

    /// What calls of a model have cost that know themselves how many they were; none where the answer was still known.
    pub(crate) fn add_all(&self, usage: Usage) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all += usage;
    }

    /// What was spent so far.
    pub fn read(&self) -> Usage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
