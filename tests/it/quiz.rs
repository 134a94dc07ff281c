//! Values that steps set, and questions with points.

use std::collections::BTreeSet;

use anteroom::{messages::Text, model::session::Status};
use serde_json::{Value, json};

use crate::world::{World, ada, room};

/// Two questions, a pass mark, and two attempts.
const QUIZ: &str = r#"
format = 1
id = "quiz"
version = "1"
title = "The quiz"

[approvals.override]
channel = "desk"

[handoff]
channel = "desk"

[data.result]
schema_inline = '{ "type": "object", "properties": { "score": { "type": "integer", "title": "Score" }, "passed": { "type": "boolean" } } }'

[[phase]]
id = "quiz"
title = "Quiz"
mode = "script"

  [[phase.objective]]
  id = "passed"
  title = "The quiz"
  done = { answered = { step = "well_done" } }

  [[phase.step]]
  id = "begin"
  set = { attempts = "values.attempts | default(0) + 1" }

  [[phase.step]]
  id = "spam"
  tool = "get_user_option"
  [phase.step.args]
  prompt = "Somebody posts an advertisement. What do you do?"
  shuffle = true
  options = [ { id = "ban", label = "Ban them" }, { id = "remove", label = "Remove it", correct = true }, { id = "wait", label = "Wait" } ]

  [[phase.step]]
  id = "rules"
  tool = "get_user_option"
  [phase.step.args]
  prompt = "Which of these are rules?"
  allowMultiple = true
  options = [ { id = "kind", label = "Be kind", points = 2 }, { id = "quick", label = "Be quick", points = -1 }, { id = "topic", label = "Stay on topic", points = 1 } ]

  [[phase.step]]
  id = "mark"
  set = { score = "score.quiz", passed = "score.quiz >= 3", level = 1 }
  save = "result"

  [[phase.step]]
  id = "once_more"
  when = "not values.passed and values.attempts < 2"
  set = { retried = true }
  branch = { else = "begin" }

  [[phase.step]]
  id = "failed"
  tool = "get_user_option"
  when = "not values.passed"
  args = { prompt = "{{ score.quiz }} points in {{ values.attempts }} attempts are not enough.", options = [ { id = "ask", label = "Ask the team" }, { id = "stop", label = "Stop" } ] }
  branch = { ask = "@handoff", stop = "@stop" }

  [[phase.step]]
  id = "well_done"
  tool = "get_user_option"
  args = { prompt = "{{ points.spam }} and {{ points.rules }}: well done!", options = [ { id = "on", label = "Go on" }, { id = "off", label = "Not now" } ] }
"#;

async fn answer(world: &mut World, spam: &str, rules: &[&str]) {
    world.press(spam).await;
    world.pick(rules).await;
}

async fn asked(world: &World) -> String {
    world.open().await.unwrap().prompt.body.common_mark()
}

async fn result(world: &World) -> Value {
    world.state().await.record("result").unwrap().data.clone()
}

#[tokio::test]
async fn whoever_has_enough_points_passes_at_once() {
    let mut world = World::with(&QUIZ.replace(", level = 1", ""), None).await;
    answer(&mut world, "Remove it", &["kind", "topic"]).await;
    assert_eq!(asked(&world).await, "1 and 3: well done!");
    assert_eq!(result(&world).await, json!({ "score": 4, "passed": true }));
    world.press("Go on").await;
    assert_eq!(world.state().await.status, Status::Completed);
}

#[tokio::test]
async fn whoever_has_too_few_tries_once_more_and_no_more() {
    let mut world = World::with(QUIZ, None).await;
    answer(&mut world, "Wait", &["kind", "quick"]).await;
    assert_eq!(asked(&world).await, "Somebody posts an advertisement. What do you do?");
    assert_eq!(world.state().await.values["attempts"], 1 + 1);
    answer(&mut world, "Remove it", &["quick"]).await;
    assert_eq!(asked(&world).await, "0 points in 2 attempts are not enough.");
    world.press("Ask the team").await;
    assert!(world.state().await.handoff.is_some());
}

#[tokio::test]
async fn an_attempt_that_is_repeated_counts_anew() {
    let mut world = World::with(QUIZ, None).await;
    answer(&mut world, "Wait", &["quick"]).await;
    answer(&mut world, "Remove it", &["kind"]).await;
    assert_eq!(asked(&world).await, "1 and 2: well done!");
    let values = world.state().await.values;
    assert_eq!(
        (&values["passed"], &values["score"], &values["level"]),
        (&json!(true), &json!(3), &json!(1))
    );
}

