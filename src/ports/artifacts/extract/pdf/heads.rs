//! Lines in larger type that are broken off at the edge of their column, put together: `Smallville High School, Smallville
//! – Teacher of` and `Mathematics`. The rest alone would stand like a heading.

use std::collections::BTreeSet;

use super::lines::{PIECES_MAX, Piece};

/// Type from this size on, in sizes of the running text, is larger.
const LARGER: f64 = 1.06;

/// Shorter lines are headings, which stand above others of their size, in characters.
const LINE_MIN: usize = 48;

/// Longest rest of a line, in words.
const REST_MAX: usize = 3;

/// How far the lines of a column may be indented, in points.
pub(super) const INDENT_MAX: f64 = 24.0;

/// Furthest apart that two lines of a paragraph are, and a space between two words, in type sizes.
const STEP_MAX: f64 = 1.6;
const SPACE: f64 = 0.2;

/// The pieces of a page, with such lines put together; `usual` is the size of the running text.
pub(super) fn unbroken(pieces: Vec<Piece>, usual: f64) -> Vec<Piece> {
    let mut pieces = pieces;
    if pieces.len() > PIECES_MAX {
        return pieces;
    }
    let larger: Vec<usize> =
        (0..pieces.len()).filter(|at| pieces[*at].size >= usual * LARGER).collect();
    let pairs: Vec<(usize, usize)> = larger
        .iter()
        .filter_map(|at| Some((*at, *larger.iter().find(|next| is_under(&pieces, *at, **next))?)))
        .collect();
    // Where a line with room at its end has another one below it, both are lines of their own.
    let of_two = |size: f64| {
        let of_size = |(at, _): &&(usize, usize)| is_size(pieces[*at].size, size);
        pairs.iter().filter(of_size).any(|(at, next)| has_room(&pieces, *at, *next))
    };
    let mut broken: Vec<(usize, usize)> = pairs
        .iter()
        .copied()
        .filter(|(at, next)| {
            pieces[*at].text.chars().count() > LINE_MIN
                && pieces[*next].text.split_whitespace().count() <= REST_MAX
                && !of_two(pieces[*at].size)
        })
        .collect();
    // From the bottom up: the rest of a line may go on in a third one.
    broken
        .sort_by(|(one, _), (other, _)| pieces[*other].baseline.total_cmp(&pieces[*one].baseline));
    for (at, next) in &broken {
        let rest = pieces[*next].text.clone();
        let space = if pieces[*at].text.ends_with('-') { "" } else { " " };
        pieces[*at].text.push_str(space);
        pieces[*at].text.push_str(&rest);
    }
    let mut at = 0;
    pieces.retain(|_| {
        at += 1;
        !broken.iter().any(|(_, rest)| *rest == at - 1)
    });
    pieces
}

fn is_size(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.02 * one
}

/// Whether a piece is the next line of another in its column, both alone in their lines.
pub(super) fn is_under(pieces: &[Piece], at: usize, next: usize) -> bool {
    let (one, other) = (&pieces[at], &pieces[next]);
    let step = other.baseline - one.baseline;
    let is_alone = |piece: &Piece| {
        let is_beside = |it: &&Piece| {
            (it.baseline - piece.baseline).abs() < 1.0
                && it.left > piece.left + 0.1
                && it.left < edge(pieces, piece)
        };
        !pieces.iter().any(|it| is_beside(&it))
    };
    is_size(one.size, other.size)
        && (one.left - other.left).abs() < 1.0
        && step > 0.5 * one.size
        && step < STEP_MAX * one.size
        && is_alone(one)
        && is_alone(other)
}

/// Whether the first word of the next line would have fitted into a line.
pub(super) fn has_room(pieces: &[Piece], at: usize, next: usize) -> bool {
    let (line, rest) = (&pieces[at], &pieces[next]);
    line.right + SPACE * line.size + rest.first_word() <= edge(pieces, line)
}

/// Where the longest line ends that begins where a piece does.
fn edge(pieces: &[Piece], piece: &Piece) -> f64 {
    let is_in_column = |other: &&Piece| (-1.0..INDENT_MAX).contains(&(other.left - piece.left));
    let rights = pieces.iter().filter(is_in_column).map(|other| other.right);
    rights.fold(piece.right, f64::max)
}

/// Fewest headings of a column that show that others of their type are, too.
const ALONE_MIN: usize = 2;

/// How far from the same height what stands beside a heading by chance is at least, in points.
const CHANCE: f64 = 0.05;

/// How many times as many headings as others in the same column and type show that these have something at exactly their
/// height by chance, too.
const MOST: usize = 3;

