//! What people write and send while the model is at work: it is read at once, and no card is shown that ignores it.

use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    bot::{Bot, Plan},
    scripted::{Gate, Scripted, Turn},
};

/// A part in which a résumé is wanted.
const TALK: &str = r#"
format = 1
id = "talk"
version = "1.0.0"
title = "A talk"

[start.slack]
commands = ["/onboard"]
place = "dm"

[[phase]]
id = "basics"
title = "The basics"
mode = "interview"
prompt = "Get to know them."
tools = ["get_user_option", "get_user_upload", "request_user_input", "set_objective_status", "next_phase"]
uploads = { accept = ["txt", "pdf"], max_mb = 1, max_files = 2 }

  [[phase.objective]]
  id = "work"
  title = "Work"
  done = "model"

  [[phase.objective]]
  id = "cv"
  title = "Résumé"
  done = { uploaded = "resume" }
"#;

#[tokio::test]
async fn words_and_a_resume_that_come_while_the_model_thinks_are_read_at_once() {
    let (model, gate) = (Scripted::new(), Gate::new());
    model.next(Turn::says("Hello. What do you do?"));
    let asks = json!({ "uploadType": "resume", "prompt": "Your résumé, please." });
    model.next(Turn::calls("get_user_upload", &asks).held_by(&gate));
    let flow = Some(TALK.to_owned());
    let plan = Plan { model: Some(Arc::clone(&model)), flow, ..Plan::default() };
    let mut bot = Bot::planned(plan).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    ada.news();
    bot.run();
    ada.reply("I'm an analyst.").await;
    gate.reached().await;
    ada.reply("In London, mostly.").await;
    ada.reply("For twenty years now.").await;
    ada.drop_file("ada-cv.txt", b"Ada Byron\nAnalyst", "").await;
    ada.sees("Got ").await;
    model.next(Turn::says("Thank you for ada-cv.txt. What did you analyse in London?"));
    gate.open();
    ada.sees("What did you analyse").await;
    model.assert_played();
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 1 · The basics · 1/2
          [Help]
    +   Ada Byron: I'm an analyst.
    +   Ada Byron: In London, mostly.
    +   Ada Byron: For twenty years now.
    +   Ada Byron: (file: ada-cv.txt)
    +   Anteroom: Got _ada-cv.txt_.
    +   Anteroom: Thank you for ada-cv.txt. What did you analyse in London?
            [Helpful] [Not helpful]
    ");
    assert_snapshot!(model.news(2), @r#"
    model calls c00000001 get_user_upload {"uploadType":"resume","prompt":"Your résumé, please."}
    c00000001 -> {"error":"the card was not shown: the participant wrote, sent or answered something that you had not read yet. hint: read it, then ask again what is still open","code":"not_shown"}
    <participant>In London, mostly.</participant>
    <participant>For twenty years now.</participant>
    <note>The participant has sent a file: artifact_id upload_00000000000000000000000000000005, name “ada-cv.txt”, kept as `resume`.</note>
    <note>4 answers in a row have completed no objective. Go on with what you have: show it for review, offer to skip what may be skipped, or turn to the next objective.</note>
    <note>The participant was told: Got *ada-cv.txt*.</note>
    "#);
    assert!(!ada.can_see("Your résumé, please."), "{}", ada.screen());
}

/// Words that are worth a stream.
const LONG: &str = "Thank you for telling me. An analyst sees patterns where others see figures, and there is much to \
                    say about that: first of looms, then of engines, then of numbers. What do you see?";

#[tokio::test]
async fn the_stop_of_slack_ends_the_words_that_come_and_not_the_conversation() {
    let (model, gate) = (Scripted::new(), Gate::new());
    model.next(Turn::says("Hello. What do you do?"));
    // The gates stay closed: only dropping the requests lets the conversation come to rest.
    model.next(Turn::says(LONG).in_pieces(6).held_by(&gate));
    let flow = Some(TALK.to_owned());
    let plan = Plan { model: Some(Arc::clone(&model)), flow, ..Plan::default() };
    let mut bot = Bot::planned(plan).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    ada.news();
    bot.run();
    ada.reply("I'm an analyst.").await;
    ada.sees("An analyst sees patterns").await;
    ada.stop().await;
    ada.sees("I've stopped.").await;
    ada.sees("…").await;
    assert_snapshot!(ada.news(), @"
    +   Ada Byron: I'm an analyst.
    +   Anteroom: Thank you for telling me. An analyst sees patterns where others see figures, and there is much to say about that: first of looms, then of engines, the …
            [Helpful] [Not helpful]
    +   Anteroom: I've stopped. Write whenever you're ready.
    ");
    // Words end it as well.
    let again = Gate::new();
    model.next(Turn::says(LONG).in_pieces(6).held_by(&again));
    ada.reply("In London.").await;
    again.reached().await;
    ada.finds("the second answer", |screen| {
        (screen.join("\n").matches("An analyst sees patterns").count() == 2).then_some(())
    })
    .await;
    model.next(Turn::says("Paris, then. And before?"));
    ada.reply("No, I meant Paris.").await;
    ada.sees("Paris, then.").await;
    model.assert_played();
    assert_snapshot!(model.news(3), @"
    model: Thank you for telling me. An analyst sees patterns where others see figures, and there is much to say about that: first of looms, then of engines, the
    <note>The participant wrote while you were speaking. They read nothing that you would have said after this.</note>
    <participant>No, I meant Paris.</participant>
    ");
    // Late, it stops nothing.
    ada.stop().await;
    ada.sees("nothing to stop").await;
    assert!(!ada.can_see("Stopped."), "{}", ada.screen());
}
