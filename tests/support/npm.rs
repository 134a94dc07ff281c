//! What is installed from npm, in the versions that tests are written for.

use std::path::{Path, PathBuf};

/// What to do where some of it is not installed. One command for all: npm removes what it is not told of.
pub(crate) const INSTALL: &str = "npm install --no-save --prefix target/npm @copilotkit/aimock@1.43.0 axe-core@4.14.1 s3rver@3.7.1";

/// A file of a package; none where it is not installed.
pub(crate) fn file(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    Some(root.join("target/npm/node_modules").join(name)).filter(|file| file.is_file())
}

/// Node, where it is installed.
pub(crate) fn node() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("node")).find(|file| file.is_file())
}
