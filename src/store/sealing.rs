//! How what is said of a session is sealed: with a key of its own, so that destroying 32 bytes destroys all of it. What
//! indexes must find without reading it is a keyed digest, which nobody makes who does not have the store's secret.

use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hmac,
    rand::{SecureRandom as _, SystemRandom},
};

use super::Error;
use crate::model::file_key::{self, FileKey};

/// Bytes of a secret.
pub(super) const SECRET: usize = 32;

/// Bytes of a digest.
pub(super) const DIGEST: usize = 16;

/// A keyed digest.
pub(super) type Digest = [u8; DIGEST];

/// Fills `bytes` with random ones.
pub(super) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    let filled = SystemRandom::new().fill(bytes);
    filled.map_err(|_| Error::unavailable("the system gives no random bytes"))
}

/// A session's key.
pub(super) struct Key {
    root: hmac::Key,
    aead: LessSafeKey,
    digests: hmac::Key,
}

impl Key {
    pub(super) fn new(secret: &[u8; SECRET]) -> Result<Self, Error> {
        // One key for each purpose.
        let root = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let sealing = hmac::sign(&root, b"seal");
        let digests = hmac::sign(&root, b"digest");
        let aead = UnboundKey::new(&CHACHA20_POLY1305, sealing.as_ref())
            .map_err(|_| Error::unavailable("a key has the wrong length"))?;
        let digests = hmac::Key::new(hmac::HMAC_SHA256, digests.as_ref());
        Ok(Self { root, aead: LessSafeKey::new(aead), digests })
    }

    /// What the session's files are sealed with.
    pub(super) fn files(&self) -> FileKey {
        let mut secret = [0; SECRET];
        secret.copy_from_slice(hmac::sign(&self.root, b"files").as_ref());
        FileKey::new(secret)
    }

    /// Seals `plain`; what it is bound to must be given again to open it.
    pub(super) fn seal(&self, bound: &[u8], plain: Vec<u8>) -> Result<Vec<u8>, Error> {
        let mut nonce = [0; NONCE_LEN];
        fill(&mut nonce)?;
        let mut sealed = plain;
        let unique = Nonce::assume_unique_for_key(nonce);
        let tagged = self.aead.seal_in_place_append_tag(unique, Aad::from(bound), &mut sealed);
        tagged.map_err(|_| Error::unavailable("a record could not be sealed"))?;
        sealed.splice(..0, nonce);
        Ok(sealed)
    }

    /// What [`Key::seal`] sealed; `None` if it was changed, or was bound to something else.
    pub(super) fn open(&self, bound: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut bytes = rest.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let length = self.aead.open_in_place(nonce, Aad::from(bound), &mut bytes).ok()?.len();
        bytes.truncate(length);
        Some(bytes)
    }

    /// A digest that nobody makes without the key, and nobody at all once it is shredded.
    pub(super) fn digest(&self, bytes: &[u8]) -> Digest {
        first_half(&hmac::sign(&self.digests, bytes))
    }
}

fn first_half(tag: &hmac::Tag) -> Digest {
    let mut digest = Digest::default();
    let bytes = digest.iter_mut().zip(tag.as_ref());
    bytes.for_each(|(to, from)| *to = *from);
    digest
}

/// The store's own secret: what digests in indexes and links to files are made with.
pub(super) struct StoreSecret {
    bytes: [u8; SECRET],
    key: hmac::Key,
}

impl StoreSecret {
    pub(super) fn new(secret: &[u8; SECRET]) -> Self {
        Self { bytes: *secret, key: hmac::Key::new(hmac::HMAC_SHA256, secret) }
    }

    /// The secret itself, for a store that is made with the same.
    pub(super) const fn bytes(&self) -> &[u8; SECRET] {
        &self.bytes
    }

    /// A digest of `text` that only this store makes. `family` keeps those of different families apart.
    pub(super) fn digest(&self, family: u8, text: &str) -> Digest {
        let mut context = hmac::Context::with_key(&self.key);
        context.update(&[family]);
        context.update(text.as_bytes());
        first_half(&context.sign())
    }

    /// What links to files are signed with. No digest begins with this word's first letter.
    pub(super) fn link_key(&self) -> FileKey {
        let tag = hmac::sign(&self.key, b"file links");
        let mut secret = [0; file_key::LENGTH];
        secret.copy_from_slice(tag.as_ref());
        FileKey::new(secret)
    }
}
