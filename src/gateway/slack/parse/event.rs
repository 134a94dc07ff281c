//! Events: messages, and what happens to channels, people and the app.

use serde_json::Value;

use super::{file::files, ignored, key, text, unknown, workspace};
use crate::{
    chat::raw::{first, flag, list, some_text, text_at},
    gateway::slack::inbound::{Actor, Envelope, Incoming, Message, Workspace},
};

/// What an event is about, besides itself.
struct About<'a> {
    payload: &'a Value,
    event: &'a Value,
    workspace: &'a Workspace,
    /// The user that the bot is, where the payload says so.
    bot: String,
}

pub(super) fn read(payload: &Value) -> Envelope {
    let workspace = workspace(payload);
    // Slack's own helpers send the bare event at times.
    let event = payload.get("event").filter(|event| event.is_object()).unwrap_or(payload);
    let bot = if flag(payload, "/authorizations/0/is_bot") {
        text_at(payload, "/authorizations/0/user_id")
    } else {
        String::new()
    };
    let about = About { payload, event, workspace: &workspace, bot };
    let kind = text_at(event, "/type");
    let id = text_at(payload, "/event_id");
    let (key, what) = match kind.as_str() {
        "message" => about.message(),
        "app_mention" => about.said("app_mention"),
        _ => (None, about.other(&kind)),
    };
    let key = key.unwrap_or_else(|| super::key(&["ev", &id], payload));
    Envelope { key, workspace, what }
}

