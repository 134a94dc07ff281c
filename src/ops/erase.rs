//! `anteroom erase`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::{
    app::{self, Wanted},
    cli::Erase,
    reach::Reach,
    request::Request,
    term,
};
use crate::ids::SessionId;

/// What became of it.
#[derive(Debug, Serialize, Deserialize)]
struct Erased {
    erased: SessionId,
    receipt: String,
}

/// Forgets one session: events, waits, effects, files, and the words of its audit records. Decisions and ids stay in
/// the chain, with a receipt.
pub(super) fn erase(wanted: &Wanted, erase: &Erase) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    app::block_on(async {
        let reach = Reach::find(&settings).await?;
        let request = Request::Erase { session: erase.session.clone(), yes: erase.yes };
        let done: Erased = reach.ask(request).await?;
        if erase.output.json {
            term::json(&done)?;
        } else {
            let Erased { erased, receipt } = done;
            term::say(format!("Session {erased} is erased. Receipt: {receipt}."))?;
        }
        Ok(ExitCode::SUCCESS)
    })
}
