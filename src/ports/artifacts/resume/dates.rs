//! Dates and periods as people write them in résumés.

mod days;
mod tokens;

use std::{collections::HashSet, fmt, ops::Range};

use super::vocabulary::{Phrases, folded, vocabulary};

pub(super) use days::day_first;
use tokens::{Token, What, has_day_first, tokens};

/// A year, perhaps with a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Date {
    pub(super) year: u16,
    /// From 1.
    pub(super) month: Option<u8>,
}

impl Date {
    /// Whether it is certainly earlier than `other`: a bare year is earlier only than the next.
    pub(super) fn is_before(self, other: Self) -> bool {
        match (self.month, other.month) {
            (Some(mine), Some(its)) => (self.year, mine) < (other.year, its),
            _ => self.year < other.year,
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.month {
            Some(month) => write!(f, "{:04}-{month:02}", self.year),
            None => write!(f, "{:04}", self.year),
        }
    }
}

/// A period that was found in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Period {
    /// Where it stands in the line, in bytes.
    pub(super) at: Range<usize>,
    pub(super) start: Option<Date>,
    pub(super) end: Option<Date>,
    /// It lasts: `present`.
    pub(super) lasts: bool,
    /// A part of a date stands there that was not read: `05/04/2019` in April or May, the `19/` of `19/2020`.
    pub(super) is_vague: bool,
}

impl Period {
    /// Whether both dates have their years; that of the end stands for both.
    fn has_years(&mut self) -> bool {
        if let (Some(begun), Some(end)) = (&mut self.start, self.end)
            && begun.year == 0
        {
            begun.year = end.year;
        }
        [self.start, self.end].into_iter().flatten().all(|date| date.year != 0)
    }
}

/// The first period in a line, or else its first single date, which is its end.
pub(super) fn find(line: &str) -> Option<Period> {
    // Every date has a number, and most lines have none.
    if !line.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let tokens = tokens(line);
    let day_first = has_day_first(&tokens);
    let reader = |at: usize| Reader { tokens: &tokens, at, day_first, is_vague: false };
    let found = (0..tokens.len()).filter_map(|at| reader(at).period());
    let mut single = None;
    for period in found {
        if period.start.is_some() {
            return Some(period);
        }
        single = single.or(Some(period));
    }
    single
}

/// Whether a text is a period or a date and nothing else.
pub(super) fn is_period(text: &str) -> bool {
    find(text).is_some_and(|period| period.at == (0..text.len()))
}

/// Reads on from a token; each method moves on only if it succeeds.
struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    /// Days stand before months.
    day_first: bool,
    /// Part of a date was not read.
    is_vague: bool,
}

impl<'a> Reader<'a> {
    /// A period or a single date that begins exactly here.
    fn period(mut self) -> Option<Period> {
        let first = self.at;
        let stands_free = first == 0
            || !matches!(
                self.tokens[first - 1].what,
                What::Mark('/' | '.' | '-' | '+' | '$' | '€' | '£')
            );
        if !stands_free {
            return None;
        }
        let since = self.phrase(&vocabulary().since);
        if since || self.phrase(&vocabulary().from) {
            self.spaces();
        }
        let full = self.date();
        let brief = full.is_none();
        let start = full.or_else(|| self.brief())?;
        let begin = self.tokens[first].at.start;
        let rest = self.at;
        let mut period =
            Period { at: begin..begin, start: None, end: None, lasts: since, is_vague: false };
        if self.separator() {
            if self.phrase(&vocabulary().present) {
                (period.start, period.lasts) = (Some(start), true);
            } else if let Some(end) = self.end(brief, start) {
                // "June – August 2019": the year stands once.
                (period.start, period.end, period.lasts) = (Some(start), Some(end), false);
            } else {
                self.at = rest;
            }
        } else if let Some(end) = self.another(first) {
            (period.start, period.end) = (Some(start), Some(end));
        } else if let Some(end) = self.beside(start) {
            (period.start, (period.end, period.lasts)) = (Some(start), end);
        } else if start.year == 0 {
            return None;
        }
        if brief && period.start.is_none() && !since {
            return None;
        }
        if period.start.is_none() {
            self.at = rest;
            period.lasts |= self.onwards();
            if period.lasts {
                period.start = Some(start);
            } else {
                period.end = Some(start);
            }
        }
        if !period.has_years() {
            return None;
        }
        period.at.end = self.tokens[self.at - 1].at.end;
        period.is_vague = self.is_vague || self.is_beside_number(first);
        Some(period)
    }

