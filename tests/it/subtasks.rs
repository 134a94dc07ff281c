//! Child runs: how a piece of work is given away, what people see of it, and that its result comes back once.
//!
//! The model of parent and child is the same play; the texts that a child run reads are in the snapshots.

mod agents;
mod chains;
mod crashes;
mod ends;
mod people;
mod templates;

use std::sync::Arc;

use anteroom::{model::task::Conclusion, ports::llm::chat::Request, session::State};
use serde_json::{Value, json};

use crate::{
    llm::scripted::{Scripted, Turn, shown},
    world::World,
};

/// Two parts that a model leads; in the first it may give work away.
const TALK: &str = r#"
format = 1
id = "talk"
version = "1.0.0"
title = "A talk"

[approvals.override]
decider = "participant"

[handoff]
channel = "desk"

[limits]
tokens = 1000000

[[phase]]
id = "one"
title = "One"
mode = "interview"
prompt = "Have somebody dig."
tools = ["delegate", "deploy_agent", "get_user_option", "get_user_upload", "set_objective_status", "next_phase"]

  [[phase.objective]]
  id = "dug"
  title = "Something was dug up"
  done = "model"

[[phase]]
id = "two"
title = "Two"
mode = "interview"
prompt = "Say goodbye."
tools = ["next_phase"]

  [[phase.objective]]
  id = "bye"
  title = "A goodbye"
  done = "model"
"#;

/// A task that may give work away itself, and may ask.
const DIG: &str = r#"
format = 1
name = "dig"
version = "1.0.0"
title = "Digging"
description = "Digs for something that lies deep."
hints = ["dig", "shovel"]
prompt = "Dig, and say what you found."
tools = ["delegate", "get_user_option", "get_user_upload", "extract_document"]
budget = { rounds = 4, tokens = 50000 }
output = '{"type":"object","required":["found"],"additionalProperties":false,"properties":{"found":{"type":"string"}}}'
"#;

/// A conversation in which work may be given away; the model has said hello.
async fn talk(model: &Arc<Scripted>) -> World {
    model.next(Turn::says("Hello."));
    World::delegating((TALK, &[DIG]), model, None).await
}

/// Has a child run dig at a level.
fn dig(level: u32) -> Turn {
    Turn::calls("delegate", &digging(level))
}

fn digging(level: u32) -> Value {
    json!({ "description": "Dig once more", "hints": ["dig"], "input": { "level": level } })
}

/// A child run gives this back.
fn found(what: &str) -> Turn {
    Turn::says(&json!({ "found": what }).to_string())
}

fn colours() -> Value {
    json!({ "prompt": "Which colour?", "options": [{ "id": "red", "label": "Red" }, { "id": "blue", "label": "Blue" }] })
}

/// What was read in the n-th request, from 0; instructions are left out.
fn read(model: &Scripted, n: usize) -> String {
    model.read(n)
}

/// The last lines of that.
fn tail(model: &Scripted, n: usize, lines: usize) -> String {
    let text = read(model, n);
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// Whether a request is of the child run with this input.
fn is_of(request: &Request, input: &Value) -> bool {
    shown(request, 1).contains(&format!("<input>{input}</input>"))
}

/// How child runs stand, oldest first: task, depth, status, and what came of them.
async fn delegations(world: &World) -> String {
    let line = |state: &State| {
        let own = state.subtasks.parent_link.as_ref().unwrap();
        let lineage = &own.assignment.lineage;
        let outcome = own.conclusion.as_ref().map(|conclusion| match conclusion {
            // Who tells it first, and with which words, is a matter of moments.
            Conclusion::Cancelled { .. } => "cancelled".to_owned(),
            other => json!(other).to_string(),
        });
        let (task, depth) = (&lineage.last().unwrap().task, lineage.len());
        let reported = if own.reported { "reported" } else { "not reported" };
        let status = state.status.name();
        format!("{task} at {depth}: {status}, {reported}: {}", outcome.unwrap_or_default())
    };
    world.children().await.iter().map(line).collect::<Vec<_>>().join("\n")
}
