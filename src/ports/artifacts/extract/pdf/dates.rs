//! Columns of dates whose lines stand somewhat above or below those of their entries: each is put level with its own.

use super::lines::{PIECES_MAX, Piece};

/// Fewest dates of a column.
const DATES_MIN: usize = 2;

/// How far the edges of what stands in a column are apart, in points.
const EDGE: f64 = 1.0;

/// How far a date may stand above or below the first line of its entry, and how much that may differ within a column,
/// in type sizes.
const SHIFT_MAX: f64 = 1.0;
const SHIFT_SPREAD: f64 = 0.1;

/// Nearer below another line than this, in type sizes, a date is the rest of it.
const STEP_MAX: f64 = 1.6;

/// No further apart than this, in type sizes, lines are read as one anyway.
const LEVEL: f64 = 0.2;

/// Longest date, in characters, and most words of letters in it.
const DATE_MAX: usize = 32;
const WORDS_MAX: usize = 4;

/// Whether a text is a year or a period and nothing else: `02.2016 – 04.2020`, `since May 2019`.
pub(super) fn is_date(text: &str) -> bool {
    let is_year =
        |number: &str| number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    text.chars().count() <= DATE_MAX
        && words.count() <= WORDS_MAX
        && !text.contains(['@', ':', ',', '(', '#', '&'])
        && text.split(|c: char| !c.is_ascii_digit()).any(is_year)
}

/// The pieces of a page, dates at the left of their entries level with them.
pub(super) fn levelled(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut pieces = pieces;
    if pieces.len() > PIECES_MAX {
        return pieces;
    }
    pieces.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let mut moved = vec![0.0; pieces.len()];
    let mut seen = vec![false; pieces.len()];
    for column in columns(&pieces) {
        // Dates of one length end and begin at one edge: of the columns that hold them, the longest counts.
        if column.iter().any(|at| seen[*at]) {
            continue;
        }
        for (at, shift) in column.iter().zip(shifts(&pieces, &column).unwrap_or_default()) {
            moved[*at] = shift;
        }
        for at in column {
            seen[at] = true;
        }
    }
    for (piece, shift) in pieces.iter_mut().zip(moved) {
        piece.baseline += shift;
    }
    pieces
}

/// The dates that begin or end at one edge, from the top, the longest columns of them first.
fn columns(pieces: &[Piece]) -> Vec<Vec<usize>> {
    let mut columns: Vec<Vec<usize>> = Vec::new();
    for edge in [|piece: &Piece| piece.right, |piece: &Piece| piece.left] {
        let mut dates: Vec<usize> =
            (0..pieces.len()).filter(|at| is_date(&pieces[*at].text)).collect();
        dates.sort_by(|one, other| edge(&pieces[*one]).total_cmp(&edge(&pieces[*other])));
        let found = dates.chunk_by(|one, next| edge(&pieces[*next]) - edge(&pieces[*one]) < EDGE);
        columns.extend(found.map(<[usize]>::to_vec));
    }
    for column in &mut columns {
        column.sort_unstable();
    }
    columns.sort_by_key(|column| usize::MAX - column.len());
    columns
}

/// By how much the dates of a column stand above what they belong to; `None` if they stand level, have no entries
/// beside them, or are not all that their column holds.
fn shifts(pieces: &[Piece], column: &[usize]) -> Option<Vec<f64>> {
    let (first, last) = (*column.first()?, *column.last()?);
    let found: Option<Vec<(f64, f64)>> = column.iter().map(|at| entry(pieces, *at)).collect();
    let found = found.filter(|found| found.len() >= DATES_MIN)?;
    let (shift, x) = *found.first()?;
    let size = pieces[first].size;
    let is_alike = |(other, left): &(f64, f64)| {
        (other - shift).abs() <= SHIFT_SPREAD * size && (left - x).abs() <= EDGE
    };
    // Such as the headings of sections.
    let others = pieces[first..=last].iter().filter(|piece| piece.left < x).count();
    (found.iter().all(is_alike)
        && !column.iter().any(|at| is_rest(pieces, *at))
        && others * 2 <= column.len() * 3)
        .then(|| found.into_iter().map(|(shift, _)| shift).collect())
}

/// Whether a date goes on from the line above it: `June 2017 –` above `May 2019`, `September` above `2021`.
fn is_rest(pieces: &[Piece], at: usize) -> bool {
    let date = &pieces[at];
    let is_year = date.text.chars().all(|c| c.is_ascii_digit());
    let most = STEP_MAX * date.size;
    let mut above = pieces[..at].iter().rev().take_while(|it| date.baseline - it.baseline < most);
    above.any(|it| {
        it.left < date.right
            && (it.size - date.size).abs() < 0.06 * date.size
            && (is_year
                || it.text.contains(|c: char| c.is_ascii_digit())
                || it.text.ends_with(['-', '–', '—']))
    })
}

