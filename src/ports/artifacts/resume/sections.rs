//! The sections of a résumé, by their headings.

mod asides;
mod cards;
mod closing;
mod columns;
mod kinds;
mod numbers;
mod phrases;
mod titles;
mod torn;

use super::{
    dates,
    lines::{FRAMED, Line, dated, under_periods},
    place, schools,
    vocabulary::{Section, folded, parts as words_of, vocabulary},
    words,
};

/// A section with its lines, without the heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) section: Section,
    pub(super) lines: Vec<Line>,
    /// Its heading may be a kind of the skills above it.
    pub(super) may_be_skills: bool,
}

impl Part {
    /// A section of which nothing is doubtful.
    pub(super) fn new(section: Section, lines: Vec<Line>) -> Self {
        Self { section, lines, may_be_skills: false }
    }
}

/// Parts the lines at the headings.
pub(super) fn parts(lines: &[Line]) -> Vec<Part> {
    let mut parts = vec![Part::new(Section::Contact, Vec::new())];
    let lines = &numbers::unnumbered(lines);
    let lines =
        under_periods(dated(columns::beside(columns::unzipped(columns::untorn(lines)))), |text| {
            section_of(text).is_some()
        });
    let lines = titles::unmarked(numbers::without_roman(lines));
    let (levels, loud) = (levels(&lines), has_loud_headings(&lines));
    let codes = kinds::heads_codes(&lines);
    let are_apart = asides::are_apart(&lines);
    let mut marks = Marks { levels, loud, are_apart, above: 0, kinds: None, aside: None, codes };
    let mut lines = lines.into_iter().peekable();
    let mut in_items = false;
    while let Some(mut line) = lines.next() {
        // Headings that are set as items of a list, as some programs do when they change formats.
        if line.bullet && heading_of(&line.text).is_some() {
            // `Health and safety` as the last item of a list heads nothing.
            let heads = |next: &Line| next.level > 0 || heading(next).is_some();
            in_items |= lines.peek().is_some_and(|next| !next.bullet && !heads(next));
            line.bullet = !in_items;
        }
        if let Some(whole) = lines.peek().and_then(|next| narrow_heading(&line, next)) {
            line.text = whole;
            lines.next();
        }
        if kinds::goes_back(&parts, &line, lines.peek(), &marks) {
            marks.aside = None;
            parts.push(Part::new(Section::Skills, vec![line]));
            continue;
        }
        let Some((section, rest)) = opened(&parts, &line, lines.peek(), &marks) else {
            if let Some(part) = parts.last_mut() {
                part.lines.push(line);
            }
            continue;
        };
        marks.enter(&parts, &line, section);
        let may_be_skills = kinds::may_hold_skills(&parts, &line, section, &marks);
        let lines = rest.map(|text| Line { text, ..line }).into_iter().collect();
        parts.push(Part { section, lines, may_be_skills });
    }
    let mut parts = cards::put_back(torn::mended(parts));
    for part in &mut parts {
        if matches!(part.section, Section::Work | Section::Volunteer | Section::Education) {
            part.lines = closing::opening(numbers::without(std::mem::take(&mut part.lines)));
        }
        if part.section == Section::Skills {
            part.lines = numbers::without(std::mem::take(&mut part.lines));
        }
    }
    parts
}

/// How headings look here.
#[derive(Debug)]
struct Marks {
    levels: Vec<usize>,
    loud: bool,
    /// An empty line stands above every one.
    are_apart: bool,
    /// The level of the heading that the lines stand under.
    above: usize,
    /// The level of a kind of skills that is called like a heading of skills, right under another one.
    kinds: Option<usize>,
    /// The level of a heading among skills that looks otherwise than headings do here, and whether it is set off.
    aside: Option<(usize, bool)>,
    /// The heading of languages that nobody speaks and the first of them, where others that people speak have their own.
    codes: Option<[Line; 2]>,
}

