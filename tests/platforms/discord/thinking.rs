//! A model that leads: that it is writing is seen, and its words come whole and in order.

use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::json;

use crate::discord::{
    bot::{ADA, Bot, Plan},
    emulator::{faults::Fault, state::State},
    scripted::{Gate, Scripted, Turn},
};

/// A talk that a model leads.
pub(crate) const TALK: &str = r#"
format = 1
id = "talk"
version = "1.0.0"
title = "A talk"

[start.discord]
panel = true
place = "private-thread"
parent = "welcome"

[data.pet]
schema_inline = '{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}'
review = true

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Ask for a pet."
tools = ["get_user_option", "request_user_input", "set_objective_status", "next_phase", "persist_data", "submit_for_validation"]

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = "model"
"#;

pub(crate) async fn led_by(model: &Arc<Scripted>) -> Bot {
    let plan = Plan {
        model: Some(Arc::clone(model)),
        flow: Some(TALK.to_owned()),
        discord: "message_content = true".to_owned(),
        ..Plan::default()
    };
    let bot = Bot::planned(plan).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    bot
}

/// How often the bot has shown that it is writing.
fn typed(state: &State) -> usize {
    state.requests.iter().filter(|request| request.path.ends_with("/typing")).count()
}

#[tokio::test]
async fn that_the_bot_is_writing_is_seen_while_the_model_thinks() {
    let (model, gate) = (Scripted::new(), Gate::new());
    model.next(Turn::says("Hello. Have you got a pet?"));
    model.next(Turn::says("A cat, how nice.").held_by(&gate));
    let bot = led_by(&model).await;
    let ada = bot.ada();
    ada.press("Start").await;
    ada.news();
    let before = bot.discord.with(|state| typed(state));
    let seen = async {
        bot.discord.until("a sign", |state| (typed(state) > before).then_some(())).await;
        gate.open();
    };
    let there = ada.at("welcome-ada");
    tokio::join!(there.write("A cat."), seen);
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: A cat, how nice.
          [Helpful] [Not helpful] [Help]
    ");
    model.assert_played();
}

/// What is written beside an open card is thought about, too.
#[tokio::test]
async fn that_the_bot_is_writing_is_seen_beside_an_open_card() {
    let (model, gate) = (Scripted::new(), Gate::new());
    let pet = json!({ "dataType": "pet", "data": { "name": "Tom" }, "message": "Is that right?" });
    model.next(Turn::calls("submit_for_validation", &pet));
    model.next(Turn::says("It is.").held_by(&gate));
    let bot = led_by(&model).await;
    let ada = bot.ada();
    ada.press("Start").await;
    assert!(ada.button("Looks right").is_some(), "{}", ada.screen());
    let before = bot.discord.with(|state| typed(state));
    let seen = async {
        bot.discord.until("a sign", |state| (typed(state) > before).then_some(())).await;
        gate.open();
    };
    let there = ada.at("welcome-ada");
    tokio::join!(there.write("Is Tom a good name?"), seen);
    assert!(ada.screen().contains("It is."), "{}", ada.screen());
    model.assert_played();
}

#[tokio::test]
async fn help_stands_under_every_answer_of_the_model() {
    let model = Scripted::new();
    model.next(Turn::says("Hello. Have you got a pet?"));
    let bot = led_by(&model).await;
    let ada = bot.ada();
    ada.press("Start").await;
    let ada = ada.at("welcome-ada");
    ada.press("Help").await;
    assert!(ada.screen().contains("What works here"), "{}", ada.screen());
    ada.press("Talk to a person").await;
    assert!(ada.screen().contains("I've asked the team"), "{}", ada.screen());
    model.assert_played();
}

#[tokio::test]
async fn very_long_words_come_in_order_and_whole() {
    let model = Scripted::new();
    let words: Vec<String> =
        (1..=120).map(|n| format!("Line {n} says that cats sleep for most of the day.")).collect();
    model.next(Turn::says(&words.join("\n\n")));
    let bot = led_by(&model).await;
    bot.ada().press("Start").await;
    let posts = bot.discord.with(|state| {
        let thread = state.channels.values().find(|channel| channel.name == "welcome-ada").unwrap();
        let texts = thread.messages.values().filter_map(|m| m.body["content"].as_str());
        texts.map(str::to_owned).filter(|text| !text.is_empty()).collect::<Vec<_>>()
    });
    assert!(posts.len() > 2 && posts.iter().all(|post| post.chars().count() <= 2_000));
    let lines: Vec<&str> =
        posts.iter().flat_map(|post| post.lines()).filter(|line| !line.is_empty()).collect();
    assert_eq!(lines[0], format!("Hi <@{ADA}>!"));
    assert_eq!(lines[1..], words);
    model.assert_played();
}

