//! The buttons under what a model says, and why an answer did not help: staff read it, and it goes with the conversation.

use std::sync::Arc;

use anteroom::{engine::export::transcript, model::transcript::Audience};
use insta::assert_snapshot;

use crate::slack::{
    approvals,
    bot::{Bot, Plan},
    emulator::faults::Fault,
    scripted::{Scripted, Turn},
};

/// What the staff's copy tells of ratings.
async fn told(bot: &Bot) -> String {
    let gathered = bot.engine.gather(bot.session().await).await.unwrap();
    let entries = transcript::entries(&gathered.source(Audience::Staff)).unwrap();
    let rated = entries.iter().filter(|entry| entry.kind == "rated");
    rated.map(|entry| format!("{}: {}", entry.who, entry.text)).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn why_an_answer_did_not_help_is_kept_for_staff_once_and_goes_with_the_conversation() {
    let model = Scripted::new();
    model.next(Turn::says("Your first day is *Monday*. Have you got a pet?"));
    let flow = Some(approvals::FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(&model)), flow, ..Plan::default() }).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    ada.press("Helpful").await;
    assert_snapshot!(told(&bot).await, @"Ada Byron: Found an answer helpful (“Your first day is Monday. Have you got a pet?”)");
    // The last word counts, once; a reason may be given or not.
    ada.press("Not helpful").await;
    assert!(ada.can_see("What was wrong?"), "{}", ada.screen());
    ada.submit().await;
    assert_snapshot!(told(&bot).await, @"Ada Byron: Found an answer not helpful (“Your first day is Monday. Have you got a pet?”)");
    ada.press("Not helpful").await;
    ada.fill("Your reason (the team can read it)", "I asked about <!channel> holidays.").await;
    ada.submit().await;
    assert_snapshot!(told(&bot).await, @r"Ada Byron: Found an answer not helpful (“Your first day is Monday. Have you got a pet?”): “I asked about \<!channel\> holidays.”");
    let session = bot.session().await;
    ada.say("delete my data").await;
    ada.press("Delete everything").await;
    bot.rest().await;
    assert_eq!(bot.engine.ratings(session).await.unwrap(), []);
    model.assert_played();
}

#[tokio::test]
async fn an_answer_is_rated_by_nobody_but_the_one_it_was_given_to() {
    let model = Scripted::new();
    model.next(Turn::says("Have you got a pet?"));
    let flow = approvals::FLOW.replace("place = \"dm\"", "place = \"channel-thread\"");
    let plan = Plan { model: Some(Arc::clone(&model)), flow: Some(flow), ..Plan::default() };
    let bot = Bot::planned(plan).await;
    let (ada, mallory) = (bot.ada().at("general"), bot.mallory().at("general"));
    ada.command("/onboard start").await;
    drop(mallory.news());
    mallory.press("Not helpful").await;
    assert_snapshot!(mallory.news(), @"+   Anteroom (only you): Only the person who was asked can do that.");
    assert_eq!(told(&bot).await, "");
    ada.press("Helpful").await;
    assert_snapshot!(told(&bot).await, @"Ada Byron: Found an answer helpful (“Have you got a pet?”)");
    model.assert_played();
}

#[tokio::test]
async fn an_answer_whose_block_slack_refuses_is_posted_as_plain_words() {
    let model = Scripted::new();
    model.next(Turn::says("Hello."));
    model.next(Turn::says("**Yes**: [page](https://a.example/x) <b>"));
    let flow = Some(approvals::FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(&model)), flow, ..Plan::default() }).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    drop(ada.news());
    bot.slack.fail("chat.postMessage", 1, Fault::Says("invalid_blocks"));
    ada.say("Is there one?").await;
    assert_snapshot!(ada.news(), @"
    + Ada Byron: Is there one?
    +   Anteroom: Yes: page (https://a.example/x) <b>
    ");
    model.assert_played();
}
