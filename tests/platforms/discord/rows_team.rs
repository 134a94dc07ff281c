//! Rows of `docs/semantics.md` that are about who decides.
//!
//! J numbers are those of `docs/behaviour.md`.

use std::sync::Arc;

use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::discord::{
    bot::{ADA, APPROVALS, Bot, DESK, GRACE, LINUS, Plan, role},
    emulator::state::GUILD,
    rows::{FLOW, plan},
    scripted::{Scripted, Turn},
};

/// Ada talks to the model, which has asked the team. Nobody has looked at anything.
pub(crate) async fn asked(model: &Arc<Scripted>) -> Bot {
    asked_on(model, FLOW).await
}

async fn asked_on(model: &Arc<Scripted>, flow: &str) -> Bot {
    let bot = Bot::planned(plan(model, flow)).await;
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    bot.ada().at("welcome").command("/onboard start", &[]).await;
    bot
}

/// Somebody decides, or does not any more.
fn decides(bot: &Bot, user: u64, may: bool) {
    bot.discord.with(|state| {
        let roles =
            &mut state.guilds.get_mut(&GUILD).unwrap().members.get_mut(&user).unwrap().roles;
        if may { roles.insert(role(9)) } else { roles.remove(&role(9)) }
    });
}

#[tokio::test]
async fn row_2_of_two_deciders_the_first_wins_and_the_second_is_told_who_did() {
    for _ in 0..8 {
        let model = Scripted::new();
        let bot = asked(&model).await;
        decides(&bot, LINUS, true);
        let (grace, linus) = (bot.grace().at("staff-approvals"), bot.linus().at("staff-approvals"));
        grace.press("Approve").await;
        model.next(Turn::says("Let us see."));
        drop((grace.news(), linus.news()));
        // Both see it open, and both are fast.
        tokio::join!(grace.press("Yes, approve"), linus.press("Deny"));
        bot.rest().await;
        let (card, theirs) = (grace.news(), linus.news());
        let is_approved = theirs.contains("✓ **Approved** by @Grace Hopper");
        let is_denied = theirs.contains("**Denied** by @Linus");
        assert!(is_approved != is_denied, "{theirs}");
        let told = if is_approved { &theirs } else { &card };
        let winner = if is_approved { "Grace Hopper" } else { "Linus" };
        let done = if is_approved { "approved" } else { "denied" };
        let words = format!("(only you): Already {done} by {winner} at <t:1793628300:f>.");
        assert!(told.contains(&words), "{told}");
        // Both attempts stand in the audit trail, and the phase moved once or not at all.
        let audit = anteroom::store::Store::audit(&*bot.store, 0, 99).await.unwrap();
        let tried = audit.iter().filter(|sealed| sealed.record.event == "answer_refused");
        assert_eq!(tried.count(), 1, "{audit:#?}");
        model.assert_played();
    }
}

