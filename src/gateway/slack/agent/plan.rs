//! What the bot does in a turn, as the tasks of a plan: in progress while a call runs, then complete with what came of it.
//! Pure.

use serde_json::{Value, json};

use super::status::named;
use crate::{
    base::ids::{CallId, EffectId},
    engine::{Look, context_window::posts_of_model},
    gateway::slack::{limits, render::text::clip},
    messages,
    model::{
        session::Status,
        transcript::{Audience, Call, CallResult, Event, Origin, Recorded, Speaker},
    },
    session::State,
    tool::pipeline::{Pipeline, record::RunningCall},
};

/// The tasks that a message shows above its words, if any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// The part of the interview.
    title: String,
    /// How the ids of the tasks begin: no other message of the session has the same.
    prefix: String,
    tasks: Vec<Task>,
    /// Calls that another message shows.
    elsewhere: Vec<CallId>,
}

/// One call as people read of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Task {
    call: CallId,
    title: String,
    stage: Stage,
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    InProgress,
    Complete,
    Error,
}

impl Stage {
    /// Slack's word for it.
    const fn name(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Complete => "complete",
            Self::Error => "error",
        }
    }
}

/// How the ids of a plan's tasks begin that was opened when the session had come so far.
pub(super) fn prefix(knew: u64) -> String {
    format!("t{knew}.")
}

impl Plan {
    /// The plan of a turn as it is now, for a message that is opened when the session has come so far. `elsewhere`: calls
    /// that another message shows.
    pub(super) fn of(
        look: &Look,
        pipeline: &Pipeline,
        (knew, elsewhere): (u64, Vec<CallId>),
    ) -> Self {
        let phase = look.state.phase();
        let phase = phase.and_then(|id| look.flow.flow.phase.iter().find(|phase| phase.id == id));
        let title = phase.map_or("", |phase| phase.title.as_str()).to_owned();
        let plan = Self { title, prefix: prefix(knew), tasks: Vec::new(), elsewhere };
        plan.as_of(look, pipeline)
    }

    /// The calls that it shows.
    pub(super) fn calls(&self) -> impl Iterator<Item = &CallId> {
        self.tasks.iter().map(|task| &task.call)
    }

    /// This plan as it stands now. What it shows stays in its place, and what there is no room for below is left out.
    pub(super) fn as_of(&self, look: &Look, pipeline: &Pipeline) -> Self {
        let mut next = self.clone();
        let mut current = self.current(look, pipeline);
        current.retain(|task| !self.elsewhere.contains(&task.call));
        for task in current {
            let shown = next.tasks.iter().position(|shown| shown.call == task.call);
            match shown {
                Some(at) => next.tasks[at] = task,
                None if next.tasks.iter().any(|other| other.says_the_same(&task)) => {}
                None => next.tasks.push(task),
            }
        }
        if self.tasks.is_empty() {
            // The newest are what people wait for.
            next.tasks.drain(..next.tasks.len().saturating_sub(limits::PLAN_TASKS));
        }
        next.tasks.truncate(limits::PLAN_TASKS);
        next
    }

    /// What was done since the person acted last, in the order in which it ended, and what is being done.
    fn current(&self, look: &Look, pipeline: &Pipeline) -> Vec<Task> {
        let state = &look.state;
        let events = &look.loaded.events;
        let turn = events.iter().rposition(|recorded| is_act(&recorded.event, state));
        let turn = turn.map_or(&events[..], |at| &events[at..]);
        let ended = turn.iter().filter_map(|recorded| match &*recorded.event {
            Event::Returned { call, result } => Some((&state.call(call)?.call, result)),
            _ => None,
        });
        // Steps of a script are worth a line only where somebody had to wait for them.
        let is_worth = |call: &Call| {
            matches!(call.origin, Origin::Model { .. })
                || self.tasks.iter().any(|shown| shown.call == call.id)
        };
        let ended = ended.filter(|(call, _)| is_worth(call));
        let mut tasks: Vec<Task> = ended
            .filter_map(|(call, result)| ended_task(call, result, (state, pipeline)))
            .collect();
        for running in worthwhile(&pipeline.running(state.session), pipeline) {
            let is_known = tasks.iter().any(|task| task.call == running.call.id);
            if !is_known {
                let title = named(running.doing, &running.call, state);
                let title = title.trim_end_matches('…');
                tasks.push(Task::new(&running.call, title, Stage::InProgress));
            }
        }
        tasks
    }

    /// Whether all that it shows has ended.
    pub(super) fn is_over(&self) -> bool {
        self.tasks.iter().all(|task| task.stage != Stage::InProgress)
    }

