//! Many members at once, at the paces that Discord sets, with the program itself: each gets their thread, what is asked
//! there, a role, and what is asked after it. Discord says not once that it was asked too often, and few calls are made for
//! each of them.
//!
//! `MEMBERS=120,500` has as many come within a minute, one crowd after another, and the program call as often as it does
//! by itself; without it a few come at once.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    time::{Duration, Instant},
};

use chrono::TimeDelta;

use crate::discord::{
    bot::{By, WELCOME, role},
    emulator::{
        calls,
        state::{GUILD, Recorded, State},
    },
    program::{Control, Place, button},
};

/// The first of them.
const FIRST: u64 = 1_500_000_000_000_000_000;

/// Longest time that it may take, and for each of them: Discord lets ten roles be given in ten seconds.
const PATIENCE: Duration = Duration::from_mins(5);
const PATIENCE_EACH: Duration = Duration::from_millis(1_200);

/// What they press one after the other in their threads, and what they see last.
const WAY: [&str; 3] = ["Start", "I accept", "Yes"];
const LAST: &str = "Done";

/// Calls that may be made for each, beside the answers to what they press.
const CALLS_MAX: usize = 8;

/// Where nobody says how many come: as many as get their roles soon.
const FEW: u64 = 20;

fn how_many() -> Vec<u64> {
    let wanted = std::env::vars().find(|(name, _)| name == "MEMBERS");
    let sizes = wanted.iter().flat_map(|(_, sizes)| sizes.split(','));
    sizes.map(|size| size.parse().unwrap()).collect()
}

