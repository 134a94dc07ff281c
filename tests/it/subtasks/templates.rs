//! Templates: what is wrong with one, and which one a piece of work leads to.

use std::sync::Arc;

use anteroom::{
    config::render,
    flow::subtasks::{LoadedTask, Tasks, check::check, shipped},
    tool::{Toolbox, catalog},
};
use insta::assert_snapshot;

use super::DIG;

fn choose(tasks: &Tasks, hints: &[&str], description: &str) -> String {
    let hints: Vec<String> = hints.iter().map(|hint| (*hint).to_owned()).collect();
    let choice = tasks.choose(&hints, description);
    let mut text = format!("{}\n", choice.task.as_deref().unwrap_or("nothing"));
    text.extend(choice.tie.map(|tie| format!("{tie}\n")));
    for found in choice.ranked.iter().filter(|found| found.score > 0) {
        text.extend([format!("{} {}: {}\n", found.score, found.task, found.because.join(", "))]);
    }
    text
}

#[test]
fn the_templates_in_the_box_are_sound() {
    let toolbox = Toolbox::new(catalog::interview::tools()).unwrap();
    let tools: Vec<&str> = toolbox.iter().map(|tool| tool.spec().name).collect();
    for (file, source) in shipped() {
        let task = LoadedTask::load(source, file).unwrap_or_else(|all| panic!("{}", render(&all)));
        let allowed = |name: &str| toolbox.get(name).map(|tool| !tool.spec().changes_session);
        assert_eq!(check(&task, file, &tools, allowed), []);
        assert_eq!(format!("{}.toml", task.template.name), file);
    }
}

#[test]
fn every_mistake_of_a_template_is_told_with_its_line() {
    let source = r#"
format = 2
name = "Dig!"
version = "1.0.0"
title = "Digging"
description = "Digs."
hints = []
prompt = " "
output = "builtin:knowledge_cart"
input = "{"
tools = ["get_user_option"]
budget = { rounds = 0, tokens = 0 }
"#;
    let problems = LoadedTask::load(source, "dig.toml").unwrap_err();
    assert_snapshot!(render(&problems), @r#"
    dig.toml:2:1: format 2 is not known. hint: write `format = 1`
    dig.toml:3:1: `Dig!` is not a name. hint: write lower case, digits and underscores: `code_analysis`
    dig.toml:7:1: no word leads here. hint: write `hints = ["data_analysis"]`
    dig.toml:8:1: the model is told nothing. hint: say what to do and what to give back
    dig.toml:9:1: there is no built-in schema `knowledge_cart`. hint: did you mean `knowledge_card`?
    dig.toml:10:1: this is not JSON: EOF while parsing an object at line 1 column 1
    dig.toml:12:12: 0 model calls are no budget. hint: write a number from 1 to 50
    dig.toml:12:24: no token is no budget. hint: write `tokens = 60000`
    "#);
    let unknown = DIG.replace("prompt =", "promt =");
    assert_snapshot!(render(&LoadedTask::load(&unknown, "dig.toml").unwrap_err()), @"
    dig.toml: `prompt` is missing
    dig.toml:8:1: unknown key `promt`. hint: did you mean `prompt`?
    ");
}

#[test]
fn tools_of_a_template_exist_and_leave_the_conversation_alone() {
    let source = DIG.replace("\"delegate\"", "\"get_user_optoin\", \"persist_data\"");
    let task = LoadedTask::load(&source, "dig.toml").unwrap();
    let toolbox = Toolbox::new(catalog::interview::tools()).unwrap();
    let tools: Vec<&str> = toolbox.iter().map(|tool| tool.spec().name).collect();
    let allowed = |name: &str| toolbox.get(name).map(|tool| !tool.spec().changes_session);
    assert_snapshot!(render(&check(&task, "dig.toml", &tools, allowed)), @"
    dig.toml:9:10: there is no tool `get_user_optoin`. hint: did you mean `get_user_option`?
    dig.toml:9:29: a child run cannot call `persist_data`. hint: it changes the conversation; have the caller of the task do that
    ");
}

#[test]
fn words_lead_to_a_template_the_same_way_every_time() {
    let tasks = Tasks::load(None).unwrap();
    assert_snapshot!(choose(&tasks, &["code_analysis"], "Run the agent code analysis"), @"
    code_analysis
    116 code_analysis: its name is a hint (+100), hint `code_analysis` (+10), word `analysis` (+3), word `code` (+3)
    3 writing_sample_analysis: word `analysis` (+3)
    ");
    assert_snapshot!(choose(&tasks, &[], "Analyse the repositories' code, please"), @"
    code_analysis
    6 code_analysis: word `code` (+3), word `repository` (+3)
    ");
    assert_snapshot!(choose(&tasks, &["knowledge card"], "Make something of these notes"), @"
    knowledge_card_generation
    17 knowledge_card_generation: hint `knowledge_card` (+10), word `card` (+3), word `knowledge` (+3), word `note` of its description (+1)
    1 artifact_ingestion: word `note` of its description (+1)
    ");
    assert_snapshot!(choose(&tasks, &[], "Boil an egg"), @"nothing");
}

#[test]
fn of_two_that_are_worth_the_same_it_is_said_why_one_goes_first() {
    let mut tasks = Tasks::default();
    for (name, hints) in
        [("beta", "[\"dig\"]"), ("alpha", "[\"dig\", \"shovel\"]"), ("gamma", "[\"dig\"]")]
    {
        let source = DIG
            .replace("name = \"dig\"", &format!("name = \"{name}\""))
            .replace("title = \"Digging\"", "title = \"T\"")
            .replace("[\"dig\", \"shovel\"]", hints);
        tasks.insert(Arc::new(LoadedTask::load(&source, "task.toml").unwrap()));
    }
    assert_snapshot!(choose(&tasks, &["dig"], ""), @"
    beta
    `gamma` is worth as much; `beta` goes first because its name comes first in the alphabet
    13 beta: hint `dig` (+10), word `dig` (+3)
    13 gamma: hint `dig` (+10), word `dig` (+3)
    13 alpha: hint `dig` (+10), word `dig` (+3)
    ");
}
