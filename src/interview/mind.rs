//! How the model's part of a session stands: its round, what it knows, what it has cost.

use chrono::{DateTime, Utc};

use super::state::CallState;
use crate::{
    ids::CallId,
    model::{
        task::Subtask,
        transcript::{Call, Event, Intent, Origin, Recorded, Speaker, Thought},
        ui::Reply,
        usage::Usage,
        wait::{Purpose, Wait},
    },
};

/// The model's part of a session. Made by the fold alone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mind {
    /// Rounds since the participant last wrote, or the phase began; a suspended call does not begin a new turn
    /// (SEMANTICS row 40).
    pub round: u32,
    /// The last event that the model knows.
    pub knew: u64,
    /// The newest event that the model has to be told of.
    pub news: u64,
    /// The calls of its last round, in its order.
    pub wanted: Vec<Call>,
    /// Calls that it has made in the whole session.
    pub made: u64,
    /// What was used up in the whole session, its children's part included.
    pub spent: Usage,
    /// The same since [`Mind::round`] was 0.
    pub turn: Usage,
    /// The turn has had its last round.
    pub turn_over: bool,
    /// What was sent in the last round, in tokens.
    pub window: u64,
    /// Failures in a row.
    pub failures: u32,
    /// When it is asked again after a failure.
    pub again_at: Option<DateTime<Utc>>,
    /// When the participant wrote what it has not read yet, the first of several messages.
    pub unread_since: Option<DateTime<Utc>>,
    /// The phase in which the script has taken over.
    pub script_leads: Option<String>,
    /// The last event that the newest short form stands for.
    pub summarised: u64,
    /// The newest event to be told of before the files that came right before this event.
    before_files: Option<u64>,
}

impl Mind {
    /// Adds one event; `phase` is the phase after it, `calls` all calls so far.
    pub(super) fn apply(&mut self, recorded: &Recorded, phase: Option<&str>, calls: &[CallState]) {
        let seq = recorded.seq;
        let before_files = self.before_files.take();
        match &*recorded.event {
            Event::Said { from: Speaker::Participant, .. } => {
                self.begin_turn(seq);
                self.again_at = None;
                self.unread_since.get_or_insert(recorded.at);
            }
            Event::Advanced { to: Some(_), .. } => self.begin_turn(seq),
            Event::Kept(_) => {
                self.before_files = Some(before_files.unwrap_or(self.news));
                self.news = seq;
            }
            // They are part of the answer, and told with what comes of it.
            Event::Answered { reply: Reply::Uploaded { .. }, .. } => {
                self.news = before_files.unwrap_or(self.news);
            }
            Event::HandedBack { .. }
            | Event::Late { .. }
            | Event::Subtask(Subtask::Refused { .. }) => self.news = seq,
            Event::Returned { call, .. } if is_news(calls, call) => self.news = seq,
            Event::Thought(thought) => self.thought(thought, phase),
            Event::ThinkingFailed { count, again_at, .. } => {
                self.failures = *count;
                self.again_at = *again_at;
            }
            Event::ScriptLeads { phase, .. } => {
                self.script_leads = Some(phase.clone());
                self.again_at = None;
            }
            Event::Summarised { through, usage, .. } => {
                self.summarised = *through;
                self.spend(*usage);
                self.window = 0;
            }
            Event::Spent { usage, .. } => self.spend(*usage),
            _ => {}
        }
    }

    /// Something that the model has read is not so any more.
    pub(super) fn changed(&mut self, seq: u64) {
        self.begin_turn(seq);
        self.again_at = None;
    }

    fn begin_turn(&mut self, news: u64) {
        self.news = news;
        self.round = 0;
        self.turn = Usage::default();
        self.turn_over = false;
    }

    fn spend(&mut self, usage: Usage) {
        self.spent += usage;
        self.turn += usage;
    }

    fn thought(&mut self, thought: &Thought, phase: Option<&str>) {
        let Thought { knew, round, calls, usage, last, .. } = thought;
        self.knew = *knew;
        self.round = *round;
        self.made += calls.len() as u64;
        self.spend(*usage);
        self.turn_over = *last;
        self.window = usage.input;
        self.failures = 0;
        self.again_at = None;
        self.unread_since = None;
        let wanted = |intent: &Intent| Call {
            id: intent.id.clone(),
            tool: intent.tool.clone(),
            args: intent.args.clone(),
            phase: phase.map(str::to_owned),
            origin: Origin::Model { round: *round },
        };
        self.wanted = calls.iter().map(wanted).collect();
    }

    /// Whether something has happened that the model has not been told of.
    pub fn has_news(&self) -> bool {
        self.news > self.knew
    }
}

/// The model hears of its own calls, and of what came of a person's.
fn is_news(calls: &[CallState], id: &CallId) -> bool {
    let call = calls.iter().find(|known| known.call.id == *id);
    call.is_some_and(|known| match known.call.origin {
        Origin::Model { .. } | Origin::Person { .. } => true,
        Origin::Step { .. } | Origin::Engine => false,
    })
}

/// Whether the model has been told that a wait is pending and goes on meanwhile (SEMANTICS rows 10, 16).
pub(super) fn is_detached(calls: &[CallState], wait: &Wait) -> bool {
    let (Purpose::Call { call, .. } | Purpose::Child { call, .. }) = &wait.purpose else {
        return false;
    };
    let known = calls.iter().find(|known| known.call.id == *call);
    known.is_some_and(|known| known.detached)
}
