//! What Slack remembers.
#![expect(clippy::format_push_string, reason = "reads better, and is fast enough for tests")]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use anteroom::base::clock::Clock;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{
    APP, APP_TOKEN, BOT_TOKEN, BOT_USER, Settings, TEAM,
    args::No,
    draw,
    faults::Faults,
    wire::{Delivery, Push},
};

/// How long a stream lives.
const STREAM_LIFE: TimeDelta = TimeDelta::minutes(5);

/// How long a trigger lives.
const TRIGGER_LIFE: TimeDelta = TimeDelta::seconds(3);

/// A workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Team {
    pub(crate) name: String,
    pub(crate) domain: String,
    pub(crate) enterprise: Option<String>,
    /// The app is installed.
    pub(crate) installed: bool,
    /// The organisation's installation may not work here.
    pub(crate) withheld: bool,
}

/// A person or a bot.
#[expect(clippy::struct_excessive_bools, reason = "Slack's own")]
#[derive(Debug, Clone, Default)]
pub(crate) struct User {
    pub(crate) team: String,
    pub(crate) handle: String,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) phone: String,
    pub(crate) title: String,
    pub(crate) tz: String,
    pub(crate) is_bot: bool,
    pub(crate) is_admin: bool,
    /// A guest of several channels.
    pub(crate) is_restricted: bool,
    /// A guest of one channel.
    pub(crate) is_ultra_restricted: bool,
    /// Of another company.
    pub(crate) is_stranger: bool,
    pub(crate) deleted: bool,
    /// Apps cannot write to them.
    pub(crate) closed: bool,
}

/// What a channel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Public,
    Private,
    Direct,
}

/// A channel or a direct conversation.
#[derive(Debug, Clone)]
pub(crate) struct Channel {
    pub(crate) id: String,
    pub(crate) team: String,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) members: BTreeSet<String>,
    pub(crate) archived: bool,
    /// Threads that an administrator has locked.
    pub(crate) locked: BTreeSet<String>,
    /// By their timestamps.
    pub(crate) messages: BTreeMap<String, Message>,
}

/// A message.
#[derive(Debug, Clone, Default)]
pub(crate) struct Message {
    pub(crate) ts: String,
    pub(crate) thread: Option<String>,
    pub(crate) user: String,
    pub(crate) text: String,
    /// As the app gave them, or null.
    pub(crate) blocks: Value,
    pub(crate) metadata: Value,
    pub(crate) is_edited: bool,
    pub(crate) files: Vec<String>,
    /// Until then nobody is shown it.
    pub(crate) shown_from: Option<DateTime<Utc>>,
    /// Seen by one person only.
    pub(crate) only_for: Option<String>,
    /// When its stream began, while it lasts.
    pub(crate) stream: Option<DateTime<Utc>>,
    pub(crate) reactions: Vec<(String, String)>,
}

/// A file.
#[derive(Debug, Clone, Default)]
pub(crate) struct File {
    pub(crate) id: String,
    pub(crate) team: String,
    pub(crate) user: String,
    pub(crate) name: String,
    pub(crate) mimetype: String,
    pub(crate) bytes: Vec<u8>,
    /// Lies elsewhere.
    pub(crate) is_external: bool,
    /// Was taken away.
    pub(crate) is_tombstone: bool,
    /// Only `files.info` says where it is.
    pub(crate) is_connect: bool,
    /// The channel it was shared to, once it is complete.
    pub(crate) channel: Option<String>,
}

/// What inputs hold: by block, then action.
pub(crate) type Values = BTreeMap<String, BTreeMap<String, Value>>;

/// A view.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    pub(crate) id: String,
    pub(crate) team: String,
    pub(crate) user: String,
    pub(crate) hash: String,
    /// As the app gave it.
    pub(crate) body: Value,
    /// What the person has entered: by block, then action.
    pub(crate) values: Values,
    /// What is wrong, by block.
    pub(crate) errors: BTreeMap<String, String>,
    pub(crate) previous: Option<String>,
    pub(crate) root: String,
}

