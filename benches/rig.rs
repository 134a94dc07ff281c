//! The program in Slack under load, from click to next question: people, a Slack and a model on loopback, the program on
//! one core and they on another.
//!
//! `cargo bench --bench rig [-- ROUNDS]`, or `just bench`. Prints the medians of ROUNDS runs (three without a number) of 16
//! people, of one, and of 64 with a model that takes 20 ms. Everything of the program is on; only its rates are raised,
//! since each person has a channel. A *turn* is a signed click, its answer made durable, the model asked, and the next
//! question posted.
//!
//! With `BOUND` in the environment, a command in which `{data}` stands for an empty folder, that program is measured in turn
//! with this one and their ratio is printed. It has to listen on 127.0.0.1:3000 at `/slack/events` for what is signed with
//! `rigsecret`, and finds Slack on port 7001 (`/api`) and the model on port 7002 (`/v1`), which calls
//! `get_user_option` with a `question` and `options` that are texts.
//!
//! Figures of a machine that has other things to do mislead: then nothing is printed, and it fails. It needs Linux.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints a table")]
#![expect(
    clippy::disallowed_methods,
    reason = "it plays the world around the program, in real time"
)]

#[path = "support.rs"]
mod support;

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use axum::{
    Json, Router,
    extract::{Path as At, State},
    routing::{any, post},
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::Client;
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::{
    net::TcpListener,
    sync::mpsc::{self, Receiver, Sender},
    task::{JoinSet, LocalSet},
    time::{sleep, timeout},
};

const SECRET: &str = "rigsecret";
const BOT: &str = "127.0.0.1:3000";
const SLACK: &str = "127.0.0.1:7001";
const MODEL: &str = "127.0.0.1:7002";

/// People, and how long the model takes.
const RUNS: [(usize, Duration); 3] =
    [(16, Duration::ZERO), (1, Duration::ZERO), (64, Duration::from_millis(20))];

/// Turns of a conversation; then the person begins another one.
const TURNS: usize = 20;

const WARM_UP: Duration = Duration::from_secs(2);
const MEASURED: Duration = Duration::from_secs(5);

/// What does not come in this time is lost.
const LOST: Duration = Duration::from_secs(10);

/// Posts that somebody has not looked at yet; there should be one.
const POSTED_MAX: usize = 64;

/// The share of a core that others may use.
const OTHERS_MAX: f64 = 0.25;

/// Clock ticks a second in `/proc`, which Linux never changed.
const TICKS: f64 = 100.0;

const CONFIG: &str = r#"
[web]
listen = "127.0.0.1:0"
[slack]
transport = "http"
bot_token_env = "SLACK_BOT_TOKEN"
signing_secret_env = "SLACK_SIGNING_SECRET"
listen = "127.0.0.1:3000"
api_url = "http://127.0.0.1:7001/api"
[slack.rates]
posts_per_channel = 1000000
posts_burst = 10000
posts_per_workspace = 1000000
tier_2 = 1000000
tier_3 = 1000000
tier_4 = 1000000
[slack.channels]
rig = "C0RIG"
[flows]
dir = "flows"
enabled = ["rig"]
[llm.interview]
base_url = "http://127.0.0.1:7002/v1"
model = "mock"
concurrent = 256
[llm.interview.dialect]
stream = false
[limits]
session_queue = 64
person_per_minute = 100000
burst = "0s"
"#;

const FLOW: &str = r#"
format = 1
id = "rig"
version = "1.0.0"
title = "Rig"
summary = "Questions with buttons."
locale = "en"
vars = []
[start.slack]
place = "channel-thread"
parent = "rig"
[policy]
score_people = false
[limits]
model_rounds = 40
turns = 1000
tokens = 100000000
[[phase]]
id = "talk"
title = "Talk"
mode = "interview"
tools = ["get_user_option"]
"#;

/// A question as it was posted.
struct Posted {
    text: String,
    ts: String,
    block: String,
    buttons: Vec<Value>,
    at: Instant,
}

/// A conversation, as those around the program know it.
#[derive(Default)]
struct Talk {
    /// The question that was answered last.
    answered: u64,
    /// How many answers the model has read when it was asked.
    read: HashSet<usize>,
}

#[derive(Default)]
struct World {
    people: Mutex<HashMap<String, Sender<Posted>>>,
    talks: Mutex<HashMap<String, Talk>>,
    latency: Mutex<Duration>,
    is_bound: AtomicBool,
    numbers: AtomicU64,
    asked_twice: AtomicU64,
    wrong: AtomicU64,
    lost: AtomicU64,
    posted_twice: AtomicU64,
    is_measuring: AtomicBool,
    is_over: AtomicBool,
    /// Milliseconds from a click to its acknowledgement, and to the next question.
    acknowledged: Mutex<Vec<f64>>,
    answered: Mutex<Vec<f64>>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if !args.iter().any(|arg| arg == "--bench") {
        return;
    }
    let rounds = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(3);
    // The program has the first core.
    pin(&["-cp", "1", &std::process::id().to_string()]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut measured: HashMap<(&str, usize), Vec<Figures>> = HashMap::new();
    for _ in 0..rounds {
        for (run, (people, latency)) in RUNS.into_iter().enumerate() {
            let bound = std::env::var("BOUND").ok();
            let programs = [("program", None), ("bound", bound)];
            for (name, command) in
                programs.into_iter().filter(|(n, c)| *n == "program" || c.is_some())
            {
                let local = LocalSet::new();
                let figures =
                    local.block_on(&runtime, measure(command.as_deref(), people, latency));
                measured.entry((name, run)).or_default().push(figures);
            }
        }
    }
    print(&measured);
}

fn pin(args: &[&str]) {
    _ = Command::new("taskset").args(args).stdout(Stdio::null()).status();
}

async fn measure(bound: Option<&str>, people: usize, latency: Duration) -> Figures {
    let dir = support::on_disk();
    let world = Arc::new(World::default());
    *world.latency.lock().unwrap() = latency;
    world.is_bound.store(bound.is_some(), Relaxed);
    let mut tasks = JoinSet::new();
    let slack = Router::new().route("/api/{method}", any(web_api)).with_state(Arc::clone(&world));
    let model =
        Router::new().route("/v1/chat/completions", post(complete)).with_state(Arc::clone(&world));
    for (at, router) in [(SLACK, slack), (MODEL, model)] {
        let listener = TcpListener::bind(at).await.unwrap();
        tasks.spawn_local(async move { axum::serve(listener, router).await.unwrap() });
    }
    let mut program = start(bound, dir.path());
    while tokio::net::TcpStream::connect(BOT).await.is_err() {
        assert!(program.0.try_wait().unwrap().is_none(), "the program ended at once");
        sleep(Duration::from_millis(50)).await;
    }
    for number in 0..people {
        tasks.spawn_local(person(number, Arc::clone(&world)));
    }
    sleep(WARM_UP).await;
    world.is_measuring.store(true, Relaxed);
    let (before, begun) = (Used::of(program.0.id()), Instant::now());
    sleep(MEASURED).await;
    let (after, took) = (Used::of(program.0.id()), begun.elapsed().as_secs_f64());
    world.is_measuring.store(false, Relaxed);
    world.is_over.store(true, Relaxed);
    // What is under way arrives, or counts as lost.
    sleep(Duration::from_secs(1)).await;
    tasks.abort_all();
    while tasks.join_next().await.is_some() {}
    drop(program);
    let others = (after.machine - before.machine - (after.own - before.own)) / took;
    assert!(
        others <= OTHERS_MAX,
        "the machine was busy: others used {others:.2} of a core. hint: stop them, and measure again"
    );
    Figures::of(&world, &before, &after, took)
}

/// A program that ends with its measurement.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn start(bound: Option<&str>, dir: &Path) -> Running {
    let data = dir.join("data");
    fs::create_dir_all(&data).unwrap();
    let words =
        bound.unwrap_or(env!("CARGO_BIN_EXE_anteroom")).replace("{data}", data.to_str().unwrap());
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).args(words.split_whitespace());
    if bound.is_none() {
        fs::create_dir_all(dir.join("flows")).unwrap();
        fs::write(dir.join("config.toml"), CONFIG).unwrap();
        fs::write(dir.join("flows/rig.toml"), FLOW).unwrap();
        command.arg("--config").arg(dir.join("config.toml")).arg("--data").arg(&data).arg("run");
    }
    command.env("SLACK_BOT_TOKEN", "xoxb-x").env("SLACK_SIGNING_SECRET", SECRET);
    command.current_dir(dir).stdout(Stdio::null()).stderr(Stdio::null());
    Running(command.spawn().unwrap())
}

