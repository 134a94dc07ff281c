//! The contacts port: where a person's contact details may come from.

pub mod directory;
pub mod macos;
pub mod profile;
pub mod vcard;

use std::fmt;

use async_trait::async_trait;

use crate::model::{contact::Contact, session::PersonId};

/// One source of contact details.
#[async_trait]
pub trait ContactSource: fmt::Debug + Send + Sync {
    /// `macos`, `vcard`, `profile` or `directory` (DESIGN §10.11).
    fn name(&self) -> &'static str;

    /// Looks one card up. Reads only; bounded in time by the caller.
    async fn fetch(&self, wanted: &Wanted) -> Fetched;
}

/// Whose card is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The participant.
    pub person: PersonId,
    /// What the platform calls them.
    pub display_name: Option<String>,
    /// `specific`: the card that the participant named, by name or e-mail address.
    pub specific: Option<String>,
    /// Text of vCard files that the participant sent in this session, newest first.
    pub vcards: Vec<Vec<u8>>,
}

/// What a source came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// A card.
    Card(Box<Contact>),
    /// Access is denied; the reason says what to do.
    PermissionDenied {
        /// Why.
        reason: String,
    },
    /// No card here; the reason says why.
    NotFound {
        /// Why.
        reason: String,
    },
}

/// The configured sources in their order.
#[derive(Debug, Default)]
pub struct Contacts {
    sources: Vec<Box<dyn ContactSource>>,
}

impl Contacts {
    /// The sources to ask, best first.
    pub fn new(sources: Vec<Box<dyn ContactSource>>) -> Self {
        Self { sources }
    }

    /// Asks each source in turn: the first card wins; otherwise a denial wins over "not found".
    pub async fn fetch(&self, wanted: &Wanted) -> Fetched {
        todo!()
    }
}
