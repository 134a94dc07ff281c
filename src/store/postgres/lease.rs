//! Who writes: one node at a time, under a lease in the database. Each lease has a number that grows, and every write
//! names it, so that a node that was stopped or cut off for a while can't write after another has taken over.

use std::time::{Duration, Instant};

use futures::TryFutureExt as _;
use sqlx::{
    Connection as _, PgConnection, Row as _,
    migrate::{Migration, MigrationType, Migrator},
    postgres::{PgConnectOptions, PgRow},
};

use super::{Options, batch::Tip, connect, records::Keyring, trouble, within};
use crate::{
    model::{
        audit::CHAIN_START,
        node::{ActiveNode, Addresses},
    },
    store::{Error, health::Trouble, portable::Secret, sealing::SECRET},
};

/// How often a node that waits asks whether the lease is free.
const ASKS_EVERY: Duration = Duration::from_secs(1);

/// What a node holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lease {
    /// Its number.
    pub(super) fence: i64,
    /// How long it lasts without being prolonged.
    pub(super) lasts: Duration,
}

impl Lease {
    /// How long it lasts, as the database counts.
    pub(super) fn millis(self) -> i64 {
        i64::try_from(self.lasts.as_millis()).unwrap_or(i64::MAX)
    }
}

/// Whether somebody who finds the lease taken waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standby {
    /// Waits until the other node stops or stands still for the length of a lease.
    Waits,
    /// Ends with [`Error::Leased`].
    Refuses,
}

/// The changes of the tables that this program knows, in their order: number, name, statements.
const MIGRATIONS: [(i64, &str, &str); 5] = [
    (1, "tables", include_str!("migrations/1.sql")),
    (2, "files", include_str!("migrations/2.sql")),
    (3, "addresses", include_str!("migrations/3.sql")),
    (4, "families", include_str!("migrations/4.sql")),
    (5, "updates", include_str!("migrations/5.sql")),
];

/// The tables as this program knows them, in the order in which they were changed.
fn migrator() -> Migrator {
    let one = |(version, name, sql): (i64, &'static str, &'static str)| {
        let sql = sqlx::SqlSafeStr::into_sql_str(sql);
        Migration::new(version, name.into(), MigrationType::Simple, sql, false)
    };
    let mut migrator = Migrator::with_migrations(MIGRATIONS.into_iter().map(one).collect());
    // Not all that speaks the protocol has advisory locks.
    migrator.set_locking(false);
    migrator
}

/// The changes that this program knows.
pub(super) fn known() -> Vec<(i64, &'static str)> {
    MIGRATIONS.into_iter().map(|(number, name, _)| (number, name)).collect()
}

/// The changes that were applied to the database; empty if it is new.
pub(super) async fn applied(connection: &mut PgConnection) -> Result<Vec<(i64, String)>, Error> {
    let there = sqlx::query("select to_regclass('_sqlx_migrations') is not null as there");
    let row = there.fetch_one(&mut *connection).await.map_err(trouble)?;
    if !row.try_get::<bool, _>("there").map_err(trouble)? {
        return Ok(Vec::new());
    }
    let all =
        sqlx::query("select version, description from _sqlx_migrations where success order by 1");
    let rows = all.fetch_all(&mut *connection).await.map_err(trouble)?;
    let read = |row: &PgRow| Ok((row.try_get("version")?, row.try_get("description")?));
    rows.iter().map(read).collect::<Result<_, sqlx::Error>>().map_err(trouble)
}

/// Brings the tables up to date. Only the node that holds the lease does that, for the others may be of an older version;
/// tables that are not there yet are made by whoever comes first.
pub(super) async fn migrate(connection: &mut PgConnection) -> Result<(), Error> {
    let newest = MIGRATIONS.iter().map(|(number, ..)| *number).max();
    if applied(connection).await?.iter().any(|(number, _)| Some(*number) > newest) {
        return Err(Error::Unreadable {
            what: "the database".to_owned(),
            why: "a newer version has changed the tables. hint: upgrade this node; `anteroom migrate --check` lists the changes"
                .to_owned(),
        });
    }
    let migrated = migrator().run_direct(None, &mut *connection, false).await;
    migrated.map_err(|error| {
        Error::unavailable(format!("the tables could not be brought up to date: {error}"))
    })
}

