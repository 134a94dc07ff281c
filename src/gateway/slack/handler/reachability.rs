//! Places and people that come and go.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    super::{app::App, inbound::Ack, people, tenants::Installation},
    UpdateContext,
};
use crate::{
    engine::{Inbound, InboundKind},
    gateway::slack::inbound::NotTaken,
    model::{
        effect::{Cause, Reach},
        session::{Head, Platform, Status},
    },
    session::Responder,
};

impl UpdateContext<'_> {
    /// The app is gone from a workspace: its tokens are shredded, its conversations pause.
    pub(super) async fn revoked(&self) -> Result<Ack, NotTaken> {
        let gone = self.app.api.tenants().revoke(&self.tenant).await.map_err(|_| NotTaken)?;
        let Some(gone) = gone else { return Ok(Ack::Empty) };
        let why = "the app was removed from the workspace".to_owned();
        let app = Arc::clone(self.app);
        let is_there = move |head: &Head| app.api.tenants().covers(&gone, &head.place.workspace);
        self.everywhere(is_there, InboundKind::Lost { why });
        Ok(Ack::Empty)
    }

    /// The organisation took the app out of workspaces, or let it in: there, conversations pause or go on.
    pub(super) async fn access(&self, teams: Vec<String>, granted: bool) -> Result<Ack, NotTaken> {
        let tenants = self.app.api.tenants();
        if granted {
            tenants.admit(&self.tenant, &teams).await.map_err(|_| NotTaken)?;
            return Ok(Ack::Empty);
        }
        let gone = tenants.withhold(&teams).await.map_err(|_| NotTaken)?;
        let is_there = move |head: &Head| gone.contains(&head.place.workspace);
        let why = "the organisation took the app out of the workspace".to_owned();
        self.everywhere(is_there, InboundKind::Lost { why });
        Ok(Ack::Empty)
    }

    pub(super) fn channel_gone(&self, channel: String, why: &'static str) -> Ack {
        let why = match why {
            "archived" => "the channel was archived",
            "deleted" => "the channel was deleted",
            _ => "the app was removed from the channel",
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
        let channels = self.app.settings.slack.iter().flat_map(|slack| &slack.channels);
        let named = channels.filter(|(_, id)| *id == channel);
        named.map(|(alias, _)| alias.clone()).collect()
    }

    /// Hands the same in to every conversation in a channel.
    fn all_in(&self, channel: String, what: InboundKind) {
        let team = self.team().to_owned();
        let is_there = move |head: &Head| {
            head.place.workspace == team && head.place.channel == channel && head.parent.is_none()
        };
        self.everywhere(is_there, what);
    }

    /// Hands the same in to every conversation that is wanted, after the acknowledgement.
    fn everywhere(
        &self,
        is_wanted: impl Fn(&Head) -> bool + Send + Sync + 'static,
        what: InboundKind,
    ) {
        let (app, key) = (Arc::clone(self.app), self.key.clone());
        self.app
            .afterwards
            .spawn_whole(async move { hand_in_everywhere(&app, &key, is_wanted, &what).await });
    }

    pub(super) async fn user_changed(&self, user: &str, deleted: bool) -> Result<Ack, NotTaken> {
        self.app.people.forget(self.team(), user).await;
        let person = people::person_id(self.team(), user);
        let what = if deleted {
            InboundKind::Lost { why: "the account was deactivated".to_owned() }
        } else {
            InboundKind::Back
        };
        let mine = self.conversations(&person).await.map_err(|_| NotTaken)?;
        // Profiles change often: nobody but who was out of reach comes back.
        for head in mine.into_iter().filter(|head| deleted || head.status == Status::Paused) {
            let inbound = about(&head, &self.key, &what);
            self.engine.receive(inbound).await.map_err(|_| NotTaken)?;
        }
        Ok(Ack::Empty)
    }
}

impl UpdateContext<'_> {
    /// Somebody is invited again into a conversation that rests: what is open in it is shown once more.
    pub(in crate::gateway::slack) async fn try_again(&self, head: &Head) {
        let inbound = about(head, &format!("{}:again", self.key), &InboundKind::Back);
        if let Err(error) = self.engine.receive(inbound).await {
            tracing::warn!(session.id = %head.id, %error, "could not continue a conversation");
        }
    }
}

/// Conversations read in one go.
const PAGE: usize = 200;

/// The app is installed again: conversations that had paused go on.
pub(in crate::gateway::slack) fn installed_again(app: &Arc<App>, installation: Installation) {
    let to = Arc::clone(app);
    let key = format!("slack:installed:{}", to.ids.fresh().simple());
    app.afterwards.spawn_whole(async move {
        let tenants = to.api.tenants();
        let is_back = |cause: &Cause| {
            cause.workspace().is_some_and(|team| tenants.covers(&installation, team))
        };
        if let Some(engine) = to.engine() {
            engine.mended(|cause| cause.platform == Platform::Slack && is_back(cause)).await;
        }
        let is_there = |head: &Head| tenants.covers(&installation, &head.place.workspace);
        hand_in_everywhere(&to, &key, is_there, &InboundKind::Back).await;
    });
}

/// Page by page, so that no number of conversations is held at once.
async fn hand_in_everywhere(
    app: &App,
    key: &str,
    is_wanted: impl Fn(&Head) -> bool,
    what: &InboundKind,
) {
    let Some(engine) = app.engine() else { return };
    let mut after = None;
    while let Ok(page) = app.store.sessions(after, PAGE).await {
        let Some(last) = page.last() else { return };
        after = Some(last.id);
        let slack =
            page.iter().filter(|h| h.place.platform == Platform::Slack && h.parent.is_none());
        for head in slack.filter(|head| is_wanted(head)) {
            if let Err(error) = engine.receive(about(head, key, what)).await {
                tracing::warn!(session.id = %head.id, %error, "a conversation could not be told");
            }
        }
    }
}

/// Something that happened to a participant.
fn about(head: &Head, key: &str, what: &InboundKind) -> Inbound {
    let name = head.name.clone().unwrap_or_default();
    let from = Responder::without_rights(head.participant.clone(), name);
    let key = format!("{key}:{}", head.id.short());
    Inbound { key, session: head.id, from, what: what.clone() }
}
