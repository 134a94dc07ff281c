//! Lines that begin an entry because they stand as the first lines of entries do.

use super::super::{dates, lines::Line, place, words};
use super::{School, names_degree};

/// Whether a name with its town, in columns or behind a comma, begins an entry below one that is whole: the schools stand
/// above their degrees here, and the next line is a degree with its period.
pub(super) fn begins(above: &School, line: &Line, next: Option<&Line>) -> bool {
    let is_degree = |next: &Line| names_degree(&next.text) && dates::find(&next.text).is_some();
    above.degree_first == Some(false)
        && !line.bullet
        && dates::find(&line.text).is_none()
        && next.is_some_and(is_degree)
        && name(&line.text).is_some_and(|name| !names_degree(name))
}

/// What stands before the town at the end of a line.
fn name(text: &str) -> Option<&str> {
    let in_brackets = || text.strip_suffix(')')?.rsplit_once(" (");
    let parted = text.split_once('\t').or_else(|| text.split_once(", ")).or_else(in_brackets)?;
    // Behind a school that its word tells, a name is that of a town, known or not.
    let is_town = |(name, town): &(&str, &str)| {
        place::is_place(town) || words::is_school(name) && is_short_name(town)
    };
    Some(parted).filter(is_town).map(|(name, _)| name)
}

/// Most words of the name of a town.
const TOWN_MAX: usize = 3;

fn is_short_name(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
        && text.split(' ').count() <= TOWN_MAX
        && text.chars().all(|c| c.is_alphabetic() || " '’-".contains(c))
        && !words::is_school(text)
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn a_school_with_a_town_that_is_not_known_begins_an_entry_below_a_name_of_no_kind() {
        let text = "Ada Byron\n\nFormation\nMaîtres du Nul, Lyon\nBrevet professionnel Plomberie (1997 - 1999)\n\
                    CFA de la Nulle, Nullix\nCAP Plombier (1995 - 1997)";
        let schools = &draft(text).education_history["education"];
        assert_eq!(schools[0]["institution"], "Maîtres du Nul", "{schools}");
        assert_eq!(schools[1]["institution"], "CFA de la Nulle", "{schools}");
    }

    #[test]
    fn names_with_their_towns_begin_entries_where_schools_stand_above_their_degrees() {
        for town in ["\tBonn", ", Bonn", "\tLeeds, UK"] {
            let text = format!(
                "Ada Byron\n\nAusbildung\nHochschule Nulla{town}\nBachelor of Arts in Logistik\t09.2009 – 02.2013\n\
                 Acme Spedition AG{town}\nAusbildung zum Kaufmann\t08.2002 – 07.2005\n\
                 Nulla am Hang{town}\nFachhochschulreife\t2001"
            );
            let history = draft(&text).education_history;
            let schools: Vec<&str> = history["education"]
                .as_array()
                .map(|all| all.iter().filter_map(|it| it["institution"].as_str()).collect())
                .unwrap_or_default();
            assert_eq!(
                schools,
                ["Hochschule Nulla", "Acme Spedition AG", "Nulla am Hang"],
                "{town}"
            );
        }
    }
}
