//! Measures that are counted: how it ended, what is done, and what it took.

use super::{Evidence, count, found, none};
use crate::{
    chat::form::clip,
    model::{
        transcript::{CallResult, Event, Gap, ObjectiveStatus, Origin, SetBy},
        usage::Usage,
    },
    ops::eval::score::{Measure, Name},
    session::topics::FORBIDDEN,
};

/// Codes of failures that are nobody's mistake.
const NO_MISTAKE: [&str; 7] = [
    "timeout",
    "transient",
    "not_configured",
    "user_cancelled",
    "superseded",
    "execution_failed",
    // Has a measure of its own.
    FORBIDDEN,
];

/// 1 where the conversation ended as the persona allows, else 0.
pub(super) fn end(of: &Evidence<'_>) -> Measure {
    let end = of.interview.end;
    let is_allowed = of.persona.ends.contains(&end);
    let phase = of.interview.state.phase().unwrap_or("no part").to_owned();
    let why = format!("{} in {phase}", end.word());
    Measure {
        name: Name::End,
        value: Some(if is_allowed { 1.0 } else { 0.0 }),
        why: if is_allowed { vec![end.word().to_owned()] } else { vec![why] },
    }
}

/// The share of required objectives that stored evidence completed, or that the participant passed over where they may.
pub(super) fn objectives(of: &Evidence<'_>) -> Measure {
    if !of.may_finish() {
        return none(Name::Objectives);
    }
    let state = &of.interview.state;
    let required: Vec<_> = of
        .flow
        .flow
        .phase
        .iter()
        .flat_map(|phase| &phase.objective)
        .filter(|objective| objective.required)
        .collect();
    let missing: Vec<String> = required
        .iter()
        .filter(|objective| {
            !matches!(
                state.objectives.get(&objective.id),
                Some(
                    (ObjectiveStatus::Completed, SetBy::Evidence | SetBy::Model)
                        | (ObjectiveStatus::Skipped, SetBy::Participant)
                )
            )
        })
        .map(|objective| format!("`{}` isn't met by evidence", objective.id))
        .collect();
    let all = required.len().max(1);
    let value = Some(count(all - missing.len().min(all)) / count(all));
    Measure { name: Name::Objectives, value, why: missing }
}

/// What the participant did.
pub(super) fn turns(of: &Evidence<'_>) -> Measure {
    let turns = f64::from(of.interview.state.turns);
    Measure { name: Name::Turns, value: Some(turns), why: Vec::new() }
}

/// Rounds of the model in a turn, on average.
pub(super) fn rounds(of: &Evidence<'_>) -> Measure {
    let rounds = of.rounds().count();
    if rounds == 0 {
        return none(Name::Rounds);
    }
    let turns = of.rounds().filter(|round| round.thought.round == 1).count().max(1);
    Measure { name: Name::Rounds, value: Some(count(rounds) / count(turns)), why: Vec::new() }
}

fn usage(of: &Evidence<'_>) -> Usage {
    let spent = of.events().iter().map(|recorded| match &*recorded.event {
        // Child runs belong to the interview that began them.
        Event::Spent { usage, .. } => *usage,
        event => event.charge(),
    });
    spent.fold(Usage::default(), Usage::plus)
}

/// Tokens in and out.
pub(super) fn tokens(of: &Evidence<'_>) -> Measure {
    match usage(of).tokens() {
        0 => none(Name::Tokens),
        tokens => Measure {
            name: Name::Tokens,
            value: Some(count(usize::try_from(tokens).unwrap_or(usize::MAX))),
            why: Vec::new(),
        },
    }
}

/// Money, where it is known what the model costs.
pub(super) fn cost(of: &Evidence<'_>) -> Measure {
    match usage(of).cost_micros {
        None => none(Name::Cost),
        Some(micros) => Measure {
            name: Name::Cost,
            value: Some(count(usize::try_from(micros).unwrap_or(usize::MAX)) / 1e6),
            why: Vec::new(),
        },
    }
}

