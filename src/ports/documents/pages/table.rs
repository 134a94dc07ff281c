//! Tables: columns as wide as their text asks for, rows over as many pages as they need.

use pulldown_cmark::Alignment;

use super::{BODY, CELL, Column, Mark, Press, Shade};
use crate::ports::documents::{
    blocks::Table,
    lines::{Line, Rich, Style},
};

/// Between the text of a cell and its border, in points.
const PAD_X: f32 = 4.0;
const PAD_Y: f32 = 3.0;

/// Narrowest column, in points; where there is no room for all, each row is told as a list.
const COLUMN_MIN: f32 = 40.0;

/// Widest part that a column is kept wide for, in points: an address may be broken.
const PART_MAX: f32 = 140.0;

/// Sets a table.
pub(super) fn set(press: &mut Press, table: &Table, column: Column<'_>) {
    let Some(widths) = widths(press, table, column.width) else {
        return as_lists(press, table, column);
    };
    let alignments = table.alignments.clone();
    let mut setter = Setter { press, widths, alignments, column, head: None };
    let head: Vec<Rich> = table.head.iter().map(|cell| cell.clone().bold()).collect();
    let head = setter.cells(&head);
    setter.row(&head, true);
    setter.head = (tall(&head) <= HEAD_MAX).then_some(head);
    for row in &table.rows {
        let cells = setter.cells(row);
        setter.row(&cells, false);
    }
}

/// Most lines of a head that is repeated on every page.
const HEAD_MAX: usize = 6;

/// Room for each column, in points.
fn widths(press: &Press, table: &Table, room: f32) -> Option<Vec<f32>> {
    let columns = table.head.len();
    let count = u8::try_from(columns).map(f32::from).ok()?;
    if columns == 0 || count * COLUMN_MIN > room {
        return None;
    }
    let mut wanted = vec![COLUMN_MIN; columns];
    let mut needed = vec![COLUMN_MIN; columns];
    for row in std::iter::once(&table.head).chain(&table.rows) {
        for (n, cell) in row.iter().enumerate().take(columns) {
            let (line, part) = cell.widths(press.fonts);
            // A head is bold, and so wider than it was measured.
            wanted[n] = wanted[n].max(line * CELL.size * 1.12 + 2.0 * PAD_X);
            needed[n] = needed[n].max((part * CELL.size * 1.12).min(PART_MAX) + 2.0 * PAD_X);
        }
    }
    let (all_wanted, all_needed): (f32, f32) = (wanted.iter().sum(), needed.iter().sum());
    if all_wanted <= room {
        return Some(wanted);
    }
    if all_needed >= room {
        let free = room - count * COLUMN_MIN;
        let over = (all_needed - count * COLUMN_MIN).max(1.0);
        let share = |needed: &f32| COLUMN_MIN + (needed - COLUMN_MIN) * free / over;
        return Some(needed.iter().map(share).collect());
    }
    let share = (room - all_needed) / (all_wanted - all_needed).max(1.0);
    Some(
        wanted
            .iter()
            .zip(&needed)
            .map(|(wanted, needed)| needed + (wanted - needed) * share)
            .collect(),
    )
}

/// The head, then `head: cell` line by line, for a table with more columns than a page holds.
fn as_lists(press: &mut Press, table: &Table, column: Column<'_>) {
    let bold = Style { bold: true, ..Style::default() };
    let mut all = Rich::default();
    for (n, cell) in table.head.iter().enumerate() {
        all.push(if n == 0 { "" } else { " | " }, bold);
        all.append(&cell.clone().bold());
    }
    press.paragraph(&all, column, BODY, None);
    press.gap(6.0);
    for row in &table.rows {
        for (head, cell) in table.head.iter().zip(row).filter(|(_, cell)| !cell.is_blank()) {
            let label: String = head.text().chars().take(LABEL_MAX).collect();
            let mut line = Rich::of(&format!("{label}: "), bold);
            line.append(cell);
            press.paragraph(&line, column, BODY, None);
        }
        press.gap(6.0);
    }
}

/// Longest head that is repeated before every cell, in characters; the whole stands above all of them.
const LABEL_MAX: usize = 40;

type Cells = Vec<Vec<Line>>;

fn tall(cells: &[Vec<Line>]) -> usize {
    cells.iter().map(Vec::len).max().unwrap_or(0).max(1)
}

struct Setter<'a> {
    press: &'a mut Press,
    widths: Vec<f32>,
    alignments: Vec<Alignment>,
    column: Column<'a>,
    /// Repeated on every page.
    head: Option<Cells>,
}

impl Setter<'_> {
    fn cells(&self, row: &[Rich]) -> Cells {
        let fonts = self.press.fonts;
        let cells = row.iter().zip(&self.widths);
        cells.map(|(cell, width)| cell.lines(fonts, (width - 2.0 * PAD_X) / CELL.size)).collect()
    }

    /// Sets a row; what does not fit on this page goes on on the next.
    fn row(&mut self, cells: &[Vec<Line>], head: bool) {
        let tall = tall(cells);
        let mut done = 0;
        while done < tall {
            let room = self.press.left() - 2.0 * PAD_Y;
            let mut fit = 0;
            while done + fit < tall && CELL.line() * lines(fit + 1) <= room {
                fit += 1;
            }
            // A row that fits on a page of its own is not torn, unless it is a long one.
            if fit == 0 || (done == 0 && fit < tall && tall <= TORN_MIN) {
                self.turn();
                continue;
            }
            self.slice(cells, done..done + fit, head);
            done += fit;
        }
    }

    fn turn(&mut self) {
        self.press.turn();
        if let Some(head) = self.head.take() {
            self.slice(&head, 0..tall(&head), true);
            self.head = Some(head);
        }
    }

    fn slice(&mut self, cells: &[Vec<Line>], range: std::ops::Range<usize>, head: bool) {
        let (top, left) = (self.press.y(), self.column.left);
        let height = CELL.line() * lines(range.len()) + 2.0 * PAD_Y;
        let width: f32 = self.widths.iter().sum();
        if head {
            let (x, y) = (left, top);
            self.press.mark(Mark::Bar { x, y, width, height, shade: Shade::Pale });
        }
        for x in self.column.bars {
            self.press.mark(Mark::Bar { x: *x, y: top, width: 2.0, height, shade: Shade::Line });
        }
        let mut x = left;
        for (n, cell) in cells.iter().enumerate() {
            let Some(column) = self.widths.get(n).copied() else { break };
            let room = column - 2.0 * PAD_X;
            let alignment = self.alignments.get(n).copied().unwrap_or(Alignment::None);
            let mut y = top + PAD_Y;
            for line in cell.iter().skip(range.start).take(range.len()) {
                let free = (room - line.width * CELL.size).max(0.0);
                let indent = match alignment {
                    Alignment::Right => free,
                    Alignment::Center => free / 2.0,
                    Alignment::None if line.leftwards => free,
                    Alignment::None | Alignment::Left => 0.0,
                };
                self.press.line(line.clone(), x + PAD_X + indent, y, CELL);
                y += CELL.line();
            }
            x += column;
        }
        let y = top + height;
        self.press.mark(Mark::Bar { x: left, y, width, height: 0.5, shade: Shade::Line });
        self.press.down(height);
    }
}

/// Rows of more lines than this are torn at the end of a page rather than put on the next.
const TORN_MIN: usize = 12;

fn lines(n: usize) -> f32 {
    u16::try_from(n).unwrap_or(u16::MAX).into()
}
