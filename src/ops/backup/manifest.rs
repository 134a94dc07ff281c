//! What a backup says about itself, and whether that is true.

use std::{fs, io, path::Path};

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::files::{self, Kept, Place, Writing};
use crate::{
    base::ids::SessionId,
    model::audit,
    ops::{sentence, term},
    store::sled::{Dumped, read_dump},
};

/// Version of the form of a backup.
pub(super) const FORMAT: u32 = 1;

const NAME: &str = "manifest.json";
const SEAL: &str = "manifest.json.sha256";

/// What a backup says about itself.
///
/// ```json
/// { "format": 1, "program": "0.1.0", "taken_at": "…", "stored_version": 2,
///   "store": { "frames": 812, "sessions": 3, "audit_records": 40, "seal": "…", "longest_wait_us": 900 },
///   "erased": [], "files": [ { "path": "store.dump", "bytes": 81234, "sha256": "…" } ] }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::ops) struct Manifest {
    /// Version of this form.
    pub(in crate::ops) format: u32,
    /// Version of the program that took it.
    pub(in crate::ops) program: String,
    /// When it was finished.
    pub(in crate::ops) taken_at: DateTime<Utc>,
    /// Highest version of a record that this program writes.
    pub(in crate::ops) stored_version: u32,
    /// The store.
    pub(in crate::ops) store: Dumped,
    /// Sessions in it that were erased before the backup was finished; a restore erases them again.
    pub(in crate::ops) erased: Vec<SessionId>,
    /// Every other file.
    pub(in crate::ops) files: Vec<Kept>,
}

impl Manifest {
    /// Writes it into `dir`, last of all.
    pub(super) fn write(&self, dir: &Path) -> anyhow::Result<()> {
        let text = format!("{}\n", serde_json::to_string_pretty(self)?);
        for (name, content) in [(NAME, text.as_str()), (SEAL, &seal(text.as_bytes()))] {
            let mut file = Writing::create(&dir.join(name))?;
            io::Write::write_all(&mut file, content.as_bytes())?;
            file.finish(&Place::dump())?;
        }
        Ok(())
    }

    /// Reads it from `dir`; the files are another matter.
    fn read(dir: &Path) -> anyhow::Result<Self> {
        let shown = dir.display();
        let read = |name| match fs::read(dir.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(sentence(format!(
                "`{shown}` is not a complete backup (`{name}` is missing). hint: choose a directory written by `anteroom backup`"
            ))),
            other => other.with_context(|| format!("could not read `{name}` in `{shown}`")),
        };
        let (text, sealed) = (read(NAME)?, read(SEAL)?);
        if sealed != seal(&text).as_bytes() {
            return Err(damaged(dir, NAME));
        }
        let format = serde_json::from_slice::<serde_json::Value>(&text)
            .ok()
            .and_then(|value| value.get("format")?.as_u64());
        match format {
            Some(format) if format > u64::from(FORMAT) => Err(sentence(format!(
                "`{shown}` has format {format}; this version reads up to {FORMAT}. hint: use the newer version of anteroom"
            ))),
            Some(_) => serde_json::from_slice(&text).map_err(|_| damaged(dir, NAME)),
            None => Err(damaged(dir, NAME)),
        }
    }

    /// Reads it and looks at every file: that it is there, of this size, with this digest.
    fn checked(dir: &Path) -> anyhow::Result<Self> {
        let manifest = Self::read(dir)?;
        let progress = term::Progress::start("Verifying");
        for kept in &manifest.files {
            if Place::named(&kept.path).is_none() {
                return Err(damaged(dir, NAME));
            }
            let found = match files::digest(&dir.join(&kept.path)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(sentence(format!(
                        "`{}` is not a complete backup (`{}` is missing). hint: use another backup",
                        dir.display(),
                        kept.path
                    )));
                }
                found => found.with_context(|| format!("could not read `{}`", kept.path))?,
            };
            if found != (kept.bytes, kept.sha256.clone()) {
                return Err(damaged(dir, &kept.path));
            }
            progress.advance(1);
        }
        Ok(manifest)
    }

    /// What is in it, for people.
    pub(in crate::ops) fn told(&self) -> String {
        let files = self.files.iter().filter(|kept| kept.path.starts_with("artifacts/")).count();
        let bytes: u64 = self.files.iter().map(|kept| kept.bytes).sum();
        format!(
            "{}, {}, {}, {} kB, taken {}",
            term::count(self.store.sessions, "session"),
            term::count(self.store.audit_records, "audit record"),
            term::count(files, "file"),
            bytes.div_ceil(1000),
            self.taken_at.format("%Y-%m-%d %H:%M:%S UTC")
        )
    }
}

/// The manifest of the backup in `dir`, once every byte is proved to be as it was written.
pub(in crate::ops) fn verified(dir: &Path) -> anyhow::Result<Manifest> {
    let manifest = Manifest::checked(dir)?;
    let mut dump = io::BufReader::new(fs::File::open(dir.join(Place::dump().path()))?);
    let contents = read_dump(&mut dump, |_, _| Ok(()))?;
    if contents.frames != manifest.store.frames
        || contents.sessions.len() as u64 != manifest.store.sessions
    {
        return Err(damaged(dir, Place::dump().path()));
    }
    Ok(manifest)
}

fn damaged(dir: &Path, file: &str) -> anyhow::Error {
    sentence(format!(
        "`{file}` in `{}` is corrupted (checksum mismatch). hint: use another backup",
        dir.display()
    ))
}

/// As `sha256sum manifest.json` prints it.
fn seal(text: &[u8]) -> String {
    format!("{}  {NAME}\n", audit::sha256(text))
}
