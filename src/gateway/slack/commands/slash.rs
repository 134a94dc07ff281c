//! Slash commands: which one it is by its name and its words, and how the answer to it is shown.
//!
//! The command of the configuration (`/onboard`) takes every order and belongs to no flow, though flows may name it. A
//! command that only flows name (`/welcome`) starts those; words after it are orders all the same. Any other name starts
//! nothing and is answered with the list of commands.

use std::{fmt::Write as _, sync::Arc};

use async_trait::async_trait;

use super::{
    CopyFor, begin, hand_out, mentioned,
    overview::{card_of, of_one, overview},
    told,
};
use crate::{
    chat::{
        commands::{
            Entry, Order, Verb,
            decide::{self, Answer, Caller, decide, rights_of_staff, startable},
            help, parse,
        },
        form::words,
        handler::ReplyTarget,
    },
    engine::Engine,
    flow::{Library, LoadedFlow},
    gateway::slack::{
        inbound::{Ack, Command as Typed},
        people,
        render::{Message as Post, markup::Mrkdwn, text::literal},
        update::UpdateContext,
    },
    messages,
    model::{
        session::{Head, PersonId, Platform},
        transcript::Audience,
    },
    session::Responder,
};

/// A command, with what stands after it.
pub(in crate::gateway::slack) async fn typed(update: &UpdateContext<'_>, typed: Typed) -> Ack {
    let typist = Typist { update, typed: &typed };
    let Some(meant) = typist.read() else {
        return typist.help(rights_of_staff(&typist).await.is_ok());
    };
    let mut order = match meant {
        Meant::Order(order) => order,
        Meant::OneOf(flows) => return picker(&flows),
    };
    // One word for both: staff read how everybody is doing.
    if order.verb == Verb::Status && rights_of_staff(&typist).await.is_ok() {
        order.verb = Verb::Overview;
    }
    match decide(&typist, &order).await {
        Ok(answer) => typist.show(answer).await,
        Err(error) => told(words::of_error(&error)),
    }
}

/// What a slash command means.
enum Meant {
    Order(Order),
    /// Several flows start with it.
    OneOf(Vec<Arc<LoadedFlow>>),
}

/// Whoever typed a command.
struct Typist<'a> {
    update: &'a UpdateContext<'a>,
    typed: &'a Typed,
}

#[async_trait]
impl Caller for Typist<'_> {
    fn engine(&self) -> &Engine {
        self.update.engine
    }

    fn key(&self) -> &str {
        &self.update.key
    }

    fn me(&self) -> PersonId {
        people::person_id(self.update.team(), &self.typed.by.user)
    }

    async fn rights(&self) -> Result<Responder, String> {
        self.update.rights(&self.typed.by).await.map_err(|unchecked| unchecked.to_string())
    }

    async fn participant(&self, head: &Head) -> Responder {
        self.update.participant(&self.typed.by, head.name.as_deref()).await
    }

    fn usage(&self, entry: &Entry) -> String {
        entry.typed(self.command()).unwrap_or_default()
    }
}

impl Typist<'_> {
    /// The command that takes orders.
    fn command(&self) -> &str {
        &self.update.app.connection.command
    }

    /// What is meant; none where it is no command.
    fn read(&self) -> Option<Meant> {
        let person = |word: &str| mentioned(word).map(str::to_owned);
        let name = &self.typed.name;
        if name == self.command() {
            let flows = startable(&self.update.library(), Platform::Slack);
            let order = parse(&self.typed.text, person, |id| is_among(&flows, id));
            return order.map(Meant::Order);
        }
        let flows = started_by(&self.update.library(), name);
        if flows.is_empty() {
            return None;
        }
        let mut order = parse(&self.typed.text, person, |id| is_among(&flows, id))?;
        if order.verb == Verb::Start && order.flow.is_none() {
            let [flow] = flows.as_slice() else { return Some(Meant::OneOf(flows)) };
            order.flow = Some(flow.flow.id.clone());
            if flow.flow.policy.score_people {
                order.verb = Verb::Match;
            }
        }
        Some(Meant::Order(order))
    }

    async fn show(&self, answer: Answer) -> Ack {
        match answer {
            Answer::Say(text) => told(text),
            Answer::Told(words) => told(words.write(&Mrkdwn)),
            Answer::Done { command, .. } => told(decide::done(&command)),
            Answer::Begin(flow) => {
                let (by, channel) = (&self.typed.by, self.typed.channel.as_str());
                told(begin::begun(self.update, &flow, by, channel).await)
            }
            Answer::Pick(flows) => picker(&flows),
            Answer::Invite(user, flows) => begin::preview(&user, &flows),
            Answer::Own(look) => told(of_one(&look)),
            Answer::One(look) => card_of(&look),
            Answer::All(heads) => overview(self.update, &heads),
            Answer::Copy(session) => {
                let Typed { by, channel, .. } = self.typed;
                let reply_target =
                    ReplyTarget { user: by.user.clone(), channel: channel.clone(), thread: None };
                let to = CopyFor { reply_target, thread: None };
                hand_out(self.update, session, Audience::Staff, to);
                told(messages::notices::ON_ITS_WAY)
            }
            Answer::Help(is_staff) => self.help(is_staff),
        }
    }

    /// The list of commands, those of flows among them.
    fn help(&self, is_staff: bool) -> Ack {
        let mut text = help(is_staff, |entry| entry.typed(self.command()));
        for flow in startable(&self.update.library(), Platform::Slack) {
            let start = flow.flow.start.slack.as_ref();
            let commands = start.into_iter().flat_map(|start| &start.commands);
            for command in commands.filter(|command| *command != self.command()) {
                _ = write!(
                    text,
                    "\n{}",
                    messages::commands::starts(command, &literal(&flow.flow.title))
                );
            }
        }
        told(text)
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
    let Post { text, blocks } = begin::chooser(flows);
    Ack::Ephemeral { text, blocks }
}
