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
    let mut table = Table::new(headings);
    table.add(rows)?;
    table.end(nothing)
}

/// Lays out rows under headings as text, each column as wide as it must be.
pub(super) fn laid_out<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> String {
    Table::new(headings).lines(rows)
}

/// A table of which not all rows are known at once. Columns are as wide as the rows so far need.
#[derive(Debug)]
pub(super) struct Table<'a, const N: usize> {
    /// None once they are written.
    headings: Option<[&'a str; N]>,
    widths: [usize; N],
}

impl<'a, const N: usize> Table<'a, N> {
    pub(super) const fn new(headings: [&'a str; N]) -> Self {
        Self { headings: Some(headings), widths: [0; N] }
    }

    /// Writes more rows.
    pub(super) fn add(&mut self, rows: &[[String; N]]) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        pour(typed(&self.lines(rows)).as_bytes())
    }

    /// Says `nothing` where there were no rows.
    pub(super) fn end(&self, nothing: &str) -> io::Result<()> {
        if self.headings.is_some() { say(nothing) } else { Ok(()) }
    }

    fn lines(&mut self, rows: &[[String; N]]) -> String {
        let headings = self.headings.take().map(|headings| headings.map(str::to_owned));
        let mut text = String::new();
        let all = || headings.iter().chain(rows);
        for (column, width) in self.widths.iter_mut().enumerate() {
            let cells = all().map(|row| row[column].chars().count());
            *width = cells.max().unwrap_or(0).max(*width);
        }
        for row in all() {
            let cells = row.iter().zip(self.widths).map(|(cell, width)| format!("{cell:width$}"));
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

/// A list in JSON of which not all items are known at once; written as [`json`] writes a whole one.
#[derive(Debug, Default)]
pub(super) struct JsonList {
    has_items: bool,
}

impl JsonList {
    /// Writes more items.
    pub(super) fn add(&mut self, items: impl Iterator<Item = impl Serialize>) -> io::Result<()> {
        let text = self.text(items)?;
        pour(text.as_bytes())
    }

    /// Closes the list.
    pub(super) fn end(&self) -> io::Result<()> {
        say(self.close())
    }

    fn text(&mut self, items: impl Iterator<Item = impl Serialize>) -> io::Result<String> {
        let mut text = String::new();
        for item in items {
            text.push_str(if self.has_items { "," } else { "[" });
            self.has_items = true;
            // No string in JSON goes over a line's end.
            for line in serde_json::to_string_pretty(&item)?.lines() {
                text.push_str("\n  ");
                text.push_str(line);
            }
        }
        Ok(text)
    }

    const fn close(&self) -> &'static str {
        if self.has_items { "\n]" } else { "[]" }
    }
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

    #[test]
    fn columns_only_widen_where_rows_come_in_parts() {
        let row = |id: &str| [[id.to_owned(), "x".to_owned()]];
        let mut table = Table::new(["ID", "WHAT"]);
        let lines = [row("a"), row("four"), row("b")].map(|row| table.lines(&row));
        assert_eq!(lines, ["ID  WHAT\na   x\n", "four  x\n", "b     x\n"]);
    }

    #[test]
    fn a_list_in_parts_is_the_same_json() {
        let items = [serde_json::json!({ "a": "one\ntwo", "b": [1, 2] }), serde_json::json!([])];
        let mut list = JsonList::default();
        let parts = [&items[..1], &[], &items[1..]];
        let text: String = parts.map(|part| list.text(part.iter()).unwrap()).concat();
        let whole = serde_json::to_string_pretty(&items).unwrap();
        assert_eq!(text + list.close(), whole);
        assert_eq!(JsonList::default().close(), "[]");
    }
}
