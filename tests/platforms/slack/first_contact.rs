//! A first word to the bot: greeted once, whatever Slack delivers again.
//!
//! Rows are those of `docs/semantics.md`.

use anteroom::store::Store as _;

use crate::slack::{
    bot::{Bot, By, Plan},
    emulator::{person::Person, wire::Push},
    outage::FLOW,
};

const CHOOSER: &str = "Which one would you like to start?";
const WROTE: &str = "I've sent you a direct message";
const ALREADY: &str = "You already have this conversation";

/// Everything that told of a message, as Slack sends it again.
fn events(bot: &Bot, ts: &str, attempt: u32) -> Vec<Push> {
    bot.slack.look(|state| {
        let pushes = state.deliveries.iter().map(|delivery| &delivery.push);
        let mut told: Vec<Push> = Vec::new();
        for push in pushes.filter(|push| push.payload["event"]["ts"] == ts) {
            if told.iter().all(|known| known.id != push.id) {
                told.push(Push { attempt, ..push.clone() });
            }
        }
        told
    })
}

/// Slack delivers what told of a message three times more.
async fn redeliver(bot: &Bot, ts: &str) {
    for attempt in 1..=3 {
        for push in events(bot, ts, attempt) {
            bot.slack.send(push).await.unwrap();
        }
        bot.rest().await;
    }
}

fn count(person: &Person, words: &str) -> usize {
    person.screen().matches(words).count()
}

fn plan(by: By, flow: Option<&str>) -> Plan {
    Plan { by, flow: flow.map(str::to_owned), ..Plan::default() }
}

#[tokio::test]
async fn a_mention_that_two_events_tell_of_is_greeted_once_when_redelivered() {
    for by in [By::Sockets, By::Http] {
        for (flow, greeting, next) in [(None, CHOOSER, CHOOSER), (Some(FLOW), WROTE, ALREADY)] {
            let mut bot = Bot::planned(plan(by, flow)).await;
            let linus = bot.slack.person("U0LINUS").at("general");
            let ts = linus.say("@anteroom hello").await;
            assert_eq!(events(&bot, &ts, 1).len(), 2, "a mention is two events");
            redeliver(&bot, &ts).await;
            assert_eq!(count(&linus, greeting), 1, "{by:?}:\n{}", linus.screen());
            bot.crash().await;
            redeliver(&bot, &ts).await;
            assert_eq!(count(&linus, greeting), 1, "{by:?}, after a restart:\n{}", linus.screen());
            assert_eq!(count(&linus, ALREADY), 0, "{by:?}, after a restart:\n{}", linus.screen());
            // A new word is another one.
            linus.say("@anteroom hello").await;
            let times = if next == greeting { 2 } else { 1 };
            assert_eq!(count(&linus, next), times, "{by:?}:\n{}", linus.screen());
            bot.judge();
        }
    }
}

/// Row 5.
#[tokio::test]
async fn row_5_a_start_that_was_kept_and_not_acknowledged_is_answered_as_one() {
    let mut bot = Bot::on(FLOW).await;
    let linus = bot.slack.person("U0LINUS").at("general");
    bot.hold.die_after(1);
    bot.unrested();
    let ts = linus.say("@anteroom hello").await;
    bot.slack.delivered().await;
    bot.crash().await;
    redeliver(&bot, &ts).await;
    assert_eq!((count(&linus, WROTE), count(&linus, ALREADY)), (1, 0), "{}", linus.screen());
    // Somebody else has begun since then.
    bot.mallory().at("general").say("@anteroom hello").await;
    redeliver(&bot, &ts).await;
    assert_eq!((count(&linus, WROTE), count(&linus, ALREADY)), (1, 0), "{}", linus.screen());
}

#[tokio::test]
async fn a_first_direct_message_is_greeted_once_when_redelivered() {
    for by in [By::Sockets, By::Http] {
        for flow in [None, Some(FLOW)] {
            let mut bot = Bot::planned(plan(by, flow)).await;
            let linus = bot.slack.person("U0LINUS");
            let ts = linus.say("hello").await;
            redeliver(&bot, &ts).await;
            bot.crash().await;
            redeliver(&bot, &ts).await;
            assert_eq!(count(&linus, CHOOSER), 1, "{by:?}:\n{}", linus.screen());
        }
    }
}

