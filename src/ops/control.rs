//! The control socket: how commands reach the data of a bot that runs.
//!
//! The store belongs to one process, so the bot listens on `control.sock` in its data directory, and commands ask it
//! there. One request for each connection, a line of JSON each way:
//!
//! ```text
//! → {"v":1,"ask":"export","session":"ses_…","format":"zip"}
//! ← {"piece":"<base64>"}          any number of times
//! ← "busy"                        now and then, while there is nothing else to say
//! ← {"done":{"bytes":81234}}      or {"failed":["what went wrong. hint: what to do","because of this"]}
//! ```
//!
//! Only the owner of the process and the superuser are listened to: the socket has mode 0600, and the kernel is asked
//! who is at the other end. Requests, connections and waiting have bounds.

mod call;
mod listen;

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

pub(super) use self::{call::call, listen::Control};
use super::admin_api::AdminRequest;

/// Version of the protocol.
const VERSION: u32 = 1;

/// Name of the socket in the data directory.
pub(super) const NAME: &str = "control.sock";

/// Longest path of a socket in bytes, with some room: `sun_path` has 108 on Linux, 104 on macOS.
const PATH_MAX: usize = 100;

/// How often somebody who waits is told that the work goes on.
const BUSY_EVERY: Duration = Duration::from_secs(5);

/// Longest silence of the other side.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// A request as it is written.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    v: u32,
    #[serde(flatten)]
    request: AdminRequest,
}

/// A line of an answer.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    /// Some of the bytes, as base64.
    Piece(String),
    /// The work goes on.
    Busy,
    /// The end: what came of it.
    Done(Value),
    /// The end: what went wrong, with its causes.
    Failed(Vec<String>),
}

/// The path by which the socket in `dir` is reached. Where it would be too long, the path goes through an open
/// directory, which must be kept open meanwhile.
fn address(dir: &Path) -> io::Result<(PathBuf, Option<File>)> {
    let path = dir.join(NAME);
    if path.as_os_str().len() <= PATH_MAX {
        return Ok((path, None));
    }
    if cfg!(target_os = "linux") {
        let dir = File::open(dir)?;
        let number = std::os::fd::AsRawFd::as_raw_fd(&dir);
        return Ok((PathBuf::from(format!("/proc/self/fd/{number}/{NAME}")), Some(dir)));
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidFilename,
        "the path of the data directory is too long for a socket",
    ))
}

/// Reads a line without its end; an error if it is longer than `max` bytes or the other side stops in the middle.
async fn read_line(from: &mut (impl AsyncBufRead + Unpin), max: u64) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    from.take(max).read_until(b'\n', &mut line).await?;
    if line.pop() == Some(b'\n') {
        return Ok(line);
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// An error and its causes, to be told elsewhere.
fn causes(error: &anyhow::Error) -> Vec<String> {
    error.chain().map(ToString::to_string).collect()
}
