//! Cards that are not asked any more: what was answered, by whom, when.

use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::{
    controls, icons, limits,
    piece::{Cx, time},
    timeline::{by_whom, name_of},
};
use crate::{
    base::ids::ArtifactId,
    chat::form::{self, clip, filled, labels, may_change, one_line, review_editor, words},
    messages,
    model::{
        session::PersonId,
        transcript::Audience,
        ui::{Control, Decision, Prompt, Reply, Verdict},
        wait::{Wait, WaitStatus},
    },
    session::State,
};

/// What became of a question, on one line: `You answered: Red, 14:05`.
pub(super) fn line(wait: &Wait, state: &State, cx: &Cx) -> Markup {
    let viewer = cx.viewer;
    match &wait.status {
        WaitStatus::Pending => html! {},
        WaitStatus::Answered { reply, by, by_name, at }
        | WaitStatus::Applied { reply, by, by_name, at } => {
            answered(&wait.prompt, reply, &Given { by, by_name, at: *at, state, viewer })
        }
        WaitStatus::Expired { at } => lapsed(
            &format!("{}: {}", messages::forms::EXPIRED, messages::forms::NOBODY_ANSWERED),
            *at,
        ),
        WaitStatus::Cancelled { reason, at } => {
            lapsed(&format!("{}: {reason}.", words::withdrawn(&wait.prompt)), *at)
        }
        WaitStatus::Superseded { at, by } => {
            let (what, why) = words::superseded(*by);
            lapsed(&format!("{what}: {why}"), *at)
        }
    }
}

/// The whole of the answer, below the whole of the question.
pub(super) fn whole(wait: &Wait, cx: &Cx) -> Markup {
    let (WaitStatus::Answered { reply, .. } | WaitStatus::Applied { reply, .. }) = &wait.status
    else {
        return html! {};
    };
    if let Some(words) = reply.words() {
        return html! { p.answer dir="auto" { (words) } };
    }
    match (reply, &wait.prompt.control) {
        (Reply::Filled { values }, Control::Form(form)) => {
            controls::values(&filled(&form.fields, values), None)
        }
        (Reply::Reviewed { verdict, data, notes }, Control::Review(review)) => html! {
            @let groups = data.as_ref().map_or_else(|| review.groups.clone(), |data| review_editor::groups_with(review, data));
            @if *verdict != Verdict::Rejected { (controls::review_table(&wait.prompt, review, &groups, None)) }
            @if let Some(notes) = notes { p.small { bdi.lines { (messages::forms::note(notes)) } } }
        },
        (Reply::Chosen { ids, .. }, control) => unclipped(&labels(control, ids)),
        (Reply::Decided { .. }, control) => html! {
            @if let Control::Decide(decide) = control { (controls::facts(decide)) }
            // What was said to the interviewer is not for the participant.
            @if let Some(remark) = form::remark(reply, control, cx.viewer) { p.small { bdi.lines { (remark) } } }
        },
        _ => html! {},
    }
}

/// An answer that the line has no room for.
fn unclipped(answer: &str) -> Markup {
    html! { @if answer.chars().count() > limits::ANSWER_MAX { p.answer dir="auto" { (answer) } } }
}

/// What can still be done about a question that is settled, and that its answer is being worked on.
pub(super) fn actions(wait: &Wait, state: &State, cx: &Cx) -> Markup {
    match &wait.status {
        WaitStatus::Answered { .. } => html! { p.working { (messages::interview::WORKING) } },
        WaitStatus::Applied { reply, .. } => html! {
            @if cx.viewer == Audience::Participant && may_change(wait, reply, state) { (change(wait, cx)) }
        },
        WaitStatus::Expired { .. } => html! {
            @if matches!(wait.prompt.control, Control::Decide(_)) && wait.answerers.audience() == cx.viewer { (reopen(wait, cx)) }
        },
        WaitStatus::Pending | WaitStatus::Cancelled { .. } | WaitStatus::Superseded { .. } => {
            html! {}
        }
    }
}

fn change(wait: &Wait, cx: &Cx) -> Markup {
    html! {
        form.after method="post" action=(cx.url("command")) data-form="change" {
            (cx.hidden(&format!("change.{}.{}", wait.id.short(), wait.revision)))
            input type="hidden" name="wait" value=(wait.id.short());
            button.quiet name="command" value="change" { (messages::buttons::CHANGE) }
        }
    }
}

