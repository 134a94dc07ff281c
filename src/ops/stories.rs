//! `anteroom flows test`: authors of flows write conversations in `*.test.toml` files, and the program holds them: with the
//! engine that runs conversations, a store in memory and a clock of its own, without secrets, network, model or a
//! running bot.

mod coverage;
mod drawing;
mod expected;
mod format;
mod load;
mod record;
mod report;
mod screen;
mod talk;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use anyhow::Context as _;
use clap::Args;

use self::{
    coverage::{Coverage, Outcome},
    load::{Loaded, Suite},
    report::{Case, Report},
};
use super::{
    app::{self, Wanted},
    play::Temporary,
    sentence,
    shared_args::Output,
    stage::Scene,
    term,
};
use crate::{
    base::clock::SystemClock,
    config::Problem,
    flow::{LoadedFlow, subtasks::Tasks},
    model::session::Platform,
    ports::{artifacts::extract::Extractor, llm::Models},
    tool::Toolbox,
};

/// Conversations at one time, at most.
const THREADS_MAX: usize = 8;

/// `flows test`.
#[derive(Debug, Args)]
pub(super) struct Stories {
    /// Test files, or directories with files that end in `.test.toml`.
    #[arg(required_unless_present = "record", conflicts_with = "record", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write tests from this recording of `anteroom play --record` instead: what was said, pressed, sent and decided, with
    /// what it led to. They hold personal data; files are replaced by samples.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["only", "uncovered", "junit", "json"])]
    record: Option<PathBuf>,
    /// The flow, by its id, where several were recorded.
    #[arg(long, value_name = "FLOW", requires = "record")]
    flow: Option<String>,
    /// Write the recorded tests to this file instead of standard output; it must not exist yet.
    #[arg(short, long, value_name = "FILE", requires = "record")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
    /// Run only tests with this in their name.
    #[arg(long, value_name = "WORDS")]
    only: Option<String>,
    /// List what no test has covered.
    #[arg(long)]
    uncovered: bool,
    /// Fail if less than this part of a flow's outcomes is covered.
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    min_coverage: u8,
    /// Also write the results for CI.
    #[arg(
        long,
        value_name = "FILE",
        help = "Also write the results as JUnit XML to this file, replacing it"
    )]
    junit: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs tests; exit code 1 where one fails, a file can't be read, or too little is covered.
