//! What the engine asks of the outside, kept in the outbox until it has happened.

mod cause;

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::cause::{Cause, CauseKind, Reach};
use super::{
    artifact::{Artifact, Offer},
    posted::{Posted, Reader, Removal},
    session::{PersonId, Place},
    ui::Offered,
    wait::{Answerers, Wait},
    words::Text,
};
use crate::base::ids::{ArtifactId, EffectId, SessionId, WaitId};

/// Characters of an effect's id in the name of a file: enough for the files of one conversation.
const FILE_ID: usize = 8;

/// Something that must reach the outside exactly once in effect. Delivered at least once; `id` is the
/// idempotency key that makes a repeat harmless.
///
/// ```json
/// { "id": "eff_…", "session": "ses_…", "place": { "platform": "web", … }, "to": { "to": "participant" },
///   "act": { "do": "post", "text": "Done." }, "queued_at": "…", "attempts": 0, "not_before": "…" }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Names the effect, also to the platform where it knows idempotency keys.
    pub id: EffectId,
    /// The session it belongs to. Its effects leave in the order of their ids, those of each [`Priority`] by themselves.
    pub session: SessionId,
    /// Where the session lives.
    pub place: Place,
    /// Whom it is for.
    pub to: Recipient,
    /// What is to happen.
    pub act: Act,
    /// When it was queued.
    pub queued_at: DateTime<Utc>,
    /// Attempts so far of which nobody knows what came.
    pub attempts: u32,
    /// Not to be tried before.
    pub not_before: DateTime<Utc>,
    /// The effect of a finished phase that it carries out; what comes of it is noted in the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carries: Option<PhaseEffectRef>,
    /// Somebody of the team is asked by it: the session is told when it is delivered, and when it is kept back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
    /// The first time that [`Delivery::Later`] has put it off to; unset again where something else keeps it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later_since: Option<DateTime<Utc>>,
    /// Whether other effects wait for it.
    #[serde(default, skip_serializing_if = "Priority::is_normal")]
    pub priority: Priority,
}

/// Whether people wait for an effect. Those of one session and the same priority leave in order; the two priorities are
/// independent of one another, but for effects that show the same wait.
///
/// ```json
/// "background"
/// ```
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// People read it, and in the order in which it was queued.
    #[default]
    Normal,
    /// It closes a card that was answered, shows progress or gives roles. It never delays what people read: few of these
    /// are delivered at one time, and they leave a part of each rate limit to the others.
    Background,
}

impl Priority {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Normal => Self::Background,
            Self::Background => Self::Normal,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
    fn is_normal(&self) -> bool {
        *self == Self::Normal
    }
}

/// Names one effect of a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseEffectRef {
    /// The phase.
    pub phase: String,
    /// Which of its effects, from 0.
    pub index: usize,
}

/// Whom an effect is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "snake_case")]
pub enum Recipient {
    /// The place of the session.
    Participant,
    /// A channel of the staff, by its alias in the configuration.
    Channel {
        /// The alias.
        alias: String,
    },
    /// One of the team, directly.
    Person {
        /// The platform's own id.
        user: String,
    },
    /// A web hook, by its alias in the configuration.
    Webhook {
        /// The alias.
        alias: String,
    },
}

impl Recipient {
    /// Those who are asked: the participant, or whoever reads the channel of the deciders.
    pub fn of(answerers: &Answerers) -> Self {
        match answerers {
            Answerers::Participant => Self::Participant,
            Answerers::Deciders { alias, .. } => Self::Channel { alias: alias.clone() },
        }
    }

    /// Who reads what is posted there.
    pub fn reader(&self) -> Reader {
        match self {
            Self::Channel { alias } => Reader::Staff(alias.clone()),
            Self::Person { .. } => Reader::Staff(String::new()),
            Self::Participant | Self::Webhook { .. } => Reader::Participant,
        }
    }
}

/// For serde, which hands a reference in.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
const fn is_not(flag: &bool) -> bool {
    !*flag
}

impl Effect {
    /// A file's name with a part of the effect's id: `diagram.png` as `diagram-AbC-12_x.png`. By it a file that was handed
    /// over is found again, where an attempt may have happened of which nobody knows.
    pub fn file_name(&self, filename: &str) -> String {
        let id = self.id.short();
        let id = id.get(id.len().saturating_sub(FILE_ID)..).unwrap_or_default();
        match filename.rsplit_once('.') {
            Some((stem, extension)) => format!("{stem}-{id}.{extension}"),
            None => format!("{filename}-{id}"),
        }
    }

