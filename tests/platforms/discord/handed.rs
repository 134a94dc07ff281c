//! What the bot makes is handed over: pictures and documents as files, addresses as buttons, each once.

use chrono::TimeDelta;
use insta::assert_snapshot;

use crate::discord::{
    bot::{Bot, Plan},
    emulator::faults::Fault,
};

/// A return is worked out, and a calendar offered, before something is asked.
const FLOW: &str = r#"
format = 1
id = "figures"
version = "1.0.0"
title = "Figures"

[start.discord]
panel = true
panel_text = "Press Start."
place = "private-thread"
parent = "welcome"
fallback = "dm"

[approvals.override]
decider = "participant"

[handoff]
channel = "staff_desk"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["calculate_roi", "get_booking_link", "get_user_option"]

  [[phase.objective]]
  id = "sure"
  title = "A word"
  done = { answered = { step = "sure" } }

  [[phase.step]]
  id = "first"
  tool = "get_user_option"
  args = { prompt = "Shall I work it out?", options = [ { id = "yes", label = "Yes, please" }, { id = "no", label = "No" } ] }

  [[phase.step]]
  id = "return"
  tool = "calculate_roi"
  args = { timeSavings = 2080, implementationCost = 40000 }

  [[phase.step]]
  id = "calendar"
  tool = "get_booking_link"

  [[phase.step]]
  id = "sure"
  tool = "get_user_option"
  args = { prompt = "Is that right?", options = [ { id = "yes", label = "It is" }, { id = "no", label = "It is not" } ] }
"#;

const POST: &str = "POST /channels/{channel}/messages";

pub(crate) async fn begun() -> Bot {
    begun_with(FLOW).await
}

async fn begun_with(flow: &str) -> Bot {
    let discord = "[consulting.booking]\nconsultation = \"https://cal.example.org/first\"\n";
    let (flow, discord) = (Some(flow.to_owned()), discord.to_owned());
    let bot = Bot::planned(Plan { flow, discord, ..Plan::default() }).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    bot.ada().press("Start").await;
    bot.ada().news();
    bot
}

#[tokio::test]
async fn a_picture_and_a_link_are_handed_over_in_the_thread() {
    let bot = begun().await;
    let ada = bot.ada();
    ada.press("Yes, please").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Shall I work it out?
          ┃✓ ✓ You answered: **Yes, please** · <t:1793628300:f>
      + Anteroom: Return over 12 months, based on your figures.
          📎 return-AAAAAACA.png
      + Anteroom: You can choose a time for a first talk here.
      + Anteroom: [Choose a time ↗]
      + Anteroom: ┃ Is that right?
          ┃ [It is] [It is not]
          ┃ -# Step 1 of 1 · One · 0/1
          ┃ [Help] [Talk to a person] [Stop]
    ");
}

#[tokio::test]
async fn a_picture_whose_post_was_not_answered_is_not_there_twice() {
    for fault in [Fault::BrokenAfter, Fault::HangAfter, Fault::Broken] {
        let bot = begun().await;
        bot.discord.with(|state| state.faults.plan(POST, 1, fault));
        bot.ada().press("Yes, please").await;
        for _ in 0..3 {
            bot.pass(TimeDelta::minutes(2)).await;
        }
        let screen = bot.ada().screen();
        assert_eq!(screen.matches("📎 return-").count(), 1, "{fault:?}\n{screen}");
        assert!(screen.contains("Is that right?"), "{screen}");
    }
}

/// The same words over two pictures, and a link after them.
fn twice() -> String {
    let again = r#"
  [[phase.step]]
  id = "again"
  tool = "calculate_roi"
  args = { timeSavings = 4160, implementationCost = 40000 }

  [[phase.step]]
  id = "calendar""#;
    let between = r#"
  [[phase.step]]
  id = "more"
  tool = "get_user_option"
  args = { prompt = "Another one?", options = [ { id = "yes", label = "Another" }, { id = "no", label = "None" } ] }
"#;
    FLOW.replace("\n  [[phase.step]]\n  id = \"calendar\"", &format!("{between}{again}"))
}

#[tokio::test]
async fn a_second_picture_under_the_same_words_is_not_taken_for_the_first() {
    let bot = begun_with(&twice()).await;
    let ada = bot.ada();
    ada.press("Yes, please").await;
    bot.discord.with(|state| state.faults.plan(POST, 8, Fault::Broken));
    ada.press("Another").await;
    bot.discord.with(|state| state.faults.clear());
    for _ in 0..3 {
        bot.pass(TimeDelta::minutes(2)).await;
    }
    let screen = bot.ada().screen();
    assert_eq!(screen.matches("📎 return-").count(), 2, "{screen}");
}

#[tokio::test]
async fn a_link_whose_post_was_not_answered_is_not_there_twice() {
    let picture = FLOW.find("\n  [[phase.step]]\n  id = \"return\"").unwrap();
    let link = FLOW.find("\n  [[phase.step]]\n  id = \"calendar\"").unwrap();
    let bot = begun_with(&[&FLOW[..picture], &FLOW[link..]].concat()).await;
    let breaks = || bot.discord.with(|state| state.faults.plan(POST, 8, Fault::BrokenAfter));
    breaks();
    bot.ada().press("Yes, please").await;
    // The words are found; now it is the button of which nobody knows.
    for _ in 0..3 {
        bot.discord.with(|state| state.faults.clear());
        breaks();
        bot.pass(TimeDelta::minutes(2)).await;
    }
    bot.discord.with(|state| state.faults.clear());
    bot.pass(TimeDelta::minutes(20)).await;
    let screen = bot.ada().screen();
    assert_eq!(screen.matches("[Choose a time ↗]").count(), 1, "{screen}");
    assert!(screen.contains("Is that right?"), "{screen}");
}
