//! A command's side of the control socket.

use std::{
    io::{self, Write},
    path::Path,
};

use anyhow::Context as _;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use tokio::{
    io::{AsyncWriteExt as _, BufReader},
    net::UnixStream,
    time::timeout,
};

use super::{Answer, Asked, SILENCE_MAX, VERSION, address, read_line};
use crate::ops::{admin_api::AdminRequest, sentence};

/// Longest line of an answer, in bytes: a page of audit records with everything that people wrote.
const ANSWER_MAX: u64 = 256 * 1024 * 1024;

/// A connection to a bot that runs.
#[derive(Debug)]
pub(in crate::ops) struct Call(UnixStream);

/// Calls the bot that runs on `dir`; `None` if there is none.
pub(in crate::ops) async fn call(dir: &Path) -> anyhow::Result<Option<Call>> {
    let Ok((address, _dir)) = address(dir) else { return Ok(None) };
    match timeout(SILENCE_MAX, UnixStream::connect(address))
        .await
        .context("the bot isn't responding")?
    {
        Ok(stream) => Ok(Some(Call(stream))),
        // Nobody has ever listened, or whoever did is gone.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(anyhow::Error::new(error).context(format!(
            "could not reach the bot running on `{}`. hint: run this command as the same user as the bot",
            dir.display()
        ))),
    }
}

impl Call {
    /// Asks, writes the pieces of the answer to `into`, and returns the rest.
    pub(in crate::ops) async fn ask(
        self,
        request: AdminRequest,
        into: &mut dyn Write,
    ) -> anyhow::Result<Value> {
        let (read, mut write) = self.0.into_split();
        let mut line = serde_json::to_vec(&Asked { v: VERSION, request })?;
        line.push(b'\n');
        let gone = || sentence("the bot closed the connection before answering. hint: try again");
        timeout(SILENCE_MAX, write.write_all(&line)).await?.map_err(|_| gone())?;
        let mut read = BufReader::new(read);
        loop {
            let line = timeout(SILENCE_MAX, read_line(&mut read, ANSWER_MAX)).await;
            let line = line
                .map_err(|_| sentence("the bot took too long to answer. hint: check its log"))?
                .map_err(|_| gone())?;
            match serde_json::from_slice(&line).context("could not understand the bot's answer")? {
                Answer::Piece(piece) => into.write_all(&STANDARD.decode(piece)?)?,
                Answer::Busy => {}
                Answer::Done(value) => return Ok(value),
                Answer::Failed(causes) => return Err(told(causes)),
            }
        }
    }
}

/// The error that the bot told, with its causes.
fn told(causes: Vec<String>) -> anyhow::Error {
    let mut causes = causes.into_iter().rev();
    let first = sentence(
        causes.next().unwrap_or_else(|| "the bot could not carry out the command".to_owned()),
    );
    causes.fold(first, anyhow::Error::context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_comes_over_with_its_causes() {
        let error = anyhow::anyhow!("inner").context("middle").context("outer. hint: do this");
        let told = told(super::super::causes(&error));
        let causes: Vec<String> = told.chain().map(ToString::to_string).collect();
        assert_eq!(causes, ["outer. hint: do this", "middle", "inner"]);
    }
}
