//! Rows of `docs/semantics.md` that are about what the next program is, or what the last one left: tools that are
//! gone (28, 29), a process that ended in the middle of something (7), a newer program's conversation (30), a clock that
//! is wrong (21); and the two that look like any other card, asked again (13) or by a child run (39).

use std::sync::Arc;

use anteroom::{
    base::ids::SessionId,
    model::{
        STORED_VERSION,
        session::{Head, Place},
        transcript::{Event, Recorded},
    },
    session::Responder,
    store::{Commit, Find, Store as _},
};
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    approvals::{FLOW, asked},
    bot::{Bot, Plan},
    deployed::{Deployed, Victim},
    emulator::{TEAM, faults::Fault},
    rows::{colours, led},
    scripted::{Scripted, Turn},
    troubles::begun,
};

/// A tool of which nobody can say whether it was done is not run again: a person is asked.
#[tokio::test]
async fn row_7_what_may_have_been_done_is_not_done_again_and_staff_are_asked() {
    let (model, victim) = (Scripted::new(), Victim::default());
    let deployed = Deployed { once: Some(Arc::clone(&victim)), ..Deployed::default() };
    let flow = Some(FLOW.replace("\"next_phase\"]", "\"next_phase\", \"once\"]"));
    let model_too = Some(Arc::clone(&model));
    let mut bot = Bot::planned(Plan { model: model_too, flow, deployed, ..Plan::default() }).await;
    let (ada, desk) = (bot.ada(), bot.grace().at("recruiting-desk"));
    model.next(Turn::says("Do you have a pet?"));
    ada.command("/onboard start").await;
    drop((ada.news(), desk.news()));
    *victim.lock().unwrap() = Some(Arc::clone(&bot.hold));
    model.next(Turn::calls("once", &json!({})));
    bot.unrested();
    ada.reply("A dog.").await;
    while !bot.hold.is_dead() {
        tokio::task::yield_now().await;
    }
    bot.crash().await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: A dog.
    +   Anteroom: I can't continue on my own here, so I've asked the team.
    ");
    assert_snapshot!(desk.news(), @"
    + Anteroom: *Ada Byron* (@Ada Byron) · About pets
          · Step 1 of 2 · Pets · 0/1 · running. Write in this thread to take over. I'll pass on what you write.
          [Take over] [Hand back] [! End the conversation ?]
    +   Anteroom: *Ada Byron* asked for a human in _About pets_: it is not known whether 'once' happened.

            • Step 1 of 2 · Pets
            • Still open: A pet
    ");
    model.next(Turn::says("Then let us go on."));
    ada.reply("continue").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: continue
    +   Anteroom: The assistant is back. Let's pick up where we left off.
    +   Anteroom: Then let us go on.
            [Helpful] [Not helpful]
    ");
    model.assert_played();
}

/// A question that is asked again is another one, though it looks the same.
#[tokio::test]
async fn row_13_a_button_of_before_a_question_was_asked_again_does_not_answer_it() {
    let bot = begun().await;
    let ada = bot.ada();
    // The old card stays as it was on her telephone, and the new one takes its time.
    bot.slack.fail("chat.update", 9, Fault::Says("edit_window_closed"));
    ada.reply("stop").await;
    bot.slack.fail("chat.postMessage", 3, Fault::Broken);
    ada.reply("resume").await;
    assert_eq!(ada.screen().matches("Which colour?").count(), 1, "{}", ada.screen());
    drop(ada.news());
    ada.press_on("Which colour?", "Red").await;
    assert_snapshot!(ada.news(), @"+   Anteroom (only you): That question is no longer open.");
    for _ in 0..6 {
        bot.pass(TimeDelta::minutes(2)).await;
    }
    assert_eq!(ada.screen().matches("Which colour?").count(), 2, "{}", ada.screen());
    ada.press("Blue").await;
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert_eq!(look.state.results["colour"]["selectedIds"], json!(["blue"]));
}

/// The bot's clock is set back by a day, and put right later: no deadline comes sooner, and none is passed over.
#[tokio::test]
async fn row_21_a_clock_that_was_set_back_shortens_no_deadline() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = bot.grace().at("recruiting-approvals");
    bot.pass(-TimeDelta::hours(20)).await;
    bot.pass(TimeDelta::days(7)).await;
    model.next(Turn::says("Goodbye."));
    drop(grace.news());
    grace.press("Approve").await;
    assert!(grace.can_see("*Approved* by @Grace Hopper"), "{}", grace.screen());
    model.assert_played();
}

#[tokio::test]
async fn row_28_a_card_of_a_tool_that_was_rewritten_is_answered_and_the_talk_goes_on() {
    goes_on_without(true, "tool_changed").await;
}

#[tokio::test]
async fn row_29_a_card_of_a_tool_that_is_gone_is_answered_and_the_talk_goes_on() {
    goes_on_without(false, "tool_unavailable").await;
}

