//! What people do otherwise than was thought: silent for days (F4), on a telephone (F8), with a provider down (F13), in
//! bursts (F17), with a file and words or a recording (F18), in distress (F20).
//!
//! F numbers are those of `docs/behaviour.md`.

use anteroom::ports::llm::Error;
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::Value;

use crate::discord::{
    bot::{APPROVALS, Bot, Plan},
    emulator::components,
    rows::{FLOW, led, plan},
    rows_cards::{at_the_file, begun},
    rows_team::asked,
    scripted::{Scripted, Turn},
};

#[tokio::test]
async fn f4_silence_is_reminded_of_twice_and_then_pauses() {
    let bot = begun().await;
    let ada = bot.ada().at("welcome-ada");
    bot.pass(TimeDelta::hours(24)).await;
    assert_snapshot!(ada.news(), @"");
    bot.pass(TimeDelta::hours(48)).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃ Which colour?
          ┃ [Red] [Blue]
          ┃ -# Step 1 of 2 · One · 0/2
      + Anteroom: A reminder: this question is still open. Type *stop reminders* for no more of these.
          [Later] [Stop reminders]
    ");
    bot.pass(TimeDelta::days(7)).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: A reminder: this question is still open. Type *stop reminders* for no more of these.
          [Later] [Stop reminders]
    ");
    bot.pass(TimeDelta::days(5)).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: I haven't heard from you for a while, so I've paused. Nothing is lost: write anything to continue.
    ");
    // The question is answered where it stands all the same.
    ada.at("welcome").command("/onboard resume", &[]).await;
    ada.press("Blue").await;
    assert!(ada.screen().contains("A file, please."), "{}", ada.screen());
}

#[tokio::test]
async fn f4_whoever_wants_no_reminders_gets_none() {
    let bot = begun().await;
    let ada = bot.ada().at("welcome-ada");
    bot.pass(TimeDelta::hours(30)).await;
    drop(ada.news());
    ada.press("Stop reminders").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: Okay, no more reminders.
    ");
    bot.pass(TimeDelta::hours(90)).await;
    assert_snapshot!(ada.news(), @"");
    assert!(ada.button("Blue").is_some(), "{}", ada.screen());
}

/// Lines of a card on a telephone: some 40 characters each.
const PHONE_LINES: usize = 30;

#[tokio::test]
async fn f8_a_request_can_be_read_and_decided_on_a_telephone() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = bot.grace().at("staff-approvals");
    let card = grace.screen();
    let lines: usize = card.lines().map(|line| line.chars().count().div_ceil(40)).sum();
    assert!(lines <= PHONE_LINES, "{lines} lines:\n{card}");
    assert_snapshot!(card, @"
    Anteroom: @Moderators
    ┃ ### Move Ada to “Goodbye”?
    ┃ This phase isn't complete. Missing items were determined by the app, not by the model.
    ┃ **Person**: @Ada
    ┃ **Missing**: A pet
    ┃ **Requested**: <t:1793628300:f>
    ┃ **Expires**: <t:1794233100:f> ⟶ 🖼 Ada
    ┃ **The interviewer's reason**
    ┃ > there is no pet
    ┃ -# About pets · Pets
    ┃ [✓ Approve] [! Deny] [Deny and tell the interviewer] [Transcript]
    ");
    let body = bot.discord.with(|state| {
        let (_, message) = state.channels[&APPROVALS].messages.iter().next_back().unwrap();
        message.body["components"].as_array().unwrap().clone()
    });
    let kinds: Vec<u64> =
        components::all(&body).iter().filter_map(|one| one["type"].as_u64()).collect();
    assert!(!kinds.contains(&3), "no menus: {kinds:?}");
    // It is decided without a link; what cannot be taken back asks once more.
    grace.press("Approve").await;
    assert!(grace.button("Yes, approve").is_some(), "{}", grace.screen());
    // The other way is a word, as a reply to the card.
    let card_above = bot.discord.with(|state| {
        let here = &state.channels[&APPROVALS].messages;
        *here.iter().find(|(_, message)| message.only_for.is_none()).unwrap().0
    });
    model.next(Turn::says("Goodbye."));
    grace.reply_to(card_above, "Approve").await;
    assert!(grace.screen().contains("**Approved** by @Grace Hopper"), "{}", grace.screen());
    model.assert_played();
}

