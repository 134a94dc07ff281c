//! What a provider wants back with its answers: signatures of thoughts, and members that only it understands.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Members of an answer that mean nothing to us and go back unchanged to the provider and model that gave them, and to
/// no other. They are stored like the words beside them and are never logged, shown or exported.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Opaque {
    /// Which model of which provider gave them.
    pub origin: String,
    /// Digest of everything that was sent before the answer, where it is good in no other conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// Members of the message.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub message: Map<String, Value>,
    /// For each call in its order: its id with the provider, and its members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<OpaqueCall>,
    /// The parts of the answer as they came, where the format has parts: thoughts, words and calls in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Value>,
}

/// What [`Opaque`] keeps of one call: the id that the provider gave it, and its members.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OpaqueCall {
    /// Its id with the provider, to which other members may refer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its members.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub members: Map<String, Value>,
}

impl Opaque {
    /// Whether there is nothing that would have to go back.
    pub fn is_empty(&self) -> bool {
        self.message.is_empty()
            && self.parts.is_empty()
            && self.calls.iter().all(|call| call.members.is_empty())
    }
}

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "opaque members of {}", self.origin)
    }
}

impl fmt::Debug for OpaqueCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} opaque members", self.members.len())
    }
}
