//! The whole bot in the Discord of the tests: its parts in this process, a clock that stands still, a store that
//! survives it.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anteroom::{
    base::{
        clock::{Clock, FixedClock},
        ids::{CountingIds, Ids, SessionId},
    },
    config::{Environment, Settings, Tenant, raw::TenantDiscord},
    engine::{self, Engine},
    flow::{
        Library,
        subtasks::{LoadedTask, Tasks},
    },
    gateway::discord::{
        api,
        app::App,
        background,
        connect::{self, Connection, Pace},
        handler::DiscordInbox,
        inbound::{Ack, Envelope, Inbox, NotSaved},
        send::DiscordGateway,
    },
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::Contacts,
        llm::{Model, Models},
    },
    store::{Store, memory::MemoryStore},
    tool::{Services, Toolbox},
};
use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::Value;
use tempfile::TempDir;
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

use crate::discord::{
    deployed::{self, Deployed},
    emulator::{
        Discord, PATIENCE,
        acts::public_key,
        state::{GUILD, State, TOKEN, may},
    },
    judges,
    mortal::Mortal,
    person::{Desk, Person},
    scripted::Scripted,
};

pub(crate) const WELCOME: u64 = 1_100_000_000_000_000_001;
pub(crate) const INTRODUCTIONS: u64 = 1_100_000_000_000_000_002;
pub(crate) const ONBOARDING: u64 = 1_100_000_000_000_000_005;
pub(crate) const APPROVALS: u64 = 1_100_000_000_000_000_003;
pub(crate) const DESK: u64 = 1_100_000_000_000_000_004;

/// A role by its place in the configuration.
pub(crate) const fn role(n: u64) -> u64 {
    1_200_000_000_000_000_000 + n
}

pub(crate) const ADA: u64 = 701;
pub(crate) const GRACE: u64 = 702;
pub(crate) const LINUS: u64 = 1_400_000_000_000_000_703;
pub(crate) const MALLORY: u64 = 704;

/// How Discord reaches the bot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum By {
    #[default]
    Gateway,
    Http,
}

/// Hands on what comes in, and knows what is in flight.
#[derive(Debug)]
struct Watched {
    inbox: DiscordInbox,
    taken: watch::Sender<usize>,
}

#[async_trait]
impl Inbox for Watched {
    async fn take(&self, envelope: Envelope) -> Result<Ack, NotSaved> {
        let taken = self.inbox.take(envelope).await;
        self.taken.send_modify(|taken| *taken += 1);
        taken
    }
}

/// What a bot is made from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    pub(crate) by: By,
    pub(crate) model: Option<Arc<Scripted>>,
    /// Flows of its own; the shipped ones where there is none.
    pub(crate) flow: Option<String>,
    /// Which of the shipped ones; that of communities where it is not said.
    pub(crate) shipped: Option<String>,
    /// Further lines of Discord's table.
    pub(crate) discord: String,
    /// A template for child runs besides those in the box.
    pub(crate) task: Option<String>,
    pub(crate) deployed: Deployed,
    /// Who decides by name, besides those who have the role.
    pub(crate) deciders: Vec<u64>,
    /// Everything is set up for a tenant, which has this server, and nothing outside of it.
    pub(crate) tenant: Option<u64>,
}

impl Plan {
    /// All words reach the bot.
    pub(crate) fn hearing() -> Self {
        Self { discord: "message_content = true".to_owned(), ..Self::default() }
    }
}

/// A bot at work, and the Discord around it.
pub(crate) struct Bot {
    pub(crate) discord: Discord,
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) engine: Engine,
    /// What survives a process.
    pub(crate) store: Arc<MemoryStore>,
    /// The hold that this process has on it.
    pub(crate) hold: Arc<Mortal>,
    pub(crate) app: Arc<App>,
    watched: Arc<Watched>,
    ids: Arc<dyn Ids>,
    plan: Plan,
    folder: TempDir,
    shutdown: CancellationToken,
    tasks: JoinSet<()>,
    desks: Mutex<BTreeMap<u64, Desk>>,
    /// Nobody waits until it has done its work.
    unrested: AtomicBool,
}

impl Bot {
    /// The shipped flows without a model.
    pub(crate) async fn new() -> Self {
        Self::planned(Plan::default()).await
    }

    /// A flow of its own without a model.
    pub(crate) async fn on(flow: &str) -> Self {
        Self::planned(Plan { flow: Some(flow.to_owned()), ..Plan::default() }).await
    }

