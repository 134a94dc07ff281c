//! `anteroom run`, and what it has in common with `play`: serve until told to stop.

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use anyhow::Context as _;
use serde::Serialize;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::{
    app::{self, Home, Wanted},
    cli::Json,
    control::Control,
    term,
};
use crate::{
    config::Settings,
    engine::Engine,
    gateway::web::{Server, WebGateway},
};

/// Longest time that stopping may take; what is not finished by then is taken up at the next start.
const STOPPING_MAX: Duration = Duration::from_secs(15);

/// Where a bot that has started can be reached.
#[derive(Debug, Serialize)]
pub(super) struct Ready {
    /// The participant's page.
    pub(super) page: String,
    /// The staff page.
    pub(super) staff: String,
    /// Where everything is kept.
    pub(super) data: PathBuf,
    /// This process.
    pub(super) pid: u32,
}

/// Runs the bot with a configuration file.
pub(super) fn run(wanted: &Wanted, output: Json) -> anyhow::Result<ExitCode> {
    let settings = wanted.configured()?;
    app::log(&settings)?;
    serve(settings, |ready| {
        if output.json {
            term::json_line(ready)?;
        }
        Ok(())
    })
}

/// Serves until SIGINT or SIGTERM; a second one stops at once, which loses nothing either. `ready` hears when the
/// page can be opened.
pub(super) fn serve(
    settings: Settings,
    ready: impl FnOnce(&Ready) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("the runtime could not be started")?;
    let served = runtime.block_on(async {
        let mut stop = Stop::listen()?;
        let mut bot = Bot::start(settings).await?;
        ready(&bot.ready)?;
        tokio::select! {
            () = stop.asked() => {}
            () = bot.ended() => {}
        }
        tokio::select! {
            ended = bot.stop() => ended,
            () = stop.asked() => Ok(()),
        }
    });
    runtime.shutdown_timeout(STOPPING_MAX);
    served.map(|()| ExitCode::SUCCESS)
}

/// The signals that end a bot.
struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be heard");
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// A bot at work.
struct Bot {
    ready: Ready,
    shutdown: CancellationToken,
    /// The engine and the page. Neither ends by itself unless it fails, and then the bot stops.
    tasks: JoinSet<anyhow::Result<()>>,
}

impl Bot {
    async fn start(settings: Settings) -> anyhow::Result<Self> {
        let parts = app::open(&settings)?;
        let settings = Arc::new(settings);
        let server = Server::bind(Arc::clone(&settings)).await?;
        let ready = Ready {
            page: server.url(),
            staff: server.staff_url(),
            data: settings.data_dir.clone(),
            pid: std::process::id(),
        };
        for flow in parts.library.iter() {
            tracing::info!(flow.id = %flow.flow.id, flow.digest = %flow.digest, "flow loaded");
        }
        let engine = Engine::limited(parts, vec![Arc::new(WebGateway)], app::limits(&settings));
        let shutdown = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let driving = (engine.clone(), shutdown.clone());
        tasks.spawn(async move {
            driving.0.run(driving.1).await;
            Ok(())
        });
        let serving = server.serve(engine.clone(), shutdown.clone());
        tasks.spawn(async move { Ok(serving.await?) });
        match Control::bind(&settings.data_dir) {
            Ok(control) => {
                let listening = control.serve(Home { engine }, shutdown.clone());
                tasks.spawn(async move {
                    listening.await;
                    Ok(())
                });
            }
            // The bot is of use without it.
            Err(error) => tracing::warn!(
                %error,
                "there is no control socket: `sessions`, `export`, `erase`, `audit` and `backup` are refused while \
                 this bot runs. hint: a data directory on a local disk has one"
            ),
        }
        tracing::info!(version = env!("CARGO_PKG_VERSION"), page = %ready.page, "started");
        Ok(Self { ready, shutdown, tasks })
    }

    /// Returns when a part has ended that should not have; what it said is kept for [`Bot::stop`].
    async fn ended(&mut self) {
        if let Some(ended) = self.tasks.join_next().await {
            self.tasks.spawn(async { ended? });
        }
    }

    /// Stops taking work, finishes the step in hand.
    async fn stop(&mut self) -> anyhow::Result<()> {
        self.shutdown.cancel();
        let finished = tokio::time::timeout(STOPPING_MAX, async {
            let mut result = Ok(());
            while let Some(ended) = self.tasks.join_next().await {
                let ended = ended.context("a part of the bot broke").and_then(|ended| ended);
                result = result.and(ended);
            }
            result
        });
        finished.await.unwrap_or_else(|_| {
            tracing::warn!("stopped with work in hand; it is taken up at the next start");
            Ok(())
        })
    }
}
