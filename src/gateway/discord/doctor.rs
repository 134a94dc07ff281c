//! What is missing before the bot can work in Discord, each with what to do about it.
//!
//! [`offline`] reads; [`online`] asks Discord and changes nothing there: what the bot may do is computed from roles and
//! channels, so nothing has to be posted. Every finding names the thing and the page to mend it on: most of what does
//! not work is a role that stands too low.

mod commands;
mod servers;

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use serde_json::Value;
use serenity::model::{Permissions, application::ApplicationFlags};

use super::{
    api::{Api, Failure, Pace},
    manifest,
};
use crate::{
    chat::doctor::{self, ASK_MAX, DoctorContext, Report},
    config::settings::{DiscordConnection, DiscordTransport},
    model::session::Platform,
};

/// Sessions left for today below which something begins one after the other.
const SESSIONS_FEW: u64 = 100;

/// Looks at the configuration alone.
pub(crate) fn offline(patient: &DoctorContext<'_>, report: &mut Report) {
    let Some(connection) = connection(patient) else {
        report.wrong(
            "there is no token, so the bot is not connected",
            "write `token_env` and `application_id` under `[discord]`; `config.example.toml` shows how",
        );
        return;
    };
    token(connection, report);
    transport(connection, report);
    intents(patient, connection, report);
    report.checked(format!(
        "permissions {}, asked for by {}",
        manifest::PERMISSIONS.bits(),
        manifest::invite(&connection.application_id)
    ));
    let seen = "the overview, transcripts";
    doctor::staff(patient, Platform::Discord, ("nobody but administrators", seen), report);
    let mut flows = patient.library.iter();
    if !flows.any(|flow| flow.flow.start.discord.is_some()) {
        report.odd(
            "no flow can be started in Discord",
            "enable one that has `[start.discord]` with `enabled` under `[flows]`",
        );
    }
    report.checked(format!("{} commands", manifest::commands(patient.library).len()));
}

fn connection<'a>(patient: &DoctorContext<'a>) -> Option<&'a DiscordConnection> {
    patient.settings.discord.as_ref()?.connection.as_ref()
}

/// A bot's token is three parts with dots between, the first of which says whose it is.
fn token(connection: &DiscordConnection, report: &mut Report) {
    let token = connection.token.expose();
    let parts: Vec<&str> = token.split('.').collect();
    let owner = match parts.as_slice() {
        [owner, stamp, secret] if !stamp.is_empty() && !secret.is_empty() => {
            STANDARD_NO_PAD.decode(owner).ok().and_then(|id| String::from_utf8(id).ok())
        }
        _ => None,
    };
    let is_id = |id: &String| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    match owner.filter(is_id) {
        None => report.wrong(
            "this is not a bot's token",
            "press \"Reset Token\" on the page \"Bot\" of the developer portal and copy what it shows; the client secret \
             and the public key are other things",
        ),
        Some(owner) if owner != connection.application_id => report.odd(
            format!("the token is that of `{owner}`, and `application_id` is `{}`", connection.application_id),
            "unless the application is older than its bot, copy both anew: the id from \"General Information\", the \
             token from \"Bot\"",
        ),
        Some(_) => {}
    }
    report.checked("the shape of the bot's token, and whose it is");
}

fn transport(connection: &DiscordConnection, report: &mut Report) {
    match &connection.transport {
        DiscordTransport::Gateway { shards: None } => {
            report.checked("the gateway, with as many connections as Discord advises");
        }
        DiscordTransport::Gateway { shards: Some(shards) } => {
            report.checked(format!("the gateway, with {shards} connections"));
        }
        DiscordTransport::Http { listen, .. } => {
            let path = super::connect::PATH;
            report.checked(format!(
                "HTTP: interactions at {path} on `{listen}`, signed for the public key"
            ));
            if connection.message_content || connection.members {
                report.odd(
                    "over HTTP Discord tells neither of messages nor of members",
                    "write `transport = \"gateway\"` under `[discord]`, or take `message_content` and `members` out",
                );
            }
        }
    }
}

