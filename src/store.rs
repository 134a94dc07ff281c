//! The storage port: one atomic [`Store::commit`] per decision, and what is needed to go on after a crash.
//!
//! Nothing in the trait assumes one process. Backends: [`memory`] for tests, [`sled`] embedded (the default).
//! One conformance suite runs on all of them (`tests/it/store.rs`). What one holds can be moved to another ([`portable`]).

#[cfg(feature = "postgres")]
pub mod bucket;
mod compression;
pub mod health;
pub mod memory;
pub mod nodes;
pub mod portable;
#[cfg(feature = "postgres")]
pub mod postgres;
mod queue;
mod read_cache;
mod sealing;
pub mod sled;
pub mod unreadable;
mod working_set;

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use self::{
    health::{Health, Trouble},
    unreadable::Unreadable,
};
use crate::{
    base::ids::{EffectId, Ids, SessionId, WaitId},
    model::{
        STORED_VERSION,
        audit::{AuditRecord, Sealed},
        effect::{Act, Cause, Delivery, Effect, Priority, Rendering},
        file_key::FileKeys,
        posted::Posted,
        session::{Head, PersonId, Place, Platform},
        transcript::Recorded,
        usage::{Balance, Level, Usage},
        wait::Wait,
    },
};

/// How many effects may be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// All together.
    pub all: usize,
    /// Of these, effects of [`Priority::Background`].
    pub background: usize,
}

impl Capacity {
    /// So many of any priority.
    pub const fn of_any(all: usize) -> Self {
        Self { all, background: all }
    }

    /// Whether there is room for one more.
    pub(crate) const fn has_room(&self, priority: Priority) -> bool {
        self.all > 0 && (matches!(priority, Priority::Normal) || self.background > 0)
    }

    /// Counts one.
    pub const fn take(&mut self, priority: Priority) {
        self.all = self.all.saturating_sub(1);
        if matches!(priority, Priority::Background) {
            self.background = self.background.saturating_sub(1);
        }
    }
}

/// Audit records that are looked at in one go.
const AUDIT_PAGE: usize = 500;

/// Durable state.
///
/// Unless a method says otherwise, what it wrote survives a crash *and a power cut* once it returns, and a crash
/// before it returns leaves either all of it or nothing.
///
/// It owns the keys of sessions, those of their files too: an erasure destroys both.
#[async_trait]
pub trait Store: FileKeys + fmt::Debug + Send + Sync {
    /// Applies everything that one decision changes, whole or not at all.
    ///
    /// Two workers that race on one session: one commits, the other gets [`Error::Conflict`], reloads and decides
    /// again. An inbound event whose key is already there gets [`Error::Duplicate`] and changes nothing; this is
    /// checked before the sequence, so a redelivery is recognised whatever else has happened.
    async fn commit(&self, commit: Commit) -> Result<(), Error>;

    /// Whether a commit of a session that is still there has dealt with the inbound event of this key.
    async fn is_known_event(&self, key: &str) -> Result<bool, Error>;

    /// A session with all its events in order; `None` if there is no such session.
    async fn load(&self, session: SessionId) -> Result<Option<Loaded>, Error>;

    /// Sessions by a key, newest first unless it says otherwise. Child runs are left out where they are not asked for: they
    /// are found through their parent. No more is read than what is found.
    async fn find(&self, by: Find) -> Result<Vec<Head>, Error>;

