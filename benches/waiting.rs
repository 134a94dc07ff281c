//! What waiting sessions cost: the memory of a real process, the time until it is ready, bytes and keys on disk, and what is
//! done for one of them. Each size is measured as it was filled, and again when all sessions have come to rest; the start
//! after a clean stop, and once after a kill.
//!
//! `cargo bench --bench waiting [-- SESSIONS… [--budgets | --as-they-come]]`; without numbers 0 and 10,000. Every session has had six turns
//! and waits under its seventh question; where there are more than 20,000, for want of room, each waits under its first.
//! With `--budgets` it fails where sessions at rest cost more than they may. With `--as-they-come` some come while those
//! before them rest, as in life, and the disk is measured as they do, the memory of the program at the end.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints a table")]

#[path = "support.rs"]
mod support;

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::MetadataExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anteroom::{
    base::{
        clock::{Clock as _, SystemClock},
        ids::{RandomIds, SessionId},
    },
    engine::export,
    model::session::Head,
    store::{Commit, Find, Loaded, Store, sled::SledStore},
};
use tokio::runtime::Runtime;

const TURNS: usize = 6;

/// More sessions than these have had no turn yet.
const TURNS_UP_TO: usize = 20_000;

/// Starts of each size; the median counts.
const STARTS: usize = 5;

/// Sessions of which something is done.
const SAMPLE: usize = 200;

/// Sessions whose keys are counted by family.
const COUNTED_MAX: usize = 20_000;

/// What a session at rest may cost.
const BUDGETS: [(&str, f64); 4] = [
    ("keys a session", 12.0),
    ("bytes in values a session", 10_000.0),
    ("ms for an export", 50.0),
    ("ms for an answer", 20.0),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if !args.iter().any(|arg| arg == "--bench") {
        return;
    }
    let has_budgets = args.iter().any(|arg| arg == "--budgets");
    let mut sizes: Vec<usize> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![0, 10_000];
    }
    if args.iter().any(|arg| arg == "--as-they-come") {
        sizes.into_iter().for_each(grow);
        return;
    }
    println!(
        "sessions            ready ms  RSS MB (anonymous)  after a kill: ready ms, RSS MB  disk MB  bytes a session  in values  keys  open ms  export ms  \
         list ms  answer ms  verified/s"
    );
    for sessions in sizes {
        measure(sessions, has_budgets);
    }
}

/// Sessions that come while those before them rest.
const AT_ONCE: usize = 250;

fn grow(sessions: usize) {
    let dir = support::on_disk();
    let runtime = Runtime::new().unwrap();
    let ops = runtime.block_on(support::recording(dir.path(), Arc::new(SystemClock), TURNS));
    let store = open(dir.path());
    println!("sessions  bytes of disk a session  of them archive");
    for first in (0..sessions).step_by(AT_ONCE) {
        let last = sessions.min(first + AT_ONCE);
        runtime.block_on(support::fill_with(&store, &ops, first..last));
        while runtime.block_on(store.compact()).unwrap() {}
        let [all, archive] = ["store", "store/archive"].map(|name| on_disk(&dir.path().join(name)));
        println!("{last:>8}  {:>22}  {:>15}", all / last as u64, archive / last as u64);
    }
    drop(store);
    let (ready, (rss, anonymous), child) = look_at_start(dir.path());
    stop(child);
    println!("the program is ready after {ready} ms and takes {rss} MB ({anonymous})");
}

fn measure(sessions: usize, has_budgets: bool) {
    let dir = support::on_disk();
    let runtime = Runtime::new().unwrap();
    let turns = if sessions > TURNS_UP_TO { 0 } else { TURNS };
    let ops = runtime.block_on(support::recording(dir.path(), Arc::new(SystemClock), turns));
    let store = open(dir.path());
    runtime.block_on(support::fill(&store, &ops, sessions));
    drop(store);
    look(dir.path(), &runtime, sessions, "as filled");
    if sessions == 0 {
        return;
    }
    let store = open(dir.path());
    let begun = Instant::now();
    while runtime.block_on(store.compact()).unwrap() {}
    let each = begun.elapsed().as_secs_f64() * 1e6 / as_f64(sessions);
    println!("  made compact in {each:.0} µs a session");
    drop(store);
    let costs = look(dir.path(), &runtime, sessions, "at rest");
    for ((what, most), cost) in BUDGETS.into_iter().zip(costs) {
        assert!(!has_budgets || cost <= most, "{what}: {cost:.1} of at most {most}");
    }
}

