//! Raw JSON from Discord as [`super::inbound`]. Pure.
//!
//! Whatever comes is read: what is missing is empty, what is of another type counts as missing, and what is not known
//! has a name under which it is counted. An answer is never dropped because something beside it is odd; typed models of
//! Discord's payloads do just that.

mod event;
mod interaction;
mod message;

use serde_json::Value;

use super::inbound::{Actor, Envelope, File, Incoming, Member};
use crate::chat::raw::{self, flag, key, list, number, some_text, text_at};

/// What the gateway dispatches: its name, `MESSAGE_CREATE`, and its data. `me` is the bot's own user.
pub fn event(name: &str, data: &Value, me: &str) -> Envelope {
    if name == "INTERACTION_CREATE" {
        return interaction::read(data);
    }
    event::read(name, data, me)
}

/// An interaction: the body of a request.
pub fn interaction(body: &Value) -> Envelope {
    interaction::read(body)
}

/// Who did it: a member of a server with the user within, or a user alone.
pub(super) fn actor(payload: &Value) -> Actor {
    let member = payload.get("member").filter(|member| member.is_object());
    let inside = member.and_then(|member| member.get("user")).filter(|user| user.is_object());
    let user = inside.or_else(|| payload.get("user")).or_else(|| payload.get("author"));
    let user = user.unwrap_or(&Value::Null);
    let names = [
        member.and_then(|member| some_text(member, "/nick")),
        some_text(user, "/global_name"),
        some_text(user, "/username"),
    ];
    Actor {
        user: text_at(user, "/id"),
        name: names.into_iter().flatten().next().unwrap_or_default(),
        locale: text_at(payload, "/locale"),
        member: member.map(self::member),
        avatar: avatar(user),
    }
}

/// Address of a user's picture: their own, else the one that Discord draws for them (docs, reference/image-formatting).
pub(super) fn avatar(user: &Value) -> String {
    let id = text_at(user, "/id");
    let number: u64 = id.parse().unwrap_or(0);
    let is_plain = |hash: &String| hash.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    match some_text(user, "/avatar").filter(is_plain) {
        Some(hash) => format!("https://cdn.discordapp.com/avatars/{number}/{hash}.png"),
        None => format!("https://cdn.discordapp.com/embed/avatars/{}.png", (number >> 22) % 6),
    }
}

fn member(member: &Value) -> Member {
    let bits = text_at(member, "/permissions").parse().unwrap_or(0);
    Member {
        roles: list(member, "/roles").iter().filter_map(raw::scalar).collect(),
        permissions: serenity::model::Permissions::from_bits_truncate(bits),
        is_pending: flag(member, "/pending"),
        is_screened: member.get("pending") == Some(&Value::Bool(false)),
        flags: number(member, "/flags"),
    }
}

fn file(attachment: &Value) -> File {
    File {
        id: text_at(attachment, "/id"),
        name: text_at(attachment, "/filename"),
        size: attachment.get("size").and_then(Value::as_u64),
        url: text_at(attachment, "/url"),
        content_type: text_at(attachment, "/content_type"),
    }
}

fn ignored(kind: &str) -> Incoming {
    Incoming::Ignored { kind: raw::kind(kind) }
}

fn unknown(kind: &str) -> Incoming {
    Incoming::Unknown { kind: raw::kind(kind) }
}
