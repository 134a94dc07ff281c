//! People in Discord: they press what they see, type what an input takes, and read what is new to them.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};

use crate::discord::{
    bot::Bot,
    emulator::{
        components, draw,
        state::{BOT, GUILD, Message, State, kind, may},
    },
};

/// What a person has before them.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    /// How each message looked when they last looked, by channel and message.
    seen: BTreeMap<(u64, u64), String>,
    /// A form that is open.
    form: Option<Form>,
    /// What Discord itself told them.
    told: Vec<String>,
}

/// A form that is open, with what was entered.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) modal: Value,
    channel: u64,
    message: Option<u64>,
    /// By the id of the input.
    entered: BTreeMap<String, Vec<String>>,
    files: Vec<(u64, Value)>,
}

/// Somebody.
#[derive(Clone, Copy)]
pub(crate) struct Person<'a> {
    pub(crate) bot: &'a Bot,
    pub(crate) id: u64,
    /// The channel they look at; all of them where there is none.
    place: Option<u64>,
}

impl<'a> Person<'a> {
    pub(crate) fn new(bot: &'a Bot, id: u64) -> Self {
        Self { bot, id, place: None }
    }

    /// The same person, looking at one channel alone.
    pub(crate) fn at(self, name: &str) -> Self {
        let place = self.bot.discord.with(|state| {
            let named = |(id, channel): (&u64, &crate::discord::emulator::state::Channel)| {
                (channel.name == name).then_some(*id)
            };
            state.channels.iter().find_map(named)
        });
        Self { place: Some(place.unwrap_or_else(|| panic!("there is no #{name}"))), ..self }
    }

    /// Their direct conversation with the bot.
    pub(crate) fn at_direct(self) -> Self {
        let place = self.bot.discord.with(|state| {
            let is_it = |channel: &crate::discord::emulator::state::Channel| {
                channel.kind == kind::DIRECT && channel.people.contains(&self.id)
            };
            state.channels.iter().find(|(_, channel)| is_it(channel)).map(|(id, _)| *id)
        });
        Self { place: Some(place.expect("no direct conversation")), ..self }
    }

    /// The channel that they look at.
    pub(crate) fn channel(&self) -> u64 {
        self.place.expect("a channel")
    }

    fn channels(&self, state: &State) -> Vec<u64> {
        let all = state.channels.keys().copied();
        let all = all.filter(|id| self.place.is_none_or(|place| place == *id));
        all.filter(|id| state.permissions(self.id, *id) & may::VIEW != 0).collect()
    }

    fn sees(&self, message: &Message) -> bool {
        message.only_for.is_none_or(|only| only == self.id)
    }

    /// What is new since they last looked.
    pub(crate) fn news(&self) -> String {
        let mut out = String::new();
        let (drawn, names) = self.bot.discord.with(|state| {
            let mut drawn = BTreeMap::new();
            let mut names = BTreeMap::new();
            for channel in self.channels(state) {
                let here = &state.channels[&channel];
                names.insert(channel, name_of(here));
                for (id, message) in here.messages.iter().filter(|(_, m)| self.sees(m)) {
                    drawn.insert((channel, *id), draw_message(state, message));
                }
            }
            (drawn, names)
        });
        self.bot.desk(self.id, |desk| {
            let mut last = None;
            let mut line = |channel: u64, mark: &str, text: &str| {
                if last != Some(channel) {
                    let name = names.get(&channel).map_or("?", String::as_str);
                    writeln!(out, "{name}").unwrap();
                    last = Some(channel);
                }
                let text = text.trim_end().replace('\n', "\n      ");
                writeln!(out, "  {mark} {text}").unwrap();
            };
            for (at, text) in &drawn {
                match desk.seen.get(at) {
                    None => line(at.0, "+", text),
                    Some(before) if before != text => line(at.0, "~", text),
                    Some(_) => {}
                }
            }
            let is_here = |channel: u64| self.place.is_none_or(|place| place == channel);
            let gone = desk.seen.keys().filter(|at| is_here(at.0) && !drawn.contains_key(at));
            for at in gone.copied().collect::<Vec<_>>() {
                let before = desk.seen.remove(&at).unwrap();
                line(at.0, "-", before.lines().next().unwrap_or_default());
            }
            desk.seen.extend(drawn.clone());
            for told in desk.told.drain(..) {
                writeln!(out, "  ! {told}").unwrap();
            }
        });
        out
    }

