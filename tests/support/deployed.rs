//! The tools of a program, of which one may have gone with a new version, or have been written anew under its name, or
//! die in the middle of what it does.

use std::sync::{Arc, Mutex};

use anteroom::{
    flow::subtasks::Tasks,
    tool::{self, EffectClass, Outcome, Tool, ToolCx, ToolResult, ToolSpec, catalog},
};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::mortal::Mortal;

/// What the tools of a program are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Deployed {
    /// A tool that is not there, and whether another has taken its name.
    pub(crate) without: Option<(&'static str, bool)>,
    /// There is a tool `once`, whose effect happens at most once; it ends this process in the middle of it.
    pub(crate) once: Option<Victim>,
}

/// The process that ends.
pub(crate) type Victim = Arc<Mutex<Option<Arc<Mortal>>>>;

/// All tools, as they are deployed.
pub(crate) fn tools(tasks: &Tasks, deployed: &Deployed) -> Vec<Arc<dyn Tool>> {
    let without = deployed.without;
    let all = catalog::tools().into_iter().chain(tool::delegated::tools(tasks));
    let mut kept: Vec<_> =
        all.filter(|tool| without.is_none_or(|(name, _)| tool.spec().name != name)).collect();
    if let Some((name, true)) = without {
        let parameters = json!({ "type": "object", "properties": {} });
        let spec = ToolSpec::new(name, "For tests.", EffectClass::Pure, parameters);
        kept.push(Arc::new(Rewritten(spec)));
    }
    if let Some(victim) = &deployed.once {
        let parameters = json!({ "type": "object", "properties": {} });
        let spec = ToolSpec::new("once", "For tests.", EffectClass::AtMostOnce, parameters);
        kept.push(Arc::new(Once { spec, victim: Arc::clone(victim) }));
    }
    kept
}

/// A tool that does something of which nobody can ask afterwards whether it was done.
#[derive(Debug)]
struct Once {
    spec: ToolSpec,
    victim: Victim,
}

#[async_trait]
impl Tool for Once {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, _cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        if let Some(victim) = self.victim.lock().unwrap().take() {
            victim.kill();
        }
        Ok(Outcome::Immediate(json!({ "status": "done" })))
    }
}

/// A tool that knows nothing of the state that the one before it left under its name.
#[derive(Debug)]
struct Rewritten(ToolSpec);

#[async_trait]
impl Tool for Rewritten {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, _cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        Ok(Outcome::Immediate(json!({ "status": "done" })))
    }
}
