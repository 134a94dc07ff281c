//! Staff read a conversation from its card (J3.1, J5.2), and people answer from the app's Home.
//!
//! J numbers are those of `docs/behaviour.md`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::slack::{
    approvals::asked,
    bot::Bot,
    emulator::faults::Fault,
    scripted::{Scripted, Turn},
};

#[tokio::test]
async fn who_decides_reads_the_transcript_and_leaves_a_record() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = bot.grace().at("recruiting-approvals");
    drop(grace.news());
    grace.press("Transcript").await;
    assert_snapshot!(grace.news(), @"
    ╔ Transcript
    ║ *Ada Byron · About pets*
    ║ *Anteroom* · 2 Nov 2026 10:00 UTC
    ║ Next: Pets.
    ║ *Anteroom* · 2 Nov 2026 10:00 UTC
    ║ Move Ada Byron to “Goodbye”?
    ║
    ║ This phase isn't complete. Missing items were determined by the app, not by the model.
    ║
    ║ • Person: Ada Byron
    ║ • Flow: About pets
    ║ • Phase: Pets
    ║ • Missing: A pet
    ║ • The interviewer's reason: there is no pet
    ║ • Requested: 2026-11-02 10:00 UTC
    ║ • Expires: 2026-11-09 10:00 UTC
    ║ *Anteroom* · 2 Nov 2026 10:00 UTC
    ║ I've asked the team. You can leave; I'll post their answer here.
    ║ · Messages 1 to 3 of 3. The download also lists every step the app took.
    ╚ [Close]
    ");
    let read = audit(&bot, "transcript_read").await;
    assert_eq!(read.len(), 1, "{read:?}");
    assert_eq!(read[0]["by"], "slack:T0ACME/U0GRACE", "{read:?}");
    grace.close().await;
    bot.judge();
}

#[tokio::test]
async fn nobody_else_reads_it() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let mallory = bot.mallory().at("recruiting-approvals");
    drop(mallory.news());
    mallory.press("Transcript").await;
    assert_snapshot!(mallory.news(), @"+ Anteroom (only you): Only the team can do that.");
    assert!(audit(&bot, "transcript_read").await.is_empty());
}

#[tokio::test]
async fn a_long_transcript_is_read_page_by_page() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let ada = bot.ada();
    for n in 1..=40 {
        model.next(Turn::says(&format!("I have heard number {n}.")));
        ada.say(&format!("This is number {n}, and <!channel> is only words.")).await;
    }
    let grace = bot.grace().at("recruiting-approvals");
    grace.press("Transcript").await;
    let last = grace.form();
    assert!(last.contains("I have heard number 40."), "{last}");
    assert!(!last.contains("number 1,"), "{last}");
    assert!(!last.contains("EVERYBODY"), "{last}");
    let mut pages = 1;
    while grace.form().contains("[Earlier messages]") {
        grace.press("Earlier messages").await;
        pages += 1;
    }
    assert!(pages > 2, "{pages}");
    let first = grace.form();
    assert!(first.contains("This is number 1,"), "{first}");
    for _ in 1..pages {
        grace.press("Later messages").await;
    }
    assert!(grace.form().contains("I have heard number 40."), "{}", grace.form());
    // Turning pages is one reading.
    assert_eq!(audit(&bot, "transcript_read").await.len(), 1);
    bot.judge();
}

