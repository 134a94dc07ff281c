//! The lines of a résumé, cleaned of bullets and marks.

mod breaks;
mod firms;
mod forms;
mod marks;
mod sentences;

use super::{dates, heads::names_column, place, vocabulary::vocabulary, words};

use breaks::{
    breaks_city, breaks_mail, breaks_number, ends_in_article, is_open, is_rest_of_item, joins_city,
    joins_domain, joins_number, joins_period,
};
use firms::{firm_alone, joins_name, town_apart};
use forms::{Labelled, Labels, form_value};
pub(super) use marks::without_scales;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// What it says, without bullet and Markdown.
    pub(super) text: String,
    /// It began with a bullet.
    pub(super) bullet: bool,
    /// An empty line, or the beginning, stands above.
    pub(super) after_gap: bool,
    /// Marks of a heading before it, which the reader of a document puts before larger type.
    pub(super) level: usize,
}

/// The lines that say something.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let mut after_gap = true;
    let mut under = Labels::default();
    // In a message that was sent on, every line begins so.
    let is_sent_on =
        text.lines().filter(|line| line.starts_with('>')).count() * 2 > text.lines().count();
    for raw in forms::duties_last(text) {
        let (text, bullet) = unmarked(raw, !is_sent_on);
        let framed = framed(raw.trim());
        let (text, bullet) = framed.map_or((text, bullet), |inner| (inner.to_owned(), false));
        if !text.chars().any(char::is_alphanumeric) {
            // The dots of a scale below what they rate part nothing.
            if !marks::is_scale(raw) {
                after_gap = true;
                under = Labels::default();
            }
            continue;
        }
        if is_head_of_table(&text) {
            continue;
        }
        let (text, bullet) = match form_value(&text) {
            None if !after_gap && under.is_item(&text) => (text, true),
            Some(Labelled::Value(value)) => (value.to_owned(), bullet),
            Some(Labelled::Firm(text)) => (text, bullet),
            Some(Labelled::Item(value)) => (value.to_owned(), true),
            Some(Labelled::Nothing) => continue,
            None => (text, bullet),
        };
        under.enter(&text);
        let text = town_apart(&marks::spaced(&text).replace(" -- ", " – "));
        let text = match found.last() {
            Some(last) if !after_gap && !bullet => firm_alone(last, &text).unwrap_or(text),
            _ => text,
        };
        let text = period_apart(&text).unwrap_or(text);
        let level = if framed.is_some() { FRAMED } else { level(raw.trim_start()) };
        let line = Line { text, bullet, after_gap, level };
        after_gap = false;
        match found.last_mut() {
            Some(last) if !line.after_gap && !line.bullet && line.level == last.level => {
                if let Some(whole) = joined(last, &line.text) {
                    last.text = whole;
                    continue;
                }
                if let Some((whole, rest)) = date_joined(&last.text, &line.text) {
                    last.text = whole;
                    if !rest.is_empty() {
                        found.push(Line { text: rest, ..line });
                    }
                    continue;
                }
            }
            _ => {}
        }
        found.push(line);
    }
    if found.last().is_some_and(|line| is_signature(&line.text)) {
        found.pop();
    }
    sentences::apart(found)
}

/// The level of a heading that stands between two equal marks; Markdown has six.
pub(super) const FRAMED: usize = 7;

/// `~ Experience ~` without the marks, where they stand around a few words.
fn framed(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|c| "~=*•·|–—-".contains(*c))?;
    let inner = line.trim_matches(mark);
    let is_around = line.len() > inner.len() + mark.len_utf8()
        && inner.starts_with(' ')
        && inner.ends_with(' ')
        && line.ends_with(mark);
    let is_plain = inner.chars().all(|c| c.is_alphabetic() || " &/'’-".contains(c));
    (is_around && is_plain && inner.split_whitespace().count() <= 5).then(|| inner.trim())
}

/// How many marks of a heading a line begins with; `#rust #sql` has none.
fn level(line: &str) -> usize {
    let marks = line.len() - line.trim_start_matches('#').len();
    if line[marks..].starts_with(' ') { marks } else { 0 }
}

