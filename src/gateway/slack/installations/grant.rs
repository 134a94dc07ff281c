//! Asks Slack for tokens: the code of an installation for the first, a refresh token for the next.
//!
//! Own requests and own types: the client library's drop refresh tokens and fail on organisations.

use std::time::Duration;

use serde::Deserialize;

use super::Installation;
use crate::config::{Secret, settings::SlackOauth};

/// Longest time for a connection, and for an answer.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// Why there are no tokens. What Slack and the browser sent is not in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Slack said no: its code.
    #[error("Slack refused: {0}")]
    Refused(String),
    /// Nobody knows what became of it.
    #[error("no clear answer from Slack")]
    Unclear,
}

/// What Slack gave.
pub(super) struct Granted {
    pub(super) installation: Installation,
    pub(super) access: String,
    pub(super) refresh: Option<String>,
    pub(super) expires_in: Option<Duration>,
}

/// `oauth.v2.access`, of which a team is null for organisations.
#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "Slack's names")]
struct Access {
    ok: bool,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    access_token: Option<String>,
    #[serde(default)]
    bot_user_id: Option<String>,
    #[serde(default)]
    team: Option<Named>,
    #[serde(default)]
    enterprise: Option<Named>,
    #[serde(default)]
    is_enterprise_install: Option<bool>,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    expires_in: Option<u64>,
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

#[derive(Deserialize)]
struct Identity {
    #[serde(default)]
    bot_id: Option<String>,
}

/// Asks for tokens.
#[derive(Debug)]
pub(super) struct Asker {
    client: reqwest::Client,
    base: String,
    client_id: String,
    client_secret: Secret,
    redirect_url: String,
}

impl Asker {
    pub(super) fn new(oauth: &SlackOauth, base: &str) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT_LIMIT)
            .timeout(ANSWER_LIMIT)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("anteroom/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self {
            client,
            base: base.trim_end_matches('/').to_owned(),
            client_id: oauth.client_id.clone(),
            client_secret: oauth.client_secret.clone(),
            redirect_url: oauth.redirect_url.clone(),
        })
    }

    /// Signs what only this program may have made.
    pub(super) const fn secret(&self) -> &Secret {
        &self.client_secret
    }

    /// Browsers reach this program encrypted.
    pub(super) fn is_https(&self) -> bool {
        self.redirect_url.starts_with("https://")
    }

    /// Where a browser goes to install the app.
    pub(super) fn authorize_url(&self, scopes: &str, state: &str) -> Option<String> {
        let site = self.base.strip_suffix("/api").unwrap_or(&self.base);
        let parameters = [
            ("client_id", self.client_id.as_str()),
            ("scope", scopes),
            ("state", state),
            ("redirect_uri", &self.redirect_url),
        ];
        let address = format!("{site}/oauth/v2/authorize");
        Some(reqwest::Url::parse_with_params(&address, parameters).ok()?.to_string())
    }

    /// Changes the code that a browser brought into tokens.
    pub(super) async fn exchange(&self, code: &str) -> Result<Granted, Refusal> {
        let mut granted = self.ask(&[("code", code), ("redirect_uri", &self.redirect_url)]).await?;
        // The bot's own id marks what it wrote itself; only `auth.test` tells it.
        let identity = self
            .client
            .post(format!("{}/auth.test", self.base))
            .bearer_auth(&granted.access)
            .send()
            .await;
        if let Ok(answer) = identity {
            let identity = answer.json::<Identity>().await.ok();
            granted.installation.bot = identity.and_then(|found| found.bot_id).unwrap_or_default();
        }
        Ok(granted)
    }

    /// Changes a refresh token, which works once, into the next tokens.
    pub(super) async fn renew(&self, refresh: &str) -> Result<Granted, Refusal> {
        self.ask(&[("grant_type", "refresh_token"), ("refresh_token", refresh)]).await
    }

    async fn ask(&self, form: &[(&str, &str)]) -> Result<Granted, Refusal> {
        let form = form.iter().fold(String::new(), |mut text, (name, value)| {
            if !text.is_empty() {
                text.push('&');
            }
            text.push_str(name);
            text.push('=');
            text.push_str(&escaped(value));
            text
        });
        let answer = self
            .client
            .post(format!("{}/oauth.v2.access", self.base))
            .basic_auth(&self.client_id, Some(self.client_secret.expose()))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form)
            .send()
            .await
            .map_err(|_| Refusal::Unclear)?;
        let access: Access = answer.json().await.map_err(|_| Refusal::Unclear)?;
        if !access.ok {
            let code = access.error.unwrap_or_default();
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let code = if code.chars().all(is_word) { code } else { "unknown_error".to_owned() };
            return Err(Refusal::Refused(code));
        }
        let installation = Installation {
            team: access.team.map(|team| team.id).unwrap_or_default(),
            enterprise: access.enterprise.map(|enterprise| enterprise.id),
            is_enterprise_install: access.is_enterprise_install.unwrap_or_default(),
            bot_user: access.bot_user_id.unwrap_or_default(),
            bot: String::new(),
        };
        Ok(Granted {
            installation,
            access: access.access_token.ok_or(Refusal::Unclear)?,
            refresh: access.refresh_token,
            expires_in: access.expires_in.filter(|s| *s > 0).map(Duration::from_secs),
        })
    }
}

/// A value of a form.
fn escaped(value: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
