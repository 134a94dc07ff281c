//! The steps of a script.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Period;

/// A tool call written down, or values to remember.
///
/// `args` is JSON with three additions, evaluated over `answers`, `results`, `records`, `vars` and `platform` when
/// the step is reached: text may hold `{{ expression }}`; an object `{ "$from": "expression",
/// "$default": … }` stands for the value of the expression; `{ "$each": "expression", "$as": {…}, "$also": […],
/// "$most": n }` stands for a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its name, unique in the flow.
    pub id: String,
    /// The tool; left out in a step that sets values.
    #[serde(default)]
    pub tool: String,
    /// Values to remember, by name: an expression each, or a number, `true` or `false`. Expressions see them as
    /// `values.<name>` from the next step on. Nobody is asked anything.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, Value>,
    /// The arguments of the tool: `anteroom tools schema TOOL` prints them.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Runs only if this expression is true.
    #[serde(default)]
    pub when: Option<String>,
    /// How long it may stay unanswered: then its result has the status `expired`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Period>,
    /// Stores what came of it as this data.
    #[serde(default)]
    pub save: Option<String>,
    /// Where to go on by what came of it: an option's id, the result's `status`, or `error`; `else` is for all that
    /// has no branch of its own, but for errors and rejected reviews. Targets: a step, `@next`, `@skip`, `@stop`,
    /// `@handoff`.
    #[serde(default)]
    pub branch: BTreeMap<String, String>,
}

/// The branch of what has none of its own.
pub const ELSE: &str = "else";

/// The condition of an entry of a list in `args`, such as an option: it is there only if this expression is true.
pub const WHEN: &str = "when";

/// Whether the answers to a step are worth points: an option says `correct`, or how many.
pub fn has_points(step: &Step) -> bool {
    let options = step.args.get("options").and_then(Value::as_array);
    let is_worth =
        |option: &Value| ["points", "correct"].into_iter().any(|key| option.get(key).is_some());
    options.is_some_and(|options| options.iter().any(is_worth))
}

impl Step {
    /// Where a result leads, by its key; `None` if it has no branch.
    pub fn leads(&self, key: &str) -> Option<&str> {
        let own = self.branch.get(key);
        let fallback = || self.branch.get(ELSE).filter(|_| !matches!(key, "error" | "rejected"));
        own.or_else(fallback).map(String::as_str)
    }
}
