//! axe-core: rules for everybody's use, written by others, held against every page that a test shows.

use std::{fs, path::Path};

use super::npm::INSTALL;

/// The script; none where it is not installed.
pub(crate) fn script() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = root.join("target/npm/node_modules/axe-core");
    let version = fs::read_to_string(package.join("package.json")).ok()?;
    let wanted = INSTALL.split_once("axe-core@")?.1.split(' ').next()?;
    let is_wanted = version.contains(&format!("\"version\": \"{wanted}\""));
    fs::read_to_string(package.join("axe.min.js")).ok().filter(|_| is_wanted)
}
