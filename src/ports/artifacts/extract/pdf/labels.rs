//! Columns of dates or headings beside what they stand for: what takes several lines there is put into the first.

use std::collections::BTreeMap;

use super::{
    blocks,
    lines::{PIECES_MAX, Piece},
    marks::{is_grade, without_mark},
    rules::key,
};

/// Widest column of labels, as a share of all columns.
const WIDTH_MAX: f64 = 0.36;

/// Most lines of a label.
const LINES_MAX: usize = 5;

/// Furthest apart that two lines of a label are, in type sizes.
const STEP_MAX: f64 = 1.7;
const STEP_BESIDE_ITEM: f64 = 1.45;

/// Fewest labels of a column.
const LABELS_MIN: usize = 2;

/// From what size on type is that of a name, in sizes of the labels below it.
const TITLE: f64 = 1.3;

/// Fewest headings beside their sections.
const HEADINGS_MIN: usize = 3;

/// How much higher or lower a label may be than its row, and how much that may differ, in type sizes.
const SHIFT_MAX: f64 = 0.9;
const SHIFT_SPREAD: f64 = 0.3;

/// Labels that are no higher or lower than this stand level.
const SHIFT_LEVEL: f64 = 0.05;

/// Positions at which a column may begin that are looked at.
const CANDIDATES_MAX: usize = 24;

