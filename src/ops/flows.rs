//! `anteroom flows`.

mod diff;
mod graph;
mod new;
mod schema;
mod source;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Context as _;
use clap::Subcommand;
use serde_json::json;

use self::{diff::Diff, graph::Graph, new::New};
use super::{
    Problems,
    app::{self, Wanted},
    output_file,
    play::Temporary,
    rehearsal, sentence,
    shared_args::{Json, Output},
    stage::Scene,
    stories::{self, Stories},
    term,
};
use crate::{
    base::clock::SystemClock,
    config::{Problem, problem::did_you_mean},
    flow::{
        Aliases, Library, LoadedFlow,
        check::check_aliases,
        check_file,
        library::{is_test, paths_in},
        optional, shipped,
        subtasks::Tasks,
    },
    model::{
        flow::{Fallback, Mode, Phase},
        session::Platform,
    },
    ports::{artifacts::extract::Extractor, llm::Models},
    tool::Toolbox,
};

/// `flows`.
#[derive(Debug, Subcommand)]
pub(super) enum Flows {
    /// Check that a flow can be run, then rehearse it: every phase can be left, every objective met, every question read.
    Check {
        /// Flow files, or directories with them; files that end in `.test.toml` are passed over.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Run the tests of flows, written in `*.test.toml` files; exits with 1 if one fails. Needs no bot and no network.
    Test(Stories),
    /// List the flows that can be started.
    List(Json),
    /// Show the phases and objectives of a flow.
    Show {
        /// The flow's id, or a flow file.
        flow: String,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Print a flow's file, as a starting point for your own.
    Export {
        /// The flow's id.
        flow: String,
        /// Output.
        #[command(flatten)]
        output: Output,
    },
    /// Write a small flow that works, with comments, as a starting point for your own.
    New(New),
    /// Draw a flow: its phases, steps, branches and effects.
    Graph(Graph),
    /// Show what differs between two flows in meaning; exits with 1 if anything does.
    Diff(Diff),
    /// Print the JSON Schema of flow files, with which editors complete and explain keys.
    Schema(Output),
}

/// Checks, lists, shows, draws, compares or exports flows, or writes a new one.
pub(super) fn flows(wanted: &Wanted, command: Flows) -> anyhow::Result<ExitCode> {
    let library = || app::library(&wanted.settings()?);
    match command {
        Flows::Check { files, output } => check(wanted, &files, output),
        Flows::Test(asked) => stories::test(wanted, &asked),
        Flows::List(output) => {
            list(&library()?, output)?;
            Ok(ExitCode::SUCCESS)
        }
        Flows::Show { flow, output: Json { json } } => {
            let flow = source::named(wanted, &flow)?;
            if json {
                term::json(&json!({ "digest": flow.digest, "flow": flow.flow }))?;
            } else {
                term::pour(shown(&flow).as_bytes())?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Flows::Export { flow, output } => {
            let is_wanted = |(file, _): &(&str, &str)| file.strip_suffix(".toml") == Some(&flow);
            let library = library();
            let own = library.as_ref().ok().and_then(|library| library.get(&flow));
            // A flow in the box is written whether or not the configuration has what it would need to run.
            let boxed = || shipped().into_iter().chain(optional().iter().copied()).find(is_wanted);
            let source = match (own, boxed()) {
                (Some(own), _) => own.source.clone(),
                (None, Some((_, source))) => source.to_owned(),
                (None, None) => find(&library?, &flow)?.source.clone(),
            };
            output_file::publish(&output, source.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Flows::New(new) => new::write(new).map(|()| ExitCode::SUCCESS),
        Flows::Graph(graph) => graph::write(wanted, &graph).map(|()| ExitCode::SUCCESS),
        Flows::Diff(diff) => diff::tell(wanted, &diff),
        Flows::Schema(output) => {
            let schema = serde_json::to_string_pretty(&schema::schema())?;
            output_file::publish(&output, format!("{schema}\n").as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn list(library: &Library, Json { json }: Json) -> anyhow::Result<()> {
    if json {
        let flows = library.iter().map(|flow| {
            json!({ "id": flow.flow.id, "version": flow.flow.version, "title": flow.flow.title,
                "summary": flow.flow.summary, "digest": flow.digest })
        });
        return Ok(term::json(&flows.collect::<Vec<_>>())?);
    }
    let rows: Vec<[String; 4]> = library
        .iter()
        .map(|flow| {
            let digest = flow.digest.chars().take(12).collect();
            [flow.flow.id.clone(), flow.flow.version.clone(), digest, flow.flow.summary.clone()]
        })
        .collect();
    let headings = ["FLOW", "VERSION", "DIGEST", "SUMMARY"];
    Ok(term::table(headings, &rows, "There are no flows.")?)
}

fn find(library: &Library, id: &str) -> anyhow::Result<Arc<LoadedFlow>> {
    library.get(id).ok_or_else(|| {
        let known: Vec<_> = library.iter().map(|flow| flow.flow.id.clone()).collect();
        let hint = did_you_mean(id, known.iter().map(String::as_str))
            .unwrap_or_else(|| "run `anteroom flows list` to see them all".to_owned());
        sentence(format!("there is no flow `{id}`. hint: {hint}"))
    })
}

fn shown(loaded: &LoadedFlow) -> String {
    let flow = &loaded.flow;
    let mut page = format!("{} {} · {}\n", flow.id, flow.version, flow.title);
    page.extend([format!("{}\ndigest {}\n", flow.summary, loaded.digest)]);
    for (position, phase) in flow.phase.iter().enumerate() {
        let (number, leader) = (position + 1, led(phase));
        page.extend([format!("\n{number}. {} ({}, {leader})\n", phase.title, phase.id)]);
        for objective in &phase.objective {
            let kind = if objective.required { "required" } else { "optional" };
            page.extend([format!("   - {} ({}, {kind})\n", objective.title, objective.id)]);
        }
    }
    page
}

const fn led(phase: &Phase) -> &'static str {
    match (phase.mode, phase.fallback) {
        (Mode::Script, _) => "script-led",
        (Mode::Interview, Some(Fallback::Script)) => "model-led, falls back to script",
        (Mode::Interview, None) => "model-led",
    }
}

/// Runs a flow that passed the check through every answer; nothing of it is kept. What comes of it is told with what the
/// check has `found`.
fn rehearse(
    flow: Arc<LoadedFlow>,
    (file, found): (&str, Vec<Problem>),
    (toolbox, tasks): (&Arc<Toolbox>, &Arc<Tasks>),
) -> anyhow::Result<Vec<Problem>> {
    let scene = Scene {
        flow,
        toolbox: Arc::clone(toolbox),
        tasks: Arc::clone(tasks),
        models: Models::default(),
        extractor: Extractor::own().context("this program cannot find itself")?.remembering(),
        clock: Arc::new(SystemClock),
        window_tokens: u64::MAX,
        platform: Platform::Web,
    };
    let folder = Temporary::create()?;
    app::block_on(async { Ok(rehearsal::problems(&scene, (file, folder.path()), found).await?) })
}

/// The flow files among the paths, and those in the folders among them, in order. Tests stand beside flows.
fn flow_files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let unreadable =
                |error| Problems(vec![Problem::unreadable(&path.display().to_string(), &error)]);
            found.extend(paths_in(path).map_err(unreadable)?);
        } else if !is_test(path) {
            found.push(path.clone());
        }
    }
    if found.is_empty() {
        return Err(sentence(
            "there are no flows here. hint: files that end in `.test.toml` are tests, which `anteroom flows test` runs",
        ));
    }
    Ok(found)
}

/// Checks files against the tools there are, and against the aliases of the configuration where there is one.
fn check(wanted: &Wanted, paths: &[PathBuf], Json { json }: Json) -> anyhow::Result<ExitCode> {
    let files = flow_files(paths)?;
    let settings = wanted.settings()?;
    let is_looked_up = wanted.is_configured() && !settings.flows.tenants_only;
    let aliases = is_looked_up.then(|| Aliases::from(&settings));
    let tasks = Arc::new(app::tasks(&settings)?);
    let toolbox = Arc::new(app::toolbox(&tasks)?);
    let mut problems: Vec<Problem> = Vec::new();
    let mut checked = Vec::new();
    for file in &files {
        let catalogue = |flow: &LoadedFlow| toolbox.catalogue(flow);
        // A flow can be rehearsed whose aliases are not configured yet.
        let (flow, mut found) = match check_file(file, &settings.vars, catalogue, None) {
            Ok((flow, found)) => (Some(Arc::new(flow)), found),
            Err(found) => (None, found),
        };
        if aliases.is_some() {
            found = match check_file(file, &settings.vars, catalogue, aliases.as_ref()) {
                Ok((_, found)) | Err(found) => found,
            };
        }
        let name = file.display().to_string();
        if let Some(flow) = &flow {
            let tenants = settings.tenants.iter().filter(|some| some.may_start(&flow.flow.id));
            for tenant in tenants {
                let aliases = Aliases::from(settings.within(Some(tenant)));
                found.extend(check_aliases(flow, &name, &aliases));
            }
            found = rehearse(Arc::clone(flow), (&name, found), (&toolbox, &tasks))?;
        }
        if let Some(flow) = flow.filter(|_| !found.iter().any(Problem::is_error)) {
            checked.push(format!("{name}: ok, flow `{}`", flow.flow.id));
        }
        problems.extend(found);
    }
    let ok = checked.len() == files.len();
    term::report((&checked, &problems), ok, json)
}
