//! What the configuration says about Slack.

use anteroom::config::{
    Environment, Settings, SlackRates, render,
    settings::{SlackConnection, SlackTokens, SlackTransport},
};

use super::EXAMPLE;

const KEY: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

fn environment() -> Environment {
    Environment::from([
        ("ANTEROOM_DATA_DIR", "/tmp"),
        ("SLACK_BOT_TOKEN", "xoxb-1-secret"),
        ("SLACK_APP_TOKEN", "xapp-1-secret"),
        ("SLACK_USER_TOKEN", "xoxp-1-secret"),
        ("SLACK_SIGNING_SECRET", "8f742231b10e8888abcd99yyyzzz85a5"),
        ("SLACK_CLIENT_SECRET", "client-secret"),
        ("SLACK_TOKENS_KEY", KEY),
        ("SHORT_KEY", "c2hvcnQ="),
        ("ODD", "xoxb-with a blank"),
    ])
}

fn parsed(text: &str) -> Settings {
    Settings::parse("config.toml", text, &environment())
        .unwrap_or_else(|problems| panic!("{}", render(&problems)))
}

fn connection(text: &str) -> SlackConnection {
    parsed(text).slack.unwrap().connection.unwrap()
}

fn said(text: &str) -> String {
    match Settings::parse("config.toml", text, &environment()) {
        Ok(_) => String::new(),
        Err(problems) => render(&problems),
    }
}

#[test]
fn channels_alone_connect_nothing() {
    let slack = parsed("[slack.channels]\ndesk = \"C01\"\n").slack.unwrap();
    assert_eq!(slack.channels["desk"], "C01");
    assert_eq!(slack.connection, None);
    assert!(parsed("[slack]\ncommand = \"/hello\"\n").slack.unwrap().connection.is_none());
    assert!(parsed("").slack.is_none());
}

#[test]
fn a_token_of_each_kind_is_enough_for_sockets() {
    let found = connection(
        "[slack]\nbot_token_env = \"SLACK_BOT_TOKEN\"\napp_token_env = \"SLACK_APP_TOKEN\"\n",
    );
    let SlackTransport::Socket { app_token, sockets } = &found.transport else {
        panic!("{found:?}")
    };
    assert_eq!((app_token.expose(), *sockets), ("xapp-1-secret", 2));
    let SlackTokens::One { bot_token, .. } = &found.tokens else { panic!("{found:?}") };
    assert_eq!(bot_token.expose(), "xoxb-1-secret");
    assert_eq!(found.api_url, "https://slack.com/api");
    assert_eq!(found.command, "/onboard");
    assert!(!format!("{found:?}").contains("secret"), "{found:?}");
}

#[test]
fn over_http_a_workspace_may_install_the_app_itself() {
    let found = connection(
        r#"
[slack]
transport = "http"
signing_secret_env = "SLACK_SIGNING_SECRET"
listen = "0.0.0.0:8080"
staff_users = ["U01", "W02"]
staff_groups = ["S01"]
api_url = "http://127.0.0.1:9/api/"

[slack.oauth]
client_id = "1.2"
client_secret_env = "SLACK_CLIENT_SECRET"
redirect_url = "https://bot.example.org/slack/oauth"
tokens_key_env = "SLACK_TOKENS_KEY"

[slack.rates]
posts_per_channel = 6000
"#,
    );
    assert!(matches!(found.transport, SlackTransport::Http { .. }), "{found:?}");
    assert_eq!(found.listen.port(), 8080);
    assert_eq!(found.api_url, "http://127.0.0.1:9/api");
    assert_eq!(found.rates, SlackRates { posts_per_channel: 6000, ..SlackRates::default() });
    assert!(found.staff_users.contains("W02") && found.staff_groups.contains("S01"));
    let SlackTokens::Many(oauth) = &found.tokens else { panic!("{found:?}") };
    assert_eq!(oauth.tokens_key.expose(), KEY);
    let printed = format!("{found:?}");
    assert!(!printed.contains("secret\"") && !printed.contains(KEY), "{printed}");
}

#[test]
fn the_environment_names_another_web_api() {
    let text = "[slack]\nbot_token_env = \"T\"\napp_token_env = \"A\"\napi_url = \"https://one.example.org\"\n";
    let with = |url| {
        let environment = [("T", "xoxe.xoxb-1"), ("A", "xapp-1"), ("SLACK_API_URL", url)];
        Settings::parse("config.toml", text, &Environment::from(environment))
    };
    let settings = with("http://localhost:4010/api/").unwrap();
    assert_eq!(settings.slack.unwrap().connection.unwrap().api_url, "http://localhost:4010/api");
    let problems = with("http://slack.example.org/api").unwrap_err();
    insta::assert_snapshot!(render(&problems), @"config.toml:1:2: `http://slack.example.org/api` would send tokens and what people write unencrypted. hint: use an address that begins with `https://` or `http://127.0.0.1`");
}

