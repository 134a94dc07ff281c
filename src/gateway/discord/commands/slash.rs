//! Registered commands: which one it is by its path and its options, and how the answer to it is shown.

use async_trait::async_trait;

use super::{begin, copy, invite, own, upload, used};
use crate::{
    chat::{
        commands::{
            Entry, Order, Verb,
            decide::{self, Answer, Caller, decide},
            help, on_discord,
        },
        form::words,
    },
    engine::Engine,
    gateway::discord::{
        handler::{ReplyTarget, UpdateContext, participant},
        inbound::{Ack, Actor, Command as Given, NotTaken, Target},
        manifest::{REVIEW, REVIEW_USER},
        staff_thread, texts,
    },
    model::{
        session::{Head, PersonId},
        transcript::Audience,
    },
    session::Responder,
};

/// A command, with what was given with it.
pub(in crate::gateway::discord) async fn typed(
    arrival: &UpdateContext<'_>,
    command: Given,
) -> Result<Ack, NotTaken> {
    let ear = ReplyTarget { user: command.by.user.clone(), channel: command.at.channel.clone() };
    if arrival.guild.is_none() {
        return Ok(arrival.say(&ear, texts::IN_A_SERVER));
    }
    let Some(order) = read(&command) else { return Ok(arrival.say(&ear, texts::GONE)) };
    match (order.verb, command.target.clone()) {
        (Verb::Panel, _) => Ok(begin::panel(arrival, &command, &ear)),
        (Verb::Upload, _) => upload(arrival, &command, &ear).await,
        (Verb::UseAsAnswer, Some(Target::Message(message))) => {
            used(arrival, *message, &command.by, &ear).await
        }
        (Verb::UseAsAnswer, _) => Ok(arrival.say(&ear, words::NO_ANSWER)),
        _ => {
            let asker = Asker { arrival, by: &command.by };
            match decide(&asker, &order).await {
                Ok(answer) => asker.show(answer, &ear).await,
                Err(error) if words::may_pass(&error) => Err(NotTaken),
                Err(error) => Ok(arrival.say(&ear, &words::of_error(&error))),
            }
        }
    }
}

/// What is ordered; none where nothing like it is registered any more.
fn read(command: &Given) -> Option<Order> {
    let path: Vec<&str> = command.path.iter().map(String::as_str).collect();
    let (path, whom) = match (path.as_slice(), &command.target) {
        ([REVIEW_USER], Some(Target::User(user))) => (vec![REVIEW], Some(user)),
        _ => (path, command.options.get("member")),
    };
    let entry = on_discord(&path, whom.is_some())?;
    Some(Order {
        verb: entry.verb,
        whom: whom.cloned(),
        flow: command.options.get("flow").cloned(),
        reason: command.options.get("reason").cloned().unwrap_or_default(),
    })
}

/// Whoever gave a command.
pub(super) struct Asker<'a> {
    pub(super) arrival: &'a UpdateContext<'a>,
    pub(super) by: &'a Actor,
}

#[async_trait]
impl Caller for Asker<'_> {
    fn engine(&self) -> &Engine {
        self.arrival.engine
    }

    fn key(&self) -> &str {
        &self.arrival.key
    }

    fn me(&self) -> PersonId {
        self.arrival.person(self.by)
    }

    async fn rights(&self) -> Result<Responder, String> {
        Ok(self.arrival.responder(self.by))
    }

    async fn participant(&self, head: &Head) -> Responder {
        participant(head, self.by)
    }

    fn usage(&self, entry: &Entry) -> String {
        entry.on_discord().unwrap_or_default()
    }
}

impl Asker<'_> {
    async fn show(&self, answer: Answer, ear: &ReplyTarget) -> Result<Ack, NotTaken> {
        let arrival = self.arrival;
        Ok(match answer {
            Answer::Say(text) => arrival.say(ear, &text),
            Answer::Told(words) => arrival.say(ear, &texts::sentence(&words)),
            Answer::Done { session, command, is_own: true } => {
                own::came_of(arrival, session, command)
            }
            Answer::Done { command, .. } => arrival.say(ear, decide::done(&command)),
            Answer::Begin(flow) => return begin::started(arrival, &flow, self.by, ear).await,
            Answer::Pick(flows) => arrival.show(ear, begin::chooser(&flows)),
            Answer::Invite(user, flows) => arrival.show(ear, invite::preview(&user, &flows)),
            Answer::Own(look) => own::status(arrival, *look),
            Answer::One(look) => arrival.show(ear, staff_thread::one(&look)),
            Answer::All(heads) => {
                arrival.show(ear, staff_thread::overview(&heads, arrival.app.clock.now()))
            }
            Answer::Copy(session) => {
                copy::hand_out(arrival, (session, Audience::Staff), &self.by.user)
            }
            Answer::Help(is_staff) => arrival.say(ear, &help(is_staff, Entry::on_discord)),
        })
    }
}
