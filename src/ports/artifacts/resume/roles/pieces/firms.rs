//! Names of firms that have brackets or a comma in them: `Acme (Pty) Ltd`, `Hollis, Brandt & Weir LLP`.

use super::{super::super::words, Kind, Named, is_form};

/// The pieces, with the partner before a comma in the name of a firm that others are called after, where the title stands
/// elsewhere: `Hollis, Brandt & Weir LLP`.
pub(super) fn with_partners(found: Vec<Named>) -> Vec<Named> {
    let has_title = found.iter().any(|named| named.kind == Kind::Title);
    let mut whole: Vec<Named> = Vec::new();
    for named in found {
        match whole.last_mut() {
            Some(last) if has_title && named.after_comma && is_partner(last, &named) => {
                last.text = format!("{}, {}", last.text, named.text);
                last.kind = Kind::Firm;
            }
            _ => whole.push(named),
        }
    }
    whole
}

/// Most words of the name of a partner.
const PARTNER_MAX: usize = 2;

fn is_partner(partner: &Named, firm: &Named) -> bool {
    partner.kind == Kind::Unknown
        && !partner.after_title
        && partner.line == firm.line
        && partner.text.split_whitespace().count() <= PARTNER_MAX
        && partner.text.starts_with(char::is_uppercase)
        && firm.kind == Kind::Firm
        && firm.text.contains(" & ")
        && firm.text.rsplit(' ').next().is_some_and(is_form)
}

/// What stands for a space before brackets that are a part of the name of a firm.
pub(super) const TIED: char = '\u{a0}';

/// A text without what stands in brackets, and that.
pub(super) fn bracketed(field: &str) -> (String, Vec<&str>) {
    let (mut plain, mut notes, mut rest) = (String::new(), Vec::new(), field);
    while let Some((before, after)) = rest.split_once(" (") {
        let Some((note, next)) = after.split_once(')') else { break };
        plain.push_str(before);
        // `Acme (Pty) Ltd`, `Acme (Deutschland) GmbH`
        if next.trim_start().split([' ', ',', '\t']).next().is_some_and(is_form) {
            plain.push(TIED);
            plain.extend(["(", note, ")"]);
        } else {
            notes.push(note);
        }
        rest = next;
    }
    plain.push_str(rest);
    (plain, notes)
}

/// Longest acronym behind a title, in letters.
const ACRONYM_MAX: usize = 5;

/// Whether capitals in brackets behind a title are a remark on it, because the firm stands further on in its line: `Nurse
/// (ICU) — Acme Hospital`.
pub(super) fn is_before_firm(plain: &str, note: &str) -> bool {
    let is_acronym = (2..=ACRONYM_MAX).contains(&note.len())
        && note.bytes().all(|byte| byte.is_ascii_uppercase());
    let mut parts = [" – ", " — ", " - ", ", ", " at ", " bei ", " chez "]
        .into_iter()
        .filter_map(|mark| plain.split_once(mark));
    is_acronym
        && parts.any(|(title, firm)| {
            words::is_position(title)
                && !words::is_organisation(title)
                && words::is_organisation(firm)
        })
}

#[cfg(test)]
mod tests {
    use super::super::named;

    #[test]
    fn capitals_behind_a_title_are_a_remark_where_the_firm_stands_behind_them() {
        let head = |line: &str| {
            named(&[line.to_owned()]).into_iter().map(|named| named.text).collect::<Vec<_>>()
        };
        for mark in [" — ", " – ", " - ", ", ", " at "] {
            let line = format!("Social Worker (NQSW){mark}Acme County Council");
            assert_eq!(head(&line), ["Social Worker (NQSW)", "Acme County Council"]);
        }
        assert_eq!(head("Social Worker (ACME)"), ["Social Worker", "ACME"]);
    }

    #[test]
    fn brackets_before_the_form_of_a_firm_and_partners_before_a_comma_are_parts_of_its_name() {
        let head = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            named(&lines).into_iter().map(|named| named.text).collect::<Vec<_>>()
        };
        for firm in
            ["Acme Timber (Pty) Ltd", "Acme (Deutschland) GmbH", "Hollis, Brandt & Weir LLP"]
        {
            assert_eq!(head(&["Clerk", firm]), ["Clerk", firm]);
        }
        assert_eq!(head(&["Wrangler, Brandt & Weir LLP"]), ["Wrangler", "Brandt & Weir LLP"]);
    }
}
