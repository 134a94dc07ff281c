//! `anteroom flows diff`: what changed between two flows, by name and not by line.
//!
//! Compared is what the flows mean: comments, layout, the order of tables and defaults that are written out don't count;
//! the order of phases, objectives, steps, options and effects does.

mod compare;

use std::{fmt::Write as _, process::ExitCode};

use clap::Args;
use serde_json::{Value, json};

use self::compare::{Change, What};
use super::{schema, source};
use crate::{
    flow::LoadedFlow,
    ops::{app::Wanted, shared_args::Json, term},
};

/// `flows diff`.
#[derive(Debug, Args)]
pub(in crate::ops) struct Diff {
    /// The flow before: its id, or a flow file.
    #[arg(value_name = "A")]
    before: String,
    /// The flow after.
    #[arg(value_name = "B")]
    after: String,
    /// Output.
    #[command(flatten)]
    output: Json,
}

/// Prints what differs; fails where anything does.
pub(super) fn tell(wanted: &Wanted, diff: &Diff) -> anyhow::Result<ExitCode> {
    let before = source::named(wanted, &diff.before)?;
    let after = source::named(wanted, &diff.after)?;
    let changes = compare::changes(&meaning(&before)?, &meaning(&after)?);
    if diff.output.json {
        let told = changes.iter().map(as_json).collect::<Vec<_>>();
        let digests = json!({ "before": before.digest, "after": after.digest });
        term::json(&json!({ "equal": changes.is_empty(), "digests": digests, "changes": told }))?;
    } else {
        term::pour(page(&changes, &before, &after).as_bytes())?;
    }
    Ok(if changes.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The flow with everything that it takes from elsewhere in it.
fn meaning(loaded: &LoadedFlow) -> anyhow::Result<Value> {
    let mut flow = serde_json::to_value(&loaded.flow)?;
    if let Some(persona) = flow["persona"].as_object_mut() {
        persona.remove("file");
    }
    if let Some(tables) = flow["data"].as_object_mut() {
        for (name, table) in
            tables.iter_mut().filter_map(|(name, table)| Some((name, table.as_object_mut()?)))
        {
            table.remove("schema_inline");
            table
                .insert("schema".to_owned(), loaded.schemas.get(name).cloned().unwrap_or_default());
        }
    }
    Ok(flow)
}

fn as_json(change: &Change) -> Value {
    let (kind, before, after) = match &change.what {
        What::Added(after) => ("added", None, Some(after)),
        What::Removed(before) => ("removed", Some(before), None),
        What::Changed(before, after) => ("changed", Some(before), Some(after)),
        What::Moved(before, after) => ("reordered", Some(before), Some(after)),
    };
    json!({ "kind": kind, "path": change.path, "before": before, "after": after })
}

fn page(changes: &[Change], before: &LoadedFlow, after: &LoadedFlow) -> String {
    if changes.is_empty() {
        let same = before.digest == after.digest;
        let words = if same { "The files are the same." } else { "The flows mean the same." };
        return format!("{words}\n");
    }
    let mut page = String::new();
    for change in changes {
        // Writing to a string cannot fail.
        _ = write!(page, "{}", told(change));
    }
    _ = write!(page, "\n{}\n", consequences(before, after));
    page
}

fn told(change: &Change) -> String {
    let path = change.path.join(" › ");
    match &change.what {
        What::Added(value) => format!("+ {path}{}\n", brief(value)),
        What::Removed(value) => format!("- {path}{}\n", brief(value)),
        What::Changed(before, after) => {
            let (before, after) = pair(before, after);
            if before.len() + after.len() < 60 {
                format!("~ {path}: {before} → {after}\n")
            } else {
                format!("~ {path}\n    before: {before}\n    after:  {after}\n")
            }
        }
        What::Moved(before, after) => {
            format!("~ {path}, order: {} → {}\n", names(before), names(after))
        }
    }
}

/// What an entry says, where that is short: tables are named by their path.
fn brief(value: &Value) -> String {
    match value {
        Value::Object(_) => String::new(),
        other => format!(": {}", written(other)),
    }
}

/// Both sides of a change; durations as people write them.
fn pair(before: &Value, after: &Value) -> (String, String) {
    let short = |value: &Value| value.as_str().and_then(schema::duration);
    match (short(before), short(after)) {
        (Some(before), Some(after)) if before != after => (before, after),
        _ => (written(before), written(after)),
    }
}

/// A value in a line; `(nothing)` where there is none.
fn written(value: &Value) -> String {
    if value.is_null() { "(nothing)".to_owned() } else { value.to_string() }
}

fn names(list: &Value) -> String {
    let names = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.collect::<Vec<_>>().join(", ")
}

/// Who is affected.
fn consequences(before: &LoadedFlow, after: &LoadedFlow) -> String {
    let (old, new) = (&before.flow, &after.flow);
    if old.id != new.id {
        return format!(
            "These are two flows, `{}` and `{}`: conversations with one are not affected by the other.",
            old.id, new.id
        );
    }
    let version = if old.version == new.version {
        format!(
            " Both say `version = \"{}\"`: give the new one another, so that people can tell them apart.",
            new.version
        )
    } else {
        String::new()
    };
    format!(
        "Conversations under way keep the flow that they began with, with its texts, times and retention. Those that begin \
         after the change is loaded follow the new one.{version}"
    )
}
