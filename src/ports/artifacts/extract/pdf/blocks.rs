//! Blocks of text beside a column of labels: where they begin, and where a label goes on in the middle of one.

use super::lines::Piece;

/// Further apart than this, in usual distances of lines, are two blocks.
const APART: f64 = 1.25;

/// Fewest labels that begin blocks where labels go on beside them.
const LABELS_MIN: usize = 3;

/// White between the columns, in points, and a space between two words, in type sizes.
const WHITE_MIN: f64 = 9.0;
const SPACE: f64 = 0.25;

/// Which rows begin a block right of `x`: the first of them, and those with white above them.
pub(super) fn begins(rows: &[Vec<Piece>], x: f64) -> Vec<bool> {
    let right = |at: &usize| rows[*at].iter().find(|piece| piece.left >= x);
    let places: Vec<usize> = (0..rows.len()).filter(|at| right(at).is_some()).collect();
    let baseline = |at: &usize| right(at).map_or(0.0, |piece| piece.baseline);
    let steps: Vec<f64> =
        places.windows(2).map(|pair| baseline(&pair[1]) - baseline(&pair[0])).collect();
    let mut sorted = steps.clone();
    sorted.sort_by(f64::total_cmp);
    // The lower third: blocks of one line have white above them, too.
    let usual = sorted.get(sorted.len() / 3).copied().unwrap_or_default();
    let mut begins = vec![false; rows.len()];
    for (at, place) in places.iter().enumerate() {
        begins[*place] = at == 0 || steps[at - 1] > APART * usual;
    }
    begins
}

/// Which rows hold a further line of a label beside the middle of a block: `ACADEMIC` above `BACKGROUND`, which had no
/// room behind it. None where other labels stand beside the middle of a block.
pub(super) fn wrapped(rows: &[Vec<Piece>], x: f64, begins: &[bool]) -> Vec<bool> {
    let left = |row: &Vec<Piece>| row.iter().take_while(|piece| piece.left < x).count();
    let mut wrapped = vec![false; rows.len()];
    let mut labels = 0;
    for at in 0..rows.len() {
        let count = left(&rows[at]);
        if count == 0 || count == rows[at].len() {
            continue;
        }
        if begins[at] {
            labels += 1;
            continue;
        }
        let above = at.checked_sub(1).filter(|above| begins[*above] || wrapped[*above]);
        let is_whole = above.is_none_or(|above| {
            count != 1 || left(&rows[above]) != 1 || !has_no_room(&rows[above][0], &rows[at][0], x)
        });
        if is_whole {
            return vec![false; rows.len()];
        }
        wrapped[at] = true;
    }
    if labels < LABELS_MIN { vec![false; rows.len()] } else { wrapped }
}

/// Whether the first word of the next line would have come too close to the right column.
fn has_no_room(label: &Piece, rest: &Piece, x: f64) -> bool {
    let is_dated = |piece: &Piece| piece.text.contains(|c: char| c.is_ascii_digit());
    !is_dated(label)
        && !is_dated(rest)
        && label.right + SPACE * label.size + rest.first_word() > x - WHITE_MIN
}
