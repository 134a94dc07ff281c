//! What a flow means, checked before anybody runs it: every mistake at once, with its line.
//!
//! Proves that every phase can be left, that every required objective can be reached with a model and without
//!, that every tool exists, that the arguments of every step satisfy the tool's schema, and that every
//! alias resolves.

mod after_decision;
mod aliases;
mod answers;
mod approvals;
mod arguments;
mod audience;
mod bounds_told;
mod branches;
mod compare;
mod constant;
mod contradictions;
mod data;
mod decisions;
pub(crate) mod expressions;
mod field_names;
mod file_types;
mod keywords;
mod known;
mod labels;
mod languages;
mod lengths;
mod objectives;
mod offers;
mod optional;
mod order;
pub(crate) mod paths;
mod patterns;
mod periods;
mod promised_effects;
pub(crate) mod quiz;
mod readers;
mod repeated_forms;
mod results;
mod start;
pub(crate) mod steps;
mod structure;
mod swapped;
mod texts;
mod texts_about_people;
pub(crate) mod tokens;
mod unanswered;
mod units;
mod unread;
mod wording;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;

pub use self::aliases::Aliases;
use super::LoadedFlow;
use crate::{
    config::{
        problem::Problem,
        toml_document::{self, TomlDocument},
    },
    model::flow::Flow,
};

/// The tools there are, by name, with the schemas of their parameters for one flow. Data, because flows know no tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalogue {
    /// Parameter schemas by tool.
    pub tools: BTreeMap<String, Value>,
    /// Those that score people.
    pub scoring: BTreeSet<String>,
    /// Extensions of the files that can be sent, without the dot; not looked at where empty.
    pub files: BTreeSet<String>,
}

impl FromIterator<(String, Value)> for Catalogue {
    fn from_iter<T: IntoIterator<Item = (String, Value)>>(tools: T) -> Self {
        Self { tools: tools.into_iter().collect(), ..Self::default() }
    }
}

/// Checks a flow; `file` is how messages call it. Without `aliases`, none are looked up: a flow can be checked where
/// there is no configuration.
pub fn check(
    loaded: &LoadedFlow,
    file: &str,
    catalogue: &Catalogue,
    aliases: Option<&Aliases>,
) -> Vec<Problem> {
    let document = match TomlDocument::parse(file, &loaded.source) {
        Ok(document) => document,
        Err(problems) => return problems,
    };
    let mut check =
        Check { loaded, flow: &loaded.flow, document, catalogue, aliases, problems: Vec::new() };
    check.structure();
    check.texts();
    check.labels();
    check.policies();
    check.start();
    check.periods();
    check.schemas();
    check.tools();
    check.steps();
    check.objectives();
    check.effects();
    check.approvals();
    check.decided_by_themselves();
    check.unseen_address();
    check.decisions();
    check.after_decisions();
    check.audience();
    check.order_of_reading();
    check.wording();
    check.swapped();
    check.lengths();
    check.texts_that_contradict();
    check.texts_about_people();
    check.branches_of_answers();
    check.field_names();
    check.languages();
    check.named_types();
    check.keywords();
    check.promised_readers();
    check.promised_effects();
    check.bounds_told();
    check.unanswered();
    check.repeated_forms();
    check.optional();
    check.units();
    check.unread();
    check.offers();
    check.aliases();
    let mut problems = check.problems;
    toml_document::sort(&mut problems);
    problems
}

/// Checks only whether a flow's aliases are set up, for a tenant that starts it.
pub(crate) fn check_aliases(loaded: &LoadedFlow, file: &str, aliases: &Aliases) -> Vec<Problem> {
    let document = match TomlDocument::parse(file, &loaded.source) {
        Ok(document) => document,
        Err(problems) => return problems,
    };
    let (flow, catalogue) = (&loaded.flow, &Catalogue::default());
    let aliases = Some(aliases);
    let mut check = Check { loaded, flow, document, catalogue, aliases, problems: Vec::new() };
    check.aliases();
    check.problems
}

/// Loads and checks a file. The catalogue is asked for once the flow is known, for schemas hold the flow's own enums.
/// The flow comes back where it can be used, with what somebody should look at.
pub fn check_file(
    file: &Path,
    vars: &BTreeMap<String, String>,
    catalogue: impl FnOnce(&LoadedFlow) -> Catalogue,
    aliases: Option<&Aliases>,
) -> Result<(LoadedFlow, Vec<Problem>), Vec<Problem>> {
    let name = file.display().to_string();
    let source =
        fs::read_to_string(file).map_err(|error| vec![Problem::unreadable(&name, &error)])?;
    check_source(&source, &name, vars, catalogue, aliases)
}

/// Like [`check_file`], for a text that is no file, such as a built-in flow. `name` is how messages call it.
pub fn check_source(
    source: &str,
    name: &str,
    vars: &BTreeMap<String, String>,
    catalogue: impl FnOnce(&LoadedFlow) -> Catalogue,
    aliases: Option<&Aliases>,
) -> Result<(LoadedFlow, Vec<Problem>), Vec<Problem>> {
    let (loaded, mut problems) = LoadedFlow::load_flawed(source, name, vars)?;
    problems.extend(check(&loaded, name, &catalogue(&loaded), aliases));
    toml_document::sort(&mut problems);
    if problems.iter().any(Problem::is_error) { Err(problems) } else { Ok((loaded, problems)) }
}

/// One check under way.
struct Check<'a> {
    loaded: &'a LoadedFlow,
    flow: &'a Flow,
    document: TomlDocument,
    catalogue: &'a Catalogue,
    aliases: Option<&'a Aliases>,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn error(&mut self, pointer: &str, message: impl Into<String>, hint: Option<String>) {
        let problem = self.document.problem(pointer, message);
        self.problems.push(Problem { hint, ..problem });
    }

    fn warn(&mut self, pointer: &str, message: impl Into<String>, hint: &str) {
        let problem = self.document.problem(pointer, message).hint(hint).warning();
        self.problems.push(problem);
    }
}
