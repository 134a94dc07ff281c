//! What goes on by itself, whatever comes in.

use std::{sync::Arc, time::Duration};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{app::App, commands, handler, send, stop_button, typing};
use crate::model::{
    effect::{Cause, CauseKind},
    session::Platform,
};

/// How often a refused token is looked at while nobody needs it.
const RECHECK: Duration = Duration::from_secs(30);

/// Goes on with what not everybody was told, registers the commands where they have changed, shows that the bot is writing, and asks who has passed the screening, until `shutdown`; what was
/// begun after an acknowledgement is finished before it returns.
pub async fn run(app: Arc<App>, shutdown: CancellationToken) {
    let registering = async {
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = commands::keep_registered(&app) => shutdown.cancelled().await,
        }
    };
    tokio::join!(
        handler::tell_unfinished(&app),
        registering,
        report_token(&app, shutdown.clone()),
        send::keep_asking(&app, &shutdown),
        typing::keep_typing(&app, shutdown.clone()),
        stop_button::keep_offering(&app, shutdown.clone())
    );
    app.finish().await;
}

/// A token that Discord refuses is a cause that operators and staff read of, also while nothing waits for it.
async fn report_token(app: &App, shutdown: CancellationToken) {
    let mut token_works = app.api.token_works();
    loop {
        let works = *token_works.borrow_and_update();
        let cause = Cause::of_platform(CauseKind::TokenRejected, Platform::Discord);
        if works {
            app.engine().mended(|known| *known == cause).await;
        } else {
            app.engine().report_outage(cause);
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            changed = token_works.changed() => if changed.is_err() { return },
            () = sleep(RECHECK), if !works => app.api.recheck_token().await,
        }
    }
}
