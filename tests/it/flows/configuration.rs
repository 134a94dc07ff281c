//! The configuration: what it says, what the environment changes, and what is said about mistakes.

use std::{collections::BTreeSet, num::NonZeroU64};

use anteroom::{
    config::{
        Environment, LogFormat, Settings,
        dialect::Replay,
        llm::Purpose,
        preset::{PRESETS, Profile},
        render,
    },
    model::{
        session::PersonId,
        usage::{Budget, Budgets, Per},
    },
};

use super::EXAMPLE;

const MODELS: &str = include_str!("../../../docs/models.md");

fn said(text: &str) -> String {
    match Settings::parse("config.toml", text, &Environment::default()) {
        Ok(_) => String::new(),
        Err(problems) => render(&problems),
    }
}

#[test]
fn a_copy_of_the_example_changes_nothing_and_needs_no_secret() {
    let copy = Settings::parse("config.toml", EXAMPLE, &Environment::default());
    let copy = copy.unwrap_or_else(|problems| panic!("{}", render(&problems)));
    assert_eq!(copy, Settings::playground(copy.data_dir.clone()));
}

#[test]
fn secrets_are_not_looked_up_for_a_command_that_needs_none() {
    let config = r#"
[web]
listen = "0.0.0.0:80"
allow_remote = true
staff_key_env = "NOT_SET"
[slack]
bot_token_env = "NOT_SET"
app_token_file = "/does/not/exist"
[slack.channels]
desk = "C0123456789"
[discord]
token_env = "NOT_SET"
application_id = "1300000000000000001"
[webhooks]
ats = { url = "https://ats.example.org", secret_env = "NOT_SET" }
[llm.interview]
base_url = "https://models.example.org/v1"
model = "m"
key_env = "NOT_SET"
[search]
provider = "brave"
key_env = "NOT_SET"
"#;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.toml");
    std::fs::write(&file, config).unwrap();
    let settings = Settings::load_without_secrets(&file, &Environment::default());
    let settings = settings.unwrap_or_else(|problems| panic!("{}", render(&problems)));
    assert_eq!(settings.slack.unwrap().channels["desk"], "C0123456789");
    assert!(settings.webhooks.contains_key("ats"));
    assert_eq!(said(config).matches("`NOT_SET` is not set").count(), 6, "{}", said(config));
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
    ), @r"
    config.toml:3:1: unknown key `lissten`. hint: did you mean `listen`?
    config.toml:5:1: expected `true` or `false`, found text
    config.toml:7:10: unknown key `role`. hint: did you mean `roles`?
    config.toml:11:23: `vcards` is not one of `macos`, `vcard`, `profile`, `directory`. hint: did you mean `vcard`?
    config.toml:14:1: must be 1 or more
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
open = { url = "https://ada:secret@ats.example.org/" }

[contacts]
sources = ["macos", "directory"]
macos = { owner = "ada@example.org", via = "contacts" }
"##
    ), @r#"
    config.toml:3:1: `0.0.0.0` is not an IP address with a port. hint: for example, `127.0.0.1:4747`
    config.toml:6:1: `#recruiting` is not an id. hint: copy the id, not the name: `C0123456789`
    config.toml:9:1: `Member` is not an id. hint: copy the id, not the name: 17 to 20 digits
    config.toml:12:9: `http://ats.example.org` can't be used as a web hook. hint: use an address that begins with `https://` or `http://127.0.0.1` and contains no password
    config.toml:12:41: environment variable `ATS` is not set. hint: export it, or use `secret_file`
    config.toml:13:10: `http://127.0.0.1.example.org/` can't be used as a web hook. hint: use an address that begins with `https://` or `http://127.0.0.1` and contains no password
    config.toml:14:10: `ats.example.org/` can't be used as a web hook. hint: use an address that begins with `https://` or `http://127.0.0.1` and contains no password
    config.toml:17:21: the source `directory` needs its `file`. hint: add `directory = { file = "…" }` under `[contacts]`
    config.toml:18:11: `ada@example.org` is not a person. hint: write `platform:workspace/user`, for example `slack:T01/U01`
    "#);
}

