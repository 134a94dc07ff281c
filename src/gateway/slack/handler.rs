//! Takes in what people do in Slack: finds the conversation, checks rights, hands it to the engine.
//!
//! Everything here ends with a commit or with words for the person, well within the three seconds that Slack waits.
//! Forms are opened from what is stored, before anything else; what needs Slack is done after the acknowledgement.

mod answers;
mod notices;
mod reachability;

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    app::App,
    commands, files,
    inbound::{Ack, Action, Actor, Envelope, File, Inbox, Incoming, Message, NotTaken, Tenant},
    people,
};
use crate::{
    base::ids::{SessionId, WaitId},
    chat::{
        form::{typed, words},
        message_index::{Mark, MessageRef, Role},
    },
    engine::{Engine, Inbound, InboundKind, Receipt},
    flow::Library,
    model::{
        session::{Head, PersonId, Place, Platform},
        transcript::Via,
        wait::{Settlement, Wait},
    },
    session::{Command, Responder, answer::describe},
    store::{self, Find},
};

pub(super) use self::{
    notices::{Form, post_ephemeral},
    reachability::installed_again,
};

/// What comes in, to the engine.
#[derive(Debug, Clone)]
pub struct SlackInbox(pub Arc<App>);

#[async_trait]
impl Inbox for SlackInbox {
    async fn take(&self, envelope: Envelope) -> Result<Ack, NotTaken> {
        let Envelope { key, tenant, what } = envelope;
        let engine = self.0.engine().ok_or(NotTaken)?;
        self.0.api.tenants().met(&tenant).await;
        let update = UpdateContext { app: &self.0, engine, key: format!("slack:{key}"), tenant };
        match what {
            Incoming::Message(message) => update.message(message).await,
            Incoming::Action(action) => update.action(action).await,
            Incoming::Submitted(submission) => update.submitted(submission).await,
            Incoming::Command(command) => Ok(commands::typed(&update, command).await),
            Incoming::Shortcut { by, .. } => Ok(commands::shortcut(&update, &by).await),
            Incoming::ChannelGone { channel, why } => Ok(update.channel_gone(channel, why)),
            Incoming::ChannelBack { channel } => Ok(update.channel_back(channel)),
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
                update.amended(there, Some(text)).await
            }
            Incoming::Deleted { channel, is_direct, ts, thread, author } => {
                let by = Actor { user: author, ..Actor::default() };
                let there = Message { by, channel, is_direct, ts, thread, ..Message::default() };
                update.amended(there, None).await
            }
            Incoming::Closed { .. } | Incoming::Ignored { .. } | Incoming::Unknown { .. } => {
                Ok(Ack::Empty)
            }
        }
    }
}

/// One thing that came in, with what is needed to deal with it; the desk at which a session is worked on is the
/// engine's.
pub(super) struct UpdateContext<'a> {
    pub(super) app: &'a Arc<App>,
    pub(super) engine: &'a Engine,
    /// Names the event.
    pub(super) key: String,
    pub(super) tenant: Tenant,
}

/// Where somebody is told something.
#[derive(Debug, Clone)]
pub(super) struct ReplyTarget {
    pub(super) user: String,
    pub(super) channel: String,
    pub(super) thread: Option<String>,
}

