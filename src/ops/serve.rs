//! `anteroom run`, and what it has in common with `play`: serve until told to stop.

use std::{net::SocketAddr, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use anyhow::Context as _;
use futures::FutureExt as _;
use serde::Serialize;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::{
    app::{self, Home, Wanted},
    control::Control,
    discord::Discord,
    notify::Supervisor,
    reload::{Reload, Trigger},
    scrub, sentence,
    shared_args::Json,
    slack::{self, Slack},
    standby::Standby,
    startup_report, term,
};
use crate::{
    base::telemetry::metric,
    config::Settings,
    engine::{Engine, recording::Recorder},
    gateway::web::{self, Server, WebGateway},
    store::{
        Store,
        health::{Health, Trouble},
    },
};

/// Longest time for the current step and the connections after the bot is told to stop; what is not finished by then
/// is taken up at the next start. More than the engine and the page take for themselves. With [`LEFT_OVER_MAX`] and
/// the last sync it is over within ten seconds, which is what container engines allow.
const STOPPING_MAX: Duration = Duration::from_secs(8);

/// Longest time for what cannot be interrupted, a read of the disk for instance.
const LEFT_OVER_MAX: Duration = Duration::from_secs(1);

/// How often measurements are sorted into their buckets.
const TIDY_EVERY: Duration = Duration::from_secs(5);

/// How often a node looks whether it is still the active one.
const LOOKS_EVERY: Duration = Duration::from_secs(1);

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
    if !wanted.is_configured() {
        return Err(sentence(
            "no configuration file found. hint: copy `config.example.toml` to `config.toml`, or run `anteroom play`, which \
             doesn't need one",
        ));
    }
    let settings = wanted.configured()?;
    app::log(&settings)?;
    serve(wanted, settings, (None, Reloads::OnHangup), |ready| {
        if output.json {
            term::json_line(ready)?;
        }
        Ok(())
    })
}

/// When flows are loaded anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reloads {
    /// On SIGHUP.
    OnHangup,
    /// When a file of theirs changes.
    OnChange,
}

/// Serves until SIGINT or SIGTERM; a second one stops at once, which loses nothing either. `ready` is told when the
/// page can be opened.
pub(super) fn serve(
    wanted: &Wanted,
    settings: Settings,
    (recorder, reloads): (Option<Recorder>, Reloads),
    ready: impl FnOnce(&Ready) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("could not start the async runtime")?;
    metric::collect().context("could not start collecting metrics")?;
    let supervisor = Supervisor::of(&wanted.environment);
    let is_configured = wanted.is_configured();
    let stopped = runtime.block_on(async {
        let mut stop = Stop::listen()?;
        let trigger = match reloads {
            Reloads::OnHangup => Trigger::hangup()?,
            Reloads::OnChange => Trigger::change(&settings),
        };
        if settings.postgres.is_some() {
            // It may stand by for weeks, which is what it is started for.
            supervisor.ready();
        }
        let settings = Arc::new(settings);
        let mut standby = Standby::begin(&settings)?;
        let (to_open, reached) = (Arc::clone(&settings), standby.reached.clone());
        let opened = tokio::select! {
            opened = tokio::task::spawn_blocking(move || app::open(&to_open, is_configured, reached)) => opened??,
            () = stop.asked() => {
                tokio::select! {
                    () = standby.stop() => {}
                    () = stop.asked() => {}
                }
                return Ok(AtOnce(true));
            }
        };
        app::refuse_copied(&*opened.parts.store).await?;
        let reload = Reload {
            settings: Arc::clone(&settings),
            is_configured,
            library: Arc::clone(&opened.parts.library),
            toolbox: Arc::clone(&opened.parts.toolbox),
        };
        let started = Bot::start(settings, opened, recorder, standby).await;
        let mut bot = started.map_err(|error| fitting(error, is_configured))?;
        bot.tasks.spawn(reload.run(trigger, bot.shutdown.clone()));
        ready(&bot.ready)?;
        supervisor.ready();
        tokio::select! {
            () = stop.asked() => tracing::info!("stopping"),
            () = bot.ended() => {}
        }
        supervisor.stopping();
        tokio::select! {
            ended = bot.stop() => ended.map(|()| AtOnce(false)),
            () = stop.asked() => Ok(AtOnce(true)),
        }
    });
    if matches!(stopped, Ok(AtOnce(true))) {
        runtime.shutdown_background();
    } else {
        runtime.shutdown_timeout(LEFT_OVER_MAX);
    }
    stopped.map(|_| ExitCode::SUCCESS)
}

/// Where nobody wrote a configuration, the hint names what the command line takes.
fn fitting(error: anyhow::Error, is_configured: bool) -> anyhow::Error {
    match error.downcast_ref::<web::Error>() {
        Some(web::Error::Bind { address, why, .. }) if !is_configured => sentence(format!(
            "cannot listen on `{address}`: {why}. hint: choose another address with `--listen`, for example \
             `--listen 127.0.0.1:0` for any free port"
        )),
        Some(web::Error::Remote(address)) if !is_configured => sentence(format!(
            "`{address}` can be reached from other machines. hint: use `127.0.0.1`; serving other machines needs a \
             configuration file with `allow_remote` and a staff key under `[web]`"
        )),
        _ => error,
    }
}

/// Whether somebody would not wait for the current step.
struct AtOnce(bool);