/// No channel of the team is there any more: whoever is named as a decider is written to directly, and decides there.
#[tokio::test]
async fn a_request_that_no_channel_takes_is_decided_in_a_direct_message() {
    let model = Scripted::new();
    let bot = Bot::planned(Plan { deciders: vec![GRACE], ..plan(&model, FLOW) }).await;
    bot.discord.with(|state| {
        for channel in [APPROVALS, DESK] {
            state.channels.remove(&channel);
        }
    });
    model.next(Turn::calls("next_phase", &json!({ "overrides": ["pet"], "reason": "no pet" })));
    bot.ada().at("welcome").command("/onboard start", &[]).await;
    let (ada, grace) = (bot.ada(), bot.grace());
    assert_snapshot!(ada.news(), @"
    #welcome
      + Anteroom (only you): Your thread: #welcome-ada
    #welcome-ada
      + Anteroom: Hi @Ada!
          I couldn't post in the team's channel, so I've written directly to the people who can decide. You can leave; I'll post their answer here.
    ");
    assert_snapshot!(grace.news(), @"
    @Anteroom
      + Anteroom: ┃ ### Move Ada to “Goodbye”?
          ┃ This phase isn't complete. Missing items were determined by the app, not by the model.
          ┃ **Person**: @Ada
          ┃ **Missing**: A pet
          ┃ **Requested**: <t:1793628300:f>
          ┃ **Expires**: <t:1794233100:f> ⟶ 🖼 Ada
          ┃ **The interviewer's reason**
          ┃ > no pet
          ┃ -# About pets · Pets
          ┃ [✓ Approve] [! Deny] [Deny and tell the interviewer] [Transcript] [Open conversation ↗]
    ");
    assert_snapshot!(bot.mallory().news(), @"");
    model.next(Turn::says("Goodbye."));
    grace.press("Approve").await;
    grace.press("Yes, approve").await;
    assert_snapshot!(grace.news(), @"
    @Anteroom
      ~ Anteroom (edited): ┃✓ ### Move Ada to “Goodbye”?
          ┃✓ This phase isn't complete. Missing items were determined by the app, not by the model.
          ┃✓ **Person**: @Ada
          ┃✓ **Missing**: A pet
          ┃✓ **Requested**: <t:1793628300:f>
          ┃✓ **Expires**: <t:1794233100:f> ⟶ 🖼 Ada
          ┃✓ **The interviewer's reason**
          ┃✓ > no pet
          ┃✓ -# About pets · Pets
          ┃✓ ✓ **Approved** by @Grace Hopper · <t:1793628300:f>
      + Anteroom (only you): Approved.
    ");
    assert_snapshot!(ada.news(), @"
    #welcome-ada
      + Anteroom: The team approved your request, so let's move on.
      + Anteroom: Goodbye.
          [Helpful] [Not helpful] [Help]
    ");
    model.assert_played();
}

#[tokio::test]
async fn row_19_an_answer_after_the_deadline_is_told_so_and_may_be_reopened() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = bot.grace().at("staff-approvals");
    // The deadline has passed, and nobody has drawn it yet.
    let week = TimeDelta::days(7) + TimeDelta::seconds(1);
    bot.clock.advance(week);
    bot.discord.with(|state| state.advance(week));
    model.next(Turn::says("Nobody has decided."));
    drop(grace.news());
    grace.press("Deny").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      ~ Anteroom (edited): ┃  ### Move Ada to “Goodbye”?
          ┃  This phase isn't complete. Missing items were determined by the app, not by the model.
          ┃  **Person**: @Ada
          ┃  **Missing**: A pet
          ┃  **Requested**: <t:1793628300:f>
          ┃  **Expires**: <t:1794233100:f> ⟶ 🖼 Ada
          ┃  **The interviewer's reason**
          ┃  > there is no pet
          ┃  -# About pets · Pets
          ┃  **Expired**: nobody answered in time. <t:1794233101:f>
          ┃  [Reopen]
      + Anteroom (only you): That question has expired.
    ");
    assert!(bot.ada().screen().contains("Anteroom: Nobody has decided.\n"));
    model.next(Turn::says("Goodbye."));
    grace.press("Reopen").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      + Anteroom: @Moderators
          ┃ ### Move Ada to “Goodbye”?
          ┃ This phase isn't complete. Missing items were determined by the app, not by the model.
          ┃ **Person**: @Ada
          ┃ **Missing**: A pet
          ┃ **Requested**: <t:1794233100:f>
          ┃ **Expires**: <t:1794837900:f> ⟶ 🖼 Ada
          ┃ **Reason given**
          ┃ > there is no pet
          ┃ -# About pets · Pets
          ┃ [✓ Approve] [! Deny] [Deny and tell the interviewer] [Transcript] [Open conversation ↗]
    ");
}

#[tokio::test]
async fn row_23_rights_are_those_at_the_click() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = bot.grace().at("staff-approvals");
    let linus = bot.linus().at("staff-approvals");
    grace.press("Approve").await;
    decides(&bot, LINUS, true);
    decides(&bot, GRACE, false);
    // She sees the channel all the same.
    bot.discord.with(|state| {
        let channel = state.channels.get_mut(&APPROVALS).unwrap();
        channel.overwrites.insert(GRACE, (crate::discord::emulator::state::may::VIEW, 0));
    });
    drop((grace.news(), linus.news()));
    // What she had before her from better days helps her nothing.
    grace.press("Yes, approve").await;
    grace.press("Deny and tell the interviewer").await;
    assert_eq!(grace.form(), "no form");
    grace.reply("approve").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      + Anteroom (only you): Only the staff approvers can decide this.
      + Anteroom (only you): Only the staff approvers can decide this.
      + Anteroom: Only the staff approvers can decide this.
    ");
    model.next(Turn::says("Goodbye."));
    linus.press("Approve").await;
    linus.press("Yes, approve").await;
    assert!(linus.screen().contains("**Approved** by @Linus"), "{}", linus.screen());
    model.assert_played();
}

#[tokio::test]
async fn row_23_a_form_that_was_opened_with_rights_is_refused_without_them() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = bot.grace().at("staff-approvals");
    grace.press("Deny and tell the interviewer").await;
    assert_snapshot!(grace.form(), @r"
    ╔ Deny and tell
    ║ **Move Ada to “Goodbye”?**
    ║ What should the interviewer do next?*: _¶_
    ║   · The interviewer will use this; Ada won't see it.
    ╚ [Cancel] [Submit]
    ");
    grace.fill("What should the interviewer do next?", "Ask about plants.");
    bot.discord.with(|state| {
        let channel = state.channels.get_mut(&APPROVALS).unwrap();
        channel.overwrites.insert(GRACE, (crate::discord::emulator::state::may::VIEW, 0));
    });
    decides(&bot, GRACE, false);
    drop(grace.news());
    grace.submit().await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      + Anteroom (only you): Only the staff approvers can decide this.
    ");
    assert_eq!(model.seen().len(), 1);
}

#[tokio::test]
async fn row_24_nobody_decides_their_own_request() {
    let model = Scripted::new();
    let bot = Bot::planned(plan(&model, FLOW)).await;
    let (grace, there) = (bot.grace(), bot.grace().at("staff-approvals"));
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    grace.at("welcome").command("/onboard start", &[]).await;
    drop((grace.news(), there.news()));
    there.press("Approve").await;
    if there.button("Yes, approve").is_some() {
        there.press("Yes, approve").await;
    }
    there.press("Deny").await;
    there.reply("approve").await;
    grace.at("welcome").command("/override", &[("member", json!(GRACE))]).await;
    assert_snapshot!(grace.news(), @"
    #welcome
      + Anteroom (only you): I'm asking the team to let you skip ahead.
    #staff-approvals
      + Anteroom (only you): ┃ ### Approve this?
          ┃ Move Grace Hopper to “Goodbye”?
          ┃ [✓ Yes, approve]
          ┃ -# Changed your mind? Just dismiss this message.
      + Anteroom (only you): Only the staff approvers can decide this.
      + Anteroom (only you): Only the staff approvers can decide this.
      + Anteroom: Only the staff approvers can decide this.
    #welcome-grace-hopper
      + Anteroom: I've asked the team. You can leave; I'll post their answer here.
    ");
    assert_eq!(model.seen().len(), 1, "nothing is decided");
}

#[tokio::test]
async fn row_25_with_the_decider_gone_nothing_is_approved_by_itself() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let linus = bot.linus();
    drop(linus.news());
    bot.happens(|state| state.leaves(GRACE)).await;
    bot.pass(TimeDelta::hours(25)).await;
    assert_snapshot!(linus.news(), @"
    #staff-approvals
      ~ Anteroom (edited): @Moderators
          ┃ ### Move Ada to “Goodbye”?
          ┃ This phase isn't complete. Missing items were determined by the app, not by the model.
          ┃ **Person**: @Ada
          ┃ **Missing**: A pet
          ┃ **Requested**: <t:1793628300:f>
          ┃ **Expires**: <t:1794233100:f> ⟶ 🖼 Ada
          ┃ **The interviewer's reason**
          ┃ > there is no pet
          ┃ -# About pets · Pets
          ┃ [✓ Approve] [! Deny] [Deny and tell the interviewer] [Transcript] [Open conversation ↗]
    #Ada
      + Anteroom: Still waiting for a decision: Move Ada to “Goodbye”?
      + Anteroom: @Moderators
    ");
    model.next(Turn::says("Nobody has decided."));
    bot.pass(TimeDelta::days(6)).await;
    assert_snapshot!(linus.news(), @"
    #staff-approvals
      ~ Anteroom (edited): ┃  ### Move Ada to “Goodbye”?
          ┃  This phase isn't complete. Missing items were determined by the app, not by the model.
          ┃  **Person**: @Ada
          ┃  **Missing**: A pet
          ┃  **Requested**: <t:1793628300:f>
          ┃  **Expires**: <t:1794233100:f> ⟶ 🖼 Ada
          ┃  **The interviewer's reason**
          ┃  > there is no pet
          ┃  -# About pets · Pets
          ┃  **Expired**: nobody answered in time. <t:1794236700:f>
          ┃  [Reopen]
    ");
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert_eq!(look.state.phase(), Some("pets"));
    model.assert_played();
}

#[tokio::test]
async fn row_26_votes_outlive_a_restart_and_the_last_of_each_counts() {
    let model = Scripted::new();
    let flow = FLOW.replace("expires = \"7d\"", "expires = \"7d\"\nquorum = 2");
    let mut bot = asked_on(&model, &flow).await;
    decides(&bot, LINUS, true);
    drop(bot.grace().news());
    bot.grace().at("staff-approvals").press("Deny").await;
    assert_snapshot!(bot.grace().news(), @"
    #staff-approvals
      ~ Anteroom (edited): @Moderators
          ┃ ### Move Ada to “Goodbye”?
          ┃ This phase isn't complete. Missing items were determined by the app, not by the model.
          ┃ **Person**: @Ada
          ┃ **Missing**: A pet
          ┃ **Requested**: <t:1793628300:f>
          ┃ **Expires**: <t:1794233100:f> ⟶ 🖼 Ada
          ┃ **The interviewer's reason**
          ┃ > there is no pet
          ┃ -# About pets · Pets
          ┃ [✓ Approve] [! Deny] [Deny and tell the interviewer] [Transcript] [Open conversation ↗]
          ┃ -# 2 people must agree. @Grace Hopper denied.
    ");
    bot.crash().await;
    bot.grace().at("staff-approvals").press("Approve").await;
    bot.grace().at("staff-approvals").press("Yes, approve").await;
    assert_snapshot!(bot.grace().news(), @"
    #staff-approvals
      ~ Anteroom (edited): @Moderators
          ┃ ### Move Ada to “Goodbye”?
          ┃ This phase isn't complete. Missing items were determined by the app, not by the model.
          ┃ **Person**: @Ada
          ┃ **Missing**: A pet
          ┃ **Requested**: <t:1793628300:f>
          ┃ **Expires**: <t:1794233100:f> ⟶ 🖼 Ada
          ┃ **The interviewer's reason**
          ┃ > there is no pet
          ┃ -# About pets · Pets
          ┃ [✓ Approve] [! Deny] [Deny and tell the interviewer] [Transcript] [Open conversation ↗]
          ┃ -# 2 people must agree. @Grace Hopper approved.
      + Anteroom (only you): Approved.
    ");
    model.next(Turn::says("Goodbye."));
    let linus = bot.linus().at("staff-approvals");
    linus.press("Approve").await;
    linus.press("Yes, approve").await;
    assert!(linus.screen().contains("**Approved** by"), "{}", linus.screen());
    model.assert_played();
}

#[tokio::test]
async fn row_27_a_request_about_what_has_changed_is_withdrawn() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let (ada, grace) = (bot.ada().at("welcome-ada"), bot.grace().at("staff-approvals"));
    grace.press("Approve").await;
    drop((ada.news(), grace.news()));
    let rex = json!({ "dataType": "pet", "data": { "name": "Rex" }, "message": "Is that right?" });
    model.next(Turn::calls("submit_for_validation", &rex));
    ada.write("I have a dog after all: Rex.").await;
    model.next(Turn::says("Thank you."));
    ada.press("Looks right").await;
    // Nothing is missing any more, so nothing is asked of anybody.
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      ~ Anteroom (edited): ┃  ### Move Ada to “Goodbye”?
          ┃  This phase isn't complete. Missing items were determined by the app, not by the model.
          ┃  **Request withdrawn**: what was missing is complete now. <t:1793628300:f>
    ");
    // Nor does the question whether she is sure decide anything now.
    grace.press("Yes, approve").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      + Anteroom (only you): That question is no longer open.
    ");
    model.assert_played();
}

/// J3.8: whoever may decide does so without being asked.
#[tokio::test]
async fn an_override_by_those_who_may_is_at_once_and_has_its_reason() {
    let model = Scripted::new();
    let bot = Bot::planned(plan(&model, FLOW)).await;
    model.next(Turn::says("Do you have a pet?"));
    bot.ada().at("welcome").command("/onboard start", &[]).await;
    drop((bot.ada().news(), bot.grace().news()));
    let grace = bot.grace().at("welcome");
    model.next(Turn::says("Then goodbye."));
    let options = [("member", json!(ADA)), ("reason", json!("we know her"))];
    grace.command("/override", &options).await;
    assert_snapshot!(bot.grace().news(), @"
    #welcome
      + Anteroom (only you): Moved on to the next part.
    ");
    assert_snapshot!(bot.ada().news(), @"
    #welcome-ada
      + Anteroom: Then goodbye.
          [Helpful] [Not helpful] [Help]
    ");
    let look = bot.engine.look(bot.session().await).await.unwrap();
    assert_eq!(look.state.phase(), Some("end"));
}

/// What is written under a request is about that request alone, and reaches nobody else.
#[tokio::test]
async fn a_hand_over_stays_in_its_own_thread_while_a_request_is_open_and_after() {
    let model = Scripted::new();
    let bot = asked_on(&model, &FLOW.replace("\"staff_desk\"", "\"staff_approvals\"")).await;
    let (ada, grace) = (bot.ada().at("welcome-ada"), bot.grace());
    drop(grace.news());
    ada.write("human").await;
    bot.linus().press("Take over").await;
    ada.write("Hello, is somebody there?").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      + Anteroom: ┃ **Ada** · About pets
          ┃ -# Step 1 of 2 · Pets · 0/1 · running.
          ┃ -# Write in this thread to take over. I'll pass on what you write.
          ┃ [Take over] [Hand back] [! End the conversation]
    #Ada · About pets
      + Anteroom: **Ada** asked for a human in *About pets*.
          
          - Step 1 of 2 · Pets
          - Still open: A pet
      + Anteroom: Ada: Hello, is somebody there?
    ");
    bot.grace().at("staff-approvals").press("Deny").await;
    ada.write("And now?").await;
    assert_snapshot!(grace.news(), @"
    #staff-approvals
      ~ Anteroom (edited): ┃! ### Move Ada to “Goodbye”?
          ┃! This phase isn't complete. Missing items were determined by the app, not by the model.
          ┃! **Person**: @Ada
          ┃! **Missing**: A pet
          ┃! **Requested**: <t:1793628300:f>
          ┃! **Expires**: <t:1794233100:f> ⟶ 🖼 Ada
          ┃! **The interviewer's reason**
          ┃! > there is no pet
          ┃! -# About pets · Pets
          ┃! ✗ **Denied** by @Grace Hopper · <t:1793628300:f>
    #Ada
      + Anteroom: Denied by @Grace Hopper.
    #Ada · About pets
      + Anteroom: Ada: And now?
    ");
}
