//! The playground claims no act that cannot happen there.

use anteroom::llm::Models;

use super::site::Site;

const FLOW: &str = r#"
format = 1
id = "tour"
version = "1.0.0"
title = "A short tour"

[notice]
text = "You are about to talk to a bot."
accept = "Go on"
human = "A person, please"
decline = "Not now"

[approvals.override]
channel = "recruiting_approvals"

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option"]

  [[phase.objective]]
  id = "chosen"
  title = "A colour"
  done = { answered = { step = "colour" } }

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.effect]]
  do = "post_summary"
  channel = "recruiting_desk"
  include = []
"#;

#[tokio::test]
async fn a_summary_for_a_channel_is_not_told_as_sent_where_there_are_no_channels() {
    let site = Site::modelled(FLOW, Models::default()).await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    let page = ada.press(&page, "Red").await;
    assert!(!page.contains("recruiting") && !page.contains("Done: "), "{page}");

    let grace = site.staff("Grace").await;
    let staff = grace.get(&format!("/staff/s/{}", site.session().await)).await;
    assert!(staff.contains("Not applicable here: summary to recruiting desk."), "{staff}");
    assert!(!staff.contains("Done: summary"), "{staff}");
}
