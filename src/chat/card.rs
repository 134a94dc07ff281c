//! What a card shows, the same on every platform: what became of a question, and what can be pressed. A platform lays it out.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::{
    base::ids::{ArtifactId, WaitId},
    chat::form::{
        AnswerSummary, filled, is_blank, may_answer_anew, may_change, remark, review_editor,
    },
    messages::{self, Markup, Text},
    model::{
        session::PersonId,
        transcript::Audience,
        ui::{Choice, Control, Decide, Field, Group, Prompt, Reply, Review, Verdict},
        wait::{Answerers, Purpose, Wait, WaitStatus, deciders},
    },
    session::State,
};

pub use self::{
    action::{Action, Emphasis, Sure, Takes},
    open::{
        Open, given, heading, is_told, is_untouched, kinds, listed, not_given, notes, to_fill_in,
    },
};

mod action;
mod open;

/// Who reads a card, and what of the conversation it depends on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reader {
    /// The participant, or the team.
    pub audience: Audience,
    /// Whose conversation it is.
    pub participant: Option<PersonId>,
    /// Names of the files of the conversation.
    pub files: BTreeMap<ArtifactId, String>,
    /// What was approved may still be changed ([`may_change`]), or an answer be given anew ([`may_answer_anew`]).
    pub may_change: bool,
}

impl From<Audience> for Reader {
    /// Somebody who reads a card of which nothing but itself is known.
    fn from(audience: Audience) -> Self {
        Self { audience, ..Self::default() }
    }
}

impl Reader {
    /// Somebody who reads a card of a conversation that stands so.
    pub fn of(audience: Audience, wait: &Wait, state: &State) -> Self {
        let reply = wait.status.answer().map(|(reply, ..)| reply);
        Self {
            audience,
            participant: Some(state.participant.clone()),
            files: state.artifacts.iter().map(|file| (file.id, file.filename.clone())).collect(),
            may_change: reply.is_some_and(|reply| {
                may_change(wait, reply, state) || may_answer_anew(wait, reply, state)
            }),
        }
    }
}

/// A question that is not asked any more.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed<'a> {
    /// How it ended, for a mark or a colour.
    pub outcome: Outcome,
    /// `You answered: Start`, `Denied by Grace`, `Expired: nobody answered in time.`
    pub line: Text,
    /// When it ended.
    pub at: DateTime<Utc>,
    /// What the answer is about.
    pub data: Data<'a>,
    /// What was said beside the answer.
    pub remark: Option<String>,
    /// What may still be done.
    pub action: Option<Action>,
}

/// How a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With an answer.
    Answered,
    /// With a decision or an approval.
    Approved,
    /// With a decision against what was asked.
    Denied,
    /// Without an answer.
    Lapsed,
}

/// Data that a question or its answer is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Data<'a> {
    /// There is none beside the words.
    None,
    /// Of a form, as far as it is filled in.
    Fields(Vec<Field>),
    /// Of a review, as it stands or was left.
    Groups(&'a Review, Vec<Group>),
    /// Of a request.
    Facts(&'a Decide),
}

impl<'a> Closed<'a> {
    /// What became of a question; nothing of one that is open.
    pub fn of(wait: &'a Wait, reader: &Reader) -> Option<Self> {
        let control = &wait.prompt.control;
        let lapsed = |at, line| Self {
            outcome: Outcome::Lapsed,
            line,
            at,
            data: Data::None,
            remark: None,
            action: None,
        };
        match &wait.status {
            WaitStatus::Pending => None,
            // Both alike: nothing edits the card once more when the answer has been worked on.
            WaitStatus::Answered { reply, by, by_name, at }
            | WaitStatus::Applied { reply, by, by_name, at } => {
                let is_me = reader.audience == Audience::Participant
                    && reader.participant.as_ref() == Some(by);
                let who = (!is_me).then_some((by, by_name.as_str()));
                let (outcome, line) =
                    answered(&AnswerSummary::of(reply, control, &reader.files), who);
                let is_kind = matches!(control, Control::Review(_) | Control::Ask(_));
                let may_change = reader.may_change && is_kind;
                let change = || Action::new("change", messages::buttons::CHANGE);
                Some(Self {
                    outcome,
                    line,
                    at: *at,
                    data: data_of(reply, control),
                    remark: remark(reply, control, reader.audience),
                    action: may_change.then(change),
                })
            }
            WaitStatus::Expired { at } => {
                let line = stated(messages::forms::EXPIRED).then(messages::forms::NOBODY_ANSWERED);
                let data = match control {
                    Control::Decide(decide) => Data::Facts(decide),
                    _ => Data::None,
                };
                let may_reopen =
                    can_be_reopened(wait) && wait.answerers.audience() == reader.audience;
                let reopen = || Action::new("reopen", messages::buttons::REOPEN);
                Some(Self { data, action: may_reopen.then(reopen), ..lapsed(*at, line) })
            }
            WaitStatus::Cancelled { reason, at } => {
                let line = stated(withdrawn(&wait.prompt));
                let line = line.then_quoted(reason.trim_end_matches('.')).then(".");
                Some(lapsed(*at, line))
            }
            WaitStatus::Superseded { at, by } => {
                let (what, why) = superseded(*by);
                Some(lapsed(*at, stated(what).then(why)))
            }
        }
    }
}

impl Closed<'_> {
    /// The line with its mark and its time, as chats write it: `✓ You answered: *Start* · today`.
    pub fn marked_line(&self, markup: &impl Markup) -> String {
        let (line, at) = (self.line.write(markup), markup.moment(self.at));
        match self.outcome {
            Outcome::Answered | Outcome::Approved => format!("✓ {line} · {at}"),
            Outcome::Denied => format!("✗ {line} · {at}"),
            Outcome::Lapsed => format!("{line} {at}"),
        }
    }
}

