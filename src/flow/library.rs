//! The flows that can be started: those in the box, and the operator's.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Arc, PoisonError, RwLock},
};

use super::LoadedFlow;
use crate::config::Problem;

/// The flows in the box: file name and content.
pub const fn shipped() -> [(&'static str, &'static str); 2] {
    [
        (
            "candidate-onboarding.toml",
            include_str!("../../manifests/flows/candidate-onboarding.toml"),
        ),
        ("community-welcome.toml", include_str!("../../manifests/flows/community-welcome.toml")),
    ]
}

/// Flows in the box that can be started only where the configuration names them: file and text.
pub const fn optional() -> [(&'static str, &'static str); 5] {
    [
        ("job-match.toml", include_str!("../../manifests/flows/job-match.toml")),
        (
            "consulting-discovery.toml",
            include_str!("../../manifests/flows/consulting-discovery.toml"),
        ),
        (
            "moderator-application.toml",
            include_str!("../../manifests/flows/moderator-application.toml"),
        ),
        (
            "volunteer-onboarding.toml",
            include_str!("../../manifests/flows/volunteer-onboarding.toml"),
        ),
        ("exit-interview.toml", include_str!("../../manifests/flows/exit-interview.toml")),
    ]
}

/// The flows that can be started, by id. They can be replaced while the bot runs.
#[derive(Debug, Default)]
pub struct Library(RwLock<Arc<Loaded>>);

/// What is replaced as a whole.
#[derive(Debug, Clone, Default)]
struct Loaded {
    flows: BTreeMap<String, Arc<LoadedFlow>>,
    /// The operator's files, by the id of their flow.
    files: BTreeMap<String, String>,
    /// The operator's values, for older versions of flows, too.
    vars: BTreeMap<String, String>,
}

impl Library {
    /// Loads the flows in the box and the operator's from `dir`. Where `enabled` names some, only those are kept; the
    /// optional ones of the box are there only where it names them and the operator has none of that name.
    /// Every problem of every file is told at once.
    pub fn load(
        dir: Option<&Path>,
        enabled: &[String],
        vars: &BTreeMap<String, String>,
    ) -> Result<Self, Vec<Problem>> {
        let mut library = Loaded { vars: vars.clone(), ..Loaded::default() };
        let mut problems = Vec::new();
        let is_named = |name: &str| {
            let id = name.strip_suffix(".toml");
            enabled.iter().any(|named| Some(named.as_str()) == id)
        };
        for (name, source) in shipped() {
            // What is not started needs none of what it would ask of the operator.
            if enabled.is_empty() || is_named(name) {
                let name = called(name);
                library.take(&name, LoadedFlow::load(source, &name, vars), &mut problems);
            }
        }
        for (name, source) in dir.map(|dir| files(dir, &mut problems)).unwrap_or_default() {
            let loaded = LoadedFlow::load(&source, &name, vars);
            if let Ok(LoadedFlow { flow, .. }) = &loaded {
                library.files.entry(flow.id.clone()).or_insert_with(|| name.clone());
            }
            library.take(&name, loaded, &mut problems);
        }
        for (name, source) in optional() {
            let is_there =
                name.strip_suffix(".toml").is_some_and(|id| library.flows.contains_key(id));
            if is_named(name) && !is_there {
                let name = called(name);
                library.take(&name, LoadedFlow::load(source, &name, vars), &mut problems);
            }
        }
        for id in enabled.iter().filter(|id| !library.flows.contains_key(*id)) {
            let boxed = shipped().into_iter().chain(optional()).map(|(name, _)| name);
            let boxed = boxed.filter_map(|name| name.strip_suffix(".toml"));
            let known = library.flows.keys().map(String::as_str).chain(boxed);
            let mut problem = Problem::whole("flows", format!("there is no flow `{id}` to enable"));
            problem.hint = crate::config::problem::did_you_mean(id, known);
            problems.push(problem);
        }
        if problems.is_empty() {
            if !enabled.is_empty() {
                library.flows.retain(|id, _| enabled.contains(id));
            }
            Ok(Self(RwLock::new(Arc::new(library))))
        } else {
            Err(problems)
        }
    }

    /// A flow by its id.
    pub fn get(&self, id: &str) -> Option<Arc<LoadedFlow>> {
        self.now().flows.get(id).cloned()
    }

    /// All flows, by id.
    pub fn iter(&self) -> impl Iterator<Item = Arc<LoadedFlow>> {
        let flows: Vec<_> = self.now().flows.values().cloned().collect();
        flows.into_iter()
    }

    /// How messages call a flow: by its file where it is the operator's.
    pub fn name(&self, id: &str) -> String {
        self.now().files.get(id).cloned().unwrap_or_else(|| called(id))
    }

    /// Values for `{{name}}` in a flow that is not among these any more.
    pub fn vars(&self) -> BTreeMap<String, String> {
        let mut vars = self.now().vars.clone();
        vars.extend(self.iter().flat_map(|flow| flow.vars.clone()));
        vars
    }

    /// Adds a flow, replacing one of the same id.
    pub fn insert(&mut self, flow: Arc<LoadedFlow>) {
        let loaded = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(loaded).flows.insert(flow.flow.id.clone(), flow);
    }

    /// Puts other flows in the place of these, all at once.
    pub fn replace(&self, other: &Self) {
        let other = other.now();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = other;
    }

    fn now(&self) -> Arc<Loaded> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clone for Library {
    fn clone(&self) -> Self {
        Self(RwLock::new(self.now()))
    }
}

impl Loaded {
    fn take(
        &mut self,
        name: &str,
        loaded: Result<LoadedFlow, Vec<Problem>>,
        problems: &mut Vec<Problem>,
    ) {
        match loaded {
            Err(found) => problems.extend(found),
            Ok(loaded) if self.flows.contains_key(&loaded.flow.id) => problems.push(
                Problem::whole(name, format!("duplicate flow `{}`", loaded.flow.id))
                    .hint("give this one a different id"),
            ),
            Ok(loaded) => _ = self.flows.insert(loaded.flow.id.clone(), Arc::new(loaded)),
        }
    }
}

/// How messages call a flow in the box, whose file nobody has.
fn called(file: &str) -> String {
    format!("flow `{}`", file.strip_suffix(".toml").unwrap_or(file))
}

/// The operator's files in a folder, in the order of their names.
pub(crate) fn files(dir: &Path, problems: &mut Vec<Problem>) -> Vec<(String, String)> {
    let unreadable = |what: &Path, error| Problem::unreadable(&what.display().to_string(), &error);
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(unreadable(dir, error));
            return Vec::new();
        }
    };
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        // Tests of a flow stand beside it.
        .filter(|path| !path.to_string_lossy().ends_with(".test.toml"))
        .collect();
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        match fs::read_to_string(&path) {
            Ok(source) => sources.push((path.display().to_string(), source)),
            Err(error) => problems.push(unreadable(&path, error)),
        }
    }
    sources
}
