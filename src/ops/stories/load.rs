//! Test files and the flows that they are about.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use chrono::{DateTime, Utc};

use super::format::{Card, Decide, Expect, Platform, Step, Test, TestFile};
use crate::{
    config::{
        Problem, Settings,
        problem::{did_you_mean, listed},
        toml_document::TomlDocument,
    },
    flow::{LoadedFlow, check_source, library, optional, shipped},
    tool::Toolbox,
};

/// How a file's name ends.
const ENDING: &str = ".test.toml";

/// A test that can be run.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) platforms: Vec<Platform>,
    pub(super) begins: Option<DateTime<Utc>>,
    pub(super) contact: Option<Card>,
    /// What happens, with where it is written: `/test/0/step/2`.
    pub(super) steps: Vec<(String, Step)>,
    pub(super) flow: Arc<LoadedFlow>,
    vars: BTreeMap<String, String>,
}

/// A test file that can be run.
#[derive(Debug)]
pub(super) struct Suite {
    /// How messages call it.
    pub(super) file: String,
    pub(super) document: TomlDocument,
    /// The folder that it stands in.
    pub(super) beside: PathBuf,
    /// How messages call the flow.
    pub(super) flow: String,
    pub(super) tests: Vec<Loaded>,
}

/// The test files among the paths, and those in the folders among them, in order.
pub(super) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            within(path, &mut all)?;
        } else {
            all.push(path.clone());
        }
    }
    all.dedup();
    Ok(all)
}

fn within(folder: &Path, all: &mut Vec<PathBuf>) -> Result<(), Problem> {
    let unreadable = |error| Problem::unreadable(&folder.display().to_string(), &error);
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            within(&path, all)?;
        } else if path.to_string_lossy().ends_with(ENDING) {
            all.push(path);
        }
    }
    Ok(())
}

/// Reads a file of tests with its flow; every mistake is told at once.
pub(super) fn suite(
    path: &Path,
    settings: &Settings,
    toolbox: &Toolbox,
) -> Result<Suite, Vec<Problem>> {
    let file = path.display().to_string();
    let text =
        fs::read_to_string(path).map_err(|error| vec![Problem::unreadable(&file, &error)])?;
    let document = TomlDocument::parse(&file, &text)?;
    let written: TestFile = document.read()?;
    let problems = mistakes(&written, &document);
    if !problems.is_empty() {
        return Err(problems);
    }
    let beside = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let (flow, source) = find(&written.flow, &beside, settings, &document)?;
    let mut flows: BTreeMap<BTreeMap<String, String>, Arc<LoadedFlow>> = BTreeMap::new();
    let mut tests: Vec<Loaded> = Vec::new();
    for (position, test) in written.test.into_iter().enumerate() {
        let before = test.after.as_ref().and_then(|name| tests.iter().find(|t| t.name == *name));
        let mut vars = settings.vars.clone();
        vars.extend(written.vars.clone());
        vars.extend(before.map(|before| before.vars.clone()).unwrap_or_default());
        vars.extend(test.vars.clone());
        let loaded = if let Some(loaded) = flows.get(&vars) {
            Arc::clone(loaded)
        } else {
            let catalogue = |flow: &LoadedFlow| toolbox.catalogue(flow);
            let (loaded, _) = check_source(&source, &flow, &vars, catalogue, None)?;
            let loaded = Arc::new(loaded);
            flows.insert(vars.clone(), Arc::clone(&loaded));
            loaded
        };
        tests.push(resolved((test, position), before, loaded, vars));
    }
    Ok(Suite { file, document, beside, flow, tests })
}

/// A test with what comes before it.
pub(super) fn resolved(
    (test, position): (Test, usize),
    before: Option<&Loaded>,
    flow: Arc<LoadedFlow>,
    vars: BTreeMap<String, String>,
) -> Loaded {
    let own = test.step.into_iter().enumerate();
    let own = own.map(|(n, step)| (format!("/test/{position}/step/{n}"), step));
    let earlier = before.map_or(&[][..], |before| &before.steps).iter();
    let earlier = earlier.map(|(at, step)| (at.clone(), unchecked(step)));
    let earlier_platforms =
        || before.map_or_else(|| Platform::ALL.to_vec(), |before| before.platforms.clone());
    Loaded {
        name: test.name,
        platforms: test.platforms.unwrap_or_else(earlier_platforms),
        begins: test.begins.or_else(|| before?.begins),
        contact: test.contact.or_else(|| before?.contact.clone()),
        steps: earlier.chain(own).collect(),
        flow,
        vars,
    }
}

