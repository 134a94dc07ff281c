//! Entries that are written as sentences, `Engineer, Acme Ltd, May 2013 to June 2016. Designed pumps.`, or with what is
//! said of them behind semicolons.

use super::super::{dates, schools, words};
use super::Line;

/// Most words of an entry before its period, and of its first sentence.
const HEAD_MAX: usize = 14;
const FIRST_MAX: usize = 7;

/// The lines, with entries apart from what is said of them.
pub(super) fn apart(lines: Vec<Line>) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    for line in lines {
        let is_under_period = found.last().is_some_and(|last| dates::is_period(&last.text));
        let told = after_period(&line)
            .or_else(|| by_semicolon(&line))
            .or_else(|| behind_period(&line))
            .or_else(|| beside_period(&line))
            .or_else(|| remarked(&line));
        let parts = match told {
            None if is_under_period => by_sentence(&line),
            parts => parts,
        };
        let Some((heads, items)) = parts else {
            found.push(line);
            continue;
        };
        for text in heads {
            found.push(Line { text, after_gap: line.after_gap, ..line.clone() });
        }
        for text in items.into_iter().filter(|item| !item.is_empty()) {
            found.push(Line { text, bullet: true, after_gap: false, ..line.clone() });
        }
    }
    found
}

/// The lines that name an entry, and the items that are said of it.
type Parts = (Vec<String>, Vec<String>);

/// `May 2013 – June 2016    Engineer, Acme Ltd; Designed pumps; Led a team` in its head and its items.
fn by_semicolon(line: &Line) -> Option<Parts> {
    let begins =
        dates::find(&line.text).is_some_and(|found| found.start.is_some() && found.at.start == 0);
    let (head, items) = line.text.split_once("; ").filter(|_| begins && !line.bullet)?;
    let is_head = head.contains(',')
        && head.split_whitespace().count() <= HEAD_MAX
        && (words::is_position(head) || schools::names_degree(head));
    let items = items.split("; ").map(|item| item.trim().to_owned());
    is_head.then(|| (vec![head.to_owned()], items.collect()))
}

/// `Engineer, Acme Ltd, May 2013 to June 2016. Designed pumps.` in its two sentences.
fn after_period(line: &Line) -> Option<Parts> {
    let period = dates::find(&line.text)
        .filter(|period| period.start.is_some() && (period.lasts || period.end.is_some()))?;
    let (head, rest) = line.text.split_at(period.at.end);
    let before = &head[..period.at.start];
    let is_head = !line.bullet
        && before.contains(',')
        && before.split_whitespace().count() <= HEAD_MAX
        && words::is_position(before);
    let rest = rest.strip_prefix('.').filter(|_| is_head)?;
    Some((vec![head.to_owned()], vec![rest.trim().to_owned()]))
}

/// `May 2013 to June 2016: Engineer. Acme Ltd (Smallville). Designed pumps.` as an entry of two lines with its period, and
/// what is said of it.
fn behind_period(line: &Line) -> Option<Parts> {
    if line.bullet || !line.text.contains(": ") {
        return None;
    }
    let period = dates::find(&line.text).filter(|found| found.at.start == 0)?;
    let (when, rest) = line.text.split_at(period.at.end);
    let (first, rest) = sentence(rest.strip_prefix(": ")?)?;
    let is_head = words::is_position(first) || schools::names_degree(first);
    if !is_head || first.contains(". ") || first.split_whitespace().count() > FIRST_MAX {
        return None;
    }
    let (second, rest) = sentence(rest).unwrap_or((rest, ""));
    let second = second.trim_end_matches('.');
    if second.split_whitespace().count() > HEAD_MAX || second.starts_with(char::is_lowercase) {
        return None;
    }
    Some((vec![format!("{first}\t{when}"), second.to_owned()], vec![rest.to_owned()]))
}

/// `May 2013 – June 2016    Engineer, Acme Ltd, Leeds. Designed pumps.` in its head and what is said of it.
fn beside_period(line: &Line) -> Option<Parts> {
    let (when, rest) = line.text.split_once('\t').filter(|_| !line.bullet)?;
    let (head, told) = sentence(rest).filter(|_| dates::is_period(when))?;
    let is_head = head.contains(", ")
        && !head.contains('\t')
        && head.split_whitespace().count() <= HEAD_MAX
        && (words::is_position(head) || schools::names_degree(head));
    is_head.then(|| (vec![format!("{when}\t{head}")], vec![told.to_owned()]))
}