impl About<'_> {
    fn text(&self, pointer: &str) -> String {
        text_at(self.event, pointer)
    }

    fn is_direct(&self) -> bool {
        match self.text("/channel_type").as_str() {
            "im" => true,
            "" => self.text("/channel").starts_with('D'),
            _ => false,
        }
    }

    /// A message, by its subtype. A mention is two events with one key: whichever comes first is taken.
    fn message(&self) -> (Option<String>, Incoming) {
        let subtype = self.text("/subtype");
        let what = match subtype.as_str() {
            "" | "file_share" | "thread_broadcast" | "me_message" => return self.said("message"),
            "message_changed" => self.changed(),
            "message_deleted" => self.deleted("/deleted_ts", "/previous_message"),
            "channel_archive" | "group_archive" => self.channel_gone("archived"),
            "channel_unarchive" | "group_unarchive" => self.channel_back(),
            _ if is_notice(&subtype) => ignored(&format!("message.{subtype}")),
            // A new kind of message with words or files in it is still somebody's message.
            _ if self.is_typed() => return self.said("message"),
            _ => unknown(&format!("message.{subtype}")),
        };
        (None, what)
    }

    fn is_typed(&self) -> bool {
        let event = self.event;
        !self.text("/client_msg_id").is_empty() || !list(event, "/files").is_empty()
    }

    fn said(&self, kind: &str) -> (Option<String>, Incoming) {
        let event = self.event;
        if let Some(whose) = self.not_a_person(event) {
            return (None, ignored(&format!("{kind}.{whose}")));
        }
        let by = by(event);
        let (channel, ts) = (self.text("/channel"), self.text("/ts"));
        if by.user.is_empty() || channel.is_empty() || ts.is_empty() {
            return (None, unknown(&format!("{kind}.incomplete")));
        }
        let (text, is_mentioned) = self.words(event);
        let message = Message {
            by,
            is_direct: self.is_direct(),
            thread: some_text(event, "/thread_ts").filter(|root| *root != ts),
            text,
            is_mention: is_mentioned || kind == "app_mention",
            files: files(event, "/files"),
            channel,
            ts,
        };
        let parts = ["msg", &self.workspace.team, &message.channel, &message.ts];
        (Some(key(&parts, self.payload)), Incoming::Message(message))
    }

    /// The words of a message, whichever of its parts holds them, and whether the bot is mentioned.
    fn words(&self, of: &Value) -> (String, bool) {
        let (raw, is_mention) = text::without_mention(&text_at(of, "/text"), &self.bot);
        let decoded = text::decode(&raw);
        if !decoded.trim().is_empty() || is_mention {
            return (decoded, is_mention);
        }
        let blocks = of.get("blocks").map(text::of_blocks).filter(|words| !words.is_empty());
        // A message that was passed on stands in an attachment.
        let shared = || {
            let texts = list(of, "/attachments").iter().map(|part| text_at(part, "/text"));
            let texts: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
            text::decode(&texts.join("\n"))
        };
        (blocks.unwrap_or_else(shared), is_mention)
    }

    /// Our own messages, those of other apps, and Slack's own.
    fn not_a_person(&self, message: &Value) -> Option<&'static str> {
        let user = first(message, &["/user", "/user/id"]);
        let app = first(message, &["/app_id", "/bot_profile/app_id"]);
        let ours = text_at(self.payload, "/api_app_id");
        let is_bot = !text_at(message, "/bot_id").is_empty();
        if (is_bot && !app.is_empty() && app == ours) || (!user.is_empty() && user == self.bot) {
            Some("own")
        } else if is_bot || text_at(message, "/subtype") == "bot_message" || user == "USLACKBOT" {
            Some("bot")
        } else {
            None
        }
    }

    /// Slack also calls it a change when it unfolds a link, and when a thread begins under a message.
    fn changed(&self) -> Incoming {
        let Some(message) = self.event.get("message").filter(|message| message.is_object()) else {
            return unknown("message.message_changed.incomplete");
        };
        if text_at(message, "/subtype") == "tombstone" {
            return self.deleted("/message/ts", "/previous_message");
        }
        if let Some(whose) = self.not_a_person(message) {
            return ignored(&format!("message.message_changed.{whose}"));
        }
        let ts = text_at(message, "/ts");
        let (text, _) = self.words(message);
        let before = self.event.get("previous_message").map(|before| self.words(before).0);
        let is_edited = message.get("edited").is_some_and(Value::is_object);
        if !is_edited || before.as_ref() == Some(&text) {
            return ignored("message.message_changed.same");
        }
        let thread = some_text(message, "/thread_ts").filter(|root| *root != ts);
        Incoming::Edited {
            channel: self.text("/channel"),
            is_direct: self.is_direct(),
            ts,
            thread,
            by: by(message),
            text,
        }
    }

    fn deleted(&self, ts: &str, before: &str) -> Incoming {
        let (ts, before) = (self.text(ts), self.event.pointer(before).unwrap_or(&Value::Null));
        let thread = some_text(before, "/thread_ts").filter(|root| *root != ts);
        Incoming::Deleted {
            channel: self.text("/channel"),
            is_direct: self.is_direct(),
            ts,
            thread,
            author: by(before).user,
        }
    }

    fn channel(&self) -> String {
        first(self.event, &["/channel", "/channel/id", "/channel_id"])
    }

    fn channel_gone(&self, why: &'static str) -> Incoming {
        Incoming::ChannelGone { channel: self.channel(), why }
    }

    fn channel_back(&self) -> Incoming {
        Incoming::ChannelBack { channel: self.channel() }
    }

    fn access(&self, granted: bool) -> Incoming {
        let teams = list(self.event, "/team_ids").iter().filter_map(Value::as_str);
        Incoming::Access { teams: teams.map(str::to_owned).collect(), granted }
    }

    fn is_of_the_bot(&self) -> bool {
        !self.bot.is_empty() && self.text("/user") == self.bot
    }

    fn other(&self, kind: &str) -> Incoming {
        match kind {
            "app_home_opened" => Incoming::HomeOpened {
                by: by(self.event),
                tab: self.text("/tab"),
                channel: self.text("/channel"),
            },
            "agent_session_stopped" => Incoming::Stopped {
                by: by(self.event),
                channel: self.text("/channel"),
                thread: some_text(self.event, "/thread_ts"),
            },
            "app_uninstalled" | "app_uninstalled_team" => Incoming::Revoked,
            // Tokens of users are none of ours: we ask for none.
            "tokens_revoked" if !list(self.event, "/tokens/bot").is_empty() => Incoming::Revoked,
            "team_access_granted" => self.access(true),
            "team_access_revoked" => self.access(false),
            "channel_archive" | "group_archive" => self.channel_gone("archived"),
            "channel_deleted" | "group_deleted" => self.channel_gone("deleted"),
            "channel_left" | "group_left" => self.channel_gone("left"),
            "member_left_channel" if self.is_of_the_bot() => self.channel_gone("left"),
            "channel_unarchive" | "group_unarchive" => self.channel_back(),
            "member_joined_channel" if self.is_of_the_bot() => self.channel_back(),
            "user_change" => Incoming::UserChanged {
                user: first(self.event, &["/user/id", "/user"]),
                deleted: flag(self.event, "/user/deleted"),
            },
            "subteam_created" | "subteam_updated" | "subteam_members_changed" => {
                Incoming::GroupChanged { group: first(self.event, &["/subteam_id", "/subteam/id"]) }
            }
            _ if IGNORED.contains(&kind) => ignored(kind),
            _ => unknown(kind),
        }
    }
}

