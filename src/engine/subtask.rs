//! Child runs: begins them, shows their questions at their root, hands their results back, recalls and erases them.
//!
//! Every step is made from what is stored and may be made again: the child has the id that its parent noted before it
//! existed, and each side takes what the other tells it once ([`crate::session::subtasks`] has the table). A child run
//! has work in progress until its parent knows what came of it, so its `Work` timer brings it back after a crash.
//!
//! Whether somebody still wants it is looked at before each call of the model: a child run whose parent was erased, or
//! has gone on, costs nothing more.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

use super::{CONFLICTS_MAX, Engine, Error, session_task::TaskCommand};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::{CallId, SessionId, WaitId},
    },
    flow::subtasks::{LoadedTask, admit},
    model::{
        artifact::Artifact,
        session::FlowPin,
        task::{Assignment, Conclusion, Delegation},
        transcript::{CallResult, Started},
        ui::Reply,
        usage::Usage,
        wait::Wait,
    },
    session::{Changes, SessionView, State, Suspension, decide},
    store::{self, Find, Loaded},
    tool::{Handed, Outcome, SubtaskRequest, ToolError, Waiting, pipeline},
};

/// Sessions looked at in one go.
const PAGE: usize = 256;

impl Engine {
    /// Hands what a tool came to back to the session.
    pub(super) fn conclude(
        &self,
        changes: &mut Changes,
        call: &CallId,
        result: Result<Outcome, CallResult>,
    ) {
        match result {
            Ok(Outcome::Immediate(value)) => self.succeed(changes, call, value),
            Ok(Outcome::Made { value, handed }) => {
                // A call has one result, and what it made goes out with that one.
                let is_new = changes.state.call(call).is_some_and(|known| known.result.is_none());
                for Handed { what, text } in handed.into_iter().filter(|_| is_new) {
                    changes.hand(what, &text);
                }
                self.succeed(changes, call, value);
            }
            Ok(Outcome::Waiting(_)) if changes.withholds(call) => changes.withhold(call),
            Ok(Outcome::Waiting(waiting)) => {
                let Waiting { prompt, state, answerers, expires_at } = *waiting;
                changes.suspend(call, Suspension { prompt, state, answerers, expires_at });
            }
            Ok(Outcome::Subtask(request)) => match self.plan(changes, call, request) {
                Ok(delegation) => changes.delegate(delegation),
                Err(refusal) => changes.finish(call, refusal),
            },
            Err(failure) => changes.finish(call, failure),
        }
    }

    /// Ends a call with what it came to, and notes what the bot was used for if it did what it was for.
    fn succeed(&self, changes: &mut Changes, call: &CallId, value: Value) {
        let result = CallResult::Ok { value };
        let tool = changes.state.call(call).and_then(|known| {
            let tool = self.inner.parts.toolbox.get(&known.call.tool);
            tool.filter(|_| known.result.is_none() && result.is_success())
        });
        if let Some(capability) = tool.and_then(|tool| tool.spec().capability) {
            changes.note_capability(capability);
        }
        changes.finish(call, result);
    }

    /// The child run that a call asks for, or why there will be none.
    fn plan(
        &self,
        view: &SessionView,
        call: &CallId,
        request: SubtaskRequest,
    ) -> Result<Delegation, CallResult> {
        let refused =
            |code: &str, message: String| Err(CallResult::Err { code: code.to_owned(), message });
        if !self.has_model(&view.state.place) {
            return Err(ToolError::NotConfigured("Running agents").into());
        }
        let SubtaskRequest { description, inputs, template_hints, .. } = request;
        let tasks = &self.inner.parts.tasks;
        let choice = tasks.choose(&template_hints, &description);
        let Some(task) = choice.task.and_then(|name| tasks.get(&name)) else {
            let message = "no task fits this. hint: do this part yourself".to_owned();
            return refused("no_task", message);
        };
        if let Some(complaint) = misfit(task, &inputs) {
            return refused("invalid_parameters", complaint);
        }
        let path = view.state.subtasks.lineage();
        let own = task.ancestor(&inputs);
        if let Err(breach) = admit(path, &own) {
            return refused(breach.code(), breach.to_string());
        }
        let mut lineage = path.to_vec();
        lineage.push(own);
        Ok(Delegation {
            call: call.clone(),
            child: SessionId::mint(self.inner.parts.ids.as_ref()),
            task: FlowPin {
                id: task.template.name.clone(),
                version: task.template.version.clone(),
                digest: task.run.digest.clone(),
            },
            description,
            input: inputs,
            lineage,
            tokens: task.template.budget.tokens.min(view.tokens_left()),
        })
    }

