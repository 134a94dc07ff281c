//! `anteroom doctor slack`: what is missing is named, with the page to mend it on.

use std::{path::Path, process::Stdio};

use anteroom::gateway::slack::manifest::{self, Transport};
use serde_json::json;
use tokio::process::Command;

use crate::slack::{
    emulator::{APP_TOKEN, BOT_TOKEN, Settings, Slack, faults::Fault},
    provider::{Provider, Reply},
};

const CONFIG: &str = r#"
[data]
dir = "data"
[vars]
organisation = "Example Ltd"
privacy_url  = "https://example.org/privacy"
contact      = "people@example.org"
[flows]
enabled = ["candidate-onboarding"]
[slack]
bot_token_env = "SLACK_BOT_TOKEN"
app_token_env = "SLACK_APP_TOKEN"
staff_users = ["U0GRACE"]
[slack.channels]
recruiting_approvals = "C0APPROVALS"
recruiting_desk      = "C0DESK"
[approvers]
recruiting_approvals = { slack_users = ["U0GRACE"], slack_groups = ["S0APPROVERS"] }
[webhooks]
ats_webhook = { url = "http://127.0.0.1:9/" }
"#;

/// What the program says to the operator, and how it ends.
struct Said {
    code: i32,
    out: String,
    err: String,
}

async fn doctor(dir: &Path, slack: &Slack, config: &str, tokens: [&str; 2], args: &[&str]) -> Said {
    std::fs::write(dir.join("config.toml"), config).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_anteroom"))
        .args(["doctor", "slack"])
        .args(args)
        .env_clear()
        .env("HOME", dir)
        .env("SLACK_API_URL", slack.api_url())
        .env("SLACK_BOT_TOKEN", tokens[0])
        .env("SLACK_APP_TOKEN", tokens[1])
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

const TOKENS: [&str; 2] = [BOT_TOKEN, APP_TOKEN];

/// An app that was created from our manifest, and installed again since.
async fn well() -> Slack {
    let manifest =
        manifest::manifest(Transport::Socket, "/onboard", &["/onboard".to_owned()].into());
    Slack::start(Settings::new().of_manifest(&manifest)).await
}

#[tokio::test]
async fn an_app_made_from_the_manifest_lacks_nothing() {
    let (slack, dir) = (well().await, tempfile::tempdir().unwrap());
    let said = doctor(dir.path(), &slack, CONFIG, TOKENS, &["--online"]).await;
    insta::assert_snapshot!(said.out, @"
    checked: configuration
    checked: flows (1), their aliases and retention
    checked: data directory `data`
    checked: sockets, one workspace
    checked: who is staff and who decides
    checked: commands `/onboard`
    checked: Slack can be reached, and the clocks agree
    checked: the bot's token
    checked: 16 scopes
    checked: the app's token opens sockets
    checked: a test post to each channel (2)
    checked: users (1) and groups (1) of the configuration
    checked: 13 sample cards and forms
    checked: no model configured; flows run from their scripts
    Slack: no problems found.
    ");
    insta::assert_snapshot!(said.err, @"");
    assert_eq!(said.code, 0);
    // What was posted is gone.
    let posts = slack.calls_of("chat.postMessage").len();
    assert_eq!((posts, slack.calls_of("chat.delete").len()), (2, 2));
    let token = |said: &Said| said.out.contains("marker") || said.err.contains("marker");
    assert!(!token(&said));
    // Without `--online` nobody is asked.
    let before = slack.calls().len();
    let said = doctor(dir.path(), &slack, CONFIG, TOKENS, &["--json"]).await;
    let told: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &told["ok"]), (0, &true.into()), "{told}");
    assert_eq!(slack.calls().len(), before);
}

/// A model that answers so.
async fn with_a_model(replies: &[Reply]) -> (Provider, String) {
    let model = Provider::start(replies).await;
    let config =
        format!("{CONFIG}[llm.interview]\nbase_url = \"{}\"\nmodel = \"some\"\n", model.url);
    (model, config)
}

/// The model calls a tool.
fn calls(tool: &str) -> Reply {
    let call = json!({ "index": 0, "id": "call_1", "type": "function",
        "function": { "name": tool, "arguments": "{\"colour\":\"green\"}" } });
    Reply::stream(&[
        json!({ "choices": [{ "index": 0, "delta": { "role": "assistant", "tool_calls": [call] } }] }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }),
    ])
}

