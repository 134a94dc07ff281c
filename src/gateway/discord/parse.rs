//! Raw JSON from Discord as [`super::inbound`]. Pure.
//!
//! Whatever comes is read: what is missing is empty, what is of another type counts as missing, and what is not known
//! has a name under which it is counted. An answer is never dropped because something beside it is odd; typed models of
//! Discord's payloads do just that.

mod event;
mod field;
mod interaction;
mod message;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use self::field::{flag, list, some_text, text_at};
use super::inbound::{Actor, Envelope, File, Incoming, Member};

/// Longest key as it stands; a longer one is made of its digest.
const KEY_MAX: usize = 160;

/// Longest name of a kind.
const KIND_MAX: usize = 60;

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
fn actor(payload: &Value) -> Actor {
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
    }
}

fn member(member: &Value) -> Member {
    let bits = text_at(member, "/permissions").parse().unwrap_or(0);
    Member {
        roles: list(member, "/roles").iter().filter_map(field::scalar).collect(),
        permissions: serenity::model::Permissions::from_bits_truncate(bits),
        is_pending: flag(member, "/pending"),
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

/// Our name of something: the parts that tell it apart. Where Discord did not send one of them, its content does.
fn key(parts: &[&str], payload: &Value) -> String {
    let is_whole = parts.len() > 1 && parts.iter().all(|part| !part.is_empty());
    let named = parts.join(":");
    if is_whole && named.len() <= KEY_MAX && named.bytes().all(|byte| byte.is_ascii_graphic()) {
        return named;
    }
    let told = if is_whole { named } else { payload.to_string() };
    let digest = Sha256::digest(told.as_bytes());
    let digest = digest.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    format!("{}:sha256:{digest}", parts.first().unwrap_or(&"none"))
}

fn ignored(kind: &str) -> Incoming {
    Incoming::Ignored { kind: plain(kind) }
}

fn unknown(kind: &str) -> Incoming {
    Incoming::Unknown { kind: plain(kind) }
}

/// A kind that Discord named, as it may stand in a log.
fn plain(kind: &str) -> String {
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '.');
    let kind = kind.chars().take(KIND_MAX).map(|c| c.to_ascii_lowercase());
    let kind: String = kind.map(|c| if known(c) { c } else { '_' }).collect();
    if kind.is_empty() { "none".to_owned() } else { kind }
}
