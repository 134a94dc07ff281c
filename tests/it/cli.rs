//! The command line as operators and scripts meet it: what it prints, where, and how it ends.
//!
//! Rows are those of `docs/semantics.md`.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use insta::assert_snapshot;
use serde_json::{Value, json};

use anteroom::tool::{Toolbox, catalog};

use super::llm::provider::{Provider, Reply};

/// Runs the program in `dir` with an environment of its own.
fn anteroom(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_anteroom"))
        .args(args)
        .env_clear()
        .env("HOME", dir)
        .current_dir(dir)
        .output()
        .unwrap()
}

/// Standard output of a command that must succeed.
fn said(args: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let output = anteroom(dir.path(), args);
    assert!(output.status.success(), "{args:?}: {}", told(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn arguments_that_make_no_sense_end_with_two_and_failures_with_one() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(anteroom(dir.path(), &["florws"]).status.code(), Some(2));
    assert_eq!(anteroom(dir.path(), &["flows", "show", "nothing"]).status.code(), Some(1));
    assert_eq!(anteroom(dir.path(), &["--help"]).status.code(), Some(0));
    assert_eq!(anteroom(dir.path(), &["--version"]).status.code(), Some(0));
}

#[test]
fn a_failure_is_a_sentence_with_a_hint() {
    let dir = tempfile::tempdir().unwrap();
    let flow = anteroom(dir.path(), &["flows", "show", "candidate-onbording"]);
    let data = anteroom(dir.path(), &["sessions", "list", "--data", "elsewhere"]);
    let run = anteroom(dir.path(), &["run"]);
    assert_snapshot!([flow, data, run].map(|output| told(&output)).join("\n"), @r"
    error: there is no flow `candidate-onbording`
    hint: did you mean `candidate-onboarding`?

    error: there is no data in `elsewhere`
    hint: choose the data directory with `--data DIR`

    error: no configuration file found
    hint: copy `config.example.toml` to `config.toml`, or run `anteroom play`, which doesn't need one
    ");
}

/// Values and aliases alike, of all flows that are enabled.
#[test]
fn what_flows_need_of_the_configuration_is_told_in_one_refusal() {
    let dir = tempfile::tempdir().unwrap();
    let config = "[flows]\nenabled = [\"candidate-onboarding\", \"community-welcome\"]\n\
        [slack.channels]\nhall = \"C01\"\n";
    fs::write(dir.path().join("config.toml"), config).unwrap();
    let output = anteroom(dir.path(), &["run"]);
    assert_eq!(output.status.code(), Some(1));
    let told = told(&output);
    assert!(told.contains("`organisation` has no value"), "{told}");
    for alias in ["recruiting_approvals", "staff_approvals", "recruiting_desk"] {
        assert!(told.contains(&format!("the alias `{alias}` is not configured")), "{told}");
    }
    assert_eq!(told.matches("a built-in flow doesn't fit the configuration").count(), 1, "{told}");
}

#[test]
fn a_wrong_configuration_is_told_problem_by_problem() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("config.toml"), "[webb]\n[web]\nlisten = \"here\"\n").unwrap();
    let output = anteroom(dir.path(), &["run"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("config.toml:1:"), "{}", told(&output));
    assert!(told(&output).contains("did you mean `web`?"), "{}", told(&output));
}

#[test]
fn tools_are_listed_in_the_shape_of_the_specification() {
    let listed: Value = serde_json::from_str(&said(&["tools", "list", "--json"])).unwrap();
    let toolbox = Toolbox::new(catalog::tools()).unwrap();
    assert_eq!(listed, Value::Array(toolbox.tool_schemas(None)));
    let one: Value =
        serde_json::from_str(&said(&["tools", "schema", "next_phase", "--json"])).unwrap();
    assert_eq!(one["type"], "function");
    assert_eq!(one["function"]["name"], "next_phase");
    let parameters: Value =
        serde_json::from_str(&said(&["tools", "schema", "next_phase"])).unwrap();
    assert_eq!(parameters, one["function"]["parameters"]);
}

#[test]
fn an_exported_flow_passes_the_check() {
    let dir = tempfile::tempdir().unwrap();
    for flow in ["candidate-onboarding", "community-welcome"] {
        let file = format!("{flow}.toml");
        let exported = anteroom(dir.path(), &["flows", "export", flow, "-o", &file]);
        assert!(exported.status.success(), "{}", told(&exported));
        let checked = anteroom(dir.path(), &["flows", "check", &file]);
        assert!(checked.status.success(), "{}", told(&checked));
    }
}

#[test]
fn a_flow_in_the_box_is_exported_whatever_the_configuration_lacks() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("config.toml"), "[vars]\norganisation = \"Example\"\n").unwrap();
    for flow in ["community-welcome", "volunteer-onboarding"] {
        let exported = anteroom(dir.path(), &["flows", "export", flow]);
        assert!(exported.status.success(), "{}", told(&exported));
        let source = String::from_utf8(exported.stdout).unwrap();
        assert!(source.contains(&format!("\"{flow}\"")), "{source}");
    }
}

