//! The sessions that commits go on with, kept as they were read.

use super::{read::Known, record_codec::OpenFrame};
use crate::{
    base::ids::SessionId,
    store::working_set::{Part, WorkingSet},
};

/// Bytes of memory for sessions that go on: a thousand of them, most of which are of less than eight kilobytes.
const BUSY_MAX: u64 = 16 * 1024 * 1024;

/// Bytes of memory for sessions that are over.
const OVER_MAX: u64 = 1024 * 1024;

/// Bytes of memory that a session takes beside its frame: its head, its timers and its key.
const COVER: usize = 2048;

/// Bytes of memory for each byte of a frame's text.
const SPREAD: usize = 3;

/// A session that a commit goes on with.
pub(super) struct OpenSession {
    pub(super) known: Known,
    /// None where it has not been read.
    pub(super) frame: Option<OpenFrame>,
}

impl OpenSession {
    /// About how many bytes of memory it takes.
    fn bytes(&self) -> u32 {
        let text = self.frame.as_ref().map_or(0, |frame| frame.length);
        u32::try_from(COVER + SPREAD * text).unwrap_or(u32::MAX)
    }
}

/// The sessions that the latest commits went on with, as they lie there once those are applied, so that the next need not
/// read them.
pub(super) struct OpenSessions(WorkingSet<SessionId, OpenSession>);

impl Default for OpenSessions {
    fn default() -> Self {
        Self(WorkingSet::new(BUSY_MAX, OVER_MAX))
    }
}

impl OpenSessions {
    /// A session, if it is known. It is not known any more then.
    pub(super) fn take(&self, session: SessionId) -> Option<OpenSession> {
        self.0.take(&session)
    }

    /// Keeps a session as it is about to be written.
    pub(super) fn keep(&self, open: OpenSession) {
        let head = &open.known.cover.head;
        let (session, part, bytes) = (head.id, Part::from(head.status), open.bytes());
        self.0.insert(session, (open, bytes), part);
    }

    /// Forgets all of them.
    pub(super) fn clear(&self) {
        self.0.clear();
    }

    /// Lets go of what nobody has used lately.
    pub(super) fn tidy(&self) {
        self.0.tidy();
    }
}