impl UpdateContext<'_> {
    pub(super) fn team(&self) -> &str {
        &self.tenant.team
    }

    /// The flows that can be started.
    pub(super) fn library(&self) -> &Library {
        &self.engine.parts().library
    }

    fn person(&self, by: &Actor) -> PersonId {
        people::person_id(self.team(), &by.user)
    }

    async fn message(&self, message: Message) -> Result<Ack, NotTaken> {
        // A greeting delivered again is no answer to what was asked since.
        if self.app.deduplicator.is_claimed(&self.key).await.map_err(|_| NotTaken)? {
            return Ok(Ack::Empty);
        }
        let found = self.conversation_of(&message).await.map_err(|_| NotTaken)?;
        match found {
            Some((session, Role::Conversation)) => self.heard(session, message).await,
            Some((session, Role::Staff)) => self.heard_from_staff(session, &message).await,
            Some((_, Role::Request(wait))) => self.heard_under_request(wait, &message).await,
            None if message.is_direct || message.is_mention => {
                commands::approached(self, &message).await
            }
            None => Ok(Ack::Empty),
        }
    }

    /// Which session a message is for, and what the thread it stands in is to that one.
    async fn conversation_of(
        &self,
        message: &Message,
    ) -> Result<Option<(SessionId, Role)>, store::Error> {
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

    /// The conversations of a person here, newest first.
    pub(super) async fn conversations(&self, person: &PersonId) -> Result<Vec<Head>, store::Error> {
        self.app.store.find(Find::Person(person.clone())).await
    }

    /// The app was opened: suggestions for who writes, one's own conversations on Home.
    fn opened(&self, by: Actor, tab: &str, channel: String) -> Ack {
        let (app, engine, tenant) =
            (Arc::clone(self.app), self.engine.clone(), self.tenant.clone());
        match tab {
            "messages" => {
                let person = self.person(&by);
                self.app.afterwards.spawn(async move {
                    // Where nothing can be read, what fits everybody is offered.
                    let theirs = app.store.find(Find::Person(person)).await.unwrap_or_default();
                    let direct = theirs.iter().find(|head| people::is_direct(&head.place));
                    let status = direct.map(|head| head.status);
                    app.agent.suggest((&tenant.team, &channel), status).await;
                });
            }
            "home" => {
                self.app
                    .afterwards
                    .spawn(async move { app.home.opened(&engine, &tenant, &by).await });
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
    ) -> Result<Ack, NotTaken> {
        let Some(ts) = &thread else { return Ok(Ack::Empty) };
        let root = MessageRef { channel: channel.clone(), message: ts.clone() };
        let found = self.app.threads.of(self.team(), &root).await.map_err(|_| NotTaken)?;
        let Some((session, Role::Conversation)) = found else { return Ok(Ack::Empty) };
        let from = self.participant(by, None).await;
        let reply_target = ReplyTarget { user: by.user.clone(), channel, thread };
        self.receive(session, (from, InboundKind::Command(Command::Interrupt)), &reply_target, None)
            .await
    }

    /// A message was changed, or is gone.
    async fn amended(&self, message: Message, text: Option<String>) -> Result<Ack, NotTaken> {
        let found = self.conversation_of(&message).await.map_err(|_| NotTaken)?;
        let Some((session, Role::Conversation)) = found else { return Ok(Ack::Empty) };
        let from = self.participant(&message.by, None).await;
        let reply_target = ReplyTarget {
            user: message.by.user.clone(),
            channel: message.channel.clone(),
            thread: message.thread.clone(),
        };
        let source = format!("{}/{}", message.channel, message.ts);
        self.receive(session, (from, InboundKind::Amended { source, text }), &reply_target, None)
            .await
    }

    /// Words and files in a conversation.
    async fn heard(&self, session: SessionId, message: Message) -> Result<Ack, NotTaken> {
        let reply_target = ReplyTarget {
            user: message.by.user.clone(),
            channel: message.channel.clone(),
            thread: message.thread.clone(),
        };
        let mine = self.conversations(&self.person(&message.by)).await.map_err(|_| NotTaken)?;
        let is_mine = mine.iter().any(|head| head.id == session);
        let from = if is_mine {
            let name = mine.iter().find_map(|head| head.name.as_deref());
            self.participant(&message.by, name).await
        } else {
            self.responder(&message.by).await.map_err(|_| NotTaken)?
        };
        if is_mine && message.is_direct && message.thread.is_none() {
            self.go_on_under(session, &message).await.map_err(|_| NotTaken)?;
        }
        let source = format!("{}/{}", message.channel, message.ts);
        let (voices, files): (Vec<File>, Vec<File>) =
            message.files.into_iter().partition(|file| file.mimetype.starts_with("audio/"));
        if !voices.is_empty() {
            self.tell(&reply_target, words::NO_VOICE);
        }
        let text = Some(message.text).filter(|text| !text.trim().is_empty());
        let mut offers = Vec::new();
        for file in files.iter().filter(|_| is_mine) {
            match files::offer(file) {
                Ok(offer) => offers.push(offer),
                Err(words) => self.tell(&reply_target, words),
            }
        }
        let what = if !offers.is_empty() {
            InboundKind::Offered { wait: None, files: offers, text }
        } else if let Some(text) = text {
            InboundKind::Said { text, source: Some(source) }
        } else {
            return Ok(Ack::Empty);
        };
        self.receive(session, (from, what), &reply_target, None).await
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

    /// Words of a staff member in the thread about a conversation: an order, or words to pass on.
    async fn heard_from_staff(
        &self,
        session: SessionId,
        message: &Message,
    ) -> Result<Ack, NotTaken> {
        if message.text.trim().is_empty() {
            return Ok(Ack::Empty);
        }
        let reply_target = ReplyTarget {
            user: message.by.user.clone(),
            channel: message.channel.clone(),
            thread: message.thread.clone(),
        };
        let from = self.responder_about(session, &message.by).await.map_err(|_| NotTaken)?;
        if !from.staff {
            self.tell(&reply_target, words::FOR_STAFF);
            return Ok(Ack::Empty);
        }
        let what = InboundKind::Command(typed::order(&message.text));
        self.receive(session, (from, what), &reply_target, None).await
    }

    /// Words under a request: a decision where they begin as one, otherwise talk among colleagues.
    async fn heard_under_request(&self, wait: WaitId, message: &Message) -> Result<Ack, NotTaken> {
        let Some(reply) = typed::decision(&message.text) else { return Ok(Ack::Empty) };
        let Some((wait, _)) = self.app.store.wait(wait).await.map_err(|_| NotTaken)? else {
            return Ok(Ack::Empty);
        };
        let reply_target = ReplyTarget {
            user: message.by.user.clone(),
            channel: message.channel.clone(),
            thread: message.thread.clone(),
        };
        let from = self.responder_about(wait.session, &message.by).await.map_err(|_| NotTaken)?;
        let (id, revision, via) = (wait.id, wait.revision, Via::Typed);
        let what = InboundKind::Answer { wait: id, revision, reply, via };
        self.receive(wait.session, (from, what), &reply_target, Some(&wait)).await
    }

    /// Hands something in; what there is to say about it is said to the one who did it.
    pub(super) async fn receive(
        &self,
        session: SessionId,
        (from, what): (Responder, InboundKind),
        reply_target: &ReplyTarget,
        about: Option<&Wait>,
    ) -> Result<Ack, NotTaken> {
        let me = from.person.clone();
        let choice = match (&what, about) {
            (InboundKind::Answer { reply, .. }, Some(wait)) => {
                Some(describe(&wait.prompt.control, reply))
            }
            _ => None,
        };
        let inbound = Inbound { key: self.key.clone(), session, from, what };
        match self.engine.receive(inbound).await {
            Ok(receipt) if is_again(&receipt, &me, choice.as_deref()) => Ok(Ack::Empty),
            Ok(receipt) => {
                self.report(&receipt, about, &me, reply_target);
                Ok(Ack::Empty)
            }
            // Slack delivers it again, or the connection tells the person.
            Err(error) if words::may_pass(&error) => Err(NotTaken),
            Err(error) => {
                self.tell(reply_target, &words::of_error(&error));
                Ok(Ack::Empty)
            }
        }
    }

    /// The participant of a conversation, about whom nothing needs to be asked.
    pub(super) async fn participant(&self, by: &Actor, name: Option<&str>) -> Responder {
        let mut from = self.app.people.known(self.team(), &by.user).await;
        if let Some(name) = name {
            name.clone_into(&mut from.name);
        }
        from
    }

    /// Somebody with what they may do now about a conversation: rights end where the workspace does, unless the app
    /// was installed for the whole organisation.
    pub(super) async fn responder_about(
        &self,
        session: SessionId,
        by: &Actor,
    ) -> Result<Responder, people::Unknown> {
        let mut from = self.responder(by).await?;
        if from.staff && !self.tenant.is_enterprise_install {
            let found = self.engine.view(session).await;
            let is_here = found.is_ok_and(|(known, _)| known.head.place.workspace == self.team());
            if !is_here {
                from.staff = false;
                from.approver_of.clear();
            }
        }
        Ok(from)
    }

    /// Somebody with what they may do now.
    pub(super) async fn responder(&self, by: &Actor) -> Result<Responder, people::Unknown> {
        self.app.people.responder(&self.tenant, by).await
    }
}

/// The same person, the same choice, twice: nothing to tell.
fn is_again(receipt: &Receipt, me: &PersonId, choice: Option<&str>) -> bool {
    let Receipt::Settled(Settlement::AlreadySettled { by, choice: settled, .. }) = receipt else {
        return false;
    };
    by == me && choice == Some(settled)
}

/// Who used a component, and where.
pub(super) fn reply_target_of(action: &Action) -> ReplyTarget {
    let channel = action.message.as_ref().map(|(channel, _)| channel.clone());
    ReplyTarget {
        user: action.by.user.clone(),
        channel: channel.unwrap_or_else(|| action.by.user.clone()),
        thread: action.thread.clone(),
    }
}
