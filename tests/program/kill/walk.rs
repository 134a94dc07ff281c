//! One person on their way through a flow over HTTP, and a program that keeps dying under them.
//!
//! Invariants are those of `docs/semantics.md`.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};

use anteroom::{
    base::{
        clock::SystemClock,
        failpoint::Failpoint,
        ids::{RandomIds, SessionId},
    },
    model::transcript::{EffectOutcome, Event},
    ports::artifacts::{Artifacts, blobs::Condition, extract::Extractor},
    store::{
        Store,
        postgres::{Options, PostgresStore},
        sled::SledStore,
    },
};
use axum::{Router, extract::State, http::HeaderMap, routing::post};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinSet};

use super::{
    Chance,
    bot::{Bot, command, said_by},
    digger::Digger,
    html::{self, Card, Form},
    laws,
    person::{Asked, Person, SAVE, answer, asked},
    power::Shadow,
    spoken::last_words,
};

/// Longest wait for the next question. The bot works after it has acknowledged, so the page may be a moment late.
const PATIENCE: Duration = Duration::from_mins(2);

/// The step at which nearly two days pass: past the first reminder, before the second.
const PAUSE_AT: u64 = 3;
const PAUSE: i64 = 40 * 60 * 60;

/// The flow under which the database is made anew at every start.
pub(crate) const REBUILT: &str = "community-welcome";

/// Seconds without an event after which a conversation is at rest, and some more.
const REST: i64 = 12 * 60;

/// What a run came to, without what differs from run to run: ids, times, names of sessions.
#[derive(Debug, PartialEq)]
pub(crate) struct End {
    pub(crate) steps: u64,
    conversation: Vec<(String, String, String)>,
    /// What became of the effects; they are delivered beside the conversation, so their place in it may differ.
    effects: Vec<String>,
    records: Vec<(Value, Value, Value)>,
    resume: Value,
    /// What the receiver of web hooks has taken, each delivery once.
    hooks: usize,
}

impl End {
    pub(crate) fn assert_same(&self, undisturbed: &Self, context: &str) {
        assert_eq!(self.conversation, undisturbed.conversation, "{context}");
        assert_eq!(self.effects, undisturbed.effects, "{context}");
        assert_eq!(self.records, undisturbed.records, "{context}");
        assert_eq!(self.resume, undisturbed.resume, "{context}");
        assert_eq!(self.hooks, undisturbed.hooks, "{context}");
        assert_eq!(self.steps, undisturbed.steps, "{context}");
    }
}

/// A receiver of web hooks: name and body of every delivery, repeats included.
struct Hook {
    url: String,
    seen: Seen,
    _serving: JoinSet<()>,
}

type Seen = Arc<Mutex<Vec<(String, String)>>>;

impl Hook {
    async fn listen() -> Self {
        async fn take(State(seen): State<Seen>, headers: HeaderMap, body: String) {
            let id = headers["x-anteroom-delivery"].to_str().unwrap().to_owned();
            seen.lock().unwrap().push((id, body));
        }
        let seen = Seen::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let router = Router::new().route("/hook", post(take)).with_state(Arc::clone(&seen));
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, seen, _serving: serving }
    }

    /// Deliveries by id; a repeat must say the same.
    fn taken(&self) -> BTreeMap<String, String> {
        let mut taken = BTreeMap::new();
        for (id, body) in self.seen.lock().unwrap().clone() {
            let before = taken.insert(id, body.clone());
            assert!(before.is_none_or(|before| before == body), "a repeat differs: {body}");
        }
        taken
    }
}