    /// Whether a number with a mark of dates stands right before the first token or behind the last one that was read.
    fn is_beside_number(&self, first: usize) -> bool {
        let is_number = |what: What<'_>| matches!(what, What::Number(1..=31, 1 | 2));
        let is_mark = |what: What<'_>| matches!(what, What::Mark('/' | '.'));
        let plain = |token: &Token<'a>| Some(token.what).filter(|what| *what != What::Space);
        let mut before = self.tokens[..first].iter().rev().filter_map(plain);
        let mut after = self.tokens[self.at..].iter().filter_map(plain);
        before.next().is_some_and(is_mark) && before.next().is_some_and(is_number)
            || after.next().is_some_and(|what| matches!(what, What::Mark('/')))
                && after.next().is_some_and(|what| is_number(what) || is_full_year(what))
    }

    /// A date; a month alone has year 0, which only makes sense before another date.
    fn date(&mut self) -> Option<Date> {
        let begin = self.at;
        let date = self.named().or_else(|| self.numeric());
        if date.is_none() {
            self.at = begin;
        }
        date
    }

    /// `March 2020`, `Mar. 2020`, `Mar, 2020`, `Mar '20`, `12 March 2020`, `Summer 2019`, or `March` alone.
    fn named(&mut self) -> Option<Date> {
        let begin = self.at;
        if matches!(self.what(), Some(What::Number(1..=31, 1 | 2))) {
            if self.is_class() {
                return None;
            }
            self.at += 1;
            self.word_of(&["st", "nd", "rd", "th", "er", "º"]);
            self.mark(&['.', 'º']);
            // The 8 of `Grades 6–8    Aug 2014` stands in another column.
            if self.tokens.get(self.at).is_some_and(|token| token.is_gap) {
                self.at = begin;
                return None;
            }
            self.spaces();
            self.of();
        }
        let Some(What::Word(word)) = self.what() else {
            self.at = begin;
            return None;
        };
        let plain = folded(word);
        let month = vocabulary().months.get(&plain).copied();
        if month.is_none() && !vocabulary().seasons.contains(&plain) {
            self.at = begin;
            return None;
        }
        self.at += 1;
        let after_month = self.at;
        let joined = self.mark(&['.']) | self.mark(&[',', '-', '/']);
        self.spaces();
        self.of();
        let apostrophe = self.mark(&['\'', '’', '‘']);
        match self.what() {
            Some(What::Number(year, 4)) if is_year(year) => {
                self.at += 1;
                Some(Date { year: narrow(year), month })
            }
            // `Mar 20` is a month and a year; `March 20` may be a day, and `out 20` be English.
            Some(What::Number(year, 2)) if apostrophe || joined || is_english_short(&plain) => {
                self.at += 1;
                Some(Date { year: century(year), month })
            }
            _ => {
                self.at = after_month;
                self.mark(&['.']);
                month.map(|month| Date { year: 0, month: Some(month) })
            }
        }
    }

    /// Whether a number counts classes or grades rather than days: the 8 of `Grade 8 Aug 2014`, `Years 7–8 May 2014`.
    fn is_class(&self) -> bool {
        let mut before = self.tokens[..self.at].iter().rev().map(|token| token.what).peekable();
        if before.next_if(|what| matches!(what, What::Mark('–' | '—' | '-' | '/' | '‑'))).is_some()
            && !matches!(before.next(), Some(What::Number(..)))
        {
            return false;
        }
        let space = before.next_if_eq(&What::Space).is_some();
        let is_one = |word: &str| vocabulary().classes.contains(&folded(word));
        space && matches!(before.next(), Some(What::Word(word)) if is_one(word))
    }

