//! The environment of the process; nothing else reads it.

use std::{collections::BTreeMap, path::PathBuf};

/// Names the configuration file.
pub const CONFIG: &str = "ANTEROOM_CONFIG";
/// Where everything is kept; wins over the file.
pub(crate) const DATA_DIR: &str = "ANTEROOM_DATA_DIR";
/// Where the page is served; wins over the file.
pub const LISTEN: &str = "ANTEROOM_LISTEN";
/// What is logged; wins over the file.
pub(crate) const LOG: &str = "ANTEROOM_LOG";
/// How it is written: `auto`, `pretty`, `plain` or `json`; wins over the file.
pub(crate) const LOG_FORMAT: &str = "ANTEROOM_LOG_FORMAT";
/// Slack's Web API, under the name that Slack's own samples use; wins over the file.
pub const SLACK_API_URL: &str = "SLACK_API_URL";

/// The variables of the environment, taken once; prints as names only, for values may be secrets.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Of this process.
    pub(crate) fn of_process() -> Self {
        Self(
            std::env::vars_os()
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
        )
    }

    /// A variable; an empty one counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The app that this program was started from, as a Mac's terminals and the system itself tell it.
    pub(crate) fn launcher(&self) -> Option<&str> {
        self.get("TERM_PROGRAM").or_else(|| self.get("__CFBundleIdentifier"))
    }

    /// The configuration file to read: the one named on the command line, else in the environment, else `config.toml`
    /// here if there is one.
    pub(crate) fn config_file(&self, named: Option<PathBuf>) -> Option<PathBuf> {
        let here = PathBuf::from("config.toml");
        named
            .or_else(|| self.get(CONFIG).map(PathBuf::from))
            .or_else(|| here.is_file().then_some(here))
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(variables: [(&str, &str); N]) -> Self {
        Self(variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}
