//! Tokens that Slack does not accept: kept, asked about again, and said to whoever asks whether the bot is ready.

use std::sync::PoisonError;

use serde_json::json;

use super::{Entry, Installations, TokenStatus, read_identity};
use crate::{
    base::telemetry::ready::Ready,
    config::Secret,
    gateway::slack::api::{Api, Failure, Method},
};

impl Installations {
    /// Asks Slack once about each token that it did not accept. One that it accepts again is used from now on; so is one
    /// that was put into the file of the configuration meanwhile.
    pub async fn recheck(&self, api: &Api) {
        let rejected: Vec<(String, Entry)> = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            let is_rejected = |entry: &Entry| matches!(entry.status, TokenStatus::Rejected(_));
            let rejected = known.entries.iter().filter(|(_, entry)| is_rejected(entry));
            rejected.map(|(id, entry)| (id.clone(), entry.clone())).collect()
        };
        for (id, entry) in rejected {
            if let (Some(many), Some(_)) = (&self.many, &entry.refresh)
                && self.renew(many, &id, Some(&entry.token)).await
            {
                continue;
            }
            let token = self.written().unwrap_or_else(|| entry.token.clone());
            match api.call_with(&token, Method::AuthTest, json!({})).await {
                Ok(answer) if self.plain.is_some() && read_identity(&answer).id() != id => {
                    tracing::error!(
                        "the bot's token is one of another workspace now. hint: put one of `{id}` there, or start again"
                    );
                }
                Ok(_) => {
                    tracing::info!(slack.team = id, "Slack accepts the bot token again");
                    self.enter(Entry { token, status: TokenStatus::Accepted, ..entry });
                }
                Err(Failure::Refused { error, .. }) => self.note(&id, &entry.token, error),
                // Nobody said anything about the token.
                Err(_) => {}
            }
        }
    }

    /// The token as it stands in its file now; none where it stands in none.
    fn written(&self) -> Option<Secret> {
        let (_, file) = self.plain.as_ref()?;
        let written = Secret::read(file.as_deref()?);
        written.inspect_err(|error| tracing::warn!(%error, "the bot's token cannot be read")).ok()
    }

    fn note(&self, id: &str, token: &Secret, error: String) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entries.get_mut(id).filter(|entry| entry.token == *token);
        if let Some(Entry { status: TokenStatus::Rejected(code), .. }) = entry {
            *code = error;
        }
    }

    /// What to do about a token that Slack does not accept.
    pub(super) const fn remedy(&self) -> &'static str {
        match &self.plain {
            Some((_, Some(_))) => {
                "put a new one, from \"OAuth & Permissions\" of the app's settings, into its file; it is read by itself"
            }
            Some((_, None)) => {
                "set a new one, from \"OAuth & Permissions\" of the app's settings, and start again; or let the app back \
                 in, which is noticed by itself"
            }
            None => "install the app in that workspace again",
        }
    }
}

impl Ready for Installations {
    /// With one workspace that can be served, the bot is of use.
    fn ready(&self) -> Result<(), String> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let code = known.entries.values().find_map(|entry| match &entry.status {
            TokenStatus::Rejected(code) => Some(code),
            TokenStatus::Accepted | TokenStatus::Gone => None,
        });
        match code {
            Some(code) if !known.entries.values().any(Entry::is_live) => Err(format!(
                "Slack does not accept the bot's token: `{code}`. What was to be posted waits. hint: {}",
                self.remedy()
            )),
            _ => Ok(()),
        }
    }
}
