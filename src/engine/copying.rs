//! Copies everything from one store to another: a data directory to a database, or back.
//!
//! Both stores get a mark first, a note that names the copy. While it is there, no bot uses either of them, so nothing
//! changes below the copy. A copy that was interrupted goes on where it was: what is in the target already is left as it is.
//! In the end both are read once more and compared; only then is the target's mark taken away, and the source's mark says
//! that its data has moved.

mod compare;
mod marks;

use std::{collections::BTreeSet, sync::Arc};

use futures::future::try_join_all;
use serde::Serialize;

pub use self::marks::{Mark, Role, mark_of, reopen};
use crate::{
    base::ids::{Ids, SessionId},
    model::{
        audit::{ChainCheck, Fault},
        session::Head,
    },
    ports::artifacts::{Artifacts, blobs},
    store::{
        self, Note,
        portable::{Image, Piece, Portable},
        unreadable::Unreadable,
    },
};

/// Sessions, audit records or accounts that are read at a time.
const PAGE: usize = 200;

/// Sessions that are put in at a time, and events of all of them: what is held in memory.
const AT_ONCE: usize = 16;
const EVENTS_AT_ONCE: u64 = 4096;

/// A store with the files of its sessions.
#[derive(Debug)]
pub struct Side {
    /// The store.
    pub store: Arc<dyn Portable>,
    /// Its files.
    pub artifacts: Artifacts,
    /// What it is called in messages.
    pub name: String,
}

/// What was copied, as it was found on both sides.
///
/// ```json
/// { "sessions": 812, "events": 31204, "waits": 6120, "effects": 2, "timers": 97, "notes": 940, "files": 96, "flows": 4,
///   "accounts": 14, "auditRecords": 20417, "seal": "…", "digest": "…" }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Copied {
    /// Conversations, those of subtasks among them.
    pub sessions: u64,
    /// Their events.
    pub events: u64,
    /// Questions and approvals.
    pub waits: u64,
    /// Messages that are still to be sent.
    pub effects: u64,
    /// Timers that are set.
    pub timers: u64,
    /// What gateways remember.
    pub notes: u64,
    /// Files that conversations name.
    pub files: u64,
    /// Flows that conversations began with.
    pub flows: u64,
    /// Accounts that usage is charged to.
    pub accounts: u64,
    /// Audit records.
    pub audit_records: u64,
    /// Seal of the last audit record.
    pub seal: String,
    /// SHA-256 over the digests of all conversations.
    pub digest: String,
}

/// Why a copy was not made, or not finished.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// One of the stores failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A file could not be read or kept.
    #[error(transparent)]
    Files(#[from] blobs::Error),
    /// A store has a mark that stands against the copy.
    #[error("{0}")]
    Marked(String),
    /// The audit log does not hold.
    #[error(
        "the audit log isn't as it was sealed: {0}. hint: `anteroom audit verify` says more; restore a backup of the source"
    )]
    Chain(#[from] Fault),
    /// Something is not the same on both sides.
    #[error(
        "{0} is not the same on both sides. hint: choose an empty data directory or database, and copy again"
    )]
    Differs(String),
    /// Some of the source cannot be read.
    #[error(
        "some of the data can't be read, so the copy isn't finished. hint: restore a backup of the source with \
         `anteroom restore`, or recover what can still be read with `anteroom repair`, then copy that"
    )]
    Damaged(Vec<Unreadable>),
}

/// Copies everything from one store to another, in which nothing else may be, and compares both. `advance` is told how
/// many sessions were copied, and then how many were compared.
///
/// A crash leaves both marked: the same again goes on where it was. Once it has returned, the target can be used and the
/// source is marked as moved; again: [`CopyError::Marked`].
pub async fn copy(
    from: &Side,
    to: &Side,
    ids: &dyn Ids,
    advance: &(dyn Fn(usize) + Sync),
) -> Result<Copied, CopyError> {
    let agreed = marks::agree(from, to, ids).await?;
    let mut copying = Copying {
        from,
        to,
        advance,
        copied: Copied::default(),
        damage: Vec::new(),
        flows: BTreeSet::new(),
    };
    copying.sessions().await?;
    // Words of a conversation that is not there would be sealed with no key of its own.
    copying.refuse_damage()?;
    copying.audit().await?;
    copying.accounts().await?;
    copying.notes().await?;
    copying.last_effects().await?;
    copying.compare().await?;
    copying.refuse_damage()?;
    marks::finish(from, to, agreed).await?;
    Ok(copying.copied)
}

/// A copy under way.
struct Copying<'a> {
    from: &'a Side,
    to: &'a Side,
    advance: &'a (dyn Fn(usize) + Sync),
    copied: Copied,
    damage: Vec<Unreadable>,
    /// Digests of flows that were copied.
    flows: BTreeSet<String>,
}

