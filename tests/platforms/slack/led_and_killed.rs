//! Whole interviews that a model leads in Slack, in a program that is killed in the middle: with models of each
//! temperament, and behind each preset whose provider has rules. What Ada reads in the end is the same as if nothing had
//! happened.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    time::Duration,
};

use anteroom::flow::shipped;
use futures::future::join_all;

use crate::slack::{
    emulator::person::Person,
    model_service::{
        Speaker,
        completions::{Emulator, Rule},
        formats::Service,
    },
    program::{By, Place, insist},
    reader::{GOODBYE, Reader, Temperament},
};

const FLOWS: [&str; 2] = ["candidate-onboarding", "community-welcome"];

/// How far each flow is at its end; the line is edited after what people wait for.
const ENDS: [&str; 2] = ["In your own words · 2/2", "· Roles"];

/// Deaths in each interview.
const KILLS: usize = 4;

/// What the flows want to know of their surroundings.
const TEAM: &str = "
[approvers]
recruiting_approvals = { slack_groups = [\"S0APPROVERS\"] }
staff_approvals = { slack_groups = [\"S0APPROVERS\"] }
[webhooks]
ats_webhook = { url = \"http://127.0.0.1:9/\" }
[slack.channels]
recruiting_approvals = \"C0APPROVALS\"
recruiting_desk = \"C0DESK\"
staff_approvals = \"C0APPROVALS\"
staff_desk = \"C0DESK\"
";

/// Buttons that Ada presses where she sees them.
const BUTTONS: &[&str] = &[
    "Continue with the assistant",
    "Start",
    "I accept",
    "Yes",
    "Yes, please",
    "Yes, I would",
    "Looks right",
    "Done",
];

/// What Ada does next.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    Presses(&'static str, String),
    Answers(String),
    /// It is over.
    Leaves,
}

/// Ada, who answers whatever she is asked.
struct Ada {
    person: Person,
    done: BTreeSet<Act>,
}

impl Ada {
    /// Answers one question; false at the end.
    async fn step(&mut self, end: &str) -> bool {
        let what = format!("a question or `{end}`, after {:?}", self.done.last());
        let act = self.person.finds(&what, |messages| self.next(messages, end)).await;
        match &act {
            Act::Leaves => return false,
            Act::Presses(label, card) => {
                if *label == "Done" && card.contains("Learning") {
                    self.person.pick("Learning").await;
                }
                insist(&self.person, label).await;
            }
            Act::Answers(_) => {
                self.person.reply(&format!("My answer number {}.", self.done.len())).await;
            }
        }
        self.done.insert(act);
        true
    }

    fn has_answered(&self, question: &str) -> bool {
        self.done.iter().any(|act| match act {
            Act::Presses(_, known) | Act::Answers(known) => known == question,
            Act::Leaves => false,
        })
    }

    /// What is to be done about what stands there; nothing yet where she has to wait.
    fn next(&self, messages: &[String], end: &str) -> Option<Act> {
        let open = messages.iter().rev().find_map(|message| {
            let label = BUTTONS.iter().find(|label| {
                message.contains(&format!("[{label}]")) || message.contains(&format!("[+ {label}]"))
            })?;
            // Its card may be drawn anew, but its question stays the same.
            let question = without_buttons(message);
            (!self.has_answered(&question)).then_some(Act::Presses(label, question))
        });
        if open.is_some() {
            return open;
        }
        if messages.iter().any(|message| message.contains(end)) {
            return Some(Act::Leaves);
        }
        let last = messages.iter().rev().find(|message| !message.contains("(only you)"))?;
        let question = without_buttons(last);
        let is_asked = last.starts_with("Anteroom") && question.trim_end().ends_with('?');
        (is_asked && !self.has_answered(&question)).then_some(Act::Answers(question))
    }
}

/// The words of a message.
fn without_buttons(message: &str) -> String {
    let lines = message.lines().filter(|line| !line.trim_start().starts_with(['[', '{', '·', '…']));
    lines.collect::<Vec<_>>().join("\n").replace(" (edited)", "")
}

/// Pause between two looks at the screen while edits may still come.
const LOOK: Duration = Duration::from_millis(300);

/// What Ada can read at the end, when nothing more comes; what she should read, if that comes before.
async fn read_at_the_end(ada: &Ada, progress: &str, expected: &[String]) -> Vec<String> {
    ada.person.sees(progress).await;
    ada.person.sees("Download my answers").await;
    let mut lines = lines(&ada.person);
    let mut quiet = 0;
    // A retry of an edit may come seconds after the last one.
    while lines != expected && quiet < if expected.is_empty() { 3 } else { 60 } {
        tokio::time::sleep(LOOK).await;
        let before = std::mem::replace(&mut lines, self::lines(&ada.person));
        quiet = if before == lines { quiet + 1 } else { 0 };
    }
    lines
}

/// The lines of the screen, without what differs from run to run: the time of day, the number of the conversation, and
/// whether an answer could still be changed when its card was drawn for the last time.
fn lines(person: &Person) -> Vec<String> {
    let screen = person.screen().replace(" (edited)", "");
    let lines = screen
        .lines()
        .filter(|line| !line.contains("could not be saved") && !line.starts_with('⚠'))
        .filter(|line| line.trim() != "[Change]")
        .map(|line| line.split_once("ses_").map_or(line, |(before, _)| before))
        .map(|line| line.replace(|c: char| c.is_ascii_digit(), "0"));
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

/// An interview that nobody disturbs, and one that dies again and again.
async fn survives(flow: &str, url: &str, preset: &str, temperament: Temperament) {
    let what = format!("{flow}, {temperament:?}, {preset}");
    let name = format!("{flow}.toml");
    let (_, source) = shipped().into_iter().find(|(file, _)| *file == name).unwrap();
    // A copy has an id of its own, as one that is edited does.
    let source = source.replacen(&format!("\"{flow}\""), "\"own-flow\"", 1);
    let table = format!("[llm.interview]\nbase_url = \"{url}\"\nmodel = \"m\"\n{preset}");
    let is_ended_by_model = flow == FLOWS[0] && temperament != Temperament::Forgets;
    let end = if is_ended_by_model { GOODBYE } else { "Download my answers" };
    let progress = ENDS[usize::from(flow == FLOWS[1])];
    let begins = "/onboard start own-flow";

    let quiet = Place::new(By::Sockets, &source, &format!("{TEAM}{table}")).await;
    let program = quiet.start().await;
    let mut ada = Ada { person: quiet.slack.person("U0ADA"), done: BTreeSet::new() };
    ada.person.command(begins).await;
    while ada.step(end).await {}
    let (expected, steps) = (read_at_the_end(&ada, progress, &[]).await, ada.done.len());
    assert!(steps >= 3, "{what}: {expected:#?}");
    drop(program);

    let chance = RandomState::new();
    let random = |n: usize| {
        let mut hasher = chance.build_hasher();
        hasher.write_usize(n);
        usize::try_from(hasher.finish() % 1_000).unwrap()
    };
    let deaths: BTreeSet<usize> = (0..KILLS).map(|n| random(n) % steps).collect();
    let place = Place::new(By::Sockets, &source, &format!("{TEAM}{table}")).await;
    let mut program = Some(place.start().await);
    let mut ada = Ada { person: place.slack.person("U0ADA"), done: BTreeSet::new() };
    ada.person.command(begins).await;
    for n in 0.. {
        if !ada.step(end).await {
            break;
        }
        if deaths.contains(&n) {
            // While the program works on it, or when it has done so.
            tokio::time::sleep(Duration::from_millis(1 << (random(100 + n) % 8))).await;
            program.take().unwrap().kill();
            program = Some(place.start().await);
            place.slack.redeliver().await;
        }
    }
    assert_eq!(ada.done.len(), steps, "{what}, killed after {deaths:?}:\n{}", ada.person.screen());
    let read = read_at_the_end(&ada, progress, &expected).await;
    assert_eq!(
        read.join("\n"),
        expected.join("\n"),
        "{what}, killed after {deaths:?}:\n{}",
        ada.person.screen()
    );
}

fn speaker(temperament: Temperament) -> Speaker {
    Speaker::Reader(Reader::new(temperament))
}

/// The first two of them, or all.
fn some<T>(all: &[T]) -> &[T] {
    if std::env::var_os("INTERVIEWS").is_some_and(|which| which == "all") { all } else { &all[..2] }
}

#[tokio::test(flavor = "multi_thread")]
async fn interviews_with_every_temperament_read_the_same_however_often_they_are_killed() {
    use Temperament::{Cards, Errs, Forgets, Words};
    let led = [[Words, Errs, Cards, Forgets], [Forgets, Cards, Words, Errs]];
    let led = FLOWS.into_iter().zip(&led);
    let led = led.flat_map(|(flow, all)| some(all).iter().map(move |one| (flow, *one)));
    // Side by side: each waits for its processes more than it works.
    join_all(led.map(async |(flow, temperament)| {
        let emulator = Emulator::played_by(&[], speaker(temperament)).await;
        survives(flow, &emulator.url, "", temperament).await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interviews_behind_every_preset_with_rules_read_the_same_and_nothing_is_refused() {
    let presets: &[(&[Rule], &str)] = &[
        (&[Rule::Signature], "provider = \"gemini\"\n"),
        (
            &[Rule::NoUserAfterTool, Rule::KnownMembers, Rule::NoThoughts],
            "provider = \"mistral\"\n",
        ),
        (&[Rule::Thoughts], "provider = \"deepseek\"\n"),
        (&[Rule::Details], "provider = \"openrouter\"\n"),
        (&[Rule::Reasons], "provider = \"openai\"\n[llm.interview.dialect]\ntemperature = false\n"),
    ];
    for (n, (rules, preset)) in some(presets).iter().enumerate() {
        let emulator = Emulator::played_by(rules, speaker(Temperament::Cards)).await;
        survives(FLOWS[n % 2], &emulator.url, preset, Temperament::Cards).await;
        assert_eq!(emulator.refused(), [""; 0], "{rules:?}, {preset}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn interviews_over_other_formats_read_the_same_and_nothing_is_refused() {
    let formats = [
        "provider = \"anthropic\"\n",
        "provider = \"openai\"\n[llm.interview.dialect]\nwire = \"responses\"\nreplay = \"always\"\ntemperature = false\n",
    ];
    for (format, flow) in formats.into_iter().zip(FLOWS) {
        let service = Service::played_by(speaker(Temperament::Cards)).await;
        survives(flow, &service.url, format, Temperament::Cards).await;
        assert_eq!(service.refused(), [""; 0], "{format}");
    }
}
