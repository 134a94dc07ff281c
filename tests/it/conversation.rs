//! What people may do at any moment, and what it comes to: change what they approved, stop, hand over, go on.

use std::sync::Arc;

use anteroom::{
    engine::Receipt,
    model::{
        effect::Recipient,
        session::Status,
        transcript::{Audience, EffectOutcome, Event},
        ui::Control,
        wait::{Settlement, Wait},
    },
    session::Command,
};
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::world::{World, ada, grace, linus, mallory};

/// A member who has written an introduction, approved it, and is asked about roles.
async fn introduced() -> World {
    let mut world = World::on("community-welcome").await;
    world.press("Start").await;
    world.press("I accept").await;
    world.press("Yes").await;
    world.pick(&["learn"]).await;
    world.press("No, thanks").await;
    world.edit(json!({ "text": "I like engines." })).await;
    world
}

/// The first review that was answered.
async fn review(world: &World) -> Wait {
    let waits = world.state().await.waits;
    let is_review = |wait: &&Arc<Wait>| matches!(wait.prompt.control, Control::Review(_));
    Wait::clone(waits.values().find(is_review).unwrap())
}

#[tokio::test]
async fn an_approved_review_can_be_changed_and_keeps_its_record() {
    let mut world = introduced().await;
    let wait = review(&world).await.id;
    let before = world.state().await.records.clone();

    assert_eq!(world.command(&ada(), Command::Change { wait }).await, Receipt::Taken);
    let again = world.open().await.unwrap();
    let Control::Review(shown) = &again.prompt.control else { panic!("{again:?}") };
    assert_eq!(shown.data, json!({ "text": "I like engines." }));
    world.edit(json!({ "text": "I like looms." })).await;

    let after = world.state().await.records.clone();
    assert_eq!(after.len(), before.len());
    assert_eq!(after.last().unwrap().id, before.last().unwrap().id);
    assert_eq!(after.last().unwrap().data, json!({ "text": "I like looms." }));
    // The talk goes on where it was.
    assert_eq!(world.press("Not now").await, Settlement::Applied);
    world.assert_at_rest().await;
}

#[tokio::test]
async fn what_was_changed_once_can_be_changed_back() {
    let mut world = introduced().await;
    let wait = review(&world).await.id;
    for text in ["I like looms.", "I like engines."] {
        world.command(&ada(), Command::Change { wait }).await;
        world.edit(json!({ "text": text })).await;
        let state = world.state().await;
        assert_eq!(state.record("introduction").unwrap().data["text"], text);
    }
}

#[tokio::test]
async fn a_change_that_is_thought_better_of_leaves_all_as_it_was() {
    let mut world = introduced().await;
    let wait = review(&world).await.id;
    let before = world.state().await.records.clone();
    world.command(&ada(), Command::Change { wait }).await;
    // A second press opens no second card.
    world.command(&ada(), Command::Change { wait }).await;
    assert_eq!(world.state().await.pending().count(), 2);

    world.press("Start over").await;

    assert_eq!(world.state().await.records, before);
    assert!(world.screen().ends_with("No changes made."), "{}", world.screen());
}

#[tokio::test]
async fn only_the_participant_changes_what_they_approved_and_only_what_they_approved() {
    let mut world = introduced().await;
    let wait = review(&world).await.id;
    for who in [grace(), mallory()] {
        let receipt = world.command(&who, Command::Change { wait }).await;
        assert!(matches!(receipt, Receipt::Refused(_)), "{receipt:?}");
    }
    let open = world.open().await.unwrap().id;
    let receipt = world.command(&ada(), Command::Change { wait: open }).await;
    assert_eq!(receipt, Receipt::Refused("This can no longer be changed.".into()));
}

/// Events that are posts to the participant.
async fn posts(world: &World) -> Vec<String> {
    let events = world.events().await.into_iter();
    let posts = events.filter_map(|recorded| match Arc::unwrap_or_clone(recorded.event) {
        Event::Posted { audience: Audience::Participant, text, .. } => Some(text.common_mark()),
        _ => None,
    });
    posts.collect()
}

#[tokio::test]
async fn who_comes_back_after_a_pause_is_not_sent_away_at_once() {
    let mut world = World::new().await;
    world.pass(TimeDelta::days(15)).await;
    assert_eq!(world.state().await.status, Status::Paused);

    world.say("sorry, I was away").await;
    world.pass(TimeDelta::minutes(5)).await;

    assert_eq!(world.state().await.status, Status::Open);
    world.pass(TimeDelta::days(15)).await;
    assert_eq!(world.state().await.status, Status::Paused);
    world.say("resume").await;
    assert!(
        world.screen().ends_with("Welcome back. Let's pick up where we left off."),
        "{}",
        world.screen()
    );
}