    /// One wait and where it has been shown: the fast lane for opening forms and for clicks.
    async fn wait(&self, id: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, Error>;

    /// Waits of one session, each as [`Store::wait`] finds it, for whoever needs all of them: together they
    /// may cost little more than one.
    async fn waits(&self, ids: Vec<WaitId>) -> Vec<Result<Option<(Wait, Vec<Rendering>)>, Error>> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.push(self.wait(id).await);
        }
        found
    }

    /// Timers due at `now`, earliest first, at most `limit`. A timer stays until a commit clears or moves it, so
    /// one that was read and not acted on is read again.
    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Timer>, Error>;

    /// Effects that may leave at `now`, within `capacity`, those of normal priority first: of each session and
    /// [`Priority`] only the oldest, so that order is kept, and none that draws a wait or the progress line while an older
    /// effect of the session is still to draw it. One that is blocked ([`Delivery::Blocked`]) keeps back only those of its
    /// session and priority for the same recipient, and so does one for a web hook that is put off. An effect stays
    /// claimed until [`Store::done`] or until this process ends; it is never handed out twice meanwhile. It is asked for
    /// every second, so it is also what tells a store without a clock that time passes.
    async fn claim(&self, now: DateTime<Utc>, capacity: Capacity) -> Result<Vec<Effect>, Error>;

    /// Records what came of an attempt: removes the effect, or puts it back for later. A rendering is remembered
    /// under its wait, and what stands outside since then in the ledger of the session ([`crate::model::posted`]). Doing it
    /// twice is not an error. May be lost in a crash: then the effect is delivered again, which its id makes harmless.
    ///
    /// That an effect is blocked need not outlive the process: a new one tries it at once and is told again.
    async fn done(&self, effect: EffectId, delivery: Delivery) -> Result<(), Error>;

    /// Lets effects that `cause` blocks leave at the next [`Store::claim`], at most `most` of them, those first that were
    /// put back first; how many there were. Nothing is written: lost in a crash it is made up for by that of
    /// [`Store::done`].
    async fn hurry(&self, cause: &Cause, most: usize) -> Result<usize, Error>;

    /// What effects are blocked by, and how many by each; those behind them are not counted. In no order.
    async fn blocked(&self) -> Result<Vec<(Cause, usize)>, Error>;

    /// Everything that is still to leave for a session, in order; of one that is erased, the last effects.
    async fn outbox(&self, session: SessionId) -> Result<Vec<Effect>, Error>;

    /// Sessions in order of their ids (oldest first), at most `limit`, after the given one; child runs among them.
    async fn sessions(&self, after: Option<SessionId>, limit: usize) -> Result<Vec<Head>, Error>;

    /// Whether there is a session of that id, a child run or one that cannot be read among them. Reads nothing of it.
    async fn has(&self, session: SessionId) -> Result<bool, Error>;

    /// The audit chain from number `from` on, at most `limit`.
    async fn audit(&self, from: u64, limit: usize) -> Result<Vec<Sealed>, Error>;

    /// Some of the audit records about a session, and where to look for more: what the call before said, nothing at
    /// first. Each call looks at a bounded part of the chain; which one comes first is up to the backend.
    async fn audit_of(
        &self,
        session: SessionId,
        from: Option<u64>,
    ) -> Result<(Vec<Sealed>, Option<u64>), Error> {
        let mut page = self.audit(from.unwrap_or(0), AUDIT_PAGE).await?;
        let next = page.last().map(|last| last.index + 1);
        page.retain(|sealed| sealed.record.session == Some(session));
        Ok((page, next))
    }

    /// Removes a session: events, waits, renderings, effects, timers, index entries, dedup keys, and the words of
    /// its audit records. In the same step it seals the receipt into the chain, puts back what stays, and queues the
    /// last effects, which are claimed like any other. [`Error::Conflict`] where the session has moved on from what
    /// the decision knew. Again: removes nothing, not even effects; appends again.
    async fn erase(&self, erasure: Erasure) -> Result<(), Error>;

    /// An account as the last commit left it; nothing on it where none was charged. Reads one record, however many
    /// sessions and commits there were.
    async fn balance(&self, account: &str) -> Result<Balance, Error>;

    /// Keeps a note of a gateway's in place of one under the same key, or takes it away where it says nothing. One of
    /// a session goes with that one's erasure; where there is no such session, nothing is kept.
    async fn note(&self, note: Note) -> Result<(), Error>;

    /// The note under a key.
    async fn noted(&self, key: &str) -> Result<Option<Note>, Error>;

    /// The notes of no session whose keys begin with `prefix`, in order of their keys. Reads all there are of those.
    async fn notes(&self, prefix: &str) -> Result<Vec<Note>, Error>;

    /// What it holds and could not read when it was last asked for. What lists leave out is here.
    fn unreadable(&self) -> Vec<Unreadable> {
        Vec::new()
    }

    /// Looks at what reading sessions does not: keys and marks. Forgets [`Store::unreadable`] first, so that reading
    /// everything after it leaves what cannot be read now.
    async fn verify(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Whether an effect that is still to leave was queued by an earlier process, or by a step of which this one did not
    /// learn that it was saved: then something of it may stand outside already. Answers at once.
    fn is_inherited(&self, effect: EffectId) -> bool;

    /// Whether no other process can have taken over by now, as far as this one knows. If one may have, nothing that was
    /// claimed leaves any more, since that one delivers it, and what is kept in memory may be out of date. Answers at once.
    fn is_active(&self) -> bool {
        true
    }

    /// Whether it takes writes just now; answers at once, without touching a device. A store that is read-only
    /// tries to mend itself when [`Store::claim`] tells it the time.
    fn health(&self) -> Health;
}

