//! Models of many temperaments on the page, and what Ada has read in the end.

use std::{fs, sync::Arc};

use anteroom::ports::llm::{Model, Models};
use chrono::TimeDelta;
use insta::assert_snapshot;
use reqwest::multipart::Part;

use super::{draw::read, site::Site};
use crate::llm::temperaments::{Act, FLOW, Story, stories};

async fn lived_through(story: &Story) -> String {
    let interview = Some(Arc::clone(&story.model) as Arc<dyn Model>);
    let site = Site::modelled(FLOW, Models { interview, ..Models::default() }).await;
    let mut ada = site.visitor();
    let mut page = ada.start("talk", "Ada").await;
    let path = format!("/s/{}", site.session().await);
    let mut old = page.clone();
    for act in &story.acts {
        page = match act {
            Act::Says(text) => ada.say(&page, text).await,
            Act::Presses(label) => {
                old.clone_from(&page);
                let next = ada.press(&page, label).await;
                if ada.is_busy {
                    story.gate.reached().await;
                    ada.get(&path).await
                } else {
                    next
                }
            }
            Act::PressesOld(label) => {
                ada.press(&old, label).await;
                ada.get(&path).await
            }
            Act::Sends(name) => {
                let bytes = fs::read("tests/fixtures/ada.pdf").unwrap();
                ada.attach(&page, Part::bytes(bytes).file_name((*name).to_owned())).await
            }
            Act::Waits(seconds) => {
                site.clock.advance(TimeDelta::seconds(*seconds));
                site.engine.run_due().await;
                site.engine.settle_down().await;
                ada.get(&path).await
            }
            Act::FindsItBusy => {
                ada.is_busy = true;
                page
            }
            Act::GoesOn => {
                ada.is_busy = false;
                story.gate.open();
                ada.get(&path).await
            }
        };
    }
    story.model.assert_played();
    let log = page.find("id=\"log\"").map_or(page.as_str(), |at| &page[at..]);
    read(log)
}

#[tokio::test]
async fn every_temperament_reads_well() {
    for story in stories() {
        assert_snapshot!(story.name, lived_through(&story).await);
    }
}