/// A privileged intent that was asked for, with its switch and the flags that say that it was granted.
struct Privileged {
    key: &'static str,
    switch: &'static str,
    flags: ApplicationFlags,
}

const MESSAGE_CONTENT: Privileged = Privileged {
    key: "message_content",
    switch: "Message Content Intent",
    flags: ApplicationFlags::GATEWAY_MESSAGE_CONTENT
        .union(ApplicationFlags::GATEWAY_MESSAGE_CONTENT_LIMITED),
};

const MEMBERS: Privileged = Privileged {
    key: "members",
    switch: "Server Members Intent",
    flags: ApplicationFlags::GATEWAY_GUILD_MEMBERS
        .union(ApplicationFlags::GATEWAY_GUILD_MEMBERS_LIMITED),
};

fn privileged(connection: &DiscordConnection) -> impl Iterator<Item = Privileged> {
    let content = connection.message_content.then_some(MESSAGE_CONTENT);
    content.into_iter().chain(connection.members.then_some(MEMBERS))
}

fn intents(patient: &DoctorContext<'_>, connection: &DiscordConnection, report: &mut Report) {
    let switches: Vec<String> =
        privileged(connection).map(|asked| format!("\"{}\"", asked.switch)).collect();
    let needs = if switches.is_empty() {
        "which need no switch".to_owned()
    } else {
        format!("for which {} must be on (portal, page \"Bot\")", switches.join(" and "))
    };
    report.checked(format!("intents {}, {needs}", manifest::intents(connection).bits()));
    if connection.members {
        return;
    }
    for flow in patient.library.iter() {
        if flow.flow.start.discord.as_ref().is_some_and(|start| start.on_join) {
            report.odd(
                format!("`{}` is to begin when somebody joins, and nobody tells the bot who does", flow.flow.id),
                "write `members = true` under `[discord]`, and switch \"Server Members Intent\" on (portal, page \"Bot\")",
            );
        }
    }
}

/// Asks Discord; changes nothing there.
pub async fn online(patient: &DoctorContext<'_>, report: &mut Report) {
    let Some(connection) = connection(patient) else { return };
    let opened = Api::new(&connection.api_base, connection.token.clone(), Pace::default());
    let api = match opened {
        Ok(api) => api,
        Err(error) => return report.failed(&error),
    };
    let question = api.knock().timeout(ASK_MAX);
    if !doctor::is_there(("Discord", api.base()), question, patient.clock, report).await {
        return;
    }
    let Some(me) = known(&api, report).await else { return };
    match api.application().await {
        Ok(application) => {
            whose(&application, connection, report);
            switches(&application, connection, report);
            endpoint(&application, connection, report);
        }
        Err(failure) => unasked("what it knows of the application", &failure, report),
    }
    if let DiscordTransport::Gateway { shards } = connection.transport {
        budget(&api, shards, report).await;
    }
    commands::registered(&api, patient, connection, report).await;
    servers::all(&api, &me, patient, connection, report).await;
}

/// Whether Discord knows the token; the bot's own user.
async fn known(api: &Api, report: &mut Report) -> Option<String> {
    match api.me().await {
        Ok(me) => {
            let name = me["username"].as_str().unwrap_or_default();
            report.checked(format!("the bot's token: it is that of `{name}`"));
            me["id"].as_str().map(str::to_owned)
        }
        Err(Failure::BadToken) => {
            report.wrong(
                "Discord does not accept the bot's token",
                "press \"Reset Token\" on the page \"Bot\" of the developer portal and copy what it shows; an older one \
                 does not work any more then",
            );
            None
        }
        Err(failure) => {
            unasked("whose the token is", &failure, report);
            None
        }
    }
}

fn unasked(what: &str, failure: &Failure, report: &mut Report) {
    report.wrong(format!("Discord does not say {what}: {failure}"), "try it once more");
}