/// Everything that one erasure changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Erasure {
    /// The session that goes.
    pub session: SessionId,
    /// Sequence number of the last event that the decision knew; `None` if it goes however it stands.
    pub expected: Option<u64>,
    /// The line that stays in the audit chain, without personal data.
    pub receipt: AuditRecord,
    /// What is still to be said to the outside for it, once it is gone: without personal data, since nothing can
    /// erase it again. Kept until delivered or given up.
    pub effects: Vec<Effect>,
    /// What stays of the session where only a part of it goes: it begins anew with these events, numbered from 1.
    pub rest: Option<Loaded>,
}

impl Erasure {
    /// Refuses an erasure that contradicts itself, as [`Commit::check`] does.
    fn check(&self) -> Result<(), Error> {
        let session = self.session;
        let numbered = |rest: &Loaded| {
            let seq = rest.events.len() as u64;
            let in_order = (1..).zip(&rest.events).all(|(seq, event)| event.seq == seq);
            rest.head.id == session && in_order && rest.head.seq == seq && seq > 0
        };
        let at_home = self.effects.iter().all(|effect| effect.session == session);
        if at_home && self.rest.as_ref().is_none_or(numbered) {
            return Ok(());
        }
        let seq = self.rest.as_ref().map_or(0, |rest| rest.head.seq);
        Err(Error::unavailable(Misfit { session, expected: 0, seq }))
    }

    /// Refuses to erase a session that has moved on to event `found`.
    fn check_seq(&self, found: u64) -> Result<(), Error> {
        match self.expected.filter(|expected| *expected != found) {
            Some(expected) => Err(Error::Conflict { expected, found }),
            None => Ok(()),
        }
    }
}

/// Everything that one decision changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Commit {
    /// The session at a glance, after this step.
    pub head: Head,
    /// Sequence number of the last event that the decision knew; 0 for a new session.
    pub expected: u64,
    /// Events to append, numbered from `expected + 1`.
    pub events: Vec<Recorded>,
    /// Waits opened or changed.
    pub waits: Vec<Wait>,
    /// Effects to queue, in order.
    pub effects: Vec<Effect>,
    /// Timers to set (some time) or clear (none), by kind.
    pub timers: Vec<(TimerKind, Option<DateTime<Utc>>)>,
    /// Records to seal into the audit chain, in order.
    pub audit: Vec<AuditRecord>,
    /// Key of the inbound event that this step deals with; lives as long as the session.
    pub dedup: Option<String>,
    /// What is charged to accounts, each of them once. Outlives the session: an account says nothing of a person.
    pub charges: Vec<Charge>,
}

/// What a step adds to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// Which: a name of the caller's making, with the period in it.
    pub account: String,
    /// What was used up.
    pub usage: Usage,
    /// What the operator is told of it with this step.
    pub told: Level,
}

