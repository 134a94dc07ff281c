//! What a session's status is to Slack, and the words beside it. Pure.

use crate::{
    engine::Look,
    interview::{State, state::CallState},
    model::{
        session::Status,
        transcript::{Call, CallResult},
        wait::Answerers,
    },
    tool::pipeline::Pipeline,
};

/// How an agent's session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is the bot's turn.
    Processing,
    /// A question is open.
    Suspended,
    /// It is the person's turn to write.
    Active,
    /// Nothing more comes.
    Closed,
}

impl Standing {
    /// Slack's word.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Processing => "processing",
            Self::Suspended => "suspended",
            Self::Active => "active",
            Self::Closed => "closed",
        }
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
    pub(super) fn of(look: &Look, pipeline: &Pipeline) -> Self {
        let standing = standing(look);
        let words = match standing {
            Standing::Processing => words(&look.state, pipeline),
            Standing::Suspended | Standing::Active | Standing::Closed => String::new(),
        };
        Self { standing, words }
    }
}

fn standing(look: &Look) -> Standing {
    let state = &look.state;
    match state.status {
        Status::Completed | Status::Ended | Status::Declined | Status::Stopped => Standing::Closed,
        Status::Notice | Status::Paused => Standing::Suspended,
        Status::Open if state.handoff.is_some() => Standing::Active,
        Status::Open
            if state.pending().any(|wait| matches!(wait.answerers, Answerers::Participant)) =>
        {
            Standing::Suspended
        }
        Status::Open if look.thinking || state.calls.iter().any(is_begun) => Standing::Processing,
        Status::Open if state.pending().next().is_some() => Standing::Suspended,
        Status::Open => Standing::Active,
    }
}

fn is_begun(known: &CallState) -> bool {
    known.result.is_none() && known.wait.is_none()
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

/// What has just come of the model's last round: the calls that are done, in words for people.
pub(super) fn done<'a>(state: &State, pipeline: &'a Pipeline) -> Vec<(&'a str, bool)> {
    let of = |call: &Call| {
        let words = pipeline.done(&call.tool);
        let result = state.call(&call.id)?.result.as_ref()?;
        let is_ok = match result {
            CallResult::Ok { value } => value["status"] != "failed",
            CallResult::Err { .. } => false,
        };
        (!words.is_empty()).then_some((words, is_ok))
    };
    let mut done: Vec<(&str, bool)> = Vec::new();
    for call in &state.mind.wanted {
        if let Some(new) = of(call).filter(|new| !done.contains(new)) {
            done.push(new);
        }
    }
    done
}
