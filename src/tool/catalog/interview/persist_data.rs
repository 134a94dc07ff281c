//! `persist_data`: stores data during the interview.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    both_spellings, misfit, stored_name, submit_for_validation::evidence, with_data, with_enum,
};
use crate::{
    base::ids::RecordId,
    flow::LoadedFlow,
    session::SessionView,
    tool::{
        EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args,
        pipeline::validate::{Checker, Complaint},
    },
};

/// Data that can be stored in every flow.
pub(super) const ALWAYS: [&str; 2] = ["artifact_record", "writing_sample"];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    data_type: String,
    data: Value,
}

#[derive(Debug, Serialize)]
struct Response {
    persisted: Persisted,
}

#[derive(Debug, Serialize)]
struct Persisted {
    id: RecordId,
    r#type: String,
    status: &'static str,
}

/// Stores data.
#[derive(Debug)]
pub(crate) struct PersistData(ToolSpec);

impl Default for PersistData {
    fn default() -> Self {
        let description = "Store data that needs no review by the participant. \
            The same data again gives the same record.";
        let spec = ToolSpec::new("persist_data", description, EffectClass::Pure, schema());
        Self(ToolSpec {
            doing: "Noting it down…",
            done: "Noted it down",
            changes_session: true,
            at_once: true,
            ..spec
        })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["dataType", "data"],
        "properties": {
            "dataType": {
                "type": "string",
                "enum": [
                    "applicant_profile",
                    "skeleton_timeline",
                    "knowledge_card",
                    "artifact_record",
                    "writing_sample"
                ]
            },
            "data": { "type": "object", "description": "Data to persist" }
        }
    })
}

#[async_trait]
impl Tool for PersistData {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn parameters_for(&self, flow: &LoadedFlow) -> Value {
        let mut names: Vec<String> = flow.flow.data.keys().cloned().collect();
        for name in ALWAYS {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        with_enum(&self.0.parameters, "dataType", both_spellings(names))
    }

    fn understood(&self, flow: &LoadedFlow, args: Value) -> Value {
        with_data(flow, args)
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { data_type, data } = parse_args(args)?;
        cx.change(|session| {
            let Some(name) = stored_name(&session.flow, &data_type) else {
                let text = format!("`/dataType`: this flow keeps no `{data_type}`");
                return Err(ToolError::InvalidParameters(text));
            };
            let schema = session.flow.schemas.get(&name);
            if let Some(schema) = schema
                && let complaints = checked(schema, &data)?
                && !complaints.is_empty()
            {
                return Err(misfit(&name, schema, &complaints));
            }
            if !may_go_unreviewed(session, &name, &data) {
                let text = format!(
                    "`/dataType`: the participant reviews `{name}` before it is kept. hint: show it with \
                     `submit_for_validation`; what they approve is kept by that alone"
                );
                return Err(ToolError::InvalidParameters(text));
            }
            // What is kept already was looked at then, or was put right by a person.
            let mut kept = session.state.records.iter();
            if !kept.any(|record| record.data_type == name && record.data == data) {
                evidence::check((session, cx.call), &name, &data)?;
            }
            let saved = session
                .save_record(&name, data, false)
                .map_err(|why| ToolError::InvalidParameters(why.to_string()))?;
            let status = if saved.created { "created" } else { "unchanged" };
            let persisted = Persisted { id: saved.id, r#type: name, status };
            Ok(Outcome::Immediate(json!(Response { persisted })))
        })
    }
}

/// Everything about the data that does not fit.
pub(super) fn checked(schema: &Value, data: &Value) -> Result<Vec<Complaint>, ToolError> {
    let checker = Checker::compile(schema.clone()).map_err(ToolError::ExecutionFailed)?;
    Ok(checker.check(data))
}

/// Whether data may be stored on the model's word: a draft of what the flow has reviewed is shown to the participant
/// first, whoever made it; what they have approved is there already and gives the same record.
fn may_go_unreviewed(view: &SessionView, name: &str, data: &Value) -> bool {
    let is_reviewed = view.flow.flow.data.get(name).is_some_and(|table| table.review);
    let mut records = view.state.records.iter();
    !is_reviewed || records.any(|r| r.reviewed && r.data_type == name && r.data == *data)
}
