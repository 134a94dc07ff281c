//! The model's part of a session: when it is its turn, what becomes of its answer, and what when there is none.
//!
//! A turn is rounds: the model answers with words, calls, or both; the calls are made; when all have their one result
//! it is asked again, until it answers without calls. A call that waits for a person suspends the round for as long as
//! that takes. If the participant writes meanwhile, the call is *detached*: its result says that the question is
//! pending, the model goes on, and what comes of it is told later.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{
    Changes, Next, SessionView,
    claims::{Claim, claims},
    evidence, script,
    state::{
        CallState, Handoff,
        model_turn::{self, SILENT, pause},
    },
    texts, topics,
    view::blocks,
};
use crate::{
    base::ids::CallId,
    messages,
    model::{
        flow::Phase,
        opaque::Opaque,
        session::Status,
        transcript::{Call, CallResult, Event, Gap, Intent, SpentOn, Thought},
        usage::Usage,
        wait::{Purpose, Wait},
    },
};

/// Pauses before the model is asked again while the participant waits for it: a failure that passes by itself mostly
/// has by then.
const MOMENTS: [TimeDelta; 4] =
    [TimeDelta::seconds(5), TimeDelta::seconds(10), TimeDelta::seconds(20), TimeDelta::seconds(40)];

/// How long they wait in all, from the first failure on.
const PATIENCE: TimeDelta = TimeDelta::seconds(120);

/// What the model answered, as far as it is of use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Response {
    /// Words for the participant; may be empty.
    pub text: String,
    /// The calls it makes: tool and arguments, in its order.
    pub calls: Vec<(String, Value)>,
    /// What its provider wants back with it.
    pub opaque: Option<Box<Opaque>>,
    /// What it cost.
    pub usage: Usage,
    /// It had become too long: its words or its last call lack their end.
    pub cut: bool,
}

/// When the model is asked again after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// At once, with a word about what was wrong with the answer.
    Now,
    /// In a moment, and not before so much time: what failed passes by itself.
    Soon(TimeDelta),
    /// After a pause, which grows: a moment is not enough.
    Later,
    /// Not before this.
    At(DateTime<Utc>),
    /// Asking again does not help.
    Never,
}

impl SessionView {
    /// Whether there is nothing to do until a person acts or a timer fires.
    pub fn rests(&self) -> bool {
        self.next() == Next::Rest
    }

    /// Whether the model leads a phase now.
    pub(super) fn model_leads(&self, phase: &Phase) -> bool {
        self.is_for_model(phase) && self.has_means()
    }

    /// Whether the model leads now.
    pub(super) fn is_led_by_model(&self) -> bool {
        self.phase().is_some_and(|phase| self.model_leads(phase))
    }

    /// What the model's turn needs next: its calls made, all of their results, then the model. `next_phase` comes last
    /// in a round, after what people have answered to the other calls of it; several are one request, which the first
    /// of them makes.
    pub(super) fn next_in_turn(&self) -> Next {
        let model_turn = &self.state.model_turn;
        let is_unmade = |call: &&Call| self.state.call(&call.id).is_none();
        let (last, first): (Vec<Call>, Vec<Call>) = model_turn
            .wanted
            .iter()
            .filter(is_unmade)
            .cloned()
            .partition(|call| call.tool == "next_phase");
        if !first.is_empty() {
            return Next::Round(first);
        }
        let is_open =
            |call: &Call| self.state.call(&call.id).is_some_and(|known| known.result.is_none());
        if model_turn.wanted.iter().any(is_open) {
            return Next::Rest;
        }
        if let Some(request) = last.into_iter().next() {
            return Next::Round(vec![request]);
        }
        let limit = self.flow.flow.limits.model_rounds;
        // A child run mends its answer in a round more.
        let mends = self.state.subtasks.parent_link.as_ref().map_or(0, |own| own.refused);
        let is_early = model_turn.again_at.is_some_and(|at| at > self.now);
        let is_over = match mends {
            0 => model_turn.turn_over || model_turn.round > limit,
            more => model_turn.round > limit + more,
        };
        if !model_turn.has_news()
            || model_turn.is_halted()
            || is_early
            || is_over
            || self.is_held_up()
        {
            return Next::Rest;
        }
        let last = model_turn.round >= limit || mends > 0 || self.turn_is_used_up();
        Next::Think { last }
    }

    /// Whether what the model answers now is wanted, and whether it is the last answer of its turn. Cards that were
    /// answered while it speaks wait for it: what comes of them is told next.
    pub(crate) fn awaits_thought(&self) -> Option<bool> {
        if self.state.keeping.erasure_asked && self.state.keeping.hold.is_none() {
            return None;
        }
        let next = match &self.state.subtasks.parent_link {
            Some(own) => self.next_of_child(own),
            None if self.owes_goodbye() => Next::Think { last: true },
            None if self.goes_on() && self.is_led_by_model() => self.next_in_turn(),
            None => Next::Rest,
        };
        if let Next::Think { last } = next { Some(last) } else { None }
    }

