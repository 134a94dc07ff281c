//! A provider that fails for a moment: the participant waits, knows it, and nothing that they do meanwhile is lost.

use std::time::Duration;

use anteroom::ports::llm::{Error, error::Told};
use chrono::TimeDelta;
use insta::assert_snapshot;

use super::{bad_days::down, colours, news, outlast, talk, with_script};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::World,
};

const MOMENT: &str = "One moment…";
const SCRIPT: &str = "I'll continue with a fixed list of questions";

fn limited(seconds: u64) -> Turn {
    let retry_after = Some(Duration::from_secs(seconds));
    Turn::fails(Error::RateLimited { told: Told::default(), retry_after })
}

#[tokio::test]
async fn a_failure_that_passes_is_waited_out_also_across_a_restart() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = World::led_by(&with_script(), &model).await;
    model.next(down());
    world.say("Yes, Rex.").await;
    assert!(world.screen().ends_with("What you write isn't lost."), "{}", world.screen());
    // Not at once, and then with growing pauses.
    world.pass(TimeDelta::seconds(4)).await;
    assert_eq!(model.seen().len(), 2);
    model.next(down());
    world.pass(TimeDelta::seconds(4)).await;
    world.pass(TimeDelta::seconds(9)).await;
    assert_eq!(model.seen().len(), 3);
    world.restart().await;
    model.next(Turn::says("Rex, a fine name."));
    world.pass(TimeDelta::seconds(7)).await;
    model.assert_played();
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    One moment… I'm having trouble responding. What you write isn't lost.
    ---
    Rex, a fine name.
    ");
    assert_eq!(news(&model, 3), "", "it is asked what it was asked before");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn the_script_leads_after_two_minutes_and_the_model_with_the_next_answer() {
    let model = Scripted::new();
    model.next(down());
    let mut world = World::led_by(&with_script(), &model).await;
    for seconds in [8, 16, 31] {
        assert!(!world.screen().contains(SCRIPT), "{seconds}: {}", world.screen());
        model.next(down());
        world.pass(TimeDelta::seconds(seconds)).await;
    }
    model.next(down());
    world.pass(TimeDelta::seconds(61)).await;
    model.assert_played();
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    One moment… I'm having trouble responding. What you write isn't lost.
    ---
    I'll continue with a fixed list of questions for now. Nothing you've told me is lost.
    ---
    What is it called?
    […]
    ");
    model.next(Turn::says("Rex, a fine name."));
    world.say("Rex").await;
    model.assert_played();
}

#[tokio::test]
async fn what_is_done_meanwhile_uses_no_attempt_up_and_reaches_the_model() {
    let model = Scripted::new();
    model.next(Turn::calls("get_user_option", &colours()));
    let mut world = World::led_by(&with_script(), &model).await;
    model.next(down());
    world.press("Red").await;
    for words in ["Hello?", "Are you there?", "My dog is called Rex."] {
        world.say(words).await;
    }
    assert_eq!(model.seen().len(), 2, "writing on asked it again");
    assert_eq!(world.screen().matches(MOMENT).count(), 1, "{}", world.screen());
    model.next(Turn::says("Rex, a fine name."));
    world.pass(TimeDelta::seconds(8)).await;
    model.assert_played();
    assert_snapshot!(news(&model, 2), @"
    <note>The participant was told: One moment… I'm having trouble responding. What you write isn't lost.</note>
    <participant>Hello?</participant>
    <participant>Are you there?</participant>
    <participant>My dog is called Rex.</participant>
    <note>4 answers in a row have completed no objective. Go on with what you have: show it for review, offer to skip what may be skipped, or turn to the next objective.</note>
    ");
}

#[tokio::test]
async fn a_provider_is_not_asked_before_it_wants_to_be_and_not_waited_for_all_day() {
    let model = Scripted::new();
    model.next(limited(50));
    let mut world = World::led_by(&with_script(), &model).await;
    world.pass(TimeDelta::seconds(49)).await;
    assert_eq!(model.seen().len(), 1);
    model.next(limited(600));
    world.pass(TimeDelta::seconds(1)).await;
    model.assert_played();
    assert!(world.screen().contains(SCRIPT), "{}", world.screen());
}

#[tokio::test]
async fn nobody_waits_a_moment_for_what_only_people_mend() {
    for error in [Error::Misconfigured(Told::default()), Error::Exhausted(Told::default())] {
        let model = Scripted::new();
        model.next(Turn::fails(error));
        let world = World::led_by(&with_script(), &model).await;
        let screen = world.screen();
        assert!(screen.contains(SCRIPT) && !screen.contains(MOMENT), "{screen}");
    }
}

#[tokio::test]
async fn without_a_script_the_moment_ends_in_the_truth_and_the_next_outage_begins_anew() {
    let model = Scripted::new();
    model.next(down());
    let mut world = talk(&model).await;
    outlast(&model, &mut world).await;
    model.next(Turn::says("Do you have a pet?"));
    world.pass(TimeDelta::seconds(31)).await;
    model.next(down());
    world.say("Yes.").await;
    model.next(Turn::says("Which one?"));
    world.pass(TimeDelta::seconds(8)).await;
    model.assert_played();
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    One moment… I'm having trouble responding. What you write isn't lost.
    ---
    I'm having trouble responding right now; your answers are safe. I'll write when I can, or type *human* to reach a person.
    ---
    Do you have a pet?
    ---
    One moment… I'm having trouble responding. What you write isn't lost.
    ---
    Which one?
    ");
}

#[tokio::test]
async fn a_person_can_be_asked_for_while_the_model_is_away() {
    let model = Scripted::new();
    model.next(down());
    let mut world = World::led_by(&with_script(), &model).await;
    world.say("I would like to talk to a human").await;
    world.pass(TimeDelta::minutes(3)).await;
    assert_eq!(model.seen().len(), 1, "it is not asked over the team's head");
    assert!(world.screen().ends_with("until they answer or you type *continue*."));
}