/// Rows in which labels of several lines are one piece each, in the row of their first line.
pub(super) fn joined(rows: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let mut rows = rows;
    if rows.iter().map(Vec::len).sum::<usize>() > PIECES_MAX {
        return rows;
    }
    for x in starts(&rows) {
        let mut from = 0;
        while from < rows.len() {
            let crossed = |row: &Vec<Piece>| crosses(row, x);
            let length = rows[from..].iter().position(crossed).unwrap_or(rows.len() - from);
            let above = join(&mut rows[from..from + length], x);
            let count = above.len();
            for (row, piece) in above.into_iter().rev() {
                rows.insert(from + row, vec![piece]);
            }
            from += count;
            from += length + 1;
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
}

/// Where the pieces of several rows begin, most of them first.
pub(super) fn starts(rows: &[Vec<Piece>]) -> Vec<f64> {
    let mut lefts: Vec<f64> = rows.iter().flatten().map(|piece| piece.left).collect();
    lefts.sort_by(f64::total_cmp);
    let mut starts: Vec<(usize, f64)> = Vec::new();
    for left in lefts {
        match starts.last_mut() {
            Some((count, x)) if left - *x <= 2.0 => *count += 1,
            _ => starts.push((1, left)),
        }
    }
    starts.retain(|(count, _)| *count >= LABELS_MIN);
    starts.sort_by_key(|(count, _)| usize::MAX - count);
    starts.into_iter().take(CANDIDATES_MAX).map(|(_, x)| x - 1.0).collect()
}

fn crosses(row: &[Piece], x: f64) -> bool {
    row.iter().any(|piece| piece.left < x && piece.right > x - 1.0)
}

/// Joins the labels left of `x`. What comes back are rows of their own, by the row that they stand above: a name above
/// the labels, and labels that are headings.
fn join(rows: &mut [Vec<Piece>], x: f64) -> Vec<(usize, Piece)> {
    let mut above = Vec::new();
    let labels = match labels(rows, x) {
        Some(labels) => labels,
        None => match below_title(rows, x) {
            Some((labels, title)) => {
                above.push((0, title));
                labels
            }
            None => return above,
        },
    };
    let is_heading = |label: &Label| {
        let first = label.lines.first().map(|(row, at)| &rows[*row][*at]);
        first.is_some_and(|piece| piece.text.starts_with('#'))
    };
    let are_headings = labels.len() >= HEADINGS_MIN && labels.iter().all(is_heading);
    for label in labels {
        let Some((row, at)) = label.lines.first() else { continue };
        let mut whole = rows[*row][*at].clone();
        for (row, at) in &label.lines[1..] {
            let line = &rows[*row][*at];
            if is_hyphenated(&whole.text) && line.text.starts_with(char::is_lowercase) {
                whole.text.pop();
            } else {
                whole.text.push(' ');
            }
            whole.text.push_str(without_mark(&line.text));
            whole.right = whole.right.max(line.right);
        }
        // Emptied, so that the places of the other lines stay what they are.
        for (row, at) in &label.lines {
            rows[*row][*at].text.clear();
        }
        let row = &mut rows[label.row];
        if let Some(section) = row.iter().find(|piece| piece.left >= x).filter(|_| are_headings) {
            let width = whole.right - whole.left;
            let (left, right) = (section.left, section.left + width);
            let baseline = section.baseline - whole.size;
            above.push((label.row, Piece { left, right, baseline, ..whole }));
            continue;
        }
        whole.baseline = row.last().map_or(whole.baseline, |piece| piece.baseline);
        row.push(whole);
    }
    for row in rows {
        row.retain(|piece| !piece.text.is_empty());
        row.sort_by(|one, other| one.left.total_cmp(&other.left));
    }
    above
}

/// The labels below a name in larger type that stands in their column, and the name, which is taken out of the rows.
fn below_title(rows: &mut [Vec<Piece>], x: f64) -> Option<(Vec<Label>, Piece)> {
    let places = title(rows, x)?;
    let before = rows.to_vec();
    let mut lines = places.into_iter().map(|(row, at)| rows[row].remove(at));
    let mut whole = lines.next()?;
    for line in lines {
        whole.text.push(' ');
        whole.text.push_str(without_mark(&line.text));
        whole.right = whole.right.max(line.right);
    }
    let labels = labels(rows, x);
    if labels.is_none() {
        rows.clone_from_slice(&before);
    }
    Some((labels?, whole))
}

/// Where the lines of a name stand above the labels left of `x`: in larger type than all of these.
fn title(rows: &[Vec<Piece>], x: f64) -> Option<Vec<(usize, usize)>> {
    let left = rows.iter().enumerate().flat_map(|(row, pieces)| {
        let pieces = pieces.iter().enumerate().filter(|(_, piece)| piece.left < x);
        pieces.map(move |(at, piece)| (row, at, piece))
    });
    let left: Vec<(usize, usize, &Piece)> = left.collect();
    let size = left.first()?.2.size;
    let is_large = |piece: &Piece| (piece.size - size).abs() < 0.02 * size;
    let count = left.iter().take_while(|(.., piece)| is_large(piece)).count();
    let (lines, below) = left.split_at(count);
    let is_name = |text: &str| {
        let text = without_mark(text);
        text.chars().all(|c| c.is_alphabetic() || " .'’-".contains(c))
    };
    let fits = count <= LINES_MAX
        && !below.is_empty()
        && below.iter().all(|(.., piece)| piece.size * TITLE < size)
        && lines.iter().all(|(.., piece)| is_name(&piece.text))
        && lines.windows(2).all(|pair| is_under(pair[0].2, pair[1].2, STEP_MAX));
    fits.then(|| lines.iter().map(|(row, at, _)| (*row, *at)).collect())
}

/// `Sales-` rather than `09/2017 -`.
fn is_hyphenated(text: &str) -> bool {
    text.strip_suffix('-').is_some_and(|text| text.ends_with(char::is_alphabetic))
}

/// The lines of a label, by row and place, and the row that it belongs to.
struct Label {
    row: usize,
    lines: Vec<(usize, usize)>,
}

/// How much higher than the right side a label stands, in type sizes, and how large the type is there.
type Shift = (f64, f64);

/// The labels left of `x`; `None` if the left side holds anything else: labels stand level with what they are labels
/// of, or all of them as much higher or lower.
fn labels(rows: &[Vec<Piece>], x: f64) -> Option<Vec<Label>> {
    let (left, right): (Vec<&Piece>, Vec<&Piece>) =
        rows.iter().flatten().partition(|piece| piece.left < x);
    let begin = left.iter().map(|piece| piece.left).reduce(f64::min)?;
    let end = right.iter().map(|piece| piece.right).reduce(f64::max)?;
    let length = |pieces: &[&Piece]| pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
    if x - begin > (end - begin) * WIDTH_MAX
        || length(&right) < 2 * length(&left)
        || left.iter().any(|piece| is_mark(piece))
    {
        return None;
    }
    let begins = blocks::begins(rows, x);
    let wrapped = blocks::wrapped(rows, x, &begins);
    let (labels, shifts) = grouped(rows, x, &wrapped);
    let fits = labels.iter().all(|label| label.lines.len() <= LINES_MAX);
    let tells = labels.iter().any(|label| {
        label.lines.len() > 1 || label.lines.first().is_some_and(|(row, _)| *row != label.row)
    });
    let begin_blocks = labels.iter().all(|label| begins[label.row]);
    (fits && tells && is_column(&shifts, begin_blocks)).then_some(labels)
}

/// The lines left of `x` by labels, and how the labels stand beside the right side; `wrapped` are the rows with a
/// further line of a label beside the right side.
fn grouped(rows: &[Vec<Piece>], x: f64, wrapped: &[bool]) -> (Vec<Label>, Vec<Shift>) {
    let mut labels: Vec<Label> = Vec::new();
    let mut shifts: Vec<Shift> = Vec::new();
    for (row, pieces) in rows.iter().enumerate() {
        let right = pieces.iter().find(|piece| piece.left >= x);
        let lefts: Vec<usize> = (0..pieces.len()).filter(|at| pieces[*at].left < x).collect();
        for at in &lefts {
            let piece = &pieces[*at];
            // No label stands beside an item in the middle of a list.
            let beside_item = right.is_some_and(is_mark) || wrapped[row];
            let step = if right.is_some() { STEP_BESIDE_ITEM } else { STEP_MAX };
            let goes_on = |label: &&mut Label| {
                let last = label.lines.last().map(|(row, at)| &rows[*row][*at]);
                last.is_some_and(|last| is_under(last, piece, step) && !heads(last, piece))
            };
            let above = labels.iter_mut().rev().take(2).find(goes_on);
            let is_free = (right.is_none() || beside_item) && lefts.len() == 1;
            if let Some(label) = above.filter(|_| is_free) {
                label.lines.push((row, *at));
                // It stands level as well as a label would.
                shifts.extend(right.filter(|_| wrapped[row]).map(|right| (0.0, right.size)));
                continue;
            }
            let nearest = match right {
                Some(right) => Some((row, 0.0, right.size)),
                None => nearest(rows, row, x),
            };
            let nearest = nearest.filter(|(_, shift, _)| shift.abs() < SHIFT_MAX * piece.size);
            shifts.extend(nearest.map(|(_, shift, size)| (shift / piece.size, size)));
            let row_of = nearest.map_or(row, |(row, ..)| row);
            labels.push(Label { row: row_of, lines: vec![(row, *at)] });
        }
    }
    (labels, shifts)
}

/// Whether labels stand beside the right side as labels do: most of them within a narrow range. Those that begin blocks
/// may stand otherwise beside blocks that begin in other type.
fn is_column(shifts: &[Shift], begin_blocks: bool) -> bool {
    let level = shifts.iter().filter(|(shift, _)| shift.abs() <= SHIFT_LEVEL).count();
    let is_enough = |alike: usize| {
        let enough = if level == alike { LABELS_MIN } else { 2 * LABELS_MIN };
        alike >= enough && alike * 10 >= shifts.len() * 9
    };
    let mut by_size: BTreeMap<i32, Vec<f64>> = BTreeMap::new();
    for (shift, size) in shifts {
        by_size.entry(key(*size * 10.0)).or_default().push(*shift);
    }
    let groups = by_size.values().map(|shifts| alike(shifts)).filter(|count| *count >= LABELS_MIN);
    let all: Vec<f64> = shifts.iter().map(|(shift, _)| *shift).collect();
    is_enough(alike(&all)) || begin_blocks && is_enough(groups.sum())
}

/// How many are within a narrow range.
fn alike(shifts: &[f64]) -> usize {
    let within = |from: f64| {
        shifts.iter().filter(|shift| (from..=from + SHIFT_SPREAD).contains(*shift)).count()
    };
    shifts.iter().map(|from| within(*from)).max().unwrap_or_default()
}

/// A bullet, or an item of a list.
fn is_mark(piece: &Piece) -> bool {
    piece.text.starts_with(['•', '▪', '◦', '●', '‣', '○', '■', '–', '—', '-', '*'])
        && !is_grade(&piece.text)
}

/// `EXPERIENCE` above `2019 – 2021`: a heading that stands in the column of the periods.
fn heads(above: &Piece, piece: &Piece) -> bool {
    let letters = above.text.chars().filter(|c| c.is_alphabetic());
    letters.clone().count() > 5
        && !letters.clone().any(char::is_lowercase)
        && !above.text.ends_with(['-', '–', '—'])
        && piece.text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_under(above: &Piece, piece: &Piece, most: f64) -> bool {
    let step = (piece.baseline - above.baseline) / piece.size.max(1.0);
    let aligned = (above.left - piece.left).abs() < 2.0 || (above.right - piece.right).abs() < 2.0;
    aligned && step < most && (above.size - piece.size).abs() < 0.1 * piece.size
}

/// The next row with something right of `x`, how much higher or lower it is, and how large its type is.
fn nearest(rows: &[Vec<Piece>], row: usize, x: f64) -> Option<(usize, f64, f64)> {
    let baseline = rows[row].first()?.baseline;
    let right =
        rows.iter().enumerate().flat_map(|(at, row)| row.iter().map(move |piece| (at, piece)));
    right
        .filter(|(_, piece)| piece.left >= x)
        .map(|(at, piece)| (at, piece.baseline - baseline, piece.size))
        .min_by(|(_, one, _), (_, other, _)| one.abs().total_cmp(&other.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, left: f64, baseline: f64) -> Piece {
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
    }

    fn read(pieces: &[(&str, f64, f64)]) -> Vec<String> {
        let mut rows: Vec<Vec<Piece>> = Vec::new();
        for (text, left, baseline) in pieces {
            let piece = piece(text, *left, *baseline);
            match rows.last_mut() {
                Some(row) if (row[0].baseline - piece.baseline).abs() < 1.0 => row.push(piece),
                _ => rows.push(vec![piece]),
            }
        }
        let texts = |row: Vec<Piece>| {
            row.into_iter().map(|piece| piece.text).collect::<Vec<_>>().join(" | ")
        };
        joined(rows).into_iter().map(texts).collect()
    }

    #[test]
    fn a_label_of_two_lines_stands_in_the_row_of_its_first() {
        let found = read(&[
            ("May 2015 –", 50.0, 100.0),
            ("Foreman of the night shift at the works", 150.0, 100.0),
            ("June 2019", 50.0, 112.0),
            ("Acme Pumps and Valves, Smallville", 150.0, 118.0),
            ("2011 – 2015", 50.0, 160.0),
            ("Fitter in the repair shop of the port", 150.0, 160.0),
            ("Harbour Tools, Largeville", 150.0, 178.0),
        ]);
        assert_eq!(
            found,
            [
                "May 2015 – June 2019 | Foreman of the night shift at the works",
                "Acme Pumps and Valves, Smallville",
                "2011 – 2015 | Fitter in the repair shop of the port",
                "Harbour Tools, Largeville",
            ]
        );
    }

    #[test]
    fn a_side_bar_is_no_column_of_labels() {
        let pieces = [
            ("Skills", 50.0, 100.0),
            ("Foreman of the night shift at the works", 150.0, 103.0),
            ("• Rust", 50.0, 112.0),
            ("Acme Pumps and Valves, Smallville", 150.0, 117.0),
            ("• Go", 50.0, 124.0),
            ("Fitter in the repair shop of the port", 150.0, 131.0),
        ];
        assert_eq!(read(&pieces), pieces.map(|(text, ..)| text.to_owned()));
    }

    #[test]
    fn a_label_goes_on_beside_the_middle_of_its_block_where_it_had_no_room() {
        let found = |second: &str| {
            read(&[
                ("SUMMARY", 50.0, 100.0),
                ("Fitter of pumps and valves in three works", 130.0, 100.0),
                ("and of the looms of two mills", 130.0, 112.0),
                ("ACADEMIC", 50.0, 136.0),
                ("Smallville College of Engineering", 130.0, 136.0),
                (second, 50.0, 148.0),
                ("Certificate in Hydraulics of Pumps", 130.0, 148.0),
                ("HOBBIES", 50.0, 172.0),
                ("Chess, cards, and the repair of clocks", 130.0, 172.0),
            ])
        };
        assert_eq!(
            found("BACKGROUND")[2],
            "ACADEMIC BACKGROUND | Smallville College of Engineering"
        );
        // There was room, and a label in the middle of a block shows that all may be.
        assert_eq!(found("CV")[2], "ACADEMIC | Smallville College of Engineering");
    }

    #[test]
    fn headings_beside_their_sections_stand_above_them_below_a_name_of_two_lines() {
        let mut rows = vec![vec![piece("London", 140.0, 98.0)]];
        for (text, baseline) in [("# Ada", 100.0), ("Byron", 120.0)] {
            rows.push(vec![Piece { size: 20.0, ..piece(text, 50.0, baseline) }]);
        }
        rows.insert(2, vec![piece("ada@example.org", 140.0, 112.0)]);
        for (heading, top) in [("Work", 160.0), ("Further", 200.0), ("Hobbies", 240.0)] {
            let heading = piece(&format!("###### {heading}"), 50.0, top);
            rows.push(vec![heading, piece("Fitter of pumps and of valves", 140.0, top)]);
            rows.push(vec![piece("in all of the works of the old town", 140.0, top + 12.0)]);
        }
        rows.insert(8, vec![piece("###### training", 50.0, 215.0)]);
        let rows = joined(rows).into_iter();
        let found: Vec<String> = rows
            .map(|row| row.into_iter().map(|piece| piece.text).collect::<Vec<_>>().join(" | "))
            .collect();
        assert_eq!(
            found[..5],
            [
                "# Ada Byron",
                "London",
                "ada@example.org",
                "###### Work",
                "Fitter of pumps and of valves"
            ]
        );
        assert_eq!(found[6], "###### Further training");
    }

    #[test]
    fn labels_that_begin_blocks_may_stand_otherwise_beside_other_type() {
        let block = |label: &str, top: f64, lower: f64| {
            let first = Piece { size: 10.0 + lower / 3.0, ..piece("Acme", 150.0, top + lower) };
            vec![
                vec![piece(label, 50.0, top)],
                vec![first],
                vec![piece("Pumps and valves for all of the works", 150.0, top + lower + 12.0)],
            ]
        };
        let mut rows = vec![vec![piece("Profile", 50.0, 70.0), piece("Fitter", 150.0, 70.0)]];
        rows.push(vec![piece("Skills", 50.0, 100.0), piece("Looms", 150.0, 100.0)]);
        rows.extend(block("Work", 130.0, 5.0));
        rows.extend(block("Schools", 190.0, 5.0));
        let texts: Vec<usize> = joined(rows).iter().map(Vec::len).collect();
        assert_eq!(texts, [2, 2, 2, 1, 2, 1]);
    }

    #[test]
    fn a_dash_at_the_end_of_a_line_of_a_period_is_kept() {
        let found = read(&[
            ("05/2015 -", 50.0, 100.0),
            ("Foreman of the night shift at the works", 150.0, 100.0),
            ("today", 50.0, 112.0),
            ("Acme Pumps and Valves, Smallville", 150.0, 118.0),
            ("2011 - 2015", 50.0, 160.0),
            ("Fitter in the repair shop of the port", 150.0, 160.0),
        ]);
        assert_eq!(found[0], "05/2015 - today | Foreman of the night shift at the works");
    }

    #[test]
    fn labels_of_a_table_that_fill_their_column_are_one_each() {
        let table = [
            ("Languages used", 50.0, 100.0),
            ("Rust, and what else a works needs", 130.0, 100.0),
            ("Systems in use", 50.0, 112.0),
            ("Debian, and what else a works needs", 130.0, 112.0),
            ("Stores in use", 50.0, 124.0),
            ("Shelves, and what else a works needs", 130.0, 124.0),
        ];
        assert_eq!(read(&table)[1], "Systems in use | Debian, and what else a works needs");
    }
}
