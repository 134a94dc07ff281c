//! Rows of a table or grid whose left cells hold several lines, such as a firm, a town and a period beside a title and its
//! duties: each row is read on its own, first its left cell and then its right one.

use std::{collections::BTreeMap, ops::Range};

use super::{
    dates::is_date,
    labels::starts,
    lines::{PIECES_MAX, Piece},
};

/// Fewest left cells with a period, which show that the cells are those of entries.
const DATED_MIN: usize = 2;

/// Most lines of a left cell, and fewest.
const LINES_MAX: usize = 5;
const LINES_MIN: usize = 2;

/// Widest left column, as a share of both.
const WIDTH_MAX: f64 = 0.45;

/// Further apart than this, in usual distances of lines, are two cells.
const APART: f64 = 1.25;

/// White between the columns, and how far the lines of a cell begin from one another, in points.
const WHITE_MIN: f64 = 9.0;
const EDGE: f64 = 2.0;

/// A space between two words, in type sizes.
const SPACE: f64 = 0.25;

/// The rows of the page, with those of such a table one cell below the other.
pub(super) fn stacked(rows: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    if rows.iter().map(Vec::len).sum::<usize>() > PIECES_MAX {
        return rows;
    }
    let found = starts(&rows).into_iter().find_map(|x| Some((x, table(&rows, x)?)));
    match found {
        Some((x, table)) => below_one_another(&rows, &table, x),
        None => rows,
    }
}

/// The rows of the page that each row of the table takes, where the right column begins at `x`.
fn table(rows: &[Vec<Piece>], x: f64) -> Option<Vec<Range<usize>>> {
    let parts: Vec<Vec<Range<usize>>> =
        stretches(rows, x).into_iter().filter_map(|stretch| entries(rows, stretch, x)).collect();
    let is_dated =
        |entry: &&Range<usize>| left(rows, entry, x).iter().any(|piece| is_date(&piece.text));
    let dated = parts.iter().flatten().filter(is_dated).count();
    let are_rows = parts.iter().any(|part| part.len() > 1);
    let table: Vec<Range<usize>> = parts.into_iter().flatten().collect();
    (are_rows && dated >= DATED_MIN && is_narrow(rows, &table, x)).then_some(table)
}

/// The stretches between headings and what takes both columns.
fn stretches(rows: &[Vec<Piece>], x: f64) -> Vec<Range<usize>> {
    let ends = |row: &Vec<Piece>| {
        row.iter().all(|piece| piece.text.starts_with('#'))
            || row.iter().any(|piece| piece.left < x && piece.right > x - WHITE_MIN)
    };
    let mut found = Vec::new();
    let mut from = 0;
    for at in 0..=rows.len() {
        if at == rows.len() || ends(&rows[at]) {
            found.extend((at > from).then_some(from..at));
            from = at + 1;
        }
    }
    found
}

fn left<'a>(rows: &'a [Vec<Piece>], entry: &Range<usize>, x: f64) -> Vec<&'a Piece> {
    rows[entry.clone()].iter().flatten().filter(|piece| piece.left < x).collect()
}

/// The rows of the table in a stretch: each begins with its first lines at one height, and with white above both of them.
fn entries(rows: &[Vec<Piece>], stretch: Range<usize>, x: f64) -> Option<Vec<Range<usize>>> {
    let usual = usual_step(&left(rows, &stretch, x))?;
    let mut begins: Vec<usize> = Vec::new();
    // Where the last line of each column stands.
    let (mut above_left, mut above_right) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for at in stretch.clone() {
        let one = rows[at].iter().find(|piece| piece.left < x).map(|piece| piece.baseline);
        let other = rows[at].iter().find(|piece| piece.left >= x).map(|piece| piece.baseline);
        if let (Some(one), Some(other)) = (one, other)
            && one - above_left > APART * usual
            && other - above_right > APART * usual
        {
            begins.push(at);
        }
        above_left = one.unwrap_or(above_left);
        above_right = other.unwrap_or(above_right);
    }
    let ends = begins.iter().skip(1).copied().chain([stretch.end]);
    let entries: Vec<Range<usize>> = begins.iter().zip(ends).map(|(from, to)| *from..to).collect();
    let fits = begins.first() == Some(&stretch.start)
        && entries.iter().all(|entry| is_entry(rows, entry, x, usual));
    fits.then_some(entries)
}

