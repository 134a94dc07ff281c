//! `submit_for_validation`: shows collected data to the participant, who approves, edits or starts over.

pub mod card;
pub mod changes;
pub(super) mod evidence;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::{
    card::Card,
    changes::{Change, between, tidy},
};
use super::{
    both_spellings, extract_document, misfit, persist_data::checked, stored_name, with_data,
    with_enum,
};
use crate::{
    base::ids::CallId,
    flow::LoadedFlow,
    model::{
        flow::Skip,
        ui::{Control, Prompt, Reply, Review, Verdict},
    },
    session::{self, SessionView},
    tool::{
        EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args,
        parse_state,
        pipeline::validate::{Complaint, Gravity, invalid},
    },
};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    data_type: String,
    data: Value,
    message: Option<String>,
}

/// What was shown, and by which schema an edit counts, whatever the flow says by then.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    data_type: String,
    draft: Value,
    schema: Value,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    status: &'static str,
    /// The data as approved; empty where nothing was.
    data: Value,
    changes: Vec<Change>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_notes: Option<String>,
}

/// Shows a review card.
#[derive(Debug)]
pub(crate) struct SubmitForValidation(ToolSpec);

impl Default for SubmitForValidation {
    fn default() -> Self {
        let description = "Show collected data to the participant on a card where they approve \
            it, edit it or start over. What they approve is stored.";
        let spec = ToolSpec::new("submit_for_validation", description, EffectClass::Pure, schema());
        Self(ToolSpec { doing: "Putting a card together…", at_once: true, ..spec })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["dataType", "data"],
        "properties": {
            "dataType": {
                "type": "string",
                "enum": ["applicantProfile", "experience", "education", "knowledgeCard"],
                "description": "Type of data being validated"
            },
            "data": {
                "type": "object",
                "description": "The data to validate (structure varies by dataType)"
            },
            "message": { "type": "string", "description": "Context message for the user" }
        }
    })
}

#[async_trait]
impl Tool for SubmitForValidation {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn parameters_for(&self, flow: &LoadedFlow) -> Value {
        let reviewed = flow.flow.data.iter().filter(|(_, table)| table.review);
        let names = reviewed.map(|(name, _)| name.clone()).collect();
        with_enum(&self.0.parameters, "dataType", both_spellings(names))
    }

    fn understood(&self, flow: &LoadedFlow, args: Value) -> Value {
        with_data(flow, args)
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { data_type, data, message } = parse_args(args)?;
        cx.read(|view| ask((view, cx.call), &data_type, tidy(data), message))
    }

    async fn resume(&self, cx: &ToolCx<'_>, state: Value, reply: Reply) -> ToolResult {
        let state: State = parse_state(state)?;
        match reply {
            Reply::Reviewed { verdict: Verdict::Approved, notes, .. } => {
                let draft = state.draft.clone();
                accept(cx, &state, draft, notes)
            }
            Reply::Reviewed { verdict: Verdict::Modified, data, notes } => {
                let data = tidy(data.ok_or(ToolError::Changed)?);
                accept(cx, &state, data, notes)
            }
            Reply::Reviewed { verdict: Verdict::Rejected, notes, .. } => {
                Ok(refused("rejected", notes))
            }
            Reply::Skipped => Ok(refused("skipped", None)),
            // Edits that were saved leave the card open.
            Reply::Reviewed { verdict: Verdict::Saved, .. }
            | Reply::Chosen { .. }
            | Reply::Filled { .. }
            | Reply::Uploaded { .. }
            | Reply::Text { .. }
            | Reply::Decided { .. }
            | Reply::Confirmed { .. } => Err(ToolError::Changed),
        }
    }
}

fn ask(
    (view, call): (&SessionView, &CallId),
    name: &str,
    draft: Value,
    message: Option<String>,
) -> ToolResult {
    let flow = &view.flow;
    let known = stored_name(flow, name).and_then(|name| Some((flow.schemas.get(&name)?, name)));
    let Some((schema, data_type)) = known else {
        let text = format!("`/dataType`: this flow reviews no `{name}`");
        return Err(ToolError::InvalidParameters(text));
    };
    // A draft may be incomplete, which a person can mend on the card; not of another kind, which no card could show.
    let broken = checked(schema, &draft)?;
    let broken: Vec<Complaint> =
        broken.into_iter().filter(|one| one.gravity == Gravity::Structure).collect();
    if !broken.is_empty() {
        return Err(misfit(&data_type, schema, &broken));
    }
    evidence::check((view, call), &data_type, &draft)?;
    let Card { mut groups, lists } = card::draw(schema, &draft, &extract_document::doubts(view));
    let title = flow.data_title(&data_type);
    for whole in groups.iter_mut().filter(|group| group.path.is_empty()) {
        whole.title.clone_from(&title);
    }
    let review = Review {
        data_type: data_type.clone(),
        data: draft.clone(),
        schema: schema.clone(),
        groups,
        lists,
        skippable: is_passable(view, &data_type),
    };
    let body = message.unwrap_or_else(|| "Please look this over and correct it.".to_owned());
    let prompt = Prompt {
        title: Some(title.into()),
        body: body.into(),
        control: Control::Review(review),
        notes: Vec::new(),
    };
    let state = State { data_type, draft, schema: schema.clone() };
    Ok(Outcome::ask(prompt, json!(state)))
}

/// Stores what was approved as the record.
fn accept(cx: &ToolCx<'_>, state: &State, data: Value, user_notes: Option<String>) -> ToolResult {
    let complaints = checked(&state.schema, &data)?;
    if !complaints.is_empty() {
        return Err(invalid("/data", &complaints));
    }
    let changes = between(&state.draft, &data);
    let status = if changes.is_empty() { "approved" } else { "modified" };
    cx.change(|session| {
        // A review that the participant reopened changes what it was about; any other one adds.
        if session.is_change(cx.call) {
            session.change_record(&state.data_type, &state.draft, data.clone())
        } else {
            session.save_record(&state.data_type, data.clone(), true)
        }
    })
    .map_err(|why| ToolError::ExecutionFailed(why.to_string()))?;
    Ok(Outcome::Immediate(json!(Response { status, data, changes, user_notes })))
}

fn refused(status: &'static str, user_notes: Option<String>) -> Outcome {
    Outcome::Immediate(json!(Response { status, data: json!({}), changes: Vec::new(), user_notes }))
}

/// Whether the participant may pass this review over: all that it is for may be skipped at their word. The core then
/// marks it skipped when they do.
fn is_passable(view: &SessionView, data_type: &str) -> bool {
    let objectives = view.phase().map(|phase| &phase.objective[..]).unwrap_or_default();
    let mut concerned = objectives
        .iter()
        .filter(|one| session::evidence::speaks_of(&one.done, data_type))
        .peekable();
    concerned.peek().is_some() && concerned.all(|one| one.skip == Skip::Participant)
}
