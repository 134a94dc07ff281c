//! A person, a team, a chat platform and a store, with one process of the bot between them that can be killed.

pub(crate) mod lab;
pub(crate) mod platform;

pub(crate) use crate::support::mortal;

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use anteroom::{
    base::{
        clock::{Clock, FixedClock},
        ids::{CountingIds, Ids, RandomIds, SessionId, WaitId},
    },
    config::{Environment, Settings},
    engine::{
        Engine, Error, Gateway, Inbound, InboundKind, Limits, Parts, Receipt,
        export::{Source, transcript},
        webhook::{Target, Webhooks},
    },
    flow::{
        Library, LoadedFlow,
        subtasks::{LoadedTask, Tasks},
    },
    model::{
        audit::Sealed,
        effect::Recipient,
        file_key::FileKeys,
        session::{PersonId, Place, Platform, Status},
        transcript::{Audience, Event, Recorded, Via},
        ui::{Choose, Control, Decision, Reply, Verdict},
        usage::{Budget, Budgets},
        wait::{Settlement, Wait, WaitStatus},
    },
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::Contacts,
        llm::{Model, Models},
    },
    session::{Command, Responder, State},
    store::{Capacity, Store, memory::MemoryStore, sled::SledStore},
    tool::{
        Tool, Toolbox,
        catalog::{self, interview},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use tempfile::TempDir;

use crate::llm::scripted::Scripted;

use self::{
    lab::Lab,
    mortal::{Death, Mortal},
    platform::{FakePlatform, Message},
};

/// Two short phases: choices, words and a file; deciders in `desk`.
pub(crate) const FLOW: &str = r#"
format = 1
id = "short"
version = "1.0.0"
title = "A short talk"

[pace]
remind_after = ["24h", "72h"]
expire_after = "14d"

[approvals.override]
decider = "admin"
channel = "desk"
expires = "7d"
remind_after = ["24h"]

[handoff]
channel = "desk"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option", "request_user_input", "get_user_upload"]
uploads = { accept = ["txt", "md"], max_mb = 1, max_files = 1 }

  [[phase.objective]]
  id = "coloured"
  title = "A colour"
  done = { answered = { step = "colour" } }

  [[phase.objective]]
  id = "filed"
  title = "A file"
  skip = "participant"
  done = { uploaded = "other" }

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.step]]
  id = "size"
  tool = "get_user_option"
  args = { prompt = "Which size?", options = [ { id = "small", label = "Small" }, { id = "large", label = "Large" } ] }

  [[phase.step]]
  id = "file"
  tool = "get_user_upload"
  args = { uploadType = "other", prompt = "A file, please.", acceptedFormats = ["txt", "md"] }

[[phase]]
id = "two"
title = "Two"
mode = "script"

  [[phase.objective]]
  id = "worded"
  title = "A word"
  done = { answered = { step = "word" } }

  [[phase.step]]
  id = "word"
  tool = "request_user_input"
  args = { prompt = "A word, please." }
"#;

/// One question, then one of the lab's tools in place of `TOOL`, then one more question.
pub(crate) const PROBING: &str = r#"
format = 1
id = "probing"
version = "1.0.0"
title = "Probing"

