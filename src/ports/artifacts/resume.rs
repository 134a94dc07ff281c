//! A résumé draft without any model: what stands in the text, and nothing else.
//!
//! Lines are cleaned ([`lines`]), parted at headings ([`sections`]), and read section by section: who ([`contact`]),
//! roles ([`roles`]), schools ([`schools`]). What is not found is absent; what is doubtful says so, because a
//! person reviews every draft.

mod contact;
mod countries;
mod dates;
mod doubt;
mod heads;
mod hyphens;
mod layout;
mod lines;
mod place;
mod records;
mod roles;
mod running;
mod schools;
mod sections;
mod skills;
mod slashes;
mod suspects;
mod unheaded;
mod vocabulary;
mod words;

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use dates::{Date, Period};
use lines::Line;
use sections::Part;
use suspects::Drafted;
use vocabulary::Section;

/// What was found in a résumé, in the shapes of JSON Resume. What was not found is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// `{"basics": {"name", "label", "email", "phone", "url", "location", "profiles"}}`.
    pub applicant_profile: Value,
    /// `{"work": [{"name", "position", "location", "startDate", "endDate"}], "volunteer": []}`; without an end
    /// date a role lasts. Entries of `volunteer` have `organization` for `name`, and no location.
    pub skeleton_timeline: Value,
    /// `{"education": [{"institution", "area", "studyType", "startDate", "endDate"}]}`.
    pub education_history: Value,
    /// What is said of each role of `work`, in its order.
    pub highlights: Vec<Vec<String>>,
    /// Skills, as written.
    pub skills: Vec<String>,
    /// How sure the draft is, by path: `basics.name`, `work.0` for the whole role, `work.0.name` where one member
    /// is less sure than the rest, `skills.0`.
    pub confidence: BTreeMap<String, Confidence>,
    /// What a person should look at, in words.
    pub issues: Vec<String>,
}

/// How sure a draft is of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A guess.
    Low,
    /// Likely.
    Medium,
    /// It stands there.
    High,
}

/// The issue of a draft whose sections hold more periods than roles were read.
pub(crate) const ROLES_MISSING: &str =
    "some roles may be missing: there are more periods than roles";

/// The issue of a draft whose sections hold more periods than schools were read.
pub(crate) const SCHOOLS_MISSING: &str =
    "some schools may be missing: there are more periods than schools";

/// The issue of a draft whose skills stand in running text, or in lines that may be another section.
pub(crate) const SKILLS_MISSING: &str =
    "some skills may be missing: they stand in running text, or like another section";

/// Longest text that is looked at, in bytes; no résumé is longer.
const TEXT_MAX: usize = 128 * 1024;

/// Makes a draft from a résumé's text. Pure: the same text gives the same draft.
pub fn draft(text: &str) -> Draft {
    let text = &text[..text.floor_char_boundary(TEXT_MAX)];
    let lines = lines::lines(&layout::plain(&lines::without_scales(&dates::day_first(text))));
    let parts = contact::apart(unheaded::completed(sections::parts(&lines)));
    let parts = records::plain(hyphens::apart(slashes::apart(parts)));
    let mut findings = Findings::default();
    let basics = contact::basics(&parts, &mut findings);
    let parts = running::without(parts, &basics);
    let work = roles::read(&of(&parts, Section::Work), &roles::WORK, &mut findings);
    let volunteer = roles::read(&of(&parts, Section::Volunteer), &roles::VOLUNTEER, &mut findings);
    let names = work.entries.iter().filter_map(|role| role["name"].as_str());
    findings.firms = names.map(str::to_owned).collect();
    let education = schools::read(&of(&parts, Section::Education), &mut findings);
    let skills = skills::read(&of(&parts, Section::Skills), &mut findings);
    let guessed = unheaded::guessed_skills(&parts);
    for (at, _) in skills.iter().enumerate().filter(|(_, skill)| guessed.contains(skill)) {
        findings.sure(&format!("skills.{at}"), Confidence::Low);
    }
    if parts.iter().any(skills::may_be_lost) {
        findings.issue(SKILLS_MISSING);
    }
    let has_lost_periods = parts.iter().any(unheaded::holds_periods_alone);
    if has_lost_periods || parts.iter().any(unheaded::holds_strays) {
        findings.issue(ROLES_MISSING);
    }
    if has_lost_periods || parts.iter().any(unheaded::holds_schools) {
        findings.issue(SCHOOLS_MISSING);
    }
    if work.entries.is_empty() {
        findings.issue("no roles were found");
    }
    if education.is_empty() {
        findings.issue("no schools were found");
    }
    if skills.is_empty() {
        findings.issue("no skills were found");
    }
    let drafted =
        Drafted { basics: &basics, work: &work.entries, education: &education, skills: &skills };
    suspects::mark(&parts, drafted, &mut findings);
    Draft {
        applicant_profile: json!({ "basics": basics }),
        skeleton_timeline: json!({ "work": work.entries, "volunteer": volunteer.entries }),
        education_history: json!({ "education": education }),
        highlights: work.highlights,
        skills,
        confidence: findings.confidence,
        issues: findings.issues,
    }
}

/// Whether a text is a résumé: a role or a school stands in it.
pub(crate) fn reads_like_one(text: &str) -> bool {
    let Draft { skeleton_timeline: roles, education_history: schools, .. } = draft(text);
    [&roles["work"], &roles["volunteer"], &schools["education"]]
        .into_iter()
        .any(|found| found.as_array().is_some_and(|found| !found.is_empty()))
}

fn of(parts: &[Part], section: Section) -> Vec<&[Line]> {
    let wanted = parts.iter().filter(|part| part.section == section);
    wanted.map(|part| part.lines.as_slice()).collect()
}

/// What the readers note beside their values.
#[derive(Debug, Default)]
struct Findings {
    confidence: BTreeMap<String, Confidence>,
    issues: Vec<String>,
    /// Firms seem to have their towns at the end of their names, and so may schools.
    end_in_towns: bool,
    /// The firms that somebody worked at, where apprenticeships may have been, too.
    firms: HashSet<String>,
}

impl Findings {
    fn sure(&mut self, path: &str, confidence: Confidence) {
        self.confidence.insert(path.to_owned(), confidence);
    }

    fn issue(&mut self, issue: &str) {
        if !self.issues.iter().any(|known| known == issue) {
            self.issues.push(issue.to_owned());
        }
    }

    /// The dates of an entry as JSON Resume has them; an end before the start is left out and noted.
    fn dates(&mut self, period: &Period, what: &str) -> (Option<String>, Option<String>) {
        let text = |date: Option<Date>| date.map(|date| date.to_string());
        if let (Some(start), Some(end)) = (period.start, period.end)
            && end.is_before(start)
        {
            self.issue(&format!("the dates of {what} run backwards"));
            return (text(period.start), None);
        }
        (text(period.start), text(period.end))
    }
}

/// Longest single value, in characters, as the schemas have it.
const VALUE_MAX: usize = 200;

fn short(value: &str) -> String {
    value.chars().take(VALUE_MAX).collect()
}
