//! The database of a store that is closed, without the store around it.

use std::{fs, path::Path, thread};

/// Opens it with the segments that it has. The threads of a store that was closed just now let go of it a moment later.
pub(crate) fn open(dir: &Path) -> sled::Db {
    let conf = fs::read(dir.join("conf")).unwrap();
    let conf = String::from_utf8_lossy(&conf);
    let segment = conf.lines().find_map(|line| line.strip_prefix("segment_size: "));
    let config = sled::Config::new().path(dir).segment_size(segment.unwrap().parse().unwrap());
    for _ in 0..100 {
        match config.open() {
            Ok(db) => return db,
            Err(_) => thread::yield_now(),
        }
    }
    config.open().unwrap()
}