#[test]
fn mistakes_about_slack_are_told_at_once() {
    insta::assert_snapshot!(said(
        r#"
[slack]
transport = "sockets"
bot_token = "xoxb-in-the-file"
sockets = 11
"#
    ), @r"
    config.toml:3:1: `sockets` is not one of `socket`, `http`. hint: did you mean `socket`?
    config.toml:4:1: unknown key `bot_token`. hint: did you mean `bot_token_env`?
    config.toml:5:1: must be 10 or less
    ");
    insta::assert_snapshot!(said(
        r#"
[slack]
bot_token_env = "SLACK_USER_TOKEN"
app_token_env = "SLACK_BOT_TOKEN"
app_token_file = "/run/secrets/app"
listen = "3000"
command = "/On Board"
staff_users = ["U01", "@ada"]
staff_groups = ["recruiters"]
api_url = "http://slack.example.org/api"
"#
    ), @r"
    config.toml:3:1: this is not a token of the bot. hint: a token of the bot begins with `xoxb-`
    config.toml:5:1: set either `app_token_env` or `app_token_file`, not both
    config.toml:6:1: `3000` is not an IP address with a port. hint: for example, `127.0.0.1:4747`
    config.toml:7:1: `/On Board` is not a slash command. hint: use a slash and up to 31 lower-case letters, digits, `-` or `_`
    config.toml:8:23: `@ada` is not an id. hint: copy the id, not the name: `U0123456789`
    config.toml:9:17: `recruiters` is not an id. hint: copy the id, not the name: `S0123456789`
    config.toml:10:1: `http://slack.example.org/api` would send tokens and what people write unencrypted. hint: use an address that begins with `https://` or `http://127.0.0.1`
    ");
    insta::assert_snapshot!(said("[slack]\nbot_token_env = \"ODD\"\n"), @r#"
    config.toml:1:2: `socket` needs an app-level token. hint: set `app_token_env` or `app_token_file`; create a token with the scope `connections:write` under "Basic Information" in the app's settings
    config.toml:2:1: this token contains invalid characters
    "#);
    insta::assert_snapshot!(said("[slack]\napp_token_env = \"SLACK_APP_TOKEN\"\n"), @"config.toml:1:2: Slack needs a bot token. hint: set `bot_token_env` or `bot_token_file`, or add `[slack.oauth]`");
    insta::assert_snapshot!(said(
        "[slack]\ntransport = \"http\"\nbot_token_env = \"SLACK_BOT_TOKEN\"\n"
    ), @r#"config.toml:2:1: `http` needs the signing secret. hint: set `signing_secret_env` or `signing_secret_file`; it is under "Basic Information" in the app's settings"#);
}

#[test]
fn mistakes_about_installing_are_told_at_once() {
    insta::assert_snapshot!(said(
        r#"
[slack]
transport = "http"
signing_secret_env = "SLACK_SIGNING_SECRET"
bot_token_env = "SLACK_BOT_TOKEN"
oauth = { client_id = "1", client_secret_env = "SLACK_CLIENT_SECRET", redirect_url = "https://b.example.org", tokens_key_env = "SLACK_TOKENS_KEY" }
"#
    ), @"config.toml:6:1: set either a bot token or `oauth`, not both. hint: a bot token serves one workspace; with `oauth`, any number of workspaces install the app");
    insta::assert_snapshot!(said(
        r#"
[slack]
transport = "http"
signing_secret_env = "SLACK_SIGNING_SECRET"

[slack.oauth]
client_id = "1"
redirect_url = "http://me:secret@bot.example.org"
tokens_key_env = "SHORT_KEY"
"#
    ), @r"
    config.toml:6:8: `oauth` needs the app's client secret. hint: set `client_secret_env` or `client_secret_file`
    config.toml:6:8: the key to encrypt tokens is invalid. hint: use 32 bytes in base64, for example from `openssl rand -base64 32`
    config.toml:8:1: `bot.example.org` can't be used as a redirect URL. hint: use an address that begins with `https://` and ends with `/slack/oauth`
    ");
}

#[test]
fn what_the_example_says_of_slack_holds() {
    // Its lines are comments; as they stand they are a configuration that says nothing but the defaults.
    let begin = EXAMPLE.find("# [slack]").unwrap();
    let lines: Vec<&str> = EXAMPLE[begin..]
        .split("\n\n")
        .next()
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| line.starts_with('[') || line.contains(" = "))
        .collect();
    let oauth = lines.iter().position(|line| *line == "[slack.oauth]").unwrap();
    let rates = lines.iter().position(|line| *line == "[slack.rates]").unwrap();
    let written = connection(&[&lines[..oauth], &lines[rates..]].concat().join("\n"));
    let bare = connection(
        "[slack]\nbot_token_env = \"SLACK_BOT_TOKEN\"\napp_token_env = \"SLACK_APP_TOKEN\"\n",
    );
    assert_eq!(written, bare);
    let many = ["[slack]", "app_token_env = \"SLACK_APP_TOKEN\""];
    let many = connection(&[&many, &lines[oauth..rates]].concat().join("\n"));
    assert!(matches!(many.tokens, SlackTokens::Many(_)), "{many:?}");
}
