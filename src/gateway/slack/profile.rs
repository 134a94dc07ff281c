//! What somebody has approved, for the team to read: each card as it was approved, in a form that nobody else sees.
//!
//! Pure. Which cards count is shared with the other platforms ([`crate::chat::profile`]).

use serde_json::Value;
use slack_morphism::prelude::SlackBlock;

use super::{
    blocks::{View, note, weight},
    limits,
    render::approved,
};
use crate::{chat::profile::cards, messages, session::State};

/// What the form is called.
const CALLBACK: &str = "profile";

/// Text of the form, in characters; in JSON it may grow by half.
const TOTAL: usize = 60_000;

/// What somebody approved, as a form.
pub(super) fn view(state: &State) -> Value {
    let all: Vec<SlackBlock> =
        cards(state).into_iter().flat_map(|(wait, review)| approved(wait, review)).collect();
    let (count, mut total) = (all.len(), 0);
    let fits = |block: &SlackBlock| {
        total += weight(std::slice::from_ref(block));
        total < TOTAL
    };
    let mut blocks: Vec<SlackBlock> =
        all.into_iter().take(limits::VIEW_BLOCKS - 1).take_while(fits).collect();
    if count == 0 {
        blocks.push(note(messages::forms::NOTHING_APPROVED));
    } else if blocks.len() < count {
        blocks.push(note(messages::forms::MORE_IN_DOWNLOAD));
    }
    let (metadata, submit) = (String::new(), None);
    View {
        title: messages::forms::PROFILE.to_owned(),
        callback: CALLBACK.to_owned(),
        metadata,
        submit,
        blocks,
    }
    .json()
}
