//! The composition root: settings in, the parts of a bot out.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;

use super::{Problems, bucket, contact_sources, sentence, term};
use crate::{
    base::{
        clock::{Clock, SystemClock},
        ids::{Ids, RandomIds},
        telemetry,
    },
    config::{Environment, LogFormat, Problem, Settings, default_data_dir, settings},
    engine::{
        self, Engine, Parts,
        copying::{self, Mark, Role},
        webhook::Webhooks,
    },
    flow::{
        Aliases, Library, check,
        check::check_aliases,
        subtasks,
        subtasks::{LoadedTask, Tasks},
    },
    model::session::Platform,
    net::fetch::Fetcher,
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::{Contacts, profile::Profile},
        llm::{
            Models,
            resilience::{RealPauses, ResilienceOptions},
        },
        search,
    },
    store::{Store, nodes::Reached, sled::SledStore},
    tool::{self, Services, Toolbox, catalog, services::Stored},
};

#[cfg(not(feature = "consulting"))]
use crate::config::consulting::Consulting;
#[cfg(feature = "postgres")]
use crate::store::postgres::{Options, PostgresStore, Standby};
#[cfg(feature = "consulting")]
use crate::{ports::documents::Printer, tool::catalog::consulting::case_studies::Cases};

/// Where a restore or a repair puts the data together, in the data directory: no bot starts while it is there.
pub(super) const RESTORE_SITE: &str = "restoring";

/// What the command line and the environment say about configuration.
#[derive(Debug)]
pub(super) struct Wanted {
    /// `--config`.
    pub(super) config: Option<PathBuf>,
    /// `--data`.
    pub(super) data: Option<PathBuf>,
    /// The environment.
    pub(super) environment: Environment,
}

impl Wanted {
    /// Settings for a command that works on this machine alone: those of the configuration file if there is one,
    /// otherwise the playground's. No secret is looked up, so none has to be set.
    pub(super) fn settings(&self) -> anyhow::Result<Settings> {
        match self.file() {
            Some(file) => {
                let read = Settings::load_without_secrets(&file, &self.environment);
                self.placed(read.map_err(Problems)?)
            }
            None => self.playground(),
        }
    }

    /// Settings for a bot that serves people, with secrets: those of the configuration file if there is one, otherwise
    /// the playground's.
    pub(super) fn serving(&self) -> anyhow::Result<Settings> {
        match self.file() {
            Some(file) => self.read(&file),
            None => self.playground(),
        }
    }

    /// Settings of the configuration file, with secrets. Fails if there is no such file.
    pub(super) fn configured(&self) -> anyhow::Result<Settings> {
        let file = self.file().ok_or_else(|| {
            sentence(
                "no configuration file found. hint: name it with `--config FILE`, or run this where `config.toml` is",
            )
        })?;
        self.read(&file)
    }

    /// Whether there is a configuration file.
    pub(super) fn is_configured(&self) -> bool {
        self.file().is_some()
    }

    fn file(&self) -> Option<PathBuf> {
        self.environment.config_file(self.config.clone())
    }

    fn playground(&self) -> anyhow::Result<Settings> {
        let data_dir = match &self.data {
            Some(dir) => dir.clone(),
            None => default_data_dir().unwrap_or_default(),
        };
        let settings =
            Settings::playground(data_dir).overridden(&self.environment).map_err(Problems)?;
        self.placed(settings)
    }

    fn read(&self, file: &Path) -> anyhow::Result<Settings> {
        let settings = Settings::load(file, &self.environment).map_err(Problems)?;
        self.placed(settings)
    }

    fn placed(&self, mut settings: Settings) -> anyhow::Result<Settings> {
        if let Some(dir) = &self.data {
            settings.data_dir.clone_from(dir);
        }
        if settings.data_dir.as_os_str().is_empty() {
            return Err(sentence(
                "no home directory found to store data in. hint: choose a directory with `--data DIR`",
            ));
        }
        Ok(settings)
    }
}

/// Starts logging as the settings say.
pub(super) fn log(settings: &Settings) -> anyhow::Result<()> {
    let shape = match settings.log.format {
        LogFormat::Json => telemetry::Shape::Json,
        LogFormat::Pretty => telemetry::Shape::Pretty,
        LogFormat::Auto if term::log_is_read_by_a_person() => telemetry::Shape::Pretty,
        LogFormat::Plain | LogFormat::Auto => telemetry::Shape::Plain,
    };
    Ok(telemetry::init(&settings.log.level, shape)?)
}

