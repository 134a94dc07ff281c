//! What somebody has approved, for the team to read: each card as it was approved, page by page, in a message that nobody
//! else sees.
//!
//! Pure. Which cards count is shared with the other platforms ([`crate::chat::profile`]).

use super::render::{Message, ephemeral};
use crate::{
    chat::profile::{Reading, cards},
    messages,
    session::State,
};

/// A page of what somebody approved.
pub(super) fn page(state: &State, page: usize) -> Message {
    let mut parts: Vec<String> = cards(state)
        .into_iter()
        .flat_map(|(wait, review)| ephemeral::approved(wait, review))
        .collect();
    if parts.is_empty() {
        parts.push(messages::forms::NOTHING_APPROVED.to_owned());
    }
    ephemeral::leaf(parts, page, |page| Reading::ProfilePage(state.session, page).id())
}
