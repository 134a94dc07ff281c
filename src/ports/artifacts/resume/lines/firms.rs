//! Firms that nothing but a stop, a hyphen or a preposition parts from what stands beside them.

use super::{
    super::{countries, doubt, place, words},
    Line,
};

/// Longest line with a town behind a full stop, in words.
const TOWN_LINE_MAX: usize = 10;

/// `Acme Pumps. Bristol` with a comma before the town.
///
/// So is `Acme Pumps-Columbus, OH`, as some sites write it.
pub(super) fn town_apart(text: &str) -> String {
    if let Some((firm, town)) = before_state(text) {
        return format!("{firm}, {town}");
    }
    let parted = text.rsplit_once(". ").filter(|(before, town)| {
        let last = before.rsplit([' ', '\t']).next().unwrap_or_default();
        place::is_known(town)
            && (last.chars().count() > 3 || last.ends_with('.'))
            && text.split_whitespace().count() <= TOWN_LINE_MAX
    });
    parted.map_or_else(|| text.to_owned(), |(before, town)| format!("{before}, {town}"))
}

/// Longest line of a firm behind its preposition, and of a title above it, in words.
const FIRM_MAX: usize = 8;

/// `bei Acme KG, Smallville` right under a title without its preposition.
pub(super) fn firm_alone(title: &Line, text: &str) -> Option<String> {
    let firm = ["bei ", "bei der ", "at ", "chez ", "bij ", "@ "]
        .iter()
        .filter_map(|lead| text.strip_prefix(lead))
        .find(|firm| firm.starts_with(char::is_uppercase))?;
    let are_short =
        [title.text.as_str(), firm].iter().all(|text| text.split_whitespace().count() <= FIRM_MAX);
    let is_title = !title.bullet && !title.is_prose() && words::is_position(&title.text);
    (is_title && are_short && !firm.ends_with('.')).then(|| firm.to_owned())
}

/// Longest line that is broken at the edge of its column, in bytes.
const COLUMN_MAX: usize = 160;

/// Most words of the end of a name.
const END_MAX: usize = 2;

/// Endings of German adjectives, behind which a noun stands.
const ADJECTIVES: [&str; 4] = ["ische", "ischer", "isches", "ischen"];

/// Whether the name of a firm or a school behind a comma goes on in the next line of its column: `2019 – 2021    Fitter,
/// Gemeinde` and `Nulldorf`, `Institut Linksrheinische` and `Kommunen`. A word for its kind alone is no name.
pub(super) fn joins_name(text: &str, next: &str) -> bool {
    let is_name = next.starts_with(char::is_uppercase)
        && next.chars().all(|c| c.is_alphabetic() || " -".contains(c))
        && next.split_whitespace().count() <= END_MAX
        && !words::is_position(next);
    let is_short = text.len() <= COLUMN_MAX;
    let last = (is_name && is_short).then(|| text.rsplit_once(", ")).flatten();
    let Some((_, name)) = last.filter(|_| text.contains('\t')) else { return false };
    let is_kind = !name.contains(' ') && doubt::is_only_a_firm(name);
    let hangs = name.contains(' ')
        && words::is_organisation(name)
        && ADJECTIVES.iter().any(|end| name.ends_with(end));
    is_kind || hangs
}

/// Fewest words before a hyphen that no town has.
const LONG_MIN: usize = 3;

/// A firm, and its town and state behind a hyphen.
fn before_state(text: &str) -> Option<(&str, &str)> {
    let (before, state) = text.rsplit_once(", ")?;
    let is_one = |firm: &str, town: &str| {
        let is_name = !town.contains(|c: char| c.is_ascii_digit() || ",\t|".contains(c))
            && town.starts_with(char::is_uppercase)
            && firm.ends_with(|c: char| c.is_alphanumeric() || ".)".contains(c));
        is_name && (place::is_known(town) || firm.contains(' ') && !firm.contains([',', '\t']))
    };
    let parted = |at: usize| (&text[..at], &text[at + 1..], &before[at + 1..]);
    // `Null Cold Storage-Springfield, MO` could be a town by its state, as `Winston-Salem, NC` is.
    let is_long = |firm: &str| {
        firm.split(' ').count() >= LONG_MIN && !firm.contains(|c: char| c.is_ascii_digit())
    };
    let hyphens = before.match_indices('-').map(|(at, _)| parted(at));
    let mut found: Vec<_> = hyphens.filter(|(firm, _, town)| is_one(firm, town)).collect();
    found.sort_by_key(|(_, _, town)| place::is_known(town));
    let is_state = countries::is_us_state(state);
    let is_plain = !place::is_place(text)
        || words::is_organisation(before)
        || found.last().is_some_and(|(firm, _, _)| is_long(firm));
    found.pop().filter(|_| is_state && is_plain).map(|(firm, town, _)| (firm, town))
}

#[cfg(test)]
mod tests {
    use super::{super::lines, joins_name};

    #[test]
    fn firms_are_apart_from_prepositions_labels_and_hyphens_before_their_towns() {
        let last = |text: &str| lines(text).pop().map(|line| line.text);
        for (text, firm) in [
            ("Engineer\t2019 – 2021\nbei Acme KG, Ulm", "Acme KG, Ulm"),
            ("Engineer\t2019 – 2021\nName and place of the employer\tAcme", "Employer: Acme"),
            ("Engineer\nAcme Freight-Columbus, OH", "Acme Freight, Columbus, OH"),
            ("Engineer\nNull Cold Storage-Nullfield, MO", "Null Cold Storage, Nullfield, MO"),
        ] {
            assert_eq!(last(text).as_deref(), Some(firm));
        }
        for text in ["Engineer\nWinston-Salem, NC", "I lead teams\nat Acme and elsewhere."] {
            assert_eq!(last(text).as_deref(), text.split('\n').next_back());
        }
    }

    #[test]
    fn names_that_hang_at_the_edge_of_a_column_go_on() {
        assert!(joins_name("2019 – 2021\tSchlosserin, Gemeinde", "Nulldorf"));
        assert!(joins_name("2019 – 2021\tSchlosserin, Institut Südnullische", "Pumpen"));
        assert!(!joins_name("2019 – 2021\tSchlosserin, Gemeinde Nulldorf", "Berlin"));
        assert!(!joins_name("2019 – 2021\tSchlosserin, Gemeinde", "Leitung, Planung"));
    }
}
