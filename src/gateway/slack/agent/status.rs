//! What a session's status is to Slack, and the words beside it. Pure.

use crate::{
    chat::standing::{Standing, is_begun},
    engine::Look,
    gateway::slack::limits,
    interview::{State, state::CallState},
    model::transcript::{Event, Origin, Recorded, Speaker},
    tool::pipeline::Pipeline,
};

/// Slack's word for how a session stands.
pub(super) const fn name_of(standing: Standing) -> &'static str {
    match standing {
        Standing::Processing => "processing",
        Standing::Suspended => "suspended",
        Standing::Active => "active",
        Standing::Closed => "closed",
    }
}

/// What is shown of a session while nothing is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) standing: Standing,
    /// What the bot does; empty where it is not its turn.
    pub(super) words: String,
}

impl Shown {
    /// Of a session into which these files are being fetched.
    pub(super) fn of(look: &Look, pipeline: &Pipeline, files: &[String]) -> Self {
        let standing = Standing::of(look);
        let words = match standing {
            Standing::Closed => String::new(),
            _ if !files.is_empty() => format!("Receiving {}…", files.join(", ")),
            Standing::Processing => words(&look.state, pipeline),
            Standing::Suspended | Standing::Active => String::new(),
        };
        Self { standing, words }
    }

    /// Whether the bot is shown to be at work.
    pub(super) fn is_busy(&self) -> bool {
        !self.words.is_empty() || self.standing == Standing::Processing
    }

    /// It takes longer than people expect, which the words say.
    pub(super) fn mark_late(&mut self) {
        self.words.push_str(" This is taking longer than usual.");
    }

    /// What is shown in turn while it lasts.
    pub(super) fn loading(&self) -> Vec<&str> {
        let further = ["Still working on it…"];
        let all = std::iter::once(self.words.as_str()).chain(further);
        all.take(limits::LOADING_MESSAGES).collect()
    }
}

/// What the bot does, in words for people.
fn words(state: &State, pipeline: &Pipeline) -> String {
    let reads = |known: &&CallState| is_begun(known) && known.call.tool == "extract_document";
    if let Some(known) = state.calls.iter().rev().find(reads) {
        let file = state
            .artifacts
            .iter()
            .find(|file| known.call.args["artifact_id"] == *file.id.to_string());
        return file.map_or_else(
            || "Reading your file…".to_owned(),
            |file| format!("Reading {}…", file.filename),
        );
    }
    let begun = state.calls.iter().filter(|known| is_begun(known));
    let begun = begun.map(|known| pipeline.doing(&known.call.tool));
    let mut doing: Vec<&str> = begun.chain(pipeline.running(state.session)).collect();
    doing.sort_unstable();
    doing.dedup();
    if doing.is_empty() { "Thinking…".to_owned() } else { doing.join(" ") }
}

/// What was done since the person acted last: every call of the turn that is done, in words for people, in the order in
/// which they ended; each words once, the newest where there are more than a message shows.
pub(super) fn done<'a>(look: &Look, pipeline: &'a Pipeline) -> Vec<(&'a str, bool)> {
    let state = &look.state;
    let events = &look.loaded.events;
    let is_act = |recorded: &Recorded| match &*recorded.event {
        Event::Said { from: Speaker::Participant, .. } | Event::Kept(_) => true,
        Event::Answered { by, .. } => *by == state.participant,
        _ => false,
    };
    let turn = events.iter().rposition(is_act).map_or(&events[..], |at| &events[at..]);
    let mut done: Vec<(&str, bool)> = Vec::new();
    for recorded in turn {
        let Event::Returned { call, result } = &*recorded.event else { continue };
        let Some(known) = state.call(call) else { continue };
        let words = pipeline.done(&known.call.tool);
        let is_ok = result.is_success();
        let is_its_own = matches!(known.call.origin, Origin::Model { .. });
        if is_its_own && !words.is_empty() && !done.contains(&(words, is_ok)) {
            done.push((words, is_ok));
        }
    }
    done.drain(..done.len().saturating_sub(limits::PLAN_TASKS));
    done
}
