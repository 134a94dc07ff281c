//! The lines that hold the period of a role.

use super::super::{
    countries,
    dates::{self, Period},
    doubt,
    lines::Line,
    place, words,
};

/// Longest title that begins small, in words.
const TITLE_MAX: usize = 5;

/// Longest abbreviation behind the last `&` of a name, in letters.
const ABBREVIATION_MAX: usize = 4;

/// A line that holds the period of a role: at the beginning or the end of one of its fields, short apart from it, and
/// no running text.
pub(super) fn anchor(line: &Line) -> Option<Period> {
    let period = opened(&line.text, dates::find(&line.text)?);
    let rest = without(&line.text, &period);
    let words = rest.split_whitespace().count();
    // `Engineer, Acme Systems, Smallville.`
    let lists = rest.contains(',')
        && words <= 9
        && !rest.contains(". ")
        && words::is_position(&rest)
        && period.start.is_some();
    // `Engineer    Acme Pumps & Co.`
    let form = rest.rsplit(['\t', ' ']).next().is_some_and(words::is_organisation)
        || ends_in_abbreviation(&rest);
    // `lead Engineer    May 2013 – June 2016`: a period in a column of its own stands beside no text.
    let is_title = line.text[..period.at.start].ends_with('\t')
        && words <= TITLE_MAX
        && words::is_position(&rest);
    // `Acme, Ameca, Jal.`
    let in_region =
        rest.rsplit_once(", ").is_some_and(|(_, last)| place::short_region(last).is_some());
    let prose =
        rest.ends_with('.') && words > 4 && !lists && !form && !in_region && !in_town(&rest)
            || rest.starts_with(char::is_lowercase)
                && !is_title
                && !rest.split([',', '\t', '–', '|']).next().is_some_and(words::is_own);
    let telling = !line.bullet || period.start.is_some();
    let marks = |c: char| !c.is_alphanumeric() && c != '\t';
    let before = line.text[..period.at.start].trim_end_matches(marks);
    let after = line.text[period.at.end..].trim_start_matches(marks);
    let length = after.split(['\t', ')']).next().unwrap_or_default();
    let is_length = length.starts_with(|c: char| c.is_ascii_digit()) && length.len() < 30;
    let at_edge = before.is_empty()
        || before.ends_with('\t')
        || after.is_empty()
        || after.starts_with('\t')
        || is_length
        || after.split_whitespace().count() <= 2 && after.ends_with(|c: char| c.is_ascii_digit())
        || line.text[period.at.end..].trim_start().starts_with(['|', '·', '•', ',', ')', ':']);
    (words <= 14 && !prose && telling && at_edge).then_some(period)
}

/// `Engineer    Acme Pumps & Zn.`: the stop is part of a name.
fn ends_in_abbreviation(rest: &str) -> bool {
    let last = rest.rsplit_once("& ").and_then(|(_, last)| last.strip_suffix('.'));
    last.is_some_and(|last| {
        last.starts_with(char::is_uppercase)
            && last.chars().all(char::is_alphabetic)
            && last.chars().count() <= ABBREVIATION_MAX
    })
}

/// `Professor of the History of Art, Acme University, Smallville.`: a title, and a known place before the stop.
fn in_town(rest: &str) -> bool {
    let plain = rest.trim_end_matches('.');
    let Some((before, town)) = plain.rsplit_once(", ") else { return false };
    let title = before.split(", ").next().unwrap_or_default();
    before.contains(", ")
        && !before.contains(". ")
        && words::is_position(title)
        && (place::is_known(town)
            || countries::is_us_state(town)
            || countries::country(town).is_some())
}

/// A line, and no item of a list, in which a period stands, whatever else does.
pub(super) fn is_dated(line: &Line) -> bool {
    let lasts = |period: Period| period.start.is_some() && (period.lasts || period.end.is_some());
    !line.bullet && dates::find(&line.text).is_some_and(lasts)
}

/// A line that names a job and a year in a way that is no period: `Summers 2009 and 2010    Waiter`.
pub(super) fn is_undated_role(line: &Line) -> bool {
    doubt::has_year(&line.text)
        && !line.bullet
        && !line.is_prose()
        && words::is_position(&line.text)
        && anchor(line).is_none()
}

/// `2019 –` with nothing behind the dash lasts.
fn opened(line: &str, period: Period) -> Period {
    let after = line[period.at.end..].trim_start_matches(' ');
    let rest = after.trim_start_matches(['-', '–', '—']);
    let is_open = rest.len() < after.len() && (rest.is_empty() || rest.starts_with('\t'));
    if !is_open || period.start.is_some() {
        return period;
    }
    let at = period.at.start..line.len() - rest.len();
    Period { at, start: period.end, end: None, lasts: true, is_vague: period.is_vague }
}

/// A line without its period and the marks around it.
pub(super) fn without(line: &str, period: &Period) -> String {
    let (before, after) = (&line[..period.at.start], &line[period.at.end..]);
    let marks = |c: char| c.is_whitespace() || "()[],;:|·•–—-*/".contains(c);
    let before = before.trim_end_matches(|c| marks(c) && c != ')');
    let after = after.trim_start_matches(|c| marks(c) && c != '(');
    // `(3 years)` after a period says nothing new.
    let after = if after.starts_with('(') && after.ends_with(')') { "" } else { after };
    let last = after.rsplit([' ', ',']).next().unwrap_or_default();
    let is_stop = last.ends_with('.') && last.chars().filter(|c| c.is_alphabetic()).count() > 4;
    let after = if is_stop && !last[..last.len() - 1].contains('.') {
        &after[..after.len() - 1]
    } else {
        after
    };
    match (before.is_empty(), after.is_empty()) {
        (false, false) => format!("{before}\t{after}"),
        _ => format!("{before}{after}").trim_matches(|c| marks(c) && c != ')').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abbreviation_at_the_end_of_a_name_ends_no_sentence() {
        let line =
            |text: &str| Line { text: text.to_owned(), bullet: false, after_gap: true, level: 0 };
        let period = "2017 – 2019\tFitter and welder\t";
        for name in ["Acme of the Valley & Nul.", "Valves of the Valley & Zn."] {
            assert!(anchor(&line(&format!("{period}{name}"))).is_some(), "{name}");
        }
        assert!(anchor(&line(&format!("{period}pumps for the whole valley & cow."))).is_none());
    }

    #[test]
    fn a_region_that_is_cut_short_ends_no_sentence() {
        let line =
            |text: &str| Line { text: text.to_owned(), bullet: false, after_gap: true, level: 0 };
        let text = "Auxiliar de Topografía — Catastro Municipal de Ameca, Ameca, Jal. (ene 2009 - dic 2010)";
        assert!(anchor(&line(text)).is_some());
        let text =
            "Took charge of the whole survey of Ameca from the old bridge. (ene 2009 - dic 2010)";
        assert!(anchor(&line(text)).is_none());
    }

    #[test]
    fn what_stands_beside_a_period_is_without_the_mark_between_them() {
        for line in [
            "09/2020 – Present / Leeds",
            "2019 – 2020 | Leeds",
            "Leeds / 09/2019 – 03/2020",
            "09/2020 – heute, Leeds",
        ] {
            let period = dates::find(line).unwrap();
            assert_eq!(without(line, &period), "Leeds", "{line}");
        }
    }
}
