//! What is weak about a database server: what `anteroom doctor postgres` looks at.

use std::sync::Arc;

use anteroom::{
    base::ids::CountingIds,
    store::postgres::{Options, PostgresStore, Weakness, server},
};
use sqlx::{Connection as _, Executor as _, PgConnection};

use super::open_database;
use crate::support::{free_port::free_port, postgres};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_reached_is_named_with_the_reason() {
    let Some(options) = postgres::database().await else { return };
    let (server_url, _) = options.url.rsplit_once('/').unwrap();
    let missing = Options { url: format!("{server_url}/nowhere"), ..options.clone() };
    let down = format!("postgres://ada:secret@127.0.0.1:{}/nowhere", free_port());
    let down = Options { url: down, ..options };
    for (options, why) in [(missing, "does not exist"), (down, "refused")] {
        let looked_at = server(&options).await.unwrap_err().to_string();
        let opened = PostgresStore::open(&options, Arc::new(CountingIds::default()));
        let opened = opened.err().unwrap().to_string();
        assert_eq!(looked_at, opened);
        assert!(
            opened.starts_with("the database `nowhere` on `127.0.0.1` can't be reached: ")
                && opened.contains(why)
                && opened.contains("hint: check that its server runs")
                && !opened.contains("secret"),
            "{opened}"
        );
    }
}
