//! The command line: the commands there are. Their arguments stand beside each of them.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::{
    audit::Audit, backup::Backup, contacts, doctor::Doctor, erase::Erase, eval::Eval,
    export::Export, flows::Flows, healthcheck::Healthcheck, hold::Hold, play::Play, repair::Repair,
    restore::Restore, sessions::Sessions, shared_args::Json, tasks, tools::Tools,
};
#[cfg(feature = "postgres")]
use super::{
    nodes::{Migrate, Nodes},
    store_copy::Store,
};

/// Durable onboarding interviews for Slack and Discord.
///
/// Without a command, runs `anteroom play`: a page in your browser that needs no account and no model.
#[derive(Debug, Parser)]
#[command(name = "anteroom", version, max_term_width = 100)]
pub(super) struct Cli {
    /// Path to the configuration file [default: ./config.toml, if there is one].
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Data directory (overrides the configuration).
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    /// The command.
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve the playground on this machine and open it in the browser.
    Play(Play),
    /// Replay a recording without network access; exits with 1 if people or the model would see something else.
    Replay {
        /// A recording made with `anteroom play --record FILE`.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Run the bot; needs a configuration file.
    Run(Json),
    /// Check, write, draw, compare, list, show and export flows.
    #[command(subcommand)]
    Flows(Flows),
    /// List the tools, or print their schemas.
    #[command(subcommand)]
    Tools(Tools),
    /// List, check and match the templates of sub-tasks.
    #[command(subcommand)]
    Tasks(tasks::Command),
    /// List and show sessions.
    #[command(subcommand)]
    Sessions(Sessions),
    /// Contact details and whom they belong to.
    #[command(subcommand)]
    Contacts(contacts::Command),
    /// Export everything about one session.
    Export(Export),
    /// Erase one session, or every session of one person.
    Erase(Erase),
    /// Place a session on hold so that it can't be erased, or release it.
    Hold(Hold),
    /// Show, verify and export the audit log.
    #[command(subcommand)]
    Audit(Audit),
    /// Ask the running bot whether it is ready; exits with 0 if it is, otherwise with 1 and the reason.
    Healthcheck(Healthcheck),
    /// Check the setup of a platform and say how to fix what's missing; exits with 1 if anything is.
    #[command(subcommand)]
    Doctor(Doctor),
    /// Interview simulated participants and score the interviews; exits with 1 if a score fails.
    Eval(Eval),
    /// Back up all data to a new directory; the bot may keep running.
    Backup(Backup),
    /// Restore a backup into a new data directory.
    Restore(Restore),
    /// Read and verify all stored data; the bot may keep running. Exits with 1 if anything is damaged.
    Scrub(Json),
    /// Recover what can still be read from a damaged data directory into a new one.
    Repair(Repair),
    /// List the nodes that are connected to the database.
    #[cfg(feature = "postgres")]
    #[command(subcommand)]
    Nodes(Nodes),
    /// Bring the tables of the database up to date, which a bot does itself when it starts.
    #[cfg(feature = "postgres")]
    Migrate(Migrate),
    /// Move all data between the data directory and the database.
    #[cfg(feature = "postgres")]
    #[command(subcommand)]
    Store(Store),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_arguments_make_sense() {
        Cli::command().debug_assert();
    }
}
