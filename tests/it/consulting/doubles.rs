//! Doubles of the services that search, in their shapes, and of websites.

use std::{
    collections::BTreeMap,
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use anteroom::{
    base::clock::FixedClock,
    config::{Environment, Settings, render, search::Searching},
    net::fetch::{Fetcher, Names},
    ports::search::{self, Found, Query, Search},
    tool::Services,
};
use async_trait::async_trait;
use chrono::DateTime;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::provider::Reply;

/// The kinds of services.
pub(crate) const ENGINES: [&str; 3] = ["searxng", "brave", "gemini"];

/// A page that a service knows: title, address, text, date.
pub(crate) type Page<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Pages as a service of a kind tells of them.
pub(crate) fn told(engine: &str, pages: &[Page<'_>]) -> Value {
    match engine {
        "searxng" => searxng(pages),
        "brave" => brave(pages),
        _ => gemini(pages),
    }
}

/// The same as an answer.
pub(crate) fn tells(engine: &str, pages: &[Page<'_>]) -> Reply {
    Reply::json(200, &told(engine, pages))
}

fn searxng(pages: &[Page<'_>]) -> Value {
    let results = pages.iter().map(|(title, url, text, date)| {
        json!({
            "url": url, "title": title, "content": text, "publishedDate": date, "engine": "duckduckgo",
            "engines": ["duckduckgo"], "score": 1.0, "category": "general", "parsed_url": ["https", "a", "/", "", "", ""],
        })
    });
    json!({
        "query": "q", "number_of_results": 0, "results": results.collect::<Vec<_>>(), "answers": [],
        "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": [],
    })
}

fn brave(pages: &[Page<'_>]) -> Value {
    let results = pages.iter().map(|(title, url, text, date)| {
        json!({
            "type": "search_result", "title": title, "url": url, "description": text, "page_age": date, "age": "2 days ago",
            "family_friendly": true, "language": "en",
        })
    });
    json!({ "type": "search", "query": { "original": "q" }, "web": { "type": "search", "results": results.collect::<Vec<_>>() } })
}

/// An answer that has each page's text as a sentence of its own.
fn gemini(pages: &[Page<'_>]) -> Value {
    let text = pages.iter().map(|(_, _, text, _)| *text).collect::<Vec<_>>().join(" ");
    let chunks =
        pages.iter().map(|(title, url, ..)| json!({ "web": { "uri": url, "title": title } }));
    let supports = pages.iter().enumerate().map(|(at, (_, _, text, _))| {
        json!({ "segment": { "startIndex": 0, "endIndex": 1, "text": text }, "groundingChunkIndices": [at] })
    });
    json!({
        "candidates": [{
            "content": { "role": "model", "parts": [{ "text": "Let me think.", "thought": true }, { "text": text }] },
            "finishReason": "STOP", "index": 0,
            "groundingMetadata": {
                "webSearchQueries": ["what was asked"], "groundingChunks": chunks.collect::<Vec<_>>(),
                "groundingSupports": supports.collect::<Vec<_>>(),
                "searchEntryPoint": { "renderedContent": "<style>…</style>" },
            },
        }],
        "usageMetadata": { "totalTokenCount": 9 },
    })
}

/// The configuration of a service of a kind at an address.
pub(crate) fn written(engine: &str, url: &str, more: &str) -> String {
    let needs = match engine {
        "searxng" => "",
        "brave" => "key_env = \"KEY\"",
        _ => "key_env = \"KEY\"\nmodel = \"some-model\"",
    };
    format!("[search]\nprovider = \"{engine}\"\nbase_url = \"{url}\"\n{needs}\n{more}\n")
}

/// What is said against a configuration, or the service it names.
pub(crate) fn resolved(config: &str) -> Result<Option<Searching>, String> {
    let variables =
        [("KEY", "sk-correct-horse"), ("BAD", "two words"), ("ANTEROOM_DATA_DIR", "/tmp")];
    Settings::parse("config.toml", config, &Environment::from(variables))
        .map(|settings| settings.search)
        .map_err(|problems| render(&problems))
}

/// A service as the program opens it.
pub(crate) fn service(engine: &str, url: &str, more: &str) -> Arc<dyn Search> {
    let searching = resolved(&written(engine, url, more)).unwrap().unwrap();
    let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    search::open(&searching, Arc::new(FixedClock::new(now))).unwrap()
}

/// A service that plays what a test gives it, without a network: the answers in order, the last one again and again.
#[derive(Debug)]
pub(crate) struct Played {
    answers: Vec<Result<Found, search::Error>>,
    asked: Mutex<Vec<Query>>,
}

impl Played {
    pub(crate) fn new(answers: Vec<Result<Found, search::Error>>) -> Arc<Self> {
        Arc::new(Self { answers, asked: Mutex::default() })
    }

    pub(crate) fn asked(&self) -> Vec<Query> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn services(self: &Arc<Self>) -> Services {
        let search: Arc<dyn Search> = Arc::<Self>::clone(self);
        Services { search: Some(search), ..Services::default() }
    }
}

#[async_trait]
impl Search for Played {
    async fn search(&self, query: &Query) -> Result<Found, search::Error> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(query.clone());
        self.answers[asked.len().min(self.answers.len()) - 1].clone()
    }
}

/// Names that stand for what a test says, a list of addresses for each time one is asked for; the last stays.
#[derive(Debug)]
pub(crate) struct Table {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Table {
    pub(crate) fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |list: &&[&str]| list.iter().map(|ip| ip.parse().unwrap()).collect();
        Arc::new(Self { answers: answers.iter().map(parse).collect(), asked: AtomicUsize::new(0) })
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Names for Table {
    async fn addresses(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        let at =
            self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len().saturating_sub(1));
        self.answers.get(at).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// What a website does with a request that has come.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
    /// Answers and hangs up.
    Says(Vec<u8>),
    /// Answers and says no more, without hanging up.
    Stalls(Vec<u8>),
    /// Answers and never ends.
    Floods(Vec<u8>),
}

impl Deed {
    /// An answer with its head, one field a line.
    pub(crate) fn page(head: &str, body: impl AsRef<[u8]>) -> Self {
        Self::status("200 OK", head, body)
    }

    pub(crate) fn status(status: &str, head: &str, body: impl AsRef<[u8]>) -> Self {
        let lines: Vec<&str> = head.trim().lines().collect();
        let head = lines.join("\r\n");
        let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{head}\r\n\r\n");
        Self::Says([head.as_bytes(), body.as_ref()].concat())
    }
}

/// A website on loopback: what it does by path; every other path is missing.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    _task: JoinSet<()>,
}

impl Site {
    pub(crate) async fn start(deeds: &[(&str, Deed)]) -> Self {
        Self::at("127.0.0.1", 0, deeds).await
    }

    pub(crate) async fn at(ip: &str, port: u16, deeds: &[(&str, Deed)]) -> Self {
        let listener = TcpListener::bind((ip, port)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let deeds = deeds.iter().map(|(path, deed)| ((*path).to_owned(), deed.clone()));
        let deeds: Arc<BTreeMap<String, Deed>> = Arc::new(deeds.collect());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(serve(stream, Arc::clone(&deeds), Arc::clone(&log)));
            }
        });
        Self { address, seen, _task: task }
    }

    /// The heads of the requests that have come.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// An address on it, by a name that only the test knows.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://site.example.org:{}{path}", self.address.port())
    }

    /// A guarded client that takes this website for public, and finds it under every name.
    pub(crate) fn fetcher(&self) -> Arc<Fetcher> {
        let names = Table::new(&[&["127.0.0.1"]]);
        Arc::new(Fetcher::with(names, vec![self.address]).unwrap())
    }
}

async fn serve(
    mut stream: TcpStream,
    deeds: Arc<BTreeMap<String, Deed>>,
    log: Arc<Mutex<Vec<String>>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    log.lock().unwrap().push(head);
    let missing = Deed::status("404 Not Found", "content-length: 0", "");
    match deeds.get(&path).cloned().unwrap_or(missing) {
        Deed::Says(bytes) => {
            stream.write_all(&bytes).await.ok();
        }
        Deed::Stalls(bytes) => {
            stream.write_all(&bytes).await.ok();
            std::future::pending::<()>().await;
        }
        Deed::Floods(bytes) => {
            stream.write_all(&bytes).await.ok();
            let flood = vec![b'a'; 65_536];
            while stream.write_all(&flood).await.is_ok() {}
        }
    }
}
