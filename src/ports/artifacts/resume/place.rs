//! Places: a city with its region and country, told apart from other texts with commas.

mod codes;

use std::{collections::HashSet, sync::LazyLock};

use super::{
    countries,
    vocabulary::{folded, vocabulary},
    words,
};

/// A place as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) city: Option<String>,
    pub(super) region: Option<String>,
    pub(super) country_code: Option<&'static str>,
}

/// A text that is wholly a place, because it ends in a known country or American state, has a postcode before or after
/// a name, or is the name of a known city: `London, United Kingdom`, `Austin, TX 78701`,
/// `12 Dover Street, London W1S 4LJ, UK`, `04229 Leipzig`, `Belo Horizonte - MG`, `Germany`.
pub(super) fn place(text: &str) -> Option<Place> {
    if text.contains(['@', '\t', ':']) || text.split_whitespace().count() > 14 {
        return None;
    }
    let known = || by_postcode(text).or_else(|| by_name(text)).or_else(|| by_region(text));
    let coded = || codes::before_pin(text).or_else(|| codes::before_region_code(text));
    by_country(text).or_else(known).or_else(coded).or_else(|| {
        // `9 Quay Road, Smallville, SA15 3AB`: the code stands apart.
        let (before, code) = text.rsplit_once(',')?;
        let is_code = is_postcode(code.trim()) || codes::ends_street(before, code.trim());
        let city = before.rsplit(',').next().unwrap_or_default().trim();
        let words: Vec<&str> = city.split_whitespace().collect();
        let named = || {
            (before != city && is_name(&words))
                .then(|| Place { city: Some(city.to_owned()), ..Place::default() })
        };
        is_code.then(|| place(before).or_else(named))?
    })
}

/// A city with its code in a line of its own: `04229 Leipzig`, `Albuquerque, NM 87112`.
pub(super) fn coded(text: &str) -> Option<Place> {
    let last = text.rsplit(' ').next().unwrap_or_default();
    let zip = || matches!(shape(last).as_str(), "00000" | "00000-0000");
    by_postcode(text).or_else(|| place(text).filter(|place| zip() && place.region.is_some()))
}

/// The city with its code at the end of an address that begins with an institution: `Department of Physics, 112 Quay Hall,
/// Albuquerque, NM 87112`.
pub(super) fn coded_at_end(text: &str) -> Option<Place> {
    let mut commas = text.rmatch_indices(", ").map(|(at, _)| at);
    let (last, before) = (commas.next()?, commas.next()?);
    coded(&text[last + 2..]).or_else(|| coded(&text[before + 2..]))
}

/// A postcode alone: `SA15 3AB`, `51020-000`, `CEP 51020-000`.
pub(super) fn is_postcode(text: &str) -> bool {
    let code = text.strip_prefix("CEP").unwrap_or(text).trim_start_matches([':', ' ']);
    let shaped = shape(code);
    let british = ["A0 0AA", "A00 0AA", "AA0 0AA", "AA00 0AA", "A0A 0AA", "AA0A 0AA", "A0A 0A0"];
    matches!(shaped.as_str(), "00000-000" | "0000-000" | "00000" | "0000 AA")
        || british.contains(&shaped.as_str())
}

fn by_country(text: &str) -> Option<Place> {
    let mut parts = parts_of(text);
    if parts.iter().any(|part| part.contains('@') || part.split_whitespace().count() > 4) {
        return None;
    }
    let last = parts.last()?;
    // `9 Quay Road, Old Harbour, Smallville, Bigshire, UK`: a part of the city behind its street.
    let has_street = text.split_once(',').is_some_and(|(street, _)| has_house_number(street));
    let mut found = Place { country_code: countries::country(last), ..Place::default() };
    // Two capitals after a city are a state before they are a country: `San Jose, CA`.
    if parts.len() > 1 && countries::is_us_state(last) {
        found.country_code = Some("US");
        found.region = parts.pop();
    } else if found.country_code.is_some() {
        parts.pop();
        // Only a known region: before an unknown one may stand a firm, `Acme, Leeds, UK`.
        let is_short =
            text.rsplit(',').nth(1).is_some_and(|part| short_region(part.trim()).is_some());
        if parts.len() > 1 && (is_short || parts.last().is_some_and(|part| is_region(part))) {
            found.region = parts.pop();
        }
    }
    found.country_code?;
    found.city = parts.pop();
    // `Rosario, Santa Fe, Argentina`: before a part that is not known stands a city that is.
    if found.region.is_none() && parts.len() == 1 && is_known(&parts[0]) {
        found.region = found.city.take();
        found.city = parts.pop();
    }
    let city = found.city.as_deref().unwrap_or_default();
    // In `New York` and `Paris, France` nothing else is named.
    let strange = !is_known(city) && (words::is_position(city) || words::is_organisation(city))
        || parts.len() > usize::from(has_street);
    let starts_small = text.chars().next().is_none_or(char::is_lowercase);
    (!strange && !starts_small).then_some(found)
}

