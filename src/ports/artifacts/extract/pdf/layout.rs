//! The order in which the pieces of a page are read: columns by the white space between them, everything else line by
//! line.

use super::{
    addresses, breaks, dates, heads, kinds, labels,
    lines::{PIECES_MAX, Piece},
    marks::{begins_item, is_bullet, without_mark},
    stacks::stacked,
    wraps::unwrapped,
};

/// The text of a document as it grows.
#[derive(Debug, Default)]
pub(super) struct Text {
    main: String,
    /// Columns beside the main one. They come last, so that they do not tear what goes on over the end of a page.
    aside: String,
}

impl Text {
    /// All of it.
    pub(super) fn whole(self) -> String {
        format!("{}\n\n{}", self.main, self.aside)
    }

    pub(super) fn len(&self) -> usize {
        self.main.len() + self.aside.len()
    }

    /// Adds a page.
    pub(super) fn add(&mut self, pieces: Vec<Piece>) {
        let pieces = kinds::marked(with_marks(breaks::joined(dates::levelled(pieces))));
        read(pieces, 0, None, &mut self.main, &mut self.aside);
        for text in [&mut self.main, &mut self.aside] {
            text.push_str("\n\n");
        }
    }
}

/// Longest heading, in characters.
const HEADING_MAX: usize = 48;

/// Sizes from which type is that of a heading, in sizes of the running text; one mark of Markdown more for each.
const HEADING_SIZES: [f64; 6] = [1.9, 1.5, 1.3, 1.2, 1.12, 1.06];

/// Lines in larger type than the running text, marked as headings.
fn with_marks(pieces: Vec<Piece>) -> Vec<Piece> {
    if pieces.len() > PIECES_MAX {
        return pieces;
    }
    let mut sizes: Vec<(f64, usize)> =
        pieces.iter().map(|piece| (piece.size, piece.text.len())).collect();
    sizes.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let all: usize = sizes.iter().map(|(_, length)| length).sum();
    // The size in the middle of all letters.
    let mut before = 0;
    let usual = sizes.iter().find(|(_, length)| {
        before += length;
        before * 2 >= all
    });
    let Some(usual) = usual.map(|(size, _)| *size) else { return pieces };
    let mut pieces = heads::unbroken(pieces, usual);
    // Nothing beside it, or headings of other columns.
    let is_alone = |piece: &Piece| {
        let beside =
            |other: &&Piece| is_level(piece, other) && (other.left - piece.left).abs() > 0.1;
        pieces.iter().filter(beside).all(|other| is_heading_beside(piece, other))
    };
    let larger = |piece: &Piece| {
        HEADING_SIZES.iter().position(|size| piece.size >= usual * size).map(|at| at + 1)
    };
    let ranks: Vec<Option<usize>> = pieces.iter().map(larger).collect();
    let short = pieces.iter().zip(&ranks).map(|(piece, rank)| {
        let is_short = piece.text.chars().count() <= HEADING_MAX
            && piece.text.starts_with(char::is_alphabetic);
        rank.filter(|_| is_short)
    });
    let short: Vec<Option<usize>> = short.collect();
    let alone = pieces.iter().zip(&short).map(|(piece, mark)| mark.filter(|_| is_alone(piece)));
    let marks = heads::with_level(&pieces, &short, alone.collect());
    let marks = heads::without_entries(&pieces, &ranks, marks);
    for (piece, mark) in pieces.iter_mut().zip(marks) {
        if let Some(count) = mark {
            piece.text = format!("{} {}", "#".repeat(count), piece.text);
        }
    }
    pieces
}

/// Whether two pieces of a line are headings of columns that begin there.
fn is_heading_beside(piece: &Piece, other: &Piece) -> bool {
    let is_plain = |text: &str| {
        text.chars().all(|c| c.is_alphabetic() || " &/'’-".contains(c))
            && text.chars().count() <= HEADING_MAX
    };
    (piece.size - other.size).abs() < 0.02 * piece.size
        && is_plain(&piece.text)
        && is_plain(&other.text)
}

