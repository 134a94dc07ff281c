//! `[tenant.NAME]`: customers of one bot, each with their own workspaces, people and channels.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Approvers,
    llm::Endpoints,
    raw::{Retention, TenantDiscord, TenantSlack},
    secret::Secret,
    webhook::Webhook,
};
use crate::model::{
    session::{PersonId, Place, Platform},
    usage::Budget,
};

/// A customer of the bot, checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tenant {
    /// What it is called in the configuration.
    pub name: String,
    /// Flows that can be started there; all where empty.
    pub flows: BTreeSet<String>,
    /// Values for `{{name}}` in texts of flows.
    pub vars: BTreeMap<String, String>,
    /// The key that opens the staff page for its conversations; `None`: only the operator's staff open it.
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
    pub(crate) fn may_start(&self, flow: &str) -> bool {
        self.flows.is_empty() || self.flows.contains(flow)
    }
}

/// All customers of the bot; empty if it serves one team.
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
    pub(crate) fn rights_hold(&self, person: &PersonId, place: &Place) -> bool {
        let name = |tenant: Option<&Arc<Tenant>>| tenant.map(|tenant| tenant.name.clone());
        let theirs = name(self.of(person.platform, &person.workspace));
        let is_operators = person.platform == Platform::Web && theirs.is_none();
        is_operators || theirs == name(self.at(place))
    }
}

/// The table of a tenant's, or of everybody's.
pub fn table(tenant: Option<&str>, name: &str) -> String {
    match tenant {
        Some(tenant) => format!("[tenant.{tenant}.{name}]"),
        None => format!("[{name}]"),
    }
}
