//! What is said of studies beside their names.

use super::super::{
    dates,
    lines::Line,
    place,
    vocabulary::{folded, parts, vocabulary},
    words,
};
use super::{degrees::is_grade, names_degree};

/// `Gewerbliche Schule` in `Berufsschule: Gewerbliche Schule`.
pub(super) fn behind_kind(line: &str) -> Option<&str> {
    let (kind, name) = line.split_once(": ")?;
    let is_kind = !kind.contains(' ') && words::is_school(kind);
    (is_kind && !names_degree(kind)).then_some(name)
}

/// Whether a text says how much or when somebody studied, and nothing else: `part-time`.
pub(super) fn is_term(text: &str) -> bool {
    let folded = folded(text);
    vocabulary().terms.contains(&parts(&folded).collect::<Vec<_>>().join(" "))
}

/// Whether a text of several words names a firm: `Acme GmbH`, but not `Hotel-Gastro-Tourismus`.
pub(super) fn is_firm(text: &str) -> bool {
    text.contains(' ') && words::is_organisation(text)
}

/// Whether a degree is the name of a school of the kind that it can be got at: `Atheneum De Ring`, but not
/// `Gymnasium diploma`.
pub(super) fn is_named_kind(degree: &str) -> bool {
    let (kind, name) = degree.split_once(' ').unwrap_or((degree, ""));
    let is_named = |word: &str| {
        word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
            || vocabulary().linking.contains(word)
    };
    let is_kind = words::is_school(kind) || KINDS.contains(&folded(kind).as_str());
    is_kind && !name.is_empty() && name.split(' ').all(is_named)
}

/// Kinds of schools that are called like what is got at them.
const KINDS: [&str; 4] = ["preparatoria", "prepa", "secundaria", "bachilleres"];

/// Whether a piece of a line is the name of a school of a kind with where it is behind it: `Preparatoria Nulla, Puebla`.
pub(super) fn is_placed_kind(line: &str, piece: &str) -> bool {
    let is_before_place = || {
        let (_, rest) = line.split_once(piece)?;
        let town = rest.strip_prefix(", ")?.split(['\t', '(', '|']).next()?.trim();
        place::is_place(town).then_some(())
    };
    is_named_kind(piece) && is_before_place().is_some()
}

/// Whether a word is a kind of school that everybody goes to for some years, which needs no degree.
pub(super) fn is_first_stage(kind: &str) -> bool {
    const STAGES: [&str; 6] = [
        "primarschule",
        "sekundarschule",
        "bezirksschule",
        "hauptschule",
        "grundschule",
        "volksschule",
    ];
    STAGES.contains(&folded(kind).as_str())
}

/// `Liceum Nulla nr 9`, `School No. 5`: schools have numbers, and degrees have none.
pub(super) fn is_numbered(piece: &str) -> bool {
    const LEADS: [&str; 8] = ["nr", "no", "n", "num", "numero", "nummer", "number", "№"];
    let mut words = piece.rsplit(' ');
    let (number, lead) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let lead = folded(lead);
    piece.starts_with(char::is_uppercase)
        && words.next().is_some()
        && (1..=3).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && LEADS.contains(&lead.trim_end_matches(['.', '°', 'º', 'o']))
}

/// Whether a text names an examination and nothing else.
fn names_exam(text: &str) -> bool {
    vocabulary().exams.contains(&folded(text))
}

/// Longest name of an examination, in words.
const EXAM_MAX: usize = 3;

/// `Fitter Journeyman's examination` without the examination behind the trade.
pub(super) fn without_exam(piece: &str) -> &str {
    // Examinations have no longer names.
    let mut spaces = piece.rmatch_indices(' ').map(|(at, _)| at).take(EXAM_MAX);
    let ends = |at: &usize| names_exam(&piece[at + 1..]) && words::is_position(&piece[..*at]);
    spaces.find(ends).map_or(piece, |at| &piece[..at])
}