#[test]
fn tenants_are_told_apart() {
    let environment = Environment::from([
        ("KEY", "correct horse battery"),
        ("SAME", "correct horse battery"),
        ("SHORT", "secret"),
    ]);
    let said = |text: &str| {
        Settings::parse("config.toml", text, &environment).err().map(|problems| render(&problems))
    };
    insta::assert_snapshot!(said(
        r#"
[web]
staff_key_env = "KEY"
[tenant."Acme Ltd"]
[tenant.local]
[tenant.acme]
staff_key_env = "SAME"
[tenant.acme.slack]
workspaces = ["T0ACME", "acme.slack.com"]
channels = { desk = "desk" }
[tenant.zulu]
staff_key_env = "SHORT"
webhooks.ats = { url = "http://example.org" }
llm.interview = { base_url = "http://example.org", model = "m" }
[tenant.zulu.slack]
workspaces = ["T0ACME"]
[tenant.zulu.discord]
servers = ["Zulu"]
"#
    )
    .unwrap(), @r#"
    config.toml:4:9: `Acme Ltd` is not a name for a tenant. hint: use up to 32 small letters, digits and dashes; `local` is reserved
    config.toml:5:9: `local` is not a name for a tenant. hint: use up to 32 small letters, digits and dashes; `local` is reserved
    config.toml:6:9: this key opens the staff page for others too. hint: use a key of its own for each tenant, and another one under `[web]`
    config.toml:9:25: `acme.slack.com` is not the id of a workspace. hint: copy it from the address of the workspace in a browser: `T0123456789`
    config.toml:10:14: `desk` is not an id. hint: copy the id, not the name: `C0123456789`
    config.toml:11:9: `T0ACME` belongs to `acme` already. hint: a workspace or server belongs to one tenant
    config.toml:11:9: the staff page's key is too short. hint: use at least 16 characters, for example from `openssl rand -hex 16`
    config.toml:13:18: `http://example.org` can't be used as a web hook. hint: use an address that begins with `https://` or `http://127.0.0.1` and contains no password
    config.toml:14:19: `http://example.org` would send the key and what people write unencrypted. hint: use `https://`; plain `http` is only allowed on this machine, as `http://127.0.0.1`, and to hosts in `[llm] allow_http`
    config.toml:18:12: `Zulu` is not an id. hint: copy the id, not the name: 17 to 20 digits
    "#);
    let open = "[tenant.acme]\nstaff_key_env = \"KEY\"\n";
    insta::assert_snapshot!(said(open).unwrap(), @"config.toml:1:9: without a key of the operator's, the staff page shows everybody's conversations to everybody. hint: set `staff_key_env` or `staff_key_file` under `[web]` as well");
    let fine = "[web]\nstaff_key_env = \"KEY\"\n[tenant.acme]\n[tenant.zulu]\nllm.spare.x = { provider = \"ollama\", model = \"m\" }\n";
    assert_eq!(said(fine), None);
}

#[test]
fn other_machines_are_served_only_on_two_decisions() {
    insta::assert_snapshot!(said("[web]\nlisten = \"0.0.0.0:80\"\n"), @"config.toml:2:1: `0.0.0.0:80` can be reached from other machines. hint: use `127.0.0.1`, or set `allow_remote = true`");
    insta::assert_snapshot!(said("[web]\nlisten = \"0.0.0.0:80\"\nallow_remote = true\n"), @"config.toml:3:1: the staff page would be open to other machines without a key. hint: set `staff_key_env` or `staff_key_file`");
    let both = "[web]\nlisten = \"0.0.0.0:80\"\nallow_remote = true\nstaff_key_env = \"KEY\"\n";
    let short = Environment::from([("KEY", "secret")]);
    let problems = Settings::parse("config.toml", both, &short).unwrap_err();
    insta::assert_snapshot!(render(&problems), @"config.toml:1:2: the staff page's key is too short. hint: use at least 16 characters, for example from `openssl rand -hex 16`");
    let long = Environment::from([("KEY", "0123456789abcdef")]);
    assert!(Settings::parse("config.toml", both, &long).is_ok());
}

/// A configuration with a bucket and these lines about it.
fn with_bucket(lines: &str) -> Result<Settings, String> {
    let key = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
    let environment =
        [("URL", "postgres://db/anteroom"), ("KEY", key), ("ID", "AKIA"), ("SECRET", "hush")];
    let text = format!(
        "[postgres]\nurl_env = \"URL\"\nkey_env = \"KEY\"\n\
         [s3]\naccess_key_id_env = \"ID\"\nsecret_access_key_env = \"SECRET\"\n{lines}\n"
    );
    let read = Settings::parse("config.toml", &text, &Environment::from(environment));
    read.map_err(|problems| render(&problems))
}

#[test]
fn a_bucket_has_one_address_whatever_style_it_is_in() {
    for (lines, url) in [
        (
            "bucket = \"files\"\nregion = \"eu-central-1\"",
            "https://files.s3.eu-central-1.amazonaws.com",
        ),
        ("bucket = \"files.example.org\"", "https://s3.us-east-1.amazonaws.com/files.example.org"),
        (
            "bucket = \"files\"\nendpoint = \"http://127.0.0.1:9000/\"",
            "http://127.0.0.1:9000/files",
        ),
        (
            "bucket = \"files\"\nendpoint = \"https://example.org/s3\"",
            "https://example.org/s3/files",
        ),
        (
            "bucket = \"files\"\nendpoint = \"https://example.org\"\npath_style = false",
            "https://files.example.org",
        ),
        (
            "bucket = \"files\"\nendpoint = \"http://minio:9000\"\nallow_http = true",
            "http://minio:9000/files",
        ),
    ] {
        let bucket = with_bucket(lines).unwrap().bucket.unwrap();
        assert_eq!(bucket.url, url);
        let shown = format!("{bucket:?}");
        assert!(!shown.contains("hush") && !shown.contains("AKIA"), "{shown}");
    }
    let prefixed = with_bucket("bucket = \"files\"\nprefix = \"/bots/anteroom/\"").unwrap();
    assert_eq!(prefixed.bucket.unwrap().prefix, "bots/anteroom");
}

#[test]
fn mistakes_about_a_bucket_are_told_with_what_to_do() {
    let mistakes = r#"bucket = "s3://Files"
region = "Frankfurt (Main)"
endpoint = "http://minio:9000"
prefix = "../all""#;
    insta::assert_snapshot!(with_bucket(mistakes).unwrap_err(), @"
    config.toml:7:1: `s3://Files` is not the name of a bucket. hint: use 3 to 63 lowercase letters, digits, dots and hyphens, without the address of the service
    config.toml:8:1: `Frankfurt (Main)` is not a region. hint: for example, `eu-central-1`
    config.toml:9:1: `http://minio:9000` would be sent files over an unencrypted connection. hint: use `https://`; on a private network you can set `allow_http = true`, as files are sealed before they are sent
    config.toml:10:1: `../all` can't be used as a prefix. hint: use letters, digits, hyphens, underscores and dots, with slashes between, for example `bots/anteroom`
    ");
    for (lines, words) in [
        ("endpoint = \"https://example.org\"", "missing"),
        (
            "bucket = \"files\"\nendpoint = \"https://id:secret@example.org\"",
            "the address contains a key",
        ),
        ("bucket = \"files\"\nendpoint = \"ftp://example.org\"", "can't be used as the address"),
        ("bucket = \"files\"\nendpoint = \"https://example.org/?a=b\"", "without the bucket"),
        (
            "bucket = \"files\"\nendpoint = \"http://127.0.0.1:9000\"\npath_style = false",
            "leave `path_style` out",
        ),
    ] {
        let told = with_bucket(lines).unwrap_err();
        assert!(told.contains(words) && !told.contains("secret@"), "{told}");
    }
    let alone = "[s3]\nbucket = \"files\"\naccess_key_id_env = \"ID\"\n";
    insta::assert_snapshot!(said(alone), @"
    config.toml:1:2: files can only be in a bucket if conversations are in PostgreSQL. hint: set up `[postgres]`, or leave `[s3]` out: files are in the data directory then
    config.toml:1:2: the secret access key is missing. hint: set `secret_access_key_env` or `secret_access_key_file`
    config.toml:3:1: environment variable `ID` is not set. hint: export it, or use `access_key_id_file`
    ");
}

#[test]
fn nodes_reach_one_another_under_a_name_without_scheme_and_port() {
    let key = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
    let environment = Environment::from([("URL", "postgres://db/anteroom"), ("KEY", key)]);
    let read = |host: &str| {
        let text =
            format!("[postgres]\nurl_env = \"URL\"\nkey_env = \"KEY\"\nnode_host = \"{host}\"\n");
        Settings::parse("config.toml", &text, &environment)
    };
    let known = |host| read(host).unwrap().postgres.unwrap().node_host.unwrap();
    assert_eq!(
        ["10.0.0.5", "bot-1.example.org", "fd00::5"].map(known),
        ["10.0.0.5", "bot-1.example.org", "[fd00::5]"]
    );
    for wrong in ["http://10.0.0.5", "10.0.0.5:4747", "bot/x", "0.0.0.0", "::", "user@bot", ""] {
        let told = render(&read(wrong).unwrap_err());
        assert!(told.contains(&format!("config.toml:4:1: `{wrong}` is not a host")), "{told}");
    }
}

#[test]
fn files_are_linked_under_a_public_address_only() {
    let web = |lines: &str| said(&format!("[web]\n{lines}\n"));
    insta::assert_snapshot!(web("public_url = \"http://bot.example.org\""), @"config.toml:2:1: `http://bot.example.org` can't be used as the public address. hint: use an address like `https://bot.example.org`, or `http://127.0.0.1:4747` on this machine, with no password, query or fragment");
    insta::assert_snapshot!(web("public_url = \"https://ada:secret@bot.example.org\""), @"config.toml:2:1: `bot.example.org` can't be used as the public address. hint: use an address like `https://bot.example.org`, or `http://127.0.0.1:4747` on this machine, with no password, query or fragment");
    insta::assert_snapshot!(web("public_url = \"https://bot.example.org/?a=b\""), @"config.toml:2:1: `https://bot.example.org/?a=b` can't be used as the public address. hint: use an address like `https://bot.example.org`, or `http://127.0.0.1:4747` on this machine, with no password, query or fragment");
    insta::assert_snapshot!(web("public_url = \"bot.example.org\""), @"config.toml:2:1: `bot.example.org` can't be used as the public address. hint: use an address like `https://bot.example.org`, or `http://127.0.0.1:4747` on this machine, with no password, query or fragment");
    insta::assert_snapshot!(web("links_expire_after = \"91d\""), @"config.toml:2:1: links can be good for 1 minute to 90 days. hint: for example, `7d`");
    insta::assert_snapshot!(web("links_expire_after = \"30s\""), @"config.toml:2:1: links can be good for 1 minute to 90 days. hint: for example, `7d`");

    let text =
        "[web]\npublic_url = \"https://bot.example.org/anteroom/\"\nlinks_expire_after = \"12h\"\n";
    let settings = Settings::parse("config.toml", text, &Environment::default()).unwrap();
    assert_eq!(settings.web.public_url.as_deref(), Some("https://bot.example.org/anteroom"));
    assert_eq!(settings.web.links_expire_after, chrono::TimeDelta::hours(12));
    assert_eq!(web("public_url = \"http://127.0.0.1:4747\""), "");
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
    insta::assert_snapshot!(render(&problems), @r"
    environment: `ANTEROOM_LISTEN` is `4747`, which is not an IP address with a port. hint: for example, `127.0.0.1:4747`
    environment: `ANTEROOM_LOG_FORMAT` is `xml`, which is not a log format. hint: one of `auto`, `pretty`, `plain`, `json`
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
    let both = r#"{ slack_users = ["U01"], slack_groups = ["S01"], web_staff = true }"#;
    let text = EXAMPLE.replacen("{ web_staff = true }\nstaff", &format!("{both}\nstaff"), 1);
    let settings = Settings::parse("config.toml", &text, &Environment::default()).unwrap();
    let none = BTreeSet::new();
    let of = |person: &str, groups: &BTreeSet<String>, staff| {
        settings.within(None).approver_of(&person.parse::<PersonId>().unwrap(), groups, staff)
    };
    assert_eq!(of("slack:T01/U01", &none, false), ["recruiting_approvals"]);
    assert_eq!(of("slack:T01/U02", &["S01".to_owned()].into(), false), ["recruiting_approvals"]);
    assert!(of("slack:T01/U02", &none, true).is_empty());
    assert!(of("discord:1/U01", &none, true).is_empty());
    assert_eq!(of("web:local/ada", &none, true), ["recruiting_approvals", "staff_approvals"]);
    assert!(of("web:local/ada", &none, false).is_empty());
}

#[test]
fn a_decider_is_named_by_an_id() {
    let said = said(
        r#"
[approvers]
desk = { slack_users = ["ada@example.org"], slack_groups = ["@team"], discord_users = ["ada"], discord_roles = ["12"] }
fine = { slack_users = ["U01", "W01"], slack_groups = ["S01"], discord_users = ["12345678901234567"], web_users = ["ada"] }
[tenant.acme.approvers]
desk = { slack_users = ["Ada"] }
"#,
    );
    assert_eq!(said.matches("is not an id").count(), 5, "{said}");
    let hints = ["not the name: `U0123456789`", "`S0123456789`", "17 to 20 digits"];
    assert_eq!(hints.map(|hint| said.matches(hint).count()), [2, 1, 2], "{said}");
    assert_eq!(said.lines().count(), 5, "{said}");
}

#[test]
fn a_card_on_this_machine_needs_its_owner_and_its_file() {
    let said = said("[contacts]\nvcard = { file = \"nowhere.vcf\" }\n");
    assert!(said.contains("`vcard` needs to know whose card it is"), "{said}");
    assert!(said.contains("there is no file `nowhere.vcf`"), "{said}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let file = file.path().display().to_string();
    let text = format!(
        "[contacts]\nmacos = {{ owner = \"web:local/ada\" }}\nvcard = {{ file = {file:?} }}\n"
    );
    assert!(Settings::parse("config.toml", &text, &Environment::default()).is_ok());
}

#[test]
fn a_path_that_only_a_shell_understands_is_refused() {
    insta::assert_snapshot!(said("[data]\ndir = \"~/anteroom\"\n[vars]\nhome = \"~/anteroom is fine here\"\n"), @"config.toml:2:1: `~/anteroom` begins with `~`, which only a shell understands. hint: write the path in full, for example `/home/ada/anteroom`");
}

#[test]
fn the_address_of_a_call_is_not_that_of_its_service() {
    let of = |end: &str| {
        let text =
            format!("[llm.interview]\nbase_url = \"http://127.0.0.1:9/v1{end}\"\nmodel = \"m\"\n");
        Settings::parse("config.toml", &text, &Environment::default()).err().map(|p| render(&p))
    };
    assert_eq!(of(""), None);
    insta::assert_snapshot!(of("/chat/completions").unwrap(), @"config.toml:2:1: the address goes further than that of the service. hint: leave out the end, which is added: `http://127.0.0.1:9/v1`");
}

#[test]
fn mistakes_about_models_are_told_at_once() {
    insta::assert_snapshot!(said(
        r#"
[llm.interview]
base_url = "http://models.example.org/v1"
model = "m"
key_env = "NO_SUCH_KEY"
fallback = "bakup"

[llm.extract]
base_url = "https://user:secret@models.example.org/v1"
model = "m"
fallback = "embed"
dialect = { key_header = "api key" }

[llm.vision]
base_url = "https://models.example.org/v1"
model = "m"
fallback = "backup"

[llm.embed]
base_url = "models.example.org"
model = "m"

[llm.spare.backup]
base_url = "https://models.example.org/v1"
model = "m"
fallback = "vision"
"#
    ), @r"
    config.toml:3:1: `http://models.example.org/v1` would send the key and what people write unencrypted. hint: use `https://`; plain `http` is only allowed on this machine, as `http://127.0.0.1`, and to hosts in `[llm] allow_http`
    config.toml:5:1: environment variable `NO_SUCH_KEY` is not set. hint: export it, or use `key_file`
    config.toml:6:1: there is no service `bakup`. hint: add a table `[llm.spare.bakup]`
    config.toml:9:1: the address contains a key. hint: use `key_env` or `key_file` instead
    config.toml:11:1: `embed` can't replace `extract`. hint: use a service of the same kind
    config.toml:12:13: this is not a valid header name. hint: for example, `api-key`
    config.toml:17:1: circular fallback: `vision` leads back to itself
    config.toml:20:1: `models.example.org` can't be used as a model's address. hint: use an address that begins with `https://` or `http://127.0.0.1`
    config.toml:26:1: circular fallback: `spare.backup` leads back to itself
    ");
    insta::assert_snapshot!(said(
        r#"
[llm.interveiw]
model = "m"

[llm.extract]
base_url = "https://models.example.org/v1"
temperature = 3
first_byte = "soon"
attempts = 0
dialect = { output_limit = "max_output_tokens", streams = true }
"#
    ), @r"
    config.toml:2:6: unknown key `interveiw`. hint: did you mean `interview`?
    config.toml:5:6: `model` is missing
    config.toml:7:1: must be 2.0 or less
    config.toml:8:1: `soon` is not a duration. hint: for example, `24h` or `14d`
    config.toml:9:1: must be 1 or more
    config.toml:10:13: `max_output_tokens` is not one of `max_tokens`, `max_completion_tokens`. hint: did you mean `max_tokens`?
    config.toml:10:49: unknown key `streams`. hint: did you mean `stream`?
    ");
}

#[test]
fn mistakes_about_budgets_are_told_at_once() {
    insta::assert_snapshot!(said(
        r#"
[data]
dir = "/tmp"

[limits]
window_tokens = 100

[budget]
per = "week"

[budget.turn]
tokens = 0
cost = -1
minutes = 5

[budget.session]
time = "soon"
"#
    ), @r"
    config.toml:6:1: must be 4000 or more
    config.toml:9:1: `week` is not one of `day`, `month`
    config.toml:12:1: must be 1 or more
    config.toml:13:1: must be 0.01 or more
    config.toml:14:1: unknown key `minutes`. hint: valid keys: `tokens`, `calls`, `time`, `cost`
    config.toml:17:1: `soon` is not a duration. hint: for example, `24h` or `14d`
    ");
    insta::assert_snapshot!(said(
        r#"
[data]
dir = "/tmp"

[budget]
turn      = { tokens = 20_000, time = "10m" }
session   = { tokens = 10_000, time = "5m", cost = 2.5 }
workspace = { cost = 2 }
total     = { time = "0s" }
"#
    ), @r"
    config.toml:6:15: a turn could use more than the session it is part of. hint: lower it, or raise `tokens` under `[budget.session]`
    config.toml:6:32: a turn could use more than the session it is part of. hint: lower it, or raise `time` under `[budget.session]`
    config.toml:7:45: a session could use more than the workspace it is part of. hint: lower it, or raise `cost` under `[budget.workspace]`
    config.toml:9:15: the time limit is zero. hint: leave it out for unlimited time
    ");
}

#[test]
fn budgets_are_read_as_they_are_written() {
    let config = "[data]\ndir = \"/tmp\"\n[budget]\nper = \"day\"\nsession = { tokens = 5, time = \"90s\" }\n\
                  total = { calls = 7, cost = 0.25 }\n";
    let settings = Settings::parse("config.toml", config, &Environment::default()).unwrap();
    let session =
        Budget { tokens: NonZeroU64::new(5), millis: NonZeroU64::new(90_000), ..Budget::default() };
    let total = Budget {
        calls: NonZeroU64::new(7),
        cost_micros: NonZeroU64::new(250_000),
        ..Budget::default()
    };
    let per = Per::Day;
    assert_eq!(settings.budgets, Budgets { session, total, per, ..Budgets::default() });
}

#[test]
fn models_have_the_documented_defaults_and_keys_never_print() {
    let config = "[llm.interview]\nbase_url = \"http://[::1]:1234/v1\"\nmodel = \"m\"\nkey_env = \"KEY\"\nfallback = \"near\"\n\
                  [llm.spare.near]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n";
    let environment = Environment::from([("KEY", "correct-horse"), ("ANTEROOM_DATA_DIR", "/tmp")]);
    let llm = Settings::parse("config.toml", config, &environment).unwrap().llm;
    let chain = llm.chain(Purpose::Interview);
    assert_eq!(
        chain.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["interview", "spare.near"]
    );
    let service = &chain[0].1.service;
    let profile = Profile::of(service);
    assert_eq!((service.temperature, profile.max_tokens, service.attempts), (0.7, 2000, 3));
    assert_eq!((profile.headroom, profile.replay), (0, Replay::Never));
    assert_eq!(chain[0].1.key.as_ref().unwrap().expose(), "correct-horse");
    assert!(!format!("{llm:?}").contains("horse"));
    assert!(llm.chain(Purpose::Embed).is_empty());
}

#[test]
fn every_provider_has_a_preset_with_its_source() {
    for preset in &PRESETS {
        let needs =
            if preset.endpoint.is_none() { "base_url = \"https://x.example/v1\"\n" } else { "" };
        let name = preset.name;
        let config = format!("[llm.interview]\nprovider = \"{name}\"\nmodel = \"m\"\n{needs}");
        let environment = Environment::from([("ANTEROOM_DATA_DIR", "/tmp")]);
        let settings = Settings::parse("config.toml", &config, &environment)
            .unwrap_or_else(|problems| panic!("{}", render(&problems)));
        let service = &settings.llm.chain(Purpose::Interview)[0].1.service;
        assert_eq!(Profile::of(service), preset.profile, "{name}");
        assert!(!service.base_url.is_empty(), "{name}");
        assert!(
            preset.source.starts_with("https://") && preset.read.starts_with("2026-"),
            "{name}"
        );
        assert!(MODELS.contains(&format!("| `{name}` |")), "{name} is not documented");
        assert!(MODELS.contains(preset.source), "the source of {name} is not documented");
    }
}

#[test]
fn plain_http_is_for_named_hosts_and_networks_only() {
    let told = |allowed: &str, host: &str| {
        said(&format!(
            "[llm]\nallow_http = {allowed}\n[llm.interview]\nbase_url = \"http://{host}/v1\"\nmodel = \"m\"\n"
        ))
    };
    let rules = r#"["ollama", "192.168.0.0/16", "fd00::/8"]"#;
    for host in ["ollama:11434", "192.168.7.9", "[fd00::1]:8000", "127.0.0.1:1"] {
        assert_eq!(told(rules, host), "", "{host}");
    }
    for host in ["ollama.example.org", "192.169.0.1", "[fe00::1]", "example.org"] {
        assert!(told(rules, host).contains("unencrypted"), "{host}");
    }
    for rule in [r#"["0.0.0.0/0"]"#, r#"["http://ollama"]"#, r#"[""]"#, r#"["10.0.0.0/33"]"#] {
        assert!(told(rule, "127.0.0.1").contains("neither a host nor a network"), "{rule}");
    }
}

#[test]
fn what_the_example_says_of_models_holds() {
    // Its lines are comments; as they stand they are a configuration that says nothing but the defaults.
    let begin = EXAMPLE.find("# [llm.interview]").unwrap();
    let lines = EXAMPLE[begin..].split("\n\n").next().unwrap().lines();
    let config: Vec<&str> = lines
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| line.starts_with('[') || line.contains('='))
        .collect();
    let config = config.join("\n");
    let environment = Environment::from([("OPENROUTER_KEY", "key"), ("ANTEROOM_DATA_DIR", "/tmp")]);
    let llm = Settings::parse("config.toml", &config, &environment)
        .unwrap_or_else(|problems| panic!("{}", render(&problems)))
        .llm;
    let chain = llm.chain(Purpose::Interview);
    let [(_, written), (_, bare)] = chain[..] else { panic!("two services") };
    let (found, expected) = (Profile::of(&written.service), Profile::of(&bare.service));
    assert_eq!(found, Profile { key_header: Some("api-key".into()), ..expected });
    let mut expected = bare.service.clone();
    let found = &written.service;
    expected.provider = found.provider;
    expected.max_tokens = found.max_tokens;
    expected.dialect = found.dialect.clone();
    expected.base_url.clone_from(&found.base_url);
    expected.model.clone_from(&found.model);
    expected.key_env.clone_from(&found.key_env);
    expected.fallback.clone_from(&found.fallback);
    assert_eq!(*found, expected);
}

#[test]
fn a_brand_that_people_could_not_read_is_refused_with_a_shade_that_they_can() {
    insta::assert_snapshot!(said(
        r##"
[brand]
name = " "
logo = "/nonexistent/logo.svg"
accent = "#ffd400"
accent_dark = "#12403c"
"##
    ), @r"
    config.toml:3:1: the name is empty. hint: leave `name` out to keep the name of the bot
    config.toml:4:1: `/nonexistent/logo.svg` cannot be read: No such file or directory (os error 2). hint: an SVG, PNG or WebP file of at most 256 kB
    config.toml:5:1: `#ffd400` is hard to read in the light theme: its contrast is 1.3:1, and 4.5:1 is needed. hint: `#846e00` is the nearest shade that can be read
    config.toml:6:1: `#12403c` is hard to read in the dark theme: its contrast is 1.4:1, and 4.5:1 is needed. hint: `#8da3a1` is the nearest shade that can be read
    ");
    insta::assert_snapshot!(said("[brand]\naccent = \"teal\"\naccent_dark = \"#4fd1c0\"\n"), @"config.toml:2:1: `teal` is not a colour. hint: write it as `#rrggbb`, for example `#0f766e`");
    assert_eq!(said("[brand]\naccent_dark = \"#4fd1c0\"\n").lines().count(), 1);

    let text = "[brand]\nname = \"Acme\"\naccent = \"#7a1fa2\"\n";
    let settings = Settings::parse("config.toml", text, &Environment::default()).unwrap();
    let (light, dark) = settings.brand.accents.unwrap();
    assert_eq!((settings.brand.name.as_str(), light.to_string().as_str()), ("Acme", "#7a1fa2"));
    assert_ne!(light, dark);
}