impl Marks {
    /// Goes on under the heading of a section, which the parts above are followed by.
    fn enter(&mut self, parts: &[Part], line: &Line, section: Section) {
        let skills = parts.last().filter(|part| part.section == Section::Skills);
        let is_kind =
            section == Section::Skills && skills.is_some_and(|part| part.lines.is_empty());
        let goes_on = section == Section::Skills && skills.is_some();
        let known = self.kinds.filter(|level| goes_on && *level == line.level);
        self.kinds = is_kind.then_some(line.level).or(known);
        let is_aside = skills.is_some() && kinds::is_undressed(line, self);
        self.aside = is_aside.then_some((line.level, line.after_gap));
        self.above = line.level;
    }
}

/// A heading on two lines of a narrow column.
fn narrow_heading(line: &Line, next: &Line) -> Option<String> {
    // `Technical` in small type below `Key Skills` is a kind of them.
    let is_narrow = !next.after_gap
        && (line.level == 0 || line.level == next.level)
        && line.text.split_whitespace().count() <= 3
        && next.text.split_whitespace().count() <= 2
        && !line.bullet
        && !next.bullet;
    let whole = format!("{} {}", line.text, next.text);
    // What may be joined to a heading is not joined to one that has its second half: `Skills and Tools` above `Welding`.
    let is_full = section_of(&line.text).is_some() && !hangs(&line.text);
    let is_heading = if is_full { heading_of(&whole) } else { section_of(&whole) };
    let is_one = is_narrow
        && is_heading.is_some()
        && (section_of(&line.text).is_none()
            || section_of(&next.text).is_none()
            || hangs(&line.text));
    is_one.then_some(whole)
}

/// Whether a heading goes on in the next line: `Education and`.
fn hangs(heading: &str) -> bool {
    JOINTS.iter().any(|joint| folded(heading).ends_with(joint.trim_end()))
}

/// The section that a line opens under the parts above it, and what stands in the same line.
fn opened(
    parts: &[Part],
    line: &Line,
    next: Option<&Line>,
    marks: &Marks,
) -> Option<(Section, Option<String>)> {
    let part = parts.last()?;
    let within = part.section;
    // `RESUME` above the name is no summary.
    if parts.len() == 1
        && part.lines.is_empty()
        && vocabulary().titles.contains(&folded(&line.text))
    {
        return None;
    }
    let is_note = matches!(within, Section::Work | Section::Volunteer) && notes(line);
    // `Profile` above an address is its label.
    let labels = line.level == 0
        && section_of(&line.text) != Some(Section::Contact)
        && next.is_some_and(|next| is_address(&next.text));
    let speaks_here = within == Section::Skills && kinds::is_spoken(line, next);
    let lists_beside = within == Section::Skills && kinds::lists_beside(line);
    let is_row = !speaks_here && !lists_beside && is_row(line, marks);
    // `Ausbildung Gesundheitspflege` among schools is a degree.
    let is_degree = within == Section::Education
        && section_of(&line.text).is_none()
        && schools::names_degree(&line.text);
    let is_item = !speaks_here
        && (is_like_items(part, line, marks) || kinds::is_kind(part, line, next, marks));
    // `Associate of Arts in General` above `Studies`
    let goes_on = within == Section::Education
        && !line.after_gap
        && kinds::is_undressed(line, marks)
        && part.lines.last().is_some_and(|last| schools::names_degree(&last.text))
        && section_of(&line.text) == Some(Section::Education);
    // A kind that nobody knows may stand between those of the skills.
    let is_among = matches!(within, Section::Skills | Section::Unknown);
    let is_kind = within == Section::Skills && is_further_kind(line, marks)
        || is_among && kinds::goes_on_small(line, next, marks);
    if is_kind && !speaks_here || kinds::is_of_codes(line, next, marks) {
        return Some((Section::Skills, None));
    }
    // `Mother tongue    Spanish` is no heading, and no skill.
    let heading =
        heading(line).or_else(|| speaks_here.then(|| (Section::Other, beside_label(line))));
    let is_of_entry = asides::is_aside(part, line, marks) || asides::is_lettered_degree(part, line);
    let is_something_else =
        goes_on || is_note || labels || is_row || is_degree || is_item || is_of_entry;
    let heading = heading.filter(|_| !is_something_else);
    // Under the last item of a role and above the first period of the section.
    let ends_items = part.lines.last().is_some_and(|last| last.bullet) && !line.bullet;
    let between = || {
        let section = (ends_items && begins_with_period(next?)).then(|| unlisted(&line.text))?;
        Some((section?, None))
    };
    // The name stands first, and a heading of two lines is one.
    let is_open = part.lines.len() < if parts.len() == 1 { HEAD_MIN } else { 1 };
    // `##### A Levels` in the type of the headings.
    let is_degree_set_large = within == Section::Education && schools::names_degree(&line.text);
    let is_marked = || {
        // `#### ada@example.org` is set like a heading.
        !is_address(&line.text)
            && !is_degree_set_large
            && (marks.levels.contains(&line.level) && !names_entry(part, line)
                || marks.loud && (line.after_gap || ends_items) && is_loud_heading(line, within)
                || marks.loud && parts.len() > 1 && is_loud_below_contact(part, line, next)
                || within == Section::Skills && !is_item && ends_list(part, line, next))
    };
    heading
        .or_else(between)
        .or_else(|| (!is_open && is_marked()).then_some((Section::Unknown, None)))
}

