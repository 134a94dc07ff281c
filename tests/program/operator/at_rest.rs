//! Random damage to a data directory at rest: it is refused, it does no harm, or whatever is gone says so. Nothing is
//! ever silently shorter or different.
//!
//! | variable | what |
//! |---|---|
//! | `DAMAGES` | damages, one for each fresh copy (40) |
//! | `DAMAGE_SEED` | where they begin; a failure names it |

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    fs::{self, File},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anteroom::{
    base::{
        clock::SystemClock,
        ids::{RandomIds, SessionId},
    },
    model::{artifact::Artifact, transcript::Event},
    ports::artifacts::{Artifacts, check::Kind, extract::Extractor},
    store::{Error, Find, Note, Store as _, sled::SledStore},
};
use rustix::process::{Pid, Signal, kill_process};

use crate::chance::{Chance, setting};

use super::{
    bot::{Bot, command, said},
    html,
    visitor::{Asked, Person, SAVE, answer, asked},
};

const FLOW: &str = "community-welcome";

/// Longest wait for a question.
const PATIENCE: Duration = Duration::from_mins(1);

/// Every how many damages the program itself is started too.
const SAMPLE: usize = 8;

/// What lies in a data directory, by path; without what says who holds it.
fn files(data: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![data.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file() && !path.ends_with("store/pid") {
                let bytes = fs::read(&path).unwrap();
                found.insert(path.strip_prefix(data).unwrap().to_owned(), bytes);
            }
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    for (name, bytes) in files(from) {
        let to = to.join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, bytes).unwrap();
    }
}

/// Which kind of file it is; none for what is not the bot's data.
fn kind_of(name: &Path) -> Option<&'static str> {
    let text = name.to_str().unwrap();
    let exact = ["db", "conf", "keys", "key-sums", "high-water-mark", "clean-stop"];
    if let Some(inner) = text.strip_prefix("store/") {
        let begins = [("snap.", "snap"), ("blobs/", "blobs"), ("archive/", "archive")];
        let exact = exact.into_iter().find(|exact| *exact == inner);
        let begun = begins.into_iter().find(|(begin, _)| inner.starts_with(begin));
        return exact.or_else(|| begun.map(|(_, kind)| kind));
    }
    let folders = [("artifacts/", "artifacts"), ("flows/", "flows"), ("audit.anchor", "anchor")];
    folders.into_iter().find(|(begin, _)| text.starts_with(begin)).map(|(_, kind)| kind)
}

