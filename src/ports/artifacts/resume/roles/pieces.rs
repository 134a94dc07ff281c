//! The pieces of the lines that name a role: what each of them can be by its words.

mod classes;
mod firms;
mod kinds;
mod notes;
mod stops;
mod towns;

use super::super::{
    doubt,
    lines::fields,
    place,
    vocabulary::{RoleLabel, folded, parts, vocabulary},
    words,
};

use classes::is_class;
use firms::{TIED, bracketed, is_before_firm, with_partners};
use kinds::{is_code, is_measure, join_labelled, told_apart, without_terms};

/// What a piece of a head can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Title,
    Firm,
    Place,
    Unknown,
}

#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// It stands behind a title and a comma.
    pub(super) after_title: bool,
    /// It stands behind something else and a comma.
    pub(super) after_comma: bool,
    /// It stands behind something else and a dash, or in brackets.
    pub(super) after_dash: bool,
    /// The line of the head that it stands in.
    pub(super) line: usize,
}

impl Named {
    /// A piece behind no other one.
    const fn alone(kind: Kind, text: String) -> Self {
        Self { kind, text, after_title: false, after_comma: false, after_dash: false, line: 0 }
    }
}

/// The pieces of a head, each with what its words say.
pub(super) fn named(head: &[String]) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    let numbered = head.iter().enumerate();
    for (line, field) in
        numbered.flat_map(|(n, line)| fields(line).into_iter().map(move |f| (n, f)))
    {
        if notes::take_below(&mut found, field, line) {
            continue;
        }
        let (label, field) = labelled(field);
        let (plain, notes) = bracketed(field);
        let (codes, notes): (Vec<&str>, Vec<&str>) =
            notes.into_iter().partition(|note| is_remark(&plain, note));
        let begin = found.len();
        for part in dashed(&plain).into_iter().chain(notes) {
            // `Teacher – Grades 6–8, Acme School`
            let (part, rest) = match part.split_once(", ") {
                Some((first, rest)) if is_class(first) => (first, rest),
                _ => (part, ""),
            };
            let joint = if found.len() > begin { " – " } else { ", " };
            let covers = || is_part_of(part, &head[line + 1..]);
            if let Some(title) = found.last_mut().filter(|last| last.kind == Kind::Title)
                && (is_class(part) || joint == " – " && covers())
            {
                title.text = format!("{}{joint}{part}", title.text);
                by_comma(rest, &mut found);
                continue;
            }
            let first = found.len();
            by_comma(part, &mut found);
            by_comma(rest, &mut found);
            if let Some(piece) = found.get_mut(first) {
                piece.after_dash = first > begin;
            }
        }
        for named in &mut found[begin..] {
            named.line = line;
        }
        notes::put_back(&mut found[begin..], field, &codes);
        let kind = match label {
            Some(RoleLabel::Title) => Kind::Title,
            Some(RoleLabel::Firm) => Kind::Firm,
            Some(RoleLabel::Other) if classes::is_town(field) => Kind::Place,
            Some(RoleLabel::Other) | None => continue,
        };
        if let Some(first) = found.get_mut(begin) {
            first.kind = kind;
            join_labelled(&mut found, begin, field);
        }
    }
    let mut found = with_partners(towns::with_regions(found));
    notes::make_titles(&mut found, head);
    for named in &mut found {
        named.text = named.text.replace(TIED, " ");
    }
    found.retain(|named| {
        named.text.chars().filter(|c| c.is_alphabetic()).count() > 1
            && !words::is_length(&named.text)
    });
    told_apart(without_terms(found))
}

/// `Employer: Acme` in its label and its value; a label alone has no value.
fn labelled(field: &str) -> (Option<RoleLabel>, &str) {
    let known = |text: &str| vocabulary().role_labels.get(&folded(text.trim())).copied();
    match field.split_once(':') {
        Some((before, value)) if known(before).is_some() => (known(before), value.trim()),
        _ if known(field).is_some() => (known(field), ""),
        _ => (None, field),
    }
}

/// Longest title behind its label, in words.
const TITLE_MAX: usize = 5;

/// Whether a line is a title behind its label, `Tätigkeit: Monteur`, rather than what somebody did, `Tätigkeit: Montage,
/// Wartung`.
pub(super) fn is_title_in_label(line: &str) -> bool {
    let (label, value) = labelled(line);
    label == Some(RoleLabel::Title)
        && value.starts_with(char::is_uppercase)
        && !value.contains([',', ';', '\t'])
        && !value.ends_with('.')
        && value.split_whitespace().count() <= TITLE_MAX
}