impl Commit {
    /// One that does nothing but append events, or change the head.
    pub const fn new(head: Head, expected: u64, events: Vec<Recorded>) -> Self {
        Self {
            head,
            expected,
            events,
            waits: Vec::new(),
            effects: Vec::new(),
            timers: Vec::new(),
            audit: Vec::new(),
            dedup: None,
            charges: Vec::new(),
        }
    }

    /// Refuses a commit that contradicts itself; one such would be a mistake in this program, and storing it
    /// would hide events or outlive an erasure.
    fn check(&self) -> Result<(), Error> {
        let session = self.head.id;
        let numbered = (self.expected + 1..).zip(&self.events).all(|(seq, event)| event.seq == seq);
        let ends_at = self.expected + self.events.len() as u64;
        let at_home = self.waits.iter().all(|wait| wait.session == session)
            && self.effects.iter().all(|effect| effect.session == session);
        if numbered && self.head.seq == ends_at && at_home {
            Ok(())
        } else {
            Err(Error::unavailable(Misfit { session, expected: self.expected, seq: self.head.seq }))
        }
    }
}

/// A commit that contradicts itself.
#[derive(Debug, thiserror::Error)]
#[error("commit to `{session}` from event {expected} to {seq} contradicts itself")]
struct Misfit {
    session: SessionId,
    expected: u64,
    seq: u64,
}

/// What a gateway remembers between two processes: the message under which a conversation stands, tokens it was given.
///
/// ```json
/// { "key": "slack/root/ses_…", "session": "ses_…", "value": "D024/1690.0001" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Unique among all; begins with the platform's name.
    pub key: String,
    /// Whose it is: sealed with that session's key, and gone with it.
    pub session: Option<SessionId>,
    /// What it says; `None` takes it away.
    pub value: Option<String>,
}

/// A session as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// At a glance.
    pub head: Head,
    /// From the first to the last.
    pub events: Vec<Recorded>,
}

/// How to look sessions up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Find {
    /// Living at this place.
    Place(Place),
    /// Of this person.
    Person(PersonId),
    /// This one alone: reads no more of it than what there is at a glance.
    One(SessionId),
    /// Any, at most so many, and older than one where that is given: reads no more than it returns.
    Newest {
        /// Those before this one.
        before: Option<SessionId>,
        /// At most so many.
        limit: usize,
    },
    /// In which the team is wanted: a person was asked for and nobody has come, or a decision is pending; at most so many, in
    /// the order of their ids after the given one.
    WantsStaff {
        /// Those after this one.
        after: Option<SessionId>,
        /// At most so many.
        limit: usize,
    },
    /// Those that are paused, at most so many, in the order of their ids after the given one.
    Paused {
        /// Those after this one.
        after: Option<SessionId>,
        /// At most so many.
        limit: usize,
    },
    /// Child runs alone, at most so many, in the order of their ids after the given one.
    Children {
        /// Those after this one.
        after: Option<SessionId>,
        /// At most so many.
        limit: usize,
    },
    /// Of which something is due to go by the flow's retention, the longest due first as far as the hour tells.
    DueToGo {
        /// Until then.
        by: DateTime<Utc>,
        /// Those after the last one that was found: when it was due, and which it was.
        after: Option<(DateTime<Utc>, SessionId)>,
        /// At most so many.
        limit: usize,
    },
    /// Those of a platform, the last updated first as far as the hour tells; within an hour, the newest first.
    RecentlyUpdated {
        /// Which.
        platform: Platform,
        /// Those that go on or wait for a decision ([`Head::is_active`]), or the others.
        is_active: bool,
        /// Those updated since then.
        since: DateTime<Utc>,
        /// Those after the last one that was found: when it was updated, and which it was. One that is updated between two
        /// pages moves to the front.
        after: Option<(DateTime<Utc>, SessionId)>,
        /// At most so many.
        limit: usize,
    },
}

impl Find {
    /// The newest of all.
    pub const fn newest(limit: usize) -> Self {
        Self::Newest { before: None, limit }
    }
}

