//! The emulator keeps to Slack's rules; here somebody else than our bot calls it and listens.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use anteroom::base::clock::FixedClock;
use chrono::TimeDelta;
use futures::{SinkExt as _, StreamExt as _};
use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message as Frame;

use crate::slack::emulator::{APP_TOKEN, BOT_TOKEN, Settings, Slack, faults::Fault};

/// Calls a method with a JSON body.
async fn call(slack: &Slack, method: &str, body: &Value) -> Value {
    let (_, answer) = call_as(slack, BOT_TOKEN, method, body).await.unwrap();
    answer
}

async fn call_as(
    slack: &Slack,
    token: &str,
    method: &str,
    body: &Value,
) -> reqwest::Result<(u16, Value)> {
    let request = reqwest::Client::new()
        .post(format!("{}{method}", slack.api_url()))
        .bearer_auth(token)
        .json(body);
    let response = request.timeout(Duration::from_secs(5)).send().await?;
    let status = response.status().as_u16();
    Ok((status, serde_json::from_slice(&response.bytes().await?).unwrap_or_default()))
}

/// Calls a method as a query.
async fn ask(slack: &Slack, method: &str, query: &str) -> Value {
    let url = format!("{}{method}?{query}", slack.api_url());
    let response = reqwest::Client::new().get(url).bearer_auth(BOT_TOKEN).send().await.unwrap();
    response.json().await.unwrap()
}

type Seen = Arc<Mutex<Vec<Value>>>;

/// A bot that acknowledges everything over a socket, with `answer` where an answer may be given, and notes it.
async fn listen(slack: &Slack, tasks: &mut JoinSet<()>, answer: Value) -> Seen {
    let (_, opened) = call_as(slack, APP_TOKEN, "apps.connections.open", &json!({})).await.unwrap();
    let url = opened["url"].as_str().unwrap();
    let address = url.strip_prefix("ws://").unwrap().split('/').next().unwrap();
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let (mut socket, _) = tokio_tungstenite::client_async(url, stream).await.unwrap();
    let seen = Seen::default();
    let noted = Arc::clone(&seen);
    let before = slack.sockets();
    tasks.spawn(async move {
        while let Some(Ok(frame)) = socket.next().await {
            let Frame::Text(text) = frame else { continue };
            let frame: Value = serde_json::from_str(text.as_str()).unwrap();
            noted.lock().unwrap().push(frame.clone());
            let Some(envelope) = frame["envelope_id"].as_str() else { continue };
            let mut ack = json!({ "envelope_id": envelope });
            if frame["accepts_response_payload"] == true && !answer.is_null() {
                ack["payload"] = answer.clone();
            }
            socket.send(Frame::text(ack.to_string())).await.unwrap();
        }
    });
    slack.connected(before.max(1)).await;
    seen
}

#[tokio::test]
async fn a_token_opens_what_its_scopes_say() {
    let mut settings = Settings::new();
    settings.scopes.remove("usergroups:read");
    let slack = Slack::start(settings).await;
    let body = json!({ "channel": "C0DESK", "text": "hello" });

    assert_eq!(
        call_as(&slack, "xoxb-wrong", "chat.postMessage", &body).await.unwrap().1["error"],
        "invalid_auth"
    );
    assert_eq!(ask(&slack, "usergroups.list", "").await["needed"], "usergroups:read");
    assert_eq!(call(&slack, "no.such", &body).await["error"], "unknown_method");
    assert_eq!(call(&slack, "chat.postMessage", &body).await["ok"], true);

    slack.with(|state| state.tokens.get_mut(BOT_TOKEN).unwrap().is_revoked = true);
    assert_eq!(call(&slack, "chat.postMessage", &body).await["error"], "token_revoked");
}

#[tokio::test]
async fn methods_that_read_do_not_read_json() {
    let slack = Slack::start(Settings::new()).await;

    assert_eq!(
        call(&slack, "users.info", &json!({ "user": "U0ADA" })).await["error"],
        "invalid_arguments"
    );
    assert_eq!(ask(&slack, "users.info", "user=U0ADA").await["user"]["real_name"], "Ada Byron");
    assert_eq!(
        ask(&slack, "users.info", "user=U0GUEST").await["user"]["is_ultra_restricted"],
        true
    );
}

#[tokio::test]
async fn messages_go_where_the_bot_may_write() {
    let slack = Slack::start(Settings::new()).await;
    slack.with(|state| {
        state.channels.get_mut("C0GENERAL").unwrap().members.remove("U0BOT");
        state.channels.get_mut("C0DESK").unwrap().archived = true;
    });
    let post = async |channel: &str| {
        call(&slack, "chat.postMessage", &json!({ "channel": channel, "text": "hello" })).await
    };

    assert_eq!(post("C0GENERAL").await["error"], "not_in_channel");
    assert_eq!(post("C0DESK").await["error"], "is_archived");
    assert_eq!(post("C0NOWHERE").await["error"], "channel_not_found");
    let posted = post("U0ADA").await;
    assert_eq!(posted["channel"], "D0ADA");
    assert_eq!(post("D0ADA").await["ok"], true);
    let lost = json!({ "channel": "D0ADA", "ts": "1.000001", "text": "?" });
    assert_eq!(call(&slack, "chat.update", &lost).await["error"], "message_not_found");
}