/// The mark that begins the entries of a section: several lines have it, and each stands first in its block; where dates stand
/// first and above each, they begin the entries.
pub(super) fn lead(lines: &[Line]) -> Option<usize> {
    let is_date = |line: &Line| {
        dates::find(&line.text).is_some_and(|period| period.at == (0..line.text.len()))
    };
    let begins_with_date = lines.first().is_some_and(is_date);
    let is_under_date = |at: usize| at > 0 && is_date(&lines[at - 1]);
    (1..FRAMED).find(|level| {
        let marked = || lines.iter().enumerate().filter(|(_, line)| line.level == *level);
        marked().count() > 1
            && marked().all(|(at, line)| at == 0 || line.after_gap)
            && !(begins_with_date && marked().all(|(at, _)| is_under_date(at)))
    })
}

/// Lines with every period in one of them, also where the heading beside it was in the way.
pub(super) fn dated(lines: Vec<Line>) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    for line in lines {
        if let Some(last) = found.last_mut()
            && !line.after_gap
            && !line.bullet
            && let Some((whole, rest)) = date_joined(&last.text, &line.text)
        {
            last.text = whole;
            found.extend((!rest.is_empty()).then_some(Line { text: rest, ..line }));
            continue;
        }
        if let Some(last) = found.last_mut()
            && !line.after_gap
            && !line.bullet
            && let Some((whole, rest)) = end_joined(&last.text, &line.text)
        {
            last.text = whole;
            found.push(Line { text: rest, ..line });
            continue;
        }
        found.push(line);
    }
    found
}

/// Fewest titles with their periods above them that show how entries are set.
const UNDER_PERIODS_MIN: usize = 2;

/// Titles that are marked as headings, each with the period that stands above it in a line of its own.
pub(super) fn under_periods(lines: Vec<Line>, is_section: fn(&str) -> bool) -> Vec<Line> {
    let is_period = |line: &Line| {
        line.level == 0
            && !line.bullet
            && dates::find(&line.text)
                .is_some_and(|period| period.start.is_some() && period.at == (0..line.text.len()))
    };
    let is_pair = |pair: &[Line]| {
        is_period(&pair[0])
            && pair[1].level > 0
            && dates::find(&pair[1].text).is_none()
            && !is_section(&pair[1].text)
    };
    let pairs = || lines.windows(2).filter(|pair| is_pair(pair));
    let Some(level) = pairs().map(|pair| pair[1].level).next() else { return lines };
    let titles = lines.iter().filter(|line| line.level == level && !is_section(&line.text));
    // One period may be written in a way that is not known.
    if pairs().count() < UNDER_PERIODS_MIN || titles.count() * 3 > pairs().count() * 4 {
        return lines;
    }
    let mut found = Vec::new();
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        match lines.next_if(|next| is_pair(&[line.clone(), next.clone()])) {
            Some(title) => found.push(Line {
                text: format!("{}\t{}", title.text, line.text),
                after_gap: true,
                ..title
            }),
            None => found.push(line),
        }
    }
    found
}

/// `Hamburg, 12. Januar 2025`, `Lyon, le 3 mai 2024`: where and when the résumé was written.
fn is_signature(text: &str) -> bool {
    let Some((place, day)) = text.split_once(',') else { return false };
    let day = day.trim();
    let day =
        ["den ", "le ", "a ", "em "].iter().find_map(|lead| day.strip_prefix(lead)).unwrap_or(day);
    place.split_whitespace().count() <= 3
        && !place.contains(|c: char| c.is_ascii_digit())
        && day.starts_with(|c: char| c.is_ascii_digit())
        && dates::find(day).is_some_and(|date| {
            date.end.is_some_and(|date| date.month.is_some())
                && date.start.is_none()
                && date.at == (0..day.len())
        })
}

/// Longest rest of a line that goes on in the next one, in words.
const REST_MAX: usize = 5;

/// Shorter texts before a hyphen are no beginning of an address: `e-`.
const MAIL_MIN: usize = 2;

