//! Schools: institutions, degrees and subjects, with or without dates.

mod broken;
mod columns;
mod degrees;
mod doubts;
mod exchanges;
mod forms;
mod remarks;
mod rows;
mod starts;
mod unmarked;

use serde_json::{Map, Value, json};

use super::{
    Confidence, Findings, SCHOOLS_MISSING,
    dates::{self, Period},
    doubt,
    lines::{Line, lead},
    place, short,
    vocabulary::{folded, vocabulary},
    words,
};

use broken::unbroken;
use degrees::{degree, finished, is_course, is_outlook, parted, pieces, unled, without_remark};
pub(super) use degrees::{is_grade, names_degree};

/// Most schools that are drafted.
const SCHOOLS_MAX: usize = 30;

/// Reads the schools of sections. An entry ends where the next line says something of a kind that it has already.
pub(super) fn read(sections: &[&[Line]], findings: &mut Findings) -> Vec<Value> {
    let mut schools: Vec<School> = Vec::new();
    for lines in sections {
        let mut current = School::default();
        let lead = lead(lines);
        let lines = columns::without_towns(&forms::unlabelled(lines));
        let lines = unbroken(&rows::joined(&exchanges::without_exchanges(&lines)));
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| !is_note(line)) {
            let next = lines.get(at + 1).filter(|next| !next.after_gap);
            if remarks::is_exam(line, next) && current.study_type.is_some() {
                continue;
            }
            let Some(seen) = current.seen_in(line) else { continue };
            let leads = lead == Some(line.level) && current.period.is_some();
            let begins = line.level > 0 && current.is_whole() && seen.period.is_none() || leads;
            let begins = begins || current.is_whole() && starts::begins(&current, line, next);
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
    if drop_trainings(&mut schools) {
        findings.issue("short courses beside the schools were left out");
    }
    if doubts::count_periods(sections) > schools.len() {
        findings.issue(SCHOOLS_MISSING);
    }
    schools.truncate(SCHOOLS_MAX);
    let (halves, is_shifted) = (halves(&schools), are_shifted(&schools));
    let orders: Vec<Option<bool>> = schools.iter().map(|school| school.degree_first).collect();
    let doubtful: Vec<bool> = halves
        .into_iter()
        .zip(doubt::odd_ones(&orders))
        .map(|(is_half, is_odd)| is_half || is_odd || is_shifted)
        .collect();
    let names = schools.iter().filter_map(|school| school.institution.clone()).collect();
    let in_towns = findings.end_in_towns || doubt::end_in_towns(names);
    let mut written = Vec::new();
    for (school, is_doubtful) in schools.into_iter().zip(doubtful) {
        let path = format!("education.{}", written.len());
        written.push(school.written(written.len(), findings));
        if is_doubtful {
            findings.sure(&path, Confidence::Low);
        }
        if in_towns && written.last().is_some_and(|school| school.get("institution").is_some()) {
            findings.sure(&format!("{path}.institution"), Confidence::Low);
        }
    }
    written
}

/// Leaves out what is no more than a name and the day of it, `First Aid, 2019`, where others have both school and degree:
/// a course of some days stands beside the studies. Whether there was any.
fn drop_trainings(schools: &mut Vec<School>) -> bool {
    let all = schools.len();
    let is_training = |school: &School| {
        school.guessed
            && school.study_type.is_none()
            && school.period.as_ref().is_some_and(|period| period.start.is_none())
    };
    if schools.iter().any(|school| school.is_whole() && !school.guessed) {
        schools.retain(|school| !is_training(school));
    }
    schools.len() < all
}

/// Fewest entries that show that what they lack was put to another one.
const SHIFTED_MIN: usize = 3;

/// Whether every name may stand with the degree of the entry below it: the first one has no degree, and the last nothing
/// but a name.
fn are_shifted(schools: &[School]) -> bool {
    let [first, .., last] = schools else { return false };
    schools.len() >= SHIFTED_MIN
        && first.study_type.is_none()
        && first.period.is_some()
        && last.study_type.is_none()
        && last.period.is_none()
}

/// Which entries may be one that was taken for two: what one of them lacks, only the one beside it has.
fn halves(schools: &[School]) -> Vec<bool> {
    let mut halves = vec![false; schools.len()];
    for (at, pair) in schools.windows(2).enumerate() {
        let lacks = |school: &School| {
            [school.institution.is_none(), school.study_type.is_none(), school.period.is_none()]
        };
        let (one, other) = (lacks(&pair[0]), lacks(&pair[1]));
        let fit = one.iter().zip(other).all(|(one, other)| !(*one && other));
        if fit && one.contains(&true) && other.contains(&true) {
            halves[at..=at + 1].fill(true);
        }
    }
    halves
}

/// Lines about the studies rather than naming them.
fn is_note(line: &Line) -> bool {
    let label = line.text.split([':', ' ']).next().unwrap_or_default();
    // `Tech Forward Academy` is called so.
    let is_name = words::is_school(&line.text)
        && !line.text.contains(':')
        && line.text.split_whitespace().all(|word| word.starts_with(char::is_uppercase));
    // `Mission Hill College – Bachelor in Physics`
    let is_name = is_name
        || !line.text.contains(':') && words::is_school(&line.text) && names_degree(&line.text);
    // `Abschluss: Realschulabschluss` names it.
    let is_name = is_name || line.text.split_once(": ").is_some_and(|(_, said)| names_degree(said));
    let is_label = !is_name && (vocabulary().notes.contains(&folded(label)) || is_outlook(label));
    let noted =
        is_label && !line.text.contains('\t') || vocabulary().notes.contains(&folded(&line.text));
    let named = words::is_school(&line.text) || names_degree(&line.text);
    let dated = dates::find(&line.text).is_some();
    // `Upper second; a term abroad` is said of a degree.
    let graded = line.bullet && !dated && pieces(&line.text).first().is_some_and(|it| is_grade(it));
    noted
        || graded
        || !dated && remarks::lists_grades(&line.text)
        || remarks::is_placement(&line.text)
        || remarks::is_thesis(&line.text)
        || line.is_prose() && !(named && dated) && !remarks::is_name(&line.text)
        || (line.bullet && !named)
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
    /// Whether the degree stands before the school.
    degree_first: Option<bool>,
}

impl School {
    /// What a line below this entry says, unless it is a remark on it.
    fn seen_in(&self, line: &Line) -> Option<Self> {
        let Some(name) = remarks::behind_kind(&line.text) else {
            let mut seen = Self::of(&line.text);
            let lacks_school = self.study_type.is_some() && self.institution.is_none();
            let is_open = seen.institution.is_none() || seen.guessed;
            if lacks_school
                && is_open
                && seen.period.is_none()
                && let Some(name) = seen.study_type.take_if(|name| remarks::is_named_kind(name))
            {
                seen.institution = Some(name);
                seen.guessed = false;
            }
            let is_again = seen.period.is_none()
                && (seen.institution.is_none() || seen.guessed)
                && remarks::counts_again(self.study_type.as_deref(), seen.study_type.as_deref());
            return (!is_again).then_some(seen);
        };
        // `Berufsschule: …` below an apprenticeship says where else it was learnt.
        (!self.is_whole()).then(|| Self::of(name))
    }

    fn of(line: &str) -> Self {
        let mut school = Self { period: dates::find(line), ..Self::default() };
        let rest = match &school.period {
            Some(period) => {
                let (before, after) = (&line[..period.at.start], &line[period.at.end..]);
                // `2007 – 2012, Smallville` says where.
                let after = if remarks::is_town(before, after) { "" } else { after };
                format!("{before}\t{after}")
            }
            None => line.to_owned(),
        };
        let mut after = After::Nothing;
        for piece in pieces(&rest) {
            let piece = remarks::without_exam(&piece);
            if school.institution.is_none() && remarks::is_placed_kind(&rest, piece) {
                school.take_school(piece);
                after = After::Institution;
            } else {
                after = school.read(piece, after);
            }
            school.see_order();
        }
        if let Some(name) = school.institution.as_mut().filter(|_| !school.guessed)
            && let Some(town) = remarks::town_twice(&rest, name)
        {
            *name = format!("{name}, {town}");
        }
        school
    }

    /// Takes one piece in; what it was decides what the next one may be.
    fn read(&mut self, piece: &str, after: After) -> After {
        if place::is_place(piece) || is_grade(piece) || remarks::is_term(piece) {
            return After::Nothing;
        }
        // `Preparatoria Héroes de Puebla` is a school of that kind.
        let is_named = piece.split(' ').count() > 2 && remarks::is_named_kind(piece);
        let known = || degree(finished(without_remark(piece))).filter(|_| !is_named);
        let course = || is_course(piece).then(|| (piece.to_owned(), None));
        if self.study_type.is_none()
            && let Some((study_type, area)) = known().or_else(course)
        {
            // `Apprenticeship as a fitter` says what was learnt.
            // `NVQ Level 3` does not.
            let is_level = study_type.ends_with(|c: char| c.is_ascii_digit());
            let is_long = study_type.split_whitespace().count() > 2
                && !study_type.contains(" of ")
                && !is_level
                && !unmarked::is_level(&study_type);
            let done = area.is_some() || is_long;
            self.study_type = Some(study_type);
            self.area_is_guessed = parted(piece).is_some_and(|(.., mark)| mark != ": ");
            self.area = self.area.take().or_else(|| area.map(|area| unled(&area).to_owned()));
            return if done { After::Nothing } else { After::Degree };
        }
        if words::is_school(piece) && self.is_stage_of(piece) {
            self.study_type = self.institution.take();
        }
        if after == After::Degree && self.take_subject(piece) {
            return After::Institution;
        }
        let is_school = is_named || words::is_school(piece) || remarks::is_numbered(piece);
        if is_school && (self.institution.is_none() || self.guessed) {
            self.take_school(piece);
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
            After::Institution => self.take_campus(piece),
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

    /// Takes the town of a campus in, as a part of the name of its university.
    fn take_campus(&mut self, piece: &str) {
        let named = |word: &str| word.starts_with(char::is_uppercase);
        if let Some(institution) = &mut self.institution
            && has_campuses(institution)
            && piece.split_whitespace().count() <= 3
            && piece.split_whitespace().all(named)
        {
            *institution = format!("{institution}, {piece}");
        }
    }

    /// Takes in the subject and the university that no mark parts from each other, if a piece behind a degree is both.
    fn take_subject(&mut self, piece: &str) -> bool {
        let Some((area, school)) = unmarked::subject(piece).filter(|_| self.area.is_none()) else {
            return false;
        };
        self.area = Some(area.to_owned());
        self.area_is_guessed = true;
        self.take_school(school);
        true
    }

    /// Takes the name of a school in, in the place of what was guessed to be one.
    fn take_school(&mut self, piece: &str) {
        // What was taken for the institution was its faculty's or the subject's name.
        let guess = self.institution.replace(piece.to_owned());
        let is_firm = guess.as_deref().is_some_and(remarks::is_firm);
        if self.guessed && self.study_type.is_some() && !is_firm {
            self.area = self.area.take().or(guess);
        } else if self.guessed {
            self.note(guess, true);
        }
        self.institution = self.institution.take().map(|name| without_town(&name).to_owned());
        self.guessed = false;
    }

    /// Whether what was taken for the institution is a kind of school, and the next piece names the school itself:
    /// `Grundschule, Grundschule Nulldorf`, `Sekundarschule, Schulhaus Nulldorf`.
    fn is_stage_of(&self, name: &str) -> bool {
        let is_kind = |kind: &str| {
            kind.contains(char::is_lowercase)
                && !kind.contains(' ')
                && kind.len() < name.len()
                && (name.contains(kind) || remarks::is_first_stage(kind))
        };
        self.study_type.is_none()
            && !self.guessed
            && self.institution.as_deref().is_some_and(is_kind)
    }

    /// Keeps the first line of which no word is known.
    fn note(&mut self, text: Option<String>, leads: bool) {
        if self.other.is_none() {
            self.other = text.map(|text| Other { text, leads });
        }
    }

    /// Notes which of degree and school is there first.
    fn see_order(&mut self) {
        let seen = match (self.study_type.is_some(), self.institution.is_some()) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
        self.degree_first = self.degree_first.or(seen);
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
        let is_stage = next.institution.as_deref().is_some_and(|name| self.is_stage_of(name));
        (firm(self) && firm(next) && !is_stage)
            || ((self.study_type.is_some() || self.has_other_degree()) && next.study_type.is_some())
            || (self.period.is_some() && next.period.is_some())
    }

    fn take(&mut self, next: Self) {
        if next.institution.as_deref().is_some_and(|name| self.is_stage_of(name)) {
            self.study_type = self.institution.take();
        }
        if self.institution.is_none()
            || (self.guessed && next.institution.is_some() && !next.guessed)
        {
            let guess = std::mem::replace(&mut self.institution, next.institution);
            let is_firm = guess.as_deref().is_some_and(remarks::is_firm);
            if self.study_type.is_some() && self.area.is_none() && !is_firm {
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
        self.degree_first = self.degree_first.or(next.degree_first);
        self.see_order();
    }

    fn written(self, position: usize, findings: &mut Findings) -> Value {
        // Behind a degree stands what was studied, or where.
        let mut school = self;
        let bare = school.institution.as_deref().and_then(remarks::before_town);
        if let Some(bare) = bare.filter(|_| school.guessed).map(str::to_owned) {
            school.institution = Some(bare);
        }
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
        doubts::note(&self, (&what, start.is_some() || end.is_some()), position, findings);
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

/// The name of a school without the town behind it: `College of Smallville (Bigtown)`, but not `(FH)`.
fn without_town(name: &str) -> &str {
    if let Some(bare) = before_link(name) {
        return bare;
    }
    let Some((before, town)) = name.strip_suffix(')').and_then(|name| name.rsplit_once(" ("))
    else {
        return name;
    };
    let is_name = |word: &str| word.starts_with(char::is_uppercase) || word.len() <= 3;
    let is_town = town.contains(char::is_lowercase)
        && town.split_whitespace().filter(|word| word.len() > 3).count() <= 3
        && town.split_whitespace().all(is_name)
        && town.chars().all(|c| c.is_alphabetic() || " '’-".contains(c))
        && !words::is_school(town);
    if is_town { before } else { name }
}

/// `Hogeschool Noord te Groningen` without its town: what stands behind `te` is one, and behind other words a known one.
fn before_link(name: &str) -> Option<&str> {
    // `Lyceum De Ring te Deventer (profiel Economie)`
    if let Some((bare, _)) = name.strip_suffix(')').and_then(|name| name.split_once(" (")) {
        return before_link(bare);
    }
    let (at, link) = [" te ", " in ", " à ", " en ", " em "]
        .into_iter()
        .filter_map(|link| Some((name.rfind(link)?, link)))
        .max()?;
    let (before, town) = (&name[..at], &name[at + link.len()..]);
    let is_town = link == " te " && town.starts_with(char::is_uppercase) || place::is_known(town);
    // `Universiteit te Groningen` is a whole name.
    let is_stem = |stem: &String| folded(before).starts_with(stem.as_str());
    let is_kind = doubt::is_only_a_kind(before) || vocabulary().school_stems.iter().any(is_stem);
    let is_named = before.contains(' ') || !is_kind;
    let is_whole = is_named && words::is_school(before) && !words::is_school(town);
    (is_town && is_whole && town.split(' ').count() <= 3).then_some(before)
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Nothing,
    Degree,
    Institution,
}

#[cfg(test)]
mod tests {
    use super::{before_link, without_town};
    use crate::ports::artifacts::resume::{Confidence, draft};

    #[test]
    fn a_stage_before_the_name_of_a_school_is_what_was_got_there() {
        for school in [
            "Sekundarschule\nSchulhaus Hagen Null, Nulldorf",
            "Sekundarschule, Schulhaus Hagen Null, Nulldorf",
        ] {
            let text = format!("Ada Byron\n\n## Education\n08/2004 – 07/2007\t{school}\n");
            let school = &draft(&text).education_history["education"][0];
            assert_eq!(school["institution"], "Schulhaus Hagen Null", "{text}");
            assert_eq!(school["studyType"], "Sekundarschule", "{school}");
        }
    }

    #[test]
    fn schools_that_may_stand_with_the_degrees_of_others_are_marked() {
        let entry = "March 2010 to June 2013\nBSc Physics\nUniversity of Leeds\n\n";
        let first = "March 2014 to June 2015\nUniversity extension\nAcademy of Nulla\n\n";
        let text = format!("Ada Byron\n\nEducation\n{first}{entry}{entry}");
        let confidence = draft(&text).confidence;
        assert_eq!(confidence["education.1"], Confidence::Low);
        let confidence = draft(&format!("Ada Byron\n\nEducation\n{entry}{entry}")).confidence;
        assert_eq!(confidence["education.1"], Confidence::High);
    }

    #[test]
    fn a_town_behind_a_preposition_is_no_part_of_a_school() {
        for (name, school) in [
            ("Hogeschool Noord te Groningen", Some("Hogeschool Noord")),
            ("Scholengemeenschap Fivel te Nulstad", Some("Scholengemeenschap Fivel")),
            ("Hanzehogeschool te Groningen", Some("Hanzehogeschool")),
            ("Hogeschool te Groningen", None),
            ("Lyceum De Ring te Deventer (Profiel Economie)", Some("Lyceum De Ring")),
            ("Lycée Rosa Bonheur à Bordeaux", Some("Lycée Rosa Bonheur")),
            ("Universiteit te Groningen", None),
            ("Escuela Superior en Diseño", None),
            ("Institut für Kunst", None),
        ] {
            assert_eq!(before_link(name), school, "{name}");
        }
    }

    #[test]
    fn a_town_in_brackets_may_have_small_words() {
        assert_eq!(without_town("Instituto Nulo (Vila Nova de Nulo)"), "Instituto Nulo");
    }
}