/// Whether a line is a firm behind its label, `Employer: Acme`, and so a name however long it is.
pub(super) fn is_firm_in_label(line: &str) -> bool {
    let (label, value) = labelled(line);
    label == Some(RoleLabel::Firm) && value.starts_with(char::is_uppercase) && !value.contains(';')
}

/// `Tutor (part-time)`, `Cook (sauces)`, `Electrician (journeyman)`: what stands in brackets behind a title is a remark on
/// it, not a firm or a town.
fn is_remark(title: &str, note: &str) -> bool {
    let is_grade = || !note.contains(' ') && words::is_position(note) && words::is_position(title);
    is_code(note)
        || is_term(note)
        || note.starts_with(char::is_lowercase)
        || is_measure(note)
        || is_class(note)
        || doubt::is_only_a_firm(note)
        || is_before_firm(title, note)
        || is_grade()
}

/// Whether a text names a part of a firm, which the lines below it name.
fn is_part_of(text: &str, below: &[String]) -> bool {
    is_department(text) && below.iter().any(|line| words::is_organisation(line))
}

/// `part-time`, `80 %`, `24 hours a week`: how much somebody worked, not where.
fn is_term(text: &str) -> bool {
    const HOURS: [&str; 9] =
        ["hours", "hrs", "stunden", "std", "uur", "horas", "heures", "wochenstunden", "h"];
    let folded = folded(text);
    let words: Vec<&str> = parts(&folded).collect();
    let counted = text.starts_with(|c: char| c.is_ascii_digit())
        && (text.ends_with('%') || words.iter().any(|word| HOURS.contains(word)));
    counted || vocabulary().terms.contains(&words.join(" "))
}

/// Whether a text names a break rather than a role: `Parental leave`.
pub(super) fn is_break(text: &str) -> bool {
    const JOINTS: [&str; 8] = [" und ", " and ", " y ", " et ", " en ", " e ", " & ", " / "];
    let folded = folded(text);
    let is_one =
        |text: &str| vocabulary().breaks.contains(&parts(text).collect::<Vec<_>>().join(" "));
    // `Elternzeit und Familienphase`
    let are_two = |joint: &str| {
        folded.split_once(joint).is_some_and(|(one, other)| is_one(one) && is_one(other))
    };
    is_one(&folded) || JOINTS.into_iter().any(are_two)
}

/// Whether a text names a part of an organisation: `Emergency Department`.
pub(super) fn is_department(text: &str) -> bool {
    let folded = folded(text);
    let words: Vec<&str> = parts(&folded).collect();
    let ends = [words.first(), words.last()].into_iter().flatten();
    ends.copied().chain([folded.as_str()]).any(|word| vocabulary().departments.contains(word))
}

fn kind(text: &str) -> Kind {
    let (title, firm) = (words::is_position(text), words::is_organisation(text));
    match (title, firm) {
        _ if place::is_place(text) => Kind::Place,
        // `groep 7–8`
        (false, _) if is_class(text) => Kind::Unknown,
        (true, true) if firmly(text) => Kind::Firm,
        (true, _) if is_office(text) => Kind::Firm,
        (true, _) => Kind::Title,
        (false, true) => Kind::Firm,
        (false, false) => Kind::Unknown,
    }
}

/// `Secretaría de Vivienda`, `Notaría Nula`: offices, but for their accents written as jobs, and practices called after
/// one.
fn is_office(text: &str) -> bool {
    OFFICES.iter().any(|office| text.starts_with(office))
}

const OFFICES: [&str; 3] = ["Secretaría ", "Notaría ", "Cabinet infirmier "];

/// A name with a firm's form in it is a firm, though a job is in it too: `Tailor & Sons Ltd`.
fn firmly(piece: &str) -> bool {
    // `Leerkracht groep 7`
    let last = piece.split_whitespace().last().unwrap_or_default();
    let first = piece.split_whitespace().next().unwrap_or_default();
    let is_class = last.chars().all(|c| c.is_ascii_digit()) && words::is_position(first);
    if is_led(piece) || is_class {
        return false;
    }
    let is_firm = |word: &str| words::is_organisation(word) && !words::is_position(word);
    // `Software Engineer II`
    let is_rank = |word: &&str| word.chars().all(|c| matches!(c, 'I' | 'V' | '1'..='9'));
    let end = piece.split_whitespace().rev().find(|word| !is_rank(word)).unwrap_or_default();
    // `Centro Médico Sur`, but `Hospital Porter`.
    let is_quality = QUALITIES.contains(&folded(end).as_str()) && words::is_position(first);
    is_firm(end) && !is_quality
        || is_firm(first) && !words::is_position(end)
        || piece.contains(" & ") && words::is_organisation(piece)
}

