//! May the phase advance? What is missing, who must decide, and the one place that changes the phase.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Changes, SessionView, Suspension,
    attempts::{Request, asking, authors, denial_reader_of, stamp},
    evidence,
    settle::Responder,
    state::State,
    texts,
};
use crate::{
    base::ids::CallId,
    messages,
    model::{
        flow::{Decider, Moment, Phase, Skip},
        session::{PersonId, Status},
        transcript::{Call, CallResult, Closing, Event, Grounds, Origin, SetBy},
        ui::{Control, Decide, Decision, DenialReader, Offered, Prompt, Reply},
        wait::{Answerers, Purpose, Wait},
    },
};

/// Most evaluations of `next_phase` between two acts of the participant; then the last outcome is repeated.
pub const EVALUATIONS_MAX: u32 = 3;

/// What `next_phase` came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Evaluation {
    /// Answered: `approved`, `blocked`, `awaiting_user_approval`, `denied`, `denied_with_feedback`.
    Outcome(Value),
    /// A person must decide.
    Ask(Box<Suspension>),
}

/// Permission to change the phase. Its field is private: only *criteria met*, *a stored decision*, somebody's own
/// right and the beginning itself make one.
#[derive(Debug)]
pub(super) struct Approval(Grounds);

impl Approval {
    /// The notice was accepted, and no phase has begun.
    pub(super) fn began(state: &State) -> Option<Self> {
        state.phase().is_none().then_some(Self(Grounds::Began))
    }

    fn criteria_met(state: &State, phase: &Phase) -> Option<Self> {
        evidence::missing(state, phase).is_empty().then_some(Self(Grounds::CriteriaMet))
    }

    /// A stored decision on a request for exactly this phase.
    fn decision(wait: &Wait, phase: &Phase, overrides: Vec<String>) -> Option<Self> {
        let (reply, by, ..) = wait.status.answer()?;
        let approved = matches!(reply, Reply::Decided { decision: Decision::Approved, .. });
        let fits = wait.state["phase"] == phase.id.as_str();
        (approved && fits)
            .then(|| Self(Grounds::Decision { wait: wait.id, by: by.clone(), overrides }))
    }

    /// Somebody who may decide asks for it themselves.
    fn initiative(call: &Call, overrides: Vec<String>) -> Option<Self> {
        match &call.origin {
            Origin::Person { by, may_decide: true } => {
                Some(Self(Grounds::Initiative { by: by.clone(), overrides }))
            }
            Origin::Person { .. } | Origin::Step { .. } | Origin::Model { .. } | Origin::Engine => {
                None
            }
        }
    }
}

impl Changes {
    /// `next_phase`: the outcome, or what to ask whom. One audit record each time.
    pub fn next_phase(
        &mut self,
        call: &CallId,
        overrides: &[String],
        reason: Option<&str>,
    ) -> Evaluation {
        let flow = Arc::clone(&self.flow);
        let Some(call) = self.state.call(call).map(|known| Arc::clone(&known.call)) else {
            return Evaluation::Outcome(blocked(&[], Some("this call is not known")));
        };
        let Some(phase) = self.state.phase().and_then(|id| flow.phase(id)) else {
            return Evaluation::Outcome(blocked(&[], Some("no phase is open")));
        };
        let missing = evidence::missing(&self.state, phase);
        let (overrides, reason) = self.combined(&call.id, overrides, reason);
        let (overrides, reason) = (overrides.as_slice(), reason.as_deref());
        let request = Request { call: &call, phase, missing, overrides, reason };
        if let Some(repeated) = self.repeated(&request) {
            self.audit_attempt(&request, &repeated, Some("repeated"));
            return Evaluation::Outcome(repeated);
        }
        self.evaluate(&request)
    }

    fn evaluate(&mut self, request: &Request<'_>) -> Evaluation {
        if let Some(approval) = Approval::criteria_met(&self.state, request.phase) {
            return Evaluation::Outcome(self.approve(request, approval));
        }
        let is_person = matches!(request.call.origin, Origin::Person { .. });
        let proposes = !request.overrides.is_empty() || is_person;
        let immovable = request.phase.objective.iter().any(|objective| {
            objective.skip == Skip::Never && request.missing.contains(&objective.id)
        });
        if !proposes || immovable {
            let note = (proposes && immovable).then_some("some of these cannot be passed over");
            let outcome = blocked(&request.missing, note);
            self.audit_attempt(request, &outcome, None);
            self.emit(Event::AdvanceEvaluated { outcome: outcome.clone() });
            if let Origin::Person { by, .. } = &request.call.origin {
                self.say_immovable(by, request);
            }
            return Evaluation::Outcome(outcome);
        }
        if let Some(approval) = Approval::initiative(request.call, request.missing.clone()) {
            return Evaluation::Outcome(self.approve(request, approval));
        }
        let suspension = self.ask_for_override(request);
        let waiting = json!({ "status": "awaiting_user_approval" });
        self.audit_attempt(request, &waiting, None);
        Evaluation::Ask(Box::new(suspension))
    }

