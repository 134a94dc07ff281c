//! `anteroom backup`: everything as it was at one moment, in a directory of its own, while people answer.
//!
//! | in the backup | |
//! |---|---|
//! | `manifest.json` | what there is, when it was taken, size and SHA-256 of every other file |
//! | `manifest.json.sha256` | the digest of that, as `sha256sum` writes it |
//! | `store.dump` | the store ([`crate::store::sled`]) |
//! | `keys` | what the store's records are sealed with, where it seals them |
//! | `artifacts/SESSION/NAME` | files that were sent or made, sealed as they lie in the data directory |
//! | `flows/SHA256` | flows as sessions began them |
//!
//! Whoever has the backup can read all of it, since the keys are in it. What older versions left in clear is sealed before
//! it is copied.
//!
//! It is written beside its place, as `.NAME.partial`, synced, and renamed when it is whole. Files are written once
//! under their digest, so copying them after the dump gives all that the dump names. What is erased meanwhile is
//! noted, and erased again by a restore.

pub(super) mod files;
pub(super) mod manifest;

use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use self::{
    files::{Place, Writing, copied, sync_folder},
    manifest::{FORMAT, Manifest},
};
use super::{
    admin_api::{AdminRequest, PAGE},
    app::{self, Wanted},
    data_access::DataAccess,
    sentence,
    shared_args::Json,
    term,
};
use crate::{
    base::{
        clock::{Clock as _, SystemClock},
        ids::SessionId,
    },
    model::{STORED_VERSION, audit::Sealed},
    store::sled::{Dumped, KEYS_FILE, read_dump},
};

/// `backup`.
#[derive(Debug, Args)]
pub(super) struct Backup {
    /// Backup directory (must not exist).
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Verify an existing backup instead of creating one.
    #[arg(long)]
    verify: bool,
    /// Output.
    #[command(flatten)]
    output: Json,
}

/// Takes a backup, or verifies one.
pub(super) fn backup(wanted: &Wanted, backup: &Backup) -> anyhow::Result<ExitCode> {
    let manifest = if backup.verify {
        manifest::verified(&backup.dir)?
    } else {
        let settings = wanted.settings()?;
        if settings.postgres.is_some() {
            return Err(app::in_database());
        }
        app::block_on(async {
            let reach = DataAccess::find(&settings).await?;
            take(&reach, &settings.data_dir, &backup.dir).await
        })?
    };
    if backup.output.json {
        term::json(&json!({ "backup": backup.dir, "manifest": manifest }))?;
    } else {
        let done = if backup.verify { "is intact" } else { "is complete" };
        let told = manifest.told();
        term::say(format!("The backup `{}` {done}: {told}.", backup.dir.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn take(reach: &DataAccess, data: &Path, target: &Path) -> anyhow::Result<Manifest> {
    let partial = Partial::begin(target)?;
    let progress = term::Progress::start("Backing up");
    let written = written(reach, data, &partial.dir, &progress).await;
    drop(progress);
    let manifest = written.with_context(|| {
        format!("no backup was written to `{}`. hint: free up space there or choose another directory, then try again", target.display())
    })?;
    partial.finish(target)?;
    Ok(manifest)
}

async fn written(
    reach: &DataAccess,
    data: &Path,
    partial: &Path,
    progress: &term::Progress,
) -> anyhow::Result<Manifest> {
    let dump = Place::dump();
    let mut out = BufWriter::new(Writing::create(&partial.join(dump.path()))?);
    let dumped: Dumped = reach.ask_into(AdminRequest::Dump, &mut out).await?;
    let mut kept = vec![out.into_inner().map_err(io::IntoInnerError::into_error)?.finish(&dump)?];
    // What was written is read back: it says which sessions there are, and that it can be read.
    let mut written = BufReader::new(File::open(partial.join(dump.path()))?);
    let contents = read_dump(&mut written, |_, _| Ok(()))?;
    if contents.frames != dumped.frames {
        return Err(sentence("the dump of the database is incomplete. hint: try again"));
    }
    kept.extend(copied(&data.join("store").join(KEYS_FILE), partial, &Place::keys())?);
    for (source, place) in files::of(data, &contents.sessions)? {
        // What is gone was erased since the dump.
        kept.extend(copied(&source, partial, &place)?);
        progress.advance(1);
    }
    let manifest = Manifest {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        taken_at: SystemClock.now(),
        stored_version: STORED_VERSION,
        erased: erased_since(reach, dumped.audit_records).await?,
        store: dumped,
        files: kept,
    };
    manifest.write(partial)?;
    files::sync_folders(partial)?;
    Ok(manifest)
}

/// Sessions that were erased since the dump was taken, by the receipts that it does not hold.
async fn erased_since(reach: &DataAccess, mut from: u64) -> anyhow::Result<Vec<SessionId>> {
    let mut erased = Vec::new();
    loop {
        let page: Vec<Sealed> = reach.ask(AdminRequest::Audit { from }).await?;
        from += page.len() as u64;
        erased.extend(page.iter().filter_map(files::erasure));
        if page.len() < PAGE {
            return Ok(erased);
        }
    }
}

/// A backup that is not finished. Dropping it removes it.
#[derive(Debug)]
struct Partial {
    dir: PathBuf,
    /// Locked, so that nobody takes it for one that was left behind.
    _lock: File,
}

impl Partial {
    /// Begins a backup that is to lie at `target`, where nothing may be.
    fn begin(target: &Path) -> anyhow::Result<Self> {
        if fs::symlink_metadata(target).is_ok() {
            return Err(sentence(format!(
                "`{}` already exists. hint: choose a directory that doesn't exist yet; backups are never overwritten",
                target.display()
            )));
        }
        let dir = beside(target)?;
        for _ in 0..2 {
            match files::create_folder(&dir) {
                Ok(()) => {
                    let lock = File::open(&dir)?;
                    lock.try_lock()?;
                    return Ok(Self { dir, _lock: lock });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    let left = File::open(&dir)?;
                    left.try_lock().map_err(|_| {
                        sentence(format!(
                            "a backup to `{}` is already in progress. hint: wait for it, or choose another directory",
                            target.display()
                        ))
                    })?;
                    // Nobody works on it: it was interrupted.
                    fs::remove_dir_all(&dir)?;
                }
                Err(error) => {
                    return Err(anyhow::Error::new(error).context(format!(
                        "could not create `{}`. hint: its parent directory must exist and be writable",
                        dir.display()
                    )));
                }
            }
        }
        Err(sentence(format!("could not create `{}`. hint: try again", dir.display())))
    }

    /// Puts the backup in its place, which is what makes it one.
    fn finish(self, target: &Path) -> anyhow::Result<()> {
        fs::rename(&self.dir, target)
            .with_context(|| format!("could not rename the backup to `{}`", target.display()))?;
        Ok(sync_folder(files::parent(target))?)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        match fs::remove_dir_all(&self.dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                term::tell(format!("Could not remove `{}`.", self.dir.display()));
            }
            _ => {}
        }
    }
}

/// `.NAME.partial` beside `NAME`.
fn beside(target: &Path) -> anyhow::Result<PathBuf> {
    let name = target.file_name().ok_or_else(|| {
        sentence(format!(
            "`{}` isn't a directory name. hint: choose a directory that doesn't exist yet",
            target.display()
        ))
    })?;
    let mut partial = std::ffi::OsString::from(".");
    partial.push(name);
    partial.push(".partial");
    Ok(files::parent(target).join(partial))
}
