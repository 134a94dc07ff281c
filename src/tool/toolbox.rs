//! Tools by name, with compiled schemas.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Value, json};

use super::{Tool, ToolError, ToolSpec, pipeline::validate::Checker};
use crate::{
    flow::{Catalogue, LoadedFlow},
    ports::artifacts::check::Kind,
    session::State,
};

/// Most per-flow schemas that are kept compiled; beyond it all are compiled anew when needed.
const COMPILED_MAX: usize = 1024;

/// Which schema: the flow's digest, from whose file it follows, the tool, and whether a step of a script is meant.
type Key = (String, &'static str, bool);

/// Every tool, by its name; a name twice is an error at start-up.
#[derive(Debug)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    /// Checkers of the specification's own schemas, by tool.
    plain: BTreeMap<&'static str, Arc<Checker>>,
    /// Checkers of schemas that differ by flow.
    by_flow: Mutex<HashMap<Key, Arc<Checker>>>,
}

/// Whom a model works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Partner {
    /// A participant.
    Participant,
    /// A participant who was one of the staff when it began.
    Staff,
    /// The program: a child run, which talks to nobody.
    Program,
}

impl From<&State> for Partner {
    fn from(state: &State) -> Self {
        match (&state.subtasks.parent_link, state.staff) {
            (Some(_), _) => Self::Program,
            (None, true) => Self::Staff,
            (None, false) => Self::Participant,
        }
    }
}

/// Two tools have the same name, or a schema is no schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadToolbox(pub String);

