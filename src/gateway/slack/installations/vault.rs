//! Tokens at rest: sealed with a key that only the environment holds.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand::{SecureRandom, SystemRandom},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{config::Secret, model::audit::hex};

/// Bytes of the key.
const KEY_LEN: usize = 32;

/// What is sealed: the tokens of one installation.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Tokens {
    /// What calls carry.
    pub(super) access: String,
    /// Gets the next pair, once; `None` if tokens do not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh: Option<String>,
}

/// Why sealed tokens cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unsealed {
    /// They were sealed with another key.
    #[error("they were sealed with another key")]
    OtherKey,
    /// They are not what was once written.
    #[error("they are damaged")]
    Damaged,
}

/// Seals and opens tokens.
pub(super) struct Vault {
    key: LessSafeKey,
    id: String,
    random: SystemRandom,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vault").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Vault {
    /// Of a key in base64; `None` if it is not one.
    pub(super) fn new(key: &Secret) -> Option<Self> {
        let bytes = STANDARD.decode(key.expose()).ok().filter(|bytes| bytes.len() == KEY_LEN)?;
        let id =
            hex(&Sha256::new().chain_update("anteroom tokens").chain_update(&bytes).finalize());
        let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &bytes).ok()?);
        // Enough to tell keys apart, too little to learn anything of one.
        Some(Self { key, id: id[..8].to_owned(), random: SystemRandom::new() })
    }

    /// Tells the key from others.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Seals tokens so that they open only under the same name. None where there is no randomness.
    pub(super) fn seal(&self, name: &str, tokens: &Tokens) -> Option<String> {
        let mut nonce = [0; NONCE_LEN];
        self.random.fill(&mut nonce).ok()?;
        let mut sealed = serde_json::to_vec(tokens).ok()?;
        let aad = Aad::from(name.as_bytes());
        let nonce_used = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(nonce_used, aad, &mut sealed).ok()?;
        Some(STANDARD.encode([&nonce[..], &sealed].concat()))
    }

    /// Opens what was sealed under `name` with the key `id`.
    pub(super) fn open(&self, name: &str, id: &str, sealed: &str) -> Result<Tokens, Unsealed> {
        if id != self.id {
            return Err(Unsealed::OtherKey);
        }
        let sealed = STANDARD.decode(sealed).map_err(|_| Unsealed::Damaged)?;
        let (nonce, rest) = sealed.split_at_checked(NONCE_LEN).ok_or(Unsealed::Damaged)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Unsealed::Damaged)?;
        let mut rest = rest.to_vec();
        let opened = self.key.open_in_place(nonce, Aad::from(name.as_bytes()), &mut rest);
        let opened = opened.map_err(|_| Unsealed::Damaged)?;
        serde_json::from_slice(opened).map_err(|_| Unsealed::Damaged)
    }

    /// Random bytes in hex; `None` if there is no randomness.
    pub(super) fn random(&self) -> Option<String> {
        let mut bytes = [0; 16];
        self.random.fill(&mut bytes).ok()?;
        Some(hex(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault(byte: u8) -> Vault {
        Vault::new(&Secret::new(STANDARD.encode([byte; KEY_LEN]))).unwrap()
    }

    #[test]
    fn tokens_open_under_their_name_with_their_key_only() {
        let (vault, other) = (vault(1), vault(2));
        let tokens = Tokens { access: "xoxb-1".to_owned(), refresh: Some("xoxe-1".to_owned()) };
        let sealed = vault.seal("slack/install/T01", &tokens).unwrap();
        assert!(!sealed.contains("xox"));
        let open = |vault: &Vault, name, id: &str, sealed: &str| {
            vault.open(name, id, sealed).map(|tokens| tokens.access)
        };
        let id = vault.id();
        assert_eq!(open(&vault, "slack/install/T01", id, &sealed).unwrap(), "xoxb-1");
        assert_eq!(open(&vault, "slack/install/T02", id, &sealed), Err(Unsealed::Damaged));
        assert_eq!(open(&other, "slack/install/T01", id, &sealed), Err(Unsealed::OtherKey));
        assert_eq!(open(&vault, "slack/install/T01", id, "AAAA"), Err(Unsealed::Damaged));
        assert_ne!(
            sealed,
            vault.seal("slack/install/T01", &tokens).unwrap(),
            "never twice the same"
        );
        assert!(Vault::new(&Secret::new("c2hvcnQ=")).is_none());
    }
}
