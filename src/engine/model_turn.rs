//! The model's turn: asks it, hands its words out while it speaks, makes its calls, and copes when it fails.
//!
//! Nothing is written before the model has answered: a crash in the middle asks once more, with the same request, since
//! the request follows from the events alone. What a person does meanwhile is committed beside it and
//! is news in the next round; a conversation that is stopped, handed over or erased drops the answer, and the request.

mod answer;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::TimeDelta;
use futures::future::join_all;

use self::answer::{EMPTY, remedy, trouble, useful};
use super::{
    Engine, Error, Inner,
    change_feed::Follower,
    context_window,
    drafts::DraftSink,
    runner::{Step, millis, worked},
};
use crate::{
    base::ids::SessionId,
    flow::LoadedFlow,
    model::{
        session::{Place, Status},
        transcript::{Call, CallResult},
        usage::Usage,
    },
    ports::llm::{
        self, Models, Sink,
        chat::{self, Request, ToolSpec},
    },
    session::{Changes, Next, Response, Retry, SessionView, State, decide, topics},
    store::{self, Loaded},
    tool::{EffectClass, Outcome, pipeline::Ended},
};

/// A silence that needs a word of excuse, where the process that was to speak has ended.
const NOTICED: TimeDelta = TimeDelta::seconds(30);

/// How the model was asked.
struct Asked<'a> {
    /// It had been told that its last answer lacked something.
    is_nudged: bool,
    /// Whether it is asked once more if its answer is of no use.
    again: bool,
    /// Words of its last answer that this one goes on with.
    unsaid: &'a str,
    /// Topics that it must not ask about.
    never: &'a [String],
}

impl Asked<'_> {
    /// An answer that asks about nothing that is forbidden. One that does is asked for again; from the next such the
    /// question is left out when it is said.
    fn allowed(&self, session: SessionId, response: Response) -> Result<Response, &'static str> {
        let said = format!("{}{}", self.unsaid, response.text);
        let Some(found) = topics::forbidden(self.never, &said) else { return Ok(response) };
        let (topic, again) = (found.topic, self.again);
        tracing::warn!(
            session.id = %session, topic, again,
            "the model asked about something that the flow's `never_ask` forbids; the question is not sent"
        );
        if again { Err(topics::FORBIDDEN) } else { Ok(response) }
    }
}

/// What asking the model came to.
enum Thinking {
    Answered(chat::Completion),
    Failed(llm::Error),
    /// Nobody wants to know any more.
    Dropped,
}

impl Engine {
    /// Whether a model is configured for conversations there.
    pub(super) fn has_model(&self, place: &Place) -> bool {
        self.models(place).interview.is_some()
    }

    /// The models that conversations there use.
    pub(super) fn models(&self, place: &Place) -> &Models {
        self.inner.parts.models.of(self.inner.limits.tenants.at(place))
    }

