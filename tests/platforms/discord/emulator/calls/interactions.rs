//! Answers to interactions: the first within three seconds and once only, what follows within a quarter of an hour.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{Answered, Asked, Refusal, invalid, messages::changed, refuse, unknown};
use crate::discord::emulator::{
    components,
    state::{BOT, Interaction, Message, State, message_json},
};

const FIRST: TimeDelta = TimeDelta::seconds(3);
const LIFE: TimeDelta = TimeDelta::minutes(15);
const EPHEMERAL: u64 = 1 << 6;

pub(super) fn call(state: &mut State, asked: &Asked<'_>) -> Answered {
    let token = asked.names[1].to_owned();
    let Some(interaction) = state.interactions.get(&token).cloned() else {
        let code = if asked.route.starts_with("POST /interactions") { 10062 } else { 10015 };
        return Err(unknown(code));
    };
    if asked.route.starts_with("POST /interactions") {
        return first(state, asked, &token, &interaction);
    }
    if state.now - interaction.at > LIFE {
        return Err(refuse(401, 50027, "Invalid Webhook Token"));
    }
    if interaction.answer.is_none() {
        return Err(unknown(10015));
    }
    let channel = interaction.channel;
    match asked.route {
        "POST /webhooks/{application}/{token}" => {
            let flags = asked.body["flags"].as_u64().unwrap_or(0);
            let id = put(state, &interaction, &asked.body, flags & EPHEMERAL != 0)?;
            Ok((200, message_json(state, channel, id)))
        }
        route => {
            let is_original = route.ends_with("@original");
            let original = interaction.original.ok_or_else(|| unknown(10008));
            let id = if is_original { original? } else { asked.id(2) };
            let here = state.channels.get_mut(&channel).ok_or_else(|| unknown(10003))?;
            let message = here.messages.get_mut(&id).ok_or_else(|| unknown(10008))?;
            match route.split(' ').next() {
                Some("GET") => {}
                Some("DELETE") => {
                    here.messages.remove(&id);
                    return Ok((204, Value::Null));
                }
                _ => {
                    message.body = changed(&message.body, &asked.body)?;
                    message.is_edited = true;
                }
            }
            Ok((200, message_json(state, channel, id)))
        }
    }
}

fn first(state: &mut State, asked: &Asked<'_>, token: &str, interaction: &Interaction) -> Answered {
    if asked.id(0) != interaction.id || state.now - interaction.at > FIRST {
        return Err(unknown(10062));
    }
    if interaction.answer.is_some() {
        return Err(refuse(400, 40060, "Interaction has already been acknowledged."));
    }
    let kind = asked.body["type"].as_u64().unwrap_or(0);
    let data = &asked.body["data"];
    let flags = data["flags"].as_u64().unwrap_or(0);
    let mut answered = Interaction { answer: Some(kind), ..interaction.clone() };
    // What edits a message needs one.
    let on_message = interaction.message.is_some();
    match kind {
        4 => {
            answered.is_ephemeral = flags & EPHEMERAL != 0;
            answered.original = Some(put(state, interaction, data, answered.is_ephemeral)?);
        }
        5 => {
            if flags & !EPHEMERAL != 0 {
                return Err(invalid(
                    &["a deferred answer is ephemeral or not, no more".to_owned()],
                ));
            }
            answered.is_ephemeral = flags & EPHEMERAL != 0;
            let body = json!({ "content": "thinking…" });
            answered.original = Some(put(state, interaction, &body, answered.is_ephemeral)?);
        }
        6 if on_message => answered.original = interaction.message,
        7 if on_message => {
            let id = interaction.message.unwrap();
            let here = state.channels.get_mut(&interaction.channel).unwrap();
            let message = here.messages.get_mut(&id).ok_or_else(|| unknown(10008))?;
            message.body = changed(&message.body, data)?;
            message.is_edited = true;
            answered.original = Some(id);
        }
        9 if interaction.kind != 5 => {
            let problems = components::modal_problems(data);
            if !problems.is_empty() {
                return Err(invalid(&problems));
            }
            answered.modal = Some(data.clone());
        }
        _ => return Err(invalid(&[format!("an answer of type {kind} here")])),
    }
    state.interactions.insert(token.to_owned(), answered);
    Ok((204, Value::Null))
}

fn put(state: &mut State, to: &Interaction, body: &Value, alone: bool) -> Result<u64, Refusal> {
    let problems = components::message_problems(body);
    if !problems.is_empty() {
        return Err(invalid(&problems));
    }
    let id = state.snowflake();
    let only_for = alone.then_some(to.by);
    let message = Message { author: BOT, body: body.clone(), only_for, is_edited: false };
    let here = state.channels.get_mut(&to.channel).ok_or_else(|| unknown(10003))?;
    here.messages.insert(id, message);
    Ok(id)
}
