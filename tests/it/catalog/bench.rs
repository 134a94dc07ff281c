//! A workbench for one session: calls go through the real pipeline and the real core, and every step is stored and
//! loaded again, as after a crash.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use anteroom::{
    base::{
        clock::FixedClock,
        ids::{CallId, CountingIds, Ids, SessionId, WaitId},
    },
    flow::LoadedFlow,
    model::{
        artifact::Artifact,
        session::{FlowPin, PersonId, Place, Platform},
        transcript::{Call, CallResult, Origin, Recorded, Started, Via},
        ui::{Control, Prompt, Reply, Upload},
        wait::{Settlement, Wait},
    },
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::{ContactSource, Contacts},
    },
    session::{
        Changes, InboundKind, Receipt, Responder, SessionView, Settings, State, Suspension, decide,
    },
    store::{Commit, Loaded},
    tool::{Outcome, Pipeline, Policy, Tool, Toolbox, catalog::interview},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use tempfile::TempDir;

use crate::keys::AnyKeys;

/// Two phases with every tool in the first, no notice, and the participant as decider.
pub(crate) const FLOW: &str = r#"
format = 1
id = "workbench"
version = "1.0.0"
title = "Workbench"

[approvals.override]
decider = "participant"

[data.applicant_profile]
schema = "builtin:applicant_profile"
review = true

[data.skeleton_timeline]
schema = "builtin:skeleton_timeline"
review = true

[data.education_history]
schema = "builtin:education"
review = true

[data.remarks]
schema_inline = '{ "type": "object", "required": ["text"], "properties": { "text": { "type": "string" } } }'

[[phase]]
id = "phase_1"
title = "One"
mode = "interview"
tools = [
  "get_user_option", "submit_for_validation", "get_user_upload", "get_image_from_user", "fetch_url",
  "get_macos_contact_card", "query_github_repo", "deploy_agent", "set_objective_status", "persist_data",
  "request_user_input", "extract_document", "fake",
]
uploads = { accept = ["pdf", "txt", "vcf", "png"], max_mb = 2, max_files = 3 }

  [[phase.objective]]
  id = "applicant_profile"
  title = "Contact details"
  done = { reviewed = "applicant_profile" }

  [[phase.objective]]
  id = "education_history"
  title = "Education"
  skip = "participant"
  done = { reviewed = "education_history" }

  [[phase.objective]]
  id = "references"
  title = "References"
  required = false
  done = { uploaded = "reference_letter" }

  [[phase.step]]
  id = "talk"
  tool = "request_user_input"
  args = { prompt = "Anything else?" }

[[phase]]
id = "phase_2"
title = "Two"
mode = "interview"
tools = ["next_phase", "get_user_option"]

  [[phase.objective]]
  id = "talked"
  title = "Talk"
  done = { talked = 1 }
"#;

/// The flow, loaded.
pub(crate) fn flow() -> Arc<LoadedFlow> {
    Arc::new(LoadedFlow::load(FLOW, "workbench.toml", &BTreeMap::new()).expect("a good flow"))
}

/// What the operator supplies to the flows in the box.
pub(crate) fn vars() -> BTreeMap<String, String> {
    ["organisation", "privacy_url", "contact", "community"]
        .map(|name| (name.to_owned(), format!("https://example.org/{name}")))
        .into()
}