[handoff]
channel = "desk"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option", "TOOL"]

  [[phase.step]]
  id = "go"
  tool = "get_user_option"
  args = { prompt = "Shall I?", options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No" } ] }

  [[phase.step]]
  id = "probe"
  tool = "TOOL"

  [[phase.step]]
  id = "after"
  tool = "get_user_option"
  args = { prompt = "Was it good?", options = [ { id = "yes", label = "It was" }, { id = "no", label = "It was not" } ] }
"#;

/// The participant.
pub(crate) fn ada() -> Responder {
    person("ada", "Ada Byron", &[], false)
}

/// May decide, and is staff.
pub(crate) fn grace() -> Responder {
    person("grace", "Grace", &["desk", "recruiting_approvals", "staff_approvals"], true)
}

/// May decide as well.
pub(crate) fn linus() -> Responder {
    person("linus", "Linus", &["desk", "recruiting_approvals", "staff_approvals"], true)
}

/// May do nothing.
pub(crate) fn mallory() -> Responder {
    person("mallory", "Mallory", &[], false)
}

fn person(user: &str, name: &str, approver_of: &[&str], staff: bool) -> Responder {
    let approver_of = approver_of.iter().map(|alias| (*alias).to_owned()).collect();
    Responder { person: PersonId::web(user), name: name.to_owned(), approver_of, staff }
}

/// What survives a process.
struct Disk {
    store: Arc<dyn Store>,
    memory: Option<Arc<MemoryStore>>,
    folder: TempDir,
}

/// Everything around one conversation.
pub(crate) struct World {
    disk: Disk,
    /// The store as the current process sees it.
    pub(crate) store: Arc<Mortal>,
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) lab: Arc<Lab>,
    pub(crate) platform: Arc<FakePlatform>,
    /// The current process.
    pub(crate) engine: Engine,
    parts: Parts,
    limits: Limits,
    pub(crate) session: SessionId,
    keys: u64,
    last: Option<Inbound>,
    /// How often the process has died.
    pub(crate) deaths: u32,
}

impl World {
    /// A conversation in the flow called `flow`: a shipped one, or `short`.
    pub(crate) async fn on(flow: &str) -> Self {
        Self::dying(flow, None).await
    }

    /// The short flow.
    pub(crate) async fn new() -> Self {
        Self::on("short").await
    }

    /// A conversation kept in the embedded store.
    pub(crate) async fn embedded(flow: &str) -> Self {
        let mut world = Self::empty(FLOW, None);
        world.disk.memory = None;
        world.reopen();
        world.take();
        world.engine = world.another_engine();
        world.begin(flow).await;
        world
    }

    /// A process on what others left in a folder, at a moment. No session is the current one.
    pub(crate) fn over(folder: TempDir, at: DateTime<Utc>) -> Self {
        let mut world = Self::empty(FLOW, None);
        let ids: Arc<dyn Ids> = Arc::new(RandomIds);
        let store = SledStore::open(&folder.path().join("store"), Arc::clone(&ids)).unwrap();
        world.disk = Disk { store: Arc::new(store), memory: None, folder };
        world.store = Arc::new(Mortal::new(Arc::clone(&world.disk.store), None));
        world.clock = Arc::new(FixedClock::new(at));
        world.platform = Arc::new(FakePlatform::new(Arc::clone(&world.clock) as Arc<dyn Clock>));
        world.parts = parts(&world.disk, &world.store, (&world.clock, &ids), (&world.lab, FLOW));
        world.engine = world.another_engine();
        world
    }

    /// Ends the process; what it leaves in its folder.
    pub(crate) async fn left(self) -> TempDir {
        self.engine.settle_down().await;
        self.disk.folder
    }

    /// The operator's web hooks, known to the next process.
    pub(crate) fn hook(&mut self, targets: BTreeMap<String, Target>) {
        self.parts.webhooks = Arc::new(targets.into());
        self.engine = self.another_engine();
    }

    /// The lab's tool `tool` between two questions.
    pub(crate) async fn probing(tool: &str) -> Self {
        Self::with(&PROBING.replace("TOOL", tool), None).await
    }

    /// A conversation in a flow of its own, led by a model.
    pub(crate) async fn led_by(source: &str, model: &Arc<Scripted>) -> Self {
        let mut world = Self::unbegun(source, model);
        let flow = LoadedFlow::load(source, "flow.toml", &BTreeMap::new()).unwrap();
        world.begin(&flow.flow.id).await;
        world
    }

    /// The same, while the model still thinks.
    pub(crate) async fn led_by_unrested(source: &str, model: &Arc<Scripted>) -> Self {
        let mut world = Self::unbegun(source, model);
        let flow = LoadedFlow::load(source, "flow.toml", &BTreeMap::new()).unwrap();
        world.begin_unrested(&flow.flow.id).await;
        world
    }

