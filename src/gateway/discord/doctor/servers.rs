//! Servers, and the channels, roles and people of the configuration in them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use serenity::model::Permissions;

use super::{Report, named, unasked};
use crate::{
    chat::doctor::DoctorContext,
    config::{Approvers, Lists, problem::listed, settings::DiscordConnection},
    gateway::discord::{
        api::{Api, Code, Failure},
        kinds::{ChannelType, kind},
        manifest,
        permissions::{Hindrance, Rights},
    },
    model::{
        flow::{Decider, DiscordPlace, Flow, PhaseEffect},
        session::Platform,
    },
};

/// Servers that are looked at; a bot in more of them has an operator who knows.
const SERVERS_MAX: usize = 20;

/// Channels in which text is written and threads hang: plain ones, announcements.
const TEXT: [ChannelType; 2] = [ChannelType::Text, ChannelType::News];

/// A server that the bot is in.
struct Server {
    id: String,
    name: String,
    rights: Rights,
}

/// Looks at every server.
pub(super) async fn all(
    api: &Api,
    me: &str,
    patient: &DoctorContext<'_>,
    connection: &DiscordConnection,
    report: &mut Report,
) {
    let listed = match api.guilds().await {
        Ok(listed) => listed,
        Err(failure) => return unasked("which servers the bot is in", &failure, report),
    };
    if listed.is_empty() {
        let invite = manifest::invite(&connection.application_id);
        report.wrong("the bot is in no server", format!("add it to yours with {invite}"));
        return;
    }
    let mut servers = Vec::new();
    for guild in listed.iter().take(SERVERS_MAX) {
        match server(api, me, guild).await {
            Ok(server) => servers.push(server),
            Err(failure) => unasked("what the bot may do in a server", &failure, report),
        }
    }
    let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
    let more = listed.len().saturating_sub(SERVERS_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    report.checked(format!("servers: {}{more}", crate::config::problem::listed(names)));
    let looked = Looked { api, servers: &servers, patient, report };
    looked.run().await;
}

async fn server(api: &Api, me: &str, guild: &Value) -> Result<Server, Failure> {
    let id = guild["id"].as_str().unwrap_or_default().to_owned();
    let name = guild["name"].as_str().unwrap_or(&id).to_owned();
    let roles = api.roles(&id).await?;
    let mut mine = api.member(&id, me).await?;
    mine["user"]["id"] = me.into();
    let rights = Rights::of(&id, &roles, &mine);
    Ok(Server { id, name, rights })
}

/// What the flows want of places in Discord.
#[derive(Default)]
struct Wanted<'a> {
    /// What the bot must be allowed to do, by the alias of a channel.
    channels: BTreeMap<&'a str, Permissions>,
    /// Channels under which private threads are made.
    parents: BTreeSet<&'a str>,
    /// Aliases of roles that are given.
    roles: BTreeSet<&'a str>,
}

/// Where words are posted for everybody.
const TO_POST: Permissions = Permissions::VIEW_CHANNEL.union(Permissions::SEND_MESSAGES);

/// Where staff have a thread under each card.
const TO_TALK: Permissions = TO_POST
    .union(Permissions::CREATE_PUBLIC_THREADS)
    .union(Permissions::SEND_MESSAGES_IN_THREADS)
    .union(Permissions::READ_MESSAGE_HISTORY)
    .union(Permissions::ATTACH_FILES);

/// Where each member has a private thread.
const TO_HOST: Permissions = TO_POST
    .union(Permissions::CREATE_PRIVATE_THREADS)
    .union(Permissions::SEND_MESSAGES_IN_THREADS)
    .union(Permissions::MANAGE_THREADS)
    .union(Permissions::READ_MESSAGE_HISTORY)
    .union(Permissions::ATTACH_FILES);

impl<'a> Wanted<'a> {
    fn channel(&mut self, alias: Option<&'a str>, needs: Permissions) {
        if let Some(alias) = alias {
            *self.channels.entry(alias).or_default() |= needs;
        }
    }

