//! What the bot's messages are called in their metadata, so that one is found again. Nothing in it is about anybody.

use serde_json::{Value, json};

use crate::base::ids::EffectId;

/// The kind of our metadata; its payload is the effect's id and the number of the part.
const KIND: &str = "anteroom_delivery";

/// The number of the part that a stream has become: all the words of a post.
pub(super) const STREAMED: usize = 1_002;

/// What a part of an effect is called.
pub(super) fn name(effect: EffectId, part: usize) -> String {
    format!("{}.{part}", effect.short())
}

/// The metadata of a message that is called so.
pub(super) fn metadata(name: &str) -> Value {
    json!({ "event_type": KIND, "event_payload": { "d": name } })
}

/// What a message is called, if it is one of ours.
pub(super) fn name_of(message: &Value) -> Option<&str> {
    let metadata = &message["metadata"];
    let is_ours = metadata["event_type"] == KIND;
    is_ours.then(|| metadata["event_payload"]["d"].as_str().unwrap_or_default())
}
