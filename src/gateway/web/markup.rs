//! Texts of the catalogue in HTML.

use chrono::{DateTime, Utc};
use maud::{PreEscaped, html};

use super::{limits, markdown, piece};
use crate::{
    chat::form::{clip, one_line},
    messages::{self, Markup, Text},
    model::session::PersonId,
    session::State,
};

/// Writes texts in HTML.
struct Page<'a> {
    state: Option<&'a State>,
}

impl Markup for Page<'_> {
    fn markdown(&self, words: &str) -> String {
        markdown::inline(words).into_string()
    }

    fn words(&self, words: &str) -> String {
        html! { (words) }.into_string()
    }

    /// Colours and icons mark what stands out here.
    fn strong(&self, words: &str) -> String {
        self.words(words)
    }

    fn quoted(&self, words: &str, is_strong: bool) -> String {
        let words = clip(&one_line(words), limits::ANSWER_MAX);
        if is_strong {
            html! { strong dir="auto" { (words) } }.into_string()
        } else {
            html! { bdi { (words) } }.into_string()
        }
    }

    fn person(&self, id: &PersonId, name: &str, begins: bool) -> String {
        let state = self.state.filter(|state| *id == state.participant);
        let name = match state {
            Some(state) => state.known_as().unwrap_or(messages::unnamed::THE_PARTICIPANT),
            None => name,
        };
        let name = if begins { messages::unnamed::at_beginning(name) } else { name.to_owned() };
        html! { bdi { (name) } }.into_string()
    }

    fn moment(&self, at: DateTime<Utc>) -> String {
        piece::time(at).into_string()
    }
}

/// A text, on the page of a conversation that stands so where it may name the participant.
pub(super) fn shown(text: &Text, state: Option<&State>) -> maud::Markup {
    PreEscaped(text.write(&Page { state }))
}
