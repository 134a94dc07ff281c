//! Cards that a model has asked, and what people do instead of pressing their buttons.
//!
//! Rows are those of `docs/semantics.md`.

use anteroom::{
    model::{
        ui::{Decision, Reply},
        wait::{Settlement, WaitStatus},
    },
    session::Command,
};
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use super::{assert_prefixes, colours, news, rex, sizes, talk};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::{ada, grace, linus, mallory, settled},
};

#[tokio::test]
async fn row_10_words_settle_a_choice_as_they_are() {
    let model = Scripted::new();
    model.next(Turn::calls("get_user_option", &colours()));
    model.next(Turn::says("Purple, how nice."));
    let mut world = talk(&model).await;
    world.say("Neither, I prefer purple").await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    c00000001 -> {"selectedIds":[],"timestamp":"2026-11-02T10:00:00Z","freeText":"Neither, I prefer purple"}
    "#);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Which colour?
    ✓ Ada Byron: Neither, I prefer purple
    ---
    Purple, how nice.
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_10_words_are_no_consent_the_card_stays_and_what_comes_of_it_is_told_later() {
    let model = Scripted::new();
    model.next(Turn::calls("submit_for_validation", &rex()));
    model.next(Turn::says("Press the button when you are ready."));
    let mut world = talk(&model).await;
    world.say("yes looks right").await;
    assert_eq!(world.state().await.pending().count(), 1, "words were taken for consent");
    model.next(Turn::says("Noted."));
    world.restart().await;
    world.press("Looks right").await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 submit_for_validation {"dataType":"pet","data":{"name":"Rex"},"message":"Is that right?"}
    c00000001 -> {"status":"pending","note":"The card stays open. What comes of it will follow."}
    <participant>yes looks right</participant>
    "#);
    assert_snapshot!(news(&model, 2), @r#"
    model: Press the button when you are ready.
    <note>What came of the open card of `submit_for_validation`: {"status":"approved","data":{"name":"Rex"},"changes":[]}</note>
    "#);
    // Pressed again: nothing more.
    world.again().await;
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_newer_draft_of_the_same_data_closes_the_card_of_the_older_one() {
    let model = Scripted::new();
    model.next(Turn::calls("submit_for_validation", &rex()));
    let mut world = talk(&model).await;
    let old = world.button("Looks right").await;
    let max = json!({ "dataType": "pet", "data": { "name": "Max" }, "message": "Better?" });
    model.next(Turn::calls("submit_for_validation", &max));
    world.say("No, it is called Max.").await;
    let state = world.state().await;
    assert_eq!(state.pending().count(), 1, "{}", world.screen());

    // The old card cannot win any more, whenever it was drawn.
    world.restart().await;
    assert_eq!(settled(world.feed(&ada(), old).await), Settlement::Superseded);
    model.next(Turn::calls("next_phase", &json!({})));
    model.next(Turn::says("Goodbye! Anything else?"));
    world.press("Looks right").await;
    model.assert_played();
    assert_prefixes(&model);
    let records = world.state().await.records.clone();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].data["name"], "Max");
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 submit_for_validation {"dataType":"pet","data":{"name":"Rex"},"message":"Is that right?"}
    c00000001 -> {"status":"pending","note":"The card stays open. What comes of it will follow."}
    <participant>No, it is called Max.</participant>
    "#);
    assert_snapshot!(news(&model, 2), @r#"
    model calls c00000002 submit_for_validation {"dataType":"pet","data":{"name":"Max"},"message":"Better?"}
    c00000002 -> {"status":"approved","data":{"name":"Max"},"changes":[]}
    <note>What came of the open card of `submit_for_validation`: {"error":"a newer draft of the same data is open","code":"superseded"}</note>
    "#);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 2 of 2 · The end · 0/1
    ---
    # Pet
    Is that right?
    ✗ asked again below
    ---
    # Pet
    Better?
    ✓ Ada Byron: Looks right
    ---
    Goodbye! Anything else?
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn row_15_words_under_two_cards_answer_the_newest_and_the_other_stays() {
    let model = Scripted::new();
    model.next(Turn::calls("submit_for_validation", &rex()).and_calls("get_user_option", &sizes()));
    let mut world = talk(&model).await;
    world.say("something in between").await;
    assert_eq!(model.seen().len(), 1, "one card is still open");
    model.next(Turn::says("Good."));
    world.press("Looks right").await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 submit_for_validation {"dataType":"pet","data":{"name":"Rex"},"message":"Is that right?"}
    model calls c00000002 get_user_option {"prompt":"Which size?","options":[{"id":"s","label":"Small"},{"id":"l","label":"Large"}]}
    c00000001 -> {"status":"approved","data":{"name":"Rex"},"changes":[]}
    c00000002 -> {"selectedIds":[],"timestamp":"2026-11-02T10:00:00Z","freeText":"something in between"}
    "#);
}

#[tokio::test]
async fn row_11_a_bystander_settles_nothing_and_wakes_nobody() {
    let model = Scripted::new();
    model.next(Turn::calls("get_user_option", &colours()));
    let mut world = talk(&model).await;
    world.say_as(&mallory(), "red").await;
    assert_eq!(model.seen().len(), 1);
    model.next(Turn::says("Blue."));
    world.press("Blue").await;
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    c00000001 -> {"selectedIds":["blue"],"timestamp":"2026-11-02T10:00:00Z"}
    <bystander>Mallory: red</bystander>
    "#);
}

#[tokio::test]
async fn an_override_is_decided_while_the_model_goes_on() {
    let model = Scripted::new();
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    model.next(Turn::says("I've asked the team."));
    let mut world = talk(&model).await;
    assert_eq!(model.seen().len(), 1);
    world.say("What happens now?").await;
    // Asked again while it is pending: the same request, no second card.
    model.next(Turn::calls("next_phase", &ask));
    model.next(Turn::says("They are still looking."));
    world.say("Ask again, please.").await;
    model.next(Turn::says("Goodbye then."));
    world.press_as(&grace(), "Approve").await;
    model.assert_played();
    assert_prefixes(&model);
    assert_eq!(world.state().await.phase(), Some("end"));
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 next_phase {"overrides":["pet"],"reason":"there is no pet"}
    c00000001 -> {"status":"awaiting_user_approval","missing_objectives":["pet"],"reason":"there is no pet"}
    <note>The participant was told: I've asked the team. You can leave; I'll post their answer here.</note>
    <participant>What happens now?</participant>
    "#);
    assert_snapshot!(news(&model, 3), @r#"
    model calls c00000002 next_phase {"overrides":["pet"],"reason":"there is no pet"}
    c00000002 -> {"status":"awaiting_user_approval","missing_objectives":["pet"],"reason":"there is no pet"}
    "#);
    assert_snapshot!(news(&model, 4), @r#"
    model: They are still looking.
    <note>The participant was told: The team approved your request, so let's move on.</note>
    <note>Part 2 of 2 begins: The end (`end`).
    Say goodbye.
    Objectives:
    - `goodbye` (required): A goodbye. Done by your own word that it is done.
    This is the last part: in the answer whose `next_phase` ends it, thank them, say what happens next and say goodbye.</note>
    <note>What came of the open card of `next_phase`: {"status":"approved","advanced_to":"end"}</note>
    "#);
    // A second decider is told that it is over.
    let state = world.state().await;
    let wait = state.asked.iter().find_map(|id| state.waits.get(id)).unwrap();
    let reply = Reply::Decided { decision: Decision::Denied, feedback: None };
    let (revision, via) = (wait.revision, anteroom::model::transcript::Via::Component);
    let what = anteroom::engine::InboundKind::Answer { wait: wait.id, revision, reply, via };
    let lost = settled(world.feed(&linus(), what).await);
    assert!(matches!(lost, Settlement::AlreadySettled { .. }), "{lost:?}");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn feedback_reaches_the_model() {
    let model = Scripted::new();
    model.next(Turn::calls("next_phase", &json!({ "overrides": ["pet"], "reason": "no pet" })));
    let mut world = talk(&model).await;
    model.next(Turn::says("Let us find out."));
    let state = world.state().await;
    let wait = state.pending().next().unwrap();
    let feedback = Some("Ask about plants instead.".to_owned());
    let reply = Reply::Decided { decision: Decision::DeniedWithFeedback, feedback };
    let (revision, via) = (wait.revision, anteroom::model::transcript::Via::Component);
    let what = anteroom::engine::InboundKind::Answer { wait: wait.id, revision, reply, via };
    world.feed(&grace(), what).await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 next_phase {"overrides":["pet"],"reason":"no pet"}
    c00000001 -> {"status":"denied_with_feedback","feedback":"Ask about plants instead."}
    <note>The participant was told: I've asked the team. You can leave; I'll post their answer here.</note>
    <note>The participant was told: The team would like you to finish this part first.</note>
    "#);
}

#[tokio::test]
async fn a_request_that_lapses_is_told() {
    let model = Scripted::new();
    model.next(Turn::calls("next_phase", &json!({ "overrides": ["pet"], "reason": "no pet" })));
    model.next(Turn::says("Nobody has decided."));
    let mut world = talk(&model).await;
    world.pass(TimeDelta::days(8)).await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 next_phase {"overrides":["pet"],"reason":"no pet"}
    c00000001 -> {"status":"blocked","missing_objectives":["pet"],"note":"request expired"}
    <note>`next_phase` is blocked: `pet` needs `pet` approved by the participant with submit_for_validation. Get that done, or call again with these ids in `overrides` and a `reason`. Calls of it that are looked at before the participant does something: 3 more.</note>
    <note>The participant was told: I've asked the team. You can leave; I'll post their answer here.</note>
    <note>The participant was told: Your request expired without an answer, so this part is still open. You can ask again.</note>
    "#);
}

#[tokio::test]
async fn a_person_who_takes_over_silences_the_model_until_they_hand_back() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = talk(&model).await;
    world.say("human").await;
    world.say("I would rather tell a person.").await;
    world.say_as(&grace(), "Tell me.").await;
    world.say("It is a snake.").await;
    assert_eq!(model.seen().len(), 1, "the model talked over a person");
    model.next(Turn::says("A snake, then."));
    world.command(&grace(), Command::HandBack).await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(news(&model, 1), @"
    model: Do you have a pet?
    <note>The participant was told: I've asked the team. I'll keep quiet until they answer or you type *continue*.</note>
    <participant>I would rather tell a person.</participant>
    <note>The participant was told: Grace from the team is here now.</note>
    <staff>Grace: Tell me.</staff>
    <participant>It is a snake.</participant>
    <note>The conversation was with the team; it is yours again.</note>
    <note>The participant was told: The assistant is back. Let's pick up where we left off.</note>
    ");
}

#[tokio::test]
async fn a_file_that_nobody_asked_for_is_news() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    model.next(Turn::says("Thank you for the file."));
    let mut world = talk(&model).await;
    world.upload("rex.txt", b"Rex is a dog.").await.unwrap();
    model.assert_played();
    assert_snapshot!(news(&model, 1), @"
    model: Do you have a pet?
    <note>The participant has sent a file: artifact_id upload_00000000000000000000000000000005, name “rex.txt”, kept as `other`.</note>
    ");
}

#[tokio::test]
async fn a_file_that_was_asked_for_is_a_result() {
    let model = Scripted::new();
    let ask = json!({ "uploadType": "other", "prompt": "A picture of it?" });
    model.next(Turn::calls("get_user_upload", &ask));
    model.next(Turn::says("A fine dog."));
    let mut world = talk(&model).await;
    world.upload("rex.txt", b"Rex is a dog.").await.unwrap();
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 get_user_upload {"uploadType":"other","prompt":"A picture of it?"}
    c00000001 -> {"uploads":[{"id":"upload_00000000000000000000000000000006","filename":"rex.txt","storageUrl":"artifact:upload_00000000000000000000000000000006","extractedText":""}],"status":"uploaded"}
    "#);
}

#[tokio::test]
async fn row_29_a_tool_that_is_gone_is_a_result() {
    let model = Scripted::new();
    model.next(Turn::calls("get_user_option", &colours()));
    let mut world = talk(&model).await;
    world.deploy_without("get_user_option", false).await;
    model.next(Turn::says("Never mind."));
    world.press("Red").await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    c00000001 -> {"error":"there is no tool `get_user_option` any more. hint: go on without it","code":"tool_unavailable"}
    "#);
}

#[tokio::test]
async fn a_newer_draft_of_the_same_data_replaces_the_open_card() {
    let model = Scripted::new();
    let newer =
        json!({ "dataType": "pet", "data": { "name": "Roxy" }, "message": "Is that right?" });
    model.next(Turn::calls("submit_for_validation", &rex()));
    model.next(Turn::calls("submit_for_validation", &newer));
    let mut world = talk(&model).await;
    let older = world.open().await.unwrap().id;
    world.say("She is called Roxy.").await;
    let state = world.state().await;
    let open: Vec<_> = state.pending().map(|wait| wait.id).collect();
    let [newer] = open.as_slice() else { panic!("{open:?}") };
    let replaced = &state.waits[&older].status;
    assert!(
        matches!(replaced, WaitStatus::Superseded { by: Some(by), .. } if by == newer),
        "{replaced:?}"
    );

    // The model learns of it with the next answer, and only the newer draft counts.
    model.next(Turn::says("Thank you."));
    assert_eq!(world.press("Looks right").await, Settlement::Applied);
    let state = world.state().await;
    assert_eq!(state.record("pet").unwrap().data, json!({ "name": "Roxy" }));
    assert_eq!(state.records.len(), 1);
}
