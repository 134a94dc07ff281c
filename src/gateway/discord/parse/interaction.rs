//! Interactions: components, forms, commands. Components are read by what they have in common, whichever kind they are:
//! every one that has an id of ours is an answer, wherever it stands.

use std::collections::BTreeMap;

use serde_json::Value;
use serenity::model::id::InteractionId;

use super::{actor, file, ignored, key, message, unknown};
use crate::{
    chat::raw::{flag, list, number, scalar, some_text, text_at},
    gateway::discord::{
        inbound::{
            Action, At, Command, Envelope, File, Incoming, Inputs, Submission, Target, Ticket,
            Token, Typed,
        },
        kinds::{ChannelType, CommandOptionType, CommandType, InteractionType, MessageFlags, kind},
    },
};

/// Kinds of options that have others under them.
const GROUPS: [CommandOptionType; 2] =
    [CommandOptionType::SubCommand, CommandOptionType::SubCommandGroup];

pub(super) fn read(payload: &Value) -> Envelope {
    let id = text_at(payload, "/id");
    let number = number(payload, "/type").unwrap_or_default();
    let what = match kind(number) {
        InteractionType::Ping => Incoming::Ping,
        InteractionType::Command => command(payload),
        InteractionType::Component => action(payload),
        // Nothing that we register asks while it is typed.
        InteractionType::Autocomplete => ignored("interaction.autocomplete"),
        InteractionType::Modal => submission(payload),
        _ => unknown(&format!("interaction.{number}")),
    };
    Envelope { key: key(&["int", &id], payload), guild: some_text(payload, "/guild_id"), what }
}

fn ticket(payload: &Value) -> Ticket {
    let id = text_at(payload, "/id");
    let snowflake = id.parse::<u64>().ok().filter(|id| *id > 0 && *id < u64::MAX);
    Ticket {
        token: Token(text_at(payload, "/token")),
        application: text_at(payload, "/application_id"),
        at: snowflake.map(|id| *InteractionId::new(id).created_at()),
        file_max: number(payload, "/attachment_size_limit"),
        id,
    }
}

fn at(payload: &Value) -> At {
    let kind = number(payload, "/channel/type").map(kind);
    At {
        channel: some_text(payload, "/channel_id")
            .unwrap_or_else(|| text_at(payload, "/channel/id")),
        parent: some_text(payload, "/channel/parent_id"),
        is_thread: matches!(
            kind,
            Some(ChannelType::NewsThread | ChannelType::PublicThread | ChannelType::PrivateThread)
        ),
        is_archived: flag(payload, "/channel/thread_metadata/archived"),
    }
}

fn is_ephemeral(payload: &Value) -> bool {
    let flags = number(payload, "/message/flags").unwrap_or(0);
    MessageFlags::from_bits_retain(flags).contains(MessageFlags::EPHEMERAL)
}

fn action(payload: &Value) -> Incoming {
    let element = text_at(payload, "/data/custom_id");
    if element.is_empty() {
        return unknown("interaction.component.none");
    }
    let files = attachments(payload);
    let mut inputs = Inputs::default();
    let typed = typed(payload.get("data").unwrap_or(&Value::Null), &files);
    if !typed.values.is_empty() || !typed.files.is_empty() {
        inputs.0.insert(element.clone(), typed);
    }
    // A menu from which everything was taken back says so.
    if list(payload, "/data/values").is_empty() && payload.pointer("/data/values").is_some() {
        inputs.0.insert(element.clone(), Typed::default());
    }
    Incoming::Action(Action {
        by: actor(payload),
        at: at(payload),
        ticket: ticket(payload),
        element,
        inputs,
        message: text_at(payload, "/message/id"),
        said: text_at(payload, "/message/content"),
        is_ephemeral: is_ephemeral(payload),
    })
}

fn submission(payload: &Value) -> Incoming {
    let element = text_at(payload, "/data/custom_id");
    if element.is_empty() {
        return unknown("interaction.modal.none");
    }
    let files = attachments(payload);
    let mut inputs = Inputs::default();
    for component in list(payload, "/data/components") {
        answers(component, &files, &mut inputs);
    }
    Incoming::Submitted(Submission {
        by: actor(payload),
        at: at(payload),
        ticket: ticket(payload),
        element,
        inputs,
        message: some_text(payload, "/message/id"),
        is_ephemeral: is_ephemeral(payload),
    })
}

/// Every component within one that has an id of ours.
fn answers(component: &Value, files: &BTreeMap<String, File>, inputs: &mut Inputs) {
    if let Some(id) = component.get("custom_id").and_then(Value::as_str) {
        let name = id.split('~').next().unwrap_or_default();
        inputs.0.insert(name.to_owned(), typed(component, files));
    }
    if let Some(inner) = component.get("component") {
        answers(inner, files, inputs);
    }
    for inner in list(component, "/components") {
        answers(inner, files, inputs);
    }
}

/// What a component holds: one value or several, or files that stand beside under their ids.
fn typed(component: &Value, files: &BTreeMap<String, File>) -> Typed {
    let mut typed = Typed::default();
    typed.values.extend(component.get("value").and_then(scalar));
    for value in list(component, "/values").iter().filter_map(scalar) {
        match files.get(&value) {
            Some(file) => typed.files.push(file.clone()),
            None => typed.values.push(value),
        }
    }
    typed
}

fn attachments(payload: &Value) -> BTreeMap<String, File> {
    let resolved = payload.pointer("/data/resolved/attachments").and_then(Value::as_object);
    resolved.into_iter().flatten().map(|(id, attachment)| (id.clone(), file(attachment))).collect()
}

fn command(payload: &Value) -> Incoming {
    let name = text_at(payload, "/data/name");
    if name.is_empty() {
        return unknown("interaction.command.none");
    }
    let mut command = Command {
        by: actor(payload),
        at: at(payload),
        ticket: ticket(payload),
        path: vec![name],
        target: target(payload),
        ..Command::default()
    };
    let files = attachments(payload);
    let mut options = list(payload, "/data/options");
    // What was chosen under a command stands where its options would.
    while let [only] = options
        && number(only, "/type").is_some_and(|number| GROUPS.contains(&kind(number)))
    {
        command.path.push(text_at(only, "/name"));
        options = list(only, "/options");
    }
    for option in options {
        let name = text_at(option, "/name");
        let Some(value) = option.get("value").and_then(scalar) else { continue };
        let is_file = number(option, "/type").map(kind) == Some(CommandOptionType::Attachment);
        match files.get(&value).filter(|_| is_file) {
            Some(file) => drop(command.files.insert(name, file.clone())),
            None => drop(command.options.insert(name, value)),
        }
    }
    Incoming::Command(Box::new(command))
}

fn target(payload: &Value) -> Option<Target> {
    let id = some_text(payload, "/data/target_id")?;
    match number(payload, "/data/type").map(kind) {
        Some(CommandType::User) => Some(Target::User(id)),
        Some(CommandType::Message) => {
            let messages = payload.pointer("/data/resolved/messages").and_then(Value::as_object);
            Some(Target::Message(Box::new(message::read(messages?.get(&id)?, ""))))
        }
        _ => None,
    }
}
