//! What gateways remember: notes under keys of their own, those of a session sealed with its key.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    key_store::Slot,
    keys, packed_keys, read,
    write_batch::{Reader, Record, VERSION, WriteBatch},
};
use crate::{
    base::ids::SessionId,
    model::{
        STORED_VERSION,
        posted::{self, Posted},
    },
    store::{
        Error, Note,
        sealing::{Digest, Key},
    },
};

/// What a note is called where it cannot be read; its key may name a person.
const WHAT: &str = "note";

/// The text of a note.
#[derive(Serialize, Deserialize)]
struct Text {
    key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    value: String,
}

impl From<Text> for Note {
    fn from(Text { key, session, value }: Text) -> Self {
        Self { key, session, value: Some(value) }
    }
}

fn digest(reader: Reader<'_>, key: &str) -> Digest {
    reader.key_store.secret.digest(b'k', key)
}

/// Keeps a note, or takes it away where it says nothing. One of a session that is not there is not kept.
pub(super) fn put(stage: &mut WriteBatch<'_>, note: Note) -> Result<(), Error> {
    let reader = stage.reader;
    let digest = digest(reader, &note.key);
    take(stage, digest)?;
    let Note { key, session, value: Some(value) } = note else { return Ok(()) };
    let text = Text { key, session, value };
    let Some(session) = session else {
        let body = serde_json::to_vec(&text).map_err(Error::unavailable)?;
        return stage.put_record(&keys::note(digest), &Record { version: VERSION, body });
    };
    let Some(known) = read::known(reader, session)? else { return Ok(()) };
    seal(stage, known.slot, &known.key, &text)
}

fn seal(stage: &mut WriteBatch<'_>, slot: Slot, key: &Key, text: &Text) -> Result<(), Error> {
    let digest = digest(stage.reader, &text.key);
    let at = keys::session_note(digest);
    let record = Reader::close(key, &at, VERSION, &slot.to_be_bytes(), text)?;
    stage.put(keys::note_of(slot, digest), []);
    stage.put_record(&at, &record)
}

fn take(stage: &mut WriteBatch<'_>, digest: Digest) -> Result<(), Error> {
    let at = keys::session_note(digest);
    if let Some(slot) = stage.reader.record(&at, WHAT)?.as_ref().and_then(read::slot_of) {
        packed_keys::remove_key(stage, &keys::note_of(slot, digest))?;
    }
    stage.remove_record(&at)?;
    stage.remove_record(&keys::note(digest))
}

/// Adds what a delivery left outside to the ledger of its session.
pub(super) fn add_posted(
    stage: &mut WriteBatch<'_>,
    (slot, key): (Slot, &Key),
    session: SessionId,
    left: &[Posted],
) -> Result<(), Error> {
    // What an erasure itself sends belongs to no session any more.
    if left.is_empty() || !stage.has(&keys::head(session))? {
        return Ok(());
    }
    let name = posted::ledger_of(session);
    let found = sealed(stage.reader, digest(stage.reader, &name));
    let is_damaged = matches!(found, Err(Error::Unreadable { .. }));
    let known = read::readable(stage.reader, found)?.and_then(|note| note.value);
    let known = known.or_else(|| is_damaged.then(posted::after_damage));
    match posted::appended(known.as_deref(), left) {
        Some(value) => seal(stage, slot, key, &Text { key: name, session: Some(session), value }),
        None => Ok(()),
    }
}

/// The notes of a session, taken away; those that can be read are handed out.
pub(super) fn take_all(stage: &mut WriteBatch<'_>, slot: Slot) -> Result<Vec<Note>, Error> {
    let reader = stage.reader;
    let notes = of_session(reader, slot)?;
    for entry in entries(reader, slot)? {
        packed_keys::remove_key(stage, &entry)?;
        let Some(digest) = keys::digest_of_note(&entry) else { continue };
        stage.remove_all(&keys::session_note(digest))?;
    }
    Ok(notes)
}

/// The keys that name the notes of a session.
fn entries(reader: Reader<'_>, slot: Slot) -> Result<BTreeSet<keys::Key>, Error> {
    let mut entries: BTreeSet<_> = reader.keys(&keys::notes_of(slot))?.into_iter().collect();
    entries.extend(packed_keys::scan(reader, &keys::notes_of(slot))?);
    Ok(entries)
}

/// The notes of a session; those that cannot be read are left out and remembered.
pub(super) fn of_session(reader: Reader<'_>, slot: Slot) -> Result<Vec<Note>, Error> {
    let mut notes = Vec::new();
    for digest in entries(reader, slot)?.iter().filter_map(|entry| keys::digest_of_note(entry)) {
        notes.extend(read::readable(reader, sealed(reader, digest))?);
    }
    Ok(notes)
}

/// Puts down what [`take_all`] has handed out, under another key of the same session.
pub(super) fn keep_all(
    stage: &mut WriteBatch<'_>,
    slot: Slot,
    key: &Key,
    notes: Vec<Note>,
) -> Result<(), Error> {
    for Note { key: name, session, value } in notes {
        let text = Text { key: name, session, value: value.unwrap_or_default() };
        seal(stage, slot, key, &text)?;
    }
    Ok(())
}

pub(super) fn find(reader: Reader<'_>, key: &str) -> Result<Option<Note>, Error> {
    let digest = digest(reader, key);
    match sealed(reader, digest)? {
        Some(note) => Ok(Some(note)),
        None => plain(reader, &keys::note(digest)),
    }
}

fn sealed(reader: Reader<'_>, digest: Digest) -> Result<Option<Note>, Error> {
    let at = keys::session_note(digest);
    let Some(record) = reader.record(&at, WHAT)? else { return Ok(None) };
    let slot = read::slot_of(&record).ok_or_else(|| Error::damaged(WHAT, "it ends early"))?;
    let key = reader.key(slot, WHAT)?;
    let text: Text = Reader::open(&key, &at, &record, read::SLOT, WHAT)?;
    Ok(Some(text.into()))
}

fn plain(reader: Reader<'_>, at: &[u8]) -> Result<Option<Note>, Error> {
    let Some(record) = reader.record(at, WHAT)? else { return Ok(None) };
    if u32::from(record.version) > STORED_VERSION {
        return Err(Error::newer(WHAT, record.version.into()));
    }
    let text: Result<Text, _> = serde_json::from_slice(&record.body);
    Ok(Some(text.map_err(|_| Error::damaged(WHAT, "it is no JSON"))?.into()))
}

/// Notes of no session whose keys begin with `prefix`, in order of their keys.
pub(super) fn all(reader: Reader<'_>, prefix: &str) -> Result<Vec<Note>, Error> {
    let mut notes = Vec::new();
    for at in reader.records(&[keys::NOTE])? {
        notes.extend(plain(reader, &at)?.filter(|note| note.key.starts_with(prefix)));
    }
    notes.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(notes)
}
