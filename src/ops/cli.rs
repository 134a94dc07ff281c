//! Arguments to commands.

use std::{net::SocketAddr, path::PathBuf};

use chrono::{DateTime, NaiveDate, Utc};
use clap::{Args, Parser, Subcommand, ValueEnum, builder::NonEmptyStringValueParser};
use serde::{Deserialize, Serialize};

use crate::model::session::PersonId;

/// Onboarding interviews in Slack and Discord that survive anything.
///
/// Without a command it is `anteroom play`: a page in your browser, no account and no model needed.
#[derive(Debug, Parser)]
#[command(name = "anteroom", version, max_term_width = 100)]
pub(super) struct Cli {
    /// Configuration file; the playground needs none.
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Where everything is kept, instead of what the configuration says.
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve the playground on this machine and open it in the browser.
    Play(Play),
    /// Run a recording again without network: exit code 1 where people or the model would see something else.
    Replay {
        /// What `anteroom play --record FILE` has written.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Run the bot with a configuration file.
    Run(Json),
    /// Check, list, show and export flows.
    #[command(subcommand)]
    Flows(Flows),
    /// List the tools, or print their schemas.
    #[command(subcommand)]
    Tools(Tools),
    /// List and check templates of child runs, and see which one words lead to.
    #[command(subcommand)]
    Tasks(Tasks),
    /// List and show sessions.
    #[command(subcommand)]
    Sessions(Sessions),
    /// Write out everything about one session.
    Export(Export),
    /// Forget one session, or everything about one person.
    Erase(Erase),
    /// Let nothing of a session be erased, or release it again.
    Hold(Hold),
    /// Show, verify and export the audit records.
    #[command(subcommand)]
    Audit(Audit),
    /// Ask the running bot whether it is ready: exit code 0 if so, 1 and why not otherwise.
    Healthcheck(Healthcheck),
    /// Say what is missing before the bot can work on a platform, and how to mend it: exit code 1 if something is.
    #[command(subcommand)]
    Doctor(Doctor),
    /// Copy everything to a new directory, while the bot runs or not.
    Backup(Backup),
    /// Make a data directory of a backup.
    Restore(Restore),
    /// Read everything that is stored, while the bot runs or not: exit code 1 if something is damaged.
    Scrub(Json),
    /// Take what can be read of a damaged data directory to a new one.
    Repair(Repair),
    /// Print the completions for a shell.
    Completions {
        /// For which shell.
        shell: clap_complete::Shell,
    },
}

/// Output for programs.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Json {
    /// Print JSON for programs.
    #[arg(long)]
    pub(super) json: bool,
}

/// `play`.
#[derive(Debug, Default, Args)]
pub(super) struct Play {
    /// Keep nothing: everything is removed at the end.
    #[arg(long, conflicts_with = "data")]
    pub(super) temporary: bool,
    /// Address and port of the page; port 0 takes a free one.
    #[arg(long, value_name = "ADDR")]
    pub(super) listen: Option<SocketAddr>,
    /// Do not open the browser.
    #[arg(long)]
    pub(super) no_open: bool,
    /// Record the conversations that begin from now on, in a new file: everything that people write is in it.
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Print the addresses as one line of JSON when ready.
    #[arg(long)]
    pub(super) json: bool,
}

/// `healthcheck`.
#[derive(Debug, Args)]
pub(super) struct Healthcheck {
    /// Where the bot listens; no configuration is read then. By default what the configuration says.
    #[arg(long, value_name = "ADDR")]
    pub(super) listen: Option<SocketAddr>,
}

