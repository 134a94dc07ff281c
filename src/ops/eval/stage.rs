//! One interview: the real engine over a store in memory, a platform on which nothing is lost, and a simulated
//! participant.

use std::{path::Path, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    super::stage::{Scene, Stage, answer, decider},
    Setup,
    participant::{Act, Participant, View},
    persona::{End, Persona},
};
use crate::{
    base::clock::Clock as _,
    engine::{Error, InboundKind},
    model::{
        session::{Platform, Status},
        transcript::{Audience, Event, Recorded},
        ui::{Control, Decision, Reply},
        wait::{Answerers, Wait},
    },
    session::{Responder, State},
};

/// Acts in a row after which there was nothing to answer and that lead nowhere.
const PATIENCE: u32 = 3;

/// Failures in a row of the model that are waited for.
const FAILURES_MAX: u32 = 6;

/// What an interview was.
#[derive(Debug)]
pub(super) struct Interview {
    /// Everything that happened, also where it was erased in the end.
    pub(super) events: Vec<Recorded>,
    /// What the events add up to.
    pub(super) state: State,
    pub(super) end: End,
    /// Times at which the participant had nothing to answer, by the last event before.
    pub(super) stalls: Vec<u64>,
    /// Acts that answered something, by the last event before.
    pub(super) answers: Vec<u64>,
    /// What stood in the files that were sent.
    pub(super) files: Vec<String>,
}

/// An interview under way.
struct Interviewing {
    stage: Stage,
    /// As they stood last.
    events: Vec<Recorded>,
    /// The last event before the participant's last act.
    seen: u64,
    files: Vec<String>,
}

/// Interviews a persona. `folder` is an empty one that may be filled.
pub(super) async fn interview(
    setup: &Setup,
    persona: &Persona,
    folder: &Path,
) -> Result<Interview, Error> {
    let mut room = Interviewing::begun(setup, folder).await?;
    let mut participant = Participant::new(persona);
    let (mut stalls, mut answers, mut idle) = (Vec::new(), Vec::new(), 0);
    let most = match setup.flow.flow.limits.turns {
        0 => u32::MAX,
        turns => turns,
    };
    let mut end = None;
    for _ in 0..most {
        let Some(state) = room.rest().await? else {
            end = Some(End::Erased);
            break;
        };
        end = ended(&state);
        if end.is_some() {
            break;
        }
        let view = room.view(&state);
        if view.asks() {
            idle = 0;
        } else {
            stalls.push(state.seq);
            idle += 1;
        }
        if idle > PATIENCE {
            break;
        }
        let act = participant.act(&view);
        if matches!(act, Act::Answer(..) | Act::Say(_, true)) {
            answers.push(state.seq);
        }
        room.perform(act).await?;
    }
    if end.is_none() {
        end = Some(match room.rest().await? {
            None => End::Erased,
            Some(state) => ended(&state).unwrap_or(End::Unfinished),
        });
    }
    let state = State::fold(&room.events).ok_or(Error::NoSession)?;
    let end = end.unwrap_or(End::Unfinished);
    Ok(Interview { events: room.events, state, end, stalls, answers, files: room.files })
}

fn ended(state: &State) -> Option<End> {
    match state.status {
        Status::Completed => Some(End::Finished),
        Status::Stopped | Status::Declined | Status::Ended => Some(End::Stopped),
        _ if state.handoff.is_some() => Some(End::HandedOver),
        Status::Notice | Status::Open | Status::Paused => None,
    }
}

impl Interviewing {
    async fn begun(setup: &Setup, folder: &Path) -> Result<Self, Error> {
        let scene = Scene {
            flow: Arc::clone(&setup.flow),
            toolbox: Arc::clone(&setup.toolbox),
            tasks: Arc::clone(&setup.tasks),
            models: setup.models.clone(),
            extractor: setup.extractor.clone(),
            clock: Arc::clone(&setup.clock),
            window_tokens: setup.window_tokens,
            platform: Platform::Web,
        };
        let stage = Stage::set(&scene, folder).await?;
        Ok(Self { stage, events: Vec::new(), seen: 0, files: Vec::new() })
    }

