//! After an erasure: the session's key is overwritten, so that no copy of what it sealed can be read.

use super::Committer;
use crate::{
    base::failpoint::{Failpoint, hit},
    store::sled::{key_store::Slot, keys},
};

impl Committer {
    /// Overwrites the keys of sessions whose erasure is on the device, and says which; before that a power cut could
    /// bring back a session without a key. What is left undone is done when the store is opened again.
    pub(super) fn shred(&mut self) -> Vec<Slot> {
        if self.doomed.is_empty() || self.bad.is_some() {
            return Vec::new();
        }
        let doomed = std::mem::take(&mut self.doomed);
        hit(Failpoint::ShredDue);
        // What fails has made the store read-only already, and is done when it mends.
        let shredded = self.guarded(|this| this.key_store.shred(&doomed));
        shredded.map_or_else(|_| Vec::new(), |()| doomed)
    }

    /// Notes that there is nothing left to shred. Lost in a crash it is done again.
    pub(super) fn note_shredded(&mut self, shredded: Vec<Slot>) {
        _ = self.guarded(|this| {
            this.step(|stage, _| {
                for slot in shredded {
                    stage.remove(keys::doomed(slot));
                }
                Ok(())
            })?;
            this.apply_ahead()
        });
        hit(Failpoint::ShredNoted);
        self.reveal(|_| Vec::new());
    }
}
