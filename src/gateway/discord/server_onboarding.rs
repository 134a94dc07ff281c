//! What servers ask newcomers in an onboarding of their own: its answers are roles.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use moka::sync::Cache;
use serde_json::Value;

use super::api::Api;

/// How long it is remembered what a server asks newcomers, and of how many servers.
const REMEMBERED: Duration = Duration::from_mins(5);
const SERVERS_MAX: u64 = 1_000;

/// Roles that members are given by what they answer to servers; cheap to clone.
#[derive(Debug, Clone)]
pub struct ServerOnboarding(Cache<String, Arc<BTreeSet<String>>>);

impl Default for ServerOnboarding {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(SERVERS_MAX).time_to_live(REMEMBERED).build())
    }
}

impl ServerOnboarding {
    /// The roles that a server's onboarding leads to; empty if Discord does not say, or if it has no onboarding.
    pub(super) async fn roles(&self, api: &Api, guild: &str) -> Arc<BTreeSet<String>> {
        if let Some(known) = self.0.get(guild) {
            return known;
        }
        let Ok(onboarding) = api.onboarding(guild).await else { return Arc::default() };
        let roles = Arc::new(asked(&onboarding));
        self.0.insert(guild.to_owned(), Arc::clone(&roles));
        roles
    }
}

/// The roles that newcomers are asked about, one way or another. What stands among the channels and roles alone was not
/// asked of everybody.
fn asked(onboarding: &Value) -> BTreeSet<String> {
    if onboarding["enabled"] != true {
        return BTreeSet::new();
    }
    let prompts = onboarding["prompts"].as_array().into_iter().flatten();
    let prompts = prompts.filter(|prompt| prompt["in_onboarding"] == true);
    let options = prompts.flat_map(|prompt| prompt["options"].as_array().into_iter().flatten());
    let roles = options.flat_map(|option| option["role_ids"].as_array().into_iter().flatten());
    roles.filter_map(|role| role.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::asked;

    #[test]
    fn only_what_every_newcomer_is_asked_counts() {
        let prompt = |is_in: bool, role: &str| json!({ "in_onboarding": is_in, "options": [{ "role_ids": [role] }, { "channel_ids": ["9"] }] });
        let mut onboarding = json!({ "enabled": true, "prompts": [prompt(true, "1"), prompt(false, "2"), prompt(true, "3")] });
        assert_eq!(asked(&onboarding), ["1".to_owned(), "3".to_owned()].into());
        onboarding["enabled"] = false.into();
        assert!(asked(&onboarding).is_empty());
        assert!(asked(&json!({ "enabled": true, "prompts": "?" })).is_empty());
    }
}
