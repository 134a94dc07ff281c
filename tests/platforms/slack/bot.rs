//! The whole bot in the Slack of the tests: its parts in this process, a clock that stands still, a store that survives
//! it.

use std::{fs, path::Path, sync::Arc};

use anteroom::{
    base::{
        clock::{Clock, FixedClock},
        ids::{CountingIds, Ids, SessionId},
        telemetry::ready::Ready as _,
    },
    config::{Environment, Settings},
    engine::{self, Engine},
    flow::{
        Library,
        subtasks::{LoadedTask, Tasks},
    },
    gateway::slack::{
        app::{App, Client},
        background,
        connect::{self, Connection, Pace},
        handler::SlackInbox,
        installations,
        send::SlackGateway,
        tokens,
    },
    model::session::Platform,
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::{Contacts, profile::Profile},
        llm::{Model, Models},
    },
    store::{Store, memory::MemoryStore, sled::SledStore},
    tool::{Services, Toolbox},
};
use chrono::TimeDelta;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{
    deployed::{self, Deployed},
    emulator::{
        self, APP_TOKEN, BOT_TOKEN, CLIENT_ID, CLIENT_SECRET, SIGNING_SECRET, Slack, person::Person,
    },
    judges::{self, Case},
    mortal::Mortal,
    scripted::Scripted,
};
use crate::support::slow_device::SlowDevice;

/// How Slack reaches the bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Sockets,
    Http,
}

/// What a bot is made from.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) by: By,
    pub(crate) model: Option<Arc<Scripted>>,
    /// Reads documents.
    pub(crate) reader: Option<Arc<Scripted>>,
    /// Flows of its own; the shipped ones where there is none.
    pub(crate) flow: Option<String>,
    /// Further tables of the configuration.
    pub(crate) config: String,
    /// Where workspaces install the app themselves, with [`Bot::install`]: host and port.
    pub(crate) installs: Option<String>,
    /// The bot's token stands in a file, see [`Bot::token_file`].
    pub(crate) token_file: bool,
    /// A proxy on the way to Slack; empty for none.
    pub(crate) proxy: String,
    /// A template for child runs besides those in the box.
    pub(crate) task: Option<String>,
    pub(crate) deployed: Deployed,
    /// Conversations are kept in a data directory on it, which no restart survives.
    pub(crate) device: Option<Arc<SlowDevice>>,
}

impl Plan {
    /// Workspaces install the app themselves.
    pub(crate) fn installed() -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap().to_string();
        Self { by: By::Http, installs: Some(address), ..Self::default() }
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            by: By::Sockets,
            model: None,
            reader: None,
            flow: None,
            config: String::new(),
            installs: None,
            token_file: false,
            proxy: String::new(),
            task: None,
            deployed: Deployed::default(),
            device: None,
        }
    }
}

/// A bot at work, and the Slack around it.
pub(crate) struct Bot {
    pub(crate) slack: Slack,
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) engine: Engine,
    /// What survives a process.
    pub(crate) store: Arc<MemoryStore>,
    /// The hold that this process has on it.
    pub(crate) hold: Arc<Mortal>,
    ids: Arc<dyn Ids>,
    app: Arc<App>,
    plan: Plan,
    folder: TempDir,
    shutdown: CancellationToken,
    tasks: JoinSet<()>,
}

impl Bot {
    /// What came of a step of the newest session's script.
    pub(crate) async fn result(&self, step: &str) -> Value {
        let look = self.engine.look(self.session().await).await.unwrap();
        look.state.results.get(step).cloned().unwrap_or_default()
    }

    /// The shipped flows without a model, over sockets.
    pub(crate) async fn new() -> Self {
        Self::planned(Plan::default()).await
    }

    /// A model leads.
    pub(crate) async fn led_by(model: &Arc<Scripted>) -> Self {
        Self::planned(Plan { model: Some(Arc::clone(model)), ..Plan::default() }).await
    }

    /// A flow of its own without a model.
    pub(crate) async fn on(flow: &str) -> Self {
        Self::planned(Plan { flow: Some(flow.to_owned()), ..Plan::default() }).await
    }

