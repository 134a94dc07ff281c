//! Events in, effects out: drives sessions. Knows no platform.

pub mod webhook;

use std::{collections::BTreeMap, fmt, sync::Arc};

use async_trait::async_trait;
use tokio::sync::broadcast;

use crate::{
    artifacts::Artifacts,
    clock::Clock,
    contacts::Contacts,
    flows::{Library, LoadedFlow},
    ids::{Ids, SessionId, WaitId},
    interview::{Command, Responder},
    model::{
        artifact::Artifact,
        effect::{Delivery, Effect, Rendering},
        session::{Head, Place, Platform},
        transcript::Via,
        ui::Reply,
        wait::{Settlement, Wait},
    },
    store::{self, Loaded, Store},
    tool::Toolbox,
};

/// Where effects leave: one per platform.
#[async_trait]
pub trait Gateway: fmt::Debug + Send + Sync {
    /// Which platform.
    fn platform(&self) -> Platform;

    /// Delivers one effect. `shown` is the wait that a [`crate::model::effect::Act::Show`] names, with where it has
    /// been shown before: none yet means post, some means edit. A repeat with the same effect id must be harmless.
    async fn deliver(&self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> Delivery;
}

/// What an engine is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Durable state.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New identifiers.
    pub ids: Arc<dyn Ids>,
    /// The flows that can be started.
    pub library: Arc<Library>,
    /// The tools.
    pub toolbox: Arc<Toolbox>,
    /// Files that were sent.
    pub artifacts: Arc<Artifacts>,
    /// Contact sources.
    pub contacts: Arc<Contacts>,
    /// Web hooks by their aliases; empty where none is configured.
    pub webhooks: Arc<BTreeMap<String, webhook::Target>>,
}

/// Something that a person did, as a gateway hands it in.
#[derive(Debug, Clone, PartialEq)]
pub struct Inbound {
    /// The platform's own name of the event: the same event delivered again has the same key.
    pub key: String,
    /// The session it is for.
    pub session: SessionId,
    /// Who did it, with their rights now.
    pub from: Responder,
    /// What they did.
    pub what: What,
}

/// What a person did.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// Answered a wait by a component.
    Answer {
        /// Which.
        wait: WaitId,
        /// The revision that was shown.
        revision: u32,
        /// The answer.
        reply: Reply,
        /// How it came.
        via: Via,
    },
    /// Wrote something.
    Said {
        /// What.
        text: String,
        /// The platform's reference to the message.
        source: Option<String>,
    },
    /// Sent files, which were checked and kept by [`Engine::keep_file`].
    Sent {
        /// The upload they answer, where the person said so.
        wait: Option<WaitId>,
        /// The files.
        files: Vec<Artifact>,
    },
    /// Gave an order.
    Command(Command),
}

/// What became of an inbound event; by the time it is handed out, it is durable.
#[derive(Debug, Clone, PartialEq)]
pub enum Receipt {
    /// Taken in.
    Taken,
    /// An answer: this became of it.
    Settled(Settlement),
    /// The same event has been dealt with before: nothing happened.
    Duplicate,
    /// Refused; the text is for the person.
    Refused(String),
    /// Everything about the session was erased; the receipt's number is for the person.
    Erased {
        /// Names the receipt in the audit chain.
        receipt: String,
    },
}

/// Why the engine could not do as asked; the text is fit for a person.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// There is no such session.
    #[error("there is no such conversation")]
    NoSession,
    /// There is no such flow.
    #[error("there is no flow `{0}`")]
    NoFlow(String),
    /// The pinned flow of a session cannot be found or read.
    #[error("the flow of this conversation cannot be read: {0}")]
    BrokenFlow(String),
    /// Nothing was saved: the event must not be acknowledged.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The engine is shutting down, or too busy: try again.
    #[error("too much is going on just now; please try again in a moment")]
    Busy,
}

/// A session changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// Which.
    pub session: SessionId,
    /// Its last event.
    pub seq: u64,
}

/// Drives sessions; cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    parts: Parts,
}

impl Engine {
    /// Puts an engine together; nothing runs until [`Engine::run`].
    pub fn new(parts: Parts, gateways: Vec<Arc<dyn Gateway>>) -> Self {
        todo!()
    }

    /// Recovers what a crash left behind, then fires timers and delivers effects until `shutdown`; finishes the step
    /// in hand before it returns.
    pub async fn run(&self, shutdown: tokio_util::sync::CancellationToken) {
        todo!()
    }

    /// What the engine is made of.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Starts a session at `place`. The same key again gives the same session.
    pub async fn start(
        &self,
        flow: &str,
        from: &Responder,
        place: Place,
        key: &str,
    ) -> Result<SessionId, Error> {
        todo!()
    }

    /// Takes an inbound event in: durable when this returns.
    pub async fn receive(&self, inbound: Inbound) -> Result<Receipt, Error> {
        todo!()
    }

    /// Checks a file against the open upload (or the phase's limits) and keeps it; the refusal is for the person.
    pub async fn keep_file(
        &self,
        session: SessionId,
        wait: Option<WaitId>,
        filename: &str,
        bytes: Vec<u8>,
    ) -> Result<Result<Artifact, String>, Error> {
        todo!()
    }

    /// A session with its flow, for views.
    pub async fn view(&self, session: SessionId) -> Result<(Loaded, Arc<LoadedFlow>), Error> {
        todo!()
    }

    /// Sessions at a glance, newest first.
    pub async fn sessions(&self, limit: usize) -> Result<Vec<Head>, Error> {
        todo!()
    }

    /// Hears of every change.
    pub fn watch(&self) -> broadcast::Receiver<Changed> {
        todo!()
    }
}
