//! Messages: posted once under one name, edited, deleted; never into an archived thread.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{Answered, Asked, Refusal, channel_for, invalid, refuse, unknown};
use crate::emulator::{
    components,
    state::{BOT, Message, State, kind, may, message_json},
};

/// How long a name of a message is remembered; Discord says "a few minutes".
const NONCE_LIFE: TimeDelta = TimeDelta::minutes(3);

pub(super) fn call(state: &mut State, asked: &Asked<'_>) -> Answered {
    let channel = asked.id(0);
    match asked.route {
        "POST /channels/{channel}/messages" => post(state, channel, &asked.body),
        "GET /channels/{channel}/messages/{message}" => {
            let id = known(state, channel, asked.id(1))?;
            Ok((200, message_json(state, channel, id)))
        }
        "PATCH /channels/{channel}/messages/{message}" => {
            let id = known(state, channel, asked.id(1))?;
            edit(state, channel, id, &asked.body)
        }
        _ => {
            let id = known(state, channel, asked.id(1))?;
            channel_for(state, channel, may::VIEW)?.messages.remove(&id);
            Ok((204, Value::Null))
        }
    }
}

fn known(state: &mut State, channel: u64, id: u64) -> Result<u64, Refusal> {
    let here = channel_for(state, channel, may::VIEW)?;
    match here.messages.get(&id) {
        Some(message) if message.only_for.is_none() => Ok(id),
        _ => Err(unknown(10008)),
    }
}

fn post(state: &mut State, channel: u64, body: &Value) -> Answered {
    let now = state.now;
    let is_thread =
        state.channels.get(&channel).is_some_and(super::super::state::Channel::is_thread);
    let needed = if is_thread { may::SEND_IN_THREADS } else { may::SEND };
    let here = channel_for(state, channel, needed)?;
    if here.kind == kind::DIRECT {
        let other = here.people.iter().find(|user| **user != BOT).copied().unwrap_or(0);
        if state.users.get(&other).is_none_or(|user| user.is_closed) {
            return Err(refuse(403, 50007, "Cannot send messages to this user"));
        }
    }
    let problems = components::message_problems(body);
    if !problems.is_empty() {
        return Err(invalid(&problems));
    }
    let nonce = body["nonce"].as_str().map(str::to_owned);
    if nonce.as_ref().is_some_and(|nonce| nonce.chars().count() > 25) {
        return Err(invalid(&["nonce: Must be 25 or fewer in length.".to_owned()]));
    }
    let enforced = nonce.filter(|_| body["enforce_nonce"] == true);
    let here = state.channels.get_mut(&channel).unwrap();
    if let Some(nonce) = &enforced
        && let Some((id, at)) = here.nonces.get(&(BOT, nonce.clone())).copied()
        && now - at < NONCE_LIFE
    {
        // The first one, unless somebody took it away.
        if !here.messages.contains_key(&id) {
            return Err(unknown(10008));
        }
        return Ok((200, message_json(state, channel, id)));
    }
    if here.is_locked && here.is_archived {
        return Err(refuse(400, 50083, "Thread is archived"));
    }
    // Writing opens a thread again.
    here.is_archived = false;
    let id = state.snowflake();
    let here = state.channels.get_mut(&channel).unwrap();
    if let Some(nonce) = enforced {
        here.nonces.insert((BOT, nonce), (id, now));
    }
    let message = Message { author: BOT, body: body.clone(), only_for: None, is_edited: false };
    here.messages.insert(id, message);
    Ok((200, message_json(state, channel, id)))
}

fn edit(state: &mut State, channel: u64, id: u64, body: &Value) -> Answered {
    let here = state.channels.get_mut(&channel).unwrap();
    if here.is_archived {
        return Err(refuse(400, 50083, "Thread is archived"));
    }
    let message = here.messages.get_mut(&id).unwrap();
    if message.author != BOT {
        return Err(refuse(403, 50005, "Cannot edit a message authored by another user"));
    }
    message.body = changed(&message.body, body)?;
    message.is_edited = true;
    Ok((200, message_json(state, channel, id)))
}

/// A message with an edit. What was made of components stays so.
pub(super) fn changed(before: &Value, edit: &Value) -> Result<Value, Refusal> {
    let mut body = before.clone();
    for name in ["content", "components", "allowed_mentions"] {
        if !edit[name].is_null() {
            body[name] = edit[name].clone();
        }
    }
    let v2 = 1 << 15;
    let (was, is) = (before["flags"].as_u64().unwrap_or(0), edit["flags"].as_u64().unwrap_or(0));
    body["flags"] = json!(was & !4 | is & (v2 | 4));
    let problems = components::message_problems(&body);
    if problems.is_empty() { Ok(body) } else { Err(invalid(&problems)) }
}
