//! What a schema cannot say about tenants.

use std::collections::{BTreeMap, BTreeSet};

use super::{Resolve, budget, slack::is_id};
use crate::config::{
    raw::{self, TenantDiscord, TenantSlack},
    settings,
    tenants::{Tenant, Tenants},
    toml_document::escaped,
};

/// Longest name of a tenant.
const NAME_MAX: usize = 32;

/// What is no tenant's name: those who open the staff page with the operator's key are known under it.
const RESERVED: &str = "local";

impl Resolve<'_> {
    pub(super) fn tenants(
        &mut self,
        written: BTreeMap<String, raw::Tenant>,
        web: &settings::Web,
    ) -> Tenants {
        let mut workspaces = BTreeMap::new();
        let mut keys = BTreeSet::new();
        keys.extend(web.staff_key.as_ref().map(|key| key.expose().to_owned()));
        let mut tenants = Vec::new();
        for (name, written) in written {
            let at = format!("/tenant/{}", escaped(&name));
            if !is_name(&name) || name == RESERVED {
                let hint = format!(
                    "use up to {NAME_MAX} small letters, digits and dashes; `{RESERVED}` is reserved"
                );
                self.tell(&at, format!("`{name}` is not a name for a tenant"), Some(hint));
            }
            let slack = written.slack.iter().flat_map(|slack| &slack.workspaces);
            let discord = written.discord.iter().flat_map(|discord| &discord.servers);
            for id in slack.chain(discord) {
                if let Some(other) = workspaces.insert(id.clone(), name.clone()) {
                    let message = format!("`{id}` belongs to `{other}` already");
                    let hint = "a workspace or server belongs to one tenant".to_owned();
                    self.tell(&at, message, Some(hint));
                }
            }
            let tenant = self.tenant(&at, name, written);
            self.own_staff_key(&at, (&tenant, web), &mut keys);
            tenants.push(tenant);
        }
        tenants.into_iter().collect()
    }

    /// The key must open nothing else, and something must be shut without it.
    fn own_staff_key(
        &mut self,
        at: &str,
        (tenant, web): (&Tenant, &settings::Web),
        keys: &mut BTreeSet<String>,
    ) {
        let Some(key) = &tenant.staff_key else { return };
        if web.staff_key.is_none() {
            let message = "without a key of the operator's, the staff page shows everybody's conversations to everybody";
            let hint = "set `staff_key_env` or `staff_key_file` under `[web]` as well";
            self.tell(at, message, Some(hint.to_owned()));
        }
        if !keys.insert(key.expose().to_owned()) {
            let hint = "use a key of its own for each tenant, and another one under `[web]`";
            self.tell(at, "this key opens the staff page for others too", Some(hint.to_owned()));
        }
    }

    fn tenant(&mut self, at: &str, name: String, written: raw::Tenant) -> Tenant {
        let slack = written.slack.unwrap_or_default();
        let discord = written.discord.unwrap_or_default();
        self.slack_of(at, &slack);
        self.discord_of(at, &discord);
        self.approvers(at, &written.approvers);
        let staff_key = (written.staff_key_env.as_deref(), written.staff_key_file.as_ref());
        Tenant {
            name,
            flows: written.flows.into_iter().collect(),
            vars: written.vars,
            staff_key: self.staff_key(at, staff_key),
            slack,
            discord,
            approvers: written.approvers,
            webhooks: self.webhooks(at, &written.webhooks),
            budget: budget(&written.budget),
            retention: written.retention,
            active_sessions: written.active_sessions,
            llm: written.llm.map(|llm| self.llm(&format!("{at}/llm"), llm)),
        }
    }

    fn slack_of(&mut self, at: &str, slack: &TenantSlack) {
        for (index, id) in slack.workspaces.iter().enumerate() {
            let pointer = format!("{at}/slack/workspaces/{index}");
            if !is_id(id, &['T']) {
                let hint = "copy it from the address of the workspace in a browser: `T0123456789`";
                self.tell(
                    &pointer,
                    format!("`{id}` is not the id of a workspace"),
                    Some(hint.to_owned()),
                );
            }
        }
        for (alias, id) in &slack.channels {
            let pointer = format!("{at}/slack/channels/{}", escaped(alias));
            self.slack_id(&pointer, id, &['C', 'G', 'D']);
        }
    }

    fn discord_of(&mut self, at: &str, discord: &TenantDiscord) {
        for (key, ids) in [
            ("servers", &discord.servers),
            ("staff_users", &discord.staff_users),
            ("staff_roles", &discord.staff_roles),
        ] {
            for (index, id) in ids.iter().enumerate() {
                self.discord_id(&format!("{at}/discord/{key}/{index}"), id);
            }
        }
        for (key, ids) in [("channels", &discord.channels), ("roles", &discord.roles)] {
            for (alias, id) in ids {
                self.discord_id(&format!("{at}/discord/{key}/{}", escaped(alias)), id);
            }
        }
    }
}

fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(fits)
}
