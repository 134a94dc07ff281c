//! Both shipped flows with the personas and scripted models of three temperaments.

use std::sync::Arc;

use anteroom::{
    flow::LoadedFlow,
    ops::eval::{End, Name, Persona, Report},
};

use super::{flow, personas, renamed::renamed, report};
use crate::reader::{
    Reader,
    Temperament::{self, Cards, Errs, Words},
};

/// Set where everybody is to be interviewed by every temperament, as in the long gate; otherwise a few are.
const EVERYBODY: &str = "EVALS";

fn is_long() -> bool {
    std::env::var_os(EVERYBODY).is_some()
}

fn wanted() -> (Vec<Persona>, Vec<Temperament>) {
    if is_long() {
        (personas(&[]), vec![Cards, Words, Errs])
    } else {
        (personas(&["terse", "hostile", "german", "deletes"]), vec![Cards, Errs])
    }
}

/// Whoever may finish does, nothing stands still and nothing is asked twice.
fn assert_ends_well(report: &Report, personas: &[Persona], what: &str) {
    let table = report.table();
    for scored in &report.interviews {
        let persona = personas.iter().find(|persona| persona.id == scored.persona).unwrap();
        assert!(persona.ends.contains(&scored.end), "{what}:\n{table}");
        let failed = scored.failed();
        for name in [Name::End, Name::Objectives, Name::Stalls, Name::Repeated, Name::Invented] {
            assert!(!failed.contains(&name), "{what}: {name:?}\n{table}");
        }
    }
    if is_long() {
        let finished = report.interviews.iter().filter(|scored| scored.end == End::Finished);
        assert!(finished.count() >= 9, "{what}:\n{table}");
    }
}

async fn play(flow: &Arc<LoadedFlow>) {
    let (personas, temperaments) = wanted();
    for temperament in temperaments {
        let report = report(Arc::clone(flow), Reader::new(temperament), &personas).await;
        let what = format!("{}, {temperament:?}", flow.flow.id);
        assert_ends_well(&report, &personas, &what);
    }
}

#[tokio::test]
async fn candidates_reach_the_end_with_every_temperament() {
    play(&flow("candidate-onboarding")).await;
}

#[tokio::test]
async fn interviews_end_as_well_where_data_options_and_objectives_have_other_names() {
    for id in ["candidate-onboarding", "community-welcome"] {
        play(&renamed(&flow(id))).await;
    }
}

#[tokio::test]
async fn members_reach_the_end_with_every_temperament() {
    play(&flow("community-welcome")).await;
}

/// The tables of `docs/eval.md` are the real ones.
#[tokio::test]
async fn the_documentation_shows_what_the_shipped_personas_make_of_a_scripted_model() {
    let docs = include_str!("../../../docs/eval.md");
    let mut missing = String::new();
    for id in ["candidate-onboarding", "community-welcome"] {
        let table = report(flow(id), Reader::new(Cards), &personas(&[])).await.table();
        if !docs.contains(table.trim_end()) {
            missing.push_str(&table);
        }
    }
    assert!(missing.is_empty(), "write this to docs/eval.md:\n{missing}");
}
