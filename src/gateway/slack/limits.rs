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

/// Longest time for a connection to the host of a file.
pub const FILE_CONNECT: Duration = Duration::from_secs(5);

/// Longest silence while a file comes.
pub const FILE_SILENCE: Duration = Duration::from_secs(15);

/// Longest time for one file.
pub const FILE_TOTAL: Duration = Duration::from_mins(2);

/// Redirects that are followed for a file, all of them within Slack.
pub const FILE_REDIRECTS: usize = 3;