#[tokio::test]
async fn a_long_talk_with_a_person_is_no_silence_of_the_participant() {
    let mut world = World::new().await;
    world.command(&grace(), Command::TakeOver).await;
    world.pass(TimeDelta::days(20)).await;
    world.command(&grace(), Command::HandBack).await;
    world.pass(TimeDelta::minutes(5)).await;

    assert_eq!(world.state().await.status, Status::Open);
    // Reminders begin anew with the question.
    assert!(world.state().await.reminded.is_empty());
    world.pass(TimeDelta::hours(25)).await;
    assert_eq!(world.state().await.reminded.len(), 1);
}

#[tokio::test]
async fn the_participant_silences_their_own_reminders_and_not_the_deciders() {
    let mut world = World::new().await;
    world.command(&ada(), Command::Advance { reason: "no time".to_owned() }).await;
    world.say("stop reminders").await;
    world.pass(TimeDelta::hours(25)).await;

    assert!(
        world.staff_screen().contains("Still waiting for a decision"),
        "{}",
        world.staff_screen()
    );
    assert!(!world.screen().contains("A reminder:"));
}

#[tokio::test]
async fn while_a_person_has_taken_over_answers_are_kept_and_the_bot_is_silent() {
    let mut world = World::new().await;
    world.command(&ada(), Command::Advance { reason: "no time".to_owned() }).await;
    world.command(&grace(), Command::TakeOver).await;
    let before = posts(&world).await;
    let shown = world.platform.messages().len();

    assert_eq!(world.press("Blue").await, Settlement::Applied);
    assert_eq!(world.press_as(&grace(), "Approve").await, Settlement::Applied);
    world.say("hello").await;
    world.pass(TimeDelta::days(8)).await;

    assert_eq!(posts(&world).await, before);
    let messages = world.platform.messages();
    assert_eq!(messages.len(), shown + 1, "{}", world.screen());
    assert_eq!(messages[shown].text, "Ada Byron: hello", "passed on to the team");
    assert_eq!(messages[shown].to, Recipient::Channel { alias: "desk".to_owned() });
    world.command(&grace(), Command::Write { text: "Good day".to_owned() }).await;
    let written = world.platform.messages().pop().unwrap();
    assert_eq!((written.text.as_str(), written.to), ("Grace: Good day", Recipient::Participant));
    assert_eq!(world.state().await.phase(), Some("one"));

    // Both count as soon as the bot is back.
    world.command(&grace(), Command::HandBack).await;
    assert_eq!(world.state().await.phase(), Some("two"));
    assert_eq!(world.state().await.results["colour"]["selectedIds"], json!(["blue"]));
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "A word, please.");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn what_was_held_survives_the_death_of_the_process() {
    let mut world = World::new().await;
    world.command(&grace(), Command::TakeOver).await;
    world.press("Blue").await;
    world.restart().await;
    world.command(&grace(), Command::HandBack).await;

    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which size?");
    world.assert_at_rest().await;
}

#[tokio::test]
async fn the_bot_does_not_answer_for_a_person_who_talks_after_stop_or_the_end() {
    let mut world = World::new().await;
    world.say("stop").await;
    world.say_as(&grace(), "May I ask why?").await;
    let before = posts(&world).await;
    world.say("I have no time").await;
    assert_eq!(posts(&world).await, before);

    // The person goes, and so the talk can be taken up again.
    world.command(&grace(), Command::HandBack).await;
    world.say("resume").await;
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which colour?");
}

#[tokio::test]
async fn continue_after_stop_and_human_goes_on() {
    let mut world = World::new().await;
    world.say("stop").await;
    world.say("human").await;
    world.say("continue").await;

    assert_eq!(world.state().await.status, Status::Open);
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "Which colour?");
}

#[tokio::test]
async fn stop_after_the_end_says_that_it_is_the_end() {
    let mut world = World::new().await;
    world.command(&grace(), Command::End { reason: "filled".to_owned() }).await;
    world.say("stop").await;
    assert!(
        world.screen().ends_with("This conversation is complete. There is nothing to stop."),
        "{}",
        world.screen()
    );
}

