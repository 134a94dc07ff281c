//! The words of résumés, one table per language in `manifests/lexicon/resumes`, and all of them together: people mix
//! languages, and no word here means different things in two of them where it is looked for.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use icu_normalizer::DecomposingNormalizerBorrowed;
use serde::Deserialize;

const SOURCES: [&str; 6] = [
    include_str!("../../../../manifests/lexicon/resumes/de.toml"),
    include_str!("../../../../manifests/lexicon/resumes/en.toml"),
    include_str!("../../../../manifests/lexicon/resumes/es.toml"),
    include_str!("../../../../manifests/lexicon/resumes/fr.toml"),
    include_str!("../../../../manifests/lexicon/resumes/nl.toml"),
    include_str!("../../../../manifests/lexicon/resumes/pt.toml"),
];

/// A test sees to it that every table can be read.
static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let mut vocabulary = Vocabulary::default();
    for table in SOURCES.iter().filter_map(|source| toml_edit::de::from_str(source).ok()) {
        vocabulary.add(&table);
    }
    vocabulary
});

/// Every word that is known.
pub(super) fn vocabulary() -> &'static Vocabulary {
    &VOCABULARY
}

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
    /// Under a heading that no table has.
    Unknown,
    Other,
}

/// What a label of contact data announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Name,
    Email,
    Phone,
    Address,
    Web,
    /// Something that is of no use here, such as a date of birth.
    Other,
}

/// What a label within a role announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoleLabel {
    Title,
    Firm,
    /// A period or a place.
    Other,
}

/// What a label within studies announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StudyLabel {
    Degree,
    Area,
    School,
    /// A period or a place.
    Other,
}

/// Phrases in words and marks, by the first of these, the longest first.
#[derive(Debug, Default)]
pub(super) struct Phrases(HashMap<String, Vec<Vec<String>>>);

impl Phrases {
    fn extend(&mut self, phrases: impl Iterator<Item = Vec<String>>) {
        for phrase in phrases {
            let Some(first) = phrase.first() else { continue };
            self.0.entry(first.clone()).or_default().push(phrase);
        }
        for phrases in self.0.values_mut() {
            phrases.sort_by_key(|phrase| Reverse(phrase.len()));
        }
    }

    pub(super) fn beginning_with(&self, first: &str) -> &[Vec<String>] {
        self.0.get(first).map_or(&[], Vec::as_slice)
    }
}

