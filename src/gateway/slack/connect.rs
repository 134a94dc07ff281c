//! The connection: Socket Mode or HTTP, one code path behind both.
//!
//! ```text
//! socket ─┐
//!         ├─▶ intake: parse ─▶ Inbox::take (at most 2.5 s) ─▶ acknowledged
//! http ───┘
//! ```
//!
//! What arrives is acknowledged when it is durable and not before: what is not, Slack delivers again, or tells the
//! person. The socket client is our own. That of slack-morphism awaits one frame before it reads the next, and has no
//! way to acknowledge later; it drops acknowledgements that wait when a socket is replaced, opens the new one only
//! after it has left the old, waits without end for a connection, and writes the address of a socket, which is a
//! secret, into the log.

mod acknowledge;
mod ephemeral;
mod http;
mod socket;
mod wire;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use tokio_util::sync::CancellationToken;

use self::{acknowledge::Intake, socket::Pool};
use super::{
    api::{Api, Failure},
    inbound::Inbox,
    tokens,
};
use crate::{
    base::{clock::Clock, telemetry::metric},
    chat::signed::Server,
    config::settings::{SlackConnection, SlackTokens, SlackTransport},
    net::listener::Port,
};

pub use crate::base::telemetry::link::Link;

/// How long things may take, and how many there may be; tests shorten the times.
#[derive(Debug, Clone)]
pub struct Pace {
    /// Longest time until something is durable. Slack waits three seconds for the acknowledgement, the way there and
    /// back included.
    pub take: Duration,
    /// Longest time for a socket: its address, the connection, the greeting, each.
    pub open: Duration,
    /// Longest time for a write to a socket: nobody reads at the other end.
    pub write: Duration,
    /// Between two pings to Slack; a network can swallow a connection without either side hearing of it.
    pub ping: Duration,
    /// Pings without an answer after which a socket is given up.
    pub pings_missed: u32,
    /// First pause before a socket is opened again; it doubles each time.
    pub pause: Duration,
    /// Longest pause.
    pub pause_max: Duration,
    /// Pause after Slack has said that too many sockets are open.
    pub crowded: Duration,
    /// How long a socket is still read after Slack has announced its end.
    pub drain: Duration,
    /// Without a socket for so long the bot is not ready.
    pub deaf: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            take: Duration::from_millis(2_500),
            open: Duration::from_secs(10),
            write: Duration::from_secs(5),
            ping: Duration::from_secs(10),
            pings_missed: 3,
            pause: Duration::from_millis(250),
            pause_max: Duration::from_secs(30),
            crowded: Duration::from_secs(15),
            drain: Duration::from_secs(30),
            deaf: Duration::from_mins(1),
        }
    }
}

/// Why there is no connection, and will not be without somebody.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bot's token.
    #[error(
        "Slack does not accept the bot's token: `{0}`. hint: copy it anew from \"OAuth & Permissions\" of the app's \
         settings; reinstalling the app changes it"
    )]
    BotToken(String),
    /// The app's token.
    #[error(
        "Slack does not open sockets for the app's token: `{0}`. hint: it needs the scope `connections:write` (\"Basic \
         Information\" of the app's settings), and Socket Mode must be switched on there"
    )]
    AppToken(String),
    /// Socket Mode was switched off.
    #[error(
        "Socket Mode is switched off in the app's settings. hint: switch it on under \"Socket Mode\", or write \
         `transport = \"http\"`"
    )]
    LinkDisabled,
    /// The address is taken, or not ours.
    #[error(
        "cannot listen on `{address}` for Slack: {why}. hint: choose another `listen` under `[slack]`"
    )]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        why: std::io::Error,
    },
    /// A part of it broke.
    #[error("the connection to Slack broke; the log says where")]
    Broke,
}

/// What a connection is made of.
#[derive(Debug)]
pub struct Parts {
    /// How the operator wants it.
    pub settings: SlackConnection,
    /// Opens sockets.
    pub api: Api,
    /// Takes in what comes.
    pub inbox: Arc<dyn Inbox>,
    /// Tells how old a request is.
    pub clock: Arc<dyn Clock>,
    /// Further paths of the address, those of installing.
    pub routes: Option<Router>,
    /// Where requests come in, where it is open already.
    pub port: Option<Port>,
    /// How long things may take.
    pub pace: Pace,
}

