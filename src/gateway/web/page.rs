//! Whole pages. Pure: what they show is given.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{Html, IntoResponse, Response},
};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    activity::{self, Activity},
    brand,
    guard::Browser,
    icons, limits,
    render::{self, Cx, Fragment, notice},
    timeline::{Timeline, Window},
};
use crate::{
    chat::form::Words,
    flow::LoadedFlow,
    messages,
    model::{
        session::{Head, Status},
        transcript::{Audience, Recorded},
    },
    session::State,
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
    pub doing: Activity,
}

impl View {
    fn timeline(&self, viewer: Audience) -> Timeline<'_> {
        Timeline::of(&self.loaded.events, &self.state, &self.flow, viewer)
    }

    /// What is shown where nothing else is asked for.
    pub fn latest(&self, viewer: Audience) -> Window {
        self.timeline(viewer).latest(limits::LOG_MAX)
    }

    /// The messages whose events are wanted as pieces of the page, oldest first.
    pub fn log(&self, cx: &Cx, is_wanted: impl Fn(&Recorded) -> bool) -> Vec<Fragment> {
        let messages = self.timeline(cx.viewer).messages(is_wanted);
        messages.iter().map(|message| render::message(message, &self.state, cx)).collect()
    }

    /// Every piece of the page that changes while it is open.
    pub fn pieces(&self, cx: &Cx, window: &Window) -> Vec<Fragment> {
        let mut pieces = vec![render::status(&self.state, &self.flow, cx.viewer)];
        if cx.viewer == Audience::Staff {
            pieces.push(super::staff_page::orders(&self.state, cx));
            pieces.push(super::staff_page::status_panel(&self.state, &self.flow));
            pieces.push(super::staff_page::collected(&self.state, &self.flow));
        } else {
            pieces.push(menu(&self.state, cx));
        }
        pieces.extend(self.log(cx, |recorded| window.holds(recorded)));
        if cx.viewer == Audience::Participant {
            pieces.extend(self.doing.draft.as_ref().map(activity::render_draft));
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
                    a.skip-link href="#main" { (messages::page::SKIP_TO_CONTENT) }
                    div #notice role="alert" { @if let Some(words) = self.notice { p { (notice(words)) } } }
                    p #link role="status" {}
                    (content)
                    p #aloud .sr aria-live="polite" {}
                }
            }
        }
    }
}

/// A page that says why there is nothing else on it.
pub fn problem(status: StatusCode, words: &str) -> Response {
    problem_at(status, words, "/")
}

/// The same with the way back to the page that it happened on.
pub fn problem_at(status: StatusCode, words: &str, home: &str) -> Response {
    let frame = Frame { title: messages::page::SORRY, live: None, class: "plain", notice: None };
    let back = match home {
        "/" => messages::buttons::BACK_TO_START,
        home if home.contains("/s/") => messages::buttons::BACK_TO_CONVERSATION,
        _ => messages::buttons::BACK,
    };
    let content = html! {
        main #main { h1 { (messages::page::SORRY) } p { (words) } p { a.button href=(home) { (back) } } }
    };
    (status, Html(frame.around(&content).into_string())).into_response()
}

/// What the start page shows.
pub(super) struct Start<'a> {
    pub(super) flows: Vec<&'a LoadedFlow>,
    pub(super) mine: &'a [Head],
    pub(super) browser: &'a Browser,
    pub(super) page: &'a str,
    /// Whether the staff page opens without a key.
    pub(super) staff: bool,
    /// Whether nothing that is said here leaves this machine.
    pub(super) is_local: bool,
    pub(super) notice: Option<&'a Words>,
}