/// Whether a line below a degree names the examination that ended it, and the next line is about something else:
/// `State examination, grade B` above the degree before.
pub(super) fn is_exam(line: &Line, next: Option<&Line>) -> bool {
    let mut pieces = line.text.split([',', ';', '(', ':', '\t', '|']).map(str::trim);
    let is_one = !line.bullet
        && !line.after_gap
        && line.level == 0
        && pieces.next().is_some_and(names_exam)
        && dates::find(&line.text).is_none()
        && pieces.all(|piece| !words::is_school(piece) && !words::is_organisation(piece));
    is_one && next.is_none_or(|next| names_degree(&next.text) || words::is_position(&next.text))
}

/// Whether a line is the name of a school with where it is, though it ends in a stop: `University of Leeds, Leeds, UK.`
fn is_stopped_name(line: &str) -> bool {
    let Some((name, town)) = line.strip_suffix('.').and_then(|line| line.split_once(", ")) else {
        return false;
    };
    let is_name = |part: &str| {
        part.starts_with(char::is_uppercase) && part.split_whitespace().count() <= TOWN_MAX
    };
    let is_short = name.split_whitespace().count() <= NAME_MAX && !line.contains([':', ';']);
    is_short && words::is_school(name) && town.split(", ").all(is_name)
}

/// Longest name of a school before its town, in words.
const NAME_MAX: usize = 8;

/// `Título: …` of what was written at the end of studies, rather than of the degree.
pub(super) fn is_thesis(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(label, title)| {
        ["titulo", "title", "titel", "titre"].contains(&folded(label).as_str())
            && !names_degree(title)
    })
}

/// Whether a degree is said again with how many there are of it: `8 GCSEs at grades A–C` below `GCSEs`.
pub(super) fn counts_again(degree: Option<&str>, again: Option<&str>) -> bool {
    let (Some(degree), Some(again)) = (degree, again) else { return false };
    let bare = again.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    bare.len() < again.len() && folded(bare).starts_with(&folded(degree))
}

/// `Thorbecke in Zwolle` without the town that is known.
pub(super) fn before_town(name: &str) -> Option<&str> {
    [" in ", " te ", " à ", " en ", " em "].into_iter().find_map(|link| {
        let (before, town) = name.rsplit_once(link)?;
        place::is_known(town).then_some(before)
    })
}

/// Longest name of a town behind a period, in words.
const TOWN_MAX: usize = 4;

/// Whether a line of a period goes on with the town behind a comma.
pub(super) fn is_town(before: &str, after: &str) -> bool {
    let Some(town) = after.strip_prefix(", ").map(str::trim) else { return false };
    before.trim().is_empty()
        && town.starts_with(char::is_uppercase)
        && town.split_whitespace().count() <= TOWN_MAX
        && town.chars().all(|c| c.is_alphabetic() || " '’-".contains(c))
        && !words::is_school(town)
        && !names_degree(town)
}

/// Words for practical work that is a part of studies.
const PLACEMENTS: [&str; 10] = [
    "stage",
    "stages",
    "praktikum",
    "praktika",
    "placement",
    "internship",
    "practicas",
    "estagio",
    "lehrpraxis",
    "bijbaan",
];

/// The town in the name of a school that stands in its town as well: `St Ada College, Leeds, Leeds`, but not `College,
/// Puebla, Puebla`, which is the region too.
pub(super) fn town_twice<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (_, after) = line.split_once(name)?;
    let mut parts = after.strip_prefix(", ")?.split([',', '\t', '(', '|', '·', ')', '.']);
    let (town, again) = (parts.next()?.trim(), parts.map(str::trim).find(|part| !part.is_empty())?);
    let is_twice = town == again && town.starts_with(char::is_uppercase);
    (is_twice && !place::is_region(town)).then_some(town)
}

/// Whether a line tells of practical work: `Stage bij Acme`, without a period of its own.
pub(super) fn is_placement(line: &str) -> bool {
    let (first, rest) = line.split_once([' ', ':']).unwrap_or((line, ""));
    let is_one = PLACEMENTS.contains(&folded(first).as_str());
    is_one && rest.trim_start().starts_with(char::is_lowercase) && dates::find(line).is_none()
}

/// Longest line of a degree that is written small and of its school, in words.
const SMALL_MAX: usize = 9;

/// Whether a line that reads like running text names a school or a degree.
pub(super) fn is_name(text: &str) -> bool {
    is_stopped_name(text) || begins_small(text)
}

