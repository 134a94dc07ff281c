//! Texts of the catalogue in mrkdwn.

use chrono::{DateTime, Utc};

use super::{
    markdown,
    text::{escape, person, time},
};
use crate::{
    chat::form::one_line,
    gateway::slack::{
        blocks::{bold, said},
        limits,
    },
    messages::Markup,
    model::session::PersonId,
};

/// Writes texts in mrkdwn.
#[derive(Debug, Clone, Copy)]
pub(in crate::gateway::slack) struct Mrkdwn;

impl Markup for Mrkdwn {
    fn markdown(&self, words: &str) -> String {
        markdown::parts(words, limits::SECTION).join("\n")
    }

    fn words(&self, words: &str) -> String {
        escape(words)
    }

    fn strong(&self, words: &str) -> String {
        bold(&escape(words))
    }

    fn quoted(&self, words: &str, is_strong: bool) -> String {
        let quoted = said(&one_line(words), limits::VALUE_SHOWN);
        if is_strong { bold(&quoted) } else { quoted }
    }

    fn person(&self, id: &PersonId, name: &str, _: bool) -> String {
        person(id, name)
    }

    fn moment(&self, at: DateTime<Utc>) -> String {
        time(at)
    }
}
