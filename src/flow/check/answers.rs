//! Answers that objectives are met by: no refusal meets one, and none leads round in a circle.

use serde_json::Value;

use super::{
    Check,
    texts::{options, questions},
};
use crate::model::flow::{AnsweredWith, Done, ELSE, Objective, Phase, Skip, Step};

/// Words in the ids and titles of objectives that somebody consents to.
const CONSENT: [&str; 8] =
    ["consent", "agree", "accept", "terms", "privacy", "permission", "einwillig", "zustimm"];

/// How refusals begin, or what they are as a whole.
const REFUSALS: [&str; 14] = [
    "no",
    "not",
    "i don't",
    "i do not",
    "i don’t",
    "i decline",
    "decline",
    "declined",
    "disagree",
    "refuse",
    "reject",
    "never",
    "nein",
    "non",
];

/// An option of a step.
struct Choice<'a> {
    id: &'a str,
    label: &'a str,
}

impl Check<'_> {
    pub(super) fn answers(&mut self, p: usize, phase: &Phase) {
        for (n, objective) in phase.objective.iter().enumerate() {
            let at = format!("/phase/{p}/objective/{n}/done");
            if let Done::Uploaded(kind) = &objective.done
                && objective.required
            {
                self.passed_over(p, phase, (objective, kind));
            }
            self.consent_by_form(&at, objective);
            let Done::Answered(answered) = &objective.done else { continue };
            let Some((s, step)) =
                phase.step.iter().enumerate().find(|(_, step)| step.id == answered.step)
            else {
                continue;
            };
            let Some(choices) = choices(step) else { continue };
            self.skips_gate((p, n), objective, answered, step);
            if is_consent(objective) || is_pledge(objective, step) {
                self.skips_consent(p, n, objective);
                self.consent_of_some(p, phase, objective);
                // `Do you have anything against it?`: a no permits it.
                if !questions(step).any(asks_for_objections) {
                    self.refusals(&format!("{at}/answered"), objective, answered, &choices);
                }
            }
            if objective.required && !answered.with.is_empty() {
                self.dead_ends(&at, objective, answered, step);
                self.circles(
                    &format!("/phase/{p}/step/{s}/args/options"),
                    objective,
                    answered,
                    (step, &choices),
                );
            }
        }
    }

    /// A phase of consent that some people never come to.
    fn consent_of_some(&mut self, p: usize, phase: &Phase, objective: &Objective) {
        if phase.when.is_some() && objective.required && objective.skip == Skip::Never {
            let message = format!("only some people are asked for `{}`", objective.id);
            let hint = "leave `when` out, or see that the others give their consent elsewhere";
            self.warn(&format!("/phase/{p}/when"), message, hint);
        }
    }

    /// A form that is filled in is no consent, where it may be in place of the answer.
    fn consent_by_form(&mut self, at: &str, objective: &Objective) {
        let Done::Any(ways) = &objective.done else { return };
        let is_asked = ways.iter().any(|way| matches!(way, Done::Answered(_)));
        let form = ways.iter().find_map(|way| match way {
            Done::Reviewed(data) => Some(data),
            _ => None,
        });
        if let Some(data) = form.filter(|_| is_asked && is_consent(objective)) {
            let message = format!(
                "`{}` is completed by the form `{data}` as well, without a yes",
                objective.id
            );
            self.warn(at, message, "write `all` instead of `any`");
        }
    }

    /// A file that an objective needs, from a question with a Skip button that leads nowhere.
    fn passed_over(&mut self, p: usize, phase: &Phase, (objective, kind): (&Objective, &str)) {
        let mut steps = phase.step.iter().enumerate().filter(|(_, step)| {
            step.tool == "get_user_upload" && step.args.get("uploadType").is_some_and(|t| t == kind)
        });
        let (Some((n, step)), None) = (steps.next(), steps.next()) else { return };
        let is_required = step.args.get("required") == Some(&Value::Bool(true));
        let is_caught = step.leads("skipped").is_some_and(|target| target != "@next");
        if !is_required
            && !is_caught
            && objective.skip != Skip::Participant
            && objective.when == step.when
        {
            let message = format!(
                "this can be skipped, and `{}` needs it, so the same question comes again",
                objective.id
            );
            let hint = "add `required = true` to its `args`, or a branch for `skipped`";
            self.warn(&format!("/phase/{p}/step/{n}/args"), message, hint);
        }
    }

    /// A question that turns people away is no question where they may pass it over.
    fn skips_gate(
        &mut self,
        (p, n): (usize, usize),
        objective: &Objective,
        answered: &AnsweredWith,
        step: &Step,
    ) {
        let turns_away = |id: &str| {
            !answered.with.is_empty()
                && !answered.with.iter().any(|with| with == id)
                && step.leads(id) == Some("@stop")
        };
        let refused = options(step).find(|(id, _)| turns_away(id));
        let is_optional = objective.required && objective.skip == Skip::Participant;
        if let Some((id, _)) = refused.filter(|_| is_optional && !is_consent(objective)) {
            let message = format!(
                "`{id}` ends the conversation, and whoever skips `{}` goes on",
                objective.id
            );
            let hint = "set `skip = \"never\"`";
            self.warn(&format!("/phase/{p}/objective/{n}/skip"), message, hint);
        }
    }

    /// Nobody agrees to something by passing it over.
    fn skips_consent(&mut self, p: usize, n: usize, objective: &Objective) {
        if objective.required && objective.skip == Skip::Participant {
            let message = format!("people may skip `{}`, and go on without it", objective.id);
            let hint = "set `skip = \"never\"`";
            self.warn(&format!("/phase/{p}/objective/{n}/skip"), message, hint);
        }
    }

    /// Consent is not what somebody gives who refuses. Where the conversation can go on without it, either answer may be
    /// what is wanted.
    fn refusals(
        &mut self,
        at: &str,
        objective: &Objective,
        answered: &AnsweredWith,
        choices: &[Choice<'_>],
    ) {
        let counts = |choice: &&Choice<'_>| {
            answered.with.is_empty() || answered.with.iter().any(|id| id == choice.id)
        };
        let counted = || choices.iter().filter(counts);
        let Some(refusal) = counted()
            .find(|choice| is_refusal(choice))
            .or_else(|| counted().find(|choice| is_open(choice)))
        else {
            return;
        };
        let message = format!(
            "the answer `{}`, “{}”, would complete `{}`",
            refusal.id, refusal.label, objective.id
        );
        let hint = match answered.with.as_slice() {
            [] => "name the answers that count: `with = [\"…\"]`",
            [_] => "see whether the labels are swapped, or name another answer in `with`",
            _ => "take it out of `with`",
        };
        if objective.required && objective.skip == Skip::Never && is_refusal(refusal) {
            self.error(at, message, Some(hint.to_owned()));
        } else {
            self.warn(at, message, hint);
        }
    }

    /// An answer that meets an objective does not end the conversation.
    fn dead_ends(&mut self, at: &str, objective: &Objective, answered: &AnsweredWith, step: &Step) {
        let ends = |id: &String| step.leads(id) == Some("@stop");
        if answered.with.iter().all(ends) {
            let message =
                format!("whatever completes `{}` also ends the conversation", objective.id);
            let hint = format!("lead it on under `branch` of the step `{}`", step.id);
            self.error(at, message, Some(hint));
        }
    }

    /// An answer that leaves a required objective unmet leads somewhere: else the same question comes again at once.
    fn circles(
        &mut self,
        at: &str,
        objective: &Objective,
        answered: &AnsweredWith,
        (step, choices): (&Step, &[Choice<'_>]),
    ) {
        let is_known = |id: &String| {
            id == "error" || id == ELSE || choices.iter().any(|choice| choice.id == id)
        };
        let is_misspelt = !answered.with.iter().chain(step.branch.keys()).all(is_known);
        if is_misspelt || step.args.get("allowMultiple") == Some(&Value::Bool(true)) {
            return;
        }
        for (n, choice) in choices.iter().enumerate() {
            let counts = answered.with.iter().any(|id| id == choice.id);
            let leads_on = step.leads(choice.id).is_some_and(|target| target != "@next");
            if !counts && !leads_on {
                let message = format!(
                    "the answer `{}` leaves `{}` unmet, so the same question comes again at once",
                    choice.id, objective.id
                );
                let hint = "lead it to `@stop`, `@handoff` or another step under `branch`, or add it to `with`";
                self.error(&format!("{at}/{n}"), message, Some(hint.to_owned()));
            }
        }
    }
}

/// The options of a step, where all of them are known.
fn choices(step: &Step) -> Option<Vec<Choice<'_>>> {
    let options = step.args.get("options")?.as_array()?;
    options
        .iter()
        .map(|option| {
            let text = |name: &str| option.get(name)?.as_str().filter(|text| !text.contains("{{"));
            Some(Choice { id: text("id")?, label: text("label")? })
        })
        .collect()
}

