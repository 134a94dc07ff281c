//! The closing turn: a model that has led the interview to its end without a last word, or whose request somebody else
//! had to approve, is asked for a goodbye once. The summary of what is kept does not wait for it.

use serde_json::json;

use super::{Changes, SessionView};
use crate::model::{
    session::Status,
    transcript::{CallResult, Event, Origin},
    usage::Usage,
};

impl SessionView {
    /// Whether the model is still to say goodbye.
    pub(super) fn owes_goodbye(&self) -> bool {
        let model_turn = &self.state.model_turn;
        self.state.status == Status::Completed
            && self.state.handoff.is_none()
            && !self.is_child()
            && self.settings.has_model
            && self.has_means()
            && !self.turn_is_used_up()
            && model_turn.failures == 0
            && model_turn.ended.is_some_and(|ended| model_turn.knew < ended)
            && self.model_ended_it()
    }

    /// Whether a call of the model ended the last part, and it said nothing beside it, or waited for a decision.
    fn model_ended_it(&self) -> bool {
        let ending = self.state.calls.iter().rev().find(|known| {
            let is_end = |result: &CallResult| {
                let value = result.to_value();
                value["status"] == "approved" && value["advanced_to"].is_null()
            };
            let result = known.late.as_deref().or(known.result.as_deref());
            known.call.tool == "next_phase" && result.is_some_and(is_end)
        });
        ending.is_some_and(|known| {
            let is_silent = self.state.model_turn.silent.is_some() || known.wait.is_some();
            matches!(known.call.origin, Origin::Model { .. }) && is_silent
        })
    }
}

impl Changes {
    /// What an interview has used up where this step ends it, the goodbye included.
    pub fn ended(&self) -> Option<Usage> {
        let is_last = |event: &Event| match event {
            Event::StatusChanged { to, .. } => *to == Status::Completed,
            Event::Thought(_) | Event::ThinkingFailed { .. } => true,
            _ => false,
        };
        let has_ended = self.state.status == Status::Completed
            && !self.state.test
            && !self.is_child()
            && !self.owes_goodbye()
            && self.new_events().any(is_last);
        has_ended.then_some(self.state.model_turn.spent)
    }

    /// The model could not say goodbye; nobody is told, and it is not asked again.
    pub(super) fn go_without_goodbye(&mut self, code: &str) {
        self.audit("thinking_failed", [("code", json!(code)), ("count", json!(1))], []);
        self.emit(Event::ThinkingFailed {
            code: code.to_owned(),
            count: 1,
            again_at: None,
            in_a_moment: false,
        });
    }
}
