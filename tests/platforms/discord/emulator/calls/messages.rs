//! Messages: posted once under one name, edited, deleted; never into an archived thread.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{Answered, Asked, Refusal, channel_for, invalid, refuse, unknown};
use crate::discord::emulator::{
    components,
    state::{BOT, Message, State, at_of, kind, may, message_json},
};

/// How long a name of a message is remembered; Discord says "a few minutes".
const NONCE_LIFE: TimeDelta = TimeDelta::minutes(3);

/// From this age on a message may be edited so often; Discord does not say how often.
const OLD: TimeDelta = TimeDelta::hours(1);
const OLD_EDITS: u32 = 3;

pub(super) fn call(state: &mut State, asked: &Asked<'_>) -> Answered {
    let channel = asked.id(0);
    match asked.route {
        "POST /channels/{channel}/messages" => post(state, channel, asked),
        "GET /channels/{channel}/messages" => list(state, channel, asked),
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
            state.deletes(channel, id);
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

fn post(state: &mut State, channel: u64, asked: &Asked<'_>) -> Answered {
    let (now, body) = (state.now, &asked.body);
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
    refers(state, channel, body)?;
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
    let body = with_files(state, channel, asked);
    let message = Message { author: BOT, body, only_for: None, is_edited: false };
    state.channels.get_mut(&channel).unwrap().messages.insert(id, message);
    notify(state, channel, id);
    state.posted(channel, id);
    Ok((200, message_json(state, channel, id)))
}

/// Refuses a reference to a message that is not there, unless that is to be overlooked.
fn refers(state: &State, channel: u64, body: &Value) -> Result<(), Refusal> {
    let reference = &body["message_reference"];
    if reference.is_null() {
        return Ok(());
    }
    let id = reference["message_id"].as_str().and_then(|id| id.parse::<u64>().ok());
    let is_there = id.is_some_and(|id| state.channels[&channel].messages.contains_key(&id));
    if is_there || reference["fail_if_not_exists"] == false {
        return Ok(());
    }
    Err(invalid(&["message_reference: Unknown message".to_owned()]))
}

/// Notifies whom a message mentions, where it allows that; those of a role where it may be mentioned.
fn notify(state: &mut State, channel: u64, id: u64) {
    let body = &state.channels[&channel].messages[&id].body;
    let text = body["content"].to_string() + &body["components"].to_string();
    let ids = |kind: &str| -> Vec<u64> {
        let listed = body["allowed_mentions"][kind].as_array().into_iter().flatten();
        listed.filter_map(|id| id.as_str()?.parse().ok()).collect()
    };
    let (users, roles) = (ids("users"), ids("roles"));
    let named = |mention: String| text.contains(&mention);
    let mut called: Vec<u64> = users.into_iter().filter(|id| named(format!("<@{id}>"))).collect();
    let_in(state, channel, &called);
    let may_all = state.permissions(BOT, channel) & may::MENTION_EVERYONE != 0;
    let guild = state.channels[&channel].guild.and_then(|guild| state.guilds.get(&guild));
    for role in roles.into_iter().filter(|id| named(format!("<@&{id}>"))) {
        let Some(guild) = guild else { continue };
        if may_all || guild.roles.get(&role).is_some_and(|role| role.is_mentionable) {
            let members = guild.members.iter().filter(|(_, member)| member.roles.contains(&role));
            called.extend(members.map(|(id, _)| *id));
        }
    }
    state.notified.extend(called.into_iter().map(|user| (user, id)));
}

/// Who is mentioned in a private thread is let into it, if they see the channel that it hangs on (#5295).
fn let_in(state: &mut State, thread: u64, called: &[u64]) {
    let here = &state.channels[&thread];
    let Some(parent) = here.parent.filter(|_| here.kind == kind::PRIVATE_THREAD) else { return };
    let sees = |user: &&u64| state.permissions(**user, parent) & may::VIEW != 0;
    let new: Vec<u64> = called.iter().filter(sees).copied().collect();
    state.channels.get_mut(&thread).unwrap().people.extend(new);
}

/// A message with the files that came along; what says nothing of itself is not kept.
fn with_files(state: &mut State, channel: u64, asked: &Asked<'_>) -> Value {
    let mut body = asked.body.clone();
    let said = body["attachments"].as_array().cloned().unwrap_or_default();
    let mut kept = Vec::new();
    for file in said {
        let part = format!("files[{}]", file["id"]);
        if let Some((_, kind, bytes)) = asked.files.iter().find(|(name, ..)| *name == part) {
            let name = file["filename"].as_str().unwrap_or("unknown").to_owned();
            kept.push(state.upload(channel, (&name, kind), bytes, false));
        }
    }
    body["attachments"] = kept.into();
    body
}

/// The newest first; what only one person sees is not among them.
fn list(state: &mut State, channel: u64, asked: &Asked<'_>) -> Answered {
    let most = usize::try_from(asked.query("limit").unwrap_or(50).min(100)).unwrap();
    let here = channel_for(state, channel, may::VIEW)?;
    let open = here.messages.iter().filter(|(_, message)| message.only_for.is_none());
    let ids: Vec<u64> = open.map(|(id, _)| *id).collect();
    let before = |than: u64| ids.iter().rev().filter(move |id| **id < than).copied();
    let after = |than: u64| ids.iter().filter(move |id| **id > than).copied();
    let mut found: Vec<u64> =
        match (asked.query("after"), asked.query("before"), asked.query("around")) {
            (Some(id), None, None) => after(id).take(most).collect(),
            (None, Some(id), None) => before(id).take(most).collect(),
            (None, None, Some(id)) => {
                before(id + 1).take(most / 2 + 1).chain(after(id).take(most / 2)).collect()
            }
            (None, None, None) => before(u64::MAX).take(most).collect(),
            _ => return Err(invalid(&["only one of before, after and around".to_owned()])),
        };
    found.sort_unstable_by(|one, other| other.cmp(one));
    let found = found.into_iter().map(|id| message_json(state, channel, id)).collect();
    Ok((200, Value::Array(found)))
}

fn edit(state: &mut State, channel: u64, id: u64, body: &Value) -> Answered {
    let age = state.now - at_of(id);
    let here = state.channels.get_mut(&channel).unwrap();
    if here.is_archived {
        return Err(refuse(400, 50083, "Thread is archived"));
    }
    let message = here.messages.get_mut(&id).unwrap();
    if message.author != BOT {
        return Err(refuse(403, 50005, "Cannot edit a message authored by another user"));
    }
    if age > OLD {
        let edits = state.old_edits.entry(id).or_insert(0);
        if *edits == OLD_EDITS {
            return Err(refuse(
                429,
                30046,
                "Maximum number of edits to messages older than 1 hour reached",
            ));
        }
        *edits += 1;
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
