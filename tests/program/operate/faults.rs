//! Faults by chance while people answer: nodes are killed, stand still and are stopped, connections to the database break.
//! Whatever somebody was told is saved counts once, and everybody gets to the end.
//!
//! `FAULTS` says how many there are, `FAULT_SEED` repeats a run.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    process::{Child, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{JoinHandle, ScopedJoinHandle},
};

use anteroom::store::postgres::Options;
use rustix::process::{Pid, Signal, kill_process};
use sqlx::Connection as _;

use super::{
    nodes::{database, node},
    program::{Person, Place, Program, until},
};
use crate::{
    chance::{Chance, setting},
    html,
};

/// Nodes on one database.
const NODES: usize = 3;

/// People who answer at the same time.
const CROWD: usize = 6;

const END_CONNECTIONS: &str = "select pg_terminate_backend(pid) from pg_stat_activity \
    where application_name like 'anteroom/%' and datname = current_database()";

/// A node that is started again whenever it ends.
struct Node {
    place: Place,
    /// The process that runs now.
    running: Mutex<Option<Child>>,
    /// Where its page is while it is the active one.
    page: Mutex<Option<String>>,
}

impl Node {
    fn supervise(&self, is_over: &AtomicBool) {
        while !is_over.load(Ordering::Relaxed) {
            let log = File::options().create(true).append(true).open(self.place.file("log"));
            let mut command = self.place.command(&["run", "--json"]);
            let mut child = command.stdout(Stdio::piped()).stderr(log.unwrap()).spawn().unwrap();
            let output = child.stdout.take().unwrap();
            *self.running.lock().unwrap() = Some(child);
            let mut line = String::new();
            let mut output = BufReader::new(output);
            // It says so once it is the active one.
            if output.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
                let page = ready["page"].as_str().unwrap().trim_end_matches('/').to_owned();
                *self.page.lock().unwrap() = Some(page);
                // Its output ends with it.
                _ = output.read_line(&mut line);
            }
            *self.page.lock().unwrap() = None;
            let ended = self.running.lock().unwrap().take();
            drop(ended.map(|mut child| child.wait()));
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(child) = &*self.running.lock().unwrap() {
            // It may have ended meanwhile.
            _ = kill_process(Pid::from_child(child), signal);
        }
    }
}

/// All nodes.
pub(super) struct Cluster {
    nodes: Vec<Arc<Node>>,
    is_over: Arc<AtomicBool>,
    supervisors: Vec<JoinHandle<()>>,
}

impl Cluster {
    pub(super) fn start(options: &Options) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let made = |n: usize| {
            let place = node(options, &format!("node {n}"));
            Arc::new(Node { place, running: Mutex::default(), page: Mutex::default() })
        };
        let nodes: Vec<Arc<Node>> = (0..NODES).map(made).collect();
        let supervise = |node: &Arc<Node>| {
            let (node, is_over) = (Arc::clone(node), Arc::clone(&is_over));
            std::thread::spawn(move || node.supervise(&is_over))
        };
        let supervisors = nodes.iter().map(supervise).collect();
        Self { nodes, is_over, supervisors }
    }

    /// The nodes that say that they are active, with their pages; one that stands still may be among them.
    fn active(&self) -> Vec<(usize, Program)> {
        let page = |node: &Arc<Node>| node.page.lock().unwrap().clone();
        let pages = self.nodes.iter().map(page).enumerate();
        pages.filter_map(|(n, page)| Some((n, Program::elsewhere(page?)))).collect()
    }

    /// Stops all nodes. With nobody active, a command opens the database itself, and finds the audit log whole.
    pub(super) fn end(self, options: &Options) {
        self.is_over.store(true, Ordering::Relaxed);
        for node in &self.nodes {
            node.signal(Signal::TERM);
        }
        for supervisor in self.supervisors {
            supervisor.join().unwrap();
        }
        let verified = node(options, "operator").said(&["audit", "verify"]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (said, complaint) = (text(&verified.stdout), text(&verified.stderr));
        assert!(verified.status.success(), "{said}{complaint}");
    }
}

/// Something goes wrong; what, for messages.
fn fault(cluster: &Cluster, options: &Options, chance: &mut Chance) -> &'static str {
    let active = cluster.active().first().map_or(0, |(n, _)| *n);
    let standby = (active + 1 + chance.index(NODES - 1)) % NODES;
    match chance.below(6) {
        0 | 1 => {
            cluster.nodes[active].signal(Signal::KILL);
            "the active node is killed"
        }
        2 => {
            cluster.nodes[active].signal(Signal::STOP);
            let others = || cluster.active().iter().any(|(n, _)| *n != active);
            until("another active node", || others().then_some(()));
            cluster.nodes[active].signal(Signal::CONT);
            "the active node stands still for longer than its lease"
        }
        3 => {
            cluster.nodes[active].signal(Signal::TERM);
            "the active node is stopped"
        }
        4 => {
            cluster.nodes[standby].signal(Signal::KILL);
            "a node that stands by is killed"
        }
        _ => {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let mut connection = sqlx::PgConnection::connect(&options.url).await.unwrap();
                sqlx::query(END_CONNECTIONS).execute(&mut connection).await.unwrap();
            });
            "the database ends all connections"
        }
    }
}

/// Does something at the active node, again and again until it has worked.
fn persist<T>(cluster: &Cluster, what: &str, act: impl Fn(&Program) -> Option<T>) -> T {
    // Requests fail while nodes come and go.
    let attempt =
        |program: &Program| catch_unwind(AssertUnwindSafe(|| act(program))).ok().flatten();
    until(what, || cluster.active().iter().find_map(|(_, program)| attempt(program)))
}

