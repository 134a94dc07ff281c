//! `anteroom repair --to DIR`: what verifies of a damaged data directory, in a new one.
//!
//! Whole conversations go over with their files. Of one that is damaged, the events that can be read are written to
//! `DIR/partial/SESSION.json`; it does not go on. The damaged directory is not changed. As with a restore, no bot starts
//! on the new one before all of it is there.

use std::{
    fs,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use serde::Serialize;

use super::{
    app::{self, Home, RESTORE_SITE, Wanted},
    backup::files::{create_folder, sync_folder},
    data_access::{holds_data, no_data},
    restore::{PARTIAL, Site},
    scrub::tell_damage,
    sentence,
    shared_args::Json,
    term,
};
use crate::{
    base::ids::SessionId,
    config::Settings,
    engine::scrub::Scrubbed,
    store::{
        sled::{self, Repaired, Salvaged},
        unreadable::Unreadable,
    },
};

/// `repair`.
#[derive(Debug, Args)]
pub(super) struct Repair {
    /// The new data directory (must not exist). The damaged one isn't changed.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Output.
    #[command(flatten)]
    output: Json,
}

/// What became of one conversation.
#[derive(Debug, Serialize)]
struct Outcome {
    session: SessionId,
    /// It goes on in the new directory.
    whole: bool,
    /// Events that could be read, from the first on.
    events: usize,
    /// How many there were, where anything still tells.
    of: Option<u64>,
}

/// Takes what can be read to a new data directory.
pub(super) fn repair(wanted: &Wanted, repair: &Repair) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    if settings.postgres.is_some() {
        return Err(app::in_database());
    }
    let (from, to) = (&settings.data_dir, &repair.to);
    if !holds_data(from)? {
        return Err(no_data(from));
    }
    let is_left_unfinished = to.join(RESTORE_SITE).is_dir();
    if fs::symlink_metadata(to).is_ok() && !is_left_unfinished {
        return Err(sentence(format!(
            "`{}` already exists. hint: choose a directory that doesn't exist yet",
            to.display()
        )));
    }
    let site = Site::begin(to)?;
    let recovered = recovered(&settings, from, &site.dir).and_then(|recovered| {
        site.finish()?;
        Ok(recovered)
    });
    if recovered.is_err() {
        // It is empty now, or what could not be removed has been named.
        drop(fs::remove_dir(to));
    }
    let (Repaired { conversations, expected, is_cut }, damage) = recovered?;
    let last = conversations.iter().filter_map(|one| one.events.last()).map(|event| event.at).max();
    let cut_at = last.filter(|_| is_cut);
    let outcomes: Vec<Outcome> = conversations.iter().map(outcome).collect();
    if repair.output.json {
        let all = serde_json::json!({
            "conversations": outcomes, "of": expected, "cutAt": cut_at, "damage": damage,
        });
        term::json(&all)?;
    } else {
        tell(&outcomes, expected, to)?;
        if let Some(at) = cut_at {
            term::tell(format!(
                "warning: the end of the database is missing. Conversations are as of {} or earlier; everything after that \
                 is lost",
                at.format("%Y-%m-%d %H:%M:%S UTC")
            ));
        }
        term::tell(
            "hint: start the bot with `--data DIR`, and keep the damaged directory until you no longer need it",
        );
    }
    // What could not be read in the old directory is no failure here; what is damaged in the new one was named.
    let _: ExitCode = tell_damage(&damage);
    Ok(ExitCode::SUCCESS)
}

/// Copies what can be read, opens it and reads it again.
fn recovered(
    settings: &Settings,
    from: &Path,
    to: &Path,
) -> anyhow::Result<(Repaired, Vec<Unreadable>)> {
    let progress = term::Progress::start("Recovering");
    let repaired = sled::repair(&from.join("store"), &to.join("store"))?;
    for name in ["artifacts", "flows"] {
        copy_tree(&from.join(name), &to.join(name))?;
    }
    for one in repaired.conversations.iter().filter(|one| !one.is_whole()) {
        keep_partial(to, one)?;
    }
    drop(progress);
    let damage = verified(settings, to)?;
    Ok((repaired, damage))
}

fn outcome(salvaged: &Salvaged) -> Outcome {
    let Salvaged { session, events, expected } = salvaged;
    Outcome { session: *session, whole: salvaged.is_whole(), events: events.len(), of: *expected }
}

fn tell(outcomes: &[Outcome], expected: Option<u64>, to: &Path) -> anyhow::Result<()> {
    for Outcome { session, whole, events, of } in outcomes {
        let of = of.map_or_else(|| "an unknown number".to_owned(), |of| of.to_string());
        term::say(if *whole {
            format!("{session}  intact, {}", term::count(*events, "event"))
        } else {
            format!("{session}  damaged, readable up to event {events} of {of}")
        })?;
    }
    let whole = outcomes.iter().filter(|outcome| outcome.whole).count();
    let found = outcomes.len() as u64;
    let all = expected.map_or(found, |expected| expected.max(found));
    term::say(format!("Recovered {whole} of {all} conversations into `{}`.", to.display()))?;
    if whole < outcomes.len() {
        let partial = to.join(PARTIAL);
        term::say(format!(
            "The readable part of {} more is in `{}`.",
            outcomes.len() - whole,
            partial.display()
        ))?;
    }
    if all > found {
        term::say(format!("Nothing could be recovered of {}.", all - found))?;
    }
    Ok(())
}

/// Writes the events of a damaged conversation, for its owner's eyes alone.
fn keep_partial(to: &Path, one: &Salvaged) -> anyhow::Result<()> {
    let folder = to.join(PARTIAL);
    if !folder.is_dir() {
        create_folder(&folder)?;
    }
    let path = folder.join(format!("{}.json", one.session));
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    serde_json::to_writer_pretty(&file, &one.events)?;
    Ok(file.sync_all()?)
}

/// Copies the files of a folder and of those in it; links are left.
fn copy_tree(from: &Path, to: &Path) -> anyhow::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    create_folder(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
            fs::File::open(&target)?.sync_all()?;
        }
    }
    Ok(sync_folder(to)?)
}

/// Opens the new directory, leaves out files of conversations that are not there, and reads the rest.
fn verified(settings: &Settings, to: &Path) -> anyhow::Result<Vec<Unreadable>> {
    let settings = Settings { data_dir: to.to_owned(), postgres: None, ..settings.clone() };
    app::block_on(async {
        let home = Home::at_rest(&settings, app::open_for_command(&settings)?);
        let artifacts = &home.engine.parts().artifacts;
        for session in artifacts.sessions().await? {
            if home.engine.parts().store.load(session).await?.is_none() {
                artifacts.erase(session).await?;
            }
        }
        let Scrubbed { damage, .. } = home.engine.scrub().await?;
        Ok(damage)
    })
}
