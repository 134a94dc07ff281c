//! A person at their screen: acts on what can be seen there, by its label; what is not there cannot be used.
#![expect(clippy::format_push_string, reason = "reads better, and is fast enough for tests")]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    APP, BOT_USER, Slack,
    blocks::view_problems,
    draw,
    shapes::view_json,
    state::{File, Kind, Message, ResponseUrl, State},
    wire::{Lost, Push},
};

/// Where a person looks.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// The conversation with the bot.
    Direct,
    /// A channel, by its name.
    Channel(String),
    /// The app's home.
    Home,
}

/// Somebody at a place; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    slack: Slack,
    pub(crate) user: String,
    place: Place,
}

/// An element that can be used.
#[derive(Debug, Clone)]
struct Found {
    /// The message; none in a view.
    ts: Option<String>,
    /// The view; none in a message.
    view: Option<String>,
    block: Value,
    element: Value,
}

impl Slack {
    /// A person, looking at the conversation with the bot.
    pub(crate) fn person(&self, user: &str) -> Person {
        Person { slack: self.clone(), user: user.to_owned(), place: Place::Direct }
    }
}

impl Person {
    /// The same person looking at a channel.
    pub(crate) fn at(&self, channel: &str) -> Self {
        Self { place: Place::Channel(channel.to_owned()), ..self.clone() }
    }

    /// The same person looking at the app's home.
    pub(crate) fn home(&self) -> Self {
        Self { place: Place::Home, ..self.clone() }
    }

    /// What the person sees: the conversation, and the form on top of it.
    pub(crate) fn screen(&self) -> String {
        self.slack.look(|state| self.drawn(state))
    }

    /// What is new here since the last look: messages that came (`+`), changed (`~`) or went (`-`), in their order, and
    /// the form on top.
    pub(crate) fn news(&self) -> String {
        self.slack.with(|state| {
            let channel = self.channel(state);
            let mut now = BTreeMap::new();
            for message in channel.iter().flat_map(|id| state.channels[id].messages.values()) {
                if self.sees_message(message) {
                    let indent = if message.thread.is_some() { "    " } else { "  " };
                    now.insert(message.ts.clone(), draw::message(state, message, indent));
                }
            }
            let key = (self.user.clone(), channel.unwrap_or_default());
            let before = state.seen.insert(key, now.clone()).unwrap_or_default();
            let mut text = String::new();
            let mut all: Vec<&String> = now.keys().chain(before.keys()).collect();
            all.sort();
            all.dedup();
            for ts in all {
                let (mark, drawn) = match (before.get(ts), now.get(ts)) {
                    (Some(before), Some(now)) if before == now => continue,
                    (Some(_), Some(now)) => ('~', now),
                    (None, Some(now)) => ('+', now),
                    (Some(before), None) => ('-', before),
                    (None, None) => continue,
                };
                text.push(mark);
                text.push_str(&drawn[1..]);
            }
            for view in state.stacks.get(&self.user).into_iter().flatten() {
                text.push_str(&draw::view(state, &state.views[view]));
            }
            for warning in state.warnings.remove(&self.user).into_iter().flatten() {
                text.push_str(&format!("⚠ {warning}\n"));
            }
            text
        })
    }

    /// What the person has open on top of everything.
    pub(crate) fn form(&self) -> String {
        self.slack.look(|state| {
            let top = state.stacks.get(&self.user).and_then(|stack| stack.last());
            top.map(|view| draw::view(state, &state.views[view])).unwrap_or_default()
        })
    }

    /// The newest message that the person sees here.
    pub(crate) fn last(&self) -> String {
        self.slack.look(|state| {
            let channel = self.channel(state);
            let channel = channel.and_then(|id| state.channels.get(&id));
            let mut messages =
                channel.into_iter().flat_map(|channel| channel.messages.values().rev());
            let seen = messages.find(|message| self.sees_message(message));
            seen.map(|message| draw::message(state, message, "")).unwrap_or_default()
        })
    }

    /// The message with these words.
    pub(crate) fn card(&self, words: &str) -> String {
        self.slack.look(|state| {
            let (_, message) = self.message_with(state, words).unwrap_or_else(|| {
                panic!("`{words}` is not there, on:\n{}", self.drawn(state));
            });
            draw::message(state, &message, "")
        })
    }

    fn drawn(&self, state: &State) -> String {
        let mut text = match &self.place {
            Place::Home => match state.homes.get(&self.user) {
                Some(view) => draw::view(state, &state.views[view]),
                None => "(nothing at home)\n".to_owned(),
            },
            Place::Direct | Place::Channel(_) => {
                let channel = self.channel(state).and_then(|id| state.channels.get(&id));
                channel.map_or_else(
                    || "(an empty conversation)\n".to_owned(),
                    |channel| draw::channel(state, channel, Some(&self.user)),
                )
            }
        };
        for view in state.stacks.get(&self.user).into_iter().flatten() {
            text.push_str(&draw::view(state, &state.views[view]));
        }
        for warning in state.warnings.get(&self.user).into_iter().flatten() {
            text.push_str(&format!("⚠ {warning}\n"));
        }
        text
    }

