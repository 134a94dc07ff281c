//! Two forms for the same data: the second one overwrites what the first one stored, unless it begins with it.

use serde_json::Value;

use super::Check;
use crate::model::flow::{Phase, Step};

/// A form and where it stands.
struct Form<'f> {
    at: String,
    step: &'f Step,
}

impl Form<'_> {
    fn data(&self) -> Option<&str> {
        self.step.args.get("dataType").and_then(Value::as_str)
    }
}

impl Check<'_> {
    pub(super) fn repeated_forms(&mut self) {
        let flow = self.flow;
        let phases = flow.phase.iter().enumerate();
        let steps = phases.flat_map(|(p, phase)| {
            let forms = phase.step.iter().enumerate().filter(|(_, step)| is_for_all(phase, step));
            forms.map(move |(n, step)| Form { at: format!("/phase/{p}/step/{n}"), step })
        });
        let forms: Vec<Form<'_>> = steps.collect();
        for (nth, form) in forms.iter().enumerate() {
            let Some(data) = form.data() else { continue };
            let Some(first) = forms[..nth].iter().find(|first| first.data() == Some(data)) else {
                continue;
            };
            let draft = form.step.args.get("data").map(Value::to_string).unwrap_or_default();
            if !draft.contains(&format!("records.{data}")) {
                let message =
                    format!("this overwrites what `{}` has stored as `{data}`", first.step.id);
                let hint = "give it data of its own, or begin with `{ \"$from\" = \"records.…\" }`";
                self.warn(&format!("{}/args/dataType", form.at), message, hint);
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
