//! The configuration: what it says, what the environment changes, and what is said about mistakes.

use std::collections::BTreeSet;

use anteroom::{
    config::{Environment, LogFormat, Settings, render},
    model::session::PersonId,
};

use super::{EXAMPLE, example};

fn said(text: &str) -> String {
    match Settings::parse("config.toml", text, &Environment::default()) {
        Ok(_) => String::new(),
        Err(problems) => render(&problems),
    }
}

#[test]
fn the_example_says_what_holds_without_it() {
    let example = example();
    let without = Settings::playground(example.data_dir.clone());
    assert_eq!(example.web, without.web);
    assert_eq!(example.vars, without.vars);
    assert_eq!(example.contacts, without.contacts);
    assert_eq!(example.flows, without.flows);
    assert_eq!(example.uploads, without.uploads);
    assert_eq!(example.log, without.log);
    assert_eq!(example.limits, without.limits);
}

#[test]
fn every_mistake_in_the_configuration_is_told_at_once() {
    insta::assert_snapshot!(said(
        r#"
[web]
lissten = "127.0.0.1:4747"
listen = "localhost"
allow_remote = "yes"

[discord.role]
member = "1"

[contacts]
sources = ["profile", "vcards"]

[limits]
outbox_workers = 0
"#
    ), @"
    config.toml:3:1: unknown key `lissten`. hint: did you mean `listen`?
    config.toml:5:1: `true` or `false` is needed here, not text
    config.toml:7:10: unknown key `role`. hint: did you mean `roles`?
    config.toml:11:23: `vcards` is not one of `macos`, `vcard`, `profile`, `directory`. hint: did you mean `vcard`?
    config.toml:14:1: this must be 1 or more
    ");
}

#[test]
fn what_a_schema_cannot_say_is_told_at_once_too() {
    insta::assert_snapshot!(said(
        r##"
[web]
listen = "0.0.0.0"

[slack.channels]
desk = "#recruiting"

[discord.roles]
member = "Member"

[webhooks]
ats = { url = "http://ats.example.org", secret_env = "ATS" }
near = { url = "http://127.0.0.1.example.org/" }

[contacts]
sources = ["macos", "directory"]
macos = { owner = "ada@example.org", via = "contacts" }
"##
    ), @r#"
    config.toml:3:1: `0.0.0.0` is not an address with a port. hint: write for example `127.0.0.1:4747`
    config.toml:6:1: `#recruiting` is not an id. hint: copy the id, not the name: `C0123456789` on Slack, 17 to 20 digits on Discord
    config.toml:9:1: `Member` is not an id. hint: copy the id, not the name: `C0123456789` on Slack, 17 to 20 digits on Discord
    config.toml:12:9: `http://ats.example.org` is not an address for a web hook. hint: it begins with `https://`, or with `http://127.0.0.1`
    config.toml:12:41: the environment has no `ATS`. hint: set it, or write `secret_file` instead
    config.toml:13:10: `http://127.0.0.1.example.org/` is not an address for a web hook. hint: it begins with `https://`, or with `http://127.0.0.1`
    config.toml:16:21: the source `directory` needs its `file`. hint: write `directory = { file = "…" }` under `[contacts]`
    config.toml:17:11: `ada@example.org` is not a person. hint: write `platform:workspace/user`, for example `slack:T01/U01`
    "#);
}

#[test]
fn other_machines_are_served_only_on_two_decisions() {
    insta::assert_snapshot!(said("[web]\nlisten = \"0.0.0.0:80\"\n"), @"config.toml:2:1: `0.0.0.0:80` can be reached from other machines. hint: listen on `127.0.0.1`, or write `allow_remote = true`");
    insta::assert_snapshot!(said("[web]\nlisten = \"0.0.0.0:80\"\nallow_remote = true\n"), @"config.toml:3:1: other machines could open the staff page. hint: write `staff_key_env` or `staff_key_file`");
    let both = "[web]\nlisten = \"0.0.0.0:80\"\nallow_remote = true\nstaff_key_env = \"KEY\"\n";
    let short = Environment::from([("KEY", "secret")]);
    let problems = Settings::parse("config.toml", both, &short).unwrap_err();
    insta::assert_snapshot!(render(&problems), @"config.toml:1:2: the key of the staff page is too short. hint: at least 16 characters, for example from `openssl rand -hex 16`");
    let long = Environment::from([("KEY", "0123456789abcdef")]);
    assert!(Settings::parse("config.toml", both, &long).is_ok());
}

#[test]
fn the_environment_wins_over_the_file() {
    let environment = Environment::from([
        ("ATS_HOOK_SECRET", "hook"),
        ("ANTEROOM_DATA_DIR", "/srv/anteroom"),
        ("ANTEROOM_LISTEN", "127.0.0.1:0"),
        ("ANTEROOM_LOG", "debug"),
        ("ANTEROOM_LOG_FORMAT", "json"),
    ]);
    let settings = Settings::parse("config.toml", EXAMPLE, &environment).unwrap();
    assert_eq!(settings.data_dir.to_str(), Some("/srv/anteroom"));
    assert_eq!(settings.web.listen.port(), 0);
    assert_eq!(settings.log.level, "debug");
    assert_eq!(settings.log.format, LogFormat::Json);

    let bad = Environment::from([("ANTEROOM_LISTEN", "4747"), ("ANTEROOM_LOG_FORMAT", "xml")]);
    let problems = Settings::playground("/tmp".into()).overridden(&bad).unwrap_err();
    insta::assert_snapshot!(render(&problems), @"
    environment: `ANTEROOM_LISTEN` is `4747`. hint: write for example `127.0.0.1:4747`
    environment: `ANTEROOM_LOG_FORMAT` is `xml`. hint: one of `auto`, `pretty`, `plain`, `json`
    ");
}

#[test]
fn a_secret_never_prints() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "correct horse battery staple\n").unwrap();
    let text = format!("[web]\nstaff_key_file = {:?}\n", file.path().display().to_string());
    let environment = Environment::from([("TOKEN", "correct horse")]);
    let settings = Settings::parse("config.toml", &text, &environment).unwrap();

    assert_eq!(settings.web.staff_key.as_ref().unwrap().expose(), "correct horse battery staple");
    let printed = format!("{settings:?} {environment:?}");
    assert!(!printed.contains("horse"), "{printed}");
    assert!(printed.contains("***"), "{printed}");
}

#[test]
fn deciders_are_known_by_id_group_or_the_staff_page() {
    let settings = example();
    let none = BTreeSet::new();
    let of = |person: &str, groups: &BTreeSet<String>, staff| {
        settings.approver_of(&person.parse::<PersonId>().unwrap(), groups, staff)
    };
    assert_eq!(of("slack:T01/U01", &none, false), ["recruiting_approvals"]);
    assert_eq!(of("slack:T01/U02", &["S01".to_owned()].into(), false), ["recruiting_approvals"]);
    assert!(of("slack:T01/U02", &none, true).is_empty());
    assert!(of("discord:1/U01", &none, true).is_empty());
    assert_eq!(of("web:local/ada", &none, true), ["recruiting_approvals", "staff_approvals"]);
    assert!(of("web:local/ada", &none, false).is_empty());
}
