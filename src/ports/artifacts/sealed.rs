//! The form of a sealed file, and the name it lies under.
//!
//! | bytes | |
//! |---|---|
//! | 16 | `anteroom file 1\n`: what it is, and the version of this form |
//! | 32 | salt: with the session's file key it gives the key of this file alone |
//! | 8 | length of the content, big-endian |
//! | … | chunks of 64 KiB of content, each sealed (ChaCha20-Poly1305) and 16 bytes longer; the last may be shorter |
//!
//! Each chunk is bound to the bytes before the first, to the session, to the file's name, to its number, and to whether
//! it is the last: nothing can be changed, cut off, moved or taken from another file without being found. Whoever
//! overwrites the salt has destroyed the file.
//!
//! The name is a keyed digest of the content's SHA-256, so that a folder does not tell which files are in it.

use std::io::{self, Read};

use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hmac,
    rand::{SecureRandom as _, SystemRandom},
};

use crate::{
    base::ids::SessionId,
    model::{audit::hex, file_key::FileKey},
};

/// What every version begins with.
const KIND: &[u8; 14] = b"anteroom file ";

const MAGIC: &[u8; 16] = b"anteroom file 1\n";

const SALT: usize = 32;

/// Bytes before the first chunk; nothing can be read without them.
pub(super) const HEADER: usize = MAGIC.len() + SALT + 8;

/// Bytes of content in a chunk.
const CHUNK: usize = 64 * 1024;

const TAG: usize = 16;

/// Why a sealed file cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unopened {
    /// The device's fault.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not what was written.
    #[error("{0}")]
    Damaged(&'static str),
    /// It has a later version of this form.
    #[error("a newer version wrote it")]
    Newer,
}

/// A file of a session: its key and what it is bound to.
#[derive(Debug, Clone)]
pub(super) struct Seal {
    key: FileKey,
    session: SessionId,
    name: String,
}

impl Seal {
    /// For the content with this digest.
    pub(super) fn new(key: FileKey, session: SessionId, sha256: &str) -> Self {
        let name = name(&key, sha256);
        Self { key, session, name }
    }

    /// The name it lies under.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Seals a file's content under a new salt.
    pub(super) fn seal(&self, content: &[u8]) -> io::Result<Vec<u8>> {
        let mut header = [0; HEADER];
        header[..MAGIC.len()].copy_from_slice(MAGIC);
        let salt = &mut header[MAGIC.len()..MAGIC.len() + SALT];
        SystemRandom::new()
            .fill(salt)
            .map_err(|_| io::Error::other("the system gives no random bytes"))?;
        header[MAGIC.len() + SALT..].copy_from_slice(&(content.len() as u64).to_be_bytes());
        let chunks = Chunks::new(self, &header)?;
        let mut sealed =
            Vec::with_capacity(HEADER + content.len() + (content.len() / CHUNK + 1) * TAG);
        sealed.extend_from_slice(&header);
        let mut rest = content;
        let mut number = 0;
        loop {
            let (chunk, after) = rest.split_at(rest.len().min(CHUNK));
            let start = sealed.len();
            sealed.extend_from_slice(chunk);
            let tag = chunks.seal(number, after.is_empty(), &mut sealed[start..])?;
            sealed.extend_from_slice(tag.as_ref());
            if after.is_empty() {
                return Ok(sealed);
            }
            rest = after;
            number += 1;
        }
    }

    /// The content of a sealed file, chunk by chunk as it is read, so that a damaged length takes no memory.
    pub(super) fn open(&self, mut from: impl Read) -> Result<Vec<u8>, Unopened> {
        let mut header = [0; HEADER];
        exactly(&mut from, &mut header)?;
        if !header.starts_with(MAGIC) {
            let is_newer = header.starts_with(KIND) && header[MAGIC.len() - 1] == b'\n';
            return Err(if is_newer {
                Unopened::Newer
            } else {
                Unopened::Damaged("it does not begin as one")
            });
        }
        let (_, length) = header.split_at(MAGIC.len() + SALT);
        let mut left = length.try_into().map_or(u64::MAX, u64::from_be_bytes);
        let chunks = Chunks::new(self, &header)?;
        let mut content = Vec::new();
        let mut buffer = vec![0; CHUNK + TAG];
        let mut number = 0;
        loop {
            let size = usize::try_from(left).unwrap_or(usize::MAX).min(CHUNK);
            left -= size as u64;
            let sealed = &mut buffer[..size + TAG];
            exactly(&mut from, sealed)?;
            content.extend_from_slice(chunks.open(number, left == 0, sealed)?);
            if left == 0 {
                break;
            }
            number += 1;
        }
        match from.read(&mut [0])? {
            0 => Ok(content),
            _ => Err(Unopened::Damaged("something follows its end")),
        }
    }
}

/// Whether a file that begins so is sealed, in whatever version.
pub(super) fn is_sealed(beginning: &[u8]) -> bool {
    beginning.starts_with(KIND)
}

/// The key of one file, and what its chunks are bound to.
struct Chunks {
    key: LessSafeKey,
    bound: Vec<u8>,
}