    /// Asks the model for its next round and takes the answer in.
    pub(super) async fn think(
        &self,
        view: &SessionView,
        loaded: &Loaded,
        last: bool,
    ) -> Result<Step, Error> {
        let SessionView { flow, state, .. } = view;
        let Some(model) = self.models(&loaded.head.place).interview.clone() else {
            return self.think_without(loaded.head.id, state).await;
        };
        let (session, knew) = (loaded.head.id, loaded.head.seq);
        if let Some((scope, until)) = self.empty_account(session, &loaded.head.place).await? {
            let retry = Retry::At(until);
            let why = (scope.budget(), retry);
            self.fail_thinking((session, knew), why, Usage::default()).await?;
            return Ok(Step::Done);
        }
        if self.was_cut_off(state) {
            self.decide(session, decide::cut_off).await?;
            return Ok(Step::Done);
        }
        // After the last part, its tools stay listed.
        let last_part = || flow.flow.phase.last().map(|phase| phase.id.as_str());
        let phase = loaded.head.phase.as_deref().or_else(last_part).unwrap_or_default();
        let offered = &self.inner.offered_tools;
        let tools = offered.of(&self.inner.parts, flow, phase, (&**state).into());
        let is_long = state.model_turn.window > self.inner.limits.window_tokens;
        if is_long && self.shorten(view, loaded, &tools).await? {
            return Ok(Step::Done);
        }
        warn_of_limit(session, state, flow);
        let mut request = context_window::request(flow, &loaded.events, Arc::clone(&tools), last);
        request.max_tokens = state.model_turn.room;
        let reserve = model.fallback();
        let tries = if reserve.is_some() { TRIES + 1 } else { TRIES };
        let again = state.model_turn.useless + 1 < tries;
        let model = reserve.filter(|_| state.model_turn.useless >= TRIES).unwrap_or(model);
        // The draft ends with it, after the words were posted.
        let never = &flow.flow.policy.never_ask;
        let mut sink = DraftSink::begin(&self.inner.drafts, (session, knew), &request, never);
        match self.ask(model.as_ref(), &request, &mut sink, (session, knew)).await? {
            Thinking::Dropped => {}
            Thinking::Answered(answer) => {
                let is_nudged = state.model_turn.gaps > 0;
                let never: &[String] =
                    if state.subtasks.parent_link.is_some() { &[] } else { never };
                let asked = Asked { is_nudged, again, unsaid: &state.model_turn.unsaid, never };
                self.answered((session, knew), answer, asked).await?;
            }
            Thinking::Failed(llm::Error::Overflow(_) | llm::Error::TooLarge { .. })
                if self.shorten(view, loaded, &tools).await? => {}
            Thinking::Failed(error) => self.failed((session, knew), &error, again).await?,
        }
        Ok(Step::Done)
    }

    /// Whether a process before this one ended while somebody waited for the model for so long that they must have
    /// noticed. What is said about it is an event of this process, so it is said once.
    fn was_cut_off(&self, state: &State) -> bool {
        let since = state.updated_at;
        state.subtasks.parent_link.is_none()
            && state.model_turn.failures == 0
            && state.status == Status::Open
            && since < self.inner.began
            && self.inner.parts.clock.now() - since > NOTICED
    }

    /// The model was taken away: a child run says so, everything else rests until there is one.
    async fn think_without(&self, session: SessionId, state: &State) -> Result<Step, Error> {
        if state.subtasks.parent_link.is_none() {
            return Ok(Step::Rest);
        }
        let why = ("unavailable", "this is not available any more");
        self.decide(session, |view| decide::child_failed(view, why.0, why.1)).await?;
        Ok(Step::Done)
    }

    /// Asks until there is an answer, or nobody wants it any more.
    async fn ask(
        &self,
        model: &dyn llm::Model,
        request: &Request,
        sink: &mut dyn Sink,
        (session, knew): (SessionId, u64),
    ) -> Result<Thinking, Error> {
        let follower = self.inner.change_feed.follow(session);
        let clock = &self.inner.parts.clock;
        let began = clock.now();
        tokio::select! {
            answer = model.chat(request, sink) => Ok(match answer {
                Ok(mut answer) => {
                    answer.usage.calls = 1;
                    answer.usage.millis = millis(clock.now() - began);
                    Thinking::Answered(answer)
                }
                Err(error) => Thinking::Failed(error),
            }),
            gone = self.until_unwanted((session, knew), follower) => gone.map(|()| Thinking::Dropped),
            () = self.inner.closing.cancelled() => Ok(Thinking::Dropped),
        }
    }

    /// Resolves when the session does not want the model's answer any more.
    async fn until_unwanted(
        &self,
        (session, knew): (SessionId, u64),
        mut follower: Follower<'_>,
    ) -> Result<(), Error> {
        loop {
            follower.changed().await;
            if !self.view(session).await?.awaits_answer(knew) {
                return Ok(());
            }
        }
    }

