//! What the team opens from the summary of a finished conversation.

use anteroom::store::Store as _;
use insta::assert_snapshot;
use serde_json::json;

use crate::discord::bot::Bot;

const START: &str = r#"
[start.discord]
panel = true
panel_text = "Press Start."
place = "private-thread"
parent = "welcome"
fallback = "dm"
"#;

const STORY: &str = "Once upon a time. ";

fn filed(story: &str) -> String {
    let draft = json!({ "name": "Ada *King*", "story": story });
    crate::discord::filed::flow(START, &draft, "staff_desk")
}

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
    let bot = finished(&filed(STORY)).await;
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
      + Anteroom: The résumé they sent.
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
    let bot = finished(&filed(&long)).await;
    let linus = bot.linus();
    linus.press("Open profile").await;
    assert!(linus.screen().contains("Page 1 of"), "{}", linus.screen());
    linus.press("Next").await;
    assert!(linus.screen().contains("Page 2 of"), "{}", linus.screen());
    linus.press("Previous").await;
    assert!(linus.screen().contains("Page 1 of"), "{}", linus.screen());
    assert_eq!(audited(&bot, "profile_read").await, 1);
}

/// Whoever may not read a conversation opens nothing of it.
#[tokio::test]
async fn members_open_no_profile() {
    let bot = finished(&filed(STORY)).await;
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