/// `04229 Leipzig`, `D-04229 Leipzig`, `3511 NP Utrecht`, `4050-031 Porto`, `Leeds LS6 3DA`, `Québec (Québec) G1R 2L3`.
pub(super) fn by_postcode(text: &str) -> Option<Place> {
    let dash = |part| str::split(part, " - ").flat_map(|part| part.split(" – "));
    let parts: Vec<&str> = text.split(',').flat_map(dash).collect();
    let found = parts.into_iter().rev().take(3).map(str::trim).find_map(|part| {
        // `C.P. 44520 Smallville –`: a label before the code, and a dash that led to a region in the next line.
        let part = part.trim_end_matches(['–', '-', ' ']);
        let mut words: Vec<&str> = part.split_whitespace().collect();
        if words.len() > 2 && CODES.contains(&folded(words[0]).replace('.', "").as_str()) {
            words.remove(0);
        }
        let (first, rest) = words.split_first()?;
        let first = first.rsplit_once('-').map_or(*first, |(country, code)| {
            if country.len() <= 2 && country.chars().all(|c| c.is_ascii_uppercase()) {
                code
            } else {
                first
            }
        });
        let before = match (shape(first).as_str(), rest) {
            (
                "00000" | "0000" | "0000-000" | "00000-000" | "0000AA" | "A0000" | "A0000AAA",
                city,
            ) => Some(city),
            // `760001 Cali`: six digits may be the number of a telephone as well, and only a known city tells.
            ("000000", city) if is_known(&city.join(" ")) => Some(city),
            ("000", [end, city @ ..]) if shape(end) == "00" => Some(city),
            _ => None,
        };
        let before = before.map(|city| match city {
            [letters, city @ ..] if shape(letters) == "AA" && shape(first) == "0000" => city,
            // `6460 Altdorf UR`
            [city @ .., letters] if shape(first) == "0000" && codes::is_canton(letters) => city,
            city => city,
        });
        if let Some(city) = before.filter(|city| is_name(city)) {
            // `Halle (Saale)` is called so, `Smallville (Bigshire)` is not.
            let whole = city.join(" ");
            let bare = city.iter().copied().take_while(|word| !word.starts_with('('));
            let city = if is_known(&whole) { whole } else { bare.collect::<Vec<_>>().join(" ") };
            return Some(Place { city: Some(city), ..Place::default() });
        }
        codes::behind(&words)
    });
    found.and_then(|place| codes::of_region(place, text))
}

/// What codes of post offices are called.
const CODES: [&str; 5] = ["cp", "cep", "plz", "zip", "pc"];

/// Digits as zeroes and capitals as `A`.
fn shape(word: &str) -> String {
    word.chars()
        .map(|c| match c {
            '0'..='9' => '0',
            'A'..='Z' => 'A',
            c => c,
        })
        .collect()
}

/// Words that can be the name of a city.
fn is_name(words: &[&str]) -> bool {
    let is_street = |word: &str| STREETS.contains(&folded(word).trim_end_matches('.'));
    // `2208 Cottonwood Bend NE`
    let is_quarter = words.last().is_some_and(|word| QUARTERS.contains(word));
    !is_quarter
        && (1..=4).contains(&words.len())
        && !words.iter().any(|word| is_street(word))
        && words[0].starts_with(char::is_uppercase)
        && words.iter().all(|word| word.chars().all(|c| c.is_alphabetic() || "'’-.()/".contains(c)))
}

/// Whether a text has the word for a street in it.
pub(super) fn names_street(text: &str) -> bool {
    text.split(' ').any(|word| STREETS.contains(&folded(word).trim_end_matches('.')))
}

/// Quarters of a city at the ends of the names of its streets.
const QUARTERS: [&str; 8] = ["N", "S", "E", "W", "NE", "NW", "SE", "SW"];

