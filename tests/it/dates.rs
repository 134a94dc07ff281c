//! Expressions that calculate with dates.

use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::world::World;

/// Asks for a birthday, and for a day of helping by whoever is old enough.
const FLOW: &str = r#"
format = 1
id = "helpers"
version = "1"
title = "Helpers"
locale = "de"

[pace]
time_zone = "Pacific/Kiritimati"

[approvals.override]
channel = "desk"

[handoff]
channel = "desk"

[data.helper]
review = true
[data.helper.fields]
born = { type = "date", required = false }

[[phase]]
id = "details"
title = "About you"
mode = "script"

  [[phase.objective]]
  id = "known"
  title = "Your details"
  done = { reviewed = "helper" }

  [[phase.step]]
  id = "form"
  tool = "submit_for_validation"
  args = { dataType = "helper", message = "Today is {{ today | date }}. When were you born?", data = {} }

  [[phase.step]]
  id = "adult"
  tool = "get_user_option"
  when = "records.helper.born | default('2000-01-01') | age >= 18"
  [phase.step.args]
  prompt = "You are {{ records.helper.born | age }}. Can you come on {{ today | plus('1w') | date }}?"
  options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No" } ]

  [[phase.step]]
  id = "minor"
  tool = "get_user_option"
  when = "records.helper.born | age < 18"
  [phase.step.args]
  prompt = "You can help in {{ records.helper.born | plus('18y') | days_until }} days."
  options = [ { id = "well", label = "All right" }, { id = "no", label = "No" } ]
"#;

#[tokio::test]
async fn today_is_the_day_in_the_flows_zone_written_in_its_language() {
    let mut world = World::with(FLOW, None).await;
    world.edit(json!({ "born": "2001-05-03" })).await;
    let question = world.open().await.unwrap().prompt.body.common_mark();
    assert_eq!(question, "You are 25. Can you come on 10. November 2026?");
    assert!(world.screen().contains("Today is 3. November 2026."), "{}", world.screen());
}

#[tokio::test]
async fn an_answer_days_later_is_counted_from_that_day() {
    let mut world = World::with(FLOW, None).await;
    world.pass(TimeDelta::days(2)).await;
    world.edit(json!({ "born": "2010-01-01" })).await;
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "You can help in 422 days.");
}

#[tokio::test]
async fn a_person_is_called_where_there_is_no_date_to_calculate_with() {
    let mut world = World::with(FLOW, None).await;
    world.edit(json!({})).await;
    assert!(world.state().await.handoff.is_some());
    assert_snapshot!(world.staff_screen(), @r"
    **Ada Byron** asked for a human in *Helpers*: the step \`adult\` can't be asked, because \`You are {{ records.helper.born \| age }}. Can you come on {{ today \| plus('1w') \| date }}?\` fails: there is no date.

    - Step 1 of 1 · About you
    - Completed: Your details
    ");
}
