//! Tables with drawn borders: what stands in the middle of a cell is read from the top of its row, and a cell whose text
//! takes several lines is one piece.

use std::collections::BTreeMap;

use super::{
    lines::{PIECES_MAX, Piece},
    rules::{Cell, Rules, key},
};

/// Longest text of a cell that names something rather than tells of it, in characters.
const NAME_MAX: usize = 60;

/// The cells of a row of a table and what stands in them, by their left edges.
type Row = BTreeMap<i32, (Cell, Vec<Piece>)>;

/// The pieces of a page, those in cells level with the first of their row.
pub(super) fn straightened(pieces: Vec<Piece>, rules: &Rules) -> Vec<Piece> {
    if pieces.len() > PIECES_MAX {
        return pieces;
    }
    let mut free = Vec::new();
    let mut rows: BTreeMap<(i32, i32), Row> = BTreeMap::new();
    for piece in pieces {
        let (x, y) = (f64::midpoint(piece.left, piece.right), piece.baseline - 0.3 * piece.size);
        match rules.cell(x, y) {
            Some(cell) => {
                let row = rows.entry((key(cell.top), key(cell.bottom))).or_default();
                row.entry(key(cell.left)).or_insert((cell, Vec::new())).1.push(piece);
            }
            None => free.push(piece),
        }
    }
    for row in rows.into_values() {
        let first = |pieces: &[Piece]| {
            pieces.iter().map(|piece| piece.baseline).fold(f64::INFINITY, f64::min)
        };
        let top = row.values().map(|(_, pieces)| first(pieces)).fold(f64::INFINITY, f64::min);
        let (several, is_wide) = (row.len() > 1, row.len() > 2);
        for (cell, mut pieces) in row.into_values() {
            if several {
                let lower = first(&pieces) - top;
                for piece in &mut pieces {
                    piece.baseline -= lower;
                }
                pieces = unwrapped(pieces, &cell);
                if is_wide {
                    tell_apart(&mut pieces);
                }
            }
            free.append(&mut pieces);
        }
    }
    free
}

/// The lines of a cell, those put together that are broken off at its edge.
fn unwrapped(mut pieces: Vec<Piece>, cell: &Cell) -> Vec<Piece> {
    pieces.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let mut whole: Vec<Piece> = Vec::new();
    let mut end = 0.0;
    for piece in pieces {
        let word = piece.text.split([' ', '-']).next().unwrap_or_default().chars().count();
        match whole.last_mut() {
            Some(last) if is_broken(last, end, &piece, word, cell) => {
                last.text.push(' ');
                last.text.push_str(&piece.text);
                end = piece.right;
            }
            _ => {
                end = piece.right;
                whole.push(piece);
            }
        }
    }
    whole
}

/// Average width of a letter, in type sizes.
const LETTER: f64 = 0.45;

/// Whether the first word of the next line had no room behind the last of this one.
fn is_broken(last: &Piece, end: f64, next: &Piece, word: usize, cell: &Cell) -> bool {
    let padding = (last.left - cell.left).clamp(0.0, 12.0);
    let letters = f64::from(u32::try_from(word).unwrap_or(u32::MAX));
    let room = cell.right - padding - end;
    // `06/2018`, `–` and `Present` are one period.
    let is_dash = |text: &str| text.trim_matches(['-', '–', '—', ' ']).is_empty();
    if is_dash(&next.text) || last.text.ends_with(" –") || last.text.ends_with(" -") {
        return true;
    }
    (last.left - next.left).abs() < 2.0
        && (last.size - next.size).abs() < 0.1 * last.size
        && !next.text.starts_with(['•', '–', '-', '▪', '*'])
        && room < (letters * LETTER + 0.25) * last.size
}

/// A cell that tells something is read under the cells of its row that name what it tells of.
fn tell_apart(pieces: &mut [Piece]) {
    if let Some(first) = pieces.first_mut()
        && (first.text.chars().count() > NAME_MAX || first.text.ends_with('.'))
        && first.text.split(' ').count() > 2
    {
        first.text.insert_str(0, "• ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_middle_of_a_cell_is_read_from_the_top_of_its_row() {
        let mut rules = Rules::default();
        for y in [100.0, 160.0] {
            rules.add((50.0, y), (400.0, y + 1.0));
        }
        for x in [50.0, 110.0, 400.0] {
            rules.add((x, 100.0), (x + 1.0, 160.0));
        }
        let piece = |text: &str, left: f64, baseline: f64| {
            let width = f64::from(u32::try_from(text.len()).unwrap()) * 5.0;
            Piece {
                text: text.to_owned(),
                left,
                right: left + width,
                baseline,
                size: 10.0,
                looks: BTreeMap::new(),
                bold: (None, None),
            }
        };
        let pieces = vec![
            piece("03/2015 –", 54.0, 128.0),
            piece("today", 54.0, 140.0),
            piece("Fitter", 114.0, 116.0),
            piece("Acme Pumps", 114.0, 128.0),
            piece("Under the table", 54.0, 190.0),
        ];
        let mut found: Vec<(String, f64)> = straightened(pieces, &rules)
            .into_iter()
            .map(|piece| (piece.text, piece.baseline))
            .collect();
        found.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
        let found: Vec<(&str, f64)> =
            found.iter().map(|(text, baseline)| (text.as_str(), *baseline)).collect();
        assert_eq!(
            found,
            [
                ("03/2015 – today", 116.0),
                ("Fitter", 116.0),
                ("Acme Pumps", 128.0),
                ("Under the table", 190.0),
            ]
        );
    }
}
