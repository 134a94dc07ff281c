//! The life of a call: begun, perhaps suspended on a person, ended with exactly one result.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{
    Changes, SessionView, evidence, handover::CANNOT_GO_ON, script, texts, view::is_for_deciders,
};
use crate::{
    base::ids::{CallId, WaitId},
    messages,
    model::{
        audit::{canonical, sha256},
        flow::{Phase, Step},
        session::Status,
        transcript::{Call, CallResult, Closing, Event, Origin},
        ui::{Control, Prompt},
        wait::{Answerers, Purpose, Wait, WaitStatus},
    },
    store::TimerKind,
};

/// What a suspended call asks; the engine makes it from what a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspension {
    /// What to show.
    pub prompt: Prompt,
    /// What the tool remembers.
    pub state: Value,
    /// Who may answer.
    pub answerers: Answerers,
    /// When it lapses; `None` for the flow's patience alone.
    pub expires_at: Option<DateTime<Utc>>,
}

/// Codes of results that came from outside the tool: the script does not move on after them.
const INTERRUPTED: [&str; 2] = ["user_cancelled", "superseded"];

impl Changes {
    /// Notes that a call begins; committed before a call that is not pure is executed.
    pub fn begin(&mut self, call: &Call) {
        if self.state.call(&call.id).is_none() {
            self.emit(Event::Called(call.clone()));
        }
    }

    /// Suspends a call on a person. The same call that already waits opens no second card: its
    /// result says so and the first one stays.
    pub fn suspend(&mut self, call: &CallId, suspension: Suspension) -> WaitId {
        let (tool, digest) = match self.state.call(call) {
            Some(state) => {
                let tool = state.call.tool.clone();
                let digest = sha256(format!("{tool}\n{}", canonical(&state.call.args)).as_bytes());
                (tool, digest)
            }
            None => (String::new(), String::new()),
        };
        let open = self.state.pending().find(|wait| wait.digest == digest).map(|wait| wait.id);
        if let Some(open) = open {
            let value = json!({ "status": "waiting", "note": "this question is already open" });
            self.finish(call, CallResult::Ok { value });
            return open;
        }
        self.apply_answer_of(call);
        let purpose = Purpose::Call { call: call.clone(), tool };
        let deciders = match &suspension.answerers {
            Answerers::Deciders { alias, .. } => Some(alias.clone()),
            Answerers::Participant => None,
        };
        let suspension =
            Suspension { expires_at: self.deadline_of(call, &suspension), ..suspension };
        let older = self.older_drafts(&suspension.prompt);
        let wait = self.open(purpose, digest, suspension);
        for older in older {
            let message = "a newer draft of the same data is open".to_owned();
            let result = CallResult::Err { code: "superseded".to_owned(), message };
            self.close(older, Closing::Superseded { by: Some(wait) }, result);
        }
        if let Some(alias) = deciders {
            // The card is not shown to the participant, who must not be left without a word.
            self.expect_request(wait, &alias);
        }
        if self.is_unaware_of_words(call) {
            // The model reads what was written at once, and the card stays open beside it.
            self.detach_all();
        }
        wait
    }

    /// Opens a wait, shows it, and sets its timers.
    pub(super) fn open(
        &mut self,
        purpose: Purpose,
        digest: String,
        suspension: Suspension,
    ) -> WaitId {
        let Suspension { prompt, state, answerers, expires_at } = suspension;
        let quorum = match answerers {
            Answerers::Deciders { .. } => self.quorum_of(&purpose, &state),
            Answerers::Participant => 1,
        };
        let wait = Wait {
            id: WaitId::mint(&*self.ids),
            session: self.state.session,
            revision: 1,
            purpose,
            state,
            prompt: prompt.into(),
            answerers,
            quorum,
            votes: Vec::new(),
            digest,
            asked_at: self.now,
            expires_at,
            status: WaitStatus::Pending,
        };
        let id = wait.id;
        // The one at its root reminds and expires.
        let is_child = self.is_child();
        let remind = self.reminder_at(&wait, 0).filter(|_| !is_child);
        let expires_at = expires_at.filter(|_| !is_child);
        self.audit("wait_opened", [("wait", json!(id)), ("for", json!(wait.purpose))], []);
        self.emit(Event::Asked(Box::new(wait)));
        self.set_timer(TimerKind::Remind { wait: id }, remind);
        self.set_timer(TimerKind::Expire { wait: id }, expires_at);
        self.show(id);
        id
    }

