//! Phases that a model leads: what the participant does in them, and what nobody could do there.

use super::{
    Rehearsal, Taken, Trouble,
    casts::{Cast, Pass},
    stand_in::{Manner, StandIn, calls},
};
use crate::{
    engine::{Error, InboundKind},
    flow::{LoadedFlow, each_condition},
    model::{
        flow::{Done, Mode, Moment, Phase, PhaseEffect},
        transcript::CallResult,
    },
    ops::{sample::WORDS, stage::Stage},
    session::State,
};

/// Messages that the participant writes beyond those that an objective counts.
const MORE: u32 = 2;

/// Answers with which the participant keeps a model from what it needs.
const UNWILLING: [&str; 6] = [
    "rejected",
    "skipped",
    "denied",
    "denied with words",
    "no answer in time",
    "no decision in time",
];

/// Tools by which a model stores data.
const STORING: [&str; 2] = ["persist_data", "submit_for_validation"];

impl Rehearsal {
    /// The participant writes something where the model waits for that. Whether it could help.
    pub(super) async fn talk(
        &mut self,
        room: &mut Stage,
        (state, phase): (&State, &Phase),
        (model, taken): (Option<&StandIn>, &mut Vec<Taken>),
    ) -> Result<bool, Error> {
        let mut most = 0;
        for objective in &phase.objective {
            each_condition(&objective.done, &mut |done| {
                if let Done::Talked(count) = done {
                    most = most.max(*count);
                }
            });
        }
        if state.talked >= most.saturating_add(MORE) {
            if let Some(model) = model {
                self.note_failures(model, (state, phase), taken);
            }
            return Ok(false);
        }
        room.act(InboundKind::Said { text: WORDS.to_owned(), source: None }).await?;
        let labels = vec!["some words".to_owned()];
        taken.push(Taken { place: phase.id.clone(), labels, choice: 0, before: None });
        Ok(true)
    }

    /// Why the model is still in the phase after all that it could do.
    fn note_failures(
        &mut self,
        model: &StandIn,
        (state, phase): (&State, &Phase),
        taken: &[Taken],
    ) {
        let Some(p) = model.flow.position(&phase.id) else { return };
        let is_willing =
            !taken.iter().any(|taken| UNWILLING.contains(&taken.labels[taken.choice].as_str()));
        for (n, why) in model.failed(state, phase) {
            let why = match why {
                Some(why) => plain(&why),
                None if is_willing => "nothing that it can do there counts".to_owned(),
                None => continue,
            };
            self.find(Some(format!("/phase/{p}/objective/{n}")), Trouble::Unmet(why), taken);
        }
    }

    /// Tools that a phase offers to its model and that never work there.
    pub(super) fn look_at_tools(&mut self, state: &State, pass: &Pass<'_>, taken: &[Taken]) {
        for (p, phase) in pass.scene.flow.flow.phase.iter().enumerate() {
            for known in calls(state, phase) {
                if let Some(CallResult::Err { code, message }) = known.result.as_deref()
                    && code == "permission_denied"
                {
                    let trouble = Trouble::Unusable(known.call.tool.clone(), plain(message));
                    self.find(Some(format!("/phase/{p}/tools")), trouble, taken);
                }
            }
        }
    }

    /// Effects that come to nothing since a model led where the script would have asked or stored.
    pub(super) fn look_at_effects(&mut self, state: &State, pass: &Pass<'_>, taken: &[Taken]) {
        if pass.cast != Cast::Model(Manner::Thorough) {
            return;
        }
        let flow = &pass.scene.flow;
        for (p, phase) in flow.flow.phase.iter().enumerate() {
            let effects = phase.effect.iter().enumerate();
            let happened = effects.filter(|(n, effect)| {
                effect.on() == Moment::Completed
                    && effect.when().is_none()
                    && state.effects.contains_key(&(phase.id.clone(), *n))
            });
            for (n, effect) in happened {
                if let Some(why) = comes_to_nothing(state, (flow, p), effect) {
                    let at = format!("/phase/{p}/effect/{n}");
                    self.find(Some(at), Trouble::Nothing(why), taken);
                }
            }
        }
    }
}

/// Why an effect of the pth phase comes to nothing after a model.
fn comes_to_nothing(
    state: &State,
    (flow, p): (&LoadedFlow, usize),
    effect: &PhaseEffect,
) -> Option<String> {
    match effect {
        PhaseEffect::DiscordAddRolesFrom { step, .. } => {
            let (phase, _) = flow.step(step)?;
            let is_unasked = phase.mode == Mode::Interview
                && state.visited.contains(&phase.id)
                && !state.results.contains_key(step);
            is_unasked.then(|| format!("a model doesn't ask `{step}`, so no role is given"))
        }
        PhaseEffect::PostSummary { include, .. } | PhaseEffect::Webhook { include, .. } => {
            stored_by_nobody(state, (flow, p), include)
        }
        PhaseEffect::DiscordPost { data, .. } => {
            stored_by_nobody(state, (flow, p), std::slice::from_ref(data))
        }
        PhaseEffect::DiscordAddRole { .. } => None,
    }
}

/// None of the data is there, and no model could have stored it.
fn stored_by_nobody(
    state: &State,
    (flow, p): (&LoadedFlow, usize),
    include: &[String],
) -> Option<String> {
    let led = flow.flow.phase[..=p]
        .iter()
        .filter(|phase| phase.mode == Mode::Interview && state.visited.contains(&phase.id));
    let led: Vec<&Phase> = led.collect();
    let could_store =
        led.iter().any(|phase| phase.tools.iter().any(|tool| STORING.contains(&tool.as_str())));
    let is_there = |data: &String| state.record(data).is_some();
    if include.is_empty() || include.iter().any(is_there) || led.is_empty() || could_store {
        return None;
    }
    let names: Vec<String> = include.iter().map(|data| format!("`{data}`")).collect();
    Some(format!("no model stores {}", names.join(" or ")))
}

/// What a tool says, without what it advises a model to do.
fn plain(message: &str) -> String {
    message.split(". hint: ").next().unwrap_or_default().to_owned()
}
