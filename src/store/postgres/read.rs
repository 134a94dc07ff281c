//! Reading: each method is one statement, over a few connections that are made as they are needed.

use std::{fmt::Display, sync::Arc};

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool, Row as _, postgres::PgRow};
use uuid::Uuid;

use super::{
    batch::{nanos, number, timer_kind},
    records::{AuditText, Keyring, NoteText, Row, SessionKeys, joined, open},
    trouble,
};
use crate::{
    base::ids::{EffectId, SessionId, WaitId},
    model::{
        STORED_VERSION,
        audit::Sealed,
        effect::{Effect, Rendering},
        session::Head,
        transcript::Recorded,
        usage::Balance,
        wait::Wait,
    },
    store::{
        Error, Find, Loaded, Note, Timer, hour_of, person_text, place_text, sealing::Digest,
        unreadable::Found,
    },
};

/// Audit records of a session that are read in one go.
const AUDIT_PAGE: i64 = 500;

/// What is read from.
pub(super) struct Reader {
    pub(super) pool: PgPool,
    pub(super) keyring: Arc<Keyring>,
    pub(super) unreadable: Found,
}

/// A column of a row.
pub(super) fn column<'r, T>(row: &'r PgRow, name: &str) -> Result<T, Error>
where
    T: sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
{
    row.try_get(name).map_err(Error::unavailable)
}

pub(super) fn session_of(row: &PgRow, name: &str) -> Result<SessionId, Error> {
    column(row, name).map(SessionId::from_uuid)
}

pub(super) fn digest_in(row: &PgRow) -> Result<Digest, Error> {
    let digest: &[u8] = column(row, "digest")?;
    digest.try_into().map_err(|_| Error::damaged("a digest", "it has another length"))
}

