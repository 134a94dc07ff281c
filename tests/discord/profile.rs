//! What the team opens from the summary of a finished conversation.

use anteroom::store::Store as _;
use insta::assert_snapshot;

use crate::bot::Bot;

const FILED: &str = r#"
format = 1
id = "filed"
version = "1.0.0"
title = "A file and a name"

[start.discord]
panel = true
panel_text = "Press Start."
place = "private-thread"
parent = "welcome"
fallback = "dm"

[data.pet]
schema_inline = '{"type":"object","title":"Your name","required":["name"],"properties":{"name":{"type":"string","title":"Name"},"story":{"type":"string","title":"Story"}}}'
review = true

[[phase]]
id = "one"
title = "One"
mode = "script"
uploads = { accept = ["txt"], max_mb = 1, max_files = 1 }

  [[phase.objective]]
  id = "named"
  title = "A name"
  done = { reviewed = "pet" }

  [[phase.step]]
  id = "file"
  tool = "get_user_upload"
  [phase.step.args]
  uploadType = "resume"
  prompt = "A file, please."

  [[phase.step]]
  id = "name"
  tool = "submit_for_validation"
  [phase.step.args]
  dataType = "pet"
  message = "Your name?"
  data = { name = "Ada *King*", story = "Once upon a time. " }

  [[phase.effect]]
  do = "post_summary"
  channel = "staff_desk"
  include = ["pet"]
"#;

/// A member of the team has read a page, or has taken a file.
async fn audited(bot: &Bot, event: &str) -> usize {
    let records = bot.store.audit(0, 1_000).await.unwrap();
    records.iter().filter(|sealed| sealed.record.event == event).count()
}

/// Ada has sent a file and approved the card; the team has read the summary.
async fn finished(flow: &str) -> Bot {
    let bot = Bot::on(flow).await;
    bot.linus().at("welcome").command("/onboard panel", &[]).await;
    let ada = bot.ada();
    ada.press("Start").await;
    ada.press("Upload résumé").await;
    let channel = ada.at("welcome-ada").channel();
    ada.attach(&bot.discord.with(|state| {
        state.upload(channel, ("ada.txt", "text/plain"), b"Ada Byron, programmer", true)
    }));
    ada.submit().await;
    ada.press("Looks right").await;
    drop(bot.linus().news());
    bot
}

#[tokio::test]
async fn the_team_opens_a_profile_and_takes_a_resume_from_the_summary() {
    let bot = finished(FILED).await;
    let linus = bot.linus();
    linus.press("Open profile").await;
    assert_snapshot!(linus.news(), @r"
    #Ada · A file and a name
      + Anteroom (only you): ┃ ### Your name
          ┃ Name: Ada \*King\*
          ┃ Story: Once upon a time.
    ");
    linus.press("Résumé").await;
    assert_snapshot!(linus.news(), @"
    #Ada · A file and a name
      + Anteroom (only you): Sent. You'll find it in your direct messages.
    @Anteroom
      + Anteroom: The résumé that they sent.
          📎 ada.txt
    ");
    for event in ["profile_read", "resume_read"] {
        assert_eq!(audited(&bot, event).await, 1, "{event}");
    }
}

/// A profile that is longer than a message is read page by page, as one reading.
#[tokio::test]
async fn a_long_profile_is_read_page_by_page() {
    let long = "Once upon a time there was an engine. ".repeat(200);
    let bot = finished(&FILED.replace("Once upon a time. ", &long)).await;
    let linus = bot.linus();
    linus.press("Open profile").await;
    assert!(linus.screen().contains("Page 1 of"), "{}", linus.screen());
    linus.press("Next page").await;
    assert!(linus.screen().contains("Page 2 of"), "{}", linus.screen());
    linus.press("Previous page").await;
    assert!(linus.screen().contains("Page 1 of"), "{}", linus.screen());
    assert_eq!(audited(&bot, "profile_read").await, 1);
}

/// Whoever may not read a conversation opens nothing of it.
#[tokio::test]
async fn members_open_no_profile() {
    let bot = finished(FILED).await;
    let profile = bot.linus().button("Open profile").unwrap();
    let resume = bot.linus().button("Résumé").unwrap();
    let mallory = bot.mallory();
    drop(mallory.news());
    for button in [profile, resume] {
        mallory.press_again(&button).await;
    }
    assert_snapshot!(mallory.news(), @"
    #Ada · A file and a name
      + Anteroom (only you): Only the team can do that.
      + Anteroom (only you): Only the team can do that.
    ");
    assert_eq!(audited(&bot, "profile_read").await + audited(&bot, "resume_read").await, 0);
}
