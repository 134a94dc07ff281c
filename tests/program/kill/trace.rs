//! The real program under strace: no acknowledgement leaves before what it acknowledges is on the device.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{power::is_ci, skipped, walk::Walk};

/// One system call as strace saw it. Numbers are lines of the trace.
#[derive(Debug)]
struct Call {
    name: String,
    /// The file or socket of its first argument.
    on: String,
    /// Arguments and result.
    text: String,
    began: usize,
    ended: usize,
}

impl Call {
    fn is_write(&self) -> bool {
        matches!(
            self.name.as_str(),
            "write" | "pwrite64" | "writev" | "pwritev" | "sendto" | "sendmsg"
        )
    }

    fn is_sync(&self) -> bool {
        matches!(self.name.as_str(), "fsync" | "fdatasync") && self.text.trim_end().ends_with("= 0")
    }
}

/// Reads a trace of several threads.
fn calls(trace: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut unfinished: Vec<(String, usize)> = Vec::new();
    for (number, line) in trace.lines().enumerate() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(resumed) = rest.strip_prefix("<... ") {
            let Some(place) = unfinished.iter().position(|(who, _)| who == thread) else {
                continue;
            };
            let call = &mut calls[unfinished.remove(place).1];
            call.ended = number;
            call.text.push_str(resumed);
            continue;
        }
        let Some((name, text)) = rest.split_once('(') else { continue };
        let on = text.split_once('<').and_then(|(_, after)| after.split_once('>'));
        if text.contains("<unfinished ...>") {
            unfinished.push((thread.to_owned(), calls.len()));
        }
        calls.push(Call {
            name: name.to_owned(),
            on: on.map(|(on, _)| on.to_owned()).unwrap_or_default(),
            text: text.to_owned(),
            began: number,
            // Corrected where it is resumed.
            ended: if text.contains("<unfinished ...>") { usize::MAX } else { number },
        });
    }
    calls
}

/// A form that was taken: from the moment the program had read it to the moment it began to answer.
struct Taken {
    path: String,
    read: usize,
    answered: usize,
}

fn taken(calls: &[Call]) -> Vec<Taken> {
    let mut taken = Vec::new();
    for (place, call) in calls.iter().enumerate() {
        let is_read = matches!(call.name.as_str(), "read" | "recvfrom" | "recvmsg");
        let Some((_, request)) = call.text.split_once("\"POST ").filter(|_| is_read) else {
            continue;
        };
        let answer = calls[place..].iter().find(|other| {
            other.on == call.on && other.is_write() && other.text.contains("\"HTTP/1.1 ")
        });
        if let Some(answer) = answer.filter(|answer| answer.text.contains("\"HTTP/1.1 303")) {
            let path = request.split(' ').next().unwrap_or_default().to_owned();
            taken.push(Taken { path, read: call.ended, answered: answer.began });
        }
    }
    taken
}

fn strace() -> Option<PathBuf> {
    let path = std::env::vars_os().find(|(name, _)| name == "PATH")?.1;
    std::env::split_paths(&path).map(|folder| folder.join("strace")).find(|file| file.is_file())
}

/// What of `folder` was written while a form was being taken must have been synced before the answer, and a new name
/// with its folder.
fn assert_synced(calls: &[Call], taken: &Taken, folder: &Path) -> (usize, usize) {
    let context = &taken.path;
    let within: Vec<&Call> = calls
        .iter()
        .filter(|call| call.began > taken.read && call.began < taken.answered)
        .collect();
    let synced = |on: &str, after: usize| {
        within.iter().any(|call| {
            call.is_sync() && call.on == on && call.began > after && call.ended < taken.answered
        })
    };
    let own = |call: &&&Call| Path::new(&call.on).starts_with(folder);
    let mut written: Vec<&str> = Vec::new();
    for write in within.iter().filter(|call| call.is_write()).filter(own) {
        let name = Path::new(&write.on).file_name().unwrap_or_default().to_string_lossy();
        // What only saves time at the next start may be lost.
        if written.contains(&write.on.as_str()) || name.starts_with("snap.") {
            continue;
        }
        written.push(&write.on);
        assert!(
            synced(&write.on, write.ended),
            "{context} was acknowledged before {} was synced",
            write.on
        );
    }
    let mut named = 0;
    for call in &within {
        let is_naming = call.name.starts_with("rename") || call.name.starts_with("link");
        // The last path of the arguments is the new name.
        let Some(name) = call.text.rsplit('"').nth(1).filter(|_| is_naming) else { continue };
        let name = Path::new(name);
        if !name.starts_with(folder) || name.to_string_lossy().contains("snap.") {
            continue;
        }
        named += 1;
        let parent = name.parent().unwrap().to_str().unwrap();
        assert!(
            synced(parent, call.ended),
            "{context} was acknowledged before the name of {} was synced",
            name.display()
        );
    }
    (written.len(), named)
}

