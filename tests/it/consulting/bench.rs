//! A conversation in which the tools of the catalogue are called, one after the other.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
};

use anteroom::{
    base::{
        clock::FixedClock,
        ids::{CallId, CountingIds, Ids, SessionId},
    },
    flow::LoadedFlow,
    model::{
        artifact::Artifact,
        effect::Handout,
        session::{FlowPin, Head, PersonId, Place, Platform},
        transcript::{Call, CallResult, Origin, Recorded, Started},
        ui::Upload,
    },
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::Contacts,
        llm::Models,
    },
    session::{Changes, InboundKind, Receipt, Responder, SessionView, Settings, State, decide},
    tool::{
        Handed, Outcome, Pipeline, Policy, Services, Tool, ToolError, Toolbox, catalog::consulting,
        services::Past,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;
use tempfile::TempDir;

use super::keys::AnyKeys;

/// When everything happens.
pub(crate) const NOW: &str = "2026-11-21T09:00:00Z";

/// A flow with every tool of the catalogue in its one phase.
pub(crate) fn flow() -> Arc<LoadedFlow> {
    let tools = consulting::tools();
    let names: Vec<String> = tools.iter().map(|tool| format!("\"{}\"", tool.spec().name)).collect();
    let source = format!(
        r#"
format = 1
id = "workbench"
version = "1.0.0"
title = "Workbench"

[approvals.override]
decider = "participant"

[data.remarks]
schema_inline = '{{ "type": "object" }}'

[data.location]
schema_inline = '{{ "type": "object" }}'

[[phase]]
id = "only"
title = "The only one"
mode = "interview"
tools = [{}]
uploads = {{ accept = ["pdf", "txt", "png"], max_mb = 2, max_files = 3 }}

  [[phase.objective]]
  id = "done"
  title = "Done"
  done = "model"
"#,
        names.join(", ")
    );
    Arc::new(LoadedFlow::load(&source, "workbench.toml", &BTreeMap::new()).expect("a good flow"))
}

/// What a conversation remembers, as the store would give it.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    pub(crate) events: Mutex<Vec<Recorded>>,
    pub(crate) heads: Mutex<Vec<Head>>,
}

#[async_trait]
impl Past for Remembered {
    async fn events(&self, _session: SessionId) -> Result<Vec<Recorded>, ToolError> {
        Ok(self.events.lock().unwrap().clone())
    }

    async fn newest(&self, most: usize) -> Result<Vec<Head>, ToolError> {
        Ok(self.heads.lock().unwrap().iter().take(most).cloned().collect())
    }
}

/// One conversation.
pub(crate) struct Bench {
    pub(crate) pipeline: Pipeline,
    pub(crate) session: SessionId,
    pub(crate) past: Arc<Remembered>,
    pub(crate) now: DateTime<Utc>,
    /// What was handed over, in order.
    pub(crate) handed: Vec<Handed>,
    flow: Arc<LoadedFlow>,
    ids: Arc<dyn Ids>,
    pub(crate) head: Head,
    calls: u32,
    folder: TempDir,
}

impl Bench {
    /// With nothing configured.
    pub(crate) fn new() -> Self {
        Self::with(Services::default(), Models::default())
    }

    pub(crate) fn with(services: Services, models: Models) -> Self {
        Self::under(Policy::CHAT, consulting::tools(), services, models)
    }

    /// One of the staff talks with the bot.
    pub(crate) fn of_staff() -> Self {
        let none = (Services::default(), Models::default());
        Self::between(true, Policy::CHAT, consulting::tools(), none)
    }

    pub(crate) fn under(
        policy: Policy,
        tools: Vec<Arc<dyn Tool>>,
        services: Services,
        models: Models,
    ) -> Self {
        Self::between(false, policy, tools, (services, models))
    }

    /// As whoever, with whatever there is.
    pub(crate) fn between(
        staff: bool,
        policy: Policy,
        tools: Vec<Arc<dyn Tool>>,
        (services, models): (Services, Models),
    ) -> Self {
        let now: DateTime<Utc> = NOW.parse().unwrap();
        let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
        let folder = tempfile::tempdir().unwrap();
        let past = Arc::new(Remembered::default());
        let services = Services { past: Some(Arc::clone(&past) as Arc<dyn Past>), ..services };
        let pipeline = Pipeline::new(
            Arc::new(Toolbox::new(tools).unwrap()),
            Arc::new(artifacts(folder.path(), now, &ids)),
            Arc::new(Contacts::new(Vec::new())),
            policy,
        );
        let pipeline = pipeline.with_models(models).with_services(services);
        let flow = flow();
        let session = SessionId::mint(&*ids);
        let started = Started { staff, ..started(session, &flow) };
        let changes =
            decide::started(Arc::clone(&flow), started, Arc::clone(&ids), now, Settings::default());
        let commit = changes.into_commit(None);
        past.events.lock().unwrap().extend(commit.events);
        let (head, handed) = (commit.head, Vec::new());
        Self { pipeline, session, past, now, handed, flow, ids, head, calls: 0, folder }
    }

    /// The session as it would come back after a crash.
    pub(crate) fn view(&self) -> SessionView {
        let events = self.past.events.lock().unwrap().clone();
        let (flow, ids) = (Arc::clone(&self.flow), Arc::clone(&self.ids));
        let state = State::fold(&events).unwrap();
        SessionView::new(flow, state, ids, self.now, Settings::default())
    }

