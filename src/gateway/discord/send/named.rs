//! People by the names that Discord has for them: whom a request is about, who decides on it, and who wrote what is posted for
//! everybody.

use super::sender::{Delivered, Sender};
use crate::{
    chat::courier::Courier as _,
    engine::Look,
    gateway::discord::{
        render::{self, Message, body::Called},
        texts,
    },
    model::{
        effect::Recipient,
        flow::PhaseEffect,
        session::Platform,
        wait::{Purpose, Wait},
    },
    session,
};

impl Sender<'_> {
    /// Whom a request is about, and which roles they want, by the names of Discord.
    pub(super) async fn asker(&self, wait: &Wait, look: &Look) -> Option<render::Asker> {
        let state = &look.state;
        let user =
            Some(&state.participant).filter(|person| person.platform == Platform::Discord)?;
        let mention = render::text::person(user, state.name.as_deref().unwrap_or_default());
        let avatar = self.app.members.avatar_of(&self.effect.place.workspace, &user.user).await;
        let effect = match &wait.purpose {
            Purpose::Effect { phase, index } => {
                look.flow.phase(phase).and_then(|phase| phase.effect.get(*index))
            }
            Purpose::Notice
            | Purpose::Begin { .. }
            | Purpose::Erase
            | Purpose::Call { .. }
            | Purpose::Child { .. } => None,
        };
        let aliases = effect.map(|effect| session::roles_of(state, effect)).unwrap_or_default();
        let known = self.configured().discord_roles();
        let mentioned = |alias: &String| Some(format!("<@&{}>", known.get(alias)?));
        let roles: Option<Vec<String>> = aliases.iter().map(mentioned).collect();
        Some(render::Asker { mention, avatar, roles: roles.unwrap_or_default() })
    }

    /// Those who decide what an effect shows to staff, as mentions, and whom these may call.
    pub(super) fn called(&self) -> Option<(String, Called)> {
        let Recipient::Channel { alias } = &self.effect.to else { return None };
        self.configured().approvers().get(alias).and_then(texts::called)
    }

    /// Whoever a post is to mention as the one who wrote it; `None` if the flow does not want that.
    pub(super) async fn mentioned(&self) -> Delivered<Option<String>> {
        let Some(carries) = &self.effect.carries else { return Ok(None) };
        let look = self.look().await?;
        let effect = look.flow.phase(&carries.phase);
        let effect = effect.and_then(|phase| phase.effect.get(carries.index));
        let is_wanted =
            matches!(effect, Some(PhaseEffect::DiscordPost { mention_participant: true, .. }));
        Ok(is_wanted.then(|| look.state.participant.user.clone()))
    }

    /// Words of somebody, whom the first message mentions.
    pub(super) async fn post_by(
        &self,
        user: &str,
        channel: &str,
        messages: &[Message],
    ) -> Delivered<Option<String>> {
        let mut first = None;
        for (part, message) in (0_u8..).zip(texts::by(user, messages)) {
            let mut body = message.body();
            if part == 0 {
                body = body.calling(Called::user(user));
            }
            let spot = self.send(channel, body, part, None).await?;
            first = first.or_else(|| spot.map(|spot| spot.name()));
        }
        Ok(first)
    }
}
