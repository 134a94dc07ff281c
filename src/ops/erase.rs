//! `anteroom erase`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::{
    admin_api::AdminRequest,
    app::{self, Wanted},
    cli::Erase,
    data_access::DataAccess,
    term,
};
use crate::{
    base::ids::SessionId,
    chat::receipt,
    engine, messages,
    model::report::{Count, Report},
    session::retention::Outside,
};

/// What became of one session.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Erased {
    #[serde(rename = "erased")]
    session: SessionId,
    receipt: String,
    /// What had been sent outside before.
    outside: Vec<Sent>,
    /// What the bot had posted for it, on a platform.
    posted: Count,
    /// Removals of that which are still to be made.
    pending: usize,
    /// What of it is left, and who can remove that.
    left: Vec<String>,
}

/// Something that nothing here can erase.
#[derive(Debug, Serialize, Deserialize)]
struct Sent {
    what: String,
    state: String,
    /// The receiver is told of the erasure.
    told: bool,
}

impl Erased {
    pub(super) fn new(session: SessionId, erased: engine::erasure::Erased) -> Self {
        let sent = |Outside { what, state, hook }| Sent {
            what,
            state: state.to_owned(),
            told: hook.is_some(),
        };
        let outside = erased.outside.into_iter().map(sent).collect();
        Self { outside, ..Self::again(session, erased.report) }
    }

    /// What is known of an erasure before.
    pub(super) fn again(session: SessionId, report: Report) -> Self {
        let left = receipt::lines(&report);
        let Report { receipt, planned, pending, .. } = report;
        Self { session, receipt, outside: Vec::new(), posted: planned, pending, left }
    }

    /// Says it to people.
    pub(super) fn tell(&self) -> anyhow::Result<()> {
        term::say(format!("Erased session {}. Receipt: {}.", self.session, self.receipt))?;
        for Sent { what, state, told } in &self.outside {
            let then = if *told {
                "the bot notifies it of the erasure"
            } else {
                "it can't be erased from here"
            };
            term::say(format!("Previously sent: {what} ({state}); {then}."))?;
        }
        if self.pending > 0 {
            let posted = messages::erasure::amount(self.posted);
            let session = self.session;
            term::say(format!(
                "The bot is deleting what it posted: {posted}. Run `anteroom erase {session}` again to see the result."
            ))?;
        } else if !self.posted.is_none() {
            term::say(format!("Posted by the bot: {}.", messages::erasure::amount(self.posted)))?;
        }
        for line in &self.left {
            term::say(format!("Remaining: {line}"))?;
        }
        Ok(())
    }
}

/// Forgets one session, or all of one person: events, waits, effects, files, and the words of audit records. Decisions
/// and ids stay in the chain, with a receipt for each.
pub(super) fn erase(wanted: &Wanted, erase: &Erase) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    app::block_on(async {
        let reach = DataAccess::find(&settings).await?;
        let yes = erase.yes;
        let done: Vec<Erased> = match (&erase.person, &erase.session) {
            (Some(person), _) => {
                reach.ask(AdminRequest::ErasePerson { person: person.clone(), yes }).await?
            }
            (None, session) => {
                let session = session.clone().unwrap_or_default();
                vec![reach.ask(AdminRequest::Erase { session, yes }).await?]
            }
        };
        match done.as_slice() {
            [only] if erase.output.json && erase.person.is_none() => term::json(only)?,
            all if erase.output.json => term::json(&all)?,
            all => all.iter().try_for_each(Erased::tell)?,
        }
        Ok(ExitCode::SUCCESS)
    })
}
