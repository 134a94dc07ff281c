//! Channels and people of the configuration, as Slack knows them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{Doctor, Report};
use crate::{
    config::Lists,
    gateway::slack::api::{Failure, Method},
};

/// What is posted and deleted at once.
const TEST: &str = "A test of the set-up; it is deleted at once.";

impl Doctor<'_> {
    /// Posts to each channel, and takes it back.
    pub(super) async fn channels(&self, channels: &BTreeMap<String, String>, report: &mut Report) {
        for (alias, channel) in channels {
            if let Err(failure) = self.try_channel(channel).await {
                let (what, hint) = about_channel(&failure);
                report.wrong(format!("channel `{alias}` ({channel}): {what}"), hint);
            }
        }
        report.checked(format!("a test post to each channel ({})", channels.len()));
    }

    async fn try_channel(&self, channel: &str) -> Result<(), Failure> {
        let body = json!({ "channel": channel, "text": TEST, "unfurl_links": false });
        let posted = self.api.call(self.team, Method::PostMessage, &body).await?;
        let body = json!({ "channel": posted["channel"], "ts": posted["ts"] });
        self.api.call(self.team, Method::DeleteMessage, &body).await?;
        Ok(())
    }

    /// Asks for every user and group that the configuration names.
    pub(super) async fn people(&self, lists: &Lists, report: &mut Report) {
        let mut users: BTreeSet<&String> = lists.staff_users.iter().collect();
        let mut groups: BTreeSet<&String> = lists.staff_groups.iter().collect();
        for approvers in lists.approvers.values() {
            users.extend(&approvers.slack_users);
            groups.extend(&approvers.slack_groups);
        }
        for user in &users {
            let asked = self.api.call(self.team, Method::UserInfo, &json!({ "user": user })).await;
            match asked {
                Ok(answer) if answer["user"]["deleted"] == true => {
                    report.odd(format!("user `{user}` is deactivated"), "take them out of the configuration");
                }
                Ok(_) => {}
                Err(failure) => report.wrong(
                    format!("user `{user}` cannot be looked up: {}", words(&failure)),
                    or_scope(
                        &failure,
                        "copy the id from the person's profile (\"Copy member ID\"); a name or an address is none",
                    ),
                ),
            }
        }
        for group in &groups {
            let body = json!({ "usergroup": group });
            match self.api.call(self.team, Method::GroupMembers, &body).await {
                Ok(answer) if answer["users"].as_array().is_some_and(Vec::is_empty) => {
                    report.odd(
                        format!("nobody is in the user group `{group}`"),
                        "add people to it in Slack",
                    );
                }
                Ok(_) => {}
                Err(failure) => report.wrong(
                    format!("the user group `{group}` cannot be read: {}", words(&failure)),
                    or_scope(&failure, "copy the id from the group's page (\"Copy group ID\")"),
                ),
            }
        }
        report.checked(format!(
            "users ({}) and groups ({}) of the configuration",
            users.len(),
            groups.len()
        ));
    }
}

/// What to do, unless it is the token that may not ask.
fn or_scope(failure: &Failure, hint: &'static str) -> &'static str {
    match failure.code() {
        Some("missing_scope") => "the token lacks a scope: see what is said about it",
        _ => hint,
    }
}

fn words(failure: &Failure) -> String {
    failure.code().map_or_else(|| failure.to_string(), |code| format!("`{code}`"))
}

fn about_channel(failure: &Failure) -> (String, String) {
    let (what, hint) = match failure.code() {
        Some("channel_not_found") => (
            "there is no such channel, or it is private and the bot is not in it",
            "copy the id from the end of the channel's \"About\"; in a private channel write `/invite @Anteroom`",
        ),
        Some("not_in_channel") => {
            ("the bot is not in it", "write `/invite @Anteroom` in the channel")
        }
        Some("is_archived") => {
            ("it is archived", "unarchive it, or write another one under `[slack.channels]`")
        }
        Some("restricted_action" | "restricted_action_read_only_channel") => (
            "the bot may not post in it",
            "look at the channel's posting permissions, which an owner of the workspace sets",
        ),
        Some("missing_scope") => (
            "the token may not post",
            "add `chat:write` under \"OAuth & Permissions\", then press \"Reinstall to Workspace\"",
        ),
        _ => {
            return (
                words(failure),
                "try it once more, and look Slack's code up at docs.slack.dev".to_owned(),
            );
        }
    };
    (what.to_owned(), hint.to_owned())
}