/// A line and the next as one, where the first ends in the middle of something: an address of the web, a list.
fn joined(line: &Line, next: &str) -> Option<String> {
    let text = &line.text;
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let first = next.split(char::is_whitespace).next().unwrap_or_default();
    // The network itself writes its name behind the address: `www.linkedin.com/in/ada` and `byron (LinkedIn)`.
    let bare = next.strip_suffix(" (LinkedIn)").filter(|_| last.contains("linkedin.com/"));
    if joins_address(last, first, bare.unwrap_or(next)) {
        // Some programs write the hyphen at which a word is broken on both lines.
        let rest = if text.ends_with('-') { next.trim_start_matches('-') } else { next };
        return Some(format!("{text}{rest}"));
    }
    let is_number = joins_number(last, first) || breaks_number(text, next);
    let goes_on = joins_period(text, next) || is_number || joins_name(text, next);
    if goes_on || joins_city(text, next) || breaks_city(text, next) {
        return Some(format!("{text} {next}"));
    }
    // `ada.augusta-` and `byron@example.org`
    let is_mail = first == next && first.contains('@') && first.starts_with(char::is_lowercase);
    let begins_mail =
        last.chars().all(|c| c.is_lowercase() || c.is_ascii_digit() || "._-".contains(c));
    if is_mail && begins_mail && last.ends_with(['-', '_']) && last.len() > MAIL_MIN {
        return Some(format!("{text}{next}"));
    }
    if breaks_mail(last, first) || first == next && joins_domain(last, next) {
        return Some(format!("{text}{next}"));
    }
    // `Editions of` and `the Oak`: no line ends with such a word, unless it is broken off there.
    // `Master of Science in` is German and Dutch, too. At the beginning of a line it tells nothing: `in Leeds`.
    let links = vocabulary().linking.contains(last) || last == "in";
    let hangs = links && text.len() > last.len() || ends_in_article(text);
    if hangs && !next.contains('\t') && first.starts_with(char::is_alphabetic) {
        return Some(format!("{text} {next}"));
    }
    // `Certificate in the    2019 – 2021` and `Fitting of Valves`.
    if let Some((first, period)) = text.split_once('\t')
        && first.rsplit(' ').next().is_some_and(|word| vocabulary().linking.contains(word))
        && dates::is_period(period)
        && !next.contains('\t')
    {
        return Some(format!("{first} {next}\t{period}"));
    }
    if is_open(text, next) || line.bullet && is_rest_of_item(text, next) {
        return Some(format!("{text} {next}"));
    }
    // `2013 – 2015: Master, University` and `of Smallville`.
    let words = next.split_whitespace().count();
    let leads = vocabulary().linking.contains(first) && words <= 5 && !next.ends_with('.');
    if leads && dates::find(text).is_some_and(|period| period.start.is_some()) {
        return Some(format!("{text} {next}"));
    }
    // `Clermont-` and `Ferrand`, but not `Schul-` and `und`.
    let mut before = text.chars().rev();
    let is_broken = before.next() == Some('-') && before.next().is_some_and(char::is_alphabetic);
    if is_broken && !line.bullet && next.starts_with(char::is_uppercase) && !text.contains('\t') {
        return Some(format!("{text}{next}"));
    }
    if is_broken && let Some(whole) = unhyphenated(line, next) {
        return Some(whole);
    }
    let short = next.split_whitespace().count() <= REST_MAX && !next.contains('\t');
    let is_list = text.ends_with([',', '|']) && short && !line.bullet && !next.contains('@');
    is_list.then(|| format!("{text} {next}"))
}

/// A row with a date whose last word is broken off with a hyphen, `2019 – 2021    Fitter, Acme Ltd, Null-` and `town`, but
/// not `Schul-` and `und`.
fn unhyphenated(row: &Line, next: &str) -> Option<String> {
    let (date, _) = row.text.split_once('\t').filter(|_| !row.bullet)?;
    let first = next.split([' ', ',']).next().unwrap_or_default();
    let is_rest = first.starts_with(char::is_lowercase)
        && first.chars().all(char::is_alphabetic)
        && !vocabulary().linking.contains(first)
        && !JOINTS.contains(&first)
        && (first == next || next.starts_with(&format!("{first},")))
        // More than its rest and a town is running text.
        && next.split_whitespace().count() <= REST_MAX;
    let text = row.text.strip_suffix('-')?;
    (is_rest && dates::find(date).is_some()).then(|| format!("{text}{next}"))
}

