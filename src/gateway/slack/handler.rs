//! Takes in what people do in Slack: finds the conversation, checks rights, hands it to the engine.
//!
//! Everything here ends with a commit or with words for the person, well within the three seconds that Slack waits.
//! Forms are opened from what is stored, before anything else; what needs Slack is done after the acknowledgement.

mod answers;
mod reachability;

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    app::App,
    commands::{self, Act},
    files,
    inbound::{Ack, Actor, Envelope, File, Inbox, Incoming, Message, NotSaved},
    people,
    update::UpdateContext,
};
use crate::{
    base::ids::SessionId,
    chat::{
        form::typed,
        handler::{self, Messages, ReplyTarget, Update, Written},
        message_index::{Mark, MessageRef, Role},
    },
    model::session::{Head, Place, Platform},
    store::{self, Find},
};

pub(super) use self::reachability::{installed_again, tell_unfinished};

/// What comes in, to the engine.
#[derive(Debug, Clone)]
pub struct SlackInbox(pub Arc<App>);

#[async_trait]
impl Inbox for SlackInbox {
    async fn take(&self, envelope: Envelope) -> Result<Ack, NotSaved> {
        let Envelope { key, workspace, what } = envelope;
        let engine = self.0.engine();
        self.0.api.installations().met(&workspace).await;
        let update = UpdateContext { app: &self.0, engine, key: format!("slack:{key}"), workspace };
        match what {
            Incoming::Message(message) => handler::wrote(&update, &message).await,
            Incoming::Action(action) => {
                let id = action.element.clone();
                handler::chosen(&update, &id, &Act::Button(Box::new(action))).await
            }
            Incoming::Submitted(submission) => update.submitted(submission).await,
            Incoming::Command(command) => commands::typed(&update, command).await,
            Incoming::Shortcut { by, .. } => Ok(commands::shortcut(&update, &by).await),
            Incoming::ChannelGone { channel, why } => update.channel_gone(channel, why).await,
            Incoming::ChannelBack { channel } => update.channel_back(channel).await,
            Incoming::UserChanged { user, deleted } => update.user_changed(&user, deleted).await,
            Incoming::GroupChanged { group } => {
                update.app.people.forget_group(update.team(), &group).await;
                Ok(Ack::Empty)
            }
            Incoming::Revoked => update.revoked().await,
            Incoming::Access { teams, granted } => update.access(teams, granted).await,
            Incoming::HomeOpened { by, tab, channel } => Ok(update.opened(by, &tab, channel)),
            Incoming::Stopped { by, channel, thread } => update.stopped(&by, channel, thread).await,
            Incoming::Edited { channel, is_direct, ts, thread, by, text } => {
                let there = Message { by, channel, is_direct, ts, thread, ..Message::default() };
                handler::changed(&update, &there, Some(&there.by), Some(text)).await
            }
            Incoming::Deleted { channel, is_direct, ts, thread, author } => {
                let by = Actor { user: author, ..Actor::default() };
                let there = Message { by, channel, is_direct, ts, thread, ..Message::default() };
                handler::changed(&update, &there, Some(&there.by), None).await
            }
            Incoming::Closed { .. } | Incoming::Ignored { .. } | Incoming::Unknown { .. } => {
                Ok(Ack::Empty)
            }
        }
    }
}