/// The questions of the tour, what is answered, and how often that was done in all.
const QUESTIONS: [(&str, &str); 3] =
    [("talk to a bot", "Go on"), ("Which colour", "Blue"), ("A word, please", "Sesame")];

/// Somebody goes through the tour. What was acknowledged is never asked again.
fn tour(cluster: &Cluster, name: &str, steps: &AtomicUsize) -> Person {
    let mut person = persist(cluster, "a beginning", |program| Some(Person::begin(program, name)));
    for (question, answer) in QUESTIONS {
        if answer == "Sesame" {
            step(cluster, &mut person, "A file, please", |person, program| {
                person.sends(program, "notes.txt", b"Some notes.".to_vec());
            });
        }
        step(cluster, &mut person, question, |person, program| match answer {
            "Sesame" => person.types(program, question, answer),
            label => person.press(program, question, label),
        });
        steps.fetch_add(1, Ordering::Relaxed);
    }
    person
}

/// Answers a question once it is open. Where nobody knows whether the answer was saved, the page tells.
fn step(cluster: &Cluster, person: &mut Person, question: &str, act: impl Fn(&Person, &Program)) {
    let is_open = |program: &Program| {
        let page = person.get(program, &person.session);
        let is_read = page.contains("data-live");
        let open = html::open_cards(&page).iter().any(|card| card.text.contains(question));
        is_read.then_some(open)
    };
    persist(cluster, question, |program| is_open(program).filter(|open| *open));
    let was_acknowledged = persist(cluster, question, |program| {
        if !is_open(program)? {
            return Some(false);
        }
        act(person, program);
        Some(true)
    });
    if was_acknowledged {
        let open = persist(cluster, question, |program| is_open(program));
        assert!(!open, "`{question}` is asked again, though its answer was acknowledged");
    }
}

/// People who go through the tour again and again.
pub(super) struct Crowd {
    /// Answers so far.
    steps: AtomicUsize,
    is_over: AtomicBool,
    /// Somebody has failed, which is told when all are.
    is_cut_off: AtomicBool,
}

impl Crowd {
    /// Waits for so many more answers.
    pub(super) fn goes_on(&self, answers: usize) {
        let enough = self.steps.load(Ordering::Relaxed) + answers;
        until("their next answers", || {
            let is_enough = self.steps.load(Ordering::Relaxed) >= enough;
            (is_enough || self.is_cut_off.load(Ordering::Relaxed)).then_some(())
        });
    }

    fn take_part(&self, cluster: &Cluster, n: usize) -> Vec<Person> {
        let mut people = Vec::new();
        while !self.is_over.load(Ordering::Relaxed) {
            let name = format!("Person {n}.{}", people.len());
            let toured = catch_unwind(AssertUnwindSafe(|| tour(cluster, &name, &self.steps)));
            people.push(toured.unwrap_or_else(|panic| {
                self.is_cut_off.store(true, Ordering::Relaxed);
                resume_unwind(panic)
            }));
        }
        people
    }
}

/// Does something while people answer; then everybody gets to the end, and each answer counts once. `told` says what
/// happened, where something is wrong.
pub(super) fn while_people_answer(
    cluster: &Cluster,
    during: impl FnOnce(&Crowd),
    told: &dyn Fn() -> String,
) {
    let crowd = Crowd {
        steps: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
        is_cut_off: AtomicBool::new(false),
    };
    let people = std::thread::scope(|scope| {
        let crowd = &crowd;
        let begin = |n| scope.spawn(move || crowd.take_part(cluster, n));
        let all: Vec<_> = (0..CROWD).map(begin).collect();
        let done = catch_unwind(AssertUnwindSafe(|| during(crowd)));
        crowd.is_over.store(true, Ordering::Relaxed);
        let join = |one: ScopedJoinHandle<'_, Vec<Person>>| one.join();
        let joined: Result<Vec<_>, _> = all.into_iter().map(join).collect();
        assert!(done.is_ok() && joined.is_ok(), "{}", told());
        joined.unwrap().into_iter().flatten().collect::<Vec<_>>()
    });
    eprintln!("{} interviews; {}", people.len(), told());
    for person in &people {
        let page = persist(cluster, "the end", |program| {
            let page = person.get(program, &person.session);
            page.contains("Sesame").then_some(page)
        });
        assert!(page.contains("notes.txt"), "{}: {page}", told());
        for words in ["Which colour?", ">Blue</strong>"] {
            assert_eq!(page.matches(words).count(), 1, "{}: `{words}` in {page}", told());
        }
    }
}

#[test]
fn whatever_happens_to_nodes_and_connections_answers_count_once_and_everybody_gets_to_the_end() {
    let Some(options) = database() else { return };
    let faults = setting("FAULTS").unwrap_or(5);
    let (mut chance, cluster) = (Chance::new("FAULT_SEED"), Cluster::start(&options));
    let seed = chance.0;
    let happened = Mutex::new(Vec::new());
    let during = |crowd: &Crowd| {
        for _ in 0..faults {
            crowd.goes_on(CROWD + chance.index(2 * CROWD));
            let what = fault(&cluster, &options, &mut chance);
            happened.lock().unwrap().push(what);
        }
    };
    let told = || format!("FAULT_SEED={seed}: {:?}", happened.lock().unwrap());
    while_people_answer(&cluster, during, &told);
    cluster.end(&options);
}