    /// Everything that they see, oldest first.
    pub(crate) fn screen(&self) -> String {
        self.bot.discord.with(|state| {
            let mut drawn = String::new();
            for channel in self.channels(state) {
                let here = &state.channels[&channel];
                for message in here.messages.values().filter(|message| self.sees(message)) {
                    writeln!(drawn, "{}", draw_message(state, message).trim_end()).unwrap();
                }
            }
            drawn
        })
    }

    /// Waits until they see something.
    pub(crate) async fn comes_to_see(&self, words: &str) {
        self.bot.comes_to(words, || self.screen().contains(words)).await;
    }

    /// Uses the newest button of that label.
    pub(crate) async fn press(&self, label: &str) {
        let (channel, message, id) = self
            .find(|component| component["type"] == 2 && component["label"] == label)
            .unwrap_or_else(|| panic!("{} sees no [{label}]", self.id));
        let data = json!({ "custom_id": id, "component_type": 2 });
        self.interact(3, channel, Some(message), data).await;
    }

    /// The id of the newest button of that label.
    pub(crate) fn button(&self, label: &str) -> Option<(u64, u64, String)> {
        self.find(|component| component["type"] == 2 && component["label"] == label)
    }

    /// Uses a button that was there once.
    pub(crate) async fn press_again(&self, (channel, message, id): &(u64, u64, String)) {
        let data = json!({ "custom_id": id, "component_type": 2 });
        self.interact(3, *channel, Some(*message), data).await;
    }

    /// Picks options of the newest menu that has all of them.
    pub(crate) async fn pick(&self, labels: &[&str]) {
        let value = |component: &Value, label: &str| {
            let options = component["options"].as_array().cloned().unwrap_or_default();
            let found = options.into_iter().find(|option| option["label"] == label)?;
            found["value"].as_str().map(str::to_owned)
        };
        let mut values = Vec::new();
        let found = self.find(|component| {
            let picked: Option<Vec<String>> =
                labels.iter().map(|label| value(component, label)).collect();
            let is_it = component["type"] == 3 && picked.is_some();
            if is_it && values.is_empty() {
                values = picked.unwrap_or_default();
            }
            is_it
        });
        let (channel, message, id) = found.unwrap_or_else(|| panic!("no menu with {labels:?}"));
        let data = json!({ "custom_id": id, "component_type": 3, "values": values });
        self.interact(3, channel, Some(message), data).await;
    }

    /// The newest component of a message that they see for which something holds.
    fn find(&self, mut is_it: impl FnMut(&Value) -> bool) -> Option<(u64, u64, String)> {
        self.bot.discord.with(|state| {
            let mut messages: Vec<(u64, u64, Value)> = Vec::new();
            for channel in self.channels(state) {
                for (id, message) in &state.channels[&channel].messages {
                    if self.sees(message) {
                        messages.push((*id, channel, message.body["components"].clone()));
                    }
                }
            }
            messages.sort_by_key(|(id, ..)| std::cmp::Reverse(*id));
            for (id, channel, body) in &messages {
                let body = body.as_array().cloned().unwrap_or_default();
                for component in components::all(&body) {
                    if let Some(own) = component["custom_id"].as_str()
                        && component["disabled"] != true
                        && is_it(component)
                    {
                        return Some((*channel, *id, own.to_owned()));
                    }
                }
            }
            None
        })
    }

