//! The real program as a process: started, killed without mercy, started again on the same data.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

/// A running `anteroom play`.
#[derive(Debug)]
pub(crate) struct Bot {
    child: Child,
    /// The participant's page, with a slash at the end.
    pub(crate) page: String,
}

impl Bot {
    /// Starts the program on `data` and waits until it says that it is ready.
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_by(command(data), data)
    }

    /// The same by a command that ends in the program with its data directory.
    pub(crate) fn start_by(mut command: Command, data: &Path) -> Self {
        let log =
            File::options().create(true).append(true).open(data.with_extension("log")).unwrap();
        let mut child = command
            .args(["play", "--no-open", "--json", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Ok(ready) = serde_json::from_str::<Value>(&line) else {
            let log = std::fs::read_to_string(data.with_extension("log")).unwrap();
            panic!("the bot did not start: {log}");
        };
        let page = ready["page"].as_str().unwrap().to_owned();
        Self { child, page }
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // As a power cut would: it hears nothing of it. It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The program with an environment of its own, so that nothing of the developer's reaches it.
pub(crate) fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anteroom"));
    command
        .arg("--data")
        .arg(data)
        .env_clear()
        .env("HOME", data)
        .current_dir(data.parent().unwrap());
    command
}

/// What a command says, which must succeed.
pub(crate) fn said(data: &Path, args: &[&str]) -> Vec<u8> {
    let Output { status, stdout, stderr } = command(data).args(args).output().unwrap();
    assert!(status.success(), "anteroom {args:?}: {}", String::from_utf8_lossy(&stderr));
    stdout
}

/// A file that tests send.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}