    /// Tells who asked for the next phase why there is no asking.
    fn say_immovable(&mut self, asker: &PersonId, request: &Request<'_>) {
        let immovable = |id: &&String| {
            let mut objectives = request.phase.objective.iter();
            objectives.any(|objective| objective.id == **id && objective.skip == Skip::Never)
        };
        let stay: Vec<String> = request.missing.iter().filter(immovable).cloned().collect();
        let text = messages::notices::cant_skip(&titles(request.phase, &stay));
        if *asker == self.state.participant {
            self.post(text);
        } else {
            let channel = self.flow.flow.approvals.overrides.channel.clone();
            self.post_to_staff(channel.as_deref(), text);
        }
    }

    fn approve(&mut self, request: &Request<'_>, approval: Approval) -> Value {
        let to = self.following(Some(&request.phase.id)).map(|phase| phase.id.clone());
        let outcome = json!({ "status": "approved", "advanced_to": to });
        self.audit_attempt(request, &outcome, None);
        self.advance(approval);
        outcome
    }

    /// Applies the decision on a suspended `next_phase` call: the outcome for the model, or the next one to ask.
    pub fn decided(&mut self, call: &CallId) -> Evaluation {
        let flow = Arc::clone(&self.flow);
        let known = self.state.call(call).cloned();
        let wait =
            known.as_ref().and_then(|k| k.wait).and_then(|id| self.state.waits.get(&id)).cloned();
        let goes_on = matches!(self.state.status, Status::Open | Status::Paused);
        let phase = self.state.phase().filter(|_| goes_on).and_then(|id| flow.phase(id));
        let (Some(known), Some(wait), Some(phase)) = (known, wait, phase) else {
            return Evaluation::Outcome(blocked(&[], Some("this request is not known")));
        };
        let reason = wait.state["reason"].as_str();
        let overrides = strings(&wait.state["overrides"]);
        let missing = evidence::missing(&self.state, phase);
        let request = Request { call: &known.call, phase, missing, overrides: &overrides, reason };
        let then_admin = wait.answerers == Answerers::Participant
            && flow.flow.approvals.overrides.decider == Decider::ParticipantThenAdmin;
        match wait.status.answer() {
            Some((Reply::Decided { decision: Decision::Approved, .. }, ..)) if then_admin => {
                Evaluation::Ask(Box::new(self.ask_deciders(&request)))
            }
            Some((Reply::Decided { decision, feedback }, ..)) => {
                Evaluation::Outcome(self.conclude(&request, &wait, *decision, feedback.as_deref()))
            }
            Some(_) | None => {
                Evaluation::Outcome(blocked(&request.missing, Some("nobody has decided")))
            }
        }
    }

    fn conclude(
        &mut self,
        request: &Request<'_>,
        wait: &Wait,
        decision: Decision,
        words: Option<&str>,
    ) -> Value {
        let by_others = super::view::is_for_deciders(wait);
        let approval = Approval::decision(wait, request.phase, request.missing.clone());
        let outcome = match (decision, approval) {
            (Decision::Approved, Some(_)) => {
                let to = self.following(Some(&request.phase.id)).map(|phase| phase.id.clone());
                json!({ "status": "approved", "advanced_to": to })
            }
            (Decision::Approved, None) => blocked(&request.missing, Some("the phase has moved on")),
            (Decision::Denied, _) => {
                json!({ "status": "denied", "message": "User declined to advance" })
            }
            (Decision::DeniedWithFeedback, _) => {
                json!({ "status": "denied_with_feedback", "feedback": words.unwrap_or_default() })
            }
        };
        self.audit_decision(request, wait, &outcome, words);
        if outcome["status"] == "approved" {
            if by_others {
                self.post(messages::interview::APPROVED);
            }
            if let Some(approval) = Approval::decision(wait, request.phase, request.missing.clone())
            {
                self.advance(approval);
            }
        } else {
            if by_others {
                self.tell_denial(wait, words);
            }
            self.emit(Event::AdvanceEvaluated { outcome: outcome.clone() });
        }
        outcome
    }