/// Slack's Web API.
async fn web_api(
    State(world): State<Arc<World>>,
    At(method): At<String>,
    body: String,
) -> Json<Value> {
    Json(match method.as_str() {
        "chat.postMessage" => posted(&world, &body),
        "auth.test" => {
            json!({ "ok": true, "url": "https://rig.slack.com/", "team": "Rig", "user": "bot", "team_id": "T0RIG",
            "user_id": "U0BOT", "bot_id": "B0BOT", "app_id": "A0APP", "is_enterprise_install": false })
        }
        "users.info" => {
            json!({ "ok": true, "user": { "id": "U1", "team_id": "T0RIG", "name": "ada", "is_bot": false,
            "profile": { "display_name": "Ada" } } })
        }
        _ => {
            json!({ "ok": true, "messages": [], "channel": { "id": "C", "is_im": false }, "ts": "1.0" })
        }
    })
}

fn posted(world: &World, body: &str) -> Value {
    let body: Value = serde_json::from_str(body).unwrap();
    let channel = body["channel"].as_str().unwrap_or_default();
    let number = world.numbers.fetch_add(1, Relaxed);
    let ts = format!("1800000000.{number:06}");
    let actions =
        body["blocks"].as_array().into_iter().flatten().find(|block| block["type"] == "actions");
    if let (Some(actions), Some(person)) = (actions, world.people.lock().unwrap().get(channel)) {
        let buttons = actions["elements"].as_array().cloned().unwrap_or_default();
        let (text, block) = (
            body["text"].as_str().unwrap_or_default().to_owned(),
            actions["block_id"].as_str().unwrap_or("b").to_owned(),
        );
        _ = person.try_send(Posted { text, ts: ts.clone(), block, buttons, at: Instant::now() });
    }
    json!({ "ok": true, "channel": channel, "ts": ts, "message": { "ts": ts, "bot_id": "B0BOT", "text": "" } })
}