/// A connection that is ready to run.
#[derive(Debug)]
pub struct Connection {
    server: Option<Server>,
    pool: Option<Pool>,
    intake: Arc<Intake>,
    link: Arc<Link>,
    /// Whose the bot's token is has still to be asked.
    stranger: Option<Api>,
    pace: Pace,
}

impl Connection {
    /// Binds the address where one is needed, and asks Slack about the tokens. What Slack refuses ends here, in words;
    /// a network that is not there yet is waited for in [`Connection::run`].
    pub async fn begin(parts: Parts) -> Result<Self, Error> {
        let Parts { settings, api, inbox, clock, routes, port, pace } = parts;
        let link = Arc::new(match &settings.transport {
            SlackTransport::Socket { .. } => {
                Link::sockets("Slack", metric::SLACK_SOCKETS, pace.deaf)
            }
            SlackTransport::Http { .. } => Link::requests("Slack"),
        });
        let intake = Arc::new(Intake::new(inbox, &settings.api_url, pace.take));
        let server = if settings.address().is_some() {
            let bound = http::bind(&settings, Arc::clone(&intake), clock, routes, port)?;
            Some(bound)
        } else {
            None
        };
        let is_known = is_known(&api, &settings.tokens).await?;
        let pool = match settings.transport {
            SlackTransport::Socket { app_token, sockets } => {
                let pool = Pool {
                    api: api.clone(),
                    app_token,
                    sockets,
                    proxies: settings.proxies,
                    intake: Arc::clone(&intake),
                    link: Arc::clone(&link),
                    pace: pace.clone(),
                };
                Some(pool.checked().await?)
            }
            SlackTransport::Http { .. } => None,
        };
        let stranger = (!is_known).then_some(api);
        Ok(Self { server, pool, intake, link, stranger, pace })
    }

    /// Whether Slack reaches the bot.
    pub fn link(&self) -> Arc<Link> {
        Arc::clone(&self.link)
    }

    /// Where requests come in, with HTTP or with installing.
    pub fn address(&self) -> Option<SocketAddr> {
        self.server.as_ref().map(Server::address)
    }

    /// Takes in what comes until `shutdown`, then finishes what is in flight. Ends before that only for a reason that
    /// somebody has to see to.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), Error> {
        let Self { server, pool, intake, link: _, stranger, pace } = self;
        if let Some(api) = stranger {
            introduce(&api, &pace, &shutdown).await?;
        }
        // Sockets that fail take the server with them.
        let stop = shutdown.child_token();
        let answering = async {
            if let Some(server) = server {
                server.serve(stop.clone()).await;
            }
        };
        let listening = async {
            let ended = match pool {
                Some(pool) => pool.run(stop.clone()).await,
                None => Ok(()),
            };
            if ended.is_err() {
                stop.cancel();
            }
            ended
        };
        let ((), listening) = tokio::join!(answering, listening);
        intake.finish().await;
        listening
    }
}

/// Asks whose the bot's token is. False where Slack could not be asked.
async fn is_known(api: &Api, tokens: &SlackTokens) -> Result<bool, Error> {
    if matches!(tokens, SlackTokens::Many(_)) {
        return Ok(true);
    }
    match tokens::identify(api).await {
        Ok(()) => Ok(true),
        Err(Failure::Refused { error, .. }) => Err(Error::BotToken(error)),
        Err(failure) => {
            tracing::warn!(%failure, "could not ask Slack about the bot token yet; retrying");
            Ok(false)
        }
    }
}

/// Asks until Slack can be asked: without it nothing that comes in belongs to anybody.
async fn introduce(api: &Api, pace: &Pace, shutdown: &CancellationToken) -> Result<(), Error> {
    let mut pause = pace.pause;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(pause) => {}
        }
        match tokens::identify(api).await {
            Ok(()) => return Ok(()),
            Err(Failure::Refused { error, .. }) => return Err(Error::BotToken(error)),
            Err(_) => pause = (pause * 2).min(pace.pause_max),
        }
    }
}
