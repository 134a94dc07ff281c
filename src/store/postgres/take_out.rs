//! What the database gives to another store.

use async_trait::async_trait;
use chrono::DateTime;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::{
    PostgresStore,
    batch::{Step, timer_kind},
    read::{Reader, column, digest_in, session_of},
    trouble, within,
};
use crate::{
    base::ids::{SessionId, WaitId},
    model::{
        effect::{Effect, Rendering},
        usage::Balance,
        wait::Wait,
    },
    store::{
        Error, Note,
        portable::{Image, KeyedDigest, Piece, Portable, Secret},
    },
};

#[async_trait]
impl Portable for PostgresStore {
    fn secret(&self) -> Secret {
        Secret(*self.shared.reader.keyring.secret.bytes())
    }

    async fn take_out(&self, session: SessionId) -> Result<Option<Image>, Error> {
        within(self.shared.reader.image(session)).await
    }

    async fn accounts(
        &self,
        after: Option<KeyedDigest>,
        limit: usize,
    ) -> Result<Vec<(KeyedDigest, Balance)>, Error> {
        within(self.shared.reader.accounts(after, limit)).await
    }

    async fn last_effects(&self) -> Result<Vec<Effect>, Error> {
        within(self.shared.reader.last_effects()).await
    }

    async fn put_in(&self, piece: Piece) -> Result<(), Error> {
        self.step(Step::Put(Box::new(piece))).await
    }
}

impl Reader {
    async fn image(&self, session: SessionId) -> Result<Option<Image>, Error> {
        let Some(loaded) = self.load(session).await? else { return Ok(None) };
        let effects = self.outbox(session).await?;
        let waits = self.waits_of(session).await?;
        let rows = sqlx::query("select kind, wait, at from timer where session = $1");
        let rows = rows.bind(session.uuid()).fetch_all(&self.pool).await.map_err(trouble)?;
        let mut timers = Vec::new();
        for row in rows {
            let (kind, wait): (i16, Uuid) = (column(&row, "kind")?, column(&row, "wait")?);
            let at = DateTime::from_timestamp_nanos(column(&row, "at")?);
            timers.extend(timer_kind(kind, wait).map(|kind| (kind, at)));
        }
        let rows = sqlx::query("select digest from dedup where session = $1");
        let rows = rows.bind(session.uuid()).fetch_all(&self.pool).await.map_err(trouble)?;
        let dedup = rows.iter().map(digest_in).collect::<Result<_, _>>()?;
        let notes = self.notes_of(session).await?;
        Ok(Some(Image { loaded, waits, effects, timers, dedup, notes }.sorted()))
    }

    async fn waits_of(&self, session: SessionId) -> Result<Vec<(Wait, Vec<Rendering>)>, Error> {
        let rows = sqlx::query(
            "select w.id as wait, s.id, s.keys, w.body, r.body as shown from wait w \
             join session s on s.id = w.session left join shown r on r.wait = w.id where w.session = $1",
        );
        let rows = rows.bind(session.uuid()).fetch_all(&self.pool).await.map_err(trouble)?;
        let shown = |row: &PgRow| {
            let wait = WaitId::from_uuid(column(row, "wait")?);
            self.noted(self.shown(row, wait))
        };
        rows.iter().map(shown).collect()
    }

    async fn notes_of(&self, session: SessionId) -> Result<Vec<Note>, Error> {
        let rows = sqlx::query(
            "select n.digest, n.session, n.body, s.keys from note n join session s on s.id = n.session \
             where n.session = $1",
        );
        let rows = rows.bind(session.uuid()).fetch_all(&self.pool).await.map_err(trouble)?;
        let note = |row: &PgRow| self.noted(self.note_in(row, digest_in(row)?));
        rows.iter().map(note).collect()
    }

    async fn accounts(
        &self,
        after: Option<KeyedDigest>,
        limit: usize,
    ) -> Result<Vec<(KeyedDigest, Balance)>, Error> {
        let rows = sqlx::query(
            "select digest, body from account where digest > $1 order by digest limit $2",
        );
        let after = after.map_or_else(Vec::new, |digest| digest.to_vec());
        let rows = rows.bind(after).bind(i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = rows.fetch_all(&self.pool).await.map_err(trouble)?;
        let account = |row: &PgRow| {
            let digest = digest_in(row)?;
            Ok((digest, self.balance_in(digest, column(row, "body")?)?))
        };
        rows.iter().map(account).collect()
    }

    async fn last_effects(&self) -> Result<Vec<Effect>, Error> {
        let rows = sqlx::query(
            "select id, session, of_store, body from effect e where of_store \
             and not exists(select 1 from session s where s.id = e.session) order by id",
        );
        let rows = rows.fetch_all(&self.pool).await.map_err(trouble)?;
        let effect = |row: &PgRow| {
            let session = session_of(row, "session")?;
            self.noted(self.effect_in(row, session))
        };
        rows.iter().map(effect).collect()
    }
}
