//! Where the values of entries stand in the lines of their section.

use serde_json::Value;

use super::super::{dates, lines::Line};

/// A value of an entry.
pub(super) fn text<'v>(entry: &'v Value, key: &str) -> &'v str {
    entry[key].as_str().unwrap_or_default()
}

/// Where a value stands: the line and the byte in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) line: usize,
    pub(super) byte: usize,
}

/// Drafted entries, and the lines that they were read from.
#[derive(Debug)]
pub(super) struct Entries<'e> {
    pub(super) list: &'static str,
    pub(super) lines: &'e [&'e Line],
    pub(super) drafted: &'e [Value],
    pub(super) keys: &'static [&'static str],
    /// For each entry, where the values of the keys stand.
    spots: Vec<Vec<Option<Spot>>>,
    /// Which lines hold a value.
    is_taken: Vec<bool>,
}

impl<'e> Entries<'e> {
    pub(super) fn of(
        lines: &'e [&'e Line],
        list: &'static str,
        drafted: &'e [Value],
        keys: &'static [&'static str],
    ) -> Self {
        let is_taken = vec![false; lines.len()];
        let mut found = Self { list, lines, drafted, keys, spots: Vec::new(), is_taken };
        // Which entry a value was found for, as the next entry may have the same value in another line.
        let mut taken: Vec<Vec<&str>> = vec![Vec::new(); lines.len()];
        for entry in drafted {
            let spots: Vec<Option<Spot>> = keys
                .iter()
                .map(|key| text(entry, key))
                .map(|value| spot(value, lines, &taken))
                .collect();
            for (spot, key) in spots.iter().zip(keys) {
                if let Some(spot) = spot {
                    taken[spot.line].push(text(entry, key));
                    found.is_taken[spot.line] = true;
                }
            }
            found.spots.push(spots);
        }
        found
    }

    /// Where a value of an entry stands.
    pub(super) fn spot(&self, entry: usize, key: &str) -> Option<Spot> {
        let at = self.keys.iter().position(|known| *known == key)?;
        *self.spots.get(entry)?.get(at)?
    }

    /// The line below one, if it belongs to the same block and no value stands in it.
    pub(super) fn free_below(&self, line: usize) -> Option<&Line> {
        let next = self.lines.get(line + 1).filter(|_| !self.is_taken[line + 1])?;
        (!next.after_gap && !next.bullet).then_some(*next)
    }

    /// The path of a member of an entry.
    pub(super) fn path(&self, entry: usize, key: &str) -> String {
        format!("{}.{entry}.{key}", self.list)
    }
}

/// The first line with a value that is no part of what was found there for another entry; any other line with it where
/// there is none.
fn spot(value: &str, lines: &[&Line], taken: &[Vec<&str>]) -> Option<Spot> {
    if value.is_empty() {
        return None;
    }
    let mut first = None;
    let spots = lines.iter().enumerate().filter_map(|(line, text)| {
        let byte = whole(&text.text, value)?;
        Some(Spot { line, byte })
    });
    for spot in spots {
        if !taken[spot.line].iter().any(|other| other.contains(value)) {
            return Some(spot);
        }
        first = first.or(Some(spot));
    }
    first
}

/// Where a value stands in a text without being a part of longer words.
pub(super) fn whole(text: &str, value: &str) -> Option<usize> {
    let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(value).map(|(at, _)| at).find(|at| {
        is_apart(text[..*at].chars().next_back())
            && is_apart(text[at + value.len()..].chars().next())
    })
}

/// Whether words stand in a text, rather than marks and single letters.
pub(super) fn has_words(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() > 1)
}

/// A line with a tab in the place of its period.
pub(super) fn undated(line: &str) -> String {
    match dates::find(line) {
        Some(period) => format!("{}\t{}", &line[..period.at.start], &line[period.at.end..]),
        None => line.to_owned(),
    }
}
