//! What people write, send and press while the model is at work: it reaches the model at once, and no card is shown that was
//! made without knowing it.

use std::sync::Arc;

use anteroom::{
    engine::{InboundKind, Receipt},
    model::{transcript::Audience, wait::Settlement},
    ports::llm::chat::Request,
};
use insta::assert_snapshot;
use serde_json::json;

use super::{TALK, assert_prefixes, colours, news, rex, sizes, talk};
use crate::{
    llm::scripted::{Gate, Scripted, Turn},
    world::{World, ada, mortal::Death, settled},
};

/// The talk, where a résumé is wanted as well.
fn with_resume() -> String {
    TALK.replacen(
        "  done = { reviewed = \"pet\" }\n",
        "  done = { reviewed = \"pet\" }\n\n  [[phase.objective]]\n  id = \"cv\"\n  title = \"Résumé\"\n  \
         done = { uploaded = \"resume\" }\n",
        1,
    )
}

/// The participant writes while the model is at work.
async fn writes(world: &mut World, text: &str) {
    let said = world.event(&ada(), InboundKind::Said { text: text.to_owned(), source: None });
    world.engine.receive(said).await.unwrap();
}

/// They send a file while the model is at work.
async fn sends(world: &mut World, name: &str, bytes: &[u8]) -> Receipt {
    let kept = world.engine.keep_file(world.session, None, name, bytes.to_vec()).await.unwrap();
    let sent = world.event(&ada(), InboundKind::Sent { wait: None, files: vec![kept.unwrap()] });
    world.engine.receive(sent).await.unwrap()
}

/// A conversation whose model stands in the middle of its first answer.
async fn at_work(flow: &str, model: &Arc<Scripted>, turn: Turn) -> (World, Gate) {
    let gate = Gate::new();
    model.next(turn.held_by(&gate));
    let world = World::led_by_unrested(flow, model).await;
    gate.reached().await;
    (world, gate)
}

