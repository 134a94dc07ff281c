//! Lines of two columns that a slash parts, `Acme Apps / Engineer` and `Heath College / A levels`, where several entries are
//! written so.

use super::{lines::Line, schools, sections::Part, vocabulary::Section, words};

/// Fewest lines that show how entries are written.
const LINES_MIN: usize = 2;

/// The parts with the names of entries in columns.
pub(super) fn apart(parts: Vec<Part>) -> Vec<Part> {
    let mut parts = parts;
    let is_entry = |part: &&mut Part| {
        matches!(part.section, Section::Work | Section::Volunteer | Section::Education)
    };
    for section in parts.iter_mut().filter(is_entry) {
        let is_parted = |line: &&Line| parted(line).is_some();
        if section.lines.iter().filter(is_parted).count() < LINES_MIN {
            continue;
        }
        for line in &mut section.lines {
            if let Some((one, other)) = parted(line) {
                line.text = format!("{one}\t{other}");
            }
        }
    }
    parts
}

/// Whether a text is a title of which a slash may part a firm: one of its two sides names no job.
pub(super) fn may_hold_firm(title: &str) -> bool {
    title.split_once(" / ").is_some_and(|(one, other)| {
        words::is_position(one) != words::is_position(other)
            && [one, other].into_iter().any(|side| is_name(side) && !words::is_position(side))
    })
}

/// A name of a firm or a school and a title or a degree on both sides of the only slash of a line.
fn parted(line: &Line) -> Option<(String, String)> {
    let (one, other) = line.text.split_once(" / ").filter(|(_, rest)| !rest.contains(" / "))?;
    let tells = |text: &str| words::is_position(text) || schools::names_degree(text);
    let name = match (tells(one), tells(other)) {
        (false, true) => one,
        (true, false) => other,
        _ => return None,
    };
    (!line.bullet && is_name(name)).then(|| (one.to_owned(), other.to_owned()))
}

/// Whether a text is the name of a firm or a school, as far as its looks tell.
fn is_name(text: &str) -> bool {
    text.split(' ').all(|word| !word.starts_with(char::is_lowercase))
        && text.starts_with(char::is_uppercase)
        && (words::is_organisation(text) || text.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{lines::lines, sections},
        *,
    };

    fn texts(text: &str) -> Vec<String> {
        let text = format!("Ada Byron\nada@example.org\n\nExperience\n\n{text}");
        let parts = apart(sections::parts(&lines(&text)));
        parts[1].lines.iter().map(|line| line.text.clone()).collect()
    }

    #[test]
    fn a_slash_parts_firms_from_titles_where_several_entries_are_written_so() {
        let rows =
            "De Boot / Waiter\n2019 – 2021, Delft\n\nAcme Apps / Engineer\n2017 – 2019, Delft";
        let found = texts(rows);
        assert_eq!(found[0], "De Boot\tWaiter");
        assert_eq!(found[2], "Acme Apps\tEngineer");
        for rows in [
            "Yard Jockey / Waiter\n2019 – 2021, Delft\n\nEngineer\n2017 – 2019, Delft",
            "Cook / Waiter\n2019 – 2021, Delft\n\nDriver / Engineer\n2017 – 2019, Delft",
        ] {
            assert!(texts(rows)[0].contains(" / "), "{rows}");
        }
    }

    #[test]
    fn a_title_with_a_slash_may_hold_a_firm() {
        assert!(may_hold_firm("Studio Blau / Designer"));
        assert!(!may_hold_firm("Cook / Waiter") && !may_hold_firm("Sales / Waiter"));
    }
}
