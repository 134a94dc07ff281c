//! `anteroom restore`: a backup becomes a data directory, whole or not at all.
//!
//! Every byte of the backup is verified first. The data is put together in `restoring` inside the data directory, the
//! store is built afresh, every session is read and the audit chain walked to the end that the manifest names. Only
//! then it is moved to where a bot looks, the store last. While `restoring` is there no bot starts; a restore that was
//! interrupted is begun again by the next one.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;

use super::{
    app::{self, Home, RESTORE_SITE, Wanted},
    audit::is_attempt,
    backup::{
        files::{self, Place, copied, create_folder, sync_folder},
        manifest::{self, Manifest},
    },
    data_access::DataAccess,
    sentence,
    shared_args::Json,
    term,
};
use crate::{
    base::ids::SessionId,
    config::Settings,
    engine,
    model::audit::{CHAIN_START, Sealed},
    store::sled::SledStore,
};

/// Where a repair keeps the events of damaged conversations.
pub(super) const PARTIAL: &str = "partial";

/// What a restore or a repair makes, in the order in which it is moved.
const MADE: [&str; 4] = ["artifacts", "flows", PARTIAL, "store"];

/// `restore`.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// The backup directory.
    #[arg(value_name = "DIR")]
    backup: PathBuf,
    /// Erase again what this file lists: the output of `anteroom audit export`, or one session id per line.
    #[arg(long, value_name = "FILE")]
    erased: Option<PathBuf>,
    /// Output.
    #[command(flatten)]
    output: Json,
}

/// What came of it.
#[derive(Debug, Serialize)]
struct Restored {
    sessions: usize,
    audit_records: u64,
    files: usize,
    /// Sessions that this program cannot read, and why; they are there, and nobody else is kept from going on.
    unreadable: Vec<String>,
    /// Sessions that were erased again.
    erased: Vec<SessionId>,
}

/// Restores a backup into an empty data directory.
pub(super) fn restore(wanted: &Wanted, restore: &Restore) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    if settings.postgres.is_some() {
        return Err(app::in_database());
    }
    let mut forget = match &restore.erased {
        Some(file) => erasures(file)?,
        None => BTreeSet::new(),
    };
    let manifest = manifest::verified(&restore.backup)?;
    forget.extend(&manifest.erased);
    let site = Site::begin(&settings.data_dir)?;
    let progress = term::Progress::start("Restoring");
    let restored =
        app::block_on(rebuilt(&settings, &site.dir, &restore.backup, &manifest, &forget));
    drop(progress);
    let restored = restored.with_context(|| {
        format!("could not restore from `{}`; nothing was changed", restore.backup.display())
    })?;
    site.finish()?;
    tell(&settings.data_dir, &manifest, &restored, restore)?;
    Ok(ExitCode::SUCCESS)
}

fn tell(
    data: &Path,
    manifest: &Manifest,
    restored: &Restored,
    restore: &Restore,
) -> anyhow::Result<()> {
    for why in &restored.unreadable {
        term::tell(format!("warning: {why}"));
    }
    if restore.erased.is_none() {
        term::tell(format!(
            "warning: sessions erased after {} have been restored\nhint: erase them again with `anteroom erase`, or restore \
             with `--erased FILE`, where FILE is the output of `anteroom audit export` for the lost data",
            manifest.taken_at.format("%Y-%m-%d %H:%M:%S UTC")
        ));
    }
    if restore.output.json {
        return Ok(term::json(restored)?);
    }
    Ok(term::say(format!(
        "Restored {}, {} and {} into `{}`; {} erased again. The audit log is intact.",
        term::count(restored.sessions, "session"),
        term::count(restored.audit_records, "audit record"),
        term::count(restored.files, "file"),
        data.display(),
        restored.erased.len(),
    ))?)
}

/// The sessions that a file names: ids, or audit records as `anteroom audit export` writes them, one a line.
fn erasures(file: &Path) -> anyhow::Result<BTreeSet<SessionId>> {
    let unread = || format!("could not read `{}`", file.display());
    let mut sessions = BTreeSet::new();
    let lines = BufReader::new(File::open(file).with_context(unread)?).lines();
    for (number, line) in lines.enumerate() {
        let line = line.with_context(unread)?;
        if line.trim().is_empty() {
            continue;
        }
        if let Ok(session) = line.trim().parse() {
            sessions.insert(session);
        } else if let Ok(sealed) = serde_json::from_str::<Sealed>(&line) {
            sessions.extend(files::erasure(&sealed));
        } else if !is_attempt(&line) {
            return Err(sentence(format!(
                "line {} of `{}` is neither a session id nor an audit record. hint: use the output of `anteroom audit \
                 export`, or one session id per line",
                number + 1,
                file.display()
            )));
        }
    }
    Ok(sessions)
}

