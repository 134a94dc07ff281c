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

#[test]
fn words_lead_to_a_task_and_it_is_said_why() {
    assert_snapshot!(said(&["tasks", "match", "read", "the", "code"]), @"
    This leads to `code_analysis`.
    TASK                       WORTH  WHY
    code_analysis              4      word `code` (+3), word `read` of its description (+1)
    artifact_ingestion         1      word `read` of its description (+1)
    writing_sample_analysis    1      word `read` of its description (+1)
    knowledge_card_generation  0
    ");
    assert_snapshot!(said(&["tasks", "list"]), @"
    TASK                       VERSION  DIGEST        WHAT IT DOES
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
