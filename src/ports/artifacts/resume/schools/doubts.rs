//! What is doubtful of an entry, and what it lacks.

use super::super::{
    Confidence, Findings, dates, doubt,
    lines::Line,
    place,
    vocabulary::{folded, vocabulary},
    words,
};
use super::{School, Told, degrees::are_graded, remarks::is_firm};

/// Notes what an entry lacks, which is called as said and has a date or none, and what of it is doubtful.
pub(super) fn note(
    school: &School,
    (what, is_dated): (&str, bool),
    position: usize,
    findings: &mut Findings,
) {
    if school.study_type.is_none() && school.institution.is_some() {
        findings.issue(&format!("no degree was found for {what}"));
    }
    if !is_dated {
        findings.issue(&format!("no date was found for {what}"));
    }
    if school.institution.is_none() {
        findings.issue(&format!("no school was found for {what}"));
    }
    let sure = sure(school);
    // Where somebody worked before or afterwards is no guess.
    let is_worked_at = school.told == Told::ByWord
        && school.institution.as_ref().is_some_and(|name| findings.firms.contains(name));
    let name = school.institution.as_deref().unwrap_or_default();
    let path = format!("education.{position}");
    let is_no_name = doubt::reads_like_text(name) || doubt::is_only_a_kind(name);
    findings.sure(&path, if is_no_name { Confidence::Low } else { sure });
    let is_vague = school.period.as_ref().is_some_and(|period| period.is_vague);
    let names = sure != Confidence::Low && are_guessed(school) && !is_worked_at;
    for (key, is_low) in [
        ("institution", names || holds_more(name) || is_degree(school)),
        ("studyType", school.study_type.is_some() && (names || is_doubtful_degree(school))),
        ("startDate", is_vague),
        ("endDate", is_vague),
    ] {
        if is_low {
            findings.sure(&format!("{path}.{key}"), Confidence::Low);
        }
    }
}

/// How many periods stand in sections, and so how many schools may.
pub(super) fn count_periods(sections: &[&[Line]]) -> usize {
    let is_dated =
        |line: &&Line| dates::find(&line.text).is_some_and(|period| period.start.is_some());
    // `2009 (Smallville)`
    let is_led = |line: &&Line| {
        !line.bullet && dates::find(&line.text).is_some_and(|date| date.at.start == 0)
    };
    let lines = || sections.iter().flat_map(|lines| lines.iter());
    lines().filter(is_dated).count().max(lines().filter(is_led).count())
}

/// How sure the whole entry is.
fn sure(school: &School) -> Confidence {
    let lacks = school.study_type.is_none() || school.period.is_none();
    let is_guess = school.guessed && (lacks || school.told == Told::ByTrade);
    match school.institution {
        None => Confidence::Low,
        Some(_) if is_guess => Confidence::Low,
        Some(_) if lacks => Confidence::Medium,
        Some(_) => Confidence::High,
    }
}

/// Whether school and degree are; the period stands where it stands.
fn are_guessed(school: &School) -> bool {
    // An apprenticeship is at a firm.
    let is_at_firm =
        school.told == Told::ByWord && school.institution.as_deref().is_some_and(is_firm);
    school.guessed && !is_at_firm
}

fn is_doubtful_degree(school: &School) -> bool {
    let studied = school.study_type.as_deref().unwrap_or_default();
    let learnt = school.area.as_deref().unwrap_or_default();
    let is_whole = school.area_is_guessed && school.area.is_some() && names_subject(studied);
    // `A levels: English, History, Economics` may be called so without its subjects.
    let are_several = learnt.matches(", ").count() > 1;
    is_whole
        || are_several
        || school.told == Told::Guessed
        || doubt::holds_remark(studied)
        || is_strange(studied, learnt)
}

/// Whether a degree says already what was learnt, so that what stands behind it may be a town: `CAP Boulanger`,
/// `Hauptschulabschluss`.
fn names_subject(study_type: &str) -> bool {
    let (first, rest) = study_type.split_once(' ').unwrap_or((study_type, ""));
    let is_short = vocabulary().short_degrees.contains(&folded(&first.replace('.', "")));
    is_short && rest.starts_with(char::is_uppercase) || study_type.ends_with("abschluss")
}

/// Whether the name of a school without a degree is called like one: `Bachillerato Artístico`.
fn is_degree(school: &School) -> bool {
    let name = school.institution.as_deref().unwrap_or_default();
    let first = folded(name.split(' ').next().unwrap_or_default());
    school.study_type.is_none() && vocabulary().long_degrees.contains(&first)
}

/// Whether the name of a school holds something beside it: `College of Welding / Bachelor`, `[2014] College`, or a town.
fn holds_more(name: &str) -> bool {
    // `Smallville University-Chicago`
    let ends_in_town = || {
        name.rsplit_once('-').is_some_and(|(before, town)| {
            let last = before.rsplit(' ').next().unwrap_or_default();
            place::is_known(town) && words::is_school(last)
        })
    };
    // `College of Welding te Smallville (profile of the studies)`
    let has_remark =
        || name.split_once(" (").is_some_and(|(_, remark)| remark.split_whitespace().count() > 2);
    name.contains(" / ")
        || name.contains(['[', ']', '|', '\t'])
        || doubt::is_long_name(name)
        || has_remark()
        || ends_in_town()
}

/// Whether a degree and its subject hold what neither has: a bracket of a date, a firm, grades, the beginning of something.
fn is_strange(study_type: &str, area: &str) -> bool {
    let has_mark =
        |text: &str| text.contains(['[', ']', '|']) || text.ends_with(['–', '-', ':', '/']);
    let has_form = |text: &str| {
        let last = text.rsplit(' ').next().unwrap_or_default();
        doubt::is_form(last)
    };
    let hangs = |text: &str| {
        text.rsplit(' ').next().is_some_and(|word| vocabulary().linking.contains(word))
    };
    has_mark(study_type)
        || has_mark(area)
        || has_form(study_type)
        || has_form(area)
        || hangs(area)
        || are_graded(area)
        || vocabulary().study_labels.contains_key(&folded(area))
}

#[cfg(test)]
mod tests {
    use super::{
        super::super::{draft, lines::lines},
        *,
    };

    #[test]
    fn a_school_that_is_called_like_a_degree_is_doubtful_where_there_is_none() {
        let school = |study_type: Option<&str>| School {
            institution: Some("Bachillerato Artístico Nulla".to_owned()),
            study_type: study_type.map(str::to_owned),
            ..School::default()
        };
        assert!(is_degree(&school(None)));
        assert!(!is_degree(&school(Some("Bachillerato"))));
        let named = School { institution: Some("IES Nulla".to_owned()), ..School::default() };
        assert!(!is_degree(&named));
    }

    #[test]
    fn years_that_begin_their_lines_count_as_periods() {
        let lines = lines("2015 – 2019 (Leeds)\nMoor School\n2009 (Leeds)\nWon a prize in 2008");
        assert_eq!(count_periods(&[&lines]), 2);
    }

    #[test]
    fn an_apprenticeship_at_a_firm_where_somebody_worked_is_no_guess() {
        let doubts = |firm: &str| {
            let text = format!(
                "Ada Byron\n\n## Berufserfahrung\n2012 – 2015\tElektroniker\nElektro {firm}, Berlin\n\n\
                 ## Ausbildung\n2009 – 2012\tAusbildung zum Elektroniker für Nulltechnik\nElektro Nullinger, Berlin\n"
            );
            draft(&text).confidence.get("education.0.institution") == Some(&Confidence::Low)
        };
        assert!(!doubts("Nullinger") && doubts("Emcinger"));
    }
}
