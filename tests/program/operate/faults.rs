//! Faults by chance while people answer at three nodes: nodes are killed, stopped, stand still, are cut off from the
//! database and have clocks that jump; the database restarts, ends connections and is slow; web hooks get nowhere.
//! Whatever somebody was told is saved counts once, and everybody gets to the end.
//!
//! There are `BLOCKS` blocks of `FAULTS` faults, each on a database of its own with a seed of its own. The first seed is
//! `FAULT_SEED`, so that one repeats a block. Each block adds a line to the file `FAULT_RESULTS`, and a run with the same
//! file goes on after those that are in it.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::{self, File},
    io::Write as _,
    path::PathBuf,
    thread::sleep,
    time::{Duration, Instant},
};

use anteroom::store::postgres::Options;
use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use super::{
    cluster::{Cluster, NODES},
    crowd::{CROWD, Crowd, Finding, while_people_answer},
    line::Condition,
    nodes::{brief_lease, database},
    program::{Person, until},
};
use crate::{
    chance::{Chance, setting},
    postgres::Server,
};

/// No fault begins after this time of a block, so that it ends within ten minutes.
const BLOCK_MAX: Duration = Duration::from_mins(8);

const END_CONNECTIONS: &str = "select pg_terminate_backend(pid) from pg_stat_activity \
    where application_name like 'anteroom/%' and datname = current_database()";

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fault {
    ActiveNodeKilled,
    StandbyKilled,
    ActiveNodeStopped,
    /// For three times its lease.
    ActiveNodeStandsStill,
    /// The active node reaches the database no more until another one is active: connections are refused.
    ActiveNodeCutOff,
    /// The active node gets no answer from the database until another one is active.
    ActiveNodeGetsNoAnswer,
    StandbyCutOff,
    /// The clock of a node jumps by an hour, and stays so.
    ClockForwards,
    ClockBackwards,
    ConnectionsEnded,
    /// As `pg_ctl stop -m immediate` does.
    DatabaseRestarted,
    /// Each packet between nodes and database is late.
    DatabaseSlow,
    /// The receiver of web hooks refuses connections.
    ReceiverCutOff,
    /// It does not answer.
    ReceiverHangs,
}

const FAULTS: [Fault; 14] = [
    Fault::ActiveNodeKilled,
    Fault::StandbyKilled,
    Fault::ActiveNodeStopped,
    Fault::ActiveNodeStandsStill,
    Fault::ActiveNodeCutOff,
    Fault::ActiveNodeGetsNoAnswer,
    Fault::StandbyCutOff,
    Fault::ClockForwards,
    Fault::ClockBackwards,
    Fault::ConnectionsEnded,
    Fault::DatabaseRestarted,
    Fault::DatabaseSlow,
    Fault::ReceiverCutOff,
    Fault::ReceiverHangs,
];

/// Where faults happen.
struct Scene<'a> {
    server: &'a mut Server,
    options: &'a Options,
    cluster: &'a Cluster,
    crowd: &'a Crowd,
    chance: &'a mut Chance,
}