    /// The same before the conversation.
    pub(crate) fn unbegun(source: &str, model: &Arc<Scripted>) -> Self {
        let mut world = Self::empty(source, None);
        world.parts.models.interview = Some(Arc::clone(model) as Arc<dyn Model>);
        world.engine = world.another_engine();
        world
    }

    /// The next process has these models.
    pub(crate) fn with_models(&mut self, models: Models) {
        self.parts.models = models;
        self.engine = self.another_engine();
    }

    /// The next process has this tool instead of the one of its name.
    pub(crate) fn with_tool(&mut self, tool: Arc<dyn Tool>) {
        let name = tool.spec().name;
        let others = interview::tools().into_iter().filter(|tool| tool.spec().name != name);
        self.parts.toolbox = Arc::new(Toolbox::new(others.chain([tool]).collect()).unwrap());
        self.engine = self.another_engine();
    }

    /// A conversation in a flow of its own, led by a model, with templates of its own for child runs.
    pub(crate) async fn delegating(
        (source, tasks): (&str, &[&str]),
        model: &Arc<Scripted>,
        death: Option<Death>,
    ) -> Self {
        let mut world = Self::empty(source, death);
        let mut known = Tasks::clone(&TASKS);
        for task in tasks {
            known.insert(Arc::new(LoadedTask::load(task, "task.toml").unwrap()));
        }
        world.parts.tasks = Arc::new(known);
        world.parts.models.interview = Some(Arc::clone(model) as Arc<dyn Model>);
        world.engine = world.another_engine();
        let flow = LoadedFlow::load(source, "flow.toml", &BTreeMap::new()).unwrap();
        world.begin(&flow.flow.id).await;
        world
    }

    /// The next process has no model.
    pub(crate) async fn lose_model(&mut self) {
        self.parts.models.interview = None;
        self.restart().await;
    }

    /// The next process has no templates.
    pub(crate) async fn forget_tasks(&mut self) {
        self.parts.tasks = Arc::default();
        self.restart().await;
    }

    /// The child runs that there are, oldest first.
    pub(crate) async fn children(&self) -> Vec<State> {
        let heads = self.disk.store.sessions(None, usize::MAX).await.unwrap();
        let mut children = Vec::new();
        for head in heads.iter().filter(|head| head.parent.is_some()) {
            let loaded = self.disk.store.load(head.id).await.unwrap().unwrap();
            children.push(State::fold(&loaded.events).unwrap());
        }
        children
    }

    /// Begins and does not wait for what follows.
    pub(crate) async fn begin_unrested(&mut self, flow: &str) {
        self.session = self.engine.start(flow, &ada(), room("room"), "start").await.unwrap();
    }

    /// The process dies with work in progress, and the next one begins.
    pub(crate) async fn crash(&mut self) {
        self.store.kill();
        match &self.disk.memory {
            Some(memory) => memory.restart(),
            None => self.reopen(),
        }
        self.deaths += 1;
        self.take();
        self.engine = self.another_engine();
        self.engine.recover().await;
        self.engine.settle_down().await;
    }

    /// The first process dies at a commit; events that it did not acknowledge are delivered again to the next one.
    pub(crate) async fn dying(flow: &str, death: Option<Death>) -> Self {
        let mut world = Self::empty(FLOW, death);
        world.begin(flow).await;
        world
    }

    /// A conversation in a flow of its own.
    pub(crate) async fn with(source: &str, death: Option<Death>) -> Self {
        let mut world = Self::empty(source, death);
        let flow = LoadedFlow::load(source, "flow.toml", &BTreeMap::new()).unwrap();
        world.begin(&flow.flow.id).await;
        world
    }

