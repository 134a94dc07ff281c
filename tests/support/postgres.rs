//! A PostgreSQL server of the test binary's own, which ends with it.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use anteroom::store::{
    nodes::Reached,
    postgres::{Options, Standby},
};
use sqlx::{Connection as _, Executor as _, PgConnection};

use super::{free_port::free_port, skipped};

/// What to do where there is no server.
const INSTALL: &str = "apt-get install postgresql";

/// Begins a server and ends it when its input ends, which is when the test binary does at the latest. Its data lies in a
/// folder that is removed then. `initdb` refuses to run as root. A line of the input has it shut down at once, without a
/// checkpoint, and begin again after so many seconds.
const SCRIPT: &str = r#"
set -eu
dir=$1 bin=$2 port=$3 as=
mkdir -p "$dir"
if [ "$(id -u)" = 0 ]; then
    as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
    chown nobody:nogroup "$dir"
fi
cd "$dir"
$as "$bin/initdb" -D "$dir/data" -A trust -U anteroom -E UTF8 --locale=C --no-sync >/dev/null
begin() {
    $as "$bin/postgres" -D "$dir/data" -F -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
        -c max_connections=400 -c shared_buffers=64MB >>"$dir/log" 2>&1 &
    server=$!
    until "$bin/pg_isready" -q -h 127.0.0.1 -p "$port"; do
        kill -0 "$server"
        sleep 0.05
    done
    echo ready
}
begin
while read -r pause; do
    kill -QUIT "$server"
    wait "$server" || true
    sleep "$pause"
    begin
done
kill -INT "$server"
wait "$server" || true
rm -rf "$dir"
"#;

/// A server.
pub(crate) struct Server {
    port: u16,
    dir: PathBuf,
    /// Its input is open for as long as the server is wanted.
    keeper: Child,
    said: BufReader<ChildStdout>,
}

/// The one that tests share.
static SERVER: LazyLock<Option<Server>> =
    LazyLock::new(|| programs().map(|bin| Server::begin(&bin)));

static SERVERS: AtomicU32 = AtomicU32::new(0);
static DATABASES: AtomicU32 = AtomicU32::new(0);

/// Where the newest server's programs are.
pub(crate) fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let bins = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
    let number =
        |bin: &PathBuf| -> Option<u32> { bin.parent()?.file_name()?.to_str()?.parse().ok() };
    bins.filter(|bin| bin.join("postgres").is_file()).max_by_key(number)
}

impl Server {
    /// A server of a test's own; none, with a note, where PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        let Some(bin) = programs() else {
            skipped::skip("PostgreSQL", INSTALL);
            return None;
        };
        Some(Self::begin(&bin))
    }

    fn begin(bin: &Path) -> Self {
        let port = free_port();
        let nth = SERVERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("anteroom-postgres-{}-{nth}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        let mut keeper = Command::new("sh")
            .args(["-c", SCRIPT, "server"])
            .args([&dir, bin])
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(keeper.stdout.take().unwrap());
        let mut server = Self { port, dir, keeper, said };
        server.is_ready();
        server
    }

    fn is_ready(&mut self) {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "the server did not begin; see {}/log", self.dir.display());
    }

    /// Shuts it down as `pg_ctl stop -m immediate` does, and begins it again after a while.
    pub(crate) fn restart(&mut self, after: Duration) {
        let input = self.keeper.stdin.as_mut().unwrap();
        writeln!(input, "{}", after.as_secs_f64()).unwrap();
        self.is_ready();
    }

    /// An empty database.
    pub(crate) async fn database(&self) -> Options {
        let name = format!("test_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        let url = |database| format!("postgres://anteroom@127.0.0.1:{}/{database}", self.port);
        let mut connection = PgConnection::connect(&url("postgres")).await.unwrap();
        let create = sqlx::AssertSqlSafe(format!("create database {name}"));
        connection.execute(sqlx::query(create)).await.unwrap();
        Options {
            url: url(&name),
            key: [7; 32],
            node: "test".to_owned(),
            lease: Duration::from_secs(10),
            standby: Standby::Refuses,
            reached: Reached::default(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        _ = self.keeper.wait();
    }
}

/// An empty database of its own on the server that tests share; none, with a note, where there is no server.
pub(crate) async fn database() -> Option<Options> {
    let Some(server) = &*SERVER else {
        skipped::skip("PostgreSQL", INSTALL);
        return None;
    };
    Some(server.database().await)
}

/// Where the server keeps all of its data, its log of changes among it.
pub(crate) fn data() -> PathBuf {
    SERVER.as_ref().expect("there is a server").dir.join("data")
}