/// `May 2013 to June 2016. Thesis on pumps`: a period, and a remark on the entry.
fn remarked(line: &Line) -> Option<Parts> {
    if line.bullet || !line.text.contains(". ") {
        return None;
    }
    let period =
        dates::find(&line.text).filter(|found| found.at.start == 0 && found.start.is_some())?;
    let (when, rest) = line.text.split_at(period.at.end);
    let rest = rest.strip_prefix(". ")?;
    let is_remark = !words::is_position(rest) && !words::is_organisation(rest);
    is_remark.then(|| (vec![when.to_owned()], vec![rest.to_owned()]))
}

/// `Engineer. Acme Ltd, Smallville. Designed pumps.` in its three sentences.
fn by_sentence(line: &Line) -> Option<Parts> {
    let (first, rest) = sentence(&line.text)?;
    let is_head = words::is_position(first) || schools::names_degree(first);
    if line.bullet || !is_head || first.split_whitespace().count() > FIRST_MAX {
        return None;
    }
    let (second, rest) = sentence(rest).unwrap_or((rest, ""));
    let second = second.trim_end_matches('.');
    Some((vec![first.to_owned(), second.to_owned()], vec![rest.to_owned()]))
}

/// The first sentence of a text and what follows it. An abbreviation ends none, and brackets do.
fn sentence(text: &str) -> Option<(&str, &str)> {
    let ends = |at: &usize| {
        if text[..*at].ends_with(')') {
            return true;
        }
        let word = text[..*at].rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        word.chars().count() > 3
    };
    let at = text.match_indices(". ").map(|(at, _)| at).find(ends)?;
    Some((&text[..at], text[at + 2..].trim()))
}

#[cfg(test)]
mod tests {
    use super::super::lines;

    fn texts(text: &str) -> Vec<(String, bool)> {
        lines(text).into_iter().map(|line| (line.text, line.bullet)).collect()
    }

    #[test]
    fn entries_in_sentences_behind_their_periods_are_apart_from_remarks() {
        let said = [
            ("Engineer\tMay 2013 to June 2016".to_owned(), false),
            ("Acme Ltd (Leeds)".to_owned(), false),
            ("Designed pumps.".to_owned(), true),
        ];
        let text = "May 2013 to June 2016: Engineer. Acme Ltd (Leeds). Designed pumps.";
        assert_eq!(texts(text), said);
        let said = [
            ("September 2009 to June 2013".to_owned(), false),
            ("Thesis on pumps".to_owned(), true),
        ];
        assert_eq!(texts("September 2009 to June 2013. Thesis on pumps"), said);
        let whole = "May 2013 to June 2016: Pumps. Valves. Taps.";
        assert_eq!(texts(whole), [(whole.to_owned(), false)]);
    }

    #[test]
    fn entries_beside_their_periods_are_apart_from_sentences_behind_them() {
        let said = [
            ("May 2013 – June 2016\tEngineer, Acme Ltd, Leeds".to_owned(), false),
            ("Designed pumps. Led a team.".to_owned(), true),
        ];
        let text = "May 2013 – June 2016\tEngineer, Acme Ltd, Leeds. Designed pumps. Led a team.";
        assert_eq!(texts(text), said);
        let remark = "May 2013 – June 2016\tPumps, valves and taps. Designed by others.";
        assert_eq!(texts(remark), [(remark.to_owned(), false)]);
    }

    #[test]
    fn entries_in_sentences_are_apart_from_what_is_said_of_them() {
        let said = [
            ("Engineer, Acme Ltd, Leeds, May 2013 to June 2016".to_owned(), false),
            ("Designed pumps.".to_owned(), true),
        ];
        assert_eq!(
            texts("Engineer, Acme Ltd, Leeds, May 2013 to June 2016. Designed pumps."),
            said
        );
        let said = [
            ("May 2013 to June 2016".to_owned(), false),
            ("Engineer".to_owned(), false),
            ("Acme Trans, S. L., Leeds".to_owned(), false),
            ("Designed pumps.".to_owned(), true),
        ];
        let text = "May 2013 to June 2016\n\nEngineer. Acme Trans, S. L., Leeds. Designed pumps.";
        assert_eq!(texts(text), said);
        let said = [
            ("May 2013 – June 2016\tEngineer, Acme Ltd".to_owned(), false),
            ("Designed pumps".to_owned(), true),
            ("Led a team".to_owned(), true),
        ];
        let text = "May 2013 – June 2016\tEngineer, Acme Ltd; Designed pumps; Led a team";
        assert_eq!(texts(text), said);
    }
}
