//! Tokens that Slack does not accept: kept, asked about again, and said to whoever asks whether the bot is ready.

use std::sync::{Arc, PoisonError};

use super::{Entry, Installation, Installations, TokenStatus};
use crate::{base::telemetry::ready::Ready, config::Secret};

/// A token that Slack did not accept.
pub(in crate::gateway::slack) struct Rejected {
    id: String,
    entry: Entry,
}

impl Installations {
    /// Every token that Slack did not accept.
    pub(in crate::gateway::slack) fn all_rejected(&self) -> Vec<Rejected> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let is_rejected = |entry: &Entry| matches!(entry.status, TokenStatus::Rejected(_));
        let rejected = known.entries.iter().filter(|(_, entry)| is_rejected(entry));
        rejected.map(|(id, entry)| Rejected { id: id.clone(), entry: entry.clone() }).collect()
    }

    /// The token that Slack is to be asked about once more: it, or the one that was put into the file of the configuration
    /// meanwhile. None where it has been renewed.
    pub(in crate::gateway::slack) async fn token_to_ask_about(
        self: &Arc<Self>,
        rejected: &Rejected,
    ) -> Option<Secret> {
        let Rejected { id, entry } = rejected;
        if self.many.is_some() && entry.token.expose().is_empty() {
            // What was kept could not be read.
            return None;
        }
        if let (Some(many), Some(_)) = (&self.many, &entry.refresh)
            && self.renew(many, id, Some(&entry.token)).await
        {
            return None;
        }
        Some(self.written().unwrap_or_else(|| entry.token.clone()))
    }

    /// Slack accepts a token, and says `whose` it is: it is used from now on.
    pub(in crate::gateway::slack) fn accepted(
        &self,
        Rejected { id, entry }: Rejected,
        token: Secret,
        whose: &Installation,
    ) {
        if self.plain.is_some() && whose.id() != id {
            tracing::error!(
                "the bot's token is one of another workspace now. hint: put one of `{id}` there, or start again"
            );
            return;
        }
        // While Slack was asked, the app may have been taken away, or there may be other tokens.
        let is_same = |now: &Entry| now.token == entry.token && now.status != TokenStatus::Gone;
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if !known.entries.get(&id).is_some_and(is_same) {
            return;
        }
        drop(known);
        tracing::info!(slack.team = id, "Slack accepts the bot token again");
        self.enter(Entry { token, status: TokenStatus::Accepted, ..entry });
    }

    /// Slack does not accept it still, with this code.
    pub(in crate::gateway::slack) fn still_rejected(&self, rejected: &Rejected, error: String) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entries.get_mut(&rejected.id);
        let entry = entry.filter(|entry| entry.token == rejected.entry.token);
        if let Some(Entry { status: TokenStatus::Rejected(code), .. }) = entry {
            *code = error;
        }
    }

    /// The token as it stands in its file now; `None` if it stands in none.
    fn written(&self) -> Option<Secret> {
        let (_, file) = self.plain.as_ref()?;
        let written = Secret::read(file.as_deref()?);
        written.inspect_err(|error| tracing::warn!(%error, "the bot's token cannot be read")).ok()
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