/// What a step does, without what its own test expects of it.
fn unchecked(step: &Step) -> Step {
    let refused = step.expect.as_ref().and_then(|expect| expect.refused.clone());
    let expect = refused.map(|words| Expect { refused: Some(words), ..Expect::default() });
    Step { expect, ..step.clone() }
}

/// What the types can't say.
fn mistakes(written: &TestFile, document: &TomlDocument) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (t, test) in written.test.iter().enumerate() {
        let same = |other: &Test| other.name == test.name;
        if written.test[..t].iter().any(same) {
            let problem = document.problem(
                &format!("/test/{t}/name"),
                format!("there are two tests called `{}`", test.name),
            );
            problems.push(problem.hint("give one of them another name"));
        }
        let is_earlier = |name: &String| written.test[..t].iter().any(|test| test.name == *name);
        if let Some(name) = test.after.as_ref().filter(|name| !is_earlier(name)) {
            let earlier = written.test[..t].iter().map(|test| test.name.as_str());
            let problem = document.problem(
                &format!("/test/{t}/after"),
                format!("there is no test called `{name}` before this one"),
            );
            problems.push(Problem { hint: did_you_mean(name, earlier), ..problem });
        }
        for (s, step) in test.step.iter().enumerate() {
            let at = format!("/test/{t}/step/{s}");
            let actions = actions(step);
            if actions.len() > 1 {
                let message = format!("a step does one thing; this one has {}", listed(actions));
                problems.push(document.problem(&at, message).hint("write a step for each"));
            } else if actions.is_empty() && step.expect.is_none() {
                let hint = "press, choose, say, fill, upload, wait, decide or expect something";
                problems.push(document.problem(&at, "nothing happens in this step").hint(hint));
            }
            if step.content.is_some() && step.upload.is_none() {
                let at = format!("{at}/content");
                problems.push(document.problem(&at, "`content` belongs to an `upload`"));
            }
            if step.because.is_some() && step.decide != Some(Decide::Deny) {
                let at = format!("{at}/because");
                problems.push(document.problem(&at, "`because` belongs to `decide = \"deny\"`"));
            }
        }
    }
    problems
}

/// What a step does, by its key.
pub(super) fn action(step: &Step) -> Option<&'static str> {
    actions(step).first().copied()
}

fn actions(step: &Step) -> Vec<&'static str> {
    let keys = [
        ("press", step.press.is_some()),
        ("choose", step.choose.is_some()),
        ("say", step.say.is_some()),
        ("fill", step.fill.is_some()),
        ("upload", step.upload.is_some()),
        ("wait", step.wait.is_some()),
        ("decide", step.decide.is_some()),
    ];
    keys.into_iter().filter(|(_, is_there)| *is_there).map(|(key, _)| key).collect()
}

/// A flow, by its file or its id: how messages call it, and its text.
fn find(
    named: &str,
    beside: &Path,
    settings: &Settings,
    document: &TomlDocument,
) -> Result<(String, String), Vec<Problem>> {
    if Path::new(named).extension().is_some_and(|extension| extension == "toml") {
        let path = beside.join(named);
        let source = fs::read_to_string(&path).map_err(|error| {
            let message = format!("`{}` could not be read: {error}", path.display());
            vec![document.problem("/flow", message).hint("the path is relative to the test file")]
        })?;
        return Ok((path.display().to_string(), source));
    }
    let mut problems = Vec::new();
    let own = settings.flows.dir.as_deref().map(|dir| library::files(dir, &mut problems));
    if !problems.is_empty() {
        return Err(problems);
    }
    let own = own.unwrap_or_default();
    let id = |(file, source): &(String, String)| {
        let document = TomlDocument::parse(file, source).ok()?;
        Some(document.value()["id"].as_str()?.to_owned())
    };
    if let Some(found) = own.iter().find(|file| id(file).as_deref() == Some(named)) {
        return Ok(found.clone());
    }
    let boxed: Vec<(&str, &str)> =
        shipped().into_iter().chain(optional().iter().copied()).collect();
    let stem = |file: &'static str| file.strip_suffix(".toml").unwrap_or(file);
    if let Some((_, source)) = boxed.iter().find(|(file, _)| stem(file) == named) {
        return Ok((format!("flow `{named}`"), (*source).to_owned()));
    }
    let known: Vec<String> = own.iter().filter_map(id).collect();
    let known = known.iter().map(String::as_str).chain(boxed.iter().map(|(file, _)| stem(file)));
    let hint = did_you_mean(named, known)
        .unwrap_or_else(|| "name a file beside this one, such as `mine.toml`".to_owned());
    Err(vec![document.problem("/flow", format!("there is no flow `{named}`")).hint(hint)])
}
