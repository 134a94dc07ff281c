//! How many copies of conversations are made, and lie in memory, at a time.
//!
//! An archive lies in memory as a whole until whoever asked for it has all of it, and some take their time. So it has room
//! there for as long, by the size of its files ([`Limits::copies_mib`](super::Limits::copies_mib)). One half of the room is
//! for pages and the operator, who are told within [`PAGE_WAIT`] that there is none; the other for chats, whose copies wait
//! for as long as those who hand them over allow. In each half one archive is made at a time: that takes the processor.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{
    Engine,
    export::{self, Error},
    export_snapshot::Gathered,
};
use crate::{model::transcript::Audience, session::State};

/// Longest time that a page waits for room. Browsers and balancers wait for a minute or more.
const PAGE_WAIT: Duration = Duration::from_secs(30);

const MIB: u64 = 1024 * 1024;

/// Where a copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyTo {
    /// To a browser, or to the operator.
    Page,
    /// To a chat.
    Chat,
}

/// Everything about a session in one archive.
#[derive(Debug)]
pub struct SessionCopy {
    /// A zip file.
    pub bytes: Vec<u8>,
    /// Its room: to be kept until the bytes are sent.
    pub room: Room,
}

/// Room in memory for one archive, given back when it is dropped.
#[derive(Debug)]
pub struct Room {
    _permit: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
pub(super) struct Copies {
    pages: Lane,
    chats: Lane,
}

#[derive(Debug)]
struct Lane {
    /// For archives that are made or sent, in MiB.
    room: Arc<Semaphore>,
    /// All of it.
    most: u32,
    /// For the one that is being made.
    making: Semaphore,
}

impl Copies {
    pub(super) fn new(mib: u32) -> Self {
        let most = (mib / 2).max(1);
        let lane = || {
            let room = usize::try_from(most).unwrap_or(Semaphore::MAX_PERMITS);
            let room = Arc::new(Semaphore::new(room.min(Semaphore::MAX_PERMITS)));
            Lane { room, most, making: Semaphore::new(1) }
        };
        Self { pages: lane(), chats: lane() }
    }
}

impl Lane {
    /// Waits for room for the archive of a session. One that needs more than there is takes all of it.
    async fn enter(&self, state: &State) -> Room {
        let files = state.artifacts.iter().chain(&state.made).map(|file| file.size_bytes);
        let size = u32::try_from(files.sum::<u64>() / MIB + 1).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(size.min(self.most));
        // It is never closed.
        Room { _permit: room.await.ok() }
    }
}

impl Engine {
    /// Everything about a session in one archive, for `reader`; files that were erased meanwhile are left out. Waits until
    /// there is room for it; [`Error::Busy`] if a page would wait for too long.
    pub async fn copy(
        &self,
        gathered: &Gathered,
        reader: Audience,
        to: CopyTo,
    ) -> Result<SessionCopy, Error> {
        let source = gathered.source(reader);
        let state = source.state()?;
        let copies = &self.inner.copies;
        let lane = match to {
            CopyTo::Page => &copies.pages,
            CopyTo::Chat => &copies.chats,
        };
        let entering = async { (lane.enter(&state).await, lane.making.acquire().await) };
        let (room, _making) = match to {
            CopyTo::Page => timeout(PAGE_WAIT, entering).await.map_err(|_| Error::Busy)?,
            CopyTo::Chat => entering.await,
        };
        let artifacts = &self.inner.parts.artifacts;
        let bytes = export::bundle(&source, &gathered.children, artifacts).await?;
        Ok(SessionCopy { bytes, room })
    }
}
