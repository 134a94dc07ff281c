//! Three PostgreSQL servers that Patroni keeps, with etcd beside them and `HAProxy` in front, as `docs/postgresql.md` has
//! them. All of it is on loopback, and ends with the test.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::Write as _,
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anteroom::store::{
    nodes::Reached,
    postgres::{Options, Standby},
};
use rustix::process::{Pid, Signal, geteuid, kill_process};

use super::{
    line::{Condition, Line},
    program::until,
};
use crate::{postgres, skipped, support::free_port::free_port};

/// What to do where something is missing.
const INSTALL: &str = "apt-get install postgresql patroni etcd-server haproxy";

/// Its servers.
const MEMBERS: usize = 3;

/// Ends everything when its input ends, which is when the test does, however it ends.
const KEEPER: &str = r#"
cat >/dev/null
for file in "$1"/*.pid "$1"/data*/postmaster.pid; do
    [ ! -f "$file" ] || kill -KILL "$(head -n 1 "$file")" 2>/dev/null || true
done
rm -rf "$1"
"#;

/// The cluster.
pub(super) struct Patroni {
    /// The database by way of `HAProxy`.
    pub(super) options: Options,
    dir: PathBuf,
    members: Vec<Member>,
    keeper: Child,
}

struct Member {
    number: usize,
    /// The port at which Patroni says what it is.
    rest: u16,
    etcd: Line,
}

/// What happens to the primary.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    /// Server and Patroni are killed, as when their machine fails.
    Killed,
    /// Patroni is stopped in order, as for an upgrade.
    Stopped,
    /// It reaches etcd no more.
    CutOff,
}

impl Patroni {
    /// Starts it, with an empty database; none, with a note, where something is not installed.
    pub(super) fn start() -> Option<Self> {
        let are_there = ["patroni", "etcd", "haproxy"].into_iter().all(is_installed);
        let Some(bin) = postgres::programs().filter(|_| are_there) else {
            skipped::skip("Patroni", INSTALL);
            return None;
        };
        let dir = std::env::temp_dir().join(format!("anteroom-patroni-{}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        if geteuid().is_root() {
            let owned = Command::new("chown").arg("nobody:nogroup").arg(&dir).status();
            assert!(owned.unwrap().success());
        }
        let keeper = Command::new("sh")
            .args(["-c", KEEPER, "keeper"])
            .arg(&dir)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let etcd = begin_etcd(&dir);
        let member = |number| Member { number, rest: free_port(), etcd: Line::to(etcd) };
        let members: Vec<Member> = (1..=MEMBERS).map(member).collect();
        let ports: Vec<u16> = members.iter().map(|member| member.configure(&dir, &bin)).collect();
        for member in &members {
            member.begin(&dir);
        }
        let front = begin_haproxy(&dir, &members, &ports);
        Some(Self {
            options: Options {
                url: format!("postgres://anteroom@127.0.0.1:{front}/postgres"),
                key: [7; 32],
                node: "test".to_owned(),
                lease: Duration::from_secs(30),
                standby: Standby::Refuses,
                reached: Reached::default(),
            },
            dir,
            members,
            keeper,
        })
    }

    /// Which member is the primary, where there is one and two others are ready to follow it, one of them in step.
    pub(super) fn primary(&self) -> Option<usize> {
        let are = |path: &str| -> Vec<usize> {
            (0..MEMBERS).filter(|n| self.members[*n].is(path)).collect()
        };
        let (primary, replicas, in_step) = (are("primary"), are("replica"), are("sync"));
        let [primary] = primary.as_slice() else { return None };
        (replicas.len() == MEMBERS - 1 && !in_step.is_empty()).then_some(*primary)
    }

    /// Which member is the primary.
    pub(super) fn leader(&self) -> Option<usize> {
        (0..MEMBERS).find(|n| self.members[*n].is("primary"))
    }

    /// Something happens to a member.
    pub(super) fn strike(&self, member: usize, fault: Fault) {
        let Member { number, etcd, .. } = &self.members[member];
        let signal = |file: &str, signal| {
            let text = fs::read_to_string(self.dir.join(file)).unwrap();
            let pid = text.lines().next().unwrap().trim().parse().unwrap();
            // It may have ended meanwhile.
            _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
        };
        match fault {
            Fault::Killed => {
                signal(&format!("patroni{number}.pid"), Signal::KILL);
                signal(&format!("data{number}/postmaster.pid"), Signal::KILL);
            }
            Fault::Stopped => signal(&format!("patroni{number}.pid"), Signal::TERM),
            Fault::CutOff => etcd.becomes(Condition::Cut),
        }
    }

    /// And is mended.
    pub(super) fn mend(&self, member: usize, fault: Fault) {
        match fault {
            Fault::Killed | Fault::Stopped => self.members[member].begin(&self.dir),
            Fault::CutOff => self.members[member].etcd.becomes(Condition::Good),
        }
    }

    /// The ends of all logs, for whoever looks into a failure.
    fn logs(&self) -> String {
        let mut logs = String::new();
        for Member { number, .. } in &self.members {
            let log = fs::read_to_string(self.dir.join(format!("patroni{number}.log")));
            let log = log.unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let end = lines[lines.len().saturating_sub(20)..].join("\n");
            writeln!(logs, "-- member {number}\n{end}").unwrap();
        }
        logs
    }
}

impl Drop for Patroni {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.logs());
        }
        drop(self.keeper.stdin.take());
        _ = self.keeper.wait();
    }
}

