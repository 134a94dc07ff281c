//! What a look at a platform's set-up works with, whichever platform it is: what is looked at, and what was found.
//!
//! Hours are lost to a refusal without a reason, so every finding names the thing and the page to mend it on.

use std::time::Duration;

use chrono::DateTime;
use reqwest::{RequestBuilder, header};

use crate::{
    base::clock::Clock,
    config::{Approvers, Problem, Settings},
    flow::Library,
    model::session::Platform,
};

/// Longest time for one question to a platform.
pub(crate) const ASK_MAX: Duration = Duration::from_secs(10);

/// Clocks may differ by so much; signatures of requests are good for five minutes.
const SKEW_MAX: Duration = Duration::from_mins(1);

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub struct DoctorContext<'a> {
    /// What the operator decided.
    pub settings: &'a Settings,
    /// The flows that can be started.
    pub library: &'a Library,
    /// The time.
    pub clock: &'a dyn Clock,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    /// The word before each finding: `slack`.
    pub about: &'static str,
    /// What was looked at, in words.
    pub checked: Vec<String>,
    /// What is wrong, each with what to do about it.
    pub problems: Vec<Problem>,
}

impl Report {
    /// Nothing found yet; `about` stands before each finding.
    pub fn about(about: &'static str) -> Self {
        Self { about, ..Self::default() }
    }

    /// Something was looked at.
    pub fn checked(&mut self, what: impl Into<String>) {
        self.checked.push(what.into());
    }

    /// Something has to be mended before the bot works.
    pub fn wrong(&mut self, message: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(Problem::whole(self.about, message).hint(hint));
    }

    /// Something may be meant so, and probably is not.
    pub fn odd(&mut self, message: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(Problem::whole(self.about, message).hint(hint).warning());
    }

    /// A message that carries its own hint, as errors do.
    pub fn failed(&mut self, error: &dyn std::error::Error) {
        let text = error.to_string();
        let problem = match text.split_once(". hint: ") {
            Some((message, hint)) => Problem::whole(self.about, message).hint(hint),
            None => Problem::whole(self.about, text),
        };
        self.problems.push(problem);
    }
}

/// Whether a platform can be reached by a question that needs no rights, and whether the clocks agree.
pub async fn is_there(
    (name, base): (&str, &str),
    question: RequestBuilder,
    clock: &dyn Clock,
    report: &mut Report,
) -> bool {
    let response = match question.send().await {
        Ok(response) => response,
        Err(error) => {
            let why = if error.is_timeout() { "it took too long" } else { "no connection" };
            let hint =
                format!("this machine must reach `{base}` over HTTPS; look at firewall and proxy");
            report.wrong(format!("{name} cannot be reached: {why}"), hint);
            return false;
        }
    };
    let date = response.headers().get(header::DATE).and_then(|date| date.to_str().ok());
    if let Some(theirs) = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok()) {
        let skew = clock.now().signed_duration_since(theirs).abs().to_std().unwrap_or_default();
        if skew > SKEW_MAX {
            report.wrong(
                format!("this machine's clock is {} s off", skew.as_secs()),
                "synchronise it (NTP): signatures and deadlines go by it",
            );
        }
    }
    report.checked(format!("{name} can be reached, and the clocks agree"));
    true
}

/// Somebody must see what staff see, and somebody decide, in each tenant and outside of them. Who else `sees` it, and what that is,
/// stands in the message.
pub fn staff(
    patient: &DoctorContext<'_>,
    platform: Platform,
    (sees, what): (&str, &str),
    report: &mut Report,
) {
    let (name, groups) = match platform {
        Platform::Slack => ("Slack", "groups"),
        Platform::Discord => ("Discord", "roles"),
        Platform::Web => return,
    };
    for there in patient.settings.everywhere().filter(|there| there.is_on(platform)) {
        let (lists, whose) = (there.lists(platform), there.whose());
        if lists.staff_users.is_empty() && lists.staff_groups.is_empty() {
            report.odd(
                format!("{sees} sees what staff see in {name}{whose}: {what}"),
                format!(
                    "write `staff_users` or `staff_{groups}` under `{}`",
                    there.table(&platform.to_string())
                ),
            );
        }
        let decides = |some: &Approvers| {
            !(some.users(platform).is_empty() && some.groups(platform).is_empty())
        };
        if !lists.approvers.values().any(decides) {
            report.odd(
                format!("nobody can decide in {name}{whose}"),
                format!(
                    "write `{platform}_users` or `{platform}_{groups}` under `{}`",
                    there.table("approvers")
                ),
            );
        }
    }
    report.checked("who is staff and who decides");
}
