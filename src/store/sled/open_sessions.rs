//! The sessions that commits go on with, kept as they were read.

use std::collections::HashMap;

use super::{read::Known, record_codec::OpenFrame};
use crate::base::ids::SessionId;

/// Sessions that are kept open, each of some kilobytes.
const OPEN_MAX: usize = 256;

/// A session that a commit goes on with.
pub(super) struct OpenSession {
    pub(super) known: Known,
    /// None where it has not been read.
    pub(super) frame: Option<OpenFrame>,
}

/// The sessions that the latest commits went on with, as they lie there once those are applied, so that the next need not
/// read them.
#[derive(Default)]
pub(super) struct OpenSessions(HashMap<SessionId, OpenSession>);

impl OpenSessions {
    /// A session, if it is known. It is not known any more then.
    pub(super) fn take(&mut self, session: SessionId) -> Option<OpenSession> {
        self.0.remove(&session)
    }

    /// Keeps a session as it is about to be written.
    pub(super) fn keep(&mut self, open: OpenSession) {
        if self.0.len() >= OPEN_MAX {
            self.0.clear();
        }
        self.0.insert(open.known.cover.head.id, open);
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
