//! Objectives are completed by code, from what is stored.

use serde_json::Value;

use super::{script, state::State, typed};
use crate::{
    flow::LoadedFlow,
    messages::{self, Text},
    model::{
        flow::{Done, Lead, Objective, Phase},
        session::Status,
        transcript::ObjectiveStatus,
        ui::{Control, Reply},
        wait::{Purpose, Wait, WaitStatus},
    },
};

/// Whether stored evidence completes an objective.
pub(crate) fn is_met(state: &State, phase: &Phase, objective: &Objective) -> bool {
    holds(state, &objective.id, &objective.done) || children_met(state, phase, objective)
}

/// A parent is complete with its children (`profile` with `profile.email`, `profile.phone`).
fn children_met(state: &State, phase: &Phase, parent: &Objective) -> bool {
    let prefix = format!("{}.", parent.id);
    let mut children =
        needed(state, phase).filter(|objective| objective.id.starts_with(&prefix)).peekable();
    children.peek().is_some() && children.all(|child| is_settled(state, &child.id))
}

/// Completed, passed over, or not called for.
pub fn is_settled(state: &State, objective: &str) -> bool {
    match state.objective(objective) {
        ObjectiveStatus::Completed | ObjectiveStatus::Skipped | ObjectiveStatus::NotApplicable => {
            true
        }
        ObjectiveStatus::Pending | ObjectiveStatus::InProgress | ObjectiveStatus::Failed => false,
    }
}

/// Whether the condition of an objective holds, as it stood when somebody last did something.
pub fn counts(state: &State, objective: &Objective) -> bool {
    state.objective(&objective.id) != ObjectiveStatus::NotApplicable
}

/// The required objectives of a phase that count.
fn needed<'a>(state: &State, phase: &'a Phase) -> impl Iterator<Item = &'a Objective> {
    phase.objective.iter().filter(|objective| objective.required && counts(state, objective))
}

/// Whether what is stored meets a condition of an objective.
pub fn holds(state: &State, objective: &str, done: &Done) -> bool {
    match done {
        Done::Model => state.proposed.get(objective) == Some(&ObjectiveStatus::Completed),
        Done::Reviewed(data) => state.records.iter().any(|r| r.reviewed && r.data_type == *data),
        Done::Saved(saved) => {
            let count = state.records.iter().filter(|r| r.data_type == saved.data).count();
            count >= usize::try_from(saved.at_least).unwrap_or(usize::MAX)
        }
        Done::Uploaded(kind) => state.artifacts.iter().any(|a| a.upload_type == *kind),
        Done::Answered(answered) => {
            state.results.get(&answered.step).is_some_and(|result| answers(result, &answered.with))
        }
        Done::Talked(count) => state.talked >= *count,
        Done::All(all) => all.iter().all(|done| holds(state, objective, done)),
        Done::Any(any) => any.iter().any(|done| holds(state, objective, done)),
    }
}

fn answers(result: &Value, with: &[String]) -> bool {
    if result.get("error").is_some() {
        return false;
    }
    let picked = |id: &String| {
        result["selectedIds"].as_array().is_some_and(|ids| ids.iter().any(|picked| picked == id))
    };
    let came_to = |key: &String| result["status"] == key.as_str();
    with.is_empty() || with.iter().any(picked) || with.iter().any(came_to)
}

/// What an objective still needs, in words for the model.
pub(crate) fn missing_in_words(done: &Done) -> String {
    match done {
        Done::Model => "your own word that it is done".to_owned(),
        Done::Reviewed(data) => {
            format!("`{data}` approved by the participant with submit_for_validation")
        }
        Done::Saved(saved) => {
            format!("{} record(s) of `{}` saved with persist_data", saved.at_least, saved.data)
        }
        Done::Uploaded(kind) => format!("a file uploaded as `{kind}`"),
        Done::Answered(answered) => format!("an answer to `{}`", answered.step),
        Done::Talked(count) => format!("{count} messages of the participant in this phase"),
        Done::All(all) => joined(all, " and "),
        Done::Any(any) => joined(any, " or "),
    }
}

fn joined(parts: &[Done], word: &str) -> String {
    parts.iter().map(missing_in_words).collect::<Vec<_>>().join(word)
}

/// The points of a lead: of what is completed, not of what was passed over.
pub fn points(state: &State, lead: &Lead) -> u8 {
    let is_met = |objective: &str| matches!(state.objective(objective), ObjectiveStatus::Completed);
    let met = lead.points.iter().filter(|(objective, _)| is_met(objective));
    met.fold(0_u8, |sum, (_, points)| sum.saturating_add(*points)).min(100)
}

/// Required objectives of a phase that are neither completed nor skipped, in the flow's order.
pub fn missing(state: &State, phase: &Phase) -> Vec<String> {
    let missing = needed(state, phase).filter(|objective| !is_settled(state, &objective.id));
    missing.map(|objective| objective.id.clone()).collect()
}

/// Required objectives completed or skipped ÷ required, two decimals; 1.0 with none.
pub fn progress(state: &State, phase: &Phase) -> f64 {
    let (settled, required) = settled(state, phase);
    if required == 0 {
        return 1.0;
    }
    (f64::from(settled) / f64::from(required) * 100.0).round() / 100.0
}

