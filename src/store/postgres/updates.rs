//! Sessions by when they were updated last. Their heads are sealed, so rows of older versions get their times from here.

use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::{
    batch::{Updated, nanos},
    is_race,
    read::{Reader, session_of},
    trouble, within,
    write::{uuids, with_updated},
};
use crate::{
    base::ids::SessionId,
    store::{Error, Find, hour_of, platform_number},
};

/// Sessions that are read in one go.
const PAGE: i64 = 500;

/// How often a page is written where a step writes some of its sessions in another order.
const TRIES: u32 = 5;

impl Reader {
    /// The rows of [`Find::RecentlyUpdated`].
    pub(super) async fn recently_updated(&self, by: &Find) -> Result<Vec<PgRow>, sqlx::Error> {
        let Find::RecentlyUpdated { platform, is_active, since, after, limit } = by else {
            return Ok(Vec::new());
        };
        let (hour, last) = after
            .map_or((i64::MAX, Uuid::max()), |(at, session)| (nanos(hour_of(at)), session.uuid()));
        let query = sqlx::query(
            "select id, keys, head from session where updated_hour is not null and not is_child \
             and platform = $1 and is_active = $2 and updated_at >= $3 and updated_hour >= $4 \
             and (updated_hour, id) < ($5, $6) order by updated_hour desc, id desc limit $7",
        );
        let query = query.bind(i16::from(platform_number(*platform))).bind(is_active);
        let query = query.bind(nanos(*since)).bind(nanos(hour_of(*since))).bind(hour).bind(last);
        query.bind(i64::try_from(*limit).unwrap_or(i64::MAX)).fetch_all(&self.pool).await
    }

    /// Writes down when the sessions of older versions were updated: the first time reads them all, the next none. It
    /// changes nothing that is said, so that it stands beside any step.
    pub(super) async fn date_sessions(&self) -> Result<(), Error> {
        let mut after = Uuid::nil();
        while let Some((page, last)) = within(self.undated(after)).await? {
            let mut tries = TRIES;
            while let Err(error) = within(self.date(&page)).await {
                tries -= 1;
                if tries == 0 || !is_race(&error) {
                    return Err(error);
                }
            }
            after = last;
        }
        Ok(())
    }

    /// Sessions that can be read, and the last one of all; `None` if no more follow.
    async fn undated(
        &self,
        after: Uuid,
    ) -> Result<Option<(Vec<(SessionId, Updated)>, Uuid)>, Error> {
        let rows = sqlx::query(
            "select id, keys, head from session where updated_hour is null and id > $1 order by id limit $2",
        );
        let rows = rows.bind(after).bind(PAGE).fetch_all(&self.pool).await.map_err(trouble)?;
        let Some(last) = rows.last() else { return Ok(None) };
        let last = session_of(last, "id")?.uuid();
        let mut page = Vec::new();
        for row in &rows {
            let head = self.readable(self.head(row))?;
            page.extend(head.map(|head| (head.id, Updated::of(&head))));
        }
        Ok(Some((page, last)))
    }

    /// What a step has written meanwhile is newer.
    async fn date(&self, page: &[(SessionId, Updated)]) -> Result<(), Error> {
        let dated = sqlx::query(
            "update session s set platform = u.platform, is_active = u.is_active, updated_at = u.at, updated_hour = u.hour \
             from unnest($1::uuid[], $2::smallint[], $3::boolean[], $4::bigint[], $5::bigint[]) \
                 as u(id, platform, is_active, at, hour) \
             where s.id = u.id and s.updated_hour is null",
        );
        let dated = dated.bind(uuids(page.iter().map(|(session, _)| session)));
        let dated = with_updated(dated, page.iter().map(|(_, updated)| updated));
        dated.execute(&self.pool).await.map(drop).map_err(trouble)
    }
}
