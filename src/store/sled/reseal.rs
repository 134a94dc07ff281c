//! What somebody leaves who changes entries below the store and knows of its checksums.

use std::path::Path;

use super::{
    broken, clean_stop, database,
    key_store::{KeyStore, sums::KeySums},
    keys,
    layout::Layout,
    open, read,
    tree_checksum::TreeChecksum,
    watermark::{Mark, MarkFile},
    write_batch::Reader,
};
use crate::store::Error;

/// Makes the checksums, the high-water mark and the note of the last stop fit what lies in `dir`, as somebody would who
/// changed it below the store and wants that not to show. Nobody may have the store open.
///
/// For tests of the layers above: what is sealed with a key, or chained, still shows.
pub fn reseal(dir: &Path) -> Result<(), Error> {
    let lock = open::lock(dir)?;
    let db = database::open_or_mend(dir, database::SMALL_CACHE)?;
    let layout = Layout::read(&db, dir)?;
    let layout =
        layout.ok_or_else(|| Error::damaged(database::named(dir), "there is nothing in it"))?;
    let counted = TreeChecksum::counted(&db)?;
    let batches = TreeChecksum::stored(&db)?.unwrap_or_default().batches + 1;
    let checksum = TreeChecksum { batches, ..counted };
    db.insert(keys::checksum(), checksum.encode()).map_err(broken)?;
    let sums = KeySums::open(dir, true).and_then(|sums| sums.cut(0));
    sums.map_err(Error::unavailable)?;
    let key_store = KeyStore::open(dir, Some(layout.id), true)?;
    // Where the end of the chain cannot be read, there is no mark that would fit it.
    let tip = read::tip(Reader::new(&db, &key_store, None))?;
    db.flush().map_err(broken)?;
    database::close(Some(db));
    let marked = MarkFile::open(dir).and_then(|mut file| file.write(&Mark { checksum, tip }));
    marked.map_err(Error::unavailable)?;
    clean_stop::end(dir);
    drop(lock);
    Ok(())
}
