//! Flows: loads, checks and resolves the TOML files; both shipped flows are embedded.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use crate::model::flow::{Flow, Objective, Phase, Step};

/// A flow that passed the checks, with its texts and schemas resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedFlow {
    /// As written.
    pub flow: Flow,
    /// The file itself; pinned to sessions under its digest.
    pub source: String,
    /// SHA-256 of the file, in hex.
    pub digest: String,
    /// Values for `{{name}}` in texts: the operator's `[vars]`, and `retention`.
    pub vars: BTreeMap<String, String>,
    /// JSON Schemas of the flow's `[data]`, by name, with references resolved.
    pub schemas: BTreeMap<String, Value>,
}

impl LoadedFlow {
    /// A phase by its id.
    pub fn phase(&self, id: &str) -> Option<&Phase> {
        self.flow.phase.iter().find(|phase| phase.id == id)
    }

    /// Where a phase stands in the file, from 0.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.flow.phase.iter().position(|phase| phase.id == id)
    }

    /// The phase after this one; none after the last.
    pub fn after(&self, id: &str) -> Option<&Phase> {
        let position = self.position(id)?;
        match self.flow.phase[position].next.as_deref() {
            Some(next) => self.phase(next),
            None => self.flow.phase.get(position + 1),
        }
    }

    /// An objective by its id, with its phase.
    pub fn objective(&self, id: &str) -> Option<(&Phase, &Objective)> {
        self.flow.phase.iter().find_map(|phase| {
            phase.objective.iter().find(|objective| objective.id == id).map(|o| (phase, o))
        })
    }

    /// A script step by its id, with its phase.
    pub fn step(&self, id: &str) -> Option<(&Phase, &Step)> {
        self.flow
            .phase
            .iter()
            .find_map(|phase| phase.step.iter().find(|step| step.id == id).map(|s| (phase, s)))
    }

    /// A text of the flow with `{{vars}}` filled in.
    pub fn text(&self, template: &str) -> String {
        todo!()
    }

    /// The name in `snake_case` under which data is stored, for either spelling (DESIGN §10.4); none if the flow
    /// keeps no such data.
    pub fn data_type(&self, name: &str) -> Option<String> {
        todo!()
    }

    /// Values of `uploadType`: S0's, and those in the flow's `uploaded =` conditions.
    pub fn upload_types(&self) -> Vec<String> {
        todo!()
    }
}

/// S0's spellings of data types and the names under which they are stored (DESIGN §10.4).
pub const ALIASES: [(&str, &str); 4] = [
    ("applicantProfile", "applicant_profile"),
    ("experience", "skeleton_timeline"),
    ("education", "education_history"),
    ("knowledgeCard", "knowledge_card"),
];

/// The flows that can be started, by id, and every pinned one by digest.
#[derive(Debug, Clone, Default)]
pub struct Library {
    flows: BTreeMap<String, Arc<LoadedFlow>>,
}

impl Library {
    /// A flow by its id.
    pub fn get(&self, id: &str) -> Option<Arc<LoadedFlow>> {
        self.flows.get(id).cloned()
    }

    /// All flows, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<LoadedFlow>> {
        self.flows.values()
    }

    /// Adds a flow, replacing one of the same id.
    pub fn insert(&mut self, flow: Arc<LoadedFlow>) {
        self.flows.insert(flow.flow.id.clone(), flow);
    }
}
