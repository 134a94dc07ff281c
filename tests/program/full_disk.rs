//! The real program on a real disk that is full, or read-only: a small one, mounted for this test alone.
//!
//! That takes the right to mount, as root or in a user namespace. Without it the tests are skipped;
//! with `CI` set, root must be able to.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use reqwest::{Response, StatusCode};
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    bot::Bot,
    html::{self, Card},
    person::{self, Asked, Person, asked},
    skipped,
};

/// Longest wait for the bot to go on.
const PATIENCE: Duration = Duration::from_mins(1);

const FLOW: &str = "candidate-onboarding";

/// A small disk in a mount namespace of its own, which lasts as long as a process that only waits.
struct Disk {
    holder: Child,
    /// With a user namespace around it.
    user: bool,
    /// Where it is mounted, as the namespace sees it.
    mounted: PathBuf,
    _dir: TempDir,
}

impl Disk {
    /// None where nothing can be mounted.
    fn mount(megabytes: u32) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = dir.path().join("disk");
        std::fs::create_dir(&mounted).unwrap();
        let is_root = rustix::process::geteuid().is_root();
        // As root first without a user namespace, which containers often forbid.
        for user in [false, true] {
            let mut holder = Command::new("unshare");
            holder.arg(if user { "-rm" } else { "-m" });
            holder.args([
                "sh",
                "-c",
                r#"mount -t tmpfs -o "size=$2m,mode=700" small "$1" && echo up && exec cat"#,
            ]);
            holder.arg("sh").arg(&mounted).arg(megabytes.to_string());
            holder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let Ok(mut holder) = holder.spawn() else { continue };
            let mut line = String::new();
            BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
            if line == "up\n" {
                return Some(Self { holder, user, mounted, _dir: dir });
            }
            drop(holder.wait());
        }
        assert!(
            !(is_root && std::env::var_os("CI").is_some()),
            "root cannot mount a disk: nothing of this was tested"
        );
        skipped::skip("mounting a disk", "run as root, or allow user namespaces");
        None
    }

    /// The data directory, as the program sees it.
    fn data(&self) -> PathBuf {
        self.mounted.join("data")
    }

    /// A file on it, as this test sees it.
    fn file(&self, name: &str) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.holder.id()));
        root.join(self.mounted.strip_prefix("/").unwrap()).join(name)
    }

    /// Something that runs where the disk can be seen.
    fn inside(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["-t", &self.holder.id().to_string(), "-m"]);
        if self.user {
            command.args(["-U", "--preserve-credentials"]);
        }
        command.arg("--").arg(program);
        command
    }

    fn anteroom(&self) -> Command {
        let mut command = self.inside(env!("CARGO_BIN_EXE_anteroom"));
        command.arg("--data").arg(self.data()).env_clear().env("HOME", self.data());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    fn start(&self) -> Bot {
        Bot::launch(self.anteroom(), &self.data()).unwrap()
    }

    /// What a command says about its failure, and its code.
    fn refusal(&self, args: &[&str]) -> String {
        let output = self.anteroom().args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("panicked"), "{said}");
        said.replace(&*self.mounted.to_string_lossy(), "DISK")
    }

    fn json(&self, args: &[&str]) -> Value {
        let output = self.anteroom().args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Leaves not a byte.
    fn fill(&self) {
        let mut filler =
            File::options().create(true).append(true).open(self.file("filler")).unwrap();
        for size in [64 * 1024, 4096, 1] {
            let block = vec![b'x'; size];
            loop {
                match filler.write(&block) {
                    Ok(0) => panic!("nothing was written"),
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    fn free(&self) {
        std::fs::remove_file(self.file("filler")).unwrap();
    }

    fn remount(&self, how: &str) {
        let done = self.inside("mount").args(["-o", how]).arg(&self.mounted).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(self.holder.kill());
        drop(self.holder.wait());
    }
}

/// Somebody in an interview.
struct Interview {
    person: Person,
    site: String,
    path: String,
    answered: Vec<String>,
}

impl Interview {
    async fn begin(site: &str) -> Self {
        let person = Person::new();
        let path = person.begin(site, FLOW).await;
        Self { person, site: site.to_owned(), path, answered: Vec::new() }
    }

    /// The next open question; none at the end. What was answered must never be open again.
    async fn next(&self) -> Option<Card> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let page = self.person.get(&self.site, &self.path).await;
            match asked(&page, &self.answered) {
                Asked::This(card) => return Some(card),
                Asked::Over => return None,
                Asked::NotYet => {}
            }
            assert!(tokio::time::Instant::now() < deadline, "no question: {}", html::text(&page));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Answers; refused or not.
    async fn answer(&mut self, card: &Card) -> Response {
        let (form, label, file) = person::answer(card);
        let fields = form.pressed(&label);
        let sent = self.person.send(&self.site, &form.action, &fields, file.as_deref()).await;
        let sent = sent.unwrap();
        if sent.status().is_success() && label != person::SAVE {
            self.answered.push(card.wait.clone());
        }
        sent
    }

    /// Comes back once the page can be read.
    async fn reads(&self) {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let page = self.person.look(&self.site, &self.path).await;
            if page.status().is_success() {
                return;
            }
            let words = html::text(&page.text().await.unwrap());
            assert!(tokio::time::Instant::now() < deadline, "the page cannot be read: {words}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Somebody else talks until they are refused: the log has a little room of its own in a disk that is full.
async fn chatter(other: &Interview) -> Response {
    let page = other.person.get(&other.site, &other.path).await;
    for number in 0..200 {
        let mut form =
            html::forms(&page).into_iter().find(|form| form.action.ends_with("/say")).unwrap();
        form.input("text").value = format!("{number} {}", "and so on ".repeat(200));
        form.input("key").value = number.to_string();
        let fields = form.pressed("Send message");
        let sent = other.person.send(&other.site, &form.action, &fields, None).await.unwrap();
        if !sent.status().is_success() {
            return sent;
        }
    }
    panic!("the disk never filled up");
}

async fn check(site: &str, path: &str) -> (StatusCode, String) {
    let answer = reqwest::get(format!("{site}{path}")).await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

async fn ready(site: &str) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let (status, words) = check(site, "readyz").await;
        if status == StatusCode::OK {
            assert_eq!(words, "ready");
            return;
        }
        assert!(tokio::time::Instant::now() < deadline, "{words}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_fills_up_in_the_middle_of_an_interview_loses_and_doubles_nothing() {
    for killed in [false, true] {
        let Some(disk) = Disk::mount(48) else { return };
        let mut bot = disk.start();
        let bob = Interview::begin(&bot.page).await;
        let mut ada = Interview::begin(&bot.page).await;
        for _ in 0..2 {
            let card = ada.next().await.unwrap();
            assert!(ada.answer(&card).await.status().is_success());
        }
        let card = ada.next().await.unwrap();
        disk.fill();

        assert_eq!(chatter(&bob).await.status(), StatusCode::SERVICE_UNAVAILABLE);
        let refused = ada.answer(&card).await;
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        let words = html::text(&refused.text().await.unwrap());
        assert!(words.contains("That couldn't be saved, so nothing changed."), "{words}");
        let (status, words) = check(&bot.page, "readyz").await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        insta::allow_duplicates! { insta::assert_snapshot!(words, @"nothing can be saved: the disk is full. hint: free up space on the disk of the data directory"); }
        assert_eq!(check(&bot.page, "healthz").await.0, StatusCode::OK);
        // The page can still be read, except while it is tried to open the database again.
        ada.reads().await;

        if killed {
            drop(bot);
            // It comes up on the full disk, to read; and says how it is.
            bot = disk.start();
            ada.site.clone_from(&bot.page);
            assert_eq!(check(&bot.page, "readyz").await.0, StatusCode::SERVICE_UNAVAILABLE);
            ada.reads().await;
            assert_eq!(ada.answer(&card).await.status(), StatusCode::SERVICE_UNAVAILABLE);
        }

        disk.free();
        ready(&bot.page).await;
        // The very same answer; it may have come through, and then it counts once all the same.
        let again = ada.answer(&card).await;
        assert!(again.status().is_success(), "{}", again.status());
        while let Some(card) = ada.next().await {
            let sent = ada.answer(&card).await;
            assert!(sent.status().is_success(), "{}", sent.status());
        }
        drop(bot);

        let id = ada.path.trim_start_matches("/s/");
        assert_eq!(disk.json(&["audit", "verify", "--json"])["holds"], true);
        let sessions = disk.json(&["sessions", "list", "--json"]);
        let mine = sessions.as_array().unwrap().iter().find(|session| session["id"] == id);
        assert_eq!(mine.unwrap()["status"], "completed", "{sessions:#}");
        let transcript = disk.json(&["export", id, "--format", "json"]);
        let entries = transcript["entries"].as_array().unwrap();
        let answers = entries.iter().filter(|entry| entry["kind"] == "answered").count();
        assert_eq!(answers, ada.answered.len(), "{transcript:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_system_that_turns_read_only_is_named_and_waited_for() {
    let Some(disk) = Disk::mount(48) else { return };
    let bot = disk.start();
    let mut ada = Interview::begin(&bot.page).await;
    let card = ada.next().await.unwrap();
    drop(bot);

    disk.remount("remount,ro");
    insta::assert_snapshot!(disk.refusal(&["sessions", "list"]), @"
    error: the data in `DISK/data/store` cannot be opened: the file system is read-only
    because: Read-only file system (os error 30)
    hint: remount the file system of the data directory as writable; the system log says why it is read-only, then start again
    ");
    disk.remount("remount,rw");
    let bot = disk.start();
    ada.site.clone_from(&bot.page);
    assert!(ada.answer(&card).await.status().is_success());
    assert!(ada.next().await.is_some());
}

#[test]
fn a_full_disk_at_the_first_start_is_named() {
    let Some(disk) = Disk::mount(2) else { return };
    std::fs::create_dir(disk.file("data")).unwrap();
    disk.fill();
    insta::assert_snapshot!(disk.refusal(&["play", "--no-open"]), @"
    error: the data in `DISK/data/store` cannot be opened: the disk is full
    because: No space left on device (os error 28)
    hint: free up space on the disk of the data directory, then start again
    ");
    assert!(Path::new(&disk.file("filler")).exists());
}
