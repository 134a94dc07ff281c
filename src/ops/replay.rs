//! `anteroom replay`: a recording is run again, and what differs is printed.

use std::{fs, path::Path, process::ExitCode};

use anyhow::Context as _;

use super::{
    app::{self, Wanted},
    play::Temporary,
    term,
};
use crate::engine::recording::replay;

/// Runs a recording; exit code 1 and a diff on standard output where something differs.
pub(super) fn replay(wanted: &Wanted, file: &Path) -> anyhow::Result<ExitCode> {
    let named = || format!("could not replay `{}`", file.display());
    let text = fs::read_to_string(file).with_context(named)?;
    let folder = Temporary::create()?;
    let toolbox = app::toolbox(&app::tasks(&wanted.settings()?)?)?;
    let outcome = app::block_on(async {
        replay::replay(&text, &toolbox, folder.path()).await.with_context(named)
    })?;
    if outcome.diff.is_empty() {
        let count = outcome.conversations;
        let noun = if count == 1 { "conversation" } else { "conversations" };
        term::say(format!("{count} {noun} replayed, no differences"))?;
        return Ok(ExitCode::SUCCESS);
    }
    term::pour(outcome.diff.as_bytes())?;
    Ok(ExitCode::FAILURE)
}
