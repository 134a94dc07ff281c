//! The child that draws a diagram, and how it is asked.
//!
//! It is this same program, started as `anteroom --draw`. It takes the source on standard input and writes one line:
//!
//! ```json
//! { "drawn": "iVBORw0KGgo…" }
//! { "not": { "error": "syntax", "told": { "message": "unterminated label", "line": 2 } } }
//! ```

use std::{
    ffi::OsString,
    io::{self, Read as _, Write as _},
    panic::{self, AssertUnwindSafe},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use tokio::time;

use super::diagram::{self, DiagramError, SOURCE_MAX};
use crate::base::sandbox;

/// The argument that makes this program a child.
const FLAG: &str = "--draw";

/// Memory in bytes, and seconds of processor.
const LIMITS: (u64, u64) = (512 * 1024 * 1024, 10);

/// Time for one diagram, on the wall.
const WALL: Duration = Duration::from_secs(10);

/// Longest answer, in bytes: a picture of twelve million pixels is a few megabytes, a third more as letters.
const ANSWER_MAX: u64 = 24 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Drawn(String),
    Not(DiagramError),
}

/// Has a child draw a source.
pub(super) async fn draw(program: &Path, source: &str) -> Result<Vec<u8>, DiagramError> {
    let asked = sandbox::ask(program, &[FLAG], source.as_bytes(), ANSWER_MAX);
    let failed = |error: &dyn std::fmt::Display| {
        tracing::warn!(%error, "a diagram could not be drawn");
        DiagramError::Failed(error.to_string())
    };
    let line = time::timeout(WALL, asked).await.map_err(|_| DiagramError::TookTooLong)?;
    let line = line.map_err(|error| failed(&error))?;
    match serde_json::from_slice(&line).map_err(|error| failed(&error))? {
        Answer::Drawn(picture) => STANDARD.decode(picture).map_err(|error| failed(&error)),
        Answer::Not(error) => Err(error),
    }
}

/// Runs this process as the one who draws if its arguments (without the program's name) say so; `main` returns the
/// code then. Otherwise none, and nothing has happened.
pub fn child_main(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    if args.into_iter().next()? != FLAG {
        return None;
    }
    Some(match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

fn run() -> io::Result<()> {
    sandbox::limit(LIMITS.0, LIMITS.1)?;
    let mut source = String::new();
    io::stdin().lock().take(SOURCE_MAX as u64 + 1).read_to_string(&mut source)?;
    // A panic's message would hold pieces of the source.
    panic::set_hook(Box::new(|_| {}));
    let drawn = panic::catch_unwind(AssertUnwindSafe(|| diagram::draw(&source)));
    let answer = match drawn {
        Ok(Ok(picture)) => Answer::Drawn(STANDARD.encode(picture)),
        Ok(Err(error)) => Answer::Not(error),
        Err(_) => Answer::Not(DiagramError::broken("it broke off")),
    };
    let mut line = serde_json::to_vec(&answer)?;
    line.insert(0, b'\n');
    line.push(b'\n');
    io::stdout().lock().write_all(&line)
}
