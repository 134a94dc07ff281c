//! Towns behind firms and schools and a plain hyphen, `Acme Pumps-Nulleville`, as some sites write them, where most of
//! the entries are written so.

use std::collections::HashSet;

use super::{dates, lines::Line, place, sections::Part, vocabulary::Section, words};

/// Fewest names that show how entries are written.
const NAMES_MIN: usize = 2;

/// Longest name of a town, and longest line of a name and its town, in words.
const TOWN_MAX: usize = 4;
const LINE_MAX: usize = 10;

/// What names of towns begin with that go on behind a hyphen: `Saint-Étienne`.
const BEGINS: [&str; 10] =
    ["Saint", "Sainte", "St", "Ste", "Sankt", "Bad", "La", "Le", "Les", "Mont"];

/// The parts with commas before the towns.
pub(super) fn apart(parts: Vec<Part>) -> Vec<Part> {
    let mut parts = parts;
    let is_entry = |part: &Part| {
        matches!(part.section, Section::Work | Section::Volunteer | Section::Education)
    };
    let lines = || parts.iter().filter(|part| is_entry(part)).flat_map(|part| &part.lines);
    let shown: Vec<Parted<'_>> = lines()
        .filter_map(parted)
        .filter(|parted| parted.name.contains(' ') && !words::is_position(parted.name))
        .collect();
    let periods = lines().filter(|line| !line.bullet && dates::find(&line.text).is_some()).count();
    if shown.len() * 2 <= periods || !are_towns(&shown) {
        return parts;
    }
    for line in parts.iter_mut().filter(|part| is_entry(part)).flat_map(|part| &mut part.lines) {
        if let Some(Parted { name, town, rest }) = parted(line) {
            line.text = format!("{name}, {town}{rest}");
        }
    }
    parts
}

/// Whether towns stand behind hyphens: several, with a known one or one behind two names among them. Where none is told so,
/// the hyphens belong to the names, however many there are: `IFSI de Bretagne-Ouest`, `Lycée Jean-Marie Nul`.
fn are_towns(shown: &[Parted<'_>]) -> bool {
    let names: HashSet<&str> = shown.iter().map(|parted| parted.name).collect();
    let pairs: HashSet<(&str, &str)> =
        shown.iter().map(|parted| (parted.name, parted.town)).collect();
    let towns: HashSet<&str> = shown.iter().map(|parted| parted.town).collect();
    let is_told = towns.len() < pairs.len() || towns.into_iter().any(place::is_known);
    is_told && names.len() >= NAMES_MIN
}

/// A line of an entry: a name, the town behind its hyphen, and what stands behind both.
#[derive(Debug, PartialEq)]
struct Parted<'l> {
    name: &'l str,
    town: &'l str,
    rest: &'l str,
}

fn parted(line: &Line) -> Option<Parted<'_>> {
    // `Garage Dupont-Martin    Lyon`: the town stands in a column.
    let beside = line.text.split_once('\t').map(|(_, beside)| beside);
    if line.bullet || beside.is_some_and(|beside| dates::find(beside).is_none()) {
        return None;
    }
    let end = line.text.find('\t').unwrap_or(line.text.len());
    // `Acme Pumps-Nulleville, ON`
    let end = line.text[..end].find(", ").unwrap_or(end);
    let (names, rest) = line.text.split_at(end);
    let region = rest.split('\t').next().unwrap_or_default().trim_start_matches(", ");
    let is_whole = region.is_empty() || place::is_part(region) || place::is_region(region);
    let at = (is_whole && names.split(' ').count() <= LINE_MAX).then(|| hyphen(names))??;
    let (name, town) = (&names[..at], &names[at + 1..]);
    let is_name = name.starts_with(char::is_uppercase)
        && name.ends_with(|c: char| c.is_alphanumeric() || ".)".contains(c));
    // `Mâcon` is called almost like a mason.
    let is_else = place::is_place(names)
        || words::is_position(town) && !place::is_known(town)
        || words::is_organisation(town);
    (is_name && !is_else).then_some(Parted { name, town, rest })
}

