//! How the model's part of a session stands: its round, what it knows, what it has cost.

use chrono::{DateTime, TimeDelta, Utc};

use super::{CallState, Handoff};
use crate::{
    base::ids::CallId,
    messages::Text,
    model::{
        task::Subtask,
        transcript::{
            Audience, Call, CallResult, Event, Gap, Intent, Origin, Recorded, Speaker, Thought,
        },
        ui::Reply,
        usage::Usage,
        wait::{Purpose, Wait},
    },
    session::topics::FORBIDDEN,
};

/// The model's part of a session. Made by the fold alone.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is told by an event of its own")]
pub struct ModelTurn {
    /// Rounds since a person last did something, or the phase began.
    pub round: u32,
    /// The last event that the model knows.
    pub knew: u64,
    /// The newest event that the model has to be told of.
    pub news: u64,
    /// The newest thing that a person wrote, sent or answered while the model did not wait for it.
    pub newest_input: u64,
    /// The participant has stopped it, and done nothing since.
    halted: bool,
    /// Answers in a row that ended because the participant wrote.
    pub interruptions: u32,
    /// Rounds in a row of which a card was withheld.
    withheld: u32,
    /// A card of the last round was withheld.
    withholds: bool,
    /// The calls of its last round, in its order.
    pub wanted: Vec<Call>,
    /// Calls that it has made in the whole session.
    pub made: u64,
    /// What was used up in the whole session, its children's part included.
    pub spent: Usage,
    /// What was used up since [`ModelTurn::round`] was 0, its children's part included.
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
    /// Until when a person's act does not give the phase back to the model; `None` if it never does.
    script_until: Option<DateTime<Utc>>,
    /// The script has taken over since the model last answered.
    pub script_told: bool,
    /// The participant has been told that the model is asked later.
    pub outage: bool,
    /// What they were told of a failure that may pass in a moment.
    retry_notice: RetryNotice,
    /// The first failure since it last answered.
    pub failing_since: Option<DateTime<Utc>>,
    /// How often the script has taken over since then.
    takeovers: u32,
    /// Answers of no use in a row, since a person last did something.
    pub useless: u32,
    /// Nudges since a person last did something.
    pub gaps: u32,
    /// Words of answers that were cut off, held until the rest has come.
    pub unsaid: String,
    /// Words that stand before calls, until they are posted: those of an answer whose calls all fail are taken back by the
    /// next answer that has words of its own.
    pub held: String,
    /// Answers in a row that were cut off.
    pub cuts: u32,
    /// Tokens that an answer may have, where one has once run out of room.
    pub room: Option<u32>,
    /// Answers without calls since something was completed or stored.
    pub idle: u32,
    /// The last answer, where it held no words for the participant.
    pub silent: Option<u64>,
    /// When the last part ended, as the number of the event.
    pub ended: Option<u64>,
    /// What the last work besides a round has cost in output.
    spent_output: u64,
    /// The last event that the newest short form stands for.
    pub summarised: u64,
    /// The newest event to be told of, and the newest that the participant has done, before the files that came right before this event.
    before_files: Option<(u64, u64)>,
}

/// Whether the participant has been told that the model is asked again in a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum RetryNotice {
    #[default]
    NotSent,
    /// It was sent, and nothing goes on until the model is asked again.
    Active,
    /// The retries are over.
    Over,
}

impl RetryNotice {
    const fn after(self, in_a_moment: bool) -> Self {
        match (self, in_a_moment) {
            (_, true) => Self::Active,
            (Self::NotSent, false) => Self::NotSent,
            (Self::Active | Self::Over, false) => Self::Over,
        }
    }
}