/// Every tool that this program has, and those that templates of child runs are.
pub(super) fn toolbox(tasks: &Tasks) -> anyhow::Result<Toolbox> {
    let tools = catalog::tools().into_iter().chain(tool::delegated::tools(tasks));
    Ok(Toolbox::new(tools.collect())?)
}

/// The flows that can be started.
pub(super) fn library(settings: &Settings) -> anyhow::Result<Library> {
    library_for(settings, false)
}

/// The flows that can be started. If they cannot be loaded and `is_configured`, the error lists the missing aliases as
/// well.
pub(super) fn library_for(settings: &Settings, is_configured: bool) -> anyhow::Result<Library> {
    let (library, mut problems) = flawed_library(settings);
    if problems.is_empty() {
        return Ok(library);
    }
    if is_configured {
        problems.extend(alias_problems(&library, settings));
    }
    Err(Problems(with_way_out(problems)).into())
}

/// The flows of the configuration, and what is wrong with them.
fn flawed_library(settings: &Settings) -> (Library, Vec<Problem>) {
    let flows = &settings.flows;
    let mut vars = settings.vars.clone();
    if flows.tenants_only {
        // What nobody reads outside of tenants needs no value there.
        for (name, value) in settings.tenants.iter().flat_map(|tenant| &tenant.vars) {
            vars.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    let (mut library, mut problems) =
        Library::load_flawed(flows.dir.as_deref(), &flows.enabled, &vars);
    let shared = library.share(&settings.tenants, (&settings.vars, flows.tenants_only));
    problems.extend(shared.err().unwrap_or_default());
    (library, problems)
}

/// Aliases that are not set up.
fn alias_problems(library: &Library, settings: &Settings) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut look = |library: &Library, aliases: &Aliases| {
        for flow in library.iter() {
            problems.extend(check_aliases(&flow, &library.name(&flow.flow.id), aliases));
        }
    };
    if !settings.flows.tenants_only {
        look(library, &Aliases::from(settings));
    }
    for tenant in settings.tenants.iter() {
        let aliases = Aliases::from(settings.within(Some(tenant)));
        look(&library.of(Platform::Web, &tenant.name), &aliases);
    }
    problems.retain(Problem::is_error);
    problems
}

/// Adds how to leave a flow of the box out, where one of them is what does not fit.
pub(super) fn with_way_out(mut problems: Vec<Problem>) -> Vec<Problem> {
    if problems.iter().any(|problem| problem.file.starts_with("flow `")) {
        let message = "a built-in flow doesn't fit the configuration";
        let hint = "configure what it needs, or list only the flows you use under `enabled`";
        problems.push(Problem::whole("[flows]", message).hint(hint));
    }
    problems
}

/// What `flows check` says of every flow that can be started: errors and warnings. Aliases are looked up where there is
/// a configuration.
pub(super) fn flow_problems(
    library: &Library,
    toolbox: &Toolbox,
    (settings, is_configured): (&Settings, bool),
) -> Vec<Problem> {
    let is_looked_up = is_configured && !settings.flows.tenants_only;
    let aliases = is_looked_up.then(|| Aliases::from(settings));
    let mut problems = Vec::new();
    for flow in library.iter() {
        let name = library.name(&flow.flow.id);
        problems.extend(check(&flow, &name, &toolbox.catalogue(&flow), aliases.as_ref()));
    }
    for tenant in settings.tenants.iter() {
        let aliases = Aliases::from(settings.within(Some(tenant)));
        for flow in library.of(Platform::Web, &tenant.name).iter() {
            problems.extend(check_aliases(&flow, &library.name(&flow.flow.id), &aliases));
        }
    }
    problems
}

/// The templates of child runs.
pub(super) fn tasks(settings: &Settings) -> anyhow::Result<Tasks> {
    let tasks = Tasks::load(settings.flows.tasks.as_deref()).map_err(Problems)?;
    let toolbox = toolbox(&tasks)?;
    let problems: Vec<_> = tasks
        .iter()
        .flat_map(|task| task_problems(task, &format!("task `{}`", task.template.name), &toolbox))
        .collect();
    if problems.is_empty() { Ok(tasks) } else { Err(Problems(problems).into()) }
}

/// Checks a template against the tools there are: those that change the conversation are the caller's.
pub(super) fn task_problems(task: &LoadedTask, name: &str, toolbox: &Toolbox) -> Vec<Problem> {
    let tools: Vec<&str> = toolbox.iter().map(|tool| tool.spec().name).collect();
    subtasks::check::check(task, name, &tools, |tool| {
        toolbox.get(tool).map(|tool| !tool.spec().changes_session)
    })
}

/// The engine's bounds as the settings have them.
pub(super) fn limits(settings: &Settings) -> engine::Limits {
    let usual = engine::Limits::default();
    let size = |value: u32| usize::try_from(value).unwrap_or(usize::MAX);
    engine::Limits {
        queue: size(settings.limits.session_queue),
        active: size(settings.limits.active_sessions),
        deliveries: size(settings.limits.outbox_workers),
        per_minute: settings.limits.person_per_minute.try_into().unwrap_or(usual.per_minute),
        file_bytes: settings.uploads.max_mb * 1024 * 1024,
        window_tokens: settings.limits.window_tokens,
        burst: settings.limits.burst.delta(),
        time_zone: settings.time_zone,
        nudges: usual.nudges,
        budgets: settings.budgets,
        copies_mib: usual.copies_mib,
        tenants: Arc::clone(&settings.tenants),
    }
}

/// What a bot is made of.
#[derive(Debug)]
pub(super) struct Opened {
    /// What its engine takes.
    pub(super) parts: Parts,
    /// The store once more where it is the embedded one, for what only that can.
    pub(super) embedded: Option<Arc<SledStore>>,
}

/// What the data is opened for.
#[derive(Debug, Clone)]
pub(super) enum Opening {
    /// A bot that serves people.
    Serving(Reached),
    /// A command, which does one thing and ends.
    Command,
}

/// Opens everything that a bot is made of. Where the data is in a database, it waits until no other node is active.
pub(super) fn open(
    settings: &Settings,
    is_configured: bool,
    reached: Reached,
) -> anyhow::Result<Opened> {
    open_over(settings, is_configured, Opening::Serving(reached))
}

/// Opens everything that a bot is made of, for a command that does one thing and ends. Fails if another node is active
/// in the database.
pub(super) fn open_for_command(settings: &Settings) -> anyhow::Result<Opened> {
    open_over(settings, false, Opening::Command)
}

/// Why a command that works on the data directory does nothing.
pub(super) fn in_database() -> anyhow::Error {
    sentence(
        "the data is in PostgreSQL, and this command works on a data directory. hint: copy the database with `pg_dump` and \
         restore it with `pg_restore`, and the bucket, if files are in one, with a tool of its service; keep the key that seals \
         the data somewhere else",
    )
}

/// The store, and the same once more where it is the embedded one.
type OpenedStore = (Arc<dyn Store>, Option<Arc<SledStore>>);

fn open_store(
    settings: &Settings,
    opening: Opening,
    ids: Arc<dyn Ids>,
) -> anyhow::Result<OpenedStore> {
    if let Some(database) = &settings.postgres {
        return Ok((open_database(database, opening, ids)?, None));
    }
    let dir = settings.data_dir.join("store");
    let store = match opening {
        Opening::Serving(_) => SledStore::open(&dir, ids)?,
        Opening::Command => SledStore::open_for_command(&dir, ids)?,
    };
    let store = Arc::new(store);
    Ok((Arc::<SledStore>::clone(&store), Some(store)))
}

#[cfg(feature = "postgres")]
fn open_database(
    database: &settings::Postgres,
    opening: Opening,
    ids: Arc<dyn Ids>,
) -> anyhow::Result<Arc<dyn Store>> {
    let options = database_options(database, opening)?;
    Ok(Arc::new(PostgresStore::open(&options, ids)?))
}

/// How the database is reached, and what this node is called in it.
#[cfg(feature = "postgres")]
pub(super) fn database_options(
    database: &settings::Postgres,
    opening: Opening,
) -> anyhow::Result<Options> {
    let access = database.access.as_ref();
    let access = access.and_then(|access| Some((access.url.expose().to_owned(), access.key()?)));
    let (url, key) = access.ok_or_else(|| {
        sentence(
            "the data is in PostgreSQL, and its address or key is not set. hint: set the variables that `[postgres]` in the \
             configuration names",
        )
    })?;
    let host = || rustix::system::uname().nodename().to_string_lossy().into_owned();
    let node = || format!("{} (process {})", host(), std::process::id());
    let node = database.node.clone().unwrap_or_else(node);
    let (standby, reached) = match opening {
        Opening::Serving(reached) => (Standby::Waits, reached),
        Opening::Command => (Standby::Refuses, Reached::default()),
    };
    Ok(Options { url, key, node, lease: database.lease, standby, reached })
}

#[cfg(not(feature = "postgres"))]
fn open_database(
    _: &settings::Postgres,
    _: Opening,
    _: Arc<dyn Ids>,
) -> anyhow::Result<Arc<dyn Store>> {
    Err(sentence(
        "this program was built without PostgreSQL. hint: build it with `--features postgres`, or take `[postgres]` out of \
         the configuration",
    ))
}

/// Refuses a data directory into which a restore or a repair hasn't finished.
pub(super) fn refuse_unrestored(dir: &Path) -> anyhow::Result<()> {
    if dir.join(RESTORE_SITE).exists() {
        return Err(sentence(format!(
            "a restore or repair into `{}` hasn't finished. hint: wait for it; if it was interrupted, run it again",
            dir.display()
        )));
    }
    Ok(())
}

/// Refuses data that is being copied, that isn't whole because it is the copy, or that has moved.
pub(super) async fn refuse_copied(store: &dyn Store) -> anyhow::Result<()> {
    let Some(Mark { role, other, .. }) = copying::mark_of(store).await? else { return Ok(()) };
    Err(sentence(match role {
        Role::Source => format!(
            "this data is being copied to {other}, and the copy hasn't finished. hint: run `anteroom store copy` again to \
             finish it, or `anteroom store reopen` to give it up"
        ),
        Role::Target => format!(
            "this data isn't whole: it is a copy of {other} that hasn't finished. hint: run `anteroom store copy` again to \
             finish it, or choose an empty data directory or database"
        ),
        Role::Moved => format!(
            "this data was moved to {other}. hint: configure that; to use what is here instead, run \
             `anteroom store reopen`"
        ),
    }))
}

fn open_over(settings: &Settings, is_configured: bool, opening: Opening) -> anyhow::Result<Opened> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let ids: Arc<dyn Ids> = Arc::new(RandomIds);
    let dir = &settings.data_dir;
    refuse_unrestored(dir)?;
    let add_files = bucket::files(settings)?;
    let means = ResilienceOptions {
        clock: Arc::clone(&clock),
        ids: Arc::clone(&ids),
        pauses: Arc::new(RealPauses),
    };
    let checked =
        || Equipment::load(settings, is_configured, &means)?.checked((settings, is_configured));
    // A node may stand by for weeks: what is wrong is told when it is started, and not when it is needed.
    let before = matches!(opening, Opening::Serving(_)).then(checked).transpose()?;
    let waited_for = match &opening {
        Opening::Serving(reached) => Some(reached.active.subscribe()),
        Opening::Command => None,
    };
    let (store, embedded) = open_store(settings, opening, Arc::clone(&ids))?;
    let equipment = match before {
        None => Equipment::at_rest(settings, &means)?,
        Some(before) if waited_for.is_none_or(|active| active.borrow().is_none()) => before,
        Some(before) => checked().unwrap_or_else(|error| {
            tracing::error!(
                error = format!("{error:#}"),
                "the flows were not loaded again; those from when this node was started are in use"
            );
            before
        }),
    };
    let reader = Extractor::own().context("this program cannot find itself")?;
    let keys = add_files(Arc::<dyn Store>::clone(&store));
    let artifacts = Artifacts::new(dir, keys, Arc::clone(&clock), Arc::clone(&ids), reader)?;
    let Equipment { library, toolbox, tasks, contacts, models, services, warnings } = equipment;
    for problem in warnings {
        tracing::warn!(%problem, "flow check");
    }
    let parts = Parts {
        services: Services { past: Some(Arc::new(Stored(Arc::clone(&store)))), ..services },
        store,
        clock,
        ids,
        library: Arc::new(library),
        toolbox: Arc::new(toolbox),
        tasks: Arc::new(tasks),
        artifacts: Arc::new(artifacts),
        contacts: Arc::new(contacts),
        webhooks: Arc::new(Webhooks::from(settings)),
        models,
    };
    Ok(Opened { parts, embedded })
}

