//! The connection: the gateway or HTTP, one code path behind both.
//!
//! ```text
//! gateway ─┐
//!          ├─▶ intake: parse ─▶ Inbox::take (at most 2.5 s) ─▶ seq moves on, the first answer goes out
//! http ────┘
//! ```
//!
//! Discord sends again what came after the number that the bot says it has, even to another process. So that number is
//! the last one *that is durable*, and it is kept in the store: what was lost in a crash comes again, and what comes
//! twice is recognised by its key. The client is our own because of that number: that of twilight-gateway moves it when
//! a frame is read, tells it to Discord with every heartbeat, and goes on from it; it also replaces the address for
//! going on by that of a stand-in, and would bring a second library for sockets.

mod acknowledge;
mod budget;
mod close;
mod http;
mod reconnect;
mod session;
mod shard;
mod wire;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::{acknowledge::Intake, budget::Budget, session::Kept, shard::Shard};
use super::{
    api::{Api, Failure},
    inbound::Inbox,
    manifest,
};
use crate::{
    base::{clock::Clock, telemetry::metric},
    chat::signed::Server,
    config::settings::{DiscordConnection, DiscordTransport},
    net::listener::Port,
    store::Store,
};

pub use self::{
    close::{LATE, Next, Refusal, after, is_late},
    http::PATH,
};
pub use crate::base::telemetry::link::Link;

/// How long things may take, and how many there may be; tests shorten the times.
#[derive(Debug, Clone)]
pub struct Pace {
    /// Longest time until something is durable; an interaction must be answered within three seconds.
    pub take: Duration,
    /// Longest time for a connection, and for its greeting, each.
    pub open: Duration,
    /// Longest time for a write to a socket: nobody reads at the other end.
    pub write: Duration,
    /// First pause before a connection is opened again; it doubles each time.
    pub pause: Duration,
    /// Longest pause.
    pub pause_max: Duration,
    /// Pause after Discord has said that a session is not valid: one to five seconds (docs, events/gateway).
    pub invalid: Duration,
    /// Between two sessions that are begun (docs, events/gateway).
    pub identify: Duration,
    /// Longest time until the number that the bot has is kept in the store. After a crash Discord sends again what came
    /// since then.
    pub keep: Duration,
    /// Without a connection for so long the bot is not ready.
    pub deaf: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            take: Duration::from_millis(2_500),
            open: Duration::from_secs(10),
            write: Duration::from_secs(5),
            pause: Duration::from_millis(250),
            pause_max: Duration::from_secs(30),
            invalid: Duration::from_secs(2),
            identify: Duration::from_secs(5),
            keep: Duration::from_secs(1),
            deaf: Duration::from_mins(1),
        }
    }
}

/// Why there is no connection, and will not be without somebody.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Discord does not want the bot.
    #[error("Discord does not let the bot in: {0}")]
    Refused(#[from] Refusal),
    /// Nothing can be signed with it.
    #[error(
        "`public_key` under `[discord]` is not a key. hint: copy it from \"General Information\" of the application"
    )]
    PublicKey,
    /// The address is taken, or not ours.
    #[error(
        "cannot listen on `{address}` for Discord: {why}. hint: choose another `listen` under `[discord]`"
    )]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        why: std::io::Error,
    },
    /// A part of it broke.
    #[error("the connection to Discord broke; the log says where")]
    Broke,
}

/// What a connection is made of.
#[derive(Debug)]
pub struct Parts {
    /// How the operator wants it.
    pub settings: DiscordConnection,
    /// Answers interactions, and says where the gateway is.
    pub api: Api,
    /// Takes in what comes.
    pub inbox: Arc<dyn Inbox>,
    /// Keeps how far each session came.
    pub store: Arc<dyn Store>,
    /// Tells how old something is.
    pub clock: Arc<dyn Clock>,
    /// Where requests come in, where it is open already.
    pub port: Option<Port>,
    /// How long things may take.
    pub pace: Pace,
}

/// A connection that is ready to run.
#[derive(Debug)]
pub struct Connection {
    way: Way,
    intake: Arc<Intake>,
    link: Arc<Link>,
}

#[derive(Debug)]
enum Way {
    Gateway(Box<Gateway>),
    Http(Server),
}

/// The gateway, before it is known how many connections it wants.
#[derive(Debug)]
struct Gateway {
    api: Api,
    store: Arc<dyn Store>,
    settings: DiscordConnection,
    /// As the operator wrote; `None`: as many as Discord advises.
    shards: Option<u32>,
    /// Discord knew the token.
    is_known: bool,
    pace: Pace,
}

