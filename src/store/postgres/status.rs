//! What a database says of the nodes that use it, and of its tables; read without a lease, beside a bot that runs.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, Row as _, postgres::PgConnectOptions};

use super::{Options, connect_options, lease, trouble, within};
use crate::store::Error;

/// How the connections of nodes are called in `pg_stat_activity`: `anteroom/0.1.0 bot-1`.
const PREFIX: &str = "anteroom/";

/// Longest name of a connection, in bytes; the server cuts off the rest.
const NAME_MAX: usize = 63;

/// A node that is connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name, as far as the server keeps it.
    pub name: String,
    /// The version of its program; `None` if the node that writes can't be seen, as behind a pooler.
    pub version: Option<String>,
    /// It holds the lease; the others stand by.
    pub is_active: bool,
    /// Since when it has been connected.
    pub since: Option<DateTime<Utc>>,
    /// From where, unless over a socket of the machine.
    pub address: Option<String>,
}

/// A change of the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its number; each is applied after the one before.
    pub number: i64,
    /// What it is about.
    pub name: String,
    /// It has been applied to this database.
    pub is_applied: bool,
    /// This program knows it; another one, which is newer, has applied it where it doesn't.
    pub is_known: bool,
}

/// How the connections of a node are called.
pub(super) fn connection_name(node: &str) -> String {
    let name = format!("{PREFIX}{} {node}", env!("CARGO_PKG_VERSION"));
    // As the server keeps it.
    let is_plain = |c: char| c.is_ascii_graphic() || c == ' ';
    name.chars().map(|c| if is_plain(c) { c } else { '?' }).take(NAME_MAX).collect()
}

/// What the database is called in messages: its name and the host, and nothing secret.
pub fn called(options: &Options) -> Result<String, Error> {
    Ok(named(&connect_options(options)?))
}

pub(super) fn named(with: &PgConnectOptions) -> String {
    let database = with.get_database().unwrap_or("postgres");
    format!("the database `{database}` on `{}`", with.get_host())
}

/// The nodes that are connected, the active one first.
pub async fn nodes(options: &Options) -> Result<Vec<Node>, Error> {
    within(connected_nodes(options)).await
}

async fn connected_nodes(options: &Options) -> Result<Vec<Node>, Error> {
    let mut connection = connected(options).await?;
    let owner = sqlx::query("select owner from store where lease_until > now()");
    let owner = owner.fetch_optional(&mut connection).await.map_err(no_tables)?;
    let owner: Option<String> = match owner {
        Some(row) => row.try_get("owner").map_err(trouble)?,
        None => None,
    };
    let seen = sqlx::query(
        "select application_name as name, host(min(client_addr)) as address, \
         floor(extract(epoch from min(backend_start)))::bigint as since from pg_stat_activity \
         where datname = current_database() and application_name like 'anteroom/%' group by 1 order by 3, 1",
    );
    let rows = seen.fetch_all(&mut connection).await.map_err(trouble)?;
    let active = owner.as_deref().map(connection_name);
    let active = active.as_deref().and_then(parsed).map(|(_, name)| name.to_owned());
    let mut found = Vec::new();
    for row in rows {
        let called: String = row.try_get("name").map_err(trouble)?;
        let Some((version, name)) = parsed(&called) else { continue };
        let since: i64 = row.try_get("since").map_err(trouble)?;
        found.push(Node {
            name: name.to_owned(),
            version: Some(version.to_owned()),
            is_active: active.as_deref() == Some(name),
            since: DateTime::from_timestamp(since, 0),
            address: row.try_get("address").map_err(trouble)?,
        });
    }
    if let Some(owner) = owner.filter(|_| !found.iter().any(|node| node.is_active)) {
        found.push(Node {
            name: owner,
            version: None,
            is_active: true,
            since: None,
            address: None,
        });
    }
    found.sort_by_key(|node| !node.is_active);
    Ok(found)
}

/// The changes of the tables, those of a newer program among them.
pub async fn changes(options: &Options) -> Result<Vec<Change>, Error> {
    let applied = within(async {
        let mut connection = connected(options).await?;
        lease::applied(&mut connection).await
    });
    let applied = applied.await?;
    let known = lease::known();
    let mut found: Vec<Change> = known
        .iter()
        .map(|(number, name)| Change {
            number: *number,
            name: (*name).to_owned(),
            is_applied: applied.iter().any(|(applied, _)| applied == number),
            is_known: true,
        })
        .collect();
    let newer =
        applied.into_iter().filter(|(number, _)| !known.iter().any(|(one, _)| one == number));
    found.extend(newer.map(|(number, name)| Change {
        number,
        name,
        is_applied: true,
        is_known: false,
    }));
    found.sort_by_key(|change| change.number);
    Ok(found)
}

pub(super) async fn connected(options: &Options) -> Result<PgConnection, Error> {
    // It is no node.
    super::connected(&connect_options(options)?.application_name("anteroom")).await
}

/// `anteroom/0.1.0 bot-1`
fn parsed(called: &str) -> Option<(&str, &str)> {
    called.strip_prefix(PREFIX)?.split_once(' ')
}

fn no_tables(error: sqlx::Error) -> Error {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    let is_missing = code.as_deref() == Some("42P01");
    if is_missing {
        return Error::Unreadable {
            what: "the database".to_owned(),
            why: "it has no tables yet. hint: start the bot, which makes them".to_owned(),
        };
    }
    trouble(error)
}
