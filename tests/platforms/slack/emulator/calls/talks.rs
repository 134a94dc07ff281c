//! Conversations.
#![expect(clippy::unnecessary_wraps, reason = "all methods have one shape")]

use serde_json::{Value, json};

use super::super::{
    BOT_USER,
    args::{Answer, Args, No},
    calls::Caller,
    shapes::channel_json,
    state::{Kind, Message, State},
};

pub(super) fn open(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    if let Some(channel) = args.maybe("channel") {
        let found = state.channel(channel)?;
        return Ok(json!({ "channel": channel_json(found) }));
    }
    let users = args.text("users")?;
    if users.contains(',') {
        return Err("not_enough_users".into());
    }
    let user = state.users.get(users).ok_or("user_not_found")?;
    if user.deleted {
        return Err("user_disabled".into());
    }
    if user.closed {
        return Err("user_not_visible".into());
    }
    if state.team_of(users) != caller.team {
        return Err("user_not_found".into());
    }
    let is_open = state.channels.contains_key(&format!("D{}", &users[1..]));
    let id = state.direct(users);
    Ok(json!({ "no_op": is_open, "already_open": is_open, "channel": { "id": id } }))
}

pub(super) fn info(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = visible(state, caller, args.text("channel")?, "read")?;
    Ok(json!({ "channel": channel_json(&state.channels[&channel]) }))
}

pub(super) fn members(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = visible(state, caller, args.text("channel")?, "read")?;
    let members: Vec<&String> = state.channels[&channel].members.iter().collect();
    Ok(json!({ "members": members, "response_metadata": { "next_cursor": "" } }))
}

pub(super) fn create(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let name = args.text("name")?.to_owned();
    if state.channels.values().any(|channel| channel.name == name) {
        return Err("name_taken".into());
    }
    let kind = if args.flag("is_private") { Kind::Private } else { Kind::Public };
    let id = state.id("C");
    state.open_channel(&id, &name, kind, &[BOT_USER]);
    state.channels.get_mut(&id).unwrap().team.clone_from(&caller.team);
    Ok(json!({ "channel": channel_json(&state.channels[&id]) }))
}

pub(super) fn invite(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = visible(state, caller, args.text("channel")?, "")?;
    for user in args.text("users")?.split(',') {
        if !state.users.contains_key(user) {
            return Err("user_not_found".into());
        }
        if !state.channels.get_mut(&channel).unwrap().members.insert(user.to_owned()) {
            return Err("already_in_channel".into());
        }
    }
    Ok(json!({ "channel": channel_json(&state.channels[&channel]) }))
}

/// The conversations that the bot is in, of the kinds that are asked for.
pub(super) fn mine(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let kinds = args.maybe("types").unwrap_or("public_channel");
    let mut found = Vec::new();
    for (name, kind) in
        [("public_channel", Kind::Public), ("private_channel", Kind::Private), ("im", Kind::Direct)]
    {
        if !kinds.split(',').any(|wanted| wanted.trim() == name) {
            continue;
        }
        caller.needs(&format!("{}:read", kind.scope()))?;
        let is_mine = |channel: &&super::super::state::Channel| {
            channel.kind == kind
                && channel.members.contains(BOT_USER)
                && channel.team == caller.team
                && !(args.flag("exclude_archived") && channel.archived)
        };
        found.extend(state.channels.values().filter(is_mine).map(channel_json));
    }
    let from: usize = args.maybe("cursor").and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    let limit = usize::try_from(args.number("limit").unwrap_or(100)).unwrap();
    let cursor =
        if from + limit < found.len() { (from + limit).to_string() } else { String::new() };
    let page: Vec<Value> = found.into_iter().skip(from).take(limit).collect();
    Ok(json!({ "channels": page, "response_metadata": { "next_cursor": cursor } }))
}

pub(super) fn history(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = visible(state, caller, args.text("channel")?, "history")?;
    let messages = state.channels[&channel].messages.values();
    let roots: Vec<&Message> = messages.filter(|message| message.thread.is_none()).collect();
    page(state, &channel, roots.into_iter().rev().collect(), args)
}

pub(super) fn replies(state: &mut State, caller: &Caller, args: &Args) -> Answer {
    let channel = visible(state, caller, args.text("channel")?, "history")?;
    let ts = args.text("ts")?;
    let root = state.message(&channel, ts).map_err(|_| No::from("thread_not_found"))?;
    let thread = root.thread.clone().unwrap_or_else(|| ts.to_owned());
    let messages = state.channels[&channel].messages.values();
    let of_thread =
        messages.filter(|message| message.ts == thread || message.thread.as_ref() == Some(&thread));
    page(state, &channel, of_thread.collect(), args)
}

fn page(state: &State, channel: &str, messages: Vec<&Message>, args: &Args) -> Answer {
    let from: usize = args.maybe("cursor").and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    let limit = usize::try_from(args.number("limit").unwrap_or(100)).unwrap().min(999);
    let (oldest, latest) =
        (args.maybe("oldest").unwrap_or("0"), args.maybe("latest").unwrap_or("9999999999.9"));
    let is_inclusive = args.flag("inclusive");
    let fits = |message: &&Message| {
        let ts = message.ts.as_str();
        (ts > oldest && ts < latest) || (is_inclusive && (ts == oldest || ts == latest))
    };
    let is_there = |message: &&Message| {
        message.only_for.is_none() && message.shown_from.is_none_or(|from| from <= state.now())
    };
    let all: Vec<&Message> = messages.into_iter().filter(is_there).filter(fits).collect();
    let page: Vec<Value> = all
        .iter()
        .skip(from)
        .take(limit)
        .map(|message| {
            let mut json = state.message_json(message, channel);
            if !args.flag("include_all_metadata") {
                json.as_object_mut().unwrap().remove("metadata");
            }
            json
        })
        .collect();
    let has_more = from + limit < all.len();
    let cursor = if has_more { (from + limit).to_string() } else { String::new() };
    Ok(
        json!({ "messages": page, "has_more": has_more, "response_metadata": { "next_cursor": cursor } }),
    )
}

/// A channel that the bot may look into, with the scope for its kind.
fn visible(state: &State, caller: &Caller, id: &str, scope: &str) -> Result<String, No> {
    let channel = state.channel(id)?;
    if !state.is_shared(id, &caller.team) {
        return Err("channel_not_found".into());
    }
    let is_member = channel.members.contains(BOT_USER);
    if !is_member && channel.kind != Kind::Public {
        return Err("channel_not_found".into());
    }
    if !scope.is_empty() {
        caller.needs(&format!("{}:{scope}", channel.kind.scope()))?;
    }
    if scope == "history" && !is_member {
        return Err("not_in_channel".into());
    }
    Ok(id.to_owned())
}
