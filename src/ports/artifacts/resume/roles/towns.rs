//! Towns behind firms, `Acme Pumps · Smallville`, and behind a preposition, `Acme Pumps in Smallville`, which one line alone
//! does not tell from the name.

use super::{Confidence, Piece, Role, entries::Entry, words};

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

/// Whether the only piece that a head has left over is as short as the name of a town, and stands in the line of the firm.
pub(super) fn is_only(left: &[Piece], line: usize) -> bool {
    let [piece] = left else { return false };
    let words = || piece.named.text.split_whitespace();
    piece.named.line == line
        && words().count() <= TOWN_MAX
        && words().all(|word| word.starts_with(char::is_uppercase))
}

/// Whether towns stand behind the firms in their lines, as most of the entries show whose firms are known by their words.
pub(super) fn stand_behind_firms(entries: &[Entry], roles: &[Role]) -> bool {
    let shows = |(entry, role): &(&Entry, &Role)| {
        let (Some(firm), Some(town)) = (&role.organisation, &role.location) else { return false };
        let is_behind = |line: &String| {
            line.split_once(firm.as_str()).is_some_and(|(_, rest)| rest.ends_with(town.as_str()))
        };
        role.sure != Confidence::Low && entry.head.iter().any(is_behind)
    };
    let count = entries.iter().zip(roles).filter(shows).count();
    count >= TOWNS_MIN && count * 2 >= entries.len()
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
    use crate::ports::artifacts::resume::{Confidence, draft};

    #[test]
    fn towns_behind_several_firms_are_no_parts_of_them() {
        let text = "Ada Byron\n\n## Berufserfahrung\n04/2020 – heute\tFahrerin\nNulla Kurier in Dortmund\n\
                    07/2018 – 03/2020\tKellnerin\nBlaue Feige in Nulldorf\n2015 – 2018\tBäckerin\nAcme GmbH in Nulldorf";
        let roles = &draft(text).skeleton_timeline["work"];
        assert_eq!(roles[0]["name"], "Nulla Kurier", "{roles}");
        assert_eq!(roles[1]["name"], "Blaue Feige", "{roles}");
        assert_eq!(roles[1]["location"], "Nulldorf", "{roles}");
    }

    #[test]
    fn what_stands_behind_a_firm_is_its_town_where_others_show_so() {
        let doubts = |town: &str| {
            let role = |years: &str, title: &str, firm: &str| {
                format!("{years}\t{title}\n{firm} · {town}\n• Pumps\n\n")
            };
            let roles = [
                role("2018 – 2021", "Fitter", "Acme Pumps Ltd"),
                role("2014 – 2018", "Welder", "Emca Foods Ltd"),
                role("2010 – 2014", "Driver", "Ocme Mail Order"),
            ];
            let draft = draft(&format!("Ada Byron\n\n## Experience\n{}", roles.concat()));
            draft.confidence.get("work.2.name") == Some(&Confidence::Low)
        };
        assert!(!doubts("Nullham") && doubts("many pumps"));
    }
}
