//! Who sees which field of what a participant has told.

use std::collections::BTreeMap;

use anteroom::{
    engine::export::records,
    flow::LoadedFlow,
    model::{transcript::Audience, wait::Settlement},
};
use serde_json::{Value, json};

use crate::{
    keeping::receiver,
    world::{World, grace},
};

/// A trip: everybody sees the name, the kitchen decides by the allergies, accounting's hook gets the account.
const TRIP: &str = r#"
format = 1
id = "trip"
version = "1"
title = "The trip"

[handoff]
channel = "desk"

[approvals.seat]
title    = "A seat for {{ participant.name }}?"
deciders = "desk"
show     = ["traveller"]

[data.traveller]
review = true

[data.traveller.fields]
name      = { type = "text", title = "Name" }
allergies = { type = "text", title = "Allergies", visible_to = ["deciders"] }
account   = { type = "text", title = "Account", visible_to = ["hooks"] }
wish      = { type = "text", title = "A wish", visible_to = [] }

[[phase]]
id = "who"
title = "Who you are"
mode = "script"

  [[phase.objective]]
  id = "traveller"
  title = "Who travels"
  done = { reviewed = "traveller" }

  [[phase.step]]
  id = "traveller"
  tool = "submit_for_validation"
  args = { dataType = "traveller", data = {}, message = "Who travels?" }

  [[phase.step]]
  id = "seat"
  tool = "request_decision"
  args = { approval = "seat" }

  [[phase.effect]]
  do = "post_summary"
  channel = "desk"
  include = ["traveller"]

  [[phase.effect]]
  do = "webhook"
  url_from = "ats_webhook"
  include = ["traveller"]
"#;

fn traveller() -> Value {
    json!({ "name": "Ada", "allergies": "Nuts", "account": "DE02", "wish": "A window" })
}

#[tokio::test]
async fn each_reader_sees_the_fields_that_are_for_them() {
    let mut world = World::with(TRIP, None).await;
    let (hook, _server) = receiver(&mut world).await;
    world.restart().await;
    assert_eq!(world.edit(traveller()).await, Settlement::Applied);
    let card = world.staff_screen();
    world.press_as(&grace(), "Approve").await;

    // Those who decide.
    assert!(card.contains("Nuts") && !card.contains("DE02"), "{card}");
    assert!(card.contains("Not shown here: Account, A wish."), "{card}");
    // The team.
    let all = world.staff_screen();
    let summary = all.rsplit("has finished").next().unwrap();
    assert!(summary.contains("Name: Ada") && !summary.contains("Nuts"), "{summary}");
    assert!(summary.contains("Not shown here: Allergies, Account, A wish."), "{summary}");
    // The web hook.
    let body: Value = serde_json::from_str(&hook.seen.lock().unwrap()[0].1).unwrap();
    assert_eq!(body["data"]["traveller"], json!({ "name": "Ada", "account": "DE02" }));
    // Exports: the participant has everything.
    let state = world.state().await;
    let flow = LoadedFlow::load(TRIP, "trip.toml", &BTreeMap::new()).unwrap();
    let kept = |reader| records(&state, &flow, reader)[0]["data"].clone();
    assert_eq!(kept(Audience::Participant), traveller());
    assert_eq!(kept(Audience::Staff), json!({ "name": "Ada" }));
}

/// What is said to everybody in a channel of Discord's, in fields.
const HELLO: &str = r#"
format = 1
id = "hello"
version = "1"
title = "Hello"

[data.hello]
review = true

[data.hello.fields]
words = { type = "text", title = "About you" }
sport = { type = "choice", title = "Sport", options = { judo = "Judo", run = "Running" } }
phone = { type = "text", title = "Phone", visible_to = ["team"] }

[[phase]]
id = "hello"
title = "Say hello"
mode = "script"

  [[phase.step]]
  id = "hello"
  tool = "submit_for_validation"
  args = { dataType = "hello", data = {}, message = "Who are you?" }

  [[phase.effect]]
  do = "discord_post"
  channel = "introductions"
  data = "hello"
"#;

#[tokio::test]
async fn a_post_for_everybody_has_all_fields_but_those_for_some() {
    let mut world = World::with(HELLO, None).await;
    world.restart().await;
    let hello = json!({ "words": "I run.", "sport": "run", "phone": "555" });
    assert_eq!(world.edit(hello).await, Settlement::Applied);
    let screen = world.staff_screen();
    let post = screen.rsplit("Would post").next().unwrap();
    assert!(post.contains("About you: I run.") && post.contains("Sport: Running"), "{screen}");
    assert!(!post.contains("555"), "{screen}");
}
