//! How everything moves from one store to another: what there is of a session as one value, and the same for what belongs
//! to no session.
//!
//! Dedup keys and names of accounts are kept nowhere but as digests, which are made with the store's secret. So a store
//! that copies are put into is made with the secret of the one that they come from. What is sealed is not copied as it
//! is: the one store opens it, and the other seals it with keys of its own.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;

use super::{
    Error, Loaded, Note, Store, TimerKind,
    sealing::{DIGEST, SECRET},
};
use crate::{
    base::ids::{EffectId, SessionId},
    model::{
        audit::{self, Sealed},
        effect::{Effect, Rendering},
        usage::Balance,
        wait::Wait,
    },
};

/// A digest that only the store makes which has the secret.
pub(crate) type KeyedDigest = [u8; DIGEST];

/// What a store makes digests and links with.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub(super) [u8; SECRET]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// All that there is of one session, but for its audit records and files.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// At a glance, and its events in order.
    pub loaded: Loaded,
    /// Its waits and where they were shown, in the order of their ids.
    pub waits: Vec<(Wait, Vec<Rendering>)>,
    /// What is still to leave, in order.
    pub effects: Vec<Effect>,
    /// The timers that are set, in the order of their kinds.
    pub timers: Vec<(TimerKind, DateTime<Utc>)>,
    /// Digests of the keys of inbound events that were dealt with, in order.
    pub dedup: Vec<KeyedDigest>,
    /// What gateways remember of it, the ledger of what it posted among that, in the order of their keys.
    pub notes: Vec<Note>,
}

impl Image {
    /// Whose it is.
    pub const fn session(&self) -> SessionId {
        self.loaded.head.id
    }

    /// SHA-256 of the content, which is the same in every store that holds the same.
    pub fn digest(&self) -> Result<String, Error> {
        let Self { loaded: Loaded { head, events }, waits, effects, timers, dedup, notes } = self;
        // A store may keep times beyond its range as far as that goes.
        let timers = timers.iter().map(|(kind, at)| json!([kind, at.timestamp_nanos_opt()]));
        let notes = notes.iter().map(|Note { key, value, .. }| (key, value));
        let dedup: Vec<String> = dedup.iter().map(|digest| audit::hex(digest)).collect();
        digest_of(&(
            (head, events, waits, effects),
            (timers.collect::<Vec<_>>(), dedup, notes.collect::<Vec<_>>()),
        ))
    }

    /// Brings the parts into the order that they have in every store.
    #[must_use]
    pub(super) fn sorted(mut self) -> Self {
        self.waits.sort_by_key(|(wait, _)| wait.id);
        self.waits.dedup_by_key(|(wait, _)| wait.id);
        self.effects.sort_by_key(|effect| effect.id);
        self.timers.sort_unstable();
        self.dedup.sort_unstable();
        self.dedup.dedup();
        self.notes.sort_by(|a, b| a.key.cmp(&b.key));
        self
    }
}

/// SHA-256 of something as text.
fn digest_of(value: &impl Serialize) -> Result<String, Error> {
    Ok(audit::sha256(&serde_json::to_vec(value).map_err(Error::unavailable)?))
}

/// Something to put into a store that copies are put into.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// A session. One that is there already is left as it is.
    Session(Box<Image>),
    /// Audit records as they were sealed, in order, those of sessions after the sessions themselves. Those before the end of
    /// the chain are left as they are; an error where the first of the others does not follow from the last one there.
    Audit(Vec<Sealed>),
    /// Accounts as they stand, in place of those under the same digests.
    Accounts(Vec<(KeyedDigest, Balance)>),
    /// What is still to be said for sessions that are erased. One that is there already must not be put in again.
    LastEffects(Vec<Effect>),
}

impl Piece {
    /// The sessions that must be known before it can be put in.
    pub(super) fn sessions(&self) -> Vec<SessionId> {
        match self {
            Self::Session(image) => vec![image.session()],
            Self::Audit(records) => {
                records.iter().filter_map(|sealed| sealed.record.session).collect()
            }
            Self::Accounts(_) | Self::LastEffects(_) => Vec::new(),
        }
    }
}

/// A store that gives all it holds to another one, and takes all that another one holds.
///
/// Nobody else may write to either meanwhile. Notes of no session are read and kept as everybody does
/// ([`Store::notes`], [`Store::note`]).
#[async_trait]
pub trait Portable: Store {
    /// What its digests and links are made with: a store is made with it that takes what this one holds.
    fn secret(&self) -> Secret;

    /// All there is of a session, child runs too; `None` if there is no such session. [`Error::Unreadable`] where some
    /// of it cannot be read, unless it is left out of lists: [`Store::unreadable`] names that.
    async fn take_out(&self, session: SessionId) -> Result<Option<Image>, Error>;

    /// What was charged to accounts, in the order of digests, at most `limit` after the given one.
    async fn accounts(
        &self,
        after: Option<KeyedDigest>,
        limit: usize,
    ) -> Result<Vec<(KeyedDigest, Balance)>, Error>;

    /// What is still to be said for sessions that are erased, in order of the ids. Reads all there is of that.
    async fn last_effects(&self) -> Result<Vec<Effect>, Error>;

    /// Puts a piece in, whole or not at all; it survives a crash and a power cut once this returns. See [`Piece`] for what
    /// becomes of one that is there already.
    async fn put_in(&self, piece: Piece) -> Result<(), Error>;
}

/// Audit records that go on with a chain which has `next` records already; an error where they leave some out.
pub(super) fn following(records: &[Sealed], next: u64) -> Result<&[Sealed], Error> {
    let known = records.iter().take_while(|sealed| sealed.index < next).count();
    let rest = records.get(known..).unwrap_or_default();
    match rest.first() {
        Some(first) if first.index != next => Err(unlinked(first)),
        _ => Ok(rest),
    }
}

/// A record that does not follow from the last one there.
pub(super) fn unlinked(sealed: &Sealed) -> Error {
    let what = format!("audit record {}", sealed.index);
    let why = "it does not follow from the one before it. hint: `anteroom audit verify` says more";
    Error::Unreadable { what, why: why.to_owned() }
}

/// Effects of sessions that are not there, in order of their ids.
pub(super) fn in_order(mut effects: Vec<Effect>) -> Vec<Effect> {
    effects.sort_by_key(|effect| -> EffectId { effect.id });
    effects
}