/// Where headings are marked, `Education    Coaching` right under another line is a label and what it labels.
fn is_row(line: &Line, marks: &Marks) -> bool {
    !marks.levels.is_empty()
        && line.level == 0
        && !line.after_gap
        && line.text.contains('\t')
        && !line.text.contains(':')
}

/// What stands behind a label in its line.
fn beside_label(line: &Line) -> Option<String> {
    line.text.split_once([':', '\t']).map(|(_, rest)| rest.trim().to_owned())
}

/// Whether a line is set exactly as the items above it, and not as the headings are: `Workshops` among skills, the title
/// `Internship` among roles.
fn is_like_items(part: &Part, line: &Line, marks: &Marks) -> bool {
    if part.section == Section::Skills && columns::goes_on_in_columns(&part.lines, line) {
        return true;
    }
    let is_within = matches!(part.section, Section::Work | Section::Volunteer);
    let is_plain = line.level == 0 && !line.after_gap && !is_loud(&line.text);
    // `Trainer` between roles whose sections have headings in capitals or larger type, or right under the firm.
    let is_under_firm = || {
        part.lines.last().is_some_and(|last| {
            dates::find(&last.text).is_some_and(|period| period.start.is_some())
                && !words::is_position(&last.text)
        })
    };
    if is_within
        && is_plain
        && words::is_position(&line.text)
        && (marks.loud || !marks.levels.is_empty() || is_under_firm())
    {
        return true;
    }
    if marks.levels.is_empty() || marks.levels.contains(&line.level) {
        return false;
    }
    let is_alike = |other: &&Line| {
        (other.level, other.bullet, other.after_gap) == (line.level, line.bullet, line.after_gap)
    };
    let alike = part.lines.iter().filter(is_alike).count();
    // The first one stands right under the heading.
    let first = part.lines.first().filter(|first| {
        !first.after_gap && (first.level, first.bullet) == (line.level, line.bullet)
    });
    let all = part.lines.len() - usize::from(line.after_gap && first.is_some());
    match part.section {
        Section::Skills => {
            let is_one = line.fields().len() == 1 || kinds::is_pair_below_pairs(part, line);
            alike > 1 && alike == all && is_one && !kinds::labels_beside(line)
        }
        // `Contact` in the type of the entries begins another column.
        Section::Work | Section::Volunteer | Section::Education => {
            line.level > 0 && alike > 0 && !is_heading_beside(&line.text)
        }
        _ => false,
    }
}