/// What a firm may be called and a job may be: `Clínica Acme`, `Nutricionista Clínica`.
const QUALITIES: [&str; 3] = ["clinica", "mecanica", "tecnologica"];

/// `Jefa de taller`, `Head of Logistics`, `Leiterin Technik`: a title, though its last word is that of a firm.
fn is_led(piece: &str) -> bool {
    const LINKS: [&str; 13] = [
        " of ", " de ", " d'", " d’", " des ", " du ", " da ", " do ", " dos ", " del ", " für ",
        " van ", " for ",
    ];
    const HEADS: [&str; 12] = [
        "leiter",
        "leiterin",
        "leitung",
        "mitarbeiter",
        "mitarbeiterin",
        "assistent",
        "assistentin",
        "angestellte",
        "angestellter",
        "praktikum",
        "sachbearbeiter",
        "sachbearbeiterin",
    ];
    let words: Vec<&str> = piece.split_whitespace().collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    if LEGAL_FORMS.contains(&last.trim_end_matches('.').to_lowercase().as_str()) {
        return false;
    }
    let links = LINKS.iter().filter_map(|link| piece.find(link)).min();
    let linked = links.is_some_and(|at| words::is_position(&piece[..at]));
    let first_folded = folded(first);
    let german = HEADS.iter().any(|head| first_folded.ends_with(head));
    linked || german || last.starts_with(char::is_lowercase) && words::is_position(first)
}

/// `Programmer – Acme`, `Programmer @ Acme`, `Programmer at Acme`, `Acme (London)`.
fn dashed(field: &str) -> Vec<&str> {
    let mut parts = stops::apart(field);
    for separator in [" – ", " — ", " - "] {
        parts = parts.into_iter().flat_map(|part| classes::apart(part, separator)).collect();
    }
    for separator in [" @ ", " at ", " bei ", " chez ", " bij ", ": ", " ("] {
        let whole = |part: &str| separator == " at " && is_called_at(part);
        let most = |part: &str| if whole(part) { 1 } else { usize::MAX };
        parts = parts.into_iter().flat_map(|part| part.splitn(most(part), separator)).collect();
    }
    // `en` and `em` lead to much else than a firm, and `in` to what somebody teaches: `Lecturer in Marine Ecology`.
    for separator in [" en ", " em ", " na ", " no ", " in "] {
        parts = parts
            .into_iter()
            .flat_map(|part| match part.split_once(separator) {
                Some((title, firm))
                    if words::is_position(title)
                        && !words::is_organisation(title)
                        && firm.starts_with(char::is_uppercase)
                        && (words::is_organisation(firm.split(',').next().unwrap_or(firm))
                            || separator != " in "
                                && firm
                                    .split_whitespace()
                                    .filter(|word| word.starts_with(char::is_uppercase))
                                    .count()
                                    > 1) =>
                {
                    vec![title, firm]
                }
                Some((title, firm)) if separator != " in " && begins_in_kind(title, firm) => {
                    vec![title, firm]
                }
                _ => vec![part],
            })
            .collect();
    }
    // `Acme GmbH in Smallville`
    for separator in [" in ", " à ", " te ", " en ", " em "] {
        parts = parts
            .into_iter()
            .flat_map(|part| match part.rsplit_once(separator) {
                Some((firm, town)) if stands_in(firm, town) => vec![firm, town],
                // Nothing but towns stands behind it.
                Some((firm, town)) if separator == " te " && are_names(firm, town) => {
                    vec![firm, town]
                }
                _ => vec![part],
            })
            .collect();
    }
    parts
        .into_iter()
        .map(|part| part.trim_matches([' ', ',', ';', '–', '—', '-', '*']))
        .map(|part| if part.contains('(') { part } else { part.trim_end_matches(')') })
        .collect()
}