    /// `2020`, `2020-03`, `2020-03-15`, `03/2020`, `15.03.2020`.
    fn numeric(&mut self) -> Option<Date> {
        let Some(What::Number(first, digits)) = self.what() else { return None };
        self.at += 1;
        if digits == 4 && is_year(first) {
            let year = narrow(first);
            let month = self.joined(&['-', '/', '.'], 2, |number| (1..=12).contains(&number));
            if month.is_some() {
                let _day = self.joined(&['-', '/', '.'], 2, |number| (1..=31).contains(&number));
            }
            return Some(Date { year, month: month.map(small) });
        }
        if digits > 2 || !(1..=31).contains(&first) {
            return None;
        }
        let marks = ['/', '.', '-'];
        let apart = |reader: &mut Self| (digits == 2).then(|| reader.apart()).flatten();
        if let Some(year) = self.joined(&marks, 4, is_year).or_else(|| apart(self)) {
            return (first <= 12).then(|| Date { year: narrow(year), month: Some(small(first)) });
        }
        let european = self.tokens.get(self.at).is_some_and(|token| token.what == What::Mark('.'));
        let second = self.joined(&marks, 2, |number| (1..=31).contains(&number))?;
        let year = narrow(self.joined(&marks, 4, is_year)?);
        // With dots the day comes first; with slashes it depends on the country, so only a number above 12 tells.
        let month = match (first, second) {
            (_, month) if (european || self.day_first) && month <= 12 => Some(small(month)),
            (1..=12, 13..) => Some(small(first)),
            (13.., 1..=12) => Some(small(second)),
            (first, second) if first == second => Some(small(first)),
            _ => None,
        };
        self.is_vague |= month.is_none();
        Some(Date { year, month })
    }

    /// A mark and a number right after it.
    fn joined(&mut self, marks: &[char], digits: usize, fits: impl Fn(u32) -> bool) -> Option<u32> {
        let begin = self.at;
        if self.mark(marks)
            && let Some(What::Number(number, written)) = self.what()
            && (written == digits || (digits == 2 && written == 1))
            && fits(number)
        {
            self.at += 1;
            return Some(number);
        }
        self.at = begin;
        None
    }

    /// The year of `08 / 2022`.
    fn apart(&mut self) -> Option<u32> {
        let begin = self.at;
        let next = self.tokens.get(begin..begin + 4)?;
        let is_space = |token: &Token<'_>| token.what == What::Space && !token.is_gap;
        let is_apart = is_space(&next[0]) && next[1].what == What::Mark('/') && is_space(&next[2]);
        match next[3].what {
            What::Number(year, 4) if is_apart && is_year(year) => {
                self.at += 4;
                Some(year)
            }
            _ => None,
        }
    }

    /// The second date of a period, written as the first was.
    fn end(&mut self, brief: bool, start: Date) -> Option<Date> {
        if brief {
            return self.brief().filter(|end| !end.is_before(start));
        }
        self.date().or_else(|| self.short_year(start))
    }

    /// `03/19`, `03.19`: a month and a year of two digits, which make sense only in a period.
    fn brief(&mut self) -> Option<Date> {
        let begin = self.at;
        if let Some(What::Number(month @ 1..=12, digits @ (1 | 2))) = self.what() {
            self.at += 1;
            let marks: &[char] = if digits == 2 { &['/', '.'] } else { &['/'] };
            if let Some(year) = self.joined(marks, 2, |_| true)
                && !matches!(self.what(), Some(What::Mark('/' | '.' | '%') | What::Word(_)))
                && matches!(self.tokens[self.at - 1].what, What::Number(_, 2))
            {
                return Some(Date { year: century(year), month: Some(small(month)) });
            }
        }
        self.at = begin;
        None
    }