    /// A slash command: `/onboard start`, with options.
    pub(crate) async fn command(&self, words: &str, options: &[(&str, Value)]) {
        let channel = self.place.expect("a command is typed somewhere");
        let mut path = words.trim_start_matches('/').split(' ');
        let name = path.next().unwrap();
        let mut resolved = json!({});
        let mut given = Vec::new();
        for (name, value) in options {
            let (kind, value) = match value {
                Value::Object(file) => {
                    let id = file["id"].as_str().unwrap().to_owned();
                    resolved["attachments"][&id] = value.clone();
                    (11, json!(id))
                }
                Value::Number(user) => (6, json!(user.to_string())),
                value => (3, value.clone()),
            };
            given.push(json!({ "name": name, "type": kind, "value": value }));
        }
        let mut data = json!({ "id": "1", "name": name, "type": 1, "options": given });
        let registered = self.bot.discord.with(|state| state.commands.clone());
        let known = registered.iter().find(|command| command["name"] == name);
        let known = known.unwrap_or_else(|| panic!("there is no command /{name}"));
        if let Some(sub) = path.next() {
            let subs = known["options"].as_array().unwrap();
            assert!(subs.iter().any(|known| known["name"] == sub), "no {sub}");
            data["options"] = json!([{ "name": sub, "type": 1, "options": given }]);
        }
        data["resolved"] = resolved;
        self.interact(2, channel, None, data).await;
    }

    /// A command of the context menu of a user.
    pub(crate) async fn on_user(&self, name: &str, user: u64) {
        let channel = self.place.expect("a command is used somewhere");
        let data = json!({ "id": "1", "name": name, "type": 2, "target_id": user.to_string() });
        self.interact(2, channel, None, data).await;
    }

    /// A command of the context menu of a message of theirs.
    pub(crate) async fn on_message(&self, name: &str, message: u64) {
        let channel = self.place.expect("a command is used somewhere");
        let target = self.bot.discord.with(|state| {
            let mut target = state.channels[&channel].messages[&message].body.clone();
            let author = state.channels[&channel].messages[&message].author;
            target["id"] = message.to_string().into();
            target["channel_id"] = channel.to_string().into();
            target["author"] = user_json(state, author);
            target
        });
        let id = message.to_string();
        let data = json!({ "id": "1", "name": name, "type": 3, "target_id": id,
            "resolved": { "messages": { id.clone(): target } } });
        self.interact(2, channel, None, data).await;
    }

    /// The form that is open, drawn.
    pub(crate) fn form(&self) -> String {
        self.bot.desk(self.id, |desk| match &desk.form {
            Some(form) => draw::modal(&form.modal),
            None => "no form".to_owned(),
        })
    }

    /// The form that is open, as a second device would have it still when the first has sent it.
    pub(crate) fn open_form(&self) -> Form {
        self.bot.desk(self.id, |desk| desk.form.clone()).expect("no form is open")
    }

    /// Turns to a form that was opened before.
    pub(crate) fn turns_to(&self, form: Form) {
        self.bot.desk(self.id, |desk| desk.form = Some(form));
    }

    /// Enters something into the form that is open.
    pub(crate) fn fill(&self, label: &str, value: &str) {
        self.enter(label, |component| {
            let Some(options) = component["options"].as_array() else {
                let most = component["max_length"].as_u64().unwrap_or(4_000);
                assert!(value.chars().count() as u64 <= most, "{value} is too long for {label}");
                return vec![value.to_owned()];
            };
            let is_it = |option: &&Value| option["label"] == value;
            let option = options.iter().find(is_it).unwrap_or_else(|| panic!("no {value}"));
            vec![option["value"].as_str().unwrap().to_owned()]
        });
    }

    fn enter(&self, label: &str, values: impl FnOnce(&Value) -> Vec<String>) {
        self.bot.desk(self.id, |desk| {
            let form = desk.form.as_mut().expect("no form is open");
            let labels = form.modal["components"].as_array().unwrap();
            let found = labels.iter().find(|component| component["label"] == label);
            let found =
                found.unwrap_or_else(|| panic!("no {label} in {}", draw::modal(&form.modal)));
            let component = &found["component"];
            let id = component["custom_id"].as_str().unwrap().to_owned();
            form.entered.insert(id, values(component));
        });
    }

    /// Puts a file into the form that is open.
    pub(crate) fn attach(&self, file: &Value) {
        self.bot.desk(self.id, |desk| {
            let form = desk.form.as_mut().expect("no form is open");
            let id = file["id"].as_str().unwrap().parse().unwrap();
            form.files.push((id, file.clone()));
        });
    }

