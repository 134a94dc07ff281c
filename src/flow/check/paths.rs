//! Which steps a script can come to, and whether it can come to its end.

use std::collections::BTreeSet;

use super::steps::all_outcomes;
use crate::model::flow::{Phase, Step};

/// Where a script can go.
pub(crate) struct Paths<'a> {
    /// Steps that some answers lead to.
    pub(super) steps: Vec<&'a Step>,
    /// Some answers lead to the end.
    pub(crate) ends: bool,
}

/// Follows every branch of a phase's script. Conditions (`when`) may go either way.
pub(crate) fn paths(phase: &Phase) -> Paths<'_> {
    let mut reached = BTreeSet::new();
    let mut open = vec![0];
    let mut ends = false;
    while let Some(at) = open.pop() {
        if at >= phase.step.len() {
            ends = true;
            continue;
        }
        if !reached.insert(at) {
            continue;
        }
        open.extend(followers(phase, at));
    }
    Paths { steps: reached.into_iter().map(|at| &phase.step[at]).collect(), ends }
}

/// Steps that some answers lead to after this one; itself as well where a branch leads back.
pub(super) fn ways(phase: &Phase, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = followers(phase, from);
    while let Some(at) = open.pop() {
        if at < phase.step.len() && reached.insert(at) {
            open.extend(followers(phase, at));
        }
    }
    reached
}

/// Where a script can go from a step; one past the last is its end.
fn followers(phase: &Phase, at: usize) -> Vec<usize> {
    let mut next = leads_to(phase, at);
    if phase.step[at].when.is_some() {
        next.push(at + 1);
    }
    next
}

/// Where a script can go after a step was asked, so its `when` was true; one past the last is its end.
pub(super) fn leads_to(phase: &Phase, at: usize) -> Vec<usize> {
    let step = &phase.step[at];
    let mut next = Vec::new();
    if goes_on(step) {
        next.push(at + 1);
    }
    next.extend(step.branch.values().filter_map(|target| {
        match phase.step.iter().position(|step| step.id == *target) {
            Some(to) => Some(to),
            None if target == "@next" || target == "@skip" => Some(at + 1),
            None => None,
        }
    }));
    next
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