/// What opens a view.
#[derive(Debug, Clone)]
struct Trigger {
    user: String,
    team: String,
    at: DateTime<Utc>,
    is_used: bool,
    /// The view it was used in.
    view: Option<String>,
}

/// A token.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) team: String,
    pub(crate) scopes: BTreeSet<String>,
    pub(crate) is_app: bool,
    pub(crate) is_org: bool,
    pub(crate) is_revoked: bool,
    /// What every call with it is answered, while that lasts.
    pub(crate) refused: Option<&'static str>,
    pub(crate) expires: Option<DateTime<Utc>>,
}

/// What an agent's session shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Session {
    pub(crate) status: String,
    pub(crate) title: String,
    /// What the assistant is doing, until it posts.
    pub(crate) doing: String,
}

/// Answers one person without a token.
#[derive(Debug, Clone)]
pub(crate) struct ResponseUrl {
    pub(crate) user: String,
    pub(crate) channel: String,
    pub(crate) message: Option<String>,
    pub(crate) thread: Option<String>,
    pub(crate) at: DateTime<Utc>,
    pub(crate) uses: u32,
}

/// A call of the Web API, as it came and as it was answered.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) body: Value,
    pub(crate) status: u16,
    pub(crate) answer: Value,
    /// When it was answered, on the clock on the wall.
    pub(crate) at: Instant,
}

/// Everything.
#[expect(clippy::struct_excessive_bools, reason = "switches that tests turn")]
pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) clock: Arc<dyn Clock>,
    /// Characters that the words of a message may have.
    pub(crate) text_max: usize,
    /// How long after an upload is complete its message is there.
    pub(crate) shares_after: TimeDelta,
    /// `http://127.0.0.1:1`
    pub(crate) base: String,
    pub(crate) teams: BTreeMap<String, Team>,
    pub(crate) users: BTreeMap<String, User>,
    pub(crate) groups: BTreeMap<String, (String, Vec<String>)>,
    pub(crate) channels: BTreeMap<String, Channel>,
    pub(crate) tokens: BTreeMap<String, Token>,
    /// Authorisation codes and refresh tokens, each good once: what they stand for.
    pub(crate) grants: BTreeMap<String, (String, bool)>,
    /// Installations hand out tokens that expire.
    pub(crate) rotates: bool,
    /// Whoever agrees does so for the whole organisation.
    pub(crate) org_installs: bool,
    pub(crate) files: BTreeMap<String, File>,
    pub(crate) views: BTreeMap<String, View>,
    /// What each person has open, lowest first.
    pub(crate) stacks: BTreeMap<String, Vec<String>>,
    pub(crate) homes: BTreeMap<String, String>,
    /// What each person has entered into the elements of a message.
    pub(crate) entered: BTreeMap<(String, String), Values>,
    triggers: BTreeMap<String, Trigger>,
    pub(crate) response_urls: BTreeMap<String, ResponseUrl>,
    /// By channel and thread.
    pub(crate) sessions: BTreeMap<(String, String), Session>,
    /// Prompts suggested in a conversation.
    pub(crate) prompts: BTreeMap<String, Vec<(String, String)>>,
    pub(crate) faults: Faults,
    pub(crate) calls: Vec<Call>,
    /// What was sent to the bot.
    pub(crate) deliveries: Vec<Delivery>,
    /// What is to be sent.
    pub(crate) outbox: Vec<Push>,
    /// Events wait in the outbox.
    pub(crate) held: bool,
    /// Sockets cannot be opened.
    pub(crate) sockets_off: bool,
    /// `ws://127.0.0.1:1`
    pub(crate) sockets_at: String,
    /// Each opens one socket.
    pub(crate) tickets: BTreeSet<String>,
    /// What each person saw at their last look, by place.
    pub(crate) seen: BTreeMap<(String, String), BTreeMap<String, String>>,
    /// What somebody was told about a click or a command that nobody took.
    pub(crate) warnings: BTreeMap<String, Vec<String>>,
    pub(crate) rates: BTreeMap<String, (f64, Instant)>,
    numbers: u64,
}

