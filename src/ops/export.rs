//! `anteroom export`.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use super::{
    app::{self, Data, Wanted},
    cli::{Export, Format},
    sentence, sessions, term,
};
use crate::{
    export::{self, Reader, Source, json_resume, transcript},
    flows::LoadedFlow,
    interview::State,
    model::audit::Sealed,
    store::Loaded,
};

/// Everything that an export is made from.
#[derive(Debug)]
pub(super) struct Gathered {
    /// The session.
    pub(super) loaded: Loaded,
    flow: Arc<LoadedFlow>,
    audit: Vec<Sealed>,
}

impl Gathered {
    /// As it is read by somebody.
    pub(super) fn source(&self, reader: Reader) -> Source<'_> {
        Source { loaded: &self.loaded, flow: &self.flow, audit: &self.audit, reader }
    }
}

/// Collects what belongs to the session that `text` names.
pub(super) async fn gather(data: &Data, text: &str) -> anyhow::Result<Gathered> {
    let id = data.session(text).await?;
    let (loaded, flow) = data.view(id).await?;
    let progress = term::Progress::start("Reading audit records");
    let audit = export::audit_of(data.store(), id).await?;
    drop(progress);
    Ok(Gathered { loaded, flow, audit })
}

/// Writes out everything about one session.
pub(super) fn export(wanted: &Wanted, export: &Export) -> anyhow::Result<ExitCode> {
    let data = Data::look(&wanted.settings()?)?;
    let output = target(export)?;
    app::block_on(async {
        let gathered = gather(&data, &export.session).await?;
        sessions::note_reading(&data, &gathered, "session_exported").await?;
        let source = gathered.source(Reader::Staff);
        let bytes = match export.format {
            Format::Zip => {
                let _progress = term::Progress::start("Packing");
                export::bundle(&source, &data.engine.parts().artifacts).await?
            }
            Format::JsonResume => {
                let state = State::fold(&gathered.loaded.events)
                    .ok_or(export::Error::Unreadable(gathered.loaded.head.id))?;
                format!("{:#}\n", json_resume::of(&state)).into_bytes()
            }
            Format::Markdown => transcript::markdown(&source)?.into_bytes(),
            Format::Json => format!("{:#}\n", transcript::json(&source)?).into_bytes(),
        };
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
