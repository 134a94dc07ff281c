//! Several nodes of the program on one database, each of which is started again whenever it ends.

use std::{
    fs::{self, File},
    io::{self, BufReader},
    path::PathBuf,
    process::{Child, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    },
    thread::{JoinHandle, sleep},
    time::Duration,
};

use anteroom::store::postgres::Options;
use rustix::process::{Pid, Signal, kill_process};
use sqlx::Connection as _;

use super::{
    deliveries::Deliveries,
    line::Line,
    nodes::node_with_hook,
    program::{Place, Program, until},
};
use crate::support::{faked_clock::FakedClock, free_port::free_port};

/// Nodes on one database.
pub(super) const NODES: usize = 3;

/// A supervisor waits for so long before it starts a node again.
const RESTART_AFTER: Duration = Duration::from_millis(300);

const HOLDER: &str = "select owner from store where lease_until > now()";

/// A node that is started again whenever it ends.
pub(super) struct Node {
    place: Place,
    /// Where it listens, whether it is the active one or stands by.
    address: String,
    /// Its line to the database.
    pub(super) database: Line,
    clock: Option<FakedClock>,
    /// By how many hours its clock is off.
    hours: AtomicI64,
    /// The process that runs now.
    running: Mutex<Option<Child>>,
    /// It isn't started again.
    is_gone: AtomicBool,
}

impl Node {
    fn new(options: &Options, name: &str, deliveries: &Deliveries) -> Self {
        let mut url = reqwest::Url::parse(&options.url).unwrap();
        let database = Line::to(url.port().unwrap());
        url.set_port(Some(database.port)).unwrap();
        let options = Options { url: url.into(), ..options.clone() };
        let place = node_with_hook(&options, name, deliveries.address());
        Self {
            address: format!("127.0.0.1:{}", free_port()),
            database,
            clock: FakedClock::new(&place.file("clock")),
            hours: AtomicI64::new(0),
            running: Mutex::default(),
            is_gone: AtomicBool::new(false),
            place,
        }
    }

    fn supervise(&self, is_over: &AtomicBool) {
        while !is_over.load(Ordering::SeqCst) {
            let log = File::options().create(true).append(true).open(self.place.file("log"));
            let mut command = self.place.command(&["run", "--json"]);
            command.env("ANTEROOM_LISTEN", &self.address);
            command.envs(self.clock.iter().flat_map(FakedClock::environment));
            let mut child = command.stdout(Stdio::piped()).stderr(log.unwrap()).spawn().unwrap();
            let output = child.stdout.take().unwrap();
            *self.running.lock().unwrap() = Some(child);
            if is_over.load(Ordering::SeqCst) {
                self.signal(Signal::TERM);
            }
            // Its output ends with it.
            _ = io::copy(&mut BufReader::new(output), &mut io::sink());
            let ended = self.running.lock().unwrap().take();
            if let Some(mut child) = ended {
                _ = child.wait();
                FakedClock::forget(child.id());
            }
            sleep(RESTART_AFTER);
            while self.is_gone.load(Ordering::SeqCst) && !is_over.load(Ordering::SeqCst) {
                sleep(RESTART_AFTER);
            }
        }
    }

    /// It is killed and doesn't come back.
    pub(super) fn dies(&self) {
        self.is_gone.store(true, Ordering::SeqCst);
        self.signal(Signal::KILL);
    }

    pub(super) fn signal(&self, signal: Signal) {
        if let Some(child) = &*self.running.lock().unwrap() {
            // It may have ended meanwhile.
            _ = kill_process(Pid::from_child(child), signal);
        }
    }

    /// Its clock jumps by hours; whether it can.
    pub(super) fn clock_jumps(&self, by: i64) -> bool {
        let hours = self.hours.fetch_add(by, Ordering::Relaxed) + by;
        let clock = self.clock.as_ref();
        clock.inspect(|clock| clock.set(&format!("{hours:+}h"))).is_some()
    }

