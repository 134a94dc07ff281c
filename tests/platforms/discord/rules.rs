//! That the emulator refuses what Discord refuses, so that what passes here may pass there.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::discord::emulator::{
    Discord,
    faults::Fault,
    state::{APPLICATION, GUILD, TOKEN, may},
};

/// The channel of the tests, a member, and a role that may be given.
const CHANNEL: u64 = 600;
const ADA: u64 = 701;
const MAKER: u64 = 502;

async fn discord() -> Discord {
    let discord = Discord::start().await;
    discord.with(|state| {
        state.add_channel(CHANNEL, "welcome");
        state.add_user(ADA, "ada");
        state.add_role(MAKER, "maker", 2, 0);
        state.add_role(503, "admin", 9, may::ADMINISTRATOR);
    });
    discord
}

/// Asks, as the bot; the status, and the body with what the headers say of buckets.
async fn ask(discord: &Discord, method: &str, path: &str, body: Value) -> (u16, Value) {
    let url = format!("{}{path}", discord.base);
    let request = reqwest::Client::new().request(method.parse().unwrap(), url);
    let request = request.header("authorization", TOKEN).json(&body);
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    let remaining = answer.headers().get("x-ratelimit-remaining").cloned();
    let mut body: Value = answer.json().await.unwrap_or(json!({}));
    if let (Some(remaining), true) = (remaining, body.is_object()) {
        body["remaining"] = remaining.to_str().unwrap().into();
    }
    (status, body)
}

fn words(text: &str) -> Value {
    json!({ "content": text })
}

#[tokio::test]
async fn a_message_under_one_name_is_posted_once_for_some_minutes() {
    let discord = discord().await;
    let named = json!({ "content": "Hello", "nonce": "one", "enforce_nonce": true });
    let (_, first) = ask(&discord, "POST", "/channels/600/messages", named.clone()).await;
    let (_, again) = ask(&discord, "POST", "/channels/600/messages", named.clone()).await;
    assert_eq!(first["id"], again["id"]);
    let path = format!("/channels/600/messages/{}", first["id"].as_str().unwrap());
    assert_eq!(ask(&discord, "DELETE", &path, Value::Null).await.0, 204);
    let gone = ask(&discord, "POST", "/channels/600/messages", named.clone()).await;
    assert_eq!((gone.0, gone.1["code"].as_u64()), (404, Some(10008)));
    discord.with(|state| state.advance(TimeDelta::minutes(4)));
    let (status, later) = ask(&discord, "POST", "/channels/600/messages", named).await;
    assert!(status == 200 && later["id"] != first["id"]);
    let unnamed = json!({ "content": "Hello", "nonce": "two" });
    let (_, one) = ask(&discord, "POST", "/channels/600/messages", unnamed.clone()).await;
    let (_, two) = ask(&discord, "POST", "/channels/600/messages", unnamed).await;
    assert_ne!(one["id"], two["id"], "a name that is not enforced is none");
}

#[tokio::test]
async fn too_many_requests_are_refused_by_bucket_and_over_all() {
    let discord = discord().await;
    discord.with(|state| state.add_channel(601, "rules"));
    for left in ["4", "3", "2", "1", "0"] {
        let (status, body) = ask(&discord, "POST", "/channels/600/messages", words("x")).await;
        assert_eq!((status, body["remaining"].as_str()), (200, Some(left)));
    }
    let (status, body) = ask(&discord, "POST", "/channels/600/messages", words("x")).await;
    assert_eq!(
        (status, body["retry_after"].as_f64(), body["global"].as_bool()),
        (429, Some(5.0), Some(false))
    );
    assert_eq!(ask(&discord, "POST", "/channels/601/messages", words("x")).await.0, 200);
    discord.with(|state| state.advance(TimeDelta::seconds(5)));
    assert_eq!(ask(&discord, "POST", "/channels/600/messages", words("x")).await.0, 200);
    let mut statuses = Vec::new();
    for n in 0..60 {
        discord.with(|state| state.add_channel(1_000 + n, "many"));
        let path = format!("/channels/{}", 1_000 + n);
        statuses.push(ask(&discord, "GET", &path, Value::Null).await.0);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 11, "50 in a second");
    assert_eq!(discord.with(|state| state.buckets.refused), 12);
}