/// How far the lines of the left cells are apart: most of them are followed by another one.
fn usual_step(left: &[&Piece]) -> Option<f64> {
    let mut steps: Vec<f64> =
        left.windows(2).map(|pair| pair[1].baseline - pair[0].baseline).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 3).copied()
}

/// Whether the left column takes less of the page than the right one.
fn is_narrow(rows: &[Vec<Piece>], table: &[Range<usize>], x: f64) -> bool {
    let pieces = || table.iter().flat_map(|entry| rows[entry.clone()].iter().flatten());
    let begin = pieces().map(|piece| piece.left).fold(x, f64::min);
    let end = pieces().map(|piece| piece.right).fold(x, f64::max);
    x - begin <= (end - begin) * WIDTH_MAX
}

/// Whether the left cell holds lines right under one another, of which the first says who it was and no other cell says
/// when: periods alone are labels, and with periods at the right, both are entries.
fn is_entry(rows: &[Vec<Piece>], entry: &Range<usize>, x: f64, usual: f64) -> bool {
    let left = left(rows, entry, x);
    let is_under = |pair: &[&Piece]| {
        let step = pair[1].baseline - pair[0].baseline;
        step > 0.0 && step <= APART * usual && (pair[1].left - pair[0].left).abs() <= EDGE
    };
    let mut right = rows[entry.clone()].iter().flatten().filter(|piece| piece.left >= x);
    (LINES_MIN..=LINES_MAX).contains(&left.len())
        && left.windows(2).all(is_under)
        && left[0].text.starts_with(char::is_alphabetic)
        && !left[0].text.contains(|c: char| c.is_ascii_digit())
        && !right.any(|piece| is_date(&piece.text))
}

/// The rows of the page with the right cell of each row of the table below its left one, and what follows as much lower.
fn below_one_another(rows: &[Vec<Piece>], table: &[Range<usize>], x: f64) -> Vec<Vec<Piece>> {
    let cells: Vec<Vec<&Piece>> = table.iter().map(|entry| left(rows, entry, x)).collect();
    let count = usual_count(&cells);
    let widest = cells.iter().flatten().map(|piece| piece.right).fold(0.0, f64::max);
    let mut found = Vec::new();
    let (mut lower, mut from) = (0.0, 0);
    for (entry, cell) in table.iter().zip(&cells) {
        found.extend(rows[from..entry.start].iter().map(|row| moved(row, 0.0, lower)));
        from = entry.end;
        let (Some(first), Some(last)) = (cell.first(), cell.last()) else { continue };
        for line in whole(cell, cell.len() > count, widest) {
            found.push(moved(&[line], 0.0, lower));
        }
        let right: Vec<Vec<Piece>> =
            rows[entry.clone()].iter().filter_map(|row| right(row, x)).collect();
        let step = (last.baseline - first.baseline)
            / f64::from(u32::try_from(cell.len() - 1).unwrap_or(1));
        let further = last.baseline - first.baseline + step;
        found.extend(right.iter().map(|row| moved(row, first.left - x, lower + further)));
        let bottom = right.last().map_or(first.baseline, |row| row[0].baseline);
        lower += bottom + further - bottom.max(last.baseline);
    }
    found.extend(rows[from..].iter().map(|row| moved(row, 0.0, lower)));
    found
}

/// What stands right of `x` in a row.
fn right(row: &[Piece], x: f64) -> Option<Vec<Piece>> {
    let right: Vec<Piece> = row.iter().filter(|piece| piece.left >= x).cloned().collect();
    (!right.is_empty()).then_some(right)
}

/// Pieces so much further to the right and lower.
fn moved(row: &[Piece], right: f64, lower: f64) -> Vec<Piece> {
    let moved = |piece: &Piece| Piece {
        left: piece.left + right,
        right: piece.right + right,
        baseline: piece.baseline + lower,
        ..piece.clone()
    };
    row.iter().map(moved).collect()
}

