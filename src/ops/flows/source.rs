//! Flows as commands name them: by id, or by file.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use super::find;
use crate::{
    config::{Problem, toml_document::TomlDocument},
    flow::{LoadedFlow, optional},
    model::flow::Flow,
    ops::{
        Problems,
        app::{self, Wanted},
    },
};

/// The flow of an id, or in a file where the text is the name of one. It need not pass the check, and `[vars]` need not
/// have its variables: they stay as they are written.
pub(super) fn named(wanted: &Wanted, text: &str) -> anyhow::Result<Arc<LoadedFlow>> {
    let path = Path::new(text);
    let is_file = path.extension().is_some_and(|extension| extension == "toml") || path.is_file();
    if is_file {
        let read = fs::read_to_string(path);
        let source = read.map_err(|error| Problems(vec![Problem::unreadable(text, &error)]))?;
        return loaded(&source, text);
    }
    if let Some((_, source)) = optional().iter().find(|(file, _)| id(file) == text) {
        let library = app::library(&wanted.settings()?)?;
        return library.get(text).map_or_else(|| loaded(source, text), Ok);
    }
    find(&app::library(&wanted.settings()?)?, text)
}

/// The id of a built-in flow by its file.
pub(super) fn id(file: &str) -> &str {
    file.strip_suffix(".toml").unwrap_or(file)
}

fn loaded(source: &str, name: &str) -> anyhow::Result<Arc<LoadedFlow>> {
    let load = || {
        let (flow, _) = TomlDocument::parse(name, source)?.read_known::<Flow>()?;
        let as_written = flow.vars.into_iter().map(|var| (var.clone(), format!("{{{{{var}}}}}")));
        let vars: BTreeMap<String, String> = as_written.collect();
        LoadedFlow::load(source, name, &vars)
    };
    Ok(Arc::new(load().map_err(Problems)?))
}