#[tokio::test]
async fn a_model_calls_a_tool_and_reads_its_result() {
    let (slack, dir) = (well().await, tempfile::tempdir().unwrap());
    let (model, config) =
        with_a_model(&[calls("report_colour"), Reply::says("It is green.")]).await;
    let said = doctor(dir.path(), &slack, &config, TOKENS, &["--online"]).await;
    assert!(said.out.contains("checked: model (one tool call,"), "{}", said.out);
    assert_eq!((said.err.as_str(), said.code), ("", 0));
    let asked = model.seen();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].body["tool_choice"], "required", "{}", asked[0].body);
    let messages = asked[1].body["messages"].as_array().unwrap();
    let call = &messages[messages.len() - 2]["tool_calls"][0];
    let result = &messages[messages.len() - 1];
    assert_eq!((&result["role"], &result["tool_call_id"]), (&json!("tool"), &call["id"]));
    // Nobody is asked without `--online`.
    let said = doctor(dir.path(), &slack, &config, TOKENS, &[]).await;
    assert_eq!((said.code, model.seen().len()), (0, 2));
}

#[tokio::test]
async fn a_model_that_calls_nothing_or_is_not_let_in_is_named() {
    let (slack, dir) = (well().await, tempfile::tempdir().unwrap());
    let (_talks, config) = with_a_model(&[Reply::says("Green!")]).await;
    let said = doctor(dir.path(), &slack, &config, TOKENS, &["--online"]).await;
    insta::assert_snapshot!(said.err, @"model: it didn't call the tool it was told to call. hint: interviews need a model that supports tool calls");
    assert_eq!(said.code, 1);
    let refusal = json!({ "error": { "message": "No such key: sk-marker", "code": 401 } });
    let (_locked, config) = with_a_model(&[Reply::json(401, &refusal)]).await;
    let said = doctor(dir.path(), &slack, &config, TOKENS, &["--online"]).await;
    insta::assert_snapshot!(said.err, @"model: the model's provider does not take the request (401): “No such key: …”. hint: check `base_url`, `model`, the key and `dialect`");
    assert_eq!(said.code, 1);
}

