//! What Slack accepts, each constant with its unit and source.

use std::time::Duration;

/// People and groups that are remembered, at most.
pub const PEOPLE_KEPT: u64 = 10_000;

/// How long what is known of people and groups counts as known.
pub const PEOPLE_FRESH: Duration = Duration::from_mins(5);

/// How often the groups of the lists are asked for, so that they stay known.
pub const GROUPS_REFRESHED: Duration = Duration::from_mins(4);

/// Longest check of what somebody may do, at a click: Slack waits three seconds for an acknowledgement.
pub const CLICK_CHECK: Duration = Duration::from_millis(1500);
