//! Entries that are numbered: `1. Acme Ltd`, `2. Emca Ltd`; and headings: `I. Education`, `II. Skills`.

use super::{super::lines::Line, section_of};

/// Fewest numbers that show that they count the entries.
const NUMBERS_MIN: usize = 2;

/// The lines without the numbers of entries, where these count from one.
pub(super) fn without(lines: Vec<Line>) -> Vec<Line> {
    let numbers: Vec<usize> =
        lines.iter().filter_map(|line| numbered(line).map(|(number, _)| number)).collect();
    let counts = numbers.iter().copied().eq(1..=numbers.len());
    if !counts || numbers.len() < NUMBERS_MIN {
        return lines;
    }
    let bare = |line: Line| {
        let text = numbered(&line).map_or(line.text.as_str(), |(_, rest)| rest).to_owned();
        Line { text, ..line }
    };
    lines.into_iter().map(bare).collect()
}

/// The lines without the Roman numbers of headings, where several headings that are known have them.
pub(super) fn without_roman(lines: Vec<Line>) -> Vec<Line> {
    let known = |line: &&Line| roman(line).is_some_and(|rest| section_of(rest).is_some());
    if lines.iter().filter(known).count() < NUMBERS_MIN {
        return lines;
    }
    let is_heading =
        |line: &Line, rest: &str| line.level > 0 || line.after_gap || section_of(rest).is_some();
    let bare = |line: Line| match roman(&line).filter(|rest| is_heading(&line, rest)) {
        Some(rest) => Line { text: rest.to_owned(), ..line },
        None => line,
    };
    lines.into_iter().map(bare).collect()
}

/// What stands behind the Roman number that a line begins with.
fn roman(line: &Line) -> Option<&str> {
    let (number, rest) = line.text.split_once(['.', ')', '-']).filter(|_| !line.bullet)?;
    let rest = rest.strip_prefix(' ')?.trim_start();
    let is_number = !number.is_empty() && number.chars().all(|c| "IVX".contains(c));
    (is_number && rest.starts_with(char::is_uppercase)).then_some(rest)
}

/// The number that a line begins with, and what stands behind it.
fn numbered(line: &Line) -> Option<(usize, &str)> {
    let (number, rest) = line.text.split_once(". ").filter(|_| !line.bullet)?;
    rest.starts_with(char::is_uppercase).then(|| Some((number.parse().ok()?, rest)))?
}

#[cfg(test)]
mod tests {
    use super::{super::super::lines::lines, *};

    fn texts(text: &str) -> Vec<String> {
        without(lines(text)).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn roman_numbers_of_headings_are_no_parts_of_them() {
        let said = |text: &str| -> Vec<String> {
            without_roman(lines(text)).into_iter().map(|line| line.text).collect()
        };
        assert_eq!(
            said("I. Education\nIV. Skills\n\nV. Juggling"),
            ["Education", "Skills", "Juggling"]
        );
        assert_eq!(said("I. Education\nV. Juggling"), ["I. Education", "V. Juggling"]);
    }

    #[test]
    fn numbers_that_count_entries_are_no_parts_of_names() {
        assert_eq!(texts("1. Acme Ltd\nFitter\n2. Emca Ltd"), ["Acme Ltd", "Fitter", "Emca Ltd"]);
        for names in [["1. FC Null", "Fitter"], ["1. FC Null", "3. Emca Ltd"]] {
            assert_eq!(texts(&names.join("\n")), names);
        }
    }
}
