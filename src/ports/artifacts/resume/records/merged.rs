//! Entries whose names nothing but their type parts, which the text has lost: `Fitter Acme Ltd, Leeds, May 2019 to June
//! 2021`.

use std::collections::HashMap;

use super::super::{dates, lines::Line, place, schools, words};

/// Fewest entries that show how they are set.
const ENTRIES_MIN: usize = 2;

/// Most words of a title and its firm.
const NAMES_MAX: usize = 12;

/// The lines with titles and firms apart, where all entries are a title, a firm and perhaps a town in one line before the
/// period.
pub(super) fn roles(lines: Vec<Line>) -> Vec<Line> {
    let entries = || lines.iter().filter(|line| is_entry(line));
    let are_all = entries().all(|line| parted(&line.text).is_some());
    if !are_all || entries().count() < ENTRIES_MIN {
        return lines;
    }
    let apart = |line: Line| match parted(&line.text).filter(|_| is_entry(&line)) {
        Some((title, rest)) => Line { text: format!("{title}\t{rest}"), ..line },
        None => line,
    };
    lines.into_iter().map(apart).collect()
}

/// A line with names before its period.
fn is_entry(line: &Line) -> bool {
    !line.bullet
        && dates::find(&line.text)
            .is_some_and(|period| period.start.is_some() && period.at.start > 0)
}

/// A title, and the firm with what follows it: the last word of the title is that of a job, and the firm begins large and
/// is told by its form or as somebody's own.
fn parted(text: &str) -> Option<(&str, &str)> {
    let (first, behind) = text.split_once(", ")?;
    // What stands behind the comma is a town and the period, and no firm.
    let town = behind.split(", ").next().unwrap_or_default();
    if first.contains(['\t', '|', '·', '(', '@', ':', '–', '—'])
        || first.split_whitespace().count() > NAMES_MAX
        || words::is_organisation(town) && !place::is_place(town)
    {
        return None;
    }
    let ends = first.match_indices(' ').map(|(at, _)| at);
    let parts = |at: &usize| {
        let (title, firm) = (&first[..*at], &first[at + 1..]);
        let last = title.rsplit(' ').next().unwrap_or_default();
        words::is_position(last)
            && !words::is_organisation(title)
            && firm.starts_with(char::is_uppercase)
            && !words::is_position(firm)
            && words::is_organisation(firm)
            || words::is_position(last) && words::is_own(firm)
    };
    let at = ends.rev().find(parts)?;
    Some((&text[..at], &text[at + 1..]))
}

/// The lines with subjects and schools apart, where the same subject stands before different schools: `Master – Physics
/// Hill College` and `Bachelor – Physics Dale College`. What two schools begin with is no part of their names.
pub(super) fn schools(lines: Vec<Line>) -> Vec<Line> {
    let mut leads: HashMap<&str, usize> = HashMap::new();
    for lead in lines.iter().filter_map(led) {
        *leads.entry(lead).or_default() += 1;
    }
    let at_end = |line: &Line| {
        let lead = led(line).filter(|lead| leads.get(lead).is_some_and(|count| *count > 1))?;
        Some(line.text.find(" – ")? + " – ".len() + lead.len())
    };
    let ends: Vec<Option<usize>> = lines.iter().map(at_end).collect();
    let apart = |(line, end): (Line, Option<usize>)| match end {
        Some(end) => {
            let text = format!("{}\t{}", &line.text[..end], line.text[end..].trim_start());
            Line { text, ..line }
        }
        None => line,
    };
    lines.into_iter().zip(ends).map(apart).collect()
}

/// What stands between the dash behind a degree and the first word of a school.
fn led(line: &Line) -> Option<&str> {
    let (degree, rest) = line.text.split_once(" – ").filter(|_| !line.bullet)?;
    let name = rest.split(", ").next().filter(|name| !name.contains(['\t', '–', '@', '(']))?;
    let school = name.split(' ').find(|word| words::is_school(word))?;
    let lead = name[..name.find(school)?].trim_end();
    (!lead.is_empty() && schools::names_degree(degree)).then_some(lead)
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn names_that_nothing_parts_are_told_by_their_words() {
        let text = "Ada Byron\nada@example.org\n\n## Berufserfahrung\nLeitender Schlosser Acme Pumpen GmbH, Berlin, \
                    Mai 2019 bis heute\n\n• Pumpen\n\nSchlosser Selbstständig, Berlin, Mai 2016 bis April 2019\n\n\
                    ## Ausbildung\nMaster of Science – Physik Hochschule Nullstadt, Bonn, Oktober 2014 bis Mai 2016\n\n\
                    Bachelor of Science – Physik Universität Einsdorf, Bonn, Oktober 2011 bis Mai 2014";
        let draft = draft(text);
        let work = &draft.skeleton_timeline["work"];
        assert_eq!([&work[0]["name"], &work[1]["name"]], ["Acme Pumpen GmbH", "Selbstständig"]);
        assert_eq!(
            [&work[0]["position"], &work[1]["position"]],
            ["Leitender Schlosser", "Schlosser"]
        );
        let schools = &draft.education_history["education"];
        assert_eq!(schools[0]["institution"], "Hochschule Nullstadt");
        assert_eq!([&schools[0]["area"], &schools[1]["area"]], ["Physik", "Physik"]);
    }
}