#[tokio::test]
async fn an_interaction_is_answered_once_and_in_time() {
    let discord = discord().await;
    let callback = |(id, token): &(u64, String)| format!("/interactions/{id}/{token}/callback");
    let ack = json!({ "type": 5, "data": { "flags": 64 } });
    let clicked = discord.with(|state| state.interact(2, ADA, CHANNEL, None));
    assert_eq!(ask(&discord, "POST", &callback(&clicked), ack.clone()).await.0, 204);
    let twice = ask(&discord, "POST", &callback(&clicked), ack.clone()).await;
    assert_eq!((twice.0, twice.1["code"].as_u64()), (400, Some(40060)));
    let original = format!("/webhooks/{APPLICATION}/{}/messages/@original", clicked.1);
    assert_eq!(ask(&discord, "PATCH", &original, words("Done.")).await.0, 200);
    let seen = discord.with(|state| {
        let message = state.channels[&CHANNEL].messages.values().next().unwrap().clone();
        (message.only_for, message.body["content"].as_str().unwrap().to_owned())
    });
    assert_eq!(seen, (Some(ADA), "Done.".to_owned()));

    let late = discord.with(|state| state.interact(2, ADA, CHANNEL, None));
    discord.with(|state| state.advance(TimeDelta::milliseconds(3_100)));
    let refused = ask(&discord, "POST", &callback(&late), ack.clone()).await;
    assert_eq!((refused.0, refused.1["code"].as_u64()), (404, Some(10062)));
    discord.with(|state| state.advance(TimeDelta::minutes(15)));
    let expired = ask(&discord, "PATCH", &original, words("Later.")).await;
    assert_eq!((expired.0, expired.1["code"].as_u64()), (401, Some(50027)));

    // A form cannot follow a form, and only a component has a message to update.
    let sent = discord.with(|state| state.interact(5, ADA, CHANNEL, None));
    let modal = json!({ "type": 9, "data": { "title": "T", "custom_id": "x", "components": [
        { "type": 18, "label": "L", "component": { "type": 4, "custom_id": "y", "style": 1 } }] } });
    assert_eq!(ask(&discord, "POST", &callback(&sent), modal.clone()).await.0, 400);
    assert_eq!(ask(&discord, "POST", &callback(&sent), json!({ "type": 6 })).await.0, 400);
    let used = discord.with(|state| state.interact(3, ADA, CHANNEL, Some(1)));
    assert_eq!(ask(&discord, "POST", &callback(&used), modal).await.0, 204);
}

#[tokio::test]
async fn threads_are_private_archived_and_opened_again() {
    let discord = discord().await;
    let body = json!({ "name": "welcome-ada", "type": 12, "invitable": false, "auto_archive_duration": 10080 });
    let (status, thread) = ask(&discord, "POST", "/channels/600/threads", body).await;
    assert_eq!(status, 201);
    let id: u64 = thread["id"].as_str().unwrap().parse().unwrap();
    let path = format!("/channels/{id}");
    assert_eq!(discord.with(|state| state.permissions(ADA, id)), 0);
    let member = format!("{path}/thread-members/{ADA}");
    assert_eq!(ask(&discord, "PUT", &member, Value::Null).await.0, 204);
    assert_ne!(discord.with(|state| state.permissions(ADA, id)) & may::VIEW, 0);
    let (_, message) = ask(&discord, "POST", &format!("{path}/messages"), words("Hello")).await;
    let edit = format!("{path}/messages/{}", message["id"].as_str().unwrap());
    assert_eq!(ask(&discord, "PATCH", &path, json!({ "archived": true })).await.0, 200);
    let refused = ask(&discord, "PATCH", &edit, words("Hello again")).await;
    assert_eq!((refused.0, refused.1["code"].as_u64()), (400, Some(50083)));
    assert_eq!(ask(&discord, "PATCH", &path, json!({ "archived": false })).await.0, 200);
    assert_eq!(ask(&discord, "PATCH", &edit, words("Hello again")).await.0, 200);
}

