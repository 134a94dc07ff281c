//! From a configuration file to the settings.

use std::{fs, path::Path};

use super::{
    Config, Problem, Settings,
    environment::Environment,
    resolve::{Resolve, Secrets},
    toml_document::TomlDocument,
};

impl Settings {
    /// Reads a configuration file. Every problem is told at once. Relative paths in it are resolved from its directory.
    pub fn load(file: &Path, environment: &Environment) -> Result<Self, Vec<Problem>> {
        Self::read(file, environment, Secrets::Read)
    }

    /// Reads a configuration from its text; `file` is how messages call it. Relative paths stay as they are.
    pub fn parse(file: &str, text: &str, environment: &Environment) -> Result<Self, Vec<Problem>> {
        Self::resolved((file, text), Path::new(""), environment, Secrets::Read)
    }

    /// Reads a configuration file for a command that needs no secret: none is looked up, so none can be missing.
    /// Platforms count as not connected, and keys as not set.
    pub fn load_without_secrets(
        file: &Path,
        environment: &Environment,
    ) -> Result<Self, Vec<Problem>> {
        Self::read(file, environment, Secrets::Ignore)
    }

    fn read(
        file: &Path,
        environment: &Environment,
        secrets: Secrets,
    ) -> Result<Self, Vec<Problem>> {
        let (name, text) = contents(file)?;
        let directory = file.parent().unwrap_or_else(|| Path::new(""));
        Self::resolved((&name, &text), directory, environment, secrets)
    }

    fn resolved(
        (file, text): (&str, &str),
        directory: &Path,
        environment: &Environment,
        secrets: Secrets,
    ) -> Result<Self, Vec<Problem>> {
        let document = TomlDocument::parse(file, text)?;
        let (mut config, mut problems) = document.read_known::<Config>()?;
        problems.extend(config.home_paths(&document));
        config.resolve_paths(directory);
        Resolve::new(&document, environment, secrets, problems).settings(config)
    }
}

/// The name of a file, as messages call it, and its text.
fn contents(file: &Path) -> Result<(String, String), Vec<Problem>> {
    let name = file.display().to_string();
    match fs::read_to_string(file) {
        Ok(text) => Ok((name, text)),
        Err(error) => Err(vec![Problem::unreadable(&name, &error)]),
    }
}
