//! From TOML text to a loaded flow.

use std::{collections::BTreeMap, ops::Range};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{
    LoadedFlow, Trouble,
    schemas::{self, beside},
};
use crate::{
    config::{
        Tenant,
        problem::Problem,
        raw,
        toml_document::{self, TomlDocument},
    },
    model::flow::Flow,
};

/// What an honest sales assistant says and does not say.
const CONSULTING: &str = include_str!("../../manifests/prompts/consulting.md");

/// How texts call the time after which nothing of a conversation is left.
const RETENTION: &str = "retention";

/// The version of the format that this program reads.
const FORMAT: u32 = 1;

impl LoadedFlow {
    /// Loads a flow; `name` is the file it came from, `vars` the operator's. Every mistake is told at once. What the
    /// flow means is not checked here.
    ///
    /// The kept source holds every schema: a pinned flow depends on no other file.
    pub fn load(
        source: &str,
        name: &str,
        vars: &BTreeMap<String, String>,
    ) -> Result<Self, Vec<Problem>> {
        let (loaded, problems) = Self::load_flawed(source, name, vars)?;
        if problems.is_empty() { Ok(loaded) } else { Err(problems) }
    }

    /// Like [`Self::load`], but returns a flow that can be parsed together with its problems, so that it can be checked
    /// further. A flow with problems must not be run.
    pub(super) fn load_flawed(
        source: &str,
        name: &str,
        vars: &BTreeMap<String, String>,
    ) -> Result<(Self, Vec<Problem>), Vec<Problem>> {
        let document = TomlDocument::parse(name, source)?;
        let (mut flow, mut problems) = document.read_known::<Flow>()?;
        let (schemas, found) = schemas::resolve(&flow, &document, name);
        problems.extend(found);
        if let Some(file) = &flow.persona.file {
            match persona(&flow.persona.prompt, file, name) {
                Ok(text) => flow.persona.prompt = text,
                Err((message, hint)) => {
                    let problem = document.problem("/persona/file", message);
                    problems.push(Problem { hint, ..problem });
                }
            }
        }
        if flow.format != FORMAT {
            let message = format!("unknown format {}", flow.format);
            problems.push(document.problem("/format", message).hint("set `format = 1`"));
        }
        let mut supplied = BTreeMap::new();
        for (index, var) in flow.vars.iter().enumerate() {
            let value = vars.get(var).cloned();
            if value.is_none() {
                let hint = format!("add `{var} = \"…\"` under `[vars]` in the configuration");
                let pointer = format!("/vars/{index}");
                let problem = document.problem(&pointer, format!("`{var}` has no value"));
                problems.push(problem.hint(hint));
            }
            supplied.insert(var.clone(), value.unwrap_or_default());
        }
        supplied.insert(RETENTION.to_owned(), flow.retention.longest().to_string());
        toml_document::sort(&mut problems);
        let source = self_contained(source, &flow, &document, &schemas);
        let digest = hex(&Sha256::digest(source.as_bytes()));
        Ok((Self { flow, source, digest, vars: supplied, schemas }, problems))
    }
}

impl LoadedFlow {
    /// This flow as it reads for a tenant: with the values in `vars`, and with the tenant's retention if that is
    /// shorter. Also returns the names of the variables that have no value.
    pub(super) fn of_tenant(
        &self,
        tenant: &Tenant,
        vars: &BTreeMap<String, String>,
    ) -> (Self, Vec<String>) {
        let (mut own, mut lacks) = (self.clone(), Vec::new());
        for var in &self.flow.vars {
            match vars.get(var) {
                Some(value) => _ = own.vars.insert(var.clone(), value.clone()),
                None => lacks.push(var.clone()),
            }
        }
        own.keep_at_most(tenant.retention);
        (own, lacks)
    }

    /// Shortens how long things are kept, where the flow keeps them for longer.
    pub(super) fn keep_at_most(&mut self, most: raw::Retention) {
        let kept = &mut self.flow.retention;
        for (kept, most) in [
            (&mut kept.transcript, most.transcript),
            (&mut kept.uploads, most.uploads),
            (&mut kept.records, most.records),
        ] {
            *kept = most.map_or(*kept, |most| most.min(*kept));
        }
        let longest = kept.longest().to_string();
        self.vars.insert(RETENTION.to_owned(), longest);
    }
}

/// The interviewer's manner out of a file.
fn persona(prompt: &str, file: &str, flow: &str) -> Result<String, Trouble> {
    if !prompt.is_empty() {
        return Err(("set either `prompt` or `file`, not both".to_owned(), None));
    }
    match file.strip_prefix("builtin:") {
        Some("consulting") => Ok(CONSULTING.to_owned()),
        Some(other) => {
            let hint = Some("the built-in one is `builtin:consulting`".to_owned());
            Err((format!("there are no built-in instructions `{other}`"), hint))
        }
        None => beside(flow, file),
    }
}

/// The source with what lies in files beside it written into it.
fn self_contained(
    source: &str,
    flow: &Flow,
    document: &TomlDocument,
    schemas: &BTreeMap<String, Value>,
) -> String {
    let mut edits: Vec<(Range<usize>, String)> = flow
        .data
        .iter()
        .filter(|(_, table)| table.schema.as_ref().is_some_and(|s| !s.starts_with("builtin:")))
        .filter_map(|(name, _)| {
            let span = document.span(&format!("/data/{}/schema", toml_document::escaped(name)))?;
            // JSON's way to write text is TOML's too.
            let inline = Value::String(schemas.get(name)?.to_string()).to_string();
            Some((span, format!("schema_inline = {inline}")))
        })
        .collect();
    // What is said to people changes with the flow alone, so the text in the box is written down as well.
    if flow.persona.file.is_some()
        && let Some(span) = document.span("/persona/file")
    {
        let inline = Value::String(flow.persona.prompt.clone()).to_string();
        edits.push((span, format!("prompt = {inline}")));
    }
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut edited = source.to_owned();
    for (span, text) in edits {
        edited.replace_range(span, &text);
    }
    edited
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        _ = write!(text, "{byte:02x}");
        text
    })
}
