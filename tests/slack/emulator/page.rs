//! A channel as a page, so that pictures of it can be taken.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use super::{
    BOT_USER, draw,
    state::{Message, State},
};

/// The page of a channel, by its id.
pub(crate) fn draw(state: &State, channel: &str) -> Option<String> {
    let channel = state.channels.get(channel)?;
    let roots: Vec<&Message> =
        channel.messages.values().filter(|message| message.thread.is_none()).collect();
    let replies = |root: &Message| -> Vec<&Message> {
        let messages = channel.messages.values();
        messages.filter(|message| message.thread.as_deref() == Some(&root.ts)).collect()
    };
    let open = state.stacks.values().flatten().next_back().and_then(|view| state.views.get(view));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { (channel.name) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    @for root in roots {
                        (message(state, root))
                        @for reply in replies(root) { div.reply { (message(state, reply)) } }
                    }
                }
                @if let Some(view) = open {
                    div.modal {
                        h2 { (view.body["title"]["text"].as_str().unwrap_or_default()) }
                        @for item in view.body["blocks"].as_array().into_iter().flatten() { (block(state, item)) }
                        div.actions {
                            span.button { (view.body["close"]["text"].as_str().unwrap_or("Cancel")) }
                            @if let Some(submit) = view.body["submit"]["text"].as_str() { span.button.primary { (submit) } }
                        }
                    }
                }
            }
        }
    };
    Some(page.into_string())
}

fn message(state: &State, message: &Message) -> Markup {
    let is_bot = message.user == BOT_USER;
    let name = state.users.get(&message.user).map_or("?", |user| user.name.as_str());
    let has_blocks = message.blocks.as_array().is_some_and(|blocks| !blocks.is_empty());
    html! {
        div.message {
            div.face.bot[is_bot] { (name.chars().next().unwrap_or('?')) }
            div.body {
                div.name { b { (name) } @if is_bot { span.tag { "APP" } } @if message.is_edited { span.small { " (edited)" } } }
                @if has_blocks {
                    @for item in message.blocks.as_array().into_iter().flatten() { (block(state, item)) }
                } @else {
                    p { (mrkdwn(state, &message.text)) }
                }
                @for file in &message.files { div.file { (state.files[file].name) } }
            }
        }
    }
}

fn block(state: &State, block: &Value) -> Markup {
    let elements = block["elements"].as_array().cloned().unwrap_or_default();
    match block["type"].as_str().unwrap_or_default() {
        "section" => html! {
            div.section {
                div {
                    @if block["text"].is_object() { p { (object(state, &block["text"])) } }
                    @if let Some(fields) = block["fields"].as_array() {
                        div.fields { @for field in fields { p { (object(state, field)) } } }
                    }
                }
                @if block["accessory"].is_object() { div { (element(state, &block["accessory"])) } }
            }
        },
        "header" => html! { h3 { (object(state, &block["text"])) } },
        "divider" => html! { hr; },
        "context" => html! { p.small { @for part in &elements { (object(state, part)) " " } } },
        "actions" | "context_actions" => {
            html! { div.actions { @for part in &elements { (element(state, part)) } } }
        }
        "input" => html! {
            div.input {
                label {
                    (object(state, &block["label"]))
                    @if block["optional"] == true { span.small { " (optional)" } }
                }
                (element(state, &block["element"]))
                @if block["hint"].is_object() { p.small { (object(state, &block["hint"])) } }
            }
        },
        _ => {
            html! { p { (mrkdwn(state, &draw::blocks(state, &Value::Array(vec![block.clone()]), None))) } }
        }
    }
}

