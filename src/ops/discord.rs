//! Discord as a part of a bot: put together from the settings, connected to the engine, run beside it.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Settings,
    engine::Engine,
    gateway::discord::{
        api,
        app::App,
        background,
        connect::{self, Connection, Link, Pace},
        handler::DiscordInbox,
        send::DiscordGateway,
    },
    net::listener::Port,
};

/// The Discord of a bot that has not started.
#[derive(Debug)]
pub(super) struct Discord(Arc<App>);

impl Discord {
    /// Puts it together where Discord is configured, and connects it to the engine, which delivers through it from now on.
    pub(super) fn open(settings: &Arc<Settings>, engine: &Engine) -> anyhow::Result<Option<Self>> {
        let opened = App::open(settings, engine.clone(), api::Pace::default())?;
        let Some(app) = opened else { return Ok(None) };
        engine.connect(Arc::new(DiscordGateway(Arc::clone(&app))));
        Ok(Some(Self(app)))
    }

    /// Begins to listen; what Discord refuses ends the start, in words. Whether Discord reaches the bot from now on.
    pub(super) async fn begin(
        self,
        tasks: &mut JoinSet<anyhow::Result<()>>,
        port: Option<Port>,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<Arc<Link>> {
        let Self(app) = self;
        let connection = Connection::begin(connect::Parts {
            settings: app.connection.clone(),
            api: app.api.clone(),
            inbox: Arc::new(DiscordInbox(Arc::clone(&app))),
            store: Arc::clone(&app.store),
            clock: Arc::clone(&app.clock),
            port,
            pace: Pace::default(),
        })
        .await?;
        let link = connection.link();
        if let Some(address) = connection.address() {
            tracing::info!(%address, "listening for requests from Discord");
        }
        let listening = connection.run(shutdown.clone());
        tasks.spawn(async move { Ok(listening.await?) });
        let keeping = background::run(app, shutdown.clone());
        tasks.spawn(async move {
            keeping.await;
            Ok(())
        });
        Ok(link)
    }
}