    /// Waits until these words can be read.
    pub(crate) async fn sees(&self, words: &str) {
        let what = format!("{} sees `{words}`", self.user);
        self.slack.until(&what, |state| self.drawn(state).contains(words).then_some(())).await;
    }

    /// Whether these words can be read now.
    pub(crate) fn can_see(&self, words: &str) -> bool {
        self.screen().contains(words)
    }

    /// Waits until something shows among the messages here, each as it is drawn, the newest last.
    pub(crate) async fn finds<T>(&self, what: &str, found: impl Fn(&[String]) -> Option<T>) -> T {
        let look = |state: &State| {
            let channel = self.channel(state)?;
            let messages = state.channels[&channel].messages.values();
            let drawn = messages
                .filter(|message| self.sees_message(message))
                .map(|message| draw::message(state, message, ""));
            found(&drawn.collect::<Vec<_>>())
        };
        self.slack.until(what, look).await
    }

    /// Waits until these words cannot be read any more.
    pub(crate) async fn sees_no_more(&self, words: &str) {
        let what = format!("`{words}` goes from {}'s screen", self.user);
        self.slack.until(&what, |state| (!self.drawn(state).contains(words)).then_some(())).await;
    }

    /// The place's id; none where the conversation was never opened.
    fn channel(&self, state: &State) -> Option<String> {
        match &self.place {
            Place::Direct | Place::Home => {
                let id = format!("D{}", &self.user[1..]);
                state.channels.contains_key(&id).then_some(id)
            }
            Place::Channel(name) => {
                let found = state.channels.values().find(|channel| channel.name == *name);
                let found = found.unwrap_or_else(|| panic!("there is no channel `{name}`"));
                let may = found.kind == Kind::Public || found.members.contains(&self.user);
                assert!(may, "{} is not in `{name}`", self.user);
                Some(found.id.clone())
            }
        }
    }

    fn opened(&self, state: &mut State) -> String {
        if self.place == Place::Direct {
            return state.direct(&self.user);
        }
        self.channel(state).unwrap()
    }

    fn sees_message(&self, message: &Message) -> bool {
        message.only_for.as_ref().is_none_or(|only| *only == self.user)
    }

    fn message_with(&self, state: &State, words: &str) -> Option<(String, Message)> {
        let channel = self.channel(state)?;
        let mut messages = state.channels[&channel].messages.values().rev();
        let found = messages.find(|message| {
            self.sees_message(message) && draw::message(state, message, "").contains(words)
        })?;
        Some((channel.clone(), found.clone()))
    }

    // ------------------------------------------------------------------ words

    /// Writes something that begins a thread.
    pub(crate) async fn say(&self, text: &str) -> String {
        self.send(text, None, Vec::new()).await
    }

    /// Writes in the thread of the newest message of the bot that has one, or under its newest message.
    pub(crate) async fn reply(&self, text: &str) -> String {
        let thread = self.thread();
        self.send(text, Some(thread), Vec::new()).await
    }

    /// Writes in the thread of the message with these words.
    pub(crate) async fn reply_to(&self, words: &str, text: &str) -> String {
        self.sees(words).await;
        let thread =
            self.slack.look(|state| self.message_with(state, words).map(|(_, found)| root(&found)));
        self.send(text, thread, Vec::new()).await
    }

    /// Drops a file into the thread of the bot's newest message, with words perhaps.
    pub(crate) async fn drop_file(&self, name: &str, bytes: &[u8], text: &str) -> String {
        let thread = self.thread();
        let file = self.slack.with(|state| state.keep(&self.user, name, bytes));
        self.send(text, Some(thread), vec![file]).await
    }

    fn thread(&self) -> String {
        self.slack.look(|state| {
            let channel = self.channel(state).unwrap_or_else(|| panic!("nothing to reply to"));
            let mut messages = state.channels[&channel].messages.values().rev();
            let last =
                messages.find(|message| message.user == BOT_USER && message.only_for.is_none());
            root(last.unwrap_or_else(|| panic!("nothing to reply to, on:\n{}", self.drawn(state))))
        })
    }

    async fn send(&self, text: &str, thread: Option<String>, files: Vec<String>) -> String {
        let ts = self.slack.with(|state| {
            let channel = self.opened(state);
            let text = escaped(state, text);
            let message =
                Message { user: self.user.clone(), text, thread, files, ..Message::default() };
            state.post(&channel, message)
        });
        self.slack.told_of(&ts).await;
        self.slack.rest().await;
        ts
    }

