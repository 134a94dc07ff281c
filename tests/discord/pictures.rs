//! The welcome of a community and a request to staff as Discord would draw them.

use crate::{
    bot::{ADA, APPROVALS, Bot, GRACE, INTRODUCTIONS, WELCOME},
    pictured,
    welcome::INTRODUCTION,
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
    ada.press("Yes, ping me").await;
    pictured(&bot, "roles", room, "Write two or three sentences").await;
    ada.press("Write it").await;
    pictured(&bot, "form", room, "Your introduction").await;
    ada.fill("Your introduction", "short");
    ada.submit().await;
    pictured(&bot, "wrong", room, "Not yet").await;
    ada.press("Open it again").await;
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
