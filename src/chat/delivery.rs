//! One effect on its way to a chat: which card is posted and which is edited, when it is told how a request was decided,
//! how files are fetched. A platform says how each of these steps is made there ([`Courier`]).
//!
//! ```text
//! Show      card    never shown: posted · shown: edited everywhere · deleted while it is open: posted anew
//!                   shown elsewhere than it goes now: posted there as well
//!                   ended before anybody saw it: an earlier attempt's card is looked for, and edited
//!           line    under a request, once it is decided; one, however often it is delivered
//! Fetch     files   fetched, kept, handed in once; what can't be had is said
//! Progress  line    posted once where the platform has such a line, edited from then on
//! Hand      file    read where it is kept, and handed over; one that is kept no more is told
//! others    as the platform does it
//! ```
//!
//! A repeat posts nothing twice: cards are known by their renderings, lines by their marks, files by the key of the effect.

use chrono::TimeDelta;

use super::{
    Fetched, card_lookup,
    courier::{Attempt, Courier, Delivered, Undelivered},
    message_index::{Mark, MessageRef, Role},
    refusal,
    removal::{self, Remover},
};
use crate::{
    base::ids::WaitId,
    messages::{self, Text},
    model::{
        artifact::{Artifact, Offer},
        effect::{Act, Delivery, Effect, Handout, Recipient, Rendering},
        session::PersonId,
        wait::Wait,
    },
    ports::artifacts::blobs,
    session::answer,
};

/// When something of ours is asked for again.
const OURS: TimeDelta = TimeDelta::seconds(5);

/// Delivers an effect; what it returns names the message that it left, where another may refer to it.
pub async fn deliver<C: Remover>(
    courier: &C,
    shown: Option<(&Wait, &[Rendering])>,
) -> Delivered<Option<String>, C::Failure> {
    match (&courier.attempt().effect.act, shown) {
        (Act::Show { .. }, Some((wait, renderings))) => {
            let shown = show(courier, wait, renderings).await?;
            tell_decision(courier, wait).await?;
            Ok(shown)
        }
        (Act::Post { text, offers, transcript: false }, _) => {
            courier.say(&text.common_mark(), offers, None).await
        }
        (Act::Post { text, offers, transcript: true }, _) => {
            courier.say(&text.common_mark(), offers, Some(&courier.look().await?.state)).await
        }
        (Act::Relay { name, text }, _) => {
            let words = messages::notices::relayed(name, text);
            courier.post_all(&courier.as_written(&words)).await
        }
        (Act::Progress { text }, _) => {
            show_progress(courier, &text.to_string()).await?;
            Ok(None)
        }
        (Act::Export { closing }, _) => {
            courier.export(closing.as_ref().map(Text::common_mark).as_deref()).await
        }
        (Act::Hand { what: Handout::File { file }, text }, _) => {
            hand(courier, file, &text.common_mark()).await
        }
        (Act::Hand { what: Handout::Link { label, url }, text }, _) => {
            courier.post_all(&courier.link(&text.common_mark(), label, url)?).await
        }
        (Act::Fetch { by, wait, files }, _) => {
            fetch(courier, by, *wait, files).await?;
            Ok(None)
        }
        (Act::AddRoles { roles }, _) => {
            courier.add_roles(roles).await?;
            Ok(None)
        }
        (Act::Remove { .. } | Act::Receipt { .. }, _) => removal::erase(courier).await,
        (Act::Show { .. } | Act::Webhook { .. }, _) => Err(Undelivered::NotApplicable),
    }
}

/// What comes of a delivery, with what it has left outside. Where nothing reaches the participant any more, the session
/// pauses.
pub async fn outcome<C: Courier>(
    courier: &C,
    delivered: Delivered<Option<String>, C::Failure>,
) -> Delivery {
    let Attempt { effect, trail, engine, post_log, .. } = courier.attempt();
    let now = engine.parts().clock.now();
    let delivery = match delivered {
        Ok(message) => Delivery::delivered(message),
        Err(Undelivered::NotApplicable) => Delivery::NotApplicable,
        Err(Undelivered::Call(failure)) => {
            let lost = courier.out_of_reach(&failure).filter(|_| is_told(effect));
            // What stays in the outbox says so again after a crash.
            if let Some(why) = lost {
                courier.lost(why).await;
            }
            let (class, said) = courier.class_in_the_end(&failure);
            match refusal::outcome(class, &said, effect, now) {
                Delivery::Failed { reason, .. } => {
                    Delivery::Failed { reason, out_of_reach: lost.map(str::to_owned) }
                }
                put_off => put_off,
            }
        }
        Err(Undelivered::Later) => Delivery::Later { not_before: now + OURS },
        Err(Undelivered::Unclear { after }) => Delivery::Retry { not_before: now + after },
        Err(Undelivered::Never(reason)) => Delivery::failed(reason),
    };
    post_log.close(effect, delivery, trail).await
}

