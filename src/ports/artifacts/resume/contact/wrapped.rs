//! What a narrow column puts below the name that it belongs to.

use super::super::{
    lines::Line,
    place,
    sections::section_of,
    vocabulary::{folded, vocabulary},
    words,
};

/// Most words of what a narrow column puts below a name.
const REST_MAX: usize = 2;

/// What may be the rest of the name in a line, `Lopes` below `# Ada Augusta`: names right below it that are nothing else
/// as far as their words tell, where a title, an address or a gap follows.
pub(super) fn rest_below<'l>(head: &[&'l Line], position: usize) -> Option<&'l str> {
    let (line, next) = (head.get(position)?, head.get(position + 1)?);
    let text = next.text.as_str();
    let is_name = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|c| c.is_alphabetic() || "-'’".contains(c))
    };
    let mut words = text.split(' ').filter(|word| !PARTICLES.contains(word)).peekable();
    let is_else = || {
        section_of(text).is_some()
            || vocabulary().titles.contains(&folded(text))
            || vocabulary().labels.contains_key(&folded(text))
            || words::is_position(text)
            || words::is_organisation(text)
            || place::is_place(text)
            || place::is_known(text)
    };
    let follows = head.get(position + 2).is_none_or(|after| {
        after.after_gap
            || after.level > 0
            || after.text.contains(['@', '\t'])
            || words::is_position(&after.text)
    });
    let fits = !next.after_gap
        && !next.bullet
        && (next.level == 0 || next.level == line.level)
        && line
            .text
            .split(' ')
            .all(|word| PARTICLES.contains(&word) || is_name(word.trim_end_matches('.')))
        && words.peek().is_some()
        && words.clone().count() <= REST_MAX
        && words.all(is_name);
    (fits && follows && !is_else()).then_some(text)
}

/// Small words in names.
pub(super) const PARTICLES: [&str; 40] = [
    "ab", "af", "al", "ap", "av", "ben", "bin", "bint", "da", "das", "de", "del", "della", "den",
    "der", "des", "di", "do", "dos", "du", "e", "el", "ferch", "i", "ibn", "la", "las", "le",
    "los", "op", "ten", "ter", "van", "vom", "von", "y", "zu", "zum", "zur", "’t",
];

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::Confidence;

    #[test]
    fn a_name_that_a_narrow_column_breaks_goes_on_below() {
        let said = |page: &str, mail: &str| {
            let text =
                format!("{page}\n{mail}\n\n## Experience\nAcme Ltd\tLeeds\nFitter\t2015 – 2019");
            let draft = crate::ports::artifacts::resume::draft(&text);
            let name = draft.applicant_profile["basics"]["name"].as_str().unwrap_or("-").to_owned();
            (name, draft.confidence.get("basics.name") == Some(&Confidence::Low))
        };
        let name = |name: &str, is_low: bool| (name.to_owned(), is_low);
        for (page, mail, read) in [
            (
                "## Ada Augusta\nLopes\n###### Fitter",
                "ada.augusta@example.org",
                name("Ada Augusta Lopes", true),
            ),
            (
                "## Ada Augusta\nLopes\n###### Fitter",
                "ada.lopes@example.org",
                name("Ada Augusta Lopes", false),
            ),
            (
                "Ada Augusta\nde Lopes\nFitter",
                "ada.lopes@example.org",
                name("Ada Augusta de Lopes", false),
            ),
            (
                "Ada Augusta\nByron Lovelace\nTechnicienne",
                "a.lovelace@example.org",
                name("Ada Augusta Byron Lovelace", false),
            ),
            ("# Ada Byron\nNullwright", "ada@example.org", name("Ada Byron", true)),
            ("# Ada Byron\nSchlosserin", "ada.byron@example.org", name("Ada Byron", false)),
            ("# Ada Byron\nLeeds", "ada.byron@example.org", name("Ada Byron", false)),
        ] {
            assert_eq!(said(page, mail), read, "{page}");
        }
        let (read, is_low) = said("## Dr. Ada Augusta\nLopes\n#### Ärztin", "lopes@example.org");
        assert!(read == "Dr. Ada Augusta Lopes" && is_low, "{read}");
    }
}
