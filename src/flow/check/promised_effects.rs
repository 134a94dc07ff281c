//! What effects do fits what people read of them: nothing more is sent than a text says, no role is given unchecked that a
//! text says is checked, and a no calls no web hook that is meant for a yes.

use super::{
    Check,
    answers::asks_for_objections,
    lengths::words,
    readers::promise,
    swapped::{says_no, says_yes},
    texts::{options, questions},
    tokens::{Token, tokens},
};
use crate::model::flow::{Flow, Phase, PhaseEffect, REQUEST, Step};

/// Phrases by which a text says that no more than what it names is sent.
const NOTHING_ELSE: [&str; 4] = ["nothing else", "nothing more", "sonst nichts", "nichts anderes"];

/// Phrases by which a text says that nobody learns who has written something.
const ANONYMOUS: [&str; 9] = [
    "without your name",
    "without names",
    "nobody learns who",
    "nobody will know who",
    "no one learns who",
    "no one will know who",
    "anonymously",
    "ohne deinen namen",
    "ohne ihren namen",
];

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

/// What a text promises about names, in its words.
fn anonymity(text: &str) -> Option<&'static str> {
    ANONYMOUS.into_iter().find(|promise| text.contains(promise))
}

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
                if let PhaseEffect::DiscordPost { channel, .. } = effect {
                    self.posted_in_spite(&at, channel);
                }
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
                    PhaseEffect::DiscordPost { mention_participant: true, .. } => {
                        if let Some(promise) = lower.iter().find_map(|text| anonymity(text)) {
                            let message =
                                format!("a text promises “{promise}”, and this names them");
                            let hint = "take `mention_participant` out, or change the text";
                            self.warn(&format!("{at}/mention_participant"), message, hint);
                        }
                    }
                    PhaseEffect::DiscordAddRolesFrom { approval: None, .. } => {
                        self.unchecked(&at, phase);
                    }
                    _ => {}
                }
                self.in_spite_of_objections(&at, effect.when());
            }
        }
    }

    /// A notice that promises few readers, and a post for everybody.
    fn posted_in_spite(&mut self, at: &str, channel: &str) {
        let notice = self.flow.notice.as_ref().map(|notice| notice.text.to_lowercase());
        let is_until =
            |text: &String| ["until", "before you", "bis du"].iter().any(|w| text.contains(w));
        let Some(group) = notice.filter(|text| !is_until(text)).and_then(|text| promise(&text))
        else {
            return;
        };
        let message = format!(
            "the notice promises it to {} only, and it is posted in `{channel}`",
            group.join(" ")
        );
        self.warn(&format!("{at}/channel"), message, "take the effect out, or change the notice");
    }

    /// What happens for those who say that they object to it.
    fn in_spite_of_objections(&mut self, at: &str, when: Option<&str>) {
        let Some((step, value, is_not)) = when.and_then(|when| compared_answer(self.flow, when))
        else {
            return;
        };
        let label = options(step).find(|(id, _)| *id == value).map(|(_, label)| label);
        let is_for_yes =
            label.is_some_and(|label| if is_not { says_no(label) } else { says_yes(label) });
        if is_for_yes && questions(step).any(asks_for_objections) {
            let message = "this happens for those who object to it";
            let hint = format!("reverse the comparison with `{value}`");
            self.warn(&format!("{at}/when"), message, &hint);
        }
    }

    /// A web hook that is called only if somebody has said no, where they could have said yes.
    fn called_by_a_no(&mut self, at: &str, when: Option<&str>) {
        let Some((step, value, is_not)) = when.and_then(|when| compared_answer(self.flow, when))
        else {
            return;
        };
        // A no to `Do you object?` is a yes.
        if questions(step).any(asks_for_objections) {
            return;
        }
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

/// The question whose answer a condition compares, with what, and whether it is to be another.
pub(super) fn compared_answer<'f, 'w>(
    flow: &'f Flow,
    when: &'w str,
) -> Option<(&'f Step, &'w str, bool)> {
    let (id, value, is_not) = match tokens(when).as_slice() {
        [Token::Name(id), Token::Sign(sign), Token::Sign('='), Token::Text(value)] => {
            (*id, *value, *sign == '!')
        }
        _ => return None,
    };
    let id = id.strip_prefix("answers.")?;
    let step = flow.phase.iter().flat_map(|phase| &phase.step).find(|step| step.id == id)?;
    Some((step, value, is_not))
}
