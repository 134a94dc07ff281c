//! `anteroom scrub`, and the same once a day in a running bot.

use std::{process::ExitCode, time::Duration};

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    admin_api::AdminRequest,
    app::{self, Wanted},
    data_access::DataAccess,
    shared_args::Json,
    term,
};
use crate::{
    engine::{Engine, scrub::Scrubbed},
    store::unreadable::Unreadable,
};

/// How long after a start the first scrub begins: a bot that has just come back has other work.
const FIRST_AFTER: Duration = Duration::from_mins(10);

/// From the end of one to the beginning of the next.
const EVERY: Duration = Duration::from_hours(23);

/// Reads everything that is stored.
pub(super) fn scrub(wanted: &Wanted, Json { json }: Json) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    app::block_on(async {
        let reach = DataAccess::find(&settings).await?;
        let progress = term::Progress::start("Verifying");
        let scrubbed: anyhow::Result<Scrubbed> = reach.ask(AdminRequest::Scrub).await;
        drop(progress);
        let scrubbed = scrubbed?;
        if json {
            term::json(&scrubbed)?;
        } else {
            let Scrubbed { conversations, files, sealed, audit_records, .. } = &scrubbed;
            term::say(format!(
                "Read {}, {} and {}.",
                term::count(*conversations, "conversation"),
                term::count(*files, "file"),
                term::count(*audit_records, "audit record"),
            ))?;
            if *sealed > 0 {
                let files = term::count(*sealed, "file");
                term::say(format!("Encrypted {files} of an older version."))?;
            }
            if scrubbed.damage.is_empty() {
                term::say("No damage found.")?;
            }
        }
        Ok(tell_damage(&scrubbed.damage))
    })
}

/// Names what cannot be read on standard error; the exit code says whether there is anything.
pub(super) fn tell_damage(damage: &[Unreadable]) -> ExitCode {
    let mut hints: Vec<&str> = Vec::new();
    for Unreadable { what, why } in damage {
        let (why, hint) = why.split_once(". hint: ").unwrap_or((why, ""));
        term::tell(format!("warning: could not read {what}: {why}"));
        if !hint.is_empty() && !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    for hint in hints {
        term::tell(format!("hint: {hint}"));
    }
    if damage.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Scrubs every day until the bot stops.
pub(super) async fn daily(engine: Engine, shutdown: CancellationToken) -> anyhow::Result<()> {
    let mut pause = FIRST_AFTER;
    while timeout(pause, shutdown.cancelled()).await.is_err() {
        pause = EVERY;
        let scrubbed = tokio::select! {
            scrubbed = engine.scrub() => scrubbed,
            () = shutdown.cancelled() => break,
        };
        match scrubbed {
            Ok(Scrubbed { damage, .. }) if !damage.is_empty() => {
                for Unreadable { what, why } in damage {
                    tracing::error!(what, why, "stored data is damaged");
                }
            }
            Ok(Scrubbed { conversations, files, .. }) => {
                tracing::info!(conversations, files, "verified all stored data; no damage found");
            }
            Err(error) => {
                tracing::warn!(%error, "could not verify all stored data");
            }
        }
    }
    Ok(())
}