/// The signals that end a bot.
struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("could not listen for signals");
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
    async fn start(
        settings: Arc<Settings>,
        app::Opened { mut parts, embedded }: app::Opened,
        recorder: Option<Recorder>,
        mut standby: Standby,
    ) -> anyhow::Result<Self> {
        let ports = std::mem::take(&mut standby.ports);
        let slack = slack::open(&settings, &mut parts).await?;
        let server = Server::on(ports.web, Arc::clone(&settings))?;
        let ready = Ready {
            page: server.url(),
            staff: server.staff_url(),
            data: settings.data_dir.clone(),
            pid: std::process::id(),
        };
        if let Some(url) = &settings.web.public_url {
            tell_public(url, server.address());
        }
        for flow in parts.library.iter() {
            tracing::info!(flow.id = %flow.flow.id, flow.digest = %flow.digest, "flow loaded");
        }
        let engine = Engine::limited(parts, vec![Arc::new(WebGateway)], app::limits(&settings));
        let slack = slack.map(|client| Slack::new(client, &settings, &engine)).transpose()?;
        let discord = Discord::open(&settings, &engine)?;
        if let Some(recorder) = recorder {
            engine.record_to(recorder);
        }
        let shutdown = standby.shutdown.clone();
        let mut tasks = JoinSet::new();
        let mut server = server;
        if let Some(slack) = slack {
            for part in slack.begin(&mut tasks, ports.slack, &shutdown).await? {
                server = server.with(part);
            }
        }
        if let Some(discord) = discord {
            server = server.with(discord.begin(&mut tasks, ports.discord, &shutdown).await?);
        }
        tasks.spawn(engine.run(shutdown.clone()).map(Ok));
        let serving = server.serve(engine.clone(), shutdown.clone());
        tasks.spawn(serving.map(Ok));
        standby.end(&mut tasks);
        tasks.spawn(keep_house(engine.clone(), shutdown.clone()));
        if embedded.is_none() {
            tasks.spawn(active(Arc::clone(&engine.parts().store), shutdown.clone()));
        }
        tasks.spawn(scrub::daily(engine.clone(), shutdown.clone()));
        match Control::bind(&settings.data_dir) {
            Ok(control) => {
                let listening = control.serve(Home { engine, embedded }, shutdown.clone());
                tasks.spawn(async move {
                    listening.await;
                    Ok(())
                });
            }
            // The bot is of use without it.
            Err(error) => tracing::warn!(
                %error,
                "could not create the control socket, so `sessions`, `export`, `erase`, `audit` and `backup` won't work \
                 while this bot is running. hint: keep the data directory on a local disk"
            ),
        }
        tracing::info!(version = env!("CARGO_PKG_VERSION"), page = %ready.page, staff = %ready.staff, "started");
        Ok(Self { ready, shutdown, tasks })
    }

    /// Returns when a part has ended that should not have; what it said is kept for [`Bot::stop`].
    async fn ended(&mut self) {
        if let Some(ended) = self.tasks.join_next().await {
            self.tasks.spawn(async { ended? });
        }
    }

    /// Stops taking work, finishes the current step.
    async fn stop(&mut self) -> anyhow::Result<()> {
        self.shutdown.cancel();
        let finished = tokio::time::timeout(STOPPING_MAX, async {
            let mut result = Ok(());
            while let Some(ended) = self.tasks.join_next().await {
                let ended = ended.context("part of the bot failed").and_then(|ended| ended);
                result = result.and(ended);
            }
            result
        });
        finished.await.unwrap_or_else(|_| {
            tracing::warn!("stopped with work in progress; it will be resumed at the next start");
            Ok(())
        })
    }
}

/// What has to be done so that the links in web hooks reach the page.
fn tell_public(url: &str, address: SocketAddr) {
    let port = reqwest::Url::parse(url).ok().and_then(|url| url.port_or_known_default());
    if url.starts_with("https://") {
        tracing::info!(
            "web hooks link to files under {url}/files/. hint: have a TLS proxy pass that path, and nothing else, to \
             {address}, and leave signatures (`signature=…`) out of its log"
        );
    } else if port != Some(address.port()) {
        tracing::warn!(
            "web hooks link to files under {url}/files/, but this bot listens on {address}. hint: write \
             `public_url = \"http://{address}\"` under `[web]`, or have a proxy pass that path to it"
        );
    }
}

/// Ends in an error once another node has taken over: what this one remembers is not what is stored any more.
async fn active(store: Arc<dyn Store>, shutdown: CancellationToken) -> anyhow::Result<()> {
    while tokio::time::timeout(LOOKS_EVERY, shutdown.cancelled()).await.is_err() {
        if store.health() == Health::ReadOnly(Trouble::TakenOver) {
            return Err(sentence(
                "another node has taken over, so this one ends. hint: start it again; it then stands by",
            ));
        }
    }
    Ok(())
}

/// Says what the store holds and whether files can be kept, and keeps measurements from piling up where nobody asks for them.
async fn keep_house(engine: Engine, shutdown: CancellationToken) -> anyhow::Result<()> {
    let tidying = async {
        while tokio::time::timeout(TIDY_EVERY, shutdown.cancelled()).await.is_err() {
            metric::tidy_up();
        }
    };
    let store = Arc::clone(&engine.parts().store);
    let telling = startup_report::tell(store, shutdown.clone());
    // The log says what is wrong where none can be kept, before somebody sends one.
    let trying = shutdown.run_until_cancelled(engine.parts().artifacts.check());
    tokio::join!(telling, trying, tidying);
    Ok(())
}
