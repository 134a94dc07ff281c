//! Rows of `docs/semantics.md` in Slack: questions and the model's part. Deciders are in `rows_team`, crashes in `restarts`,
//! other rows with their subject; that document lists them all. F numbers are those of `docs/behaviour.md`.

use std::sync::Arc;

use anteroom::ports::llm::Error;
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::slack::{
    approvals,
    bot::{Bot, Plan},
    emulator::{TEAM, faults::Fault},
    scripted::{Gate, Scripted, Turn},
    troubles::{self, begun},
};

pub(crate) fn colours() -> Value {
    json!({ "prompt": "Which colour?", "options": [{ "id": "red", "label": "Red" }, { "id": "blue", "label": "Blue" }] })
}

fn sizes() -> Value {
    json!({ "prompt": "Which size?", "options": [{ "id": "s", "label": "Small" }, { "id": "l", "label": "Large" }] })
}

fn rex() -> Value {
    json!({ "dataType": "pet", "data": { "name": "Rex" }, "message": "Is that right?" })
}

/// The model leads, and begins so.
pub(crate) async fn led(model: &Arc<Scripted>, first: Turn) -> Bot {
    let flow = Some(approvals::FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(model)), flow, ..Plan::default() }).await;
    model.next(first);
    bot.ada().command("/onboard start").await;
    drop(bot.ada().news());
    bot
}

