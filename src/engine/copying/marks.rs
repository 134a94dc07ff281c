//! The marks by which both stores know of a copy: a note of no session in each.

use serde::{Deserialize, Serialize};

use super::{CopyError, Side};
use crate::{
    base::ids::Ids,
    store::{Error, Note, Store},
};

/// The key of the note.
pub(super) const KEY: &str = "store/copy";

/// What a store knows of a copy.
///
/// ```json
/// { "copy": "0199…", "role": "moved", "other": "PostgreSQL" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Which copy it is.
    copy: String,
    /// What the store is in it.
    pub role: Role,
    /// What the other store is called.
    pub other: String,
}

/// What a store is in a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It is being copied.
    Source,
    /// It is being filled, and not whole.
    Target,
    /// It was copied: the other one is used from then on.
    Moved,
}

/// What a store knows of a copy; `None` if there was none, or it has ended and the store is used.
pub async fn mark_of(store: &dyn Store) -> Result<Option<Mark>, Error> {
    let value = store.noted(KEY).await?.and_then(|note| note.value);
    let read = |value: String| {
        serde_json::from_str(&value).map_err(|_| Error::Unreadable {
            what: "the mark of a copy".to_owned(),
            why: "it has another form. hint: run the newer program".to_owned(),
        })
    };
    value.map(read).transpose()
}

/// Lets a store be used again that was copied, or of which a copy was begun; whether there was a mark to take away.
/// One that is not whole keeps its mark: [`CopyError::Marked`].
pub async fn reopen(store: &dyn Store, name: &str) -> Result<bool, CopyError> {
    match mark_of(store).await? {
        None => Ok(false),
        Some(Mark { role: Role::Target, .. }) => Err(CopyError::Marked(format!(
            "a copy into {name} hasn't finished. hint: run `anteroom store copy` again to finish it, or use the store that it \
             comes from"
        ))),
        Some(_) => {
            put(store, None).await?;
            Ok(true)
        }
    }
}

async fn put(store: &dyn Store, mark: Option<&Mark>) -> Result<(), Error> {
    let value = mark.map(serde_json::to_string).transpose();
    let value = value.map_err(|error| Error::Unavailable(std::sync::Arc::new(error)))?;
    store.note(Note { key: KEY.to_owned(), session: None, value }).await
}

/// Marks both stores, or finds that a copy between them is under way.
pub(super) async fn agree(from: &Side, to: &Side, ids: &dyn Ids) -> Result<String, CopyError> {
    let (source, target) = (mark_of(&*from.store).await?, mark_of(&*to.store).await?);
    let copy = match (source, target) {
        (Some(Mark { role: Role::Target, .. }), _) => {
            return Err(CopyError::Marked(format!(
                "{} isn't whole: a copy into it hasn't finished. hint: finish that first",
                from.name
            )));
        }
        // It goes on where it was; where the source has moved already, what is left is to say that the target is whole.
        (Some(source), Some(Mark { role: Role::Target, copy, .. })) if source.copy == copy => {
            return Ok(copy);
        }
        (Some(Mark { role: Role::Moved, other, .. }), _) => {
            return Err(CopyError::Marked(format!(
                "the data of {} was moved to {other}. hint: use it there; to use what is here instead, run \
                 `anteroom store reopen`",
                from.name
            )));
        }
        (_, Some(_)) => return Err(Error::Occupied { what: to.name.clone() }.into()),
        (source, None) => {
            // A session leaves audit records, also once it is erased.
            let is_empty = to.store.sessions(None, 1).await?.is_empty()
                && to.store.audit(0, 1).await?.is_empty();
            if !is_empty {
                return Err(Error::Occupied { what: to.name.clone() }.into());
            }
            source.map_or_else(|| ids.fresh().to_string(), |source| source.copy)
        }
    };
    // The source first: a target whose source knows nothing of it could not be resumed.
    let mark = |role, other: &Side| Mark { copy: copy.clone(), role, other: other.name.clone() };
    put(&*from.store, Some(&mark(Role::Source, to))).await?;
    put(&*to.store, Some(&mark(Role::Target, from))).await?;
    Ok(copy)
}

/// Ends a copy that is whole: the source is not used any more, and the target is. A crash between the two is made up for
/// by the next run.
pub(super) async fn finish(from: &Side, to: &Side, copy: String) -> Result<(), CopyError> {
    let moved = Mark { copy, role: Role::Moved, other: to.name.clone() };
    put(&*from.store, Some(&moved)).await?;
    put(&*to.store, None).await?;
    Ok(())
}
