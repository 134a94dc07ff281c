//! A device that takes its time: syncs wait for as long as a test holds them.

use std::{
    io,
    sync::{Condvar, Mutex},
};

use anteroom::store::sled::fault_injection::{Faults, Touch};
use tokio::sync::watch;

/// A device under the embedded store.
#[derive(Debug)]
pub(crate) struct SlowDevice {
    /// How many syncs may still go through; `None` for all.
    allowed: Mutex<Option<usize>>,
    changed: Condvar,
    /// How many syncs have come to a hold.
    held: watch::Sender<usize>,
}

impl Default for SlowDevice {
    fn default() -> Self {
        Self { allowed: Mutex::default(), changed: Condvar::new(), held: watch::Sender::new(0) }
    }
}

impl SlowDevice {
    /// From now on each sync waits to be let through.
    pub(crate) fn hold(&self) {
        self.allow(Some(0));
    }

    /// The next sync goes through, or the one that waits.
    pub(crate) fn let_one_through(&self) {
        let allowed = self.allowed.lock().unwrap().map(|allowed| allowed + 1);
        self.allow(allowed);
    }

    /// The device is fast again.
    pub(crate) fn release(&self) {
        self.allow(None);
    }

    fn allow(&self, syncs: Option<usize>) {
        *self.allowed.lock().unwrap() = syncs;
        self.changed.notify_all();
    }

    /// How many syncs have had to wait so far.
    pub(crate) fn held(&self) -> usize {
        *self.held.borrow()
    }

    /// Returns once more syncs than that have had to wait.
    pub(crate) async fn is_syncing(&self, after: usize) {
        let mut held = self.held.subscribe();
        held.wait_for(|held| *held > after).await.unwrap();
    }
}

impl Faults for SlowDevice {
    fn strike(&self, touch: Touch) -> io::Result<()> {
        if touch != Touch::Sync {
            return Ok(());
        }
        let mut allowed = self.allowed.lock().unwrap();
        if *allowed == Some(0) {
            self.held.send_modify(|held| *held += 1);
        }
        allowed = self.changed.wait_while(allowed, |allowed| *allowed == Some(0)).unwrap();
        *allowed = allowed.map(|allowed| allowed - 1);
        Ok(())
    }
}
