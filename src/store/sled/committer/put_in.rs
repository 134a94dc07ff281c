//! Puts in what comes from another store.

use super::Committer;
use crate::store::{
    Error,
    portable::Piece,
    sled::{jobs::Applied, put_in},
};

impl Committer {
    pub(super) fn put_in(&mut self, piece: Piece) -> Result<Applied, Error> {
        let sessions = piece.sessions();
        for session in &sessions {
            // What a commit goes on with is not what lies there any more.
            drop(self.sessions.take(*session));
        }
        let applied = self.step(|stage, chain| put_in::put_in(stage, chain, piece))?;
        for session in sessions {
            self.restless.touch(session);
        }
        Ok(applied)
    }
}
