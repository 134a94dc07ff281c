//! What people do otherwise than was thought: on a telephone (F8), on two devices (F11), changing their words (F16), in
//! bursts (F17), in distress (F20).
//!
//! Rows are those of `docs/semantics.md`, F numbers those of `docs/behaviour.md`.

use std::sync::Arc;

use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::Value;

use crate::slack::{
    approvals,
    bot::{Bot, Plan},
    scripted::{Gate, Scripted, Turn},
    troubles::begun,
};

/// Ada has been asked for a pet by the model.
async fn asked_for_a_pet(model: &Arc<Scripted>) -> Bot {
    let flow = Some(approvals::FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(model)), flow, ..Plan::default() }).await;
    model.next(Turn::says("Do you have a pet?"));
    bot.ada().command("/onboard start").await;
    drop(bot.ada().news());
    bot
}

/// Everything of a kind that blocks hold, however deep.
fn elements<'a>(blocks: &'a Value, kind: &str, found: &mut Vec<&'a Value>) {
    match blocks {
        Value::Array(items) => items.iter().for_each(|item| elements(item, kind, found)),
        Value::Object(members) => {
            if blocks["type"] == kind {
                found.push(blocks);
            }
            members.values().for_each(|member| elements(member, kind, found));
        }
        _ => {}
    }
}

/// Lines of a card on a telephone: some 40 characters each.
const PHONE_LINES: usize = 30;

#[tokio::test]
async fn f8_a_request_can_be_read_and_decided_on_a_telephone() {
    let model = Scripted::new();
    let bot = approvals::asked(&model).await;
    let grace = bot.grace().at("recruiting-approvals");
    let card = grace.card("there is no pet");
    let lines: usize = card.lines().map(|line| line.chars().count().div_ceil(40)).sum();
    assert!(lines <= PHONE_LINES, "{lines} lines:\n{card}");
    let posted = bot.slack.calls_of("chat.postMessage");
    let request = posted.iter().find(|call| call.body["channel"] == "C0APPROVALS").unwrap();
    let blocks = &request.body["blocks"];
    for kind in ["datepicker", "timepicker", "number_input", "plain_text_input", "static_select"] {
        let mut found = Vec::new();
        elements(blocks, kind, &mut found);
        assert_eq!(found, Vec::<&Value>::new(), "{kind} is no fun on a telephone");
    }
    let mut buttons = Vec::new();
    elements(blocks, "button", &mut buttons);
    assert!(buttons.iter().all(|button| button["url"].is_null()), "{buttons:?}");
    // What cannot be taken back asks once more; the other way is a word in the thread.
    let approve = buttons.iter().find(|button| button["text"]["text"] == "Approve").unwrap();
    assert!(approve["confirm"].is_object(), "{approve}");
    model.next(Turn::says("Goodbye."));
    grace.reply_to("there is no pet", "Approve").await;
    assert!(grace.can_see("*Approved* by @Grace Hopper"), "{}", grace.screen());
    model.assert_played();
}

#[tokio::test]
async fn f11_of_two_devices_the_first_wins_and_the_second_is_told() {
    let bot = begun().await;
    let ada = bot.ada();
    let (one, other) = (ada.clone(), ada.clone());
    // Both show the question when they are pressed.
    let (first, second) = tokio::join!(one.try_press("Blue"), other.try_press("Red"));
    assert_eq!((first, second), (Ok(()), Ok(())), "both are acknowledged");
    bot.rest().await;
    let screen = ada.screen();
    let settled = screen.matches("✓ You answered:").count();
    assert_eq!(settled, 1, "{screen}");
    assert_eq!(screen.matches("That question was answered at").count(), 1, "{screen}");
    assert_eq!(screen.matches("A file, please.").count(), 1, "{screen}");
    bot.judge();
}

#[tokio::test]
async fn f11_the_same_choice_on_two_devices_is_one() {
    let bot = begun().await;
    let ada = bot.ada();
    let (one, other) = (ada.clone(), ada.clone());
    let (first, second) = tokio::join!(one.try_press("Blue"), other.try_press("Blue"));
    assert_eq!((first, second), (Ok(()), Ok(())));
    bot.rest().await;
    assert!(!ada.can_see("That question was answered"), "{}", ada.screen());
    assert_eq!(ada.screen().matches("A file, please.").count(), 1, "{}", ada.screen());
}

