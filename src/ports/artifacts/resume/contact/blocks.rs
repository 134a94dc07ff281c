//! Contact data that stands at the end of another section, as where it begins the column beside.

use super::{
    found::{address, web},
    is_address,
};
use crate::ports::artifacts::resume::{
    dates,
    lines::Line,
    place,
    sections::Part,
    vocabulary::{Section, folded},
};

/// Fewest lines of a block of contact data.
const LINES_MIN: usize = 3;

/// Longest line of a street, in words.
const STREET_MAX: usize = 6;

/// The parts, with blocks of contact data at the ends of roles, schools and skills in parts of their own.
pub(in crate::ports::artifacts::resume) fn apart(parts: Vec<Part>) -> Vec<Part> {
    let foot = foot(&parts);
    let mut found = Vec::new();
    for mut part in parts {
        let is_list = matches!(
            part.section,
            Section::Work | Section::Volunteer | Section::Education | Section::Skills
        );
        let begin = is_list.then(|| begin(&part.lines)).flatten();
        let block = begin.map(|begin| part.lines.split_off(begin));
        found.push(part);
        found.extend(block.map(|lines| Part::new(Section::Contact, lines)));
    }
    if foot && let Some(line) = found.last_mut().and_then(|part| part.lines.pop()) {
        found.push(Part::new(Section::Contact, vec![line]));
    }
    found
}

/// Fewest addresses in the last line of a page that is centred like a menu, and shortest part of a name.
const FOOT_MIN: usize = 2;
const NAME_MIN: usize = 4;

/// Whether the last line has the addresses, and not those of a referee: the head has none of mail, and the one there has a
/// part of the name that stands in the head.
fn foot(parts: &[Part]) -> bool {
    let [head, .., last] = parts else { return false };
    let is_contact = |part: &&Part| part.section == Section::Contact;
    let mut lines = parts.iter().filter(is_contact).flat_map(|part| &part.lines);
    if last.section == Section::Contact || lines.any(|line| address(&line.text).is_some()) {
        return false;
    }
    let Some(line) = last.lines.last().filter(|line| line.after_gap && !line.bullet) else {
        return false;
    };
    let Some(mail) = address(&line.text) else { return false };
    let local = folded(mail.split('@').next().unwrap_or_default());
    let names = head.lines.iter().take(NAME_MIN).flat_map(|line| line.text.split(' '));
    let is_own = names
        .filter(|name| name.chars().count() >= NAME_MIN)
        .any(|name| local.contains(folded(name).as_str()));
    is_own && line.fields().len() >= FOOT_MIN
}

/// Where the block begins: apart from what is above, with two addresses, one of them of mail or of the web.
fn begin(lines: &[Line]) -> Option<usize> {
    let length = lines.iter().rev().take_while(|line| is_detail(line)).count();
    let from = lines.len() - length;
    let begin = (from..lines.len()).find(|at| *at > 0 && lines[*at].after_gap)?;
    let block = &lines[begin..];
    let is_online = |line: &Line| address(&line.text).is_some() || !web(&line.text, "").is_empty();
    let is_one = block.len() >= LINES_MIN
        && block.iter().filter(|line| is_address(line) || is_host(line)).count() > 1
        && block.iter().any(is_online);
    is_one.then_some(begin)
}

/// A line with a number, an address, a town with its code or a street, and nothing else.
fn is_detail(line: &Line) -> bool {
    let is_street = || {
        place::has_house_number(&line.text)
            && line.text.split_whitespace().count() <= STREET_MAX
            && dates::find(&line.text).is_none()
    };
    let is_plain = !line.bullet && !line.text.contains('\t');
    is_plain
        && (is_address(line) || place::coded(&line.text).is_some() || is_street() || is_host(line))
}

/// `ada.example.org`, whatever it ends in.
fn is_host(line: &Line) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || ".-/".contains(c);
    line.text.matches('.').count() > 1
        && line.text.starts_with(char::is_alphabetic)
        && line.text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    const HEAD: &str = "Ada Byron\n\nEducation\nBSc Physics\t2011 – 2014\nUniversity of Leeds";

    #[test]
    fn contact_data_behind_the_schools_is_found_and_no_school() {
        let block =
            "27 Quay Road\nBirmingham B17 0DH\n07700 900261\nada@example.be\nada.example.be";
        let draft = draft(&format!("{HEAD}\n\n{block}"));
        let basics = &draft.applicant_profile["basics"];
        assert_eq!(basics["location"]["city"], "Birmingham");
        assert_eq!(basics["phone"], "07700 900261");
        assert_eq!(basics["url"], "https://ada.example.be");
        assert_eq!(draft.education_history["education"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn the_address_of_a_school_is_not_the_person_s() {
        let draft = draft(&format!("{HEAD}\n\n27 Quay Road\nBirmingham B17 0DH\n0113 555 0100"));
        assert_eq!(draft.applicant_profile["basics"]["location"]["city"], serde_json::Value::Null);
    }

    #[test]
    fn addresses_at_the_foot_are_the_persons_where_they_have_the_name() {
        let text = |mail: &str| {
            let text = format!(
                "# Ada Byron\n\n#### Experience\nCook\nAcme Ltd\nMay 2019 to date\n\n#### References\n\
                 Jo Null, owner, Acme Ltd, 01632 960 511\n\n1 Quay Road, Leeds | 01632 960 147 | {mail}"
            );
            draft(&text).applicant_profile["basics"]["phone"].clone()
        };
        assert_eq!(text("ada.byron@example.org"), "01632 960 147");
        assert!(text("jo.null@example.org").is_null());
    }
}