    /// Sends the form.
    pub(crate) async fn submit(&self) {
        let form = self.bot.desk(self.id, |desk| desk.form.take()).expect("no form is open");
        let mut resolved = json!({});
        let labels = form.modal["components"].as_array().cloned().unwrap_or_default();
        let sent: Vec<Value> = labels
            .iter()
            .map(|label| {
                let component = &label["component"];
                if !component.is_object() {
                    return json!({ "type": label["type"], "id": label["id"] });
                }
                let id = component["custom_id"].as_str().unwrap();
                let kind = component["type"].as_u64().unwrap();
                let mut inner = json!({ "type": kind, "custom_id": id });
                let entered = form.entered.get(id).cloned();
                if kind == 4 {
                    let stands = component["value"].as_str().unwrap_or_default().to_owned();
                    let value = entered.and_then(|values| values.first().cloned());
                    inner["value"] = value.unwrap_or(stands).into();
                } else if kind == 19 {
                    let ids: Vec<String> =
                        form.files.iter().map(|(id, _)| id.to_string()).collect();
                    inner["values"] = json!(ids);
                } else {
                    let stands = || {
                        let options = component["options"].as_array().into_iter().flatten();
                        let picked = options.filter(|option| option["default"] == true);
                        picked.filter_map(|o| o["value"].as_str().map(str::to_owned)).collect()
                    };
                    let values: Vec<String> = entered.unwrap_or_else(stands);
                    if kind == 21 {
                        inner["value"] = values.first().map_or(Value::Null, |v| json!(v));
                    } else {
                        inner["values"] = json!(values);
                    }
                }
                json!({ "type": 18, "component": inner })
            })
            .collect();
        for (id, file) in &form.files {
            resolved["attachments"][id.to_string()] = file.clone();
        }
        let data = json!({ "custom_id": form.modal["custom_id"], "components": sent, "resolved": resolved });
        self.interact(5, form.channel, form.message, data).await;
    }

    /// Writes in the channel they look at.
    pub(crate) async fn write(&self, text: &str) -> u64 {
        self.send(text, None, Vec::new()).await
    }

    /// Replies, with a ping, to the newest message of the bot that they see there.
    pub(crate) async fn reply(&self, text: &str) -> u64 {
        let channel = self.place.expect("people write somewhere");
        let to = self.bot.discord.with(|state| {
            let messages = state.channels[&channel].messages.iter();
            let of_bot = messages.filter(|(_, m)| m.author == BOT && m.only_for.is_none());
            of_bot.map(|(id, _)| *id).max()
        });
        self.send(text, to, Vec::new()).await
    }

    /// Replies, with a ping, to a message.
    pub(crate) async fn reply_to(&self, message: u64, text: &str) -> u64 {
        self.send(text, Some(message), Vec::new()).await
    }

    /// Sends files.
    pub(crate) async fn drop_files(&self, text: &str, files: Vec<Value>) -> u64 {
        self.send(text, None, files).await
    }

    async fn send(&self, text: &str, answers: Option<u64>, files: Vec<Value>) -> u64 {
        let channel = self.place.expect("people write somewhere");
        let (id, data) = self.bot.discord.with(|state| {
            let is_thread = state.channels[&channel].is_thread();
            let needed = if is_thread { may::SEND_IN_THREADS } else { may::SEND };
            assert_ne!(state.permissions(self.id, channel) & needed, 0, "they may not write there");
            let id = state.snowflake();
            let guild = state.channels[&channel].guild;
            let is_readable = guild.is_none() || answers.is_some() || self.bot.reads_all();
            let mut body = json!({ "type": if answers.is_some() { 19 } else { 0 },
                "content": text, "attachments": files, "mentions": [] });
            if let Some(answers) = answers {
                body["message_reference"] = json!({ "message_id": answers.to_string() });
                body["mentions"] = json!([user_json(state, BOT)]);
            }
            let message =
                Message { author: self.id, body: body.clone(), only_for: None, is_edited: false };
            let here = state.channels.get_mut(&channel).unwrap();
            here.is_archived = false;
            here.messages.insert(id, message);
            // Without the privileged intent nobody's words are told that are not for the bot.
            if !is_readable {
                body["content"] = "".into();
                body["attachments"] = json!([]);
            }
            body["id"] = id.to_string().into();
            body["channel_id"] = channel.to_string().into();
            body["author"] = user_json(state, self.id);
            if let Some(guild) = guild {
                body["guild_id"] = guild.to_string().into();
                body["member"] = member_json(state, self.id, None);
            }
            (id, body)
        });
        // One's own words are no news.
        let drawn = self
            .bot
            .discord
            .with(|state| draw_message(state, &state.channels[&channel].messages[&id]));
        self.bot.desk(self.id, |desk| desk.seen.insert((channel, id), drawn));
        self.bot.tell("MESSAGE_CREATE", data).await;
        id
    }