/// Words beside those that no line ends with, between two halves of which the first lacks the end that both have.
const JOINTS: [&str; 6] = ["oder", "or", "o", "ou", "e", "bis"];

/// Whether an address of the web that a line ends with goes on in the next one, which begins with `first`.
fn joins_address(last: &str, first: &str, next: &str) -> bool {
    let goes_on = first.chars().all(|c| c.is_alphanumeric() || "-_./?=&#%".contains(c));
    let is_address = (last.contains('/') || last.starts_with("www."))
        && last.contains('.')
        && !last.ends_with('.');
    if is_address && last.ends_with(['/', '-', '_']) && goes_on {
        return true;
    }
    // `https://ada-` and `byron.example.org`, `https://byron.` and `example.org`: no host is at its end there.
    let host = last.split_once("://").map(|(_, host)| host);
    let is_cut = host.is_some_and(|host| !host.contains('/') && host.ends_with(['-', '.']));
    if is_cut && goes_on && first.contains('.') && first.starts_with(char::is_lowercase) {
        return true;
    }
    // The end of a name that was broken without a mark: no word of any language here stands alone like this.
    // `(LinkedIn)` may stand behind it.
    let is_network = |rest: &str| rest.starts_with(" (") && rest.find(')') == Some(rest.len() - 1);
    let is_alone = next.strip_prefix(first).is_some_and(|rest| rest.is_empty() || is_network(rest));
    let is_tail =
        is_alone && first.len() <= 20 && last.contains('/') && !first.contains(['.', '@', ':']);
    let is_small = first.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if is_address && is_tail && is_small && !vocabulary().labels.contains_key(first) {
        return true;
    }
    let host = last.rsplit('@').next().unwrap_or(last).trim_start_matches("www.");
    let is_host = host.len() < last.len() && !host.contains(['.', '/']);
    is_host
        && first == next
        && next.contains('.')
        && !next.contains(['@', '/', ':'])
        && goes_on
        && next.starts_with(char::is_lowercase)
        && !last.ends_with(|c: char| !c.is_alphanumeric())
}

/// Most words of a period that is broken off: `de enero de 2008 a agosto de`.
const PERIOD_MAX: usize = 7;

/// A period in a narrow column that goes on in the next line: `10.2018 –   Engineer` and `today   Acme`.
fn date_joined(line: &str, next: &str) -> Option<(String, String)> {
    let (period, rest) = line.split_once('\t').unwrap_or((line, ""));
    let (end, after) = next.split_once('\t').unwrap_or((next, ""));
    let starts = period.starts_with(|c: char| c.is_ascii_digit() || c.is_alphabetic());
    let whole = format!("{} {}", period.trim(), end.trim());
    let found = dates::find(&whole).filter(|found| found.start.is_some() && found.at.start == 0)?;
    // `07/2023 Mannheim`: the place stands under the period.
    let (whole, left) = whole.split_at(found.at.end);
    let left = left.trim();
    let is_one = left.is_empty()
        || whole.len() > period.trim().len() + 1
            && left.starts_with(char::is_uppercase)
            && left.split_whitespace().count() <= 4;
    let was_one = dates::find(period).is_some_and(|found| {
        (found.end.is_some() && found.start.is_some() || found.lasts)
            && found.at.end == period.trim_end().len()
    });
    let is_narrow = period.split_whitespace().count() <= PERIOD_MAX;
    (starts && is_one && !was_one && is_narrow).then(|| {
        let first = if rest.is_empty() { whole.to_owned() } else { format!("{whole}\t{rest}") };
        let after = if left.is_empty() { after.to_owned() } else { format!("{after}\t{left}") };
        (first, after.trim().to_owned())
    })
}

/// A period in a narrow column at the end of two lines: `Engineer    August 2017 – July` above `Acme    2021`.
fn end_joined(line: &str, next: &str) -> Option<(String, String)> {
    let (title, begin) = line.rsplit_once('\t')?;
    let (firm, end) = next.rsplit_once('\t')?;
    let is_open = dates::find(begin).is_none_or(|found| found.start.is_none());
    let whole = format!("{} {}", begin.trim(), end.trim());
    let is_one = dates::find(&whole).is_some_and(|period| {
        let ends = period.end.is_some() || period.lasts;
        period.start.is_some() && ends && period.at == (0..whole.len())
    });
    (is_open && is_one).then(|| (format!("{title}\t{whole}"), firm.to_owned()))
}

