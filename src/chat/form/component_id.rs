//! Names of the controls that are shown: the same on every platform.

use crate::{base::ids::WaitId, session::Command};

/// `v1.<wait>.<revision>.<action>`: which control of which question was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentId {
    /// The question.
    pub wait: WaitId,
    /// The revision that was shown.
    pub revision: u32,
    /// The control: `pick.0`, `done`, `save`, `add.1`, …
    pub action: String,
}

impl ComponentId {
    /// The id as it stands in a page, a button or a form.
    pub fn id(wait: WaitId, revision: u32, action: &str) -> String {
        format!("v1.{}.{revision}.{action}", wait.short())
    }

    /// Reads an id.
    pub fn parse(id: &str) -> Option<Self> {
        let mut parts = id.splitn(4, '.');
        if parts.next() != Some("v1") {
            return None;
        }
        let wait = WaitId::from_short(parts.next()?)?;
        let revision = parts.next()?.parse().ok()?;
        let action = parts.next().filter(|action| !action.is_empty())?.to_owned();
        Some(Self { wait, revision, action })
    }

    /// What the button of a closed card orders: `[Change]`, `[Reopen]`.
    pub fn order(&self) -> Option<Command> {
        match self.action.as_str() {
            "change" => Some(Command::Change { wait: self.wait }),
            "reopen" => Some(Command::Reopen { wait: self.wait }),
            _ => None,
        }
    }

    /// Whether it changes the form alone and answers nothing: an entry of a list is added, removed or moved.
    pub(crate) fn is_rearranging(&self) -> bool {
        ["add.", "remove.", "up."].iter().any(|verb| self.action.starts_with(verb))
    }
}
