//! What a member has said already in the server's own onboarding: its answers are roles, and roles can be looked at. A
//! question that leads to roles is shown with what the member holds picked already; nobody is asked to say it again,
//! and everything can be changed.

use std::collections::BTreeMap;

use super::app::App;
use crate::{
    engine::Look,
    form::Draft,
    model::{
        flow::PhaseEffect,
        transcript::Origin,
        ui::{Choose, Control},
        wait::{Answerers, Wait},
    },
};

/// What stands picked in a question when it is first shown; none where nothing is known.
pub(super) async fn picked(app: &App, look: &Look, wait: &Wait) -> Option<Draft> {
    let Control::Choose(choose) = &wait.prompt.control else { return None };
    if !choose.multiple || wait.answerers != Answerers::Participant {
        return None;
    }
    let map = leads_to(look, wait)?;
    let place = &look.state.place;
    // Without an answer of Discord's the question is shown as it is.
    let member = app.api.member(&place.workspace, &look.state.participant.user).await.ok()?;
    let held: Vec<&str> =
        member["roles"].as_array()?.iter().filter_map(|role| role.as_str()).collect();
    let roles = &app.settings.discord.as_ref()?.roles;
    let ids =
        among(choose, map, |alias| roles.get(alias).is_some_and(|id| held.contains(&id.as_str())));
    let mut draft = Draft::default();
    draft.pick(&[], ids);
    (!draft.picked().is_empty()).then_some(draft)
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
