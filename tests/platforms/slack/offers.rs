//! What the bot offers beside its words: buttons under what it says (F4, F5).
//!
//! F and J numbers are those of `docs/behaviour.md`.

use chrono::TimeDelta;
use insta::assert_snapshot;

use crate::slack::bot::Bot;

/// One question, with reminders.
pub(crate) const FLOW: &str = r#"
format = 1
id = "colours"
version = "1.0.0"
title = "About colours"

[start.slack]
commands = ["/onboard"]
place = "dm"

[pace]
remind_after = ["24h", "72h"]
expire_after = "14d"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option"]

  [[phase.objective]]
  id = "coloured"
  title = "A colour"
  done = { answered = { step = "colour" } }

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }
"#;

/// Ada is asked for a colour.
async fn begun() -> Bot {
    let bot = Bot::on(FLOW).await;
    bot.ada().command("/onboard start").await;
    drop(bot.ada().news());
    bot
}

#[tokio::test]
async fn f5_who_has_stopped_goes_on_by_a_button() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.say("stop").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            *Question withdrawn*: the conversation was stopped. 2 Nov 2026 10:00 UTC
    + Ada Byron: stop
    +   Anteroom: Stopped. I won't ask anything more. Type _resume_ to continue later, or _delete my data_ to erase everything.
            [Continue] [Delete my data]
    ");
    ada.press("Continue").await;
    assert_snapshot!(ada.news(), @"
    +   Anteroom: Welcome back. Let's pick up where we left off.
    +   Anteroom: Which colour?
            [Red] [Blue]
    ");
    // Once more does no harm.
    ada.press("Continue").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            [Red] [Blue]
    ");
    ada.press("Blue").await;
    assert!(ada.can_see("You answered: *Blue*"), "{}", ada.screen());
    bot.judge();
}

