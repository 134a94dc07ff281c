//! Sections beside each other or beside their headings, put below each other.

use super::{
    super::{
        dates,
        lines::{BULLETS, FRAMED, Line},
        place,
        vocabulary::Section,
        words,
    },
    hangs, heading, section_of,
};

/// Headings of two lines in the column beside their sections, put together: `Legal` and `Experience`, but not kinds
/// beside their lists, `Trade    Taxes, Audits` above `Languages    English, German`.
pub(super) fn beside(lines: Vec<Line>) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    for line in lines {
        if let Some(above) = found.last_mut()
            && let Some((first, rest)) = above.text.split_once('\t')
            && let (second, beside) = line.text.split_once('\t').unwrap_or((&line.text, ""))
            && !above.bullet
            && !line.bullet
            && !line.after_gap
            && section_of(&format!("{first} {second}")).is_some()
            && (hangs(first) || ![rest, beside].iter().all(|text| is_list(text)))
            && (section_of(first).is_none() || section_of(second).is_none() || hangs(first))
        {
            let (head, rest) = (format!("{first} {second}"), rest.to_owned());
            let second = Line { text: beside.to_owned(), after_gap: false, ..line.clone() };
            let first = Line { text: rest, after_gap: false, ..above.clone() };
            above.text = head;
            found.push(first);
            found.extend((!beside.is_empty()).then_some(second));
            continue;
        }
        found.push(line);
    }
    found.into_iter().flat_map(apart).collect()
}

/// Whether a text lists things, and is no school or what was got there at some time.
fn is_list(text: &str) -> bool {
    text.contains(", ") && !words::is_school(text) && dates::find(text).is_none()
}

/// Fewest lines of each of two lists that were torn into each other.
const TORN_MIN: usize = 2;

/// Two sections side by side whose lines were torn into each other, one below the other: `Skills    Languages` above a
/// list without bullets and one with them.
pub(super) fn untorn(lines: &[Line]) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let mut rest = lines;
    while let [line, below @ ..] = rest {
        let length = below
            .iter()
            .take_while(|line| !line.after_gap && line.level == 0 && !line.text.contains('\t'))
            .count();
        let (run, after) = below.split_at(length);
        if let Some((one, other)) = line.text.split_once('\t').filter(|_| are_torn(line, run)) {
            let head = |text: &str| Line {
                text: text.to_owned(),
                level: FRAMED,
                after_gap: true,
                ..line.clone()
            };
            let (left, right): (Vec<&Line>, Vec<&Line>) =
                run.iter().partition(|line| line.bullet == run[0].bullet);
            found.push(head(one));
            found.extend(left.into_iter().cloned());
            found.push(head(other));
            found.extend(right.into_iter().cloned());
            rest = after;
        } else {
            found.push(line.clone());
            rest = below;
        }
    }
    found
}

/// Whether lines with and without bullets take turns below two headings of lists.
fn are_torn(line: &Line, run: &[Line]) -> bool {
    let is_list = |text: &str| matches!(section_of(text), Some(Section::Skills | Section::Other));
    let are_lists = line.text.split_once('\t').is_some_and(|(one, other)| {
        is_list(one) && is_list(other) && section_of(one) != section_of(other)
    });
    let bullets = run.iter().filter(|line| line.bullet).count();
    let turns = run.windows(2).filter(|pair| pair[0].bullet != pair[1].bullet).count();
    let are_several = bullets >= TORN_MIN && run.len() - bullets >= TORN_MIN;
    !line.bullet && are_lists && are_several && turns > TORN_MIN
}

