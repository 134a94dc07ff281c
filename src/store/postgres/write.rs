//! What a batch reads before it is worked out, and what it writes then: one statement each.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use sqlx::{
    Connection as _, Executor, PgConnection, Postgres, Row as _,
    postgres::{PgArguments, PgRow},
};
use uuid::Uuid;

use super::{
    batch::{Deletion, Known, Picture, Tip, Updated, Wanted, Writes, number},
    lease::Lease,
    records::{Keyring, NoteText, Row, open},
};
use crate::{
    base::ids::{Ids, SessionId, WaitId},
    model::posted,
    store::{Error, sealing::Digest},
};

/// What the rows of [`READ`] hold.
const SESSION: i16 = 1;
const DEDUP: i16 = 2;
const ACCOUNT: i16 = 3;
const LEDGER: i16 = 4;
const SHOWN: i16 = 5;

const READ: &str = "\
    select 1::smallint as kind, id, null::bytea as digest, seq, keys as body, null::uuid as session \
    from session where id = any($1) \
    union all select 2::smallint, null, digest, 0, null, session from dedup where digest = any($2) \
    union all select 3::smallint, null, digest, 0, body, null from account where digest = any($3) \
    union all select 4::smallint, null, digest, 0, body, session from note where digest = any($4) \
    union all select 5::smallint, wait, null, 0, body, session from shown where wait = any($5)";

/// Writes all of a batch or nothing: a division by zero takes it back where the store is another node's by now, or the
/// batch was written before.
const WRITE: &str = "\
    with own as (\
        update store set records = $3, seal = $4, batch = $51, \
            lease_until = now() + $5 * interval '1 millisecond' \
        where fence = $1 and batch = $2 returning 1\
    ), sessions as (\
        insert into session (id, seq, keys, head, person, place, is_child, wants_staff, is_paused, goes_at, goes_hour, \
            platform, is_active, updated_at, updated_hour) \
        select * from unnest($6::uuid[], $7::bigint[], $8::bytea[], $9::bytea[], $10::bytea[], $11::bytea[], \
            $12::boolean[], $13::boolean[], $14::boolean[], $15::bigint[], $16::bigint[], \
            $53::smallint[], $54::boolean[], $55::bigint[], $56::bigint[]) \
        on conflict (id) do update set seq = excluded.seq, keys = excluded.keys, head = excluded.head, \
            person = excluded.person, place = excluded.place, is_child = excluded.is_child, \
            wants_staff = excluded.wants_staff, is_paused = excluded.is_paused, goes_at = excluded.goes_at, goes_hour = excluded.goes_hour, \
            platform = excluded.platform, is_active = excluded.is_active, updated_at = excluded.updated_at, \
            updated_hour = excluded.updated_hour\
    ), events as (\
        insert into event (session, seq, body) select * from unnest($17::uuid[], $18::bigint[], $19::bytea[])\
    ), waits as (\
        insert into wait (id, session, body) select * from unnest($20::uuid[], $21::uuid[], $22::bytea[]) \
        on conflict (id) do update set body = excluded.body\
    ), shown as (\
        insert into shown (wait, session, body) select * from unnest($23::uuid[], $24::uuid[], $25::bytea[]) \
        on conflict (wait) do update set body = excluded.body\
    ), effects as (\
        insert into effect (id, session, of_store, body) \
        select id, session, of_store, body \
        from unnest($26::uuid[], $27::uuid[], $28::boolean[], $29::bytea[], $52::boolean[]) \
            as e(id, session, of_store, body, is_again) \
        where not is_again or exists(select 1 from effect as there where there.id = e.id) \
        on conflict (id) do update set of_store = excluded.of_store, body = excluded.body\
    ), left_effects as (\
        delete from effect where id = any($30)\
    ), timers as (\
        insert into timer (session, kind, wait, at) \
        select * from unnest($31::uuid[], $32::smallint[], $33::uuid[], $34::bigint[]) \
        on conflict (session, kind, wait) do update set at = excluded.at\
    ), cleared as (\
        delete from timer t using unnest($35::uuid[], $36::smallint[], $37::uuid[]) as c(session, kind, wait) \
        where t.session = c.session and t.kind = c.kind and t.wait = c.wait\
    ), dedup as (\
        insert into dedup (digest, session) select * from unnest($38::bytea[], $39::uuid[])\
    ), audit as (\
        insert into audit (index, session, body, words) \
        select * from unnest($40::bigint[], $41::uuid[], $42::bytea[], $43::bytea[])\
    ), accounts as (\
        insert into account (digest, body) select * from unnest($44::bytea[], $45::bytea[]) \
        on conflict (digest) do update set body = excluded.body\
    ), notes as (\
        insert into note (digest, session, body, family) \
        select * from unnest($46::bytea[], $47::uuid[], $48::bytea[], $49::bytea[]) \
        on conflict (digest) do update set session = excluded.session, body = excluded.body, family = excluded.family\
    ), taken as (\
        delete from note where digest = any($50)\
    ) \
    select 1 / (select count(*) from own)";