#[tokio::test]
async fn f13_a_provider_that_is_down_is_said_and_nothing_is_lost() {
    let model = Scripted::new();
    let bot = led(&model, Turn::says("Do you have a pet?")).await;
    let ada = bot.ada().at("welcome-ada");
    model.next(Turn::fails(Error::Busy));
    ada.write("A dog.").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: One moment… I'm having trouble responding. What you write isn't lost.
    ");
    model.next(Turn::says("What is it called?"));
    bot.pass(TimeDelta::minutes(30)).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: What is it called?
          [Helpful] [Not helpful] [Help]
    ");
    model.assert_played();
}

/// Where a script can lead, it does.
#[tokio::test]
async fn f13_a_phase_with_a_script_goes_on_without_the_provider() {
    let model = Scripted::new();
    let bot = Bot::planned(Plan {
        model: Some(std::sync::Arc::clone(&model)),
        discord: "message_content = true".to_owned(),
        ..Plan::default()
    })
    .await;
    let ada = bot.ada();
    ada.at("welcome").command("/onboard start", &[]).await;
    model.whenever(|_| true, Turn::fails(Error::Busy));
    for label in ["Start", "I accept", "Yes", "Done"] {
        ada.press(label).await;
    }
    drop(ada.news());
    ada.press("No, thanks").await;
    for _ in 0..3 {
        bot.pass(TimeDelta::seconds(61)).await;
    }
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ Would you like event notifications?
          ┃✓ ✓ You answered: **No, thanks** · <t:1793628300:f>
      + Anteroom: One moment… I'm having trouble responding. What you write isn't lost.
      + Anteroom: I'll continue with a fixed list of questions for now. Nothing you've told me is lost.
      + Anteroom: ┃ ### Introduction
          ┃ Would you like to introduce yourself? Two or three sentences are enough. Nobody sees them before you approve them.
          ┃ [Fill in] [Skip]
          ┃ -# Step 3 of 4 · Say hello · 0/1
    ");
    for _ in 0..8 {
        bot.pass(TimeDelta::minutes(5)).await;
    }
    assert_snapshot!(ada.news(), @"");
}

#[tokio::test]
async fn f17_words_of_a_moment_are_one_turn() {
    let model = Scripted::new();
    let bot = led(&model, Turn::says("Do you have a pet?")).await;
    let ada = bot.ada().at("welcome-ada");
    let gate = crate::discord::scripted::Gate::new();
    model.next(Turn::says("Good.").held_by(&gate));
    model.next(Turn::says("A dog and two cats."));
    bot.unrested();
    ada.write("I have").await;
    gate.reached().await;
    for words in ["a dog", "and a cat", "no, two"] {
        ada.write(words).await;
    }
    gate.open();
    bot.rested().await;
    assert_eq!(model.seen().len(), 3, "three messages are one turn");
    assert_eq!(ada.screen().matches("A dog and two cats.").count(), 1, "{}", ada.screen());
    model.assert_played();
}

#[tokio::test]
async fn f18_a_file_and_words_are_both_used_and_a_recording_is_not_listened_to() {
    let bot = at_the_file().await;
    let ada = bot.ada().at("welcome-ada");
    let sent = |name: &str, kind: &str, bytes: &[u8]| {
        bot.discord.with(|state| state.upload(ada.channel(), (name, kind), bytes, false))
    };
    ada.drop_files("", vec![sent("voice-message.ogg", "audio/ogg", b"OggS")]).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: I can't play voice messages yet. Please type instead.
    ");
    ada.drop_files("This is from last year.", vec![sent("cv.txt", "text/plain", b"Programmer")])
        .await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      ~ Anteroom (edited): ┃✓ A file, please.
          ┃✓ ✓ You sent: **cv.txt** · <t:1793628300:f>
      + Anteroom: ┃ A word, please.
          ┃ [+ Write an answer]
          ┃ -# Or type your answer here.
          ┃ -# Step 2 of 2 · Two · 0/1
    ");
    let look = bot.engine.look(bot.session().await).await.unwrap();
    let events = look.loaded.events.iter().map(|recorded| format!("{:?}", recorded.event));
    let kept = events.filter(|event| event.contains("from last year")).count();
    assert_eq!(kept, 1, "the words are kept");
}