/// The hour of a time: what [`Find::DueToGo`] and [`Find::RecentlyUpdated`] order by, so that a conversation does not change
/// its place with every message.
pub(crate) fn hour_of(at: DateTime<Utc>) -> DateTime<Utc> {
    at.duration_trunc(TimeDelta::hours(1)).unwrap_or(at)
}

/// A platform in stored keys and rows.
pub(crate) const fn platform_number(platform: Platform) -> u8 {
    match platform {
        Platform::Slack => 0,
        Platform::Discord => 1,
        Platform::Web => 2,
    }
}

/// Something that is due at a time. There is one per session and kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timer {
    /// Whose.
    pub session: SessionId,
    /// What for.
    pub kind: TimerKind,
    /// When.
    pub at: DateTime<Utc>,
}

/// What a timer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "timer", rename_all = "snake_case")]
pub enum TimerKind {
    /// The session has work in progress: set with the commit that begins it, cleared with the one that ends it. What
    /// is due at start-up is what a crash left behind.
    Work,
    /// A reminder of a wait.
    Remind {
        /// Which.
        wait: WaitId,
    },
    /// A wait lapses.
    Expire {
        /// Which.
        wait: WaitId,
    },
    /// The session pauses.
    Pause,
    /// Nobody has taken over.
    Unclaimed,
}

/// Why the store did not do as asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// Somebody else has committed to the session: load it and decide again.
    #[error("session has moved on to event {found}, expected {expected}")]
    Conflict {
        /// What the decision knew.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// The inbound event has been dealt with before: acknowledge it and do nothing.
    #[error("this event has been dealt with before")]
    Duplicate,
    /// Nothing was saved: do not acknowledge, say so. The source is for the log.
    #[error("could not save. hint: check free space and rights of the data directory")]
    Unavailable(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// Nothing was saved, and nothing will be until the trouble is over: do not acknowledge, say so.
    #[error("could not save: {0}. hint: {hint}; saving goes on by itself when it is over", hint = .0.hint())]
    ReadOnly(Trouble),
    /// The data could not be opened; nothing was changed.
    #[error("the data in `{dir}` cannot be opened: {trouble}. hint: {hint}, then start again", hint = trouble.hint())]
    Unopened {
        /// Where it is.
        dir: String,
        /// What keeps it from being opened.
        trouble: Trouble,
        /// For the log.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// A record cannot be read: written by a newer version, or damaged.
    #[error("{what} cannot be read: {why}")]
    Unreadable {
        /// What.
        what: String,
        /// Why, and what to do.
        why: String,
    },
    /// The database could not be reached; nothing was changed.
    #[error(
        "{what} can't be reached: {why}. hint: check that its server runs, and the address under `[postgres]`"
    )]
    Unreachable {
        /// What.
        what: String,
        /// What the server or the system says.
        why: String,
    },
    /// What is given as the address of a database is none; it isn't shown, since it may hold a password.
    #[error(
        "the address of the database isn't one of PostgreSQL. hint: write `postgres://USER:PASSWORD@HOST/DATABASE`, with special \
         characters of the password percent-encoded (`%40` for `@`, `%23` for `#`, `%2F` for `/`)"
    )]
    NoAddress,
    /// Another node writes to the database.
    #[error(
        "the database is in use by node `{node}`. hint: run commands on the machine of that node, or stop it first"
    )]
    Leased {
        /// Which.
        node: String,
    },
    /// Something lies where a copy of another store is to be made.
    #[error(
        "{what} holds data that is no copy of this. hint: choose an empty data directory or database"
    )]
    Occupied {
        /// Where.
        what: String,
    },
    /// Another process has the data directory open.
    #[error(
        "`{dir}` is in use by process {pid}. hint: stop that process, or choose another data directory"
    )]
    Busy {
        /// The data directory.
        dir: String,
        /// The holder; `unknown` where it left no trace.
        pid: String,
    },
}

