//! A model leads: its turn, its calls and their waits, what people do meanwhile, and what happens when it fails.
//!
//! The model is a play (`tests/support/scripted.rs`); the texts that it reads are in the snapshots, since they are as
//! much a part of the product as those that people read. Numbers in names are rows of the table of what must hold.

mod accounts;
mod bad_days;
mod budgets;
mod cards;
mod claims;
mod declined;

mod forbidden;
mod goodbyes;
mod interruptions;
mod meanwhile;
mod moments;
mod people;
mod rounds;
mod rows;
mod shipped;
mod stalls;
mod vain;

use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::{llm::scripted::Scripted, world::World};

/// One part that a model leads, and one after it; deciders in `desk`.
pub(crate) const TALK: &str = r#"
format = 1
id = "talk"
version = "1.0.0"
title = "A talk"

[approvals.override]
decider = "admin"
channel = "desk"

[handoff]
channel = "desk"

[persona]
prompt = "You are brief."

[policy]
never_ask = ["salary"]

[limits]
model_rounds = 4
tokens = 1000000

[data.pet]
schema_inline = '{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}'
review = true

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Ask for a pet."
intro = "Let us talk about pets."
tools = ["get_user_option", "get_user_upload", "request_user_input", "submit_for_validation", "persist_data",
         "set_objective_status", "next_phase"]

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = { reviewed = "pet" }

[[phase]]
id = "end"
title = "The end"
mode = "interview"
prompt = "Say goodbye."
tools = ["request_user_input", "set_objective_status", "next_phase"]

  [[phase.objective]]
  id = "goodbye"
  title = "A goodbye"
  done = "model"
"#;

/// The talk with a script to fall back on.
fn with_script() -> String {
    TALK.replacen(
        "prompt = \"Ask for a pet.\"\n",
        "prompt = \"Ask for a pet.\"\nfallback = \"script\"\n",
        1,
    )
    .replacen(
        "\n[[phase]]\nid = \"end\"",
        "
  [[phase.step]]
  id = \"name\"
  tool = \"request_user_input\"
  args = { prompt = \"What is it called?\" }

  [[phase.step]]
  id = \"pet\"
  tool = \"submit_for_validation\"
  args = { dataType = \"pet\", data = { name = { \"$from\" = \"answers.name\" } }, message = \"Right?\" }

[[phase]]
id = \"end\"",
        1,
    )
}

fn colours() -> Value {
    json!({ "prompt": "Which colour?", "options": [{ "id": "red", "label": "Red" }, { "id": "blue", "label": "Blue" }] })
}

fn sizes() -> Value {
    json!({ "prompt": "Which size?", "options": [{ "id": "s", "label": "Small" }, { "id": "l", "label": "Large" }] })
}

fn rex() -> Value {
    json!({ "dataType": "pet", "data": { "name": "Rex" }, "message": "Is that right?" })
}

/// The provider stays away for as long as the participant is kept waiting, once it has failed.
async fn outlast(model: &Arc<Scripted>, world: &mut World) {
    for _ in 0..2 {
        model.next(bad_days::down());
        world.pass(TimeDelta::seconds(61)).await;
    }
}

/// A conversation in the talk, led by the play.
async fn talk(model: &Arc<Scripted>) -> World {
    World::led_by(TALK, model).await
}

/// What the model read the n-th time, from 0, without its instructions.
fn read(model: &Scripted, n: usize) -> String {
    model.read(n)
}

/// What it read the n-th time and had not read before.
fn news(model: &Scripted, n: usize) -> String {
    model.news(n)
}

/// Consecutive requests share what was sent before, but where a short form took its place.
fn assert_prefixes(model: &Scripted) {
    for pair in model.seen().windows(2) {
        let [before, after] = pair else { continue };
        let shared =
            before.messages.iter().zip(&after.messages).take_while(|(a, b)| a == b).count();
        assert_eq!(shared, before.messages.len(), "the window changed what had been sent");
    }
}