#[tokio::test]
async fn row_10_words_under_a_review_are_no_consent() {
    let model = Scripted::new();
    let bot = led(&model, Turn::calls("submit_for_validation", &rex())).await;
    let ada = bot.ada();
    model.next(Turn::says("Then what is it called?"));
    ada.reply("yes, looks right").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: yes, looks right
    +   Anteroom: Then what is it called?
            [Helpful] [Not helpful]
    ");
    assert_snapshot!(model.news(1), @r#"
    model calls c00000001 submit_for_validation {"dataType":"pet","data":{"name":"Rex"},"message":"Is that right?"}
    c00000001 -> {"status":"pending","note":"The card stays open. What comes of it will follow."}
    <participant>yes, looks right</participant>
    "#);
    assert!(ada.has_button("Looks right"), "{}", ada.screen());
    model.next(Turn::says("Rex it is."));
    ada.press("Looks right").await;
    assert_snapshot!(model.news(2), @r#"
    model: Then what is it called?
    <note>What came of the open card of `submit_for_validation`: {"status":"approved","data":{"name":"Rex"},"changes":[]}</note>
    "#);
    model.assert_played();
}

#[tokio::test]
async fn row_12_a_button_of_a_step_that_is_over_answers_nothing_newer() {
    let bot = begun().await;
    let ada = bot.ada();
    // The old card stays as it was on her telephone.
    bot.slack.fail("chat.update", 2, Fault::Says("edit_window_closed"));
    ada.press("Blue").await;
    ada.drop_file("cv.txt", b"Programmer", "").await;
    drop(ada.news());
    ada.press_on("Which colour?", "Red").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    +   Anteroom (only you): That question was answered at 2 Nov 2026 10:00 UTC.
    ");
    assert!(ada.has_button("Write an answer"), "the open question is open:\n{}", ada.screen());
}

#[tokio::test]
async fn row_14_a_question_that_is_asked_twice_at_once_is_one_card() {
    let model = Scripted::new();
    let ask = Turn::calls("get_user_option", &colours()).and_calls("get_user_option", &colours());
    let bot = led(&model, ask).await;
    let ada = bot.ada();
    assert_eq!(ada.screen().matches("Which colour?").count(), 1, "{}", ada.screen());
    model.next(Turn::says("Blue, then."));
    ada.press("Blue").await;
    assert_snapshot!(model.news(1), @r#"
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    model calls c00000002 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    c00000001 -> {"selectedIds":["blue"],"timestamp":"2026-11-02T10:00:00Z"}
    c00000002 -> {"status":"waiting","note":"this question is already open"}
    "#);
    model.assert_played();
}

#[tokio::test]
async fn row_15_two_cards_are_answered_in_any_order_and_told_together() {
    let model = Scripted::new();
    let ask = Turn::calls("get_user_option", &colours()).and_calls("get_user_option", &sizes());
    let bot = led(&model, ask).await;
    let ada = bot.ada();
    ada.press("Large").await;
    assert_eq!(model.seen().len(), 1, "it waits for both");
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which size?
            ✓ You answered: *Large* · 2 Nov 2026 10:00 UTC
    ");
    model.next(Turn::says("A large blue one."));
    ada.press("Blue").await;
    assert_snapshot!(model.news(1), @r#"
    model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    model calls c00000002 get_user_option {"prompt":"Which size?","options":[{"id":"s","label":"Small"},{"id":"l","label":"Large"}]}
    c00000001 -> {"selectedIds":["blue"],"timestamp":"2026-11-02T10:00:00Z"}
    c00000002 -> {"selectedIds":["l"],"timestamp":"2026-11-02T10:00:00Z"}
    "#);
    model.assert_played();
    bot.judge();
}

#[tokio::test]
async fn row_16_a_card_that_is_pressed_while_the_model_speaks_counts_at_once() {
    let model = Scripted::new();
    let bot = led(&model, Turn::calls("submit_for_validation", &rex())).await;
    let ada = bot.ada();
    let gate = Gate::new();
    let long = "I see that you hesitate. Take your time, and look at the name once more before you press anything.";
    model.next(Turn::says(long).in_pieces(6).held_by(&gate));
    bot.unrested();
    ada.reply("Hm, wait.").await;
    gate.reached().await;
    ada.press("Looks right").await;
    model.next(Turn::says("Rex it is."));
    gate.open();
    bot.rested();
    bot.rest().await;
    assert_snapshot!(model.news(2), @r#"
    model: I see that you hesitate. Take your time, and look at the name once more before you press anything.
    <note>What came of the open card of `submit_for_validation`: {"status":"approved","data":{"name":"Rex"},"changes":[]}</note>
    "#);
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 2 · Pets · 1/1
          [Help]
    ~   Anteroom (edited): # Pet
            Is that right?
              *Name* Rex
            ✓ *Approved* by you · 2 Nov 2026 10:00 UTC
            [Change]
    +   Ada Byron: Hm, wait.
    +   Anteroom: I see that you hesitate. Take your time, and look at the name once more before you press anything.
            [Helpful] [Not helpful]
    +   Anteroom: Rex it is.
            [Helpful] [Not helpful]
    ");
    model.assert_played();
}

#[tokio::test]
async fn row_18_the_stop_button_drops_what_the_model_says_and_what_is_open() {
    let model = Scripted::new();
    let bot = led(&model, Turn::says("Do you have a pet?")).await;
    let ada = bot.ada();
    model.next(Turn::says("Nobody hears this.").held_by(&Gate::new()));
    bot.unrested();
    ada.reply("A dog.").await;
    while model.seen().len() < 2 {
        tokio::task::yield_now().await;
    }
    ada.stop().await;
    bot.rested();
    bot.rest().await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: A dog.
    +   Anteroom: I've stopped. Write whenever you're ready.
    ");
    model.next(Turn::says("What is it called?"));
    ada.reply("resume").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: resume
    +   Anteroom: What is it called?
            [Helpful] [Not helpful]
    ");
    model.assert_played();
}

#[tokio::test]
async fn row_20_reminders_that_came_due_while_the_bot_was_away_are_one() {
    let mut bot = begun().await;
    let ada = bot.ada();
    bot.unrested();
    bot.clock.advance(TimeDelta::hours(80));
    bot.crash().await;
    bot.pass(TimeDelta::minutes(5)).await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            [Red] [Blue]
    +   Anteroom: A reminder: this question is still open. Type _stop reminders_ for no more of these.
            [Later] [Stop reminders]
    ");
}

/// A channel is archived, or opened again.
async fn archive(bot: &Bot, archived: bool) {
    bot.slack.with(|state| {
        let channel = state.channels.get_mut("C0GENERAL").unwrap();
        channel.archived = archived;
        let name = if archived { "channel_archive" } else { "channel_unarchive" };
        let ts = state.ts();
        let event =
            json!({ "type": name, "channel": "C0GENERAL", "user": "U0GRACE", "event_ts": ts });
        state.tell(TEAM, name, &event);
    });
    bot.slack.delivered().await;
    bot.rest().await;
}

#[tokio::test]
async fn row_33_an_archived_channel_pauses_what_stands_in_it() {
    let flow = troubles::FLOW.replace("place = \"dm\"", "place = \"channel-thread\"");
    let bot = Bot::on(&flow).await;
    let (ada, desk) = (bot.ada().at("general"), bot.grace().at("recruiting-desk"));
    ada.command("/onboard start").await;
    drop((ada.news(), desk.news()));
    archive(&bot, true).await;
    assert_snapshot!(desk.news(), @"
    + Anteroom: *Ada Byron* (@Ada Byron) · A short talk
          · Step 1 of 2 · One · 0/2 · paused. Write in this thread to take over. I'll pass on what you write.
          [Take over] [! End the conversation ?]
    +   Anteroom: I can't reach Ada Byron any more: the channel was archived. The conversation is paused; nothing is lost.
    ");
    let calls = bot.slack.calls().len();
    bot.pass(TimeDelta::days(4)).await;
    let after = bot.slack.calls().split_off(calls);
    let there = after.iter().filter(|call| call.body["channel"] == "C0GENERAL").count();
    assert_eq!(there, 0, "{after:?}");
    archive(&bot, false).await;
    ada.press("Blue").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 2 · One · 1/2
          [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 6 Nov 2026 10:00 UTC
    +   Anteroom: A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    ");
}

#[tokio::test]
async fn row_33_a_post_that_finds_the_channel_gone_pauses_as_well() {
    let flow = troubles::FLOW.replace("place = \"dm\"", "place = \"channel-thread\"");
    let bot = Bot::on(&flow).await;
    let (ada, desk) = (bot.ada().at("general"), bot.grace().at("recruiting-desk"));
    ada.command("/onboard start").await;
    drop((ada.news(), desk.news()));
    bot.slack.fail("chat.postMessage", 1, Fault::Says("is_archived"));
    ada.press("Blue").await;
    assert_snapshot!(desk.news(), @"
    + Anteroom: *Ada Byron* (@Ada Byron) · A short talk
          · Step 1 of 2 · One · 1/2 · paused. Write in this thread to take over. I'll pass on what you write.
          [Take over] [! End the conversation ?]
    +   Anteroom: I can't reach Ada Byron any more: the channel is archived. The conversation is paused; nothing is lost.
    ");
}

#[tokio::test]
async fn row_40_a_model_that_never_comes_to_an_end_is_stopped_with_words() {
    let model = Scripted::new();
    for _ in 0..10 {
        model.next(Turn::calls("no_such_tool", &json!({})));
    }
    let bot = led(&model, Turn::says("I shall stop here.")).await;
    assert_snapshot!(bot.ada().last(), @"Anteroom: That's as far as I can take it on my own for now. Write to me to continue, or type _human_ to reach a person.");
    assert!(model.seen().len() <= 11, "{}", model.seen().len());
}

#[tokio::test]
async fn row_41_an_answer_that_has_counted_is_not_asked_again_when_the_provider_fails() {
    let model = Scripted::new();
    let bot = led(&model, Turn::calls("get_user_option", &colours())).await;
    let ada = bot.ada();
    model.next(Turn::fails(Error::Busy));
    ada.press("Blue").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    +   Anteroom: One moment… I'm having trouble responding. What you write isn't lost.
    ");
    model.next(Turn::says("Blue, then."));
    bot.pass(TimeDelta::minutes(2)).await;
    assert_snapshot!(ada.news(), @"
    +   Anteroom: Blue, then.
            [Helpful] [Not helpful]
    ");
    assert_eq!(ada.screen().matches("Which colour?").count(), 1, "{}", ada.screen());
    model.assert_played();
}

#[tokio::test]
async fn row_44_one_person_in_two_conversations_answers_each_where_it_stands() {
    let flow = troubles::FLOW.replace("place = \"dm\"", "place = \"channel-thread\"");
    let bot = Bot::on(&flow).await;
    let ada = bot.ada().at("general");
    for _ in 0..2 {
        ada.say("@anteroom start").await;
    }
    drop(ada.news());
    ada.press_on("Which colour?", "Red").await;
    ada.press("Blue").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): · Step 1 of 2 · One · 1/2
            [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    ~   Anteroom (edited): · Step 1 of 2 · One · 1/2
            [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Red* · 2 Nov 2026 10:00 UTC
    +   Anteroom: A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    +   Anteroom: A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    ");
    let sessions = anteroom::store::Store::sessions(&*bot.store, None, 9).await.unwrap();
    let mut chosen = Vec::new();
    for head in &sessions {
        let look = bot.engine.look(head.id).await.unwrap();
        chosen.push(look.state.results["colour"]["selectedIds"].clone());
    }
    assert_eq!(chosen, [json!(["blue"]), json!(["red"])]);
}