    /// A panel stands in the channel where members arrive, and Ada has pressed this, one after the other.
    pub(crate) async fn pressed(plan: Plan, labels: &[&str]) -> Self {
        let bot = Self::planned(plan).await;
        bot.linus().at("welcome").command("/onboard panel", &[]).await;
        for label in labels {
            bot.ada().press(label).await;
        }
        bot
    }

    /// Ada stands before the rules.
    pub(crate) async fn at_the_rules(plan: Plan) -> Self {
        let bot = Self::pressed(plan, &["Start", "Start"]).await;
        drop((bot.ada().news(), bot.linus().news()));
        bot
    }

    pub(crate) async fn planned(plan: Plan) -> Self {
        let discord = Discord::start().await;
        discord.with(furnish);
        let now = discord.with(|state| state.now);
        let clock = Arc::new(FixedClock::new(now));
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(MemoryStore::default());
        let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
        let made = make(&discord, &plan, &folder, (&store, &clock, &ids)).await;
        let Made { hold, app, engine, watched, shutdown, tasks } = made;
        let (desks, unrested) = (Mutex::default(), AtomicBool::new(false));
        let bot = Self {
            discord,
            clock,
            engine,
            store,
            hold,
            app,
            watched,
            ids,
            plan,
            folder,
            shutdown,
            tasks,
            desks,
            unrested,
        };
        bot.reached().await;
        if bot.plan.by == By::Gateway {
            // The session itself is told of.
            bot.received(0).await;
        }
        bot.rest().await;
        for id in [ADA, GRACE, LINUS, MALLORY] {
            Person::new(&bot, id).news();
        }
        bot
    }

    /// Waits until Discord reaches it, and the commands are there.
    async fn reached(&self) {
        let commands = |state: &State| (!state.commands.is_empty()).then_some(());
        self.discord.until("the commands", commands).await;
        if self.plan.by == By::Gateway {
            let connected = |state: &State| (state.gateway.connected() > 0).then_some(());
            self.discord.until("a connection", connected).await;
        }
    }

    /// Whether all words reach the bot.
    pub(crate) fn reads_all(&self) -> bool {
        self.app.connection.message_content
    }

    /// The gateway's session is over, and something happens before the next one has begun.
    pub(crate) async fn away(&self, meanwhile: impl FnOnce(&mut State)) {
        let before = self.taken();
        let begun = self.discord.with(|state| {
            state.cut_all();
            state.expire();
            meanwhile(state);
            state.gateway.identified()
        });
        let anew = |state: &State| (state.gateway.identified() > begun).then_some(());
        self.discord.until("a new session", anew).await;
        self.received(before).await;
        self.rest().await;
    }

    /// What a person has before them.
    pub(crate) fn desk<T>(&self, id: u64, work: impl FnOnce(&mut Desk) -> T) -> T {
        work(self.desks.lock().unwrap().entry(id).or_default())
    }

    /// Something happens on Discord, and the bot hears of it.
    pub(crate) async fn tell(&self, name: &str, data: Value) {
        self.happens(|state| state.dispatch(name, &data)).await;
    }

    /// The same, by what somebody does there.
    pub(crate) async fn happens<T>(&self, what: impl FnOnce(&mut State) -> T) -> T {
        let before = self.taken();
        let done = self.discord.with(what);
        self.received(before).await;
        self.rest().await;
        done
    }

    /// Somebody does what the bot must answer.
    pub(crate) async fn ask(&self, token: &str, data: &Value) {
        let before = self.taken();
        self.discord.deliver(token, data).await;
        self.received(before).await;
        let id = self.discord.with(|state| state.interactions[token].id);
        let path = format!("/interactions/{id}/");
        let is_tried = |state: &State| {
            let mut tried = state.requests.iter().filter(|request| request.path.starts_with(&path));
            (state.interactions[token].answer.is_some() || tried.next().is_some()).then_some(())
        };
        self.discord.until("an answer", is_tried).await;
        self.rest().await;
    }

    fn taken(&self) -> usize {
        *self.watched.taken.borrow()
    }

    /// Waits until more has been taken in than so many.
    async fn received(&self, before: usize) {
        let mut taken = self.watched.taken.subscribe();
        let received = taken.wait_for(|taken| *taken > before);
        tokio::time::timeout(PATIENCE, received).await.expect("the bot received nothing").unwrap();
    }

    /// Waits for what follows from something that is still on its way to the bot.
    pub(crate) async fn comes_to(&self, what: &str, is_so: impl Fn() -> bool) {
        let mut taken = self.watched.taken.subscribe();
        loop {
            taken.mark_unchanged();
            self.rest().await;
            if is_so() {
                return;
            }
            let more = tokio::time::timeout(PATIENCE, taken.changed()).await;
            assert!(more.is_ok(), "never: {what}");
        }
    }

