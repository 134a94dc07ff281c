//! Models of nine temperaments in Discord, and what Ada has read in the end.

use std::{fs, sync::Arc};

use chrono::TimeDelta;
use insta::assert_snapshot;

use crate::discord::{
    bot::{Bot, Plan},
    temperaments::{Act, FLOW, Story, stories},
};

async fn lived_through(story: &Story) -> String {
    let plan = Plan {
        model: Some(Arc::clone(&story.model)),
        flow: Some(FLOW.to_owned()),
        discord: "message_content = true".to_owned(),
        ..Plan::default()
    };
    let bot = Bot::planned(plan).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    bot.ada().press("Start").await;
    let ada = bot.ada().at("welcome-ada");
    let mut is_busy = false;
    let mut old = None;
    for act in &story.acts {
        match act {
            Act::Says(text) => _ = ada.write(text).await,
            Act::Presses(label) => {
                old = ada.button("Dog");
                ada.press(label).await;
                if is_busy {
                    story.gate.reached().await;
                }
            }
            Act::PressesOld(_) => ada.press_again(old.as_ref().unwrap()).await,
            Act::Sends(name) => {
                let bytes = fs::read("tests/fixtures/ada.pdf").unwrap();
                let kind = (*name, "application/pdf");
                let room = ada.channel();
                let file = bot.discord.with(|state| state.upload(room, kind, &bytes, false));
                _ = ada.drop_files("", vec![file]).await;
            }
            Act::Waits(seconds) => bot.pass(TimeDelta::seconds(*seconds)).await,
            Act::FindsItBusy => {
                is_busy = true;
                bot.unrested();
            }
            Act::GoesOn => {
                is_busy = false;
                story.gate.open();
                bot.rested().await;
            }
        }
    }
    story.model.assert_played();
    ada.screen()
}

#[tokio::test]
async fn every_temperament_reads_well() {
    for story in stories() {
        let screen = lived_through(&story).await;
        assert_snapshot!(story.name, screen);
    }
}
