//! Conversations at a glance: one's own, one of somebody's, everybody's.

use std::fmt::Write as _;

use crate::{
    chat::{
        form::{clip, overview, plain},
        profile,
    },
    engine::Look,
    gateway::slack::{
        blocks::{Button, actions, section, to_json},
        home,
        inbound::Ack,
        limits,
        render::text::literal,
        staff_thread,
        update::UpdateContext,
    },
    messages,
    model::session::Head,
};

/// How one's own conversation stands.
pub(super) fn of_one(look: &Look) -> String {
    let mut text =
        format!("*{}*: {}", literal(&look.flow.flow.title), literal(&overview::status_line(look)));
    if let Some(open) = look.state.pending().next() {
        let question = plain(&open.prompt.body.common_mark());
        _ = write!(text, "\n{}", messages::staff::open_question(&literal(&clip(&question, 300))));
    }
    text
}

/// One conversation, for staff.
pub(super) fn card_of(look: &Look) -> Ack {
    let person = look.state.person_in_words();
    let text = format!("{person} · {}", look.flow.flow.title);
    let mut lines = vec![overview::status_line(look)];
    lines.extend(overview::objectives(look));
    let lines: Vec<String> = lines.iter().map(|line| literal(line)).collect();
    let text = literal(&text);
    let mut blocks = vec![section(format!("*{text}*")), section(clip(&lines.join("\n"), 2_900))];
    let read = profile::buttons(&look.state).into_iter();
    let read = read.map(|(id, label)| Button::new(id, label).build());
    let orders = staff_thread::buttons(&look.state);
    blocks.extend(actions(read.chain(orders).collect()));
    Ack::Ephemeral { text, blocks: to_json(&blocks) }
}

/// Everybody at a glance, as on Home.
pub(super) fn overview(update: &UpdateContext<'_>, heads: &[Head]) -> Ack {
    let mut blocks = home::overview(heads, update.app.clock.now());
    blocks.truncate(limits::MESSAGE_BLOCKS);
    Ack::Ephemeral { text: messages::staff::ALL_CONVERSATIONS.to_owned(), blocks: to_json(&blocks) }
}
