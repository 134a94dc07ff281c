//! The parent's side: asks for child runs, learns of their end, shows their questions, dismisses them.

use serde_json::{Value, json};

use super::Child;
use crate::{
    base::ids::{SessionId, WaitId},
    messages::Text,
    model::{
        audit::sha256,
        session::Status,
        task::{Ancestor, Delegation, Subtask},
        transcript::{CallResult, Closing, Event, SpentOn},
        ui::Prompt,
        usage::Usage,
        wait::{Purpose, Wait},
    },
    session::{Changes, Next, SessionView, Suspension},
};

/// Most child runs of one session at one time.
const CHILDREN_MAX: usize = 8;

impl Changes {
    /// Notes that a call asked for a child run; it is begun next. One more than a session may have is refused.
    pub fn delegate(&mut self, delegation: Delegation) {
        let Delegation { call, child, task, .. } = &delegation;
        let running = self.state.subtasks.children.iter().filter(|child| !child.ended).count();
        if running >= CHILDREN_MAX {
            let message = format!(
                "{CHILDREN_MAX} child runs are under way. hint: wait for what comes of them"
            );
            let code = "too_many".to_owned();
            return self.finish(&call.clone(), CallResult::Err { code, message });
        }
        let facts = [("child", json!(child)), ("task", json!(task.id))];
        self.audit("child_run_asked", facts, []);
        self.emit(Event::Subtask(Subtask::Delegated(delegation)));
    }

    /// The child run exists. Again: changes nothing.
    pub(in crate::session) fn child_begun(&mut self, child: SessionId) {
        if self.state.subtasks.child(child).is_some_and(|child| !child.begun) {
            self.emit(Event::Subtask(Subtask::Begun { child }));
        }
    }

    /// The child run knows that it is not wanted. Again: changes nothing.
    pub(in crate::session) fn child_recalled(&mut self, child: SessionId) {
        if self.state.subtasks.child(child).is_some_and(|child| !child.recalled && !child.ended) {
            self.emit(Event::Subtask(Subtask::Recalled { child }));
        }
    }

    /// A child run is over: what it used up counts here, and its call has its one result, or news of it where the model
    /// has gone on. Again: changes nothing.
    pub(in crate::session) fn child_ended(
        &mut self,
        id: SessionId,
        how: &str,
        result: CallResult,
        used: Usage,
    ) {
        let Some(child) = self.state.subtasks.child(id).filter(|child| !child.ended) else {
            return;
        };
        let (call, is_wanted) = (child.delegation.call.clone(), child.dismissed.is_none());
        let facts = [("child", json!(id)), ("how", json!(how)), ("tokens", json!(used.tokens()))];
        self.audit("child_run_ended", facts, []);
        self.emit(Event::Subtask(Subtask::Ended { child: id, how: how.to_owned() }));
        if is_wanted {
            self.finish(&call, result);
        }
        self.spend(SpentOn::Child { session: id }, used);
    }

    /// A child run is not there any more, whatever came of it: its call does not wait for ever.
    pub(crate) fn child_lost(&mut self, id: SessionId) {
        let (code, message) = ("unavailable".to_owned(), "the task is gone".to_owned());
        let result = CallResult::Err { code, message };
        self.child_ended(id, "failed", result, Usage::default());
    }

    /// No child run is wanted any more: their calls end with `code`, their questions are closed.
    pub(in crate::session) fn dismiss_children(&mut self, reason: &str, code: &str) {
        let is_wanted = |child: &&Child| !child.ended && child.dismissed.is_none();
        let wanted = self.state.subtasks.children.iter().filter(is_wanted);
        let wanted: Vec<_> =
            wanted.map(|c| (c.delegation.child, c.delegation.call.clone())).collect();
        for (child, call) in wanted {
            let reason = reason.to_owned();
            self.emit(Event::Subtask(Subtask::Dismissed { child, reason }));
            let (code, message) = (code.to_owned(), reason_of(code).to_owned());
            self.finish(&call, CallResult::Err { code, message });
        }
        let of_children = |wait: &Wait| matches!(wait.purpose, Purpose::Child { .. });
        let closing = Closing::Cancelled { reason: reason.to_owned() };
        self.close_all(of_children, &closing, code, reason_of(code));
    }

    /// Shows the question of a child run, which stands under `call`. Again: changes nothing. A conversation that is
    /// over asks nothing any more; its child runs are dismissed.
    pub(in crate::session) fn raise(
        &mut self,
        wait: &Wait,
        call: &crate::base::ids::CallId,
        path: &[Ancestor],
    ) {
        let purpose = Purpose::Child { call: call.clone(), child: wait.session, wait: wait.id };
        let is_over = match self.state.status {
            Status::Open | Status::Paused => false,
            Status::Notice
            | Status::Stopped
            | Status::Declined
            | Status::Completed
            | Status::Ended => true,
        };
        let is_asked = self.state.waits.values().any(|known| known.purpose == purpose);
        let is_wanted =
            self.state.subtasks.running(call).is_some_and(|child| child.dismissed.is_none());
        if is_over || is_asked || !is_wanted {
            return;
        }
        let mut prompt = Prompt::clone(&wait.prompt);
        let titles: Vec<&str> = path.iter().map(|above| above.title.as_str()).collect();
        prompt.notes.push(Text::words("For: ").then_quoted(titles.join(" › ")));
        let suspension = Suspension {
            prompt,
            state: Value::Null,
            answerers: wait.answerers.clone(),
            expires_at: wait.expires_at,
        };
        let digest = sha256(format!("child\n{}\n{}", wait.session, wait.id).as_bytes());
        self.open(purpose, digest, suspension);
    }

    /// The child run has been told what came of its question. Again: changes nothing.
    pub(crate) fn passed_on(&mut self, wait: WaitId) {
        if !self.state.subtasks.is_told(wait) {
            self.emit(Event::Applied { wait });
        }
    }
}

impl SessionView {
    /// What the child runs of this session need next.
    pub(in crate::session) fn next_of_children(&self) -> Option<Next> {
        let needed = |child: &Child| {
            let id = child.delegation.child;
            match (child.ended, child.dismissed.is_some()) {
                (true, _) => None,
                (false, true) => (!child.recalled).then_some(Next::Recall { child: id }),
                (false, false) => (!child.begun).then_some(Next::Begin { child: id }),
            }
        };
        self.state.subtasks.children.iter().find_map(needed)
    }

    /// A child's question that ended without an answer, of which the child has not been told.
    pub(in crate::session) fn untold(&self) -> Option<WaitId> {
        let waits = self.state.asked.iter().filter_map(|id| self.state.waits.get(id));
        let mut closed = waits.filter(|wait| {
            let Purpose::Child { call, .. } = &wait.purpose else { return false };
            // One that is recalled closes its questions by itself.
            let goes_on = self.state.subtasks.running(call).is_some_and(|c| c.dismissed.is_none());
            goes_on && !wait.status.is_pending() && wait.status.answer().is_none()
        });
        closed.find(|wait| !self.state.subtasks.is_told(wait.id)).map(|wait| wait.id)
    }

    /// Whether a call waits for a child run, and nobody has gone on without it.
    pub(in crate::session) fn awaits_child(&self) -> bool {
        let is_open = |child: &Child| {
            let call = self.state.call(&child.delegation.call);
            !child.ended && call.is_some_and(|call| call.result.is_none())
        };
        self.state.subtasks.children.iter().any(is_open)
    }
}

fn reason_of(code: &str) -> &'static str {
    match code {
        "superseded" => "the phase has moved on",
        _ => "the user cancelled",
    }
}