/// Sections that stand side by side, one below the other: a line of two headings, and lines with an item for each.
pub(super) fn unzipped(lines: Vec<Line>) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let mut right: Vec<Line> = Vec::new();
    // The columns have no items, but lines.
    let mut is_plain = false;
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        let headings = lines.peek().and_then(|next| two_headings(&line, next));
        let is_open = !right.is_empty() && line.level == 0;
        let fields =
            line.text.split_once('\t').map(|(one, other)| (one.to_owned(), other.to_owned()));
        match (headings, fields) {
            (Some((one, other)), _) => {
                found.append(&mut right);
                is_plain = lines.peek().is_some_and(|next| !next.bullet);
                let level = FRAMED;
                found.push(Line { text: one, level, after_gap: true, ..line.clone() });
                right.push(Line { text: other, level, after_gap: true, ..line });
            }
            (None, Some((one, other))) if is_open && (line.bullet || is_plain) => {
                let text = other.trim_start_matches(BULLETS).trim().to_owned();
                found.push(Line { text: one, ..line.clone() });
                right.push(Line { text, ..line });
            }
            _ if is_open && (line.bullet || is_plain && !line.after_gap) => found.push(line),
            _ => {
                found.append(&mut right);
                found.push(line);
            }
        }
    }
    found.append(&mut right);
    found
}

/// Two headings in one line above items of two lists.
fn two_headings(line: &Line, next: &Line) -> Option<(String, String)> {
    let (one, other) = line.text.split_once('\t')?;
    let is_plain = |text: &str| {
        text.split(' ').count() <= 4
            && text.chars().all(|c| c.is_alphabetic() || " &'’-".contains(c))
    };
    // `Skills    Languages` above lines in two columns.
    let is_known = |text: &str| matches!(section_of(text), Some(Section::Skills | Section::Other));
    let are_known = || {
        next.text.matches('\t').count() == 1
            && is_known(one)
            && is_known(other)
            && section_of(one) != section_of(other)
    };
    let is_pair = !line.bullet
        && (next.bullet || are_known())
        && is_plain(one)
        && is_plain(other)
        && !place::is_place(one)
        && !place::is_place(other)
        && (section_of(one).is_some() || section_of(other).is_some());
    is_pair.then(|| (one.to_owned(), other.to_owned()))
}

/// `Experience    May 2011 –    Engineer` as a heading and a line, so that the period can go on in the next one.
fn apart(line: Line) -> Vec<Line> {
    let parted = line.text.split_once('\t').filter(|(_, rest)| rest.contains('\t') && !line.bullet);
    match parted {
        Some((head, rest))
            if heading(&line).is_some() && section_of(head).is_some_and(|it| holds(it, rest)) =>
        {
            let rest = Line { text: rest.to_owned(), after_gap: false, ..line.clone() };
            vec![Line { text: head.to_owned(), ..line.clone() }, rest]
        }
        _ => vec![line],
    }
}

/// Whether the rest of a line can be an entry of a section: `Languages` beside `Tools    Methods` is the head of a column.
fn holds(section: Section, rest: &str) -> bool {
    matches!(section, Section::Work | Section::Volunteer | Section::Education)
        || rest.contains(|c: char| c.is_ascii_digit() || ",:".contains(c))
}

/// Fewest items of a row that is one of several.
const ITEMS_MIN: usize = 3;