/// Columns within columns within columns are no document.
const DEPTH_MAX: usize = 4;

/// Reads pieces in the order of their columns; `cards_at` is where cards have begun above.
fn read(
    pieces: Vec<Piece>,
    depth: usize,
    cards_at: Option<f64>,
    main: &mut String,
    aside: &mut String,
) {
    let rows = labels::joined(unwrapped(stacked(rows(pieces))));
    let Some(gutter) = (depth < DEPTH_MAX).then(|| gutter(&rows, cards_at)).flatten() else {
        write(&rows, main);
        return;
    };
    let Gutter { x, from, to, is_cards, is_head, .. } = gutter;
    let mut rows = rows;
    let below = rows.split_off(to);
    let beside = rows.split_off(from);
    write(&rows, main);
    let (left, right): (Vec<Piece>, Vec<Piece>) =
        beside.into_iter().flatten().partition(|piece| piece.left < x);
    let left = if is_head { addresses::with_heading(left) } else { left };
    let left_first = is_cards || is_first(&left, &right);
    let (first, second) = if left_first { (left, right) } else { (right, left) };
    read(first, depth + 1, None, main, aside);
    main.push('\n');
    // A few lines beside a few others, such as addresses beside a name, stay with them.
    if is_cards || second.len() <= FEW {
        let mut rest = String::new();
        read(second, depth + 1, None, main, &mut rest);
        main.push_str(&rest);
    } else {
        let mut rest = String::new();
        let mut further = String::new();
        read(second, depth + 1, None, &mut rest, &mut further);
        aside.push_str(&rest);
        aside.push('\n');
        aside.push_str(&further);
    }
    main.push('\n');
    let cards_at = is_cards.then_some(x).or(cards_at);
    read(below.into_iter().flatten().collect(), depth + 1, cards_at, main, aside);
}

/// Pieces that are no column yet.
const FEW: usize = 7;

/// Whether the left of two columns is the main one: the one with the largest type, else the one with more text.
fn is_first(left: &[Piece], right: &[Piece]) -> bool {
    let largest = |pieces: &[Piece]| pieces.iter().map(|piece| piece.size).fold(0.0, f64::max);
    let length = |pieces: &[Piece]| pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
    let (in_left, in_right) = (largest(left), largest(right));
    if in_left > in_right * 1.15 {
        true
    } else if in_right > in_left * 1.15 {
        false
    } else {
        length(left) >= length(right)
    }
}

/// Pieces by the lines that they stand in, from the top, each from the left.
fn rows(mut pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    pieces.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let mut rows: Vec<Vec<Piece>> = Vec::new();
    for piece in pieces {
        match rows.last_mut() {
            Some(row) if is_level(&row[0], &piece) => row.push(piece),
            _ => rows.push(vec![piece]),
        }
    }
    for row in &mut rows {
        row.sort_by(|one, other| one.left.total_cmp(&other.left));
    }
    rows
}

fn is_level(one: &Piece, other: &Piece) -> bool {
    (one.baseline - other.baseline).abs() <= 0.2 * one.size.min(other.size)
}

/// A strip of white between two columns.
#[derive(Debug, Clone, Copy)]
struct Gutter {
    /// Where the right column begins.
    x: f64,
    /// The rows that have it.
    from: usize,
    to: usize,
    /// Rows with something on both of its sides or on one.
    size: usize,
    /// Both columns are cards, which stand level.
    is_cards: bool,
    /// A name and its addresses.
    is_head: bool,
}

/// Fewest rows of a column.
const ROWS_MIN: usize = 4;

/// White between columns, in points.
const WHITE_MIN: f64 = 9.0;

/// Positions at which a right column may begin that are looked at.
const CANDIDATES_MAX: usize = 40;

