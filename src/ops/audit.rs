//! `anteroom audit`.

use std::process::ExitCode;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{
    app::{self, Wanted},
    cli::{Audit, Json},
    reach::Reach,
    request::Request,
    sentence, term,
};
use crate::{
    ids::SessionId,
    model::audit::{CHAIN_START, Sealed},
};

/// Shows, verifies or exports the audit records.
pub(super) fn audit(wanted: &Wanted, command: Audit) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    app::block_on(async {
        let reach = Reach::find(&settings).await?;
        match command {
            Audit::Show { session, since, output } => {
                let session: Option<SessionId> = match session {
                    Some(session) => Some(reach.ask(Request::Find { session }).await?),
                    None => None,
                };
                let mut records = reach.chain().await?;
                records.retain(|sealed| {
                    is_since(sealed, since)
                        && (session.is_none() || sealed.record.session == session)
                });
                show(&records, output)?;
                Ok(ExitCode::SUCCESS)
            }
            Audit::Verify(output) => verify(&reach.chain().await?, output),
            Audit::Export { since, output } => {
                let records = reach.chain().await?;
                let mut lines = Vec::new();
                for sealed in records.iter().filter(|sealed| is_since(sealed, since)) {
                    serde_json::to_writer(&mut lines, sealed)?;
                    lines.push(b'\n');
                }
                app::deliver(output.as_deref(), &lines)?;
                Ok(ExitCode::SUCCESS)
            }
        }
    })
}

fn is_since(sealed: &Sealed, since: Option<DateTime<Utc>>) -> bool {
    since.is_none_or(|since| sealed.record.timestamp >= since)
}

fn show(records: &[Sealed], Json { json }: Json) -> anyhow::Result<()> {
    if json {
        return Ok(term::json(&records)?);
    }
    let rows: Vec<[String; 5]> = records
        .iter()
        .map(|sealed| {
            let record = &sealed.record;
            [
                sealed.index.to_string(),
                record.timestamp.format("%Y-%m-%d %H:%M:%S").to_string(),
                record.session.map(|id| id.to_string()).unwrap_or_default(),
                record.event.clone(),
                facts(sealed),
            ]
        })
        .collect();
    let headings = ["#", "TIME (UTC)", "SESSION", "EVENT", "FACTS"];
    Ok(term::table(headings, &rows, "There are no audit records yet.")?)
}

/// Facts and words on one line: `status=approved by=web:local/grace`.
fn facts(sealed: &Sealed) -> String {
    let record = &sealed.record;
    let mut pairs: Vec<String> = record
        .facts
        .iter()
        .chain(&record.words)
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}={text}"),
            value => format!("{name}={value}"),
        })
        .collect();
    if sealed.erased {
        pairs.push("(words erased)".to_owned());
    }
    pairs.join(" ").replace('\n', " ")
}

/// Walks the chain from its start; the first record that does not hold breaks everything after it.
fn verify(records: &[Sealed], Json { json }: Json) -> anyhow::Result<ExitCode> {
    let mut previous = CHAIN_START;
    let mut broken = None;
    for (index, sealed) in (0_u64..).zip(records) {
        if !sealed.holds(index, previous) {
            broken = Some(index);
            break;
        }
        previous = &sealed.seal;
    }
    if json {
        let erased = records.iter().filter(|sealed| sealed.erased).count();
        term::json(&json!({
            "holds": broken.is_none(),
            "records": records.len(),
            "erased": erased,
            "brokenAt": broken,
            "seal": previous,
        }))?;
        return Ok(if broken.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    match broken {
        None => {
            term::say(format!(
                "The chain holds: {} records, last seal {previous}.",
                records.len()
            ))?;
            Ok(ExitCode::SUCCESS)
        }
        Some(index) => Err(sentence(format!(
            "record {index} is not as it was sealed; everything from there on proves nothing. hint: compare with a \
             backup, or with an earlier `anteroom audit export`"
        ))),
    }
}
