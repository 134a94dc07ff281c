//! Files that a payload names.

use serde_json::Value;

use crate::chat::raw::{first, flag, list, text_at};
use crate::gateway::slack::inbound::File;

/// The files of a list. One without an id cannot be asked for again, but a person has sent it: it is told as gone.
pub(super) fn files(payload: &Value, pointer: &str) -> Vec<File> {
    list(payload, pointer).iter().map(file).collect()
}

fn file(value: &Value) -> File {
    // Views name files by their ids alone at times.
    if let Some(id) = value.as_str() {
        return File { id: id.to_owned(), is_gone: id.is_empty(), ..File::default() };
    }
    let id = text_at(value, "/id");
    let mode = text_at(value, "/mode");
    let access = text_at(value, "/file_access");
    // In a shared channel only `files.info` says where it lies.
    let is_hidden = access == "check_file_info";
    let url = first(value, &["/url_private_download", "/url_private"]);
    File {
        name: first(value, &["/name", "/title"]),
        size: value.get("size").and_then(Value::as_u64),
        url: if is_hidden { String::new() } else { url },
        mimetype: text_at(value, "/mimetype"),
        is_external: flag(value, "/is_external") || mode == "external",
        is_gone: id.is_empty()
            || matches!(mode.as_str(), "tombstone" | "hidden_by_limit")
            || matches!(access.as_str(), "file_not_found" | "access_denied"),
        id,
    }
}
