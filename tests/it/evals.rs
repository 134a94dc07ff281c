//! Evaluations: what the personas make of scripted interviewers, good and bad, and what the report says of it.

mod calibration;
mod personas;
mod program;
mod renamed;

use std::{collections::BTreeMap, sync::Arc};

use anteroom::{
    base::clock::FixedClock,
    flow::{LoadedFlow, shipped, subtasks::Tasks},
    ops::eval::{Limits, Persona, Plan, Report, Setup, evaluate},
    ports::{
        artifacts::extract::Extractor,
        llm::{Model, Models},
    },
    tool::{Toolbox, catalog, delegated},
};

use crate::reader::Reader;

/// A shipped flow.
fn flow(id: &str) -> Arc<LoadedFlow> {
    let name = format!("{id}.toml");
    let (_, source) = shipped().into_iter().find(|(file, _)| *file == name).unwrap();
    loaded(source)
}

fn loaded(source: &str) -> Arc<LoadedFlow> {
    let vars: BTreeMap<String, String> = [
        ("organisation", "Example Ltd"),
        ("privacy_url", "https://example.org/privacy"),
        ("contact", "people@example.org"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    Arc::new(LoadedFlow::load(source, "flow.toml", &vars).unwrap())
}

fn setup(flow: Arc<LoadedFlow>, model: Reader) -> Setup {
    let tasks = Tasks::load(None).unwrap();
    let tools = catalog::tools().into_iter().chain(delegated::tools(&tasks));
    let model: Arc<dyn Model> = Arc::new(model);
    Setup {
        flow,
        toolbox: Arc::new(Toolbox::new(tools.collect()).unwrap()),
        tasks: Arc::new(tasks),
        models: Models { interview: Some(model), ..Models::default() },
        extractor: Extractor::new(env!("CARGO_BIN_EXE_anteroom")),
        clock: Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap())),
        window_tokens: 60_000,
    }
}

/// Some of the shipped personas; all where none is named.
fn personas(named: &[&str]) -> Vec<Persona> {
    let mut all = Persona::shipped().unwrap();
    all.retain(|persona| named.is_empty() || named.contains(&persona.id.as_str()));
    all
}

async fn report(flow: Arc<LoadedFlow>, model: Reader, personas: &[Persona]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits::of(&flow.flow);
    let setup = setup(flow, model);
    let plan = Plan { personas, runs: 1, parallel: 1, limits: &limits, judge: None };
    let name = "a scripted model";
    evaluate((&setup, name), &plan, folder.path(), |_| {}).await.unwrap()
}
