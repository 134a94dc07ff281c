//! One interview: the real engine over a store in memory, a platform on which nothing is lost, and a simulated
//! participant.

use std::{
    collections::BTreeMap,
    num::NonZeroU32,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Setup,
    participant::{Act, Participant, View},
    persona::{End, Persona},
};
use crate::{
    artifacts::Artifacts,
    clock::Clock,
    contacts::Contacts,
    engine::{Engine, Error, Gateway, Inbound, Limits, Parts, Receipt, What},
    flows::Library,
    ids::{CountingIds, Ids, SessionId},
    interview::{Responder, State},
    model::{
        effect::{Delivery, Effect, Rendering},
        session::{PersonId, Place, Platform, Status},
        transcript::{Audience, Event, Recorded, Via},
        ui::{Control, Decision, Reply},
        wait::{Answerers, Wait},
    },
    store::{Store as _, memory::MemoryStore},
    tool::Services,
};

/// Longest time that the engine may be at work on one act of the participant.
const STEP_MAX: Duration = Duration::from_mins(15);

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

/// A clock that runs with another one, ahead of it.
#[derive(Debug)]
struct Ahead {
    base: Arc<dyn Clock>,
    by: Mutex<TimeDelta>,
}

impl Ahead {
    fn advance(&self, step: TimeDelta) {
        *self.by.lock().unwrap_or_else(PoisonError::into_inner) += step;
    }
}

