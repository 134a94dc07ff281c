//! Time zones as places: the principal city of a zone, with its coordinates and its country.
//!
//! ```
//! use anteroom::session::time_zones::of_zone;
//! let place = of_zone("Asia/Calcutta").unwrap(); // an old name of `Asia/Kolkata`
//! assert_eq!((place.city.as_str(), place.country, place.zone), ("Kolkata", "India", "Asia/Kolkata"));
//! assert_eq!((place.latitude, place.longitude), (22.5333, 88.3667));
//! assert!(of_zone("Etc/UTC").is_none());
//! ```
//!
//! The tables are those of the IANA time zone database: each zone's country and city from `zone.tab`, which keeps
//! `Europe/Amsterdam` in the Netherlands where `zone1970.tab` has one row for several countries; old names from the
//! links. A zone says where a person's clock is set, not where they are: whoever shows a place found here says so.

use std::{collections::BTreeMap, sync::LazyLock};

const ZONES: &str = include_str!("../../manifests/zones/zones.tab");
const COUNTRIES: &str = include_str!("../../manifests/zones/countries.tab");
const LINKS: &str = include_str!("../../manifests/zones/links.tab");

/// Most links that lead to one another.
const LINKS_MAX: usize = 4;

/// Somewhere on Earth.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Its zone, by its name of today.
    pub zone: &'static str,
    /// Its principal city.
    pub city: String,
    /// Its country, by its usual English name.
    pub country: &'static str,
    /// Its country as two letters (ISO 3166).
    pub country_code: &'static str,
    /// Degrees, north positive, four decimals.
    pub latitude: f64,
    /// Degrees, east positive, four decimals.
    pub longitude: f64,
}

struct Row {
    country: &'static str,
    coordinates: &'static str,
}

/// Rows of a table: no comments, members by tabs.
fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

static BY_ZONE: LazyLock<BTreeMap<&'static str, Row>> = LazyLock::new(|| {
    let row = |(country, rest): (&'static str, &'static str)| {
        let (coordinates, zone) = rest.split_once('\t')?;
        Some((zone, Row { country, coordinates }))
    };
    rows(ZONES).filter_map(row).collect()
});

/// Every zone's, since whoever gave a city is looked for among all of them again and again.
static PLACES: LazyLock<Vec<Place>> =
    LazyLock::new(|| BY_ZONE.iter().filter_map(|(zone, row)| place(zone, row)).collect());

static BY_CODE: LazyLock<BTreeMap<&'static str, &'static str>> =
    LazyLock::new(|| rows(COUNTRIES).collect());

static BY_LINK: LazyLock<BTreeMap<&'static str, &'static str>> =
    LazyLock::new(|| rows(LINKS).collect());

/// The place of a zone, by its name or an old name of it; `None` for zones without one, such as `Etc/UTC`.
pub fn of_zone(name: &str) -> Option<Place> {
    let mut name = name.trim();
    for _ in 0..LINKS_MAX {
        if let Some((zone, row)) = BY_ZONE.get_key_value(name) {
            return place(zone, row);
        }
        name = BY_LINK.get(name)?;
    }
    None
}

/// The place of a zone's principal city of this name in a country, which is called by its name or its code. Without the
/// country there is none: the table has one `Cordoba`, and the world several.
pub(crate) fn of_city(city: &str, country: &str) -> Option<Place> {
    let (city, country) = (city.trim(), country.trim());
    let fits = |place: &&Place| {
        place.city.eq_ignore_ascii_case(city)
            && (place.country.eq_ignore_ascii_case(country)
                || place.country_code.eq_ignore_ascii_case(country))
    };
    PLACES.iter().find(fits).cloned()
}

/// ISO 3166 code of a country, by that code, its usual English name or another usual name of it.
///
/// ```
/// use anteroom::session::time_zones::country_code;
/// assert_eq!(country_code("USA"), Some("US"));
/// assert_eq!(country_code("the Netherlands"), Some("NL"));
/// assert_eq!(country_code("de"), Some("DE"));
/// assert_eq!(country_code("Atlantis"), None);
/// ```
pub fn country_code(text: &str) -> Option<&'static str> {
    let wanted = country_key(text);
    let by_code = BY_CODE.keys().find(|code| code.eq_ignore_ascii_case(&wanted));
    let by_name =
        || BY_CODE.iter().find(|(_, name)| country_key(name) == wanted).map(|(code, _)| code);
    let by_alias =
        || COUNTRY_ALIASES.iter().find(|(name, _)| *name == wanted).map(|(_, code)| code);
    by_code.or_else(by_name).or_else(by_alias).copied()
}

