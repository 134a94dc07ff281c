//! Parts that come on a later day, and questions with a deadline.

use anteroom::model::session::Status;
use chrono::{TimeDelta, Timelike as _};
use insta::assert_snapshot;

use crate::world::World;

/// Day 1, day 30, and the day of a date that was given.
const FIRST_MONTHS: &str = r#"
format = 1
id = "first-months"
version = "1"
title = "Your first months"

[pace]
expire_after = "14d"
remind_after = []
time_zone = "Europe/Berlin"

[approvals.override]
channel = "desk"

[handoff]
channel = "desk"

[data.end]
schema_inline = '{ "type": "string", "title": "Last day" }'

[[phase]]
id = "day_1"
title = "Day 1"
mode = "script"

  [[phase.step]]
  id = "laptop"
  tool = "get_user_option"
  deadline = "2d"
  args = { prompt = "Have you got your laptop?", options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No" } ] }
  branch = { expired = "reminded" }

  [[phase.step]]
  id = "reminded"
  tool = "get_user_option"
  when = "answers.laptop == 'expired'"
  args = { prompt = "Shall somebody call you about the laptop?", options = [ { id = "yes", label = "Please" }, { id = "no", label = "No need" } ] }

  [[phase.step]]
  id = "last_day"
  tool = "request_user_input"
  save = "end"
  args = { prompt = "When does your contract end?" }

[[phase]]
id = "day_30"
title = "Day 30"
after = "30d"
mode = "script"
intro = "You've been here for a month. Your contract ends on {{ records.end | date }}."

  [[phase.step]]
  id = "how"
  tool = "get_user_option"
  args = { prompt = "How is it?", options = [ { id = "good", label = "Good" }, { id = "bad", label = "Not good" } ] }

[[phase]]
id = "goodbye"
title = "Goodbye"
after = "records.end"
mode = "script"

  [[phase.step]]
  id = "bye"
  tool = "request_user_input"
  args = { prompt = "What should we do better?" }
"#;

async fn day_1() -> World {
    let mut world = World::with(FIRST_MONTHS, None).await;
    world.press("Yes").await;
    world.say("2027-03-15").await;
    world
}

#[tokio::test]
async fn a_part_comes_on_its_day_and_not_before() {
    let mut world = day_1().await;
    assert_snapshot!(world.screen(), @"
    Step 2 of 3 · Day 30
    ---
    Have you got your laptop?
    ✓ Ada Byron: Yes
    ---
    When does your contract end?
    ✓ Ada Byron: 2027-03-15
    ---
    We'll continue on Wednesday, 2 December 2026. I'll write to you then.
    ");
    world.say("Hello?").await;
    world.restart().await;
    world.pass(TimeDelta::days(29)).await;
    assert_eq!(world.state().await.pending().count(), 0);
    assert_eq!(world.state().await.status, Status::Open);
    world.pass(TimeDelta::days(2)).await;
    assert_snapshot!(world.screen(), @"
    Step 2 of 3 · Day 30
    ---
    Have you got your laptop?
    ✓ Ada Byron: Yes
    ---
    When does your contract end?
    ✓ Ada Byron: 2027-03-15
    ---
    We'll continue on Wednesday, 2 December 2026. I'll write to you then.
    ---
    We'll continue on Wednesday, 2 December 2026. I'll write to you then.
    ---
    You've been here for a month. Your contract ends on 15 March 2027.
    ---
    How is it?
    [Good] [Not good]
    ");
    assert_eq!(world.state().await.opens_at, None);
}

#[tokio::test]
async fn a_part_comes_in_the_morning_of_a_date_that_was_given() {
    let mut world = day_1().await;
    world.pass(TimeDelta::days(31)).await;
    world.press("Good").await;
    let at = world.state().await.opens_at.unwrap();
    // Nine in the morning in Berlin.
    assert_eq!((at.date_naive().to_string().as_str(), at.hour()), ("2027-03-15", 8));
    world.pass(TimeDelta::days(200)).await;
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "What should we do better?");
}

#[tokio::test]
async fn a_date_that_has_passed_holds_nothing_up() {
    for date in ["2020-01-01", "next spring"] {
        let mut world = World::with(FIRST_MONTHS, None).await;
        world.press("Yes").await;
        world.say(date).await;
        world.pass(TimeDelta::days(31)).await;
        // An intro with something in it that is no date is left out.
        assert_eq!(world.screen().contains("been here"), date.starts_with('2'), "{date}");
        world.press("Good").await;
        assert_eq!(
            world.open().await.unwrap().prompt.body.common_mark(),
            "What should we do better?",
            "{date}"
        );
    }
}

/// The clock stands at the second of November in UTC, where the third begins on Kiritimati.
#[tokio::test]
async fn a_first_part_of_a_later_day_counts_in_the_time_zone_of_the_team() {
    let flow = FIRST_MONTHS.replace("time_zone = \"Europe/Berlin\"\n", "");
    let flow = flow.replace("title = \"Day 1\"\n", "title = \"Day 1\"\nafter = \"1d\"\n");
    let mut world = World::empty(&flow, None);
    world.move_to(chrono_tz::Pacific::Kiritimati);

    world.begin("first-months").await;

    assert_snapshot!(world.screen(), @"
    We'll continue on Wednesday, 4 November 2026. I'll write to you then.
    ---
    Step 1 of 3 · Day 1
    ");
}

#[tokio::test]
async fn working_days_leave_weekends_out() {
    // The clock stands at a Monday.
    let flow = FIRST_MONTHS.replace("after = \"30d\"", "after = \"5 working days\"");
    let mut world = World::with(&flow, None).await;
    world.press("Yes").await;
    world.say("2027-03-15").await;
    let at = world.state().await.opens_at.unwrap();
    assert_eq!(at.format("%a %d %b").to_string(), "Mon 09 Nov");
}

#[tokio::test]
async fn working_days_are_those_where_the_participant_is() {
    // The clock stands at a Monday in UTC, where Tuesday begins on Kiritimati: a day less until the weekend.
    let flow = FIRST_MONTHS.replace("after = \"30d\"", "after = \"4 working days\"");
    let flow = flow.replace("Europe/Berlin", "Pacific/Kiritimati");
    let mut world = World::with(&flow, None).await;
    world.press("Yes").await;
    world.say("2027-03-15").await;
    let at = world.state().await.opens_at.unwrap();
    assert_eq!(at.format("%a %d %b %H:%M").to_string(), "Sun 08 Nov 10:00");
}

#[tokio::test]
async fn working_days_before_the_first_question_are_those_where_the_participant_is() {
    let notice = "[notice]\ntext = \"This is a bot.\"\naccept = \"Start\"\nhuman = \"Talk to a person\"\n\
                  decline = \"Not now\"\nwait_business_days = 4\n\n[handoff]";
    let flow = FIRST_MONTHS.replace("[handoff]", notice);
    let flow = flow.replace("Europe/Berlin", "Pacific/Kiritimati");
    let mut world = World::with(&flow, None).await;
    world.press("Start").await;
    let screen = world.screen();
    assert!(screen.contains("I'll ask the first question on 9 November 2026."), "{screen}");
    world.pass(TimeDelta::days(5)).await;
    assert!(world.open().await.is_none(), "a question came on a weekend");
    world.pass(TimeDelta::days(1)).await;
    assert!(world.screen().contains("Have you got your laptop?"));
}

#[tokio::test]
async fn a_question_that_nobody_answers_in_time_goes_on_without_an_answer() {
    let mut world = World::with(FIRST_MONTHS, None).await;
    world.pass(TimeDelta::days(3)).await;
    assert_eq!(world.state().await.results["laptop"]["status"], "expired");
    assert_snapshot!(world.screen(), @"
    Step 1 of 3 · Day 1
    ---
    Have you got your laptop?
    ✗ expired
    ---
    The time for this question is up.
    ---
    Shall somebody call you about the laptop?
    [Please] [No need]
    ");
    world.press("Please").await;
    assert_eq!(
        world.open().await.unwrap().prompt.body.common_mark(),
        "When does your contract end?"
    );
}

#[tokio::test]
async fn what_a_button_said_is_gone_when_its_question_lapses_the_second_time() {
    let flow =
        FIRST_MONTHS.replace("expired = \"reminded\"", "no = \"laptop\", else = \"last_day\"");
    let flow = flow.replace("When does", "{{ labels.laptop | default('Nothing') }}? When does");
    let mut world = World::with(&flow, None).await;
    world.press("No").await;
    world.pass(TimeDelta::days(3)).await;
    let asked = world.open().await.unwrap().prompt.body.common_mark();
    assert_eq!(asked, "Nothing? When does your contract end?");
}

#[tokio::test]
async fn an_answer_after_the_deadline_is_too_late() {
    let mut world = World::with(FIRST_MONTHS, None).await;
    let click = world.button("Yes").await;
    world.pass(TimeDelta::days(3)).await;
    let receipt = world.feed(&crate::world::ada(), click).await;
    let settled = crate::world::settled(receipt);
    assert!(matches!(settled, anteroom::model::wait::Settlement::Expired), "{settled:?}");
}