/// A request that lapsed may be asked again by those who could have decided.
fn reopen(wait: &Wait, cx: &Cx) -> Markup {
    let url = cx.url(if cx.viewer == Audience::Staff { "order" } else { "command" });
    html! {
        form method="post" action=(url) data-form="reopen" {
            (cx.hidden(&format!("reopen.{}.{}", wait.id.short(), wait.revision)))
            input type="hidden" name="wait" value=(wait.id.short());
            button.quiet name="command" value="reopen" { (messages::buttons::REOPEN) }
        }
    }
}

fn lapsed(words: &str, at: DateTime<Utc>) -> Markup {
    html! { span.outcome.lapsed { (icons::clock()) (words) " " (time(at)) } }
}

/// Who answered and when, and who reads it.
struct Given<'a> {
    by: &'a PersonId,
    by_name: &'a str,
    at: DateTime<Utc>,
    state: &'a State,
    viewer: Audience,
}

impl Given<'_> {
    fn name(&self) -> String {
        let name = name_of(self.by, self.by_name, self.state, self.viewer);
        messages::unnamed::at_beginning(&name)
    }

    /// `You answered: …`; what does not fit on the line is whole below it.
    fn said(&self, verb: &str, what: &str) -> Markup {
        let what = clip(&one_line(what), limits::ANSWER_MAX);
        html! {
            span.outcome {
                (icons::check())
                bdi { (self.name()) } " " (verb) @if !what.is_empty() { ": " strong dir="auto" { (what) } }
                span.at { ", " (time(self.at)) }
            }
        }
    }

    /// `Approved by Grace, …`
    fn stamped(&self, what: &str, good: bool) -> Markup {
        html! {
            span class={ "outcome " (if good { "good" } else { "bad" }) } {
                (if good { icons::check() } else { icons::cross() })
                (what) (messages::page::BY) bdi { (by_whom(self.by, self.by_name, self.state, self.viewer)) } span.at { ", " (time(self.at)) }
            }
        }
    }
}

fn answered(prompt: &Prompt, reply: &Reply, given: &Given<'_>) -> Markup {
    match (reply, &prompt.control) {
        (Reply::Skipped, _) => given.said(messages::forms::SKIPPED, ""),
        (Reply::Text { text }, _) => given.said(messages::forms::ANSWERED, text),
        (Reply::Chosen { ids, free_text: Some(text) }, _) if ids.is_empty() => {
            given.said(messages::forms::ANSWERED, text)
        }
        (Reply::Chosen { ids, .. }, control) => {
            given.said(messages::forms::ANSWERED, &labels(control, ids))
        }
        (Reply::Filled { .. }, _) => given.said(messages::forms::SUBMITTED, ""),
        (Reply::Reviewed { verdict, .. }, _) => of_verdict(*verdict, given),
        (Reply::Uploaded { artifacts }, _) => {
            let name_of =
                |id: &ArtifactId| given.state.artifacts.iter().find(|known| known.id == *id);
            let names: Vec<&str> =
                artifacts.iter().filter_map(name_of).map(|file| file.filename.as_str()).collect();
            given.said(messages::forms::SENT, &names.join(", "))
        }
        (Reply::Decided { decision, feedback }, control) => html! {
            @if let Control::Decide(decide) = control { (controls::facts(decide)) }
            (of_decision(*decision, given))
            @if feedback.is_some() {
                @if let Some(remark) = form::remark(reply, control, given.viewer) { p.small { (remark) } }
            }
        },
        (Reply::Confirmed { yes }, Control::Confirm(confirm)) => {
            given.said(messages::forms::ANSWERED, if *yes { &confirm.yes } else { &confirm.no })
        }
        (Reply::Confirmed { yes }, _) => {
            given.said(messages::forms::ANSWERED, if *yes { "yes" } else { "no" })
        }
    }
}

fn of_verdict(verdict: Verdict, given: &Given<'_>) -> Markup {
    match verdict {
        Verdict::Approved => given.stamped(messages::requests::APPROVED, true),
        Verdict::Modified => given.stamped(messages::forms::CHANGED_AND_APPROVED, true),
        Verdict::Saved => given.said(messages::forms::EDITED, ""),
        Verdict::Rejected => given.said(messages::forms::ASKED_TO_START_OVER, ""),
    }
}

fn of_decision(decision: Decision, given: &Given<'_>) -> Markup {
    given.stamped(messages::requests::decision(decision), decision == Decision::Approved)
}
