//! Notes of the program in the window besides what happened: what it is about, a new day, what is left of a turn. Each
//! stands where it was first sent and is never taken back.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use crate::{
    base::ids::CallId,
    flow::LoadedFlow,
    model::{
        flow::{Objective, Skip},
        session::Platform,
        text::quoted,
        transcript::{CallResult, Event, Gap, Recorded, Speaker, Started, Thought},
    },
    session::{EVALUATIONS_MAX, evidence::missing_in_words},
};

/// Most rounds that are left when the model is told so.
const FEW: u32 = 3;

fn zone(flow: &LoadedFlow, started: &Started) -> Tz {
    let known = started.time_zone.as_deref().or(flow.flow.pace.time_zone.as_deref());
    known.and_then(|name| name.parse().ok()).unwrap_or(Tz::UTC)
}

/// Who is talked with, where, when, and in which language.
pub(super) fn about(flow: &LoadedFlow, started: &Started, at: DateTime<Utc>) -> String {
    let zone = zone(flow, started);
    let now = at.with_timezone(&zone).format("%A, %-d %B %Y, %H:%M");
    let place = match started.place.platform {
        Platform::Slack => "in Slack",
        Platform::Discord => "in Discord",
        Platform::Web => "on a web page",
    };
    let name = started.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let person = match name {
        Some(name) => format!("The participant is called {} there.", quoted(name)),
        None => "The platform does not say what the participant is called.".to_owned(),
    };
    let locale = &flow.flow.locale;
    format!(
        "The conversation begins on {now} ({zone}), {place}. {person} The texts of the interview are in the language \
         `{locale}`; write in the language in which the participant writes."
    )
}

/// What is added after events: a new day, answers that complete nothing, few rounds left. It follows from what came before
/// alone.
pub(super) fn asides(
    flow: &LoadedFlow,
    old: &[Recorded],
    shown: &[Recorded],
) -> HashMap<u64, String> {
    let started = old.iter().chain(shown).next().and_then(|first| match &*first.event {
        Event::Started(started) => Some((started, first.at)),
        _ => None,
    });
    let Some((started, at)) = started else { return HashMap::new() };
    let zone = zone(flow, started);
    let mut day = at.with_timezone(&zone).date_naive();
    let mut fruitless = 0;
    let mut tries = 0;
    let mut asked: HashMap<&CallId, u64> = HashMap::new();
    let mut asides: HashMap<u64, Vec<String>> = HashMap::new();
    for recorded in old {
        turn_day(recorded, zone, &mut day);
        count_fruitless(&recorded.event, &mut fruitless);
    }
    for recorded in shown {
        let mut said = Vec::new();
        if turn_day(recorded, zone, &mut day) {
            said.push(format!("It is now {}.", day.format("%A, %-d %B %Y")));
        }
        let most = flow.flow.limits.followups;
        if count_fruitless(&recorded.event, &mut fruitless) && most > 0 && fruitless == most {
            fruitless = 0;
            said.push(format!(
                "{most} answers in a row have completed no objective. Go on with what you have: show it for review, offer to \
                 skip what may be skipped, or turn to the next objective."
            ));
        }
        match &*recorded.event {
            Event::Thought(thought) => {
                let requests = thought.calls.iter().filter(|call| call.tool == "next_phase");
                asked.extend(requests.map(|call| (&call.id, recorded.seq)));
                said.extend(rounds_left(flow, thought, recorded.seq, shown));
            }
            Event::AdvanceEvaluated { .. } => tries += 1,
            Event::Returned { call, result } => {
                if let Some(seq) = asked.get(call) {
                    let why = why_blocked(flow, result, EVALUATIONS_MAX.saturating_sub(tries));
                    let known = asides.entry(*seq).or_default();
                    known.extend(why.filter(|why| !known.contains(why)));
                }
            }
            Event::Advanced { .. } => tries = 0,
            event if is_act(event) => tries = 0,
            _ => {}
        }
        if !said.is_empty() {
            asides.entry(recorded.seq).or_default().extend(said);
        }
    }
    asides.retain(|_, said| !said.is_empty());
    asides.into_iter().map(|(seq, said)| (seq, said.join(" "))).collect()
}

