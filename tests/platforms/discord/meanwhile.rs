//! What people write and send while the model is at work: it is read at once, and no card is shown that ignores it.

use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::json;

use crate::discord::{
    bot::{Bot, Plan},
    emulator::state::{Recorded, State},
    scripted::{Gate, Scripted, Turn},
};

/// A part in which a résumé is wanted.
const TALK: &str = r#"
format = 1
id = "talk"
version = "1.0.0"
title = "A talk"

[start.discord]
panel = true
place = "private-thread"
parent = "welcome"

[[phase]]
id = "basics"
title = "The basics"
mode = "interview"
prompt = "Get to know them."
tools = ["get_user_option", "get_user_upload", "request_user_input", "set_objective_status", "next_phase"]
uploads = { accept = ["txt", "pdf"], max_mb = 1, max_files = 2 }

  [[phase.objective]]
  id = "work"
  title = "Work"
  done = "model"

  [[phase.objective]]
  id = "cv"
  title = "Résumé"
  done = { uploaded = "resume" }
"#;

/// Waits until so many messages of the participant have reached the conversation.
async fn received(bot: &Bot, messages: u32) {
    let session = bot.session().await;
    while bot.engine.look(session).await.unwrap().state.talked < messages {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn words_that_come_while_the_model_thinks_are_read_at_once() {
    let (model, gate) = (Scripted::new(), Gate::new());
    model.next(Turn::says("Hello. What do you do?"));
    let asks = json!({ "uploadType": "resume", "prompt": "Your résumé, please." });
    model.next(Turn::calls("get_user_upload", &asks).held_by(&gate));
    let plan = Plan {
        model: Some(Arc::clone(&model)),
        flow: Some(TALK.to_owned()),
        discord: "message_content = true".to_owned(),
        ..Plan::default()
    };
    let bot = Bot::planned(plan).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    ada.press("Start").await;
    ada.news();
    let there = ada.at("welcome-ada");
    bot.unrested();
    there.write("I'm an analyst.").await;
    gate.reached().await;
    there.write("In London, mostly.").await;
    there.write("For twenty years now.").await;
    received(&bot, 3).await;
    model.next(Turn::says("What did you analyse in London?"));
    gate.open();
    bot.rested().await;
    model.assert_played();
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: What did you analyse in London?
          [Helpful] [Not helpful] [Help]
    ");
    assert_snapshot!(model.news(2), @r#"
    model calls c00000001 get_user_upload {"uploadType":"resume","prompt":"Your résumé, please."}
    c00000001 -> {"error":"the card was not shown: the participant wrote, sent or answered something that you had not read yet. hint: read it, then ask again what is still open","code":"not_shown"}
    <participant>In London, mostly.</participant>
    <participant>For twenty years now.</participant>
    "#);
}

#[tokio::test]
async fn the_button_stops_a_model_that_is_at_work_for_long() {
    let (model, gate) = (Scripted::new(), Gate::new());
    model.next(Turn::says("Hello. What do you do?"));
    // The gate stays closed: only the button lets the conversation come to rest.
    model.next(Turn::says("Never said.").held_by(&gate));
    let plan = Plan {
        model: Some(Arc::clone(&model)),
        flow: Some(TALK.to_owned()),
        discord: "message_content = true".to_owned(),
        ..Plan::default()
    };
    let bot = Bot::planned(plan).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    ada.press("Start").await;
    let there = ada.at("welcome-ada");
    there.news();
    bot.unrested();
    there.write("I'm an analyst.").await;
    gate.reached().await;
    let asked = |method: &'static str, words: &'static str| {
        move |state: &State| {
            let is_it = |request: &&Recorded| {
                request.method == method && request.body.to_string().contains(words)
            };
            state.requests.iter().find(is_it).map(drop)
        }
    };
    bot.discord.until("a button", asked("POST", "interrupt.")).await;
    assert!(there.screen().contains("Still thinking…"), "{}", there.screen());
    let button = there.button("Stop").unwrap();
    bot.mallory().press_again(&button).await;
    bot.discord.until("a refusal", asked("POST", "Only the person who was asked")).await;
    assert!(there.button("Stop").is_some(), "somebody else stopped it");
    there.press_again(&button).await;
    bot.discord.until("the end of the button", asked("DELETE", "")).await;
    bot.rested().await;
    assert!(there.button("Stop").is_none(), "{}", there.screen());
    assert_snapshot!(there.news(), @"
    #welcome-ada
      + Anteroom: I've stopped. Write whenever you're ready.
    ");
    model.next(Turn::says("All right. In which city?"));
    there.write("In London, I meant to say.").await;
    model.assert_played();
    assert!(there.screen().contains("In which city?"), "{}", there.screen());
    assert!(there.button("Stop").is_none(), "{}", there.screen());
}
