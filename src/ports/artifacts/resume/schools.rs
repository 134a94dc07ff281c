//! Schools: institutions, degrees and subjects, with or without dates.

use serde_json::{Map, Value, json};

use super::{
    Confidence, Findings, SCHOOLS_MISSING,
    dates::{self, Period},
    lines::{Line, fields},
    place, short,
    vocabulary::{folded, vocabulary},
    words,
};

/// Most schools that are drafted.
const SCHOOLS_MAX: usize = 30;

/// Reads the schools of sections. An entry ends where the next line says something of a kind that it has already.
pub(super) fn read(sections: &[&[Line]], findings: &mut Findings) -> Vec<Value> {
    let mut schools: Vec<School> = Vec::new();
    for lines in sections {
        let mut current = School::default();
        for line in lines.iter().filter(|line| !is_note(line)) {
            let seen = School::of(line);
            let begins = line.level > 0 && current.is_whole() && seen.period.is_none();
            if begins
                || current.clashes(&seen)
                || (line.after_gap && current.is_whole() && !seen.is_only_date())
            {
                schools.push(std::mem::take(&mut current));
            }
            current.take(seen);
        }
        schools.push(current);
    }
    // A name alone, without a school's word, a degree or a date, may be anything.
    schools.retain(|school| {
        let named = school.institution.is_some() && (!school.guessed || school.period.is_some());
        named
            || school.study_type.is_some()
                && (school.told != Told::ByTrade || school.period.is_some())
    });
    let is_dated =
        |line: &&Line| dates::find(&line.text).is_some_and(|period| period.start.is_some());
    if sections.iter().flat_map(|lines| lines.iter()).filter(is_dated).count() > schools.len() {
        findings.issue(SCHOOLS_MISSING);
    }
    schools.truncate(SCHOOLS_MAX);
    let mut written = Vec::new();
    for school in schools {
        written.push(school.written(written.len(), findings));
    }
    written
}

/// Lines about the studies rather than naming them.
fn is_note(line: &Line) -> bool {
    let label = line.text.split([':', ' ']).next().unwrap_or_default();
    let noted = vocabulary().notes.contains(&folded(label)) && !line.text.contains('\t');
    let named = words::is_school(&line.text) || names_degree(&line.text);
    let dated = dates::find(&line.text).is_some();
    noted || line.is_prose() && !(named && dated) || (line.bullet && !named)
}

/// How a degree is told from other lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Told {
    #[default]
    ByWord,
    /// What was learnt is told by the name of the trade alone.
    ByTrade,
    /// It stands where a degree would, and no word of it is known.
    Guessed,
}

/// A line of which no word is known.
#[derive(Debug, Clone)]
struct Other {
    text: String,
    /// It stands above the school, where degrees stand here.
    leads: bool,
}

/// What is known of one entry.
#[derive(Debug, Clone, Default)]
struct School {
    institution: Option<String>,
    /// The institution was guessed, because it stands where one stands.
    guessed: bool,
    study_type: Option<String>,
    /// How the degree was told.
    told: Told,
    /// A line of its own that is neither.
    other: Option<Other>,
    area: Option<String>,
    /// It is what stands behind the degree.
    area_is_guessed: bool,
    period: Option<Period>,
}

impl School {
    fn of(line: &Line) -> Self {
        let mut school = Self { period: dates::find(&line.text), ..Self::default() };
        let rest = match &school.period {
            Some(period) => {
                format!("{}\t{}", &line.text[..period.at.start], &line.text[period.at.end..])
            }
            None => line.text.clone(),
        };
        let mut after = After::Nothing;
        for piece in pieces(&rest) {
            after = school.read(&piece, after);
        }
        school
    }

