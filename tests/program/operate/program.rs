//! `anteroom run` as a process on a flow of its own, and a person who visits it.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use reqwest::cookie::{CookieStore as _, Jar};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::html::{self, Card};

/// A short way through all that a bot does: a choice, a file that a child reads, words, a web hook.
pub(crate) const FLOW: &str = r#"
format = 1
id = "tour"
version = "1.0.0"
title = "A short tour"

[notice]
text = "You are about to talk to a bot."
accept = "Go on"
human = "A person, please"
decline = "Not now"

[pace]
remind_after = ["1s"]

[approvals.override]
channel = "deciders"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option", "get_user_upload", "extract_document"]
uploads = { accept = ["pdf", "txt"], max_mb = 1, max_files = 1 }

  [[phase.objective]]
  id = "filed"
  title = "A file"
  done = { uploaded = "other" }

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.step]]
  id = "file"
  tool = "get_user_upload"
  args = { uploadType = "other", prompt = "A file, please.", acceptedFormats = ["pdf", "txt"] }

  [[phase.step]]
  id = "read"
  tool = "extract_document"
  args = { artifact_id = { "$from" = "results.file.uploads[0].id" } }

  [[phase.effect]]
  do = "webhook"
  url_from = "hook"
  include = []

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

/// Longest wait for something that must happen.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the web hook is signed with, and what opens the staff page.
pub(crate) const SECRETS: [(&str, &str); 2] =
    [("HOOK_SECRET", "marker-hook-secret-kestrel"), ("STAFF_KEY", "marker-staff-key-wagtail-1234")];

/// A folder with configuration, flow and data.
pub(crate) struct Place {
    dir: tempfile::TempDir,
    level: &'static str,
}

impl Place {
    /// A configuration whose web hook goes to `hook`.
    pub(crate) fn new(hook: SocketAddr, level: &'static str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let flows = dir.path().join("flows");
        fs::create_dir(&flows).unwrap();
        fs::write(flows.join("tour.toml"), FLOW).unwrap();
        let config = format!(
            r#"
            [data]
            dir = "{data}"
            [web]
            listen = "127.0.0.1:0"
            staff_key_env = "STAFF_KEY"
            [vars]
            organisation = "Example Ltd"
            privacy_url = "https://example.org/privacy"
            contact = "people@example.org"
            [flows]
            dir = "{flows}"
            enabled = ["tour"]
            [approvers]
            deciders = {{ web_staff = true }}
            [webhooks]
            hook = {{ url = "http://{hook}/", secret_env = "HOOK_SECRET" }}
            "#,
            data = dir.path().join("data").display(),
            flows = flows.display(),
        );
        fs::write(dir.path().join("config.toml"), config).unwrap();
        Self { dir, level }
    }

    /// The program with an environment of its own.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anteroom"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.dir.path())
            .env("ANTEROOM_LOG", self.level)
            .env("ANTEROOM_LOG_FORMAT", "json")
            .envs(SECRETS)
            .current_dir(self.dir.path());
        command
    }

    /// What a command says and how it ends.
    pub(crate) fn said(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Adds tables to the configuration, and a line to its table `[web]`.
    pub(crate) fn configure(&self, tables: &str, web: &str) {
        let file = self.dir.path().join("config.toml");
        let config = fs::read_to_string(&file).unwrap();
        let config = config.replace("[web]\n", &format!("[web]\n{web}\n"));
        fs::write(&file, format!("{config}\n{tables}")).unwrap();
    }

    /// A file beside the configuration.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Everything that was logged here.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.log_file()).unwrap()
    }

    fn log_file(&self) -> PathBuf {
        self.file("log")
    }

    /// Starts the bot and waits until it is ready.
    pub(crate) fn start(&self) -> Program {
        self.start_for(None)
    }

    /// The same for the playground.
    pub(crate) fn play(&self) -> Program {
        self.started(self.command(&["play", "--json", "--no-open"]))
    }

    /// Writes the flow anew.
    pub(crate) fn write_flow(&self, flow: &str) {
        fs::write(self.dir.path().join("flows/tour.toml"), flow).unwrap();
    }

    /// The same as `start`, under a supervisor that listens at a socket.
    pub(crate) fn start_for(&self, supervisor: Option<&Path>) -> Program {
        let mut command = self.command(&["run", "--json"]);
        if let Some(socket) = supervisor {
            command.env("NOTIFY_SOCKET", socket);
        }
        self.started(command)
    }

    fn started(&self, mut command: Command) -> Program {
        let log = File::options().create(true).append(true).open(self.log_file()).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line)
            .unwrap_or_else(|_| panic!("the bot did not start: {}", self.log()));
        let page = ready["page"].as_str().unwrap().trim_end_matches('/').to_owned();
        Program { child: Some(child), page }
    }
}

