//! Conversations at a glance: one's own, one of somebody's, everybody's.

use std::fmt::Write as _;

use crate::{
    chat::profile,
    engine::Look,
    form::{clip, glance, plain},
    gateway::slack::{
        blocks::{Button, actions, drawn, section},
        home,
        inbound::Ack,
        inbox::Arrival,
        limits, mirror,
        render::text::literal,
    },
    model::session::Head,
};

/// How one's own conversation stands.
pub(super) fn of_one(look: &Look) -> String {
    let mut text =
        format!("*{}*: {}", literal(&look.flow.flow.title), literal(&glance::standing(look)));
    if let Some(open) = look.state.pending().next() {
        let question = plain(&open.prompt.body);
        _ = write!(text, "\nOpen: {}", literal(&clip(&question, 300)));
    }
    text
}

/// One conversation, for staff.
pub(super) fn card_of(look: &Look) -> Ack {
    let person = look.state.person_in_words();
    let text = format!("{person} · {}", look.flow.flow.title);
    let mut lines = vec![glance::standing(look)];
    lines.extend(glance::objectives(look));
    let lines: Vec<String> = lines.iter().map(|line| literal(line)).collect();
    let text = literal(&text);
    let mut blocks = vec![section(format!("*{text}*")), section(clip(&lines.join("\n"), 2_900))];
    let read = profile::buttons(&look.state).into_iter();
    let read = read.map(|(id, label)| Button::new(id, label).build());
    let orders = mirror::buttons(&look.state);
    blocks.extend(actions(read.chain(orders).collect()));
    Ack::Ephemeral { text, blocks: drawn(&blocks) }
}

/// Everybody at a glance, as on Home.
pub(super) fn overview(arrival: &Arrival<'_>, heads: &[Head]) -> Ack {
    let mut blocks = home::overview(heads, arrival.app.clock.now());
    blocks.truncate(limits::MESSAGE_BLOCKS);
    Ack::Ephemeral { text: "All conversations".to_owned(), blocks: drawn(&blocks) }
}
