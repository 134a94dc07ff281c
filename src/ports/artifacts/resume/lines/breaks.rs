//! Signs that a line is broken off in the middle of a period, a number, brackets or an item.

use super::super::{
    dates, place,
    vocabulary::{folded, vocabulary},
    words,
};

/// Whether a period begins at the end of a line and ends at the beginning of the next: `Engineer, May 2013 –` and
/// `Jan 2016`.
pub(super) fn joins_period(line: &str, next: &str) -> bool {
    let whole = format!("{line} {next}");
    let Some(period) = dates::find(&whole) else { return false };
    let spans = period.at.start < line.len() && period.at.end > line.len() + 1;
    let begins = dates::find(line).is_some_and(|found| found.start.is_some());
    // Two whole dates are a period only with a dash or a word between them.
    let is_open = line.ends_with(['-', '–', '—']) || !line.ends_with(|c: char| c.is_ascii_digit());
    // `School of the Second of February` above `2008 – 2010`: years alone are whole without a month.
    let is_year = |date: Option<dates::Date>| date.is_some_and(|date| date.month.is_none());
    let is_whole = !line.ends_with(['-', '–', '—'])
        && dates::find(next)
            .is_some_and(|next| next.at.start == 0 && is_year(next.start) && is_year(next.end));
    spans && !begins && is_open && !is_whole && period.at.start > 0 && period.start.is_some()
}

/// Whether a line ends in the code of a country and the number goes on in the next one: `+43` and `660 000 4127`.
pub(super) fn joins_number(last: &str, first: &str) -> bool {
    let code = last.trim_matches(['(', ')']).strip_prefix('+').unwrap_or_default();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    code.len() <= 3 && is_digits(code) && is_digits(first)
}

/// Most digits of the beginning and of the rest of a number that is broken, and fewest of all of it.
const BEGUN_MAX: usize = 10;
const REST_MAX: usize = 6;
const NUMBER_MIN: usize = 9;

/// Marks between the fields of a row.
const BETWEEN: [char; 4] = ['|', '·', '•', '\t'];

/// Whether a number is broken at the end of a row of fields: `ada@example.org | +44 7700 900` and `273 | Leeds`.
pub(super) fn breaks_number(line: &str, next: &str) -> bool {
    let (Some((_, begun)), rest) = (line.rsplit_once(BETWEEN), next.split(BETWEEN).next()) else {
        return false;
    };
    let (begun, rest) = (begun.trim(), rest.unwrap_or_default().trim());
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || "+()-. ".contains(c));
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    begun.starts_with('+')
        && is_number(begun)
        && (4..=BEGUN_MAX).contains(&digits(begun))
        && !rest.is_empty()
        && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ')
        && digits(rest) <= REST_MAX
        && digits(begun) + digits(rest) >= NUMBER_MIN
        && next.contains(BETWEEN)
}

/// Most words of the name of a city.
const CITY_MAX: usize = 3;

/// Whether an address ends in the code of its city, which stands in the next line: `12 Mill Lane, 29012` and `Málaga`.
pub(super) fn joins_city(line: &str, next: &str) -> bool {
    let Some((street, code)) = line.rsplit_once(", ").or_else(|| line.rsplit_once('\t')) else {
        return false;
    };
    // `8921 BG`
    let plain = code.split_once(' ').filter(|(_, letters)| {
        letters.len() == 2 && letters.bytes().all(|byte| byte.is_ascii_uppercase())
    });
    let code = plain.map_or(code, |(digits, _)| digits);
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    let is_code = (4..=8).contains(&digits)
        && code.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        && !code.starts_with('-');
    let town = next.split([',', '(']).next().unwrap_or_default().trim();
    let is_name = town.starts_with(char::is_uppercase)
        && town.split_whitespace().count() <= CITY_MAX
        && town.chars().all(|c| c.is_alphabetic() || " .'’-".contains(c));
    let is_else = || vocabulary().headings.contains_key(&folded(town));
    let has_number = street.contains(|c: char| c.is_ascii_digit());
    is_code
        && is_name
        && street.contains(char::is_alphabetic)
        && dates::find(street).is_none()
        && (place::is_known(town) || has_number && dates::find(code).is_none() && !is_else())
}

/// Whether the name of a known city is broken in two behind the number and the street before it: `12 Mill Lane, Baton` and
/// `Rouge, LA 70806`.
pub(super) fn breaks_city(line: &str, next: &str) -> bool {
    // `20002 Donostia-San` and `Sebastián`
    let coded = |text| str::split_once(text, ' ').filter(|(code, _)| place::is_postcode(code));
    let behind_street = line.rsplit_once(", ");
    let behind_code = coded(behind_street.map_or(line, |(_, city)| city));
    let Some((street, begin)) = behind_code.or(behind_street) else { return false };
    let end = next.split(',').next().unwrap_or_default();
    let words = begin.split(' ').count() + end.split(' ').count();
    let has_code = |part: &str| part.contains(|c: char| c.is_ascii_digit());
    street.contains(|c: char| c.is_ascii_digit())
        && begin.starts_with(char::is_uppercase)
        && words <= CITY_MAX
        && (next == end || has_code(next) || place::is_place(next))
        && dates::find(line).is_none()
        && place::is_known(&format!("{begin} {end}"))
}

