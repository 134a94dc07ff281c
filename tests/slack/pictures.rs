//! Cards, forms and Home as Slack would draw them, in a real browser: pictures lie in `target/screenshots` afterwards.
//! Where Chromium is not installed the tests say how to get it and pass, unless `CI` is set.
#![expect(clippy::print_stderr, reason = "says what is missing")]

use std::fs;

use tokio::sync::Mutex;

use crate::{
    approvals,
    bot::Bot,
    chromium::{Browser, INSTALL, Look},
    scripted::{Scripted, Turn},
};

/// One browser at a time: two would only wait for each other.
static ONE: Mutex<()> = Mutex::const_new(());

/// Both widths at which everything is looked at.
const LOOKS: [(&str, Look); 2] = [("desktop", Look::Desktop), ("phone", Look::Phone)];

/// Looks at a page as it is now, in both widths. Each picture is held against the rules for everybody's use: every
/// control has a name, nothing is wider than the screen.
async fn pictured(bot: &Bot, step: &str, channel: &str, seen: &str) {
    let address = format!("{}page/{channel}", bot.slack.api_url().replace("api/", ""));
    for (width, look) in LOOKS {
        let Some(mut browser) = Browser::start(&format!("slack-{step}"), look).await else {
            let missing = format!("Chromium or its driver is not installed: `{INSTALL}`");
            assert!(std::env::var_os("CI").is_none(), "{missing}");
            eprintln!("passed over. {missing}");
            return;
        };
        browser.open(&address).await;
        browser.see(seen).await;
        browser.show(width).await;
        assert_eq!(browser.complaints().await, [""; 0], "{step}");
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_s_conversation_is_drawn() {
    let _one = ONE.lock().await;
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
    let _one = ONE.lock().await;
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
