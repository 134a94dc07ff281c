//! Five people of a workspace to whom the model speaks at the same time, with the program itself at its own rates and a
//! Slack that keeps Slack's: each answer grows while it comes, and Slack never has to say that it is asked too often.
//!
//! `SIGNS=all` has longer answers, and prints for how long nothing more of each could be read.

use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::{Value, json};

use crate::slack::{
    crowd::RATES,
    emulator::{person::Person, state::State},
    program::{By, LED, Place},
    provider::{Provider, Reply},
};

const PEOPLE: usize = 5;

/// How long a provider takes for some words.
const PACE: Duration = Duration::from_millis(250);

fn is_measured() -> bool {
    std::env::var_os("SIGNS").is_some_and(|which| which == "all")
}

/// Words of an answer, each piece with its number.
fn pieces() -> Vec<String> {
    let count = if is_measured() { 160 } else { 40 };
    let mut pieces: Vec<String> = (1..=count).map(|n| format!("This is part {n}. ")).collect();
    pieces.push("What is its name?".to_owned());
    pieces
}

/// When the words of somebody's answer were seen to grow, the first and the last ones included.
fn growth(state: &State, person: &Person) -> Vec<Instant> {
    let channel = format!("D{}", &person.user[1..]);
    let mut calls: Vec<Instant> = state
        .calls
        .iter()
        .filter(|call| call.method.ends_with("Stream") && call.body["channel"] == *channel)
        .filter(|call| call.answer["ok"] == true)
        .map(|call| call.at)
        .collect();
    calls.sort();
    calls
}

#[expect(clippy::print_stdout, reason = "what was measured")]
fn report(state: &State, people: &[Person]) {
    for person in people {
        let grown = growth(state, person);
        let mut gaps: Vec<Duration> = grown.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort();
        let (middle, longest) = (gaps[gaps.len() / 2], gaps[gaps.len() - 1]);
        let took = grown[grown.len() - 1] - grown[0];
        println!(
            "{}: grew {} times in {took:.1?}; without growth for {middle:.1?} (p50), {longest:.1?} (longest)",
            person.user,
            grown.len()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn five_answers_grow_at_once_at_the_rates_of_slack() {
    let words = pieces();
    let piece = |text| json!({ "choices": [{ "index": 0, "delta": { "role": "assistant", "content": text } }] });
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let events: Vec<Value> = words.iter().map(piece).chain([end]).collect();
    let mut answer = Reply::stream(&events);
    answer.pace = PACE;
    let mut replies = vec![Reply::says("Do you have a pet?"); PEOPLE];
    replies.push(answer);
    let model = Provider::start(&replies).await;
    let table = format!("[llm.interview]\nbase_url = \"{}\"\nmodel = \"m\"\n", model.url);
    let place = Place::at_default_rates_with(By::Http, LED, &table).await;
    place.slack.with(|state| state.settings.rates = Some(RATES));
    let people: Vec<Person> = (0..PEOPLE)
        .map(|n| {
            let id = format!("U1{n:03}");
            place.slack.with(|state| _ = state.hire(&id, &format!("Candidate{n} Byron")));
            place.slack.person(&id)
        })
        .collect();
    let _program = place.start().await;
    join_all(people.iter().map(|person| person.command("/onboard start"))).await;
    join_all(people.iter().map(|person| person.sees("Do you have a pet?"))).await;

    join_all(people.iter().map(|person| person.reply("A cat."))).await;
    join_all(people.iter().map(|person| person.sees("What is its name?"))).await;
    join_all(people.iter().map(|person| person.sees("[Helpful] [Not helpful]"))).await;

    let whole = words.concat();
    for person in &people {
        let screen = person.screen();
        assert_eq!(screen.matches(&whole).count(), 1, "each is there once, and whole: {screen}");
        assert_eq!(screen.matches("This is part 1.").count(), 1, "{screen}");
        let grown = place.slack.look(|state| growth(state, person));
        assert!(grown.len() > 2, "it came all at once: {screen}");
    }
    let refused: Vec<String> = place.slack.look(|state| {
        let refused = state.calls.iter().filter(|call| call.status == 429);
        refused.map(|call| call.method.clone()).collect()
    });
    assert!(refused.is_empty(), "Slack was asked too often: {refused:?}");
    if is_measured() {
        place.slack.look(|state| report(state, &people));
    }
}