impl ModelTurn {
    /// Adds one event; `phase` is the phase after it, `calls` all calls so far.
    pub(in crate::session) fn apply(
        &mut self,
        recorded: &Recorded,
        phase: Option<&str>,
        calls: &[CallState],
    ) {
        let seq = recorded.seq;
        let before_files = self.before_files.take();
        self.note_card(&recorded.event, (seq, before_files), calls);
        match &*recorded.event {
            Event::Said { from: Speaker::Participant, .. } => {
                self.begin_turn(seq);
                self.newest_input = seq;
                self.leave_script(recorded.at);
                self.ask_at_once();
                self.unread_since.get_or_insert(recorded.at);
            }
            Event::Advanced { to: Some(_), .. } => {
                self.begin_turn(seq);
                self.script_leads = None;
                self.script_told = false;
                self.idle = 0;
            }
            Event::Advanced { to: None, .. } => self.ended = Some(seq),
            Event::Saved { .. } | Event::ObjectiveSet { .. } => self.idle = 0,
            Event::Kept(_) => self.kept(seq, before_files),
            // They are part of the answer, and told with what comes of it.
            Event::Answered { reply: Reply::Uploaded { .. }, .. } => {
                self.begin_rounds();
                self.leave_script(recorded.at);
                self.news = before_files.map_or(self.news, |(news, _)| news);
            }
            // What comes of it is told as the result of its call.
            Event::Answered { .. } => {
                self.begin_rounds();
                self.leave_script(recorded.at);
            }
            Event::Edited { .. } => self.begin_rounds(),
            Event::StatusChanged { .. } => self.halted = false,
            Event::Called(call) if matches!(call.origin, Origin::Person { .. }) => {
                self.begin_rounds();
            }
            Event::HandedBack { .. } => {
                self.begin_rounds();
                self.news = seq;
            }
            Event::Late { .. } | Event::Subtask(Subtask::Refused { .. }) => self.news = seq,
            Event::Returned { call, .. } if self.is_news(calls, call) => self.news = seq,
            Event::Posted { audience, text, .. } => self.posted(*audience, text),
            Event::Thought(thought) => self.thought(thought, (seq, phase)),
            Event::ThinkingFailed { code, count, again_at, in_a_moment } => {
                self.retry_notice = self.retry_notice.after(*in_a_moment);
                self.failing_since.get_or_insert(recorded.at);
                self.failed(code, *count, (*again_at, recorded.at));
            }
            Event::ScriptLeads { phase, because } => self.lose(phase, because, recorded.at),
            Event::Summarised { through, usage, .. } => {
                self.summarised = *through;
                self.spend(*usage);
                self.window = 0;
            }
            Event::Spent { usage, .. } => {
                self.spend(*usage);
                self.spent_output = usage.output;
            }
            _ => {}
        }
    }

    fn kept(&mut self, seq: u64, before_files: Option<(u64, u64)>) {
        self.begin_rounds();
        self.before_files = Some(before_files.unwrap_or((self.news, self.newest_input)));
        self.news = seq;
        self.newest_input = seq;
    }

    /// What an event says of cards: an answer to one that the model does not wait for, or one that was not shown.
    fn note_card(
        &mut self,
        event: &Event,
        (seq, before_files): (u64, Option<(u64, u64)>),
        calls: &[CallState],
    ) {
        match event {
            Event::Answered { wait, .. } => {
                let is_beside = |known: &CallState| known.detached && known.wait == Some(*wait);
                if calls.iter().any(is_beside) {
                    self.newest_input = seq;
                } else if let Some((_, input)) = before_files {
                    self.newest_input = input;
                }
            }
            Event::Returned { result: CallResult::Err { code, .. }, .. } if code == NOT_SHOWN => {
                self.withheld += u32::from(!self.withholds);
                self.withholds = true;
            }
            _ => {}
        }
    }

    /// Words are posted: those that were held are not any more.
    fn posted(&mut self, audience: Audience, text: &Text) {
        if audience == Audience::Participant && text.common_mark().ends_with(&self.held) {
            self.held.clear();
        }
    }

