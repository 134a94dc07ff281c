//! J4 and J5, as far as they happen in Slack: who supervises sees everybody, reads one, takes a copy; and what an
//! upgrade leaves as it was.
//!
//! J numbers are those of `docs/behaviour.md`.

use std::sync::Arc;

use anteroom::engine::export;
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    approvals,
    bot::{Bot, Plan},
    scripted::{Scripted, Turn},
    troubles,
};

/// Four people: one is asked something, one has been silent, one waits for the team, one for a person.
async fn a_day() -> (Bot, Arc<Scripted>) {
    let model = Scripted::new();
    let flow = Some(approvals::FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(&model)), flow, ..Plan::default() }).await;
    bot.slack.with(|state| {
        state.hire("U0JOAN", "Joan Clarke");
        state.hire("U0MARY", "Mary Somerville");
    });
    model.next(Turn::says("Do you have a pet?"));
    bot.slack.person("U0MARY").command("/onboard start").await;
    bot.clock.advance(TimeDelta::hours(30));
    model.next(Turn::says("Do you have a pet?"));
    bot.ada().command("/onboard start").await;
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    bot.mallory().command("/onboard start").await;
    model.next(Turn::says("Do you have a pet?"));
    let joan = bot.slack.person("U0JOAN");
    joan.command("/onboard start").await;
    joan.reply("human").await;
    (bot, model)
}

#[tokio::test]
async fn j5_staff_see_how_everybody_is_by_command_and_at_home() {
    let (bot, model) = a_day().await;
    let grace = bot.grace();
    grace.command("/onboard status").await;
    assert_snapshot!(grace.last(), @"
    Anteroom (only you): # All conversations
        *4 open · 1 inactive > 1 day · 1 to decide · 1 asked for a human*
        · pets: 4
        Mallory · running · pets · *to decide* [Open]
        Joan Clarke · running · pets · *asked for a human* [Open]
        Mary Somerville · running · pets · *inactive > 1 day* [Open]
        Ada Byron · running · pets [Open]
    ");
    grace.home().open().await;
    assert_snapshot!(grace.home().screen(), @"
    ╔ Home
    ║ # Your conversations
    ║ You don't have any conversations yet.
    ║ ───
    ║ # All conversations
    ║ *4 open · 1 inactive > 1 day · 1 to decide · 1 asked for a human*
    ║ · pets: 4
    ║ Mallory · running · pets · *to decide* [Open]
    ║ Joan Clarke · running · pets · *asked for a human* [Open]
    ║ Mary Somerville · running · pets · *inactive > 1 day* [Open]
    ║ Ada Byron · running · pets [Open]
    ");
    // Who has no say sees their own alone.
    bot.ada().command("/onboard status").await;
    assert_snapshot!(bot.ada().last(), @"Anteroom (only you): *About pets*: Step 1 of 2 · Pets · 0/1 · running.");
    bot.ada().home().open().await;
    assert!(!bot.ada().home().can_see("Joan"), "{}", bot.ada().home().screen());
    model.assert_played();
    bot.judge();
}

#[tokio::test]
async fn j5_one_conversation_is_looked_at_nudged_and_ended() {
    let (bot, _model) = a_day().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    grace.command("/onboard show @ada").await;
    assert_snapshot!(grace.last(), @"
    Anteroom (only you): *Ada Byron · About pets*
        Step 1 of 2 · Pets · 0/1 · running.
        • A pet: open
        [Transcript] [Take over] [Send a reminder] [! End the conversation ?]
    ");
    drop((ada.news(), grace.news()));
    grace.press("Send a reminder").await;
    assert_snapshot!(ada.news(), @"");
    grace.press("End the conversation").await;
    assert_snapshot!(ada.news(), @"+   Anteroom: The team has ended this conversation. Thank you for your time.");
    bot.mallory().command("/onboard show @ada").await;
    assert_snapshot!(bot.mallory().last(), @"Anteroom (only you): Only the team can do that.");
    bot.judge();
}

#[tokio::test]
async fn j5_a_copy_for_staff_is_audited() {
    let (bot, _model) = a_day().await;
    let grace = bot.grace();
    grace.command("/onboard export @mary").await;
    assert_snapshot!(grace.news(), @"
    + Anteroom (only you): I'll send it to you in a direct message.
    + Anteroom: (file: Mary Somerville - About pets.zip)
    ");
    let session = bot.session().await;
    let audit = export::audit_of(&*bot.store, session).await.unwrap();
    let read =
        audit.iter().filter(|record| format!("{record:?}").contains("session_exported")).count();
    assert_eq!(read, 1);
    bot.mallory().command("/onboard export @mary").await;
    assert_snapshot!(bot.mallory().last(), @"Anteroom (only you): Only the team can do that.");
}

#[tokio::test]
async fn j4_an_upgrade_leaves_cards_alive_and_open_talks_on_their_flow() {
    let mut bot = troubles::begun().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    bot.flow_becomes(&troubles::FLOW.replace("Which colour?", "Which colour do you like best?"));
    bot.crash().await;
    assert_snapshot!(ada.news(), @"");
    ada.press("Blue").await;
    ada.reply("stop").await;
    ada.reply("resume").await;
    assert!(!ada.can_see("like best"), "it began with another flow:\n{}", ada.screen());
    grace.command("/onboard start").await;
    assert!(grace.can_see("Which colour do you like best?"), "{}", grace.screen());
}

#[tokio::test]
async fn j4_7_who_invites_themselves_tries_the_flow_out_and_is_not_counted() {
    let bot = Bot::new().await;
    let grace = bot.grace();
    grace.command("/onboard invite @grace").await;
    grace.press("Send").await;
    grace.press("Continue with the assistant").await;
    assert!(grace.can_see("Step 1 of 3"), "{}", grace.screen());
    grace.command("/onboard status").await;
    assert_snapshot!(grace.last(), @"
    Anteroom (only you): # All conversations
        *0 open · 0 inactive > 1 day · 0 to decide · 0 asked for a human*
    ");
    // It is theirs all the same.
    grace.home().open().await;
    assert_snapshot!(grace.home().screen(), @"
    ╔ Home
    ║ # Your conversations
    ║ *Candidate onboarding*
    ║ Part 1 of 3 · The basics · 0 % · running [Open ↗]
    ║ Waiting for your answer: How would you like to begin? A résumé saves typing; you can correct everything that is read from it. [Answer]
    ║ ───
    ║ # All conversations
    ║ *0 open · 0 inactive > 1 day · 0 to decide · 0 asked for a human*
    ");
    grace.command("/onboard invite @ada").await;
    grace.press("Send").await;
    grace.command("/onboard status").await;
    assert_snapshot!(grace.last(), @"
    Anteroom (only you): # All conversations
        *1 open · 0 inactive > 1 day · 0 to decide · 0 asked for a human*
        · Not started: 1
        Ada Byron · not started [Open]
    ");
}
