//! The child's side: what it needs next, what its answer is worth, how it ends.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::ParentLink;
use crate::{
    base::{
        ids::{Ids, WaitId},
        json_schema::compile,
    },
    flow::{LoadedFlow, OUTPUT},
    model::{
        STORED_VERSION,
        artifact::Artifact,
        session::Status,
        task::{Assignment, Conclusion, Subtask},
        transcript::{CallResult, Closing, Event, Recorded, Started, Via},
        wait::{Wait, WaitStatus},
    },
    ports::llm::json::extract_object,
    session::{Changes, Next, SessionView, State, advance::Approval},
};

/// Answers that may be mended.
const REPAIRS_MAX: u32 = 1;

/// Failures of the model in a row that a child run puts up with; somebody waits for it.
const FAILURES_MAX: u32 = 3;

/// Most complaints that the model is shown.
const COMPLAINTS_MAX: usize = 12;

/// Begins a child run, with the files of its parent.
pub fn child_started(
    flow: Arc<LoadedFlow>,
    (started, assignment): (Started, Assignment),
    files: Vec<Artifact>,
    ids: Arc<dyn Ids>,
    now: DateTime<Utc>,
) -> Changes {
    let state = State::begin(&started, now);
    let facts = [
        ("flow", json!(started.flow.id)),
        ("digest", json!(started.flow.digest)),
        ("parent", json!(assignment.parent)),
    ];
    let first =
        Recorded { v: STORED_VERSION, seq: 1, at: now, event: Arc::new(Event::Started(started)) };
    let mut child = Changes::beginning(flow, state, first, ids, now);
    child.audit("session_started", facts, []);
    child.emit(Event::Subtask(Subtask::Tasked(assignment)));
    child.keep_all(files);
    let reason = "the child run begins".to_owned();
    child.emit(Event::StatusChanged { to: Status::Open, reason });
    if let Some(approval) = Approval::began(&child.state) {
        child.advance(approval);
    }
    child
}

impl SessionView {
    /// Whether this session is a child run.
    pub(crate) fn is_child(&self) -> bool {
        self.state.subtasks.parent_link.is_some()
    }

    /// What a child run needs next.
    pub(in crate::session) fn next_of_child(&self, own: &ParentLink) -> Next {
        if own.conclusion.is_some() {
            // It reports when its own child runs have: what they cost is in what it costs.
            let is_awaited = |child: &super::Child| !child.ended;
            return match self.next_of_children() {
                Some(next) => next,
                None if own.reported || self.state.subtasks.children.iter().any(is_awaited) => {
                    Next::Rest
                }
                None => Next::Report,
            };
        }
        let unseen = self.state.pending().find(|wait| !own.raised.contains(&wait.id));
        match unseen {
            Some(wait) => Next::Raise { wait: wait.id },
            None => self.next_in_turn(),
        }
    }
}

impl Changes {
    /// A question of the child's is shown at the root. Again: changes nothing.
    pub(in crate::session) fn raised(&mut self, wait: WaitId) {
        let own = self.state.subtasks.parent_link.as_ref();
        if own.is_some_and(|own| !own.raised.contains(&wait)) {
            self.emit(Event::Subtask(Subtask::Raised { wait }));
        }
    }

    /// What came of a question at the root: the answer, with the files that are part of it, or how it ended without
    /// one. Again: changes nothing.
    pub(in crate::session) fn told(
        &mut self,
        wait: WaitId,
        status: &WaitStatus,
        files: Vec<Artifact>,
    ) {
        let is_open = |wait: &Wait| wait.status.is_pending();
        if !self.state.wait(wait).is_some_and(is_open) {
            return;
        }
        let cancelled = |code: &str, message: &str| CallResult::Err {
            code: code.to_owned(),
            message: message.to_owned(),
        };
        match status {
            WaitStatus::Pending => {}
            WaitStatus::Answered { reply, by, by_name, .. }
            | WaitStatus::Applied { reply, by, by_name, .. } => {
                self.keep_all(files);
                let facts = [
                    ("wait", json!(wait)),
                    ("by", json!(self.named(by))),
                    ("outcome", json!("applied")),
                ];
                self.audit("wait_answered", facts, []);
                let (reply, by, by_name) = (reply.clone(), by.clone(), by_name.clone());
                self.emit(Event::Answered { wait, reply, by, by_name, via: Via::Component });
            }
            WaitStatus::Expired { .. } => {
                self.close(wait, Closing::Expired, cancelled("expired", "nobody answered in time"));
            }
            WaitStatus::Cancelled { reason, .. } => {
                let closing = Closing::Cancelled { reason: reason.clone() };
                self.close(wait, closing, cancelled("user_cancelled", "the user cancelled"));
            }
            WaitStatus::Superseded { .. } => {
                let closing = Closing::Superseded { by: None };
                self.close(wait, closing, cancelled("superseded", "it is no longer asked"));
            }
        }
    }

