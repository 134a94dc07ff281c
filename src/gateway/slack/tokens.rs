//! Asks Slack about tokens: whose they are, and whether it accepts them again.

use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    api::{Api, Failure, Method},
    installations::Installation,
};

/// How often the age of tokens is looked at, and Slack is asked about those that it did not accept.
const LOOK: Duration = Duration::from_secs(30);

/// Asks Slack whose the bot token of the configuration is, where that is the simple way.
pub async fn identify(api: &Api) -> Result<(), Failure> {
    let installations = api.installations();
    let Some(token) = installations.plain_token() else { return Ok(()) };
    let answer = api.call_with(token, Method::AuthTest, json!({})).await?;
    installations.put(read_identity(&answer), token.clone());
    Ok(())
}

/// Asks Slack once about each token that it did not accept. One that it accepts again is used from now on; so is one
/// that was put into the file of the configuration meanwhile.
pub async fn recheck(api: &Api) {
    let installations = api.installations();
    for rejected in installations.all_rejected() {
        let Some(token) = installations.token_to_ask_about(&rejected).await else { continue };
        match api.call_with(&token, Method::AuthTest, json!({})).await {
            Ok(answer) => installations.accepted(rejected, token, &read_identity(&answer)),
            Err(Failure::Refused { error, .. }) => installations.still_rejected(&rejected, error),
            // Nobody said anything about the token.
            Err(_) => {}
        }
    }
}

/// Renews tokens in good time, and asks again about those that were not accepted, until `shutdown`.
pub(super) async fn keep_fresh(api: &Api, shutdown: CancellationToken) {
    let look = async {
        loop {
            api.installations().save_unsaved().await;
            api.installations().renew_ageing().await;
            tokio::time::sleep(LOOK).await;
            recheck(api).await;
        }
    };
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = look => {}
    }
    // A renewal that has begun ends, and what it brought is saved: there is no other way to the next tokens.
    api.installations().settle().await;
}

fn read_identity(answer: &Value) -> Installation {
    let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    Installation {
        team: text("team_id"),
        enterprise: answer["enterprise_id"].as_str().map(str::to_owned),
        is_enterprise_install: answer["is_enterprise_install"] == true,
        bot_user: text("user_id"),
        bot: text("bot_id"),
    }
}
