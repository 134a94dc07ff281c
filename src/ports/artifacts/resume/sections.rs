//! The sections of a résumé, by their headings.

use super::{
    dates,
    lines::Line,
    vocabulary::{folded, parts as words_of, vocabulary},
};

/// What a section is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// Before any heading, or under "Contact".
    Contact,
    Work,
    Volunteer,
    Education,
    Skills,
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
    let mut lines = lines.into_iter().peekable();
    while let Some(mut line) = lines.next() {
        // A heading in a narrow column.
        if let Some(next) = lines.peek()
            && !next.after_gap
            && line.text.split_whitespace().count() <= 3
            && next.text.split_whitespace().count() <= 2
            && !line.bullet
            && !next.bullet
        {
            let whole = format!("{} {}", line.text, next.text);
            if section_of(&whole).is_some()
                && (section_of(&line.text).is_none() || section_of(&next.text).is_none())
            {
                line.text = whole;
                lines.next();
            }
        }
        let within = parts.last().map(|part| part.section);
        let is_note = matches!(within, Some(Section::Work | Section::Volunteer)) && notes(&line);
        let (section, rest) = match heading(&line).filter(|_| !is_note) {
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

/// `Technologies: Rust, C` or `Key achievements:` right under the lines of a role is said of it.
fn notes(line: &Line) -> bool {
    let label = line.text.split_once(':').map(|(label, _)| folded(label.trim()));
    !line.after_gap && label.is_some_and(|label| vocabulary().notes.contains(&label))
}

/// The section that a line opens, and what stands in the same line after a colon or in the next column.
fn heading(line: &Line) -> Option<(Section, Option<String>)> {
    if line.bullet {
        return None;
    }
    let parted = line.text.split_once(':').or_else(|| line.text.split_once('\t'));
    if let Some((before, after)) = parted
        && !after.trim().is_empty()
    {
        // `Internship    2011 – 2013` is a role of that name.
        let is_entry = dates::find(after).is_some_and(|period| period.start.is_some());
        let section = section_of(before).filter(|_| !is_entry)?;
        return Some((section, Some(after.trim().to_owned())));
    }
    let section =
        section_of(&line.text).or_else(|| line.after_gap.then(|| of_trade(&line.text)).flatten());
    section.map(|section| (section, None))
}

/// `Nursing Experience`, `Midwifery Career`: a trade that is not known, in two capitalised words.
fn of_trade(text: &str) -> Option<Section> {
    const NO_TRADES: [&str; 9] = [
        "user", "customer", "client", "digital", "employee", "brand", "guest", "visitor", "patient",
    ];
    let (trade, last) = text.trim_end_matches(':').split_once(' ')?;
    let is_word =
        |word: &str| word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic);
    let names_work = matches!(folded(last).as_str(), "experience" | "career" | "employment");
    let is_trade = is_word(trade) && !NO_TRADES.contains(&folded(trade).as_str());
    (is_trade && is_word(last) && names_work).then_some(Section::Work)
}

/// Longest heading, in words.
const WORDS_MAX: usize = 6;

/// The section that a text is the heading of. What is joined to a heading belongs to it: `Skills & Juggling`.
pub(super) fn section_of(text: &str) -> Option<Section> {
    let joined = || {
        let (before, after) = JOINTS.iter().find_map(|joint| {
            let loud = joint.to_uppercase();
            text.split_once(joint).or_else(|| text.split_once(loud.as_str()))
        })?;
        let is_short =
            after.split_whitespace().count() <= 2 && !after.contains(|c: char| c.is_ascii_digit());
        heading_of(before).filter(|_| is_short)
    };
    heading_of(text).or_else(joined)
}

const JOINTS: [&str; 7] = [" & ", " and ", " und ", " y ", " et ", " e ", " en "];

fn heading_of(text: &str) -> Option<Section> {
    let vocabulary = vocabulary();
    let whole = folded(text);
    let words: Vec<&str> = words_of(&whole).collect();
    if words.is_empty() || text.contains(|c: char| c.is_ascii_digit()) || text.ends_with(['.', ','])
    {
        return None;
    }
    // `E X P E R I E N C E`
    if words.len() > 4 && words.iter().all(|word| word.chars().count() == 1) {
        let joined = words.concat();
        let is_it = |heading: &&String| heading.replace(' ', "") == joined;
        return vocabulary.headings.keys().find(is_it).map(|heading| vocabulary.headings[heading]);
    }
    if words.len() > WORDS_MAX {
        return None;
    }
    let mut section = None;
    let mut at = 0;
    while at < words.len() {
        let longest = (at + 1..=words.len()).rev().find_map(|end| {
            vocabulary.headings.get(&words[at..end].join(" ")).map(|found| (*found, end))
        });
        match longest {
            Some((found, end)) => {
                // `Other skills` is about skills.
                section = section.filter(|known| *known != Section::Other).or(Some(found));
                at = end;
            }
            None if vocabulary.fillers.contains(words[at]) => at += 1,
            None => return None,
        }
    }
    section
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
            ("Technical Skills", Some(Section::Skills)),
            ("Schul- und Berufsausbildung", Some(Section::Education)),
            ("FORMACION ACADEMICA", Some(Section::Education)),
            ("Expériences professionnelles et stages", Some(Section::Work)),
            ("Experience Designer", None),
            ("Education First Ltd", None),
            ("Five years of experience in teaching", None),
            ("Summary of the whole argument", None),
            ("2019 Experience", None),
            ("FORMACIÓN Y CURSOS VARIOS", Some(Section::Education)),
        ] {
            assert_eq!(section_of(text), section, "{text}");
        }
    }
}
