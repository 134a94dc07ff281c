//! What a person sees, as text.
//!
//! `[Label]` is a button (`[+ Label]` the primary one, `[! Label]` a dangerous one, `?` at its end: it asks again),
//! `{A | B}` a menu with the picked in brackets, `· words` small print, `~` the bot at work.
#![expect(clippy::format_push_string, reason = "reads better, and is fast enough for tests")]

use serde_json::Value;

use super::{
    BOT_USER,
    state::{Channel, Kind, Message, State, View},
};

/// A conversation as somebody sees it: threads under their roots. Without somebody, as everybody together.
pub(crate) fn channel(state: &State, channel: &Channel, who: Option<&str>) -> String {
    let mut text = String::new();
    let name = match channel.kind {
        Kind::Direct => "direct".to_owned(),
        Kind::Public | Kind::Private => format!("#{}", channel.name),
    };
    text.push_str(&format!("── {name}{} ──\n", if channel.archived { " (archived)" } else { "" }));
    if let Some(prompts) = state.prompts.get(&channel.id) {
        let prompts: Vec<String> = prompts.iter().map(|(title, _)| format!("({title})")).collect();
        text.push_str(&format!("{}\n", prompts.join(" ")));
    }
    let sees = |message: &&Message| match (&message.only_for, who) {
        (Some(only), Some(who)) => only == who,
        _ => true,
    };
    for root in channel.messages.values().filter(sees).filter(|message| message.thread.is_none()) {
        text.push_str(&message(state, root, ""));
        for reply in channel.messages.values().filter(sees) {
            if reply.thread.as_deref() == Some(&root.ts) {
                text.push_str(&message(state, reply, "  "));
            }
        }
        if let Some(session) = state.sessions.get(&(channel.id.clone(), root.ts.clone()))
            && !session.doing.is_empty()
        {
            text.push_str(&format!("  ~ {}\n", session.doing));
        }
    }
    // Replies to what was deleted.
    for reply in channel.messages.values().filter(sees) {
        if reply.thread.as_ref().is_some_and(|thread| !channel.messages.contains_key(thread)) {
            text.push_str(&message(state, reply, "  "));
        }
    }
    text
}

/// A message with its author.
pub(crate) fn message(state: &State, message: &Message, indent: &str) -> String {
    let author = state.users.get(&message.user).map_or("?", |user| user.name.as_str());
    let mut marks = String::new();
    if message.only_for.is_some() {
        marks.push_str(" (only you)");
    }
    if message.is_edited {
        marks.push_str(" (edited)");
    }
    let body = body(state, message);
    let mut lines = body.lines();
    let first = lines.next().unwrap_or_default();
    let mut text = format!("{indent}{author}{marks}: {first}\n");
    for line in lines {
        text.push_str(format!("{indent}    {line}").trim_end());
        text.push('\n');
    }
    text
}

/// What stands in a message.
pub(crate) fn body(state: &State, message: &Message) -> String {
    let mut parts = Vec::new();
    if message.blocks.as_array().is_some_and(|blocks| !blocks.is_empty()) {
        parts.push(blocks(state, &message.blocks, None));
    } else if !message.text.is_empty() {
        parts.push(words(state, &message.text));
    }
    for file in &message.files {
        let file = &state.files[file];
        parts.push(if file.is_tombstone {
            "(a file that was deleted)".to_owned()
        } else {
            format!("(file: {})", file.name)
        });
    }
    if !message.reactions.is_empty() {
        let reactions: Vec<String> =
            message.reactions.iter().map(|(name, _)| format!(":{name}:")).collect();
        parts.push(reactions.join(" "));
    }
    if state.streams(message) {
        parts.push("…".to_owned());
    }
    parts.join("\n")
}

/// A form.
pub(crate) fn view(state: &State, view: &View) -> String {
    let title = view.body["title"]["text"].as_str().unwrap_or("Home");
    let mut text = format!("╔ {title}\n");
    for line in blocks(state, &view.body["blocks"], Some(view)).lines() {
        text.push_str(format!("║ {line}").trim_end());
        text.push('\n');
    }
    let button = |name: &str| view.body[name]["text"].as_str().map(|label| format!("[{label}]"));
    if view.body["type"] == "modal" {
        let close = button("close").unwrap_or_else(|| "[Cancel]".to_owned());
        let buttons: Vec<String> = [Some(close), button("submit")].into_iter().flatten().collect();
        text.push_str(&format!("╚ {}\n", buttons.join(" ")));
    }
    text
}

