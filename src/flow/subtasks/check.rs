//! What a template means, checked before anything runs it.

use super::LoadedTask;
use crate::config::{
    problem::{Problem, did_you_mean},
    toml_document::{self, TomlDocument},
};

/// Checks a template against the tools there are; `file` is how messages call it. `allowed` says of a tool whether a
/// child run may call it, and is `None` if there is no such tool.
pub fn check(
    task: &LoadedTask,
    file: &str,
    tools: &[&str],
    allowed: impl Fn(&str) -> Option<bool>,
) -> Vec<Problem> {
    let document = match TomlDocument::parse(file, &task.run.source) {
        Ok(document) => document,
        Err(problems) => return problems,
    };
    let mut problems = Vec::new();
    for (n, tool) in task.template.tools.iter().enumerate() {
        let at = format!("/tools/{n}");
        match allowed(tool) {
            Some(true) if task.template.tools[..n].contains(tool) => {
                problems.push(document.problem(&at, format!("`{tool}` is there twice")));
            }
            Some(true) => {}
            Some(false) => problems.push(
                document
                    .problem(&at, format!("a child run cannot call `{tool}`"))
                    .hint("it changes the conversation; have the caller of the task do that"),
            ),
            None => {
                let hint = did_you_mean(tool, tools.iter().copied())
                    .unwrap_or_else(|| "`anteroom tools list` shows them all".to_owned());
                problems
                    .push(document.problem(&at, format!("there is no tool `{tool}`")).hint(hint));
            }
        }
    }
    toml_document::sort(&mut problems);
    problems
}
