//! The child's side: limits first, then the parser.

use std::{
    ffi::OsString,
    io::{self, Read as _, Write as _},
    panic::{self, AssertUnwindSafe},
    process::ExitCode,
};

use crate::base::sandbox;

use super::{FLAG, Format, read, unreadable};

/// Runs this process as a reader of one document if its arguments (without the program's name) say so; `main`
/// returns the code then. Otherwise none, and nothing has happened.
pub fn child_main(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.into_iter();
    if args.next()? != FLAG {
        return None;
    }
    let format = args.next().and_then(|name| Format::of_name(name.to_str()?));
    Some(match format.map(run) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(_)) | None => ExitCode::FAILURE,
    })
}

/// Largest document, in bytes; the checks of uploads are stricter.
const INPUT_MAX: u64 = 64 * 1024 * 1024;

/// Memory in bytes, and seconds of processor.
const LIMITS: (u64, u64) = (512 * 1024 * 1024, 10);

fn run(format: Format) -> io::Result<()> {
    sandbox::limit(LIMITS.0, LIMITS.1)?;
    let mut bytes = Vec::new();
    io::stdin().lock().take(INPUT_MAX).read_to_end(&mut bytes)?;
    // A parser's panic message would hold pieces of the document.
    panic::set_hook(Box::new(|_| {}));
    let parsed = panic::catch_unwind(AssertUnwindSafe(|| read(format, &bytes)));
    let extraction =
        parsed.unwrap_or_else(|_| unreadable("This file is made in a way that I cannot read."));
    let mut answer = serde_json::to_vec(&extraction)?;
    answer.insert(0, b'\n');
    answer.push(b'\n');
    io::stdout().lock().write_all(&answer)
}
