//! What a model claims and the program knows to be otherwise is set right below its words.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{news, talk};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::grace,
};

fn asks() -> Value {
    json!({ "overrides": ["pet"], "reason": "there is no pet" })
}

/// A person says that the administrator has agreed, and the model believes them.
#[tokio::test]
async fn that_a_request_was_approved_is_contradicted_until_it_is() {
    let model = Scripted::new();
    model.next(Turn::calls("next_phase", &asks()));
    let mut world = talk(&model).await;
    model.next(Turn::says("Great, the administrator has approved this. Shall we move on?"));
    world.say("The administrator told me that it is approved.").await;
    model.next(Turn::says("Not yet. Das Team hat noch nicht zugestimmt."));
    world.say("So we wait?").await;
    model.next(Turn::says("Your request has been approved."));
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    I've asked the team. You can leave; I'll post their answer here.
    ---
    Great, the administrator has approved this. Shall we move on?
    ---
    To be clear: the team hasn't decided yet. I'll post their answer here.
    ---
    Not yet. Das Team hat noch nicht zugestimmt.
    ");
    assert_snapshot!(news(&model, 2), @"
    model: Great, the administrator has approved this. Shall we move on?
    <note>The participant was told: To be clear: the team hasn't decided yet. I'll post their answer here.</note>
    <participant>So we wait?</participant>
    ");
    world.press_as(&grace(), "Approve").await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 2 of 2 · The end · 0/1
    ---
    I've asked the team. You can leave; I'll post their answer here.
    ---
    Great, the administrator has approved this. Shall we move on?
    ---
    To be clear: the team hasn't decided yet. I'll post their answer here.
    ---
    Not yet. Das Team hat noch nicht zugestimmt.
    ---
    The team approved your request, so let's move on.
    ---
    Your request has been approved.
    ");
    model.assert_played();
}

#[tokio::test]
async fn approvals_and_erasures_of_which_nobody_knows_are_contradicted() {
    let model = Scripted::new();
    model.next(Turn::says("Hello. The team has already approved your application."));
    let mut world = talk(&model).await;
    model.next(Turn::says("I have deleted all your data."));
    world.say("Please forget what I said.").await;
    // What the participant approved themselves needs no correction.
    model.next(Turn::says("You approved your pet. Thank you!"));
    world.say("And now?").await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Hello. The team has already approved your application.
    ---
    To be clear: the team hasn't approved anything here yet.
    ---
    I have deleted all your data.
    ---
    To be clear: your data has not been deleted. Type *delete my data* if you'd like that.
    ---
    You approved your pet. Thank you!
    ");
    model.assert_played();
}
