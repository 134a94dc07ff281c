//! A new store made of what can still be read of a damaged one.
//!
//! Everything is read from a copy; the store itself is not changed. A conversation goes over if all of it verifies: its
//! head, each of its frames, and what hangs on them. Of one that does not, the events up to the first gap are handed out,
//! so that somebody can read them; it is not taken over, because it would go on as if the rest had never been said.

use std::{collections::HashMap, path::Path, sync::Arc, thread};

use sled::{Db, Tree};

use super::{
    archive::{self, Archive, End},
    broken, database,
    dump::build_of,
    fault_injection::NoFaults,
    key_store::{KEYS_FILE, KeyStore, Slot},
    keys::{self, Key as At},
    layout::Layout,
    open, packed_keys, read,
    salvage::{self, Salvaged},
    scratch::Scratch,
    tree_checksum::TreeChecksum,
    watermark::Mark,
    write_batch::{HEADER, Reader},
};
use crate::{base::ids::SessionId, store::Error};

/// What a repair came to.
#[derive(Debug)]
pub struct Repaired {
    /// The conversations that anything still tells of, in order.
    pub conversations: Vec<Salvaged>,
    /// How many there were when the store was last saved; `None` if its high-water mark cannot be read.
    pub expected: Option<u64>,
    /// The end of the database is missing, or nobody can tell: each conversation is as it stood at some earlier moment,
    /// and may have gone on since.
    pub is_cut: bool,
}

/// Makes a store at `to`, which must not exist, of all that verifies in the store at `dir`, which no process may have
/// open. Changes nothing in `dir`, but finishes what [`rebuild`](super::rebuild) was killed in. Says what became of each conversation.
pub fn repair(dir: &Path, to: &Path) -> Result<Repaired, Error> {
    let lock = open::lock(dir)?;
    let mark = Mark::read(dir).ok().flatten();
    Scratch::remove_old(dir).map_err(Error::unavailable)?;
    let scratch = Scratch::copy(dir).map_err(Error::unavailable)?;
    let (at, from, target) = (scratch.dir.clone(), dir.to_owned(), to.to_owned());
    // sled can panic over what it finds, also while it reads.
    let salvaging = thread::Builder::new()
        .name("store-salvage".to_owned())
        .spawn(move || salvage(&at, &from, &target))
        .map_err(Error::unavailable)?;
    let salvaged = salvaging.join();
    drop((scratch, lock));
    let gave_up =
        |_| Err(Error::damaged(database::named(dir), "the database gave up on its files"));
    let (conversations, batches) = salvaged.unwrap_or_else(gave_up)?;
    let is_cut = mark.as_ref().is_none_or(|mark| batches < Some(mark.checksum.batches));
    Ok(Repaired { conversations, expected: mark.map(|mark| mark.checksum.sessions), is_cut })
}

/// What became of each conversation, and how many batches the database has seen.
fn salvage(at: &Path, dir: &Path, to: &Path) -> Result<(Vec<Salvaged>, Option<u64>), Error> {
    let db = database::open_or_mend(at, database::SMALL_CACHE)?;
    let layout = Layout::read(&db, dir)?;
    let nothing = || Error::damaged(database::named(dir), "it is empty");
    let key_store = KeyStore::unverified(dir, layout.ok_or_else(nothing)?.id)?;
    let archive = Archive::of(dir, key_store.id(), End::default());
    let reader = Reader::new(&db, &key_store, Some(&archive));
    let (mut salvaged, mut whole) = (Vec::new(), HashMap::new());
    for (session, slot) in salvage::candidates(reader) {
        let one = salvage::one(reader, session, slot);
        if one.is_whole()
            && let Ok(Some(known)) = read::known(reader, session)
        {
            whole.insert(known.slot, session);
        }
        salvaged.push(one);
    }
    let records = salvage::sound_records(reader);
    let good = Good { sessions: whole, records };
    std::fs::create_dir_all(to).map_err(Error::unavailable)?;
    std::fs::copy(dir.join(KEYS_FILE), to.join(KEYS_FILE)).map_err(Error::unavailable)?;
    let entries = entries(&db).into_iter();
    let entries = entries.filter_map(|(key, value)| Some((good.kept(&key, value, &db)?, key)));
    let entries = entries.flat_map(|(value, key)| {
        // What goes over was read before.
        let archived = archive::dumped(&archive, &key, &value).ok().flatten();
        archived.into_iter().chain([(key, value)])
    });
    let faults = Arc::new(NoFaults) as Arc<_>;
    build_of(to, &faults, entries)?;
    let batches = TreeChecksum::stored(&db).ok().flatten().map(|checksum| checksum.batches);
    Ok((salvaged, batches))
}

/// What goes over.
struct Good {
    /// Whole conversations by their slots.
    sessions: HashMap<Slot, SessionId>,
    /// Audit records.
    records: u64,
}

impl Good {
    /// What of a value goes over.
    fn kept(&self, key: &[u8], value: Vec<u8>, tree: &Tree) -> Option<Vec<u8>> {
        if key.first() == Some(&keys::PACKED) {
            return packed_keys::filtered(key, &value, |member, pointer| {
                // A wait alone has a value, and that begins as the body of a record does.
                let value = [&[0; HEADER], pointer].concat();
                self.keeps(member, &value, tree)
            });
        }
        self.keeps(key, &value, tree).then_some(value)
    }

    fn keeps(&self, key: &[u8], value: &[u8], tree: &Tree) -> bool {
        let is_whole = |session: SessionId| self.sessions.values().any(|whole| *whole == session);
        let has = |slot: Option<Slot>| slot.is_some_and(|slot| self.sessions.contains_key(&slot));
        match key.first() {
            Some(&(keys::FRAME | keys::OUTBOX | keys::NOTE_OF)) => has(keys::slot_of(key)),
            Some(&keys::HEAD) => keys::session_of(key).is_some_and(is_whole),
            Some(&(keys::AT_PLACE | keys::OF_PERSON | keys::LISTED)) => {
                keys::session_of_entry(key).is_some_and(is_whole)
            }
            Some(&keys::TIMER) => {
                keys::timer_of(key).is_some_and(|(_, session, _)| is_whole(session))
            }
            Some(&(keys::WAIT | keys::SESSION_NOTE)) => {
                let base = key.get(..keys::base_len(key)).unwrap_or(key);
                let first =
                    if base == key { Some(value.into()) } else { tree.get(base).ok().flatten() };
                let body = first.as_deref().and_then(|first| first.get(HEADER..));
                has(body.and_then(|body| body.first_chunk()).map(|slot| Slot::from_be_bytes(*slot)))
            }
            Some(&keys::AUDIT) => keys::index_of(key).is_some_and(|index| index < self.records),
            _ => true,
        }
    }
}

/// Every entry that can be read, but for the checksum: that of what goes over is another one.
fn entries(db: &Db) -> Vec<(At, Vec<u8>)> {
    let families = (b'a'..=b'z').filter(|family| *family != keys::TALLY);
    let keys = families.flat_map(|family| salvage::keys_from_both_ends(db, family));
    keys.filter_map(|key| {
        let value = db.get(&key).map_err(broken).ok()??;
        Some((key, value.to_vec()))
    })
    .collect()
}
