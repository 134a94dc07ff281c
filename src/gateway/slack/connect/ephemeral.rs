//! Words for the one person who used a component, through the address that Slack gave for it.
//!
//! It is the door for an answer to a click or a command: it needs no token, no engine and no seat of the app in the
//! channel, so that it can also say that nothing could be saved, and `/onboard` is answered wherever it is typed. The
//! other door, `chat.postEphemeral` ([`super::super::handler`]), is for what no click stands behind (messages, forms) and
//! for what turns out after the answer: an address is good for five uses within half an hour, and messages and forms
//! have none. Neither can do the other's work.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::config::llm::is_loopback;

/// Longest time for it: a person waits, and Slack answers at once or not at all.
const TIME_MAX: Duration = Duration::from_secs(3);

/// So many at one time; beyond that somebody floods the bot.
const AT_ONCE: usize = 32;

/// Where Slack's response addresses are.
const HOSTS: [&str; 2] = ["hooks.slack.com", "hooks.slack-gov.com"];

/// Whispers; it never fails, for there is nobody to tell.
#[derive(Debug)]
pub(super) struct EphemeralPoster {
    client: Option<reqwest::Client>,
    /// The Slack of a test is on this machine.
    is_here: bool,
    tasks: TaskTracker,
    places: Arc<Semaphore>,
}

impl EphemeralPoster {
    pub(super) fn new(api_url: &str) -> Self {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIME_MAX)
            .build()
            .inspect_err(|_| {
                tracing::warn!("people cannot be told what went wrong: there is no HTTP client");
            });
        let is_here = reqwest::Url::parse(api_url).is_ok_and(|url| is_loopback(&url));
        let places = Arc::new(Semaphore::new(AT_ONCE));
        Self { client: client.ok(), is_here, tasks: TaskTracker::new(), places }
    }

    /// Posts words, and blocks where there are any, for one person alone.
    pub(super) fn post_ephemeral(&self, address: &str, text: &str, blocks: &[Value]) {
        let mut message =
            json!({"response_type": "ephemeral", "replace_original": false, "text": text});
        if !blocks.is_empty() {
            message["blocks"] = blocks.into();
        }
        self.send(address, message);
    }

    /// Puts words in place of the message that was pressed, with all that could be pressed in it.
    pub(super) fn replace(&self, address: &str, text: &str) {
        self.send(address, json!({"replace_original": true, "text": text}));
    }

    fn send(&self, address: &str, message: Value) {
        let Some(client) = self.client.clone() else { return };
        let Ok(url) = reqwest::Url::parse(address) else { return };
        let host = url.host_str().unwrap_or_default();
        let is_slack = url.scheme() == "https" && HOSTS.contains(&host);
        let is_test = self.is_here && is_loopback(&url);
        if !(is_slack || is_test) {
            return;
        }
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else { return };
        self.tasks.spawn(async move {
            let sent = client.post(url).json(&message).send().await;
            if !sent.is_ok_and(|response| response.status().is_success()) {
                tracing::debug!("words for one person did not arrive");
            }
            drop(place);
        });
    }

    /// Waits for those under way.
    pub(super) async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}
