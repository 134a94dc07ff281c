//! The participant interrupts the model: its words end where they are, and it goes on with theirs.

use std::sync::Arc;

use anteroom::{
    engine::{InboundKind, Receipt},
    model::{session::Status, transcript::Event},
    session::Command,
};
use insta::assert_snapshot;
use serde_json::json;

use super::{TALK, assert_prefixes, colours, news};
use crate::{
    llm::scripted::{Gate, Scripted, Turn},
    world::{World, ada, mallory},
};

/// Words that come in pieces.
const LONG: &str = "Pets are a wide field. Let me tell you about all of them, one by one, beginning with the dogs of \
                    the north and ending with the parrots of the south.";

/// A conversation in which the model stands in the middle of these words, and the gate before their end.
async fn speaking(model: &Arc<Scripted>) -> (World, Gate) {
    let gate = Gate::new();
    model.next(Turn::says(LONG).in_pieces(4).held_by(&gate));
    let world = World::led_by_unrested(TALK, model).await;
    gate.reached().await;
    (world, gate)
}

/// What is broken off is corrected as what is said to its end.
#[tokio::test]
async fn a_claim_that_is_broken_off_is_contradicted_as_well() {
    let (model, gate) = (Scripted::new(), Gate::new());
    let words = "The team has approved your request. Let me now tell you about the dogs of the north, one by one.";
    model.next(Turn::says(words).in_pieces(2).held_by(&gate));
    let mut world = World::led_by_unrested(TALK, &model).await;
    gate.reached().await;
    world.say("stop").await;
    let screen = world.screen();
    assert!(screen.contains("has approved your request") && screen.contains(" …"), "{screen}");
    assert!(screen.contains("To be clear: the team hasn't approved anything"), "{screen}");
}

async fn writes(world: &mut World, text: &str) {
    let said = world.event(&ada(), InboundKind::Said { text: text.to_owned(), source: None });
    world.engine.receive(said).await.unwrap();
}