/// Why a request for the next phase was blocked, what can be done about it, and how often it may be made before somebody has
/// done something.
fn why_blocked(flow: &LoadedFlow, result: &CallResult, left: u32) -> Option<String> {
    let result = result.to_value();
    if result["status"] != "blocked" {
        return None;
    }
    let ids = result["missing_objectives"].as_array()?.iter().filter_map(Value::as_str);
    let missing: Vec<&Objective> =
        ids.filter_map(|id| flow.objective(id)).map(|(_, objective)| objective).collect();
    if missing.is_empty() {
        return None;
    }
    let needs: Vec<String> = missing
        .iter()
        .map(|objective| format!("`{}` needs {}", objective.id, missing_in_words(&objective.done)))
        .collect();
    let never: Vec<String> = missing
        .iter()
        .filter(|objective| objective.skip == Skip::Never)
        .map(|objective| format!("`{}`", objective.id))
        .collect();
    let way = if never.is_empty() {
        "Get that done, or call again with these ids in `overrides` and a `reason`".to_owned()
    } else {
        format!("Get that done; {} cannot be passed over", never.join(", "))
    };
    Some(format!(
        "`next_phase` is blocked: {}. {way}. Calls of it that are looked at before the participant does something: {left} more.",
        needs.join("; ")
    ))
}

/// Whether the participant did something.
fn is_act(event: &Event) -> bool {
    match event {
        Event::Said { from, .. } => *from == Speaker::Participant,
        Event::Answered { .. } | Event::Kept(_) => true,
        _ => false,
    }
}

/// Whether a person has begun a new day by doing something.
fn turn_day(recorded: &Recorded, zone: Tz, day: &mut NaiveDate) -> bool {
    let today = recorded.at.with_timezone(&zone).date_naive();
    let is_new = is_act(&recorded.event) && today > *day;
    if is_new {
        *day = today;
    }
    is_new
}

/// Counts acts since something was completed; whether this is one.
fn count_fruitless(event: &Event, fruitless: &mut u32) -> bool {
    match event {
        Event::ObjectiveSet { .. } | Event::Saved { .. } | Event::Advanced { .. } => *fruitless = 0,
        event if is_act(event) => {
            *fruitless += 1;
            return true;
        }
        _ => {}
    }
    false
}

/// How many rounds are left of the turn, where they are few and nobody has done anything since, which begins a new one.
fn rounds_left(
    flow: &LoadedFlow,
    thought: &Thought,
    seq: u64,
    shown: &[Recorded],
) -> Option<String> {
    let limit = flow.flow.limits.model_rounds;
    let left = limit.checked_sub(thought.round)?;
    if thought.calls.is_empty() || left > FEW.min(limit / 2) {
        return None;
    }
    let after = &shown[shown.partition_point(|recorded| recorded.seq <= seq)..];
    let mut open: Vec<&CallId> = thought.calls.iter().map(|call| &call.id).collect();
    for recorded in after {
        match &*recorded.event {
            Event::Returned { call, .. } => open.retain(|id| *id != call),
            event if is_act(event) => return None,
            _ => {}
        }
        if open.is_empty() {
            break;
        }
    }
    Some(match left {
        0 => "No round is left in this turn: answer in words, without a call, and end with a question.".to_owned(),
        1 => "1 round with calls is left before the participant must do something.".to_owned(),
        left => format!("{left} rounds with calls are left before the participant must do something."),
    })
}

/// What is said of an answer that was of no use; nothing of other failures.
pub(super) fn of_no_use(code: &str) -> Option<&'static str> {
    match code {
        "empty_answer" => {
            Some("Your last answer was empty. Write to the participant, or call a tool.")
        }
        "cut_off" => Some(
            "Your last answer ran out of room before any of it could be used. Answer at once and briefly, or call one tool.",
        ),
        "refused" => Some(
            "Your last answer was a refusal. If there is something that you cannot do, leave it out and go on with the next \
             objective.",
        ),
        "forbidden_question" => Some(
            "Your last answer asked about something that you must never ask about; it was not sent. Answer again without that \
             question.",
        ),
        "filtered" => Some(
            "Your last answer was withheld by the provider's filter. Go on in other, neutral words.",
        ),
        _ => None,
    }
}

/// What is said of an answer that lacks something.
pub(super) const fn of_gap(gap: Gap) -> &'static str {
    match gap {
        Gap::Cut => {
            "Your message was cut off because it had become too long. Continue exactly where it stops, and repeat nothing; \
             what you write now is added to it."
        }
        Gap::Question => {
            "The participant has nothing to answer: no card is open and you asked nothing. Make the call that you announced, \
             or ask the next question of the part now."
        }
        Gap::Interrupted => {
            "The participant wrote while you were speaking. They read nothing that you would have said after this."
        }
        Gap::Stopped => {
            "The participant stopped you here, and read nothing that you would have said after this. Go on with what they say \
             now."
        }
        Gap::NextPhase => {
            "All that this part requires is done. Call `next_phase` now, with no overrides."
        }
    }
}
