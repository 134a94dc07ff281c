//! Many people who answer at once, with the program itself at its own rates and a Slack that keeps Slack's: how long each
//! of them waits for the next question, and whether Slack ever has to say that it is asked too often.
//!
//! `PEOPLE=12,30,100` has so many, one crowd after another; without it there are six.

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use futures::future::join_all;

use crate::slack::{
    emulator::{Rates, person::Person, state::State},
    program::{By, Place},
};

/// Where so few come, what tidies up is waited for as well.
const FEW: usize = 6;

/// Questions that each of them is asked. A large crowd answers once: Slack takes some hundred messages a minute in a
/// workspace, whatever they say.
const fn questions(people: usize) -> usize {
    if people <= FEW {
        3
    } else if people < 50 {
        5
    } else {
        2
    }
}

/// Longest time that a crowd may take.
const PATIENCE: Duration = Duration::from_mins(10);

/// Slack's own rates, with the burst that a channel takes in one go.
pub(crate) const RATES: Rates = Rates { burst: 5.0, tiers: 1.0 };

fn flow(questions: usize) -> String {
    let steps = (1..=questions).map(|n| {
        format!(
            r#"
  [[phase.objective]]
  id = "answered_{n}"
  title = "Question {n}"
  done = {{ answered = {{ step = "question_{n}" }} }}

  [[phase.step]]
  id = "question_{n}"
  tool = "get_user_option"
  args = {{ prompt = "Question {n}?", options = [ {{ id = "yes", label = "Yes to {n}" }}, {{ id = "no", label = "No to {n}" }} ] }}
"#
        )
    });
    let steps: String = steps.collect();
    format!(
        r#"
format = 1
id = "crowd"
version = "1.0.0"
title = "A crowd"

[start.slack]
commands = ["/onboard"]
place = "dm"

[approvals.override]
decider = "participant"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option"]
{steps}"#
    )
}

fn sizes() -> Vec<usize> {
    let wanted = std::env::vars().find(|(name, _)| name == "PEOPLE");
    let wanted = wanted.map_or_else(|| FEW.to_string(), |(_, sizes)| sizes);
    wanted.split(',').map(|size| size.parse().unwrap()).collect()
}

/// Answers every question but the last as soon as it is there; how long the next one took after each answer.
async fn answers(person: &Person, questions: usize) -> Vec<Duration> {
    let mut waits = Vec::new();
    for n in 1..questions {
        person.press(&format!("Yes to {n}")).await;
        let answered = Instant::now();
        person.sees(&format!("Question {}?", n + 1)).await;
        waits.push(answered.elapsed());
    }
    waits
}

/// Calls by method, those that were refused as too many, and edits that left a message as it was.
fn calls(state: &State) -> String {
    let mut counts = BTreeMap::<&str, (usize, usize)>::new();
    let (mut looks, mut unchanged) = (HashMap::new(), 0);
    for call in &state.calls {
        let count = counts.entry(&call.method).or_default();
        count.0 += 1;
        count.1 += usize::from(call.status == 429);
        let message = (call.answer["channel"].to_string(), call.answer["ts"].to_string());
        let look = (call.body["text"].to_string(), call.body["blocks"].to_string());
        if matches!(call.method.as_str(), "chat.postMessage" | "chat.update") {
            unchanged += usize::from(looks.insert(message, look.clone()) == Some(look));
        }
    }
    let lines =
        counts.iter().map(|(method, (calls, late))| format!("{method} {calls} ({late} too early)"));
    format!("{}; {unchanged} edits changed nothing", lines.collect::<Vec<_>>().join(", "))
}

async fn come(size: usize) {
    let place = Place::at_default_rates(By::Http, &flow(questions(size))).await;
    place.slack.with(|state| {
        state.settings.patience = PATIENCE;
        state.settings.rates = Some(RATES);
    });
    let people: Vec<Person> = (0..size)
        .map(|n| {
            let id = format!("U1{n:03}");
            place.slack.with(|state| _ = state.hire(&id, &format!("Candidate{n} Byron")));
            place.slack.person(&id)
        })
        .collect();
    let _program = place.start().await;
    join_all(people.iter().map(|person| person.command("/onboard start"))).await;
    join_all(people.iter().map(|person| person.sees("Question 1?"))).await;

    let waits = join_all(people.iter().map(|person| answers(person, questions(size)))).await;
    let mut waits: Vec<Duration> = waits.into_iter().flatten().collect();
    waits.sort();
    let (middle, longest) = (waits[waits.len() / 2], waits[waits.len() - 1]);
    if size <= FEW {
        let answered = format!("Yes to {}]", questions(size) - 1);
        join_all(people.iter().map(|person| person.sees_no_more(&answered))).await;
    }
    let calls = place.slack.look(calls);
    report(&format!(
        "{size} people: the next question after {middle:.1?} (p50), {longest:.1?} (longest); {calls}"
    ));
    let refused = place.slack.look(|state| state.calls.iter().any(|call| call.status == 429));
    assert!(!refused, "Slack was asked too often: {calls}");
}

#[expect(clippy::print_stdout, reason = "what was measured")]
fn report(what: &str) {
    println!("{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn crowd_is_served_at_the_rates_of_slack() {
    for size in sizes() {
        come(size).await;
    }
}
