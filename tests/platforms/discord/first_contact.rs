//! A first word to the bot: greeted once, whatever Discord replays.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::discord::{
    bot::{ADA, Bot, LINUS, MALLORY, Plan, WELCOME},
    emulator::state::{BOT, Channel, kind},
};

const CHOOSER: &str = "[Community welcome]";

fn count(bot: &Bot, words: &str) -> usize {
    bot.mallory().screen().matches(words).count()
}

#[tokio::test]
async fn a_mention_is_greeted_once_when_it_is_replayed() {
    let mut bot = Bot::new().await;
    let hello = format!("Hello <@{BOT}>");
    let id = bot.happens(|state| state.writes(MALLORY, WELCOME, &hello, &[])).await;
    for _ in 0..3 {
        bot.happens(|state| state.posted(WELCOME, id)).await;
    }
    assert_eq!(count(&bot, CHOOSER), 1, "{}", bot.mallory().screen());
    bot.crash().await;
    bot.happens(|state| state.posted(WELCOME, id)).await;
    assert_eq!(count(&bot, CHOOSER), 1, "after a restart: {}", bot.mallory().screen());
    // Twice at the same moment, and another word.
    bot.happens(|state| {
        let id = state.writes(MALLORY, WELCOME, &hello, &[]);
        state.posted(WELCOME, id);
    })
    .await;
    bot.comes_to("the second greeting", || count(&bot, CHOOSER) == 2).await;
    bot.rest().await;
    assert_eq!(count(&bot, CHOOSER), 2, "{}", bot.mallory().screen());
}

#[tokio::test]
async fn a_first_direct_message_is_greeted_once_when_it_is_replayed() {
    let bot = Bot::new().await;
    let direct = bot.discord.with(|state| {
        let id = state.snowflake();
        let people = BTreeSet::from([BOT, MALLORY]);
        let channel = Channel { kind: kind::DIRECT, people, ..Channel::default() };
        state.channels.insert(id, channel);
        id
    });
    let id = bot.happens(|state| state.writes(MALLORY, direct, "Hello", &[])).await;
    for _ in 0..3 {
        bot.happens(|state| state.posted(direct, id)).await;
    }
    assert_eq!(count(&bot, "I begin in the server"), 1, "{}", bot.mallory().screen());
}

/// A command that is replayed hands no second copy out.
#[tokio::test]
async fn a_copy_for_staff_is_handed_out_once_when_the_command_is_replayed() {
    let bot = Bot::at_the_rules(Plan::hearing()).await;
    let linus = bot.linus();
    let member = Value::from(ADA);
    linus.at("staff-desk").command("/staff export", &[("member", member)]).await;
    let (token, data) = bot.discord.with(|state| {
        let by_linus =
            |known: &(&String, &crate::discord::emulator::state::Interaction)| known.1.by == LINUS;
        let last = state.interactions.iter().filter(by_linus).max_by_key(|(_, known)| known.id);
        let token = last.unwrap().0.clone();
        let member = serde_json::json!({ "name": "member", "type": 6, "value": ADA.to_string() });
        let data = serde_json::json!({ "id": "1", "name": "staff", "type": 1,
            "options": [{ "name": "export", "type": 1, "options": [member] }] });
        (token, data)
    });
    bot.happens(|state| {
        let payload = state.payload(&token, &data);
        state.dispatch("INTERACTION_CREATE", &payload);
    })
    .await;
    assert_eq!(linus.screen().matches("📎 Ada - ").count(), 1, "{}", linus.screen());
}
