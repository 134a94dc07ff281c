//! What is missing before the bot can work in Slack, each with what to do about it.
//!
//! [`offline`] reads; [`online`] asks Slack, posts to each channel of the configuration and deletes it at once. Hours
//! are lost to a bare `missing_scope`, so every finding names the thing and the page of Slack's settings to mend it on.

mod channels;
mod samples;

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};

use super::{
    api::{Api, Failure, Method},
    installations::{BOT_SCOPES, Installations},
    manifest, tokens,
};
use crate::{
    base::clock::Clock,
    chat::doctor::{self, ASK_MAX, DoctorContext, Report},
    config::{
        Secret,
        problem::listed,
        settings::{SlackConnection, SlackTokens, SlackTransport},
    },
    model::session::Platform,
};

/// Looks at the configuration alone.
pub(crate) fn offline(patient: &DoctorContext<'_>, report: &mut Report) {
    let slack = patient.settings.slack.as_ref();
    let Some(connection) = slack.and_then(|slack| slack.connection.as_ref()) else {
        report.wrong(
            "there is no token, so the bot is not connected",
            "write `bot_token_env` and `app_token_env` under `[slack]`; `config.example.toml` shows how",
        );
        return;
    };
    report.checked(match (&connection.transport, &connection.tokens) {
        (SlackTransport::Socket { .. }, SlackTokens::One { .. }) => "sockets, one workspace",
        (SlackTransport::Socket { .. }, SlackTokens::Many(_)) => "sockets, several workspaces",
        (SlackTransport::Http { .. }, SlackTokens::One { .. }) => "HTTP, one workspace",
        (SlackTransport::Http { .. }, SlackTokens::Many(_)) => "HTTP, several workspaces",
    });
    if let SlackTokens::One { bot_token, .. } = &connection.tokens
        && bot_token.expose().starts_with("xoxe.")
    {
        report.wrong(
            "the bot's token ends after twelve hours",
            "the app was created with token rotation: use `[slack.oauth]`, or create the app from \
             `manifests/slack.socket.json`, which has none",
        );
    }
    let seen = "invitations, the overview, transcripts";
    doctor::staff(patient, Platform::Slack, ("nobody", seen), report);
    commands(patient, connection, report);
}

/// An app has the commands of its manifest; a flow may name others.
fn commands(patient: &DoctorContext<'_>, connection: &SlackConnection, report: &mut Report) {
    let known = shipped_commands();
    let wanted = manifest::commands(&connection.command, patient.library);
    for command in wanted.difference(&known) {
        report.odd(
            format!("`{command}` is not in the manifests that ship"),
            "add it under \"Slash Commands\" of the app's settings, with \"Escape channels, users, and links\" switched on",
        );
    }
    report.checked(format!("commands {}", listed(wanted.iter().map(String::as_str))));
}

fn shipped_commands() -> BTreeSet<String> {
    let manifest = include_str!("../../../manifests/slack.socket.json");
    let manifest: Value = serde_json::from_str(manifest).unwrap_or_default();
    let commands = manifest["features"]["slash_commands"].as_array().cloned().unwrap_or_default();
    commands.iter().filter_map(|command| command["command"].as_str().map(str::to_owned)).collect()
}

/// Asks Slack.
pub async fn online(patient: &DoctorContext<'_>, report: &mut Report) {
    let slack = patient.settings.slack.as_ref();
    let Some(connection) = slack.and_then(|slack| slack.connection.as_ref()) else { return };
    let Ok(client) = reqwest::Client::builder()
        .timeout(ASK_MAX)
        .redirect(reqwest::redirect::Policy::none())
        .build()
    else {
        report.wrong("no connection can be made", "look at the certificates of this system");
        return;
    };
    let asked = Asked { client, base: connection.api_url.clone() };
    if !asked.is_there(patient.clock, report).await {
        return;
    }
    let SlackTokens::One { bot_token, bot_token_file } = &connection.tokens else {
        report.checked("Slack answers; workspaces that installed the app are not looked at");
        return;
    };
    let known = asked.token(bot_token, bot_token_file.is_some(), report).await;
    let installations = Arc::new(Installations::plain(bot_token.clone()));
    let SlackConnection { api_url, rates, proxies, .. } = connection;
    let api = match Api::through(api_url, installations, rates, proxies) {
        Ok(api) => api,
        Err(error) => {
            report.failed(&error);
            return;
        }
    };
    socket(&api, &connection.transport, report).await;
    let Some(team) = known else { return };
    if let Err(failure) = tokens::identify(&api).await {
        report.wrong(
            format!("Slack does not say whose token this is: {failure}"),
            "try it once more",
        );
        return;
    }
    let doctor = Doctor { api: &api, team: &team };
    let here = patient.settings.of(Platform::Slack, &team);
    doctor.channels(here.slack_channels(), report).await;
    doctor.people(&here.lists(Platform::Slack), report).await;
    doctor.samples(patient.clock.now(), report).await;
}

