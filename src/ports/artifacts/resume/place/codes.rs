//! Codes of post offices that stand behind their city: British, Canadian, Irish, Australian.

use super::{Place, STREETS, has_house_number, is_known, is_name, is_region, shape};
use crate::ports::artifacts::resume::vocabulary::folded;

/// A city before the code of its post office: `Leeds LS6 3DA`, `Galway H91 X2R8`, `Werribee VIC 3030`.
pub(super) fn behind(words: &[&str]) -> Option<Place> {
    let [city @ .., out, inward] = words else { return None };
    let british = shape(inward) == "0AA"
        && matches!(shape(out).as_str(), "A0" | "A00" | "AA0" | "AA00" | "A0A" | "AA0A");
    let canadian = shape(inward) == "0A0" && shape(out) == "A0A";
    let is_mixed = |half: &str| {
        half.len() == 4
            && half.chars().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
            && half.contains(|c: char| c.is_ascii_digit())
            && half.starts_with(char::is_uppercase)
    };
    let irish = is_mixed(inward) && matches!(shape(out).as_str(), "A00" | "A0A");
    let australian = shape(inward) == "0000" && AUSTRALIAN.contains(out);
    let city: Vec<&str> = city.iter().copied().take_while(|word| !word.starts_with('(')).collect();
    let countries = [(british, "GB"), (canadian, "CA"), (irish, "IE"), (australian, "AU")];
    let country_code = countries.iter().find(|(is_its, _)| *is_its).map(|(_, code)| *code);
    (country_code.is_some() && is_name(&city)).then(|| Place {
        city: Some(city.join(" ")),
        region: australian.then(|| (*out).to_owned()),
        country_code,
    })
}

/// A city before an Indian code: `Pune – 411038`, `Pune 411 038, Maharashtra`.
pub(super) fn before_pin(text: &str) -> Option<Place> {
    let (code, city) = text.rsplit(',').map(str::trim).take(3).find_map(|part| {
        let at = part.find(|c: char| c.is_ascii_digit())?;
        let (city, code) = part.split_at(at);
        Some((code.replace(' ', ""), city.trim_end_matches([' ', '-', '–', '—'])))
    })?;
    let words: Vec<&str> = city.split_whitespace().collect();
    // `Extension 555 123` is none.
    let is_apart = text.contains([',', '–', '-']);
    (is_apart && shape(&code) == "000000" && is_name(&words))
        .then(|| Place { city: Some(city.to_owned()), ..Place::default() })
}

/// A city and its province before an Argentine code: `Rosario, Santa Fe S2000`.
pub(super) fn before_region_code(text: &str) -> Option<Place> {
    let (before, code) = text.rsplit_once(' ')?;
    let (city, region) = before.rsplit_once(", ")?;
    let words: Vec<&str> = city.rsplit(", ").next()?.split(' ').collect();
    let is_code = matches!(shape(code).as_str(), "A0000" | "A0000AAA");
    let is_province = is_region(region) || is_known(region);
    (is_code && is_province && is_name(&words)).then(|| Place {
        city: Some(words.join(" ")),
        region: Some(region.to_owned()),
        country_code: Some("AR"),
    })
}

/// Whether letters stand for a canton of Switzerland behind a city and its code: `6460 Altdorf UR`. Those that also stand
/// for a quarter of an American city behind a street are left out.
pub(super) fn is_canton(letters: &str) -> bool {
    const CANTONS: [&str; 24] = [
        "AG", "AI", "AR", "BE", "BL", "BS", "FR", "GE", "GL", "GR", "JU", "LU", "OW", "SG", "SH",
        "SO", "SZ", "TG", "TI", "UR", "VD", "VS", "ZG", "ZH",
    ];
    CANTONS.contains(&letters)
}

/// States of Australia, as they stand behind a city.
const AUSTRALIAN: [&str; 8] = ["ACT", "NSW", "NT", "QLD", "SA", "TAS", "VIC", "WA"];

/// A place whose city is none but the letters of a region, `Kitchener, ON N2G 0B4`, with the city before the comma.
pub(super) fn of_region(place: Place, text: &str) -> Option<Place> {
    let letters = place.city.as_deref().unwrap_or_default();
    let is_region = (2..=3).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_uppercase())
        && place.region.is_none();
    if !is_region {
        return Some(in_county(place, text));
    }
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let at = parts.iter().position(|part| part.split(' ').any(|word| word == letters))?;
    let city = *parts.get(at.checked_sub(1)?)?;
    let words: Vec<&str> = city.split_whitespace().collect();
    is_name(&words).then(|| Place {
        city: Some(city.to_owned()),
        region: Some(letters.to_owned()),
        country_code: place.country_code,
    })
}

/// Whether four digits are the code behind a street and its city, `19 Quay Street, Smallville`, rather than a year.
pub(super) fn ends_street(before: &str, code: &str) -> bool {
    let street = before.split(',').next().unwrap_or_default();
    let is_street = |word: &str| STREETS.contains(&folded(word).trim_end_matches('.'));
    shape(code) == "0000" && has_house_number(street) && street.split(' ').any(is_street)
}

/// `Mill Lane, Nullwell, Derbyshire DE45 9ZZ` with the town before its county.
fn in_county(place: Place, text: &str) -> Place {
    let county = place.city.as_deref().filter(|_| place.country_code == Some("GB"));
    let Some(county) = county.filter(|county| is_region(county)) else { return place };
    let mut parts = text.split(',').map(str::trim);
    let mut before = parts.next().unwrap_or_default();
    let town = parts.find_map(|part| {
        let above = std::mem::replace(&mut before, part);
        part.starts_with(county).then_some(above)
    });
    let is_town = |town: &&str| is_name(&town.split_whitespace().collect::<Vec<_>>());
    match town.filter(is_town) {
        Some(town) => {
            Place { city: Some(town.to_owned()), region: Some(county.to_owned()), ..place }
        }
        None => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argentine_code_stands_behind_the_province() {
        let place = before_region_code("Nullario, Santa Fe S2000");
        assert_eq!(place.and_then(|place| place.city).as_deref(), Some("Nullario"));
        assert_eq!(before_region_code("Acme Ltd, Model S2000"), None);
    }
}
