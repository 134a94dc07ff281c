//! Everything about one session in formats that other programs read: JSON Resume, transcript, decisions, files, zip.
//!
//! All of it is pure but the reading of kept files. Who reads it decides what is in it: see [`Source::reader`].

pub mod bundle;
pub mod json_resume;
mod rated;
mod reviewed;
pub mod transcript;
mod words;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::{
    base::ids::SessionId,
    flow::{LoadedFlow, visible::seen_by},
    model::{audit::Sealed, flow::Reader, rating::Rating, transcript::Audience},
    ports::artifacts::blobs,
    session::{State, state::Record},
    store::{self, Loaded, Store},
};

pub use self::bundle::bundle;
pub(crate) use self::words::noted;

/// What an export is made from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The session with its events.
    pub loaded: &'a Loaded,
    /// The flow it runs.
    pub flow: &'a LoadedFlow,
    /// Its audit records: see [`audit_of`].
    pub audit: &'a [Sealed],
    /// What the participant said of the model's answers.
    pub ratings: &'a [Rating],
    /// Who will read it. A participant gets everything that is about them. What staff said among themselves, the words
    /// of a decision (which are for the interviewer) and the reasons of a hand-over are left to staff.
    pub reader: Audience,
}

/// Why an export could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The events make no session: damaged, or written by a newer version.
    #[error("session `{0}` cannot be read. hint: it may have been written by a newer version")]
    Unreadable(SessionId),
    /// A kept file could not be read.
    #[error(transparent)]
    Files(#[from] blobs::Error),
    /// There was no room for another archive.
    #[error("too many copies are being made or sent just now; please try again in a minute")]
    Busy,
    /// The archive could not be written.
    #[error("the archive could not be written: {0}")]
    Archive(String),
}

impl Source<'_> {
    /// What the events add up to.
    pub(crate) fn state(&self) -> Result<State, Error> {
        State::fold(&self.loaded.events).ok_or(Error::Unreadable(self.loaded.head.id))
    }
}

/// The audit records of one session, oldest first.
pub async fn audit_of(store: &dyn Store, session: SessionId) -> Result<Vec<Sealed>, store::Error> {
    let mut found = Vec::new();
    let mut from = None;
    loop {
        let (part, next) = store.audit_of(session, from).await?;
        found.extend(part);
        if next.is_none() {
            break;
        }
        from = next;
    }
    found.sort_by_key(|sealed| sealed.index);
    Ok(found)
}

/// The stored data, newest version of each record, in the order in which they were first stored, as the reader sees it.
pub fn records(state: &State, flow: &LoadedFlow, reader: Audience) -> Value {
    let records = state.records.iter().map(|record| {
        let data = read_by(record, flow, reader);
        json!({
            "id": record.id,
            "dataType": record.data_type,
            "reviewed": record.reviewed,
            "storedAt": record.at,
            "data": data,
        })
    });
    Value::Array(records.collect())
}

/// A record as the reader of an export sees it: the participant all of it.
fn read_by<'r>(record: &'r Record, flow: &LoadedFlow, reader: Audience) -> Cow<'r, Value> {
    match reader {
        Audience::Participant => Cow::Borrowed(&record.data),
        Audience::Staff => seen_by(flow.schemas.get(&record.data_type), &record.data, Reader::Team),
    }
}

/// The decisions and refusals of a session from its audit records. Words are for staff.
pub fn decisions(source: &Source<'_>) -> Value {
    let records = source.audit.iter().map(|sealed| {
        let record = &sealed.record;
        let mut entry = Map::new();
        entry.insert("index".to_owned(), json!(sealed.index));
        entry.insert("event".to_owned(), json!(record.event));
        entry.insert("timestamp".to_owned(), json!(record.timestamp));
        entry.extend(record.facts.clone());
        if source.reader == Audience::Staff {
            entry.extend(record.words.clone());
        }
        Value::Object(entry)
    });
    Value::Array(records.collect())
}
