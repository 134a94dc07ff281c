//! Whom of the team the bot may write to directly where no channel of theirs takes anything.

use std::collections::{BTreeMap, BTreeSet};

/// People of one platform, by the platform's own ids, as the operator's configuration names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Team {
    /// Who decides, by alias.
    pub deciders: BTreeMap<String, BTreeSet<String>>,
    /// Who sees what staff see.
    pub staff: BTreeSet<String>,
}

impl Team {
    /// Those who may decide under an alias.
    pub(crate) fn who_decide(&self, alias: &str) -> impl Iterator<Item = &String> {
        self.deciders.get(alias).into_iter().flatten()
    }

    /// Everybody who may read what is told to staff.
    pub(crate) fn who_read(&self) -> BTreeSet<&String> {
        self.deciders.values().flatten().chain(&self.staff).collect()
    }
}