/// All words, as [`folded`] has them.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    /// Names of the whole document.
    pub(super) titles: HashSet<String>,
    pub(super) headings: HashMap<String, Section>,
    pub(super) fillers: HashSet<String>,
    /// Ends of words that tell what a heading is about which is not listed.
    pub(super) heading_words: Vec<(String, Section)>,
    pub(super) other_stems: Vec<String>,
    /// What headings begin with that are phrases: `Where I have worked`.
    pub(super) asking: HashSet<String>,
    /// What such headings say was done, and what they are about.
    pub(super) told_verbs: HashMap<String, Section>,
    /// What people say of themselves above their skills: `What I can do`.
    pub(super) skills_verbs: HashSet<String>,
    /// How well somebody can do something.
    pub(super) skill_levels: HashSet<String>,
    /// What people call kinds of their skills.
    pub(super) skill_kinds: HashSet<String>,
    /// Languages that people speak.
    pub(super) languages: HashSet<String>,
    /// Beginnings of headings about languages, spoken or not.
    pub(super) language_stems: Vec<String>,
    /// Beginnings of words that name what stands beside skills and is none.
    pub(super) beside_stems: Vec<String>,
    /// Labels of forms.
    pub(super) forms: FormLabels,
    /// Heads of the columns of a table.
    pub(super) columns: HashSet<String>,
    /// Articles and prepositions: a line that ends with one is broken off there.
    pub(super) linking: HashSet<String>,
    /// From 1.
    pub(super) months: HashMap<String, u8>,
    pub(super) seasons: HashSet<String>,
    pub(super) present: Phrases,
    pub(super) since: Phrases,
    pub(super) from: Phrases,
    pub(super) between: Phrases,
    pub(super) onwards: Phrases,
    /// What may stand between a month and its year.
    pub(super) of: HashSet<String>,
    pub(super) labels: HashMap<String, Label>,
    pub(super) long_degrees: Vec<String>,
    pub(super) short_degrees: HashSet<String>,
    /// Degrees after which `de` leads to the subject.
    pub(super) levels: HashSet<String>,
    /// Courses that are called like the schools that give them.
    pub(super) courses: HashSet<String>,
    /// Examinations at the end of studies.
    pub(super) exams: HashSet<String>,
    pub(super) notes: HashSet<String>,
    pub(super) role_labels: HashMap<String, RoleLabel>,
    pub(super) study_labels: HashMap<String, StudyLabel>,
    /// What leads from a degree to some of its subjects.
    pub(super) including: Vec<String>,
    /// Beginnings of what is said of a term at another school.
    pub(super) exchanges: Vec<String>,
    /// Words for whom somebody teaches, or for a grade of the pay, beside a number.
    pub(super) classes: HashSet<String>,
    /// Letters behind the name of a job, as it is registered.
    pub(super) letters: HashSet<String>,
    /// How much or how somebody worked.
    pub(super) terms: HashSet<String>,
    /// What stands where a role would, and is none.
    pub(super) breaks: HashSet<String>,
    /// Words for somebody's own business.
    pub(super) own: HashSet<String>,
    pub(super) departments: HashSet<String>,
    /// What stands before a name and is no part of it, without dots.
    pub(super) courtesies: HashSet<String>,
    /// Degrees and offices before a name, without dots.
    pub(super) honours: HashSet<String>,
    pub(super) positions: HashSet<String>,
    /// Names of jobs that are several words: the others by the first one.
    pub(super) position_phrases: HashMap<String, Vec<Vec<String>>>,
    pub(super) position_ends: Vec<String>,
    pub(super) employers: HashSet<String>,
    pub(super) employer_ends: Vec<String>,
    pub(super) schools: HashSet<String>,
    pub(super) school_stems: Vec<String>,
    /// Names of kinds of schools that are several words.
    pub(super) school_phrases: Vec<Vec<String>>,
    pub(super) school_ends: Vec<String>,
}

impl Vocabulary {
    fn add(&mut self, table: &Table) {
        let Table { titles, headings, dates, labels, degrees, notes, .. } = table;
        let Table { roles, names, positions, employers, schools, .. } = table;
        self.titles.extend(list(titles));
        self.fillers.extend(list(&headings.fillers));
        for (words, section) in [
            (&headings.contact, Section::Contact),
            (&headings.work, Section::Work),
            (&headings.volunteer, Section::Volunteer),
            (&headings.education, Section::Education),
            (&headings.skills, Section::Skills),
            (&headings.references, Section::References),
            (&headings.other, Section::Other),
        ] {
            for heading in list(words) {
                let words: Vec<&str> = parts(&heading).collect();
                self.headings.entry(words.join(" ")).or_insert(section);
            }
        }
        self.add_unlisted(headings, table);
        for (month, forms) in (1..).zip(dates.months.split(',')) {
            self.months.extend(forms.split_whitespace().map(|form| (folded(form), month)));
        }
        self.seasons.extend(list(&dates.seasons));
        self.of.extend(list(&dates.of));
        for (phrases, text) in [
            (&mut self.present, &dates.present),
            (&mut self.since, &dates.since),
            (&mut self.from, &dates.from),
            (&mut self.between, &dates.between),
            (&mut self.onwards, &dates.onwards),
        ] {
            phrases.extend(list(text).map(|phrase| tokens(&phrase)));
        }
        for (words, label) in [
            (&labels.name, Label::Name),
            (&labels.email, Label::Email),
            (&labels.phone, Label::Phone),
            (&labels.address, Label::Address),
            (&labels.web, Label::Web),
            (&labels.other, Label::Other),
        ] {
            for word in list(words) {
                self.labels.entry(word).or_insert(label);
            }
        }
        self.long_degrees.extend(list(&degrees.long));
        self.short_degrees.extend(list(&degrees.short));
        self.levels.extend(list(&degrees.levels));
        self.courses.extend(list(&degrees.courses));
        self.exams.extend(list(&degrees.exams));
        self.notes.extend(list(&notes.words));
        self.add_roles(roles, names);
        self.add_studies(&table.studies);
        self.add_positions(positions);
        self.employers.extend(list(&employers.words));
        self.employer_ends.extend(list(&employers.ends));
        self.add_schools(schools);
    }