/// The person, their browser and the program.
pub(crate) struct Walk {
    flow: String,
    pub(crate) data: PathBuf,
    bot: Option<Bot>,
    person: Person,
    hook: Hook,
    /// The model, where the flow needs one.
    _digger: Option<Digger>,
    /// Conversations that other people have left open.
    pub(crate) others: usize,
    /// Where the conversations are, if not in the data directory.
    database: Option<Options>,
    /// What a power cut leaves; where there is one, a kill is a power cut.
    pub(crate) shadow: Option<Shadow>,
    /// What runs the program, with its arguments; nothing runs it where there is none.
    pub(crate) under: Option<Vec<OsString>>,
    /// Points at which the program is still to die.
    pub(crate) deaths: Vec<(String, u64)>,
    /// Points at which it has died.
    pub(crate) died: Vec<(String, u64)>,
    /// Steps at which the program is killed; a step may be hit more than once.
    pub(crate) moments: Vec<u64>,
    pub(crate) chance: Chance,
    pub(crate) kills: u64,
    steps: u64,
    /// Path of the conversation.
    session: String,
    /// Questions whose answer was acknowledged.
    answered: Vec<String>,
    /// Rows of the page that ask something in words, and were answered in words.
    replied: Vec<String>,
    /// A model leads.
    is_led: bool,
    /// What is said at the very end, where a model says it.
    pub(crate) last_words: Option<&'static str>,
}

