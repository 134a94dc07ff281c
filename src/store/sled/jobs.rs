//! What the committer is asked to do, and what came of it.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;

use super::{
    archive::{End, Marker},
    key_store::Slot,
    keys::Key,
    steps::Gone,
};
use crate::{
    base::{
        failpoint::Failpoint,
        ids::{EffectId, SessionId},
    },
    model::effect::{Delivery, Effect},
    store::{Commit, Erasure, Error, Note, portable::Piece, read_cache},
};

pub(super) type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// Something for the committer to do.
pub(super) enum Job {
    Commit {
        commit: Box<Commit>,
        reply: Reply<()>,
    },
    Erase {
        erasure: Box<Erasure>,
        reply: Reply<()>,
    },
    Note {
        note: Box<Note>,
        reply: Reply<()>,
    },
    Done {
        effect: EffectId,
        delivery: Delivery,
        reply: Reply<()>,
    },
    /// A piece of another store's.
    PutIn {
        piece: Box<Piece>,
        reply: Reply<()>,
    },
    /// Somebody tells the time: what has been waiting for it is done.
    Tick {
        now: DateTime<Utc>,
        reply: Option<Reply<()>>,
    },
    Compact {
        reply: Reply<bool>,
    },
    /// The archiver has done something.
    Archived(Archived),
}

impl Job {
    /// The session that is written.
    pub(super) fn session(&self) -> Option<SessionId> {
        match self {
            Self::Commit { commit, .. } => Some(commit.head.id),
            _ => None,
        }
    }
}

/// What the archiver has done.
#[derive(Debug)]
pub(super) enum Archived {
    /// The records of these sessions are in the archive.
    Moved(Vec<SessionId>, Moved),
    /// Those of these sessions are not.
    NotMoved(Vec<SessionId>),
    /// This is at the end of the archive now, and where the segment goes on; all of it is if it doesn't.
    Emptied(u32, Moved, Option<u32>),
    /// The segment is left as it is.
    NotEmptied,
    /// The segment is gone.
    Removed,
    /// Something in this segment is needed after all.
    Needed(u32),
}

/// Records that are on the device.
#[derive(Debug, Default)]
pub(super) struct Moved {
    /// Under which keys, and what is to take their place.
    pub(super) markers: Vec<(Key, Marker)>,
    /// Where the next one goes; `None` if there was nothing to be moved.
    pub(super) end: Option<End>,
}

/// What was applied and is to be known once it is on the device.
pub(super) enum Applied {
    Step {
        step: Box<read_cache::Step>,
        slot: Slot,
        effects: Vec<Effect>,
        /// The earliest timer that was set.
        timer: Option<DateTime<Utc>>,
    },
    Erasure {
        session: SessionId,
        gone: Gone,
        last: Vec<EffectId>,
    },
    Note {
        key: String,
    },
    Piece {
        notes: Vec<String>,
        effects: Vec<(Slot, Effect)>,
    },
    Delivery {
        id: EffectId,
        known: Option<Arc<Effect>>,
        delivery: Delivery,
    },
}

/// The jobs of a group, and what came of them so far.
#[derive(Default)]
pub(super) struct Group {
    /// To those who count on the device.
    pub(super) answers: Vec<(Reply<()>, Result<(), Error>)>,
    /// To those who do not.
    pub(super) dones: Vec<(Reply<()>, Result<(), Error>)>,
    pub(super) ticks: Vec<(DateTime<Utc>, Option<Reply<()>>)>,
    pub(super) compacts: Vec<Reply<bool>>,
    pub(super) applied: Vec<Applied>,
    /// Passed once the steps are applied.
    pub(super) points: Vec<Failpoint>,
    /// A step that is not applied yet is one that somebody counts on.
    pub(super) is_lasting: bool,
}

impl Group {
    pub(super) fn lasting(&mut self, done: Result<Applied, Error>, reply: Reply<()>) {
        self.is_lasting |= done.is_ok();
        let done = done.map(|applied| self.applied.push(applied));
        self.answers.push((reply, done));
    }
}
