//! Workspaces of organisations that installed the app for all of theirs: which ones the bot may work in.

use std::{collections::BTreeSet, sync::PoisonError};

use super::{HOMES, Installation, Installations};
use crate::{
    gateway::slack::inbound,
    store::{self, Note},
};

impl Installations {
    /// Something came from a workspace: where it belongs to an organisation's installation, that is remembered, so
    /// that what leaves later finds its token.
    pub async fn met(&self, workspace: &inbound::Workspace) {
        let Some(enterprise) = workspace.enterprise.as_ref().filter(|_| self.many.is_some()) else {
            return;
        };
        let is_new = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            !workspace.team.is_empty()
                && !known.entries.contains_key(&workspace.team)
                && known.homes.get(&workspace.team) != Some(enterprise)
                && known.entries.contains_key(enterprise)
        };
        if !is_new {
            return;
        }
        // Kept or not, the next event says it again.
        if let Err(error) = self.keep_home(&workspace.team, Some(enterprise)).await {
            tracing::warn!(%error, "whose a workspace is could not be saved");
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.homes.insert(workspace.team.clone(), enterprise.clone());
    }

    /// An organisation let the app into these workspaces of its own.
    pub async fn admit(
        &self,
        workspace: &inbound::Workspace,
        teams: &[String],
    ) -> Result<(), store::Error> {
        let Some(enterprise) = &workspace.enterprise else { return Ok(()) };
        for team in teams {
            self.keep_home(team, Some(enterprise)).await?;
            let installed = {
                let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
                known.homes.insert(team.clone(), enterprise.clone());
                known.entry(team).map(|entry| entry.installation.clone())
            };
            let back = installed.filter(|installed| installed.is_enterprise_install).map(|whole| {
                Installation { team: team.clone(), is_enterprise_install: false, ..whole }
            });
            if let Some(back) = back {
                // Nobody listening is no failure.
                _ = self.installed.send(back);
            }
        }
        Ok(())
    }

    /// Which of these workspaces the bot works in for their organisation; one that has installed the app itself is none of
    /// them.
    pub(crate) fn lent(&self, teams: &[String]) -> BTreeSet<String> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let is_lent =
            |team: &&String| known.homes.contains_key(*team) && !known.entries.contains_key(*team);
        teams.iter().filter(is_lent).cloned().collect()
    }

    /// Its organisation took the app out of a workspace: nothing is called there.
    pub(crate) async fn withhold(&self, team: &str) -> Result<(), store::Error> {
        self.keep_home(team, None).await?;
        self.known.write().unwrap_or_else(PoisonError::into_inner).homes.remove(team);
        Ok(())
    }

    async fn keep_home(&self, team: &str, enterprise: Option<&String>) -> Result<(), store::Error> {
        let Some(many) = &self.many else { return Ok(()) };
        let key = format!("{HOMES}{team}");
        many.store.note(Note { key, session: None, value: enterprise.cloned() }).await
    }
}
