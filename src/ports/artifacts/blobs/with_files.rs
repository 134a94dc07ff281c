//! The sessions that have files, some at a time: a folder of many is read to its end without being held.

use std::{collections::BTreeSet, fs::ReadDir};

use super::{Error, blocking};
use crate::base::ids::SessionId;

/// Sessions that have files and were not handed out yet, in no order; one may come twice. What is kept or removed meanwhile
/// may be among them or not.
#[derive(Debug)]
pub struct WithFiles {
    /// Those of files that every node has.
    shared: BTreeSet<SessionId>,
    /// The rest of the folder of this node; `None` at its end.
    here: Option<ReadDir>,
}

impl WithFiles {
    pub(super) const fn new(shared: BTreeSet<SessionId>, here: ReadDir) -> Self {
        Self { shared, here: Some(here) }
    }

    /// The next ones, at most so many; nothing after the last. An error ends the folder.
    pub async fn next(&mut self, most: usize) -> Result<Vec<SessionId>, Error> {
        let mut found: Vec<SessionId> =
            std::iter::from_fn(|| self.shared.pop_first()).take(most).collect();
        let Some(mut here) = self.here.take() else { return Ok(found) };
        let (here, found) = blocking(move || {
            while found.len() < most {
                let Some(entry) = here.next().transpose()? else { return Ok((None, found)) };
                // Whatever else lies there is not ours.
                found.extend(
                    entry.file_name().to_str().and_then(|name| name.parse::<SessionId>().ok()),
                );
            }
            Ok((Some(here), found))
        })
        .await?;
        self.here = here;
        Ok(found)
    }
}
