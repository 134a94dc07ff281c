//! What people send, and the addresses under which it lies: signed, and good for a day.

use std::fmt::Write as _;

use chrono::TimeDelta;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::state::State;

/// How long an address is good.
const LIFE: TimeDelta = TimeDelta::hours(24);

/// How long a file that was sent with a form is kept at all; Discord does not say.
const EPHEMERAL_LIFE: TimeDelta = TimeDelta::hours(24);

#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) channel: u64,
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) kind: String,
    /// It came with a form and belongs to no message.
    pub(crate) is_ephemeral: bool,
}

impl State {
    /// Somebody sends a file; what a message or a form says of it.
    pub(crate) fn upload(
        &mut self,
        channel: u64,
        (name, kind): (&str, &str),
        bytes: &[u8],
        is_ephemeral: bool,
    ) -> Value {
        let id = self.snowflake();
        let (name, kind, bytes) = (name.to_owned(), kind.to_owned(), bytes.to_vec());
        self.files.insert(id, File { channel, name, bytes, kind, is_ephemeral });
        json_of(self, id)
    }

    /// What lies at an address: the status, the kind and the bytes.
    pub(crate) fn fetched(&self, path: &str, query: &str) -> (u16, String, Vec<u8>) {
        let gone = |status| {
            (status, "text/plain".to_owned(), b"This content is no longer available.".to_vec())
        };
        let id = path.split('/').nth(3).and_then(|id| id.parse::<u64>().ok());
        let Some((id, file)) = id.and_then(|id| Some((id, self.files.get(&id)?))) else {
            return gone(404);
        };
        let part = |name: &str| {
            query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        };
        let until = part("ex").unwrap_or_default();
        let until_at = i64::from_str_radix(until, 16).unwrap_or(0);
        if part("hm") != Some(mark(path, until).as_str()) || self.now.timestamp() > until_at {
            return gone(404);
        }
        if file.is_ephemeral && self.now - super::state::at_of(id) > EPHEMERAL_LIFE {
            return gone(404);
        }
        (200, file.kind.clone(), file.bytes.clone())
    }
}

/// Files of a message, with addresses that are good from now on.
pub(super) fn listed(state: &State, attachments: &Value) -> Value {
    let ids = attachments.as_array().into_iter().flatten();
    let ids = ids.filter_map(|file| file["id"].as_str()?.parse::<u64>().ok());
    Value::Array(
        ids.filter(|id| state.files.contains_key(id)).map(|id| json_of(state, id)).collect(),
    )
}

fn json_of(state: &State, id: u64) -> Value {
    let file = &state.files[&id];
    let folder = if file.is_ephemeral { "ephemeral-attachments" } else { "attachments" };
    // Names in addresses are plain.
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = file.name.chars().map(plain).collect();
    let path = format!("/{folder}/{}/{id}/{name}", file.channel);
    let until = format!("{:x}", (state.now + LIFE).timestamp());
    let url = format!(
        "{}{path}?ex={until}&is={:x}&hm={}",
        state.origin,
        state.now.timestamp(),
        mark(&path, &until)
    );
    json!({ "id": id.to_string(), "filename": file.name, "size": file.bytes.len(), "url": url,
        "proxy_url": url, "content_type": file.kind, "ephemeral": file.is_ephemeral })
}

fn mark(path: &str, until: &str) -> String {
    let digest = Sha256::digest(format!("{path} {until} of Discord"));
    digest.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