/// `vwo, Acme College`: a degree that is written small stands at the beginning, and not a sentence.
fn begins_small(text: &str) -> bool {
    let first = text.split([',', '\t']).next().unwrap_or_default();
    text.split_whitespace().count() <= SMALL_MAX
        && !text.ends_with('.')
        && vocabulary().long_degrees.contains(&folded(first.trim()))
}

/// `Cum laude; minor in History`: how well it went, and what else is said of the studies.
pub(super) fn lists_grades(text: &str) -> bool {
    text.split_once("; ").is_some_and(|(grade, _)| is_grade(grade)) && !words::is_school(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn remarks_are_told_from_names() {
        assert_eq!(behind_kind("Berufsschule: Gewerbliche Schule"), Some("Gewerbliche Schule"));
        assert_eq!(behind_kind("School of Physics: Leeds"), None);
        assert!(counts_again(Some("GCSEs"), Some("8 GCSEs at grades A–C")));
        assert!(!counts_again(Some("GCSEs"), Some("GCSEs")));
        assert!(is_named_kind("Atheneum De Ring"));
        assert!(!is_named_kind("Gymnasium diploma"));
        assert!(is_named_kind("Preparatoria Héroes de Nulla"));
        assert!(is_thesis("Título: Rótulos de biscoitos"));
        assert!(!is_thesis("Título: Licenciatura en Física"));
        assert!(is_stopped_name("Universidade de Nulla, Belo Nulla, Brasil."));
        assert!(!is_stopped_name("University teaching, which I liked."));
        assert!(is_town("", ", Kollum"));
        assert!(!is_town("", ", Kollum College"));
        assert!(!is_town("Leeds ", ", Kollum"));
        assert!(is_placement("Stage bij Basisschool De Wilg, cijfer 8"));
        assert!(!is_placement("Stage School of Dance"));
        assert!(!is_placement("Praktikum in Bonn, 2014"));
    }

    #[test]
    fn an_examination_below_or_behind_what_was_learnt_is_no_degree_of_its_own() {
        for (entry, count) in [
            (
                "Krankenpfleger\nSchule am See, Bonn\n09.2008 – 08.2011\nStaatsexamen, Note 1,4\nAbitur\nLiceum Nulla nr 9, Bonn\n2005",
                2,
            ),
            ("Krankenpfleger\nSchule am See, Bonn\n09.2008 – 08.2011\nGesellenprüfung (gut)", 1),
            ("09.2008 – 08.2011\tKrankenpfleger Staatsexamen, Note 1,4\tSchule am See, Bonn", 1),
            ("Staatsexamen\nUniversität Nulla, Bonn\n2001 – 2006", 1),
        ] {
            let history = draft(&format!("Ada Byron\n\nAusbildung\n{entry}")).education_history;
            let schools = history["education"].as_array().cloned().unwrap_or_default();
            assert_eq!(schools.len(), count, "{entry}");
            let degree = schools[0]["studyType"].as_str();
            assert!(matches!(degree, Some("Krankenpfleger" | "Staatsexamen")), "{entry}");
        }
    }

    #[test]
    fn schools_of_a_kind_are_told_by_their_towns_and_their_numbers() {
        for (school, name) in [
            ("Preparatoria Nullahual, Ciudad de México", "Preparatoria Nullahual"),
            ("Preparatoria Nullahual, Guadalajara, México", "Preparatoria Nullahual"),
            ("Zespół Nulla nr 9, Leeds", "Zespół Nulla nr 9"),
            ("Nulla Primary No. 5, Leeds", "Nulla Primary No. 5"),
            ("Nulla Técnica N° 12, Leeds", "Nulla Técnica N° 12"),
        ] {
            for entry in [
                format!("{school}\t2008 – 2011\nBachillerato"),
                format!("2008 – 2011\tBachillerato\t{school}"),
                format!("{school} 2008 – 2011\nBachillerato"),
            ] {
                let text = format!("Ada Byron\n\nFormación académica\n{entry}");
                let history = draft(&text).education_history;
                let found = &history["education"][0];
                assert_eq!(found["institution"], name, "{entry}");
                assert_eq!(found["studyType"], "Bachillerato", "{entry}");
            }
        }
        assert!(!is_numbered("BTEC Level 3") && !is_numbered("Nulla 5"));
    }

    #[test]
    fn an_apprenticeship_is_at_its_firm_whatever_school_is_beside_it() {
        let entry = "Ausbildung zum Mechatroniker\nAcme Pumpen GmbH, Bonn | 09/2020 – 01/2024";
        let text = format!("Ada Byron\n\nAusbildung\n{entry}\n• Berufsschule: Schule am See");
        let draft = draft(&text);
        let school = &draft.education_history["education"][0];
        assert!(!draft.confidence.contains_key("education.0.institution"));
        assert_eq!(school["institution"], "Acme Pumpen GmbH");
        assert_eq!(school["studyType"], "Ausbildung zum Mechatroniker");
        assert_eq!(school["area"], serde_json::Value::Null);
    }

    #[test]
    fn a_name_that_is_guessed_is_without_its_town() {
        let text = "Ada Byron\n\nOpleiding\nMavo\nThorbecke in Zwolle\n1992 – 1997";
        assert_eq!(draft(text).education_history["education"][0]["institution"], "Thorbecke");
    }

    #[test]
    fn a_day_of_training_is_no_school_beside_others() {
        let schools = |text: &str| {
            let history = draft(&format!("Ada Byron\n\nEducation\n{text}")).education_history;
            history["education"].as_array().map_or(0, Vec::len)
        };
        let whole = "BSc Physics\nUniversity of Leeds\t2010 – 2013";
        assert_eq!(schools(&format!("{whole}\n\nLife Support, 2019\nMentorship, 2018")), 1);
        assert_eq!(schools("Life Support, 2019\n\nMentorship, 2018"), 2);
    }

    #[test]
    fn a_school_with_something_beside_its_name_is_marked() {
        for (school, is_marked) in [
            ("University of Leeds", false),
            ("Leeds University / City Trust", true),
            ("Quay State University-Chicago", true),
            ("Quay College near Smallville (branch of the west)", true),
            ("Quay College of all who ever wished to learn something", true),
        ] {
            let text = format!("Ada Byron\n\nEducation\nBSc Physics\n{school}\t2010 – 2013");
            let confidence = draft(&text).confidence;
            let is_low = confidence.contains_key("education.0.institution");
            assert_eq!(is_low, is_marked, "{school}");
        }
    }

    #[test]
    fn degrees_in_the_type_of_headings_are_schools() {
        let entries = "##### BSc Physics\nUniversity of Leeds | 2010 – 2013\n\n\
                       ##### A Levels\nMoor College | 2008 – 2010";
        let text = format!("# Ada Byron\n\n##### EDUCATION\n\n{entries}\n\n##### SKILLS\nRust");
        assert_eq!(draft(&text).education_history["education"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn a_school_that_is_called_like_a_degree_is_told_by_its_name() {
        for entry in [
            "Bachillerato\t2008 a 2011\nPreparatoria Héroes de Nulla, Nulla",
            "Preparatoria Héroes de Nulla\nBachillerato | 2008 - 2011\nNulla",
            "2008 - 2011\tBachillerato Tecnológico\nIES Nulla, Bilbao",
            "2008 - 2011\tBachillerato.\nUniversidade de Nulla, Belo Horizonte, Brasil.\nTítulo: Sal, Ano: 2011.",
        ] {
            let text = format!("Ada Byron\n\nFormación\n{entry}");
            let history = draft(&text).education_history;
            let [school] = history["education"].as_array().unwrap().as_slice() else {
                panic!("{history}");
            };
            let (name, degree) = (&school["institution"], &school["studyType"]);
            assert!(name.as_str().unwrap().contains(" Nulla") || name == "IES Nulla", "{school}");
            assert!(degree.as_str().unwrap().starts_with("Bachillerato"), "{school}");
        }
    }

    #[test]
    fn a_school_that_is_called_like_a_degree_stands_below_one() {
        let entry =
            "Secundair onderwijs TSO –\t2007 – 2013\nInformaticabeheer\nAtheneum De Ring, Leuven";
        let text = format!("Ada Byron\n\nOpleiding\n{entry}");
        let school = &draft(&text).education_history["education"][0];
        assert_eq!(school["institution"], "Atheneum De Ring");
        assert_eq!(school["studyType"], "Secundair onderwijs TSO");
        assert_eq!(school["area"], "Informaticabeheer");
    }

    #[test]
    fn degrees_with_leftovers_of_something_else_are_marked() {
        for (degree, is_marked) in [
            ("BSc Physics", false),
            ("A Levels. Physics (A), Biology (B)", true),
            ("Bachelor in Pumps Acme Ltd", true),
            ("Bachelor of Science in Physics and", true),
        ] {
            let text =
                format!("Ada Byron\n\nEducation\nUniversity of Leeds\n{degree}\t2010 – 2013");
            let confidence = draft(&text).confidence;
            assert_eq!(confidence.contains_key("education.0.studyType"), is_marked, "{degree}");
        }
    }

    #[test]
    fn a_kind_of_school_before_the_name_of_one_is_what_was_done_there() {
        for entry in [
            "2009 – 2013\tGrundschule, Grundschule Nulldorf, Bonn",
            "Grundschule\nGrundschule Nulldorf, Bonn | 2009 – 2013",
        ] {
            let text = format!("Ada Byron\n\nAusbildung\n{entry}");
            let schools = draft(&text).education_history;
            let [school] = schools["education"].as_array().unwrap().as_slice() else {
                panic!("{schools}");
            };
            assert_eq!(school["institution"], "Grundschule Nulldorf", "{entry}");
            assert_eq!(school["studyType"], "Grundschule", "{entry}");
        }
    }

    #[test]
    fn degrees_that_are_written_small_and_grades_in_lists_are_told() {
        assert!(begins_small("vwo, De Null, Delft") && begins_small("vwo"));
        assert!(!begins_small("vwo and much else was taught there to me by them"));
        assert!(lists_grades("Cum laude; minor in History"));
        assert!(!lists_grades("History; cum laude"));
    }

    #[test]
    fn a_town_that_stands_twice_is_in_the_name_of_the_school_too() {
        for line in [
            "St Nulla’s College, Leeds, Leeds",
            "St Nulla’s College, Leeds\tLeeds",
            "St Nulla’s College, Leeds (Leeds)",
            "BA Physics, St Nulla’s College, Leeds, Leeds, UK",
        ] {
            assert_eq!(town_twice(line, "St Nulla’s College"), Some("Leeds"), "{line}");
        }
        assert_eq!(town_twice("Colegio Nulo, Puebla, Puebla", "Colegio Nulo"), None);
        assert_eq!(town_twice("St Nulla’s College, Leeds", "St Nulla’s College"), None);
        let text =
            "Ada Byron\n\nEducation\n2010 – 2013\tBA Physics\nSt Nulla’s College, Leeds, Leeds";
        let school = &draft(text).education_history["education"][0];
        assert_eq!(school["institution"], "St Nulla’s College, Leeds");
    }

    #[test]
    fn degrees_in_capitals_are_parted_from_their_subjects() {
        for (degree, study, area) in [
            ("GRADO EN FÍSICA", "GRADO", "FÍSICA"),
            ("LICENCIATURA EM ENGENHARIA CIVIL", "LICENCIATURA", "ENGENHARIA CIVIL"),
            ("BACHELOR OF SCIENCE IN PHYSICS", "BACHELOR OF SCIENCE", "PHYSICS"),
            ("MASTER EN DROIT", "MASTER", "DROIT"),
            ("Máster en Física", "Máster", "Física"),
        ] {
            let text =
                format!("Ada Byron\n\nEducation\n2010 – 2013\t{degree}\nUniversity of Leeds");
            let school = &draft(&text).education_history["education"][0];
            assert_eq!(school["studyType"], study, "{degree}");
            assert_eq!(school["area"], area, "{degree}");
        }
    }

    #[test]
    fn a_school_that_begins_like_a_note_is_none() {
        for entry in [
            "Mission Hill University – Bachelor of Arts in History",
            "Project Hill University, Master in Physics",
        ] {
            let text = format!("Ada Byron\n\nEducation\n{entry}\n2010 – 2013");
            let school = &draft(&text).education_history["education"][0];
            assert!(
                school["institution"].as_str().unwrap().ends_with("Hill University"),
                "{entry}"
            );
        }
    }
}
