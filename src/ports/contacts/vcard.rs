//! vCard files, versions 2.1, 3.0 and 4.0: what the participant sent, or one that the operator keeps.

mod card;

use std::path::PathBuf;

use async_trait::async_trait;

use crate::model::{contact::Contact, session::PersonId};

use super::{ContactSource, Fetched, Wanted, is_named};

pub use card::read;

/// Cards from files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VCards {
    own: Option<OwnFile>,
}

/// A file on the host with the card of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFile {
    /// The file.
    pub path: PathBuf,
    /// Whose it is; nobody else is given it.
    pub owner: PersonId,
}

impl VCards {
    /// Cards that participants send; for its owner also the file on the host.
    pub const fn new(own: Option<OwnFile>) -> Self {
        Self { own }
    }
}

#[async_trait]
impl ContactSource for VCards {
    fn name(&self) -> &'static str {
        "vcard"
    }

    fn serves(&self, person: &PersonId) -> bool {
        self.own.as_ref().is_some_and(|own| own.owner == *person)
    }

    async fn fetch(&self, wanted: &Wanted) -> Fetched {
        let mut cards: Vec<Contact> = wanted.vcards.iter().flat_map(|file| read(file)).collect();
        if cards.is_empty()
            && let Some(own) = &self.own
            && own.owner == wanted.person
        {
            match tokio::fs::read(&own.path).await {
                Ok(file) => cards = read(&file),
                Err(error) => {
                    tracing::warn!(path = %own.path.display(), %error, "the contact file cannot be read");
                    return Fetched::not_found("the contact file cannot be read just now");
                }
            }
        }
        choose(cards, wanted)
    }
}

/// One card is the person's own. Of several (somebody sent a whole address book) the named one is taken, else the
/// one with the person's name.
fn choose(mut cards: Vec<Contact>, wanted: &Wanted) -> Fetched {
    let named = wanted.specific.as_deref().or(wanted.display_name.as_deref()).unwrap_or_default();
    let found = match (cards.len(), wanted.specific.is_some()) {
        (0, _) => return Fetched::not_found("no contact card was sent"),
        (1, false) => Some(0),
        (_, _) => cards.iter().position(|card| is_named(card, named)),
    };
    match found {
        Some(position) => Fetched::Card(Box::new(cards.swap_remove(position))),
        None => Fetched::not_found(format!("none of {} cards has that name", cards.len())),
    }
}
