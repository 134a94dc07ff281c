//! Laws that hold for every tool, and for the toolbox that holds them.

use std::{fs, path::Path, sync::Arc};

use anteroom::tool::{
    EffectClass, Toolbox, WORKING,
    catalog::{self, interview},
    pipeline::validate::lenient,
};
use proptest::prelude::proptest;
use serde_json::json;

use super::card::anything;

#[test]
fn every_tool_is_a_file_of_its_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tool/catalog/interview");
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let mut names: Vec<String> =
        interview::tools().iter().map(|tool| tool.spec().name.to_owned()).collect();
    files.sort();
    names.sort();
    assert_eq!(files, names);
}

#[test]
fn two_tools_of_one_name_are_an_error_at_start_up() {
    let mut tools = interview::tools();
    tools.push(Arc::clone(&tools[0]));
    let error = Toolbox::new(tools).unwrap_err();
    insta::assert_snapshot!(error, @"there are two tools `get_user_option`");
}

#[test]
fn no_tool_of_the_interview_is_kept_back_or_served_again() {
    for tool in interview::tools() {
        let spec = tool.spec();
        assert!(!spec.cacheable && !spec.admin_only && spec.capability.is_none(), "{}", spec.name);
        let expected = match spec.name {
            // A child run would be found again by the call's id.
            "deploy_agent" => EffectClass::Idempotent,
            // What the others change is committed together with their result.
            _ => EffectClass::Pure,
        };
        assert_eq!(spec.effect_class, expected, "{}", spec.name);
    }
}

#[test]
fn every_tool_has_words_for_people() {
    for tool in catalog::tools() {
        let spec = tool.spec();
        let is_sentence = spec.doing.starts_with(char::is_uppercase) && spec.doing.ends_with('…');
        let names_itself = spec.doing.contains('_') || spec.doing.contains("tool");
        let is_own = spec.doing != WORKING && !spec.done.ends_with(['…', '.']);
        assert!(is_sentence && is_own && !names_itself, "{}: {}", spec.name, spec.doing);
    }
}