fn is_consent(objective: &Objective) -> bool {
    let words = format!("{} {}", objective.id, objective.title).to_lowercase();
    CONSENT.iter().any(|word| words.contains(word))
}

/// Whether a question that nobody may pass over asks for a promise.
fn is_pledge(objective: &Objective, step: &Step) -> bool {
    const PLEDGES: [&str; 14] = [
        "do you keep to",
        "will you keep to",
        "do you follow",
        "will you follow",
        "do you promise",
        "do you accept",
        "do you agree",
        "do you confirm",
        "do you undertake",
        "hältst du dich",
        "halten sie sich",
        "versprichst du",
        "versprechen sie",
        "stimmst du zu",
    ];
    let asks = |text: &str| {
        let lower = text.to_lowercase();
        PLEDGES.iter().any(|asked| lower.contains(asked))
    };
    objective.skip == Skip::Never && questions(step).any(asks)
}

/// Whether a question is put so that a no is consent.
pub(super) fn asks_for_objections(text: &str) -> bool {
    const OBJECTIONS: [&str; 11] = [
        "anything against",
        "any objection",
        "do you object",
        "would you object",
        "do you mind",
        "would you mind",
        "are you against",
        "etwas dagegen",
        "widersprechen sie",
        "spricht etwas gegen",
        "algo en contra",
    ];
    let lower = text.to_lowercase();
    OBJECTIONS.iter().any(|asked| lower.contains(asked))
}

/// An answer that leaves it open.
fn is_open(choice: &Choice<'_>) -> bool {
    const OPEN: [&str; 6] = ["ask", "later", "maybe", "question", "unsure", "undecided"];
    const UNSURE: [&str; 8] =
        ["question", "later", "not sure", "maybe", "frage", "später", "nicht sicher", "vielleicht"];
    let label = choice.label.to_lowercase();
    OPEN.contains(&choice.id) || UNSURE.iter().any(|word| label.contains(word))
}

fn is_refusal(choice: &Choice<'_>) -> bool {
    let label = choice.label.to_lowercase();
    let begins = |word: &&str| {
        let rest = label.strip_prefix(*word);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    REFUSALS.contains(&choice.id) || REFUSALS.iter().any(begins)
}
