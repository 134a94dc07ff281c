//! Cards that are not asked any more: what was answered, by whom, when. Buttons are gone, but for what may still be
//! done.

use slack_morphism::prelude::SlackBlock;

use super::{Cx, Room, markup::Mrkdwn, open};
use crate::{
    chat::card::Closed,
    gateway::slack::{
        blocks::{Button, actions, context, said, section},
        limits,
    },
    model::wait::Wait,
};

/// What became of a question: a line, and what may still be pressed.
pub(super) fn render(wait: &Wait, cx: &Cx, room: &mut Room) -> Vec<SlackBlock> {
    let Some(closed) = Closed::of(wait, &cx.reader) else { return Vec::new() };
    open::data(wait, &closed.data, cx, room);
    let mut below = vec![section(closed.marked_line(&Mrkdwn))];
    below.extend(closed.remark.map(|remark| context(&[said(&remark, limits::VALUE_SHOWN)])));
    below.extend(closed.action.and_then(|action| actions(vec![Button::of(wait, &action).build()])));
    below
}

/// What became of a question, in words alone.
pub(super) fn spoken(wait: &Wait, cx: &Cx) -> Option<String> {
    Closed::of(wait, &cx.reader).map(|closed| closed.marked_line(&Mrkdwn))
}