/// Words that end or begin the names of streets.
const STREETS: [&str; 58] = [
    "street",
    "st",
    "road",
    "rd",
    "avenue",
    "ave",
    "av",
    "lane",
    "drive",
    "dr",
    "way",
    "court",
    "blvd",
    "boulevard",
    "terrace",
    "highway",
    "parkway",
    "square",
    "strasse",
    "str",
    "weg",
    "allee",
    "platz",
    "rue",
    "calle",
    "rua",
    "straat",
    "laan",
    "apt",
    "suite",
    "floor",
    "ct",
    "pl",
    "place",
    "cir",
    "circle",
    "trail",
    "trl",
    "hwy",
    "pkwy",
    "ln",
    "crescent",
    "close",
    "mews",
    "parade",
    "apartment",
    "unit",
    "gasse",
    "ufer",
    "damm",
    "quay",
    "chemin",
    "impasse",
    "cours",
    "travessa",
    "avenida",
    "paseo",
    "plaza",
];

/// The name of a known city, alone or before a region: `Porto Alegre, RS`, `Sevilla`.
fn by_name(text: &str) -> Option<Place> {
    let plain = text.replace(" – ", " - ");
    let parts: Vec<&str> =
        plain.split([',', '|', '/']).flat_map(|part| part.split(" - ")).map(str::trim).collect();
    let code = |part: &str| {
        (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_uppercase())
            || short_region(part).is_some()
    };
    let (city, region) = match parts.as_slice() {
        [city] => (*city, None),
        [city, region] if code(region) || is_region(region) || is_known(region) => {
            (*city, Some((*region).to_owned()))
        }
        [street @ .., city, region]
            if (is_known(city) && (code(region) || is_region(region))
                || is_region(region) && street.iter().any(|part| is_numbered_street(part)))
                && street.iter().any(|part| part.contains(|c: char| c.is_ascii_digit())) =>
        {
            (*city, Some((*region).to_owned()))
        }
        [street @ .., city] if street.iter().any(|part| has_house_number(part)) => (*city, None),
        _ => return None,
    };
    let region = region.map(|region| short_region(&region).map(str::to_owned).unwrap_or(region));
    let bare = city.split(" (").next().unwrap_or(city);
    // `London SE15`
    let bare = match bare.rsplit_once(' ') {
        Some((city, code)) if code.contains(|c: char| c.is_ascii_digit()) && is_known(city) => city,
        _ => bare,
    };
    let is_part = region.as_deref().is_some_and(|region| PARTS.contains(&region));
    let words: Vec<&str> = bare.split_whitespace().collect();
    let is_plain = || is_name(&words) && !words::is_organisation(bare) && !words::is_position(bare);
    // `Ada Byron, BSN, RN` has no city.
    let is_code = bare.len() <= CODE_MAX && !bare.contains(char::is_lowercase);
    let is_address = || parts.iter().any(|part| is_numbered_street(part)) && is_plain();
    let known = is_known(bare) || is_part && !is_code && is_plain() || is_address();
    known.then(|| Place { city: Some(bare.to_owned()), region, country_code: None })
}

/// `Carrera 8 # 21-40`: the mark between the numbers of streets and houses of some countries.
fn is_numbered_street(part: &str) -> bool {
    part.contains('#') && has_house_number(part)
}

/// Longest title of a profession in capitals, in bytes.
const CODE_MAX: usize = 4;

/// The abbreviation of a part of a country, perhaps with a postcode: `Qro.`, `Jal. 44140`.
pub(super) fn short_region(part: &str) -> Option<&str> {
    let short = part.split_once(' ').filter(|(_, code)| is_postcode(code));
    let short = short.map_or(part, |(short, _)| short);
    let letters = short.strip_suffix('.')?;
    let is_one = (2..=5).contains(&letters.chars().count())
        && letters.starts_with(char::is_uppercase)
        && letters.chars().all(char::is_alphabetic);
    is_one.then_some(short)
}

/// A part of a country alone: `West Yorkshire`. One word may be much else.
fn by_region(text: &str) -> Option<Place> {
    let is_one = text.contains(' ') && KNOWN_REGIONS.contains(&folded(text.trim()));
    let region = Some(text.trim().to_owned());
    is_one.then(|| Place { region, ..Place::default() })
}

