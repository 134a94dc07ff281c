//! Degrees in a narrow column beside their schools, broken off at its edge: `Diploma in Pumps    Null College, Leeds` above
//! `and Valves    2015 – 2019`.

use super::super::{
    dates,
    lines::Line,
    place,
    vocabulary::{folded, vocabulary},
    words,
};
use super::{degrees::is_grade, names_degree, remarks::is_term};

/// Most words of the end of a degree.
const END_MAX: usize = 4;

/// The lines, with each such degree in one.
pub(super) fn joined(lines: &[Line]) -> Vec<Line> {
    let cells = lines.iter().filter_map(|line| cells(line));
    let widest = cells.map(|(first, _)| length(first)).max().unwrap_or_default();
    let mut whole: Vec<Line> = Vec::with_capacity(lines.len());
    for line in lines {
        let joined = whole.last().and_then(|above| row(above, line, widest));
        match (whole.last_mut(), joined) {
            (Some(above), Some((text, period))) => {
                above.text = text;
                whole.push(Line { text: period.to_owned(), ..line.clone() });
            }
            _ => whole.push(line.clone()),
        }
    }
    whole
}

/// The two cells of a line.
fn cells(line: &Line) -> Option<(&str, &str)> {
    let (first, second) = line.text.split_once('\t').filter(|_| !line.bullet)?;
    let (first, second) = (first.trim(), second.trim());
    (!first.is_empty() && !second.is_empty() && !second.contains('\t')).then_some((first, second))
}

/// A degree with its school, and its period, of a line that begins the degree and the next that ends it.
fn row<'l>(above: &Line, below: &'l Line, widest: usize) -> Option<(String, &'l str)> {
    let (degree, school) = cells(above).filter(|_| !below.after_gap)?;
    let (end, period) = cells(below)?;
    let is_period = dates::is_period(period);
    let is_degree = names_degree(degree) && !names_degree(school) && !words::is_school(degree);
    let is_row =
        is_period && is_degree && dates::find(&above.text).is_none() && above.level == below.level;
    let is_broken = hangs(degree) || leads(end) || {
        // Where the town stands with the school, it does not stand below the degree.
        let first = end.split(' ').next().unwrap_or_default();
        let room = widest.saturating_sub(length(degree) + 1);
        school.contains(", ") && !names_degree(end) && length(first) > room
    };
    (is_row && is_broken && is_end(end)).then(|| (format!("{degree} {end}\t{school}"), period))
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Whether no degree ends like this: `Ausbildung zur`.
fn hangs(degree: &str) -> bool {
    degree.rsplit(' ').next().is_some_and(links)
}

/// Whether a text begins in the midst of something: `und Entgelt`.
fn leads(end: &str) -> bool {
    end.contains(' ') && end.split(' ').next().is_some_and(links)
}

fn links(word: &str) -> bool {
    word.chars().all(char::is_lowercase)
        && (vocabulary().linking.contains(&folded(word)) || ["in", "en", "em"].contains(&word))
}

/// Whether a text can be the end of a degree rather than a place or a remark.
fn is_end(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    !vocabulary().notes.contains(&folded(first))
        && text.split_whitespace().count() <= END_MAX
        && text.chars().all(|c| c.is_alphabetic() || " &-'’()".contains(c))
        && !words::is_school(text)
        && !place::is_place(text)
        && !is_grade(text)
        && !is_term(text)
}

#[cfg(test)]
mod tests {
    use super::super::super::lines::lines;
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        joined(&lines(text)).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn a_degree_broken_off_beside_its_school_is_one() {
        for (begin, end, school) in [
            ("Fortbildung zur Fachwirtin für Lohn", "und Entgelt", "Steuerakademie Null, Dortmund"),
            ("Ausbildung zur", "Steuerfachangestellten", "Acme & Kollegen, Hagen"),
            (
                "Associate Degree in Office",
                "Administration",
                "Null Creek Business College, Pueblo, CO",
            ),
            ("Licenciatura en", "Ciencias Químicas", "Universidad Nula, Burgos"),
            ("Licence de", "Sciences économiques", "Université Nulle, Lyon"),
            ("Bacheloropleiding in de", "Verpleegkunde", "Hogeschool Nul, Utrecht"),
            ("Licenciatura em", "Engenharia Civil", "Universidade Nula, Porto"),
        ] {
            assert_eq!(
                texts(&format!("{begin}\t{school}\n{end}\t2019 – 2021")),
                [format!("{begin} {end}\t{school}"), "2019 – 2021".to_owned()],
            );
        }
    }

    #[test]
    fn what_stands_below_a_whole_degree_stays_there() {
        for text in [
            "Diploma in Fitting\tNull College\nNullwich\t2019 – 2021",
            "Diploma in Fitting\tNull College, Leeds\nDistinction\t2019 – 2021",
            "Bachelor of Science in Applied Physics\tNull College, Leeds\nDiploma in Fitting\t2019 – 2021",
            "Diploma in Pumps and Valves\tNull College, Leeds\nHons\t2019 – 2021\nDiploma in Pumps and Valves of Ships\tNull College",
            "Diploma in Fitting\tNull College, Leeds\n\nWelding\t2019 – 2021",
        ] {
            assert_eq!(texts(text).join("\n"), text.replace("\n\n", "\n"));
        }
    }
}
