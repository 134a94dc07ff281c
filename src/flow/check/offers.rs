//! Options do what their labels offer: who wants to correct something is not stopped, and who asks for a person gets one.

use super::{
    Check,
    swapped::{says_no, says_yes},
    texts::options,
    tokens::{Token, tokens},
};
use crate::model::flow::{Phase, REQUEST, Step};

/// How labels begin by which something can be entered anew.
const CORRECTS: [&str; 10] = [
    "change",
    "correct",
    "edit",
    "fix",
    "try again",
    "once more",
    "enter again",
    "korrigieren",
    "ändern",
    "noch einmal",
];

/// How labels begin by which somebody wants a person.
const CALLS: [&str; 9] = [
    "ask ",
    "talk to ",
    "talk with ",
    "speak to ",
    "speak with ",
    "call me",
    "contact ",
    "sprechen",
    "mit jemandem",
];

/// Whom nobody calls by a handoff.
const NOBODY: [&str; 4] = ["me ", "a question", "later", "again"];

impl Check<'_> {
    pub(super) fn offers(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                let at = format!("/phase/{p}/step/{n}");
                self.corrected_by_stopping(&at, step);
                self.calls_nobody(&at, phase, n);
                self.asked_after_no(&at, step);
            }
        }
    }

    /// `Correct the date` ends the conversation.
    fn corrected_by_stopping(&mut self, at: &str, step: &Step) {
        let found = options(step).find(|(id, label)| {
            let label = label.to_lowercase();
            // `No, I'll correct it`
            let offer = label.split_once(',').map_or(label.as_str(), |(_, rest)| rest.trim());
            let is_offer = |text: &str| CORRECTS.iter().any(|begin| text.starts_with(begin));
            let corrects = is_offer(&label)
                || is_offer(offer)
                || ["verbessere", "korrigiere", "correct it", "change it"]
                    .iter()
                    .any(|word| offer.contains(word));
            corrects && step.leads(id) == Some("@stop")
        });
        if let Some((id, label)) = found {
            let message = format!("“{label}” ends the conversation");
            let hint = "lead it to the question that can be answered anew";
            self.warn(&format!("{at}/branch/{id}"), message, hint);
        }
    }

    /// `Ask the team` leads on like any other answer, where elsewhere such an answer calls a person.
    fn calls_nobody(&mut self, at: &str, phase: &Phase, n: usize) {
        let step = &phase.step[n];
        let wants_person = |label: &str| {
            let label = label.to_lowercase();
            let rest = CALLS.iter().find_map(|begin| label.strip_prefix(begin));
            rest.is_some_and(|rest| !NOBODY.iter().any(|word| rest.contains(word)))
        };
        let goes_on = |id: &str| step.leads(id).is_none_or(|target| target == "@next");
        let next = phase.step.get(n + 1);
        let is_handled =
            self.is_read(step) || next.is_some_and(|next| next.tool == REQUEST || asks_words(next));
        let found = options(step).find(|(id, label)| wants_person(label) && goes_on(id));
        if let Some((_, label)) = found.filter(|_| !is_handled) {
            let others_leave = options(step).any(|(id, _)| !goes_on(id));
            if others_leave {
                let message = format!("“{label}” leads on, and calls nobody");
                self.warn(&format!("{at}/branch"), message, "lead it to `@handoff`");
            }
        }
    }

    /// A request, or a form, for people who have said no, where nothing asks those who said yes.
    fn asked_after_no(&mut self, at: &str, step: &Step) {
        let is_form = step.tool == "submit_for_validation";
        let Some(when) = step.when.as_ref().filter(|_| is_form || step.tool == REQUEST) else {
            return;
        };
        let tokens = tokens(when);
        let [Token::Name(answer), Token::Sign('='), Token::Sign('='), Token::Text(id)] =
            tokens.as_slice()
        else {
            return;
        };
        let asked = answer.strip_prefix("answers.");
        let mut steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        let Some(asked) = asked.and_then(|asked| steps.find(|step| step.id == asked)) else {
            return;
        };
        let refuses = options(asked).any(|(option, label)| option == *id && says_no(label));
        let yes = options(asked).find(|(option, label)| option != id && says_yes(label));
        let Some((yes, _)) = yes.filter(|_| refuses) else { return };
        let condition = format!("answers.{} == '{yes}'", asked.id);
        let steps = || self.flow.phase.iter().flat_map(|phase| &phase.step);
        let others = steps().filter(|other| other.id != step.id);
        let asks_yes =
            others.filter_map(|other| other.when.as_deref()).any(|when| when == condition)
                || asked.leads(yes).is_some_and(|target| target != "@next");
        if step.tool == REQUEST || !asks_yes {
            let what = if step.tool == REQUEST { "the team is asked about" } else { "this is for" };
            let message = format!("{what} people who answered `{id}`, a no");
            self.warn(&format!("{at}/when"), message, "see whether you mean the other answer");
        }
    }
}

fn asks_words(step: &Step) -> bool {
    step.tool == "request_user_input"
}