/// Whether a text is the heading of a section that neither roles nor schools are called like.
fn is_heading_beside(text: &str) -> bool {
    matches!(
        heading_of(text),
        Some(Section::Contact | Section::Skills | Section::References | Section::Other)
    ) && !words::is_position(text)
}

/// Whether headings without marks are written in capitals here.
fn has_loud_headings(lines: &[Line]) -> bool {
    let known = lines.iter().filter(|line| line.level == 0 && section_of(&line.text).is_some());
    let (loud, calm): (Vec<&Line>, Vec<&Line>) = known.partition(|line| is_loud(&line.text));
    loud.len() > 2 && loud.len() > calm.len()
}

/// Longest name in capitals that is a skill, in characters: headings as short as that are known.
const NAME_MAX: usize = 6;

/// A line in capitals where headings are: not among roles, whose firms may be written so, too.
fn is_loud_heading(line: &Line, within: Section) -> bool {
    let is_plain = line.text.chars().all(|c| c.is_alphabetic() || " :&/'’-?".contains(c));
    // `QGIS` among skills.
    let is_name =
        within == Section::Skills && line.text.chars().count() <= NAME_MAX && line.level == 0;
    !line.bullet
        && is_plain
        && !is_name
        && is_loud(&line.text)
        && words_of(&folded(&line.text)).count() <= UNLISTED_MAX
        && matches!(
            within,
            Section::Education | Section::Skills | Section::Other | Section::Unknown
        )
        && (!words::is_position(&line.text) || within == Section::Skills)
        && !words::is_organisation(&line.text)
        && !place::is_place(&line.text)
}

/// Whether a single word in capitals stands above a block of its own below an address: a name has more of them.
fn is_loud_below_contact(part: &Part, line: &Line, next: Option<&Line>) -> bool {
    part.section == Section::Contact
        && line.after_gap
        && !line.text.contains(' ')
        && next.is_some_and(|next| !next.after_gap && !is_loud(&next.text))
        && is_loud_heading(line, Section::Unknown)
}

/// Whether a line is marked as the kind of the skills above it is, and not as headings are: `Accounting` below `Software`.
fn is_further_kind(line: &Line, marks: &Marks) -> bool {
    line.level > 0 && marks.kinds == Some(line.level) && !marks.levels.contains(&line.level)
}

/// Whether a line among skills heads something else: alone above a block of its own, where the skills are in rows or
/// items.
fn ends_list(part: &Part, line: &Line, next: Option<&Line>) -> bool {
    let is_row = |line: &Line| line.bullet || line.text.contains([',', ';', ':', '\t', '|', '·']);
    let is_plain = line.text.chars().all(|c| c.is_alphabetic() || " &'’-".contains(c));
    let heads = is_plain && !line.bullet && line.text.split(' ').count() <= 3;
    // Where all skills are items of a list, what is no item any more does not go on with it.
    let items = part.lines.iter().filter(|line| line.bullet).count();
    let ends_items = items > 1
        && items == part.lines.len()
        && line.text.starts_with(char::is_uppercase)
        && next.is_some_and(|next| !next.bullet);
    let ends_rows = line.after_gap
        && part.lines.iter().all(is_row)
        && next.is_some_and(|next| (!next.after_gap || next.bullet) && is_row(next));
    heads && (ends_items || ends_rows)
}

/// Whether a line in the type of the headings is no heading: it names a school among schools, as the first one may right
/// under the heading, or it stands under a period.
fn names_entry(part: &Part, line: &Line) -> bool {
    // So do the first ones.
    let is_period = |line: &Line| {
        let text = line.text.trim_start_matches(|c: char| !c.is_alphanumeric());
        !line.bullet && begins_with(text) && !text.contains('\t')
    };
    let is_under_period = || {
        [part.lines.first(), part.lines.last()].into_iter().all(|line| line.is_some_and(is_period))
    };
    let is_school = schools::names_degree(&line.text) || words::is_school(&line.text);
    match part.section {
        Section::Education => is_school || is_under_period(),
        Section::Work | Section::Volunteer => is_under_period(),
        _ => false,
    }
}