#[test]
fn the_flow_in_the_readme_passes_the_check() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let flow = readme.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("first-day.toml"), flow).unwrap();
    let checked = anteroom(dir.path(), &["flows", "check", "first-day.toml"]);
    assert_eq!(told(&checked), "");
    assert!(checked.status.success());
}

#[test]
fn a_wrong_flow_is_told_with_line_and_suggestion() {
    let dir = tempfile::tempdir().unwrap();
    let (_, source) = anteroom::flow::shipped()[1];
    let wrong =
        source.replace("[handoff]", "[handof]").replace("get_user_option", "get_user_opton");
    fs::write(dir.path().join("mine.toml"), wrong).unwrap();
    let checked = anteroom(dir.path(), &["flows", "check", "mine.toml", "--json"]);
    assert_eq!(checked.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!(found["ok"], false);
    let first = &found["problems"][0];
    assert!(first["line"].as_u64().unwrap() > 1, "{first:#}");
    assert!(first["hint"].as_str().unwrap().contains("`handoff`"), "{first:#}");
}

/// A flow of one's own that loads and cannot be finished: its tool does not exist.
fn with_flawed_flow(dir: &Path, more: &str) {
    let (_, source) = anteroom::flow::shipped()[1];
    let flawed = source.replacen("\"community-welcome\"", "\"mine\"", 1).replacen(
        "tool = \"get_user_option\"",
        "tool = \"get_user_opton\"",
        1,
    );
    fs::create_dir(dir.join("flows")).unwrap();
    fs::write(dir.join("flows/mine.toml"), flawed).unwrap();
    let config = include_str!("../../config.example.toml");
    let config = config.replacen("# dir     = \"flows\"", "dir = \"flows\"", 1);
    fs::write(dir.join("config.toml"), format!("{config}\n{more}")).unwrap();
}

#[test]
fn a_flow_that_the_check_refuses_is_not_run() {
    let dir = tempfile::tempdir().unwrap();
    with_flawed_flow(dir.path(), "");
    let checked = anteroom(dir.path(), &["flows", "check", "flows/mine.toml"]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(told(&checked).contains("flows/mine.toml:"), "{}", told(&checked));
    for command in ["run", "play"] {
        let started = anteroom(dir.path(), &["--data", "data", command]);
        assert_eq!(started.status.code(), Some(1), "{command}");
        assert_eq!(told(&started), told(&checked), "{command}");
    }
}

/// What `docs/configuration.md` says of built-in flows; Slack itself is told no by a token that nobody has.
#[test]
fn a_built_in_flow_that_does_not_fit_says_how_to_leave_it_out() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.toml");
    let config = include_str!("../../config.example.toml")
        .replacen("# [slack.channels]\n# rec", "[slack.channels]\nrec", 1)
        .replacen("# recruiting_desk ", "recruiting_desk ", 1);
    fs::write(&file, &config).unwrap();
    let run = || told(&anteroom(dir.path(), &["run", "--data", "data"]));
    let refused = run();
    assert!(refused.contains("flow `community-welcome`:"), "{refused}");
    assert!(refused.contains("list only the flows you use under `enabled`"), "{refused}");
    let enabled = "enabled = [\"candidate-onboarding\"]";
    let config = config.replacen("enabled = []", enabled, 1);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("listen = \"{}\"", taken.local_addr().unwrap());
    fs::write(&file, config.replacen("listen = \"127.0.0.1:4747\"", &listen, 1)).unwrap();
    // It comes as far as the port, which is taken.
    let started = run();
    assert!(started.contains("cannot listen on") && !started.contains("alias"), "{started}");
}

#[test]
fn a_copy_of_the_example_is_a_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/config.example.toml");
    fs::copy(example, dir.path().join("config.toml")).unwrap();
    for args in [
        &["flows", "list"][..],
        &["flows", "export", "community-welcome", "-o", "mine.toml"],
        &["flows", "check", "mine.toml"],
        &["tools", "schema", "next_phase"],
        &["tasks", "list"],
    ] {
        let output = anteroom(dir.path(), args);
        assert!(output.status.success(), "{args:?}: {}", told(&output));
    }
    let missing = anteroom(dir.path(), &["doctor", "slack"]);
    assert!(told(&missing).contains("`bot_token_env`"), "{}", told(&missing));
}

