//! Periods that numbers stand beside which were taken for no part of them: `02 / 2020 – 11 / 2020` read as a year.

use super::super::dates;
use super::spots::{Entries, text};

/// The paths of dates that may lack a part.
pub(super) fn doubtful(entries: &Entries<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for at in 0..entries.drafted.len() {
        if !holds_more(entries, at) {
            continue;
        }
        let keys = ["startDate", "endDate"].into_iter();
        let dated = keys.filter(|key| !text(&entries.drafted[at], key).is_empty());
        found.extend(dated.map(|key| entries.path(at, key)));
    }
    found
}

/// Whether the period that stands nearest to the names of an entry is a part of something longer.
fn holds_more(entries: &Entries<'_>, at: usize) -> bool {
    let entry = &entries.drafted[at];
    let dates = ["startDate", "endDate"].map(|key| text(entry, key));
    let Some(year) = dates.iter().find_map(|date| date.get(..4)) else { return false };
    let lines = entries.keys.iter().filter_map(|key| Some(entries.spot(at, key)?.line));
    let Some(first) = lines.min() else { return false };
    let near = (first.saturating_sub(1)..entries.lines.len()).take(HEAD_MAX);
    let mut texts = near.map(|line| entries.lines[line].text.as_str());
    let found = texts.find_map(|text| {
        let period = dates::find(text)?;
        text[period.at.clone()].contains(year).then_some((text, period.at))
    });
    found.is_some_and(|(text, at)| is_cut(&text[..at.start], &text[at.end..]))
}

/// Most lines around the names of an entry.
const HEAD_MAX: usize = 5;

/// Whether numbers and a slash stand right beside a period.
fn is_cut(before: &str, after: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let led = before.trim_end().strip_suffix(['/', '.']);
    let followed = after.trim_start().strip_prefix(['/', '–', '-']);
    led.is_some_and(|before| before.trim_end().ends_with(is_digit))
        || followed.is_some_and(|after| after.trim_start().starts_with(is_digit))
}

#[cfg(test)]
mod tests {
    use super::is_cut;

    #[test]
    fn numbers_beside_a_period_may_be_a_part_of_it() {
        assert!(is_cut("02 / ", ""));
        assert!(is_cut("", " – 11 / 2020"));
        assert!(!is_cut("BSc, ", " – Acme Ltd"));
        assert!(!is_cut("", " / Acme Ltd"));
    }
}
