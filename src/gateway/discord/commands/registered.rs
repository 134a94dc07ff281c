//! Registers the commands, where they are not what was registered last: Discord takes two hundred new ones in a day.
//!
//! ```text
//! discord/commands/1300…   the digest of the set that was registered
//! ```

use std::time::Duration;

use crate::{
    gateway::discord::{api::Failure, app::App, manifest},
    model::audit::sha256,
    store::Note,
};

/// The pause after an attempt that failed; it doubles up to [`PAUSE_MAX`].
const PAUSE: Duration = Duration::from_secs(5);
const PAUSE_MAX: Duration = Duration::from_mins(10);

/// Registers what is new; returns when all is registered, or will never be.
pub(in crate::gateway::discord) async fn keep_registered(app: &App) {
    let engine = app.engine();
    let commands = manifest::commands(&engine.parts().library);
    let application = &app.connection.application_id;
    let digest = sha256(serde_json::Value::from(commands.clone()).to_string().as_bytes());
    let key = format!("discord/commands/{application}");
    let known = app.store.noted(&key).await.ok().flatten().and_then(|note| note.value);
    if known.as_ref() == Some(&digest) {
        return;
    }
    let mut pause = PAUSE;
    loop {
        match app.api.register(application, None, commands.clone()).await {
            Ok(_) => break,
            Err(Failure::Refused { .. } | Failure::BadToken) => {
                tracing::error!("Discord rejects the bot's commands");
                return;
            }
            Err(Failure::Unreachable | Failure::Later { .. } | Failure::Unclear { .. }) => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSE_MAX);
            }
        }
    }
    if let Err(error) = app.store.note(Note { key, session: None, value: Some(digest) }).await {
        tracing::warn!(%error, "the commands will be registered once more");
    }
}
