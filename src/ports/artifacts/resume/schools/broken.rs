//! Lines about schools that are broken off at the edge of a column, put together.

use super::super::{dates, doubt, lines::Line, place, words};
use super::{
    degrees::{degree as degree_of, is_grade, parted, pieces},
    is_note, names_degree,
    remarks::is_term,
};

/// Most words of the end of a degree.
const END_MAX: usize = 3;

/// Most words of a subject below the dash that leads to it.
const SUBJECT_MAX: usize = 5;

/// The lines, with what is broken off put together.
pub(super) fn unbroken(lines: &[Line]) -> Vec<Line> {
    let longest = lines.iter().map(|line| length(&line.text)).max().unwrap_or_default();
    let mut whole: Vec<Line> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1);
        let above = whole.len().checked_sub(2).and_then(|at| whole.get(at));
        let joined = whole.last().filter(|_| !line.after_gap && !line.bullet).and_then(|last| {
            if let Some(name) = next.and_then(|town| school_in_column(&last.text, line, town)) {
                return Some(format!("{} {name}", last.text));
            }
            let is_dated = next.is_some_and(|period| {
                let school = above.filter(|_| !last.after_gap);
                goes_on_dated([school, Some(last)], line, period, longest)
            });
            let is_one = is_dated
                || leads_on(last, line)
                || next.is_some_and(|school| goes_on(last, line, school, longest))
                || names_school_further(last, line, longest)
                || next.is_some_and(|town| goes_on_above_town(last, line, town));
            if is_one {
                return Some(format!("{} {}", last.text, line.text));
            }
            let school = next.filter(|next| !next.after_gap)?;
            subject_below(&last.text, &line.text, &school.text)
        });
        match (whole.last_mut(), joined) {
            (Some(last), Some(text)) => last.text = text,
            _ => whole.push(line.clone()),
        }
    }
    whole
}