    /// Changes the session by the core alone.
    pub(crate) fn change<T>(&mut self, act: impl FnOnce(&mut Changes) -> T) -> T {
        let mut changes = Changes::from(self.view());
        let value = act(&mut changes);
        self.keep(changes);
        value
    }

    /// Ada does something.
    pub(crate) fn does(&mut self, what: &InboundKind) -> Receipt {
        let (receipt, changes) = decide::inbound(self.view(), &ada(), what, None);
        self.keep(changes);
        receipt
    }

    fn keep(&mut self, changes: Changes) {
        let commit = changes.into_commit(None);
        self.past.events.lock().unwrap().extend(commit.events);
        self.head = commit.head;
    }

    /// Ada writes something.
    pub(crate) fn says(&mut self, text: &str) {
        self.change(|changes| changes.receive(&ada(), text, None));
    }

    /// Ada sends a file as this.
    pub(crate) async fn sends(&mut self, upload_type: &str, name: &str, bytes: &[u8]) -> Artifact {
        let asked = Upload {
            upload_type: upload_type.to_owned(),
            accept: ["pdf", "txt", "md", "png", "jpg", "webp"].map(str::to_owned).to_vec(),
            max_bytes: 4 * 1024 * 1024,
            max_files: 3,
            required: false,
        };
        let kept = self.pipeline.artifacts.keep(self.session, &asked, name, bytes.to_vec()).await;
        let artifact = kept.unwrap();
        self.change(|changes| changes.keep(artifact.clone()));
        artifact
    }

    /// Where files are kept stands something else.
    pub(crate) fn keeps_no_files(&self) {
        let kept = self.folder.path().join("artifacts");
        std::fs::remove_dir_all(&kept).unwrap();
        std::fs::write(kept, "").unwrap();
    }

    /// The model calls a tool; what it reads of it.
    pub(crate) async fn call(&mut self, tool: &str, args: Value) -> Value {
        self.called_by(Origin::Model { round: 1 }, tool, args).await
    }

    /// Somebody calls a tool.
    pub(crate) async fn called_by(&mut self, origin: Origin, tool: &str, args: Value) -> Value {
        self.calls += 1;
        let mut changes = Changes::from(self.view());
        let call = Call {
            id: CallId::new(format!("call_{}", self.calls)),
            tool: tool.to_owned(),
            args,
            phase: changes.state.phase().map(str::to_owned),
            origin,
        };
        let call = self.pipeline.prepare(&call, &Mutex::new(self.view().into())).unwrap_or(call);
        changes.begin(&call);
        let changes = Mutex::new(changes);
        let ended = self.pipeline.execute(&call, &changes, self.now).await;
        let mut changes = changes.into_inner().unwrap();
        let result = match ended.result {
            Ok(Outcome::Immediate(value)) => CallResult::Ok { value },
            Ok(Outcome::Made { value, handed }) => {
                for Handed { what, text } in &handed {
                    changes.hand(what.clone(), text);
                }
                self.handed.extend(handed);
                CallResult::Ok { value }
            }
            Ok(other) => panic!("`{tool}` came to {other:?}"),
            Err(failure) => failure,
        };
        // As the engine does it.
        let spec = self.pipeline.toolbox.get(tool).map(|tool| tool.spec().clone());
        if let Some(capability) =
            spec.and_then(|spec| spec.capability).filter(|_| result.is_success())
        {
            changes.note_capability(capability);
        }
        changes.finish(&call.id, result.clone());
        self.keep(changes);
        result.to_value()
    }

    /// The bytes of the last file that was handed over.
    pub(crate) async fn last_file(&self) -> (Artifact, Vec<u8>) {
        let file = self.handed.iter().rev().find_map(|handed| match &handed.what {
            Handout::File { file } => Some(file.clone()),
            Handout::Link { .. } => None,
        });
        let file = file.expect("a file was handed over");
        let bytes = self.pipeline.artifacts.read(self.session, &file).await.unwrap();
        (file, bytes.expect("the file is kept"))
    }
}

fn artifacts(folder: &Path, now: DateTime<Utc>, ids: &Arc<dyn Ids>) -> Artifacts {
    let extractor = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let clock = Arc::new(FixedClock::new(now));
    Artifacts::new(folder, Arc::new(AnyKeys), clock, Arc::clone(ids), extractor)
        .unwrap()
        .without_syncs()
}

fn started(session: SessionId, loaded: &LoadedFlow) -> Started {
    let LoadedFlow { flow, digest, .. } = loaded;
    let (id, version, digest) = (flow.id.clone(), flow.version.clone(), digest.clone());
    Started {
        time_zone: None,
        contact_source: None,
        invited_by: None,
        session,
        flow: FlowPin { id, version, digest },
        participant: PersonId::web("ada"),
        name: Some("Ada Byron".to_owned()),
        place: Place {
            platform: Platform::Web,
            workspace: "local".to_owned(),
            channel: session.to_string(),
            thread: None,
        },
        test: false,
        staff: false,
    }
}

fn ada() -> Responder {
    Responder::without_rights(PersonId::web("ada"), "Ada Byron".to_owned())
}

/// The data of a result; its error is a failure of the test.
pub(crate) fn data(value: &Value) -> &Value {
    assert_eq!(value["success"], true, "{value}");
    &value["data"]
}

/// The error of a result.
pub(crate) fn error(value: &Value) -> &str {
    assert_eq!(value["success"], false, "{value}");
    value["error"].as_str().expect("an error is words")
}
