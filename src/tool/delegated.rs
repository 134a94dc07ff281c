//! Tools that are child runs and nothing else: one for each template that says so. The model cannot tell them from
//! any other tool.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::{EffectClass, Outcome, SubtaskRequest, Tool, ToolCx, ToolResult, ToolSpec};
use crate::flow::subtasks::{LoadedTask, Tasks};

/// A tool whose every call is a child run of one template; the arguments are its input, its output is the response.
#[derive(Debug)]
struct Delegated {
    spec: ToolSpec,
    description: String,
}

/// The tools of the templates that are tools of their own, by name.
pub fn tools(tasks: &Tasks) -> Vec<Arc<dyn Tool>> {
    tasks.iter().filter_map(|task| Some(Arc::new(Delegated::of(task)?) as Arc<dyn Tool>)).collect()
}

impl Delegated {
    fn of(task: &LoadedTask) -> Option<Self> {
        let (words, parameters) = task.template.tool.as_deref().zip(task.input.clone())?;
        let spec = ToolSpec::new(
            kept(&task.template.name),
            kept(words),
            EffectClass::Idempotent,
            parameters,
        );
        Some(Self { spec, description: task.template.description.clone() })
    }
}

/// Text that lives as long as the program: there are as many as templates, made once at the start.
fn kept(text: &str) -> &'static str {
    Box::leak(Box::from(text))
}

#[async_trait]
impl Tool for Delegated {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, _cx: &ToolCx<'_>, args: Value) -> ToolResult {
        Ok(Outcome::Subtask(SubtaskRequest {
            kind: "atomic".to_owned(),
            description: self.description.clone(),
            inputs: args,
            template_hints: vec![self.spec.name.to_owned()],
        }))
    }
}
