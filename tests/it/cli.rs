//! The command line as operators and scripts meet it: what it prints, where, and how it ends.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use insta::assert_snapshot;
use serde_json::Value;

use anteroom::{catalog, tool::Toolbox};

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

    error: there is nothing in `elsewhere`
    hint: name the data directory with `--data DIR`

    error: there is no configuration
    hint: copy `config.example.toml` to `config.toml`, or run `anteroom play`, which needs none
    ");
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
    let toolbox = Toolbox::new(catalog::interview::tools()).unwrap();
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
    let (_, source) = anteroom::flows::shipped()[1];
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

#[test]
fn a_data_directory_in_use_is_told_with_its_holder() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let store = anteroom::store::sled::SledStore::open(
        &data.join("store"),
        std::sync::Arc::new(anteroom::ids::RandomIds),
    )
    .unwrap();
    let output = anteroom(dir.path(), &["audit", "show", "--data", "data"]);
    assert_eq!(output.status.code(), Some(1));
    let pid = std::process::id().to_string();
    assert!(told(&output).contains(&format!("in use by process {pid}")), "{}", told(&output));
    assert!(told(&output).contains("hint: stop it (Ctrl-C, or `kill"), "{}", told(&output));
    drop(store);
    let output = anteroom(dir.path(), &["audit", "verify", "--data", "data", "--json"]);
    assert!(output.status.success(), "{}", told(&output));
}
