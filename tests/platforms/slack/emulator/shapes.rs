//! What Slack's objects look like on the wire.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    APP, BOT_USER,
    state::{Channel, File, Kind, Message, State, User, View},
};

impl State {
    pub(crate) fn message_json(&self, message: &Message, channel: &str) -> Value {
        let mut json = json!({
            "type": "message", "user": message.user, "ts": message.ts, "text": message.text,
            "team": self.team_of(&message.user),
        });
        if message.user == BOT_USER {
            json["bot_id"] = "B0BOT".into();
            json["app_id"] = APP.into();
        } else {
            json["client_msg_id"] = format!("client-{}", message.ts).into();
        }
        if let Some(thread) = &message.thread {
            json["thread_ts"] = thread.clone().into();
            if let Some(root) = self.channels.get(channel).and_then(|at| at.messages.get(thread)) {
                json["parent_user_id"] = root.user.clone().into();
            }
        } else if let Some(at) = self.channels.get(channel) {
            let replies =
                at.messages.values().filter(|other| other.thread.as_deref() == Some(&message.ts));
            let users: Vec<&String> = replies.map(|reply| &reply.user).collect();
            if !users.is_empty() {
                json["thread_ts"] = message.ts.clone().into();
                json["reply_count"] = users.len().into();
                json["reply_users"] = json!(users.into_iter().collect::<BTreeSet<_>>());
            }
        }
        if message.user == "USLACKBOT" {
            json["subtype"] = "tombstone".into();
            json["hidden"] = true.into();
        }
        if message.blocks.is_array() {
            json["blocks"] = decorated(&message.blocks);
        }
        if message.is_edited {
            json["edited"] = json!({ "user": message.user, "ts": message.ts });
        }
        if message.metadata.is_object() {
            json["metadata"] = message.metadata.clone();
        }
        if !message.files.is_empty() {
            let files: Vec<Value> =
                message.files.iter().map(|id| self.file_json(&self.files[id])).collect();
            json["files"] = files.into();
            json["upload"] = false.into();
        }
        if message.stream.is_some() {
            json["streaming_state"] =
                if self.streams(message) { "in_progress" } else { "errored" }.into();
        }
        json
    }

    pub(crate) fn message_event(&self, channel: &str, message: &Message) -> Value {
        let mut event = self.message_json(message, channel);
        event["channel"] = channel.into();
        event["event_ts"] = message.ts.clone().into();
        if !message.files.is_empty() && message.user != BOT_USER {
            event["subtype"] = "file_share".into();
        }
        event
    }

    pub(crate) fn file_json(&self, file: &File) -> Value {
        if file.is_tombstone {
            return json!({ "id": file.id, "mode": "tombstone" });
        }
        if file.is_connect {
            return json!({ "id": file.id, "created": 1, "file_access": "check_file_info" });
        }
        self.whole_file_json(file)
    }

    pub(crate) fn whole_file_json(&self, file: &File) -> Value {
        let extension = file.name.rsplit_once('.').map_or("", |(_, extension)| extension);
        if file.is_external {
            return json!({
                "id": file.id, "created": 1, "name": file.name, "title": file.name, "mimetype": file.mimetype,
                "filetype": extension, "mode": "external", "is_external": true, "external_type": "gdrive",
                "size": 0, "user": file.user, "url_private": "https://drive.example.com/document",
            });
        }
        let url =
            format!("{}/files-pri/{}-{}/download/{}", self.base, file.team, file.id, file.name);
        json!({
            "id": file.id, "created": 1, "timestamp": 1, "name": file.name, "title": file.name,
            "mimetype": file.mimetype, "filetype": extension, "pretty_type": extension.to_uppercase(),
            "user": file.user, "user_team": file.team, "editable": false, "size": file.bytes.len(), "mode": "hosted",
            "is_external": false, "external_type": "", "is_public": false, "public_url_shared": false,
            "url_private": url.replace("/download/", "/"), "url_private_download": url,
            "permalink": format!("{}/files/{}/{}/{}", self.base, file.user, file.id, file.name),
            "file_access": "visible",
            "shares": { "private": self.shares_json(&file.id) },
        })
    }

    /// The messages in which a file was shared, by channel.
    fn shares_json(&self, file: &str) -> Value {
        let mut shares = json!({});
        for channel in self.channels.values() {
            let of_file = |message: &&Message| message.files.iter().any(|known| known == file);
            let found: Vec<Value> = channel
                .messages
                .values()
                .filter(of_file)
                .map(|message| json!({ "ts": message.ts }))
                .collect();
            if !found.is_empty() {
                shares[&channel.id] = found.into();
            }
        }
        shares
    }