/// Row 32.
#[tokio::test]
async fn f16_what_is_changed_before_it_was_read_is_read_as_it_is() {
    let model = Scripted::new();
    let gate = Gate::new();
    let flow = Some(approvals::FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(&model)), flow, ..Plan::default() }).await;
    let ada = bot.ada();
    model.next(Turn::says("Do you have a pet?").held_by(&gate));
    bot.unrested();
    ada.command("/onboard start").await;
    gate.reached().await;
    bot.engine.deliver_due().await;
    ada.reply("I have a dog, Fex.").await;
    ada.reply("Nobody reads this.").await;
    ada.edit("Fex", "I have a dog, Rex.").await;
    ada.delete("Nobody reads this").await;
    model.next(Turn::says("Rex, a fine name."));
    gate.open();
    bot.rested();
    bot.rest().await;
    assert_snapshot!(model.news(1), @"
    model: Do you have a pet?
    <participant>I have a dog, Rex.</participant>
    ");
    model.assert_played();
}

/// Row 32.
#[tokio::test]
async fn f16_what_is_changed_later_is_told_and_what_is_taken_away_is_not_read_again() {
    let model = Scripted::new();
    let bot = asked_for_a_pet(&model).await;
    let ada = bot.ada();
    model.next(Turn::says("Rex, a fine name."));
    ada.reply("I have a dog, Rex.").await;
    model.next(Turn::says("A cat, then."));
    ada.edit("a dog", "I have a cat, Tom.").await;
    assert_snapshot!(model.news(2), @"
    model: Rex, a fine name.
    <note>The participant has changed an earlier message. It reads now:</note>
    <participant>I have a cat, Tom.</participant>
    ");
    drop(ada.news());
    ada.delete("I have a cat").await;
    assert_snapshot!(ada.news(), @"-   Ada Byron (edited): I have a cat, Tom.");
    model.next(Turn::says("Good."));
    ada.reply("Hm.").await;
    let read = model.read(3);
    assert!(!read.contains("Tom") && !read.contains("Rex."), "{read}");
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert!(!look.state.words.is_empty());
    model.assert_played();
}

/// F16, row 32.
#[tokio::test]
async fn editing_the_message_that_answered_changes_the_answer() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.reply("Blue").await;
    drop(ada.news());
    ada.edit("Blue", "Red").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Red* · 2 Nov 2026 10:00 UTC
    ~   Ada Byron (edited): Red
    ");
    // Mallory changes nothing by editing words of hers.
    ada.delete("Red").await;
    assert_snapshot!(ada.news(), @"-   Ada Byron (edited): Red");
}

#[tokio::test]
async fn f17_words_that_come_while_the_model_speaks_are_one_turn() {
    let model = Scripted::new();
    let bot = asked_for_a_pet(&model).await;
    let ada = bot.ada();
    let gate = Gate::new();
    model.next(Turn::says("A dog, good.").held_by(&gate));
    model.next(Turn::says("Two cats besides, then."));
    bot.unrested();
    ada.reply("I have a dog").await;
    gate.reached().await;
    for words in ["and a cat", "no, two cats"] {
        ada.reply(words).await;
    }
    gate.open();
    bot.rested();
    bot.rest().await;
    assert_snapshot!(model.news(2), @"
    model: A dog, good.
    <participant>and a cat</participant>
    <participant>no, two cats</participant>
    ");
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: I have a dog
    +   Ada Byron: and a cat
    +   Ada Byron: no, two cats
    +   Anteroom: A dog, good.
            [Helpful] [Not helpful]
    +   Anteroom: Two cats besides, then.
            [Helpful] [Not helpful]
    ");
    model.assert_played();
}

#[tokio::test]
async fn f18_words_with_a_file_are_used_and_a_recording_is_not() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.press("Blue").await;
    drop(ada.news());
    ada.drop_file("cv.txt", b"Programmer", "This is from last year.").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 2 of 2 · Two · 0/1
          [Help]
    ~   Anteroom (edited): A file, please.
            ✓ You sent: *cv.txt* · 2 Nov 2026 10:00 UTC
    +   Ada Byron: This is from last year.
            (file: cv.txt)
    +   Anteroom: A word, please.
            · Type your answer here, or write it in a form.
            [Write an answer]
    ");
    let look = bot.engine.look(bot.session().await).await.unwrap();
    let events = look.loaded.events.iter().map(|recorded| format!("{:?}", recorded.event));
    let kept = events.filter(|event| event.contains("from last year")).count();
    assert_eq!(kept, 1, "the words are kept");
}

