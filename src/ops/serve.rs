//! `anteroom run`, and what it has in common with `play`: serve until told to stop.

use std::process::ExitCode;

use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::{
    app::{self, Wanted},
    cli::Json,
};
use crate::{config::Settings, engine::Engine};

/// Runs the bot with a configuration file.
pub(super) fn run(wanted: Wanted, _output: Json) -> anyhow::Result<ExitCode> {
    let settings = wanted.configured()?;
    app::log(&settings)?;
    serve(&settings, |_| Ok(()))
}

/// Serves until SIGINT or SIGTERM; a second one ends at once, which loses nothing either.
pub(super) fn serve(
    settings: &Settings,
    ready: impl FnOnce(&Engine) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.context("the runtime could not be started")?.block_on(async {
        let engine = Engine::new(app::open(settings)?, Vec::new());
        let shutdown = CancellationToken::new();
        ready(&engine)?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let running = engine.run(shutdown.clone());
        tokio::pin!(running);
        tokio::select! {
            () = &mut running => return Ok(ExitCode::SUCCESS),
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        shutdown.cancel();
        running.await;
        Ok(ExitCode::SUCCESS)
    })
}
