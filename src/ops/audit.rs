//! `anteroom audit`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use chrono::{DateTime, NaiveDate, Utc};
use clap::Subcommand;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    admin_api::AdminRequest,
    app::{self, Wanted},
    data_access::DataAccess,
    output_file::{self, OutputFile},
    sentence,
    shared_args::{Json, Output},
    term,
};
use crate::{
    base::{
        clock::{Clock as _, SystemClock},
        ids::SessionId,
    },
    model::audit::{ChainCheck, Sealed},
};

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
        #[arg(long, value_name = "SEAL", value_parser = seal)]
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

fn since(text: &str) -> Result<DateTime<Utc>, String> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Ok(at.to_utc());
    }
    let midnight = text.parse::<NaiveDate>().ok().and_then(|day| day.and_hms_opt(0, 0, 0));
    midnight.map(|at| at.and_utc()).ok_or_else(|| {
        "use a date or time such as `2026-11-21` or `2026-11-21T09:00:00Z`".to_owned()
    })
}

/// Shows, verifies or exports the audit records.
pub(super) fn audit(wanted: &Wanted, command: Audit) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    app::block_on(async {
        let reach = DataAccess::find(&settings).await?;
        match command {
            Audit::Show { session, since, output } => {
                show(&reach, session, since, output).await?;
                Ok(ExitCode::SUCCESS)
            }
            Audit::Verify { against, output } => {
                verify(&reach, settings.data_dir.join(ANCHOR), against, output).await
            }
            Audit::Export { since, output } => {
                export(&reach, since, &output).await?;
                Ok(ExitCode::SUCCESS)
            }
        }
    })
}

/// What is no seal would look like one that is gone from the log.
fn seal(text: &str) -> Result<String, String> {
    let is_seal = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_seal.then(|| text.to_ascii_lowercase()).ok_or_else(|| {
        "use a seal as `anteroom audit verify` prints it: 64 hexadecimal digits".to_owned()
    })
}

fn is_since(sealed: &Sealed, since: Option<DateTime<Utc>>) -> bool {
    since.is_none_or(|since| sealed.record.timestamp >= since)
}

async fn show(
    reach: &DataAccess,
    session: Option<String>,
    since: Option<DateTime<Utc>>,
    Json { json }: Json,
) -> anyhow::Result<()> {
    let session: Option<SessionId> = match session {
        Some(session) => Some(reach.ask(AdminRequest::Find { session }).await?),
        None => None,
    };
    let mut list = term::JsonList::default();
    let mut table = term::Table::new(["#", "TIME (UTC)", "SESSION", "EVENT", "FACTS"]);
    reach
        .each_audit_page(|mut page| {
            page.retain(|sealed| {
                is_since(sealed, since) && (session.is_none() || sealed.record.session == session)
            });
            if json {
                list.add(page.iter().map(told))?;
            } else {
                table.add(&page.iter().map(row).collect::<Vec<_>>())?;
            }
            Ok(())
        })
        .await?;
    if json {
        list.end()?;
    } else {
        table.end("There are no audit records yet.")?;
    }
    Ok(())
}

async fn export(
    reach: &DataAccess,
    since: Option<DateTime<Utc>>,
    output: &Output,
) -> anyhow::Result<()> {
    let mut file = OutputFile::begin(output)?;
    // It would stand between the lines.
    let progress = output.output.is_some().then(progress);
    reach
        .each_audit_page(|page| {
            let mut lines = Vec::new();
            for sealed in page.iter().filter(|sealed| is_since(sealed, since)) {
                serde_json::to_writer(&mut lines, &told(sealed))?;
                lines.push(b'\n');
            }
            if let Some(progress) = &progress {
                progress.advance(page.len());
            }
            file.add(&lines)
        })
        .await?;
    file.finish()
}

fn progress() -> term::Progress {
    term::Progress::start("Reading audit records")
}

/// A record as a line of a table.
fn row(sealed: &Sealed) -> [String; 5] {
    let record = &sealed.record;
    [
        sealed.index.to_string(),
        record.timestamp.format("%Y-%m-%d %H:%M:%S").to_string(),
        record.session.map(|id| id.to_string()).unwrap_or_default(),
        record.event.clone(),
        facts(sealed),
    ]
}

