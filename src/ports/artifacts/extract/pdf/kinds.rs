//! The kinds that the items of a list are sorted by, told by their font: `Trade` in bold above `Welding` and `Fitting`.

use std::collections::BTreeSet;

use super::lines::{Looks, PIECES_MAX, Piece};

/// Longest kind and longest item, in words.
const KIND_MAX: usize = 3;
const ITEM_MAX: usize = 5;

/// Fewest kinds of a list.
const KINDS_MIN: usize = 2;

/// How far an item may begin from where its heading does, in points.
const INDENT_MAX: f64 = 12.0;

/// The pieces, with a colon behind what stands in a font of its own above others, in lists under headings.
pub(super) fn marked(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut pieces = pieces;
    if pieces.len() > PIECES_MAX {
        return pieces;
    }
    let headings = (0..pieces.len()).filter(|at| is_heading(&pieces[*at]));
    let kinds: Vec<usize> = headings
        .flat_map(|heading| {
            let mut found = kinds(&pieces, &under(&pieces, heading));
            found.append(&mut kinds_of_rows(&pieces, heading));
            found
        })
        .collect();
    for at in kinds {
        if !pieces[at].text.ends_with(':') {
            pieces[at].text.push(':');
        }
    }
    pieces
}

fn is_heading(piece: &Piece) -> bool {
    piece.text.starts_with('#')
}

/// The pieces under a heading in its column, from the top: as far as the next heading or other type.
fn under(pieces: &[Piece], heading: usize) -> Vec<usize> {
    let Piece { left, baseline, .. } = pieces[heading];
    let is_in_column = |piece: &Piece| (piece.left - left).abs() <= INDENT_MAX;
    let is_below = |at: &usize| pieces[*at].baseline > baseline && is_in_column(&pieces[*at]);
    let mut below: Vec<usize> = (0..pieces.len()).filter(is_below).collect();
    below.sort_by(|one, other| pieces[*one].baseline.total_cmp(&pieces[*other].baseline));
    let Some(size) = below.first().map(|first| pieces[*first].size) else { return below };
    let is_other = |at: &usize| {
        let piece = &pieces[*at];
        is_heading(piece) || (piece.size - size).abs() > 0.03 * size
    };
    let end = below.iter().position(is_other).unwrap_or(below.len());
    below.truncate(end);
    below
}

/// Which pieces of a list are kinds; empty if it is no list of short items under kinds.
fn kinds(pieces: &[Piece], list: &[usize]) -> Vec<usize> {
    let fits = |at: &usize| is_item(&pieces[*at].text);
    let Some((first, rest)) = list.split_first().filter(|_| list.iter().all(fits)) else {
        return Vec::new();
    };
    let (mut of_kinds, mut of_items) = (pieces[*first].looks.clone(), Looks::new());
    let mut found = vec![*first];
    let mut told = 0;
    for at in rest {
        let looks = &pieces[*at].looks;
        if is_like(looks, &of_kinds) || is_unlike(looks, &of_items) {
            found.push(*at);
            of_kinds.extend(looks);
        } else if is_like(looks, &of_items) || is_unlike(looks, &of_kinds) {
            told += 1;
            of_items.extend(looks);
        }
    }
    let is_kind = |at: &usize| is_kind(&pieces[*at].text);
    // Each kind has items, and most of them are surely in another font.
    let heads =
        list.windows(2).filter(|pair| found.contains(&pair[0]) && !found.contains(&pair[1]));
    // `Acme University    2014 – 2015`: the lines of entries have their years beside them.
    let has_years = |at: &&usize| {
        let beside = |piece: &&Piece| (piece.baseline - pieces[**at].baseline).abs() < 1.0;
        let is_year = |piece: &Piece| piece.text.split(' ').any(is_number);
        pieces.iter().filter(beside).any(is_year)
    };
    let is_list = found.len() >= KINDS_MIN
        && found.iter().filter(has_years).count() * 2 <= found.len()
        && heads.count() == found.len()
        && list.len() > found.len() * 2
        && told * 2 > list.len() - found.len()
        && found.iter().all(is_kind);
    if is_list { found } else { Vec::new() }
}

fn is_item(text: &str) -> bool {
    text.split_whitespace().count() <= ITEM_MAX
        && text.starts_with(char::is_alphanumeric)
        && !text.contains(['@', ':'])
        && !text.split_whitespace().any(is_number)
}

fn is_kind(text: &str) -> bool {
    text.split_whitespace().count() <= KIND_MAX
        && text.chars().all(|c| c.is_alphabetic() || " &/'’-".contains(c))
}

/// Fewest letters that look different in kinds and in items.
const UNLIKE_MIN: usize = 2;

