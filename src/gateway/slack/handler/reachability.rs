//! Places and people that come and go.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    chat::{
        announcements::{self, Announcement, Kept},
        form::words,
        handler::happened,
    },
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
        session::{Head, Place, Platform, Status},
    },
    store,
};

/// Where conversations are told something.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::gateway::slack) enum Scope {
    /// What an installation is for.
    Installation(Installation),
    /// A channel.
    Channel {
        /// Its workspace.
        team: String,
        /// Its id.
        channel: String,
    },
}

impl Scope {
    fn name(&self) -> String {
        match self {
            Self::Installation(installation) => installation.id().to_owned(),
            Self::Channel { team, channel } => format!("{team}/{channel}"),
        }
    }

    fn holds(&self, app: &App, place: &Place) -> bool {
        let covers = |installation| app.api.installations().covers(installation, &place.workspace);
        match self {
            _ if place.platform != Platform::Slack => false,
            Self::Installation(installation) => covers(installation),
            Self::Channel { team, channel } => {
                place.workspace == *team && place.channel == *channel
            }
        }
    }

    /// Whether what was in the way is over where this can be reached again.
    fn mends(&self, app: &App, cause: &Cause) -> bool {
        if cause.platform != Platform::Slack {
            return false;
        }
        match (self, &cause.reach) {
            (Self::Installation(installation), _) => {
                let covers = |team: &str| app.api.installations().covers(installation, team);
                cause.workspace().is_some_and(covers)
            }
            (Self::Channel { team, channel }, Reach::Staff { workspace, alias }) => {
                let channels = app.settings.of(Platform::Slack, team).slack_channels();
                workspace == team && channels.get(alias) == Some(channel)
            }
            (Self::Channel { team, channel }, Reach::Channel { workspace, channel: of }) => {
                workspace == team && of == channel
            }
            (Self::Channel { .. }, _) => false,
        }
    }
}

impl UpdateContext<'_> {
    /// The app is gone from a workspace: its tokens are shredded, its conversations pause.
    pub(super) async fn revoked(&self) -> Result<Ack, NotSaved> {
        let installations = self.app.api.installations();
        let Some(gone) = installations.revoked_by(&self.workspace) else { return Ok(Ack::Empty) };
        let why = messages::staff::APP_REMOVED.to_owned();
        let kept = self.to_tell(Scope::Installation(gone), Some(why)).await?;
        installations.revoke(&self.workspace).await.map_err(|_| NotSaved)?;
        tell(self.app, kept);
        Ok(Ack::Empty)
    }

    /// The organisation took the app out of workspaces, or let it in: there, conversations pause or go on.
    pub(super) async fn access(&self, teams: Vec<String>, granted: bool) -> Result<Ack, NotSaved> {
        let installations = self.app.api.installations();
        if granted {
            installations.admit(&self.workspace, &teams).await.map_err(|_| NotSaved)?;
            return Ok(Ack::Empty);
        }
        for team in installations.lent(&teams) {
            let why = messages::staff::ORGANISATION_REMOVED_APP.to_owned();
            let gone = Installation { team: team.clone(), ..Installation::default() };
            let kept = self.to_tell(Scope::Installation(gone), Some(why)).await?;
            installations.withhold(&team).await.map_err(|_| NotSaved)?;
            tell(self.app, kept);
        }
        Ok(Ack::Empty)
    }

    pub(super) async fn channel_gone(
        &self,
        channel: String,
        why: &'static str,
    ) -> Result<Ack, NotSaved> {
        let why = match why {
            "archived" => messages::staff::CHANNEL_ARCHIVED,
            "deleted" => messages::staff::CHANNEL_DELETED,
            _ => messages::staff::APP_LEFT_CHANNEL,
        };
        tell(self.app, self.to_tell(self.within(channel), Some(why.to_owned())).await?);
        Ok(Ack::Empty)
    }

    pub(super) async fn channel_back(&self, channel: String) -> Result<Ack, NotSaved> {
        tell(self.app, self.to_tell(self.within(channel), None).await?);
        Ok(Ack::Empty)
    }

    fn within(&self, channel: String) -> Scope {
        Scope::Channel { team: self.team().to_owned(), channel }
    }

    async fn to_tell(&self, place: Scope, why: Option<String>) -> Result<Kept<Scope>, NotSaved> {
        keep(self.app, &self.key, place, why).await.map_err(|_| NotSaved)
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
        let mut told = Ok(Ack::Empty);
        for head in mine.into_iter().filter(|head| deleted || head.status == Status::Paused) {
            let inbound = happened(&head, &self.key, what.clone());
            match self.engine.receive(inbound).await {
                Ok(_) => {}
                // Slack says it again; those who were told know it by its key.
                Err(error) if words::may_pass(&error) => told = Err(NotSaved),
                Err(error) => {
                    tracing::warn!(session.id = %head.id, %error, "a conversation could not be told");
                }
            }
        }
        told
    }
}

/// The app is installed again: conversations that had paused go on. Tried until the store keeps it: what is noted there of
/// its removal would pause conversations that begin now.
pub(in crate::gateway::slack) fn installed_again(app: &Arc<App>, installation: Installation) {
    let key = format!("slack:installed:{}", app.ids.fresh().simple());
    let to = Arc::clone(app);
    app.afterwards.spawn_whole(async move {
        let kept = loop {
            match keep(&to, &key, Scope::Installation(installation.clone()), None).await {
                Ok(kept) => break kept,
                Err(error) => tracing::error!(
                    %error,
                    "the app is installed again, and that could not be noted. hint: it is tried again until it is"
                ),
            }
            let is_open = announcements::pause(to.engine()).await;
            if !is_open || !to.api.installations().live().contains(&installation) {
                return;
            }
        };
        tell(&to, kept);
    });
}

/// Goes on with what an earlier process has not told everybody.
pub(in crate::gateway::slack) async fn tell_unfinished(app: &Arc<App>) {
    for kept in app.announcements.unfinished(app.engine()).await {
        tell(app, kept);
    }
}

async fn keep(
    app: &App,
    key: &str,
    place: Scope,
    why: Option<String>,
) -> Result<Kept<Scope>, store::Error> {
    let (name, key) = (place.name(), key.to_owned());
    app.announcements.keep(&name, Announcement { key, why, place }).await
}

/// Tells every conversation of a place, after the acknowledgement.
fn tell(app: &Arc<App>, kept: Kept<Scope>) {
    let to = Arc::clone(app);
    app.afterwards.spawn_whole(async move {
        let Announcement { why, place, .. } = &kept.announcement;
        if why.is_none() {
            to.engine().mended(|cause| place.mends(&to, cause)).await;
        }
        let is_there = |head: &Head| place.holds(&to, &head.place);
        to.announcements.tell(to.engine(), &kept, is_there).await;
    });
}