/// Where the hyphen before the town stands: the first one before a known town, or the last one that no town has in its
/// name, as `Nulleville-sur-Mer` and `Saint-Nulle` have.
fn hyphen(names: &str) -> Option<usize> {
    let is_town = |at: &usize| {
        let town = &names[at + 1..];
        town.starts_with(char::is_uppercase)
            && town.split(' ').count() <= TOWN_MAX
            && town.chars().all(|c| c.is_alphabetic() || " .'’-".contains(c))
    };
    let begins_town =
        |at: &usize| BEGINS.contains(&names[..*at].rsplit([' ', '-']).next().unwrap_or_default());
    let goes_on = |at: &usize| {
        let before = names[..*at].rsplit([' ', '-']).next().unwrap_or_default();
        before.starts_with(char::is_lowercase) || begins_town(at)
    };
    let all: Vec<usize> = names.match_indices('-').map(|(at, _)| at).filter(is_town).collect();
    let known = all.iter().find(|at| place::is_known(&names[**at + 1..]));
    known.or_else(|| all.iter().rfind(|at| !goes_on(at))).copied()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{lines::lines, sections},
        *,
    };

    fn texts(rows: &[&str]) -> Vec<String> {
        let entry = |row: &&str| format!("Fitter\n{row}\n2011 – 2013\n• Pumps\n\n");
        let entries: String = rows.iter().map(entry).collect();
        let text = format!("Ada Byron\nada@example.org\n\nExperience\n\n{entries}");
        let parts = apart(sections::parts(&lines(&text)));
        parts[1].lines.iter().skip(1).step_by(4).map(|line| line.text.clone()).collect()
    }

    #[test]
    fn towns_behind_hyphens_are_apart_where_most_entries_have_them() {
        for (row, firm) in [
            ("Transports Nulle-Montnul-les-Mines", "Transports Nulle, Montnul-les-Mines"),
            ("Verrerie de la Nulle-Nullon-sur-Saône", "Verrerie de la Nulle, Nullon-sur-Saône"),
            ("Lycée Jean-Nullaing-Nullon", "Lycée Jean-Nullaing, Nullon"),
            ("Actif Travail Temporaire-Mâcon", "Actif Travail Temporaire, Mâcon"),
            ("Garage Dupont-Saint-Nulle-du-Bois", "Garage Dupont, Saint-Nulle-du-Bois"),
            ("Acme-Clermont-Ferrand", "Acme, Clermont-Ferrand"),
            ("Acme Pumps Ltd.-Nulle Falls, ON", "Acme Pumps Ltd., Nulle Falls, ON"),
            ("Clermont-Ferrand", "Clermont-Ferrand"),
            ("Dupont-Martin SARL", "Dupont-Martin SARL"),
        ] {
            let known = ["Acme Pumps-Lyon", "Emca Verre-Nulleville", "Le Nul Bleu-Lyon"];
            assert_eq!(texts(&[row, known[0], known[1], known[2]])[0], firm);
        }
        let strange = ["Acme Pumps-Nulleville", "Emca Verre-Nullon", "Le Nul Bleu-Nullon"];
        assert_eq!(texts(&strange)[0], "Acme Pumps, Nulleville");
    }

    #[test]
    fn hyphens_of_names_part_no_towns() {
        for rows in [
            ["Garage Dupont-Martin", "Emca Verre", "Le Nul Bleu"],
            ["Junior SAP-Berater", "Garage Dupont-Lyon", "Le Nul Bleu, Lyon"],
            ["Théâtre Deux-Nulles\tLyon", "Fondation Arc-Nul\tLyon", "Nulle du Haut-Lac\tNullon"],
            ["Universität Erlangen-Nürnberg", "Acme GmbH, Ulm", "Emca GmbH, Ulm"],
            ["Hospital de Nulle-Sud", "IFSI de Nulland-Ouest", "Lycée Jean-Marie Le Nul"],
        ] {
            assert_eq!(texts(&rows), rows);
        }
    }
}
