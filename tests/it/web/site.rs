//! A served playground, and browsers without scripts that visit it.

use std::{collections::BTreeMap, sync::Arc};

use anteroom::{
    base::{
        clock::{Clock, FixedClock},
        ids::{Ids, RandomIds, SessionId},
    },
    config::{Approvers, Secret, Settings, Tenant, Tenants, brand::Brand},
    engine::{Engine, Limits, Parts, webhook::Webhooks},
    flow::{Library, LoadedFlow},
    gateway::web::{Server, WebGateway},
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::Contacts,
        llm::{Model, Models},
    },
    store::{Store, memory::MemoryStore},
    tool::{Tool, Toolbox, catalog},
};
use reqwest::{Client, Response, multipart};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::llm::scripted::Scripted;

pub(super) const FLOW: &str = r#"
format = 1
id = "tour"
version = "1.0.0"
title = "A short tour"

[notice]
text = "You are about to talk to a bot."
accept = "Go on"
human = "A person, please"
decline = "Not now"

[approvals.override]
channel = "recruiting_approvals"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option", "get_user_upload"]
uploads = { accept = ["txt", "md"], max_mb = 1, max_files = 1 }

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
  id = "file"
  tool = "get_user_upload"
  args = { uploadType = "other", prompt = "A file, please.", acceptedFormats = ["txt", "md"] }

[[phase]]
id = "two"
title = "Two"
mode = "script"
tools = ["request_user_input"]

  [[phase.objective]]
  id = "worded"
  title = "A word"
  done = { answered = { step = "word" } }

  [[phase.step]]
  id = "word"
  tool = "request_user_input"
  args = { prompt = "A word, please." }
"#;

/// A playground with its bot.
pub(super) struct Site {
    pub(super) engine: Engine,
    pub(super) url: String,
    pub(super) clock: Arc<FixedClock>,
    _tasks: JoinSet<()>,
    pub(super) folder: tempfile::TempDir,
}

/// What a playground is made of.
struct Made {
    staff_key: Option<Secret>,
    store: Arc<dyn Store>,
    flow: String,
    models: Models,
    tool: Option<Arc<dyn Tool>>,
    brand: Brand,
    vars: BTreeMap<String, String>,
    contacts: Contacts,
    webhooks: Webhooks,
    tenants: Tenants,
    tenants_only: bool,
}

impl Default for Made {
    fn default() -> Self {
        Self {
            staff_key: None,
            store: Arc::new(MemoryStore::default()),
            flow: FLOW.to_owned(),
            models: Models::default(),
            tool: None,
            brand: Brand::default(),
            vars: BTreeMap::new(),
            contacts: Contacts::default(),
            webhooks: Webhooks::default(),
            tenants: Tenants::default(),
            tenants_only: false,
        }
    }
}

impl Site {
    /// The staff page is open to everybody on the machine.
    pub(super) async fn open() -> Self {
        Self::over(Arc::new(MemoryStore::default())).await
    }

    /// The same, kept in `store`.
    pub(super) async fn over(store: Arc<dyn Store>) -> Self {
        Self::serve(None, store).await
    }

    /// The staff page needs a key.
    pub(super) async fn locked(key: &str) -> Self {
        Self::serve(Some(Secret::new(key)), Arc::new(MemoryStore::default())).await
    }

    /// The staff page has a key of the operator's, and one for each of these tenants: its name, three times.
    pub(super) async fn shared(key: &str, tenants: &[&str]) -> Self {
        let tenant = |name: &&str| Tenant {
            name: (*name).to_owned(),
            staff_key: Some(Secret::new(name.repeat(3))),
            approvers: BTreeMap::from([(
                "recruiting_approvals".to_owned(),
                Approvers { web_staff: true, ..Approvers::default() },
            )]),
            ..Tenant::default()
        };
        let (staff_key, tenants) = (Some(Secret::new(key)), tenants.iter().map(tenant).collect());
        Self::make(Made { staff_key, tenants, ..Made::default() }).await
    }

    /// Nothing is started outside of tenants.
    pub(super) async fn hosted() -> Self {
        Self::make(Made { tenants_only: true, ..Made::default() }).await
    }

    /// A model leads its own flow, with one more tool.
    pub(super) async fn led(flow: &str, model: &Arc<Scripted>, tool: Arc<dyn Tool>) -> Self {
        let models =
            Models { interview: Some(Arc::clone(model) as Arc<dyn Model>), ..Models::default() };
        let made = Made { flow: flow.to_owned(), models, tool: Some(tool), ..Made::default() };
        Self::make(made).await
    }

    /// Models lead and read a flow of its own.
    pub(super) async fn modelled(flow: &str, models: Models) -> Self {
        Self::make(Made { flow: flow.to_owned(), models, ..Made::default() }).await
    }

    /// A flow that ships in the box, with these sources of contact details.
    pub(super) async fn shipped(flow: &str, models: Models, contacts: Contacts) -> Self {
        let vars = [
            ("organisation", "Acme"),
            ("privacy_url", "https://example.org/privacy"),
            ("contact", "people@example.org"),
        ];
        let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Self::make(Made { flow: flow.to_owned(), models, vars, contacts, ..Made::default() }).await
    }

