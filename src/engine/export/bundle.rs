//! One zip archive with everything: data, conversation, decisions, files.

use std::io::{Cursor, Write};

use chrono::{DateTime, Datelike, Timelike, Utc};
use serde_json::{Value, json};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{Error, Source, decisions, json_resume, records, transcript};
use crate::{
    model::transcript::{Audience, Recorded},
    ports::artifacts::{Artifacts, blobs},
    session::State,
    store::Loaded,
};

/// Names of the members, besides `files/…` and `made/…`.
pub const MEMBERS: [&str; 7] = [
    "README.txt",
    "resume.json",
    "records.json",
    "transcript.md",
    "transcript.json",
    "decisions.json",
    "session.json",
];

/// For staff alone: it holds what they said among themselves.
pub const EVENTS: &str = "events.json";

const README: &str = "\
Contents of this archive

resume.json      approved data as JSON Resume 1.2.1 (https://jsonresume.org/schema)
records.json     all stored data
transcript.md    the conversation, for reading
transcript.json  the conversation as JSON
decisions.json   decisions: what, by whom and when
session.json     who the conversation is with, where, its status and its deletion date
files/           uploaded files, unchanged except that hidden metadata is removed from pictures
made/            pictures and documents made by the bot, if any
child-runs/      delegated sub-tasks, if any: request, inputs and results
";

/// In place of a file that cannot be read any more.
const DAMAGED: &str = "This file is damaged and can no longer be read.\n";

/// Makes the archive. The same session gives the same bytes: every member carries the time of the last event.
///
/// `children` are the child runs of the session, and theirs, as they were begun. A file that has been erased meanwhile
/// is left out; the transcript still says that it was sent. In place of one that is damaged stands a note.
pub async fn bundle(
    source: &Source<'_>,
    children: &[Loaded],
    artifacts: &Artifacts,
) -> Result<Vec<u8>, Error> {
    let state = source.state()?;
    let mut archive = Archive::new(source.loaded.head.updated_at);
    archive.add("README.txt", README.as_bytes())?;
    archive.add_json("resume.json", &json_resume::of(&state, source.flow, source.reader))?;
    archive.add_json("records.json", &records(&state, source.flow, source.reader))?;
    archive.add("transcript.md", transcript::markdown(source)?.as_bytes())?;
    archive.add_json("transcript.json", &transcript::json(source)?)?;
    archive.add_json("decisions.json", &decisions(source))?;
    archive.add_json("session.json", &json!(source.loaded.head))?;
    if source.reader == Audience::Staff {
        archive.add_json(EVENTS, &exported(&source.loaded.events))?;
    }
    let session = source.loaded.head.id;
    for (folder, files) in [("files", &state.artifacts), ("made", &state.made)] {
        for (position, artifact) in files.iter().enumerate() {
            // The number keeps two files of one name apart; the name was made harmless when it was kept.
            let name = format!("{folder}/{:02}-{}", position + 1, artifact.filename);
            match artifacts.read(session, artifact).await {
                Ok(Some(bytes)) => archive = archive.with_file(name, bytes).await?,
                Ok(None) => {}
                Err(blobs::Error::Damaged { .. }) => {
                    archive.add(&format!("{name}.damaged.txt"), DAMAGED.as_bytes())?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    for (position, child) in children.iter().enumerate() {
        let Some(told) = child_run(child, source.reader) else { continue };
        let name = format!("child-runs/{:02}-{}.json", position + 1, child.head.flow.id);
        archive.add_json(&name, &told)?;
    }
    archive.finish()
}

/// What a child run was, what with, and what came of it; for staff with all its events.
fn child_run(child: &Loaded, reader: Audience) -> Option<Value> {
    let own = State::fold(&child.events)?.subtasks.parent_link?;
    let mut told = json!({
        "task": child.head.flow.id,
        "description": own.assignment.description,
        "input": own.assignment.input,
        "conclusion": own.conclusion,
        "begunAt": child.head.created_at,
    });
    if reader == Audience::Staff {
        told["events"] = exported(&child.events);
    }
    Some(told)
}

struct Archive {
    /// It is large, and moves from thread to thread.
    writer: Box<ZipWriter<Cursor<Vec<u8>>>>,
    options: SimpleFileOptions,
}

impl Archive {
    fn new(at: DateTime<Utc>) -> Self {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(stamp(at))
            .unix_permissions(0o644);
        Self { writer: Box::new(ZipWriter::new(Cursor::new(Vec::new()))), options }
    }

    fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        self.writer.start_file(name, self.options).map_err(broken)?;
        self.writer.write_all(bytes).map_err(broken)
    }

    /// Adds a file, which can be large, on a thread of its own.
    async fn with_file(mut self, name: String, bytes: Vec<u8>) -> Result<Self, Error> {
        let adding = move || {
            self.add(&name, &bytes)?;
            Ok(self)
        };
        tokio::task::spawn_blocking(adding).await.map_err(broken)?
    }

    fn add_json(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        self.add(name, format!("{value:#}\n").as_bytes())
    }

    fn finish(self) -> Result<Vec<u8>, Error> {
        Ok(self.writer.finish().map_err(broken)?.into_inner())
    }
}

/// Zip keeps years from 1980 to 2107 and even seconds; anything else becomes its first day.
fn stamp(at: DateTime<Utc>) -> zip::DateTime {
    let part = |value: u32| u8::try_from(value).unwrap_or_default();
    u16::try_from(at.year())
        .ok()
        .and_then(|year| {
            let (month, day) = (part(at.month()), part(at.day()));
            let (hour, minute, second) = (part(at.hour()), part(at.minute()), part(at.second()));
            zip::DateTime::from_date_and_time(year, month, day, hour, minute, second).ok()
        })
        .unwrap_or_default()
}

/// Events as staff get them: without what only a model's provider can read.
fn exported(events: &[Recorded]) -> Value {
    let mut events = json!(events);
    for event in events.as_array_mut().into_iter().flatten() {
        for holder in ["", "/event"] {
            if let Some(Value::Object(members)) = event.pointer_mut(holder)
                && members.get("type").is_some_and(|kind| kind == "thought")
            {
                members.remove("opaque");
            }
        }
    }
    events
}

fn broken(error: impl std::fmt::Display) -> Error {
    Error::Archive(error.to_string())
}