pub(super) fn uuids<'a>(ids: impl IntoIterator<Item = &'a SessionId>) -> Vec<Uuid> {
    ids.into_iter().map(|id| id.uuid()).collect()
}

fn bytes<'a>(digests: impl IntoIterator<Item = &'a Digest>) -> Vec<Vec<u8>> {
    digests.into_iter().map(|digest| digest.to_vec()).collect()
}

/// Reads what `wanted` names; sessions that are `known` already are not read again.
pub(super) async fn picture(
    connection: &mut PgConnection,
    (keyring, ids): (Arc<Keyring>, Arc<dyn Ids>),
    wanted: &Wanted,
    (known, tip): (&HashMap<SessionId, Known>, Tip),
) -> Result<Result<Picture, Error>, sqlx::Error> {
    let ledgers = wanted.ledgers.iter().map(|session| keyring.note(&posted::ledger_of(*session)));
    let ledgers: Vec<Vec<u8>> = ledgers.map(|digest| digest.to_vec()).collect();
    let mut picture = Picture {
        keyring,
        ids,
        sessions: HashMap::new(),
        unreadable: HashMap::new(),
        damaged: Vec::new(),
        dedup: HashSet::new(),
        accounts: HashMap::new(),
        ledgers: HashMap::new(),
        shown: HashMap::new(),
        tip,
        deletion: None,
        writes: Writes::default(),
    };
    // Where a wait was shown, and a ledger, are opened with the keys of sessions.
    let mut sessions = wanted.sessions.clone();
    for session in &wanted.sessions {
        if let Some(known) = known.get(session) {
            picture.sessions.insert(*session, known.clone());
            sessions.remove(session);
        }
    }
    let shown: Vec<Uuid> = wanted.shown.iter().map(|wait| wait.uuid()).collect();
    let is_known = sessions.is_empty() && ledgers.is_empty() && shown.is_empty();
    if is_known && wanted.dedup.is_empty() && wanted.accounts.is_empty() {
        return Ok(Ok(picture));
    }
    let query = sqlx::query(READ).bind(uuids(&sessions)).bind(bytes(&wanted.dedup));
    let query = query.bind(bytes(&wanted.accounts)).bind(ledgers).bind(shown);
    let rows = query.fetch_all(connection).await?;
    Ok(filled(picture, &rows))
}

fn filled(mut picture: Picture, rows: &[PgRow]) -> Result<Picture, Error> {
    let keyring = Arc::clone(&picture.keyring);
    let kind = |row: &PgRow| row.try_get::<i16, _>("kind").map_err(Error::unavailable);
    for row in rows {
        if kind(row)? == SESSION {
            let session = SessionId::from_uuid(row.try_get("id").map_err(Error::unavailable)?);
            let wrapped: Vec<u8> = row.try_get("body").map_err(Error::unavailable)?;
            let seq: i64 = row.try_get("seq").map_err(Error::unavailable)?;
            let seq = u64::try_from(seq).unwrap_or_default();
            match keyring.unwrap(session, &wrapped) {
                Ok(keys) => drop(picture.sessions.insert(session, Known { seq, keys, wrapped })),
                Err(error) => drop(picture.unreadable.insert(session, error)),
            }
        }
    }
    for row in rows {
        let digest: Option<Vec<u8>> = row.try_get("digest").map_err(Error::unavailable)?;
        let digest = digest.and_then(|digest| digest.try_into().ok()).unwrap_or_default();
        let body: Option<Vec<u8>> = row.try_get("body").map_err(Error::unavailable)?;
        let body = body.unwrap_or_default();
        let session: Option<Uuid> = row.try_get("session").map_err(Error::unavailable)?;
        let session = SessionId::from_uuid(session.unwrap_or_default());
        let known = picture.sessions.get(&session).map(|known| known.keys.clone());
        match (kind(row)?, known) {
            (DEDUP, _) => {
                picture.dedup.insert(digest);
            }
            (ACCOUNT, _) => {
                let at = Row::Account(digest);
                if let Some(balance) = picture.readable(open(&keyring.own, at, &body, &"account")) {
                    picture.accounts.insert(digest, balance);
                }
            }
            (LEDGER, Some(keys)) => {
                let what = format!("what was posted for session `{session}`");
                let text = open::<NoteText>(&keys.lasting, Row::Note(digest), &body, &what);
                let ledger =
                    picture.readable(text).map_or_else(posted::after_damage, |it| it.value);
                picture.ledgers.insert(session, ledger);
            }
            (SHOWN, Some(keys)) => {
                let wait: Uuid = row.try_get("id").map_err(Error::unavailable)?;
                let what = format!("where a question of session `{session}` was shown");
                let shown = open(&keys.said, Row::Shown(wait), &body, &what);
                if let Some(shown) = picture.readable(shown) {
                    picture.shown.insert(WaitId::from_uuid(wait), shown);
                }
            }
            _ => {}
        }
    }
    Ok(picture)
}

