//! What effects do fits what people read of them: nothing more is sent than a text says, no role is given unchecked that a
//! text says is checked, and a no calls no web hook that is meant for a yes.

use super::{
    Check,
    answers::asks_for_objections,
    lengths::words,
    swapped::{says_no, says_yes},
    texts::{options, questions},
    tokens::{Token, tokens},
};
use crate::model::flow::{Phase, PhaseEffect, REQUEST};

/// Phrases by which a text says that no more than what it names is sent.
const NOTHING_ELSE: [&str; 4] = ["nothing else", "nothing more", "sonst nichts", "nichts anderes"];

/// Words for those who look at something before it happens.
const TEAM: [&str; 10] = [
    "staff",
    "team",
    "moderators",
    "moderator",
    "admins",
    "admin",
    "leads",
    "board",
    "office",
    "we",
];

/// Words for what they do with it.
const CHECKS: [&str; 8] =
    ["check", "checks", "approve", "approves", "confirm", "confirms", "review", "reviews"];

impl Check<'_> {
    pub(super) fn promised_effects(&mut self) {
        let flow = self.flow;
        let texts = self.texts_of_people();
        let lower: Vec<String> = texts.iter().map(|text| text.words.to_lowercase()).collect();
        let is_limited =
            lower.iter().any(|text| NOTHING_ELSE.iter().any(|words| text.contains(words)));
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, effect) in phase.effect.iter().enumerate() {
                let at = format!("/phase/{p}/effect/{n}");
                match effect {
                    PhaseEffect::Webhook { include, when, url_from, .. } => {
                        if is_limited && include.len() > 1 {
                            let message = format!(
                                "a text promises that nothing else is sent, and `{url_from}` gets {} kinds of data",
                                include.len()
                            );
                            let hint = "send only what the text names, or change the text";
                            self.warn(&format!("{at}/include"), message, hint);
                        }
                        self.called_by_a_no(&at, when.as_deref());
                    }
                    PhaseEffect::DiscordAddRolesFrom { approval: None, .. } => {
                        self.unchecked(&at, phase);
                    }
                    _ => {}
                }
            }
        }
    }

    /// A web hook that is called only if somebody has said no, where they could have said yes.
    fn called_by_a_no(&mut self, at: &str, when: Option<&str>) {
        let Some(when) = when else { return };
        let (id, value, is_not) = match tokens(when).as_slice() {
            [Token::Name(id), Token::Sign(sign), Token::Sign('='), Token::Text(value)] => {
                (*id, *value, *sign == '!')
            }
            _ => return,
        };
        let step = id.strip_prefix("answers.").and_then(|id| {
            self.flow.phase.iter().flat_map(|phase| &phase.step).find(|step| step.id == id)
        });
        // A no to `Do you object?` is a yes.
        let step = step.filter(|step| !questions(step).any(asks_for_objections));
        let Some(step) = step else { return };
        let label =
            |wanted: &str| options(step).find(|(id, _)| *id == wanted).map(|(_, label)| label);
        let is_yes = |label: &str| says_yes(label) && !says_no(label);
        let is_for_no = match label(value) {
            Some(label) if is_not => is_yes(label),
            Some(label) => says_no(label) && options(step).any(|(_, label)| is_yes(label)),
            None => false,
        };
        if is_for_no {
            let message = "this happens for those who say no";
            let hint = format!("reverse the comparison with `{value}`");
            self.warn(&format!("{at}/when"), message, &hint);
        }
    }

    /// Roles that people choose themselves, where a text says that somebody checks it.
    fn unchecked(&mut self, at: &str, phase: &Phase) {
        if phase.step.iter().any(|step| step.tool == REQUEST) {
            return;
        }
        let told = phase.intro.iter().map(String::as_str);
        let told = told.chain(phase.step.iter().flat_map(questions)).any(|text| {
            words(text)
                .windows(2)
                .any(|pair| TEAM.contains(&pair[0].as_str()) && CHECKS.contains(&pair[1].as_str()))
        });
        if told {
            let message = "the text says that this is checked, and the role is given at once";
            let hint = "add `approval`, or change the text";
            self.warn(at, message, hint);
        }
    }
}