    /// Takes one piece in; what it was decides what the next one may be.
    fn read(&mut self, piece: &str, after: After) -> After {
        if place::is_place(piece) || is_grade(piece) {
            return After::Nothing;
        }
        if self.study_type.is_none()
            && let Some((study_type, area)) = degree(finished(without_remark(piece)))
        {
            // `Apprenticeship as a fitter` says what was learnt.
            let is_long = study_type.split_whitespace().count() > 2 && !study_type.contains(" of ");
            let done = area.is_some() || is_long;
            self.study_type = Some(study_type);
            self.area = self.area.take().or_else(|| area.map(|area| unled(&area).to_owned()));
            return if done { After::Nothing } else { After::Degree };
        }
        if words::is_school(piece) && (self.institution.is_none() || self.guessed) {
            // What was taken for the institution was its faculty's or the subject's name.
            let guess = self.institution.replace(piece.to_owned());
            if self.guessed && self.study_type.is_some() {
                self.area = self.area.take().or(guess);
            } else if self.guessed {
                self.note(guess, true);
            }
            self.guessed = false;
            return After::Institution;
        }
        // `Electrician` beside a school is what was learnt there.
        let first = piece.split(' ').next().unwrap_or_default();
        let is_trade = words::is_position(piece)
            && (!words::is_organisation(piece) || words::is_position(first));
        if is_trade && self.study_type.is_none() && piece.split_whitespace().count() <= 6 {
            self.study_type = Some(piece.to_owned());
            self.told = Told::ByTrade;
            return After::Nothing;
        }
        match after {
            After::Degree if self.area.is_none() => {
                self.area = Some(unled(piece).to_owned());
                self.area_is_guessed = true;
            }
            // `University of California, Berkeley`, but not `University of North Antrim, Coleraine`.
            After::Institution => {
                let named = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
                if let Some(institution) = &mut self.institution
                    && has_campuses(institution)
                    && piece.split_whitespace().count() <= 3
                    && piece.split_whitespace().all(named)
                {
                    *institution = format!("{institution}, {piece}");
                }
            }
            After::Degree | After::Nothing if self.institution.is_none() => {
                self.institution = Some(piece.to_owned());
                self.guessed = true;
            }
            After::Degree | After::Nothing => {
                self.note(Some(piece.to_owned()), false);
            }
        }
        After::Nothing
    }

    /// Keeps the first line of which no word is known.
    fn note(&mut self, text: Option<String>, leads: bool) {
        if self.other.is_none() {
            self.other = text.map(|text| Other { text, leads });
        }
    }

    fn is_only_date(&self) -> bool {
        self.institution.is_none() && self.study_type.is_none()
    }

    fn is_whole(&self) -> bool {
        self.institution.is_some() && self.study_type.is_some() && self.period.is_some()
    }

    /// A line that can be a degree, though no word of it is known, stands above the school.
    fn has_other_degree(&self) -> bool {
        let leads = |other: &Other| other.leads && can_be_degree(&other.text);
        self.period.is_some() && !self.guessed && self.other.as_ref().is_some_and(leads)
    }

    fn clashes(&self, next: &Self) -> bool {
        let firm = |school: &Self| school.institution.is_some() && !school.guessed;
        (firm(self) && firm(next))
            || ((self.study_type.is_some() || self.has_other_degree()) && next.study_type.is_some())
            || (self.period.is_some() && next.period.is_some())
    }

    fn take(&mut self, next: Self) {
        if self.institution.is_none()
            || (self.guessed && next.institution.is_some() && !next.guessed)
        {
            let guess = std::mem::replace(&mut self.institution, next.institution);
            if self.study_type.is_some() && self.area.is_none() {
                self.area = guess;
            } else {
                self.note(guess, true);
            }
            self.guessed = next.guessed;
        } else if next.guessed {
            // Under a degree it is the subject, or a remark; not sure enough to say.
            self.note(next.institution, false);
        }
        self.other = self.other.take().or(next.other);
        if self.study_type.is_none() {
            self.study_type = next.study_type;
            self.told = next.told;
        }
        if self.area.is_none() {
            self.area = next.area;
            self.area_is_guessed = next.area_is_guessed;
        }
        self.period = self.period.take().or(next.period);
    }

    fn written(self, position: usize, findings: &mut Findings) -> Value {
        // Behind a degree stands what was studied, or where.
        let mut school = self;
        // Beside a school stands a degree, known or not.
        if school.study_type.is_none() && !school.guessed && school.institution.is_some() {
            let other = school.other.take().map(|other| other.text);
            school.study_type = other.filter(|other| can_be_degree(other));
            school.told = Told::Guessed;
        }
        if school.institution.is_none() && school.area_is_guessed {
            school.institution = school.area.take();
            school.guessed = true;
        }
        school.put(position, findings)
    }