    fn add_positions(&mut self, positions: &Endings) {
        let (phrases, words): (Vec<String>, Vec<String>) =
            list(&positions.words).partition(|word| word.contains(' '));
        for phrase in phrases {
            let mut words = tokens(&phrase);
            let first = words.remove(0);
            self.position_phrases.entry(first).or_default().push(words);
        }
        self.positions.extend(words);
        self.position_ends.extend(list(&positions.ends));
    }

    fn add_schools(&mut self, schools: &Schools) {
        self.schools.extend(list(&schools.words));
        self.school_ends.extend(list(&schools.ends));
        let (phrases, stems): (Vec<String>, Vec<String>) =
            list(&schools.stems).partition(|stem| stem.contains(' '));
        self.school_stems.extend(stems);
        let named = list(&schools.words).filter(|name| name.contains(' '));
        self.school_phrases.extend(phrases.into_iter().chain(named).map(|phrase| tokens(&phrase)));
    }

    fn add_unlisted(&mut self, headings: &Headings, table: &Table) {
        for (words, section) in [
            (&headings.skills_words, Section::Skills),
            (&headings.education_words, Section::Education),
            (&headings.work_words, Section::Work),
        ] {
            self.heading_words.extend(list(words).map(|word| (word, section)));
        }
        self.other_stems.extend(list(&headings.other_stems));
        self.asking.extend(list(&headings.asking));
        for (verbs, section) in
            [(&headings.education_verbs, Section::Education), (&headings.work_verbs, Section::Work)]
        {
            self.told_verbs.extend(list(verbs).map(|verb| (verb, section)));
        }
        self.skills_verbs.extend(list(&headings.skills_verbs));
        self.skill_levels.extend(list(&table.skills.levels));
        self.skill_kinds.extend(list(&table.skills.kinds));
        self.languages.extend(list(&table.skills.languages));
        self.language_stems.extend(list(&table.skills.language_stems));
        self.beside_stems.extend(list(&table.skills.beside_stems));
        self.forms.labels.extend(list(&table.forms.labels));
        self.forms.items.extend(list(&table.forms.items));
        self.forms.tails.extend(list(&table.forms.tails));
        self.linking.extend(list(&table.linking));
        self.columns.extend(list(&table.columns));
    }

    fn add_roles(&mut self, roles: &Roles, names: &Names) {
        for (words, label) in [
            (&roles.title, RoleLabel::Title),
            (&roles.firm, RoleLabel::Firm),
            (&roles.other, RoleLabel::Other),
        ] {
            for word in list(words) {
                self.role_labels.entry(word).or_insert(label);
            }
        }
        let spaced = |text: &String| parts(text).collect::<Vec<_>>().join(" ");
        self.terms.extend(list(&roles.terms).map(|term| spaced(&term)));
        self.breaks.extend(list(&roles.breaks).map(|name| spaced(&name)));
        self.own.extend(list(&roles.own).map(|name| spaced(&name)));
        self.departments.extend(list(&roles.departments));
        self.letters.extend(list(&roles.letters));
        self.classes.extend(list(&roles.classes));
        self.courtesies.extend(list(&names.courtesies));
        self.honours.extend(list(&names.honours));
    }

    fn add_studies(&mut self, studies: &Studies) {
        for (words, label) in [
            (&studies.degree, StudyLabel::Degree),
            (&studies.area, StudyLabel::Area),
            (&studies.school, StudyLabel::School),
            (&studies.other, StudyLabel::Other),
        ] {
            for word in list(words) {
                self.study_labels.entry(word).or_insert(label);
            }
        }
        self.including.extend(list(&studies.including));
        self.exchanges.extend(list(&studies.exchanges));
    }
}

/// Labels of forms for résumés, by what stands behind them.
#[derive(Debug, Default)]
pub(super) struct FormLabels {
    /// A role, a school or a period.
    pub(super) labels: HashSet<String>,
    /// What is said of it.
    pub(super) items: HashSet<String>,
    /// Ends of labels that go on in the next line.
    pub(super) tails: HashSet<String>,
}