impl Scene<'_> {
    /// Something goes wrong, and is over when this returns, but for clocks.
    fn strike(&mut self, fault: Fault) {
        let nodes = &self.cluster.nodes;
        let active = until("an active node", || self.cluster.active());
        let standby = (active + 1 + self.chance.index(NODES - 1)) % NODES;
        match fault {
            Fault::ActiveNodeKilled => nodes[active].signal(Signal::KILL),
            Fault::StandbyKilled => nodes[standby].signal(Signal::KILL),
            Fault::ActiveNodeStopped => nodes[active].signal(Signal::TERM),
            Fault::ActiveNodeStandsStill => {
                nodes[active].signal(Signal::STOP);
                self.outlast_lease(active);
                nodes[active].signal(Signal::CONT);
            }
            Fault::ActiveNodeCutOff => self.cut_off(active, Condition::Cut),
            Fault::ActiveNodeGetsNoAnswer => self.cut_off(active, Condition::Silent),
            Fault::StandbyCutOff => {
                let condition = *self.chance.of(&[Condition::Cut, Condition::Silent]);
                nodes[standby].database.becomes(condition);
                self.crowd.goes_on(CROWD);
                nodes[standby].database.becomes(Condition::Good);
            }
            Fault::ClockForwards => _ = self.chance.of(nodes).clock_jumps(1),
            Fault::ClockBackwards => _ = self.chance.of(nodes).clock_jumps(-1),
            Fault::ConnectionsEnded => self.end_connections(),
            Fault::DatabaseRestarted => {
                let pause = Duration::from_millis(500 * self.chance.below(6));
                self.server.restart(pause);
            }
            Fault::DatabaseSlow => {
                self.database_becomes(Condition::Slow);
                self.crowd.goes_on(CROWD);
                self.database_becomes(Condition::Good);
            }
            Fault::ReceiverCutOff => self.cut_off_receiver(Condition::Cut),
            Fault::ReceiverHangs => self.cut_off_receiver(Condition::Silent),
        }
    }

    fn database_becomes(&self, condition: Condition) {
        for node in &self.cluster.nodes {
            node.database.becomes(condition);
        }
    }

    fn cut_off(&self, node: usize, condition: Condition) {
        let database = &self.cluster.nodes[node].database;
        database.becomes(condition);
        self.outlast_lease(node);
        database.becomes(Condition::Good);
    }

    /// Waits until another node is active, and for three times as long as a lease at least.
    fn outlast_lease(&self, node: usize) {
        let began = Instant::now();
        self.cluster.until_another_is_active(node);
        sleep((3 * self.options.lease).saturating_sub(began.elapsed()));
    }

    fn end_connections(&self) {
        let ended = self.cluster.ask(|mut database| async move {
            sqlx::query(END_CONNECTIONS).execute(&mut database).await
        });
        ended.unwrap();
    }

    fn cut_off_receiver(&self, condition: Condition) {
        self.cluster.deliveries.becomes(condition);
        self.crowd.goes_on(2 * CROWD);
        self.cluster.deliveries.becomes(Condition::Good);
    }
}

/// What came of a block; a line of `FAULT_RESULTS`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Block {
    seed: u64,
    /// How many faults there were of each kind.
    faults: BTreeMap<Fault, usize>,
    interviews: usize,
    /// Answers that were acknowledged.
    acknowledged: usize,
    asked_twice: usize,
    stuck: usize,
    /// Answers and web hooks that were not there exactly once.
    wrong: usize,
    /// Web hooks that arrived more than once, which they may.
    doubled: usize,
    seconds: u64,
    audit_verifies: bool,
}

impl Block {
    /// Runs a block; with what should not be.
    fn run(server: &mut Server, seed: u64) -> (Self, Vec<String>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let options = brief_lease(runtime.block_on(server.database()));
        let (began, mut chance) = (Instant::now(), Chance(seed));
        let cluster = Cluster::start(&options);
        let mut happened = Vec::new();
        let outcome = while_people_answer(&cluster, |crowd| {
            for _ in 0..setting("FAULTS").unwrap_or(3) {
                crowd.goes_on(CROWD + chance.index(CROWD));
                if crowd.has_failed() || began.elapsed() > BLOCK_MAX {
                    break;
                }
                let fault = *chance.of(&FAULTS);
                happened.push(fault);
                let (options, chance) = (&options, &mut chance);
                Scene { server, options, cluster: &cluster, crowd, chance }.strike(fault);
            }
            cluster.clocks_are_set();
        });
        let logs = (!outcome.findings.is_empty()).then(|| cluster.logs());
        let verified = cluster.end();
        let mut findings: Vec<String> =
            outcome.findings.iter().map(|(kind, what)| format!("{kind:?}: {what}")).collect();
        findings.extend(verified.clone().err());
        let mut block = Self {
            seed,
            interviews: outcome.interviews,
            acknowledged: outcome.acknowledged,
            asked_twice: outcome.count(Finding::AskedTwice),
            stuck: outcome.count(Finding::Stuck),
            wrong: outcome.count(Finding::Wrong),
            doubled: outcome.doubled,
            seconds: began.elapsed().as_secs(),
            audit_verifies: verified.is_ok(),
            ..Self::default()
        };
        for fault in &happened {
            *block.faults.entry(*fault).or_default() += 1;
        }
        if !findings.is_empty() {
            findings.push(format!("FAULT_SEED={seed}: {happened:?}; logs are in {logs:?}"));
        }
        (block, findings)
    }
}