#[tokio::test]
async fn what_waits_is_answered_from_home() {
    let bot = Bot::on(crate::slack::offers::FLOW).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    drop(ada.news());
    let home = ada.home();
    home.open().await;
    assert_snapshot!(home.screen(), @"
    ╔ Home
    ║ # Your conversations
    ║ *About colours*
    ║ Part 1 of 1 · One · 0 % · running [Open ↗]
    ║ Waiting for your answer: Which colour? [Answer]
    ");
    home.press("Answer").await;
    assert_snapshot!(home.form(), @"
    ╔ Choose
    ║ Which colour?
    ║ Your choice: {Red | Blue}
    ╚ [Cancel] [Done]
    ");
    home.fill("Your choice", "Blue").await;
    home.submit().await;
    home.sees_no_form().await;
    assert!(ada.can_see("You answered: *Blue*"), "{}", ada.screen());
    bot.judge();
}

#[tokio::test]
async fn a_question_that_was_answered_meanwhile_is_not_asked_from_home() {
    let bot = Bot::on(crate::slack::offers::FLOW).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    let home = ada.home();
    home.open().await;
    ada.press("Red").await;
    drop(ada.news());
    // Home shows what it showed before.
    home.press("Answer").await;
    assert_snapshot!(ada.news(), @"+ Anteroom: That question was answered at 2 Nov 2026 10:00 UTC.");
    assert!(ada.can_see("You answered: *Red*"), "{}", ada.screen());
}

/// The facts of the audit records of one kind.
async fn audit(bot: &Bot, event: &str) -> Vec<Value> {
    let store = std::sync::Arc::clone(&bot.store) as std::sync::Arc<dyn anteroom::store::Store>;
    let records = store.audit(0, 1_000).await.unwrap();
    let of_kind = records.into_iter().filter(|sealed| sealed.record.event == event);
    of_kind.map(|sealed| Value::Object(sealed.record.facts)).collect()
}

/// What somebody approved and their résumé are a press away from the closing message, for the team alone and on record.
#[tokio::test]
async fn the_team_opens_a_profile_and_takes_a_resume_from_the_closing_message() {
    let bot = Bot::on(&filed()).await;
    let (ada, desk) = (bot.ada(), bot.grace().at("recruiting-desk"));
    ada.command("/onboard start").await;
    ada.drop_file("ada.txt", b"Ada Byron, programmer", "").await;
    ada.press("Fill in").await;
    ada.fill("Name", "Ada *King*").await;
    ada.submit().await;
    ada.press("Looks right").await;
    desk.sees("has finished").await;
    desk.press("Open profile").await;
    let profile = desk.form();
    assert!(profile.contains("Profile") && profile.contains("King"), "{profile}");
    desk.close().await;
    drop(bot.grace().news());
    desk.press("Résumé").await;
    let sent = bot.grace().news();
    assert!(sent.contains("(file: ada.txt)"), "{sent}");
    for event in ["profile_read", "resume_read"] {
        assert_eq!(audit(&bot, event).await.len(), 1, "{event}");
    }
    // Nobody else gets any of it.
    let mallory = bot.mallory().at("recruiting-desk");
    mallory.press("Résumé").await;
    assert!(!bot.mallory().screen().contains("ada.txt"), "{}", bot.mallory().screen());
    assert_eq!(audit(&bot, "resume_read").await.len(), 1);
    bot.judge();
}

#[tokio::test]
async fn whoever_waits_for_a_file_that_slack_refuses_is_told() {
    let bot = Bot::on(&filed()).await;
    let (ada, desk) = (bot.ada(), bot.grace().at("recruiting-desk"));
    ada.command("/onboard start").await;
    ada.drop_file("ada.txt", b"Ada Byron, programmer", "").await;
    ada.press("Fill in").await;
    ada.fill("Name", "Ada King").await;
    ada.submit().await;
    ada.press("Looks right").await;
    desk.sees("has finished").await;
    let refuse = || bot.slack.fail("files.getUploadURLExternal", 9, Fault::Says("fatal_error"));

    refuse();
    desk.press("Résumé").await;
    desk.sees("I couldn't send it right now. Please try again.").await;
    refuse();
    ada.press("Download my answers").await;
    ada.sees("I couldn't send it right now. Please try again.").await;
    assert!(!ada.screen().contains(".zip"), "{}", ada.screen());
}

fn filed() -> String {
    let start = "[start.slack]\ncommands = [\"/onboard\"]\nplace = \"dm\"\n";
    crate::slack::filed::flow(start, &json!({ "name": "" }), "recruiting_desk")
}
