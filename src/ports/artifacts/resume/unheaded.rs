//! Roles and schools under headings that no table has: `Kitchens`, `On Stage`. Only looked for where no section of their
//! kind was found, because the name of a firm stands like a heading, too.

use super::{
    Findings, dates, lines::Line, place, schools, sections::Part, skills, vocabulary::Section,
    words,
};

/// Parts with those that lack their heading.
pub(super) fn completed(parts: Vec<Part>) -> Vec<Part> {
    let mut parts = parts;
    for (wanted, within, holds) in [
        (Section::Work, [Section::Contact, Section::Other], is_role as fn(&[Line]) -> bool),
        (Section::Education, [Section::Contact, Section::Work], is_school),
        (Section::Education, [Section::Other, Section::Other], is_school),
    ] {
        let has_one = parts.iter().any(|part| part.section == wanted && is_dated(&part.lines));
        let unknown = parts.iter_mut().find(|part| {
            part.section == Section::Unknown && holds(&part.lines[..part.lines.len().min(REACH)])
        });
        match unknown {
            _ if has_one => {}
            Some(part) => part.section = wanted,
            None => found(&mut parts, wanted, within, holds),
        }
    }
    let is_list = |part: &Part| part.section == Section::Unknown && skills::is_list(&part.lines);
    let has_skills = parts.iter().any(|part| part.section == Section::Skills);
    let is_guessed = |at: usize| {
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        let mut beside = beside.filter_map(|at| parts.get(at));
        is_list(&parts[at]) && beside.any(|part| part.section == Section::Skills)
    };
    let guessed: Vec<usize> = if has_skills {
        // It may be one of several kinds of them.
        (0..parts.len()).filter(|at| is_guessed(*at)).collect()
    } else {
        parts.iter().position(is_list).into_iter().collect()
    };
    for at in guessed {
        parts[at].section = Section::Skills;
        parts[at].may_be_skills = true;
    }
    parts
}

/// The skills under headings that nobody knows, which may be something else.
pub(super) fn guessed_skills(parts: &[Part]) -> Vec<String> {
    let guessed = parts.iter().filter(|part| part.section == Section::Skills && part.may_be_skills);
    let lines: Vec<&[Line]> = guessed.map(|part| part.lines.as_slice()).collect();
    skills::read(&lines, &mut Findings::default())
}

/// Lines that a heading may be apart from the first entry under it.
const REACH: usize = 4;

fn found(parts: &mut Vec<Part>, wanted: Section, within: [Section; 2], holds: fn(&[Line]) -> bool) {
    for at in 0..parts.len() {
        let part = &parts[at];
        if !within.contains(&part.section) {
            continue;
        }
        let begins = |line: usize| {
            let next = &part.lines[(line + 1).min(part.lines.len())..];
            is_heading(part, line) && holds(&next[..next.len().min(REACH)])
        };
        if let Some(line) = (0..part.lines.len()).find(|line| begins(*line)) {
            let lines = parts[at].lines.split_off(line).split_off(1);
            parts.insert(at + 1, Part::new(wanted, lines));
            return;
        }
        // `Career Summary` is a summary, unless roles stand in it.
        if part.section == Section::Other && wanted == Section::Work && holds_several(&part.lines) {
            parts[at].section = wanted;
            return;
        }
    }
}

/// Longest heading, in words.
const WORDS_MAX: usize = 5;

/// A line that stands like a heading: short, apart from what is above, without anything that an entry has.
fn is_heading(part: &Part, at: usize) -> bool {
    let line = &part.lines[at];
    let is_head = part.section == Section::Contact && at == 0;
    let is_plain = line.text.chars().all(|c| c.is_alphabetic() || " :&/'’-?".contains(c));
    is_plain
        && !is_head
        && (line.after_gap || part.section != Section::Work || at > 0 && part.lines[at - 1].bullet)
        && !line.bullet
        && line.text.split_whitespace().count() <= WORDS_MAX
        && line.text.starts_with(char::is_uppercase)
        && !words::is_position(&line.text)
        && !place::is_place(&line.text)
}

