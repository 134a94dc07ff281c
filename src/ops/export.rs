//! `anteroom export`.

use std::{path::PathBuf, process::ExitCode};

use serde_json::Value;

use super::{
    app::{self, Wanted},
    cli::{Export, Format},
    reach::Reach,
    request::Request,
    sentence, term,
};

/// Writes out everything about one session.
pub(super) fn export(wanted: &Wanted, export: &Export) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    let output = target(export)?;
    app::block_on(async {
        let reach = Reach::find(&settings).await?;
        let progress = term::Progress::start("Packing");
        let mut bytes = Vec::new();
        let request = Request::Export { session: export.session.clone(), format: export.format };
        reach.ask_into::<Value>(request, &mut bytes).await?;
        drop(progress);
        app::deliver(output.as_deref(), &bytes)?;
        if let Some(file) = &output {
            term::tell(format!("Wrote {}.", file.display()));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// An archive is nothing for a terminal: it goes to a file named after the session.
fn target(export: &Export) -> anyhow::Result<Option<PathBuf>> {
    if export.output.is_some() || export.format != Format::Zip || !term::is_read_by_a_person() {
        return Ok(export.output.clone());
    }
    let file = PathBuf::from(format!("{}.zip", export.session));
    if file.exists() {
        return Err(sentence(format!(
            "`{}` exists already. hint: name another file with `-o FILE`",
            file.display()
        )));
    }
    Ok(Some(file))
}
