//! Kinds of skills that are called like the headings of other sections: `Languages: Go, PHP`, `Data` above a list.

use super::{
    super::{
        dates,
        lines::Line,
        place, schools,
        vocabulary::{Section, folded, parts as words_of, vocabulary},
        words,
    },
    Marks, Part, is_loud, section_of,
};

/// Whether a line names the kind of the skills in it or below it, rather than another section.
pub(super) fn is_kind(part: &Part, line: &Line, next: Option<&Line>, marks: &Marks) -> bool {
    part.section == Section::Skills
        && (labels_row(part, line, marks)
            || is_kind_of_row(part, line)
            || is_rest(line, next, marks)
            || is_further_rest(part, line)
            || is_kind_alone(part, line, marks)
            || heads_items(part, line, next, marks)
            || heads_nothing(line, next, marks)
            || heads_rows(part, line, next, marks)
            || is_between_lists(part, line, next, marks))
}

/// Whether a line below a section that began among the rows of the skills, such as `Languages: English`, goes on with
/// the skills: `Lab: PCR, ELISA`, or `Frameworks` above items.
pub(super) fn goes_back(parts: &[Part], line: &Line, next: Option<&Line>, marks: &Marks) -> bool {
    let [.., skills, aside] = parts else { return false };
    let Some((level, after_gap)) = marks.aside else { return false };
    let is_aside = skills.section == Section::Skills
        && matches!(aside.section, Section::Other | Section::Contact)
        && (line.level, line.after_gap) == (level, after_gap)
        && !line.bullet
        && match section_of(label_of(line)) {
            None | Some(Section::Skills) => true,
            Some(Section::Other) => !stands_beside(label_of(line)),
            Some(_) => false,
        };
    let is_row = || {
        let is_list = |line: &Line| row(line).is_some_and(|(_, items)| is_list_of_items(items));
        is_list(line)
            && row(line).is_some_and(|(_, items)| !speaks(items))
            && aside.lines.len() == 1
            && (skills.lines.is_empty() || skills.lines.iter().any(is_list))
    };
    let is_head = || {
        heads_several(skills, level)
            && is_short(line)
            && aside.lines.last().is_some_and(|last| last.bullet)
            && next.is_some_and(|next| next.bullet && !speaks(&next.text))
    };
    is_aside && (is_row() || is_head())
}

/// Whether a line looks otherwise than the headings do here, as far as these look alike.
pub(super) fn is_undressed(line: &Line, marks: &Marks) -> bool {
    let is_dressed = marks.levels.contains(&line.level) || marks.loud && is_loud(label_of(line));
    !is_dressed && (marks.loud || !marks.levels.is_empty())
}

/// What stands before the first colon or gap of a line.
fn label_of(line: &Line) -> &str {
    line.text.split([':', '\t']).next().unwrap_or_default()
}

/// Whether a label among skills names their kind: `Languages: Python, SQL`, but not `Languages: English, German`, and
/// `Data: Redis, Kafka` between other rows, but not `Contact: 555 0147`.
fn labels_row(part: &Part, line: &Line, marks: &Marks) -> bool {
    let Some((label, items)) = row(line) else { return false };
    let is_list = is_list_of_items(items);
    let is_row = |line: &Line| row(line).is_some_and(|(_, items)| is_list_of_items(items));
    match section_of(label) {
        Some(Section::Other) => {
            let is_like_rows = is_undressed(line, marks)
                && (!line.after_gap || part.lines.last().is_none_or(is_row));
            let is_kind = names_languages(label) && (is_list || is_like_rows)
                || heads_further_row(part, line, marks) && lists_skills(items);
            is_kind && !speaks(items)
        }
        Some(section) if is_beside(section) => {
            let is_among_rows = match part.lines.last() {
                Some(last) => {
                    is_row(last) && last.after_gap == line.after_gap
                        || part.lines.len() == 1 && is_row(last) && !line.after_gap
                }
                None => true,
            };
            let is_in_block = !line.after_gap && part.lines.last().is_some_and(is_row);
            is_list
                && is_among_rows
                && (is_in_block || is_undressed(line, marks))
                && lists_skills(items)
        }
        _ => false,
    }
}