    /// The person, as interactions name them.
    pub(crate) fn actor_json(&self, id: &str) -> Value {
        let user = &self.users[id];
        json!({ "id": id, "username": user.handle, "name": user.handle, "team_id": user.team })
    }

    /// The workspace, as interactions name it: nothing where the app is installed for the organisation.
    pub(crate) fn team_json(&self, team: &str) -> (Value, Value, bool) {
        let known = &self.teams[team];
        let enterprise =
            known.enterprise.as_ref().map(|id| json!({ "id": id, "name": "Example Group" }));
        let is_org = self.is_of_an_organisation(team);
        let json = if is_org { Value::Null } else { json!({ "id": team, "domain": known.domain }) };
        (json, enterprise.unwrap_or_default(), is_org)
    }
}

pub(crate) fn user_json(id: &str, user: &User, with_email: bool) -> Value {
    let (first, last) = user.name.split_once(' ').unwrap_or((&user.name, ""));
    let mut profile = json!({
        "title": user.title, "phone": user.phone, "skype": "", "real_name": user.name,
        "real_name_normalized": user.name, "display_name": "", "display_name_normalized": "",
        "first_name": first, "last_name": last, "status_text": "", "team": user.team,
    });
    if with_email {
        profile["email"] = user.email.clone().into();
    }
    let mut json = json!({
        "id": id, "team_id": user.team, "name": user.handle, "deleted": user.deleted, "real_name": user.name,
        "tz": user.tz, "tz_label": "Greenwich Mean Time", "tz_offset": 0, "profile": profile,
        "is_bot": user.is_bot, "is_app_user": false, "updated": 1,
    });
    if !user.deleted {
        json["is_admin"] = user.is_admin.into();
        json["is_owner"] = false.into();
        json["is_restricted"] = (user.is_restricted || user.is_ultra_restricted).into();
        json["is_ultra_restricted"] = user.is_ultra_restricted.into();
    }
    if user.is_stranger {
        json["is_stranger"] = true.into();
    }
    json
}

pub(crate) fn channel_json(channel: &Channel) -> Value {
    let mut json = json!({
        "id": channel.id, "created": 1, "is_archived": channel.archived, "is_im": channel.kind == Kind::Direct,
        "is_mpim": false, "is_private": channel.kind != Kind::Public, "context_team_id": channel.team,
    });
    if channel.kind == Kind::Direct {
        json["user"] = channel.name.clone().into();
    } else {
        json["name"] = channel.name.clone().into();
        json["is_channel"] = (channel.kind == Kind::Public).into();
        json["is_group"] = (channel.kind == Kind::Private).into();
        json["is_member"] = channel.members.contains(BOT_USER).into();
    }
    json
}

/// Blocks as Slack gives them back: each has an id.
fn decorated(blocks: &Value) -> Value {
    let mut blocks = blocks.clone();
    for (n, block) in blocks.as_array_mut().into_iter().flatten().enumerate() {
        if block["block_id"].as_str().is_none_or(str::is_empty) {
            block["block_id"] = format!("made-{n}").into();
        }
    }
    blocks
}

pub(crate) fn view_json(view: &View) -> Value {
    let mut json = view.body.clone();
    let map = json.as_object_mut().unwrap();
    for (name, empty) in [("private_metadata", ""), ("callback_id", ""), ("external_id", "")] {
        map.entry(name).or_insert_with(|| empty.into());
    }
    for name in ["clear_on_close", "notify_on_close"] {
        map.entry(name).or_insert(false.into());
    }
    for name in ["title", "submit", "close"] {
        map.entry(name).or_insert(Value::Null);
    }
    map.insert("blocks".to_owned(), decorated(&view.body["blocks"]));
    map.insert("id".to_owned(), view.id.clone().into());
    map.insert("team_id".to_owned(), view.team.clone().into());
    map.insert("hash".to_owned(), view.hash.clone().into());
    map.insert("state".to_owned(), json!({ "values": view.values }));
    map.insert("previous_view_id".to_owned(), json!(view.previous));
    map.insert("root_view_id".to_owned(), view.root.clone().into());
    map.insert("app_id".to_owned(), APP.into());
    map.insert("app_installed_team_id".to_owned(), view.team.clone().into());
    map.insert("bot_id".to_owned(), "B0BOT".into());
    json
}