    /// One that may leave at once, queued at `now`.
    pub fn new(
        id: EffectId,
        (session, place): (SessionId, Place),
        (to, act): (Recipient, Act),
        now: DateTime<Utc>,
    ) -> Self {
        let priority = act.priority();
        Self {
            id,
            session,
            place,
            to,
            act,
            queued_at: now,
            attempts: 0,
            not_before: now,
            carries: None,
            asks: false,
            later_since: None,
            priority,
        }
    }

    /// One that shows `wait` to those who are asked, or draws it again wherever it is shown.
    pub(crate) fn showing(id: EffectId, wait: &Wait, place: Place, now: DateTime<Utc>) -> Self {
        let act = Act::Show { wait: wait.id };
        Self::new(id, (wait.session, place), (Recipient::of(&wait.answerers), act), now)
    }

    /// Whether it calls somebody of the team to a conversation, or passes on what its participant writes to them: all of
    /// that stays in the one thread in which their words reach the participant, whatever else is asked meanwhile.
    pub const fn is_of_hand_over(&self) -> bool {
        match &self.act {
            Act::Relay { .. } => true,
            Act::Post { .. } => self.asks,
            _ => false,
        }
    }

    /// Longest time for one file on its way in or out.
    pub(crate) const FILE_MAX: Duration = Duration::from_mins(2);

    /// Longest pause between two attempts to deliver an effect.
    pub const PAUSE_MAX: TimeDelta = TimeDelta::hours(1);

    /// How long to wait after an attempt of which nobody knows what came: the pause doubles.
    pub(crate) fn exponential_backoff(&self) -> TimeDelta {
        TimeDelta::seconds(1 << self.attempts.min(12)).min(Self::PAUSE_MAX)
    }

    /// What no pause after an attempt exceeds that doesn't double, as that before a file is fetched again or an upload is
    /// looked for. Those are seconds; a clock that is ahead is so by an hour, or by little.
    pub(crate) const SHORT_PAUSE_MAX: TimeDelta = TimeDelta::minutes(30);

    /// Whether it may leave at `now`. One that was queued in what is the future by now, or is put off for longer than
    /// its pause, tells that the clock was set back since, or that a node whose clock is ahead put it off: it leaves, so
    /// that no effect is late by the step.
    pub(crate) fn may_leave(&self, now: DateTime<Utc>) -> bool {
        self.not_before <= now
            || (self.attempts == 0 && self.queued_at > now)
            || self.not_before.signed_duration_since(now) > self.pause_max()
    }

    /// What the pause that it is in cannot exceed: twice what followed the last attempt, or whatever a platform asks for.
    fn pause_max(&self) -> TimeDelta {
        let is_by_rate = self.attempts == 0 || self.later_since.is_some();
        if is_by_rate {
            Self::PAUSE_MAX
        } else {
            self.exponential_backoff().max(Self::SHORT_PAUSE_MAX)
        }
    }
}

/// What is to happen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Act {
    /// Show a wait as it stands now, or redraw every rendering of it: shown once, edited afterwards.
    Show {
        /// The wait.
        wait: WaitId,
    },
    /// Post a message.
    Post {
        /// What it says.
        text: Text,
        /// What stands under it as buttons.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        offers: Vec<Offered>,
        /// A button for the team stands under it that opens the transcript.
        #[serde(default, skip_serializing_if = "is_not")]
        transcript: bool,
    },
    /// Show how far the session is, one message edited in place.
    Progress {
        /// `Step 1 of 3 · The basics · 0/3`.
        text: Text,
    },
    /// Pass on what a person wrote: a colleague's words to the participant, and the participant's to those who have
    /// taken over.
    Relay {
        /// Who wrote it, as other people call them.
        name: String,
        /// What, as it was written: not Markdown.
        text: String,
    },
    /// Fetch files that were sent, and hand them in; the person is told of those that cannot be had.
    Fetch {
        /// Who sent them.
        by: PersonId,
        /// The upload they answer, where the person said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait: Option<WaitId>,
        /// The files.
        files: Vec<Offer>,
    },
    /// Hand the participant a copy of everything about the session.
    Export {
        /// The last words of the conversation, where the copy goes with them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        closing: Option<Text>,
    },
    /// Hand over something that the bot made.
    Hand {
        /// What.
        what: Handout,
        /// What stands beside it.
        text: Text,
    },
    /// Send `body` to a web hook, signed.
    Webhook {
        /// The event's name for the receiver.
        event: String,
        /// What to send.
        body: Value,
        /// The files of `body` that may be linked: each attempt makes links of its own, so that none arrives expired.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        linked: Vec<ArtifactId>,
    },
    /// Give roles on Discord.
    AddRoles {
        /// Role aliases.
        roles: Vec<String>,
    },
    /// Take away what was posted for a session that is erased.
    Remove {
        /// What.
        what: Removal,
    },
    /// Tell the participant of an erased session what the erasure came to.
    Receipt {
        /// The participant's id on the platform.
        user: String,
        /// Threads that were made for the conversation: it is read there, where they are still there.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rooms: Vec<String>,
    },
}

