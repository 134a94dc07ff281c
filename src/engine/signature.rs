//! Signatures of what leaves: web hooks, and links to files.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::model::audit::hex;

/// The HMAC-SHA256, in hex, of `parts` with dots between them.
pub(super) fn signature(key: &[u8], parts: &[&str]) -> String {
    // A key of any length is accepted.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return String::new();
    };
    mac.update(parts.join(".").as_bytes());
    hex(&mac.finalize().into_bytes())
}
