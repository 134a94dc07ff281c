//! The check before the store is opened: whether everything that was acknowledged is there, without changing a byte.
//!
//! sled rewrites its files while it opens, and cuts off or leaves out what it cannot read. So a store whose files are not
//! exactly as a clean stop left them is copied, the copy is opened, and every entry in it is read: their sum must be the
//! one that the last batch says, and the store must have come at least as far as the high-water mark. A copy costs a
//! multiple of reading the log once, but only after a crash; a reader of sled's log of our own would have to follow each
//! rule by which sled leaves parts of it out.

use std::{io, path::Path, thread};

use sled::Db;

use super::{
    archive::{Archive, End},
    audit_record::Tip,
    clean_stop::{self, Found},
    database, disk_reserve,
    key_store::KeyStore,
    keys,
    layout::Layout,
    read, salvage,
    scratch::Scratch,
    tree_checksum::TreeChecksum,
    watermark::Mark,
    write_batch::Reader,
};
use crate::store::{Error, health::Trouble};

/// Conversations that are named in one message.
const NAMED_MAX: usize = 10;

/// Looks whether the store in `dir` is whole. Changes no file of it; nobody may have it open.
pub(super) fn check(dir: &Path) -> Result<(), Error> {
    let unopened = |error| database::unopened(dir, error);
    Scratch::remove_old(dir).map_err(unopened)?;
    let mark = read_mark(dir)?;
    if !dir.join("db").exists() {
        return match mark {
            Some(_) => Err(Error::lost(database::named(dir), "its file `db` is missing")),
            None => Ok(()),
        };
    }
    let changed = match clean_stop::compare(dir).map_err(unopened)? {
        Found::Same => return Ok(()),
        Found::Changed(changed) => changed,
        Found::Unknown => Vec::new(),
    };
    let scratch = Scratch::copy(dir).map_err(unopened)?;
    // sled can panic over what it finds, also while it reads.
    let (at, original) = (scratch.dir.clone(), dir.to_owned());
    let examined = thread::Builder::new()
        .name("store-check".to_owned())
        .spawn(move || examine(&at, &original, mark.as_ref()))
        .map_err(unopened)?
        .join();
    let examined = examined.unwrap_or_else(|_| {
        Err(Error::refused(database::named(dir), "the database gave up on its files"))
    });
    match examined {
        Ok(()) if changed.is_empty() => Ok(()),
        Ok(()) => {
            let changed = changed.join(", ");
            tracing::warn!(
                changed,
                "files of the store have changed since it was closed; everything that was saved is there all the same. \
                 hint: look for the disk's errors in the system's log"
            );
            Ok(())
        }
        Err(Error::Unreadable { what, why })
            if !changed.is_empty() && why.starts_with("it is damaged") =>
        {
            let why = format!("since it was closed {}; {why}", changed.join(", "));
            Err(Error::Unreadable { what, why })
        }
        Err(error) => Err(error),
    }
}

/// The checksum of an open database, which must have come at least as far as the mark beside it.
pub(super) fn against_mark(dir: &Path, db: &Db, tip: &Tip) -> Result<TreeChecksum, Error> {
    let what = || database::named(dir);
    let stored = TreeChecksum::stored(db)?;
    let checksum = stored.ok_or_else(|| Error::refused(what(), "its checksum is missing"))?;
    // The layout alone may be there without a mark, where a crash came between the two.
    let Some(mark) = read_mark(dir)? else {
        let is_young = checksum.batches <= 1;
        let none = || Error::refused(what(), "its high-water mark is missing");
        return is_young.then_some(checksum).ok_or_else(none);
    };
    if checksum.batches < mark.checksum.batches || tip.next < mark.tip.next {
        let missing = mark.tip.next.saturating_sub(tip.next);
        let how = format!(
            "its end is missing, with {missing} of {} audit records and {} of {} conversations",
            mark.tip.next,
            mark.checksum.sessions.saturating_sub(checksum.sessions),
            mark.checksum.sessions
        );
        return Err(Error::refused(what(), how));
    }
    if checksum.batches == mark.checksum.batches && (checksum != mark.checksum || *tip != mark.tip)
    {
        return Err(Error::refused(what(), "it is not the one that was saved last"));
    }
    Ok(checksum)
}

