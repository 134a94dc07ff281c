//! The buttons under what a model says, and why an answer did not help.

use anteroom::{engine::export::transcript, model::transcript::Audience};
use insta::assert_snapshot;
use metrics_exporter_prometheus::PrometheusBuilder;

use crate::discord::{
    bot::Bot,
    scripted::{Scripted, Turn},
    thinking::led_by,
};

/// What the staff's copy tells of ratings.
async fn told(bot: &Bot) -> String {
    let gathered = bot.engine.gather(bot.session().await).await.unwrap();
    let entries = transcript::entries(&gathered.source(Audience::Staff)).unwrap();
    let rated = entries.iter().filter(|entry| entry.kind == "rated");
    rated.map(|entry| format!("{}: {}", entry.who, entry.text)).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn why_an_answer_did_not_help_is_kept_for_staff_once() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let (page, _guard) = (recorder.handle(), metrics::set_default_local_recorder(&recorder));
    let model = Scripted::new();
    model.next(Turn::says("Your first day is *Monday*. Have you got a pet?"));
    let bot = led_by(&model).await;
    let ada = bot.ada();
    ada.press("Start").await;
    ada.news();
    ada.press("Helpful").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): Thanks, good to know.
    ");
    ada.press("Not helpful").await;
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): Thanks for letting me know. Type *human* if you'd rather talk to a person.
    ");
    assert_snapshot!(told(&bot).await, @r"Ada: Found an answer not helpful (“Your first day is \*Monday\*. Have you got a pet?”)");
    ada.press("Not helpful").await;
    ada.fill("Your reason (the team can read it)", "I asked about holidays.");
    ada.submit().await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom (only you): Thank you. The team can read that.
    ");
    assert_snapshot!(told(&bot).await, @r"Ada: Found an answer not helpful (“Your first day is \*Monday\*. Have you got a pet?”): “I asked about holidays.”");
    // It is not somebody else's to say.
    let good = ada.button("Helpful").unwrap();
    bot.linus().press_again(&good).await;
    assert_snapshot!(told(&bot).await, @r"Ada: Found an answer not helpful (“Your first day is \*Monday\*. Have you got a pet?”): “I asked about holidays.”");
    let page = page.render();
    for counted in ["{outcome=\"good\"} 1\n", "{outcome=\"bad\"} 1\n"] {
        let line = format!("anteroom_discord_feedback_total{counted}");
        assert!(page.contains(&line), "{line}{page}");
    }
    model.assert_played();
}