/// Whether a date stands at the beginning of a text.
fn begins_with(text: &str) -> bool {
    dates::find(text).is_some_and(|period| period.at.start == 0)
}

fn begins_with_period(line: &Line) -> bool {
    dates::find(&line.text).is_some_and(|period| period.at.start == 0 && period.start.is_some())
}

/// Fewest lines that say who somebody is, before headings that are not known.
const HEAD_MIN: usize = 3;

/// The marks of headings that sections have here: those of the known ones, or where there are none those that nothing
/// but headings has.
fn levels(lines: &[Line]) -> Vec<usize> {
    let marked = |level: usize| lines.iter().filter(move |line| line.level == level);
    let is_known = |line: &&Line| section_of(&line.text).is_some();
    let known = |level: &usize| {
        let known = marked(*level).filter(is_known).count();
        known > 1 && known * 2 >= marked(*level).count()
    };
    let is_entry = |line: &Line| {
        words::is_position(&line.text) || line.text.contains(|c: char| c.is_ascii_digit())
    };
    let plain = |level: &usize| marked(*level).count() > 2 && !marked(*level).any(is_entry);
    let mut found: Vec<usize> = (1..=FRAMED).filter(known).collect();
    // Entries in the type of `Contact` beside them, under headings in larger type; where most there are known, one that
    // is not and reads like no entry heads something, too.
    let largest = found.first().copied();
    let heads = |line: &Line| {
        line.text.split(' ').count() <= UNLISTED_MAX
            && !words::is_organisation(&line.text)
            && !place::is_place(&line.text)
    };
    found.retain(|level| {
        let (known, others): (Vec<&Line>, Vec<&Line>) = marked(*level).partition(is_known);
        let are_most = known.len() > 2 && known.len() > others.len() * 2;
        let are_headings = || are_most && others.iter().all(|line| heads(line) && !is_entry(line));
        Some(*level) == largest || others.is_empty() || are_headings()
    });
    let has_known = lines.iter().any(|line| line.level > 0 && is_known(&line));
    if found.is_empty() && !has_known { (1..=FRAMED).filter(plain).collect() } else { found }
}

/// `Technologies: Rust, C` or `Key achievements:` right under the lines of a role is said of it.
fn notes(line: &Line) -> bool {
    let label = line.text.split_once(':').map(|(label, _)| folded(label.trim()));
    !line.after_gap && label.is_some_and(|label| vocabulary().notes.contains(&label))
}

/// The section that a line opens, and what stands in the same line after a colon or in the next column.
fn heading(line: &Line) -> Option<(Section, Option<String>)> {
    // `en alternance` right under a degree goes on with it.
    let goes_on = line.level == 0 && !line.after_gap && line.text.starts_with(char::is_lowercase);
    if line.bullet || goes_on {
        return None;
    }
    let parted = line.text.split_once([':', '\t']);
    if let Some((before, after)) = parted
        && !after.trim().is_empty()
    {
        // `Internship    2011 – 2013` is a role of that name; `Experience    2011 – 2013    Engineer` begins a section.
        let is_entry = dates::find(after).is_some_and(|period| {
            let alone = !after[..period.at.start].contains(char::is_alphanumeric)
                && !after[period.at.end..].contains(char::is_alphanumeric);
            period.start.is_some() && (alone || words::is_position(before))
        });
        // `Profile: example.com/ada`
        if is_address(after) {
            return None;
        }
        let beside = line.after_gap && line.text.contains('\t');
        let section = section_of(before)
            .or_else(|| beside.then(|| unlisted(before)).flatten())
            .filter(|_| !is_entry)?;
        return Some((section, Some(after.trim().to_owned())));
    }
    let is_set_off = line.after_gap || line.level > 0 || is_loud(&line.text);
    let section =
        section_of(&line.text).or_else(|| is_set_off.then(|| unlisted(&line.text)).flatten());
    section.map(|section| (section, None))
}

