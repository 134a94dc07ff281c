//! Raw JSON from Slack as [`super::inbound`]. Pure.
//!
//! Whatever comes is read: what is missing is empty, what is of another type counts as missing, and what is not known
//! has a name under which it is counted. Words and files are never dropped because something beside them is odd;
//! typed models of Slack's payloads do just that.

mod event;
mod file;
mod interaction;
pub mod text;

use serde_json::{Map, Value};

use super::inbound::{Actor, Command, Envelope, Incoming, Workspace};
use crate::chat::raw::{self, first, flag, key, text_at};

/// An event, with what is around it: the payload of `events_api`, or the body of a request.
pub fn event(payload: &Value) -> Envelope {
    event::read(payload)
}

/// An interaction: the payload of `interactive`, or the field `payload` of a form.
pub fn interaction(payload: &Value) -> Envelope {
    interaction::read(payload)
}

/// A slash command: the payload of `slash_commands`, or the fields of a form.
pub fn command(fields: &Value) -> Envelope {
    let workspace = workspace(fields);
    if fields.get("command").is_none() {
        let kind = if fields.get("ssl_check").is_some() { "ssl_check" } else { "command" };
        return Envelope {
            key: key(&["cmd"], fields),
            workspace,
            what: if kind == "ssl_check" { ignored(kind) } else { unknown(kind) },
        };
    }
    let trigger_id = text_at(fields, "/trigger_id");
    let by = Actor {
        user: text_at(fields, "/user_id"),
        // Slack does not say it; a guest of Slack Connect cannot use commands of an app that is not theirs.
        team: text_at(fields, "/team_id"),
        name: text_at(fields, "/user_name"),
    };
    let key = key(&["cmd", &trigger_id], fields);
    let command = Command {
        by,
        name: text_at(fields, "/command"),
        text: text_at(fields, "/text"),
        channel: text_at(fields, "/channel_id"),
        trigger_id,
        response_url: text_at(fields, "/response_url"),
    };
    Envelope { key, workspace, what: Incoming::Command(command) }
}

/// The fields of a form as one JSON object.
pub fn form(fields: impl IntoIterator<Item = (String, String)>) -> Value {
    let fields = fields.into_iter().map(|(name, value)| (name, Value::String(value)));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// The workspace it is for, by the rule of Slack's own library Bolt: a view that was opened across a shared channel
/// says where the app is installed; with an installation for a whole organisation `team` is null.
fn workspace(payload: &Value) -> Workspace {
    let teams = [
        "/view/app_installed_team_id",
        "/team",
        "/team/id",
        "/authorizations/0/team_id",
        "/team_id",
        "/event/team",
        "/event/team_id",
        "/user/team_id",
        "/view/team_id",
        "/message/team",
    ];
    let enterprises = [
        "/enterprise",
        "/enterprise/id",
        "/authorizations/0/enterprise_id",
        "/enterprise_id",
        "/team/enterprise_id",
        "/event/enterprise",
    ];
    let enterprise = first(payload, &enterprises);
    Workspace {
        team: first(payload, &teams),
        enterprise: (!enterprise.is_empty()).then_some(enterprise),
        is_enterprise_install: flag(payload, "/is_enterprise_install")
            || flag(payload, "/authorizations/0/is_enterprise_install"),
    }
}

fn ignored(kind: &str) -> Incoming {
    Incoming::Ignored { kind: raw::kind(kind) }
}

fn unknown(kind: &str) -> Incoming {
    Incoming::Unknown { kind: raw::kind(kind) }
}
