//! What comes of every kind of effect for every class of refusal: who reads what, what waits, and what ends the wait.
//! Each platform's suite refuses them in its emulator. The tables stand in `docs/`; `ANTEROOM_REWRITE=1` writes them anew,
//! `EVERY_CODE=1` tries each code instead of the first one of each class, and compares with no page.

use std::{
    collections::BTreeMap,
    fmt::{Debug, Write as _},
    fs,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use anteroom::{
    base::clock::Clock as _,
    chat::refusal::Class,
    engine::Engine,
    model::{effect::CauseKind, transcript::Event},
    store::{Capacity, Store as _, memory::MemoryStore},
};
use chrono::TimeDelta;
use tokio::runtime;

/// A bot in an emulator, and those who read there.
pub(crate) trait World {
    fn engine(&self) -> &Engine;
    fn store(&self) -> &MemoryStore;
    fn clock(&self) -> &anteroom::base::clock::FixedClock;
    async fn pass(&self, time: TimeDelta);
    /// Nothing is refused any more.
    fn mend(&self);
    /// What the bot has said to the participant and to the team since the last look, message by message.
    fn news(&self) -> [Vec<String>; 2];
}

/// How a platform refuses; `F` is what it can do wrong.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Refusal<F> {
    /// One call.
    Once(F),
    /// Each call.
    Always(F),
    /// Whatever the bot asks for with its token.
    Token(F),
}

/// A kind of effect that is about to leave.
pub(crate) trait Stage: Copy + Debug {
    type World: World;
    type Fault: Debug + Copy;
    /// What it is, as the table has it.
    fn name(&self) -> &'static str;
    /// Up to the moment before.
    async fn begin(&self) -> Self::World;
    /// The platform refuses it from now on.
    fn refuse(&self, world: &Self::World, refusal: Refusal<Self::Fault>);
    /// What makes it leave.
    async fn act(&self, world: &Self::World);
    /// Whether whoever it is for has it.
    fn is_there(&self, world: &Self::World) -> bool;
    /// Words that are true only once it is there, or once the team has read of it elsewhere.
    fn promise(&self) -> Option<&'static str> {
        None
    }
    /// What whoever is concerned reads instead, where it has been given up: a piece of the words.
    fn told(&self) -> &'static str;
    /// What is true where it is given up and nobody has to know.
    fn needless(&self) -> Option<&'static str> {
        None
    }
}

/// What came of a refusal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    news: [String; 2],
    outcome: String,
    ends: &'static str,
}

fn in_words(news: &[String]) -> String {
    if news.is_empty() { "nothing".to_owned() } else { news.join(" / ").replace('|', "\\|") }
}

/// What was seen while an effect was refused, and then.
#[derive(Debug)]
struct Seen {
    /// What the participant and the team read meanwhile.
    news: [Vec<String>; 2],
    causes: Vec<String>,
    /// Whether it was there in spite of the refusal.
    is_there: bool,
    has_failed: bool,
    is_told: bool,
    /// After how many minutes in which nothing was refused it was there, if ever.
    came: Option<u32>,
}

/// Refuses one effect, and takes it after a while: what came of it, and what should not have.
async fn cell<S: Stage>(stage: &S, class: &str, refusal: Refusal<S::Fault>) -> (Cell, Vec<String>) {
    let world = stage.begin().await;
    drop(world.news());
    stage.refuse(&world, refusal);
    stage.act(&world).await;
    for _ in 0..4 {
        world.pass(TimeDelta::seconds(10)).await;
    }
    let news = world.news();
    let outages = world.engine().outages();
    let causes: Vec<String> =
        outages.iter().map(|outage| outage.cause.kind.name().to_owned()).collect();
    let (is_there, has_failed) = (stage.is_there(&world), has_failed(&world).await);
    let is_told = news.iter().flatten().any(|words| words.contains(stage.told()));
    world.mend();
    let mut minutes = 0;
    let is_over = is_told && causes.is_empty();
    while !is_over && !stage.is_there(&world) && minutes < 180 {
        for _ in 0..6 {
            world.pass(TimeDelta::seconds(10)).await;
        }
        minutes += 1;
    }
    let came = stage.is_there(&world).then_some(minutes);
    world.pass(TimeDelta::seconds(10)).await;
    let seen = Seen { news, causes, is_there, has_failed, is_told, came };
    let mut wrong = seen.wrong(stage);
    let outages = world.engine().outages();
    if !outages.is_empty() {
        wrong.push(format!("a cause stays: {outages:?}"));
    }
    let later = world.clock().now() + TimeDelta::days(300);
    let left = world.store().claim(later, Capacity::of_any(9)).await.unwrap();
    if !left.is_empty() {
        wrong.push(format!("it is still in the outbox: {left:?}"));
    }
    (seen.cell(stage, class), wrong)
}

