//! Figures and quotations that bear on nothing: what a model wrote beside what it was given, compared by code.
//!
//! A model that writes a memo writes numbers into it, and some of them are nobody's. [`Sources`] holds what it was
//! given: what people said, what tools came to, what was stored. [`Sources::doubts`] lists every number and every
//! quotation in a text that stands in none of it.
//!
//! **Numbers** are compared by value in their usual writings: `1,250.50`, `1.250,50`, `1 250`, `1'250`, `$10k`, `1.5
//! million`, `40 %`, `forty percent`, `3x`, `6–12`, digits of other scripts. `1.250` may be read in two ways, and both
//! count. A per cent also stands for the fraction that a tool gave (`0.85`, `85 %`). A sign must be borne out where the
//! text has a minus. Dates are compared as dates (`2026-11-22`, `22 November 2026`), times of day as times.
//!
//! **Rounding** must be said (`about`, `≈`, `nearly`, `more than`), the exact value must round to what stands there, on
//! the side that the word names, and be at most a twentieth away.
//!
//! **What is no figure:** numbers of lists, headings, modules, days, pages and sections, ordinals, names with digits
//! (`S3`, `GPT-4`), and what stands in an address that was copied from a source; one that was not is doubtful itself. Number words count only before a unit
//! (`ten hours`), since `one of them` is no figure.
//!
//! **Quotations** of three words or more, and quoted paragraphs, must stand in one source word by word; case, punctuation
//! and what an ellipsis leaves out do not matter.
//!
//! **Results of tools** are added without what they repeat of their call ([`without_echo`]): else a model that searches for
//! a figure would have it from the search.
//!
//! What this does not see: a number that was given for something else. It says where a number may come from, not that it
//! is used rightly.

mod echo;
mod exact;
mod plain;
mod quotes;
mod read;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::Value;

pub use self::{echo::without_echo, plain::sentence_of, quotes::wordwise};
use self::{
    exact::Exact,
    read::{Day, Found, Item, Side},
};

/// Largest share by which a stated rounding may be off: one part in so many.
const ROUNDING: f64 = 20.0;

/// Shortest text without spaces that may be a name made of digits and letters, such as an id or a digest.
const NAME_MIN: usize = 16;

/// Something in a text that stands in no source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doubt {
    /// A number or a quotation.
    pub kind: Kind,
    /// As the text has it: `$12,000`, `“a game changer for us”`.
    pub what: String,
    /// The sentence around it.
    pub sentence: String,
}

/// What is doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A number, a date, a time, or an address that was not copied.
    Figure,
    /// Words in quotation marks.
    Quotation,
}

/// What a text may rest on.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Values without their sign, and whether each was ever below nought.
    numbers: BTreeMap<Exact, bool>,
    /// Numbers that a tool gave as such and that may be shares of one.
    shares: HashSet<Exact>,
    days: BTreeSet<Day>,
    times: BTreeSet<(u8, u8)>,
    /// Every text in small letters, for names and addresses.
    texts: Vec<String>,
    /// Every text word by word, for quotations.
    spoken: Vec<String>,
}

impl Sources {
    /// Adds what somebody wrote, or any other text.
    pub fn add_text(&mut self, text: &str) {
        for Found { item, .. } in read::all(text) {
            self.add_item(item);
        }
        self.texts.push(small(text));
        self.spoken.push(wordwise(text));
    }

