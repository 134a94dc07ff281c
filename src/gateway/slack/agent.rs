//! What Slack's agent surface shows while the bot works: status, session states, words as they come.