/// The marks of headings with those of headings in the same column and type that have something of another column at
/// their height; `short` are the marks of all that could be headings.
pub(super) fn with_level(
    pieces: &[Piece],
    short: &[Option<usize>],
    mut marks: Vec<Option<usize>>,
) -> Vec<Option<usize>> {
    let could: Vec<usize> = (0..pieces.len()).filter(|at| short[*at].is_some()).collect();
    // How many like a piece have a mark, and how many have none.
    let like = |at: usize, marks: &[Option<usize>]| {
        let is_like = |other: &&usize| {
            (pieces[**other].left - pieces[at].left).abs() < 1.0
                && is_size(pieces[**other].size, pieces[at].size)
        };
        let all = could.iter().filter(is_like).count();
        let marked = could.iter().filter(is_like).filter(|at| marks[**at].is_some()).count();
        (marked, all - marked)
    };
    let alone = marks.clone();
    let is_free = |at: usize| like(at, &alone).0 >= ALONE_MIN && !goes_on(pieces, &pieces[at]);
    let without = could.iter().copied().filter(|at| alone[*at].is_none() && is_free(*at));
    let (level, near): (Vec<usize>, Vec<usize>) = without.partition(|at| is_level(pieces, *at));
    for at in near {
        marks[at] = short[at];
    }
    let near = marks.clone();
    for at in level {
        let (marked, others) = like(at, &near);
        if marked >= MOST * others {
            marks[at] = short[at];
        }
    }
    marks
}

/// Whether something stands beside a piece at exactly its height.
fn is_level(pieces: &[Piece], at: usize) -> bool {
    let is_beside = |other: &Piece| {
        (other.baseline - pieces[at].baseline).abs() < CHANCE
            && (other.left - pieces[at].left).abs() > CHANCE
    };
    pieces.iter().any(is_beside)
}

/// Whether a piece is a further line of what stands above it.
fn goes_on(pieces: &[Piece], piece: &Piece) -> bool {
    let is_above = |other: &Piece| {
        (other.left - piece.left).abs() < 1.0
            && is_size(other.size, piece.size)
            && other.baseline < piece.baseline
            && piece.baseline - other.baseline < STEP_MAX * piece.size
    };
    piece.text.starts_with(char::is_lowercase) && pieces.iter().any(is_above)
}

/// Fewest headings in capitals that show that all headings are.
const CAPITALS_MIN: usize = 2;

/// Fewest lines without capitals under one heading with them that show that these are entries of its section: one alone
/// may be the heading of the next.
const ENTRIES_MIN: usize = 2;

/// The marks of headings without those of first lines of entries, which have the same type but no capitals. That they are
/// no headings is told by others among them that have no mark, such as those too long for one, or by several under one
/// heading.
pub(super) fn without_entries(
    pieces: &[Piece],
    ranks: &[Option<usize>],
    mut marks: Vec<Option<usize>>,
) -> Vec<Option<usize>> {
    let is_loud = |at: &usize| {
        let text = &pieces[*at].text;
        text.contains(char::is_alphabetic) && !text.contains(char::is_lowercase)
    };
    let found: BTreeSet<usize> = marks.iter().flatten().copied().collect();
    for rank in found {
        let with_rank = (0..pieces.len()).filter(|at| ranks[*at] == Some(rank));
        let (loud, quiet): (Vec<usize>, Vec<usize>) = with_rank.partition(is_loud);
        let loud: Vec<usize> = loud.into_iter().filter(|at| marks[*at].is_some()).collect();
        if loud.len() < CAPITALS_MIN {
            continue;
        }
        let is_beneath = |at: &usize| loud.iter().any(|head| is_same_column(pieces, *head, *at));
        let quiet: Vec<usize> = quiet.into_iter().filter(is_beneath).collect();
        let are_entries = quiet.iter().any(|at| marks[*at].is_none());
        let entries = if are_entries { quiet } else { under_one(pieces, &loud, &quiet) };
        for at in entries {
            marks[at] = None;
        }
    }
    marks
}

fn is_same_column(pieces: &[Piece], one: usize, other: usize) -> bool {
    (pieces[one].left - pieces[other].left).abs() <= INDENT_MAX
}