/// One session on the bench.
pub(crate) struct Bench {
    pub(crate) pipeline: Pipeline,
    pub(crate) session: SessionId,
    ids: Arc<dyn Ids>,
    flow: Arc<LoadedFlow>,
    stored: Option<Loaded>,
    now: DateTime<Utc>,
    calls: u32,
    /// The call that waits, with its wait.
    open: Option<(Call, WaitId)>,
    _folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(interview::tools(), Vec::new(), Policy::CHAT)
    }

    pub(crate) fn with(
        tools: Vec<Arc<dyn Tool>>,
        sources: Vec<Box<dyn ContactSource>>,
        policy: Policy,
    ) -> Self {
        Self::on(flow(), tools, sources, policy)
    }

    /// A session of any flow.
    pub(crate) fn on(
        flow: Arc<LoadedFlow>,
        tools: Vec<Arc<dyn Tool>>,
        sources: Vec<Box<dyn ContactSource>>,
        policy: Policy,
    ) -> Self {
        let now = "2026-11-21T09:00:00Z".parse().unwrap();
        let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(FixedClock::new(now));
        let extractor = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
        let keys = Arc::new(AnyKeys);
        let artifacts = Artifacts::new(folder.path(), keys, clock, Arc::clone(&ids), extractor)
            .unwrap()
            .without_syncs();
        let pipeline = Pipeline::new(
            Arc::new(Toolbox::new(tools).unwrap()),
            Arc::new(artifacts),
            Arc::new(Contacts::new(sources)),
            policy,
        );
        let session = SessionId::mint(&*ids);
        let mut bench = Self {
            pipeline,
            session,
            ids,
            flow,
            stored: None,
            now,
            calls: 0,
            open: None,
            _folder: folder,
        };
        let serving = bench.pipeline.contacts.serving(&PersonId::web("ada"));
        let contact_source = serving.map(str::to_owned);
        let changes = decide::started(
            Arc::clone(&bench.flow),
            Started { contact_source, ..bench.started() },
            Arc::clone(&bench.ids),
            bench.now,
            Settings::default(),
        );
        bench.store(changes.into_commit(None));
        bench
    }

    fn started(&self) -> Started {
        let LoadedFlow { flow, digest, .. } = &*self.flow;
        Started {
            time_zone: None,
            contact_source: None,
            invited_by: None,
            session: self.session,
            flow: FlowPin {
                id: flow.id.clone(),
                version: flow.version.clone(),
                digest: digest.clone(),
            },
            participant: PersonId::web("ada"),
            name: Some("Ada Byron".to_owned()),
            place: Place {
                platform: Platform::Web,
                workspace: "local".to_owned(),
                channel: self.session.to_string(),
                thread: None,
            },
            test: true,
            staff: false,
        }
    }

    /// The session as it would come back after a crash.
    pub(crate) fn view(&self) -> SessionView {
        let stored = self.stored.as_ref().unwrap();
        let (flow, ids) = (Arc::clone(&self.flow), Arc::clone(&self.ids));
        let state = State::fold(&stored.events).unwrap();
        SessionView::new(flow, state, ids, self.now, Settings::default())
    }

    pub(crate) fn state(&self) -> State {
        State::clone(&self.view().state)
    }

    /// Changes the session by the core alone.
    pub(crate) fn change<T>(&mut self, act: impl FnOnce(&mut Changes) -> T) -> T {
        let mut changes = Changes::from(self.view());
        let value = act(&mut changes);
        self.store(changes.into_commit(None));
        value
    }

    fn store(&mut self, commit: Commit) {
        let Commit { head, events, .. } = commit;
        let mut all: Vec<Recorded> =
            self.stored.take().map(|stored| stored.events).unwrap_or_default();
        all.extend(events);
        self.stored = Some(Loaded { head, events: all });
    }

    /// The next call of the model.
    pub(crate) fn by_model(&mut self, tool: &str, args: Value) -> Call {
        self.made_by(tool, args, Origin::Model { round: 1 })
    }

    pub(crate) fn made_by(&mut self, tool: &str, args: Value, origin: Origin) -> Call {
        self.calls += 1;
        Call {
            id: CallId::new(format!("call_{}", self.calls)),
            tool: tool.to_owned(),
            args,
            phase: self.state().phase().map(str::to_owned),
            origin,
        }
    }

    /// Makes a call that is answered at once; failures as the model reads them.
    pub(crate) async fn tell(&mut self, tool: &str, args: Value) -> Value {
        let call = self.by_model(tool, args);
        match self.run(call).await {
            Ok(result) => result.to_value(),
            Err(prompt) => panic!("`{tool}` asked: {prompt:?}"),
        }
    }

    /// Makes a call that asks somebody.
    pub(crate) async fn ask(&mut self, tool: &str, args: Value) -> Prompt {
        let call = self.by_model(tool, args);
        match self.run(call).await {
            Ok(result) => panic!("`{tool}` did not ask: {result:?}"),
            Err(prompt) => *prompt,
        }
    }

    /// Runs a call to its result, or to what it asks.
    pub(crate) async fn run(&mut self, call: Call) -> Result<CallResult, Box<Prompt>> {
        let mut changes = Changes::from(self.view());
        changes.begin(&call);
        let changes = Mutex::new(changes);
        let outcome = self.pipeline.execute(&call, &changes, self.now).await.result;
        self.conclude(call, outcome, changes.into_inner().unwrap())
    }

    /// Answers what is open. The first attempt is lost in a crash, the second one counts: both must say the same.
    pub(crate) async fn answer(&mut self, reply: Reply) -> Value {
        let (call, wait) = self.open.take().expect("something was asked");
        self.now += TimeDelta::minutes(5);
        assert_eq!(self.settled(wait, reply, &ada()), Settlement::Applied);
        self.now += TimeDelta::hours(1);
        match self.finish(call, wait).await {
            Ok(result) => result.to_value(),
            Err(prompt) => panic!("asked again: {prompt:?}"),
        }
    }

    pub(crate) async fn resumed(
        &self,
        call: &Call,
        wait: WaitId,
    ) -> (Result<Outcome, CallResult>, Changes) {
        let changes = Mutex::new(self.view().into());
        let wait = Wait::clone(&self.state().waits[&wait]);
        let outcome = self.pipeline.resume(call, &wait, &changes, self.now).await.result;
        (outcome, changes.into_inner().unwrap())
    }

    fn conclude(
        &mut self,
        call: Call,
        outcome: Result<Outcome, CallResult>,
        mut changes: Changes,
    ) -> Result<CallResult, Box<Prompt>> {
        let result = match outcome {
            Ok(Outcome::Immediate(value)) => CallResult::Ok { value },
            Err(error) => error,
            Ok(Outcome::Waiting(waiting)) => {
                let anteroom::tool::Waiting { prompt, state, answerers, expires_at } = *waiting;
                let asked = Box::new(prompt.clone());
                let suspension = Suspension { prompt, state, answerers, expires_at };
                let wait = changes.suspend(&call.id, suspension);
                self.store(changes.into_commit(None));
                self.open = Some((call, wait));
                return Err(asked);
            }
            Ok(other @ (Outcome::Subtask(_) | Outcome::Made { .. })) => panic!("{other:?}"),
        };
        changes.finish(&call.id, result.clone());
        self.store(changes.into_commit(None));
        Ok(result)
    }

    /// A file that Ada sends for what is open.
    pub(crate) async fn kept(&mut self, upload_type: &str, name: &str, bytes: &[u8]) -> Artifact {
        let asked = Upload {
            upload_type: upload_type.to_owned(),
            accept: ["pdf", "docx", "txt", "md", "vcf", "png"].map(str::to_owned).to_vec(),
            max_bytes: 1024 * 1024,
            max_files: 3,
            required: false,
        };
        let artifacts = Arc::clone(&self.pipeline.artifacts);
        let kept = artifacts.keep(self.session, &asked, name, bytes.to_vec()).await.unwrap();
        self.change(|changes| changes.keep(kept.clone()));
        kept
    }

    /// Forgets what is open, to look at it alone.
    pub(crate) fn taken(&mut self) -> (Call, WaitId) {
        self.open.take().expect("something was asked")
    }

    /// Finishes an answered call: its result, or what it asks next.
    pub(crate) async fn finish(
        &mut self,
        call: Call,
        wait: WaitId,
    ) -> Result<CallResult, Box<Prompt>> {
        let lost = self.resumed(&call, wait).await.0;
        let (outcome, changes) = self.resumed(&call, wait).await;
        assert_eq!(outcome, lost, "a second resume says something else");
        self.conclude(call, outcome, changes)
    }

    /// Settles a wait as somebody listed under `alias`.
    pub(crate) fn settle_as_staff(
        &mut self,
        wait: WaitId,
        reply: Reply,
        alias: &str,
    ) -> Settlement {
        self.settled(wait, reply, &grace(alias))
    }

    /// Settles a wait and leaves the rest of the work.
    pub(crate) fn settle(&mut self, wait: WaitId, reply: Reply) -> Settlement {
        self.settled(wait, reply, &ada())
    }

    fn settled(&mut self, wait: WaitId, reply: Reply, from: &Responder) -> Settlement {
        let view = self.view();
        let revision = view.state.waits[&wait].revision;
        let what = InboundKind::Answer { wait, revision, reply, via: Via::Component };
        let (receipt, changes) = decide::inbound(view, from, &what, None);
        self.store(changes.into_commit(None));
        match receipt {
            Receipt::Settled(settlement) => settlement,
            other => panic!("{other:?}"),
        }
    }
}

/// Somebody who may decide.
fn grace(alias: &str) -> Responder {
    Responder {
        person: PersonId::web("grace"),
        name: "Grace".to_owned(),
        approver_of: vec![alias.to_owned()],
        staff: true,
    }
}

/// The participant.
pub(crate) fn ada() -> Responder {
    Responder::without_rights(PersonId::web("ada"), "Ada".to_owned())
}

/// What an upload prompt accepts, for a look.
pub(crate) fn upload(prompt: &Prompt) -> &Upload {
    match &prompt.control {
        Control::Upload(upload) => upload,
        other => panic!("not an upload: {other:?}"),
    }
}
