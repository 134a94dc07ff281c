//! Firms and titles between which a full stop stands: `Acme Hospital, Smallville. Nurse`.

use super::{place, words};

/// Shorter words before a stop are cut off: `Prof. of Logic`.
const WORD_MIN: usize = 5;

/// Most stops of a field that are looked at; names have few.
const STOPS_MAX: usize = 4;

/// The parts of a field around the stop between a firm and a title.
pub(super) fn apart(field: &str) -> Vec<&str> {
    let mut parts = field
        .match_indices(". ")
        .take(STOPS_MAX)
        .map(|(at, mark)| (&field[..at], &field[at + mark.len()..]));
    let found = parts.find(|(before, after)| ends_name(before) && differ(before, after));
    found.map_or_else(|| vec![field], |(before, after)| vec![before, after])
}

/// Whether the last word of a text is none that is cut off.
fn ends_name(text: &str) -> bool {
    let last = text.rsplit([' ', ',']).next().unwrap_or_default();
    !last.contains('.') && (last.chars().count() >= WORD_MIN || place::is_known(last))
}

/// Whether a firm, perhaps with its town, stands before a title, or behind one.
fn differ(before: &str, after: &str) -> bool {
    let first = before.split(", ").next().unwrap_or_default();
    let second = after.split(", ").next().unwrap_or_default();
    let is_named = before.contains(", ") || words::is_organisation(first);
    after.starts_with(char::is_uppercase)
        && (is_named && words::is_position(second) && !words::is_position(first)
            || words::is_position(first)
                && words::is_organisation(second)
                && !words::is_position(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_parts_a_firm_and_its_town_from_a_title() {
        for (field, second) in [
            ("Hospital Nulla, Nulópolis. Enfermera de Urgencias", "Enfermera de Urgencias"),
            ("Acme Hospital, Leeds. Nurse", "Nurse"),
            ("Klinik Nulla, Bonn. Krankenpfleger", "Krankenpfleger"),
            ("Enfermera. Hospital Nulla, Bilbao", "Hospital Nulla, Bilbao"),
            ("Clinique Nulla. Infirmière", "Infirmière"),
        ] {
            assert_eq!(apart(field).get(1), Some(&second), "{field}");
        }
        for whole in [
            "Assoc. Professor of Law",
            "Acme Co. Engineer",
            "Dipl. Ing. Bauleiter",
            "St. Nulla Hospital",
        ] {
            assert_eq!(apart(whole), [whole]);
        }
    }
}