/// Longest form of a firm that is written small, with its dots.
const FORM_MAX: usize = 5;

impl Line {
    /// The parts of the line that tabs, wide gaps, bars and dots keep apart.
    pub(super) fn fields(&self) -> Vec<&str> {
        fields(&self.text)
    }

    /// It reads like running text rather than like a heading, a name or an entry.
    pub(super) fn is_prose(&self) -> bool {
        let words = self.text.split_whitespace().count();
        // `sep. 2009 – aug. 2012` begins small in some languages.
        let lower = self.text.starts_with(char::is_lowercase)
            && dates::find(&self.text).is_none_or(|period| period.at.start > 0);
        let last = self.text.rsplit(' ').next().unwrap_or_default();
        // `Acme Pumps & Valves Co.`, but not `Built all services.`
        let is_word = last.starts_with(char::is_lowercase) && last.chars().count() > FORM_MAX;
        let form = words::is_organisation(last) && !is_word;
        // `Van Hasselt & Zn.`
        let is_short = words <= 5 && last.chars().count() <= 4;
        // `Acme Pumps & Valves, S. A.`
        let is_initial = last.len() <= 4 && last.starts_with(char::is_uppercase);
        // `Acme Pumps, Apizaco, Tlax.`
        let in_region =
            self.text.contains(&format!(", {last}")) && place::short_region(last).is_some();
        let is_cut = form || is_short || is_initial || in_region;
        let stops = self.text.ends_with('.') && words > 3 && !is_cut;
        lower || words > 16 || stops
    }
}

/// The parts of a text that tabs, wide gaps, bars and dots keep apart.
pub(super) fn fields(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut found = Vec::new();
    while let Some((at, width)) = SEPARATORS
        .iter()
        .filter_map(|separator| rest.find(separator).map(|at| (at, separator.len())))
        .min_by_key(|(at, _)| *at)
    {
        found.push(rest[..at].trim());
        rest = &rest[at + width..];
    }
    found.push(rest.trim().trim_end_matches('|').trim_end());
    found.retain(|field| field.chars().any(char::is_alphanumeric));
    found
}

const SEPARATORS: [&str; 19] = [
    "\t", "   ", " | ", " ¦ ", " · ", " • ", " ∙ ", " ● ", " ▪ ", " ■ ", " ◦ ", " // ", " ◆ ",
    " ◇ ", " ⋄ ", " ~ ", "[x] ", "[X] ", "[ ] ",
];

/// Takes off a bullet, and the marks of Markdown.
fn unmarked(raw: &str, is_item_quoted: bool) -> (String, bool) {
    let line = raw.trim();
    let quoted = is_item_quoted && line.starts_with("> ");
    let line = line.trim_start_matches(['#', '>']).trim_start();
    let plain = line.trim_start_matches(BULLETS);
    let taken = &line[..line.len() - plain.len()];
    let bullet = !taken.is_empty()
        && (plain.starts_with(char::is_whitespace) || !taken.ends_with(['-', '*', '–', '+']));
    let line = if bullet { plain } else { line };
    // A box to tick is no bullet before anything else.
    let boxed =
        ["[x] ", "[X] ", "[ ] "].iter().find_map(|mark| line.trim_start().strip_prefix(mark));
    let bullet = bullet || quoted || boxed.is_some();
    let line = boxed.unwrap_or(line);
    let line = line.replace("**", "").replace("__", "").replace('`', "");
    let line = linked(line.trim());
    // `Word | Excel |` goes on in the next line.
    let goes_on = line.ends_with(" |") && line.matches(" | ").count() > 1 && !line.starts_with('|');
    let line = if goes_on { line.as_str() } else { line.trim_matches('|').trim() };
    (together(line), bullet)
}