/// `12 Dover Street`, `Oudegracht 188`, but not `MBO 4 Logistics`.
pub(super) fn has_house_number(part: &str) -> bool {
    let is_number = |word: Option<&str>| {
        word.is_some_and(|word| {
            word.starts_with(|c: char| c.is_ascii_digit())
                && word.chars().all(|c| c.is_ascii_alphanumeric() || "-/".contains(c))
        })
    };
    let mut from_end = part.split_whitespace().rev();
    let ends = is_number(from_end.next()) && !from_end.next().is_some_and(is_counted);
    is_number(part.split_whitespace().next()) || ends
}

/// Whether a number behind a word is the level of a degree or a class rather than that of a house: `Mbo 4`, `groep 7`.
fn is_counted(word: &str) -> bool {
    let word = folded(word);
    let vocabulary = vocabulary();
    vocabulary.classes.contains(&word)
        || vocabulary.short_degrees.contains(&word)
        || vocabulary.long_degrees.contains(&word)
}

/// States of Brazil and provinces of Canada, as they stand behind a city.
const PARTS: [&str; 36] = [
    "AC", "AL", "AP", "AM", "BA", "CE", "DF", "ES", "GO", "MA", "MT", "MS", "MG", "PA", "PB", "PR",
    "PE", "PI", "RJ", "RN", "RS", "RO", "RR", "SC", "SP", "SE", "TO", "ON", "QC", "BC", "AB", "MB",
    "SK", "NS", "NB", "NL",
];

/// Whether a text stands for a part of a country as behind a city: `LA`, `PE`, `Jal.`
pub(super) fn is_part(text: &str) -> bool {
    countries::is_us_state(text) || PARTS.contains(&text) || short_region(text).is_some()
}

/// Cities that are named without their country, by their country.
const CITIES: &str = include_str!("../../../../manifests/lexicon/cities.txt");

/// Parts of countries, by their country.
const REGIONS: &str = include_str!("../../../../manifests/lexicon/regions.txt");

static KNOWN: LazyLock<HashSet<String>> = LazyLock::new(|| names(CITIES));

/// A letter of its own: `Maçon` is a mason, `Mâcon` a city.
const CEDILLA: char = 'ç';

/// The known cities that have a cedilla, as they are written: `besançon`.
static KNOWN_CEDILLAS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let cities = CITIES.split([':', ',', '\n']).map(|name| name.trim().to_lowercase());
    cities.filter(|name| name.contains(CEDILLA)).collect()
});

static KNOWN_REGIONS: LazyLock<HashSet<String>> = LazyLock::new(|| names(REGIONS));

/// The names of a list that has a country and its names on each line.
fn names(list: &str) -> HashSet<String> {
    list.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(_, cities)| cities.split(','))
        .map(|name| folded(name.trim()))
        .collect()
}

/// Whether a text is a part of a country, or a country.
pub(super) fn is_region(text: &str) -> bool {
    countries::is_us_state(text)
        || countries::country(text).is_some()
        || KNOWN_REGIONS.contains(&folded(text.trim()))
}

/// `Kenilworth, Warwickshire`: a city that is not known before a region that is. A firm may stand like this as well.
pub(super) fn before_region(text: &str) -> Option<Place> {
    let (city, region) = text.split_once(", ")?;
    let words: Vec<&str> = city.split_whitespace().collect();
    let is_city = is_name(&words) && !words::is_organisation(city) && !words::is_position(city);
    (is_city && is_region(region)).then(|| Place {
        city: Some(city.to_owned()),
        region: Some(region.to_owned()),
        country_code: countries::country(region),
    })
}

/// Fewest words of a firm that a city may stand behind: `North Platte` is a city.
const FIRM_MIN: usize = 2;

/// `Acme Pumps Chicago, IL` in the firm and the place that nothing parts from it: a known city before its state.
pub(super) fn at_end(text: &str) -> Option<(&str, &str)> {
    let (named, _) = text.split_once(", ").filter(|(_, state)| countries::is_us_state(state))?;
    let mut spaces = named.match_indices(' ').map(|(at, _)| at).skip(FIRM_MIN - 1);
    let at = spaces.find(|at| is_known(&named[at + 1..]))?;
    let firm = &named[..at];
    let is_plain = !firm.contains(|c: char| c.is_ascii_digit()) && !is_known(named);
    is_plain.then(|| (firm, &text[at + 1..]))
}

/// Whether a text is the name of a known city.
pub(super) fn is_known(text: &str) -> bool {
    text.starts_with(|c: char| c.is_uppercase() || c == '\'' || c == '’')
        && KNOWN.contains(&folded(text.trim()))
        && (text.is_ascii() || has_its_cedillas(text))
}

