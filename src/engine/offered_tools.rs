//! The tools that a model is offered, as its port has them: worked out once for each phase of a flow, since a
//! conversation sends them with every turn.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

use super::Parts;
use crate::{flow::LoadedFlow, ports::llm::chat::ToolSpec, tool::Partner};

/// Lists that are kept; beyond it all are worked out anew when needed.
const KEPT_MAX: usize = 1024;

/// The tool that imports contact details.
const IMPORTER: &str = "get_macos_contact_card";

/// Which list: the flow's digest, from whose file it follows, the phase, and whom the model works for.
type Key = (String, String, Partner);

/// Lists of tools by flow, phase and partner.
#[derive(Debug, Default)]
pub(super) struct OfferedTools(Mutex<HashMap<Key, Arc<[ToolSpec]>>>);

impl OfferedTools {
    /// The tools of one phase, in catalogue order.
    pub(super) fn of(
        &self,
        Parts { toolbox, contacts, .. }: &Parts,
        flow: &LoadedFlow,
        phase: &str,
        partner: Partner,
    ) -> Arc<[ToolSpec]> {
        let key = (flow.digest.clone(), phase.to_owned(), partner);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tools) = kept.get(&key) {
            return Arc::clone(tools);
        }
        let mut tools = specs(&toolbox.phase_schemas(flow, phase, partner));
        tell_sources(&mut tools, &contacts.names());
        let tools: Arc<[ToolSpec]> = tools.into();
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(key, Arc::clone(&tools));
        tools
    }
}

/// Says which contact sources are ready, in the description of the tool that asks them.
fn tell_sources(tools: &mut [ToolSpec], sources: &[&str]) {
    let word = |source: &&str| match *source {
        "profile" => Some("their profile on the platform"),
        "vcard" => Some("a vCard file that they send"),
        "directory" => Some("the organisation's directory"),
        "macos" if cfg!(target_os = "macos") => Some("the owner's card on this Mac"),
        _ => None,
    };
    let ready: Vec<&str> = sources.iter().filter_map(word).collect();
    for tool in tools.iter_mut().filter(|tool| tool.name == IMPORTER) {
        let said = match ready.as_slice() {
            [] => " No source is ready: do not offer it.".to_owned(),
            ready => format!(" Ready: {}.", ready.join(", ")),
        };
        tool.description.push_str(&said);
    }
}

/// Tools as the model port has them.
fn specs(tools: &[Value]) -> Vec<ToolSpec> {
    let spec = |tool: &Value| {
        let function = &tool["function"];
        ToolSpec {
            name: function["name"].as_str().unwrap_or_default().to_owned(),
            description: function["description"].as_str().unwrap_or_default().to_owned(),
            parameters: function["parameters"].clone(),
            strict: false,
        }
    };
    tools.iter().map(spec).collect()
}