fn gutter(rows: &[Vec<Piece>], cards_at: Option<f64>) -> Option<Gutter> {
    if let Some((x, to)) = addresses::beside_name(rows) {
        return Some(Gutter { x, from: 0, to, size: to, is_cards: false, is_head: true });
    }
    let mut lefts: Vec<f64> = rows.iter().flatten().map(|piece| piece.left).collect();
    lefts.sort_by(f64::total_cmp);
    let mut candidates: Vec<(usize, f64)> = Vec::new();
    for left in lefts {
        match candidates.last_mut() {
            Some((count, x)) if left - *x <= 2.0 => *count += 1,
            _ => candidates.push((1, left)),
        }
    }
    candidates.retain(|(count, _)| *count >= 3);
    candidates.sort_by_key(|(count, _)| usize::MAX - count);
    let free = || candidates.iter().take(CANDIDATES_MAX).flat_map(|(_, x)| free_at(rows, *x));
    let columns = free()
        .filter(|gutter| parts_columns(&rows[gutter.from..gutter.to], gutter.x))
        .max_by_key(|gutter| gutter.size);
    let again = || {
        let mut gutters = cards_at.map(|x| free_at(rows, x + 1.0)).into_iter().flatten();
        gutters.find_map(|gutter| cards(rows, gutter, 1))
    };
    columns
        .or_else(|| free().find_map(|gutter| cards(rows, gutter, CARDS_MIN)))
        .or_else(again)
        .or_else(|| headed(rows))
}

/// Names have a heading of this rank or a higher one, sections seldom.
const TITLE_RANK: usize = 2;

/// Fewest rows with something under each of two headings.
const UNDER_MIN: usize = 2;

/// Two sections beside one another at the end of a page, each under a heading: `Skills` and `Languages` in one line.
fn headed(rows: &[Vec<Piece>]) -> Option<Gutter> {
    let is_heading = |piece: &Piece| piece.text.starts_with('#');
    let rank = |piece: &Piece| piece.text.chars().take_while(|c| *c == '#').count();
    // `Curriculum Vitae` beside a name in larger type stands over no section.
    let is_title = |one: &Piece, other: &Piece| {
        rank(one) != rank(other) && rank(one).min(rank(other)) <= TITLE_RANK
    };
    rows.iter().enumerate().find_map(|(from, row)| {
        let [one, other] = row.as_slice() else { return None };
        if !is_heading(one) || !is_heading(other) || is_title(one, other) {
            return None;
        }
        let x = other.left - 1.0;
        let crosses = |row: &[Piece]| {
            row.iter().any(|piece| piece.left < x && piece.right > other.left - WHITE_MIN)
        };
        let below =
            rows[from..].iter().position(|row| crosses(row)).map_or(rows.len(), |at| from + at);
        // The heading above what crosses is no longer one of a column.
        let is_last = |row: &[Piece]| row.len() == 1 && is_heading(&row[0]) && row[0].left < x;
        let to = match below.checked_sub(1).map(|last| &rows[last]) {
            Some(row) if below < rows.len() && is_last(row) => below - 1,
            _ => below,
        };
        let under = |is_left: bool| {
            let has = |row: &&Vec<Piece>| row.iter().any(|piece| (piece.left < x) == is_left);
            rows[from + 1..to.max(from + 1)].iter().filter(has).count()
        };
        let is_pair = under(true) >= UNDER_MIN && under(false) >= UNDER_MIN;
        is_pair.then(|| Gutter { x, from, to, size: to - from, is_cards: true, is_head: false })
    })
}

/// Fewest rows with entries beside one another.
const CARDS_MIN: usize = 3;

