//! The app's manifest: what an operator creates the app from, and what `anteroom doctor slack` compares it with.
//!
//! `manifests/slack.socket.json` and `manifests/slack.http.json` are written from here; a test keeps them so.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{agent, installations::BOT_SCOPES};
use crate::flow::Library;

/// The scope that the app's own token needs, for sockets.
pub(crate) const APP_SCOPE: &str = "connections:write";

/// The shortcut that starts an interview.
pub(crate) const SHORTCUT: &str = "onboard_start";

/// Where Slack's requests go over HTTP, until somebody writes their own name there.
pub(crate) const PLACEHOLDER: &str = "https://bot.example.org";

/// Events that the app is told of. Each needs one of the scopes; see [`BOT_SCOPES`].
///
/// Left out on purpose: what a person looks at while they write (`app_context_changed`), and the titles they give their
/// conversations. Nothing here uses them.
pub const EVENTS: [&str; 23] = [
    "agent_session_stopped",
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "channel_archive",
    "channel_deleted",
    "channel_left",
    "channel_unarchive",
    "group_archive",
    "group_deleted",
    "group_left",
    "group_unarchive",
    "member_joined_channel",
    "member_left_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "subteam_members_changed",
    "subteam_updated",
    "team_access_granted",
    "team_access_revoked",
    "tokens_revoked",
    "user_change",
];

/// How events come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Over sockets.
    Socket,
    /// Over requests to the bot.
    Http,
}

/// The slash commands of an app: the one that takes orders, and those with which flows start.
pub fn commands(order: &str, library: &Library) -> BTreeSet<String> {
    let starts = library.iter().filter_map(|flow| flow.flow.start.slack.clone());
    let commands = starts.flat_map(|start| start.commands);
    let mut commands: BTreeSet<String> = commands.collect();
    commands.insert(order.to_owned());
    commands
}

fn url(path: &str) -> Value {
    json!(format!("{PLACEHOLDER}{path}"))
}

fn described(transport: Transport, order: &str, commands: &BTreeSet<String>) -> Vec<Value> {
    let described = commands.iter().map(|name| {
        let (description, hint) = if name == order {
            (
                "Start, resume or look after an onboarding interview",
                "[invite @person] | status | show @person | help",
            )
        } else {
            ("Start an onboarding interview", "")
        };
        let mut command =
            json!({ "command": name, "description": description, "should_escape": true });
        if !hint.is_empty() {
            command["usage_hint"] = hint.into();
        }
        if transport == Transport::Http {
            command["url"] = url("/slack/commands");
        }
        command
    });
    described.collect()
}

/// The manifest of an app with these commands, of which `order` takes orders.
pub fn manifest(transport: Transport, order: &str, commands: &BTreeSet<String>) -> Value {
    let commands = described(transport, order, commands);
    let prompts =
        agent::PROMPTS.map(|(title, message)| json!({ "title": title, "message": message }));
    let mut manifest = json!({
        "_metadata": { "major_version": 2, "minor_version": 1 },
        "display_information": {
            "name": "Anteroom",
            "description": "Durable onboarding interviews with approvals and an audit trail",
            "long_description": "Anteroom conducts onboarding interviews: it asks one question at a time, reads the documents \
                that people send, shows every result for approval before it is kept, and asks the right people where somebody \
                has to decide. An AI may lead the conversation; it says so first, and a person can be reached at any time.",
            "background_color": "#1B365D",
        },
        "features": {
            "agent_view": {
                "agent_description": "I conduct your onboarding interview, take your documents, and ask the right people to decide.",
                "suggested_prompts": prompts,
            },
            "app_home": {
                "home_tab_enabled": true,
                "messages_tab_enabled": true,
                "messages_tab_read_only_enabled": false,
            },
            "bot_user": { "display_name": "Anteroom", "always_online": true },
            "shortcuts": [{
                "name": "Start onboarding",
                "type": "global",
                "callback_id": SHORTCUT,
                "description": "Start or resume an onboarding interview",
            }],
            "slash_commands": commands,
        },
        "oauth_config": { "scopes": { "bot": BOT_SCOPES } },
        "settings": {
            "event_subscriptions": { "bot_events": EVENTS },
            "interactivity": { "is_enabled": true },
            "org_deploy_enabled": true,
            "socket_mode_enabled": transport == Transport::Socket,
            // A token of one workspace in the environment could not follow.
            "token_rotation_enabled": false,
        },
    });
    if transport == Transport::Http {
        manifest["oauth_config"]["redirect_urls"] = json!([url("/slack/oauth")]);
        manifest["settings"]["event_subscriptions"]["request_url"] = url("/slack/events");
        manifest["settings"]["interactivity"]["request_url"] = url("/slack/interactivity");
        // Several workspaces install it: their tokens are kept here and renewed.
        manifest["settings"]["token_rotation_enabled"] = true.into();
    }
    manifest
}
