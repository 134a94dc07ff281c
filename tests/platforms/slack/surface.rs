//! Slack's agent surface: each direct message begins a thread in which it is answered, and what is suggested
//! fits how the conversation stands.

use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{bot::Bot, outage::FLOW};

#[tokio::test]
async fn a_direct_message_is_answered_in_its_own_thread() {
    let bot = Bot::on(FLOW).await;
    let ada = bot.ada();
    ada.command("/onboard").await;
    drop(ada.news());
    ada.say("Red").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 1 · One · 1/3
          [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Red* · 2 Nov 2026 10:00 UTC
    + Ada Byron: Red
    +   Anteroom: Why?
            · Type your answer here, or write it in a form.
            [Write an answer]
    ");
    ada.say("It is warm.").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 1 · One · 2/3
          [Help]
    ~   Anteroom (edited): Why?
            ✓ You answered: *It is warm.* · 2 Nov 2026 10:00 UTC
            [Change]
    + Ada Byron: It is warm.
    +   Anteroom: Your name?
            · Type your answer here, or write it in a form.
            [Write an answer]
    ");
    // Under the old root the same conversation is heard.
    ada.reply_to("Which colour?", "Ada").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 1 · One · 3/3
          [Help]
    ~   Anteroom (edited): Your name?
            ✓ You answered: *Ada* · 2 Nov 2026 10:00 UTC
    +   Ada Byron: Ada
    +   Anteroom: All done. The team has stored only your choices.
            [Download my answers] [Delete my data]
    ");
    bot.judge();
}

#[tokio::test]
async fn what_is_suggested_fits_how_a_conversation_stands() {
    let bot = Bot::on(FLOW).await;
    let ada = bot.ada();
    let suggested = || {
        bot.slack.look(|state| {
            let prompts = state.prompts.values().next().cloned().unwrap_or_default();
            prompts.iter().map(|(title, _)| title.clone()).collect::<Vec<_>>().join(" | ")
        })
    };
    ada.open().await;
    bot.slack.rest().await;
    assert_snapshot!(suggested(), @"Start my onboarding | Talk to a person");
    ada.press_prompt("Start my onboarding").await;
    ada.sees("Which colour?").await;
    ada.open().await;
    bot.slack.rest().await;
    assert_snapshot!(suggested(), @"Skip this question | Talk to a person | Download my answers | Stop for now");
    ada.press_prompt("Stop for now").await;
    ada.sees("Stopped").await;
    ada.open().await;
    bot.slack.rest().await;
    assert_snapshot!(suggested(), @"Continue | Talk to a person | Download my answers");
    ada.press_prompt("Continue").await;
    assert!(ada.has_button("Red"), "{}", ada.screen());
}

#[tokio::test]
async fn whoever_has_no_conversation_reaches_the_team_by_what_is_suggested() {
    let bot = Bot::new().await;
    let ada = bot.ada();
    ada.open().await;
    bot.slack.rest().await;
    ada.press_prompt("Talk to a person").await;
    ada.sees("I've asked the team").await;
    let desk = bot.slack.person("U0LINUS").at("recruiting-desk");
    assert!(desk.can_see("asked for a human in _Candidate onboarding_"), "{}", desk.screen());
}

#[tokio::test]
async fn the_privacy_page_of_a_notice_is_a_link_and_shows_no_preview() {
    let bot = Bot::new().await;
    let ada = bot.ada();
    ada.command("/onboard start candidate-onboarding").await;
    ada.sees("You are about to talk to a bot").await;
    let posts = bot.slack.calls().into_iter().filter(|call| call.method == "chat.postMessage");
    let notice = posts
        .map(|call| call.body)
        .find(|body| body.to_string().contains("about to talk to a bot"));
    let notice = notice.unwrap();
    assert!(
        notice["blocks"].to_string().contains("Details: <https://example.org/privacy>"),
        "{notice}"
    );
    assert_eq!((&notice["unfurl_links"], &notice["unfurl_media"]), (&json!(false), &json!(false)));
}
