//! Servers, their members and roles, the application and its commands, direct conversations.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Answered, Asked, invalid, refuse, threads::channel_json, unknown};
use crate::discord::emulator::state::{
    APPLICATION, BOT, Channel, GUILD, State, kind, may, user_json,
};

pub(super) fn call(state: &mut State, asked: &Asked<'_>, method: &str) -> Answered {
    match asked.route {
        "GET /users/@me" => {
            Ok((200, json!({ "id": BOT.to_string(), "username": "anteroom", "bot": true })))
        }
        "GET /applications/@me" => {
            let mut application = state.portal.clone();
            application["id"] = APPLICATION.to_string().into();
            application["name"] = "Anteroom".into();
            Ok((200, application))
        }
        "GET /users/@me/guilds" => {
            let mine = state.guilds.iter().filter(|(_, guild)| guild.members.contains_key(&BOT));
            let listed = mine.map(|(id, _)| json!({ "id": id.to_string(), "name": "The server" }));
            Ok((200, listed.collect()))
        }
        "POST /users/@me/channels" => direct(state, &asked.body),
        "PUT /applications/{application}/commands" => register(state, None, &asked.body),
        "GET /applications/{application}/commands" => {
            Ok((200, Value::Array(state.commands.clone())))
        }
        "PUT /applications/{application}/guilds/{guild}/commands" => {
            register(state, Some(asked.id(1)), &asked.body)
        }
        "GET /applications/{application}/guilds/{guild}/commands" => {
            let here = state.guild_commands.get(&asked.id(1));
            Ok((200, Value::Array(here.cloned().unwrap_or_default())))
        }
        _ => in_guild(state, asked, method),
    }
}

fn direct(state: &mut State, body: &Value) -> Answered {
    let user = body["recipient_id"].as_str().and_then(|id| id.parse().ok()).unwrap_or(0);
    if !state.users.contains_key(&user) {
        return Err(unknown(10013));
    }
    let people = BTreeSet::from([BOT, user]);
    let is_it = |channel: &Channel| channel.kind == kind::DIRECT && channel.people == people;
    let found = state.channels.iter().find(|(_, channel)| is_it(channel)).map(|(id, _)| *id);
    let id = found.unwrap_or_else(|| {
        let id = state.snowflake();
        let channel = Channel { kind: kind::DIRECT, people, ..Channel::default() };
        state.channels.insert(id, channel);
        id
    });
    Ok((200, channel_json(id, &state.channels[&id])))
}

/// All commands at once: what is not among them is gone.
fn register(state: &mut State, guild: Option<u64>, body: &Value) -> Answered {
    let commands = body.as_array().cloned().unwrap_or_default();
    let mut names = BTreeSet::new();
    for command in &commands {
        let name = command["name"].as_str().unwrap_or_default();
        if !names.insert((name, command["type"].as_u64().unwrap_or(1))) {
            return Err(invalid(&[format!("`{name}` stands twice")]));
        }
        if !(1..=32).contains(&name.chars().count()) {
            return Err(invalid(&[format!("name: {name:?}")]));
        }
    }
    let kept = match guild {
        None => &mut state.commands,
        Some(guild) if state.guilds.contains_key(&guild) => {
            state.guild_commands.entry(guild).or_default()
        }
        Some(_) => return Err(refuse(403, 50001, "Missing Access")),
    };
    kept.clone_from(&commands);
    Ok((200, Value::Array(commands)))
}

fn in_guild(state: &mut State, asked: &Asked<'_>, method: &str) -> Answered {
    let id = asked.id(0);
    let Some(guild) = state.guilds.get(&id) else { return Err(unknown(10004)) };
    let role_json = |(id, role): (&u64, &crate::discord::emulator::state::Role)| {
        json!({ "id": id.to_string(), "name": role.name, "position": role.position,
            "permissions": role.permissions.to_string(), "mentionable": role.is_mentionable })
    };
    let roles: Vec<Value> = guild.roles.iter().map(role_json).collect();
    match asked.route {
        "GET /guilds/{guild}" => {
            let owner = guild.owner.to_string();
            return Ok((200, json!({ "id": id.to_string(), "owner_id": owner, "roles": roles })));
        }
        "GET /guilds/{guild}/onboarding" => {
            return Ok((
                200,
                json!({ "guild_id": id.to_string(), "prompts": prompts(&guild.onboarding),
                "enabled": !guild.onboarding.is_empty(), "default_channel_ids": [], "mode": 0 }),
            ));
        }
        "GET /guilds/{guild}/threads/active" => {
            let is_open = |(_, channel): &(&u64, &Channel)| {
                channel.is_thread() && channel.guild == Some(id) && !channel.is_archived
            };
            let seen = state.channels.iter().filter(is_open);
            let seen = seen.filter(|(thread, _)| state.permissions(BOT, **thread) & may::VIEW != 0);
            let threads: Vec<Value> =
                seen.map(|(thread, channel)| channel_json(*thread, channel)).collect();
            return Ok((200, json!({ "threads": threads, "members": [] })));
        }
        "GET /guilds/{guild}/roles" => return Ok((200, Value::Array(roles))),
        _ => {}
    }
    let user = asked.id(1);
    let Some(member) = guild.members.get(&user) else { return Err(unknown(10007)) };
    if asked.route == "GET /guilds/{guild}/members/{user}" {
        let roles: Vec<String> = member.roles.iter().map(u64::to_string).collect();
        return Ok((
            200,
            json!({ "user": user_json(state, user),
            "roles": roles, "pending": member.is_pending, "flags": member.flags }),
        ));
    }
    let role = asked.id(2);
    if !guild.roles.contains_key(&role) {
        return Err(unknown(10011));
    }
    let held = guild.members[&BOT].roles.iter().filter_map(|id| guild.roles.get(id));
    let may_manage = held.fold(0, |all, role| all | role.permissions) & may::MANAGE_ROLES != 0;
    if !may_manage || role == GUILD || !state.stands_above(BOT, id, role) {
        return Err(refuse(403, 50013, "Missing Permissions"));
    }
    let member = state.guilds.get_mut(&id).unwrap().members.get_mut(&user).unwrap();
    let is_new =
        if method == "PUT" { member.roles.insert(role) } else { member.roles.remove(&role) };
    if is_new {
        state.tell_of_member("GUILD_MEMBER_UPDATE", user);
    }
    Ok((204, Value::Null))
}

/// The questions of a server's onboarding; each answer gives a role.
fn prompts(asked: &[Vec<u64>]) -> Value {
    let option = |role: &u64| json!({ "id": role.to_string(), "title": "An answer", "role_ids": [role.to_string()], "channel_ids": [] });
    let prompt = |(n, roles): (usize, &Vec<u64>)| {
        let options: Vec<Value> = roles.iter().map(option).collect();
        json!({ "id": n.to_string(), "type": 0, "title": "A question", "single_select": false, "required": false,
            "in_onboarding": true, "options": options })
    };
    asked.iter().enumerate().map(prompt).collect()
}
