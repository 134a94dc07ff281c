//! The playground, and somebody at a browser without scripts.

use std::{collections::BTreeMap, sync::Arc};

use anteroom::{
    base::{
        clock::{Clock, FixedClock},
        ids::{CountingIds, Ids},
    },
    config::Settings,
    engine::{Engine, Parts},
    flow::{Library, LoadedFlow, subtasks::Tasks},
    gateway::web::{Server, WebGateway},
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::Contacts,
        llm::Models,
    },
    store::{Store, memory::MemoryStore},
    tool::Toolbox,
};
use reqwest::{Client, multipart};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{
    deployed::{self, Deployed},
    html::{self, Form},
};

/// A playground with one visitor.
pub(crate) struct Web {
    pub(crate) engine: Engine,
    pub(crate) store: Arc<MemoryStore>,
    client: Client,
    url: String,
    page: String,
    path: String,
    _tasks: JoinSet<()>,
    _folder: TempDir,
}

impl Web {
    /// Somebody has begun a flow.
    pub(crate) async fn begin(flow: &str, name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::playground(folder.path().to_owned());
        settings.web.listen = "127.0.0.1:0".parse().unwrap();
        let clock = FixedClock::new("2026-11-02T14:05:00Z".parse().unwrap());
        let clock: Arc<dyn Clock> = Arc::new(clock);
        let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
        let mut library = Library::default();
        library.insert(Arc::new(LoadedFlow::load(flow, "flow.toml", &BTreeMap::new()).unwrap()));
        let tasks = Tasks::load(None).unwrap();
        let reader = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
        let store = Arc::new(MemoryStore::default());
        let keys = Arc::clone(&store);
        let artifacts =
            Artifacts::new(folder.path(), keys, Arc::clone(&clock), Arc::clone(&ids), reader);
        let parts = Parts {
            store: Arc::clone(&store) as Arc<dyn Store>,
            clock,
            ids,
            library: Arc::new(library),
            toolbox: Arc::new(Toolbox::new(deployed::tools(&tasks, &Deployed::default())).unwrap()),
            tasks: Arc::new(tasks),
            artifacts: Arc::new(artifacts.unwrap().without_syncs()),
            contacts: Arc::new(Contacts::default()),
            webhooks: Arc::default(),
            models: Models::default(),
            services: anteroom::tool::Services::default(),
        };
        let server = Server::bind(Arc::new(settings)).unwrap();
        let url = format!("http://{}", server.address());
        let engine = Engine::new(parts, vec![Arc::new(WebGateway)]);
        let mut tasks = JoinSet::new();
        let (run, serve) = (engine.clone(), engine.clone());
        tasks.spawn(async move { run.run(CancellationToken::new()).await });
        tasks.spawn(async move { server.serve(serve, CancellationToken::new()).await });
        let client = Client::builder().cookie_store(true).no_proxy().build().unwrap();
        let (page, path) = (String::new(), "/".to_owned());
        let mut web =
            Self { engine, store, client, url, page, path, _tasks: tasks, _folder: folder };
        web.look().await;
        let mut start = html::forms(&web.page).into_iter().next().unwrap();
        name.clone_into(&mut start.input("name").value);
        web.path = web.send(&start, "Start", None).await;
        web.look().await;
        web
    }

    async fn look(&mut self) {
        self.engine.settle_down().await;
        let page = self.client.get(format!("{}{}", self.url, self.path)).send().await.unwrap();
        self.page = page.text().await.unwrap();
    }

    /// Sends a form; where it leads.
    async fn send(&self, form: &Form, button: &str, file: Option<(&str, &[u8])>) -> String {
        let request = self
            .client
            .post(format!("{}{}", self.url, form.action))
            .header("sec-fetch-site", "same-origin");
        let fields = form.pressed(button);
        let request = match file {
            None => request.form(&fields),
            Some((name, bytes)) => {
                let mut parts = multipart::Form::new();
                for (name, value) in fields {
                    parts = parts.text(name, value);
                }
                let part = multipart::Part::bytes(bytes.to_vec()).file_name(name.to_owned());
                request.multipart(parts.part("files", part))
            }
        };
        let sent = request.send().await.unwrap();
        assert!(sent.status().is_success(), "{button}: {}", sent.status());
        sent.url().path().to_owned()
    }

    /// The form of the open question that has a button.
    fn form(&self, button: &str) -> Form {
        let cards = html::open_cards(&self.page).into_iter().flat_map(|card| card.forms);
        let all = cards.chain(html::forms(&self.page));
        let has = |form: &Form| form.buttons.iter().any(|(_, _, label)| label == button);
        all.into_iter().find(has).unwrap_or_else(|| panic!("no [{button}] in {}", self.page))
    }

    /// Presses a button.
    pub(crate) async fn press(&mut self, button: &str) {
        self.fill(button, &[]).await;
    }

    /// Fills inputs by the ends of their names, and presses the button of their form.
    pub(crate) async fn fill(&mut self, button: &str, values: &[(&str, &str)]) {
        let mut form = self.form(button);
        for (name, value) in values {
            (*value).clone_into(&mut form.input(name).value);
        }
        self.send(&form, button, None).await;
        self.look().await;
    }

    /// Ticks boxes by what they stand for, and presses the button of their form.
    pub(crate) async fn tick(&mut self, button: &str, values: &[&str]) {
        let mut form = self.form(button);
        for input in &mut form.inputs {
            input.ticked |= values.contains(&input.value.as_str());
        }
        self.send(&form, button, None).await;
        self.look().await;
    }

    /// Sends a file.
    pub(crate) async fn upload(&mut self, button: &str, name: &str, bytes: &[u8]) {
        let form = self.form(button);
        self.send(&form, button, Some((name, bytes))).await;
        self.look().await;
    }

    /// Types into the conversation.
    pub(crate) async fn say(&mut self, text: &str) {
        let has = |form: &Form| form.action.ends_with("/say");
        let mut form = html::forms(&self.page).into_iter().rfind(has).unwrap();
        text.clone_into(&mut form.input("text").value);
        let button = form.buttons[0].2.clone();
        self.send(&form, &button, None).await;
        self.look().await;
    }
}
