//! A Discord with state and rules of its own, written from Discord's documents and not from the bot.

#[path = "emulator/components.rs"]
pub(crate) mod components;
#[path = "emulator/draw.rs"]
pub(crate) mod draw;