/// Whether a labelled list goes on with the rows of skills above it, or is the first of them where headings look
/// otherwise, and is called like nothing that stands beside skills: `Teaching: Seminars, Exams`.
fn heads_further_row(part: &Part, line: &Line, marks: &Marks) -> bool {
    let lists = |line: &Line| row(line).is_some_and(|(_, items)| is_list_of_items(items));
    let is_alike =
        |last: &Line| lists(last) && (!line.after_gap || last.after_gap || part.lines.len() == 1);
    let is_among = match part.lines.last() {
        Some(last) => {
            is_undressed(line, marks) && is_alike(last) || is_alike(last) && !line.after_gap
        }
        None => is_undressed(line, marks) || marks.are_apart,
    };
    is_among && line.level == 0 && lists(line) && !stands_beside(label_of(line))
}

/// Whether what a line among skills opens may be a kind of them: it looks otherwise than headings do here or as kinds do
/// above another one that is called like a section, and is called like nothing that stands beside skills.
pub(super) fn may_hold_skills(
    parts: &[Part],
    line: &Line,
    section: Section,
    marks: &Marks,
) -> bool {
    let is_further = || {
        matches!(parts, [.., above, _] if above.section == Section::Skills
            && heads_several(above, line.level))
    };
    parts.last().is_some_and(|part| part.section == Section::Skills)
        && matches!(section, Section::Other | Section::Unknown)
        && (is_undressed(line, marks) || section == Section::Unknown && is_further())
        && !stands_beside(label_of(line))
}

/// Whether a line lists what stands beside skills behind its label: `Interests: Tea, Chess`.
pub(super) fn labels_beside(line: &Line) -> bool {
    let label = row(line).map(|(label, _)| label).filter(|label| !names_languages(label));
    label.is_some_and(|label| section_of(label) == Some(Section::Other) && stands_beside(label))
}

/// Whether a line lists several of such things.
pub(super) fn lists_beside(line: &Line) -> bool {
    labels_beside(line) && row(line).is_some_and(|(_, items)| is_list_of_items(items))
}

/// Whether a label is known to head what stands beside skills and is none: `Interests`, `Courses`.
fn stands_beside(label: &str) -> bool {
    let label = folded(label);
    let stems = || vocabulary().beside_stems.iter().chain(&vocabulary().language_stems);
    words_of(&label).any(|word| stems().any(|stem| word.starts_with(stem.as_str())))
}

/// The heading of languages that nobody speaks, `Languages` above `Rust` and `Go`, where there is another one above those
/// that people speak.
pub(super) fn heads_codes(lines: &[Line]) -> Option<[Line; 2]> {
    let heads = |pair: &&[Line]| {
        let [line, next] = pair else { return false };
        is_short(line) && !next.after_gap && section_of(&line.text) == Some(Section::Other)
    };
    let (spoken, others): (Vec<&[Line]>, Vec<&[Line]>) =
        lines.windows(2).filter(heads).partition(|pair| speaks(&pair[1].text));
    let mut codes = others.iter().filter(|pair| names_languages(&pair[0].text));
    let pair = codes.next().filter(|_| codes.next().is_none() && !spoken.is_empty())?;
    pair.to_vec().try_into().ok()
}

/// Whether a line is that heading: the one of spoken languages may be called alike.
pub(super) fn is_of_codes(line: &Line, next: Option<&Line>, marks: &Marks) -> bool {
    let is_one =
        |codes: &[Line; 2]| codes[0] == *line && next.is_some_and(|next| codes[1] == *next);
    marks.codes.as_ref().is_some_and(is_one)
}

/// Whether a kind of skills stands above its own below such languages: `platforms` above `Linux` and `Windows`, `Other`
/// marked as the heading of the languages is.
pub(super) fn goes_on_small(line: &Line, next: Option<&Line>, marks: &Marks) -> bool {
    let is_alike = |codes: &[Line; 2]| (codes[0].level, codes[1].bullet) == (line.level, true);
    let Some(codes) = &marks.codes else { return false };
    line.after_gap
        && !line.bullet
        && vocabulary().skill_kinds.contains(&folded(&line.text))
        && next.is_some_and(|next| {
            !next.after_gap && !speaks(&next.text) && (!next.bullet || is_alike(codes))
        })
}