    /// Whether the model is at work or about to be, also while the participant may be writing on.
    pub(crate) fn is_thinking(&self) -> bool {
        matches!(self.next(), Next::Think { .. } | Next::Round(_))
            || self.awaits_thought().is_some()
    }

    /// Until when the model is not asked, for the participant may be writing on: several messages in a burst are one
    /// turn. Counted from the first of them, so that nobody waits for longer.
    pub(super) fn listens_until(&self) -> Option<DateTime<Utc>> {
        let until = self.state.model_turn.unread_since?.checked_add_signed(self.settings.burst)?;
        (until > self.now && self.awaits_thought().is_some()).then_some(until)
    }

    /// When the model is asked again after a failure, if that is what the session waits for.
    pub(super) fn thinks_again_at(&self) -> Option<DateTime<Utc>> {
        let at = self.state.model_turn.again_at?;
        let waits = self.state.status == Status::Open
            && self.state.handoff.is_none()
            && self.is_led_by_model()
            && self.state.model_turn.has_news();
        waits.then_some(at)
    }

    /// Whether a question stands in the way of everything else.
    pub(super) fn is_held_up(&self) -> bool {
        let mut pending = self.state.pending();
        pending.any(|wait| blocks(wait) && !model_turn::is_detached(&self.state.calls, wait))
    }

    /// When the model is asked again while the participant waits for it; `None` if they have waited long enough, or for
    /// something that does not pass in a moment. Once an outage: after that the script leads, or they have been told
    /// that it takes longer.
    fn moment_after(&self, count: u32, retry: Retry) -> Option<DateTime<Utc>> {
        let Retry::Soon(asked) = retry else { return None };
        let model_turn = &self.state.model_turn;
        let pause = *MOMENTS.get(usize::try_from(count).ok()?.checked_sub(1)?)?;
        if model_turn.script_told || model_turn.outage || self.is_child() {
            return None;
        }
        let at = self.now + (pause + self.apart(count, pause)).max(asked);
        let until = model_turn.failing_since.unwrap_or(self.now) + PATIENCE;
        (at <= until).then_some(at)
    }

    /// Up to half of a pause, by which conversations that failed together come back apart. The same failure has the
    /// same, so that every replay agrees.
    fn apart(&self, count: u32, pause: TimeDelta) -> TimeDelta {
        let half = u128::try_from(pause.num_milliseconds() / 2).unwrap_or_default().max(1);
        let random = self.state.session.uuid().as_u128().rotate_right(count * 8) % half;
        TimeDelta::milliseconds(i64::try_from(random).unwrap_or_default())
    }

    /// The pause after so many failures in a row, without those at which somebody waited for a moment: they are over.
    fn pause_after(&self, count: u32) -> TimeDelta {
        let model_turn = &self.state.model_turn;
        let moments = if model_turn.has_retry_notice() {
            u32::try_from(MOMENTS.len()).unwrap_or_default()
        } else {
            0
        };
        // The one that was asked for again at once is part of the same failure.
        pause((count - 1 - model_turn.useless.min(1)).saturating_sub(moments))
    }
}

impl Changes {
    /// The process ended while the participant waited for the model, some time ago: they are told.
    /// Where nothing is awaited any more, nothing is said.
    pub(super) fn go_on_after_interruption(&mut self) {
        if self.awaits_thought().is_some() {
            let title = self.phase().map(|phase| phase.title.clone());
            self.post(messages::interview::interrupted(title.as_deref().unwrap_or_default()));
        }
    }

