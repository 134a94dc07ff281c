//! Conversations at a glance: one's own, one of somebody's, everybody's.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{SHOW, button, told};
use crate::{
    engine::Look,
    form::{clip, plain, words, words_of},
    gateway::slack::{
        inbound::Ack,
        inbox::Desk,
        mirror::{self, Order, context, section},
        render::text::escape,
    },
    interview::evidence,
    model::session::{Head, Platform, Status},
};

/// Conversations in the overview.
const ROWS: usize = 20;

/// Conversations that the overview counts.
const COUNTED: usize = 2_000;

/// How one's own conversation stands.
pub(super) fn of_one(look: &Look) -> String {
    let mut text =
        format!("*{}*: {}", escape(&look.flow.flow.title), escape(&mirror::standing(look)));
    if let Some(open) = look.state.pending().next() {
        let question = plain(&open.prompt.body);
        _ = write!(text, "\nOpen: {}", escape(&clip(&question, 300)));
    }
    text
}

/// One conversation, for staff.
pub(super) fn card_of(look: &Look) -> Ack {
    let person = look.state.person_in_words();
    let text = format!("{person} · {}", look.flow.flow.title);
    let mut lines = vec![mirror::standing(look)];
    if let Some(phase) = look.state.phase().and_then(|phase| look.flow.phase(phase)) {
        for objective in &phase.objective {
            let is_settled = evidence::is_settled(&look.state, &objective.id);
            let word = if is_settled { "done" } else { "open" };
            lines.push(format!("• {}: {word}", objective.title));
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    let mut blocks =
        vec![section(&format!("*{}*", escape(&text))), section(&clip(&lines.join("\n"), 2_900))];
    if !look.state.status.is_over() {
        let orders = [Order::TakeOver, Order::HandBack, Order::Nudge, Order::End];
        blocks.push(mirror::orders(look.state.session, &orders));
    }
    Ack::Ephemeral { text, blocks }
}

/// Everybody at a glance (BEHAVIOUR J5.1).
pub(super) async fn overview(desk: &Desk<'_>) -> Ack {
    let heads = match desk.engine.sessions(COUNTED).await {
        Ok(heads) => heads,
        Err(error) => return told(words::of_error(&error)),
    };
    let of_here = |head: &&Head| {
        head.place.platform == Platform::Slack && head.place.workspace == desk.team() && !head.test
    };
    let heads: Vec<&Head> = heads.iter().filter(of_here).collect();
    let open: Vec<&&Head> = heads
        .iter()
        .filter(|head| matches!(head.status, Status::Notice | Status::Open | Status::Paused))
        .collect();
    let silent_since = desk.app.clock.now() - chrono::TimeDelta::hours(24);
    let count = |is: &dyn Fn(&Head) -> bool| open.iter().filter(|head| is(head)).count();
    let text = format!(
        "{} open · {} silent for a day · {} to approve · {} handed over",
        open.len(),
        count(&|head| head.updated_at < silent_since),
        count(&|head| head.approvals > 0),
        count(&|head| head.handed_over),
    );
    let mut blocks = vec![section(&format!("*{text}*"))];
    let mut phases: BTreeMap<&str, usize> = BTreeMap::new();
    for head in &open {
        *phases.entry(head.phase.as_deref().unwrap_or("not begun")).or_default() += 1;
    }
    let phases: Vec<String> =
        phases.iter().map(|(phase, n)| format!("{}: {n}", escape(&words_of(phase)))).collect();
    if !phases.is_empty() {
        blocks.push(context(&clip(&phases.join(" · "), 2_000)));
    }
    for head in open.iter().take(ROWS) {
        let person = head.name.clone().unwrap_or_else(|| "Somebody".to_owned());
        let line = format!("{} · {}", escape(&person), words::of_status(head.status));
        let mut row = section(&line);
        row["accessory"] = button(&format!("{SHOW}{}", head.id.short()), "Open");
        blocks.push(row);
    }
    Ack::Ephemeral { text, blocks }
}
