//! What a session's status is to Slack, and the words beside it. Pure.

use crate::{
    chat::activity::{Activity, is_begun},
    engine::Look,
    gateway::slack::limits,
    messages,
    model::transcript::Call,
    session::{State, state::CallState},
    tool::pipeline::Pipeline,
};

/// Slack's word for how a session stands.
pub(super) const fn name_of(status: Activity) -> &'static str {
    match status {
        Activity::Processing => "processing",
        Activity::Suspended => "suspended",
        Activity::Active => "active",
        Activity::Closed => "closed",
    }
}

/// What is shown of a session while nothing is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) status: Activity,
    /// What the bot does; empty where it is not its turn.
    pub(super) words: String,
}

impl Shown {
    /// Of a session into which these files are being fetched.
    pub(super) fn of(look: &Look, pipeline: &Pipeline, files: &[String]) -> Self {
        let status = Activity::of(look);
        let words = match status {
            Activity::Closed => String::new(),
            _ if !files.is_empty() => messages::interview::receiving(files),
            Activity::Processing => words(&look.state, pipeline),
            Activity::Suspended | Activity::Active => String::new(),
        };
        Self { status, words }
    }

    /// Whether the bot is shown to be at work.
    pub(super) fn is_busy(&self) -> bool {
        !self.words.is_empty() || self.status == Activity::Processing
    }

    /// It takes longer than people expect, which the words say.
    pub(super) fn mark_late(&mut self) {
        self.words.push(' ');
        self.words.push_str(messages::interview::TAKES_LONGER);
    }

    /// What is shown in turn while it lasts.
    pub(super) fn loading(&self) -> Vec<&str> {
        let further = [messages::interview::STILL_WORKING];
        let all = std::iter::once(self.words.as_str()).chain(further);
        all.take(limits::LOADING_MESSAGES).collect()
    }
}

/// What the bot does, in words for people.
fn words(state: &State, pipeline: &Pipeline) -> String {
    let running = pipeline.running(state.session);
    let runs = |known: &&CallState| running.iter().any(|other| other.call.id == known.call.id);
    let begun = state.calls.iter().filter(|known| is_begun(known) && !runs(known));
    let begun = begun.map(|known| named(pipeline.doing(&known.call.tool), &known.call, state));
    let running = running.iter().map(|running| named(running.doing, &running.call, state));
    let mut doing: Vec<String> = begun.chain(running).collect();
    doing.sort_unstable();
    doing.dedup();
    if doing.is_empty() { messages::interview::THINKING.to_owned() } else { doing.join(" ") }
}

/// Words about a call with the name of the file that it is about: `Reading ada.pdf…`.
pub(super) fn named(words: &str, call: &Call, state: &State) -> String {
    let id = call.args["artifact_id"].as_str().unwrap_or_default();
    let id = id.trim().trim_start_matches("artifact:");
    let file = state.artifacts.iter().find(|file| file.id.to_string() == id);
    file.map_or_else(|| words.to_owned(), |file| words.replace(YOUR_FILE, &file.filename))
}

/// What a tool calls a file whose name it does not know.
const YOUR_FILE: &str = "your file";
