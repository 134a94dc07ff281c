//! Where an effect goes: the conversation, the staff's thread about it, a card of its own.

use std::sync::Arc;

use serde_json::json;

use super::{Delivered, Sender, Undelivered, post};
use crate::{
    base::ids::SessionId,
    chat::{
        message_index::{Mark, MessageRef, Role},
        team_thread::{TeamThread, team_thread},
    },
    config::Configured,
    gateway::slack::{
        api::{Failure, Method},
        app::App,
        staff_thread,
    },
    model::{
        effect::{Effect, Recipient},
        posted::{Item, Posted, Reader},
        session::{Place, Platform},
    },
};

/// The number of the part that begins the staff's thread.
pub(super) const ROOT: usize = 1_000;

/// Where a message goes.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) channel: String,
    pub(super) thread: Option<String>,
    /// It is the thread under a request that is open.
    pub(super) is_about_request: bool,
}

impl Target {
    pub(super) const fn new(channel: String, thread: Option<String>) -> Self {
        Self { channel, thread, is_about_request: false }
    }
}

impl Sender<'_> {
    /// Where an effect goes.
    pub(super) async fn target(&self) -> Delivered<Target> {
        match &self.effect.to {
            Recipient::Participant => self.conversation().await,
            Recipient::Channel { alias } => self.staff_thread(alias).await,
            Recipient::Person { user } => Ok(Target::new(user.clone(), None)),
            Recipient::Webhook { .. } => Err(Undelivered::NotApplicable),
        }
    }

    /// Where the participant reads.
    pub(super) async fn conversation(&self) -> Delivered<Target> {
        let place = &self.effect.place;
        let root = self.app.threads.root(self.effect.session, place).await?;
        Ok(match root {
            Some(root) => Target::new(root.channel, Some(root.message)),
            // Slack takes a person for their conversation with the bot.
            None => Target::new(place.channel.clone(), None),
        })
    }

    /// Remembers the first message of a conversation as its root.
    pub(super) async fn rooted(&self, target: &Target, spot: &MessageRef) -> Delivered<()> {
        if target.thread.is_some() {
            return Ok(());
        }
        let session = self.effect.session;
        self.app.threads.mark(session, Mark::Root, spot).await?;
        let thread = (self.team(), spot);
        Ok(self.app.threads.belongs(session, thread, Role::Conversation).await?)
    }

    /// Where staff read about the session in the channel of an alias.
    async fn staff_thread(&self, alias: &str) -> Delivered<Target> {
        let TeamThread { head, is_about_request, .. } = team_thread(self, alias).await?;
        Ok(Target { channel: head.channel, thread: Some(head.message), is_about_request })
    }

    /// What is set up for the workspace of the conversation.
    pub(super) fn configured(&self) -> Configured<'_> {
        self.app.settings.of(Platform::Slack, self.team())
    }

    /// The conversation of a person with the bot.
    pub(super) async fn direct(&self, user: &str) -> Result<String, Failure> {
        let opened = self.call(Method::OpenConversation, &json!({ "users": user })).await?;
        let channel = opened["channel"]["id"].as_str();
        channel.map(str::to_owned).ok_or_else(|| Failure::Unclear { why: "no id".to_owned() })
    }
}

/// Draws the heads of the staff's threads about a session as it stands, best effort: they are drawn again with whatever
/// the participant is told next.
pub(super) async fn freshen(app: &Arc<App>, effect: &Effect) {
    let engine = app.engine();
    let session = effect.session;
    let configured = app.settings.of(Platform::Slack, &effect.place.workspace);
    for channel in configured.slack_channels().values() {
        let Ok(Some(head)) = app.threads.marked(session, Mark::Staff(channel)).await else {
            continue;
        };
        let turn = app.editing(&head.name());
        let _turn = turn.lock().await;
        // Read while nobody else edits it: what an erasure leaves of it must not be drawn over.
        let Ok(look) = engine.look(session).await else { return };
        if let Err(failure) =
            post::edit_held(app, &effect.place.workspace, &head, &staff_thread::root(&look)).await
        {
            tracing::debug!(session.id = %session, %failure, "a head stays as it was");
        }
    }
}

/// What is marked of a session; and what is being written there, which ends with this.
pub(super) async fn remains(app: &App, session: SessionId, place: &Place) -> Vec<Posted> {
    let mut found = app.agent.give_up(session).await;
    // Best effort, as the others are.
    if let Ok(Some(root)) = app.threads.root(session, place).await {
        let item = Item::Head { at: root.name() };
        found.push(Posted { item, reader: Reader::Participant });
    }
    let channels = app.settings.of(Platform::Slack, &place.workspace).slack_channels();
    found.extend(app.threads.remains(session, channels).await);
    found
}