    fn failed(
        &mut self,
        code: &str,
        count: u32,
        (again_at, at): (Option<DateTime<Utc>>, DateTime<Utc>),
    ) {
        self.failures = count;
        self.again_at = again_at;
        self.outage |= self.retry_notice != RetryNotice::Active
            && again_at.is_some_and(|again_at| again_at > at);
        self.useless += u32::from(is_useless(code));
        if code == CUT_OFF {
            self.widen(self.spent_output);
        }
        self.unsaid.clear();
        self.cuts = 0;
    }

    /// The script takes a phase over.
    fn lose(&mut self, phase: &str, because: &str, at: DateTime<Utc>) {
        self.script_leads = Some(phase.to_owned());
        self.takeovers += 1;
        self.script_until = gives_back(because, (self.takeovers, at));
        self.script_told = true;
        self.useless = 0;
        self.again_at = None;
        self.held.clear();
        self.retry_notice = self.retry_notice.after(false);
    }

    /// Something that the model has read is not so any more.
    pub(in crate::session) fn changed(&mut self, seq: u64) {
        self.begin_turn(seq);
        self.newest_input = seq;
        self.ask_at_once();
    }

    /// A person has done something: a long pause is over. A short one stays, so that nobody uses the attempts up by
    /// writing on.
    fn ask_at_once(&mut self) {
        if self.retry_notice != RetryNotice::Active {
            self.again_at = None;
        }
    }

    fn begin_turn(&mut self, news: u64) {
        self.news = news;
        self.begin_rounds();
    }

    /// A person has done something: their turn is over, and the model's begins with whatever is news in it.
    fn begin_rounds(&mut self) {
        self.round = 0;
        self.halted = false;
        self.useless = 0;
        self.gaps = 0;
        self.turn = Usage::default();
        self.turn_over = false;
    }

    /// A person does something: the model is asked again, unless it was out of reach a moment ago.
    fn leave_script(&mut self, at: DateTime<Utc>) {
        if self.script_until.is_some_and(|until| until <= at) {
            self.script_leads = None;
        }
    }

    /// An answer of so many tokens was cut off: the next one may be longer.
    fn widen(&mut self, output: u64) {
        let used = u32::try_from(output).unwrap_or(u32::MAX).max(self.room.unwrap_or(0));
        self.room = Some(used.saturating_mul(2).clamp(ROOM_MIN, ROOM_MAX));
    }

    /// The model is told of its own calls, of what came of a person's, and of a script's that it takes over from.
    fn is_news(&self, calls: &[CallState], id: &CallId) -> bool {
        let call = calls.iter().find(|known| known.call.id == *id);
        call.is_some_and(|known| match known.call.origin {
            Origin::Model { .. } | Origin::Person { .. } => true,
            Origin::Step { .. } => self.script_told && self.script_leads.is_none(),
            Origin::Engine => false,
        })
    }

    fn spend(&mut self, usage: Usage) {
        self.spent += usage;
        self.turn += usage;
    }