/// The English name of a country by its code of two letters.
///
/// ```
/// # use anteroom::session::time_zones::country_name;
/// assert_eq!(country_name("NL"), Some("Netherlands"));
/// assert_eq!(country_name("XX"), None);
/// ```
pub fn country_name(code: &str) -> Option<&'static str> {
    BY_CODE.get(code).copied()
}

/// A name of a country as it is compared: without case, dots, articles and other spellings of "and" and "saint".
fn country_key(name: &str) -> String {
    let key = name.trim().to_lowercase().replace('.', "").replace('&', "and");
    let key = key.replace("saint ", "st ");
    key.strip_prefix("the ").unwrap_or(&key).trim().to_owned()
}

/// Usual names that the table has otherwise, names in the countries' own languages, and codes of three letters.
const COUNTRY_ALIASES: &[(&str, &str)] = &[
    ("america", "US"),
    ("are", "AE"),
    ("arg", "AR"),
    ("aus", "AU"),
    ("aut", "AT"),
    ("bangla desh", "BD"),
    ("bel", "BE"),
    ("belgique", "BE"),
    ("belgië", "BE"),
    ("bgr", "BG"),
    ("bolivia", "BO"),
    ("bosnia", "BA"),
    ("bra", "BR"),
    ("brasil", "BR"),
    ("britain", "GB"),
    ("burma", "MM"),
    ("can", "CA"),
    ("cape verde", "CV"),
    ("che", "CH"),
    ("chl", "CL"),
    ("chn", "CN"),
    ("col", "CO"),
    ("congo", "CG"),
    ("côte d'ivoire", "CI"),
    ("cyp", "CY"),
    ("cze", "CZ"),
    ("czechia", "CZ"),
    ("czech republic", "CZ"),
    ("danmark", "DK"),
    ("democratic republic of the congo", "CD"),
    ("deu", "DE"),
    ("deutschland", "DE"),
    ("dnk", "DK"),
    ("east timor", "TL"),
    ("egy", "EG"),
    ("england", "GB"),
    ("esp", "ES"),
    ("españa", "ES"),
    ("est", "EE"),
    ("eswatini", "SZ"),
    ("fin", "FI"),
    ("fra", "FR"),
    ("gbr", "GB"),
    ("grc", "GR"),
    ("great britain", "GB"),
    ("holland", "NL"),
    ("hrv", "HR"),
    ("hun", "HU"),
    ("idn", "ID"),
    ("ind", "IN"),
    ("irl", "IE"),
    ("isl", "IS"),
    ("isr", "IL"),
    ("ita", "IT"),
    ("italia", "IT"),
    ("ivory coast", "CI"),
    ("jpn", "JP"),
    ("ken", "KE"),
    ("kor", "KR"),
    ("korea", "KR"),
    ("kosovo", "XK"),
    ("ltu", "LT"),
    ("lux", "LU"),
    ("lva", "LV"),
    ("macedonia", "MK"),
    ("magyarország", "HU"),
    ("mex", "MX"),
    ("mlt", "MT"),
    ("moldova", "MD"),
    ("méxico", "MX"),
    ("nederland", "NL"),
    ("nga", "NG"),
    ("nld", "NL"),
    ("nor", "NO"),
    ("norge", "NO"),
    ("north korea", "KP"),
    ("north macedonia", "MK"),
    ("northern ireland", "GB"),
    ("nzl", "NZ"),
    ("pak", "PK"),
    ("phl", "PH"),
    ("pol", "PL"),
    ("polska", "PL"),
    ("prt", "PT"),
    ("rou", "RO"),
    ("rus", "RU"),
    ("russian federation", "RU"),
    ("sau", "SA"),
    ("schweiz", "CH"),
    ("scotland", "GB"),
    ("sgp", "SG"),
    ("south korea", "KR"),
    ("srb", "RS"),
    ("suisse", "CH"),
    ("suomi", "FI"),
    ("svk", "SK"),
    ("svn", "SI"),
    ("sverige", "SE"),
    ("svizzera", "CH"),
    ("swaziland", "SZ"),
    ("swe", "SE"),
    ("syria", "SY"),
    ("tanzania", "TZ"),
    ("tur", "TR"),
    ("turkey", "TR"),
    ("turkiye", "TR"),
    ("twn", "TW"),
    ("türkiye", "TR"),
    ("uae", "AE"),
    ("uk", "GB"),
    ("ukr", "UA"),
    ("united kingdom", "GB"),
    ("united kingdom of great britain and northern ireland", "GB"),
    ("united states of america", "US"),
    ("usa", "US"),
    ("vatican", "VA"),
    ("viet nam", "VN"),
    ("vnm", "VN"),
    ("wales", "GB"),
    ("zaf", "ZA"),
    ("éire", "IE"),
    ("österreich", "AT"),
    ("česko", "CZ"),
];

