//! Workspaces and their tokens.

use std::{
    collections::BTreeMap,
    sync::{PoisonError, RwLock},
};

use serde_json::{Value, json};

use super::api::{Api, Failure, Method};
use crate::config::Secret;

/// The app as it is installed in a workspace, or in all workspaces of an organisation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installation {
    /// The workspace; empty where an organisation installed the app.
    pub team: String,
    /// The organisation, where there is one.
    pub enterprise: Option<String>,
    /// For all workspaces of the organisation.
    pub is_enterprise_install: bool,
    /// The bot's user id.
    pub bot_user: String,
    /// The bot's own id, which stands in the messages that it wrote.
    pub bot: String,
}

/// An installation with its token.
#[derive(Debug, Clone)]
struct Entry {
    installation: Installation,
    token: Secret,
    /// Slack does not accept the token any more.
    is_frozen: bool,
}

/// Every workspace that the app is installed in.
#[derive(Debug, Default)]
pub struct Tenants {
    /// By workspace, or by organisation.
    known: RwLock<BTreeMap<String, Entry>>,
    /// The one token of the configuration, until [`Tenants::begin`] has asked whose it is.
    plain: Option<Secret>,
}

impl Tenants {
    /// One workspace, by the bot token of the configuration; whose it is, [`Tenants::begin`] asks.
    pub fn plain(token: Secret) -> Self {
        Self { plain: Some(token), ..Self::default() }
    }

    /// Asks Slack whose the plain token is.
    pub async fn begin(&self, api: &Api) -> Result<(), Failure> {
        let Some(token) = &self.plain else { return Ok(()) };
        let answer = api.call_with(token, Method::AuthTest, json!({})).await?;
        self.put(read_identity(&answer), token.clone());
        Ok(())
    }

    /// Takes an installation in.
    pub fn put(&self, installation: Installation, token: Secret) {
        let key = match &installation.enterprise {
            Some(enterprise) if installation.is_enterprise_install => enterprise.clone(),
            _ => installation.team.clone(),
        };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, Entry { installation, token, is_frozen: false });
    }

    /// Every installation whose token Slack accepts.
    pub fn installations(&self) -> Vec<Installation> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let live = known.values().filter(|entry| !entry.is_frozen);
        live.map(|entry| entry.installation.clone()).collect()
    }

    /// The installation that a workspace uses.
    pub fn installation(&self, team: &str) -> Option<Installation> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(team).map(|entry| entry.installation.clone())
    }

    /// The token for a workspace; none where the app is not installed (any more).
    pub(super) fn token(&self, team: &str) -> Option<Secret> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(team).filter(|entry| !entry.is_frozen).map(|entry| entry.token.clone())
    }

    /// Slack does not accept this token. True where there is another one by now.
    pub(super) fn distrust(&self, team: &str, token: &Secret, code: &str) -> bool {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let Some(entry) = known.get_mut(team) else { return false };
        if entry.token != *token {
            return true;
        }
        if !entry.is_frozen {
            tracing::error!(
                slack.team = team,
                error = code,
                "Slack does not accept the token of this workspace any more; install the app there again"
            );
        }
        entry.is_frozen = true;
        false
    }
}

fn read_identity(answer: &Value) -> Installation {
    let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    Installation {
        team: text("team_id"),
        enterprise: answer["enterprise_id"].as_str().map(str::to_owned),
        is_enterprise_install: answer["is_enterprise_install"] == true,
        bot_user: text("user_id"),
        bot: text("bot_id"),
    }
}