/// Keys are on the device before anything that they seal is written, and are overwritten only once the erasure is on
/// the device; how often they were written.
fn assert_keys_in_order(calls: &[Call], keys: &Path, database: &Path) -> usize {
    let on = |file: &Path| {
        let file = file.to_owned();
        move |call: &&Call| Path::new(&call.on) == file
    };
    let mut writes = 0;
    for write in calls.iter().filter(on(keys)).filter(|call| call.is_write()) {
        writes += 1;
        let before: Vec<_> = calls.iter().filter(|call| call.ended < write.began).collect();
        let last = before.iter().copied().filter(on(database)).rfind(|call| call.is_write());
        let is_synced = |last: &Call| {
            let mut after = before.iter().copied().filter(|call| call.began > last.ended);
            after.any(|call| on(database)(&call) && call.is_sync())
        };
        assert!(last.is_none_or(is_synced), "keys were written over what is not synced: {write:?}");
        let after = || calls.iter().filter(|call| call.began > write.ended);
        let synced = after().filter(on(keys)).find(|call| call.is_sync()).unwrap();
        let next = after().filter(on(database)).find(|call| call.is_write());
        assert!(next.is_none_or(|next| next.began > synced.ended), "before {synced:?}: {next:?}");
    }
    writes
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_acknowledged_before_it_is_on_the_device() {
    let Some(strace) = strace() else {
        assert!(!is_ci(), "strace is not installed");
        skipped::skip("strace", "apt-get install strace");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().canonicalize().unwrap().join("trace");
    let mut walk = Walk::prepare("candidate-onboarding", dir.path(), &[]).await;
    walk.stop();
    walk.under = Some(vec![
        strace.into(),
        "--follow-forks".into(),
        "--seccomp-bpf".into(),
        "--decode-fds=path".into(),
        "--output-append-mode".into(),
        "--string-limit=200".into(),
        "--trace=read,recvfrom,recvmsg,write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync,rename,renameat,renameat2,link,linkat"
            .into(),
        "--output".into(),
        trace.clone().into(),
    ]);
    walk.start();
    walk.open_conversation().await;
    // As much as the page takes: the words are cut into many values.
    walk.say(&"The Engine weaves algebraic patterns. ".repeat(200)).await;
    let end = walk.finish().await;
    walk.forget().await;

    let calls = calls(&fs::read_to_string(&trace).unwrap());
    let data = walk.data.canonicalize().unwrap();
    let (database, files) = (data.join("store/db"), data.join("artifacts"));
    // Those of the first sessions were made, and one of them was overwritten.
    assert_eq!(assert_keys_in_order(&calls, &data.join("store/keys"), &database), 2);
    let mut uploads = 0;
    let taken = taken(&calls);
    assert!(taken.len() as u64 >= end.steps + 2, "{} forms of {} steps", taken.len(), end.steps);
    for form in &taken {
        let is_stored = |call: &Call| {
            call.is_write()
                && Path::new(&call.on) == database
                && call.began > form.read
                && call.began < form.answered
        };
        assert!(calls.iter().any(is_stored), "{} was acknowledged and not stored", form.path);
        let (written, _) = assert_synced(&calls, form, &data.join("store"));
        assert!(written > 0, "{}", form.path);
        let (_, named) = assert_synced(&calls, form, &files);
        uploads += named;
    }
    assert!(uploads > 0, "no file was sent");
}
