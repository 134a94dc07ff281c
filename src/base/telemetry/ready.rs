//! Whether a part of the bot can serve people.

use std::fmt;

/// A part that can be asked.
pub trait Ready: fmt::Debug + Send + Sync {
    /// Nothing, or why it cannot serve people, in words without names or paths: whoever reaches the page reads it.
    fn ready(&self) -> Result<(), String>;
}
