//! What a person sees as a page, so that pictures of it can be taken: a channel, with the form that is open over it. It is
//! drawn much as Discord draws it in its light theme, with controls that have names as Discord's have.

use std::cell::Cell;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use super::{
    markup::{self, Names},
    state::{BOT, Channel, GUILD, Message, State, at_of, kind},
};

/// The page of a channel as somebody sees it, by their ids: `110…/701`.
pub(crate) fn draw(state: &State, name: &str) -> Option<String> {
    let (channel, viewer) = name.split_once('/')?;
    let (channel, viewer): (u64, u64) = (channel.parse().ok()?, viewer.parse().ok()?);
    let here = state.channels.get(&channel)?;
    let pen = Pen { state, viewer, ids: Cell::new(0) };
    Some(pen.page(here))
}

/// Draws with names that are not given twice on a page.
struct Pen<'a> {
    state: &'a State,
    viewer: u64,
    ids: Cell<usize>,
}

impl Pen<'_> {
    fn id(&self) -> String {
        self.ids.set(self.ids.get() + 1);
        format!("i{}", self.ids.get())
    }

    /// The form that the viewer has before them: whatever they do next closes it.
    fn open(&self) -> Option<&Value> {
        let mine = self.state.interactions.values().filter(|done| done.by == self.viewer);
        mine.max_by_key(|done| done.id)?.modal.as_ref()
    }

    fn page(&self, channel: &Channel) -> String {
        let about = match channel.kind {
            kind::DIRECT => "Direct messages",
            kind::PRIVATE_THREAD => "Private thread",
            kind::PUBLIC_THREAD => "Thread",
            _ => "Channel",
        };
        let sees = |message: &&Message| message.only_for.is_none_or(|only| only == self.viewer);
        let messages = channel.messages.iter().filter(|(_, message)| sees(message));
        let open = self.open();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width";
                    title { "#" (channel.name) }
                    style { (PreEscaped(STYLE)) }
                }
                body class=[open.map(|_| "covered")] {
                    header.top { h1 { "# " (channel.name) } p { (about) } }
                    main inert[open.is_some()] {
                        @for (id, message) in messages { (self.message(*id, message)) }
                    }
                    @if let Some(form) = open { (self.form(form)) }
                }
            }
        };
        page.into_string()
    }

    fn message(&self, id: u64, message: &Message) -> Markup {
        let is_bot = message.author == BOT;
        let name = self.state.users.get(&message.author).map_or("?", |user| user.name.as_str());
        let name = if is_bot { "Anteroom" } else { name };
        let words = message.body["content"].as_str().unwrap_or_default();
        let calls = message.body["allowed_mentions"].to_string();
        let is_called = calls.contains(&self.viewer.to_string());
        html! {
            article.message.called[is_called].quiet[message.only_for.is_some()] {
                div.face.bot[is_bot] aria-hidden="true" { (name.chars().next().unwrap_or('?')) }
                div.body {
                    p.name {
                        b { (name) } @if is_bot { span.tag { "APP" } }
                        span.time { (at_of(id).format("%H:%M")) }
                    }
                    @if !words.is_empty() { div.words { (self.markdown(words)) } }
                    @for component in list(&message.body["components"]) { (self.component(component)) }
                    @if message.is_edited && message.only_for.is_none() { p.note { "(edited)" } }
                    @for file in list(&message.body["attachments"]) {
                        div.file { b { (file["filename"].as_str().unwrap_or("file")) } }
                    }
                    @if message.only_for.is_some() { p.note { "Only you can see this · " span.link { "Dismiss message" } } }
                }
            }
        }
    }

    fn component(&self, component: &Value) -> Markup {
        let inner = list(&component["components"]);
        match component["type"].as_u64().unwrap_or(0) {
            1 => html! { div.row { @for part in inner { (self.control(part, None)) } } },
            9 => html! {
                div.section {
                    div.said { @for part in inner { (self.component(part)) } }
                    (self.control(&component["accessory"], None))
                }
            },
            10 => {
                html! { div.words { (self.markdown(component["content"].as_str().unwrap_or_default())) } }
            }
            12 => html! {
                div.gallery { @for item in list(&component["items"]) { (picture(item, "picture")) } }
            },
            14 => html! { hr; },
            17 => html! {
                div.card style=(format!("border-left-color:#{:06x}", component["accent_color"].as_u64().unwrap_or(0xe3_e5_e8))) {
                    @for part in inner { (self.component(part)) }
                }
            },
            other => html! { p { "?" (other) } },
        }
    }

    fn form(&self, form: &Value) -> Markup {
        let title = self.id();
        html! {
            div.shade {
                div.modal role="dialog" aria-modal="true" aria-labelledby=(title) {
                    header {
                        span.face.bot aria-hidden="true" { "A" }
                        h2 id=(title) { (form["title"].as_str().unwrap_or("Form")) }
                        button.close aria-label="Close" { "✕" }
                    }
                    div.inside {
                        @for part in list(&form["components"]) {
                            @if part["type"] == 18 { (self.input(part)) } @else { (self.component(part)) }
                        }
                        p.note { "This form will be submitted to " b { "Anteroom" } ". Do not share passwords or other sensitive information." }
                    }
                    footer { button.quiet { "Cancel" } button.primary { "Submit" } }
                }
            }
        }
    }

    fn input(&self, label: &Value) -> Markup {
        let id = self.id();
        let input = &label["component"];
        let is_group = matches!(input["type"].as_u64(), Some(21 | 22));
        let said = html! {
            (label["label"].as_str().unwrap_or_default())
            @if input["required"] == true { span.must aria-label="required" { " *" } }
        };
        html! {
            div.input {
                @if is_group {
                    fieldset {
                        legend { (said) }
                        @if let Some(more) = label["description"].as_str() { p.more { (more) } }
                        (self.control(input, Some(&id)))
                    }
                } @else {
                    label for=(id) { (said) }
                    @if let Some(more) = label["description"].as_str() { p.more { (more) } }
                    (self.control(input, Some(&id)))
                }
            }
        }
    }

    /// A control; `id` is where its label points, where it has one.
    fn control(&self, component: &Value, id: Option<&str>) -> Markup {
        let label = component["label"].as_str().unwrap_or_default();
        match component["type"].as_u64().unwrap_or(0) {
            2 => {
                let style = match component["style"].as_u64() {
                    Some(1) => "primary",
                    Some(3) => "success",
                    Some(4) => "danger",
                    _ => "quiet",
                };
                let leads = component["style"] == 5;
                let is_off = component["disabled"] == true;
                html! { button class=(style) disabled[is_off] { (label) @if leads { span aria-hidden="true" { " ↗" } } } }
            }
            3 => {
                let picked = picked(component);
                let words = component["placeholder"].as_str().unwrap_or("Make a selection");
                html! {
                    button.menu id=[id] aria-haspopup="listbox" {
                        @if picked.is_empty() { span.hint { (words) } }
                        @for label in &picked { span.chip { (label) } }
                        span.arrow aria-hidden="true" { "⌄" }
                    }
                }
            }
            4 => {
                let value = component["value"].as_str().unwrap_or_default();
                let hint = component["placeholder"].as_str().unwrap_or_default();
                let left = component["max_length"]
                    .as_u64()
                    .map(|most| format!("{}/{most}", value.chars().count()));
                html! {
                    @if component["style"] == 2 {
                        textarea id=[id] rows="4" placeholder=(hint) { (value) }
                    } @else {
                        input type="text" id=[id] placeholder=(hint) value=(value);
                    }
                    @if let Some(left) = left { p.count { (left) } }
                }
            }
            11 => picture(component, "thumbnail"),
            19 => html! { div.drop { input type="file" id=[id]; } },
            kind @ (21 | 22) => {
                let (group, kind) = (self.id(), if kind == 21 { "radio" } else { "checkbox" });
                html! {
                    @for option in list(&component["options"]) {
                        label.tick {
                            input type=(kind) name=(group) checked[option["default"] == true];
                            span {
                                (option["label"].as_str().unwrap_or_default())
                                @if let Some(more) = option["description"].as_str() { span.more { (more) } }
                            }
                        }
                    }
                }
            }
            other => html! { p { "?" (other) } },
        }
    }

    fn markdown(&self, text: &str) -> Markup {
        markup::draw(text, self)
    }
}

