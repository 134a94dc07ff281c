//! After an erasure: the session's key is overwritten, so that no copy of what it sealed can be read.

use super::Committer;
use crate::{
    base::failpoint::{Failpoint, hit},
    store::sled::keys,
};

impl Committer {
    /// Overwrites the keys of sessions whose erasure is on the device; before that a power cut could bring back a session
    /// without a key. Nobody reads any more what they sealed. What is left undone is done when the store is opened again.
    pub(super) fn shred(&mut self) {
        if self.doomed.is_empty() || self.bad.is_some() {
            return;
        }
        let doomed = std::mem::take(&mut self.doomed);
        hit(Failpoint::ShredDue);
        // What fails has made the store read-only already, and is done when it mends.
        _ = self.guarded(|this| {
            this.key_store.shred(&doomed)?;
            this.step(|stage, _| {
                for slot in doomed {
                    stage.remove(keys::doomed(slot));
                }
                Ok(())
            })?;
            // Lost in a crash it is done again.
            this.apply_ahead()?;
            hit(Failpoint::ShredNoted);
            Ok(())
        });
        self.reveal(Vec::new());
    }
}
