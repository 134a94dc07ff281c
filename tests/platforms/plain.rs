//! The smallest chat that the bot can live in, kept in memory: it shows that nothing in `src/chat` is about Slack or Discord.
//!
//! ```text
//! chat       rooms, messages, threads, choices, files, and what is refused there
//! draw       a question as words with numbered choices
//! incoming   Update, Messages, Buttons, Questions, Commands: what people do
//! send       Gateway, Courier, Remover: what the bot does
//! ```

mod app;
pub(crate) mod bot;
mod chat;
mod draw;
pub(crate) mod flows;
mod incoming;
mod send;
mod stories;
mod stories_team;
mod stories_trouble;