/// Which pieces stand in a font of their own before the items of their rows: `Trade    Welding    Fitting`.
fn kinds_of_rows(pieces: &[Piece], heading: usize) -> Vec<usize> {
    let Piece { left, baseline, .. } = pieces[heading];
    let begins = |piece: &Piece| (piece.left - left).abs() <= INDENT_MAX;
    let next = pieces.iter().filter(|it| is_heading(it) && begins(it) && it.baseline > baseline);
    let end = next.map(|it| it.baseline).fold(f64::INFINITY, f64::min);
    let is_within =
        |it: &Piece| it.baseline > baseline && it.baseline < end && it.left > left - 1.0;
    let (kinds, items): (Vec<usize>, Vec<usize>) =
        (0..pieces.len()).filter(|at| is_within(&pieces[*at])).partition(|at| begins(&pieces[*at]));
    let beside = |kind: &usize| {
        let level = |at: &&usize| (pieces[**at].baseline - pieces[*kind].baseline).abs() < 1.0;
        items.iter().filter(level).count()
    };
    let is_list = kinds.len() >= KINDS_MIN
        && kinds.iter().all(|at| is_kind(&pieces[*at].text) && beside(at) > 0)
        && kinds.iter().any(|at| beside(at) > 1)
        && kinds.iter().map(beside).sum::<usize>() == items.len()
        && items.iter().all(|at| is_item(&pieces[*at].text));
    let looks = |list: &[usize]| -> BTreeSet<(char, u128)> {
        let looks = list.iter().flat_map(|at| &pieces[*at].looks);
        looks.map(|(letter, look)| (*letter, *look)).collect()
    };
    let (of_kinds, of_items) = (looks(&kinds), looks(&items));
    let letters: BTreeSet<char> = of_items.iter().map(|(letter, _)| *letter).collect();
    let shared = of_kinds.iter().filter(|(letter, _)| letters.contains(letter)).count();
    let is_apart = shared >= UNLIKE_MIN && of_kinds.is_disjoint(&of_items);
    if is_list && is_apart { kinds } else { Vec::new() }
}

fn is_number(word: &str) -> bool {
    word.chars().filter(char::is_ascii_digit).count() > 3
}

/// Whether a letter of both looks the same.
fn is_like(looks: &Looks, others: &Looks) -> bool {
    looks.iter().any(|(letter, look)| others.get(letter) == Some(look))
}

/// Whether a letter of both looks different.
fn is_unlike(looks: &Looks, others: &Looks) -> bool {
    looks.iter().any(|(letter, look)| others.get(letter).is_some_and(|other| other != look))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A piece in the font that a number stands for.
    fn piece(text: &str, baseline: f64, font: u128) -> Piece {
        let looks = text.chars().map(|c| (c, font * 1000 + u128::from(u32::from(c)))).collect();
        Piece {
            text: text.to_owned(),
            left: 50.0,
            right: 120.0,
            baseline,
            size: 10.0,
            looks,
            bold: (None, None),
        }
    }

    fn read(pieces: &[(&str, u128)]) -> Vec<String> {
        let lines = (1_u32..).zip(pieces);
        let pieces = lines.map(|(line, (text, font))| piece(text, f64::from(line) * 12.0, *font));
        marked(pieces.collect()).into_iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn what_stands_in_a_font_of_its_own_above_short_items_is_their_kind() {
        let list = [
            ("### Skills", 1),
            ("Trade", 2),
            ("Welding", 3),
            ("Drilling", 3),
            ("Office", 2),
            ("Word", 3),
            ("Excel", 3),
        ];
        let said = ["### Skills", "Trade:", "Welding", "Drilling", "Office:", "Word", "Excel"];
        assert_eq!(read(&list), said);
    }

    #[test]
    fn what_stands_in_a_font_of_its_own_before_the_items_of_its_row_is_their_kind() {
        let row = |texts: &[(&str, u128)], line: u32| -> Vec<Piece> {
            let places = (0_u32..).zip(texts);
            let at = |place: u32| 50.0 + f64::from(place) * 90.0;
            places
                .map(|(place, (text, font))| {
                    let left = at(place);
                    Piece { left, right: left + 60.0, ..piece(text, f64::from(line) * 12.0, *font) }
                })
                .collect()
        };
        let rows = |font: u128| {
            let list = [
                row(&[("### Skills", 1)], 1),
                row(&[("Trade", font), ("Welding", 3), ("Drilling", 3)], 2),
                row(&[("Office", font), ("Trello", 3)], 3),
            ];
            marked(list.concat()).into_iter().map(|piece| piece.text).collect::<Vec<_>>()
        };
        let said = ["### Skills", "Trade:", "Welding", "Drilling", "Office:", "Trello"];
        assert_eq!(rows(2), said);
        assert_eq!(rows(3), said.map(|text| text.trim_end_matches(':')));
    }

    #[test]
    fn entries_with_years_and_items_in_one_font_have_no_kinds() {
        let entries =
            [("### Work", 1), ("Engineer", 2), ("Acme 2019", 3), ("Fitter", 2), ("Emca", 3)];
        assert_eq!(read(&entries), entries.map(|(text, _)| text));
        let items = [("### Skills", 1), ("Welding", 3), ("Drilling", 3), ("Word", 3), ("Excel", 3)];
        assert_eq!(read(&items), items.map(|(text, _)| text));
    }

    #[test]
    fn a_kind_that_has_no_letter_of_the_first_one_is_told_by_what_the_items_look_like() {
        let list = [
            ("### Skills", 1),
            ("Systems", 2),
            ("Ubuntu Cluster", 3),
            ("Windows", 3),
            ("Cloud", 2),
            ("Debian Cluster", 3),
        ];
        let said =
            ["### Skills", "Systems:", "Ubuntu Cluster", "Windows", "Cloud:", "Debian Cluster"];
        assert_eq!(read(&list), said);
    }
}