/// A running bot.
pub(crate) struct Program {
    /// The process; none where somebody else looks after it.
    child: Option<Child>,
    /// The participant's page, without a slash at the end.
    pub(crate) page: String,
}

impl Program {
    /// A bot that somebody else looks after.
    pub(crate) fn elsewhere(page: String) -> Self {
        Self { child: None, page }
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        self.page.trim_start_matches("http://")
    }

    /// A connection without a browser behind it.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// What a page says, without a browser.
    pub(crate) fn asked(&self, path: &str) -> String {
        self.asked_as("localhost", path)
    }

    /// The same under another name of the host.
    pub(crate) fn asked_as(&self, host: &str, path: &str) -> String {
        asked(self.connect(), host, path)
    }

    fn pid(&self) -> Pid {
        Pid::from_child(self.child.as_ref().unwrap())
    }

    /// How many files it may have open from now on; says how many those were before.
    #[cfg(target_os = "linux")]
    pub(crate) fn limited_to_files(&self, most: u64) -> u64 {
        use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
        let maximum = getrlimit(Resource::Nofile).maximum;
        let new = Rlimit { current: Some(most), maximum };
        prlimit(Some(self.pid()), Resource::Nofile, new).unwrap().current.unwrap()
    }

    /// Sends SIGTERM.
    pub(crate) fn told_to_stop(&self) {
        kill_process(self.pid(), Signal::TERM).unwrap();
    }

    /// Sends SIGHUP.
    pub(crate) fn told_to_reload(&self) {
        kill_process(self.pid(), Signal::HUP).unwrap();
    }

    /// It does nothing, as in a machine that is suspended.
    pub(crate) fn stands_still(&self) {
        kill_process(self.pid(), Signal::STOP).unwrap();
    }

    pub(crate) fn goes_on(&self) {
        kill_process(self.pid(), Signal::CONT).unwrap();
    }