/// What a bot is made of besides its data.
struct Equipment {
    library: Library,
    toolbox: Toolbox,
    tasks: Tasks,
    contacts: Contacts,
    models: Models,
    services: Services,
    warnings: Vec<Problem>,
}

impl Equipment {
    fn load(
        settings: &Settings,
        is_configured: bool,
        means: &ResilienceOptions,
    ) -> anyhow::Result<Self> {
        let library = library_for(settings, is_configured)?;
        let contacts = contact_sources::open(&settings.contacts, &Profile::default())?;
        Self::around((library, tasks(settings)?, contacts), settings, means)
    }

    /// For a command, which only reads the flows that conversations keep: a mistake in one of today's is in nobody's way.
    fn at_rest(settings: &Settings, means: &ResilienceOptions) -> anyhow::Result<Self> {
        let (library, _) = flawed_library(settings);
        let tasks = tasks(settings).unwrap_or_default();
        Self::around((library, tasks, Contacts::new(Vec::new())), settings, means)
    }

    fn around(
        (library, tasks, contacts): (Library, Tasks, Contacts),
        settings: &Settings,
        means: &ResilienceOptions,
    ) -> anyhow::Result<Self> {
        let models = Models::open_all(&settings.llm, &settings.tenants, means)?;
        let search = settings.search.as_ref().map(|it| search::open(it, Arc::clone(&means.clock)));
        let fetcher = Fetcher::new().context("the client for websites cannot be made")?;
        let services = Services {
            fetcher: Some(Arc::new(fetcher)),
            search: search.transpose()?,
            ..consulting_services(settings)?
        };
        Ok(Self {
            library,
            toolbox: toolbox(&tasks)?,
            tasks,
            contacts,
            models,
            services,
            warnings: Vec::new(),
        })
    }

