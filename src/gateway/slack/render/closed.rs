//! Cards that are not asked any more: what was answered, by whom, when. Buttons are gone, but for what may still be
//! done.

use slack_morphism::prelude::SlackBlock;

use super::{Cx, Room, markup::Mrkdwn, open, review};
use crate::{
    chat::{
        card::{Closed, Data},
        form::ComponentId,
    },
    gateway::slack::{
        blocks::{Button, actions, context, said, section},
        limits,
    },
    model::wait::Wait,
};

/// What became of a question: a line, and what may still be pressed.
pub(super) fn render(wait: &Wait, cx: &Cx, room: &mut Room) -> Vec<SlackBlock> {
    let Some(closed) = Closed::of(wait, &cx.as_reader()) else { return Vec::new() };
    match &closed.data {
        Data::None => {}
        Data::Fields(fields) => review::filled(fields, room),
        Data::Groups(data, groups) => review::table(wait, data, groups, false, room),
        Data::Facts(decide) => open::facts(decide, cx.participant.as_ref(), room),
    }
    let mut below = vec![section(closed.marked_line(&Mrkdwn))];
    below.extend(closed.remark.map(|remark| context(&[said(&remark, limits::VALUE_SHOWN)])));
    below.extend(closed.action.and_then(|action| {
        let id = ComponentId::id(wait.id, wait.revision, action.name);
        actions(vec![Button::new(id, action.label).build()])
    }));
    below
}

/// What became of a question, in words alone.
pub(super) fn spoken(wait: &Wait, cx: &Cx) -> Option<String> {
    Closed::of(wait, &cx.as_reader()).map(|closed| closed.marked_line(&Mrkdwn))
}
