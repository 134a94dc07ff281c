//! One shard: how its connections are opened, and how far its session came.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use serenity::model::gateway::GatewayIntents;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::{
    Error, Pace, Refusal,
    acknowledge::Intake,
    budget::{Budget, Denied},
    session::{Kept, Session},
};
use crate::{
    base::telemetry::link::Link,
    config::{Proxies, Secret, llm::is_loopback},
    gateway::discord::{
        api::Failure,
        kinds::{Opcode, kind},
    },
    net::outbound::{self, Socket},
};

/// Longest frame that is read, in bytes: a large server comes in one.
const FRAME_MAX: usize = 32 * 1024 * 1024;

/// Times that the address for going on is tried before the gateway's own is.
const AT_ITS_ADDRESS: u32 = 3;

/// Members of a large server that are listed when it comes; the fewest there can be, as they are not used.
const LARGE: u64 = 50;

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
pub(super) enum Unopened {
    /// It may go better in a while.
    Later(String, Option<Duration>),
    /// It will not.
    Never(Error),
}

/// A connection that was greeted and said who it is.
pub(super) struct Opened {
    pub(super) stream: Socket,
    /// Between two heartbeats.
    pub(super) heartbeat: Duration,
}

impl Shard {
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

    /// Opens a connection, waits until Discord greets, and says who this is. So many attempts before it have `failed`.
    pub(super) async fn open(
        &self,
        session: Option<&Session>,
        failed: u32,
    ) -> Result<Opened, Unopened> {
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
                "op": Opcode::Resume, "d": { "token": token, "session_id": session.id, "seq": session.seq },
            }),
            None => json!({ "op": Opcode::Identify, "d": {
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
async fn greeting(stream: &mut Socket) -> Result<Duration, &'static str> {
    while let Some(frame) = stream.next().await {
        match frame {
            Ok(Message::Text(text)) => {
                let frame: Value = serde_json::from_str(&text).unwrap_or_default();
                let heartbeat =
                    frame["d"]["heartbeat_interval"].as_u64().filter(|heartbeat| *heartbeat > 0);
                return match (frame["op"].as_u64().map(kind), heartbeat) {
                    (Some(Opcode::Hello), Some(heartbeat)) => Ok(Duration::from_millis(heartbeat)),
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
