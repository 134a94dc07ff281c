//! What an agent shows: streams, sessions, status, suggested prompts.

use serde_json::{Value, json};

use super::super::{
    BOT_USER,
    args::{Answer, Args, No},
    blocks::length,
    calls::Caller,
    state::{Kind, Message, Session, State},
};
use super::chat::{check, target, thread};

pub(super) fn start(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = target(state, caller, args.text("channel")?)?;
    let is_direct = state.channels[&channel].kind == Kind::Direct;
    let thread = thread(state, &channel, args)?.ok_or("invalid_arguments")?;
    if !is_direct {
        let user = args.maybe("recipient_user_id").ok_or("missing_recipient_user_id")?;
        args.maybe("recipient_team_id").ok_or("missing_recipient_team_id")?;
        if !state.users.contains_key(user) {
            return Err("user_not_found".into());
        }
    }
    let message = Message {
        user: BOT_USER.to_owned(),
        thread: Some(thread.clone()),
        stream: Some(state.now()),
        ..Message::default()
    };
    let mut message = message;
    grow(&mut message, args)?;
    let ts = state.post(&channel, message);
    "processing".clone_into(&mut session(state, &channel, &thread).status);
    Ok(json!({ "channel": channel, "ts": ts }))
}

pub(super) fn append(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let (channel, ts) = streaming(state, caller, args)?;
    if args.maybe("markdown_text").is_none() && args.get("chunks").is_null() {
        return Err("no_text".into());
    }
    grow(state.message_mut(&channel, &ts)?, args)?;
    Ok(json!({ "channel": channel, "ts": ts }))
}

pub(super) fn stop(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let (channel, ts) = streaming(state, caller, args)?;
    let status = args.maybe("session_status").unwrap_or("active");
    known(status)?;
    check(args.get("blocks"))?;
    let before = state.message(&channel, &ts)?.clone();
    let message = state.message_mut(&channel, &ts)?;
    grow(message, args)?;
    message.stream = None;
    let metadata = args.get("metadata");
    if metadata.is_object() {
        message.metadata = metadata.clone();
    }
    let more = args.get("blocks").as_array().cloned().unwrap_or_default();
    if !more.is_empty() {
        blocks_of(message).extend(more);
    }
    let after = message.clone();
    state.tell_change(&channel, &before, Some(&after));
    if let Some(thread) = &after.thread {
        status.clone_into(&mut session(state, &channel, thread).status);
    }
    Ok(json!({ "channel": channel, "ts": ts, "message": state.message_json(&after, &channel) }))
}

fn streaming(state: &mut State, caller: &Caller, args: &Args) -> Result<(String, String), No> {
    let channel = target(state, caller, args.text("channel")?)?;
    let ts = args.text("ts")?.to_owned();
    let message = state.message(&channel, &ts)?;
    if message.user != BOT_USER {
        return Err("message_not_owned_by_app".into());
    }
    if !state.streams(message) {
        return Err("message_not_in_streaming_state".into());
    }
    Ok((channel, ts))
}

/// Adds what was streamed.
fn grow(message: &mut Message, args: &Args) -> Result<(), No> {
    if let Some(text) = args.maybe("markdown_text") {
        if length(text) > 12_000 {
            return Err("msg_too_long".into());
        }
        if !args.get("chunks").is_null() {
            return Err("invalid_arguments".into());
        }
        words(message, text);
    }
    for chunk in args.get("chunks").as_array().cloned().unwrap_or_default() {
        match chunk["type"].as_str().unwrap_or_default() {
            "markdown_text" => words(message, chunk["text"].as_str().unwrap_or_default()),
            "task_update" => task(message, &chunk)?,
            "plan_update" => {
                let title = chunk["title"].as_str().ok_or("invalid_chunks")?.to_owned();
                plan(message)["title"] = title.into();
            }
            "blocks" => {
                check(&chunk["blocks"])?;
                let more = chunk["blocks"].as_array().cloned().unwrap_or_default();
                blocks_of(message).extend(more);
            }
            _ => return Err("invalid_chunks".into()),
        }
    }
    Ok(())
}

fn blocks_of(message: &mut Message) -> &mut Vec<Value> {
    if !message.blocks.is_array() {
        message.blocks = json!([]);
    }
    message.blocks.as_array_mut().unwrap()
}

fn words(message: &mut Message, text: &str) {
    message.text.push_str(text);
    let blocks = blocks_of(message);
    match blocks.last_mut().filter(|block| block["type"] == "markdown") {
        Some(last) => {
            last["text"] = format!("{}{text}", last["text"].as_str().unwrap_or_default()).into();
        }
        None => blocks.push(json!({ "type": "markdown", "text": text })),
    }
}