/// Puts everything together at `site` and proves it.
async fn rebuilt(
    settings: &Settings,
    site: &Path,
    backup: &Path,
    manifest: &Manifest,
    forget: &BTreeSet<SessionId>,
) -> anyhow::Result<Restored> {
    let store = site.join("store");
    create_folder(&store)?;
    for kept in &manifest.files {
        // Verified before, and named by nothing but ids and digests.
        let Some(place) = Place::named(&kept.path) else { continue };
        if place == Place::dump() {
            continue;
        }
        let root = if place == Place::keys() { &store } else { site };
        if copied(&backup.join(place.path()), root, &place)?.as_ref() != Some(kept) {
            return Err(sentence(format!("`{}` changed while it was being read", kept.path)));
        }
    }
    let mut dump = BufReader::new(File::open(backup.join(Place::dump().path()))?);
    let contents = SledStore::build(&store, &mut dump)?;
    let settings = Settings { data_dir: site.to_owned(), postgres: None, ..settings.clone() };
    let home = Home::at_rest(&settings, app::open_for_command(&settings)?);
    let reach = DataAccess::Here(Box::new(home.clone()));
    let audit_records = proved(&reach, manifest).await?;
    let mut unreadable = Vec::new();
    for session in contents.sessions.iter().filter(|session| !forget.contains(session)) {
        if let Err(error) = readable(&home, *session).await {
            unreadable.push(format!("could not read session `{session}`: {error}"));
        }
    }
    let erased: Vec<SessionId> = contents.sessions.intersection(forget).copied().collect();
    for session in &erased {
        home.engine.order_erasure(*session, engine::erasure::RESTORE).await?;
    }
    let sent = manifest.files.iter().filter(|kept| kept.path.starts_with("artifacts/")).count();
    Ok(Restored {
        sessions: contents.sessions.len() - erased.len(),
        audit_records,
        files: sent,
        unreadable,
        erased,
    })
}

/// The chain holds from its start to the end that the manifest names; gives how many records it has.
async fn proved(reach: &DataAccess, manifest: &Manifest) -> anyhow::Result<u64> {
    let (mut next, mut previous) = (0, CHAIN_START.to_owned());
    reach
        .each_audit_page(|page| {
            for sealed in page {
                if !sealed.holds(next, &previous) {
                    return Err(sentence(format!(
                        "audit record {next} has been altered. hint: use another backup"
                    )));
                }
                next += 1;
                previous = sealed.seal;
            }
            Ok(())
        })
        .await?;
    if next == manifest.store.audit_records && previous == manifest.store.seal {
        return Ok(next);
    }
    Err(sentence("the audit log doesn't end where the backup says. hint: use another backup"))
}

/// Reads a session with its events, its flow and its waits.
async fn readable(home: &Home, session: SessionId) -> Result<(), engine::Error> {
    let view = home.engine.view(session).await?;
    let waits = view.state.waits.keys().copied().collect();
    let mut waits = home.engine.parts().store.waits(waits).await.into_iter();
    Ok(waits.try_for_each(|wait| wait.map(drop))?)
}

/// A data directory that is being made. Dropping it unfinished removes what was made.
#[derive(Debug)]
pub(super) struct Site {
    data: PathBuf,
    /// Where it is put together.
    pub(super) dir: PathBuf,
    /// Locked, so that nobody else takes it for one that was interrupted.
    _lock: File,
    is_finished: bool,
}

impl Site {
    pub(super) fn begin(data: &Path) -> anyhow::Result<Self> {
        let dir = data.join(RESTORE_SITE);
        match create_folder(data) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(anyhow::Error::new(error).context(format!(
                    "could not create `{}`. hint: its parent directory must exist and be writable",
                    data.display()
                )));
            }
            _ => {}
        }
        if dir.is_dir() {
            let left = File::open(&dir)?;
            left.try_lock().map_err(|_| {
                sentence(format!(
                    "a restore or repair into `{}` is already in progress. hint: wait for it",
                    data.display()
                ))
            })?;
            // It was begun where nothing was, and no bot has started since: all of this is its own.
            remove_made(data, &dir)?;
        }
        if let Some(found) = fs::read_dir(data)?.next() {
            let found = found?.file_name();
            return Err(sentence(format!(
                "`{}` is not empty (it contains `{}`). hint: choose a new directory with `--data DIR`, or stop the bot and \
                 move this one away; a restore never overwrites",
                data.display(),
                found.to_string_lossy()
            )));
        }
        create_folder(&dir)?;
        sync_folder(data)?;
        let lock = File::open(&dir)?;
        lock.try_lock()?;
        Ok(Self { data: data.to_owned(), dir, _lock: lock, is_finished: false })
    }

    /// Moves everything to where a bot looks.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        files::sync_folders(&self.dir)?;
        for name in MADE.iter().filter(|name| self.dir.join(name).exists()) {
            fs::rename(self.dir.join(name), self.data.join(name))
                .with_context(|| format!("could not move `{name}` into place"))?;
        }
        sync_folder(&self.data)?;
        fs::remove_dir_all(&self.dir)?;
        sync_folder(&self.data)?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if !self.is_finished && remove_made(&self.data, &self.dir).is_err() {
            term::tell(format!("Could not remove `{}`; the next try will.", self.dir.display()));
        }
    }
}

/// Removes what a restore or a repair has made; the sign that there was one goes last.
fn remove_made(data: &Path, site: &Path) -> io::Result<()> {
    for folder in MADE.iter().map(|name| data.join(name)).chain([site.to_owned()]) {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Most exports hold records of `next_phase`, which stand there flat.
    #[test]
    fn an_export_in_which_a_phase_ended_names_who_was_erased() {
        let gone = "ses_0000000000000000000000000000dead";
        let phase = json!({
            "event": "phase_advance_attempt", "timestamp": "2026-11-02T10:00:00Z", "session": gone,
            "phase": "phase_1", "reason": null, "index": 0, "salt": "salt", "words_sha256": "",
            "previous": CHAIN_START, "seal": CHAIN_START, "erased": true,
        });
        let record = serde_json::from_value(json!({
            "event": "session_erased", "timestamp": "2026-11-02T11:00:00Z", "session": gone,
            "facts": {}, "words": {},
        }));
        let erased = Sealed::seal(1, CHAIN_START, record.unwrap(), "salt".to_owned());
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("audit.jsonl");
        fs::write(&file, format!("{phase}\n{}\n", json!(erased))).unwrap();
        assert_eq!(erasures(&file).unwrap(), BTreeSet::from([gone.parse().unwrap()]));
    }
}