fn whose(application: &Value, connection: &DiscordConnection, report: &mut Report) {
    let id = application["id"].as_str().unwrap_or_default();
    if id != connection.application_id {
        report.wrong(
            format!("the token belongs to the application `{id}`, and `application_id` is `{}`", connection.application_id),
            "copy both from the same application: the id from \"General Information\", the token from \"Bot\"",
        );
    }
    if application["bot_require_code_grant"] == true {
        report.wrong(
            "the application can be added to no server by its address alone",
            "switch \"Requires OAuth2 Code Grant\" off (portal, page \"Bot\")",
        );
    }
    report.checked("the application");
}

/// Without its switch an intent that is asked for ends the connection (4014).
fn switches(application: &Value, connection: &DiscordConnection, report: &mut Report) {
    if matches!(connection.transport, DiscordTransport::Http { .. }) {
        return;
    }
    let granted = application["flags"].as_u64().unwrap_or(0);
    let granted = ApplicationFlags::from_bits_truncate(granted);
    for Privileged { key, switch, flags } in privileged(connection) {
        if !granted.intersects(flags) {
            report.wrong(
                format!("`{key} = true` is not granted: Discord would close the connection"),
                format!("switch \"{switch}\" on (portal, page \"Bot\"), or take `{key}` out"),
            );
        }
    }
    report.checked("the switches of privileged intents");
}

/// Interactions go one way only.
fn endpoint(application: &Value, connection: &DiscordConnection, report: &mut Report) {
    let address = application["interactions_endpoint_url"].as_str().unwrap_or_default();
    match &connection.transport {
        DiscordTransport::Gateway { .. } if !address.is_empty() => report.wrong(
            "presses and commands go to an address, and not over the gateway",
            "empty \"Interactions Endpoint URL\" (portal, page \"General Information\"), or write `transport = \"http\"`",
        ),
        DiscordTransport::Gateway { .. } => {}
        DiscordTransport::Http { public_key, .. } => {
            if address.is_empty() {
                report.wrong(
                    "Discord does not know where presses and commands are to go",
                    "start the bot, then write its address into \"Interactions Endpoint URL\" (portal, page \"General \
                     Information\"): Discord tries it before it takes it",
                );
            }
            let theirs = application["verify_key"].as_str().unwrap_or_default();
            if !theirs.eq_ignore_ascii_case(public_key) {
                report.wrong(
                    "`public_key` is not that of this application",
                    "copy it anew (portal, page \"General Information\")",
                );
            }
        }
    }
    report.checked("which way interactions go");
}

/// A thousand sessions may be begun in a day; beyond that Discord takes the token away.
async fn budget(api: &Api, shards: Option<u32>, report: &mut Report) {
    let said = match api.gateway().await {
        Ok(said) => said,
        Err(failure) => return unasked("where its gateway is", &failure, report),
    };
    let left = said["session_start_limit"]["remaining"].as_u64().unwrap_or(0);
    let total = said["session_start_limit"]["total"].as_u64().unwrap_or(0);
    if left < SESSIONS_FEW {
        let message = format!("only {left} of {total} sessions may still be begun today");
        let hint = "look into the log for what ends them; at none Discord takes the token away";
        if left == 0 { report.wrong(message, hint) } else { report.odd(message, hint) }
    }
    let advised = said["shards"].as_u64().unwrap_or(1);
    if let Some(shards) = shards.filter(|shards| u64::from(*shards) < advised) {
        report.odd(
            format!("Discord advises {advised} connections, and `shards` is {shards}"),
            "take `shards` out under `[discord]`; it then follows the advice",
        );
    }
    report.checked(format!("sessions that may be begun today: {left} of {total}"));
}

/// Permissions as people read them: `Manage Threads`.
fn named(permissions: Permissions) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{first}{}", rest.to_lowercase())
    };
    let words = |name: &str| name.split('_').map(capital).collect::<Vec<_>>().join(" ");
    let names = permissions.iter_names().map(|(name, _)| format!("\"{}\"", words(name)));
    names.collect::<Vec<_>>().join(", ")
}
