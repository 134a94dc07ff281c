//! Messages, reactions.

use serde_json::{Value, json};

use super::super::{
    BOT_USER,
    args::{Answer, Args, No},
    blocks::{self, Surface},
    calls::Caller,
    state::{Kind, Message, State},
};

/// Characters of `markdown_text`.
const MARKDOWN_MAX: usize = 12_000;

pub(super) fn post(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = target(state, caller, args.text("channel")?)?;
    let message = content(state, args)?;
    let thread = thread(state, &channel, args)?;
    let message = Message { thread, ..message };
    let ts = state.post(&channel, message);
    let message = state.message_json(&state.channels[&channel].messages[&ts], &channel);
    Ok(json!({ "channel": channel, "ts": ts, "message": message }))
}

pub(super) fn ephemeral(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = target(state, caller, args.text("channel")?)?;
    let user = args.text("user")?.to_owned();
    if !state.channels[&channel].members.contains(&user) {
        return Err("user_not_in_channel".into());
    }
    let message = content(state, args)?;
    let thread = thread(state, &channel, args)?;
    let ts = state.post(&channel, Message { thread, only_for: Some(user), ..message });
    Ok(json!({ "message_ts": ts }))
}

pub(super) fn update(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = target(state, caller, args.text("channel")?)?;
    let ts = args.text("ts")?.to_owned();
    let before = state.message(&channel, &ts)?.clone();
    if before.user != BOT_USER {
        return Err("cant_update_message".into());
    }
    if state.streams(&before) {
        return Err("streaming_state_conflict".into());
    }
    let new = content(state, args)?;
    let message = state.message_mut(&channel, &ts)?;
    // What is not given stays.
    if !new.text.is_empty() {
        message.text = new.text;
    }
    if !args.get("blocks").is_null() || args.maybe("markdown_text").is_some() {
        message.blocks = new.blocks;
    }
    if new.metadata.is_object() {
        message.metadata = new.metadata;
    }
    message.is_edited = true;
    let after = message.clone();
    state.tell_change(&channel, &before, Some(&after));
    let message = state.message_json(&after, &channel);
    Ok(json!({ "channel": channel, "ts": ts, "text": after.text, "message": message }))
}

pub(super) fn delete(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = target(state, caller, args.text("channel")?)?;
    let ts = args.text("ts")?.to_owned();
    let before = state.message(&channel, &ts)?.clone();
    if before.user != BOT_USER {
        return Err("cant_delete_message".into());
    }
    let messages = &mut state.channels.get_mut(&channel).unwrap().messages;
    let has_replies = messages.values().any(|other| other.thread.as_deref() == Some(&ts));
    if has_replies {
        // The thread stays, under a line that says what is gone.
        let text = "This message was deleted.".to_owned();
        let user = "USLACKBOT".to_owned();
        let left = Message { ts: ts.clone(), user, text, ..Message::default() };
        messages.insert(ts.clone(), left);
    } else {
        messages.remove(&ts);
    }
    if let Some(root) = &before.thread {
        let is_left = messages.get(root).is_some_and(|root| root.user == "USLACKBOT");
        if is_left && !messages.values().any(|other| other.thread.as_ref() == Some(root)) {
            messages.remove(root);
        }
    }
    state.tell_change(&channel, &before, None);
    Ok(json!({ "channel": channel, "ts": ts }))
}

pub(super) fn permalink(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = target(state, caller, args.text("channel")?)?;
    let ts = args.text("message_ts")?.to_owned();
    state.message(&channel, &ts)?;
    let domain = &state.teams[&caller.team].domain;
    let link = format!("https://{domain}.slack.com/archives/{channel}/p{}", ts.replace('.', ""));
    Ok(json!({ "channel": channel, "permalink": link }))
}

pub(super) fn react(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = target(state, caller, args.text("channel")?)?;
    let (ts, name) = (args.text("timestamp")?, args.text("name")?);
    let message = state.message_mut(&channel, ts)?;
    let reaction = (name.to_owned(), BOT_USER.to_owned());
    if message.reactions.contains(&reaction) {
        return Err("already_reacted".into());
    }
    message.reactions.push(reaction);
    Ok(json!({}))
}