/// Whether a degree ends with the word that leads to its subject, which stands in the next line: `Bachelor of Science in`
/// above `Physics`.
fn leads_on(degree: &Line, line: &Line) -> bool {
    let leads = [" in", " en", " em", " i"].iter().any(|lead| degree.text.ends_with(lead));
    leads
        && names_degree(&degree.text)
        && line.text.starts_with(char::is_uppercase)
        && line.text.split_whitespace().count() <= SUBJECT_MAX
        && !line.text.contains('\t')
        && !words::is_school(&line.text)
        && dates::find(&line.text).is_none()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Whether the first word of a line would have fitted into the line above.
fn has_room(above: &str, line: &str, longest: usize) -> bool {
    let word = line.split(' ').next().unwrap_or_default();
    length(above) + 1 + length(word) <= longest
}

/// Whether a degree in a narrow column above its school goes on: `Certificate in the Fitting` and `of Valves`.
fn goes_on(degree: &Line, line: &Line, school: &Line, longest: usize) -> bool {
    let is_plain = |line: &Line| {
        !line.bullet && !line.text.contains(['\t', ',']) && dates::find(&line.text).is_none()
    };
    [degree, line, school].into_iter().all(is_plain)
        && !school.after_gap
        && degree.level == line.level
        && !has_room(&degree.text, &line.text, longest)
        && line.text.split_whitespace().count() <= END_MAX
        && names_degree(&degree.text)
        && !names_degree(&line.text)
        && !words::is_school(&line.text)
        && words::is_school(&school.text)
        && !place::is_place(&line.text)
        && !is_note(line)
}

/// Shorter lines beside which a school stands above are not broken off, and those with a school in them.
const DEGREE_MIN: usize = 28;
const ENTRY_MIN: usize = 45;

/// Whether the subject of a degree beside or below its school goes on above the period: `University of Leeds – Bachelor in
/// Supply Chain`, `Management` and `2015 – 2019`.
fn goes_on_dated(
    [school, degree]: [Option<&Line>; 2],
    line: &Line,
    period: &Line,
    longest: usize,
) -> bool {
    let Some(above) = degree else { return false };
    let is_plain = |line: &Line| {
        !line.bullet && !line.text.contains('\t') && dates::find(&line.text).is_none()
    };
    let names_else =
        |text: &str| words::is_school(text) || names_degree(text) || place::is_place(text);
    let is_below = || school.is_some_and(|school| words::is_school(&school.text));
    let fewest = if words::is_school(&above.text) {
        ENTRY_MIN
    } else if is_below() {
        DEGREE_MIN
    } else {
        return false;
    };
    let has_subject = |piece: &String| degree_of(piece).is_some_and(|(_, area)| area.is_some());
    !period.after_gap
        && dates::find(&period.text).is_some_and(|found| found.at.start == 0)
        && is_plain(above)
        && is_plain(line)
        && above.level == line.level
        && length(&above.text) >= fewest
        && !has_room(&above.text, &line.text, longest)
        && line.text.split_whitespace().count() <= END_MAX
        && line.text.chars().all(|c| c.is_alphabetic() || " &-'’".contains(c))
        && !names_else(&line.text)
        && !is_grade(&line.text)
        && !is_term(&line.text)
        && !is_note(line)
        && pieces(&above.text).last().is_some_and(has_subject)
}

/// What goes on with the name of a school at the end of a row, below it in its column and beside a remark, above the town:
/// `2012 – 2014    Diploma    Academy of Fitting`, `part-time    Fourvalves` and `Leeds`.
fn school_in_column<'l>(row: &str, line: &'l Line, town: &Line) -> Option<&'l str> {
    let (remark, name) = line.text.split_once('\t').filter(|(_, name)| !name.contains('\t'))?;
    let (first, school) = row.rsplit_once('\t').filter(|(first, _)| first.contains('\t'))?;
    let is_row = dates::find(first).is_some_and(|period| period.at.start == 0);
    let is_end = name.starts_with(char::is_uppercase)
        && name.split_whitespace().count() <= END_MAX
        && dates::find(&line.text).is_none()
        && !place::is_place(name)
        && !names_else(name);
    let is_remark = remark.starts_with(char::is_lowercase) || is_term(remark);
    let is_alone = !town.after_gap && place::is_place(&town.text);
    (is_row && words::is_school(school) && is_remark && is_end && is_alone).then_some(name)
}

/// Whether the name of a school goes on before its town: `2018 – 2021    Diploma, Academy of Fitting` and
/// `Fourvalves, Leeds`.
fn names_school_further(above: &Line, line: &Line, longest: usize) -> bool {
    let Some((name, town)) = line.text.split_once(", ") else { return false };
    let last = above.text.rsplit(", ").next().unwrap_or_default();
    // `Ames, IA, June 2017 – August 2019` says where and when.
    let before =
        dates::find(&line.text).map_or(line.text.as_str(), |date| &line.text[..date.at.start]);
    let is_town = place::is_place(before.trim_end_matches([',', ' ']));
    above.text.contains(", ")
        && !is_town
        && (words::is_school(last) || doubt::is_only_a_kind(name) && lacks_kind(last))
        && names_degree(&above.text)
        // Letters are not all of one width.
        && length(&above.text) * 5 >= longest * 4
        && name.split_whitespace().count() <= END_MAX
        && name.starts_with(char::is_uppercase)
        && !place::is_place(name)
        && (doubt::is_only_a_kind(name)
            || (place::is_known(town) || ends_in_kind(last)) && !names_else(name))
}

