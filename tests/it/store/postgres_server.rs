//! What is weak about a database server: what `anteroom doctor postgres` looks at.

use anteroom::store::postgres::{Options, Weakness, server};
use sqlx::{Connection as _, Executor as _, PgConnection};

use super::open_database;
use crate::support::postgres;

async fn weaknesses(options: &Options) -> Vec<Weakness> {
    server(options).await.unwrap().weaknesses
}

/// Sets something for this database alone.
async fn set(options: &Options, what: &str) {
    let mut connection = PgConnection::connect(&options.url).await.unwrap();
    let name = options.url.rsplit_once('/').unwrap().1;
    let statement = sqlx::AssertSqlSafe(format!("alter database {name} set {what}"));
    connection.execute(sqlx::query(statement)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_lose_what_was_saved_and_another_key_are_found() {
    let Some(options) = postgres::database().await else { return };
    // The server of the tests doesn't sync.
    assert_eq!(weaknesses(&options).await, [Weakness::Unsynced]);
    let found = server(&options).await.unwrap();
    assert!(found.version.starts_with(|c: char| c.is_ascii_digit()), "{}", found.version);

    set(&options, "synchronous_commit = off").await;
    let two = [Weakness::Unsynced, Weakness::Unconfirmed];
    assert_eq!(weaknesses(&options).await, two);
    drop(open_database(&options));
    assert_eq!(weaknesses(&options).await, two);
    let other = Options { key: [8; 32], ..options.clone() };
    assert_eq!(weaknesses(&other).await[0], Weakness::WrongKey);
    set(&options, "synchronous_commit = local").await;
    assert_eq!(weaknesses(&options).await, [Weakness::Unsynced]);
}
