//! Addresses beside a name at the top of a page, on lines of their own: `1 Quay Road` and `020 7946 0018` at the right
//! edge, the name and what somebody is at the left.

use super::lines::Piece;

/// Fewest and most lines of addresses.
const LINES_MIN: usize = 3;
const LINES_MAX: usize = 7;

/// How far their edges are apart, in points.
const EDGE: f64 = 1.0;

/// White between them and the name, in points.
const WHITE_MIN: f64 = 20.0;

/// Furthest apart that two of them are, in type sizes.
const STEP_MAX: f64 = 1.9;

/// From what size on type is that of a name, in sizes of the addresses.
const NAME: f64 = 1.4;

/// Lines closer than this, in type sizes, are none of the same column.
const APART: f64 = 0.75;

/// Where addresses beside a name begin, and after how many rows they end.
pub(super) fn beside_name(rows: &[Vec<Piece>]) -> Option<(f64, usize)> {
    let first = rows.iter().take(2).filter_map(|row| row.last());
    first.max_by(|one, other| one.left.total_cmp(&other.left)).and_then(|first| {
        by_edge(rows, first, |piece| piece.right).or_else(|| by_edge(rows, first, |it| it.left))
    })
}

/// Where addresses beside a name begin, and after how many rows they end, if they have an edge in common with `first`.
fn by_edge(
    rows: &[Vec<Piece>],
    first: &Piece,
    edge: impl Fn(&Piece) -> f64,
) -> Option<(f64, usize)> {
    let is_one = |piece: &&Piece| (edge(piece) - edge(first)).abs() <= EDGE;
    let mut lines: Vec<&Piece> = Vec::new();
    let mut to = 0;
    for (at, row) in rows.iter().enumerate() {
        let Some(piece) = row.last().filter(is_one) else { continue };
        let goes_on = |last: &&Piece| piece.baseline - last.baseline < STEP_MAX * piece.size;
        if !lines.last().is_none_or(goes_on) {
            break;
        }
        lines.push(piece);
        to = at + 1;
    }
    let x = lines.iter().map(|line| line.left).fold(first.left, f64::min) - EDGE;
    let beside = || rows[..to].iter().flatten().filter(|piece| piece.left < x);
    let size = lines.iter().map(|line| line.size).fold(0.0, f64::max);
    // Lines that all stand level can be read as they stand.
    let is_apart = |at: usize| {
        let (one, next) = (&rows[at], &rows[at + 1]);
        let step = next[0].baseline - one[0].baseline;
        one.len() == 1
            && next.len() == 1
            && (one[0].left < x) != (next[0].left < x)
            && step < APART * one[0].size.min(next[0].size)
    };
    // A side bar that begins with them goes on below them.
    let goes_on = || rows[to..].iter().flatten().any(|piece| (piece.left - x - EDGE).abs() <= EDGE);
    let fits = (LINES_MIN..=LINES_MAX).contains(&lines.len())
        && beside().count() <= lines.len()
        && !goes_on()
        && beside().any(|piece| piece.size >= NAME * size)
        && beside().all(|piece| piece.right < x - WHITE_MIN)
        && rows[..to].iter().flatten().filter(|piece| piece.left >= x).count() == lines.len()
        && (0..to.saturating_sub(1))
            .any(|at| is_apart(at) || tears_name(&rows[..to], at, x, NAME * size));
    fits.then_some((x, to))
}

/// Whether addresses stand between two lines of a name, which would be torn if it were read as it stands.
fn tears_name(rows: &[Vec<Piece>], at: usize, x: f64, name: f64) -> bool {
    let is_large = |row: &[Piece]| row[0].left < x && row[0].size >= name;
    let is_between = |row: &Vec<Piece>| row[0].left >= x;
    let [first, below @ ..] = &rows[at..] else { return false };
    let next = below.iter().find(|row| !is_between(row));
    is_large(first)
        && below.first().is_some_and(is_between)
        && next.is_some_and(|next| {
            is_large(next) && (next[0].size - first[0].size).abs() < 0.02 * name
        })
}