    /// All of it, for the beginning of a stream.
    pub(super) fn chunks(&self) -> Vec<Value> {
        if self.tasks.is_empty() {
            return Vec::new();
        }
        let title = json!({ "type": "plan_update", "title": self.title });
        std::iter::once(title).chain(self.since(&Self::default())).collect()
    }

    /// What of it is new to somebody who sees `shown`.
    pub(super) fn since(&self, shown: &Self) -> Vec<Value> {
        let numbered = self.tasks.iter().enumerate();
        let news = numbered.filter(|(n, task)| shown.tasks.get(*n) != Some(*task));
        news.map(|(n, task)| {
            let (id, status) = (self.id(n), task.stage.name());
            json!({ "type": "task_update", "id": id, "title": task.title, "status": status })
        })
        .collect()
    }

    /// It as a block, as Slack makes it of its chunks.
    pub(super) fn block(&self) -> Option<Value> {
        let task = |(n, task): (usize, &Task)| {
            let (id, status) = (self.id(n), task.stage.name());
            json!({ "type": "task_card", "task_id": id, "title": task.title, "status": status })
        };
        let tasks: Vec<Value> = self.tasks.iter().enumerate().map(task).collect();
        (!tasks.is_empty()).then(|| json!({ "type": "plan", "title": self.title, "tasks": tasks }))
    }

    fn id(&self, n: usize) -> String {
        format!("{}{n}", self.prefix)
    }
}

impl Task {
    fn new(call: &Call, title: &str, stage: Stage) -> Self {
        Self { call: call.id.clone(), title: clip(title, limits::TASK_TITLE), stage }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.title == other.title && self.stage == other.stage
    }
}

/// A call that has ended, where people read of it.
fn ended_task(
    call: &Call,
    result: &CallResult,
    (state, pipeline): (&State, &Pipeline),
) -> Option<Task> {
    let done = pipeline.done(&call.tool);
    if done.is_empty() {
        return None;
    }
    if !result.is_success() {
        let doing = named(pipeline.doing(&call.tool), call, state);
        let title = messages::interview::did_not_work(doing.trim_end_matches('…'));
        return Some(Task::new(call, &title, Stage::Error));
    }
    let done = named(done, call, state);
    let came_to = match result {
        CallResult::Ok { value } => pipeline.came_to(&call.tool, value),
        CallResult::Err { .. } => None,
    };
    let title = came_to.map_or_else(|| done.clone(), |came_to| format!("{done} · {came_to}"));
    Some(Task::new(call, &title, Stage::Complete))
}

/// The running calls that people read of.
pub(super) fn worthwhile<'a>(
    running: &'a [RunningCall],
    pipeline: &'a Pipeline,
) -> impl Iterator<Item = &'a RunningCall> {
    running.iter().filter(|running| {
        let is_own = matches!(running.call.origin, Origin::Model { .. } | Origin::Step { .. });
        is_own && !pipeline.done(&running.call.tool).is_empty()
    })
}

/// What becomes of a message that shows a plan and no words yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    /// More may be done, or said.
    Open,
    /// The words of this post belong below it; the model said them knowing so much.
    Words { effect: EffectId, knew: u64 },
    /// What comes next is something else, and stands below.
    Over,
}

/// What becomes of the plan that was opened when the session had come so far.
pub(super) fn outlook(look: &Look, knew: u64, is_running: bool) -> Outlook {
    let (state, events) = (&look.state, &look.loaded.events);
    let mut since = events.iter().filter(|recorded| recorded.seq > knew);
    let posts = posts_of_model(events);
    let decides = |recorded: &Recorded| match &*recorded.event {
        Event::Posted { effect, audience: Audience::Participant, .. } => {
            let words = posts.get(&recorded.seq);
            Some(
                words.map_or(Outlook::Over, |knew| Outlook::Words { effect: *effect, knew: *knew }),
            )
        }
        Event::Asked(_) => Some(Outlook::Over),
        event => is_act(event, state).then_some(Outlook::Over),
    };
    if let Some(decided) = since.find_map(decides) {
        return decided;
    }
    let goes_on = (look.is_thinking() || is_running) && state.pending().next().is_none();
    if goes_on && is_open(state) { Outlook::Open } else { Outlook::Over }
}

/// Whether the conversation goes on by itself: nobody has stopped it, and no person of the team is on it.
pub(super) fn is_open(state: &State) -> bool {
    state.status == Status::Open && state.handoff.is_none()
}

/// Whether an event is something that the participant did.
fn is_act(event: &Event, state: &State) -> bool {
    match event {
        Event::Said { from: Speaker::Participant, .. } | Event::Kept(_) => true,
        Event::Answered { by, .. } => *by == state.participant,
        _ => false,
    }
}