    /// Changes a message of one's own.
    pub(crate) async fn edit(&self, words: &str, text: &str) {
        self.slack.with(|state| {
            let (channel, before) = self.message_with(state, words).unwrap();
            let message = state.message_mut(&channel, &before.ts).unwrap();
            text.clone_into(&mut message.text);
            message.is_edited = true;
            let after = message.clone();
            state.tell_change(&channel, &before, Some(&after));
        });
        self.slack.delivered().await;
        self.slack.rest().await;
    }

    /// Deletes a message: one's own, or, as an administrator may, the bot's.
    pub(crate) async fn delete(&self, words: &str) {
        self.slack.with(|state| {
            let (channel, before) = self.message_with(state, words).unwrap();
            state.channels.get_mut(&channel).unwrap().messages.remove(&before.ts);
            state.tell_change(&channel, &before, None);
        });
        self.slack.delivered().await;
        self.slack.rest().await;
    }

    // ------------------------------------------------------------------ elements

    /// Presses a button, and says yes where it asks again. Waits for it to appear.
    pub(crate) async fn press(&self, label: &str) {
        self.try_press(label)
            .await
            .unwrap_or_else(|_| panic!("nobody took the click on `{label}`:\n{}", self.screen()));
    }

    /// The same where it may be that nobody takes it.
    pub(crate) async fn try_press(&self, label: &str) -> Result<(), Lost> {
        let found = self.find(label, |state, element| button_label(state, element) == label).await;
        let action = json!({ "type": "button", "text": found.element["text"], "value": found.element["value"] });
        self.act(&found, action).await
    }

    /// Presses a button in the message with these words.
    pub(crate) async fn press_on(&self, words: &str, label: &str) {
        let what = format!("`{label}` on `{words}`");
        let found = self
            .slack
            .until(&what, |state| {
                let (_, message) = self.message_with(state, words)?;
                let fits = |element: &Value| button_label(state, element) == label;
                in_blocks(&message.blocks, &fits)
                    .map(|found| Found { ts: Some(message.ts.clone()), ..found })
            })
            .await;
        let action = json!({ "type": "button", "text": found.element["text"], "value": found.element["value"] });
        self.act(&found, action).await.unwrap();
    }

    /// Whether such a button can be pressed now.
    pub(crate) fn has_button(&self, label: &str) -> bool {
        self.slack.look(|state| {
            self.seek(state, &|element| button_label(state, element) == label).is_some()
        })
    }

    /// Picks an option of a menu, a radio group or an overflow menu; ticks or unticks a box.
    pub(crate) async fn pick(&self, option: &str) {
        let found = self.find(option, |_, element| has_option(element, option)).await;
        self.pick_in(&found, option).await;
    }

    /// The same in the section with these words.
    pub(crate) async fn pick_beside(&self, words: &str, option: &str) {
        let what = format!("`{option}` beside `{words}`");
        let found = self
            .slack
            .until(&what, |state| {
                let beside =
                    |block: &Value| draw::words(state, &block["text"].to_string()).contains(words);
                let messages = self.candidates(state);
                messages.into_iter().find_map(|(place, blocks)| {
                    let blocks = blocks.as_array()?.iter().filter(|block| beside(block)).cloned();
                    let blocks = Value::Array(blocks.collect());
                    in_blocks(&blocks, &|element| has_option(element, option))
                        .map(|found| place.clone().with(found))
                })
            })
            .await;
        self.pick_in(&found, option).await;
    }