/// Whether what stands in a section can be told from skills by its looks.
fn is_beside(section: Section) -> bool {
    matches!(section, Section::Contact | Section::Work | Section::Volunteer | Section::Education)
}

/// Whether a line heads or lists the languages that somebody speaks: `Languages    English (fluent), German`, or
/// `Languages` above `English`.
pub(super) fn is_spoken(line: &Line, next: Option<&Line>) -> bool {
    let names = |text: &str| {
        let text = folded(text);
        let first = words_of(&text).next().map(str::to_owned);
        first.is_some_and(|word| vocabulary().languages.contains(&word))
    };
    let tells = |label: &str| {
        let label = folded(label);
        let mut stems = vocabulary().language_stems.iter();
        words_of(&label).count() <= KIND_MAX && stems.any(|stem| label.contains(stem.as_str()))
    };
    match row(line) {
        Some((label, items)) => (names_languages(label) || tells(label)) && names(items),
        None => {
            !line.bullet
                && names_languages(&line.text)
                && next.is_some_and(|next| names(&next.text))
        }
    }
}

/// Whether a line that looks otherwise than the headings do heads the rest of the skills: `Other` above `Welding`, or
/// beside `Welding, Fitting`.
fn is_rest(line: &Line, next: Option<&Line>, marks: &Marks) -> bool {
    let names_kind = |text: &str| vocabulary().skill_kinds.contains(&folded(text));
    let holds = match row(line) {
        Some((label, items)) => names_kind(label) && is_list_of_items(items) && !speaks(items),
        None => {
            names_kind(&line.text)
                && next
                    .is_some_and(|next| !next.after_gap && !next.is_prose() && !speaks(&next.text))
        }
    };
    holds && line.level == 0 && is_undressed(line, marks)
}

/// Whether `Other` beside `Welding, Fitting` is a row as the ones above it, where nothing tells how headings look.
fn is_further_rest(part: &Part, line: &Line) -> bool {
    let is_row = |line: &Line| {
        let parted = line.text.split_once('\t');
        !line.bullet && parted.is_some_and(|(_, items)| is_list_of_items(items) && !speaks(items))
    };
    let label = folded(label_of(line));
    line.level == 0
        && is_row(line)
        && part.lines.iter().any(is_row)
        && vocabulary().skill_kinds.contains(&label)
        && !stands_beside(&label)
}

/// Whether a line holds two skills side by side as all those above it do, where no list stands in any of them: `Éducation
/// thérapeutique    Permis B` below `Chimiothérapie    Coordination`.
pub(super) fn is_pair_below_pairs(part: &Part, line: &Line) -> bool {
    let is_pair = |line: &Line| {
        let cells = line.text.split_once('\t').filter(|(_, rest)| !rest.contains('\t'));
        cells.is_some_and(|(_, rest)| {
            !line.bullet && !is_list_of_items(&line.text) && lists_skills(rest)
        })
    };
    part.lines.iter().chain([line]).all(is_pair)
}

/// The label of a line, and what stands behind it.
fn row(line: &Line) -> Option<(&str, &str)> {
    let (label, items) = line.text.split_once(": ").or_else(|| line.text.split_once('\t'))?;
    (!label.contains(',')).then(|| (label, items.trim()))
}

/// Marks between the items of a list.
const MARKS: [char; 5] = [',', ';', '•', '·', '|'];

/// Whether several items stand in a text: `Go, PHP`, `Go; PHP`.
fn is_list_of_items(items: &str) -> bool {
    items.contains(MARKS)
}

/// Whether a label is about languages, of whatever kind.
fn names_languages(label: &str) -> bool {
    let label = folded(label);
    section_of(&label) == Some(Section::Other)
        && vocabulary().language_stems.iter().any(|stem| label.starts_with(stem.as_str()))
}

/// Whether a language that people speak is among some items.
fn speaks(items: &str) -> bool {
    let items = folded(items);
    words_of(&items).any(|word| vocabulary().languages.contains(word))
}

/// Whether a list can be one of skills: nothing in it is an address, a place, a date, a job or a degree.
fn lists_skills(items: &str) -> bool {
    let digits = items.chars().filter(char::is_ascii_digit).count();
    digits < DIGITS_MAX
        && !items.contains(['@', '/'])
        && dates::find(items).is_none()
        && !items.split(MARKS).any(|item| place::is_place(item.trim()))
        && !words::is_position(items)
        && !words::is_school(items)
        && !schools::names_degree(items)
}

