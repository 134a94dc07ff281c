//! The pieces of a line about a school: degrees with their subjects, without grades, places and remarks.

use std::borrow::Cow;

use super::{
    super::{
        lines::fields,
        place,
        vocabulary::{StudyLabel, folded, vocabulary},
        words,
    },
    unmarked,
};

/// `First Class`, `mention bien`: how well, not what.
pub(in crate::ports::artifacts::resume) fn is_grade(piece: &str) -> bool {
    const GRADES: [&str; 20] = [
        "dean's",
        "deans",
        "first",
        "second",
        "upper",
        "lower",
        "distinction",
        "merit",
        "honours",
        "honors",
        "magna",
        "summa",
        "cum",
        "pass",
        "mention",
        "note",
        "mit",
        "media",
        "average",
        "valedictorian",
    ];
    let first = folded(piece.split(' ').next().unwrap_or_default());
    GRADES.contains(&first.as_str()) && piece.split_whitespace().count() <= 4
}

/// What is said of studies that are done, or that go on.
const STATES: [&str; 13] = [
    "diploma",
    "behaald",
    "abgeschlossen",
    "concluido",
    "concluida",
    "obtenu",
    "laufend",
    "ongoing",
    "cursando",
    "lopend",
    "teilzeit",
    "berufsbegleitend",
    "avondopleiding",
];
const UNDER_WAY: [&str; 6] =
    ["in progress", "en cours", "en curso", "em curso", "em andamento", "part-time"];

/// `Master of Laws (distinction)` without how well it went.
pub(super) fn without_remark(piece: &str) -> &str {
    let Some((plain, remark)) = piece.strip_suffix(')').and_then(|open| open.rsplit_once(" ("))
    else {
        return piece;
    };
    let first = folded(remark.split(' ').next().unwrap_or_default());
    // `average 1.4`
    let last = remark.rsplit(' ').next().unwrap_or_default();
    let is_mark = last.starts_with(|c: char| c.is_ascii_digit())
        && last.contains([',', '.', '/', '%'])
        && remark.contains(' ');
    let is_remark = is_grade(remark) && !first.starts_with("hon")
        || STATES.contains(&first.as_str())
        || UNDER_WAY.iter().any(|words| folded(remark).starts_with(words))
        || is_mark
        || remark.starts_with(|c: char| c.is_ascii_digit());
    if is_remark { plain } else { piece }
}

/// `Meisterschule`, `Meisterschule (Teilzeit)`: a course that is called like a school, with no name of one.
pub(super) fn is_course(piece: &str) -> bool {
    let (name, remark) = match piece.split_once(" (") {
        Some((name, remark)) => (name, remark.trim_end_matches(')')),
        None => (piece, ""),
    };
    let is_state = || STATES.contains(&folded(remark).as_str());
    vocabulary().courses.contains(&folded(name)) && (remark.is_empty() || is_state())
}

/// `Ensino médio completo` without its last word.
pub(super) fn finished(piece: &str) -> &str {
    const DONE: [&str; 12] = [
        "completo",
        "completa",
        "concluido",
        "concluida",
        "finalizado",
        "finalizada",
        "obtenu",
        "obtenue",
        "behaald",
        "afgerond",
        "abgeschlossen",
        "completed",
    ];
    match piece.rsplit_once(' ') {
        Some((plain, last)) if DONE.contains(&folded(last).as_str()) => {
            plain.trim_end_matches([',', ' '])
        }
        _ => piece,
    }
}

/// A subject without the word that leads to it: `profiel Cultuur en Maatschappij`.
pub(super) fn unled(area: &str) -> &str {
    const LEADS: [&str; 20] = [
        "profiel",
        "richting",
        "fachrichtung",
        "schwerpunkt",
        "studienrichtung",
        "specialite",
        "specialites",
        "especialidades",
        "schwerpunkte",
        "filiere",
        "especialidad",
        "especialidade",
        "major",
        "specialisatie",
        "afstudeerrichting",
        "orientation",
        "rama",
        "vertiefung",
        "vertiefungsrichtung",
        "studierichting",
    ];
    match area.split_once([' ', ':']) {
        Some((first, rest)) if LEADS.contains(&folded(first).as_str()) => {
            let rest = rest.trim_start_matches([':', ' ']);
            rest.strip_prefix("in ").or_else(|| rest.strip_prefix("en ")).unwrap_or(rest)
        }
        _ => area,
    }
}

