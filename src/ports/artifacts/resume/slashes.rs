//! Lines of two columns that a slash parts, `Acme Apps / Engineer` and `Heath College / A levels`, and of three,
//! `Engineer / Acme Apps / Delft`, where several entries are written so.

use super::{dates, lines::Line, schools, sections::Part, vocabulary::Section, words};

/// Fewest lines that show how entries are written.
const LINES_MIN: usize = 2;

/// Longest piece between two slashes, in words.
const PIECE_MAX: usize = 10;

/// The parts with the names of entries in columns.
pub(super) fn apart(parts: Vec<Part>) -> Vec<Part> {
    let mut parts = parts;
    let is_entry = |part: &Part| {
        matches!(part.section, Section::Work | Section::Volunteer | Section::Education)
    };
    if are_heads_in_threes(parts.iter().filter(|part| is_entry(part))) {
        for section in parts.iter_mut().filter(|part| is_entry(part)) {
            let heads: Vec<usize> =
                (0..section.lines.len()).filter(|at| is_head(&section.lines, *at)).collect();
            for at in heads {
                section.lines[at].text = barred(&section.lines[at].text);
            }
        }
    }
    for section in parts.iter_mut().filter(|part| is_entry(part)) {
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

/// Whether most entries, of all sections together as one person writes all of them alike, have three names between slashes,
/// not a title with slashes inside: `Cook / Waiter / Driver`.
fn are_heads_in_threes<'p>(sections: impl Iterator<Item = &'p Part>) -> bool {
    let (mut shown, mut periods) = (0, 0);
    for Part { lines, .. } in sections {
        periods += lines.iter().filter(|line| holds_period(line)).count();
        let heads = (0..lines.len()).filter(|at| is_head(lines, *at));
        shown += heads
            .filter(|at| {
                let pieces = pieces(&lines[*at].text);
                pieces.len() > 2 && pieces.iter().filter(|piece| tells(piece)).count() < 2
            })
            .count();
    }
    shown >= LINES_MIN && shown * 2 > periods
}

/// Whether a line is the head of an entry with slashes and no other marks: its period stands in it or beside it. The slashes
/// of `08 / 2022 – now` part no names.
fn is_head(lines: &[Line], at: usize) -> bool {
    let pieces = pieces(&lines[at].text);
    let is_name = |piece: &&str| {
        let first = piece.split(' ').next().unwrap_or_default();
        !piece.contains(['|', '·', '•'])
            && first.starts_with(|c: char| c.is_uppercase() || c.is_numeric())
            && first.contains(char::is_alphabetic)
            && piece.split(' ').count() <= PIECE_MAX
    };
    let near = &lines[at.saturating_sub(1)..lines.len().min(at + 2)];
    !lines[at].bullet
        && pieces.len() > 1
        && pieces.iter().all(is_name)
        && near.iter().any(holds_period)
}

fn holds_period(line: &Line) -> bool {
    !line.bullet && dates::find(&line.text).is_some()
}

/// What stands between the slashes of a line's first column; `Jun 2021 / now` in the next one is a period.
fn pieces(text: &str) -> Vec<&str> {
    text.split('\t').next().unwrap_or_default().split(" / ").map(str::trim).collect()
}

/// A head with bars for slashes but those inside a title: `Cook / Waiter`.
fn barred(text: &str) -> String {
    let (names, rest) = text.split_at(text.find('\t').unwrap_or(text.len()));
    let mut found = String::new();
    let mut told = false;
    for piece in pieces(names) {
        let tells = tells(piece);
        if !found.is_empty() {
            found.push_str(if told && tells { " / " } else { " | " });
        }
        found.push_str(piece);
        told = tells;
    }
    found + rest
}

/// Whether a text tells a title or a degree.
fn tells(text: &str) -> bool {
    words::is_position(text) || schools::names_degree(text)
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
    fn slashes_part_titles_firms_and_towns_where_most_entries_are_written_so() {
        let rows = |head: &str| {
            format!(
                "{head}\t2019 – 2021\n• Pumps / Valves / Fans\n\nEngineer / Acme Apps / Delft\t2017 – 2019\n\nDriver / \
                 De Boot / Gouda\t2015 – 2017"
            )
        };
        for (head, barred) in [
            ("Waiter / De Boot / Delft", "Waiter | De Boot | Delft"),
            ("Waiter / De Boot, B.V. / Delft", "Waiter | De Boot, B.V. | Delft"),
            ("Cook / Waiter / De Boot / Delft", "Cook / Waiter | De Boot | Delft"),
            ("Pump/Valve Engineer / De Boot", "Pump/Valve Engineer | De Boot"),
            ("Cook / Waiter | De Boot | Delft", "Cook / Waiter | De Boot | Delft"),
        ] {
            let found = texts(&rows(head));
            assert_eq!(found[0], format!("{barred}\t2019 – 2021"));
            assert_eq!(found[1], "Pumps / Valves / Fans");
        }
        for rows in [
            "Cook / Waiter / Driver\t2019 – 2021\nDe Boot\n\nCook / Waiter / Guide\t2017 – 2019\nDe Boot",
            "Cook / De Boot / Delft\t2019 – 2021\n\nCook, De Boot\t2017 – 2019",
            "08 / 2019 – 05 / 2021\tCook, De Boot\n\n08 / 2017 – 07 / 2019\tCook, De Boot",
        ] {
            assert!(!texts(rows)[0].contains(" | "), "{rows}");
        }
    }

    #[test]
    fn a_title_with_a_slash_may_hold_a_firm() {
        assert!(may_hold_firm("Studio Blau / Designer"));
        assert!(!may_hold_firm("Cook / Waiter") && !may_hold_firm("Sales / Waiter"));
    }
}