/// The first stretch between two headings in which entries stand beside one another, each with a title and its years.
fn cards(rows: &[Vec<Piece>], gutter: Gutter, least: usize) -> Option<Gutter> {
    let Gutter { x, from, to, .. } = gutter;
    let is_entry = |row: &[Piece], is_left: bool| {
        let side = || row.iter().filter(move |piece| (piece.left < x) == is_left);
        let title = |piece: &Piece| !piece.text.contains(|c: char| c.is_ascii_digit());
        side().any(|piece| has_year(&piece.text)) && side().any(title)
    };
    let is_pair = |row: &Vec<Piece>| is_entry(row, true) && is_entry(row, false);
    if rows[from..to].iter().filter(|row| is_pair(row)).count() < least {
        return None;
    }
    let is_heading = |row: &Vec<Piece>| row.len() == 1 && row[0].text.starts_with('#');
    let first = (from..to).find(|at| is_pair(&rows[*at]))?;
    let begin = (from..first).rev().find(|at| is_heading(&rows[*at])).map_or(from, |at| at + 1);
    let end = (first..to).find(|at| is_heading(&rows[*at])).unwrap_or(to);
    Some(Gutter { x, from: begin, to: end, size: end - begin, is_cards: true, is_head: false })
}

fn has_year(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit())
        .any(|number| number.len() == 4 && (number.starts_with("19") || number.starts_with("20")))
}

/// The longest stretches of rows in which nothing crosses the white left of `x`.
fn free_at(rows: &[Vec<Piece>], x: f64) -> Vec<Gutter> {
    let crosses = |row: &Vec<Piece>| {
        row.iter().any(|piece| piece.left < x - 1.0 && piece.right > x - WHITE_MIN)
    };
    let mut found = Vec::new();
    let mut from = 0;
    for at in 0..=rows.len() {
        if at < rows.len() && !crosses(&rows[at]) {
            continue;
        }
        if at > from {
            let (from, to) = without_dated(rows, x, from, at);
            let from = at_headings(rows, x, from, to);
            found.push(Gutter {
                x: x - 1.0,
                from,
                to,
                size: to - from,
                is_cards: false,
                is_head: false,
            });
        }
        from = at + 1;
    }
    found
}

/// How far from the left edge of a column what begins in it may be.
const EDGE: f64 = 2.5;

/// A stretch without what stands above and below its right column with a period at the edge of the page, such as jobs
/// across the page above two columns.
fn without_dated(rows: &[Vec<Piece>], x: f64, from: usize, to: usize) -> (usize, usize) {
    let is_in_column = |at: &usize| rows[*at].iter().any(|piece| (piece.left - x).abs() <= EDGE);
    let is_dated = |at: &usize| {
        let ends_in_period = |piece: &Piece| piece.left > x + EDGE && has_year(&piece.text);
        rows[*at][0].left < x - EDGE && rows[*at].last().is_some_and(ends_in_period)
    };
    let first = (from..to).find(is_in_column).unwrap_or(from);
    let last = (first..to).rfind(is_in_column).unwrap_or(to);
    let begin = (from..first).rfind(is_dated).map_or(from, |at| at + 1);
    (begin, (last..to).find(is_dated).unwrap_or(to))
}

/// Where a stretch begins without what stands above two headings beside one another: the rest of a section that takes
/// the whole page, whose last lines are too short to cross the white.
fn at_headings(rows: &[Vec<Piece>], x: f64, from: usize, to: usize) -> usize {
    let is_right = |piece: &Piece| piece.left >= x - 1.0;
    let first = (from..to).find(|at| rows[*at].iter().any(is_right));
    let are_headings = |at: &usize| match rows[*at].as_slice() {
        [one, other] => {
            !is_right(one) && [one, other].iter().all(|piece| piece.text.starts_with('#'))
        }
        _ => false,
    };
    first.filter(are_headings).unwrap_or(from)
}

