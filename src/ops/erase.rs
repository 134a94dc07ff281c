//! `anteroom erase`.

use std::process::ExitCode;

use serde_json::json;

use super::{
    app::{self, Data, Wanted},
    cli::Erase,
    sentence, term,
};
/// Forgets one session: events, waits, effects, files, and the words of its audit records. Decisions and ids stay in
/// the chain, with a receipt.
pub(super) fn erase(wanted: &Wanted, erase: &Erase) -> anyhow::Result<ExitCode> {
    let data = Data::look(&wanted.settings()?)?;
    app::block_on(async {
        let id = data.session(&erase.session).await?;
        let (loaded, _) = data.view(id).await?;
        if !erase.yes {
            return Err(sentence(format!(
                "this removes session `{id}` of {} for ever. hint: export it first, then add `--yes`",
                loaded.head.created_at.format("%Y-%m-%d")
            )));
        }
        let receipt = data.engine.erase(id, "operator").await?;
        if data.store().load(id).await?.is_some() {
            return Err(sentence(format!("session `{id}` is still there. hint: try again")));
        }
        if erase.output.json {
            term::json(&json!({ "erased": id, "receipt": receipt }))?;
        } else {
            term::say(format!("Session {id} is erased. Receipt: {receipt}."))?;
        }
        Ok(ExitCode::SUCCESS)
    })
}
