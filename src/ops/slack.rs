//! Slack as a part of a bot: put together from the settings, connected to the engine, run beside it.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::contact_sources;
use crate::{
    base::telemetry::ready::Ready,
    config::Settings,
    engine::{Engine, Parts},
    gateway::slack::{
        app::{App, Client},
        background,
        connect::{self, Connection, Pace},
        handler::SlackInbox,
        installations,
        send::SlackGateway,
    },
    model::session::Platform,
    net::listener::Port,
    ports::contacts::profile::Profile,
};

/// The client of Slack's Web API where Slack is connected; the contact source `profile` asks it from now on.
pub(super) async fn open(settings: &Settings, parts: &mut Parts) -> anyhow::Result<Option<Client>> {
    let Some(client) = Client::open(settings, &parts.store, &parts.clock).await? else {
        return Ok(None);
    };
    let profile = Profile::default().asking(Platform::Slack, Arc::new(client.people.clone()));
    parts.contacts = Arc::new(contact_sources::open(&settings.contacts, &profile)?);
    Ok(Some(client))
}

/// The Slack of a bot that has not started.
#[derive(Debug)]
pub(super) struct Slack(Arc<App>);

impl Slack {
    /// Puts it together and connects it to the engine, which delivers through it from now on.
    pub(super) fn new(
        client: Client,
        settings: &Arc<Settings>,
        engine: &Engine,
    ) -> anyhow::Result<Self> {
        let app = App::new(client, settings, engine.clone())?;
        engine.connect(Arc::new(SlackGateway(Arc::clone(&app))));
        Ok(Self(app))
    }

    /// Begins to listen; what Slack refuses ends the start, in words. Whether Slack reaches the bot and takes its token
    /// from now on.
    pub(super) async fn begin(
        self,
        tasks: &mut JoinSet<anyhow::Result<()>>,
        port: Option<Port>,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<Vec<Arc<dyn Ready>>> {
        let Self(app) = self;
        let tokens = Arc::clone(app.api.installations());
        let routes = installations::routes(Arc::clone(app.api.installations()));
        let connection = Connection::begin(connect::Parts {
            settings: app.connection.clone(),
            api: app.api.clone(),
            inbox: Arc::new(SlackInbox(Arc::clone(&app))),
            clock: Arc::clone(&app.clock),
            routes: Some(routes),
            port,
            pace: Pace::default(),
        })
        .await?;
        let link = connection.link();
        if let Some(address) = connection.address() {
            tracing::info!(%address, "listening for requests from Slack");
        }
        let listening = connection.run(shutdown.clone());
        tasks.spawn(async move { Ok(listening.await?) });
        let keeping = background::run(app, Arc::clone(&link), shutdown.clone());
        tasks.spawn(async move {
            keeping.await;
            Ok(())
        });
        Ok(vec![link, tokens])
    }
}
