//! What there is on Discord: servers with roles, members and channels, messages, interactions. Its rules are in
//! `calls.rs`.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{
    acts::Way,
    buckets::Buckets,
    faults::Faults,
    files::{self, File},
    gateway::Gateway,
};

/// The bot, its application, the server that is always there, and its owner.
pub(crate) const BOT: u64 = 900;
pub(crate) const APPLICATION: u64 = 1_300_000_000_000_000_001;
pub(crate) const GUILD: u64 = 500;
pub(crate) const OWNER: u64 = 700;
/// The first part of a token is the id of its application.
pub(crate) const TOKEN: &str = "Bot MTMwMDAwMDAwMDAwMDAwMDAwMQ.stamp.secret";

/// What may be done, as bits (docs, topics/permissions).
pub(crate) mod may {
    pub(crate) const ADMINISTRATOR: u64 = 1 << 3;
    pub(crate) const VIEW: u64 = 1 << 10;
    pub(crate) const SEND: u64 = 1 << 11;
    pub(crate) const INVITE: u64 = 1;
    pub(crate) const MENTION_EVERYONE: u64 = 1 << 17;
    pub(crate) const MANAGE_MESSAGES: u64 = 1 << 13;
    pub(crate) const MANAGE_ROLES: u64 = 1 << 28;
    pub(crate) const MANAGE_THREADS: u64 = 1 << 34;
    pub(crate) const CREATE_PRIVATE_THREADS: u64 = 1 << 36;
    pub(crate) const SEND_IN_THREADS: u64 = 1 << 38;
}

/// Kinds of channels.
pub(crate) mod kind {
    pub(crate) const TEXT: u8 = 0;
    pub(crate) const DIRECT: u8 = 1;
    pub(crate) const PUBLIC_THREAD: u8 = 11;
    pub(crate) const PRIVATE_THREAD: u8 = 12;
}

#[derive(Debug, Clone, Default)]
pub(crate) struct User {
    pub(crate) name: String,
    /// Nobody may write to them directly.
    pub(crate) is_closed: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Role {
    pub(crate) name: String,
    pub(crate) position: u32,
    pub(crate) permissions: u64,
    pub(crate) is_mentionable: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Member {
    pub(crate) roles: BTreeSet<u64>,
    pub(crate) is_pending: bool,
    /// 2: they went through the server's onboarding.
    pub(crate) flags: u64,
}

/// A server. The role of everybody has the server's own id.
#[derive(Debug, Clone, Default)]
pub(crate) struct Guild {
    pub(crate) owner: u64,
    pub(crate) roles: BTreeMap<u64, Role>,
    pub(crate) members: BTreeMap<u64, Member>,
    /// What newcomers are asked, by the ids of the roles that each answer gives; nothing where it is switched off.
    pub(crate) onboarding: Vec<Vec<u64>>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Channel {
    pub(crate) kind: u8,
    pub(crate) guild: Option<u64>,
    pub(crate) name: String,
    /// Of a thread: who made it.
    pub(crate) owner: u64,
    /// Of a thread: the channel that it hangs on.
    pub(crate) parent: Option<u64>,
    /// Of a thread or a direct conversation: who is in it.
    pub(crate) people: BTreeSet<u64>,
    pub(crate) is_archived: bool,
    pub(crate) is_locked: bool,
    /// For roles and people: what is allowed beside, what is not.
    pub(crate) overwrites: BTreeMap<u64, (u64, u64)>,
    pub(crate) messages: BTreeMap<u64, Message>,
    /// Names under which messages were sent once only.
    pub(crate) nonces: BTreeMap<(u64, String), (u64, DateTime<Utc>)>,
}

impl Channel {
    pub(crate) fn is_thread(&self) -> bool {
        matches!(self.kind, kind::PUBLIC_THREAD | kind::PRIVATE_THREAD)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) author: u64,
    pub(crate) body: Value,
    /// One person alone sees it.
    pub(crate) only_for: Option<u64>,
    pub(crate) is_edited: bool,
}

/// Something that somebody did, and how far it was answered.
#[derive(Debug, Clone)]
pub(crate) struct Interaction {
    pub(crate) id: u64,
    pub(crate) by: u64,
    pub(crate) channel: u64,
    pub(crate) at: DateTime<Utc>,
    /// 2 a command, 3 a component, 5 a form.
    pub(crate) kind: u8,
    /// The message whose component was used.
    pub(crate) message: Option<u64>,
    /// The kind of the first answer.
    pub(crate) answer: Option<u64>,
    /// What came of the first answer: a message, perhaps one that is still to come.
    pub(crate) original: Option<u64>,
    /// A form that was opened.
    pub(crate) modal: Option<Value>,
    pub(crate) is_ephemeral: bool,
}

/// A request, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Value,
    pub(crate) status: u16,
    pub(crate) reason: String,
    /// When it was answered, on the clock on the wall.
    pub(crate) at: Instant,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) now: DateTime<Utc>,
    counter: u64,
    pub(crate) users: BTreeMap<u64, User>,
    pub(crate) guilds: BTreeMap<u64, Guild>,
    pub(crate) channels: BTreeMap<u64, Channel>,
    pub(crate) interactions: BTreeMap<String, Interaction>,
    pub(crate) commands: Vec<Value>,
    pub(crate) guild_commands: BTreeMap<u64, Vec<Value>>,
    pub(crate) requests: Vec<Recorded>,
    /// The bot's token does not work just now.
    pub(crate) is_token_refused: bool,
    pub(crate) buckets: Buckets,
    pub(crate) faults: Faults,
    pub(crate) gateway: Gateway,
    /// Since when time flows, and what it was then; else it stands still.
    flowing: Option<(Instant, DateTime<Utc>)>,
    /// How often old messages were edited.
    pub(crate) old_edits: BTreeMap<u64, u32>,
    /// Who was notified by messages of the bot, and by which.
    pub(crate) notified: Vec<(u64, u64)>,
    /// How interactions go to the bot.
    pub(crate) way: Way,
    /// What was sent, by the ids of the files.
    pub(crate) files: BTreeMap<u64, File>,
    /// `http://127.0.0.1:…`, where files lie too.
    pub(crate) origin: String,
    /// What the portal says of the application beside its id: `flags`, `verify_key`, …
    pub(crate) portal: Value,
}

impl State {
    /// A server with its owner and the bot, which has a role of its own and may do what it needs.
    pub(crate) fn new(now: DateTime<Utc>) -> Self {
        let user = |name: &str| User { name: name.to_owned(), ..User::default() };
        let role = |name: &str, position, permissions| Role {
            name: name.to_owned(),
            position,
            permissions,
            is_mentionable: false,
        };
        let everybody = may::VIEW | may::SEND | may::SEND_IN_THREADS;
        let bot = may::MANAGE_ROLES | may::MANAGE_THREADS | may::CREATE_PRIVATE_THREADS;
        let guild = Guild {
            owner: OWNER,
            roles: BTreeMap::from([
                (GUILD, role("@everyone", 0, everybody)),
                (501, role("Anteroom", 5, bot)),
            ]),
            members: BTreeMap::from([
                (OWNER, Member::default()),
                (BOT, Member { roles: BTreeSet::from([501]), ..Member::default() }),
            ]),
            onboarding: Vec::new(),
        };
        Self {
            now,
            counter: 0,
            users: BTreeMap::from([(BOT, user("anteroom")), (OWNER, user("owner"))]),
            guilds: BTreeMap::from([(GUILD, guild)]),
            channels: BTreeMap::new(),
            interactions: BTreeMap::new(),
            commands: Vec::new(),
            guild_commands: BTreeMap::new(),
            requests: Vec::new(),
            is_token_refused: false,
            buckets: Buckets::default(),
            faults: Faults::default(),
            gateway: Gateway::default(),
            flowing: None,
            old_edits: BTreeMap::new(),
            notified: Vec::new(),
            way: Way::default(),
            files: BTreeMap::new(),
            origin: String::new(),
            portal: json!({ "flags": 0, "interactions_endpoint_url": null }),
        }
    }