    /// Takes what the model answered in. `knew` is the last event that it was shown; what came after is news to it. An
    /// answer to a turn that is over (stopped, interrupted, handed over, moved on without it) is dropped: nobody has seen it. It was
    /// paid for all the same. `waits`: its words are said when it is known that its calls have not all failed.
    pub(super) fn thought(&mut self, knew: u64, response: Response, waits: bool) {
        let Response { text, calls, opaque, usage, cut } = response;
        let Some(last) = self.awaits_thought().filter(|_| !self.is_void(knew)) else {
            return self.spend(SpentOn::Answer, usage);
        };
        if self.state.model_turn.round == 0 {
            // Somebody has done something since it was cut off: what comes now is another answer.
            self.say_unsaid();
        }
        let held = self.state.model_turn.unsaid.clone();
        let text = if held.is_empty() { text.trim_start() } else { &text };
        let never: &[String] = if self.is_child() { &[] } else { &self.flow.flow.policy.never_ask };
        let text = topics::without_forbidden(never, if cut { text } else { text.trim_end() });
        // Without its calls an answer is not the one that the members belong to.
        let opaque = opaque.filter(|_| !last || calls.is_empty());
        let calls = if last { Vec::new() } else { calls };
        let made = self.state.model_turn.made;
        let intent = |(n, (tool, args)): (u64, (String, Value))| {
            // Nine letters and digits: the strictest form that providers ask for.
            Intent { id: CallId::new(format!("c{:08}", made + n)), tool, args }
        };
        let calls: Vec<Intent> = (1..).zip(calls).map(intent).collect();
        let round = self.state.model_turn.round + 1;
        let is_goodbye = self.owes_goodbye();
        let before = self.levels();
        let is_done = calls.is_empty();
        let (gap, rests) = self.gap((knew, &format!("{held}{text}")), !is_done, (last, cut));
        let thought = Thought { knew, round, text: text.clone(), calls, usage, opaque, last, gap };
        self.emit(Event::Thought(thought));
        if knew < self.state.phase_since {
            // Its calls were meant for the phase before.
            self.close_unmade("superseded", texts::MOVED_ON);
        }
        if is_done && gap == Some(Gap::Cut) {
            return self.mind_budgets(before);
        }
        if self.is_child() {
            if is_done {
                self.judge_output(&format!("{held}{text}"));
            }
            return self.mind_budgets(before);
        }
        // What came of asking for a person is told by the program, once it is known.
        let asks_for_person =
            self.state.model_turn.wanted.iter().any(|call| call.tool == Handoff::TOOL);
        let end = if cut && is_done { " …" } else { "" };
        let text = format!("{}{end}", format!("{held}{text}").trim());
        if text.is_empty() && is_done {
            self.say_held();
        } else if !text.is_empty() && !asks_for_person && (is_done || !waits) {
            self.post_of_model(&text);
        }
        if rests {
            self.step_by_itself();
        }
        if last && !is_goodbye && self.has_means() {
            self.post(messages::interview::ROUNDS_USED);
        }
        self.mind_budgets(before);
    }

    /// Says the words that have waited for what becomes of their calls, if there are any.
    pub(crate) fn say_held(&mut self) {
        let held = self.state.model_turn.held.clone();
        if !held.is_empty() {
            self.post_of_model(&held);
        }
    }

    /// Says what the model says, and sets right below it what it claims and the program knows to be otherwise.
    pub(super) fn post_of_model(&mut self, text: &str) {
        let text = topics::without_forbidden(&self.flow.flow.policy.never_ask, text);
        let text = text.trim().to_owned();
        let claims = claims(&text);
        if !text.is_empty() {
            self.post(text);
        }
        let is_approved = |known: &CallState| matches!(known.result.as_deref(), Some(CallResult::Ok { value }) if known.call.tool == "next_phase" && value["status"] == "approved");
        let (awaits, is_asked) = (self.awaits_deciders(), self.state.keeping.erasure_asked);
        let was_approved = self.state.calls.iter().any(is_approved);
        for claim in claims {
            match claim {
                Claim::Approved | Claim::ApprovedByTeam if awaits => {
                    self.post(messages::interview::UNDECIDED);
                }
                Claim::ApprovedByTeam if !was_approved => {
                    self.post(messages::interview::NOT_APPROVED);
                }
                Claim::Deleted if !is_asked => self.post(messages::interview::NOT_DELETED),
                Claim::Approved | Claim::ApprovedByTeam | Claim::Deleted => {}
            }
        }
    }

    /// Says the words that have waited if the model's own `next_phase` has just succeeded: above what the next part
    /// begins with.
    pub(super) fn say_held_of_request(&mut self) {
        let is_open =
            |call: &Call| self.state.call(&call.id).is_some_and(|known| known.result.is_none());
        if self
            .state
            .model_turn
            .wanted
            .iter()
            .any(|call| call.tool == "next_phase" && is_open(call))
        {
            self.say_held();
        }
    }

    /// A short form stands for everything up to `through` from now on.
    pub(super) fn summarised(&mut self, through: u64, text: String, usage: Usage) {
        if through <= self.state.model_turn.summarised {
            return self.spend(SpentOn::Answer, usage);
        }
        let before = self.levels();
        self.emit(Event::Summarised { through, text, usage });
        self.mind_budgets(before);
    }