impl Act {
    /// How it is queued by itself. What a wait is shown for decides whether [`Act::Show`] is one for the background.
    const fn priority(&self) -> Priority {
        match self {
            Self::Progress { .. } | Self::AddRoles { .. } => Priority::Background,
            Self::Show { .. }
            | Self::Post { .. }
            | Self::Relay { .. }
            | Self::Fetch { .. }
            | Self::Export { .. }
            | Self::Hand { .. }
            | Self::Webhook { .. }
            | Self::Remove { .. }
            | Self::Receipt { .. } => Priority::Normal,
        }
    }

    /// The word for it in metrics and records.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Show { .. } => "show",
            Self::Post { .. } => "post",
            Self::Progress { .. } => "progress",
            Self::Relay { .. } => "relay",
            Self::Fetch { .. } => "fetch",
            Self::Export { .. } => "export",
            Self::Hand { .. } => "hand",
            Self::Webhook { .. } => "webhook",
            Self::AddRoles { .. } => "add_roles",
            Self::Remove { .. } => "remove",
            Self::Receipt { .. } => "receipt",
        }
    }
}

/// Something that the bot made and hands over: a picture or a document, or an address that is opened by a button.
///
/// ```json
/// { "kind": "link", "label": "Choose a time", "url": "https://cal.example.org/discovery" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Handout {
    /// A file.
    File {
        /// The file.
        file: Artifact,
    },
    /// An address of the operator's, which the person opens by themselves.
    Link {
        /// What its button says.
        label: String,
        /// Where it leads.
        url: String,
    },
}

impl Handout {
    /// The file, where it is one.
    pub const fn file(&self) -> Option<&Artifact> {
        match self {
            Self::File { file } => Some(file),
            Self::Link { .. } => None,
        }
    }
}

/// What came of an attempt to deliver.
///
/// ```json
/// { "delivery": "blocked", "cause": { "kind": "token_rejected", … }, "not_before": "…" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "delivery", rename_all = "snake_case")]
pub enum Delivery {
    /// It happened; `message` is where a rendering can be found again to edit it.
    Delivered {
        /// The platform's own reference.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// What stands outside since then, for the session's ledger.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        posted: Vec<Posted>,
    },
    /// This platform has no such thing.
    NotApplicable,
    /// Nothing was done: this platform shows what another one would do.
    Rehearsed,
    /// It will never work; the reason is fit for staff, who are told.
    Failed {
        /// Why.
        reason: String,
        /// Why nothing reaches the participant any more, where it failed for that: the session pauses.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        out_of_reach: Option<String>,
    },
    /// Nobody knows whether it happened: look, then try again. The only outcome that is counted, so that it ends.
    Retry {
        /// When to try again at the earliest.
        not_before: DateTime<Utc>,
    },
    /// Nothing was done: the platform or the bot itself keeps a rate. Never counted; one that is put off like this for
    /// a day has failed.
    Later {
        /// When to try at the earliest.
        not_before: DateTime<Utc>,
    },
    /// Nothing was done, and nothing can be until somebody outside mends the cause. Never counted, never given up. What
    /// the session has to say to others goes on meanwhile; what it has to say to the same recipient waits behind this.
    Blocked {
        /// What keeps it back.
        cause: Cause,
        /// When to try again at the earliest, where nobody says before that the cause is over.
        not_before: DateTime<Utc>,
    },
}

impl Delivery {
    /// Whether it ends the effect: it leaves the outbox.
    pub(crate) const fn is_final(&self) -> bool {
        match self {
            Self::Delivered { .. }
            | Self::NotApplicable
            | Self::Rehearsed
            | Self::Failed { .. } => true,
            Self::Retry { .. } | Self::Later { .. } | Self::Blocked { .. } => false,
        }
    }
}

impl Delivery {
    /// It will never work, and the participant can be reached all the same.
    pub const fn failed(reason: String) -> Self {
        Self::Failed { reason, out_of_reach: None }
    }

    /// It happened, and left nothing outside that an erasure would have to remove.
    pub const fn delivered(message: Option<String>) -> Self {
        Self::Delivered { message, posted: Vec::new() }
    }
}

/// Where a wait has been shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendering {
    /// The effect that showed it.
    pub effect: EffectId,
    /// The platform's own reference to the message.
    pub message: String,
}