/// Blocks, each on lines of its own.
pub(crate) fn blocks(state: &State, blocks: &Value, view: Option<&View>) -> String {
    let list = blocks.as_array().cloned().unwrap_or_default();
    let mut lines: Vec<String> = list.iter().map(|item| block(state, item, view)).collect();
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

#[expect(clippy::too_many_lines, reason = "a list of kinds")]
fn block(state: &State, block: &Value, view: Option<&View>) -> String {
    let elements = || block["elements"].as_array().cloned().unwrap_or_default();
    match block["type"].as_str().unwrap_or_default() {
        "section" => {
            let mut lines = Vec::new();
            if let Some(text) = object(state, &block["text"]) {
                lines.push(text);
            }
            let fields = block["fields"].as_array().cloned().unwrap_or_default();
            for field in fields.iter().filter_map(|field| object(state, field)) {
                lines.push(format!("  {}", field.replace('\n', " ")));
            }
            let mut text = lines.join("\n");
            if block["accessory"].is_object() {
                text.push(' ');
                text.push_str(&element(
                    state,
                    &block["accessory"],
                    view_value(view, block, &block["accessory"]),
                ));
            }
            text
        }
        "header" => format!("# {}", object(state, &block["text"]).unwrap_or_default()),
        "divider" => "───".to_owned(),
        "context" => {
            let parts: Vec<String> = elements()
                .iter()
                .map(|part| match object(state, part) {
                    Some(text) => text,
                    None => format!("(image: {})", part["alt_text"].as_str().unwrap_or_default()),
                })
                .collect();
            parts.join(" ").lines().map(|line| format!("· {line}")).collect::<Vec<_>>().join("\n")
        }
        "actions" | "context_actions" => {
            let parts: Vec<String> = elements()
                .iter()
                .map(|part| element(state, part, view_value(view, block, part)))
                .collect();
            parts.join(" ")
        }
        "input" => input(state, block, view),
        "image" => format!("(image: {})", block["alt_text"].as_str().unwrap_or_default()),
        "markdown" => decoded(block["text"].as_str().unwrap_or_default().trim_end()),
        "task_card" => task(block),
        "plan" => {
            let mut lines = vec![format!("plan: {}", block["title"].as_str().unwrap_or_default())];
            let tasks = block["tasks"].as_array().cloned().unwrap_or_default();
            lines.extend(tasks.iter().map(task));
            lines.join("\n")
        }
        "rich_text" => flat(block),
        "table" => {
            let rows = block["rows"].as_array().cloned().unwrap_or_default();
            let row = |row: &Value| {
                row.as_array().map(|cells| cells.iter().map(flat).collect::<Vec<_>>().join(" | "))
            };
            rows.iter().filter_map(row).collect::<Vec<_>>().join("\n")
        }
        "alert" => format!("! {}", object(state, &block["text"]).unwrap_or_default()),
        kind => format!("({kind})"),
    }
}

fn view_value<'a>(view: Option<&'a View>, block: &Value, element: &Value) -> Option<&'a Value> {
    let values = view?.values.get(block["block_id"].as_str()?)?;
    values.get(element["action_id"].as_str()?)
}

fn task(task: &Value) -> String {
    let mark = match task["status"].as_str().unwrap_or_default() {
        "complete" => "x",
        "in_progress" => "~",
        "error" => "!",
        _ => " ",
    };
    format!("[{mark}] {}", task["title"].as_str().unwrap_or_default())
}

fn input(state: &State, block: &Value, view: Option<&View>) -> String {
    let label = block["label"]["text"].as_str().unwrap_or_default();
    let optional = if block["optional"] == true { " (optional)" } else { "" };
    let value = view_value(view, block, &block["element"]);
    let mut text = format!("{label}{optional}: {}", element(state, &block["element"], value));
    if let Some(hint) = object(state, &block["hint"]) {
        text.push_str(&format!("\n  · {hint}"));
    }
    let error = view.and_then(|view| view.errors.get(block["block_id"].as_str()?));
    if let Some(error) = error {
        text.push_str(&format!("\n  ✗ {error}"));
    }
    text
}

fn element(state: &State, element: &Value, value: Option<&Value>) -> String {
    let kind = element["type"].as_str().unwrap_or_default();
    match kind {
        "button" => button(state, element),
        "feedback_buttons" => {
            let label = |name: &str| object(state, &element[name]["text"]).unwrap_or_default();
            format!("[{}] [{}]", label("positive_button"), label("negative_button"))
        }
        "icon_button" => format!("[{}]", object(state, &element["text"]).unwrap_or_default()),
        "image" => format!("(image: {})", element["alt_text"].as_str().unwrap_or_default()),
        "static_select" | "multi_static_select" | "radio_buttons" | "checkboxes" | "overflow" => {
            let picked = picked(element, value);
            let options: Vec<String> = options(element)
                .iter()
                .map(|option| {
                    let mut label = object(state, &option["text"]).unwrap_or_default();
                    if let Some(more) = object(state, &option["description"]) {
                        label = format!("{label}: {more}");
                    }
                    let value = option["value"].as_str().unwrap_or_default().to_owned();
                    if picked.contains(&value) { format!("({label})") } else { label }
                })
                .collect();
            let open = match kind {
                "overflow" => "… ",
                "checkboxes" | "multi_static_select" => "☐ ",
                _ => "",
            };
            format!("{{{open}{}}}", options.join(" | "))
        }
        "file_input" => {
            let files =
                value.and_then(|value| value["files"].as_array().cloned()).unwrap_or_default();
            let names: Vec<&str> = files.iter().filter_map(|file| file["name"].as_str()).collect();
            format!("<{}>", if names.is_empty() { "a file".to_owned() } else { names.join(", ") })
        }
        _ => {
            let entered = value.and_then(entered).or_else(|| initial(element));
            match (entered, object(state, &element["placeholder"])) {
                (Some(text), _) => format!("\"{text}\""),
                (None, Some(placeholder)) => format!("____ ({placeholder})"),
                (None, None) => "____".to_owned(),
            }
        }
    }
}

