//! Degrees, subjects and schools that no mark parts from each other: `MBA Ridgeway Business School`, `Fitting aan ROC Noord`.

use super::super::{
    vocabulary::{folded, parts as words_of, vocabulary},
    words,
};

/// Fewest words of a school behind a degree: `Master Builders College` is a whole name.
const SCHOOL_MIN: usize = 3;

/// A piece in its parts, where it holds a school behind something else.
pub(super) fn apart(piece: &str) -> Vec<&str> {
    behind_link(piece).or_else(|| behind_degree(piece)).map_or_else(|| vec![piece], Vec::from)
}

/// `Welding aan ROC Noord`, `Physik an der Universität Nulldorf`.
fn behind_link(piece: &str) -> Option<[&str; 2]> {
    [" aan de ", " aan het ", " aan ", " an der ", " am "].iter().find_map(|link| {
        let (before, school) = piece.split_once(link)?;
        let is_school = school.starts_with(char::is_uppercase)
            && (words::is_school(school) || link.starts_with(" aan"));
        let is_plain = !words::is_school(before) && before.starts_with(char::is_uppercase);
        (is_school && is_plain).then_some([before, school])
    })
}

/// `MBA Smallville Business School`
fn behind_degree(piece: &str) -> Option<[&str; 2]> {
    let vocabulary = vocabulary();
    let whole = folded(piece);
    let words: Vec<&str> = whole.split(' ').collect();
    let is_degree = |count: &usize| {
        let name = words[..*count].join(" ");
        vocabulary.long_degrees.contains(&name)
            || *count == 1
                && vocabulary.short_degrees.contains(&name)
                && piece.chars().take(2).all(char::is_uppercase)
    };
    let count = (1..words.len().min(DEGREE_MAX + 1)).rev().find(is_degree)?;
    let (at, _) = piece.match_indices(' ').nth(count - 1)?;
    let (degree, school) = (&piece[..at], piece[at..].trim());
    let is_school = school.starts_with(char::is_uppercase)
        && words.len() - count >= SCHOOL_MIN
        && words::is_school(school)
        && !words::is_school(school.split(' ').next().unwrap_or_default());
    is_school.then_some([degree, school])
}

/// Longest name of a degree, in words.
const DEGREE_MAX: usize = 3;

/// The subject that stands before a university without a mark: `Manufacturing Engineering University of Smallville`.
pub(super) fn subject(piece: &str) -> Option<(&str, &str)> {
    let at = piece.find(" University of ")?;
    let (subject, school) = (&piece[..at], &piece[at + 1..]);
    (subject.contains(' ') && !words::is_school(subject)).then_some((subject, school))
}

/// Whether a degree says no more than its level, so that what stands behind it is the subject: `Diploma secundair
/// onderwijs`.
pub(super) fn is_level(degree: &str) -> bool {
    let whole = folded(degree);
    let words: Vec<&str> = words_of(&whole).collect();
    let mut at = 0;
    while at < words.len() {
        let ends = (at + 1..=words.len().min(at + DEGREE_MAX)).rev();
        let known = ends
            .into_iter()
            .find(|end| vocabulary().long_degrees.contains(&words[at..*end].join(" ")));
        let Some(end) = known else { return false };
        at = end;
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn schools_without_a_mark_before_them_are_told() {
        let found = |line: &str| {
            let text = format!("Ada Byron\n\n## Education\n{line}\n\n## Skills\nGo, C");
            let school = draft(&text).education_history["education"][0].clone();
            ["studyType", "area", "institution"]
                .map(|key| school[key].as_str().unwrap_or("-").to_owned())
                .join("/")
        };
        for (line, school) in [
            (
                "2000 t/m 2003\nMbo 4, Technicus Lassen aan ROC Noordnul, Emmen",
                "Mbo 4/Technicus Lassen/ROC Noordnul",
            ),
            (
                "2010 – 2013\tMBA Null Hill Business School, Leeds",
                "MBA/-/Null Hill Business School",
            ),
            (
                "2010 – 2013\tA Levels, Null Hill Sixth Form, Leeds",
                "A Levels/-/Null Hill Sixth Form",
            ),
            (
                "2010 – 2013\tAssociate degree, Lassen aan ROC Noordnul, Assen",
                "Associate degree/Lassen/ROC Noordnul",
            ),
            (
                "BEng (Hons), Marine Engineering University of Nullshire, Hull, 2010 – 2013",
                "BEng (Hons)/Marine Engineering/University of Nullshire",
            ),
            (
                "2010 – 2013\tRealschule Nulldorf\nAbschluss: Realschulabschluss",
                "Realschulabschluss/-/Realschule Nulldorf",
            ),
        ] {
            assert_eq!(found(line), school, "{line}");
        }
    }
}