    /// Nothing has happened yet; the library holds the shipped flows and `source`.
    pub(crate) fn empty(source: &str, death: Option<Death>) -> Self {
        let memory = Arc::new(MemoryStore::default());
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
        let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
        let lab = Arc::new(Lab::default());
        let disk =
            Disk { store: Arc::clone(&memory) as Arc<dyn Store>, memory: Some(memory), folder };
        let store = Arc::new(Mortal::new(Arc::clone(&disk.store), death));
        let parts = parts(&disk, &store, (&clock, &ids), (&lab, source));
        let platform = Arc::new(FakePlatform::new(Arc::clone(&clock) as Arc<dyn Clock>));
        // Most stories are about something else than what the model leaves to answer.
        let limits = Limits { nudges: false, ..Limits::default() };
        let gateways = vec![Arc::clone(&platform) as Arc<dyn Gateway>];
        let engine = Engine::limited(parts.clone(), gateways, limits.clone());
        let session = SessionId::mint(&CountingIds::default());
        Self {
            disk,
            store,
            clock,
            lab,
            platform,
            engine,
            parts,
            limits,
            session,
            keys: 0,
            last: None,
            deaths: 0,
        }
    }

    pub(crate) async fn begin(&mut self, flow: &str) {
        let place = room("room");
        loop {
            let started = self.engine.start(flow, &ada(), place.clone(), "start").await;
            self.rest().await;
            match started {
                Ok(session) => self.session = session,
                Err(_) if self.deaths > 0 && self.deaths < 3 => continue,
                Err(error) => panic!("{error}"),
            }
            break;
        }
    }

    /// Kills the process and starts the next one on what the disk holds.
    pub(crate) async fn restart(&mut self) {
        self.store.kill();
        self.engine.settle_down().await;
        self.crash().await;
    }

    /// The next process has the store and the files that the disk holds.
    fn take(&mut self) {
        self.store = Arc::new(self.store.next(Arc::clone(&self.disk.store)));
        self.parts.store = Arc::clone(&self.store) as Arc<dyn Store>;
        let Parts { clock, ids, .. } = &self.parts;
        let keys = Arc::<Mortal>::clone(&self.store);
        self.parts.artifacts = Arc::new(artifacts(&self.disk, keys, clock, ids));
    }

    /// Who owns the keys of files.
    pub(crate) fn keys(&self) -> Arc<dyn FileKeys> {
        Arc::<Mortal>::clone(&self.store)
    }

    /// The next process keeps files where these keys say.
    pub(crate) fn keep_files_by(&mut self, keys: Arc<dyn FileKeys>) {
        let Parts { clock, ids, .. } = &self.parts;
        self.parts.artifacts = Arc::new(artifacts(&self.disk, keys, clock, ids));
        self.engine = self.another_engine();
    }

    /// Lets go of the embedded store, as the end of a process does, and opens it again.
    fn reopen(&mut self) {
        self.disk.store = Arc::new(MemoryStore::default());
        self.take();
        self.engine = self.another_engine();
        let ids = Arc::clone(&self.parts.ids);
        self.disk.store =
            Arc::new(SledStore::open(&self.disk.folder.path().join("store"), ids).unwrap());
    }

    /// One more process on the same disk.
    pub(crate) fn another_engine(&self) -> Engine {
        let gateways = vec![Arc::clone(&self.platform) as Arc<dyn Gateway>];
        Engine::limited(self.parts.clone(), gateways, self.limits.clone())
    }

    /// The next process delivers so many effects at one time.
    pub(crate) fn deliver_at_once(&mut self, most: usize) {
        self.limits.deliveries = most;
        self.engine = self.another_engine();
    }

    /// The next process has a model.
    pub(crate) fn equip(&mut self, model: Arc<dyn Model>) {
        self.parts.models.interview = Some(model);
        self.engine = self.another_engine();
    }

    /// The next process nudges a model that leaves nothing to answer, as a bot does.
    pub(crate) fn nudge(&mut self) {
        self.limits.nudges = true;
        self.engine = self.another_engine();
    }

    /// The next process serves a team in this time zone.
    pub(crate) fn move_to(&mut self, zone: chrono_tz::Tz) {
        self.limits.time_zone = Some(zone);
        self.engine = self.another_engine();
    }

    /// The next process has other budgets.
    pub(crate) fn bound(&mut self, budgets: Budgets) {
        self.limits.budgets = budgets;
        self.engine = self.another_engine();
    }

