//! What an answer was, in words that every platform writes in its own markup.

use std::collections::BTreeMap;

use super::labels;
use crate::{
    base::ids::ArtifactId,
    messages,
    model::{
        transcript::Audience,
        ui::{Control, Decision, Reply, Verdict},
    },
};

/// What an answer was; who gave it, and when, is told around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerSummary {
    /// `✓ You answered: Start`; nothing follows the verb where `what` is empty.
    Said {
        /// `answered`, `skipped this`
        verb: &'static str,
        /// `Start`
        what: String,
    },
    /// `✗ Denied by Grace`
    Stamped {
        /// `Denied`
        what: &'static str,
        /// Whether it went as was asked.
        is_good: bool,
    },
}

impl AnswerSummary {
    /// What a reply was to a control; `files` are the names of what was sent.
    pub fn of(reply: &Reply, control: &Control, files: &BTreeMap<ArtifactId, String>) -> Self {
        let said = |verb, what: &str| Self::Said { verb, what: what.to_owned() };
        let stamped = |what, is_good| Self::Stamped { what, is_good };
        if let Some(words) = reply.words() {
            return said(messages::forms::ANSWERED, words);
        }
        match (reply, control) {
            (Reply::Skipped, _) => said(messages::forms::SKIPPED, ""),
            (Reply::Text { text }, _) => said(messages::forms::ANSWERED, text),
            (Reply::Chosen { ids, .. }, control) => {
                said(messages::forms::ANSWERED, &labels(control, ids))
            }
            (Reply::Filled { .. }, _) => said(messages::forms::SUBMITTED, ""),
            (Reply::Reviewed { verdict, .. }, _) => match verdict {
                Verdict::Approved => stamped(messages::requests::APPROVED, true),
                Verdict::Modified => stamped(messages::forms::CHANGED_AND_APPROVED, true),
                Verdict::Saved => said(messages::forms::EDITED, ""),
                Verdict::Rejected => said(messages::forms::ASKED_TO_START_OVER, ""),
            },
            (Reply::Uploaded { artifacts }, _) => {
                let names: Vec<&str> =
                    artifacts.iter().filter_map(|id| files.get(id)).map(String::as_str).collect();
                said(messages::forms::SENT, &names.join(", "))
            }
            (Reply::Decided { decision, .. }, _) => {
                stamped(messages::requests::decision(*decision), *decision == Decision::Approved)
            }
            (Reply::Confirmed { yes }, Control::Confirm(confirm)) => {
                said(messages::forms::ANSWERED, if *yes { &confirm.yes } else { &confirm.no })
            }
            (Reply::Confirmed { yes }, _) => {
                said(messages::forms::ANSWERED, if *yes { "yes" } else { "no" })
            }
        }
    }
}

/// What was said beside an answer, for who reads it.
pub fn remark(reply: &Reply, control: &Control, reader: Audience) -> Option<String> {
    match (reply, control) {
        (Reply::Reviewed { notes: Some(notes), .. }, _) => Some(messages::forms::note(notes)),
        // A participant reads the words of a denial where they are meant for them, and then as a message.
        (Reply::Decided { feedback: Some(words), .. }, Control::Decide(decide))
            if reader == Audience::Staff =>
        {
            Some(format!("{}: {words}", messages::forms::words_went_to(decide)))
        }
        _ => None,
    }
}
