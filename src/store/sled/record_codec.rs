//! What commits say about a session, as one record: their events, and the waits that they opened or changed.
//!
//! A commit goes on with the last frame while that is small, and writes it anew: many small records would each have
//! bytes of their own that nothing compresses, and words compress better together.
//!
//! A wait is written once, in the event that asks it; what changes later is only how it stands and who has voted:
//!
//! ```json
//! { "events": [ { "v": 1, "seq": 4, "at": "…", "event": { "type": "asked", … } } ],
//!   "waits": [ { "is": "asked", "wait": "wait_…" },
//!              { "is": "changed", "wait": "wait_…", "frame": 3, "standing": { "is": "applied", … } } ] }
//! ```
//!
//! The record is the waits that were not there before (their number, 2 bytes, and ids), the digests of the dedup keys
//! (their number, 1 byte, and bytes), then the text above, compressed and sealed. The beginning stands in clear, because an
//! erasure must know what to take away even where nothing else can be read.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::keys::ID;
use crate::{
    base::ids::WaitId,
    model::{
        effect::Rendering,
        transcript::{Event, Recorded},
        wait::{Vote, Wait, WaitStatus},
    },
    store::sealing::Digest,
};

/// The text of a frame.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Frame {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<Recorded>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) waits: Vec<Kept>,
    /// Where waits were shown, of a session that has come to rest; else it is with the wait itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) shown: Vec<Shown>,
}

/// Where a wait of this frame was shown.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Shown {
    pub(super) wait: WaitId,
    pub(super) renderings: Vec<Rendering>,
}

/// A frame that commits go on with, and its number.
#[derive(Debug, Default)]
pub(super) struct OpenFrame {
    pub(super) number: u32,
    pub(super) belongings: Belongings,
    pub(super) frame: Frame,
    /// Bytes of its text.
    pub(super) length: usize,
}

/// A wait in a frame.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub(super) enum Kept {
    /// As the last event of this frame that asks it says.
    Asked { wait: WaitId },
    /// Written out, where no event says the same.
    Whole { whole: Box<Wait> },
    /// As in the frame that asks it or writes it out, an earlier one or this, but for this.
    Changed {
        wait: WaitId,
        frame: u32,
        #[serde(rename = "standing")]
        status: Box<WaitStatus>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        votes: Vec<Vote>,
    },
}

impl Kept {
    pub(super) fn id(&self) -> WaitId {
        match self {
            Self::Asked { wait } | Self::Changed { wait, .. } => *wait,
            Self::Whole { whole } => whole.id,
        }
    }

    fn is_change(&self) -> bool {
        matches!(self, Self::Changed { .. })
    }
}

/// A wait as one frame tells it.
pub(super) enum Told {
    /// All of it.
    Whole(Box<Wait>),
    /// What has changed since that frame.
    Since { frame: u32, status: Box<WaitStatus>, votes: Vec<Vote> },
}

impl Frame {
    /// The form of `wait` beside these events, where it is written for the first time or with other content.
    pub(super) fn in_full(events: &[Recorded], wait: &Wait) -> Kept {
        match asked(events, wait.id) {
            Some(asked) if asked == wait => Kept::Asked { wait: wait.id },
            _ => Kept::Whole { whole: Box::new(wait.clone()) },
        }
    }

    /// Adds what is known of a wait now, in place of what that makes out of date.
    pub(super) fn keep(&mut self, kept: Kept) {
        let (id, is_change) = (kept.id(), kept.is_change());
        self.waits.retain(|old| old.id() != id || (is_change && !old.is_change()));
        self.waits.push(kept);
    }

    /// What this frame tells about a wait; `None` if nothing.
    pub(super) fn wait(&self, id: WaitId) -> Option<Told> {
        let (mut whole, mut since) = (None, None);
        for kept in self.waits.iter().filter(|kept| kept.id() == id) {
            match kept {
                Kept::Asked { .. } => (whole, since) = (Some(asked(&self.events, id)?), None),
                Kept::Whole { whole: all } => (whole, since) = (Some(all.as_ref()), None),
                Kept::Changed { frame, status, votes, .. } => since = Some((frame, status, votes)),
            }
        }
        match (whole.cloned(), since) {
            (Some(wait), Some((_, status, votes))) => {
                let (votes, status) = (votes.clone(), WaitStatus::clone(status));
                Some(Told::Whole(Box::new(Wait { votes, status, ..wait })))
            }
            (Some(wait), None) => Some(Told::Whole(Box::new(wait))),
            (None, since) => since.map(|(frame, status, votes)| Told::Since {
                frame: *frame,
                status: status.clone(),
                votes: votes.clone(),
            }),
        }
    }

    /// Where this frame says that a wait was shown.
    pub(super) fn renderings(&self, id: WaitId) -> &[Rendering] {
        let shown = self.shown.iter().rev().find(|shown| shown.wait == id);
        shown.map_or(&[], |shown| shown.renderings.as_slice())
    }
}

fn asked(events: &[Recorded], id: WaitId) -> Option<&Wait> {
    events.iter().rev().find_map(|event| match &*event.event {
        Event::Asked(wait) if wait.id == id => Some(wait.as_ref()),
        _ => None,
    })
}

/// What of a wait never changes while it is asked: the wait as it was before anybody answered.
pub(super) fn question(wait: &Wait) -> Cow<'_, Wait> {
    if wait.status == WaitStatus::Pending && wait.votes.is_empty() {
        return Cow::Borrowed(wait);
    }
    Cow::Owned(Wait { status: WaitStatus::Pending, votes: Vec::new(), ..wait.clone() })
}

/// What an erasure takes away besides the frame: the clear beginning of its record.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Belongings {
    pub(super) waits: Vec<WaitId>,
    pub(super) dedup: Vec<Digest>,
}

impl Belongings {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(u16::try_from(self.waits.len()).unwrap_or(u16::MAX).to_be_bytes());
        for wait in self.waits.iter().take(usize::from(u16::MAX)) {
            bytes.extend(wait.uuid().as_bytes());
        }
        bytes.push(u8::try_from(self.dedup.len()).unwrap_or(u8::MAX));
        for digest in self.dedup.iter().take(usize::from(u8::MAX)) {
            bytes.extend(digest);
        }
        bytes
    }

    /// The beginning of a record, and how long it is; `None` if it ends early.
    pub(super) fn decode(record: &[u8]) -> Option<(Self, usize)> {
        let (count, rest) = record.split_first_chunk::<2>()?;
        let count = usize::from(u16::from_be_bytes(*count));
        let (ids, rest) = rest.split_at_checked(count * ID)?;
        let waits: Option<Vec<WaitId>> = ids
            .chunks_exact(ID)
            .map(|id| Uuid::from_slice(id).ok().map(WaitId::from_uuid))
            .collect();
        let (count, rest) = rest.split_first()?;
        let (digests, rest) = rest.split_at_checked(usize::from(*count) * ID)?;
        let dedup = digests.chunks_exact(ID).filter_map(|digest| digest.try_into().ok()).collect();
        Some((Self { waits: waits?, dedup }, record.len() - rest.len()))
    }
}
