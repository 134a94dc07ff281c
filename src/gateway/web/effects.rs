//! What became of a phase's effects. The page itself gives no roles and posts nowhere: it shows what Discord or Slack
//! would do, so that a flow can be rehearsed whole, and never says that it happened.

use super::message::Body;
use crate::{
    flow::LoadedFlow,
    messages::{self, Text},
    model::{
        flow::PhaseEffect,
        text::quoted,
        transcript::{Audience, EffectOutcome},
    },
    session::{State, effect_in_words, public_text, roles_of, summary, titles_of},
};

/// An effect of a phase, as an event tells of it.
#[derive(Clone, Copy)]
pub(super) struct Noted<'a> {
    /// In the flow; `None` if the flow has it no more.
    pub(super) effect: Option<&'a PhaseEffect>,
    /// In a few words.
    pub(super) what: &'a str,
    /// What became of it.
    pub(super) outcome: &'a EffectOutcome,
    /// Whether it was ever on its way.
    pub(super) was_queued: bool,
}

/// How an effect is told, to those whom it concerns.
pub(super) fn told(
    noted: Noted<'_>,
    state: &State,
    flow: &LoadedFlow,
    viewer: Audience,
) -> Option<Body> {
    let rehearsed = noted.effect.filter(|effect| is_rehearsed(effect, noted));
    if let Some(effect) = rehearsed {
        return match viewer {
            Audience::Staff => Some(to_staff(effect, state, flow)),
            Audience::Participant => to_participant(effect, state, flow),
        };
    }
    // What this platform cannot do is the staff's concern.
    if viewer == Audience::Participant && !is_for_participant(noted.outcome) {
        return None;
    }
    let what = match (noted.effect, viewer) {
        // The channels and hooks of the flow are names for the staff.
        (Some(effect), Audience::Participant) => effect_in_words(state, flow, effect),
        (None, _) | (_, Audience::Staff) => noted.what.replace('_', " "),
    };
    let text = in_words(&what, noted.outcome)?;
    match (noted.effect, viewer) {
        (Some(PhaseEffect::PostSummary { include, on, .. }), Audience::Staff) => {
            let summary = summary(state, flow, include, *on).common_mark();
            Some(Body::Summary { text, summary })
        }
        _ => Some(Body::Line { text: Text::words(text), detail: None, technical: false }),
    }
}

/// Whether nothing was done, and what would be can be shown: that of another platform, and a web hook without an address.
const fn is_rehearsed(effect: &PhaseEffect, noted: Noted<'_>) -> bool {
    match noted.outcome {
        EffectOutcome::Rehearsed => true,
        EffectOutcome::NotApplicable => {
            noted.was_queued && matches!(effect, PhaseEffect::Webhook { .. })
        }
        EffectOutcome::AwaitingApproval
        | EffectOutcome::Queued
        | EffectOutcome::Delivered
        | EffectOutcome::Declined
        | EffectOutcome::Failed { .. } => false,
    }
}

const fn is_for_participant(outcome: &EffectOutcome) -> bool {
    !matches!(outcome, EffectOutcome::NotApplicable | EffectOutcome::Rehearsed)
}

/// The whole of it, with what would be posted or sent.
fn to_staff(effect: &PhaseEffect, state: &State, flow: &LoadedFlow) -> Body {
    let person = format!("**{}**", quoted(&state.person_in_words()));
    let (would, text, note) = match effect {
        PhaseEffect::DiscordAddRole { .. } | PhaseEffect::DiscordAddRolesFrom { .. } => {
            let would = messages::page::would_give(&person, &roles(state, effect));
            (would, None, messages::page::ROLES_ON_DISCORD)
        }
        PhaseEffect::DiscordPost { channel, data, mention_participant, .. } => {
            let mentioned = mention_participant.then_some(person.as_str());
            let would = messages::page::would_post(&in_channel(channel), mentioned);
            (would, posted(state, flow, data), messages::page::NO_CHANNELS)
        }
        PhaseEffect::PostSummary { channel, include, on, .. } => {
            let would = messages::page::would_summarise(&in_channel(channel));
            let text = summary(state, flow, include, *on).common_mark();
            (would, Some(text), messages::page::NO_CHANNELS)
        }
        PhaseEffect::Webhook { url_from, include, .. } => {
            let data: Vec<String> = include
                .iter()
                .map(|data| format!("*{}*", quoted(&flow.data_title(data))))
                .collect();
            let would = messages::page::would_call(&quoted(url_from), &data);
            (would, None, messages::page::NO_WEBHOOK)
        }
    };
    Body::Rehearsed { would, text, note }
}

/// What they would see of it themselves.
fn to_participant(effect: &PhaseEffect, state: &State, flow: &LoadedFlow) -> Option<Body> {
    let (would, text, note) = match effect {
        PhaseEffect::DiscordAddRole { .. } | PhaseEffect::DiscordAddRolesFrom { .. } => {
            let would = messages::page::you_would_get(&roles(state, effect));
            (would, None, messages::page::NO_ROLE_GIVEN)
        }
        PhaseEffect::DiscordPost { channel, data, .. } => {
            let would = messages::page::would_be_posted(&in_channel(channel));
            (would, posted(state, flow, data), messages::page::NOTHING_POSTED)
        }
        PhaseEffect::PostSummary { .. } | PhaseEffect::Webhook { .. } => return None,
    };
    Some(Body::Rehearsed { would, text, note })
}

/// `the role *Member*`
fn roles(state: &State, effect: &PhaseEffect) -> String {
    let titles = titles_of(&roles_of(state, effect));
    let titles: Vec<String> = titles.iter().map(|title| format!("*{}*", quoted(title))).collect();
    messages::page::roles(&titles)
}

fn in_channel(alias: &str) -> String {
    format!("*#{}*", quoted(alias))
}

/// The words that would be posted, line by line, while they are kept.
fn posted(state: &State, flow: &LoadedFlow, data: &str) -> Option<String> {
    Some(public_text(state, flow, data)?.common_mark().replace('\n', "  \n"))
}

fn in_words(what: &str, outcome: &EffectOutcome) -> Option<String> {
    Some(match outcome {
        EffectOutcome::AwaitingApproval => messages::page::awaits_approval(what),
        EffectOutcome::Queued => return None,
        EffectOutcome::Delivered => messages::page::done(what),
        EffectOutcome::NotApplicable => messages::page::not_applicable(what),
        EffectOutcome::Rehearsed => messages::page::not_done(what),
        EffectOutcome::Declined => messages::page::declined(what),
        EffectOutcome::Failed { reason } => messages::page::failed(what, reason),
    })
}
