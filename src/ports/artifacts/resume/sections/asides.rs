//! Lines that are called like headings and go on with the entry above them.

use super::{
    super::{
        lines::Line,
        vocabulary::{Section, folded, vocabulary},
    },
    Marks, Part, kinds, section_of,
};

/// Whether a label right under the lines of an entry says more of it, `Courses: Algebra, Logic`, where headings look
/// otherwise.
pub(super) fn is_aside(part: &Part, line: &Line, marks: &Marks) -> bool {
    let is_within = matches!(part.section, Section::Work | Section::Volunteer | Section::Education);
    let Some((label, said)) = line.text.split_once(':') else { return false };
    is_within
        && line.level == 0
        && !line.after_gap
        && !part.lines.is_empty()
        && !said.trim().is_empty()
        && (kinds::is_undressed(line, marks) || marks.are_apart)
        && section_of(label) == Some(Section::Other)
}

/// Fewest headings that show how they stand.
const HEADINGS_MIN: usize = 3;

/// Whether an empty line stands above every line that is a heading and nothing else.
pub(super) fn are_apart(lines: &[Line]) -> bool {
    let mut headings =
        lines.iter().filter(|line| !line.bullet && section_of(&line.text).is_some()).peekable();
    headings.clone().count() >= HEADINGS_MIN && headings.all(|line| line.after_gap)
}

/// Whether a line among schools begins with the letters of a degree: `MA in Social Work` and `BA Education` are no
/// headings, whatever their subjects are called.
pub(super) fn is_lettered_degree(part: &Part, line: &Line) -> bool {
    let (first, rest) = line.text.split_once(' ').unwrap_or_default();
    let is_mixed = rest.contains(char::is_lowercase);
    let capitals = first.chars().filter(|c| c.is_uppercase()).count();
    part.section == Section::Education
        && is_mixed
        && capitals > 1
        && vocabulary().short_degrees.contains(&folded(&first.replace('.', "")))
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    fn counts(text: &str) -> (usize, usize) {
        let draft = draft(&format!("Ada Byron\nada@example.org\n\n{text}"));
        let count = |list: &serde_json::Value| list.as_array().map_or(0, Vec::len);
        (count(&draft.skeleton_timeline["work"]), count(&draft.education_history["education"]))
    }

    #[test]
    fn labels_right_under_entries_are_no_headings_where_headings_are_marked() {
        for label in ["Courses: Algebra; Logic", "Projects: a new pump", "Kurse: Algebra, Logik"] {
            let roles = format!(
                "### Experience\n2015 – 2021\tLecturer, Acme University, Leeds\n{label}\n\n\
                 2011 – 2015\tTutor, Emca College, Leeds\n{label}\n\n### Skills\nRust"
            );
            assert_eq!(counts(&roles).0, 2, "{label}");
        }
        // So where an empty line stands above every heading.
        let apart = "Experience\n\n2015 – 2021\tLecturer, Acme University, Leeds\nCourses: Algebra\n\n\
                     2011 – 2015\tTutor, Emca College, Leeds\n\nSkills\n\nRust\n\nLanguages\n\nEnglish";
        assert_eq!(counts(apart).0, 2);
        // A heading with what stands behind it, where headings have no marks.
        let plain = "Experience\n2015 – 2021\tLecturer, Acme University, Leeds\nLanguages: English\n\nSkills\nRust";
        assert_eq!(counts(plain).0, 1);
    }

    #[test]
    fn degrees_whose_subjects_are_called_like_sections_are_no_headings() {
        for degree in [
            "MA in Social Work",
            "BA Education",
            "M.Ed. Education",
            "MSc in Professional Training",
            "BA Languages",
        ] {
            let schools = format!(
                "### Education\n{degree}\nUniversity of Leeds, Leeds\n2010 – 2012\n\n### Skills\nRust"
            );
            assert_eq!(counts(&schools), (0, 1), "{degree}");
        }
    }
}
