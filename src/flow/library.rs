//! The flows that can be started: those in the box, and the operator's.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use super::LoadedFlow;
use crate::{
    config::{Problem, Tenant, Tenants},
    model::session::{Place, Platform},
};

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
pub const fn optional() -> &'static [(&'static str, &'static str)] {
    &[
        ("job-match.toml", include_str!("../../manifests/flows/job-match.toml")),
        #[cfg(feature = "consulting")]
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
    /// The customers of the bot, and the flows of each, with its own values.
    tenants: Arc<Tenants>,
    of_tenants: BTreeMap<String, Arc<Loaded>>,
    /// Nothing is started outside of tenants.
    tenants_only: bool,
    /// Some that should be here may not be.
    is_partial: bool,
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
        let (library, problems) = Self::load_flawed(dir, enabled, vars);
        if problems.is_empty() { Ok(library) } else { Err(problems) }
    }

    /// Like [`Self::load`], but returns the problems beside the library. A flow with problems is in it if it can be
    /// parsed, so that it can be checked further. If there is any problem, no flow may be started.
    pub(crate) fn load_flawed(
        dir: Option<&Path>,
        enabled: &[String],
        vars: &BTreeMap<String, String>,
    ) -> (Self, Vec<Problem>) {
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
                library.take(&name, LoadedFlow::load_flawed(source, &name, vars), &mut problems);
            }
        }
        for (name, source) in dir.map(|dir| files(dir, &mut problems)).unwrap_or_default() {
            let loaded = LoadedFlow::load_flawed(&source, &name, vars);
            if let Ok((LoadedFlow { flow, .. }, _)) = &loaded {
                library.files.entry(flow.id.clone()).or_insert_with(|| name.clone());
            }
            library.take(&name, loaded, &mut problems);
        }
        for &(name, source) in optional() {
            let is_there =
                name.strip_suffix(".toml").is_some_and(|id| library.flows.contains_key(id));
            if is_named(name) && !is_there {
                let name = called(name);
                library.take(&name, LoadedFlow::load_flawed(source, &name, vars), &mut problems);
            }
        }
        if problems.is_empty() {
            // A file that could not be read may hold the flow that is missing.
            problems = library.missing(enabled);
        } else {
            library.is_partial = true;
        }
        if !enabled.is_empty() {
            library.flows.retain(|id, _| enabled.contains(id));
        }
        (Self(RwLock::new(Arc::new(library))), problems)
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

    /// The flows that can be started in a workspace, with the values that hold there.
    #[must_use]
    pub fn of(&self, platform: Platform, workspace: &str) -> Self {
        let now = self.now();
        let there = match now.tenants.of(platform, workspace) {
            Some(tenant) => now.of_tenants.get(&tenant.name).cloned().unwrap_or_default(),
            None if now.tenants_only => Arc::default(),
            None => now,
        };
        Self(RwLock::new(there))
    }

    /// The flows that can be started in every workspace: what people of all of them may read of.
    #[must_use]
    pub fn everywhere(&self) -> Self {
        let now = self.now();
        let is_everywhere =
            |id: &String| now.of_tenants.values().all(|own| own.flows.contains_key(id));
        let mut flows = now.flows.clone();
        flows.retain(|id, _| is_everywhere(id));
        Self(RwLock::new(Arc::new(Loaded { flows, ..Loaded::default() })))
    }

    /// The flow of that id as it reads in a conversation, whether it can still be started there or not.
    pub fn at(&self, place: &Place, id: &str) -> Option<Arc<LoadedFlow>> {
        let now = self.now();
        match now.tenants.at(place) {
            Some(tenant) => now.of_tenants.get(&tenant.name)?.flows.get(id).cloned(),
            None => now.flows.get(id).cloned(),
        }
    }

    /// Gives each tenant its own of these flows, with its values before the `operators`; nothing is started elsewhere where
    /// they are for tenants only.
    pub fn share(
        &mut self,
        tenants: &Arc<Tenants>,
        (operators, only): (&BTreeMap<String, String>, bool),
    ) -> Result<(), Vec<Problem>> {
        let loaded = Arc::make_mut(self.0.get_mut().unwrap_or_else(PoisonError::into_inner));
        let mut problems = Vec::new();
        let of_tenants = tenants.iter().map(|tenant| {
            let own = loaded.of_tenant(tenant, operators, &mut problems);
            (tenant.name.clone(), Arc::new(own))
        });
        let of_tenants = of_tenants.collect();
        loaded.of_tenants = of_tenants;
        loaded.tenants = Arc::clone(tenants);
        loaded.tenants_only = only;
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// A flow that is not among these any more, as it reads in a conversation. A name whose value the operator has taken
    /// away since is empty: whoever began with it goes on.
    pub fn older(&self, place: &Place, source: &str, id: &str) -> Result<LoadedFlow, Vec<Problem>> {
        let now = self.now();
        let tenant = now.tenants.at(place);
        let own = tenant.and_then(|tenant| now.of_tenants.get(&tenant.name));
        let mut values = own.unwrap_or(&now).values();
        let (read, _) = LoadedFlow::load_flawed(source, id, &values)?;
        for var in read.flow.vars {
            values.entry(var).or_insert_with_key(|var| {
                tracing::warn!(
                    flow = id,
                    "`{var}` has no value any more: it is empty in older conversations"
                );
                String::new()
            });
        }
        let mut flow = LoadedFlow::load(source, id, &values)?;
        if let Some(tenant) = tenant {
            flow.keep_at_most(tenant.retention);
        }
        Ok(flow)
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
    /// What is enabled and isn't there.
    fn missing(&self, enabled: &[String]) -> Vec<Problem> {
        let boxed = || {
            let files = shipped().into_iter().chain(optional().iter().copied());
            files.filter_map(|(name, _)| name.strip_suffix(".toml"))
        };
        let missing = enabled.iter().filter(|id| !self.flows.contains_key(*id));
        let problem = |id: &String| {
            let known = self.flows.keys().map(String::as_str).chain(boxed());
            let mut problem = Problem::whole("flows", format!("there is no flow `{id}` to enable"));
            problem.hint = crate::config::problem::did_you_mean(id, known);
            problem
        };
        missing.map(problem).collect()
    }

    /// Values for `{{name}}` in a flow that is not among these any more.
    fn values(&self) -> BTreeMap<String, String> {
        let mut vars = self.vars.clone();
        vars.extend(self.flows.values().flat_map(|flow| flow.vars.clone()));
        vars
    }

    /// What a tenant may start of these, with its own values and periods.
    fn of_tenant(
        &self,
        tenant: &Tenant,
        operators: &BTreeMap<String, String>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut vars = operators.clone();
        vars.extend(tenant.vars.clone());
        let is_missing = |id: &&String| !self.is_partial && !self.flows.contains_key(*id);
        for id in tenant.flows.iter().filter(is_missing) {
            let file = format!("tenant `{}`", tenant.name);
            let mut problem = Problem::whole(&file, format!("there is no flow `{id}` to start"));
            let known = self.flows.keys().map(String::as_str);
            problem.hint = crate::config::problem::did_you_mean(id, known);
            problems.push(problem);
        }
        let mut flows = BTreeMap::new();
        for (id, flow) in self.flows.iter().filter(|(id, _)| tenant.may_start(id)) {
            let (own, lacks) = flow.of_tenant(tenant, &vars);
            // Most tenants read as the operator wrote it.
            let is_same = own.vars == flow.vars && own.flow == flow.flow;
            let own = if is_same { Arc::clone(flow) } else { Arc::new(own) };
            flows.insert(id.clone(), own);
            // What nobody has a value for was told with the flow.
            let is_told = |var: &String| {
                !self.vars.contains_key(var) && flow.vars.get(var).is_some_and(String::is_empty)
            };
            for var in lacks.iter().filter(|var| !is_told(var)) {
                let file = self.files.get(id).cloned().unwrap_or_else(|| called(id));
                let message = format!("`{var}` has no value for the tenant `{}`", tenant.name);
                let hint = format!("add `{var} = \"…\"` under `[tenant.{}.vars]`", tenant.name);
                problems.push(Problem::whole(&file, message).hint(&hint));
            }
        }
        Self { flows, files: self.files.clone(), vars, ..Self::default() }
    }

    fn take(
        &mut self,
        name: &str,
        loaded: Result<(LoadedFlow, Vec<Problem>), Vec<Problem>>,
        problems: &mut Vec<Problem>,
    ) {
        let loaded = loaded.map(|(loaded, found)| {
            problems.extend(found);
            loaded
        });
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

/// Where the files of a folder are that may be flows, in the order of their names.
pub(crate) fn paths_in(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<_> = fs::read_dir(dir)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter(|path| !is_test(path))
        .collect();
    paths.sort();
    Ok(paths)
}

/// Whether a file holds tests of a flow, which stand beside it.
pub(crate) fn is_test(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".test.toml")
}

/// The operator's files in a folder, in the order of their names.
pub(crate) fn files(dir: &Path, problems: &mut Vec<Problem>) -> Vec<(String, String)> {
    let unreadable = |what: &Path, error| Problem::unreadable(&what.display().to_string(), &error);
    let paths = match paths_in(dir) {
        Ok(paths) => paths,
        Err(error) => {
            problems.push(unreadable(dir, error));
            return Vec::new();
        }
    };
    let mut sources = Vec::new();
    for path in paths {
        match fs::read_to_string(&path) {
            Ok(source) => sources.push((path.display().to_string(), source)),
            Err(error) => problems.push(unreadable(&path, error)),
        }
    }
    sources
}