#[tokio::test]
async fn f20_distress_calls_a_person_at_once_and_nothing_more_is_asked() {
    let bot = Bot::new().await;
    let (ada, desk) = (bot.ada(), bot.slack.person("U0LINUS").at("recruiting-desk"));
    ada.command("/onboard start candidate-onboarding").await;
    ada.press("Continue with the assistant").await;
    drop(ada.news());
    ada.reply("I want to end my life").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: I want to end my life
    +   Anteroom: Thank you for telling me. If anyone is in danger, please call your local emergency number now.
    +   Anteroom: I've asked a person from the team to look at this now. I'll keep quiet until they answer or you type _continue_.
    ");
    assert_snapshot!(desk.news(), @"
    + Anteroom: *Ada Byron* (@Ada Byron) · Candidate onboarding
          · Step 1 of 3 · The basics · 0/3 · running. Write in this thread to take over. I'll pass on what you write.
          [Take over] [Hand back] [! End the conversation ?]
    +   Anteroom: *Ada Byron* asked for a human in _Candidate onboarding_: they wrote a word from the flow's list; please look right away.

            • Step 1 of 3 · The basics
            • Still open: Contact details, Work history, Education
    ");
    // A button of before asks nothing more either.
    bot.pass(TimeDelta::hours(30)).await;
    assert_snapshot!(ada.news(), @"+   Anteroom: Nobody from the team has answered yet, so I've reminded them. Type _continue_ to carry on with me in the meantime.");
    bot.judge();
}

#[tokio::test]
async fn f20_a_legal_threat_reaches_no_model() {
    let model = Scripted::new();
    let bot = Bot::led_by(&model).await;
    let (ada, desk) = (bot.ada(), bot.slack.person("U0LINUS").at("recruiting-desk"));
    ada.command("/onboard start candidate-onboarding").await;
    model.next(Turn::says("How shall we begin?"));
    ada.press("Continue with the assistant").await;
    drop((ada.news(), desk.news()));
    ada.reply("You will hear from my lawyer.").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: You will hear from my lawyer.
    +   Anteroom: Thank you for telling me. If anyone is in danger, please call your local emergency number now.
    +   Anteroom: I've asked a person from the team to look at this now. I'll keep quiet until they answer or you type _continue_.
    ");
    assert_eq!(model.seen().len(), 1);
    desk.reply("I am so sorry. What happened?").await;
    assert_snapshot!(ada.news(), @"
    +   Anteroom: Linus Pauling from the team is here now.
    +   Anteroom: Linus Pauling: I am so sorry. What happened?
    ");
    assert_eq!(model.seen().len(), 1);
    model.next(Turn::says("Then let us go on."));
    desk.press("Hand back").await;
    assert_snapshot!(model.news(1), @"
    model: How shall we begin?
    <participant>You will hear from my lawyer.</participant>
    <note>The participant was told: Thank you for telling me. If anyone is in danger, please call your local emergency number now.</note>
    <note>The participant was told: I've asked a person from the team to look at this now. I'll keep quiet until they answer or you type *continue*.</note>
    <note>The participant was told: Linus Pauling from the team is here now.</note>
    <staff>Linus Pauling: I am so sorry. What happened?</staff>
    <note>The conversation was with the team; it is yours again.</note>
    <note>The participant was told: The assistant is back. Let's pick up where we left off.</note>
    ");
    model.assert_played();
}
