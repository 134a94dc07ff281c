//! Registered commands: which one it is by its path and its options, and how the answer to it is shown.

use async_trait::async_trait;

use super::{begin, invite, own, upload, used};
use crate::{
    base::ids::SessionId,
    chat::{
        commands::{
            Entry, Order, Verb,
            decide::{Choice, Commands, ordered},
            on_discord,
        },
        handler::{Buttons, Update},
    },
    gateway::discord::{
        inbound::{Ack, Action, Command as Given, NotSaved, Target},
        manifest::{REVIEW, REVIEW_USER},
        staff_thread,
        update::{UpdateContext, target},
    },
    messages,
    model::session::Head,
    session::Command,
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
        (Verb::Panel, _) => Ok(begin::panel(update, &command, &reply_target).await),
        (Verb::Upload, _) => upload(update, &command, &reply_target).await,
        (Verb::UseAsAnswer, Some(Target::Message(message))) => {
            used(update, *message, &command.by, &reply_target).await
        }
        (Verb::UseAsAnswer, _) => Ok(update.say(&reply_target, messages::answers::NO_ANSWER)),
        _ => {
            let Given { by, at, ticket, .. } = command;
            ordered(update, &order, &Action { by, at, ticket, ..Action::default() }).await
        }
    }
}

/// What is ordered; `None` if nothing like it is registered any more.
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

#[async_trait]
impl Commands for UpdateContext<'_> {
    fn usage(&self, entry: &Entry) -> Option<String> {
        entry.on_discord()
    }

    async fn choose(&self, choice: Choice<'_>, action: &Action) -> Result<Ack, NotSaved> {
        let asked = match choice {
            Choice::Begin(flows) => begin::chooser(flows),
            Choice::Invite(user, flows) => invite::preview(user, flows),
        };
        Ok(self.show(&self.target(action), asked))
    }

    async fn not_invited(&self, why: &str, _action: &Action) -> Ack {
        invite::instead(why)
    }

    fn show_all(&self, heads: &[Head], action: &Action) -> Ack {
        let overview = staff_thread::overview(heads, self.app.clock.now());
        self.show(&self.target(action), overview)
    }

    async fn carried_out(&self, (session, command): (SessionId, Command), _action: &Action) -> Ack {
        own::came_of(self, session, command)
    }
}