    pub(crate) async fn planned(plan: Plan) -> Self {
        let clock = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
        let manifest = match plan.by {
            By::Sockets => "manifests/slack.socket.json",
            By::Http => "manifests/slack.http.json",
        };
        let mut settings = emulator::Settings::new();
        if let Ok(manifest) = fs::read(manifest) {
            settings = settings.of_manifest(&serde_json::from_slice(&manifest).unwrap());
        }
        let slack = Slack::start(settings.on(Arc::clone(&clock) as _)).await;
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(MemoryStore::default());
        let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
        let made = make(&slack, &plan, &folder, (&store, &clock, &ids)).await;
        let Made { hold, app, engine, shutdown, tasks } = made;
        let bot =
            Self { slack, clock, engine, store, hold, ids, app, plan, folder, shutdown, tasks };
        bot.reached().await;
        bot
    }

    /// Waits until Slack reaches it, and lets people wait for it from now on.
    async fn reached(&self) {
        if self.plan.by == By::Sockets {
            self.slack.connected(1).await;
        }
        self.rested();
    }

    /// People wait for the bot after what they do.
    pub(crate) fn rested(&self) {
        let (engine, app) = (self.engine.clone(), Arc::clone(&self.app));
        let slack = self.slack.clone();
        self.slack.resting(Some(Arc::new(move || {
            let (engine, app, slack) = (engine.clone(), Arc::clone(&app), slack.clone());
            Box::pin(async move { settle(&slack, &engine, &app).await })
        })));
    }

    /// Nobody waits for the bot any more.
    pub(crate) fn unrested(&self) {
        self.slack.resting(None);
    }

    /// Somebody installs the app in the newest workspace, with a browser.
    pub(crate) async fn install(&self) {
        let browser = reqwest::Client::builder().cookie_store(true).build().unwrap();
        let at = self.plan.installs.as_ref().unwrap();
        let page = browser.get(format!("http://{at}/slack/install")).send().await.unwrap();
        let (status, page) = (page.status(), page.text().await.unwrap());
        assert!(status.is_success() && page.contains("Installed"), "{status}: {page}");
        self.rest().await;
    }

    /// Waits until nothing is left to do.
    pub(crate) async fn rest(&self) {
        settle(&self.slack, &self.engine, &self.app).await;
    }

    /// Time passes, and what comes due fires.
    pub(crate) async fn pass(&self, time: TimeDelta) {
        self.clock.advance(time);
        tokens::recheck(&self.app.api).await;
        self.engine.run_due().await;
        self.engine.sweep().await;
        self.rest().await;
    }

    /// The operator writes another token into the file that the bot's token stands in.
    pub(crate) fn write_token(&self, token: &str) {
        fs::write(self.folder.path().join("token"), format!("{token}\n")).unwrap();
    }

    /// Whether the bot says that it is ready, or why not.
    pub(crate) fn ready(&self) -> Result<(), String> {
        self.app.api.installations().ready()
    }

    /// The operator changes the flow: the next process has it.
    pub(crate) fn flow_becomes(&mut self, flow: &str) {
        self.plan.flow = Some(flow.to_owned());
    }

    /// The process ends, and the next has one tool less, or one that knows nothing of what the old one left.
    pub(crate) async fn deploy_without(&mut self, tool: &'static str, rewritten: bool) {
        self.plan.deployed.without = Some((tool, rewritten));
        self.crash().await;
    }

    /// The process dies with work in progress, and the next one begins on what the store holds.
    pub(crate) async fn crash(&mut self) {
        self.restart().await;
        self.engine.recover().await;
        self.reached().await;
        self.rest().await;
    }

    /// The same, but the next process runs on its own: nobody waits for what it does.
    pub(crate) async fn crash_and_run(&mut self) {
        self.restart().await;
        self.run();
    }

    /// Work is done as it comes, and nobody waits for it any more.
    pub(crate) fn run(&mut self) {
        self.unrested();
        let (engine, shutdown) = (self.engine.clone(), self.shutdown.clone());
        self.tasks.spawn(async move { engine.run(shutdown).await });
    }

    async fn restart(&mut self) {
        self.slack.resting(None);
        self.hold.kill();
        self.tasks.abort_all();
        self.slack.cut().await;
        self.store.restart();
        let parts = (&self.store, &self.clock, &self.ids);
        let made = make(&self.slack, &self.plan, &self.folder, parts).await;
        let Made { hold, app, engine, shutdown, tasks } = made;
        (self.hold, self.app, self.engine) = (hold, app, engine);
        (self.shutdown, self.tasks) = (shutdown, tasks);
    }

    /// Files of the conversation that began first, oldest first.
    pub(crate) async fn files(&self) -> Vec<String> {
        let session = self.session().await;
        let look = self.engine.look(session).await.unwrap();
        look.state.artifacts.iter().map(|file| file.id.to_string()).collect()
    }