impl Copying<'_> {
    async fn sessions(&mut self) -> Result<(), CopyError> {
        let mut after = None;
        loop {
            let page = self.from.store.sessions(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            let there = self.to.store.sessions(after, PAGE).await?;
            let there: BTreeSet<SessionId> = there.iter().map(|head| head.id).collect();
            after = Some(last.id);
            let missing: Vec<&Head> =
                page.iter().filter(|head| !there.contains(&head.id)).collect();
            let mut missing = missing.as_slice();
            while !missing.is_empty() {
                let some;
                (some, missing) = missing.split_at(at_once(missing));
                let mut images = Vec::new();
                for head in some {
                    images.extend(self.taken(head.id).await?);
                }
                let images = images.into_iter().map(|image| Piece::Session(Box::new(image)));
                try_join_all(images.map(|image| self.to.store.put_in(image))).await?;
                (self.advance)(some.len());
            }
        }
    }

    /// Ends the copy where something could not be read, on either side.
    fn refuse_damage(&mut self) -> Result<(), CopyError> {
        let mut damage = std::mem::take(&mut self.damage);
        damage.extend(self.from.store.unreadable());
        damage.extend(self.to.store.unreadable());
        damage.sort_by(|one, other| one.what.cmp(&other.what));
        damage.dedup_by(|one, other| one.what == other.what);
        if damage.is_empty() { Ok(()) } else { Err(CopyError::Damaged(damage)) }
    }

    /// A session of the source; `None` if it cannot be read, which is noted.
    async fn taken(&mut self, session: SessionId) -> Result<Option<Image>, CopyError> {
        match self.from.store.take_out(session).await {
            Err(store::Error::Unreadable { what, why }) => {
                self.damage.push(Unreadable { what, why });
                Ok(None)
            }
            other => Ok(other?),
        }
    }

    /// Copies the audit chain after the sessions, whose keys seal its words, and compares it.
    async fn audit(&mut self) -> Result<(), CopyError> {
        let (from, to) = (&self.from.store, &self.to.store);
        let (mut check, mut next) = (ChainCheck::default(), 0);
        loop {
            let page = from.audit(next, PAGE).await?;
            for sealed in &page {
                check.add(sealed);
            }
            let Some(last) = page.last() else { break };
            let end = last.index.saturating_add(1).max(next + 1);
            let mut copied = to.audit(next, page.len()).await?;
            if copied.len() < page.len() {
                to.put_in(Piece::Audit(page.clone())).await?;
                copied = to.audit(next, page.len()).await?;
            }
            if copied != page {
                check.finish()?;
                return Err(CopyError::Differs(format!("audit records {next} to {}", end - 1)));
            }
            next = end;
        }
        check.finish()?;
        if !to.audit(next, 1).await?.is_empty() {
            return Err(CopyError::Differs("the end of the audit log".to_owned()));
        }
        self.copied.audit_records = check.records();
        check.seal().clone_into(&mut self.copied.seal);
        Ok(())
    }

    async fn accounts(&mut self) -> Result<(), CopyError> {
        let mut after = None;
        loop {
            let page = self.from.store.accounts(after, PAGE).await?;
            if self.to.store.accounts(after, page.len()).await? != page {
                self.to.store.put_in(Piece::Accounts(page.clone())).await?;
            }
            if self.to.store.accounts(after, PAGE).await? != page {
                return Err(CopyError::Differs("what was charged to accounts".to_owned()));
            }
            self.copied.accounts += page.len() as u64;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = Some(*last);
        }
    }

    /// Copies the notes of no session.
    async fn notes(&mut self) -> Result<(), CopyError> {
        let wanted = notes_of(self.from).await?;
        let there = notes_of(self.to).await?;
        for note in wanted.iter().filter(|note| !there.contains(note)) {
            self.to.store.note(note.clone()).await?;
        }
        if notes_of(self.to).await? != wanted {
            return Err(CopyError::Differs("what gateways remember".to_owned()));
        }
        self.copied.notes += wanted.len() as u64;
        Ok(())
    }

    async fn last_effects(&mut self) -> Result<(), CopyError> {
        let wanted = self.from.store.last_effects().await?;
        let there = self.to.store.last_effects().await?;
        let mut missing = wanted.clone();
        missing.retain(|effect| !there.contains(effect));
        for some in missing.chunks(PAGE) {
            self.to.store.put_in(Piece::LastEffects(some.to_vec())).await?;
        }
        if self.to.store.last_effects().await? != wanted {
            return Err(CopyError::Differs("what is still to be sent".to_owned()));
        }
        self.copied.effects += wanted.len() as u64;
        Ok(())
    }
}

/// How many of these sessions are put in together: at least one.
fn at_once(heads: &[&Head]) -> usize {
    let mut events = 0;
    let few = heads.iter().take(AT_ONCE).take_while(|head| {
        events += head.seq;
        events <= EVENTS_AT_ONCE
    });
    few.count().max(1)
}

/// The notes of no session, but for the mark.
async fn notes_of(side: &Side) -> Result<Vec<Note>, CopyError> {
    let mut notes = side.store.notes("").await?;
    notes.retain(|note| note.key != marks::KEY);
    Ok(notes)
}