/// `The Ferry Inn at Nullig`: no title begins with an article, and a firm may have its town in its name.
fn is_called_at(text: &str) -> bool {
    let before = text.split(" at ").next().and_then(|before| before.rsplit(", ").next());
    before.is_some_and(|name| {
        name.starts_with("The ") && words::is_organisation(name) && !words::is_position(name)
    })
}

/// Whether a firm that begins with its kind stands behind something else: `Segundo de sala en Hotel Acme`.
fn begins_in_kind(title: &str, firm: &str) -> bool {
    let (kind, name) = firm.split_once(' ').unwrap_or_default();
    let is_kind = kind.starts_with(char::is_uppercase) && words::is_organisation(kind);
    is_kind
        && name.contains(char::is_uppercase)
        && title.starts_with(char::is_uppercase)
        && title.split_whitespace().count() <= TITLE_MAX
        && !words::is_organisation(title)
        && !words::is_position(firm)
}

/// Longest name of a town, in words.
const TOWN_MAX: usize = 3;

/// Whether a firm and a town stand on both sides of a preposition.
fn stands_in(firm: &str, town: &str) -> bool {
    let is_word = !town.contains(' ') && town.starts_with(char::is_uppercase);
    words::is_organisation(firm)
        && !words::is_position(firm)
        && (place::is_place(town) || is_word && !words::is_organisation(town))
}

/// Whether two texts begin as names do, and the second is as short as the name of a town.
fn are_names(firm: &str, town: &str) -> bool {
    firm.starts_with(char::is_uppercase)
        && town.starts_with(char::is_uppercase)
        && town.split_whitespace().count() <= TOWN_MAX
}

/// `Programmer, Acme Ltd, London, UK` in its parts; `Acme, Inc.`, `Director, Marketing` and `City of Leeds, Roads` stay
/// whole.
/// Whether a text is the form of a firm: `Ltd`.
fn is_form(text: &str) -> bool {
    LEGAL_FORMS.contains(&text.trim_end_matches('.').to_lowercase().as_str())
}

/// `Ltd. Bristol`, which ends the name of a firm behind its comma, and names its town.
fn is_form_in_town(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(form, town)| is_form(form) && place::is_known(town))
}

/// Whether a text ends the name of a firm that is called by its partners: `Ehlers & Co. KG`, `Ferrero y Asociados`.
fn names_partners(text: &str) -> bool {
    const ENDS: [&str; 19] = [
        "& co",
        "& cie",
        "& associates",
        "& partner",
        "& partners",
        "and associates",
        "and partners",
        "& sohne",
        "& sons",
        "y asociados",
        "e associados",
        "et associes",
        "& asociados",
        "& associados",
        "& associes",
        "& partenaires",
        "& socios",
        "& zonen",
        "& zn",
    ];
    let text = folded(text);
    ENDS.iter().any(|end| {
        text.split_once(end).is_some_and(|(name, form)| {
            name.ends_with(' ')
                && !form.starts_with(char::is_alphabetic)
                && name.split_whitespace().count() <= 3
        })
    })
}

fn by_comma(text: &str, found: &mut Vec<Named>) {
    if let Some((firm, place)) = place::at_end(text) {
        by_comma(firm, found);
        found.push(Named::alone(Kind::Place, place.to_owned()));
        return;
    }
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    // The longest tail that is a place.
    let is_name = |part: &str| words::is_position(part) || is_class(part);
    let tail = (0..parts.len())
        .find(|at| place::is_place(&parts[*at..].join(", ")) && !is_name(parts[*at]));
    let tail = towns::before_region(&parts).or(tail);
    let (names, place) = parts.split_at(tail.unwrap_or(parts.len()));
    let mut pieces: Vec<Named> = Vec::new();
    for (at, part) in names.iter().enumerate() {
        let form = is_form(part) || is_dotted(part) || is_form_in_town(part);
        let next = kind(part);
        match pieces.last_mut() {
            Some(last) if form => {
                last.text = format!("{}, {part}", last.text);
                last.kind = Kind::Firm;
            }
            // `Brandt, Ehlers & Co. KG`
            Some(last)
                if matches!(last.kind, Kind::Unknown | Kind::Firm)
                    && last.text.split_whitespace().count() <= 3
                    && names_partners(part) =>
            {
                last.text = format!("{}, {part}", last.text);
                last.kind = Kind::Firm;
            }
            // `Lance Corporal, Driver, Acme Corps`: two titles before a firm are one.
            Some(last) if is_second_title(last, part, &names[at + 1..]) => {
                last.text = format!("{}, {part}", last.text);
            }
            // A part of what stands before it, unless it is of the other kind.
            Some(last)
                if belongs(last.kind, next, part)
                    && !(last.after_title && is_department(&last.text)) =>
            {
                last.text = format!("{}, {part}", last.text);
            }
            last => {
                let after_title = last.is_some_and(|last| {
                    last.kind == Kind::Title || last.kind == Kind::Unknown && last.after_title
                });
                let after_comma = !pieces.is_empty();
                let text = (*part).to_owned();
                pieces.push(Named { after_title, after_comma, ..Named::alone(next, text) });
            }
        }
    }
    found.append(&mut pieces);
    if !place.is_empty() {
        found.push(Named::alone(Kind::Place, place.join(", ")));
    }
}

