//! Cards that are not asked any more: what was answered, by whom, when. Buttons are gone, but for what may still be
//! done.

use super::{
    BAD, CardParts, Cx, GOOD, OVER,
    components::{self, rows, small},
    markup::Markdown,
    open, request, review,
    text::{one_line, said},
};
use crate::{
    chat::card::{Closed, Data, Outcome},
    gateway::discord::limits,
    messages,
    model::{
        ui::{Reply, Verdict},
        wait::Wait,
    },
};

/// What became of a question: a line, and what may still be pressed.
pub(super) fn render(wait: &Wait, cx: &Cx) -> CardParts {
    let Some(closed) = Closed::of(wait, &cx.reader) else { return CardParts::new(OVER) };
    let mut parts = CardParts::new(colour(wait, closed.outcome));
    parts.told = match &closed.data {
        Data::None => Vec::new(),
        Data::Fields(fields) => review::lines("", fields, false),
        Data::Groups(_, groups) => review::table(&wait.prompt, groups, false),
        Data::Facts(decide) => request::facts(decide, cx),
    };
    parts.below.push(components::text(&closed.marked_line(&Markdown)));
    let remark = closed.remark.map(|remark| said(&one_line(&remark), limits::VALUE_SHOWN));
    parts.below.extend(remark.map(|remark| small(&[remark])));
    if closed.outcome != Outcome::Lapsed {
        parts.below.extend(roles_added(&cx.roles_given).map(|line| small(&[line])));
    }
    parts.below.extend(rows(closed.action.map(|action| open::button(wait, &action))));
    parts
}

/// What a question was answered with, in words alone.
pub(super) fn words(wait: &Wait, cx: &Cx) -> Option<String> {
    let closed = Closed::of(wait, &cx.reader);
    closed
        .filter(|closed| closed.outcome != Outcome::Lapsed)
        .map(|closed| closed.marked_line(&Markdown))
}

/// The colour of the bar beside a card.
fn colour(wait: &Wait, outcome: Outcome) -> u32 {
    let reply = wait.status.answer().map(|(reply, ..)| reply);
    match (outcome, reply) {
        (Outcome::Lapsed, _) | (_, Some(Reply::Skipped)) => OVER,
        (Outcome::Denied, _) | (_, Some(Reply::Reviewed { verdict: Verdict::Rejected, .. })) => BAD,
        (Outcome::Answered | Outcome::Approved, _) => GOOD,
    }
}

/// Roles that were given for an answer; `None` if there are none.
fn roles_added(given: &[String]) -> Option<String> {
    let names: Vec<String> = given.iter().map(|role| said(role, limits::QUOTE)).collect();
    messages::discord::roles_added(&names)
}
