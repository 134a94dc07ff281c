//! Slash commands: which one it is by its name and its words, and how the answer to it is shown.
//!
//! The command of the configuration (`/onboard`) takes every order and belongs to no flow, though flows may name it. A
//! command that only flows name (`/welcome`) starts those; words after it are orders all the same. Any other name starts
//! nothing and is answered with the list of commands.

use std::{fmt::Write as _, sync::Arc};

use async_trait::async_trait;

use super::{
    Act,
    begin::{chooser, preview},
    mentioned,
    overview::overview,
};
use crate::{
    chat::commands::{
        Entry, Order, Verb,
        decide::{Choice, Commands, ordered, rights_of_staff},
        flows::startable,
        help, parse,
    },
    flow::{Library, LoadedFlow},
    gateway::slack::{
        inbound::{Ack, Command as Typed, NotSaved},
        render::{Message as Post, text::literal},
        update::UpdateContext,
    },
    messages,
    model::session::{Head, Platform},
};

/// A command, with what stands after it.
pub(in crate::gateway::slack) async fn typed(
    update: &UpdateContext<'_>,
    typed: Typed,
) -> Result<Ack, NotSaved> {
    let mut order = match read(update, &typed) {
        Some(Meant::Order(order)) => order,
        Some(Meant::OneOf(flows)) => return Ok(picker(&flows)),
        None => Order::of(Verb::Help),
    };
    // One word for both: staff read how everybody is doing.
    if order.verb == Verb::Status && rights_of_staff(update, &typed.by).await.is_ok() {
        order.verb = Verb::Overview;
    }
    ordered(update, &order, &Act::Typed(typed)).await
}

/// What a slash command means.
enum Meant {
    Order(Order),
    /// Several flows start with it.
    OneOf(Vec<Arc<LoadedFlow>>),
}

/// What is meant; `None` if it is no command.
fn read(update: &UpdateContext<'_>, typed: &Typed) -> Option<Meant> {
    let person = |word: &str| mentioned(word).map(str::to_owned);
    let library = update.library();
    if typed.name == update.app.connection.command {
        let flows = startable(&library, Platform::Slack);
        let order = parse(&typed.text, person, |id| is_among(&flows, id));
        return order.map(Meant::Order);
    }
    let flows = started_by(&library, &typed.name);
    if flows.is_empty() {
        return None;
    }
    let mut order = parse(&typed.text, person, |id| is_among(&flows, id))?;
    if order.verb == Verb::Start && order.flow.is_none() {
        let [flow] = flows.as_slice() else { return Some(Meant::OneOf(flows)) };
        order.flow = Some(flow.flow.id.clone());
        if flow.flow.policy.score_people {
            order.verb = Verb::Match;
        }
    }
    Some(Meant::Order(order))
}

#[async_trait]
impl Commands for UpdateContext<'_> {
    fn usage(&self, entry: &Entry) -> Option<String> {
        entry.typed(&self.app.connection.command)
    }

    /// Those of flows are among them.
    fn list(&self, is_staff: bool) -> String {
        let mut text = help(is_staff, |entry| self.usage(entry));
        for flow in startable(&self.library(), Platform::Slack) {
            let start = flow.flow.start.slack.as_ref();
            let commands = start.into_iter().flat_map(|start| &start.commands);
            for command in commands.filter(|command| **command != self.app.connection.command) {
                _ = write!(
                    text,
                    "\n{}",
                    messages::commands::starts(command, &literal(&flow.flow.title))
                );
            }
        }
        text
    }

    async fn choose(&self, choice: Choice<'_>, _act: &Act) -> Result<Ack, NotSaved> {
        Ok(match choice {
            Choice::Begin(flows) => picker(flows),
            Choice::Invite(user, flows) => preview(user, flows),
        })
    }

    fn show_all(&self, heads: &[Head], _act: &Act) -> Ack {
        overview(self, heads)
    }
}

/// The flows that name a slash command.
fn started_by(library: &Library, command: &str) -> Vec<Arc<LoadedFlow>> {
    let names = |flow: &Arc<LoadedFlow>| {
        let start = flow.flow.start.slack.as_ref();
        start.is_some_and(|start| start.commands.iter().any(|name| name == command))
    };
    library.iter().filter(names).collect()
}

fn is_among(flows: &[Arc<LoadedFlow>], id: &str) -> bool {
    flows.iter().any(|flow| flow.flow.id == id)
}

fn picker(flows: &[Arc<LoadedFlow>]) -> Ack {
    let Post { text, blocks } = chooser(flows);
    Ack::Ephemeral { text, blocks }
}
