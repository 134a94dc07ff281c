//! The staff's thread of a conversation.
