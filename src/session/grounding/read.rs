//! Numbers, dates and times as people write them.

mod many;
mod when;

use super::{exact::Exact, words};

/// Something in a text, with the place where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// Where it begins, in bytes of the text.
    pub(super) at: usize,
    /// As it is written.
    pub(super) text: String,
    pub(super) item: Item,
    /// It is the number of a part, an ordinal, a word without a unit: no figure.
    exempt: bool,
    label: bool,
    /// Where it ends, in characters.
    end: usize,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    /// A number, with all that it may mean.
    Number {
        readings: Vec<Exact>,
        /// A minus stands before it.
        negative: bool,
        percent: bool,
        /// It is said to be rounded.
        rounded: Option<Side>,
    },
    /// A date, with all that it may mean.
    Days(Vec<Day>),
    /// A time of day.
    Time(u8, u8),
    /// A name or an address with digits.
    Literal(String),
}

/// On which side of a rounded number the exact value lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Either,
    Above,
    Below,
}

/// A date; a part of it may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day {
    pub(super) year: Option<u16>,
    pub(super) month: u8,
    pub(super) number: Option<u8>,
}

impl Day {
    fn new(year: Option<&str>, month: &str, day: &str) -> Option<Self> {
        let year = match year {
            Some(year) => Some(year.parse().ok()?),
            None => None,
        };
        let (month, day) = (month.parse().ok()?, day.parse().ok()?);
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(Self {
            year,
            month,
            number: Some(day),
        })
    }
}

/// Everything in a text that may bear a number out.
pub(super) fn all(text: &str) -> Vec<Found> {
    Reader::new(text).read()
}

/// Everything in a text that needs a source.
pub(super) fn claims(text: &str) -> Vec<Found> {
    all(text).into_iter().filter(|found| !found.exempt).collect()
}

/// The characters of a text, digits of all scripts as ours, and where each stands in it.
struct Reader<'a> {
    original: &'a str,
    chars: Vec<char>,
    places: Vec<usize>,
    at: usize,
    /// Up to here stands no address that does not begin with `www.`.
    no_address: usize,
    found: Vec<Found>,
}

/// Spaces that part the groups of a number.
const NARROW: [char; 4] = ['\u{a0}', '\u{2009}', '\u{202f}', '\u{2007}'];

const DASHES: [char; 6] = ['-', '\u{2010}', '\u{2011}', '–', '—', '−'];

const CURRENCIES: [char; 6] = ['$', '€', '£', '¥', '₹', '₽'];