    /// Waits until it is the participant's turn; the state then, or `None` if everything was erased. Deciders approve
    /// at once, and a model that fails is waited for.
    async fn rest(&mut self) -> Result<Option<State>, Error> {
        let mut failures = 0;
        loop {
            let Some(events) = self.stage.rest().await? else { return Ok(None) };
            self.events = events;
            let Some(state) = State::fold(&self.events) else { return Ok(None) };
            if let Some((wait, by)) = request(&state) {
                let reply = Reply::Decided { decision: Decision::Approved, feedback: None };
                self.stage.receive(by, answer(&wait, reply)).await?;
                continue;
            }
            match self.retry_at() {
                Some(at) if failures < FAILURES_MAX && state.status == Status::Open => {
                    failures += 1;
                    let wait = (at - self.stage.clock.now()).max(TimeDelta::seconds(1));
                    self.stage.pass(wait).await;
                }
                _ => return Ok(Some(state)),
            }
        }
    }

    /// When the model is asked again, where it failed last.
    fn retry_at(&self) -> Option<DateTime<Utc>> {
        let last = self.events.iter().rev().find_map(|recorded| match &*recorded.event {
            Event::ThinkingFailed { again_at, .. } => Some(*again_at),
            Event::Thought(_) | Event::ScriptLeads { .. } | Event::Said { .. } => Some(None),
            _ => None,
        });
        last.flatten()
    }

    /// What the participant sees.
    fn view(&self, state: &State) -> View {
        let is_theirs = |wait: &&Wait| wait.answerers == Answerers::Participant;
        let cards: Vec<Wait> = state.pending().filter(is_theirs).cloned().collect();
        let news = self.events.iter().filter(|recorded| recorded.seq > self.seen);
        let news = news.filter_map(|recorded| match &*recorded.event {
            Event::Posted { audience: Audience::Participant, text, .. } => Some(text.common_mark()),
            _ => None,
        });
        View { cards, news: news.collect() }
    }

    async fn perform(&mut self, act: Act) -> Result<(), Error> {
        let what = match act {
            Act::Answer(wait, reply) => answer(&wait, reply),
            Act::Say(text, _) => InboundKind::Said { text, source: None },
            Act::Wait(hours) => {
                self.stage.pass(TimeDelta::hours(i64::from(hours))).await;
                return Ok(());
            }
            Act::Send { name, content } => match self.send(&name, content).await? {
                Some(what) => what,
                None => return Ok(()),
            },
        };
        // What they had to answer stands until they do something about it.
        self.seen = self.events.last().map_or(0, |last| last.seq);
        self.stage.act(what).await?;
        Ok(())
    }

    /// Sends a file; nothing where it is refused at once.
    async fn send(&mut self, name: &str, content: String) -> Result<Option<InboundKind>, Error> {
        let state = State::fold(&self.events);
        let asked = state
            .iter()
            .flat_map(State::pending)
            .find_map(|wait| matches!(wait.prompt.control, Control::Upload(_)).then_some(wait.id));
        let bytes = content.clone().into_bytes();
        match self.stage.engine.keep_file(self.stage.session, asked, name, bytes).await? {
            Ok(artifact) => {
                self.files.push(content);
                Ok(Some(InboundKind::Sent { wait: asked, files: vec![artifact] }))
            }
            Err(_refusal) => Ok(None),
        }
    }
}

/// An open request to the team that one decides, with somebody who may.
fn request(state: &State) -> Option<(Wait, Responder)> {
    let mut alone = state.pending().filter(|wait| wait.quorum == 1);
    alone.find_map(|wait| Some((wait.clone(), decider(wait, 1)?)))
}
