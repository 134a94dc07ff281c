//! Places: a city with its region and country, told apart from other texts with commas.

use super::{countries, words};

/// A place as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) city: Option<String>,
    pub(super) region: Option<String>,
    pub(super) country_code: Option<&'static str>,
}

/// A text that is wholly a place, because it ends in a known country or American state: `London, United Kingdom`,
/// `Austin, TX 78701`, `12 Dover Street, London W1S 4LJ, UK`, `Germany`.
pub(super) fn place(text: &str) -> Option<Place> {
    let mut parts = parts_of(text);
    if parts.iter().any(|part| part.contains('@') || part.split_whitespace().count() > 4) {
        return None;
    }
    let last = parts.last()?;
    let mut found = Place { country_code: countries::country(last), ..Place::default() };
    // Two capitals after a city are a state before they are a country: `San Jose, CA`.
    if parts.len() > 1 && countries::is_us_state(last) {
        found.country_code = Some("US");
        found.region = parts.pop();
    } else if found.country_code.is_some() {
        parts.pop();
        // Only a known region: before an unknown one may stand a firm, `Acme, Leeds, UK`.
        if parts.len() > 1 && parts.last().is_some_and(|part| countries::is_region(part)) {
            found.region = parts.pop();
        }
    }
    found.city = parts.pop();
    let city = found.city.as_deref().unwrap_or_default();
    let strange = words::is_position(city) || words::is_organisation(city) || !parts.is_empty();
    let starts_small = text.chars().next().is_none_or(char::is_lowercase);
    (found.country_code.is_some() && !strange && !starts_small).then_some(found)
}

/// A text that a person has labelled as a place, known country or not.
pub(super) fn labelled(text: &str) -> Place {
    place(text).unwrap_or_else(|| {
        let mut parts = parts_of(text).into_iter();
        Place { city: parts.next(), region: parts.next(), country_code: None }
    })
}

/// What stands between the commas, without postcodes, and without a street before the city.
fn parts_of(text: &str) -> Vec<String> {
    let mut parts: Vec<&str> = text.split(',').collect();
    while parts.len() > 2 && parts[0].contains(|c: char| c.is_ascii_digit()) {
        parts.remove(0);
    }
    let mut parts: Vec<String> = parts.into_iter().map(without_postcode).collect();
    parts.retain(|part| !part.is_empty());
    parts
}

/// A short text from which the words with digits are left out.
fn without_postcode(part: &str) -> String {
    let words: Vec<&str> = part.split_whitespace().collect();
    let plain: Vec<&str> =
        words.iter().copied().filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect();
    plain.join(" ").trim_matches(['(', ')', '.']).to_owned()
}

/// Whether a text is a place, or a way to work without one.
pub(super) fn is_place(text: &str) -> bool {
    let lower = text.trim().trim_matches(['(', ')']).to_lowercase();
    matches!(lower.as_str(), "remote" | "hybrid" | "home office") || place(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        match place(text) {
            None => "no place".to_owned(),
            Some(Place { city, region, country_code }) => {
                format!("{city:?} {region:?} {country_code:?}")
                    .replace("Some(", "")
                    .replace(')', "")
            }
        }
    }

    #[test]
    fn places_are_told_by_their_country_or_state() {
        for (text, expected) in [
            ("London, United Kingdom", r#""London" None "GB""#),
            ("Austin, TX 78701", r#""Austin" "TX" "US""#),
            ("San Jose, CA", r#""San Jose" "CA" "US""#),
            ("Portland, Oregon, USA", r#""Portland" "Oregon" "US""#),
            ("Munich, Bavaria, Germany", r#""Munich" "Bavaria" "DE""#),
            ("12 Dover Street, London W1S 4LJ, UK", r#""London" None "GB""#),
            ("1 Main Street, Apt 4B, Salem, OR 97301", r#""Salem" "OR" "US""#),
            ("Germany", r#"None None "DE""#),
            ("Senior Programmer, Analytical Engines", "no place"),
            ("Engineer, Germany", "no place"),
            ("Acme Ltd, UK", "no place"),
            ("Bluebonnet, Inc., Austin, TX", "no place"),
            ("Savanna Foods, Nairobi, Kenya", "no place"),
            ("led by us", "no place"),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }
}
