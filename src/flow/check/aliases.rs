//! Aliases of channels, roles, deciders and web hooks, looked up on the platforms in use.

use std::collections::{BTreeMap, BTreeSet};

use super::Check;
use crate::{
    config::{Approvers, Configured, Settings, problem::closest, tenants, toml_document::escaped},
    model::{
        flow::{Decider, PhaseEffect},
        session::Platform,
    },
};

/// The aliases that the operator has set up, for a tenant or outside of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases {
    /// The tenant they are set up for.
    pub tenant: Option<String>,
    /// Of Slack channels; `None` if Slack is not in use.
    pub slack_channels: Option<BTreeSet<String>>,
    /// Of Discord channels; `None` if Discord is not in use.
    pub discord_channels: Option<BTreeSet<String>>,
    /// Of Discord roles; `None` if Discord is not in use.
    pub discord_roles: Option<BTreeSet<String>>,
    /// Of those who decide.
    pub approvers: BTreeSet<String>,
    /// How many people decide under an alias on the platform with most of them, where the configuration names each.
    pub deciders: BTreeMap<String, usize>,
    /// Of web hooks; `None` if no web hook is set up.
    pub webhooks: Option<BTreeSet<String>>,
}

impl From<&Settings> for Aliases {
    fn from(settings: &Settings) -> Self {
        settings.within(None).into()
    }
}

impl From<Configured<'_>> for Aliases {
    fn from(there: Configured<'_>) -> Self {
        let keys = |ids: &BTreeMap<String, String>| ids.keys().cloned().collect();
        let on_slack = there.is_on(Platform::Slack);
        let on_discord = there.is_on(Platform::Discord);
        let (approvers, webhooks) = (there.approvers(), there.webhooks());
        Self {
            tenant: there.tenant().map(|tenant| tenant.name.clone()),
            slack_channels: on_slack.then(|| keys(there.slack_channels())),
            discord_channels: on_discord.then(|| keys(there.discord_channels())),
            discord_roles: on_discord.then(|| keys(there.discord_roles())),
            approvers: approvers.keys().cloned().collect(),
            deciders: approvers
                .iter()
                .filter_map(|(alias, listed)| Some((alias.clone(), people(listed)?)))
                .collect(),
            webhooks: (!webhooks.is_empty()).then(|| webhooks.keys().cloned().collect()),
        }
    }
}

impl Aliases {
    /// The table of the configuration that something stands under.
    fn table(&self, name: &str) -> String {
        tenants::table(self.tenant.as_deref(), name)
    }
}

/// How many people are listed on one platform; `None` if a group or the staff page lets others in.
fn people(listed: &Approvers) -> Option<usize> {
    let is_open =
        listed.web_staff || !listed.slack_groups.is_empty() || !listed.discord_roles.is_empty();
    let named = [&listed.slack_users, &listed.discord_users, &listed.web_users];
    (!is_open).then(|| named.iter().map(|users| users.len()).max().unwrap_or_default())
}