impl Connection {
    /// Binds the address where one is needed, and asks Discord about the token. What Discord refuses ends here, in
    /// words; a network that is not there yet is waited for in [`Connection::run`].
    pub async fn begin(parts: Parts) -> Result<Self, Error> {
        let Parts { settings, api, inbox, store, clock, port, pace } = parts;
        let intake = Arc::new(Intake::new(inbox, api.clone(), Arc::clone(&clock), pace.take));
        match settings.transport.clone() {
            DiscordTransport::Http { listen, public_key } => {
                let server = http::bind(listen, &public_key, Arc::clone(&intake), clock, port)?;
                let link = Arc::new(Link::requests("Discord"));
                introduce(&api, &intake).await?;
                Ok(Self { way: Way::Http(server), intake, link })
            }
            DiscordTransport::Gateway { shards } => {
                let link = Arc::new(Link::sockets("Discord", metric::DISCORD_SOCKETS, pace.deaf));
                let is_known = introduce(&api, &intake).await?;
                let gateway = Gateway { api, store, settings, shards, is_known, pace };
                Ok(Self { way: Way::Gateway(Box::new(gateway)), intake, link })
            }
        }
    }

    /// Whether Discord reaches the bot.
    pub fn link(&self) -> Arc<Link> {
        Arc::clone(&self.link)
    }

    /// Where requests come in, with HTTP.
    pub const fn address(&self) -> Option<SocketAddr> {
        match &self.way {
            Way::Gateway(_) => None,
            Way::Http(server) => Some(server.address()),
        }
    }

    /// Takes in what comes until `shutdown`, then finishes what is in flight. Ends before that only for a reason that
    /// somebody has to see to.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), Error> {
        let Self { way, intake, link } = self;
        let ended = match way {
            Way::Gateway(gateway) => gateway.run(&intake, &link, shutdown).await,
            Way::Http(server) => {
                server.serve(shutdown).await;
                Ok(())
            }
        };
        intake.finish().await;
        ended
    }
}

/// Asks whose the bot's token is. False where Discord could not be asked.
async fn introduce(api: &Api, intake: &Intake) -> Result<bool, Error> {
    match api.me().await {
        Ok(me) => {
            intake.is_me(me["id"].as_str().unwrap_or_default());
            Ok(true)
        }
        Err(Failure::BadToken) => Err(Error::Refused(Refusal::Token)),
        Err(
            failure @ (Failure::Unreachable
            | Failure::Later { .. }
            | Failure::Unclear { .. }
            | Failure::Refused { .. }),
        ) => {
            tracing::warn!(%failure, "could not ask Discord about the bot yet; retrying");
            Ok(false)
        }
    }
}

impl Gateway {
    /// Keeps the connections open until `shutdown`, or until Discord does not want them any more.
    async fn run(
        mut self: Box<Self>,
        intake: &Arc<Intake>,
        link: &Arc<Link>,
        shutdown: CancellationToken,
    ) -> Result<(), Error> {
        let Some(budget) = self.known(intake, &shutdown).await? else { return Ok(()) };
        let budget = Arc::new(budget);
        let stop = shutdown.child_token();
        let mut shards = JoinSet::new();
        for number in 0..budget.shards() {
            let shard = Shard {
                number,
                of: budget.shards(),
                token: self.settings.token.clone(),
                intents: manifest::intents(&self.settings),
                proxies: self.settings.proxies.clone(),
                kept: Kept::new(Arc::clone(&self.store), number, budget.shards()),
                budget: Arc::clone(&budget),
                intake: Arc::clone(intake),
                link: Arc::clone(link),
                pace: self.pace.clone(),
            };
            shards.spawn(reconnect::run(shard, stop.clone()));
        }
        let mut result = Ok(());
        while let Some(ended) = shards.join_next().await {
            let ended = ended.unwrap_or(Err(Error::Broke));
            if ended.is_err() {
                stop.cancel();
            }
            result = result.and(ended);
        }
        result
    }

    /// Asks until it is known who the bot is and how many connections there are to be; `None` if it is to stop.
    async fn known(
        &mut self,
        intake: &Intake,
        shutdown: &CancellationToken,
    ) -> Result<Option<Budget>, Error> {
        let mut pause = self.pace.pause;
        loop {
            if self.is_known {
                match Budget::begin(&self.api, self.shards, self.pace.identify).await {
                    Ok(budget) => return Ok(Some(budget)),
                    Err(Failure::BadToken) => return Err(Error::Refused(Refusal::Token)),
                    Err(failure) => {
                        tracing::warn!(%failure, ?pause, "Discord does not say where its gateway is");
                    }
                }
            }
            tokio::select! {
                () = shutdown.cancelled() => return Ok(None),
                () = tokio::time::sleep(pause) => {}
            }
            pause = (pause * 2).min(self.pace.pause_max);
            if !self.is_known {
                self.is_known = introduce(&self.api, intake).await?;
            }
        }
    }
}