    async fn answered(
        &self,
        (session, knew): (SessionId, u64),
        answer: chat::Completion,
        asked: Asked<'_>,
    ) -> Result<(), Error> {
        let again = asked.again;
        let (usage, finish) = (answer.usage, answer.finish.word());
        let answer = match useful(answer) {
            // It was asked whether something is missing.
            Err(EMPTY) if asked.is_nudged => Ok(Response { usage, ..Response::default() }),
            Ok(response) => asked.allowed(session, response),
            other => other,
        };
        match answer {
            Ok(response) => {
                if self.go_on_at_once(session, knew, &response).await? {
                    return Ok(());
                }
                let waits = self.may_wait(&response);
                self.decide(session, |view| decide::thought(view, knew, response.clone(), waits))
                    .await
            }
            Err(code) => {
                tracing::warn!(
                    session.id = %session, cause = code, finish, tokens.out = usage.output, again,
                    "the model's answer was of no use. hint: {}", remedy(code)
                );
                let retry = if again { Retry::Now } else { Retry::Later };
                self.fail_thinking((session, knew), (code, retry), usage).await
            }
        }
    }

    /// Whether the words of an answer may wait for what becomes of its calls: only where that is known at once.
    fn may_wait(&self, response: &Response) -> bool {
        let is_unknown = |tool: &str| self.inner.parts.toolbox.get(tool).is_none();
        response.calls.iter().all(|(tool, _)| self.is_at_once(tool) || is_unknown(tool))
    }

    /// Takes an answer in together with its calls where all of them are made at once: they reach nothing outside, so one
    /// commit loses nothing that two would keep. Whether it did; else nothing has changed.
    async fn go_on_at_once(
        &self,
        session: SessionId,
        knew: u64,
        response: &Response,
    ) -> Result<bool, Error> {
        if !response.calls.iter().all(|(tool, _)| self.is_at_once(tool)) {
            return Ok(false);
        }
        let view = self.view(session).await?;
        let mut changes = decide::thought(view, knew, response.clone(), true);
        if let Next::Round(wanted) = changes.next() {
            let calls;
            (changes, calls) = self.begin_round(changes, wanted);
            (changes, _) = self.make_round(changes, calls).await;
        }
        if changes.is_empty() {
            return Ok(true);
        }
        match self.commit(changes, None).await {
            Err(store::Error::Conflict { .. }) => Ok(false),
            other => Ok(other.map(|()| true)?),
        }
    }

    async fn failed(
        &self,
        (session, knew): (SessionId, u64),
        error: &llm::Error,
        again: bool,
    ) -> Result<(), Error> {
        tracing::warn!(session.id = %session, %error, "the model gave no answer");
        self.tell_of_trouble(session, error).await?;
        let retry = match error {
            llm::Error::Refused(_) if again => Retry::Now,
            llm::Error::Overflow(_) | llm::Error::TooLarge { .. } | llm::Error::Invalid(_) => {
                Retry::Never
            }
            // Only people mend these.
            llm::Error::Misconfigured(_) | llm::Error::Exhausted(_) | llm::Error::Refused(_) => {
                Retry::Later
            }
            llm::Error::Transient { retry_after, .. }
            | llm::Error::RateLimited { retry_after, .. } => soon(*retry_after),
            llm::Error::Resting(rest) => soon(Some(*rest)),
            llm::Error::Timeout(_)
            | llm::Error::Cut
            | llm::Error::BadAnswer(_)
            | llm::Error::Busy => soon(None),
        };
        self.fail_thinking((session, knew), (error.word(), retry), Usage::default()).await
    }

    /// Tells the staff of a tenant, or else of the bot, of a failure that does not pass by itself; once in a while, whoever's
    /// session it is. Where that could not be saved, the next failure tells them.
    async fn tell_of_trouble(&self, session: SessionId, error: &llm::Error) -> Result<(), Error> {
        let Some((word, text)) = trouble(error) else { return Ok(()) };
        let view = self.view(session).await?;
        let tenant = self.inner.limits.tenants.at(&view.state.place);
        let tenant = tenant.map(|tenant| tenant.name.as_str()).unwrap_or_default();
        if !self.inner.told.is_trouble_news((tenant, word), self.inner.parts.clock.now()) {
            return Ok(());
        }
        let saved = self.decide(session, |view| decide::model_in_trouble(view, text)).await;
        if saved.is_err() {
            self.inner.told.forget_trouble((tenant, word));
        }
        saved
    }