fn by(of: &Value) -> Actor {
    Actor {
        user: first(of, &["/user", "/user/id", "/user_id"]),
        // `user_team` is where a guest of a shared channel comes from.
        team: first(of, &["/user_team", "/source_team", "/team", "/user/team_id"]),
        name: first(of, &["/user_profile/display_name", "/user_profile/name", "/username"]),
    }
}

/// What Slack itself writes into a channel.
fn is_notice(subtype: &str) -> bool {
    NOTICES.contains(&subtype)
        || subtype.starts_with("channel_")
        || subtype.starts_with("group_")
        || subtype.starts_with("bot_")
        || subtype.starts_with("huddle_")
}

const NOTICES: &[&str] = &[
    "assistant_app_thread",
    "ekm_access_denied",
    "file_comment",
    "file_mention",
    "joiner_notification",
    "joiner_notification_for_inviter",
    "message_replied",
    "pinned_item",
    "reminder_add",
    "reply_broadcast",
    "sh_room_created",
    "sh_room_shared",
    "slackbot_response",
    "tombstone",
    "unpinned_item",
];

/// Known, and of no use to us. Sorted.
const IGNORED: &[&str] = &[
    "agent_session_title_changed",
    "app_context_changed",
    "app_installed",
    "app_rate_limited",
    "app_requested",
    "assistant_thread_context_changed",
    "assistant_thread_started",
    "call_rejected",
    "channel_created",
    "channel_history_changed",
    "channel_id_changed",
    "channel_rename",
    "channel_shared",
    "channel_unshared",
    "dnd_updated",
    "dnd_updated_user",
    "email_domain_changed",
    "emoji_changed",
    "file_change",
    "file_created",
    "file_deleted",
    "file_public",
    "file_shared",
    "file_unshared",
    "goodbye",
    "grid_migration_finished",
    "grid_migration_started",
    "group_close",
    "group_history_changed",
    "group_open",
    "group_rename",
    "im_close",
    "im_created",
    "im_history_changed",
    "im_open",
    "invite_requested",
    "link_shared",
    "member_joined_channel",
    "member_left_channel",
    "message_metadata_deleted",
    "message_metadata_posted",
    "message_metadata_updated",
    "pin_added",
    "pin_removed",
    "reaction_added",
    "reaction_removed",
    "resources_added",
    "resources_removed",
    "scope_denied",
    "scope_granted",
    "star_added",
    "star_removed",
    "subteam_self_added",
    "subteam_self_removed",
    "team_domain_change",
    "team_join",
    "team_rename",
    "tokens_revoked",
    "url_verification",
    "user_huddle_changed",
    "user_profile_changed",
    "user_resource_denied",
    "user_resource_granted",
    "user_resource_removed",
    "user_status_changed",
];
