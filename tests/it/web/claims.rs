//! The playground claims no act that cannot happen there.

use anteroom::ports::llm::Models;
use reqwest::multipart;

use super::site::{FLOW, Site};

/// What the flow of the site does at its end.
const SUMMARY: &str = r#"
  [[phase.effect]]
  do = "post_summary"
  channel = "recruiting_desk"
  include = []
"#;

#[tokio::test]
async fn a_summary_for_a_channel_is_not_told_as_sent_where_there_are_no_channels() {
    let site = Site::modelled(&format!("{FLOW}{SUMMARY}"), Models::default()).await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    let page = ada.press(&page, "Red").await;
    ada.upload(&page, multipart::Part::text("A file.").file_name("a.txt")).await;
    let page = ada.get(&format!("/s/{}", site.session().await)).await;
    let page = ada.say(&page, "A word").await;
    assert!(!page.contains("recruiting") && !page.contains("Done: "), "{page}");

    let grace = site.staff("Grace").await;
    let staff = grace.get(&format!("/staff/s/{}", site.session().await)).await;
    assert!(staff.contains("Would post a summary in <em>#recruiting_desk</em>:"), "{staff}");
    assert!(staff.contains("Nothing was posted") && !staff.contains("Done: summary"), "{staff}");
}
