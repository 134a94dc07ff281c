//! What is set up for a workspace: the tenant's own where it belongs to one.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Approvers, Lists, Settings,
    tenants::{Tenant, Tenants, table},
    webhook::Webhook,
};
use crate::model::session::{PersonId, Platform};

/// What is set up for the workspace that it is asked for: the tenant's own where it belongs to one.
#[derive(Debug, Clone, Copy)]
pub struct Configured<'a> {
    settings: &'a Settings,
    tenant: Option<&'a Tenant>,
}

/// Nothing is set up.
static NONE: BTreeMap<String, String> = BTreeMap::new();

impl Settings {
    /// What is set up for a workspace.
    pub fn of(&self, platform: Platform, workspace: &str) -> Configured<'_> {
        let tenant = self.tenants.of(platform, workspace).map(Arc::as_ref);
        Configured { settings: self, tenant }
    }

    /// What is set up for a tenant, or outside of all.
    pub const fn within<'a>(&'a self, tenant: Option<&'a Tenant>) -> Configured<'a> {
        Configured { settings: self, tenant }
    }

    /// What is set up outside of tenants, where anything is started there, and for each of them.
    pub fn everywhere(&self) -> impl Iterator<Item = Configured<'_>> {
        let outside = (!self.flows.tenants_only).then(|| self.within(None));
        outside.into_iter().chain(self.tenants.iter().map(|tenant| self.within(Some(tenant))))
    }

    /// Who has a say on a platform, by workspace.
    pub fn lists(&self, platform: Platform) -> WorkspaceLists {
        let own = self.tenants.iter().map(|tenant| {
            (tenant.name.clone(), Arc::new(self.within(Some(tenant)).lists(platform)))
        });
        WorkspaceLists {
            within: own.collect(),
            tenants: Arc::clone(&self.tenants),
            ..WorkspaceLists::everywhere(platform, self.within(None).lists(platform))
        }
    }
}

impl<'a> Configured<'a> {
    /// Slack channel ids by alias.
    pub(crate) fn slack_channels(self) -> &'a BTreeMap<String, String> {
        match (self.tenant, &self.settings.slack) {
            (Some(tenant), _) => &tenant.slack.channels,
            (None, Some(slack)) => &slack.channels,
            (None, None) => &NONE,
        }
    }

    /// Discord channel ids by alias.
    pub(crate) fn discord_channels(self) -> &'a BTreeMap<String, String> {
        match (self.tenant, &self.settings.discord) {
            (Some(tenant), _) => &tenant.discord.channels,
            (None, Some(discord)) => &discord.channels,
            (None, None) => &NONE,
        }
    }

    /// Discord role ids by alias.
    pub fn discord_roles(self) -> &'a BTreeMap<String, String> {
        match (self.tenant, &self.settings.discord) {
            (Some(tenant), _) => &tenant.discord.roles,
            (None, Some(discord)) => &discord.roles,
            (None, None) => &NONE,
        }
    }

    /// Who decides, by alias.
    pub const fn approvers(self) -> &'a BTreeMap<String, Approvers> {
        match self.tenant {
            Some(tenant) => &tenant.approvers,
            None => &self.settings.approvers,
        }
    }

    /// Web hooks by alias.
    pub const fn webhooks(self) -> &'a BTreeMap<String, Webhook> {
        match self.tenant {
            Some(tenant) => &tenant.webhooks,
            None => &self.settings.webhooks,
        }
    }

    /// Aliases under which a person may decide. `groups` are the Slack groups or Discord roles they are in now,
    /// `staff` says that they have the staff page open.
    pub fn approver_of(
        self,
        person: &PersonId,
        groups: &BTreeSet<String>,
        staff: bool,
    ) -> Vec<String> {
        let listed = self.approvers().iter();
        let listed = listed.filter(|(_, approvers)| approvers.includes(person, groups, staff));
        listed.map(|(alias, _)| alias.clone()).collect()
    }

    /// Whether it is on a platform that is in use.
    pub(crate) const fn is_on(self, platform: Platform) -> bool {
        match (platform, self.tenant) {
            (Platform::Slack, Some(tenant)) => !tenant.slack.workspaces.is_empty(),
            (Platform::Discord, Some(tenant)) => !tenant.discord.servers.is_empty(),
            (Platform::Slack, None) => self.settings.slack.is_some(),
            (Platform::Discord, None) => self.settings.discord.is_some(),
            (Platform::Web, _) => true,
        }
    }

    /// The tenant it belongs to.
    pub const fn tenant(self) -> Option<&'a Tenant> {
        self.tenant
    }

    /// For the end of a sentence: whose it is, where it is a tenant's.
    pub fn whose(self) -> String {
        self.tenant.map(|tenant| format!(" for the tenant `{}`", tenant.name)).unwrap_or_default()
    }

    /// The table of the configuration that such things stand under: `[slack.channels]`, `[tenant.acme.slack.channels]`.
    pub fn table(self, name: &str) -> String {
        table(self.tenant.map(|tenant| tenant.name.as_str()), name)
    }

    /// Who has a say on a platform.
    pub fn lists(self, platform: Platform) -> Lists {
        let (users, groups) = match (platform, self.tenant) {
            (Platform::Slack, Some(tenant)) => {
                (set(&tenant.slack.staff_users), set(&tenant.slack.staff_groups))
            }
            (Platform::Discord, Some(tenant)) => {
                (set(&tenant.discord.staff_users), set(&tenant.discord.staff_roles))
            }
            (Platform::Slack, None) => {
                let slack =
                    self.settings.slack.as_ref().and_then(|slack| slack.connection.as_ref());
                slack
                    .map(|at| (at.staff_users.clone(), at.staff_groups.clone()))
                    .unwrap_or_default()
            }
            (Platform::Discord, None) => {
                let discord = self.settings.discord.as_ref();
                let discord = discord.and_then(|discord| discord.connection.as_ref());
                discord
                    .map(|at| (at.staff_users.clone(), at.staff_roles.clone()))
                    .unwrap_or_default()
            }
            (Platform::Web, _) => Default::default(),
        };
        Lists { approvers: self.approvers().clone(), staff_users: users, staff_groups: groups }
    }
}

fn set(ids: &[String]) -> BTreeSet<String> {
    ids.iter().cloned().collect()
}

/// Who has a say on a platform, by workspace.
#[derive(Debug, Clone)]
pub struct WorkspaceLists {
    platform: Platform,
    outside: Arc<Lists>,
    within: BTreeMap<String, Arc<Lists>>,
    tenants: Arc<Tenants>,
}

impl WorkspaceLists {
    /// Lists that apply in every workspace.
    pub fn everywhere(platform: Platform, lists: Lists) -> Self {
        let (within, tenants) = (BTreeMap::new(), Arc::default());
        Self { platform, outside: Arc::new(lists), within, tenants }
    }

    /// Who has a say in a workspace.
    pub fn of(&self, workspace: &str) -> &Arc<Lists> {
        let tenant = self.tenants.of(self.platform, workspace);
        tenant.and_then(|tenant| self.within.get(&tenant.name)).unwrap_or(&self.outside)
    }
}