pub(super) fn pieces(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for field in fields(line) {
        // `Mbo 4, ROC Noord, Emmen` looks like a street and its town.
        let is_degree = field.split_once(", ").is_some_and(|(first, _)| degree(first).is_some());
        if place::is_place(field) && !is_degree {
            continue;
        }
        let field = field.trim_matches(['[', ']', ' ']);
        let field = without_some(without_place(without_class(without_grade(field))));
        let (listed, school) = before_school(field);
        if let Some((several, subjects)) = subjects(listed) {
            found.extend([several, subjects].map(str::to_owned));
            found.extend(school.map(str::to_owned));
            continue;
        }
        let mut parts = slashed(field);
        for separator in [" – ", " — ", " - ", " @ ", " at ", " from ", ", ", "; ", ": "] {
            let apart =
                |part| if leads(part, separator) { vec![part] } else { outside(part, separator) };
            parts = parts.into_iter().flat_map(apart).collect();
        }
        let parts = parts.into_iter().flat_map(unmarked::apart).flat_map(sentences);
        let marks = |c: char| c.is_whitespace() || "()[],;:.–—-|*/".contains(c);
        found.extend(parts.map(|part| {
            let open = part.contains('(');
            part.trim_matches(|c| marks(c) && !(open && c == ')')).to_owned()
        }));
    }
    found.retain(|piece| {
        let letters = piece.chars().filter(|c| c.is_alphabetic()).count();
        letters > 1 && !is_outlook(piece) && !is_label(piece)
    });
    found
}

/// Whether a piece is the label of a period or a place in a form: `Dates`.
fn is_label(piece: &str) -> bool {
    vocabulary().study_labels.get(&folded(piece)) == Some(&StudyLabel::Other)
}

/// The school and the degree between which a slash stands: `Smith College / Bachelor`.
fn slashed(field: &str) -> Vec<&str> {
    let parted = field.split_once(" / ").filter(|(one, other)| {
        words::is_school(one) && names_degree(other) || words::is_school(other) && names_degree(one)
    });
    parted.map_or_else(|| vec![field], |(one, other)| vec![one, other])
}

/// `Biology (A)`, `Biology (A), Physics (B*)` or `Biology A, Physics B`: subjects with their grades.
pub(super) fn are_graded(subjects: &str) -> bool {
    let is_letter = |c: char| ('A'..='E').contains(&c) || c == '*';
    // `Plan B` alone is called so.
    let are_several = subjects.contains(", ");
    subjects.split(", ").all(|piece| {
        let bare = || piece.rsplit_once(' ').filter(|_| are_several);
        let grade = piece.strip_suffix(')').and_then(|open| open.rsplit_once(" (")).or_else(bare);
        grade.is_some_and(|(_, grade)| grade.len() <= 2 && grade.chars().all(is_letter))
    })
}

/// Marks that lead from a degree to its subject.
const LEADING: [&str; 4] = [" – ", " — ", " - ", ": "];

/// A degree that says nothing of its subject and what stands behind a mark, where it is no school, firm or place:
/// `Diploma: Welding`, `Meisterprüfung – Elektrotechnik`. The third is the mark.
pub(super) fn parted(piece: &str) -> Option<(String, &str, &'static str)> {
    LEADING.iter().find_map(|mark| {
        let (study, area) = parted_at(piece, mark)?;
        Some((study, area, *mark))
    })
}

