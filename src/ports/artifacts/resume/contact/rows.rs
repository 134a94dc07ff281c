//! The row of the person's addresses at the edge of a page, `Ada Byron | 555-0147 | ada@example.org | Leeds`, in whatever
//! section it came to stand, and a profile alone in its line there.

use super::found::{address, phone, web};
use crate::ports::artifacts::resume::{
    lines::Line,
    sections::Part,
    vocabulary::{Section, folded},
};

/// Fewest fields of such a row.
const FIELDS_MIN: usize = 3;

/// Lines of the head that may have the name, and the shortest part of one, in characters.
const HEAD_MAX: usize = 3;
const NAME_MIN: usize = 3;

/// The parts, with profiles that are called like the person in a part of their own where no section for them holds one.
pub(in crate::ports::artifacts::resume) fn profiles_apart(parts: Vec<Part>) -> Vec<Part> {
    let is_contact = |part: &&Part| part.section == Section::Contact;
    let links = |line: &Line| web(&line.text, "").iter().any(|page| page.profile.is_some());
    if parts.iter().filter(is_contact).flat_map(|part| &part.lines).any(links) {
        return parts;
    }
    let head = parts.first().into_iter().flat_map(|part| part.lines.iter().take(HEAD_MAX));
    let names: Vec<String> = head
        .flat_map(|line| line.text.split([' ', '-', '\t']))
        .filter(|name| name.chars().count() >= NAME_MIN && !name.contains('@'))
        .map(folded)
        .collect();
    let is_own = |line: &Line| {
        let mut profiles = web(&line.text, "").into_iter().filter_map(|page| page.profile);
        let holds = |user: &str| names.iter().filter(|name| user.contains(name.as_str())).count();
        !line.text.contains([' ', '\t']) && profiles.any(|(_, user)| holds(&folded(&user)) > 1)
    };
    let mut parts = parts;
    let mut found = Vec::new();
    for part in parts.iter_mut().filter(|part| part.section != Section::References) {
        found.extend(part.lines.extract_if(.., |line| is_own(line)));
    }
    if !found.is_empty() {
        parts.push(Part::new(Section::Contact, found));
    }
    parts
}

/// The parts, with such rows in parts of their own where no section for them holds an address of mail.
pub(in crate::ports::artifacts::resume) fn apart(parts: Vec<Part>) -> Vec<Part> {
    let is_contact = |part: &&Part| part.section == Section::Contact;
    let mut known = parts.iter().filter(is_contact).flat_map(|part| &part.lines);
    if known.any(|line| mailed(line) > 0) {
        return parts;
    }
    let mut found = Vec::new();
    for mut part in parts {
        let is_else = matches!(part.section, Section::Contact | Section::References);
        let (rows, lines): (Vec<Line>, Vec<Line>) =
            part.lines.into_iter().partition(|line| !is_else && is_row(line));
        part.lines = lines;
        found.push(part);
        if !rows.is_empty() {
            found.push(Part::new(Section::Contact, rows));
        }
    }
    found
}

/// Fields of a line that are addresses of mail.
fn mailed(line: &Line) -> usize {
    line.fields().iter().filter(|field| address(field).is_some()).count()
}

/// A row with one address of mail and another one of another kind.
fn is_row(line: &Line) -> bool {
    let fields = line.fields();
    let is_other = |field: &&str| {
        address(field).is_none() && (phone(field).is_some() || !web(field, "").is_empty())
    };
    !line.bullet && fields.len() >= FIELDS_MIN && mailed(line) == 1 && fields.iter().any(is_other)
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn a_profile_alone_in_its_line_is_the_persons_where_it_has_the_name() {
        let profiles = |page: &str| {
            let text = format!(
                "# Ada Byron\nada@example.org\n\n## Experience\nEngineer, Acme Ltd\t2019 – 2021\n• Pumps\n\n{page}\n\n## Skills\nRust"
            );
            draft(&text).applicant_profile["basics"]["profiles"].clone()
        };
        assert_eq!(profiles("linkedin.com/in/adabyron")[0]["username"], "adabyron");
        assert!(profiles("linkedin.com/in/acmepumps").is_null());
    }

    #[test]
    fn a_row_of_addresses_at_the_edge_of_a_page_is_the_persons() {
        let row = "Ada Byron | 0113 496 0231 | ada@byron.example.co.uk | linkedin.com/in/adabyron | 9404 KL Assen";
        let text = format!(
            "# Ada Byron\nEngineer\n\n## Experience\nEngineer, Acme Ltd\t2019 – 2021\n\n## Education\nBSc Physics, University of Leeds, 2010 – 2013\n\n{row}\n\nMSc Physics, University of Hull, 2013 – 2014"
        );
        let draft = draft(&text);
        let basics = &draft.applicant_profile["basics"];
        assert_eq!(basics["profiles"][0]["username"], "adabyron", "{basics}");
        assert_eq!(basics["location"]["city"], "Assen", "{basics}");
        assert_eq!(draft.education_history["education"].as_array().map(Vec::len), Some(2));
    }
}
