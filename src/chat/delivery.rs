//! One effect on its way to a chat: which card is posted and which is edited, when it is told how a request was decided,
//! how files are fetched. A platform says how each of these steps is made there ([`Courier`]).
//!
//! ```text
//! Show      card    never shown: posted · shown: edited everywhere · deleted while it is open: posted anew
//!                   shown elsewhere than it goes now: posted there as well
//!                   ended before anybody saw it: an earlier attempt's card is looked for, and edited
//!           line    under a request, once it is decided; one, however often it is delivered
//! Fetch     files   fetched, kept, handed in once; what can't be had is said
//! others    as the platform does it
//! ```
//!
//! A repeat posts nothing twice: cards are known by their renderings, lines by their marks, files by the key of the effect.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Fetched, NotFetched, WorkIndicators, card_lookup,
    message_index::{Mark, MessageIndex, MessageRef},
};
use crate::{
    base::ids::WaitId,
    engine::{self, Engine},
    model::{
        artifact::Offer,
        effect::{Act, Delivery, Effect, Handout, Recipient, Rendering},
        session::PersonId,
        ui::Offered,
        wait::Wait,
    },
    session::{Responder, answer},
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

/// When something of ours is asked for again.
const OURS: TimeDelta = TimeDelta::seconds(5);

impl<F> Undelivered<F> {
    /// What comes of the effect; `refused` says it for a call of the platform.
    pub fn outcome(self, now: DateTime<Utc>, refused: impl FnOnce(F) -> Delivery) -> Delivery {
        match self {
            Self::NotApplicable => Delivery::NotApplicable,
            Self::Call(failure) => refused(failure),
            Self::Later => Delivery::Later { not_before: now + OURS },
            Self::Unclear { after } => Delivery::Retry { not_before: now + after },
            Self::Never(reason) => Delivery::Failed { reason },
        }
    }
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

/// Delivers one effect on a platform.
#[async_trait]
pub trait Courier: Sync {
    /// A call of the platform that came to nothing.
    type Failure: Send;

    /// A message as the platform draws it.
    type Message: Send + Sync;

    /// The effect.
    fn effect(&self) -> &Effect;

    /// Drives the conversations.
    fn engine(&self) -> &Engine;

    /// Which message stands for what.
    fn index(&self) -> &MessageIndex;

    /// The channel of an alias.
    fn channel(&self, alias: &str) -> Delivered<String, Self::Failure>;

    /// The channel in which a card for the team stands; none where it stands in the conversation.
    async fn card_channel(&self) -> Delivered<Option<String>, Self::Failure>;

    /// Whether a question is to be shown at all that never was; it may answer it instead.
    async fn must_be_shown(&self, _wait: &Wait) -> Delivered<bool, Self::Failure> {
        Ok(true)
    }

    /// The card of a question as it stands.
    async fn draw(&self, wait: &Wait) -> Delivered<Self::Message, Self::Failure>;

    /// Posts a card where it goes; none where there is no such place any more.
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

    /// Remembers what a card is to those who write under it.
    async fn belongs(&self, wait: &Wait, at: &MessageRef) -> Delivered<(), Self::Failure>;

    /// A line under a request: how it was decided, and by whom. None where nothing can be said there.
    async fn post_decision(
        &self,
        card: MessageRef,
        decided: &str,
        by: (&PersonId, &str),
    ) -> Delivered<Option<MessageRef>, Self::Failure>;

    /// Words of the bot, with buttons for commands and, for the team, for what they may read.
    async fn say(
        &self,
        text: &str,
        offers: &[Offered],
        transcript: bool,
    ) -> Delivered<Option<String>, Self::Failure>;

    /// Words of somebody, passed on as they were written.
    async fn relay(&self, name: &str, text: &str) -> Delivered<Option<String>, Self::Failure>;

    /// How far the conversation is.
    async fn progress(&self, text: &str) -> Delivered<Option<String>, Self::Failure>;

    /// Offers a copy of everything, with the last words where there are some.
    async fn export(&self, closing: Option<&str>) -> Delivered<Option<String>, Self::Failure>;

    /// Hands over a file or a link.
    async fn hand(&self, what: &Handout, text: &str) -> Delivered<Option<String>, Self::Failure>;

    /// Gives roles, where there are such.
    async fn add_roles(&self, _roles: &[String]) -> Delivered<(), Self::Failure> {
        Err(Undelivered::NotApplicable)
    }

    /// Takes away what was posted, or says what came of that.
    async fn erase(&self) -> Delivered<Option<String>, Self::Failure>;

    /// Whether files can be fetched at all; a failure says why none can.
    async fn can_fetch(&self) -> Delivered<(), Self::Failure> {
        Ok(())
    }

    /// What shows that the bot is at work.
    fn work_indicators(&self) -> &WorkIndicators;

    /// One file.
    async fn fetch_file(&self, file: &Offer) -> Result<Vec<u8>, NotFetched>;

    /// How soon a file is asked for again.
    fn fetch_again(&self) -> TimeDelta {
        self.effect().exponential_backoff()
    }

    /// Says why a file can't be had, to whoever sent it.
    async fn say_refused(&self, why: &str) -> Delivered<Option<String>, Self::Failure>;

    /// Whoever sent files, as the conversation names them.
    async fn sender_of_files(&self, by: &PersonId) -> Delivered<Responder, Self::Failure> {
        let head = self.engine().look(self.effect().session).await?.loaded.head;
        let name = head.name.filter(|_| head.participant == *by).unwrap_or_default();
        Ok(Responder::without_rights(by.clone(), name))
    }
}

/// Delivers an effect; what it returns names the message that it left, where another may refer to it.
pub async fn deliver<C: Courier>(
    courier: &C,
    shown: Option<(&Wait, &[Rendering])>,
) -> Delivered<Option<String>, C::Failure> {
    match (&courier.effect().act, shown) {
        (Act::Show { .. }, Some((wait, renderings))) => {
            let shown = show(courier, wait, renderings).await?;
            tell_decision(courier, wait).await?;
            Ok(shown)
        }
        (Act::Post { text, offers, transcript }, _) => courier.say(text, offers, *transcript).await,
        (Act::Relay { name, text }, _) => courier.relay(name, text).await,
        (Act::Progress { text }, _) => courier.progress(text).await,
        (Act::Export { closing }, _) => courier.export(closing.as_deref()).await,
        (Act::Hand { what, text }, _) => courier.hand(what, text).await,
        (Act::Fetch { by, wait, files }, _) => {
            fetch(courier, by, *wait, files).await?;
            Ok(None)
        }
        (Act::AddRoles { roles }, _) => {
            courier.add_roles(roles).await?;
            Ok(None)
        }
        (Act::Remove { .. } | Act::Receipt { .. }, _) => courier.erase().await,
        (Act::Show { .. } | Act::Webhook { .. }, _) => Err(Undelivered::NotApplicable),
    }
}

/// A card: posted where it was never shown, edited everywhere else.
pub async fn show<C: Courier>(
    courier: &C,
    wait: &Wait,
    renderings: &[Rendering],
) -> Delivered<Option<String>, C::Failure> {
    let is_open = wait.status.is_pending();
    if renderings.is_empty() && is_open && !courier.must_be_shown(wait).await? {
        return Ok(None);
    }
    let message = courier.draw(wait).await?;
    let places: Vec<MessageRef> =
        renderings.iter().filter_map(|r| MessageRef::parse(&r.message)).collect();
    if is_open && (places.is_empty() || is_elsewhere(courier, &places).await?) {
        return post(courier, wait, &message).await;
    }
    if places.is_empty() {
        // It ended before anybody saw it, or on a card of which nobody knows that it is there.
        let Some(at) = courier.earlier_card(wait).await? else { return Ok(None) };
        courier.edit_card(&at, &message).await?;
        courier.belongs(wait, &at).await?;
        return Ok(Some(at.name()));
    }
    let mut is_there = false;
    for at in &places {
        is_there |= courier.edit_card(at, &message).await?;
    }
    if is_there {
        courier.card_was_edited(wait, &places, &message).await?;
    }
    // Deleted is not answered.
    if is_there || !is_open {
        return Ok(places.first().map(MessageRef::name));
    }
    post(courier, wait, &message).await
}

async fn post<C: Courier>(
    courier: &C,
    wait: &Wait,
    message: &C::Message,
) -> Delivered<Option<String>, C::Failure> {
    let Some(at) = courier.post_card(message).await? else { return Ok(None) };
    courier.belongs(wait, &at).await?;
    Ok(Some(at.name()))
}

/// Whether a card of the team's is shown, but not where this one goes: to one of them directly, for their channel took
/// nothing.
async fn is_elsewhere<C: Courier>(
    courier: &C,
    places: &[MessageRef],
) -> Delivered<bool, C::Failure> {
    let here = courier.card_channel().await?;
    Ok(here.is_some_and(|here| places.iter().all(|place| place.channel != here)))
}

/// A line under a request once it is decided, for those who talk about it there.
async fn tell_decision<C: Courier>(courier: &C, wait: &Wait) -> Delivered<(), C::Failure> {
    let Recipient::Channel { alias } = &courier.effect().to else { return Ok(()) };
    let Some((reply, by, by_name, _)) = wait.status.answer() else { return Ok(()) };
    let (mark, session) = (Mark::Decided(wait.id), courier.effect().session);
    let channel = courier.channel(alias)?;
    if courier.index().marked(session, mark).await?.is_some() {
        return Ok(());
    }
    let Some(card) =
        card_lookup::card_in(&*courier.engine().parts().store, wait.id, &channel).await?
    else {
        return Ok(());
    };
    let decided = answer::describe(&wait.prompt.control, reply);
    match courier.post_decision(card, &decided, (by, by_name)).await? {
        Some(line) => Ok(courier.index().mark(session, mark, &line).await?),
        None => Ok(()),
    }
}

/// Fetches files and hands them in; what can't be had is said, and asked for again by the card that stands open.
async fn fetch<C: Courier>(
    courier: &C,
    by: &PersonId,
    wait: Option<WaitId>,
    files: &[Offer],
) -> Delivered<(), C::Failure> {
    let engine = courier.engine();
    courier.can_fetch().await?;
    let _sign = courier.work_indicators().fetching(courier.effect().session, files);
    let mut fetched = Fetched::new(engine, courier.effect(), wait);
    for file in files {
        if !fetched.keep(file, courier.fetch_file(file).await).await? {
            return Err(Undelivered::Unclear { after: courier.fetch_again() });
        }
    }
    let refused = fetched.hand_in(courier.sender_of_files(by).await?).await?;
    if !refused.is_empty() {
        courier.say_refused(&refused.join("\n\n")).await?;
    }
    Ok(())
}