    /// The next process serves these tenants, as the configuration has them.
    pub(crate) fn serve(&mut self, tenants: &str) {
        let settings = Settings::parse("config.toml", tenants, &Environment::default()).unwrap();
        let mut library = Library::clone(&self.parts.library);
        let only = settings.flows.tenants_only;
        library.share(&settings.tenants, (&vars(), only)).unwrap();
        self.parts.library = Arc::new(library);
        self.parts.webhooks = Arc::new(Webhooks::from(&settings));
        self.limits.tenants = settings.tenants;
        self.engine = self.another_engine();
    }

    /// The next process has another version of a flow, for these tenants.
    pub(crate) fn replace_flow(&mut self, source: &str, tenants: &str) {
        let mut library = Library::clone(&self.parts.library);
        library.insert(Arc::new(LoadedFlow::load(source, "flow.toml", &vars()).unwrap()));
        self.parts.library = Arc::new(library);
        self.serve(tenants);
    }

    /// The next process has a model of its own for a tenant.
    pub(crate) fn lend_model(&mut self, tenant: &str, model: &Arc<Scripted>) {
        let interview = Some(Arc::clone(model) as Arc<dyn Model>);
        let models = Models { interview, ..Models::default() };
        self.parts.models.of_tenants = Arc::new(BTreeMap::from([(tenant.to_owned(), models)]));
        self.engine = self.another_engine();
    }

    /// The next process asks models so often, over all conversations.
    pub(crate) fn bound_total(&mut self, calls: u64) {
        let total = Budget { calls: std::num::NonZeroU64::new(calls), ..Budget::default() };
        self.bound(Budgets { total, ..Budgets::default() });
    }

    /// The next process works on so many conversations at one time.
    pub(crate) fn work_on(&mut self, most: std::num::NonZeroUsize) {
        self.limits.active = most.get();
        self.engine = self.another_engine();
    }

    /// The next process takes messages that come within `burst` for one turn.
    pub(crate) fn collect(&mut self, burst: TimeDelta) {
        self.limits.burst = burst;
        self.engine = self.another_engine();
    }

    /// The next process has no tool `name`, or another one under that name that knows nothing of the old one's state.
    pub(crate) async fn deploy_without(&mut self, name: &'static str, rewritten: bool) {
        let others = interview::tools().into_iter().filter(|tool| tool.spec().name != name);
        let mut kept: Vec<_> = others.collect();
        if rewritten {
            kept.push(lab::rewritten(name, &self.lab));
        }
        self.parts.toolbox = Arc::new(Toolbox::new(kept).unwrap());
        self.restart().await;
    }

    /// The next process finds neither the flows of its own nor those that were pinned.
    pub(crate) async fn lose_flows(&mut self) {
        self.parts.library = Arc::clone(&USUAL.0);
        std::fs::remove_dir_all(self.disk.folder.path().join("flows")).unwrap();
        self.restart().await;
    }

    /// Waits until nothing is left to do; a process that died is followed by the next.
    pub(crate) async fn rest(&mut self) {
        self.engine.settle_down().await;
        if self.store.is_dead() {
            self.restart().await;
        }
    }

    /// Time passes, and what comes due fires.
    pub(crate) async fn pass(&mut self, time: TimeDelta) {
        self.clock.advance(time);
        self.engine.run_due().await;
        self.engine.sweep().await;
        self.rest().await;
    }

    /// A key that no event had before.
    pub(crate) fn key(&mut self) -> String {
        self.keys += 1;
        format!("event-{}", self.keys)
    }

    /// An event as the platform delivers it.
    pub(crate) fn event(&mut self, from: &Responder, what: InboundKind) -> Inbound {
        Inbound { key: self.key(), session: self.session, from: from.clone(), what }
    }

    /// The platform delivers an event, again if it was not acknowledged because the process died.
    pub(crate) async fn deliver(&mut self, inbound: Inbound) -> Result<Receipt, Error> {
        self.last = Some(inbound.clone());
        loop {
            let deaths = self.deaths;
            let receipt = self.engine.receive(inbound.clone()).await;
            self.rest().await;
            match receipt {
                Err(_) if self.deaths > deaths => {}
                other => return other,
            }
        }
    }

