//! What an operator asks of the data: one list of requests, carried out in one place, whether this process has opened
//! the data or a running bot is asked over its control socket ([`super::control`]).

pub(super) mod answers;
pub(super) mod listing;

use std::{
    collections::BTreeSet,
    io::{self, BufWriter, Write},
};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use self::{
    answers::{Erased, HoldStatus, PersonErased, Waiting},
    listing::Filter,
};
use super::{
    app::{Home, in_database},
    sentence,
};
use crate::{
    base::ids::SessionId,
    engine::{
        self, CopyTo, Engine, Gathered,
        export::{json_resume, transcript},
    },
    model::{session::PersonId, transcript::Audience},
    store::{self, Find},
};

/// Sessions or audit records in one answer.
pub(super) const PAGE: usize = 200;

/// Most bytes in a piece of an answer.
const PIECE_MAX: usize = 48 * 1024;

/// Something to look up or to do.
///
/// ```json
/// { "ask": "erase", "session": "ses_…", "yes": true }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(super) enum AdminRequest {
    /// The id that some text is the beginning of.
    Find {
        /// The text.
        session: String,
    },
    /// A page of sessions at a glance, oldest first, after the given one.
    Sessions {
        /// The last one known.
        after: Option<SessionId>,
    },
    /// A page of the conversations that are wanted, newest first.
    List(Filter),
    /// A transcript, in pieces; that it was read is noted.
    Show {
        /// The session's id, or its beginning.
        session: String,
        /// JSON instead of Markdown.
        json: bool,
    },
    /// An export, in pieces; that it was made is noted.
    Export {
        /// The session's id, or its beginning.
        session: String,
        /// What of it.
        format: ExportFormat,
    },
    /// Erases a session.
    Erase {
        /// The session's id, or its beginning.
        session: String,
        /// Whether that is really meant; without it the answer says what would be lost.
        yes: bool,
    },
    /// Erases every session of a person.
    ErasePerson {
        /// Who.
        person: PersonId,
        /// Whether that is really meant.
        yes: bool,
    },
    /// Lets nothing of a session be erased, or lets it again.
    Hold {
        /// The session's id, or its beginning.
        session: String,
        /// Why it must be kept; `None` releases it.
        reason: Option<String>,
    },
    /// A page of audit records.
    Audit {
        /// The number of the first.
        from: u64,
    },
    /// What keeps deliveries from leaving; known by a bot that runs, and by nobody else.
    Outages,
    /// A dump of the store, in pieces.
    Dump,
    /// Reads everything, and says what is damaged.
    Scrub,
    /// What is known to be damaged.
    Damage,
}

/// What to export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ExportFormat {
    /// Everything, including uploaded files.
    Zip,
    /// The approved data as JSON Resume.
    JsonResume,
    /// The transcript as Markdown.
    Markdown,
    /// The transcript as JSON.
    Json,
}

/// Where the pieces of an answer go; bounded, so that a slow reader slows the work.
pub(super) type Pieces = mpsc::Sender<Vec<u8>>;

/// Carries a request out. What is long goes to `pieces`; the rest is returned.
pub(super) async fn carry_out(
    home: &Home,
    request: AdminRequest,
    pieces: Pieces,
) -> anyhow::Result<Value> {
    let engine = &home.engine;
    match request {
        AdminRequest::Find { session } => Ok(json!(find(engine, &session).await?)),
        AdminRequest::Sessions { after } => {
            Ok(serde_json::to_value(engine.parts().store.sessions(after, PAGE).await?)?)
        }
        AdminRequest::List(wanted) => {
            Ok(serde_json::to_value(listing::page(engine, &wanted).await?)?)
        }
        AdminRequest::Show { session, json } => {
            let gathered = gather(engine, &session).await?;
            note_reading(engine, &gathered, "transcript_read").await?;
            let source = gathered.source(Audience::Staff);
            let text = if json {
                format!("{:#}\n", transcript::json(&source)?)
            } else {
                transcript::markdown(&source)?
            };
            pour(text.as_bytes(), &pieces).await
        }
        AdminRequest::Export { session, format } => {
            let gathered = gather(engine, &session).await?;
            note_reading(engine, &gathered, "session_exported").await?;
            pour(&packed(engine, &gathered, format).await?, &pieces).await
        }
        AdminRequest::Erase { session, yes } => erase(engine, &session, yes).await,
        AdminRequest::ErasePerson { person, yes } => erase_person(engine, person, yes).await,
        AdminRequest::Hold { session, reason } => hold(engine, &session, reason.as_deref()).await,
        AdminRequest::Audit { from } => {
            Ok(serde_json::to_value(engine.parts().store.audit(from, PAGE).await?)?)
        }
        AdminRequest::Outages => {
            let all: Vec<Waiting> = engine.outages().into_iter().map(Waiting::from).collect();
            Ok(serde_json::to_value(all)?)
        }
        AdminRequest::Dump => {
            seal_files(engine).await;
            let store = home.embedded.clone().ok_or_else(in_database)?;
            let dump = move || store.dump(&mut BufWriter::with_capacity(PIECE_MAX, Pour(pieces)));
            Ok(serde_json::to_value(tokio::task::spawn_blocking(dump).await??)?)
        }
        AdminRequest::Scrub => Ok(serde_json::to_value(engine.scrub().await?)?),
        AdminRequest::Damage => Ok(serde_json::to_value(engine.damage())?),
    }
}

