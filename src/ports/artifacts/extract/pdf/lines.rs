//! Letters put together to the pieces of lines that white space keeps apart.

use std::collections::{BTreeMap, BTreeSet};

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use unicode_bidi::{BidiClass, bidi_class};

use super::page::{Letter, UNKNOWN, is_private};
use super::weights;

/// How letters look in the font of a text.
pub(super) type Looks = BTreeMap<char, u128>;

/// Text of one line without a wide gap in it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) baseline: f64,
    pub(super) size: f64,
    /// How its letters look.
    pub(super) looks: Looks,
    /// Whether its first and its last letter are bold; nothing where the font does not say.
    pub(super) bold: (Option<bool>, Option<bool>),
}

impl Piece {
    /// How wide its first word is, about.
    pub(super) fn first_word(&self) -> f64 {
        let count = |text: &str| u32::try_from(text.chars().count()).map_or(0.0, f64::from);
        let first = self.text.split(' ').next().unwrap_or_default();
        (self.right - self.left) * count(first) / count(&self.text).max(1.0)
    }
}

/// A page with more pieces than this is none that columns of labels or cells are looked for in; a full one has a fifth.
pub(super) const PIECES_MAX: usize = 1_500;

/// Distances, in type sizes. Two letters further apart than this are two words, and then two pieces.
const WORD: f64 = 0.13;
const WIDE: f64 = 1.0;

/// Letters whose baselines differ by no more than this stand in one line.
const SAME_LINE: f64 = 0.25;

/// From what size on type may be that of a name, in sizes of the running text.
const NAME: f64 = 1.3;

/// A gap that is wide only because the line is stretched: so many times the gap between its other words.
const STRETCHED: f64 = 1.8;

/// Widest gap between the words of a stretched line, in type sizes.
const STRETCHED_MAX: f64 = 1.3;

/// The pieces of a page, in no order.
pub(super) fn pieces(letters: Vec<Letter>) -> Vec<Piece> {
    let mut rows = rows(accented(letters));
    for row in &mut rows {
        row.sort_by(|one, other| one.left.total_cmp(&other.left));
        row.dedup_by(|one, other| is_twice(one, other));
    }
    let word = word_gap(&rows);
    let mut parts: Vec<Vec<Letter>> = Vec::new();
    // Where the parts of the row above begin, and its baseline.
    let mut above: (Vec<f64>, f64) = (Vec::new(), f64::NEG_INFINITY);
    for row in rows {
        let mut row = in_grid(parted(row, word), &above);
        if let Some(first) = row.first().and_then(|part| part.first()) {
            above = (lefts(&row), first.baseline);
        }
        parts.append(&mut row);
    }
    let mut sizes: Vec<f64> = parts.iter().flatten().map(|letter| letter.size).collect();
    let usual = median(&mut sizes);
    let starts = starts(&parts);
    let parts =
        parts.into_iter().flat_map(|part| at_column(part, &starts)).flat_map(weights::by_size);
    parts.filter_map(|part| piece(&part, usual)).collect()
}

/// Fewest columns of a grid, and furthest apart that its rows are, in type sizes.
const GRID_MIN: usize = 3;
const GRID_STEP: f64 = 2.2;

fn lefts(parts: &[Vec<Letter>]) -> Vec<f64> {
    parts.iter().filter_map(|part| part.first()).map(|letter| letter.left).collect()
}

/// The parts of a row, those in several that reach as far as the next column of the row above and go on there, where all
/// columns begin at the same places in both.
fn in_grid(row: Vec<Vec<Letter>>, (above, baseline): &(Vec<f64>, f64)) -> Vec<Vec<Letter>> {
    let begins = |letter: &Letter| {
        let next = above.partition_point(|x| *x < letter.left - COLUMN_WIDTH);
        above.get(next).is_some_and(|x| *x <= letter.left + COLUMN_WIDTH)
    };
    let first = row.first().and_then(|part| part.first());
    let is_near = first.is_some_and(|first| first.baseline - baseline < GRID_STEP * first.size);
    let begin = |part: &Vec<Letter>| part.first().is_some_and(begins);
    if above.len() < GRID_MIN || row.len() >= above.len() || !is_near || !row.iter().all(begin) {
        return row;
    }
    let mut parts: Vec<Vec<Letter>> = Vec::new();
    let mut last: Option<&Letter> = None;
    for letter in row.iter().flatten() {
        let is_next = last.is_none_or(|last| gap(last, letter) > WORD) && begins(letter);
        last = if is_space(letter) { last } else { Some(letter) };
        match parts.last_mut() {
            Some(part) if is_space(letter) || !is_next => part.push(letter.clone()),
            _ => parts.push(vec![letter.clone()]),
        }
    }
    if parts.len() == above.len() { parts } else { row }
}

