//! The welcome of a community and a request to staff as Discord would draw them.

use std::fs;

use serde_json::json;

use crate::{
    bot::{ADA, APPROVALS, Bot, DESK, GRACE, INTRODUCTIONS, LINUS, Plan, WELCOME},
    pictured,
    welcome::{FLOW, INTRODUCTION},
};

/// Looks at a channel as somebody sees it now.
async fn pictured(bot: &Bot, step: &str, (channel, viewer): (u64, u64), seen: &str) {
    let origin = bot.discord.with(|state| state.origin.clone());
    let address = format!("{origin}/page/{channel}/{viewer}");
    pictured::in_both_widths(&format!("discord-{step}"), &address, seen).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn welcome_of_a_member_is_drawn() {
    let _turn = pictured::turn().await;
    let bot = Bot::new().await;
    let ada = bot.ada();
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    pictured(&bot, "panel", (WELCOME, ADA), "Start").await;
    ada.press("Start").await;
    pictured(&bot, "started", (WELCOME, ADA), "Your thread").await;
    let room = (ada.at("welcome-ada").channel(), ADA);
    pictured(&bot, "notice", room, "This is a bot.").await;
    for label in ["Start", "I accept"] {
        ada.press(label).await;
    }
    pictured(&bot, "rules", room, "Are you at least 13").await;
    ada.press("Yes").await;
    ada.pick(&["Learning", "Events"]).await;
    pictured(&bot, "topics", room, "What brings you here?").await;
    ada.press("Done").await;
    ada.press("Yes, please").await;
    pictured(&bot, "roles", room, "Two or three sentences").await;
    ada.press("Fill in").await;
    pictured(&bot, "form", room, "Your introduction").await;
    ada.fill("Your introduction", "short");
    ada.submit().await;
    pictured(&bot, "wrong", room, "Not saved yet").await;
    ada.press("Edit again").await;
    ada.fill("Your introduction", INTRODUCTION);
    ada.submit().await;
    pictured(&bot, "saved", room, "Looks right").await;
    ada.press("Looks right").await;
    pictured(&bot, "contributor", room, "Would you like the Contributor role?").await;
    pictured(&bot, "introduced", (INTRODUCTIONS, ADA), "small boats").await;
    ada.press("Request it").await;
    pictured(&bot, "closing", room, "Delete my data").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn request_to_staff_is_drawn() {
    let _turn = pictured::turn().await;
    let bot = crate::welcome::with_a_request().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    let (room, staff) = ((ada.at("welcome-ada").channel(), ADA), (APPROVALS, GRACE));
    pictured(&bot, "request", staff, "Deny with feedback").await;
    grace.press("Deny with feedback").await;
    pictured(&bot, "feedback", staff, "Ada will read this").await;
    grace.fill("What should they know?", "Take part for a month first; then ask again.");
    grace.submit().await;
    pictured(&bot, "denied", staff, "Denied with feedback").await;
    pictured(&bot, "reason", room, "Take part for a month first").await;
    ada.press("Ask again").await;
    grace.press("Approve").await;
    pictured(&bot, "sure", staff, "Approve this?").await;
    grace.press("Yes, approve").await;
    pictured(&bot, "approved", room, "approved your request").await;
}

/// A candidate is invited and sends a résumé: the first of three parts, in Discord.
#[tokio::test(flavor = "multi_thread")]
async fn beginning_of_an_interview_is_drawn() {
    let _turn = pictured::turn().await;
    let (bot, room) = candidate().await;
    let (ada, linus) = (bot.ada(), bot.linus());
    pictured(&bot, "candidate-notice", room, "invited you").await;
    ada.press("Continue with the assistant").await;
    pictured(&bot, "candidate-start", room, "How would you like to begin?").await;
    ada.press("Upload résumé").await;
    pictured(&bot, "candidate-upload", room, "Please send your résumé").await;
    ada.press("Upload résumé").await;
    pictured(&bot, "candidate-file", room, "10 MB").await;
    attach(&bot);
    ada.submit().await;
    pictured(&bot, "candidate-profile", room, "Looks right").await;
    ada.pick(&["Contact details (1)"]).await;
    pictured(&bot, "candidate-edit", room, "Headline").await;
    ada.fill("Headline", "Web developer");
    ada.submit().await;
    pictured(&bot, "candidate-edited", room, "Web developer").await;
    ada.press("Looks right").await;
    pictured(&bot, "candidate-work", room, "Work history").await;
    ada.press("Looks right").await;
    pictured(&bot, "candidate-education", room, "Education").await;
    linus.at("staff-desk").command("/review", &[("member", json!(ADA))]).await;
    pictured(&bot, "candidate-status", (DESK, LINUS), "Candidate onboarding").await;
    ada.press("Talk to a person").await;
    pictured(&bot, "candidate-human", room, "I've asked the team").await;
    pictured(&bot, "candidate-asked", (DESK, LINUS), "Ada").await;
}

/// The other two parts, up to what the team reads at the end.
#[tokio::test(flavor = "multi_thread")]
async fn end_of_an_interview_is_drawn() {
    let _turn = pictured::turn().await;
    let (bot, room) = candidate().await;
    let ada = bot.ada();
    for label in ["Continue with the assistant", "Upload résumé", "Upload résumé"] {
        ada.press(label).await;
    }
    attach(&bot);
    ada.submit().await;
    for label in ["Looks right", "Looks right", "Looks right"] {
        ada.press(label).await;
    }
    pictured(&bot, "candidate-role", room, "Which role would you like to talk about?").await;
    ada.pick(&["A project of my own"]).await;
    ada.press("Write an answer").await;
    pictured(&bot, "candidate-write", room, "Your answer").await;
    ada.fill("Your answer", "A library that folds *paper* boats, alone, in 2024.");
    ada.submit().await;
    pictured(&bot, "candidate-wrote", room, "What was the goal").await;
    for text in [
        "Boats that do not sink, for my niece.",
        "All of it: the fold patterns and the tests.",
        "To drop the sail. I built both and raced them in the bath.",
        "Nine of ten boats stayed dry; before it was one.",
    ] {
        ada.press("Write an answer").await;
        ada.fill("Your answer", text);
        ada.submit().await;
    }
    pictured(&bot, "candidate-band", room, "How large was the change").await;
    ada.press("Over 50%").await;
    ada.press("Continue without").await;
    pictured(&bot, "candidate-card", room, "Every claim is backed").await;
    ada.press("Looks right").await;
    pictured(&bot, "candidate-sample", room, "one piece of writing").await;
    ada.press("Skip").await;
    pictured(&bot, "candidate-menu", room, "What would you like to do next?").await;
    ada.pick(&["More responsibility", "A change of field"]).await;
    pictured(&bot, "candidate-picked", room, "What would you like to do next?").await;
    ada.press("Done").await;
    ada.pick(&["Remote", "Full time"]).await;
    ada.press("Done").await;
    pictured(&bot, "candidate-period", room, "What is your notice period?").await;
    ada.press("About a month").await;
    ada.press("Write an answer").await;
    ada.fill("Your answer", "March 2027");
    ada.submit().await;
    ada.press("No, that is all").await;
    pictured(&bot, "candidate-dossier", room, "Here's what you're looking for").await;
    ada.press("Looks right").await;
    pictured(&bot, "candidate-closing", room, "Delete my data").await;
    pictured(&bot, "candidate-head", (DESK, LINUS), "Completed").await;
    let thread = bot.linus().at("Ada · Candidate onboarding").channel();
    pictured(&bot, "candidate-summary", (thread, LINUS), "has finished").await;
    ada.press("Download my answers").await;
    ada.press("Delete my data").await;
    pictured(&bot, "candidate-erase", room, "This can't be undone").await;
}

/// A panel of several flows, and a question that must be answered from a menu.
#[tokio::test(flavor = "multi_thread")]
async fn panel_and_menu_of_a_flow_are_drawn() {
    let _turn = pictured::turn().await;
    let bot = Bot::on(FLOW).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    pictured(&bot, "panel-picture", (WELCOME, ADA), "Begin the tour").await;
    let ada = bot.ada();
    ada.press("Begin the tour").await;
    let room = (ada.at("welcome-ada").channel(), ADA);
    pictured(&bot, "menu", room, "Which boats do you like?").await;
    ada.pick(&["Yachts"]).await;
    pictured(&bot, "menu-picked", room, "Which boats do you like?").await;
}

/// A bot that interviews candidates; Ada has been invited, and looks at her thread.
async fn candidate() -> (Bot, (u64, u64)) {
    let shipped = Some("candidate-onboarding".to_owned());
    let bot = Bot::planned(Plan { shipped, ..Plan::default() }).await;
    bot.linus().at("staff-desk").command("/staff invite", &[("member", json!(ADA))]).await;
    pictured(&bot, "candidate-invite", (DESK, LINUS), "Candidate onboarding").await;
    bot.linus().press("Send").await;
    let room = (bot.ada().at("onboarding-ada").channel(), ADA);
    (bot, room)
}

/// Puts a résumé into the form that Ada has open.
fn attach(bot: &Bot) {
    let ada = bot.ada().at("onboarding-ada");
    let bytes = fs::read("tests/fixtures/two-columns.pdf").unwrap();
    let file = ("two-columns.pdf", "application/pdf");
    ada.attach(&bot.discord.with(|state| state.upload(ada.channel(), file, &bytes, true)));
}
