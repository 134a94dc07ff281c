//! Two customers in one organisation's Slack: each has its own channels, deciders and staff.

use insta::assert_snapshot;
use serde_json::json;

use crate::slack::{
    approvals,
    bot::{Bot, Plan},
    emulator::{
        BOT_USER, TEAM,
        person::Person,
        state::{Kind, Team},
    },
    scripted::{Scripted, Turn},
};

/// The workspace of the other customer.
const OTHER: &str = "T0ZULU";

/// What the staff of one customer read of everybody else's.
const NONE: &str = "+ Anteroom (only you): This person has no conversation here.\n";

/// What the operator writes: nobody outside of a tenant has a say.
fn config() -> String {
    format!(
        r#"
        [tenant.acme.slack]
        workspaces = ["{TEAM}"]
        staff_users = ["U0LINUS"]
        channels = {{ recruiting_approvals = "C0APPROVALS", recruiting_desk = "C0DESK" }}
        [tenant.acme.approvers.recruiting_approvals]
        slack_users = ["U0GRACE"]
        [tenant.zulu.slack]
        workspaces = ["{OTHER}"]
        staff_users = ["U0ZOE"]
        channels = {{ recruiting_approvals = "C0ZULU", recruiting_desk = "C0ZULU" }}
        [tenant.zulu.approvers.recruiting_approvals]
        slack_users = ["U0ZOE"]
        "#
    )
}

/// An organisation has installed the app for both workspaces. Zoe decides in one of them, where Yuri is interviewed;
/// she sees the channels of the other one, too.
async fn two() -> (Bot, std::sync::Arc<Scripted>) {
    let model = Scripted::new();
    let plan = Plan {
        model: Some(std::sync::Arc::clone(&model)),
        flow: Some(approvals::FLOW.to_owned()),
        config: config(),
        ..Plan::installed()
    };
    let bot = Bot::planned(plan).await;
    bot.slack.with(|state| {
        let organisation = Some("E0GROUP".to_owned());
        state.teams.get_mut(TEAM).unwrap().enterprise.clone_from(&organisation);
        let (name, domain) = ("Zulu".to_owned(), "zulu".to_owned());
        let team = Team { name, domain, enterprise: organisation, ..Team::default() };
        state.teams.insert(OTHER.to_owned(), team);
        for (user, name) in [("U0ZOE", "Zoe"), ("U0YURI", "Yuri")] {
            OTHER.clone_into(&mut state.hire(user, name).team);
        }
        state.open_channel("C0ZULU", "zulu-hiring", Kind::Public, &["U0ZOE", BOT_USER]);
        OTHER.clone_into(&mut state.channels.get_mut("C0ZULU").unwrap().team);
        for shared in ["C0APPROVALS", "C0DESK"] {
            state.channels.get_mut(shared).unwrap().members.insert("U0ZOE".to_owned());
        }
        state.org_installs = true;
    });
    bot.install().await;
    (bot, model)
}

/// Somebody asks for the team's decision.
async fn asks(person: &Person, model: &Scripted) {
    model.next(Turn::calls("next_phase", &json!({ "overrides": ["pet"], "reason": "no pet" })));
    person.command("/onboard start").await;
    drop(person.news());
}

#[tokio::test]
async fn each_tenant_decides_in_its_own_channel_and_nowhere_else() {
    let (bot, model) = two().await;
    let (ada, yuri) = (bot.ada(), bot.slack.person("U0YURI"));
    let (grace, zoe) = (bot.grace(), bot.slack.person("U0ZOE"));
    asks(&ada, &model).await;
    let (at_acme, at_zulu) = (grace.at("recruiting-approvals"), zoe.at("zulu-hiring"));
    assert!(at_acme.has_button("Approve"), "{}", at_acme.screen());
    assert_snapshot!(at_zulu.news(), @"");
    asks(&yuri, &model).await;
    assert!(at_zulu.can_see("Move Yuri to"), "{}", at_zulu.screen());
    assert!(!at_acme.can_see("Yuri"), "{}", at_acme.screen());

    // Zoe sees acme's card, since the channel is shared with her, and has no say there.
    let there = zoe.at("recruiting-approvals");
    drop(there.news());
    there.press("Approve").await;
    assert_snapshot!(there.news(), @"+ Anteroom (only you): Only the recruiting approvers can decide this.");
    // Each overview shows the own conversations.
    let linus = bot.slack.person("U0LINUS");
    for (member, theirs) in [(&zoe, "Yuri"), (&linus, "Ada Byron")] {
        member.command("/onboard overview").await;
        let overview = member.last();
        assert!(overview.contains("*1 open · 0 inactive > 1 day · 1 to decide"), "{overview}");
        assert!(overview.contains(&format!("{theirs} · running")), "{overview}");
    }
    // By no order does she get at Ada.
    drop(zoe.news());
    for order in ["show", "take-over", "hand-back", "advance", "end", "export"] {
        zoe.command(&format!("/onboard {order} @ada")).await;
        assert_eq!(zoe.news(), NONE, "{order}");
    }
    assert_snapshot!(ada.news(), @"");

    model.next(Turn::says("Goodbye, Yuri."));
    at_zulu.press("Approve").await;
    assert!(yuri.can_see("Goodbye, Yuri."), "{}", yuri.screen());
    model.next(Turn::says("Goodbye, Ada."));
    at_acme.press("Approve").await;
    assert!(ada.can_see("Goodbye, Ada."), "{}", ada.screen());
    model.assert_played();
    bot.judge();
}