    /// Waits for its end: how it ended, and how long that took.
    pub(crate) fn ended(mut self) -> (ExitStatus, Duration) {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.child.as_mut().unwrap().try_wait().unwrap() {
                return (status, began.elapsed());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("it never ended");
    }

    /// Tells it to stop and waits for its end, which must be a good one.
    pub(crate) fn stopped(self) -> Duration {
        self.told_to_stop();
        let (status, took) = self.ended();
        assert!(status.success(), "{status}");
        took
    }

    /// Processes that it has started and that still run.
    pub(crate) fn children(&self) -> Vec<PathBuf> {
        let pid = self.child.as_ref().unwrap().id();
        let mut children = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            // `pid (name) state parent …`; a zombie has ended.
            let after = stat.rsplit(") ").next().unwrap_or_default();
            let mut fields = after.split(' ');
            let (state, parent) = (fields.next(), fields.next());
            if parent == Some(&pid.to_string()) && state != Some("Z") {
                children.push(entry.path());
            }
        }
        children
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        if let Some(child) = &mut self.child {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// What is answered on a connection.
pub(crate) fn asked(mut stream: TcpStream, host: &str, path: &str) -> String {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Waits until something is there.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A browser without scripts, on its way through the tour.
pub(crate) struct Person {
    runtime: tokio::runtime::Runtime,
    client: reqwest::Client,
    cookies: Arc<Jar>,
    /// The path of the conversation.
    pub(crate) session: String,
}

impl Person {
    /// Begins the tour under a name.
    pub(crate) fn begin(program: &Program, name: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let cookies = Arc::new(Jar::default());
        let client = reqwest::Client::builder()
            .cookie_provider(Arc::clone(&cookies))
            .no_proxy()
            .pool_max_idle_per_host(0)
            .timeout(PATIENCE)
            .build()
            .unwrap();
        let mut person = Self { runtime, client, cookies, session: String::new() };
        let page = person.get(program, "/");
        let mut form = html::forms(&page).into_iter().find(|form| form.action == "/start").unwrap();
        name.clone_into(&mut form.input("name").value);
        person.session = person.post(program, &form.action, &form.pressed("Start"), None);
        assert!(person.session.starts_with("/s/"), "{}", person.session);
        person
    }

    /// Answers up to the upload, which is open then.
    pub(crate) fn up_to_the_file(program: &Program, name: &str) -> Self {
        let person = Self::begin(program, name);
        person.press(program, "talk to a bot", "Go on");
        person.press(program, "Which colour", "Blue");
        person.card(program, "A file, please");
        person
    }

    pub(crate) fn get(&self, program: &Program, path: &str) -> String {
        let url = format!("{}{path}", program.page);
        self.runtime
            .block_on(async { self.client.get(url).send().await.unwrap().text().await.unwrap() })
    }

    /// Asks for the conversation. The answer is read once the connection is closed.
    pub(crate) fn asks(&self, program: &Program) -> TcpStream {
        let cookies = self.cookies.cookies(&program.page.parse().unwrap()).unwrap();
        let mut stream = program.connect();
        write!(
            stream,
            "GET {} HTTP/1.1\r\nHost: localhost\r\nCookie: {}\r\nConnection: close\r\n\r\n",
            self.session,
            cookies.to_str().unwrap(),
        )
        .unwrap();
        stream
    }

    fn post(
        &self,
        program: &Program,
        path: &str,
        fields: &[(String, String)],
        file: Option<(&str, Vec<u8>)>,
    ) -> String {
        let request = self
            .client
            .post(format!("{}{path}", program.page))
            .header("sec-fetch-site", "same-origin");
        let request = match file {
            None => request.form(fields),
            Some((name, bytes)) => {
                let mut form = reqwest::multipart::Form::new();
                for (name, value) in fields {
                    form = form.text(name.clone(), value.clone());
                }
                let part = reqwest::multipart::Part::bytes(bytes).file_name(name.to_owned());
                request.multipart(form.part("files", part))
            }
        };
        self.runtime.block_on(async {
            let response = request.send().await.unwrap();
            assert!(response.status().is_success(), "{path}: {}", response.status());
            response.url().path().to_owned()
        })
    }

    /// The open question that says `words`, once it is there.
    pub(crate) fn card(&self, program: &Program, words: &str) -> Card {
        until(words, || {
            let page = self.get(program, &self.session);
            html::open_cards(&page).into_iter().find(|card| card.text.contains(words))
        })
    }

    /// Presses a button of an open question.
    pub(crate) fn press(&self, program: &Program, words: &str, label: &str) {
        let card = self.card(program, words);
        let has = |form: &&html::Form| form.buttons.iter().any(|(_, _, text)| text == label);
        let form = card.forms.iter().find(has).unwrap_or_else(|| panic!("no `{label}`: {card:?}"));
        self.post(program, &form.action, &form.pressed(label), None);
    }

    /// Types an answer to an open question.
    pub(crate) fn types(&self, program: &Program, words: &str, answer: &str) {
        let mut card = self.card(program, words);
        let form = card.forms.iter_mut().find(|form| form.name == "ask").unwrap();
        answer.clone_into(&mut form.input("text").value);
        self.post(program, &form.action, &form.pressed("Send"), None);
    }

    /// Writes something without being asked.
    pub(crate) fn says(&self, program: &Program, words: &str) {
        let page = self.get(program, &self.session);
        let mut form = html::forms(&page).into_iter().find(|form| form.name == "say").unwrap();
        words.clone_into(&mut form.input("text").value);
        let label = form.buttons[0].2.clone();
        self.post(program, &form.action, &form.pressed(&label), None);
    }

    /// Opens the live page and reads it to its end.
    pub(crate) fn live(
        &self,
        program: &Program,
    ) -> std::thread::JoinHandle<Result<String, reqwest::Error>> {
        let url = format!("{}{}/live", program.page, self.session);
        let client = self.client.clone();
        let (begun, has_begun) = mpsc::channel();
        let reading = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let mut response = client.get(url).send().await?.error_for_status()?;
                let mut text = String::new();
                while let Some(chunk) = response.chunk().await? {
                    text.push_str(&String::from_utf8_lossy(&chunk));
                    // Whoever waits for the first piece may have heard of it already.
                    _ = begun.send(());
                }
                Ok(text)
            })
        });
        has_begun.recv_timeout(PATIENCE).expect("a first piece");
        reading
    }

