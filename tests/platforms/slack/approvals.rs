//! J3: deciders in a channel of theirs.
//!
//! Rows are those of `docs/semantics.md`, J numbers those of `docs/behaviour.md`.

use std::sync::Arc;

use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    bot::{Bot, Plan},
    emulator::person::Person,
    scripted::{Scripted, Turn},
};

/// A model leads, and asks the team whether a part may be left out.
pub(crate) const FLOW: &str = r#"
format = 1
id = "pets"
version = "1.0.0"
title = "About pets"

[start.slack]
commands = ["/onboard"]
invite = true
place = "dm"

[approvals.override]
channel = "recruiting_approvals"
expires = "7d"
remind_after = ["24h"]

[handoff]
channel = "recruiting_desk"

[data.pet]
schema_inline = '{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}'
review = true

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Talk about pets."
tools = ["get_user_option", "request_user_input", "submit_for_validation", "next_phase"]

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = { reviewed = "pet" }

[[phase]]
id = "end"
title = "Goodbye"
mode = "interview"
prompt = "Say goodbye."
tools = ["request_user_input"]

  [[phase.objective]]
  id = "said"
  title = "Last words"
  required = false
  done = { talked = 1 }
"#;

/// Ada talks to the model, which has asked the team.
pub(crate) async fn asked(model: &Arc<Scripted>) -> Bot {
    let flow = Some(FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(model)), flow, ..Plan::default() }).await;
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    bot.ada().command("/onboard start").await;
    bot
}

fn channel(person: &Person) -> Person {
    person.at("recruiting-approvals")
}

#[tokio::test]
async fn a_request_is_approved() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let (ada, grace) = (bot.ada(), channel(&bot.grace()));
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): I've sent you a direct message; look under this app's messages.
    + Anteroom: · Step 1 of 2 · Pets · 0/1
          [Help]
    +   Anteroom: I've asked the team. You can leave; I'll post their answer here.
    ");
    assert_snapshot!(grace.news(), @"
    + Anteroom: # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          · @approvers, please decide.
          [+ Approve ?] [! Deny] [Deny and tell the interviewer] [Transcript]
    ");

    model.next(Turn::says("Goodbye then."));
    grace.press("Approve").await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          ✓ *Approved* by @Grace Hopper · 2 Nov 2026 10:00 UTC
    +   Anteroom: Approved by @Grace Hopper.
    ");
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 2 of 2 · Goodbye
          [Help]
    +   Anteroom: The team approved your request, so let's move on.
    +   Anteroom: Goodbye then.
            [Helpful] [Not helpful]
    ");
    model.assert_played();
    bot.judge();
}

/// A request while no channel of the team takes anything.
async fn asked_while_channels_are_archived(model: &Arc<Scripted>) -> Bot {
    let flow = Some(FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(model)), flow, ..Plan::default() }).await;
    bot.slack.with(|state| {
        for channel in ["C0APPROVALS", "C0DESK"] {
            state.archive(channel, true);
        }
    });
    bot.slack.delivered().await;
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    bot.ada().command("/onboard start").await;
    bot
}

