//! Slack as a part of a bot: put together from the settings, attached to the engine, run beside it.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::app;
use crate::{
    base::telemetry::ready::Ready,
    config::Settings,
    engine::{Engine, Gateway, Parts},
    gateway::slack::{
        app::App,
        connect::{self, Connection, Pace},
        handler::SlackInbox,
        send::SlackGateway,
        tenants,
    },
    model::session::Platform,
    ports::contacts::profile::Profile,
};

/// The Slack of a bot that has not started.
#[derive(Debug)]
pub(super) struct Slack(Arc<App>);

impl Slack {
    /// Puts it together where it is connected, and has the contact source `profile` ask it.
    pub(super) async fn open(
        settings: &Arc<Settings>,
        parts: &mut Parts,
    ) -> anyhow::Result<Option<Self>> {
        let opened = App::open(settings, &parts.store, &parts.clock, &parts.ids).await?;
        let Some(app) = opened else { return Ok(None) };
        let profile = Profile::default().asking(Platform::Slack, Arc::new(app.people.clone()));
        parts.contacts = Arc::new(app::contacts(&settings.contacts, &profile)?);
        Ok(Some(Self(app)))
    }

    /// Where effects leave.
    pub(super) fn gateway(&self) -> Arc<dyn Gateway> {
        Arc::new(SlackGateway(Arc::clone(&self.0)))
    }

    /// Attaches it to the engine and begins to listen; what Slack refuses ends the start, in words. Whether Slack
    /// reaches the bot and takes its token from now on.
    pub(super) async fn begin(
        self,
        engine: Engine,
        tasks: &mut JoinSet<anyhow::Result<()>>,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<Vec<Arc<dyn Ready>>> {
        let Self(app) = self;
        let tokens = Arc::clone(app.api.tenants());
        app.attach(engine);
        let routes = tenants::routes(Arc::clone(app.api.tenants()));
        let connection = Connection::begin(connect::Parts {
            settings: app.connection.clone(),
            api: app.api.clone(),
            inbox: Arc::new(SlackInbox(Arc::clone(&app))),
            clock: Arc::clone(&app.clock),
            routes: Some(routes),
            pace: Pace::default(),
        })
        .await?;
        let link = connection.link();
        app.reached_over(Arc::clone(&link));
        if let Some(address) = connection.address() {
            tracing::info!(%address, "listening for requests from Slack");
        }
        let listening = connection.run(shutdown.clone());
        tasks.spawn(async move { Ok(listening.await?) });
        let keeping = app.run(shutdown.clone());
        tasks.spawn(async move {
            keeping.await;
            Ok(())
        });
        Ok(vec![link, tokens])
    }
}
