//! How the steps of a delivery are made on a platform, and why one may not arrive.

use async_trait::async_trait;
use chrono::TimeDelta;

use super::{
    Afterwards, NotFetched, PostLog, Trail, WorkIndicators,
    message_index::{MessageIndex, MessageRef, Role},
    refusal::Class,
};
use crate::{
    engine::{self, Engine, Inbound, InboundKind, Look},
    model::{
        artifact::{Artifact, Offer},
        effect::{Effect, Recipient},
        posted::{Item, Posted, Reader},
        session::{PersonId, Place},
        ui::Offered,
        wait::Wait,
    },
    session::{Responder, State},
    store,
};

/// Why an effect did not arrive; `F` is a call of the platform that came to nothing.
#[derive(Debug)]
pub enum Undelivered<F> {
    /// There is no such thing here.
    NotApplicable,
    /// The platform.
    Call(F),
    /// Something of ours can't be read or kept just now.
    Later,
    /// It may have happened, and shows by then; counted.
    Unclear {
        /// After how long.
        after: TimeDelta,
    },
    /// It will never work; why, in words for staff.
    Never(String),
}

impl<F> From<store::Error> for Undelivered<F> {
    fn from(_: store::Error) -> Self {
        Self::Later
    }
}

impl<F> From<engine::Error> for Undelivered<F> {
    fn from(error: engine::Error) -> Self {
        match error {
            engine::Error::NoSession => Self::NotApplicable,
            _ => Self::Later,
        }
    }
}

/// What came of a step, or why the effect did not arrive.
pub type Delivered<T, F> = Result<T, Undelivered<F>>;

/// One attempt to deliver an effect, and what it works with.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// The effect.
    pub effect: &'a Effect,
    /// What the attempt has posted so far.
    pub trail: &'a Trail,
    /// Drives the conversations.
    pub engine: &'a Engine,
    /// Which message stands for what.
    pub index: &'a MessageIndex,
    /// What is posted for sessions.
    pub post_log: &'a PostLog,
    /// What shows that the bot is at work.
    pub work_indicators: &'a WorkIndicators,
    /// What is done after the response.
    pub afterwards: &'a Afterwards,
}

impl Attempt<'_> {
    /// Pauses the session, for its participant is out of reach.
    pub(crate) fn pause(
        &self,
        why: &str,
    ) -> impl Future<Output = Result<(), engine::Error>> + Send + use<> {
        let (engine, session) = (self.engine.clone(), self.effect.session);
        let Place { platform, workspace, channel, .. } = self.effect.place.clone();
        let key = format!("{platform}:unreachable:{}", self.effect.id);
        let person = PersonId { platform, workspace, user: channel };
        let from = Responder::without_rights(person, String::new());
        let what = InboundKind::Lost { why: why.to_owned() };
        async move {
            let paused = engine.receive(Inbound { key, session, from, what }).await;
            paused.map(drop).inspect_err(|error| {
                tracing::warn!(session.id = %session, %error, "could not pause a session");
            })
        }
    }
}

/// Delivers one effect on a platform.
#[async_trait]
pub trait Courier: Sync {
    /// A call of the platform that came to nothing.
    type Failure: Send;

    /// A message as the platform draws it.
    type Message: Send + Sync;

    /// The attempt, and what it works with.
    fn attempt(&self) -> Attempt<'_>;

    /// What a failure means.
    fn class_of(&self, failure: &Self::Failure) -> Class;

    /// What a failure says, for people who know nothing of the platform's calls.
    fn why(&self, failure: &Self::Failure) -> String;

    /// What a failure means for this effect, once all was done that its class asks for, and what it says to staff.
    fn class_in_the_end(&self, failure: &Self::Failure) -> (Class, String) {
        (self.class_of(failure), self.why(failure))
    }

