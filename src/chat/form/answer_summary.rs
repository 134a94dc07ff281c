//! What an answer was, in words that every platform writes in its own markup.

use std::collections::BTreeMap;

use super::{denial, labels};
use crate::{
    base::ids::ArtifactId,
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
            return said("answered", words);
        }
        match (reply, control) {
            (Reply::Skipped, _) => said("skipped this", ""),
            (Reply::Text { text }, _) => said("answered", text),
            (Reply::Chosen { ids, .. }, control) => said("answered", &labels(control, ids)),
            (Reply::Filled { .. }, _) => said("filled this in", ""),
            (Reply::Reviewed { verdict, .. }, _) => match verdict {
                Verdict::Approved => stamped("Approved", true),
                Verdict::Modified => stamped("Changed and approved", true),
                Verdict::Saved => said("edited this", ""),
                Verdict::Rejected => said("asked to start over", ""),
            },
            (Reply::Uploaded { artifacts }, _) => {
                let names: Vec<&str> =
                    artifacts.iter().filter_map(|id| files.get(id)).map(String::as_str).collect();
                said("sent", &names.join(", "))
            }
            (Reply::Decided { decision, .. }, _) => match decision {
                Decision::Approved => stamped("Approved", true),
                Decision::Denied => stamped("Denied", false),
                Decision::DeniedWithFeedback => stamped("Denied with feedback", false),
            },
            (Reply::Confirmed { yes }, Control::Confirm(confirm)) => {
                said("answered", if *yes { &confirm.yes } else { &confirm.no })
            }
            (Reply::Confirmed { yes }, _) => said("answered", if *yes { "yes" } else { "no" }),
        }
    }
}

/// What was said beside an answer, for who reads it.
pub fn remark(reply: &Reply, control: &Control, reader: Audience) -> Option<String> {
    match (reply, control) {
        (Reply::Reviewed { notes: Some(notes), .. }, _) => Some(format!("Note: {notes}")),
        // A participant reads the words of a denial where they are meant for them, and then as a message.
        (Reply::Decided { feedback: Some(words), .. }, Control::Decide(decide))
            if reader == Audience::Staff =>
        {
            Some(format!("{}: {words}", denial::words_went_to(decide)))
        }
        _ => None,
    }
}