    /// Sees to it that a child run exists, and notes that it does.
    pub(super) async fn begin_child(
        &self,
        parent: &SessionView,
        id: SessionId,
    ) -> Result<(), Error> {
        let state = &parent.state;
        let session = state.session;
        let Some(child) = state.subtasks.child(id) else { return Ok(()) };
        let delegation = child.delegation.clone();
        hit(Failpoint::ChildDue);
        if self.inner.parts.store.load(id).await?.is_none()
            && let Err(lost) = self.create_child(parent, &delegation).await?
        {
            let cost = Usage::default();
            return self
                .decide(session, |parent| {
                    decide::child_ended(parent, id, "failed", lost.clone(), cost)
                })
                .await;
        }
        hit(Failpoint::ChildBegun);
        match self.decide(session, |parent| decide::child_begun(parent, id)).await {
            // Erased meanwhile: the child run must not outlive it.
            Err(Error::NoSession) => self.erase_child(id, "parent").await?,
            noted => noted?,
        }
        self.wake(id);
        Ok(())
    }

    /// Creates a child run; the inner error is the result of its call where it cannot be.
    async fn create_child(
        &self,
        view: &SessionView,
        delegation: &Delegation,
    ) -> Result<Result<(), CallResult>, Error> {
        let Delegation { call, child, task, description, input, lineage, tokens } = delegation;
        let parent = &view.state;
        let parts = &self.inner.parts;
        let Some(template) =
            parts.tasks.get(&task.id).filter(|known| known.run.digest == task.digest)
        else {
            // It was asked for by a program that knew another one.
            return Ok(Err(pipeline::unavailable(&task.id)));
        };
        self.pin(&template.run).await?;
        let (root, root_call) = match &parent.subtasks.parent_link {
            Some(own) => (own.assignment.root, own.assignment.root_call.clone()),
            None => (parent.session, call.clone()),
        };
        let started = Started {
            time_zone: None,
            contact_source: None,
            invited_by: None,
            session: *child,
            flow: task.clone(),
            participant: parent.participant.clone(),
            name: parent.name.clone(),
            place: parent.place.clone(),
            test: parent.test,
            staff: false,
        };
        let assignment = Assignment {
            parent: parent.session,
            root,
            root_call,
            description: description.clone(),
            input: input.clone(),
            lineage: lineage.clone(),
            tokens: *tokens,
            never_ask: view.never_ask().to_vec(),
        };
        let flow = Arc::clone(&template.run);
        let ids = Arc::clone(&parts.ids);
        let begun = (started, assignment);
        let files = parent.artifacts.clone();
        let changes = decide::child_started(flow, begun, files, ids, parts.clock.now());
        match self.commit(changes.within(self.settings(&parent.place)), None).await {
            // Another process was faster.
            Ok(()) | Err(store::Error::Conflict { .. }) => Ok(Ok(())),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether somebody still wants what a child run comes to; it is recalled, or erased with its parent, where not.
    pub(super) async fn is_wanted(&self, child: &SessionView) -> Result<bool, Error> {
        let state = &child.state;
        let Some(own) = &state.subtasks.parent_link else { return Ok(true) };
        let id = state.session;
        match self.view(own.assignment.parent).await {
            Ok(parent) => {
                let known = parent.state.subtasks.child(id);
                if known.is_some_and(|known| !known.ended && known.dismissed.is_none()) {
                    return Ok(true);
                }
                self.decide(id, |child| decide::recalled(child, "nobody waits for it")).await?;
            }
            Err(Error::NoSession) => self.erase_child(id, "parent").await?,
            Err(error) => return Err(error),
        }
        Ok(false)
    }

    /// Tells a child run that it is not wanted any more.
    pub(super) async fn recall_child(
        &self,
        parent: &SessionView,
        id: SessionId,
    ) -> Result<(), Error> {
        let session = parent.state.session;
        let child = parent.state.subtasks.child(id);
        let reason = child.and_then(|child| child.dismissed.clone()).unwrap_or_default();
        let told = self.decide(id, |child| decide::recalled(child, &reason)).await;
        match told {
            // It was never begun, or is gone.
            Err(Error::NoSession) => {
                let nothing =
                    CallResult::Err { code: "user_cancelled".to_owned(), message: reason };
                self.decide(session, |parent| {
                    let cost = Usage::default();
                    decide::child_ended(parent, id, "cancelled", nothing.clone(), cost)
                })
                .await
            }
            told => {
                told?;
                self.wake(id);
                self.decide(session, |parent| decide::child_recalled(parent, id)).await
            }
        }
    }

    /// Shows a child run's question at its root.
    pub(super) async fn raise(&self, child: &SessionView, id: WaitId) -> Result<(), Error> {
        let state = &child.state;
        let Some((own, wait)) = state.subtasks.parent_link.as_ref().zip(state.waits.get(&id))
        else {
            return Ok(());
        };
        let Assignment { root, root_call, lineage, .. } = &own.assignment;
        let asked =
            self.decide(*root, |root| decide::child_asks(root, wait, root_call, lineage)).await;
        hit(Failpoint::ChildRaised);
        match asked {
            Err(Error::NoSession) => self.erase_child(state.session, "parent").await,
            asked => {
                asked?;
                self.decide(state.session, |child| decide::raised(child, id)).await
            }
        }
    }

    /// Tells a child run what came of its question; false where it is gone.
    pub(super) async fn tell_child(
        &self,
        child: SessionId,
        inner: WaitId,
        (wait, root): (&Wait, &State),
    ) -> Result<bool, Error> {
        let files: Vec<Artifact> = match wait.status.answer() {
            Some((Reply::Uploaded { artifacts }, ..)) => {
                root.artifacts.iter().filter(|file| artifacts.contains(&file.id)).cloned().collect()
            }
            Some(_) | None => Vec::new(),
        };
        let tell = |child| decide::told(child, inner, &wait.status, files.clone());
        let told = self.decide(child, tell).await;
        hit(Failpoint::ChildTold);
        match told {
            Err(Error::NoSession) => Ok(false),
            told => {
                told?;
                self.wake(child);
                Ok(true)
            }
        }
    }

    /// Hands what a child run came to to its parent, as the result of the call.
    pub(super) async fn report(&self, child: &SessionView) -> Result<(), Error> {
        let state = &child.state;
        let id = state.session;
        let Some(own) = &state.subtasks.parent_link else { return Ok(()) };
        let Some(conclusion) = &own.conclusion else { return Ok(()) };
        let parent = own.assignment.parent;
        let cost = state.model_turn.spent;
        hit(Failpoint::ChildEnded);
        let told = self
            .decide(parent, |parent| {
                let result = self.result_of(&parent, id, conclusion);
                decide::child_ended(parent, id, conclusion.word(), result, cost)
            })
            .await;
        hit(Failpoint::ChildReported);
        match told {
            Err(Error::NoSession) => self.erase_child(id, "parent").await,
            told => {
                told?;
                self.wake(parent);
                self.decide(id, decide::reported).await
            }
        }
    }

    /// What a call comes to whose child run has ended, in the words of its tool.
    fn result_of(
        &self,
        parent: &SessionView,
        child: SessionId,
        conclusion: &Conclusion,
    ) -> CallResult {
        let known = parent.state.subtasks.child(child);
        let call = known.and_then(|known| parent.state.call(&known.delegation.call));
        let name = call.map(|call| call.call.tool.as_str()).unwrap_or_default();
        let Some(tool) = self.inner.parts.toolbox.get(name) else {
            return pipeline::unavailable(name);
        };
        match tool.deliver(child, conclusion) {
            Ok(value) => CallResult::Ok { value },
            Err(error) => error.into(),
        }
    }

    /// Has a session go on. Where there is no room just now, its `Work` timer brings it back.
    fn wake(&self, session: SessionId) {
        if self.dispatch(session, TaskCommand::Work).is_err() {
            tracing::debug!(session.id = %session, "a session goes on a little later");
        }
    }

    /// The child runs of a session, and theirs, in the order in which they were asked for; those that cannot be read are
    /// left out.
    pub(crate) async fn children_of(&self, session: SessionId) -> Result<Vec<Loaded>, Error> {
        let mut found = Vec::new();
        let mut wanted = vec![session];
        while let Some(id) = wanted.pop() {
            let loaded = match self.inner.parts.store.load(id).await {
                Ok(Some(loaded)) => loaded,
                Ok(None) | Err(store::Error::Unreadable { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let state = State::fold(&loaded.events);
            let children = state.iter().flat_map(|state| &state.subtasks.children);
            // The first one comes off the end first.
            wanted.extend(children.rev().map(|child| child.delegation.child));
            if id != session {
                found.push(loaded);
            }
        }
        Ok(found)
    }

    /// Erases the child runs of a session, and theirs.
    pub(super) async fn erase_children(&self, state: &State, by: &str) -> Result<(), Error> {
        for child in &state.subtasks.children {
            self.erase_child(child.delegation.child, by).await?;
        }
        Ok(())
    }

    /// Erases the child runs of a session that cannot be read, and theirs: they are looked for among all.
    pub(super) async fn erase_children_of_unread(
        &self,
        session: SessionId,
        by: &str,
    ) -> Result<(), Error> {
        let mut after = None;
        loop {
            let children = Find::Children { after, limit: PAGE };
            let heads = self.inner.parts.store.find(children).await?;
            let Some(last) = heads.last() else { return Ok(()) };
            after = Some(last.id);
            for head in heads.iter().filter(|head| head.parent == Some(session)) {
                self.erase_child(head.id, by).await?;
            }
        }
    }

    /// Erases one child run and those below it. Again: erases nothing.
    pub(super) fn erase_child<'a>(
        &'a self,
        id: SessionId,
        by: &'a str,
    ) -> BoxFuture<'a, Result<(), Error>> {
        // Boxed, because it goes down the tree.
        Box::pin(async move {
            for _ in 0..CONFLICTS_MAX {
                let known = match self.view(id).await {
                    Ok(view) => Some(view),
                    Err(Error::NoSession) => return Ok(()),
                    // What cannot be read goes all the same.
                    Err(Error::BrokenFlow(_) | Error::Store(store::Error::Unreadable { .. })) => {
                        None
                    }
                    Err(error) => return Err(error),
                };
                if let Some(view) = &known {
                    self.erase_children(&view.state, by).await?;
                }
                match self.erase_known(id, known.as_ref(), by).await {
                    Err(Error::Store(store::Error::Conflict { .. })) => {}
                    erased => return erased.map(|_| ()),
                }
            }
            Err(Error::Busy)
        })
    }
}

/// What is wrong with what a child run is to be given.
fn misfit(task: &LoadedTask, input: &Value) -> Option<String> {
    let schema = task.input.as_ref()?;
    let errors = crate::session::answer::check_data(schema, input);
    let first = errors.first()?;
    Some(format!("`{}`: {} hint: mend the input of the task", first.path, first.message))
}
