//! What people order: the commands, the panel, the buttons of the staff's thread, a first word to the bot.

mod begin;
mod copy;
mod invite;
mod own;
mod rating;
mod registered;
mod slash;

use async_trait::async_trait;

use super::{
    files,
    inbound::{Ack, Action, Actor, Command as Given, Message, NotSaved},
    profile, staff_thread, texts, transcript,
    update::{UpdateContext, participant, target},
};
use crate::{
    base::ids::SessionId,
    chat::{
        commands::{
            decide::{invited, no_session},
            flows::startable,
        },
        form::words,
        handler::{self, Buttons, ReplyTarget, Start, Update, Wanted},
        message_index::Role,
        transcript::{Opened, Opening, Page},
    },
    engine::{InboundKind, Look},
    messages,
    model::{
        session::{Head, Platform},
        transcript::Audience,
        ui::Control,
        wait::Wait,
    },
};

pub(super) use self::{
    begin::{begin_for, begin_on_join},
    rating::explained,
    registered::keep_registered,
    slash::typed,
};

/// A file that was handed in by a command, for apps without a form for it.
async fn upload(
    update: &UpdateContext<'_>,
    command: &Given,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotSaved> {
    let Some(file) = command.files.get("file") else {
        return Ok(update.say(reply_target, messages::answers::NO_ANSWER));
    };
    let Some(head) = handler::newest(update.engine, update.person(&command.by)).await? else {
        return Ok(update.say(reply_target, messages::discord::NO_UPLOAD));
    };
    let look = match update.engine.look(head.id).await {
        Ok(look) => look,
        Err(error) => return Ok(update.say(reply_target, &words::of_error(&error))),
    };
    let asked = look.state.pending().find_map(|wait| match &wait.prompt.control {
        Control::Upload(upload) => Some((wait, upload)),
        _ => None,
    });
    let offered = match asked {
        Some((_, upload)) => handler::check_upload(upload, files::offer(file)),
        None => Ok(files::offer(file)),
    };
    let file = match offered {
        Ok(file) => file,
        Err(complaint) => return Ok(update.say(reply_target, &complaint)),
    };
    let from = participant(&head, &command.by);
    let wait = asked.map(|(wait, _): (&Wait, _)| wait.id);
    let what = InboundKind::Offered { wait, files: vec![file], text: None };
    handler::receive(update, head.id, (from, what), reply_target, None).await
}

/// The words of a message that somebody wrote themselves, as the answer to the open question.
async fn used(
    update: &UpdateContext<'_>,
    message: Message,
    by: &Actor,
    reply_target: &ReplyTarget,
) -> Result<Ack, NotSaved> {
    if message.by.user != by.user {
        return Ok(update.say(reply_target, messages::discord::OWN_MESSAGES_ONLY));
    }
    let there = update.app.rooms.of(&message.channel).await?;
    let session = match there {
        Some((session, Role::Conversation)) => Some(session),
        Some((_, Role::Staff | Role::Request(_))) | None => {
            let mine = handler::newest(update.engine, update.person(by)).await?;
            mine.map(|head| head.id)
        }
    };
    match session {
        Some(session) => {
            handler::in_conversation(update, session, &Message { by: by.clone(), ..message }).await
        }
        None => Ok(update.say(reply_target, &no_session(update))),
    }
}

/// A button that only Discord has.
pub(super) async fn pressed(update: &UpdateContext<'_>, action: &Action) -> Result<Ack, NotSaved> {
    let (id, reply_target) = (action.element.as_str(), update.target(action));
    if let Some(id) = id.strip_prefix(invite::INVITE) {
        return match id.split_once('.') {
            Some(to) => invited(update, to, action).await,
            None => Ok(invite::instead(messages::notices::NOT_SENT)),
        };
    }
    for (prefix, is_good) in [(texts::GOOD, true), (texts::BAD, false)] {
        if let Some(id) = id.strip_prefix(prefix) {
            return rating::rated(update, (id, is_good), action, &reply_target).await;
        }
    }
    Ok(update.tell(&reply_target, messages::discord::GONE))
}

#[async_trait]
impl Buttons for UpdateContext<'_> {
    /// A command is answered as a press is.
    type Act = Action;

    fn actor<'a>(&self, action: &'a Action) -> &'a Actor {
        &action.by
    }

    fn target(&self, action: &Action) -> ReplyTarget {
        target(&action.by.user, &action.at.channel)
    }

    async fn begin(&self, start: Start<'_>, action: &Action) -> Result<Ack, NotSaved> {
        match start.invited {
            Some(user) => invite::send(self, user, start, action).await,
            None => begin::started(self, start.flow, &action.by, &self.target(action)).await,
        }
    }

    async fn help(&self, head: &Head, action: &Action) -> Ack {
        let message_access = self.app.message_access(head.id, &head.place).await;
        self.show(
            &self.target(action),
            texts::help(messages::discord::HELP_TITLE, head.id, message_access),
        )
    }

    async fn hand_out(&self, wanted: Wanted, action: &Action) -> Ack {
        copy::send_later(self, wanted, &action.by.user)
    }

    fn show_one(&self, look: Look, reader: Audience, action: &Action) -> Ack {
        match reader {
            Audience::Participant => own::status(self, look),
            Audience::Staff => self.show(&self.target(action), staff_thread::one(&look)),
        }
    }

    fn show_transcript(&self, opening: Opening, opened: &Opened, action: &Action) -> Ack {
        let page = transcript::page(opening, &opened.title, &opened.entries);
        // What is turned is a page already; what opens the first one stays.
        let is_turned = action.is_ephemeral && opening.page != Page::Last;
        if is_turned { Ack::Redraw(page) } else { self.show(&self.target(action), page) }
    }

    fn show_profile(&self, look: &Look, page: Option<usize>, action: &Action) -> Ack {
        let shown = profile::page(&look.state, page.unwrap_or_default());
        match page {
            Some(_) => Ack::Redraw(shown),
            None => self.show(&self.target(action), shown),
        }
    }

    fn asks_before_end(&self, session: SessionId, action: &Action) -> Option<Ack> {
        Some(self.show(&self.target(action), texts::sure_to_end(session)))
    }
}

/// Somebody writes to the bot, or mentions it, where there is no conversation.
pub(super) fn approached(update: &UpdateContext<'_>, message: &Message) -> Ack {
    let reply_target = target(&message.by.user, &message.channel);
    if update.guild.is_none() {
        return update.greet(&reply_target, texts::words(messages::discord::BEGIN_IN_THE_SERVER));
    }
    match startable(&update.library(), Platform::Discord).as_slice() {
        [] => update.greet(&reply_target, texts::words(messages::notices::NO_FLOWS)),
        flows => update.greet(&reply_target, begin::chooser(flows)),
    }
}
