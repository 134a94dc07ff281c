//! What a member has said already in the server's own onboarding: its answers are roles, and roles can be looked at. A
//! question that leads to roles is not asked again where the server has asked it: the member went through its onboarding,
//! and all the roles of the question can be had there. Otherwise it is shown with what the member holds picked already,
//! and everything can be changed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use moka::sync::Cache;
use serde_json::Value;

use super::{
    api::{Api, Failure},
    app::App,
    members::Member,
};
use crate::{
    chat::form::Draft,
    engine::Look,
    model::{
        flow::PhaseEffect,
        session::Platform,
        transcript::Origin,
        ui::{Choose, Control},
        wait::{Answerers, Wait},
    },
};

/// How long it is remembered what a server asks newcomers, and of how many servers.
const REMEMBERED: Duration = Duration::from_mins(5);
const SERVERS_MAX: u64 = 1_000;

/// A member went through the server's onboarding (docs, resources/guild, member flags).
const COMPLETED: u64 = 1 << 1;

/// What is known of the answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Known {
    /// Nothing.
    Nothing,
    /// What the member holds, and may change.
    Picked(Draft),
    /// What they told the server when they came in: ids of choices.
    Said(Vec<String>),
}

/// Roles that members are given by what they answer to servers; cheap to clone.
#[derive(Debug, Clone)]
pub struct ServerOnboarding(Cache<String, Arc<BTreeSet<String>>>);

impl Default for ServerOnboarding {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(SERVERS_MAX).time_to_live(REMEMBERED).build())
    }
}

impl ServerOnboarding {
    /// The roles that a server's onboarding leads to; none where Discord does not say, or it has none.
    async fn roles(&self, api: &Api, guild: &str) -> Arc<BTreeSet<String>> {
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

/// What is known of the answer to a question when it is first shown.
pub(super) async fn known(app: &App, look: &Look, wait: &Wait) -> Result<Known, Failure> {
    let Control::Choose(choose) = &wait.prompt.control else { return Ok(Known::Nothing) };
    if wait.answerers != Answerers::Participant {
        return Ok(Known::Nothing);
    }
    let Some(map) = leads_to(look, wait) else { return Ok(Known::Nothing) };
    let guild = &look.state.place.workspace;
    let roles = app.settings.of(Platform::Discord, guild).discord_roles();
    let user = &look.state.participant.user;
    let held = |member: &Member| {
        let is_held = |alias: &str| roles.get(alias).is_some_and(|id| member.has(id));
        among(choose, map, is_held)
    };
    let mut member = match app.members.known(guild, user) {
        Some(known) => known,
        None => app.ask_member(guild, user).await?,
    };
    // What they went through only counts where they hold something.
    if member.flags.is_none() && !held(&member).is_empty() {
        member = app.ask_member(guild, user).await?;
    }
    let ids = held(&member);
    if ids.is_empty() {
        return Ok(Known::Nothing);
    }
    let is_through = member.flags.unwrap_or(0) & COMPLETED != 0;
    if is_through && (choose.multiple || ids.len() == 1) {
        let asked = app.native.roles(&app.api, guild).await;
        let is_asked = |alias: &String| roles.get(alias).is_some_and(|id| asked.contains(id));
        if map.values().all(is_asked) {
            return Ok(Known::Said(ids));
        }
    }
    if !choose.multiple {
        return Ok(Known::Nothing);
    }
    let mut draft = Draft::default();
    draft.pick(&[], ids);
    Ok(Known::Picked(draft))
}

/// The roles to which the answers of a question lead, by choice.
fn leads_to<'a>(look: &'a Look, wait: &Wait) -> Option<&'a BTreeMap<String, String>> {
    let call = look.state.calls.iter().find(|call| call.wait == Some(wait.id))?;
    let Origin::Step { step: asked } = &call.call.origin else { return None };
    let phase = look.flow.phase(call.call.phase.as_deref()?)?;
    phase.effect.iter().find_map(|effect| match effect {
        PhaseEffect::DiscordAddRolesFrom { step, map, .. } if step == asked => Some(map),
        _ => None,
    })
}

fn among(
    choose: &Choose,
    map: &BTreeMap<String, String>,
    is_held: impl Fn(&str) -> bool,
) -> Vec<String> {
    let known = choose
        .choices
        .iter()
        .filter(|choice| map.get(&choice.id).is_some_and(|alias| is_held(alias)));
    known.map(|choice| choice.id.clone()).collect()
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