    async fn fail_thinking(
        &self,
        (session, knew): (SessionId, u64),
        (code, retry): (&str, Retry),
        usage: Usage,
    ) -> Result<(), Error> {
        self.decide(session, |view| decide::thinking_failed(view, knew, (code, retry), usage)).await
    }

    /// Has the model make a short form of the older half, with these tools listed: some refuse calls in a conversation
    /// without them. Whether it did.
    async fn shorten(
        &self,
        SessionView { state, flow, .. }: &SessionView,
        loaded: &Loaded,
        tools: &Arc<[ToolSpec]>,
    ) -> Result<bool, Error> {
        let model = self.models(&loaded.head.place).interview.clone();
        let Some(model) = model else { return Ok(false) };
        let (session, asked) = (loaded.head.id, (loaded.head.id, loaded.head.seq));
        let Some(through) = context_window::cut(&loaded.events, state.model_turn.summarised) else {
            return Ok(false);
        };
        let request =
            context_window::summary_request(flow, &loaded.events, Arc::clone(tools), through);
        let answer = match self.ask(model.as_ref(), &request, &mut llm::Silent, asked).await? {
            Thinking::Answered(answer) => answer,
            Thinking::Dropped => return Ok(true),
            Thinking::Failed(error) => {
                tracing::warn!(session.id = %session, %error, "the conversation could not be shortened");
                return Ok(false);
            }
        };
        let usage = answer.usage;
        if answer.text.trim().is_empty() {
            self.decide(session, |view| decide::spent(view, usage)).await?;
            return Ok(false);
        }
        let text = answer.text.trim().to_owned();
        self.decide(session, |view| decide::summarised(view, through, text.clone(), usage)).await?;
        Ok(true)
    }

    /// Makes the calls of a round: those that only look or ask at the same time, those that change the session one
    /// after the other; what they come to goes back together, in the model's order.
    pub(super) async fn round(&self, changes: Changes, wanted: Vec<Call>) -> Result<(), Error> {
        let session = changes.state.session;
        let (mut changes, calls) = self.begin_round(changes, wanted);
        if calls.iter().any(|call| self.reaches_outside(call)) {
            self.commit(changes, None).await?;
            changes = self.view(session).await?.into();
        }
        let (changes, alone) = self.make_round(changes, calls).await;
        match self.commit(changes, None).await {
            Err(store::Error::Conflict { .. }) => {
                // What changed the session was decided on what is gone: those calls are made again.
                for Made { call, result, took, cost } in alone {
                    self.conclude_later(session, &call, (result, took, cost)).await?;
                }
                Ok(())
            }
            other => Ok(other?),
        }
    }

    /// Notes the calls of a round as begun, with the arguments that they are made with.
    fn begin_round(&self, changes: Changes, wanted: Vec<Call>) -> (Changes, Vec<Call>) {
        let shared = Mutex::new(changes);
        let prepare = |call: Call| self.inner.pipeline.prepare(&call, &shared).unwrap_or(call);
        let calls: Vec<Call> = wanted.into_iter().map(prepare).collect();
        let mut changes = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        for call in &calls {
            changes.begin(call);
        }
        (changes, calls)
    }

