//! Many members at once, at the paces that Discord sets, with the program itself: each gets their thread and what is asked
//! there, and Discord says not once that it was asked too often.
//!
//! `MEMBERS=500` has as many come within a minute; without it sixty come at once.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use chrono::TimeDelta;

use crate::{
    bot::{By, WELCOME},
    emulator::state::State,
    program::{Control, Place, button},
};

/// The first of them.
const FIRST: u64 = 1_500_000_000_000_000_000;

/// Longest time that it may take.
const PATIENCE: Duration = Duration::from_mins(5);

/// What they press one after the other in their threads, and what they see last.
const WAY: [&str; 2] = ["Start", "I accept"];
const LAST: &str = "Yes";

fn how_many() -> Option<u64> {
    let (_, wanted) = std::env::vars().find(|(name, _)| name == "MEMBERS")?;
    Some(wanted.parse().unwrap())
}

/// What is open before each member, in the thread that is theirs.
fn open(state: &State, members: u64) -> BTreeMap<u64, (String, Control)> {
    let mut open = BTreeMap::new();
    for (id, channel) in state.channels.iter().filter(|(_, one)| one.parent == Some(WELCOME)) {
        let theirs = (FIRST..FIRST + members).find(|member| channel.people.contains(member));
        let Some(member) = theirs else { continue };
        for (message, shown) in channel.messages.iter().rev() {
            let Some(body) = shown.body["components"].as_array() else { continue };
            let all = crate::emulator::components::all(body);
            let found = WAY.iter().chain([&LAST]).find_map(|label| {
                let one = all.iter().find(|component| component["label"] == *label)?;
                Some(((*label).to_owned(), one["custom_id"].as_str()?.to_owned()))
            });
            if let Some((label, own)) = found {
                open.insert(member, (label, (*id, *message, own)));
                break;
            }
        }
    }
    open
}

async fn come(by: By, members: u64, within: Duration) {
    let place = Place::new(by).await;
    place.discord.with(|state| {
        for member in FIRST..FIRST + members {
            state.add_user(member, &format!("Member {}", member - FIRST));
        }
        state.buckets.is_off = false;
        // How many threads Discord lets be made it does not say; so many that it is felt.
        let threads = "POST /channels/{channel}/threads";
        state.buckets.paces.insert(threads, (50, TimeDelta::seconds(4)));
    });
    let program = place.start().await;
    place.panel().await;
    let panel = place.sees(FIRST, "Start").await;
    let began = Instant::now();
    let (mut come, mut pressed, mut told) = (0, BTreeSet::new(), None);
    let mut welcomed = BTreeSet::new();
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    loop {
        ticks.tick().await;
        assert!(began.elapsed() < PATIENCE, "{come} came; {}", place.said());
        while come < members
            && began.elapsed()
                >= within * u32::try_from(come).unwrap() / u32::try_from(members).unwrap()
        {
            place.tries(FIRST + come, &panel).await;
            come += 1;
        }
        let now = place.discord.with(|state| open(state, members));
        welcomed.extend(now.keys().copied());
        if welcomed.len() == usize::try_from(members).unwrap() && told.is_none() {
            told = Some(began.elapsed());
        }
        let is_last = |(label, _): &&(String, Control)| label == LAST;
        if now.values().filter(is_last).count() == usize::try_from(members).unwrap() {
            break;
        }
        for (member, (label, control)) in now {
            if label != LAST && pressed.insert(control.2.clone()) {
                place.tries(member, &control).await;
            }
        }
    }
    check(
        &place,
        members,
        &format!(
            "{members} members within {within:?}: the last is welcomed after {told:?}, and has the second question after {:?}",
            began.elapsed()
        ),
    );
    drop(program);
}

/// What Discord says of it.
fn check(place: &Place, members: u64, what: &str) {
    let (refused, threads, asked, unanswered) = place.discord.with(|state| {
        let threads = state.channels.values().filter(|one| one.parent == Some(WELCOME)).count();
        let unanswered = state.interactions.values().filter(|one| one.answer.is_none()).count();
        (state.buckets.refused, threads, state.requests.len(), unanswered)
    });
    let late: Vec<String> = place.discord.with(|state| {
        let refused = state.requests.iter().filter(|asked| asked.status == 429);
        refused.map(|asked| format!("{} {}", asked.method, asked.path)).collect()
    });
    let so_far = format!(
        "{what}; {asked} requests, {refused} too early {late:?}, {unanswered} interactions without an answer",
    );
    report(&so_far);
    assert_eq!((refused, unanswered), (0, 0), "{so_far}\n{}", place.said());
    assert_eq!(threads, usize::try_from(members).unwrap(), "{so_far}");
    assert!(place.discord.with(|state| button(state, FIRST, LAST)).is_some());
}

#[expect(clippy::print_stdout, reason = "what was measured")]
fn report(what: &str) {
    println!("{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_at_the_gateway_is_served_at_the_paces_of_discord() {
    match how_many() {
        Some(members) => come(By::Gateway, members, Duration::from_mins(1)).await,
        None => come(By::Gateway, 60, Duration::ZERO).await,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_over_http_is_served_at_the_paces_of_discord() {
    match how_many() {
        Some(members) => come(By::Http, members, Duration::from_mins(1)).await,
        None => come(By::Http, 20, Duration::ZERO).await,
    }
}