    /// An id that tells its time.
    pub(crate) fn snowflake(&mut self) -> u64 {
        self.counter += 1;
        let since = self.now.timestamp_millis() - 1_420_070_400_000;
        (u64::try_from(since).unwrap() << 22) | (self.counter & 0x3F_FFFF)
    }

    pub(crate) fn add_user(&mut self, id: u64, name: &str) {
        self.users.insert(id, User { name: name.to_owned(), ..User::default() });
        self.guilds.get_mut(&GUILD).unwrap().members.insert(id, Member::default());
    }

    pub(crate) fn add_role(&mut self, id: u64, name: &str, position: u32, permissions: u64) {
        let name = name.to_owned();
        let role = Role { name, position, permissions, is_mentionable: false };
        self.guilds.get_mut(&GUILD).unwrap().roles.insert(id, role);
    }

    pub(crate) fn add_channel(&mut self, id: u64, name: &str) {
        let (kind, guild) = (kind::TEXT, Some(GUILD));
        self.channels
            .insert(id, Channel { kind, guild, name: name.to_owned(), ..Channel::default() });
    }

    /// Something that somebody did; its secret answers it.
    pub(crate) fn interact(
        &mut self,
        kind: u8,
        by: u64,
        channel: u64,
        message: Option<u64>,
    ) -> (u64, String) {
        self.flow();
        let id = self.snowflake();
        let token = format!("interaction-{id}");
        let interaction = Interaction {
            id,
            by,
            channel,
            at: self.now,
            kind,
            message,
            answer: None,
            original: None,
            modal: None,
            is_ephemeral: false,
        };
        self.interactions.insert(token.clone(), interaction);
        (id, token)
    }