/// Makes the tables where there are none, and opens the store's secret with the operator's key.
pub(super) async fn prepare(
    connection: &mut PgConnection,
    operator: &[u8; SECRET],
) -> Result<Keyring, Error> {
    if applied(connection).await?.is_empty() {
        migrate(connection).await?;
    }
    let begun = sqlx::query(
        "insert into store (secret, seal) values ($1, $2) on conflict (one) do nothing",
    );
    let begun = begun.bind(Keyring::new_secret(operator)?).bind(CHAIN_START);
    begun.execute(&mut *connection).await.map_err(trouble)?;
    let row = sqlx::query("select secret from store").fetch_one(&mut *connection).await;
    let secret: Vec<u8> = row.and_then(|row| row.try_get("secret")).map_err(trouble)?;
    Keyring::open(operator, &secret)?.ok_or_else(|| Error::Unreadable {
        what: "the database".to_owned(),
        why: "it was sealed with another key. hint: give this node the same key as the one that made it".to_owned(),
    })
}

/// Takes away what a bot may have kept before its first conversation.
const EMPTY: [&str; 4] =
    ["delete from note", "delete from account", "delete from effect", "delete from file"];

/// Gives a store that holds nothing the secret of the one that it is to hold a copy of, under the lease that `fence` names.
/// Again with the same secret: changes nothing.
pub(super) async fn adopt(
    connection: &mut PgConnection,
    (operator, secret): (&[u8; SECRET], &Secret),
    keyring: Keyring,
    fence: i64,
) -> Result<Keyring, Error> {
    if keyring.secret.bytes() == &secret.0 {
        return Ok(keyring);
    }
    let mut transaction = connection.begin().await.map_err(trouble)?;
    let held =
        sqlx::query("select exists(select 1 from session) or exists(select 1 from audit) as holds");
    let row = held.fetch_one(&mut *transaction).await.map_err(trouble)?;
    if row.try_get("holds").map_err(trouble)? {
        return Err(Error::Occupied { what: "the database".to_owned() });
    }
    // What a bot has noted before its first conversation is worth nothing without the old secret.
    for statement in EMPTY {
        sqlx::query(statement).execute(&mut *transaction).await.map_err(trouble)?;
    }
    let sealed = Keyring::sealed_secret(operator, &secret.0)?;
    let changed = sqlx::query("update store set secret = $1 where fence = $2");
    let changed = changed.bind(&sealed).bind(fence).execute(&mut *transaction).await;
    if changed.map_err(trouble)?.rows_affected() == 0 {
        return Err(Error::ReadOnly(Trouble::TakenOver));
    }
    transaction.commit().await.map_err(trouble)?;
    Keyring::open(operator, &sealed)?
        .ok_or_else(|| Error::unavailable("a secret could not be kept"))
}

/// Takes the lease where nobody holds it; `owner` names this node to others.
pub(super) async fn take(
    connection: &mut PgConnection,
    owner: &str,
    lasts: Duration,
) -> Result<Option<(Lease, Tip)>, sqlx::Error> {
    let taken = sqlx::query(
        "update store set owner = $1, fence = fence + 1, lease_until = now() + $2 * interval '1 millisecond' \
         where lease_until is null or lease_until < now() returning fence, records, seal, batch",
    );
    let lease = Lease { fence: 0, lasts };
    let row = taken.bind(owner).bind(lease.millis()).fetch_optional(&mut *connection).await?;
    let Some(row) = row else { return Ok(None) };
    let records: i64 = row.try_get("records")?;
    let tip = Tip {
        records: u64::try_from(records).unwrap_or_default(),
        seal: row.try_get("seal")?,
        batch: row.try_get("batch")?,
    };
    Ok(Some((Lease { fence: row.try_get("fence")?, ..lease }, tip)))
}