/// Those of the lines that stand below headings of their column; none where no heading has several of them before the
/// next one.
fn under_one(pieces: &[Piece], headings: &[usize], lines: &[usize]) -> Vec<usize> {
    let nearest = |line: usize| {
        let is_above = |head: &&usize| {
            is_same_column(pieces, **head, line) && pieces[**head].baseline < pieces[line].baseline
        };
        let above = headings.iter().filter(is_above);
        above.max_by(|one, other| pieces[**one].baseline.total_cmp(&pieces[**other].baseline))
    };
    let (under, heads): (Vec<usize>, Vec<usize>) =
        lines.iter().filter_map(|line| Some((*line, *nearest(*line)?))).unzip();
    let count = |head: &usize| heads.iter().filter(|other| *other == head).count();
    if heads.iter().any(|head| count(head) >= ENTRIES_MIN) { under } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn piece(text: &str, baseline: f64, size: f64) -> Piece {
        let width = f64::from(u32::try_from(text.len()).unwrap()) * size * 0.5;
        let (text, left, looks) = (text.to_owned(), 50.0, BTreeMap::new());
        Piece { text, left, right: left + width, baseline, size, looks, bold: (None, None) }
    }

    fn texts(lines: &[(&str, f64)]) -> Vec<String> {
        let lines = (1_u32..).zip(lines);
        let pieces = lines.map(|(at, (text, size))| piece(text, f64::from(at) * 14.0, *size));
        unbroken(pieces.collect(), 10.0).into_iter().map(|piece| piece.text).collect()
    }

    const LONG: &str = "Smallville and Bigtown High School, Smallville – Teacher of";
    const ITEM: &str = "What is said of the work, in a line that ends where the column does, too.";

    #[test]
    fn a_line_that_is_broken_at_the_edge_is_put_together() {
        let said = texts(&[(LONG, 12.0), ("Mathematics", 12.0), (ITEM, 10.0)]);
        assert_eq!(said, [format!("{LONG} Mathematics"), ITEM.to_owned()]);
    }

    #[test]
    fn lines_that_always_have_another_below_them_stay_apart() {
        let lines =
            [(LONG, 12.0), ("Teacher", 12.0), (ITEM, 10.0), ("Acme Ltd", 12.0), ("Fitter", 12.0)];
        assert_eq!(texts(&lines), lines.map(|(text, _)| text));
    }

    #[test]
    fn nothing_of_a_line_over_three_is_lost() {
        let long = "Smallville High School for Arts and Sciences, Smallville";
        let lines =
            [(long, 100.0), ("Extraordinary-Responsibilities Mathematics-and-Physics", 114.0)];
        let mut pieces: Vec<Piece> =
            lines.into_iter().map(|(text, baseline)| piece(text, baseline, 12.0)).collect();
        pieces.push(piece("Teacher", 128.0, 12.0));
        let read = unbroken(pieces, 10.0);
        assert!(read.iter().any(|piece| piece.text.ends_with("Teacher")), "{read:?}");
    }

    #[test]
    fn first_lines_of_entries_in_the_type_of_headings_are_none_where_headings_have_capitals() {
        let marks = |texts: [&str; 4]| {
            let pieces: Vec<Piece> =
                (1_u32..).zip(texts).map(|(at, text)| piece(text, f64::from(at), 11.0)).collect();
            let short = |text: &str| (text.len() < 40).then_some(6);
            let marks = texts.map(short).to_vec();
            without_entries(&pieces, &[Some(6); 4], marks).iter().flatten().count()
        };
        let long = "Nurse of Anaesthesia, The Animal Hospital of Smallville";
        assert_eq!(marks(["EMPLOYMENT", "Nurse, Acme Vets", long, "EDUCATION"]), 2);
        // All have marks.
        assert_eq!(marks(["EMPLOYMENT", "Nurse, Acme Vets", "Cook, Emca Ltd", "EDUCATION"]), 2);
        assert_eq!(marks(["EMPLOYMENT", "EDUCATION", "Nurse, Acme Vets", "Cook, Emca Ltd"]), 2);
        // Headings of sections, and what somebody is, above them.
        assert_eq!(marks(["EMPLOYMENT", "Other work", "EDUCATION", "Interests"]), 4);
        assert_eq!(marks(["A nurse", "of animals", "EMPLOYMENT", "EDUCATION"]), 4);
        assert_eq!(marks(["Employment", "Nurse, Acme Vets", long, "EDUCATION"]), 3);
    }

    #[test]
    fn headings_with_something_of_another_column_at_their_height_are_headings() {
        let marks = |lower: f64, count: usize| {
            let top = |at: usize| 100.0 + 40.0 * f64::from(u32::try_from(at).unwrap());
            let mut pieces: Vec<Piece> =
                (0..count).map(|at| piece("TOOLS", top(at), 11.0)).collect();
            pieces.push(Piece { left: 300.0, ..piece("Fitting of pumps", 100.0 + lower, 10.0) });
            let mut marks = vec![Some(6); count];
            marks.push(None);
            let short = marks.clone();
            marks[0] = None;
            with_level(&pieces, &short, marks)[0]
        };
        assert_eq!(marks(0.7, 3), Some(6));
        assert_eq!(marks(0.0, 3), None);
        assert_eq!(marks(0.0, 4), Some(6));
    }

    #[test]
    fn a_further_line_of_larger_type_is_no_heading() {
        let pieces = [
            piece("Skills", 60.0, 11.0),
            piece("Trainee", 100.0, 11.0),
            piece("of Acme Pumps", 114.0, 11.0),
            piece("Tools", 150.0, 11.0),
        ];
        let marks = vec![Some(6), None, None, Some(6)];
        assert_eq!(with_level(&pieces, &[Some(6); 4], marks)[1..3], [Some(6), None]);
    }
}
