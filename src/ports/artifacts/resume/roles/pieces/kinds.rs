//! What pieces are that their words alone do not tell, but what stands beside them does.

use super::{super::super::dates, Kind, Named, doubt, is_term, words};

/// The pieces, with the title told from the firm where both are called firms: `Senior Consultant Logistics` beside `Acme
/// Ltd` is no firm.
pub(super) fn told_apart(mut found: Vec<Named>) -> Vec<Named> {
    let ends_in_form = |named: &Named| named.text.rsplit(' ').next().is_some_and(doubt::is_form);
    let is_firm = |named: &Named| named.kind == Kind::Firm && ends_in_form(named);
    let Some(line) = found.iter().find(|named| is_firm(named)).map(|named| named.line) else {
        return found;
    };
    if found.iter().any(|named| named.line == line && named.kind == Kind::Title) {
        return found;
    }
    let is_title = |named: &&mut Named| {
        named.line == line
            && named.kind == Kind::Firm
            && !ends_in_form(named)
            && words::is_position(&named.text)
    };
    if let Some(title) = found.iter_mut().find(is_title) {
        title.kind = Kind::Title;
    }
    found
}

/// The pieces without what says how much somebody worked. `Freelance` stands where a firm would if none is named.
pub(super) fn without_terms(mut found: Vec<Named>) -> Vec<Named> {
    let is_own = |named: &Named| is_term(&named.text) && words::is_own(&named.text);
    let has_title = found.iter().any(|named| named.kind == Kind::Title && !is_own(named));
    let others = found
        .iter()
        .filter(|named| matches!(named.kind, Kind::Firm | Kind::Unknown) && !is_term(&named.text));
    if has_title
        && others.count() == 0
        && let Some(own) = found.iter().position(is_own)
    {
        found[own].kind = Kind::Firm;
        let mut at = 0;
        found.retain(|named| {
            at += 1;
            at - 1 == own || !is_term(&named.text)
        });
        return found;
    }
    found.retain(|named| !is_term(&named.text));
    found
}

/// Puts what stands behind a dash back to a title that stands behind its label: `Position: Nurse – ICU`.
pub(super) fn join_labelled(found: &mut Vec<Named>, begin: usize, field: &str) {
    let [title, detail] = &found[begin..] else { return };
    let is_one = title.kind == Kind::Title
        && detail.kind == Kind::Unknown
        && detail.after_dash
        && field.starts_with(title.text.as_str())
        && field.ends_with(detail.text.as_str());
    if is_one {
        field.clone_into(&mut found[begin].text);
        found.truncate(begin + 1);
    }
}

/// `91E`, `L5`: a code of a trade or a rank, which belongs to the title before it.
pub(super) fn is_code(note: &str) -> bool {
    note.len() <= 6
        && note.contains(|c: char| c.is_ascii_digit())
        && note.contains(|c: char| c.is_ascii_uppercase())
        && note.chars().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase() || c == '-')
}

/// `0.2 FTE`, `3 sites`: a number and what it counts.
pub(super) fn is_measure(text: &str) -> bool {
    let (number, what) = text.split_once(' ').unwrap_or_default();
    number.chars().all(|c| c.is_ascii_digit() || ".,".contains(c))
        && number.starts_with(|c: char| c.is_ascii_digit())
        && what.starts_with(char::is_alphabetic)
        && dates::find(text).is_none()
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    /// Firms and titles of the roles under a heading.
    fn roles(lines: &str) -> String {
        let text = format!("Ada Byron\n\n## Experience\n{lines}\n\n## Skills\nGo, C");
        let roles = draft(&text).skeleton_timeline["work"].clone();
        let said = |role: &serde_json::Value| {
            format!(
                "{}/{}",
                role["name"].as_str().unwrap_or("-"),
                role["position"].as_str().unwrap_or("-")
            )
        };
        roles.as_array().into_iter().flatten().map(said).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn titles_are_told_from_firms_by_what_stands_beside_them() {
        assert_eq!(
            roles(
                "Acme AG – Senior Consultant Logistik\t01/2013 – 03/2018\nLeitung von Rollouts\n\nEmca KG – Disponentin\t08/2004 – 09/2006"
            ),
            "Acme AG/Senior Consultant Logistik|Emca KG/Disponentin"
        );
        assert_eq!(
            roles(
                "freiberuflich – Beraterin\tseit 04/2018\nEinführung der Pumpen\n\nEmca KG – Disponentin\t08/2004 – 09/2006"
            ),
            "freiberuflich/Beraterin|Emca KG/Disponentin"
        );
        assert_eq!(
            roles("Employer: Acme Hospital\nPosition: Nurse – ICU\nPeriod: 05/2016 – 07/2021"),
            "Acme Hospital/Nurse – ICU"
        );
        assert_eq!(
            roles("Nurse – ICU, Acme Hospital (Leeds)\t05/2016 – 07/2021"),
            "Acme Hospital/Nurse – ICU"
        );
    }
}