/// One language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    titles: String,
    linking: String,
    columns: String,
    headings: Headings,
    dates: Dates,
    labels: Labels,
    degrees: Degrees,
    notes: Words,
    roles: Roles,
    studies: Studies,
    names: Names,
    skills: Skills,
    forms: Forms,
    positions: Endings,
    employers: Endings,
    schools: Schools,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Headings {
    contact: String,
    work: String,
    volunteer: String,
    education: String,
    skills: String,
    references: String,
    other: String,
    fillers: String,
    work_words: String,
    education_words: String,
    skills_words: String,
    skills_verbs: String,
    asking: String,
    work_verbs: String,
    education_verbs: String,
    other_stems: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dates {
    months: String,
    seasons: String,
    present: String,
    since: String,
    from: String,
    between: String,
    onwards: String,
    of: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Labels {
    name: String,
    email: String,
    phone: String,
    address: String,
    web: String,
    other: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Degrees {
    long: String,
    short: String,
    levels: String,
    courses: String,
    exams: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Roles {
    title: String,
    firm: String,
    other: String,
    terms: String,
    breaks: String,
    own: String,
    departments: String,
    letters: String,
    classes: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Studies {
    degree: String,
    area: String,
    school: String,
    other: String,
    including: String,
    exchanges: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    courtesies: String,
    honours: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Skills {
    levels: String,
    kinds: String,
    languages: String,
    language_stems: String,
    beside_stems: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Forms {
    labels: String,
    items: String,
    tails: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    words: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Endings {
    words: String,
    ends: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Schools {
    words: String,
    stems: String,
    ends: String,
}

/// The words of a folded text, apart at every mark but apostrophes.
pub(super) fn parts(folded: &str) -> impl Iterator<Item = &str> {
    let words = folded.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| !word.is_empty())
}

fn list(text: &str) -> impl Iterator<Item = String> {
    text.split(',').map(|word| folded(word.trim())).filter(|word| !word.is_empty())
}

/// Words and marks of a phrase, one by one.
fn tokens(phrase: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for c in phrase.chars() {
        match tokens.last_mut() {
            Some(last) if c.is_alphanumeric() && last.chars().all(char::is_alphanumeric) => {
                last.push(c);
            }
            _ if c.is_whitespace() => tokens.push(String::new()),
            _ => tokens.push(c.to_string()),
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// Small letters without accents, one kind of apostrophe and of hyphen.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower = text.to_lowercase();
    let apart = DecomposingNormalizerBorrowed::new_nfd().normalize(&lower);
    let mut folded = String::with_capacity(apart.len());
    for c in apart.chars() {
        match c {
            '\u{300}'..='\u{36f}' => {}
            '’' | '‘' | 'ʼ' => folded.push('\''),
            '‐' | '‑' => folded.push('-'),
            'ß' => folded.push_str("ss"),
            'œ' => folded.push_str("oe"),
            'æ' => folded.push_str("ae"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            c => folded.push(c),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn every_table_can_be_read_and_has_twelve_months() {
        for source in SOURCES {
            let table: Table = toml_edit::de::from_str(source).unwrap();
            assert_eq!(table.dates.months.split(',').count(), 12, "{}", table.titles);
        }
        assert_eq!(vocabulary().months["marz"], 3);
    }

    #[test]
    fn text_is_compared_without_capitals_and_accents() {
        assert_eq!(
            folded("AUJOURD’HUI, Straße, Œuvre, ação"),
            "aujourd'hui, strasse, oeuvre, acao"
        );
    }

    #[test]
    fn titles_may_stand_behind_their_relation_to_the_firm() {
        let text = "## Ada Byron\n\n### Identificação\nEndereço\tRua Nula, 5, 86010-210 Nulina, PR\n\n\
                    ### Atuação profissional\nCooperativa Nula, Nulina\n2017 - Atual\tVínculo: Nulheiro\n\n\
                    Sementes Nulas Ltda., Nulina\n2011 - 2017\tVínculo: Agrônomo\n\n### Idiomas\nInglês\tbom";
        let draft = draft(text);
        assert_eq!(draft.applicant_profile["basics"]["location"]["city"], "Nulina");
        let work = &draft.skeleton_timeline["work"];
        assert_eq!([&work[0]["position"], &work[1]["position"]], ["Nulheiro", "Agrônomo"]);
    }
}
