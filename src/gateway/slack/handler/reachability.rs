//! Places and people that come and go.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    chat::handler::{happened, happened_everywhere},
    engine::InboundKind,
    gateway::slack::{
        app::App,
        inbound::{Ack, NotSaved},
        installations::Installation,
        people,
        update::UpdateContext,
    },
    messages,
    model::{
        effect::{Cause, Reach},
        session::{Head, Platform, Status},
    },
};

impl UpdateContext<'_> {
    /// The app is gone from a workspace: its tokens are shredded, its conversations pause.
    pub(super) async fn revoked(&self) -> Result<Ack, NotSaved> {
        let gone =
            self.app.api.installations().revoke(&self.workspace).await.map_err(|_| NotSaved)?;
        let Some(gone) = gone else { return Ok(Ack::Empty) };
        let why = messages::staff::APP_REMOVED.to_owned();
        let app = Arc::clone(self.app);
        let is_there =
            move |head: &Head| app.api.installations().covers(&gone, &head.place.workspace);
        self.everywhere(is_there, InboundKind::Lost { why });
        Ok(Ack::Empty)
    }

    /// The organisation took the app out of workspaces, or let it in: there, conversations pause or go on.
    pub(super) async fn access(&self, teams: Vec<String>, granted: bool) -> Result<Ack, NotSaved> {
        let installations = self.app.api.installations();
        if granted {
            installations.admit(&self.workspace, &teams).await.map_err(|_| NotSaved)?;
            return Ok(Ack::Empty);
        }
        let gone = installations.withhold(&teams).await.map_err(|_| NotSaved)?;
        let is_there = move |head: &Head| gone.contains(&head.place.workspace);
        let why = messages::staff::ORGANISATION_REMOVED_APP.to_owned();
        self.everywhere(is_there, InboundKind::Lost { why });
        Ok(Ack::Empty)
    }

    pub(super) fn channel_gone(&self, channel: String, why: &'static str) -> Ack {
        let why = match why {
            "archived" => messages::staff::CHANNEL_ARCHIVED,
            "deleted" => messages::staff::CHANNEL_DELETED,
            _ => messages::staff::APP_LEFT_CHANNEL,
        };
        self.all_in(channel, InboundKind::Lost { why: why.to_owned() });
        Ack::Empty
    }

    pub(super) fn channel_back(&self, channel: String) -> Ack {
        let (engine, aliases) = (self.engine.clone(), self.aliases(&channel));
        let (workspace, back) = (self.team().to_owned(), channel.clone());
        self.app.afterwards.spawn_whole(async move {
            let is_over = |cause: &Cause| match &cause.reach {
                _ if cause.platform != Platform::Slack => false,
                Reach::Staff { workspace: of, alias } => {
                    *of == workspace && aliases.contains(alias)
                }
                Reach::Channel { workspace: of, channel } => *of == workspace && *channel == back,
                _ => false,
            };
            engine.mended(is_over).await;
        });
        self.all_in(channel, InboundKind::Back);
        Ack::Empty
    }

    /// What a channel is called in the configuration.
    fn aliases(&self, channel: &str) -> BTreeSet<String> {
        let channels = self.configured().slack_channels();
        let named = channels.iter().filter(|(_, id)| *id == channel);
        named.map(|(alias, _)| alias.clone()).collect()
    }

    /// Hands the same in to every conversation in a channel.
    fn all_in(&self, channel: String, what: InboundKind) {
        let team = self.team().to_owned();
        let is_there =
            move |head: &Head| head.place.workspace == team && head.place.channel == channel;
        self.everywhere(is_there, what);
    }

    /// Hands the same in to every conversation that is wanted, after the acknowledgement.
    fn everywhere(
        &self,
        is_wanted: impl Fn(&Head) -> bool + Send + Sync + 'static,
        what: InboundKind,
    ) {
        let (engine, key) = (self.engine.clone(), self.key.clone());
        let is_there = move |head: &Head| is_on_slack(head) && is_wanted(head);
        self.app
            .afterwards
            .spawn_whole(async move { happened_everywhere(&engine, &key, is_there, &what).await });
    }

    pub(super) async fn user_changed(&self, user: &str, deleted: bool) -> Result<Ack, NotSaved> {
        self.app.people.forget(self.team(), user).await;
        let person = people::person_id(self.team(), user);
        let what = if deleted {
            InboundKind::Lost { why: messages::staff::ACCOUNT_DEACTIVATED.to_owned() }
        } else {
            InboundKind::Back
        };
        let mine = self.conversations(&person).await.map_err(|_| NotSaved)?;
        // Profiles change often: nobody but who was out of reach comes back.
        for head in mine.into_iter().filter(|head| deleted || head.status == Status::Paused) {
            let inbound = happened(&head, &self.key, what.clone());
            self.engine.receive(inbound).await.map_err(|_| NotSaved)?;
        }
        Ok(Ack::Empty)
    }
}

/// The app is installed again: conversations that had paused go on.
pub(in crate::gateway::slack) fn installed_again(app: &Arc<App>, installation: Installation) {
    let to = Arc::clone(app);
    let key = format!("slack:installed:{}", to.ids.fresh().simple());
    app.afterwards.spawn_whole(async move {
        let installations = to.api.installations();
        let is_back = |cause: &Cause| {
            cause.workspace().is_some_and(|team| installations.covers(&installation, team))
        };
        let engine = to.engine();
        engine.mended(|cause| cause.platform == Platform::Slack && is_back(cause)).await;
        let is_there = |head: &Head| {
            is_on_slack(head) && installations.covers(&installation, &head.place.workspace)
        };
        happened_everywhere(engine, &key, is_there, &InboundKind::Back).await;
    });
}

fn is_on_slack(head: &Head) -> bool {
    head.place.platform == Platform::Slack
}