    /// Sees to what is due and needs no tool: a phase whose time has come, or a step that sets values; one that cannot be
    /// filled in calls a person.
    pub(crate) fn arrange(&mut self) {
        if self.is_due_to_open() {
            return self.open_phase();
        }
        let flow = Arc::clone(&self.flow);
        let Some(phase) = self.state.phase().and_then(|id| flow.phase(id)) else { return };
        let Some(step) = script::upcoming(&self.state, &flow, phase) else { return };
        match script::arguments(&self.state, &flow, step) {
            Ok(Value::Object(values)) if !step.set.is_empty() => {
                self.emit(Event::ValuesSet { step: step.id.clone(), values: values.clone() });
                self.step_done(&step.id, &Value::Object(values));
                self.refresh();
            }
            Ok(_) => {}
            Err(failure) => {
                let facts = [("step", json!(step.id)), ("expression", json!(failure.expression))];
                self.audit("step_failed", facts, []);
                self.hand_over(
                    &messages::staff::cannot_ask(&step.id, &failure),
                    messages::interview::STUCK,
                );
            }
        }
    }

    /// Ends a call with its one result; a second result changes nothing.
    pub fn finish(&mut self, call: &CallId, result: CallResult) {
        let Some(known) = self.state.call(call).filter(|known| known.result.is_none()) else {
            self.apply_answer_of(call);
            self.save_anew(call, &result);
            self.come_late(call, result);
            self.effects_of_decision(call);
            self.refresh();
            return;
        };
        let (origin, is_advance) = (known.call.origin.clone(), known.call.tool == "next_phase");
        self.apply_answer_of(call);
        let value = result.to_value();
        let interrupted =
            matches!(&result, CallResult::Err { code, .. } if INTERRUPTED.contains(&code.as_str()));
        self.returned(call, &result);
        self.effects_of_decision(call);
        self.refresh();
        if matches!(self.state.status, Status::Completed | Status::Ended) {
            return;
        }
        match origin {
            Origin::Step { step } if !interrupted => self.step_done(&step, &value),
            Origin::Engine if is_advance => self.script_ended(&value),
            Origin::Person { .. } if value["status"] == "rejected" => {
                self.post(messages::interview::STAYS);
            }
            Origin::Step { .. } | Origin::Engine | Origin::Model { .. } | Origin::Person { .. } => {
            }
        }
    }

    /// Gives a call its result. Other `next_phase` calls of the same answer were part of its request and get the same.
    pub(super) fn returned(&mut self, call: &CallId, result: &CallResult) {
        let same_request = self.same_request(call);
        self.emit(Event::Returned { call: call.clone(), result: result.clone() });
        for call in same_request {
            let id = call.id.clone();
            self.emit(Event::Called(call));
            self.emit(Event::Returned { call: id, result: result.clone() });
        }
    }

    /// Ends a call of which nobody knows whether it happened. It is never made again: a person is asked to check.
    pub fn outcome_unknown(&mut self, call: &CallId) {
        let Some(known) = self.state.call(call).filter(|known| known.result.is_none()) else {
            return;
        };
        let reason = format!("it is not known whether `{}` happened", known.call.tool);
        let message = format!("{reason}. hint: a person has been asked to check");
        let code = "outcome_unknown".to_owned();
        self.audit("outcome_unknown", [("call", json!(call))], []);
        self.finish(call, CallResult::Err { code, message });
        self.hand_over(&reason, messages::interview::STUCK);
    }

