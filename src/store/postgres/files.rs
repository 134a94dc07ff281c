//! Files, sealed by whoever keeps them, in pieces: a node that takes over has them too.
//!
//! A file is written in one transaction, so it is there whole or not at all. The same file again takes the place of the
//! first piece by piece: a name stands for one content, and so for one number of pieces. Each such transaction ends by
//! looking whether this node still holds the lease, so that one which stood still meanwhile changes nothing any more.

use std::{collections::BTreeSet, time::Duration};

use async_trait::async_trait;
use sqlx::{Postgres, Row as _, Transaction};
use tokio::time::timeout;
use uuid::Uuid;

use super::PostgresStore;
use crate::{
    base::ids::SessionId,
    model::file_key::{FileError, FileStore},
    store::health::Health,
};

/// Bytes of a piece: a row stays small, and a large file takes few statements.
const PIECE: usize = 1024 * 1024;

/// How long a file may take.
const FILE_MAX: Duration = Duration::from_mins(1);

/// A name that nothing is kept under.
const PROBE: &str = ".probe";

/// What a flow is kept under, which belongs to no session.
fn folder(session: Option<SessionId>) -> Uuid {
    session.map_or(Uuid::nil(), SessionId::uuid)
}

async fn in_time<T, E: Into<FileError>>(
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, FileError> {
    match timeout(FILE_MAX, work).await {
        Ok(done) => done.map_err(Into::into),
        Err(_) => Err("the database server does not answer".into()),
    }
}

/// Why this node changes nothing.
fn another_is_active() -> FileError {
    "another node is active".into()
}

impl PostgresStore {
    /// Ends a change of files. A node that takes over waits for it, and only for this last part of it; once one has, this
    /// changes nothing.
    async fn change(&self, mut transaction: Transaction<'_, Postgres>) -> Result<(), FileError> {
        let own = sqlx::query("select 1 from store where fence = $1 for share");
        let own = own.bind(self.shared.fence).fetch_optional(&mut *transaction).await?;
        own.ok_or_else(another_is_active)?;
        Ok(transaction.commit().await?)
    }
}

#[async_trait]
impl FileStore for PostgresStore {
    fn writable(&self) -> Result<(), FileError> {
        if self.shared.health() != Health::Well || !self.shared.outbox.holds_lease() {
            return Err(another_is_active());
        }
        Ok(())
    }

    async fn check(&self) -> Result<(), FileError> {
        self.file(None, PROBE).await.map(drop)
    }

    fn hint(&self) -> &'static str {
        "check the database"
    }

    async fn put_file(
        &self,
        session: Option<SessionId>,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(), FileError> {
        self.writable()?;
        let pool = &self.shared.reader.pool;
        in_time(async {
            let mut transaction = pool.begin().await?;
            // An empty file has one piece, too.
            let pieces = bytes.chunks(PIECE).chain(bytes.is_empty().then_some(&[][..]));
            for (number, piece) in (0_i32..).zip(pieces) {
                let insert = sqlx::query(
                    "insert into file (session, name, piece, data) values ($1, $2, $3, $4) \
                     on conflict (session, name, piece) do update set data = excluded.data",
                );
                let insert = insert.bind(folder(session)).bind(name).bind(number).bind(piece);
                insert.execute(&mut *transaction).await?;
            }
            self.change(transaction).await
        })
        .await
    }

    async fn file(
        &self,
        session: Option<SessionId>,
        name: &str,
    ) -> Result<Option<Vec<u8>>, FileError> {
        let pool = &self.shared.reader.pool;
        let select = "select data from file where session = $1 and name = $2 order by piece";
        let select = sqlx::query(select).bind(folder(session)).bind(name);
        let rows = in_time(select.fetch_all(pool)).await?;
        let mut content = None::<Vec<u8>>;
        for row in rows {
            let piece: &[u8] = row.try_get("data")?;
            content.get_or_insert_default().extend_from_slice(piece);
        }
        Ok(content)
    }

    async fn remove_files(
        &self,
        session: SessionId,
        kept: &BTreeSet<String>,
    ) -> Result<(), FileError> {
        let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
        let delete = sqlx::query("delete from file where session = $1 and name <> all($2)");
        let delete = delete.bind(session.uuid()).bind(kept);
        in_time(async {
            let mut transaction = self.shared.reader.pool.begin().await?;
            delete.execute(&mut *transaction).await?;
            self.change(transaction).await
        })
        .await
    }

    async fn sessions_with_files(&self) -> Result<BTreeSet<SessionId>, FileError> {
        let select = sqlx::query("select distinct session from file where session <> $1");
        let rows = in_time(select.bind(Uuid::nil()).fetch_all(&self.shared.reader.pool)).await?;
        let ids = rows.iter().map(|row| row.try_get("session").map(SessionId::from_uuid));
        Ok(ids.collect::<Result<_, sqlx::Error>>()?)
    }
}