#[tokio::test]
async fn an_app_that_was_not_installed_again_lacks_nearly_everything() {
    let mut settings = Settings::new();
    settings.scopes = ["channels:history", "chat:write"].map(str::to_owned).into();
    let (slack, dir) = (Slack::start(settings).await, tempfile::tempdir().unwrap());
    let said = doctor(dir.path(), &slack, CONFIG, TOKENS, &["--online"]).await;
    insta::assert_snapshot!(said.err, @r#"
    slack: the bot's token lacks `app_mentions:read`, `assistant:write`, `channels:read`, `commands`, `files:read`, `files:write`, `groups:history`, `groups:read`, `im:history`, `im:read`, `im:write`, `usergroups:read`, `users:read`, `users:read.email`. hint: add them under "OAuth & Permissions" of the app's settings, then press "Reinstall to Workspace" there: what a manifest asks for is not granted before
    slack: user `U0GRACE` cannot be looked up: `missing_scope`. hint: the token lacks a scope: see what is said about it
    slack: the user group `S0APPROVERS` cannot be read: `missing_scope`. hint: the token lacks a scope: see what is said about it
    "#);
    assert_eq!(said.code, 1);
}

#[tokio::test]
async fn tokens_that_slack_refuses_and_channels_that_are_not_there() {
    let (slack, dir) = (well().await, tempfile::tempdir().unwrap());
    let said = doctor(dir.path(), &slack, CONFIG, ["xoxb-old", "xapp-old"], &["--online"]).await;
    insta::assert_snapshot!(said.err, @r#"
    slack: Slack does not accept the bot's token: `invalid_auth`. hint: copy it anew from "OAuth & Permissions" of the app's settings (reinstalling the app changes it); start the bot again with it
    slack: no socket can be opened: `invalid_auth`. hint: the app's token needs the scope `connections:write` ("Basic Information", "App-Level Tokens"), and Socket Mode must be switched on ("Socket Mode")
    "#);
    let config = CONFIG
        .replace("C0DESK", "C0NOWHERE")
        .replace("\"U0GRACE\"]\n", "\"U0NOBODY\"]\n")
        .replace("S0APPROVERS", "S0NONE");
    let said = doctor(dir.path(), &slack, &config, TOKENS, &["--online"]).await;
    insta::assert_snapshot!(said.err, @r#"
    slack: channel `recruiting_desk` (C0NOWHERE): there is no such channel, or it is private and the bot is not in it. hint: copy the id from the end of the channel's "About"; in a private channel write `/invite @Anteroom`
    slack: user `U0NOBODY` cannot be looked up: `user_not_found`. hint: copy the id from the person's profile ("Copy member ID"); a name or an address is none
    slack: the user group `S0NONE` cannot be read: `no_such_subteam`. hint: copy the id from the group's page ("Copy group ID")
    "#);
    assert_eq!(said.code, 1);
}

#[tokio::test]
async fn what_can_be_seen_without_slack() {
    let (slack, dir) = (well().await, tempfile::tempdir().unwrap());
    let bare = CONFIG
        .replace("bot_token_env = \"SLACK_BOT_TOKEN\"\napp_token_env = \"SLACK_APP_TOKEN\"\n", "")
        .replace("recruiting_desk      = \"C0DESK\"\n", "");
    let said = doctor(dir.path(), &slack, &bare, TOKENS, &[]).await;
    insta::assert_snapshot!(said.err, @"
    flow `candidate-onboarding`:102:1: the alias `recruiting_desk` is not configured. hint: add `recruiting_desk = …` under `[slack.channels]` in the configuration; or did you mean `recruiting_approvals`?
    flow `candidate-onboarding`:570:3: the alias `recruiting_desk` is not configured. hint: add `recruiting_desk = …` under `[slack.channels]` in the configuration; or did you mean `recruiting_approvals`?
    slack: there is no token, so the bot is not connected. hint: write `bot_token_env` and `app_token_env` under `[slack]`; `config.example.toml` shows how
    ");
    assert_eq!(said.code, 1);
    let odd = CONFIG
        .replace("staff_users = [\"U0GRACE\"]", "command = \"/hire\"")
        .replace(
            "slack_users = [\"U0GRACE\"], slack_groups = [\"S0APPROVERS\"]",
            "web_staff = true",
        )
        .replace("dir = \"data\"", "dir = \"/proc/nowhere\"");
    let said = doctor(dir.path(), &slack, &odd, ["xoxe.xoxb-1", APP_TOKEN], &[]).await;
    insta::assert_snapshot!(said.err, @r#"
    data: can't write to `/proc/nowhere`: No such file or directory (os error 2). hint: check its owner and permissions, or set another directory with `dir` under `[data]`
    slack: the bot's token ends after twelve hours. hint: the app was created with token rotation: use `[slack.oauth]`, or create the app from `manifests/slack.socket.json`, which has none
    slack: warning: nobody sees what staff see in Slack: invitations, the overview, transcripts. hint: write `staff_users` or `staff_groups` under `[slack]`
    slack: warning: nobody can decide in Slack. hint: write `slack_users` or `slack_groups` under `[approvers]`
    slack: warning: `/hire` is not in the manifests that ship. hint: add it under "Slash Commands" of the app's settings, with "Escape channels, users, and links" switched on
    "#);
    assert_eq!(said.code, 1);
    // A mistake in the configuration is told with its line.
    let wrong = CONFIG.replace("[slack]", "[slack]\nsocket = 3");
    let said = doctor(dir.path(), &slack, &wrong, TOKENS, &[]).await;
    insta::assert_snapshot!(said.err, @"config.toml:11:1: unknown key `socket`. hint: did you mean `sockets`?");
    assert_eq!(said.code, 1);
}

#[tokio::test]
async fn a_slack_that_cannot_be_reached_or_fails() {
    let (slack, dir) = (well().await, tempfile::tempdir().unwrap());
    slack.fail("api.test", 1, Fault::Cut);
    let said = doctor(dir.path(), &slack, CONFIG, TOKENS, &["--online"]).await;
    let port = slack.api_url().split(':').nth(2).unwrap().split('/').next().unwrap().to_owned();
    insta::assert_snapshot!(said.err.replace(&port, "PORT"), @"slack: Slack cannot be reached: no connection. hint: this machine must reach `http://127.0.0.1:PORT/api` over HTTPS; look at firewall and proxy");
    slack.fail("apps.connections.open", 1, Fault::Says("not_allowed_token_type"));
    slack.fail("blocks.validate", 1, Fault::Says("invalid_blocks"));
    let said = doctor(dir.path(), &slack, CONFIG, TOKENS, &["--online"]).await;
    insta::assert_snapshot!(said.err, @r#"
    slack: no socket can be opened: `not_allowed_token_type`. hint: the app's token needs the scope `connections:write` ("Basic Information", "App-Level Tokens"), and Socket Mode must be switched on ("Socket Mode")
    slack: Slack would not take the blocks of a `choose` sample: `invalid_blocks`. hint: this is a mistake of the program: please report it with this line
    "#);
    assert_eq!(said.code, 1);
}