/// The model: the next question.
async fn complete(State(world): State<Arc<World>>, Json(request): Json<Value>) -> Json<Value> {
    let begun = Instant::now();
    read(&world, &request);
    let n = world.numbers.fetch_add(1, Relaxed);
    let prompt = format!(
        "Q-{n}- Thank you. Which of these describes the team that you would like to join first?"
    );
    let labels = ["backend", "frontend", "platform", "data"].map(|label| format!("{label}-{n}-"));
    let arguments = if world.is_bound.load(Relaxed) {
        json!({ "question": prompt, "options": labels })
    } else {
        let options = labels.map(|label| json!({ "id": label, "label": label }));
        json!({ "prompt": prompt, "options": options })
    };
    let latency = *world.latency.lock().unwrap();
    sleep(latency.saturating_sub(begun.elapsed())).await;
    let function = json!({ "name": "get_user_option", "arguments": arguments.to_string() });
    let call = json!({ "id": format!("call_{n}"), "type": "function", "function": function });
    let message = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    Json(
        json!({ "id": format!("chatcmpl-{n}"), "object": "chat.completion", "created": 1_750_000_000, "model": "mock",
        "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760 } }),
    )
}

/// Checks what the model reads: each answer once, and the one that was given.
fn read(world: &World, request: &Value) {
    let messages = || request["messages"].as_array().into_iter().flatten();
    let name = messages().find_map(|message| {
        let (_, rest) = message["content"].as_str()?.split_once("s=")?;
        rest.split_whitespace().next()
    });
    let results: Vec<&str> = messages()
        .filter(|message| message["role"] == "tool")
        .filter_map(|message| message["content"].as_str())
        .collect();
    let mut talks = world.talks.lock().unwrap();
    let Some(talk) = name.and_then(|name| talks.get_mut(name)) else { return };
    if !talk.read.insert(results.len()) {
        world.asked_twice.fetch_add(1, Relaxed);
    }
    if results.last().is_some_and(|result| !result.contains(&format!("-{}-", talk.answered))) {
        world.wrong.fetch_add(1, Relaxed);
    }
}

/// Somebody who begins conversations and answers every question at once.
async fn person(number: usize, world: Arc<World>) {
    let channel = format!("C{number:08}");
    let (sender, mut questions) = mpsc::channel(POSTED_MAX);
    world.people.lock().unwrap().insert(channel.clone(), sender);
    let http = Client::builder().no_proxy().build().unwrap();
    for conversation in 0.. {
        let thread = format!("17{number:08}.{conversation:06}");
        let name = format!("{channel}:{thread}");
        world.talks.lock().unwrap().insert(name.clone(), Talk::default());
        let user = format!("U{number:08}");
        let mention = json!({ "type": "event_callback", "team_id": "T0RIG", "api_app_id": "A0APP", "event_id": format!("Ev{name}"),
            "event_time": 1_750_000_000, "authorizations": [{ "team_id": "T0RIG", "user_id": "U0BOT", "is_bot": true }],
            "event": { "type": "app_mention", "user": user, "text": format!("<@U0BOT> start s={name} please"), "ts": thread,
                "channel": channel, "channel_type": "channel", "event_ts": thread, "team": "T0RIG" } });
        send(&http, "application/json", mention.to_string()).await;
        let Some(mut question) = next(&world, &mut questions).await else { continue };
        for turn in 0..TURNS {
            if world.is_over.load(Relaxed) {
                return;
            }
            let button = &question.buttons[turn % question.buttons.len()];
            let label = button["text"]["text"].as_str().unwrap_or_default();
            let answered = label.split('-').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
            world.talks.lock().unwrap().get_mut(&name).unwrap().answered = answered;
            let click = json!({ "type": "block_actions", "api_app_id": "A0APP", "trigger_id": format!("{number}.{conversation}.{turn}"),
                "user": { "id": user, "name": "ada", "team_id": "T0RIG" }, "team": { "id": "T0RIG", "domain": "rig" },
                "channel": { "id": channel, "name": "onboarding" },
                "container": { "type": "message", "message_ts": question.ts, "channel_id": channel, "thread_ts": thread },
                "message": { "type": "message", "user": "U0BOT", "bot_id": "B0BOT", "ts": question.ts, "thread_ts": thread, "text": question.text,
                    "blocks": [{ "type": "actions", "block_id": question.block, "elements": question.buttons }] },
                "state": { "values": {} },
                "actions": [{ "type": "button", "action_id": button["action_id"], "block_id": question.block, "value": button["value"],
                    "text": button["text"], "action_ts": format!("19{number:08}.{:06}", conversation * 1000 + turn) }] });
            let form =
                reqwest::Url::parse_with_params("http://form/", [("payload", click.to_string())])
                    .unwrap();
            let clicked = Instant::now();
            send(
                &http,
                "application/x-www-form-urlencoded",
                form.query().unwrap_or_default().to_owned(),
            )
            .await;
            let acknowledged = clicked.elapsed();
            let Some(posted) = next(&world, &mut questions).await else { break };
            if world.is_measuring.load(Relaxed) {
                world.acknowledged.lock().unwrap().push(acknowledged.as_secs_f64() * 1e3);
                world.answered.lock().unwrap().push((posted.at - clicked).as_secs_f64() * 1e3);
            }
            question = posted;
        }
    }
}

/// The next question. One that comes besides it was posted twice.
async fn next(world: &World, questions: &mut Receiver<Posted>) -> Option<Posted> {
    let mut question = timeout(LOST, questions.recv()).await.ok().flatten();
    if question.is_none() {
        world.lost.fetch_add(1, Relaxed);
    }
    while let Ok(another) = questions.try_recv() {
        world.posted_twice.fetch_add(1, Relaxed);
        question = Some(another);
    }
    question
}

async fn send(http: &Client, kind: &str, body: String) {
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(format!("v0:{at}:{body}").as_bytes());
    let signature = mac.finalize().into_bytes().iter().fold("v0=".to_owned(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    });
    let request = http.post(format!("http://{BOT}/slack/events")).header("content-type", kind);
    let request =
        request.header("x-slack-request-timestamp", at).header("x-slack-signature", signature);
    _ = request.body(body).timeout(LOST).send().await;
}

/// Seconds of processor time, of the whole machine and of the program with this one; of the program alone; and what it has
/// of memory, and written to the device, in bytes.
struct Used {
    machine: f64,
    own: f64,
    program: f64,
    resident: f64,
    written: f64,
}

impl Used {
    fn of(pid: u32) -> Self {
        let program = processor(pid);
        let stat = fs::read_to_string("/proc/stat").unwrap();
        let ticks = stat.lines().next().unwrap_or_default().split_whitespace().skip(1).enumerate();
        // All but idle time and waiting for a disk.
        let busy = ticks.filter(|(n, _)| (0..8).contains(n) && ![3, 4].contains(n));
        let machine = busy.filter_map(|(_, ticks)| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS;
        let field = |file: &str, name: &str| {
            let text = fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned));
            line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0)
        };
        let (resident, written) = (field("status", "VmRSS:") * 1024.0, field("io", "write_bytes:"));
        Self { machine, own: program + processor(std::process::id()), program, resident, written }
    }
}