/// Lists of skills have fewer digits than a telephone number.
const DIGITS_MAX: usize = 6;

/// Whether a line is a row like the one above it, with the kind of some skills in its first column: `Software    Word,
/// Excel` below `Trade    Welding, Fitting`.
fn is_kind_of_row(part: &Part, line: &Line) -> bool {
    let is_row = |line: &Line| {
        let parted = line.text.split_once('\t');
        !line.bullet && line.level == 0 && parted.is_some_and(|(_, items)| is_list_of_items(items))
    };
    let kind = line.text.split('\t').next().unwrap_or_default();
    is_row(line)
        && part.lines.last().is_some_and(is_row)
        && section_of(kind) == Some(Section::Skills)
}

/// Whether a line is the kind of the skills below it, called like a heading: `Languages`, not marked as one, right under
/// the marked `Skills`, or with a colon like another kind above it.
fn is_kind_alone(part: &Part, line: &Line, marks: &Marks) -> bool {
    let has_colon = |line: &Line| line.text.ends_with(':');
    // `Languages: English, German`
    let is_spoken = row(line).is_some_and(|(label, items)| names_languages(label) && speaks(items));
    let is_first = part.lines.is_empty() && marks.above > 0 && !line.after_gap && !is_spoken;
    let is_further = has_colon(line) && part.lines.iter().any(has_colon);
    line.level == 0 && !line.bullet && (is_first || is_further)
}

/// Whether `Languages` alone in a line heads items that nobody speaks: right under the heading of the skills, or like
/// another kind of them, as `Data` may.
fn heads_items(part: &Part, line: &Line, next: Option<&Line>, marks: &Marks) -> bool {
    let is_below = line.level > marks.above && marks.above > 0;
    let is_first =
        part.lines.is_empty() && (!line.after_gap || is_below || is_undressed(line, marks));
    let is_further = || marks.kinds == Some(line.level) || heads_several(part, line.level);
    let holds = next.is_some_and(|next| (next.bullet || !next.after_gap) && !speaks(&next.text));
    let goes_on = || {
        is_undressed(line, marks)
            && heads_several(part, line.level)
            && next.is_some_and(|next| next.bullet && lists_skills(&next.text))
            && match section_of(&line.text) {
                Some(Section::Other) => !stands_beside(&line.text),
                Some(section) => section == Section::Skills || is_beside(section),
                None => false,
            }
    };
    is_short(line)
        && holds
        && (names_languages(&line.text) || goes_on())
        && (is_below || !marks.levels.contains(&line.level))
        && (is_first || is_further())
}

/// Whether a line that is called like a heading stands right above the next one: `Volunteer training` as the last skill.
fn heads_nothing(line: &Line, next: Option<&Line>, marks: &Marks) -> bool {
    let is_heading = |next: &Line| next.level > 0 && marks.levels.contains(&next.level);
    line.level == 0
        && is_short(line)
        && is_undressed(line, marks)
        && next.is_some_and(|next| is_heading(next) && section_of(&next.text).is_some())
}

/// Whether `Software` stands alone above skills in columns, as another kind of them does further up.
fn heads_rows(part: &Part, line: &Line, next: Option<&Line>, marks: &Marks) -> bool {
    let heads = |line: &Line, next: &Line| {
        line.level == 0
            && is_short(line)
            && !next.bullet
            && !next.after_gap
            && next.fields().len() > 1
    };
    section_of(&line.text) == Some(Section::Skills)
        && is_undressed(line, marks)
        && next.is_some_and(|next| heads(line, next))
        && part.lines.windows(2).any(|pair| heads(&pair[0], &pair[1]))
}

/// Whether there are lines above items in a section.
fn heads_several(part: &Part, level: usize) -> bool {
    let heads = |pair: &[Line]| !pair[0].bullet && pair[0].level == level && pair[1].bullet;
    part.lines.windows(2).any(heads)
}

