//! A child run that needs a person: its card is in the conversation, and the answer goes to it, once.
//!
//! Rows are those of `docs/semantics.md`.

use anteroom::{
    model::session::Status,
    ports::llm::chat::Message,
    session::{Command, Receipt},
};
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use super::{DIG, TALK, colours, delegations, dig, found, read, tail, talk};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::{World, ada, grace},
};

#[tokio::test]
async fn row_39_the_question_of_a_child_run_is_shown_at_its_root() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(dig(2)).next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    model.assert_played();
    assert_snapshot!(world.screen(), @"
    Step 1 of 2 · One · 0/1
    ---
    Hello.
    ---
    Which colour?
    [Red] [Blue]
    ");
    model.next(found("red earth")).next(found("red earth below"));
    model.next(Turn::says("The earth is red."));
    world.restart().await;
    world.press("Red").await;
    model.assert_played();
    assert_snapshot!(read(&model, 4), @r#"
    <note>Dig once more</note>
    <input>{"level":2}</input>
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    c00000001 -> {"selectedIds":["red"],"timestamp":"2026-11-02T10:00:00Z"}
    "#);
    assert_snapshot!(world.screen(), @"
    Step 1 of 2 · One · 0/1
    ---
    Hello.
    ---
    Which colour?
    ✓ Ada Byron: Red
    ---
    The earth is red.
    ");
    // Delivered again, it counts once.
    world.again().await;
    assert_snapshot!(delegations(&world).await, @r#"
    dig at 1: completed, reported: {"how":"completed","output":{"found":"red earth below"}}
    dig at 2: completed, reported: {"how":"completed","output":{"found":"red earth"}}
    "#);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn words_to_an_open_card_of_a_child_run_are_answered_and_its_result_comes_later() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    let ask = json!({ "uploadType": "other", "prompt": "A map, please." });
    model.next(dig(1)).next(Turn::calls("get_user_upload", &ask));
    world.say("Go.").await;
    model.next(Turn::says("There is time for the map."));
    world.say("What do you want it for?").await;
    model.assert_played();
    assert_snapshot!(tail(&model, 3, 2), @r#"
    c00000001 -> {"status":"pending","note":"The card stays open. What comes of it will follow."}
    <participant>What do you want it for?</participant>
    "#);
    model.next(found("a cross on the map")).next(Turn::says("There is a cross on it."));
    world.upload("map.txt", b"Here be dragons.").await.unwrap();
    model.assert_played();
    assert_snapshot!(tail(&model, 4, 2), @r#"
    model calls c00000001 get_user_upload {"uploadType":"other","prompt":"A map, please."}
    c00000001 -> {"uploads":[{"id":"upload_00000000000000000000000000000009","filename":"map.txt","storageUrl":"artifact:upload_00000000000000000000000000000009","extractedText":""}],"status":"uploaded"}
    "#);
    assert_snapshot!(tail(&model, 5, 2), @r#"
    <note>4 answers in a row have completed no objective. Go on with what you have: show it for review, offer to skip what may be skipped, or turn to the next objective.</note>
    <note>What came of the open card of `delegate`: {"found":"a cross on the map"}</note>
    "#);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn words_settle_the_choice_of_a_child_run() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    model.next(found("grey earth")).next(Turn::says("Grey, then."));
    world.say("It was more of a grey.").await;
    model.assert_played();
    assert_snapshot!(tail(&model, 3, 1), @r#"c00000001 -> {"selectedIds":[],"timestamp":"2026-11-02T10:00:00Z","freeText":"It was more of a grey."}"#);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn stop_ends_every_child_run_and_resume_goes_on_without_them() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(dig(2)).next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    world.say("stop").await;
    model.assert_played();
    assert_snapshot!(delegations(&world).await, @"
    dig at 1: ended, reported: cancelled
    dig at 2: ended, reported: cancelled
    ");
    assert_eq!(world.state().await.status, Status::Stopped);
    model.next(Turn::says("We leave the digging."));
    world.say("resume").await;
    model.assert_played();
    assert_snapshot!(tail(&model, 4, 3), @r#"
    c00000001 -> {"error":"the user cancelled","code":"user_cancelled"}
    <note>The participant was told: Stopped. I won't ask anything more. Type *resume* to continue later, or *delete my data* to erase everything.</note>
    <note>The participant was told: Welcome back. Let's pick up where we left off.</note>
    "#);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn the_end_of_a_conversation_ends_its_child_runs() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(dig(2)).next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    world.command(&grace(), Command::End { reason: "enough".to_owned() }).await;
    model.assert_played();
    assert_snapshot!(delegations(&world).await, @"
    dig at 1: ended, reported: cancelled
    dig at 2: ended, reported: cancelled
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn moving_on_ends_the_child_runs_of_the_old_part() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    model.next(Turn::says("Goodbye."));
    world.command(&ada(), Command::Advance { reason: "no time".to_owned() }).await;
    model.assert_played();
    assert_eq!(world.state().await.phase(), Some("two"), "{}", world.screen());
    assert_snapshot!(delegations(&world).await, @"dig at 1: ended, reported: cancelled");
    assert_snapshot!(tail(&model, 3, 8), @r#"
    model calls c00000001 delegate {"description":"Dig once more","hints":["dig"],"input":{"level":1}}
    c00000001 -> {"error":"the phase has moved on","code":"superseded"}
    <note>Part 2 of 2 begins: Two (`two`).
    Say goodbye.
    Objectives:
    - `bye` (required): A goodbye. Done by your own word that it is done.
    This is the last part: in the answer whose `next_phase` ends it, thank them, say what happens next and say goodbye.</note>
    <note>A person asked for `next_phase`; this came of it: {"status":"approved","advanced_to":"two"}</note>
    "#);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn nobody_talks_to_a_child_run() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(dig(1)).next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    let root = world.session;
    world.session = world.children().await[0].session;
    let receipt = world.say("stop").await;
    let Receipt::Refused(why) = receipt else { panic!("{receipt:?}") };
    assert_snapshot!(why, @"This isn't a conversation. Please use the one that this belongs to.");
    world.session = root;
    assert_eq!(world.engine.newest((None, 10), |_| true).await.unwrap().0.len(), 1);
    world.pass(TimeDelta::days(15)).await;
    // The card pauses the conversation as any other does, and reminds.
    assert_eq!(world.state().await.status, Status::Paused);
    model.next(found("blue earth")).next(Turn::says("Blue."));
    world.press("Blue").await;
    model.assert_played();
    world.assert_at_rest().await;
}

#[tokio::test]
async fn what_the_conversation_must_not_ask_its_child_runs_must_not_ask_either() {
    let model = Scripted::new();
    model.next(Turn::says("Hello."));
    let flow = TALK.replace("[limits]\n", "[policy]\nnever_ask = [\"age\"]\n\n[limits]\n");
    let mut world = World::delegating((&flow, &[DIG]), &model, None).await;
    let mut age = colours();
    age["prompt"] = json!("How old are you?");
    model.next(dig(1)).next(dig(2)).next(Turn::calls("get_user_option", &age));
    model.next(Turn::calls("get_user_option", &colours()));
    world.say("Go.").await;
    model.assert_played();
    assert!(!world.screen().contains("How old"), "{}", world.screen());
    assert!(world.screen().ends_with("Which colour?\n[Red] [Blue]"), "{}", world.screen());
    assert_snapshot!(tail(&model, 4, 1), @r#"c00000001 -> {"error":"you must never ask about age; nothing was shown. hint: ask something else, or go on without it","code":"forbidden_question"}"#);
    let Message::System(told) = &model.seen()[3].messages[0] else { panic!("no instructions") };
    assert!(told.contains("Never ask about, and do not note down: age."), "{told}");
}