    /// Makes the calls of a round and tells the session what they came to; besides, those that changed nothing in it
    /// while they ran.
    async fn make_round(&self, changes: Changes, calls: Vec<Call>) -> (Changes, Vec<Made>) {
        let now = self.inner.parts.clock.now();
        let shared = Mutex::new(changes);
        let run = |call: &Call| {
            let (call, shared, Inner { pipeline, parts, .. }) =
                (call.clone(), &shared, &*self.inner);
            async move {
                let began = parts.clock.now();
                let Ended { result, cost } = pipeline.execute(&call, shared, now).await;
                Made { call, result, took: parts.clock.now() - began, cost }
            }
        };
        let (ordered, free): (Vec<&Call>, Vec<&Call>) =
            calls.iter().partition(|call| self.changes_session(call));
        let mut made: Vec<Made> = join_all(free.into_iter().map(run)).await;
        let alone = made.clone();
        for call in ordered {
            made.push(run(call).await);
        }
        let mut changes = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_withheld =
            |made: &Made| is_waiting(&made.result) && changes.withholds(&made.call.id);
        let (withheld, others): (Vec<&Made>, Vec<&Made>) =
            made.iter().partition(|m| is_withheld(m));
        let has_worked = others.iter().any(|made| !has_failed(&made.result));
        if has_worked || (!withheld.is_empty() && changes.holds_more_than_a_question()) {
            // Above the cards that the calls have come to.
            changes.say_held();
        }
        let waiting = made.iter().filter(|made| is_waiting(&made.result));
        let (waiting, mut nth) = (waiting.count(), 0);
        for call in &calls {
            let Some(found) = made.iter().find(|made| made.call.id == call.id) else { continue };
            let result = found.result.clone().map(|outcome| counted(outcome, &mut nth, waiting));
            worked(&mut changes, &call.id, (found.took, found.cost));
            self.conclude(&mut changes, &call.id, result);
        }
        (changes, alone)
    }

    fn reaches_outside(&self, call: &Call) -> bool {
        let tool = self.inner.parts.toolbox.get(&call.tool);
        tool.is_some_and(|tool| match tool.spec().effect_class {
            EffectClass::Pure => false,
            EffectClass::Idempotent | EffectClass::Reconcile | EffectClass::AtMostOnce => true,
        })
    }

    fn changes_session(&self, call: &Call) -> bool {
        let tool = self.inner.parts.toolbox.get(&call.tool);
        tool.is_some_and(|tool| tool.spec().changes_session)
    }
}

/// In a moment, and not before the provider wants to be asked again.
fn soon(asked: Option<Duration>) -> Retry {
    let asked = asked.and_then(|asked| TimeDelta::from_std(asked).ok());
    Retry::Soon(asked.unwrap_or_default().min(ASKED_MAX))
}

/// Longest pause that a provider is believed.
const ASKED_MAX: TimeDelta = TimeDelta::hours(1);

/// A call of a round that has run.
#[derive(Clone)]
struct Made {
    call: Call,
    result: Result<Outcome, CallResult>,
    took: TimeDelta,
    cost: Usage,
}

fn is_waiting(result: &Result<Outcome, CallResult>) -> bool {
    matches!(result, Ok(Outcome::Waiting(_)))
}

fn has_failed(result: &Result<Outcome, CallResult>) -> bool {
    match result {
        Ok(Outcome::Immediate(value)) => !CallResult::Ok { value: value.clone() }.is_success(),
        Ok(Outcome::Waiting(_) | Outcome::Made { .. } | Outcome::Subtask(_)) => false,
        Err(result) => !result.is_success(),
    }
}

/// "1 of 2" on the cards of one round.
fn counted(mut outcome: Outcome, nth: &mut usize, of: usize) -> Outcome {
    if let Outcome::Waiting(waiting) = &mut outcome {
        *nth += 1;
        if of > 1 {
            waiting.prompt.notes.push(format!("{nth} of {of}").into());
        }
    }
    outcome
}

/// Answers of no use that a model may give in a row before its fallback is asked, or it is left alone.
const TRIES: u32 = 2;

/// The operator is told of a turn that has used up its rounds: either the model goes in circles, or the flow's
/// limit is too low for its work.
fn warn_of_limit(session: SessionId, state: &State, flow: &LoadedFlow) {
    let limit = flow.flow.limits.model_rounds;
    if state.subtasks.parent_link.is_none() && state.model_turn.round >= limit {
        tracing::warn!(
            session.id = %session, rounds = limit,
            "the model has used up the rounds of its turn. hint: if its work needs more, raise `model_rounds` of the flow"
        );
    }
}