/// Takes the lease, waiting for it if `wanted` says so. Also returns when it was asked for.
pub(super) async fn wait_for(
    options: &PgConnectOptions,
    connection: &mut PgConnection,
    wanted: &Options,
) -> Result<(Lease, Tip, Instant), Error> {
    let mut is_told = false;
    loop {
        let began = Instant::now();
        let taken = take(connection, &wanted.node, wanted.lease).map_err(trouble);
        match within(taken).await {
            Ok(Some((lease, tip))) => return Ok((lease, tip, began)),
            Ok(None) => {}
            // Who waits for another node waits for the database, too.
            Err(_) if is_told => {
                let again = connect(options).map_err(trouble);
                if let Ok(again) = within(again).await {
                    *connection = again;
                }
            }
            Err(error) => return Err(error),
        }
        match within(holder(connection).map_err(trouble)).await {
            Ok(active) if is_told => wanted.reached.tell(active),
            Ok(active) => {
                let node = active.name.clone();
                if wanted.standby == Standby::Refuses {
                    return Err(Error::Leased { node });
                }
                wanted.reached.tell(active);
                tracing::warn!(%node, "another node is active; this one stands by to take over");
                is_told = true;
            }
            // It is asked for again with the lease.
            Err(_) if is_told => {}
            Err(error) => return Err(error),
        }
        tokio::time::sleep(ASKS_EVERY).await;
    }
}

/// The node that holds the lease, and where it is reached. That is not known before the tables are up to date, and they may
/// not be while an older version is active.
pub(super) async fn holder(connection: &mut PgConnection) -> Result<ActiveNode, sqlx::Error> {
    let asked =
        sqlx::query("select owner, to_jsonb(store) ->> 'addresses' as addresses from store");
    let row = asked.fetch_one(&mut *connection).await?;
    let name: Option<String> = row.try_get("owner")?;
    let addresses: Option<String> = row.try_get("addresses")?;
    Ok(ActiveNode {
        name: name.unwrap_or_else(|| "unknown".to_owned()),
        addresses: addresses.as_deref().map(Addresses::read).unwrap_or_default(),
    })
}

/// Says where this node is reached, now that the tables are up to date; what another said before is gone.
pub(super) async fn publish(
    connection: &mut PgConnection,
    addresses: &Addresses,
    fence: i64,
) -> Result<(), Error> {
    let told = sqlx::query("update store set addresses = $1 where fence = $2");
    let told = told.bind(addresses.stored()).bind(fence).execute(&mut *connection).await;
    told.map(drop).map_err(trouble)
}

/// Prolongs the lease; whether it is still this node's. Says how far the store is as well.
pub(super) async fn prolong(
    connection: &mut PgConnection,
    lease: Lease,
) -> Result<Option<Tip>, sqlx::Error> {
    let row = sqlx::query(
        "update store set lease_until = now() + $2 * interval '1 millisecond' where fence = $1 \
         returning records, seal, batch",
    );
    let row = row.bind(lease.fence).bind(lease.millis()).fetch_optional(&mut *connection).await?;
    let Some(row) = row else { return Ok(None) };
    let records: i64 = row.try_get("records")?;
    let records = u64::try_from(records).unwrap_or_default();
    Ok(Some(Tip { records, seal: row.try_get("seal")?, batch: row.try_get("batch")? }))
}

/// Gives the lease back, so that another node need not wait for its end.
pub(super) async fn give_back(
    connection: &mut PgConnection,
    lease: Lease,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query("update store set owner = null, lease_until = null where fence = $1");
    query.bind(lease.fence).execute(&mut *connection).await.map(drop)
}