fn settled(state: &State, phase: &Phase) -> (u32, u32) {
    needed(state, phase)
        .fold((0, 0), |(done, all), o| (done + u32::from(is_settled(state, &o.id)), all + 1))
}

/// How far somebody is in the whole interview, from 0 to 1, so that everybody who looks is told the same. `phase` is the
/// one that they are in, with how far they are in it.
pub fn share(flow: &LoadedFlow, status: Status, phase: Option<(&str, f64)>) -> f64 {
    let begun = phase.and_then(|(id, done)| Some((flow.position(id)?, done)));
    #[expect(clippy::cast_precision_loss, reason = "a flow has far fewer phases than 2^52")]
    match (begun, status) {
        (Some((position, done)), _) => {
            (position as f64 + done) / flow.flow.phase.len().max(1) as f64
        }
        (None, Status::Completed) => 1.0,
        (None, _) => 0.0,
    }
}

/// Which part a phase is, from 1, and of how many: those that the conversation has been in, and those after it whose
/// conditions hold now.
pub fn part(state: &State, flow: &LoadedFlow, phase: &str) -> Option<(usize, usize)> {
    let position = flow.position(phase)?;
    let is_visited = |phase: &Phase| state.visited.contains(&phase.id);
    let (before, after) = flow.flow.phase.split_at(position);
    let before = before.iter().filter(|phase| phase.when.is_none() || is_visited(phase)).count();
    let is_to_come = |phase: &&Phase| script::applies(state, flow, phase.when.as_deref());
    Some((before + 1, before + 1 + after.iter().skip(1).filter(is_to_come).count()))
}

/// `Step 1 of 3 · The basics`; `None` if the flow has no such phase. Which parts the conversation has is known only
/// with its state: without it, nothing is counted where the flow has conditions.
pub(crate) fn step_line(flow: &LoadedFlow, phase: &str, state: Option<&State>) -> Option<Text> {
    let title = &flow.phase(phase)?.title;
    let counted = match state {
        Some(state) => part(state, flow, phase),
        None if flow.flow.phase.iter().any(|phase| phase.when.is_some()) => None,
        None => Some((flow.position(phase)? + 1, flow.flow.phase.len())),
    };
    Some(messages::interview::step(counted, title))
}

/// `Step 1 of 3 · The basics · 0/3`; `None` before the first phase and after the last.
pub(crate) fn progress_line(state: &State, flow: &LoadedFlow) -> Option<Text> {
    let phase = flow.phase(state.phase()?)?;
    let (settled, required) = settled(state, phase);
    let line = step_line(flow, &phase.id, Some(state))?;
    Some(if required == 0 { line } else { line.then(format!(" · {settled}/{required}")) })
}

/// `Step 1 of 3 · The basics · 0/3`, if there is something to tell: one part without objectives has no progress to
/// show.
pub(crate) fn progress_shown(state: &State, flow: &LoadedFlow) -> Option<Text> {
    let phase = flow.phase(state.phase()?)?;
    let has_steps = flow.flow.phase.len() > 1 || !phase.objective.is_empty();
    progress_line(state, flow).filter(|_| has_steps)
}

/// Whether the participant has passed a question of this phase over or has answered it with a plain no, which lets the
/// model mark an objective skipped.
pub(crate) fn has_declined(state: &State) -> bool {
    state.waits.values().filter(|wait| is_of_phase(state, wait)).any(|wait| match &wait.status {
        WaitStatus::Answered { reply, by, .. } | WaitStatus::Applied { reply, by, .. } => {
            *by == state.participant && declines(&wait.prompt.control, reply)
        }
        WaitStatus::Pending
        | WaitStatus::Expired { .. }
        | WaitStatus::Cancelled { .. }
        | WaitStatus::Superseded { .. } => false,
    })
}

/// Whether a question was asked by a call of the current phase.
fn is_of_phase(state: &State, wait: &Wait) -> bool {
    match &wait.purpose {
        Purpose::Call { call, .. } | Purpose::Child { call, .. } => {
            state.call(call).is_some_and(|known| known.call.phase.as_deref() == state.phase())
        }
        Purpose::Notice | Purpose::Begin { .. } | Purpose::Erase | Purpose::Effect { .. } => false,
    }
}

/// Whether a reply says that its question is not to be answered: the one option that was picked may say so, or words.
fn declines(control: &Control, reply: &Reply) -> bool {
    match (control, reply) {
        (_, Reply::Skipped) => true,
        (Control::Choose(choose), Reply::Chosen { ids, .. }) if ids.len() == 1 => {
            let mut picked = choose.choices.iter().filter(|choice| ids.contains(&choice.id));
            picked.any(|choice| typed::declines(&choice.label))
        }
        (_, reply) => reply.words().is_some_and(typed::declines),
    }
}

/// Whether a condition speaks of this data or upload type: what a skipped review or upload was for.
pub(crate) fn speaks_of(done: &Done, subject: &str) -> bool {
    match done {
        Done::Reviewed(name) | Done::Uploaded(name) => name == subject,
        Done::Saved(saved) => saved.data == subject,
        Done::Answered(answered) => answered.step == subject,
        Done::All(parts) | Done::Any(parts) => parts.iter().any(|done| speaks_of(done, subject)),
        Done::Model | Done::Talked(_) => false,
    }
}