/// What stands in Ada's thread by the bot: the beginning of each message, and which one it refers to.
fn posted(bot: &Bot) -> Vec<(String, Option<u64>)> {
    bot.discord.with(|state| {
        let thread = state.channels.values().find(|channel| channel.name == "welcome-ada").unwrap();
        let of_bot = thread.messages.values().filter(|message| message.author != ADA);
        let words = of_bot.filter(|message| message.body["content"].is_string());
        words
            .map(|message| {
                let text = message.body["content"].as_str().unwrap();
                let text = text.lines().last().unwrap_or_default().chars().take(12).collect();
                let reference = &message.body["message_reference"];
                if !reference.is_null() {
                    assert_eq!(message.body["allowed_mentions"]["replied_user"], false);
                }
                (text, reference["message_id"].as_str().map(|id| id.parse().unwrap()))
            })
            .collect()
    })
}

/// Others may have written in between.
#[tokio::test]
async fn the_first_message_of_an_answer_refers_to_the_message_that_it_answers() {
    let (model, gate) = (Scripted::new(), Gate::new());
    model.next(Turn::says("Hello. Have you got a pet?"));
    model.next(Turn::says(&format!("First part. {}\n\nSecond part.", "Purr. ".repeat(330))));
    model.next(Turn::says("Gone is gone.").held_by(&gate));
    model.next(Turn::says("No history."));
    let bot = led_by(&model).await;
    let ada = bot.ada();
    ada.press("Start").await;
    assert!(posted(&bot).iter().all(|(_, refers)| refers.is_none()), "{:?}", posted(&bot));
    let there = ada.at("welcome-ada");
    let cat = there.write("A cat.").await;
    let posts = posted(&bot);
    let answer = &posts[posts.len() - 2..];
    assert_eq!((answer[0].1, answer[1].1), (Some(cat), None), "{posts:?}");
    // It is deleted while the model thinks.
    let thread = bot.discord.with(|state| {
        *state.channels.iter().find(|(_, channel)| channel.name == "welcome-ada").unwrap().0
    });
    let lost = async {
        let words = |state: &State| {
            let messages = &state.channels[&thread].messages;
            messages.iter().find(|(_, m)| m.body["content"] == "A dog.").map(|(id, _)| *id)
        };
        let dog = bot.discord.until("the words", words).await;
        bot.discord.with(|state| {
            state.channels.get_mut(&thread).unwrap().messages.remove(&dog);
        });
        gate.open();
    };
    tokio::join!(there.write("A dog."), lost);
    assert_eq!(posted(&bot).last().unwrap().0, "Gone is gone");
    // Where the bot may not read what was written, it answers all the same.
    let call = "POST /channels/{channel}/messages";
    bot.discord.with(|state| {
        state.faults.once(call, &thread.to_string(), Fault::Says(403, 160_002));
    });
    there.write("A fish.").await;
    assert_eq!(posted(&bot).last().unwrap(), &("No history.".to_owned(), None));
    model.assert_played();
}

#[tokio::test]
async fn an_answer_in_a_direct_message_refers_to_nothing() {
    let model = Scripted::new();
    model.next(Turn::says("Hello. Have you got a pet?"));
    model.next(Turn::says("A cat, how nice."));
    let flow = TALK.replace("place = \"private-thread\"\nparent = \"welcome\"", "place = \"dm\"");
    let plan = Plan { model: Some(Arc::clone(&model)), flow: Some(flow), ..Plan::default() };
    let bot = Bot::planned(plan).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    bot.ada().press("Start").await;
    bot.ada().at_direct().write("A cat.").await;
    assert!(bot.ada().screen().contains("A cat, how nice."), "{}", bot.ada().screen());
    let refers = bot.discord.with(|state| {
        let mut all = state.channels.values().flat_map(|channel| channel.messages.values());
        all.any(|message| !message.body["message_reference"].is_null())
    });
    assert!(!refers, "nobody else writes there");
    model.assert_played();
}