    /// Does something that the bot must answer.
    async fn interact(&self, kind: u8, channel: u64, message: Option<u64>, data: Value) {
        let token = self.bot.discord.with(|state| {
            assert!(
                kind != 2 || !state.channels[&channel].is_archived,
                "nobody can use a command in an archived thread"
            );
            state.interact(kind, self.id, channel, message).1
        });
        self.bot.ask(&token, &data).await;
        let answered = self.bot.discord.with(|state| state.interactions[&token].clone());
        self.bot.desk(self.id, |desk| match (answered.answer, answered.modal) {
            (None, _) => desk.told.push("This interaction failed".to_owned()),
            (Some(_), Some(modal)) => {
                let (entered, files) = (BTreeMap::new(), Vec::new());
                desk.form = Some(Form { modal, channel, message, entered, files });
            }
            (Some(_), None) => {}
        });
    }
}

fn name_of(channel: &crate::discord::emulator::state::Channel) -> String {
    match channel.kind {
        kind::DIRECT => "@Anteroom".to_owned(),
        _ if channel.is_archived => format!("#{} (archived)", channel.name),
        _ => format!("#{}", channel.name),
    }
}

fn draw_message(state: &State, message: &Message) -> String {
    let author = &state.users[&message.author].name;
    let author = if message.author == BOT { "Anteroom" } else { author };
    let only = if message.only_for.is_some() { " (only you)" } else { "" };
    let edited = if message.is_edited && message.only_for.is_none() { " (edited)" } else { "" };
    let mut text = draw::message(&message.body);
    for file in message.body["attachments"].as_array().into_iter().flatten() {
        writeln!(text, "📎 {}", file["filename"].as_str().unwrap_or("?")).unwrap();
    }
    format!("{author}{only}{edited}: {}", named(state, text.trim_end()))
}

/// Names for what stands for people, roles and channels.
fn named(state: &State, text: &str) -> String {
    let mut text = text.to_owned();
    for (id, user) in &state.users {
        text = text.replace(&format!("<@{id}>"), &format!("@{}", user.name));
    }
    for (id, role) in &state.guilds[&GUILD].roles {
        text = text.replace(&format!("<@&{id}>"), &format!("@{}", role.name));
    }
    for (id, channel) in &state.channels {
        text = text.replace(&format!("<#{id}>"), &format!("#{}", channel.name));
    }
    // What is not there any more has no name.
    while let Some(start) = text.find("<#") {
        let end = text[start..].find('>').map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "#unknown");
    }
    text
}

fn user_json(state: &State, id: u64) -> Value {
    let name = &state.users[&id].name;
    json!({ "id": id.to_string(), "username": name.to_lowercase(), "global_name": name, "bot": id == BOT })
}

pub(crate) fn member_json(state: &State, id: u64, channel: Option<u64>) -> Value {
    let guild = &state.guilds[&GUILD];
    let member = guild.members.get(&id).cloned().unwrap_or_default();
    let roles: Vec<String> = member.roles.iter().map(u64::to_string).collect();
    let mut json = json!({ "roles": roles, "pending": member.is_pending, "nick": null,
        "flags": member.flags, "user": user_json(state, id) });
    if let Some(channel) = channel {
        json["permissions"] = state.permissions(id, channel).to_string().into();
    }
    json
}
