//! The connection: what arrives is acknowledged when it is saved and not before, whichever way it comes, and no socket
//! ends without its successor.
#![expect(
    clippy::disallowed_methods,
    reason = "what is spawned is awaited by its test, or ends with it"
)]

mod http;
mod sockets;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use anteroom::{
    base::clock::FixedClock,
    config::{
        Proxies, Secret, SlackRates,
        settings::{SlackConnection, SlackTokens, SlackTransport},
    },
    gateway::slack::{
        api::Api,
        connect::{Connection, Error, Link, Pace, Parts},
        inbound::{Ack, Envelope, Inbox, Incoming, NotSaved},
        installations::Installations,
    },
};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::{sync::Semaphore, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::slack::emulator::{
    APP_TOKEN, BOT_TOKEN, PATIENCE, SIGNING_SECRET, Settings, Slack, TEAM, wire::Push,
};

/// Takes everything in, and does what the words of a message say: `slow` waits until it may go on, `full` cannot be
/// saved, `never` takes for ever.
#[derive(Debug)]
struct Desk {
    taken: Mutex<Vec<Envelope>>,
    go: Semaphore,
    arrived: Semaphore,
}

#[async_trait]
impl Inbox for Desk {
    async fn take(&self, envelope: Envelope) -> Result<Ack, NotSaved> {
        self.arrived.add_permits(1);
        match words(&envelope.what) {
            "slow" => self.go.acquire().await.unwrap().forget(),
            "full" => return Err(NotSaved),
            "never" => std::future::pending().await,
            _ => {}
        }
        let ack = match &envelope.what {
            Incoming::Submitted(_) => {
                Ack::Errors(BTreeMap::from([("name".to_owned(), "Please write it".to_owned())]))
            }
            Incoming::Command(_) | Incoming::Action(_) => {
                Ack::Ephemeral { text: "Only you see this".to_owned(), blocks: Vec::new() }
            }
            _ => Ack::Empty,
        };
        self.taken.lock().unwrap().push(envelope);
        Ok(ack)
    }
}

fn words(what: &Incoming) -> &str {
    match what {
        Incoming::Message(message) => &message.text,
        Incoming::Command(command) => &command.text,
        Incoming::Action(action) => &action.value,
        _ => "",
    }
}

impl Desk {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            taken: Mutex::default(),
            go: Semaphore::new(0),
            arrived: Semaphore::new(0),
        })
    }

    /// What was taken, in words, in order.
    fn taken(&self) -> Vec<String> {
        self.taken.lock().unwrap().iter().map(|taken| words(&taken.what).to_owned()).collect()
    }

    /// Waits until so many have arrived since the last time.
    async fn arrived(&self, count: u32) {
        let arrived = tokio::time::timeout(PATIENCE, self.arrived.acquire_many(count)).await;
        arrived.expect("nothing arrived").unwrap().forget();
    }
}

/// The times of real life, shortened.
fn pace() -> Pace {
    Pace {
        take: Duration::from_millis(400),
        ping: Duration::from_millis(100),
        pause: Duration::from_millis(10),
        crowded: Duration::from_millis(50),
        deaf: Duration::from_millis(100),
        ..Pace::default()
    }
}

fn socket() -> SlackTransport {
    SlackTransport::Socket { app_token: Secret::new(APP_TOKEN), sockets: 2 }
}

fn http() -> SlackTransport {
    SlackTransport::Http { signing_secret: Secret::new(SIGNING_SECRET) }
}

fn settings(slack: &Slack, transport: SlackTransport) -> SlackConnection {
    SlackConnection {
        transport,
        tokens: SlackTokens::One { bot_token: Secret::new(BOT_TOKEN), bot_token_file: None },
        listen: "127.0.0.1:0".parse().unwrap(),
        command: "/onboard".to_owned(),
        staff_users: [].into(),
        staff_groups: [].into(),
        api_url: slack.api_url().trim_end_matches('/').to_owned(),
        rates: SlackRates::default(),
        proxies: Proxies::default(),
    }
}

/// A connection under test.
struct Bot {
    slack: Slack,
    desk: Arc<Desk>,
    clock: Arc<FixedClock>,
    link: Arc<Link>,
    base: String,
    shutdown: CancellationToken,
    running: JoinHandle<Result<(), Error>>,
}

