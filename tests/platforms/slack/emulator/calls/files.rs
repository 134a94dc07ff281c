//! Files that the bot asks for or sends.

use serde_json::{Value, json};

use super::super::{
    BOT_USER,
    args::{Answer, Args},
    calls::Caller,
    state::{File, Message, State},
};
use super::chat::{check, target, thread};

pub(super) fn info(state: &mut State, _: &Caller, args: &Args) -> Answer {
    let file = state.files.get(args.text("file")?).ok_or("file_not_found")?;
    if file.is_tombstone {
        return Err("file_deleted".into());
    }
    Ok(json!({ "file": state.whole_file_json(file), "comments": [] }))
}

/// The app deletes its own files only. A message that was nothing but the file goes with it.
pub(super) fn delete(state: &mut State, _: &Caller, args: &Args) -> Answer {
    let id = args.text("file")?.to_owned();
    let file = state.files.get_mut(&id).ok_or("file_not_found")?;
    if file.is_tombstone {
        return Err("file_deleted".into());
    }
    if file.user != BOT_USER {
        return Err("cant_delete_file".into());
    }
    file.is_tombstone = true;
    file.bytes.clear();
    for channel in state.channels.values_mut() {
        let is_bare = |message: &Message| {
            message.text.is_empty() && message.files.iter().all(|file| *file == id)
        };
        channel.messages.retain(|_, message| message.files.is_empty() || !is_bare(message));
    }
    Ok(json!({}))
}

pub(super) fn upload_url(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let name = args.text("filename")?.to_owned();
    let length = args.number("length").unwrap_or(0);
    if length == 0 {
        return Err("invalid_arguments".into());
    }
    let id = state.id("F");
    let file = File {
        id: id.clone(),
        team: caller.team.clone(),
        user: BOT_USER.to_owned(),
        name,
        mimetype: "application/octet-stream".to_owned(),
        ..File::default()
    };
    state.files.insert(id.clone(), file);
    Ok(json!({ "upload_url": format!("{}/upload/{id}", state.base), "file_id": id }))
}

pub(super) fn complete(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let list = args.get("files").as_array().cloned().unwrap_or_default();
    if list.is_empty() {
        return Err("invalid_arguments".into());
    }
    // `markdown` blocks end in an error that says nothing.
    let given = args.get("blocks").as_array().cloned().unwrap_or_default();
    if given.iter().any(|block| block["type"] == "markdown") {
        return Err("internal_error".into());
    }
    check(args.get("blocks"))?;
    let channel = match args.maybe("channel_id") {
        Some(channel) if channel.starts_with('U') => return Err("channel_not_found".into()),
        Some(channel) => Some(target(state, caller, channel)?),
        None => None,
    };
    let mut ids = Vec::new();
    for given in &list {
        let id = given["id"].as_str().unwrap_or_default();
        let file = state.files.get_mut(id).ok_or("file_not_found")?;
        if file.bytes.is_empty() || file.user != BOT_USER {
            return Err("file_not_found".into());
        }
        file.channel.clone_from(&channel);
        ids.push(id.to_owned());
    }
    if let Some(channel) = channel {
        let thread = thread(state, &channel, args)?;
        let message = Message {
            user: BOT_USER.to_owned(),
            text: args.maybe("initial_comment").unwrap_or_default().to_owned(),
            blocks: args.get("blocks").clone(),
            files: ids.clone(),
            thread,
            shown_from: Some(state.now() + state.shares_after),
            ..Message::default()
        };
        state.post(&channel, message);
    }
    let files: Vec<Value> = ids.iter().map(|id| state.whole_file_json(&state.files[id])).collect();
    Ok(json!({ "files": files }))
}
