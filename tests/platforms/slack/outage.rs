//! Slack and the bot lose sight of each other: what was written meanwhile is taken, and what waited leaves once.
//!
//! Rows are those of `docs/semantics.md`.

use chrono::TimeDelta;
use insta::assert_snapshot;

use crate::slack::{
    approvals,
    bot::Bot,
    emulator::{BOT_USER, faults::Fault, person::Person, state::Message},
    scripted::{Scripted, Turn},
    troubles,
};

/// Two questions, one part each of what is shown as progress.
pub(crate) const FLOW: &str = r#"
format = 1
id = "colours"
version = "1.0.0"
title = "About colours"

[start.slack]
commands = ["/onboard"]
place = "dm"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option", "request_user_input"]

  [[phase.objective]]
  id = "coloured"
  title = "A colour"
  done = { answered = { step = "colour" } }

  [[phase.objective]]
  id = "explained"
  title = "Why"
  done = { answered = { step = "why" } }

  [[phase.objective]]
  id = "named"
  title = "A name"
  done = { answered = { step = "name" } }

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.step]]
  id = "why"
  tool = "request_user_input"
  args = { prompt = "Why?" }

  [[phase.step]]
  id = "name"
  tool = "request_user_input"
  args = { prompt = "Your name?" }
"#;

/// Ada is asked for a colour.
async fn begun() -> Bot {
    let bot = Bot::on(FLOW).await;
    bot.ada().command("/onboard start").await;
    drop(bot.ada().news());
    bot
}

/// Ada writes, and no event tells of it; in the thread of the conversation, or beside it.
fn writes_undelivered(bot: &Bot, text: &str, in_thread: bool) {
    bot.slack.with(|state| {
        let events = std::mem::take(&mut state.settings.events);
        let messages = &state.channels["D0ADA"].messages;
        let root = messages.values().find(|message| is_root(message)).unwrap().ts.clone();
        let thread = in_thread.then_some(root);
        let (user, text) = ("U0ADA".to_owned(), text.to_owned());
        state.post("D0ADA", Message { thread, user, text, ..Message::default() });
        state.settings.events = events;
    });
}

/// Somebody writes under the newest message of the bot with these words, or begins a thread where there are none; no event
/// tells of it.
async fn undelivered(bot: &Bot, person: &Person, under: &str, text: &str) {
    let events = bot.slack.with(|state| std::mem::take(&mut state.settings.events));
    if under.is_empty() {
        person.say(text).await;
    } else {
        person.reply_to(under, text).await;
    }
    bot.slack.with(|state| state.settings.events = events);
}

/// Whether a conversation begins with it.
fn is_root(message: &Message) -> bool {
    message.user == BOT_USER && message.only_for.is_none()
}

/// How often somebody's words were taken.
async fn taken(bot: &Bot) -> usize {
    let heads = bot.engine.newest((None, 10), |_| true).await.unwrap().0;
    let loaded = bot.engine.look(heads[0].id).await.unwrap().loaded;
    let answered = |event: &anteroom::model::transcript::Event| {
        use anteroom::model::transcript::Event::{Answered, Said};
        matches!(event, Said { .. } | Answered { .. })
    };
    loaded.events.iter().filter(|recorded| answered(&recorded.event)).count()
}

#[tokio::test]
async fn what_was_written_while_nobody_listened_is_taken_once() {
    let mut bot = begun().await;
    let ada = bot.ada();
    writes_undelivered(&bot, "blue", true);
    bot.rest().await;
    assert!(ada.has_button("Blue"), "{}", ada.screen());
    bot.clock.advance(TimeDelta::hours(3));
    bot.crash().await;
    ada.sees("You answered: *Blue*").await;
    ada.sees("Why?").await;
    // Beside the thread, and two at once; one of the next is events as usual.
    writes_undelivered(&bot, "It is calm.", false);
    bot.crash().await;
    ada.sees("Your name?").await;
    bot.rest().await;
    let before = taken(&bot).await;
    bot.crash().await;
    bot.rest().await;
    assert_eq!(taken(&bot).await, before, "{}", ada.screen());
    ada.say("Ada").await;
    ada.sees("All done.").await;
    let done = taken(&bot).await;
    bot.crash().await;
    bot.rest().await;
    assert_eq!(taken(&bot).await, done, "{}", ada.screen());
}

/// Something newer may be delivered before it is the conversation's turn to be read.
#[tokio::test]
async fn what_was_written_before_something_that_was_delivered_is_taken_as_well() {
    let mut bot = begun().await;
    let ada = bot.ada();
    bot.clock.advance(TimeDelta::hours(3));
    writes_undelivered(&bot, "It is calm.", true);
    bot.clock.advance(TimeDelta::minutes(1));
    ada.press("Blue").await;
    ada.sees("Why?").await;
    bot.crash().await;
    ada.sees("Your name?").await;
    let before = taken(&bot).await;
    bot.crash().await;
    assert_eq!(taken(&bot).await, before, "{}", ada.screen());
}