    /// Somebody does something that is taken in.
    pub(crate) async fn feed(&mut self, from: &Responder, what: InboundKind) -> Receipt {
        let inbound = self.event(from, what);
        self.deliver(inbound).await.unwrap()
    }

    /// The newest open card that has a button with this label, as `from` sees them.
    pub(crate) async fn button(&self, label: &str) -> InboundKind {
        let messages = self.platform.messages();
        for message in messages.iter().rev().filter(|message| message.open) {
            let Some((wait, revision)) = message.card else { continue };
            let Some((stored, _)) = self.disk.store.wait(wait).await.unwrap() else { continue };
            if let Some(reply) = pressed(&stored.prompt.control, label) {
                return InboundKind::Answer { wait, revision, reply, via: Via::Component };
            }
        }
        panic!("there is no [{label}] on the screen:\n{}", self.screen());
    }

    /// The participant presses a button.
    pub(crate) async fn press(&mut self, label: &str) -> Settlement {
        let what = self.button(label).await;
        settled(self.feed(&ada(), what).await)
    }

    /// Somebody else does.
    pub(crate) async fn press_as(&mut self, from: &Responder, label: &str) -> Settlement {
        let what = self.button(label).await;
        settled(self.feed(from, what).await)
    }

    /// The participant writes.
    pub(crate) async fn say(&mut self, text: &str) -> Receipt {
        self.say_as(&ada(), text).await
    }

    /// Somebody writes.
    pub(crate) async fn say_as(&mut self, from: &Responder, text: &str) -> Receipt {
        self.feed(from, InboundKind::Said { text: text.to_owned(), source: None }).await
    }

    /// Somebody orders.
    pub(crate) async fn command(&mut self, from: &Responder, command: Command) -> Receipt {
        self.feed(from, InboundKind::Command(command)).await
    }

    /// The participant picks several.
    pub(crate) async fn pick(&mut self, ids: &[&str]) -> Settlement {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        self.answer(Reply::Chosen { ids, free_text: None }).await
    }

    /// The participant edits the draft under review and saves it.
    pub(crate) async fn edit(&mut self, data: Value) -> Settlement {
        let verdict = Verdict::Modified;
        self.answer(Reply::Reviewed { verdict, data: Some(data), notes: None }).await
    }

    /// The participant answers the newest question of theirs.
    pub(crate) async fn answer(&mut self, reply: Reply) -> Settlement {
        let wait = self.open().await.expect("a question of the participant's is open");
        let what = InboundKind::Answer {
            wait: wait.id,
            revision: wait.revision,
            reply,
            via: Via::Component,
        };
        settled(self.feed(&ada(), what).await)
    }

    /// The participant sends a file; the refusal where it is not taken.
    pub(crate) async fn upload(&mut self, filename: &str, bytes: &[u8]) -> Result<Receipt, String> {
        let kept = self.engine.keep_file(self.session, None, filename, bytes.to_vec()).await;
        let artifact = kept.unwrap()?;
        Ok(self.feed(&ada(), InboundKind::Sent { wait: None, files: vec![artifact] }).await)
    }

    /// A flow of the usual library.
    pub(crate) fn flow(id: &str) -> Arc<LoadedFlow> {
        USUAL.0.get(id).unwrap()
    }

    /// The platform delivers its last event again; nothing may happen.
    pub(crate) async fn again(&mut self) {
        let Some(inbound) = self.last.clone() else { return };
        let before = self.events().await;
        self.engine.receive(inbound).await.unwrap();
        self.rest().await;
        assert_eq!(self.events().await, before, "an event counted twice");
    }

    /// Where files are kept.
    pub(crate) fn folder(&self) -> &std::path::Path {
        self.disk.folder.path()
    }

    /// The store below every process.
    pub(crate) fn disk(&self) -> &dyn Store {
        self.disk.store.as_ref()
    }