/// Whether the name of a school that is only called by its kind goes on above the town and the period: `Bachelor, Lycée
/// professionnel`, `Fourvalves` and `Lyon, 2013 – 2016`.
fn goes_on_above_town(above: &Line, line: &Line, below: &Line) -> bool {
    let Some((degree, last)) = above.text.rsplit_once(", ") else { return false };
    let mut kind = last.split(' ');
    let is_kind = kind.next().is_some_and(words::is_school)
        && kind.all(|word| word.starts_with(char::is_lowercase));
    let is_town = below.text.split_once(", ").is_some_and(|(town, period)| {
        town.starts_with(char::is_uppercase)
            && dates::find(period).is_some_and(|found| found.at == (0..period.len()))
    });
    is_kind
        && is_town
        && !below.after_gap
        && names_degree(degree)
        && line.text.starts_with(char::is_uppercase)
        && line.text.split_whitespace().count() <= END_MAX
        && line.text.chars().all(|c| c.is_alphabetic() || " '’-".contains(c))
        && !names_else(&line.text)
        && !is_grade(&line.text)
        && !is_term(&line.text)
}

/// Whether several words may be the name of a school without its kind: `Null Basin Community` above `College`.
fn lacks_kind(name: &str) -> bool {
    name.contains(' ')
        && name.split(' ').all(|word| word.starts_with(char::is_uppercase))
        && !names_else(name)
        && !place::is_place(name)
}

/// Whether a name lacks what it is called: `Technische Hochschule`.
fn ends_in_kind(name: &str) -> bool {
    name.rsplit(' ').next().is_some_and(doubt::is_only_a_kind)
}

/// Whether a text is the name of something else than the end of that of a school.
fn names_else(text: &str) -> bool {
    words::is_organisation(text) || names_degree(text)
}

/// A degree whose subject goes on between it and its school, perhaps with the period in another column: `Bachelor –` or
/// `Bachelor: Applied    2013 – 2017`, and `physics`.
fn subject_below(above: &str, line: &str, school: &str) -> Option<String> {
    let (study, period) = above.split_once('\t').unwrap_or((above, ""));
    let is_period = dates::is_period(period);
    let words = line.split_whitespace().count();
    let is_free = !line.contains(['\t', ',', '|', '('])
        && !words::is_school(line)
        && !names_degree(line)
        && !is_grade(line)
        && !is_term(line)
        && dates::find(line).is_none();
    // Below the subject stands where it was studied.
    let is_above_school = words::is_school(school) || school.contains(", ");
    let bare = study.trim_end().trim_end_matches(['–', '—', '-', ':']);
    let hangs = bare.len() < study.trim_end().len()
        && words <= SUBJECT_MAX
        && degree_of(bare.trim_end()).is_some();
    let begun =
        || line.starts_with(char::is_lowercase) && words <= END_MAX && parted(study).is_some();
    let is_one = (period.is_empty() || is_period) && is_free && is_above_school;
    (is_one && (hangs || begun())).then(|| {
        let gap = if period.is_empty() { "" } else { "\t" };
        format!("{study} {line}{gap}{period}")
    })
}

#[cfg(test)]
mod tests {
    use super::{super::super::lines::lines, *};