fn plan(message: &mut Message) -> &mut Value {
    let blocks = blocks_of(message);
    let at = blocks.iter().position(|block| block["type"] == "plan").unwrap_or_else(|| {
        blocks.insert(0, json!({ "type": "plan", "title": "", "tasks": [] }));
        0
    });
    &mut blocks[at]
}

fn task(message: &mut Message, chunk: &Value) -> Result<(), No> {
    let (Some(id), Some(_)) = (chunk["id"].as_str(), chunk["title"].as_str()) else {
        return Err("invalid_chunks".into());
    };
    if !matches!(chunk["status"].as_str(), Some("pending" | "in_progress" | "complete" | "error")) {
        return Err("invalid_chunks".into());
    }
    let sources = chunk["sources"].as_array().cloned().unwrap_or_default();
    if sources.iter().any(|source| source["text"].as_str().is_none_or(str::is_empty)) {
        return Err("invalid_chunks".into());
    }
    let card = json!({ "type": "task_card", "task_id": id, "title": chunk["title"], "status": chunk["status"] });
    let tasks = plan(message)["tasks"].as_array_mut().unwrap();
    match tasks.iter_mut().find(|task| task["task_id"] == id) {
        Some(task) => *task = card,
        None => tasks.push(card),
    }
    if tasks.len() > 50 {
        return Err("invalid_chunks".into());
    }
    Ok(())
}

fn known(status: &str) -> Result<(), No> {
    match status {
        "active" | "processing" | "suspended" | "closed" => Ok(()),
        _ => Err("invalid_arguments".into()),
    }
}

fn session<'a>(state: &'a mut State, channel: &str, thread: &str) -> &'a mut Session {
    state.sessions.entry((channel.to_owned(), thread.to_owned())).or_default()
}

/// The channel and the thread that a session is about.
fn place(state: &mut State, caller: &Caller, args: &Args) -> Result<(String, String), No> {
    // Here a person's id does not stand for the conversation with them.
    let channel = args.text("channel_id")?.to_owned();
    if channel.starts_with('U') {
        return Err("channel_not_found".into());
    }
    let channel = target(state, caller, &channel)?;
    let thread = thread(state, &channel, args)?.ok_or("invalid_arguments")?;
    Ok((channel, thread))
}

pub(super) fn set_status(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let (channel, thread) = place(state, caller, args)?;
    let status = args.text("status")?.to_owned();
    known(&status)?;
    if args.maybe("title").is_some_and(|title| length(title) > 200) {
        return Err("invalid_arguments".into());
    }
    let session = session(state, &channel, &thread);
    session.status.clone_from(&status);
    if let Some(title) = args.maybe("title") {
        title.clone_into(&mut session.title);
    }
    Ok(json!({ "status": status, "agent_status": status, "title": session.title }))
}

pub(super) fn rename(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let (channel, thread) = place(state, caller, args)?;
    let title = args.text("title")?.to_owned();
    if length(&title) > 200 {
        return Err("invalid_arguments".into());
    }
    session(state, &channel, &thread).title.clone_from(&title);
    Ok(json!({ "title": title }))
}

pub(super) fn title(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    rename(state, caller, args).map(|_| json!({}))
}

pub(super) fn doing(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let (channel, thread) = place(state, caller, args)?;
    if args.get("loading_messages").as_array().is_some_and(|list| list.len() > 10) {
        return Err("invalid_arguments".into());
    }
    let status = args.get("status").as_str().ok_or("invalid_arguments")?.to_owned();
    session(state, &channel, &thread).doing = status;
    Ok(json!({}))
}

pub(super) fn prompts(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = args.text("channel_id")?.to_owned();
    if channel.starts_with('U') {
        return Err("channel_not_found".into());
    }
    let channel = target(state, caller, &channel)?;
    let list = args.get("prompts").as_array().cloned().unwrap_or_default();
    if list.is_empty() || list.len() > 4 {
        return Err("invalid_arguments".into());
    }
    let mut prompts = Vec::new();
    for prompt in list {
        let (Some(title), Some(message)) = (prompt["title"].as_str(), prompt["message"].as_str())
        else {
            return Err("invalid_arguments".into());
        };
        prompts.push((title.to_owned(), message.to_owned()));
    }
    state.prompts.insert(channel, prompts);
    Ok(json!({}))
}