#[tokio::test]
async fn a_word_that_starts_an_interview_starts_one_when_redelivered() {
    let mut bot = Bot::on(FLOW).await;
    let linus = bot.slack.person("U0LINUS");
    let ts = linus.say("start").await;
    redeliver(&bot, &ts).await;
    bot.crash().await;
    redeliver(&bot, &ts).await;
    assert_eq!(count(&linus, "Which colour?"), 1, "{}", linus.screen());
    assert_eq!(bot.store.sessions(None, 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn both_events_of_a_mention_are_greeted_once_when_they_come_at_the_same_moment() {
    let bot = Bot::new().await;
    let linus = bot.slack.person("U0LINUS").at("general");
    bot.slack.hold();
    let ts = linus.say("@anteroom hello").await;
    let held = bot.slack.with(|state| {
        state.held = false;
        std::mem::take(&mut state.outbox)
    });
    let held: Vec<Push> =
        held.into_iter().filter(|push| push.payload["event"]["ts"] == ts).collect();
    let [one, other] = held.as_slice() else { panic!("{held:?}") };
    let (one, other) = tokio::join!(bot.slack.send(one.clone()), bot.slack.send(other.clone()));
    assert!(one.is_ok() && other.is_ok());
    bot.rest().await;
    assert_eq!(count(&linus, CHOOSER), 1, "{}", linus.screen());
}

/// What was a greeting stays one, though the person has been asked something since.
#[tokio::test]
async fn a_greeting_is_no_answer_when_it_is_redelivered_after_the_interview_began() {
    let bot = Bot::on(FLOW).await;
    let linus = bot.slack.person("U0LINUS");
    let ts = linus.say("red").await;
    linus.press("About colours").await;
    assert!(linus.can_see("Which colour?"), "{}", linus.screen());
    drop(linus.news());
    redeliver(&bot, &ts).await;
    assert_eq!(linus.news(), "");
}

#[tokio::test]
async fn presses_and_shortcuts_say_things_once_when_redelivered() {
    let bot = Bot::new().await;
    let (linus, grace) = (bot.slack.person("U0LINUS"), bot.grace());
    linus.shortcut("onboard_start").await;
    bot.slack.repeat("interactive").await.unwrap();
    bot.rest().await;
    assert_eq!(count(&linus, CHOOSER), 1, "{}", linus.screen());
    linus.press("Community welcome").await;
    bot.slack.repeat("interactive").await.unwrap();
    bot.rest().await;
    assert_eq!(count(&linus, WROTE), 1, "{}", linus.screen());
    grace.command("/onboard invite @ada").await;
    grace.press("Send").await;
    bot.slack.repeat("interactive").await.unwrap();
    bot.rest().await;
    assert_eq!(count(&grace, "Sent."), 1, "{}", grace.screen());
    grace.command("/onboard export @ada").await;
    bot.slack.repeat("slash_commands").await.unwrap();
    bot.rest().await;
    assert_eq!(
        count(&grace, "(file: Ada Byron - Candidate onboarding.zip"),
        1,
        "{}",
        grace.screen()
    );
}

/// A shortcut is used anywhere; whoever has the conversation is told where it is.
#[tokio::test]
async fn a_shortcut_leads_to_the_conversation_that_is_there() {
    let bot = Bot::on(FLOW).await;
    let linus = bot.slack.person("U0LINUS");
    linus.shortcut("onboard_start").await;
    bot.slack.repeat("interactive").await.unwrap();
    bot.rest().await;
    assert_eq!((count(&linus, "Which colour?"), count(&linus, "You already have")), (1, 0));
    linus.shortcut("onboard_start").await;
    bot.slack.repeat("interactive").await.unwrap();
    bot.rest().await;
    assert_eq!(count(&linus, "You already have"), 1, "{}", linus.screen());
    let calls = bot.slack.calls();
    let told = calls.iter().filter_map(|call| call.body["text"].as_str());
    let told: Vec<&str> = told.filter(|text| text.starts_with("You already have")).collect();
    assert!(matches!(*told, [text] if text.contains("|this conversation>")), "{told:?}");
}