/// Whether an address of mail that a line ends with is broken at one of its marks: `ada@example.` and `org`.
pub(super) fn breaks_mail(last: &str, first: &str) -> bool {
    let goes_on = first.chars().all(|c| c.is_alphanumeric() || "-_./?=&#%".contains(c));
    last.contains('@')
        && (last.ends_with(['.', '@', '-']) || first.starts_with('.'))
        && goes_on
        && first.starts_with(|c: char| c.is_lowercase() || c == '.')
}

/// Ends of domains of more than two letters that addresses of people have.
const DOMAIN_ENDS: [&str; 20] = [
    "academy", "arts", "berlin", "biz", "cloud", "com", "design", "dev", "edu", "email", "gov",
    "hamburg", "info", "mail", "name", "net", "online", "org", "page", "studio",
];

/// Longest end of a domain that a narrow column puts below, in letters.
const BELOW_MAX: usize = 4;

/// Whether an address of mail is broken in the end of its domain, without any mark: `ada@example.co` and `m` or `m.ar`.
pub(super) fn joins_domain(last: &str, next: &str) -> bool {
    let Some((host, end)) = last.rsplit_once('@').and_then(|(_, host)| host.rsplit_once('.'))
    else {
        return false;
    };
    let is_land = |end: &str| end.len() == 2 && end.bytes().all(|byte| byte.is_ascii_lowercase());
    let next = next.split_once('.').filter(|(_, end)| is_land(end)).map_or(next, |(next, _)| next);
    let is_small =
        (1..=BELOW_MAX).contains(&next.len()) && next.bytes().all(|byte| byte.is_ascii_lowercase());
    // No domain ends in one letter.
    let is_country = end.len() == 1 && next.len() == 1;
    let whole = format!("{end}{next}");
    let is_end = is_country || DOMAIN_ENDS.contains(&whole.as_str());
    !host.is_empty() && is_small && end.bytes().all(|byte| byte.is_ascii_lowercase()) && is_end
}

/// Whether the name of a school or a firm is broken off behind an article that belongs to it: `Lycée professionnel Le` above
/// `Marais`. Of a person, `Le` may be the last name.
pub(super) fn ends_in_article(line: &str) -> bool {
    line.rsplit_once(' ').is_some_and(|(before, last)| {
        ["Le", "La", "Les", "El", "Los", "Las"].contains(&last) && words::is_organisation(before)
    })
}

/// Whether a bracket is open at the end of a line and closed in the next one.
pub(super) fn is_open(line: &str, next: &str) -> bool {
    let open = line.rfind('(').is_some_and(|at| !line[at..].contains(')'));
    open && !line.contains('\t') && next.find(')').is_some_and(|at| !next[..at].contains('('))
}

/// Shortest item that has no room for a date at its end, in bytes.
const ITEM_MIN: usize = 35;

