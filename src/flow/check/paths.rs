//! Which steps a script can come to, and whether it can come to its end.

use std::collections::BTreeSet;

use super::steps::all_outcomes;
use crate::model::flow::{Phase, Step};

/// Where a script can go.
pub(super) struct Paths<'a> {
    /// Steps that some answers lead to.
    pub(super) steps: Vec<&'a Step>,
    /// Some answers lead to the end.
    pub(super) ends: bool,
}

/// Follows every branch of a phase's script. Conditions (`when`) may go either way.
pub(super) fn paths(phase: &Phase) -> Paths<'_> {
    let mut reached = BTreeSet::new();
    let mut open = vec![0];
    let mut ends = false;
    while let Some(at) = open.pop() {
        let Some(step) = phase.step.get(at) else {
            ends = true;
            continue;
        };
        if !reached.insert(at) {
            continue;
        }
        if goes_on(step) || step.when.is_some() {
            open.push(at + 1);
        }
        for target in step.branch.values() {
            match phase.step.iter().position(|step| step.id == *target) {
                Some(to) => open.push(to),
                None if target == "@next" || target == "@skip" => open.push(at + 1),
                None => {}
            }
        }
    }
    Paths { steps: reached.into_iter().map(|at| &phase.step[at]).collect(), ends }
}

/// Whether something may come of a step that no branch catches.
fn goes_on(step: &Step) -> bool {
    let optional = step.args.get("required").and_then(serde_json::Value::as_bool) == Some(false);
    // A rejected review is asked again, and what failed is not told apart here.
    let is_caught = |key: &String| key == "rejected" || step.leads(key).is_some();
    match all_outcomes(step) {
        Some(outcomes) if !optional => !outcomes.iter().all(is_caught),
        Some(_) | None => true,
    }
}
