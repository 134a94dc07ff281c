//! What waiting sessions cost a real process: memory at rest, time until it is ready, bytes on disk.
//!
//! `cargo bench --bench waiting [-- SESSIONS…]`; without numbers 0 and 10,000. Every session has had six turns and
//! waits under its seventh question; where there are more than 20,000, for want of room, each waits under its first.
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
    base::{clock::SystemClock, ids::RandomIds},
    store::sled::SledStore,
};

const TURNS: usize = 6;

/// More sessions than these have had no turn yet.
const TURNS_UP_TO: usize = 20_000;

/// Starts of each size; the median counts.
const STARTS: usize = 5;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if !args.iter().any(|arg| arg == "--bench") {
        return;
    }
    let mut sizes: Vec<usize> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![0, 10_000];
    }
    println!("sessions  ready ms  RSS MB (anonymous)  disk MB  bytes a session  in values");
    for sessions in sizes {
        measure(sessions);
    }
}

fn measure(sessions: usize) {
    let dir = support::on_disk();
    let values = prepare(dir.path(), sessions);
    let mut ready = Vec::new();
    let mut memory = Vec::new();
    for _ in 0..STARTS {
        let begun = Instant::now();
        let mut child = start(dir.path());
        ready.push(begun.elapsed().as_millis());
        // The first looks at the clock and the outbox are over by then.
        thread::sleep(Duration::from_secs(3));
        memory.push(resident(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    ready.sort_unstable();
    memory.sort_unstable();
    let (ready, (rss, anonymous)) = (ready[STARTS / 2], memory[STARTS / 2]);
    let disk = on_disk(&dir.path().join("store"));
    let each = |bytes: u64| bytes.checked_div(sessions as u64).unwrap_or(0);
    println!(
        "{sessions:>8}  {ready:>8}  {rss:>6} ({anonymous})  {:>7}  {:>15}  {:>9}",
        disk / 1_000_000,
        each(disk),
        each(values)
    );
}

/// Fills the data directory; the bytes of all keys and values.
fn prepare(dir: &Path, sessions: usize) -> u64 {
    let turns = if sessions > TURNS_UP_TO { 0 } else { TURNS };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let ops = runtime.block_on(support::recording(dir, Arc::new(SystemClock), turns));
    let store = SledStore::open(&dir.join("store"), Arc::new(RandomIds)).unwrap();
    runtime.block_on(support::fill(&store, &ops, sessions));
    if sessions == 0 || sessions > TURNS_UP_TO {
        return 0;
    }
    let entries = store.entries().unwrap();
    let mut families = std::collections::BTreeMap::<char, (usize, u64)>::new();
    for (key, value) in &entries {
        let family = families.entry(char::from(key[0])).or_default();
        family.0 += 1;
        family.1 += (key.len() + value.len()) as u64;
    }
    for (family, (count, bytes)) in &families {
        let per = sessions as u64;
        println!("  {family}: {} entries, {} bytes a session", *count as u64 / per, bytes / per);
    }
    families.values().map(|(_, bytes)| bytes).sum()
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
