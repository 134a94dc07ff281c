//! A conversation without a chat: the real engine over a store in memory, and a platform on which everything arrives.

use std::{
    num::NonZeroU32,
    ops::Deref,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use crate::{
    base::{
        clock::Clock,
        ids::{CountingIds, SessionId},
    },
    engine::{Engine, Error, Gateway, Inbound, InboundKind, Limits, Parts, Receipt},
    flow::{Library, LoadedFlow, subtasks::Tasks},
    model::{
        contact::Contact,
        effect::{Act, Delivery, Effect, Recipient, Rendering},
        session::{PersonId, Place, Platform},
        transcript::{Recorded, Via},
        ui::Reply,
        wait::{Answerers, Wait},
    },
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::{ContactSource, Contacts, Fetched, Wanted},
        llm::Models,
    },
    session::{Responder, State},
    store::{Store as _, memory::MemoryStore},
    tool::{Services, Toolbox},
};

/// Longest time that the engine may be at work on one act of the participant.
const STEP_MAX: Duration = Duration::from_mins(15);

/// What a conversation is made with.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub(super) flow: Arc<LoadedFlow>,
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) tasks: Arc<Tasks>,
    pub(super) models: Models,
    pub(super) extractor: Extractor,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) window_tokens: u64,
    pub(super) platform: Platform,
}

/// A clock that runs with another one, ahead of it.
#[derive(Debug)]
pub(super) struct Ahead {
    base: Arc<dyn Clock>,
    by: Mutex<TimeDelta>,
}

impl Ahead {
    fn ahead(&self) -> TimeDelta {
        *self.by.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn advance(&self, step: TimeDelta) {
        *self.by.lock().unwrap_or_else(PoisonError::into_inner) += step;
    }
}

impl Clock for Ahead {
    fn now(&self) -> DateTime<Utc> {
        self.base.now() + self.ahead()
    }
}

/// A platform on which everything arrives.
#[derive(Debug)]
struct Arrives {
    platform: Platform,
    /// What the team was told.
    told: Mutex<Vec<String>>,
    /// What web hooks would have got.
    hooked: Mutex<Vec<Hooked>>,
}

/// A request that a web hook would have got: its alias and the payload.
pub(super) type Hooked = (String, Value);

#[async_trait]
impl Gateway for Arrives {
    fn platform(&self) -> Platform {
        self.platform
    }

    async fn deliver(&self, effect: &Effect, _shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        if let (Recipient::Channel { .. } | Recipient::Person { .. }, Act::Post { text, .. }) =
            (&effect.to, &effect.act)
        {
            self.told.lock().unwrap_or_else(PoisonError::into_inner).push(text.common_mark());
        }
        Delivery::delivered(Some(effect.id.to_string()))
    }

    fn see_unsent(&self, alias: &str, body: &Value) {
        let mut hooked = self.hooked.lock().unwrap_or_else(PoisonError::into_inner);
        hooked.push((alias.to_owned(), body.clone()));
    }
}

/// A contact source that knows one card, or none.
#[derive(Debug)]
pub(super) struct Known(pub(super) Option<Contact>);

#[async_trait]
impl ContactSource for Known {
    fn name(&self) -> &'static str {
        "vcard"
    }

    fn serves(&self, _person: &PersonId) -> bool {
        true
    }

    async fn fetch(&self, _wanted: &Wanted) -> Fetched {
        match &self.0 {
            Some(contact) => Fetched::Card(Box::new(contact.clone())),
            None => Fetched::not_found("the test has no card"),
        }
    }
}

/// What a conversation has that others don't share.
#[derive(Debug, Default)]
pub(super) struct Props {
    pub(super) contacts: Contacts,
    pub(super) store: Arc<MemoryStore>,
}

/// A conversation at rest, from which others can go on, each in a store of its own.
#[derive(Debug)]
pub(super) struct Snapshot {
    store: MemoryStore,
    ids: CountingIds,
    ahead: TimeDelta,
    session: SessionId,
    keys: u64,
}

impl Snapshot {
    /// The store of a conversation that goes on from here.
    pub(super) fn store(&self) -> MemoryStore {
        self.store.snapshot()
    }
}

/// What a conversation takes place in.
pub(super) struct Setting {
    pub(super) engine: Engine,
    pub(super) clock: Arc<Ahead>,
    store: Arc<MemoryStore>,
    ids: Arc<CountingIds>,
    gateway: Arc<Arrives>,
    participant: Responder,
}

/// One conversation under way.
pub(super) struct Stage {
    setting: Setting,
    pub(super) session: SessionId,
    keys: u64,
}

impl Setting {
    fn of(
        scene: &Scene,
        folder: &Path,
        Props { contacts, store }: Props,
        (ids, ahead): (CountingIds, TimeDelta),
    ) -> Result<Self, Error> {
        let mut library = Library::default();
        library.insert(Arc::clone(&scene.flow));
        let clock = Arc::new(Ahead { base: Arc::clone(&scene.clock), by: Mutex::new(ahead) });
        let ids = Arc::new(ids);
        let files = Artifacts::new(
            folder,
            Arc::<MemoryStore>::clone(&store),
            Arc::<Ahead>::clone(&clock),
            Arc::<CountingIds>::clone(&ids),
            scene.extractor.clone(),
        );
        let files = files
            .map(Artifacts::without_syncs)
            .map_err(|error| Error::Store(crate::store::Error::Unavailable(Arc::new(error))))?;
        let parts = Parts {
            store: Arc::<MemoryStore>::clone(&store),
            clock: Arc::<Ahead>::clone(&clock),
            ids: Arc::<CountingIds>::clone(&ids),
            library: Arc::new(library),
            toolbox: Arc::clone(&scene.toolbox),
            tasks: Arc::clone(&scene.tasks),
            artifacts: Arc::new(files),
            contacts: Arc::new(contacts),
            webhooks: Arc::default(),
            models: scene.models.clone(),
            services: Services::default(),
        };
        let limits = Limits {
            per_minute: NonZeroU32::MAX,
            window_tokens: scene.window_tokens,
            ..Limits::default()
        };
        let platform = scene.platform;
        let gateway =
            Arc::new(Arrives { platform, told: Mutex::default(), hooked: Mutex::default() });
        let gateways: Vec<Arc<dyn Gateway>> = vec![Arc::<Arrives>::clone(&gateway)];
        let engine = Engine::limited(parts, gateways, limits);
        let participant = participant(platform, scene.flow.flow.policy.score_people);
        Ok(Self { engine, clock, store, ids, gateway, participant })
    }
}

