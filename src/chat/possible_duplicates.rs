//! Effects of which something may stand on the platform already.

use crate::base::{ids::EffectId, lru::lru};

/// Most effects that are remembered; what of a forgotten one stands there may be posted twice.
const KEPT: u64 = 10_000;

/// Effects of which something has been posted, or may have been, by this process. Before any of it is posted again, it is
/// looked for. How often an effect was tried does not tell: most attempts end before anything could happen.
#[derive(Debug)]
pub struct PossibleDuplicates {
    effects: moka::sync::Cache<EffectId, ()>,
}

impl PossibleDuplicates {
    /// Nothing is doubted.
    pub fn new() -> Self {
        Self { effects: lru(KEPT).build() }
    }

    /// Whether something of an effect may stand there.
    pub fn has(&self, effect: EffectId) -> bool {
        self.effects.contains_key(&effect)
    }

    /// Doubts an effect before something of it is posted, for whoever gives up waiting does not know either; whether it was
    /// doubted before, for [`Self::nothing_happened`].
    pub fn begin(&self, effect: EffectId) -> bool {
        let was_doubted = self.has(effect);
        self.effects.insert(effect, ());
        was_doubted
    }

    /// The effect has left for good.
    pub fn forget(&self, effect: EffectId) {
        self.effects.invalidate(&effect);
    }

    /// The post that was begun did not happen: there is nothing but what may have been there before.
    pub(crate) fn nothing_happened(&self, effect: EffectId, was_doubted: bool) {
        if !was_doubted {
            self.effects.invalidate(&effect);
        }
    }
}

impl Default for PossibleDuplicates {
    fn default() -> Self {
        Self::new()
    }
}
