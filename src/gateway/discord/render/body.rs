//! The body of a request that posts or edits a message.

use serde::Serialize;
use serde_json::{Value, json};

use super::component::Component;
use crate::gateway::discord::kinds::MessageFlags;

/// A message as it is sent. Nobody is called by it, whatever its words say, but those who are listed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    components: Vec<Component>,
    flags: MessageFlags,
    allowed_mentions: AllowedMentions,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_reference: Option<MessageReference>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct AllowedMentions {
    /// Kinds of mentions that call whom they name: none does.
    parse: [(); 0],
    #[serde(flatten)]
    called: Option<Called>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replied_user: Option<bool>,
}

/// Who is called by a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Called {
    /// Roles.
    pub roles: Vec<String>,
    /// Users.
    pub users: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct MessageReference {
    message_id: String,
    fail_if_not_exists: bool,
}

impl Called {
    /// One person.
    pub fn user(user: &str) -> Self {
        Self { users: vec![user.to_owned()], ..Self::default() }
    }
}

impl Body {
    pub(super) fn new(
        content: Option<String>,
        components: Vec<Component>,
        flags: MessageFlags,
    ) -> Self {
        Self { content, components, flags, ..Self::default() }
    }

    /// Calls somebody.
    #[must_use]
    pub fn calling(mut self, called: Called) -> Self {
        self.allowed_mentions.called = Some(called);
        self
    }

    /// Only the person who asked sees it.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.flags |= MessageFlags::EPHEMERAL;
        self
    }

    /// Refers to the message which it answers; whoever wrote that is not called once more, and nothing fails where it was
    /// deleted.
    #[must_use]
    pub fn answering(mut self, message: &str) -> Self {
        let message_id = message.to_owned();
        self.message_reference = Some(MessageReference { message_id, fail_if_not_exists: false });
        self.allowed_mentions.replied_user = Some(false);
        self
    }

    /// The words and the components.
    pub(in crate::gateway::discord) fn parts(&self) -> (Option<&str>, &[Component]) {
        (self.content.as_deref(), &self.components)
    }

    /// Words in its place, which call the same people.
    #[must_use]
    pub(in crate::gateway::discord) fn instead(&self, words: Self) -> Self {
        Self { allowed_mentions: self.allowed_mentions.clone(), ..words }
    }

    /// As it is sent.
    pub fn json(&self) -> Value {
        json!(self)
    }
}
