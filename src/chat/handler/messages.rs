//! Words and files: in a conversation, in the team's thread about one, under a request.

use async_trait::async_trait;

use super::{NotSaved, ReplyTarget, Update, head_of, participant_of, receive};
use crate::{
    base::ids::{SessionId, WaitId},
    chat::{form::typed, message_index::Role},
    engine::InboundKind,
    messages,
    model::{artifact::Offer, session::Head, transcript::Via},
    session::Command,
};

/// What somebody wrote.
#[derive(Debug, Clone)]
pub struct Written<A> {
    /// Who.
    pub by: A,
    /// Where they are told something about it.
    pub to: ReplyTarget,
    /// Names the message: `C01/1690.0001`.
    pub source: String,
    /// The words; empty where there are none, or where the platform keeps them from the bot.
    pub text: String,
    /// There is a voice message with it.
    pub has_voice: bool,
    /// Files with it; the error says to the person why one can't be taken.
    pub files: Vec<Result<Offer, String>>,
}

/// An update of a platform that brings messages.
#[async_trait]
pub trait Messages: Update {
    /// A message, as the platform's payload says.
    type Message: Send + Sync;

    /// What was written.
    fn written(&self, message: &Self::Message) -> Written<Self::Actor>;

    /// The session that a message is for, and what the place it stands in is to that one.
    async fn conversation_of(
        &self,
        message: &Self::Message,
    ) -> Result<Option<(SessionId, Role)>, NotSaved>;

    /// Somebody writes where there is no conversation.
    async fn approached(&self, message: &Self::Message) -> Result<Self::Ack, NotSaved>;

    /// The participant has written in their conversation: before it is handed in.
    async fn before(&self, _head: &Head, _message: &Self::Message) -> Result<(), NotSaved> {
        Ok(())
    }

    /// A message of the participant or, in the team's thread, of staff came without words and files.
    async fn without_text(
        &self,
        _head: &Head,
        _role: Role,
        _to: &ReplyTarget,
    ) -> Result<Self::Ack, NotSaved> {
        Ok(self.done())
    }
}

/// Somebody wrote something.
pub async fn wrote<U: Messages>(update: &U, message: &U::Message) -> Result<U::Ack, NotSaved> {
    // A greeting delivered again is no answer to what was asked since.
    if update.deduplicator().is_claimed(update.key()).await? {
        return Ok(update.done());
    }
    match update.conversation_of(message).await? {
        Some((session, Role::Conversation)) => in_conversation(update, session, message).await,
        Some((session, Role::Staff)) => in_staff_thread(update, session, message).await,
        Some((_, Role::Request(wait))) => under_request(update, wait, message).await,
        None => update.approached(message).await,
    }
}

/// Words and files in a conversation.
pub async fn in_conversation<U: Messages>(
    update: &U,
    session: SessionId,
    message: &U::Message,
) -> Result<U::Ack, NotSaved> {
    let Written { by, to, source, text, has_voice, files } = update.written(message);
    let Some(head) = head_of(update.engine(), session).await? else { return Ok(update.done()) };
    let is_mine = update.is_participant(&head, &by);
    let from = if is_mine {
        update.before(&head, message).await?;
        update.known(&head, &by).await
    } else {
        update.responder(&head, &by).await.map_err(|_| NotSaved)?
    };
    let mut told = has_voice.then(|| update.tell(&to, messages::notices::NO_VOICE));
    let text = Some(text).filter(|text| !text.trim().is_empty());
    let mut offers = Vec::new();
    for file in files.into_iter().filter(|_| is_mine) {
        match file {
            Ok(offer) => offers.push(offer),
            Err(why) => told = Some(update.tell(&to, &why)),
        }
    }
    let what = if !offers.is_empty() {
        InboundKind::Offered { wait: None, files: offers, text }
    } else if let Some(text) = text {
        InboundKind::Said { text, source: Some(source) }
    } else {
        return match told {
            Some(told) => Ok(told),
            None if is_mine => update.without_text(&head, Role::Conversation, &to).await,
            None => Ok(update.done()),
        };
    };
    receive(update, session, (from, what), &to, None).await
}

/// Words of staff in the thread about a conversation: an order, or words to pass on.
async fn in_staff_thread<U: Messages>(
    update: &U,
    session: SessionId,
    message: &U::Message,
) -> Result<U::Ack, NotSaved> {
    let Written { by, to, text, .. } = update.written(message);
    let Some(head) = head_of(update.engine(), session).await? else { return Ok(update.done()) };
    let from = update.responder(&head, &by).await.map_err(|_| NotSaved)?;
    match (text.trim().is_empty(), from.staff) {
        (true, true) => update.without_text(&head, Role::Staff, &to).await,
        (true, false) => Ok(update.done()),
        (false, false) => Ok(update.tell(&to, messages::notices::FOR_STAFF)),
        (false, true) => {
            let what = InboundKind::Command(typed::order(&text));
            receive(update, session, (from, what), &to, None).await
        }
    }
}

/// Words under a request: a decision where they begin as one, otherwise talk among colleagues.
async fn under_request<U: Messages>(
    update: &U,
    wait: WaitId,
    message: &U::Message,
) -> Result<U::Ack, NotSaved> {
    let Written { by, to, text, .. } = update.written(message);
    let Some(reply) = typed::decision(&text) else { return Ok(update.done()) };
    let Some((wait, _)) = update.engine().parts().store.wait(wait).await? else {
        return Ok(update.done());
    };
    let Some(head) = head_of(update.engine(), wait.session).await? else {
        return Ok(update.done());
    };
    let from = update.responder(&head, &by).await.map_err(|_| NotSaved)?;
    let (id, revision, via) = (wait.id, wait.revision, Via::Typed);
    let what = InboundKind::Answer { wait: id, revision, reply, via };
    receive(update, wait.session, (from, what), &to, Some(&wait)).await
}

/// A message in a conversation was changed or, without `text`, deleted. Some platforms don't tell who deletes: only what the
/// participant wrote is known under its name.
pub async fn changed<U: Messages>(
    update: &U,
    message: &U::Message,
    by: Option<&U::Actor>,
    text: Option<String>,
) -> Result<U::Ack, NotSaved> {
    let found = update.conversation_of(message).await?;
    let Some((session, Role::Conversation)) = found else { return Ok(update.done()) };
    let Some(head) = head_of(update.engine(), session).await? else { return Ok(update.done()) };
    let from = match by {
        Some(by) => update.known(&head, by).await,
        None => participant_of(&head),
    };
    let Written { to, source, .. } = update.written(message);
    let to = ReplyTarget { user: from.person.user.clone(), ..to };
    receive(update, session, (from, InboundKind::Amended { source, text }), &to, None).await
}

/// Stops what the bot is at, and not the conversation.
pub async fn interrupted<U: Update>(
    update: &U,
    session: SessionId,
    by: &U::Actor,
    to: &ReplyTarget,
) -> Result<U::Ack, NotSaved> {
    let Some(head) = head_of(update.engine(), session).await? else { return Ok(update.done()) };
    let from = update.known(&head, by).await;
    receive(update, session, (from, InboundKind::Command(Command::Interrupt)), to, None).await
}