    fn of(&mut self, flow: &'a Flow) {
        if let Some(start) = &flow.start.discord {
            let places = [Some(start.place), start.fallback];
            if places.contains(&Some(DiscordPlace::PrivateThread)) {
                self.channel(start.parent.as_deref(), TO_HOST);
                self.parents.extend(start.parent.as_deref());
            }
        }
        self.channel(flow.handoff.channel.as_deref(), TO_TALK);
        let overrides = &flow.approvals.overrides;
        if overrides.decider != Decider::Participant {
            self.channel(overrides.channel.as_deref(), TO_TALK);
        }
        for effect in flow.phase.iter().flat_map(|phase| &phase.effect) {
            self.channel(effect.approval(), TO_TALK);
            match effect {
                PhaseEffect::PostSummary { channel, .. } => self.channel(Some(channel), TO_TALK),
                PhaseEffect::DiscordPost { channel, .. } => self.channel(Some(channel), TO_POST),
                PhaseEffect::DiscordAddRole { role, .. } => {
                    self.roles.insert(role);
                }
                PhaseEffect::DiscordAddRolesFrom { map, .. } => {
                    self.roles.extend(map.values().map(String::as_str));
                }
                PhaseEffect::Webhook { .. } => {}
            }
        }
    }
}

/// A look around in the servers.
struct Looked<'a> {
    api: &'a Api,
    servers: &'a [Server],
    patient: &'a DoctorContext<'a>,
    report: &'a mut Report,
}