#[tokio::test]
async fn values_and_points_survive_a_restart() {
    let mut world = World::with(QUIZ, None).await;
    world.press("Remove it").await;
    world.restart().await;
    world.pick(&["kind"]).await;
    assert_eq!(asked(&world).await, "1 and 2: well done!");
}

#[tokio::test]
async fn options_that_are_shuffled_stand_in_one_order_for_one_person() {
    let mut world = World::with(QUIZ, None).await;
    let mut orders = BTreeSet::new();
    for n in 0..12 {
        let place = room(&format!("room-{n}"));
        let started = world.engine.start("quiz", &ada(), place, &format!("start-{n}")).await;
        world.session = started.unwrap();
        world.rest().await;
        let shown = order(&world).await;
        world.restart().await;
        assert_eq!(order(&world).await, shown);
        orders.insert(shown);
    }
    assert!(orders.len() > 1, "{orders:?}");
}

/// The question that is open, as it is drawn.
async fn order(world: &World) -> String {
    serde_json::to_string(&world.open().await.unwrap().prompt.control).unwrap()
}

/// Eight interests, of which two or three are picked.
const INTERESTS: &str = r#"
format = 1
id = "interests"
version = "1"
title = "Interests"

[handoff]
channel = "desk"

[data.interests]
schema_inline = '{ "type": "array", "items": { "type": "string" } }'

[[phase]]
id = "interests"
title = "Interests"
mode = "script"

  [[phase.effect]]
  do = "post_summary"
  channel = "desk"
  include = ["interests"]

  [[phase.objective]]
  id = "picked"
  title = "Interests"
  done = { answered = { step = "interests" } }

  [[phase.step]]
  id = "interests"
  tool = "get_user_option"
  save = "interests"
  [phase.step.args]
  prompt = "What do you like best?"
  allowMultiple = true
  minChoices = 2
  maxChoices = 3
  options = [
    { id = "art", label = "Art" }, { id = "books", label = "Books" }, { id = "chess", label = "Chess" },
    { id = "dance", label = "Dance" }, { id = "food", label = "Food" }, { id = "games", label = "Games" },
    { id = "music", label = "Music" }, { id = "plants", label = "Plants" },
  ]
"#;

#[tokio::test]
async fn a_question_says_how_many_to_pick_and_takes_no_other_number() {
    let mut world = World::with(INTERESTS, None).await;
    let notes = world.open().await.unwrap().prompt.notes.clone();
    assert_eq!(notes, [Text::from("Pick 2 or 3.")]);
    for (picked, said) in
        [(&["art"][..], "Pick 2 or 3."), (&["art", "books", "chess", "food"][..], "Pick 2 or 3.")]
    {
        let refused = world.pick(picked).await;
        assert!(format!("{refused:?}").contains(said), "{refused:?}");
    }
    world.say("Art").await;
    assert_eq!(world.state().await.status, Status::Open);
    world.say("plants, 2 and Music").await;
    let state = world.state().await;
    assert_eq!(state.status, Status::Completed, "{}", world.screen());
    assert!(world.screen().contains("Books, Music, Plants"), "{}", world.screen());
    let told = world.staff_screen();
    assert!(told.ends_with("**Interests**\n- Books\n- Music\n- Plants"), "{told}");
}

#[tokio::test]
async fn a_model_has_two_to_six_options() {
    use crate::llm::scripted::{Scripted, Turn};
    let option = |n: usize| json!({ "id": format!("o{n}"), "label": format!("Option {n}") });
    let ask = |count| {
        let options: Vec<Value> = (0..count).map(option).collect();
        json!({ "prompt": "Which one?", "options": options })
    };
    let flow = INTERESTS.replace(
        "mode = \"script\"",
        "mode = \"interview\"\nprompt = \"Ask.\"\ntools = [\"get_user_option\", \"next_phase\"]",
    );
    let model = Scripted::new();
    model
        .next(Turn::calls("get_user_option", &ask(7)))
        .next(Turn::calls("get_user_option", &ask(6)));
    let world = World::led_by(&flow, &model).await;
    model.assert_played();
    assert!(model.news(1).contains("at most 6"), "{}", model.news(1));
    assert!(world.screen().contains("Option 5"), "{}", world.screen());
}