    /// Opens the live page to read it piece by piece.
    pub(crate) fn watch(&self, program: &Program) -> Watching {
        let mut stream = program.connect();
        let cookies = self.cookies.cookies(&program.page.parse().unwrap()).unwrap();
        write!(
            stream,
            "GET {}/live HTTP/1.1\r\nHost: localhost\r\nCookie: {}\r\n\r\n",
            self.session,
            cookies.to_str().unwrap(),
        )
        .unwrap();
        Watching(stream, String::new())
    }

    /// Sends the same answer to both at the same moment.
    pub(crate) fn presses_at_both(&self, programs: [&Program; 2], words: &str, label: &str) {
        let card = self.card(programs[0], words);
        let has = |form: &&html::Form| form.buttons.iter().any(|(_, _, text)| text == label);
        let form = card.forms.iter().find(has).unwrap_or_else(|| panic!("no `{label}`: {card:?}"));
        let pressed = form.pressed(label);
        std::thread::scope(|scope| {
            for program in programs {
                scope.spawn(|| self.post(program, &form.action, &pressed, None));
            }
        });
    }

    /// Begins to send a file that is never complete.
    pub(crate) fn slow_upload(&self, program: &Program) -> TcpStream {
        let card = self.card(program, "A file, please");
        let form = card.forms.iter().find(|form| form.name == "upload").unwrap();
        let cookies = self.cookies.cookies(&program.page.parse().unwrap()).unwrap();
        let mut stream = program.connect();
        write!(
            stream,
            "POST {} HTTP/1.1\r\nHost: localhost\r\nCookie: {}\r\nContent-Length: 900000\r\n\
             Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n\
             Content-Disposition: form-data; name=\"files\"; filename=\"slow.txt\"\r\n\r\nslowly",
            form.action,
            cookies.to_str().unwrap(),
        )
        .unwrap();
        stream
    }

    /// Sends a file.
    pub(crate) fn sends(&self, program: &Program, name: &str, bytes: Vec<u8>) {
        let card = self.card(program, "A file, please");
        let form = card.forms.iter().find(|form| form.name == "upload").unwrap();
        self.post(program, &form.action, &form.pressed("Send"), Some((name, bytes)));
    }
}

/// A live page.
pub(crate) struct Watching(TcpStream, String);

impl Watching {
    /// Reads until something has come.
    pub(crate) fn until(&mut self, words: &str) {
        while !self.1.contains(words) {
            let mut piece = [0; 4096];
            let count = self.0.read(&mut piece).unwrap();
            assert_ne!(count, 0, "`{words}` never came: {}", self.1);
            self.1.push_str(&String::from_utf8_lossy(&piece[..count]));
        }
    }
}

/// A file that tests send.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

/// A receiver of web hooks: hands on the id of each delivery, and answers with `answer`, or never.
pub(crate) fn receiver(
    listener: TcpListener,
    answer: Option<&'static str>,
) -> mpsc::Receiver<String> {
    let (sender, deliveries) = mpsc::channel();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = BufReader::new(stream.try_clone().unwrap());
            let mut id = String::new();
            let mut length = 0;
            loop {
                let mut line = String::new();
                if request.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                    break;
                }
                let (name, value) = line.trim().split_once(": ").unwrap_or_default();
                match name {
                    "x-anteroom-delivery" => value.clone_into(&mut id),
                    "content-length" => length = value.parse().unwrap(),
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            request.read_exact(&mut body).unwrap();
            if let Some(answer) = answer {
                let answered = write!(
                    stream,
                    "HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                );
                answered.unwrap();
            }
            if sender.send(id).is_err() {
                return;
            }
            open.push(stream);
        }
    });
    deliveries
}

/// Waits for the next delivery.
pub(crate) fn delivered(deliveries: &mpsc::Receiver<String>) -> String {
    deliveries.recv_timeout(PATIENCE).expect("a delivery")
}

/// A port of this machine that nobody listens on any more.
pub(crate) fn nobody() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}
