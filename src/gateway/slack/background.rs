//! What goes on by itself, whatever comes in.

use std::sync::Arc;

use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use super::{app::App, catch_up, handler, inviter, tokens};
use crate::{
    base::telemetry::link::Link,
    model::{
        effect::{Cause, CauseKind},
        session::Platform,
    },
};

/// Goes on with what not everybody was told, reads what was written while nobody listened, keeps tokens and groups fresh,
/// and brings conversations back where the app is installed again, until `shutdown`; what was begun after an
/// acknowledgement is finished before it returns. `link` tells whether Slack reaches the bot.
pub async fn run(app: Arc<App>, link: Arc<Link>, shutdown: CancellationToken) {
    tokio::join!(
        handler::tell_unfinished(&app),
        inviter::tell_unfinished(&app),
        catch_up::keep_up(&app, &link, &shutdown),
        tokens::keep_fresh(&app.api, shutdown.clone()),
        app.people.run(shutdown.clone()),
        welcome_back(&app, shutdown.clone()),
        report_rejected(&app, shutdown.clone()),
        Box::pin(app.agent.run(shutdown.clone())),
        Box::pin(app.home.run(app.engine().clone(), shutdown.clone())),
    );
    app.afterwards.finish().await;
}

/// A token that Slack refuses is a cause that operators and staff read of, also while nothing waits for it.
async fn report_rejected(app: &App, shutdown: CancellationToken) {
    let mut rejected = app.api.installations().rejected();
    loop {
        let team = tokio::select! {
            () = shutdown.cancelled() => return,
            team = rejected.recv() => team,
        };
        match team {
            Ok(team) => {
                let kind = CauseKind::TokenRejected;
                app.engine().report_outage(Cause::of_workspace(kind, Platform::Slack, &team));
            }
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// What has paused because the app was gone goes on.
async fn welcome_back(app: &Arc<App>, shutdown: CancellationToken) {
    let mut installed = app.api.installations().installed();
    loop {
        let installation = tokio::select! {
            () = shutdown.cancelled() => return,
            installation = installed.recv() => installation,
        };
        match installation {
            Ok(installation) => handler::installed_again(app, installation),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
