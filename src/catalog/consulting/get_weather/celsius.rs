//! Figures in Fahrenheit as figures in Celsius.

/// How Fahrenheit is written after a figure, the longer first; blanks before it are passed over.
const UNITS: [&str; 9] = [
    "degrees fahrenheit",
    "degree fahrenheit",
    "deg fahrenheit",
    "° fahrenheit",
    "°fahrenheit",
    "fahrenheit",
    "°f",
    "° f",
    "º f",
];

/// Others, of which no word may go on.
const SIGNS: [&str; 3] = ["℉", "ºf", "f"];

/// Between the two figures of a range.
const BETWEEN: [&str; 5] = ["-", "–", "—", "/", " to"];

/// Turns `68 °F` into `20 °C (converted)` and `59–68 °F` into `15–20 °C (converted)`, and leaves everything else.
///
/// A lone `F` counts after a figure only where no letter or figure follows.
pub(super) fn in_celsius(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        made.push_str(&rest[..at]);
        let figure = &rest[at..];
        let end = figure.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(figure.len());
        let (figure, after) = figure.split_at(end);
        match (unit(after), figure.trim_end_matches('.').parse::<f64>()) {
            (Some(length), Ok(degrees)) if !goes_on(&made) => {
                put(&mut made, degrees);
                rest = &after[length..];
            }
            _ => {
                made.push_str(figure);
                rest = after;
            }
        }
    }
    made.push_str(rest);
    made
}

/// Puts a figure in Celsius after a text, and the figure with which its range begins in Celsius too.
fn put(made: &mut String, degrees: f64) {
    let mut signed = degrees;
    if let Some((at, first, between)) = range(made) {
        made.truncate(at);
        made.extend([celsius(first).to_string(), between]);
    } else if let Some(bare) = made.strip_suffix(['-', '−']) {
        made.truncate(bare.len());
        signed = -degrees;
    }
    made.extend([celsius(signed).to_string().as_str(), " °C (converted)"]);
}

/// Where a range begins that a text leaves open, its first figure, and what stands between.
fn range(text: &str) -> Option<(usize, f64, String)> {
    let open = text.trim_end();
    let first = BETWEEN.iter().find_map(|between| open.strip_suffix(between))?;
    let first = first.trim_end().trim_end_matches(['°', 'º']);
    let figure = first.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let degrees = first[figure.len()..].parse().ok()?;
    let between = text[first.len()..].trim_start_matches(['°', 'º']).to_owned();
    (!goes_on(figure)).then_some((figure.len(), degrees, between))
}

/// To the whole degree.
fn celsius(fahrenheit: f64) -> f64 {
    // 0 without a sign.
    ((fahrenheit - 32.0) / 1.8).round() + 0.0
}

/// The length of the unit that a text begins with.
fn unit(text: &str) -> Option<usize> {
    let bare = text.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let blanks = text.len() - bare.len();
    let known = UNITS.iter().chain(&SIGNS).find_map(|unit| {
        let start = bare.get(..unit.len())?;
        let next = bare[unit.len()..].chars().next();
        let is_whole = next.is_none_or(|c| !c.is_alphanumeric());
        (start.to_lowercase() == *unit && is_whole).then_some(unit.len())
    });
    known.map(|length| blanks + length)
}

/// Whether a figure is part of a word: `B-52F`, `x86 F`.
fn goes_on(before: &str) -> bool {
    before.ends_with(|c: char| c.is_alphabetic())
        || before.strip_suffix('-').is_some_and(|b| b.ends_with(|c: char| c.is_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fahrenheit_becomes_celsius_and_the_rest_stays() {
        for (text, converted) in [
            ("68°F", "20 °C (converted)"),
            ("now 68 °F, dry", "now 20 °C (converted), dry"),
            ("68 F", "20 °C (converted)"),
            ("68ºF", "20 °C (converted)"),
            ("68℉.", "20 °C (converted)."),
            ("98.6 degrees Fahrenheit", "37 °C (converted)"),
            ("-40°F", "-40 °C (converted)"),
            ("at −4 °F", "at -20 °C (converted)"),
            ("32°F", "0 °C (converted)"),
            ("31.9°F", "0 °C (converted)"),
            ("20°C (68°F)", "20°C (20 °C (converted))"),
            ("20°C", "20°C"),
            ("5 Frogs", "5 Frogs"),
            ("5 f1", "5 f1"),
            ("F 5", "F 5"),
            ("B-52F", "B-52F"),
            ("MP3F", "MP3F"),
            ("", ""),
            ("…9", "…9"),
            ("1.2.3F", "1.2.3F"),
        ] {
            assert_eq!(in_celsius(text), converted, "{text}");
        }
    }

    #[test]
    fn both_figures_of_a_range_are_converted() {
        for (text, converted) in [
            ("59-68°F", "15-20 °C (converted)"),
            ("59° – 68 °F", "15 – 20 °C (converted)"),
            ("59 to 68 degrees Fahrenheit", "15 to 20 °C (converted)"),
            ("50°/68°F", "10/20 °C (converted)"),
            ("route 9, -4°F", "route 9, -20 °C (converted)"),
        ] {
            assert_eq!(in_celsius(text), converted, "{text}");
        }
    }
}