impl Error {
    /// Nothing was saved; `source` is for the log.
    fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable(Arc::from(source.into()))
    }

    /// `what` was written by a program newer than this one.
    fn newer(what: impl fmt::Display, version: u32) -> Self {
        let why = format!(
            "it has version {version}, this program reads up to {STORED_VERSION}. \
             hint: run the newer program"
        );
        Self::Unreadable { what: what.to_string(), why }
    }

    /// `what` was written by a program that knows `means`, which this one does not.
    fn foreign(what: impl fmt::Display, means: impl fmt::Display) -> Self {
        let why =
            format!("it needs {means}, which this program lacks. hint: run the newer program");
        Self::Unreadable { what: what.to_string(), why }
    }

    /// `what` has a form that no released program wrote.
    fn outdated(what: impl fmt::Display, layout: u8) -> Self {
        let why = format!(
            "its layout is older than {layout}, from before the first release. hint: choose another data directory"
        );
        Self::Unreadable { what: what.to_string(), why }
    }

    /// `what` is not what was once written.
    fn damaged(what: impl fmt::Display, how: impl fmt::Display) -> Self {
        let why = format!("it is damaged ({how}). hint: restore a backup with `anteroom restore`");
        Self::Unreadable { what: what.to_string(), why }
    }
}

impl Error {
    /// Data of which nothing is left to recover.
    fn lost(what: impl fmt::Display, how: impl fmt::Display) -> Self {
        let why = format!(
            "it is damaged: {how}. Nothing was changed. hint: restore a backup with `anteroom restore`; there is nothing left \
             for `anteroom repair`"
        );
        Self::Unreadable { what: what.to_string(), why }
    }

    /// Data that is not opened, because opening it would cut off what cannot be read.
    fn refused(what: impl fmt::Display, how: impl fmt::Display) -> Self {
        let why = format!(
            "it is damaged: {how}. Nothing was changed. hint: restore a backup with `anteroom restore`, or recover what \
             can still be read with `anteroom repair --to DIR`"
        );
        Self::Unreadable { what: what.to_string(), why }
    }
}

/// Random text for [`Sealed::seal`]; empty for a record without words, where there is nothing to guess.
///
/// Two identifiers, because the greater part of one is the time.
fn salt(ids: &dyn Ids, record: &AuditRecord) -> String {
    if record.words.is_empty() {
        return String::new();
    }
    format!("{}{}", ids.fresh().simple(), ids.fresh().simple())
}

/// An effect as it lies in the outbox after an attempt; `None` if it leaves it.
fn put_back(effect: &Effect, delivery: &Delivery) -> Option<Effect> {
    let effect = effect.clone();
    match delivery {
        Delivery::Retry { not_before } => {
            let attempts = effect.attempts + 1;
            Some(Effect { attempts, not_before: *not_before, later_since: None, ..effect })
        }
        Delivery::Later { not_before } => {
            let later_since = effect.later_since.or(Some(*not_before));
            Some(Effect { not_before: *not_before, later_since, ..effect })
        }
        Delivery::Blocked { .. } => Some(Effect { later_since: None, ..effect }),
        Delivery::Delivered { .. }
        | Delivery::NotApplicable
        | Delivery::Rehearsed
        | Delivery::Failed { .. } => None,
    }
}

/// What the digest of a person is made of in an index.
fn person_text(person: &PersonId) -> String {
    person.to_string()
}

/// What the digest of a place is made of in an index.
fn place_text(place: &Place) -> String {
    let Place { platform, workspace, channel, thread } = place;
    let thread = thread.as_deref().unwrap_or_default();
    // No platform has a line break in an id.
    format!("{platform}\n{workspace}\n{channel}\n{thread}")
}

/// What a delivery adds to the ledger of its session.
fn left_outside(delivery: &Delivery) -> &[Posted] {
    match delivery {
        Delivery::Delivered { posted, .. } => posted,
        _ => &[],
    }
}

/// The message in which `effect` showed a wait, if that is what the delivery came to.
fn rendered(effect: &Effect, delivery: &Delivery) -> Option<(WaitId, String)> {
    match (&effect.act, delivery) {
        (Act::Show { wait }, Delivery::Delivered { message: Some(message), .. }) => {
            Some((*wait, message.clone()))
        }
        _ => None,
    }
}