impl Reader {
    /// What is there, or nothing where it cannot be read: that is remembered.
    pub(super) fn readable<T>(&self, found: Result<T, Error>) -> Result<Option<T>, Error> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error @ Error::Unreadable { .. }) => {
                self.unreadable.note(&error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Remembers what cannot be read.
    pub(super) fn noted<T>(&self, found: Result<T, Error>) -> Result<T, Error> {
        found.inspect_err(|error| _ = self.unreadable.note(error))
    }

    fn keys(&self, row: &PgRow, session: SessionId) -> Result<SessionKeys, Error> {
        self.keyring.unwrap(session, column(row, "keys")?)
    }

    pub(super) fn head(&self, row: &PgRow) -> Result<Head, Error> {
        let session = session_of(row, "id")?;
        let what = format!("session `{session}`");
        open(&self.keys(row, session)?.said, Row::Head(session), column(row, "head")?, &what)
    }

    pub(super) async fn load(&self, session: SessionId) -> Result<Option<Loaded>, Error> {
        let row = sqlx::query(
            "select id, keys, head, \
             array(select seq from event where session = s.id order by seq) as seqs, \
             array(select body from event where session = s.id order by seq) as bodies \
             from session s where id = $1",
        );
        let row = row.bind(session.uuid()).fetch_optional(&self.pool).await.map_err(trouble)?;
        row.map(|row| self.noted(self.loaded(&row, session))).transpose()
    }

    fn loaded(&self, row: &PgRow, session: SessionId) -> Result<Loaded, Error> {
        let what = format!("session `{session}`");
        let key = self.keys(row, session)?.said;
        let head = self.head(row)?;
        let seqs: Vec<i64> = column(row, "seqs")?;
        let bodies: Vec<Vec<u8>> = column(row, "bodies")?;
        let mut events: Vec<Recorded> = Vec::new();
        for (seq, body) in seqs.into_iter().zip(bodies) {
            let seq = u64::try_from(seq).unwrap_or_default();
            if seq != events.len() as u64 + 1 {
                return Err(Error::damaged(what, "events are missing"));
            }
            let more: Vec<Recorded> = open(&key, Row::Events(session, seq), &body, &what)?;
            events.extend(more);
        }
        if let Some(newer) = events.iter().find(|event| event.v > STORED_VERSION) {
            return Err(Error::newer(what, newer.v));
        }
        if events.len() as u64 != head.seq {
            return Err(Error::damaged(what, "events are missing"));
        }
        Ok(Loaded { head, events })
    }

    pub(super) async fn find(&self, by: Find) -> Result<Vec<Head>, Error> {
        let rows = self.found(&by).await.map_err(trouble)?;
        let mut heads = Vec::new();
        for row in rows {
            heads.extend(self.readable(self.head(&row))?);
        }
        Ok(heads)
    }

    async fn found(&self, by: &Find) -> Result<Vec<PgRow>, sqlx::Error> {
        let at_most = |limit: &usize| i64::try_from(*limit).unwrap_or(i64::MAX);
        let after = |after: &Option<SessionId>| after.map_or(Uuid::nil(), SessionId::uuid);
        let query = match by {
            Find::Place(place) => sqlx::query(
                "select id, keys, head from session where place = $1 and not is_child order by id desc",
            )
            .bind(self.keyring.place(&place_text(place)).to_vec()),
            Find::Person(person) => sqlx::query(
                "select id, keys, head from session where person = $1 and not is_child order by id desc",
            )
            .bind(self.keyring.person(&person_text(person)).to_vec()),
            Find::One(session) => {
                sqlx::query("select id, keys, head from session where id = $1 and not is_child")
                    .bind(session.uuid())
            }
            Find::Newest { before, limit } => sqlx::query(
                "select id, keys, head from session where id < $1 and not is_child order by id desc limit $2",
            )
            .bind(before.map_or(Uuid::max(), SessionId::uuid))
            .bind(at_most(limit)),
            Find::WantsStaff { after: last, limit } => sqlx::query(
                "select id, keys, head from session where wants_staff and not is_child and id > $1 order by id limit $2",
            )
            .bind(after(last))
            .bind(at_most(limit)),
            Find::Paused { after: last, limit } => sqlx::query(
                "select id, keys, head from session where is_paused and not is_child and id > $1 order by id limit $2",
            )
            .bind(after(last))
            .bind(at_most(limit)),
            Find::Children { after: last, limit } => sqlx::query(
                "select id, keys, head from session where is_child and id > $1 order by id limit $2",
            )
            .bind(after(last))
            .bind(at_most(limit)),
            Find::DueToGo { by, after: last, limit } => return self.going(*by, *last, *limit).await,
            Find::RecentlyUpdated { .. } => return self.recently_updated(by).await,
        };
        query.fetch_all(&self.pool).await
    }

    /// Sessions of which something is due to go, by the hour in which it is.
    async fn going(
        &self,
        by: DateTime<Utc>,
        after: Option<(DateTime<Utc>, SessionId)>,
        limit: usize,
    ) -> Result<Vec<PgRow>, sqlx::Error> {
        let (hour, last) = after
            .map_or((i64::MIN, Uuid::nil()), |(at, session)| (nanos(hour_of(at)), session.uuid()));
        let query = sqlx::query(
            "select id, keys, head from session where goes_hour is not null and not is_child \
             and goes_at <= $1 and (goes_hour, id) > ($2, $3) order by goes_hour, id limit $4",
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        query.bind(nanos(by)).bind(hour).bind(last).bind(limit).fetch_all(&self.pool).await
    }

    pub(super) async fn wait(&self, id: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, Error> {
        let row = sqlx::query(
            "select s.id, s.keys, w.body, r.body as shown from wait w join session s on s.id = w.session \
             left join shown r on r.wait = w.id where w.id = $1",
        );
        let row = row.bind(id.uuid()).fetch_optional(&self.pool).await.map_err(trouble)?;
        row.map(|row| self.noted(self.shown(&row, id))).transpose()
    }

    pub(super) fn shown(&self, row: &PgRow, id: WaitId) -> Result<(Wait, Vec<Rendering>), Error> {
        let what = format!("wait `{id}`");
        let key = self.keys(row, session_of(row, "id")?)?.said;
        let wait = open(&key, Row::Wait(id.uuid()), column(row, "body")?, &what)?;
        let shown: Option<&[u8]> = column(row, "shown")?;
        let shown =
            shown.map(|shown| open(&key, Row::Shown(id.uuid()), shown, &what)).transpose()?;
        Ok((wait, shown.unwrap_or_default()))
    }

    pub(super) async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Timer>, Error> {
        let rows = sqlx::query(
            "select session, kind, wait, at from timer where at <= $1 order by at, session, kind, wait limit $2",
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows =
            rows.bind(nanos(now)).bind(limit).fetch_all(&self.pool).await.map_err(trouble)?;
        let mut timers = Vec::new();
        for row in rows {
            let (kind, wait): (i16, Uuid) = (column(&row, "kind")?, column(&row, "wait")?);
            let Some(kind) = timer_kind(kind, wait) else { continue };
            let at = DateTime::from_timestamp_nanos(column(&row, "at")?);
            timers.push(Timer { session: session_of(&row, "session")?, kind, at });
        }
        Ok(timers)
    }

    pub(super) async fn outbox(&self, session: SessionId) -> Result<Vec<Effect>, Error> {
        let rows = sqlx::query(
            "select e.id, e.of_store, e.body, s.keys from effect e left join session s on s.id = e.session \
             where e.session = $1 order by e.id",
        );
        let rows = rows.bind(session.uuid()).fetch_all(&self.pool).await.map_err(trouble)?;
        let mut effects = Vec::new();
        for row in rows {
            effects.extend(self.readable(self.effect_in(&row, session))?);
        }
        Ok(effects)
    }

    /// An effect that is still to leave; `None` if it cannot be read.
    pub(super) async fn effect(
        &self,
        session: SessionId,
        id: EffectId,
    ) -> Result<Option<Effect>, Error> {
        let row = sqlx::query(
            "select e.id, e.of_store, e.body, s.keys from effect e left join session s on s.id = e.session \
             where e.id = $1",
        );
        let row = row.bind(id.uuid()).fetch_optional(&self.pool).await.map_err(trouble)?;
        let effect = row.map(|row| self.readable(self.effect_in(&row, session)));
        Ok(effect.transpose()?.flatten())
    }

    pub(super) fn effect_in(&self, row: &PgRow, session: SessionId) -> Result<Effect, Error> {
        let id = effect_of(row)?;
        let (at, body) = (Row::Effect(id.uuid()), column(row, "body")?);
        let what = format!("effect `{id}`");
        if column(row, "of_store")? {
            return open(&self.keyring.own, at, body, &what);
        }
        open(&self.keys(row, session)?.said, at, body, &what)
    }

    pub(super) async fn sessions(
        &self,
        after: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<Head>, Error> {
        let rows =
            sqlx::query("select id, keys, head from session where id > $1 order by id limit $2");
        let rows = rows.bind(after.map_or(Uuid::nil(), SessionId::uuid));
        let rows = rows.bind(i64::try_from(limit).unwrap_or(i64::MAX));
        let mut heads = Vec::new();
        for row in rows.fetch_all(&self.pool).await.map_err(trouble)? {
            heads.extend(self.readable(self.head(&row))?);
        }
        Ok(heads)
    }

    pub(super) async fn has(&self, session: SessionId) -> Result<bool, Error> {
        let row = sqlx::query("select 1 from session where id = $1").bind(session.uuid());
        Ok(row.fetch_optional(&self.pool).await.map_err(trouble)?.is_some())
    }

    pub(super) async fn audit(&self, from: u64, limit: usize) -> Result<Vec<Sealed>, Error> {
        let rows = sqlx::query(
            "select a.index, a.session, a.body, a.words, s.keys from audit a \
             left join session s on s.id = a.session where a.index >= $1 order by a.index limit $2",
        );
        let rows = rows.bind(number(from)).bind(i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = rows.fetch_all(&self.pool).await.map_err(trouble)?;
        rows.iter().map(|row| self.noted(self.sealed(row))).collect()
    }

    pub(super) async fn audit_of(
        &self,
        session: SessionId,
        from: Option<u64>,
    ) -> Result<(Vec<Sealed>, Option<u64>), Error> {
        let rows = sqlx::query(
            "select a.index, a.session, a.body, a.words, s.keys from audit a \
             left join session s on s.id = a.session where a.session = $1 and a.index >= $2 \
             order by a.index limit $3",
        );
        let rows = rows.bind(session.uuid()).bind(number(from.unwrap_or(0))).bind(AUDIT_PAGE);
        let rows = rows.fetch_all(&self.pool).await.map_err(trouble)?;
        let page: Result<Vec<Sealed>, Error> =
            rows.iter().map(|row| self.noted(self.sealed(row))).collect();
        let page = page?;
        let is_full = i64::try_from(page.len()).is_ok_and(|read| read == AUDIT_PAGE);
        let next = page.last().filter(|_| is_full).map(|last| last.index + 1);
        Ok((page, next))
    }

    fn sealed(&self, row: &PgRow) -> Result<Sealed, Error> {
        let index = u64::try_from(column::<i64>(row, "index")?).unwrap_or_default();
        let what = format!("audit record {index}");
        let own = &self.keyring.own;
        let text: AuditText = open(own, Row::Audit(index), column(row, "body")?, &what)?;
        let Some(words) = column::<Option<&[u8]>>(row, "words")? else {
            return Ok(joined(text, None));
        };
        let words = if text.of_store {
            open(own, Row::Words(index), words, &what)?
        } else {
            let session: Option<Uuid> = column(row, "session")?;
            let session = SessionId::from_uuid(session.unwrap_or_default());
            open(&self.keys(row, session)?.said, Row::Words(index), words, &what)?
        };
        Ok(joined(text, Some(words)))
    }

    pub(super) async fn is_known_event(&self, key: &str) -> Result<bool, Error> {
        let digest = self.keyring.dedup(key);
        let row = sqlx::query("select 1 from dedup where digest = $1").bind(digest.to_vec());
        Ok(row.fetch_optional(&self.pool).await.map_err(trouble)?.is_some())
    }

    pub(super) async fn balance(&self, account: &str) -> Result<Balance, Error> {
        let digest = self.keyring.account(account);
        let row = sqlx::query("select body from account where digest = $1").bind(digest.to_vec());
        let row = row.fetch_optional(&self.pool).await.map_err(trouble)?;
        let Some(row) = row else { return Ok(Balance::default()) };
        self.balance_in(digest, column(&row, "body")?)
    }

    pub(super) fn balance_in(&self, digest: [u8; 16], body: &[u8]) -> Result<Balance, Error> {
        self.noted(open(&self.keyring.own, Row::Account(digest), body, &"account"))
    }

    pub(super) async fn note(&self, key: &str) -> Result<Option<Note>, Error> {
        let digest = self.keyring.note(key);
        let row = sqlx::query(
            "select n.session, n.body, s.keys from note n left join session s on s.id = n.session \
             where n.digest = $1",
        );
        let row = row.bind(digest.to_vec()).fetch_optional(&self.pool).await.map_err(trouble)?;
        row.map(|row| self.noted(self.note_in(&row, digest))).transpose()
    }

    pub(super) fn note_in(&self, row: &PgRow, digest: [u8; 16]) -> Result<Note, Error> {
        let session: Option<Uuid> = column(row, "session")?;
        let session = session.map(SessionId::from_uuid);
        let (at, body) = (Row::Note(digest), column(row, "body")?);
        let what: &dyn Display = &"note";
        let text: NoteText = match session {
            None => open(&self.keyring.own, at, body, what)?,
            Some(session) => open(&self.keys(row, session)?.lasting, at, body, what)?,
        };
        Ok(text.of(session))
    }

    pub(super) async fn keys_of(&self, session: SessionId) -> Result<Option<SessionKeys>, Error> {
        let row = sqlx::query("select keys from session where id = $1").bind(session.uuid());
        let row = row.fetch_optional(&self.pool).await.map_err(trouble)?;
        row.map(|row| self.noted(self.keys(&row, session))).transpose()
    }
}

/// Sessions and effects in the outbox, in order.
pub(super) async fn queued(
    connection: &mut PgConnection,
) -> Result<Vec<(SessionId, EffectId)>, Error> {
    let rows = sqlx::query("select session, id from effect order by id");
    let rows = rows.fetch_all(connection).await.map_err(trouble)?;
    let one = |row: &PgRow| Ok((session_of(row, "session")?, effect_of(row)?));
    rows.iter().map(one).collect()
}

fn effect_of(row: &PgRow) -> Result<EffectId, Error> {
    column(row, "id").map(EffectId::from_uuid)
}