    fn put(self, position: usize, findings: &mut Findings) -> Value {
        let what = self.institution.as_ref().or(self.study_type.as_ref());
        let what = what.map(|name| format!("“{}”", short(name))).unwrap_or_default();
        let (start, end) = match &self.period {
            Some(period) => findings.dates(period, &what),
            None => (None, None),
        };
        let mut sure = Confidence::High;
        if self.study_type.is_none() && self.institution.is_some() {
            findings.issue(&format!("no degree was found for {what}"));
        }
        if start.is_none() && end.is_none() {
            findings.issue(&format!("no date was found for {what}"));
        }
        if self.institution.is_none() {
            findings.issue(&format!("no school was found for {what}"));
            sure = Confidence::Low;
        } else if self.guessed
            && (self.study_type.is_none() || self.told == Told::ByTrade || self.period.is_none())
        {
            sure = Confidence::Low;
        } else if self.study_type.is_none() || self.period.is_none() {
            sure = Confidence::Medium;
        }
        findings.sure(&format!("education.{position}"), sure);
        // A period stands where it stands.
        let names_are_guessed = self.guessed && sure != Confidence::Low;
        let low = [
            ("institution", names_are_guessed),
            (
                "studyType",
                (names_are_guessed || self.told == Told::Guessed) && self.study_type.is_some(),
            ),
        ];
        for (key, _) in low.into_iter().filter(|(_, is_low)| *is_low) {
            findings.sure(&format!("education.{position}.{key}"), Confidence::Low);
        }
        let mut school = Map::new();
        for (key, value) in [
            ("institution", self.institution),
            ("area", self.area),
            ("studyType", self.study_type),
            ("startDate", start),
            ("endDate", end),
        ] {
            if let Some(value) = value {
                school.insert(key.to_owned(), json!(short(&value)));
            }
        }
        Value::Object(school)
    }
}

/// Whether a university has several campuses, each with the name of its town behind a comma.
fn has_campuses(institution: &str) -> bool {
    const STATES: [&str; 12] = [
        "California",
        "Wisconsin",
        "Illinois",
        "Texas",
        "Massachusetts",
        "North Carolina",
        "Colorado",
        "Minnesota",
        "Nebraska",
        "Tennessee",
        "Maryland",
        "Michigan",
    ];
    institution.strip_prefix("University of ").is_some_and(|state| STATES.contains(&state))
}

/// A few words that begin with a capital.
fn can_be_degree(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
        && text.split_whitespace().count() <= 7
        && !text.contains(|c: char| c.is_ascii_digit())
        && !text.ends_with('.')
}

/// What the piece before was.
#[derive(Debug, Clone, Copy)]
enum After {
    Nothing,
    Degree,
    Institution,
}