fn is_dated(lines: &[Line]) -> bool {
    lines.iter().any(|line| dates::find(&line.text).is_some())
}

fn lasts(line: &Line) -> bool {
    dates::find(&line.text).is_some_and(|period| period.start.is_some())
}

/// A period with a title beside it.
fn is_role(lines: &[Line]) -> bool {
    let plain: Vec<&Line> = lines.iter().take_while(|line| !line.bullet).collect();
    plain.iter().any(|line| lasts(line))
        && plain.iter().any(|line| words::is_position(&line.text))
        && !plain.iter().any(|line| schools::names_degree(&line.text))
}

/// A date with a school and a degree beside it.
fn is_school(lines: &[Line]) -> bool {
    let near = &lines[..lines.len().min(REACH - 1)];
    let names = |line: &Line| words::is_school(&line.text);
    is_dated(near)
        && near.iter().any(names)
        && near.iter().any(|line| schools::names_degree(&line.text))
}

/// Whether there are several periods with titles beside them.
pub(super) fn holds_several(lines: &[Line]) -> bool {
    roles(lines) > 1
}

/// Whether there are roles under a heading that nobody knows, which may be the first line of one of them.
pub(super) fn holds_strays(part: &Part) -> bool {
    match part.section {
        Section::Unknown => roles(&part.lines) > 0,
        Section::Other => holds_several(&part.lines),
        _ => false,
    }
}

/// How many periods have titles beside them.
fn roles(lines: &[Line]) -> usize {
    let roles = (0..lines.len()).filter(|at| {
        let near = &lines[at.saturating_sub(1)..(at + 2).min(lines.len())];
        let is_named = |text: &str| words::is_position(text) || words::is_organisation(text);
        let names = |line: &Line| !line.bullet && is_named(&line.text);
        let beside = |line: &Line| names(line) && dates::find(&line.text).is_none();
        lasts(&lines[*at]) && !lines[*at].bullet && (names(&lines[*at]) || near.iter().any(beside))
    });
    roles.count()
}

/// Whether a section of something else has periods in lines of their own, whose roles or schools are elsewhere.
pub(super) fn holds_periods_alone(part: &Part) -> bool {
    let is_alone = |line: &Line| {
        let period = dates::find(&line.text).filter(|period| period.start.is_some());
        !line.bullet && period.is_some_and(|period| period.at == (0..line.text.len()))
    };
    let is_else = !matches!(part.section, Section::Work | Section::Volunteer | Section::Education);
    is_else && !holds_schools(part) && part.lines.iter().any(is_alone)
}