/// An address of the web or of mail and nothing else.
fn is_address(text: &str) -> bool {
    let text = text.trim();
    text.contains('.') && !text.contains(' ') && text.contains(['@', '/'])
}

fn is_loud(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).count() > 3 && !text.contains(char::is_lowercase)
}

/// Most words of a heading that is not listed.
const UNLISTED_MAX: usize = 5;

/// Shorter words are whole ones.
const END_MIN: usize = 7;

/// A heading that is not listed, by one of its words: `Nursing Experience`, `Wissenschaftlicher Werdegang`.
fn unlisted(text: &str) -> Option<Section> {
    let whole = folded(text);
    let words: Vec<&str> = words_of(&whole).collect();
    let is_plain = text.chars().all(|c| c.is_alphabetic() || " :&/'’-?".contains(c));
    if !is_plain
        || words.len() > UNLISTED_MAX
        || !text.starts_with(char::is_uppercase)
        || words::is_position(text) && !text.contains(" und ")
        || place::is_place(text)
        || vocabulary().breaks.contains(&words.join(" "))
    {
        return None;
    }
    let vocabulary = vocabulary();
    let verb = |word: &str| {
        (word.starts_with(char::is_lowercase) || is_loud(text))
            && vocabulary.skills_verbs.contains(&folded(word))
    };
    if words.len() > 2 && text.split([' ', '?']).any(verb) {
        return Some(Section::Skills);
    }
    let is_other =
        |word: &&str| vocabulary.other_stems.iter().any(|stem| word.starts_with(stem.as_str()));
    let names = |word: &str, end: &str| {
        word == end || end.len() >= END_MIN && word.len() > end.len() && word.ends_with(end)
    };
    let told = |wanted: Section| {
        let mut known = vocabulary.heading_words.iter().filter(|(_, section)| *section == wanted);
        known.any(|(end, _)| words.iter().any(|word| names(word, end)))
    };
    let section =
        [Section::Skills, Section::Education, Section::Work].into_iter().find(|one| told(*one))?;
    let learns = |word: &&str| {
        ["akadem", "academ", "schulisch", "scolair", "universit", "escolar", "studi", "educa"]
            .iter()
            .any(|stem| word.starts_with(stem))
    };
    if words.iter().any(is_other) {
        return (words.len() <= 3).then_some(Section::Other);
    }
    let is_study = section == Section::Work && words.iter().any(learns);
    Some(if is_study { Section::Education } else { section })
}

