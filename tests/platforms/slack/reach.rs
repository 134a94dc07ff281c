//! Somebody who cannot be written to directly (F14), and what nobody is told twice.
//!
//! F numbers are those of `docs/behaviour.md`.

use chrono::TimeDelta;
use insta::assert_snapshot;

use crate::slack::{
    bot::Bot,
    emulator::{faults::Fault, person::Person},
};

/// One question, for people who are invited.
const FLOW: &str = r#"
format = 1
id = "colours"
version = "1.0.0"
title = "About colours"

[start.slack]
commands = ["/onboard"]
invite = true
place = "dm"
PARENT

[handoff]
channel = "recruiting_approvals"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option", "request_user_input"]

  [[phase.objective]]
  id = "coloured"
  title = "A colour"
  done = { answered = { step = "colour" } }

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.step]]
  id = "why"
  tool = "request_user_input"
  args = { prompt = "Why?" }
"#;

/// Ada cannot be written to directly; the flow names a channel for that, or none.
async fn closed(parent: &str) -> Bot {
    let bot = Bot::on(&FLOW.replace("PARENT", parent)).await;
    bot.slack.with(|state| state.users.get_mut("U0ADA").unwrap().closed = true);
    bot
}

/// The flow's private channel, with Ada in it.
fn room(bot: &Bot) -> Person {
    bot.slack.with(|state| {
        let desk = state.channels.get_mut("C0DESK").unwrap();
        desk.members.insert("U0ADA".to_owned());
    });
    bot.ada().at("recruiting-desk")
}

async fn invite(grace: &Person) {
    grace.command("/onboard invite @ada").await;
    grace.press("Send").await;
}

