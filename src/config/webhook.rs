//! Web hooks: where they go, and what may be one.

use super::secret::Secret;

/// A web hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Where it goes.
    pub url: String,
    /// What signs it.
    pub secret: Option<Secret>,
}

/// Whether web hooks may go to an address: encrypted or on this machine, with no name or password in it.
pub(super) fn is_hook_address(address: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(address) else { return false };
    let local = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    let bare = url.username().is_empty() && url.password().is_none();
    bare && (url.scheme() == "https" || (url.scheme() == "http" && local))
}
