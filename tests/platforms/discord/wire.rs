//! The connection: what happens on Discord is taken in once it is saved and not before, whichever way it comes, and what
//! is missed comes again, to another process too.
#![expect(
    clippy::disallowed_methods,
    reason = "what is spawned is awaited by its test, or ends with it"
)]

mod gateway;
mod http;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use anteroom::{
    base::clock::FixedClock,
    config::{
        Proxies, Secret,
        settings::{DiscordConnection, DiscordTransport},
    },
    gateway::discord::{
        api::{self, Api},
        connect::{Connection, Error, Link, Pace, Parts},
        inbound::{Ack, Envelope, Inbox, Incoming, NotSaved},
    },
    store::{Store, memory::MemoryStore},
};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::{sync::Semaphore, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::discord::emulator::{
    Discord, PATIENCE,
    acts::public_key,
    state::{APPLICATION, TOKEN},
};

/// The channel of the tests, and somebody who writes there.
const CHANNEL: u64 = 600;
const ADA: u64 = 701;

/// Takes everything in, and does what the words say: `slow` waits until it may go on, `full` cannot be saved as long as
/// it is, `never` takes for ever.
#[derive(Debug)]
struct Desk {
    taken: Mutex<Vec<Envelope>>,
    is_full: Mutex<bool>,
    go: Semaphore,
    arrived: Semaphore,
}

#[async_trait]
impl Inbox for Desk {
    async fn take(&self, envelope: Envelope) -> Result<Ack, NotSaved> {
        let words = words(&envelope.what);
        if !words.is_empty() {
            self.arrived.add_permits(1);
        }
        match words {
            "slow" => self.go.acquire().await.unwrap().forget(),
            "full" if *self.is_full.lock().unwrap() => return Err(NotSaved),
            "never" => std::future::pending().await,
            _ => {}
        }
        let ack = match &envelope.what {
            Incoming::Action(_) => Ack::Seen,
            Incoming::Command(_) => Ack::Later,
            _ => Ack::Nothing,
        };
        self.taken.lock().unwrap().push(envelope);
        Ok(ack)
    }
}

fn words(what: &Incoming) -> &str {
    match what {
        Incoming::Message(message) => &message.text,
        Incoming::Action(action) => &action.element,
        Incoming::Command(command) => command.path.first().map_or("", String::as_str),
        Incoming::MemberJoined(_) => "joined",
        Incoming::MemberChanged(_) => "member",
        _ => "",
    }
}

impl Desk {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            taken: Mutex::default(),
            is_full: Mutex::new(true),
            go: Semaphore::new(0),
            arrived: Semaphore::new(0),
        })
    }

    /// What people said, in order, with what has been taken in before left out as an inbox does.
    fn taken(&self) -> Vec<String> {
        let mut keys = std::collections::BTreeSet::new();
        let taken = self.taken.lock().unwrap();
        let new = taken.iter().filter(|taken| keys.insert(taken.key.clone()));
        let said = new.map(|taken| words(&taken.what).to_owned());
        said.filter(|words| !words.is_empty()).collect()
    }

    /// How often something was handed over, repeats counted.
    fn handed_over(&self, what: &str) -> usize {
        let taken = self.taken.lock().unwrap();
        taken.iter().filter(|taken| words(&taken.what) == what).count()
    }

    /// Waits until so many have arrived since the last time.
    async fn arrived(&self, count: u32) {
        let arrived = tokio::time::timeout(PATIENCE, self.arrived.acquire_many(count)).await;
        arrived.expect("nothing arrived").unwrap().forget();
    }
}

/// The times of real life, shortened.
fn pace() -> Pace {
    let short = Duration::from_millis(10);
    Pace {
        take: Duration::from_millis(400),
        pause: short,
        invalid: short,
        identify: short,
        keep: short,
        deaf: Duration::from_millis(100),
        ..Pace::default()
    }
}

/// What a bot is made of; it can be started again and again.
struct World {
    discord: Discord,
    desk: Arc<Desk>,
    store: Arc<dyn Store>,
    clock: Arc<FixedClock>,
    settings: DiscordConnection,
    pace: Pace,
}

impl World {
    async fn new() -> Self {
        let discord = Discord::start().await;
        discord.with(|state| {
            state.add_channel(CHANNEL, "welcome");
            state.add_user(ADA, "ada");
        });
        let clock = Arc::new(FixedClock::new(discord.with(|state| state.now)));
        let settings = DiscordConnection {
            token: Secret::new(TOKEN.trim_start_matches("Bot ")),
            application_id: APPLICATION.to_string(),
            transport: DiscordTransport::Gateway { shards: None },
            message_content: true,
            members: true,
            staff_users: [].into(),
            staff_roles: [].into(),
            requests_per_second: None,
            api_base: discord.base.clone(),
            proxies: Proxies::default(),
        };
        let store = Arc::new(MemoryStore::default());
        Self { discord, desk: Desk::new(), store, clock, settings, pace: pace() }
    }

    /// The same over requests.
    async fn over_http() -> Self {
        let mut world = Self::new().await;
        let listen = "127.0.0.1:0".parse().unwrap();
        world.settings.transport = DiscordTransport::Http { listen, public_key: public_key() };
        world
    }

    async fn begin(&self) -> Result<Connection, Error> {
        let settings = self.settings.clone();
        let api = Api::new(&settings.api_base, settings.token.clone(), api::Pace::default());
        Connection::begin(Parts {
            settings,
            api: api.unwrap(),
            inbox: Arc::<Desk>::clone(&self.desk),
            store: Arc::clone(&self.store),
            clock: Arc::<FixedClock>::clone(&self.clock),
            port: None,
            pace: self.pace.clone(),
        })
        .await
    }

    async fn start(&self) -> Bot {
        let connection = self.begin().await.unwrap();
        let (link, address) = (connection.link(), connection.address());
        let shutdown = CancellationToken::new();
        let running = tokio::spawn(connection.run(shutdown.clone()));
        let base = address.map_or_else(String::new, |at| format!("http://{at}"));
        Bot { link, base, shutdown, running }
    }

    /// Starts it, and waits until it is connected.
    async fn connected(&self) -> Bot {
        let bot = self.start().await;
        self.connects(1).await;
        bot.knows_of(1).await;
        bot
    }

    async fn connects(&self, count: usize) {
        let is_so = |state: &crate::discord::emulator::state::State| {
            (state.gateway.connected() == count).then_some(())
        };
        self.discord.until("the bot connects", is_so).await;
    }

    /// Ada writes.
    fn says(&self, words: &str) {
        self.discord.with(|state| state.writes(ADA, CHANNEL, words, &[]));
    }
}

/// A bot under test.
struct Bot {
    link: Arc<Link>,
    base: String,
    shutdown: CancellationToken,
    running: JoinHandle<Result<(), Error>>,
}

impl Bot {
    /// Waits until so many of its sessions stand.
    async fn knows_of(&self, count: usize) {
        let looking = async {
            while self.link.open() != count {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, looking).await.expect("its sessions stand");
    }

    /// Ends it, and says how it ended.
    async fn stop(self) -> Result<(), Error> {
        self.shutdown.cancel();
        self.ends().await
    }

    /// Waits until it ends by itself.
    async fn ends(self) -> Result<(), Error> {
        tokio::time::timeout(PATIENCE, self.running).await.expect("it stops").unwrap()
    }

    /// As when the machine loses its power.
    async fn crash(self) {
        self.running.abort();
        self.running.await.unwrap_err();
    }
}

/// What pressing a button says.
fn button(element: &str) -> Value {
    json!({ "component_type": 2, "custom_id": element })
}