#[tokio::test]
async fn f14_a_private_channel_takes_the_conversation() {
    let bot = closed("parent = \"recruiting_desk\"").await;
    let (ada, grace) = (room(&bot), bot.grace());
    invite(&grace).await;
    assert_snapshot!(ada.news(), @"
    + Anteroom: @Ada Byron, I can't send you direct messages, so let's talk here, in the thread below. Everyone in this channel can read it.
    +   Anteroom: · Step 1 of 1 · One · 0/1
            [Help]
    +   Anteroom: Which colour?
            [Red] [Blue]
    ");
    ada.press("Blue").await;
    ada.reply_to("Why?", "It is calm.").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): · Step 1 of 1 · One · 1/1
            [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    +   Anteroom (edited): Why?
            ✓ You answered: *It is calm.* · 2 Nov 2026 10:00 UTC
    +   Ada Byron: It is calm.
    +   Anteroom: All done. The team has stored only your choices.
            [Download my answers] [Delete my data]
    ");
    assert_eq!(bot.ada().screen().matches("Which colour?").count(), 0, "{}", bot.ada().screen());
    // Nobody had to be told of anything.
    assert_snapshot!(grace.at("recruiting-approvals").news(), @"");
    bot.judge();
}

#[tokio::test]
async fn f14_in_the_channel_only_who_is_asked_answers() {
    let bot = closed("parent = \"recruiting_desk\"").await;
    let ada = room(&bot);
    invite(&bot.grace()).await;
    let mallory = bot.mallory().at("recruiting-desk");
    drop(mallory.news());
    mallory.press("Red").await;
    mallory.reply_to("Which colour?", "Red").await;
    assert_snapshot!(mallory.news(), @"
    +   Anteroom (only you): Only the person who was asked can answer this.
    +   Mallory: Red
    ");
    assert!(ada.has_button("Blue"), "{}", ada.screen());
}

#[tokio::test]
async fn f14_trouble_on_the_way_to_the_channel_begins_nothing_twice() {
    for fault in [Fault::Broken, Fault::BrokenAfter, Fault::CutAfter] {
        let mut bot = closed("parent = \"recruiting_desk\"").await;
        let ada = room(&bot);
        // The first post to Ada is refused; the next is the one into the channel.
        bot.slack.fail("chat.postMessage", 1, Fault::Says("user_not_visible"));
        bot.slack.fail("chat.postMessage", 1, fault);
        invite(&bot.grace()).await;
        bot.clock.advance(TimeDelta::seconds(1));
        bot.crash().await;
        bot.pass(TimeDelta::minutes(5)).await;
        ada.sees("Which colour?").await;
        let screen = ada.screen();
        assert_eq!(screen.matches("I can't send you direct messages").count(), 1, "{screen}");
        assert_eq!(screen.matches("Which colour?").count(), 1, "{screen}");
    }
}

#[tokio::test]
async fn f14_without_a_channel_who_invited_and_staff_are_told_once() {
    let bot = closed("").await;
    let grace = bot.grace();
    invite(&grace).await;
    assert_snapshot!(grace.news(), @"
    + Anteroom (only you) (edited): Invitation for @Ada Byron to *About colours*
          Sent. You'll see how it goes in the team's channel.
    + Anteroom: I can't send @Ada Byron direct messages, so they haven't read anything yet. Nothing is lost. Ask them to open this app under “Apps” and write to me there, or invite them again later. Whoever runs this bot can also choose a private channel for the interview.
    ");
    assert_snapshot!(grace.at("recruiting-approvals").news(), @"
    + Anteroom: *Ada Byron* (@Ada Byron) · About colours
          · Step 1 of 1 · One · 0/1 · paused. Write in this thread to take over. I'll pass on what you write.
          [Take over] [! End the conversation ?]
    +   Anteroom: *Ada Byron* didn't get a message from me: they do not take messages from the app.
    +   Anteroom: The conversation with Ada Byron is paused until they can be reached; nothing is lost.
    ");
    // Nothing more is tried, and nobody hears of it again.
    bot.pass(TimeDelta::hours(30)).await;
    assert_snapshot!(grace.news(), @"");
    // Ada writes by herself, and it goes on where it was.
    bot.slack.with(|state| state.users.get_mut("U0ADA").unwrap().closed = false);
    let ada = bot.ada();
    ada.say("hello").await;
    assert_snapshot!(ada.news(), @"
    + Ada Byron: hello
    +   Anteroom: I couldn't match that to one of the choices. Please pick one, or write its name.
    +   Anteroom: Which colour?
            [Red] [Blue]
    ");
}

#[tokio::test]
async fn f14_who_invited_is_told_after_a_crash() {
    let mut bot = closed("").await;
    let grace = bot.grace();
    // Nobody knows whether what Grace was told has arrived, and the bot dies.
    bot.slack.break_for_good("chat.postMessage", "U0GRACE", Fault::Cut);
    invite(&grace).await;
    let told = "I can't send @Ada Byron direct messages";
    assert!(!grace.can_see(told), "{}", grace.screen());
    bot.slack.mend();
    for _ in 0..2 {
        bot.crash().await;
        assert_eq!(grace.screen().matches(told).count(), 1, "{}", grace.screen());
    }
}

#[tokio::test]
async fn f14_who_is_invited_again_is_tried_again() {
    let bot = closed("parent = \"recruiting_desk\"").await;
    let grace = bot.grace();
    // Nobody has added Ada to the channel yet.
    invite(&grace).await;
    drop(grace.news());
    invite(&grace).await;
    let told = grace.news();
    assert_eq!(told.matches("I can't send @Ada Byron direct messages").count(), 1, "{told}");
    let ada = room(&bot);
    invite(&grace).await;
    let told = grace.news();
    assert_eq!(told.matches("I can't send @Ada Byron direct messages").count(), 0, "{told}");
    assert_eq!(ada.screen().matches("Which colour?").count(), 1, "{}", ada.screen());
    ada.press("Red").await;
    assert!(ada.can_see("Why?"), "{}", ada.screen());
}

/// Nobody reads of a message that was not sent.
#[tokio::test]
async fn who_has_the_conversation_already_is_not_said_to_be_written_to() {
    let bot = Bot::on(&FLOW.replace("PARENT", "\n[pace]\nexpire_after = \"14d\"")).await;
    let (ada, grace) = (bot.ada(), bot.grace());
    invite(&grace).await;
    grace.sees("Sent.").await;
    drop(grace.news());
    let invited_again = async |how: &str| {
        drop(ada.news());
        invite(&grace).await;
        grace.sees(&format!("Nothing new was sent: {how}")).await;
        assert_eq!((ada.news().as_str(), grace.news().contains("Sent.")), ("", false));
    };
    invited_again("they're already in this interview.").await;
    ada.say("stop").await;
    invited_again("they already have this interview, and it's stopped. They can continue it").await;
    ada.say("resume").await;
    bot.pass(TimeDelta::days(15)).await;
    invited_again("they already have this interview, and it's paused. They can continue it").await;
    let general = ada.at("general");
    let said = "You already have this conversation; look under this app's messages. Type *resume* in it to continue.";
    for times in 1..=2 {
        match times {
            1 => general.command("/onboard start").await,
            _ => drop(general.say("@anteroom start").await),
        }
        let screen = general.screen();
        assert_eq!(screen.matches(said).count(), times, "{screen}");
        assert!(!screen.contains("I've sent") && !screen.contains("I can't write"), "{screen}");
    }
    assert_eq!(ada.news(), "");
}

#[tokio::test]
async fn who_begins_in_a_channel_is_told_there_that_nothing_reaches_them() {
    let bot = closed("").await;
    let ada = bot.ada().at("general");
    ada.say("@anteroom start").await;
    let told = ada.news();
    assert_eq!(told.matches("I can't write to you directly.").count(), 1, "{told}");
}

#[tokio::test]
async fn f14_who_begins_by_themselves_is_told_where_they_are() {
    let bot = closed("").await;
    let ada = bot.ada().at("general");
    ada.command("/onboard start").await;
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): I've sent you a direct message; look under this app's messages.
    + Anteroom (only you): I can't write to you directly. Open this app under “Apps” and write to me there, and we'll continue.
    ");
}

#[tokio::test]
async fn f14_a_public_channel_takes_no_conversation() {
    let bot = closed("parent = \"recruiting_desk\"").await;
    let ada = room(&bot);
    bot.slack.with(|state| {
        let desk = state.channels.get_mut("C0DESK").unwrap();
        desk.kind = crate::slack::emulator::state::Kind::Public;
    });
    invite(&bot.grace()).await;
    assert_eq!(ada.screen().matches("Which colour?").count(), 0, "{}", ada.screen());
    assert!(
        bot.grace().can_see("I can't send @Ada Byron direct messages"),
        "{}",
        bot.grace().screen()
    );
}