/// Whether there are schools with their dates under a heading that is not one of schools.
pub(super) fn holds_schools(part: &Part) -> bool {
    let is_else = matches!(part.section, Section::Unknown | Section::Other);
    is_else && (0..part.lines.len()).any(|at| is_school(&part.lines[at..]))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Confidence, ROLES_MISSING, SCHOOLS_MISSING, draft, lines::lines, sections},
        *,
    };

    fn sections(text: &str) -> Vec<Section> {
        completed(sections::parts(&lines(text))).into_iter().map(|part| part.section).collect()
    }

    #[test]
    fn roles_and_schools_are_found_under_headings_that_no_table_has() {
        let text = "Ada Byron\nada@example.org\n\nKitchens\n\nThe Salt Quay\nHead Chef\tMar 2019 to date\n\n\
                    At the bench\n\nBSc Chemistry, University of Smallville\t2011 – 2014";
        assert_eq!(sections(text), [Section::Contact, Section::Work, Section::Education]);
    }

    #[test]
    fn a_school_under_a_heading_that_is_not_known_is_missed_in_words() {
        let text = "Ada Byron\n\n## Education\nBSc Physics\nUniversity of Leeds\t2010 – 2013\n\n## Skills\nRust\n\n\
                    ## At sea\nMSc Navigation\nUniversity of Hull\t2014 – 2015";
        let draft = draft(text);
        assert!(draft.issues.iter().any(|issue| issue == SCHOOLS_MISSING));
    }

    #[test]
    fn periods_and_schools_that_no_entry_has_are_told() {
        let missing = |text: &str| {
            let text = format!("Ada Byron\n\n## Experience\nCook\t2019 – 2021\nAcme Ltd\n\n{text}");
            let issues = draft(&text).issues;
            [ROLES_MISSING, SCHOOLS_MISSING].map(|told| issues.iter().any(|issue| issue == told))
        };
        assert_eq!(missing("## Hobbies\nTea\n\n2011 – 2014"), [true, true]);
        let school = "## Distinctions\nBSc Chemistry\nUniversity of Smallville\n2011 – 2014";
        let studies = "## Education\nBSc Physics\nUniversity of Leeds\n2009 – 2011";
        assert_eq!(missing(&format!("{studies}\n\n{school}")), [false, true]);
        assert_eq!(missing(&format!("{studies}\n\n## Hobbies\nTea, since 2014")), [false, false]);
    }

    #[test]
    fn one_role_is_enough_under_a_heading_that_nobody_knows() {
        let holds = |section: Section| {
            let lines = lines("Nurse, Nulla Vets\n2011 – 2014\n- Cats");
            holds_strays(&Part::new(section, lines))
        };
        assert!(holds(Section::Unknown));
        assert!(!holds(Section::Other) && !holds(Section::Work));
    }

    #[test]
    fn a_firm_under_a_known_heading_is_no_heading() {
        let text = "Ada Byron\n\nExperience\n\nThe Salt Quay\nHead Chef\tMar 2019 to date\n\nBlue Fig\nChef\t2011 – 2014";
        assert_eq!(sections(text), [Section::Contact, Section::Work]);
    }

    #[test]
    fn a_list_under_a_heading_that_nobody_knows_may_be_skills() {
        let read = |list: &str| {
            let text = format!(
                "Ada Byron\n\n## Experience\nAcme\tEngineer\t2019 – 2021\n\n## Education\nBSc Physics\n\n## Colourful Things\n{list}\n\n## Hobbies\nTea"
            );
            let draft = draft(&text);
            let low = |at: usize| draft.confidence.get(&format!("skills.{at}"));
            let all_low = (0..draft.skills.len()).all(|at| low(at) == Some(&Confidence::Low));
            assert!(all_low, "{list}");
            draft.skills.len()
        };
        assert_eq!(read("Welding, CAD, Fitting, Lathes"), 4);
        assert_eq!(read("• Welding\n• CAD\n• Fitting\n• Lathes"), 4);
        assert_eq!(read("Welding\nCAD\nFitting\nLathes\nPumps"), 5);
        assert_eq!(read("Welding • CAD • Fitting • Lathes"), 4);
        assert_eq!(read("Welding\tCAD\nFitting\tLathes"), 4);
        assert_eq!(read("Welding, CAD, Fitting"), 0);
        assert_eq!(read("English, German, Welding, CAD"), 0);
        assert_eq!(read("Welding, 2019\nCAD, 2020\nFitting, 2021\nLathes, 2022"), 0);
        assert_eq!(read("I like pumps, valves, lathes and CAD.\nThey are good."), 0);
    }

    #[test]
    fn a_list_under_an_unknown_heading_beside_the_skills_is_guessed_to_be_of_them() {
        let text = "Ada Byron\n\n###### CONTACT\nada@example.org\n0113 555 0199\n\nNULLYARD\nRigging\nWelding\nPumps\nCranes\n\n\
                    SOFTWARE\nCreo\nExcel\n\nLANGUAGES\nEnglish: native\n\nCERTIFICATIONS\nFirst aid";
        let draft = draft(text);
        assert_eq!(draft.skills.join("|"), "Rigging|Welding|Pumps|Cranes|Creo|Excel");
        let low = |at: usize| draft.confidence.get(&format!("skills.{at}"));
        assert!((0..4).all(|at| low(at) == Some(&Confidence::Low)) && low(4).is_none());
    }
}
