//! The catalogue `interview`: the tools that lead an interview.

pub mod deploy_agent;
pub mod extract_document;
pub mod fetch_url;
pub mod get_image_from_user;
pub mod get_macos_contact_card;
pub mod get_user_option;
pub mod get_user_upload;
pub mod hand_to_person;
pub mod next_phase;
pub mod persist_data;
pub mod query_github_repo;
pub mod request_decision;
pub mod request_user_input;
pub mod set_objective_status;
pub mod submit_for_validation;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    flow::{ALIASES, LoadedFlow, shape::shape},
    tool::{
        Tool, ToolError,
        pipeline::{
            coerce::coerced,
            validate::{Complaint, invalid},
        },
    },
};

/// All tools of the catalogue, in documentation order.
pub fn tools() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(get_user_option::GetUserOption::default()),
        Arc::new(submit_for_validation::SubmitForValidation::default()),
        Arc::new(get_user_upload::GetUserUpload::default()),
        Arc::new(get_image_from_user::GetImageFromUser::default()),
        Arc::new(fetch_url::FetchUrl::default()),
        Arc::new(get_macos_contact_card::GetMacosContactCard::default()),
        Arc::new(query_github_repo::QueryGithubRepo::default()),
        Arc::new(deploy_agent::DeployAgent::default()),
        Arc::new(request_decision::RequestDecision::default()),
        Arc::new(set_objective_status::SetObjectiveStatus::default()),
        Arc::new(persist_data::PersistData::default()),
        Arc::new(next_phase::NextPhase::default()),
        Arc::new(request_user_input::RequestUserInput::default()),
        Arc::new(extract_document::ExtractDocument::default()),
        Arc::new(hand_to_person::HandToPerson::default()),
    ]
}

/// `schema` with the values that one of its properties may have.
fn with_enum(schema: &Value, property: &str, values: Vec<String>) -> Value {
    let mut schema = schema.clone();
    if let Some(member) = schema.pointer_mut(&format!("/properties/{property}")) {
        member["enum"] = Value::from(values);
    }
    schema
}

/// Names of data as a flow stores them, then the other spelling of those that have one: both are accepted.
fn both_spellings(mut names: Vec<String>) -> Vec<String> {
    let stored = names.clone();
    names.extend(
        ALIASES
            .iter()
            .filter(|(_, name)| stored.iter().any(|stored| stored == name))
            .map(|(alias, _)| (*alias).to_owned()),
    );
    names
}

/// Members of the arguments of tools that take data, besides the data.
const BESIDE: [&str; 3] = ["dataType", "data", "message"];

/// Arguments of a tool that takes `data`: the data as it fits what the flow keeps under that name, also where its members
/// stand beside `dataType`.
fn with_data(flow: &LoadedFlow, args: Value) -> Value {
    let Value::Object(mut args) = args else { return args };
    if !args.contains_key("data") {
        let strays: Vec<String> =
            args.keys().filter(|name| !BESIDE.contains(&name.as_str())).cloned().collect();
        let data: Map<String, Value> = strays
            .into_iter()
            .filter_map(|name| Some((name.clone(), args.shift_remove(&name)?)))
            .collect();
        if !data.is_empty() {
            args.insert("data".to_owned(), Value::Object(data));
        }
    }
    let name =
        args.get("dataType").and_then(Value::as_str).and_then(|name| stored_name(flow, name));
    if let Some(schema) = name.and_then(|name| flow.schemas.get(&name))
        && let Some(data) = args.get_mut("data")
    {
        *data = coerced(schema, data.take());
    }
    Value::Object(args)
}

/// The failure of data that does not fit: everything that is wrong, and the form that was expected.
fn misfit(name: &str, schema: &Value, complaints: &[Complaint]) -> ToolError {
    let form = shape(schema);
    match invalid("/data", complaints) {
        ToolError::InvalidParameters(told) => ToolError::InvalidParameters(format!(
            "{told}. hint: `data` of `{name}` has this form: {form}"
        )),
        other => other,
    }
}

/// The name under which a flow stores data, for either spelling. The two that always exist need no table.
fn stored_name(flow: &LoadedFlow, name: &str) -> Option<String> {
    let always = || persist_data::ALWAYS.contains(&name).then(|| name.to_owned());
    flow.data_type(name).or_else(always)
}