/// The zone of a country, called by its code, that has only one.
pub(crate) fn zone_of_country(code: &str) -> Option<&'static str> {
    let code = code.trim();
    let mut zones = BY_ZONE.iter().filter(|(_, row)| row.country.eq_ignore_ascii_case(code));
    let (zone, _) = zones.next()?;
    zones.next().is_none().then_some(*zone)
}

fn place(zone: &'static str, row: &Row) -> Option<Place> {
    let (latitude, longitude) = degrees(row.coordinates)?;
    let city = zone.rsplit('/').next()?.replace('_', " ");
    let country = BY_CODE.get(row.country).copied()?;
    Some(Place { zone, city, country, country_code: row.country, latitude, longitude })
}

/// `+5230+01322` or `+405027-0735912` as degrees.
fn degrees(coordinates: &str) -> Option<(f64, f64)> {
    let second = coordinates.char_indices().skip(1).find(|(_, c)| matches!(c, '+' | '-'))?.0;
    let (latitude, longitude) = coordinates.split_at(second);
    Some((angle(latitude, 2)?, angle(longitude, 3)?))
}

/// `±DDMM` or `±DDMMSS` with so many digits of degrees.
fn angle(text: &str, whole: usize) -> Option<f64> {
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let digits = text.get(1..)?;
    let part = |from: usize, to: usize| digits.get(from..to)?.parse::<f64>().ok();
    let (degrees, minutes) = (part(0, whole)?, part(whole, whole + 2)?);
    let seconds = part(whole + 2, whole + 4).unwrap_or(0.0);
    let angle = sign * (degrees + minutes / 60.0 + seconds / 3600.0);
    Some((angle * 10_000.0).round() / 10_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_place_and_every_link_leads_to_one_or_to_none() {
        assert!(BY_ZONE.len() > 400);
        for zone in BY_ZONE.keys() {
            let place = of_zone(zone).unwrap_or_else(|| panic!("{zone}"));
            assert!(place.latitude.abs() <= 90.0 && place.longitude.abs() <= 180.0, "{place:?}");
        }
        let nowhere: Vec<&str> =
            BY_LINK.keys().copied().filter(|link| of_zone(link).is_none()).collect();
        let is_known = |name: &&str| {
            name.starts_with("Etc/")
                || [
                    "GMT",
                    "UTC",
                    "UCT",
                    "Zulu",
                    "Greenwich",
                    "Universal",
                    "CET",
                    "EET",
                    "MET",
                    "WET",
                    "EST",
                    "HST",
                    "MST",
                ]
                .iter()
                .any(|known| name.starts_with(known))
        };
        assert!(nowhere.iter().all(is_known), "{nowhere:?}");
    }

    #[test]
    fn zones_and_their_old_names_are_cities() {
        for (zone, city, country, latitude, longitude) in [
            ("Europe/Berlin", "Berlin", "Germany", 52.5, 13.3667),
            ("Europe/Amsterdam", "Amsterdam", "Netherlands", 52.3667, 4.9),
            ("Europe/Oslo", "Oslo", "Norway", 59.9167, 10.75),
            ("America/New_York", "New York", "United States", 40.7142, -74.0064),
            ("US/Pacific", "Los Angeles", "United States", 34.0522, -118.2428),
            ("America/Argentina/Buenos_Aires", "Buenos Aires", "Argentina", -34.6, -58.45),
            ("America/Buenos_Aires", "Buenos Aires", "Argentina", -34.6, -58.45),
            ("Europe/Kiev", "Kyiv", "Ukraine", 50.4333, 30.5167),
            ("Asia/Saigon", "Ho Chi Minh", "Vietnam", 10.75, 106.6667),
        ] {
            let place = of_zone(zone).unwrap();
            assert_eq!((place.city.as_str(), place.country), (city, country), "{zone}");
            assert_eq!((place.latitude, place.longitude), (latitude, longitude), "{zone}");
        }
        for zone in ["Etc/UTC", "GMT", "Mars/Olympus", "", "../../etc/passwd"] {
            assert_eq!(of_zone(zone), None, "{zone}");
        }
    }

    #[test]
    fn a_city_is_found_in_its_country_alone() {
        assert_eq!(of_city("berlin", "Germany").unwrap().zone, "Europe/Berlin");
        assert_eq!(of_city("London", "GB").unwrap().zone, "Europe/London");
        assert!(of_city("London", "Canada").is_none());
        assert!(of_city("Hamburg", "Germany").is_none());
    }
}