    /// The one place that changes the phase.
    pub(super) fn advance(&mut self, approval: Approval) {
        if self.state.status == Status::Paused {
            self.wake();
        }
        let flow = Arc::clone(&self.flow);
        let from = self.state.phase().map(str::to_owned);
        if let Grounds::Decision { overrides, .. } | Grounds::Initiative { overrides, .. } =
            &approval.0
        {
            for objective in overrides {
                self.pass_over(objective, SetBy::Override);
            }
        }
        self.say_held_of_request();
        // Questions of the old phase that are still open are not asked any more.
        let closing = Closing::Superseded { by: None };
        let of_phase =
            |wait: &Wait| matches!(wait.purpose, Purpose::Call { .. } | Purpose::Begin { .. });
        self.close_all(of_phase, &closing, "superseded", "the phase has moved on");
        self.dismiss_children("the phase has moved on", "superseded");
        self.close_unmade("superseded", texts::MOVED_ON);
        let to_id = self.following(from.as_deref()).map(|phase| phase.id.clone());
        let to = to_id.as_deref().and_then(|id| flow.phase(id));
        let is_first = from.is_none();
        if from.is_none() {
            self.audit("phase_entered", [("phase", json!(to_id))], []);
        }
        self.emit(Event::Advanced { from: from.clone(), to: to_id, grounds: approval.0 });
        if let Some(phase) = from.and_then(|id| flow.phase(&id)) {
            self.queue_effects(phase, Moment::Completed);
        }
        match to {
            Some(phase) => {
                match self.opening_of(phase) {
                    Some(at) => self.schedule(phase, at),
                    None => self.introduce(phase, is_first),
                }
                self.show_progress(is_first);
                self.begin_without_means(phase);
                self.refresh();
            }
            None => self.complete(),
        }
    }

    fn complete(&mut self) {
        self.emit(Event::StatusChanged {
            to: Status::Completed,
            reason: "the last phase is done".to_owned(),
        });
        self.audit("session_completed", [], []);
        self.close_with(texts::completed(&self.state, &self.flow));
    }

    /// What the participant is told of a denial: the words as well, where they were promised to them.
    fn tell_denial(&mut self, wait: &Wait, words: Option<&str>) {
        let answer = wait.status.answer();
        match (words, answer, denial_reader_of(wait)) {
            (Some(words), Some((_, _, by_name, _)), Some(DenialReader::Participant)) => {
                let text = messages::requests::finish_first(&authors(wait, by_name), words);
                self.post_offering(text, &[Offered::Human]);
            }
            _ => self.post(messages::interview::DENIED),
        }
    }

    /// What is missing has changed under an open request: it is withdrawn if nothing is missing any more, otherwise
    /// asked again with the new list; an answer to the old card is superseded.
    pub(super) fn reconsider_requests(&mut self) {
        let flow = Arc::clone(&self.flow);
        let Some(phase) = self.state.phase().and_then(|id| flow.phase(id)) else { return };
        for mut wait in self.open_requests() {
            let missing = evidence::missing(&self.state, phase);
            if wait.state["phase"] != phase.id.as_str()
                || strings(&wait.state["missing"]) == missing
            {
                continue;
            }
            let Purpose::Call { call, .. } = &wait.purpose else { continue };
            let Some(known) = self.state.call(call).map(|known| Arc::clone(&known.call)) else {
                continue;
            };
            if missing.is_empty() {
                let closing =
                    Closing::Cancelled { reason: "what was missing is complete now".to_owned() };
                let value = blocked(&[], Some("withdrawn"));
                self.close(wait.id, closing, CallResult::Ok { value });
                continue;
            }
            let overrides = strings(&wait.state["overrides"]);
            let reason = wait.state["reason"].as_str().map(str::to_owned);
            let request = Request {
                call: &known,
                phase,
                missing,
                overrides: &overrides,
                reason: reason.as_deref(),
            };
            let fresh = match wait.answerers {
                Answerers::Participant => self.ask_participant(&request),
                Answerers::Deciders { .. } => self.ask_deciders(&request),
            };
            wait.prompt = fresh.prompt.into();
            wait.state = fresh.state;
            wait.revision += 1;
            // Votes were on the old list.
            wait.votes.clear();
            let id = wait.id;
            self.audit(
                "wait_revised",
                [("wait", json!(id)), ("revision", json!(wait.revision))],
                [],
            );
            self.emit(Event::Asked(Box::new(wait)));
            self.show(id);
        }
    }

