//! `anteroom hold`.

use std::process::ExitCode;

use clap::{Args, builder::NonEmptyStringValueParser};

use super::{
    admin_api::{AdminRequest, answers::HoldStatus},
    app::{self, Wanted},
    data_access::DataAccess,
    erase,
    shared_args::Json,
    term,
};

/// `hold`.
#[derive(Debug, Args)]
#[command(override_usage = "anteroom hold [OPTIONS] <SESSION> <--reason <REASON> | --release>")]
pub(super) struct Hold {
    /// The session's id, or the first characters of it.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    session: String,
    /// Reason for the hold; the person can read it.
    #[arg(long, required_unless_present = "release", value_parser = NonEmptyStringValueParser::new())]
    reason: Option<String>,
    /// Release the hold; an erasure requested in the meantime is carried out right away.
    #[arg(long, conflicts_with = "reason")]
    release: bool,
    /// Output.
    #[command(flatten)]
    output: Json,
}

/// Lets nothing of a session be erased, or lets it again; then an erasure that waited for it is carried out.
pub(super) fn hold(wanted: &Wanted, hold: &Hold) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    app::block_on(async {
        let reach = DataAccess::find(&settings).await?;
        let reason = hold.reason.clone().filter(|_| !hold.release);
        let request = AdminRequest::Hold { session: hold.session.clone(), reason };
        let now: HoldStatus = reach.ask(request).await?;
        if hold.output.json {
            term::json(&now)?;
            return Ok(ExitCode::SUCCESS);
        }
        let HoldStatus { session, held, erased } = now;
        if held {
            let text = "nothing can be erased until you release it";
            term::say(format!("Session {session} is on hold: {text}."))?;
        } else {
            term::say(format!("Released the hold on session {session}."))?;
        }
        if let Some(erased) = erased {
            term::say("The person had asked for their data to be erased.")?;
            erase::tell(&erased)?;
        }
        Ok(ExitCode::SUCCESS)
    })
}
