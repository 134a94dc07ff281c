//! The Contacts application of a Mac, for the one person it belongs to.

use async_trait::async_trait;

use crate::model::session::PersonId;

use super::{ContactSource, Fetched, Wanted};

/// Contacts on the host. Its "me" card is the host owner's, so nobody else is ever given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacContacts {
    owner: PersonId,
}

impl MacContacts {
    /// The host's Contacts, for its owner on a chat platform.
    pub const fn new(owner: PersonId) -> Self {
        Self { owner }
    }
}

#[async_trait]
impl ContactSource for MacContacts {
    fn name(&self) -> &'static str {
        "macos"
    }

    /// Does not look yet, on any system (DESIGN §10.20).
    async fn fetch(&self, wanted: &Wanted) -> Fetched {
        if wanted.person != self.owner {
            return Fetched::not_found("this computer's Contacts are only for its owner");
        }
        if cfg!(target_os = "macos") {
            Fetched::not_found("this version cannot read Contacts yet")
        } else {
            Fetched::not_found("Contacts is an application of macOS, and this is another system")
        }
    }
}