    /// Why the participant won't be reached any more, where a failure says so.
    fn out_of_reach(&self, failure: &Self::Failure) -> Option<&'static str> {
        match self.class_of(failure) {
            Class::PersonUnreachable(why) => Some(why),
            _ => None,
        }
    }

    /// The participant won't be reached any more: the session pauses, after the response. What must not be lost until then
    /// is durable when it returns.
    async fn lost(&self, why: &'static str) {
        let attempt = self.attempt();
        let pausing = attempt.pause(why);
        attempt.afterwards.spawn(async move { _ = pausing.await });
    }

    /// Who reads what is posted.
    fn reader(&self) -> Reader {
        self.attempt().effect.to.reader()
    }

    /// Something stands there since now, or is found to.
    fn leave_behind(&self, item: Item) {
        self.attempt().trail.add(Posted { item, reader: self.reader() });
    }

    /// A message stands there since now, or is found to; one that is a head can have a thread of others under it.
    fn leave_message(&self, at: &MessageRef, is_head: bool) {
        let at = at.name();
        self.leave_behind(if is_head { Item::Head { at } } else { Item::Message { at } });
    }

    /// The conversation.
    async fn look(&self) -> Delivered<Look, Self::Failure> {
        self.look_unless_erased().await?.ok_or(Undelivered::NotApplicable)
    }

    /// The conversation; `None` if it was erased.
    async fn look_unless_erased(&self) -> Delivered<Option<Look>, Self::Failure> {
        let Attempt { engine, effect, .. } = self.attempt();
        match engine.look(effect.session).await {
            Ok(look) => Ok(Some(look)),
            Err(engine::Error::NoSession) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The channel of an alias.
    fn channel(&self, alias: &str) -> Option<String>;

    /// The conversation of somebody with the bot.
    async fn direct_channel(&self, user: &str) -> Delivered<String, Self::Failure>;

    /// The channel of an alias, which must be known.
    fn channel_of(&self, alias: &str) -> Delivered<String, Self::Failure> {
        self.channel(alias).ok_or_else(|| {
            Undelivered::Never(format!("no channel is configured for the alias `{alias}`"))
        })
    }

    /// The channel in which a card for the team stands; `None` if it stands in the conversation.
    async fn card_channel(&self) -> Delivered<Option<String>, Self::Failure> {
        Ok(match &self.attempt().effect.to {
            Recipient::Channel { alias } => Some(self.channel_of(alias)?),
            Recipient::Person { user } => Some(self.direct_channel(user).await?),
            Recipient::Participant | Recipient::Webhook { .. } => None,
        })
    }

    /// Posts the head of the thread that the team reads about a conversation.
    async fn post_head(&self, channel: &str, look: &Look) -> Delivered<MessageRef, Self::Failure>;

    /// Whether something can be posted under a message of the team's; a thread is begun there where it needs one.
    async fn takes_replies(&self, _at: &MessageRef, _role: Role) -> Delivered<bool, Self::Failure> {
        Ok(true)
    }

    /// Says what the thread under a message of the team's is to the session.
    async fn belongs(&self, at: &MessageRef, role: Role) -> Delivered<(), Self::Failure> {
        let Attempt { effect, index, .. } = self.attempt();
        Ok(index.belongs(effect.session, (&effect.place.workspace, at), role).await?)
    }

    /// A card was posted in the conversation, maybe as the first message of it.
    async fn has_asked(&self, _at: &MessageRef) -> Delivered<(), Self::Failure> {
        Ok(())
    }

    /// Whether a question is to be shown at all that never was; it may answer it instead.
    async fn must_be_shown(&self, _wait: &Wait) -> Delivered<bool, Self::Failure> {
        Ok(true)
    }

    /// The card of a question as it stands.
    async fn draw(&self, wait: &Wait) -> Delivered<Self::Message, Self::Failure>;

    /// Posts a card where it goes; `None` if there is no such place any more.
    async fn post_card(
        &self,
        message: &Self::Message,
    ) -> Delivered<Option<MessageRef>, Self::Failure>;

    /// Draws a message anew; false where it is not there any more, or can't be edited.
    async fn edit_card(
        &self,
        at: &MessageRef,
        message: &Self::Message,
    ) -> Delivered<bool, Self::Failure>;

    /// A card was edited everywhere: what it says may have changed since it was drawn.
    async fn card_was_edited(
        &self,
        _wait: &Wait,
        _at: &[MessageRef],
        _message: &Self::Message,
    ) -> Delivered<(), Self::Failure> {
        Ok(())
    }

    /// The card that an earlier attempt may have posted, of which nobody knows whether it came.
    async fn earlier_card(&self, wait: &Wait) -> Delivered<Option<MessageRef>, Self::Failure>;

    /// A line under a request: how it was decided, and by whom. None where nothing can be said there.
    async fn post_decision(
        &self,
        card: MessageRef,
        decided: &str,
        by: (&PersonId, &str),
    ) -> Delivered<Option<MessageRef>, Self::Failure>;

    /// Words of the bot, with buttons for commands and, for the team, for what they may read about somebody.
    async fn say(
        &self,
        text: &str,
        offers: &[Offered],
        about: Option<&State>,
    ) -> Delivered<Option<String>, Self::Failure>;

    /// Words of the bot: `CommonMark` without raw HTML.
    fn words(&self, text: &str) -> Vec<Self::Message>;

    /// Words as somebody wrote them: nothing in them is markup.
    fn as_written(&self, text: &str) -> Vec<Self::Message> {
        self.words(text)
    }

    /// Posts messages that belong together, in order, where the effect goes; names the first.
    async fn post_all(
        &self,
        messages: &[Self::Message],
    ) -> Delivered<Option<String>, Self::Failure>;

    /// How far the conversation is.
    async fn draw_progress(&self, text: &str) -> Self::Message;

    /// Posts how far the conversation is, in a message of its own that is edited from then on; `None` if that stands
    /// elsewhere.
    async fn post_progress(
        &self,
        _message: &Self::Message,
    ) -> Delivered<Option<MessageRef>, Self::Failure> {
        Ok(None)
    }

    /// Offers a copy of everything, with the last words where there are some.
    async fn export(&self, closing: Option<&str>) -> Delivered<Option<String>, Self::Failure>;

    /// Words with a link.
    fn link(
        &self,
        text: &str,
        label: &str,
        url: &str,
    ) -> Delivered<Vec<Self::Message>, Self::Failure>;

    /// Hands over a file with words beside it.
    async fn hand_file(
        &self,
        file: &Artifact,
        text: &str,
        bytes: Vec<u8>,
    ) -> Delivered<Option<String>, Self::Failure>;

    /// Gives roles, where there are such.
    async fn add_roles(&self, _roles: &[String]) -> Delivered<(), Self::Failure> {
        Err(Undelivered::NotApplicable)
    }

    /// Whether files can be fetched at all; a failure says why none can.
    async fn can_fetch(&self) -> Delivered<(), Self::Failure> {
        Ok(())
    }

    /// One file.
    async fn fetch_file(&self, file: &Offer) -> Result<Vec<u8>, NotFetched>;

    /// How soon a file is asked for again.
    fn fetch_again(&self) -> TimeDelta {
        self.attempt().effect.exponential_backoff()
    }

    /// Whoever sent files, as the conversation names them.
    async fn sender_of_files(&self, by: &PersonId) -> Delivered<Responder, Self::Failure> {
        let head = self.look().await?.loaded.head;
        let name = head.name.filter(|_| head.participant == *by).unwrap_or_default();
        Ok(Responder::without_rights(by.clone(), name))
    }
}
