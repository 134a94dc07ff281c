//! Conversations at a glance: one's own, one of somebody's, everybody's.

use std::{cmp::Reverse, collections::BTreeMap};

use chrono::{DateTime, TimeDelta, Utc};

use super::words_of;
use crate::{
    engine::Look,
    messages,
    model::session::{Head, Platform, Status},
    session::evidence,
};

/// How a conversation stands, in a sentence.
pub fn status_line(look: &Look) -> String {
    let status = messages::staff::status(look.state.status);
    match evidence::progress_line(&look.state, &look.flow) {
        Some(line) => format!("{line} · {status}."),
        None => format!("{}.", messages::capitalised(status)),
    }
}

/// How far it is in its part, a line for each objective: `• Your profile: done`.
pub fn objectives(look: &Look) -> Vec<String> {
    let phase = look.state.phase().and_then(|phase| look.flow.phase(phase));
    let objectives = phase.into_iter().flat_map(|phase| &phase.objective);
    let objectives = objectives.filter(|objective| evidence::counts(&look.state, objective));
    let line = objectives.map(|objective| {
        let is_settled = evidence::is_settled(&look.state, &objective.id);
        format!("• {}: {}", objective.title, if is_settled { "done" } else { "open" })
    });
    line.collect()
}

/// The conversation on a platform that is meant where nothing else is said: the newest that goes on, else the newest.
/// `heads` are the newest first.
pub fn newest(heads: &[Head], platform: Platform) -> Option<Head> {
    let mut there = heads.iter().filter(|head| head.place.platform == platform);
    let open = there.clone().find(|head| !head.status.is_over());
    open.or_else(|| there.next()).cloned()
}

/// Whether a conversation belongs to a workspace and is no test.
pub fn is_of(head: &Head, platform: Platform, workspace: &str) -> bool {
    head.place.platform == platform && head.place.workspace == workspace && !head.test
}

/// Whether nothing has happened in it for long.
pub(crate) fn is_silent(head: &Head, now: DateTime<Utc>) -> bool {
    now - head.updated_at > TimeDelta::hours(24)
}

/// Everybody's conversations that are not over. Nothing in it is escaped.
#[derive(Debug)]
pub struct Overview<'a> {
    /// `3 open · 1 silent for more than a day · 1 to approve · 0 handed over`
    pub counts: String,
    /// How many are in each part, by its name.
    pub phases: BTreeMap<String, usize>,
    /// Those that want somebody come first.
    pub rows: Vec<Row<'a>>,
}

/// One of them.
#[derive(Debug)]
pub struct Row<'a> {
    /// The conversation.
    pub head: &'a Head,
    /// Whose it is.
    pub person: &'a str,
    /// How it stands, in a word.
    pub status: &'static str,
    /// The part it is in.
    pub phase: Option<String>,
    /// Why somebody should look at it.
    pub wants: Vec<&'static str>,
}

impl<'a> Overview<'a> {
    /// Of these conversations, as they stand at `now`.
    pub fn of(heads: &'a [Head], now: DateTime<Utc>) -> Self {
        let is_open =
            |head: &&Head| matches!(head.status, Status::Notice | Status::Open | Status::Paused);
        let mut open: Vec<&Head> = heads.iter().filter(is_open).collect();
        let count = |is: &dyn Fn(&Head) -> bool| open.iter().filter(|head| is(head)).count();
        let counts = messages::staff::counts(
            open.len(),
            count(&|head| is_silent(head, now)),
            count(&|head| head.approvals > 0),
            count(&|head| head.handed_over),
        );
        let mut phases: BTreeMap<String, usize> = BTreeMap::new();
        for head in &open {
            let phase = head
                .phase
                .as_deref()
                .map_or_else(|| messages::staff::NOT_STARTED.to_owned(), words_of);
            *phases.entry(phase).or_default() += 1;
        }
        open.sort_by_key(|head| {
            let is_well = !is_silent(head, now);
            (head.approvals == 0, !head.handed_over, is_well, Reverse(head.updated_at))
        });
        Self { counts, phases, rows: open.into_iter().map(|head| Row::of(head, now)).collect() }
    }
}

impl<'a> Row<'a> {
    fn of(head: &'a Head, now: DateTime<Utc>) -> Self {
        let wants = [
            (head.approvals > 0, messages::staff::TO_DECIDE),
            (head.handed_over, messages::staff::ASKED_FOR_A_HUMAN),
            (is_silent(head, now), messages::staff::INACTIVE),
        ];
        Self {
            head,
            person: head.name.as_deref().unwrap_or(messages::unnamed::A_PARTICIPANT),
            status: messages::staff::status(head.status),
            phase: head.phase.as_deref().map(words_of),
            wants: wants.into_iter().filter_map(|(is, word)| is.then_some(word)).collect(),
        }
    }
}
