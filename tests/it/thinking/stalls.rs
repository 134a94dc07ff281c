//! A model that leaves the participant nothing to answer: told so once, then the engine goes on by itself.

use insta::assert_snapshot;
use serde_json::json;

use super::{TALK, assert_prefixes, colours, news, rex, with_script};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::World,
};

async fn nudged(flow: &str, model: &std::sync::Arc<Scripted>) -> World {
    let mut world = World::unbegun(flow, model);
    world.nudge();
    world.begin("talk").await;
    world
}

#[tokio::test]
async fn a_form_that_was_announced_is_asked_for_once() {
    let model = Scripted::new();
    model.next(Turn::says("I'll show you a form for that."));
    model.next(Turn::calls("submit_for_validation", &rex()));
    let world = nudged(TALK, &model).await;
    model.assert_played();
    assert_prefixes(&model);
    assert_snapshot!(news(&model, 1), @"
    model: I'll show you a form for that.
    <note>The participant has nothing to answer: no card is open and you asked nothing. Make the call that you announced, or ask the next question of the part now.</note>
    ");
    assert!(world.screen().contains("[Looks right]"), "{}", world.screen());
}

#[tokio::test]
async fn a_mark_within_a_sentence_asks_nothing() {
    for words in [
        "Thanks, noted; I'll put your profile together now.",
        "I took it from https://example.org/?q=1 and go on.",
    ] {
        let model = Scripted::new();
        model.next(Turn::says(words));
        model.next(Turn::calls("submit_for_validation", &rex()));
        let _world = nudged(TALK, &model).await;
        model.assert_played();
    }
}

#[tokio::test]
async fn a_question_needs_no_nudge_in_whatever_script_it_is_written() {
    for question in [
        "Do you have a pet?",
        "**Do you have a pet?** (Or none.)",
        "ペットはいますか？",
        "你有宠物吗?请告诉我。",
        "هل لديك حيوان أليف؟ شكرا.",
        "Έχετε κατοικίδιο; Πείτε μου.",
        "Έχετε κατοικίδιο\u{37e}",
    ] {
        let model = Scripted::new();
        model.next(Turn::says(question));
        let _world = nudged(TALK, &model).await;
        model.assert_played();
    }
}

#[tokio::test]
async fn after_two_silent_steps_the_script_asks_and_the_model_comes_back_with_the_answer() {
    for second in [Turn::says("It will come soon."), Turn::says("")] {
        let model = Scripted::new();
        model.next(Turn::says("A form comes.")).next(second);
        let mut world = nudged(&with_script(), &model).await;
        model.assert_played();
        assert!(world.screen().ends_with("What is it called?\n[…]"), "{}", world.screen());
        assert!(!world.screen().contains("fixed list"), "{}", world.screen());
        model.next(Turn::calls("submit_for_validation", &rex()));
        world.restart().await;
        world.say("Rex").await;
        model.assert_played();
        assert_prefixes(&model);
        assert!(world.screen().contains("[Looks right]"), "{}", world.screen());
    }
}

#[tokio::test]
async fn without_a_script_the_participant_is_invited_to_write() {
    let model = Scripted::new();
    model.next(Turn::says("A form comes.")).next(Turn::says("Soon."));
    let mut world = nudged(TALK, &model).await;
    model.assert_played();
    assert!(
        world.screen().ends_with("What would you like to tell me or ask next? Write to me here, or type *human* to reach a person."),
        "{}",
        world.screen()
    );
    model.next(Turn::calls("get_user_option", &colours()));
    world.say("Well?").await;
    model.assert_played();
}

#[tokio::test]
async fn a_model_that_forgets_next_phase_is_reminded_then_the_engine_calls_it() {
    let model = Scripted::new();
    model.next(Turn::calls("submit_for_validation", &rex()));
    let mut world = nudged(TALK, &model).await;
    model.next(Turn::says("All noted.")).next(Turn::says("Everything is there."));
    model.next(Turn::says("Goodbye! Anything else?"));
    world.press("Looks right").await;
    model.assert_played();
    assert_prefixes(&model);
    assert!(
        news(&model, 2).ends_with("<note>All that this part requires is done. Call `next_phase` now, with no overrides.</note>"),
        "{}",
        news(&model, 2)
    );
    assert_eq!(world.state().await.phase(), Some("end"));
    assert_eq!(world.audited("phase_advance_attempt").await, 1);
}

#[tokio::test]
async fn a_chat_that_goes_on_when_all_is_done_is_ended() {
    let model = Scripted::new();
    model.next(Turn::calls("submit_for_validation", &rex()));
    let mut world = nudged(TALK, &model).await;
    model.next(Turn::says("Anything else?"));
    world.press("Looks right").await;
    model.next(Turn::says("Sure?"));
    model.next(Turn::calls("next_phase", &json!({ "overrides": [] })));
    model.next(Turn::says("Goodbye! Anything else?"));
    world.say("No.").await;
    model.assert_played();
    assert_eq!(world.state().await.phase(), Some("end"));
}

/// A model that only chats would do so for as many turns as a conversation may have.
#[tokio::test]
async fn a_chat_of_which_nothing_comes_is_broken_by_a_question_of_the_script() {
    let model = Scripted::new();
    model.next(Turn::says("What did you have for lunch?"));
    let mut world = nudged(&with_script(), &model).await;
    for n in 2..12 {
        model.next(Turn::says(&format!("And on day {n}?")));
        world.say("Soup.").await;
        assert!(!world.screen().contains("What is it called?"), "{}", world.screen());
    }
    model.next(Turn::says("And on day 12?"));
    world.say("Soup.").await;
    assert!(world.screen().ends_with("What is it called?\n[…]"), "{}", world.screen());
    model.next(Turn::calls("submit_for_validation", &rex()));
    world.say("Rex").await;
    model.assert_played();
    assert_prefixes(&model);
    assert!(world.screen().contains("[Looks right]"), "{}", world.screen());
}

#[tokio::test]
async fn nobody_is_nudged_while_a_card_or_a_decision_is_awaited() {
    let model = Scripted::new();
    let ask = json!({ "overrides": ["pet"], "reason": "There is no pet." });
    model.next(Turn::calls("next_phase", &ask));
    let mut world = nudged(TALK, &model).await;
    model.next(Turn::says("The team looks at it."));
    world.say("And now?").await;
    model.assert_played();
}
