//! Apps that are taken away and come back (row 34), and rights that end where a workspace does.
//!
//! Rows are those of `docs/semantics.md`.

use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    approvals,
    bot::{Bot, Plan},
    emulator::{TEAM, person::Person, state::Team},
    scripted::{Scripted, Turn},
    troubles,
};

/// The other workspace.
const OTHER: &str = "T0ZULU";

/// A bot that workspaces install themselves; one has.
async fn installed(flow: &str, model: Option<std::sync::Arc<Scripted>>) -> Bot {
    let flow = Some(flow.to_owned());
    let bot = Bot::planned(Plan { model, flow, ..Plan::installed() }).await;
    bot.install().await;
    bot
}

/// The app is taken away.
async fn uninstalls(bot: &Bot) {
    bot.slack.with(|state| {
        state.teams.get_mut(TEAM).unwrap().installed = false;
        state
            .tokens
            .values_mut()
            .filter(|token| token.team == TEAM && !token.is_app)
            .for_each(|token| token.is_revoked = true);
        let event = json!({ "type": "app_uninstalled", "event_ts": state.ts() });
        state.tell_anyway(TEAM, &event);
    });
    bot.slack.delivered().await;
    bot.rest().await;
}

#[tokio::test]
async fn row_34_where_the_app_is_installed_again_open_interviews_go_on() {
    let bot = installed(troubles::FLOW, None).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    drop(ada.news());
    uninstalls(&bot).await;
    let kept = format!("{:?}", anteroom::store::Store::notes(&*bot.store, "slack/installs").await);
    assert!(!kept.contains("sealed"), "tokens are shredded: {kept}");
    let calls = bot.slack.calls().len();
    bot.pass(chrono::TimeDelta::days(2)).await;
    let after = bot.slack.calls().split_off(calls);
    assert!(after.iter().all(|call| call.method.starts_with("auth.")), "{after:?}");
    assert_snapshot!(ada.news(), @"");

    bot.install().await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): Which colour?
            [Red] [Blue]
    ");
    ada.press("Blue").await;
    assert_snapshot!(ada.news(), @"
    ~ Anteroom (edited): · Step 1 of 2 · One · 1/2
          [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 4 Nov 2026 10:00 UTC
    +   Anteroom: A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    ");
    // The reminders that came due meanwhile do not come all at once.
    bot.pass(chrono::TimeDelta::hours(25)).await;
    assert_snapshot!(ada.news(), @"
    ~   Anteroom (edited): A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    +   Anteroom: A reminder: this question is still open. Type _stop reminders_ for no more of these.
            [Later] [Stop reminders]
    ");
    bot.judge();
}

#[tokio::test]
async fn row_34_a_request_lapses_with_the_app_and_can_be_made_again() {
    let model = Scripted::new();
    let bot = installed(approvals::FLOW, Some(std::sync::Arc::clone(&model))).await;
    let (ada, grace) = (bot.ada(), bot.grace().at("recruiting-approvals"));
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    ada.command("/onboard start").await;
    drop((ada.news(), grace.news()));
    uninstalls(&bot).await;
    assert_snapshot!(grace.news(), @"");
    model.next(Turn::calls("next_phase", &ask));
    bot.install().await;
    assert_snapshot!(grace.news(), @"
    ~ Anteroom (edited): # Move Ada Byron to “Goodbye”?
          This phase isn't complete. Missing items were determined by the app, not by the model.
          *Request withdrawn*: the participant cannot be reached. 2 Nov 2026 10:00 UTC
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
    model.next(Turn::says("Goodbye."));
    grace.press("Approve").await;
    assert_snapshot!(ada.last(), @"
    Anteroom: Goodbye.
        [Helpful] [Not helpful]
    ");
    model.assert_played();
}

/// Zoe decides in another workspace, and sees the channel of this one.
async fn zoe(bot: &Bot) -> Person {
    bot.slack.with(|state| {
        let team = Team { name: "Zulu".to_owned(), domain: "zulu".to_owned(), ..Team::default() };
        state.teams.insert(OTHER.to_owned(), team);
        OTHER.clone_into(&mut state.hire("U0ZOE", "Zoe").team);
        state.channels.get_mut("C0APPROVALS").unwrap().members.insert("U0ZOE".to_owned());
        state.channels.get_mut("C0DESK").unwrap().members.insert("U0ZOE".to_owned());
        state.groups.get_mut("S0APPROVERS").unwrap().1.push("U0ZOE".to_owned());
    });
    bot.install().await;
    bot.slack.person("U0ZOE")
}

#[tokio::test]
async fn rights_end_where_the_workspace_does() {
    let model = Scripted::new();
    let bot = installed(approvals::FLOW, Some(std::sync::Arc::clone(&model))).await;
    let (ada, grace) = (bot.ada(), bot.grace().at("recruiting-approvals"));
    let ask = json!({ "overrides": ["pet"], "reason": "there is no pet" });
    model.next(Turn::calls("next_phase", &ask));
    ada.command("/onboard start").await;
    let zoe = zoe(&bot).await;
    // At home she is staff.
    zoe.command("/onboard status").await;
    assert_snapshot!(zoe.last(), @"
    Anteroom (only you): # All conversations
        *0 open · 0 inactive > 1 day · 0 to decide · 0 asked for a human*
    ");
    let there = zoe.at("recruiting-approvals");
    drop(there.news());
    for button in ["Approve", "Deny", "Deny and tell the interviewer", "Transcript"] {
        there.press(button).await;
        assert_eq!(there.form(), "", "{button} shows something");
    }
    assert_snapshot!(there.news(), @"
    + Anteroom (only you): Only the recruiting approvers can decide this.
    + Anteroom (only you): Only the recruiting approvers can decide this.
    + Anteroom (only you): Only the recruiting approvers can decide this.
    + Anteroom (only you): Only the team can do that.
    ");
    there.reply_to("there is no pet", "approve").await;
    assert_snapshot!(there.news(), @"+   Zoe: approve");
    assert!(grace.has_button("Approve"), "{}", grace.screen());
    // Nor does she take anything over.
    ada.reply("human").await;
    let desk = zoe.at("recruiting-desk");
    drop((desk.news(), ada.news()));
    desk.press("Take over").await;
    desk.reply("Hello from elsewhere").await;
    assert_snapshot!(desk.news(), @"
    +   Anteroom (only you): Only the team can do that.
    +   Zoe: Hello from elsewhere
    ");
    assert_snapshot!(ada.news(), @"");
    let session = bot.session().await;
    let audited =
        format!("{:?}", anteroom::engine::export::audit_of(&*bot.store, session).await.unwrap());
    assert!(audited.contains("answer_refused"), "{audited}");
}

/// An organisation has installed the app for both of its workspaces; Zoe is of the other one.
async fn organised() -> Bot {
    let flow = Some(troubles::FLOW.to_owned());
    let bot = Bot::planned(Plan { flow, ..Plan::installed() }).await;
    bot.slack.with(|state| {
        let organisation = Some("E0GROUP".to_owned());
        state.teams.get_mut(TEAM).unwrap().enterprise.clone_from(&organisation);
        let (name, domain) = ("Zulu".to_owned(), "zulu".to_owned());
        let team = Team { name, domain, enterprise: organisation, ..Team::default() };
        state.teams.insert(OTHER.to_owned(), team);
        OTHER.clone_into(&mut state.hire("U0ZOE", "Zoe").team);
        state.org_installs = true;
    });
    bot.install().await;
    for user in ["U0ADA", "U0ZOE"] {
        let person = bot.slack.person(user);
        person.command("/onboard start").await;
        drop(person.news());
    }
    bot
}

/// The organisation takes the app out of the other workspace, or lets it in; and says so, or not.
async fn lets_in(bot: &Bot, is_in: bool, says_so: bool) {
    bot.slack.with(|state| {
        state.teams.get_mut(OTHER).unwrap().withheld = !is_in;
        let name = if is_in { "team_access_granted" } else { "team_access_revoked" };
        let event = json!({ "type": name, "team_ids": [OTHER], "event_ts": state.ts() });
        if says_so {
            state.tell(TEAM, name, &event);
        }
    });
    bot.slack.delivered().await;
    bot.rest().await;
}

#[tokio::test]
async fn a_workspace_without_access_does_not_silence_the_others_of_its_organisation() {
    let bot = organised().await;
    let (ada, zoe) = (bot.ada(), bot.slack.person("U0ZOE"));
    lets_in(&bot, false, false).await;
    zoe.press("Blue").await;
    ada.press("Blue").await;
    assert!(ada.can_see("A file, please."), "{}", ada.screen());
    assert_snapshot!(zoe.news(), @"");
    bot.pass(chrono::TimeDelta::hours(5)).await;
    lets_in(&bot, true, false).await;
    bot.pass(chrono::TimeDelta::seconds(60)).await;
    assert_snapshot!(zoe.news(), @"
    ~ Anteroom (edited): · Step 1 of 2 · One · 1/2
          [Help]
    ~   Anteroom (edited): Which colour?
            ✓ You answered: *Blue* · 2 Nov 2026 10:00 UTC
    +   Anteroom: A file, please.
            [+ Upload] [Skip]
            · TXT, MD, PDF. One file, up to 1 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    ");
}

#[tokio::test]
async fn row_34_a_workspace_that_the_app_was_taken_out_of_rests_until_it_is_let_in() {
    let bot = organised().await;
    let (ada, zoe) = (bot.ada(), bot.slack.person("U0ZOE"));
    lets_in(&bot, false, true).await;
    let calls = bot.slack.calls().len();
    bot.pass(chrono::TimeDelta::days(2)).await;
    let after = bot.slack.calls().split_off(calls);
    let there = after.iter().filter(|call| call.body["channel"] == "D0ZOE").count();
    assert_eq!(there, 0, "{after:?}");
    assert_snapshot!(zoe.news(), @"");
    // The other workspace goes on.
    ada.press("Blue").await;
    assert!(ada.can_see("A file, please."), "{}", ada.screen());
    lets_in(&bot, true, true).await;
    zoe.press("Blue").await;
    assert!(zoe.can_see("A file, please."), "{}", zoe.screen());
}