pub(super) fn unreact(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = target(state, caller, args.text("channel")?)?;
    let (ts, name) = (args.text("timestamp")?, args.text("name")?);
    let message = state.message_mut(&channel, ts)?;
    let reaction = (name.to_owned(), BOT_USER.to_owned());
    let at = message.reactions.iter().position(|other| *other == reaction).ok_or("no_reaction")?;
    message.reactions.remove(at);
    Ok(json!({}))
}

/// The channel that the bot may write to; a person's id means the conversation with them.
pub(super) fn target(state: &mut State, caller: &Caller, channel: &str) -> Result<String, No> {
    let id = if channel.starts_with('U') || channel.starts_with('W') {
        let user = state.users.get(channel).ok_or("channel_not_found")?;
        if user.deleted {
            return Err("channel_not_found".into());
        }
        if user.closed {
            return Err("user_not_visible".into());
        }
        state.direct(channel)
    } else {
        channel.to_owned()
    };
    let found = state.channel(&id)?;
    if !state.is_shared(&id, &caller.team) {
        return Err("channel_not_found".into());
    }
    if found.archived {
        return Err("is_archived".into());
    }
    if !found.members.contains(BOT_USER) {
        return Err(if found.kind == Kind::Public {
            "not_in_channel"
        } else {
            "channel_not_found"
        }
        .into());
    }
    Ok(id)
}

/// The thread that a message goes to; it must be there, and must not be a reply itself.
pub(super) fn thread(state: &State, channel: &str, args: &Args) -> Result<Option<String>, No> {
    let Some(ts) = args.maybe("thread_ts") else { return Ok(None) };
    let root = state.message(channel, ts).map_err(|_| No::from("thread_not_found"))?;
    if state.channel(channel)?.locked.contains(ts) {
        return Err("restricted_action_thread_locked".into());
    }
    if root.thread.is_some() {
        return Err("cannot_reply_to_message".into());
    }
    Ok(Some(ts.to_owned()))
}

/// What a message says, checked.
pub(super) fn content(state: &State, args: &Args) -> Result<Message, No> {
    let (text, markdown) = (args.maybe("text"), args.maybe("markdown_text"));
    let given = args.get("blocks").as_array().is_some_and(|blocks| !blocks.is_empty());
    if markdown.is_some() && (text.is_some() || given) {
        return Err("markdown_text_conflict".into());
    }
    if text.is_none() && markdown.is_none() && !given && args.get("attachments").is_null() {
        return Err("no_text".into());
    }
    if text.is_some_and(|text| blocks::length(text) > state.text_max)
        || markdown.is_some_and(|text| blocks::length(text) > MARKDOWN_MAX)
    {
        return Err("msg_too_long".into());
    }
    check(args.get("blocks"))?;
    let blocks = match markdown {
        Some(text) => json!([{ "type": "markdown", "text": text }]),
        None if given => args.get("blocks").clone(),
        None => Value::Null,
    };
    Ok(Message {
        user: BOT_USER.to_owned(),
        text: text.or(markdown).unwrap_or_default().to_owned(),
        blocks,
        metadata: metadata(args)?,
        ..Message::default()
    })
}

/// Refuses blocks that a message cannot have.
pub(super) fn check(value: &Value) -> Result<(), No> {
    if value.is_null() {
        return Ok(());
    }
    let problems = blocks::problems(value, Surface::Message);
    if !problems.is_empty() {
        return Err(No::saying("invalid_blocks", problems));
    }
    if blocks::too_long(value) {
        return Err("msg_blocks_too_long".into());
    }
    Ok(())
}

fn metadata(args: &Args) -> Result<Value, No> {
    let metadata = args.get("metadata");
    if metadata.is_null() {
        return Ok(Value::Null);
    }
    let is_whole = metadata["event_type"].is_string() && metadata["event_payload"].is_object();
    let is_flat = metadata["event_payload"]
        .as_object()
        .is_some_and(|map| map.values().all(|value| !value.is_object() && !value.is_null()));
    if !is_whole || !is_flat {
        return Err("invalid_metadata_format".into());
    }
    if metadata.to_string().len() > 16_000 {
        return Err("metadata_too_large".into());
    }
    Ok(metadata.clone())
}
