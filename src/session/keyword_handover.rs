//! Words at which a person is asked for at once: the flow's list, of distress or of a lawyer.

use serde_json::Value;

use super::{Changes, SessionView};
use crate::{
    messages,
    model::{session::Status, ui::Reply},
};

/// Why staff are asked. The words themselves stay in the conversation.
const REASON: &str = messages::staff::KEYWORD_WRITTEN;

impl Changes {
    /// Staff are told that the model cannot be used.
    pub(super) fn tell_of_model(&mut self, text: &'static str) {
        let channel = self.flow.flow.handoff.channel.clone();
        self.post_to_staff(channel.as_deref(), text);
    }

    /// A person is asked for, and nothing more is asked meanwhile. Not where one was asked for before, nor once the
    /// conversation is over.
    pub(super) fn raise_alarm(&mut self) {
        let is_going = match self.state.status {
            Status::Notice | Status::Open | Status::Paused => true,
            Status::Stopped | Status::Declined | Status::Completed | Status::Ended => false,
        };
        if is_going && self.state.handoff.is_none() {
            // Whatever comes of asking.
            self.post(messages::interview::EMERGENCY);
            self.hand_over(REASON, messages::interview::PERSON_CALLED);
        }
    }

    /// Raises the alarm if what was written on a card holds a word of the flow's list.
    pub(super) fn heed(&mut self, reply: &Reply) {
        if written(reply).iter().any(|text| self.is_alarming(text)) {
            self.raise_alarm();
        }
    }
}

impl SessionView {
    /// Whether a text holds a word of the flow's list.
    pub(super) fn is_alarming(&self, text: &str) -> bool {
        let keywords = &self.flow.flow.handoff.keywords;
        !keywords.is_empty() && {
            let text = text.to_lowercase();
            keywords.iter().any(|keyword| holds(&text, &keyword.to_lowercase()))
        }
    }
}

/// Whether a word or phrase stands in a text, not as a part of a longer word. Both in lower case.
fn holds(text: &str, keyword: &str) -> bool {
    let keyword = keyword.trim();
    let is_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !keyword.is_empty()
        && text.match_indices(keyword).any(|(at, found)| {
            is_border(text[..at].chars().next_back())
                && is_border(text[at + found.len()..].chars().next())
        })
}

/// What a person wrote in a reply; not what they picked.
fn written(reply: &Reply) -> Vec<String> {
    match reply {
        Reply::Text { text } => vec![text.clone()],
        Reply::Chosen { free_text, .. } => free_text.iter().cloned().collect(),
        Reply::Filled { values } => values.values().flat_map(texts_of).collect(),
        Reply::Reviewed { data, notes, .. } => {
            notes.iter().cloned().chain(data.iter().flat_map(texts_of)).collect()
        }
        Reply::Uploaded { .. }
        | Reply::Decided { .. }
        | Reply::Confirmed { .. }
        | Reply::Skipped => Vec::new(),
    }
}

fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(texts_of).collect(),
        Value::Object(values) => values.values().flat_map(texts_of).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn a_word_counts_only_as_a_whole() {
        assert!(holds("i will sue you!", "sue you"));
        assert!(holds("lawyer", "lawyer"));
        assert!(holds("mein anwalt.", "anwalt"));
        assert!(!holds("the lawyers' guild", "lawyer"));
        assert!(!holds("tissue you need", "sue you"));
        assert!(holds("tissue? i sue you", "sue you"));
        assert!(!holds("anything", " "));
        assert!(holds("über alles", "über"));
    }
}