    /// Adds a tool's result or a record: its numbers as they are, its texts as texts. Ids and digests give no numbers.
    pub fn add_value(&mut self, value: &Value) {
        match value {
            Value::Number(number) => {
                let text = number.to_string();
                if let Some(exact) = Exact::of_json(&text) {
                    let size = exact.as_f64();
                    // A whole one is one of something: the whole is written `1.0`.
                    let is_share = size < 1.0 || (size <= 1.0 && text.contains('.'));
                    if is_share {
                        self.shares.insert(exact.clone());
                    }
                    self.add_number(exact, text.starts_with('-'));
                }
            }
            Value::String(text) if is_name(text) => self.texts.push(small(text)),
            Value::String(text) => self.add_text(text),
            Value::Array(items) => items.iter().for_each(|item| self.add_value(item)),
            Value::Object(members) => members.values().for_each(|member| self.add_value(member)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Adds a number that whoever reads the text can count for themselves.
    pub(crate) fn add_count(&mut self, count: usize) {
        if let Some(exact) = Exact::of_json(&count.to_string()) {
            self.add_number(exact, false);
        }
    }

    fn add_item(&mut self, item: Item) {
        match item {
            Item::Number { readings, negative, .. } => {
                for reading in readings {
                    self.add_number(reading, negative);
                }
            }
            Item::Days(days) => self.days.extend(days),
            Item::Time(hour, minute) => _ = self.times.insert((hour, minute)),
            Item::Literal(_) => {}
        }
    }

    fn add_number(&mut self, number: Exact, negative: bool) {
        *self.numbers.entry(number).or_default() |= negative;
    }

    /// Every figure and quotation of a `CommonMark` text that stands in no source, in its order.
    pub fn doubts(&self, markdown: &str) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        for block in plain::blocks(markdown) {
            doubts.extend(self.figures_in(&block.text));
            doubts.extend(self.quotations_in(&block.text));
            if block.is_quote && !self.has_said(&block.text) {
                let what = block.text.trim().to_owned();
                doubts.push(Doubt { kind: Kind::Quotation, sentence: what.clone(), what });
            }
        }
        doubts
    }

    /// Every figure and quotation that stands in no source, in a text that is no `CommonMark`.
    pub fn doubts_in_plain(&self, text: &str) -> Vec<Doubt> {
        let mut doubts = self.figures_in(text);
        doubts.extend(self.quotations_in(text));
        doubts
    }

    /// Whether these words stand in one source, one after the other. No words stand everywhere.
    pub fn has_said(&self, words: &str) -> bool {
        let parts = quotes::parts(words);
        let in_order = |spoken: &String| {
            let mut rest = spoken.as_str();
            parts.iter().all(|part| {
                let after = rest.find(part.as_str()).map(|at| at + part.len());
                // The blank behind one part is the one before the next.
                after.and_then(|after| rest.get(after - 1..)).is_some_and(|left| {
                    rest = left;
                    true
                })
            })
        };
        parts.is_empty() || self.spoken.iter().any(in_order)
    }

    fn figures_in(&self, text: &str) -> Vec<Doubt> {
        let doubtful = read::claims(text).into_iter().filter(|found| !self.bears(&found.item));
        doubtful
            .map(|found| Doubt {
                kind: Kind::Figure,
                what: found.text.clone(),
                sentence: sentence_of(text, found.at),
            })
            .collect()
    }

    fn quotations_in(&self, text: &str) -> Vec<Doubt> {
        let doubtful = quotes::claims(text).into_iter().filter(|(_, words)| !self.has_said(words));
        doubtful
            .map(|(at, words)| Doubt {
                kind: Kind::Quotation,
                what: format!("“{words}”"),
                sentence: sentence_of(text, at),
            })
            .collect()
    }

    fn bears(&self, item: &Item) -> bool {
        match item {
            Item::Number { readings, negative, percent, rounded, .. } => {
                readings.iter().any(|reading| {
                    self.has_number(reading, *negative)
                        || (*percent && self.shares.contains(&reading.shifted(-2)))
                        || rounded.is_some_and(|side| self.rounds_to(reading, *negative, side))
                        || (!negative && self.is_year(reading))
                })
            }
            Item::Days(days) => days.iter().any(|day| self.has_day(*day)),
            Item::Time(hour, minute) => self.times.contains(&(*hour, *minute)),
            Item::Literal(text) => {
                let text = small(text);
                self.texts.iter().any(|known| known.contains(&text))
            }
        }
    }

    fn has_number(&self, number: &Exact, negative: bool) -> bool {
        self.numbers.get(number).is_some_and(|was_negative| *was_negative || !negative)
    }

    fn rounds_to(&self, stated: &Exact, negative: bool, side: Side) -> bool {
        let about = stated.as_f64();
        self.numbers.iter().any(|(exact, was_negative)| {
            let value = exact.as_f64();
            let is_near = (value - about).abs() * ROUNDING <= about;
            let is_there = match side {
                Side::Either => true,
                Side::Above => value >= about,
                Side::Below => value <= about,
            };
            is_near
                && is_there
                && (*was_negative || !negative)
                && exact.rounded(stated.unit()) == *stated
        })
    }

    /// Whether a number is the year of a known date.
    fn is_year(&self, number: &Exact) -> bool {
        self.days.iter().any(|day| {
            day.year.is_some_and(|year| Exact::of_json(&year.to_string()).as_ref() == Some(number))
        })
    }

    /// A date that says less than a known one says nothing new.
    fn has_day(&self, day: Day) -> bool {
        self.days.iter().any(|known| {
            day.month == known.month
                && (day.year.is_none() || day.year == known.year)
                && (day.number.is_none() || day.number == known.number)
        })
    }
}

/// A text in small letters, letter by letter, so that a part of it becomes a part of the whole.
fn small(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// An id or a digest: one word of letters and digits.
fn is_name(text: &str) -> bool {
    text.len() >= NAME_MIN
        && !text.contains(char::is_whitespace)
        && text.contains(|c: char| c.is_ascii_digit())
        && text.contains(char::is_alphabetic)
        && !matches!(read::all(text).first(), Some(Found { item: Item::Days(_), at: 0, .. }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// What was said, what was written, and which of it is doubtful.
    const CASES: &[(&str, &str, &str)] = &[
        // Writings of one value.
        ("it costs 1250.50", "It costs 1,250.50.", ""),
        ("it costs 1250.50", "Es kostet 1.250,50 €.", ""),
        ("it costs 1,250", "It costs $1250", ""),
        ("it costs 1.250 Euro", "It costs €1,250", ""),
        ("we have 1 250 customers", "1,250 customers", ""),
        ("we have 1'250'000 rows", "1.25 million rows", ""),
        ("we have 1\u{202f}250 customers", "1250 customers", ""),
        ("about 10k a month", "$10,000 a month", ""),
        ("10000 a month", "10K a month, i.e. $10 k", ""),
        ("2 million", "$2M, €2m, 2 Mio, 2,000,000", ""),
        ("1.5bn", "1,500 million", ""),
        ("40 %", "40% and 40 percent and 40 per cent", ""),
        ("forty percent", "40 %", ""),
        ("40 percent", "forty percent", ""),
        ("ten hours a week", "10 hours", ""),
        ("10 hours", "ten hours", ""),
        ("twenty-five people", "25 people", ""),
        ("three hundred thousand dollars", "$300k", ""),
        ("two billion dollars", "$2bn, two billion", ""),
        ("PLN500000 or BRL77,000", "500,000 zł, 77 000 R$", ""),
        ("3x", "3×", ""),
        ("٤٠ hours", "４０ hours", ""),
        ("half: 0.5", "½ of it", ""),
        ("0.125", "0,125", ""),
        ("00042", "42", ""),
        ("6-12 months", "6–12 months, 6 to 12 months", ""),
        ("$10-20k", "between $10,000 and $20,000", ""),
        ("a loss of -2000", "a loss of 2,000", ""),
        // What comes from nowhere.
        ("5 people, 10 hours", "saves 200 hours", "200"),
        ("", "saves $12,000 a year", "$12,000"),
        ("", "a return of 312 %", "312 %"),
        ("2000", "you lose -2,000", "-2,000"),
        ("", "saves **4**0 hours", "40"),
        ("", "saves 4\u{200b}0 hours", "40"),
        ("", "saves ４０ hours", "40"),
        ("", "saves &#52;0 hours", "40"),
        ("", "saves fifty percent", "fifty"),
        ("", "pays off in six months", "six"),
        ("6 months", "pays off in 6-9 months", "-9"),
        ("", "| saved |\n|---|\n| 77 % |", "77 %"),
        ("", "EUR500 and saves500", "500; 500"),
        ("", "PLN500000, BRL77,000 and CZK5k", "500000; 77,000; 5k"),
        ("", "It costs $365", "$365"),
        ("", "| saved |\n|---|\n| 365 |", "365"),
        ("2 of 3", "two billion dollars", "two billion"),
        ("", "three trillion, four hundred reports", "three trillion; four hundred"),
        ("10 hours", "10.5 hours", "10.5"),
        ("1,25", "12.5", "12.5"),
        ("1250", "1.25", "1.25"),
        ("", "3x faster", "3"),
        ("", "version 1.2.3", "1.2.3"),
        ("", "- 5 times more", "5"),
        ("", "500. is where the list begins", "500"),
        ("", "# 90% less work", "90%"),
        ("", "`90` in code", "90"),
        ("", "<b>90</b>", "90"),
        ("", "Tier 4 million", "4 million"),
        // Rounding that is said.
        ("1,287", "about 1,300", ""),
        ("1,287", "≈1300", ""),
        ("1,287", "~ $1.3k", ""),
        ("1,287", "1,300", "1,300"),
        ("1,287", "nearly 1,300", ""),
        ("1,287", "more than 1,300", "1,300"),
        ("1,312", "more than 1,300", ""),
        ("14,000", "about 10,000", "10,000"),
        ("43", "about 40", "40"),
        ("41", "about 40", ""),
        ("5.7 and 11.8", "about 6 to 12", ""),
        ("9.96", "roughly 10", ""),
        // No figures.
        ("", "## Module 2: Testing\n\n1. First\n2. Second", ""),
        ("", "**Day 1** and day 2, Modules 3 and 4, page 7, section 2.1, § 5, #3", ""),
        ("", "## 2. Costs\n\n### 2.1 Licences\n\n3) That", ""),
        ("", "the 1st, 2nd and 3rd of them", ""),
        (
            "",
            "S3, GPT-4, Q3, IPv6, B2B, COVID-19, COP28, PHP8, v2.0, H2O, CO₂, 24/7, 3D, 5G, 2FA",
            "",
        ),
        ("", "one of them, two options, three things matter, one in a million", ""),
        ("", "I may go in May", ""),
        ("Week: ", "Week 1: begin", ""),
        ("", "in 3 weeks", "3"),
        // Addresses.
        (
            "see https://example.org/2024/07?x=9",
            "[here](https://example.org/2024/07?x=9) it is",
            "",
        ),
        ("", "[here](https://example.org/2024/07)", "https://example.org/2024/07"),
        ("", "write to ada99@example.org", "ada99@example.org"),
        ("", "see www.example.org/about.", "www.example.org/about"),
        ("ada99@example.org", "write to ada99@example.org.", ""),
        // Dates and times.
        ("on 2026-11-22", "on 22 November 2026, in November 2026, in 2026, on Nov 22nd", ""),
        ("on 22.11.2026", "2026-11-22 or 11/22/2026", ""),
        ("on 22 November", "on 2026-11-22", "2026-11-22"),
        ("on 2026-11-22", "on 23 November 2026", "23 November 2026"),
        ("in 2026", "in 2027", "2027"),
        ("at 15:00", "at 3 pm", ""),
        ("at 15:00", "at 9:30", "9:30"),
        ("2026-11-22T10", "on 22 November, at 10", ""),
        ("2026-11-22T1030", "on 22 November", ""),
        // Quotations.
        ("we lose days over it, honestly", "They said “we lose days over it”.", ""),
        ("we lose days over it", "They said \"we lose weeks over it\".", "“we lose weeks over it”"),
        ("We lose days … over IT!", "\"we lose days [...] over it\"", ""),
        ("wir verlieren Tage", "„Wir verlieren Tage“", ""),
        ("", "a so-called \"quick win\"", ""),
        ("", "> This changed our business.", "This changed our business."),
        ("This changed our business", "> This *changed* our business.", ""),
        ("it's 3 o'clock now", "“it’s 3 o’clock now”", ""),
        ("one two three four five", "“one two … four five”", ""),
        ("one two three four five", "“four five … one two”", "“four five … one two”"),
        ("one two one two", "“one two … one two … one two”", "“one two … one two … one two”"),
        ("we don't know what it costs", "They said ‘we don’t know what it costs’.", ""),
        ("the analysts' time is short", "‘the analysts’ time is short’", ""),
        ("", "They said ‘we don’t know what it costs’.", "“we don’t know what it costs”"),
        ("", "(‘it’s a game changer’)", "“it’s a game changer”"),
        ("", "the managers’ reports ‘til rock ‘n’ roll don’t help the analysts’ work", ""),
        (
            "",
            "“we lose days ‘every single week’ here”",
            "“we lose days ‘every single week’ here”; “every single week”",
        ),
    ];

    fn of(said: &str) -> Sources {
        let mut sources = Sources::default();
        sources.add_text(said);
        sources
    }

    #[test]
    fn every_case_of_the_table() {
        let mut wrong = Vec::new();
        for (said, text, expected) in CASES {
            let doubts: Vec<String> =
                of(said).doubts(text).into_iter().map(|doubt| doubt.what).collect();
            let found = doubts.join("; ");
            if found != *expected {
                wrong.push(format!("{said:?} / {text:?}: {found:?}, not {expected:?}"));
            }
        }
        assert!(CASES.len() >= 60);
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    #[test]
    fn results_of_tools_bear_numbers_out() {
        let mut sources = Sources::default();
        sources.add_value(&json!({
            "roi": "312.50", "monthly": 10000, "share": 0.85, "loss": -250.25, "small": 1.5e-3,
            "id": "upload_0198f2ab77", "at": "2026-11-22T15:04:05Z", "list": [7, "eight people"],
        }));
        let doubts = |text: &str| {
            let doubts = sources.doubts(text).into_iter().map(|doubt| doubt.what);
            doubts.collect::<Vec<_>>().join("; ")
        };
        let text = "312.5 %, $10k, 85 %, -250.25, 0.0015, on 22 November 2026 at 15:04, 7 and 8.";
        assert_eq!(doubts(text), "");
        assert_eq!(
            doubts("77 of 198 and 700 %"),
            "77; 198; 700 %",
            "ids give no numbers, and 7 is no share"
        );
        sources.add_count(3);
        assert!(sources.doubts("3 of them").is_empty());
    }

    #[test]
    fn a_whole_one_is_no_share() {
        let doubtful = |value: Value| {
            let mut sources = Sources::default();
            sources.add_value(&value);
            !sources.doubts("100 % of it").is_empty()
        };
        assert!(doubtful(json!({ "breakEvenMonths": 1 })) && !doubtful(json!({ "rate": 1.0 })));
    }

    #[test]
    fn words_of_two_sources_are_no_quotation() {
        let mut sources = of("we lose days");
        sources.add_text("over it");
        assert!(!sources.has_said("we lose days … over it") && sources.has_said("we … days"));
    }

    #[test]
    fn what_a_call_says_is_none_of_its_result() {
        let args = json!({
            "text": " Saves\n40 %", "list": ["seventy percent"], "symbol": "312", "one": "Rust",
            "url": "https://example.org/2024", "number": 7,
        });
        let result = json!({
            "title": "saves 40 %", "hits": ["Seventy percent", "It saves 40 %.", "Rust"], "symbol": 312,
            "was": "312", "url": "https://example.org/2024", "number": 7, "deep": { "query": "so 9 of them" },
        });
        let own = json!({
            "title": null, "hits": [null, "It saves 40 %.", "Rust"], "symbol": 312, "was": null,
            "url": "https://example.org/2024", "number": 7, "deep": {},
        });
        assert_eq!(without_echo(&result, &args), own);
    }

    /// Nobody waits for a text that is one word to the eye.
    #[test]
    fn a_long_run_without_an_address_is_read_once() {
        let run = "a,".repeat(100_000);
        assert_eq!(of("").doubts_in_plain(&format!("{run}www.example.org")).len(), 1);
        assert!(of("").doubts_in_plain(&run).is_empty());
    }

    #[test]
    fn a_doubt_says_where() {
        let doubts = of("").doubts("All is well. It saves $1.5M a year! Really.");
        let [Doubt { kind, what, sentence }] = &doubts[..] else { panic!("{doubts:?}") };
        assert_eq!((*kind, what.as_str()), (Kind::Figure, "$1.5M"));
        assert_eq!(sentence, "It saves $1.5M a year!");
    }

    /// A whole number in the writings of several countries.
    fn writings(value: u64) -> Vec<String> {
        let digits = value.to_string();
        let grouped = |separator: &str| {
            let mut groups: Vec<&str> = Vec::new();
            let mut rest = digits.as_str();
            while rest.len() > 3 {
                let (head, tail) = rest.split_at(rest.len() - 3);
                groups.push(tail);
                rest = head;
            }
            groups.push(rest);
            groups.into_iter().rev().collect::<Vec<_>>().join(separator)
        };
        let separators = [",", ".", "'", " ", "\u{a0}", "\u{202f}"];
        let mut all: Vec<String> = separators.map(grouped).to_vec();
        all.extend([
            digits.clone(),
            format!("${digits}"),
            format!("{digits}.00"),
            format!("{} €", grouped(".")),
        ]);
        all.push(format!("**{digits}**"));
        all
    }

    proptest! {
        #[test]
        fn a_value_is_known_in_each_of_its_writings(value in 32_u64..10_000_000_000, other in 32_u64..10_000_000_000) {
            for said in writings(value) {
                let sources = of(&format!("it is {said} in all"));
                for written in writings(value) {
                    let text = format!("We found {written} there.");
                    prop_assert!(sources.doubts(&text).is_empty(), "{said:?} {written:?}");
                }
                // Two readings of one group of three may meet; longer numbers never do.
                if other != value && other * 1000 != value && value * 1000 != other {
                    for written in writings(other) {
                        let text = format!("We found {written} there.");
                        prop_assert!(!sources.doubts(&text).is_empty(), "{said:?} {written:?}");
                    }
                }
            }
        }

        #[test]
        fn what_a_source_says_it_bears_out(text in "\\PC{0,80}") {
            let sources = of(&text);
            for doubt in sources.doubts_in_plain(&text) {
                prop_assert!(doubt.kind == Kind::Quotation && wordwise(&doubt.what).trim().is_empty(), "{doubt:?}");
            }
        }

        #[test]
        fn numbers_and_signs_in_any_order_are_read(text in "[-0-9.,' %$€k:/–a-cTZ\n]{0,40}") {
            let sources = of(&text);
            prop_assert!(sources.doubts_in_plain(&text).iter().all(|doubt| doubt.kind != Kind::Figure), "{text:?}");
        }

        #[test]
        fn times_that_are_cut_off_are_read(time in "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{0,6}(:[0-9]{0,2})?") {
            let sources = of(&time);
            prop_assert!(sources.doubts_in_plain(&time).is_empty(), "{time:?}");
        }

        #[test]
        fn a_rounding_rounds(value in 1_u64..10_000_000, unit in 0_u32..4) {
            let step = 10_u64.pow(unit);
            let rounded = (value + step / 2) / step * step;
            let unit = i32::try_from(unit).unwrap();
            let exact = Exact::of_json(&value.to_string()).unwrap();
            prop_assert_eq!(exact.rounded(unit), Exact::of_json(&rounded.to_string()).unwrap());
        }

        #[test]
        fn no_text_upsets_it(text in "\\PC{0,200}", source in "\\PC{0,200}") {
            let sources = of(&source);
            for doubt in sources.doubts(&text) {
                prop_assert!(!doubt.what.is_empty());
            }
        }
    }
}