/// What stands beside addresses, with the name as a heading, which it could not be told to be beside them: `Ada Byron-`
/// above `Lovelace` is one line.
pub(super) fn with_heading(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let size = pieces.iter().map(|piece| piece.size).fold(0.0, f64::max);
    let has_mark = pieces.iter().any(|piece| piece.size >= size && piece.text.starts_with('#'));
    let mut whole: Vec<Piece> = Vec::new();
    pieces.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    for mut piece in pieces {
        let is_name = !has_mark && piece.size >= size;
        match whole.last_mut().filter(|_| is_name) {
            Some(last) if last.size >= size && last.text.ends_with('-') => {
                last.text.push_str(&piece.text);
                last.right = last.right.max(piece.right);
                last.baseline = piece.baseline;
                continue;
            }
            _ if is_name && piece.text.starts_with(char::is_alphabetic) => {
                piece.text.insert_str(0, "# ");
            }
            _ => {}
        }
        whole.push(piece);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::{
        super::{layout::Text, lines::Looks},
        *,
    };

    fn piece(left: f64, right: f64, baseline: f64, size: f64, text: &str) -> Piece {
        Piece {
            text: text.to_owned(),
            left,
            right,
            baseline,
            size,
            looks: Looks::new(),
            bold: (None, None),
        }
    }

    fn read(pieces: Vec<Piece>) -> Vec<String> {
        let mut text = Text::default();
        text.add(pieces);
        let text = text.whole();
        text.lines().filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
    }

    /// A name in larger type over what somebody is, with addresses beside them and a line across the page below.
    fn head(addresses: &[(f64, f64, &str)]) -> Vec<Piece> {
        let mut pieces = vec![
            piece(50.0, 240.0, 61.0, 24.0, "Ada Byron"),
            piece(50.0, 120.0, 75.8, 10.0, "Engineer"),
            piece(
                50.0,
                500.0,
                121.0,
                10.0,
                "An engineer of engines that compute what they are told.",
            ),
        ];
        for (at, (left, right, text)) in (0_u32..).zip(addresses) {
            pieces.push(piece(*left, *right, 52.0 + 13.0 * f64::from(at), 10.0, text));
        }
        pieces
    }

    const LINES: [&str; 6] = [
        "# Ada Byron",
        "Engineer",
        "1 Quay Road",
        "London",
        "ada@example.org",
        "An engineer of engines that compute what they are told.",
    ];

    #[test]
    fn addresses_beside_a_name_are_read_after_it() {
        let at_the_edge = [
            (480.0, 540.0, "1 Quay Road"),
            (505.0, 540.0, "London"),
            (450.0, 540.0, "ada@example.org"),
        ];
        assert_eq!(read(head(&at_the_edge)), LINES);
        let aligned = [
            (400.0, 460.0, "1 Quay Road"),
            (400.0, 435.0, "London"),
            (400.0, 490.0, "ada@example.org"),
        ];
        assert_eq!(read(head(&aligned)), LINES);
    }

    #[test]
    fn a_name_of_several_lines_beside_addresses_is_one_heading() {
        let page = |names: [&str; 2]| {
            let mut pieces = vec![piece(50.0, 120.0, 105.0, 10.0, "Engineer")];
            pieces.extend([
                piece(50.0, 240.0, 61.0, 24.0, names[0]),
                piece(50.0, 150.0, 88.0, 24.0, names[1]),
            ]);
            // The second and the fourth stand level with the lines of the name.
            let addresses = ["London", "020 7946 0018", "ada@example.org", "adab"];
            for (text, baseline) in addresses.into_iter().zip([48.0, 61.0, 74.5, 88.0]) {
                pieces.push(piece(480.0, 540.0, baseline, 10.0, text));
            }
            pieces.push(piece(50.0, 500.0, 130.0, 10.0, "An engineer of what they are told."));
            read(pieces)
        };
        let rest = ["London", "020 7946 0018", "ada@example.org", "adab", "Engineer"];
        let whole = page(["Ada Augusta Byron-", "Lovelace"]);
        assert_eq!(whole[0], "# Ada Augusta Byron-Lovelace");
        assert_eq!(whole[1..6], rest);
        let two = page(["Ada Augusta", "Lovelace"]);
        assert_eq!(two[..2], ["# Ada Augusta", "# Lovelace"]);
        assert_eq!(two[2..7], rest);
    }

    #[test]
    fn what_a_side_bar_begins_with_stays_in_it() {
        let beside = [
            (400.0, 460.0, "1 Quay Road"),
            (400.0, 435.0, "London"),
            (400.0, 490.0, "ada@example.org"),
        ];
        let row = |piece: Piece| vec![piece];
        let rows = |below: f64| {
            let mut pieces = head(&beside);
            pieces.push(piece(below, below + 40.0, 180.0, 10.0, "Skills"));
            pieces.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
            pieces.into_iter().map(row).collect::<Vec<_>>()
        };
        assert_eq!(beside_name(&rows(50.0)), Some((399.0, 5)));
        assert_eq!(beside_name(&rows(400.0)), None);
    }
}
