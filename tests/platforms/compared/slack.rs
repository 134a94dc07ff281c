//! Slack, as its own tests have it.

pub(crate) use crate::slack::bot;