impl Seen {
    fn cell<S: Stage>(&self, stage: &S, class: &str) -> Cell {
        let outcome = match (self.is_there, self.is_told, self.causes.is_empty()) {
            (true, false, _) => "arrives in another way".to_owned(),
            (true, true, _) => "arrives in another way, and the team is told".to_owned(),
            (false, _, false) if self.causes.iter().all(|cause| cause == class) => {
                "waits for that".to_owned()
            }
            (false, _, false) => format!("waits for `{}`", self.causes.join("`, `")),
            (false, true, true) => "is given up".to_owned(),
            (false, false, true) if self.came.is_some() => "is tried again".to_owned(),
            (false, false, true) => stage.needless().unwrap_or("is lost").to_owned(),
        };
        let ends = match self.came {
            _ if self.is_there => "",
            Some(0 | 1) => "leaves within 60 s",
            Some(_) => "leaves at the next attempt",
            None => "stays as it is",
        };
        Cell { news: self.news.each_ref().map(|news| in_words(news)), outcome, ends }
    }

    /// Where somebody is told what is not so, or nothing of what is.
    fn wrong<S: Stage>(&self, stage: &S) -> Vec<String> {
        let mut wrong = Vec::new();
        let Self { is_there, is_told, came, .. } = *self;
        let is_known = is_there || is_told;
        let promise = stage.promise().unwrap_or("\0");
        if !is_known && self.news[0].iter().any(|words| words.contains(promise)) {
            wrong.push(format!("`{promise}` is not true"));
        }
        if !is_known && self.has_failed {
            wrong.push("it has failed and nobody is told".to_owned());
        }
        if !is_there && !self.causes.is_empty() && came.is_none_or(|minutes| minutes > 1) {
            wrong.push(format!("it waits, and comes after {came:?} minutes"));
        }
        if !is_known && came.is_none() && stage.needless().is_none() {
            wrong.push(format!("it is lost: {:?}", self.news));
        }
        wrong
    }
}

/// Whether the conversation has a delivery that failed.
async fn has_failed<W: World>(world: &W) -> bool {
    let is_failed = |event: &Event| matches!(event, Event::DeliveryFailed { .. });
    for head in world.store().sessions(None, 9).await.unwrap() {
        let loaded = world.store().load(head.id).await.unwrap().unwrap();
        if loaded.events.iter().any(|recorded| is_failed(&recorded.event)) {
            return true;
        }
    }
    false
}

/// A class, as the tables have it.
const fn name(class: Class) -> &'static str {
    match class {
        Class::Later { .. } => "later",
        Class::Unclear => "unclear",
        Class::Unknown => "unknown",
        Class::Shorten => "shorten",
        Class::Plain => "plain",
        Class::MessageGone => "message gone",
        Class::Uneditable => "uneditable",
        Class::PlaceGone => "place gone",
        Class::PlaceClosed => "place closed",
        Class::AlreadyDone => "already done",
        Class::PersonUnreachable(_) => "person unreachable",
        Class::Final => "final",
        Class::Blocked(kind) => kind.name(),
    }
}

/// Whether each code is tried.
fn is_every_code() -> bool {
    std::env::var_os("EVERY_CODE").is_some()
}

