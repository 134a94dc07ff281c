//! Tools that reach "outside", one of each effect class, with a switch that kills the process in the middle.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use anteroom::{
    model::ui::{Confirm, Control, Prompt, Reply},
    tool::{EffectClass, Outcome, SubtaskRequest, Tool, ToolCx, ToolError, ToolResult, ToolSpec},
};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::mortal::Mortal;

/// What the tools did, and what befalls them.
#[derive(Debug)]
pub(crate) struct Lab {
    /// How often the outside was reached.
    pub(crate) reached: AtomicU32,
    /// The process that the next run kills, after it has reached the outside.
    pub(crate) victim: Mutex<Option<Arc<Mortal>>>,
    /// The slow tool runs while there is no permit.
    pub(crate) gate: Semaphore,
    /// A run of the slow tool has begun.
    pub(crate) began: Semaphore,
    /// Panics that are left.
    pub(crate) panics: AtomicU32,
}

impl Default for Lab {
    fn default() -> Self {
        Self {
            reached: AtomicU32::new(0),
            victim: Mutex::default(),
            gate: Semaphore::new(0),
            began: Semaphore::new(0),
            panics: AtomicU32::new(0),
        }
    }
}

/// One of the lab's tools.
#[derive(Debug)]
struct Probe {
    spec: ToolSpec,
    lab: Arc<Lab>,
}

/// The lab's tools: `probe_pure`, `probe_idempotent`, `probe_reconcile`, `probe_once`, `slow`, `slow_card`, `shaky`,
/// `delegate`.
pub(crate) fn tools(lab: &Arc<Lab>) -> Vec<Arc<dyn Tool>> {
    [
        ("probe_pure", EffectClass::Pure),
        ("probe_idempotent", EffectClass::Idempotent),
        ("probe_reconcile", EffectClass::Reconcile),
        ("probe_once", EffectClass::AtMostOnce),
        ("slow", EffectClass::Pure),
        ("slow_card", EffectClass::Pure),
        ("shaky", EffectClass::Pure),
    ]
    .into_iter()
    .map(|(name, class)| {
        let parameters = json!({ "type": "object", "properties": {} });
        let spec = ToolSpec::new(name, "For tests.", class, parameters);
        Arc::new(Probe { spec, lab: Arc::clone(lab) }) as Arc<dyn Tool>
    })
    .chain([Arc::new(Delegate::default()) as Arc<dyn Tool>])
    .collect()
}

/// `delegate`: a child run for whatever its arguments say.
#[derive(Debug)]
struct Delegate(ToolSpec);

impl Default for Delegate {
    fn default() -> Self {
        let parameters = json!({ "type": "object", "required": ["description"], "properties": {
            "description": { "type": "string" },
            "hints": { "type": "array", "items": { "type": "string" } },
            "input": { "type": "object" },
        } });
        Self(ToolSpec::new("delegate", "For tests.", EffectClass::Pure, parameters))
    }
}

#[async_trait]
impl Tool for Delegate {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, _cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let hints = args["hints"].as_array().into_iter().flatten();
        Ok(Outcome::Subtask(SubtaskRequest {
            kind: "atomic".to_owned(),
            description: args["description"].as_str().unwrap().to_owned(),
            inputs: args["input"].clone(),
            template_hints: hints.map(|hint| hint.as_str().unwrap().to_owned()).collect(),
        }))
    }
}

/// A tool under an old name that knows nothing of the old tool's state.
pub(crate) fn rewritten(name: &'static str, lab: &Arc<Lab>) -> Arc<dyn Tool> {
    let parameters = json!({ "type": "object", "properties": {} });
    let spec = ToolSpec::new(name, "For tests.", EffectClass::Pure, parameters);
    Arc::new(Probe { spec, lab: Arc::clone(lab) })
}

#[async_trait]
impl Tool for Probe {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, _cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        if self.spec.name == "shaky" {
            let left = self.lab.panics.load(Ordering::SeqCst);
            if left > 0 {
                self.lab.panics.store(left - 1, Ordering::SeqCst);
                panic!("a bug in a tool");
            }
        }
        if self.spec.name.starts_with("slow") {
            self.lab.began.add_permits(1);
            self.lab.gate.acquire().await.unwrap().forget();
        }
        self.lab.reached.fetch_add(1, Ordering::SeqCst);
        if let Some(victim) = self.lab.victim.lock().unwrap().take() {
            victim.kill();
        }
        if self.spec.name == "slow_card" {
            let control = Control::Confirm(Confirm {
                yes: "Aye".to_owned(),
                no: "Nay".to_owned(),
                danger: false,
            });
            let body = "Is it so?".to_owned();
            let prompt = Prompt { title: None, body: body.into(), control, notes: Vec::new() };
            return Ok(Outcome::ask(prompt, json!({})));
        }
        Ok(Outcome::Immediate(json!({ "status": "done" })))
    }

    async fn resume(&self, _cx: &ToolCx<'_>, _state: Value, reply: Reply) -> ToolResult {
        match reply {
            Reply::Confirmed { yes } => Ok(Outcome::Immediate(json!({ "yes": yes }))),
            _ => Err(ToolError::Changed),
        }
    }
}