impl Bot {
    async fn start(transport: SlackTransport) -> Self {
        let clock = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
        let slack = Slack::start(Settings::new().on(Arc::<FixedClock>::clone(&clock))).await;
        let desk = Desk::new();
        let connection = begin(&settings(&slack, transport), &desk, &clock).await.unwrap();
        let base = connection.address().map_or_else(String::new, |at| format!("http://{at}"));
        let link = connection.link();
        let shutdown = CancellationToken::new();
        let running = tokio::spawn(connection.run(shutdown.clone()));
        Self { slack, desk, clock, link, base, shutdown, running }
    }

    async fn connected() -> Self {
        let bot = Self::start(socket()).await;
        bot.slack.connected(2).await;
        bot
    }

    /// Ends it, and says how it ended.
    async fn stop(self) -> Result<(), Error> {
        self.shutdown.cancel();
        tokio::time::timeout(PATIENCE, self.running).await.expect("it stops").unwrap()
    }
}

async fn begin(
    settings: &SlackConnection,
    desk: &Arc<Desk>,
    clock: &Arc<FixedClock>,
) -> Result<Connection, Error> {
    let bot_token = match &settings.tokens {
        SlackTokens::One { bot_token, .. } => bot_token.clone(),
        SlackTokens::Many(_) => panic!("one workspace"),
    };
    let installations = Arc::new(Installations::plain(bot_token));
    let api = Api::new(&settings.api_url, installations, &settings.rates).unwrap();
    Connection::begin(Parts {
        settings: settings.clone(),
        api,
        inbox: Arc::<Desk>::clone(desk),
        clock: Arc::<FixedClock>::clone(clock),
        routes: None,
        port: None,
        pace: pace(),
    })
    .await
}

/// A message with these words; its number names it.
fn message(number: u32, text: &str) -> Push {
    let ts = format!("1690.{number:06}");
    let event = json!({"type": "message", "user": "U01", "text": text, "ts": ts, "channel": "D01", "channel_type": "im"});
    Push::event(
        &number.to_string(),
        json!({"type": "event_callback", "team_id": TEAM, "event_id": format!("Ev{number}"), "event": event}),
    )
}

fn interaction(id: &str, payload: Value) -> Push {
    Push { kind: "interactive", ..Push::event(id, payload) }
}

fn command(text: &str, response_url: &str) -> Push {
    let fields = json!({"command": "/onboard", "text": text, "team_id": TEAM, "user_id": "U01", "channel_id": "C01",
        "trigger_id": format!("1.{text}"), "response_url": response_url});
    Push { kind: "slash_commands", ..Push::event("cmd", fields) }
}

fn form() -> Push {
    interaction(
        "form",
        json!({"type": "view_submission", "team": {"id": TEAM}, "user": {"id": "U01"}, "view": {"id": "V01", "hash": "h", "state": {"values": {}}}}),
    )
}

fn click(value: &str, response_url: &str) -> Push {
    interaction(
        value,
        json!({"type": "block_actions", "team": {"id": TEAM}, "user": {"id": "U01"}, "response_url": response_url,
            "actions": [{"type": "button", "action_id": "a", "block_id": "b", "value": value, "action_ts": format!("1.{value}")}]}),
    )
}

/// An address that people's own words are posted to, and what was posted there.
async fn ear() -> (String, tokio::sync::mpsc::Receiver<Value>) {
    let (to, replies) = tokio::sync::mpsc::channel(16);
    let routes = axum::Router::new().route(
        "/respond",
        axum::routing::post(move |axum::Json(words): axum::Json<Value>| async move {
            to.send(words).await.unwrap();
        }),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/respond", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (address, replies)
}

#[test]
fn every_client_finds_its_cryptography() {
    // As `main` does first thing. There is one in the graph now; with two, building one of these would panic.
    drop(rustls::crypto::ring::default_provider().install_default());
    anteroom::gateway::slack::api::connector("https://slack.com/api", &Proxies::default()).unwrap();
    reqwest::Client::builder().https_only(true).build().unwrap();
    assert!(rustls::crypto::CryptoProvider::get_default().is_some());
}

async fn next(replies: &mut tokio::sync::mpsc::Receiver<Value>) -> Value {
    tokio::time::timeout(PATIENCE, replies.recv()).await.expect("nobody was told").unwrap()
}
