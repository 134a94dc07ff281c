//! What stands at the top or the bottom of every page says nothing new after the first one.

use super::lines::Piece;

/// Rows at the top and at the bottom that are looked at.
const EDGE: usize = 2;

/// The pages without running headers and footers, which stay on the first, and without page numbers.
pub(super) fn without(pages: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let edges: Vec<Vec<String>> =
        pages.iter().map(|page| edge(page).into_iter().map(|(_, text)| text).collect()).collect();
    let mut kept = Vec::new();
    for (at, page) in pages.into_iter().enumerate() {
        let others = || edges.iter().take(at);
        let drop: Vec<f64> = edge(&page)
            .into_iter()
            .filter(|(_, text)| is_number(text) || others().any(|edge| edge.contains(text)))
            .map(|(baseline, _)| baseline)
            .collect();
        let stays = |piece: &Piece| !drop.iter().any(|at| (at - piece.baseline).abs() < 0.5);
        kept.push(page.into_iter().filter(stays).collect());
    }
    kept
}

/// White between a header or a footer and what it is not part of, in type sizes, and in usual distances of lines: the
/// head of a table has no more than its rows.
const APART: f64 = 1.9;
const APART_FROM_USUAL: f64 = 1.4;

/// Most numbers of a header, such as that of the page and of all of them.
const NUMBERS_MAX: usize = 2;

/// The first and the last rows of a page that stand apart from the others, with digits made equal.
fn edge(page: &[Piece]) -> Vec<(f64, String)> {
    let mut pieces: Vec<&Piece> = page.iter().collect();
    pieces.sort_by(|one, other| {
        one.baseline.total_cmp(&other.baseline).then(one.left.total_cmp(&other.left))
    });
    let mut rows: Vec<(f64, f64, String)> = Vec::new();
    for piece in pieces {
        match rows.last_mut() {
            Some((baseline, size, row)) if (*baseline - piece.baseline).abs() < 0.5 => {
                *size = size.max(piece.size);
                row.push(' ');
                row.push_str(&piece.text);
            }
            _ => rows.push((piece.baseline, piece.size, piece.text.clone())),
        }
    }
    let mut steps: Vec<f64> = rows.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or_default();
    let is_apart = |one: usize, next: usize| {
        rows.get(one).zip(rows.get(next)).is_none_or(|((above, size, _), (below, other, _))| {
            let step = below - above;
            step > APART * size.max(*other).min(size * 1.5) && step > usual * APART_FROM_USUAL
        })
    };
    let count = rows.len();
    let top = (1..=EDGE).filter(|at| is_apart(at - 1, *at)).max().unwrap_or_default();
    let bottom = (1..=EDGE.min(count))
        .filter(|at| *at < count && is_apart(count - at - 1, count - at))
        .max();
    let bottom = count - bottom.unwrap_or_default();
    let at_edge = |at: usize| at < top || at >= bottom;
    let rows = rows.iter().enumerate().filter(|(at, _)| at_edge(*at));
    rows.map(|(_, (baseline, _, text))| (*baseline, alike(text))).collect()
}

/// A text that is the same on every page: without its digits, where few numbers stand in it.
fn alike(text: &str) -> String {
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    if numbers.count() > NUMBERS_MAX {
        return text.to_owned();
    }
    text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// `2`, `Page 2 of 3`, `2/3`, `Seite 2`: digits are zeroes here.
fn is_number(text: &str) -> bool {
    const WORDS: [&str; 11] =
        ["page", "of", "seite", "von", "página", "de", "sur", "pagina", "van", "p", "pág"];
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_short = text.contains('0') && text.chars().count() <= 20;
    let numbers = text.split(|c: char| c != '0').filter(|number| !number.is_empty()).count();
    is_short
        && numbers <= 2
        && words.all(|word| {
            word.len() <= 3 && word.chars().all(|c| c == '0')
                || WORDS.contains(&word.to_lowercase().as_str())
        })
}
