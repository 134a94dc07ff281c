//! What typists and forms do to lines, undone before these are read: dots that lead to a date, two labels in one line,
//! `From` and `To` in lines or columns of their own, duties beside the heads of entries.

mod beside;
mod cells;
mod rows;
mod tables;

use super::{
    dates,
    sections::section_of,
    vocabulary::{Phrases, folded, vocabulary},
};

/// The text with one thing to a line, and every period in one place.
pub(super) fn plain(text: &str) -> String {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = undotted(line);
        if let Some((first, second)) = two_pairs(&line) {
            found.extend([first, second]);
            continue;
        }
        if let Some(end) = value_of(&line, ends)
            && let Some(last) = found.last_mut()
            && let Some(period) = value_of(last, begins).and_then(|begin| whole(begin, end))
        {
            *last = format!("{}\t{period}", label(last));
            continue;
        }
        found.push(line);
    }
    tables::joined(rows::whole(cells::whole(beside::whole(&found)))).join("\n")
}

/// `Acme Ltd ....... 2019 – 2021` with a column instead of the dots.
fn undotted(line: &str) -> String {
    let parted = line.split_once(" ..").and_then(|(before, rest)| {
        let date = rest.trim_start_matches('.').strip_prefix(' ')?.trim();
        (!before.trim().is_empty() && dates::find(date).is_some()).then_some((before, date))
    });
    parted.map_or_else(|| line.to_owned(), |(before, date)| format!("{before}\t{date}"))
}

/// `Name    Ada Byron    Phone    555-0147` as two lines.
fn two_pairs(line: &str) -> Option<(String, String)> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [one, first, other, second] = fields.as_slice() else { return None };
    let is_label =
        |text: &str| vocabulary().labels.contains_key(&folded(text.trim_end_matches(':')));
    let is_value = |text: &str| !text.is_empty() && !is_label(text);
    (is_label(one) && is_label(other) && is_value(first) && is_value(second))
        .then(|| (format!("{one}\t{first}"), format!("{other}\t{second}")))
}

/// Whether a line heads a section, and so stands in no table and beside no entry.
fn heads_section(line: &str) -> bool {
    line.starts_with('#') || !line.contains('\t') && section_of(line).is_some()
}

fn label(line: &str) -> &str {
    line.split('\t').next().unwrap_or_default()
}

/// What stands behind a label alone in its line.
fn value_of(line: &str, is_label: fn(&str) -> bool) -> Option<&str> {
    let (label, value) = line.split_once('\t')?;
    (is_label(label) && !value.contains('\t')).then(|| value.trim())
}

/// Whether a text heads the beginnings of periods: `From`.
fn begins(text: &str) -> bool {
    names(text, &vocabulary().from) || names(text, &vocabulary().since)
}

/// Whether a text heads the ends of periods: `To`.
fn ends(text: &str) -> bool {
    names(text, &vocabulary().between)
}

fn names(text: &str, phrases: &Phrases) -> bool {
    let text = folded(text.trim().trim_end_matches(':'));
    phrases.beginning_with(&text).iter().any(|phrase| phrase.len() == 1)
}

/// The period between two dates, if it is one.
fn whole(begin: &str, end: &str) -> Option<String> {
    let whole = format!("{} – {}", with_century(begin)?, with_century(end)?);
    let period = dates::find(&whole)?;
    (period.at == (0..whole.len()) && period.start.is_some()).then_some(whole)
}

/// Years of two digits up to this one are of this century.
const YEAR_MAX: u16 = 49;

/// `11/18` in a column of dates as `11/2018`.
fn with_century(date: &str) -> Option<String> {
    let date = date.trim();
    let Some((month, year)) = date.split_once(['/', '.', '-']).filter(|(_, year)| year.len() == 2)
    else {
        return (!date.is_empty()).then(|| date.to_owned());
    };
    let (number, year): (u16, u16) = (month.parse().ok()?, year.parse().ok()?);
    let century = if year <= YEAR_MAX { 2000 } else { 1900 };
    (1..=12).contains(&number).then(|| format!("{month}/{}", century + year))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_that_lead_to_a_date_are_a_column() {
        assert_eq!(
            plain("Acme Ltd, Leeds, UK .. May 2019 - Present"),
            "Acme Ltd, Leeds, UK\tMay 2019 - Present"
        );
        assert_eq!(plain("Acme Ltd ........... 2019"), "Acme Ltd\t2019");
        for text in ["and so on ...", "...", "Rust, Go ..."] {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn two_labels_in_a_line_and_a_period_in_two_are_put_apart_and_together() {
        assert_eq!(plain("Name\tAda Byron\tPhone\t555-0147"), "Name\tAda Byron\nPhone\t555-0147");
        assert_eq!(plain("From\t2/2019\nTo\tCurrent"), "From\t2/2019 – Current");
        assert_eq!(plain("Von\t2013\nBis\t2015"), "Von\t2013 – 2015");
        assert_eq!(plain("From\tAcme\nTo\tEmca"), "From\tAcme\nTo\tEmca");
    }
}