    /// The pages look like somebody's own.
    pub(super) async fn branded(brand: Brand) -> Self {
        Self::make(Made { brand, ..Made::default() }).await
    }

    /// A flow of its own that calls web hooks.
    pub(super) async fn hooked(flow: &str, webhooks: Webhooks) -> Self {
        Self::make(Made { flow: flow.to_owned(), webhooks, ..Made::default() }).await
    }

    async fn serve(staff_key: Option<Secret>, store: Arc<dyn Store>) -> Self {
        Self::make(Made { staff_key, store, ..Made::default() }).await
    }

    #[expect(
        clippy::unused_async,
        reason = "every test awaits its site; that it waits for nothing is by chance"
    )]
    async fn make(made: Made) -> Self {
        let Made { staff_key, store, flow, models, tool, brand, vars, contacts, .. } = made;
        let (webhooks, tenants) = (made.webhooks, Arc::new(made.tenants));
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::playground(folder.path().to_owned());
        settings.web.listen = "127.0.0.1:0".parse().unwrap();
        settings.web.staff_key = staff_key;
        settings.web.public_url = webhooks.links.as_ref().map(|links| links.public_url.clone());
        settings.brand = brand;
        settings.tenants = Arc::clone(&tenants);
        let fixed = Arc::new(FixedClock::new("2026-11-02T14:05:00Z".parse().unwrap()));
        let clock: Arc<dyn Clock> = Arc::clone(&fixed) as _;
        let ids: Arc<dyn Ids> = Arc::new(RandomIds);
        let mut library = Library::default();
        library.insert(Arc::new(LoadedFlow::load(&flow, "tour.toml", &vars).unwrap()));
        library.share(&tenants, (&vars, made.tenants_only)).unwrap();
        let tools: Vec<_> = catalog::interview::tools().into_iter().chain(tool).collect();
        let reader = Extractor::new("/nonexistent");
        let keys = Arc::clone(&store);
        let parts = Parts {
            store,
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            library: Arc::new(library),
            toolbox: Arc::new(Toolbox::new(tools).unwrap()),
            tasks: Arc::default(),
            artifacts: Arc::new(
                Artifacts::new(folder.path(), keys, clock, ids, reader).unwrap().without_syncs(),
            ),
            contacts: Arc::new(contacts),
            webhooks: Arc::new(webhooks),
            models,
            services: anteroom::tool::Services::default(),
        };
        let server = Server::bind(Arc::new(settings)).unwrap();
        let url = format!("http://{}", server.address());
        let limits = Limits { tenants, ..Limits::default() };
        let engine = Engine::limited(parts, vec![Arc::new(WebGateway)], limits);
        let mut tasks = JoinSet::new();
        let (run, serve) = (engine.clone(), engine.clone());
        tasks.spawn(async move { run.run(CancellationToken::new()).await });
        tasks.spawn(async move { server.serve(serve, CancellationToken::new()).await });
        Self { engine, url, clock: fixed, _tasks: tasks, folder }
    }

    /// A browser that has never been here.
    pub(super) fn visitor(&self) -> Visitor {
        let client = Client::builder().cookie_store(true).no_proxy().build().unwrap();
        Visitor { client, url: self.url.clone(), engine: self.engine.clone(), is_busy: false }
    }

    /// A staff member at a browser of their own.
    pub(super) async fn staff(&self, name: &str) -> Visitor {
        let visitor = self.visitor();
        let page = visitor.get("/staff").await;
        let csrf = csrf(&page);
        visitor.post("/staff/name", &[("csrf", &csrf), ("name", name)]).await;
        visitor
    }

    /// The same where a key is needed.
    pub(super) async fn staff_with(&self, key: &str, name: &str) -> Visitor {
        let visitor = self.visitor();
        let page = visitor.get(&format!("/staff?key={key}")).await;
        let csrf = csrf(&page);
        visitor.post("/staff/name", &[("csrf", &csrf), ("name", name)]).await;
        visitor
    }

    /// The one conversation there is.
    pub(super) async fn session(&self) -> SessionId {
        let heads = self.engine.newest((None, 2), |_| true).await.unwrap().0;
        assert_eq!(heads.len(), 1);
        heads[0].id
    }
}

/// A browser without scripts.
pub(super) struct Visitor {
    pub(super) client: Client,
    url: String,
    engine: Engine,
    /// Looks at the page while the bot is at work, instead of waiting until it has done.
    pub(super) is_busy: bool,
}

impl Visitor {
    pub(super) async fn fetch(&self, path: &str) -> Response {
        self.client.get(format!("{}{path}", self.url)).send().await.unwrap()
    }

    pub(super) async fn get(&self, path: &str) -> String {
        if !self.is_busy {
            self.engine.settle_down().await;
        }
        self.fetch(path).await.text().await.unwrap()
    }