    /// The `21` of `2019–21`.
    fn short_year(&mut self, start: Date) -> Option<Date> {
        let Some(What::Number(short, 2)) = self.what() else { return None };
        let year = start.year / 100 * 100 + narrow(short);
        (year > start.year).then(|| {
            self.at += 1;
            Date { year, month: None }
        })
    }

    /// A dash or `to` between two dates.
    fn separator(&mut self) -> bool {
        let begin = self.at;
        self.spaces();
        self.mark(&[',']);
        self.spaces();
        let mut found = false;
        while self.mark(&['-', '–', '—', '−', '‐', '‑', '~', '→', '>']) {
            found = true;
            self.spaces();
        }
        found = found || self.slash();
        let marked = self.at;
        // `2019 – today`, `2019 till date`: what leads to the end may be part of the word for it.
        if self.phrase(&vocabulary().present) {
            let has_lead = found || self.at - marked > 1;
            self.at = if has_lead { marked } else { begin };
            return has_lead;
        }
        found = self.phrase(&vocabulary().between) || found;
        if found {
            self.spaces();
        } else {
            self.at = begin;
        }
        found
    }

    /// `Jun 2019 Feb 2022`, `Mar 2022 today`: what ends a period right behind its first date, in a narrow column where a
    /// dash is drawn or left out. The end, and whether it lasts instead.
    fn beside(&mut self, start: Date) -> Option<(Option<Date>, bool)> {
        let begin = self.at;
        self.spaces();
        if self.at > begin && start.year > 0 && start.month.is_some() {
            if self.phrase(&vocabulary().present) {
                return Some((None, true));
            }
            let is_end = |end: &Date| end.month.is_some() && end.year > 0 && !end.is_before(start);
            if let Some(end) = self.date().filter(is_end) {
                return Some((Some(end), false));
            }
        }
        self.at = begin;
        None
    }

    /// `Summers 2009 and 2010`: the last of two years behind a season.
    fn another(&mut self, first: usize) -> Option<Date> {
        let begin = self.at;
        let is = |what: What<'_>, words: &HashSet<String>| matches!(what, What::Word(word) if words.contains(&folded(word)));
        self.spaces();
        if is(self.tokens[first].what, &vocabulary().seasons)
            && self.what().is_some_and(|what| is(what, &vocabulary().linking))
        {
            self.at += 1;
            self.spaces();
            if let Some(What::Number(year, 4)) = self.what()
                && is_year(year)
            {
                self.at += 1;
                return Some(Date { year: narrow(year), month: None });
            }
        }
        self.at = begin;
        None
    }

    /// `2019-03 / 2021-07`, `2019/2021`, `Winter 2019/20`: a slash with spaces around it, before a whole year, or between
    /// a year and the next one.
    fn slash(&mut self) -> bool {
        let begin = self.at;
        let space = begin > 0 && self.tokens[begin - 1].what == What::Space;
        if self.mark(&['/']) {
            let whole = matches!(self.what(), Some(What::Number(year, 4)) if is_year(year));
            let next =
                match (self.tokens.get(begin.wrapping_sub(1)).map(|token| token.what), self.what())
                {
                    (Some(What::Number(year, 4)), Some(What::Number(next, 2))) => {
                        is_year(year) && next == (year + 1) % 100
                    }
                    _ => false,
                };
            if whole || next || space && self.what() == Some(What::Space) {
                self.spaces();
                return true;
            }
        }
        self.at = begin;
        false
    }

    fn onwards(&mut self) -> bool {
        let begin = self.at;
        self.spaces();
        let found = self.phrase(&vocabulary().onwards);
        if !found {
            self.at = begin;
        }
        found
    }

    /// `de` between a month and its year.
    fn of(&mut self) {
        let begin = self.at;
        if let Some(What::Word(word)) = self.what()
            && vocabulary().of.contains(&folded(word))
        {
            self.at += 1;
            self.spaces();
        } else {
            self.at = begin;
        }
    }