/// `2010 – 2012 Smallville    Engineer` with the place at the end: it stands under the period in its column.
fn period_apart(text: &str) -> Option<String> {
    let (first, rest) = text.split_once('\t')?;
    let period =
        dates::find(first).filter(|period| period.start.is_some() && period.at.start == 0)?;
    let place = first[period.at.end..].trim();
    let is_name = place.starts_with(char::is_uppercase) && place.split(' ').count() <= 3;
    let is_else = words::is_position(place) || words::is_organisation(place);
    (is_name && !is_else).then(|| format!("{}\t{rest}\t{place}", &first[..period.at.end]))
}

/// `Years    Employer    Position`: what stands in the columns below.
fn is_head_of_table(text: &str) -> bool {
    let fields = fields(text);
    text.contains('\t') && fields.len() > 1 && fields.into_iter().all(names_column)
}

/// `S K I L L S` as a word.
fn together(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_letter = |word: &&str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.next().is_none()
    };
    if words.len() > 4 && words.iter().all(is_letter) { words.concat() } else { line.to_owned() }
}

pub(super) const BULLETS: [char; 27] = [
    '☑', '☐', '☒', '✗', '❖', '➔', '✓', '✔', '➤', '▸', '•', '▪', '◦', '●', '‣', '○', '■', '□', '∙',
    '·', '➢', '►', '›', '-', '*', '–', '+',
];