fn parted_at<'p>(piece: &'p str, mark: &str) -> Option<(String, &'p str)> {
    let (study, area) = piece.split_once(mark)?;
    let (study, None) = degree(study).filter(|_| !study.contains(", "))? else { return None };
    let first = area.split(", ").next().unwrap_or_default();
    let is_area = first.starts_with(char::is_alphabetic)
        && !words::is_school(first)
        // `Diploma: Health Care`, but `Lehre – Hotel Adler`.
        && (mark == ": " || !is_firm(first))
        && !place::is_place(first)
        && !is_grade(first)
        && !is_outlook(first)
        && degree(first).is_none();
    is_area.then_some((study, area))
}

/// Whether a text names an organisation, and none of the things that it does: `Bedrijf en Organisatie`.
fn is_firm(text: &str) -> bool {
    let last = text.rsplit(' ').next().unwrap_or_default();
    let links = text.split(' ').any(|word| vocabulary().linking.contains(word));
    words::is_organisation(text) && (!links || words::is_organisation(last))
}

/// Whether a separator leads to the subject of a degree.
fn leads(part: &str, separator: &str) -> bool {
    LEADING.contains(&separator) && parted_at(part, separator).is_some()
}

/// `expected` before a date that is to come.
pub(super) fn is_outlook(piece: &str) -> bool {
    const OUTLOOKS: [&str; 12] = [
        "expected",
        "anticipated",
        "ongoing",
        "voraussichtlich",
        "prevu",
        "prevue",
        "previsto",
        "prevista",
        "previsao",
        "verwacht",
        "en cours",
        "en curso",
    ];
    OUTLOOKS.contains(&folded(piece).as_str())
}

/// The parts between separators that stand in no brackets.
fn outside<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let (mut parts, mut begin) = (Vec::new(), 0);
    let last_closed = text.rfind(')').unwrap_or_default();
    let (mut opened, mut closed, mut seen) = (0, 0, 0);
    for (at, _) in text.match_indices(separator) {
        let before = &text[seen..at];
        opened += before.matches('(').count();
        closed += before.matches(')').count();
        seen = at;
        if at >= begin && !(opened > closed && last_closed >= at) {
            parts.push(&text[begin..at]);
            begin = at + separator.len();
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// `A-levels: Maths, Physics, Smith College, Smallville` in the list and the school behind it.
fn before_school(field: &str) -> (&str, Option<&str>) {
    let Some(begin) = field.find(": ").map(|at| at + 2) else { return (field, None) };
    let mut at = begin;
    for piece in field[begin..].split(", ") {
        if at > begin && words::is_school(piece) {
            let whole = &field[..at - 2];
            // One subject is no list.
            let is_list = whole[begin..].contains(", ");
            return if is_list { (whole, Some(piece)) } else { (field, None) };
        }
        at += piece.len() + 2;
    }
    (field, None)
}

/// `A-levels: Maths, Physics`: degrees that are several, and their subjects, which are one list.
fn subjects(field: &str) -> Option<(&str, &str)> {
    let (several, subjects) = field
        .split_once(": ")
        .or_else(|| field.split_once(" in "))
        .or_else(|| field.split_once(" – "))
        .or_else(|| {
            let mut parted = field.split_once(". ").into_iter().chain(field.split_once(", "));
            parted.find(|(_, subjects)| are_graded(subjects))
        })?;
    let plural = several.split_whitespace().count() <= 2 && several.to_lowercase().ends_with('s');
    let is_list = subjects.contains(", ")
        && !subjects.contains(|c: char| c.is_ascii_digit() || c == '.')
        && !words::is_school(subjects);
    (plural && is_list && degree(several).is_some()).then_some((several, subjects))
}

/// `University of Smallville, Smallville, NM` without the place at its end.
fn without_place(field: &str) -> &str {
    let mut commas = field.match_indices(", ").map(|(at, _)| at);
    let is_place = |at: &usize| {
        let tail = &field[at + 2..];
        tail.contains(", ") && place::is_place(tail)
    };
    commas.find(is_place).map_or(field, |at| &field[..at])
}

/// `8 GCSEs, including English and Maths` without the subjects, which are not all.
fn without_some(field: &str) -> &str {
    let leads = |at: &usize| {
        let rest = folded(&field[at + 1..]);
        vocabulary().including.iter().any(|word| {
            rest.strip_prefix(word.as_str()).is_some_and(|rest| rest.starts_with([' ', '.', ':']))
        })
    };
    let at = field.match_indices(' ').map(|(at, _)| at).find(leads);
    at.map_or(field, |at| field[..at].trim_end_matches(','))
}

/// `Bachelor – History – Upper second class` without how well it went.
fn without_class(field: &str) -> &str {
    let parted = field.rsplit_once(" – ").filter(|(plain, class)| {
        // `Mention bien` behind a dash is told from `Bachelor – First Aid`, where nothing else is the subject.
        is_grade(class) && plain.contains(" – ")
    });
    parted.map_or(field, |(plain, _)| plain)
}

/// `Highers (5 at A)` without what stands in brackets with a number.
fn without_grade(field: &str) -> &str {
    match field.split_once(" (") {
        Some((plain, rest))
            if rest.ends_with(')') && rest.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            plain
        }
        _ => field,
    }
}

/// `Mining Engineering. University of Oviedo.` in its parts; `Dipl. Ing. FH` stays whole.
fn sentences(text: &str) -> Vec<&str> {
    let end = text.match_indices(". ").map(|(at, _)| at).find(|at| {
        let word = text[..*at].rsplit(' ').next().unwrap_or_default();
        // `Dipl.-Ing. (FH)` goes on.
        word.chars().count() > 4
            && !word.contains(['.', '-'])
            && text[*at + 2..].starts_with(char::is_alphabetic)
    });
    match end {
        Some(at) => vec![&text[..at], &text[at + 2..]],
        None => vec![text],
    }
}

/// Whether a degree stands in a line.
pub(in crate::ports::artifacts::resume) fn names_degree(line: &str) -> bool {
    pieces(line).iter().any(|piece| degree(piece).is_some())
}

/// A text in capitals with small letters of as many bytes, in which words are found as elsewhere; another one as it is.
fn small(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_lowercase) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.to_ascii_lowercase())
    }
}

