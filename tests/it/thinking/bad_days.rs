//! Days on which the model is missing, down, slow or wrong. What it may use up is in `budgets` and `accounts`.
//!
//! | the provider | with a script | without one |
//! |---|---|---|
//! | is none | `without_a_provider_…` | the same story, second part |
//! | is down | `the_script_takes_over_…` | `without_a_script_the_truth_…`, `answers_are_taken_while_…` |
//! | is slow | `a_model_that_is_too_slow_…` | `nobody_waits_for_a_slow_model_…` |
//! | sends bad JSON, nothing, a refusal, half of it | `whatever_is_wrong_…` | `answers_of_no_use_…` |
//! | makes up a tool | | `a_tool_that_it_made_up_…` |
//! | stops at its bound | | `of_an_answer_that_was_cut_off_…`, and `vain` |
//! | cannot read the conversation | | `a_conversation_that_no_model_can_read_…` |

use std::{sync::Arc, time::Duration};

use anteroom::ports::llm::{
    Error,
    chat::Finish,
    error::{Fault, Stage, Told},
};
use chrono::TimeDelta;
use insta::assert_snapshot;

use super::{TALK, assert_prefixes, colours, news, outlast, talk, with_script};
use crate::{
    llm::scripted::{Gate, Scripted, Turn},
    world::{World, ada},
};

pub(super) fn down() -> Turn {
    Turn::fails(Error::Transient { told: Told::default(), retry_after: None })
}

#[tokio::test]
async fn the_script_takes_over_and_the_model_comes_back_with_the_next_part() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = World::led_by(&with_script(), &model).await;
    model.next(down());
    world.say("Yes!").await;
    outlast(&model, &mut world).await;
    for _ in 0..2 {
        model.next(down());
    }
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
    One moment… I'm having trouble responding. What you write isn't lost.
    ---
    I'll continue with a fixed list of questions for now. Nothing you've told me is lost.
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
    assert_snapshot!(news(&model, 6), @"
    <note>Part 2 of 2 begins: The end (`end`).
    Say goodbye.
    Objectives:
    - `goodbye` (required): A goodbye. Done by your own word that it is done.
    This is the last part: in the answer whose `next_phase` ends it, thank them, say what happens next and say goodbye.</note>
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn without_a_script_the_truth_is_told_once_and_it_catches_up_by_itself() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = talk(&model).await;
    model.next(down());
    world.say("Yes, Rex.").await;
    outlast(&model, &mut world).await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    One moment… I'm having trouble responding. What you write isn't lost.
    ---
    I'm having trouble responding right now; your answers are safe. I'll write when I can, or type *human* to reach a person.
    ");
    model.next(down());
    world.pass(TimeDelta::seconds(31)).await;
    assert_eq!(world.screen().matches("I'll write when I can").count(), 1);
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
    outlast(&model, &mut world).await;
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
        if !name.contains("error: Some") {
            // What is of no use is asked for once more.
            model.next(turn.clone());
        }
        model.next(turn);
        let mut world = talk(&model).await;
        assert!(world.screen().contains("having trouble responding"), "{name}: {}", world.screen());
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
    let results = world.results().await;
    let [(_, broken)] = results.as_slice() else { panic!("{results:?}") };
    let told = broken["error"].as_str().unwrap();
    assert!(told.contains("they end before the object does, at line 1"), "{told}");
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
    I can't continue on my own here, so I've asked the team.
    ");
}

