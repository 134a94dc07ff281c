//! The bot's side of the control socket.

use std::{
    fs, io,
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    pin::pin,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use tokio::{
    io::{AsyncWriteExt as _, BufReader},
    net::{UnixListener, UnixStream, unix::OwnedWriteHalf},
    sync::mpsc,
    task::JoinSet,
    time::{interval, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{Answer, Asked, BUSY_EVERY, NAME, SILENCE_MAX, VERSION, address, causes, read_line};
use crate::{
    net::listener::not_accepted,
    ops::{
        admin_api::{self, AdminRequest},
        app::Home,
        sentence,
    },
};

/// Calls at one time; others wait for their turn.
const CALLS_MAX: usize = 8;

/// Longest request, in bytes.
const REQUEST_MAX: u64 = 64 * 1024;

/// Pieces of an answer that may wait to be written.
const PIECES_MAX: usize = 4;

/// Listens for commands. Dropping it removes the socket.
#[derive(Debug)]
pub(in crate::ops) struct Control {
    listener: UnixListener,
    path: PathBuf,
}

impl Control {
    /// Listens in the data directory `dir`, whose store the caller holds: whatever socket is there was left behind by
    /// a bot that was killed, and is replaced. Anything else of that name is not touched.
    pub(in crate::ops) fn bind(dir: &Path) -> io::Result<Self> {
        let path = dir.join(NAME);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.file_type().is_socket() => fs::remove_file(&path)?,
            Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let (address, _dir) = address(dir)?;
        let control = Self { listener: UnixListener::bind(address)?, path };
        fs::set_permissions(&control.path, fs::Permissions::from_mode(0o600))?;
        Ok(control)
    }

    /// Answers until `shutdown`; calls under way then are told so.
    pub(in crate::ops) async fn serve(self, home: Home, shutdown: CancellationToken) {
        let mut calls = JoinSet::new();
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(ended) = calls.join_next() => log(ended.unwrap_or_else(|error| Err(error.into()))),
                accepted = self.listener.accept(), if calls.len() < CALLS_MAX => match accepted {
                    Ok((stream, _)) => {
                        calls.spawn(attend(stream, home.clone(), shutdown.clone()));
                    }
                    Err(error) => {
                        not_accepted("control", &error);
                        // Most likely too many files are open: that passes, and trying at once would not help.
                        sleep(BUSY_EVERY).await;
                    }
                },
            }
        }
        while let Some(ended) = calls.join_next().await {
            log(ended.unwrap_or_else(|error| Err(error.into())));
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "could not remove the control socket; the next start replaces it");
        }
    }
}

fn log(ended: io::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a command disconnected before it was answered");
    }
}

async fn attend(stream: UnixStream, home: Home, shutdown: CancellationToken) -> io::Result<()> {
    let asker = stream.peer_cred()?.uid();
    if asker != 0 && asker != rustix::process::geteuid().as_raw() {
        tracing::warn!(uid = asker, "refused a connection to the control socket from another user");
        return Ok(());
    }
    let (read, write) = stream.into_split();
    let mut out = Out(write);
    let line = timeout(SILENCE_MAX, read_line(&mut BufReader::new(read), REQUEST_MAX)).await??;
    match understood(&line) {
        Ok(request) => answer(request, &home, &mut out, &shutdown).await,
        Err(error) => out.line(&Answer::Failed(causes(&error))).await,
    }
}

/// The request in a line; an error for one that a newer or older program has written.
fn understood(line: &[u8]) -> anyhow::Result<AdminRequest> {
    let other = || {
        sentence(format!(
            "the running bot is version {} and doesn't know this command. hint: use the same version of anteroom, or \
             restart the bot with this one",
            env!("CARGO_PKG_VERSION")
        ))
    };
    let line: Value = serde_json::from_slice(line).map_err(|_| other())?;
    match serde_json::from_value(line) {
        Ok(Asked { v: VERSION, request }) => Ok(request),
        Ok(_) | Err(_) => Err(other()),
    }
}

async fn answer(
    request: AdminRequest,
    home: &Home,
    out: &mut Out,
    shutdown: &CancellationToken,
) -> io::Result<()> {
    let (pieces, mut coming) = mpsc::channel(PIECES_MAX);
    let mut work = pin!(admin_api::carry_out(home, request, pieces));
    let mut busy = interval(BUSY_EVERY);
    loop {
        let line = tokio::select! {
            biased;
            () = shutdown.cancelled() => {
                let stopping = "the bot is shutting down. hint: try again in a moment".to_owned();
                return out.line(&Answer::Failed(vec![stopping])).await;
            }
            Some(piece) = coming.recv() => Answer::Piece(STANDARD.encode(piece)),
            done = &mut work => {
                // What was handed over last may not have been written yet.
                while let Ok(piece) = coming.try_recv() {
                    out.line(&Answer::Piece(STANDARD.encode(piece))).await?;
                }
                let end = done.map_or_else(|error| Answer::Failed(causes(&error)), Answer::Done);
                return out.line(&end).await;
            }
            _ = busy.tick() => Answer::Busy,
        };
        out.line(&line).await?;
    }
}

/// Where answers go.
struct Out(OwnedWriteHalf);

impl Out {
    async fn line(&mut self, answer: &Answer) -> io::Result<()> {
        let mut line = serde_json::to_vec(answer)?;
        line.push(b'\n');
        timeout(SILENCE_MAX, self.0.write_all(&line)).await?
    }
}