/// Writes a batch after the one with number `after`, under this lease, which it prolongs.
pub(super) async fn write(
    connection: impl Executor<'_, Database = Postgres>,
    (lease, after): (Lease, i64),
    (writes, tip): (&Writes, &Tip),
) -> Result<(), sqlx::Error> {
    let query = sqlx::query(WRITE).bind(lease.fence).bind(after).bind(number(tip.records));
    let query = with_said(query.bind(&tip.seal).bind(lease.millis()), writes);
    let query = with_kept(with_sent(query, writes), writes).bind(tip.batch);
    let again = writes.effects.values().flatten().map(|row| row.is_again);
    let query = query.bind(again.collect::<Vec<_>>());
    let query = with_updated(query, writes.sessions.values().map(|row| &row.updated));
    query.execute(connection).await.map(drop)
}

type Query<'q> = sqlx::query::Query<'q, Postgres, PgArguments>;

/// When sessions were updated.
pub(super) fn with_updated<'q, 'r>(
    query: Query<'q>,
    all: impl Iterator<Item = &'r Updated> + Clone,
) -> Query<'q> {
    query
        .bind(all.clone().map(|updated| updated.platform).collect::<Vec<_>>())
        .bind(all.clone().map(|updated| updated.is_active).collect::<Vec<_>>())
        .bind(all.clone().map(|updated| updated.at).collect::<Vec<_>>())
        .bind(all.map(|updated| updated.hour).collect::<Vec<_>>())
}

/// Sessions, and what is said in them.
fn with_said<'q>(query: Query<'q>, writes: &'q Writes) -> Query<'q> {
    let Writes { sessions, events, waits, shown, .. } = writes;
    let rows = || sessions.values();
    query
        .bind(uuids(sessions.keys()))
        .bind(rows().map(|row| row.seq).collect::<Vec<_>>())
        .bind(rows().map(|row| &row.keys[..]).collect::<Vec<_>>())
        .bind(rows().map(|row| &row.head[..]).collect::<Vec<_>>())
        .bind(rows().map(|row| &row.person[..]).collect::<Vec<_>>())
        .bind(rows().map(|row| &row.place[..]).collect::<Vec<_>>())
        .bind(rows().map(|row| row.is_child).collect::<Vec<_>>())
        .bind(rows().map(|row| row.wants_staff).collect::<Vec<_>>())
        .bind(rows().map(|row| row.is_paused).collect::<Vec<_>>())
        .bind(rows().map(|row| row.goes_at).collect::<Vec<_>>())
        .bind(rows().map(|row| row.goes_hour).collect::<Vec<_>>())
        .bind(uuids(events.iter().map(|(session, ..)| session)))
        .bind(events.iter().map(|(_, seq, _)| *seq).collect::<Vec<_>>())
        .bind(events.iter().map(|(.., body)| &body[..]).collect::<Vec<_>>())
        .bind(waits.keys().copied().collect::<Vec<_>>())
        .bind(uuids(waits.values().map(|(session, _)| session)))
        .bind(waits.values().map(|(_, body)| &body[..]).collect::<Vec<_>>())
        .bind(shown.keys().copied().collect::<Vec<_>>())
        .bind(uuids(shown.values().map(|(session, _)| session)))
        .bind(shown.values().map(|(_, body)| &body[..]).collect::<Vec<_>>())
}

