//! A PostgreSQL server of the test binary's own, which ends with it.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
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

/// Begins a server and ends it when its input ends, which is when the test binary does. Its data lies in a folder that
/// is removed then. `initdb` refuses to run as root.
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
$as "$bin/postgres" -D "$dir/data" -F -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
    -c max_connections=400 -c shared_buffers=64MB >"$dir/log" 2>&1 &
server=$!
until "$bin/pg_isready" -q -h 127.0.0.1 -p "$port"; do
    kill -0 "$server"
    sleep 0.05
done
echo ready
cat >/dev/null
kill -INT "$server"
wait "$server" || true
rm -rf "$dir"
"#;

/// A server.
struct Server {
    port: u16,
    dir: PathBuf,
    /// Its input is open for as long as this process lives.
    _keeper: Child,
}

static SERVER: LazyLock<Option<Server>> = LazyLock::new(|| programs().map(|bin| begin(&bin)));

static DATABASES: AtomicU32 = AtomicU32::new(0);

/// Where the newest server's programs are.
pub(crate) fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let bins = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
    let number =
        |bin: &PathBuf| -> Option<u32> { bin.parent()?.file_name()?.to_str()?.parse().ok() };
    bins.filter(|bin| bin.join("postgres").is_file()).max_by_key(number)
}

fn begin(bin: &Path) -> Server {
    let port = free_port();
    let dir = std::env::temp_dir().join(format!("anteroom-postgres-{}", std::process::id()));
    let mut keeper = Command::new("sh")
        .args(["-c", SCRIPT, "server"])
        .args([&dir, bin])
        .arg(port.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n", "the server did not begin; see {}/log", dir.display());
    Server { port, dir, _keeper: keeper }
}

/// An empty database of its own; none, with a note, where there is no server.
pub(crate) async fn database() -> Option<Options> {
    let Some(server) = &*SERVER else {
        skipped::skip("PostgreSQL", INSTALL);
        return None;
    };
    let name = format!("test_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    let url = |database: &str| format!("postgres://anteroom@127.0.0.1:{}/{database}", server.port);
    let mut connection = PgConnection::connect(&url("postgres")).await.unwrap();
    let create = sqlx::AssertSqlSafe(format!("create database {name}"));
    connection.execute(sqlx::query(create)).await.unwrap();
    Some(Options {
        url: url(&name),
        key: [7; 32],
        node: "test".to_owned(),
        lease: Duration::from_secs(10),
        standby: Standby::Refuses,
        reached: Reached::default(),
    })
}

/// Where the server keeps all of its data, its log of changes among it.
pub(crate) fn data() -> PathBuf {
    SERVER.as_ref().expect("there is a server").dir.join("data")
}
