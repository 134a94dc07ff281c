//! Whole pages. Pure: what they show is given.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{Html, IntoResponse, Response},
};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    brand,
    doing::{self, Doing},
    guard::Browser,
    icons, limits,
    render::{self, Cx, Fragment, notice},
    story,
};
use crate::{
    flows::LoadedFlow,
    form::{Words, words},
    interview::State,
    model::{
        session::{Head, Status},
        transcript::Audience,
    },
    store::Loaded,
};

/// A session as pages show it.
#[derive(Debug)]
pub struct View {
    /// With its events.
    pub loaded: Loaded,
    /// What they add up to.
    pub state: Arc<State>,
    /// What it runs.
    pub flow: Arc<LoadedFlow>,
    /// What the bot does just now.
    pub doing: Doing,
}

impl View {
    /// The messages as pieces of the page, oldest first.
    pub fn log(&self, cx: &Cx) -> Vec<Fragment> {
        let messages = story::messages(&self.loaded.events, &self.state, &self.flow, cx.viewer);
        messages.iter().map(|message| render::message(message, &self.state, cx)).collect()
    }

    /// Every piece of the page that changes while it is open.
    pub fn pieces(&self, cx: &Cx) -> Vec<Fragment> {
        let mut pieces = vec![render::status(&self.state, &self.flow, cx.viewer)];
        if cx.viewer == Audience::Staff {
            pieces.push(super::staff_page::orders(&self.state, cx));
            pieces.push(super::staff_page::standing(&self.state, &self.flow));
            pieces.push(super::staff_page::collected(&self.state, &self.flow));
        } else {
            pieces.push(menu(&self.state, cx));
        }
        pieces.extend(self.log(cx));
        if cx.viewer == Audience::Participant {
            pieces.extend(self.doing.draft.as_ref().map(doing::drawn));
            pieces.push(self.doing.line(cx));
        }
        pieces.push(render::tail(&self.state, cx));
        pieces
    }
}

/// What surrounds every page.
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    /// Where live updates of this page come from.
    pub(super) live: Option<String>,
    pub(super) class: &'a str,
    /// What became of the last form.
    pub(super) notice: Option<&'a Words>,
}

impl Frame<'_> {
    pub(super) fn around(&self, content: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · " (brand::current().name) }
                    link rel="stylesheet" href="/assets/app.css";
                    @if brand::current().accents.is_some() { link rel="stylesheet" href="/assets/brand.css"; }
                    link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                    script src="/assets/app.js" defer {}
                }
                body class=(self.class) data-live=[self.live.as_deref()] {
                    a.skip-link href="#main" { "Skip to the content" }
                    div #notice role="alert" { @if let Some(words) = self.notice { p { (notice(words)) } } }
                    (content)
                    p #aloud .sr aria-live="polite" {}
                }
            }
        }
    }
}

/// A page that says why there is nothing else on it.
pub fn problem(status: StatusCode, words: &str) -> Response {
    let frame = Frame { title: "Sorry", live: None, class: "plain", notice: None };
    let content = html! {
        main #main { h1 { "Sorry" } p { (words) } p { a href="/" { "To the start" } } }
    };
    (status, Html(frame.around(&content).into_string())).into_response()
}

/// What the start page shows.
pub(super) struct Start<'a> {
    pub(super) flows: Vec<&'a LoadedFlow>,
    pub(super) mine: &'a [Head],
    pub(super) browser: &'a Browser,
    pub(super) page: &'a str,
    pub(super) staff: bool,
    pub(super) notice: Option<&'a Words>,
}

/// The flows, and the conversations of this browser.
pub(super) fn start(start: &Start<'_>) -> Markup {
    let frame = Frame { title: "Start", live: None, class: "start", notice: start.notice };
    frame.around(&html! {
        header.top { div.inner { (brand::sign()) @if start.staff { a href="/staff" { "Staff page" } } } }
        main #main {
            h1 { "Welcome" }
            p.lead { "Pick an interview and see how it feels from the other side. Everything stays on this machine." }
            @if !start.mine.is_empty() {
                section aria-labelledby="mine" {
                    h2 #mine { "Your conversations" }
                    ul.sessions { @for head in start.mine { (own(head, &start.flows)) } }
                }
            }
            section aria-labelledby="flows" {
                h2 #flows { "Interviews" }
                @for flow in &start.flows { (offer(flow, start)) }
            }
        }
    })
}

fn own(head: &Head, flows: &[&LoadedFlow]) -> Markup {
    let flow = flows.iter().find(|flow| flow.flow.id == head.flow.id);
    let title = flow.map_or(head.flow.id.as_str(), |flow| flow.flow.title.as_str());
    html! {
        li {
            a href={ "/s/" (head.id) } { strong { (title) } }
            span.small { (words::of_status(head.status)) " · " (render::time(head.updated_at)) }
        }
    }
}

