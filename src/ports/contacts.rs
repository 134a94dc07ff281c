//! The contacts port: where a person's contact details may come from.
//!
//! Every source answers only for the participant: a card of the host's owner goes to the owner, a directory entry
//! to the person it is keyed by. Nobody can look another person up.

pub mod directory;
pub mod macos;
pub mod profile;
pub mod vcard;

use std::fmt;

use async_trait::async_trait;

use crate::model::{contact::Contact, contact::Name, session::PersonId};

/// What the sources are called in a configuration.
pub const NAMES: [&str; 4] = ["macos", "vcard", "profile", "directory"];

/// One source of contact details.
#[async_trait]
pub trait ContactSource: fmt::Debug + Send + Sync {
    /// `macos`, `vcard`, `profile` or `directory`.
    fn name(&self) -> &'static str;

    /// Whether it may know more of somebody than what the platform calls them. Asks nobody, so a look-up may still find
    /// nothing.
    fn serves(&self, person: &PersonId) -> bool;

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
    /// vCard files that the participant sent in this session, newest first.
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

impl Fetched {
    /// No card, and why.
    pub fn not_found(reason: impl Into<String>) -> Self {
        Self::NotFound { reason: reason.into() }
    }
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

    /// The sources' names, in their order.
    pub fn names(&self) -> Vec<&'static str> {
        self.sources.iter().map(|source| source.name()).collect()
    }

    /// The first source that serves somebody, by its name; `None` if there is nothing to offer them.
    pub fn serving(&self, person: &PersonId) -> Option<&'static str> {
        self.sources.iter().find(|source| source.serves(person)).map(|source| source.name())
    }

    /// Asks one source alone; not found where it is not configured.
    pub async fn fetch_from(&self, name: &str, wanted: &Wanted) -> Fetched {
        match self.sources.iter().find(|source| source.name() == name) {
            Some(source) => source.fetch(wanted).await,
            None => Fetched::not_found(format!("the contact source `{name}` is not configured")),
        }
    }

    /// Asks each source in turn: the first card wins; otherwise a denial wins over "not found". The reasons of all
    /// are told, each with its source.
    pub async fn fetch(&self, wanted: &Wanted) -> Fetched {
        let mut denied = Vec::new();
        let mut missing = Vec::new();
        for source in &self.sources {
            match source.fetch(wanted).await {
                Fetched::Card(card) => return Fetched::Card(card),
                Fetched::PermissionDenied { reason } => {
                    denied.push(format!("{}: {reason}", source.name()));
                }
                Fetched::NotFound { reason } => {
                    missing.push(format!("{}: {reason}", source.name()));
                }
            }
        }
        match (denied.is_empty(), missing.is_empty()) {
            (false, _) => Fetched::PermissionDenied { reason: denied.join("; ") },
            (true, false) => Fetched::not_found(missing.join("; ")),
            (true, true) => Fetched::not_found("no contact source is configured"),
        }
    }
}

/// Parts a name that came as one text: the last word is the family name, unless it is the only one.
fn name_of(whole: &str) -> Name {
    let words: Vec<&str> = whole.split_whitespace().collect();
    match words.split_last() {
        Some((family, given)) if !given.is_empty() => {
            Name { given: given.join(" "), family: (*family).to_owned() }
        }
        _ => Name { given: words.concat(), family: String::new() },
    }
}

/// A label of Apple's without its wrapping: `_$!<Home>!$_` is `home`.
fn plain_label(label: &str) -> String {
    label.trim_start_matches("_$!<").trim_end_matches(">!$_").trim().to_lowercase()
}

/// Whether a card is the one that a participant named, by name or e-mail address.
fn is_named(contact: &Contact, wanted: &str) -> bool {
    let wanted = wanted.trim().to_lowercase();
    let whole = format!("{} {}", contact.name.given, contact.name.family).to_lowercase();
    let same_address = contact.email.iter().any(|email| email.value.to_lowercase() == wanted);
    let same_name =
        wanted.split_whitespace().all(|word| whole.split_whitespace().any(|w| w == word));
    !wanted.is_empty() && (same_address || same_name)
}