    /// Nobody waits for the bot any more: it may be held by its model.
    pub(crate) fn unrested(&self) {
        self.unrested.store(true, Ordering::SeqCst);
    }

    /// People wait again for the bot after what they do.
    pub(crate) async fn rested(&self) {
        self.unrested.store(false, Ordering::SeqCst);
        self.rest().await;
    }

    /// Waits until nothing is left to do.
    pub(crate) async fn rest(&self) {
        while !self.unrested.load(Ordering::SeqCst) {
            let before = self.discord.with(|state| state.requests.len());
            self.engine.settle_down().await;
            self.app.settle_down().await;
            self.engine.settle_down().await;
            if self.discord.with(|state| state.requests.len()) == before {
                return;
            }
        }
    }

    /// Time passes, and what comes due fires.
    pub(crate) async fn pass(&self, time: TimeDelta) {
        self.clock.advance(time);
        self.discord.with(|state| state.advance(time));
        self.engine.run_due().await;
        self.engine.sweep().await;
        self.rest().await;
    }

    /// The process dies with work in progress, and the next one begins on what the store holds.
    pub(crate) async fn crash(&mut self) {
        self.hold.kill();
        self.shutdown.cancel();
        self.tasks.abort_all();
        self.store.restart();
        let began = |state: &State| state.gateway.identified() + state.gateway.resumed();
        let before = self.discord.with(|state| {
            state.cut_all();
            began(state)
        });
        let parts = (&self.store, &self.clock, &self.ids);
        let made = make(&self.discord, &self.plan, &self.folder, parts).await;
        let Made { hold, app, engine, watched, shutdown, tasks } = made;
        (self.hold, self.app, self.engine, self.watched) = (hold, app, engine, watched);
        (self.shutdown, self.tasks) = (shutdown, tasks);
        self.engine.recover().await;
        if self.plan.by == By::Gateway {
            let again = |state: &State| (began(state) > before).then_some(());
            self.discord.until("a new connection", again).await;
        }
        self.reached().await;
        self.rested().await;
    }

    /// The process ends, and the next has one tool less, or one that knows nothing of what the old one left.
    pub(crate) async fn deploy_without(&mut self, tool: &'static str, rewritten: bool) {
        self.plan.deployed.without = Some((tool, rewritten));
        self.crash().await;
    }

    /// Files of the conversation that began first, oldest first.
    pub(crate) async fn files(&self) -> Vec<String> {
        let look = self.engine.look(self.session().await).await.unwrap();
        look.state.artifacts.iter().map(|file| file.id.to_string()).collect()
    }

    /// The conversation that began first.
    pub(crate) async fn session(&self) -> SessionId {
        self.store.sessions(None, 1).await.unwrap().first().unwrap().id
    }

    pub(crate) fn ada(&self) -> Person<'_> {
        Person::new(self, ADA)
    }

    /// Decides, and is staff.
    pub(crate) fn grace(&self) -> Person<'_> {
        Person::new(self, GRACE)
    }

    /// Is staff, and decides nothing.
    pub(crate) fn linus(&self) -> Person<'_> {
        Person::new(self, LINUS)
    }

    /// Has no say, and sees all channels.
    pub(crate) fn mallory(&self) -> Person<'_> {
        Person::new(self, MALLORY)
    }

    /// Names of the roles that somebody has.
    pub(crate) fn roles(&self, user: u64) -> Vec<String> {
        self.discord.with(|state| {
            let guild = &state.guilds[&GUILD];
            guild.members[&user].roles.iter().map(|id| guild.roles[id].name.clone()).collect()
        })
    }
}

/// Whatever a story was about: the judges see everything that was asked of Discord.
impl Drop for Bot {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            judges::judge_all(&self.discord.with(|state| state.requests.clone()));
        }
    }
}