/// Fewest lines that begin where a column does, and how far apart they begin, in points.
const COLUMN_MIN: usize = 3;
const COLUMN_WIDTH: f64 = 0.7;

/// Gap before a column where it is narrow, in type sizes, and in the narrowest gaps of the same line.
const NARROW: f64 = 0.32;
const NARROW_TO_WORD: f64 = 1.2;
const NARROW_ALONE: f64 = 0.45;

/// Where several lines begin.
fn starts(parts: &[Vec<Letter>]) -> Vec<f64> {
    let mut lefts: Vec<f64> =
        parts.iter().filter_map(|part| part.first()).map(|letter| letter.left).collect();
    lefts.sort_by(f64::total_cmp);
    let groups = lefts.chunk_by(|one, next| next - one <= COLUMN_WIDTH);
    groups.filter(|group| group.len() >= COLUMN_MIN).map(|group| group[0]).collect()
}

/// A line in two where a column begins in the middle of it, however narrow the gap before it is.
fn at_column(part: Vec<Letter>, starts: &[f64]) -> Vec<Vec<Letter>> {
    let visible: Vec<usize> = (0..part.len()).filter(|at| !is_space(&part[*at])).collect();
    let gaps: Vec<(usize, f64)> = visible
        .windows(2)
        .map(|pair| (pair[1], gap(&part[pair[0]], &part[pair[1]])))
        .filter(|(_, gap)| *gap > WORD)
        .collect();
    let word = gaps.iter().map(|(_, gap)| *gap).fold(f64::MAX, f64::min);
    let least = if gaps.len() > 1 { NARROW.max(word * NARROW_TO_WORD) } else { NARROW_ALONE };
    let begins =
        |letter: &Letter| starts.iter().any(|start| (letter.left - start).abs() <= COLUMN_WIDTH);
    let at = gaps.iter().find(|(at, gap)| *gap > least && begins(&part[*at]));
    let Some((at, _)) = at else { return vec![part] };
    let mut first = part;
    let second = first.split_off(*at);
    vec![first, second]
}

/// Letters by the lines that they stand in.
fn rows(mut letters: Vec<Letter>) -> Vec<Vec<Letter>> {
    letters.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let mut rows: Vec<Vec<Letter>> = Vec::new();
    for letter in letters {
        match rows.last_mut() {
            Some(row) if is_beside(&row[0], &letter) => row.push(letter),
            _ => rows.push(vec![letter]),
        }
    }
    rows
}

fn is_beside(one: &Letter, other: &Letter) -> bool {
    (one.baseline - other.baseline).abs() <= SAME_LINE * one.size.min(other.size)
}

/// Whether a letter is another one drawn again to look bold.
fn is_twice(one: &Letter, other: &Letter) -> bool {
    one.text == other.text && (one.left - other.left).abs() < 0.08 * one.size
}

/// The usual gap between words of a page, in type sizes.
fn word_gap(rows: &[Vec<Letter>]) -> f64 {
    let mut gaps: Vec<f64> = Vec::new();
    for row in rows {
        let visible: Vec<&Letter> = row.iter().filter(|letter| !is_space(letter)).collect();
        let between = visible.windows(2).map(|pair| gap(pair[0], pair[1]));
        gaps.extend(between.filter(|gap| *gap > WORD && *gap < WIDE));
    }
    median(&mut gaps)
}

/// The narrowest gap between two words in boxes of their own, in type sizes, in usual gaps of the page and in gaps of
/// the same line.
const BOXED: f64 = 0.7;
const BOXED_TO_WORD: f64 = 3.3;
const BOXED_TO_WORD_IN_ROW: f64 = 2.5;

/// Fewest wide gaps of a row of items.
const ROW_MIN: usize = 2;

/// How many times the narrowest gap of a line another is where it is not stretched.
const UNEVEN: f64 = 1.5;

