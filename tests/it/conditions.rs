//! Parts, objectives, options and effects that come only under a condition.

use anteroom::{
    model::{
        session::Status,
        transcript::{EffectOutcome, ObjectiveStatus},
    },
    session::Command,
};
use chrono::TimeDelta;
use insta::assert_snapshot;

use crate::world::{FLOW, World, ada};

/// What is asked next depends on the answers before it.
const CLUB: &str = r#"
format = 1
id = "club"
version = "1"
title = "The club"

[approvals.override]
channel = "desk"

[data.topics]
schema = "builtin:string_list"

[[phase]]
id = "start"
title = "Start"
mode = "script"

  [[phase.objective]]
  id = "driven"
  title = "A licence"
  when = "answers.role == 'drive'"
  done = { answered = { step = "licence", with = ["yes"] } }

  [[phase.objective]]
  id = "known"
  title = "A role"
  done = { answered = { step = "role" } }

  [[phase.step]]
  id = "age"
  tool = "get_user_option"
  args = { prompt = "How old are you?", options = [ { id = "child", label = "Under 18" }, { id = "adult", label = "18 or over" } ] }

  [[phase.step]]
  id = "role"
  tool = "get_user_option"
  save = "topics"
  branch = { cook = "thanks", else = "licence" }
  [phase.step.args]
  prompt = "What would you like to do?"
  options = [
    { id = "cook", label = "Cook" },
    { id = "drive", label = "Drive", when = "answers.age == 'adult'" },
    { id = "wash", label = "Wash up" },
  ]

  [[phase.step]]
  id = "licence"
  tool = "get_user_option"
  args = { prompt = "Have you got a driving licence?", options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No" } ] }

  [[phase.step]]
  id = "thanks"
  tool = "get_user_option"
  args = { prompt = "Shall we go on?", options = [ { id = "yes", label = "Go on" }, { id = "later", label = "Not yet" } ] }

  [[phase.effect]]
  do = "post_summary"
  channel = "desk"
  include = ["topics"]
  when = "answers.role == 'drive'"

[[phase]]
id = "cars"
title = "Cars"
when = "answers.role == 'drive'"
mode = "script"

  [[phase.step]]
  id = "car"
  tool = "get_user_option"
  args = { prompt = "Have you got a car?", options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No" } ] }

[[phase]]
id = "end"
title = "The end"
mode = "script"

  [[phase.step]]
  id = "bye"
  tool = "request_user_input"
  args = { prompt = "Anything else?" }
"#;

#[tokio::test]
async fn who_drives_is_asked_more_than_who_cooks() {
    let mut cook = World::with(CLUB, None).await;
    cook.press("18 or over").await;
    cook.press("Cook").await;
    cook.press("Go on").await;
    assert_snapshot!(cook.screen(), @"
    Step 2 of 2 · The end
    ---
    How old are you?
    ✓ Ada Byron: 18 or over
    ---
    What would you like to do?
    ✓ Ada Byron: Cook
    ---
    Shall we go on?
    ✓ Ada Byron: Go on
    ---
    Anything else?
    […]
    ");
    assert_eq!(cook.state().await.objective("driven"), ObjectiveStatus::NotApplicable);
    assert_eq!(cook.staff_screen(), "");

    let mut driver = World::with(CLUB, None).await;
    driver.press("18 or over").await;
    driver.press("Drive").await;
    driver.press("Yes").await;
    driver.press("Go on").await;
    assert_snapshot!(driver.screen(), @"
    Step 2 of 3 · Cars
    ---
    How old are you?
    ✓ Ada Byron: 18 or over
    ---
    What would you like to do?
    ✓ Ada Byron: Drive
    ---
    Have you got a driving licence?
    ✓ Ada Byron: Yes
    ---
    Shall we go on?
    ✓ Ada Byron: Go on
    ---
    Have you got a car?
    [Yes] [No]
    ");
    assert_snapshot!(driver.staff_screen(), @"
    **Ada Byron** has finished *The club*.

    **Topics**
    - Drive
    ");
    let outcomes = driver.state().await.effects;
    assert_eq!(outcomes.values().next().unwrap().0, EffectOutcome::Delivered);
}

#[tokio::test]
async fn an_option_is_offered_only_where_its_condition_holds() {
    let mut world = World::with(CLUB, None).await;
    world.press("Under 18").await;
    let asked = world.open().await.unwrap();
    let offered = serde_json::to_string(&asked.prompt.control).unwrap();
    assert!(offered.contains("Wash up") && !offered.contains("Drive"), "{offered}");
    // Whatever has no branch of its own takes the one for everything else.
    world.press("Wash up").await;
    assert_eq!(
        world.open().await.unwrap().prompt.body.common_mark(),
        "Have you got a driving licence?"
    );
}

#[tokio::test]
async fn an_objective_counts_again_once_its_condition_holds() {
    let mut world = World::with(CLUB, None).await;
    assert_eq!(world.state().await.objective("driven"), ObjectiveStatus::NotApplicable);
    world.press("18 or over").await;
    world.press("Drive").await;
    assert_eq!(world.state().await.objective("driven"), ObjectiveStatus::Pending);
    world.press("No").await;
    world.press("Go on").await;
    // The licence is still open: the script asks for it again instead of going on without it.
    assert_eq!(world.state().await.phase(), Some("start"));
    assert_eq!(
        world.open().await.unwrap().prompt.body.common_mark(),
        "Have you got a driving licence?"
    );
}

#[tokio::test]
async fn a_part_whose_condition_does_not_hold_is_passed_over_on_request_too() {
    let mut world = World::with(CLUB, None).await;
    world.press("18 or over").await;
    world.press("Cook").await;
    world.command(&ada(), Command::Advance { reason: "now".to_owned() }).await;
    assert_eq!(world.state().await.phase(), Some("end"));
    world.say("No, thank you").await;
    assert_eq!(world.state().await.status, Status::Completed);
}

#[tokio::test]
async fn the_team_is_told_which_answer_led_to_them() {
    let options = r#"{ id = "blue", label = "Blue" } ] }"#;
    let leads = |deadline: &str| {
        let branch = format!(
            "{options}\n{deadline}branch = {{ blue = \"@handoff\", expired = \"@handoff\" }}"
        );
        FLOW.replacen(options, &branch, 1)
    };
    let mut world = World::with(&leads(""), None).await;
    world.press("Blue").await;
    let told = world.staff_screen();
    assert!(told.contains("the answer to “Which colour?” was “Blue”"), "{told}");

    let mut world = World::with(&leads("deadline = \"2d\"\n"), None).await;
    world.pass(TimeDelta::days(3)).await;
    let told = world.staff_screen();
    assert!(told.contains("they didn't answer in time"), "{told}");
}
