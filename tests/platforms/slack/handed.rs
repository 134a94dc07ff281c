//! What the bot makes is handed over: pictures and documents as files, addresses as buttons, each once.

use chrono::TimeDelta;
use insta::assert_snapshot;

use crate::slack::{
    bot::{Bot, Plan},
    emulator::{BOT_USER, faults::Fault},
};

/// A return is worked out, and a calendar offered, before something is asked.
const FLOW: &str = r#"
format = 1
id = "figures"
version = "1.0.0"
title = "Figures"

[start.slack]
commands = ["/onboard"]
place = "dm"

[approvals.override]
decider = "participant"

[handoff]
channel = "recruiting_desk"

[lead.points]
worded = 40

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["calculate_roi", "get_booking_link", "request_user_input"]

  [[phase.objective]]
  id = "worded"
  title = "A word"
  done = { answered = { step = "word" } }

  [[phase.step]]
  id = "first"
  tool = "request_user_input"
  args = { prompt = "Shall I work it out?" }

  [[phase.step]]
  id = "return"
  tool = "calculate_roi"
  args = { timeSavings = 2080, implementationCost = 40000 }

  [[phase.step]]
  id = "calendar"
  tool = "get_booking_link"

  [[phase.step]]
  id = "word"
  tool = "request_user_input"
  args = { prompt = "A word, please." }
"#;

pub(crate) async fn begun() -> Bot {
    let bot = of(FLOW).await;
    bot.ada().command("/onboard start").await;
    drop(bot.ada().news());
    bot
}

async fn of(flow: &str) -> Bot {
    let config = "[consulting.booking]\nconsultation = \"https://cal.example.org/first\"\n";
    let plan = Plan { flow: Some(flow.to_owned()), config: config.to_owned(), ..Plan::default() };
    Bot::planned(plan).await
}

/// Files of the bot that people see in a conversation, by title, with how their bytes begin.
fn seen(bot: &Bot) -> Vec<(String, Vec<u8>)> {
    bot.slack.look(|state| {
        let files =
            state.files.values().filter(|file| file.user == BOT_USER && file.channel.is_some());
        files.map(|file| (file.name.clone(), file.bytes[..4].to_vec())).collect()
    })
}

#[tokio::test]
async fn a_picture_and_a_link_are_handed_over_in_the_conversation() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.reply("Yes.").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Shall I work it out?
            ✓ You answered: *Yes.* · 2 Nov 2026 10:00 UTC
            [Change]
    +   Ada Byron: Yes.
    +   Anteroom: Return over 12 months, based on your figures.
            (file: return-AAAAAABw.png)
    +   Anteroom: You can choose a time for a first talk here.
            [Choose a time ↗]
    +   Anteroom: A word, please.
            · Type your answer here, or write it in a form.
            [Write an answer]
    ");
    let files = seen(&bot);
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].1, b"\x89PNG");
    bot.judge();
    // What was used is noted, and how far the talk came: at a glance, for those who count.
    let glance = async || bot.engine.look(bot.session().await).await.unwrap().loaded.head;
    let head = glance().await;
    assert_eq!((head.capabilities, head.score), (vec!["roi".to_owned()], Some(0)));
    ada.reply("Thanks.").await;
    assert_eq!(glance().await.score, Some(40));
}

#[tokio::test]
async fn what_did_not_succeed_was_not_used() {
    // Without prices nothing fails; without hours the figures do.
    let flow = FLOW.replace("timeSavings = 2080, ", "");
    let bot = Bot::on(&flow).await;
    bot.ada().command("/onboard start").await;
    bot.ada().reply("Yes.").await;
    bot.ada().sees("A word, please.").await;
    let head = bot.engine.look(bot.session().await).await.unwrap().loaded.head;
    assert!(head.capabilities.is_empty(), "{:?}", head.capabilities);
    assert!(seen(&bot).is_empty());
}

#[tokio::test]
async fn a_picture_whose_upload_was_not_answered_is_not_there_twice() {
    for (method, fault) in [
        ("files.completeUploadExternal", Fault::BrokenAfter),
        ("files.completeUploadExternal", Fault::CutAfter),
        ("files.completeUploadExternal", Fault::Broken),
        ("files.getUploadURLExternal", Fault::TooMany(1)),
    ] {
        let bot = begun().await;
        bot.slack.fail(method, 1, fault);
        bot.ada().reply("Yes.").await;
        for _ in 0..3 {
            bot.pass(TimeDelta::minutes(2)).await;
        }
        assert_eq!(seen(&bot).len(), 1, "{method} {fault:?}");
        bot.ada().sees("A word, please.").await;
    }
}

#[tokio::test]
async fn an_upload_that_slack_shows_late_is_waited_for() {
    let bot = begun().await;
    bot.slack.fail("files.completeUploadExternal", 1, Fault::CutAfter);
    bot.slack.with(|state| state.shares_after = TimeDelta::seconds(10));
    bot.ada().reply("Yes.").await;
    for _ in 0..40 {
        bot.pass(TimeDelta::seconds(1)).await;
    }
    assert_eq!(seen(&bot).len(), 1);
    bot.ada().sees("A word, please.").await;
}

#[tokio::test]
async fn words_over_a_picture_that_begins_the_conversation_are_said_once() {
    let first = FLOW.find("\n  [[phase.step]]\n  id = \"first\"").unwrap();
    let second = FLOW.find("\n  [[phase.step]]\n  id = \"return\"").unwrap();
    let flow = [&FLOW[..first], &FLOW[second..]].concat();
    // Without an objective there is no word of how far it is.
    let objective = flow.find("\n  [[phase.objective]]").unwrap();
    let flow = [&flow[..objective], &flow[flow.find("\n  [[phase.step]]").unwrap()..]].concat();
    let flow = flow.replace("[lead.points]\nworded = 40\n", "");
    for fault in [Fault::TooMany(1), Fault::Broken, Fault::CutAfter] {
        let bot = of(&flow).await;
        bot.slack.fail("files.completeUploadExternal", 1, fault);
        bot.ada().command("/onboard start").await;
        for _ in 0..3 {
            bot.pass(TimeDelta::minutes(2)).await;
        }
        let screen = bot.ada().screen();
        assert_eq!(screen.matches("Return over 12 months").count(), 1, "{screen}");
        assert_eq!(seen(&bot).len(), 1, "{screen}");
    }
}

#[tokio::test]
async fn a_picture_is_handed_over_after_a_crash_too() {
    let mut bot = begun().await;
    bot.slack.fail("files.completeUploadExternal", 1, Fault::CutAfter);
    bot.ada().reply("Yes.").await;
    bot.clock.advance(TimeDelta::seconds(1));
    bot.crash().await;
    for _ in 0..3 {
        bot.pass(TimeDelta::minutes(2)).await;
    }
    assert_eq!(seen(&bot).len(), 1);
    bot.ada().sees("A word, please.").await;
}

#[tokio::test]
async fn a_file_that_was_erased_is_said_to_be_gone() {
    let bot = begun().await;
    bot.slack.fail("files.getUploadURLExternal", 1, Fault::TooMany(30));
    bot.ada().reply("Yes.").await;
    let session = bot.session().await;
    bot.engine.parts().artifacts.erase(session).await.unwrap();
    for _ in 0..3 {
        bot.pass(TimeDelta::minutes(2)).await;
    }
    bot.ada().sees("That file is no longer stored.").await;
    assert!(seen(&bot).is_empty());
}
