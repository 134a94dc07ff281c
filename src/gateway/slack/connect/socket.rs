//! Socket Mode: several sockets, each replaced before it is left.

use std::{sync::Arc, time::Duration};

use futures::StreamExt as _;
use metrics::counter;
use serde_json::{Value, json};
use tokio::{
    sync::oneshot,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

use super::{
    Error, Pace,
    acknowledge::Intake,
    wire::{Why, Wire},
};
use crate::{
    base::telemetry::{link::Link, metric},
    config::{Proxies, Secret, llm::is_loopback},
    gateway::slack::api::{Api, Failure, Method},
    net::outbound::{self, Socket},
};

/// Longest frame that is read, in bytes; the payloads of Slack's own examples have 30,000 at most, and a form may hold
/// a hundred answers of 3,000 characters.
const FRAME_MAX: usize = 4 * 1024 * 1024;

/// A socket that lived so long was a good one: the next pause is a short one again.
const GOOD: Duration = Duration::from_secs(30);

/// Codes that say that the app's token will not do, however often it is tried.
const NEVER: [&str; 9] = [
    "account_inactive",
    "invalid_auth",
    "missing_scope",
    "no_permission",
    "not_allowed_token_type",
    "not_authed",
    "org_login_required",
    "token_expired",
    "token_revoked",
];

/// The sockets.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) api: Api,
    pub(super) app_token: Secret,
    pub(super) sockets: u8,
    pub(super) proxies: Proxies,
    pub(super) intake: Arc<Intake>,
    pub(super) link: Arc<Link>,
    pub(super) pace: Pace,
}

/// Why no socket was opened.
enum Unopened {
    /// It may go better in a while.
    Later(&'static str, Option<Duration>),
    /// Slack said no, with this code.
    Refused(String),
    /// It will not.
    Never(Error),
}

impl Pool {
    /// Asks Slack for a socket, so that a token that is refused ends the start with words. The address is not used.
    pub(super) async fn checked(self) -> Result<Self, Error> {
        match self.address().await {
            Ok(_) => {}
            Err(Unopened::Never(error)) => return Err(error),
            Err(Unopened::Refused(code)) => return Err(Error::AppToken(code)),
            Err(Unopened::Later(why, _)) => {
                tracing::warn!(why, "could not reach Slack yet; retrying");
            }
        }
        Ok(self)
    }

    /// Keeps the sockets open until `shutdown`, or until Slack does not want them any more.
    pub(super) async fn run(self, shutdown: CancellationToken) -> Result<(), Error> {
        let pool = Arc::new(self);
        let stop = shutdown.child_token();
        let mut slots = JoinSet::new();
        for number in 0..pool.sockets {
            slots.spawn(Arc::clone(&pool).slot(number, stop.clone()));
        }
        let mut result = Ok(());
        while let Some(ended) = slots.join_next().await {
            let ended = ended.unwrap_or(Err(Error::Broke));
            if ended.is_err() {
                stop.cancel();
            }
            result = result.and(ended);
        }
        result
    }

    /// Keeps one socket open. The one before it is read until it ends by itself, so that nothing falls between.
    async fn slot(self: Arc<Self>, number: u8, stop: CancellationToken) -> Result<(), Error> {
        let mut sockets = JoinSet::new();
        let mut pauses = Pauses::new(&self.pace, number);
        // Not all at once: Slack counts openings.
        let mut pause = self.pace.pause * u32::from(number);
        let ended = loop {
            tokio::select! {
                () = stop.cancelled() => break Ok(()),
                () = sleep(pause) => {}
            }
            while sockets.try_join_next().is_some() {}
            let opened = tokio::select! {
                () = stop.cancelled() => break Ok(()),
                opened = self.open() => opened,
            };
            pause = match opened {
                Ok(stream) => {
                    let began = Instant::now();
                    let why = self.serve(stream, &mut sockets, &stop).await;
                    if stop.is_cancelled() {
                        break Ok(());
                    }
                    if why == Why::LinkDisabled {
                        break Err(Error::LinkDisabled);
                    }
                    counter!(metric::SLACK_RECONNECTS, "why" => why.word()).increment(1);
                    tracing::info!(
                        slack.socket = number,
                        why = why.word(),
                        "reopening a socket to Slack"
                    );
                    pauses.after(why, began.elapsed())
                }
                Err(Unopened::Never(error)) => break Err(error),
                Err(Unopened::Refused(code)) => pauses.unopened(&code, None),
                Err(Unopened::Later(why, wait)) => pauses.unopened(why, wait),
            };
        };
        // They finish what is in flight.
        while sockets.join_next().await.is_some() {}
        ended
    }

