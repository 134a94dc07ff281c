//! A Slack of our own on loopback: workspaces, people, channels, threads, files, views, sockets, with Slack's limits,
//! errors and habits, and every fault it can have. It knows nothing of the bot and serves the library and the program
//! alike.
//!
//! ```text
//! bot ─▶ calls ─▶ State ◀─ person          people act by what they see: `Person`, `Screen`
//! bot ◀─ wire (sockets | http) ◀─ State    events, interactions, commands, with acknowledgements
//! ```
//!
//! Time comes from the clock that the test gives; nothing here waits for the clock on the wall but the wire.

pub(crate) mod args;
pub(crate) mod blocks;
pub(crate) mod calls;
pub(crate) mod draw;
pub(crate) mod faults;
pub(crate) mod gate;
pub(crate) mod page;
pub(crate) mod person;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod shapes;
pub(crate) mod state;
pub(crate) mod wire;

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use anteroom::base::clock::{Clock, FixedClock};
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::{net::TcpListener, sync::watch, task::JoinSet};

use self::{
    faults::Fault,
    gate::Gate,
    state::{Call, State},
    wire::Wire,
};

/// Longest wait for something that must happen, by the clock on the wall.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// How the app is installed, and how strict Slack is.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The time that triggers, streams and timestamps go by.
    pub(crate) clock: Arc<dyn Clock>,
    /// What the app's bot token may do.
    pub(crate) scopes: BTreeSet<String>,
    /// What events the app is told of.
    pub(crate) events: BTreeSet<String>,
    /// The commands it has.
    pub(crate) commands: BTreeSet<String>,
    /// How long an acknowledgement is waited for.
    pub(crate) ack_limit: Duration,
    /// [`PATIENCE`], or another.
    pub(crate) patience: Duration,
    /// Refuse what comes too fast.
    pub(crate) rates: Option<Rates>,
}

/// How fast is too fast.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rates {
    /// Messages that one channel takes at once; then one a second.
    pub(crate) burst: f64,
    /// The tiers are multiplied by this.
    pub(crate) tiers: f64,
}

impl Settings {
    /// Everything is granted, nothing is too fast, and the clock stands still.
    pub(crate) fn new() -> Self {
        let at = "2026-11-02T10:00:00Z".parse().unwrap();
        Self {
            clock: Arc::new(FixedClock::new(at)),
            scopes: words(SCOPES),
            events: words(EVENTS),
            commands: words("/onboard"),
            ack_limit: Duration::from_secs(3),
            patience: PATIENCE,
            rates: None,
        }
    }

    /// What an app made from this manifest gets: no more scopes, events and commands than it asks for.
    pub(crate) fn of_manifest(mut self, manifest: &Value) -> Self {
        let list = |value: &Value| -> BTreeSet<String> {
            let list = value.as_array().cloned().unwrap_or_default();
            list.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect()
        };
        self.scopes = list(&manifest["oauth_config"]["scopes"]["bot"]);
        self.events = list(&manifest["settings"]["event_subscriptions"]["bot_events"]);
        let commands = manifest["features"]["slash_commands"].as_array().cloned();
        self.commands = commands
            .unwrap_or_default()
            .iter()
            .filter_map(|command| command["command"].as_str().map(str::to_owned))
            .collect();
        self
    }

    pub(crate) fn on(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }
}

fn words(list: &str) -> BTreeSet<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

const SCOPES: &str = "app_mentions:read assistant:write chat:write commands im:history im:read im:write \
    channels:history channels:read groups:history groups:read groups:write files:read files:write \
    reactions:write users:read users:read.email usergroups:read team:read";

const EVENTS: &str = "app_home_opened app_mention message.im message.channels message.groups agent_session_stopped \
    agent_session_title_changed app_context_changed app_uninstalled tokens_revoked channel_archive \
    channel_unarchive channel_deleted channel_left group_archive group_unarchive group_deleted group_left \
    member_joined_channel member_left_channel user_change subteam_updated subteam_members_changed \
    team_access_granted team_access_revoked";

/// What the app is called and signed with.
pub(crate) const APP: &str = "A0ANTEROOM";
pub(crate) const TEAM: &str = "T0ACME";
pub(crate) const BOT_USER: &str = "U0BOT";
pub(crate) const BOT_TOKEN: &str = "xoxb-marker-bot-token";
pub(crate) const APP_TOKEN: &str = "xapp-marker-app-token";
pub(crate) const SIGNING_SECRET: &str = "marker-signing-secret";
pub(crate) const CLIENT_ID: &str = "1234.5678";
pub(crate) const CLIENT_SECRET: &str = "marker-client-secret";