/// `[text](address)` of Markdown becomes `text address`.
fn linked(line: &str) -> String {
    if !line.contains("](") {
        return line.to_owned();
    }
    line.replace("](", " ")
        .replace(['[', ')'], " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_with_a_bar_at_its_end_goes_on() {
        let found = lines("Word | Excel | AutoCAD |\nTeams\n\n| Word | Excel | CAD |\nTeams");
        let texts: Vec<&str> = found.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["Word | Excel | AutoCAD | Teams", "Word | Excel | CAD", "Teams"]);
    }

    #[test]
    fn heads_of_the_columns_of_tables_say_nothing() {
        for head in [
            "Zeit\tTätigkeit\tFirma",
            "Zeit\tAbschluss\tSchule",
            "Desde\tHasta\tCentro\tTitulación",
            "Entidade\tPeríodo\tFunção",
            "Escola\tPeríodo\tGrau",
            "Tijd\tOrganisatie\tFunctie",
            "Time\tOrganization\tJob title",
            "Dates\tStructure\tPoste",
        ] {
            assert_eq!(lines(head), [], "{head}");
        }
        assert_eq!(lines("Zeit\tAcme").len(), 1);
    }

    #[test]
    fn a_line_that_ends_in_a_region_is_no_prose() {
        let is_prose = |text: &str| lines(text)[0].is_prose();
        assert!(!is_prose("Acme Plastic Pumps, Apizaco, Tlax."));
        assert!(is_prose("Acme plastic pumps, built apace, till last."));
    }

    #[test]
    fn a_word_that_is_broken_off_in_a_row_is_whole() {
        let whole = |text: &str| lines(text)[0].text.clone();
        for (rows, row) in [
            ("2013\tFitter, Acme Ltd, Null-\nhausen", "2013\tFitter, Acme Ltd, Nullhausen"),
            ("2013\tDegree, San Nul-\nmín, Leeds", "2013\tDegree, San Nulmín, Leeds"),
        ] {
            assert_eq!(whole(rows), row);
        }
        for rows in
            ["2013\tSchul-\nund Berufsrecht", "2013\tNull-\nphy, Leeds, UK. Led a group of three"]
        {
            assert_eq!(lines(rows).len(), 2, "{rows}");
        }
        let address = "www.linkedin.com/in/adaaugusta\nbyron (LinkedIn)";
        assert_eq!(whole(address), "www.linkedin.com/in/adaaugustabyron (LinkedIn)");
    }

    #[test]
    fn a_number_goes_on_behind_the_code_of_its_country() {
        let found = lines("Telefon: +43\n660 555 4127 | ada@example.at\nC++\n2019 Vienna");
        let texts: Vec<&str> = found.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["Telefon: +43 660 555 4127 | ada@example.at", "C++", "2019 Vienna"]);
    }

    #[test]
    fn bullets_and_markdown_are_taken_off() {
        let found = lines(
            "# Ada Byron\n\n- **Led** a team\n›Wrote\n--- \n-5 degrees\n*italic*\n[me](https://a.b)",
        );
        let texts: Vec<(&str, bool, bool)> =
            found.iter().map(|line| (line.text.as_str(), line.bullet, line.after_gap)).collect();
        assert_eq!(
            texts,
            [
                ("Ada Byron", false, true),
                ("Led a team", true, true),
                ("Wrote", true, false),
                ("-5 degrees", false, true),
                ("*italic*", false, false),
                ("me https://a.b", false, false),
            ]
        );
    }

    fn texts(text: &str) -> Vec<String> {
        lines(text).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn what_is_broken_at_the_end_of_a_line_is_put_together() {
        assert_eq!(
            texts("Engineer, Acme, May 2013 –\nJan 2016"),
            ["Engineer, Acme, May 2013 – Jan 2016"]
        );
        assert_eq!(
            texts("BSc, September 2009 to June\n2013."),
            ["BSc, September 2009 to June 2013."]
        );
        assert_eq!(texts("Diploma, 2007\n2010 – 2012 BSc"), ["Diploma, 2007", "2010 – 2012 BSc"]);
        assert_eq!(
            texts("a@b.org • https://ada-\nbyron.example.org"),
            ["a@b.org • https://ada-byron.example.org"]
        );
        assert_eq!(texts("https://byron.\nexample.org"), ["https://byron.example.org"]);
        let page = "www.example.org/in/adaby\nron (LinkedIn)";
        assert_eq!(texts(page), ["www.example.org/in/adabyron (LinkedIn)"]);
        assert_eq!(texts("• Master of Science in\nPhysik"), ["Master of Science in Physik"]);
        let number = "ada@example.org | +44 7700 900\n273 | Leeds";
        assert_eq!(texts(number), ["ada@example.org | +44 7700 900 273 | Leeds"]);
        assert_eq!(texts("ada@example.org | +44 7700 900 273\n12345 | Leeds").len(), 2);
        let town = "www.example.org/in/ada\nron (the) town";
        assert_eq!(texts(town).len(), 2);
    }

    #[test]
    fn headings_between_equal_marks_have_a_level_of_their_own() {
        let found = lines("~ Who I am ~\nAda\n– 1 Quay Road – 555-0147 –\n- An item");
        let levels: Vec<(&str, usize)> =
            found.iter().map(|line| (line.text.as_str(), line.level)).collect();
        assert_eq!(levels[0], ("Who I am", FRAMED));
        assert!(levels[1..].iter().all(|(_, level)| *level == 0), "{levels:?}");
    }

    #[test]
    fn fields_are_kept_apart_by_more_than_a_space() {
        assert_eq!(
            fields("Acme Ltd\tLondon | a@b.org · 123   x"),
            ["Acme Ltd", "London", "a@b.org", "123", "x"]
        );
    }

    #[test]
    fn a_period_at_the_ends_of_two_lines_is_put_together() {
        let dated_texts = |text: &str| -> Vec<String> {
            dated(lines(text)).into_iter().map(|line| line.text).collect()
        };
        for (text, expected) in [
            (
                "Leerkracht groep 3\taugustus 2017 – juli\nDe Zilvermeeuw, Delft\t2021",
                ["Leerkracht groep 3\taugustus 2017 – juli 2021", "De Zilvermeeuw, Delft"],
            ),
            (
                "Engineer\tMay 2013 –\nAcme Ltd\tpresent",
                ["Engineer\tMay 2013 – present", "Acme Ltd"],
            ),
            (
                "Engineer\tMay 2013 – June 2016\nAcme Ltd\t2021",
                ["Engineer\tMay 2013 – June 2016", "Acme Ltd\t2021"],
            ),
            ("BSc Physics\t2014\nMSc Physics\t2016", ["BSc Physics\t2014", "MSc Physics\t2016"]),
        ] {
            assert_eq!(dated_texts(text), expected, "{text}");
        }
    }

    #[test]
    fn bars_dots_and_boxes_part_fields() {
        for mark in ["|", "·", "•", "●", "▪", "■", "◦", "◇", "⋄"] {
            assert_eq!(
                fields(&format!("2613 BC Delft {mark} 06 1234")),
                ["2613 BC Delft", "06 1234"]
            );
        }
    }
}
