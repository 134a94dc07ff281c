//! Towns behind firms and a preposition, `Acme Pumps in Smallville`, which one line alone does not tell from the name.

use super::{entries::Entry, words};

/// Fewest firms with their towns that show that they stand there.
const TOWNS_MIN: usize = 2;

/// Longest name of a town, in words.
const TOWN_MAX: usize = 3;

/// The entries with a comma before the town, where several of them have a line that ends in one.
pub(super) fn apart(mut entries: Vec<Entry>) -> Vec<Entry> {
    for link in [" in ", " te ", " à "] {
        let places: Vec<Option<usize>> = entries
            .iter()
            .map(|entry| entry.head.iter().position(|line| parted(line, link).is_some()))
            .collect();
        let count = places.iter().flatten().count();
        if count < TOWNS_MIN || count * 2 <= entries.len() {
            continue;
        }
        for (entry, at) in entries.iter_mut().zip(places) {
            let Some(line) = at.and_then(|at| entry.head.get_mut(at)) else { continue };
            if let Some((firm, town)) = parted(line, link) {
                *line = format!("{firm}, {town}");
            }
        }
    }
    entries
}

/// What stands in a line before a town, and the town.
fn parted<'l>(line: &'l str, tie: &str) -> Option<(&'l str, &'l str)> {
    let (before, town) = line.rsplit_once(tie)?;
    // `Fitter bij Acme Pumps in Smallville`
    let at = LEADS.iter().filter_map(|lead| Some(before.find(lead)? + lead.len())).min();
    let firm = &before[at.unwrap_or_default()..];
    let is_name = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|c| c.is_alphabetic() || "-'’".contains(c))
    };
    let is_town = town.split_whitespace().count() <= TOWN_MAX
        && town.split_whitespace().all(is_name)
        && !words::is_organisation(town)
        && !words::is_position(town);
    let is_firm = firm.starts_with(char::is_uppercase)
        && firm.contains(' ')
        && !firm.contains(['\t', ','])
        && !words::is_position(firm);
    (is_town && is_firm).then_some((before, town))
}

/// What leads from a title to a firm.
const LEADS: [&str; 4] = [" bei ", " bij ", " at ", " chez "];

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn towns_behind_several_firms_are_no_parts_of_them() {
        let text = "Ada Byron\n\n## Berufserfahrung\n04/2020 – heute\tFahrerin\nNulla Kurier in Dortmund\n\
                    07/2018 – 03/2020\tKellnerin\nBlaue Feige in Nulldorf\n2015 – 2018\tBäckerin\nAcme GmbH in Nulldorf";
        let roles = &draft(text).skeleton_timeline["work"];
        assert_eq!(roles[0]["name"], "Nulla Kurier", "{roles}");
        assert_eq!(roles[1]["name"], "Blaue Feige", "{roles}");
        assert_eq!(roles[1]["location"], "Nulldorf", "{roles}");
    }
}
