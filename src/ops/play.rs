//! `anteroom play`: the newcomer's command.

use std::process::ExitCode;

use super::{
    app::{self, Wanted},
    cli::Play,
    serve,
};

/// Serves the playground on this machine and opens it in the browser.
pub(super) fn play(wanted: Wanted, play: &Play) -> anyhow::Result<ExitCode> {
    let settings = app::listening(wanted.playground()?, play);
    app::log(&settings)?;
    serve::serve(&settings, |_| Ok(()))
}
