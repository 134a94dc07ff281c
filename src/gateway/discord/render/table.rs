//! Tables, which Discord has none of: columns of code that are aligned, or lines of `Header: value` where the columns do
//! not fit. Pure.

use pulldown_cmark::Alignment;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::{atom::Atom, text::one_line};

/// Columns of text in a line of code that fit a narrow window.
const WIDTH: usize = 60;

/// Stands between two columns.
const GAP: usize = 2;

/// Narrowest column that a longer text is wrapped into.
const NARROW: usize = 8;

/// Lines of one cell; a table with a longer one is no longer read across.
const LINES: usize = 6;

/// One cell: its words as they are, and as Markdown.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    pub(super) words: String,
    pub(super) atoms: Vec<Atom>,
}

/// A table while it is read.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) alignments: Vec<Alignment>,
    /// What the entry of a list begins with that the table stands in.
    pub(super) head: Option<String>,
    pub(super) header: Vec<Cell>,
    pub(super) rows: Vec<Vec<Cell>>,
    pub(super) row: Vec<Cell>,
}

impl Table {
    /// The table as lines of code at most `width` columns wide; `None` if it does not fit.
    pub(super) fn render(&self, margin: usize) -> Option<String> {
        let header = Some(&self.header).filter(|header| !header.is_empty());
        let has_header = header.is_some();
        let lines: Vec<Vec<String>> = header
            .into_iter()
            .chain(&self.rows)
            .map(|row| row.iter().map(|cell| one_line(&cell.words)).collect())
            .collect();
        let widths = widths(&lines, WIDTH.saturating_sub(margin))?;
        let mut out = String::new();
        for (n, row) in lines.iter().enumerate() {
            self.draw(row, &widths, &mut out)?;
            if n == 0 && has_header {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                out.push_str(&rules.join(&" ".repeat(GAP)));
                out.push('\n');
            }
        }
        Some(out.trim_end_matches('\n').to_owned())
    }

    fn draw(&self, row: &[String], widths: &[usize], out: &mut String) -> Option<()> {
        let wrapped: Vec<Vec<String>> =
            row.iter().zip(widths).map(|(cell, width)| wrap(cell, *width)).collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
        if height > LINES {
            return None;
        }
        for at in 0..height {
            let mut line = String::new();
            for (column, (cell, width)) in wrapped.iter().zip(widths).enumerate() {
                if column > 0 {
                    line.push_str(&" ".repeat(GAP));
                }
                let words = cell.get(at).map_or("", String::as_str);
                let room = width.saturating_sub(words.width());
                let before = match self.alignments.get(column) {
                    Some(Alignment::Right) => room,
                    Some(Alignment::Center) => room / 2,
                    _ => 0,
                };
                line.push_str(&" ".repeat(before));
                line.push_str(words);
                line.push_str(&" ".repeat(room - before));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        Some(())
    }
}

/// How wide each column is; `None` if they do not fit side by side.
fn widths(lines: &[Vec<String>], max: usize) -> Option<Vec<usize>> {
    let columns = lines.iter().map(Vec::len).max()?;
    let wide = |column: usize| {
        lines.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..columns).map(|column| wide(column).max(1)).collect();
    let room = max.checked_sub(GAP * columns.saturating_sub(1))?;
    let least: usize = widths.iter().map(|width| (*width).min(NARROW)).sum();
    if least > room {
        return None;
    }
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter_mut().max()?;
        *widest -= 1;
    }
    Some(widths)
}

/// A text in lines at most so wide, cut at words where that can be.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let gap = usize::from(!line.is_empty());
        if line.width() + gap + word.width() <= width {
            line.push_str(&" ".repeat(gap));
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for seen in word.graphemes(true) {
            if !line.is_empty() && line.width() + seen.width() > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(seen);
        }
    }
    lines.push(line);
    lines
}
