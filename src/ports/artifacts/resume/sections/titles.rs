//! Titles in the type of the headings, between the firms of their entries and their periods.

use super::{
    super::{dates, lines::Line, vocabulary::Section, words},
    begins_with_period, heading, section_of,
};

/// Fewest titles in the type of the headings that show that titles are set so: one alone may be the heading of a section
/// that begins with a period.
const TITLES_MIN: usize = 2;

/// The lines, with titles of roles and schools as plain ones: `Acme Ltd · Leeds` above `##### Fitter` above
/// `2015 – 2021`, where headings have the same level.
pub(super) fn unmarked(lines: Vec<Line>) -> Vec<Line> {
    let titles = titles(&lines);
    let levels: Vec<usize> = titles.iter().map(|at| lines[*at].level).collect();
    let mut lines = lines;
    for (at, level) in titles.into_iter().zip(&levels) {
        if levels.iter().filter(|other| *other == level).count() >= TITLES_MIN {
            lines[at].level = 0;
        }
    }
    lines
}

/// Where lines in the type of the heading above them stand between a plain line and a period.
fn titles(lines: &[Line]) -> Vec<usize> {
    // The section of the last heading that is known, and its level.
    let mut above: Option<(Section, usize)> = None;
    let mut titles = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let is_known = line.level > 0 && section_of(&line.text).is_some();
        if is_known && !words::is_position(&line.text) {
            above = heading(line).map(|(section, _)| (section, line.level));
            continue;
        }
        let is_within = above.is_some_and(|(section, level)| {
            level == line.level
                && matches!(section, Section::Work | Section::Volunteer | Section::Education)
        });
        if is_within && is_between(lines, at) {
            titles.push(at);
        }
    }
    titles
}

/// Whether a line stands right under a plain one without a date, and above a period.
fn is_between(lines: &[Line], at: usize) -> bool {
    let is_firm =
        |line: &Line| line.level == 0 && !line.bullet && dates::find(&line.text).is_none();
    let is_period = |line: &Line| line.level == 0 && !line.bullet && begins_with_period(line);
    at.checked_sub(1).is_some_and(|above| is_firm(&lines[above]))
        && lines.get(at + 1).is_some_and(is_period)
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    /// The titles of the roles, and how many schools there are.
    fn read(text: &str) -> (Vec<String>, usize) {
        let draft = draft(text);
        let roles = draft.skeleton_timeline["work"].as_array().cloned().unwrap_or_default();
        let title = |role: &serde_json::Value| role["position"].as_str().unwrap_or("").to_owned();
        let schools = draft.education_history["education"].as_array().map_or(0, Vec::len);
        (roles.iter().map(title).collect(), schools)
    }

    #[test]
    fn titles_in_the_type_of_the_headings_above_their_periods_end_no_section() {
        let text = "# Ada Byron\n\n##### Experience\nAcme Pumps · Leeds\n##### Lead Dental Hygienist\n\
                    August 2019 – Present\n• Rebuilt pumps\nEmca Ltd · Hull\n##### Dental Hygienist\n\
                    May 2015 – July 2019\n• Pumps\n##### Education\nNull College · Leeds\n\
                    ##### Associate of Applied Science in Pumps\n2011 – 2013\n##### Interests\nTea";
        let titles = ["Lead Dental Hygienist", "Dental Hygienist"].map(str::to_owned).to_vec();
        assert_eq!(read(text), (titles, 1));
    }

    #[test]
    fn an_unknown_heading_above_a_period_is_no_title() {
        let text = "# Ada Byron\n\n##### Experience\n2015 – 2021\nFitter, Acme Ltd\nLeeds\n\
                    ##### Emigration\n2010 – 2011\nVienna\n##### Education\n2011 – 2013\n\
                    Null College\nDiploma in Pumps\n##### Interests\nTea";
        assert_eq!(read(text).0, ["Fitter"]);
    }
}
