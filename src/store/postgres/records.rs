//! How rows are sealed: a byte for the version, then the text, compressed and sealed with the key of the session or the
//! store's own, and bound to the row that it belongs to.

use std::{fmt::Display, sync::Arc};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::{
    base::ids::SessionId,
    model::{
        audit::{AuditRecord, Sealed},
        file_key::FileKey,
    },
    store::{
        Error, Note,
        compression::{self, Level},
        sealing::{self, Digest, Key, SECRET, StoreSecret},
    },
};

/// How a row is sealed, which stands first in it. Events carry a version of their own.
const VERSION: u8 = 1;

/// Families of digests, as in the embedded store.
const ACCOUNT: u8 = b'u';
const DEDUP: u8 = b'd';
const FAMILY: u8 = b'f';
const NOTE: u8 = b'k';
const PERSON: u8 = b'n';
const PLACE: u8 = b'p';

/// What a row is bound to, so that it cannot stand in another's place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Row {
    Account(Digest),
    Audit(u64),
    Effect(Uuid),
    Events(SessionId, u64),
    Head(SessionId),
    Keys(SessionId),
    Note(Digest),
    Secret,
    Shown(Uuid),
    Wait(Uuid),
    Words(u64),
}

impl Row {
    fn bytes(self) -> Vec<u8> {
        let (family, id): (u8, Vec<u8>) = match self {
            Self::Account(digest) => (b'u', digest.into()),
            Self::Audit(index) => (b'a', index.to_be_bytes().into()),
            Self::Effect(id) => (b'o', id.as_bytes().into()),
            Self::Events(session, seq) => {
                (b'e', [&session.uuid().as_bytes()[..], &seq.to_be_bytes()].concat())
            }
            Self::Head(session) => (b'h', session.uuid().as_bytes().into()),
            Self::Keys(session) => (b'k', session.uuid().as_bytes().into()),
            Self::Note(digest) => (b'n', digest.into()),
            Self::Secret => (b's', Vec::new()),
            Self::Shown(id) => (b'r', id.as_bytes().into()),
            Self::Wait(id) => (b'w', id.as_bytes().into()),
            Self::Words(index) => (b'x', index.to_be_bytes().into()),
        };
        [&[VERSION, family], &id[..]].concat()
    }
}

/// Seals a value.
pub(super) fn seal(key: &Key, row: Row, value: &impl Serialize) -> Result<Vec<u8>, Error> {
    let text = serde_json::to_vec(value).map_err(Error::unavailable)?;
    let mut sealed = key.seal(&row.bytes(), compression::compress(&text, Level::Fast)?)?;
    sealed.insert(0, VERSION);
    Ok(sealed)
}

/// What [`seal`] sealed; `what` names it in an error.
pub(super) fn open<T: DeserializeOwned>(
    key: &Key,
    row: Row,
    sealed: &[u8],
    what: &dyn Display,
) -> Result<T, Error> {
    let text = compression::decompress(&unsealed(key, row, sealed, what)?, what)?;
    serde_json::from_slice(&text).map_err(|_| Error::damaged(what, "its text has another form"))
}

fn unsealed(key: &Key, row: Row, sealed: &[u8], what: &dyn Display) -> Result<Vec<u8>, Error> {
    let Some((version, sealed)) = sealed.split_first() else {
        return Err(Error::damaged(what, "it ends early"));
    };
    if *version > VERSION {
        return Err(Error::newer(what, (*version).into()));
    }
    let plain = key.open(&row.bytes(), sealed);
    plain.ok_or_else(|| Error::damaged(what, "it is not what was sealed"))
}

/// The two keys of a session.
#[derive(Clone)]
pub(super) struct SessionKeys {
    /// Seals all that is said; made anew where a part of the session is erased.
    pub(super) said: Arc<Key>,
    /// Seals files and notes, which stay with the rest.
    pub(super) lasting: Arc<Key>,
    secrets: [[u8; SECRET]; 2],
}

impl SessionKeys {
    fn of(secrets: [[u8; SECRET]; 2]) -> Result<Self, Error> {
        let [said, lasting] = &secrets;
        let (said, lasting) = (Arc::new(Key::new(said)?), Arc::new(Key::new(lasting)?));
        Ok(Self { said, lasting, secrets })
    }

    /// Generates the keys of a new session.
    pub(super) fn fresh() -> Result<Self, Error> {
        let mut secrets = [[0; SECRET]; 2];
        secrets.iter_mut().try_for_each(|secret| sealing::fill(secret))?;
        Self::of(secrets)
    }

    /// The keys for what goes on after all that was said is erased: `said` is new, `lasting` stays.
    pub(super) fn renewed(&self) -> Result<Self, Error> {
        let mut secrets = self.secrets;
        let [said, _] = &mut secrets;
        sealing::fill(said)?;
        Self::of(secrets)
    }

    pub(super) fn files(&self) -> FileKey {
        self.lasting.files()
    }
}

/// What opens everything: the operator's key, and the store's secret that it sealed.
pub(super) struct Keyring {
    operator: Key,
    pub(super) secret: StoreSecret,
    /// Seals what belongs to no session.
    pub(super) own: Key,
}

