//! Texts of the catalogue in Discord's Markdown.

use chrono::{DateTime, Utc};

use super::text::{clip, escape, escape_from, one_line, person, said, time};
use crate::{gateway::discord::limits, messages::Markup, model::session::PersonId};

/// Writes texts in Discord's Markdown.
#[derive(Debug, Clone, Copy)]
pub struct Markdown;

impl Markup for Markdown {
    /// Names stand in them as they are, so nothing in them is markup.
    fn markdown(&self, words: &str) -> String {
        escape(words)
    }

    fn words(&self, words: &str) -> String {
        escape_from(words, false)
    }

    fn strong(&self, words: &str) -> String {
        format!("**{}**", self.words(words))
    }

    fn quoted(&self, words: &str, is_strong: bool) -> String {
        let quoted = said(&one_line(words), limits::VALUE_SHOWN);
        if is_strong { format!("**{quoted}**") } else { quoted }
    }

    fn person(&self, id: &PersonId, name: &str, _: bool) -> String {
        person(id, &clip(name, limits::QUOTE))
    }

    fn moment(&self, at: DateTime<Utc>) -> String {
        time(at)
    }
}