/// Whether the participant reads what it leaves.
pub(crate) fn is_told(effect: &Effect) -> bool {
    let is_done =
        matches!(effect.act, Act::AddRoles { .. } | Act::Remove { .. } | Act::Receipt { .. });
    effect.to == Recipient::Participant && !is_done
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
        remember_card(courier, wait, &at).await?;
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
    remember_card(courier, wait, &at).await?;
    Ok(Some(at.name()))
}

/// Remembers what a card is to those who write under it, and begins the thread in which they do.
async fn remember_card<C: Courier>(
    courier: &C,
    wait: &Wait,
    at: &MessageRef,
) -> Delivered<(), C::Failure> {
    let (role, to) = (Role::Request(wait.id), &courier.attempt().effect.to);
    if *to == Recipient::Participant {
        return courier.has_asked(at).await;
    }
    courier.belongs(at, role).await?;
    if matches!(to, Recipient::Channel { .. }) {
        courier.takes_replies(at, role).await?;
    }
    Ok(())
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
    let Attempt { effect, engine, index, .. } = courier.attempt();
    let Recipient::Channel { alias } = &effect.to else { return Ok(()) };
    let Some((reply, by, by_name, _)) = wait.status.answer() else { return Ok(()) };
    let (mark, session) = (Mark::Decided(wait.id), effect.session);
    let channel = courier.channel_of(alias)?;
    if index.marked(session, mark).await?.is_some() {
        return Ok(());
    }
    let Some(card) = card_lookup::card_in(&*engine.parts().store, wait.id, &channel).await? else {
        return Ok(());
    };
    let decided = answer::describe(&wait.prompt.control, reply);
    match courier.post_decision(card, &decided, (by, by_name)).await? {
        Some(line) => Ok(index.mark(session, mark, &line).await?),
        None => Ok(()),
    }
}

/// How far the conversation is: in the message that says so, else in a new one.
async fn show_progress<C: Courier>(courier: &C, text: &str) -> Delivered<(), C::Failure> {
    let Attempt { effect: Effect { session, .. }, index, .. } = courier.attempt();
    let message = courier.draw_progress(text).await;
    if let Some(at) = index.marked(*session, Mark::Progress).await?
        && courier.edit_card(&at, &message).await?
    {
        return Ok(());
    }
    match courier.post_progress(&message).await? {
        Some(at) => Ok(index.mark(*session, Mark::Progress, &at).await?),
        None => Ok(()),
    }
}

/// Hands over a file that the bot made; one that is kept no more is told.
async fn hand<C: Courier>(
    courier: &C,
    file: &Artifact,
    text: &str,
) -> Delivered<Option<String>, C::Failure> {
    let Attempt { effect, engine, .. } = courier.attempt();
    let kept = engine.parts().artifacts.read(effect.session, file).await;
    let kept = kept.map_err(|error| match error {
        // It stays so however often it is tried.
        blobs::Error::Damaged { .. } => Undelivered::Never(error.to_string()),
        _ => Undelivered::Later,
    })?;
    match kept {
        Some(bytes) => courier.hand_file(file, text, bytes).await,
        None => courier.post_all(&courier.as_written(messages::notices::FILE_GONE)).await,
    }
}

/// Fetches files and hands them in; what can't be had is said, and asked for again by the card that stands open.
async fn fetch<C: Courier>(
    courier: &C,
    by: &PersonId,
    wait: Option<WaitId>,
    files: &[Offer],
) -> Delivered<(), C::Failure> {
    courier.can_fetch().await?;
    let Attempt { effect, engine, work_indicators, .. } = courier.attempt();
    let _sign = work_indicators.fetching(effect.session, files);
    let mut fetched = Fetched::new(engine, effect, wait);
    for file in files {
        if !fetched.keep(file, courier.fetch_file(file).await).await? {
            return Err(Undelivered::Unclear { after: courier.fetch_again() });
        }
    }
    let refused = fetched.hand_in(courier.sender_of_files(by).await?).await?;
    if !refused.is_empty() {
        courier.post_all(&courier.words(&refused.join("\n\n"))).await?;
    }
    Ok(())
}