/// The parts of a text around a word, which may be in capitals in a text that is: `GRADO EN FÍSICA`.
fn around<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let at = small(text).find(word)?;
    Some((&text[..at], &text[at + word.len()..]))
}

/// `Bachillerato de Humanidades`: the level of a degree, and its subject.
fn led(piece: &str) -> Option<(String, String)> {
    let small = small(piece);
    let ends = [" de ", " d'", " d’"]
        .into_iter()
        .flat_map(|link| small.match_indices(link).map(move |(at, _)| (at, at + link.len())));
    let known = |(at, _): &(usize, usize)| vocabulary().levels.contains(&folded(&piece[..*at]));
    let (at, rest) = ends.filter(known).max()?;
    // `Diplôme d’État d’aide-soignant` is one name.
    if piece[..at].contains(['\'', '’']) {
        return None;
    }
    Some((piece[..at].to_owned(), piece[rest..].to_owned()))
}

/// A word that names a school and no degree: `Technikerschule`, but not `Hauptschulabschluss`.
fn names_school(word: &str) -> bool {
    words::is_school(word) && !vocabulary().long_degrees.contains(&folded(word))
}

/// `de Rechten` in `Master in de Rechten` without its first word.
fn without_article(area: &str) -> &str {
    ["de ", "het ", "the "].iter().find_map(|article| area.strip_prefix(article)).unwrap_or(area)
}

/// `M. Sc.` as one word.
fn tight(piece: &str) -> String {
    let mut letters = piece.chars();
    let is_apart =
        letters.next().is_some_and(char::is_uppercase) && letters.as_str().starts_with(". ");
    if is_apart { piece.replacen(". ", ".", 1) } else { piece.to_owned() }
}

