//! What people type where a button would do: a decision, an order, the word that begins an interview.

use crate::{
    model::ui::{Decision, Reply},
    session::Command,
};

/// A decision in words: `approve`, `deny`, `feedback: …`; what follows the first two is for colleagues.
pub fn decision(text: &str) -> Option<Reply> {
    let text = text.trim();
    let lower = text.to_lowercase();
    let begins = |words: [&str; 2]| {
        words.into_iter().any(|word| {
            let rest = lower.strip_prefix(word);
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    };
    if let Some(at) = lower
        .strip_prefix("feedback")
        .and_then(|rest| rest.trim_start().starts_with(':').then(|| text.find(':')).flatten())
    {
        let feedback = text.get(at + 1..).unwrap_or_default().trim().to_owned();
        let decision = Decision::DeniedWithFeedback;
        return (!feedback.is_empty())
            .then_some(Reply::Decided { decision, feedback: Some(feedback) });
    }
    let decision = if begins(["approve", "approved"]) {
        Decision::Approved
    } else if begins(["deny", "denied"]) {
        Decision::Denied
    } else {
        return None;
    };
    Some(Reply::Decided { decision, feedback: None })
}

/// What a staff member's words in the thread are: an order where they are one as a whole, otherwise words for the
/// participant.
pub fn order(text: &str) -> Command {
    let bare = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    match bare.as_str() {
        "take over" => Command::TakeOver,
        "hand back" | "resume" | "continue" => Command::HandBack,
        "nudge" => Command::Nudge,
        _ => match bare.strip_prefix("end:") {
            Some(_) => {
                let reason = text.trim().get(4..).unwrap_or_default().trim().to_owned();
                Command::End { reason }
            }
            None => Command::Write { text: text.trim().to_owned() },
        },
    }
}

/// The words that begin an interview.
pub(crate) fn is_start(text: &str) -> bool {
    is_bare_start(text) || text.trim().to_lowercase().starts_with("start ")
}

/// Whether they say nothing else.
pub(crate) fn is_bare_start(text: &str) -> bool {
    let bare = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    matches!(bare.as_str(), "" | "start" | "begin" | "start my onboarding")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_the_beginning_of_a_reply() {
        let decided = |decision| Some(Reply::Decided { decision, feedback: None });
        assert_eq!(decision("Approve, looks good"), decided(Decision::Approved));
        assert_eq!(decision("deny"), decided(Decision::Denied));
        assert_eq!(decision("approval is up to Grace"), None);
        assert_eq!(decision("denying this would be wrong"), None);
        assert_eq!(decision("feedback:"), None);
        let told = decision("Feedback: finish *education* first");
        let feedback = Some("finish *education* first".to_owned());
        assert_eq!(told, Some(Reply::Decided { decision: Decision::DeniedWithFeedback, feedback }));
    }

    #[test]
    fn words_in_the_thread_are_passed_on_unless_they_are_an_order() {
        assert_eq!(order(" Hand back. "), Command::HandBack);
        assert_eq!(order("END: wrong person"), Command::End { reason: "wrong person".to_owned() });
        assert_eq!(
            order("I take over now, Ada"),
            Command::Write { text: "I take over now, Ada".to_owned() }
        );
    }

    #[test]
    fn only_a_word_for_it_begins_an_interview() {
        assert!(is_start("Start."));
        assert!(is_start("start candidate-onboarding"));
        assert!(!is_start("I started in 2019"));
    }
}