    async fn pick_in(&self, found: &Found, label: &str) {
        let kind = found.element["type"].as_str().unwrap_or_default().to_owned();
        let options = draw::options(&found.element);
        let option = options.into_iter().find(|option| option["text"]["text"] == label).unwrap();
        let action = if matches!(kind.as_str(), "checkboxes" | "multi_static_select") {
            let mut picked = self.slack.look(|state| self.held(state, found))["selected_options"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            match picked.iter().position(|other| *other == option) {
                Some(at) => drop(picked.remove(at)),
                None => picked.push(option),
            }
            json!({ "type": kind, "selected_options": picked })
        } else {
            json!({ "type": kind, "selected_option": option })
        };
        self.act(found, action).await.unwrap();
    }

    /// Answers a choice, be it shown as buttons or as a menu.
    pub(crate) async fn choose(&self, label: &str) {
        let fits = |_: &State, element: &Value| {
            (element["type"] == "button" && element["text"]["text"] == label)
                || has_option(element, label)
        };
        let found = self.find(label, fits).await;
        if found.element["type"] == "button" {
            self.press(label).await;
        } else {
            self.pick_in(&found, label).await;
        }
    }

    /// Picks a date in a date picker with this placeholder or in this action's block.
    pub(crate) async fn pick_date(&self, date: &str) {
        let found = self.find("a date picker", |_, element| element["type"] == "datepicker").await;
        self.act(&found, json!({ "type": "datepicker", "selected_date": date })).await.unwrap();
    }

    /// What an element holds now.
    fn held(&self, state: &State, found: &Found) -> Value {
        let (block, action) = (text(&found.block["block_id"]), text(&found.element["action_id"]));
        if let Some(view) = &found.view {
            return state.views[view]
                .values
                .get(&block)
                .and_then(|b| b.get(&action))
                .cloned()
                .unwrap_or_default();
        }
        let key = (found.ts.clone().unwrap_or_default(), self.user.clone());
        let held =
            state.entered.get(&key).and_then(|values| values.get(&block)?.get(&action)).cloned();
        held.unwrap_or_else(|| json!({ "selected_options": found.element["initial_options"] }))
    }

    /// Waits for an element, in the form on top or else in the newest message that has it.
    async fn find(&self, label: &str, fits: impl Fn(&State, &Value) -> bool) -> Found {
        let what = format!("{} can use `{label}`", self.user);
        self.slack.until(&what, |state| self.seek(state, &|element| fits(state, element))).await
    }

    fn seek(&self, state: &State, fits: &dyn Fn(&Value) -> bool) -> Option<Found> {
        let mut places = self.candidates(state).into_iter();
        places.find_map(|(place, blocks)| in_blocks(&blocks, fits).map(|found| place.with(found)))
    }

    /// What can be used: the form on top alone, else the messages, newest first, or the home.
    fn candidates(&self, state: &State) -> Vec<(At, Value)> {
        if let Some(top) = state.stacks.get(&self.user).and_then(|stack| stack.last()) {
            return vec![(
                At { ts: None, view: Some(top.clone()) },
                state.views[top].body["blocks"].clone(),
            )];
        }
        if self.place == Place::Home {
            let home = state.homes.get(&self.user);
            let home = home.map(|id| {
                (At { ts: None, view: Some(id.clone()) }, state.views[id].body["blocks"].clone())
            });
            return home.into_iter().collect();
        }
        let Some(channel) = self.channel(state) else { return Vec::new() };
        let messages = state.channels[&channel].messages.values().rev();
        let seen =
            messages.filter(|message| self.sees_message(message) && message.user == BOT_USER);
        seen.map(|message| {
            (At { ts: Some(message.ts.clone()), view: None }, message.blocks.clone())
        })
        .collect()
    }

    /// Uses an element.
    async fn act(&self, found: &Found, action: Value) -> Result<(), Lost> {
        let push = self.slack.with(|state| self.interaction(state, found, action));
        let id = push.id.clone();
        let sent = self.slack.send(push).await;
        if sent.is_err() {
            self.warn(&format!("{id}: this did not work"));
        }
        self.slack.rest().await;
        sent.map(drop)
    }

    fn warn(&self, warning: &str) {
        let warning = warning.split_once(": ").map_or(warning, |(_, words)| words).to_owned();
        self.slack.with(|state| state.warnings.entry(self.user.clone()).or_default().push(warning));
    }

    #[expect(clippy::too_many_lines, reason = "a long payload")]
    fn interaction(&self, state: &mut State, found: &Found, mut action: Value) -> Push {
        let (block_id, action_id) =
            (text(&found.block["block_id"]), text(&found.element["action_id"]));
        action["action_id"] = action_id.clone().into();
        action["block_id"] = block_id.clone().into();
        action["action_ts"] = state.ts().into();
        let mut held = action.clone();
        for name in ["action_id", "block_id", "action_ts"] {
            held.as_object_mut().unwrap().remove(name);
        }
        let holds = action["type"] != "button" && action["type"] != "overflow";
        let team = state.team_of(&self.user);
        let (team_json, enterprise, is_org) = state.team_json(&team);
        let trigger = state.trigger(&self.user, found.view.as_deref());
        let mut payload = json!({
            "type": "block_actions", "user": state.actor_json(&self.user), "api_app_id": APP,
            "token": "verification-token-of-old", "trigger_id": trigger, "team": team_json, "enterprise": enterprise,
            "is_enterprise_install": is_org, "actions": [action],
        });
        if let Some(id) = &found.view {
            if holds {
                let view = state.views.get_mut(id).unwrap();
                view.values.entry(block_id).or_default().insert(action_id, held);
            }
            let view = &state.views[id];
            payload["container"] = json!({ "type": "view", "view_id": id });
            payload["view"] = view_json(view);
            return Push { id: state.id("act"), kind: "interactive", payload, attempt: 0 };
        }
        let ts = found.ts.clone().unwrap();
        let channel = self.channel(state).unwrap();
        let key = (ts.clone(), self.user.clone());
        let values = state.entered.entry(key).or_default();
        if holds {
            values.entry(block_id).or_default().insert(action_id, held);
        }
        payload["state"] = json!({ "values": values });
        let message = state.channels[&channel].messages[&ts].clone();
        let is_ephemeral = message.only_for.is_some();
        let name = if state.channels[&channel].kind == Kind::Direct {
            "directmessage"
        } else {
            &state.channels[&channel].name
        };
        payload["channel"] = json!({ "id": channel, "name": name });
        payload["container"] = json!({
            "type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": is_ephemeral,
        });
        if let Some(thread) = &message.thread {
            payload["container"]["thread_ts"] = thread.clone().into();
        }
        if !is_ephemeral {
            payload["message"] = state.message_json(&message, &channel);
        }
        let at = state.now();
        payload["response_url"] = state
            .response_url(ResponseUrl {
                user: self.user.clone(),
                channel,
                message: Some(ts),
                thread: message.thread,
                at,
                uses: 0,
            })
            .into();
        Push { id: state.id("act"), kind: "interactive", payload, attempt: 0 }
    }

    // ------------------------------------------------------------------ forms

    /// Enters something into the input with this label, as its kind wants it: words, a date, the label of an option,
    /// labels of options with `; ` between them.
    pub(crate) async fn fill(&self, label: &str, value: &str) {
        let found = self.input(label).await;
        let kind = text(&found.element["type"]);
        let option = |label: &str| {
            let options = draw::options(&found.element);
            let found = options.into_iter().find(|option| option["text"]["text"] == label);
            found.unwrap_or_else(|| panic!("there is no option `{label}`, on:\n{}", self.screen()))
        };
        let mut held = match kind.as_str() {
            "static_select" | "radio_buttons" => json!({ "selected_option": option(value) }),
            "multi_static_select" | "checkboxes" => {
                let picked: Vec<Value> =
                    value.split("; ").filter(|label| !label.is_empty()).map(option).collect();
                json!({ "selected_options": picked })
            }
            "datepicker" => json!({ "selected_date": value }),
            "timepicker" => json!({ "selected_time": value }),
            "users_select" => json!({ "selected_user": value }),
            "file_input" => panic!("`{label}` takes files: attach them"),
            _ if value.is_empty() => json!({ "value": null }),
            _ => json!({ "value": value }),
        };
        held["type"] = kind.into();
        self.hold(&found, held);
    }

    /// Attaches a file to the input with this label.
    pub(crate) async fn attach(&self, label: &str, name: &str, bytes: &[u8]) {
        let found = self.input(label).await;
        assert_eq!(found.element["type"], "file_input", "`{label}` takes no files");
        let file = self.slack.with(|state| {
            let id = state.keep(&self.user, name, bytes);
            let json = state.file_json(&state.files[&id]);
            let mut files =
                self.held(state, &found)["files"].as_array().cloned().unwrap_or_default();
            files.push(json);
            json!({ "type": "file_input", "files": files })
        });
        self.hold(&found, file);
    }

    fn hold(&self, found: &Found, held: Value) {
        let (block, action) = (text(&found.block["block_id"]), text(&found.element["action_id"]));
        self.slack.with(|state| {
            let view = state.views.get_mut(found.view.as_ref().unwrap()).unwrap();
            view.values.entry(block).or_default().insert(action, held);
        });
    }

    async fn input(&self, label: &str) -> Found {
        let what = format!("{} can fill in `{label}`", self.user);
        self.slack
            .until(&what, |state| {
                let top = state.stacks.get(&self.user)?.last()?;
                let blocks = state.views[top].body["blocks"].as_array()?;
                let block = blocks.iter().find(|block| block["label"]["text"] == label)?;
                Some(Found {
                    ts: None,
                    view: Some(top.clone()),
                    block: block.clone(),
                    element: block["element"].clone(),
                })
            })
            .await
    }

    /// Sends the form on top. It stays open where something is wrong.
    pub(crate) async fn submit(&self) {
        self.try_submit()
            .await
            .unwrap_or_else(|_| panic!("nobody took the form:\n{}", self.screen()));
    }

    /// The same where it may be that nobody takes it.
    pub(crate) async fn try_submit(&self) -> Result<(), Lost> {
        let what = format!("{} has a form open", self.user);
        let top =
            self.slack.until(&what, |state| state.stacks.get(&self.user)?.last().cloned()).await;
        let push = self.slack.with(|state| {
            let errors = incomplete(&state.views[&top]);
            let is_complete = errors.is_empty();
            state.views.get_mut(&top).unwrap().errors = errors;
            is_complete.then(|| self.view_push(state, &top, "view_submission"))
        });
        // Slack's own app does not send what is not complete.
        let Some(push) = push else { return Ok(()) };
        let answer = self.slack.send(push).await;
        let Ok(answer) = answer else {
            self.warn("form: we had some trouble connecting, try again?");
            return Err(Lost);
        };
        self.slack.with(|state| self.take(state, &top, &answer));
        self.slack.rest().await;
        Ok(())
    }

    /// What is answered to a form.
    fn take(&self, state: &mut State, top: &str, answer: &Value) {
        if !state.stacks.get(&self.user).is_some_and(|stack| stack.contains(&top.to_owned())) {
            return;
        }
        match answer["response_action"].as_str() {
            None => state.close_top(&self.user),
            Some("clear") => state.close_all(&self.user),
            Some("errors") => {
                let view = state.views.get_mut(top).unwrap();
                let known = |block: &str| {
                    let blocks = view.body["blocks"].as_array().into_iter().flatten();
                    blocks
                        .into_iter()
                        .any(|known| known["block_id"] == block && known["type"] == "input")
                };
                let errors: BTreeMap<String, String> = answer["errors"]
                    .as_object()
                    .unwrap_or_else(|| panic!("errors without errors: {answer}"))
                    .iter()
                    .map(|(block, error)| (block.clone(), text(error)))
                    .collect();
                assert!(!errors.is_empty(), "errors without errors: {answer}");
                for block in errors.keys() {
                    assert!(known(block), "an error for `{block}`, which is no input: {answer}");
                }
                view.errors = errors;
            }
            Some(action @ ("update" | "push")) => {
                let view = &answer["view"];
                assert_eq!(view_problems(view), None, "{view:#}");
                if action == "update" {
                    state.redraw(top, view.clone());
                } else {
                    let team = state.team_of(&self.user);
                    assert!(
                        state.stacks[&self.user].len() < 3,
                        "too many forms on top of one another"
                    );
                    state.show(&self.user, &team, view.clone(), Some(top));
                }
            }
            Some(other) => panic!("`{other}` is no answer to a form: {answer}"),
        }
    }

    fn view_push(&self, state: &mut State, id: &str, kind: &str) -> Push {
        let team = state.team_of(&self.user);
        let (team_json, enterprise, is_org) = state.team_json(&team);
        let mut payload = json!({
            "type": kind, "team": team_json, "user": state.actor_json(&self.user), "api_app_id": APP,
            "token": "verification-token-of-old", "view": view_json(&state.views[id]),
            "is_enterprise_install": is_org, "enterprise": enterprise,
        });
        if kind == "view_submission" {
            payload["trigger_id"] = state.trigger(&self.user, Some(id)).into();
            payload["response_urls"] = json!([]);
        } else {
            payload["is_cleared"] = false.into();
        }
        Push { id: state.id("view"), kind: "interactive", payload, attempt: 0 }
    }

    /// Closes the form on top without sending it.
    pub(crate) async fn close(&self) {
        let what = format!("{} has a form open", self.user);
        let top =
            self.slack.until(&what, |state| state.stacks.get(&self.user)?.last().cloned()).await;
        let push = self.slack.with(|state| {
            let tells = state.views[&top].body["notify_on_close"] == true;
            let push = tells.then(|| self.view_push(state, &top, "view_closed"));
            state.close_top(&self.user);
            push
        });
        if let Some(push) = push {
            self.slack.send(push).await.unwrap();
        }
        self.slack.rest().await;
    }

    /// Waits until no form is open.
    pub(crate) async fn sees_no_form(&self) {
        self.slack
            .until("the form closes", |state| {
                state.stacks.get(&self.user).is_none_or(Vec::is_empty).then_some(())
            })
            .await;
    }

    // ------------------------------------------------------------------ the app

    /// Types a command, here.
    pub(crate) async fn command(&self, line: &str) {
        self.try_command(line).await.unwrap_or_else(|_| panic!("nobody took `{line}`"));
    }

    /// The same where it may be that nobody takes it.
    pub(crate) async fn try_command(&self, line: &str) -> Result<(), Lost> {
        let (command, words) = line.split_once(' ').unwrap_or((line, ""));
        let push = self.slack.with(|state| {
            assert!(state.settings.commands.contains(command), "there is no command `{command}`");
            let channel = self.opened(state);
            let team = state.team_of(&self.user);
            let (_, _, is_org) = state.team_json(&team);
            let (at, user) = (state.now(), self.user.clone());
            let url = ResponseUrl { user, channel: channel.clone(), message: None, thread: None, at, uses: 0 };
            let response_url = state.response_url(url);
            let name = if state.channels[&channel].kind == Kind::Direct { "directmessage" } else { &state.channels[&channel].name };
            let mut payload = json!({
                "token": "verification-token-of-old", "team_id": team, "team_domain": state.teams[&team].domain,
                "channel_id": channel, "channel_name": name, "user_id": self.user,
                "user_name": state.users[&self.user].handle, "command": command, "text": mentioned(state, words),
                "api_app_id": APP, "is_enterprise_install": is_org.to_string(), "response_url": response_url,
            });
            if let Some(enterprise) = &state.teams[&team].enterprise {
                payload["enterprise_id"] = enterprise.clone().into();
            }
            payload["trigger_id"] = state.trigger(&self.user, None).into();
            Push { id: state.id("cmd"), kind: "slash_commands", payload, attempt: 0 }
        });
        let Ok(answer) = self.slack.send(push).await else {
            self.warn(&format!("command: {command} failed because the app did not respond"));
            return Err(Lost);
        };
        let has_blocks = answer["blocks"].as_array().is_some_and(|blocks| !blocks.is_empty());
        let plain = answer.as_str().unwrap_or_default();
        let text = answer["text"].as_str().unwrap_or(plain).to_owned();
        if has_blocks || !text.is_empty() {
            self.slack.with(|state| {
                if has_blocks {
                    let problems =
                        super::blocks::problems(&answer["blocks"], super::blocks::Surface::Message);
                    assert_eq!(problems, Vec::<String>::new(), "{answer:#}");
                }
                let channel = self.opened(state);
                let only_for = (answer["response_type"] != "in_channel").then(|| self.user.clone());
                let (user, blocks) = (BOT_USER.to_owned(), answer["blocks"].clone());
                state
                    .post(&channel, Message { user, text, blocks, only_for, ..Message::default() });
            });
        }
        self.slack.rest().await;
        Ok(())
    }

    /// Uses a global shortcut.
    pub(crate) async fn shortcut(&self, callback_id: &str) {
        let push = self.slack.with(|state| {
            let team = state.team_of(&self.user);
            let (team_json, enterprise, is_org) = state.team_json(&team);
            let (ts, trigger) = (state.ts(), state.trigger(&self.user, None));
            let payload = json!({
                "type": "shortcut", "token": "verification-token-of-old", "action_ts": ts, "team": team_json,
                "user": state.actor_json(&self.user), "is_enterprise_install": is_org, "enterprise": enterprise,
                "callback_id": callback_id, "trigger_id": trigger,
            });
            Push { id: state.id("cut"), kind: "interactive", payload, attempt: 0 }
        });
        self.slack.send(push).await.unwrap();
        self.slack.rest().await;
    }

    /// Opens the app's home, or the conversation with it.
    pub(crate) async fn open(&self) {
        let tab = if self.place == Place::Home { "home" } else { "messages" };
        self.slack.with(|state| {
            let channel = state.direct(&self.user);
            let team = state.team_of(&self.user);
            let ts = state.ts();
            let mut event = json!({
                "type": "app_home_opened", "user": self.user, "channel": channel, "tab": tab, "event_ts": ts,
            });
            if let Some(view) = state.homes.get(&self.user).filter(|_| tab == "home") {
                event["view"] = view_json(&state.views[view]);
            }
            state.tell(&team, "app_home_opened", &event);
        });
        self.slack.delivered().await;
        self.slack.rest().await;
    }

    /// Uses a prompt that is suggested.
    pub(crate) async fn press_prompt(&self, title: &str) {
        let message = self
            .slack
            .until(&format!("`{title}` is suggested"), |state| {
                let prompts = state.prompts.get(&self.channel(state)?)?;
                prompts.iter().find(|(known, _)| known == title).map(|(_, message)| message.clone())
            })
            .await;
        self.say(&message).await;
    }

    /// Presses the stop button of the agent, in the thread of its newest message.
    pub(crate) async fn stop(&self) {
        let thread = self.thread();
        self.slack.with(|state| {
            let channel = self.opened(state);
            let team = state.team_of(&self.user);
            let ts = state.ts();
            let event = json!({
                "type": "agent_session_stopped", "user": self.user, "channel": channel, "channel_id": channel,
                "thread_ts": thread, "event_ts": ts, "user_id": self.user,
            });
            state.tell(&team, "agent_session_stopped", &event);
        });
        self.slack.delivered().await;
        self.slack.rest().await;
    }
}

/// Where blocks stand.
#[derive(Debug, Clone)]
struct At {
    ts: Option<String>,
    view: Option<String>,
}

impl At {
    fn with(self, found: Found) -> Found {
        Found { ts: self.ts, view: self.view, ..found }
    }
}

/// The first element that fits, with its block.
fn in_blocks(blocks: &Value, fits: &dyn Fn(&Value) -> bool) -> Option<Found> {
    for (n, block) in blocks.as_array()?.iter().enumerate() {
        let mut block = block.clone();
        if block["block_id"].as_str().is_none_or(str::is_empty) {
            block["block_id"] = format!("made-{n}").into();
        }
        let inside = block["elements"].as_array().into_iter().flatten();
        let found = inside
            .chain([&block["accessory"], &block["element"]])
            .find(|element| fits(element))
            .cloned();
        if let Some(element) = found {
            return Some(Found { ts: None, view: None, block, element });
        }
        for name in ["positive_button", "negative_button"] {
            let inside = block["elements"].as_array().into_iter().flatten();
            let Some(feedback) =
                inside.into_iter().find(|element| fits(&as_button(&element[name]))).cloned()
            else {
                continue;
            };
            let mut element = as_button(&feedback[name]);
            element["action_id"] = feedback["action_id"].clone();
            return Some(Found { ts: None, view: None, block, element });
        }
    }
    None
}

fn as_button(inner: &Value) -> Value {
    if inner.is_null() {
        Value::Null
    } else {
        json!({ "type": "button", "text": inner["text"], "value": inner["value"] })
    }
}

fn button_label(_: &State, element: &Value) -> String {
    if element["type"] == "button" { text(&element["text"]["text"]) } else { String::new() }
}

fn has_option(element: &Value, label: &str) -> bool {
    draw::options(element).iter().any(|option| option["text"]["text"] == label)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn root(message: &Message) -> String {
    message.thread.clone().unwrap_or_else(|| message.ts.clone())
}

/// What is missing in a form, as Slack's own app says it.
fn incomplete(view: &super::state::View) -> BTreeMap<String, String> {
    let mut errors = BTreeMap::new();
    for block in view.body["blocks"].as_array().into_iter().flatten() {
        if block["type"] != "input" {
            continue;
        }
        let (id, action) = (text(&block["block_id"]), text(&block["element"]["action_id"]));
        let held = view
            .values
            .get(&id)
            .and_then(|values| values.get(&action))
            .cloned()
            .unwrap_or_default();
        let has = |name: &str| match &held[name] {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(list) => !list.is_empty(),
            _ => true,
        };
        let names = [
            "value",
            "selected_option",
            "selected_options",
            "selected_date",
            "selected_time",
            "selected_user",
            "files",
        ];
        let is_empty = !names.iter().any(|name| has(name));
        if is_empty {
            if block["optional"] != true {
                errors.insert(id, "Please complete this required field.".to_owned());
            }
            continue;
        }
        let element = &block["element"];
        let entered = held["value"].as_str().unwrap_or_default();
        let length = u64::try_from(super::blocks::length(entered)).unwrap();
        let most = element["max_length"].as_u64().unwrap_or(3000);
        if element["type"] == "plain_text_input" && length > most {
            errors.insert(id, format!("Please enter no more than {most} characters."));
        } else if element["type"] == "plain_text_input"
            && length < element["min_length"].as_u64().unwrap_or(0)
        {
            errors.insert(id, "Please enter more characters.".to_owned());
        } else if element["type"] == "email_text_input" && !entered.contains('@') {
            errors.insert(id, "Please enter a valid email address.".to_owned());
        } else if element["type"] == "url_text_input" && !entered.contains("://") {
            errors.insert(id, "Please enter a valid URL.".to_owned());
        } else if element["type"] == "number_input" && entered.parse::<f64>().is_err() {
            errors.insert(id, "Please enter a number.".to_owned());
        }
    }
    errors
}

/// What Slack makes of what is typed: entities, and mentions of people by their handles.
fn escaped(state: &State, words: &str) -> String {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    named(state, &words, false)
}

/// The same for commands, which name people with their handles.
fn mentioned(state: &State, words: &str) -> String {
    named(state, &words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"), true)
}

fn named(state: &State, words: &str, with_handle: bool) -> String {
    let mut words = words.to_owned();
    for (id, user) in &state.users {
        let mention =
            if with_handle { format!("<@{id}|{}>", user.handle) } else { format!("<@{id}>") };
        words = words.replace(&format!("@{}", user.handle), &mention);
    }
    words
}

impl State {
    /// Keeps a file that a person has sent.
    pub(crate) fn keep(&mut self, user: &str, name: &str, bytes: &[u8]) -> String {
        let id = self.id("F");
        let mimetype = match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "pdf" => "application/pdf",
            "txt" => "text/plain",
            "md" => "text/markdown",
            "png" => "image/png",
            "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            _ => "application/octet-stream",
        };
        let file = File {
            id: id.clone(),
            team: self.team_of(user),
            user: user.to_owned(),
            name: name.to_owned(),
            mimetype: mimetype.to_owned(),
            bytes: bytes.to_vec(),
            ..File::default()
        };
        self.files.insert(id.clone(), file);
        id
    }
}