fn processor(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let (_, after) = stat.rsplit_once(") ").unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

/// What one run came to.
struct Figures(Vec<f64>);

/// What the figures are. Where the last comes near to one, it is these that are measured.
const NAMES: [&str; 13] = [
    "turns a second",
    "processor time a turn, ms",
    "click until the next question, p50, ms",
    "p99, ms",
    "p99.9, ms",
    "click until it is acknowledged, p50, ms",
    "p99, ms",
    "written to the device a turn, KB",
    "resident, MB",
    "lost",
    "asked or posted twice",
    "wrong answers",
    "share of their core that people, Slack and the model use",
];

impl Figures {
    fn of(world: &World, before: &Used, after: &Used, took: f64) -> Self {
        let answered = Share::of(&world.answered);
        let acknowledged = Share::of(&world.acknowledged);
        assert!(!answered.0.is_empty(), "no question was answered in the time that was measured");
        let turns = as_f64(answered.0.len());
        let count = |counter: &AtomicU64| as_f64(usize::try_from(counter.load(Relaxed)).unwrap());
        Self(vec![
            turns / took,
            (after.program - before.program) * 1e3 / turns,
            answered.at(0.5),
            answered.at(0.99),
            answered.at(0.999),
            acknowledged.at(0.5),
            acknowledged.at(0.99),
            (after.written - before.written) / 1e3 / turns,
            after.resident / 1e6,
            count(&world.lost),
            count(&world.asked_twice) + count(&world.posted_twice),
            count(&world.wrong),
            (after.own - before.own - (after.program - before.program)) / took,
        ])
    }
}

/// Samples in order.
struct Share(Vec<f64>);

impl Share {
    fn of(samples: &Mutex<Vec<f64>>) -> Self {
        let mut samples = samples.lock().unwrap().clone();
        samples.sort_by(f64::total_cmp);
        Self(samples)
    }

    /// The sample below which that share of them lies.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in the list"
    )]
    fn at(&self, share: f64) -> f64 {
        let place = as_f64(self.0.len().saturating_sub(1)) * share;
        self.0.get(place.round() as usize).copied().unwrap_or(f64::NAN)
    }
}

fn print(measured: &HashMap<(&str, usize), Vec<Figures>>) {
    for (run, (people, latency)) in RUNS.into_iter().enumerate() {
        let median = |name: &str, figure: usize| {
            let runs = measured.get(&(name, run))?;
            let figures = Mutex::new(runs.iter().map(|figures| figures.0[figure]).collect());
            Some(Share::of(&figures).at(0.5))
        };
        println!("\n{people} people, a model that takes {} ms", latency.as_millis());
        for (figure, name) in NAMES.into_iter().enumerate() {
            let program = median("program", figure).unwrap_or(f64::NAN);
            let beside = median("bound", figure).map_or_else(String::new, |bound| {
                let ratio = Some(program / bound).filter(|ratio| ratio.is_finite());
                let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:>8.2}x"));
                format!("{bound:>10.2}{ratio}")
            });
            println!("{name:<58}{program:>10.2}{beside}");
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with a few digits")]
const fn as_f64(count: usize) -> f64 {
    count as f64
}