    /// Its clock goes right again.
    fn clock_is_set(&self) {
        self.clock_jumps(-self.hours.load(Ordering::Relaxed));
    }
}

/// All nodes, and the receiver of their web hooks.
pub(super) struct Cluster {
    pub(super) nodes: Vec<Arc<Node>>,
    pub(super) deliveries: Deliveries,
    /// The database, past the nodes' lines.
    options: Options,
    is_over: Arc<AtomicBool>,
    supervisors: Vec<JoinHandle<()>>,
    /// Which node is asked first.
    turn: AtomicUsize,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop(Signal::KILL);
    }
}

impl Cluster {
    pub(super) fn start(options: &Options) -> Self {
        let (is_over, deliveries) = (Arc::new(AtomicBool::new(false)), Deliveries::start());
        let made = |n: usize| Arc::new(Node::new(options, &format!("node {n}"), &deliveries));
        let nodes: Vec<Arc<Node>> = (0..NODES).map(made).collect();
        let supervise = |node: &Arc<Node>| {
            let (node, is_over) = (Arc::clone(node), Arc::clone(&is_over));
            std::thread::spawn(move || node.supervise(&is_over))
        };
        let supervisors = nodes.iter().map(supervise).collect();
        let (options, turn) = (options.clone(), AtomicUsize::new(0));
        Self { nodes, deliveries, options, is_over, supervisors, turn }
    }

    /// The pages of all nodes, beginning with another one each time: any of them takes requests.
    pub(super) fn pages(&self) -> Vec<Program> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        (0..NODES).map(|n| self.page_of((turn + n) % NODES)).collect()
    }

    /// The page as one node shows it.
    pub(super) fn page_of(&self, node: usize) -> Program {
        Program::elsewhere(format!("http://{}", self.nodes[node].address))
    }

    /// The node that holds the lease.
    pub(super) fn active(&self) -> Option<usize> {
        let owner = self.ask(|mut database| async move {
            sqlx::query_scalar::<_, Option<String>>(HOLDER).fetch_optional(&mut database).await
        });
        owner.ok()???.strip_prefix("node ")?.parse().ok()
    }

    /// Waits until another node than this one is active.
    pub(super) fn until_another_is_active(&self, than: usize) {
        until("another active node", || self.active().filter(|active| *active != than));
    }

    /// Asks the database something.
    pub(super) fn ask<T, F: Future<Output = Result<T, sqlx::Error>>>(
        &self,
        ask: impl FnOnce(sqlx::PgConnection) -> F,
    ) -> Result<T, sqlx::Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { ask(sqlx::PgConnection::connect(&self.options.url).await?).await })
    }

    fn stop(&mut self, signal: Signal) {
        self.is_over.store(true, Ordering::SeqCst);
        for node in &self.nodes {
            node.signal(signal);
        }
        for supervisor in self.supervisors.drain(..) {
            supervisor.join().unwrap();
        }
    }

    /// Keeps the logs of all nodes; where.
    pub(super) fn logs(&self) -> PathBuf {
        let kept = tempfile::tempdir().unwrap().keep();
        for (n, node) in self.nodes.iter().enumerate() {
            // It may have none yet.
            _ = fs::copy(node.place.file("log"), kept.join(format!("node-{n}")));
        }
        kept
    }

    /// All clocks go right again.
    pub(super) fn clocks_are_set(&self) {
        for node in &self.nodes {
            node.clock_is_set();
        }
    }

    /// Stops all nodes. With nobody active, a command opens the database itself; what is wrong with the audit log.
    pub(super) fn end(mut self) -> Result<(), String> {
        self.stop(Signal::TERM);
        let operator = node_with_hook(&self.options, "operator", self.deliveries.address());
        let verified = operator.said(&["audit", "verify"]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let said = text(&verified.stdout) + &text(&verified.stderr);
        verified.status.success().then_some(()).ok_or(said)
    }
}
