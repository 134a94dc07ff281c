//! What it means for an effect that a platform did not do as asked. Each platform has one table from its codes to a
//! [`Class`]; what follows from a class is the same everywhere.
//!
//! | class | what the gateway does | what comes of the effect otherwise |
//! |---|---|---|
//! | [`Class::Later`] | nothing | put off, not counted, at most for a day |
//! | [`Class::Unclear`] | looks before it posts again | tried again, counted |
//! | [`Class::Unknown`] | nothing | tried again, counted; then failed and told |
//! | [`Class::Blocked`] | nothing | waits for its cause, never given up |
//! | [`Class::Shorten`] | splits or shortens, and posts again | failed and told |
//! | [`Class::Plain`] | posts the words alone | failed and told |
//! | [`Class::MessageGone`] | posts anew instead of editing | failed and told |
//! | [`Class::Uneditable`] | posts anew instead of editing | failed and told |
//! | [`Class::PlaceGone`] | posts elsewhere | failed and told |
//! | [`Class::PlaceClosed`] | posts elsewhere | failed and told |
//! | [`Class::AlreadyDone`] | nothing | delivered, where it adds or removes; else as unknown |
//! | [`Class::PersonUnreachable`] | writes where the person also reads; else the session pauses | failed and told |
//! | [`Class::Final`] | nothing | failed and told |

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use crate::model::effect::{Act, Cause, CauseKind, Delivery, Effect};

/// Pause between two tries of what is blocked, where nobody says before that the cause is over.
const BLOCKED_PAUSE: TimeDelta = TimeDelta::seconds(30);

/// What a refusal, or a call that came to no answer, means for the effect that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Nothing was done: a rate is kept, by the platform or by the bot.
    Later {
        /// How long to wait.
        after: Duration,
    },
    /// It may have happened.
    Unclear,
    /// A code that is in no table: it may be something of the moment, and ends if it is not.
    Unknown,
    /// Somebody outside must mend something first.
    Blocked(CauseKind),
    /// There is too much in it.
    Shorten,
    /// The platform does not take how it is built: blocks, components, metadata.
    Plain,
    /// The message to be edited, or the file, is not there any more.
    MessageGone,
    /// The message is there and cannot be edited.
    Uneditable,
    /// The thread or the conversation is not there any more.
    PlaceGone,
    /// The thread or the conversation is there and takes no messages.
    PlaceClosed,
    /// It was done before.
    AlreadyDone,
    /// The person reads nothing from the bot any more; why, in words for staff.
    PersonUnreachable(&'static str),
    /// Trying again changes nothing.
    Final,
}

/// What comes of `effect` whose last call was refused, once the gateway has done what the class asks for; `said` is what
/// the platform said, in words for staff.
///
/// ```
/// # use anteroom::{base::ids::*, model::{effect::*, session::{Place, Platform}}};
/// use anteroom::chat::refusal::{Class, outcome};
/// # let ids = CountingIds::default();
/// # let place = Place { platform: Platform::Slack, workspace: "T1".into(), channel: "C1".into(), thread: None };
/// # let act = Act::Post { text: "Hello".into(), offers: vec![], transcript: false };
/// # let now = chrono::DateTime::UNIX_EPOCH;
/// # let to = Recipient::Channel { alias: "team".into() };
/// # let effect = Effect::new(EffectId::mint(&ids), (SessionId::mint(&ids), place), (to, act), now);
/// let refused = outcome(Class::Blocked(CauseKind::ChannelUnavailable), "is_archived", &effect, now);
/// let Delivery::Blocked { cause, .. } = refused else { panic!("{refused:?}") };
/// assert_eq!(cause.to_string(), "the channel `team` is archived or deleted, or the app isn't in it");
/// ```
pub fn outcome(class: Class, said: &str, effect: &Effect, now: DateTime<Utc>) -> Delivery {
    match class {
        Class::Later { after } => later(after, now),
        Class::Blocked(kind) => {
            let cause = Cause::of(kind, effect);
            Delivery::Blocked { cause, not_before: now + BLOCKED_PAUSE }
        }
        Class::AlreadyDone if is_idempotent(&effect.act) => Delivery::delivered(None),
        Class::Unclear | Class::Unknown | Class::AlreadyDone => {
            Delivery::Retry { not_before: now + effect.exponential_backoff() }
        }
        Class::PersonUnreachable(why) => Delivery::failed(why.to_owned()),
        Class::Shorten
        | Class::Plain
        | Class::MessageGone
        | Class::Uneditable
        | Class::PlaceGone
        | Class::PlaceClosed
        | Class::Final => Delivery::failed(said.to_owned()),
    }
}

/// Whether it may be done already without this attempt: a message is new each time.
const fn is_idempotent(act: &Act) -> bool {
    matches!(act, Act::AddRoles { .. } | Act::Remove { .. })
}

/// Nothing was done; again after a while, which is never longer than [`Effect::PAUSE_MAX`].
pub fn later(after: Duration, now: DateTime<Utc>) -> Delivery {
    let pause = TimeDelta::from_std(after).unwrap_or(Effect::PAUSE_MAX).min(Effect::PAUSE_MAX);
    Delivery::Later { not_before: now + pause }
}
