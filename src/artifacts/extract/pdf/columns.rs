//! Whether a page is set in two columns, in which case the order of its text cannot be trusted.

use std::collections::BTreeMap;

/// Where the letters of one page stand.
#[derive(Debug, Default)]
pub(super) struct Columns {
    left: f64,
    width: f64,
    /// Lines from the bottom, by rounded height; in each, which slices of the width hold letters.
    lines: BTreeMap<i64, [u32; SLICES]>,
}

/// Slices of the page's width.
const SLICES: usize = 48;

/// Lines that must have words on both sides of the gutter.
const LINES_MIN: usize = 8;

/// Letters on the right of a gutter that make a line of a column; a date at the margin has fewer.
const LETTERS_MIN: u32 = 20;

impl Columns {
    /// Begins a page that reaches from `left` to `right`.
    pub(super) fn begin(&mut self, left: f64, right: f64) {
        self.left = left;
        self.width = right - left;
    }

    /// Notes a letter. Numbers that make no sense (a hostile page may have any) are passed over.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the share is between 0 and 1, the height is checked, and casts of floats saturate"
    )]
    pub(super) fn letter(&mut self, x: f64, y: f64) {
        let share = (x - self.left) / self.width;
        if !(0.0..1.0).contains(&share) || !y.is_finite() || self.lines.len() > 5_000 {
            return;
        }
        let slice = (share * SLICES as f64) as usize;
        let line = self.lines.entry((y / 3.0).round() as i64).or_insert([0; SLICES]);
        if let Some(count) = line.get_mut(slice) {
            *count += 1;
        }
    }

    /// Whether some upright strip near the middle is empty while many lines stand on both sides of it.
    pub(super) fn suspected(&self) -> bool {
        (SLICES / 5..SLICES * 4 / 5).any(|gutter| self.is_gutter(gutter))
    }

    fn is_gutter(&self, gutter: usize) -> bool {
        let mut left = 0;
        let mut right = 0;
        let mut crossed = 0;
        for line in self.lines.values() {
            let before: u32 = line[..gutter].iter().sum();
            let after: u32 = line[gutter + 1..].iter().sum();
            if line[gutter] > 0 {
                crossed += 1;
            } else {
                left += usize::from(before >= LETTERS_MIN / 2);
                right += usize::from(after >= LETTERS_MIN);
            }
        }
        left >= LINES_MIN && right >= LINES_MIN && crossed * 8 < left.min(right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(lines: impl Iterator<Item = (f64, f64, usize)>) -> Columns {
        let mut columns = Columns::default();
        columns.begin(0.0, 600.0);
        for (y, x, letters) in lines {
            for n in 0..letters {
                #[expect(clippy::cast_precision_loss, reason = "a few letters")]
                columns.letter(x + n as f64 * 5.0, y);
            }
        }
        columns
    }

    #[test]
    fn two_columns_are_suspected() {
        let lines = (0..30).flat_map(|n| {
            let y = 700.0 - f64::from(n) * 14.0;
            [(y, 50.0, 28), (y, 320.0, 45)]
        });
        assert!(page(lines).suspected());
    }

    #[test]
    fn one_column_with_dates_at_the_margin_is_not() {
        let lines = (0..30).flat_map(|n| {
            let y = 700.0 - f64::from(n) * 14.0;
            if n % 3 == 0 { vec![(y, 50.0, 30), (y, 480.0, 15)] } else { vec![(y, 50.0, 95)] }
        });
        assert!(!page(lines).suspected());
        assert!(!page(std::iter::empty()).suspected());
    }
}