#[tokio::test]
async fn everybody_has_the_commands_that_are_theirs() {
    let mut world = World::new().await;
    for command in [
        Command::Stop,
        Command::Human,
        Command::Skip,
        Command::Export,
        Command::Delete,
        Command::StopReminders,
    ] {
        for who in [grace(), mallory()] {
            let receipt = world.command(&who, command.clone()).await;
            assert!(matches!(receipt, Receipt::Refused(_)), "{command:?}: {receipt:?}");
        }
    }
    assert_eq!(world.state().await.status, Status::Open);

    // Who may decide need not be staff to move somebody on.
    let mut approver = grace();
    approver.staff = false;
    world.command(&approver, Command::Advance { reason: "agreed by telephone".to_owned() }).await;
    assert_eq!(world.state().await.phase(), Some("two"));
}

#[tokio::test]
async fn a_decider_who_moves_somebody_on_decides_the_open_request() {
    let mut world = World::new().await;
    world.command(&ada(), Command::Advance { reason: "no time".to_owned() }).await;
    world.command(&grace(), Command::Advance { reason: "agreed".to_owned() }).await;

    assert_eq!(world.state().await.phase(), Some("two"));
    assert_eq!(world.state().await.pending().filter(|wait| wait.quorum > 0).count(), 1);
}

#[tokio::test]
async fn one_decider_alone_does_not_get_round_a_quorum() {
    let two = crate::world::FLOW.replace("id = \"short\"", "id = \"quorum\"").replace(
        "remind_after = [\"24h\"]\n\n[handoff]",
        "remind_after = [\"24h\"]\nquorum = 2\n\n[handoff]",
    );
    let mut world = World::with(&two, None).await;
    let reason = || "agreed".to_owned();
    world.command(&grace(), Command::Advance { reason: reason() }).await;
    assert_eq!(world.state().await.phase(), Some("one"));
    world.press_as(&grace(), "Approve").await;
    assert_eq!(world.state().await.phase(), Some("one"));
    // The order of the second one is their vote.
    world.command(&linus(), Command::Advance { reason: reason() }).await;
    assert_eq!(world.state().await.phase(), Some("two"));
}

#[tokio::test]
async fn who_may_not_answer_is_not_told_what_was_answered() {
    let mut world = World::new().await;
    let click = world.button("Blue").await;
    world.feed(&ada(), click.clone()).await;
    let receipt = world.feed(&mallory(), click).await;
    assert!(matches!(receipt, Receipt::Settled(Settlement::NotAllowed { .. })), "{receipt:?}");
}

#[tokio::test]
async fn a_part_that_cannot_be_passed_over_is_named_to_who_asks() {
    let mut world = World::on("community-welcome").await;
    world.press("Start").await;
    world.command(&ada(), Command::Advance { reason: "I have no time".to_owned() }).await;
    assert!(
        world
            .screen()
            .ends_with("This part can't be skipped: Rules accepted, Minimum age confirmed."),
        "{}",
        world.screen()
    );
}

#[tokio::test]
async fn a_decision_wakes_a_paused_talk_and_it_goes_on() {
    let flow = crate::world::FLOW
        .replace("id = \"short\"", "id = \"patient\"")
        .replace("expires = \"7d\"", "expires = \"60d\"");
    let mut world = World::with(&flow, None).await;
    world.command(&ada(), Command::Advance { reason: "no time".to_owned() }).await;
    world.pass(TimeDelta::days(15)).await;
    assert_eq!(world.state().await.status, Status::Paused);

    world.press_as(&grace(), "Approve").await;
    world.pass(TimeDelta::minutes(5)).await;

    assert_eq!(world.state().await.status, Status::Open);
    assert_eq!(world.open().await.unwrap().prompt.body.common_mark(), "A word, please.");
}

/// No step can give what is asked for.
const STUCK: &str = r#"
format = 1
id = "stuck"
version = "1"
title = "Stuck"

[approvals.override]
channel = "desk"