    fn texts(text: &str) -> Vec<String> {
        unbroken(&lines(text)).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn a_subject_that_goes_on_below_its_degree_is_one() {
        for (broken, whole) in [
            ("Licence – Langues\nappliquées\nUniversité du Pré", "Licence – Langues appliquées"),
            (
                "Bachelor: Applied\t2013 – 2017\nphysics\nUniversity of Leeds",
                "Bachelor: Applied physics\t2013 – 2017",
            ),
            ("Bachelor –\t2013 – 2017\nPhysics\nAcme, Leeds", "Bachelor – Physics\t2013 – 2017"),
            ("• Bachelor of Science in\nPhysics", "Bachelor of Science in Physics"),
        ] {
            assert_eq!(texts(broken)[0], whole);
        }
        for whole in
            ["Bachelor: Physics\npart-time\nUniversity of Leeds", "Bachelor –\nSmith College"]
        {
            assert_eq!(texts(whole).len(), whole.lines().count(), "{whole}");
        }
    }

    #[test]
    fn a_school_that_goes_on_before_its_town_is_one() {
        let broken = "2018 – 2021\tDiploma in Welding, Academy of Fitting\nFourvalves, Leeds";
        assert!(texts(broken)[0].ends_with("Academy of Fitting Fourvalves, Leeds"));
        let broken =
            "2018 – 2021\tA levels: Chemistry, Physics, Quay Sixth Form\nCollege, Nulldorf";
        assert!(texts(broken)[0].ends_with("Quay Sixth Form College, Nulldorf"));
        let broken =
            "2018 – 2021\tAssociate of Arts in Fitting, Null Vista Community\nCollege, Nulldorf";
        assert!(texts(broken)[0].ends_with("Null Vista Community College, Nulldorf"));
        let broken = "2018 – 2021\tMaster in Physik, Technische Hochschule\nNullheim, Nulldorf";
        assert!(texts(broken)[0].ends_with("Technische Hochschule Nullheim, Nulldorf"));
        for whole in [
            "2018 – 2021\tDiploma in Welding, Academy of Fitting\nWinner, best pupil",
            "Diploma in Welding, Null River University\nAmes, IA, June 2018 – May 2021",
        ] {
            assert_eq!(texts(whole).len(), 2);
        }
    }

    #[test]
    fn a_school_of_a_kind_that_goes_on_above_its_town_is_one() {
        for (above, rest, below) in [
            ("Baccalauréat, Lycée professionnel", "Roche-Nulle", "Rive-Nulle, 2013 – 2016"),
            ("Bachillerato, Instituto", "Los Nulos", "Nulburgo, 2013 – 2016"),
            ("Diploma in Fitting, College", "Nullmoor", "Leeds, 2013 – 2016"),
        ] {
            let found = texts(&format!("{above}\n{rest}\n{below}"));
            assert_eq!(found, [format!("{above} {rest}"), below.to_owned()]);
        }
        for whole in [
            "Baccalauréat, Lycée Nul\nRoche-Nulle\nRive-Nulle, 2013 – 2016",
            "Baccalauréat, Lycée professionnel\nRoche-Nulle\n2013 – 2016",
            "Baccalauréat, Lycée professionnel\nMention Bien\nRive-Nulle, 2013 – 2016",
        ] {
            assert_eq!(texts(whole).len(), 3, "{whole}");
        }
    }

    #[test]
    fn a_subject_that_goes_on_above_the_period_is_one() {
        let school = "University of Nullwich";
        for (above, rest) in [
            (format!("{school} – Bachelor of Business in Supply Chain"), "Management"),
            (format!("{school}, Master of Science in Applied Molecular"), "Biology"),
            ("Universidad Nula – Grado en Administración y Dirección".to_owned(), "Empresarial"),
            (format!("{school}\nMaster of Science in Applied Molecular"), "Plant Biology"),
            (format!("{school}\nMaster of Science in Business"), "Analytics"),
        ] {
            let broken = format!("{above}\n{rest}\n2015 – 2019 (Leeds)");
            let found = texts(&broken);
            assert!(found.iter().any(|line| line.ends_with(&format!(" {rest}"))), "{broken}");
        }
        for whole in [
            "University of Nullwich – Bachelor of Business in Supply\nLeeds\n2015 – 2019",
            "University of Nullwich – Bachelor of Business in Supply\nDistinction\n2015 – 2019",
            "BSc in Physics, University\nHeadingley\n2015 – 2019",
        ] {
            assert_eq!(texts(whole).len(), 3, "{whole}");
        }
    }

    #[test]
    fn the_name_of_a_school_goes_on_in_its_column() {
        let row = "09/2012 – 07/2014\tGesellenprüfung\tAkademie für Rechnungswesen";
        for remark in ["berufsbegleitend", "in Teilzeit", "part-time"] {
            let broken = format!("{row}\n{remark}\tNordnulla\nBonn");
            assert_eq!(texts(&broken)[0], format!("{row} Nordnulla"));
        }
        assert_eq!(texts(&format!("{row}\nberufsbegleitend\tBonn\n2005\tAbitur"))[0], row);
    }
}