pub(super) fn test(wanted: &Wanted, asked: &Stories) -> anyhow::Result<ExitCode> {
    if let Some(file) = &asked.record {
        let output = Output { output: asked.output.clone(), force: asked.force };
        return record::record(wanted, file, asked.flow.as_deref(), &output);
    }
    let settings = wanted.settings()?;
    let tasks = Arc::new(app::tasks(&settings)?);
    let toolbox = Arc::new(app::toolbox(&tasks)?);
    let files = load::files(&asked.paths).map_err(|problem| super::Problems(vec![problem]))?;
    if files.is_empty() {
        return Err(sentence("there are no tests. hint: their files end in `.test.toml`"));
    }
    let (mut suites, mut problems) = (Vec::new(), Vec::new());
    for file in &files {
        match load::suite(file, &settings, &toolbox) {
            Ok(suite) => suites.push(suite),
            Err(found) => problems.extend(found),
        }
    }
    let (cases, seen) = held(&suites, asked.only.as_deref(), (&toolbox, &tasks))?;
    let coverage = if problems.is_empty() { covered(&suites, &seen) } else { Vec::new() };
    let report = Report { cases, problems, coverage, least: usize::from(asked.min_coverage) };
    if let Some(file) = &asked.junit {
        let written = fs::write(file, report.junit());
        written.with_context(|| format!("could not write `{}`", file.display()))?;
    }
    if asked.json {
        term::json(&report.json())?;
    } else {
        term::pour(report.lines(asked.uncovered).as_bytes())?;
        let complaints = report.complaints();
        if !complaints.is_empty() {
            term::tell(complaints.trim_end());
        }
    }
    Ok(if report.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What came of each flow, by its id.
type Seen = BTreeMap<String, BTreeSet<Outcome>>;

/// One conversation to be held.
struct Job<'a> {
    suite: &'a Suite,
    loaded: &'a Loaded,
    platform: Platform,
}

/// Holds all conversations, several at a time; the results are in the order of the files.
fn held(
    suites: &[Suite],
    only: Option<&str>,
    (toolbox, tasks): (&Arc<Toolbox>, &Arc<Tasks>),
) -> anyhow::Result<(Vec<Case>, Seen)> {
    let is_wanted = |loaded: &&Loaded| only.is_none_or(|only| loaded.name.contains(only));
    let jobs: Vec<Job<'_>> = suites
        .iter()
        .flat_map(|suite| suite.tests.iter().map(move |loaded| (suite, loaded)))
        .filter(|(_, loaded)| is_wanted(loaded))
        .flat_map(|(suite, loaded)| {
            let platforms = loaded.platforms.iter();
            platforms.map(move |platform| Job { suite, loaded, platform: (*platform).into() })
        })
        .collect();
    let extractor = Extractor::own().context("this program cannot find itself")?;
    let scene = |job: &Job<'_>| Scene {
        flow: Arc::clone(&job.loaded.flow),
        toolbox: Arc::clone(toolbox),
        tasks: Arc::clone(tasks),
        models: Models::default(),
        extractor: extractor.clone(),
        clock: Arc::new(SystemClock),
        window_tokens: u64::MAX,
        platform: job.platform,
    };
    let folder = Temporary::create()?;
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> anyhow::Result<()> {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(n) else { return Ok(()) };
            let own = folder.path().join(n.to_string());
            fs::create_dir(&own).context("could not create a temporary directory")?;
            let result = case(job, &scene(job), &own)?;
            results.lock().unwrap_or_else(PoisonError::into_inner).push((n, result));
        }
    };
    let count = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let count = count.min(THREADS_MAX).min(jobs.len().max(1));
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().map_err(|_| sentence("a test could not be run to its end"))?
        })
    })?;
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(n, _)| *n);
    let mut seen = Seen::new();
    let mut cases = Vec::new();
    for (n, (case, outcomes)) in results {
        if let Some(job) = jobs.get(n) {
            seen.entry(job.loaded.flow.flow.id.clone()).or_default().extend(outcomes);
        }
        cases.push(case);
    }
    Ok((cases, seen))
}

fn case(job: &Job<'_>, scene: &Scene, folder: &Path) -> anyhow::Result<(Case, BTreeSet<Outcome>)> {
    let Job { suite, loaded, platform } = job;
    let began = Instant::now();
    let paths = (suite.beside.as_path(), folder);
    let told = app::block_on(async { Ok(talk::run(loaded, scene, paths).await?) })?;
    let (mut problems, mut read) = (Vec::new(), Vec::new());
    if let Some(failure) = told.failure {
        let at = loaded.steps.get(failure.step).map(|(at, _)| at.as_str()).unwrap_or_default();
        // Its number within the test that it is written in.
        let number = at.rsplit('/').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0) + 1;
        problems.extend(failure.wrong.iter().map(|(within, message)| {
            let (message, hint) = match message.split_once(". hint: ") {
                Some((message, hint)) => (message, Some(hint.to_owned())),
                None => (message.as_str(), None),
            };
            let message = format!("step {number}: {message}");
            Problem { hint, ..suite.document.problem(&format!("{at}{within}"), message) }
        }));
        read = failure.read;
    }
    let case = Case {
        file: suite.file.clone(),
        test: loaded.name.clone(),
        platform: platform.name(),
        took: began.elapsed(),
        problems,
        read,
    };
    Ok((case, told.seen))
}

/// The coverage of every flow that has tests.
fn covered(suites: &[Suite], seen: &Seen) -> Vec<Coverage> {
    let mut flows: BTreeMap<&str, (&LoadedFlow, &str)> = BTreeMap::new();
    for suite in suites {
        for loaded in &suite.tests {
            let id = loaded.flow.flow.id.as_str();
            flows.entry(id).or_insert((&loaded.flow, &suite.flow));
        }
    }
    let nothing = BTreeSet::new();
    let of = |(id, (flow, file)): (&str, (&LoadedFlow, &str))| {
        Coverage::of(flow, file, seen.get(id).unwrap_or(&nothing))
    };
    flows.into_iter().map(of).collect()
}
