//! A decision about the participant that a script or a model asks the team for: who is asked in which order, what stands on
//! the card, and what everybody reads of the outcome.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Changes, Refusal, SessionView, Suspension,
    attempts::{asking, authors, denial_reader_of, feedback_reader, stamp},
    script,
    state::CallState,
    summary::shown,
    team_requests::{stage_in, stage_of},
};
use crate::{
    base::ids::CallId,
    messages::{self, Text},
    model::{
        flow::{Approval, Moment, Period, REQUEST},
        transcript::CallResult,
        ui::{Decide, Decision, DenialReader, Offered, Prompt, Reply},
        wait::{Answerers, Purpose, Vote, Wait},
    },
};

/// How often one decision may be asked for: after that only a person can help.
pub const REQUESTS_MAX: usize = 3;

/// What a request for a decision came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Decided {
    /// `{"status": "approved" | "denied" | "expired", "approval": …, "by": […]}`, with the words of a denial where whoever
    /// asked may read them.
    Outcome(Value),
    /// The next who must decide.
    Ask(Box<Suspension>),
}

impl SessionView {
    /// Asks the team for a decision.
    pub fn request_decision(&self, call: &CallId, name: &str) -> Result<Suspension, Refusal> {
        let Some(approval) = self.flow.flow.approvals.named.get(name) else {
            return Err(Refusal(format!("there is no decision `{name}`").into()));
        };
        let earlier = self.state.calls.iter().filter(|known| {
            known.call.tool == REQUEST
                && known.call.id != *call
                && known.call.args["approval"] == name
        });
        if earlier.count() >= REQUESTS_MAX {
            return Err(Refusal("this was asked as often as it may be".into()));
        }
        self.ask_for_decision((name, approval), 0, &[])
    }

    fn ask_for_decision(
        &self,
        (name, approval): (&str, &Approval),
        stage: usize,
        approved_by: &[String],
    ) -> Result<Suspension, Refusal> {
        let Some((deciders, _)) = approval.stage(stage) else {
            return Err(Refusal("nobody is left to decide".into()));
        };
        let title = script::filled_for_team(&self.state, &self.flow, &approval.title)
            .map_err(|failure| Refusal(failure.to_string().into()))?;
        let title = Text::from(title);
        let expires_at = self.now.checked_add_signed(approval.expires.delta());
        let stages = approval.stages().count();
        let step =
            if stages > 1 { messages::requests::stage(stage + 1, stages) } else { String::new() };
        let facts = [
            (Decide::PERSON, self.state.person_in_words()),
            (messages::requests::FLOW, self.flow.flow.title.clone()),
            (
                messages::requests::PHASE,
                self.phase().map(|phase| phase.title.clone()).unwrap_or_default(),
            ),
            (messages::requests::STAGE, step),
            (messages::requests::APPROVED_SO_FAR, approved_by.join(", ")),
            (messages::requests::REQUESTED, stamp(self.now)),
            (messages::requests::EXPIRES, expires_at.map(stamp).unwrap_or_default()),
        ];
        let control = asking(&title, facts, self.denial_reader());
        let body = shown(&self.state, &self.flow, &approval.show).into();
        Ok(Suspension {
            prompt: Prompt { title: Some(title), body, control, notes: Vec::new() },
            state: json!({ "approval": name, "stage": stage, "approved_by": approved_by }),
            answerers: Answerers::Deciders { alias: deciders.to_owned(), allow_self: false },
            expires_at,
        })
    }

    /// What the team has decided last, for other programs: as [`Decided::Outcome`], without words.
    pub(super) fn last_decision(&self) -> Option<Value> {
        let mut requests = self.state.calls.iter().rev().filter(|one| one.call.tool == REQUEST);
        let mut value = requests.find_map(outcome)?.clone();
        value.as_object_mut()?.remove("feedback");
        Some(value)
    }

    /// A text of the flow, or the one that stands for it where there is none or it cannot be filled in.
    fn words_of(&self, text: Option<&str>, otherwise: &str) -> String {
        let filled = text.and_then(|text| script::filled(&self.state, &self.flow, text).ok());
        filled.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| otherwise.to_owned())
    }

    fn approval_of(&self, wait: &Wait) -> Option<(String, Approval)> {
        if !matches!(&wait.purpose, Purpose::Call { tool, .. } if tool == REQUEST) {
            return None;
        }
        let name = wait.state["approval"].as_str()?;
        Some((name.to_owned(), self.flow.flow.approvals.named.get(name)?.clone()))
    }

    /// How many must decide alike on a request that is being made.
    pub(super) fn quorum_of(&self, purpose: &Purpose, state: &Value) -> u32 {
        let overrides = self.flow.flow.approvals.overrides.quorum;
        let quorum = match purpose {
            Purpose::Call { tool, .. } if tool == REQUEST => {
                let name = state["approval"].as_str().unwrap_or_default();
                let approval = self.flow.flow.approvals.named.get(name);
                let asked = approval.and_then(|approval| approval.stage(stage_in(state)));
                asked.map_or(1, |(_, quorum)| quorum)
            }
            _ => overrides,
        };
        quorum.max(1)
    }

    /// When those who decide are reminded.
    pub(super) fn decider_reminders(&self, wait: &Wait) -> Vec<Period> {
        match self.approval_of(wait) {
            Some((_, approval)) => approval.remind_after,
            None => self.flow.flow.approvals.overrides.remind_after.clone(),
        }
    }
}