/// The flows, and the conversations of this browser.
pub(super) fn start(start: &Start<'_>) -> Markup {
    let frame =
        Frame { title: messages::buttons::START, live: None, class: "start", notice: start.notice };
    frame.around(&html! {
        header.top { div.inner { (brand::sign()) @if start.staff { a href="/staff" { (messages::staff_page::STAFF_PAGE) } } } }
        main #main {
            h1 { (messages::page::WELCOME) }
            p.lead { (messages::page::LEAD) @if start.is_local { " " (messages::page::LOCAL) } }
            @if !start.mine.is_empty() {
                section aria-labelledby="mine" {
                    h2 #mine { (messages::staff::YOUR_CONVERSATIONS) }
                    ul.sessions { @for head in start.mine { (own(head, &start.flows)) } }
                }
            }
            section aria-labelledby="flows" {
                h2 #flows { (messages::page::INTERVIEWS) }
                @if start.flows.is_empty() {
                    p.empty-hint { (messages::page::NO_INTERVIEWS) }
                } @else {
                    (offers(start))
                }
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
            span.small { (messages::staff::status(head.status)) " · " (render::time(head.updated_at)) }
        }
    }
}

/// One form for all: the name is asked once, and each flow has a button.
fn offers(start: &Start<'_>) -> Markup {
    html! {
        form method="post" action="/start" data-plain {
            input type="hidden" name="csrf" value=(start.browser.csrf());
            input type="hidden" name="key" value=(start.page);
            div.field.short { label for="name" { (messages::page::YOUR_NAME) " " span.small { (messages::forms::OPTIONAL) } }
                input #name type="text" name="name" dir="auto" maxlength=(limits::NAME_MAX) autocomplete="name"; }
            @for flow in &start.flows { (offer(flow)) }
        }
    }
}

fn offer(flow: &LoadedFlow) -> Markup {
    let id = &flow.flow.id;
    html! {
        article.offer aria-labelledby={ "flow-" (id) } {
            h3 id={ "flow-" (id) } { (flow.flow.title) }
            p { (flow.flow.summary) }
            ol.phases { @for phase in &flow.flow.phase { li { (phase.title) } } }
            button.primary name="flow" value=(id) aria-describedby={ "flow-" (id) } { (messages::buttons::START) }
        }
    }
}

/// The participant's conversation.
pub(super) fn conversation(view: &View, cx: &Cx, notice: Option<&Words>) -> Markup {
    let title = &view.flow.flow.title;
    let window = view.latest(cx.viewer);
    let live = Some(live_url(cx, &window));
    let frame = Frame { title, live, class: "talk", notice };
    frame.around(&html! {
        header.top {
            div.inner {
                a.brand-mark href="/" aria-label=(messages::page::ALL_INTERVIEWS) { (icons::back()) }
                h1 { (brand::logo()) (title) }
                (PreEscaped(menu(&view.state, cx).html))
            }
            (PreEscaped(render::status(&view.state, &view.flow, cx.viewer).html))
        }
        main #main {
            h2 #talk .sr { (messages::staff::CONVERSATION) }
            @let log = view.log(cx, |recorded| window.holds(recorded));
            (earlier_link(cx, window.from()))
            div #log aria-labelledby="talk" role="region" tabindex="-1" {
                @for piece in &log { (PreEscaped(&piece.html)) }
                @if let Some(draft) = &view.doing.draft { (PreEscaped(activity::render_draft(draft).html)) }
            }
            @if log.is_empty() { p.empty-hint { (messages::page::STARTING) } }
            (PreEscaped(view.doing.line(cx).html))
            (PreEscaped(render::tail(&view.state, cx).html))
            noscript { p.strip { a href=(cx.home()) { (messages::buttons::REFRESH) } " " (messages::page::TO_SEE_NEWS) } }
        }
        (composer(cx))
    })
}

/// Where live updates of a page come from.
pub(super) fn live_url(cx: &Cx, window: &Window) -> String {
    cx.url("live") + &window.query()
}

/// The way to the messages before the event `from`, if there are any.
pub(super) fn earlier_link(cx: &Cx, from: u64) -> Markup {
    html! {
        @if from > 0 {
            nav.pager aria-label=(messages::buttons::EARLIER) {
                a.button.quiet href={ (cx.home()) "?before=" (from) } rel="prev" { (icons::previous()) (messages::buttons::EARLIER) }
            }
        }
    }
}