    fn thought(&mut self, thought: &Thought, (seq, phase): (u64, Option<&str>)) {
        let Thought { knew, round, text, calls, usage, last, gap, .. } = thought;
        self.knew = *knew;
        if !std::mem::take(&mut self.withholds) {
            self.withheld = 0;
        }
        self.useless = 0;
        self.outage = false;
        self.retry_notice = RetryNotice::NotSent;
        self.failing_since = None;
        self.takeovers = 0;
        self.script_told = false;
        self.silent = text.trim().is_empty().then_some(seq);
        let was_interrupted = matches!(gap, Some(Gap::Interrupted | Gap::Stopped));
        self.halted = *gap == Some(Gap::Stopped);
        self.interruptions =
            if *gap == Some(Gap::Interrupted) { self.interruptions + 1 } else { 0 };
        let is_idle = calls.is_empty() && !was_interrupted;
        self.idle = if is_idle { self.idle + 1 } else { self.idle };
        let is_cut = *gap == Some(Gap::Cut);
        if is_cut {
            self.widen(usage.output);
        }
        let is_open = is_cut && calls.is_empty();
        self.cuts = if is_open { self.cuts + 1 } else { 0 };
        if is_open {
            self.unsaid.push_str(text);
        } else {
            self.unsaid.clear();
        }
        if matches!(gap, Some(Gap::Question | Gap::NextPhase)) {
            self.gaps += 1;
        }
        if gap.is_some() && calls.is_empty() {
            self.news = seq;
        }
        // What came of asking for a person is told by the program.
        if calls.is_empty() || calls.iter().any(|call| call.tool == Handoff::TOOL) {
            self.held.clear();
        } else if !text.trim().is_empty() {
            text.trim().clone_into(&mut self.held);
        }
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

    /// Whether the participant has been asked for a moment's patience since the model last answered.
    pub(in crate::session) fn has_retry_notice(&self) -> bool {
        self.retry_notice != RetryNotice::NotSent
    }

    /// Whether a person wrote, sent or answered something that the model did not know when it last spoke.
    pub(in crate::session) fn is_unaware(&self) -> bool {
        self.newest_input > self.knew
    }

    /// Whether the participant has stopped it, and done nothing since.
    pub(crate) fn is_halted(&self) -> bool {
        self.halted
    }

    /// Whether a card may still be withheld: whoever keeps writing sees one all the same.
    pub(in crate::session) fn may_withhold(&self) -> bool {
        self.withholds || self.withheld < WITHHELD_MAX
    }

    /// Whether something has happened that the model has not been told of.
    pub(crate) fn has_news(&self) -> bool {
        self.news > self.knew
    }
}

/// Pauses before the model is asked again, one after the other; the last one is repeated.
const PAUSES: [TimeDelta; 4] = [
    TimeDelta::seconds(30),
    TimeDelta::seconds(120),
    TimeDelta::seconds(600),
    TimeDelta::seconds(1800),
];

/// The pause after the n-th failure in a row, from 0.
pub(in crate::session) fn pause(n: u32) -> TimeDelta {
    PAUSES[usize::try_from(n).unwrap_or(usize::MAX).min(PAUSES.len() - 1)]
}

/// Why the script leads, and why a call was not made, where the budget is spent.
pub(in crate::session) const BUDGET: &str = "budget";

/// Rounds in a row whose cards may be withheld.
const WITHHELD_MAX: u32 = 2;

/// The code of a call whose card was withheld, since a person had written meanwhile.
pub(in crate::session) const NOT_SHOWN: &str = "not_shown";

/// The code of an answer that was cut off before any of it was of use.
pub(in crate::session) const CUT_OFF: &str = "cut_off";

/// Codes of answers of no use: the model is there, and answers otherwise when it is told.
const USELESS: [&str; 5] = ["empty_answer", "refused", "filtered", FORBIDDEN, CUT_OFF];

/// Whether a failure is an answer of no use.
pub(in crate::session) fn is_useless(code: &str) -> bool {
    USELESS.contains(&code)
}

/// Why the script leads for one question where the model asks none.
pub(in crate::session) const SILENT: &str = "silent";

/// Least and most tokens of an answer after one that ran out of room.
const ROOM_MIN: u32 = 8_192;
const ROOM_MAX: u32 = 32_768;

/// Times that the script takes over in a row after which the model is left alone for a while, also when a person does something.
const PATIENCE: u32 = 2;

/// From when on a person's act gives the phase back to the model; `None` if nothing does.
fn gives_back(because: &str, (takeovers, at): (u32, DateTime<Utc>)) -> Option<DateTime<Utc>> {
    match takeovers.checked_sub(PATIENCE + 1) {
        _ if because == BUDGET => None,
        Some(n) if !is_useless(because) && because != SILENT => at.checked_add_signed(pause(n)),
        _ => Some(at),
    }
}

/// Whether the model has been told that a wait is pending and goes on meanwhile.
pub(in crate::session) fn is_detached(calls: &[CallState], wait: &Wait) -> bool {
    let (Purpose::Call { call, .. } | Purpose::Child { call, .. }) = &wait.purpose else {
        return false;
    };
    let known = calls.iter().find(|known| known.call.id == *call);
    known.is_some_and(|known| known.detached)
}