impl Changes {
    /// Applies the stored answer to a request: the outcome, or who is asked next.
    pub fn decision_made(&mut self, call: &CallId) -> Result<Decided, Refusal> {
        let wait = self.state.call(call).and_then(|known| known.wait);
        let Some(wait) = wait.and_then(|id| self.state.waits.get(&id)).cloned() else {
            return Err(Refusal("this request is not known".into()));
        };
        let Some((name, approval)) = self.approval_of(&wait) else {
            return Err(Refusal("this decision is not part of the flow any more".into()));
        };
        let Some((Reply::Decided { decision, feedback }, _, by_name, _)) = wait.status.answer()
        else {
            return Err(Refusal("nobody has decided".into()));
        };
        let approves = *decision == Decision::Approved;
        let by = deciders(&wait, approves, by_name);
        let facts = [
            ("wait", json!(wait.id)),
            ("approval", json!(name)),
            ("stage", wait.state["stage"].clone()),
            ("decision", json!(decision)),
            ("feedback_for", feedback_reader(&wait, feedback.as_deref())),
        ];
        self.audit("decision_made", facts, [("feedback", json!(feedback))]);
        let stage = stage_of(&wait) + 1;
        let so_far: Vec<String> = strings(&wait.state["approved_by"]).chain(by.clone()).collect();
        if approves && approval.stage(stage).is_some() {
            return Ok(Decided::Ask(Box::new(self.ask_for_decision(
                (&name, &approval),
                stage,
                &so_far,
            )?)));
        }
        let mut value = json!({
            "status": if approves { "approved" } else { "denied" },
            "approval": name,
            "by": if approves { so_far } else { by },
        });
        let reader = denial_reader_of(&wait);
        if let (Some(words), Some(DenialReader::Interviewer)) = (feedback, reader) {
            value["feedback"] = json!(words);
        }
        if approves {
            let text =
                self.words_of(approval.approved.as_deref(), messages::interview::DECISION_APPROVED);
            self.post(text);
        } else {
            let text =
                self.words_of(approval.denied.as_deref(), messages::interview::DECISION_DENIED);
            let words = feedback.as_deref().filter(|_| reader == Some(DenialReader::Participant));
            let authors = authors(&wait, by_name);
            self.post_offering(
                messages::requests::with_reason(text.into(), &authors, words),
                &[Offered::Human],
            );
        }
        Ok(Decided::Outcome(value))
    }

    /// Nobody has decided in time.
    pub(super) fn decision_expired(&mut self, wait: &Wait) -> CallResult {
        let found = self.approval_of(wait);
        let name = found.as_ref().map(|(name, _)| name.clone());
        let facts = [("wait", json!(wait.id)), ("approval", json!(name))];
        self.audit("decision_expired", facts, []);
        let expired = found.and_then(|(_, approval)| approval.expired);
        let text = self.words_of(expired.as_deref(), messages::interview::DECISION_EXPIRED);
        if self.state.handoff.is_none() {
            self.post_offering(text, &[Offered::Human]);
        }
        CallResult::Ok { value: json!({ "status": "expired", "approval": name, "by": [] }) }
    }

    /// A request has its outcome: what its phase does then is due.
    pub(super) fn effects_of_decision(&mut self, call: &CallId) {
        let Some(known) = self.state.call(call).filter(|known| known.call.tool == REQUEST) else {
            return;
        };
        let moment = match outcome(known).and_then(|value| value["status"].as_str()) {
            Some("approved") => Moment::Approved,
            Some("denied") => Moment::Denied,
            Some("expired") => Moment::Expired,
            _ => return,
        };
        let flow = Arc::clone(&self.flow);
        if let Some(phase) = known.call.phase.as_deref().and_then(|id| flow.phase(id)) {
            self.queue_effects(phase, moment);
        }
    }
}

/// What a request came to, once it has.
fn outcome(known: &CallState) -> Option<&Value> {
    match known.late.as_deref().or(known.result.as_deref())? {
        CallResult::Ok { value } => Some(value),
        CallResult::Err { .. } => None,
    }
}

/// Who decided: everybody who voted like the outcome, or the one who decided alone.
fn deciders(wait: &Wait, approves: bool, by_name: &str) -> Vec<String> {
    let alike = |vote: &&Vote| vote.approves() == approves;
    let names: Vec<String> =
        wait.votes.iter().filter(alike).map(|vote| vote.by_name.clone()).collect();
    if names.is_empty() { vec![by_name.to_owned()] } else { names }
}

fn strings(value: &Value) -> impl Iterator<Item = String> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).map(str::to_owned)
}
