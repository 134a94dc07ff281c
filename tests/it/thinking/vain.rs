//! Answers of no use: the model is asked again, told what was wrong, before anything else happens.

use std::sync::Arc;

use anteroom::{
    model::usage::Usage,
    ports::llm::{Completion, Error, Model, Request, Sink, chat::Finish, error::Told},
};
use async_trait::async_trait;
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{TALK, assert_prefixes, news, outlast, talk, with_script};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::World,
};

fn cut(text: &str) -> Turn {
    let usage = Usage { input: 100, output: 2_000, ..Usage::default() };
    Turn::says(text).finishing(Finish::Length).costing(usage)
}

#[tokio::test]
async fn one_answer_of_no_use_is_asked_for_again_with_a_word_about_it() {
    for (turn, told) in [
        (Turn::says(""), "was empty"),
        (Turn::says("").refusing("No."), "was a refusal"),
        (Turn::says("Half").finishing(Finish::Filtered), "withheld by the provider's filter"),
        (Turn::fails(Error::Refused(Told::default())), "was a refusal"),
        (cut(""), "ran out of room"),
    ] {
        let model = Scripted::new();
        model.next(turn).next(Turn::says("Do you have a pet?"));
        let world = World::led_by(&with_script(), &model).await;
        model.assert_played();
        assert_prefixes(&model);
        assert!(news(&model, 1).contains(told), "{}", news(&model, 1));
        assert!(!world.screen().contains("fixed list"), "{}", world.screen());
        assert!(world.screen().ends_with("Do you have a pet?"), "{}", world.screen());
    }
}

#[tokio::test]
async fn an_answer_that_ran_out_of_room_gets_more_and_keeps_it() {
    let model = Scripted::new();
    model.next(cut("")).next(Turn::says("Do you have a pet?"));
    let mut world = talk(&model).await;
    model.next(Turn::says("I see. And?"));
    world.say("Yes.").await;
    model.assert_played();
    let room: Vec<_> = model.seen().iter().map(|request| request.max_tokens).collect();
    assert_eq!(room, [None, Some(8_192), Some(8_192)]);
}

