//! What a schema cannot say about Discord.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use super::Resolve;
use crate::config::{
    llm, raw,
    secret::Secret,
    settings::{Discord, DiscordConnection, DiscordTransport, LISTEN_HINT},
    toml_document::escaped,
};

/// Where Discord's requests come in unless told otherwise: a proxy that speaks TLS stands before it.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3001);

/// The API.
const API_BASE: &str = "https://discord.com/api/v10";

/// Digits of the application's public key.
const PUBLIC_KEY: usize = 64;

impl Resolve<'_> {
    pub(super) fn discord(&mut self, written: raw::Discord) -> Discord {
        for (table, ids) in [("channels", &written.channels), ("roles", &written.roles)] {
            for (alias, id) in ids {
                self.discord_id(&format!("/discord/{table}/{}", escaped(alias)), id);
            }
        }
        for (key, ids) in
            [("staff_users", &written.staff_users), ("staff_roles", &written.staff_roles)]
        {
            for (index, id) in ids.iter().enumerate() {
                self.discord_id(&format!("/discord/{key}/{index}"), id);
            }
        }
        let connection = self.discord_connection(&written);
        Discord { channels: written.channels, roles: written.roles, connection }
    }

    fn discord_connection(&mut self, written: &raw::Discord) -> Option<DiscordConnection> {
        let token = self.discord_token(written);
        let transport = self.discord_transport(written);
        let api_base = self.discord_api_base(written.api_base.as_deref());
        if let Some(id) = &written.application_id {
            self.discord_id("/discord/application_id", id);
        }
        if written.token_env.is_none() && written.token_file.is_none() {
            if written.application_id.is_some() {
                let hint = "set `token_env` or `token_file`; the token is in the developer portal, under Bot";
                let message = "Discord needs the bot token";
                self.tell("/discord", message, Some(hint.to_owned()));
            }
            return None;
        }
        if written.application_id.is_none() {
            let hint =
                "set `application_id`; it is in the developer portal, under General Information";
            self.tell("/discord", "Discord needs the application id", Some(hint.to_owned()));
        }
        Some(DiscordConnection {
            token: token?,
            application_id: written.application_id.clone()?,
            transport: transport?,
            message_content: written.message_content,
            members: written.members,
            staff_users: written.staff_users.iter().cloned().collect(),
            staff_roles: written.staff_roles.iter().cloned().collect(),
            requests_per_second: written.requests_per_second,
            api_base,
            proxies: self.proxies("/discord"),
        })
    }

    fn discord_token(&mut self, written: &raw::Discord) -> Option<Secret> {
        let keys = ("token_env", "token_file");
        let token = self.secret(
            "/discord",
            keys,
            (written.token_env.as_deref(), written.token_file.as_ref()),
        )?;
        let at = format!("/discord/{}", if written.token_env.is_some() { keys.0 } else { keys.1 });
        if token.expose().starts_with("Bot ") {
            let hint = "leave out `Bot `; it is added automatically".to_owned();
            self.tell(&at, "the token begins with `Bot `", Some(hint));
        } else if !token.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            self.tell(&at, "this token contains invalid characters", None);
        }
        Some(token)
    }

    fn discord_transport(&mut self, written: &raw::Discord) -> Option<DiscordTransport> {
        let mut listen = LISTEN;
        if let Some(text) = &written.listen {
            if let Ok(address) = text.parse() {
                listen = address;
            } else {
                let message = format!("`{text}` is not an IP address with a port");
                self.tell("/discord/listen", message, Some(LISTEN_HINT.to_owned()));
            }
        }
        let key_hint =
            "copy it from the developer portal, under General Information: 64 hexadecimal digits";
        let key = written.public_key.clone();
        if key.as_ref().is_some_and(|key| !is_public_key(key)) {
            let message = "this is not a valid public key";
            self.tell("/discord/public_key", message, Some(key_hint.to_owned()));
        }
        match written.transport {
            raw::DiscordTransport::Gateway => {
                Some(DiscordTransport::Gateway { shards: written.shards })
            }
            raw::DiscordTransport::Http => {
                if key.is_none() {
                    let message = "`http` needs the application's public key";
                    let hint = format!("set `public_key`: {key_hint}");
                    self.tell("/discord/transport", message, Some(hint));
                }
                Some(DiscordTransport::Http { listen, public_key: key? })
            }
        }
    }

    /// The token goes to Discord alone, or to what stands in for it on this machine.
    fn discord_api_base(&mut self, written: Option<&str>) -> String {
        let url = written.unwrap_or(API_BASE).trim_end_matches('/');
        let parsed = reqwest::Url::parse(url);
        let is_here = parsed.is_ok_and(|url| llm::is_loopback(&url) && url.fragment().is_none());
        if llm::holds_secret(url) || (url != API_BASE && !is_here) {
            let hint = "leave it out, or use an address that begins with `http://127.0.0.1`";
            let message = "this is neither Discord's API nor an address on this machine";
            self.tell("/discord/api_base", message, Some(hint.to_owned()));
        }
        url.to_owned()
    }
}

pub(super) fn is_snowflake(id: &str) -> bool {
    (17..=20).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_digit())
}

fn is_public_key(key: &str) -> bool {
    key.len() == PUBLIC_KEY && key.bytes().all(|b| b.is_ascii_hexdigit())
}