/// From what width on a gap parts a line of short items, each in its box; none in letters that are set apart.
fn boxed(gaps: &[f64], word: f64) -> f64 {
    let mut wide: Vec<f64> = gaps.iter().copied().filter(|gap| *gap > WORD).collect();
    if word <= WORD || wide.len() * 3 > gaps.len() {
        return WIDE;
    }
    wide.sort_by(f64::total_cmp);
    // Lines that are stretched have no narrow gap, and all of theirs are equal.
    let is_uneven = |least: f64| least >= BOXED && wide.iter().any(|gap| *gap > least * UNEVEN);
    let least = wide.first().copied().filter(|least| wide.len() > 2 && !is_uneven(*least));
    let least = least.unwrap_or(word);
    // In a row of items, the first may stand closer to what they are.
    let is_row = wide.iter().filter(|gap| **gap > WIDE).count() >= ROW_MIN || is_of_two(&wide);
    let to_word = if is_row { BOXED_TO_WORD_IN_ROW } else { BOXED_TO_WORD };
    BOXED.max(word.max(least) * to_word).min(WIDE)
}

/// How many times the narrowest of gaps that are alike the widest is, and fewest that show that they are.
const ALIKE: f64 = 1.1;
const ALIKE_MIN: usize = 3;

/// Whether gaps, by their width, are those between words and wider ones between items, with none in between: a line that
/// is stretched has but one kind.
fn is_of_two(gaps: &[f64]) -> bool {
    let (words, items) = gaps.split_at(gaps.partition_point(|gap| *gap < BOXED));
    let are_alike = |gaps: &[f64]| match gaps {
        [least, .., most] => gaps.len() >= ALIKE_MIN && most <= &(least * ALIKE),
        _ => false,
    };
    are_alike(words) && are_alike(items)
}

/// Fewest gaps that show that the letters of a line are set apart.
const SET_APART_MIN: usize = 4;

/// The gap between the letters of a line that are set apart for looks, in type sizes: between its words stand two of
/// them and a space.
fn set_apart(gaps: &[f64]) -> Option<f64> {
    let between = median(&mut gaps.to_vec());
    (gaps.len() >= SET_APART_MIN && between > WORD).then_some(between)
}

/// A line parted where its gaps are wide.
fn parted(row: Vec<Letter>, word: f64) -> Vec<Vec<Letter>> {
    let visible: Vec<&Letter> = row.iter().filter(|letter| !is_space(letter)).collect();
    let gaps: Vec<f64> = visible.windows(2).map(|pair| gap(pair[0], pair[1])).collect();
    let mut between_words: Vec<f64> = gaps.iter().copied().filter(|gap| *gap > WORD).collect();
    // The lower third: in a row of items there are more gaps between them than within.
    between_words.sort_by(f64::total_cmp);
    let usual = if between_words.len() > 4 { between_words[between_words.len() / 3] } else { 0.0 };
    // Nobody stretches lines as far as that, and some of their gaps but not the others.
    let is_row = between_words.iter().filter(|gap| **gap > WIDE).count() >= ROW_MIN
        && between_words.first().is_some_and(|least| *least <= word * UNEVEN);
    let usual = if usual > STRETCHED_MAX || is_row { 0.0 } else { usual };
    let wide = match set_apart(&gaps) {
        Some(between) => WIDE + 2.0 * between,
        None => boxed(&gaps, word).max(usual * STRETCHED),
    };
    let mut parts: Vec<Vec<Letter>> = Vec::new();
    let mut end: Option<Letter> = None;
    for letter in row {
        if is_space(&letter) {
            if let Some(part) = parts.last_mut() {
                part.push(letter);
            }
            continue;
        }
        let goes_on = end.as_ref().is_some_and(|end| gap(end, &letter) <= wide);
        end = Some(letter.clone());
        match parts.last_mut() {
            Some(part) if goes_on => part.push(letter),
            _ => parts.push(vec![letter]),
        }
    }
    parts
}

/// The gap between two letters, in type sizes.
fn gap(one: &Letter, next: &Letter) -> f64 {
    (next.left - one.right) / one.size.max(next.size)
}

