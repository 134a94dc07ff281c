//! What an operator does: the command line, and the composition root.
//!
//! Exit codes: 0 it worked, 1 it did not (the reason is on standard error, with a hint), 2 the arguments make no
//! sense.

mod admin_api;
mod app;
mod audit;
mod backup;
mod bucket;
mod cli;
mod contact_sources;
mod contacts;
mod control;
mod data_access;
mod discord;
mod doctor;
mod erase;
pub mod eval;
mod export;
mod flows;
mod healthcheck;
mod hold;
#[cfg(feature = "postgres")]
mod nodes;
mod notify;
mod output_file;
mod play;
mod rehearsal;
mod reload;
mod repair;
mod replay;
mod restore;
mod sample;
mod scrub;
mod serve;
mod sessions;
mod shared_args;
mod slack;
mod stage;
mod standby;
mod startup_report;
#[cfg(feature = "postgres")]
mod store_copy;
mod stories;
mod tasks;
mod term;
mod tools;

use std::{ffi::OsString, fmt, io, panic, process::ExitCode, thread};

use clap::{CommandFactory as _, Parser as _};

use self::cli::{Cli, Command};
use crate::config::{Environment, Problem};

/// Runs the command that the arguments name; the first of them is the program's own name.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    keep_caught_panics_quiet();
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too. There is nobody left to tell if that fails.
            drop(error.print());
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    match dispatch(cli) {
        Ok(code) => code,
        Err(error) => report(&error),
    }
}

/// The database panics over files that it cannot read, and where memory is short. The store catches that and reports it
/// as an error; the panic's own message would only say it a second time, and worse.
fn keep_caught_panics_quiet() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panicked| {
        if !matches!(thread::current().name(), Some("store-open" | "store-check")) {
            usual(panicked);
        }
    }));
}

fn dispatch(cli: Cli) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let Cli { config, data, command } = cli;
    let wanted = app::Wanted { config, data, environment };
    match command.unwrap_or_else(|| Command::Play(play::Play::default())) {
        Command::Play(play) => play::play(wanted, &play),
        Command::Replay { file } => replay::replay(&wanted, &file),
        Command::Run(output) => serve::run(&wanted, output),
        Command::Flows(command) => flows::flows(&wanted, command),
        Command::Tools(command) => tools::tools(&wanted, command),
        Command::Tasks(command) => tasks::tasks(&wanted, command),
        Command::Sessions(command) => sessions::sessions(&wanted, command),
        Command::Contacts(command) => contacts::contacts(&wanted, command),
        Command::Export(export) => export::export(&wanted, &export),
        Command::Erase(erase) => erase::erase(&wanted, &erase),
        Command::Hold(hold) => hold::hold(&wanted, &hold),
        Command::Audit(command) => audit::audit(&wanted, command),
        Command::Healthcheck(asked) => healthcheck::healthcheck(&wanted, &asked),
        Command::Doctor(command) => doctor::doctor(&wanted, &command),
        Command::Eval(asked) => eval::eval(&wanted, &asked),
        Command::Backup(backup) => backup::backup(&wanted, &backup),
        Command::Restore(restore) => restore::restore(&wanted, &restore),
        Command::Repair(repair) => repair::repair(&wanted, &repair),
        #[cfg(feature = "postgres")]
        Command::Nodes(nodes::Nodes::List(output)) => nodes::list(&wanted, output),
        #[cfg(feature = "postgres")]
        Command::Migrate(asked) => nodes::migrate(&wanted, asked),
        #[cfg(feature = "postgres")]
        Command::Store(command) => store_copy::store(&wanted, &command),
        Command::Scrub(output) => scrub::scrub(&wanted, output),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "anteroom", &mut script);
            term::pour(&script)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A sentence that ends a command; the part after `hint:` goes on a line of its own.
#[derive(Debug)]
struct Sentence(String);

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Sentence {}

/// An error that is one sentence, with a hint in it where there is one.
fn sentence(text: impl Into<String>) -> anyhow::Error {
    Sentence(text.into()).into()
}

/// Problems of a file, which are told one a line.
#[derive(Debug)]
struct Problems(Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::config::render(&self.0).trim_end())
    }
}

impl std::error::Error for Problems {}

/// Tells an error on standard error: what, why underneath, and what to do.
fn report(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        // `anteroom audit show | head`: the reader has had enough.
        return ExitCode::SUCCESS;
    }
    if let Some(problems) = error.downcast_ref::<Problems>() {
        term::tell(problems.to_string());
        return ExitCode::FAILURE;
    }
    let mut hints = Vec::new();
    for (depth, cause) in error.chain().enumerate() {
        let text = cause.to_string();
        let (what, hint) = match text.split_once(". hint: ") {
            Some((what, hint)) => (what.to_owned(), Some(hint.to_owned())),
            None => (text, None),
        };
        term::tell(format!("{}: {what}", if depth == 0 { "error" } else { "because" }));
        hints.extend(hint);
    }
    if hints.is_empty() {
        hints.extend(error.chain().find_map(remedy).map(str::to_owned));
    }
    for hint in hints {
        term::tell(format!("hint: {hint}"));
    }
    ExitCode::FAILURE
}

/// What helps against an error of the system, where nothing above it knew better.
fn remedy(cause: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    let error = cause.downcast_ref::<io::Error>()?;
    Some(match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free up space there, or choose another place"
        }
        io::ErrorKind::PermissionDenied => {
            "check its owner and permissions, or run this as another user"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "the file system is mounted read-only; choose another place"
        }
        io::ErrorKind::NotFound => "check the path",
        _ if error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error()) => {
            "raise the limit of open files (`ulimit -n`, or `LimitNOFILE` in systemd)"
        }
        _ => return None,
    })
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
