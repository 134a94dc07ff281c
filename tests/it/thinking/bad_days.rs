//! Days on which the model is down, slow, wrong, or used up.

use std::time::Duration;

use anteroom::llm::{
    Error,
    chat::Finish,
    error::{Fault, Told},
};
use chrono::TimeDelta;
use insta::assert_snapshot;

use super::{colours, news, talk, with_script};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::World,
};

fn down() -> Turn {
    Turn::fails(Error::Transient { told: Told::default(), retry_after: None })
}

#[tokio::test]
async fn the_script_takes_over_and_the_model_comes_back_with_the_next_part() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = World::led_by(&with_script(), &model).await;
    model.next(down());
    world.say("Yes!").await;
    world.say("Rex").await;
    model.next(Turn::says("Goodbye!"));
    world.press("Looks right").await;
    model.assert_played();
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 2 of 2 · The end · 0/1
    ---
    Do you have a pet?
    ---
    I go on with fixed questions for a while. Nothing you have told me is lost.
    ---
    What is it called?
    ✓ Ada Byron: Rex
    ---
    # Pet
    Right?
    ✓ Ada Byron: Looks right
    ---
    Goodbye!
    ");
    assert_snapshot!(news(&model, 2), @r#"
    <note>The participant was told: I go on with fixed questions for a while. Nothing you have told me is lost.</note>
    <note>The fixed script asked with `request_user_input` {"prompt":"What is it called?"} and this came of it: {"userInput":"Rex"}</note>
    <note>The fixed script asked with `submit_for_validation` {"dataType":"pet","data":{"name":"Rex"},"message":"Right?"} and this came of it: {"status":"approved","data":{"name":"Rex"},"changes":[]}</note>
    <note>Part 2 of 2 begins: The end (`end`).
    Say goodbye.
    Objectives:
    - `goodbye` (required): A goodbye. Done by your own word that it is done.</note>
    "#);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn without_a_script_the_truth_is_told_once_and_it_catches_up_by_itself() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = talk(&model).await;
    model.next(down());
    world.say("Yes, Rex.").await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    I cannot think just now; your answers are safe. I will write when I can, or type *human* to reach a person.
    ");
    model.next(down());
    world.pass(TimeDelta::seconds(31)).await;
    assert_eq!(world.screen().matches("cannot think").count(), 1);
    model.next(Turn::says("Rex, a fine name."));
    world.restart().await;
    world.pass(TimeDelta::minutes(3)).await;
    model.assert_played();
    assert!(world.screen().ends_with("Rex, a fine name."), "{}", world.screen());
    // What was asked once more is what was asked before.
    let seen = model.seen();
    assert_eq!(seen[1].messages[..], seen[2].messages[..seen[1].messages.len()]);
}

#[tokio::test]
async fn a_person_who_writes_does_not_wait_for_the_pause() {
    let model = Scripted::new();
    model.next(down());
    let mut world = talk(&model).await;
    model.next(Turn::says("I am back."));
    world.say("Are you there?").await;
    model.assert_played();
}

#[tokio::test]
async fn answers_are_taken_while_the_model_is_down() {
    let model = Scripted::new();
    model.next(Turn::calls("get_user_option", &colours()));
    let mut world = talk(&model).await;
    model.next(down());
    world.press("Red").await;
    model.next(Turn::says("Red."));
    world.pass(TimeDelta::minutes(1)).await;
    model.assert_played();
    assert_eq!(world.audited("wait_answered").await, 1);
}

#[tokio::test]
async fn answers_of_no_use_are_failures_like_any_other() {
    for turn in [
        Turn::says(""),
        Turn::says("").refusing("I will not."),
        Turn::says("Half").finishing(Finish::Filtered),
        Turn::fails(Error::BadAnswer(Fault::Json)),
        Turn::fails(Error::Resting(Duration::from_secs(30))),
        Turn::fails(Error::Cut),
    ] {
        let name = format!("{turn:?}");
        let model = Scripted::new();
        model.next(turn);
        let mut world = talk(&model).await;
        assert!(world.screen().contains("cannot think"), "{name}: {}", world.screen());
        model.next(Turn::says("Do you have a pet?"));
        world.pass(TimeDelta::minutes(1)).await;
        assert!(world.screen().contains("Do you have a pet?"), "{name}: {}", world.screen());
    }
}

#[tokio::test]
async fn of_an_answer_that_was_cut_off_whole_calls_are_made() {
    let model = Scripted::new();
    let cut = Turn::calls("get_user_option", &colours())
        .and_calls_raw("get_user_option", "{\"prompt\": \"Wh");
    model.next(cut.finishing(Finish::Length));
    let world = talk(&model).await;
    assert_eq!(world.state().await.mind.wanted.len(), 1);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Which colour?
    [Red] [Blue]
    ");
}

#[tokio::test]
async fn words_that_were_cut_off_say_so() {
    let model = Scripted::new();
    model.next(Turn::says("It is a long story and").finishing(Finish::Length));
    let world = talk(&model).await;
    assert!(world.screen().ends_with("It is a long story and …"), "{}", world.screen());
}

#[tokio::test]
async fn a_conversation_that_no_model_can_read_goes_to_a_person() {
    let model = Scripted::new();
    model.next(Turn::fails(Error::Overflow(Told::default())));
    let world = talk(&model).await;
    assert!(world.state().await.handoff.is_some());
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    I cannot go on by myself here, so I have asked the team.
    ");
}
