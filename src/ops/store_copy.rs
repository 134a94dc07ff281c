//! `anteroom store copy` and `anteroom store reopen`: everything moves from the data directory to the database, or back.

use std::{path::Path, process::ExitCode, sync::Arc};

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use tokio::time::sleep;

use super::{
    app::{self, Opening, Wanted},
    bucket,
    data_access::{PAUSE, no_data, tries},
    scrub::tell_damage,
    sentence,
    shared_args::Json,
    term,
};
use crate::{
    base::{
        clock::SystemClock,
        ids::{Ids, RandomIds},
    },
    config::Settings,
    engine::copying::{self, Copied, CopyError, Side},
    model::file_key::FileKeys,
    ports::artifacts::{Artifacts, extract::Extractor},
    store::{
        Error,
        portable::{Portable, Secret},
        postgres::{self, Options, PostgresStore},
        sled::SledStore,
    },
};

/// `store`.
#[derive(Debug, Subcommand)]
pub(super) enum Store {
    /// Copy everything from one to the other, which must be empty, and compare both; no bot may run meanwhile. If it is
    /// interrupted, run it again.
    Copy(Copy),
    /// Use data again that was copied elsewhere, or of which a copy was begun.
    Reopen(Reopen),
}

/// `store copy`.
#[derive(Debug, Args)]
pub(super) struct Copy {
    /// Where the data is.
    #[arg(long, value_name = "STORE")]
    from: Place,
    /// Where it is to be.
    #[arg(long, value_name = "STORE")]
    to: Place,
    /// Output.
    #[command(flatten)]
    output: Json,
}

/// `store reopen`.
#[derive(Debug, Args)]
pub(super) struct Reopen {
    /// Which data.
    #[arg(value_name = "STORE")]
    store: Place,
    /// Output.
    #[command(flatten)]
    output: Json,
}

/// Where data is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Place {
    /// The data directory.
    Sled,
    /// The database that `[postgres]` in the configuration names.
    Postgres,
}

/// Copies a store, or has one used again.
pub(super) fn store(wanted: &Wanted, command: &Store) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    match command {
        Store::Copy(copy) => app::block_on(self::copy(&settings, copy)),
        Store::Reopen(reopen) => app::block_on(self::reopen(&settings, reopen)),
    }
}

async fn copy(settings: &Settings, asked: &Copy) -> anyhow::Result<ExitCode> {
    if asked.from == asked.to {
        return Err(sentence(
            "that is the same store twice. hint: use `--from sled --to postgres`, or the other way round",
        ));
    }
    let from = side(settings, asked.from, None).await?;
    let to = side(settings, asked.to, Some(&from.store.secret())).await?;
    let progress = term::Progress::start("Copying");
    let copied = copying::copy(&from, &to, &RandomIds, &|by| progress.advance(by)).await;
    drop(progress);
    let copied = match copied {
        Ok(copied) => copied,
        Err(error) => {
            if let CopyError::Damaged(damage) = &error {
                tell_damage(damage);
            }
            return Err(error.into());
        }
    };
    if asked.output.json {
        term::json(&json!({ "from": from.name, "to": to.name, "copied": copied }))?;
    } else {
        tell(&copied, (&from, &to), asked.to)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(copied: &Copied, (from, to): (&Side, &Side), now: Place) -> anyhow::Result<()> {
    let Copied { sessions, events, waits, effects, timers, notes, files, .. } = copied;
    term::say(format!("Copied {} to {}, and compared both:", from.name, to.name))?;
    let counts = [
        term::count(*sessions, "conversation"),
        term::count(*events, "event"),
        term::count(*waits, "question"),
        term::count(*effects, "message") + " to be sent",
        term::count(*timers, "timer"),
        term::count(*notes, "note"),
        term::count(*files, "file"),
        term::count(copied.flows, "flow"),
        term::count(copied.accounts, "account"),
        term::count(copied.audit_records, "audit record"),
    ];
    term::say(format!("{}.", counts.join(", ")))?;
    term::say(format!("The audit log ends with the seal {}.", copied.seal))?;
    term::say(format!("The conversations have the digest {}.", copied.digest))?;
    term::say(match now {
        Place::Postgres => "Start the bot with `[postgres]` in its configuration.",
        Place::Sled => "Take `[postgres]` out of the configuration, then start the bot.",
    })?;
    term::say(format!("No bot uses {} any more; `anteroom store reopen` undoes that.", from.name))?;
    Ok(())
}

async fn reopen(settings: &Settings, asked: &Reopen) -> anyhow::Result<ExitCode> {
    let Side { store, name, .. } = side(settings, asked.store, None).await?;
    let is_reopened = copying::reopen(&*store, &name).await?;
    if asked.output.json {
        term::json(&json!({ "store": name, "reopened": is_reopened }))?;
    } else if is_reopened {
        term::say(format!(
            "The bot can use {name} again. What happens there from now on is in no copy."
        ))?;
    } else {
        term::say(format!("The bot can use {name} already."))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens a store with its files; one that copies are put into with the secret of the other.
async fn side(settings: &Settings, place: Place, secret: Option<&Secret>) -> anyhow::Result<Side> {
    let dir = &settings.data_dir;
    app::refuse_unrestored(dir)?;
    let (store, name) = match place {
        Place::Sled => embedded(&dir.join("store"), secret)?,
        Place::Postgres => database(settings, secret).await?,
    };
    let keys: Arc<dyn FileKeys> = Arc::<dyn Portable>::clone(&store);
    let keys = match place {
        Place::Sled => keys,
        Place::Postgres => bucket::files(settings)?(keys),
    };
    let reader = Extractor::own().context("this program cannot find itself")?;
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIds));
    let artifacts = Artifacts::new(dir, keys, clock, ids, reader)?;
    Ok(Side { store, artifacts, name })
}

type Opened = (Arc<dyn Portable>, String);

fn embedded(dir: &Path, secret: Option<&Secret>) -> anyhow::Result<Opened> {
    let name = format!("`{}`", dir.display());
    let ids: Arc<dyn Ids> = Arc::new(RandomIds);
    let store = match secret {
        Some(secret) => SledStore::open_for_copy(dir, ids, secret)?,
        None if dir.exists() => SledStore::open_for_command(dir, ids)?,
        None => return Err(no_data(dir)),
    };
    Ok((Arc::new(store), name))
}

/// Waits for the lease of a command or bot that was killed a moment ago.
async fn database(settings: &Settings, secret: Option<&Secret>) -> anyhow::Result<Opened> {
    let database = settings.postgres.as_ref().ok_or_else(|| {
        sentence(
            "no database is configured. hint: name one under `[postgres]` in the configuration",
        )
    })?;
    let options: Options = app::database_options(database, Opening::Command)?;
    let name = postgres::called(&options)?;
    let mut tries = tries(settings);
    loop {
        let ids: Arc<dyn Ids> = Arc::new(RandomIds);
        let opened = match secret {
            Some(secret) => PostgresStore::open_for_copy(&options, ids, secret),
            None => PostgresStore::open(&options, ids),
        };
        tries = tries.saturating_sub(1);
        match opened {
            Ok(store) => return Ok((Arc::new(store), name)),
            Err(Error::Leased { .. }) if tries > 0 => sleep(PAUSE).await,
            Err(Error::Occupied { .. }) => return Err(Error::Occupied { what: name }.into()),
            Err(error) => return Err(error.into()),
        }
    }
}