impl Member {
    /// Writes its configuration, and says at which port its server is.
    fn configure(&self, dir: &Path, bin: &Path) -> u16 {
        let Self { number, rest, etcd } = self;
        let (postgres, home, bin) = (free_port(), dir.display(), bin.display());
        let text = format!(
            r#"
scope: anteroom
name: member{number}
restapi: {{ listen: "127.0.0.1:{rest}", connect_address: "127.0.0.1:{rest}" }}
etcd3:
  hosts: "127.0.0.1:{etcd}"
  # Otherwise it asks etcd for its address, and goes past the line that can be cut.
  use_proxies: true
bootstrap:
  dcs:
    # As short as Patroni allows.
    ttl: 20
    loop_wait: 1
    retry_timeout: 3
    master_start_timeout: 0
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters: {{ shared_buffers: 32MB, max_connections: 60, unix_socket_directories: "" }}
  initdb: [ {{ encoding: UTF8 }}, {{ locale: C }}, no-sync ]
  pg_hba:
    - host all all 127.0.0.1/32 trust
    - host replication all 127.0.0.1/32 trust
postgresql:
  listen: "127.0.0.1:{postgres}"
  connect_address: "127.0.0.1:{postgres}"
  data_dir: {home}/data{number}
  bin_dir: {bin}
  pgpass: {home}/pgpass{number}
  authentication:
    superuser: {{ username: anteroom }}
    replication: {{ username: replicator }}
    rewind: {{ username: anteroom }}
"#,
            etcd = etcd.port
        );
        fs::write(dir.join(format!("{number}.yml")), text).unwrap();
        postgres
    }

    fn begin(&self, dir: &Path) {
        let configuration = format!("{}.yml", self.number);
        begin(dir, &format!("patroni{}", self.number), &["patroni", &configuration]);
    }

    /// Whether Patroni says that it is this: `primary`, `replica`, `sync`.
    fn is(&self, what: &str) -> bool {
        let answer = get(self.rest, what);
        answer.is_ok_and(|answer| answer.lines().next().is_some_and(|line| line.contains(" 200 ")))
    }
}

/// The whole answer of a server of this machine, its head included.
fn get(port: u16, path: &str) -> std::io::Result<String> {
    let patience = Duration::from_secs(2);
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], port));
    let mut stream = TcpStream::connect_timeout(&address, patience)?;
    stream.set_read_timeout(Some(patience))?;
    stream.write_all(format!("GET /{path} HTTP/1.0\r\n\r\n").as_bytes())?;
    std::io::read_to_string(stream)
}

fn begin_etcd(dir: &Path) -> u16 {
    let (clients, peers) = (free_port(), free_port());
    let (clients_url, peers_url) =
        (format!("http://127.0.0.1:{clients}"), format!("http://127.0.0.1:{peers}"));
    let arguments = [
        ["--name", "etcd"],
        ["--data-dir", "etcd"],
        ["--listen-client-urls", &clients_url],
        ["--advertise-client-urls", &clients_url],
        ["--listen-peer-urls", &peers_url],
        ["--initial-advertise-peer-urls", &peers_url],
        ["--initial-cluster", &format!("etcd={peers_url}")],
    ];
    begin(dir, "etcd", &[&["etcd"], arguments.as_flattened()].concat());
    // Patroni dies of an etcd that has not yet agreed on the version of its cluster.
    let has_agreed =
        |answer: String| answer.contains("etcdcluster") && !answer.contains("not_decided");
    until("an etcd that is ready", || get(clients, "version").is_ok_and(has_agreed).then_some(()));
    clients
}

/// Only the primary answers 200 to `/primary`.
fn begin_haproxy(dir: &Path, members: &[Member], ports: &[u16]) -> u16 {
    let front = free_port();
    let mut text = format!(
        "defaults\n mode tcp\n timeout connect 2s\n timeout client 1h\n timeout server 1h\n timeout check 1s\n\
         listen postgres\n bind 127.0.0.1:{front}\n option httpchk GET /primary\n \
         default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions\n"
    );
    for (Member { number, rest, .. }, port) in members.iter().zip(ports) {
        writeln!(text, " server member{number} 127.0.0.1:{port} check port {rest}").unwrap();
    }
    fs::write(dir.join("haproxy.cfg"), text).unwrap();
    begin(dir, "haproxy", &["haproxy", "-db", "-f", "haproxy.cfg"]);
    front
}

/// Starts a program in the folder. PostgreSQL refuses to run as root.
fn begin(dir: &Path, name: &str, command: &[&str]) {
    let log = File::options().create(true).append(true).open(dir.join(format!("{name}.log")));
    let log = log.unwrap();
    let unprivileged =
        ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"].as_slice();
    let command =
        if geteuid().is_root() { [unprivileged, command].concat() } else { command.to_vec() };
    let mut child = Command::new(command[0])
        .args(&command[1..])
        .current_dir(dir)
        .env("PATH", path())
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap();
    fs::write(dir.join(format!("{name}.pid")), child.id().to_string()).unwrap();
    std::thread::spawn(move || child.wait());
}

/// Where programs are looked for: `HAProxy` is among those of the administrator.
fn path() -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    format!("{}:/usr/sbin:/sbin", path.to_string_lossy())
}

fn is_installed(program: &str) -> bool {
    std::env::split_paths(&path()).any(|dir| dir.join(program).is_file())
}
