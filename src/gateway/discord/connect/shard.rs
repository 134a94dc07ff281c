//! One connection after another for one shard: a session goes on where the one before ended, or is begun anew.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use futures::{SinkExt as _, StreamExt as _};
use metrics::counter;
use serde_json::{Value, json};
use serenity::model::gateway::GatewayIntents;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

use super::{
    Error, Next, Pace, Refusal,
    acknowledge::Intake,
    after,
    budget::{Budget, Denied},
    session::{Kept, Session},
    wire::{Ended, Why, Wire},
};
use crate::{
    base::telemetry::{link::Link, metric},
    config::{Proxies, Secret, llm::is_loopback},
    gateway::discord::api::Failure,
    net::outbound,
};

/// Longest frame that is read, in bytes: a large server comes in one.
const FRAME_MAX: usize = 32 * 1024 * 1024;

/// A connection that lived so long was a good one: the next pause is a short one again.
const GOOD: Duration = Duration::from_secs(30);

/// Times that the address for going on is tried before the gateway's own is.
const AT_ITS_ADDRESS: u32 = 3;

/// Members of a large server that are listed when it comes; the fewest there can be, as they are not used.
const LARGE: u64 = 50;

pub(super) use outbound::Socket as Stream;

/// One shard.
#[derive(Debug)]
pub(super) struct Shard {
    pub(super) number: u32,
    pub(super) of: u32,
    pub(super) token: Secret,
    pub(super) intents: GatewayIntents,
    pub(super) proxies: Proxies,
    pub(super) kept: Kept,
    pub(super) budget: Arc<Budget>,
    pub(super) intake: Arc<Intake>,
    pub(super) link: Arc<Link>,
    pub(super) pace: Pace,
}

/// Why there is no connection.
enum Unopened {
    /// It may go better in a while.
    Later(String, Option<Duration>),
    /// It will not.
    Never(Error),
}

/// A connection that was greeted and said who it is.
struct Opened {
    stream: Stream,
    /// Between two heartbeats.
    heartbeat: Duration,
}

