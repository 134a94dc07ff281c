//! Who has a say on a platform, as the operator wrote it down.

use std::collections::{BTreeMap, BTreeSet};

use super::Approvers;
use crate::model::{
    session::{PersonId, Platform},
    team::Team,
};

/// Who has a say, by user and by group: a user group of Slack's, a role of Discord's.
#[derive(Debug, Clone, Default)]
pub struct Lists {
    /// Who decides, by alias.
    pub approvers: BTreeMap<String, Approvers>,
    /// Users who see what staff see.
    pub staff_users: BTreeSet<String>,
    /// Groups whose members do.
    pub staff_groups: BTreeSet<String>,
}

impl Lists {
    /// Every group that anything depends on.
    pub fn groups(&self, platform: Platform) -> BTreeSet<&str> {
        let of_approvers = self.approvers.values().flat_map(|list| list.groups(platform));
        of_approvers.chain(&self.staff_groups).map(String::as_str).collect()
    }

    /// The people that are named one by one, and those whom `members` says to be in a group.
    pub fn team(&self, platform: Platform, members: &BTreeMap<String, BTreeSet<String>>) -> Team {
        let within = |groups: &mut dyn Iterator<Item = &String>| -> Vec<String> {
            groups.filter_map(|group| members.get(group)).flatten().cloned().collect()
        };
        let of_alias = |(alias, list): (&String, &Approvers)| {
            let named = list.users(platform).iter().cloned();
            let all = named.chain(within(&mut list.groups(platform).iter())).collect();
            (alias.clone(), all)
        };
        let staff = self.staff_users.iter().cloned();
        Team {
            deciders: self.approvers.iter().map(of_alias).collect(),
            staff: staff.chain(within(&mut self.staff_groups.iter())).collect(),
        }
    }

    /// What a person of these groups may do: the aliases under which they may decide; `None` if they are not staff. Who
    /// decides may see what staff see, or they could not judge.
    pub fn rights_of(&self, person: &PersonId, groups: &BTreeSet<String>) -> Option<Vec<String>> {
        let listed = self.approvers.iter().filter(|(_, list)| list.includes(person, groups, false));
        let aliases: Vec<String> = listed.map(|(alias, _)| alias.clone()).collect();
        let is_staff = !aliases.is_empty()
            || self.staff_users.contains(&person.user)
            || self.staff_groups.iter().any(|group| groups.contains(group));
        is_staff.then_some(aliases)
    }
}