#[tokio::test]
async fn f5_who_has_stopped_erases_everything_by_a_button() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.say("stop").await;
    drop(ada.news());
    ada.press("Delete my data").await;
    assert_snapshot!(ada.news(), @"
    +   Anteroom: # Delete everything?
            This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
            [! Delete everything ?] [Keep everything]
    ");
    ada.press("Delete everything").await;
    assert_snapshot!(ada.news(), @"
    - Anteroom: · Step 1 of 1 · One · 0/1
          [Help]
    -   Anteroom (edited): Which colour?
            *Question withdrawn*: the conversation was stopped. 2 Nov 2026 10:00 UTC
    -   Anteroom: Stopped. I won't ask anything more. Type _resume_ to continue later, or _delete my data_ to erase everything.
            [Continue] [Delete my data]
    -   Anteroom: # Delete everything?
            This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
            [! Delete everything ?] [Keep everything]
    +   Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAACg`. I'm removing what I posted now, and I'll tell you when that's done.
    + Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAACg`. I've also removed what I had posted: 5 messages.

          What's left:

          • 2 messages that you sent in this conversation. Only you can delete them.
    ");
    // There is nothing left that the button could be about, nor the button.
    assert!(!ada.has_button("Continue"), "{}", ada.screen());
}

#[tokio::test]
async fn f4_a_reminder_can_be_put_off_and_stopped() {
    let bot = begun().await;
    let ada = bot.ada();
    bot.pass(TimeDelta::hours(25)).await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            [Red] [Blue]
    +   Anteroom: A reminder: this question is still open. Type _stop reminders_ for no more of these.
            [Later] [Stop reminders]
    ");
    ada.press("Later").await;
    assert_snapshot!(ada.news(), @"+   Anteroom: All right. The question stays open; answer it whenever you like.");
    ada.press("Stop reminders").await;
    assert_snapshot!(ada.news(), @"+   Anteroom: Okay, no more reminders.");
    bot.pass(TimeDelta::hours(72)).await;
    assert_snapshot!(ada.news(), @"");
    ada.press("Red").await;
    assert!(ada.can_see("You answered: *Red*"), "{}", ada.screen());
}

#[tokio::test]
async fn what_is_offered_to_one_is_not_for_another() {
    let flow = FLOW.replace("place = \"dm\"", "place = \"channel-thread\"");
    let bot = Bot::on(&flow).await;
    let (ada, mallory) = (bot.ada().at("general"), bot.mallory().at("general"));
    ada.command("/onboard start").await;
    ada.reply_to("Which colour?", "stop").await;
    drop(mallory.news());
    mallory.press("Continue").await;
    assert_snapshot!(mallory.news(), @"+   Anteroom (only you): Only the person who was asked can do that.");
    mallory.press("Delete my data").await;
    assert_snapshot!(mallory.news(), @"+   Anteroom (only you): Only the person who was asked can do that.");
}

/// Another part after the first, which asks before it begins.
fn in_two_parts() -> String {
    let next = r#"
[[phase]]
id = "two"
title = "Two"
mode = "script"
intro = "That was the first part. Next: one word, a minute at most."
ask_first = true
tools = ["request_user_input"]

  [[phase.objective]]
  id = "worded"
  title = "A word"
  done = { answered = { step = "word" } }

  [[phase.step]]
  id = "word"
  tool = "request_user_input"
  args = { prompt = "A word, please." }
"#;
    format!("{FLOW}{next}")
}

/// Ada has done the first part.
async fn between_parts() -> Bot {
    let bot = Bot::on(&in_two_parts()).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    drop(ada.news());
    ada.press("Blue").await;
    bot
}

#[tokio::test]
async fn j1_9_the_next_part_comes_when_somebody_goes_on() {
    let bot = between_parts().await;
    let ada = bot.ada();
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 2 of 2 · Two · 0/1
          [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    +   Anteroom: That was the first part. Next: one word, a minute at most.
            [+ Continue] [Later]
    ");
    ada.press("Continue").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): That was the first part. Next: one word, a minute at most.
            ✓ You answered: *Continue* · 2 Nov 2026 10:00 UTC
    +   Anteroom: A word, please.
            · Type your answer here, or write it in a form.
            [Write an answer]
    ");
    bot.judge();
}

#[tokio::test]
async fn j1_9_later_is_whenever_they_like() {
    let mut bot = between_parts().await;
    let ada = bot.ada();
    drop(ada.news());
    ada.press("Later").await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): That was the first part. Next: one word, a minute at most.
            ✓ You answered: *Later* · 2 Nov 2026 10:00 UTC
    +   Anteroom: All right. Type _resume_ whenever you're ready.
    ");
    // Nobody is reminded of what they put off.
    bot.pass(TimeDelta::hours(100)).await;
    bot.crash().await;
    assert_snapshot!(ada.news(), @"");
    ada.say("resume").await;
    assert_snapshot!(ada.news(), @"
    + Ada Byron: resume
    +   Anteroom: Welcome back. Let's pick up where we left off.
    +   Anteroom: A word, please.
            · Type your answer here, or write it in a form.
            [Write an answer]
    ");
    ada.say("Word").await;
    assert!(ada.can_see("All done."), "{}", ada.screen());
}

#[tokio::test]
async fn j1_9_who_writes_something_else_has_gone_on() {
    let bot = between_parts().await;
    let ada = bot.ada();
    ada.say("what is next?").await;
    assert!(ada.can_see("A word, please."), "{}", ada.screen());
    assert!(ada.can_see("You answered: *Continue*"), "{}", ada.screen());
}

#[tokio::test]
async fn j1_9_an_unanswered_question_is_asked_and_reminded_of_like_any_other() {
    let mut bot = between_parts().await;
    let ada = bot.ada();
    bot.crash().await;
    assert_eq!(ada.screen().matches("[+ Continue]").count(), 1, "{}", ada.screen());
    bot.pass(TimeDelta::hours(25)).await;
    assert!(ada.can_see("this question is still open"), "{}", ada.screen());
    ada.say("stop").await;
    ada.say("resume").await;
    // Who comes back wants to go on.
    assert!(ada.can_see("A word, please."), "{}", ada.screen());
}