    /// A flow that `flows check` refuses is not run, or somebody would get stuck in it. What it only warns of goes to the
    /// log.
    fn checked(self, configuration: (&Settings, bool)) -> anyhow::Result<Self> {
        let found = flow_problems(&self.library, &self.toolbox, configuration);
        let (errors, warnings): (Vec<_>, Vec<_>) = found.into_iter().partition(Problem::is_error);
        if errors.is_empty() {
            return Ok(Self { warnings, ..self });
        }
        Err(Problems(with_way_out(errors)).into())
    }
}

/// What the consulting tools use.
#[cfg(feature = "consulting")]
fn consulting_services(settings: &Settings) -> anyhow::Result<Services> {
    let cases = settings.consulting.case_studies.as_deref().map(Cases::open).transpose()?;
    Ok(Services {
        printer: Printer::own().context("this program cannot find itself")?,
        consulting: Arc::new(settings.consulting.clone()),
        cases: cases.map(Arc::new),
        ..Services::default()
    })
}

#[cfg(not(feature = "consulting"))]
fn consulting_services(settings: &Settings) -> anyhow::Result<Services> {
    if settings.consulting == Consulting::default() {
        return Ok(Services::default());
    }
    Err(sentence(
        "this program was built without the consulting tools. hint: build it with `--features consulting`, or take \
         `[consulting]` out of the configuration",
    ))
}

/// The data, open in this process.
#[derive(Debug, Clone)]
pub(super) struct Home {
    /// Finds sessions and their flows, and erases.
    pub(super) engine: Engine,
    /// Writes dumps, where the store is the embedded one.
    pub(super) embedded: Option<Arc<SledStore>>,
}

impl Home {
    /// For a command, while no bot runs: the engine does what it is asked to and nothing by itself.
    pub(super) fn at_rest(settings: &Settings, Opened { parts, embedded }: Opened) -> Self {
        Self { engine: Engine::limited(parts, Vec::new(), limits(settings)), embedded }
    }
}

/// A runtime for a command that does one thing.
pub(super) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("could not start the async runtime")?.block_on(work)
}