    /// Serves a socket until there should be another one; reading goes on beside.
    async fn serve(
        &self,
        stream: Socket,
        sockets: &mut JoinSet<()>,
        stop: &CancellationToken,
    ) -> Why {
        let (replace, replaced) = oneshot::channel();
        let intake = Arc::clone(&self.intake);
        let wire = Wire::new(stream, intake, self.pace.clone(), replace);
        let (link, stop) = (Arc::clone(&self.link), stop.clone());
        sockets.spawn(async move {
            let _open = link.opened();
            wire.run(stop).await;
        });
        // Without a word it broke.
        replaced.await.unwrap_or(Why::Lost)
    }

    /// Opens a socket and waits until Slack greets.
    async fn open(&self) -> Result<Socket, Unopened> {
        let address = self.address().await?;
        let connecting = outbound::socket(&address, FRAME_MAX, &self.proxies);
        let mut stream = timeout(self.pace.open, connecting)
            .await
            .map_err(|_| Unopened::Later("no connection in time", None))?
            .map_err(|why| Unopened::Later(why, None))?;
        let greeted = timeout(self.pace.open, greeting(&mut stream)).await;
        match greeted {
            Ok(Ok(())) => Ok(stream),
            Ok(Err(unopened)) => Err(unopened),
            Err(_) => Err(Unopened::Later("no greeting in time", None)),
        }
    }

    /// The address of a new socket. It is a secret: whoever has it gets the events.
    async fn address(&self) -> Result<String, Unopened> {
        let asked = self.api.call_with(&self.app_token, Method::AppsConnectionsOpen, json!({}));
        match asked.await {
            Ok(answer) => {
                let address = answer["url"].as_str().unwrap_or_default();
                if self.is_safe(address) {
                    Ok(address.to_owned())
                } else {
                    Err(Unopened::Later("Slack gave no address for a socket", None))
                }
            }
            Err(failure @ (Failure::Later { .. } | Failure::Unreachable)) => {
                let why = "Slack takes no call yet, or was not reached";
                Err(Unopened::Later(why, failure.wait()))
            }
            Err(Failure::Refused { error, .. }) if NEVER.contains(&error.as_str()) => {
                Err(Unopened::Never(Error::AppToken(error)))
            }
            Err(Failure::Refused { error, .. }) => Err(Unopened::Refused(error)),
            Err(Failure::Unclear { .. } | Failure::TokenRejected | Failure::NotInstalled) => {
                Err(Unopened::Later("Slack gave no clear answer", None))
            }
        }
    }

    /// Encrypted, or on this machine like the Web API itself.
    fn is_safe(&self, address: &str) -> bool {
        let is_here = reqwest::Url::parse(self.api.base()).is_ok_and(|url| is_loopback(&url));
        let plain = address.replacen("ws://", "http://", 1);
        address.starts_with("wss://")
            || (is_here && reqwest::Url::parse(&plain).is_ok_and(|url| is_loopback(&url)))
    }
}

/// The first frame of a socket.
async fn greeting(stream: &mut Socket) -> Result<(), Unopened> {
    while let Some(frame) = stream.next().await {
        match frame {
            Ok(Message::Text(text)) => {
                let frame: Value = serde_json::from_str(&text).unwrap_or_default();
                return match (frame["type"].as_str(), frame["reason"].as_str()) {
                    (Some("hello"), _) => Ok(()),
                    (Some("disconnect"), Some("link_disabled")) => {
                        Err(Unopened::Never(Error::LinkDisabled))
                    }
                    (Some("disconnect"), Some("too_many_websockets")) => {
                        Err(Unopened::Later("too many sockets are open", None))
                    }
                    _ => Err(Unopened::Later("the greeting was not one", None)),
                };
            }
            Ok(Message::Close(_)) => break,
            Ok(_) => {}
            Err(error) => return Err(Unopened::Later(outbound::kind_of(&error), None)),
        }
    }
    Err(Unopened::Later("closed before the greeting", None))
}

/// How long to wait before the next socket.
struct Pauses<'a> {
    pace: &'a Pace,
    /// Sockets of one bot do not come back in step.
    share: Duration,
    next: Duration,
}

impl<'a> Pauses<'a> {
    fn new(pace: &'a Pace, number: u8) -> Self {
        let share = pace.pause / 10 * u32::from(number);
        Self { pace, share, next: pace.pause }
    }

    fn next(&mut self) -> Duration {
        let pause = self.next;
        self.next = (self.next * 2).min(self.pace.pause_max);
        pause + self.share
    }

    fn unopened(&mut self, why: &str, wait: Option<Duration>) -> Duration {
        counter!(metric::SLACK_RECONNECTS, "why" => "unopened").increment(1);
        let pause = self.next().max(wait.unwrap_or_default());
        tracing::warn!(why, ?pause, "no socket to Slack");
        pause
    }

    fn after(&mut self, why: Why, lived: Duration) -> Duration {
        if lived >= GOOD {
            self.next = self.pace.pause;
        }
        match why {
            // The old one is still read.
            Why::Announced if lived >= GOOD => self.share,
            Why::Crowded => self.next().max(self.pace.crowded),
            _ => self.next(),
        }
    }
}
