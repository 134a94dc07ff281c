//! `anteroom doctor discord`: what is missing is named, with the page to mend it on.

use std::{path::Path, process::Stdio};

use anteroom::gateway::discord::manifest;
use serde_json::json;
use tokio::process::Command;

use crate::discord::{
    bot::{DESK, WELCOME, configuration, furnish, role},
    emulator::{
        Discord,
        acts::public_key,
        faults::Fault,
        state::{BOT, GUILD, TOKEN, may},
    },
};

/// What the program says to the operator, and how it ends.
struct Said {
    code: i32,
    out: String,
    err: String,
}

async fn doctor(dir: &Path, config: &str, token: &str, args: &[&str]) -> Said {
    std::fs::write(dir.join("config.toml"), config).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_anteroom"))
        .args(["doctor", "discord"])
        .args(args)
        .env_clear()
        .env("HOME", dir)
        .env("TOKEN", token)
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap().replace(&*dir.to_string_lossy(), "DIR");
    Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

fn token() -> &'static str {
    TOKEN.strip_prefix("Bot ").unwrap()
}

/// A server to which the bot was added by the address of the manifest, with the switches on and its role dragged up.
async fn well() -> Discord {
    let discord = Discord::start().await;
    discord.with(furnish);
    discord.with(|state| {
        let guild = state.guilds.get_mut(&GUILD).unwrap();
        guild.roles.get_mut(&501).unwrap().permissions = manifest::PERMISSIONS.bits();
        guild.roles.get_mut(&role(9)).unwrap().is_mentionable = true;
        state.portal["flags"] = json!(1 << 15);
    });
    discord
}

const FLOWS: &str = "enabled = [\"community-welcome\"]";

fn config(discord: &Discord, dir: &Path, more: &str) -> String {
    configuration(discord, dir, FLOWS, more)
}

/// The commands as Discord lists them once they are registered.
fn register(discord: &Discord, config: &Path) {
    use anteroom::{config::Settings, flow::Library};
    let environment = anteroom::config::Environment::from([("TOKEN", token())]);
    let settings = Settings::load(config, &environment).unwrap();
    let flows = &settings.flows;
    let library = Library::load(None, &flows.enabled, &settings.vars).unwrap();
    let mut commands = manifest::commands(&library);
    for command in &mut commands {
        command["id"] = "1".into();
        command.as_object_mut().unwrap().remove("name_localizations");
    }
    discord.with(|state| state.commands = commands);
}

#[tokio::test]
async fn a_server_that_was_set_up_as_the_readme_says_lacks_nothing() {
    let (discord, dir) = (well().await, tempfile::tempdir().unwrap());
    let config = config(&discord, dir.path(), "");
    std::fs::write(dir.path().join("config.toml"), &config).unwrap();
    register(&discord, &dir.path().join("config.toml"));
    let said = doctor(dir.path(), &config, token(), &["--online"]).await;
    insta::assert_snapshot!(said.err, @"");
    insta::assert_snapshot!(said.out, @r#"
    checked: configuration
    checked: flows (1), their aliases and retention
    checked: data directory `DIR/data`
    checked: the shape of the bot's token, and whose it is
    checked: the gateway, with as many connections as Discord advises
    checked: intents 4615, for which "Server Members Intent" must be on (portal, page "Bot")
    checked: permissions 395405544448, asked for by https://discord.com/oauth2/authorize?client_id=1300000000000000001&permissions=395405544448&scope=bot+applications.commands
    checked: who is staff and who decides
    checked: 8 commands
    checked: Discord can be reached, and the clocks agree
    checked: the bot's token: it is that of `anteroom`
    checked: the application
    checked: the switches of privileged intents
    checked: which way interactions go
    checked: sessions that may be begun today: 1000 of 1000
    checked: registered commands (8 of 8)
    checked: servers: `The server`
    checked: permissions in each server (1)
    checked: what the bot may do in each channel (7)
    checked: the bot's own role stands above each role that flows give (8)
    checked: users (1) and roles (1) of the configuration
    checked: no model configured; flows run from their scripts
    Discord: no problems found.
    "#);
    assert_eq!(said.code, 0);
    // Nothing was changed, and the token is told to nobody.
    let asked = discord.with(|state| state.requests.clone());
    assert!(asked.iter().all(|asked| asked.method == "GET"), "{asked:?}");
    assert!(!said.out.contains("secret") && !said.err.contains("secret"));
    // Without `--online` nobody is asked.
    let said = doctor(dir.path(), &config, token(), &["--json"]).await;
    let told: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &told["ok"]), (0, &true.into()), "{told}");
    assert_eq!(discord.with(|state| state.requests.len()), asked.len());
}

