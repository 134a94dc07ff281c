//! Effects of which something may stand on the platform already.

use crate::base::{ids::EffectId, recent::Recent};

/// Most effects that are remembered, and twice as many as are remembered at least; what of a forgotten one stands there may be posted twice.
const KEPT: u64 = 20_000;

/// Effects of which something has been posted, or may have been, by this process. Before any of it is posted again, it is
/// looked for. How often an effect was tried does not tell: most attempts end before anything could happen.
#[derive(Debug)]
pub struct PossibleDuplicates {
    effects: Recent<EffectId, ()>,
}

impl PossibleDuplicates {
    /// Nothing is doubted.
    pub fn new() -> Self {
        Self { effects: Recent::new(KEPT) }
    }

    /// Whether something of an effect may stand there.
    pub fn has(&self, effect: EffectId) -> bool {
        self.effects.get(&effect).is_some()
    }

    /// Doubts an effect before something of it is posted, for whoever gives up waiting does not know either; whether it was
    /// doubted before, for [`Self::nothing_happened`].
    pub fn begin(&self, effect: EffectId) -> bool {
        let was_doubted = self.has(effect);
        self.effects.insert(effect, (), 1);
        was_doubted
    }

    /// The effect has left for good.
    pub fn forget(&self, effect: EffectId) {
        self.effects.remove(&effect);
    }

    /// The post that was begun did not happen: there is nothing but what may have been there before.
    pub(crate) fn nothing_happened(&self, effect: EffectId, was_doubted: bool) {
        if !was_doubted {
            self.effects.remove(&effect);
        }
    }
}

impl Default for PossibleDuplicates {
    fn default() -> Self {
        Self::new()
    }
}