    /// The results of all calls: the name of the call, and its result as the script sees it.
    pub(crate) async fn results(&self) -> Vec<(String, Value)> {
        let events = self.events().await;
        let results = events.iter().filter_map(|recorded| match &*recorded.event {
            Event::Returned { call, result } => Some((call.to_string(), result.to_value())),
            _ => None,
        });
        results.collect()
    }

    /// The newest question that the participant may answer.
    pub(crate) async fn open(&self) -> Option<Wait> {
        use anteroom::model::wait::Answerers;
        let state = self.state().await;
        let open: Vec<Wait> = state.pending().cloned().collect();
        open.into_iter().rev().find(|wait| wait.answerers == Answerers::Participant)
    }

    /// The session's events.
    pub(crate) async fn events(&self) -> Vec<Recorded> {
        self.disk.store.load(self.session).await.unwrap().unwrap().events
    }

    /// The session as it stands.
    pub(crate) async fn state(&self) -> State {
        State::fold(&self.events().await).unwrap()
    }

    /// A wait as stored.
    pub(crate) async fn wait(&self, id: WaitId) -> Wait {
        self.disk.store.wait(id).await.unwrap().unwrap().0
    }

    /// The audit chain, which holds.
    pub(crate) async fn audit(&self) -> Vec<Sealed> {
        let chain = self.disk.store.audit(0, usize::MAX).await.unwrap();
        let mut previous = anteroom::model::audit::CHAIN_START.to_owned();
        for (index, sealed) in chain.iter().enumerate() {
            assert!(sealed.holds(index as u64, &previous), "record {index} is not as sealed");
            previous.clone_from(&sealed.seal);
        }
        chain
    }

    /// How many audit records say this.
    pub(crate) async fn audited(&self, event: &str) -> usize {
        self.audit().await.iter().filter(|sealed| sealed.record.event == event).count()
    }

    /// The conversation as `reader` reads it later.
    pub(crate) async fn transcript(&self, reader: Audience) -> String {
        let look = self.engine.look(self.session).await.unwrap();
        let (loaded, flow) = (&look.loaded, &look.flow);
        let source = Source { loaded, flow, audit: &[], ratings: &[], reader };
        transcript::markdown(&source).unwrap()
    }

    /// What the participant reads.
    pub(crate) fn screen(&self) -> String {
        self.read(|message| message.to == Recipient::Participant)
    }

    /// What the staff read.
    pub(crate) fn staff_screen(&self) -> String {
        self.read(|message| message.to != Recipient::Participant)
    }

    fn read(&self, whose: impl Fn(&Message) -> bool) -> String {
        let messages = self.platform.messages();
        let texts: Vec<String> = messages
            .into_iter()
            .filter(|message| whose(message))
            .map(|message| message.text.trim().to_owned())
            .collect();
        texts.join("\n---\n")
    }

    /// Nothing is left over: no session is active, no effect is queued, no answer waits for its work.
    pub(crate) async fn assert_at_rest(&self) {
        let later = self.clock.now() + TimeDelta::days(365);
        let mut effects = Vec::new();
        while let Some(effect) =
            self.disk.store.claim(later, Capacity::of_any(1)).await.unwrap().pop()
        {
            effects.push(effect);
        }
        assert_eq!(effects, [], "effects are left");
        let state = self.state().await;
        // After "stop", and while a person has taken over, answers are kept and held.
        let held = state.handoff.is_some() || state.status == Status::Stopped;
        for wait in state.waits.values() {
            let answered = !held && matches!(wait.status, WaitStatus::Answered { .. });
            assert!(!answered, "an answer did not do its work: {wait:?}");
        }
    }
}