/// Whether a text that is called like a known city has no cedilla that the city has not.
fn has_its_cedillas(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    !lower.contains(CEDILLA) || KNOWN_CEDILLAS.contains(&lower)
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
    let mut parts: Vec<&str> = text.split(',').map(without_street).collect();
    // `44140 Guadalajara, Jalisco, México`: the city behind its code is no street.
    let is_city = |part: &str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        matches!(words.as_slice(), [code, city @ ..] if shape(code) == "00000" && is_name(city))
    };
    let before_region = |parts: &[&str]| {
        let is_region =
            |part: &str| KNOWN_REGIONS.contains(&folded(part)) || short_region(part).is_some();
        parts.len() == 3 && is_city(parts[0]) && is_region(parts[1].trim())
    };
    while !before_region(&parts)
        && parts.len() > 2
        && parts[0].contains(|c: char| c.is_ascii_digit())
    {
        parts.remove(0);
    }
    let mut parts: Vec<String> = parts.into_iter().map(without_postcode).collect();
    parts.retain(|part| !part.is_empty());
    parts
}

/// `1 Quay Road – Smallville` without the street.
fn without_street(part: &str) -> &str {
    let parted = part.rsplit_once(" – ").or_else(|| part.rsplit_once(" - "));
    let is_street = |(street, city): &(&str, &str)| {
        has_house_number(street) && !city.contains(|c: char| c.is_ascii_digit())
    };
    parted.filter(is_street).map_or(part, |(_, city)| city)
}

/// A short text from which the words with digits are left out.
fn without_postcode(part: &str) -> String {
    let words: Vec<&str> = part.split_whitespace().collect();
    let plain: Vec<&str> =
        words.iter().copied().filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect();
    plain.join(" ").trim_matches(['(', ')', '.']).to_owned()
}

/// Longer texts are no places, in bytes.
const PLACE_MAX: usize = 300;