/// The outbox and timers.
fn with_sent<'q>(query: Query<'q>, writes: &'q Writes) -> Query<'q> {
    let Writes { effects, timers, .. } = writes;
    let kept = || effects.iter().filter_map(|(id, row)| Some((id, row.as_ref()?)));
    let left = effects.iter().filter(|(_, row)| row.is_none());
    let set = || timers.iter().filter_map(|(at, time)| Some((at, (*time)?)));
    let cleared = || timers.iter().filter(|(_, time)| time.is_none()).map(|(at, _)| at);
    query
        .bind(kept().map(|(id, _)| *id).collect::<Vec<_>>())
        .bind(uuids(kept().map(|(_, row)| &row.session)))
        .bind(kept().map(|(_, row)| row.of_store).collect::<Vec<_>>())
        .bind(kept().map(|(_, row)| &row.body[..]).collect::<Vec<_>>())
        .bind(left.map(|(id, _)| *id).collect::<Vec<_>>())
        .bind(uuids(set().map(|((session, _), _)| session)))
        .bind(set().map(|((_, (kind, _)), _)| *kind).collect::<Vec<_>>())
        .bind(set().map(|((_, (_, wait)), _)| *wait).collect::<Vec<_>>())
        .bind(set().map(|(_, time)| time).collect::<Vec<_>>())
        .bind(uuids(cleared().map(|(session, _)| session)))
        .bind(cleared().map(|(_, (kind, _))| *kind).collect::<Vec<_>>())
        .bind(cleared().map(|(_, (_, wait))| *wait).collect::<Vec<_>>())
}

/// What is kept beside sessions.
fn with_kept<'q>(query: Query<'q>, writes: &'q Writes) -> Query<'q> {
    let Writes { dedup, audit, accounts, notes, .. } = writes;
    let put = || notes.iter().filter_map(|(digest, row)| Some((digest, row.as_ref()?)));
    let taken = notes.iter().filter(|(_, row)| row.is_none()).map(|(digest, _)| digest);
    query
        .bind(bytes(dedup.iter().map(|(digest, _)| digest)))
        .bind(uuids(dedup.iter().map(|(_, session)| session)))
        .bind(audit.iter().map(|row| row.index).collect::<Vec<_>>())
        .bind(audit.iter().map(|row| row.session.map(SessionId::uuid)).collect::<Vec<_>>())
        .bind(audit.iter().map(|row| &row.body[..]).collect::<Vec<_>>())
        .bind(audit.iter().map(|row| row.words.as_deref()).collect::<Vec<_>>())
        .bind(bytes(accounts.keys()))
        .bind(accounts.values().map(|body| &body[..]).collect::<Vec<_>>())
        .bind(bytes(put().map(|(digest, _)| digest)))
        .bind(put().map(|(_, row)| row.session.map(SessionId::uuid)).collect::<Vec<_>>())
        .bind(put().map(|(_, row)| &row.body[..]).collect::<Vec<_>>())
        .bind(put().map(|(_, row)| row.family.as_ref().map(|it| &it[..])).collect::<Vec<_>>())
        .bind(bytes(taken))
}

/// Writes a batch that deletes a session as well: all of it or nothing.
pub(super) async fn delete_and_write(
    connection: &mut PgConnection,
    deletion: Deletion,
    turn: (Lease, i64),
    batch: (&Writes, &Tip),
) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    delete(&mut transaction, deletion).await?;
    write(&mut *transaction, turn, batch).await?;
    transaction.commit().await
}

/// What is written to find out whether there is space. It may find what removals have left in its table alone; then the
/// next step finds out.
const ROOM: usize = 64 * 1024;

/// Writes something and takes it away again.
pub(super) async fn try_room(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    let insert =
        sqlx::query("insert into file (session, name, piece, data) values ($1, $2, 0, $3)");
    let insert = insert.bind(Uuid::nil()).bind(".room").bind(vec![0_u8; ROOM]);
    insert.execute(&mut *transaction).await?;
    let delete = sqlx::query("delete from file where session = $1 and name = $2");
    delete.bind(Uuid::nil()).bind(".room").execute(&mut *transaction).await?;
    transaction.commit().await
}

/// Deletes all that was said in a session. The words of its audit records go too; their digests stay in the chain.
async fn delete(
    connection: &mut PgConnection,
    Deletion { session, is_whole }: Deletion,
) -> Result<(), sqlx::Error> {
    const SAID: [&str; 7] = [
        "delete from event where session = $1",
        "delete from wait where session = $1",
        "delete from shown where session = $1",
        "delete from effect where session = $1",
        "delete from timer where session = $1",
        "delete from dedup where session = $1",
        "update audit set words = null where session = $1 and words is not null",
    ];
    const WHOLE: [&str; 2] =
        ["delete from note where session = $1", "delete from session where id = $1"];
    let whole = if is_whole { &WHOLE[..] } else { &[] };
    for statement in SAID.iter().chain(whole) {
        sqlx::query(*statement).bind(session.uuid()).execute(&mut *connection).await?;
    }
    Ok(())
}