fn offer(flow: &LoadedFlow, start: &Start<'_>) -> Markup {
    let id = &flow.flow.id;
    html! {
        article.offer aria-labelledby={ "flow-" (id) } {
            h3 id={ "flow-" (id) } { (flow.flow.title) }
            p { (flow.flow.summary) }
            ol.phases { @for phase in &flow.flow.phase { li { (phase.title) } } }
            form method="post" action="/start" data-plain {
                input type="hidden" name="csrf" value=(start.browser.csrf());
                input type="hidden" name="key" value={ (start.page) "." (id) };
                input type="hidden" name="flow" value=(id);
                div.inline {
                    div { label for={ "name-" (id) } { "Your name " span.small { "optional" } }
                        input type="text" id={ "name-" (id) } name="name" maxlength=(limits::NAME_MAX) autocomplete="name"; }
                    button.primary { "Start" }
                }
            }
        }
    }
}

/// The participant's conversation.
pub(super) fn conversation(view: &View, cx: &Cx, notice: Option<&Words>) -> Markup {
    let title = &view.flow.flow.title;
    let live = Some(cx.url("live"));
    let frame = Frame { title, live, class: "talk", notice };
    frame.around(&html! {
        header.top {
            div.inner {
                h1 { a.brand-mark href="/" aria-label="All interviews" { "‹" } " " (brand::logo()) (title) }
                (PreEscaped(menu(&view.state, cx).html))
            }
            (PreEscaped(render::status(&view.state, &view.flow, cx.viewer).html))
        }
        main #main {
            h2 #talk .sr { "Conversation" }
            div #log aria-labelledby="talk" role="region" tabindex="-1" {
                @for piece in view.log(cx) { (PreEscaped(piece.html)) }
                @if let Some(draft) = &view.doing.draft { (PreEscaped(doing::drawn(draft).html)) }
            }
            (PreEscaped(view.doing.line(cx).html))
            (PreEscaped(render::tail(&view.state, cx).html))
        }
        (composer(cx))
    })
}

fn composer(cx: &Cx) -> Markup {
    html! {
        footer.composer {
            form #say .drop method="post" action=(cx.url("say")) enctype="multipart/form-data" data-form="say" {
                (cx.hidden("say"))
                label.attach title="Attach a file" {
                    (icons::clip()) span.sr { "Attach a file" }
                    input.sr type="file" name="files" multiple;
                }
                label.sr for="text" { "Write a message" }
                textarea #text name="text" rows="1" maxlength=(limits::TEXT_MAX) placeholder="Write here" aria-describedby="text-hint" {}
                span #text-hint .sr { "Enter sends, Shift and Enter begins a new line." }
                button.primary { "Send" }
                p.chosen.small aria-live="polite" {}
            }
        }
    }
}

/// What a participant may always do.
fn menu(state: &State, cx: &Cx) -> Fragment {
    let inner = |cx: &Cx| {
        html! {
            details.menu {
                summary { "Menu" }
                div.sheet {
                    (order(cx, state, "human", "Ask for a person"))
                    @match state.status {
                        Status::Notice | Status::Open => (order(cx, state, "stop", "Stop")),
                        Status::Stopped | Status::Paused | Status::Declined => (order(cx, state, "resume", "Resume")),
                        Status::Completed | Status::Ended => {},
                    }
                    @if state.status == Status::Open && state.phase().is_some() {
                        details.sub {
                            summary { "Ask to move on…" }
                            form method="post" action=(cx.url("command")) data-form="advance" {
                                (cx.hidden(&format!("advance{}", state.seq)))
                                label for="reason" { "Why should we move on?" }
                                textarea #reason name="reason" rows="2" {}
                                button.primary name="command" value="advance" { "Ask" }
                            }
                        }
                    }
                    a.item href=(cx.url("export")) download { "Export my data" }
                    (order(cx, state, "delete", "Delete my data…"))
                }
            }
        }
    };
    render::fragment("menu", "menu-holder", &inner(cx), &inner(&cx.neutral()))
}

fn order(cx: &Cx, state: &State, command: &str, label: &str) -> Markup {
    html! {
        form method="post" action=(cx.url("command")) data-form=(command) {
            (cx.hidden(&format!("{command}{}", state.seq)))
            button.item name="command" value=(command) { (label) }
        }
    }
}

/// All is gone; what is left is the number of the receipt.
pub(super) fn erased(receipt: &str) -> Markup {
    let frame = Frame { title: "Erased", live: None, class: "plain", notice: None };
    frame.around(&html! {
        main #main {
            h1 { "Everything is erased" }
            p { "Your answers, your files and the conversation are gone. What stays is one line that an erasure happened, without your name." }
            @if !receipt.is_empty() { p { "Receipt: " code { (receipt) } } }
            p { a href="/" { "To the start" } }
        }
    })
}
