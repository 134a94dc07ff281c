//! Cards, forms and Home as Slack would draw them, in a real browser: pictures lie in `target/screenshots` afterwards.
//! Where Chromium is not installed the tests say how to get it and pass, unless `CI` is set.

use std::fs;

use crate::slack::{
    approvals,
    bot::Bot,
    emulator::person::Person,
    pictured::Camera,
    scripted::{Scripted, Turn},
};

/// Looks at a page as it is now.
async fn pictured(camera: &mut Camera, bot: &Bot, step: &str, channel: &str, seen: &str) {
    let address = format!("{}page/{channel}", bot.slack.api_url().replace("api/", ""));
    camera.picture(step, &address, seen).await;
}

/// Ada is invited by Grace and has sent her résumé.
async fn with_a_resume(bot: &Bot) {
    let (ada, grace) = (bot.ada(), bot.grace());
    grace.command("/onboard invite @ada").await;
    grace.press("Send").await;
    ada.press("Continue with the assistant").await;
    ada.press("Upload résumé").await;
    ada.press("Upload résumé").await;
    ada.attach("Files", "ada.pdf", &fs::read("tests/fixtures/ada.pdf").unwrap()).await;
    ada.submit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_s_conversation_is_drawn() {
    let mut camera = Camera::start("slack").await;
    let bot = Bot::new().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    ada.home().open().await;
    pictured(&mut camera, &bot, "home-before", "home-U0ADA", "Your conversations").await;
    grace.command("/onboard invite @ada").await;
    pictured(&mut camera, &bot, "invitation", "D0GRACE", "Invite").await;
    grace.press("Send").await;
    pictured(&mut camera, &bot, "notice", "D0ADA", "Continue with the assistant").await;
    ada.press("Continue with the assistant").await;
    pictured(&mut camera, &bot, "begin", "D0ADA", "How would you like to begin?").await;
    ada.press("Upload résumé").await;
    ada.press("Upload résumé").await;
    pictured(&mut camera, &bot, "upload", "D0ADA", "Files").await;
    ada.attach("Files", "ada.pdf", &fs::read("tests/fixtures/ada.pdf").unwrap()).await;
    ada.submit().await;
    pictured(&mut camera, &bot, "review", "D0ADA", "Here are your contact details").await;
    ada.press("Edit").await;
    pictured(&mut camera, &bot, "edit", "D0ADA", "Add a profile").await;
    ada.close().await;
    ada.press("Start over").await;
    pictured(&mut camera, &bot, "start-over", "D0ADA", "What should be different?").await;
    ada.close().await;
    ada.press("Looks right").await;
    pictured(&mut camera, &bot, "answered", "D0ADA", "Approved").await;
    ada.home().open().await;
    pictured(&mut camera, &bot, "home", "home-U0ADA", "Your conversations").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_drawn() {
    let mut camera = Camera::start("slack").await;
    let bot = Bot::new().await;
    let ada = bot.ada();
    with_a_resume(&bot).await;
    ada.press("Looks right").await;
    pictured(&mut camera, &bot, "work", "D0ADA", "Here's where you have worked").await;
    ada.pick_beside("Role 2", "Edit").await;
    pictured(&mut camera, &bot, "work-entry", "D0ADA", "Organisation").await;
    ada.close().await;
    ada.pick_beside("Role 3", "Remove").await;
    pictured(&mut camera, &bot, "work-remove", "D0ADA", "Remove").await;
    ada.close().await;
    ada.press("Add a role").await;
    pictured(&mut camera, &bot, "work-add", "D0ADA", "Organisation").await;
    ada.submit().await;
    pictured(&mut camera, &bot, "work-missing", "D0ADA", "Organisation").await;
    ada.close().await;
    ada.press("Edit").await;
    pictured(&mut camera, &bot, "work-all", "D0ADA", "Organisation").await;
    ada.close().await;
}

/// From the work history to the last card.
async fn to_the_last_card(camera: &mut Camera, bot: &Bot, ada: &Person) {
    for _ in 0..3 {
        ada.press("Looks right").await;
    }
    pictured(camera, bot, "roles", "D0ADA", "Which role would you like to talk about?").await;
    ada.choose("Programmer, Difference & Sons").await;
    pictured(camera, bot, "question", "D0ADA", "What was the goal").await;
    ada.press("Write an answer").await;
    pictured(camera, bot, "question-form", "D0ADA", "Your answer").await;
    ada.close().await;
    for words in [
        "A faster engine for the weaving mills of Leeds, so that a pattern could be changed within the hour.",
        "I wrote the programme and taught two colleagues to read it.",
        "Which bug to leave: the *carry* could be late by one turn, see https://example.org/carry.",
        "It was twice as fast. The mill kept the log.",
    ] {
        ada.reply(words).await;
    }
    pictured(camera, bot, "band", "D0ADA", "How large was the change").await;
    ada.choose("30-50%").await;
    ada.choose("Continue without").await;
    pictured(camera, bot, "evidence", "D0ADA", "Evidence card").await;
    ada.press("Looks right").await;
    pictured(camera, bot, "writing", "D0ADA", "one piece of writing").await;
    ada.choose("Paste").await;
    ada.reply("Engines are a branch of poetry.").await;
    ada.pick("More responsibility").await;
    pictured(camera, bot, "several", "D0ADA", "Pick all that fit").await;
    ada.pick("A change of field").await;
    ada.press("Done").await;
    ada.pick("Remote").await;
    ada.press("Done").await;
    pictured(camera, bot, "menu", "D0ADA", "What is your notice period?").await;
    ada.choose("About a month").await;
    ada.reply("March").await;
    ada.choose("No, that is all").await;
    pictured(camera, bot, "dossier", "D0ADA", "What you are looking for").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_an_interview_and_what_the_team_sees_of_it_are_drawn() {
    let mut camera = Camera::start("slack").await;
    let bot = Bot::new().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    with_a_resume(&bot).await;
    to_the_last_card(&mut camera, &bot, &ada).await;
    ada.press("Looks right").await;
    pictured(&mut camera, &bot, "end", "D0ADA", "thank you").await;
    pictured(&mut camera, &bot, "desk", "C0DESK", "has finished").await;
    ada.home().open().await;
    pictured(&mut camera, &bot, "home-after", "home-U0ADA", "Your conversations").await;
    let desk = grace.at("recruiting-desk");
    desk.press("Transcript").await;
    pictured(&mut camera, &bot, "desk-transcript", "C0DESK", "Transcript").await;
    desk.close().await;
    desk.press("Open profile").await;
    pictured(&mut camera, &bot, "desk-profile", "C0DESK", "Profile").await;
    desk.close().await;
    desk.press("Résumé").await;
    pictured(&mut camera, &bot, "desk-resume", "C0DESK", "direct message").await;
    grace.command("/onboard show @ada").await;
    pictured(&mut camera, &bot, "show", "D0GRACE", "Transcript").await;
    ada.reply("delete my data").await;
    pictured(&mut camera, &bot, "delete", "D0ADA", "Delete everything?").await;
    ada.press("Delete everything").await;
    pictured(&mut camera, &bot, "erased", "D0ADA", "Everything is erased").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_deciders_see_is_drawn() {
    let mut camera = Camera::start("slack").await;
    let model = Scripted::new();
    let bot = approvals::asked(&model).await;
    pictured(&mut camera, &bot, "asked", "D0ADA", "asked the team").await;
    let grace = bot.grace().at("recruiting-approvals");
    pictured(&mut camera, &bot, "approval", "C0APPROVALS", "Deny and tell the interviewer").await;
    grace.press("Deny and tell the interviewer").await;
    pictured(&mut camera, &bot, "feedback", "C0APPROVALS", "What should the interviewer do next?")
        .await;
    grace.close().await;
    grace.press("Transcript").await;
    pictured(&mut camera, &bot, "transcript", "C0APPROVALS", "Transcript").await;
    grace.close().await;
    model.next(Turn::says("Then let us talk about pets once more."));
    grace.press("Deny").await;
    pictured(&mut camera, &bot, "denied", "C0APPROVALS", "Denied").await;
    pictured(&mut camera, &bot, "denied-participant", "D0ADA", "finish this part first").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ways_out_of_an_interview_are_drawn() {
    let mut camera = Camera::start("slack").await;
    let bot = Bot::new().await;
    let (ada, grace) = (bot.ada(), bot.grace());
    with_a_resume(&bot).await;
    ada.reply("human").await;
    pictured(&mut camera, &bot, "human", "D0ADA", "asked the team").await;
    pictured(&mut camera, &bot, "desk-human", "C0DESK", "Take over").await;
    let desk = grace.at("recruiting-desk");
    desk.press("Take over").await;
    desk.reply_to("Candidate onboarding", "Hello Ada, how can I help?").await;
    pictured(&mut camera, &bot, "desk-taken", "C0DESK", "Hand back").await;
    pictured(&mut camera, &bot, "taken", "D0ADA", "how can I help?").await;
    desk.press("Hand back").await;
    ada.reply("export").await;
    pictured(&mut camera, &bot, "export", "D0ADA", "copy of everything").await;
    ada.reply("stop").await;
    pictured(&mut camera, &bot, "stopped", "D0ADA", "Continue").await;
    grace.home().open().await;
    pictured(&mut camera, &bot, "home-staff", "home-U0GRACE", "All conversations").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_s_welcome_is_drawn() {
    let mut camera = Camera::start("slack").await;
    let bot = Bot::new().await;
    let ada = bot.ada();
    ada.command("/onboard start community-welcome").await;
    pictured(&mut camera, &bot, "member-notice", "D0ADA", "This is a bot.").await;
    ada.press("Start").await;
    pictured(&mut camera, &bot, "member-rules", "D0ADA", "I accept").await;
    ada.press("I accept").await;
    ada.press("Yes").await;
    pictured(&mut camera, &bot, "member-interests", "D0ADA", "What brings you here?").await;
    ada.pick("Learning").await;
    ada.press("Done").await;
    pictured(&mut camera, &bot, "member-introduction", "D0ADA", "introduce yourself").await;
    ada.press("Fill in").await;
    pictured(&mut camera, &bot, "member-introduction-form", "D0ADA", "Your introduction").await;
    ada.fill("Your introduction", "I build looms that count, and I like poetry.").await;
    ada.submit().await;
    pictured(&mut camera, &bot, "member-introduction-preview", "D0ADA", "looms that count").await;
    ada.press("Looks right").await;
    pictured(&mut camera, &bot, "member-end", "D0ADA", "can see the following").await;
    // Slack has no roles: nobody was offered one.
    assert!(!ada.screen().contains("notifications"), "{}", ada.screen());
    assert!(!ada.screen().contains("Contributor"), "{}", ada.screen());
}
