//! First lines of entries in bold that are broken off at the edge of their column, put together: `Fitter at Acme Pumps,
//! Little` and `Rock, AR`.

use super::{
    dates::is_date,
    heads::{INDENT_MAX, has_room, is_under},
    lines::{PIECES_MAX, Piece},
};

/// From what size on type may be that of a name, which may have what somebody is below it, in sizes of the running text.
const NAME: f64 = 1.3;

/// Longest rest of a line, in words.
const REST_MAX: usize = 8;

/// Fewest lines that show where a column ends, and how much sooner they may end, in type sizes.
const FULL_MIN: usize = 2;
const SPACE: f64 = 0.5;

/// The pieces of a page, with such lines put together.
pub(super) fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut pieces = pieces;
    if pieces.len() > PIECES_MAX {
        return pieces;
    }
    let mut sizes: Vec<f64> = pieces.iter().map(|piece| piece.size).collect();
    sizes.sort_by(f64::total_cmp);
    let usual = sizes.get(sizes.len() / 2).copied().unwrap_or_default();
    let next = |at: usize| (0..pieces.len()).find(|next| is_under(&pieces, at, *next));
    let begun = (0..pieces.len()).filter(|at| {
        let piece = &pieces[*at];
        piece.bold.0 == Some(true) && piece.size < NAME * usual
    });
    let pairs: Vec<(usize, usize)> = begun
        .filter_map(|at| Some((at, next(at)?)))
        .filter(|(at, rest)| {
            goes_on(&pieces[*at], &pieces[*rest])
                && !has_room(&pieces, *at, *rest)
                && is_full(&pieces, *at)
                && next(*rest).is_none_or(|below| is_other(&pieces[*rest], &pieces[below]))
        })
        .collect();
    // Nothing goes on over three lines: that would be a text in bold.
    let is_begun = |at: &usize| pairs.iter().any(|(_, rest)| rest == at);
    let pairs: Vec<(usize, usize)> =
        pairs.iter().copied().filter(|(at, _)| !is_begun(at)).collect();
    for (at, rest) in &pairs {
        let rest = pieces[*rest].clone();
        let line = &mut pieces[*at];
        line.text.push(' ');
        line.text.push_str(&rest.text);
        line.looks.extend(rest.looks);
        line.bold.1 = rest.bold.1;
    }
    let mut at = 0;
    pieces.retain(|_| {
        at += 1;
        !pairs.iter().any(|(_, rest)| *rest == at - 1)
    });
    pieces
}

/// Whether other lines that begin where one does, and are no headings of its kind, end no sooner: else nothing tells
/// where the column does.
fn is_full(pieces: &[Piece], line: usize) -> bool {
    let line = &pieces[line];
    let is_as_long = |other: &&Piece| {
        (-1.0..INDENT_MAX).contains(&(other.left - line.left))
            && other.bold.1 != Some(true)
            && other.right > line.right - SPACE * line.size
    };
    pieces.iter().filter(is_as_long).count() >= FULL_MIN
}

/// Whether the weight of a line goes on in the next one, and the text may, too.
fn goes_on(line: &Piece, rest: &Piece) -> bool {
    let is_loud = |text: &str| !text.contains(char::is_lowercase);
    line.bold.1 == Some(true)
        && rest.bold.0 == Some(true)
        && is_loud(&line.text) == is_loud(&rest.text)
        && rest.text.split_whitespace().count() <= REST_MAX
        && rest.text.starts_with(char::is_alphanumeric)
        && line.text.starts_with(char::is_alphanumeric)
        && !line.text.ends_with(['.', ':', '-'])
        && !is_date(&rest.text)
        && !is_date(&line.text)
}

/// Whether what stands below the rest of a line is no further rest: a date, an item, or in other type.
fn is_other(rest: &Piece, below: &Piece) -> bool {
    let is_unlike = || {
        let mut both = rest.looks.iter().filter_map(|(c, look)| Some((look, below.looks.get(c)?)));
        both.any(|(one, other)| one != other)
    };
    is_date(&below.text)
        || !below.text.starts_with(char::is_alphanumeric)
        || below.bold.0 != rest.bold.1
        || is_unlike()
}

#[cfg(test)]
mod tests {
    use super::{super::lines::Looks, *};

    fn piece(text: &str, right: f64, baseline: f64, is_bold: bool) -> Piece {
        let (text, looks, bold) = (text.to_owned(), Looks::new(), (Some(is_bold), Some(is_bold)));
        Piece { text, left: 50.0, right, baseline, size: 10.0, looks, bold }
    }

    fn read(lines: &[(&str, f64, bool)]) -> Vec<String> {
        let lines = (0_u32..).zip(lines);
        let pieces = lines.map(|(at, (text, right, is_bold))| {
            piece(text, *right, 100.0 + 14.0 * f64::from(at), *is_bold)
        });
        joined(pieces.collect()).into_iter().map(|piece| piece.text).collect()
    }

    const ENTRY: [(&str, f64, bool); 5] = [
        ("Fitter of Pumps at Acme Works, Little", 290.0, true),
        ("Rock, AR", 100.0, true),
        ("2011 – 2015", 110.0, false),
        ("• Repaired all of the pumps of the works,", 296.0, false),
        ("• and those of the ships in the port there", 298.0, false),
    ];

    #[test]
    fn a_line_in_bold_that_is_broken_off_at_the_edge_is_put_together() {
        assert_eq!(read(&ENTRY)[0], "Fitter of Pumps at Acme Works, Little Rock, AR");
    }

    #[test]
    fn lines_in_bold_stay_apart_where_nothing_tells_that_one_is_broken_off() {
        // There was room, no other line tells where the column ends, and the second is in other type.
        for (at, line) in [
            (0, ("Fitter of Pumps", 150.0, true)),
            (4, ("• and others", 120.0, false)),
            (1, ("Rock, AR", 100.0, false)),
        ] {
            let mut lines = ENTRY;
            lines[at] = line;
            assert_eq!(read(&lines).len(), lines.len());
        }
    }
}