/// How many lines most cells have.
fn usual_count(cells: &[Vec<&Piece>]) -> usize {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for cell in cells {
        *counts.entry(cell.len()).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or_default();
    counts.into_iter().find(|(_, count)| *count == most).map_or(0, |(lines, _)| lines)
}

/// The lines of a cell, with the first two as one where it is longer than the others and the first had no room left.
fn whole(cell: &[&Piece], is_long: bool, widest: f64) -> Vec<Piece> {
    let mut lines: Vec<Piece> = cell.iter().map(|piece| (*piece).clone()).collect();
    let [first, second, ..] = cell else { return lines };
    let is_broken = is_long
        && (first.size - second.size).abs() < 0.02 * first.size
        && first.right + SPACE * first.size + second.first_word() > widest;
    if is_broken {
        lines.remove(1);
        let space = if first.text.ends_with('-') { "" } else { " " };
        lines[0].text = format!("{}{space}{}", first.text, second.text);
        // So that the line stands right above the next one.
        lines[0].baseline = second.baseline;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{super::lines::Looks, *};

    const X: f64 = 200.0;

    fn piece(text: &str, left: f64, baseline: f64) -> Piece {
        let right = left + 5.0 * f64::from(u32::try_from(text.chars().count()).unwrap());
        let (text, size, looks) = (text.to_owned(), 10.0, Looks::new());
        Piece { text, left, right, baseline, size, looks, bold: (None, None) }
    }

    /// The lines of a page with a table of these cells, each row under the one before it, between two headings.
    fn read(table: &[(&[&str], &[&str])], lower: f64) -> Vec<String> {
        let mut rows = vec![vec![piece("### Experience", 50.0, 80.0)]];
        let mut top = 100.0;
        for (left, right) in table {
            let line = |at: usize| left.get(at).map(|text| (*text, 50.0));
            let beside = |at: usize| right.get(at).map(|text| (*text, X));
            for at in 0..left.len().max(right.len()) {
                let row = line(at).map(|(text, x)| piece(text, x, top));
                let other = beside(at).map(|(text, x)| piece(text, x, top + lower));
                if lower > 0.0 {
                    rows.extend([row, other].into_iter().flatten().map(|piece| vec![piece]));
                } else {
                    rows.push([row, other].into_iter().flatten().collect());
                }
                top += 14.0;
            }
            top += 8.0;
        }
        rows.push(vec![piece("### Skills", 50.0, top + 10.0)]);
        let stacked = stacked(rows);
        assert!(stacked.windows(2).all(|pair| pair[0][0].baseline < pair[1][0].baseline));
        let texts = |row: Vec<Piece>| {
            row.into_iter().map(|piece| piece.text).collect::<Vec<_>>().join(" | ")
        };
        stacked.into_iter().map(texts).collect()
    }

    const DUTIES: &[&str] = &["Fitter", "• Repairs of the pumps of the port and of its ships"];

    #[test]
    fn cells_of_several_lines_are_read_row_by_row() {
        let long = [DUTIES, &["• Welding", "• Lathes"]].concat();
        let found = read(
            &[
                (&["Acme Ltd", "Leeds", "2015 – 2021"], &long),
                (&["The Harbour Tools", "Company", "Hull", "2011 – 2015"], DUTIES),
                (&["Emca Ltd", "York", "2009 – 2011"], &["Cook"]),
            ],
            0.0,
        );
        let mut expected = vec!["### Experience", "Acme Ltd", "Leeds", "2015 – 2021"];
        expected.extend(&long);
        expected.extend(["The Harbour Tools Company", "Hull", "2011 – 2015"]);
        expected.extend(DUTIES);
        expected.extend(["Emca Ltd", "York", "2009 – 2011", "Cook", "### Skills"]);
        assert_eq!(found, expected);
    }

    #[test]
    fn columns_that_are_no_rows_of_a_table_stay_beside_one_another() {
        let table = |one: &'static [&str], other: &'static [&str], lower: f64| {
            read(&[(one, DUTIES), (other, DUTIES)], lower)[1].clone()
        };
        let (acme, emca) = (&["Acme Ltd", "Leeds", "2015 – 2021"], &["Emca Ltd", "York", "2011"]);
        assert_eq!(table(acme, emca, 0.0), "Acme Ltd");
        // Their first lines stand at other heights.
        assert_eq!(read(&[(acme, DUTIES), (emca, DUTIES)], 3.0)[2], "Fitter");
        // Periods with towns below them are labels, and so is what has no period.
        let dated = table(&["2015 – 2021", "Leeds"], &["2011 – 2015", "York"], 0.0);
        assert_eq!(dated, "2015 – 2021 | Fitter");
        let plain = table(&["Tools", "and pumps"], &["Office", "work"], 0.0);
        assert_eq!(plain, "Tools | Fitter");
        // Entries beside one another.
        let cards: &[&str] = &["Cook, Harbour Inn of the port and its ships", "2015 – 2021"];
        assert_eq!(
            read(&[(acme, cards), (emca, cards)], 0.0)[1],
            format!("Acme Ltd | {}", cards[0])
        );
    }
}
