//! Web hooks: signed, timed, safe to repeat.

use secrecy::SecretString;

/// Where a web hook goes.
#[derive(Debug, Clone)]
pub struct Target {
    /// The address.
    pub url: String,
    /// What requests are signed with; none where the operator chose no secret.
    pub secret: Option<SecretString>,
}