/// How many answers a person gives: some leave at once, some go to the end.
async fn converse(bot: &Bot, answers: usize) -> SessionId {
    let person = Person::new();
    let path = person.begin(&bot.page, FLOW).await;
    let mut answered = Vec::new();
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while answered.len() < answers {
        let page = person.get(&bot.page, &path).await;
        match asked(&page, &answered) {
            Asked::Over => break,
            Asked::NotYet => {
                assert!(tokio::time::Instant::now() < deadline, "{}", html::text(&page));
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Asked::This(card) => {
                let (form, label, file) = answer(&card);
                let fields = form.pressed(&label);
                let sent = person.send(&bot.page, &form.action, &fields, file.as_deref()).await;
                assert!(sent.unwrap().status().is_success());
                if label != SAVE {
                    answered.push(card.wait);
                }
            }
        }
    }
    path.trim_start_matches("/s/").parse().unwrap()
}

async fn people(bot: &Bot, answers: &[usize]) -> Vec<SessionId> {
    futures::future::join_all(answers.iter().map(|answers| converse(bot, *answers))).await
}

/// Has the program end by itself.
fn stop(mut bot: Bot) {
    kill_process(Pid::from_child(&bot.child), Signal::TERM).unwrap();
    assert!(bot.child.wait().unwrap().success());
}

/// Store and files, as the program opens them.
fn open(data: &Path) -> Result<(Arc<SledStore>, Artifacts), Error> {
    let store = Arc::new(SledStore::open(&data.join("store"), Arc::new(RandomIds))?);
    let (keys, clock, ids) = (Arc::clone(&store), Arc::new(SystemClock), Arc::new(RandomIds));
    let reader = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let artifacts = Artifacts::new(data, keys, clock, ids, reader).unwrap();
    Ok((store, artifacts))
}

/// Notes and files that the web page leaves none of.
async fn leave_more(
    data: &Path,
    sessions: &[SessionId],
    round: usize,
) -> Vec<(SessionId, Artifact)> {
    let (store, artifacts) = open(data).unwrap();
    let mut made = Vec::new();
    for (number, session) in sessions.iter().enumerate() {
        let key = |owner: &str| format!("slack/{owner}/{round}/{number}");
        for (owner, of) in [("root", Some(*session)), ("team", None)] {
            let value = Some(format!("D{number:03}/1690.{round}"));
            store.note(Note { key: key(owner), session: of, value }).await.unwrap();
        }
        let bytes = format!("What was produced, {round}. ").repeat(40 + 900 * (number % 3));
        let file = artifacts.make(*session, "summary.md", Kind::Markdown, bytes.into()).await;
        made.push((*session, file.unwrap()));
    }
    made
}

/// A data directory, what is known of it, and an older one of the same bot.
struct Base {
    name: &'static str,
    data: PathBuf,
    older: BTreeMap<PathBuf, Vec<u8>>,
    known: Known,
    facts: Facts,
}

/// What is asked for.
#[derive(Clone, Default)]
struct Known {
    sessions: BTreeSet<SessionId>,
    files: Vec<(SessionId, Artifact)>,
}

/// Everything that was acknowledged, and where it cannot be read, why.
type Facts = BTreeMap<String, Result<String, String>>;

fn fact<T: fmt::Debug, E: fmt::Display>(read: Result<T, E>) -> Result<String, String> {
    read.map(|value| format!("{value:?}")).map_err(|error| error.to_string())
}

/// Reads everything.
async fn facts(data: &Path, known: &Known) -> Result<Facts, Error> {
    let (store, artifacts) = open(data)?;
    let mut facts = Facts::new();
    let listed = store.sessions(None, 10_000).await;
    facts.insert("sessions".to_owned(), fact(listed));
    facts.insert("newest".to_owned(), fact(store.find(Find::newest(10_000)).await));
    facts.insert("audit".to_owned(), fact(store.audit(0, 100_000).await));
    facts.insert("notes".to_owned(), fact(store.notes("").await));
    for session in &known.sessions {
        let loaded = store.load(*session).await;
        if let Ok(Some(loaded)) = &loaded {
            let person = loaded.head.participant.clone();
            let found = store.find(Find::Person(person)).await;
            facts.insert(format!("person of {session}"), fact(found));
            let place = loaded.head.place.clone();
            facts.insert(format!("place of {session}"), fact(store.find(Find::Place(place)).await));
        }
        if let Ok(Some(loaded)) = &loaded {
            for event in &loaded.events {
                if let Event::Asked(wait) = &*event.event {
                    facts.insert(format!("wait {}", wait.id), fact(store.wait(wait.id).await));
                }
            }
        }
        facts.insert(format!("session {session}"), fact(loaded));
        facts.insert(format!("outbox of {session}"), fact(store.outbox(*session).await));
    }
    for (session, file) in &known.files {
        let name = format!("file {} of {session}", file.sha256);
        facts.insert(name, fact(artifacts.read(*session, file).await));
    }
    for name in files(data).into_keys() {
        if let Ok(flow) = name.strip_prefix("flows") {
            let flow = flow.to_str().unwrap();
            facts.insert(format!("flow {flow}"), fact(artifacts.pinned_flow(flow).await));
        }
    }
    Ok(facts)
}

/// Lists leave out what they cannot read, and log it.
fn is_list(name: &str) -> bool {
    ["sessions", "newest", "person of ", "place of "].iter().any(|list| name.starts_with(list))
}

impl Base {
    async fn new(
        name: &'static str,
        data: PathBuf,
        older: &Path,
        ids: impl IntoIterator<Item = SessionId>,
        files_made: &[(SessionId, Artifact)],
    ) -> Self {
        let copied = data.with_file_name(format!("{name}-read"));
        copy(&data, &copied);
        let mut known = Known { sessions: ids.into_iter().collect(), files: files_made.to_vec() };
        {
            let (store, _) = open(&copied).unwrap();
            for session in &known.sessions {
                let Some(loaded) = store.load(*session).await.unwrap() else { continue };
                let kept = loaded.events.iter().filter_map(|event| match &*event.event {
                    Event::Kept(file) => Some((*session, file.clone())),
                    _ => None,
                });
                known.files.extend(kept);
            }
        }
        let facts = facts(&copied, &known).await.unwrap();
        let unread: Vec<_> = facts.iter().filter(|(_, fact)| fact.is_err()).collect();
        assert!(unread.is_empty(), "{unread:?}");
        Self { name, data, older: files(older), known, facts }
    }
}

/// One damage.
struct Damage {
    what: &'static str,
    file: PathBuf,
    at: usize,
    bytes: Vec<u8>,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} of {}", self.what, self.at, self.file.display())
    }
}

