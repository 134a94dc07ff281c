//! `request_decision`: asks the team for a decision about the participant, as the flow describes it.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    flow::LoadedFlow,
    model::ui::Reply,
    session::{Decided, Refusal, Suspension},
    tool::{
        EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, Waiting, parse_args,
    },
};

#[derive(Debug, Deserialize)]
struct Args {
    approval: String,
}

/// Asks the team for a decision.
#[derive(Debug)]
pub(crate) struct RequestDecision(ToolSpec);

impl Default for RequestDecision {
    fn default() -> Self {
        let description = "Ask the team for a decision about the participant. People decide, which may take days; you and \
            the participant are told what they decided.";
        let spec = ToolSpec::new("request_decision", description, EffectClass::Pure, schema(&[]));
        Self(ToolSpec { doing: "Asking the team…", changes_session: true, at_once: true, ..spec })
    }
}

fn schema(names: &[&String]) -> Value {
    let mut approval = json!({ "type": "string", "description": "Which decision" });
    if !names.is_empty() {
        approval["enum"] = json!(names);
    }
    json!({ "type": "object", "required": ["approval"], "properties": { "approval": approval } })
}

#[async_trait]
impl Tool for RequestDecision {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn parameters_for(&self, flow: &LoadedFlow) -> Value {
        schema(&flow.flow.approvals.named.keys().collect::<Vec<_>>())
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { approval } = parse_args(args)?;
        let asked = cx.read(|view| view.request_decision(cx.call, &approval));
        asked.map(asking).map_err(|refusal| refused(&refusal))
    }

    async fn resume(&self, cx: &ToolCx<'_>, _state: Value, reply: Reply) -> ToolResult {
        if !matches!(reply, Reply::Decided { .. }) {
            return Err(ToolError::Changed);
        }
        // The stored decision counts, not what is handed in here.
        match cx
            .change(|session| session.decision_made(cx.call))
            .map_err(|refusal| refused(&refusal))?
        {
            Decided::Outcome(value) => Ok(Outcome::Immediate(value)),
            Decided::Ask(next) => Ok(asking(*next)),
        }
    }
}

fn asking(suspension: Suspension) -> Outcome {
    let Suspension { prompt, state, answerers, expires_at } = suspension;
    Outcome::Waiting(Box::new(Waiting { prompt, state, answerers, expires_at }))
}

fn refused(refusal: &Refusal) -> ToolError {
    ToolError::ExecutionFailed(refusal.to_string())
}
