//! Nodes of one bot: one is active, and tells the others where it listens.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A part of a node that listens for requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The pages.
    Web,
    /// What Slack sends, and installing.
    Slack,
    /// What Discord sends.
    Discord,
}

impl Part {
    /// As it is stored and logged.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Slack => "slack",
            Self::Discord => "discord",
        }
    }
}

/// Where the parts of a node are reached over HTTP: `host:port` by name. Those of a newer version are kept as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Addresses(BTreeMap<String, String>);

impl Addresses {
    /// Adds one.
    #[must_use]
    pub fn with(mut self, part: Part, address: String) -> Self {
        self.0.insert(part.name().to_owned(), address);
        self
    }

    /// Where a part is reached, if that is known.
    pub fn of(&self, part: Part) -> Option<&str> {
        self.0.get(part.name()).map(String::as_str)
    }

    /// As it is stored; `None` if there is nothing.
    pub fn stored(&self) -> Option<String> {
        let text = serde_json::to_string(self).ok()?;
        (!self.0.is_empty()).then_some(text)
    }

    /// What was stored; nothing where it can't be read.
    pub fn read(stored: &str) -> Self {
        serde_json::from_str(stored).unwrap_or_default()
    }
}

/// The active node, as others see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActiveNode {
    /// What it is called.
    pub name: String,
    /// Where it is reached.
    pub addresses: Addresses,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_stored_as_they_are_read() {
        let addresses = Addresses::default().with(Part::Web, "10.0.0.5:4747".to_owned());
        let stored = addresses.stored().unwrap();
        assert_eq!(stored, r#"{"web":"10.0.0.5:4747"}"#);
        assert_eq!(Addresses::read(&stored), addresses);
        assert_eq!(addresses.of(Part::Slack), None);
        assert_eq!(Addresses::default().stored(), None);
        assert_eq!(Addresses::read("something else"), Addresses::default());
        let newer = Addresses::read(r#"{"teams":"a:1","web":"b:2"}"#);
        assert_eq!(newer.of(Part::Web), Some("b:2"));
    }
}