[[phase]]
id = "one"
title = "One"
mode = "script"

  [[phase.objective]]
  id = "yes"
  title = "A yes"
  done = { answered = { step = "ask", with = ["yes"] } }

  [[phase.step]]
  id = "ask"
  tool = "get_user_option"
  when = "not answers.ask"
  args = { prompt = "Yes?", options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No" } ] }
"#;

#[tokio::test]
async fn a_script_that_cannot_go_on_always_has_somebody_who_was_asked() {
    let mut world = World::with(STUCK, None).await;
    world.press("No").await;
    assert!(world.state().await.handoff.is_some());

    world.command(&ada(), Command::Advance { reason: "please".to_owned() }).await;
    world.say("continue").await;
    world.press_as(&grace(), "Deny").await;

    let state = world.state().await;
    assert!(state.handoff.is_some() || state.pending().count() > 0, "{}", world.screen());
}

#[tokio::test]
async fn nobody_is_asked_a_question_with_a_hole_in_it() {
    let asks = "args = { prompt = \"Yes?\"";
    let broken = "args = { prompt = \"Is {{ answers.size | round }} right?\"";
    let flow = STUCK
        .replace("channel = \"desk\"\n", "channel = \"desk\"\n\n[handoff]\nchannel = \"desk\"\n")
        .replace("  when = \"not answers.ask\"\n", "")
        .replace(asks, broken)
        .replace("  [[phase.step]]\n", SIZE);
    let mut world = World::with(&flow, None).await;
    world.press("Large").await;

    assert_snapshot!(world.screen(), @"
    Step 1 of 1 · One · 0/1
    ---
    Which size?
    ✓ Ada Byron: Large
    ---
    I can't continue on my own here, so I've asked the team.
    ");
    let told = world.events().await;
    let reason = told.iter().find_map(|recorded| match &*recorded.event {
        Event::HandedOver { reason } => Some(reason.clone()),
        _ => None,
    });
    assert_snapshot!(reason.unwrap(), @"the step `ask` can't be asked, because `Is {{ answers.size | round }} right?` fails: cannot round value (string)");
    assert_eq!(world.audited("step_failed").await, 1);

    // "Continue" changes nothing about the flow: the team is asked again.
    world.say("continue").await;
    assert!(world.state().await.handoff.is_some());
}

const SIZE: &str = r#"  [[phase.step]]
  id = "size"
  tool = "get_user_option"
  args = { prompt = "Which size?", options = [ { id = "small", label = "Small" }, { id = "large", label = "Large" } ] }

  [[phase.step]]
"#;

#[tokio::test]
async fn consent_that_nobody_gave_is_noted_and_said() {
    let mut world = introduced().await;
    world.press("Request it").await;
    world.pass(TimeDelta::days(4)).await;

    let effects = world.state().await.effects;
    let waiting = effects.values().any(|(outcome, _)| *outcome == EffectOutcome::AwaitingApproval);
    assert!(!waiting, "{effects:?}");
    let noted = world.audited("effect_noted").await;
    let events = world.events().await;
    let transitions =
        events.iter().filter(|recorded| matches!(*recorded.event, Event::EffectNoted { .. }));
    assert_eq!(transitions.count(), noted);
}

#[tokio::test]
async fn skip_means_the_question_and_not_the_card_about_erasing() {
    let mut world = introduced().await;
    world.say("delete my data").await;
    world.say("skip").await;
    assert!(world.state().await.results.contains_key("contributor"), "{}", world.screen());
}

#[tokio::test]
async fn many_sessions_that_cannot_go_on_do_not_keep_the_others_waiting() {
    let lost = crate::world::FLOW.replace("id = \"short\"", "id = \"lost\"");
    let mut world = World::with(&lost, None).await;
    for n in 0..300 {
        let place = crate::world::room(&format!("room-{n}"));
        world.engine.start("lost", &ada(), place, &format!("start-{n}")).await.unwrap();
        world.rest().await;
    }
    world.clock.advance(TimeDelta::minutes(1));
    let place = crate::world::room("another room");
    world.session = world.engine.start("short", &ada(), place, "another start").await.unwrap();
    world.rest().await;
    world.lose_flows().await;

    world.clock.advance(TimeDelta::hours(25));
    for _ in 0..3 {
        world.engine.run_due().await;
        world.rest().await;
    }

    assert_eq!(world.state().await.reminded.len(), 1);
}

#[tokio::test]
async fn nothing_is_collected_from_who_has_not_agreed_or_has_ended_it() {
    let mut world = World::on("community-welcome").await;
    assert!(world.upload("note.txt", b"a note").await.is_err());
    world.press("Not now").await;
    assert!(world.upload("note.txt", b"a note").await.is_err());
    assert_eq!(world.state().await.artifacts, []);
}

#[tokio::test]
async fn a_conversation_holds_so_many_files_and_no_more() {
    let mut world = World::new().await;
    let mut kept = 0;
    while world.upload("note.txt", format!("note {kept}").as_bytes()).await.is_ok() {
        kept += 1;
        assert!(kept < 100, "there is no end to it");
    }
    assert_eq!(kept, 50);
    // An answer to a question is taken all the same.
    world.press("Blue").await;
    world.press("Small").await;
    assert!(world.upload("last.txt", b"the last").await.is_ok());
}
