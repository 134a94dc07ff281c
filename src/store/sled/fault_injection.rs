//! Where a device can go wrong: asked before it is touched, so that tests can have it fail. And what somebody leaves who
//! changes entries below the store and knows of its checksums.

use std::{fmt, io, path::Path, time::Duration};

use super::{
    broken, clean_stop,
    key_store::{KeyStore, sums::KeySums},
    keys, open, read,
    tree_checksum::TreeChecksum,
    watermark::{Mark, MarkFile},
    write_batch::Reader,
};
use crate::store::Error;

/// A touch of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// The database is about to be opened.
    Open,
    /// A batch is about to be applied.
    Write,
    /// A batch has been applied in memory; nobody knows how much of it will reach the device.
    Written,
    /// What was applied is about to be synced.
    Sync,
    /// A read-only store tries whether it can write again.
    Probe,
}

/// What can go wrong with a device.
pub trait Faults: fmt::Debug + Send + Sync {
    /// An error here is taken for one of the device.
    fn strike(&self, touch: Touch) -> io::Result<()>;

    /// How long a sync may take before the device counts as broken.
    fn patience(&self) -> Duration {
        Duration::from_secs(30)
    }
}

/// Nothing but what really goes wrong.
#[derive(Debug)]
pub struct NoFaults;

impl Faults for NoFaults {
    fn strike(&self, _touch: Touch) -> io::Result<()> {
        Ok(())
    }
}

/// Makes the checksums, the high-water mark and the note of the last stop fit what lies in `dir`, as somebody would who
/// changed it below the store and wants that not to show. Nobody may have the store open.
///
/// For tests of the layers above: what is sealed with a key, or chained, still shows.
pub fn reseal(dir: &Path) -> Result<(), Error> {
    let lock = open::lock(dir)?;
    let db = open::open_or_mend(dir, open::SMALL_CACHE)?;
    let layout = open::layout(&db, dir)?;
    let layout =
        layout.ok_or_else(|| Error::damaged(open::named(dir), "there is nothing in it"))?;
    let counted = TreeChecksum::counted(&db)?;
    let batches = TreeChecksum::stored(&db)?.unwrap_or_default().batches + 1;
    let checksum = TreeChecksum { batches, ..counted };
    db.insert(keys::checksum(), checksum.encode()).map_err(broken)?;
    let sums = KeySums::open(dir, true).and_then(|sums| sums.cut(0));
    sums.map_err(Error::unavailable)?;
    let key_store = KeyStore::open(dir, Some(layout.id), true)?;
    // Where the end of the chain cannot be read, there is no mark that would fit it.
    let tip = read::tip(Reader::new(&db, &key_store))?;
    db.flush().map_err(broken)?;
    open::close(Some(db));
    let marked = MarkFile::open(dir).and_then(|mut file| file.write(&Mark { checksum, tip }));
    marked.map_err(Error::unavailable)?;
    clean_stop::end(dir);
    drop(lock);
    Ok(())
}
