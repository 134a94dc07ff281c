//! Notes of no session, of which one kind is read without the others: what finished long ago costs a start nothing.

use super::{
    is_race,
    read::{Reader, column, digest_in},
    trouble, within,
};
use crate::store::{Error, Note, sealing::Digest};

/// Notes that are read in one go.
const PAGE: i64 = 500;

/// How often a page is written where a step writes some of its notes in another order.
const TRIES: u32 = 5;

/// Which notes are read: those of a family, those of older versions of which that is not known yet, or all.
#[derive(Clone, Copy)]
enum Which {
    Family(Digest),
    OfNone,
    All,
}

impl Which {
    const fn statement(self) -> &'static str {
        match self {
            Self::Family(_) => {
                "select digest, session, body from note where session is null and digest > $1 and family = $3 \
                 order by digest limit $2"
            }
            Self::OfNone => {
                "select digest, session, body from note where session is null and digest > $1 and family is null \
                 order by digest limit $2"
            }
            Self::All => {
                "select digest, session, body from note where session is null and digest > $1 \
                 order by digest limit $2"
            }
        }
    }
}

impl Reader {
    /// The notes of no session whose keys begin with `prefix`, in order of their keys.
    pub(super) async fn notes(&self, prefix: &str) -> Result<Vec<Note>, Error> {
        let mut notes = if let Some(family) = self.keyring.family_within(prefix) {
            self.sort_into_families().await?;
            self.all(Which::Family(family)).await?
        } else {
            self.all(Which::All).await?
        };
        notes.retain(|note| note.key.starts_with(prefix));
        notes.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(notes)
    }

    async fn all(&self, which: Which) -> Result<Vec<Note>, Error> {
        let (mut notes, mut after) = (Vec::new(), Vec::new());
        while let Some((page, last)) = within(self.page(which, &after)).await? {
            notes.extend(page.into_iter().map(|(_, note)| note));
            after = last;
        }
        Ok(notes)
    }

    /// Writes down what the notes of older versions are about: the first time reads them all, the next none. It changes
    /// nothing that is said, so that it stands beside any step.
    async fn sort_into_families(&self) -> Result<(), Error> {
        let mut after = Vec::new();
        while let Some((page, last)) = within(self.page(Which::OfNone, &after)).await? {
            let of = |(digest, note): &(Digest, Note)| {
                (digest.to_vec(), self.keyring.family(&note.key).to_vec())
            };
            let (digests, families): (Vec<_>, Vec<_>) = page.iter().map(of).unzip();
            let mut tries = TRIES;
            while let Err(error) = within(self.set_families(&digests, &families)).await {
                tries -= 1;
                if tries == 0 || !is_race(&error) {
                    return Err(error);
                }
            }
            after = last;
        }
        Ok(())
    }

    async fn set_families(&self, digests: &[Vec<u8>], families: &[Vec<u8>]) -> Result<(), Error> {
        let sorted = sqlx::query(
            "update note set family = f.family from unnest($1::bytea[], $2::bytea[]) as f(digest, family) \
             where note.digest = f.digest and session is null",
        );
        let sorted = sorted.bind(digests).bind(families).execute(&self.pool);
        sorted.await.map(drop).map_err(trouble)
    }

    /// Notes that can be read, and the digest of the last one; `None` if no more follow.
    async fn page(
        &self,
        which: Which,
        after: &[u8],
    ) -> Result<Option<(Vec<(Digest, Note)>, Vec<u8>)>, Error> {
        let rows = sqlx::query(which.statement()).bind(after).bind(PAGE);
        let rows = match which {
            Which::Family(family) => rows.bind(family.to_vec()),
            Which::OfNone | Which::All => rows,
        };
        let rows = rows.fetch_all(&self.pool).await.map_err(trouble)?;
        let Some(last) = rows.last() else { return Ok(None) };
        let last = column::<Vec<u8>>(last, "digest")?;
        let mut notes = Vec::new();
        for row in &rows {
            let digest = digest_in(row)?;
            notes.extend(self.readable(self.note_in(row, digest))?.map(|note| (digest, note)));
        }
        Ok(Some((notes, last)))
    }
}