/// Seals what older versions left in clear, before it is copied. One that cannot be is copied as it is.
async fn seal_files(engine: &Engine) {
    let artifacts = &engine.parts().artifacts;
    let sessions = artifacts.sessions().await.unwrap_or_else(|error| {
        tracing::warn!(%error, "could not list the stored files");
        BTreeSet::new()
    });
    for session in sessions {
        match artifacts.seal_all(session).await {
            Ok(0) => {}
            Ok(files) => {
                tracing::info!(session.id = %session, files, "encrypted files of an older version");
            }
            Err(error) => {
                tracing::warn!(session.id = %session, %error, "could not encrypt files of an older version");
            }
        }
    }
}

/// Hands bytes over piece by piece; says how many there were.
async fn pour(bytes: &[u8], pieces: &Pieces) -> anyhow::Result<Value> {
    for piece in bytes.chunks(PIECE_MAX) {
        pieces.send(piece.to_vec()).await.map_err(|_| nobody_listens())?;
    }
    Ok(json!({ "bytes": bytes.len() }))
}

/// Hands over what is written to it; its thread may block.
struct Pour(Pieces);

impl Write for Pour {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.blocking_send(bytes.to_vec()) {
            Ok(()) => Ok(bytes.len()),
            Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whoever asked has gone.
fn nobody_listens() -> anyhow::Error {
    sentence("whoever asked has gone")
}

/// The session that `text` names, in full or by the beginning of its id.
async fn find(engine: &Engine, text: &str) -> anyhow::Result<SessionId> {
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    match *engine.beginning_with(text, 2).await? {
        [] => Err(no_session(text)),
        [id] => Ok(id),
        _ => Err(sentence(format!(
            "several sessions begin with `{text}`. hint: use more characters of the id"
        ))),
    }
}

fn no_session(text: &str) -> anyhow::Error {
    sentence(format!(
        "there is no session `{text}`. hint: run `anteroom sessions list` to see them all"
    ))
}

/// Collects what belongs to the session that `text` names.
async fn gather(engine: &Engine, text: &str) -> anyhow::Result<Gathered> {
    let id = find(engine, text).await?;
    engine.gather(id).await.map_err(|error| match error {
        engine::Error::NoSession => no_session(&id.to_string()),
        other => other.into(),
    })
}

/// Who reads a conversation leaves a record, the operator too.
async fn note_reading(engine: &Engine, gathered: &Gathered, event: &str) -> anyhow::Result<()> {
    Ok(engine.note_reading(gathered.loaded.head.id, event, "operator").await?)
}

async fn packed(
    engine: &Engine,
    gathered: &Gathered,
    format: ExportFormat,
) -> anyhow::Result<Vec<u8>> {
    let source = gathered.source(Audience::Staff);
    Ok(match format {
        ExportFormat::Zip => engine.copy(gathered, Audience::Staff, CopyTo::Page).await?.bytes,
        ExportFormat::JsonResume => {
            let state = source.state()?;
            format!("{:#}\n", json_resume::of(&state, source.flow, source.reader)).into_bytes()
        }
        ExportFormat::Markdown => transcript::markdown(&source)?.into_bytes(),
        ExportFormat::Json => format!("{:#}\n", transcript::json(&source)?).into_bytes(),
    })
}

/// Erases a session at its desk, so that nothing which is under way brings any of it back.
async fn erase(engine: &Engine, text: &str, yes: bool) -> anyhow::Result<Value> {
    let id = find(engine, text).await?;
    let store = &engine.parts().store;
    let began = match store.load(id).await {
        Ok(Some(loaded)) => loaded.head.created_at.format(" of %Y-%m-%d").to_string(),
        Ok(None) => {
            return match engine.erasure_report(id).await? {
                Some(report) => Ok(json!(Erased::again(id, report))),
                None => Err(no_session(&id.to_string())),
            };
        }
        // What cannot be read can be erased all the same.
        Err(store::Error::Unreadable { .. }) => String::new(),
        Err(error) => return Err(error.into()),
    };
    if !yes {
        return Err(sentence(format!(
            "this permanently erases session `{id}`{began}. hint: export it first if you need it, then add `--yes`"
        )));
    }
    Ok(json!(erase_one(engine, id).await?))
}

async fn erase_one(engine: &Engine, id: SessionId) -> anyhow::Result<Erased> {
    let erased = engine.order_erasure(id, "operator").await?;
    if engine.parts().store.load(id).await?.is_some() {
        return Err(sentence(format!("session `{id}` is still there. hint: try again")));
    }
    Ok(Erased::new(id, erased))
}

async fn erase_person(engine: &Engine, person: PersonId, yes: bool) -> anyhow::Result<Value> {
    let heads = engine.parts().store.find(Find::Person(person.clone())).await?;
    if heads.is_empty() {
        return Err(sentence(format!(
            "`{person}` has no sessions. hint: run `anteroom sessions list --json` to see everyone"
        )));
    }
    if !yes {
        let several = if heads.len() == 1 { "session" } else { "sessions" };
        return Err(sentence(format!(
            "this permanently erases {} {several} of `{person}`. hint: export them first if you need them, then add `--yes`",
            heads.len()
        )));
    }
    let mut done = PersonErased::default();
    for head in heads {
        match erase_one(engine, head.id).await {
            Ok(erased) => done.erased.push(erased),
            // One that is on hold keeps none of the others, nor their receipts.
            Err(error) => done.failed.push((head.id, format!("{error:#}"))),
        }
    }
    Ok(serde_json::to_value(done)?)
}

/// Places a hold or releases it; then what waited for its end is carried out at once.
async fn hold(engine: &Engine, text: &str, reason: Option<&str>) -> anyhow::Result<Value> {
    let session = find(engine, text).await?;
    let is_wanted = reason.is_some();
    let erased = engine.hold(session, "operator", reason).await.map_err(|error| match error {
        engine::Error::NoSession => no_session(&session.to_string()),
        engine::Error::Refused(why) if is_wanted => anyhow::anyhow!(
            "{}. hint: `anteroom hold SESSION --release` releases it",
            why.trim_end_matches('.')
        ),
        other => other.into(),
    })?;
    let erased = erased.map(|erased| Erased::new(session, erased));
    Ok(serde_json::to_value(HoldStatus { session, held: is_wanted, erased })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_written_as_they_were() {
        let id = SessionId::from_uuid(uuid::Uuid::from_u128(1));
        let text = || "ses_0".to_owned();
        let requests = [
            AdminRequest::Find { session: text() },
            AdminRequest::Sessions { after: Some(id) },
            AdminRequest::List(Filter { before: Some(id), limit: 5, ..Filter::default() }),
            AdminRequest::Show { session: text(), json: true },
            AdminRequest::Export { session: text(), format: ExportFormat::JsonResume },
            AdminRequest::Erase { session: text(), yes: true },
            AdminRequest::ErasePerson { person: PersonId::web("ada"), yes: true },
            AdminRequest::Hold { session: text(), reason: None },
            AdminRequest::Audit { from: 7 },
            AdminRequest::Dump,
        ];
        let lines = requests.map(|request| {
            let line = serde_json::to_string(&request).unwrap();
            assert_eq!(serde_json::from_str::<AdminRequest>(&line).unwrap(), request);
            line
        });
        insta::assert_snapshot!(lines.join("\n"), @r#"
        {"ask":"find","session":"ses_0"}
        {"ask":"sessions","after":"ses_00000000000000000000000000000001"}
        {"ask":"list","before":"ses_00000000000000000000000000000001","limit":5,"status":null,"flow":null,"tenant":null}
        {"ask":"show","session":"ses_0","json":true}
        {"ask":"export","session":"ses_0","format":"json-resume"}
        {"ask":"erase","session":"ses_0","yes":true}
        {"ask":"erase_person","person":"web:local/ada","yes":true}
        {"ask":"hold","session":"ses_0","reason":null}
        {"ask":"audit","from":7}
        {"ask":"dump"}
        "#);
    }
}
