//! Flow files and configuration: what loads, and what is said about what does not.

mod authoring;
mod broken;
mod configuration;
mod configuration_discord;
mod configuration_slack;
mod consequences;
mod contradictions;
mod effects;
mod fields;
mod harms;
mod messages;
mod mistakes;
mod promises;
mod recorded;
mod reference;
mod rehearsal;
mod rehearsal_others;
mod rehearsal_ways;
mod scripts;
mod slips;
mod stories;

use std::collections::BTreeMap;

use anteroom::{
    config::{Environment, Settings, render},
    flow::{self, Aliases, Catalogue, Library, LoadedFlow},
    tool::{Toolbox, catalog},
};

fn vars() -> BTreeMap<String, String> {
    [
        ("organisation", "Example Ltd"),
        ("privacy_url", "https://example.org/privacy"),
        ("contact", "people@example.org"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

fn shipped(id: &str) -> std::sync::Arc<LoadedFlow> {
    Library::load(None, &[], &vars()).unwrap().get(id).unwrap()
}

#[test]
fn both_shipped_flows_load() {
    let library = Library::load(None, &[], &vars()).unwrap();
    let ids: Vec<_> = library.iter().map(|loaded| loaded.flow.id.clone()).collect();
    assert_eq!(ids, ["candidate-onboarding", "community-welcome"]);
}

#[test]
fn texts_take_the_operators_values_and_the_flows_retention() {
    let flow = shipped("community-welcome");
    assert_eq!(
        flow.text("{{organisation}} keeps it for {{ retention }}, {{ answers.x }}"),
        "Example Ltd keeps it for 90 days, {{ answers.x }}"
    );
}

#[test]
fn both_spellings_of_data_name_the_same_record() {
    let flow = shipped("candidate-onboarding");
    assert_eq!(flow.data_type("experience").as_deref(), Some("skeleton_timeline"));
    assert_eq!(flow.data_type("education_history").as_deref(), Some("education_history"));
    assert_eq!(flow.data_type("writing_sample").as_deref(), Some("writing_sample"));
    assert_eq!(flow.data_type("introduction"), None);
}

#[test]
fn the_playground_needs_no_configuration() {
    let settings = Settings::playground("/tmp/anteroom".into());
    assert!(settings.web.listen.ip().is_loopback());
    assert!(Library::load(None, &settings.flows.enabled, &settings.vars).is_ok());
}

fn catalogue(flow: &LoadedFlow) -> Catalogue {
    Toolbox::new(catalog::tools()).unwrap().catalogue(flow)
}

const EXAMPLE: &str = include_str!("../../config.example.toml");

/// The example with the tables of aliases and web hooks in use.
fn filled_in() -> String {
    const TABLES: [&str; 4] =
        ["[slack.channels]", "[discord.channels]", "[discord.roles]", "[webhooks]"];
    let mut is_within = false;
    let lines = EXAMPLE.lines().map(|line| {
        let without = line.strip_prefix("# ").unwrap_or(line);
        is_within = TABLES.contains(&without) || (is_within && !line.is_empty());
        if is_within { without } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn example() -> Settings {
    let secrets = [("ATS_HOOK_SECRET", "hook")];
    Settings::parse("config.example.toml", &filled_in(), &Environment::from(secrets))
        .unwrap_or_else(|problems| panic!("{}", render(&problems)))
}

/// What is said about a flow, one problem a line.
fn said(source: &str) -> String {
    let aliases = Aliases::from(&example());
    let found = flow::check_source(source, "flow.toml", &vars(), catalogue, Some(&aliases));
    match found {
        Ok((_, warnings)) => render(&warnings),
        Err(problems) => render(&problems),
    }
}

fn source(name: &str) -> &'static str {
    flow::shipped().into_iter().find(|(file, _)| file.starts_with(name)).unwrap().1
}

/// A flow in the box with one thing changed.
fn changed(name: &str, from: &str, to: &str) -> String {
    let source = source(name);
    assert!(source.contains(from), "`{from}` is not in the flow");
    source.replacen(from, to, 1)
}

#[test]
fn nothing_is_said_about_the_flows_in_the_box() {
    assert_eq!(said(source("candidate")), "");
    assert_eq!(said(source("community")), "");
}

#[test]
fn a_schema_beside_the_flow_is_pinned_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let schema = r#"{ "type": "object", "properties": { "note": { "type": "string" } } }"#;
    std::fs::write(dir.path().join("note.json"), schema).unwrap();
    let flow = changed("candidate", "builtin:writing_sample", "note.json");
    let name = dir.path().join("mine.toml").display().to_string();

    let loaded = LoadedFlow::load(&flow, &name, &vars()).unwrap();
    std::fs::remove_file(dir.path().join("note.json")).unwrap();
    let again = LoadedFlow::load(&loaded.source, "pinned.toml", &vars()).unwrap();

    assert_eq!(again.schemas, loaded.schemas);
    assert_eq!(again.digest, loaded.digest);
    assert_ne!(loaded.source, flow);
}

#[test]
fn a_flow_of_the_operator_needs_an_id_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine.toml"), source("community")).unwrap();
    let problems = Library::load(Some(dir.path()), &[], &vars()).unwrap_err();
    let said = render(&problems).replace(&dir.path().display().to_string(), "flows");
    insta::assert_snapshot!(said, @"flows/mine.toml: duplicate flow `community-welcome`. hint: give this one a different id");

    let mine = changed("community", "\"community-welcome\"", "\"my-welcome\"");
    std::fs::write(dir.path().join("mine.toml"), mine).unwrap();
    let library = Library::load(Some(dir.path()), &["my-welcome".to_owned()], &vars()).unwrap();
    let ids: Vec<_> = library.iter().map(|loaded| loaded.flow.id.clone()).collect();
    assert_eq!(ids, ["my-welcome"]);
}

#[test]
fn what_a_flow_needs_from_the_operator_is_named() {
    let problems = LoadedFlow::load(source("candidate"), "flow.toml", &BTreeMap::new());
    insta::assert_snapshot!(render(&problems.unwrap_err()), @r#"
    flow.toml:10:12: `organisation` has no value. hint: add `organisation = "…"` under `[vars]` in the configuration
    flow.toml:10:28: `privacy_url` has no value. hint: add `privacy_url = "…"` under `[vars]` in the configuration
    flow.toml:10:43: `contact` has no value. hint: add `contact = "…"` under `[vars]` in the configuration
    "#);
}

#[test]
fn a_flow_is_checked_without_a_configuration_too() {
    let flow = changed("candidate", "channel = \"recruiting_desk\"", "channel = \"nowhere\"");
    let found = flow::check_source(&flow, "flow.toml", &vars(), catalogue, None);
    assert_eq!(found.unwrap().1, []);
}

#[test]
fn every_schema_in_the_box_names_its_properties_for_people() {
    fn titles(schema: &serde_json::Value, path: &str) {
        if !path.is_empty() {
            assert!(schema["title"].is_string(), "`{path}` has no title");
        }
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            titles(schema, &format!("{path}/{name}"));
        }
        if schema["items"].is_object() {
            titles(&schema["items"], &format!("{path}/items"));
        }
    }
    for schema in shipped("candidate-onboarding").schemas.values() {
        titles(schema, "");
    }
}