/// How far the nearest line right of a date is below it, and where it begins.
fn entry(pieces: &[Piece], at: usize) -> Option<(f64, f64)> {
    let date = &pieces[at];
    let most = SHIFT_MAX * date.size;
    let above = pieces[..at].iter().rev().take_while(|it| date.baseline - it.baseline < most);
    let below = pieces[at + 1..].iter().take_while(|it| it.baseline - date.baseline < most);
    let beside = above.chain(below).filter(|it| it.left > date.right);
    let shift = |it: &Piece| it.baseline - date.baseline;
    // Of two that are as near, the upper one: the date stands in the middle of them.
    let upper = |it: &Piece| if shift(it) < 0.0 { SHIFT_SPREAD * date.size } else { 0.0 };
    let far = |it: &Piece| shift(it).abs() - upper(it);
    let nearest = beside.min_by(|one, other| {
        far(one).total_cmp(&far(other)).then(one.left.total_cmp(&other.left))
    })?;
    (shift(nearest).abs() > LEVEL * date.size.min(nearest.size))
        .then_some((shift(nearest), nearest.left))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{layout::Text, lines::Looks},
        *,
    };

    fn piece(left: f64, baseline: f64, text: &str) -> Piece {
        let right = left + 4.0 * f64::from(u32::try_from(text.chars().count()).unwrap());
        Piece {
            text: text.to_owned(),
            left,
            right,
            baseline,
            size: 10.0,
            looks: Looks::new(),
            bold: (None, None),
        }
    }

    /// Entries of three lines, with dates by so much lower than their first lines.
    fn page(lower: f64, dates: [&str; 4]) -> Vec<Piece> {
        let mut pieces = vec![piece(50.0, 80.0, "Experience"), piece(50.0, 280.0, "Education")];
        for (date, top) in dates.into_iter().zip([100.0, 155.0, 300.0, 355.0]) {
            pieces.push(piece(60.0, top + lower, date));
            for (at, line) in [(0.0, "Acme Ltd"), (13.0, "Fitter"), (26.0, "• Repairs of pumps")]
            {
                pieces.push(piece(160.0, top + at, line));
            }
        }
        for (at, skill) in [(420.0, "• Welding"), (432.0, "• Lathes"), (444.0, "• Pumps")] {
            pieces.push(piece(50.0, at, skill));
            pieces.push(piece(300.0, at, "• Drills"));
        }
        pieces
    }

    const DATES: [&str; 4] =
        ["02.2016 – 04.2020", "02.2012 – 01.2016", "since May 2010", "2002 – 2008"];

    #[test]
    fn dates_above_or_below_the_first_lines_of_their_entries_stand_in_them() {
        for lower in [-9.0, -4.4, 4.4, 6.5] {
            let mut text = Text::default();
            text.add(page(lower, DATES));
            let text = text.whole();
            let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
            let entry = |date: &str| {
                let first = format!("{date}\tAcme Ltd");
                [first, "Fitter".to_owned(), "• Repairs of pumps".to_owned()]
            };
            let mut expected = vec!["Experience".to_owned()];
            expected.extend(DATES[..2].iter().flat_map(|date| entry(date)));
            expected.push("Education".to_owned());
            expected.extend(DATES[2..].iter().flat_map(|date| entry(date)));
            let skills = ["• Welding", "• Lathes", "• Pumps"];
            expected.extend(skills.map(|skill| format!("{skill}\t• Drills")));
            assert_eq!(lines, expected, "{lower}");
        }
    }

    #[test]
    fn dates_that_are_not_all_of_their_column_stay() {
        let moved = |pieces: Vec<Piece>| {
            let mut before = pieces.clone();
            before.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
            levelled(pieces) != before
        };
        assert!(moved(page(-4.4, DATES)));
        // Such as the schools of a side bar.
        let mut beside = page(-4.4, DATES);
        for top in [100.0, 155.0, 300.0, 355.0] {
            beside.extend([piece(60.0, top + 14.0, "A school"), piece(60.0, top + 26.0, "A town")]);
        }
        assert!(!moved(beside));
        // The second lines of longer ones.
        let mut second = page(-4.4, ["2011", "2012", "2013", "2014"]);
        for top in [100.0, 155.0, 300.0, 355.0] {
            second.push(piece(60.0, top - 17.0, "January 2010 until May"));
        }
        assert!(!moved(second));
        assert!(!moved(page(0.0, DATES)));
        assert!(!moved(page(-4.4, ["Acme", "Fitter", "Cook", "Baker"])));
    }
}