#[tokio::test]
async fn blocks_and_views_keep_to_the_limits() {
    let slack = Slack::start(Settings::new()).await;
    let button = |id: &str, label: &str| json!({ "type": "button", "action_id": id, "text": { "type": "plain_text", "text": label } });
    let blocks = json!([
        { "type": "section", "block_id": "a", "text": { "type": "mrkdwn", "text": "" } },
        { "type": "actions", "block_id": "a", "elements": [button("x", &"y".repeat(76)), button("x", "Two")] },
        { "type": "input", "label": { "type": "plain_text", "text": "File" }, "element": { "type": "file_input" } },
    ]);
    let answer = call(
        &slack,
        "chat.postMessage",
        &json!({ "channel": "C0DESK", "text": "?", "blocks": blocks }),
    )
    .await;
    assert_eq!(answer["error"], "invalid_blocks");
    let messages: Vec<&str> = answer["response_metadata"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_snapshot!(messages.join("\n"), @"
    [ERROR] must be more than 0 characters [json-pointer:/blocks/0/text/text]
    [ERROR] `block_id` already exists: a [json-pointer:/blocks/1]
    [ERROR] must be less than 76 characters [json-pointer:/blocks/1/elements/0/text/text]
    [ERROR] `action_id` already exists: x [json-pointer:/blocks/1/elements/1]
    [ERROR] file_input is for modals only [json-pointer:/blocks/2/element]
    ");

    let view = json!({
        "type": "modal", "title": { "type": "plain_text", "text": "A title that is much too long" },
        "blocks": [{ "type": "input", "label": { "type": "plain_text", "text": "Name" }, "element": { "type": "plain_text_input" } }],
    });
    let trigger = slack.with(|state| state.trigger("U0ADA", None));
    let answer = call(&slack, "views.open", &json!({ "trigger_id": trigger, "view": view })).await;
    let messages: Vec<&str> = answer["response_metadata"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_snapshot!(messages.join("\n"), @"
    [ERROR] must be less than 25 characters [json-pointer:/view/title/text]
    [ERROR] missing required field: submit [json-pointer:/view]
    ");
}

#[tokio::test]
async fn a_trigger_opens_one_form_within_three_seconds() {
    let clock = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
    let slack = Slack::start(Settings::new().on(Arc::clone(&clock) as _)).await;
    let title = json!({ "type": "plain_text", "text": "Form" });
    let view = json!({ "type": "modal", "title": title, "blocks": [{ "type": "divider" }] });
    let trigger = || slack.with(|state| state.trigger("U0ADA", None));
    let open = async |trigger: &str| {
        call(&slack, "views.open", &json!({ "trigger_id": trigger, "view": view })).await
    };

    let first = trigger();
    let opened = open(&first).await;
    assert_eq!(opened["ok"], true);
    assert_eq!(open(&first).await["error"], "exchanged_trigger_id");
    let late = trigger();
    clock.advance(TimeDelta::seconds(4));
    assert_eq!(open(&late).await["error"], "expired_trigger_id");

    let stale = json!({ "view_id": opened["view"]["id"], "hash": "1.2", "view": view });
    assert_eq!(call(&slack, "views.update", &stale).await["error"], "hash_conflict");
    for ok in [true, true, false] {
        let top = slack.look(|state| state.stacks["U0ADA"].last().unwrap().clone());
        let trigger = slack.with(|state| state.trigger("U0ADA", Some(&top)));
        let pushed =
            call(&slack, "views.push", &json!({ "trigger_id": trigger, "view": view })).await;
        assert_eq!(pushed["ok"], ok, "{pushed}");
    }
}

#[tokio::test]
async fn streams_end_after_five_minutes() {
    let clock = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
    let slack = Slack::start(Settings::new().on(Arc::clone(&clock) as _)).await;
    let root =
        call(&slack, "chat.postMessage", &json!({ "channel": "U0ADA", "text": "Root" })).await;
    let begun = call(
        &slack,
        "chat.startStream",
        &json!({
            "channel": root["channel"], "thread_ts": root["ts"], "markdown_text": "Half",
        }),
    )
    .await;
    let append = json!({ "channel": root["channel"], "ts": begun["ts"], "markdown_text": " done" });
    assert_eq!(call(&slack, "chat.appendStream", &append).await["ok"], true);
    clock.advance(TimeDelta::minutes(6));
    assert_eq!(
        call(&slack, "chat.appendStream", &append).await["error"],
        "message_not_in_streaming_state"
    );
    assert_snapshot!(slack.person("U0ADA").screen(), @"
    ── direct ──
    Anteroom: Root
      Anteroom: Half done
    ");
}

#[tokio::test]
async fn a_file_is_for_those_with_the_scope() {
    let slack = Slack::start(Settings::new()).await;
    let file = slack.with(|state| state.keep("U0ADA", "cv.txt", b"my life"));
    let url =
        ask(&slack, "files.info", &format!("file={file}")).await["file"]["url_private_download"]
            .clone();
    let fetch = async |token: &str| {
        let request = reqwest::Client::new().get(url.as_str().unwrap()).bearer_auth(token);
        request.send().await.unwrap().text().await.unwrap()
    };
    assert_eq!(fetch(BOT_TOKEN).await, "my life");
    assert!(fetch("xoxb-wrong").await.starts_with("<!DOCTYPE html>"));
}

#[tokio::test]
async fn faults_come_before_or_after_what_happens() {
    let slack = Slack::start(Settings::new()).await;
    let body = json!({ "channel": "C0DESK", "text": "hello" });
    let count = || slack.look(|state| state.channels["C0DESK"].messages.len());
    for (fault, after) in [
        (Fault::TooMany(2), 0),
        (Fault::Broken, 0),
        (Fault::BrokenAfter, 1),
        (Fault::Cut, 1),
        (Fault::CutAfter, 2),
    ] {
        slack.fail("chat.postMessage", 1, fault);
        let answer = call_as(&slack, BOT_TOKEN, "chat.postMessage", &body).await;
        match fault {
            Fault::TooMany(_) => assert_eq!(answer.unwrap().0, 429),
            Fault::Broken | Fault::BrokenAfter => assert_eq!(answer.unwrap().0, 503),
            _ => assert!(answer.is_err(), "{fault:?}"),
        }
        assert_eq!(count(), after, "{fault:?}");
    }
}

#[tokio::test]
async fn what_is_not_acknowledged_comes_again() {
    let mut settings = Settings::new();
    settings.ack_limit = Duration::from_millis(50);
    let slack = Slack::start(settings).await;
    slack.person("U0ADA").say("hello").await;
    let mut tasks = JoinSet::new();
    slack.with(|state| state.settings.ack_limit = Duration::from_secs(3));
    let seen = listen(&slack, &mut tasks, Value::Null).await;
    assert_eq!(slack.redeliver().await, 1);
    assert_eq!(slack.redeliver().await, 0);
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0]["type"], "hello");
    assert_eq!(
        (&seen[1]["retry_attempt"], &seen[1]["payload"]["event"]["text"]),
        (&json!(1), &json!("hello"))
    );
}

#[tokio::test]
async fn people_use_what_they_see() {
    let slack = Slack::start(Settings::new()).await;
    let mut tasks = JoinSet::new();
    let answer = json!({ "response_action": "errors", "errors": { "name": "Not that one" } });
    let seen = listen(&slack, &mut tasks, answer).await;
    let ada = slack.person("U0ADA");
    let text = |text: &str| json!({ "type": "plain_text", "text": text });
    let option = |value: &str, label: &str| json!({ "text": text(label), "value": value });
    let blocks = json!([
        { "type": "section", "text": { "type": "mrkdwn", "text": "Hello <@U0ADA> &amp; <!channel>" } },
        { "type": "actions", "block_id": "b", "elements": [
            { "type": "button", "action_id": "go", "style": "primary", "text": text("Go on"), "value": "v" },
            { "type": "checkboxes", "action_id": "many", "options": [option("a", "One"), option("b", "Two")] },
        ] },
        { "type": "context", "elements": [text("Small")] },
    ]);
    call(
        &slack,
        "chat.postMessage",
        &json!({ "channel": "U0ADA", "text": "Hello", "blocks": blocks }),
    )
    .await;
    assert_snapshot!(ada.screen(), @"
    ── direct ──
    Anteroom: Hello @Ada Byron & @CHANNEL (EVERYBODY IS CALLED)
        [+ Go on] {☐ One | Two}
        · Small
    ");

    ada.pick("Two").await;
    ada.press("Go on").await;
    let click = seen.lock().unwrap().last().unwrap()["payload"].clone();
    assert_eq!(click["actions"][0]["value"], "v");
    assert_eq!(click["state"]["values"]["b"]["many"]["selected_options"][0]["value"], "b");
    assert!(!ada.has_button("Go back"));

    let view = json!({
        "type": "modal", "title": text("Form"), "submit": text("Save"),
        "blocks": [{ "type": "input", "block_id": "name", "label": text("Name"), "element": { "type": "plain_text_input", "action_id": "n" } }],
    });
    call(&slack, "views.open", &json!({ "trigger_id": click["trigger_id"], "view": view })).await;
    ada.submit().await;
    assert_snapshot!(ada.form(), @"
    ╔ Form
    ║ Name: ____
    ║   ✗ Please complete this required field.
    ╚ [Cancel] [Save]
    ");
    ada.fill("Name", "Ada").await;
    ada.submit().await;
    assert_snapshot!(ada.form(), @r#"
    ╔ Form
    ║ Name: "Ada"
    ║   ✗ Not that one
    ╚ [Cancel] [Save]
    "#);
}
