//! Flows: loads, checks and resolves the TOML files; both shipped flows are embedded.

pub mod check;
mod fields;
pub mod library;
mod load;
pub(crate) mod schemas;
pub mod shape;
pub mod subtasks;
pub mod text;
pub mod visible;

use std::collections::BTreeMap;

use serde_json::Value;

pub use self::{
    check::{Aliases, Catalogue, check, check_file, check_source},
    library::{Library, optional, shipped},
    schemas::builtin,
};
use crate::model::flow::{Done, Flow, Objective, Phase, Step};

/// What is wrong, and what to do about it.
pub(crate) type Trouble = (String, Option<String>);

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

    /// The phase after this one; `None` after the last.
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

    /// A text of the flow with `{{vars}}` filled in; what is no variable stays as it is.
    pub fn text(&self, template: &str) -> String {
        text::fill(template, &self.vars)
    }

    /// The name in `snake_case` under which data is stored, for either spelling; `None` if the flow keeps no such data.
    pub fn data_type(&self, name: &str) -> Option<String> {
        let known = |name: &str| self.schemas.contains_key(name);
        if known(name) {
            return Some(name.to_owned());
        }
        let (_, stored) = ALIASES.iter().find(|(alias, _)| *alias == name)?;
        known(stored).then(|| (*stored).to_owned())
    }

    /// What people call a kind of data: its schema's title, else its name in words.
    pub(crate) fn data_title(&self, data_type: &str) -> String {
        let title = self.schemas.get(data_type).and_then(|schema| schema["title"].as_str());
        title.map_or_else(|| in_words(data_type), str::to_owned)
    }

    /// Values of `uploadType`: the known ones, and those in the flow's `uploaded =` conditions.
    pub(crate) fn upload_types(&self) -> Vec<String> {
        upload_types(&self.flow)
    }
}

/// The name of the only schema of a flow that a task template was made into: what the run gives back.
pub(crate) const OUTPUT: &str = "output";

/// Values of `uploadType` that are known everywhere.
pub(crate) const UPLOAD_TYPES: [&str; 6] =
    ["resume", "coverletter", "portfolio", "transcript", "certificate", "other"];

fn upload_types(flow: &Flow) -> Vec<String> {
    let mut types = UPLOAD_TYPES.map(str::to_owned).to_vec();
    for objective in flow.phase.iter().flat_map(|phase| &phase.objective) {
        each_condition(&objective.done, &mut |done| {
            if let Done::Uploaded(name) = done
                && !types.contains(name)
            {
                types.push(name.clone());
            }
        });
    }
    types
}

/// Visits a condition and all within it.
pub(crate) fn each_condition<'a>(done: &'a Done, visit: &mut impl FnMut(&'a Done)) {
    visit(done);
    match done {
        Done::All(parts) | Done::Any(parts) => {
            for part in parts {
                each_condition(part, visit);
            }
        }
        Done::Model
        | Done::Reviewed(_)
        | Done::Saved(_)
        | Done::Uploaded(_)
        | Done::Answered(_)
        | Done::Talked(_) => {}
    }
}

/// Other spellings of data types and the names under which they are stored.
pub(crate) const ALIASES: [(&str, &str); 4] = [
    ("applicantProfile", "applicant_profile"),
    ("experience", "skeleton_timeline"),
    ("education", "education_history"),
    ("knowledgeCard", "knowledge_card"),
];

/// `writing_sample` as people read it: `Writing sample`.
fn in_words(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