/// Whether rows are two columns rather than lines with something at their beginning or end, such as dates: lines of
/// columns keep no common height.
fn parts_columns(rows: &[Vec<Piece>], x: f64) -> bool {
    let is_left = |piece: &&Piece| piece.left < x;
    let has_left = |row: &&Vec<Piece>| row.iter().any(|piece| is_left(&piece));
    let has_right = |row: &&Vec<Piece>| row.iter().any(|piece| !is_left(&piece));
    let count = |has: &dyn Fn(&&Vec<Piece>) -> bool| rows.iter().filter(|row| has(row)).count();
    if count(&has_left) < ROWS_MIN || count(&has_right) < ROWS_MIN {
        return false;
    }
    let level = rows.iter().filter(|row| has_left(row) && has_right(row)).count();
    if has_dates_beside(rows, x) {
        return false;
    }
    let apart = |at: usize| {
        let mine = has_left(&&rows[at]);
        let is_near = |other: usize| {
            let (one, next) = (&rows[at][0], &rows[other][0]);
            let has_other = if mine { has_right(&&rows[other]) } else { has_left(&&rows[other]) };
            let has_both = has_left(&&rows[other]) && has_right(&&rows[other]);
            has_other
                && !has_both
                && (one.baseline - next.baseline).abs() < 0.75 * one.size.min(next.size)
        };
        let alone = !(has_left(&&rows[at]) && has_right(&&rows[at]));
        alone && (at > 0 && is_near(at - 1) || at + 1 < rows.len() && is_near(at + 1))
    };
    let apart = (0..rows.len()).filter(|at| apart(*at)).count();
    if apart >= 3 && apart * 2 > level {
        return true;
    }
    level >= 6 && level * 4 > rows.len() * 3 && is_prose(rows, x)
}

/// Fewest rows with a date at the left that show that it belongs to what stands beside it.
const DATED_MIN: usize = 3;

/// Whether most of what stands at the left are dates beside their entries, also where the page begins with a name and an
/// address in two columns.
fn has_dates_beside(rows: &[Vec<Piece>], x: f64) -> bool {
    let left = |row: &Vec<Piece>| row.iter().filter(|piece| piece.left < x).count();
    let is_level = |row: &&Vec<Piece>| left(row) > 0 && left(row) < row.len();
    let is_dated = |row: &&Vec<Piece>| left(row) == 1 && has_year(&row[0].text);
    let level = rows.iter().filter(is_level).count();
    let dated = rows.iter().filter(is_level).filter(is_dated).count();
    let alone = rows.iter().filter(|row| left(row) == row.len()).count();
    dated >= DATED_MIN && dated * 2 > level && dated >= alone
}

/// Whether both sides hold running text, on lines of the same height.
fn is_prose(rows: &[Vec<Piece>], x: f64) -> bool {
    let side = |is_left: bool| {
        let pieces = rows.iter().flatten().filter(move |piece| (piece.left < x) == is_left);
        let mut words: Vec<usize> =
            pieces.clone().map(|piece| piece.text.split_whitespace().count()).collect();
        words.sort_unstable();
        let digits =
            pieces.clone().filter(|piece| piece.text.contains(|c: char| c.is_ascii_digit()));
        let is_dated = digits.count() * 2 > words.len();
        !is_dated && words.get(words.len() / 2).is_some_and(|words| *words >= 4)
    };
    side(true) && side(false)
}

/// Further apart than this, in usual distances of lines, two lines have an empty one between them.
const PARAGRAPH: f64 = 1.28;

fn write(rows: &[Vec<Piece>], text: &mut String) {
    let mut steps: Vec<f64> = rows
        .windows(2)
        .map(|pair| (pair[1][0].baseline - pair[0][0].baseline) / pair[1][0].size.max(1.0))
        .filter(|step| (0.8..2.2).contains(step))
        .collect();
    steps.sort_by(f64::total_cmp);
    // The lower third: most lines of a résumé are followed by one of the same paragraph, but not in all of them.
    let usual = steps.get(steps.len() / 3).copied().unwrap_or(1.2);
    let mut above: Option<&Piece> = None;
    for row in rows {
        let first = &row[0];
        let step = above.map_or(0.0, |above| {
            (first.baseline - above.baseline) / first.size.max(above.size.min(first.size * 1.3))
        });
        if step > usual * PARAGRAPH && step > 1.3 {
            text.push('\n');
        }
        for (at, piece) in row.iter().enumerate() {
            if at > 0 {
                // An item beside a label begins a line of its own.
                let begins = begins_item(&piece.text) && !begins_item(&row[0].text);
                text.push(match begins {
                    true => '\n',
                    false if is_bullet(&row[at - 1].text) => ' ',
                    false => '\t',
                });
            }
            text.push_str(if row.len() > 1 { without_mark(&piece.text) } else { &piece.text });
        }
        text.push('\n');
        above = Some(first);
    }
}

