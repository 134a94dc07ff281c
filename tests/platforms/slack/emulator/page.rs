//! What a person sees as a page, so that pictures of it can be taken: a conversation, or the app's Home, with the form
//! that is open over it. It is drawn much as Slack draws it, with controls that have names as Slack's have.

use std::cell::Cell;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use super::{
    BOT_USER, draw,
    state::{Channel, Kind, Message, State, View},
};

/// The page of a channel by its id, `C0GENERAL`, or of somebody's Home, `home-U0ADA`.
pub(crate) fn draw(state: &State, name: &str) -> Option<String> {
    let pen = Pen { state, ids: Cell::new(0) };
    if let Some(user) = name.strip_prefix("home-") {
        let home = state.homes.get(user).and_then(|view| state.views.get(view))?;
        let body =
            html! { @for item in list(&home.body["blocks"]) { (pen.block(item, Some(home))) } };
        return Some(pen.page("Anteroom", "Home", &html! { div.home { (body) } }, user));
    }
    let channel = state.channels.get(name)?;
    let (title, about) = match channel.kind {
        Kind::Direct => ("Anteroom".to_owned(), "Messages"),
        Kind::Private => (format!("# {}", channel.name), "Private channel"),
        Kind::Public => (format!("# {}", channel.name), "Channel"),
    };
    let people =
        channel.members.iter().find(|user| *user != BOT_USER && channel.kind == Kind::Direct);
    let user = people.cloned().unwrap_or_default();
    Some(pen.page(&title, about, &pen.talk(channel), &user))
}

/// Draws with names that are not given twice on a page.
struct Pen<'a> {
    state: &'a State,
    ids: Cell<usize>,
}