#[tokio::test]
async fn without_a_provider_the_script_leads_and_where_there_is_none_a_person_is_offered() {
    let mut world = World::with(&with_script(), None).await;
    world.say("Rex").await;
    world.press("Looks right").await;
    assert_eq!(world.state().await.phase(), Some("end"));
    world.say("What now?").await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 2 of 2 · The end · 0/1
    ---
    What is it called?
    ✓ Ada Byron: Rex
    ---
    # Pet
    Right?
    ✓ Ada Byron: Looks right
    ---
    I've saved that, but I can't continue this conversation on my own. Type *human* to reach a person.
    ");
    // A model is configured: the next process catches up by itself.
    let model = Scripted::new();
    model.next(Turn::says("Goodbye, Rex!"));
    world.equip(Arc::<Scripted>::clone(&model));
    world.say("Anything else?").await;
    model.assert_played();
    assert_snapshot!(super::read(&model, 0), @r#"
    <note>The conversation begins on Monday, 2 November 2026, 10:00 (UTC), on a web page. The participant is called Ada Byron there. The texts of the interview are in the language `en`; write in the language in which the participant writes.</note>
    <note>Part 1 of 2 begins: Pets (`pets`).
    Ask for a pet.
    Objectives:
    - `pet` (required): A pet. Done by `pet` approved by the participant with submit_for_validation.
    Forms of `data`, by `dataType`; leave out what is not known:
    - `pet`: {"name":"text (required)"}</note>
    <note>The participant was told: Let us talk about pets.</note>
    <note>The fixed script asked with `request_user_input` {"prompt":"What is it called?"} and this came of it: {"userInput":"Rex"}</note>
    <note>The fixed script asked with `submit_for_validation` {"dataType":"pet","data":{"name":"Rex"},"message":"Right?"} and this came of it: {"status":"approved","data":{"name":"Rex"},"changes":[]}</note>
    <note>Part 2 of 2 begins: The end (`end`).
    Say goodbye.
    Objectives:
    - `goodbye` (required): A goodbye. Done by your own word that it is done.
    This is the last part: in the answer whose `next_phase` ends it, thank them, say what happens next and say goodbye.</note>
    <participant>What now?</participant>
    <note>The participant was told: I've saved that, but I can't continue this conversation on my own. Type *human* to reach a person.</note>
    <participant>Anything else?</participant>
    "#);
}

#[tokio::test]
async fn a_model_that_is_too_slow_is_left_alone_and_the_script_takes_over() {
    let model = Scripted::new();
    model.next(Turn::fails(Error::Timeout(Stage::FirstByte)));
    let mut world = World::led_by(&with_script(), &model).await;
    outlast(&model, &mut world).await;
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
    model.next(Turn::fails(Error::Timeout(Stage::FirstByte)));
    world.say("Rex").await;
    model.next(Turn::calls("next_phase", &serde_json::json!({})));
    model.next(Turn::says("Goodbye!"));
    world.press("Looks right").await;
    model.assert_played();
}

#[tokio::test]
async fn nobody_waits_for_a_slow_model_to_reach_a_person_or_to_answer_a_card() {
    let model = Scripted::new();
    model.next(Turn::calls("submit_for_validation", &super::rex()));
    let mut world = talk(&model).await;
    let gate = Gate::new();
    model.next(Turn::says("Never said.").held_by(&gate));
    let what = anteroom::engine::InboundKind::Said { text: "Hello?".to_owned(), source: None };
    let words = world.event(&ada(), what);
    world.engine.receive(words).await.unwrap();
    gate.reached().await;
    let press = world.button("Looks right").await;
    let press = world.event(&ada(), press);
    let settled = world.engine.receive(press).await.unwrap();
    assert_eq!(crate::world::settled(settled), anteroom::model::wait::Settlement::Applied);
    // The gate stays closed: the request is dropped.
    world.say("human").await;
    assert!(world.state().await.handoff.is_some());
    model.next(Turn::says("Rex is noted."));
    world.say("continue").await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 1/1
    ---
    # Pet
    Is that right?
    ✓ Ada Byron: Looks right
    ---
    I've asked the team. I'll keep quiet until they answer or you type *continue*.
    ---
    The assistant is back. Let's pick up where we left off.
    ---
    Rex is noted.
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn whatever_is_wrong_with_an_answer_the_script_goes_on() {
    for turn in [
        (Turn::says(""), 2),
        (Turn::says("").refusing("I will not."), 2),
        (Turn::says("Half").finishing(Finish::Filtered), 2),
        (Turn::says("").finishing(Finish::Length), 2),
        (Turn::fails(Error::BadAnswer(Fault::Json)), 1),
        (Turn::fails(Error::Cut).saying("Half of"), 1),
    ] {
        // What is of no use is asked for once more.
        let (turn, times) = turn;
        let name = format!("{turn:?}");
        let model = Scripted::new();
        model.next(Turn::says("Do you have a pet?"));
        let mut world = World::led_by(&with_script(), &model).await;
        for _ in 0..times {
            model.next(turn.clone());
        }
        world.say("Yes.").await;
        if times == 1 {
            outlast(&model, &mut world).await;
        }
        let screen = world.screen();
        assert!(!screen.contains("Half"), "{name}: {screen}");
        assert!(
            screen.contains("I'll continue with a fixed list of questions"),
            "{name}: {screen}"
        );
        // The model is back with the next answer.
        model.next(Turn::calls("submit_for_validation", &super::rex()));
        world.say("Rex").await;
        model.next(Turn::calls("next_phase", &serde_json::json!({})));
        model.next(Turn::says("Goodbye!"));
        world.press("Looks right").await;
        assert!(world.screen().ends_with("Goodbye!"), "{name}: {}", world.screen());
        model.assert_played();
        world.assert_at_rest().await;
    }
}

#[tokio::test]
async fn a_tool_that_it_made_up_is_its_own_affair_and_nobody_reads_of_it() {
    let model = Scripted::new();
    model.next(Turn::calls("send_money", &serde_json::json!({ "to": "me" })));
    model.next(Turn::says("Do you have a pet?"));
    let world = talk(&model).await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 send_money {"to":"me"}
    c00000001 -> {"error":"unknown tool `send_money`","code":"invalid_parameters"}
    "#);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ");
}

#[tokio::test]
async fn words_of_distress_call_a_person_at_once_whoever_leads() {
    let with_words =
        TALK.replacen("[handoff]\n", "[handoff]\nkeywords = [\"hurt myself\", \"my lawyer\"]\n", 1);
    let model = Scripted::new();
    model.next(Turn::calls("request_user_input", &serde_json::json!({ "prompt": "Its name?" })));
    let mut world = World::led_by(&with_words, &model).await;
    world.say("I want to HURT myself.").await;
    assert_eq!(model.seen().len(), 1, "the model went on");
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Its name?
    […]
    ---
    Thank you for telling me. If anyone is in danger, please call your local emergency number now.
    ---
    I've asked a person from the team to look at this now. I'll keep quiet until they answer or you type *continue*.
    ");
    assert_snapshot!(world.staff_screen(), @"
    **Ada Byron** asked for a human in *A talk*: they wrote a word from the flow's list; please look right away.

    - Step 1 of 2 · Pets
    - Still open: A pet
    ");
    // The question still stands when the bot goes on, and so do the words.
    model.next(Turn::says("Thank you."));
    world.say("continue").await;
    world.say("Rex").await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 request_user_input {"prompt":"Its name?"}
    c00000001 -> {"userInput":"Rex"}
    <participant>I want to HURT myself.</participant>
    <note>The participant was told: Thank you for telling me. If anyone is in danger, please call your local emergency number now.</note>
    <note>The participant was told: I've asked a person from the team to look at this now. I'll keep quiet until they answer or you type *continue*.</note>
    <note>The conversation was with the team; it is yours again.</note>
    <note>The participant was told: The assistant is back. Let's pick up where we left off.</note>
    "#);
    // On a card it is the same.
    let card = serde_json::json!({ "prompt": "Anything else?" });
    model.next(Turn::calls("request_user_input", &card));
    world.say("More?").await;
    let text = "You will hear from my lawyer.".to_owned();
    world.answer(anteroom::model::ui::Reply::Text { text }).await;
    assert!(world.state().await.handoff.is_some());
    model.assert_played();
}
