//! `anteroom play`: the newcomer's command.

use std::{
    fs::{self, DirBuilder},
    io::ErrorKind,
    net::SocketAddr,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use clap::Args;

use super::{
    app::{self, Wanted},
    sentence,
    serve::{self, Ready, Reloads},
    shared_args, term,
};
use crate::{
    base::ids::{Ids as _, RandomIds},
    config::Log,
    engine::recording::Recorder,
};

/// `play`.
#[derive(Debug, Default, Args)]
pub(super) struct Play {
    /// Use a temporary data directory, deleted on exit.
    #[arg(long, conflicts_with = "data")]
    temporary: bool,
    /// Address and port of the page; port 0 picks a free one.
    #[arg(long, value_name = "ADDR", value_parser = shared_args::address)]
    listen: Option<SocketAddr>,
    /// Do not open the browser.
    #[arg(long)]
    no_open: bool,
    /// Record new conversations, with everything people write, to a new file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print the addresses as one line of JSON once the page is ready.
    #[arg(long)]
    json: bool,
}

/// Serves the playground on this machine and opens it in the browser.
pub(super) fn play(mut wanted: Wanted, play: &Play) -> anyhow::Result<ExitCode> {
    let temporary = if play.temporary { Some(Temporary::create()?) } else { None };
    if let Some(temporary) = &temporary {
        wanted.data = Some(temporary.0.clone());
    }
    let mut settings = wanted.serving()?;
    if let Some(listen) = play.listen {
        settings.web.listen = listen;
    }
    if settings.log == Log::default() {
        // A newcomer reads the page; what goes wrong still shows.
        "warn".clone_into(&mut settings.log.level);
    }
    app::log(&settings)?;
    let recorder = match &play.record {
        Some(file) => Some(recorder(file, app::limits(&settings).window_tokens)?),
        None => None,
    };
    let begun = play.record.as_deref().map(length);
    let served = serve::serve(&wanted, settings, (recorder, Reloads::OnChange), |ready| {
        if play.json {
            term::json_line(ready)?;
        } else {
            term::say(greeting(ready, temporary.is_some()))?;
        }
        if !play.no_open && term::is_read_by_a_person() && open::that_detached(&ready.page).is_err()
        {
            term::tell("Could not open a browser; open the address above yourself.");
        }
        Ok(())
    });
    if served.is_err()
        && let Some(file) = play.record.as_deref().filter(|file| Some(length(file)) == begun)
        && fs::remove_file(file).is_err()
    {
        term::tell(format!(
            "Could not remove `{}`, in which nothing was recorded.",
            file.display()
        ));
    }
    served
}

fn length(file: &Path) -> Option<u64> {
    fs::metadata(file).ok().map(|found| found.len())
}

/// Begins a recording.
fn recorder(file: &Path, window_tokens: u64) -> anyhow::Result<Recorder> {
    match Recorder::create(file, window_tokens) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(sentence(format!(
            "`{}` already exists. hint: choose a new file; recordings are never overwritten",
            file.display()
        ))),
        created => created.with_context(|| format!("could not create `{}`", file.display())),
    }
}

fn greeting(ready: &Ready, temporary: bool) -> String {
    let kept = if temporary {
        "Press Ctrl-C to stop; everything is deleted then."
    } else {
        "Press Ctrl-C to stop. Start again to pick up every conversation where it left off."
    };
    format!(
        "Anteroom is ready.\n\n  Participants  {}\n  Staff         {}\n  Data          {}\n\n{kept}",
        ready.page,
        ready.staff,
        ready.data.display(),
    )
}

/// A directory that is removed in the end.
#[derive(Debug)]
pub(super) struct Temporary(PathBuf);

impl Temporary {
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Makes one that only its owner may enter.
    pub(super) fn create() -> anyhow::Result<Self> {
        let name = format!("anteroom-{}", RandomIds.fresh().simple());
        let dir = std::env::temp_dir().join(name);
        DirBuilder::new()
            .mode(0o700)
            .create(&dir)
            .with_context(|| format!("could not create `{}`", dir.display()))?;
        Ok(Self(dir))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.0).is_err() {
            term::tell(format!("Could not remove `{}`.", self.0.display()));
        }
    }
}
