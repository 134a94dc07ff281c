//! `[approvers]`: who decides.

use std::collections::BTreeMap;

use super::Resolve;
use crate::config::{raw::Approvers, toml_document::escaped};

impl Resolve<'_> {
    /// Whoever is named otherwise than by id could never decide.
    pub(super) fn approvers(&mut self, table: &str, written: &BTreeMap<String, Approvers>) {
        for (alias, approvers) in written {
            let at = format!("{table}/approvers/{}", escaped(alias));
            for (key, ids, kinds) in [
                ("slack_users", &approvers.slack_users, &['U', 'W'][..]),
                ("slack_groups", &approvers.slack_groups, &['S'][..]),
            ] {
                for (index, id) in ids.iter().enumerate() {
                    self.slack_id(&format!("{at}/{key}/{index}"), id, kinds);
                }
            }
            for (key, ids) in [
                ("discord_users", &approvers.discord_users),
                ("discord_roles", &approvers.discord_roles),
            ] {
                for (index, id) in ids.iter().enumerate() {
                    self.discord_id(&format!("{at}/{key}/{index}"), id);
                }
            }
        }
    }
}