#[tokio::test]
async fn a_role_that_cannot_be_mentioned_is_named() {
    let (discord, dir) = (well().await, tempfile::tempdir().unwrap());
    discord.with(|state| {
        let guild = state.guilds.get_mut(&GUILD).unwrap();
        guild.roles.get_mut(&role(9)).unwrap().is_mentionable = false;
    });
    let config = config(&discord, dir.path(), "");
    std::fs::write(dir.path().join("config.toml"), &config).unwrap();
    register(&discord, &dir.path().join("config.toml"));
    let said = doctor(dir.path(), &config, token(), &["--online"]).await;
    insta::assert_snapshot!(said.err, @r#"discord: warning: channel `staff_approvals` (1100000000000000003): nobody of `Moderators` is notified of a new request, for the bot may not mention that role. hint: switch "Allow anyone to @mention this role" on for `Moderators`, or allow the role `Anteroom` to mention all roles: Edit Channel, "Permissions""#);
    assert_eq!(said.code, 0);
    discord.with(|state| {
        let channel = state.channels.get_mut(&crate::discord::bot::APPROVALS).unwrap();
        channel.overwrites.insert(501, (may::VIEW | may::MENTION_EVERYONE, 0));
    });
    let said = doctor(dir.path(), &config, token(), &["--online"]).await;
    assert_eq!(said.err, "");
}

#[tokio::test]
async fn what_a_server_took_away_is_named_with_the_page_to_mend_it_on() {
    let (discord, dir) = (well().await, tempfile::tempdir().unwrap());
    let config = config(&discord, dir.path(), "message_content = true");
    discord.with(|state| {
        let guild = state.guilds.get_mut(&GUILD).unwrap();
        guild.roles.get_mut(&501).unwrap().permissions &= !may::MANAGE_THREADS;
        guild.roles.get_mut(&role(2)).unwrap().position = 6;
        guild.roles.remove(&role(3));
        guild.roles.remove(&role(9));
        guild.members.remove(&crate::discord::bot::LINUS);
        state.channels.get_mut(&DESK).unwrap().overwrites.remove(&501);
        state.channels.remove(&crate::discord::bot::APPROVALS);
        let welcome = state.channels.get_mut(&WELCOME).unwrap();
        welcome.overwrites.insert(GUILD, (0, may::VIEW));
        welcome.overwrites.insert(BOT, (may::VIEW, may::CREATE_PRIVATE_THREADS));
        state.channels.get_mut(&crate::discord::bot::INTRODUCTIONS).unwrap().kind = 2;
        state.commands = vec![json!({ "name": "onboard", "type": 1 }), json!({ "name": "ping" })];
        state.gateway.remaining = 3;
        state.gateway.shards = 2;
        state.portal["interactions_endpoint_url"] = "https://bot.example.org".into();
    });
    let config = config.replace("members = true", "members = true\nshards = 1");
    let said = doctor(dir.path(), &config, token(), &["--online"]).await;
    insta::assert_snapshot!(said.err, @r#"
    discord: `message_content = true` is not granted: Discord would close the connection. hint: switch "Message Content Intent" on (portal, page "Bot"), or take `message_content` out
    discord: presses and commands go to an address, and not over the gateway. hint: empty "Interactions Endpoint URL" (portal, page "General Information"), or write `transport = "http"`
    discord: warning: only 3 of 1000 sessions may still be begun today. hint: look into the log for what ends them; at none Discord takes the token away
    discord: warning: Discord advises 2 connections, and `shards` is 1. hint: take `shards` out under `[discord]`; it then follows the advice
    discord: warning: commands are not registered yet: `override`, `privacy`, `review`, `staff`, `upload`, `Review onboarding`, `Use as answer`. hint: `anteroom run` registers them; where it runs, look into its log for what Discord refused
    discord: warning: commands are registered as they were before: `onboard`. hint: `anteroom run` registers them; where it runs, look into its log for what Discord refused
    discord: warning: commands are registered that are not the bot's: `ping`. hint: the bot's next start takes them away; another program may use the same application
    discord: warning: in `The server` the bot lacks "Manage Threads". hint: switch them on for its role `Anteroom` (Server Settings, "Roles"), unless each channel allows them
    discord: channel `introductions` (1100000000000000002): it is no text channel. hint: make an ordinary text channel, and copy its id ("Copy Channel ID")
    discord: channel `recruiting_approvals` (1100000000000000003): there is no such channel. hint: copy the id from the channel's menu ("Copy Channel ID", with Developer Mode on)
    discord: channel `recruiting_desk` (1100000000000000004): the bot does not see it. hint: let the bot's role see it: Edit Channel, "Permissions"; or it is in a server that the bot is not in
    discord: channel `staff_approvals` (1100000000000000003): there is no such channel. hint: copy the id from the channel's menu ("Copy Channel ID", with Developer Mode on)
    discord: channel `staff_desk` (1100000000000000004): the bot does not see it. hint: let the bot's role see it: Edit Channel, "Permissions"; or it is in a server that the bot is not in
    discord: channel `welcome` (1100000000000000001): the bot lacks "Manage Threads", "Create Private Threads". hint: allow it to the role `Anteroom`: Edit Channel, "Permissions"
    discord: warning: channel `welcome` (1100000000000000001): not everybody sees it, and so not their thread under it either. hint: let `@everyone` see it, or the role with which people come: Edit Channel, "Permissions"
    discord: role `contributor` (Contributor): the bot's own role `Anteroom` does not stand above it. hint: drag `Anteroom` above `Contributor`: Server Settings, "Roles"
    discord: role `learner` (1200000000000000003): there is no such role in a server of the bot's. hint: copy the id from Server Settings, "Roles" ("Copy Role ID", with Developer Mode on)
    discord: roles that decide or are staff are in no server of the bot's: `1200000000000000009`. hint: copy the id from Server Settings, "Roles" ("Copy Role ID", with Developer Mode on)
    discord: user `1400000000000000703` is in no server of the bot's. hint: copy the id from the person's menu ("Copy User ID", with Developer Mode on), or take it out
    "#);
    assert_eq!(said.code, 1);
}

#[tokio::test]
async fn a_bot_that_was_added_nowhere_gets_the_address_that_adds_it() {
    let (discord, dir) = (well().await, tempfile::tempdir().unwrap());
    discord.with(|state| {
        state.guilds.get_mut(&GUILD).unwrap().members.remove(&BOT);
        state.portal = json!({ "bot_require_code_grant": true });
        state.gateway.remaining = 0;
    });
    let said = doctor(dir.path(), &config(&discord, dir.path(), ""), token(), &["--online"]).await;
    insta::assert_snapshot!(said.err, @r#"
    discord: the application can be added to no server by its address alone. hint: switch "Requires OAuth2 Code Grant" off (portal, page "Bot")
    discord: `members = true` is not granted: Discord would close the connection. hint: switch "Server Members Intent" on (portal, page "Bot"), or take `members` out
    discord: only 0 of 1000 sessions may still be begun today. hint: look into the log for what ends them; at none Discord takes the token away
    discord: warning: commands are not registered yet: `onboard`, `override`, `privacy`, `review`, `staff`, `upload`, `Review onboarding`, `Use as answer`. hint: `anteroom run` registers them; where it runs, look into its log for what Discord refused
    discord: the bot is in no server. hint: add it to yours with https://discord.com/oauth2/authorize?client_id=1300000000000000001&permissions=395405544448&scope=bot+applications.commands
    "#);
    assert_eq!(said.code, 1);
}

#[tokio::test]
async fn what_can_be_seen_without_discord() {
    let (discord, dir) = (well().await, tempfile::tempdir().unwrap());
    let whole = config(&discord, dir.path(), "");
    let bare: String = whole
        .lines()
        .filter(|line| !line.contains("token_env") && !line.contains("application_id"))
        .filter(|line| !line.contains("staff_desk ="))
        .flat_map(|line| [line, "\n"])
        .collect();
    let said = doctor(dir.path(), &bare, token(), &[]).await;
    insta::assert_snapshot!(said.err, @"
    flow `community-welcome`:81:1: the alias `staff_desk` is not configured. hint: add `staff_desk = …` under `[discord.channels]` in the configuration; or did you mean `staff_approvals`?
    discord: there is no token, so the bot is not connected. hint: write `token_env` and `application_id` under `[discord]`; `config.example.toml` shows how
    ");
    assert_eq!(said.code, 1);
    let nobody = format!("staff_users = [\"{}\"]", crate::discord::bot::LINUS);
    let odd = whole
        .replace(&nobody, "")
        .replace("staff_approvals = { discord_roles", "other = { web_users");
    let said = doctor(dir.path(), &odd, "MTMwMDAwMDAwMDAwMDAwMDAwMg.stamp.secret", &[]).await;
    insta::assert_snapshot!(said.err, @r#"
    flow `community-welcome`:74:1: the alias `staff_approvals` is not configured. hint: add `staff_approvals = …` under `[approvers]` in the configuration
    flow `community-welcome`:259:3: the alias `staff_approvals` is not configured. hint: add `staff_approvals = …` under `[approvers]` in the configuration
    discord: warning: the token is that of `1300000000000000002`, and `application_id` is `1300000000000000001`. hint: unless the application is older than its bot, copy both anew: the id from "General Information", the token from "Bot"
    discord: warning: nobody but administrators sees what staff see in Discord: the overview, transcripts. hint: write `staff_users` or `staff_roles` under `[discord]`
    discord: warning: nobody can decide in Discord. hint: write `discord_users` or `discord_roles` under `[approvers]`
    "#);
    let said = doctor(dir.path(), &whole, "0123456789abcdef0123456789abcdef", &[]).await;
    insta::assert_snapshot!(said.err, @r#"discord: this is not a bot's token. hint: press "Reset Token" on the page "Bot" of the developer portal and copy what it shows; the client secret and the public key are other things"#);
    assert_eq!(said.code, 1);
}

#[tokio::test]
async fn over_http_the_key_and_the_address_must_be_those_of_the_application() {
    let (discord, dir) = (well().await, tempfile::tempdir().unwrap());
    let key = public_key();
    let http = |key: &str| {
        format!("transport = \"http\"\nlisten = \"127.0.0.1:0\"\npublic_key = \"{key}\"")
    };
    discord.with(|state| state.portal["verify_key"] = key.clone().into());
    let wrong = config(&discord, dir.path(), &http(&"ab".repeat(32)));
    let said = doctor(dir.path(), &wrong, token(), &["--online"]).await;
    insta::assert_snapshot!(said.err, @r#"
    discord: warning: over HTTP Discord tells neither of messages nor of members. hint: write `transport = "gateway"` under `[discord]`, or take `message_content` and `members` out
    discord: Discord does not know where presses and commands are to go. hint: start the bot, then write its address into "Interactions Endpoint URL" (portal, page "General Information"): Discord tries it before it takes it
    discord: `public_key` is not that of this application. hint: copy it anew (portal, page "General Information")
    discord: warning: commands are not registered yet: `onboard`, `override`, `privacy`, `review`, `staff`, `upload`, `Review onboarding`, `Use as answer`. hint: `anteroom run` registers them; where it runs, look into its log for what Discord refused
    "#);
    assert_eq!(said.code, 1);
    let address = "https://bot.example.org/discord/interactions";
    discord.with(|state| state.portal["interactions_endpoint_url"] = address.into());
    let right = config(&discord, dir.path(), &http(&key)).replace("members = true", "");
    let said = doctor(dir.path(), &right, token(), &["--online"]).await;
    assert_eq!(said.code, 0, "{}", said.err);
}

#[tokio::test]
async fn a_discord_that_cannot_be_reached_or_refuses() {
    let (discord, dir) = (well().await, tempfile::tempdir().unwrap());
    let config = config(&discord, dir.path(), "");
    let said =
        doctor(dir.path(), &config, "MTMwMDAwMDAwMDAwMDAwMDAwMQ.old.secret", &["--online"]).await;
    insta::assert_snapshot!(said.err, @r#"discord: Discord does not accept the bot's token. hint: press "Reset Token" on the page "Bot" of the developer portal and copy what it shows; an older one does not work any more then"#);
    discord.with(|state| state.faults.plan("GET /applications/@me", 3, Fault::Says(500, 0)));
    discord.with(|state| state.faults.plan("GET /channels/{channel}", 7, Fault::Says(403, 20_001)));
    let said = doctor(dir.path(), &config, token(), &["--online"]).await;
    insta::assert_snapshot!(said.err, @"
    discord: Discord does not say what it knows of the application: no clear answer from Discord: status 500 Internal Server Error. hint: try it once more
    discord: warning: commands are not registered yet: `onboard`, `override`, `privacy`, `review`, `staff`, `upload`, `Review onboarding`, `Use as answer`. hint: `anteroom run` registers them; where it runs, look into its log for what Discord refused
    discord: channel `introductions` (1100000000000000002): Discord refused: code 20001 (status 403). hint: try it once more
    discord: channel `onboarding` (1100000000000000005): Discord refused: code 20001 (status 403). hint: try it once more
    discord: channel `recruiting_approvals` (1100000000000000003): Discord refused: code 20001 (status 403). hint: try it once more
    discord: channel `recruiting_desk` (1100000000000000004): Discord refused: code 20001 (status 403). hint: try it once more
    discord: channel `staff_approvals` (1100000000000000003): Discord refused: code 20001 (status 403). hint: try it once more
    discord: channel `staff_desk` (1100000000000000004): Discord refused: code 20001 (status 403). hint: try it once more
    discord: channel `welcome` (1100000000000000001): Discord refused: code 20001 (status 403). hint: try it once more
    ");
    let nowhere = config.replace(&discord.base, "http://127.0.0.1:9/api/v10");
    let said = doctor(dir.path(), &nowhere, token(), &["--online"]).await;
    insta::assert_snapshot!(said.err, @"discord: Discord cannot be reached: no connection. hint: this machine must reach `http://127.0.0.1:9/api/v10` over HTTPS; look at firewall and proxy");
    assert_eq!(said.code, 1);
}
