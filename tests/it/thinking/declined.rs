//! What lets a model mark an objective as passed over: the participant's own word, in this part.

use anteroom::model::transcript::ObjectiveStatus::{self, Skipped};
use serde_json::{Value, json};

use super::TALK;
use crate::{
    llm::scripted::{Scripted, Turn},
    world::World,
};

/// Offers the pet, has the participant answer, and marks it as skipped; how the objective stands then.
async fn skipped_after(card: (&str, Value), answer: &str) -> ObjectiveStatus {
    let flow = TALK.replace("title = \"A pet\"", "title = \"A pet\"\n  skip = \"participant\"");
    let model = Scripted::new();
    model.next(Turn::calls(card.0, &card.1));
    let mut world = World::led_by(&flow, &model).await;
    let skip = json!({ "objectiveId": "pet", "status": "skipped" });
    model.next(Turn::calls("set_objective_status", &skip));
    model.next(Turn::says("And now?"));
    world.say(answer).await;
    model.assert_played();
    world.state().await.objective("pet")
}

fn offer() -> (&'static str, Value) {
    let options =
        json!([{ "id": "a", "label": "Yes, please" }, { "id": "b", "label": "No, thanks" }]);
    ("get_user_option", json!({ "prompt": "Do you want to tell me of a pet?", "options": options }))
}

fn question() -> (&'static str, Value) {
    ("request_user_input", json!({ "prompt": "Do you want to tell me of a pet?" }))
}

#[tokio::test]
async fn an_objective_is_skipped_after_the_participant_has_declined_in_whatever_way() {
    assert_eq!(skipped_after(offer(), "No, thanks").await, Skipped);
    assert_eq!(skipped_after(question(), "no, thank you").await, Skipped);
    assert_eq!(skipped_after(question(), "Lieber nicht").await, Skipped);
}

#[tokio::test]
async fn an_objective_is_not_skipped_after_anything_else() {
    assert_ne!(skipped_after(offer(), "Yes, please").await, Skipped);
    assert_ne!(skipped_after(question(), "No pets but a dog.").await, Skipped);
}