/// Whether a line stands between two lists as the one above the first of them does: `Data` above `Redis, Kafka` and
/// under `Go, PHP`, which `Languages` stands above.
fn is_between_lists(part: &Part, line: &Line, next: Option<&Line>, marks: &Marks) -> bool {
    let [.., kind, items] = part.lines.as_slice() else { return false };
    let is_list = |line: &Line| !line.bullet && line.text.contains(", ");
    let is_alike = (kind.level, kind.bullet) == (line.level, line.bullet);
    is_alike
        && is_short(kind)
        && is_list(items)
        && is_short(line)
        && is_undressed(line, marks)
        && next.is_some_and(|next| is_list(next) && !speaks(&next.text) && lists_skills(&next.text))
}

/// Longest kind, in words.
const KIND_MAX: usize = 4;

/// A few words that are no item and no list.
fn is_short(line: &Line) -> bool {
    !line.bullet
        && !line.text.trim_end_matches(':').contains([',', ':'])
        && line.fields().len() == 1
        && line.text.split_whitespace().count() <= KIND_MAX
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::{SKILLS_MISSING, draft};

    /// The skills of a résumé with some lines under the heading of its skills, which all headings here look like.
    fn skills(headings: [&str; 3], lines: &str) -> String {
        let [work, skills, studies] = headings;
        let text = format!(
            "Ada Byron\n\n{work}\nAcme\tEngineer\t2019 – 2021\n\n{skills}\n{lines}\n\n{studies}\nBSc Physics, University of Leeds, 2010 – 2013"
        );
        draft(&text).skills.join("|")
    }

    #[test]
    fn a_kind_of_skills_is_no_section_though_it_is_called_like_one() {
        for (heading, kind, further) in [
            ("Technical Skills", "Languages", "Storage"),
            ("Kenntnisse", "Sprachen", "Datenbanken"),
            ("Competencias", "Lenguajes", "Datos"),
            ("Competencias", "Idiomas", "Datos"),
            ("Compétences", "Langues", "Données"),
            ("Vaardigheden", "Talen", "Opslag"),
            ("Competências", "Línguas", "Dados"),
        ] {
            for lines in [
                format!("{kind}: Go, PHP\n{further}: Redis, Kafka"),
                format!("{kind}\tGo, PHP\n{further}\tRedis, Kafka"),
                format!("{kind}\nGo, PHP\n{further}\nRedis, Kafka"),
                format!("{kind} – Go, PHP\n{further} – Redis, Kafka"),
                format!("{further}: Go, PHP\n{kind}: Redis, Kafka"),
                format!("{kind}\n• Go\n• PHP\n{further}\n• Redis\n• Kafka"),
            ] {
                let marked = ["## Experience", &format!("## {heading}"), "## Education"];
                assert_eq!(skills(marked, &lines), "Go|PHP|Redis|Kafka", "{heading}:\n{lines}");
                let loud = ["EXPERIENCE", &heading.to_uppercase(), "EDUCATION"];
                assert_eq!(skills(loud, &lines), "Go|PHP|Redis|Kafka", "{heading}:\n{lines}");
            }
        }
    }

    #[test]
    fn kinds_called_like_other_sections_keep_their_skills() {
        let marked = ["## Experience", "## Skills", "## Education"];
        let plain = ["Experience\n", "Key Skills\n", "Education\n"];
        for (first, kind) in [
            ("Methods", "Teaching"),
            ("Methoden", "Sonstiges"),
            ("Méthodes", "Divers"),
            ("Métodos", "Docencia"),
            ("Ferramentas", "Outros"),
            ("Software", "Overig"),
            ("Tools", "Open source"),
        ] {
            for lines in [
                format!("{first}: Go, PHP\n{kind}: Redis, Kafka"),
                format!("{kind}: Go, PHP\n{first}: Redis, Kafka"),
                format!("{first}: Go, PHP\n{kind}: Redis, Kafka\nInterests: Tea, Chess"),
                format!("{first}: Go, PHP\nHobbies: Tea, Chess\n{kind}: Redis, Kafka"),
                format!("{first}\n• Go\n• PHP\n{kind}\n• Redis\n• Kafka"),
            ] {
                assert_eq!(skills(marked, &lines), "Go|PHP|Redis|Kafka", "{lines}");
            }
            let lines =
                format!("{kind}: Go, PHP\nTechnology: Redis, Kafka\nLanguages: English, French");
            assert_eq!(skills(plain, &lines), "Go|PHP|Redis|Kafka", "{lines}");
        }
    }

    #[test]
    fn kinds_called_like_other_sections_may_have_any_marks_between_their_skills() {
        let marked = ["## Experience", "## Skills", "## Education"];
        for (first, kind) in [
            ("Collections", "Other"),
            ("Methoden", "Sonstiges"),
            ("Méthodes", "Autres"),
            ("Métodos", "Otros"),
            ("Ferramentas", "Outros"),
            ("Software", "Overig"),
        ] {
            for mark in ["; ", " · ", " • "] {
                let lines = format!("{first}: Go{mark}PHP\n{kind}: Redis{mark}Kafka{mark}Lua");
                assert_eq!(skills(marked, &lines), "Go|PHP|Redis|Kafka|Lua", "{lines}");
            }
        }
    }

    #[test]
    fn what_may_have_been_skills_is_told() {
        let is_told = |kind: &str| {
            let text = format!(
                "Ada Byron\n\n## Experience\nAcme\tEngineer\t2019 – 2021\n\n## Skills\nWelding, Tig\n\n\
                 {kind}: Redis, Kafka\n\n## Education\nBSc Physics, University of Leeds, 2010 – 2013"
            );
            let draft = draft(&text);
            draft.issues.iter().any(|issue| issue == SKILLS_MISSING) || draft.skills.len() == 4
        };
        assert!(["Social", "Open source", "Background", "Extra"].into_iter().all(is_told));
        assert!(!["Interests", "Certificates", "Hobbys", "Permis"].into_iter().any(is_told));
    }

    #[test]
    fn skills_in_forms_stand_below_languages() {
        for (heading, languages, others) in [
            ("Capacidades y competencias\n## personales", "Idiomas\tEspañol", "Otras capacidades"),
            ("Aptidões e competências\n## pessoais", "Línguas\tPortuguês", "Outras aptidões"),
            (
                "Persönliche Fähigkeiten\n## und Kompetenzen",
                "Sprachen\tDeutsch",
                "Sonstige Fähigkeiten",
            ),
            (
                "Aptitudes et compétences\n## personnelles",
                "Langues\tFrançais",
                "Autres compétences",
            ),
            (
                "Persoonlijke vaardigheden\n## en competenties",
                "Talen\tNederlands",
                "Overige vaardigheden",
            ),
            (
                "Personal skills\n## and competences",
                "Languages\tEnglish",
                "Other skills and competences",
            ),
            ("Personal skills", "Mother tongue\tEnglish", "Computer skills and competences"),
            ("Personal skills", "Languages\tEnglish", "Technical skills and competences"),
        ] {
            let marked = ["## Experience", &format!("## {heading}"), "## Education"];
            for gap in ["\n", "\n\n"] {
                let lines = format!("{languages}{gap}{others}\tRedis, Kafka, Welding");
                assert_eq!(skills(marked, &lines), "Redis|Kafka|Welding", "{heading} {lines}");
            }
        }
        let marked = ["## Experiência", "## Competências pessoais", "## Educação"];
        let lines = "Língua materna\tPortuguês\nOutras línguas\tInglês, Francês";
        assert_eq!(skills(marked, lines), "");
    }

    #[test]
    fn kinds_of_skills_above_items_or_columns_are_no_skills() {
        let marked = ["## Experience", "## Skills", "## Education"];
        for lines in [
            "Marketing\n• Plans\n• Drafts\nTools\n• Word\n• Excel\nStaff\n• Coaching\n• Talks",
            "Planning\nPlans\tDrafts\n\nSoftware\nWord\tExcel\n\nOn site\nCoaching\tTalks",
        ] {
            assert_eq!(skills(marked, lines), "Plans|Drafts|Word|Excel|Coaching|Talks", "{lines}");
        }
        let lines = "Planning\nPlans\tDrafts\n\nOn site\nTalks\tCoaching\n\nVolunteer training";
        assert_eq!(skills(marked, lines), "Plans|Drafts|Talks|Coaching|Volunteer training");
    }

    #[test]
    fn the_rest_of_the_skills_is_no_other_section() {
        let lines = "CAD\nCreo\nEPLAN\n\nMethods\nFMEA\n8D\n\nOther\nTaxes\nAudits";
        let marked = ["## Experience", "## Skills", "## Education"];
        assert_eq!(skills(marked, lines), "Creo|EPLAN|FMEA|8D|Taxes|Audits");
        let lines = "CAD\tCreo, EPLAN\n\nMethods\tFMEA, 8D\n\nOther\tTaxes, Audits";
        assert_eq!(skills(marked, lines), "Creo|EPLAN|FMEA|8D|Taxes|Audits");
    }

    #[test]
    fn further_kinds_in_the_type_of_the_first_are_no_headings() {
        let lines = "\n## Software\n• Word\n• Excel\n\n## Accounting\n• Taxes\n• Audits";
        let marked = ["# Experience", "# Skills & Abilities", "# Education"];
        assert_eq!(skills(marked, lines), "Word|Excel|Taxes|Audits");
    }

    #[test]
    fn languages_that_people_speak_end_the_skills_in_rows_and_in_lists() {
        let marked = ["## Experience", "## Skills", "## Education"];
        for lines in [
            "Software: Taxes, Audits\nLanguages\tEnglish (fluent), German (basic)",
            "Mother tongue\tEnglish\n\n## Job-related skills\nTaxes, Audits",
            "Taxes\n\nAudits\n\nLanguages\n\nEnglish\nFluent\nGerman\nBasic\n\nReliable, calm and quick.",
        ] {
            assert_eq!(skills(marked, lines), "Taxes|Audits", "{lines}");
        }
    }

    #[test]
    fn languages_that_people_speak_are_no_skills_and_end_none() {
        let marked = ["## Experience", "## Skills", "## Education"];
        for lines in [
            "Tools: Redis, Kafka\nLanguages: English, German\nLab: PCR, ELISA",
            "Tools: Redis, Kafka\n\nLanguages: English, German\n\nLab: PCR, ELISA",
            "Languages: English, German\nTools: Redis, Kafka\nLab: PCR, ELISA",
            "Languages: English, German\nData: Redis, Kafka\nLab: PCR, ELISA",
        ] {
            assert_eq!(skills(marked, lines), "Redis|Kafka|PCR|ELISA", "{lines}");
        }
        let lines = "Tools: Redis, Kafka\n\n## Languages\nEnglish, German\n\n## Lab\nPCR, ELISA";
        assert_eq!(skills(marked, lines), "Redis|Kafka");
    }

    #[test]
    fn languages_that_nobody_speaks_are_skills_where_others_have_a_heading() {
        let text = "Ada Byron\nada@example.org\n\nkontakt\n1 Quay Road\n\nsprachen\nRust\n●●●○○\nGo\n●●●●○\n\n\
                    plattform\nLinux\n●●●●○\n\nsprachkenntnisse\nDeutsch\nMuttersprache";
        assert_eq!(draft(text).skills, ["Rust", "Go", "Linux"]);
        // Both may be called alike, and other kinds may look as they do.
        let text = "# Ada Byron\n\n## Contact\nada@example.org\n\n## Languages\n• Rust\n• Go\n\n## Nulling\n• Pact\n• Nulla\n\
                    • JMeter\n• pytest\n\n## Other\n• Linux\n\n## Languages\n• English (native)";
        assert_eq!(draft(text).skills.join("|"), "Rust|Go|Pact|Nulla|JMeter|pytest|Linux");
    }

    #[test]
    fn a_pair_of_skills_below_pairs_is_no_section() {
        let pairs =
            "\nPumps\tCranes\n\nRigging\tWelding\n\nEducation of patients\tLathes\n\nFirst aid";
        let marked = ["## Experience", "## Skills", "## Education"];
        let read = "Pumps|Cranes|Rigging|Welding|Education of patients|Lathes|First aid";
        assert_eq!(skills(marked, pairs), read);
    }

    #[test]
    fn the_rest_of_the_skills_may_stand_in_a_row_below_a_gap() {
        let text = "Ada Byron\nada@example.org\n\nFähigkeiten\nTechnik\tFräsen, Drehen,\nLöten\n\n\
                    Sonstiges\tRettung, Fehlersuche\n\nSprachkenntnisse\nDeutsch\tMuttersprache";
        let skills = draft(text).skills;
        assert_eq!(skills.join("|"), "Fräsen|Drehen|Löten|Rettung|Fehlersuche");
    }
}
