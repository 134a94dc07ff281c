//! The welcome of a community and a request to staff as Discord would draw them.

use std::fs;

use serde_json::json;

use crate::discord::{
    bot::{ADA, APPROVALS, Bot, DESK, GRACE, INTRODUCTIONS, LINUS, Plan, WELCOME},
    pictured::Camera,
    welcome::{FLOW, INTRODUCTION},
};

/// Looks at a channel as somebody sees it now.
async fn pictured(
    camera: &mut Camera,
    bot: &Bot,
    step: &str,
    (channel, viewer): (u64, u64),
    seen: &str,
) {
    let origin = bot.discord.with(|state| state.origin.clone());
    let address = format!("{origin}/page/{channel}/{viewer}");
    camera.picture(step, &address, seen).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn welcome_of_a_member_is_drawn() {
    let mut camera = Camera::start("discord").await;
    let bot = Bot::new().await;
    let ada = bot.ada();
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    pictured(&mut camera, &bot, "panel", (WELCOME, ADA), "Start").await;
    ada.press("Start").await;
    pictured(&mut camera, &bot, "started", (WELCOME, ADA), "Your thread").await;
    let room = (ada.at("welcome-ada").channel(), ADA);
    pictured(&mut camera, &bot, "notice", room, "This is a bot.").await;
    for label in ["Start", "I accept"] {
        ada.press(label).await;
    }
    pictured(&mut camera, &bot, "rules", room, "Are you at least 13").await;
    ada.press("Yes").await;
    ada.pick(&["Learning", "Events"]).await;
    pictured(&mut camera, &bot, "topics", room, "What brings you here?").await;
    ada.press("Done").await;
    ada.press("Yes, please").await;
    pictured(&mut camera, &bot, "roles", room, "Two or three sentences").await;
    ada.press("Fill in").await;
    pictured(&mut camera, &bot, "form", room, "Your introduction").await;
    ada.fill("Your introduction", "short");
    ada.submit().await;
    pictured(&mut camera, &bot, "wrong", room, "Not saved yet").await;
    ada.press("Edit again").await;
    ada.fill("Your introduction", INTRODUCTION);
    ada.submit().await;
    pictured(&mut camera, &bot, "saved", room, "Looks right").await;
    ada.press("Looks right").await;
    pictured(&mut camera, &bot, "contributor", room, "Would you like the Contributor role?").await;
    pictured(&mut camera, &bot, "introduced", (INTRODUCTIONS, ADA), "small boats").await;
    ada.press("Request it").await;
    pictured(&mut camera, &bot, "closing", room, "Delete my data").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn request_to_staff_is_drawn() {
    let mut camera = Camera::start("discord").await;
    let bot = crate::discord::welcome::with_a_request().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    let (room, staff) = ((ada.at("welcome-ada").channel(), ADA), (APPROVALS, GRACE));
    pictured(&mut camera, &bot, "request", staff, "Deny with feedback").await;
    grace.press("Deny with feedback").await;
    pictured(&mut camera, &bot, "feedback", staff, "Ada will read this").await;
    grace.fill("What should they know?", "Take part for a month first; then ask again.");
    grace.submit().await;
    pictured(&mut camera, &bot, "denied", staff, "Denied with feedback").await;
    pictured(&mut camera, &bot, "reason", room, "Take part for a month first").await;
    ada.press("Ask again").await;
    grace.press("Approve").await;
    pictured(&mut camera, &bot, "sure", staff, "Approve this?").await;
    grace.press("Yes, approve").await;
    pictured(&mut camera, &bot, "approved", room, "approved your request").await;
}

/// A candidate is invited and sends a résumé: the first of three parts, in Discord.
#[tokio::test(flavor = "multi_thread")]
async fn beginning_of_an_interview_is_drawn() {
    let mut camera = Camera::start("discord").await;
    let (bot, room) = candidate(&mut camera).await;
    let (ada, linus) = (bot.ada(), bot.linus());
    pictured(&mut camera, &bot, "candidate-notice", room, "invited you").await;
    ada.press("Continue with the assistant").await;
    pictured(&mut camera, &bot, "candidate-start", room, "How would you like to begin?").await;
    ada.press("Upload résumé").await;
    pictured(&mut camera, &bot, "candidate-upload", room, "Please send your résumé").await;
    ada.press("Upload résumé").await;
    pictured(&mut camera, &bot, "candidate-file", room, "10 MB").await;
    attach(&bot);
    ada.submit().await;
    pictured(&mut camera, &bot, "candidate-profile", room, "Looks right").await;
    ada.pick(&["Contact details (1)"]).await;
    pictured(&mut camera, &bot, "candidate-edit", room, "Headline").await;
    ada.fill("Headline", "Web developer");
    ada.submit().await;
    pictured(&mut camera, &bot, "candidate-edited", room, "Web developer").await;
    ada.press("Looks right").await;
    pictured(&mut camera, &bot, "candidate-work", room, "Work history").await;
    ada.press("Looks right").await;
    pictured(&mut camera, &bot, "candidate-education", room, "Education").await;
    linus.at("staff-desk").command("/review", &[("member", json!(ADA))]).await;
    pictured(&mut camera, &bot, "candidate-status", (DESK, LINUS), "Candidate onboarding").await;
    ada.press("Talk to a person").await;
    pictured(&mut camera, &bot, "candidate-human", room, "I've asked the team").await;
    pictured(&mut camera, &bot, "candidate-asked", (DESK, LINUS), "Ada").await;
}

/// The other two parts, up to what the team reads at the end.
#[tokio::test(flavor = "multi_thread")]
async fn end_of_an_interview_is_drawn() {
    let mut camera = Camera::start("discord").await;
    let (bot, room) = candidate(&mut camera).await;
    let ada = bot.ada();
    for label in ["Continue with the assistant", "Upload résumé", "Upload résumé"] {
        ada.press(label).await;
    }
    attach(&bot);
    ada.submit().await;
    for label in ["Looks right", "Looks right", "Looks right"] {
        ada.press(label).await;
    }
    pictured(&mut camera, &bot, "candidate-role", room, "Which role would you like to talk about?")
        .await;
    ada.pick(&["A project of my own"]).await;
    ada.press("Write an answer").await;
    pictured(&mut camera, &bot, "candidate-write", room, "Your answer").await;
    ada.fill("Your answer", "A library that folds *paper* boats, alone, in 2024.");
    ada.submit().await;
    pictured(&mut camera, &bot, "candidate-wrote", room, "What was the goal").await;
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
    pictured(&mut camera, &bot, "candidate-band", room, "How large was the change").await;
    ada.press("Over 50%").await;
    ada.press("Continue without").await;
    pictured(&mut camera, &bot, "candidate-card", room, "Every claim is backed").await;
    ada.press("Looks right").await;
    pictured(&mut camera, &bot, "candidate-sample", room, "one piece of writing").await;
    ada.press("Skip").await;
    pictured(&mut camera, &bot, "candidate-menu", room, "What would you like to do next?").await;
    ada.pick(&["More responsibility", "A change of field"]).await;
    pictured(&mut camera, &bot, "candidate-picked", room, "What would you like to do next?").await;
    ada.press("Done").await;
    ada.pick(&["Remote", "Full time"]).await;
    ada.press("Done").await;
    pictured(&mut camera, &bot, "candidate-period", room, "What is your notice period?").await;
    ada.press("About a month").await;
    ada.press("Write an answer").await;
    ada.fill("Your answer", "March 2027");
    ada.submit().await;
    ada.press("No, that is all").await;
    pictured(&mut camera, &bot, "candidate-dossier", room, "Here's what you're looking for").await;
    ada.press("Looks right").await;
    pictured(&mut camera, &bot, "candidate-closing", room, "Delete my data").await;
    pictured(&mut camera, &bot, "candidate-head", (DESK, LINUS), "Completed").await;
    let thread = bot.linus().at("Ada · Candidate onboarding").channel();
    pictured(&mut camera, &bot, "candidate-summary", (thread, LINUS), "has finished").await;
    ada.press("Download my answers").await;
    ada.press("Delete my data").await;
    pictured(&mut camera, &bot, "candidate-erase", room, "This can't be undone").await;
}

/// A panel of several flows, and a question that must be answered from a menu.
#[tokio::test(flavor = "multi_thread")]
async fn panel_and_menu_of_a_flow_are_drawn() {
    let mut camera = Camera::start("discord").await;
    let bot = Bot::on(FLOW).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    pictured(&mut camera, &bot, "panel-picture", (WELCOME, ADA), "Begin the tour").await;
    let ada = bot.ada();
    ada.press("Begin the tour").await;
    let room = (ada.at("welcome-ada").channel(), ADA);
    pictured(&mut camera, &bot, "menu", room, "Which boats do you like?").await;
    ada.pick(&["Yachts"]).await;
    pictured(&mut camera, &bot, "menu-picked", room, "Which boats do you like?").await;
}

/// A bot that interviews candidates; Ada has been invited, and looks at her thread.
async fn candidate(camera: &mut Camera) -> (Bot, (u64, u64)) {
    let shipped = Some("candidate-onboarding".to_owned());
    let bot = Bot::planned(Plan { shipped, ..Plan::default() }).await;
    bot.linus().at("staff-desk").command("/staff invite", &[("member", json!(ADA))]).await;
    pictured(camera, &bot, "candidate-invite", (DESK, LINUS), "Candidate onboarding").await;
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