/// The next program has another tool of that name, or none; a card of the old one is open.
async fn goes_on_without(rewritten: bool, code: &str) {
    let model = Scripted::new();
    let mut bot = led(&model, Turn::calls("get_user_option", &colours())).await;
    let ada = bot.ada();
    bot.deploy_without("get_user_option", rewritten).await;
    assert_eq!(ada.news(), "", "nobody notices");
    model.next(Turn::says("Then tell me in your own words."));
    ada.press("Blue").await;
    let read = model.read(1);
    assert!(read.contains(&format!("\"code\":\"{code}\"")), "{read}");
    insta::allow_duplicates! {
        assert_snapshot!(ada.news(), @"
        ~   Anteroom (edited): Which colour?
                ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
        +   Anteroom: Then tell me in your own words.
                [Helpful] [Not helpful]
        ");
    }
    model.next(Turn::says("Blue, then."));
    ada.reply("blue").await;
    assert!(ada.can_see("Blue, then."), "{}", ada.screen());
    model.assert_played();
}

/// A conversation gets an event that only a newer program can read.
async fn make_unreadable(bot: &Bot, session: SessionId) {
    let head = bot.store.find(Find::One(session)).await.unwrap().remove(0);
    let newer = Recorded {
        v: STORED_VERSION + 1,
        seq: head.seq + 1,
        at: head.updated_at,
        event: Arc::new(Event::RemindersStopped),
    };
    let expected = head.seq;
    let head = Head { seq: head.seq + 1, ..head };
    let commit = Commit::new(head, expected, vec![newer]);
    bot.store.commit(commit).await.unwrap();
}

/// Whoever leaves is not asked for in any of their conversations: one that cannot be read keeps no other from knowing.
#[tokio::test]
async fn row_30_somebody_leaves_with_a_conversation_of_a_newer_program_and_another_one() {
    let bot = begun().await;
    let head = bot.store.find(Find::One(bot.session().await)).await.unwrap().remove(0);
    let elsewhere = Place { thread: Some("77.7".to_owned()), ..head.place };
    let ada = Responder::without_rights(head.participant.clone(), "Ada".to_owned());
    bot.engine.start("short", &ada, elsewhere, "elsewhere").await.unwrap();
    bot.rest().await;
    let mine = bot.store.find(Find::Person(head.participant)).await.unwrap();
    let [first, second] = &mine[..] else { panic!("{mine:?}") };
    make_unreadable(&bot, first.id).await;
    bot.slack.with(|state| {
        let user = json!({ "id": "U0ADA", "deleted": true });
        let event = json!({ "type": "user_change", "user": user, "event_ts": state.ts() });
        state.tell(TEAM, "user_change", &event);
    });
    bot.slack.delivered().await;
    bot.rest().await;
    assert!(bot.engine.look(second.id).await.unwrap().state.is_out_of_reach);
}

#[tokio::test]
async fn row_30_a_conversation_of_a_newer_program_is_refused_with_words_and_the_others_run() {
    let bot = begun().await;
    let ada = bot.ada();
    make_unreadable(&bot, bot.session().await).await;
    ada.press("Blue").await;
    assert_snapshot!(ada.news(), @"+   Anteroom (only you): I can't open this conversation right now. The team needs to look at it.");
    ada.reply("Blue").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: Blue
    +   Anteroom (only you): I can't open this conversation right now. The team needs to look at it.
    ");
    let grace = bot.grace();
    grace.command("/onboard start").await;
    grace.press("Blue").await;
    assert!(grace.can_see("A file, please."), "{}", grace.screen());
}

/// A task that asks the person itself.
const DIG: &str = r#"
format = 1
name = "dig"
version = "1.0.0"
title = "Digging"
description = "Digs for something that lies deep."
tool = "Digs for something that lies deep."
input = '{"type":"object","required":["level"],"additionalProperties":false,"properties":{"level":{"type":"integer"}}}'
hints = ["dig", "shovel"]
prompt = "Dig, and say what you found."
tools = ["get_user_option"]
budget = { rounds = 4, tokens = 50000 }
output = '{"type":"object","required":["found"],"additionalProperties":false,"properties":{"found":{"type":"string"}}}'
"#;

#[tokio::test]
async fn row_39_what_a_child_asks_stands_in_the_conversation_of_its_root() {
    let model = Scripted::new();
    let flow = FLOW
        .replace("\"next_phase\"]", "\"next_phase\", \"dig\"]")
        .replace("[approvals.override]", "[limits]\ntokens = 1000000\n\n[approvals.override]");
    let (model_too, task) = (Some(Arc::clone(&model)), Some(DIG.to_owned()));
    let plan = Plan { model: model_too, flow: Some(flow), task, ..Plan::default() };
    let mut bot = Bot::planned(plan).await;
    let ada = bot.ada();
    model.next(Turn::calls("dig", &json!({ "level": 1 })));
    model.next(Turn::calls("get_user_option", &colours()));
    ada.command("/onboard start").await;
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): I've sent you a direct message; look under this app's messages.
    + Anteroom: · Step 1 of 2 · Pets · 0/1
          [Help]
    +   Anteroom: Which colour?
            [Red] [Blue]
            · For: Digging
    ");
    bot.crash().await;
    assert_snapshot!(ada.news(), @"");
    model.next(Turn::says(&json!({ "found": "a blue bone" }).to_string()));
    model.next(Turn::says("A blue bone was found."));
    ada.press("Blue").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    +   Anteroom: A blue bone was found.
            [Helpful] [Not helpful]
    ");
    // With the conversation its children end.
    model.next(Turn::calls("dig", &json!({ "level": 2 })));
    model.next(Turn::calls("get_user_option", &colours()));
    ada.reply("Dig on.").await;
    drop(ada.news());
    ada.reply("stop").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            *Question withdrawn*: the conversation was stopped. 2 Nov 2026 10:00 UTC
    +   Ada Byron: stop
    +   Anteroom: Stopped. I won't ask anything more. Type _resume_ to continue later, or _delete my data_ to erase everything.
            [Continue] [Delete my data]
    ");
    model.assert_played();
    bot.judge();
}