    /// The conversation that began first.
    pub(crate) async fn session(&self) -> SessionId {
        self.store.sessions(None, 1).await.unwrap().first().unwrap().id
    }

    /// Has the judges see everything that was drawn in Slack since the beginning.
    pub(crate) fn judge(&self) {
        let mut cases: Vec<Case> = Vec::new();
        for call in self.slack.calls() {
            let (target, payload) = match call.method.as_str() {
                "chat.postMessage" | "chat.update" | "chat.postEphemeral" => {
                    ("blocks", call.body["blocks"].clone())
                }
                "views.open" | "views.push" | "views.update" => {
                    ("modal", call.body["view"].clone())
                }
                "views.publish" => ("home", call.body["view"].clone()),
                _ => continue,
            };
            let payload = match payload {
                Value::String(text) => serde_json::from_str(&text).unwrap(),
                payload => payload,
            };
            let is_new = cases.iter().all(|known| known.payload != payload);
            // Words alone are drawn by nobody's blocks.
            if is_new && payload != Value::Null && payload != json!([]) {
                cases.push(Case { name: call.method, target, payload });
            }
        }
        assert!(!cases.is_empty(), "nothing was drawn");
        if let Some(complaints) = judges::complaints(&cases) {
            assert!(complaints.is_empty(), "{}", complaints.join("\n"));
        }
    }

    pub(crate) fn ada(&self) -> Person {
        self.slack.person("U0ADA")
    }

    /// Decides, and is staff.
    pub(crate) fn grace(&self) -> Person {
        self.slack.person("U0GRACE")
    }

    /// Has no say.
    pub(crate) fn mallory(&self) -> Person {
        self.slack.person("U0MALLORY")
    }
}

async fn settle(slack: &Slack, engine: &Engine, app: &App) {
    loop {
        let before = slack.look(|state| (state.calls.len(), state.deliveries.len()));
        slack.delivered().await;
        engine.settle_down().await;
        app.settle_down().await;
        slack.delivered().await;
        if slack.look(|state| (state.calls.len(), state.deliveries.len())) == before {
            return;
        }
    }
}

/// A process.
struct Made {
    hold: Arc<Mortal>,
    app: Arc<App>,
    engine: Engine,
    shutdown: CancellationToken,
    tasks: JoinSet<()>,
}

async fn make(
    slack: &Slack,
    plan: &Plan,
    folder: &TempDir,
    (store, clock, ids): (&Arc<MemoryStore>, &Arc<FixedClock>, &Arc<dyn Ids>),
) -> Made {
    let settings = Arc::new(configured(slack, plan, folder));
    let connection = settings.slack.as_ref().unwrap().connection.clone().unwrap();
    let hold = Arc::new(Mortal::new(kept(plan, folder, (store, ids)), None));
    let store = Arc::clone(&hold) as Arc<dyn Store>;
    let clock = Arc::clone(clock) as Arc<dyn Clock>;
    let client = Client::open(&settings, &store, &clock).await.unwrap().unwrap();
    let profile = Profile::default().asking(Platform::Slack, Arc::new(client.people.clone()));
    let parts =
        parts(&settings, folder, plan, (store, Arc::clone(&clock), Arc::clone(ids)), profile);
    // These stories are about something else than what the model leaves to answer.
    let tenants = Arc::clone(&settings.tenants);
    let limits = engine::Limits { nudges: false, tenants, ..engine::Limits::default() };
    let engine = Engine::limited(parts, Vec::new(), limits);
    let app = App::new(client, &settings, engine.clone()).unwrap();
    engine.connect(Arc::new(SlackGateway(Arc::clone(&app))));
    let connection = Connection::begin(connect::Parts {
        settings: connection,
        api: app.api.clone(),
        inbox: Arc::new(SlackInbox(Arc::clone(&app))),
        clock,
        routes: plan
            .installs
            .as_ref()
            .map(|_| installations::routes(Arc::clone(app.api.installations()))),
        port: None,
        pace: Pace::default(),
    });
    let connection = connection.await.unwrap();
    let link = connection.link();
    if let Some(address) = connection.address() {
        slack.use_http(&format!("http://{address}"), ["/slack/events"; 3]);
    }
    let (shutdown, mut tasks) = (CancellationToken::new(), JoinSet::new());
    tasks.spawn({
        let shutdown = shutdown.clone();
        async move { connection.run(shutdown).await.unwrap() }
    });
    tasks.spawn(background::run(Arc::clone(&app), link, shutdown.clone()));
    Made { hold, app, engine, shutdown, tasks }
}

