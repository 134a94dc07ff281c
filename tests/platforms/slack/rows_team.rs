//! Rows of `docs/semantics.md` that are about who decides.

use std::sync::Arc;

use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    approvals::{FLOW, asked},
    bot::{Bot, Plan},
    scripted::{Scripted, Turn},
};

/// Grace is no approver any more, or Linus is one.
async fn leaves(bot: &Bot, user: &str) {
    bot.slack.with(|state| {
        state.groups.get_mut("S0APPROVERS").unwrap().1.retain(|member| member != user);
        let ts = state.ts();
        let event = json!({
            "type": "subteam_members_changed", "subteam_id": "S0APPROVERS", "team_id": "T0ACME",
            "added_users": [], "removed_users": [user], "removed_users_count": 1, "event_ts": ts,
        });
        state.tell("T0ACME", "subteam_members_changed", &event);
    });
    bot.slack.delivered().await;
    bot.rest().await;
}

#[tokio::test]
async fn row_19_an_answer_after_the_deadline_is_told_so_and_may_be_reopened() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = bot.grace().at("recruiting-approvals");
    // The deadline has passed, and nobody has drawn it yet.
    bot.clock.advance(TimeDelta::days(7) + TimeDelta::seconds(1));
    model.next(Turn::says("Nobody has decided."));
    drop(grace.news());
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
          *Expired*: nobody answered in time. 9 Nov 2026 10:00 UTC
          [Reopen]
    + Anteroom (only you): That question has expired.
    ");
    assert_snapshot!(bot.ada().last(), @"
    Anteroom: Nobody has decided.
        [Helpful] [Not helpful]
    ");
    model.next(Turn::says("Goodbye."));
    grace.press("Reopen").await;
    assert_snapshot!(grace.news(), @"
    + Anteroom: # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
            *Person* @Ada Byron
            *Flow* About pets
            *Phase* Pets
            *Missing* A pet
            *Requested* 9 Nov 2026 10:00 UTC
            *Expires* 16 Nov 2026 10:00 UTC
          *Reason given*
          > there is no pet
          · @approvers, please decide.
          [+ Approve ?] [! Deny] [Deny and tell the interviewer] [Transcript]
    ");
}

#[tokio::test]
async fn row_23_rights_are_those_at_the_click() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = bot.grace().at("recruiting-approvals");
    let linus = bot.slack.person("U0LINUS").at("recruiting-approvals");
    bot.slack.join("U0LINUS", "S0APPROVERS").await;
    leaves(&bot, "U0GRACE").await;
    drop((grace.news(), linus.news()));
    grace.press("Approve").await;
    grace.press("Deny and tell the interviewer").await;
    assert_snapshot!(grace.news(), @"
    + Anteroom (only you): Only the recruiting approvers can decide this.
    + Anteroom (only you): Only the recruiting approvers can decide this.
    ");
    grace.reply_to("there is no pet", "approve").await;
    assert!(grace.has_button("Approve"), "{}", grace.screen());
    model.next(Turn::says("Goodbye."));
    linus.press("Approve").await;
    assert!(linus.can_see("*Approved* by @Linus Pauling"), "{}", linus.screen());
    model.assert_played();
}

#[tokio::test]
async fn row_23_a_form_that_was_opened_with_rights_is_refused_without_them() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let grace = bot.grace().at("recruiting-approvals");
    grace.press("Deny and tell the interviewer").await;
    grace.fill("What should the interviewer do next?", "Ask about plants.").await;
    leaves(&bot, "U0GRACE").await;
    drop(grace.news());
    grace.submit().await;
    assert_snapshot!(grace.form(), @r#"
    ╔ Deny and tell
    ║ *Move Ada Byron to “Goodbye”?*
    ║ What should the interviewer do next?: "Ask about plants."
    ║   · The interviewer will use this; Ada Byron won't see it.
    ║   ✗ Only the recruiting approvers can decide this.
    ╚ [Cancel] [Send to interviewer]
    "#);
    assert_eq!(model.seen().len(), 1);
}

#[tokio::test]
async fn row_24_nobody_decides_their_own_request() {
    let model = Scripted::new();
    let flow = Some(FLOW.to_owned());
    let bot = Bot::planned(Plan { model: Some(Arc::clone(&model)), flow, ..Plan::default() }).await;
    let (grace, there) = (bot.grace(), bot.grace().at("recruiting-approvals"));
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    grace.command("/onboard start").await;
    drop((grace.news(), there.news()));
    there.press("Approve").await;
    there.reply_to("there is no pet", "approve").await;
    grace.command("/onboard advance reason: me").await;
    assert_snapshot!(there.news(), @"
    + Anteroom (only you): Only the recruiting approvers can decide this.
    +   Grace Hopper: approve
    +   Anteroom (only you): Only the recruiting approvers can decide this.
    ");
    assert_snapshot!(grace.news(), @"
    + Anteroom (only you): I'm asking the team to let you skip ahead.
    +   Anteroom: I've asked the team. You can leave; I'll post their answer here.
    ");
    assert!(there.has_button("Approve"), "{}", there.screen());
}

#[tokio::test]
async fn row_26_votes_outlive_a_restart_and_the_last_of_each_counts() {
    let model = Scripted::new();
    let flow = Some(FLOW.replace("expires = \"7d\"", "expires = \"7d\"\nquorum = 2"));
    let mut bot =
        Bot::planned(Plan { model: Some(Arc::clone(&model)), flow, ..Plan::default() }).await;
    bot.slack.join("U0LINUS", "S0APPROVERS").await;
    let grace = bot.grace().at("recruiting-approvals");
    let linus = bot.slack.person("U0LINUS").at("recruiting-approvals");
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    bot.ada().command("/onboard start").await;
    drop(grace.news());
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
          · @approvers, please decide.
          [+ Approve ?] [! Deny] [Deny and tell the interviewer] [Transcript]
          · 2 people must agree. @Grace Hopper denied.
    ");
    bot.crash().await;
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
          · @approvers, please decide.
          [+ Approve ?] [! Deny] [Deny and tell the interviewer] [Transcript]
          · 2 people must agree. @Grace Hopper approved.
    ");
    model.next(Turn::says("Goodbye."));
    linus.press("Approve").await;
    assert_snapshot!(linus.last(), @"Anteroom: Approved by @Linus Pauling.");
    assert!(linus.can_see("*Approved* by"), "{}", linus.screen());
    model.assert_played();
    bot.judge();
}

#[tokio::test]
async fn row_27_a_request_about_what_has_changed_is_shown_anew_or_withdrawn() {
    let model = Scripted::new();
    let bot = asked(&model).await;
    let (ada, grace) = (bot.ada(), bot.grace().at("recruiting-approvals"));
    drop((ada.news(), grace.news()));
    let rex = json!({ "dataType": "pet", "data": { "name": "Rex" }, "message": "Is that right?" });
    model.next(Turn::calls("submit_for_validation", &rex));
    ada.reply("I have a dog after all: Rex.").await;
    model.next(Turn::says("Thank you."));
    ada.press("Looks right").await;
    // Nothing is missing any more, so nothing is asked of anybody.
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
          *Request withdrawn*: what was missing is complete now. 2 Nov 2026 10:00 UTC
    ");
    model.assert_played();
    bot.judge();
}
