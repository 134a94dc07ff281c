//! Arguments to commands.

use std::{net::SocketAddr, num::NonZeroUsize, path::PathBuf};

use chrono::{DateTime, NaiveDate, Utc};
use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{NonEmptyStringValueParser, PossibleValuesParser},
};
use serde::{Deserialize, Serialize};

use crate::model::session::PersonId;

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
    Tasks(Tasks),
    /// List and show sessions.
    #[command(subcommand)]
    Sessions(Sessions),
    /// Contact details and whom they belong to.
    #[command(subcommand)]
    Contacts(Contacts),
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
    Eval(super::eval::Eval),
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
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// `nodes`.
#[cfg(feature = "postgres")]
#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum Nodes {
    /// List the nodes, the active one first.
    List(Json),
}

/// `migrate`.
#[cfg(feature = "postgres")]
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Migrate {
    /// Change nothing; exits with 1 if this version would change the tables, or can't use them.
    #[arg(long)]
    pub(super) check: bool,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// Output for programs.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Json {
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Where a command writes to.
#[derive(Debug, Clone, Args)]
pub(super) struct Output {
    /// Write to this file instead of standard output; it must not exist yet.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    pub(super) force: bool,
}

/// `play`.
#[derive(Debug, Default, Args)]
pub(super) struct Play {
    /// Use a temporary data directory, deleted on exit.
    #[arg(long, conflicts_with = "data")]
    pub(super) temporary: bool,
    /// Address and port of the page; port 0 picks a free one.
    #[arg(long, value_name = "ADDR", value_parser = listen)]
    pub(super) listen: Option<SocketAddr>,
    /// Do not open the browser.
    #[arg(long)]
    pub(super) no_open: bool,
    /// Record new conversations, with everything people write, to a new file.
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Print the addresses as one line of JSON once the page is ready.
    #[arg(long)]
    pub(super) json: bool,
}

/// `healthcheck`.
#[derive(Debug, Args)]
pub(super) struct Healthcheck {
    /// Address and port of the bot (overrides the configuration, which isn't read then).
    #[arg(long, value_name = "ADDR", value_parser = listen)]
    pub(super) listen: Option<SocketAddr>,
}

/// `doctor`.
#[derive(Debug, Subcommand)]
pub(super) enum Doctor {
    /// Check everything that Slack needs.
    Slack {
        /// Ask Slack as well: tokens and scopes, channels (posts a test message and deletes it), people and groups. Also
        /// calls the model once, if one is configured.
        #[arg(long)]
        online: bool,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Check the configured models.
    Model {
        /// Ask each model as well: reachability, key, name, tools, streaming, several calls at once, schemas, images and
        /// PDFs. Costs a few thousand tokens.
        #[arg(long)]
        online: bool,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Check everything that Discord needs, and print the link that adds the bot to a server.
    Discord {
        /// Ask Discord as well, without changing anything: token, intents, servers, permissions in each channel, the
        /// bot's role, commands, remaining session starts. Also calls the model once, if one is configured.
        #[arg(long)]
        online: bool,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
}

/// `flows`.
#[derive(Debug, Subcommand)]
pub(super) enum Flows {
    /// Check that a flow can be run, then rehearse it: every phase can be left, every objective met, every question read.
    Check {
        /// The files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Run the tests of flows, written in `*.test.toml` files; exits with 1 if one fails. Needs no bot and no network.
    Test(super::stories::Stories),
    /// List the flows that can be started.
    List(Json),
    /// Show the phases and objectives of a flow.
    Show {
        /// The flow's id.
        flow: String,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Print a flow's file, as a starting point for your own.
    Export {
        /// The flow's id.
        flow: String,
        /// Output.
        #[command(flatten)]
        output: Output,
    },
    /// Write a small flow that works, with comments, as a starting point for your own.
    New(super::flows::new::New),
    /// Draw a flow: its phases, steps, branches and effects.
    Graph(super::flows::graph::Graph),
    /// Show what differs between two flows in meaning; exits with 1 if anything does.
    Diff(super::flows::diff::Diff),
    /// Print the JSON Schema of flow files, with which editors complete and explain keys.
    Schema(Output),
}

/// `tools`.
#[derive(Debug, Subcommand)]
pub(super) enum Tools {
    /// List the tools; `--json` prints them as a model gets them.
    List(Json),
    /// Print the parameter schema of a tool; `--json` prints it as a model gets it.
    Schema {
        /// The tool's name.
        tool: String,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
}

/// `tasks`.
#[derive(Debug, Subcommand)]
pub(super) enum Tasks {
    /// List the templates.
    List(Json),
    /// Check template files; exits with 1 if one can't be used.
    Check {
        /// The files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Show which template matches a description, and why; exits with 1 if none does.
    Match {
        /// The description of a task.
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        /// A hint to prefer some templates; may be repeated.
        #[arg(long, value_name = "HINT")]
        hint: Vec<String>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
}

/// `sessions`.
#[derive(Debug, Subcommand)]
pub(super) enum Sessions {
    /// List the sessions, newest first.
    List(SessionList),
    /// Show one session with its transcript. The audit log records that it was read.
    Show {
        /// The session's id, or the first characters of it.
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        session: String,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
}

/// `sessions list`.
#[derive(Debug, Args)]
pub(super) struct SessionList {
    /// Only sessions with this status.
    #[arg(long, value_parser = PossibleValuesParser::new(
        ["notice", "open", "handed-over", "stopped", "paused", "declined", "completed", "ended"]
    ))]
    pub(super) status: Option<String>,
    /// Only sessions of this flow.
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub(super) flow: Option<String>,
    /// Only sessions of this tenant.
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(super) tenant: Option<String>,
    /// How many to list at most [default: 100, or all with `--json`].
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<NonZeroUsize>,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `contacts`.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum Contacts {
    /// List who has used the local page, as `[contacts]` names them, the last one first.
    Whoami(Json),
}

/// `export`.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The session's id, or the first characters of it.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub(super) session: String,
    /// The format.
    #[arg(long, value_enum, default_value_t = Format::Zip)]
    pub(super) format: Format,
    /// Output.
    #[command(flatten)]
    pub(super) output: Output,
}

/// What to export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Format {
    /// Everything, including uploaded files.
    Zip,
    /// The approved data as JSON Resume.
    JsonResume,
    /// The transcript as Markdown.
    Markdown,
    /// The transcript as JSON.
    Json,
}

/// `erase`.
#[derive(Debug, Args)]
#[command(
    override_usage = "anteroom erase [OPTIONS] <SESSION | --person <PLATFORM:WORKSPACE/USER>>"
)]
pub(super) struct Erase {
    /// The session's id, or the first characters of it.
    #[arg(value_parser = NonEmptyStringValueParser::new(), required_unless_present = "person")]
    pub(super) session: Option<String>,
    /// Erase every session of this person instead, for example `slack:T01/U01`.
    #[arg(long, value_name = "PLATFORM:WORKSPACE/USER", conflicts_with = "session")]
    pub(super) person: Option<PersonId>,
    /// Skip confirmation; this can't be undone.
    #[arg(long)]
    pub(super) yes: bool,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `hold`.
#[derive(Debug, Args)]
#[command(override_usage = "anteroom hold [OPTIONS] <SESSION> <--reason <REASON> | --release>")]
pub(super) struct Hold {
    /// The session's id, or the first characters of it.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub(super) session: String,
    /// Reason for the hold; the person can read it.
    #[arg(long, required_unless_present = "release", value_parser = NonEmptyStringValueParser::new())]
    pub(super) reason: Option<String>,
    /// Release the hold; an erasure requested in the meantime is carried out right away.
    #[arg(long, conflicts_with = "reason")]
    pub(super) release: bool,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `backup`.
#[derive(Debug, Args)]
pub(super) struct Backup {
    /// Backup directory (must not exist).
    #[arg(value_name = "DIR")]
    pub(super) dir: PathBuf,
    /// Verify an existing backup instead of creating one.
    #[arg(long)]
    pub(super) verify: bool,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `restore`.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// The backup directory.
    #[arg(value_name = "DIR")]
    pub(super) backup: PathBuf,
    /// Erase again what this file lists: the output of `anteroom audit export`, or one session id per line.
    #[arg(long, value_name = "FILE")]
    pub(super) erased: Option<PathBuf>,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `repair`.
#[derive(Debug, Args)]
pub(super) struct Repair {
    /// The new data directory (must not exist). The damaged one isn't changed.
    #[arg(long, value_name = "DIR")]
    pub(super) to: PathBuf,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `audit`.
#[derive(Debug, Subcommand)]
pub(super) enum Audit {
    /// Show the audit records.
    Show {
        /// Only records of this session.
        #[arg(long)]
        session: Option<String>,
        /// Only records since this date or time, for example `2026-11-21` or `2026-11-21T09:00:00Z`.
        #[arg(long, value_parser = since)]
        since: Option<DateTime<Utc>>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Check that the audit log hasn't been altered or truncated.
    Verify {
        /// A seal that an earlier check printed; it must still be in the log.
        #[arg(long, value_name = "SEAL", value_parser = NonEmptyStringValueParser::new())]
        against: Option<String>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Print the records with their seals, one JSON object per line.
    Export {
        /// Only records since this date or time.
        #[arg(long, value_parser = since)]
        since: Option<DateTime<Utc>>,
        /// Output.
        #[command(flatten)]
        output: Output,
    },
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "use an address and a port, for example `127.0.0.1:4747`".to_owned())
}

fn since(text: &str) -> Result<DateTime<Utc>, String> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Ok(at.to_utc());
    }
    let midnight = text.parse::<NaiveDate>().ok().and_then(|day| day.and_hms_opt(0, 0, 0));
    midnight.map(|at| at.and_utc()).ok_or_else(|| {
        "use a date or time such as `2026-11-21` or `2026-11-21T09:00:00Z`".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_arguments_make_sense() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_day_begins_at_midnight() {
        assert_eq!(since("2026-11-21").unwrap().to_rfc3339(), "2026-11-21T00:00:00+00:00");
        assert!(since("yesterday").is_err());
    }
}
