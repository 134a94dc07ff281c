//! `[tenant.NAME]`: customers of one bot, each with their own workspaces, people and channels.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Approvers, Lists, Settings,
    llm::{Endpoints, Llm},
    raw,
    secret::Secret,
    settings::Webhook,
};
use crate::model::{
    flow::Period,
    session::{PersonId, Place, Platform},
    usage::Budget,
};

/// A customer: who is in it, whom it answers to, and what it may use. Its workspaces know none of the channels, roles,
/// deciders, staff and web hooks that are set up outside of it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Written {
    /// Flows that can be started there; all where empty.
    pub flows: Vec<String>,
    /// Values for `{{name}}` in texts of flows, before those under `[vars]`.
    pub vars: BTreeMap<String, String>,
    /// Variable with the key that opens the staff page for its conversations alone.
    pub staff_key_env: Option<String>,
    /// File with that key.
    pub staff_key_file: Option<PathBuf>,
    /// Its Slack workspaces.
    pub slack: Option<TenantSlack>,
    /// Its Discord servers.
    pub discord: Option<TenantDiscord>,
    /// Who decides, by alias.
    pub approvers: BTreeMap<String, Approvers>,
    /// Web hooks by alias.
    pub webhooks: BTreeMap<String, raw::Webhook>,
    /// What its conversations may use up together, in each period of `[budget]`.
    pub budget: raw::Bounds,
    /// How long anything is kept at most, whatever a flow allows.
    pub retention: Retention,
    /// Conversations that may be worked on at one time; by default half of those of all.
    #[schemars(range(min = 1, max = 10_000))]
    pub active_sessions: Option<u32>,
    /// Models by purpose, in place of those under `[llm]`.
    pub llm: Option<Llm>,
}

/// The Slack workspaces of a tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TenantSlack {
    /// Ids of the workspaces: `T0123456789`.
    pub workspaces: Vec<String>,
    /// Ids of users who see what staff see.
    pub staff_users: Vec<String>,
    /// Ids of user groups whose members do.
    pub staff_groups: Vec<String>,
    /// Channel ids by alias.
    pub channels: BTreeMap<String, String>,
}

/// The Discord servers of a tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TenantDiscord {
    /// Ids of the servers.
    pub servers: Vec<String>,
    /// Ids of users who see what staff see.
    pub staff_users: Vec<String>,
    /// Ids of roles whose members do.
    pub staff_roles: Vec<String>,
    /// Channel ids by alias.
    pub channels: BTreeMap<String, String>,
    /// Role ids by alias.
    pub roles: BTreeMap<String, String>,
}

/// How long anything of a tenant's is kept at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// What was said.
    pub transcript: Option<Period>,
    /// Files that were sent.
    pub uploads: Option<Period>,
    /// What was collected.
    pub records: Option<Period>,
}

/// A customer of the bot, checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tenant {
    /// What it is called in the configuration.
    pub name: String,
    /// Flows that can be started there; all where empty.
    pub flows: BTreeSet<String>,
    /// Values for `{{name}}` in texts of flows.
    pub vars: BTreeMap<String, String>,
    /// The key that opens the staff page for its conversations; none: nobody but the operator's staff opens it for them.
    pub staff_key: Option<Secret>,
    /// Its Slack workspaces, and what is set up there.
    pub slack: TenantSlack,
    /// Its Discord servers, and what is set up there.
    pub discord: TenantDiscord,
    /// Who decides, by alias.
    pub approvers: BTreeMap<String, Approvers>,
    /// Web hooks by alias.
    pub webhooks: BTreeMap<String, Webhook>,
    /// What its conversations may use up together in each period.
    pub budget: Budget,
    /// How long anything is kept at most.
    pub retention: Retention,
    /// Conversations that may be worked on at one time.
    pub active_sessions: Option<u32>,
    /// Models by purpose, in place of the operator's.
    pub llm: Option<Endpoints>,
}

impl Tenant {
    /// Whether a flow can be started there.
    pub fn may_start(&self, flow: &str) -> bool {
        self.flows.is_empty() || self.flows.contains(flow)
    }
}

/// All customers of the bot; none where it serves one team.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tenants {
    tenants: Vec<Arc<Tenant>>,
    /// Which of them a workspace belongs to.
    bound: BTreeMap<(Platform, String), usize>,
}

impl FromIterator<Tenant> for Tenants {
    fn from_iter<T: IntoIterator<Item = Tenant>>(tenants: T) -> Self {
        let mut all = Self::default();
        for tenant in tenants {
            let slack = tenant.slack.workspaces.iter().map(|id| (Platform::Slack, id));
            let discord = tenant.discord.servers.iter().map(|id| (Platform::Discord, id));
            // Those who open the staff page with the tenant's key are known under its name.
            let page = std::iter::once((Platform::Web, &tenant.name));
            let workspaces = slack.chain(discord).chain(page);
            let index = all.tenants.len();
            all.bound.extend(workspaces.map(|(on, id)| ((on, id.clone()), index)));
            all.tenants.push(Arc::new(tenant));
        }
        all
    }
}

impl Tenants {
    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Tenant>> {
        self.tenants.iter()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.tenants.is_empty()
    }

    /// The one that a workspace belongs to.
    pub fn of(&self, platform: Platform, workspace: &str) -> Option<&Arc<Tenant>> {
        // Most bots serve one team: nothing is looked up, and nothing copied for that.
        if self.tenants.is_empty() {
            return None;
        }
        let index = self.bound.get(&(platform, workspace.to_owned()))?;
        self.tenants.get(*index)
    }

    /// The one that a conversation belongs to.
    pub fn at(&self, place: &Place) -> Option<&Arc<Tenant>> {
        self.of(place.platform, &place.workspace)
    }

    /// The one of that name.
    pub fn named(&self, name: &str) -> Option<&Arc<Tenant>> {
        self.of(Platform::Web, name)
    }

    /// Whether the rights of somebody hold in a conversation: those of a tenant's people end where the tenant does. Who
    /// opens the staff page with the operator's key looks after all of them.
    pub fn rights_hold(&self, person: &PersonId, place: &Place) -> bool {
        let name = |tenant: Option<&Arc<Tenant>>| tenant.map(|tenant| tenant.name.clone());
        let theirs = name(self.of(person.platform, &person.workspace));
        let is_operators = person.platform == Platform::Web && theirs.is_none();
        is_operators || theirs == name(self.at(place))
    }
}

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
    pub fn slack_channels(self) -> &'a BTreeMap<String, String> {
        match (self.tenant, &self.settings.slack) {
            (Some(tenant), _) => &tenant.slack.channels,
            (None, Some(slack)) => &slack.channels,
            (None, None) => &NONE,
        }
    }

    /// Discord channel ids by alias.
    pub fn discord_channels(self) -> &'a BTreeMap<String, String> {
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
    pub const fn is_on(self, platform: Platform) -> bool {
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

/// The table of a tenant's, or of everybody's.
pub fn table(tenant: Option<&str>, name: &str) -> String {
    match tenant {
        Some(tenant) => format!("[tenant.{tenant}.{name}]"),
        None => format!("[{name}]"),
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
    /// The same in all workspaces.
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
