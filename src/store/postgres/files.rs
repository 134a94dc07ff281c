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
    store::health::{Health, Trouble},
};

/// Bytes of a piece: a row stays small, and a large file takes few statements.
const PIECE: usize = 1024 * 1024;

/// How long a file may take.
const FILE_MAX: Duration = Duration::from_mins(1);

/// Sessions that are read in one go.
const PAGE: i64 = 1_000;

/// Sessions with files after another one: one look into the index for each of them, however many pieces it has.
const SESSIONS: &str = "\
    with recursive found as (\
        (select session from file where session > $1 order by session limit 1) \
        union all \
        select (select session from file where session > found.session order by session limit 1) \
        from found where found.session is not null\
    ) select session from found where session is not null limit $2";

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
    /// Begins to read or change a file, each statement of which may take as long as a file may: longer than others.
    async fn begin(&self) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
        let mut transaction = self.shared.reader.pool.begin().await?;
        let limit = sqlx::query("select set_config('statement_timeout', $1, true)");
        let limit = limit.bind(FILE_MAX.as_millis().to_string());
        limit.execute(&mut *transaction).await?;
        Ok(transaction)
    }

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
        match self.shared.health() {
            Health::ReadOnly(Trouble::TakenOver) => Err(another_is_active()),
            Health::ReadOnly(trouble) => Err(trouble.into()),
            Health::Well if !self.shared.outbox.holds_lease() => Err(another_is_active()),
            Health::Well => Ok(()),
        }
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
        in_time(async {
            let mut transaction = self.begin().await?;
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
        let select = "select data from file where session = $1 and name = $2 order by piece";
        let select = sqlx::query(select).bind(folder(session)).bind(name);
        let read = async {
            let mut transaction = self.begin().await?;
            let rows = select.fetch_all(&mut *transaction).await?;
            transaction.commit().await?;
            Ok::<_, sqlx::Error>(rows)
        };
        let rows = in_time(read).await?;
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
            let mut transaction = self.begin().await?;
            delete.execute(&mut *transaction).await?;
            self.change(transaction).await
        })
        .await
    }

    async fn sessions_with_files(&self) -> Result<BTreeSet<SessionId>, FileError> {
        let mut sessions = BTreeSet::new();
        // Flows, which are nobody's, come before all others.
        let mut after = Uuid::nil();
        loop {
            let page = sqlx::query(SESSIONS).bind(after).bind(PAGE);
            let rows = in_time(page.fetch_all(&self.shared.reader.pool)).await?;
            let Some(last) = rows.last() else { return Ok(sessions) };
            after = last.try_get("session")?;
            for row in &rows {
                sessions.insert(SessionId::from_uuid(row.try_get("session")?));
            }
        }
    }
}