/// Blocks that are there already, and where to add others.
struct Results {
    file: Option<PathBuf>,
    blocks: Vec<Block>,
}

impl Results {
    fn open() -> Self {
        let file = std::env::vars_os().find(|(name, _)| name == "FAULT_RESULTS");
        let file = file.map(|(_, file)| PathBuf::from(file));
        let text = file.as_ref().and_then(|file| fs::read_to_string(file).ok());
        let text = text.unwrap_or_default();
        let read = |line: &str| serde_json::from_str(line).unwrap();
        Self { file, blocks: text.lines().map(read).collect() }
    }

    /// The seeds of blocks that are still to come.
    fn missing(&self) -> Vec<u64> {
        let begun = self.blocks.first().map(|block| Chance(block.seed));
        let first = begun.unwrap_or_else(|| Chance::new("FAULT_SEED")).0;
        let seeds = (0..setting("BLOCKS").unwrap_or(1)).map(|n| first.wrapping_add(n));
        let is_missing = |seed: &u64| self.blocks.iter().all(|block| block.seed != *seed);
        seeds.filter(is_missing).collect()
    }

    fn add(&mut self, block: Block) {
        let line = serde_json::to_string(&block).unwrap();
        eprintln!("{line}");
        if let Some(file) = &self.file {
            let mut file = File::options().create(true).append(true).open(file).unwrap();
            writeln!(file, "{line}").unwrap();
        }
        self.blocks.push(block);
    }

    /// All blocks together.
    fn summary(&self) -> String {
        let sum = |count: fn(&Block) -> usize| self.blocks.iter().map(count).sum::<usize>();
        let mut kinds = BTreeMap::<Fault, usize>::new();
        for (fault, count) in self.blocks.iter().flat_map(|block| &block.faults) {
            *kinds.entry(*fault).or_default() += count;
        }
        let mut text = format!(
            "{} blocks, {} faults, {} interviews, {} answers acknowledged, {} asked twice, {} stuck, {} wrong, \
             {} web hooks doubled, {} audit logs broken",
            self.blocks.len(),
            kinds.values().sum::<usize>(),
            sum(|block| block.interviews),
            sum(|block| block.acknowledged),
            sum(|block| block.asked_twice),
            sum(|block| block.stuck),
            sum(|block| block.wrong),
            sum(|block| block.doubled),
            sum(|block| usize::from(!block.audit_verifies)),
        );
        for (fault, count) in kinds {
            write!(text, "\n  {count:4} {fault:?}").unwrap();
        }
        text
    }
}

#[test]
fn whatever_fails_answers_count_once_and_everybody_gets_to_the_end() {
    let Some(mut server) = Server::start() else { return };
    let mut results = Results::open();
    for seed in results.missing() {
        let (block, findings) = Block::run(&mut server, seed);
        results.add(block);
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }
    eprintln!("{}", results.summary());
}

#[test]
fn a_web_hook_is_not_late_by_the_clock_of_the_node_that_tried_it_and_died() {
    let Some(options) = database() else { return };
    let cluster = Cluster::start(&options);
    let first = until("an active node", || cluster.active());
    if !cluster.nodes[first].clock_jumps(1) {
        return;
    }
    cluster.deliveries.becomes(Condition::Cut);
    let page = cluster.page_of(first);
    until("an active node", || page.asked("/readyz").ends_with("\r\nready").then_some(()));
    let ada = Person::up_to_the_file(&page, "Ada");
    ada.sends(&page, "notes.txt", b"Some notes.".to_vec());
    until("a second attempt", || (cluster.deliveries.attempts() > 1).then_some(()));

    // Somebody else takes over, whose clock is right.
    cluster.nodes[first].dies();
    cluster.until_another_is_active(first);
    cluster.deliveries.becomes(Condition::Good);
    until("the web hook", || (cluster.deliveries.counts() == (1, 0)).then_some(()));
    assert_eq!(cluster.end(), Ok(()));
}