impl State {
    /// Example Ltd with Ada (a candidate), Grace and Linus (recruiters), Mallory (nobody), a guest and a stranger; the
    /// channels `general`, `recruiting-approvals` and `recruiting-desk`, of which the last two are private.
    #[expect(clippy::too_many_lines, reason = "everything that there is, and a company")]
    pub(crate) fn seeded(settings: Settings, base: &str) -> Self {
        let clock = Arc::clone(&settings.clock);
        let bot = Token {
            team: TEAM.to_owned(),
            scopes: settings.scopes.clone(),
            is_app: false,
            is_org: false,
            is_revoked: false,
            refused: None,
            expires: None,
        };
        let app = Token {
            is_app: true,
            scopes: ["connections:write", "authorizations:read"].map(str::to_owned).into(),
            ..bot.clone()
        };
        let mut state = Self {
            settings,
            clock,
            text_max: 40_000,
            shares_after: TimeDelta::zero(),
            base: base.to_owned(),
            teams: BTreeMap::new(),
            users: BTreeMap::new(),
            groups: BTreeMap::new(),
            channels: BTreeMap::new(),
            tokens: BTreeMap::from([(BOT_TOKEN.to_owned(), bot), (APP_TOKEN.to_owned(), app)]),
            grants: BTreeMap::new(),
            rotates: false,
            org_installs: false,
            files: BTreeMap::new(),
            views: BTreeMap::new(),
            stacks: BTreeMap::new(),
            homes: BTreeMap::new(),
            entered: BTreeMap::new(),
            triggers: BTreeMap::new(),
            response_urls: BTreeMap::new(),
            sessions: BTreeMap::new(),
            prompts: BTreeMap::new(),
            faults: Faults::default(),
            calls: Vec::new(),
            deliveries: Vec::new(),
            outbox: Vec::new(),
            held: false,
            sockets_off: false,
            sockets_at: String::new(),
            tickets: BTreeSet::new(),
            seen: BTreeMap::new(),
            warnings: BTreeMap::new(),
            rates: BTreeMap::new(),
            numbers: 0,
        };
        let team = Team {
            name: "Example Ltd".to_owned(),
            domain: "acme".to_owned(),
            enterprise: None,
            installed: true,
            withheld: false,
        };
        state.teams.insert(TEAM.to_owned(), team);
        state.hire(BOT_USER, "Anteroom").is_bot = true;
        for (id, name) in [
            ("U0ADA", "Ada Byron"),
            ("U0GRACE", "Grace Hopper"),
            ("U0LINUS", "Linus Pauling"),
            ("U0MALLORY", "Mallory"),
        ] {
            state.hire(id, name);
        }
        state.hire("U0GUEST", "Gus Guest").is_ultra_restricted = true;
        let stranger = state.hire("U0STRANGER", "Stray Stranger");
        stranger.is_stranger = true;
        "T0OTHER".clone_into(&mut stranger.team);
        state
            .groups
            .insert("S0APPROVERS".to_owned(), ("approvers".to_owned(), vec!["U0GRACE".to_owned()]));
        let everybody: Vec<String> = state.users.keys().cloned().collect();
        let everybody: Vec<&str> = everybody.iter().map(String::as_str).collect();
        state.open_channel("C0GENERAL", "general", Kind::Public, &everybody);
        let recruiters = [BOT_USER, "U0GRACE", "U0LINUS", "U0MALLORY"];
        state.open_channel("C0APPROVALS", "recruiting-approvals", Kind::Private, &recruiters);
        state.open_channel("C0DESK", "recruiting-desk", Kind::Private, &recruiters);
        state
    }

    /// Adds a person to the first workspace; the handle is the first name in small letters.
    pub(crate) fn hire(&mut self, id: &str, name: &str) -> &mut User {
        let handle = name.split(' ').next().unwrap_or_default().to_lowercase();
        let user = User {
            team: TEAM.to_owned(),
            email: format!("{handle}@example.org"),
            handle,
            name: name.to_owned(),
            tz: "Europe/London".to_owned(),
            ..User::default()
        };
        self.users.insert(id.to_owned(), user);
        self.users.get_mut(id).unwrap()
    }

