//! Waits by their ids: each has a pointer to the frames that tell of it, and messages in which it was shown.
//!
//! While a session goes on, both are a record under the wait's key. Once it is at rest the pointer is in a page (see
//! `packed_keys`), and the frame tells of the messages too.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use super::{
    key_store::Slot,
    keys, packed_keys, read,
    record_codec::{Frame, Told},
    write_batch::{Reader, Record, VERSION},
};
use crate::{
    base::ids::WaitId,
    model::{effect::Rendering, wait::Wait},
    store::{Error, sealing::Key},
};

/// What the store knows of a wait by its id: the clear beginning of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) slot: Slot,
    /// The newest frame that tells of it.
    pub(super) frame: u32,
    /// The frame that tells all of it.
    pub(super) whole: u32,
    /// Of the question, so that a repeat is known without reading it.
    pub(super) digest: [u8; 8],
}

impl Pointer {
    /// Bytes of it.
    pub(super) const LENGTH: usize = keys::POINTER;

    pub(super) fn encode(&self) -> Vec<u8> {
        let Self { slot, frame, whole, digest } = self;
        [&slot.to_be_bytes()[..], &frame.to_be_bytes(), &whole.to_be_bytes(), digest].concat()
    }

    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let (slot, rest) = body.split_first_chunk()?;
        let (frame, rest) = rest.split_first_chunk()?;
        let (whole, rest) = rest.split_first_chunk()?;
        let (frame, whole) = (u32::from_be_bytes(*frame), u32::from_be_bytes(*whole));
        Some(Self { slot: Slot::from_be_bytes(*slot), frame, whole, digest: *rest.first_chunk()? })
    }
}

/// Where a wait was shown is bound to its key, not to the pointer, which changes without it.
pub(super) fn renderings(key: &Key, id: WaitId, record: &Record) -> Result<Vec<Rendering>, Error> {
    let rest = record.body.get(Pointer::LENGTH..).unwrap_or_default();
    if rest.is_empty() {
        return Ok(Vec::new());
    }
    let record = Record { version: record.version, body: rest.to_vec() };
    Reader::open(key, &keys::wait(id), &record, 0, format_args!("wait `{id}`"))
}

/// What lies under the id of a wait.
pub(super) struct Noted {
    /// The pointer, and after it what [`renderings`] reads.
    record: Record,
    /// There is nothing after it, because the frame tells of that.
    is_packed: bool,
}

impl Noted {
    pub(super) fn pointer(&self) -> Option<Pointer> {
        Pointer::decode(&self.record.body)
    }
}

pub(super) fn noted(reader: Reader<'_>, id: WaitId) -> Result<Option<Noted>, Error> {
    let at = keys::wait(id);
    if let Some(record) = reader.record(&at, format_args!("wait `{id}`"))? {
        return Ok(Some(Noted { record, is_packed: false }));
    }
    let member = packed_keys::find(reader, &at)?;
    Ok(member.map(|member| {
        let (_, pointer) = packed_keys::split(&member);
        let record = Record { version: VERSION, body: pointer.to_vec() };
        Noted { record, is_packed: true }
    }))
}

/// What is known of a wait under its own key, or what would be if its session were not at rest.
pub(super) fn record(reader: Reader<'_>, id: WaitId) -> Result<Option<Record>, Error> {
    let Some(Noted { mut record, is_packed }) = noted(reader, id)? else { return Ok(None) };
    let what = format_args!("wait `{id}`").to_string();
    if is_packed
        && let Some(pointer) = Pointer::decode(&record.body)
        && let Some(key) = reader.key_store.key(pointer.slot)?
        && let Some(frame) = read::frame(reader, &key, pointer.slot, pointer.frame, &what)?
        && let renderings @ [_, ..] = frame.renderings(id)
    {
        let sealed = Reader::close(&key, &keys::wait(id), VERSION, &[], &renderings)?;
        record.body.extend(sealed.body);
    }
    Ok(Some(record))
}

/// Frames of a session as they lie there. Each is opened once, however many waits it tells of; all that were opened are
/// held, so this is for one look at the session.
pub(super) struct Frames<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) slot: Slot,
    pub(super) key: Arc<Key>,
    pub(super) opened: BTreeMap<u32, Frame>,
}

impl<'a> Frames<'a> {
    /// Those of the session with this slot and key; none is opened yet.
    pub(super) const fn new(reader: Reader<'a>, slot: Slot, key: Arc<Key>) -> Self {
        Self { reader, slot, key, opened: BTreeMap::new() }
    }