impl Looked<'_> {
    async fn run(mut self) {
        let mut wanted = Wanted::default();
        let flows: Vec<_> = self.patient.library.iter().collect();
        for flow in &flows {
            wanted.of(&flow.flow);
        }
        self.permissions();
        let (mut channels, mut given) = (0, 0);
        for there in self.patient.settings.everywhere() {
            for (alias, id) in there.discord_channels() {
                let needs = wanted.channels.get(alias.as_str()).copied().unwrap_or(TO_POST);
                let is_parent = wanted.parents.contains(alias.as_str());
                self.channel((alias, id), there.approvers().get(alias), (needs, is_parent)).await;
                channels += 1;
            }
            for alias in &wanted.roles {
                // One without an id was told of with the flow.
                if let Some(id) = there.discord_roles().get(*alias) {
                    self.role(alias, id);
                    given += 1;
                }
            }
        }
        self.report.checked(format!("what the bot may do in each channel ({channels})"));
        self.report.checked(format!(
            "the bot's own role stands above each role that flows give ({given})"
        ));
        self.people().await;
    }

    /// What the address for adding the bot asks for, and somebody may have taken away.
    fn permissions(&mut self) {
        for Server { name, rights, .. } in self.servers {
            let lacks = manifest::PERMISSIONS - rights.everywhere;
            if !lacks.is_empty() {
                self.report.odd(
                    format!("in `{name}` the bot lacks {}", named(lacks)),
                    format!(
                        "switch them on for its role `{}` (Server Settings, \"Roles\"), unless each channel allows them",
                        rights.own_role()
                    ),
                );
            }
        }
        self.report.checked(format!("permissions in each server ({})", self.servers.len()));
    }

    async fn channel(
        &mut self,
        (alias, id): (&str, &str),
        approvers: Option<&Approvers>,
        (needs, is_parent): (Permissions, bool),
    ) {
        let mut wrong = |what: &str, hint: String| {
            self.report.wrong(format!("channel `{alias}` ({id}): {what}"), hint);
        };
        let channel = match self.api.channel(id).await {
            Ok(channel) => channel,
            Err(failure) => {
                let (what, hint) = unseen(&failure);
                return wrong(&what, hint.to_owned());
            }
        };
        let kind = channel["type"].as_u64().map_or(ChannelType::Text, kind);
        if !TEXT.contains(&kind) || (is_parent && kind != ChannelType::Text) {
            let hint = "make an ordinary text channel, and copy its id (\"Copy Channel ID\")";
            return wrong("it is no text channel", hint.to_owned());
        }
        let guild = channel["guild_id"].as_str().unwrap_or_default();
        let Some(server) = self.servers.iter().find(|server| server.id == guild) else { return };
        let lacks = needs - server.rights.in_channel(&channel);
        if lacks.view_channel() {
            let hint = format!(
                "let the role `{}` see it: Edit Channel, \"Permissions\"",
                server.rights.own_role()
            );
            return wrong("the bot does not see it", hint);
        }
        if !lacks.is_empty() {
            let hint = format!(
                "allow it to the role `{}`: Edit Channel, \"Permissions\"",
                server.rights.own_role()
            );
            wrong(&format!("the bot lacks {}", named(lacks)), hint);
        }
        let deciders = approvers.into_iter().flat_map(|approvers| &approvers.discord_roles);
        for role in deciders {
            let Some(name) = server.rights.name_of(role) else { continue };
            if !server.rights.may_call(role, &channel) {
                self.report.odd(
                    format!("channel `{alias}` ({id}): nobody of `{name}` is notified of a new request, for the bot may not mention that role"),
                    format!(
                        "switch \"Allow anyone to @mention this role\" on for `{name}`, or allow the role `{}` to mention all roles: Edit Channel, \"Permissions\"",
                        server.rights.own_role()
                    ),
                );
            }
        }
        if is_parent && !server.rights.is_seen_by_all(&channel) {
            self.report.odd(
                format!("channel `{alias}` ({id}): not everybody sees it, and so not their thread under it either"),
                "let `@everyone` see it, or the role with which people come: Edit Channel, \"Permissions\"",
            );
        }
    }

    fn role(&mut self, alias: &str, id: &str) {
        let home = self.servers.iter().find(|server| server.rights.name_of(id).is_some());
        let Some(Server { name, rights, .. }) = home else {
            self.report.wrong(
                format!("role `{alias}` ({id}): there is no such role in a server of the bot's"),
                "copy the id from Server Settings, \"Roles\" (\"Copy Role ID\", with Developer Mode on)",
            );
            return;
        };
        let role = rights.name_of(id).unwrap_or(id);
        let (what, hint) = match rights.may_give(id) {
            // One that is gone was told of above.
            Ok(()) | Err(Hindrance::Gone) => return,
            Err(Hindrance::TooLow) => (
                format!("the bot's own role `{}` does not stand above it", rights.own_role()),
                format!("drag `{}` above `{role}`: Server Settings, \"Roles\"", rights.own_role()),
            ),
            Err(Hindrance::MayNot) => (
                format!("the bot may not manage roles in `{name}`"),
                format!(
                    "switch \"Manage Roles\" on for `{}`: Server Settings, \"Roles\"",
                    rights.own_role()
                ),
            ),
            Err(Hindrance::Managed) => (
                "nobody can be given it: it belongs to everybody, to an application or to boosting"
                    .to_owned(),
                "make a role of your own, and write its id under `[discord.roles]`".to_owned(),
            ),
        };
        self.report.wrong(format!("role `{alias}` ({role}): {what}"), hint);
    }

    /// Users and roles that have a say.
    async fn people(&mut self) {
        let lists = self.patient.settings.everywhere().map(|there| there.lists(Platform::Discord));
        let lists: Vec<Lists> = lists.collect();
        let mut users: BTreeSet<&String> = lists.iter().flat_map(|of| &of.staff_users).collect();
        let mut roles: BTreeSet<&String> = lists.iter().flat_map(|of| &of.staff_groups).collect();
        for approvers in lists.iter().flat_map(|of| of.approvers.values()) {
            users.extend(&approvers.discord_users);
            roles.extend(&approvers.discord_roles);
        }
        let is_there = |role: &str| self.servers.iter().any(|of| of.rights.name_of(role).is_some());
        let gone: Vec<&str> =
            roles.iter().map(|role| role.as_str()).filter(|role| !is_there(role)).collect();
        if !gone.is_empty() {
            self.report.wrong(
                format!("roles that decide or are staff are in no server of the bot's: {}", listed(gone)),
                "copy the id from Server Settings, \"Roles\" (\"Copy Role ID\", with Developer Mode on)",
            );
        }
        for user in &users {
            match self.member(user).await {
                Ok(true) => {}
                Ok(false) => self.report.wrong(
                    format!("user `{user}` is in no server of the bot's"),
                    "copy the id from the person's menu (\"Copy User ID\", with Developer Mode on), or take it out",
                ),
                Err(failure) => unasked("who its members are", &failure, self.report),
            }
        }
        self.report.checked(format!(
            "users ({}) and roles ({}) of the configuration",
            users.len(),
            roles.len()
        ));
    }

    /// Whether somebody is in one of the servers.
    async fn member(&self, user: &str) -> Result<bool, Failure> {
        for Server { id, .. } in self.servers {
            match self.api.member(id, user).await {
                Ok(_) => return Ok(true),
                Err(failure)
                    if matches!(failure.code(), Some(Code::UnknownMember | Code::UnknownUser)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(false)
    }
}

/// Why a channel is not there for the bot.
fn unseen(failure: &Failure) -> (String, &'static str) {
    match failure.code() {
        Some(Code::UnknownChannel) => (
            "there is no such channel".to_owned(),
            "copy the id from the channel's menu (\"Copy Channel ID\", with Developer Mode on)",
        ),
        Some(Code::MissingAccess) => (
            "the bot does not see it".to_owned(),
            "let the bot's role see it: Edit Channel, \"Permissions\"; or it is in a server that the bot is not in",
        ),
        _ => (failure.to_string(), "try it once more"),
    }
}