/// What the operator calls things.
fn vars() -> BTreeMap<String, String> {
    let vars = [
        ("organisation", "Example Ltd"),
        ("privacy_url", "https://example.org/privacy"),
        ("contact", "people@example.org"),
    ];
    vars.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// The shipped flows with the short one, and the interview's tools: made once, since some tests have many worlds.
static USUAL: LazyLock<(Arc<Library>, Arc<Toolbox>)> = LazyLock::new(|| {
    let vars = vars();
    let mut library = Library::load(None, &[], &vars).unwrap();
    library.insert(Arc::new(LoadedFlow::load(FLOW, "flow.toml", &vars).unwrap()));
    (Arc::new(library), Arc::new(Toolbox::new(interview::tools()).unwrap()))
});

/// The templates in the box.
static TASKS: LazyLock<Arc<Tasks>> = LazyLock::new(|| Arc::new(Tasks::load(None).unwrap()));

fn parts(
    disk: &Disk,
    store: &Arc<Mortal>,
    (clock, ids): (&Arc<FixedClock>, &Arc<dyn Ids>),
    (lab, source): (&Arc<Lab>, &str),
) -> Parts {
    let clock = Arc::clone(clock) as Arc<dyn Clock>;
    let (library, toolbox) = if source == FLOW {
        USUAL.clone()
    } else {
        let mut library = Library::clone(&USUAL.0);
        let flow = LoadedFlow::load(source, "flow.toml", &vars()).unwrap();
        library.insert(Arc::new(flow));
        let tools = catalog::tools().into_iter().chain(lab::tools(lab)).collect();
        (Arc::new(library), Arc::new(Toolbox::new(tools).unwrap()))
    };
    let artifacts = artifacts(disk, Arc::<Mortal>::clone(store), &clock, ids);
    Parts {
        store: Arc::clone(store) as Arc<dyn Store>,
        clock,
        ids: Arc::clone(ids),
        library,
        toolbox,
        tasks: Arc::clone(&TASKS),
        artifacts: Arc::new(artifacts),
        contacts: Arc::new(Contacts::new(Vec::new())),
        webhooks: Arc::default(),
        models: Models::default(),
        services: anteroom::tool::Services::default(),
    }
}

fn artifacts(
    disk: &Disk,
    keys: Arc<dyn FileKeys>,
    clock: &Arc<dyn Clock>,
    ids: &Arc<dyn Ids>,
) -> Artifacts {
    let extractor = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let (clock, ids) = (Arc::clone(clock), Arc::clone(ids));
    Artifacts::new(disk.folder.path(), keys, clock, ids, extractor).unwrap().without_syncs()
}

/// A place on the platform.
pub(crate) fn room(name: &str) -> Place {
    Place {
        platform: Platform::Web,
        workspace: "local".to_owned(),
        channel: name.to_owned(),
        thread: None,
    }
}

/// What became of an answer.
pub(crate) fn settled(receipt: Receipt) -> Settlement {
    match receipt {
        Receipt::Settled(settlement) => settlement,
        // Its process died before it could say so; `World::deliver` gives every event a key of its own.
        Receipt::Duplicate => Settlement::Applied,
        other => panic!("no settlement: {other:?}"),
    }
}

/// The reply that a button gives, if the control has it.
pub(crate) fn pressed(control: &Control, label: &str) -> Option<Reply> {
    let reviewed = |verdict| Some(Reply::Reviewed { verdict, data: None, notes: None });
    let decided = |decision| Some(Reply::Decided { decision, feedback: None });
    let skip =
        (label == "Skip" && anteroom::session::answer::may_skip(control)).then_some(Reply::Skipped);
    let found = match control {
        Control::Choose(Choose { choices, .. }) => choices
            .iter()
            .find(|choice| choice.label == label)
            .map(|choice| Reply::Chosen { ids: vec![choice.id.clone()], free_text: None }),
        Control::Review(_) if label == "Looks right" => reviewed(Verdict::Approved),
        Control::Review(_) if label == "Start over" => reviewed(Verdict::Rejected),
        Control::Decide(decide) if label == decide.approve => decided(Decision::Approved),
        Control::Decide(decide) if label == decide.deny => decided(Decision::Denied),
        Control::Confirm(confirm) if label == confirm.yes => Some(Reply::Confirmed { yes: true }),
        Control::Confirm(confirm) if label == confirm.no => Some(Reply::Confirmed { yes: false }),
        Control::Review(_)
        | Control::Decide(_)
        | Control::Confirm(_)
        | Control::Form(_)
        | Control::Upload(_)
        | Control::Ask(_) => None,
    };
    found.or(skip)
}
