//! Delivery to the page. The page is drawn from the session's events, so there is nothing to send: every commit
//! already reaches the live pages by [`crate::engine::Engine::watch`].

use async_trait::async_trait;

use crate::{
    engine::Gateway,
    model::{
        effect::{Act, Delivery, Effect, Recipient, Rendering},
        session::Platform,
        wait::Wait,
    },
};

/// The playground as the engine sees it.
#[derive(Debug, Clone, Copy, Default)]
pub struct WebGateway;

#[async_trait]
impl Gateway for WebGateway {
    fn platform(&self) -> Platform {
        Platform::Web
    }

    async fn deliver(&self, effect: &Effect, _shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        match &effect.act {
            // Only the participant and the staff page read here: no channel is posted to.
            Act::Post { .. }
                if matches!(effect.to, Recipient::Channel { .. }) && effect.carries.is_some() =>
            {
                Delivery::NotApplicable
            }
            Act::Show { .. }
            | Act::Post { .. }
            | Act::Relay { .. }
            | Act::Progress { .. }
            | Act::Hand { .. }
            | Act::Export { .. } => Delivery::delivered(None),
            Act::Fetch { .. }
            | Act::AddRoles { .. }
            | Act::Webhook { .. }
            | Act::Remove { .. }
            | Act::Receipt { .. } => Delivery::NotApplicable,
        }
    }
}