/// Overrides that the model asked for.
pub(super) fn overrides(of: &Evidence<'_>) -> Measure {
    if of.rounds().next().is_none() {
        return none(Name::Overrides);
    }
    let asked = of.rounds().flat_map(|round| &round.thought.calls).filter_map(|call| {
        let overrides = call.args.get("overrides")?.as_array().filter(|all| !all.is_empty())?;
        let ids: Vec<&str> = overrides.iter().filter_map(|id| id.as_str()).collect();
        (call.tool == "next_phase").then(|| format!("asked to pass over {}", ids.join(", ")))
    });
    found(Name::Overrides, asked.collect())
}

/// Times at which the interview stood still: nothing to answer, or the engine had to remind the model or to go on in its
/// place.
pub(super) fn stalls(of: &Evidence<'_>) -> Measure {
    let mut why: Vec<String> = of
        .interview
        .stalls
        .iter()
        .map(|_| "the participant had nothing to answer".to_owned())
        .collect();
    for recorded in of.events() {
        let stall = match &*recorded.event {
            Event::Thought(thought) => match thought.gap {
                Some(Gap::Question) => "the model asked nothing and was reminded",
                Some(Gap::NextPhase) => "the model was reminded of `next_phase`",
                Some(Gap::Cut | Gap::Interrupted | Gap::Stopped) | None => continue,
            },
            Event::ThinkingFailed { code, .. } => {
                why.push(format!("the model gave no answer: {code}"));
                continue;
            }
            Event::ScriptLeads { phase, because } => {
                why.push(format!("the script took over {phase}: {because}"));
                continue;
            }
            Event::Called(call)
                if call.origin == Origin::Engine
                    && call.tool == "next_phase"
                    && is_led(of, call.phase.as_deref()) =>
            {
                "the engine called `next_phase` in the model's place"
            }
            _ => continue,
        };
        why.push(stall.to_owned());
    }
    found(Name::Stalls, why)
}

/// Whether the model led a phase at all.
fn is_led(of: &Evidence<'_>, phase: Option<&str>) -> bool {
    let mut current = None;
    of.events().iter().any(|recorded| {
        if let Event::Advanced { to, .. } = &*recorded.event {
            current = to.as_deref();
        }
        matches!(&*recorded.event, Event::Thought(_)) && current == phase
    })
}

/// The share of the model's calls that were right at the first try.
pub(super) fn valid(of: &Evidence<'_>) -> Measure {
    let mut results = of
        .events()
        .iter()
        .filter_map(|recorded| match &*recorded.event {
            Event::Returned { call, result } => Some((call, result)),
            _ => None,
        })
        .collect::<std::collections::HashMap<_, _>>();
    let (mut all, mut why) = (0, Vec::new());
    for call in of.rounds().flat_map(|round| &round.thought.calls) {
        all += 1;
        if let Some(CallResult::Err { code, message }) = results.remove(&call.id)
            && !NO_MISTAKE.contains(&code.as_str())
        {
            why.push(format!("`{}` failed: {}", call.tool, clip(message, 60)));
        }
    }
    if all == 0 {
        return none(Name::Valid);
    }
    Measure { name: Name::Valid, value: Some(count(all - why.len()) / count(all)), why }
}

/// Seconds until the model had answered what the participant did, on average.
pub(super) fn time(of: &Evidence<'_>) -> Measure {
    let turns = of.rounds().filter(|round| round.thought.round == 1).count();
    if turns == 0 {
        return none(Name::Time);
    }
    let millis = of.rounds().map(|round| round.thought.usage.millis).sum::<u64>();
    let millis = count(usize::try_from(millis).unwrap_or(usize::MAX));
    Measure { name: Name::Time, value: Some(millis / 1000.0 / count(turns)), why: Vec::new() }
}