    /// A request lapsed: the phase stays, the model is told.
    pub(super) fn request_expired(wait: &Wait) -> Value {
        let missing = strings(&wait.state["missing"]);
        blocked(&missing, Some("request expired"))
    }
}

impl SessionView {
    /// What all `next_phase` calls of one answer ask for together: every override once, and the last reason.
    fn combined(
        &self,
        call: &CallId,
        overrides: &[String],
        reason: Option<&str>,
    ) -> (Vec<String>, Option<String>) {
        let (mut overrides, mut reason) = (overrides.to_vec(), reason.map(str::to_owned));
        for other in self.same_request(call) {
            for id in strings(&other.args["overrides"]) {
                if !overrides.contains(&id) {
                    overrides.push(id);
                }
            }
            reason = other.args["reason"].as_str().map(str::to_owned).or(reason);
        }
        (overrides, reason)
    }

    /// The guard against repeats: an open request, a stale call, or the last outcome until
    /// something changes.
    fn repeated(&self, request: &Request<'_>) -> Option<Value> {
        if !matches!(self.state.status, Status::Open | Status::Paused) {
            return Some(blocked(&request.missing, Some("the conversation does not go on")));
        }
        if request.call.phase.as_deref() != Some(&request.phase.id) {
            let note = format!("the phase has already moved to `{}`", request.phase.id);
            return Some(blocked(&request.missing, Some(&note)));
        }
        if let Some(open) = self.open_requests().first() {
            return Some(json!({
                "status": "awaiting_user_approval",
                "missing_objectives": open.state["missing"],
                "reason": open.state["reason"],
            }));
        }
        let (version, last) = self.state.last_advance.as_ref()?;
        let too_often = self.state.evaluations >= EVALUATIONS_MAX;
        let is_same = *version == self.state.version && !self.proposes_more(request);
        // The guard is for the model: a person may ask again, and the script asks once after each of its ends.
        let is_model = matches!(request.call.origin, Origin::Model { .. } | Origin::Step { .. });
        ((is_same || too_often) && is_model).then(|| last.clone())
    }

    /// Whether it would pass over something missing that no earlier call of the phase proposed to pass over: that is a
    /// change.
    fn proposes_more(&self, request: &Request<'_>) -> bool {
        let earlier = self.state.calls.iter().map(|known| &known.call).filter(|call| {
            call.tool == "next_phase"
                && call.phase == request.call.phase
                && call.id != request.call.id
        });
        let proposed: Vec<String> =
            earlier.flat_map(|call| strings(&call.args["overrides"])).collect();
        let is_new = |id: &&String| request.missing.contains(id) && !proposed.contains(id);
        request.overrides.iter().any(|id| is_new(&id))
    }

    fn ask_for_override(&self, request: &Request<'_>) -> Suspension {
        let asks_participant = match self.flow.flow.approvals.overrides.decider {
            Decider::Participant => true,
            Decider::Admin => false,
            // Who asks for it has agreed already.
            Decider::ParticipantThenAdmin => !matches!(request.call.origin, Origin::Person { .. }),
        };
        if asks_participant { self.ask_participant(request) } else { self.ask_deciders(request) }
    }

    /// The participant's own dialog.
    fn ask_participant(&self, request: &Request<'_>) -> Suspension {
        let next = self
            .following(Some(&request.phase.id))
            .map_or(messages::requests::THE_END, |next| next.title.as_str());
        let titles = titles(request.phase, &request.missing);
        let control = Control::Decide(Decide {
            request: messages::requests::MOVE_ON_TITLE.into(),
            facts: Vec::new(),
            approve: messages::buttons::APPROVE.to_owned(),
            deny: messages::buttons::DENY.to_owned(),
            deny_and_tell: Some(messages::buttons::DENY_AND_DIRECT.to_owned()),
            // Whoever is asked is the participant themselves.
            denial_reader: DenialReader::Interviewer,
        });
        Suspension {
            prompt: Prompt {
                title: Some(messages::requests::MOVE_ON_TITLE.into()),
                body: messages::requests::move_on_dialog(&titles, request.reason, next),
                control,
                notes: Vec::new(),
            },
            state: remembered(request),
            answerers: Answerers::Participant,
            expires_at: self.override_expiry(),
        }
    }