    /// The model has answered a child run without calls: that is its result, if it satisfies the schema.
    pub(in crate::session) fn judge_output(&mut self, text: &str) {
        let Some(own) = &self.state.subtasks.parent_link else { return };
        let refused = own.refused;
        let complaints = match (extract_object(text), self.flow.schemas.get(OUTPUT)) {
            (Ok(output), Some(schema)) => match misfits(schema, &output) {
                None => return self.conclude_child(Conclusion::Completed { output }),
                Some(complaints) => complaints,
            },
            (Err(why), _) => why,
            (Ok(_), None) => "nothing is known of what it should be".to_owned(),
        };
        if refused >= REPAIRS_MAX {
            let message = format!("the result does not have the promised form: {complaints}");
            self.fail_child("invalid_output", message);
        } else {
            self.emit(Event::Subtask(Subtask::Refused { complaints }));
        }
    }

    /// The model could not be asked: again a little later, a few times.
    pub(in crate::session) fn child_thinking_failed(
        &mut self,
        code: &str,
        again_at: Option<DateTime<Utc>>,
    ) {
        let count = self.state.model_turn.failures + 1;
        let again_at = again_at.filter(|_| count < FAILURES_MAX);
        let (code, in_a_moment) = (code.to_owned(), false);
        self.emit(Event::ThinkingFailed { code, count, again_at, in_a_moment });
        if again_at.is_none() {
            let message = "this is not available just now. hint: go on without it".to_owned();
            self.fail_child("unavailable", message);
        }
    }

    /// Ends a child run without a result.
    pub(in crate::session) fn fail_child(&mut self, code: &str, message: String) {
        self.conclude_child(Conclusion::Failed { code: code.to_owned(), message });
    }

    /// Nobody wants what comes of it any more. Again: changes nothing.
    pub(in crate::session) fn recall(&mut self, reason: &str) {
        self.conclude_child(Conclusion::Cancelled { reason: reason.to_owned() });
    }

    /// The parent knows what came of it. Again: changes nothing.
    pub(in crate::session) fn reported(&mut self) {
        if self.state.subtasks.parent_link.as_ref().is_some_and(|own| !own.reported) {
            self.emit(Event::Subtask(Subtask::Reported));
        }
    }

    fn conclude_child(&mut self, conclusion: Conclusion) {
        if self.state.subtasks.parent_link.as_ref().is_none_or(|own| own.conclusion.is_some()) {
            return;
        }
        let how = conclusion.word();
        let (to, record) = match conclusion {
            Conclusion::Completed { .. } => (Status::Completed, "session_completed"),
            Conclusion::Failed { .. } | Conclusion::Cancelled { .. } => {
                (Status::Ended, "session_ended")
            }
        };
        self.audit(record, [("how", json!(how))], []);
        self.emit(Event::Subtask(Subtask::Concluded(conclusion)));
        self.dismiss_children("its own task is over", "user_cancelled");
        let closing = Closing::Cancelled { reason: "the task is over".to_owned() };
        self.close_all(|_| true, &closing, "user_cancelled", "the task is over");
        let open = self.state.calls.iter().filter(|call| call.result.is_none());
        let open: Vec<_> = open.map(|call| call.call.id.clone()).collect();
        for call in open {
            let message = "the task is over".to_owned();
            self.finish(&call, CallResult::Err { code: "user_cancelled".to_owned(), message });
        }
        self.emit(Event::StatusChanged { to, reason: format!("the child run is {how}") });
    }
}

/// What is wrong with an output by its schema, in words for a model; values are left out.
fn misfits(schema: &Value, output: &Value) -> Option<String> {
    let validator = match compile(schema) {
        Ok(validator) => validator,
        Err(error) => return Some(format!("its schema cannot be used: {error}")),
    };
    let told = validator.iter_errors(output).take(COMPLAINTS_MAX).map(|error| {
        let path = error.instance_path().to_string();
        let path = if path.is_empty() { "/" } else { &path };
        format!("`{path}`: {}", error.masked_with("the value"))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join("; "))
}
