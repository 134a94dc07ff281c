//! What somebody has approved, for the team to read: each card as it was approved, in a form that nobody else sees.
//!
//! Pure. Who may read it is asked, and that it is read is noted, by [`super::commands`].

use std::collections::BTreeMap;

use serde_json::Value;
use slack_morphism::prelude::SlackBlock;

use super::{
    blocks::{View, note, weight},
    limits,
    render::approved,
};
use crate::{
    interview::State,
    model::{
        ui::{Control, Reply, Verdict},
        wait::Wait,
    },
};

/// What the form is called.
const CALLBACK: &str = "profile";

/// Text of the form, in characters; in JSON it may grow by half.
const TOTAL: usize = 60_000;

/// The cards that count: the newest approval of each kind of data, in the order in which they were asked.
pub(super) fn cards(state: &State) -> Vec<&Wait> {
    let mut newest: BTreeMap<&str, &Wait> = BTreeMap::new();
    for wait in state.waits.values() {
        let Control::Review(review) = &wait.prompt.control else { continue };
        let Some((Reply::Reviewed { verdict, .. }, ..)) = wait.standing.answer() else { continue };
        if !matches!(verdict, Verdict::Approved | Verdict::Modified) {
            continue;
        }
        let known = newest.entry(&review.data_type).or_insert(wait);
        if known.asked_at < wait.asked_at {
            *known = wait;
        }
    }
    let mut cards: Vec<&Wait> = newest.into_values().collect();
    cards.sort_by_key(|wait| (wait.asked_at, wait.id));
    cards
}

/// What somebody approved, as a form.
pub(super) fn view(state: &State) -> Value {
    let all: Vec<SlackBlock> = cards(state).into_iter().flat_map(approved).collect();
    let (count, mut total) = (all.len(), 0);
    let fits = |block: &SlackBlock| {
        total += weight(std::slice::from_ref(block));
        total < TOTAL
    };
    let mut blocks: Vec<SlackBlock> =
        all.into_iter().take(limits::VIEW_BLOCKS - 1).take_while(fits).collect();
    if count == 0 {
        blocks.push(note("Nothing was approved yet."));
    } else if blocks.len() < count {
        blocks.push(note("There is more than can be shown here; the copy has all of it."));
    }
    let (metadata, submit) = (String::new(), None);
    View { title: "Profile".to_owned(), callback: CALLBACK.to_owned(), metadata, submit, blocks }
        .json()
}
