//! What staff see of conversations: the head of the thread about one, one of them whole, all of them at a glance.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};

use super::{
    limits,
    render::{
        Message, OPEN, OVER,
        component::Component,
        components::{self, button, danger, rows, small},
        text::{said, time},
    },
    texts,
};
use crate::{
    chat::{
        form::{MessageAccess, StaffAction, overview, plain, words_of},
        handler::ButtonId,
    },
    engine::Look,
    messages,
    model::session::{Head, Status},
    session::State,
};

/// Conversations in the overview; each takes three components of a message's forty.
const ROWS: usize = 9;

/// The head of the thread: who, which interview, how far, and what staff may do.
pub(crate) fn root(look: &Look, message_access: MessageAccess) -> Message {
    let how = match (look.state.status, message_access) {
        (Status::Ended, _) => messages::staff::NOTHING_TO_DO,
        (Status::Completed, MessageAccess::All) => messages::staff::WRITE_TO_THEM,
        (Status::Completed, MessageAccess::Replies) => messages::staff::REPLY_TO_THEM,
        (_, MessageAccess::All) => messages::staff::WRITE_TO_TAKE_OVER,
        (_, MessageAccess::Replies) => messages::staff::REPLY_TO_TAKE_OVER,
        (_, MessageAccess::Nothing) => messages::staff::PRESS_TO_TAKE_OVER,
    };
    let mut components = vec![components::text(&title(look))];
    components
        .push(small(&[said(&overview::status_line(look), limits::VALUE_SHOWN), how.to_owned()]));
    components.extend(orders(&look.state));
    Message::card(components, OPEN)
}

/// The head of the thread once the session is erased: nothing of anybody, and nothing to press.
pub(crate) fn erased() -> Message {
    Message::card(vec![small(&[messages::staff::ERASED.to_owned()])], OVER)
}

/// One conversation, for staff.
pub(crate) fn one(look: &Look) -> Message {
    let mut lines = vec![said(&overview::status_line(look), limits::VALUE_SHOWN)];
    lines.extend(overview::objectives(look).iter().map(|line| said(line, limits::QUOTE)));
    let mut components = vec![components::text(&title(look)), components::text(&lines.join("\n"))];
    components.extend(texts::about(&look.state));
    components.extend(orders(&look.state));
    Message::card(components, OPEN)
}

/// How one's own conversation stands, and where it goes on.
pub(crate) fn own(look: &Look, link: Option<&str>) -> String {
    let title = said(&look.flow.flow.title, limits::QUOTE);
    let mut text =
        format!("**{title}**: {}", said(&overview::status_line(look), limits::VALUE_SHOWN));
    if let Some(open) = look.state.pending().next() {
        _ = write!(
            text,
            "\n{}",
            messages::staff::open_question(&said(&plain(&open.prompt.body.common_mark()), 300))
        );
    }
    if let Some(link) = link {
        _ = write!(text, "\n{link}");
    }
    text
}

/// Everybody at a glance.
pub(crate) fn overview(heads: &[Head], now: DateTime<Utc>) -> Message {
    let overview = overview::Overview::of(heads, now);
    let mut components = vec![components::text(&format!(
        "### {}\n{}",
        messages::staff::ALL_CONVERSATIONS,
        overview.counts
    ))];
    let phases: Vec<String> = overview
        .phases
        .iter()
        .map(|(phase, n)| format!("{}: {n}", said(phase, limits::QUOTE)))
        .collect();
    if !phases.is_empty() {
        components.push(small(&[phases.join(" · ")]));
    }
    components.extend(overview.rows.iter().take(ROWS).map(row));
    if overview.rows.len() > ROWS {
        components.push(small(&[messages::staff::more_conversations(overview.rows.len() - ROWS)]));
    }
    Message::card(components, OPEN)
}

fn row(row: &overview::Row<'_>) -> Component {
    let phase =
        row.phase.as_deref().map(|phase| format!(" · {}", said(&words_of(phase), limits::QUOTE)));
    let wants = row.wants.iter().fold(String::new(), |text, want| text + " · **" + want + "**");
    let text = format!(
        "**{}** · {}{}{wants}\n-# {}",
        said(&messages::unnamed::at_beginning(row.person), limits::QUOTE),
        row.status,
        phase.unwrap_or_default(),
        time(row.head.updated_at),
    );
    texts::row(&text, ButtonId::show(row.head.id), messages::buttons::OPEN)
}

fn title(look: &Look) -> String {
    let person = said(&look.state.person_in_words(), limits::QUOTE);
    format!("**{person}** · {}", said(&look.flow.flow.title, limits::QUOTE))
}

/// Buttons for the orders that make sense.
fn orders(state: &State) -> Vec<Component> {
    let session = state.session;
    let button = |order: &StaffAction| match order {
        StaffAction::End => danger(order.id(session), order.label()),
        StaffAction::TakeOver | StaffAction::HandBack | StaffAction::Nudge => {
            button(order.id(session), order.label())
        }
    };
    rows(StaffAction::offered(state).iter().map(button))
}
