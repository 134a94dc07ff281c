//! Words that are numbers, and words that say what a number is.

/// Words of numbers up to twelve, then tens and multiples, with their values.
const NUMBERS: [(&str, u64); 33] = [
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("hundred", 100),
    ("thousand", 1_000),
    ("million", 1_000_000),
    ("billion", 1_000_000_000),
    ("trillion", 1_000_000_000_000),
];

/// What is counted: a number word before one of these is a figure.
const UNITS: &[&str] = &[
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "decade",
    "percent",
    "per",
    "percentage",
    "dollar",
    "euro",
    "pound",
    "franc",
    "cent",
    "people",
    "person",
    "employee",
    "colleague",
    "developer",
    "engineer",
    "customer",
    "client",
    "user",
    "office",
    "company",
    "companies",
    "competitor",
    "times",
    "fold",
    "thousand",
    "million",
    "billion",
    "hundred",
    "man",
    "woman",
    "men",
    "women",
    "vendor",
    "supplier",
];

/// What a number before it is times, as a power of ten.
const SCALES: [(&str, i32); 16] = [
    ("hundred", 2),
    ("thousand", 3),
    ("tsd", 3),
    ("tausend", 3),
    ("million", 6),
    ("millions", 6),
    ("mio", 6),
    ("mn", 6),
    ("mln", 6),
    ("billion", 9),
    ("billions", 9),
    ("bn", 9),
    ("mrd", 9),
    ("milliarden", 9),
    ("trillion", 12),
    ("millionen", 6),
];

/// A word before a number that is the number of a part of something.
const LABELS: &[&str] = &[
    "module",
    "day",
    "step",
    "phase",
    "part",
    "section",
    "chapter",
    "page",
    "p",
    "pp",
    "figure",
    "fig",
    "table",
    "appendix",
    "annex",
    "article",
    "art",
    "option",
    "item",
    "no",
    "nr",
    "tier",
    "level",
    "stage",
    "session",
    "block",
    "unit",
    "lesson",
    "sprint",
    "track",
    "milestone",
    "slide",
    "exercise",
    "lab",
    "round",
    "goal",
    "priority",
    "question",
    "modul",
    "tag",
    "teil",
    "abschnitt",
    "seite",
    "kapitel",
    "schritt",
    "workshop",
    "iteration",
    "line",
    "footnote",
    "note",
];

/// A word before a number that is the number of a part of something if a colon stands behind the number: otherwise it
/// may be how many.
const LABELS_BEFORE_COLON: &[&str] =
    &["week", "month", "year", "quarter", "woche", "monat", "jahr"];

/// Words that say that a number is rounded.
const EITHER: &[&str] = &[
    "about",
    "around",
    "approximately",
    "approx",
    "approx.",
    "roughly",
    "circa",
    "ca",
    "ca.",
    "close to",
    "some",
    "say",
    "etwa",
    "rund",
    "ungefähr",
    "environ",
    "on the order of",
    "in the region of",
    "~",
    "≈",
    "≅",
    "≃",
    "∼",
];

/// Words that say that a number is rounded, and that the exact value is larger.
const ABOVE: &[&str] =
    &["over", "more than", "just over", "above", "upwards of", "über", "mehr als", ">"];

/// Words that say that a number is rounded, and that the exact value is smaller.
const BELOW: &[&str] = &[
    "nearly",
    "almost",
    "just under",
    "under",
    "less than",
    "below",
    "close on",
    "fast",
    "knapp",
    "weniger als",
    "<",
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Names with a digit in front that are no figures.
const NAMES: &[&str] = &["2d", "3d", "2g", "3g", "4g", "5g", "6g", "2fa", "3pl", "1:1", "24/7"];

pub(super) fn number(word: &str) -> Option<u64> {
    NUMBERS.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

pub(super) fn scale(word: &str) -> Option<i32> {
    SCALES.iter().find(|(known, _)| *known == word).map(|(_, power)| *power)
}

/// Whether something is counted in this, in the singular or the plural.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|unit| word == *unit || word.strip_suffix('s') == Some(unit))
}

pub(super) fn is_label(word: &str, before_colon: bool) -> bool {
    let within = |labels: &[&str]| {
        labels.iter().any(|label| word == *label || word.strip_suffix('s') == Some(label))
    };
    within(LABELS) || (before_colon && within(LABELS_BEFORE_COLON))
}

pub(super) fn is_name(text: &str) -> bool {
    NAMES.contains(&text)
}

/// The month of a name, or of its first letters.
pub(super) fn month(word: &str) -> Option<u8> {
    let word = word.trim_end_matches('.');
    let german = [
        ("januar", 1),
        ("februar", 2),
        ("märz", 3),
        ("mai", 5),
        ("juni", 6),
        ("juli", 7),
        ("oktober", 10),
        ("dezember", 12),
    ];
    if let Some((_, month)) = german.iter().find(|(name, _)| *name == word) {
        return Some(*month);
    }
    let is = |name: &&str| {
        *name == word || (word.len() >= 3 && word.len() <= 4 && name.starts_with(word))
    };
    MONTHS.iter().position(is).and_then(|at| u8::try_from(at + 1).ok())
}

/// On which side of the number the exact value lies, by the words before it; `None` if they say nothing of rounding.
pub(super) fn rounding(before: &str) -> Option<super::Side> {
    let before = before.trim_end().to_lowercase();
    let ends = |words: &[&str]| {
        words.iter().any(|word| {
            before.strip_suffix(word).is_some_and(|rest| {
                let is_sign = !word.chars().any(char::is_alphabetic);
                is_sign || !rest.ends_with(char::is_alphanumeric)
            })
        })
    };
    // The longer ones first: `just over` ends with `over`.
    if ends(ABOVE) {
        Some(super::Side::Above)
    } else if ends(BELOW) {
        Some(super::Side::Below)
    } else if ends(EITHER) {
        Some(super::Side::Either)
    } else {
        None
    }
}