/// The table of the configuration that keeps conversations in a database. Its secrets lie in files in `dir`.
fn database_table(database: &Options, dir: &Path) -> String {
    let file = |name: &str, text: &str| {
        let path = dir.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (url, key) =
        (file("url", &database.url), file("key", &BASE64_STANDARD.encode(database.key)));
    format!("\n[postgres]\nurl_file = \"{url}\"\nkey_file = \"{key}\"\nlease = \"2s\"\n")
}

/// What somebody is asked next.
enum Next {
    Card(Card),
    /// A question in words alone: its row and the form for whatever one writes.
    Words(String, Form),
}

impl Walk {
    /// Begins a conversation in `dir`; the program dies whenever it comes to one of `deaths`.
    pub(crate) async fn begin(flow: &str, dir: &Path, deaths: &[(String, u64)]) -> Self {
        let mut walk = Self::prepare(flow, dir, deaths).await;
        walk.open_conversation().await;
        walk
    }

    /// Begins a conversation that a model leads, with its table of the configuration.
    pub(crate) async fn led(flow: &str, dir: &Path, model: &str) -> Self {
        let mut walk = Self::set_up(flow, dir, (&[], None), Some(model)).await;
        walk.open_conversation().await;
        walk
    }

    /// Begins a conversation that is kept in a database.
    pub(crate) async fn in_database(flow: &str, dir: &Path, database: Options) -> Self {
        let mut walk = Self::set_up(flow, dir, (&[], Some(database)), None).await;
        walk.open_conversation().await;
        walk
    }

    /// The same before the conversation begins.
    pub(crate) async fn prepare(flow: &str, dir: &Path, deaths: &[(String, u64)]) -> Self {
        Self::set_up(flow, dir, (deaths, None), None).await
    }

    async fn set_up(
        flow: &str,
        dir: &Path,
        (deaths, database): (&[(String, u64)], Option<Options>),
        model: Option<&str>,
    ) -> Self {
        let data = dir.join("data");
        fs::create_dir(&data).unwrap();
        let hook = Hook::listen().await;
        let digger = if flow == "delegating" { Some(Digger::listen().await) } else { None };
        let table = model.map(str::to_owned).or_else(|| {
            let url = &digger.as_ref()?.url;
            Some(format!("[llm.interview]\nbase_url = \"{url}\"\nmodel = \"digger\"\n"))
        });
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/kill");
        let config = format!(
            "[vars]\norganisation = \"Example Ltd\"\nprivacy_url = \"https://example.org/privacy\"\n\
             contact = \"people@example.org\"\n\n[approvers]\n\
             recruiting_approvals = {{ web_staff = true }}\nstaff_approvals = {{ web_staff = true }}\n\n\
             [webhooks]\nats_webhook = {{ url = \"{}\" }}\n\n[flows]\ndir = \"{}\"\ntasks = \"{}\"\n\n{}{}",
            hook.url,
            tests.join("flows").display(),
            tests.join("tasks").display(),
            table.unwrap_or_default(),
            database.as_ref().map(|database| database_table(database, dir)).unwrap_or_default(),
        );
        fs::write(data.with_extension("toml"), config).unwrap();
        fs::write(data.with_extension("clock"), "0").unwrap();
        let mut walk = Self {
            flow: flow.to_owned(),
            data,
            bot: None,
            person: Person::new(),
            hook,
            _digger: digger,
            others: 0,
            database,
            shadow: None,
            under: None,
            deaths: deaths.to_vec(),
            died: Vec::new(),
            moments: Vec::new(),
            chance: Chance(0),
            kills: 0,
            steps: 0,
            session: String::new(),
            answered: Vec::new(),
            replied: Vec::new(),
            is_led: model.is_some(),
            last_words: None,
        };
        walk.start();
        walk
    }

    /// Another person begins a conversation and leaves it open.
    pub(crate) async fn meet_somebody_else(&mut self) {
        self.person = Person::new();
        self.open_conversation().await;
        self.person = Person::new();
    }

    /// Stops the program.
    pub(crate) fn stop(&mut self) {
        drop(self.bot.take());
    }

    /// Answers what is asked until nothing is, and looks at what is left.
    pub(crate) async fn finish(&mut self) -> End {
        while self.step().await {}
        if let Some(words) = self.last_words {
            self.page_with(words).await;
        }
        self.end().await
    }

    /// Answers one question; false if none is asked any more.
    pub(crate) async fn step(&mut self) -> bool {
        let Some(next) = self.next().await else { return false };
        if self.steps == PAUSE_AT && self.under.is_none() && !self.is_led {
            self.pause().await;
        }
        match next {
            Next::Card(card) => self.answer(card).await,
            Next::Words(row, mut form) => {
                form.input("text").value = format!("My answer to question {}.", self.steps);
                let fields = form.pressed("Send message");
                while self.dies_now() {
                    self.strike(&form.action, &fields, None).await;
                }
                self.post(&form.action, &fields, None).await;
                self.replied.push(row);
            }
        }
        self.steps += 1;
        true
    }

    async fn answer(&mut self, card: Card) {
        let (form, label, file) = answer(&card);
        let fields = form.pressed(&label);
        while self.dies_now() {
            if self.strike(&form.action, &fields, file.as_deref()).await {
                let session = self.session.clone();
                let page = self.get(&session).await;
                let is_open = html::open_cards(&page).iter().any(|open| open.wait == card.wait);
                // What is saved stays open to be approved.
                assert!(!is_open || label == SAVE, "acknowledged and lost: {}", card.text);
            }
        }
        self.post(&form.action, &fields, file.as_deref()).await;
        // What was acknowledged counts, whatever happens a moment later.
        if label != SAVE {
            self.answered.push(card.wait);
        }
    }

    /// Whether the program is to be killed, once more, at this step.
    fn dies_now(&mut self) -> bool {
        let strike = self.moments.iter().position(|at| *at == self.steps);
        strike.map(|strike| self.moments.remove(strike)).is_some()
    }

    /// The kill comes before the answer, on its way, or while the bot works on it.
    /// Whether it was acknowledged.
    async fn strike(
        &mut self,
        action: &str,
        fields: &[(String, String)],
        file: Option<&Path>,
    ) -> bool {
        // From microseconds to a tenth of a second, each order of magnitude as likely as the next.
        let longest = 200 << self.chance.below(10);
        let delay = Duration::from_micros(self.chance.below(longest));
        let is_acknowledged = tokio::select! {
            biased;
            sent = self.post_once(action, fields, file) => {
                tokio::time::sleep(delay).await;
                sent.is_ok_and(|(status, _)| status < 500)
            }
            () = tokio::time::sleep(delay) => false,
        };
        drop(self.bot.take());
        if let Some(shadow) = &self.shadow {
            shadow.cut();
        }
        self.kills += 1;
        self.start();
        is_acknowledged
    }

    /// What a command says, which must succeed.
    fn said(&self, args: &[&str]) -> Vec<u8> {
        let mut command = command(&self.data);
        if self.database.is_some() {
            command.arg("--config").arg(self.data.with_extension("toml"));
        }
        said_by(command, args)
    }

    /// The program with its failpoints armed.
    fn command(&self) -> Command {
        let mut command = command(&self.data);
        let deaths: Vec<String> =
            self.deaths.iter().map(|(point, pass)| format!("{point}:{pass}")).collect();
        command
            .arg("--config")
            .arg(self.data.with_extension("toml"))
            .env("ANTEROOM_FAILPOINT_LOG", self.data.with_extension("failpoints"))
            .env("ANTEROOM_FAILPOINT_CLOCK", self.data.with_extension("clock"))
            .env("ANTEROOM_FAILPOINT_KILL", deaths.join(","))
            .envs((self.flow == REBUILT).then_some(("ANTEROOM_FAILPOINT_REBUILD", "1")))
            .envs(self.shadow.iter().flat_map(Shadow::variables));
        let Some((runner, options)) = self.under.as_ref().and_then(|under| under.split_first())
        else {
            return command;
        };
        let mut under = Command::new(runner);
        under.args(options).arg(command.get_program()).args(command.get_args()).env_clear();
        let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        under.envs(set).current_dir(command.get_current_dir().unwrap());
        under
    }

    /// Starts the program, again where it dies at once because it shall.
    pub(crate) fn start(&mut self) {
        loop {
            self.bury();
            self.bot = Bot::launch(self.command(), &self.data);
            if self.bot.is_some() {
                return;
            }
            let deaths = self.died.len();
            self.bury();
            if let Some(shadow) = &self.shadow {
                shadow.cut();
            }
            assert!(self.died.len() > deaths, "the bot did not start: {}", self.log());
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(self.data.with_extension("log")).unwrap_or_default()
    }

    /// What the program has noted of its passes.
    fn failpoints_hit(&self) -> Vec<String> {
        let log = fs::read_to_string(self.data.with_extension("failpoints"));
        log.unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// Notes where the program has died.
    fn bury(&mut self) {
        let died = self.failpoints_hit().into_iter().filter_map(|line| {
            let (point, pass) = line.strip_prefix('!')?.split_once(':')?;
            Some((point.to_owned(), pass.parse().unwrap()))
        });
        self.died = died.collect();
        self.deaths.retain(|death| !self.died.contains(death));
    }

    /// How often each point has been passed.
    pub(crate) fn passes(&self) -> BTreeMap<String, u64> {
        let mut passes = BTreeMap::new();
        for point in self.failpoints_hit().into_iter().filter(|line| !line.starts_with('!')) {
            *passes.entry(point).or_default() += 1;
        }
        passes
    }

    /// The program does not answer: it must have died where it should.
    async fn revive(&mut self, error: &str) {
        let Some(mut bot) = self.bot.take() else { return self.start() };
        for _ in 0..100 {
            if bot.child.try_wait().unwrap().is_some() {
                let deaths = self.died.len();
                self.bury();
                assert!(self.died.len() > deaths, "it died by itself: {}", self.log());
                return self.start();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it lives and does not answer: {error}; {}", self.log());
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.site().trim_end_matches('/'))
    }

    fn site(&self) -> &str {
        self.bot.as_ref().map_or("http://127.0.0.1:9/", |bot| &bot.page)
    }

    pub(crate) async fn open_conversation(&mut self) {
        let page = self.get("/").await;
        let mut form = html::start_form(&page, &self.flow);
        "Ada Byron".clone_into(&mut form.input("name").value);
        let fields = form.pressed("Start");
        self.session = self.post(&form.action, &fields, None).await;
        assert!(self.session.starts_with("/s/"), "{}", self.session);
    }

    /// The person writes without being asked.
    pub(crate) async fn say(&mut self, text: &str) {
        let session = self.session.clone();
        let page = self.get(&session).await;
        let form = html::forms(&page).into_iter().find(|form| form.action.ends_with("/say"));
        let mut form = form.unwrap();
        text.clone_into(&mut form.input("text").value);
        self.post(&form.action, &form.pressed("Send message"), None).await;
    }

    async fn get_once(&self, path: &str) -> Result<(u16, String), reqwest::Error> {
        let page = self.person.client.get(self.url(path)).send().await?;
        Ok((page.status().as_u16(), page.text().await?))
    }

    /// A page, reloaded until it comes.
    async fn look(&mut self, path: &str) -> (u16, String) {
        loop {
            match self.get_once(path).await {
                Ok(page) => return page,
                Err(error) => self.revive(&error.to_string()).await,
            }
        }
    }

    async fn get(&mut self, path: &str) -> String {
        let (status, page) = self.look(path).await;
        assert_eq!(status, 200, "{path}: {}", html::text(&page));
        page
    }

    /// Sends a form as a browser without scripts does, and again where no answer comes, as its person does who presses
    /// “send again”; the path it ends at. Only a repeat may be told that the question is not open any more.
    async fn post(
        &mut self,
        action: &str,
        fields: &[(String, String)],
        file: Option<&Path>,
    ) -> String {
        let mut is_repeat = self.kills > 0;
        loop {
            match self.post_once(action, fields, file).await {
                Ok((200, path)) => return path,
                Ok((404 | 409, path)) if is_repeat => return path,
                Ok((status, path)) => panic!("{action} gave {status} at {path}"),
                Err(error) => self.revive(&error.to_string()).await,
            }
            is_repeat = true;
        }
    }

    async fn post_once(
        &self,
        action: &str,
        fields: &[(String, String)],
        file: Option<&Path>,
    ) -> Result<(u16, String), reqwest::Error> {
        let response = self.person.send(self.site(), action, fields, file).await?;
        let seen = (response.status().as_u16(), response.url().path().to_owned());
        // The page has come whole, or it has not come.
        response.bytes().await?;
        Ok(seen)
    }

    /// The next open question; none at the end of the flow.
    pub(crate) async fn next_card(&mut self) -> Option<Card> {
        match self.next().await {
            Some(Next::Card(card)) => Some(card),
            Some(Next::Words(row, _)) => panic!("{row} asks in words"),
            None => None,
        }
    }

    /// What is asked next. An answered question must never be open again.
    async fn next(&mut self) -> Option<Next> {
        let session = self.session.clone();
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let page = self.get(&session).await;
            match asked(&page, &self.answered) {
                Asked::This(card) => return Some(Next::Card(card)),
                Asked::Over => return None,
                Asked::NotYet => {}
            }
            if let Some((row, true, words)) = last_words(&page)
                && words.trim_end().ends_with('?')
                && !self.replied.contains(&row)
                && let Some(form) =
                    html::forms(&page).into_iter().find(|form| form.action.ends_with("/say"))
            {
                return Some(Next::Words(row, form));
            }
            assert!(tokio::time::Instant::now() < deadline, "no question: {}", html::text(&page));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Nearly two days pass; one reminder comes. Then nothing happens until the conversation is in the archive, where there is
    /// one.
    async fn pause(&mut self) {
        const REMINDER: &str = "A reminder: this question is still open";
        let clock = self.data.with_extension("clock");
        fs::write(&clock, PAUSE.to_string()).unwrap();
        self.page_with(REMINDER).await;
        if self.database.is_some() {
            return;
        }
        let deadline = tokio::time::Instant::now() + PATIENCE;
        let mut later = PAUSE;
        while !self.passes().contains_key(Failpoint::ArchiveNoted.name()) {
            assert!(tokio::time::Instant::now() < deadline, "it never rests: {}", self.log());
            later += REST;
            fs::write(&clock, later.to_string()).unwrap();
            // The bot looks at its clock once a second.
            tokio::time::sleep(Duration::from_millis(1500)).await;
            self.page_with(REMINDER).await;
        }
    }

    /// The conversation's page once these words are on it.
    pub(crate) async fn page_with(&mut self, words: &str) -> String {
        let session = self.session.clone();
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let page = self.get(&session).await;
            if page.contains(words) {
                return page;
            }
            let shown = html::text(&page);
            assert!(tokio::time::Instant::now() < deadline, "no `{words}`: {shown}{}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Returns once the program has said so in its log.
    pub(crate) async fn log_with(&self, words: &str) {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while !self.log().contains(words) {
            assert!(tokio::time::Instant::now() < deadline, "no `{words}`: {}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Sends a form of the page as it is.
    pub(crate) async fn press(&mut self, form: &Form, label: &str) {
        self.post(&form.action, &form.pressed(label), None).await;
    }

    /// The transcript once the last effect has been delivered; the bot is stopped then.
    async fn settled(&mut self, id: &str) -> Value {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            drop(self.bot.take());
            let transcript = self.said(&["export", id, "--format", "json"]);
            let transcript: Value = serde_json::from_slice(&transcript).unwrap();
            let entries = transcript["entries"].as_array().unwrap();
            let texts: Vec<String> = entries.iter().map(text_of).collect();
            let is_done = |text: &String| match text.strip_suffix(" is on its way") {
                Some(effect) => {
                    texts.iter().any(|other| other != text && other.starts_with(effect))
                }
                None => true,
            };
            if texts.iter().all(is_done) {
                return transcript;
            }
            assert!(tokio::time::Instant::now() < deadline, "never delivered: {texts:#?}");
            self.start();
        }
    }

    /// Ends the bot and looks at what it has kept.
    async fn end(&mut self) -> End {
        let id = self.session.trim_start_matches("/s/").to_owned();
        let transcript = self.settled(&id).await;
        self.assert_sound().await;
        let verified: Value =
            serde_json::from_slice(&self.said(&["audit", "verify", "--json"])).unwrap();
        assert_eq!(verified["holds"], true, "{verified}");
        let sessions: Value =
            serde_json::from_slice(&self.said(&["sessions", "list", "--json"])).unwrap();
        let sessions = sessions.as_array().unwrap();
        assert_eq!(sessions.len(), 1 + self.others, "{sessions:#?}");
        let own = sessions.iter().find(|session| session["id"] == id.as_str()).unwrap();
        // The community asks its moderators before it gives a role, and no moderator answers here.
        let requests = u64::from(self.flow == "community-welcome");
        assert_eq!((&own["status"], &own["pending"]), (&"completed".into(), &requests.into()));

        let entries = transcript["entries"].as_array().unwrap();
        let mut effects: Vec<String> =
            entries.iter().filter(|entry| entry["kind"] == "effect").map(text_of).collect();
        effects.sort();
        let words = |entry: &Value, key: &str| entry[key].as_str().unwrap().to_owned();
        let conversation = entries
            .iter()
            .filter(|entry| entry["kind"] != "effect")
            .map(|entry| (words(entry, "kind"), words(entry, "who"), text_of(entry)))
            .collect();
        let records = entries.iter().filter(|entry| entry["kind"] == "stored").map(|entry| {
            let data = &entry["data"];
            (data["dataType"].clone(), data["data"].clone(), data["reviewed"].clone())
        });
        let resume = self.said(&["export", &id, "--format", "json-resume"]);
        let mut resume: Value = serde_json::from_slice(&resume).unwrap();
        resume["meta"] = Value::Null;
        End {
            steps: self.steps,
            conversation,
            effects,
            records: records.collect(),
            resume,
            hooks: self.hook.taken().len(),
        }
    }

    /// The laws hold on what is stored, and all that was acknowledged is there (I1 to I6).
    async fn assert_sound(&self) {
        let store: Arc<dyn Store> = match &self.database {
            Some(database) => Arc::new(PostgresStore::open(database, Arc::new(RandomIds)).unwrap()),
            None => {
                Arc::new(SledStore::open(&self.data.join("store"), Arc::new(RandomIds)).unwrap())
            }
        };
        let (keys, clock, ids) =
            (Arc::<dyn Store>::clone(&store), Arc::new(SystemClock), Arc::new(RandomIds));
        let reader = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
        let artifacts = Artifacts::new(&self.data, keys, clock, ids, reader).unwrap();
        let id: SessionId = self.session.trim_start_matches("/s/").parse().unwrap();
        let loaded = store.load(id).await.unwrap().unwrap();
        let chain = store.audit(0, usize::MAX).await.unwrap();
        let own: Vec<_> =
            chain.into_iter().filter(|sealed| sealed.record.session == Some(id)).collect();
        laws::assert_sound(&loaded.events, &own);
        let (mut answered, mut ended) = (BTreeSet::new(), BTreeSet::new());
        for recorded in &loaded.events {
            match &*recorded.event {
                Event::Answered { wait, .. } => {
                    answered.extend([wait.to_string(), wait.short()]);
                }
                Event::EffectNoted {
                    effect: Some(effect),
                    outcome: EffectOutcome::Delivered | EffectOutcome::Failed { .. },
                    ..
                } => assert!(ended.insert(*effect), "{effect} was noted twice"),
                Event::Kept(file) => {
                    let kept = artifacts.inspect(id, file).await;
                    assert_eq!(kept.unwrap(), Condition::Whole, "{} is gone", file.filename);
                }
                _ => {}
            }
        }
        for wait in &self.answered {
            assert!(
                answered.contains(wait),
                "{wait} was acknowledged and is not there; died at {:?}, events {:#?}",
                self.died,
                loaded.events
            );
        }
    }

    /// The person has everything erased; nothing of them is left, though the program dies at that too.
    pub(crate) async fn forget(&mut self) {
        self.start();
        let session = self.session.clone();
        let page = self.get(&session).await;
        let form = html::forms(&page).into_iter().find(|form| form.name == "delete").unwrap();
        self.post(&form.action, &form.pressed("Delete my data…"), None).await;
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let (status, page) = self.look(&session).await;
            if status == 404 {
                break;
            }
            let card = html::open_cards(&page).into_iter().next();
            if let Some((card, form)) =
                card.as_ref().and_then(|card| Some((card, card.forms.first()?)))
            {
                assert!(!self.answered.contains(&card.wait), "asked again: {}", card.text);
                self.post(&form.action, &form.pressed("Delete everything"), None).await;
                self.answered.push(card.wait.clone());
            }
            assert!(tokio::time::Instant::now() < deadline, "never erased: {}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // Room is made by an erasure, not taken away: whoever comes next is welcome.
        self.meet_somebody_else().await;
        let other = self.session.trim_start_matches("/s/").to_owned();
        // What was left of the order is carried out by now, or at the next start, though the clock goes back there.
        drop(self.bot.take());
        let bot = Bot::start(&self.data);
        let id = session.trim_start_matches("/s/");
        let files = self.data.join("artifacts").join(id);
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while files.exists() {
            assert!(tokio::time::Instant::now() < deadline, "files are left: {}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        drop(bot);
        let sessions: Value =
            serde_json::from_slice(&self.said(&["sessions", "list", "--json"])).unwrap();
        let left: Vec<_> = sessions.as_array().unwrap().iter().map(|left| &left["id"]).collect();
        assert_eq!(left, [other.as_str()]);
        // Child runs, which no list shows, are gone as well.
        let store = SledStore::open(&self.data.join("store"), Arc::new(RandomIds)).unwrap();
        let heads = store.sessions(None, usize::MAX).await.unwrap();
        let heads: Vec<String> = heads.iter().map(|head| head.id.to_string()).collect();
        assert_eq!(heads, [other.as_str()]);
        drop(store);
        let verified: Value =
            serde_json::from_slice(&self.said(&["audit", "verify", "--json"])).unwrap();
        assert_eq!(verified["holds"], true, "{verified}");
        let chain = String::from_utf8(self.said(&["audit", "export"])).unwrap();
        assert!(chain.contains("session_erased"), "no receipt");
    }
}

fn text_of(entry: &Value) -> String {
    entry["text"].as_str().unwrap().to_owned()
}