    /// Sends a form and follows where it leads, once the bot has done its work.
    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let answer =
            self.client.post(format!("{}{path}", self.url)).form(fields).send().await.unwrap();
        self.settled(answer).await
    }

    /// The page after a form, drawn again once the bot is at rest.
    async fn settled(&self, answer: Response) -> String {
        let (status, path) = (answer.status(), answer.url().path().to_owned());
        let shown = answer.text().await.unwrap();
        let is_page = status.is_success() && path.starts_with("/s");
        if is_page && !path.ends_with("answer") { self.get(&path).await } else { shown }
    }

    pub(super) async fn start(&self, flow: &str, name: &str) -> String {
        let answer = self.begin(flow, name).await;
        self.settled(answer).await
    }

    /// The same where the bot has its first turn yet.
    pub(super) async fn start_unrested(&self, flow: &str) {
        assert!(self.begin(flow, "Ada").await.status().is_success());
    }

    /// The answer to a first visit.
    pub(super) async fn begin(&self, flow: &str, name: &str) -> Response {
        let page = self.get("/").await;
        let key = between(&page, "name=\"key\" value=\"", "\"");
        let fields =
            [("csrf", csrf(&page)), ("key", key), ("flow", flow.into()), ("name", name.into())];
        let fields: Vec<(&str, &str)> = fields.iter().map(|(k, v)| (*k, v.as_str())).collect();
        self.client.post(format!("{}/start", self.url)).form(&fields).send().await.unwrap()
    }

    /// Presses the last button that says `label`.
    pub(super) async fn press(&self, page: &str, label: &str) -> String {
        let end = page
            .rfind(&format!(">{label}</button>"))
            .or_else(|| page.rfind(&format!(">{label}</bdi></button>")))
            .unwrap_or_else(|| panic!("no [{label}] in {page}"));
        let form = page[..end].rfind("<form").unwrap();
        let button = page[..end].rfind("<button").unwrap();
        let name = between(&page[button..], "name=\"", "\"");
        let value = between(&page[button..], "value=\"", "\"");
        let action = between(&page[form..], "action=\"", "\"");
        let key = between(&page[form..], "name=\"key\" value=\"", "\"");
        self.post(&action, &[("csrf", &csrf(page)), ("key", &key), (&name, &value)]).await
    }

    pub(super) async fn say(&self, page: &str, text: &str) -> String {
        let form = page.rfind("id=\"say\"").unwrap();
        let form = &page[page[..form].rfind("<form").unwrap()..];
        let action = between(form, "action=\"", "\"");
        let key = between(form, "name=\"key\" value=\"", "\"");
        self.post(&action, &[("csrf", &csrf(page)), ("key", &key), ("text", text)]).await
    }

    /// Sends a file beside the message that is being written.
    pub(super) async fn attach(&self, page: &str, part: multipart::Part) -> String {
        let form = page.rfind("id=\"say\"").unwrap();
        let form = &page[page[..form].rfind("<form").unwrap()..];
        let action = between(form, "action=\"", "\"");
        let key = between(form, "name=\"key\" value=\"", "\"");
        let form = multipart::Form::new().text("csrf", csrf(page)).text("key", key);
        let url = format!("{}{action}", self.url);
        let request = self.client.post(url).multipart(form.part("files", part));
        self.settled(request.send().await.unwrap()).await
    }

    /// Sends one file through the open upload.
    pub(super) async fn upload(&self, page: &str, part: multipart::Part) -> Response {
        let form = &page[page.rfind("data-form=\"upload\"").unwrap()..];
        let session = between(page, "data-live=\"", "/live");
        let form = multipart::Form::new()
            .text("csrf", csrf(page))
            .text("key", between(form, "name=\"key\" value=\"", "\""))
            .text("element", between(form, "name=\"element\" value=\"", "\""))
            .part("files", part);
        let url = format!("{}{session}/answer", self.url);
        let answer = self.client.post(url).multipart(form).send().await.unwrap();
        self.engine.settle_down().await;
        if answer.status().is_success() { self.fetch(&session).await } else { answer }
    }

    pub(super) async fn command(&self, page: &str, fields: &[(&str, &str)]) -> String {
        self.order_to("command", page, fields).await
    }

    pub(super) async fn order(&self, page: &str, fields: &[(&str, &str)]) -> String {
        self.order_to("order", page, fields).await
    }

    async fn order_to(&self, what: &str, page: &str, fields: &[(&str, &str)]) -> String {
        let session = between(page, "data-live=\"", "/live");
        let csrf = csrf(page);
        let mut all = vec![("csrf", csrf.as_str()), ("key", "once")];
        all.extend_from_slice(fields);
        self.post(&format!("{session}/{what}"), &all).await
    }
}

/// The token of a page.
pub(super) fn csrf(page: &str) -> String {
    between(page, "name=\"csrf\" value=\"", "\"")
}

fn between(text: &str, from: &str, to: &str) -> String {
    let start = text.find(from).unwrap_or_else(|| panic!("no `{from}` in {text}")) + from.len();
    text[start..start + text[start..].find(to).unwrap()].to_owned()
}
