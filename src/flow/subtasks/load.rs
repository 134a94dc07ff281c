//! From TOML text to a template that can be used.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::json;

use super::{LoadedTask, PHASE};
use crate::{
    config::{
        problem::Problem,
        toml_document::{self, TomlDocument},
    },
    flow::{LoadedFlow, OUTPUT, schemas},
    model::{audit::sha256, flow::Flow, task::Template},
};

/// The version of the format that this program reads.
const FORMAT: u32 = 1;

/// Most model calls of a child run.
const ROUNDS_MAX: u32 = 50;

impl LoadedTask {
    /// Loads a template; `name` is the file it came from. Every mistake is told at once. Whether its tools exist is
    /// not looked at here: see [`super::check`].
    pub fn load(source: &str, name: &str) -> Result<Self, Vec<Problem>> {
        let document = TomlDocument::parse(name, source)?;
        let template: Template = document.read()?;
        let mut problems = mistakes(&template, &document);
        let mut schema = |key: &str, text: &str| match schemas::of_line(text) {
            Ok(schema) => Some(schema),
            Err((message, hint)) => {
                problems.push(Problem { hint, ..document.problem(&format!("/{key}"), message) });
                None
            }
        };
        let input = template.input.as_deref().and_then(|text| schema("input", text));
        let output = schema("output", &template.output);
        match (output, template_run(&template)) {
            (Some(output), Ok(flow)) if problems.is_empty() => {
                let (source, digest) = (source.to_owned(), sha256(source.as_bytes()));
                let schemas = [(OUTPUT.to_owned(), output.clone())].into();
                let run = LoadedFlow { flow, source, digest, vars: BTreeMap::new(), schemas };
                Ok(Self { template, input, output, run: Arc::new(run) })
            }
            (_, Err(error)) => {
                problems.push(Problem::whole(name, error.to_string()));
                Err(problems)
            }
            (_, Ok(_)) => {
                toml_document::sort(&mut problems);
                Err(problems)
            }
        }
    }
}

fn mistakes(template: &Template, document: &TomlDocument) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut error = |at: &str, message: &str, hint: &str| {
        problems.push(document.problem(at, message).hint(hint));
    };
    if template.format != FORMAT {
        error("/format", &format!("format {} is not known", template.format), "write `format = 1`");
    }
    if !is_name(&template.name) {
        let message = format!("`{}` is not a name", template.name);
        error("/name", &message, "write lower case, digits and underscores: `code_analysis`");
    }
    if template.prompt.trim().is_empty() {
        error("/prompt", "the model is told nothing", "say what to do and what to give back");
    }
    if template.hints.iter().all(|hint| hint.trim().is_empty()) {
        error("/hints", "no word leads here", "write `hints = [\"data_analysis\"]`");
    }
    if template.tool.is_some() && template.input.is_none() {
        error(
            "/tool",
            "a tool needs arguments",
            "say what they are: `input = '{\"type\":\"object\",…}'`",
        );
    }
    let rounds = template.budget.rounds;
    if rounds == 0 || rounds > ROUNDS_MAX {
        let hint = format!("write a number from 1 to {ROUNDS_MAX}");
        error("/budget/rounds", &format!("{rounds} model calls are no budget"), &hint);
    }
    if template.budget.tokens == 0 {
        error("/budget/tokens", "no token is no budget", "write `tokens = 60000`");
    }
    problems
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(fits)
}

/// The flow that a child run of the template runs.
fn template_run(template: &Template) -> Result<Flow, serde_json::Error> {
    serde_json::from_value(json!({
        "format": 1,
        "id": template.name,
        "version": template.version,
        "title": template.title,
        "summary": template.description,
        "policy": { "score_people": false },
        "limits": { "model_rounds": template.budget.rounds, "tokens": template.budget.tokens },
        "phase": [{
            "id": PHASE,
            "title": template.title,
            "mode": "interview",
            "prompt": template.prompt,
            "tools": template.tools,
            "uploads": template.uploads,
        }],
    }))
}
