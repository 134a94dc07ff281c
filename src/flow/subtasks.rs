//! Child runs: which template a piece of work leads to, how deep they may stand, and that they run in no circle.
//!
//! A template is a file (`manifests/tasks/*.toml`, and the operator's): instructions, hints, tools, a budget, and the
//! schema of what comes back. A tool that answers [`crate::tool::Outcome::Subtask`] names hints and a description; the
//! template is found by association ([`Tasks::choose`]), the same one for the same words. For the engine a template is
//! a flow of one phase that a model leads and nobody talks in ([`LoadedTask::run`]), so that a child run is a session
//! like any other and survives what sessions survive.

pub mod check;
pub mod library;
mod load;
pub mod matching;

use std::sync::Arc;

use serde_json::Value;

pub use self::{
    library::{Tasks, shipped},
    matching::{Choice, Match},
};
use crate::{
    flow::LoadedFlow,
    model::{
        audit::{canonical, sha256},
        task::{Ancestor, Template},
    },
};

/// The one phase of every child run.
pub const PHASE: &str = "task";

/// How many child runs may stand below one another.
pub(crate) const DEPTH_MAX: usize = 3;

/// A template that can be used.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedTask {
    /// As written.
    pub template: Template,
    /// JSON Schema of what it is given.
    pub input: Option<Value>,
    /// JSON Schema of what it gives back.
    pub output: Value,
    /// What a child run of it runs: a flow of one phase. It has the template's source and digest.
    pub run: Arc<LoadedFlow>,
}

impl LoadedTask {
    /// This template on the path of a run with this input.
    pub(crate) fn ancestor(&self, input: &Value) -> Ancestor {
        Ancestor {
            task: self.template.name.clone(),
            title: self.template.title.clone(),
            input: sha256(canonical(input).as_bytes()),
        }
    }
}

/// Why a child run is not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// It would stand too deep.
    #[error("child runs stand at most {DEPTH_MAX} deep. hint: do this part yourself")]
    TooDeep,
    /// The same template with the same input runs above it.
    #[error(
        "the same task with the same input is under way above this one. hint: do this part yourself"
    )]
    Circle,
}

impl Breach {
    /// The code of the result.
    pub const fn code(self) -> &'static str {
        match self {
            Self::TooDeep => "too_deep",
            Self::Circle => "circle",
        }
    }
}

/// Whether `next` may be begun below the runs of `path`.
pub fn admit(path: &[Ancestor], next: &Ancestor) -> Result<(), Breach> {
    let is_same = |above: &&Ancestor| above.task == next.task && above.input == next.input;
    if path.iter().any(|above| is_same(&above)) {
        return Err(Breach::Circle);
    }
    if path.len() >= DEPTH_MAX { Err(Breach::TooDeep) } else { Ok(()) }
}
