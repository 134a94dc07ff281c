//! `anteroom replay`: a recording is run again, and what differs is printed.

use std::{fs, io, path::Path, process::ExitCode};

use anyhow::Context as _;

use super::{
    app::{self, Wanted},
    play::Temporary,
    term,
};
use crate::engine::recording::{self, replay};

/// Runs a recording; exit code 1 and a diff on standard output where something differs.
pub(super) fn replay(wanted: &Wanted, file: &Path) -> anyhow::Result<ExitCode> {
    let named = || format!("could not replay `{}`", file.display());
    let text = text_of(file).with_context(named)?;
    let folder = Temporary::create()?;
    let toolbox = app::toolbox(&app::tasks(&wanted.settings()?)?)?;
    let outcome = app::block_on(async {
        replay::replay(&text, &toolbox, folder.path()).await.with_context(named)
    })?;
    if outcome.is_cut {
        warn_of_cut(file);
    }
    if outcome.diff.is_empty() {
        let count = outcome.conversations;
        let noun = if count == 1 { "conversation" } else { "conversations" };
        term::say(format!("{count} {noun} replayed, no differences"))?;
        return Ok(ExitCode::SUCCESS);
    }
    term::pour(outcome.diff.as_bytes())?;
    Ok(ExitCode::FAILURE)
}

/// What stands in a recording.
pub(super) fn text_of(file: &Path) -> io::Result<String> {
    recording::text_of(fs::read(file)?)
}

/// Says that a recording ends within a line.
pub(super) fn warn_of_cut(file: &Path) {
    term::tell(format!(
        "warning: the last line of `{}` is torn and was left out. hint: the bot was probably killed while it recorded",
        file.display()
    ));
}