/// Whether a text is a place, or a way to work without one.
pub(super) fn is_place(text: &str) -> bool {
    if text.len() > PLACE_MAX {
        return false;
    }
    let lower = text.trim().trim_matches(['(', ')']).to_lowercase();
    matches!(
        lower.as_str(),
        "remote" | "hybrid" | "home office" | "homeoffice" | "télétravail" | "remoto" | "thuiswerk"
    ) || place(text).is_some()
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
            ("Flat 2, Nulla Heights, Pune – 411038, Maharashtra", r#""Pune" None None"#),
            ("72000 Puebla, Pue., México", r#""Puebla" "Pue" "MX""#),
            ("9 Heol y Parc, Llanelli, SA15 3AB", r#""Llanelli" None None"#),
            ("Rua das Mangueiras, 210, Recife - PE, CEP 51020-000", r#""Recife" "PE" None"#),
            ("Rosario, Santa Fe, Argentina", r#""Rosario" "Santa Fe" "AR""#),
            ("Germany", r#"None None "DE""#),
            ("Lindenallee 27, 04229 Leipzig", r#""Leipzig" None None"#),
            ("D-10437 Berlin", r#""Berlin" None None"#),
            ("Oudegracht 188, 3511 NP Utrecht", r#""Utrecht" None None"#),
            ("Rua do Almada 88, 4050-031 Porto", r#""Porto" None None"#),
            ("14 Hartington Place, Edinburgh EH10 4LF", r#""Edinburgh" None "GB""#),
            ("Québec (Québec) G1R 2L3", r#""Québec" None "CA""#),
            ("Quay Road, Galway H91 X2R8, Ireland", r#""Galway" None "IE""#),
            ("Calle Nueva 3 – 18071 Granada", r#""Granada" None None"#),
            (
                "Av. Nueva 410, 44140 Guadalajara, Jalisco, México",
                r#""Guadalajara" "Jalisco" "MX""#,
            ),
            (
                "Av. Nueva 1180, Col. Del Valle, Zapopan, Jalisco, México",
                r#""Zapopan" "Jalisco" "MX""#,
            ),
            (
                "Old Mill, Quay Lane, Nullwell, Derbyshire DE45 9ZZ",
                r#""Nullwell" "Derbyshire" "GB""#,
            ),
            ("Null Cottage, Nullree, Isle of Skye IV51 9ZZ", r#""Nullree" "Isle of Skye" "GB""#),
            ("West Yorkshire", r#"None "West Yorkshire" None"#),
            ("8/114 Cypress Avenue, Werribee VIC 3030", r#""Werribee" "VIC" "AU""#),
            ("804 – 71 Benton Terrace, Kitchener, ON N2G 0B4", r#""Kitchener" "ON" "CA""#),
            ("19 Jacaranda Crescent, Athlone, Smallville, 3201", r#""Smallville" None None"#),
            ("Gent, België", r#""Gent" None "BE""#),
            ("Av. Nueva 45, Col. Vieja, C.P. 44520 Nulopán, Jal.", r#""Nulopán" None None"#),
            ("Rua Nova, 330, CEP 52020-015 Nulópolis –", r#""Nulópolis" None None"#),
            ("Nullweg 3, PLZ 37073 Nullheim", r#""Nullheim" None None"#),
            ("Nullweg 3, 6460 Nulldorf UR", r#""Nulldorf" None None"#),
            ("Carrera 8 n.º 21-40, 760001 Cali, Valle del Cauca", r#""Cali" None None"#),
            ("Belo Horizonte - MG", r#""Belo Horizonte" "MG" None"#),
            ("Ciudad de México", r#""Ciudad de México" None None"#),
            (
                "C/ Olagibel 00, 3.º B - 01004 Vitoria-Gasteiz (Álava)",
                r#""Vitoria-Gasteiz" None None"#,
            ),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_place_is_none() {
        for text in [
            "BSN, RN",
            "Extension 555 123",
            "Col. Del Valle, Obra Vieja, Zapopan, Jalisco, México",
            "2208 Cottonwood Bend NE",
            "ON N2G 0B4",
            "19 jobs, Athlone, Smallville, 2019",
            "Senior Programmer, Analytical Engines",
            "Engineer, Germany",
            "12.º ano – Escola Secundária Viso Alto, Setúbal",
            "MBO 4 Logistiek, ROC De Zwaluw, Apeldoorn",
            "Acme Ltd, UK",
            "Bluebonnet, Inc., Austin, TX",
            "Savanna Foods, Nairobi, Kenya",
            "led by us",
        ] {
            assert_eq!(said(text), "no place", "{text}");
        }
    }

    #[test]
    fn a_cedilla_makes_another_word_than_a_city() {
        assert!(is_known("Mâcon") && is_known("Macon"));
        assert!(is_known("Besançon") && is_known("BESANÇON") && is_known("Besancon"));
        assert!(!is_known("Maçon") && !is_known("MAÇON"));
    }

    #[test]
    fn a_place_that_nothing_parts_from_a_firm_is_told_by_its_state() {
        let firm = Some(("Acme Pumps", "San Antonio, TX"));
        assert_eq!(at_end("Acme Pumps San Antonio, TX"), firm);
        for text in [
            "North Chicago, IL",
            "Acme Pumps Chicago",
            "Acme Pumps, Chicago, IL",
            "Acme Pumps Nulleville, IL",
        ] {
            assert_eq!(at_end(text), None, "{text}");
        }
    }

    #[test]
    fn levels_and_classes_are_no_numbers_of_houses() {
        for text in [
            "Mbo 4, Quay College, Apeldoorn",
            "Mbo 4 – Lasser, Quay College, Rotterdam",
            "Teacher, Year 5, Quay Primary, Leeds",
            "Leerkracht groep 7, De Kade, Zutphen",
        ] {
            assert_eq!(said(text), "no place", "{text}");
        }
    }

    #[test]
    fn a_city_with_its_code_is_told_behind_an_institution() {
        let city = |text: &str| coded_at_end(text).and_then(|place| place.city);
        for (text, expected) in [
            ("Department of Physics, 112 Quay Hall, Albuquerque, NM 87112", Some("Albuquerque")),
            ("School of Arts, Room 4, Nulleville, WV 25304-0001", Some("Nulleville")),
            ("Institut für Physik, Hof 4, 04229 Leipzig", Some("Leipzig")),
            ("Department of Physics, Quay Hall, Albuquerque", None),
            ("Physics, 87112", None),
        ] {
            assert_eq!(city(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_city_is_told_by_its_code() {
        let city = |text: &str| coded(text).and_then(|place| place.city);
        assert_eq!(city("Albuquerque, NM 87112").as_deref(), Some("Albuquerque"));
        assert_eq!(city("04229 Leipzig").as_deref(), Some("Leipzig"));
        assert_eq!(city("Albuquerque, NM"), None);
    }
}
