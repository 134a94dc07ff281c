//! `anteroom audit`.

use std::{path::Path, process::ExitCode};

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    admin_api::AdminRequest,
    app::{self, Wanted},
    cli::{Audit, Json},
    data_access::DataAccess,
    sentence, term,
};
use crate::{
    base::{
        clock::{Clock as _, SystemClock},
        ids::SessionId,
    },
    model::audit::{CHAIN_START, Sealed, examine},
};

/// Shows, verifies or exports the audit records.
pub(super) fn audit(wanted: &Wanted, command: Audit) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    app::block_on(async {
        let reach = DataAccess::find(&settings).await?;
        match command {
            Audit::Show { session, since, output } => {
                let session: Option<SessionId> = match session {
                    Some(session) => Some(reach.ask(AdminRequest::Find { session }).await?),
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
            Audit::Verify { against, output } => {
                let file = settings.data_dir.join(ANCHOR);
                verify(&reach.chain().await?, &file, against.as_deref(), output)
            }
            Audit::Export { since, output } => {
                let records = reach.chain().await?;
                let mut lines = Vec::new();
                for sealed in records.iter().filter(|sealed| is_since(sealed, since)) {
                    serde_json::to_writer(&mut lines, &told(sealed))?;
                    lines.push(b'\n');
                }
                app::deliver(&output, &lines)?;
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
        return Ok(term::json(&records.iter().map(told).collect::<Vec<_>>())?);
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

/// What `next_phase` leaves in the audit.
const ATTEMPT: &str = "phase_advance_attempt";

/// A record as programs read it. Those of `next_phase` are flat, as its specification has them: what it was asked, what was
/// decided and what came of it stand beside the event, and what seals the record after them.
fn told(sealed: &Sealed) -> Value {
    let mut told = json!(sealed);
    if sealed.record.event != ATTEMPT {
        return told;
    }
    let Some(members) = told.as_object_mut() else { return told };
    let record = match members.shift_remove("record") {
        Some(Value::Object(record)) => record,
        // The record stands beside its seal already.
        _ => std::mem::take(members),
    };
    let mut flat = Map::new();
    for (name, value) in record {
        match (name.as_str(), value) {
            ("facts" | "words", Value::Object(inner)) => flat.extend(inner),
            (_, value) => _ = flat.insert(name, value),
        }
    }
    // Erased with the words, or never given.
    flat.entry("reason").or_insert(Value::Null);
    flat.extend(std::mem::take(members));
    Value::Object(flat)
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

/// What is kept of a chain that held, beside the store: what was cut off since shows against it.
#[derive(Debug, Serialize, Deserialize)]
struct Anchor {
    records: usize,
    seal: String,
    at: DateTime<Utc>,
}

/// The file that holds the last [`Anchor`], in the data directory.
const ANCHOR: &str = "audit.anchor";

/// Why a chain that holds in itself is not the one that was seen before.
fn cut(records: &[Sealed], anchor: Option<&Anchor>, against: Option<&str>) -> Option<String> {
    if let Some(anchor) = anchor {
        let found = anchor.records.checked_sub(1).and_then(|last| records.get(last));
        if anchor.records > records.len() {
            let missing = anchor.records - records.len();
            return Some(format!(
                "{} missing at the end: there were {} on {}",
                term::count(missing, "record"),
                anchor.records,
                anchor.at.format("%Y-%m-%d %H:%M")
            ));
        }
        if found.is_some_and(|found| found.seal != anchor.seal) {
            let last = anchor.records - 1;
            return Some(format!("record {last} isn't the one that was there at the last check"));
        }
    }
    let seal = against?;
    let is_there = records.iter().any(|sealed| sealed.seal == seal);
    (!is_there)
        .then(|| format!("no record has the seal `{seal}`: records were truncated or rewritten"))
}

fn verify(
    records: &[Sealed],
    file: &Path,
    against: Option<&str>,
    Json { json }: Json,
) -> anyhow::Result<ExitCode> {
    let anchor = match std::fs::read(file) {
        Ok(bytes) => Some(serde_json::from_slice::<Anchor>(&bytes).map_err(|_| {
            let file = file.display();
            sentence(format!(
                "`{file}` has changed since an earlier check wrote it. hint: if you know why, delete it; otherwise compare with a backup"
            ))
        })?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).context(format!("could not read `{}`", file.display())),
    };
    let examined = examine(records);
    let (at, what) = match &examined {
        Err(fault) => (Some(fault.at()), Some(fault.to_string())),
        Ok(_) => match cut(records, anchor.as_ref(), against) {
            Some(what) => (Some(records.len() as u64), Some(what)),
            None => (None, None),
        },
    };
    let seal = records.last().map_or(CHAIN_START, |sealed| &sealed.seal);
    if what.is_none() {
        let at = SystemClock.now();
        let anchor = Anchor { records: records.len(), seal: seal.to_owned(), at };
        std::fs::write(file, serde_json::to_vec(&anchor)?)
            .with_context(|| format!("could not write `{}`", file.display()))?;
    }
    if json {
        let erased = records.iter().filter(|sealed| sealed.erased).count();
        term::json(&json!({
            "holds": what.is_none(),
            "records": records.len(),
            "erased": erased,
            "brokenAt": at,
            "what": what,
            "seal": seal,
        }))?;
        return Ok(if what.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    match what {
        None => {
            term::say(format!(
                "The audit log is intact: {}, last seal {seal}.",
                term::count(records.len(), "record")
            ))?;
            term::tell(
                "The next check will detect truncation. Store this seal somewhere else and pass it with `--against`.",
            );
            Ok(ExitCode::SUCCESS)
        }
        Some(what) => Err(sentence(format!(
            "{what}; records from there on can't be trusted. hint: compare with a backup or an earlier \
             `anteroom audit export`"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::audit::AuditRecord;

    /// A record of `next_phase` as the session makes it.
    fn sealed(words: &Value) -> Sealed {
        let record: AuditRecord = serde_json::from_value(json!({
            "event": "phase_advance_attempt",
            "timestamp": "2026-11-02T10:00:00Z",
            "session": null,
            "facts": {
                "phase": "phase_1", "overrides": ["skeleton_timeline"],
                "objectivesRemaining": ["skeleton_timeline"], "userDecision": "approved",
                "advancedTo": "phase_2", "by_user": false,
            },
            "words": words,
        }))
        .unwrap();
        Sealed::seal(7, CHAIN_START, record, "salt".to_owned())
    }

    #[test]
    fn a_record_of_next_phase_is_flat_as_it_is_specified() {
        let told = told(&sealed(&json!({ "reason": "user verbally confirmed" })));
        for (name, value) in [
            ("event", json!("phase_advance_attempt")),
            ("timestamp", json!("2026-11-02T10:00:00Z")),
            ("phase", json!("phase_1")),
            ("overrides", json!(["skeleton_timeline"])),
            ("reason", json!("user verbally confirmed")),
            ("objectivesRemaining", json!(["skeleton_timeline"])),
            ("userDecision", json!("approved")),
            ("advancedTo", json!("phase_2")),
        ] {
            assert_eq!(told[name], value, "{name} in {told:#}");
        }
        assert!(told.get("facts").is_none() && told.get("record").is_none(), "{told:#}");
        assert_eq!((&told["index"], &told["previous"]), (&json!(7), &json!(CHAIN_START)));
        assert!(told["seal"].is_string(), "{told:#}");
    }

    #[test]
    fn an_erased_reason_is_null_and_other_records_stay_as_they_are_sealed() {
        assert_eq!(told(&sealed(&json!({})))["reason"], Value::Null);
        let mut other = sealed(&json!({ "text": "x" }));
        other.record.event = "wait_answered".to_owned();
        assert_eq!(told(&other), json!(other));
    }
}
