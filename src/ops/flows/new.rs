//! `anteroom flows new`: a small flow that works, with a comment on every part.

use std::path::PathBuf;

use clap::Args;

use super::source;
use crate::{
    flow::{optional, shipped},
    ops::{output_file, sentence, shared_args::Output, term},
};

/// The flow, with `NAME` and `TITLE` in it.
const TEMPLATE: &str = include_str!("../../../manifests/new-flow.toml");

/// Longest name: it is part of messages, commands and file names.
const NAME_MAX: usize = 60;

/// `flows new`.
#[derive(Debug, Args)]
pub(in crate::ops) struct New {
    /// The flow's id: lower-case letters, digits and hyphens.
    #[arg(value_name = "NAME")]
    name: String,
    /// Write to this file instead of NAME.toml; `-` for standard output. It must not exist yet.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

/// Writes the flow and says what to do with it.
pub(super) fn write(new: New) -> anyhow::Result<()> {
    let New { name, output, force } = new;
    check(&name)?;
    let flow = TEMPLATE.replace("NAME", &name).replace("TITLE", &title(&name));
    let file = output.unwrap_or_else(|| PathBuf::from(format!("{name}.toml")));
    if file.as_os_str() == "-" {
        return Ok(term::pour(flow.as_bytes())?);
    }
    let shown = file.display().to_string();
    output_file::publish(&Output { output: Some(file), force }, flow.as_bytes())?;
    term::tell(format!("Wrote `{shown}`. Next: `anteroom flows check {shown}`."));
    Ok(())
}

fn check(name: &str) -> anyhow::Result<()> {
    let is_known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || name.ends_with('-') || name.contains("--") || !name.chars().all(is_known) {
        return Err(sentence(format!(
            "`{name}` can't be the id of a flow. hint: begin with a letter and use lower-case letters, digits and single \
             hyphens, for example `first-day`"
        )));
    }
    if name.len() > NAME_MAX {
        return Err(sentence(format!("the name is longer than {NAME_MAX} characters")));
    }
    if shipped()
        .into_iter()
        .chain(optional().iter().copied())
        .any(|(file, _)| source::id(file) == name)
    {
        return Err(sentence(format!(
            "`{name}` is a built-in flow. hint: choose another name, or run `anteroom flows export {name} -o mine.toml` \
             for a copy of it"
        )));
    }
    Ok(())
}

/// `first-day` as a title: `First day`.
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
