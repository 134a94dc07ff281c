//! Days as people write them: `2001-05-03`, `03.05.2001`, `3 May 2001`, in four languages.

use chrono::NaiveDate;

/// Names of the months: English, German, Spanish, French.
pub(in crate::session) const MONTHS: [[&str; 12]; 4] = [
    [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
];

/// Longest text that is looked at, in bytes.
const TEXT_MAX: usize = 60;

/// The day that a text names; `None` if it names none, or could mean two.
///
/// ```
/// use anteroom::session::answer::day;
/// let named = |text| day(text).map(|day| day.to_string());
/// assert_eq!(named("3. Mai 2001").as_deref(), Some("2001-05-03"));
/// assert_eq!(named("03/05/2001"), None); // May or March
/// ```
pub fn day(text: &str) -> Option<NaiveDate> {
    let text = text.trim().trim_end_matches(['.', '!']);
    if text.len() > TEXT_MAX {
        return None;
    }
    in_figures(text).or_else(|| in_words(text))
}

/// `2001-05-31`
pub fn is_day(text: &str) -> bool {
    text.len() == 10 && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}

fn in_figures(text: &str) -> Option<NaiveDate> {
    let separator = text.chars().find(|c| !c.is_ascii_digit())?;
    if !matches!(separator, '-' | '/' | '.') {
        return None;
    }
    let parts: Vec<&str> = text.split(separator).map(str::trim).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    if first.len() == 4 {
        return date(first, number(second)?, number(third)?);
    }
    let (day, month) = (number(first)?, number(second)?);
    match separator {
        '.' => date(third, month, day),
        // In some countries the month comes first.
        _ if day > 12 || day == month => date(third, month, day),
        _ if month > 12 => date(third, day, month),
        _ => None,
    }
}

fn in_words(text: &str) -> Option<NaiveDate> {
    let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | '.' | '/' | '-');
    let (mut day, mut month, mut year) = (None, None, None);
    for word in text.split(is_between).filter(|word| !word.is_empty()) {
        let lower = folded(word);
        if matches!(lower.as_str(), "the" | "of" | "de" | "del" | "el" | "le" | "den" | "der") {
            continue;
        }
        let is_new = if word.len() == 4 && number(word).is_some() {
            year.replace(word).is_none()
        } else if let Some(found) = month_of(&lower) {
            month.replace(found).is_none()
        } else {
            let figures = ["st", "nd", "rd", "th", "er"].iter().find_map(|e| lower.strip_suffix(e));
            day.replace(number(figures.unwrap_or(&lower))?).is_none()
        };
        if !is_new {
            return None;
        }
    }
    date(year?, month?, day?)
}

fn number(text: &str) -> Option<u32> {
    let is_figures = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|_| is_figures)
}

fn date(year: &str, month: u32, day: u32) -> Option<NaiveDate> {
    let year = number(year).filter(|_| year.len() == 4)?;
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
}

/// The month that a word means, by its name or the beginning of it.
fn month_of(word: &str) -> Option<u32> {
    if word.chars().count() < 3 {
        return None;
    }
    let mut found = None;
    for names in MONTHS {
        for (number, name) in (1..).zip(names) {
            if folded(name).starts_with(word) && found.replace(number).is_some_and(|n| n != number)
            {
                return None;
            }
        }
    }
    found
}

/// In small letters without accents.
fn folded(word: &str) -> String {
    let plain = |c| match c {
        'é' | 'è' => 'e',
        'ä' => 'a',
        'û' => 'u',
        c => c,
    };
    word.to_lowercase().chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_as_people_write_them() {
        for text in [
            "2001-05-03",
            "2001-5-3",
            "2001/05/03",
            "2001.05.03",
            "03.05.2001",
            "3.5.2001",
            "3. 5. 2001",
            "3 May 2001",
            "May 3, 2001",
            "3rd of May, 2001.",
            "the 3rd of may 2001",
            "3. Mai 2001",
            "3 de mayo de 2001",
            "3 mai 2001",
            "3-May-2001",
        ] {
            assert_eq!(day(text), NaiveDate::from_ymd_opt(2001, 5, 3), "{text}");
        }
        for (text, iso) in [
            ("31/12/1999", "1999-12-31"),
            ("12/31/1999", "1999-12-31"),
            ("05/05/2005", "2005-05-05"),
            ("1er août 2001", "2001-08-01"),
            ("1 fevrier 2001", "2001-02-01"),
            ("5 Sept. 2020", "2020-09-05"),
            ("29 Feb 2024", "2024-02-29"),
            ("12. März 2020", "2020-03-12"),
        ] {
            assert_eq!(day(text).map(|day| day.to_string()).as_deref(), Some(iso), "{text}");
        }
    }

    #[test]
    fn what_names_no_day_or_could_mean_two_is_not_guessed() {
        for text in [
            "",
            "2001",
            "2001-05",
            "May 2001",
            "03/05/2001",
            "03-05-2001",
            "03.05.01",
            "30.02.2001",
            "29 Feb 2023",
            "3 jui 2001",
            "3 May 2001 or 2002",
            "3 4 May 2001",
            "May June 2001",
            "next week",
            "-1-1-1",
            "٣ May 2001",
        ] {
            assert_eq!(day(text), None, "{text}");
        }
    }
}
