//! One thing that came in: by whom, where, what they may do, and how they are told something.

mod notices;

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    app::App,
    inbound::{Ack, Action, Actor, Workspace},
    people,
    render::{self, markup::Mrkdwn},
};
use crate::{
    chat::{
        Deduplicator,
        handler::{ReplyTarget, Update},
    },
    config::Configured,
    engine::Engine,
    flow::Library,
    messages::Text,
    model::session::{Head, PersonId, Platform},
    session::Responder,
    store::{self, Find},
};

pub(super) use self::notices::{Form, post_ephemeral};

/// One update, with what is needed to deal with it.
pub(super) struct UpdateContext<'a> {
    pub(super) app: &'a Arc<App>,
    pub(super) engine: &'a Engine,
    /// Names the event.
    pub(super) key: String,
    pub(super) workspace: Workspace,
}

impl UpdateContext<'_> {
    pub(super) fn team(&self) -> &str {
        &self.workspace.team
    }

    /// The flows that can be started here.
    pub(super) fn library(&self) -> Library {
        self.engine.parts().library.of(Platform::Slack, self.team())
    }

    /// What is set up here.
    pub(super) fn configured(&self) -> Configured<'_> {
        self.app.settings.of(Platform::Slack, self.team())
    }

    /// The conversations of a person here, newest first.
    pub(super) async fn conversations(&self, person: &PersonId) -> Result<Vec<Head>, store::Error> {
        self.app.store.find(Find::Person(person.clone())).await
    }

    /// The participant of a conversation, about whom nothing needs to be asked.
    pub(super) async fn participant(&self, by: &Actor, name: Option<&str>) -> Responder {
        let mut from = self.app.people.known(self.team(), &by.user).await;
        if let Some(name) = name {
            name.clone_into(&mut from.name);
        }
        from
    }
}

#[async_trait]
impl Update for UpdateContext<'_> {
    type Actor = Actor;
    type Ack = Ack;

    fn engine(&self) -> &Engine {
        self.engine
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn deduplicator(&self) -> &Deduplicator {
        &self.app.deduplicator
    }

    fn tell(&self, to: &ReplyTarget, text: &str) -> Ack {
        self.tell_limited(to, text);
        Ack::Empty
    }

    fn say(&self, to: &ReplyTarget, text: &str) -> Ack {
        for message in render::post(text) {
            self.post_ephemeral(to, message);
        }
        Ack::Empty
    }

    fn write(&self, text: &Text) -> String {
        text.write(&Mrkdwn)
    }

    fn person(&self, by: &Actor) -> PersonId {
        people::person_id(self.team(), &by.user)
    }

    async fn known(&self, head: &Head, by: &Actor) -> Responder {
        let name = head.name.as_deref().filter(|_| self.is_participant(head, by));
        self.participant(by, name).await
    }

    async fn rights(&self, by: &Actor) -> Result<Responder, String> {
        let known = self.app.people.responder(&self.workspace, by).await;
        known.map_err(|unchecked| unchecked.to_string())
    }

    /// Rights end where the workspace does, unless the app was installed for the whole organisation.
    async fn responder(&self, head: &Head, by: &Actor) -> Result<Responder, String> {
        let mut from = self.rights(by).await?;
        let is_here = head.place.workspace == self.team();
        if from.staff && !self.workspace.is_enterprise_install && !is_here {
            from.staff = false;
            from.approver_of.clear();
        }
        Ok(from)
    }
}

/// Who used a component, and where.
pub(super) fn reply_target_of(action: &Action) -> ReplyTarget {
    let channel = action.message.as_ref().map(|(channel, _)| channel.clone());
    ReplyTarget {
        user: action.by.user.clone(),
        channel: channel.unwrap_or_else(|| action.by.user.clone()),
        thread: action.thread.clone(),
    }
}
