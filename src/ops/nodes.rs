//! `anteroom nodes` and `anteroom migrate`: what a database says of the nodes that use it, and of its tables.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    app::{self, Wanted},
    sentence,
    shared_args::Json,
    term,
};
use crate::{
    config::{Settings, settings::Postgres},
    store::{
        Error,
        postgres::{Change, Node, changes, nodes},
    },
};

/// `nodes`.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum Nodes {
    /// List the nodes, the active one first.
    List(Json),
}

/// `migrate`.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Migrate {
    /// Change nothing; exits with 1 if this version would change the tables, or can't use them.
    #[arg(long)]
    check: bool,
    /// Output.
    #[command(flatten)]
    output: Json,
}

/// Lists the nodes that are connected to the database.
pub(super) fn list(wanted: &Wanted, Json { json }: Json) -> anyhow::Result<ExitCode> {
    let options = app::database_options(database(&wanted.configured()?)?, app::Opening::Command)?;
    let found = asked(nodes(&options))?;
    if json {
        let all: Vec<_> = found
            .iter()
            .map(|node| {
                json!({ "name": node.name, "version": node.version, "active": node.is_active,
                        "since": node.since, "address": node.address })
            })
            .collect();
        term::json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<[String; 5]> = found.iter().map(row).collect();
    let none = "No node is connected to the database.";
    term::table(["NODE", "STATE", "VERSION", "CONNECTED SINCE", "ADDRESS"], &rows, none)?;
    Ok(ExitCode::SUCCESS)
}

fn row(node: &Node) -> [String; 5] {
    let unknown = || "unknown".to_owned();
    [
        node.name.clone(),
        if node.is_active { "active" } else { "stands by" }.to_owned(),
        node.version.clone().unwrap_or_else(unknown),
        node.since.map_or_else(unknown, |since| since.format("%Y-%m-%d %H:%M UTC").to_string()),
        node.address.clone().unwrap_or_else(|| "this machine".to_owned()),
    ]
}

/// Says whether the tables are as this program needs them, or brings them up to date.
pub(super) fn migrate(wanted: &Wanted, asked_for: Migrate) -> anyhow::Result<ExitCode> {
    let settings = wanted.configured()?;
    let database = database(&settings)?;
    let options = app::database_options(database, app::Opening::Command)?;
    if !asked_for.check {
        drop(app::open_for_command(&settings)?);
    }
    let found = asked(changes(&options))?;
    let pending = found.iter().filter(|change| !change.is_applied).count();
    let newer = found.iter().filter(|change| !change.is_known).count();
    if asked_for.output.json {
        let all: Vec<_> = found
            .iter()
            .map(|change| {
                json!({ "number": change.number, "name": change.name, "applied": change.is_applied,
                        "known": change.is_known })
            })
            .collect();
        term::json(&all)?;
    } else {
        let rows: Vec<[String; 3]> = found.iter().map(state).collect();
        term::table(["CHANGE", "NAME", "STATE"], &rows, "This program needs no tables.")?;
        term::say(verdict(pending, newer))?;
    }
    Ok(if pending + newer == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn state(change: &Change) -> [String; 3] {
    let state = match (change.is_known, change.is_applied) {
        (true, true) => "applied",
        (true, false) => "pending",
        (false, _) => "of a newer version",
    };
    [change.number.to_string(), change.name.clone(), state.to_owned()]
}

const fn verdict(pending: usize, newer: usize) -> &'static str {
    match (pending, newer) {
        (0, 0) => "The tables are as this version needs them.",
        (_, 0) => {
            "This version changes the tables once it is active. Older nodes can't take over after that: upgrade them, too."
        }
        _ => {
            "A newer version has changed the tables, so this one can't use them. Upgrade this node; to go back, restore a \
             backup that was made before the upgrade."
        }
    }
}

fn database(settings: &Settings) -> anyhow::Result<&Postgres> {
    settings.postgres.as_ref().ok_or_else(|| {
        sentence(
            "the data is in a data directory, which one process uses. hint: nodes and migrations belong to a database, which \
             `[postgres]` in the configuration names",
        )
    })
}

fn asked<T>(question: impl Future<Output = Result<T, Error>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(question)?)
}
