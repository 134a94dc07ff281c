//! The real program as a process: started, killed without mercy, started again on the same data.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A running `anteroom play`.
#[derive(Debug)]
pub(crate) struct Bot {
    pub(crate) child: Child,
    /// The program itself, which something else may run; none before it is ready.
    pid: Option<Pid>,
    /// The participant's page, with a slash at the end.
    pub(crate) page: String,
}

impl Bot {
    /// Starts the program on `data` and waits until it says that it is ready.
    pub(crate) fn start(data: &Path) -> Self {
        Self::launch(command(data), data).unwrap_or_else(|| {
            let log = std::fs::read_to_string(data.with_extension("log")).unwrap();
            panic!("the bot did not start: {log}");
        })
    }

    /// Starts the program by a [`command`] on `data` and waits until it says that it is ready; none if it ended before.
    /// What it says goes to a log beside the data.
    pub(crate) fn launch(command: Command, data: &Path) -> Option<Self> {
        Self::at("127.0.0.1:0", command, data)
    }

    /// The same at an address and port of its own.
    pub(crate) fn at(address: &str, mut command: Command, data: &Path) -> Option<Self> {
        let log =
            File::options().create(true).append(true).open(data.with_extension("log")).unwrap();
        let child = command
            .args(["play", "--no-open", "--json", "--listen", address])
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut bot = Self { child, pid: None, page: String::new() };
        let mut line = String::new();
        BufReader::new(bot.child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).ok()?;
        ready["page"].as_str()?.clone_into(&mut bot.page);
        bot.pid = Pid::from_raw(ready["pid"].as_i64()?.try_into().ok()?);
        Some(bot)
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // As a power cut would: it hears nothing of it. It may have ended already.
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            // Its number may be another process's by now.
            return;
        }
        match self.pid {
            Some(pid) => drop(kill_process(pid, Signal::KILL)),
            None => drop(self.child.kill()),
        }
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
    said_by(command(data), args)
}

/// The same of a command that has options already.
pub(crate) fn said_by(mut command: Command, args: &[&str]) -> Vec<u8> {
    let Output { status, stdout, stderr } = command.args(args).output().unwrap();
    assert!(status.success(), "anteroom {args:?}: {}", String::from_utf8_lossy(&stderr));
    stdout
}

/// A file that tests send.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}
