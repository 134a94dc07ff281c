//! Degrees that were put together from what stands apart, and schools that are none.

use serde_json::Value;

use super::super::{
    sections::section_of,
    vocabulary::{folded, vocabulary},
};
use super::spots::{Entries, text};

/// Most bytes between a degree and its subject: ` in the field of `.
const BETWEEN_MAX: usize = 12;

/// The paths of what may be no degree or no school.
pub(super) fn doubtful(schools: &Entries<'_>) -> Vec<String> {
    let is_dated =
        |school: &&Value| ["startDate", "endDate"].iter().any(|key| school.get(key).is_some());
    let dated = schools.drafted.iter().filter(is_dated).count();
    let mut found = Vec::new();
    for (at, school) in schools.drafted.iter().enumerate() {
        let [degree, area, name] =
            ["studyType", "area", "institution"].map(|key| text(school, key));
        // Where the others have dates, it may be a remark on one of them.
        let is_remark = !is_dated(&school) && dated * 2 > schools.drafted.len();
        if is_remark || !name.is_empty() && section_of(name).is_some() {
            found.push(format!("{}.{at}", schools.list));
        }
        // What stands there for the school may be the degree.
        if !name.is_empty() && (degree.is_empty() || name.ends_with(')')) {
            found.push(schools.path(at, "institution"));
        }
        if !degree.is_empty() && !area.is_empty() && (is_led(area) || is_apart(schools, at)) {
            found.push(schools.path(at, "studyType"));
        }
    }
    found
}

/// Whether a subject begins with a small word that leads to it: `de Rechten`.
fn is_led(area: &str) -> bool {
    let first = folded(area.split(' ').next().unwrap_or_default());
    vocabulary().linking.contains(&first)
}

/// Whether a subject stands elsewhere than right behind its degree.
fn is_apart(schools: &Entries<'_>, at: usize) -> bool {
    let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let [degree, area] = ["studyType", "area"].map(|key| bare(text(&schools.drafted[at], key)));
    let lines: String = schools.lines.iter().map(|line| bare(&line.text)).collect();
    !lines.match_indices(&degree).any(|(at, _)| {
        let rest = &lines[at + degree.len()..];
        rest[..rest.floor_char_boundary(BETWEEN_MAX + area.len())].contains(&area)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::artifacts::resume::{Confidence, draft, lines::Line};
    use serde_json::json;

    fn doubts(text: &str, school: Value) -> Vec<String> {
        let line =
            |text: &str| Line { text: text.to_owned(), bullet: false, after_gap: false, level: 0 };
        let lines: Vec<Line> = text.lines().map(line).collect();
        let lines: Vec<&Line> = lines.iter().collect();
        let keys = &["studyType", "area", "institution"];
        doubtful(&Entries::of(&lines, "education", &[school], keys))
    }

    #[test]
    fn degrees_that_were_put_together_are_marked() {
        let school =
            |area: &str| json!({"studyType": "B.A.", "area": area, "institution": "Acme College"});
        let path = ["education.0.studyType"];
        assert_eq!(
            doubts("B. A. in Welsh\nhistory\nAcme College", school("Welsh history")),
            [""; 0]
        );
        assert_eq!(doubts("Welsh history, B.A.\nAcme College", school("Welsh history")), path);
        assert_eq!(doubts("B.A. in de Rechten\nAcme College", school("de Rechten")), path);
    }

    #[test]
    fn schools_without_a_degree_and_headings_are_marked() {
        let school = json!({"institution": "Acme College"});
        assert_eq!(doubts("Acme College", school), ["education.0.institution"]);
        let school = json!({"studyType": "BSc", "institution": "Contact"});
        assert_eq!(doubts("BSc\nContact", school), ["education.0"]);
    }

    #[test]
    fn a_school_without_dates_is_marked_where_the_others_have_some() {
        let degree = "BSc Physics\nUniversity of Leeds";
        let low = |last: &str| {
            let schools =
                format!("{degree}\n2010 – 2013\n\n{degree}\n2014 – 2016\n\n{degree}\n{last}");
            let draft = draft(&format!("Ada Byron\n\nEducation\n{schools}"));
            draft.confidence.get("education.2") == Some(&Confidence::Low)
        };
        assert!(low("") && !low("2017 – 2019"));
    }
}
