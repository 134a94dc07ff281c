//! Channels and threads.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Answered, Asked, channel_for, invalid, refuse, unknown};
use crate::discord::emulator::state::{BOT, Channel, State, kind, may};

pub(super) fn call(state: &mut State, asked: &Asked<'_>) -> Answered {
    let id = asked.id(0);
    match asked.route {
        "GET /channels/{channel}" => {
            channel_for(state, id, may::VIEW)?;
            Ok((200, channel_json(id, &state.channels[&id])))
        }
        "PATCH /channels/{channel}" => change(state, id, &asked.body),
        "DELETE /channels/{channel}" => {
            let here = channel_for(state, id, may::MANAGE_THREADS)?;
            if !here.is_thread() {
                return Err(refuse(403, 50013, "Missing Permissions"));
            }
            let gone = state.channels.remove(&id).unwrap();
            Ok((200, channel_json(id, &gone)))
        }
        "POST /channels/{channel}/invites" => {
            channel_for(state, id, may::INVITE)?;
            let code = format!("invite{}", state.snowflake());
            Ok((200, json!({ "code": code, "type": 0 })))
        }
        "POST /channels/{channel}/typing" => {
            channel_for(state, id, may::VIEW)?;
            Ok((204, Value::Null))
        }
        "POST /channels/{channel}/threads" => begin(state, id, &asked.body),
        "POST /channels/{channel}/messages/{message}/threads" => {
            begin_at(state, id, asked.id(1), &asked.body)
        }
        route => {
            let user = asked.id(1);
            let here = channel_for(state, id, may::VIEW)?;
            if here.is_archived {
                return Err(refuse(400, 50083, "Thread is archived"));
            }
            if !here.is_thread() {
                return Err(unknown(10003));
            }
            if !state.users.contains_key(&user) {
                return Err(unknown(10013));
            }
            let here = state.channels.get_mut(&id).unwrap();
            if route.starts_with("PUT") {
                here.people.insert(user)
            } else {
                here.people.remove(&user)
            };
            Ok((204, Value::Null))
        }
    }
}

fn begin(state: &mut State, parent: u64, body: &Value) -> Answered {
    let is_private = body["type"].as_u64() == Some(kind::PRIVATE_THREAD.into());
    let needed = if is_private { may::CREATE_PRIVATE_THREADS } else { may::SEND };
    let here = channel_for(state, parent, needed)?;
    if here.is_thread() || here.kind != kind::TEXT {
        return Err(refuse(400, 50024, "Cannot execute action on this channel type"));
    }
    let guild = here.guild;
    let name = body["name"].as_str().unwrap_or_default();
    let archive = body["auto_archive_duration"].as_u64().unwrap_or(1440);
    if !(1..=100).contains(&name.chars().count()) {
        return Err(invalid(&["name: Must be between 1 and 100 in length.".to_owned()]));
    }
    if ![60, 1440, 4320, 10080].contains(&archive) {
        return Err(invalid(&["auto_archive_duration: Value must be one of …".to_owned()]));
    }
    let id = state.snowflake();
    let thread = Channel {
        kind: if is_private { kind::PRIVATE_THREAD } else { kind::PUBLIC_THREAD },
        guild,
        name: name.to_owned(),
        owner: BOT,
        parent: Some(parent),
        people: BTreeSet::from([BOT]),
        ..Channel::default()
    };
    state.channels.insert(id, thread);
    Ok((201, channel_json(id, &state.channels[&id])))
}

/// The thread of a message has its id.
fn begin_at(state: &mut State, parent: u64, message: u64, body: &Value) -> Answered {
    let here = channel_for(state, parent, may::SEND)?;
    if !here.messages.contains_key(&message) {
        return Err(unknown(10008));
    }
    if state.channels.contains_key(&message) {
        return Err(refuse(400, 160_004, "A thread has already been created for this message"));
    }
    let (_, made) = begin(state, parent, body)?;
    let id: u64 = made["id"].as_str().and_then(|id| id.parse().ok()).unwrap_or(0);
    let thread = state.channels.remove(&id).unwrap();
    state.channels.insert(message, thread);
    Ok((201, channel_json(message, &state.channels[&message])))
}

fn change(state: &mut State, id: u64, body: &Value) -> Answered {
    let here = channel_for(state, id, may::VIEW)?;
    if !here.is_thread() {
        return Err(refuse(403, 50013, "Missing Permissions"));
    }
    let opens = body["archived"] == false;
    if here.is_archived && !opens {
        return Err(refuse(400, 50083, "Thread is archived"));
    }
    let is_locked = here.is_locked;
    let moderates = state.permissions(BOT, id) & may::MANAGE_THREADS != 0;
    if (is_locked || !body["locked"].is_null()) && !moderates {
        return Err(refuse(403, 50013, "Missing Permissions"));
    }
    let here = state.channels.get_mut(&id).unwrap();
    if let Some(archived) = body["archived"].as_bool() {
        here.is_archived = archived;
    }
    if let Some(locked) = body["locked"].as_bool() {
        here.is_locked = locked;
    }
    if let Some(name) = body["name"].as_str() {
        name.clone_into(&mut here.name);
    }
    Ok((200, channel_json(id, &state.channels[&id])))
}

pub(super) fn channel_json(id: u64, channel: &Channel) -> Value {
    let mut json = json!({ "id": id.to_string(), "type": channel.kind, "name": channel.name });
    if let Some(guild) = channel.guild {
        json["guild_id"] = guild.to_string().into();
        let said = channel.overwrites.iter().map(|(id, (allow, deny))| {
            json!({ "id": id.to_string(), "allow": allow.to_string(), "deny": deny.to_string() })
        });
        json["permission_overwrites"] = said.collect();
    }
    if let Some(parent) = channel.parent {
        json["parent_id"] = parent.to_string().into();
        json["owner_id"] = channel.owner.to_string().into();
        let last = channel.messages.iter().rfind(|(_, message)| message.only_for.is_none());
        json["last_message_id"] = last.map(|(id, _)| id.to_string()).into();
        json["thread_metadata"] =
            json!({ "archived": channel.is_archived, "locked": channel.is_locked });
    }
    json
}
