//! What every chat platform does with an update: finds the conversation, checks rights, hands it to the engine, and says
//! what came of it.
//!
//! ```text
//! platform   parse        a payload becomes an update of its own types
//! here       messages     words and files in a conversation, in the team's thread, under a request
//!            buttons      what a button that belongs to no question asks for
//!            questions    the question behind a control, who may answer it, or see what was entered so far
//!            wanted       copies and files that somebody asked for
//! platform   Update::Ack  how it is answered at once
//! ```
//!
//! A platform says who somebody is and how it tells them something ([`Update`]); what an update means is decided here and
//! nowhere else. Everything ends with a commit or with words for the person. A repeat has the same key and is answered like
//! the first; whatever could not be saved is [`NotSaved`], so that the platform delivers it again or tells the person.

mod buttons;
mod messages;
mod questions;
mod wanted;

use async_trait::async_trait;

use super::{
    Deduplicator,
    form::{overview, words},
    receipt,
};
use crate::{
    base::ids::SessionId,
    engine::{self, Beginning, Begun, Engine, Inbound, InboundKind, Receipt},
    flow::LoadedFlow,
    messages::{Text, erasure, notices},
    model::{
        session::{Head, PersonId, Place, Status},
        wait::{Settlement, Wait},
    },
    session::{Responder, answer::describe},
    store::{self, Find},
};

pub use self::{
    buttons::{ButtonId, Buttons, Start, pressed},
    messages::{Messages, Written, changed, in_conversation, interrupted, wrote},
    questions::{
        Asked, Questions, Used, answered, answerer, asked, check_upload, chosen, is_scripted,
        refuse_to_show, used,
    },
    wanted::{Handed, Wanted},
};

/// It could not be made durable: do not acknowledge it, so that the platform delivers it again or tells the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("could not be saved")]
pub struct NotSaved;

impl From<store::Error> for NotSaved {
    fn from(_: store::Error) -> Self {
        // Told in the log by the store.
        Self
    }
}

/// Where somebody is told something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyTarget {
    /// Who.
    pub user: String,
    /// The channel, or the conversation with them; their own id where they are written to directly.
    pub channel: String,
    /// The thread in it, where the platform tells threads from channels.
    pub thread: Option<String>,
}

/// One update of a platform, with what is needed to deal with it.
#[async_trait]
pub trait Update: Sync {
    /// Who did it, as the payload says.
    type Actor: Send + Sync;

    /// What is answered at once.
    type Ack: Default + Send;

    /// Drives the conversations.
    fn engine(&self) -> &Engine;

    /// Names the update: the same one delivered again has the same key.
    fn key(&self) -> &str;

    /// What was answered already.
    fn deduplicator(&self) -> &Deduplicator;

    /// Whether the platform delivers it again by itself where it is not acknowledged. Where much else would come again
    /// with it, whoever did it is told instead that too much is going on.
    fn comes_again_alone(&self) -> bool {
        true
    }

    /// The answer where there is nothing to say.
    fn done(&self) -> Self::Ack {
        Self::Ack::default()
    }

    /// Tells one person something that nobody else sees, as often as the limit allows.
    fn tell(&self, to: &ReplyTarget, text: &str) -> Self::Ack;

    /// Tells one person something that must arrive, in Markdown, perhaps in several messages.
    fn say(&self, to: &ReplyTarget, text: &str) -> Self::Ack;

    /// A text of the catalogue, in the platform's markup.
    fn write(&self, text: &Text) -> String;

    /// Somebody as the platform names them.
    fn person(&self, by: &Self::Actor) -> PersonId;

    /// Whether somebody is the participant of a conversation.
    fn is_participant(&self, head: &Head, by: &Self::Actor) -> bool {
        head.participant == self.person(by)
    }

    /// Somebody who acts without rights, such as the participant, about whom nothing needs to be asked.
    async fn known(&self, head: &Head, by: &Self::Actor) -> Responder;

    /// Somebody with what they may do now; the error is for them.
    async fn rights(&self, by: &Self::Actor) -> Result<Responder, String>;

    /// The same about a conversation, where that may be of elsewhere.
    async fn responder(&self, _head: &Head, by: &Self::Actor) -> Result<Responder, String> {
        self.rights(by).await
    }
}

/// A session at a glance.
pub(crate) async fn head_of(
    engine: &Engine,
    session: SessionId,
) -> Result<Option<Head>, store::Error> {
    Ok(engine.parts().store.find(Find::One(session)).await?.pop())
}

/// The conversation of a person that is meant where nothing else is said.
pub async fn newest(engine: &Engine, person: PersonId) -> Result<Option<Head>, store::Error> {
    let platform = person.platform;
    let theirs = engine.parts().store.find(Find::Person(person)).await?;
    Ok(overview::newest(&theirs, platform))
}

/// The participant of a conversation, as it knows them.
pub(crate) fn participant_of(head: &Head) -> Responder {
    Responder::without_rights(head.participant.clone(), head.name.clone().unwrap_or_default())
}

