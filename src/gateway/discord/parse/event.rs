//! What the gateway dispatches beside interactions.

use serde_json::Value;

use super::{actor, ignored, key, member, message, unknown};
use crate::{
    chat::raw::{flag, list, number, scalar, some_text, text_at},
    gateway::discord::{
        inbound::{Envelope, Incoming, Share},
        kinds::{MessageType, kind},
    },
};

/// Kinds of messages that people write. Others say that somebody joined, pinned, …
const WRITTEN: [MessageType; 2] = [MessageType::Regular, MessageType::InlineReply];

/// Dispatched, known, and nothing to do.
const IDLE: [&str; 22] = [
    "RESUMED",
    "CHANNEL_CREATE",
    "CHANNEL_UPDATE",
    "CHANNEL_PINS_UPDATE",
    "THREAD_LIST_SYNC",
    "THREAD_MEMBER_UPDATE",
    "THREAD_MEMBERS_UPDATE",
    "THREAD_CREATE",
    "GUILD_UPDATE",
    "GUILD_AUDIT_LOG_ENTRY_CREATE",
    "GUILD_BAN_REMOVE",
    "GUILD_EMOJIS_UPDATE",
    "GUILD_STICKERS_UPDATE",
    "GUILD_SOUNDBOARD_SOUNDS_UPDATE",
    "GUILD_INTEGRATIONS_UPDATE",
    "INTEGRATION_CREATE",
    "INTEGRATION_UPDATE",
    "INTEGRATION_DELETE",
    "STAGE_INSTANCE_CREATE",
    "STAGE_INSTANCE_UPDATE",
    "STAGE_INSTANCE_DELETE",
    "WEBHOOKS_UPDATE",
];

pub(super) fn read(name: &str, data: &Value, me: &str) -> Envelope {
    let id = text_at(data, "/id");
    if let Some(what) = of_guild(name, data) {
        let guild = Some(id).filter(|id| !id.is_empty());
        return Envelope { key: key(&["guild"], data), guild, what };
    }
    let (parts, what) = match name {
        "MESSAGE_CREATE" => (vec!["msg".to_owned(), id], written(data, me)),
        "MESSAGE_UPDATE" => {
            let at = text_at(data, "/edited_timestamp");
            (vec!["edit".to_owned(), id, at], edited(data, me))
        }
        "MESSAGE_DELETE" => {
            let (channel, messages) = (text_at(data, "/channel_id"), vec![id.clone()]);
            (vec!["del".to_owned(), id], Incoming::Deleted { channel, messages })
        }
        "MESSAGE_DELETE_BULK" => {
            let messages = list(data, "/ids").iter().filter_map(scalar).collect();
            let channel = text_at(data, "/channel_id");
            (vec!["dels".to_owned()], Incoming::Deleted { channel, messages })
        }
        "CHANNEL_DELETE" | "THREAD_DELETE" => {
            let gone = Incoming::ChannelGone { channel: id.clone() };
            (vec!["gone".to_owned(), id], gone)
        }
        // The same may come to be so twice: its content tells it apart.
        name => (vec!["event".to_owned()], of_server(name, data, me)),
    };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Envelope { key: key(&parts, data), guild: some_text(data, "/guild_id"), what }
}

/// What concerns a whole server; `None` if it is something else.
fn of_guild(name: &str, data: &Value) -> Option<Incoming> {
    match name {
        "GUILD_CREATE" => Some(Incoming::GuildBack),
        // Without a reason the bot was removed; otherwise Discord has trouble.
        "GUILD_DELETE" if flag(data, "/unavailable") => Some(ignored("guild.unavailable")),
        "GUILD_DELETE" => Some(Incoming::GuildGone),
        _ => None,
    }
}

fn of_server(name: &str, data: &Value, me: &str) -> Incoming {
    match name {
        // What the bot may give follows from its own roles.
        "GUILD_MEMBER_UPDATE" if !me.is_empty() && text_at(data, "/user/id") == me => {
            Incoming::RolesChanged
        }
        "GUILD_MEMBER_ADD" | "GUILD_MEMBER_UPDATE" if flag(data, "/user/bot") => {
            ignored("member.bot")
        }
        "GUILD_MEMBER_ADD" | "GUILD_MEMBER_UPDATE" => {
            let mut by = actor(data);
            by.member = Some(member(data));
            by.name = some_text(data, "/nick").unwrap_or(by.name);
            let is_new = name == "GUILD_MEMBER_ADD";
            if is_new { Incoming::MemberJoined(by) } else { Incoming::MemberChanged(by) }
        }
        "GUILD_MEMBER_REMOVE" | "GUILD_BAN_ADD" => {
            let user = text_at(data, "/user/id");
            Incoming::MemberLeft { user, is_banned: name == "GUILD_BAN_ADD" }
        }
        "THREAD_UPDATE" => Incoming::ThreadChanged {
            thread: text_at(data, "/id"),
            is_archived: flag(data, "/thread_metadata/archived"),
            is_locked: flag(data, "/thread_metadata/locked"),
        },
        "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE" | "GUILD_ROLE_DELETE" => Incoming::RolesChanged,
        "APPLICATION_COMMAND_PERMISSIONS_UPDATE" => Incoming::Permitted,
        "READY" => Incoming::Begun(share(data)),
        name if IDLE.contains(&name) => ignored(name),
        name if name.starts_with("TYPING") || name.starts_with("PRESENCE") => ignored(name),
        name => unknown(name),
    }
}

/// Which of the bot's sessions it is; without a word about that, the only one.
fn share(data: &Value) -> Share {
    let part = |n: usize, otherwise| data["shard"][n].as_u64().unwrap_or(otherwise);
    Share { shard: part(0, 0), of: part(1, 1) }
}

fn written(data: &Value, me: &str) -> Incoming {
    if flag(data, "/author/bot") || some_text(data, "/webhook_id").is_some() {
        return ignored("message.bot");
    }
    match number(data, "/type") {
        Some(number) if !WRITTEN.contains(&kind(number)) => ignored("message.system"),
        _ if text_at(data, "/author/id").is_empty() => unknown("message.nobody"),
        _ => Incoming::Message(message::read(data, me)),
    }
}

fn edited(data: &Value, me: &str) -> Incoming {
    let read = match written(data, me) {
        Incoming::Message(message) => message,
        other => return other,
    };
    // A preview of a link that was added changes nothing that anybody wrote.
    if some_text(data, "/edited_timestamp").is_none() {
        return ignored("message.preview");
    }
    // No message has nothing in it: what it says is not for the bot to read.
    let is_bare = |what: &str| data[what].as_array().is_none_or(Vec::is_empty);
    if read.text.is_empty() && is_bare("attachments") && is_bare("sticker_items") {
        return ignored("message.withheld");
    }
    Incoming::Edited { channel: read.channel, message: read.id, by: read.by, text: read.text }
}