#[tokio::test]
async fn roles_are_given_by_who_stands_above_them() {
    let discord = discord().await;
    let role = |role: u64| format!("/guilds/{GUILD}/members/{ADA}/roles/{role}");
    assert_eq!(ask(&discord, "PUT", &role(MAKER), Value::Null).await.0, 204);
    assert_eq!(ask(&discord, "PUT", &role(MAKER), Value::Null).await.0, 204);
    let refused = ask(&discord, "PUT", &role(503), Value::Null).await;
    assert_eq!((refused.0, refused.1["code"].as_u64()), (403, Some(50013)));
    assert_eq!(ask(&discord, "PUT", &role(999), Value::Null).await.1["code"], 10011);
    let (_, member) =
        ask(&discord, "GET", &format!("/guilds/{GUILD}/members/{ADA}"), Value::Null).await;
    assert_eq!(member["roles"], json!(["502"]));
}

#[tokio::test]
async fn what_may_not_be_seen_or_written_is_refused() {
    let discord = discord().await;
    discord.with(|state| {
        let channel = state.channels.get_mut(&CHANNEL).unwrap();
        channel.overwrites.insert(GUILD, (0, may::SEND));
    });
    let silent = ask(&discord, "POST", "/channels/600/messages", words("x")).await;
    assert_eq!((silent.0, silent.1["code"].as_u64()), (403, Some(50013)));
    discord.with(|state| {
        state.channels.get_mut(&CHANNEL).unwrap().overwrites.insert(GUILD, (0, may::VIEW));
    });
    let hidden = ask(&discord, "POST", "/channels/600/messages", words("x")).await;
    assert_eq!((hidden.0, hidden.1["code"].as_u64()), (403, Some(50001)));
    assert_eq!(ask(&discord, "POST", "/channels/1/messages", words("x")).await.1["code"], 10003);

    let direct = json!({ "recipient_id": ADA.to_string() });
    let (_, opened) = ask(&discord, "POST", "/users/@me/channels", direct).await;
    let path = format!("/channels/{}/messages", opened["id"].as_str().unwrap());
    assert_eq!(ask(&discord, "POST", &path, words("Hello")).await.0, 200);
    discord.with(|state| state.users.get_mut(&ADA).unwrap().is_closed = true);
    assert_eq!(ask(&discord, "POST", &path, words("Hello")).await.1["code"], 50007);
}

#[tokio::test]
async fn what_goes_wrong_may_have_happened() {
    let discord = discord().await;
    let route = "POST /channels/{channel}/messages";
    let count = || discord.with(|state| state.channels[&CHANNEL].messages.len());
    discord.with(|state| state.faults.plan(route, 1, Fault::Broken));
    assert_eq!(ask(&discord, "POST", "/channels/600/messages", words("x")).await.0, 502);
    assert_eq!(count(), 0);
    discord.with(|state| state.faults.plan(route, 1, Fault::BrokenAfter));
    assert_eq!(ask(&discord, "POST", "/channels/600/messages", words("x")).await.0, 502);
    assert_eq!(count(), 1);
    discord.with(|state| state.faults.plan(route, 1, Fault::TooMany(2)));
    assert_eq!(
        ask(&discord, "POST", "/channels/600/messages", words("x")).await.1["retry_after"],
        2.0
    );
    discord.with(|state| state.faults.plan("*", 1, Fault::Says(403, 50001)));
    assert_eq!(ask(&discord, "GET", "/users/@me", Value::Null).await.0, 403);
    let wrong =
        reqwest::Client::new().get(format!("{}/users/@me", discord.base)).send().await.unwrap();
    assert_eq!(wrong.status(), 401);
}