/// Where conversations are kept.
fn kept(
    plan: &Plan,
    folder: &TempDir,
    (memory, ids): (&Arc<MemoryStore>, &Arc<dyn Ids>),
) -> Arc<dyn Store> {
    let Some(device) = &plan.device else { return Arc::clone(memory) as _ };
    let (dir, device) = (folder.path().join("store"), Arc::clone(device));
    Arc::new(SledStore::open_with(&dir, Arc::clone(ids), device).unwrap())
}

fn parts(
    settings: &Settings,
    folder: &TempDir,
    plan: &Plan,
    (store, clock, ids): (Arc<dyn Store>, Arc<dyn Clock>, Arc<dyn Ids>),
    profile: Profile,
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
    let extract = plan.reader.clone().map(|model| model as Arc<dyn Model>);
    engine::Parts {
        store,
        clock,
        ids,
        library: Arc::new(library),
        toolbox: Arc::new(Toolbox::new(tools).unwrap()),
        tasks: Arc::new(tasks),
        artifacts: Arc::new(artifacts.unwrap().without_syncs()),
        contacts: Arc::new(Contacts::new(vec![Box::new(profile)])),
        webhooks: Arc::default(),
        models: Models { interview, extract, ..Models::default() },
        services: Services {
            consulting: Arc::new(settings.consulting.clone()),
            ..Services::default()
        },
    }
}

/// How Slack reaches the bot and whose token it has; and the table of those that install it themselves.
fn way(plan: &Plan, dir: &Path) -> (String, String) {
    let at = plan.installs.as_deref().unwrap_or("127.0.0.1:0");
    let transport = match plan.by {
        By::Sockets => "transport = \"socket\"\napp_token_env = \"APP_TOKEN\"".to_owned(),
        By::Http => {
            let secret = "signing_secret_env = \"SIGNING_SECRET\"";
            format!("transport = \"http\"\n{secret}\nlisten = \"{at}\"")
        }
    };
    if plan.installs.is_none() {
        let token = dir.join("token");
        if !plan.token_file {
            return (format!("{transport}\nbot_token_env = \"BOT_TOKEN\""), String::new());
        }
        if !token.exists() {
            fs::write(&token, BOT_TOKEN).unwrap();
        }
        return (format!("{transport}\nbot_token_file = \"{}\"", token.display()), String::new());
    }
    let oauth = format!(
        "[slack.oauth]\nclient_id = \"{CLIENT_ID}\"\nclient_secret_env = \"CLIENT_SECRET\"\n\
         redirect_url = \"http://{at}/slack/oauth\"\ntokens_key_env = \"TOKENS_KEY\""
    );
    (transport, oauth)
}

/// The configuration as an operator writes it.
fn configured(slack: &Slack, plan: &Plan, folder: &TempDir) -> Settings {
    let dir = folder.path();
    let flows = match &plan.flow {
        None => String::new(),
        Some(flow) => {
            fs::create_dir_all(dir.join("flows")).unwrap();
            fs::write(dir.join("flows/flow.toml"), flow).unwrap();
            let id = flow.lines().find_map(|line| line.strip_prefix("id = ")).unwrap();
            format!("dir = \"{}\"\nenabled = [{id}]", dir.join("flows").display())
        }
    };
    let (way, oauth) = way(plan, dir);
    let config = format!(
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
        recruiting_approvals = {{ slack_groups = ["S0APPROVERS"] }}
        [slack]
        {way}
        api_url = "{api}"
        staff_users = ["U0LINUS"]
        [slack.channels]
        recruiting_approvals = "C0APPROVALS"
        recruiting_desk = "C0DESK"
        [slack.rates]
        posts_per_channel = 100000
        posts_burst = 1000
        posts_per_workspace = 100000
        tier_2 = 100000
        tier_3 = 100000
        tier_4 = 100000
        {oauth}
        {more}
        "#,
        data = dir.join("data").display(),
        api = slack.api_url().trim_end_matches('/'),
        more = plan.config,
    );
    let file = dir.join("config.toml");
    fs::write(&file, config).unwrap();
    let environment = Environment::from([
        ("BOT_TOKEN", BOT_TOKEN),
        ("APP_TOKEN", APP_TOKEN),
        ("SIGNING_SECRET", SIGNING_SECRET),
        ("CLIENT_SECRET", CLIENT_SECRET),
        ("TOKENS_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        ("HTTP_PROXY", plan.proxy.as_str()),
    ]);
    Settings::load(&file, &environment).unwrap()
}
