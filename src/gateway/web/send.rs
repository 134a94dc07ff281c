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
        match (&effect.act, &effect.to) {
            // The page shows what another platform would do there.
            (Act::AddRoles { .. }, _) => Delivery::Rehearsed,
            (Act::Post { .. }, Recipient::Channel { .. }) if effect.carries.is_some() => {
                Delivery::Rehearsed
            }
            (
                Act::Show { .. }
                | Act::Post { .. }
                | Act::Relay { .. }
                | Act::Progress { .. }
                | Act::Hand { .. }
                | Act::Export { .. },
                _,
            ) => Delivery::delivered(None),
            (
                Act::Fetch { .. } | Act::Webhook { .. } | Act::Remove { .. } | Act::Receipt { .. },
                _,
            ) => Delivery::NotApplicable,
        }
    }
}
