//! The command itself: what is evaluated, and where the report goes.

use std::{fs, path::Path, process::ExitCode, sync::Arc};

use anyhow::Context as _;

use super::{
    Limits, Persona, Plan, Report, Setup, args::Eval, compared, differences, evaluate,
    report::VERSION,
};
use crate::{
    base::{
        clock::{Clock, SystemClock},
        ids::RandomIds,
    },
    config::{
        Log, Settings,
        llm::{Endpoint, Endpoints, Purpose},
        problem::{Problem, did_you_mean, listed},
    },
    flow::LoadedFlow,
    ops::{
        Problems,
        app::{self, Wanted},
        play::Temporary,
        sentence, term,
    },
    ports::{
        artifacts::extract::Extractor,
        llm::{
            Model, Models,
            resilience::{RealPauses, ResilienceOptions},
        },
    },
};

/// The word for no model at all.
const SCRIPT: &str = "script";

/// Evaluates a flow; exit code 1 where a score fails.
pub(crate) fn eval(wanted: &Wanted, asked: &Eval) -> anyhow::Result<ExitCode> {
    let needs_keys = asked.model.as_deref() != Some(SCRIPT) || asked.judge.is_some();
    let mut settings = if needs_keys { wanted.serving()? } else { wanted.settings()? };
    if settings.log == Log::default() {
        // What an interview logs is told by its scores.
        "error".clone_into(&mut settings.log.level);
    }
    app::log(&settings)?;
    let personas = personas(asked)?;
    let flow = flow(&settings, &asked.flow)?;
    let baseline = asked.baseline.as_deref().map(|file| read(file, &flow)).transpose()?;
    let mut limits = Limits::of(&flow.flow);
    for limit in &asked.limit {
        limits.set(limit).map_err(sentence)?;
    }
    let (models, name) = models(&settings, asked.model.as_deref())?;
    let judge = asked.judge.as_deref().map(|judge| judge_of(&settings, judge)).transpose()?;
    let tasks = app::tasks(&settings)?;
    let setup = Setup {
        flow,
        toolbox: Arc::new(app::toolbox(&tasks)?),
        tasks: Arc::new(tasks),
        models,
        extractor: Extractor::own().context("this program cannot find itself")?,
        clock: Arc::new(SystemClock),
        window_tokens: settings.limits.window_tokens,
    };
    let plan = Plan {
        personas: &personas,
        runs: asked.runs,
        parallel: usize::try_from(asked.parallel).unwrap_or(1),
        limits: &limits,
        judge,
    };
    let folder = Temporary::create()?;
    if name == SCRIPT && asked.model.is_none() {
        term::tell("No model is configured; the flow's script leads.");
    }
    let mut report = app::block_on(run((&setup, &name), &plan, folder.path()))?;
    if let Some(baseline) = &baseline {
        report.comparison = differences(baseline, &report);
    }
    deliver(asked, &report, baseline.as_ref())?;
    Ok(if report.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn run(
    (setup, name): (&Setup, &str),
    plan: &Plan<'_>,
    folder: &Path,
) -> anyhow::Result<Report> {
    let progress = term::Progress::start("interviews");
    let told = |_: &super::Scored| progress.advance(1);
    Ok(evaluate((setup, name), plan, folder, told).await?)
}

fn deliver(asked: &Eval, report: &Report, baseline: Option<&Report>) -> anyhow::Result<()> {
    if let Some(file) = &asked.junit {
        let written = fs::write(file, report.junit());
        written.with_context(|| format!("could not write `{}`", file.display()))?;
    }
    if let Some(dir) = &asked.transcripts {
        transcripts(dir, report)
            .with_context(|| format!("could not write to `{}`", dir.display()))?;
    }
    if asked.json {
        term::json(report)?;
    } else {
        term::pour(report.table().as_bytes())?;
        if let Some(baseline) = baseline {
            term::say(format!("\n{}", compared(baseline, report).trim_end()))?;
        }
    }
    Ok(())
}

/// One file for each interview.
fn transcripts(dir: &Path, report: &Report) -> std::io::Result<()> {
    fs::create_dir_all(dir)?;
    for scored in &report.interviews {
        let name = format!("{}-{}-{}.txt", report.flow, scored.persona, scored.run);
        fs::write(dir.join(name), &scored.transcript)?;
    }
    Ok(())
}

/// An earlier evaluation.
fn read(file: &Path, flow: &LoadedFlow) -> anyhow::Result<Report> {
    let named = || format!("could not read `{}`", file.display());
    let text = fs::read_to_string(file).with_context(named)?;
    let hint = "hint: `anteroom eval FLOW --json > FILE` makes one";
    let report: Report = serde_json::from_str(&text).map_err(|error| {
        sentence(format!("`{}` is not an evaluation: {error}. {hint}", file.display()))
    })?;
    if report.anteroom_eval != VERSION {
        let found = report.anteroom_eval;
        return Err(sentence(format!(
            "`{}` is of form {found}, and this program reads form {VERSION}. {hint}",
            file.display()
        )));
    }
    if report.flow != flow.flow.id {
        return Err(sentence(format!(
            "`{}` is an evaluation of the flow `{}`. hint: evaluations of the same flow can be compared",
            file.display(),
            report.flow
        )));
    }
    Ok(report)
}

fn personas(asked: &Eval) -> anyhow::Result<Vec<Persona>> {
    let personas = match &asked.personas {
        Some(dir) => Persona::in_dir(dir),
        None => Persona::shipped(),
    };
    let mut personas = personas.map_err(Problems)?;
    for id in &asked.persona {
        if !personas.iter().any(|persona| persona.id == *id) {
            let known = || personas.iter().map(|persona| persona.id.as_str());
            let hint = did_you_mean(id, known());
            let hint = hint.unwrap_or_else(|| format!("there are {}", listed(known())));
            return Err(sentence(format!("there is no persona `{id}`. hint: {hint}")));
        }
    }
    if !asked.persona.is_empty() {
        personas.retain(|persona| asked.persona.contains(&persona.id));
    }
    Ok(personas)
}

/// A flow of the configuration, or one in a file.
fn flow(settings: &Settings, named: &str) -> anyhow::Result<Arc<LoadedFlow>> {
    if Path::new(named).extension().is_some_and(|extension| extension == "toml") {
        let source = fs::read_to_string(named)
            .map_err(|error| Problems(vec![Problem::unreadable(named, &error)]))?;
        let loaded = LoadedFlow::load(&source, named, &settings.vars).map_err(Problems)?;
        return Ok(Arc::new(loaded));
    }
    let library = app::library(settings)?;
    library.get(named).ok_or_else(|| {
        let known: Vec<_> = library.iter().map(|flow| flow.flow.id.clone()).collect();
        let known: Vec<_> = known.iter().map(String::as_str).collect();
        let hint = did_you_mean(named, known.iter().copied());
        let hint = hint.unwrap_or_else(|| format!("there are {}", listed(known)));
        sentence(format!("there is no flow `{named}`. hint: {hint}"))
    })
}

/// The models with the one that is asked for in the place of the interviewer, and what it is called in the report.
fn models(settings: &Settings, asked: Option<&str>) -> anyhow::Result<(Models, String)> {
    let endpoints = match asked {
        Some(SCRIPT) => None,
        Some(model) => Some(with_model(&settings.llm, model)?),
        None => Some(settings.llm.clone()),
    };
    let Some(endpoints) = endpoints else { return Ok((Models::default(), SCRIPT.to_owned())) };
    let name = endpoints.0.get(Purpose::Interview.word());
    let name = name.map_or_else(|| SCRIPT.to_owned(), |endpoint| endpoint.service.model.clone());
    Ok((Models::open(&endpoints, &means())?, name))
}

fn judge_of(settings: &Settings, asked: &str) -> anyhow::Result<Arc<dyn Model>> {
    let models = Models::open(&with_model(&settings.llm, asked)?, &means())?;
    models.interview.ok_or_else(|| sentence("no judge is configured"))
}

fn means() -> ResilienceOptions {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    ResilienceOptions { clock, ids: Arc::new(RandomIds), pauses: Arc::new(RealPauses) }
}

/// The services with another one, or another model of the same one, for the interview.
fn with_model(configured: &Endpoints, asked: &str) -> anyhow::Result<Endpoints> {
    let mut endpoints = configured.clone();
    let interview = Purpose::Interview.word();
    let named = [asked.to_owned(), format!("spare.{asked}")];
    let known = named.iter().find_map(|name| configured.0.get(name)).cloned();
    let mut endpoint = match known {
        Some(endpoint) => endpoint,
        None => another_model(configured, asked)?,
    };
    // The scores are those of this model alone.
    endpoint.service.fallback = None;
    endpoints.0.insert(interview.to_owned(), endpoint);
    Ok(endpoints)
}

/// Another model of the service for interviews. What it costs is not known.
fn another_model(configured: &Endpoints, model: &str) -> anyhow::Result<Endpoint> {
    let endpoint = configured.0.get(Purpose::Interview.word()).cloned();
    let mut endpoint = endpoint.ok_or_else(|| {
        sentence(format!(
            "there is no service `{model}`, and none for interviews. hint: configure `[llm.interview]`, see docs/models.md"
        ))
    })?;
    model.clone_into(&mut endpoint.service.model);
    endpoint.price = None;
    Ok(endpoint)
}