/// What `next_phase` leaves in the audit.
const ATTEMPT: &str = "phase_advance_attempt";

/// Whether a line of an export is a record of `next_phase`.
pub(super) fn is_attempt(line: &str) -> bool {
    let told: Value = serde_json::from_str(line).unwrap_or_default();
    told["event"] == ATTEMPT && told["index"].is_u64() && told["seal"].is_string()
}

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
    records: u64,
    seal: String,
    at: DateTime<Utc>,
}

/// The file that holds the last [`Anchor`], in the data directory.
const ANCHOR: &str = "audit.anchor";

/// Reads the anchor of the last check; `None` if there was none.
fn read_anchor(file: &Path) -> anyhow::Result<Option<Anchor>> {
    match std::fs::read(file) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).map_err(|_| {
            let file = file.display();
            sentence(format!(
                "`{file}` has changed since an earlier check wrote it. hint: if you know why, delete it; otherwise compare with a backup"
            ))
        })?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).context(format!("could not read `{}`", file.display())),
    }
}

/// A chain that is being verified, in itself and against what was seen of it before.
#[derive(Debug, Default)]
struct Verification {
    check: ChainCheck,
    erased: u64,
    anchor: Option<Anchor>,
    /// The record that was the last at the last check has another seal now.
    is_other: bool,
    /// A seal that must be there.
    against: Option<String>,
    is_against_found: bool,
}

impl Verification {
    fn add(&mut self, sealed: &Sealed) {
        self.check.add(sealed);
        self.erased += u64::from(sealed.erased);
        if let Some(anchor) = &self.anchor
            && anchor.records == self.check.records()
        {
            self.is_other = anchor.seal != sealed.seal;
        }
        self.is_against_found |= self.against.as_ref().is_some_and(|seal| *seal == sealed.seal);
    }

    /// From where on the chain proves nothing any more, and why.
    fn fault(&self) -> Option<(u64, String)> {
        match self.check.finish() {
            Err(fault) => Some((fault.at(), fault.to_string())),
            Ok(()) => self.cut().map(|what| (self.check.records(), what)),
        }
    }

    /// Why a chain that holds in itself is not the one that was seen before.
    fn cut(&self) -> Option<String> {
        let found = self.check.records();
        if let Some(Anchor { records, at, .. }) = &self.anchor {
            if *records > found {
                let missing = term::count(records - found, "record");
                let at = at.format("%Y-%m-%d %H:%M");
                return Some(format!("{missing} missing at the end: there were {records} on {at}"));
            }
            if self.is_other {
                let last = records - 1;
                return Some(format!(
                    "record {last} isn't the one that was there at the last check"
                ));
            }
        }
        let seal = self.against.as_ref()?;
        (!self.is_against_found).then(|| {
            format!("no record has the seal `{seal}`: records were truncated or rewritten")
        })
    }
}

async fn verify(
    reach: &DataAccess,
    file: PathBuf,
    against: Option<String>,
    Json { json }: Json,
) -> anyhow::Result<ExitCode> {
    let anchor = read_anchor(&file)?;
    let mut verification = Verification { anchor, against, ..Verification::default() };
    let progress = progress();
    reach
        .each_audit_page(|page| {
            for sealed in &page {
                verification.add(sealed);
            }
            progress.advance(page.len());
            Ok(())
        })
        .await?;
    drop(progress);
    let (records, seal) = (verification.check.records(), verification.check.seal());
    let (at, what) = verification.fault().unzip();
    if what.is_none() {
        let anchor = Anchor { records, seal: seal.to_owned(), at: SystemClock.now() };
        let replaced = Output { output: Some(file), force: true };
        output_file::deliver(&replaced, &serde_json::to_vec(&anchor)?)?;
    }
    if json {
        term::json(&json!({
            "holds": what.is_none(),
            "records": records,
            "erased": verification.erased,
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
                term::count(records, "record")
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
    use crate::model::audit::{AuditRecord, CHAIN_START};

    #[test]
    fn a_day_begins_at_midnight() {
        assert_eq!(since("2026-11-21").unwrap().to_rfc3339(), "2026-11-21T00:00:00+00:00");
        assert!(since("yesterday").is_err());
    }

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
        assert!(is_attempt(&told.to_string()), "{told:#}");
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
        assert!(!is_attempt(&told(&other).to_string()));
    }
}