/// Longest heading, in words, and shortest one of several words that are written as one.
const WORDS_MAX: usize = 6;
const TIGHT_MIN: usize = 10;

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
    heading_of(text).or_else(joined).or_else(|| phrases::told(text))
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
    // `E X P E R I E N C E`, and `WORKEXPERIENCE` where nothing shows where its words end.
    let is_spaced = words.len() > 4 && words.iter().all(|word| word.chars().count() == 1);
    let is_tight = words.len() == 1 && words[0].len() >= TIGHT_MIN && is_loud(text);
    if is_spaced || is_tight {
        let joined = words.concat();
        let is_it = |heading: &&String| heading.replace(' ', "") == joined;
        let found = vocabulary.headings.keys().find(is_it);
        if is_spaced || found.is_some() {
            return found.map(|heading| vocabulary.headings[heading]);
        }
    }
    // `En alternance`
    let is_joint = |word: &&&str| JOINTS.iter().any(|joint| joint.trim() == **word);
    if words.len() > WORDS_MAX || words.first().is_some_and(|first| is_joint(&first)) {
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
            ("En alternance", None),
        ] {
            assert_eq!(section_of(text), section, "{text}");
        }
    }

    fn parted(text: &str) -> Vec<(Section, Vec<String>)> {
        let said = |part: Part| part.lines.into_iter().map(|line| line.text).collect();
        let parts = parts(&super::super::lines::lines(text)).into_iter();
        parts.map(|part| (part.section, said(part))).collect()
    }

    #[test]
    fn an_unknown_heading_between_known_ones_in_small_type_is_one() {
        let text = "# Ada Byron\n\n### Experience\nAcme\tFitter\t2019 – 2021\n\n### Education\nBSc Physics\n\n###### Contact\nada@example.org\n\n\
                    ###### Nullistics\nPumps\tCranes\n\n###### Software\nCreo\n\n###### Languages\nWelsh";
        let found: Vec<Section> =
            parts(&super::super::lines::lines(text)).iter().map(|part| part.section).collect();
        assert_eq!(
            found[3..],
            [Section::Contact, Section::Unknown, Section::Skills, Section::Other]
        );
    }

    #[test]
    fn the_title_of_the_document_is_no_heading() {
        let found = parted("RESUME\nAda Byron\nLeeds LS6 3DA\n\nSKILLS\nRust");
        assert_eq!(found[0], section(Section::Contact, &["RESUME", "Ada Byron", "Leeds LS6 3DA"]));
    }

    fn section(section: Section, lines: &[&str]) -> (Section, Vec<String>) {
        (section, lines.iter().map(|line| (*line).to_owned()).collect())
    }

    #[test]
    fn an_item_that_is_called_like_a_heading_is_none() {
        let text = "Ada Byron\n\n## Experience\nAcme\tEngineer\t2019 – 2021\n\n## Skills\n\nFigma\n\nSketching\n\nWorkshops\n\n## Languages\nEnglish";
        let skills = section(Section::Skills, &["Figma", "Sketching", "Workshops"]);
        assert_eq!(parted(text)[2], skills);
        let text = "Ada Byron\n\n## Experience\nAcme\tEngineer\t2019 – 2021\n\n## Skills\nLanguages\nRust\nGo\n\n## Hobbies\nTea";
        assert_eq!(parted(text)[2], section(Section::Skills, &["Languages", "Rust", "Go"]));
        let text = "Ada Byron\n\n## Education\nAssociate of Arts in General\nStudies\nAcme College\n\n## Skills\nTea";
        let schools = ["Associate of Arts in General", "Studies", "Acme College"];
        assert_eq!(parted(text)[1], section(Section::Education, &schools));
        let text = "Ada Byron\n\n## Key Skills\nTechnical\nRust\tGo\n\nPeople\nTalks\tChess\n\n## Hobbies\nTea";
        let skills = ["Technical", "Rust\tGo", "People", "Talks\tChess"];
        assert_eq!(parted(text)[1], section(Section::Skills, &skills));
        let text = "Ada Byron\n\nSkills and tools\nWelding\nFitting\n\nEducation\nBSc";
        assert_eq!(parted(text)[1], section(Section::Skills, &["Welding", "Fitting"]));
        let text =
            "Ada Byron\n\nSKILLS\n• Rust\n• Go\nCards and papers\nGold Card\n\nEDUCATION\nBSc";
        assert_eq!(parted(text)[1], section(Section::Skills, &["Rust", "Go"]));
    }

    #[test]
    fn schools_and_titles_in_the_type_of_headings_are_none() {
        let text = "Ada Byron\n\n## Work experience\n\n[ 2019 – 2021 ]\n## Fitter\nAcme Ltd\n\n[ 2012 – 2015 ]\n\
                    ## Chief of nothing\nEmca Ltd\n\n## Education\n\n## BSc Physics\nUniversity of Leeds | 2010 – 2012\n\
                    \n## A Levels\nHeath College\n\n## Hobbies\nTea\n\n## References\nNone";
        let found = parted(text);
        let lines = |at: usize| found[at].1.len();
        assert_eq!(found[1].0, Section::Work);
        assert_eq!((lines(1), lines(2)), (6, 4));
    }
}
