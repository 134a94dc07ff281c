//! What happens to those who don't answer: a question that lapses or is skipped is no yes.

use super::{Check, promised_effects::compared_answer, swapped::says_no, texts::options};

impl Check<'_> {
    /// `answers.publish != 'no'` is true as well of whoever let the question lapse.
    pub(super) fn unanswered(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, effect) in phase.effect.iter().enumerate() {
                let compared = effect.when().and_then(|when| compared_answer(flow, when));
                let Some((step, refusal, true)) = compared else { continue };
                let is_refusal = options(step).any(|(id, label)| id == refusal && says_no(label));
                let lapses = step.deadline.is_some() && step.leads("expired").is_none();
                let is_skipped = step.args.get("required") == Some(&false.into())
                    && step.leads("skipped").is_none();
                if !is_refusal || !lapses && !is_skipped {
                    continue;
                }
                let who = if lapses { "let the question lapse" } else { "skip the question" };
                let message = format!("this happens for those as well who {who}");
                let hint = "compare with the answer that allows it";
                self.warn(&format!("/phase/{p}/effect/{n}/when"), message, hint);
            }
        }
    }
}