    /// The model could not be asked, or its answer was of no use. The script goes on where the phase has one; otherwise
    /// the participant is told, and it is asked again later: of a time that is known each time that they write, else
    /// once.
    pub(super) fn thinking_failed(&mut self, code: &str, retry: Retry) {
        if self.owes_goodbye() {
            return self.go_without_goodbye(code);
        }
        let Some(phase) = self.phase().filter(|phase| self.model_leads(phase)).cloned() else {
            return;
        };
        let count = self.state.model_turn.failures + 1;
        let has_script = phase.has_fallback();
        let again_at = match retry {
            Retry::Now => Some(self.now),
            Retry::Soon(asked) => Some(self.now + self.pause_after(count).max(asked)),
            Retry::Later => Some(self.now + self.pause_after(count)),
            Retry::At(at) => Some(at),
            Retry::Never => None,
        };
        let again_at = again_at.filter(|_| !has_script || retry == Retry::Now);
        let has_waited = self.state.model_turn.again_at.is_some();
        let is_known = self.state.model_turn.outage;
        let moment = self.moment_after(count, retry);
        self.audit("thinking_failed", [("code", json!(code)), ("count", json!(count))], []);
        if self.is_child() {
            // Its parent does not wait for an account to be filled.
            let is_soon = matches!(retry, Retry::Soon(_) | Retry::Later | Retry::Now);
            return self.child_thinking_failed(code, again_at.filter(|_| is_soon));
        }
        self.say_unsaid();
        if retry != Retry::Now {
            self.say_held();
        }
        let was_told = self.state.model_turn.has_retry_notice();
        let (code, in_a_moment) = (code.to_owned(), moment.is_some());
        let again_at = moment.or(again_at);
        self.emit(Event::ThinkingFailed { code: code.clone(), count, again_at, in_a_moment });
        if in_a_moment && !was_told {
            self.post(messages::interview::ONE_MOMENT);
        }
        if in_a_moment || retry == Retry::Now {
            return;
        }
        if has_script {
            self.let_script_lead(&phase, &code);
            return;
        }
        match retry {
            Retry::Never => {
                self.hand_over(messages::staff::ASSISTANT_STUCK, messages::interview::STUCK);
            }
            Retry::At(at) if !has_waited => self.post(messages::interview::thinking_from(at)),
            Retry::Soon(_) | Retry::Later if !is_known => {
                self.post(messages::interview::THINKING_LATER);
            }
            Retry::At(_) | Retry::Soon(_) | Retry::Later | Retry::Now => {}
        }
    }

    /// The script takes the phase over, from its beginning or, where something is done already, from the step that can
    /// give what is missing.
    pub(super) fn let_script_lead(&mut self, phase: &Phase, because: &str) {
        let was_told = self.state.model_turn.script_told;
        let is_said = because != SILENT && !was_told;
        let because = because.to_owned();
        self.emit(Event::ScriptLeads { phase: phase.id.clone(), because });
        self.detach_all();
        if is_said {
            self.post(messages::interview::SCRIPT_LEADS);
        }
        if was_told {
            // It goes on where it was.
            return;
        }
        let missing = evidence::missing(&self.state, phase);
        let is_begun = phase.objective.iter().any(|o| evidence::is_settled(&self.state, &o.id));
        let wanted = phase.objective.iter().find(|objective| missing.contains(&objective.id));
        let from = wanted.filter(|_| is_begun).and_then(|o| script::step_for(phase, o));
        if let Some(step) = from {
            let (phase, next) = (phase.id.clone(), Some(step.id.clone()));
            self.emit(Event::Stepped { phase, step: String::new(), next });
        }
    }

    /// Every open call that holds the model up gets its one result: that the question is pending. The cards stay.
    pub(super) fn detach_all(&mut self) {
        let calls = self.state.pending().filter_map(|wait| match &wait.purpose {
            Purpose::Call { call, tool } if !model_turn::is_detached(&self.state.calls, wait) => {
                Some((call.clone(), pending_result(tool, wait)))
            }
            Purpose::Child { call, .. } if !model_turn::is_detached(&self.state.calls, wait) => {
                Some((call.clone(), pending_result("", wait)))
            }
            Purpose::Call { .. }
            | Purpose::Child { .. }
            | Purpose::Notice
            | Purpose::Begin { .. }
            | Purpose::Effect { .. }
            | Purpose::Erase => None,
        });
        let mut calls: Vec<(CallId, Value)> = calls.collect();
        // A child run may have asked more than one thing.
        calls.dedup_by(|one, other| one.0 == other.0);
        for (call, value) in calls {
            self.returned(&call, &CallResult::Ok { value });
        }
    }

    /// What came of a call whose model has gone on; told once.
    pub(super) fn come_late(&mut self, call: &CallId, result: CallResult) {
        let is_wanted =
            self.state.call(call).is_some_and(|known| known.detached && known.late.is_none());
        if is_wanted {
            self.emit(Event::Late { call: call.clone(), result });
        }
    }
}

/// What the model reads while a question is open: fixed words for a request, plain ones for the rest.
fn pending_result(tool: &str, wait: &Wait) -> Value {
    if tool == "next_phase" {
        return json!({
            "status": "awaiting_user_approval",
            "missing_objectives": wait.state["missing"],
            "reason": wait.state["reason"],
        });
    }
    json!({ "status": "pending", "note": "The card stays open. What comes of it will follow." })
}
