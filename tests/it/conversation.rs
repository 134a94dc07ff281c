//! What people may do at any moment, and what it comes to: change what they approved, stop, hand over, go on.

use anteroom::{
    engine::Receipt,
    interview::Command,
    model::{
        ui::Control,
        wait::{Settlement, Wait},
    },
};
use serde_json::json;

use crate::world::{World, ada, grace, mallory};

/// A member who has written an introduction, approved it, and is asked about roles.
async fn introduced() -> World {
    let mut world = World::on("community-welcome").await;
    world.press("Start").await;
    world.press("I accept").await;
    world.press("Yes").await;
    world.pick(&["learn"]).await;
    world.press("No pings").await;
    world.edit(json!({ "text": "I like engines." })).await;
    world
}

/// The first review that was answered.
async fn review(world: &World) -> Wait {
    let waits = world.state().await.waits;
    let is_review = |wait: &&Wait| matches!(wait.prompt.control, Control::Review(_));
    waits.values().find(is_review).unwrap().clone()
}

#[tokio::test]
async fn an_approved_review_can_be_changed_and_keeps_its_record() {
    let mut world = introduced().await;
    let wait = review(&world).await.id;
    let before = world.state().await.records.clone();

    assert_eq!(world.command(&ada(), Command::Change { wait }).await, Receipt::Taken);
    let again = world.open().await.unwrap();
    let Control::Review(shown) = &again.prompt.control else { panic!("{again:?}") };
    assert_eq!(shown.data, json!({ "text": "I like engines." }));
    world.edit(json!({ "text": "I like looms." })).await;

    let after = world.state().await.records.clone();
    assert_eq!(after.len(), before.len());
    assert_eq!(after.last().unwrap().id, before.last().unwrap().id);
    assert_eq!(after.last().unwrap().data, json!({ "text": "I like looms." }));
    // The talk goes on where it was.
    assert_eq!(world.press("Not now").await, Settlement::Applied);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn what_was_changed_once_can_be_changed_back() {
    let mut world = introduced().await;
    let wait = review(&world).await.id;
    for text in ["I like looms.", "I like engines."] {
        world.command(&ada(), Command::Change { wait }).await;
        world.edit(json!({ "text": text })).await;
        let state = world.state().await;
        assert_eq!(state.record("introduction").unwrap().data["text"], text);
    }
}

#[tokio::test]
async fn a_change_that_is_thought_better_of_leaves_all_as_it_was() {
    let mut world = introduced().await;
    let wait = review(&world).await.id;
    let before = world.state().await.records.clone();
    world.command(&ada(), Command::Change { wait }).await;
    // A second press opens no second card.
    world.command(&ada(), Command::Change { wait }).await;
    assert_eq!(world.state().await.pending().count(), 2);

    world.press("Start over").await;

    assert_eq!(world.state().await.records, before);
    assert!(world.screen().ends_with("It stays as it was."), "{}", world.screen());
}

#[tokio::test]
async fn only_the_participant_changes_what_they_approved_and_only_what_they_approved() {
    let mut world = introduced().await;
    let wait = review(&world).await.id;
    for who in [grace(), mallory()] {
        let receipt = world.command(&who, Command::Change { wait }).await;
        assert!(matches!(receipt, Receipt::Refused(_)), "{receipt:?}");
    }
    let open = world.open().await.unwrap().id;
    let receipt = world.command(&ada(), Command::Change { wait: open }).await;
    assert_eq!(receipt, Receipt::Refused("This cannot be changed any more.".to_owned()));
}