/// Whoever may decide is written to directly, and decides there; nobody else reads any of it.
#[tokio::test]
async fn a_request_that_no_channel_takes_is_decided_in_a_direct_message() {
    let model = Scripted::new();
    let bot = asked_while_channels_are_archived(&model).await;
    let (ada, grace) = (bot.ada(), bot.grace());
    assert_snapshot!(ada.news(), @"
    + Anteroom (only you): I've sent you a direct message; look under this app's messages.
    + Anteroom: · Step 1 of 2 · Pets · 0/1
          [Help]
    +   Anteroom: I couldn't post in the team's channel, so I've written directly to the people who can decide. You can leave; I'll post their answer here.
    ");
    assert_snapshot!(grace.news(), @"
    + Anteroom: # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          [+ Approve ?] [! Deny] [Deny and tell the interviewer] [Transcript]
    ");
    assert_snapshot!(bot.mallory().news(), @"");
    model.next(Turn::says("Goodbye."));
    grace.press("Approve").await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          ✓ *Approved* by @Grace Hopper · 2 Nov 2026 10:00 UTC
    ");
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 2 of 2 · Goodbye
          [Help]
    +   Anteroom: The team approved your request, so let's move on.
    +   Anteroom: Goodbye.
            [Helpful] [Not helpful]
    ");
    model.assert_played();
    // What is decided is not asked once more when the channel is back.
    bot.slack.with(|state| state.archive("C0APPROVALS", false));
    bot.slack.delivered().await;
    bot.rest().await;
    assert_snapshot!(channel(&grace).news(), @"");
}

/// The channel is back before anybody has decided: the card stands there as well, and both are drawn anew.
#[tokio::test]
async fn a_request_that_was_sent_directly_stands_in_the_channel_once_it_is_back() {
    let model = Scripted::new();
    let bot = asked_while_channels_are_archived(&model).await;
    let (ada, grace) = (bot.ada(), bot.grace());
    drop((ada.news(), grace.news()));
    bot.slack.with(|state| state.archive("C0APPROVALS", false));
    bot.slack.delivered().await;
    bot.rest().await;
    let told = channel(&grace).news();
    assert_eq!(told.matches("Move Ada Byron").count(), 1, "{told}");
    assert_eq!(ada.news(), "", "it was said already that the team is asked");
    model.next(Turn::says("Goodbye."));
    channel(&grace).press("Approve").await;
    let direct = grace.news();
    assert!(direct.contains("*Approved* by"), "{direct}");
    model.assert_played();
}

#[tokio::test]
async fn a_request_is_denied() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let (ada, grace) = (bot.ada(), channel(&bot.grace()));
    drop((ada.news(), grace.news()));
    model.next(Turn::says("Then tell me of a plant."));
    grace.press("Deny").await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          ✗ *Denied* by @Grace Hopper · 2 Nov 2026 10:00 UTC
    +   Anteroom: Denied by @Grace Hopper.
    ");
    assert_snapshot!(ada.news(), @"
    +   Anteroom: The team would like you to finish this part first.
    +   Anteroom: Then tell me of a plant.
            [Helpful] [Not helpful]
    ");
    model.assert_played();
}

#[tokio::test]
async fn a_denial_says_something_to_the_interviewer_alone() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let (ada, grace) = (bot.ada(), channel(&bot.grace()));
    drop((ada.news(), grace.news()));
    grace.press("Deny and tell the interviewer").await;
    assert_snapshot!(grace.news(), @"
    ╔ Deny and tell
    ║ *Move Ada Byron to “Goodbye”?*
    ║ What should the interviewer do next?: ____
    ║   · The interviewer will use this; Ada Byron won't see it.
    ╚ [Cancel] [Send to interviewer]
    ");
    grace.submit().await;
    assert_snapshot!(grace.form(), @"
    ╔ Deny and tell
    ║ *Move Ada Byron to “Goodbye”?*
    ║ What should the interviewer do next?: ____
    ║   · The interviewer will use this; Ada Byron won't see it.
    ║   ✗ Please complete this required field.
    ╚ [Cancel] [Send to interviewer]
    ");
    model.next(Turn::says("Tell me of a plant."));
    grace.fill("What should the interviewer do next?", "Ask about plants, she is shy.").await;
    grace.submit().await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          ✗ *Denied with feedback* by @Grace Hopper · 2 Nov 2026 10:00 UTC
          · To the interviewer: Ask about plants, she is shy.
    +   Anteroom: Denied by @Grace Hopper.
    ");
    assert_snapshot!(ada.news(), @"
    +   Anteroom: The team would like you to finish this part first.
    +   Anteroom: Tell me of a plant.
            [Helpful] [Not helpful]
    ");
    assert!(!ada.screen().contains("shy"));
    model.assert_played();
    bot.judge();
}

/// What is written under a request is about that request alone, and reaches nobody else.
#[tokio::test]
async fn a_hand_over_stays_in_its_own_thread_while_a_request_is_open_and_after() {
    let model = Scripted::new();
    let flow = FLOW.replace("\"recruiting_desk\"", "\"recruiting_approvals\"");
    let plan = Plan { model: Some(Arc::clone(&model)), flow: Some(flow), ..Plan::default() };
    let bot = Bot::planned(plan).await;
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    let (ada, grace) = (bot.ada(), channel(&bot.grace()));
    ada.command("/onboard start").await;
    drop(grace.news());
    ada.say("human").await;
    grace.press("Take over").await;
    ada.say("Hello, is somebody there?").await;
    assert_snapshot!(grace.news(), @"
    + Anteroom (edited): *Ada Byron* (@Ada Byron) · About pets
          · Step 1 of 2 · Pets · 0/1 · running. @Grace Hopper has taken over. I'll pass on what you write in this thread to Ada Byron.
          [Hand back] [! End the conversation ?]
    +   Anteroom: *Ada Byron* asked for a human in _About pets_.

            • Step 1 of 2 · Pets
            • Still open: A pet
    +   Anteroom: Ada Byron: Hello, is somebody there?
    ");
    grace.press("Deny").await;
    ada.say("And now?").await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          ✗ *Denied* by @Grace Hopper · 2 Nov 2026 10:00 UTC
    +   Anteroom: Denied by @Grace Hopper.
    +   Anteroom: Ada Byron: And now?
    ");
    let thread_of = |words: &str| {
        bot.slack.look(|state| {
            let mut messages = state.channels["C0APPROVALS"].messages.values();
            messages.find(|message| message.text.contains(words)).unwrap().thread.clone()
        })
    };
    let thread = thread_of("asked for a human");
    assert!(thread.is_some() && thread != thread_of("Denied by"));
    assert_eq!([thread_of("is somebody there?"), thread_of("And now?")], [thread.clone(), thread]);
}

#[tokio::test]
async fn words_in_the_thread_decide() {
    for (words, reply) in [
        ("approve", "Goodbye."),
        ("deny", "Then a plant."),
        ("feedback: ask about plants", "A plant?"),
    ] {
        let model = Scripted::new();
        let bot = asked(&model).await;
        let grace = channel(&bot.grace());
        drop(grace.news());
        channel(&bot.mallory()).reply_to("there is no pet", words).await;
        grace.reply_to("there is no pet", "What do you think, Linus?").await;
        assert!(grace.has_button("Approve"), "decided by nobody who may:\n{}", grace.screen());
        model.next(Turn::says(reply));
        grace.reply_to("there is no pet", words).await;
        assert!(!grace.has_button("Approve"), "{words}:\n{}", grace.screen());
        model.assert_played();
        if words == "deny" {
            assert_snapshot!(grace.news(), @"
            ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
                  This phase isn't complete. Missing items were determined by the app, not by the model.
                    *Person* @Ada Byron
                    *Flow* About pets
                    *Phase* Pets
                    *Missing* A pet
                    *Requested* 2 Nov 2026 10:00 UTC
                    *Expires* 9 Nov 2026 10:00 UTC
                  *The interviewer's reason*
                  > there is no pet
                  ✗ *Denied* by @Grace Hopper · 2 Nov 2026 10:00 UTC
            +   Mallory: deny
            +   Grace Hopper: What do you think, Linus?
            +   Grace Hopper: deny
            +   Anteroom: Denied by @Grace Hopper.
            ");
        }
    }
}

#[tokio::test]
async fn row_22_strangers_are_told_and_nothing_happens() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let mallory = channel(&bot.mallory());
    drop(mallory.news());
    mallory.press("Approve").await;
    assert_snapshot!(mallory.news(), @"+ Anteroom (only you): Only the recruiting approvers can decide this.");
    assert!(channel(&bot.grace()).has_button("Approve"));
    assert!(!channel(&bot.grace()).can_see("Only"), "a receipt is for one person");
}

#[tokio::test]
async fn row_2_the_second_of_two_deciders_is_told_who_was_first() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    bot.slack.join("U0LINUS", "S0APPROVERS").await;
    let (grace, linus) = (channel(&bot.grace()), channel(&bot.slack.person("U0LINUS")));
    // Linus has the card on his screen from before.
    bot.slack.fail("chat.update", 9, crate::slack::emulator::faults::Fault::Says("fatal_error"));
    model.next(Turn::says("Goodbye."));
    grace.press("Approve").await;
    drop(linus.news());
    linus.press("Deny").await;
    assert_snapshot!(linus.news(), @"+ Anteroom (only you): Already approved by Grace Hopper at 2 Nov 2026 10:00 UTC.");
}

#[tokio::test]
async fn a_request_is_reminded_of_once_and_lapses() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = channel(&bot.grace());
    drop(grace.news());
    bot.pass(TimeDelta::hours(25)).await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          · @approvers, please decide.
          [+ Approve ?] [! Deny] [Deny and tell the interviewer] [Transcript]
    +   Anteroom: Still waiting for a decision: Move Ada Byron to “Goodbye”?
    +   Anteroom: @approvers
    ");
    bot.pass(TimeDelta::hours(25)).await;
    assert_snapshot!(grace.news(), @"");
    model.next(Turn::says("Nobody has decided."));
    bot.pass(TimeDelta::days(6)).await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          *Expired*: nobody answered in time. 10 Nov 2026 12:00 UTC
          [Reopen]
    ");
    assert_snapshot!(bot.ada().last(), @"
    Anteroom: Nobody has decided.
        [Helpful] [Not helpful]
    ");
    model.assert_played();
    bot.judge();
}

#[tokio::test]
async fn row_46_a_request_is_withdrawn_with_what_it_is_about() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let (ada, grace) = (bot.ada(), channel(&bot.grace()));
    drop(grace.news());
    ada.reply("delete my data").await;
    assert_snapshot!(ada.last(), @"
    Anteroom: # Delete everything?
        This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.
        [! Delete everything ?] [Keep everything]
    ");
    ada.press("Delete everything").await;
    assert_snapshot!(grace.news(), @"
    - Anteroom: # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          · @approvers, please decide.
          [+ Approve ?] [! Deny] [Deny and tell the interviewer] [Transcript]
    ");
    assert_snapshot!(ada.screen(), @"
    ── direct ──
    Anteroom (only you): I've sent you a direct message; look under this app's messages.
    ?: This message was deleted.
      Ada Byron: delete my data
      Anteroom (only you): Your answers and files are erased. Receipt: `AAAAAAAAAAAAAAAAAAAACQ`. I'm removing what I posted now, and I'll tell you when that's done.
    Anteroom: *Everything is erased.* Receipt: `AAAAAAAAAAAAAAAAAAAACQ`. I've also removed what I had posted: 4 messages.

        What's left:

        • 1 message that you sent in this conversation. Only you can delete them.
    ");
    bot.judge();
}

#[tokio::test]
async fn a_decider_advances_somebody_at_once() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let (ada, grace) = (bot.ada(), channel(&bot.grace()));
    drop((ada.news(), grace.news()));
    bot.mallory().command("/onboard advance @ada reason: she has no pet").await;
    assert_snapshot!(bot.mallory().last(), @"Anteroom (only you): Only the team can do that.");
    model.next(Turn::says("Goodbye."));
    grace.command("/onboard advance @ada reason: she has no pet").await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 2 Nov 2026 10:00 UTC
            *Expires* 9 Nov 2026 10:00 UTC
          *The interviewer's reason*
          > there is no pet
          ✓ *Approved* by @Grace Hopper · 2 Nov 2026 10:00 UTC
    + Anteroom (only you): Moved on to the next part.
    +   Anteroom: Approved by @Grace Hopper.
    ");
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 2 of 2 · Goodbye
          [Help]
    +   Anteroom: The team approved your request, so let's move on.
    +   Anteroom: Goodbye.
            [Helpful] [Not helpful]
    ");
}
