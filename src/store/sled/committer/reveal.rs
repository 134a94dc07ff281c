//! What was applied becomes known to those who read.

use std::sync::PoisonError;

use super::Committer;
use crate::{
    model::{effect::Delivery, posted::ledger_of},
    store::{
        left_outside,
        sled::{Shared, jobs::Applied},
    },
};

impl Committer {
    /// Has those who read see what was applied, and what is cached go on with it, once those who still read what was there
    /// before are through.
    pub(super) fn reveal(&self, applied: Vec<Applied>) {
        let mut database = self.shared.db.write().unwrap_or_else(PoisonError::into_inner);
        database.before = None;
        for applied in applied {
            // What failed is not known to be there.
            if self.bad.is_none() {
                self.tell(applied);
            }
        }
    }

    fn tell(&self, applied: Applied) {
        let Shared { recent, outbox, next_timer, .. } = &*self.shared;
        match applied {
            Applied::Step { step, slot, effects, timer } => {
                recent.go_on(*step);
                if let Some(at) = timer {
                    next_timer.add(at);
                }
                outbox.with(|queue| {
                    for effect in effects {
                        queue.add_known(slot, effect);
                    }
                });
            }
            Applied::Erasure { session, gone, .. } => {
                recent.erased(session);
                outbox.with(|queue| {
                    // Those that were queued in the same group have come since.
                    for effect in gone.effects {
                        queue.remove(effect);
                    }
                });
            }
            Applied::Note { key } => recent.noted(&key),
            Applied::Piece { notes, effects } => {
                next_timer.forget();
                for key in &notes {
                    recent.noted(key);
                }
                outbox.with(|queue| {
                    for (slot, effect) in effects {
                        queue.add_known(slot, effect);
                    }
                });
            }
            Applied::Delivery { id, known, delivery } => {
                if let Some(known) = &known {
                    recent.delivered(known, &delivery);
                    if !left_outside(&delivery).is_empty() {
                        recent.noted(&ledger_of(known.session));
                    }
                }
                // Not before: an effect in somebody's hands stays theirs where the device fails.
                outbox.with(|queue| match (delivery, known) {
                    (Delivery::Retry { .. } | Delivery::Later { .. }, _) => queue.defer(id),
                    (Delivery::Blocked { cause, not_before }, Some(known)) => {
                        queue.park(&known, cause, not_before);
                    }
                    _ => queue.remove(id),
                });
            }
        }
    }
}