/// The emulator; cheap to clone.
#[derive(Clone)]
pub(crate) struct Slack {
    inner: Arc<Inner>,
}

struct Inner {
    state: Mutex<State>,
    changed: watch::Sender<u64>,
    wire: Wire,
    gate: Gate,
    /// Where the Web API is: `http://127.0.0.1:1/api/`.
    url: String,
    tasks: Mutex<JoinSet<()>>,
    /// What is waited for after everything that a person does.
    rest: Mutex<Option<Rest>>,
}

/// Waits until a bot has nothing left to do.
pub(crate) type Rest = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

impl fmt::Debug for Slack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slack")
    }
}

impl Slack {
    /// Serves a small company: see [`State::seeded`].
    pub(crate) async fn start(settings: Settings) -> Self {
        let http = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let sockets = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = door.local_addr().unwrap();
        let wire = Wire::new();
        let mut state = State::seeded(settings, &format!("http://{address}"));
        state.sockets_at = format!("ws://{}", sockets.local_addr().unwrap());
        let inner = Inner {
            state: Mutex::new(state),
            changed: watch::Sender::new(0),
            wire,
            gate: Gate::open(door, http.local_addr().unwrap()),
            url: format!("http://{address}/api/"),
            tasks: Mutex::default(),
            rest: Mutex::default(),
        };
        let slack = Self { inner: Arc::new(inner) };
        slack.go(serve::http(Arc::downgrade(&slack.inner), http));
        slack.go(wire::sockets(Arc::downgrade(&slack.inner), sockets));
        slack
    }

    /// Where the Web API is.
    pub(crate) fn api_url(&self) -> &str {
        &self.inner.url
    }

    /// Looks at everything or changes it; whoever waits for something looks again.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let result = act(&mut self.lock());
        self.flush();
        self.inner.changed.send_modify(|n| *n += 1);
        result
    }

    /// Looks at everything.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn wire(&self) -> &Wire {
        &self.inner.wire
    }

    /// Runs something that ends with the emulator.
    fn go(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.inner.tasks.lock().unwrap();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work);
    }

    fn from_inner(inner: &std::sync::Weak<Inner>) -> Option<Self> {
        inner.upgrade().map(|inner| Self { inner })
    }

    /// After everything that a person does, this is waited for.
    pub(crate) fn resting(&self, rest: Option<Rest>) {
        *self.inner.rest.lock().unwrap() = rest;
    }

    /// Waits until the bot has nothing left to do, where somebody has said how.
    pub(crate) async fn rest(&self) {
        let rest = self.inner.rest.lock().unwrap().clone();
        if let Some(rest) = rest {
            rest().await;
        }
    }

    /// Tells whoever waits that something changed outside of the state.
    fn nudge(&self) {
        self.inner.changed.send_modify(|n| *n += 1);
    }

    /// Waits until `seen` finds something; fails the test with `what` after a while.
    pub(crate) async fn until<T>(
        &self,
        what: &str,
        mut seen: impl FnMut(&State) -> Option<T>,
    ) -> T {
        let mut changes = self.inner.changed.subscribe();
        let wait = async {
            loop {
                changes.mark_unchanged();
                if let Some(found) = self.look(&mut seen) {
                    return found;
                }
                changes.changed().await.unwrap();
                // Where hundreds of people look, each looks at several changes at once.
                let looking = u64::try_from(self.inner.changed.receiver_count()).unwrap();
                tokio::time::sleep(Duration::from_millis(looking)).await;
            }
        };
        let patience = self.look(|state| state.settings.patience);
        let Ok(found) = tokio::time::timeout(patience, wait).await else {
            panic!("never: {what}\n{}", self.look(State::everything));
        };
        found
    }

    /// The next `times` calls of a method fail like this; `*` means any method.
    pub(crate) fn fail(&self, method: &str, times: usize, fault: Fault) {
        self.with(|state| state.faults.plan(method, times, fault));
    }

    /// Every call of a method fails from now on, in a channel or, where that is empty, anywhere; until [`Slack::mend`].
    pub(crate) fn break_for_good(&self, method: &str, channel: &str, fault: Fault) {
        self.with(|state| state.faults.lasting(method, channel, fault));
    }

    /// The same with a refusal.
    pub(crate) fn refuse(&self, method: &str, channel: &str, error: &'static str) {
        self.break_for_good(method, channel, Fault::Says(error));
    }

    /// Nothing fails any more.
    pub(crate) fn mend(&self) {
        self.with(|state| state.faults.clear());
    }

    /// Every call so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.look(|state| state.calls.clone())
    }

    /// Calls of one method so far.
    pub(crate) fn calls_of(&self, method: &str) -> Vec<Call> {
        self.calls().into_iter().filter(|call| call.method == method).collect()
    }
}
