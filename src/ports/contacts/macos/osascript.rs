//! Contacts by a script for `osascript`: no framework, but another permission, and the application is opened.
//!
//! Compiled everywhere, so that it is tested everywhere with a stand-in on the path.

use std::{ffi::OsString, io, process::Stdio, time::Duration};

use tokio::{io::AsyncReadExt as _, process::Command};

use super::{Permission, Raw, Refusal, chosen};
use crate::model::contact::Contact;

/// The script; it takes what is looked for as an argument, so that nothing a person writes becomes code.
const SCRIPT: &str = include_str!("card.js");

/// Longest time that the script may take: it opens Contacts, and somebody may have to answer first.
const TIME_MAX: Duration = Duration::from_secs(20);

/// Longest output that is read, in bytes; twenty cards are far less.
const OUTPUT_MAX: u64 = 256 * 1024;

/// The program `osascript`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Osascript {
    path: Option<OsString>,
    time_max: Duration,
}

impl Default for Osascript {
    fn default() -> Self {
        Self { path: None, time_max: TIME_MAX }
    }
}

impl Osascript {
    /// Looks for the program in the folders of `path` alone, and waits no longer than `time_max`.
    pub fn found_in(path: impl Into<OsString>, time_max: Duration) -> Self {
        Self { path: Some(path.into()), time_max }
    }

    pub(super) async fn look_up(&self, specific: Option<&str>) -> Result<Contact, Refusal> {
        let output = tokio::time::timeout(self.time_max, self.run(specific)).await;
        let output = output.map_err(|_| Refusal::Unanswered)?.map_err(|error| unstarted(&error))?;
        if !output.succeeded {
            return Err(refusal(&output.said));
        }
        let found: Vec<Raw> = serde_json::from_str(output.printed.trim())
            .map_err(|_| Refusal::Broken("`osascript` printed no cards".to_owned()))?;
        chosen(found, specific)
    }

    async fn run(&self, specific: Option<&str>) -> io::Result<Output> {
        let mut command = Command::new("osascript");
        if let Some(path) = &self.path {
            command.env("PATH", path);
        }
        command.args(["-l", "JavaScript", "-e", SCRIPT]).args(specific);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (printed, said) = tokio::join!(read(stdout), read(stderr));
        let succeeded = child.wait().await?.success();
        Ok(Output { succeeded, printed: printed?, said: said? })
    }
}

/// What the program did.
struct Output {
    succeeded: bool,
    printed: String,
    said: String,
}

async fn read(pipe: Option<impl tokio::io::AsyncRead + Unpin>) -> io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        pipe.take(OUTPUT_MAX).read_to_end(&mut bytes).await?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn unstarted(error: &io::Error) -> Refusal {
    Refusal::Broken(match error.kind() {
        io::ErrorKind::NotFound => {
            "there is no `osascript`; it is a program of macOS, and this is another system"
                .to_owned()
        }
        _ => format!("`osascript` could not be started: {error}"),
    })
}

/// What an error means that the program tells: it ends in the number that Apple events give it, in brackets.
fn refusal(said: &str) -> Refusal {
    let number = said.trim_end().strip_suffix(')').and_then(|text| text.rsplit_once('('));
    match number.and_then(|(_, number)| number.parse::<i32>().ok()) {
        // Not allowed to steer the application; not allowed to assist.
        Some(-1743 | -25211) => Refusal::Denied(Permission::Automation),
        // The system asks, and nobody is there: user interaction is needed, or the event timed out.
        Some(-1744 | -1712) => Refusal::Unanswered,
        // There is no such object.
        Some(-1728 | -1719) => Refusal::NoCard,
        // Its words may hold what the person looked for, so only the number is told.
        Some(number) => Refusal::Broken(format!("`osascript` failed with error {number}")),
        None => Refusal::Broken("`osascript` failed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_apple_events_have_their_meaning() {
        let error =
            |number: i32| refusal(&format!("execution error: Error: Something. ({number})\n"));
        assert_eq!(error(-1743), Refusal::Denied(Permission::Automation));
        assert_eq!(error(-1712), Refusal::Unanswered);
        assert_eq!(error(-1728), Refusal::NoCard);
        assert_eq!(error(-600), Refusal::Broken("`osascript` failed with error -600".to_owned()));
        assert_eq!(refusal("Ada (x)"), Refusal::Broken("`osascript` failed".to_owned()));
    }
}