    pub(crate) fn open_channel(&mut self, id: &str, name: &str, kind: Kind, members: &[&str]) {
        let channel = Channel {
            id: id.to_owned(),
            team: TEAM.to_owned(),
            name: name.to_owned(),
            kind,
            members: members.iter().map(|member| (*member).to_owned()).collect(),
            archived: false,
            locked: BTreeSet::new(),
            messages: BTreeMap::new(),
        };
        self.channels.insert(id.to_owned(), channel);
    }

    /// The direct conversation of a person with the bot; opened if need be.
    pub(crate) fn direct(&mut self, user: &str) -> String {
        let id = format!("D{}", &user[1..]);
        if !self.channels.contains_key(&id) {
            self.open_channel(&id, user, Kind::Direct, &[user, BOT_USER]);
            let team = self.users.get(user).map_or(TEAM, |user| &user.team).to_owned();
            // A stranger's conversation belongs to the workspace of the app.
            let team = if self.teams.contains_key(&team) { team } else { TEAM.to_owned() };
            self.channels.get_mut(&id).unwrap().team = team;
        }
        id
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A number that nobody has had.
    pub(crate) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// An id that nobody has had.
    pub(crate) fn id(&mut self, letter: &str) -> String {
        format!("{letter}{:04}", self.number())
    }

    /// A timestamp that no message has.
    pub(crate) fn ts(&mut self) -> String {
        let number = self.number();
        format!("{}.{number:06}", self.now().timestamp())
    }

    pub(crate) fn channel(&self, id: &str) -> Result<&Channel, No> {
        self.channels.get(id).ok_or_else(|| "channel_not_found".into())
    }

    pub(crate) fn message(&self, channel: &str, ts: &str) -> Result<&Message, No> {
        let message = self.channel(channel)?.messages.get(ts);
        message
            .filter(|message| message.only_for.is_none())
            .ok_or_else(|| "message_not_found".into())
    }

    pub(crate) fn message_mut(&mut self, channel: &str, ts: &str) -> Result<&mut Message, No> {
        self.message(channel, ts)?;
        let channel = self.channels.get_mut(channel);
        channel
            .and_then(|channel| channel.messages.get_mut(ts))
            .ok_or_else(|| "message_not_found".into())
    }

    /// Puts a message into a channel and tells the app, if it may know.
    pub(crate) fn post(&mut self, channel: &str, mut message: Message) -> String {
        if message.ts.is_empty() {
            message.ts = self.ts();
        }
        let ts = message.ts.clone();
        let only_for = message.only_for.clone();
        if let Some(thread) = message.thread.clone()
            && let Some(session) = self.sessions.get_mut(&(channel.to_owned(), thread))
            && message.user == BOT_USER
        {
            session.doing.clear();
        }
        self.channels.get_mut(channel).unwrap().messages.insert(ts.clone(), message);
        if only_for.is_none() {
            self.tell_message(channel, &ts);
        }
        ts
    }

    /// A trigger of a person, perhaps in a view.
    pub(crate) fn trigger(&mut self, user: &str, view: Option<&str>) -> String {
        let number = self.number();
        let id = format!("{number}.{}.{:032x}", 7_890_123, u128::from(number) * 0x9e37_79b9);
        let team = self.team_of(user);
        let view = view.map(str::to_owned);
        let trigger = Trigger { user: user.to_owned(), team, at: self.now(), is_used: false, view };
        self.triggers.insert(id.clone(), trigger);
        id
    }

    /// Uses a trigger up: whose it is, their workspace, and the view it was used in.
    pub(crate) fn exchange(&mut self, id: &str) -> Result<(String, String, Option<String>), No> {
        let now = self.now();
        let trigger = self.triggers.get_mut(id).ok_or("invalid_trigger_id")?;
        if trigger.is_used {
            return Err("exchanged_trigger_id".into());
        }
        if now - trigger.at > TRIGGER_LIFE {
            return Err("expired_trigger_id".into());
        }
        trigger.is_used = true;
        Ok((trigger.user.clone(), trigger.team.clone(), trigger.view.clone()))
    }

    pub(crate) fn response_url(&mut self, at: ResponseUrl) -> String {
        let id = self.id("R");
        let url = format!("{}/response/{id}", self.base);
        self.response_urls.insert(id, at);
        url
    }

    /// The workspace in which a person meets the app.
    pub(crate) fn team_of(&self, user: &str) -> String {
        let team = self.users.get(user).map_or(TEAM, |user| user.team.as_str());
        if self.teams.contains_key(team) { team.to_owned() } else { TEAM.to_owned() }
    }

    /// Whether a channel can be seen from a workspace: it is one of it, or somebody of it is in it.
    pub(crate) fn is_shared(&self, channel: &str, team: &str) -> bool {
        self.channels.get(channel).is_some_and(|channel| {
            let mut members = channel.members.iter().filter_map(|member| self.users.get(member));
            channel.team == team || members.any(|user| user.team == team)
        })
    }

    /// Whether a stream still takes words.
    pub(crate) fn streams(&self, message: &Message) -> bool {
        message.stream.is_some_and(|began| self.now() - began < STREAM_LIFE)
    }

    /// Takes one from a bucket that fills with `per_second` up to `burst`; the seconds to wait where it is empty.
    pub(crate) fn take(&mut self, bucket: &str, per_second: f64, burst: f64) -> Result<(), u64> {
        let now = Instant::now();
        let (level, at) = self.rates.entry(bucket.to_owned()).or_insert((burst, now));
        *level = (*level + now.duration_since(*at).as_secs_f64() * per_second).min(burst);
        *at = now;
        if *level < 1.0 {
            let wait = Duration::from_secs_f64((1.0 - *level) / per_second);
            return Err(wait.as_secs() + 1);
        }
        *level -= 1.0;
        Ok(())
    }

    /// What the app may know of an event, to be sent.
    pub(crate) fn tell(&mut self, team: &str, name: &str, event: &Value) -> Option<String> {
        if !self.settings.events.contains(name) || !self.teams.get(team)?.installed {
            return None;
        }
        Some(self.tell_anyway(team, event))
    }

    /// Sends an event that nobody asked whether the app may know.
    pub(crate) fn tell_anyway(&mut self, team: &str, event: &Value) -> String {
        let id = self.id("Ev");
        let team = self.teams.get(team).map(|known| (team.to_owned(), known.enterprise.clone()));
        let (team, enterprise) = team.unwrap_or_else(|| (TEAM.to_owned(), None));
        let org = self.is_of_an_organisation(&team);
        let payload = json!({
            "token": "verification-token-of-old", "team_id": team, "enterprise_id": enterprise,
            "api_app_id": APP, "event": event, "type": "event_callback", "event_id": id,
            "event_time": self.now().timestamp(),
            "authorizations": [{
                "enterprise_id": enterprise, "team_id": team, "user_id": BOT_USER, "is_bot": true,
                "is_enterprise_install": org,
            }],
            "is_ext_shared_channel": false, "event_context": format!("4-{id}"),
        });
        self.outbox.push(Push::event(&id, payload));
        id
    }

    /// Whether the app is installed in a workspace for its whole organisation.
    pub(crate) fn is_of_an_organisation(&self, team: &str) -> bool {
        let enterprise = |team: &str| self.teams.get(team).and_then(|team| team.enterprise.clone());
        let own = enterprise(team);
        let mut tokens = self.tokens.values().filter(|token| token.is_org);
        tokens.any(|token| token.team == team || (own.is_some() && enterprise(&token.team) == own))
    }

    /// Archives a channel or brings it back, and tells the app, if it may know.
    pub(crate) fn archive(&mut self, channel: &str, archived: bool) {
        let ts = self.ts();
        let at = self.channels.get_mut(channel).unwrap();
        at.archived = archived;
        let (team, word) =
            (at.team.clone(), if at.kind == Kind::Public { "channel" } else { "group" });
        let name = format!("{word}_{}", if archived { "archive" } else { "unarchive" });
        let event = json!({ "type": name, "channel": channel, "user": "U0GRACE", "event_ts": ts });
        self.tell(&team, &name, &event);
    }

    /// Puts the bot out of a channel, or invites it again, and tells the app, if it may know.
    pub(crate) fn admit(&mut self, channel: &str, is_in: bool) {
        let ts = self.ts();
        let at = self.channels.get_mut(channel).unwrap();
        let team = at.team.clone();
        if is_in {
            at.members.insert(BOT_USER.to_owned());
        } else {
            at.members.remove(BOT_USER);
        }
        let name = if is_in { "member_joined_channel" } else { "member_left_channel" };
        let event = json!({ "type": name, "channel": channel, "user": BOT_USER, "event_ts": ts });
        self.tell(&team, name, &event);
    }

    /// Tells of a message that somebody wrote, in one or two events; the ids of the events.
    pub(crate) fn tell_message(&mut self, channel: &str, ts: &str) -> Vec<String> {
        let at = &self.channels[channel];
        if !at.members.contains(BOT_USER) {
            return Vec::new();
        }
        let (team, kind) = (at.team.clone(), at.kind);
        let message = &at.messages[ts];
        let mentions = message.text.contains(&format!("<@{BOT_USER}>")) && message.user != BOT_USER;
        let mut event = self.message_event(channel, message);
        let mut ids = Vec::new();
        if mentions && kind != Kind::Direct {
            let mut mention = event.clone();
            mention["type"] = "app_mention".into();
            mention.as_object_mut().unwrap().remove("subtype");
            mention.as_object_mut().unwrap().remove("channel_type");
            ids.extend(self.tell(&team, "app_mention", &mention));
        }
        event["channel_type"] = kind.channel_type().into();
        ids.extend(self.tell(&team, kind.event(), &event));
        ids
    }

    /// Tells of a message that was changed (`Some`) or deleted.
    pub(crate) fn tell_change(
        &mut self,
        channel: &str,
        before: &Message,
        after: Option<&Message>,
    ) -> Vec<String> {
        let at = &self.channels[channel];
        if !at.members.contains(BOT_USER) {
            return Vec::new();
        }
        let (team, kind) = (at.team.clone(), at.kind);
        let previous = self.message_json(before, channel);
        let message = after.map(|after| self.message_json(after, channel));
        let ts = self.ts();
        let mut event = json!({
            "type": "message", "channel": channel, "ts": ts, "event_ts": ts, "hidden": true,
            "channel_type": kind.channel_type(), "previous_message": previous,
        });
        if let Some(message) = message {
            event["subtype"] = "message_changed".into();
            event["message"] = message;
        } else {
            event["subtype"] = "message_deleted".into();
            event["deleted_ts"] = before.ts.clone().into();
        }
        self.tell(&team, kind.event(), &event).into_iter().collect()
    }

    /// Everything as text, for a test that fails.
    pub(crate) fn everything(&self) -> String {
        let mut text = String::new();
        for channel in self.channels.values().filter(|channel| !channel.messages.is_empty()) {
            text.push_str(&draw::channel(self, channel, None));
            text.push('\n');
        }
        for stack in self.stacks.values() {
            for view in stack {
                text.push_str(&draw::view(self, &self.views[view]));
            }
        }
        let calls = self.calls.iter().rev().take(12).rev();
        for call in calls {
            text.push_str(&format!(
                "{} {}\n",
                call.method,
                call.answer["error"].as_str().unwrap_or("ok")
            ));
        }
        text
    }
}

impl Kind {
    /// As events call it.
    pub(crate) fn channel_type(self) -> &'static str {
        match self {
            Self::Public => "channel",
            Self::Private => "group",
            Self::Direct => "im",
        }
    }

    /// The subscription that tells of its messages.
    pub(crate) fn event(self) -> &'static str {
        match self {
            Self::Public => "message.channels",
            Self::Private => "message.groups",
            Self::Direct => "message.im",
        }
    }

    /// The first word of the scopes that concern it.
    pub(crate) fn scope(self) -> &'static str {
        match self {
            Self::Public => "channels",
            Self::Private => "groups",
            Self::Direct => "im",
        }
    }
}
