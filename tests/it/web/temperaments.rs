//! Models of many temperaments on the page, and what Ada has read in the end. What is done while the model is at work
//! is told in the tests of the engine.

use std::sync::Arc;

use anteroom::llm::{Model, Models};
use chrono::TimeDelta;
use insta::assert_snapshot;

use super::{draw::read, site::Site};
use crate::llm::temperaments::{Act, FLOW, Story, stories};

async fn lived_through(story: &Story) -> String {
    let interview = Some(Arc::clone(&story.model) as Arc<dyn Model>);
    let site = Site::modelled(FLOW, Models { interview, ..Models::default() }).await;
    let ada = site.visitor();
    let mut page = ada.start("talk", "Ada").await;
    for act in &story.acts {
        page = match act {
            Act::Says(text) => ada.say(&page, text).await,
            Act::Presses(label) => ada.press(&page, label).await,
            Act::Waits(seconds) => {
                site.clock.advance(TimeDelta::seconds(*seconds));
                site.engine.run_due().await;
                site.engine.settle_down().await;
                ada.get(&format!("/s/{}", site.session().await)).await
            }
            Act::GoesOn => {
                story.gate.open();
                page
            }
            Act::PressesOld(_) | Act::Sends(_) | Act::FindsItBusy => page,
        };
    }
    story.model.assert_played();
    let log = page.find("id=\"log\"").map_or(page.as_str(), |at| &page[at..]);
    read(log)
}

#[tokio::test]
async fn every_temperament_reads_well() {
    for story in stories().iter().filter(|story| story.name != "slow") {
        assert_snapshot!(story.name, lived_through(story).await);
    }
}