impl Deref for Stage {
    type Target = Setting;

    fn deref(&self) -> &Setting {
        &self.setting
    }
}

impl Stage {
    /// Begins a conversation. `folder` may be filled with files.
    pub(super) async fn set(scene: &Scene, folder: &Path) -> Result<Self, Error> {
        Self::set_with(scene, folder, Props::default()).await
    }

    /// Begins a conversation with the sources of contact details and the store in `props`. `folder` may be filled with
    /// files.
    pub(super) async fn set_with(
        scene: &Scene,
        folder: &Path,
        props: Props,
    ) -> Result<Self, Error> {
        let setting =
            Setting::of(scene, folder, props, (CountingIds::default(), TimeDelta::zero()))?;
        let place = Place {
            platform: scene.platform,
            workspace: "local".to_owned(),
            channel: "room".to_owned(),
            thread: None,
        };
        let (flow, participant) = (&scene.flow.flow.id, &setting.participant);
        let session = setting.engine.start(flow, participant, place, "start").await?;
        Ok(Self { setting, session, keys: 0 })
    }

    /// Goes on from a snapshot, in a store that it gave.
    pub(super) fn resume(
        scene: &Scene,
        folder: &Path,
        props: Props,
        snapshot: &Snapshot,
    ) -> Result<Self, Error> {
        let (ids, ahead) = (snapshot.ids.clone(), snapshot.ahead);
        let setting = Setting::of(scene, folder, props, (ids, ahead))?;
        Ok(Self { setting, session: snapshot.session, keys: snapshot.keys })
    }

    /// The conversation as it stands. It has to be at rest.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            store: self.store.snapshot(),
            ids: CountingIds::clone(&self.ids),
            ahead: self.clock.ahead(),
            session: self.session,
            keys: self.keys,
        }
    }

    /// What has happened once the engine has done its work; `None` if everything was erased.
    pub(super) async fn rest(&self) -> Result<Option<Vec<Recorded>>, Error> {
        let settled = self.engine.settle_down();
        if tokio::time::timeout(STEP_MAX, settled).await.is_err() {
            tracing::warn!("an interview does not come to rest");
        }
        Ok(self.store.load(self.session).await?.map(|loaded| loaded.events))
    }

    /// The state that the session is in then.
    pub(super) async fn state(&self) -> Result<Option<Arc<State>>, Error> {
        let events = self.rest().await?;
        Ok(events.and_then(|events| self.engine.state_of(self.session, &events)))
    }

    /// What was posted to the team, in order.
    pub(super) fn told_team(&self) -> Vec<String> {
        self.gateway.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What web hooks would have got, in order.
    pub(super) fn hooked(&self) -> Vec<Hooked> {
        self.gateway.hooked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The names of the events on the audit log, in order.
    pub(super) async fn audit(&self) -> Result<Vec<String>, Error> {
        let sealed = self.store.audit(0, usize::MAX).await?;
        Ok(sealed.into_iter().map(|sealed| sealed.record.event).collect())
    }

    /// Time passes, and what comes due happens.
    pub(super) async fn pass(&self, time: TimeDelta) {
        self.clock.advance(time);
        self.engine.run_due().await;
        self.engine.sweep().await;
    }

    /// Time passes up to a moment, and a little more.
    pub(super) async fn pass_until(&self, at: DateTime<Utc>) {
        self.pass(at - self.clock.now() + TimeDelta::seconds(1)).await;
    }

    /// The time there.
    pub(super) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// The participant does something.
    pub(super) async fn act(&mut self, what: InboundKind) -> Result<Receipt, Error> {
        let from = self.participant.clone();
        self.receive(from, what).await
    }

    /// Somebody does something.
    pub(super) async fn receive(
        &mut self,
        from: Responder,
        what: InboundKind,
    ) -> Result<Receipt, Error> {
        self.keys += 1;
        let key = format!("event-{}", self.keys);
        self.engine.receive(Inbound { key, session: self.session, from, what }).await
    }
}

/// Whoever is interviewed: one of the staff where nobody else may begin the flow.
fn participant(platform: Platform, staff: bool) -> Responder {
    let person = PersonId { platform, ..PersonId::web("participant") };
    Responder { staff, ..Responder::without_rights(person, "Ada".to_owned()) }
}

/// An answer to a card.
pub(super) fn answer(wait: &Wait, reply: Reply) -> InboundKind {
    InboundKind::Answer { wait: wait.id, revision: wait.revision, reply, via: Via::Component }
}

/// Somebody who may decide a request; `None` for what the participant answers. `n` tells several apart.
pub(super) fn decider(wait: &Wait, n: usize) -> Option<Responder> {
    let Answerers::Deciders { alias, .. } = &wait.answerers else { return None };
    let person = PersonId::web(format!("decider{n}"));
    let rights = Responder::without_rights(person, "Grace".to_owned());
    Some(Responder { approver_of: vec![alias.clone()], ..rights })
}
