//! What the core says of a session's own state: what is kept of somebody, and what is still open.

use super::evidence;
use crate::{
    flow::LoadedFlow,
    messages::{self, Text},
    model::{
        flow::{Phase, PhaseEffect},
        session::Platform,
    },
    session::State,
};

// Read by models, as the result of a call.
pub(super) const TASK_RAN_OUT: &str = "the budget of this task is used up";
pub(super) const MOVED_ON: &str = "the call was not made: the conversation has moved on";
pub(super) const NOT_MADE: &str =
    "the call was not made: the conversation has used up what it may use";

/// What is kept of a person, in words, each kind once.
fn kept(state: &State, flow: &LoadedFlow) -> Vec<Text> {
    let mut kept: Vec<Text> = Vec::new();
    let records = state.records.iter().map(|record| flow.data_title(&record.data_type));
    let records = records.map(|title| Text::default().then_quoted(title));
    let files = state.artifacts.iter().map(|file| messages::interview::kept_file(&file.filename));
    for words in records.chain(files) {
        if !kept.contains(&words) {
            kept.push(words);
        }
    }
    kept
}

/// What is said after "stop".
pub(super) fn stopped(state: &State, flow: &LoadedFlow) -> Text {
    messages::interview::stopped(kept(state, flow))
}

/// What is said at the very end. That somebody will review it is only said where the flow sends it to somebody.
pub(super) fn completed(state: &State, flow: &LoadedFlow) -> Text {
    let organisation = flow.vars.get("organisation").map(String::as_str);
    let organisation = organisation.unwrap_or(messages::interview::THE_TEAM);
    messages::interview::completed(organisation, kept(state, flow), is_reviewed(state, flow))
}

/// Whether what was collected is sent to people; the playground has nobody to send it to.
fn is_reviewed(state: &State, flow: &LoadedFlow) -> bool {
    let mut effects = flow.flow.phase.iter().flat_map(|phase| &phase.effect);
    state.place.platform != Platform::Web
        && effects.any(|effect| matches!(effect, PhaseEffect::PostSummary { .. }))
}

/// What is said when a script comes to its end and something is still open.
pub(super) fn still_open(state: &State, phase: &Phase) -> Text {
    let missing = evidence::missing(state, phase);
    let titles: Vec<&str> = phase
        .objective
        .iter()
        .filter(|objective| missing.contains(&objective.id))
        .map(|objective| objective.title.as_str())
        .collect();
    messages::interview::still_open(&titles)
}
