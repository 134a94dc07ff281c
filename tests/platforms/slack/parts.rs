//! The outer parts of the gateway, one by one: calls that fail, rights, what comes in.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use anteroom::{
    config::{Approvers, Lists, Secret, SlackRates, WorkspaceLists},
    gateway::slack::{
        api::{Api, Failure, Method},
        inbound::{Actor, Incoming, Workspace},
        installations::Installations,
        parse,
        people::People,
        tokens,
    },
};
use serde_json::json;

use crate::slack::emulator::{BOT_TOKEN, Rates, Settings, Slack, TEAM, faults::Fault};

/// A client with our own token; rates as usual.
async fn api(slack: &Slack) -> Api {
    let installations = Arc::new(Installations::plain(Secret::new(BOT_TOKEN)));
    let api = Api::new(slack.api_url(), installations, &SlackRates::default()).unwrap();
    tokens::identify(&api).await.unwrap();
    api
}

#[tokio::test]
async fn each_failure_says_whether_it_may_have_happened() {
    let slack = Slack::start(Settings::new()).await;
    let api = api(&slack).await;
    let body = json!({ "channel": "C0DESK", "text": "hello" });
    let post = async || api.call(TEAM, Method::PostMessage, &body).await;

    assert_eq!(post().await.unwrap()["channel"], "C0DESK");
    slack.fail("chat.postMessage", 1, Fault::TooMany(1));
    assert_eq!(post().await.unwrap()["ok"], true, "a short wait is waited for");
    slack.fail("chat.postMessage", 1, Fault::TooMany(600));
    let Err(Failure::Later { after }) = post().await else { panic!("not later") };
    assert!(after >= Duration::from_secs(599), "{after:?}");

    let api = self::api(&slack).await;
    let post = async || api.call(TEAM, Method::PostMessage, &body).await;
    for fault in [Fault::Broken, Fault::BrokenAfter, Fault::Cut, Fault::CutAfter] {
        slack.fail("chat.postMessage", 1, fault);
        let failure = post().await.unwrap_err();
        assert!(matches!(failure, Failure::Unclear { .. }), "{fault:?}: {failure:?}");
    }
    slack.fail("chat.postMessage", 1, Fault::Says("restricted_action"));
    assert_eq!(post().await.unwrap_err().code(), Some("restricted_action"));
    slack.with(|state| state.tokens.get_mut(BOT_TOKEN).unwrap().is_revoked = true);
    assert_eq!(post().await, Err(Failure::TokenRejected));
}

#[tokio::test]
async fn rates_are_kept_without_being_told() {
    let settings = Settings { rates: Some(Rates { burst: 6.0, tiers: 1.0 }), ..Settings::new() };
    let slack = Slack::start(settings).await;
    let api = api(&slack).await;
    for n in 0..8 {
        let body = json!({ "channel": "C0DESK", "text": format!("{n}") });
        api.call(TEAM, Method::PostMessage, &body).await.unwrap();
    }
    assert!(slack.calls_of("chat.postMessage").iter().all(|call| call.status == 200));
}

#[tokio::test]
async fn rights_are_those_of_members_in_lists_and_groups() {
    let slack = Slack::start(Settings::new()).await;
    let groups = ["S0APPROVERS".to_owned()].into();
    let users = ["U0GUEST".to_owned(), "U0STRANGER".to_owned(), "U0LINUS".to_owned()].into();
    let approvers = Approvers { slack_groups: groups, slack_users: users, ..Approvers::default() };
    let lists =
        Lists { approvers: BTreeMap::from([("desk".to_owned(), approvers)]), ..Lists::default() };
    let people = People::new(
        api(&slack).await,
        WorkspaceLists::everywhere(anteroom::model::session::Platform::Slack, lists),
    );
    let workspace = Workspace { team: TEAM.to_owned(), ..Workspace::default() };
    let may = async |user: &str| {
        let by = Actor { user: user.to_owned(), team: TEAM.to_owned(), name: String::new() };
        !people.responder(&workspace, &by).await.unwrap().approver_of.is_empty()
    };
    for (user, expected) in [
        ("U0GRACE", true),
        ("U0LINUS", true),
        ("U0MALLORY", false),
        ("U0GUEST", false),
        ("U0STRANGER", false),
    ] {
        assert_eq!(may(user).await, expected, "{user}");
    }
    slack.with(|state| state.users.get_mut("U0LINUS").unwrap().deleted = true);
    people.forget(TEAM, "U0LINUS").await;
    assert!(!may("U0LINUS").await);
}

#[tokio::test]
async fn what_people_do_is_understood() {
    let slack = Slack::start(Settings::new()).await;
    slack.with(|state| state.settings.ack_limit = Duration::from_millis(1));
    let ada = slack.person("U0ADA");
    ada.say("hello <there> & @grace").await;
    ada.at("general").say("@anteroom hi").await;
    ada.edit("hello", "goodbye").await;
    ada.delete("goodbye").await;
    ada.open().await;
    assert!(ada.try_command("/onboard invite @grace").await.is_err());
    let kinds: Vec<String> = slack.look(|state| {
        let deliveries = state.deliveries.iter();
        deliveries
            .map(|delivery| {
                let payload = &delivery.push.payload;
                let envelope = match delivery.push.kind {
                    "events_api" => parse::event(payload),
                    "interactive" => parse::interaction(payload),
                    _ => parse::command(payload),
                };
                assert_eq!(envelope.workspace.team, TEAM);
                match envelope.what {
                    Incoming::Message(message) => format!("{}: {}", message.channel, message.text),
                    Incoming::Edited { text, .. } => format!("edited: {text}"),
                    Incoming::Deleted { .. } => "deleted".to_owned(),
                    Incoming::HomeOpened { tab, .. } => tab,
                    Incoming::Command(command) => format!("{} {}", command.name, command.text),
                    other => format!("{other:?}"),
                }
            })
            .collect()
    });
    insta::assert_snapshot!(kinds.join("\n"), @"
    D0ADA: hello <there> & @U0GRACE
    C0GENERAL: hi
    C0GENERAL: hi
    edited: goodbye
    deleted
    messages
    /onboard invite <@U0GRACE|grace>
    ");
}
