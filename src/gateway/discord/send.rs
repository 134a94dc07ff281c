//! Delivers effects to Discord: posts, edits, roles, files.
//!
//! Each post has a name made from its effect: for some minutes Discord answers a repeat with the message that is there
//! already. After a longer break — a process that ended in between — the message is looked for before it is posted
//! again. Where it cannot be looked for, it is posted again: the buttons of both cards settle the same question.

mod courier;
mod deliver;
mod find_earlier;
mod known_answer;
mod named;
mod outside;
mod post;
mod remove;
mod roles;
mod say;
mod sender;
mod targets;

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use uuid::Uuid;

use super::{
    app::App,
    limits,
    render::{self, Message},
};
use crate::{
    base::ids::{EffectId, SessionId, WaitId},
    chat::{form::Draft, priority},
    engine::Gateway,
    model::{
        effect::{Delivery, Effect, Rendering},
        posted::Posted,
        session::{Place, Platform},
        team::Team,
        wait::Wait,
    },
};

pub(super) use self::{
    find_earlier::snowflake,
    roles::{give_kept, keep_asking},
};

/// Discord as the engine sees it.
#[derive(Debug, Clone)]
pub struct DiscordGateway(pub Arc<App>);

#[async_trait]
impl Gateway for DiscordGateway {
    fn platform(&self) -> Platform {
        Platform::Discord
    }

    async fn deliver(&self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        let sender = sender::Sender::new(&self.0, effect);
        priority::with(effect.priority, sender.run(shown)).await
    }

    fn forget(&self, effect: EffectId) {
        self.0.possible_duplicates.forget(effect);
    }

    async fn team(&self, place: &Place) -> Team {
        // Discord does not tell a bot who has a role, but by a list of all members.
        self.0.lists.of(&place.workspace).team(Platform::Discord, &BTreeMap::new())
    }

    async fn remains(&self, session: SessionId, place: &Place) -> Vec<Posted> {
        outside::remains(&self.0, session, place).await
    }
}

/// Draws a card again wherever it is shown, as well as it goes.
pub(super) async fn redraw(app: &App, wait: &Wait, shown: &[Rendering]) {
    let Some(effect) = showing(app, wait).await else { return };
    sender::Sender::new(app, &effect).redraw(wait, shown).await;
}

/// A card with what was entered so far; `None` if the conversation is gone or cannot be read just now.
pub(super) async fn card(app: &App, wait: &Wait, draft: Draft) -> Option<Message> {
    let effect = showing(app, wait).await?;
    let cx = sender::Sender::new(app, &effect).cx(wait).await.ok()?;
    Some(render::card(wait, &render::Cx { draft, ..cx }))
}

/// A card as it looks once its question is over, or is asked anew after `revision`; `None` while it is asked as it was,
/// or where that cannot be read just now.
pub(super) async fn answered(
    app: &App,
    (wait, revision): (WaitId, u32),
    place: &Place,
) -> Option<Message> {
    let (wait, _) = app.store.wait(wait).await.ok()??;
    if wait.status.is_pending() && wait.revision <= revision {
        return None;
    }
    // Nothing is posted under this name.
    let id = EffectId::from_uuid(wait.id.uuid());
    let effect = Effect::showing(id, &wait, place.clone(), app.clock.now());
    let cx = sender::Sender::new(app, &effect).cx(&wait).await.ok()?;
    Some(render::card(&wait, &cx))
}

async fn showing(app: &App, wait: &Wait) -> Option<Effect> {
    let view = app.engine().view(wait.session).await.ok()?;
    let id = EffectId::mint(app.ids.as_ref());
    Some(Effect::showing(id, wait, view.state.place.clone(), app.clock.now()))
}

/// The name under which an effect is posted: with `enforce_nonce` Discord answers a repeat within some minutes with the
/// message that is there already.
///
/// ```
/// use anteroom::{gateway::discord::send, base::ids::{CountingIds, EffectId}};
/// let effect = EffectId::mint(&CountingIds::default());
/// assert_eq!(send::nonce(effect, 0).len(), 23);
/// assert_ne!(send::nonce(effect, 0), send::nonce(effect, 1));
/// ```
pub fn nonce(effect: EffectId, part: u8) -> String {
    let id: Uuid = effect.uuid();
    let mut left = id.as_u128();
    let mut digits = Vec::with_capacity(limits::NONCE);
    for _ in 0..22 {
        let digit = usize::try_from(left % 62).unwrap_or_default();
        digits.push(DIGITS.as_bytes().get(digit).copied().unwrap_or(b'0'));
        left /= 62;
    }
    digits.push(DIGITS.as_bytes().get(usize::from(part % 62)).copied().unwrap_or(b'0'));
    digits.into_iter().map(char::from).collect()
}

/// Digits to the base of 62.
const DIGITS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Something that Discord is asked to do, by what a repeat of it would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// A message with a [`nonce`]: a repeat within some minutes gives the first.
    Post,
    /// An edit, a role, a deletion: a repeat changes nothing.
    Settle,
    /// The first answer to an interaction: a repeat is refused with 40060, which means done.
    FirstAnswer,
    /// A further answer to an interaction: a repeat would be seen twice.
    Followup,
    /// A thread, an invite: a repeat would make a second one.
    Make,
    /// A question.
    Ask,
}

impl Request {
    /// Whether it may be sent again when it is not known whether it arrived.
    pub(crate) const fn may_repeat(self) -> bool {
        match self {
            Self::Post | Self::Settle | Self::FirstAnswer | Self::Ask => true,
            Self::Followup | Self::Make => false,
        }
    }
}