fn read_mark(dir: &Path) -> Result<Option<Mark>, Error> {
    Mark::read(dir).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => {
            Error::refused(database::named(dir), "its high-water mark cannot be read")
        }
        _ => database::unopened(dir, error),
    })
}

/// Examines the copy at `at` of the store in `dir`.
fn examine(at: &Path, dir: &Path, mark: Option<&Mark>) -> Result<(), Error> {
    let db = match database::open_or_mend(at, database::SMALL_CACHE) {
        Ok(db) => db,
        Err(Error::Unreadable { .. } | Error::Unopened { trouble: Trouble::Database, .. }) => {
            return Err(Error::refused(database::named(dir), "it cannot be opened"));
        }
        Err(Error::Unopened { trouble, source, .. }) => {
            return Err(Error::Unopened { dir: dir.display().to_string(), trouble, source });
        }
        Err(error) => return Err(error),
    };
    let Some(layout) = Layout::read(&db, dir)? else {
        // A crash may have come before the layout was written, and before anything else.
        return match mark {
            None if !disk_reserve::is_known(dir) => Ok(()),
            _ => Err(Error::lost(database::named(dir), "it is empty")),
        };
    };
    if !layout.is_checked() {
        return Ok(());
    }
    examine_entries(&db, dir, &layout).map_err(|error| match error {
        Error::Unreadable { what, why } => {
            let named = named_damage(&db, dir, &layout).unwrap_or_default();
            Error::Unreadable {
                what,
                why: why.replacen(". Nothing", &format!("{named}. Nothing"), 1),
            }
        }
        error => error,
    })
}

fn examine_entries(db: &Db, dir: &Path, layout: &Layout) -> Result<(), Error> {
    let what = || database::named(dir);
    let key_store = KeyStore::read_only(dir, layout.id)?;
    let reader = Reader::new(db, &key_store, None);
    let refused = |error| match error {
        Error::Unreadable { what: of, why } => {
            let how = why.split(". hint").next().unwrap_or_default();
            Error::refused(what(), format_args!("{of}: {how}"))
        }
        error => error,
    };
    let tip = read::tip(reader).map_err(refused)?;
    let checksum = against_mark(dir, db, &tip)?;
    let counted = TreeChecksum::counted(db).map_err(refused)?;
    if !counted.is_same(&checksum) {
        let how = match checksum.sessions.saturating_sub(counted.sessions) {
            0 => "entries are missing or changed".to_owned(),
            missing => format!("{missing} of {} conversations are missing", checksum.sessions),
        };
        return Err(Error::refused(what(), how));
    }
    sound_keys(reader, dir).map_err(refused)
}

/// Whether the keys that are in use are those that were written.
pub(super) fn sound_keys(reader: Reader<'_>, dir: &Path) -> Result<(), Error> {
    read_mark(dir)?;
    let doomed = keys::doomed_slots(&reader.keys(&[keys::DOOMED])?);
    reader.key_store.verify(read::last_slot(reader)?, &doomed)
}

/// Which conversations are damaged, as far as can be read.
fn named_damage(db: &Db, dir: &Path, layout: &Layout) -> Option<String> {
    let key_store = KeyStore::read_only(dir, layout.id).ok()?;
    let archive = Archive::of(dir, layout.id, End::default());
    let damaged = salvage::damaged(Reader::new(db, &key_store, Some(&archive)));
    let first: Vec<String> = damaged.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    let more = match damaged.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!first.is_empty()).then(|| format!("; damaged conversations: {}{more}", first.join(", ")))
}