    /// One of these phrases.
    fn phrase(&mut self, phrases: &Phrases) -> bool {
        let begin = self.at;
        self.spaces();
        let first = self.tokens.get(self.at).and_then(Token::folded).unwrap_or_default();
        for phrase in phrases.beginning_with(first) {
            self.at = begin;
            let is_next = phrase.iter().all(|wanted| {
                self.spaces();
                let found = self.tokens.get(self.at).is_some_and(|token| token.reads(wanted));
                self.at += usize::from(found);
                found
            });
            if is_next {
                return true;
            }
        }
        self.at = begin;
        false
    }

    fn what(&self) -> Option<What<'a>> {
        self.tokens.get(self.at).map(|token| token.what)
    }

    fn spaces(&mut self) {
        while self.what() == Some(What::Space) {
            self.at += 1;
        }
    }

    fn mark(&mut self, marks: &[char]) -> bool {
        let found = matches!(self.what(), Some(What::Mark(mark)) if marks.contains(&mark));
        self.at += usize::from(found);
        found
    }

    /// One of these words.
    fn word_of(&mut self, words: &[&str]) -> bool {
        let found = matches!(self.what(), Some(What::Word(word)) if words.contains(&word.to_lowercase().as_str()));
        self.at += usize::from(found);
        found
    }
}

/// Short English months, after which two digits are a year.
fn is_english_short(word: &str) -> bool {
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        .contains(&word)
}

const fn is_year(year: u32) -> bool {
    matches!(year, 1940..=2079)
}

const fn is_full_year(what: What<'_>) -> bool {
    matches!(what, What::Number(year, 4) if is_year(year))
}

const fn century(year: u32) -> u16 {
    if year < 50 { 2000 + narrow(year) } else { 1900 + narrow(year) }
}

#[expect(clippy::cast_possible_truncation, reason = "checked to have at most four digits")]
const fn narrow(year: u32) -> u16 {
    year as u16
}

