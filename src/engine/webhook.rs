//! Web hooks: signed, timed, safe to repeat.
//!
//! A request is a `POST` of JSON with these headers:
//!
//! | header | content |
//! |---|---|
//! | `x-anteroom-event` | `phase_completed`, `decision_made`, `decision_expired` or `session_stopped`, by the effect's `on`; `session_erased` once what was sent is erased here |
//! | `x-anteroom-delivery` | the effect's id; a repeat has the same one, so the receiver can drop it |
//! | `x-anteroom-timestamp` | seconds since 1970 |
//! | `x-anteroom-signature` | `v1=` and the HMAC-SHA256, in hex, of timestamp, a dot and the body; only with a secret |
//!
//! Where `[web] public_url` is set, each file has `url` and `url_expires_at` ([`super::file_links`]). Every attempt makes
//! its own, so they differ between the repeats of a delivery.
//!
//! The address is the operator's, from the configuration, and may well be one of their own network; no flow, model or
//! person has a say in it, so it does not pass [`crate::net::fetch`]. What fits it: a limit on connecting and on the whole
//! answer, no redirect (a signed body goes nowhere but where it was meant to), and of the answer only its status.
//!
//! 2xx is delivered; 408, 425, 429, 5xx and network failures are tried again; anything else has failed for good.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{file_links::FileLinks, signature::signature};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::EffectId,
    },
    config::{Secret, Settings, Tenant, webhook::Webhook},
    model::effect::Delivery,
};

/// Longest time for a connection, and for an answer.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
const ANSWER_LIMIT: Duration = Duration::from_secs(15);

/// Where a web hook goes.
#[derive(Debug, Clone)]
pub struct Target {
    /// The address.
    pub url: String,
    /// What requests are signed with; `None` if the operator chose no secret.
    pub secret: Option<SecretString>,
}

/// What the operator configured about web hooks.
#[derive(Debug, Clone, Default)]
pub struct Webhooks {
    /// Where they go, by alias.
    pub targets: BTreeMap<String, Target>,
    /// Where those of tenants go, by name and alias.
    pub of_tenants: BTreeMap<String, BTreeMap<String, Target>>,
    /// Where their receivers fetch files; `None`: files are named and not linked.
    pub links: Option<FileLinks>,
}

impl From<BTreeMap<String, Target>> for Webhooks {
    fn from(targets: BTreeMap<String, Target>) -> Self {
        Self { targets, ..Self::default() }
    }
}

impl From<&Settings> for Webhooks {
    fn from(settings: &Settings) -> Self {
        let target = |(alias, hook): (&String, &Webhook)| {
            let secret = hook.secret.clone().map(Secret::into_inner);
            (alias.clone(), Target { url: hook.url.clone(), secret })
        };
        let of_tenant = |tenant: &Arc<Tenant>| {
            (tenant.name.clone(), tenant.webhooks.iter().map(target).collect())
        };
        let expire_after = settings.web.links_expire_after;
        let public_url = settings.web.public_url.clone();
        Self {
            targets: settings.webhooks.iter().map(target).collect(),
            of_tenants: settings.tenants.iter().map(of_tenant).collect(),
            links: public_url.map(|public_url| FileLinks { public_url, expire_after }),
        }
    }
}

impl Webhooks {
    /// Where one of a conversation goes, which may be a tenant's.
    pub fn target(&self, tenant: Option<&Arc<Tenant>>, alias: &str) -> Option<&Target> {
        match tenant {
            Some(tenant) => self.of_tenants.get(&tenant.name)?.get(alias),
            None => self.targets.get(alias),
        }
    }
}

/// Sends web hooks. The connection pool is made with the first one.
#[derive(Debug, Default)]
pub(super) struct Client(std::sync::OnceLock<reqwest::Client>);

impl Client {
    /// Sends once; `None` means: try again later.
    pub(super) async fn send(
        &self,
        target: &Target,
        id: EffectId,
        (event, body): (&str, &Value),
        now: DateTime<Utc>,
    ) -> Option<Delivery> {
        let body = body.to_string();
        let timestamp = now.timestamp().to_string();
        let mut request = self
            .client()?
            .post(&target.url)
            .header("content-type", "application/json")
            .header("x-anteroom-event", event)
            .header("x-anteroom-delivery", id.to_string())
            .header("x-anteroom-timestamp", &timestamp);
        if let Some(secret) = &target.secret {
            let signature = sign(secret.expose_secret(), &timestamp, &body);
            request = request.header("x-anteroom-signature", format!("v1={signature}"));
        }
        let status = request.body(body).send().await.ok()?.status();
        hit(Failpoint::HookSent);
        match status.as_u16() {
            200..=299 => Some(Delivery::delivered(None)),
            408 | 425 | 429 | 500..=599 => None,
            other => Some(Delivery::failed(format!("the receiver answered {other}"))),
        }
    }

    fn client(&self) -> Option<&reqwest::Client> {
        if let Some(client) = self.0.get() {
            return Some(client);
        }
        let built = reqwest::Client::builder()
            .connect_timeout(CONNECT_LIMIT)
            .timeout(ANSWER_LIMIT)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("anteroom/", env!("CARGO_PKG_VERSION")))
            .build();
        match built {
            Ok(client) => Some(self.0.get_or_init(|| client)),
            Err(error) => {
                tracing::error!(error = %error, "could not send web hooks");
                None
            }
        }
    }
}

fn sign(secret: &str, timestamp: &str, body: &str) -> String {
    signature(secret.as_bytes(), &[timestamp, body])
}

#[cfg(test)]
mod tests {
    use super::sign;

    #[test]
    fn the_signature_covers_time_and_body() {
        let signature = sign("secret", "1700000000", "{}");
        assert_eq!(signature.len(), 64);
        assert_ne!(signature, sign("secret", "1700000001", "{}"));
        assert_ne!(signature, sign("other", "1700000000", "{}"));
    }
}
