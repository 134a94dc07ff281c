//! Registered commands: which one it is by its path and its options, and how the answer to it is shown.

use super::{asker::Asker, begin, copy, invite, own, upload, used};
use crate::{
    chat::{
        commands::{
            Entry, Order, Verb,
            decide::{self, Answer, decide},
            help, on_discord,
        },
        form::words,
        handler::{ReplyTarget, Update},
    },
    gateway::discord::{
        inbound::{Ack, Command as Given, NotSaved, Target},
        manifest::{REVIEW, REVIEW_USER},
        render::markup::Markdown,
        staff_thread,
        update::{UpdateContext, target},
    },
    messages,
    model::transcript::Audience,
};

/// A command, with what was given with it.
pub(in crate::gateway::discord) async fn typed(
    update: &UpdateContext<'_>,
    command: Given,
) -> Result<Ack, NotSaved> {
    let reply_target = target(&command.by.user, &command.at.channel);
    if update.guild.is_none() {
        return Ok(update.say(&reply_target, messages::discord::IN_A_SERVER));
    }
    let Some(order) = read(&command) else {
        return Ok(update.say(&reply_target, messages::discord::GONE));
    };
    match (order.verb, command.target.clone()) {
        (Verb::Panel, _) => Ok(begin::panel(update, &command, &reply_target)),
        (Verb::Upload, _) => upload(update, &command, &reply_target).await,
        (Verb::UseAsAnswer, Some(Target::Message(message))) => {
            used(update, *message, &command.by, &reply_target).await
        }
        (Verb::UseAsAnswer, _) => Ok(update.say(&reply_target, messages::answers::NO_ANSWER)),
        _ => {
            let asker = Asker { update, by: &command.by };
            match decide(&asker, &order).await {
                Ok(answer) => asker.show(answer, &reply_target).await,
                Err(error) if words::may_pass(&error) => Err(NotSaved),
                Err(error) => Ok(update.say(&reply_target, &words::of_error(&error))),
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

impl Asker<'_> {
    async fn show(&self, answer: Answer, reply_target: &ReplyTarget) -> Result<Ack, NotSaved> {
        let update = self.update;
        Ok(match answer {
            Answer::Say(text) => update.say(reply_target, &text),
            Answer::Told(words) => update.say(reply_target, &words.write(&Markdown)),
            Answer::Done { session, command, is_own: true } => {
                own::came_of(update, session, command)
            }
            Answer::Done { command, .. } => update.say(reply_target, decide::done(&command)),
            Answer::Begin(flow) => {
                return begin::started(update, &flow, self.by, reply_target).await;
            }
            Answer::Pick(flows) => update.show(reply_target, begin::chooser(&flows)),
            Answer::Invite(user, flows) => {
                update.show(reply_target, invite::preview(&user, &flows))
            }
            Answer::Own(look) => own::status(update, *look),
            Answer::One(look) => update.show(reply_target, staff_thread::one(&look)),
            Answer::All(heads) => {
                update.show(reply_target, staff_thread::overview(&heads, update.app.clock.now()))
            }
            Answer::Copy(session) => {
                copy::hand_out(update, (session, Audience::Staff), &self.by.user)
            }
            Answer::Help(is_staff) => update.say(reply_target, &help(is_staff, Entry::on_discord)),
        })
    }
}
