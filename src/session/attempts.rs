//! The audit records of `next_phase`: one for each invocation, one for each decision, under one call id.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{Changes, SessionView};
use crate::{
    messages::{self, Text},
    model::{
        flow::Phase,
        transcript::{Call, Origin},
        ui::{Control, Decide, DenialReader, Reply},
        wait::Wait,
    },
};

/// What one invocation asked for.
pub(super) struct Request<'a> {
    pub(super) call: &'a Call,
    pub(super) phase: &'a Phase,
    pub(super) missing: Vec<String>,
    pub(super) overrides: &'a [String],
    pub(super) reason: Option<&'a str>,
}

impl Changes {
    /// The record of an invocation.
    pub(super) fn audit_attempt(
        &mut self,
        request: &Request<'_>,
        outcome: &Value,
        note: Option<&str>,
    ) {
        let person = match &request.call.origin {
            Origin::Person { by, may_decide } => Some((by.clone(), *may_decide)),
            Origin::Step { .. } | Origin::Model { .. } | Origin::Engine => None,
        };
        let approved = outcome["status"] == "approved";
        let decider =
            person.as_ref().filter(|(_, may)| approved && *may).map(|(by, _)| self.named(by));
        let bypassed: &[String] = match (request.overrides.is_empty(), &person) {
            (true, None) => &[],
            _ => &request.missing,
        };
        let others = self.same_request(&request.call.id);
        let others: Vec<_> = others.iter().map(|call| &call.id).collect();
        let same_request = (!others.is_empty()).then(|| ("other_calls", json!(others)));
        let facts = [
            ("phase", json!(request.phase.id)),
            ("overrides", json!(bypassed)),
            ("objectivesRemaining", json!(request.missing)),
            ("userDecision", if decider.is_some() { json!("approved") } else { Value::Null }),
            ("advancedTo", outcome.get("advanced_to").cloned().unwrap_or(Value::Null)),
            ("status", outcome["status"].clone()),
            ("by_user", json!(person.is_some())),
            ("decider", json!(decider)),
            ("decider_role", decider_role(self, decider.is_some())),
            ("proposed_overrides", json!(request.overrides)),
            ("call", json!(request.call.id)),
            ("note", json!(note)),
        ];
        let facts = facts.into_iter().chain(same_request);
        self.audit("phase_advance_attempt", facts, [("reason", json!(request.reason))]);
    }

    /// The record of a decision, under the same call id as the request's.
    pub(super) fn audit_decision(
        &mut self,
        request: &Request<'_>,
        wait: &Wait,
        outcome: &Value,
        words: Option<&str>,
    ) {
        let (by, decision) = match wait.status.answer() {
            Some((Reply::Decided { decision, .. }, by, ..)) => {
                (Some(self.named(by)), json!(decision))
            }
            Some(_) | None => (None, Value::Null),
        };
        let facts = [
            ("phase", json!(request.phase.id)),
            ("overrides", json!(request.missing)),
            ("objectivesRemaining", json!(request.missing)),
            ("userDecision", decision),
            ("advancedTo", outcome.get("advanced_to").cloned().unwrap_or(Value::Null)),
            ("status", outcome["status"].clone()),
            ("by_user", json!(matches!(request.call.origin, Origin::Person { .. }))),
            ("decider", json!(by)),
            ("decider_role", decider_role(self, true)),
            ("proposed_overrides", json!(request.overrides)),
            ("call", json!(request.call.id)),
            ("note", Value::Null),
            ("feedback_for", feedback_reader(wait, words)),
        ];
        let words = [("reason", json!(request.reason)), ("feedback", json!(words))];
        self.audit("phase_advance_attempt", facts, words);
    }
}

/// Who reads the words of a denial; null where there are none.
pub(super) fn feedback_reader(wait: &Wait, words: Option<&str>) -> Value {
    json!(words.and_then(|_| denial_reader_of(wait)))
}

/// Who was to read the words of a denial when the request was made; `None` if it was no request.
pub(super) fn denial_reader_of(wait: &Wait) -> Option<DenialReader> {
    match &wait.prompt.control {
        Control::Decide(decide) => Some(decide.denial_reader),
        Control::Choose(_)
        | Control::Form(_)
        | Control::Review(_)
        | Control::Upload(_)
        | Control::Ask(_)
        | Control::Confirm(_) => None,
    }
}

/// The card on which those who decide see a request; facts without a value are left out.
pub(super) fn asking<L: Into<String>>(
    request: &Text,
    facts: impl IntoIterator<Item = (L, String)>,
    denial_reader: DenialReader,
) -> Control {
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    Control::Decide(Decide {
        request: request.clone(),
        facts: facts.map(|(label, value)| (label.into(), value)).collect(),
        approve: messages::buttons::APPROVE.to_owned(),
        deny: messages::buttons::DENY.to_owned(),
        deny_and_tell: Some(messages::buttons::denial(denial_reader).to_owned()),
        denial_reader,
    })
}

/// A moment on such a card.
pub(super) fn stamp(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// Whose words a denial carries: of everybody who wrote some, or of the one who decided alone.
pub(super) fn authors(wait: &Wait, by_name: &str) -> String {
    let wrote = wait.votes.iter().filter(|vote| !vote.approves() && vote.feedback.is_some());
    let names: Vec<&str> = wrote.map(|vote| vote.by_name.as_str()).collect();
    if names.is_empty() { by_name.to_owned() } else { names.join(", ") }
}

fn decider_role(view: &SessionView, decided: bool) -> Value {
    if decided { json!(view.flow.flow.approvals.overrides.decider.name()) } else { Value::Null }
}