/// `Spoke at the meeting of the society in November` and `2020`; `Course: Welding` and `(2008 – 2009)`.
pub(super) fn is_rest_of_item(item: &str, next: &str) -> bool {
    let Some(date) = dates::find(next) else { return false };
    let plain = next.trim_end_matches('.');
    let in_brackets = next.starts_with('(') && date.at.end + 1 == plain.len();
    let is_one = date.start.is_none() && !date.lasts && date.at == (0..plain.len());
    let has_date = dates::find(item).is_some_and(|date| date.start.is_some());
    in_brackets && !has_date || is_one && item.len() > ITEM_MIN && !item.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_off_at_the_end_of_a_line_is_told() {
        assert!(joins_period("Engineer, May 2013 –", "Jan 2016"));
        assert!(!joins_period("Engineer, May 2013", "Pumps"));
        assert!(joins_period("Engineer, May", "2013 – Jan 2016"));
        assert!(!joins_period("Colégio Dois de Fevereiro", "2008 a 2010 | Nullador"));
        assert!(joins_number("+43", "660") && !joins_number("C++", "2019"));
        assert!(breaks_number("ada@example.org | +44 7700 900", "273 | Leeds"));
        assert!(!breaks_number("ada@example.org | +44 7700 900273", "12 | Leeds"));
        assert!(ends_in_article("Lycée professionnel Le") && !ends_in_article("Ada Le"));
        assert!(is_open("Pumps (built", "in Leeds) and valves"));
        assert!(joins_domain("ada@example.co", "m") && joins_domain("ada@example.co", "m.ar"));
        assert!(!joins_domain("ada@example.co", "byron.ar"));
        assert!(is_rest_of_item("Course: Welding", "(2008 – 2009)"));
    }

    #[test]
    fn a_known_city_that_is_broken_in_two_is_told() {
        for (line, next) in [
            ("716 Null Trace, Apt 4B, Baton", "Rouge, LA 70806"),
            ("12 Quay Road, San", "Antonio, TX 78205"),
            ("Rua Nova, 7, Porto", "Alegre, RS"),
            ("8 rue Neuve, Le", "Mans"),
            ("20002 Donostia-San", "Sebastián"),
        ] {
            assert!(breaks_city(line, next), "{line}");
        }
        for (line, next) in [
            ("12 Quay Road, Leeds", "Kontakt"),
            ("Built pumps, San", "Antonio, TX"),
            ("12 Quay Road, Null", "Rouge, LA 70806"),
        ] {
            assert!(!breaks_city(line, next), "{line}");
        }
    }

    #[test]
    fn a_city_below_its_code_is_told() {
        for (line, next) in [
            ("Calle del Pozo, 6, 29012", "Málaga"),
            ("44 montée de la Boucle, 69004", "Lyon"),
            ("Am Wehr 8, 93059", "Nullstadt"),
            ("Rua da Nova, 77, 4050-102", "Porto"),
            ("Nullkade Zuid 52, 8921 BG", "Nullwarden"),
            ("Mühlgasse 3, 1010", "Wien, Österreich"),
        ] {
            assert!(joins_city(line, next), "{line}");
        }
        for (line, next) in [
            ("Mühlgasse 3, 93059", "Kontakt"),
            ("Welding, 2019", "Pumps"),
            ("Acme Ltd, May 2016, 2019", "Leeds"),
            ("Mühlgasse 3, 93059", "ada@example.org"),
        ] {
            assert!(!joins_city(line, next), "{line}");
        }
    }

    #[test]
    fn periods_with_words_between_months_and_years_go_on_in_narrow_columns() {
        for (above, below, start, end) in [
            ("Enero de 2008 - Agosto de\tAutónomo", "2014\tCarpintero", "2008-01", "2014-08"),
            ("Janeiro de 2008 – Agosto de\tAcme Lda", "2014\tCarpinteiro", "2008-01", "2014-08"),
            ("de enero de 2008 a agosto de\tAcme SL", "2014\tCarpintero", "2008-01", "2014-08"),
            ("Januar 2008 – August\tAcme GmbH", "2014\tTischler", "2008-01", "2014-08"),
            ("March 2008 –\tAcme Ltd", "August 2014\tCarpenter", "2008-03", "2014-08"),
            ("Mars 2008 –\tAcme SARL", "août 2014\tMenuisier", "2008-03", "2014-08"),
            ("Maart 2008 – augustus\tAcme BV", "2014\tTimmerman", "2008-03", "2014-08"),
        ] {
            let text = format!("# Ada Byron\n\n## Experience\n\n{above}\n{below}\nHaro");
            let draft = crate::ports::artifacts::resume::draft(&text);
            let role = &draft.skeleton_timeline["work"][0];
            assert!(role["startDate"] == start && role["endDate"] == end, "{above}: {role}");
            assert_eq!(Some(role["name"].as_str().unwrap()), above.split('\t').nth(1));
        }
        let text = "# Ada Byron\n\n## Experience\n\nMarch 2019 –\tAcme Ltd\nPresent\tCarpenter";
        let draft = crate::ports::artifacts::resume::draft(text);
        let role = &draft.skeleton_timeline["work"][0];
        assert!(role["startDate"] == "2019-03" && role["endDate"].is_null(), "{role}");
    }

    #[test]
    fn addresses_of_mail_go_on_below_where_a_narrow_column_ends() {
        use crate::ports::artifacts::resume::{Confidence, draft};
        for (page, mail, is_sure) in [
            ("ada.byron@example.co\nm", "ada.byron@example.com", true),
            ("ada.byron@example.c\nom", "ada.byron@example.com", true),
            ("E-mail: ada.byron@example.or\ng", "ada.byron@example.org", true),
            ("ada.byron@example.d\ne", "ada.byron@example.de", true),
            ("ada.byron@exam-\nple.com", "ada.byron@exam-ple.com", true),
            ("ada.byron@exam\nple.com", "ada.byron@example.com", true),
            ("ada.byron@example.co\nxy", "ada.byron@example.co", false),
            ("ada.byron@example.co\ntel\n0113 496 0123", "ada.byron@example.co", true),
            ("ada.byron@example.com\n\nm", "ada.byron@example.com", true),
        ] {
            let text = format!("# Ada Byron\n{page}\nLeeds\n\n## Skills\nRust");
            let draft = draft(&text);
            assert_eq!(draft.applicant_profile["basics"]["email"], mail, "{page}");
            let sure = draft.confidence.get("basics.email") != Some(&Confidence::Low);
            assert_eq!(sure, is_sure, "{page}");
        }
    }
}