    /// The card for the approvers.
    fn ask_deciders(&self, request: &Request<'_>) -> Suspension {
        let policy = &self.flow.flow.approvals.overrides;
        let next = self
            .following(Some(&request.phase.id))
            .map_or(messages::requests::THE_END, |next| next.title.as_str());
        let person = self.state.person_in_words();
        let whose = match request.call.origin {
            Origin::Person { .. } => messages::requests::REASON_GIVEN,
            Origin::Step { .. } | Origin::Model { .. } | Origin::Engine => {
                messages::requests::INTERVIEWERS_REASON
            }
        };
        let expires = self.override_expiry();
        let reason = request.reason.filter(|reason| *reason != USER_REQUESTED).unwrap_or_default();
        let facts = [
            (Decide::PERSON, person.clone()),
            (messages::requests::FLOW, self.flow.flow.title.clone()),
            (messages::requests::PHASE, request.phase.title.clone()),
            (messages::requests::MISSING, titles(request.phase, &request.missing).join(", ")),
            (whose, reason.to_owned()),
            (messages::requests::REQUESTED, stamp(self.now)),
            (
                messages::requests::EXPIRES,
                expires.map_or_else(|| messages::requests::NEVER.to_owned(), stamp),
            ),
        ];
        let request_line = messages::requests::move_on(&person, next);
        Suspension {
            prompt: Prompt {
                title: Some(request_line.clone()),
                body: messages::requests::PHASE_INCOMPLETE.into(),
                control: asking(&request_line, facts, self.denial_reader()),
                notes: Vec::new(),
            },
            state: remembered(request),
            answerers: Answerers::Deciders {
                alias: policy.channel.clone().unwrap_or_else(|| "approvers".to_owned()),
                allow_self: policy.allow_self,
            },
            expires_at: expires,
        }
    }

    /// Who reads the words of a denial: the model where one leads, else the participant.
    pub(super) fn denial_reader(&self) -> DenialReader {
        if self.is_led_by_model() { DenialReader::Interviewer } else { DenialReader::Participant }
    }

    fn override_expiry(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        self.now.checked_add_signed(self.flow.flow.approvals.overrides.expires.delta())
    }

    /// The call behind "ask to move on": an override of everything that is missing, on somebody's own initiative.
    pub(super) fn call_to_advance(&self, from: &Responder, reason: &str) -> Option<Call> {
        let phase = self.phase()?;
        let may_decide = self.may_decide(from);
        let reason = if reason.trim().is_empty() { USER_REQUESTED } else { reason.trim() };
        let args = json!({ "overrides": evidence::missing(&self.state, phase), "reason": reason });
        let origin = Origin::Person { by: from.person.clone(), may_decide };
        Some(self.call("asked", "next_phase", args, origin))
    }

    /// Asks a request that lapsed anew: a call of its own, since the old one has its result.
    pub(super) fn call_again(&self, wait: &Wait, from: &Responder) -> Option<Call> {
        let phase = self.phase().filter(|phase| wait.state["phase"] == phase.id.as_str())?;
        let args = json!({
            "overrides": evidence::missing(&self.state, phase),
            "reason": wait.state["reason"].as_str().unwrap_or("asked again"),
        });
        let origin = Origin::Person { by: from.person.clone(), may_decide: false };
        Some(self.call("asked", "next_phase", args, origin))
    }
}

/// Stands for the reason of whoever gave none. Nobody who decides needs to read it.
const USER_REQUESTED: &str = "user requested";

fn blocked(missing: &[String], note: Option<&str>) -> Value {
    match note {
        Some(note) => json!({ "status": "blocked", "missing_objectives": missing, "note": note }),
        None => json!({ "status": "blocked", "missing_objectives": missing }),
    }
}

fn remembered(request: &Request<'_>) -> Value {
    json!({
        "phase": request.phase.id,
        "missing": request.missing,
        "overrides": request.overrides,
        "reason": request.reason,
    })
}

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn titles(phase: &Phase, missing: &[String]) -> Vec<String> {
    let title = |id: &String| {
        let objective = phase.objective.iter().find(|objective| objective.id == *id);
        objective.map_or_else(|| id.clone(), |objective| objective.title.clone())
    };
    missing.iter().map(title).collect()
}