impl Check<'_> {
    pub(super) fn aliases(&mut self) {
        let Some(aliases) = self.aliases else { return };
        let flow = self.flow;
        let slack_parent = flow.start.slack.as_ref().and_then(|start| start.parent.as_deref());
        self.one(
            "/start/slack/parent",
            slack_parent,
            aliases.slack_channels.as_ref(),
            "slack.channels",
        );
        let discord_parent = flow.start.discord.as_ref().and_then(|start| start.parent.as_deref());
        self.one(
            "/start/discord/parent",
            discord_parent,
            aliases.discord_channels.as_ref(),
            "discord.channels",
        );
        self.staff_channel(aliases, "/handoff/channel", flow.handoff.channel.as_deref());
        let overrides = &flow.approvals.overrides;
        if overrides.decider != Decider::Participant {
            let at = "/approvals/override/channel";
            self.staff_channel(aliases, at, overrides.channel.as_deref());
            let channel = overrides.channel.as_deref();
            self.one(at, channel, Some(&aliases.approvers), "approvers");
            self.enough(aliases, "/approvals/override/quorum", channel, overrides.quorum);
        }
        for (name, approval) in &flow.approvals.named {
            let at = format!("/approvals/{}", escaped(name));
            let later = approval.then.iter().enumerate();
            let later =
                later.map(|(n, stage)| (format!("{at}/then/{n}/deciders"), &stage.deciders));
            let first = (format!("{at}/deciders"), &approval.deciders);
            for (at, alias) in std::iter::once(first).chain(later) {
                self.staff_channel(aliases, &at, Some(alias));
                self.one(&at, Some(alias), Some(&aliases.approvers), "approvers");
            }
            for (stage, (alias, quorum)) in approval.stages().enumerate() {
                let below = stage.checked_sub(1).map(|n| format!("/then/{n}")).unwrap_or_default();
                self.enough(aliases, &format!("{at}{below}/quorum"), Some(alias), quorum);
            }
        }
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, effect) in phase.effect.iter().enumerate() {
                self.effect_aliases(aliases, &format!("/phase/{p}/effect/{n}"), effect);
            }
        }
    }

    fn effect_aliases(&mut self, aliases: &Aliases, at: &str, effect: &PhaseEffect) {
        let approval = format!("{at}/approval");
        self.one(&approval, effect.approval(), Some(&aliases.approvers), "approvers");
        let roles = aliases.discord_roles.as_ref();
        match effect {
            PhaseEffect::PostSummary { channel, .. } => {
                self.staff_channel(aliases, &format!("{at}/channel"), Some(channel));
            }
            PhaseEffect::Webhook { url_from, .. } => {
                let at = format!("{at}/url_from");
                self.one(&at, Some(url_from), aliases.webhooks.as_ref(), "webhooks");
                if aliases.webhooks.is_none() {
                    let message =
                        format!("no web hook is set up, so nothing is sent to `{url_from}`");
                    let hint = format!(
                        "add `{url_from} = …` under `{}` in the configuration",
                        aliases.table("webhooks")
                    );
                    self.warn(&at, message, &hint);
                }
            }
            PhaseEffect::DiscordAddRole { role, .. } => {
                self.one(&format!("{at}/role"), Some(role), roles, "discord.roles");
            }
            PhaseEffect::DiscordAddRolesFrom { map, .. } => {
                for (option, role) in map {
                    let at = format!("{at}/map/{option}");
                    self.one(&at, Some(role), roles, "discord.roles");
                }
            }
            PhaseEffect::DiscordPost { channel, .. } => {
                let channels = aliases.discord_channels.as_ref();
                let at = format!("{at}/channel");
                self.one(&at, Some(channel), channels, "discord.channels");
            }
        }
    }

    /// As many people are listed as must decide alike.
    fn enough(&mut self, aliases: &Aliases, at: &str, alias: Option<&str>, quorum: u32) {
        let Some((alias, people)) = alias.and_then(|alias| aliases.deciders.get_key_value(alias))
        else {
            return;
        };
        if *people > 0 && usize::try_from(quorum).is_ok_and(|quorum| quorum > *people) {
            let message =
                format!("{quorum} must decide alike, and `{alias}` lists {people} on one platform");
            let hint = format!(
                "lower `quorum`, or list more people under `{}` in the configuration",
                aliases.table("approvers")
            );
            self.warn(at, message, &hint);
        }
    }

    /// The staff may sit on either platform, wherever the participants are.
    fn staff_channel(&mut self, aliases: &Aliases, at: &str, alias: Option<&str>) {
        let (slack, discord) = (&aliases.slack_channels, &aliases.discord_channels);
        if slack.is_none() && discord.is_none() {
            return;
        }
        let known = slack.iter().chain(discord).flatten().cloned().collect();
        let table = match (slack, discord) {
            (Some(_), Some(_)) => {
                format!(
                    "{} or {}",
                    aliases.table("slack.channels"),
                    aliases.table("discord.channels")
                )
            }
            (Some(_), None) => aliases.table("slack.channels"),
            (None, _) => aliases.table("discord.channels"),
        };
        self.listed(at, alias, Some(&known), &table);
    }

    fn one(&mut self, at: &str, alias: Option<&str>, known: Option<&BTreeSet<String>>, name: &str) {
        let Some(table) = self.aliases.map(|aliases| aliases.table(name)) else { return };
        self.listed(at, alias, known, &table);
    }

    fn listed(
        &mut self,
        at: &str,
        alias: Option<&str>,
        known: Option<&BTreeSet<String>>,
        table: &str,
    ) {
        let (Some(alias), Some(known)) = (alias, known) else { return };
        if !known.contains(alias) {
            let add = format!("add `{alias} = …` under `{table}` in the configuration");
            let hint = match closest(alias, known.iter().map(String::as_str)) {
                Some(other) => format!("{add}; or did you mean `{other}`?"),
                None => add,
            };
            self.error(at, format!("the alias `{alias}` is not configured"), Some(hint));
        }
    }
}