/// Whether a question that lapsed can be asked once more: to leave a part before it is complete. The flow or the model
/// asks again for anything else.
fn can_be_reopened(wait: &Wait) -> bool {
    matches!(&wait.purpose, Purpose::Call { tool, .. } if tool == "next_phase")
}

/// `Expired: `
fn stated(what: &'static str) -> Text {
    Text::strong(what).then(": ")
}

/// What somebody answered; the reader where `who` is missing.
fn answered(summary: &AnswerSummary, who: Option<(&PersonId, &str)>) -> (Outcome, Text) {
    match summary {
        AnswerSummary::Said { verb, what } => {
            let line = match who {
                None => Text::words(messages::forms::YOU),
                Some((by, name)) => Text::person(by, name),
            };
            let line = line.then(" ").then(*verb);
            let line =
                if what.is_empty() { line } else { line.then(": ").then_quoted_strong(what) };
            (Outcome::Answered, line)
        }
        AnswerSummary::Stamped { what, is_good } => {
            let line = match who {
                // Whoever changed it first knows that they did.
                None if *is_good => Text::strong(messages::requests::APPROVED),
                None | Some(_) => Text::strong(*what),
            };
            let line = line.then(messages::page::BY);
            let line = match who {
                None => line.then(messages::forms::YOU_WITHIN),
                Some((by, name)) => line.then_person(by, name),
            };
            (if *is_good { Outcome::Approved } else { Outcome::Denied }, line)
        }
    }
}

/// What an answer is about, beside what its line says.
fn data_of<'a>(reply: &Reply, control: &'a Control) -> Data<'a> {
    match (reply, control) {
        (Reply::Filled { values }, Control::Form(form)) => {
            Data::Fields(filled(&form.fields, values))
        }
        (Reply::Reviewed { verdict, data, .. }, Control::Review(review))
            if *verdict != Verdict::Rejected =>
        {
            let left = data.as_ref().map(|data| review_editor::groups_with(review, data));
            Data::Groups(review, left.unwrap_or_else(|| review.groups.clone()))
        }
        (Reply::Decided { .. }, Control::Decide(decide)) => Data::Facts(decide),
        _ => Data::None,
    }
}

/// The heading of a question, if it has one.
pub fn title(prompt: &Prompt) -> Option<String> {
    prompt.heading().filter(|title| !is_blank(title))
}

/// Who has voted so far, where several must agree; at most so many are named.
pub fn votes(wait: &Wait, most: usize) -> Option<Text> {
    if wait.quorum < 2 {
        return None;
    }
    let line = Text::words(messages::requests::quorum(wait.quorum));
    let voted = wait.votes.iter().take(most);
    Some(voted.fold(line, |line, vote| {
        let line = line.then(" ").then_person(&vote.by, &vote.by_name);
        line.then(messages::requests::has_voted(vote.approves()))
    }))
}

/// Who is asked, for somebody else: `the participant`, `the recruiting approvers`.
pub(crate) fn addressee(wait: &Wait) -> String {
    match &wait.answerers {
        Answerers::Participant => messages::unnamed::THE_PARTICIPANT.to_owned(),
        Answerers::Deciders { alias, .. } => messages::forms::the_deciders(&deciders(alias)),
    }
}

/// What a choice is called, the `n`th from 0: with its number where that is `too_long` for its place.
pub fn label(n: usize, choice: &Choice, too_long: impl Fn(&str) -> bool) -> String {
    let text = choice.label.trim();
    let text = if is_blank(text) { choice.id.trim() } else { text };
    if is_blank(text) {
        return messages::buttons::choice(n + 1);
    }
    if too_long(text) { format!("{}. {text}", n + 1) } else { text.to_owned() }
}

/// What is said of a question that is no longer asked: a word for it, and why.
const fn superseded(by: Option<WaitId>) -> (&'static str, &'static str) {
    match by {
        Some(_) => (messages::forms::REPLACED, messages::forms::NEWER_BELOW),
        None => (messages::forms::CLOSED, messages::forms::MOVED_ON),
    }
}

/// What a question or a request is called that was taken back.
const fn withdrawn(prompt: &Prompt) -> &'static str {
    match prompt.control {
        Control::Decide(_) => messages::requests::REQUEST_WITHDRAWN,
        Control::Choose(_)
        | Control::Form(_)
        | Control::Review(_)
        | Control::Upload(_)
        | Control::Ask(_)
        | Control::Confirm(_) => messages::forms::QUESTION_WITHDRAWN,
    }
}
