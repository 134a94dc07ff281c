//! The page of a conversation, for whoever looks. Pure: what it shows is given.

use maud::{Markup, PreEscaped, html};

use super::{
    activity, brand,
    frame::Frame,
    icons, limits, participant_page,
    piece::{Cx, Fragment},
    render, staff_page,
    timeline::Window,
    view::{View, earlier_link},
};
use crate::{
    messages::{self, Text},
    model::transcript::Audience,
};

/// The page of a session for whoever looks.
pub(super) fn page(view: &View, cx: &Cx, notice: Option<&Text>) -> Markup {
    match cx.viewer {
        Audience::Participant => participant_page::conversation(view, cx, notice),
        Audience::Staff => staff_page::conversation(view, cx, notice),
    }
}

/// Every piece of the page that changes while it is open.
pub fn pieces(view: &View, cx: &Cx, window: &Window) -> Vec<Fragment> {
    let mut pieces = vec![render::status(&view.state, &view.flow, cx.viewer)];
    if cx.viewer == Audience::Staff {
        pieces.push(staff_page::orders(&view.state, cx));
        pieces.push(staff_page::status_panel(&view.state, &view.flow));
        pieces.push(staff_page::collected(&view.state, &view.flow));
    } else {
        pieces.push(participant_page::menu(&view.state, cx));
    }
    pieces.extend(view.log(cx, |recorded| window.holds(recorded)));
    if cx.viewer == Audience::Participant {
        pieces.extend(view.doing.draft.as_ref().map(activity::render_draft));
        pieces.push(view.doing.line(cx));
    }
    pieces.push(render::tail(&view.state, cx));
    pieces
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