/// `First Class`, `mention bien`: how well, not what.
fn is_grade(piece: &str) -> bool {
    const GRADES: [&str; 18] = [
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

/// `Master of Laws (distinction)` without how well it went.
fn without_remark(piece: &str) -> &str {
    let Some((plain, remark)) = piece.strip_suffix(')').and_then(|open| open.rsplit_once(" ("))
    else {
        return piece;
    };
    let first = folded(remark.split(' ').next().unwrap_or_default());
    let done = ["diploma", "behaald", "abgeschlossen", "concluido", "concluida", "obtenu"];
    // `average 1.4`
    let last = remark.rsplit(' ').next().unwrap_or_default();
    let is_mark = last.starts_with(|c: char| c.is_ascii_digit())
        && last.contains([',', '.', '/', '%'])
        && remark.contains(' ');
    let is_remark = is_grade(remark) && !first.starts_with("hon")
        || done.contains(&first.as_str())
        || is_mark
        || remark.starts_with(|c: char| c.is_ascii_digit());
    if is_remark { plain } else { piece }
}

/// `Ensino médio completo` without its last word.
fn finished(piece: &str) -> &str {
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
fn unled(area: &str) -> &str {
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

fn pieces(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for field in fields(line) {
        if place::is_place(field) {
            continue;
        }
        let field = without_place(without_grade(field));
        if let Some((several, subjects)) = subjects(field) {
            found.extend([several.to_owned(), subjects.to_owned()]);
            continue;
        }
        let mut parts = vec![field];
        for separator in [" – ", " — ", " - ", " at ", " from ", ", ", "; ", ": "] {
            parts = parts.into_iter().flat_map(|part| outside(part, separator)).collect();
        }
        let parts = parts.into_iter().flat_map(sentences);
        let marks = |c: char| c.is_whitespace() || "(),;:.–—-|*".contains(c);
        found.extend(parts.map(|part| {
            let open = part.contains('(');
            part.trim_matches(|c| marks(c) && !(open && c == ')')).to_owned()
        }));
    }
    found.retain(|piece| {
        piece.chars().filter(|c| c.is_alphabetic()).count() > 1 && !is_outlook(piece)
    });
    found
}

/// `expected` before a date that is to come.
fn is_outlook(piece: &str) -> bool {
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
    for (at, _) in text.match_indices(separator) {
        let before = &text[..at];
        let is_open = before.matches('(').count() > before.matches(')').count();
        if at >= begin && !(is_open && text[at..].contains(')')) {
            parts.push(&text[begin..at]);
            begin = at + separator.len();
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// `A-levels: Maths, Physics`: degrees that are several, and their subjects, which are one list.
fn subjects(field: &str) -> Option<(&str, &str)> {
    let (several, subjects) = field
        .split_once(": ")
        .or_else(|| field.split_once(" in "))
        .or_else(|| field.split_once(" – "))?;
    let plural = several.split_whitespace().count() <= 2 && several.to_lowercase().ends_with('s');
    let is_list = subjects.contains(", ")
        && !subjects.contains(|c: char| c.is_ascii_digit() || c == '(' || c == '.')
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
pub(super) fn names_degree(line: &str) -> bool {
    pieces(line).iter().any(|piece| degree(piece).is_some())
}

/// `Bachillerato de Humanidades`: the level of a degree, and its subject.
fn led(piece: &str) -> Option<(String, String)> {
    let ends = [" de ", " d'", " d’"]
        .into_iter()
        .flat_map(|link| piece.match_indices(link).map(move |(at, _)| (at, at + link.len())));
    let known = |(at, _): &(usize, usize)| vocabulary().levels.contains(&folded(&piece[..*at]));
    let (at, rest) = ends.filter(known).max()?;
    Some((piece[..at].to_owned(), piece[rest..].to_owned()))
}

/// A word that names a school and no degree: `Technikerschule`, but not `Hauptschulabschluss`.
fn names_school(word: &str) -> bool {
    words::is_school(word) && !vocabulary().long_degrees.contains(&folded(word))
}

/// A degree and perhaps its subject: `MSc in Mathematics`, `Bachelor of Science in Physics`, `B.A. (Hons) History`.
fn degree(piece: &str) -> Option<(String, Option<String>)> {
    // `M. Sc.` is one word.
    let mut letters = piece.chars();
    let is_apart =
        letters.next().is_some_and(char::is_uppercase) && letters.as_str().starts_with(". ");
    let tight = if is_apart { piece.replacen(". ", ".", 1) } else { piece.to_owned() };
    let piece = tight.as_str();
    let words: Vec<&str> = piece.split_whitespace().collect();
    let first = folded(words.first()?).replace(['.', '\''], "");
    let first = first.trim_end_matches([',', ':']);
    let whole = folded(piece);
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
        // `Senior Secondary Certificate`
        let last = folded(words.last()?);
        let is_paper = ["certificate", "diploma", "degree"].contains(&last.as_str());
        return (is_paper && words.len() <= 4).then(|| (piece.to_owned(), None));
    }
    // A school with a degree's word in it: `Master Builders College`; not so `Dipl. Ing. FH`, `High School Diploma`.
    let last = words.last().filter(|word| word.chars().count() > 4);
    let is_whole = vocabulary().long_degrees.contains(&whole);
    let ends = [last, words.first()].into_iter().flatten();
    if long && !is_whole && ends.copied().any(names_school) {
        return None;
    }
    let parted = [" in ", " em ", " en "].iter().find_map(|word| piece.split_once(word));
    if let Some((study, area)) = parted {
        return Some((study.trim().to_owned(), Some(area.trim().to_owned())));
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
