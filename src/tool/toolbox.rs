//! Tools by name, with compiled schemas.

use std::sync::Arc;

use serde_json::Value;

use super::Tool;
use crate::flows::LoadedFlow;

/// Every tool, by its name; a name twice is an error at start-up (S2).
#[derive(Debug)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
}

/// Two tools have the same name, or a schema is no schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadToolbox(pub String);

impl Toolbox {
    /// Collects tools and compiles their schemas.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Result<Self, BadToolbox> {
        todo!()
    }

    /// A tool by its name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }

    /// All tools in catalogue order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter()
    }

    /// All tools as the model is given them (S0): `{"type":"function","function":{…}}`. Without a flow, exactly the
    /// specification's schemas (DESIGN §10.4).
    pub fn tool_schemas(&self, flow: Option<&LoadedFlow>) -> Vec<Value> {
        todo!()
    }
}