impl Shard {
    /// Keeps it connected until `stop`, or until Discord does not want it any more.
    pub(super) async fn run(self, stop: CancellationToken) -> Result<(), Error> {
        let mut session = self.kept.load().await;
        let mut pauses = Pauses { pace: &self.pace, next: self.pace.pause };
        let mut failed = 0;
        loop {
            let opened = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                opened = self.open(session.as_ref(), failed) => opened,
            };
            let pause = match opened {
                Ok(opened) => {
                    failed = 0;
                    let began = Instant::now();
                    let wire = Wire::new(&self, opened.stream, opened.heartbeat, session.take());
                    let ended = wire.run(&stop).await;
                    session = ended.session.clone();
                    if ended.why == Why::Stopped {
                        return Ok(());
                    }
                    self.ended(&ended, &mut session).await?;
                    pauses.after(ended.why, began.elapsed())
                }
                Err(Unopened::Never(error)) => return Err(error),
                Err(Unopened::Later(why, wait)) => {
                    failed += 1;
                    counter!(metric::DISCORD_RECONNECTS, "why" => "unopened").increment(1);
                    let pause = pauses.next().max(wait.unwrap_or_default());
                    tracing::warn!(
                        why,
                        ?pause,
                        discord.shard = self.number,
                        "no connection to Discord"
                    );
                    pause
                }
            };
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                () = sleep(pause) => {}
            }
        }
    }

    /// What follows from the end of a connection.
    async fn ended(&self, ended: &Ended, session: &mut Option<Session>) -> Result<(), Error> {
        let why = ended.why.word();
        counter!(metric::DISCORD_RECONNECTS, "why" => why).increment(1);
        tracing::info!(discord.shard = self.number, why, code = ?ended.why.code(), "reopening a connection to Discord");
        let next = match ended.why {
            Why::Closed(code) => after(code),
            Why::Invalid { resumable: false } => Next::Identify,
            Why::Stopped | Why::Asked | Why::Invalid { .. } | Why::Silent | Why::NotSaved => {
                Next::Resume
            }
        };
        match next {
            Next::Resume => Ok(()),
            Next::Identify => {
                if session.take().is_some() {
                    tracing::warn!(
                        discord.shard = self.number,
                        "the Discord session has ended; events since then will not be delivered again"
                    );
                }
                self.keep(None).await;
                Ok(())
            }
            Next::Stop(refusal) => Err(Error::Refused(refusal)),
        }
    }

    /// Keeps how far the session came. Where that fails, more comes again later.
    pub(super) async fn keep(&self, session: Option<&Session>) -> bool {
        let why = match timeout(self.pace.take, self.kept.keep(session)).await {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the store takes too long".to_owned(),
        };
        tracing::warn!(
            why,
            discord.shard = self.number,
            "how far Discord's session came cannot be kept"
        );
        false
    }

    /// Opens a connection, waits until Discord greets, and says who this is.
    async fn open(&self, session: Option<&Session>, failed: u32) -> Result<Opened, Unopened> {
        let address = match session {
            Some(session) if failed < AT_ITS_ADDRESS => session.url.clone(),
            Some(_) => self.budget.address().await.map_err(|failure| unasked(&failure))?,
            None => match self.budget.admit(self.number).await {
                Ok(address) => address,
                Err(Denied::Unknown(failure)) => return Err(unasked(&failure)),
                Err(Denied::Spent(wait)) => {
                    tracing::error!(
                        ?wait,
                        "too many sessions were begun today; more would cost the bot its token"
                    );
                    let why = "too many sessions were begun today".to_owned();
                    return Err(Unopened::Later(why, Some(wait)));
                }
            },
        };
        let later = |why: &str| Unopened::Later(why.to_owned(), None);
        let Some(address) = self.safe(&address) else {
            return Err(later("Discord gave no address for a connection"));
        };
        let connecting = outbound::socket(&address, FRAME_MAX, &self.proxies);
        let mut stream = timeout(self.pace.open, connecting)
            .await
            .map_err(|_| later("no connection in time"))?
            .map_err(later)?;
        let greeted = timeout(self.pace.open, greeting(&mut stream)).await;
        let heartbeat = greeted.map_err(|_| later("no greeting in time"))?.map_err(later)?;
        let hello = Message::text(self.hello(session).to_string());
        match timeout(self.pace.write, stream.send(hello)).await {
            Ok(Ok(())) => Ok(Opened { stream, heartbeat }),
            Ok(Err(_)) | Err(_) => Err(later("nobody reads at the other end")),
        }
    }

    /// Who this is: somebody new, or somebody who goes on.
    fn hello(&self, session: Option<&Session>) -> Value {
        let token = self.token.expose();
        match session {
            Some(session) => json!({
                "op": 6, "d": { "token": token, "session_id": session.id, "seq": session.seq },
            }),
            None => json!({ "op": 2, "d": {
                "token": token, "intents": self.intents.bits(), "shard": [self.number, self.of],
                "compress": false, "large_threshold": LARGE,
                "properties": { "os": std::env::consts::OS, "browser": "anteroom", "device": "anteroom" },
            } }),
        }
    }

    /// The whole address, where it is encrypted, or on this machine like the API itself.
    fn safe(&self, address: &str) -> Option<String> {
        let mut url = reqwest::Url::parse(address).ok()?;
        let plain = address.replacen("ws://", "http://", 1);
        let is_here =
            self.budget.is_here() && reqwest::Url::parse(&plain).is_ok_and(|url| is_loopback(&url));
        if url.scheme() != "wss" && !is_here {
            return None;
        }
        url.set_query(Some("v=10&encoding=json"));
        Some(url.into())
    }

    /// A part of `whole` that differs from one connection to the next, so that bots do not come in step.
    pub(super) fn part_of(whole: Duration) -> Duration {
        let random = RandomState::new().hash_one(0_u8) % 1_000;
        whole * u32::try_from(random).unwrap_or_default() / 1_000
    }
}

fn unasked(failure: &Failure) -> Unopened {
    match failure {
        Failure::BadToken => Unopened::Never(Error::Refused(Refusal::Token)),
        Failure::Later { after } => Unopened::Later(failure.to_string(), Some(*after)),
        Failure::Unreachable | Failure::Unclear { .. } | Failure::Refused { .. } => {
            Unopened::Later(failure.to_string(), None)
        }
    }
}

/// The first frame: how often the heart is to beat.
async fn greeting(stream: &mut Stream) -> Result<Duration, &'static str> {
    while let Some(frame) = stream.next().await {
        match frame {
            Ok(Message::Text(text)) => {
                let frame: Value = serde_json::from_str(&text).unwrap_or_default();
                let heartbeat =
                    frame["d"]["heartbeat_interval"].as_u64().filter(|heartbeat| *heartbeat > 0);
                return match (frame["op"].as_u64(), heartbeat) {
                    (Some(10), Some(heartbeat)) => Ok(Duration::from_millis(heartbeat)),
                    _ => Err("the greeting was not one"),
                };
            }
            Ok(Message::Close(_)) => break,
            Ok(_) => {}
            Err(error) => return Err(outbound::kind_of(&error)),
        }
    }
    Err("closed before the greeting")
}

/// How long to wait before the next connection.
struct Pauses<'a> {
    pace: &'a Pace,
    next: Duration,
}

impl Pauses<'_> {
    fn next(&mut self) -> Duration {
        let pause = self.next;
        self.next = (self.next * 2).min(self.pace.pause_max);
        pause + Shard::part_of(pause)
    }

    fn after(&mut self, why: Why, lived: Duration) -> Duration {
        if lived >= GOOD {
            self.next = self.pace.pause;
        }
        match why {
            // Discord waits for it.
            Why::Asked if lived >= GOOD => Duration::ZERO,
            Why::Invalid { .. } => {
                self.next().max(self.pace.invalid) + Shard::part_of(self.pace.invalid)
            }
            _ => self.next(),
        }
    }
}
