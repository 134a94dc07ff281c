//! Whoever gave a command or pressed a button, to what decides about commands.

use async_trait::async_trait;

use crate::{
    chat::{
        commands::{Entry, decide::Caller},
        handler::Update,
    },
    engine::Engine,
    gateway::discord::{
        inbound::Actor,
        update::{UpdateContext, participant},
    },
    model::session::{Head, PersonId},
    session::Responder,
};

/// Whoever gave a command.
pub(super) struct Asker<'a> {
    pub(super) update: &'a UpdateContext<'a>,
    pub(super) by: &'a Actor,
}

#[async_trait]
impl Caller for Asker<'_> {
    fn engine(&self) -> &Engine {
        self.update.engine
    }

    fn key(&self) -> &str {
        &self.update.key
    }

    fn me(&self) -> PersonId {
        self.update.person(self.by)
    }

    async fn rights(&self) -> Result<Responder, String> {
        Ok(self.update.rights(self.by))
    }

    async fn participant(&self, head: &Head) -> Responder {
        participant(head, self.by)
    }

    fn usage(&self, entry: &Entry) -> String {
        entry.on_discord().unwrap_or_default()
    }
}