/// A page of the messages before the event `before`, to read.
pub(super) fn earlier(view: &View, cx: &Cx, before: u64) -> Markup {
    let title = match cx.viewer {
        Audience::Participant => &view.flow.flow.title,
        Audience::Staff => view.state.known_as().unwrap_or(messages::staff_page::NO_NAME),
    };
    let from = view.timeline(cx.viewer).start(before, limits::LOG_MAX);
    let class = if cx.viewer == Audience::Staff { "talk staff" } else { "talk" };
    let frame = Frame { title, live: None, class, notice: None };
    frame.around(&html! {
        header.top {
            div.inner {
                a.brand-mark href=(cx.home()) aria-label=(messages::buttons::OPEN_CONVERSATION) { (icons::back()) }
                h1 { (brand::logo()) bdi { (title) } }
            }
        }
        main #main {
            h2 #talk .sr { (messages::staff::CONVERSATION) }
            (earlier_link(cx, from))
            div #log aria-labelledby="talk" role="region" tabindex="-1" {
                @for piece in &view.log(cx, |recorded| (from..before).contains(&recorded.seq)) { (PreEscaped(&piece.html)) }
            }
            nav.pager aria-label=(messages::buttons::NEWEST) {
                a.button.quiet href=(cx.home()) rel="next" { (messages::buttons::NEWEST) (icons::next()) }
            }
        }
    })
}

fn composer(cx: &Cx) -> Markup {
    html! {
        footer.composer {
            form #say .drop method="post" action=(cx.url("say")) enctype="multipart/form-data" data-form="say" {
                (cx.hidden("say"))
                label.attach title=(messages::buttons::ATTACH_FILE) {
                    (icons::clip()) span.sr { (messages::buttons::ATTACH_FILE) }
                    input.sr type="file" name="files" multiple;
                }
                label.sr for="text" { (messages::page::WRITE_A_MESSAGE) }
                textarea #text name="text" rows="1" dir="auto" data-max=(limits::TEXT_MAX) placeholder=(messages::page::WRITE_A_MESSAGE) aria-describedby="text-hint" { (cx.unsent) }
                span #text-hint .sr { (messages::page::ENTER_SENDS) }
                button.primary aria-label=(messages::buttons::SEND_MESSAGE) { (icons::send()) }
                p.chosen.small aria-live="polite" {}
                p.left.small aria-live="polite" {}
            }
        }
    }
}

/// What a participant may always do.
fn menu(state: &State, cx: &Cx) -> Fragment {
    let inner = |cx: &Cx| {
        html! {
            details.menu {
                summary { (messages::buttons::MENU) }
                div.sheet {
                    (order(cx, state, "human", messages::buttons::TALK_TO_A_PERSON))
                    @match state.status {
                        Status::Notice | Status::Open => (order(cx, state, "stop", messages::buttons::STOP)),
                        Status::Stopped | Status::Paused | Status::Declined => (order(cx, state, "resume", messages::buttons::CONTINUE)),
                        Status::Completed | Status::Ended => {},
                    }
                    @if state.status == Status::Open && state.phase().is_some() {
                        details.sub {
                            summary { (messages::buttons::asking(messages::buttons::SKIP_AHEAD)) }
                            form method="post" action=(cx.url("command")) data-form="advance" {
                                (cx.hidden(&format!("advance{}", state.seq)))
                                label for="reason" { (messages::page::WHY_SKIP) }
                                textarea #reason name="reason" rows="2" dir="auto" {}
                                button.primary name="command" value="advance" { (messages::buttons::SEND_REQUEST) }
                            }
                        }
                    }
                    a.item href=(cx.url("export")) download { (messages::buttons::DOWNLOAD_MY_ANSWERS) }
                    (order(cx, state, "delete", &messages::buttons::asking(messages::buttons::DELETE_MY_DATA)))
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
    let frame =
        Frame { title: messages::page::ERASED_TITLE, live: None, class: "plain", notice: None };
    frame.around(&html! {
        main #main {
            h1 { (messages::page::ERASED) }
            p { (messages::page::ERASED_BODY) }
            @if !receipt.is_empty() { p { (messages::page::RECEIPT) " " code { (receipt) } } }
            p { a.button href="/" { (messages::buttons::BACK_TO_START) } }
        }
    })
}
