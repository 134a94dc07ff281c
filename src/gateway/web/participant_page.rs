//! The participant's pages. Pure: what they show is given.

use maud::{Markup, PreEscaped, html};

use super::{
    activity, brand,
    frame::Frame,
    guard::Browser,
    icons, limits,
    piece::{self, Cx, Fragment},
    render,
    view::{View, earlier_link, live_url},
};
use crate::{
    flow::LoadedFlow,
    messages::{self, Text},
    model::session::{Head, Status},
    session::State,
};

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
    pub(super) notice: Option<&'a Text>,
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
            span.small { (messages::staff::status(head.status)) " · " (piece::time(head.updated_at)) }
        }
    }
}

/// One form for all: the name is asked once, and each flow has a button.
fn offers(start: &Start<'_>) -> Markup {
    html! {
        form method="post" action="/start" data-plain {
            // Enter in the name presses the first button of the form: it must not be that of the first interview.
            button type="submit" disabled hidden {}
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
pub(super) fn conversation(view: &View, cx: &Cx, notice: Option<&Text>) -> Markup {
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
pub(super) fn menu(state: &State, cx: &Cx) -> Fragment {
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
    piece::fragment("menu", "menu-holder", &inner(cx), &inner(&cx.neutral()))
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
