//! A model that asks for a person of the team, as the participant can by themselves.

use anteroom::{model::transcript::Audience, session::Command};
use insta::assert_snapshot;
use serde_json::json;

use super::{TALK, news, talk};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::{World, ada, grace},
};

fn asks(reason: &str) -> Turn {
    Turn::calls("hand_to_person", &json!({ "reason": reason }))
}

#[tokio::test]
async fn hand_to_person_does_what_the_order_of_the_participant_does() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = talk(&model).await;
    // What it claims beside the call is not said: whether the team has it is not known yet.
    model.next(asks("They are upset about the form.").saying("I have told the team."));
    world.say("This is all too much for me.").await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Do you have a pet?
    ---
    I've asked the team. I'll keep quiet until they answer or you type *continue*.
    ");
    assert_snapshot!(world.staff_screen(), @"
    **Ada Byron** asked for a human in *A talk*: the assistant says “They are upset about the form”.

    - Step 1 of 2 · Pets
    - Still open: A pet
    ");
    let transcript = world.transcript(Audience::Staff).await;
    let told =
        "A person was asked to take over: the assistant says “They are upset about the form”.";
    assert!(transcript.contains(told), "{transcript}");

    // The bot is quiet, and the team reads what is written.
    world.say("Are you still there?").await;
    model.assert_played();
    assert!(world.staff_screen().contains("Are you still there?"), "{}", world.staff_screen());

    world.command(&grace(), Command::TakeOver).await;
    model.next(Turn::says("Shall we go on with your pet?"));
    world.command(&grace(), Command::HandBack).await;
    model.assert_played();
    assert_snapshot!(news(&model, 2), @r#"
    model: I have told the team.
    model calls c00000001 hand_to_person {"reason":"They are upset about the form."}
    c00000001 -> {"status":"asking","note":"The team is being asked; nobody has answered yet. The participant is told by the program. You are quiet until the conversation is yours again."}
    <note>The participant was told: I've asked the team. I'll keep quiet until they answer or you type *continue*.</note>
    <participant>Are you still there?</participant>
    <note>The participant was told: Grace from the team is here now.</note>
    <note>The conversation was with the team; it is yours again.</note>
    <note>The participant was told: The assistant is back. Let's pick up where we left off.</note>
    "#);
    assert_eq!(world.audited("handed_over").await, 1);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_call_for_a_person_counts_once_however_often_it_is_made() {
    let model = Scripted::new();
    let call = json!({ "reason": "They want a person." });
    model.next(asks("They want a person.").and_calls("hand_to_person", &call));
    let mut world = talk(&model).await;
    world.restart().await;
    assert_snapshot!(
        world.results().await.iter().map(|(_, value)| value.to_string()).collect::<Vec<_>>().join("\n"),
        @r#"
    {"status":"asking","note":"The team is being asked; nobody has answered yet. The participant is told by the program. You are quiet until the conversation is yours again."}
    {"status":"already_asked","note":"The team was asked before and nobody has come yet. Nothing more was sent."}
    "#
    );
    assert_eq!(world.audited("handed_over").await, 1);
    assert_eq!(world.screen().matches("I've asked the team").count(), 1, "{}", world.screen());
    assert_eq!(world.staff_screen().matches("asked for a human").count(), 1);
    // Whoever does not want to wait goes on with the bot.
    model.next(Turn::says("Then let us go on. Do you have a pet?"));
    world.command(&ada(), Command::Resume).await;
    model.assert_played();
}

#[tokio::test]
async fn where_no_channel_of_the_team_is_set_up_the_model_is_told_so() {
    let model = Scripted::new();
    model.next(asks("They want a person."));
    let flow = TALK.replacen("[handoff]\nchannel = \"desk\"\n", "", 1);
    let world = World::led_by(&flow, &model).await;
    let results = world.results().await;
    assert_eq!(results[0].1["status"], "listed", "{results:?}");
    assert!(world.state().await.handoff.is_some());
    assert_eq!(world.staff_screen(), "");
}

#[tokio::test]
async fn a_person_can_be_asked_for_in_every_part_and_the_model_reads_when() {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let _world = talk(&model).await;
    let request = &model.seen()[0];
    let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(!TALK.contains("hand_to_person") && names.contains(&"hand_to_person"), "{names:?}");
    let told = format!("{:?}", request.messages[0]);
    assert!(told.contains("Call `hand_to_person` when they ask for a human"), "{told}");
}

#[tokio::test]
async fn a_reason_is_needed() {
    let model = Scripted::new();
    model.next(asks(" "));
    model.next(Turn::says("Do you have a pet?"));
    let world = talk(&model).await;
    assert_eq!(world.results().await[0].1["code"], "invalid_parameters");
    assert!(world.state().await.handoff.is_none());
}