impl Toolbox {
    /// Collects tools and compiles their schemas.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Result<Self, BadToolbox> {
        let mut names = BTreeSet::new();
        let mut plain = BTreeMap::new();
        for tool in &tools {
            let spec = tool.spec();
            if !is_snake_case(spec.name) {
                let text = format!("tool name `{}` is not snake_case", spec.name);
                return Err(BadToolbox(text));
            }
            if !names.insert(spec.name) {
                return Err(BadToolbox(format!("there are two tools `{}`", spec.name)));
            }
            let checker = Checker::compile(spec.parameters.clone()).map_err(|error| {
                BadToolbox(format!("the schema of tool `{}` is none: {error}", spec.name))
            })?;
            plain.insert(spec.name, Arc::new(checker));
        }
        Ok(Self { tools, plain, by_flow: Mutex::default() })
    }

    /// A toolbox of these tools, each as `wrap` makes it: of the same name and with the same schema.
    #[must_use]
    pub fn wrapped(&self, wrap: impl Fn(&Arc<dyn Tool>) -> Arc<dyn Tool>) -> Self {
        let tools = self.tools.iter().map(wrap).collect();
        Self { tools, plain: self.plain.clone(), by_flow: Mutex::default() }
    }

    /// A tool by its name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }

    /// All tools in catalogue order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter()
    }

    /// All tools as the model is given them: `{"type":"function","function":{…}}`. Without a flow, exactly the
    /// specification's schemas.
    pub fn tool_schemas(&self, flow: Option<&LoadedFlow>) -> Vec<Value> {
        self.tools.iter().map(|tool| function(tool.as_ref(), flow)).collect()
    }

    /// The tools of one phase, in catalogue order: what the model is given while it lasts. What only staff may call is
    /// among them where they talk with one.
    pub fn phase_schemas(&self, flow: &LoadedFlow, phase: &str, partner: Partner) -> Vec<Value> {
        let listed = flow.phase(phase).map_or(&[][..], |phase| &phase.tools);
        let is_there = |spec: &ToolSpec| {
            let is_everywhere = spec.in_every_phase && partner != Partner::Program;
            is_everywhere || listed.iter().any(|name| name == spec.name)
        };
        self.tools
            .iter()
            .filter(|tool| partner == Partner::Staff || !tool.spec().admin_only)
            .filter(|tool| is_there(tool.spec()))
            .map(|tool| function(tool.as_ref(), Some(flow)))
            .collect()
    }

    /// All tools for one flow, as `flows::check` wants them.
    pub fn catalogue(&self, flow: &LoadedFlow) -> Catalogue {
        let name = |tool: &Arc<dyn Tool>| tool.spec().name.to_owned();
        let scoring = self.tools.iter().filter(|tool| tool.spec().scores_people).map(name);
        let extensions = Kind::ALL.into_iter().flat_map(Kind::extensions);
        Catalogue {
            tools: self.tools.iter().map(|tool| (name(tool), for_scripts(tool, flow))).collect(),
            scoring: scoring.collect(),
            files: extensions.map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Arguments as [`Tool::execute`] gets them: lenient spellings put right, defaults filled in, checked. The error
    /// names the path and what was expected.
    pub fn prepare(
        &self,
        name: &str,
        flow: Option<&LoadedFlow>,
        args: Value,
    ) -> Result<Value, ToolError> {
        let Some(tool) = self.get(name) else { return Err(unknown(name)) };
        let Some(flow) = flow else {
            return self.plain.get(tool.spec().name).ok_or_else(|| unknown(name))?.prepare(args);
        };
        let args = tool.understood(flow, args);
        let schema = || tool.parameters_for(flow);
        self.checker((&flow.digest, tool.spec().name, false), schema)?.prepare(args)
    }

    /// Arguments of a step of a script as [`Tool::execute`] gets them, as [`Self::prepare`] makes them. A step may also
    /// give [`ToolSpec::for_scripts`].
    pub(crate) fn prepare_step(
        &self,
        name: &str,
        flow: &LoadedFlow,
        args: Value,
    ) -> Result<Value, ToolError> {
        let Some(tool) = self.get(name) else { return Err(unknown(name)) };
        let args = tool.understood(flow, args);
        let schema = || for_scripts(tool, flow);
        self.checker((&flow.digest, tool.spec().name, true), schema)?.prepare(args)
    }

    /// A compiled schema of a tool in a flow, compiled at the first use and kept.
    fn checker(
        &self,
        (digest, name, is_step): (&str, &'static str, bool),
        schema: impl FnOnce() -> Value,
    ) -> Result<Arc<Checker>, ToolError> {
        let key = (digest.to_owned(), name, is_step);
        let mut by_flow = self.by_flow.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(checker) = by_flow.get(&key) {
            return Ok(Arc::clone(checker));
        }
        let (plain, schema) = (self.plain.get(name), schema());
        let checker = match plain.filter(|plain| *plain.schema() == schema) {
            Some(plain) => Arc::clone(plain),
            None => Arc::new(Checker::compile(schema).map_err(|error| {
                ToolError::ExecutionFailed(format!("the schema of `{name}` is none: {error}"))
            })?),
        };
        if by_flow.len() >= COMPILED_MAX {
            by_flow.clear();
        }
        by_flow.insert(key, Arc::clone(&checker));
        Ok(checker)
    }
}

fn unknown(name: &str) -> ToolError {
    ToolError::InvalidParameters(format!("unknown tool `{name}`"))
}

fn function(tool: &dyn Tool, flow: Option<&LoadedFlow>) -> Value {
    let spec = tool.spec();
    let parameters = flow.map_or_else(|| spec.parameters.clone(), |flow| tool.parameters_for(flow));
    json!({
        "type": "function",
        "function": { "name": spec.name, "description": spec.description, "parameters": parameters },
    })
}

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('_')
        && !name.contains("__")
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
/// The parameters of a tool in one flow, with those that only a script gives.
fn for_scripts(tool: &Arc<dyn Tool>, flow: &LoadedFlow) -> Value {
    let mut schema = tool.parameters_for(flow);
    let more = tool.spec().for_scripts.as_object().cloned().unwrap_or_default();
    if let Some(known) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        known.extend(more);
    }
    schema
}