/// Something that happened to the participant of a conversation, as one of several things that an update brings.
pub fn happened(head: &Head, key: &str, what: InboundKind) -> Inbound {
    let key = format!("{key}:{}", head.id.short());
    Inbound { key, session: head.id, from: participant_of(head), what }
}

/// Begins a conversation for somebody, or finds theirs. One that had paused because nothing reached them is tried again:
/// what is open in it is shown once more, as if it had begun now.
pub(crate) async fn begin<U: Update>(
    update: &U,
    flow: &LoadedFlow,
    (from, place): (&Responder, Place),
    beginning: Beginning<'_>,
) -> Result<Begun, engine::Error> {
    let (engine, key) = (update.engine(), update.key());
    let mut begun = engine.start_with(&flow.flow.id, from, (place, key), beginning).await?;
    let session = begun.session;
    let Some(before) = begun.before else { return Ok(begun) };
    let key = format!("{key}:back");
    if before == Status::Paused && engine.view(session).await?.state.is_out_of_reach {
        let from = from.clone();
        engine.receive(Inbound { key, session, from, what: InboundKind::Back }).await?;
        begun.before = None;
    } else if engine.parts().store.is_known_event(&key).await? {
        // The same request again.
        begun.before = None;
    }
    Ok(begun)
}

/// Hands something in; what there is to say about it is said to whoever did it.
pub async fn receive<U: Update>(
    update: &U,
    session: SessionId,
    (from, what): (Responder, InboundKind),
    to: &ReplyTarget,
    about: Option<&Wait>,
) -> Result<U::Ack, NotSaved> {
    let me = from.person.clone();
    let choice = match (&what, about) {
        (InboundKind::Answer { reply, .. }, Some(wait)) => {
            Some(describe(&wait.prompt.control, reply))
        }
        _ => None,
    };
    let inbound = Inbound { key: update.key().to_owned(), session, from, what };
    match update.engine().receive(inbound).await {
        Ok(receipt) if is_again(&receipt, &me, choice.as_deref()) => Ok(update.done()),
        Ok(receipt) => Ok(report(update, &receipt, about, &me, to)),
        Err(error) if words::may_pass(&error) && !is_said(update, &error) => Err(NotSaved),
        Err(error) => Ok(update.tell(to, &words::of_error(&error))),
    }
}

/// Whether somebody is told at once of what may be taken in another time. What comes while the program ends is not
/// theirs to repeat.
fn is_said<U: Update>(update: &U, error: &engine::Error) -> bool {
    let is_busy = matches!(error, engine::Error::Busy) && !update.engine().is_closing();
    is_busy && !update.comes_again_alone()
}

/// Says what came of something to whoever did it.
pub fn report<U: Update>(
    update: &U,
    receipt: &Receipt,
    about: Option<&Wait>,
    me: &PersonId,
    to: &ReplyTarget,
) -> U::Ack {
    if let Receipt::Erased { receipt, is_under_way } = receipt {
        return update.say(to, &erasure::erased(receipt, *is_under_way));
    }
    let prompt = about.map(|wait| &*wait.prompt);
    match words::of_receipt(receipt, prompt, me) {
        Some(words) => update.tell(to, &update.write(&words)),
        None => update.done(),
    }
}

/// Whether the same person has made the same choice before: then there is nothing to tell.
fn is_again(receipt: &Receipt, me: &PersonId, choice: Option<&str>) -> bool {
    let Receipt::Settled(Settlement::AlreadySettled { by, choice: settled, .. }) = receipt else {
        return false;
    };
    by == me && choice == Some(settled)
}

/// A conversation of one's own that a button names; the error is the refusal.
pub(crate) async fn require_participant<U: Update>(
    update: &U,
    session: SessionId,
    by: &U::Actor,
    to: &ReplyTarget,
) -> Result<Result<(Head, Responder), U::Ack>, NotSaved> {
    let Some(head) = head_of(update.engine(), session).await? else {
        return Ok(Err(gone(update, session, to).await));
    };
    if !update.is_participant(&head, by) {
        return Ok(Err(update.tell(to, notices::NOT_YOURS)));
    }
    let from = update.known(&head, by).await;
    Ok(Ok((head, from)))
}

/// A conversation of which somebody is staff; the error is the refusal.
pub(crate) async fn require_staff<U: Update>(
    update: &U,
    session: SessionId,
    by: &U::Actor,
    to: &ReplyTarget,
) -> Result<Result<(Head, Responder), U::Ack>, NotSaved> {
    let Some(head) = head_of(update.engine(), session).await? else {
        return Ok(Err(gone(update, session, to).await));
    };
    Ok(match update.responder(&head, by).await {
        Ok(from) if from.staff => Ok((head, from)),
        Ok(_) => Err(update.tell(to, notices::FOR_STAFF)),
        Err(unchecked) => Err(update.tell(to, &unchecked)),
    })
}

/// There is no conversation, or none any more: then its receipt is shown.
async fn gone<U: Update>(update: &U, session: SessionId, to: &ReplyTarget) -> U::Ack {
    match update.engine().erasure_report(session).await {
        Ok(Some(report)) => update.say(to, &receipt::text(&report)),
        Ok(None) | Err(_) => update.tell(to, notices::NO_CONVERSATION),
    }
}
