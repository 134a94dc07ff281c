//! Cards, forms and Home as Slack would draw them, in a real browser: pictures lie in `target/screenshots` afterwards.
//! Where Chromium is not installed the tests say how to get it and pass, unless `CI` is set.

use std::fs;

use crate::{
    approvals,
    bot::Bot,
    pictured,
    scripted::{Scripted, Turn},
};

/// Looks at a page as it is now.
async fn pictured(bot: &Bot, step: &str, channel: &str, seen: &str) {
    let address = format!("{}page/{channel}", bot.slack.api_url().replace("api/", ""));
    pictured::in_both_widths(&format!("slack-{step}"), &address, seen).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_s_conversation_is_drawn() {
    let _turn = pictured::turn().await;
    let bot = Bot::new().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    grace.command("/onboard invite @ada").await;
    grace.press("Send").await;
    pictured(&bot, "notice", "D0ADA", "Continue with the assistant").await;
    ada.press("Continue with the assistant").await;
    ada.press("Upload résumé").await;
    ada.press("Upload résumé").await;
    pictured(&bot, "upload", "D0ADA", "Files").await;
    ada.attach("Files", "ada.pdf", &fs::read("tests/fixtures/ada.pdf").unwrap()).await;
    ada.submit().await;
    pictured(&bot, "review", "D0ADA", "Here are your contact details").await;
    ada.press("Edit").await;
    pictured(&bot, "edit", "D0ADA", "Note for the interviewer").await;
    ada.close().await;
    ada.press("Looks right").await;
    pictured(&bot, "answered", "D0ADA", "Approved").await;
    ada.home().open().await;
    pictured(&bot, "home", "home-U0ADA", "Your conversations").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_deciders_see_is_drawn() {
    let _turn = pictured::turn().await;
    let model = Scripted::new();
    let bot = approvals::asked(&model).await;
    let grace = bot.grace().at("recruiting-approvals");
    pictured(&bot, "approval", "C0APPROVALS", "Deny and tell the interviewer").await;
    grace.press("Deny and tell the interviewer").await;
    pictured(&bot, "feedback", "C0APPROVALS", "What should the interviewer do next?").await;
    grace.close().await;
    grace.press("Open transcript").await;
    pictured(&bot, "transcript", "C0APPROVALS", "Transcript").await;
    grace.close().await;
    model.next(Turn::says("Then let us talk about pets once more."));
    grace.press("Deny").await;
    pictured(&bot, "denied", "C0APPROVALS", "Denied").await;
}
