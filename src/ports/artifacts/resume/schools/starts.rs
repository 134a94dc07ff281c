//! Lines that begin an entry because they stand as the first lines of entries do.

use super::super::{dates, lines::Line, place};
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
    Some(parted).filter(|(_, town)| place::is_place(town)).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

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
