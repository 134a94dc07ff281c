//! What people do, as it reaches the bot: over the gateway, or interactions as signed requests.

use std::fmt::Write as _;

use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

use super::{
    Discord,
    calls::{self, Asked, Refusal},
    state::{
        APPLICATION, BOT, GUILD, Member, Message, State, member_json, message_json, user_json,
    },
};

/// How interactions go to the bot.
#[derive(Debug, Clone, Default)]
pub(crate) enum Way {
    #[default]
    Gateway,
    /// As requests to this address.
    Http(String),
}

/// What came of an interaction that was delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Delivered {
    /// Dispatched; the answer comes by itself.
    Dispatched,
    /// The bot's answer to the request: its status, and what Discord says against what stood in it.
    Answered(u16, Option<Refusal>),
    /// Nobody is there.
    Nobody,
}

fn keys() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
}

/// What requests are signed with, for the bot's configuration.
pub(crate) fn public_key() -> String {
    hex(keys().public_key().as_ref())
}

/// Discord's signature of a request.
pub(crate) fn signature(at: &str, body: &str) -> String {
    hex(keys().sign(format!("{at}{body}").as_bytes()).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

impl State {
    /// Somebody writes; the message's id. Files are what [`State::upload`] gave.
    pub(crate) fn writes(&mut self, user: u64, channel: u64, text: &str, files: &[Value]) -> u64 {
        let id = self.snowflake();
        let mentions = if text.contains(&format!("<@{BOT}>")) {
            vec![user_json(self, BOT)]
        } else {
            Vec::new()
        };
        let body = json!({ "content": text, "mentions": mentions, "attachments": files });
        let message = Message { author: user, body, only_for: None, is_edited: false };
        let here = self.channels.get_mut(&channel).unwrap();
        here.is_archived = false;
        here.messages.insert(id, message);
        self.posted(channel, id);
        id
    }

    /// Tells of a message that was posted.
    pub(crate) fn posted(&mut self, channel: u64, id: u64) {
        let mut data = message_json(self, channel, id);
        if let Some(guild) = self.channels[&channel].guild {
            let author = self.channels[&channel].messages[&id].author;
            data["member"] = member_json(self, guild, author);
        }
        self.dispatch("MESSAGE_CREATE", &data);
    }

    /// Somebody deletes a message.
    pub(crate) fn deletes(&mut self, channel: u64, id: u64) {
        let here = self.channels.get_mut(&channel).unwrap();
        here.messages.remove(&id);
        let mut data = json!({ "id": id.to_string(), "channel_id": channel.to_string() });
        if let Some(guild) = here.guild {
            data["guild_id"] = guild.to_string().into();
        }
        self.dispatch("MESSAGE_DELETE", &data);
    }

    /// Somebody comes into the server.
    pub(crate) fn joins(&mut self, user: u64, is_pending: bool) {
        let member = Member { is_pending, ..Member::default() };
        self.guilds.get_mut(&GUILD).unwrap().members.insert(user, member);
        self.tell_of_member("GUILD_MEMBER_ADD", user);
    }

    /// Somebody passes the server's screening.
    pub(crate) fn passes_screening(&mut self, user: u64) {
        let guild = self.guilds.get_mut(&GUILD).unwrap();
        guild.members.get_mut(&user).unwrap().is_pending = false;
        self.tell_of_member("GUILD_MEMBER_UPDATE", user);
    }

    /// Somebody leaves the server, or is removed.
    pub(crate) fn leaves(&mut self, user: u64) {
        self.guilds.get_mut(&GUILD).unwrap().members.remove(&user);
        for thread in self.channels.values_mut().filter(|channel| channel.is_thread()) {
            thread.people.remove(&user);
        }
        let data = json!({ "guild_id": GUILD.to_string(), "user": user_json(self, user) });
        self.dispatch("GUILD_MEMBER_REMOVE", &data);
    }

    /// Tells of a member as it is now.
    pub(crate) fn tell_of_member(&mut self, name: &str, user: u64) {
        let mut data = member_json(self, GUILD, user);
        data["guild_id"] = GUILD.to_string().into();
        data["user"] = user_json(self, user);
        self.dispatch(name, &data);
    }

    /// Somebody removes the bot from the server.
    pub(crate) fn removes_bot(&mut self) {
        self.guilds.get_mut(&GUILD).unwrap().members.remove(&BOT);
        self.dispatch("GUILD_DELETE", &json!({ "id": GUILD.to_string() }));
    }

    /// Somebody closes the app and opens it again: what only they saw is gone for good.
    pub(crate) fn reopens_app(&mut self, user: u64) {
        for channel in self.channels.values_mut() {
            channel.messages.retain(|_, message| message.only_for != Some(user));
        }
    }

    /// An interaction as the bot gets it, with what was pressed, picked or typed.
    pub(crate) fn payload(&self, token: &str, data: &Value) -> Value {
        let interaction = &self.interactions[token];
        let (user, at) = (interaction.by, interaction.channel);
        let here = &self.channels[&at];
        let mut channel = json!({ "id": at.to_string(), "type": here.kind, "name": here.name });
        if let Some(parent) = here.parent {
            channel["parent_id"] = parent.to_string().into();
            channel["thread_metadata"] =
                json!({ "archived": here.is_archived, "locked": here.is_locked });
        }
        let mut payload = json!({
            "version": 1, "id": interaction.id.to_string(), "application_id": APPLICATION.to_string(),
            "type": interaction.kind, "token": token, "channel_id": at.to_string(), "channel": channel,
            "locale": "en-US", "attachment_size_limit": 10 * 1024 * 1024, "entitlements": [],
            "authorizing_integration_owners": {}, "data": data,
        });
        if let Some(guild) = here.guild {
            let mut member = member_json(self, guild, user);
            member["user"] = user_json(self, user);
            member["permissions"] = self.permissions(user, at).to_string().into();
            payload["member"] = member;
            payload["guild_id"] = guild.to_string().into();
            payload["guild_locale"] = "en-US".into();
            payload["app_permissions"] = self.permissions(BOT, at).to_string().into();
            payload["context"] = 0.into();
        } else {
            payload["user"] = user_json(self, user);
            payload["context"] = 1.into();
        }
        if let Some(message) = interaction.message {
            payload["message"] = message_json(self, at, message);
        }
        payload
    }
}

impl Discord {
    /// Sends interactions as requests to `url` from now on.
    pub(crate) fn use_http(&self, url: &str) {
        self.with(|state| state.way = Way::Http(url.to_owned()));
    }

    /// Somebody uses a component (3), a form (5) or a command (2); `data` is what they did. The interaction's secret,
    /// and what came of it.
    pub(crate) async fn interact(
        &self,
        kind: u8,
        by: u64,
        (channel, message): (u64, Option<u64>),
        data: &Value,
    ) -> (String, Delivered) {
        let (_, token) = self.with(|state| state.interact(kind, by, channel, message));
        let delivered = self.deliver(&token, data).await;
        (token, delivered)
    }

    /// Delivers an interaction, perhaps not for the first time.
    pub(crate) async fn deliver(&self, token: &str, data: &Value) -> Delivered {
        let (payload, way) = self.with(|state| (state.payload(token, data), state.way.clone()));
        let url = match way {
            Way::Gateway => {
                self.with(|state| state.dispatch("INTERACTION_CREATE", &payload));
                return Delivered::Dispatched;
            }
            Way::Http(url) => url,
        };
        let body = payload.to_string();
        let Some((status, answer)) = self.request(&url, &body, &signature).await else {
            return Delivered::Nobody;
        };
        // 202 says that the answer comes by itself.
        if status != 200 {
            return Delivered::Answered(status, None);
        }
        let id = payload["id"].as_str().unwrap();
        let asked = Asked {
            route: "POST /interactions/{interaction}/{token}/callback",
            names: vec![id, token],
            query: "",
            body: answer,
            files: Vec::new(),
            reason: String::new(),
        };
        Delivered::Answered(status, self.with(|state| calls::call(state, &asked)).err())
    }

    /// Asks the bot's address something, signed by `sign`; none where nobody is there.
    pub(crate) async fn request(
        &self,
        url: &str,
        body: &str,
        sign: &dyn Fn(&str, &str) -> String,
    ) -> Option<(u16, Value)> {
        let at = self.with(|state| state.now.timestamp().to_string());
        let request = reqwest::Client::new()
            .post(url)
            .header("content-type", "application/json")
            .header("x-signature-timestamp", &at)
            .header("x-signature-ed25519", sign(&at, body))
            .body(body.to_owned());
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        Some((status, answer.json().await.unwrap_or_default()))
    }
}
