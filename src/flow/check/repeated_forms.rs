//! Two forms for the same data: the second one overwrites what the first one stored, unless it begins with it.

use serde_json::Value;

use super::Check;
use crate::model::flow::{Phase, Step};

impl Check<'_> {
    pub(super) fn repeated_forms(&mut self) {
        let flow = self.flow;
        let steps = |p: usize, phase: &'_ Phase| {
            let forms = phase.step.iter().enumerate().filter(|(_, step)| is_for_all(phase, step));
            forms.map(|(n, step)| (p, n, step.clone())).collect::<Vec<_>>()
        };
        let forms: Vec<(usize, usize, Step)> =
            flow.phase.iter().enumerate().flat_map(|(p, phase)| steps(p, phase)).collect();
        for (at, (p, n, step)) in forms.iter().enumerate() {
            let data = step.args.get("dataType").and_then(Value::as_str).unwrap_or_default();
            let same = |(_, _, earlier): &&(usize, usize, Step)| {
                earlier.args.get("dataType") == step.args.get("dataType")
            };
            let Some((_, _, first)) = forms[..at].iter().find(same) else { continue };
            let draft = step.args.get("data").map(Value::to_string).unwrap_or_default();
            if !draft.contains(&format!("records.{data}")) {
                let message = format!("this overwrites what `{}` has stored as `{data}`", first.id);
                let hint = "give it data of its own, or begin with `{ \"$from\" = \"records.…\" }`";
                self.warn(&format!("/phase/{p}/step/{n}/args/dataType"), message, hint);
            }
        }
    }
}

/// Whether everybody is shown a form, once.
fn is_for_all(phase: &Phase, step: &Step) -> bool {
    let is_led_to = |other: &Step| other.branch.values().any(|target| *target == step.id);
    step.tool == "submit_for_validation"
        && step.when.is_none()
        && phase.when.is_none()
        && !phase.step.iter().any(is_led_to)
}
