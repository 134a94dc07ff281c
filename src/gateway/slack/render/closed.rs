//! Cards that are not asked any more: what was answered, by whom, when. Buttons are gone, but for what may still be
//! done.

use chrono::{DateTime, Utc};
use slack_morphism::prelude::SlackBlock;

use super::{
    Cx, Room, open, review,
    text::{person, time},
};
use crate::{
    chat::form::{self, ComponentId, filled, review_editor, words},
    gateway::slack::{
        blocks::{Button, actions, bold, context, said, section},
        limits,
    },
    messages,
    model::{
        session::PersonId,
        transcript::Audience,
        ui::{Control, Reply, Verdict},
        wait::{Answerers, Wait, WaitStatus},
    },
};

/// What became of a question: a line, and what may still be pressed.
pub(super) fn render(wait: &Wait, cx: &Cx, room: &mut Room) -> Vec<SlackBlock> {
    let mut below = Vec::new();
    match &wait.status {
        WaitStatus::Pending => {}
        // Both alike: nothing edits the card once more when the answer has been worked on. That it is being worked
        // on stands below, as the agent's status.
        WaitStatus::Answered { reply, by, by_name, at }
        | WaitStatus::Applied { reply, by, by_name, at } => {
            let given = Given { wait, cx, by, by_name, at: *at };
            given.told(reply, room);
            below.push(section(given.line(reply)));
            below.extend(given.remarks(reply));
            let is_kind = matches!(wait.prompt.control, Control::Review(_) | Control::Ask(_));
            if cx.may_change && is_kind {
                below.extend(button(wait, "change", messages::buttons::CHANGE));
            }
        }
        WaitStatus::Expired { at } => {
            if let Control::Decide(decide) = &wait.prompt.control {
                open::facts(decide, cx.participant.as_ref(), room);
            }
            below.push(section(format!(
                "*{}*: {} {}",
                messages::forms::EXPIRED,
                messages::forms::NOBODY_ANSWERED,
                time(*at)
            )));
            let decides = matches!(wait.answerers, Answerers::Deciders { .. });
            if decides && cx.reader == Audience::Staff {
                below.extend(button(wait, "reopen", messages::buttons::REOPEN));
            }
        }
        WaitStatus::Cancelled { reason, at } => {
            let reason = said(reason.trim_end_matches('.'), limits::VALUE_SHOWN);
            let what = words::withdrawn(&wait.prompt);
            below.push(section(format!("*{what}*: {reason}. {}", time(*at))));
        }
        WaitStatus::Superseded { at, by } => {
            let (what, why) = words::superseded(*by);
            below.push(section(format!("*{what}*: {why} {}", time(*at))));
        }
    }
    below
}

/// What became of a question, in words alone.
pub(super) fn spoken(wait: &Wait, cx: &Cx) -> Option<String> {
    match &wait.status {
        WaitStatus::Pending => None,
        WaitStatus::Answered { reply, by, by_name, at }
        | WaitStatus::Applied { reply, by, by_name, at } => {
            Some(Given { wait, cx, by, by_name, at: *at }.line(reply))
        }
        WaitStatus::Expired { .. } => {
            Some(format!("{}: {}", messages::forms::EXPIRED, messages::forms::NOBODY_ANSWERED))
        }
        WaitStatus::Cancelled { reason, .. } => Some(format!(
            "{}: {}.",
            words::withdrawn(&wait.prompt),
            said(reason.trim_end_matches('.'), limits::VALUE_SHOWN)
        )),
        WaitStatus::Superseded { by, .. } => {
            let (what, why) = words::superseded(*by);
            Some(format!("{what}: {why}"))
        }
    }
}

fn button(wait: &Wait, action: &str, label: &str) -> Option<SlackBlock> {
    let id = ComponentId::id(wait.id, wait.revision, action);
    actions(vec![Button::new(id, label).build()])
}

/// Who answered and when, and who reads it.
struct Given<'a> {
    wait: &'a Wait,
    cx: &'a Cx,
    by: &'a PersonId,
    by_name: &'a str,
    at: DateTime<Utc>,
}

impl Given<'_> {
    fn is_me(&self) -> bool {
        self.cx.reader == Audience::Participant && self.cx.participant.as_ref() == Some(self.by)
    }

    /// `✓ You answered: *Start* · today`, `✗ *Denied* by Grace · today`
    fn line(&self, reply: &Reply) -> String {
        let who = |me: &str| {
            if self.is_me() { me.to_owned() } else { person(self.by, self.by_name) }
        };
        let at = time(self.at);
        match form::AnswerSummary::of(reply, &self.wait.prompt.control, &self.cx.files) {
            form::AnswerSummary::Said { verb, what } if what.is_empty() => {
                format!("✓ {} {verb} · {at}", who(messages::forms::YOU))
            }
            form::AnswerSummary::Said { verb, what } => {
                let what = bold(&said(&form::one_line(&what), limits::VALUE_SHOWN));
                format!("✓ {} {verb}: {what} · {at}", who(messages::forms::YOU))
            }
            form::AnswerSummary::Stamped { what, is_good } => {
                let mark = if is_good { "✓" } else { "✗" };
                format!(
                    "{mark} *{what}*{}{} · {at}",
                    messages::page::BY,
                    who(messages::forms::YOU_WITHIN)
                )
            }
        }
    }

    /// What was said beside the answer.
    fn remarks(&self, reply: &Reply) -> Option<SlackBlock> {
        let remark = form::remark(reply, &self.wait.prompt.control, self.cx.reader)?;
        Some(context(&[said(&remark, limits::VALUE_SHOWN)]))
    }

    /// The data that the answer is about.
    fn told(&self, reply: &Reply, room: &mut Room) {
        match (reply, &self.wait.prompt.control) {
            (Reply::Filled { values }, Control::Form(form)) => {
                review::filled(&filled(&form.fields, values), room);
            }
            (Reply::Reviewed { verdict, data, .. }, Control::Review(review))
                if *verdict != Verdict::Rejected =>
            {
                let groups = data.as_ref().map_or_else(
                    || review.groups.clone(),
                    |data| review_editor::groups_with(review, data),
                );
                review::table(self.wait, review, &groups, false, room);
            }
            (Reply::Decided { .. }, Control::Decide(decide)) => {
                open::facts(decide, self.cx.participant.as_ref(), room);
            }
            _ => {}
        }
    }
}