#[tokio::test]
async fn what_others_write_in_a_channel_meanwhile_is_not_more_than_it_was() {
    let flow = FLOW.replace("place = \"dm\"", "place = \"channel-thread\"");
    let mut bot = Bot::on(&flow).await;
    let ada = bot.ada().at("general");
    ada.command("/onboard start").await;
    bot.slack.with(|state| {
        let events = std::mem::take(&mut state.settings.events);
        let messages = state.channels["C0GENERAL"].messages.values();
        let root = messages.clone().find(|message| is_root(message)).unwrap().ts.clone();
        let (user, text) = ("U0MALLORY".to_owned(), "red".to_owned());
        state.post("C0GENERAL", Message { thread: Some(root), user, text, ..Message::default() });
        state.settings.events = events;
    });
    bot.crash().await;
    bot.rest().await;
    assert!(ada.has_button("Blue"), "{}", ada.screen());
}

#[tokio::test]
async fn row_38_edits_that_had_to_wait_leave_as_one_with_the_newest() {
    let mut bot = begun().await;
    let ada = bot.ada();
    bot.slack.fail("chat.update", 1, Fault::TooMany(30));
    let before = bot.slack.calls_of("chat.update").len();
    ada.press("Red").await;
    // Slack does not want to hear of it for a while. Ada goes on by typing.
    ada.say("It is warm.").await;
    assert_eq!(bot.slack.calls_of("chat.update").len(), before + 1);
    bot.clock.advance(TimeDelta::seconds(31));
    bot.crash().await;
    bot.pass(TimeDelta::seconds(1)).await;
    ada.sees("Your name?").await;
    bot.rest().await;
    let edits = bot.slack.calls_of("chat.update").split_off(before + 1);
    let progress: Vec<_> =
        edits.iter().filter(|edit| edit.body["text"].to_string().contains("Step")).collect();
    assert_eq!(progress.len(), 1, "{edits:#?}");
    assert!(progress[0].body["text"].to_string().contains("2/3"), "{:#?}", progress[0]);
}

#[tokio::test]
async fn a_decision_typed_while_nobody_listened_is_taken_once() {
    let model = Scripted::new();
    let mut bot = approvals::asked(&model).await;
    let (ada, grace) = (bot.ada(), bot.grace().at("recruiting-approvals"));
    drop((ada.news(), grace.news()));
    bot.clock.advance(TimeDelta::minutes(20));
    undelivered(&bot, &grace, "there is no pet", "approve").await;
    model.next(Turn::says("Goodbye then."));
    bot.clock.advance(TimeDelta::hours(2));
    bot.crash().await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 2 of 2 · Goodbye
          [Help]
    +   Anteroom: The team approved your request, so let's move on.
    +   Anteroom: Goodbye then.
            [Helpful] [Not helpful]
    ");
    let told = grace.screen().matches("Approved by @Grace Hopper.").count();
    bot.crash().await;
    assert_eq!((told, grace.screen().matches("Approved by @Grace Hopper.").count()), (1, 1));
    model.assert_played();
}

#[tokio::test]
async fn words_of_staff_written_while_nobody_listened_are_passed_on_once() {
    let mut bot = troubles::begun().await;
    let (ada, linus) = (bot.ada(), bot.slack.person("U0LINUS").at("recruiting-desk"));
    ada.reply("human").await;
    drop((ada.news(), linus.news()));
    bot.clock.advance(TimeDelta::minutes(20));
    undelivered(&bot, &linus, "asked for a human", "Hello Ada, Linus here.").await;
    undelivered(&bot, &bot.mallory().at("recruiting-desk"), "asked for a human", "I am nobody")
        .await;
    bot.clock.advance(TimeDelta::hours(2));
    bot.crash().await;
    assert_snapshot!(ada.news(), @"
    +   Anteroom: Linus Pauling from the team is here now.
    +   Anteroom: Linus Pauling: Hello Ada, Linus here.
    ");
    bot.crash().await;
    assert_snapshot!(ada.news(), @"");
}

#[tokio::test]
async fn a_first_message_written_while_nobody_listened_is_answered_once() {
    let mut bot = begun().await;
    let linus = bot.slack.person("U0LINUS");
    bot.clock.advance(TimeDelta::minutes(20));
    undelivered(&bot, &linus, "", "hello").await;
    bot.clock.advance(TimeDelta::hours(2));
    bot.crash().await;
    assert_snapshot!(linus.news(), @"
    + Linus Pauling: hello
    +   Anteroom: Hello. I run interviews, one step at a time. Which one would you like to start?
            [About colours]
    ");
    bot.crash().await;
    assert_snapshot!(linus.news(), @"");
    // A word that begins one begins it.
    undelivered(&bot, &bot.mallory(), "", "start").await;
    bot.crash().await;
    bot.mallory().sees("Which colour?").await;
    assert_eq!(bot.mallory().screen().matches("Which colour?").count(), 1);
}

#[tokio::test]
async fn a_mention_written_while_nobody_listened_begins_a_conversation_once() {
    let flow = FLOW.replace("place = \"dm\"", "place = \"channel-thread\"");
    let mut bot = Bot::on(&flow).await;
    let linus = bot.slack.person("U0LINUS").at("general");
    linus.say("Nobody is meant.").await;
    bot.clock.advance(TimeDelta::minutes(20));
    undelivered(&bot, &linus, "", "@anteroom start").await;
    bot.clock.advance(TimeDelta::hours(2));
    for _ in 0..2 {
        bot.crash().await;
        assert_eq!(linus.screen().matches("Which colour?").count(), 1, "{}", linus.screen());
    }
}
