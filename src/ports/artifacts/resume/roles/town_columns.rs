//! Towns that are not known, told by where they stand: most other entries have a known place there.

use super::super::{place, words};

/// Longest name of a town, in words.
const TOWN_MAX: usize = 3;

/// Fewest known places that show where places stand.
const KNOWN_MIN: usize = 2;

/// Whether a text can be the name of a town that is not known.
pub(in super::super) fn is_town(text: &str) -> bool {
    !place::is_place(text)
        && text.split_whitespace().count() <= TOWN_MAX
        && text.starts_with(char::is_uppercase)
        && text.chars().all(|c| c.is_alphabetic() || " .'’-".contains(c))
        && !words::is_position(text)
        && !words::is_organisation(text)
}

/// Whether places stand somewhere, as most of the texts there show.
pub(in super::super) fn are_places<'t>(texts: impl Iterator<Item = &'t str>) -> bool {
    let (known, others): (Vec<&str>, Vec<&str>) = texts.partition(|text| place::is_place(text));
    known.len() >= KNOWN_MIN && known.len() > others.len()
}

/// The line of a head with two columns, and what stands in them: `Acme Ltd    Smallville`.
type Columns<'h> = (usize, &'h str, &'h str);

fn columns(head: &[String]) -> Option<Columns<'_>> {
    head.iter().enumerate().find_map(|(at, line)| {
        let (name, town) = line.split_once('\t')?;
        (!town.contains('\t')).then_some((at, name, town))
    })
}

/// Where the heads of entries have a town in a column, as those with known ones do: the line, what stands before it, and
/// the town.
pub(super) fn in_columns(heads: &[&[String]]) -> Vec<Option<(usize, String, String)>> {
    let columns: Vec<Option<Columns<'_>>> = heads.iter().map(|head| columns(head)).collect();
    let are_towns = are_places(columns.iter().flatten().map(|(_, _, town)| *town));
    let taken = columns.into_iter().map(|columns| {
        let (at, name, town) = columns.filter(|(_, _, town)| are_towns && is_town(town))?;
        Some((at, name.to_owned(), town.to_owned()))
    });
    taken.collect()
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn a_town_that_is_not_known_stands_in_the_column_of_those_that_are() {
        let known = "Acme Ltd\tLeeds\nEngineer\t2015 – 2019\n• Pumps\n\nEmca Ltd\tBonn\nFitter\t2011 – 2015\n• Valves\n\n";
        for last in [
            "The Old Quay\tNullwich\nFront of house\t2003 – 2007",
            "The Old Quay\tNullwich\nNebenjob Empfang\t2003 – 2007",
            "The Old Quay\tSankt Nulla\nBijbaan bediening\t2003 – 2007",
            "The Old Quay\tNulla-sur-Mer\nPlonge\t2003 – 2007",
        ] {
            let draft = draft(&format!("Ada Byron\n\n## Experience\n{known}{last}"));
            let role = &draft.skeleton_timeline["work"][2];
            let (name, rest) = last.split_once('\t').unwrap();
            let (town, title) = rest.split_once('\n').unwrap();
            assert_eq!(role["name"], name, "{last}");
            assert_eq!(role["location"], town, "{last}");
            assert_eq!(role["position"], title.split('\t').next().unwrap(), "{last}");
        }
        // One known place shows nothing.
        let text = "Ada Byron\n\n## Experience\nAcme Ltd\tLeeds\nEngineer\t2015 – 2019\n\nEmca Ltd\tNulla\nFitter\t2011 – 2015";
        assert!(draft(text).skeleton_timeline["work"][1]["location"] != "Leeds");
    }
}
