//! What typed words mean where a button, a menu or a field is open, and which order a whole message is.
//!
//! ```text
//! "the second one, please" ─▶ words ─▶ each language by itself: courtesy off both ends ─▶ the name, the id or the
//!                                      number of an option, yes or no ─▶ Reading::Settled
//! ```
//!
//! A reply settles a question only where it *is* an answer: what remains besides courtesy must be the label, the id or
//! the number of an option. A question, a condition, a negation or a correction leaves something over and settles
//! nothing, without any list of such words. The words themselves travel with the answer, so that nothing is lost where
//! they said more than the option does. Approvals, reviews and confirmations are never given by words.
//!
//! The words of each language are data: `manifests/lexicon/replies.toml`.

mod field;
mod lexicon;
mod options;
mod tokens;

use self::{
    lexicon::{Language, languages},
    tokens::{Tokens, tokens},
};
use super::Command;
use crate::model::ui::{Control, Input, Reply};

/// What typed words are to an open question.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// This answer.
    Settled(Reply),
    /// Words that name one option among others; its label.
    Unsure(String),
    /// Something else.
    NotAnAnswer {
        /// It asks something.
        is_question: bool,
    },
}

/// Reads typed words as a reply to a control.
///
/// ```
/// # use anteroom::{interview::typed::{Reading, read}, model::ui::{Choice, Choose, Control, Reply}};
/// let option = |id: &str, label: &str| Choice {
///     id: id.into(), label: label.into(), description: None, icon: None,
/// };
/// let choices = vec![option("yes", "Yes"), option("no", "No")];
/// let control = Control::Choose(Choose { choices, multiple: false, required: true });
/// let Reading::Settled(Reply::Chosen { ids, free_text }) = read(&control, "no, thanks") else { panic!() };
/// assert_eq!((ids, free_text.as_deref()), (vec!["no".to_owned()], Some("no, thanks")));
/// assert_eq!(read(&control, "what if yes?"), Reading::NotAnAnswer { is_question: true });
/// ```
pub fn read(control: &Control, text: &str) -> Reading {
    let text = text.trim();
    let is_question = is_question(text);
    match control {
        Control::Choose(choose) => options::read(choose, text),
        Control::Ask(_) => Reading::Settled(Reply::Text { text: text.to_owned() }),
        Control::Form(form) => match form.fields.as_slice() {
            [only] => match field::read(only, text) {
                Some(value) => {
                    let values = [(only.path.clone(), value)].into_iter().collect();
                    Reading::Settled(Reply::Filled { values })
                }
                None => Reading::NotAnAnswer { is_question },
            },
            _ => Reading::NotAnAnswer { is_question },
        },
        Control::Review(_) | Control::Upload(_) | Control::Decide(_) | Control::Confirm(_) => {
            Reading::NotAnAnswer { is_question }
        }
    }
}

/// Whether a control takes any words at all as its answer, so that an order must be looked for first.
pub(super) fn takes_any_words(control: &Control) -> bool {
    match control {
        Control::Ask(_) => true,
        Control::Form(form) => matches!(
            form.fields.as_slice(),
            [only] if matches!(only.input, Input::Text { .. } | Input::Lines)
        ),
        Control::Choose(_)
        | Control::Review(_)
        | Control::Upload(_)
        | Control::Decide(_)
        | Control::Confirm(_) => false,
    }
}

/// The order that a whole message is, in any known language and with courtesy around it: "delete my data please" is
/// one, "I want to stop working in retail" is an answer.
///
/// ```
/// # use anteroom::interview::{Command, typed::order};
/// assert_eq!(order("Bitte abbrechen!"), Some(Command::Stop));
/// assert_eq!(order("I want to stop working in retail"), None);
/// ```
pub fn order(text: &str) -> Option<Command> {
    let words = tokens(text);
    languages().iter().find_map(|language| {
        let words = language.spelt_out(&words);
        let bare = language.unfilled(&words);
        let mut stages = language.stages(&words).chain(language.stages(&bare));
        command(stages.find_map(|words| language.order(words))?)
    })
}

/// Whether a whole text declines what was asked, in any known language and with courtesy around it.
///
/// ```
/// # use anteroom::interview::typed::declines;
/// assert!(declines("No, thanks.") && declines("Lieber nicht") && declines("skip this one"));
/// assert!(!declines("No pets but a dog.") && !declines("Not sure"));
/// ```
pub fn declines(text: &str) -> bool {
    let words = tokens(text);
    let is_no = |language: &Language| {
        let words = language.spelt_out(&words);
        language.stages(&words).any(|words| language.no.iter().any(|no| no.as_slice() == words))
    };
    languages().iter().any(is_no) || order(text) == Some(Command::Skip)
}

fn command(name: &str) -> Option<Command> {
    Some(match name {
        "stop" => Command::Stop,
        "resume" => Command::Resume,
        "human" => Command::Human,
        "later" => Command::Later,
        "delete" => Command::Delete,
        "export" => Command::Export,
        "skip" => Command::Skip,
        "stop_reminders" => Command::StopReminders,
        "ask_again" => Command::AskAgain,
        _ => return None,
    })
}

/// Whether a text asks something back, whatever it replies to: `Why do you ask`, not `Which bug to leave.`
pub(super) fn asks_back(text: &str) -> bool {
    has_mark(text) || (!text.trim_end().ends_with('.') && begins(text, |language| &language.asking))
}

/// Whether a reply to choices asks something, as far as its mark or its first words tell.
fn is_question(text: &str) -> bool {
    has_mark(text) || begins(text, |language| &language.questions)
}

fn has_mark(text: &str) -> bool {
    text.trim_end().ends_with('?') || text.trim_start().starts_with('¿')
}

/// Whether a short text begins with one of these and does not end there.
fn begins(text: &str, with: impl Fn(&'static Language) -> &'static [Tokens]) -> bool {
    let words = tokens(text);
    let is_begun = |language| {
        with(language).iter().any(|first| words.starts_with(first) && words.len() > first.len())
    };
    // A story may begin with any of these words.
    words.len() <= SHORT && languages().iter().any(is_begun)
}

/// Most words of a question without a question mark.
const SHORT: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_known_by_its_mark_or_its_first_words() {
        for text in ["why do you ask", "¿Qué es esto", "was heisst das", "yes?", "Pourquoi pas moi"]
        {
            assert!(is_question(text), "{text}");
        }
        for text in ["why", "I know why you ask", "Full-time", "ja"] {
            assert!(!is_question(text), "{text}");
        }
    }

    #[test]
    fn an_answer_may_begin_like_a_question() {
        for text in ["Why do you ask", "what is this for", "was meinen Sie damit", "Really?"] {
            assert!(asks_back(text), "{text}");
        }
        for text in ["Which bug to leave.", "How to say no", "What is this worth is what I asked."]
        {
            assert!(!asks_back(text), "{text}");
        }
    }
}
