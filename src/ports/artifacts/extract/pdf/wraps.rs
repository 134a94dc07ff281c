//! What has no room beside others in its line and goes on in the next one.

use super::lines::Piece;

/// Rows in which what has no room beside others and goes on in the next row is put together: addresses and numbers, and
/// anything in a grid.
pub(super) fn unwrapped(rows: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let mut whole: Vec<Vec<Piece>> = Vec::new();
    for row in rows {
        let is_near = |above: &Vec<Piece>| row[0].baseline - above[0].baseline < 1.6 * row[0].size;
        let is_grid = whole.len() > 1 && is_grid(&whole[whole.len() - 2..]);
        let Some(above) = whole.last_mut().filter(|above| above.len() > 2 && is_near(above)) else {
            whole.push(row);
            continue;
        };
        let begun = |piece: &Piece| {
            let goes_on = |at: &usize| {
                goes_on(&above[*at], piece) || is_grid && has_no_room(&above[*at..], piece)
            };
            (0..above.len()).find(goes_on)
        };
        let places: Option<Vec<usize>> = row.iter().map(begun).collect();
        let Some(places) = places else {
            whole.push(row);
            continue;
        };
        for (at, piece) in places.into_iter().zip(&row) {
            if !is_address(&above[at], piece) {
                above[at].text.push(' ');
            }
            above[at].text.push_str(&piece.text);
        }
    }
    whole
}

/// Whether two rows begin at the same places.
fn is_grid(rows: &[Vec<Piece>]) -> bool {
    let [one, other] = rows else { return false };
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| (one.left - other.left).abs() < 1.0)
}

/// Whether the first word of the next line would have come too close to the next column.
fn has_no_room(begun: &[Piece], rest: &Piece) -> bool {
    let [begun, next, ..] = begun else { return false };
    (begun.left - rest.left).abs() < 1.0
        && (begun.size - rest.size).abs() < 0.1 * begun.size
        && begun.right + 0.2 * begun.size + rest.first_word() > next.left
}

/// Most letters of the rest of an address or a number.
const REST_MAX: usize = 24;

/// `github.com/ada-` above `byron`, `+44 20 7946` above `0018`.
fn goes_on(begun: &Piece, rest: &Piece) -> bool {
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || "+()-./ ".contains(c));
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
    let is_telephone = is_number(&begun.text)
        && is_number(&rest.text)
        && begun.text.starts_with(['+', '(', '0'])
        && digits(&begun.text) > 4
        && digits(&rest.text) <= 6;
    (begun.left - rest.left).abs() < 1.0
        && (begun.size - rest.size).abs() < 0.1 * begun.size
        && rest.text.chars().count() <= REST_MAX
        && (is_address(begun, rest) || is_telephone)
}

fn is_address(begun: &Piece, rest: &Piece) -> bool {
    begun.text.contains(['/', '@'])
        && begun.text.ends_with(['-', '/', '_', '.', '@'])
        && !begun.text.contains(' ')
        && !rest.text.contains(' ')
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

    fn row(baseline: f64, texts: [(f64, &str); 3]) -> Vec<Piece> {
        texts.into_iter().map(|(left, text)| piece(left, baseline, text)).collect()
    }

    #[test]
    fn what_has_no_room_in_a_column_of_a_grid_goes_on_in_the_next_row() {
        let text = |right: f64, office: f64| {
            let kinds = row(100.0, [(45.0, "Web"), (office, "Office"), (180.0, "Trade")]);
            let mut items = row(114.0, [(45.0, "Rust, easy"), (110.0, "Word"), (180.0, "Drills")]);
            items[0].right = right;
            let rest = vec![Piece { right: 65.0, ..piece(45.0, 128.0, "reading") }];
            unwrapped(vec![kinds, items, rest]).last().unwrap()[0].text.clone()
        };
        assert_eq!(text(104.0, 110.0), "Rust, easy reading");
        // There was room, and there is no grid.
        assert_eq!(text(80.0, 110.0), "reading");
        assert_eq!(text(104.0, 120.0), "reading");
    }

    #[test]
    fn an_address_goes_on_without_a_space_in_the_next_row() {
        let above =
            row(100.0, [(45.0, "github.com/ada-"), (135.0, "+44 20 79460"), (225.0, "Ada")]);
        let rest = vec![piece(45.0, 112.0, "1815"), piece(135.0, 112.0, "018")];
        let rows = unwrapped(vec![above, rest]);
        assert_eq!(rows[0][0].text, "github.com/ada-1815");
        assert_eq!(rows[0][1].text, "+44 20 79460 018");
    }
}
