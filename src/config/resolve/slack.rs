//! What a schema cannot say about Slack.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::Resolve;
use crate::config::{
    environment, llm, raw,
    secret::Secret,
    settings::{LISTEN_HINT, Slack, SlackConnection, SlackOauth, SlackTokens, SlackTransport},
    toml_document::escaped,
};

/// Where Slack's requests come in unless told otherwise: a proxy that speaks TLS stands before it.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3000);

/// The Web API.
const API_URL: &str = "https://slack.com/api";

/// The slash command.
const COMMAND: &str = "/onboard";

/// Longest name of a slash command, its slash included.
const COMMAND_MAX: usize = 32;

/// Sockets that are open at one time: while one is replaced, the other receives.
const SOCKETS: u8 = 2;

/// Length of the key that tokens are sealed with, in bytes.
const TOKENS_KEY: usize = 32;

impl Resolve<'_> {
    pub(super) fn slack(&mut self, written: raw::Slack) -> Slack {
        for (alias, id) in &written.channels {
            self.slack_id(&format!("/slack/channels/{}", escaped(alias)), id, &['C', 'G', 'D']);
        }
        let connection = self.slack_connection(&written);
        Slack { channels: written.channels, connection }
    }

    fn slack_connection(&mut self, written: &raw::Slack) -> Option<SlackConnection> {
        let tokens = self.slack_tokens(written);
        let has_tokens = has_bot_token(written) || written.oauth.is_some();
        let transport = self.slack_transport(written, has_tokens);
        let (listen, command, api_url) = self.slack_common(written);
        let proxies = self.proxies("/slack");
        Some(SlackConnection {
            transport: transport?,
            tokens: tokens?,
            listen,
            command,
            staff_users: written.staff_users.iter().cloned().collect(),
            staff_groups: written.staff_groups.iter().cloned().collect(),
            api_url,
            rates: written.rates.clone(),
            proxies,
        })
    }

    fn slack_tokens(&mut self, written: &raw::Slack) -> Option<SlackTokens> {
        let bot_token = self.slack_secret(
            ("bot_token_env", "bot_token_file"),
            (written.bot_token_env.as_ref(), written.bot_token_file.as_ref()),
            Some(("of the bot", &["xoxb-", "xoxe.xoxb-"])),
        );
        let has_others = has_app_token(written) || has_signing_secret(written);
        match (has_bot_token(written), &written.oauth) {
            (true, Some(_)) => {
                let hint = "a bot token serves one workspace; with `oauth`, any number of workspaces install the app";
                let message = "set either a bot token or `oauth`, not both";
                self.tell("/slack/oauth", message, Some(hint.to_owned()));
                None
            }
            (true, None) => bot_token.map(|bot_token| SlackTokens::One {
                bot_token,
                bot_token_file: written.bot_token_file.clone(),
            }),
            (false, Some(oauth)) => self.slack_oauth(oauth).map(SlackTokens::Many),
            (false, None) if has_others => {
                let hint = "set `bot_token_env` or `bot_token_file`, or add `[slack.oauth]`";
                let message = "Slack needs a bot token";
                self.tell("/slack", message, Some(hint.to_owned()));
                None
            }
            (false, None) => None,
        }
    }

    fn slack_transport(
        &mut self,
        written: &raw::Slack,
        has_tokens: bool,
    ) -> Option<SlackTransport> {
        let app_token = self.slack_secret(
            ("app_token_env", "app_token_file"),
            (written.app_token_env.as_ref(), written.app_token_file.as_ref()),
            Some(("of the app", &["xapp-"])),
        );
        let signing_secret = self.slack_secret(
            ("signing_secret_env", "signing_secret_file"),
            (written.signing_secret_env.as_ref(), written.signing_secret_file.as_ref()),
            None,
        );
        match written.transport {
            raw::SlackTransport::Socket => {
                if has_tokens && !has_app_token(written) {
                    let hint = "set `app_token_env` or `app_token_file`; create a token with the scope `connections:write` \
                                under \"Basic Information\" in the app's settings";
                    let message = "`socket` needs an app-level token";
                    self.tell("/slack", message, Some(hint.to_owned()));
                }
                let sockets = written.sockets.unwrap_or(SOCKETS);
                app_token.map(|app_token| SlackTransport::Socket { app_token, sockets })
            }
            raw::SlackTransport::Http => {
                if has_tokens && !has_signing_secret(written) {
                    let hint = "set `signing_secret_env` or `signing_secret_file`; it is under \"Basic Information\" \
                                in the app's settings";
                    let message = "`http` needs the signing secret";
                    self.tell("/slack/transport", message, Some(hint.to_owned()));
                }
                signing_secret.map(|signing_secret| SlackTransport::Http { signing_secret })
            }
        }
    }

    /// What both transports have: where they listen, the command, the address of the Web API.
    fn slack_common(&mut self, written: &raw::Slack) -> (SocketAddr, String, String) {
        for (key, ids, kinds) in [
            ("staff_users", &written.staff_users, &['U', 'W'][..]),
            ("staff_groups", &written.staff_groups, &['S'][..]),
        ] {
            for (index, id) in ids.iter().enumerate() {
                self.slack_id(&format!("/slack/{key}/{index}"), id, kinds);
            }
        }
        let mut listen = LISTEN;
        if let Some(text) = &written.listen {
            if let Ok(address) = text.parse() {
                listen = address;
            } else {
                let message = format!("`{text}` is not an IP address with a port");
                self.tell("/slack/listen", message, Some(LISTEN_HINT.to_owned()));
            }
        }
        let command = written.command.clone().unwrap_or_else(|| COMMAND.to_owned());
        if !is_command(&command) {
            let hint = format!(
                "use a slash and up to {} lower-case letters, digits, `-` or `_`",
                COMMAND_MAX - 1
            );
            self.tell("/slack/command", format!("`{command}` is not a slash command"), Some(hint));
        }
        (listen, command, self.slack_api_url(written.api_url.as_deref()))
    }

    fn slack_api_url(&mut self, written: Option<&str>) -> String {
        let (pointer, url) = match self.environment.get(environment::SLACK_API_URL) {
            Some(url) => ("/slack", url),
            None => ("/slack/api_url", written.unwrap_or(API_URL)),
        };
        let hint =
            Some("use an address that begins with `https://` or `http://127.0.0.1`".to_owned());
        if llm::holds_secret(url) {
            self.tell(pointer, "the address of Slack's Web API contains a key", hint);
        } else if llm::is_bare(url) {
            let message = format!("`{url}` would send tokens and what people write unencrypted");
            self.tell(pointer, message, hint);
        } else if !llm::is_service_address(url) {
            self.tell(
                pointer,
                format!("`{url}` can't be used as the address of Slack's Web API"),
                hint,
            );
        }
        url.trim_end_matches('/').to_owned()
    }

    fn slack_oauth(&mut self, written: &raw::SlackOauth) -> Option<SlackOauth> {
        let needed = [
            (
                ("client_secret_env", "client_secret_file"),
                &written.client_secret_env,
                &written.client_secret_file,
                "`oauth` needs the app's client secret",
            ),
            (
                ("tokens_key_env", "tokens_key_file"),
                &written.tokens_key_env,
                &written.tokens_key_file,
                "`oauth` needs a key to encrypt tokens",
            ),
        ];
        let [client_secret, tokens_key] = needed.map(|(keys, variable, file, message)| {
            if variable.is_none() && file.is_none() {
                let hint = format!("set `{}` or `{}`", keys.0, keys.1);
                self.tell("/slack/oauth", message, Some(hint));
            }
            self.secret("/slack/oauth", keys, (variable.as_deref(), file.as_ref()))
        });
        if tokens_key.as_ref().is_some_and(|key| !is_key(key)) {
            let hint = format!(
                "use {TOKENS_KEY} bytes in base64, for example from `openssl rand -base64 {TOKENS_KEY}`"
            );
            self.tell("/slack/oauth", "the key to encrypt tokens is invalid", Some(hint));
        }
        if !llm::is_service_address(&written.redirect_url)
            || llm::holds_secret(&written.redirect_url)
        {
            let shown = written.redirect_url.rsplit('@').next().unwrap_or_default();
            let message = format!("`{shown}` can't be used as a redirect URL");
            let hint = "use an address that begins with `https://` and ends with `/slack/oauth`"
                .to_owned();
            self.tell("/slack/oauth/redirect_url", message, Some(hint));
        }
        Some(SlackOauth {
            client_id: written.client_id.clone(),
            client_secret: client_secret?,
            redirect_url: written.redirect_url.clone(),
            tokens_key: tokens_key?,
        })
    }

    /// A secret of Slack's own table. Tokens say by their first letters what they are; one of the wrong kind would be
    /// refused by Slack with words that nobody understands.
    fn slack_secret(
        &mut self,
        keys: (&'static str, &'static str),
        written: (Option<&String>, Option<&std::path::PathBuf>),
        kind: Option<(&str, &[&str])>,
    ) -> Option<Secret> {
        let secret = self.secret("/slack", keys, (written.0.map(String::as_str), written.1))?;
        let at = format!("/slack/{}", if written.0.is_some() { keys.0 } else { keys.1 });
        if let Some((of, beginnings)) = kind
            && !beginnings.iter().any(|beginning| secret.expose().starts_with(beginning))
        {
            let hint = format!("a token {of} begins with `{}`", beginnings[0]);
            self.tell(&at, format!("this is not a token {of}"), Some(hint));
        } else if !secret.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            self.tell(&at, "this token contains invalid characters", None);
        }
        Some(secret)
    }
}

fn has_bot_token(written: &raw::Slack) -> bool {
    written.bot_token_env.is_some() || written.bot_token_file.is_some()
}

fn has_app_token(written: &raw::Slack) -> bool {
    written.app_token_env.is_some() || written.app_token_file.is_some()
}

fn has_signing_secret(written: &raw::Slack) -> bool {
    written.signing_secret_env.is_some() || written.signing_secret_file.is_some()
}

pub(super) fn is_id(id: &str, kinds: &[char]) -> bool {
    id.len() > 1
        && id.starts_with(kinds)
        && id.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

fn is_command(command: &str) -> bool {
    let known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    let name = command.strip_prefix('/').unwrap_or_default();
    !name.is_empty() && command.len() <= COMMAND_MAX && name.bytes().all(known)
}

fn is_key(key: &Secret) -> bool {
    BASE64_STANDARD.decode(key.expose()).is_ok_and(|bytes| bytes.len() == TOKENS_KEY)
}
