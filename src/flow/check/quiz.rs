//! Quizzes: what is picked makes a difference to the points.

use serde_json::Value;

use super::Check;
use crate::model::flow::{Step, has_points};

impl Check<'_> {
    /// Options that are all worth the same tell nobody apart.
    pub(super) fn quiz(&mut self, at: &str, step: &Step) {
        let options = step.args.get("options").and_then(Value::as_array);
        let Some(options) = options.filter(|options| options.len() > 1 && has_points(step)) else {
            return;
        };
        let is_sure = |option: &Value| option.is_object() && option.get("$each").is_none();
        let Some(first) = options.first().and_then(worth) else { return };
        // Of several that are worth something, it is the number of picks that tells.
        let picks = |key: &str| step.args.get(key).and_then(Value::as_u64);
        let tells = step.args.get("allowMultiple") == Some(&Value::Bool(true))
            && first != 0.0
            && picks("minChoices").is_none_or(|least| picks("maxChoices") != Some(least));
        let is_alike = |option: &Value| is_sure(option) && worth(option) == Some(first);
        if !tells && options.iter().all(is_alike) {
            let is_correct = options.iter().any(|option| option.get("correct").is_some());
            let (message, hint) = if is_correct && first > 0.0 {
                ("every answer counts as correct", "leave `correct` out of the wrong ones")
            } else {
                ("every answer is worth the same", "give the answers different `points`")
            };
            self.warn(&format!("{at}/options"), message, hint);
        }
    }
}

/// What an option is worth; nothing where that is only known later.
pub(crate) fn worth(option: &Value) -> Option<f64> {
    match (option.get("points"), option.get("correct")) {
        (Some(points), _) => points.as_f64(),
        (None, Some(Value::Bool(is_correct))) => Some(f64::from(u8::from(*is_correct))),
        (None, None) => Some(0.0),
        (None, Some(_)) => None,
    }
}
