//! What the configuration says about Discord.

use anteroom::config::{
    Environment, Settings, render,
    settings::{DiscordConnection, DiscordTransport},
};

use super::EXAMPLE;

const KEY: &str = "d5b1c0a8e3f24796a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718";

fn parsed(text: &str) -> Result<Settings, String> {
    let environment = Environment::from([
        ("ANTEROOM_DATA_DIR", "/tmp"),
        ("DISCORD_TOKEN", "MTAx.Gx.secret"),
        ("WITH_BOT", "Bot MTAx.Gx.secret"),
        ("ODD", "with a blank"),
    ]);
    Settings::parse("config.toml", text, &environment).map_err(|problems| render(&problems))
}

fn connection(text: &str) -> DiscordConnection {
    parsed(text).unwrap().discord.unwrap().connection.unwrap()
}

fn said(text: &str) -> String {
    parsed(text).err().unwrap_or_default()
}

const GATEWAY: &str =
    "[discord]\ntoken_env = \"DISCORD_TOKEN\"\napplication_id = \"1300000000000000001\"\n";

#[test]
fn channels_alone_connect_nothing() {
    let discord = parsed("[discord.channels]\nwelcome = \"1100000000000000001\"\n").unwrap();
    let discord = discord.discord.unwrap();
    assert_eq!(discord.channels["welcome"], "1100000000000000001");
    assert_eq!(discord.connection, None);
    assert!(parsed("").unwrap().discord.is_none());
}

#[test]
fn a_token_and_an_id_are_enough() {
    let found = connection(GATEWAY);
    assert_eq!(found.token.expose(), "MTAx.Gx.secret");
    assert_eq!(found.transport, DiscordTransport::Gateway { shards: None });
    assert_eq!(found.api_base, "https://discord.com/api/v10");
    assert!(!found.message_content && !found.members);
    assert!(!format!("{found:?}").contains("secret"), "{found:?}");
    let http = format!("{GATEWAY}transport = \"http\"\npublic_key = \"{KEY}\"\n");
    let found = connection(&http);
    let DiscordTransport::Http { listen, public_key } = &found.transport else { panic!() };
    assert_eq!((listen.port(), public_key.as_str()), (3001, KEY));
}

#[test]
fn the_token_goes_to_discord_or_to_this_machine() {
    let with = |url: &str| parsed(&format!("{GATEWAY}api_base = \"{url}\"\n"));
    let here = with("http://127.0.0.1:8790/api/v10/").unwrap();
    assert_eq!(here.discord.unwrap().connection.unwrap().api_base, "http://127.0.0.1:8790/api/v10");
    assert!(with("https://discord.com/api/v10").is_ok());
    for elsewhere in [
        "https://discord.example.org/api/v10",
        "http://discord.com/api/v10",
        "https://127.0.0.1.example.org",
        "http://me:secret@127.0.0.1/api",
        "nowhere",
    ] {
        let said = with(elsewhere).unwrap_err();
        assert!(
            said.contains("neither Discord's API nor an address on this machine")
                && !said.contains("secret"),
            "{said}"
        );
    }
}

#[test]
fn mistakes_about_discord_are_told_at_once() {
    insta::assert_snapshot!(said(
        r#"
[discord]
token = "in-the-file"
transport = "sockets"
shards = 0
"#
    ), @r"
    config.toml:3:1: unknown key `token`. hint: did you mean `token_env`?
    config.toml:4:1: `sockets` is not one of `gateway`, `http`
    config.toml:5:1: must be 1 or more
    ");
    insta::assert_snapshot!(said(
        r#"
[discord]
token_env = "WITH_BOT"
application_id = "anteroom"
transport = "http"
public_key = "abc"
listen = "3001"
staff_users = ["ada"]
staff_roles = ["1200000000000000009", "moderators"]

[discord.channels]
welcome = "welcome"
"#
    ), @r"
    config.toml:3:1: the token begins with `Bot `. hint: leave out `Bot `; it is added automatically
    config.toml:4:1: `anteroom` is not an id. hint: copy the id, not the name: 17 to 20 digits
    config.toml:6:1: this is not a valid public key. hint: copy it from the developer portal, under General Information: 64 hexadecimal digits
    config.toml:7:1: `3001` is not an IP address with a port. hint: for example, `127.0.0.1:4747`
    config.toml:8:16: `ada` is not an id. hint: copy the id, not the name: 17 to 20 digits
    config.toml:9:39: `moderators` is not an id. hint: copy the id, not the name: 17 to 20 digits
    config.toml:12:1: `welcome` is not an id. hint: copy the id, not the name: 17 to 20 digits
    ");
    insta::assert_snapshot!(said("[discord]\ntoken_env = \"ODD\"\ntransport = \"http\"\n"), @r"
    config.toml:1:2: Discord needs the application id. hint: set `application_id`; it is in the developer portal, under General Information
    config.toml:2:1: this token contains invalid characters
    config.toml:3:1: `http` needs the application's public key. hint: set `public_key`: copy it from the developer portal, under General Information: 64 hexadecimal digits
    ");
    insta::assert_snapshot!(said("[discord]\napplication_id = \"1300000000000000001\"\n"), @"config.toml:1:2: Discord needs the bot token. hint: set `token_env` or `token_file`; the token is in the developer portal, under Bot");
}

#[test]
fn what_the_example_says_of_discord_holds() {
    // Its lines are comments; as they stand they are a configuration that says nothing but the defaults.
    let begin = EXAMPLE.find("# [discord]").unwrap();
    let lines = EXAMPLE[begin..].split("\n\n").next().unwrap().lines();
    let lines = lines.filter_map(|line| line.strip_prefix("# "));
    let lines: Vec<&str> =
        lines.filter(|line| line.starts_with('[') || line.contains(" = ")).collect();
    let written = connection(&lines.join("\n"));
    let bare = connection(&format!("{GATEWAY}shards = 1\nrequests_per_second = 50\n"));
    assert_eq!(written, bare);
}