#[tokio::test]
async fn f20_distress_calls_a_person_at_once_and_nothing_more_is_asked() {
    let bot = Bot::planned(Plan::hearing()).await;
    let (ada, linus) = (bot.ada(), bot.linus());
    ada.at("welcome").command("/onboard start", &[]).await;
    ada.press("Start").await;
    drop((ada.news(), linus.news()));
    let there = ada.at("welcome-ada");
    there.write("I want to end my life").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: Thank you for telling me. If anyone is in danger, please call your local emergency number now.
      + Anteroom: I've asked a person from the team to look at this now. I'll keep quiet until they answer or you type *continue*.
    ");
    assert_snapshot!(linus.news(), @"
    #staff-desk
      + Anteroom: ┃ **Ada** · Community welcome
          ┃ -# Step 1 of 4 · Rules · 0/2 · running.
          ┃ -# Write in this thread to take over. I'll pass on what you write.
          ┃ [Take over] [Hand back] [! End the conversation]
    #Ada · Community welcome
      + Anteroom: **Ada** asked for a human in *Community welcome*: they wrote a word from the flow's list; please look right away.
          
          - Step 1 of 4 · Rules
          - Still open: Rules accepted, Minimum age confirmed
    ");
    bot.pass(TimeDelta::hours(30)).await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: Nobody from the team has answered yet, so I've reminded them. Type *continue* to carry on with me in the meantime.
    ");
}

#[tokio::test]
async fn f20_a_legal_threat_reaches_no_model() {
    let model = Scripted::new();
    let flow = FLOW.replace(
        "channel = \"staff_desk\"",
        "channel = \"staff_desk\"\nkeywords = [\"my lawyer\"]",
    );
    let bot = Bot::planned(plan(&model, &flow)).await;
    let (ada, linus) = (bot.ada(), bot.linus());
    model.next(Turn::says("Do you have a pet?"));
    ada.at("welcome").command("/onboard start", &[]).await;
    drop((ada.news(), linus.news()));
    ada.at("welcome-ada").write("You will hear from my lawyer.").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: Thank you for telling me. If anyone is in danger, please call your local emergency number now.
      + Anteroom: I've asked a person from the team to look at this now. I'll keep quiet until they answer or you type *continue*.
    ");
    assert_eq!(model.seen().len(), 1);
    let thread = linus.at("Ada · About pets");
    thread.write("I am so sorry. What happened?").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: Linus from the team is here now.
      + Anteroom: Linus: I am so sorry. What happened?
    ");
    assert_eq!(model.seen().len(), 1);
    model.next(Turn::says("Then let us go on."));
    thread.write("hand back").await;
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: The assistant is back. Let's pick up where we left off.
      + Anteroom: Then let us go on.
          [Helpful] [Not helpful] [Help]
    ");
    assert_snapshot!(model.news(1), @"
    model: Do you have a pet?
    <participant>You will hear from my lawyer.</participant>
    <note>The participant was told: Thank you for telling me. If anyone is in danger, please call your local emergency number now.</note>
    <note>The participant was told: I've asked a person from the team to look at this now. I'll keep quiet until they answer or you type *continue*.</note>
    <note>The participant was told: Linus from the team is here now.</note>
    <staff>Linus: I am so sorry. What happened?</staff>
    <note>The conversation was with the team; it is yours again.</note>
    <note>The participant was told: The assistant is back. Let's pick up where we left off.</note>
    ");
    model.assert_played();
}

/// Nothing of what a person sees names a provider or a tool.
#[tokio::test]
async fn nothing_of_the_machinery_is_shown() {
    let model = Scripted::new();
    let bot = led(&model, Turn::calls("get_user_option", &crate::discord::rows::colours())).await;
    let ada = bot.ada();
    model.next(Turn::fails(Error::Busy));
    ada.press("Blue").await;
    let shown = bot.discord.with(|state| {
        let posts = state.requests.iter().map(|asked| asked.body.clone());
        Value::Array(posts.collect()).to_string()
    });
    for word in ["get_user_option", "openai", "Busy", "\"ses_"] {
        assert!(!shown.contains(word), "{word}");
    }
}
