//! Who somebody is: a name that may go on in the next line, and a city that is none.

use serde_json::Value;

use super::super::{place, sections::Part, vocabulary::Section};

/// The paths of what of a person is doubtful.
pub(super) fn doubtful(parts: &[Part], basics: &Value) -> Vec<String> {
    let name = basics["name"].as_str().unwrap_or_default();
    let city = basics["location"]["city"].as_str().unwrap_or_default();
    let mut found = Vec::new();
    if goes_on(parts, name) {
        found.push("basics.name".to_owned());
    }
    if is_no_city(city, name) || is_behind_another(parts, city) {
        found.push("basics.location.city".to_owned());
    }
    found
}

/// Whether the line below a name is set in the same type, which is that of headings.
fn goes_on(parts: &[Part], name: &str) -> bool {
    let mut pairs = parts.iter().flat_map(|part| part.lines.windows(2));
    pairs.any(|pair| pair[0].text == name && pair[0].level > 0 && pair[0].level == pair[1].level)
}

/// Most words of a part of a city.
const QUARTER_MAX: usize = 3;

/// Whether a city stands with its code behind another name and no street: in `Nullhaven, Leeds LS6 3DA` either may be where
/// somebody says they live.
fn is_behind_another(parts: &[Part], city: &str) -> bool {
    let is_code = |text: &str| text.contains(char::is_alphabetic) && place::is_postcode(text);
    let is_pair = |field: &str| {
        let Some((quarter, rest)) = field.split_once(", ") else { return false };
        rest.strip_prefix(city).is_some_and(|code| is_code(code.trim()))
            && quarter.split(' ').count() <= QUARTER_MAX
            && quarter.chars().all(|c| c.is_alphabetic() || " -'’".contains(c))
            && !place::names_street(quarter)
    };
    let contact = parts.iter().filter(|part| part.section == Section::Contact);
    !city.is_empty()
        && contact.flat_map(|part| &part.lines).any(|line| line.fields().into_iter().any(is_pair))
}

/// Whether a city has marks or numbers in it, as streets and remarks have, or is the person's name.
fn is_no_city(city: &str, name: &str) -> bool {
    let is_mark = |c: char| "–—|:;@".contains(c) || c.is_ascii_digit();
    city.contains(is_mark) || !city.is_empty() && city.eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::artifacts::resume::{Confidence, draft, lines::Line};
    use serde_json::json;

    #[test]
    fn a_name_is_marked_above_a_line_in_its_type() {
        let line = |text: &str, level| Line {
            text: text.to_owned(),
            bullet: false,
            after_gap: false,
            level,
        };
        let doubts = |level| {
            let lines = vec![line("Ada", 1), line("Byron", level)];
            doubtful(&[Part::new(Section::Contact, lines)], &json!({"name": "Ada"}))
        };
        assert_eq!(doubts(1), ["basics.name"]);
        assert!(doubts(0).is_empty());
    }

    #[test]
    fn a_street_and_a_name_are_no_cities() {
        assert!(is_no_city("Quay Road – Leeds", "Ada") && is_no_city("Ada", "Ada"));
        assert!(!is_no_city("Leeds", "Ada") && !is_no_city("", ""));
    }

    #[test]
    fn a_city_behind_a_part_of_it_is_marked() {
        let is_low = |address: &str| {
            let draft =
                draft(&format!("Ada Byron\n{address} | ada@example.org\n\n## Skills\nGo, C"));
            draft.confidence.get("basics.location.city") == Some(&Confidence::Low)
        };
        assert!(is_low("Nullhaven, Leeds LS6 3DA"));
        for address in ["9 Quay Road, Leeds LS6 3DA", "Null Street, Leeds LS6 3DA", "Leeds LS6 3DA"]
        {
            assert!(!is_low(address), "{address}");
        }
    }
}