fn button(state: &State, button: &Value) -> String {
    let label = object(state, &button["text"]).unwrap_or_default();
    let style = match button["style"].as_str() {
        Some("primary") => "+ ",
        Some("danger") => "! ",
        _ => "",
    };
    let asks = if button["confirm"].is_object() { " ?" } else { "" };
    let link = if button["url"].is_string() { " ↗" } else { "" };
    format!("[{style}{label}{asks}{link}]")
}

/// All options, of groups too.
pub(crate) fn options(element: &Value) -> Vec<Value> {
    let groups = element["option_groups"].as_array().cloned().unwrap_or_default();
    let grouped =
        groups.iter().flat_map(|group| group["options"].as_array().cloned().unwrap_or_default());
    element["options"].as_array().cloned().unwrap_or_default().into_iter().chain(grouped).collect()
}

fn picked(element: &Value, value: Option<&Value>) -> Vec<String> {
    let of = |one: &Value, many: &Value| -> Vec<String> {
        let many = many.as_array().cloned().unwrap_or_default();
        let all = many.iter().chain(one.is_object().then_some(one));
        all.filter_map(|option| option["value"].as_str().map(str::to_owned)).collect()
    };
    match value {
        Some(value) => of(&value["selected_option"], &value["selected_options"]),
        None => of(&element["initial_option"], &element["initial_options"]),
    }
}

fn entered(value: &Value) -> Option<String> {
    let names = ["value", "selected_date", "selected_time", "selected_user"];
    names
        .iter()
        .find_map(|name| value[*name].as_str())
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

fn initial(element: &Value) -> Option<String> {
    let names = ["initial_value", "initial_date", "initial_time", "initial_user"];
    names
        .iter()
        .find_map(|name| element[*name].as_str())
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// A text object.
fn object(state: &State, text: &Value) -> Option<String> {
    let words_ = text["text"].as_str()?;
    match text["type"].as_str()? {
        "mrkdwn" => Some(words(state, words_)),
        "plain_text" => Some(decoded(words_)),
        _ => None,
    }
}

/// All words of rich text.
fn flat(value: &Value) -> String {
    match value {
        Value::Array(list) => list.iter().map(flat).collect::<String>(),
        Value::Object(map) => {
            let text = map.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
            text + &map.get("elements").map(flat).unwrap_or_default()
        }
        _ => String::new(),
    }
}

pub(crate) fn decoded(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Slack's markup as it reads: mentions, channels, dates and links in words. A call to everybody shouts.
pub(crate) fn words(state: &State, text: &str) -> String {
    let mut read = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let Some(length) = rest[start..].find('>') else { break };
        read.push_str(&decoded(&rest[..start]));
        read.push_str(&reference(state, &rest[start + 1..start + length]));
        rest = &rest[start + length + 1..];
    }
    read.push_str(&decoded(rest));
    read
}

fn reference(state: &State, inside: &str) -> String {
    let (target, label) = inside.split_once('|').map_or((inside, None), |(a, b)| (a, Some(b)));
    if let Some(user) = target.strip_prefix('@') {
        return format!("@{}", state.users.get(user).map_or(user, |user| &user.name));
    }
    if let Some(channel) = target.strip_prefix('#') {
        return format!(
            "#{}",
            state.channels.get(channel).map_or(channel, |channel| &channel.name)
        );
    }
    if let Some(group) = target.strip_prefix("!subteam^") {
        return format!("@{}", state.groups.get(group).map_or(group, |group| &group.0));
    }
    if target.starts_with("!date^") {
        return decoded(label.unwrap_or("?"));
    }
    if let Some(everybody) = target.strip_prefix('!') {
        return format!("@{} (EVERYBODY IS CALLED)", everybody.to_uppercase());
    }
    label.map_or_else(
        || decoded(target),
        |label| format!("{} ({})", decoded(label), decoded(target)),
    )
}

impl State {
    /// Whether the bot wrote it.
    pub(crate) fn is_ours(message: &Message) -> bool {
        message.user == BOT_USER
    }
}
