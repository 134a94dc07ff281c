//! Words that only Slack shows.
