//! `anteroom erase`.

use std::process::ExitCode;

use clap::{Args, builder::NonEmptyStringValueParser};

use super::{
    admin_api::{
        AdminRequest,
        answers::{Erased, PersonErased, Sent},
    },
    app::{self, Wanted},
    data_access::DataAccess,
    sentence,
    shared_args::Json,
    term,
};
use crate::{base::ids::SessionId, messages, model::session::PersonId};

/// `erase`.
#[derive(Debug, Args)]
#[command(
    override_usage = "anteroom erase [OPTIONS] <SESSION | --person <PLATFORM:WORKSPACE/USER>>"
)]
pub(super) struct Erase {
    /// The session's id, or the first characters of it.
    #[arg(value_parser = NonEmptyStringValueParser::new(), required_unless_present = "person")]
    session: Option<String>,
    /// Erase every session of this person instead, for example `slack:T01/U01`.
    #[arg(long, value_name = "PLATFORM:WORKSPACE/USER", conflicts_with = "session")]
    person: Option<PersonId>,
    /// Skip confirmation; this can't be undone.
    #[arg(long)]
    yes: bool,
    /// Output.
    #[command(flatten)]
    output: Json,
}

/// Forgets one session, or all of one person: events, waits, effects, files, and the words of audit records. Decisions
/// and ids stay in the chain, with a receipt for each.
pub(super) fn erase(wanted: &Wanted, erase: &Erase) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    app::block_on(async {
        let reach = DataAccess::find(&settings).await?;
        let yes = erase.yes;
        let Some(person) = &erase.person else {
            let session = erase.session.clone().unwrap_or_default();
            let erased: Erased = reach.ask(AdminRequest::Erase { session, yes }).await?;
            if erase.output.json {
                term::json(&erased)?;
            } else {
                tell(&erased)?;
            }
            return Ok(ExitCode::SUCCESS);
        };
        let person = person.clone();
        let done: PersonErased = reach.ask(AdminRequest::ErasePerson { person, yes }).await?;
        if erase.output.json {
            term::json(&done.erased)?;
        } else {
            done.erased.iter().try_for_each(tell)?;
        }
        if done.failed.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        Err(sentence(not_erased(&done.failed)))
    })
}

/// What is left of a person, and why.
fn not_erased(failed: &[(SessionId, String)]) -> String {
    let short = |why: &str| {
        why.split(" hint: ").next().unwrap_or_default().trim_end_matches('.').to_owned()
    };
    let each: Vec<String> = failed
        .iter()
        .map(|(session, why)| format!("session `{session}`: {}", short(why)))
        .collect();
    format!(
        "not everything is erased: {}. hint: release what is held with `anteroom hold SESSION --release`, then run this again",
        each.join("; ")
    )
}

/// Says to people what became of a session.
pub(super) fn tell(erased: &Erased) -> anyhow::Result<()> {
    term::say(format!("Erased session {}. Receipt: {}.", erased.session, erased.receipt))?;
    for Sent { what, state, told } in &erased.outside {
        let then = if *told {
            "the bot notifies it of the erasure"
        } else {
            "it can't be erased from here"
        };
        term::say(format!("Previously sent: {what} ({state}); {then}."))?;
    }
    if erased.pending > 0 {
        let posted = messages::erasure::amount(erased.posted);
        let session = erased.session;
        term::say(format!(
            "The bot is deleting what it posted: {posted}. Run `anteroom erase {session}` again to see the result."
        ))?;
    } else if !erased.posted.is_none() {
        term::say(format!("Posted by the bot: {}.", messages::erasure::amount(erased.posted)))?;
    }
    for line in &erased.left {
        term::say(format!("Remaining: {line}"))?;
    }
    Ok(())
}