fn is_second_title(title: &Named, part: &str, rest: &[&str]) -> bool {
    let are_titles = title.kind == Kind::Title && kind(part) == Kind::Title;
    let is_other =
        words::is_own(&title.text) || words::is_own(part) || words::is_organisation(part);
    are_titles && !is_other && rest.iter().any(|other| is_name_of_firm(other))
}

/// Whether a part behind two titles names a firm rather than a town, by its words or as it has several.
fn is_name_of_firm(part: &str) -> bool {
    match kind(part) {
        Kind::Firm => true,
        Kind::Unknown => part.contains(' '),
        Kind::Title | Kind::Place => false,
    }
}

/// `S.L.P.`, `S. A.`: a legal form, whatever it stands for.
fn is_dotted(part: &str) -> bool {
    let letters = part.split_terminator('.').map(str::trim);
    let single = |letter: &str| letter.len() == 1 && letter.starts_with(char::is_uppercase);
    part.ends_with('.') && (2..=4).contains(&letters.clone().count()) && letters.clone().all(single)
}

/// Whether a part after a comma goes on with the part before it: a department after a title, an office after a firm.
fn belongs(before: Kind, next: Kind, part: &str) -> bool {
    let department = DEPARTMENTS.contains(&part.to_lowercase().as_str());
    match (before, next) {
        (Kind::Title, Kind::Unknown) => department || is_code(part) || is_class(part),
        (Kind::Firm, Kind::Firm) => true,
        _ => false,
    }
}

const LEGAL_FORMS: [&str; 16] = [
    "s.a. de c.v",
    "s. de r.l. de c.v",
    "inc",
    "ltd",
    "llc",
    "llp",
    "plc",
    "corp",
    "limited",
    "lp",
    "gmbh",
    "s.a",
    "s.l",
    "s.a.s",
    "lda",
    "ltda",
];