/// A damage that changes something.
fn damage(base: &Base, chance: &mut Chance) -> Damage {
    let files = files(&base.data);
    let mut by_kind: BTreeMap<&str, Vec<&PathBuf>> = BTreeMap::new();
    for name in files.keys() {
        by_kind.entry(kind_of(name).unwrap_or("other")).or_default().push(name);
    }
    by_kind.remove("other");
    let kinds: Vec<_> = by_kind.keys().copied().collect();
    loop {
        let kind = *chance.of(&kinds);
        let file = *chance.of(&by_kind[kind]);
        let mut bytes = files[file].clone();
        if bytes.is_empty() {
            continue;
        }
        let mut at = chance.index(bytes.len());
        let (what, zeroed) = *chance.of(&[
            ("bit flip", 0),
            ("512 zeros", 512),
            ("4 KiB zeros", 4096),
            ("truncation", 0),
            ("older file", 0),
        ]);
        match what {
            "bit flip" => bytes[at] ^= 1 << chance.below(8),
            "truncation" => bytes.truncate(at),
            "older file" => match base.older.get(file) {
                Some(older) => bytes.clone_from(older),
                // A snapshot is never written twice under one name.
                None => continue,
            },
            _ => {
                at -= at % zeroed;
                let end = bytes.len().min(at + zeroed);
                bytes[at..end].fill(0);
            }
        }
        if bytes != files[file] {
            return Damage { what, file: file.clone(), at, bytes };
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Refused,
    Harmless,
    Reported,
    /// A list was shorter, which the log alone says; the conversation itself gives an error.
    ListShorter,
}

fn names_damage(error: &str) -> bool {
    ["damaged", "cannot be read", "newer"].iter().any(|word| error.contains(word))
}

/// What the files came to, or why it counts as silent.
async fn outcome(base: &Base, data: &Path, damage: &Damage) -> Result<Outcome, String> {
    let before = files(data);
    let facts = match facts(data, &base.known).await {
        Ok(facts) => facts,
        Err(error @ Error::Unreadable { .. }) if names_damage(&error.to_string()) => {
            return if files(data) == before {
                Ok(Outcome::Refused)
            } else {
                Err(format!("refused, and yet files have changed: {error}"))
            };
        }
        Err(error) => return Err(format!("refused without naming the damage: {error:?}")),
    };
    let mut outcome = Outcome::Harmless;
    for (name, right) in &base.facts {
        match facts.get(name) {
            Some(Ok(_)) if facts.get(name) == Some(right) => {}
            Some(Err(error)) if names_damage(error) => outcome = outcome.max(Outcome::Reported),
            Some(Ok(_)) if is_list(name) => outcome = Outcome::ListShorter,
            // What is asked of a conversation that gives an error itself.
            None if facts.values().any(Result::is_err) => {}
            other => return Err(format!("{name} is {other:?}, not {right:?}")),
        }
    }
    if outcome == Outcome::ListShorter && facts.values().all(Result::is_ok) {
        return Err("a list is shorter, and nothing gives an error".to_owned());
    }
    if damage.file.ends_with("audit.anchor") {
        let verified = command(data).args(["audit", "verify"]).output().unwrap();
        if !verified.status.success() {
            let told = String::from_utf8(verified.stderr).unwrap();
            assert!(told.contains("anchor") || told.contains("record"), "{told}");
            outcome = Outcome::Reported;
        }
    }
    Ok(outcome)
}

/// The program itself comes to the same.
fn program(data: &Path, expected: Outcome) -> Result<(), String> {
    let before = files(data);
    let output = command(data).args(["sessions", "list"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    if expected != Outcome::Refused {
        return output
            .status
            .success()
            .then_some(())
            .ok_or_else(|| format!("the program refuses: {told}"));
    }
    if output.status.code() != Some(1) || !names_damage(&told) {
        return Err(format!("the program ended with {}: {told}", output.status));
    }
    let same = files(data) == before;
    same.then_some(()).ok_or_else(|| format!("the program changed files: {told}"))
}

/// A bot that was stopped, and one that was killed.
async fn bases(room: &Path) -> [Base; 2] {
    let data = room.join("data");
    fs::create_dir(&data).unwrap();
    let bot = Bot::start(&data);
    let mut ids = people(&bot, &[0, 1, 2, 3, 4, 6, 99, 99]).await;
    stop(bot);
    let mut made = leave_more(&data, &ids, 1).await;
    said(&data, &["audit", "verify"]);
    let first = room.join("first");
    copy(&data, &first);

    let bot = Bot::start(&data);
    ids.extend(people(&bot, &[0, 1, 1, 2, 2, 3, 5, 8, 99, 99, 99, 4]).await);
    said(&data, &["erase", &ids[9].to_string(), "--yes"]);
    stop(bot);
    made.extend(leave_more(&data, &ids[12..], 2).await);
    said(&data, &["audit", "verify"]);
    let stopped = room.join("stopped");
    copy(&data, &stopped);

    let bot = Bot::start(&data);
    let more = people(&bot, &[0, 1, 2, 3, 4, 99, 99, 2]).await;
    drop(bot);
    let killed = room.join("killed");
    copy(&data, &killed);
    assert!(stopped.join("store/clean-stop").exists());
    assert!(!killed.join("store/clean-stop").exists());
    let all = ids.iter().copied().chain(more);
    [
        Base::new("stopped", stopped.clone(), &first, ids.clone(), &made).await,
        Base::new("killed", killed, &stopped, all, &made).await,
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_damage_at_rest_is_silent() {
    let room = tempfile::tempdir().unwrap();
    let bases = bases(room.path()).await;
    let seed = setting("DAMAGE_SEED").unwrap_or(1);
    let mut chance = Chance(seed);
    let mut table: BTreeMap<(String, Outcome), usize> = BTreeMap::new();
    let mut silent = Vec::new();
    let damages = setting("DAMAGES").map_or(40, |damages| usize::try_from(damages).unwrap());
    for number in 0..damages {
        let base = chance.of(&bases);
        let damage = damage(base, &mut chance);
        let copied = |name: &str| {
            let data = room.path().join(name);
            copy(&base.data, &data);
            File::create(data.join(&damage.file)).unwrap().write_all_at(&damage.bytes, 0).unwrap();
            data
        };
        let data = copied("damaged");
        let mut outcome = outcome(base, &data, &damage).await;
        if number % SAMPLE == 0
            && let Ok(expected) = outcome
        {
            let data = copied("again");
            outcome = program(&data, expected).map(|()| expected);
            fs::remove_dir_all(data).unwrap();
        }
        match outcome {
            Ok(outcome) => {
                let kind = kind_of(&damage.file).unwrap_or_default();
                for row in [format!("{} {kind}", base.name), format!("any {}", damage.what)] {
                    *table.entry((row, outcome)).or_default() += 1;
                }
            }
            Err(why) => {
                let why: String = why.chars().take(600).collect();
                silent.push(format!("{number}: {damage} of the {} bot: {why}", base.name));
            }
        }
        fs::remove_dir_all(data).unwrap();
    }
    tell(&table);
    assert!(silent.is_empty(), "DAMAGE_SEED={seed} DAMAGES={damages}\n{}", silent.join("\n"));
}

#[expect(clippy::print_stderr, reason = "figures for whoever runs it by hand")]
fn tell(table: &BTreeMap<(String, Outcome), usize>) {
    for ((row, outcome), count) in table {
        eprintln!("{row:<24} {outcome:<12?} {count}");
    }
}
