//! The catalogue `recruiting`: what it finds in texts, how it compares them, and that no flow in the box has it.

mod matching;
mod similarity;
mod skills;

use std::{collections::BTreeMap, sync::Arc};

use anteroom::{
    flow::{LoadedFlow, shipped},
    tool::{Policy, Toolbox, catalog::recruiting},
};

use super::bench::{self, Bench};

/// A phase with both tools; `true` lets people be scored.
fn flow(score_people: bool) -> Arc<LoadedFlow> {
    let source = format!(
        r#"
format = 1
id = "workbench"
version = "1.0.0"
title = "Workbench"
policy = {{ score_people = {score_people} }}

[[phase]]
id = "phase_1"
title = "One"
mode = "interview"
tools = ["extract_skills", "calculate_similarity"]

  [[phase.objective]]
  id = "talked"
  title = "Talk"
  done = {{ talked = 1 }}
"#
    );
    Arc::new(LoadedFlow::load(&source, "workbench.toml", &BTreeMap::new()).unwrap())
}

fn bench(score_people: bool) -> Bench {
    Bench::on(flow(score_people), recruiting::tools(), Vec::new(), Policy::CHAT)
}

#[test]
fn the_schemas_have_the_parameters_of_the_specification() {
    let toolbox = Toolbox::new(recruiting::tools()).unwrap();
    insta::assert_json_snapshot!(toolbox.tool_schemas(None), @r#"
    [
      {
        "type": "function",
        "function": {
          "name": "extract_skills",
          "description": "Extract skills deterministically from text. Give it a job description or what a person wrote; it answers with the skills named there, by category.",
          "parameters": {
            "type": "object",
            "required": [
              "text"
            ],
            "properties": {
              "text": {
                "type": "string",
                "description": "Text to extract skills from"
              }
            }
          }
        }
      },
      {
        "type": "function",
        "function": {
          "name": "calculate_similarity",
          "description": "Calculate semantic similarity of two texts using embeddings. Pass the parts of the texts that belong to the comparison, such as the requirements and what the person has done. A result with `\"method\": \"lexical\"` compares words only: lower by nature, and not to be set beside others.",
          "parameters": {
            "type": "object",
            "required": [
              "text1",
              "text2",
              "comparison_type"
            ],
            "properties": {
              "text1": {
                "type": "string",
                "description": "First text to compare"
              },
              "text2": {
                "type": "string",
                "description": "Second text to compare"
              },
              "comparison_type": {
                "type": "string",
                "enum": [
                  "role_alignment",
                  "technical_match",
                  "company_fit",
                  "growth_potential"
                ],
                "description": "What the texts are compared for. A note: the number is that of the texts, whatever stands here"
              }
            }
          }
        }
      }
    ]
    "#);
}

#[test]
fn no_flow_in_the_box_has_a_tool_of_this_catalogue() {
    let tools = recruiting::tools();
    for (name, source) in shipped() {
        let flow = LoadedFlow::load(source, name, &bench::vars()).unwrap().flow;
        assert!(!flow.policy.score_people, "{name}");
        for phase in flow.phase {
            let named = phase.tools.into_iter().chain(phase.step.into_iter().map(|step| step.tool));
            for named in named {
                assert!(tools.iter().all(|tool| tool.spec().name != named), "{name}: {named}");
            }
        }
    }
}
