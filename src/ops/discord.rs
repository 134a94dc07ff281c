//! Discord as a part of a bot: put together from the settings, attached to the engine, run beside it.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Settings,
    engine::{Engine, Gateway, Parts},
    gateway::discord::{
        api,
        app::App,
        connect::{self, Connection, Link, Pace},
        handler::DiscordInbox,
        send::DiscordGateway,
    },
};

/// The Discord of a bot that has not started.
#[derive(Debug)]
pub(super) struct Discord(Arc<App>);

impl Discord {
    /// Puts it together where it is connected.
    pub(super) fn open(settings: &Arc<Settings>, parts: &Parts) -> anyhow::Result<Option<Self>> {
        let pace = api::Pace::default();
        let opened = App::open(settings, &parts.store, &parts.clock, &parts.ids, pace)?;
        Ok(opened.map(Self))
    }

    /// Where effects leave.
    pub(super) fn gateway(&self) -> Arc<dyn Gateway> {
        Arc::new(DiscordGateway(Arc::clone(&self.0)))
    }

    /// Attaches it to the engine and begins to listen; what Discord refuses ends the start, in words. Whether Discord
    /// reaches the bot from now on.
    pub(super) async fn begin(
        self,
        engine: Engine,
        tasks: &mut JoinSet<anyhow::Result<()>>,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<Arc<Link>> {
        let Self(app) = self;
        app.attach(engine);
        let connection = Connection::begin(connect::Parts {
            settings: app.connection.clone(),
            api: app.api.clone(),
            inbox: Arc::new(DiscordInbox(Arc::clone(&app))),
            store: Arc::clone(&app.store),
            clock: Arc::clone(&app.clock),
            pace: Pace::default(),
        })
        .await?;
        let link = connection.link();
        if let Some(address) = connection.address() {
            tracing::info!(%address, "listening for requests from Discord");
        }
        let listening = connection.run(shutdown.clone());
        tasks.spawn(async move { Ok(listening.await?) });
        let keeping = app.run(shutdown.clone());
        tasks.spawn(async move {
            keeping.await;
            Ok(())
        });
        Ok(link)
    }
}
