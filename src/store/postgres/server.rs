//! How the database server is set up, as far as the promises of this program depend on it; read without a lease, beside a
//! bot that runs.

use std::net::IpAddr;

use sqlx::{PgConnection, Row as _, postgres::PgRow};

use super::{Options, READERS, connect_options, lease, records::Keyring, status, trouble, within};
use crate::{
    model::node::{ActiveNode, Part},
    store::Error,
};

/// The oldest major version that is tested.
const OLDEST: i32 = 15;

/// Connections that a node may have: for reading, for writing, and for what it asks beside that.
const OF_A_NODE: i32 = READERS.cast_signed() + 2;

/// Something that a promise may fail of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Weakness {
    /// Its major version was never tested.
    Untested(i32),
    /// It only follows another server, and can't be written to.
    ReadOnly,
    /// `fsync` is off: a crash of its machine can take everything.
    Unsynced,
    /// `full_page_writes` is off: a crash of its machine can tear pages.
    TornPages,
    /// `synchronous_commit` is off: a crash takes the last moments, which were acknowledged.
    Unconfirmed,
    /// So many servers follow it, and no commit waits for one of them.
    AsynchronousStandbys(i64),
    /// What is sent to this host isn't encrypted on its way.
    Unencrypted(String),
    /// It has room for so many connections, and a second node would find none.
    Connections(i32),
    /// This user may not make tables.
    MayNotCreate,
    /// The data is sealed with another key.
    WrongKey,
    /// The active node, by its name, tells the others no address, or one that only its own machine can reach.
    Unreachable {
        /// What it is called.
        node: String,
        /// What it tells.
        address: Option<String>,
    },
}

/// What was found out about a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its version, as it calls it: `15.13 (Debian 15.13-0+deb12u1)`.
    pub version: String,
    /// What is weak, the gravest first.
    pub weaknesses: Vec<Weakness>,
}

/// Looks at the server of a database. Changes nothing.
pub async fn server(options: &Options) -> Result<Server, Error> {
    within(looked_at(options)).await
}

const SETTINGS: &str = "\
    select current_setting('server_version') as version, \
    current_setting('server_version_num')::int as number, \
    pg_is_in_recovery() as follows, \
    current_setting('fsync') as fsync, \
    current_setting('full_page_writes') as pages, \
    current_setting('synchronous_commit') as confirms, \
    current_setting('synchronous_standby_names') as waits_for, \
    (select count(*) from pg_stat_replication) as followers, \
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted, \
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as room, \
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as creates";

async fn looked_at(options: &Options) -> Result<Server, Error> {
    let host = connect_options(options)?.get_host().to_owned();
    let mut connection = status::connected(options).await?;
    let row = sqlx::query(SETTINGS).fetch_one(&mut connection).await.map_err(trouble)?;
    let version = row.try_get("version").map_err(trouble)?;
    let mut weaknesses = of_settings(&row, host).map_err(trouble)?;
    // Tables of before the newest change may lack a column.
    let applied = lease::applied(&mut connection).await?.len();
    if applied > 0 && !has_key(&mut connection, options).await? {
        weaknesses.insert(0, Weakness::WrongKey);
    }
    if applied >= lease::known().len() {
        weaknesses.extend(unreachable(&mut connection).await.map_err(trouble)?);
    }
    Ok(Server { version, weaknesses })
}

fn of_settings(row: &PgRow, host: String) -> Result<Vec<Weakness>, sqlx::Error> {
    let is_off = |name: &str| row.try_get::<String, _>(name).map(|value| value == "off");
    let major = row.try_get::<i32, _>("number")? / 10_000;
    let waits_for: String = row.try_get("waits_for")?;
    let followers: i64 = row.try_get("followers")?;
    let room: i32 = row.try_get("room")?;
    let is_private = row.try_get("encrypted")? || is_local(&host);
    let found = [
        (row.try_get("follows")?, Weakness::ReadOnly),
        (!row.try_get::<bool, _>("creates")?, Weakness::MayNotCreate),
        (is_off("fsync")?, Weakness::Unsynced),
        (is_off("confirms")?, Weakness::Unconfirmed),
        (is_off("pages")?, Weakness::TornPages),
        (followers > 0 && waits_for.is_empty(), Weakness::AsynchronousStandbys(followers)),
        (!is_private, Weakness::Unencrypted(host)),
        (room < 2 * OF_A_NODE, Weakness::Connections(room)),
        (major < OLDEST, Weakness::Untested(major)),
    ];
    Ok(found.into_iter().filter(|(is_so, _)| *is_so).map(|(_, weakness)| weakness).collect())
}

/// Whether what is sent there stays on this machine: a socket in a folder, or loopback.
fn is_local(host: &str) -> bool {
    let ip = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.starts_with('/') || host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
}

/// Whether the operator's key opens the store's secret; so it does where there is none yet.
async fn has_key(connection: &mut PgConnection, options: &Options) -> Result<bool, Error> {
    let row = sqlx::query("select secret from store").fetch_optional(connection).await;
    let Some(row) = row.map_err(trouble)? else { return Ok(true) };
    let secret: Vec<u8> = row.try_get("secret").map_err(trouble)?;
    Ok(Keyring::open(&options.key, &secret)?.is_some())
}

/// The active node, where other machines can't reach it though nodes on several are connected.
async fn unreachable(connection: &mut PgConnection) -> Result<Option<Weakness>, sqlx::Error> {
    let machines = sqlx::query(
        "select count(distinct client_addr) as machines from pg_stat_activity \
         where datname = current_database() and application_name like 'anteroom/%' \
         and exists(select 1 from store where lease_until > now())",
    );
    let machines: i64 = machines.fetch_one(&mut *connection).await?.try_get("machines")?;
    if machines < 2 {
        return Ok(None);
    }
    let ActiveNode { name, addresses } = lease::holder(connection).await?;
    let address = addresses.of(Part::Web).map(str::to_owned);
    let host =
        address.as_deref().and_then(|address| address.rsplit_once(':')).map(|(host, _)| host);
    let is_reached = host.is_some_and(|host| !is_local(host));
    Ok((!is_reached).then_some(Weakness::Unreachable { node: name, address }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_to_this_machine_needs_no_encryption() {
        for host in ["/var/run/postgresql", "localhost", "127.0.0.1", "127.8.0.1", "::1", "[::1]"] {
            assert!(is_local(host), "{host}");
        }
        for host in ["10.0.0.5", "db.example.org", "localhost.example.org", "[2001:db8::1]"] {
            assert!(!is_local(host), "{host}");
        }
    }
}