/// The server of the stories.
pub(crate) fn furnish(state: &mut State) {
    state.buckets.is_off = true;
    for (id, name) in [
        (WELCOME, "welcome"),
        (INTRODUCTIONS, "introductions"),
        (ONBOARDING, "onboarding"),
        (APPROVALS, "staff-approvals"),
        (DESK, "staff-desk"),
    ] {
        state.add_channel(id, name);
    }
    for (id, name) in
        [(ADA, "Ada"), (GRACE, "Grace Hopper"), (LINUS, "Linus"), (MALLORY, "Mallory")]
    {
        state.add_user(id, name);
    }
    let names =
        ["Member", "Contributor", "Learner", "Builder", "Helper", "Jobs", "Events", "Event pings"];
    for (n, name) in (1..).zip(names) {
        state.add_role(role(n), name, 2, 0);
    }
    state.add_role(role(9), "Moderators", 3, 0);
    state.add_role(role(10), "Curious", 1, 0);
    for id in [APPROVALS, DESK] {
        let overwrites = &mut state.channels.get_mut(&id).unwrap().overwrites;
        overwrites.insert(GUILD, (0, may::VIEW));
        for seen_by in [role(9), role(10), 501, LINUS] {
            overwrites.insert(seen_by, (may::VIEW, 0));
        }
    }
    let members = &mut state.guilds.get_mut(&GUILD).unwrap().members;
    members.get_mut(&GRACE).unwrap().roles.insert(role(9));
    members.get_mut(&MALLORY).unwrap().roles.insert(role(10));
}

/// A process.
struct Made {
    hold: Arc<Mortal>,
    app: Arc<App>,
    engine: Engine,
    watched: Arc<Watched>,
    shutdown: CancellationToken,
    tasks: JoinSet<()>,
}

async fn make(
    discord: &Discord,
    plan: &Plan,
    folder: &TempDir,
    (store, clock, ids): (&Arc<MemoryStore>, &Arc<FixedClock>, &Arc<dyn Ids>),
) -> Made {
    let settings = Arc::new(configured(discord, plan, folder));
    let hold = Arc::new(Mortal::new(Arc::clone(store) as Arc<dyn Store>, None));
    let store = Arc::clone(&hold) as Arc<dyn Store>;
    let clock = Arc::clone(clock) as Arc<dyn Clock>;
    // Where time stands still, the token is looked at whenever somebody asks.
    let short = Duration::from_millis(1);
    let pace = api::Pace { recheck: Duration::ZERO, pause: short, ..api::Pace::default() };
    let all = (Arc::clone(&store), Arc::clone(&clock), Arc::clone(ids));
    let parts = parts(&settings, folder, plan, all);
    // These stories are about something else than what the model leaves to answer.
    let tenants = Arc::clone(&settings.tenants);
    let limits = engine::Limits { nudges: false, tenants, ..engine::Limits::default() };
    let engine = Engine::limited(parts, Vec::new(), limits);
    let app = App::open(&settings, engine.clone(), pace).unwrap().unwrap();
    engine.connect(Arc::new(DiscordGateway(Arc::clone(&app))));
    let inbox = DiscordInbox(Arc::clone(&app));
    let watched = Arc::new(Watched { inbox, taken: watch::Sender::new(0) });
    let short = Duration::from_millis(10);
    let connection = Connection::begin(connect::Parts {
        settings: app.connection.clone(),
        api: app.api.clone(),
        inbox: Arc::clone(&watched) as Arc<dyn Inbox>,
        store,
        clock,
        port: None,
        pace: Pace {
            pause: short,
            invalid: short,
            identify: short,
            keep: short,
            ..Pace::default()
        },
    });
    let connection = connection.await.unwrap();
    if let Some(address) = connection.address() {
        discord.use_http(&format!("http://{address}{}", connect::PATH));
    }
    let (shutdown, mut tasks) = (CancellationToken::new(), JoinSet::new());
    tasks.spawn({
        let shutdown = shutdown.clone();
        async move { drop(connection.run(shutdown).await) }
    });
    tasks.spawn(background::run(Arc::clone(&app), shutdown.clone()));
    Made { hold, app, engine, watched, shutdown, tasks }
}

fn parts(
    settings: &Settings,
    folder: &TempDir,
    plan: &Plan,
    (store, clock, ids): (Arc<dyn Store>, Arc<dyn Clock>, Arc<dyn Ids>),
) -> engine::Parts {
    let flows = &settings.flows;
    let mut library = Library::load(flows.dir.as_deref(), &flows.enabled, &settings.vars).unwrap();
    library.share(&settings.tenants, (&settings.vars, flows.tenants_only)).unwrap();
    let mut tasks = Tasks::load(None).unwrap();
    if let Some(task) = &plan.task {
        tasks.insert(Arc::new(LoadedTask::load(task, "task.toml").unwrap()));
    }
    let tools = deployed::tools(&tasks, &plan.deployed);
    let reader = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let keys = Arc::clone(&store);
    let artifacts =
        Artifacts::new(folder.path(), keys, Arc::clone(&clock), Arc::clone(&ids), reader);
    let interview = plan.model.clone().map(|model| model as Arc<dyn Model>);
    engine::Parts {
        store,
        clock,
        ids,
        library: Arc::new(library),
        toolbox: Arc::new(Toolbox::new(tools).unwrap()),
        tasks: Arc::new(tasks),
        artifacts: Arc::new(artifacts.unwrap().without_syncs()),
        contacts: Arc::new(Contacts::new(Vec::new())),
        webhooks: Arc::default(),
        models: Models { interview, ..Models::default() },
        services: Services {
            consulting: Arc::new(settings.consulting.clone()),
            ..Services::default()
        },
    }
}