/// What `doctor model --online` says of a service that answers so.
async fn examined(replies: &[Reply]) -> String {
    let provider = Provider::start(replies).await;
    let dir = tempfile::tempdir().unwrap();
    let config = format!(
        "[vars]\norganisation = \"O\"\nprivacy_url = \"p\"\ncontact = \"c\"\n\
         [llm.interview]\nbase_url = \"{}\"\nmodel = \"m\"\n[llm.price.m]\ninput = 1.0\noutput = 2.0\n",
        provider.url
    );
    fs::write(dir.path().join("config.toml"), config).unwrap();
    let run = move || {
        let output = anteroom(dir.path(), &["doctor", "model", "--online"]);
        format!("{}{}", String::from_utf8_lossy(&output.stdout), told(&output))
    };
    tokio::task::spawn_blocking(run).await.unwrap().replace(&provider.url, "URL")
}

#[tokio::test]
async fn the_doctor_says_what_a_model_can_do() {
    let call = |index: u64, colour: &str| {
        let arguments = format!("{{\"colour\":\"{colour}\"}}");
        json!({ "index": index, "id": format!("call_{index}"), "type": "function",
            "function": { "name": "report_colour", "arguments": arguments } })
    };
    let calls = |calls: &[Value]| {
        Reply::stream(&[
            json!({ "choices": [{ "index": 0, "delta": { "tool_calls": calls }, "finish_reason": "tool_calls" }],
            "usage": { "prompt_tokens": 9, "completion_tokens": 3 } }),
        ])
    };
    let good = [
        calls(&[call(0, "green")]),
        Reply::says("Green is a colour."),
        calls(&[call(0, "green"), call(1, "red")]),
        Reply::says("{\"colour\":\"green\"}"),
    ];
    assert_snapshot!(examined(&good).await, @r#"
    checked: configuration
    checked: interview: `m` at URL, preset `custom`, answers of up to 2000 tokens and 0 for thinking
    checked: interview: reached, key and model name taken, calls tools
    checked: interview: tokens and money are counted
    checked: interview: takes results and words beside them, answers in one piece
    checked: interview: makes several calls at once
    checked: interview: follows a schema
    checked: interview: takes images
    checked: interview: takes PDFs
    checked: interview: its service doesn't list how much it reads and writes
    the models: no problems found.
    "#);
    let yes = || Reply::says("Yes.");
    let list = json!({ "data": [{ "id": "other" }, { "id": "m", "max_model_len": 8192, "max_output_tokens": 1024 }] });
    let small = [&good[..], &[yes(), yes(), Reply::json(200, &list)]].concat();
    let told = examined(&small).await;
    let told: Vec<&str> = told.lines().skip_while(|line| !line.contains("takes PDFs")).collect();
    assert_snapshot!(told.join("\n"), @"
    checked: interview: takes PDFs
    checked: interview: reads up to 8192 tokens and writes up to 1024 tokens
    the models: no problems found.
    model: warning: interview reads fewer tokens than a conversation may have. hint: set `window_tokens` under `[limits]` to 6192 or less; conversations are shortened from 60000 on
    model: warning: interview writes fewer tokens than it may be asked for. hint: lower `max_tokens`, or leave it: the first refusal teaches the limit
    ");
    let refusal =
        json!({ "error": { "message": "Incorrect API key provided.", "code": "invalid_api_key" } });
    assert_snapshot!(examined(&[Reply::json(401, &refusal)]).await, @r#"
    checked: configuration
    checked: interview: `m` at URL, preset `custom`, answers of up to 2000 tokens and 0 for thinking
    model: interview doesn't take the key: the model's provider does not take the request (401, invalid_api_key): “Incorrect API key provided”. hint: check `base_url`, `model`, the key and `dialect`
    "#);
    let no_tools = json!({ "object": "error", "message": "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set", "code": 400 });
    assert_snapshot!(examined(&[Reply::json(400, &no_tools)]).await, @r#"
    checked: configuration
    checked: interview: `m` at URL, preset `custom`, answers of up to 2000 tokens and 0 for thinking
    model: interview doesn't take a request with a tool: the model's provider does not take the request (400): “"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set”. hint: check `base_url`, `model`, the key and `dialect`
    "#);
    assert_snapshot!(examined(&[Reply::says("Green.")]).await, @r#"
    checked: configuration
    checked: interview: `m` at URL, preset `custom`, answers of up to 2000 tokens and 0 for thinking
    model: interview didn't call the tool it was told to call. hint: interviews need a model that supports tool calls; local servers need a switch for them (`--enable-auto-tool-choice` with vLLM, `--jinja` with llama.cpp)
    "#);
}

#[test]
fn a_command_that_needs_no_secret_runs_without_any() {
    let dir = tempfile::tempdir().unwrap();
    let config = "[vars]\norganisation = \"O\"\nprivacy_url = \"p\"\ncontact = \"c\"\n\
        [slack]\nbot_token_env = \"NOT_SET\"\napp_token_env = \"NOT_SET\"\n\
        [llm.interview]\nbase_url = \"https://m.example.org\"\nmodel = \"m\"\nkey_env = \"NOT_SET\"\n\
        [webhooks]\nhook = { url = \"https://h.example.org\", secret_env = \"NOT_SET\" }\n";
    fs::write(dir.path().join("config.toml"), config).unwrap();
    let store = anteroom::store::sled::SledStore::open(
        &dir.path().join("data/store"),
        std::sync::Arc::new(anteroom::base::ids::RandomIds),
    );
    drop(store.unwrap());
    for args in [
        &["flows", "list"][..],
        &["tools", "schema", "next_phase"],
        &["sessions", "list", "--data", "data"],
        &["audit", "verify", "--data", "data"],
        &["backup", "kept", "--data", "data"],
        &["scrub", "--data", "data"],
    ] {
        let output = anteroom(dir.path(), args);
        assert!(output.status.success(), "{args:?}: {}", told(&output));
    }
    let erased = anteroom(dir.path(), &["erase", "ses_1", "--data", "data", "--yes"]);
    assert!(told(&erased).contains("there is no session `ses_1`"), "{}", told(&erased));
    assert_snapshot!(told(&anteroom(dir.path(), &["run", "--data", "data"])), @"
    config.toml:6:1: environment variable `NOT_SET` is not set. hint: export it, or use `bot_token_file`
    config.toml:7:1: environment variable `NOT_SET` is not set. hint: export it, or use `app_token_file`
    config.toml:11:1: environment variable `NOT_SET` is not set. hint: export it, or use `key_file`
    config.toml:13:41: environment variable `NOT_SET` is not set. hint: export it, or use `secret_file`
    ");
}

#[test]
fn relative_paths_of_a_configuration_start_from_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let conf = dir.path().join("conf");
    fs::create_dir_all(conf.join("mine")).unwrap();
    let config = r#"
        data.dir = "kept"
        flows = { dir = "mine", enabled = ["of-the-folder"] }
        vars = { organisation = "Example", privacy_url = "https://example.org", contact = "Ada" }
    "#;
    fs::write(conf.join("config.toml"), config).unwrap();
    let flow = anteroom(dir.path(), &["flows", "export", "community-welcome"]).stdout;
    let flow = String::from_utf8(flow).unwrap();
    let flow = flow.replacen("\"community-welcome\"", "\"of-the-folder\"", 1);
    fs::write(conf.join("mine/of-the-folder.toml"), flow).unwrap();

    let asked =
        |more: &[&str]| anteroom(dir.path(), &[&["--config", "conf/config.toml"], more].concat());
    let listed = asked(&["flows", "list"]);
    assert!(told(&listed).is_empty(), "{}", told(&listed));
    assert!(String::from_utf8(listed.stdout).unwrap().contains("of-the-folder"));
    let sessions = told(&asked(&["sessions", "list"]));
    assert!(sessions.contains("there is no data in `conf/kept`"), "{sessions}");
    // What was typed is meant from where it was typed.
    let sessions = told(&asked(&["sessions", "list", "--data", "typed"]));
    assert!(sessions.contains("there is no data in `typed`"), "{sessions}");
}

#[test]
fn a_file_that_exists_is_replaced_only_if_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mine.toml");
    fs::write(&file, "precious").unwrap();
    let export = |more: &[&str]| {
        let args = ["flows", "export", "candidate-onboarding", "-o", "mine.toml"];
        anteroom(dir.path(), &[&args[..], more].concat())
    };
    let refused = export(&[]);
    assert_eq!(refused.status.code(), Some(1));
    assert_snapshot!(told(&refused), @r"
    error: `mine.toml` already exists
    hint: choose another name, or pass `--force` to replace it
    ");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    assert!(export(&["--force"]).status.success());
    assert!(fs::read_to_string(&file).unwrap().starts_with('#'));
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("elsewhere.toml", &file).unwrap();
    for more in [&[][..], &["--force"]] {
        assert!(told(&export(more)).contains("is a symbolic link"), "{}", told(&export(more)));
    }
    assert!(!dir.path().join("elsewhere.toml").exists());
}

#[test]
fn an_address_in_use_leads_to_what_the_command_line_takes() {
    let dir = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let play = |args: &[&str]| {
        let args = [&["play", "--no-open", "--data", "data"], args].concat();
        told(&anteroom(dir.path(), &args)).replace(&address, "ADDRESS")
    };
    assert_snapshot!(play(&["--listen", &address]), @r"
    error: cannot listen on `ADDRESS`: Address already in use (os error 98)
    hint: choose another address with `--listen`, for example `--listen 127.0.0.1:0` for any free port
    ");
    assert_snapshot!(play(&["--listen", "0.0.0.0:1"]), @r"
    error: `0.0.0.0:1` can be reached from other machines
    hint: use `127.0.0.1`; serving other machines needs a configuration file with `allow_remote` and a staff key under `[web]`
    ");
}

/// A system without memory is no reason to restore a backup.
#[test]
#[cfg(target_os = "linux")]
fn too_little_memory_is_not_told_as_damage() {
    let dir = tempfile::tempdir().unwrap();
    let store = anteroom::store::sled::SledStore::open(
        &dir.path().join("data/store"),
        std::sync::Arc::new(anteroom::base::ids::RandomIds),
    );
    drop(store.unwrap());
    let mut said = Vec::new();
    for kilobytes in (200_000..600_000).step_by(20_000) {
        // With hardly any memory a thread of the database may not start, and the program waits for it.
        let script = format!(
            "ulimit -v {kilobytes}; exec timeout -s KILL 20 \"$0\" sessions list --data data"
        );
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_anteroom")])
            .env_clear()
            .env("HOME", dir.path())
            // Each heap takes address space, so with many there are many ways to run out of it.
            .env("MALLOC_ARENA_MAX", "16")
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert!(!told(&output).contains("damaged"), "{kilobytes}: {}", told(&output));
        said.push(told(&output));
    }
    let is_told = said.iter().any(|told| told.contains("out of memory"));
    assert!(is_told, "{said:#?}");
}

#[test]
fn completions_name_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = said(&["completions", shell]);
        for command in [
            "play",
            "run",
            "flows",
            "tools",
            "sessions",
            "export",
            "erase",
            "hold",
            "audit",
            "backup",
            "restore",
            "healthcheck",
        ] {
            assert!(script.contains(command), "{shell} lacks `{command}`");
        }
    }
}

/// Row 42 of `docs/semantics.md`.
#[test]
fn a_data_directory_in_use_is_told_with_its_holder() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let store = anteroom::store::sled::SledStore::open(
        &data.join("store"),
        std::sync::Arc::new(anteroom::base::ids::RandomIds),
    )
    .unwrap();
    let output = anteroom(dir.path(), &["audit", "show", "--data", "data"]);
    assert_eq!(output.status.code(), Some(1));
    let pid = std::process::id().to_string();
    assert!(told(&output).contains(&format!("in use by process {pid}")), "{}", told(&output));
    assert!(told(&output).contains("hint: stop it with Ctrl-C or `kill"), "{}", told(&output));
    drop(store);
    let output = anteroom(dir.path(), &["audit", "verify", "--data", "data", "--json"]);
    assert!(output.status.success(), "{}", told(&output));
}

#[test]
fn words_lead_to_a_task_and_it_is_said_why() {
    assert_snapshot!(said(&["tasks", "match", "read", "the", "code"]), @r"
    Best match: `code_analysis`
    TASK                       SCORE  WHY
    code_analysis              4      word `code` (+3), word `read` of its description (+1)
    artifact_ingestion         1      word `read` of its description (+1)
    writing_sample_analysis    1      word `read` of its description (+1)
    knowledge_card_generation  0
    ");
    assert_snapshot!(said(&["tasks", "list"]), @r"
    TASK                       VERSION  DIGEST        DESCRIPTION
    artifact_ingestion         1.0.0    23cb66d66700  Reads a document that somebody sent and notes what it is, what it says and what it proves.
    code_analysis              1.0.0    88fcb33243fa  Reads source code or a repository's files that somebody sent and says what it shows of their work.
    knowledge_card_generation  1.0.0    42f13a309adc  Drafts an evidence card of one piece of work from notes of an interview and files that were sent.
    writing_sample_analysis    1.0.0    5066f03cb2ca  Reads a text that somebody wrote and describes its style, structure and voice, without judging it.
    ");
    let dir = tempfile::tempdir().unwrap();
    let none = anteroom(dir.path(), &["tasks", "match", "boil an egg"]);
    assert_eq!(none.status.code(), Some(1));
    let hinted = said(&["tasks", "match", "--hint", "writing", "--json", "something"]);
    let hinted: Value = serde_json::from_str(&hinted).unwrap();
    assert_eq!(hinted["task"], "writing_sample_analysis");
}

#[test]
fn a_template_of_ones_own_is_checked_and_may_be_a_tool() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("tasks")).unwrap();
    let task = r#"
format = 1
name = "dig"
version = "1.0.0"
title = "Digging"
description = "Digs."
hints = ["dig"]
tool = "Have somebody dig."
prompt = "Dig."
tools = ["extract_document"]
input = '{"type":"object","required":["where"],"properties":{"where":{"type":"string"}}}'
output = '{"type":"object"}'
"#;
    let file = dir.path().join("tasks/dig.toml");
    fs::write(&file, task).unwrap();
    fs::write(dir.path().join("config.toml"), "[flows]\ntasks = \"tasks\"\n").unwrap();
    let run = |args: &[&str]| {
        let args: Vec<&str> = ["--config", "config.toml"].iter().chain(args).copied().collect();
        anteroom(dir.path(), &args)
    };
    let checked = run(&["tasks", "check", "tasks/dig.toml"]);
    assert_snapshot!(String::from_utf8(checked.stdout).unwrap(), @"tasks/dig.toml: ok, task `dig`");
    let schema = run(&["tools", "schema", "dig", "--json"]);
    assert_snapshot!(String::from_utf8(schema.stdout).unwrap(), @r#"
    {
      "type": "function",
      "function": {
        "name": "dig",
        "description": "Have somebody dig.",
        "parameters": {
          "type": "object",
          "required": [
            "where"
          ],
          "properties": {
            "where": {
              "type": "string"
            }
          }
        }
      }
    }
    "#);
    fs::write(&file, task.replace("extract_document", "persist_data")).unwrap();
    assert_snapshot!(told(&run(&["tasks", "list"])), @"task `dig`:10:10: a child run cannot call `persist_data`. hint: it changes the conversation; have the caller of the task do that");
    fs::write(&file, task.replace("name = \"dig\"", "name = \"deploy_agent\"")).unwrap();
    assert_snapshot!(told(&run(&["tools", "list"])), @"error: there are two tools `deploy_agent`");
}
