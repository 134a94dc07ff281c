//! How messages look.

/// Messages whose look is remembered.
const KEPT: u64 = 10_000;

/// What messages look like that this process has drawn, by their names; an edit that changes nothing need not leave.
#[derive(Debug)]
pub struct Drawn {
    digests: moka::sync::Cache<String, String>,
}

impl Drawn {
    /// Nothing is known.
    pub fn new() -> Self {
        Self { digests: moka::sync::Cache::new(KEPT) }
    }

    /// Whether a message looks so already, as far as this process has drawn it.
    pub fn is(&self, message: &str, digest: &str) -> bool {
        self.digests.get(message).is_some_and(|drawn| drawn == digest)
    }

    /// Remembers how a message looks.
    pub fn note(&self, message: String, digest: String) {
        self.digests.insert(message, digest);
    }

    /// Somebody else has drawn a message: how it looks is not known any more.
    pub fn forget(&self, message: &str) {
        self.digests.invalidate(message);
    }
}

impl Default for Drawn {
    fn default() -> Self {
        Self::new()
    }
}