#[tokio::test]
async fn words_that_were_cut_off_are_continued_and_posted_as_one() {
    let model = Scripted::new();
    model.next(cut("Pets are a long story, and yours is per"));
    model.next(Turn::says("haps a dog. Is it?"));
    let world = talk(&model).await;
    model.assert_played();
    assert_prefixes(&model);
    assert!(
        world.screen().ends_with("---\nPets are a long story, and yours is perhaps a dog. Is it?"),
        "{}",
        world.screen()
    );
    assert_snapshot!(news(&model, 1), @"
    model: Pets are a long story, and yours is per
    <note>Your message was cut off because it had become too long. Continue exactly where it stops, and repeat nothing; what you write now is added to it.</note>
    ");
}

#[tokio::test]
async fn words_without_an_end_are_not_continued_for_ever() {
    let model = Scripted::new();
    model.next(cut("one ")).next(cut("two ")).next(cut("three"));
    let world = talk(&model).await;
    model.assert_played();
    assert!(world.screen().ends_with("---\none two three …"), "{}", world.screen());
}

#[tokio::test]
async fn words_that_were_cut_off_are_not_lost_when_the_model_fails() {
    let model = Scripted::new();
    model.next(cut("Half of a sto"));
    model.next(Turn::fails(Error::Transient { told: Told::default(), retry_after: None }));
    let world = talk(&model).await;
    model.assert_played();
    assert!(world.screen().contains("Half of a sto …\n---\nOne moment"), "{}", world.screen());
}

#[tokio::test]
async fn the_script_takes_over_after_two_and_gives_back_with_the_next_answer() {
    let model = Scripted::new();
    model.next(Turn::says("")).next(Turn::says(""));
    let mut world = World::led_by(&with_script(), &model).await;
    model.assert_played();
    assert!(world.screen().ends_with("What is it called?\n[…]"), "{}", world.screen());
    model.next(Turn::says("Rex, I see. What kind of animal is he?"));
    world.say("Rex").await;
    model.assert_played();
    assert_prefixes(&model);
    assert!(
        news(&model, 2).contains(r#"this came of it: {"userInput":"Rex"}"#),
        "{}",
        news(&model, 2)
    );
    assert_eq!(world.screen().matches("fixed list").count(), 1);
}

#[tokio::test]
async fn a_provider_that_stays_down_lets_the_script_go_on_without_a_word() {
    let down = || Turn::fails(Error::Transient { told: Told::default(), retry_after: None });
    let model = Scripted::new();
    model.next(down());
    let mut world = World::led_by(&with_script(), &model).await;
    outlast(&model, &mut world).await;
    model.next(down());
    world.say("Rex").await;
    model.assert_played();
    assert!(world.screen().contains("[Looks right]"), "{}", world.screen());
    assert_eq!(world.screen().matches("fixed list").count(), 1, "{}", world.screen());
    model.next(Turn::says("Goodbye! Anything else?"));
    world.press("Looks right").await;
    model.assert_played();
}

/// A model with another in reserve.
#[derive(Debug)]
struct Backed(Arc<Scripted>, Arc<Scripted>);

#[async_trait]
impl Model for Backed {
    async fn chat(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, Error> {
        self.0.chat(request, sink).await
    }

    fn fallback(&self) -> Option<Arc<dyn Model>> {
        Some(Arc::clone(&self.1) as Arc<dyn Model>)
    }
}

#[tokio::test]
async fn the_fallback_is_asked_once_before_the_script() {
    let (model, reserve) = (Scripted::new(), Scripted::new());
    model.next(Turn::says("")).next(Turn::says(""));
    reserve.next(Turn::says("Do you have a pet?"));
    let mut world = World::unbegun(&with_script(), &Scripted::new());
    world.equip(Arc::new(Backed(Arc::clone(&model), Arc::clone(&reserve))));
    world.begin("talk").await;
    model.assert_played();
    reserve.assert_played();
    assert!(world.screen().ends_with("Do you have a pet?"), "{}", world.screen());
    // And the model leads again.
    model.next(Turn::says("And?"));
    world.say("Yes.").await;
    model.assert_played();
}

#[tokio::test]
async fn staff_are_told_once_that_the_model_cannot_be_used() {
    let model = Scripted::new();
    let refused = || Turn::fails(Error::Misconfigured(Told::default()));
    model.next(refused());
    let mut world = World::led_by(TALK, &model).await;
    model.next(refused());
    world.say("Hello?").await;
    model.assert_played();
    assert_eq!(
        world.staff_screen().matches("The model can't be used").count(),
        1,
        "{}",
        world.staff_screen()
    );
}

#[tokio::test]
async fn staff_are_told_of_the_model_once_there_is_room_to_save_it() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = World::led_by(TALK, &model).await;
    let refused = || Turn::fails(Error::Misconfigured(Told::default()));
    model.next(refused());
    // What the participant writes is the last that the disk has room for.
    world.store.full_after(1);
    world.say("Hello?").await;
    model.assert_played();
    assert!(!world.staff_screen().contains("The model can't be used"));
    world.store.fill(false);
    model.next(refused());
    world.pass(TimeDelta::minutes(1)).await;
    model.assert_played();
    let told = world.staff_screen().matches("The model can't be used").count();
    assert_eq!(told, 1, "{}", world.staff_screen());
}

/// What the model calls where it errs: the data lack their name.
fn errs(words: &str) -> Turn {
    Turn::calls("persist_data", &json!({ "dataType": "pet", "data": {} })).saying(words)
}

#[tokio::test]
async fn words_before_calls_that_all_fail_wait_for_an_answer_that_does_not() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = talk(&model).await;
    model.next(errs("One moment, I note it down."));
    model.next(errs("Sorry, once more."));
    model.next(errs("Sorry, that was my mistake."));
    model.next(Turn::calls("get_user_option", &kinds()).saying("What kind of pet is it?"));
    world.say("Yes.").await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    What kind of pet is it?
    ---
    Which?
    [A cat] [A dog]
    ");
    // It is told its own words once, as it said them.
    assert_snapshot!(news(&model, 2), @r#"
    model: One moment, I note it down.
    model calls c00000001 persist_data {"dataType":"pet","data":{}}
    c00000001 -> {"error":"`/data`: expected `name`, which is missing (schema `/required`). hint: `data` of `pet` has this form: {\"name\":\"text (required)\"}","code":"invalid_parameters"}
    "#);
}

#[tokio::test]
async fn words_before_calls_that_all_fail_are_said_where_no_others_come() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = talk(&model).await;
    model.next(errs("What is its name?")).next(Turn::says("")).next(Turn::says(""));
    world.say("Yes.").await;
    model.assert_played();
    assert!(world.screen().contains("\n---\nWhat is its name?\n---\n"), "{}", world.screen());
}

#[tokio::test]
async fn words_before_a_call_that_succeeds_stand_above_its_card() {
    let model = Scripted::new();
    model.next(Turn::calls("get_user_option", &kinds()).saying("Let me ask you something."));
    let world = talk(&model).await;
    model.assert_played();
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Let me ask you something.
    ---
    Which?
    [A cat] [A dog]
    ");
}

#[tokio::test]
async fn words_before_a_call_that_ends_a_part_stand_above_the_next_part() {
    let flow = TALK
        .replacen("done = { reviewed = \"pet\" }", "required = false\n  done = \"model\"", 1)
        .replacen(
            "prompt = \"Say goodbye.\"",
            "prompt = \"Say goodbye.\"\nintro = \"Almost done.\"",
            1,
        );
    let model = Scripted::new();
    model.next(Turn::calls("next_phase", &json!({})).saying("That is all about pets."));
    model.next(Turn::says("Anything else?"));
    let world = World::led_by(&flow, &model).await;
    model.assert_played();
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 2 of 2 · The end · 0/1
    ---
    That is all about pets.
    ---
    Almost done.
    ---
    Anything else?
    ");
}

fn kinds() -> Value {
    let options = json!([{ "id": "cat", "label": "A cat" }, { "id": "dog", "label": "A dog" }]);
    json!({ "prompt": "Which?", "options": options })
}