#[cfg(test)]
mod tests {
    use super::{super::lines::Looks, *};

    fn piece(left: f64, baseline: f64, text: &str) -> Piece {
        let right = left + 60.0;
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

    #[test]
    fn jobs_across_the_page_are_not_put_beside_the_columns_below_them() {
        let mut pieces = Vec::new();
        for (top, firm) in [(100.0, "Acme Ltd"), (140.0, "Blue Fig"), (180.0, "Red Fox")] {
            pieces.push(piece(45.0, top, firm));
            pieces.push(piece(460.0, top, "2011 to 2014"));
            pieces.push(piece(45.0, top + 14.0, "Cook"));
        }
        for n in 0..6 {
            pieces.push(piece(45.0, 240.0 + 14.0 * f64::from(n), "A school"));
            pieces.push(piece(310.0, 245.0 + 14.0 * f64::from(n), "A skill"));
        }
        let rows = rows(pieces);
        let found = gutter(&rows, None).unwrap();
        assert_eq!(rows[found.from][0].text, "Cook");
        assert_eq!(found.from, 5);
    }

    #[test]
    fn what_stands_above_two_headings_beside_one_another_is_in_no_column() {
        let above = |right: &str| {
            let mut pieces = vec![piece(45.0, 60.0, "A school"), piece(45.0, 80.0, "A degree")];
            pieces.push(piece(45.0, 100.0, "### Skills"));
            pieces.push(piece(310.0, 100.0, right));
            for n in 0..6 {
                pieces.push(piece(45.0, 120.0 + 14.0 * f64::from(n), "A skill"));
                pieces.push(piece(310.0, 125.0 + 14.0 * f64::from(n), "A language"));
            }
            gutter(&rows(pieces), None).unwrap().from
        };
        assert_eq!(above("### Languages"), 2);
        assert_eq!(above("Languages"), 0);
    }

    #[test]
    fn grades_stand_beside_what_they_are_of() {
        let mut text = String::new();
        let row = [piece(45.0, 60.0, "Welding"), piece(210.0, 60.0, "●●●○○")];
        let item = [piece(45.0, 80.0, "Tools"), piece(210.0, 80.0, "● Lathe")];
        write(&[row.to_vec(), item.to_vec()], &mut text);
        assert_eq!(text, "Welding\t●●●○○\nTools\n● Lathe\n");
    }

    #[test]
    fn a_word_beside_a_name_in_larger_type_is_no_heading_of_a_column() {
        let beside = |title: &str| {
            let mut pieces = vec![piece(45.0, 60.0, title), piece(200.0, 60.0, "## Ada Byron")];
            for n in 0..8 {
                pieces.push(piece(45.0, 90.0 + 14.0 * f64::from(n), "05/2021"));
                pieces.push(piece(200.0, 90.0 + 14.0 * f64::from(n), "Cook"));
            }
            gutter(&rows(pieces), None).is_some()
        };
        assert!(!beside("### Curriculum Vitae"));
        assert!(beside("## Experience"));
    }

    #[test]
    fn dates_beside_entries_are_no_column_below_a_name_and_an_address_side_by_side() {
        let page = |date: &str| {
            let mut pieces = vec![piece(45.0, 60.0, "Ada Byron")];
            for n in 0..4 {
                pieces.push(piece(45.0, 70.0 + 14.0 * f64::from(n), "Engineer"));
                pieces.push(piece(145.0, 65.0 + 14.0 * f64::from(n), "1 Quay Road"));
            }
            for n in 0..6 {
                pieces.push(piece(45.0, 160.0 + 28.0 * f64::from(n), date));
                pieces.push(piece(145.0, 160.0 + 28.0 * f64::from(n), "BSc Physics"));
            }
            gutter(&rows(pieces), None).is_some()
        };
        assert!(!page("2011–2015"));
        assert!(page("Physics"));
    }
}
