//! `anteroom tools`.

use std::process::ExitCode;

use clap::Subcommand;

use super::{
    app::{self, Wanted},
    sentence,
    shared_args::Json,
    term,
};
use crate::{config::problem::did_you_mean, tool::EffectClass};

/// `tools`.
#[derive(Debug, Subcommand)]
pub(super) enum Tools {
    /// List the tools; `--json` prints them as a model gets them.
    List(Json),
    /// Print the parameter schema of a tool; `--json` prints it as a model gets it.
    Schema {
        /// The tool's name.
        tool: String,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
}

/// Lists the tools, or prints the schema of one. With no flow loaded the schemas are the specification's.
pub(super) fn tools(wanted: &Wanted, command: Tools) -> anyhow::Result<ExitCode> {
    let toolbox = app::toolbox(&app::tasks(&wanted.settings()?)?)?;
    match command {
        Tools::List(Json { json: true }) => term::json(&toolbox.tool_schemas(None))?,
        Tools::List(Json { json: false }) => {
            let rows: Vec<[String; 3]> = toolbox
                .iter()
                .map(|tool| {
                    let spec = tool.spec();
                    let description = first_sentence(spec.description);
                    [spec.name.to_owned(), class(spec.effect_class).to_owned(), description]
                })
                .collect();
            term::table(["TOOL", "RETRY", "DESCRIPTION"], &rows, "There are no tools.")?;
        }
        Tools::Schema { tool: name, output: Json { json } } => {
            let tool = toolbox.get(&name).ok_or_else(|| {
                let known = toolbox.iter().map(|tool| tool.spec().name);
                let hint = did_you_mean(&name, known)
                    .unwrap_or_else(|| "run `anteroom tools list` to see them all".to_owned());
                sentence(format!("there is no tool `{name}`. hint: {hint}"))
            })?;
            if json {
                let wanted =
                    |schema: &serde_json::Value| schema["function"]["name"] == name.as_str();
                term::json(&toolbox.tool_schemas(None).into_iter().find(wanted))?;
            } else {
                term::json(&tool.spec().parameters)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

const fn class(class: EffectClass) -> &'static str {
    match class {
        EffectClass::Pure | EffectClass::Idempotent => "safe",
        EffectClass::Reconcile => "checks first",
        EffectClass::AtMostOnce => "never",
    }
}

fn first_sentence(text: &str) -> String {
    text.split_once(". ").map_or_else(|| text.to_owned(), |(first, _)| format!("{first}."))
}
