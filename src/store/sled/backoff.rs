//! When a store that is read-only tries to write again.

use chrono::TimeDelta;

/// Longest pause between two tries to write again.
pub(super) const PAUSE_MAX: TimeDelta = TimeDelta::seconds(15);

/// The first try comes at once, the next ones after pauses that double.
pub(super) fn pause(setbacks: u32) -> TimeDelta {
    match setbacks {
        0 | 1 => TimeDelta::zero(),
        more => TimeDelta::seconds(1 << (more - 2).min(4)).min(PAUSE_MAX),
    }
}