#[expect(clippy::cast_possible_truncation, reason = "checked to be at most 31")]
const fn small(number: u32) -> u8 {
    number as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_whole_where_nothing_else_stands_beside_them() {
        for text in ["2017 – 2019", "May 2019 – today", "2021"] {
            assert!(is_period(text), "{text}");
        }
        for text in ["2017 – 2019 Fitter", "Fitter 2017 – 2019", "Fitter", ""] {
            assert!(!is_period(text), "{text}");
        }
    }

    fn said(line: &str) -> String {
        match find(line) {
            None => "nothing".to_owned(),
            Some(period) => {
                let date = |date: Option<Date>| {
                    date.map_or_else(|| "…".to_owned(), |date| date.to_string())
                };
                let end = if period.lasts { "now".to_owned() } else { date(period.end) };
                format!("{} to {end} [{}]", date(period.start), &line[period.at])
            }
        }
    }

    #[test]
    fn periods_are_read_in_many_shapes() {
        for (line, expected) in [
            ("Jan 2020 – Present", "2020-01 to now [Jan 2020 – Present]"),
            ("Engineer 2019-2021", "2019 to 2021 [2019-2021]"),
            ("03/2018 - 11/2020", "2018-03 to 2020-11 [03/2018 - 11/2020]"),
            ("3/2018–now", "2018-03 to now [3/2018–now]"),
            ("June 2016 to February 2020", "2016-06 to 2020-02 [June 2016 to February 2020]"),
            ("Sept. 2015 - Dec. 2016", "2015-09 to 2016-12 [Sept. 2015 - Dec. 2016]"),
            ("(Oct '09 — May '11)", "2009-10 to 2011-05 [Oct '09 — May '11]"),
            ("2019–21", "2019 to 2021 [2019–21]"),
            ("2019-03 – 2020-04", "2019-03 to 2020-04 [2019-03 – 2020-04]"),
            ("01.09.2011 - 31.08.2013", "2011-09 to 2013-08 [01.09.2011 - 31.08.2013]"),
            ("June – August 2019", "2019-06 to 2019-08 [June – August 2019]"),
            ("2019-03 / 2021-07", "2019-03 to 2021-07 [2019-03 / 2021-07]"),
            ("2021-08 / present", "2021-08 to now [2021-08 / present]"),
            ("2018/2019", "2018 to 2019 [2018/2019]"),
            ("03/19 – 11/20", "2019-03 to 2020-11 [03/19 – 11/20]"),
            ("03.19 - now", "2019-03 to now [03.19 - now]"),
            ("24/7 and 10/20 cases", "nothing"),
            ("Since 2018", "2018 to now [Since 2018]"),
            ("2018 onwards", "2018 to now [2018 onwards]"),
            ("Summer 2014", "… to 2014 [Summer 2014]"),
            ("Sommer 2009 und 2010", "2009 to 2010 [Sommer 2009 und 2010]"),
            ("Otoños de 2008 y 2009", "2008 to 2009 [Otoños de 2008 y 2009]"),
            ("Étés 2009 et 2010", "2009 to 2010 [Étés 2009 et 2010]"),
            ("Graduated May 2013", "… to 2013-05 [May 2013]"),
            ("from March 2020 until today", "2020-03 to now [from March 2020 until today]"),
            ("12 March 2020 - 4 April 2021", "2020-03 to 2021-04 [12 March 2020 - 4 April 2021]"),
            ("2004/09 - 2006/07", "2004-09 to 2006-07 [2004/09 - 2006/07]"),
            ("04/05/2019 - 25/06/2020", "2019-05 to 2020-06 [04/05/2019 - 25/06/2020]"),
            ("Grades 6–8\tAug 2014 – Jun 2022", "2014-08 to 2022-06 [Aug 2014 – Jun 2022]"),
            ("Klassen 5–10 März 2014 – Juni 2022", "2014-03 to 2022-06 [März 2014 – Juni 2022]"),
            ("08 / 2022 – today", "2022-08 to now [08 / 2022 – today]"),
            ("05 / 2019 – 07 / 2022", "2019-05 to 2022-07 [05 / 2019 – 07 / 2022]"),
            ("06 / 2012\tMatura", "… to 2012-06 [06 / 2012]"),
            ("Winter 2012/13", "2012 to 2013 [Winter 2012/13]"),
            ("zomers 2010 – 2013", "2010 to 2013 [zomers 2010 – 2013]"),
            ("groep 8 sep. 2014 – heden", "2014-09 to now [sep. 2014 – heden]"),
        ] {
            assert_eq!(said(line), expected, "{line}");
        }
    }

    #[test]
    fn a_date_of_which_a_part_was_not_read_is_vague() {
        let is_vague = |line: &str| find(line).is_some_and(|period| period.is_vague);
        for line in ["05/04/2019 – today", "19 / 2020", "2019 / 14"] {
            assert!(is_vague(line), "{line}");
        }
        for line in ["05/2019 – today", "13/04/2019", "Winter 2012/13", "Engineer II. 2019"] {
            assert!(!is_vague(line), "{line}");
        }
    }

    #[test]
    fn other_numbers_are_no_dates() {
        for line in [
            "+44 20 7946 0018",
            "$2019 raised",
            "may the best engineer win",
            "Room 2150, 3rd floor",
            "12345678901234567890",
            "99/2020",
            "",
            "–",
        ] {
            assert_eq!(said(line), "nothing", "{line}");
        }
    }

    #[test]
    fn a_bare_year_is_not_before_itself() {
        let date = |year, month| Date { year, month };
        assert!(date(2019, None).is_before(date(2020, Some(1))));
        assert!(!date(2020, None).is_before(date(2020, Some(3))));
        assert!(date(2020, Some(2)).is_before(date(2020, Some(3))));
    }
}
