//! Planted bad interviewers: each fails where it is bad, and nowhere else; a good one passes everything.

use anteroom::ops::eval::{Name, Report};

use super::{flow, personas, report};
use crate::reader::{
    Reader,
    Temperament::{Cards, Forgets, Words},
    Vice,
};

/// What an interviewer fails on, in any of the interviews with people who answer willingly.
async fn failures(id: &str, model: Reader) -> (Vec<Name>, Report) {
    let personas = personas(&["silent", "two-at-once"]);
    let report = report(flow(id), model, &personas).await;
    let mut failed: Vec<Name> =
        report.interviews.iter().flat_map(anteroom::ops::eval::Scored::failed).collect();
    failed.sort();
    failed.dedup();
    (failed, report)
}

async fn assert_fails(model: Reader, on: &[Name]) {
    for id in ["candidate-onboarding", "community-welcome"] {
        let (failed, report) = failures(id, model).await;
        assert_eq!(failed, on, "{model:?}\n{}", report.table());
    }
}

#[tokio::test]
async fn a_good_interviewer_passes_everything() {
    for temperament in [Cards, Words] {
        assert_fails(Reader::new(temperament), &[]).await;
    }
}

#[tokio::test]
async fn an_interviewer_that_asks_three_things_at_once_fails_on_questions() {
    assert_fails(Reader::bad(Vice::AsksThreeThings), &[Name::Questions]).await;
}

#[tokio::test]
async fn an_interviewer_that_invents_facts_fails_on_what_nobody_gave() {
    assert_fails(Reader::bad(Vice::InventsFacts), &[Name::Invented]).await;
}

#[tokio::test]
async fn an_interviewer_that_skips_an_objective_fails_on_objectives_and_overrides() {
    let on = [Name::Objectives, Name::Overrides];
    assert_fails(Reader::bad(Vice::SkipsAnObjective), &on).await;
}

#[tokio::test]
async fn an_interviewer_that_never_calls_next_phase_fails_on_stalls() {
    assert_fails(Reader::new(Forgets), &[Name::Stalls]).await;
}

#[tokio::test]
async fn an_interviewer_that_asks_what_is_forbidden_fails_on_that() {
    assert_fails(Reader::bad(Vice::AsksWhatIsForbidden), &[Name::Forbidden]).await;
}

#[tokio::test]
async fn an_interviewer_that_changes_the_language_fails_on_language() {
    assert_fails(Reader::bad(Vice::ChangesLanguage), &[Name::Language]).await;
}

#[tokio::test]
async fn an_interviewer_that_loops_fails_on_repeated_questions() {
    assert_fails(Reader::bad(Vice::Loops), &[Name::Repeated]).await;
}
