//! The schemas without a flow are the specification's, and with one they differ in generated enums alone.

use anteroom::{
    flow::{check_source, shipped},
    tool::{Partner, Toolbox, catalog::interview},
};
use serde_json::{Map, Value};

use super::bench;

/// The schemas as they are published, in catalogue order.
const SPECIFIED: &str = include_str!("specified.json");

#[test]
fn without_a_flow_the_schemas_are_the_specification_word_for_word() {
    let toolbox = Toolbox::new(interview::tools()).unwrap();
    let exported = toolbox.tool_schemas(None);
    let expected: Map<String, Value> = serde_json::from_str(SPECIFIED).unwrap();
    assert_eq!(exported.len(), expected.len());
    for (exported, (name, parameters)) in exported.iter().zip(expected) {
        assert_eq!(exported["type"], "function");
        assert_eq!(exported["function"]["name"], name);
        let (exported_text, printed) =
            (exported["function"]["parameters"].to_string(), parameters.to_string());
        // As text, so that the members come in the order of the specification too.
        assert_eq!(exported_text, printed, "{name}");
        assert!(exported["function"]["description"].as_str().is_some_and(|text| !text.is_empty()));
    }
}

/// Takes the generated enums out of schemas.
fn taken(tools: &mut [Value]) -> Vec<(String, Value)> {
    let mut enums = Vec::new();
    for tool in tools {
        let name = tool["function"]["name"].as_str().unwrap().to_owned();
        let member = match name.as_str() {
            "get_user_upload" => "uploadType",
            "submit_for_validation" | "persist_data" => "dataType",
            _ => continue,
        };
        enums.push((name, tool["function"]["parameters"]["properties"][member]["enum"].take()));
    }
    enums
}

#[test]
fn a_flow_changes_nothing_but_the_generated_enums() {
    let toolbox = Toolbox::new(interview::tools()).unwrap();
    let flow = bench::flow();
    let (mut with_flow, mut without) =
        (toolbox.tool_schemas(Some(&flow)), toolbox.tool_schemas(None));
    let enums = taken(&mut with_flow);
    taken(&mut without);
    assert_eq!(with_flow, without);
    insta::assert_json_snapshot!(enums, @r#"
    [
      [
        "submit_for_validation",
        [
          "applicant_profile",
          "education_history",
          "skeleton_timeline",
          "applicantProfile",
          "experience",
          "education"
        ]
      ],
      [
        "get_user_upload",
        [
          "resume",
          "coverletter",
          "portfolio",
          "transcript",
          "certificate",
          "other",
          "reference_letter"
        ]
      ],
      [
        "persist_data",
        [
          "applicant_profile",
          "education_history",
          "remarks",
          "skeleton_timeline",
          "artifact_record",
          "writing_sample",
          "applicantProfile",
          "experience",
          "education"
        ]
      ]
    ]
    "#);
}

#[test]
fn a_phase_is_given_its_own_tools_in_catalogue_order() {
    let toolbox = Toolbox::new(interview::tools()).unwrap();
    let schemas = toolbox.phase_schemas(&bench::flow(), "phase_2", Partner::Participant);
    let names: Vec<&Value> = schemas.iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names, ["get_user_option", "next_phase", "hand_to_person"]);
    // A child run talks to nobody.
    let of_child = toolbox.phase_schemas(&bench::flow(), "phase_2", Partner::Program);
    assert_eq!(of_child.len(), 2);
}

#[test]
fn both_flows_in_the_box_fit_the_tools() {
    let toolbox = Toolbox::new(interview::tools()).unwrap();
    for (name, source) in shipped() {
        let checked =
            check_source(source, name, &bench::vars(), |flow| toolbox.catalogue(flow), None);
        assert_eq!(checked.map(|(_, remarks)| remarks), Ok(Vec::new()), "{name}");
    }
}