/// Short names of currencies that are no names of anything else with a digit behind them, as `PHP8` and `COP28` are.
const CODES: [&str; 31] = [
    "usd", "eur", "gbp", "chf", "sek", "nok", "dkk", "jpy", "cad", "aud", "inr", "us", "rs", "fr",
    "kr", "sfr", "pln", "czk", "huf", "brl", "mxn", "zar", "sgd", "hkd", "nzd", "cny", "rmb",
    "krw", "aed", "ils", "uah",
];

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let (mut chars, mut places) = (Vec::new(), Vec::new());
        for (place, c) in text.char_indices() {
            // What nobody sees parts no number.
            if matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
            {
                continue;
            }
            for c in plain(c) {
                chars.push(c);
                places.push(place);
            }
        }
        places.push(text.len());
        Self { original: text, chars, places, at: 0, no_address: 0, found: Vec::new() }
    }

    fn read(mut self) -> Vec<Found> {
        while self.at < self.chars.len() {
            let start = self.at;
            let c = self.chars[start];
            let begins = start == 0 || !self.chars[start - 1].is_alphanumeric();
            if begins && self.address() {
                continue;
            }
            if c.is_ascii_digit() {
                self.digits();
            } else if c.is_alphabetic() {
                self.word();
            } else {
                self.at += 1;
            }
            if self.at <= start {
                self.at = start + 1;
            }
        }
        self.found
    }

    fn char(&self, at: usize) -> char {
        self.chars.get(at).copied().unwrap_or('\0')
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.chars.get(from..to.min(self.chars.len())).unwrap_or_default().iter().collect()
    }

    /// What stands from there to here, as it was written.
    fn written(&self, from: usize) -> String {
        self.original.get(self.places[from]..self.places[self.at]).unwrap_or_default().to_owned()
    }

    fn push(&mut self, from: usize, item: Item, exempt: bool) {
        let text = self.text(self.opening(from), self.at).trim().to_owned();
        self.found.push(Found {
            at: self.places[from],
            text,
            item,
            exempt,
            label: false,
            end: self.at,
        });
    }

    /// Where a number with its sign and currency begins.
    fn opening(&self, from: usize) -> usize {
        let mut start = from;
        while start > 0
            && (CURRENCIES.contains(&self.char(start - 1))
                || DASHES.contains(&self.char(start - 1)))
        {
            start -= 1;
        }
        start
    }

    fn run(&self, from: usize, is: impl Fn(char) -> bool) -> usize {
        let mut end = from;
        while end < self.chars.len() && is(self.chars[end]) {
            end += 1;
        }
        end
    }

    /// An address: `https://…`, `www.…`, `a@b.c`. Whether there was one.
    fn address(&mut self) -> bool {
        if !self.char(self.at).is_alphanumeric() {
            return false;
        }
        let is_web = self.text(self.at, self.at + 4).eq_ignore_ascii_case("www.");
        if self.at < self.no_address && !is_web {
            return false;
        }
        let ends =
            |c: char| !c.is_whitespace() && !matches!(c, '<' | '>' | '"' | '“' | '”' | '|' | '`');
        let end = self.run(self.at, ends);
        let whole = self.text(self.at, end);
        let is_address = is_web
            || whole.contains("://")
            || whole.split_once('@').is_some_and(|(_, host)| host.contains('.'));
        if !is_address {
            self.no_address = end;
            return false;
        }
        let trimmed = whole.trim_end_matches(['.', ',', ';', ':', ')', ']', '!', '?', '\'', '*']);
        let from = self.at;
        self.at += trimmed.chars().count().max(1);
        let literal = self.written(from);
        self.push(from, Item::Literal(literal), false);
        true
    }

    fn word(&mut self) {
        let from = self.at;
        let end = self.run(from, char::is_alphabetic);
        let written = self.text(from, end);
        let word = written.to_lowercase();
        self.at = end;
        if self.char(end).is_ascii_digit() {
            let amount = self.run(end, |c| c.is_ascii_digit() || c == ',');
            let digits = self.text(end, amount).matches(|c: char| c.is_ascii_digit()).count();
            let is_code = written.len() == 3 && written.bytes().all(|c| c.is_ascii_uppercase());
            let is_currency = CODES.contains(&word.as_str())
                || word == "x"
                || word == "ca"
                || (is_code && digits >= 3);
            // `S3`, `v2`, `IPv6`: a name. `EUR500`, `XYZ500`, `saves500`: a number after all.
            let is_name = written.chars().count() <= 4 || written.contains(char::is_uppercase);
            if !is_currency && is_name {
                self.name();
            }
            return;
        }
        let dashed = self.char(end) == '-' && self.char(end + 1).is_ascii_digit();
        if dashed
            && written.contains(char::is_uppercase)
            && !CODES.contains(&word.as_str())
            && written.chars().count() > 1
        {
            // `GPT-4`, `COVID-19`.
            self.name();
            return;
        }
        if let Some(month) = words::month(&word).filter(|_| written.starts_with(char::is_uppercase))
            && self.after_month(from, month)
        {
            return;
        }
        if words::number(&word).is_some() {
            self.number_words(from);
        }
    }

    /// Leaves the rest of a name with digits behind.
    fn name(&mut self) {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        loop {
            self.at = self.run(self.at, is_part);
            if self.char(self.at) == '.' && self.char(self.at + 1).is_ascii_digit() {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// What stands right before a place, for a look at the words.
    fn before(&self, from: usize) -> String {
        let start = self.opening(from);
        self.text(start.saturating_sub(24), start)
    }

    fn digits(&mut self) {
        if self.date() || self.time() {
            return;
        }
        let from = self.at;
        let Some((readings, end)) = self.number() else {
            // `1.2.3`: compared as it stands.
            self.at = self.run(from, |c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\''));
            while matches!(self.char(self.at - 1), '.' | ',' | '\'') {
                self.at -= 1;
            }
            let literal = self.written(from);
            self.push(from, Item::Literal(literal), false);
            return;
        };
        self.at = end;
        let mut number = Number { readings, percent: false, power: None, exempt: false };
        self.suffix(from, &mut number);
        let negative = self.is_negative(from);
        let before = self.before(from);
        let mut rounded = words::rounding(&before);
        let label = self.is_label(from, end, &before, &number);
        let range = self.range_before(from);
        let mut exempt = number.exempt || label || self.is_marker(from, end);
        if let Some(previous) = range {
            self.join(previous, &mut number, &mut rounded);
            exempt |= self.found[previous].label && !number.percent && number.power.is_none();
        }
        let Number { readings, percent, .. } = number;
        self.push(from, Item::Number { readings, negative, percent, rounded }, exempt);
        if let Some(last) = self.found.last_mut() {
            last.label = exempt && (label || range.is_some());
        }
    }

    /// The number that ends right before this one's dash, `to` or `and`.
    fn range_before(&self, from: usize) -> Option<usize> {
        let last = self.found.len().checked_sub(1)?;
        let Item::Number { .. } = self.found[last].item else { return None };
        let between = self.text(self.found[last].end, from).to_lowercase();
        let between = between.trim_matches(|c: char| c.is_whitespace() || CURRENCIES.contains(&c));
        let is_dash = between.chars().count() == 1 && between.chars().all(|c| DASHES.contains(&c));
        (is_dash || matches!(between, "to" | "and" | "&" | "/" | "," | "bis" | "und" | "or"))
            .then_some(last)
    }

    fn is_negative(&self, from: usize) -> bool {
        let mut at = from;
        while at > 0 && (CURRENCIES.contains(&self.char(at - 1))) {
            at -= 1;
        }
        let Some(sign) = at.checked_sub(1) else { return false };
        // Long dashes part clauses.
        matches!(self.char(sign), '-' | '−' | '\u{2011}')
            && sign.checked_sub(1).is_none_or(|before| {
                let c = self.char(before);
                !(c.is_alphanumeric()
                    || matches!(c, ')' | '%' | '-' | '.')
                    || CURRENCIES.contains(&c))
            })
    }

    /// `Module 2`, `page 7`, `#4`: which one, not how many.
    fn is_label(&self, from: usize, end: usize, before: &str, number: &Number) -> bool {
        let is_small = self.run(from, |c| c.is_ascii_digit()) == end && end - from <= 2;
        let is_section =
            self.run(from, |c| c.is_ascii_digit() || c == '.') == end && end - from <= 5;
        if number.percent || number.power.is_some() || !(is_small || is_section) {
            return false;
        }
        if CURRENCIES.contains(&self.char(from.wrapping_sub(1))) {
            return false;
        }
        let before = before.trim_end();
        if before.ends_with(['#', '§', '№']) {
            return is_small;
        }
        let word: String = before
            .trim_end_matches('.')
            .chars()
            .rev()
            .take_while(|c| c.is_alphabetic())
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        words::is_label(&word.to_lowercase(), self.char(end) == ':')
    }

    /// A number that begins a line and counts it: `1.`, `2)`, `1.1`.
    fn is_marker(&self, from: usize, end: usize) -> bool {
        let begins = self.chars[..from]
            .iter()
            .rev()
            .take_while(|c| **c != '\n')
            .all(|c| c.is_whitespace() || matches!(c, '(' | '*' | '#' | '['));
        let whole = self.text(from, end);
        let is_small = whole.split('.').all(|part| part.len() <= 2);
        let stands_off = self.char(end + 1).is_whitespace() || self.char(end + 1) == '\0';
        let closes = matches!(self.char(end), '.' | ')' | ']') && stands_off;
        let is_section = whole.contains('.')
            && whole.len() <= 3
            && self.char(end) == ' '
            && self.char(end + 1).is_uppercase();
        begins && is_small && (closes || is_section)
    }
}

/// A number while it is read.
struct Number {
    readings: Vec<Exact>,
    percent: bool,
    /// It was written in thousands or more: by how many noughts.
    power: Option<i32>,
    exempt: bool,
}

/// A character as digits of ours, or as itself.
fn plain(c: char) -> Vec<char> {
    let halves = match c {
        '½' => Some(" 0.5"),
        '¼' => Some(" 0.25"),
        '¾' => Some(" 0.75"),
        '¹' => Some("1"),
        '²' => Some("2"),
        '³' => Some("3"),
        _ => None,
    };
    if let Some(text) = halves {
        return text.chars().collect();
    }
    let zeros = [
        0x660_u32, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66,
        0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810, 0xff10, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec,
        0x1d7f6, 0x2070, 0x2080,
    ];
    let code = u32::from(c);
    let digit = zeros.iter().find_map(|zero| code.checked_sub(*zero).filter(|digit| *digit < 10));
    match digit.and_then(|digit| char::from_digit(digit, 10)) {
        Some(digit) if !c.is_ascii() => vec![digit],
        _ => vec![c],
    }
}