impl Pen<'_> {
    fn id(&self) -> String {
        self.ids.set(self.ids.get() + 1);
        format!("i{}", self.ids.get())
    }

    fn page(&self, title: &str, about: &str, body: &Markup, user: &str) -> String {
        let stacks = self.state.stacks.iter();
        let mine = stacks.filter(|(whose, _)| user.is_empty() || whose.as_str() == user);
        let open = mine.flat_map(|(_, stack)| stack).next_back();
        let open = open.and_then(|view| self.state.views.get(view));
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width";
                    title { (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body class=[open.map(|_| "covered")] {
                    header.top { h1 { (title) } p { (about) } }
                    main inert[open.is_some()] { (body) }
                    @if let Some(view) = open { (self.form(view)) }
                }
            }
        };
        page.into_string()
    }

    fn talk(&self, channel: &Channel) -> Markup {
        let messages = channel.messages.values();
        let roots = messages.clone().filter(|message| message.thread.is_none());
        let replies = |root: &Message| {
            let of = root.ts.clone();
            messages.clone().filter(move |message| message.thread.as_deref() == Some(&of))
        };
        let doing = |root: &Message| {
            let session = self.state.sessions.get(&(channel.id.clone(), root.ts.clone()));
            session.map(|session| session.doing.clone()).filter(|doing| !doing.is_empty())
        };
        html! {
            @for root in roots {
                (self.message(root))
                @if replies(root).next().is_some() {
                    section.thread aria-label="Thread" {
                        @for reply in replies(root) { (self.message(reply)) }
                        @if let Some(doing) = doing(root) { p.doing { (doing) } }
                    }
                }
            }
        }
    }

    fn message(&self, message: &Message) -> Markup {
        let is_bot = message.user == BOT_USER;
        let name = self.state.users.get(&message.user).map_or("?", |user| user.name.as_str());
        let has_blocks = !list(&message.blocks).is_empty();
        html! {
            article.message.quiet[message.only_for.is_some()] {
                div.face.bot[is_bot] aria-hidden="true" { (name.chars().next().unwrap_or('?')) }
                div.body {
                    @if message.only_for.is_some() { p.small { "Only visible to you" } }
                    p.name {
                        b { (name) } @if is_bot { span.tag { "APP" } }
                        span.time { (time(&message.ts)) }
                    }
                    @if has_blocks {
                        @for item in list(&message.blocks) { (self.block(item, None)) }
                    } @else {
                        p { (self.mrkdwn(&message.text)) }
                    }
                    @if message.is_edited { p.small.edited { "(edited)" } }
                    @for file in &message.files {
                        @let file = &self.state.files[file];
                        div.file { span.sheet aria-hidden="true" {} span { b { (file.name) } br; span.small { (kind_of(&file.name)) } } }
                    }
                }
            }
        }
    }

    fn form(&self, view: &View) -> Markup {
        let title = self.id();
        let word = |name: &str| view.body[name]["text"].as_str();
        html! {
            div.shade {
                div.modal role="dialog" aria-modal="true" aria-labelledby=(title) {
                    header {
                        span.face.bot aria-hidden="true" { "A" }
                        h2 id=(title) { (word("title").unwrap_or("Form")) }
                        button.close aria-label="Close" { "✕" }
                    }
                    div.inside { @for item in list(&view.body["blocks"]) { (self.block(item, Some(view))) } }
                    footer {
                        button { (word("close").unwrap_or("Cancel")) }
                        @if let Some(submit) = word("submit") { button.primary { (submit) } }
                    }
                }
            }
        }
    }

    fn block(&self, block: &Value, view: Option<&View>) -> Markup {
        let elements = list(&block["elements"]);
        match block["type"].as_str().unwrap_or_default() {
            "section" => html! {
                div.section {
                    div.said {
                        @if block["text"].is_object() { p { (self.object(&block["text"])) } }
                        @if !list(&block["fields"]).is_empty() {
                            div.fields { @for field in list(&block["fields"]) { p { (self.object(field)) } } }
                        }
                    }
                    @if block["accessory"].is_object() { div { (self.element(&block["accessory"], None)) } }
                }
            },
            "header" => html! { h3 { (self.object(&block["text"])) } },
            "divider" => html! { hr; },
            "context" => html! {
                p.small { @for part in elements { span { (self.object(part)) } " " } }
            },
            "actions" | "context_actions" => html! {
                div.actions { @for part in elements { (self.element(part, None)) } }
            },
            "input" => self.input(block, view),
            "markdown" => {
                html! { div.markdown { (plain(block["text"].as_str().unwrap_or_default())) } }
            }
            "plan" => html! {
                div.plan {
                    p { b { (block["title"].as_str().unwrap_or_default()) } }
                    @for task in list(&block["tasks"]) { (task_card(task)) }
                }
            },
            "task_card" => task_card(block),
            _ => {
                let words = draw::blocks(self.state, &Value::Array(vec![block.clone()]), None);
                html! { p { (plain(&words)) } }
            }
        }
    }

    fn input(&self, block: &Value, view: Option<&View>) -> Markup {
        let id = self.id();
        let element = &block["element"];
        let is_group = matches!(element["type"].as_str(), Some("radio_buttons" | "checkboxes"));
        let error = view.and_then(|view| view.errors.get(block["block_id"].as_str()?));
        let label = html! {
            (self.object(&block["label"]))
            @if block["optional"] == true { span.small { " (optional)" } }
        };
        html! {
            div.input.wrong[error.is_some()] {
                @if is_group {
                    fieldset { legend { (label) } (self.element(element, Some(&id))) }
                } @else {
                    label for=(id) { (label) }
                    (self.element(element, Some(&id)))
                }
                @if let Some(error) = error { p.error { (error) } }
                @if block["hint"].is_object() { p.small { (self.object(&block["hint"])) } }
            }
        }
    }

    /// A control; `id` is where its label points, where it has one beside it.
    fn element(&self, element: &Value, id: Option<&str>) -> Markup {
        let placeholder = element["placeholder"]["text"].as_str();
        let spoken = element["accessibility_label"].as_str();
        let named =
            |otherwise: &'static str| id.is_none().then(|| placeholder.unwrap_or(otherwise));
        match element["type"].as_str().unwrap_or_default() {
            "button" => {
                let style = element["style"].as_str().unwrap_or_default();
                html! {
                    button.primary[style == "primary"].danger[style == "danger"] aria-label=[spoken] {
                        (self.object(&element["text"]))
                    }
                }
            }
            "overflow" => html! { button.more aria-label="More actions" { "⋯" } },
            "feedback_buttons" => html! {
                @for name in ["positive_button", "negative_button"] {
                    button.more aria-label=[element[name]["accessibility_label"].as_str()] { (self.object(&element[name]["text"])) }
                }
            },
            kind @ ("radio_buttons" | "checkboxes") => self.ticks(kind, element),
            kind @ ("static_select" | "multi_static_select") => html! {
                select id=[id] aria-label=[named("Select an option")] multiple[kind == "multi_static_select"] {
                    @if !element["initial_option"].is_object() { option { (placeholder.unwrap_or("Select an option")) } }
                    @for option in draw::options(element) {
                        option selected[option["value"] == element["initial_option"]["value"]] { (self.object(&option["text"])) }
                    }
                }
            },
            "file_input" => html! {
                div.drop { input type="file" id=[id] aria-label=[named("Files")]; }
            },
            kind => {
                let texts = ["initial_value", "initial_date", "initial_time"];
                let value = texts.iter().find_map(|name| element[*name].as_str());
                let (name, hint) = (named("Text"), placeholder.unwrap_or_default());
                let date = if kind == "datepicker" { "date" } else { "text" };
                html! {
                    @if element["multiline"] == true {
                        textarea id=[id] aria-label=[name] placeholder=(hint) rows="4" { (value.unwrap_or_default()) }
                    } @else {
                        input type=(date) id=[id] aria-label=[name] placeholder=(hint) value=[value];
                    }
                }
            }
        }
    }

    fn ticks(&self, kind: &str, element: &Value) -> Markup {
        let (group, kind) = (self.id(), if kind == "checkboxes" { "checkbox" } else { "radio" });
        let given = list(&element["initial_options"]).iter().chain([&element["initial_option"]]);
        let given: Vec<&Value> = given.map(|option| &option["value"]).collect();
        html! {
            div.group {
                @for option in draw::options(element) {
                    label.tick {
                        input type=(kind) name=(group) checked[given.contains(&&option["value"])];
                        span {
                            (self.object(&option["text"]))
                            @if option["description"].is_object() { span.small { (self.object(&option["description"])) } }
                        }
                    }
                }
            }
        }
    }

    fn object(&self, text: &Value) -> Markup {
        let words = text["text"].as_str().unwrap_or_default();
        if text["type"] == "mrkdwn" {
            self.mrkdwn(words)
        } else {
            html! { (pictured(&draw::decoded(words))) }
        }
    }

    /// Slack's markup with its bold, italic and code letters.
    fn mrkdwn(&self, text: &str) -> Markup {
        html! {
            @for (n, line) in text.lines().enumerate() {
                @if let Some(quote) = line.strip_prefix("> ") {
                    q { (self.line(quote)) }
                } @else {
                    @if n > 0 { br; }
                    (self.line(line))
                }
            }
        }
    }

    /// A line with its links. Only what is marked as one is a link: the bot asks for nothing else.
    fn line(&self, text: &str) -> Markup {
        let words = |text: &str| inline(&pictured(&draw::words(self.state, text)));
        let link = text.split_once("<http").and_then(|(before, rest)| {
            let (address, after) = rest.split_once('>')?;
            Some((before, draw::decoded(&format!("http{address}")), after))
        });
        let Some((before, link, after)) = link else { return words(text) };
        let (address, label) = link.split_once('|').unwrap_or((&link, &link));
        html! { (words(before)) a href=(address) { (label) } (self.line(after)) }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn task_card(task: &Value) -> Markup {
    let (sign, word) = match task["status"].as_str().unwrap_or_default() {
        "complete" => ("✓", "done"),
        "in_progress" => ("◌", "at work"),
        "error" => ("✗", "failed"),
        _ => ("○", "to come"),
    };
    html! {
        p.task { span.sign aria-label=(word) role="img" { (sign) } (task["title"].as_str().unwrap_or_default()) }
    }
}

/// Lines, some of them quotations.
fn plain(words: &str) -> Markup {
    html! {
        @for (n, line) in words.lines().enumerate() {
            @if let Some(quote) = line.strip_prefix("> ") {
                q { (inline(quote)) }
            } @else {
                @if n > 0 { br; }
                (inline(line))
            }
        }
    }
}

fn inline(line: &str) -> Markup {
    for (mark, tag) in [("*", "b"), ("_", "i"), ("`", "code")] {
        let Some((before, rest)) = line.split_once(mark) else { continue };
        let Some((inside, after)) = rest.split_once(mark) else { continue };
        let is_whole = !inside.is_empty()
            && !inside.starts_with([' ', '\u{200b}'])
            && !inside.ends_with([' ', '\u{200b}'])
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

/// The sign that the bot names.
fn pictured(words: &str) -> String {
    words.replace(":warning:", "⚠")
}

/// What a file is, as Slack says below its name.
fn kind_of(name: &str) -> String {
    name.rsplit_once('.').map_or_else(|| "File".to_owned(), |(_, end)| end.to_uppercase())
}

/// The time of day of a message.
fn time(ts: &str) -> String {
    let seconds = ts.split('.').next().and_then(|seconds| seconds.parse().ok());
    let at = seconds.and_then(|seconds| chrono::DateTime::from_timestamp(seconds, 0));
    at.map(|at| at.format("%H:%M").to_string()).unwrap_or_default()
}

const STYLE: &str = "
* { box-sizing: border-box }
html { background: #fff }
body { margin: 0; color: #1d1c1d; font: 15px/1.46 Lato, Slack-Lato, 'Liberation Sans', Arial, sans-serif }
.top { border-bottom: 1px solid #e0e0e0; display: flex; align-items: baseline; gap: 10px; padding: 10px 20px; position: sticky; top: 0; background: #fff }
.top h1 { font-size: 18px; font-weight: 900; margin: 0 } .top p { color: #616061; font-size: 13px; margin: 0 }
main { max-width: 860px; padding: 12px 20px 24px }
p { margin: 2px 0 6px; overflow-wrap: anywhere } h3 { font-size: 18px; line-height: 1.3; margin: 4px 0 6px; overflow-wrap: anywhere } hr { border: 0; border-top: 1px solid #ddd; margin: 12px 0 }
.message { display: flex; gap: 8px; padding: 6px 0 } .quiet { background: #f8f8f8 }
.thread { border-left: 2px solid #e0e0e0; margin: 0 0 8px 17px; padding-left: 18px }
.face { width: 36px; height: 36px; border-radius: 8px; background: #d9e8f5; color: #1d1c1d; font-weight: 700; text-align: center; line-height: 36px; flex: none }
.face.bot { background: #1b365d; color: #fff } .body { flex: 1; min-width: 0 }
.name { margin: 0 } .tag { background: #e8e8e8; border-radius: 3px; color: #505050; font-size: 10px; font-weight: 700; margin-left: 6px; padding: 1px 4px; vertical-align: 2px }
.time { color: #616061; font-size: 12px; margin-left: 8px }
.small { color: #616061; font-size: 13px } .edited { margin: 0 } .doing { color: #616061; font-style: italic }
.section { display: flex; gap: 16px; justify-content: space-between; align-items: flex-start } .said { min-width: 0; flex: 1 }
.fields { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 4px 16px }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0 }
button, select { background: #fff; border: 1px solid #b5b5b5; border-radius: 8px; color: #1d1c1d; font-family: inherit; font-size: 14px; font-weight: 700; line-height: 1.4; padding: 6px 12px; max-width: 100% }
select { font-weight: 400; min-width: 200px }
button.primary { background: #007a5a; border-color: #007a5a; color: #fff } button.danger { border-color: #c01343; color: #c01343 }
button.more { padding: 4px 10px }
.file { border: 1px solid #ddd; border-radius: 10px; display: inline-flex; gap: 10px; align-items: center; margin: 4px 0; padding: 8px 14px 8px 10px } .sheet { background: #d9e8f5; border-radius: 6px; height: 36px; width: 30px }
input, textarea { border: 1px solid #8d8d8d; border-radius: 6px; color: inherit; font: inherit; padding: 8px 10px; width: 100% } input::placeholder, textarea::placeholder { color: #616061 }
input[type=radio], input[type=checkbox] { width: auto; margin: 4px 8px 0 0 } .tick { display: flex; font-weight: 400; align-items: flex-start; margin: 0 0 6px } .tick .small { display: block } fieldset { border: 0; margin: 0; padding: 0 }
.drop { border: 1px dashed #8d8d8d; border-radius: 8px; padding: 12px } .drop input { border: 0; padding: 0 }
.input { margin: 14px 0 } label, legend { display: block; font-weight: 700; margin-bottom: 4px; padding: 0 } label .small, legend .small { font-weight: 400 }
.wrong input, .wrong textarea, .wrong select { border-color: #c01343 } .error { color: #c01343; font-size: 13px }
.shade { background: #0007; bottom: 0; display: flex; align-items: center; justify-content: center; left: 0; position: fixed; right: 0; top: 0; padding: 24px }
.modal { background: #fff; border-radius: 12px; display: flex; flex-direction: column; max-height: 100%; width: 520px; max-width: 100% }
.modal header { align-items: center; display: flex; gap: 12px; padding: 16px 20px } .modal h2 { flex: 1; font-size: 20px; margin: 0 } .close { border: 0; font-size: 16px }
.inside { overflow-y: auto; padding: 0 20px } .modal footer { display: flex; gap: 8px; justify-content: flex-end; padding: 16px 20px; border-top: 1px solid #eee }
.covered { overflow: hidden } .home { max-width: 640px }
q { border-left: 4px solid #ddd; display: block; margin: 4px 0; padding-left: 12px; quotes: none } code { background: #f8f8f8; border: 1px solid #ddd; border-radius: 3px; color: #c01343; font-size: 12px; padding: 1px 3px }
.plan { border: 1px solid #ddd; border-radius: 10px; padding: 8px 14px } .task { margin: 2px 0 } .sign { color: #007a5a; display: inline-block; width: 20px }
@media (max-width: 600px) {
  main { padding: 8px 12px 20px } .top { padding: 10px 12px } .thread { margin-left: 4px; padding-left: 8px } .face { width: 30px; height: 30px; line-height: 30px }
  .fields { grid-template-columns: minmax(0, 1fr) } .section { flex-wrap: wrap } .shade { padding: 0 } .modal { border-radius: 0; height: 100%; width: 100% } .inside { flex: 1 }
}
";
