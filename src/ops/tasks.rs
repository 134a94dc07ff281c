//! `anteroom tasks`.

use std::{fs, path::PathBuf, process::ExitCode};

use clap::Subcommand;
use serde_json::json;

use super::{
    app::{self, Wanted},
    shared_args::Json,
    term,
};
use crate::{
    config::Problem,
    flow::subtasks::{Choice, LoadedTask, Tasks},
    tool::Toolbox,
};

/// `tasks`.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the templates.
    List(Json),
    /// Check template files; exits with 1 if one can't be used.
    Check {
        /// The files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Show which template matches a description, and why; exits with 1 if none does.
    Match {
        /// The description of a task.
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        /// A hint to prefer some templates; may be repeated.
        #[arg(long, value_name = "HINT")]
        hint: Vec<String>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
}

/// Lists templates of child runs, checks files, or says which one words lead to.
pub(super) fn tasks(wanted: &Wanted, command: Command) -> anyhow::Result<ExitCode> {
    let tasks = || app::tasks(&wanted.settings()?);
    match command {
        Command::List(output) => {
            list(&tasks()?, output)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Check { files, output } => check_files(&app::toolbox(&tasks()?)?, &files, output),
        Command::Match { words, hint, output } => {
            matched(&tasks()?, &words.join(" "), &hint, output)
        }
    }
}

fn list(tasks: &Tasks, Json { json }: Json) -> anyhow::Result<()> {
    if json {
        let tasks = tasks.iter().map(|task| {
            json!({ "name": task.template.name, "version": task.template.version,
                "title": task.template.title, "description": task.template.description,
                "hints": task.template.hints, "tools": task.template.tools,
                "digest": task.run.digest })
        });
        return Ok(term::json(&tasks.collect::<Vec<_>>())?);
    }
    let rows: Vec<[String; 4]> = tasks
        .iter()
        .map(|task| {
            let template = &task.template;
            let digest = task.run.digest.chars().take(12).collect();
            [template.name.clone(), template.version.clone(), digest, template.description.clone()]
        })
        .collect();
    Ok(term::table(["TASK", "VERSION", "DIGEST", "DESCRIPTION"], &rows, "There are no tasks.")?)
}

/// Checks files against the tools there are.
fn check_files(
    toolbox: &Toolbox,
    files: &[PathBuf],
    Json { json }: Json,
) -> anyhow::Result<ExitCode> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut checked = Vec::new();
    for file in files {
        let name = file.display().to_string();
        let found = match fs::read_to_string(file) {
            Ok(source) => problems_of(&source, &name, toolbox),
            Err(error) => Err(vec![Problem::unreadable(&name, &error)]),
        };
        match found {
            Ok(task) => checked.push(format!("{name}: ok, task `{task}`")),
            Err(found) => problems.extend(found),
        }
    }
    let ok = checked.len() == files.len();
    term::report((&checked, &problems), ok, json)
}

/// The name of the task, or what is wrong with it.
fn problems_of(source: &str, name: &str, toolbox: &Toolbox) -> Result<String, Vec<Problem>> {
    let task = LoadedTask::load(source, name)?;
    let problems = app::task_problems(&task, name, toolbox);
    if problems.is_empty() { Ok(task.template.name) } else { Err(problems) }
}

/// Which template words lead to, and why.
fn matched(
    tasks: &Tasks,
    words: &str,
    hints: &[String],
    Json { json }: Json,
) -> anyhow::Result<ExitCode> {
    let choice = tasks.choose(hints, words);
    let code = if choice.task.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if json {
        term::json(&choice)?;
        return Ok(code);
    }
    let Choice { task, tie, ranked } = choice;
    match task {
        Some(task) => term::say(format!("Best match: `{task}`"))?,
        None => term::say("No match.")?,
    }
    if let Some(tie) = tie {
        term::say(format!("{tie}."))?;
    }
    let rows: Vec<[String; 3]> = ranked
        .into_iter()
        .map(|found| [found.task, found.score.to_string(), found.because.join(", ")])
        .collect();
    term::table(["TASK", "SCORE", "WHY"], &rows, "There are no tasks.")?;
    Ok(code)
}
