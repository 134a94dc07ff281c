//! Signs that somebody is at work: when the first one is seen after somebody has done something, and for how long
//! nothing is seen until the answer comes.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use serde_json::json;

use super::model_service::Line;

/// The longest that anybody looks at nothing.
const MOST: Duration = Duration::from_secs(1);

/// Whether times are measured, rather than only that signs come before the answer does.
fn is_measured() -> bool {
    std::env::var_os("SIGNS").is_some_and(|which| which == "all")
}

/// How long the model takes for each of its answers.
pub(crate) fn paces() -> Vec<Duration> {
    let millis: &[u64] = if is_measured() { &[200, 5_000, 40_000] } else { &[3_000] };
    millis.iter().map(|millis| Duration::from_millis(*millis)).collect()
}

/// A conversation in which each kind of input is wanted once.
pub(crate) const FLOW: &str = r#"
format = 1
id = "signs"
version = "1.0.0"
title = "A talk"

[start.slack]
commands = ["/onboard"]
place = "dm"

[start.discord]
panel = true
place = "private-thread"
parent = "welcome"

[approvals.override]
decider = "participant"

[[phase]]
id = "one"
title = "One"
mode = "interview"
fallback = "script"
tools = ["get_user_option", "get_user_upload", "set_objective_status", "next_phase"]
prompt = "Ask for a colour and a file."

  [[phase.objective]]
  id = "talk"
  title = "A talk"
  done = { any = [ { talked = 9 }, { answered = { step = "word" } } ] }

  [[phase.step]]
  id = "word"
  tool = "request_user_input"
  args = { prompt = "A word, please." }
"#;

/// What the model says to them, in turn.
pub(crate) fn lines() -> Vec<Line> {
    let colours = json!([{ "id": "red", "label": "Red" }, { "id": "blue", "label": "Blue" }]);
    vec![
        Line::new("What would you like to say?", &[]),
        Line::new(
            "",
            &[("get_user_option", json!({ "prompt": "Which colour?", "options": colours }))],
        ),
        Line::new(
            "A good colour.",
            &[("set_objective_status", json!({ "objectiveId": "talk", "status": "in_progress" }))],
        ),
        Line::new(
            "",
            &[("get_user_upload", json!({ "uploadType": "other", "prompt": "A file?" }))],
        ),
        Line::new("And one more, into the conversation?", &[]),
        Line::new("That is all, thank you.", &[]),
    ]
}

/// Longest time for an answer, which takes two rounds of a model at its slowest.
const PATIENCE: Duration = Duration::from_mins(3);

/// Waits for an answer, on the clock on the wall.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// What was seen after one input.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) input: &'static str,
    pub(crate) pace: Duration,
    /// Until the first sign.
    pub(crate) first: Duration,
    /// The longest time without one.
    pub(crate) longest: Duration,
}

/// What was seen from `began` to `answered`; each sign is seen from one moment to another.
pub(crate) fn seen(
    (input, pace): (&'static str, Duration),
    (began, answered): (Instant, Instant),
    signs: &[(Instant, Instant)],
) -> Seen {
    // What was shown before is no answer to what was done.
    let is_of_it = |(from, _): &&(Instant, Instant)| (began..=answered).contains(from);
    let mut signs: Vec<(Instant, Instant)> = signs.iter().filter(is_of_it).copied().collect();
    signs.sort_unstable();
    let first = signs.first().map_or(answered, |(from, _)| *from) - began;
    let (mut longest, mut covered) = (first, began);
    for (from, until) in signs {
        longest = longest.max(from.saturating_duration_since(covered));
        covered = covered.max(until);
    }
    longest = longest.max(answered.saturating_duration_since(covered));
    Seen { input, pace, first, longest }
}

/// The table of what was seen, with the worst and the middle of each column.
pub(crate) fn table(platform: &str, all: &[Seen]) -> String {
    let mut table =
        format!("| {platform} | model | first sign | longest without |\n|---|---|---|---|\n");
    let ms = |time: Duration| format!("{} ms", time.as_millis());
    for Seen { input, pace, first, longest } in all {
        let pace = pace.as_secs_f32();
        writeln!(table, "| {input} | {pace} s | {} | {} |", ms(*first), ms(*longest)).unwrap();
    }
    let column = |of: fn(&Seen) -> Duration| {
        let mut times: Vec<Duration> = all.iter().map(of).collect();
        times.sort_unstable();
        (ms(times[times.len() / 2]), ms(times[times.len() - 1]))
    };
    let (first, longest) = (column(|seen| seen.first), column(|seen| seen.longest));
    writeln!(
        table,
        "| median | | {} | {} |\n| worst | | {} | {} |",
        first.0, longest.0, first.1, longest.1
    )
    .unwrap();
    table
}

/// Nobody has looked at nothing for too long.
#[expect(clippy::print_stdout, reason = "the table is what is asked for")]
pub(crate) fn assert_seen(platform: &str, all: &[Seen]) {
    let table = table(platform, all);
    println!("{table}");
    let most = |seen: &Seen| if is_measured() { MOST } else { seen.pace };
    assert!(all.iter().all(|seen| seen.first.max(seen.longest) < most(seen)), "{table}");
}
