//! Models of nine temperaments in Slack, and what Ada has read in the end.

use std::{fs, sync::Arc};

use chrono::TimeDelta;
use insta::assert_snapshot;

use crate::slack::{
    bot::{Bot, Plan},
    temperaments::{Act, FLOW, Story, stories},
};

async fn lived_through(story: &Story) -> String {
    let (model, flow) = (Some(Arc::clone(&story.model)), Some(FLOW.to_owned()));
    let bot = Bot::planned(Plan { model, flow, ..Plan::default() }).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    let mut is_busy = false;
    for act in &story.acts {
        match act {
            Act::Says(text) => drop(ada.reply(text).await),
            Act::Presses(label) => {
                ada.press(label).await;
                if is_busy {
                    story.gate.reached().await;
                }
            }
            // It may be gone by now.
            Act::PressesOld(label) => drop(ada.try_press(label).await),
            Act::Sends(name) => {
                let bytes = fs::read("tests/fixtures/ada.pdf").unwrap();
                drop(ada.drop_file(name, &bytes, "").await);
            }
            Act::Waits(seconds) => bot.pass(TimeDelta::seconds(*seconds)).await,
            Act::FindsItBusy => {
                is_busy = true;
                bot.unrested();
            }
            Act::GoesOn => {
                is_busy = false;
                story.gate.open();
                bot.rest().await;
                bot.rested();
            }
        }
    }
    story.model.assert_played();
    bot.judge();
    ada.screen()
}

#[tokio::test]
async fn every_temperament_reads_well() {
    for story in stories() {
        let screen = lived_through(&story).await;
        assert_snapshot!(story.name, screen);
    }
}