impl UpdateContext<'_> {
    /// The app was opened: suggestions for who writes, one's own conversations on Home.
    fn opened(&self, by: Actor, tab: &str, channel: String) -> Ack {
        let (app, engine, workspace) =
            (Arc::clone(self.app), self.engine.clone(), self.workspace.clone());
        match tab {
            "messages" => {
                let person = self.person(&by);
                self.app.afterwards.spawn(async move {
                    // Where nothing can be read, what fits everybody is offered.
                    let theirs = app.store.find(Find::Person(person)).await.unwrap_or_default();
                    let direct = theirs.iter().find(|head| people::is_direct(&head.place));
                    let status = direct.map(|head| head.status);
                    app.agent.suggest((&workspace.team, &channel), status).await;
                });
            }
            "home" => {
                self.app
                    .afterwards
                    .spawn(async move { app.home.opened(&engine, &workspace, &by).await });
            }
            _ => {}
        }
        Ack::Empty
    }

    /// The stop button of the agent: it stops what the bot is at, and not the conversation.
    async fn stopped(
        &self,
        by: &Actor,
        channel: String,
        thread: Option<String>,
    ) -> Result<Ack, NotSaved> {
        let Some(ts) = &thread else { return Ok(Ack::Empty) };
        let root = MessageRef { channel: channel.clone(), message: ts.clone() };
        let found = self.app.threads.of(self.team(), &root).await?;
        let Some((session, Role::Conversation)) = found else { return Ok(Ack::Empty) };
        let reply_target = ReplyTarget { user: by.user.clone(), channel, thread };
        handler::interrupted(self, session, by, &reply_target).await
    }

    /// Each message that somebody writes to the app directly begins a thread: the conversation goes on in the newest one.
    async fn go_on_under(&self, session: SessionId, message: &Message) -> Result<(), store::Error> {
        let root = MessageRef { channel: message.channel.clone(), message: message.ts.clone() };
        let before = self.app.threads.marked(session, Mark::Root).await?;
        // An older one may be delivered late.
        if before.is_some_and(|before| before.message >= root.message) {
            return Ok(());
        }
        self.app.threads.belongs(session, (self.team(), &root), Role::Conversation).await?;
        self.app.threads.mark(session, Mark::Root, &root).await
    }
}

#[async_trait]
impl Messages for UpdateContext<'_> {
    type Message = Message;

    fn written(&self, message: &Message) -> Written<Actor> {
        let (voices, files): (Vec<&File>, Vec<&File>) =
            message.files.iter().partition(|file| file.mimetype.starts_with("audio/"));
        let offer = |file| files::offer(file).map_err(str::to_owned);
        Written {
            by: message.by.clone(),
            to: target_of(message),
            source: format!("{}/{}", message.channel, message.ts),
            text: message.text.clone(),
            has_voice: !voices.is_empty(),
            files: files.into_iter().map(offer).collect(),
        }
    }

    /// Which session a message is for, and what the thread it stands in is to that one.
    async fn conversation_of(
        &self,
        message: &Message,
    ) -> Result<Option<(SessionId, Role)>, NotSaved> {
        if let Some(ts) = &message.thread {
            let root = MessageRef { channel: message.channel.clone(), message: ts.clone() };
            if let Some(found) = self.app.threads.of(self.team(), &root).await? {
                return Ok(Some(found));
            }
        }
        if message.is_direct {
            let mine = self.conversations(&self.person(&message.by)).await?;
            let direct = mine.iter().filter(|head| people::is_direct(&head.place));
            let open = direct.clone().find(|head| !head.status.is_over());
            let wants_anew = typed::is_start(&message.text);
            let found = open.or_else(|| direct.clone().next().filter(|_| !wants_anew));
            return Ok(found.map(|head| (head.id, Role::Conversation)));
        }
        let thread = message.thread.clone().unwrap_or_else(|| message.ts.clone());
        let place = Place {
            platform: Platform::Slack,
            workspace: self.team().to_owned(),
            channel: message.channel.clone(),
            thread: Some(thread),
        };
        let there = self.app.store.find(Find::Place(place)).await?;
        let open = there.iter().find(|head| !head.status.is_over());
        Ok(open.or_else(|| there.first()).map(|head| (head.id, Role::Conversation)))
    }

    async fn approached(&self, message: &Message) -> Result<Ack, NotSaved> {
        if message.is_direct || message.is_mention {
            commands::approached(self, message).await
        } else {
            Ok(Ack::Empty)
        }
    }

    /// Each message that somebody writes to the app directly begins a thread: the conversation goes on in the newest one.
    async fn before(&self, head: &Head, message: &Message) -> Result<(), NotSaved> {
        if !message.is_direct || message.thread.is_some() {
            return Ok(());
        }
        Ok(self.go_on_under(head.id, message).await?)
    }
}

/// Where whoever wrote a message is told something about it.
fn target_of(message: &Message) -> ReplyTarget {
    ReplyTarget {
        user: message.by.user.clone(),
        channel: message.channel.clone(),
        thread: message.thread.clone(),
    }
}
