//! What the database says of itself: which version of the layout in `keys` it has. One of an older version gets what it
//! lacks when it is opened.

use std::path::Path;

use sled::Db;

use super::{
    broken, database, index_entries,
    key_store::KeyStoreId,
    keys, read,
    tree_checksum::{self, TreeChecksum},
    write_batch::{Reader, Writes},
};
use crate::store::Error;

/// Version of the layout in `keys`.
pub(super) const LATEST: u8 = 5;

/// An earlier one, in which no session is compact, nor in a list; it is taken as it is and gets lists. In the one after it no
/// session is in a list by its last update, nor in the archive: all are listed, and those at rest moved.
pub(super) const LOOSE: u8 = 3;

/// The one before that, without checksums; it is taken as it is and gets them.
const UNCHECKED: u8 = 2;

/// What the database says of itself.
pub(super) struct Layout {
    version: u8,
    /// Which file of keys it goes with.
    pub(super) id: KeyStoreId,
}

impl Layout {
    /// The layout of a database; `None` if it is new.
    pub(super) fn read(db: &Db, dir: &Path) -> Result<Option<Self>, Error> {
        let layout = db.get(keys::layout()).map_err(broken)?;
        layout.map(|layout| Self::decode(&layout, dir)).transpose()
    }

    /// The layout as it is written, for the database in `dir`.
    pub(super) fn decode(layout: &[u8], dir: &Path) -> Result<Self, Error> {
        let what = || database::named(dir);
        match layout.split_first() {
            Some((&version @ UNCHECKED..=LATEST, id)) => match KeyStoreId::try_from(id) {
                Ok(id) => Ok(Self { version, id }),
                Err(_) => Err(Error::damaged(what(), "it does not say which keys it goes with")),
            },
            Some((&version, _)) if version > LATEST => {
                Err(Error::foreign(what(), format_args!("layout {version}")))
            }
            _ => Err(Error::outdated(what(), UNCHECKED)),
        }
    }

    /// Whether it has checksums.
    pub(super) const fn is_checked(&self) -> bool {
        self.version != UNCHECKED
    }
}

/// Gives a database its layout and the checksum of what it holds.
pub(super) fn begin(db: &Db, layout: u8, id: KeyStoreId) -> Result<(), Error> {
    let mut checksum = TreeChecksum::counted(db)?;
    let entry = [&[layout], &id[..]].concat();
    tree_checksum::apply(db, &mut checksum, &Writes::from([(keys::layout(), Some(entry))]))?;
    db.flush().map_err(broken)?;
    Ok(())
}

/// Gives a store of an older layout what it lacks, and says that an older program may not be able to read it.
pub(super) fn raise(reader: Reader<'_>, checksum: &mut TreeChecksum) -> Result<(), Error> {
    let (tree, id) = (reader.tree, reader.key_store.id());
    let entry = [&[LATEST], &id[..]].concat();
    if tree.get(keys::layout()).map_err(broken)?.as_deref() == Some(&entry) {
        return Ok(());
    }
    list_sessions(reader, checksum)?;
    tree_checksum::apply(tree, checksum, &Writes::from([(keys::layout(), Some(entry))]))
}

/// Sessions that are listed in one go.
const PAGE: usize = 256;

/// Puts the sessions of a store that lacked lists into those that they belong to, and has all of them made compact. Again:
/// changes nothing.
fn list_sessions(reader: Reader<'_>, checksum: &mut TreeChecksum) -> Result<(), Error> {
    let mut after = None;
    loop {
        let heads = read::sessions(reader, after, PAGE)?;
        let Some(last) = heads.last() else { return Ok(()) };
        after = Some(last.id);
        let loose = heads.iter().map(|head| keys::loose(head.id));
        let entries = heads.iter().flat_map(index_entries::in_lists).chain(loose);
        let writes = entries.map(|entry| (entry, Some(Vec::new()))).collect();
        tree_checksum::apply(reader.tree, checksum, &writes)?;
    }
}
