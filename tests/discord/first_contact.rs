//! A first word to the bot: greeted once, whatever Discord replays.

use std::collections::BTreeSet;

use crate::{
    bot::{Bot, MALLORY, WELCOME},
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