impl Clock for Ahead {
    fn now(&self) -> DateTime<Utc> {
        self.base.now() + *self.by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A platform on which everything arrives.
#[derive(Debug)]
struct Arrives;

#[async_trait]
impl Gateway for Arrives {
    fn platform(&self) -> Platform {
        Platform::Web
    }

    async fn deliver(&self, effect: &Effect, _shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        Delivery::delivered(Some(effect.id.to_string()))
    }
}

struct Stage {
    engine: Engine,
    store: Arc<MemoryStore>,
    clock: Arc<Ahead>,
    session: SessionId,
    keys: u64,
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
    let mut room = Stage::set(setup, folder).await?;
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

fn participant() -> Responder {
    Responder::without_rights(PersonId::web("participant"), "Ada".to_owned())
}

impl Stage {
    async fn set(setup: &Setup, folder: &Path) -> Result<Self, Error> {
        let mut library = Library::default();
        library.insert(Arc::clone(&setup.flow));
        let clock = Arc::new(Ahead { base: Arc::clone(&setup.clock), by: Mutex::default() });
        let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
        let store = Arc::new(MemoryStore::default());
        let files = Artifacts::new(
            folder,
            Arc::<MemoryStore>::clone(&store),
            Arc::<Ahead>::clone(&clock),
            Arc::clone(&ids),
            setup.extractor.clone(),
        );
        let files = files
            .map_err(|error| Error::Store(crate::store::Error::Unavailable(Arc::new(error))))?;
        let parts = Parts {
            store: Arc::<MemoryStore>::clone(&store),
            clock: Arc::<Ahead>::clone(&clock),
            ids,
            library: Arc::new(library),
            toolbox: Arc::clone(&setup.toolbox),
            tasks: Arc::clone(&setup.tasks),
            artifacts: Arc::new(files),
            contacts: Arc::new(Contacts::new(Vec::new())),
            webhooks: Arc::new(BTreeMap::new()),
            models: setup.models.clone(),
            services: Services::default(),
        };
        let limits = Limits {
            per_minute: NonZeroU32::MAX,
            window_tokens: setup.window_tokens,
            ..Limits::default()
        };
        let engine = Engine::limited(parts, vec![Arc::new(Arrives)], limits);
        let place = Place {
            platform: Platform::Web,
            workspace: "local".to_owned(),
            channel: "room".to_owned(),
            thread: None,
        };
        let flow = &setup.flow.flow.id;
        let session = engine.start(flow, &participant(), place, "start").await?;
        let (events, files) = (Vec::new(), Vec::new());
        Ok(Self { engine, store, clock, session, keys: 0, events, seen: 0, files })
    }

    /// Waits until it is the participant's turn; the state then, or none where everything was erased. Deciders approve
    /// at once, and a model that fails is waited for.
    async fn rest(&mut self) -> Result<Option<State>, Error> {
        let mut failures = 0;
        loop {
            let settled = self.engine.settle_down();
            if tokio::time::timeout(STEP_MAX, settled).await.is_err() {
                tracing::warn!("an interview does not come to rest");
            }
            let Some(loaded) = self.store.load(self.session).await? else { return Ok(None) };
            self.events = loaded.events;
            let Some(state) = State::fold(&self.events) else { return Ok(None) };
            if let Some((wait, by)) = request(&state) {
                let reply = Reply::Decided { decision: Decision::Approved, feedback: None };
                self.receive(&by, answer(&wait, reply)).await?;
                continue;
            }
            match self.retry_at() {
                Some(at) if failures < FAILURES_MAX && state.status == Status::Open => {
                    failures += 1;
                    self.pass((at - self.clock.now()).max(TimeDelta::seconds(1))).await;
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

    /// Time passes, and what comes due happens.
    async fn pass(&self, time: TimeDelta) {
        self.clock.advance(time);
        self.engine.run_due().await;
        self.engine.sweep().await;
    }

    /// What the participant sees.
    fn view(&self, state: &State) -> View {
        let is_theirs = |wait: &&Wait| wait.answerers == Answerers::Participant;
        let cards: Vec<Wait> = state.pending().filter(is_theirs).cloned().collect();
        let news = self.events.iter().filter(|recorded| recorded.seq > self.seen);
        let news = news.filter_map(|recorded| match &*recorded.event {
            Event::Posted { audience: Audience::Participant, text, .. } => Some(text.clone()),
            _ => None,
        });
        View { cards, news: news.collect() }
    }

    async fn perform(&mut self, act: Act) -> Result<(), Error> {
        let what = match act {
            Act::Answer(wait, reply) => answer(&wait, reply),
            Act::Say(text, _) => What::Said { text, source: None },
            Act::Wait(hours) => {
                self.pass(TimeDelta::hours(i64::from(hours))).await;
                return Ok(());
            }
            Act::Send { name, content } => match self.send(&name, content).await? {
                Some(what) => what,
                None => return Ok(()),
            },
        };
        // What they had to answer stands until they do something about it.
        self.seen = self.events.last().map_or(0, |last| last.seq);
        self.receive(&participant(), what).await?;
        Ok(())
    }

    /// Sends a file; nothing where it is refused at once.
    async fn send(&mut self, name: &str, content: String) -> Result<Option<What>, Error> {
        let state = State::fold(&self.events);
        let asked = state
            .iter()
            .flat_map(State::pending)
            .find_map(|wait| matches!(wait.prompt.control, Control::Upload(_)).then_some(wait.id));
        let bytes = content.clone().into_bytes();
        match self.engine.keep_file(self.session, asked, name, bytes).await? {
            Ok(artifact) => {
                self.files.push(content);
                Ok(Some(What::Sent { wait: asked, files: vec![artifact] }))
            }
            Err(_refusal) => Ok(None),
        }
    }

    async fn receive(&mut self, from: &Responder, what: What) -> Result<Receipt, Error> {
        self.keys += 1;
        let key = format!("event-{}", self.keys);
        let inbound = Inbound { key, session: self.session, from: from.clone(), what };
        self.engine.receive(inbound).await
    }
}

fn answer(wait: &Wait, reply: Reply) -> What {
    What::Answer { wait: wait.id, revision: wait.revision, reply, via: Via::Component }
}

/// An open request to the team, with somebody who may decide it.
fn request(state: &State) -> Option<(Wait, Responder)> {
    state.pending().find_map(|wait| match &wait.answerers {
        Answerers::Deciders { alias, .. } if wait.quorum == 1 => {
            let person = PersonId::web("decider");
            let by = Responder {
                approver_of: vec![alias.clone()],
                ..Responder::without_rights(person, "Grace".to_owned())
            };
            Some((wait.clone(), by))
        }
        Answerers::Deciders { .. } | Answerers::Participant => None,
    })
}
