//! Headings that are phrases: `Where I've worked`, `Ce que j'ai étudié`. Nobody can list them all; their verbs tell what
//! they are about.

use super::super::vocabulary::{Section, folded, parts as words_of, vocabulary};

/// Most words of a phrase, and fewest: a verb alone may be anything.
const WORDS_MAX: usize = 7;
const WORDS_MIN: usize = 3;

/// The section that a phrase about oneself heads: it begins by asking, and says what was done.
pub(super) fn told(text: &str) -> Option<Section> {
    let is_plain = text.chars().all(|c| c.is_alphabetic() || " '’?:".contains(c));
    if !is_plain || !text.starts_with(char::is_uppercase) {
        return None;
    }
    let whole = folded(text);
    let words: Vec<&str> = words_of(&whole).collect();
    let vocabulary = vocabulary();
    let asks = words.first().is_some_and(|first| vocabulary.asking.contains(*first));
    if !asks || !(WORDS_MIN..=WORDS_MAX).contains(&words.len()) {
        return None;
    }
    let says = |section: Section| {
        words[1..].iter().any(|word| vocabulary.told_verbs.get(*word) == Some(&section))
    };
    [Section::Education, Section::Work].into_iter().find(|section| says(*section))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_about_work_and_studies_are_headings() {
        for (text, section) in [
            ("Where I’ve worked", Some(Section::Work)),
            ("Places I have worked at", Some(Section::Work)),
            ("Where I’ve studied", Some(Section::Education)),
            ("Das habe ich schon gemacht", Some(Section::Work)),
            ("Hier habe ich gelernt", Some(Section::Education)),
            ("Ce que j’ai fait", Some(Section::Work)),
            ("Ce que j’ai étudié", Some(Section::Education)),
            ("Dónde he trabajado", Some(Section::Work)),
            ("Onde já trabalhei", Some(Section::Work)),
            ("Waar ik gestudeerd heb", Some(Section::Education)),
            ("Worked on pumps", None),
            ("Where the pumps are", None),
            ("What we made of 12 pumps", None),
        ] {
            assert_eq!(told(text), section, "{text}");
        }
    }

    #[test]
    fn phrases_about_what_somebody_offers_head_skills() {
        for text in [
            "What I offer",
            "What I bring",
            "What I can do",
            "What I Can Offer",
            "Was ich mitbringe",
            "Was ich biete",
            "Das bringe ich mit",
            "Ce que j’apporte",
            "Ce que je propose",
            "Ce que je sais faire",
            "Lo que aporto",
            "Lo que ofrezco",
            "Qué puedo aportar",
            "O que ofereço",
            "O que trago",
            "Dit bied ik",
            "Wat ik kan",
            "Wat ik meebreng",
        ] {
            assert_eq!(super::super::section_of(text), Some(Section::Skills), "{text}");
        }
        assert_eq!(super::super::section_of("What I offer my clients every day"), None);
    }

    #[test]
    fn further_qualifications_are_certificates_and_no_skills() {
        for text in ["Weitere Qualifikationen", "Zusatzqualifikationen", "Sonstige Qualifikationen"]
        {
            assert_eq!(super::super::section_of(text), Some(Section::Other), "{text}");
        }
        assert_eq!(super::super::section_of("Qualifikationen"), Some(Section::Skills));
    }
}