impl Names for Pen<'_> {
    fn user(&self, id: u64) -> Option<String> {
        self.state.users.get(&id).map(|user| user.name.clone())
    }

    fn role(&self, id: u64) -> Option<String> {
        self.state.guilds[&GUILD].roles.get(&id).map(|role| role.name.clone())
    }

    fn channel(&self, id: u64) -> Option<String> {
        self.state.channels.get(&id).map(|channel| channel.name.clone())
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Labels of what is picked already.
fn picked(component: &Value) -> Vec<&str> {
    let options = list(&component["options"]).iter().filter(|option| option["default"] == true);
    options.filter_map(|option| option["label"].as_str()).collect()
}

/// A picture, without the picture: nothing is fetched.
fn picture(item: &Value, class: &str) -> Markup {
    let words = item["description"].as_str().unwrap_or_default();
    html! { div class=(class) role="img" aria-label=(words) { span aria-hidden="true" { (words.chars().next().unwrap_or('?')) } } }
}

const STYLE: &str = "
* { box-sizing: border-box }
html { background: #fff }
body { margin: 0; color: #2f3035; font: 16px/1.375 'gg sans', 'Noto Sans', 'Liberation Sans', Arial, sans-serif }
.top { border-bottom: 1px solid #e3e5e8; display: flex; align-items: baseline; gap: 12px; padding: 12px 20px; position: sticky; top: 0; background: #fff; z-index: 1 }
.top h1 { font-size: 16px; margin: 0 } .top p { color: #5c5e66; font-size: 14px; margin: 0 }
main { max-width: 900px; padding: 8px 16px 24px }
p { margin: 0 } h3, h4, h5 { line-height: 1.3; margin: 4px 0; overflow-wrap: anywhere } h3 { font-size: 24px } h4 { font-size: 20px } h5 { font-size: 16px } hr { border: 0; border-top: 1px solid #e3e5e8; margin: 8px 0; width: 100% }
.message { display: flex; gap: 16px; padding: 8px } .called { background: #fdf7e3; box-shadow: inset 2px 0 #f0b132 } .quiet.message { background: #f2f3fd }
.face { width: 40px; height: 40px; border-radius: 50%; background: #d9dbe0; font-weight: 700; text-align: center; line-height: 40px; flex: none } .face.bot { background: #5865f2; color: #fff }
.body { flex: 1; min-width: 0; display: flex; flex-direction: column; gap: 4px; align-items: flex-start } .tag { background: #5865f2; border-radius: 4px; color: #fff; font-size: 11px; font-weight: 600; margin-left: 6px; padding: 1px 4px; vertical-align: 1px }
.time { color: #5c5e66; font-size: 12px; margin-left: 8px } .note { color: #5c5e66; font-size: 12px } .link { color: #0060c0 }
.words { overflow-wrap: anywhere; max-width: 100% } .words ol, .words ul { margin: 2px 0; padding-left: 24px } .small { color: #5c5e66; display: block; font-size: 13px }
.card { background: #f8f8fa; border: 1px solid #dfe1e5; border-left: 4px solid; border-radius: 8px; display: flex; flex-direction: column; gap: 8px; max-width: 600px; padding: 16px; width: 100% }
.section { display: flex; gap: 16px; justify-content: space-between; align-items: flex-start; width: 100% } .said { flex: 1; min-width: 0 }
.row { display: flex; flex-wrap: wrap; gap: 8px; width: 100% }
button { border: 0; border-radius: 8px; font: 500 14px/1.3 inherit; font-family: inherit; min-height: 32px; padding: 6px 16px; max-width: 100% }
button.primary { background: #5865f2; color: #fff } button.success { background: #1f7a43; color: #fff } button.danger { background: #c9282f; color: #fff } button.quiet { background: #e3e5e8; color: #2f3035 }
button:disabled { opacity: .5 }
button.menu { background: #fff; border: 1px solid #c4c9ce; color: #2f3035; display: flex; flex-wrap: wrap; gap: 6px; align-items: center; min-height: 40px; padding: 6px 12px; text-align: left; width: 100%; max-width: 440px } .hint { color: #5c5e66 } .arrow { margin-left: auto } .chip { background: #e3e5e8; border-radius: 4px; padding: 2px 6px }
.thumbnail { background: linear-gradient(135deg, #8ea1e1, #5865f2); border-radius: 8px; color: #fff; flex: none; font-size: 32px; font-weight: 700; height: 85px; line-height: 85px; text-align: center; width: 85px }
.gallery { width: 100% } .picture { align-items: center; background: linear-gradient(160deg, #b9d7ff, #4f6fbf); border-radius: 8px; color: #fff; display: flex; font-size: 40px; height: 220px; justify-content: center }
.file { border: 1px solid #dfe1e5; border-radius: 8px; background: #f8f8fa; padding: 12px 16px }
.mention { background: #e6e8fd; border-radius: 3px; color: #3c45a5; font-weight: 500; padding: 0 2px } time { background: #ececef; border-radius: 3px; padding: 0 2px }
q { border-left: 4px solid #c4c9ce; display: block; margin: 2px 0; padding-left: 12px; quotes: none } code { background: #ececef; border-radius: 4px; font-size: 14px; padding: 1px 4px }
.shade { background: #000a; inset: 0; display: flex; align-items: center; justify-content: center; position: fixed; padding: 24px; z-index: 2 }
.modal { background: #fff; border-radius: 12px; display: flex; flex-direction: column; max-height: 100%; width: 480px; max-width: 100% }
.modal header { align-items: center; display: flex; gap: 12px; padding: 16px 20px } .modal h2 { flex: 1; font-size: 20px; margin: 0 } .close { background: none; color: #5c5e66; font-size: 16px }
.inside { display: flex; flex-direction: column; gap: 16px; overflow-y: auto; padding: 0 20px 12px } .modal footer { display: flex; gap: 8px; justify-content: flex-end; padding: 16px 20px } .modal footer button { flex: 1; min-height: 40px }
.input label, legend { display: block; font-weight: 600; margin-bottom: 4px; padding: 0 } fieldset { border: 0; margin: 0; padding: 0 } .must { color: #c9282f } .more { color: #5c5e66; display: block; font-size: 14px; font-weight: 400; margin-bottom: 6px }
input, textarea { border: 1px solid #c4c9ce; border-radius: 8px; color: inherit; font: inherit; padding: 10px; width: 100% } input::placeholder, textarea::placeholder { color: #5c5e66 } .count { color: #5c5e66; font-size: 12px; text-align: right }
input[type=radio], input[type=checkbox] { width: auto; margin: 4px 10px 0 0 } .input label.tick { align-items: flex-start; display: flex; font-weight: 400; margin: 8px 0 } .drop { border: 1px dashed #80848e; border-radius: 8px; padding: 12px } .drop input { border: 0; padding: 0 }
.covered { overflow: hidden }
@media (max-width: 600px) {
  main { padding: 4px 4px 20px } .top { padding: 10px 12px } .message { gap: 10px } .face { height: 36px; line-height: 36px; width: 36px } .card { padding: 12px } .shade { padding: 0 } .modal { border-radius: 0; height: 100%; width: 100% } .inside { flex: 1 }
  .thumbnail { font-size: 24px; height: 60px; line-height: 60px; width: 60px } .picture { height: 150px }
}
";