#[tokio::test]
async fn stop_ends_the_words_that_come_and_a_second_one_the_conversation() {
    let model = Scripted::new();
    // The gates stay closed: only dropping the requests lets the conversation come to rest.
    let (mut world, _) = speaking(&model).await;
    world.say("stop").await;
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Pets are a wide field. Let me tell you about all of them, one by one, beginning with the dogs of the north and …
    ---
    I've stopped. Write whenever you're ready, or type *stop* again to stop the interview.
    ");
    assert_eq!(model.seen().len(), 1, "it did not wait for the participant");
    let state = world.state().await;
    assert_eq!(state.status, Status::Open);
    let used = state.model_turn.spent;
    assert!(used.input > 100 && used.output > 10 && used.calls == 1, "{used:?}");
    world.assert_at_rest().await;

    model.next(Turn::says("A cat, then. What is it called?"));
    world.say("Only cats, please.").await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(news(&model, 1), @"
    model: Pets are a wide field. Let me tell you about all of them, one by one, beginning with the dogs of the north and
    <note>The participant stopped you here, and read nothing that you would have said after this. Go on with what they say now.</note>
    <participant>stop</participant>
    <note>The participant was told: I've stopped. Write whenever you're ready, or type *stop* again to stop the interview.</note>
    <participant>Only cats, please.</participant>
    ");
    assert!(world.screen().ends_with("A cat, then. What is it called?"), "{}", world.screen());

    let again = Gate::new();
    model.next(Turn::says(LONG).in_pieces(4).held_by(&again));
    writes(&mut world, "Tom.").await;
    again.reached().await;
    world.say("Stopp!").await;
    assert_eq!(world.state().await.status, Status::Open);
    world.say("stop").await;
    assert_eq!(world.state().await.status, Status::Stopped);
}

#[tokio::test]
async fn wait_ends_a_round_of_which_nothing_is_seen_yet() {
    for words in ["wait", "Einen Moment bitte", "espera", "attends !"] {
        let (model, gate) = (Scripted::new(), Gate::new());
        model.next(Turn::calls("get_user_option", &colours()).held_by(&gate));
        let mut world = World::led_by_unrested(TALK, &model).await;
        gate.reached().await;
        world.say(words).await;
        assert!(
            world.screen().ends_with("0/1\n---\nI'll wait. Write whenever you're ready."),
            "{words}: {}",
            world.screen()
        );
        world.restart().await;
        assert_eq!(model.seen().len(), 1, "{words}: it did not wait");
        model.next(Turn::says("Rex, a fine name."));
        world.say("I have a dog, Rex.").await;
        model.assert_played();
        let read = news(&model, 1);
        assert!(read.contains("The participant stopped you here"), "{words}: {read}");
        assert!(read.contains(&format!("<participant>{words}</participant>")), "{words}: {read}");
        world.assert_at_rest().await;
    }
}

/// Nothing is said yet that could be meant.
#[tokio::test]
async fn stop_before_anything_is_seen_ends_the_conversation() {
    let (model, gate) = (Scripted::new(), Gate::new());
    model.next(Turn::says("Do you have a pet?").held_by(&gate));
    let mut world = World::led_by_unrested(TALK, &model).await;
    gate.reached().await;
    world.say("stop").await;
    assert_eq!(world.state().await.status, Status::Stopped);
    gate.open();
    world.rest().await;
    assert!(!world.screen().contains("Do you have a pet?"), "{}", world.screen());
}

/// A card stands open beside the words of the model, since its first two were withheld.
#[tokio::test]
async fn words_that_name_an_option_are_its_answer_and_halt_nobody() {
    let (model, gates) = (Scripted::new(), [Gate::new(), Gate::new(), Gate::new(), Gate::new()]);
    let options = json!([{ "id": "wait", "label": "Wait" }, { "id": "go", "label": "Go on" }]);
    let asks = json!({ "prompt": "Shall we go on?", "options": options });
    for gate in &gates[..3] {
        model.next(Turn::calls("get_user_option", &asks).held_by(gate));
    }
    model.next(Turn::says(LONG).in_pieces(4).held_by(&gates[3]));
    model.next(Turn::says("Then we wait."));
    let mut world = World::led_by_unrested(TALK, &model).await;
    for gate in &gates[..3] {
        gate.reached().await;
        writes(&mut world, "I have a dog.").await;
        gate.open();
    }
    gates[3].reached().await;
    assert_eq!(world.state().await.pending().count(), 1, "{}", world.screen());
    writes(&mut world, "wait").await;
    gates[3].open();
    world.rest().await;
    model.assert_played();
    let screen = world.screen();
    assert!(screen.contains("✓ Ada Byron: Wait") && screen.ends_with("Then we wait."), "{screen}");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn whoever_corrects_what_is_being_said_is_read_at_once() {
    let model = Scripted::new();
    let (mut world, gate) = speaking(&model).await;
    model.next(Turn::says("Cats it is. What is yours called?"));
    world.say("No, I meant cats.").await;
    // The answer that comes late is nobody's any more.
    gate.open();
    world.rest().await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(news(&model, 1), @"
    model: Pets are a wide field. Let me tell you about all of them, one by one, beginning with the dogs of the north and
    <note>The participant wrote while you were speaking. They read nothing that you would have said after this.</note>
    <participant>No, I meant cats.</participant>
    ");
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Pets are a wide field. Let me tell you about all of them, one by one, beginning with the dogs of the north and …
    ---
    Cats it is. What is yours called?
    ");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn whoever_agrees_or_has_interrupted_twice_lets_it_speak() {
    let model = Scripted::new();
    let (mut world, gate) = speaking(&model).await;
    for words in ["Ok, thanks!", "👍", "Great"] {
        writes(&mut world, words).await;
    }
    model.next(Turn::says("You're welcome. And yours?"));
    gate.open();
    world.rest().await;
    assert!(world.screen().contains(LONG), "{}", world.screen());

    let gates = [Gate::new(), Gate::new(), Gate::new()];
    for gate in &gates {
        model.next(Turn::says(LONG).in_pieces(4).held_by(gate));
    }
    model.next(Turn::says("Now I have read all of it. And?"));
    writes(&mut world, "It is a cat.").await;
    for (gate, words) in gates.iter().zip(["A black one.", "An old one.", "A wild one."]) {
        gate.reached().await;
        writes(&mut world, words).await;
    }
    gates[2].open();
    world.rest().await;
    model.assert_played();
    assert_prefixes(&model);
    assert_eq!(world.screen().matches("Pets are a wide field").count(), 4, "{}", world.screen());
    assert_eq!(world.screen().matches(" …").count(), 2, "{}", world.screen());
    assert_eq!(world.screen().matches(LONG).count(), 2, "{}", world.screen());
    world.assert_at_rest().await;
}

#[tokio::test]
async fn the_button_stops_what_is_under_way_and_nothing_else() {
    let (model, gate) = (Scripted::new(), Gate::new());
    model.next(Turn::says("Do you have a pet?").held_by(&gate));
    let mut world = World::led_by_unrested(TALK, &model).await;
    gate.reached().await;
    let pressed = world.event(&mallory(), InboundKind::Command(Command::Interrupt));
    let refused = world.engine.receive(pressed).await.unwrap();
    assert!(matches!(refused, Receipt::Refused(_)), "{refused:?}");
    let pressed = world.event(&ada(), InboundKind::Command(Command::Interrupt));
    let both = [world.engine.receive(pressed.clone()), world.engine.receive(pressed)];
    let receipts = futures::future::join_all(both).await;
    assert_eq!(
        receipts.iter().filter(|r| matches!(r, Ok(Receipt::Taken))).count(),
        1,
        "{receipts:?}"
    );
    world.rest().await;
    assert!(world.screen().ends_with("I've stopped. Write whenever you're ready."));
    let late = world.command(&ada(), Command::Interrupt).await;
    let Receipt::Refused(why) = late else { panic!("{late:?}") };
    assert_eq!(why.to_string(), "I'd already finished, so there was nothing to stop.");
    assert_eq!(world.state().await.status, Status::Open);
    // Going on without a word is a word.
    model.next(Turn::says("Do you have a pet?"));
    world.say("continue").await;
    model.assert_played();
    world.assert_at_rest().await;
}

#[tokio::test]
async fn an_interruption_counts_once_also_after_a_crash() {
    let model = Scripted::new();
    let (mut world, _) = speaking(&model).await;
    world.say("stop").await;
    world.crash().await;
    let ends = |events: &[anteroom::model::transcript::Recorded]| {
        events.iter().filter(|recorded| matches!(*recorded.event, Event::Thought(_))).count()
    };
    assert_eq!(ends(&world.events().await), 1);
    assert_eq!(model.seen().len(), 1, "it spoke although it was stopped");
    model.next(Turn::says("Do you have a pet?"));
    world.say("Yes?").await;
    model.assert_played();
    assert_prefixes(&model);
}