const DEPARTMENTS: [&str; 14] = [
    "engineering",
    "finance",
    "human resources",
    "hr",
    "it",
    "legal",
    "marketing",
    "operations",
    "people",
    "product",
    "research",
    "sales",
    "security",
    "support",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn said(head: &str) -> Vec<(Kind, String)> {
        named(&[head.to_owned()]).into_iter().map(|named| (named.kind, named.text)).collect()
    }

    #[test]
    fn remarks_on_a_title_stay_with_it() {
        for title in [
            "Tutor (0.2 FTE)",
            "Tutor (3 schools)",
            "Aushilfe (Saison)",
            "Tutor (80 %)",
            "Healthcare Assistant (Bank)",
            "Elektroniker (Geselle)",
        ] {
            assert_eq!(said(title), [(Kind::Title, title.to_owned())]);
        }
        let firm = |text: &str| said(text).into_iter().any(|(kind, _)| kind != Kind::Title);
        assert!(firm("Tutor (Acme Ltd)"));
    }

    #[test]
    fn a_part_of_a_firm_behind_a_dash_stays_with_the_title_where_the_firm_stands_below() {
        let head = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            named(&lines).into_iter().map(|named| named.text).collect::<Vec<_>>()
        };
        let title = "Gerente de Ventas – Región Centro";
        assert_eq!(head(&[title, "Molinos S.A."]), [title, "Molinos S.A."]);
        assert_eq!(head(&[title]), ["Gerente de Ventas", "Región Centro"]);
    }

    #[test]
    fn a_firm_may_have_its_town_in_its_name() {
        let firm = (Kind::Firm, "The Ferry Inn at Nullig".to_owned());
        assert_eq!(said("Waitress (seasonal), The Ferry Inn at Nullig")[1], firm);
        assert_eq!(said("Waitress at The Ferry Inn")[1], (Kind::Firm, "The Ferry Inn".to_owned()));
    }

    #[test]
    fn a_dutch_town_behind_its_preposition_is_no_part_of_the_firm() {
        let town = (Kind::Unknown, "Erembodegem".to_owned());
        assert!(said("Speelplein ’t Nest te Erembodegem").contains(&town));
    }

    #[test]
    fn a_title_behind_its_label_is_told_from_what_was_done() {
        assert!(is_title_in_label("Tätigkeit: Monteur"));
        assert!(!is_title_in_label("Tätigkeit: Montage, Wartung"));
        assert!(!is_title_in_label("Aufgaben: Montage"));
        let entries = "August 2006 bis Juni 2011\tAcme Pumpen KG, Nullheim\nTätigkeit: CNC-Fräser";
        let text = format!("Ada Byron\n\nBerufserfahrung\n{entries}\n• Fräsen von Teilen");
        let draft = crate::ports::artifacts::resume::draft(&text);
        let role = &draft.skeleton_timeline["work"][0];
        assert_eq!(role["position"], "CNC-Fräser");
        assert_eq!(role["location"], "Nullheim");
    }

    #[test]
    fn two_titles_before_a_firm_are_one_and_remarks_behind_a_firm_stay_with_the_title() {
        let texts = |head: &str| said(head).into_iter().map(|it| it.1).collect::<Vec<_>>();
        assert_eq!(
            texts("Corporal, Driver, Royal Null Corps"),
            ["Corporal, Driver", "Royal Null Corps"]
        );
        assert_eq!(texts("Corporal, Driver, Nulla")[0], "Corporal");
        for remark in ["part-time", "parttime", "Teilzeit", "temps partiel", "tempo parcial"] {
            let title = format!("Driver ({remark})");
            assert!(texts(&format!("Acme Ltd, Leeds — {title}")).contains(&title), "{remark}");
        }
    }

    #[test]
    fn two_breaks_are_one() {
        assert!(is_break("Elternzeit und Familienphase"));
        assert!(!is_break("Elternzeit und Acme"));
    }

    #[test]
    fn departments_are_told_by_their_first_or_last_word_or_the_whole() {
        for name in ["Emergency Department", "Abteilung Technik", "Real Estate"] {
            assert!(is_department(name), "{name}");
        }
        assert!(!is_department("Real Time"));
    }

    #[test]
    fn towns_behind_firms_without_a_comma_are_told() {
        let place = (Kind::Place, "Chicago, IL".to_owned());
        assert!(said("Acme Freight Technologies Chicago, IL").contains(&place));
        let firm = (Kind::Firm, "Ribeira Digital, Lda. Porto".to_owned());
        assert_eq!(said("Ribeira Digital, Lda. Porto"), [firm]);
    }

    #[test]
    fn firms_behind_a_preposition_are_told_by_their_kinds_and_jobs_by_their_first_words() {
        let said = |line: &str| -> Vec<(Kind, String)> {
            named(&[line.to_owned()]).into_iter().map(|named| (named.kind, named.text)).collect()
        };
        for (line, firm) in [
            ("Segundo de Sala en Hotel Nulla", "Hotel Nulla"),
            ("Segunda de Sala en Restaurante La Nula", "Restaurante La Nula"),
            ("Segundo de Sala no Hotel Nulla", "Hotel Nulla"),
            ("Freira na Escola Nulla", "Escola Nulla"),
        ] {
            assert!(said(line).contains(&(Kind::Firm, firm.to_owned())), "{line}");
        }
        assert_eq!(said("Restaurant en Hotel Nulla").len(), 1);
        assert_eq!(said("Nutricionista Clínica")[0].0, Kind::Title);
        assert_eq!(said("Clínica Nulla")[0].0, Kind::Firm);
        assert_eq!(said("Nulla Clínica")[0].0, Kind::Firm);
    }

    #[test]
    fn offices_are_firms() {
        assert_eq!(kind("Secretaría de Vivienda"), Kind::Firm);
        assert_eq!(kind("Notaría Nula"), Kind::Firm);
        assert_eq!(kind("Cabinet infirmier des Nulles"), Kind::Firm);
        assert_eq!(kind("Secretaria de dirección"), Kind::Title);
    }
}
