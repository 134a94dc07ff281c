//! Raw JSON from Slack as [`super::inbound`]. Pure.