fn element(state: &State, element: &Value) -> Markup {
    let style = element["style"].as_str().unwrap_or_default();
    let kind = element["type"].as_str().unwrap_or_default();
    match kind {
        "button" => {
            html! { span.button.primary[style == "primary"].danger[style == "danger"] { (object(state, &element["text"])) } }
        }
        "overflow" => html! { span.button { "⋯" } },
        "radio_buttons" | "checkboxes" => html! {
            div.group {
                @for option in draw::options(element) {
                    div { (if kind == "checkboxes" { "☐ " } else { "○ " }) (object(state, &option["text"])) }
                }
            }
        },
        "static_select" | "multi_static_select" => {
            let placeholder = element["placeholder"]["text"].as_str().unwrap_or("Select an option");
            let picked = element["initial_option"]["text"]["text"].as_str().unwrap_or(placeholder);
            html! { span.button.select { (picked) " ▾" } }
        }
        "file_input" => html! { div.box { "Drop files here or choose them" } },
        _ => {
            let value =
                element["initial_value"].as_str().or_else(|| element["initial_date"].as_str());
            let placeholder = element["placeholder"]["text"].as_str().unwrap_or_default();
            html! { div.box.tall[element["multiline"] == true] { (value.unwrap_or(placeholder)) } }
        }
    }
}

fn object(state: &State, text: &Value) -> Markup {
    let words = text["text"].as_str().unwrap_or_default();
    if text["type"] == "mrkdwn" {
        mrkdwn(state, words)
    } else {
        html! { (words) }
    }
}

/// Slack's markup with its bold, italic and code letters.
fn mrkdwn(state: &State, text: &str) -> Markup {
    let words = draw::words(state, text);
    html! {
        @for (n, line) in words.lines().enumerate() {
            @if n > 0 { br; }
            @if let Some(quote) = line.strip_prefix("> ") { q { (inline(quote)) } } @else { (inline(line)) }
        }
    }
}

fn inline(line: &str) -> Markup {
    for (mark, tag) in [("*", "b"), ("_", "i"), ("`", "code")] {
        let Some((before, rest)) = line.split_once(mark) else { continue };
        let Some((inside, after)) = rest.split_once(mark) else { continue };
        let is_whole = !inside.is_empty()
            && !inside.starts_with(' ')
            && !before.ends_with(char::is_alphanumeric)
            && !after.starts_with(char::is_alphanumeric);
        if is_whole {
            let (before, after) = (inline(before), inline(after));
            return match tag {
                "b" => html! { (before) b { (inline(inside)) } (after) },
                "i" => html! { (before) i { (inline(inside)) } (after) },
                _ => html! { (before) code { (inside) } (after) },
            };
        }
    }
    html! { (line) }
}

const STYLE: &str = "
* { box-sizing: border-box }
body { margin: 0; background: #fff; color: #1d1c1d; font: 15px/1.46 Lato, 'Helvetica Neue', Arial, sans-serif }
main { max-width: 720px; padding: 16px }
p { margin: 2px 0 6px } h2, h3 { margin: 4px 0 8px } hr { border: 0; border-top: 1px solid #ddd }
.message { display: flex; gap: 10px; margin: 8px 0 } .reply { margin-left: 46px }
.face { width: 36px; height: 36px; border-radius: 6px; background: #d9e8f5; font-weight: 700; text-align: center; line-height: 36px; flex: none }
.face.bot { background: #1b365d; color: #fff } .body { flex: 1; min-width: 0 }
.tag { background: #eee; border-radius: 3px; color: #555; font-size: 10px; margin-left: 6px; padding: 1px 4px }
.small { color: #616061; font-size: 13px } .section { display: flex; gap: 16px; justify-content: space-between }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 16px }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 6px 0 }
.button { background: #fff; border: 1px solid #bbb; border-radius: 6px; display: inline-block; font-size: 14px; font-weight: 700; padding: 5px 12px }
.primary { background: #007a5a; border-color: #007a5a; color: #fff } .danger { border-color: #c01343; color: #c01343 }
.select { font-weight: 400; min-width: 180px }
.file, .box { border: 1px solid #ccc; border-radius: 6px; min-height: 36px; padding: 6px 10px; white-space: pre-wrap }
.tall { min-height: 90px } .input { margin: 10px 0 } label { display: block; font-weight: 700; margin-bottom: 4px }
.modal { border: 1px solid #ccc; border-radius: 10px; box-shadow: 0 6px 30px #0003; margin: 16px; max-width: 520px; padding: 16px 20px }
q { border-left: 4px solid #ddd; display: block; padding-left: 10px; quotes: none }
";