/// Longest name of what is got at a school, in words.
const PAPER_MAX: usize = 6;

/// Whether words are the name of a paper: `Senior Secondary Certificate`, `Null Republic Senior School Certificate`.
fn is_paper(words: &[&str]) -> bool {
    let [.., before, last] = words else {
        return words.first().is_some_and(|only| PAPERS.contains(&folded(only).as_str()));
    };
    let most = if words::is_school(before) { PAPER_MAX } else { 4 };
    PAPERS.contains(&folded(last).as_str()) && words.len() <= most
}

const PAPERS: [&str; 4] = ["certificate", "diploma", "degree", "apprenticeship"];

/// A degree and perhaps its subject: `MSc in Mathematics`, `Bachelor of Science in Physics`, `B.A. (Hons) History`.
pub(super) fn degree(piece: &str) -> Option<(String, Option<String>)> {
    let piece = tight(piece);
    let piece = piece.as_str();
    if let Some((study, area, _)) = parted(piece) {
        return Some((study, Some(unled(area).to_owned())));
    }
    let words: Vec<&str> = piece.split_whitespace().collect();
    let first = folded(words.first()?).replace(['.', '\''], "");
    let first = first.trim_end_matches([',', ':']);
    // `8 GCSEs`
    let counted = piece.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(' ');
    let whole = folded(counted.unwrap_or(piece));
    let is_named = |name: &&String| {
        whole.starts_with(name.as_str())
            && (name.len() > 6 || !whole[name.len()..].starts_with(char::is_alphabetic))
    };
    let long = vocabulary().long_degrees.iter().any(|name| is_named(&name));
    // `MA` and `M.A.`, but not the word `as`.
    let written = words.first()?.chars();
    let abbreviated = vocabulary().short_degrees.contains(first)
        && (written.clone().any(|c| c == '.') || written.filter(|c| c.is_uppercase()).count() > 1);
    if !long && !abbreviated {
        return is_paper(&words).then(|| (piece.to_owned(), None));
    }
    // A school with a degree's word in it: `Master Builders College`; not so `Dipl. Ing. FH`, `High School Diploma`.
    let last = words.last().filter(|word| word.chars().count() > 4 && !word.starts_with('('));
    let is_whole = vocabulary().long_degrees.contains(&whole);
    let ends = [last, words.first()].into_iter().flatten();
    // `Erasmus University Rotterdam`
    let is_exchange = |name: &String| name.split(' ').next() == Some(first);
    let is_university = words.get(1).is_some_and(|word| names_school(word))
        && vocabulary().exchanges.iter().any(is_exchange);
    if long && !is_whole && (is_university || ends.copied().any(names_school)) {
        return None;
    }
    // `Meisterprüfung im Tischlerhandwerk`
    let trade = around(piece, " im ").filter(|(study, _)| !study.contains(' '));
    // `Hbo Dier- en veehouderij` is one subject.
    let is_apart = |(study, _): &(&str, &str)| !study.ends_with('-');
    let parted = [" in ", " em ", " en "].iter().find_map(|word| around(piece, word));
    let parted = parted.filter(is_apart).or(trade);
    if let Some((study, area)) = parted {
        return Some((study.trim().to_owned(), Some(without_article(area.trim()).to_owned())));
    }
    if let Some((study, area)) = led(piece) {
        return Some((study, Some(area)));
    }
    // `General certificate (major Welding)`
    if let Some((study, inner)) = piece.strip_suffix(')').and_then(|open| open.split_once(" ("))
        && unled(inner).len() < inner.len()
    {
        return Some((study.to_owned(), Some(unled(inner).to_owned())));
    }
    if long {
        return Some((piece.trim_end_matches([',', ':']).to_owned(), None));
    }
    let honours = words.get(1).is_some_and(|word| word.to_lowercase().contains("hons"));
    let (study, area) = words.split_at(if honours { 2 } else { 1 });
    let area = area.join(" ");
    let area = area.strip_prefix("of ").unwrap_or(&area).to_owned();
    let study = study.join(" ");
    let study = study.trim_end_matches([',', ':']).to_owned();
    Some((study, (!area.is_empty()).then_some(area)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_told_from_their_subjects() {
        for (piece, study, area) in [
            ("Meisterprüfung im Tischlerhandwerk", "Meisterprüfung", Some("Tischlerhandwerk")),
            ("Master in Physics", "Master", Some("Physics")),
            ("Master in de Rechten", "Master", Some("Rechten")),
            (
                "Access to HE Diploma: Health and Care",
                "Access to HE Diploma",
                Some("Health and Care"),
            ),
            (
                "Diploma secundair onderwijs – Bedrijf en Beheer",
                "Diploma secundair onderwijs",
                Some("Bedrijf en Beheer"),
            ),
            ("Hbo Dier- en veehouderij", "Hbo Dier- en veehouderij", None),
            ("8 GCSEs", "8 GCSEs", None),
            ("Berufsabschluss", "Berufsabschluss", None),
        ] {
            let expected = (study.to_owned(), area.map(str::to_owned));
            assert_eq!(degree(piece), Some(expected), "{piece}");
        }
        assert_eq!(degree("8 Quays"), None);
    }

    #[test]
    fn a_course_is_told_from_the_school_that_gives_it() {
        for piece in ["Meisterschule", "Meisterschule (Teilzeit)"] {
            assert!(is_course(piece), "{piece}");
        }
        for piece in ["Meisterschule Erzgebirge", "Meisterschule (Krefeld)", "Realschule"] {
            assert!(!is_course(piece), "{piece}");
        }
    }

    #[test]
    fn what_parts_a_school_its_degree_and_its_grades_is_seen() {
        for (line, expected) in [
            ("Eems College / Bachelor – Design", ["Eems College", "Bachelor – Design"].as_slice()),
            ("[ \t ] Lehre: Koch, Acme GmbH", &["Lehre: Koch", "Acme GmbH"]),
            (
                "A levels: Maths, Physics, Smith College, Leeds",
                &["A levels", "Maths, Physics", "Smith College"],
            ),
            ("Diploma – Smith College", &["Diploma", "Smith College"]),
            ("A Levels. Biology (A), Physics (B*)", &["A Levels", "Biology (A), Physics (B*)"]),
            ("A Levels, Biology (A), Physics (B*)", &["A Levels", "Biology (A), Physics (B*)"]),
            ("Dates\tBSc Physics", &["BSc Physics"]),
            ("Diplom, Koch – Acme School", &["Diplom", "Koch", "Acme School"]),
        ] {
            assert_eq!(pieces(line), expected, "{line}");
        }
    }

    #[test]
    fn some_of_the_subjects_are_left_out() {
        for text in [
            "8 GCSEs, including English, Maths and Welsh",
            "8 GCSEs including English",
            "8 GCSEs, darunter Englisch",
            "8 GCSEs, dont anglais et mathématiques",
        ] {
            assert_eq!(pieces(text), ["8 GCSEs"], "{text}");
        }
    }

    #[test]
    fn classes_behind_a_second_dash_are_no_part_of_a_subject() {
        assert_eq!(
            pieces("BSc (Hons) – Physics – Upper second class"),
            pieces("BSc (Hons) – Physics")
        );
        assert!(names_degree("Outside Fitter Apprenticeship"));
    }

    #[test]
    fn letters_behind_several_subjects_are_grades() {
        assert!(are_graded("Biology A, Physics B*") && are_graded("Biology (A)"));
        assert!(!are_graded("Plan B") && !are_graded("Biology A, Physics"));
    }

    #[test]
    fn certificates_of_schools_are_no_schools() {
        let name = "Null Republic Senior School Certificate";
        assert_eq!(degree(name), Some((name.to_owned(), None)));
        assert_eq!(degree("Null Republic Trading Diploma Shop Certificate"), None);
    }
}
