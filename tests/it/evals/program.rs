//! The command as people and CI meet it: a scripted interviewer behind an address on this machine.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use anteroom::ops::eval::{Name, Report};
use insta::assert_snapshot;

use crate::{
    llm::model_service::{Speaker, completions::Emulator},
    reader::{
        Reader,
        Temperament::{self, Cards, Forgets},
    },
};

/// An interviewer of a temperament, behind an address.
async fn service(temperament: Temperament) -> Emulator {
    Emulator::played_by(&[], Speaker::Reader(Reader::new(temperament))).await
}

/// Runs `anteroom eval` in a folder with a service for interviews.
async fn eval(dir: &Path, service: &Emulator, args: &[&str]) -> Output {
    let config = format!(
        "[vars]\norganisation = \"O\"\nprivacy_url = \"p\"\ncontact = \"c\"\n\
         [llm.interview]\nbase_url = \"{}\"\nmodel = \"scripted\"\n[llm.price.scripted]\ninput = 1.0\noutput = 2.0\n",
        service.url
    );
    fs::write(dir.join("config.toml"), config).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_anteroom"));
    command.arg("eval").args(args).env_clear().env("HOME", dir).current_dir(dir);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Times differ from run to run.
fn timeless(text: &str) -> String {
    let is_time = |word: &&str| {
        word.len() == 4 && word.strip_suffix('s').is_some_and(|n| n.parse::<f64>().is_ok())
    };
    let timeless = |line: &str| {
        let words = line.split(' ').map(|word| if is_time(&word) { "0.0s" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(timeless).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn an_evaluation_is_a_table_that_fits_a_terminal_and_succeeds_where_all_passes() {
    let (dir, service) = (tempfile::tempdir().unwrap(), service(Cards).await);
    let args =
        ["community-welcome", "--persona", "terse", "--persona", "deletes", "--judge", "other"];
    let output = eval(dir.path(), &service, &args).await;
    assert!(output.status.success(), "{}{}", said(&output), told(&output));
    assert!(said(&output).lines().all(|line| line.chars().count() <= 120));
    assert_snapshot!(timeless(&said(&output)), @r"
    community-welcome led by scripted

    PERSONA END       OBJ TURNS ROUNDS TOKENS    COST ASKS WORDS REP FORB INV LANG OVER STALL VALID TIME JUDGE
    terse   finished 100%     7    1.5   3150 $0.0033    1     8   0    0   0    0    0     0  100% 0.0s   4/5
    deletes erased      -     5    1.0   1050 $0.0011    1     8   0    0   0    0    0     0  100% 0.0s   4/5

    terse: the judge says: Ask less.
    deletes: the judge says: Ask less.

    2 of 2 interviews passed; 1 reached the end of the flow.
    ");
}

#[tokio::test]
async fn the_documentation_shows_what_a_failure_looks_like() {
    let (dir, service) = (tempfile::tempdir().unwrap(), service(Forgets).await);
    let output = eval(dir.path(), &service, &["community-welcome", "--persona", "terse"]).await;
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    let table = timeless(&said(&output));
    let docs = include_str!("../../../docs/eval.md");
    assert!(docs.contains(table.trim_end()), "write this to docs/eval.md:\n{table}");
}

#[tokio::test]
async fn what_fails_is_told_with_its_reason_in_every_form() {
    let (dir, service) = (tempfile::tempdir().unwrap(), service(Forgets).await);
    let args = ["community-welcome", "--persona", "terse", "--json", "--junit", "junit.xml"];
    let output = eval(dir.path(), &service, &args).await;
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    let report: Report = serde_json::from_str(&said(&output)).unwrap();
    assert!(!report.passed && report.model == "scripted");
    let junit = fs::read_to_string(dir.path().join("junit.xml")).unwrap();
    let failures: Vec<&str> = junit.lines().filter(|line| line.contains("<failure")).collect();
    assert_eq!(failures.len(), 1, "{junit}");
    assert!(junit.contains("tests=\"16\" failures=\"1\""), "{junit}");
    assert!(failures[0].contains("name=\"stalls\"") && failures[0].contains("next_phase"));
}

#[tokio::test]
async fn transcripts_show_what_both_sides_did() {
    let (dir, service) = (tempfile::tempdir().unwrap(), service(Cards).await);
    let args = ["candidate-onboarding", "--persona", "wrong-file", "--transcripts", "read"];
    let output = eval(dir.path(), &service, &args).await;
    assert!(output.status.success(), "{}{}", said(&output), told(&output));
    let file = dir.path().join("read/candidate-onboarding-wrong-file-1.txt");
    let text = fs::read_to_string(file).unwrap();
    let mut rest = text.as_str();
    for line in [
        "  the part is now phase_1_core_facts\n",
        "  calls request_user_input {\"prompt\":\"What would you like to tell us for “Contact details”?\"",
        "interviewer (card): What would you like to tell us for “Contact details”?\n",
        "Ada (card): You can reach me at ada.byron@example.org.\n",
        "participant sends a file: recipe.txt\n",
        "  the part is now over\n",
    ] {
        let at = rest.find(line).unwrap_or_else(|| panic!("no {line} in:\n{text}"));
        rest = &rest[at..];
    }
}

#[tokio::test]
async fn two_evaluations_are_compared() {
    let dir = tempfile::tempdir().unwrap();
    let args =
        ["community-welcome", "--persona", "terse", "--persona", "silent", "--persona", "hostile"];
    let bad = service(Forgets).await;
    let before = eval(dir.path(), &bad, &[&args[..], &["--json"]].concat()).await;
    fs::write(dir.path().join("before.json"), &before.stdout).unwrap();
    let good = service(Cards).await;
    let now = eval(dir.path(), &good, &[&args[..], &["--baseline", "before.json"]].concat()).await;
    assert!(now.status.success(), "{}", told(&now));
    let said = said(&now);
    let stalls = said.lines().find(|line| line.starts_with("stalls")).unwrap();
    assert!(stalls.ends_with("better") && stalls.contains("0/3 -> 3/3"), "{said}");
    let questions = said.lines().find(|line| line.starts_with("questions")).unwrap();
    assert!(questions.ends_with("no clear difference"), "{said}");
    let again = [&args[..], &["--baseline", "before.json", "--json"]].concat();
    let again = eval(dir.path(), &good, &again).await;
    let report: Report = serde_json::from_slice(&again.stdout).unwrap();
    let stalls = report.comparison.iter().find(|difference| difference.name == Name::Stalls);
    assert_eq!(stalls.unwrap().verdict(), "better");
    let other =
        eval(dir.path(), &good, &["candidate-onboarding", "--baseline", "before.json"]).await;
    assert!(told(&other).contains("is an evaluation of the flow `community-welcome`"));
}

#[tokio::test]
async fn mistakes_are_told_with_what_to_do() {
    let (dir, service) = (tempfile::tempdir().unwrap(), service(Cards).await);
    let personas = dir.path().join("personas");
    fs::create_dir(&personas).unwrap();
    let persona =
        "format = 1\nid = \"Ana\"\ntitle = \"x\"\nlanguage = \"tlh\"\n[manner]\nskip = true\n";
    fs::write(personas.join("a.toml"), persona).unwrap();
    let persona = "format = 2\nid = \"Ana\"\ntitle = \"x\"\nlanguage = \"tlh\"\n[[trap]]\nchanges = \"name\"\n";
    fs::write(personas.join("b.toml"), persona).unwrap();
    let mut all = String::new();
    for args in [
        &["community-welcome", "--personas", "personas"][..],
        &["community-welcom"],
        &["community-welcome", "--persona", "ters"],
        &["community-welcome", "--limit", "wrods=3"],
        &["community-welcome", "--limit", "words=many"],
        &["community-welcome", "--baseline", "config.toml"],
        &["community-welcome", "--personas", "nowhere"],
    ] {
        let output = eval(dir.path(), &service, args).await;
        assert_eq!(output.status.code(), Some(1));
        all.push_str(&told(&output));
    }
    assert_snapshot!(all, @r#"
    personas/a.toml:6:1: unknown key `skip`. hint: did you mean `skips`?
    personas/b.toml:1:1: unknown format 2. hint: set `format = 1`
    personas/b.toml:2:1: `Ana` can't be an id. hint: use up to 24 lower-case letters, digits and hyphens
    personas/b.toml:4:1: language `tlh` can't be measured. hint: use one of `de`, `en`, `es`, `fr`, `pl`
    personas/b.toml:5:1: this trap does nothing. hint: set `says`, `sends` or `waits_hours`
    personas/b.toml:6:1: no fact is about `name`. hint: use a word that stands in the `about` of a fact
    personas/b.toml:6:1: no new value is given. hint: write the new value: `to = "…"`
    error: there is no flow `community-welcom`
    hint: did you mean `community-welcome`?
    error: there is no persona `ters`
    hint: did you mean `terse`?
    error: there is no score `wrods`
    hint: did you mean `words`?
    error: `many` is not a number
    hint: write `words=80` or `valid=95%`
    error: `config.toml` is not an evaluation: expected value at line 1 column 2
    hint: `anteroom eval FLOW --json > FILE` makes one
    nowhere: could not be read: No such file or directory (os error 2). hint: check the path
    "#);
}