    /// What somebody may do in a channel, by the order of Discord's documents: roles, then what the channel says for
    /// everybody, for roles, for the person. A thread goes by its channel, and a private one is for those in it.
    pub(crate) fn permissions(&self, user: u64, channel: u64) -> u64 {
        let Some(here) = self.channels.get(&channel) else { return 0 };
        let Some(guild_id) = here.guild else {
            return if here.people.contains(&user) { u64::MAX } else { 0 };
        };
        let guild = &self.guilds[&guild_id];
        let Some(member) = guild.members.get(&user) else { return 0 };
        let role = |id: &u64| guild.roles.get(id).map_or(0, |role| role.permissions);
        let base = member.roles.iter().fold(role(&guild_id), |base, id| base | role(id));
        if guild.owner == user || base & may::ADMINISTRATOR != 0 {
            return u64::MAX;
        }
        let over = here.parent.and_then(|parent| self.channels.get(&parent)).unwrap_or(here);
        let of = |id: u64| over.overwrites.get(&id).copied().unwrap_or_default();
        let (allow, deny) = of(guild_id);
        let base = base & !deny | allow;
        let (allow, deny) = member.roles.iter().fold((0, 0), |(allow, deny), id| {
            let (more, less) = of(*id);
            (allow | more, deny | less)
        });
        let base = base & !deny | allow;
        let (allow, deny) = of(user);
        let base = base & !deny | allow;
        let is_inside = here.people.contains(&user) || base & may::MANAGE_THREADS != 0;
        if base & may::VIEW == 0 || here.kind == kind::PRIVATE_THREAD && !is_inside {
            return 0;
        }
        base
    }

    /// Whether somebody may give or take a role: theirs must stand above it.
    pub(crate) fn stands_above(&self, user: u64, guild: u64, role: u64) -> bool {
        let guild = &self.guilds[&guild];
        let Some(member) = guild.members.get(&user) else { return false };
        let highest =
            member.roles.iter().filter_map(|id| Some(guild.roles.get(id)?.position)).max();
        let wanted = guild.roles.get(&role).map_or(u32::MAX, |role| role.position);
        guild.owner == user || highest.is_some_and(|highest| highest > wanted)
    }

    /// From now on time passes by itself.
    pub(crate) fn let_time_flow(&mut self) {
        self.flowing = Some((Instant::now(), self.now));
    }

    pub(super) fn flow(&mut self) {
        if let Some((began, then)) = self.flowing {
            self.now = then + TimeDelta::from_std(began.elapsed()).unwrap();
        }
    }

    pub(crate) fn advance(&mut self, by: TimeDelta) {
        self.now += by;
    }
}

/// A message as Discord sends it; addresses of files are fresh each time.
pub(crate) fn message_json(state: &State, channel: u64, id: u64) -> Value {
    let here = &state.channels[&channel];
    let message = &here.messages[&id];
    let mut json = message.body.clone();
    json["id"] = id.to_string().into();
    json["type"] = json["type"].as_u64().unwrap_or(0).into();
    json["channel_id"] = channel.to_string().into();
    json["author"] = user_json(state, message.author);
    json["timestamp"] = at_of(id).to_rfc3339().into();
    json["attachments"] = files::listed(state, &message.body["attachments"]);
    if let Some(user) = message.only_for {
        json["flags"] = (json["flags"].as_u64().unwrap_or(0) | 1 << 6).into();
        json["interaction_metadata"] = json!({ "user": user_json(state, user) });
    }
    if let Some(guild) = here.guild {
        json["guild_id"] = guild.to_string().into();
    }
    json
}

/// A user as Discord sends it.
pub(crate) fn user_json(state: &State, id: u64) -> Value {
    let name = state.users.get(&id).map_or("somebody", |user| user.name.as_str());
    json!({ "id": id.to_string(), "username": name, "bot": id == BOT })
}

/// A member as Discord sends it, without the user.
pub(crate) fn member_json(state: &State, guild: u64, user: u64) -> Value {
    let Some(member) = state.guilds.get(&guild).and_then(|guild| guild.members.get(&user)) else {
        return Value::Null;
    };
    let roles: Vec<String> = member.roles.iter().map(u64::to_string).collect();
    json!({ "roles": roles, "pending": member.is_pending, "nick": null, "flags": member.flags,
        "joined_at": "2026-11-01T00:00:00+00:00" })
}

/// A server as the gateway sends it.
pub(crate) fn guild_json(state: &State, id: u64) -> Value {
    let guild = &state.guilds[&id];
    let roles: Vec<Value> = guild
        .roles
        .iter()
        .map(|(id, role)| {
            json!({ "id": id.to_string(), "name": role.name, "position": role.position,
                "permissions": role.permissions.to_string() })
        })
        .collect();
    json!({ "id": id.to_string(), "name": "The server", "owner_id": guild.owner.to_string(), "roles": roles,
        "member_count": guild.members.len() })
}

/// When a snowflake was made.
pub(crate) fn at_of(id: u64) -> DateTime<Utc> {
    let millis = i64::try_from(id >> 22).unwrap() + 1_420_070_400_000;
    DateTime::from_timestamp_millis(millis).unwrap()
}
