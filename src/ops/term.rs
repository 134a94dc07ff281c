//! What goes to the terminal: the only place that writes to standard output and standard error.

use std::{
    io::{self, IsTerminal as _, Write as _},
    process::ExitCode,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::{
    config::{Problem, render},
    model::text::typed,
};

/// Writes a line to standard output.
pub(super) fn say(line: impl AsRef<str>) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", line.as_ref())
}

/// Writes text or bytes to standard output as they are.
pub(super) fn pour(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes a value as JSON for programs.
pub(super) fn json(value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    say(text)
}

/// Writes a value as one line of JSON.
pub(super) fn json_line(value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value)?;
    say(text)
}

/// Says what came of checking files, as JSON for programs where that is wanted: a line for each that was checked to
/// its end, and problems where there are some. The program succeeds with it where all is `ok`.
pub(super) fn report(
    (checked, problems): (&[String], &[Problem]),
    ok: bool,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    if as_json {
        json(&serde_json::json!({ "ok": ok, "problems": problems }))?;
    } else {
        if !problems.is_empty() {
            tell(render(problems).trim_end());
        }
        for line in checked {
            say(line)?;
        }
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes a line to standard error. There is nobody left to tell if that fails.
pub(super) fn tell(line: impl AsRef<str>) {
    drop(writeln!(io::stderr().lock(), "{}", line.as_ref()));
}

/// Whether a person reads standard output.
pub(super) fn is_read_by_a_person() -> bool {
    io::stdout().is_terminal()
}

/// Whether a person reads standard error.
pub(super) fn log_is_read_by_a_person() -> bool {
    io::stderr().is_terminal()
}

/// A number with what it counts: `1 session`, `2 sessions`. `noun` is of the kind that takes an s.
pub(super) fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Writes rows under headings, each column as wide as it must be; says `nothing` where there are none.
pub(super) fn table<const N: usize>(
    headings: [&str; N],
    rows: &[[String; N]],
    nothing: &str,
) -> io::Result<()> {
    if rows.is_empty() {
        return say(nothing);
    }
    say(typed(laid_out(headings, rows).trim_end()))
}

/// The same as text.
pub(super) fn laid_out<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> String {
    let headings = headings.map(str::to_owned);
    let all = || std::iter::once(&headings).chain(rows);
    let widths: [usize; N] = std::array::from_fn(|column| {
        all().map(|row| row[column].chars().count()).max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in all() {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Shows that something takes its time, on a terminal only; disappears when dropped.
#[derive(Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Something of unknown length.
    pub(super) fn start(what: &str) -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {pos}") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar)
    }

    /// So much more is done.
    pub(super) fn advance(&self, by: usize) {
        self.0.inc(by as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_a_kind_has_no_plural() {
        assert_eq!([0_u32, 1, 2].map(|n| count(n, "file")), ["0 files", "1 file", "2 files"]);
    }

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let rows = [["a".to_owned(), "long cell".to_owned()], ["bbb".to_owned(), "x".to_owned()]];
        assert_eq!(laid_out(["ID", "WHAT"], &rows), "ID   WHAT\na    long cell\nbbb  x\n");
    }
}
