//! Cards that are not asked any more: what was answered, by whom, when. Buttons are gone, but for what may still be
//! done.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{
    BAD, Cx, Drawn, GOOD, OVER,
    kit::{self, rows, small},
    open, review,
    text::{one_line, person, said, time},
};
use crate::{
    form::{Element, filled, labels, sheet},
    gateway::discord::limits,
    ids::ArtifactId,
    model::{
        session::PersonId,
        transcript::Audience,
        ui::{Control, Decision, Reply, Verdict},
        wait::{Answerers, Standing, Wait},
    },
};

/// What became of a question: a line, and what may still be pressed.
pub(super) fn render(wait: &Wait, cx: &Cx) -> Drawn {
    let mut drawn = Drawn::new(OVER);
    match &wait.standing {
        Standing::Pending => {}
        // Both alike: nothing edits the card once more when the answer has been worked on.
        Standing::Answered { reply, by, by_name, at }
        | Standing::Applied { reply, by, by_name, at } => {
            let given = Given { wait, cx, by, by_name, at: *at };
            drawn.colour = colour(reply);
            drawn.told = given.told(reply);
            drawn.below.push(kit::text(&given.line(reply)));
            drawn.below.extend(given.remarks(reply));
            if cx.may_change && matches!(wait.prompt.control, Control::Review(_)) {
                drawn.below.extend(button(wait, "change", "Change"));
            }
        }
        Standing::Expired { at } => {
            if let Control::Decide(decide) = &wait.prompt.control {
                drawn.told = open::facts(decide);
            }
            let line = format!("**Expired**: nobody answered in time. {}", time(*at));
            drawn.below.push(kit::text(&line));
            let decides = matches!(wait.answerers, Answerers::Deciders { .. });
            if decides && cx.reader == Audience::Staff {
                drawn.below.extend(button(wait, "reopen", "Reopen"));
            }
        }
        Standing::Cancelled { reason, at } => {
            let reason = said(reason.trim_end_matches('.'), limits::VALUE_SHOWN);
            drawn.below.push(kit::text(&format!("**No longer asked**: {reason}. {}", time(*at))));
        }
        Standing::Superseded { at, .. } => {
            let line = format!("**Closed**: the conversation has moved on. {}", time(*at));
            drawn.below.push(kit::text(&line));
        }
    }
    drawn
}

/// What became of a question, in words alone.
pub(super) fn words(wait: &Wait, cx: &Cx) -> Option<String> {
    let (reply, by, by_name, at) = wait.standing.answer()?;
    Some(Given { wait, cx, by, by_name, at }.line(reply))
}

fn button(wait: &Wait, action: &str, label: &str) -> Vec<Value> {
    rows([kit::button(Element::id(wait.id, wait.revision, action), label)])
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
            format!(": **{}**", said(&one_line(what), limits::VALUE_SHOWN))
        };
        format!("✓ {who} {verb}{colon}, {}", time(self.at))
    }

    /// `Approved by you, …`
    fn stamped(&self, what: &str, good: bool) -> String {
        let who = if self.is_me() { "you".to_owned() } else { person(self.by, self.by_name) };
        format!("{} **{what}** by {who}, {}", if good { "✓" } else { "✗" }, time(self.at))
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
    fn remarks(&self, reply: &Reply) -> Option<Value> {
        let remark = match reply {
            Reply::Reviewed { notes: Some(notes), .. } => format!("Note: {notes}"),
            // What was said to the interviewer is not for the participant (BEHAVIOUR J3.3).
            Reply::Decided { feedback: Some(words), .. } if self.cx.reader == Audience::Staff => {
                format!("To the interviewer: {words}")
            }
            _ => return None,
        };
        Some(small(&[said(&one_line(&remark), limits::VALUE_SHOWN)]))
    }

    /// The data that the answer is about.
    fn told(&self, reply: &Reply) -> Vec<Vec<Value>> {
        match (reply, &self.wait.prompt.control) {
            (Reply::Filled { values }, Control::Form(form)) => {
                review::lines("", &filled(&form.fields, values), false)
            }
            (Reply::Reviewed { verdict, data, .. }, Control::Review(review))
                if *verdict != Verdict::Rejected =>
            {
                let groups = data
                    .as_ref()
                    .map_or_else(|| review.groups.clone(), |data| sheet::groups_with(review, data));
                review::table(&self.wait.prompt, &groups, false)
            }
            (Reply::Decided { .. }, Control::Decide(decide)) => open::facts(decide),
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