impl Chunks {
    fn new(seal: &Seal, header: &[u8; HEADER]) -> io::Result<Self> {
        let salt = &header[MAGIC.len()..MAGIC.len() + SALT];
        let secret = derived(&seal.key, b"content", salt);
        let key = UnboundKey::new(&CHACHA20_POLY1305, secret.as_ref())
            .map_err(|_| io::Error::other("a key has the wrong length"))?;
        let session = seal.session.uuid();
        let bound = [&header[..], session.as_bytes(), seal.name.as_bytes()].concat();
        Ok(Self { key: LessSafeKey::new(key), bound })
    }

    fn seal(&self, number: u64, is_last: bool, chunk: &mut [u8]) -> io::Result<ring::aead::Tag> {
        let aad = Aad::from(&self.bound);
        let tag = self.key.seal_in_place_separate_tag(nonce(number, is_last), aad, chunk);
        tag.map_err(|_| io::Error::other("a file could not be sealed"))
    }

    fn open<'a>(
        &self,
        number: u64,
        is_last: bool,
        sealed: &'a mut [u8],
    ) -> Result<&'a [u8], Unopened> {
        let opened = self.key.open_in_place(nonce(number, is_last), Aad::from(&self.bound), sealed);
        opened.map(|content| &*content).map_err(|_| Unopened::Damaged("it is not what was sealed"))
    }
}

/// Unique for a file's key, which seals each chunk once.
fn nonce(number: u64, is_last: bool) -> Nonce {
    let mut nonce = [0; NONCE_LEN];
    nonce[0] = is_last.into();
    nonce[NONCE_LEN - 8..].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(nonce)
}

/// The name that the content with this digest lies under.
pub(super) fn name(key: &FileKey, sha256: &str) -> String {
    hex(derived(key, b"name", sha256.as_bytes()).as_ref())
}

/// A secret for one purpose.
fn derived(key: &FileKey, purpose: &[u8], of: &[u8]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key.secret()));
    context.update(purpose);
    context.update(&[0]);
    context.update(of);
    context.sign()
}

fn exactly(from: &mut impl Read, into: &mut [u8]) -> Result<(), Unopened> {
    from.read_exact(into).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => Unopened::Damaged("it ends early"),
        _ => error.into(),
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn seal() -> Seal {
        Seal::new(FileKey::new([7; 32]), SessionId::from_uuid(Uuid::from_u128(1)), "d1")
    }

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|at| u8::try_from(at % 251).unwrap_or_default()).collect()
    }

    #[test]
    fn files_of_every_length_come_back() {
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 5] {
            let sealed = seal().seal(&content(length)).unwrap();
            assert!(is_sealed(&sealed));
            assert_eq!(seal().open(&sealed[..]).unwrap(), content(length), "{length}");
        }
        assert_ne!(seal().seal(b"same").unwrap(), seal().seal(b"same").unwrap());
    }

    #[test]
    fn a_file_that_was_changed_anywhere_is_refused() {
        let sealed = seal().seal(&content(2 * CHUNK + 9)).unwrap();
        let edges = [HEADER + CHUNK + TAG, HEADER + 2 * (CHUNK + TAG)];
        let bytes = (0..HEADER + 64).chain((HEADER..sealed.len()).step_by(997));
        for at in bytes.chain(edges).chain([sealed.len() - 1]) {
            let mut changed = sealed.clone();
            changed[at] ^= 0x10;
            assert!(seal().open(&changed[..]).is_err(), "byte {at}");
        }
        for length in [0, 15, HEADER - 1, HEADER, sealed.len() - 1].into_iter().chain(edges) {
            assert!(seal().open(&sealed[..length]).is_err(), "cut to {length}");
        }
        assert!(seal().open(&[&sealed[..], b"x"].concat()[..]).is_err());
    }

    #[test]
    fn chunks_cannot_change_places() {
        let mut sealed = seal().seal(&content(3 * CHUNK)).unwrap();
        let (one, two) = sealed[HEADER..].split_at_mut(CHUNK + TAG);
        one.swap_with_slice(&mut two[..CHUNK + TAG]);
        assert!(seal().open(&sealed[..]).is_err());
    }

    #[test]
    fn a_file_belongs_to_one_key_one_session_and_one_name() {
        let sealed = seal().seal(b"Ada").unwrap();
        let other = SessionId::from_uuid(Uuid::from_u128(2));
        for stranger in [
            Seal { key: FileKey::new([8; 32]), ..seal() },
            Seal { session: other, ..seal() },
            Seal { name: "d2".to_owned(), ..seal() },
        ] {
            let refused = stranger.open(&sealed[..]).unwrap_err();
            assert_eq!(refused.to_string(), "it is not what was sealed");
        }
    }

    #[test]
    fn a_file_of_a_later_version_is_told_from_a_damaged_one() {
        let mut sealed = seal().seal(b"Ada").unwrap();
        sealed[KIND.len()] = b'2';
        assert!(matches!(seal().open(&sealed[..]), Err(Unopened::Newer)));
    }

    #[test]
    fn the_name_of_a_file_depends_on_the_key() {
        let one = seal();
        let two = Seal::new(FileKey::new([8; 32]), one.session, "d1");
        assert_eq!(one.name().len(), 64);
        assert_ne!(one.name(), two.name());
        assert_eq!(one.name(), seal().name());
    }
}
