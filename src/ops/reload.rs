//! Flows that are loaded anew while the bot runs: on SIGHUP for `run`, when a file changes for `play`.
//!
//! They pass the same check as at the start, all or none. Conversations keep the version that they began with.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use super::{Problems, app, term};
use crate::{
    config::{Problem, Settings, render},
    flow::Library,
    tool::Toolbox,
};

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How deep folders are looked into, and how many files are: schemas and prompts lie beside flows, little else does.
const DEPTH_MAX: usize = 3;
const FILES_MAX: usize = 1_000;

/// What makes the flows load anew.
#[derive(Debug)]
pub(super) enum Trigger {
    /// SIGHUP; what comes of it goes to the log.
    Hangup(Signal),
    /// A change in the folder of flows since these stamps were taken; what comes of it goes to the terminal.
    Change(Stamps),
}

impl Trigger {
    /// Listens for SIGHUP, which from then on ends the program no more.
    pub(super) fn hangup() -> anyhow::Result<Self> {
        let hangup = signal(SignalKind::hangup()).context("could not listen for signals")?;
        Ok(Self::Hangup(hangup))
    }

    /// Looks out for changes of files from now on, so before they are loaded.
    pub(super) fn change(settings: &Settings) -> Self {
        Self::Change(settings.flows.dir.as_deref().map(stamps).unwrap_or_default())
    }
}

/// What the flows are loaded from and checked with.
#[derive(Debug)]
pub(super) struct Reload {
    /// Those of the start.
    pub(super) settings: Arc<Settings>,
    /// Whether aliases are looked up.
    pub(super) is_configured: bool,
    /// The flows in use.
    pub(super) library: Arc<Library>,
    /// The tools that they may use.
    pub(super) toolbox: Arc<Toolbox>,
}

/// What came of an attempt.
enum Came {
    /// The flows in use are these, with what somebody should look at.
    Loaded(Vec<String>, Vec<Problem>),
    /// The flows in use are those before.
    Refused(Vec<Problem>),
}

impl Reload {
    /// Loads until `shutdown`.
    pub(super) async fn run(
        self,
        trigger: Trigger,
        shutdown: CancellationToken,
    ) -> anyhow::Result<()> {
        let this = Arc::new(self);
        let loading = async {
            match trigger {
                Trigger::Hangup(mut hangup) => {
                    while hangup.recv().await.is_some() {
                        log(this.again().await?);
                    }
                }
                Trigger::Change(seen) => this.watch(seen).await?,
            }
            // Nothing will ever ask again.
            std::future::pending().await
        };
        tokio::select! {
            () = shutdown.cancelled() => Ok(()),
            ended = loading => ended,
        }
    }

    async fn watch(self: &Arc<Self>, mut seen: Stamps) -> anyhow::Result<()> {
        let Some(dir) = self.settings.flows.dir.clone() else { return Ok(()) };
        let mut last = seen.clone();
        loop {
            sleep(LOOK_EVERY).await;
            let dir = dir.clone();
            let now = tokio::task::spawn_blocking(move || stamps(&dir)).await?;
            // A file that is still being written is left until it is whole.
            if now != seen && now == last {
                seen.clone_from(&now);
                show(self.again().await?);
            }
            last = now;
        }
    }

    async fn again(self: &Arc<Self>) -> anyhow::Result<Came> {
        let this = Arc::clone(self);
        tokio::task::spawn_blocking(move || this.load()).await.context("the flows were not loaded")
    }

    fn load(&self) -> Came {
        let loaded = match app::library_for(&self.settings, self.is_configured) {
            Ok(loaded) => loaded,
            Err(error) => return Came::Refused(problems(&error)),
        };
        let found =
            app::flow_problems(&loaded, &self.toolbox, (&self.settings, self.is_configured));
        let (errors, warnings): (Vec<_>, Vec<_>) = found.into_iter().partition(Problem::is_error);
        if !errors.is_empty() {
            return Came::Refused(app::with_way_out(errors));
        }
        let changes = changes(&self.library, &loaded);
        self.library.replace(&loaded);
        Came::Loaded(changes, warnings)
    }
}

fn problems(error: &anyhow::Error) -> Vec<Problem> {
    match error.downcast_ref::<Problems>() {
        Some(Problems(problems)) => problems.clone(),
        None => vec![Problem::whole("flows", format!("{error:#}"))],
    }
}

/// What is different, a flow a line.
fn changes(before: &Library, after: &Library) -> Vec<String> {
    let after_of = after.iter().filter_map(|flow| {
        let (id, version) = (&flow.flow.id, &flow.flow.version);
        match before.get(id) {
            None => Some(format!("`{id}` {version} is new")),
            Some(old) if old.digest != flow.digest => Some(format!("`{id}` {version} has changed")),
            Some(_) => None,
        }
    });
    let gone = before.iter().filter(|flow| after.get(&flow.flow.id).is_none());
    let gone = gone.map(|flow| format!("`{}` can't be started any more", flow.flow.id));
    after_of.chain(gone).collect()
}

fn log(came: Came) {
    match came {
        Came::Loaded(changes, warnings) => {
            for problem in warnings {
                tracing::warn!(%problem, "flow check");
            }
            for change in &changes {
                tracing::info!(flow = %change, "flow loaded again");
            }
            tracing::info!(
                changes = changes.len(),
                "flows loaded again; conversations keep their version"
            );
        }
        Came::Refused(problems) => {
            for problem in &problems {
                tracing::error!(%problem, "flow refused");
            }
            let problems = problems.len();
            tracing::error!(problems, "the flows were not loaded again; those before stay in use");
        }
    }
}

fn show(came: Came) {
    match came {
        Came::Loaded(changes, warnings) => {
            if !warnings.is_empty() {
                term::tell(render(&warnings).trim_end());
            }
            if changes.is_empty() {
                term::tell("The flows in use have not changed.");
            }
            for change in changes {
                term::tell(format!("Flow loaded: {change}. Conversations keep their version."));
            }
        }
        Came::Refused(problems) => {
            term::tell(render(&problems).trim_end());
            term::tell("The flows were not loaded again; those before stay in use.");
        }
    }
}

/// When each file was last written, and how long it is.
type Stamps = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

fn stamps(dir: &Path) -> Stamps {
    let mut stamps = BTreeMap::new();
    // A folder that can't be read has no files; loading says why.
    drop(stamp(dir, 0, &mut stamps));
    stamps
}

fn stamp(dir: &Path, depth: usize, stamps: &mut Stamps) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let Ok(found) = fs::metadata(entry.path()) else { continue };
        if found.is_dir() && depth < DEPTH_MAX {
            drop(stamp(&entry.path(), depth + 1, stamps));
        } else if found.is_file() && stamps.len() < FILES_MAX {
            stamps.insert(entry.path(), (found.modified().ok(), found.len()));
        }
    }
    Ok(())
}
