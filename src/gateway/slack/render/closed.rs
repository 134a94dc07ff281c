//! Cards that are not asked any more: what was answered, by whom, when. Buttons are gone, but for what may still be
//! done.

use chrono::{DateTime, Utc};
use slack_morphism::prelude::SlackBlock;

use super::{
    Cx, Room, open, review,
    text::{person, time},
};
use crate::{
    form::{Element, filled, labels, sheet},
    gateway::slack::{
        blocks::{Button, actions, context, said, section},
        limits,
    },
    ids::ArtifactId,
    model::{
        session::PersonId,
        transcript::Audience,
        ui::{Control, Decision, Reply, Verdict},
        wait::{Answerers, Standing, Wait},
    },
};

/// What became of a question: a line, and what may still be pressed.
pub(super) fn render(wait: &Wait, cx: &Cx, room: &mut Room) -> Vec<SlackBlock> {
    let mut below = Vec::new();
    match &wait.standing {
        Standing::Pending => {}
        // Both alike: nothing edits the card once more when the answer has been worked on. That it is being worked
        // on stands below, as the agent's status.
        Standing::Answered { reply, by, by_name, at }
        | Standing::Applied { reply, by, by_name, at } => {
            let given = Given { wait, cx, by, by_name, at: *at };
            given.told(reply, room);
            below.push(section(given.line(reply)));
            below.extend(given.remarks(reply));
            if cx.may_change && matches!(wait.prompt.control, Control::Review(_)) {
                below.extend(button(wait, "change", "Change"));
            }
        }
        Standing::Expired { at } => {
            if let Control::Decide(decide) = &wait.prompt.control {
                open::facts(decide, room);
            }
            below.push(section(format!("*Expired*: nobody answered in time. {}", time(*at))));
            let decides = matches!(wait.answerers, Answerers::Deciders { .. });
            if decides && cx.reader == Audience::Staff {
                below.extend(button(wait, "reopen", "Reopen"));
            }
        }
        Standing::Cancelled { reason, at } => {
            let reason = said(reason.trim_end_matches('.'), limits::VALUE_SHOWN);
            below.push(section(format!("*No longer asked*: {reason}. {}", time(*at))));
        }
        Standing::Superseded { at, .. } => {
            below.push(section(format!("*Closed*: the conversation has moved on. {}", time(*at))));
        }
    }
    below
}

/// What became of a question, in words alone.
pub(super) fn spoken(wait: &Wait, cx: &Cx) -> Option<String> {
    match &wait.standing {
        Standing::Pending => None,
        Standing::Answered { reply, by, by_name, at }
        | Standing::Applied { reply, by, by_name, at } => {
            Some(Given { wait, cx, by, by_name, at: *at }.line(reply))
        }
        Standing::Expired { .. } => Some("Expired: nobody answered in time.".to_owned()),
        Standing::Cancelled { reason, .. } => Some(format!(
            "No longer asked: {}.",
            said(reason.trim_end_matches('.'), limits::VALUE_SHOWN)
        )),
        Standing::Superseded { .. } => Some("Closed: the conversation has moved on.".to_owned()),
    }
}

fn button(wait: &Wait, action: &str, label: &str) -> Option<SlackBlock> {
    let id = Element::id(wait.id, wait.revision, action);
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

    /// `You answered: …`
    fn said(&self, verb: &str, what: &str) -> String {
        let who = if self.is_me() { "You".to_owned() } else { person(self.by, self.by_name) };
        let colon = if what.is_empty() {
            String::new()
        } else {
            format!(": *{}*", said(&super::forms::one_line(what), limits::VALUE_SHOWN))
        };
        format!("✓ {who} {verb}{colon}, {}", time(self.at))
    }

    /// `Approved by you, …`
    fn stamped(&self, what: &str, good: bool) -> String {
        let who = if self.is_me() { "you".to_owned() } else { person(self.by, self.by_name) };
        format!("{} *{what}* by {who}, {}", if good { "✓" } else { "✗" }, time(self.at))
    }

    /// What was answered, in a line.
    fn line(&self, reply: &Reply) -> String {
        match (reply, &self.wait.prompt.control) {
            (Reply::Skipped, _) => self.said("skipped this", ""),
            (Reply::Chosen { free_text: Some(text), .. } | Reply::Text { text }, _) => {
                self.said("answered", text)
            }
            (Reply::Chosen { ids, .. }, control) => self.said("answered", &labels(control, ids)),
            (Reply::Filled { .. }, _) => self.said("filled this in", ""),
            (Reply::Reviewed { verdict, .. }, _) => match verdict {
                Verdict::Approved => self.stamped("Approved", true),
                Verdict::Modified => self.stamped("Changed and approved", true),
                Verdict::Rejected => self.said("asked to start over", ""),
            },
            (Reply::Uploaded { artifacts }, _) => {
                let name = |id: &ArtifactId| self.cx.files.get(id).cloned();
                let names: Vec<String> = artifacts.iter().filter_map(name).collect();
                self.said("sent", &names.join(", "))
            }
            (Reply::Decided { decision, .. }, _) => match decision {
                Decision::Approved => self.stamped("Approved", true),
                Decision::Denied => self.stamped("Denied", false),
                Decision::DeniedWithFeedback => {
                    self.stamped("Denied, with a word to the interviewer,", false)
                }
            },
            (Reply::Confirmed { yes }, Control::Confirm(confirm)) => {
                self.said("answered", if *yes { &confirm.yes } else { &confirm.no })
            }
            (Reply::Confirmed { yes }, _) => self.said("answered", if *yes { "yes" } else { "no" }),
        }
    }

    /// What was said beside the answer.
    fn remarks(&self, reply: &Reply) -> Option<SlackBlock> {
        let remark = match reply {
            Reply::Reviewed { notes: Some(notes), .. } => format!("Note: {notes}"),
            // What was said to the interviewer is not for the participant (BEHAVIOUR J3.3).
            Reply::Decided { feedback: Some(words), .. } if self.cx.reader == Audience::Staff => {
                format!("To the interviewer: {words}")
            }
            _ => return None,
        };
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
                let groups = data
                    .as_ref()
                    .map_or_else(|| review.groups.clone(), |data| sheet::groups_with(review, data));
                review::table(self.wait, review, &groups, false, room);
            }
            (Reply::Decided { .. }, Control::Decide(decide)) => open::facts(decide, room),
            _ => {}
        }
    }
}