/// Who asks, and in which workspace.
struct Doctor<'a> {
    api: &'a Api,
    team: &'a str,
}

/// Questions whose answers stand in headers.
struct Asked {
    client: reqwest::Client,
    base: String,
}

impl Asked {
    /// Whether Slack can be reached, and whether the clocks agree.
    async fn is_there(&self, clock: &dyn Clock, report: &mut Report) -> bool {
        let question = self.client.post(format!("{}/api.test", self.base));
        doctor::is_there(("Slack", &self.base), question, clock, report).await
    }

    /// The bot's token and what it may do. The workspace, where Slack knows the token.
    async fn token(&self, token: &Secret, in_file: bool, report: &mut Report) -> Option<String> {
        let asked =
            self.client.post(format!("{}/auth.test", self.base)).bearer_auth(token.expose());
        let Ok(response) = asked.send().await else {
            report.wrong("Slack does not answer about the bot's token", "try it once more");
            return None;
        };
        let granted =
            response.headers().get("x-oauth-scopes").and_then(|scopes| scopes.to_str().ok());
        let granted: Option<BTreeSet<String>> =
            granted.map(|scopes| scopes.split(',').map(|scope| scope.trim().to_owned()).collect());
        let answer: Value = response.json().await.unwrap_or_default();
        if answer["ok"] != true {
            let error = answer["error"].as_str().unwrap_or("no answer");
            let then = if in_file {
                "a bot that runs reads it from its file within a minute"
            } else {
                "start the bot again with it"
            };
            report.wrong(
                format!("Slack does not accept the bot's token: `{error}`"),
                format!(
                    "copy it anew from \"OAuth & Permissions\" of the app's settings (reinstalling the app changes it); {then}"
                ),
            );
            return None;
        }
        report.checked("the bot's token");
        match granted {
            Some(granted) => scopes(&granted, report),
            None => report.odd(
                "Slack does not say what the token may do",
                "look at \"OAuth & Permissions\" yourself",
            ),
        }
        let team = answer["team_id"].as_str().unwrap_or_default();
        (!team.is_empty()).then(|| team.to_owned())
    }
}

/// A manifest grants next to nothing until the app is installed once more, and everything looks healthy meanwhile.
fn scopes(granted: &BTreeSet<String>, report: &mut Report) {
    let missing: Vec<&str> =
        BOT_SCOPES.into_iter().filter(|scope| !granted.contains(*scope)).collect();
    if !missing.is_empty() {
        report.wrong(
            format!("the bot's token lacks {}", listed(missing.iter().copied())),
            "add them under \"OAuth & Permissions\" of the app's settings, then press \"Reinstall to Workspace\" there: \
             what a manifest asks for is not granted before",
        );
    }
    report.checked(format!("{} scopes", BOT_SCOPES.len()));
}

/// Whether a socket would be opened.
async fn socket(api: &Api, transport: &SlackTransport, report: &mut Report) {
    let SlackTransport::Socket { app_token, .. } = transport else { return };
    match api.call_with(app_token, Method::AppsConnectionsOpen, json!({})).await {
        Ok(_) => report.checked("the app's token opens sockets"),
        Err(failure) => {
            let error =
                failure.code().map_or_else(|| failure.to_string(), |code| format!("`{code}`"));
            let hint = match failure {
                Failure::Refused { .. } => format!(
                    "the app's token needs the scope `{}` (\"Basic Information\", \"App-Level Tokens\"), and Socket Mode \
                     must be switched on (\"Socket Mode\")",
                    manifest::APP_SCOPE
                ),
                _ => "try it once more".to_owned(),
            };
            report.wrong(format!("no socket can be opened: {error}"), hint);
        }
    }
}