    fn get(&mut self, number: u32, what: &str) -> Result<Option<&Frame>, Error> {
        Ok(match self.opened.entry(number) {
            Entry::Occupied(opened) => Some(opened.into_mut()),
            Entry::Vacant(place) => {
                let frame = read::frame(self.reader, &self.key, self.slot, number, what)?;
                frame.map(|frame| &*place.insert(frame))
            }
        })
    }

    /// A wait and where it has been shown, as what lies under its id leads to it.
    pub(super) fn shown(
        &mut self,
        id: WaitId,
        noted: &Noted,
        pointer: Pointer,
    ) -> Result<(Wait, Vec<Rendering>), Error> {
        let wait = match self.told(id, pointer.frame)? {
            Told::Whole(wait) => *wait,
            Told::Since { frame, status, votes } => match self.told(id, frame)? {
                Told::Whole(wait) => Wait { votes, status: *status, ..*wait },
                Told::Since { .. } => {
                    return Err(Error::damaged(
                        format_args!("wait `{id}`"),
                        "no frame tells all of it",
                    ));
                }
            },
        };
        let renderings = if noted.is_packed {
            let frame = self.opened.get(&pointer.frame);
            frame.map(|frame| frame.renderings(id).to_vec()).unwrap_or_default()
        } else {
            renderings(&self.key, id, &noted.record)?
        };
        Ok((wait, renderings))
    }

    /// What one of the frames tells of a wait.
    fn told(&mut self, id: WaitId, number: u32) -> Result<Told, Error> {
        let what = format!("wait `{id}`");
        let told = self.get(number, &what)?.and_then(|frame| frame.wait(id));
        told.ok_or_else(|| Error::damaged(what, format_args!("frame {number} lacks it")))
    }
}

/// A wait and where it has been shown. Its session is opened in `frames`, if another one is there in its place.
pub(super) fn wait<'a>(
    reader: Reader<'a>,
    id: WaitId,
    frames: &mut Option<Frames<'a>>,
) -> Result<Option<(Wait, Vec<Rendering>)>, Error> {
    let Some(noted) = noted(reader, id)? else { return Ok(None) };
    let early = || Error::damaged(format_args!("wait `{id}`"), "it ends early");
    let pointer = noted.pointer().ok_or_else(early)?;
    let frames = match frames {
        Some(frames) if frames.slot == pointer.slot => frames,
        _ => match reader.key_store.key(pointer.slot)? {
            Some(key) => frames.insert(Frames::new(reader, pointer.slot, key)),
            // Shredded and not yet cleared away.
            None => return Ok(None),
        },
    };
    frames.shown(id, &noted, pointer).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;
    use crate::store::sled::{
        key_store::KeyStore,
        record_codec::{Belongings, Kept},
    };

    fn asked(number: u128) -> Wait {
        let id = WaitId::from_uuid(Uuid::from_u128(number));
        let control = json!({ "kind": "confirm", "yes": "Yes", "no": "No", "danger": false });
        let wait = json!({
            "id": id, "session": "ses_00000000000000000000000000000001", "revision": 1,
            "purpose": { "kind": "notice" }, "state": null, "digest": "d",
            "prompt": { "body": "May we begin?", "control": control },
            "answerers": { "who": "participant" }, "asked_at": "2026-11-02T00:00:00Z",
            "standing": { "is": "pending" },
        });
        serde_json::from_value(wait).unwrap()
    }

    #[test]
    fn a_frame_is_opened_once_for_all_the_waits_that_it_tells_of() {
        let dir = TempDir::new().unwrap();
        let key_store = KeyStore::open(dir.path(), None, true).unwrap();
        let tree = sled::Config::new().temporary(true).open().unwrap();
        let put = |at: &[u8], body: &[u8]| {
            tree.insert(at, [&[VERSION, 0, 1], body].concat()).unwrap();
        };
        let (slot, key) = key_store.fresh().unwrap();
        let all = [1, 2].map(asked);
        let waits = all.iter().map(|wait| Kept::Whole { whole: Box::new(wait.clone()) }).collect();
        let (at, clear) = (keys::frame(slot, 0), Belongings::default().encode());
        let frame = Frame { waits, ..Frame::default() };
        put(&at, &Reader::close(&key, &at, VERSION, &clear, &frame).unwrap().body);
        for wait in &all {
            let pointer = Pointer { slot, frame: 0, whole: 0, digest: [0; 8] };
            put(&keys::wait(wait.id), &pointer.encode());
        }
        let reader = Reader::new(&tree, &key_store, None);
        let (mut frames, [one, other]) = (None, all);
        assert_eq!(wait(reader, one.id, &mut frames).unwrap(), Some((one, Vec::new())));

        tree.remove(&at).unwrap();

        wait(reader, other.id, &mut None).unwrap_err();
        assert_eq!(wait(reader, other.id, &mut frames).unwrap(), Some((other, Vec::new())));
    }
}