/// Whether a line is another row of items in columns, whatever the first is called: `Trainings    Fire brigade    Excel` right
/// under `NR-10    NR-35    CIPA`, or further below where both have as many.
pub(super) fn goes_on_in_columns(above: &[Line], line: &Line) -> bool {
    let items = |line: &Line| {
        let count = line.text.split('\t').count();
        (line.level == 0 && !line.bullet && count >= ITEMS_MIN).then_some(count)
    };
    let (own, last) = (items(line), above.last().and_then(items));
    own.is_some() && last.is_some() && (own == last || !line.after_gap)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            super::{draft, lines::lines},
            Part, parts,
        },
        *,
    };

    fn parted(text: &str) -> Vec<(Section, Vec<String>)> {
        let said = |part: Part| part.lines.into_iter().map(|line| line.text).collect();
        let parts = parts(&lines(text)).into_iter();
        parts.map(|part| (part.section, said(part))).collect()
    }

    fn section(section: Section, lines: &[&str]) -> (Section, Vec<String>) {
        (section, lines.iter().map(|line| (*line).to_owned()).collect())
    }

    #[test]
    fn kinds_beside_lists_are_no_heading_of_two_lines() {
        let text = "Ada Byron\n\n## Skills\nSoftware\tWord, Excel\nSkills\tAudits, Taxes";
        assert_eq!(parted(text)[1].1.first().map(String::as_str), Some("Software\tWord, Excel"));
    }

    #[test]
    fn heads_of_columns_of_skills_are_no_headings() {
        let text = "Ada Byron\n\n## Skills\nLanguages\tTools\tPractice\n• Rust\t• Redis\t• Talks\n• Go\t• Kafka\n\n## Hobbies\nTea";
        assert_eq!(parted(text)[1].1[0], "Languages\tTools\tPractice");
    }

    #[test]
    fn lists_that_were_torn_into_each_other_are_told_by_their_bullets() {
        let text =
            "Ada Byron\n\nSkills\tLanguages\nCraft: Welding, CAD,\n• English\nFitting\n• German";
        let found = parted(text);
        assert_eq!(found[1], section(Section::Skills, &["Craft: Welding, CAD,", "Fitting"]));
        assert_eq!(found[2], section(Section::Other, &["English", "German"]));
    }

    #[test]
    fn sections_that_stand_side_by_side_are_read_one_after_the_other() {
        let text = "Ada Byron\n\nSkills\tLanguages\n• Rust\t• English\n• Go\t• German\n• C";
        let found = parted(text);
        assert_eq!(found[1], section(Section::Skills, &["Rust", "Go", "C"]));
        assert_eq!(found[2], section(Section::Other, &["English", "German"]));
        let text = "Ada Byron\n\nKenntnisse\tSprachkenntnisse\n\nRust\tDeutsch: gut\nGo\tEnglisch: gut\nC\n\nEhrenamt\nTee";
        let found = parted(text);
        assert_eq!(found[1], section(Section::Skills, &["Rust", "Go", "C"]));
        assert_eq!(found[2], section(Section::Other, &["Deutsch: gut", "Englisch: gut"]));
    }
    #[test]
    fn a_heading_ends_at_the_column_though_a_colon_stands_behind_it() {
        let text = "Ada Byron\n\nSkills\tWelding\nIdiomas\tPortuguês: nativo / Inglês: B1";
        let found = parted(text);
        assert_eq!(found[1], section(Section::Skills, &["Welding"]));
        assert_eq!(found[2], section(Section::Other, &["Português: nativo / Inglês: B1"]));
    }

    #[test]
    fn headings_of_two_lines_beside_schools_are_put_together() {
        let text = "Ada Byron\n\nWORK HISTORY\tFitter\t2015 – 2021\nAcme Ltd, Leeds\n\n\
                    ACADEMIC\tNull Technical College, Leeds, UK\nBACKGROUND\tDiploma in Welding, 2013 – 2014\n\n\
                    SKILLS\tGo, C";
        let school = draft(text).education_history["education"][0].clone();
        assert_eq!(school["institution"], "Null Technical College", "{school}");
        assert_eq!(school["studyType"], "Diploma", "{school}");
    }

    #[test]
    fn a_row_of_items_below_another_one_begins_no_section() {
        let told = |text: &str| {
            let lines = lines(text);
            let (line, above) = lines.split_last().unwrap();
            goes_on_in_columns(above, line)
        };
        assert!(told("NR-10\tNR-35\tCIPA\tInvestigation\nTrainings\tFire brigade\tExcel"));
        assert!(!told("NR-10\tNR-35\tCIPA\tInvestigation\nTrainings\tFire brigade"));
        assert!(told("NR-10\tNR-35\tCIPA\n\nTrainings\tFire brigade\tExcel"));
        assert!(!told("NR-10\tNR-35\tCIPA\tInvestigation\n\nTrainings\tFire brigade\tExcel"));
        assert!(!told("Trainings\tFire brigade\tExcel"));
    }
}