impl Keyring {
    /// A new store's secret, sealed with the operator's key.
    pub(super) fn new_secret(operator: &[u8; SECRET]) -> Result<Vec<u8>, Error> {
        let mut secret = [0; SECRET];
        sealing::fill(&mut secret)?;
        Self::sealed_secret(operator, &secret)
    }

    /// A store's secret, sealed with the operator's key.
    pub(super) fn sealed_secret(
        operator: &[u8; SECRET],
        secret: &[u8; SECRET],
    ) -> Result<Vec<u8>, Error> {
        Key::new(operator)?.seal(&Row::Secret.bytes(), secret.to_vec())
    }

    /// Opens the store's secret; `None` if the operator's key is not the one that sealed it.
    pub(super) fn open(operator: &[u8; SECRET], sealed: &[u8]) -> Result<Option<Self>, Error> {
        let operator = Key::new(operator)?;
        let secret = operator.open(&Row::Secret.bytes(), sealed);
        let Some(secret) = secret.and_then(|secret| <[u8; SECRET]>::try_from(secret).ok()) else {
            return Ok(None);
        };
        let (own, secret) = (Key::new(&secret)?, StoreSecret::new(&secret));
        Ok(Some(Self { operator, secret, own }))
    }

    pub(super) fn wrap(&self, session: SessionId, keys: &SessionKeys) -> Result<Vec<u8>, Error> {
        self.operator.seal(&Row::Keys(session).bytes(), keys.secrets.concat())
    }

    pub(super) fn unwrap(&self, session: SessionId, wrapped: &[u8]) -> Result<SessionKeys, Error> {
        let plain = self.operator.open(&Row::Keys(session).bytes(), wrapped);
        let halves = plain.as_deref().and_then(|plain| plain.split_at_checked(SECRET));
        let secret = |half: &[u8]| <[u8; SECRET]>::try_from(half).ok();
        let secrets = halves.and_then(|(said, lasting)| Some([secret(said)?, secret(lasting)?]));
        let what = format!("keys of session `{session}`");
        SessionKeys::of(secrets.ok_or_else(|| Error::damaged(what, "they do not fit"))?)
    }

    pub(super) fn account(&self, name: &str) -> Digest {
        self.secret.digest(ACCOUNT, name)
    }

    pub(super) fn dedup(&self, key: &str) -> Digest {
        self.secret.digest(DEDUP, key)
    }

    pub(super) fn note(&self, key: &str) -> Digest {
        self.secret.digest(NOTE, key)
    }

    /// What a note is about, which its key begins with: `erasure`, and of notes of a platform `slack/install`.
    pub(super) fn family(&self, key: &str) -> Digest {
        self.family_within(key).unwrap_or_else(|| self.secret.digest(FAMILY, key))
    }

    /// The one family of all notes whose keys begin with `prefix`; `None` if there may be several.
    pub(super) fn family_within(&self, prefix: &str) -> Option<Digest> {
        let is_platforms = prefix.starts_with("slack/") || prefix.starts_with("discord/");
        let (end, _) = prefix.match_indices('/').nth(usize::from(is_platforms))?;
        Some(self.secret.digest(FAMILY, &prefix[..end]))
    }

    pub(super) fn person(&self, text: &str) -> Digest {
        self.secret.digest(PERSON, text)
    }

    pub(super) fn place(&self, text: &str) -> Digest {
        self.secret.digest(PLACE, text)
    }
}

/// The text of a note.
#[derive(Serialize, Deserialize)]
pub(super) struct NoteText {
    pub(super) key: String,
    pub(super) value: String,
}

impl NoteText {
    pub(super) fn of(self, session: Option<SessionId>) -> Note {
        Note { key: self.key, session, value: Some(self.value) }
    }
}

/// An audit record without its words.
#[derive(Serialize, Deserialize)]
pub(super) struct AuditText {
    pub(super) sealed: Sealed,
    /// It has words, or had some.
    has_words: bool,
    /// They are sealed with the store's own key.
    pub(super) of_store: bool,
}

/// The words of an audit record and what keeps their digest from being guessed.
#[derive(Serialize, Deserialize)]
pub(super) struct Words {
    words: serde_json::Map<String, serde_json::Value>,
    salt: String,
}

/// Takes a record apart into what stays and what can be erased.
pub(super) fn split(mut sealed: Sealed, of_store: bool) -> (AuditText, Option<Words>) {
    let words = std::mem::take(&mut sealed.record.words);
    let salt = std::mem::take(&mut sealed.salt);
    let is_there = !words.is_empty();
    let has_words = is_there || sealed.erased;
    (AuditText { sealed, has_words, of_store }, is_there.then_some(Words { words, salt }))
}

/// A record as it was sealed, or without its words where they were erased.
pub(super) fn joined(text: AuditText, words: Option<Words>) -> Sealed {
    let AuditText { sealed, has_words, .. } = text;
    let erased = has_words && words.is_none();
    let Words { words, salt } =
        words.unwrap_or_else(|| Words { words: serde_json::Map::new(), salt: String::new() });
    let record = AuditRecord { words, ..sealed.record };
    Sealed { record, salt, erased, ..sealed }
}