    /// Marks the answer of a call's wait as having done its work.
    fn apply_answer_of(&mut self, call: &CallId) {
        let wait = self.state.call(call).and_then(|call| call.wait);
        if let Some(wait) = wait.and_then(|id| self.state.waits.get(&id))
            && matches!(wait.status, WaitStatus::Answered { .. })
        {
            let wait = wait.id;
            self.emit(Event::Applied { wait });
        }
    }

    /// Ends a wait without an answer, and the call behind it.
    pub(super) fn close(&mut self, id: WaitId, closing: Closing, result: CallResult) {
        let Some(wait) = self.state.waits.get(&id).filter(|wait| wait.status.is_pending()) else {
            return;
        };
        let purpose = wait.purpose.clone();
        let expired = closing == Closing::Expired;
        self.audit("wait_closed", [("wait", json!(id)), ("how", json!(closing))], []);
        self.emit(Event::Closed { wait: id, closing });
        self.clear_timers_of(id);
        self.show(id);
        match purpose {
            Purpose::Call { call, .. } => self.finish(&call, result),
            Purpose::Effect { phase, index } => self.effect_lapsed(&phase, index, expired),
            // The child is told next.
            Purpose::Child { .. } | Purpose::Notice | Purpose::Begin { .. } | Purpose::Erase => {}
        }
    }

    /// Ends every open wait that `which` selects.
    pub(super) fn close_all(
        &mut self,
        which: impl Fn(&Wait) -> bool,
        closing: &Closing,
        code: &str,
        message: &str,
    ) {
        let ids: Vec<WaitId> =
            self.state.pending().filter(|wait| which(wait)).map(|wait| wait.id).collect();
        for id in ids {
            let result = CallResult::Err { code: code.to_owned(), message: message.to_owned() };
            self.close(id, closing.clone(), result);
        }
    }

    pub(super) fn clear_timers_of(&mut self, wait: WaitId) {
        self.set_timer(TimerKind::Remind { wait }, None);
        self.set_timer(TimerKind::Expire { wait }, None);
    }

    /// A script step has its result: store what it says, and go where it leads.
    fn step_done(&mut self, id: &str, value: &Value) {
        let flow = Arc::clone(&self.flow);
        let Some((phase, step)) =
            flow.step(id).filter(|(phase, _)| self.state.phase() == Some(&phase.id))
        else {
            return;
        };
        self.save_outcome(step, value);
        let rejected = value["status"] == "rejected";
        let target = script::branch(step, value).unwrap_or(if rejected { id } else { "@next" });
        if target == "@skip" {
            self.skip_next_objective(phase);
        }
        let next = match target {
            "@next" | "@skip" => script::following(phase, id).map(str::to_owned),
            "@stop" | "@handoff" => Some(id.to_owned()),
            step => Some(step.to_owned()),
        };
        self.emit(Event::Stepped { phase: phase.id.clone(), step: id.to_owned(), next });
        match target {
            "@stop" => self.stop("the script ended it"),
            "@handoff" => self.hand_over_after(step, value),
            _ => {}
        }
    }

    /// What a script saves of an answer is saved again when the answer has changed.
    fn save_anew(&mut self, call: &CallId, result: &CallResult) {
        let Some(known) = self.state.call(call).filter(|known| known.detached) else { return };
        let Origin::Step { step } = &known.call.origin else { return };
        let flow = Arc::clone(&self.flow);
        if let Some((_, step)) = flow.step(step) {
            self.save_outcome(step, &result.to_value());
        }
    }

    fn save_outcome(&mut self, step: &Step, value: &Value) {
        let Some(data_type) = step.save.as_deref().filter(|_| step.tool != "submit_for_validation")
        else {
            return;
        };
        if value.get("error").is_some() {
            return;
        }
        if let Err(refusal) = self.save_record(data_type, script::outcome_to_save(value), false) {
            self.post_to_staff(None, messages::staff::not_stored(&step.id, &refusal.0));
        }
    }