/// How Discord reaches the bot, as an operator writes it.
fn way(by: By) -> String {
    match by {
        By::Gateway => String::new(),
        By::Http => {
            let key = public_key();
            format!("transport = \"http\"\nlisten = \"127.0.0.1:0\"\npublic_key = \"{key}\"")
        }
    }
}

/// The configuration as an operator writes it.
fn configured(discord: &Discord, plan: &Plan, folder: &TempDir) -> Settings {
    let dir = folder.path();
    let flows = match &plan.flow {
        None => {
            let shipped = plan.shipped.as_deref().unwrap_or("community-welcome");
            format!("enabled = [\"{shipped}\"]")
        }
        Some(flow) => {
            fs::create_dir_all(dir.join("flows")).unwrap();
            fs::write(dir.join("flows/flow.toml"), flow).unwrap();
            let id = flow.lines().find_map(|line| line.strip_prefix("id = ")).unwrap();
            format!("dir = \"{}\"\nenabled = [{id}]", dir.join("flows").display())
        }
    };
    let more = format!("{}\n{}", way(plan.by), plan.discord);
    let config = configuration(discord, dir, &flows, &more);
    let file = dir.join("config.toml");
    fs::write(&file, config).unwrap();
    let token = TOKEN.strip_prefix("Bot ").unwrap();
    let environment = Environment::from([("TOKEN", token)]);
    let mut settings = Settings::load(&file, &environment).unwrap();
    // The emulator's ids are shorter than those that a configuration takes.
    for approvers in settings.approvers.values_mut() {
        approvers.discord_users = plan.deciders.iter().map(u64::to_string).collect();
    }
    if let Some(server) = plan.tenant {
        within_a_tenant(&mut settings, server);
    }
    settings
}

/// What was set up for everybody is set up for the one server of a tenant.
fn within_a_tenant(settings: &mut Settings, server: u64) {
    let discord = settings.discord.as_mut().unwrap();
    let connection = discord.connection.as_mut().unwrap();
    let own = TenantDiscord {
        servers: vec![server.to_string()],
        staff_users: std::mem::take(&mut connection.staff_users).into_iter().collect(),
        staff_roles: std::mem::take(&mut connection.staff_roles).into_iter().collect(),
        channels: std::mem::take(&mut discord.channels),
        roles: std::mem::take(&mut discord.roles),
    };
    let tenant = Tenant {
        name: "acme".to_owned(),
        approvers: std::mem::take(&mut settings.approvers),
        discord: own,
        ..Tenant::default()
    };
    settings.tenants = Arc::new(std::iter::once(tenant).collect());
    settings.flows.tenants_only = true;
}

/// The configuration's text; `more` are further lines of Discord's table.
pub(crate) fn configuration(discord: &Discord, dir: &Path, flows: &str, more: &str) -> String {
    let roles =
        ["member", "contributor", "learner", "builder", "helper", "jobs", "events", "event-pings"];
    let line = |(n, name)| format!("\"{name}\" = \"{}\"", role(n));
    let roles = (1..).zip(roles).map(line).collect::<Vec<_>>().join("\n");
    format!(
        r#"
        [data]
        dir = "{data}"
        [vars]
        organisation = "Example Ltd"
        privacy_url = "https://example.org/privacy"
        contact = "people@example.org"
        [flows]
        {flows}
        [approvers]
        staff_approvals = {{ discord_roles = ["{deciders}"] }}
        [discord]
        token_env = "TOKEN"
        application_id = "1300000000000000001"
        api_base = "{api}"
        members = true
        staff_users = ["{LINUS}"]
        {more}
        [discord.channels]
        welcome = "{WELCOME}"
        onboarding = "{ONBOARDING}"
        recruiting_approvals = "{APPROVALS}"
        recruiting_desk = "{DESK}"
        introductions = "{INTRODUCTIONS}"
        staff_approvals = "{APPROVALS}"
        staff_desk = "{DESK}"
        [discord.roles]
        {roles}
        "#,
        data = dir.join("data").display(),
        deciders = role(9),
        api = discord.base,
    )
}
