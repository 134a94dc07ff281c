//! Interactions: components, forms, shortcuts.

use serde_json::Value;

use super::{
    file::files,
    ignored, key,
    text::{decode, of_blocks},
    unknown, workspace,
};
use crate::{
    chat::raw::{first, flag, list, some_text, text_at},
    gateway::slack::inbound::{
        Action, Actor, Envelope, Incoming, Inputs, Submission, Typed, ViewRef,
    },
};

pub(super) fn read(payload: &Value) -> Envelope {
    let kind = text_at(payload, "/type");
    let workspace = workspace(payload);
    let team = workspace.team.as_str();
    let by = actor(payload);
    let view = view(payload);
    let trigger_id = text_at(payload, "/trigger_id");
    let (key, what) = match kind.as_str() {
        "block_actions" => {
            let at = first(payload, &["/actions/0/action_ts", "/trigger_id"]);
            let element = text_at(payload, "/actions/0/action_id");
            let key = key(&["act", team, &by.user, &at, &element], payload);
            (key, action(payload, by, view, trigger_id))
        }
        "view_submission" => {
            let key = key(&["sub", &view.id, &view.hash], payload);
            let inputs = inputs(payload, "/view/state/values");
            (key, Incoming::Submitted(Submission { by, view, inputs }))
        }
        "view_closed" => {
            let key = key(&["closed", &view.id, &view.hash], payload);
            let ViewRef { callback_id, private_metadata, .. } = view;
            (key, Incoming::Closed { by, callback_id, private_metadata })
        }
        "shortcut" | "message_action" => {
            let key = key(&["cut", &trigger_id], payload);
            let message = pair(payload, &["/channel/id"], &["/message_ts", "/message/ts"]);
            let callback_id = text_at(payload, "/callback_id");
            (key, Incoming::Shortcut { by, callback_id, message, trigger_id })
        }
        // What we never send, so nobody can use it: lists that are asked for while typing, and what came before blocks.
        "block_suggestion"
        | "dialog_submission"
        | "dialog_cancellation"
        | "dialog_suggestion"
        | "interactive_message" => (key(&["int"], payload), ignored(&kind)),
        _ => (key(&["int"], payload), unknown(&kind)),
    };
    Envelope { key, workspace, what }
}

fn actor(payload: &Value) -> Actor {
    Actor {
        user: first(payload, &["/user/id", "/user"]),
        team: text_at(payload, "/user/team_id"),
        name: first(payload, &["/user/name", "/user/username"]),
    }
}

fn view(payload: &Value) -> ViewRef {
    ViewRef {
        id: first(payload, &["/view/id", "/container/view_id"]),
        hash: text_at(payload, "/view/hash"),
        callback_id: text_at(payload, "/view/callback_id"),
        private_metadata: text_at(payload, "/view/private_metadata"),
    }
}

/// A component comes one at a time, though in a list.
fn action(payload: &Value, by: Actor, view: ViewRef, trigger_id: String) -> Incoming {
    let Some(used) = list(payload, "/actions").first() else {
        return unknown("block_actions.none");
    };
    let element = text_at(used, "/action_id");
    let block_id = text_at(used, "/block_id");
    // Other components of the message and of the view hold what was picked before: `Done` is a button beside them.
    let mut inputs = inputs(payload, "/state/values");
    inputs.0.extend(self::inputs(payload, "/view/state/values").0);
    let is_button = matches!(text_at(used, "/type").as_str(), "button" | "workflow_button");
    if !is_button {
        inputs.0.entry(block_id.clone()).or_default().insert(element.clone(), typed(used));
    }
    let message = pair(
        payload,
        &["/container/channel_id", "/channel/id"],
        &["/container/message_ts", "/message/ts"],
    );
    Incoming::Action(Action {
        by,
        element,
        block_id,
        inputs,
        value: text_at(used, "/value"),
        message,
        said: decode(&text_at(payload, "/message/text")),
        is_ephemeral: flag(payload, "/container/is_ephemeral"),
        thread: some_text(payload, "/container/thread_ts")
            .or_else(|| some_text(payload, "/message/thread_ts")),
        view: (!view.id.is_empty()).then_some(view),
        trigger_id,
        response_url: text_at(payload, "/response_url"),
    })
}

fn pair(payload: &Value, channel: &[&str], ts: &[&str]) -> Option<(String, String)> {
    let (channel, ts) = (first(payload, channel), first(payload, ts));
    (!channel.is_empty() && !ts.is_empty()).then_some((channel, ts))
}

fn inputs(payload: &Value, pointer: &str) -> Inputs {
    let mut inputs = Inputs::default();
    let blocks = payload.pointer(pointer).and_then(Value::as_object);
    for (block, elements) in blocks.into_iter().flatten() {
        let elements = elements.as_object().into_iter().flatten();
        let typed = elements.map(|(name, element)| (name.clone(), typed(element))).collect();
        inputs.0.insert(block.clone(), typed);
    }
    inputs
}

/// What an element holds, whichever kind it is of: kinds differ by the names of their members.
fn typed(element: &Value) -> Typed {
    let mut values = Vec::new();
    let members = element.as_object().into_iter().flatten();
    for (name, member) in members {
        match name.as_str() {
            "value" => values.extend(scalar(member)),
            "rich_text_value" => {
                values.extend(Some(of_blocks(member)).filter(|words| !words.is_empty()));
            }
            "files" => {}
            _ if name.starts_with("selected_") => picked(member, &mut values),
            _ => {}
        }
    }
    Typed { values, files: files(element, "/files") }
}

/// One option or several, or one id or several.
fn picked(member: &Value, values: &mut Vec<String>) {
    match member {
        Value::Array(members) => members.iter().for_each(|one| picked_one(one, values)),
        one => picked_one(one, values),
    }
}

fn picked_one(member: &Value, values: &mut Vec<String>) {
    values.extend(scalar(member.get("value").unwrap_or(member)));
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
