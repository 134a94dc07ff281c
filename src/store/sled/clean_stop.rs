//! What a clean stop leaves behind: the checksums of all files of the store, so that the next start can tell at the speed
//! of the disk that nothing has changed since.
//!
//! `clean-stop` is one line of JSON, then its CRC-32 in hexadecimal. A start removes it before it opens the database, so
//! that it is there only while the files lie still.
//!
//! ```json
//! { "files": [ { "name": "db", "bytes": 524288, "sums": [ 305419896 ] } ] }
//! ```

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::{
    disk,
    key_store::{KEYS_FILE, sums::SUMS_FILE},
    watermark::MARK_FILE,
};

/// The file's name in the store's directory.
const CLEAN_STOP: &str = "clean-stop";

/// Bytes that share a checksum.
const BLOCK: usize = 1024 * 1024;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stopped {
    files: Vec<Summed>,
}

/// A file and the CRC-32 of each of its blocks.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Summed {
    name: String,
    bytes: u64,
    sums: Vec<u32>,
}

/// What the files say of the last stop.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It was clean, and nothing has changed since.
    Same,
    /// It was clean, and this has changed since: names of files, with the first block that differs.
    Changed(Vec<String>),
    /// It was not clean, or nobody can tell.
    Unknown,
}

/// Compares the files in `dir` with what the last stop left. Changes nothing.
pub(super) fn compare(dir: &Path) -> io::Result<Found> {
    let text = match fs::read_to_string(dir.join(CLEAN_STOP)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Unknown),
        // A changed bit may have made it something else than text.
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(Found::Unknown),
        Err(error) => return Err(error),
    };
    let Some(stopped) = decode(&text) else { return Ok(Found::Unknown) };
    let now = summed(dir)?;
    if now == stopped {
        return Ok(Found::Same);
    }
    let mut changed = Vec::new();
    for before in &stopped.files {
        match now.files.iter().find(|now| now.name == before.name) {
            Some(now) if now == before => {}
            Some(now) => changed.push(difference(before, now)),
            None => changed.push(format!("`{}` is missing", before.name)),
        }
    }
    let is_new = |now: &&Summed| stopped.files.iter().all(|before| before.name != now.name);
    changed.extend(now.files.iter().filter(is_new).map(|now| format!("`{}` is new", now.name)));
    Ok(Found::Changed(changed))
}

fn difference(before: &Summed, now: &Summed) -> String {
    let name = &now.name;
    if before.bytes != now.bytes {
        return format!("`{name}` has {} bytes, not {}", now.bytes, before.bytes);
    }
    let block = before.sums.iter().zip(&now.sums).position(|(before, now)| before != now);
    format!("`{name}` has changed in its MiB {}", block.unwrap_or_default())
}

/// Takes the note of the last stop away: from now on the files change.
pub(super) fn begin(dir: &Path) -> io::Result<()> {
    match fs::remove_file(dir.join(CLEAN_STOP)) {
        Ok(()) => File::open(dir)?.sync_all(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Notes a clean stop, once nobody has the database open any more. Where that fails, the next start reads everything.
pub(super) fn end(dir: &Path) {
    let noted = settled(dir).and_then(|()| {
        let stopped = summed(dir)?;
        let text = serde_json::to_string(&stopped)?;
        let text = format!("{text}\n{:08x}\n", crc32fast::hash(text.as_bytes()));
        let path = dir.join(CLEAN_STOP);
        fs::write(&path, text)?;
        File::open(&path)?.sync_all()?;
        File::open(dir)?.sync_all()
    });
    if let Err(error) = noted {
        tracing::debug!(%error, "a clean stop could not be noted; the next start takes longer");
    }
}

/// Waits until sled has let go of its files.
pub(super) fn settled(dir: &Path) -> io::Result<()> {
    Ok(disk::lock_within(&File::open(dir.join("db"))?, disk::SLED_LOCK)?)
}

fn decode(text: &str) -> Option<Stopped> {
    let (json, sum) = text.strip_suffix('\n')?.split_once('\n')?;
    let is_whole = u32::from_str_radix(sum, 16) == Ok(crc32fast::hash(json.as_bytes()));
    is_whole.then(|| serde_json::from_str(json).ok())?
}

/// The checksums of the files that opening reads.
fn summed(dir: &Path) -> io::Result<Stopped> {
    let mut names = vec![KEYS_FILE.to_owned(), SUMS_FILE.to_owned(), MARK_FILE.to_owned()];
    names.extend(of_the_database(dir)?);
    names.sort();
    let sum = |name: String| {
        let mut file = File::open(dir.join(&name))?;
        let (mut bytes, mut sums) = (0, Vec::new());
        let mut block = vec![0; BLOCK];
        loop {
            let mut read = 0;
            while read < BLOCK {
                match file.read(&mut block[read..])? {
                    0 => break,
                    more => read += more,
                }
            }
            if read == 0 {
                return Ok(Summed { name, bytes, sums });
            }
            bytes += read as u64;
            sums.push(crc32fast::hash(&block[..read]));
        }
    };
    let present = names.into_iter().filter(|name| dir.join(name).exists());
    Ok(Stopped { files: present.map(sum).collect::<io::Result<_>>()? })
}

/// The names of sled's own files in `dir`.
pub(super) fn of_the_database(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name == "db" || name == "conf" || name.starts_with("snap.") {
            names.push(name);
        }
    }
    match fs::read_dir(dir.join("blobs")) {
        Ok(blobs) => {
            for blob in blobs {
                names.push(format!("blobs/{}", blob?.file_name().to_string_lossy()));
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    Ok(names)
}