#[tokio::test]
async fn a_card_made_without_knowing_what_was_written_is_not_shown_and_the_words_are_read_at_once()
{
    let model = Scripted::new();
    let asks = Turn::calls("get_user_option", &colours()).saying("Which colour do you like?");
    let (mut world, gate) = at_work(TALK, &model, asks).await;
    for words in ["Hello?", "I have a dog, Rex.", "He is red."] {
        writes(&mut world, words).await;
    }
    model.next(Turn::says("Rex, a fine name. How old is he?"));
    gate.open();
    world.rest().await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(news(&model, 1), @r#"
    model: Which colour do you like?
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    c00000001 -> {"error":"the card was not shown: the participant wrote, sent or answered something that you had not read yet. hint: read it, then ask again what is still open","code":"not_shown"}
    <participant>Hello?</participant>
    <participant>I have a dog, Rex.</participant>
    <participant>He is red.</participant>
    "#);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Rex, a fine name. How old is he?
    ");
    assert!(world.state().await.asked.is_empty());
    world.assert_at_rest().await;
}

#[tokio::test]
async fn what_needs_nobody_is_done_and_what_was_merely_said_is_said() {
    let model = Scripted::new();
    let begins = json!({ "objectiveId": "pet", "status": "in_progress" });
    let both =
        Turn::calls("set_objective_status", &begins).and_calls("submit_for_validation", &rex());
    let (mut world, gate) = at_work(TALK, &model, both.saying("Noted: Rex.")).await;
    writes(&mut world, "He is called Fex, sorry.").await;
    model.next(Turn::says("Fex, then?"));
    gate.open();
    world.rest().await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model: Noted: Rex.
    model calls c00000001 set_objective_status {"objectiveId":"pet","status":"in_progress"}
    model calls c00000002 submit_for_validation {"dataType":"pet","data":{"name":"Rex"},"message":"Is that right?"}
    c00000001 -> {"objective":{"id":"pet","newStatus":"in_progress"},"phaseStatus":{"currentPhase":"pets","progress":0.0}}
    c00000002 -> {"error":"the card was not shown: the participant wrote, sent or answered something that you had not read yet. hint: read it, then ask again what is still open","code":"not_shown"}
    <participant>He is called Fex, sorry.</participant>
    "#);
    assert!(world.screen().contains("Noted: Rex.\n---\nFex, then?"), "{}", world.screen());
    assert!(world.state().await.pending().next().is_none());
    world.assert_at_rest().await;
}

#[tokio::test]
async fn words_beside_a_withheld_card_are_said_unless_they_only_ask() {
    let model = Scripted::new();
    let asks = Turn::calls("get_user_option", &colours()).saying("I have noted the dog.");
    let (mut world, gate) = at_work(TALK, &model, asks).await;
    writes(&mut world, "He is red.").await;
    model.next(Turn::says("Red, I see."));
    gate.open();
    world.rest().await;
    model.assert_played();
    assert!(
        world.screen().ends_with("I have noted the dog.\n---\nRed, I see."),
        "{}",
        world.screen()
    );
}

#[tokio::test]
async fn whoever_keeps_writing_sees_the_third_card_and_is_read_at_once_all_the_same() {
    let model = Scripted::new();
    let (mut world, first) =
        at_work(TALK, &model, Turn::calls("get_user_option", &colours())).await;
    let (second, third) = (Gate::new(), Gate::new());
    model.next(Turn::calls("get_user_option", &colours()).held_by(&second));
    model.next(Turn::calls("get_user_option", &sizes()).held_by(&third));
    model.next(Turn::says("I read that, too."));
    for (n, gate) in [first, second, third].iter().enumerate() {
        gate.reached().await;
        writes(&mut world, &format!("Part {n}.")).await;
        gate.open();
    }
    world.rest().await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(news(&model, 3), @r#"
    model calls c00000003 get_user_option {"prompt":"Which size?","options":[{"id":"s","label":"Small"},{"id":"l","label":"Large"}]}
    c00000003 -> {"status":"pending","note":"The card stays open. What comes of it will follow."}
    <participant>Part 2.</participant>
    "#);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 0/1
    ---
    Which size?
    [Small] [Large]
    ---
    I read that, too.
    ");
    model.next(Turn::says("Large."));
    assert_eq!(world.press("Large").await, Settlement::Applied);
    model.assert_played();
    // A card that everything is known of is shown again.
    let again = Gate::new();
    model.next(Turn::calls("get_user_option", &colours()).held_by(&again));
    model.next(Turn::says("Yes?"));
    writes(&mut world, "And now?").await;
    again.reached().await;
    writes(&mut world, "One more.").await;
    again.open();
    world.rest().await;
    assert!(world.state().await.pending().next().is_none(), "{}", world.screen());
    world.assert_at_rest().await;
}

#[tokio::test]
async fn cards_of_one_answer_are_withheld_together() {
    let model = Scripted::new();
    let (mut world, first) =
        at_work(TALK, &model, Turn::calls("get_user_option", &colours())).await;
    let second = Gate::new();
    let both = Turn::calls("get_user_option", &colours()).and_calls("get_user_option", &sizes());
    model.next(both.held_by(&second));
    model.next(Turn::says("I read that."));
    for (n, gate) in [first, second].iter().enumerate() {
        gate.reached().await;
        writes(&mut world, &format!("Part {n}.")).await;
        gate.open();
    }
    world.rest().await;
    model.assert_played();
    assert!(world.state().await.pending().next().is_none(), "{}", world.screen());
    assert!(world.screen().ends_with("I read that."), "{}", world.screen());
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_resume_sent_while_the_model_is_at_work_counts_and_is_acknowledged_by_name() {
    let model = Scripted::new();
    let asks = json!({ "uploadType": "resume", "prompt": "Your résumé, please." });
    let flow = with_resume();
    let (mut world, gate) = at_work(&flow, &model, Turn::calls("get_user_upload", &asks)).await;
    writes(&mut world, "I'll send you my CV.").await;
    sends(&mut world, "ada-byron.txt", ROLES.as_bytes()).await;
    model.next(Turn::says("Thank you for ada-byron.txt."));
    gate.open();
    world.rest().await;
    model.assert_played();
    assert_snapshot!(news(&model, 1), @r#"
    model calls c00000001 get_user_upload {"uploadType":"resume","prompt":"Your résumé, please."}
    c00000001 -> {"error":"the card was not shown: the participant wrote, sent or answered something that you had not read yet. hint: read it, then ask again what is still open","code":"not_shown"}
    <participant>I'll send you my CV.</participant>
    <note>The participant has sent a file: artifact_id upload_00000000000000000000000000000004, name “ada-byron.txt”, kept as `resume`.</note>
    <note>The participant was told: Got *ada-byron.txt*.</note>
    "#);
    assert_snapshot!(world.screen(), @"
    Let us talk about pets.
    ---
    Step 1 of 2 · Pets · 1/2
    ---
    Got *ada-byron.txt*.
    ---
    Thank you for ada-byron.txt.
    ");
    let state = world.state().await;
    assert!(state.artifacts[0].is_resume(), "{:?}", state.artifacts);
    assert!(state.asked.is_empty(), "it was asked for once more");
}

/// What a file that reads like a résumé holds.
const ROLES: &str = "Ada Byron\nada@example.org\n\nExperience\nAnalyst, Engines Ltd\n2019 - 2021\n";

#[tokio::test]
async fn a_file_is_taken_for_what_it_is() {
    for (name, content, kind) in [
        ("ada.txt", ROLES, "resume"),
        ("Ada Byron - Résumé 2026.md", "See my page.", "resume"),
        ("cv2026.txt", "See my page.", "resume"),
        ("recipe.txt", "Pancakes. Take some flour, milk and eggs.", "other"),
        ("cover-letter.txt", ROLES, "other"),
        ("Zeugnis.md", "Sehr gut.", "other"),
    ] {
        let model = Scripted::new();
        model.next(Turn::says("Do you have a pet?"));
        model.next(Turn::says("Thank you. A pet?"));
        let mut world = World::led_by(&with_resume(), &model).await;
        world.upload(name, content.as_bytes()).await.unwrap();
        assert_eq!(world.state().await.artifacts[0].upload_type, kind, "{name}");
        // What counts already is not counted again.
        model.next(Turn::says("Another one. A pet?"));
        world.upload("more.txt", ROLES.as_bytes()).await.unwrap();
        let second = if kind == "resume" { "other" } else { "resume" };
        assert_eq!(world.state().await.artifacts[1].upload_type, second, "{name}");
        model.assert_played();
    }
}

#[tokio::test]
async fn a_file_beside_an_open_card_is_read_at_once() {
    let model = Scripted::new();
    model.next(Turn::calls("get_user_option", &colours()));
    let mut world = talk(&model).await;
    model.next(Turn::says("A picture of it, thank you."));
    world.upload("rex.txt", b"Rex is a dog.").await.unwrap();
    model.assert_played();
    assert_eq!(world.state().await.pending().count(), 1, "the card is gone");
    model.next(Turn::says("Red."));
    assert_eq!(world.press("Red").await, Settlement::Applied);
    model.assert_played();
    world.assert_at_rest().await;
}

#[tokio::test]
async fn an_old_button_pressed_while_the_model_is_at_work_is_read_before_the_next_card() {
    let model = Scripted::new();
    let gate = Gate::new();
    model.next(Turn::calls("submit_for_validation", &rex()));
    let mut world = talk(&model).await;
    model.next(Turn::calls("get_user_option", &colours()).held_by(&gate));
    writes(&mut world, "Is that the dog?").await;
    gate.reached().await;
    let press = world.button("Looks right").await;
    let press = world.event(&ada(), press);
    let pressed = world.engine.receive(press).await.unwrap();
    assert_eq!(settled(pressed), Settlement::Applied);
    model.next(Turn::says("It is noted. Shall we go on?"));
    gate.open();
    world.rest().await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(news(&model, 2), @r#"
    model calls c00000002 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    c00000002 -> {"error":"the card was not shown: the participant wrote, sent or answered something that you had not read yet. hint: read it, then ask again what is still open","code":"not_shown"}
    <note>What came of the open card of `submit_for_validation`: {"status":"approved","data":{"name":"Rex"},"changes":[]}</note>
    "#);
    assert!(!world.screen().contains("Which colour?"), "{}", world.screen());
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_request_to_the_team_is_not_made_without_what_was_written() {
    let model = Scripted::new();
    let over = json!({ "overrides": ["pet"], "reason": "They have none." });
    let (mut world, gate) = at_work(TALK, &model, Turn::calls("next_phase", &over)).await;
    writes(&mut world, "Wait, I do have a dog.").await;
    model.next(Turn::says("What is it called?"));
    gate.open();
    world.rest().await;
    model.assert_played();
    assert_eq!(world.staff_screen(), "");
    // Asked again, it is asked once.
    model.next(Turn::calls("next_phase", &over));
    world.say("No, it ran away.").await;
    model.assert_played();
    assert_eq!(world.state().await.asked.len(), 1);
    assert_eq!(world.staff_screen().matches("They have none.").count(), 1);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_crash_between_the_answer_and_the_card_changes_nothing() {
    for death in [
        None,
        Some(Death::Before(1)),
        Some(Death::After(1)),
        Some(Death::Before(2)),
        Some(Death::After(2)),
    ] {
        let model = Scripted::new();
        let asks = Turn::calls("get_user_option", &colours()).saying("Which one?");
        let (mut world, gate) = at_work(TALK, &model, asks).await;
        writes(&mut world, "I have a dog, Rex.").await;
        let knows = |request: &Request| format!("{:?}", request.messages).contains("I have a dog");
        model.whenever(knows, Turn::says("Rex, a fine name. How old?"));
        match death {
            None => {}
            Some(Death::Before(n)) => world.store.die_before(n),
            Some(Death::After(n)) => world.store.die_after(n),
        }
        gate.open();
        world.rest().await;
        assert_eq!(world.deaths, u32::from(death.is_some()), "{death:?}");
        let screen = world.screen();
        let expected = "Step 1 of 2 · Pets · 0/1\n---\nRex, a fine name. How old?";
        assert!(screen.ends_with(expected), "{death:?}: {screen}");
        world.assert_at_rest().await;
    }
}

#[tokio::test]
async fn staff_read_that_a_card_was_not_shown() {
    let model = Scripted::new();
    let (mut world, gate) = at_work(TALK, &model, Turn::calls("get_user_option", &colours())).await;
    writes(&mut world, "I have a dog, Rex.").await;
    model.next(Turn::says("Rex, a fine name."));
    gate.open();
    world.rest().await;
    let transcript = world.transcript(Audience::Staff).await;
    assert!(
        transcript.contains("`get_user_option` failed (not_shown): the card was not shown"),
        "{transcript}"
    );
}
