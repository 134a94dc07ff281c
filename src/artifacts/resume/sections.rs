//! The sections of a résumé, by their headings.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::lines::Line;

/// What a section is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// Before any heading, or under "Contact".
    Contact,
    Work,
    Volunteer,
    Education,
    /// Other people's addresses, which are not the person's.
    References,
    Other,
}

/// A section with its lines, without the heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) section: Section,
    pub(super) lines: Vec<Line>,
}

/// Parts the lines at the headings.
pub(super) fn parts(lines: Vec<Line>) -> Vec<Part> {
    let mut parts = vec![Part { section: Section::Contact, lines: Vec::new() }];
    for line in lines {
        let (section, rest) = match heading(&line) {
            Some((section, rest)) => (Some(section), rest),
            None => (None, None),
        };
        let line = match (section, rest) {
            (Some(section), rest) => {
                parts.push(Part { section, lines: Vec::new() });
                let Some(text) = rest else { continue };
                Line { text, ..line }
            }
            (None, _) => line,
        };
        if let Some(part) = parts.last_mut() {
            part.lines.push(line);
        }
    }
    parts
}

/// Headings, in lower case, longest match first. `Work experience` is found whole, so its `experience` is not.
const HEADINGS: [(&str, Section); 67] = [
    ("contact", Section::Contact),
    ("contact details", Section::Contact),
    ("contact information", Section::Contact),
    ("personal details", Section::Contact),
    ("personal information", Section::Contact),
    ("personal data", Section::Contact),
    ("experience", Section::Work),
    ("experiences", Section::Work),
    ("work experience", Section::Work),
    ("professional experience", Section::Work),
    ("industry experience", Section::Work),
    ("teaching experience", Section::Work),
    ("research experience", Section::Work),
    ("work history", Section::Work),
    ("employment", Section::Work),
    ("employment history", Section::Work),
    ("employment record", Section::Work),
    ("career history", Section::Work),
    ("professional background", Section::Work),
    ("professional history", Section::Work),
    ("positions held", Section::Work),
    ("internships", Section::Work),
    ("internship experience", Section::Work),
    ("volunteer experience", Section::Volunteer),
    ("volunteer work", Section::Volunteer),
    ("volunteering", Section::Volunteer),
    ("volunteering experience", Section::Volunteer),
    ("voluntary work", Section::Volunteer),
    ("voluntary experience", Section::Volunteer),
    ("community service", Section::Volunteer),
    ("community involvement", Section::Volunteer),
    ("education", Section::Education),
    ("academic background", Section::Education),
    ("academic history", Section::Education),
    ("academic qualifications", Section::Education),
    ("educational background", Section::Education),
    ("qualifications", Section::Education),
    ("studies", Section::Education),
    ("references", Section::References),
    ("referees", Section::References),
    ("summary", Section::Other),
    ("professional summary", Section::Other),
    ("career summary", Section::Other),
    ("executive summary", Section::Other),
    ("profile", Section::Other),
    ("about", Section::Other),
    ("about me", Section::Other),
    ("objective", Section::Other),
    ("career objective", Section::Other),
    ("personal statement", Section::Other),
    ("skills", Section::Other),
    ("technical skills", Section::Other),
    ("core competencies", Section::Other),
    ("competencies", Section::Other),
    ("technologies", Section::Other),
    ("expertise", Section::Other),
    ("projects", Section::Other),
    ("publications", Section::Other),
    ("languages", Section::Other),
    ("certifications", Section::Other),
    ("certificates", Section::Other),
    ("courses", Section::Other),
    ("awards", Section::Other),
    ("honors", Section::Other),
    ("honours", Section::Other),
    ("interests", Section::Other),
    ("hobbies", Section::Other),
];

/// Words that a heading may have besides.
const FILLERS: [&str; 24] = [
    "and",
    "my",
    "the",
    "of",
    "relevant",
    "selected",
    "other",
    "additional",
    "further",
    "key",
    "professional",
    "personal",
    "academic",
    "recent",
    "history",
    "training",
    "background",
    "overview",
    "achievements",
    "activities",
    "work",
    "continued",
    "cont",
    "technical",
];

static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(HEADINGS.map(|(words, _)| words))
        .ok()
});

/// The section that a line opens, and what stands in the same line after a colon.
fn heading(line: &Line) -> Option<(Section, Option<String>)> {
    if let Some((before, after)) = line.text.split_once(':')
        && !after.trim().is_empty()
    {
        return section_of(before).map(|section| (section, Some(after.trim().to_owned())));
    }
    section_of(&line.text).map(|section| (section, None))
}

/// Longest heading, in words.
const WORDS_MAX: usize = 6;

fn section_of(text: &str) -> Option<Section> {
    let words = plain(text);
    if words.is_empty() || words.len() > WORDS_MAX || text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let whole = words.join(" ");
    let search = SEARCH.as_ref()?;
    let mut section = None;
    let mut rest = whole.clone();
    for found in search.find_iter(&whole) {
        let free = |at: usize| whole.as_bytes().get(at).is_none_or(|byte| *byte == b' ');
        if !free(found.end()) || (found.start() > 0 && !free(found.start() - 1)) {
            return None;
        }
        section = section.or_else(|| Some(HEADINGS[found.pattern().as_usize()].1));
        rest.replace_range(found.start()..found.end(), &" ".repeat(found.len()));
    }
    let only_fillers = rest.split_whitespace().all(|word| FILLERS.contains(&word));
    section.filter(|_| only_fillers)
}

/// The words in lower case without punctuation; `E X P E R I E N C E` is one word.
fn plain(text: &str) -> Vec<String> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.len() > 4 && words.iter().all(|word| word.chars().count() == 1) {
        return vec![words.concat()];
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_recognised_in_many_dresses() {
        for (text, section) in [
            ("EXPERIENCE", Some(Section::Work)),
            ("Work Experience:", Some(Section::Work)),
            ("E X P E R I E N C E", Some(Section::Work)),
            ("__ Professional Experience __", Some(Section::Work)),
            ("Relevant Work Experience (cont.)", Some(Section::Work)),
            ("Education & Training", Some(Section::Education)),
            ("Volunteer Experience", Some(Section::Volunteer)),
            ("Technical Skills", Some(Section::Other)),
            ("Experience Designer", None),
            ("Education First Ltd", None),
            ("Five years of experience in teaching", None),
            ("Summary of the whole argument", None),
            ("2019 Experience", None),
        ] {
            assert_eq!(section_of(text), section, "{text}");
        }
    }
}
