//! `anteroom export`.

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, builder::NonEmptyStringValueParser};
use serde_json::Value;

use super::{
    admin_api::{AdminRequest, ExportFormat},
    app::{self, Wanted},
    data_access::DataAccess,
    output_file,
    shared_args::Output,
    term,
};

/// `export`.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The session's id, or the first characters of it.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    session: String,
    /// The format.
    #[arg(long, value_enum, default_value_t = ExportFormat::Zip)]
    format: ExportFormat,
    /// Output.
    #[command(flatten)]
    output: Output,
}

/// Exports everything about one session.
pub(super) fn export(wanted: &Wanted, export: &Export) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    let output = target(export);
    app::block_on(async {
        let reach = DataAccess::find(&settings).await?;
        let progress = term::Progress::start("Exporting");
        let mut bytes = Vec::new();
        let request =
            AdminRequest::Export { session: export.session.clone(), format: export.format };
        reach.ask_into::<Value>(request, &mut bytes).await?;
        drop(progress);
        output_file::deliver(&output, &bytes)?;
        if let Some(file) = &output.output {
            term::tell(format!("Wrote {}.", file.display()));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// An archive is nothing for a terminal: it goes to a file named after the session.
fn target(export: &Export) -> Output {
    let mut output = export.output.clone();
    if output.output.is_none() && export.format == ExportFormat::Zip && term::is_read_by_a_person()
    {
        output.output = Some(PathBuf::from(format!("{}.zip", export.session)));
    }
    output
}