fn is_space(letter: &Letter) -> bool {
    letter.text.trim().is_empty()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Letters with spaces between the words, in the order in which they are read.
fn piece(letters: &[Letter], usual: f64) -> Option<Piece> {
    let first = letters.first()?;
    let mut gaps: Vec<f64> = letters
        .windows(2)
        .filter(|pair| !pair.iter().any(is_space))
        .map(|pair| gap(&pair[0], &pair[1]))
        .collect();
    // Letters that are set apart for looks are no words.
    let spaced = if gaps.len() > 2 { median(&mut gaps).max(0.0) } else { 0.0 };
    let mut words: Vec<Vec<&Letter>> = Vec::new();
    let mut last: Option<&Letter> = None;
    for letter in letters {
        if is_space(letter) {
            last = None;
            continue;
        }
        let goes_on = last.is_some_and(|last| gap(last, letter) <= spaced * 1.4 + WORD);
        match words.last_mut() {
            Some(word) if goes_on => word.push(letter),
            _ => words.push(vec![letter]),
        }
        last = Some(letter);
    }
    let right = letters.iter().map(|letter| letter.right).fold(first.left, f64::max);
    let size = letters.iter().map(|letter| letter.size).fold(0.0, f64::max);
    // A name may have its last part in bold; it is in larger type.
    let second = weights::second(&words).filter(|_| size < usual * NAME);
    let (first_value, rest) = words.split_at(second.unwrap_or_default());
    let texts = |words: &[Vec<&Letter>]| {
        let words: Vec<Vec<&str>> = words
            .iter()
            .map(|word| word.iter().map(|letter| letter.text.as_str()).collect())
            .collect();
        in_reading_order(&words)
    };
    let text = match second {
        Some(_) => format!("{}\t{}", texts(first_value), texts(rest)),
        None => texts(rest),
    };
    let text = composed(&text);
    // Fonts of symbols keep their bullets and pictures where no letters are.
    let text = text.replace(is_private, "•");
    let text = match text.strip_prefix(UNKNOWN) {
        Some(item) if item.is_empty() || item.starts_with(' ') => format!("•{item}"),
        _ => text,
    };
    let looks = letters.iter().filter_map(|letter| {
        let mut chars = letter.text.chars();
        let (one, None) = (chars.next()?, chars.next()) else { return None };
        (one.is_alphanumeric() && letter.look != 0).then_some((one, letter.look))
    });
    let looks = looks.collect();
    let last = words.last().and_then(|word| word.last());
    let bold = (first.is_bold, last.and_then(|last| last.is_bold));
    let Letter { left, baseline, .. } = *first;
    Some(Piece { text, left, right, baseline, size, looks, bold })
}

/// Words as they stand from left to right, put in the order in which they are read.
fn in_reading_order(words: &[Vec<&str>]) -> String {
    let is_rtl = |word: &Vec<&str>| {
        word.iter()
            .flat_map(|letters| letters.chars())
            .any(|c| matches!(bidi_class(c), BidiClass::R | BidiClass::AL))
    };
    let count = words.iter().filter(|word| is_rtl(word)).count();
    if count == 0 {
        return words.iter().map(|word| word.concat()).collect::<Vec<_>>().join(" ");
    }
    let mut read: Vec<String> = Vec::new();
    // Neighbouring words of such a script change places; in a line of them, all that stands between does, too.
    let mut run: Vec<String> = Vec::new();
    for word in words {
        if is_rtl(word) {
            run.push(word.iter().rev().copied().collect());
        } else {
            read.extend(run.drain(..).rev());
            read.push(word.concat());
        }
    }
    read.extend(run.drain(..).rev());
    if count * 2 > words.len() && count < words.len() {
        read =
            words
                .iter()
                .rev()
                .map(|word| {
                    if is_rtl(word) { word.iter().rev().copied().collect() } else { word.concat() }
                })
                .collect();
    }
    read.join(" ")
}

/// Accents on their letters, and letters that a font draws as one taken apart.
fn composed(text: &str) -> String {
    let is_form = |c: char| matches!(c, '\u{fb00}'..='\u{fb06}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    let plain: String = if text.contains(is_form) {
        let parts = DecomposingNormalizerBorrowed::new_nfkd();
        text.chars()
            .flat_map(|c| {
                let c = c.to_string();
                if c.contains(is_form) { parts.normalize(&c).into_owned() } else { c }
                    .chars()
                    .collect::<Vec<_>>()
            })
            .collect()
    } else {
        text.to_owned()
    };
    ComposingNormalizerBorrowed::new_nfc().normalize(&plain).into_owned()
}

/// Accents that are drawn as letters of their own, over or under the letter before or after them.
const ACCENTS: [(char, char); 17] = [
    ('´', '\u{301}'),
    ('`', '\u{300}'),
    ('ˋ', '\u{300}'),
    ('ˆ', '\u{302}'),
    ('^', '\u{302}'),
    ('˜', '\u{303}'),
    ('~', '\u{303}'),
    ('¨', '\u{308}'),
    ('˙', '\u{307}'),
    ('˚', '\u{30a}'),
    ('°', '\u{30a}'),
    ('¸', '\u{327}'),
    ('˛', '\u{328}'),
    ('ˇ', '\u{30c}'),
    ('˘', '\u{306}'),
    ('¯', '\u{304}'),
    ('˝', '\u{30b}'),
];

fn accent(letter: &Letter) -> Option<char> {
    let mut letters = letter.text.chars();
    let (first, None) = (letters.next()?, letters.next()) else { return None };
    if ('\u{300}'..='\u{36f}').contains(&first) {
        return Some(first);
    }
    ACCENTS.iter().find(|(alone, _)| *alone == first).map(|(_, combining)| *combining)
}

/// Puts accents on the letters that they are drawn over.
fn accented(mut letters: Vec<Letter>) -> Vec<Letter> {
    let mut taken = BTreeSet::new();
    for at in 0..letters.len() {
        let Some(mark) = accent(&letters[at]) else { continue };
        let beneath = [at.checked_add(1), at.checked_sub(1)]
            .into_iter()
            .flatten()
            .find(|base| letters.get(*base).is_some_and(|base| carries(base, &letters[at])));
        if let Some(base) = beneath {
            let base = &mut letters[base];
            base.text = match base.text.as_str() {
                "ı" => "i".to_owned(),
                "ȷ" => "j".to_owned(),
                other => other.to_owned(),
            };
            base.text.push(mark);
            taken.insert(at);
        }
    }
    let mut at = 0;
    letters.retain(|_| {
        at += 1;
        !taken.contains(&(at - 1))
    });
    letters
}

/// Whether an accent stands over a letter rather than beside it.
fn carries(base: &Letter, accent: &Letter) -> bool {
    let middle = f64::midpoint(accent.left, accent.right);
    let is_letter = base.text.chars().next().is_some_and(char::is_alphabetic);
    is_letter
        && base.left <= middle
        && middle <= base.right
        && (base.baseline - accent.baseline).abs() < 0.7 * base.size
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters half as wide as they are high.
    fn letters(text: &str, left: f64, baseline: f64) -> Vec<Letter> {
        let places = (0_u32..).zip(text.chars()).filter(|(_, c)| *c != ' ');
        let left_of = |at: u32| left + 5.0 * f64::from(at);
        let letter = |(at, c): (u32, char)| {
            let (text, left) = (c.to_string(), left_of(at));
            Letter { text, left, right: left + 5.0, baseline, size: 10.0, look: 0, is_bold: None }
        };
        places.map(letter).collect()
    }

    #[test]
    fn gaps_of_one_width_between_items_part_them_though_they_are_narrow() {
        let read = |gap: f64| {
            let mut all = Vec::new();
            let mut left = 50.0;
            for item in ["1 Quay Rd, Leeds", "020 7946", "ada@example.org", "example.org"] {
                let letters = letters(item, left, 100.0);
                left = letters.last().map_or(left, |letter| letter.right) + gap;
                all.extend(letters);
            }
            // As wide as a space is in most fonts.
            let all = all.into_iter().map(|letter| Letter { size: 19.0, ..letter });
            pieces(all.collect()).len()
        };
        assert_eq!(read(15.0), 4);
        assert_eq!(read(10.0), 1);
    }

    #[test]
    fn a_text_that_reaches_the_next_column_of_a_grid_ends_there() {
        let read = |office: f64| {
            let mut all = Vec::new();
            for (text, left, baseline) in [
                ("Web", 50.0, 100.0),
                ("Office", office, 100.0),
                ("Trade", 200.0, 100.0),
                ("Rust, reading Word", 50.0, 114.0),
                ("Drills", 200.0, 114.0),
            ] {
                all.extend(letters(text, left, baseline));
            }
            pieces(all).into_iter().map(|piece| piece.text).collect::<Vec<_>>()
        };
        let kinds = ["Web", "Office", "Trade"].map(str::to_owned);
        assert_eq!(
            read(120.0),
            [&kinds[..], &["Rust, reading", "Word", "Drills"].map(str::to_owned)].concat()
        );
        assert_eq!(read(130.0)[3..], ["Rust, reading Word", "Drills"]);
    }
}