/// A refusal of each class of a platform's table, in its order; each code where that is asked for. What the bot answers by
/// doing it in another way is refused once, and then whatever it does. `of_token` are the causes for which a platform
/// refuses whatever is asked with the token.
pub(crate) fn refusals<F: Copy>(
    table: impl Iterator<Item = (F, Class)>,
    of_token: &[CauseKind],
) -> Vec<(String, Refusal<F>)> {
    let (mut all, mut seen) = (Vec::new(), Vec::new());
    for (fault, class) in table {
        let name = name(class);
        if seen.contains(&name) && !is_every_code() {
            continue;
        }
        seen.push(name);
        match class {
            Class::Blocked(cause) if of_token.contains(&cause) => {
                all.push((name.to_owned(), Refusal::Token(fault)));
            }
            Class::Shorten
            | Class::Plain
            | Class::MessageGone
            | Class::Uneditable
            | Class::PlaceGone
            | Class::PlaceClosed => {
                all.push((name.to_owned(), Refusal::Once(fault)));
                all.push((format!("{name} again and again"), Refusal::Always(fault)));
            }
            _ => all.push((name.to_owned(), Refusal::Always(fault))),
        }
    }
    all
}

/// The codes of each class, as a table.
pub(crate) fn codes(platform: &str, table: impl Iterator<Item = (String, Class)>) -> String {
    let mut classes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (code, class) in table {
        classes.entry(name(class)).or_default().push(format!("`{code}`"));
    }
    let rows = classes.iter().map(|(class, codes)| format!("| {class} | {} |\n", codes.join(", ")));
    format!("| class | {platform}'s codes |\n|---|---|\n{}", rows.collect::<String>())
}

/// Refuses every kind of effect in every way, and keeps what came of it on a page. The kinds are tried beside each other:
/// each has a runtime of its own, since the clock of a runtime is stopped for all that runs on it.
pub(crate) fn fill<S: Stage + Sync>(
    page: &str,
    head: &str,
    stages: &[S],
    refusals: impl Fn(S) -> Vec<(String, Refusal<S::Fault>)> + Sync,
) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((at, stage)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            stages.get(at).map(|stage| (at, stage))
        } {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
            done.push((at, runtime.block_on(tried(stage, refusals(*stage)))));
        }
        done
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut done = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    done.sort_by_key(|(at, _)| *at);
    let (tables, wrong): (Vec<_>, Vec<_>) = done.into_iter().map(|(_, found)| found).unzip();
    if !is_every_code() {
        keep(page, head, stages, &tables);
    }
    let wrong = wrong.concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Refuses one kind of effect in every way: what came of each, and what should not have.
async fn tried<S: Stage>(
    stage: &S,
    refusals: Vec<(String, Refusal<S::Fault>)>,
) -> (Table, Vec<String>) {
    let (mut table, mut wrong) = (Table::default(), Vec::new());
    for (class, refusal) in refusals {
        let (cell, violations) = cell(stage, &class, refusal).await;
        wrong.extend(violations.iter().map(|what| format!("{stage:?}, {refusal:?}: {what}")));
        table.note(class, cell);
    }
    (table, wrong)
}

/// What has been found for one kind of effect.
#[derive(Debug, Default)]
struct Table(BTreeMap<Cell, Vec<String>>);

impl Table {
    fn note(&mut self, class: String, cell: Cell) {
        let classes = self.0.entry(cell).or_default();
        if !classes.contains(&class) {
            classes.push(class);
        }
    }

    fn drawn(&self, name: &str) -> String {
        let mut drawn = format!(
            "## {name}\n\n| class | the participant reads | the team reads | it | once nothing is refused any more |\n|---|---|---|---|---|\n"
        );
        for (Cell { news: [participant, team], outcome, ends }, classes) in &self.0 {
            let classes = classes.join(", ");
            writeln!(drawn, "| {classes} | {participant} | {team} | {outcome} | {ends} |").unwrap();
        }
        drawn
    }
}

/// Writes the tables, or compares them with what is written.
fn keep<S: Stage>(page: &str, head: &str, stages: &[S], tables: &[Table]) {
    let mut text = head.to_owned();
    for (stage, table) in stages.iter().zip(tables) {
        text.push('\n');
        text.push_str(&table.drawn(stage.name()));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
    if std::env::var_os("ANTEROOM_REWRITE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/{page} is out of date; run with ANTEROOM_REWRITE=1");
}
