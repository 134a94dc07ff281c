//! What the parts of the platform share, and who people are.

use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use anteroom::{
    chat::{
        Afterwards, Deduplicator, NoticeLimiter, PostLog, WorkIndicators,
        commands::flows::startable, message_index::MessageIndex,
    },
    engine::Engine,
    flow::LoadedFlow,
    model::session::{PersonId, Place, Platform},
    session::Responder,
};

use super::chat::{Chat, Member};

/// The variant that it borrows: what is stored knows no other.
pub(crate) const PLATFORM: Platform = Platform::Web;

/// The only workspace there is.
pub(crate) const WORKSPACE: &str = "plain";

/// The team's rooms by the aliases of flows; who decides does so under the first one.
pub(crate) const ROOMS: [(&str, &str); 2] =
    [("recruiting_approvals", "#approvals"), ("recruiting_desk", "#desk")];

/// The room of the bot and somebody alone.
pub(crate) fn private(user: &str) -> String {
    format!("@{user}")
}

pub(crate) fn person(user: &str) -> PersonId {
    PersonId { workspace: WORKSPACE.to_owned(), ..PersonId::web(user) }
}

pub(crate) fn place_of(user: &str) -> Place {
    let (workspace, channel) = (WORKSPACE.to_owned(), private(user));
    Place { platform: PLATFORM, workspace, channel, thread: None }
}

#[derive(Debug)]
pub(crate) struct App {
    chat: Arc<Mutex<Chat>>,
    pub(crate) engine: Engine,
    pub(crate) index: MessageIndex,
    pub(crate) deduplicator: Deduplicator,
    pub(crate) post_log: PostLog,
    pub(crate) told: NoticeLimiter,
    pub(crate) work_indicators: WorkIndicators,
    pub(crate) afterwards: Afterwards,
}

impl App {
    pub(crate) fn new(chat: Arc<Mutex<Chat>>, engine: Engine) -> Arc<Self> {
        let (store, clock) = (&engine.parts().store, &engine.parts().clock);
        Arc::new(Self {
            index: MessageIndex::new(PLATFORM, Arc::clone(store)),
            deduplicator: Deduplicator::new(PLATFORM, Arc::clone(store), Arc::clone(clock)),
            post_log: PostLog::new(Arc::clone(store)),
            told: NoticeLimiter::new(),
            work_indicators: WorkIndicators::default(),
            afterwards: Afterwards::new(PLATFORM, Duration::from_mins(1)),
            chat,
            engine,
        })
    }

    pub(crate) fn chat(&self) -> MutexGuard<'_, Chat> {
        self.chat.lock().unwrap()
    }

    /// Somebody who answers for themselves.
    pub(crate) fn known(&self, user: &str) -> Responder {
        Responder { approver_of: Vec::new(), staff: false, ..self.rights_of(user) }
    }

    /// Somebody with what they may do now.
    pub(crate) fn rights_of(&self, user: &str) -> Responder {
        let member = self.chat().members.get(user).cloned().unwrap_or_default();
        let Member { name, staff, decides } = member;
        let approver_of = decides.then(|| ROOMS[0].0.to_owned()).into_iter().collect();
        Responder { person: person(user), name, approver_of, staff }
    }

    pub(crate) fn startable(&self) -> Vec<Arc<LoadedFlow>> {
        startable(&self.engine.parts().library.of(PLATFORM, WORKSPACE), PLATFORM)
    }
}
