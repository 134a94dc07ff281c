//! Cards that are not asked any more: what was answered, by whom, when. Buttons are gone, but for what may still be
//! done.

use super::{
    BAD, CardParts, Cx, GOOD, OVER,
    component::Component,
    components::{self, rows, small},
    request, review,
    text::{one_line, person, said, time},
};
use crate::{
    chat::form::{self, ComponentId, filled, review_editor},
    gateway::discord::limits,
    messages,
    model::{
        session::PersonId,
        transcript::Audience,
        ui::{Control, Decision, Reply, Verdict},
        wait::{Answerers, Wait, WaitStatus},
    },
};
use chrono::{DateTime, Utc};

/// What became of a question: a line, and what may still be pressed.
pub(super) fn render(wait: &Wait, cx: &Cx) -> CardParts {
    let mut parts = CardParts::new(OVER);
    match &wait.status {
        WaitStatus::Pending => {}
        // Both alike: nothing edits the card once more when the answer has been worked on.
        WaitStatus::Answered { reply, by, by_name, at }
        | WaitStatus::Applied { reply, by, by_name, at } => {
            let given = Given { wait, cx, by, by_name, at: *at };
            parts.colour = colour(reply);
            parts.told = given.told(reply);
            parts.below.push(components::text(&given.line(reply)));
            parts.below.extend(given.remarks(reply));
            parts.below.extend(roles_added(&cx.roles_given).map(|line| small(&[line])));
            let is_kind = matches!(wait.prompt.control, Control::Review(_) | Control::Ask(_));
            if cx.may_change && is_kind {
                parts.below.extend(button(wait, "change", messages::buttons::CHANGE));
            }
        }
        WaitStatus::Expired { at } => {
            if let Control::Decide(decide) = &wait.prompt.control {
                parts.told = request::facts(decide, cx);
            }
            let line = format!(
                "**{}**: {} {}",
                messages::forms::EXPIRED,
                messages::forms::NOBODY_ANSWERED,
                time(*at)
            );
            parts.below.push(components::text(&line));
            let decides = matches!(wait.answerers, Answerers::Deciders { .. });
            if decides && cx.reader == Audience::Staff {
                parts.below.extend(button(wait, "reopen", messages::buttons::REOPEN));
            }
        }
        WaitStatus::Cancelled { reason, at } => {
            let reason = said(reason.trim_end_matches('.'), limits::VALUE_SHOWN);
            let what = form::words::withdrawn(&wait.prompt);
            parts.below.push(components::text(&format!("**{what}**: {reason}. {}", time(*at))));
        }
        WaitStatus::Superseded { at, by } => {
            let (what, why) = form::words::superseded(*by);
            let line = format!("**{what}**: {why} {}", time(*at));
            parts.below.push(components::text(&line));
        }
    }
    parts
}

/// What became of a question, in words alone.
pub(super) fn words(wait: &Wait, cx: &Cx) -> Option<String> {
    let (reply, by, by_name, at) = wait.status.answer()?;
    Some(Given { wait, cx, by, by_name, at }.line(reply))
}

fn button(wait: &Wait, action: &str, label: &str) -> Vec<Component> {
    rows([components::button(ComponentId::id(wait.id, wait.revision, action), label)])
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

    /// `✓ You answered: **Start** · today`, `✗ **Denied** by Grace · today`
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
                let what = said(&one_line(&what), limits::VALUE_SHOWN);
                format!("✓ {} {verb}: **{what}** · {at}", who(messages::forms::YOU))
            }
            form::AnswerSummary::Stamped { what, is_good } => {
                let mark = if is_good { "✓" } else { "✗" };
                // Whoever wrote it knows that they did.
                let what =
                    if is_good && self.is_me() { messages::requests::APPROVED } else { what };
                format!(
                    "{mark} **{what}**{}{} · {at}",
                    messages::page::BY,
                    who(messages::forms::YOU_WITHIN)
                )
            }
        }
    }

    /// What was said beside the answer.
    fn remarks(&self, reply: &Reply) -> Option<Component> {
        let remark = form::remark(reply, &self.wait.prompt.control, self.cx.reader)?;
        Some(small(&[said(&one_line(&remark), limits::VALUE_SHOWN)]))
    }

    /// The data that the answer is about.
    fn told(&self, reply: &Reply) -> Vec<Vec<Component>> {
        match (reply, &self.wait.prompt.control) {
            (Reply::Filled { values }, Control::Form(form)) => {
                review::lines("", &filled(&form.fields, values), false)
            }
            (Reply::Reviewed { verdict, data, .. }, Control::Review(review))
                if *verdict != Verdict::Rejected =>
            {
                let groups = data.as_ref().map_or_else(
                    || review.groups.clone(),
                    |data| review_editor::groups_with(review, data),
                );
                review::table(&self.wait.prompt, &groups, false)
            }
            (Reply::Decided { .. }, Control::Decide(decide)) => request::facts(decide, self.cx),
            _ => Vec::new(),
        }
    }
}

/// The colour of the bar beside an answer.
const fn colour(reply: &Reply) -> u32 {
    match reply {
        Reply::Skipped => OVER,
        Reply::Decided { decision: Decision::Denied | Decision::DeniedWithFeedback, .. }
        | Reply::Reviewed { verdict: Verdict::Rejected, .. } => BAD,
        Reply::Chosen { .. }
        | Reply::Filled { .. }
        | Reply::Reviewed { .. }
        | Reply::Uploaded { .. }
        | Reply::Text { .. }
        | Reply::Decided { .. }
        | Reply::Confirmed { .. } => GOOD,
    }
}

/// Roles that were given for an answer; none where there are none.
fn roles_added(given: &[String]) -> Option<String> {
    let names: Vec<String> = given.iter().map(|role| said(role, limits::QUOTE)).collect();
    messages::discord::roles_added(&names)
}