#[test]
fn arguments_of_another_kind_are_refused_with_their_path() {
    let toolbox = Toolbox::new(interview::tools()).unwrap();
    let mut told = Vec::new();
    for tool in toolbox.iter() {
        let name = tool.spec().name;
        let properties = tool.spec().parameters["properties"].as_object().unwrap();
        for property in properties.keys() {
            let error = toolbox.prepare(name, None, json!({ property: [[0]] })).unwrap_err();
            assert_eq!(error.code(), "invalid_parameters");
            let text = error.to_string();
            assert!(text.contains(&format!("`/{property}")), "{name}: {text}");
            told.push(format!("{name}: {text}"));
        }
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    get_user_option: `/`: expected `options`, which is missing (schema `/required`); `/prompt`: expected string (schema `/properties/prompt/type`)
    get_user_option: `/`: expected `prompt`, which is missing (schema `/required`); `/options`: expected at least 2 items (schema `/properties/options/minItems`); `/options/0`: expected object (schema `/properties/options/items/type`)
    get_user_option: `/`: expected `prompt`, which is missing (schema `/required`); `/`: expected `options`, which is missing (schema `/required`); `/allowMultiple`: expected boolean (schema `/properties/allowMultiple/type`)
    get_user_option: `/`: expected `prompt`, which is missing (schema `/required`); `/`: expected `options`, which is missing (schema `/required`); `/required`: expected boolean (schema `/properties/required/type`)
    submit_for_validation: `/`: expected `data`, which is missing (schema `/required`); `/dataType`: expected string (schema `/properties/dataType/type`); `/dataType`: expected one of "applicantProfile", "experience", "education", "knowledgeCard" (schema `/properties/dataType/enum`)
    submit_for_validation: `/`: expected `dataType`, which is missing (schema `/required`); `/data`: expected object (schema `/properties/data/type`)
    submit_for_validation: `/`: expected `dataType`, which is missing (schema `/required`); `/`: expected `data`, which is missing (schema `/required`); `/message`: expected string (schema `/properties/message/type`)
    get_user_upload: `/uploadType`: expected string (schema `/properties/uploadType/type`); `/uploadType`: expected one of "resume", "coverletter", "portfolio", "transcript", "certificate", "other" (schema `/properties/uploadType/enum`)
    get_user_upload: `/`: expected `uploadType`, which is missing (schema `/required`); `/prompt`: expected string (schema `/properties/prompt/type`)
    get_user_upload: `/`: expected `uploadType`, which is missing (schema `/required`); `/acceptedFormats/0`: expected string (schema `/properties/acceptedFormats/items/type`)
    get_image_from_user: `/imageType`: expected string (schema `/properties/imageType/type`); `/imageType`: expected one of "profile", "certificate", "portfolio", "other" (schema `/properties/imageType/enum`)
    get_image_from_user: `/`: expected `imageType`, which is missing (schema `/required`); `/prompt`: expected string (schema `/properties/prompt/type`)
    fetch_url: `/url`: expected string (schema `/properties/url/type`)
    get_macos_contact_card: `/cardType`: expected string (schema `/properties/cardType/type`); `/cardType`: expected one of "me", "specific" (schema `/properties/cardType/enum`)
    query_github_repo: `/repoUrl`: expected string (schema `/properties/repoUrl/type`)
    deploy_agent: `/`: expected `input`, which is missing (schema `/required`); `/agentType`: expected string (schema `/properties/agentType/type`); `/agentType`: expected one of "artifact_ingestion", "code_analysis", "knowledge_card_generation", "writing_sample_analysis" (schema `/properties/agentType/enum`)
    deploy_agent: `/`: expected `agentType`, which is missing (schema `/required`); `/input`: expected object (schema `/properties/input/type`)
    request_decision: `/approval`: expected string (schema `/properties/approval/type`)
    set_objective_status: `/`: expected `status`, which is missing (schema `/required`); `/objectiveId`: expected string (schema `/properties/objectiveId/type`)
    set_objective_status: `/`: expected `objectiveId`, which is missing (schema `/required`); `/status`: expected string (schema `/properties/status/type`); `/status`: expected one of "pending", "in_progress", "completed", "skipped", "failed" (schema `/properties/status/enum`)
    persist_data: `/`: expected `data`, which is missing (schema `/required`); `/dataType`: expected string (schema `/properties/dataType/type`); `/dataType`: expected one of "applicant_profile", "skeleton_timeline", "knowledge_card", "artifact_record", "writing_sample" (schema `/properties/dataType/enum`)
    persist_data: `/`: expected `dataType`, which is missing (schema `/required`); `/data`: expected object (schema `/properties/data/type`)
    next_phase: `/overrides/0`: expected string (schema `/properties/overrides/items/type`)
    next_phase: `/reason`: expected string (schema `/properties/reason/type`)
    request_user_input: `/prompt`: expected string (schema `/properties/prompt/type`)
    extract_document: `/artifact_id`: expected string (schema `/properties/artifact_id/type`)
    extract_document: `/`: expected `artifact_id`, which is missing (schema `/required`); `/return_types/0`: expected string (schema `/properties/return_types/items/type`); `/return_types/0`: expected one of "applicant_profile", "skeleton_timeline", "education_history" (schema `/properties/return_types/items/enum`)
    hand_to_person: `/reason`: expected string (schema `/properties/reason/type`)
    "#);
}

#[test]
fn lenient_arguments_mean_what_a_model_meant() {
    let toolbox = Toolbox::new(interview::tools()).unwrap();
    let options = json!([{ "id": "a", "label": "A" }, { "id": "b", "label": "B" }]);
    let asked = |multiple: bool, required: bool| {
        json!({
            "prompt": "Which?", "options": options, "allowMultiple": multiple, "required": required
        })
    };
    let prompt = |more: serde_json::Value| {
        let mut args = json!({ "prompt": "Which?", "options": options });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    let table = [
        ("get_user_option", prompt(json!({})), asked(false, true)),
        ("get_user_option", prompt(json!({ "allowMultiple": "true" })), asked(true, true)),
        ("get_user_option", prompt(json!({ "required": "False" })), asked(false, false)),
        ("get_user_option", prompt(json!({ "required": null })), asked(false, true)),
        ("get_user_option", prompt(json!({ "allowMultiple": "" })), asked(false, true)),
        (
            "get_user_option",
            json!({ "question": "Which?", "options": options }),
            asked(false, true),
        ),
        (
            "get_user_option",
            json!({ "prompt": "Which?", "options": ["Tea", { "id": "c", "label": "Coffee" }] }),
            json!({
                "prompt": "Which?",
                "options": [{ "id": "Tea", "label": "Tea" }, { "id": "c", "label": "Coffee" }],
                "allowMultiple": false,
                "required": true,
            }),
        ),
        ("next_phase", json!({}), json!({ "overrides": [] })),
        ("next_phase", json!(null), json!({ "overrides": [] })),
        ("next_phase", json!({ "overrides": null, "reason": null }), json!({ "overrides": [] })),
        ("next_phase", json!({ "overrides": [], "reason": " " }), json!({ "overrides": [] })),
        ("get_macos_contact_card", json!({}), json!({ "cardType": "me" })),
        ("get_macos_contact_card", json!({ "cardType": "" }), json!({ "cardType": "me" })),
        (
            "get_user_upload",
            json!({ "uploadType": "resume", "prompt": null }),
            json!({ "uploadType": "resume", "acceptedFormats": ["pdf", "docx", "txt", "md"] }),
        ),
        (
            "extract_document",
            json!({ "artifact_id": "upload_1", "return_types": null }),
            json!({ "artifact_id": "upload_1" }),
        ),
    ];
    for (tool, given, meant) in table {
        let prepared = toolbox.prepare(tool, None, given.clone()).unwrap();
        assert_eq!(prepared, meant, "{tool} {given}");
        assert_eq!(toolbox.prepare(tool, None, prepared).unwrap(), meant, "{tool}: a second time");
    }
}

#[test]
fn numbers_written_as_text_are_numbers_and_other_text_stays_text() {
    let schema = json!({
        "type": "object",
        "required": ["count"],
        "properties": {
            "count": { "type": "integer" },
            "share": { "type": "number" },
            "name": { "type": "string" },
            "list": { "type": "array", "items": { "type": "integer" } }
        }
    });
    let given = json!({ "count": " 12 ", "share": "0.5", "name": "12", "list": ["1", "two"] });
    let meant = json!({ "count": 12, "share": 0.5, "name": "12", "list": [1, "two"] });
    assert_eq!(lenient(&schema, given), meant);
    for (count, whole) in [
        (json!(12.0), json!(12)),
        (json!("12.0"), json!(12)),
        (json!(-3.0), json!(-3)),
        (json!(0.5), json!(0.5)),
        (json!("0.5"), json!("0.5")),
        (json!(1e300), json!(1e300)),
        (json!(u64::MAX), json!(u64::MAX)),
    ] {
        assert_eq!(lenient(&schema, json!({ "count": count }))["count"], whole, "{count}");
    }
    assert_eq!(lenient(&schema, json!({ "count": 1, "share": 1.0 }))["share"], json!(1.0));
    let empty = json!({ "count": "", "share": "", "name": "", "other": "" });
    assert_eq!(lenient(&schema, empty), json!({ "count": "", "other": "" }));
}

#[test]
fn what_is_required_stays_missing_and_is_named() {
    let toolbox = Toolbox::new(interview::tools()).unwrap();
    let error = toolbox.prepare("get_user_option", None, json!({ "prompt": "Which?" }));
    insta::assert_snapshot!(
        error.unwrap_err(),
        @"`/`: expected `options`, which is missing (schema `/required`)"
    );
    let error = toolbox.prepare("get_user_options", None, json!({})).unwrap_err();
    insta::assert_snapshot!(error, @"unknown tool `get_user_options`");
}

proptest! {
    #[test]
    fn putting_arguments_right_a_second_time_changes_nothing(given in anything()) {
        for tool in catalog::tools() {
            let schema = &tool.spec().parameters;
            let once = lenient(schema, given.clone());
            assert_eq!(lenient(schema, once.clone()), once, "{}", tool.spec().name);
        }
    }
}