/// `doctor`.
#[derive(Debug, Subcommand)]
pub(super) enum Doctor {
    /// Look at everything that Slack needs.
    Slack {
        /// Ask Slack too: tokens and their scopes, channels (a test post, deleted at once), people and groups; and call
        /// the model once, where there is one.
        #[arg(long)]
        online: bool,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Look at everything that Discord needs, and print the address that adds the bot to a server.
    Discord {
        /// Ask Discord too, without changing anything there: token, intents, servers, what the bot may do in each channel,
        /// where its role stands, commands, sessions left; and call the model once, where there is one.
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
    /// Prove that a flow can be run: every phase can be left, every objective met, every tool exists.
    Check {
        /// The files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// List the flows that can be started.
    List(Json),
    /// Show the phases and objectives of a flow.
    Show {
        /// Its id.
        flow: String,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Print the file of a flow, to start one of your own.
    Export {
        /// Its id.
        flow: String,
        /// Write here instead of to standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// `tools`.
#[derive(Debug, Subcommand)]
pub(super) enum Tools {
    /// List the tools; with `--json` as they are given to a model.
    List(Json),
    /// Print the parameter schema of a tool; with `--json` as it is given to a model.
    Schema {
        /// Its name.
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
    /// Check templates; exit code 1 if one cannot be used.
    Check {
        /// The files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Say which template words lead to, and why; exit code 1 if none.
    Match {
        /// What is to be done.
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        /// A hint, as a tool gives it; may be repeated.
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
    List(Json),
    /// Show one session with its transcript. That it was read is noted in the audit records.
    Show {
        /// Its id, or the beginning of it.
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        session: String,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
}

/// `export`.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The session's id, or the beginning of it.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub(super) session: String,
    /// What to write.
    #[arg(long, value_enum, default_value_t = Format::Zip)]
    pub(super) format: Format,
    /// Write here instead of to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// What to export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Format {
    /// Everything, with the files that were sent.
    Zip,
    /// The approved data as JSON Resume.
    JsonResume,
    /// The transcript to read.
    Markdown,
    /// The transcript for programs.
    Json,
}

/// `erase`.
#[derive(Debug, Args)]
pub(super) struct Erase {
    /// The session's id, or the beginning of it.
    #[arg(value_parser = NonEmptyStringValueParser::new(), required_unless_present = "person")]
    pub(super) session: Option<String>,
    /// Every session of this person instead, `slack:T01/U01`.
    #[arg(long, value_name = "PLATFORM:WORKSPACE/USER", conflicts_with = "session")]
    pub(super) person: Option<PersonId>,
    /// Really do it: nothing brings the session back.
    #[arg(long)]
    pub(super) yes: bool,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `hold`.
#[derive(Debug, Args)]
pub(super) struct Hold {
    /// The session's id, or the beginning of it.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub(super) session: String,
    /// Why it must be kept; the person may read it.
    #[arg(long, required_unless_present = "release", value_parser = NonEmptyStringValueParser::new())]
    pub(super) reason: Option<String>,
    /// It may be erased again; an erasure that was asked for meanwhile is carried out at once.
    #[arg(long, conflicts_with = "reason")]
    pub(super) release: bool,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `backup`.
#[derive(Debug, Args)]
pub(super) struct Backup {
    /// Where the backup is to lie; it must not exist yet.
    #[arg(value_name = "DIR")]
    pub(super) dir: PathBuf,
    /// Take none: prove that the one that lies there is whole.
    #[arg(long)]
    pub(super) verify: bool,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `restore`.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// The backup.
    #[arg(value_name = "DIR")]
    pub(super) backup: PathBuf,
    /// Erase again what this file says was erased: `anteroom audit export` of the lost data, or one id a line.
    #[arg(long, value_name = "FILE")]
    pub(super) erased: Option<PathBuf>,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `repair`.
#[derive(Debug, Args)]
pub(super) struct Repair {
    /// Where the new data directory is to lie; it must not exist yet. The damaged one is not changed.
    #[arg(long, value_name = "DIR")]
    pub(super) to: PathBuf,
    /// Output.
    #[command(flatten)]
    pub(super) output: Json,
}

/// `audit`.
#[derive(Debug, Subcommand)]
pub(super) enum Audit {
    /// Show the records.
    Show {
        /// Of this session only.
        #[arg(long)]
        session: Option<String>,
        /// Since this day or time, `2026-11-21` or `2026-11-21T09:00:00Z`.
        #[arg(long, value_parser = since)]
        since: Option<DateTime<Utc>>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Prove that no record was changed, removed, moved, put in between or, since the last check, cut off.
    Verify {
        /// A seal that an earlier check printed, kept somewhere else: it must still be in the chain.
        #[arg(long, value_name = "SEAL", value_parser = NonEmptyStringValueParser::new())]
        against: Option<String>,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Print the records with their seals, one JSON object a line.
    Export {
        /// Since this day or time.
        #[arg(long, value_parser = since)]
        since: Option<DateTime<Utc>>,
        /// Write here instead of to standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

fn since(text: &str) -> Result<DateTime<Utc>, String> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Ok(at.to_utc());
    }
    let midnight = text.parse::<NaiveDate>().ok().and_then(|day| day.and_hms_opt(0, 0, 0));
    midnight
        .map(|at| at.and_utc())
        .ok_or_else(|| "write `2026-11-21` or `2026-11-21T09:00:00Z`".to_owned())
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
