//! The files of a backup: where they may lie, how they are copied, and their digests.

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read as _, Write},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    base::ids::SessionId,
    model::audit::{Sealed, hex},
};

/// Bytes that are copied at a time.
const BLOCK: usize = 64 * 1024;

/// Where a file lies in a backup: a path that is made of nothing but ids and digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ops) struct Place(String);

impl Place {
    /// The store's dump.
    pub(in crate::ops) fn dump() -> Self {
        Self("store.dump".to_owned())
    }

    /// The store's file of keys.
    pub(in crate::ops) fn keys() -> Self {
        Self("keys".to_owned())
    }

    /// What a manifest names; `None` for what no backup has, above all for what would lead out of it.
    pub(in crate::ops) fn named(path: &str) -> Option<Self> {
        let is_known = match path.split('/').collect::<Vec<_>>()[..] {
            ["store.dump" | "keys"] => true,
            ["flows", digest] => is_digest(digest),
            ["artifacts", session, digest] => {
                session.parse::<SessionId>().is_ok() && is_digest(digest)
            }
            _ => false,
        };
        is_known.then(|| Self(path.to_owned()))
    }

    /// The path within the backup.
    pub(in crate::ops) fn path(&self) -> &str {
        &self.0
    }
}

fn is_digest(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A file of a backup, as the manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::ops) struct Kept {
    /// Where it lies, with slashes.
    pub(in crate::ops) path: String,
    /// Its size.
    pub(in crate::ops) bytes: u64,
    /// Its digest, in hex.
    pub(in crate::ops) sha256: String,
}

/// Every flow under `data`, and what was sent in these sessions, by where it goes in a backup. Unfinished files have
/// other names.
pub(super) fn of(data: &Path, sessions: &BTreeSet<SessionId>) -> io::Result<Vec<(PathBuf, Place)>> {
    let mut folders = vec!["flows".to_owned()];
    folders.extend(sessions.iter().map(|session| format!("artifacts/{session}")));
    let mut found = Vec::new();
    for folder in folders {
        let entries = match fs::read_dir(data.join(&folder)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            found.extend(Place::named(&path).map(|place| (entry.path(), place)));
        }
    }
    found.sort_by(|(_, one), (_, other)| one.0.cmp(&other.0));
    Ok(found)
}

/// Copies a file to its place under `root`, synced; `None` if it is gone.
pub(in crate::ops) fn copied(
    source: &Path,
    root: &Path,
    place: &Place,
) -> anyhow::Result<Option<Kept>> {
    let mut from = match File::open(source) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        from => from.with_context(|| format!("could not read `{}`", source.display()))?,
    };
    let target = root.join(place.path());
    create_folders(root, place)?;
    let mut to = Writing::create(&target)?;
    io::copy(&mut from, &mut to)
        .with_context(|| format!("could not write `{}`", target.display()))?;
    Ok(Some(to.finish(place)?))
}

fn create_folders(root: &Path, place: &Place) -> io::Result<()> {
    let mut folder = root.to_owned();
    let parts: Vec<&str> = place.path().split('/').collect();
    for part in &parts[..parts.len() - 1] {
        folder.push(part);
        match create_folder(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A file that is being written, for its owner's eyes alone, and digested on the way.
#[derive(Debug)]
pub(super) struct Writing {
    file: File,
    digest: Sha256,
    bytes: u64,
}

impl Writing {
    pub(super) fn create(path: &Path) -> anyhow::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        let file = file.with_context(|| format!("could not create `{}`", path.display()))?;
        Ok(Self { file, digest: Sha256::new(), bytes: 0 })
    }

    /// Puts the file on the device; what a manifest says of it.
    pub(super) fn finish(self, place: &Place) -> io::Result<Kept> {
        self.file.sync_all()?;
        let sha256 = hex(&self.digest.finalize());
        Ok(Kept { path: place.path().to_owned(), bytes: self.bytes, sha256 })
    }
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.digest.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Size and digest of a file.
pub(super) fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut block = vec![0; BLOCK];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut block)?;
        if read == 0 {
            return Ok((bytes, hex(&digest.finalize())));
        }
        digest.update(&block[..read]);
        bytes += read as u64;
    }
}

/// The session whose erasure a record is the receipt of.
pub(in crate::ops) fn erasure(sealed: &Sealed) -> Option<SessionId> {
    sealed.record.session.filter(|_| sealed.record.event == "session_erased")
}

/// Makes a folder for its owner's eyes alone.
pub(in crate::ops) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Puts the names of all files under `root` on the device.
pub(in crate::ops) fn sync_folders(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    sync_folder(root)
}

pub(in crate::ops) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// The folder that a path lies in.
pub(in crate::ops) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_cannot_lead_out_of_its_backup() {
        let digest = "a".repeat(64);
        let session = format!("ses_{}", "0".repeat(32));
        for path in
            ["store.dump", &format!("flows/{digest}"), &format!("artifacts/{session}/{digest}")]
        {
            assert!(Place::named(path).is_some(), "{path}");
        }
        for path in [
            "../store.dump",
            "/etc/passwd",
            "flows/../../x",
            &format!("flows/{digest}/x"),
            &format!("artifacts/../{digest}"),
            "artifacts",
            "",
        ] {
            assert!(Place::named(path).is_none(), "{path}");
        }
    }
}
