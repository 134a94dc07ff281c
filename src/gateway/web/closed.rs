//! Cards that are not asked any more: what was answered, by whom, when.

use maud::{Markup, html};

use super::{
    controls, icons, limits, markup,
    piece::{Cx, time},
};
use crate::{
    chat::{
        card::{Action, Closed, Data, Outcome, Reader},
        form::{labels, may_change},
    },
    messages,
    model::{
        transcript::Audience,
        ui::Reply,
        wait::{Wait, WaitStatus},
    },
    session::State,
};

/// A question that was settled, as somebody sees it.
pub(super) struct Settled<'a> {
    wait: &'a Wait,
    state: &'a State,
    cx: &'a Cx,
    closed: Option<Closed<'a>>,
}

impl<'a> Settled<'a> {
    pub(super) fn of(wait: &'a Wait, state: &'a State, cx: &'a Cx) -> Self {
        let reply = wait.status.answer().map(|(reply, ..)| reply);
        let may_change = cx.viewer == Audience::Participant
            && reply.is_some_and(|reply| may_change(wait, reply, state));
        let reader = Reader { may_change, ..Reader::of(cx.viewer, wait, state) };
        Self { wait, state, cx, closed: Closed::of(wait, &reader) }
    }

    /// What became of it, on one line: `You answered: Red, 14:05`.
    pub(super) fn line(&self) -> Markup {
        let Some(closed) = &self.closed else { return html! {} };
        let line = markup::shown(&closed.line, Some(self.state));
        let (class, icon) = match closed.outcome {
            Outcome::Answered => ("outcome", icons::check()),
            Outcome::Approved => ("outcome good", icons::check()),
            Outcome::Denied => ("outcome bad", icons::cross()),
            Outcome::Lapsed => ("outcome lapsed", icons::clock()),
        };
        let before = if closed.outcome == Outcome::Lapsed { " " } else { ", " };
        html! { span class=(class) { (icon) (line) span.at { (before) (time(closed.at)) } } }
    }

    /// The whole of the answer, below the whole of the question.
    pub(super) fn whole(&self) -> Markup {
        let Some(closed) = &self.closed else { return html! {} };
        let (prompt, reply) =
            (&self.wait.prompt, self.wait.status.answer().map(|(reply, ..)| reply));
        if let Some(words) = reply.and_then(Reply::words) {
            return html! { p.answer dir="auto" { (words) } };
        }
        html! {
            @match &closed.data {
                Data::None => {},
                Data::Fields(fields) => (controls::values(fields, None)),
                Data::Groups(review, groups) => (controls::review_table(prompt, review, groups, None)),
                Data::Facts(decide) => (controls::facts(decide)),
            }
            @if let Some(Reply::Chosen { ids, .. }) = reply { (unclipped(&labels(&prompt.control, ids))) }
            @if let Some(remark) = &closed.remark { p.small { bdi.lines { (remark) } } }
        }
    }

    /// What can still be done about it, and that its answer is being worked on.
    pub(super) fn actions(&self) -> Markup {
        if let WaitStatus::Answered { .. } = &self.wait.status {
            return html! { p.working { (messages::interview::WORKING) } };
        }
        html! { @if let Some(action) = self.closed.as_ref().and_then(|closed| closed.action.as_ref()) { (self.action(action)) } }
    }

    fn action(&self, action: &Action) -> Markup {
        let (wait, cx) = (self.wait, self.cx);
        let url = cx.url(if cx.viewer == Audience::Staff { "order" } else { "command" });
        html! {
            form.after method="post" action=(url) data-form=(action.name) {
                (cx.hidden(&format!("{}.{}.{}", action.name, wait.id.short(), wait.revision)))
                input type="hidden" name="wait" value=(wait.id.short());
                button.quiet name="command" value=(action.name) { (action.label) }
            }
        }
    }
}

/// An answer that the line has no room for.
fn unclipped(answer: &str) -> Markup {
    html! { @if answer.chars().count() > limits::ANSWER_MAX { p.answer dir="auto" { (answer) } } }
}