/// What is open before each member, in the thread that is theirs.
fn open(state: &State, members: u64) -> BTreeMap<u64, (String, Control)> {
    let mut open = BTreeMap::new();
    for (id, channel) in state.channels.iter().filter(|(_, one)| one.parent == Some(WELCOME)) {
        let all = FIRST..FIRST + members;
        let theirs = channel.people.iter().find(|member| all.contains(member));
        let Some(member) = theirs.copied() else { continue };
        for (message, shown) in channel.messages.iter().rev() {
            let Some(body) = shown.body["components"].as_array() else { continue };
            let all = crate::discord::emulator::components::all(body);
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

/// How many have read of their roles.
fn with_roles(state: &State) -> usize {
    let threads = state.channels.values().filter(|one| one.parent == Some(WELCOME));
    let told = threads.filter(|channel| {
        let mut messages = channel.messages.values();
        messages.any(|shown| shown.body.to_string().contains("Role added: "))
    });
    told.count()
}

/// When members came, and when they first saw something.
#[derive(Debug, Default)]
struct Seen {
    came: BTreeMap<u64, Instant>,
    first: BTreeMap<u64, Duration>,
    last: BTreeMap<u64, Duration>,
}

impl Seen {
    fn note(&mut self, open: &BTreeMap<u64, (String, Control)>) {
        for (member, (label, _)) in open {
            let since = self.came[member].elapsed();
            self.first.entry(*member).or_insert(since);
            if label == LAST {
                self.last.entry(*member).or_insert(since);
            }
        }
    }
}

/// How long it took half of them, and the last.
fn half_and_last(times: &BTreeMap<u64, Duration>) -> String {
    let mut times: Vec<Duration> = times.values().copied().collect();
    times.sort_unstable();
    let half = times.get(times.len() / 2).copied().unwrap_or_default();
    format!("p50 {half:.1?}, worst {:.1?}", times.last().copied().unwrap_or_default())
}

async fn come(place: Place, members: u64, within: Duration) {
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
    let before = place.discord.with(|state| state.requests.len());
    let patience = PATIENCE + PATIENCE_EACH * u32::try_from(members).unwrap();
    let began = Instant::now();
    let (mut come, mut pressed, mut seen) = (0, BTreeSet::new(), Seen::default());
    let mut ticks = tokio::time::interval(Duration::from_millis(50));
    let all = usize::try_from(members).unwrap();
    while seen.last.len() < all {
        ticks.tick().await;
        assert!(began.elapsed() < patience, "{come} came; {}", place.said());
        while come < members
            && began.elapsed()
                >= within * u32::try_from(come).unwrap() / u32::try_from(members).unwrap()
        {
            seen.came.insert(FIRST + come, Instant::now());
            place.tries(FIRST + come, &panel).await;
            come += 1;
        }
        let now = place.discord.with(|state| open(state, members));
        seen.note(&now);
        for (member, (label, control)) in now {
            if label != LAST && pressed.insert(control.2.clone()) {
                place.tries(member, &control).await;
            }
        }
    }
    report(&format!(
        "{members} members within {within:?}\nfirst card: {}\nfourth card: {}",
        half_and_last(&seen.first),
        half_and_last(&seen.last),
    ));
    // To look through all threads takes a while.
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    while place.discord.with(|state| with_roles(state)) < all {
        ticks.tick().await;
        assert!(began.elapsed() < patience, "not all have roles; {}", place.said());
    }
    let roles = format!("the last has read of their role after {:.1?}", began.elapsed());
    check(&place, (members, before), &roles);
    drop(program);
}

/// What Discord says of it.
fn check(place: &Place, (members, before): (u64, usize), what: &str) {
    let (refused, threads, unanswered, with_role) = place.discord.with(|state| {
        let threads = state.channels.values().filter(|one| one.parent == Some(WELCOME)).count();
        let unanswered = state.interactions.values().filter(|one| one.answer.is_none()).count();
        let here = state.guilds[&GUILD].members.values();
        let with_role = here.filter(|member| member.roles.contains(&role(1))).count();
        (state.buckets.refused, threads, unanswered, with_role)
    });
    let late: Vec<String> = place.discord.with(|state| {
        let refused = state.requests.iter().filter(|asked| asked.status == 429);
        refused.map(|asked| format!("{} {}", asked.method, asked.path)).collect()
    });
    let (table, most) = place.discord.with(|state| counted(state, before, members));
    let so_far = format!(
        "{what}\n{refused} too early {late:?}, {unanswered} interactions without an answer\n{table}",
    );
    report(&so_far);
    assert_eq!((refused, unanswered), (0, 0), "{so_far}\n{}", place.said());
    let members = usize::try_from(members).unwrap();
    assert_eq!((threads, with_role), (members, members), "{so_far}");
    assert!(place.discord.with(|state| button(state, FIRST, LAST)).is_some());
    assert!(most <= CALLS_MAX, "{most} calls for one member\n{so_far}");
}

/// What was asked of Discord for members, by kind and for each of them; and the most for one, beside the answers to what
/// they pressed, which no limit over all calls counts.
fn counted(state: &State, before: usize, members: u64) -> (String, usize) {
    let mut kinds: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    let mut each: BTreeMap<u64, usize> = BTreeMap::new();
    for asked in &state.requests[before..] {
        let Some((route, _)) = calls::route(&asked.method, &asked.path) else { continue };
        let is_answer = route.contains(" /interactions/") || route.contains(" /webhooks/");
        *kinds.entry((is_answer, route)).or_default() += 1;
        if let Some(member) = whose(state, asked, members).filter(|_| !is_answer) {
            *each.entry(member).or_default() += 1;
        }
    }
    let mut table = String::new();
    let members = usize::try_from(members).unwrap();
    let per = |count: usize| format!("{:4}.{:02}", count / members, count * 100 / members % 100);
    let mut calls = 0;
    for ((is_answer, route), count) in kinds {
        calls += if is_answer { 0 } else { count };
        let what = if is_answer { "answer" } else { "call" };
        writeln!(table, "{} a member  {what:6}  {route}", per(count)).unwrap();
    }
    writeln!(table, "{} a member  calls in all", per(calls)).unwrap();
    let mut spread: BTreeMap<usize, usize> = BTreeMap::new();
    for count in each.values() {
        *spread.entry(*count).or_default() += 1;
    }
    for (count, of) in &spread {
        writeln!(table, "{of} members took {count} calls").unwrap();
    }
    (table, spread.keys().max().copied().unwrap_or(0))
}

/// The member for whom something was asked: it names them, their thread, or the thread that is made for them.
fn whose(state: &State, asked: &Recorded, members: u64) -> Option<u64> {
    let all = FIRST..FIRST + members;
    let named = asked.path.split('/').filter_map(|part| part.parse::<u64>().ok());
    for id in named {
        let people = state.channels.get(&id).filter(|one| one.parent == Some(WELCOME));
        let theirs = people.and_then(|one| one.people.iter().find(|who| all.contains(who)));
        if let Some(member) = theirs.copied().or_else(|| all.contains(&id).then_some(id)) {
            return Some(member);
        }
    }
    let number = asked.body["name"].as_str()?.strip_prefix("welcome-member-")?;
    number.parse::<u64>().ok().map(|number| FIRST + number)
}

#[expect(clippy::print_stdout, reason = "what was measured")]
fn report(what: &str) {
    println!("{what}");
}

async fn all_come(by: By) {
    let sizes = how_many();
    if sizes.is_empty() {
        return come(Place::new(by).await, FEW, Duration::ZERO).await;
    }
    for members in sizes {
        come(Place::at_default_rate(by).await, members, Duration::from_mins(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_at_the_gateway_is_served_at_the_paces_of_discord() {
    all_come(By::Gateway).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_over_http_is_served_at_the_paces_of_discord() {
    all_come(By::Http).await;
}