    /// `@skip`: the first unmet objective that the participant may skip is passed over.
    fn skip_next_objective(&mut self, phase: &Phase) {
        let open = phase.objective.iter().find(|objective| {
            objective.skip == crate::model::flow::Skip::Participant
                && !evidence::is_settled(&self.state, &objective.id)
        });
        if let Some(objective) = open {
            self.pass_over(&objective.id, crate::model::transcript::SetBy::Participant);
        }
    }

    /// The script came to its end and asked for the next phase. Where something is missing, it goes back to the step
    /// that can give it; where that does not help, a person is asked.
    fn script_ended(&mut self, outcome: &Value) {
        let flow = Arc::clone(&self.flow);
        let Some(phase) = self.state.phase().and_then(|id| flow.phase(id)) else { return };
        let is_told = match outcome["status"].as_str() {
            Some("approved" | "awaiting_user_approval") => return,
            Some(_) => true,
            None => false,
        };
        if self.state.status != Status::Open {
            return;
        }
        let missing = evidence::missing(&self.state, phase);
        let back = phase
            .objective
            .iter()
            .find(|objective| missing.contains(&objective.id))
            .and_then(|objective| script::step_for(phase, objective));
        match back {
            Some(step) if is_told && self.state.evaluations < 2 => {
                self.post(texts::still_open(&self.state, phase));
                let next = Some(step.id.clone());
                self.emit(Event::Stepped { phase: phase.id.clone(), step: String::new(), next });
            }
            Some(_) | None => self.hand_over(CANNOT_GO_ON, messages::interview::STUCK),
        }
    }
}

impl SessionView {
    /// Open cards with an earlier draft of the data that `prompt` puts up for review.
    fn older_drafts(&self, prompt: &Prompt) -> Vec<WaitId> {
        let Control::Review(newer) = &prompt.control else { return Vec::new() };
        let is_older = |wait: &&Wait| matches!(&wait.prompt.control, Control::Review(older) if older.data_type == newer.data_type);
        self.state.pending().filter(is_older).map(|wait| wait.id).collect()
    }

    /// When a question lapses: at the deadline of its step, or as the tool says where that comes first.
    fn deadline_of(&self, call: &CallId, suspension: &Suspension) -> Option<DateTime<Utc>> {
        let own = suspension.expires_at;
        let step = self.state.call(call).and_then(|known| self.step_of(&known.call));
        let Some(deadline) = step.and_then(|step| step.deadline) else { return own };
        let at = self.now.checked_add_signed(deadline.delta());
        own.into_iter().chain(at).min()
    }

    /// The step of the flow that made a call.
    pub(super) fn step_of(&self, call: &Call) -> Option<&Step> {
        let Origin::Step { step } = &call.origin else { return None };
        self.flow.step(step).map(|(_, step)| step)
    }

    /// The other `next_phase` calls of the model's answer that `call` belongs to, which are never made by themselves.
    pub(super) fn same_request(&self, call: &CallId) -> Vec<Call> {
        let wanted = &self.state.model_turn.wanted;
        let is_request = |call: &&Call| call.tool == "next_phase";
        if !wanted.iter().filter(is_request).any(|known| known.id == *call) {
            return Vec::new();
        }
        let is_unmade = |known: &&Call| known.id != *call && self.state.call(&known.id).is_none();
        wanted.iter().filter(is_request).filter(is_unmade).cloned().collect()
    }

    /// Whether a call is a review that the participant reopened.
    pub(crate) fn is_change(&self, call: &CallId) -> bool {
        let call = self.state.call(call);
        call.is_some_and(|known| matches!(known.call.origin, Origin::Person { .. }))
    }

    /// Requests for a decision that still wait, with what they were about.
    pub(super) fn open_requests(&self) -> Vec<Wait> {
        let is_request = |wait: &&Wait| matches!(&wait.purpose, Purpose::Call { tool, .. } if tool == "next_phase");
        self.state.pending().filter(is_request).cloned().collect()
    }

    /// Whether a decision of others is awaited.
    pub(super) fn awaits_deciders(&self) -> bool {
        self.open_requests().iter().any(is_for_deciders)
    }
}