fn open(dir: &Path) -> SledStore {
    SledStore::open(&dir.join("store"), Arc::new(RandomIds)).unwrap()
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
const fn as_f64(count: usize) -> f64 {
    count as f64
}

/// Starts the program; how long that takes in milliseconds, and its memory a little later.
fn look_at_start(dir: &Path) -> (u128, (u64, u64), Child) {
    let begun = Instant::now();
    let child = start(dir);
    let took = begun.elapsed().as_millis();
    // The first looks at the clock and the outbox are over by then.
    thread::sleep(Duration::from_secs(3));
    let used = resident(child.id());
    (took, used, child)
}

/// Stops the program in good order.
fn stop(mut child: Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    child.wait().unwrap();
}

/// Prints a line and hands out what has a budget.
fn look(dir: &Path, runtime: &Runtime, sessions: usize, state: &str) -> [f64; 4] {
    let mut ready = Vec::new();
    let mut memory = Vec::new();
    for _ in 0..STARTS {
        let (took, used, child) = look_at_start(dir);
        ready.push(took);
        memory.push(used);
        stop(child);
    }
    let mut killed = start(dir);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let (again, (more, _), child) = look_at_start(dir);
    stop(child);
    ready.sort_unstable();
    memory.sort_unstable();
    let (ready, (rss, anonymous)) = (ready[STARTS / 2], memory[STARTS / 2]);
    let disk = on_disk(&dir.join("store"));
    let begun = Instant::now();
    let store = open(dir);
    let opened = begun.elapsed().as_secs_f64() * 1e3;
    let (keys, values) = if sessions > COUNTED_MAX { (0, 0) } else { counted(&store, sessions) };
    let Cost { export, list, answer, verified } = runtime.block_on(Cost::of(&store, sessions));
    let each = |whole: u64| whole.checked_div(sessions as u64).unwrap_or(0);
    println!(
        "{sessions:>8} {state:<9}  {ready:>8}  {rss:>6} ({anonymous})  {again:>22} {more:>7}  {:>7}  {:>15}  {:>9}  {:>4.1}  {opened:>7.0}  {export:>9.2}  \
         {list:>7.2}  {answer:>9.2}  {verified:>10.0}",
        disk / 1_000_000,
        each(disk),
        each(values),
        as_f64(keys) / as_f64(sessions.max(1)),
    );
    [
        as_f64(keys) / as_f64(sessions.max(1)),
        as_f64(usize::try_from(each(values)).unwrap()),
        export,
        answer,
    ]
}

/// Keys, and bytes of keys and values; by family for those who wonder.
fn counted(store: &SledStore, sessions: usize) -> (usize, u64) {
    let entries = store.entries().unwrap();
    let mut families = std::collections::BTreeMap::<char, (usize, u64)>::new();
    for (key, value) in &entries {
        let family = families.entry(char::from(key[0])).or_default();
        family.0 += 1;
        family.1 += (key.len() + value.len()) as u64;
    }
    for (family, (count, bytes)) in &families {
        let keys = as_f64(*count) / as_f64(sessions.max(1));
        let bytes = bytes.checked_div(sessions as u64).unwrap_or(0);
        println!("  {family}: {keys:.2} keys, {bytes} bytes a session");
    }
    (entries.len(), families.values().map(|(_, bytes)| bytes).sum())
}

/// What is done for one session among all, in milliseconds at the median of a sample.
struct Cost {
    /// Reading all that is stored of it.
    export: f64,
    /// The longest of the lists that people and clocks look at, a page of each.
    list: f64,
    /// A commit, until it is durable.
    answer: f64,
    /// Audit records that are checked in a second.
    verified: f64,
}

impl Cost {
    async fn of(store: &SledStore, sessions: usize) -> Self {
        let mut cost = Self { export: 0.0, list: 0.0, answer: 0.0, verified: 0.0 };
        let all = sample(store, sessions).await;
        let (mut exports, mut answers, mut lists) = (Vec::new(), Vec::new(), Vec::new());
        for session in all {
            let begun = Instant::now();
            let Loaded { head, events } = store.load(session).await.unwrap().unwrap();
            assert!(!export::audit_of(store, session).await.unwrap().is_empty());
            exports.push(begun.elapsed());
            let (mut event, seq) = (events.last().unwrap().clone(), head.seq + 1);
            event.seq = seq;
            let head = Head { seq, ..head };
            let begun = Instant::now();
            store.commit(Commit::new(head, seq - 1, vec![event])).await.unwrap();
            answers.push(begun.elapsed());
        }
        let now = SystemClock.now();
        for find in [
            Find::newest(50),
            Find::WantsStaff { after: None, limit: 200 },
            Find::Paused { after: None, limit: 200 },
            Find::DueToGo { by: now, after: None, limit: 16 },
        ] {
            let begun = Instant::now();
            store.find(find).await.unwrap();
            lists.push(begun.elapsed());
        }
        let begun = Instant::now();
        let mut next = 0;
        while let page @ [_, ..] = store.audit(next, 500).await.unwrap().as_slice() {
            next += page.len() as u64;
        }
        let took = begun.elapsed().as_secs_f64();
        cost.verified = as_f64(usize::try_from(next).unwrap()) / took;
        (cost.export, cost.answer) = (median(exports), median(answers));
        cost.list = lists.into_iter().max().unwrap_or_default().as_secs_f64() * 1e3;
        cost
    }
}

/// Sessions from everywhere in the store.
async fn sample(store: &SledStore, sessions: usize) -> Vec<SessionId> {
    let (mut found, mut after, page) = (Vec::new(), None, (sessions / SAMPLE).max(1));
    loop {
        let heads = store.sessions(after, page).await.unwrap();
        let Some(last) = heads.last() else { return found };
        after = Some(last.id);
        found.push(last.id);
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// Starts the program and returns once it says that it is ready.
fn start(data: &Path) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_anteroom"))
        .arg("--data")
        .arg(data)
        .args(["play", "--no-open", "--json", "--listen", "127.0.0.1:0"])
        .env_clear()
        .env("HOME", data)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("page"), "the bot did not start");
    child
}

/// Resident megabytes, all and without pages of files.
fn resident(pid: u32) -> (u64, u64) {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let of = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        let kilobytes = line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok());
        kilobytes.unwrap_or(0) / 1_000
    };
    (of("VmRSS:"), of("RssAnon:"))
}

/// Bytes that the files of a directory take on the device.
fn on_disk(dir: &Path) -> u64 {
    let sizes = fs::read_dir(dir).unwrap().map(|entry| {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            on_disk(&entry.path())
        } else {
            entry.metadata().unwrap().blocks() * 512
        }
    });
    sizes.sum()
}
